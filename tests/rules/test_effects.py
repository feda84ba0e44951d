"""What each rule does to a result where it is an error: it stops, or the result is not written, or written."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from massprops_cli.findings.catalogue import _NOT_WRITTEN, RULES, STOPS, WRITTEN

from .cases import ALL, Case

ORDER = (WRITTEN, _NOT_WRITTEN, STOPS)
"""The strongest last."""
OF_OTHER_COMMANDS = ("check", "diff", "convert", "inspect", "contributions", "base-params")
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
