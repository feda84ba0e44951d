"""The documents are complete and correct: commands, options, rules and links exist, and every example runs."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import tomllib
from collections.abc import Callable, Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from docs.make_rules import text as rules_page
from massprops_cli.cli.command import COMMAND_NAMES
from massprops_cli.findings.catalogue import RULES
from tests.warm import warm_words

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs").rglob("*.md"))
DOCUMENTS = [ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "sample_data" / "README.md", *PAGES]


def name_of(document: Path) -> str:
    return document.relative_to(ROOT).as_posix()


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@cache
def options_of(command: str) -> frozenset[str]:
    """Give every spelling of every option of a command."""
    from massprops_cli.cli.app import _load_command

    spellings = [option for parameter in _load_command(command).params for option in parameter.opts]
    return frozenset(option for option in spellings if option.startswith("-"))


def test_readme_is_short() -> None:
    assert len(text_of("README.md").split()) <= 700


def test_pages_of_users_are_short() -> None:
    """Counted as ``wc -w`` counts them; the pages of developers are those of docs/internals."""
    pages = [ROOT / "README.md", *(page for page in PAGES if page.parent.name != "internals")]
    words = {name_of(page): len(page.read_text(encoding="utf-8").split()) for page in pages}
    assert sum(words.values()) <= 35_000, sorted(words.items(), key=lambda item: -item[1])[:10]


def test_notes_are_on_modules_of_the_package() -> None:
    named = re.findall(r"`([\w/]+\.py)`", text_of("docs/internals/modules.md"))
    assert len(named) > 50
    assert [name for name in named if not (ROOT / "massprops_cli" / name).is_file()] == []


@pytest.mark.parametrize("command", COMMAND_NAMES)
def test_command_is_documented(command: str) -> None:
    page = text_of("docs/cli.md")
    assert f"\n## {command}\n" in page
    assert f"massprops {command}" in page
    for option in options_of(command):
        assert re.search(rf"`[^`]*(?<![\w-]){re.escape(option)}(?![\w-])[^`]*`", page), option


def test_no_option_is_invented() -> None:
    known = {option for command in COMMAND_NAMES for option in options_of(command)}
    known |= {"--help", "--version", "--install-completion", "--show-completion"}
    for document in DOCUMENTS:
        # scripts and installers have options of their own
        text = re.sub(r"```sh\n.*?```", "", document.read_text(encoding="utf-8"), flags=re.DOTALL)
        text = re.sub(r"`(?:python|pip|pipx|uvx) [^`]*`", "", text)
        for option in re.findall(r"(?<![\w-])--[a-z][a-z-]+", text):
            assert option in known, f"{document.name}: {option}"


def test_pages_of_rules_name_options_that_exist() -> None:
    known = {option for command in COMMAND_NAMES for option in options_of(command)}
    for code, rule in RULES.items():
        page = text_of(f"massprops_cli/findings/pages/{code}.md")
        assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", page + rule.remedy)) <= known, code


def test_every_rule_is_listed() -> None:
    page = text_of("docs/rules.md")
    named = re.findall(r"\[(MP\d{3})\]\(\S+\) ([\w-]+)", page)
    assert sorted(named) == sorted((rule.code, rule.name) for rule in RULES.values())
    assert page == rules_page(), "run make rules"


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_link_targets_exist(document: Path) -> None:
    for target, anchor in re.findall(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)", document.read_text(encoding="utf-8")):
        if target.startswith(("http://", "https://")):
            continue
        page = document.parent / target if target else document
        assert page.exists(), target
        assert not anchor or anchor in anchors_of(page), f"{target}#{anchor}"


def anchors_of(page: Path) -> set[str]:
    """The anchors that GitHub gives to the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_index_lists_every_page() -> None:
    index = text_of("docs/index.md")
    for page in PAGES:
        name = page.relative_to(ROOT / "docs").as_posix()
        assert name == "index.md" or f"]({name})" in index, name


def test_sections_of_the_formulas_are_numbered() -> None:
    sections = re.findall(r"^## (.+)$", text_of("docs/formulas.md"), re.MULTILINE)
    assert [name.partition(". ")[0] for name in sections] == [str(k + 1) for k in range(len(sections))]


