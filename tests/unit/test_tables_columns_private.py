"""Private functions of ``tables.columns``: worked examples."""

from __future__ import annotations

from massprops_cli.tables.cells.number_text import DEFAULT_CELL_RULES
from massprops_cli.tables.columns.cell_parts import (
    _center_headers,
    _listed_quantity_headers,
    _normalized_side,
    _replace_tuple_parts,
    _split_tuple,
    _tuple_parts,
)
from massprops_cli.tables.columns.column_units import _parse_unit_text
from massprops_cli.tables.columns.columns import _header_with_unit
from massprops_cli.tables.columns.headings import heading_sigma_levels
from massprops_cli.tables.columns.implied_columns import _parse_axis_header
from massprops_cli.tables.columns.inferred_columns import _is_single_piece, _is_unit_of_quantity
from massprops_cli.tables.columns.mass_headings import is_non_mass_heading, is_per_piece, mass_unit_heading
from massprops_cli.tables.columns.sigma_columns import (
    SigmaForm,
    _is_mostly_known,
    _is_percent_header,
    _read_percent_cells,
    _sigma_form_text,
    method_spellings,
)
from massprops_cli.tables.columns.table_location import (
    _clear_side_cells,
    _grouped_column_name,
    _join_header_texts,
    _wrapped_column_names,
    named_quantities,
)
from massprops_cli.tables.options import TableOptions


def test_parse_unit_text() -> None:
    assert _parse_unit_text("mass", "kg", TableOptions())[0].text == "kg"
    assert _parse_unit_text("mass", "mm", TableOptions())[1][:2] == ("MP207", "not a unit of mass: mm")


def test_normalized_side() -> None:
    assert _normalized_side(" Stbd. ") == "stbd"


def test_header_with_unit() -> None:
    assert _header_with_unit("Weight g [g] (2 sigma)", "g", "kg") == "Weight g [kg] (2 sigma)"
    assert _header_with_unit("mass_g", "g", "kg") == "mass_kg"


def test_is_expanded_uncertainty() -> None:
    assert heading_sigma_levels("U(mass) [kg]", "sigma_mass") == (0.0,)
    assert heading_sigma_levels("u(mass) [kg]", "sigma_mass") == ()


def test_is_non_mass_header() -> None:
    assert is_non_mass_heading("Weight factor")
    assert is_non_mass_heading("Mass limit (kg)")
    assert is_non_mass_heading("± kg")
    assert not is_non_mass_heading("Weight est.")


def test_mass_unit_header() -> None:
    assert mass_unit_heading("g") == ("g", False)
    assert mass_unit_heading("[kg]") == ("kg", False)
    assert mass_unit_heading("g/pc") == ("g", True)
    assert mass_unit_heading("kg each") == ("kg", True)
    assert mass_unit_heading("kg/m") == ("", False)


def test_parse_axis_header() -> None:
    assert _parse_axis_header("Xg (mm)") == ("g", "Cx", "mm")
    assert _parse_axis_header("z / in") == ("axis", "Cz", "in")
    assert _parse_axis_header("EL (m)") == ("easting", "Cz", "m")
    assert _parse_axis_header("Length X") == ("", "", "")


def test_is_single_piece() -> None:
    assert _is_single_piece("Each")
    assert _is_single_piece("1.000")
    assert not _is_single_piece("150 mm")


def test_is_unit_of_quantity() -> None:
    assert _is_unit_of_quantity("g", "mass")
    assert _is_unit_of_quantity("lbf", "mass")
    assert not _is_unit_of_quantity("ea", "mass")
    assert not _is_unit_of_quantity("m", "mass")
    assert _is_unit_of_quantity("ton", "mass", True)


def test_is_per_piece() -> None:
    assert is_per_piece("Mass each [kg]")
    assert is_per_piece("Gewicht je Stück")
    assert not is_per_piece("Airborne mass")


