"""The documents cannot lie: commands, options and rules are all told, links lead somewhere, examples run."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from massprops_cli.cli.app import _COMMANDS
from massprops_cli.findings.catalogue import RULES

ROOT = Path(__file__).parents[2]
DOCUMENTS = [
    ROOT / "README.md",
    ROOT / "CHANGELOG.md",
    ROOT / "sample_data" / "README.md",
    *sorted(path for path in (ROOT / "docs").glob("*.md") if path.name != "plan.md"),
]


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@cache
def options_of(command: str) -> frozenset[str]:
    """Give every spelling of every option of a command."""
    from massprops_cli.cli.app import _load_command

    spellings = [option for parameter in _load_command(command).params for option in parameter.opts]
    return frozenset(option for option in spellings if option.startswith("-"))


def test_readme_is_short() -> None:
    assert len(text_of("README.md").splitlines()) <= 150


@pytest.mark.parametrize("command", _COMMANDS)
def test_command_is_documented(command: str) -> None:
    page = text_of("docs/cli.md")
    assert f"\n## {command}\n" in page
    assert f"massprops {command}" in page
    for option in options_of(command):
        assert re.search(rf"`[^`]*(?<![\w-]){re.escape(option)}(?![\w-])[^`]*`", page), option


def test_no_option_is_invented() -> None:
    known = {option for command in _COMMANDS for option in options_of(command)} | {"--help", "--version"}
    for document in DOCUMENTS:
        text = re.sub(r"`python [^`]*`", "", document.read_text(encoding="utf-8"))  # scripts have options of their own
        for option in re.findall(r"(?<![\w-])--[a-z][a-z-]+", text):
            assert option in known, f"{document.name}: {option}"


@pytest.mark.parametrize("code", RULES)
def test_pages_name_options_that_exist(code: str) -> None:
    known = {option for command in _COMMANDS for option in options_of(command)}
    page = text_of(f"massprops_cli/findings/pages/{code}.md")
    for option in re.findall(r"(?<![\w-])--[a-z][a-z-]+", page + RULES[code].remedy):
        assert option in known, option


def test_every_rule_is_listed() -> None:
    page = text_of("docs/rules.md")
    listed = re.findall(r"^\| \[(MP\d{3})\]\((\S+)\) \| (\S+) \| (\S+) \| ([a-z ]+) \| (.+) \|$", page, re.MULTILINE)
    told = [(code, name, severity, effect, summary) for code, _, name, severity, effect, summary in listed]
    assert told == [(r.code, r.name, r.severity, r.effect, r.summary) for r in RULES.values()]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(document: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)", document.read_text(encoding="utf-8")):
        if not target.startswith(("http://", "https://")):
            assert (document.parent / target).exists(), target


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a folder with the sample tables, the sample project and the tutorial's table in it, and stand there."""
    for path in [*(ROOT / "sample_data").iterdir(), *(ROOT / "sample_data" / "budget").iterdir()]:
        if path.suffix in (".csv", ".xlsx", ".toml"):
            shutil.copy(path, tmp_path)
    table = re.search(r"```csv\n(.*?)```", text_of("docs/tutorial.md"), re.DOTALL)
    assert table
    (tmp_path / "wing.csv").write_text(table.group(1), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    return tmp_path


def commands_in(document: Path) -> list[str]:
    blocks = re.findall(r"```console\n(.*?)```", document.read_text(encoding="utf-8"), re.DOTALL)
    return [line[2:] for block in blocks for line in block.splitlines() if line.startswith("$ ")]


@pytest.mark.parametrize("document", [d for d in DOCUMENTS if commands_in(d)], ids=lambda path: path.name)
def test_commands_run(document: Path, desk: Path, massprops: Callable[..., Any]) -> None:
    for line in commands_in(document):
        if "|" in line:
            run_in_shell(line, desk)
            continue
        program, *arguments = shlex.split(line)
        assert program == "massprops"
        result = massprops(*arguments)
        assert result.exit_code == 0, f"{line}\n{result.output}"
        assert result.output or "concise" in line, line  # nothing found is said with no line


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


@pytest.mark.parametrize("document", [d for d in DOCUMENTS if python_in(d)], ids=lambda path: path.name)
def test_python_runs(document: Path, desk: Path) -> None:
    for block in python_in(document):
        exec(compile(block, str(document), "exec"), {"__name__": "example"})
