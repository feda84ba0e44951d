"""Headers that are repeated inside the table."""

from __future__ import annotations

import pytest

import massprops_cli as mp
from massprops_cli.bom.bom import Bom
from massprops_cli.files.table import GridTable, TableSource, Value
from massprops_cli.findings.finding import TableError

HEADER: list[Value] = ["Level", "Part Number", "Qty", "Mass [kg]"]
ABOVE: list[list[Value]] = [[0, "GANTRY", 1, None], [1, "BEAM", 1, 40], [1, "LEG", 2, 6]]


def bom_of(*rows: list[Value]) -> Bom:
    return Bom.from_table(GridTable(TableSource("a.xlsx", "xlsx", sheet="BOM"), rows))


@pytest.mark.parametrize(
    "again", [HEADER, ["LEVEL", "Part No.", "Qty.", "Mass (kg)"], ["Level", "Part\nNumber", "QTY", "Weight [kg]"]]
)
def test_a_header_that_is_repeated_is_not_an_item(again: list[Value]) -> None:
    bom = bom_of(HEADER, *ABOVE, again, [1, "HOIST", 1, 5.5], again)
    reported = [finding for finding in bom.findings if finding.rule == "MP255"]
    assert [(finding.count, finding.place.row) for finding in reported] == [(2, 5)]
    # 40 + 2 x 6 + 5.5
    assert not bom.has_errors
    assert mp.rollup(bom)["GANTRY"].mass == 57.5


def test_its_row_of_units_goes_with_it() -> None:
    units: list[Value] = ["", "", "", "g"]
    header: list[Value] = ["Level", "Part Number", "Qty", "Mass"]
    bom = bom_of(header, units, *ABOVE, header, units, [1, "HOIST", 1, 5.5])
    assert list(bom.ids) == ["GANTRY", "BEAM", "LEG", "HOIST"]
    assert not bom.has_errors


@pytest.mark.parametrize(
    ("again", "text"),
    [
        (["Level", "Part Number", "Qty", "Mass [g]"], "Mass [g]"),
        (["Level", "Part Number", "Mass [kg]", "Qty"], "Mass [kg]"),
    ],
)
def test_a_header_of_another_meaning_is_rejected(again: list[Value], text: str) -> None:
    bom = bom_of(HEADER, *ABOVE, again, [1, "HOIST", 1, 5.5])
    (reported,) = [finding for finding in bom.findings if finding.severity.value == "error"]
    assert (reported.rule, reported.place.row, reported.value) == ("MP256", 5, text)


def test_a_part_may_be_called_as_a_header_is() -> None:
    bom = bom_of(["id", "parent", "mass"], ["Rig", None, None], ["Mass", "Rig", 2], ["id", "Rig", 3])
    assert mp.rollup(bom)["Rig"].mass == 5


def test_in_a_long_table_the_same_header_is_found() -> None:
    rows: list[list[Value]] = [[1, f"P{i}", 1, 0.5] for i in range(6000)]
    rows.insert(3000, HEADER)
    bom = bom_of(HEADER, [0, "TOP", 1, None], *rows)
    assert [finding.rule for finding in bom.findings] == ["MP255"]
    assert mp.rollup(bom)["TOP"].mass == 3000


def test_below_a_blank_row_it_may_be_another_table() -> None:
    with pytest.raises(TableError) as rejected:
        bom_of(HEADER, *ABOVE, [], HEADER, [1, "HOIST", 1, 5.5])
    (finding,) = rejected.value.findings
    assert "--table 2" in finding.remedy
    assert "delete the second header" in finding.remedy


def test_a_heading_alone_among_numbers_is_a_cell_in_error() -> None:
    bom = bom_of(HEADER, *ABOVE, [1, "HOIST", 1, "Mass [kg]"])
    assert [finding.rule for finding in bom.findings if finding.severity.value == "error"] == ["MP205"]
    assert not [finding for finding in bom.findings if finding.rule == "MP255"]


def test_a_header_may_be_the_last_row_and_its_units_are_named_once() -> None:
    units: list[Value] = ["", "", "", "g"]
    header: list[Value] = ["Level", "Part Number", "Qty", "Mass"]
    assert list(bom_of(header, units, *ABOVE, header).ids) == ["GANTRY", "BEAM", "LEG"]


def test_the_places_of_all_of_them_are_reported() -> None:
    bom = bom_of(HEADER, *ABOVE, HEADER, [1, "HOIST", 1, 5.5], HEADER)
    (reported,) = [finding for finding in bom.findings if finding.rule == "MP255"]
    assert (reported.count, reported.place.row, [place.row for place in reported.related]) == (2, 5, [7])
