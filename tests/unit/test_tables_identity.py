"""Ids are text, compared exactly; what is wrong with them is reported with its place."""

from __future__ import annotations

import numpy as np
import pytest

from massprops_cli.files.table import GridTable, TableSource
from massprops_cli.findings.finding import Finding, Findings
from massprops_cli.tables.columns.columns import read_columns
from massprops_cli.tables.layouts.detection import read_hierarchy
from massprops_cli.tables.options import TableOptions
from massprops_cli.tables.rows.hierarchy import (
    Hierarchy,
    _likely_ids,
    _look_alike_ids,
    _text_with_code_points,
    _visual_text,
)


def parent_table(*rows: tuple[str, str]) -> tuple[Hierarchy, list[Finding]]:
    table = GridTable(TableSource("t.csv", "csv"), [["id", "parent", "mass"], *([*row, "1"] for row in rows)])
    columns = read_columns(table, TableOptions(), Findings())
    findings = Findings()
    return read_hierarchy(table, columns, TableOptions(), findings), findings


def rules(findings: list[Finding]) -> list[str]:
    return [finding.rule for finding in findings]


def test_ids_stay_text() -> None:
    hierarchy, findings = parent_table(("001", ""), ("1e5", "001"), ("NA", "001"), ("True", "NA"), ("1", "001"))
    assert findings == []
    assert list(hierarchy.ids) == ["001", "1e5", "NA", "True", "1"]
    assert hierarchy.parents.tolist() == [-1, 0, 0, 2, 0]


def test_na_is_an_id_like_any_other_and_not_a_blank() -> None:
    hierarchy, findings = parent_table(("a", ""), ("b", "NA"))
    assert hierarchy.parents.tolist() == [-1, -2]
    assert rules(findings) == ["MP305"]


@pytest.mark.parametrize("blank", ["NULL", "NaN", r"\N", "#N/A", "(null)", "<NA>", "-", "—"])
def test_the_blank_of_a_program_is_the_parent_of_none(blank: str) -> None:
    hierarchy, findings = parent_table(("a", blank), ("b", "a"))
    assert hierarchy.parents.tolist() == [-1, 0]
    assert [(f.rule, f.severity.value) for f in findings] == [("MP229", "note")]
    assert parent_table((blank, ""), ("b", blank))[0].parents.tolist() == [-1, 0]  # an id like any other


@pytest.mark.parametrize("open_parent", ["TBD", "?", "tbc"])
def test_a_parent_that_is_not_known_yet_is_no_root(open_parent: str) -> None:
    assert rules(parent_table(("a", ""), ("b", open_parent))[1]) == ["MP305"]


def test_case_makes_two_ids() -> None:
    hierarchy, findings = parent_table(("a", ""), ("A", "a"), ("b", "A"))
    assert findings == []
    assert hierarchy.parents.tolist() == [-1, 0, 1]


def test_padding_is_trimmed_in_ids_and_parents_and_reported() -> None:
    hierarchy, findings = parent_table(("a ", ""), ("b", "\u00a0a"), ("c", "a"))
    assert list(hierarchy.ids) == ["a", "b", "c"]
    assert hierarchy.parents.tolist() == [-1, 0, 0]
    assert [(f.rule, f.severity.value, f.place.row, f.value) for f in findings] == [
        ("MP303", "warning", 2, "a "),
        ("MP303", "warning", 3, "\u00a0a"),
    ]


def test_a_duplicate_names_every_row() -> None:
    hierarchy, findings = parent_table(("a", ""), ("b", "a"), ("b", "a"), ("c", "b"), ("b", "a"))
    assert rules(findings) == ["MP301"]
    assert findings[0].count == 3
    assert {findings[0].place.row, *(p.row for p in findings[0].related)} == {3, 4, 6}
    assert hierarchy.parents.tolist()[3] == 1


