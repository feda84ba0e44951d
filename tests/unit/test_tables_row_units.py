"""Columns that hold the units of the numbers next to them, row by row."""

from __future__ import annotations

import numpy as np
import pytest
from bom_tables import bom_of, only, reported

from massprops_cli.bom.bom import Bom
from massprops_cli.bom.rollup import rollup
from massprops_cli.findings.finding import Findings
from massprops_cli.tables.cells.units import Units

HEADER = "id parent qty mass Unit"
# 14.2 kg + 3 x 870 g + 2 x 1.15 kg
ROBOT = ["top . . . .", "base top 1 14.2 kg", "drive top 3 870 g", "tube top 2 1.15 kg"]


def masses(bom: Bom) -> list[float]:
    """Give the masses in the table's coherent unit, in the order of the rows."""
    return bom.bodies.mass[np.argsort(bom.rows)].tolist()


def test_each_mass_is_in_the_unit_next_to_it():
    bom = bom_of(HEADER, *ROBOT)
    assert masses(bom)[1:] == pytest.approx([14.2, 0.87, 1.15])
    assert bom.units == Units("kg", "", "", True)
    assert rollup(bom).root.mass == pytest.approx(19.11)
    assert (
        "Unit contains the units of mass: kg, g; results without one are in kg" in only(bom.findings, "MP234").message
    )
    assert not reported(bom.findings, "MP219")  # no quantity has a unit of measure


def test_units_are_next_to_the_masses_in_a_column_without_a_name():
    rows = [{"id": "a", "mass": "10", "": "kg"}, {"id": "b", "mass": "3500", "": "g"}]
    bom = Bom.from_records(rows)
    assert rollup(bom).root.mass == 13.5
    assert only(bom.findings, "MP234").message.startswith("column 3 contains the units of mass: kg, g")


@pytest.mark.parametrize("cells", [("kg", "as weighed"), ("OK", "g")])
def test_remarks_next_to_the_masses_are_no_units(cells):
    bom = Bom.from_records([{"id": f"part {cell}", "mass": "1", "": cell} for cell in cells])
    assert not reported(bom.findings, "MP234")


@pytest.mark.parametrize("unit", ["m", "ea", "pcs"])
def test_units_of_measure_are_those_of_quantities(unit):
    bom = bom_of(HEADER, "top . . . .", f"a top 2 3 {unit}")
    assert not reported(bom.findings, "MP234")
    assert bom.quantity.measured.any() == (unit == "m")


def test_units_of_mass_at_the_right_of_quantities_have_two_readings():
    # 20 g of what weighs 0.001 (kg) a gram, or 20 pieces of 0.001 g
    finding = only(bom_of("id parent qty Unit mass", "top . . . .", "a top 20 g 0.001").findings, "MP235")
    assert finding.remedy == "state it with --map mass_unit=Unit or --map uom=Unit"


def test_units_of_mass_next_to_quantities_and_masses_are_a_question():
    rows = "id parent qty Unit mass", "top . . . .", "a top 3 g 870", "b top 1 kg 14.2"
    assert reported(bom_of(*rows).findings, "MP235")
    assert masses(bom_of(*rows, map={"mass_unit": "Unit"}))[1:] == [870, 14200]
    assert reported(bom_of("id parent qty UoM mass", "top . . . .", "a top 3 g 870").findings, "MP235")


def test_a_name_states_whose_the_unit_is():
    rows = "top . . . .", "a top 3 g 870"
    assert masses(bom_of("id parent qty uom mass", *rows))[1] == 870
    assert not bom_of("id parent qty uom mass", *rows).units.stated
    assert bom_of("id parent qty mass_unit mass", *rows).units.mass == "g"
    assert bom_of("id parent qty Unit mass", *rows, map={"mass_unit": "Unit"}).units.mass == "g"
    assert not reported(bom_of("id parent qty Unit mass", *rows, map={"uom": "Unit"}).findings, "MP235")


def test_two_columns_called_unit_next_to_quantity_and_mass():
    from massprops_cli.files.table import GridTable, TableSource
    from massprops_cli.tables.columns.columns import read_columns
    from massprops_cli.tables.options import TableOptions

    rows = [["id", "qty", "Unit", "mass", "Unit"], ["a", "6.5", "m", "120", "g"], ["b", "2", "ea", "1", "kg"]]
    findings = Findings()
    columns = read_columns(GridTable(TableSource("a.csv", "csv"), rows), TableOptions(), findings)
    assert (columns.by_quantity["uom"].index, columns.by_quantity["mass_unit"].index) == (2, 4)
    assert {finding.rule for finding in findings} == {"MP234"}


def test_coordinates_and_moments_have_unit_columns_too():
    header = "id parent mass Cx Cy Cz length_unit Ixx Iyy Izz Ixy Ixz Iyz inertia_unit"
    bom = bom_of(
        header, "top" + " ." * 13, "a top 2 1 2 3 m 1 2 2 0 0 0 kg*m^2", "b top 1 5 6 7 mm 8 9 9 0 0 0 kg*mm^2"
    )
    at = np.argsort(bom.rows)
    assert bom.bodies.center[at][1:] == pytest.approx(np.array([[1, 2, 3], [0.005, 0.006, 0.007]]))
    assert bom.bodies.inertia[at][2, 0] == pytest.approx(8e-6)
    assert bom.units == Units("kg", "m", "kg*m^2", True)


