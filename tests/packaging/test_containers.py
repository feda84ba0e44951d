"""The container, the single file and the recipe for conda agree with the package."""

from __future__ import annotations

import re
import runpy
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from massprops_cli._front import VERSION
from massprops_cli.cli.commands.help import help_pages

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
DOCKERFILE = (ROOT / "Dockerfile").read_text("utf-8")


def test_recipe_has_the_dependencies_of_the_package() -> None:
    """``make conda`` builds it."""
    read = yaml.safe_load((ROOT / "conda" / "recipe.yaml").read_text("utf-8"))
    assert read["package"] == {"name": PROJECT["name"], "version": VERSION}
    assert [read["about"][name] for name in ("summary", "license")] == [PROJECT["description"], PROJECT["license"]]
    needed = [f"python{PROJECT['requires-python']}", *PROJECT["dependencies"]]
    assert [one.replace(" ", "") for one in read["requirements"]["run"]] == needed
    build = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["build-system"]["requires"]
    assert [one.replace(" ", "") for one in read["requirements"]["host"]] == [needed[0], "pip", *build]
    (script,) = read["build"]["python"]["entry_points"]
    assert dict([script.split(" = ")]) == PROJECT["scripts"]


def test_container_runs_as_a_user_and_has_what_a_build_needs() -> None:
    (user,) = re.findall(r"(?m)^USER (\S+)$", DOCKERFILE)
    assert user.isdecimal()
    assert int(user) > 0
    assert 'ENTRYPOINT ["massprops"]' in DOCKERFILE
    kept = set(re.findall(r"(?m)^!(\S+)$", (ROOT / ".dockerignore").read_text("utf-8")))
    needed = {"pyproject.toml", "setup.py", "CITATION.cff", "README.md", "LICENSE", "docs/make_man.py"}
    assert needed | {"massprops", "massprops_cli"} <= kept
    assert all(list(ROOT.glob(name)) for name in kept)
    pages = {path for name in kept if name.endswith("*.md") for path in ROOT.glob(name)}
    assert pages == set(help_pages().values())


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (["-P", "FILE", "a", "b"], "['FILE', 'a', 'b'] __main__"),
        (["-P", "-c", "import sys; print(sys.argv, __name__)", "a"], "['-c', 'a'] __main__"),
        (["--version"], f"massprops {VERSION}"),
    ],
)
def test_single_file_is_the_interpreter_of_its_own_processes(
    arguments: list[str],
    shown: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """As ``sys.executable`` of the command the single file runs files and code."""
    script = tmp_path / "script.py"
    script.write_text("import sys; print(sys.argv, __name__)\n", "utf-8")
    monkeypatch.setattr(sys, "argv", ["massprops", *(str(script) if one == "FILE" else one for one in arguments)])
    runpy.run_path(str(ROOT / ".ci" / "single_file_start.py"))["main"]()
    assert capsys.readouterr().out.strip() == shown.replace("FILE", str(script))


def test_calls_of_the_interpreter_are_those_that_the_single_file_answers() -> None:
    sources = [path.read_text("utf-8") for path in (ROOT / "massprops_cli").rglob("*.py")]
    calls = [found for text in sources for found in re.findall(r"\[sys\.executable, (.+)\]", text)]
    assert len(calls) >= 3
    assert all(one.startswith(('"-P", str(Path(', '"-P", "-c", ')) for one in calls)