def test_an_empty_id_is_reported_and_a_blank_row_is_not_a_row() -> None:
    table = GridTable(
        TableSource("t.csv", "csv"),
        [["id", "parent", "mass"], ["a", "", ""], ["", "a", "2"], [" ", "", ""], ["b", "a", "1"]],
    )
    columns = read_columns(table, TableOptions(), Findings())
    findings = Findings()
    hierarchy = read_hierarchy(table, columns, TableOptions(), findings)
    assert [(f.rule, f.place.row) for f in findings] == [("MP302", 3)]
    assert hierarchy.rows.tolist() == [1, 2, 4]


@pytest.mark.parametrize(
    ("one", "other", "shown"),
    [
        ("A-1", "\u0410-1", "U+0410"),
        ("Pump", "Pum\u200bp", "U+200B"),
        ("caf\u00e9", "cafe\u0301", "U+0301"),
        ("B 2", "B\u00a02", "U+00A0"),
        ("X1", "\uff381", "U+FF38"),
        ("P-3", "P\u20133", "U+2013"),
        ("Nut", "\u039dut", "U+039D"),
    ],
)
def test_look_alikes_show_their_code_points(one: str, other: str, shown: str) -> None:
    _, findings = parent_table(("top", ""), (one, "top"), (other, "top"))
    assert rules(findings) == ["MP304"]
    assert shown in findings[0].message
    assert {findings[0].place.row, findings[0].related[0].row} == {3, 4}


@pytest.mark.parametrize(("one", "other"), [("Пример", "Проба"), ("Räder", "Rader"), ("部品1", "部品2"), ("a", "A")])
def test_other_scripts_are_not_look_alikes_by_themselves(one: str, other: str) -> None:
    assert _look_alike_ids({one: 0, other: 1}, [one, other]) == []


def test_the_likely_parent_is_named() -> None:
    _, findings = parent_table(("Wing", ""), ("a", "wing"), ("b", "\u0057\u0456ng"), ("c", "Wnig"), ("d", "zzz"))
    assert rules(findings) == ["MP305"] * 4
    remedies = [f.remedy for f in findings]
    assert all("write Wing as the parent" in remedy for remedy in remedies[:3])
    assert "U+0456" in findings[1].message
    assert "Wing" not in remedies[3]


def test_one_unknown_parent_is_reported_once_with_all_its_rows() -> None:
    _, findings = parent_table(("a", ""), ("b", "x"), ("c", "x"), ("d", "x"))
    assert [(f.rule, f.count, f.place.row, len(f.related)) for f in findings] == [("MP305", 3, 3, 2)]


def test_thousands_of_faults_do_not_make_thousands_of_findings() -> None:
    rows = [("a", ""), *((f"b{i}", f"x{i}") for i in range(3000))]
    _, findings = parent_table(*rows)
    assert len(findings) == 1000
    assert sum(f.count for f in findings) == 3000


def test_the_nearest_of_many_ids() -> None:
    ids = [f"PART-{i:06d}" for i in range(2_000)]
    assert _likely_ids(["PXRT-000007", "zzz"], ids) == {"PXRT-000007": "PART-000007"}


def test_what_is_seen() -> None:
    assert _visual_text("\u0410\u200b1") == "A1"
    assert _text_with_code_points("a\u0410b") == "a U+0410 b"
    assert np.array_equal([_visual_text("plain")], ["plain"])


def test_a_parent_of_unseen_characters_is_blank_and_reported() -> None:
    hierarchy, findings = parent_table(("a", "\u200b"), ("b", "a"))
    assert hierarchy.parents.tolist() == [-1, 0]
    assert rules(findings) == ["MP303"]


def test_an_id_that_is_an_error_of_the_spreadsheet_is_rejected() -> None:
    _, findings = parent_table(("a", ""), ("#REF!", "a"), ("b", "#REF!"))
    assert [(f.rule, f.place.row) for f in findings] == [("MP117", 3)]
