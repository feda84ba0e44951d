"""What each rule does to a result where it is an error, and that the commands printed for it work as typed."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from massprops_cli.cli.stages.remedy_commands import _extended_words, _hint_options
from massprops_cli.findings.catalogue import _NOT_WRITTEN, RULES, STOPS, WRITTEN

from .cases import ALL, Case

ORDER = (WRITTEN, _NOT_WRITTEN, STOPS)
"""The strongest last."""
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


def is_plain(words: list[str]) -> bool:
    """Whether a roll-up writes one file next to its table."""
    return not {"--keep-going", "-o", "--in-place", "--all-variants", "--condition"} & {*words}


def command_of(case: Case, folder: Path) -> list[str] | None:
    """Give the command line that rolls up the table of a rule; None for other commands."""
    words = case.arguments(folder)
    if words[0] not in ("validate", "rollup"):
        return None
    return ["rollup", *(word for word in words[1:] if word not in ("--format", "json", "full")), "--format", "json"]


def report_in(output: str) -> dict[str, Any] | None:
    """Give the report that a command prints; None where it prints none of a table."""
    if '"findings"' not in output:
        return None
    report: dict[str, Any] = json.JSONDecoder().raw_decode(output[output.index("{") :])[0]
    return report


def place_of(finding: dict[str, Any]) -> tuple[str, str]:
    return finding["rule"], json.dumps(finding["place"], sort_keys=True)


@pytest.mark.spread(2, keep=("MP133-bad-page", "MP709-bad-page", "MP518-bad-large_sigmas"))
@pytest.mark.parametrize("case", BAD, ids=str)
def test_effect_commands_and_hints_of_every_rule(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, massprops: Callable[..., Any]
) -> None:
    """The strongest effect of the errors happens; every printed command gives a result.

    What an option of a hint is for is gone, and no error comes that the first run could have reported.
    """
    monkeypatch.chdir(tmp_path)
    words = command_of(case, Path())
    if words is None:
        return
    is_alone = is_plain(words) and not any(".rollup." in path.name for path in tmp_path.iterdir())
    result = massprops(*words)
    first = report_in(result.output)
    if first is None:
        return
    if is_alone and result.stdout.startswith("{"):
        effect, errors = effect_of(tmp_path, result)
        assert effect == max((RULES[rule].effect for rule in errors), key=ORDER.index, default=WRITTEN), errors

    followed: dict[tuple[str, ...], dict[str, Any] | None] = {}

    def follow(command: list[str]) -> dict[str, Any] | None:
        to = () if "-o" in command else ("-o", "out.csv")
        if (*command, *to) not in followed:
            followed[(*command, *to)] = report_in(massprops(*command, *to).output)
        return followed[(*command, *to)]

    for one in first.get("next", []):
        second = follow(shlex.split(one["command"])[1:])
        assert second is not None, one
        assert "items" in second, one
    reported = {finding["rule"] for finding in first["findings"]}
    is_stopped = any(RULES[code].effect == STOPS for code in reported)
    for finding in (one for one in first["findings"] if one["rule"] == case.code):
        for options in _hint_options(finding.get("remedy", ""), "rollup", words):
            second = follow([*_extended_words(tuple(words), options)])
            assert second is not None, options
            assert place_of(finding) not in map(place_of, second["findings"]), options
            new = {one["rule"] for one in second["findings"] if one["severity"] == "error"} - reported
            assert is_stopped or not new, options


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
