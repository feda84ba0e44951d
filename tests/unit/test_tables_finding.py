"""The table in a sheet: what stands around it is left out and said, and what may be an item never is."""

from __future__ import annotations

import pytest

import massprops_cli as mp
from massprops_cli.bom.bom import Bom
from massprops_cli.files.grid import GridTable, Value
from massprops_cli.files.table import Source
from massprops_cli.files.view import View
from massprops_cli.findings import Finding
from massprops_cli.tables.finding_table.find import find_table
from massprops_cli.tables.options import TableOptions

HEADER = ["id", "parent", "mass"]
ROWS: list[list[Value]] = [["Wing", None, None], ["Spar", "Wing", 12.5], ["Rib", "Wing", 0.4]]


def sheet(*rows: list[Value]) -> GridTable:
    return GridTable(Source("a.xlsx", "xlsx", sheet="BOM"), rows)


def found_in(*rows: list[Value]) -> tuple[GridTable | View, list[Finding]]:
    table, findings = find_table(sheet(*rows), TableOptions())
    assert isinstance(table, GridTable | View)
    return table, findings


def mass_of(bom: Bom) -> float:
    assert not bom.has_errors, bom.findings
    return float(mp.rollup(bom).rollup.bodies.mass[int(bom.tree.order[0])])


def test_a_table_by_itself_is_taken_as_it_is() -> None:
    table = sheet(HEADER, *ROWS)
    assert find_table(table, TableOptions()) == (table, [])


@pytest.mark.parametrize(
    "remarks",
    [
        [["Note: masses are estimates"]],
        [["* without fasteners"], ["prepared by J. Doe"]],
        [["1. All masses in kg"], [], ["see drawing 17"]],
    ],
)
def test_remarks_below_a_blank_row_are_no_items(remarks: list[list[Value]]) -> None:
    table, findings = found_in(HEADER, *ROWS, [], *remarks)
    assert [finding.rule for finding in findings] == ["MP240"]
    assert findings[0].count == sum(bool(row) for row in remarks)
    assert findings[0].place.row == 6
    assert all(text == "" for i in range(4, table.n_rows) for text in table.row(i))
    assert mass_of(Bom.from_table(sheet(HEADER, *ROWS, [], *remarks))) == pytest.approx(12.9)


@pytest.mark.parametrize(
    "row",
    [
        ["Hinge"],
        ["Aileron, left hand"],
        ["Note: spare rib", "Wing"],
        ["Prepared by:", "J. Doe"],
        ["Note: spare rib", None, 0.4],
        ["Note: spare rib", None, "~0.4 kg"],
        ["a:1", "x", "y"],
    ],
)
def test_what_may_be_an_item_stays(row: list[Value]) -> None:
    table, findings = found_in(HEADER, *ROWS, [], row)
    assert (isinstance(table, GridTable), findings) == (True, [])


def test_a_remark_without_a_blank_row_above_it_stays() -> None:
    assert found_in(HEADER, *ROWS, ["Note: masses are estimates"])[1] == []


def test_a_row_that_others_name_as_their_parent_stays() -> None:
    rows = [["Spar", "Assy: Wing", 12.5], ["Rib", "Assy: Wing", 0.4], [], ["Assy: Wing"]]
    assert found_in(HEADER, *rows)[1] == []
    assert mass_of(Bom.from_table(sheet(HEADER, *rows))) == pytest.approx(12.9)


@pytest.mark.parametrize("layout", ["level", "dotted", "indented"])
def test_separator_rows_are_no_items(layout: str) -> None:
    tables: dict[str, list[list[Value]]] = {
        "level": [["level", "id", "mass"], ["0", "Wing"], [], ["1", "Spar", 12.5], [], [" "], ["1", "Rib", 0.4]],
        "dotted": [["item", "name", "mass"], ["1", "Wing"], [], ["1.1", "Spar", 12.5], [], ["1.2", "Rib", 0.4]],
        "indented": [["name", "mass"], ["Wing"], [], ["  Spar", 12.5], [], ["  Rib", 0.4]],
    }
    assert mass_of(Bom.from_table(sheet(*tables[layout]))) == pytest.approx(12.9)
