"""Where a header's meaning comes from."""

from __future__ import annotations

import pytest

from massprops_cli.tables.columns.columns import synonym_source


@pytest.mark.parametrize(
    ("text", "quantity", "source"),
    [
        ("ITEM NO.", "item", "SolidWorks"),
        ("bl_level_starting_0", "level", "Teamcenter"),
        ("총 질량", "line_mass", "AutoCAD, Korean"),
        ("총 질량 [kg]", "mass", "AutoCAD, Korean"),
        ("Ext. (kg)", "mass", "engineers' sheets"),
        ("mass", "mass", ""),
        ("Ixx [kg*m^2]", "Ixx", ""),
        ("Stufe", "level", "SAP, STPOX-STUFE: level in multi-level BOM explosions"),
        ("Supplier", "", ""),
    ],
)
def test_source_is_the_one_in_the_data_file(text: str, quantity: str, source: str) -> None:
    assert synonym_source(text, quantity) == source


def test_remark_behind_a_synonym_does_not_hide_its_source() -> None:
    assert synonym_source("Weight (lb)", "mass") == synonym_source("Weight", "mass") != ""
