"""The way back: what the new table holds, and what it does not."""

from __future__ import annotations

import numpy as np
import pytest

from massprops_cli.files.table import GridTable, TableSource, Value
from massprops_cli.findings.finding import Finding, Findings, UsageError
from massprops_cli.tables.columns.columns import read_columns
from massprops_cli.tables.layouts.detection import read_hierarchy
from massprops_cli.tables.layouts.layout_output import _item_numbers, layout_rows
from massprops_cli.tables.options import TableOptions


def convert(rows: list[list[Value]], layout: str) -> tuple[list[list[Value]], list[Finding]]:
    table = GridTable(TableSource("t.csv", "csv"), rows)
    columns = read_columns(table, TableOptions(), Findings())
    hierarchy = read_hierarchy(table, columns, TableOptions(), Findings())
    findings = Findings()
    new = layout_rows(hierarchy, table, columns, layout, findings)
    return [list(row) for row in new], findings


PARENT: list[list[Value]] = [
    ["id", "parent", "mass [kg]", "remark"],
    ["leaf", "wing", 2.5, "=A1"],
    ["top", "", None, ""],
    ["wing", "top", None, " x "],
    ["tail", "top", "007", "ü"],
]


def test_levels_are_depth_first_in_place_of_the_parent() -> None:
    rows, findings = convert(PARENT, "level")
    assert findings == []
    assert rows == [
        ["id", "level", "mass [kg]", "remark"],
        ["top", "0", "", ""],
        ["wing", "1", "", " x "],
        ["leaf", "2", 2.5, "=A1"],
        ["tail", "1", "007", "ü"],
    ]


def test_item_numbers_count_children() -> None:
    rows, _ = convert(PARENT, "dotted")
    assert [row[:2] for row in rows] == [
        ["id", "item"],
        ["top", "1"],
        ["wing", "1.1"],
        ["leaf", "1.1.1"],
        ["tail", "1.2"],
    ]


def test_the_same_layout_comes_back_unchanged() -> None:
    rows, _ = convert(PARENT, "parent")
    assert rows == [["" if cell is None else cell for cell in row] for row in PARENT]


def test_a_row_of_units_stays_below_the_header() -> None:
    rows, _ = convert([["level", "id", "mass"], ["", "", "kg"], ["0", "a", "1"], ["1", "b", "1"]], "parent")
    assert rows == [["parent", "id", "mass"], ["", "", "kg"], ["", "a", "1"], ["a", "b", "1"]]


def test_a_part_used_twice_becomes_two_rows_each_with_its_own_quantity() -> None:
    edges: list[list[Value]] = [
        ["parent", "child", "qty", "mass"],
        ["", "T", "", ""],
        ["T", "A", "3", ""],
        ["T", "N", "1", "0.5"],
        ["A", "N", "4", ""],
    ]
    rows, findings = convert(edges, "parent")
    assert findings == []
    at = {name: k for k, name in enumerate(rows[0])}
    held = {row[at["id"]]: row for row in rows[1:]}
    assert {name: row[at["parent"]] for name, row in held.items()} == {"T": "", "T/A": "T", "T/N": "T", "T/A/N": "T/A"}
    assert [held[name][at["qty"]] for name in ("T/N", "T/A/N")] == ["1", "4"]
    assert [held[name][at["mass"]] for name in ("T/N", "T/A/N")] == ["0.5", "0.5"]
    assert held["T/A/N"][at["part"]] == "N"


def test_rows_under_no_root_are_left_out_and_reported() -> None:
    rows, findings = convert([["id", "parent", "mass"], ["a", "", "1"], ["b", "x", "1"], ["c", "b", "1"]], "level")
    assert [row[0] for row in rows] == ["id", "a"]
    assert [(f.rule, f.count) for f in findings] == [("MP310", 2)]


def test_only_three_layouts_can_be_written() -> None:
    with pytest.raises(UsageError, match="outline"):
        convert(PARENT, "outline")


def test_item_numbers_too_long_to_write_are_rejected() -> None:
    n = 60_000
    assert _item_numbers(np.arange(-1, n - 1, dtype=np.int32), np.arange(n)) is None


@pytest.mark.parametrize("quantity", ["name", "part", "description"])
@pytest.mark.parametrize(
    ("names", "is_rejected"),
    [
        (["Top", "  Wing", "Tail"], True),  # indented, Tail would be a root
        (["Top", " Wing", " Tail"], False),
        (["Top", "Wing", "Tail"], False),
        (["Top", "Wing", "  Tail"], True),
        (["Top", "Wing", "\u00a0Tail"], True),
    ],
)
def test_names_that_begin_with_blanks_are_rejected_where_they_would_be_levels(
    quantity: str, names: list[str], is_rejected: bool
) -> None:
    levels = ("0", "1", "1")
    table: list[list[Value]] = [["level", quantity, "mass"], *([k, n, "1"] for k, n in zip(levels, names, strict=True))]
    rows, findings = convert(table, "columns")
    assert [finding.rule for finding in findings] == (["MP130"] if is_rejected else [])
    written = GridTable(TableSource("t.csv", "csv"), rows)
    reported = Findings()
    read = read_hierarchy(written, read_columns(written, TableOptions(), Findings()), TableOptions(), reported)
    assert any(finding.severity.value == "error" for finding in reported) is is_rejected
    assert read.parents.tolist() == [-1, 0, 0]
