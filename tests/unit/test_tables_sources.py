"""Where a header's meaning comes from."""

from __future__ import annotations

import pytest

from massprops_cli.tables.columns.headings import read_heading


@pytest.mark.parametrize(
    ("text", "quantity", "source"),
    [
        ("ITEM NO.", "item", "SolidWorks"),
        ("bl_level_starting_0", "level", "Teamcenter"),
        ("총 질량", "line_mass", "AutoCAD, Korean"),
        ("총 질량 [kg]", "line_mass", "AutoCAD, Korean"),
        ("Ext. (kg)", "line_mass", "engineers' sheets"),
        ("mass", "mass", ""),
        ("Ixx [kg*m^2]", "Ixx", ""),
        ("Stufe", "level", "SAP, STPOX-STUFE: level in multi-level BOM explosions"),
        ("Supplier", "", ""),
    ],
)
def test_source_is_the_one_in_the_data_file(text: str, quantity: str, source: str) -> None:
    heading = read_heading(text)
    assert (heading.quantity, heading.source) == (quantity, source)


def test_remark_behind_a_synonym_does_not_hide_its_source() -> None:
    assert read_heading("Weight (lb)").source == read_heading("Weight").source != ""
