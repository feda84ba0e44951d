"""What each rule does to a result where it is an error: it stops, or the result is not written, or written."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from massprops_cli.findings.catalogue import _NOT_WRITTEN, RULES, STOPS, WRITTEN

from .cases import ALL, Case

ORDER = (WRITTEN, _NOT_WRITTEN, STOPS)
"""The strongest last."""
OF_GRAPHS = ("massmatrix", "partition", "aggregate", "assemble")
OF_OTHER_COMMANDS = ("check", "diff", "convert", "contributions", "robot", *OF_GRAPHS)
BAD = [case for case in ALL if case.kind == "bad"]


def effect_of(folder: Path, result: Any) -> tuple[str, set[str]]:
    """Give what a run of ``rollup --format json`` did, and the rules that were errors."""
    report = json.loads(result.stdout)
    errors = {
        f["rule"] for f in [*report["findings"], *report.get("findings_of_writing", [])] if f["severity"] == "error"
    }
    is_there = any(".rollup." in path.name for path in folder.iterdir())
    if "items" not in report:
        assert not is_there
        assert result.exit_code in (1, 2)
        return STOPS, errors
    assert report.get("written", True) == is_there
    assert result.exit_code == (1 if errors else 0)
    return (WRITTEN if is_there else _NOT_WRITTEN), errors


def rolled(case: Case, folder: Path, massprops: Callable[..., Any]) -> tuple[str, set[str]] | None:
    """Roll up the table of a case; None where the case is one of another command."""
    arguments = case.arguments(folder)
    if arguments[0] in OF_OTHER_COMMANDS or "--keep-going" in arguments:
        return None
    rest = [word for word in arguments[1:] if word not in ("--format", "json", "full")]
    if "-o" in rest or "--in-place" in rest or "--all-variants" in rest:
        return None
    before = {path.name for path in folder.iterdir()}
    if any(".rollup." in name for name in before):
        return None
    result = massprops("rollup", *rest, "--format", "json")
    if not result.stdout.startswith("{"):
        return None
    return effect_of(folder, result)


@pytest.mark.parametrize("case", BAD, ids=str)
def test_the_strongest_effect_of_the_errors_is_what_happens(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, massprops: Callable[..., Any]
) -> None:
    monkeypatch.chdir(tmp_path)
    done = rolled(case, tmp_path, massprops)
    if done is None:  # a case of another command, or of a wrong call
        return
    effect, errors = done
    assert effect == max((RULES[rule].effect for rule in errors), key=ORDER.index, default=WRITTEN), errors


def test_every_rule_states_an_effect() -> None:
    assert {rule.effect for rule in RULES.values()} == set(ORDER)


@pytest.mark.parametrize("command", ["convert", "rollup"])
def test_a_text_that_is_too_long_is_truncated_in_the_file_written(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, massprops: Callable[..., Any]
) -> None:
    """The effect of MP129 is "written": the exit code is 1, and every other cell is complete."""
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text(f"id,parent,mass,note\nS,,,\nA,S,2,{'x' * 40_000}\nB,S,3,short\n", encoding="utf-8")
    result = massprops(command, "a.csv", "-o", "a.xlsx")
    assert result.exit_code == 1
    assert RULES["MP129"].effect == WRITTEN
    sheet = openpyxl.load_workbook("a.xlsx").worksheets[0]
    assert [len(str(cell.value)) for cell in sheet["D"][2:]] == [32_767, 5]
    assert [str(cell.value) for cell in sheet["C"][2:]] == ["2", "3"]
