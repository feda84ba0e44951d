"""Every rule has a page of one form, a table that triggers it, and a near miss that does not."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from massprops_cli.cli.command import command_name, command_record, current_words
from massprops_cli.findings.catalogue import RULES
from massprops_cli.findings.finding import Finding

from .cases import ALL, FIXTURES, PAGES, Case, section

SECTIONS = ["What it checks", "Why it matters", "Example", "Corrected", "Options"]
BY_HAND = {
    "MP999": "a fault of the tool cannot be had by a table; test_fault_of_the_tool makes one",
    "MP737": "a calculator of another package; tests/unit/test_meshes_calculators.py registers one",
    "MP812": "an extra that is not installed; tests/unit/test_mechanisms.py hides it",
}


def test_pages() -> None:
    for code, rule in RULES.items():
        page = (PAGES / f"{code}.md").read_text(encoding="utf-8")
        assert page.startswith(f"# {code} {rule.name}\n\nSeverity: {rule.severity}\n\n")
        assert re.findall(r"^\*\*(.+)\*\*$", page, re.MULTILINE) == SECTIONS, code
        assert all(section(page, title).strip() for title in SECTIONS), code
        assert max(map(len, page.splitlines())) <= 140, code


def test_no_page_without_a_rule() -> None:
    assert {path.stem for path in PAGES.glob("*.md")} == set(RULES)


def test_no_folder_without_a_rule() -> None:
    assert {path.name for path in FIXTURES.iterdir()} <= {f"{code}-{rule.name}" for code, rule in RULES.items()}


def test_rules_have_cases() -> None:
    assert {code for code in RULES if {case.kind for case in ALL if case.code == code} != {"bad", "good"}} == {*BY_HAND}


ANSWERS: dict[object, tuple[list[str], list[Finding], Any]] = {}
"""Command line, findings and answer of builders; one that is near to several rules runs once."""


def answer_of(
    case: Case, folder: Path, monkeypatch: pytest.MonkeyPatch, massprops: Callable[..., Any]
) -> tuple[list[str], list[Finding], Any]:
    """Run the command line of a case; give it, the findings it made and its answer."""
    command, made, usual = case.arguments(folder), list[Finding](), Finding.__init__

    def noted(one: Finding, *values: Any, **named: Any) -> None:
        usual(one, *values, **named)
        made.append(one)

    monkeypatch.setattr(Finding, "__init__", noted)
    return command, made, massprops(*command)


FURTHER = {
    "MP520": "a_period_without_geometry one_reaction an_offer_with_a_value a_scale_that_is_not_stated"
    " a_unit_of_length_for_a_mass",
    "MP527": "shapes_next_to_their_cells",
    "MP630": "a_base_of_another_name a_row_of_no_item",
    "MP632": "a_fill_above_all a_condition_of_the_name_all",
    "MP633": "two_rows_of_an_item burned_after_it_was_dropped",
    "MP656": "two_corners an_axis_without_a_name a_length_in_kilograms",
    "MP670": "two_limits_that_leave_nothing sigmas_that_the_table_does_not_state",
    "MP671": "a_negative_stock",
    "MP672": "the_root",
    "MP802": "two_numbers_for_three dimensions_in_an_expression",
    "MP841": "the_root_with_an_item_two_levels_down",
    "MP844": "parts_without_the_one_between",
    "MP845": "a_file_of_something_else",
    "MP850": "a_file_that_includes_another",
    "MP852": "elements_nested_too_deeply",
    "MP855": "a_plane a_negative_density",
    "MP857": "a_density_of_zero",
    "MP859": "skipped",
    "MP897": "the_same_run_twice",
}
"""Cases that run lines which few others run: in the ordinary run, as the first bad and the first good one of a rule."""


def usual_first() -> list[Any]:
    """Give all cases; slow are most that are neither the first bad nor the first good one of a rule."""
    found, seen = [], set[tuple[str, str]]()
    for case in ALL:
        is_usual = (case.code, case.kind) not in seen or case.origin in FURTHER.get(case.code, "").split()
        seen.add((case.code, case.kind))
        found.append(pytest.param(case, marks=() if is_usual else pytest.mark.slow))
    return found


@pytest.mark.parametrize("case", usual_first(), ids=str)
def test_case(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, massprops: Callable[..., Any]) -> None:
    monkeypatch.chdir(tmp_path)
    if case.source not in ANSWERS:
        ANSWERS[case.source] = answer_of(case, tmp_path, monkeypatch, massprops)
    command, made, result = ANSWERS[case.source]
    assert "Traceback" not in result.output
    assert isinstance(result.exception, SystemExit | None)
    assert result.exit_code in (0, 1, 2)
    reported = set(re.findall(r"\bMP\d{3}\b", result.output))
    assert (case.code in reported) == (case.kind == "bad"), result.output
    assert "MP999" not in reported
    known, remedies = options_of(command), {one.remedy for one in made if one.rule == case.code}
    if case.kind == "bad" and unknown_options(known, remedies):  # hints may be of a finding that was not reported
        (folder := tmp_path / "again").mkdir()
        monkeypatch.chdir(folder)
        again = massprops(*case.arguments(folder), "--format", "json").output
        report = json.JSONDecoder().raw_decode(again[again.index("{") :])[0] if '"findings"' in again else {}
        remedies = {one.get("remedy", "") for one in report.get("findings", ()) if one["rule"] == case.code}
        assert unknown_options(known, remedies) == set()


def options_of(words: list[str]) -> set[str]:
    """Give the options of the command of a command line."""
    return {f"--{one.name}" for one in command_record(command_name(current_words(words)[0])).options} | {"--help"}


def unknown_options(known: set[str], remedies: Iterable[str]) -> set[str]:
    """Return the options of hints that are neither of the command nor of another one that the hint writes in full."""
    found = set()
    for remedy in remedies:
        foreign = re.findall(r"massprops ((?:parts |robot )?[\w-]+)", remedy)
        others = {f"--{one.name}" for name in foreign for one in command_record(name).options}
        found |= set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", remedy)) - known - others
    return found


def test_fault_of_the_tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, massprops: Callable[..., Any]) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("of no one's making")

    monkeypatch.setattr("massprops_cli.bom.bom.Bom.read", fail)
    (tmp_path / "bom.csv").write_text("id,parent,mass\nWing,,1\n")
    result = massprops("validate", tmp_path / "bom.csv")
    assert result.exit_code == 2
    assert "MP999" in result.output
    assert "Traceback" not in result.output
