"""Columns that name the items of a weight statement or a budget, where none is called a name."""

from __future__ import annotations

import pytest

from massprops_cli.bom.bom import Bom
from massprops_cli.bom.rollup import rollup
from massprops_cli.findings.finding import TableError
from massprops_cli.tables.cells.number_text import words
from massprops_cli.tables.columns.headings import group_header_words, is_header_like, squeeze_text


def test_every_word_for_a_group_has_a_source_and_is_listed_once() -> None:
    entries = words("groups")["group"]
    assert all(len(entry["source"]) > 3 for entry in entries)
    assert len(group_header_words()) == sum(len(entry["texts"]) for entry in entries)
    assert "" not in {squeeze_text(text) for text in group_header_words()}


def test_groups_name_the_items_where_nothing_else_does() -> None:
    # MIL-STD-1374 lists weights by group
    bom = Bom.from_records([{"Group": "Wing", "Weight (lb)": "1500"}, {"Group": "Tail", "Weight (lb)": "300"}])
    assert {"Wing", "Tail"} <= set(bom.ids)
    assert rollup(bom).root.mass == 1800


def test_the_rightmost_group_names_items_and_the_others_stay_groups() -> None:
    rows = [("Bus", "Power", "20"), ("", "Thermal", "5"), ("Payload", "Camera", "30")]
    bom = Bom.from_records([dict(zip(("System", "Subsystem", "Mass [kg]"), row, strict=True)) for row in rows])
    assert rollup(bom)["Bus"].mass == 25
    assert rollup(bom).root.mass == 55


def test_a_unit_is_a_box_of_equipment_where_its_cells_are_no_units() -> None:
    bom = Bom.from_records([{"Unit": "Battery", "Qty": "2", "Mass [kg]": "10"}, {"Unit": "Radio", "Mass [kg]": "3"}])
    assert rollup(bom).root.mass == 23
    assert "Battery" in bom.ids


@pytest.mark.parametrize("cells", [("ea", "Battery"), ("2", "3")])
def test_units_of_measure_and_numbers_name_nothing(cells: tuple[str, str]) -> None:
    with pytest.raises(TableError, match="no columns for items"):
        Bom.from_records([{"Unit": cell, "Qty": "2", "Mass": "10"} for cell in cells])


def test_a_row_of_groups_and_masses_is_a_header() -> None:
    assert is_header_like(["Подсистема", "Масса (kg)"])
    assert is_header_like(["Name", "Gesamtgewicht [kg]"])
    assert not is_header_like(["Month", "Weight (kg)"])
    assert not is_header_like(["Group", "Cost"])
