"""Masses of assemblies below the table: reported next to what their parts give, and no items."""

from __future__ import annotations

import pytest

from massprops_cli.bom.bom import Bom
from massprops_cli.bom.rollup import rollup
from massprops_cli.files.table import GridTable, TableSource
from massprops_cli.findings.finding import TableError
from massprops_cli.tables.options import TableOptions

ROVER = [
    ["Parent", "Part", "Qty", "Mass [kg]"],
    ["", "ROVER", "1", ""],
    ["ROVER", "CHASSIS", "1", ""],
    ["CHASSIS", "TUB", "1", "6.4"],
    ["CHASSIS", "WHEEL", "6", "1.15"],
    ["", "", "", ""],
]


def read(*below: list[str]) -> Bom:
    return Bom.from_table(GridTable(TableSource("rover.csv", "csv"), [*ROVER, *below]), TableOptions())


def test_a_name_and_a_mass_below_the_table_are_reported_next_to_the_parts() -> None:
    result = rollup(read(["", "", "Chassis", "13.3"]))
    assert result.root.mass == pytest.approx(6.4 + 6 * 1.15)
    (one,) = result.totals
    assert (one.label, one.stated, one.agrees) == ("Chassis", 13.3, True)
    assert one.computed == pytest.approx(13.3)


def test_a_mass_of_an_assembly_below_the_table_that_no_reading_gives_is_a_warning() -> None:
    (finding,) = [finding for finding in read(["", "", "Chassis", "13.6"]).findings if finding.rule == "MP413"]
    assert "13.6 kg (computed: 13.3)" in finding.message


@pytest.mark.parametrize(
    "row",
    [
        ["", "", "Gearbox", "2"],  # no item of the table
        ["", "SPARE", "", "2"],  # in the column of item names
        ["", "", "Chassis", "13.3", "?"],  # has more words
    ],
)
def test_other_rows_below_stay_rows(row: list[str]) -> None:
    try:
        found = read(row).findings
    except TableError as error:
        found = error.findings
    assert not [finding for finding in found if finding.rule == "MP250"]
    assert [finding for finding in found if finding.severity.value == "error"]