def test_is_mostly_known() -> None:
    assert _is_mostly_known(["E", "W", "calk", ""], method_spellings({}))
    assert not _is_mostly_known(["welded", "cast", "E"], method_spellings({}))


def test_sigma_form_text() -> None:
    assert _sigma_form_text(SigmaForm(2.0)) == "2 standard deviations"
    assert _sigma_form_text(SigmaForm(1.0, True)) == "percent of the value"


def test_read_percent_cells() -> None:
    cells, signs = _read_percent_cells(["15 %", "12,5", "many"], DEFAULT_CELL_RULES)
    assert [cell.value for cell in cells] == [15.0, 12.5, None]
    assert signs == [True, False, False]


def test_is_percent_header() -> None:
    assert _is_percent_header("MGA [%]")
    assert _is_percent_header("Growth, pct")
    assert not _is_percent_header("Growth")


def test_named_quantities() -> None:
    assert named_quantities(["Part", "Supplier", "Weight (lb)"], {}) == {0: "part", 2: "mass"}


def test_clear_side_cells() -> None:
    assert _clear_side_cells(["Part", "Mass", "", "Budget"], ["", "[kg]", "", "85"]) == (
        ["Part", "Mass", "", ""],
        ["", "[kg]", "", ""],
    )


def test_join_header_texts() -> None:
    assert _join_header_texts(["Part", "CG [mm]", "", "Identity"], ["", "X", "Y", "Mass"], {}) == [
        "Part",
        "CG X [mm]",
        "CG Y [mm]",
        "Mass",
    ]
    assert _join_header_texts(["Part", "CG [mm]", "", ""], ["", "X", "Y", "Supplier"], {}) == [
        "Part",
        "CG X [mm]",
        "CG Y [mm]",
        "Supplier",
    ]


def test_grouped_column_name() -> None:
    assert _grouped_column_name("CG (in)", "X") == "CG X (in)"
    assert _grouped_column_name("Mass", "") == "Mass"
    assert _grouped_column_name("", "Mass") == "Mass"


def test_wrapped_column_names() -> None:
    assert _wrapped_column_names(["Part", "Mass"], ["Number", "(kg)"], {}) == ["Part Number", "Mass (kg)"]
    assert _wrapped_column_names(["Part", "Mass"], ["", "(kg)"], {}) == []


def test_split_tuple() -> None:
    assert [(a, b) for a, b in _split_tuple("(1, 2.5, -3)", 3)] == [(1, 2), (4, 7), (9, 11)]
    assert _tuple_parts("1,5; 2,0; 3,5", 3) == ["1,5", "2,0", "3,5"]
    assert _tuple_parts("[1 2 3]", 3) == ["1", "2", "3"]
    assert _tuple_parts("Z: 3 X: 1 Y: 2", 3) == ["1", "2", "3"]
    assert _tuple_parts("1, 2", 3) is None
    assert _tuple_parts("1,2,3,4,5,6", 3) is None
    assert _tuple_parts("7", 3) is None


def test_tuple_parts() -> None:
    assert _tuple_parts("<1e3 0 -.5>", 3) == ["1e3", "0", "-.5"]


def test_replace_tuple_parts() -> None:
    assert _replace_tuple_parts("X=1 Y=2 Z=3", _split_tuple("X=1 Y=2 Z=3", 3), ["10", "0.5", "-3"]) == "X=10 Y=0.5 Z=-3"


def test_listed_quantity_headers() -> None:
    assert _listed_quantity_headers("2σ inertia", ["Ixx", "Iyy"]) == ("sigma Ixx (2σ)", "sigma Iyy (2σ)")
    assert _listed_quantity_headers("Tolerance", ["Cx", "Cy", "Cz"]) == ()


def test_center_headers() -> None:
    assert _center_headers("CG") == ("CG X", "CG Y", "CG Z")
    assert _center_headers("Center of Mass sigma")[2] == "Center of Mass Z sigma"
    assert _center_headers("CG margin") == ()