def test_sigmas_and_bounds_follow_their_masses():
    bom = bom_of("id parent mass mass_unit sigma_mass", "top . . . .", "a top 500 g 20", "b top 2 kg 0.1")
    assert bom.sigmas.mass[np.argsort(bom.rows)][1:] == pytest.approx([20, 100])
    bom = bom_of(
        "id parent mass mass_unit mass_min mass_max", "top" + " ." * 5, "a top 2 kg 1 3", "b top 500 g 440 560"
    )
    # a uniform distribution: its width over the root of 12
    assert bom.sigmas.mass[np.argsort(bom.rows)][1:] == pytest.approx(np.array([2, 0.12]) / 12**0.5)


@pytest.mark.parametrize(("unit", "words"), [("smoot", "not a unit of mass: smoot"), (".", "mass of c has no unit")])
def test_a_number_without_a_known_unit_is_an_error_of_its_own(unit, words):
    finding = only(bom_of("id parent mass Unit", "a . 1 kg", "b a 2 g", f"c a 3 {unit}").findings, "MP207")
    assert words in finding.message
    assert (finding.place.row, finding.place.column, finding.item) == (4, "Unit", "c")


def test_an_unknown_unit_next_to_quantities_could_be_one_of_measure():
    assert only(bom_of(HEADER, *ROBOT, "bolt top 1 3 smoot").findings, "MP235")


def test_a_blank_among_units_that_are_all_one_is_used_and_reported():
    bom = bom_of("id parent mass mass_unit", "top . . .", "a top 1 g", "b top 2 .")
    assert masses(bom)[1:] == [1, 2]
    assert "b" in only(bom.findings, "MP227").message


def test_a_header_that_states_another_unit_is_rejected():
    finding = only(bom_of("id parent mass_[kg] mass_unit", "top . . .", "a top 1 g", "b top 2 kg").findings, "MP209")
    assert finding.message == "mass_[kg] is in kg, and mass_unit states g"
    assert not reported(bom_of("id parent mass_[kg] mass_unit", "top . . .", "a top 1 kg").findings, "MP209")


def test_weights_row_by_row_need_the_option():
    rows = "top . . .", "a top 1 lbf", "b top 2 kg"
    assert reported(bom_of("id parent mass mass_unit", *rows).findings, "MP210")
    bom = bom_of("id parent mass mass_unit", *rows, as_weight=True)
    assert masses(bom)[2] == pytest.approx(2 / 0.45359237)


def test_brackets_in_a_row_of_units_are_no_part_of_them():
    from massprops_cli.bom.results.table_edit import rollup_table_edit

    rows = [
        {"id": "", "parent": "", "mass": "[g]"},
        {"id": "top", "parent": "", "mass": ""},
        {"id": "a", "parent": "top", "mass": "5"},
    ]
    assert Bom.from_records(rows).units.mass == "g"
    fills = rollup_table_edit(rollup(Bom.from_records(rows, units="SI"))).fills
    assert [list(fill.values) for fill in fills if fill.rows.tolist() == [1]] == [["[kg]"]]


def test_a_column_of_units_without_a_unit_or_a_quantity_is_reported():
    bom = bom_of("id parent mass mass_unit", "top . . .", "base top 2 .", "drive top 3 -")
    assert only(bom.findings, "MP225").message == "mass_unit is not read: no cell contains a unit"
    bom = bom_of("id parent mass length_unit", "top . . .", "base top 2 mm", "drive top 3 mm")
    message = only(bom.findings, "MP225").message
    assert message == "length_unit is not read: the table has no column such as Cx to apply the unit to"


def test_sigmas_that_are_not_requested_follow_no_unit():
    bom = bom_of("id parent mass sigma_mass mass_unit", "top . . . .", "base top 2 0.1 g", use_sigmas=False)
    assert only(bom.findings, "MP234").message.startswith("mass_unit contains the units of mass: g; ")
    assert only(bom.findings, "MP234").count == 1


@pytest.mark.parametrize(
    ("rows", "codes", "total"),
    [
        (["a 2 1250 GR", "b 1 2.5 KG", "c 3 750 GR"], set(), 7.25),
        (["a 2 1250 GR", "b 1 2.5 GR"], {"MP207"}, None),
        (["a 2 1250 GR", "b 1 2.5 LB"], {"MP207"}, None),
        (["a 2 1.5 st", "b 1 2.5 st"], set(), 5.5),
    ],
)
def test_units_next_to_masses_are_theirs_by_their_contents(rows, codes, total):
    """2 × 1.25 kg + 2.5 kg + 3 × 0.75 kg; alone, or next to pounds, GR may be a grain; pieces are no stones."""
    bom = bom_of("Part Qty Wt UoM", *rows)
    assert codes == {one.rule for one in bom.findings if one.severity.value == "error"}
    assert total is None or rollup(bom).root.mass == pytest.approx(total)