def test_tables_index_lists_every_page() -> None:
    index = text_of("docs/tables/index.md")
    for page in (ROOT / "docs" / "tables").glob("*.md"):
        assert page.name == "index.md" or f"]({page.name})" in index, page.name


def test_named_extras_and_make_targets_exist() -> None:
    project = tomllib.loads(text_of("pyproject.toml"))["project"]
    targets = re.findall(r"^([a-z-]+):", text_of("Makefile"), re.MULTILINE)
    for document in DOCUMENTS:
        text = document.read_text(encoding="utf-8")
        for extras in re.findall(r"pip[x]? install [\"']?(?:\.|massprops)\[([a-z,]+)\]", text):
            assert set(extras.split(",")) <= set(project["optional-dependencies"]), extras
        for target in re.findall(r"(?:`|^    )make ([a-z-]+)", text, re.MULTILINE):
            assert target in targets, f"{document.name}: make {target}"
    assert project["requires-python"] == ">=3.11"
    assert "Python 3.11 or later" in text_of("docs/installation.md")


UNWANTED = re.compile(
    r"\b(?:says?|said|saying|tells?|telling|told|stands?|hand(?:s|ed)? back|com(?:e|es|ing) back|settle[sd]?|refus\w+"
    r"|grave|graver|gravest|mend|mends|mended|mending|beside|by itself|by themselves|errs?|at once|for ever|nobody"
    r"|whole line|is no (?:number|part|sum))\b",
    re.IGNORECASE,
)
"""Words of everyday speech for which the documents use technical terms."""


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_words_are_technical(document: Path) -> None:
    text = re.sub(r"(?s:```.*?```)|^    .*$", "", document.read_text(encoding="utf-8"), flags=re.MULTILINE)
    prose = re.sub(r"`[^`]*`", "", text)
    assert UNWANTED.findall(prose) == []


FILE_BLOCK = r"`(?P<name>[\w.-]+\.(?:csv|toml|urdf|sdf|json))`[^\n]*:\n\n```(?:csv|toml|xml|json)\n(?P<file>.*?)```"
"""A file that a page shows: its name in the line above."""
CONSOLE_BLOCK = r"```console\n(?P<console>.*?)```(?:\n\n(?P<below>(?: {4}[^\n]+\n)+))?"
"""Commands, and below the block the lines of the output of its last command that the page shows."""
STEPS = re.compile(rf"{FILE_BLOCK}|{CONSOLE_BLOCK}|```python\n(?P<python>.*?)```", re.DOTALL)
FAILS = " || test $? = 1"
"""What a page adds to a command that ends with the exit code 1."""


class Step(NamedTuple):
    """A step of a page: a file to write, a command with the lines that it prints, or code of Python."""

    kind: str
    text: str
    shown: tuple[str, ...] = ()


