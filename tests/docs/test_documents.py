"""The documents are complete and correct: commands, options, rules and links exist, and every example runs."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from docs.make_rules import text as rules_page
from massprops_cli.cli.command import COMMAND_NAMES
from massprops_cli.findings.catalogue import RULES

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


@pytest.mark.parametrize("code", RULES)
def test_pages_name_options_that_exist(code: str) -> None:
    known = {option for command in COMMAND_NAMES for option in options_of(command)}
    page = text_of(f"massprops_cli/findings/pages/{code}.md")
    for option in re.findall(r"(?<![\w-])--[a-z][a-z-]+", page + RULES[code].remedy):
        assert option in known, option


def test_every_rule_is_listed_with_its_remedy() -> None:
    page = text_of("docs/rules.md")
    listed = re.findall(r"^- \[(MP\d{3})\]\((\S+)\) (\S+): (.+)$", page, re.MULTILINE)
    assert sorted((code, name) for code, _, name, _ in listed) == sorted((r.code, r.name) for r in RULES.values())
    for code, _, _, remedy in listed:
        assert remedy in RULES[code].remedy or not RULES[code].remedy, code
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
    assert [name.partition(". ")[0] for name in sections] == [str(k) for k in range(1, 14)]


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


FILE_BLOCK = re.compile(r"`([\w.-]+\.(?:csv|toml|urdf|sdf))`[^\n]*:\n\n```(?:csv|toml|xml)\n(.*?)```", re.DOTALL)
"""A file that a page shows: its name in the line above."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory: a folder with the sample tables and the sample project."""
    samples = ROOT / "sample_data"
    for path in [*samples.iterdir(), *(samples / "budget").iterdir(), *(samples / "robot").iterdir()]:
        if path.suffix in (".csv", ".xlsx", ".toml", ".json", ".stl", ".urdf", ".sdf"):
            shutil.copy(path, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    return tmp_path


def write_files_of(document: Path, folder: Path) -> None:
    """Write the files that a page shows; the excerpt of a sample file does not replace the file."""
    for name, text in FILE_BLOCK.findall(document.read_text(encoding="utf-8")):
        if not (folder / name).exists():
            (folder / name).write_text(text, encoding="utf-8")


def commands_in(document: Path) -> list[str]:
    blocks = re.findall(r"```console\n(.*?)```", document.read_text(encoding="utf-8"), re.DOTALL)
    return [line[2:] for block in blocks for line in block.splitlines() if line.startswith("$ ")]


@pytest.mark.parametrize("document", [d for d in DOCUMENTS if commands_in(d)], ids=name_of)
def test_commands_run(document: Path, folder: Path, massprops: Callable[..., Any]) -> None:
    write_files_of(document, folder)
    shutil.copytree(ROOT / "sample_data", folder / "sample_data")
    for line in commands_in(document):
        if line.startswith("cd "):
            os.chdir(line.removeprefix("cd "))
        elif "|" in line:
            run_in_shell(line, folder)
        else:
            program, *arguments = shlex.split(line)
            assert program == "massprops"
            result = massprops(*arguments)
            assert result.exit_code == 0, f"{line}\n{result.output}"
            assert result.output or "concise" in line, line  # without findings it prints nothing


QUOTED_OUTPUT = re.compile(r"```console\n([^`]*)```\n\n((?: {4}.+\n)+)")
"""The commands of a block, and the lines of their output that the page shows below it."""


@pytest.mark.parametrize("document", [d for d in DOCUMENTS if QUOTED_OUTPUT.search(d.read_text("utf-8"))], ids=name_of)
def test_quoted_output_is_printed(document: Path, folder: Path, massprops: Callable[..., Any]) -> None:
    write_files_of(document, folder)
    for commands, quoted in QUOTED_OUTPUT.findall(document.read_text(encoding="utf-8")):
        command = commands.splitlines()[-1].removeprefix("$ massprops ").partition(" || ")[0]
        printed = [" ".join(line.split()) for line in massprops(*shlex.split(command)).output.splitlines()]
        for line in quoted.splitlines():
            shown = " ".join(line.split()).removesuffix("…")
            assert any(row.startswith(shown) for row in printed), f"{command}: {line}"


def test_outputs_of_the_how_tos_are_quoted() -> None:
    quoted = {name_of(d): len(QUOTED_OUTPUT.findall(d.read_text("utf-8"))) for d in DOCUMENTS}
    assert quoted["docs/howto/mass_budget.md"] == 2
    assert quoted["docs/howto/uncertainty.md"] == 3
    assert quoted["docs/howto/budget_in_ci.md"] == 1


def test_errors_of_the_tutorial_are_both_reported(folder: Path, massprops: Callable[..., Any]) -> None:
    tutorial = ROOT / "docs" / "tutorial.md"
    write_files_of(tutorial, folder)
    table = folder / "wing.csv"
    text = table.read_text(encoding="utf-8")
    table.write_text(text.replace("Spar,Wing,12.5,", "Spar,Wnig,12.5 m,"), encoding="utf-8")
    assert "`Wnig`, and one mass to `12.5 m`" in tutorial.read_text(encoding="utf-8")
    result = massprops("validate", "wing.csv")
    assert result.exit_code == 1
    assert re.findall(r"error (MP\d+)", result.output) == ["MP205", "MP305"]


def run_in_shell(line: str, folder: Path) -> None:
    """Run a pipe with the command of this environment, in a real shell."""
    script = f'set -o pipefail; massprops() {{ "{sys.executable}" -m massprops_cli "$@"; }}; {line}'
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        ["bash", "-c", script], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout
    assert "Traceback" not in done.stderr


def python_in(document: Path) -> list[str]:
    return re.findall(r"```python\n(.*?)```", document.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("document", [d for d in DOCUMENTS if python_in(d)], ids=name_of)
def test_python_runs(document: Path, folder: Path) -> None:
    write_files_of(document, folder)
    for block in python_in(document):
        exec(compile(block, str(document), "exec"), {"__name__": "example"})