def steps_in(page: str) -> Iterator[Step]:
    """Read the steps of a page, in its order; lines below a command within its block are its output as well."""
    for found in STEPS.finditer(page):
        if found["name"]:
            yield Step(found["name"], found["file"])
        elif found["python"]:
            yield Step("python", found["python"])
        else:
            commands = re.split(r"^\$ ", found["console"], flags=re.MULTILINE)[1:]
            for number, command in enumerate(commands, 1):
                line, *shown = command.rstrip("\n").split("\n")
                below = (found["below"] or "").splitlines() if number == len(commands) else []
                yield Step("command", line, (*shown, *below))


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory: a folder with the sample data, as in a clone of the repository."""
    shutil.copytree(ROOT / "sample_data", tmp_path / "sample_data", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    return tmp_path


def run_steps(page: str, massprops: Callable[..., Any]) -> None:
    """Follow a page from the root of a clone: change to the folders that it names, and compare what it shows."""
    for step in steps_in(page):
        if step.kind == "python":
            exec(compile(step.text, "page", "exec"), {"__name__": "example"})
        elif step.kind != "command":
            if not Path(step.kind).exists():  # the excerpt of a sample file does not replace the file
                Path(step.kind).write_text(step.text, encoding="utf-8")
        elif step.text.startswith("cd "):
            os.chdir(step.text.removeprefix("cd "))
        elif not step.text.startswith(("massprops ballast", "massprops identify")) or find_spec("scipy") is not None:
            compare(step, output_of(step.text, massprops))


def output_of(line: str, massprops: Callable[..., Any]) -> str:
    """Run a command of a page, and return what it prints."""
    command, is_failing = line.removesuffix(FAILS), line.endswith(FAILS)
    if "|" in command:
        return run_in_shell(command)
    program, *arguments = shlex.split(command)
    assert program == "massprops"
    result = massprops(*arguments)
    assert result.exit_code == int(is_failing), f"{line}\n{result.output}"
    assert result.output or "concise" in line or " -o " in line, line
    printed: str = result.output
    return printed


def run_in_shell(line: str) -> str:
    """Run a pipe with the command of this environment, in a real shell."""
    script = f'set -o pipefail; massprops() {{ {warm_words()} "$@"; }}; {line}'
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(["bash", "-c", script], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout
    return done.stdout


def compare(step: Step, output: str) -> None:
    """Compare the lines that a page shows with those printed, in their order; blanks and what follows … are free."""
    printed = iter([" ".join(line.split()) for line in output.splitlines()])
    for line in step.shown:
        shown = " ".join(line.split()).removesuffix("…")
        assert any(row.startswith(shown) for row in printed), f"{step.text}: {line}\n{output}"


WITH_STEPS = [one for one in DOCUMENTS if STEPS.search(one.read_text("utf-8")) and one.name != "cli.md"]
"""``tests/cli/test_contracts.py`` runs the examples of ``docs/cli.md``."""


@pytest.mark.parametrize("document", WITH_STEPS, ids=name_of)
@pytest.mark.usefixtures("clone")
def test_examples_run_in_the_folder_of_the_page(document: Path, massprops: Callable[..., Any]) -> None:
    run_steps(document.read_text(encoding="utf-8"), massprops)


@pytest.mark.parametrize(
    "page",
    [
        "```console\n$ massprops tree spacecraft.csv\n```\n",  # without cd sample_data
        "```console\n$ cd sample_data\n$ massprops tree spacecraft.csv --depth 1\nno such line\n```\n",
        "```console\n$ cd sample_data\n$ massprops tree spacecraft.csv\n```\n\n    no such line\n",
        "```console\n$ cd sample_data\n$ massprops tree spacecraft.csv || test $? = 1\n```\n",
    ],
)
@pytest.mark.usefixtures("clone")
def test_pages_that_are_wrong_are_found(page: str, massprops: Callable[..., Any]) -> None:
    with pytest.raises(AssertionError):
        run_steps(page, massprops)


def test_outputs_of_the_how_tos_are_quoted() -> None:
    quoted = {
        name: sum(bool(step.shown) for step in steps_in(text_of(f"docs/howto/{name}.md")))
        for name in ("first_hour", "mass_budget", "uncertainty", "budget_in_ci", "robot_in_ci", "shapes_to_budget")
    }
    assert quoted == {
        "first_hour": 3, "mass_budget": 2, "uncertainty": 3, "budget_in_ci": 1, "robot_in_ci": 2, "shapes_to_budget": 3,
    }  # fmt: skip


def test_errors_of_the_tutorial_are_both_reported(clone: Path, massprops: Callable[..., Any]) -> None:
    tutorial = ROOT / "docs" / "tutorial.md"
    (text,) = (step.text for step in steps_in(tutorial.read_text(encoding="utf-8")) if step.kind == "wing.csv")
    table = clone / "wing.csv"
    table.write_text(text.replace("Spar,Wing,12.5,", "Spar,Wnig,12.5 m,"), encoding="utf-8")
    assert "`Wnig`, and one mass to `12.5 m`" in tutorial.read_text(encoding="utf-8")
    result = massprops("validate", "wing.csv")
    assert result.exit_code == 1
    assert re.findall(r"error (MP\d+)", result.output) == ["MP205", "MP305"]
