"""Columns, their units and the factors that make a table coherent."""

from __future__ import annotations

from typing import Any

import pytest

from massprops_cli.files.table import GridTable, TableSource
from massprops_cli.findings.finding import Finding, Findings, Severity, UsageError
from massprops_cli.tables.columns.columns import TableColumns, read_columns
from massprops_cli.tables.options import TableOptions

CENTER = ("Cx", "Cy", "Cz")
TENSOR = ("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")


def read(*names: str, rows: tuple[tuple[str, ...], ...] = (), **options: Any) -> tuple[TableColumns, list[Finding]]:
    table = GridTable(TableSource("b.csv", "csv"), [list(names), *[list(row) for row in rows]])
    findings = Findings()
    return read_columns(table, TableOptions(**options), findings), findings


def ten(mass: str = "", length: str = "", inertia: str = "") -> list[str]:
    return [f"mass{mass}", *(f"{name}{length}" for name in CENTER), *(f"{name}{inertia}" for name in TENSOR)]


def factors(columns: TableColumns) -> dict[str, float]:
    return {quantity: column.factor for quantity, column in columns.by_quantity.items() if column.factor != 1.0}


def rules(findings: list[Finding]) -> list[str]:
    return [finding.rule for finding in findings]


def names(columns: TableColumns) -> tuple[str, str, str]:
    return columns.units.mass, columns.units.length, columns.units.inertia


def test_without_any_unit_the_numbers_are_read_as_they_are() -> None:
    columns, findings = read("id", "parent", *ten())
    assert findings == []
    assert not columns.units.stated
    assert factors(columns) == {}
    assert (columns.header_row, columns.first_row) == (0, 1)
    assert columns.by_quantity["Ixx"].index == 6
    assert columns.by_quantity["Ixx"].unit == ""


@pytest.mark.parametrize(
    ("mass", "length", "inertia"),
    [("kg", "mm", "kg*mm^2"), ("lb", "in", "lb-in²"), ("slinch", "in", "lbf·in·s²"), ("slug", "ft", "slug ft2"),
     ("slug", "ft", "lbf ft s²"), ("t", "mm", "t mm²"), ("g", "cm", "g cm2")],
)  # fmt: skip
def test_where_all_columns_agree_nothing_is_multiplied(mass: str, length: str, inertia: str) -> None:
    columns, findings = read("id", "parent", *ten(f" [{mass}]", f" [{length}]", f" [{inertia}]"))
    assert findings == []
    assert names(columns) == (mass, length, inertia)
    assert all(column.factor == 1.0 for column in columns.by_quantity.values())


def test_only_columns_that_disagree_are_multiplied() -> None:
    columns, findings = read("id", "parent", *ten(" [kg]", " [mm]", " [kg*m^2]"), "sigma_mass [g]", use_sigmas=True)
    assert factors(columns) == dict.fromkeys(TENSOR, 1e6) | {"sigma_mass": 1e-3}
    assert names(columns) == ("kg", "mm", "kg*mm^2")
    assert columns.by_quantity["Ixx"].unit == "kg*m^2"
    assert rules(findings) == ["MP504"]


def test_a_factor_between_inch_and_metre() -> None:
    columns, findings = read("id", "parent", "Mass [lb]", "Cx [m]", "Cy_in", "Cz [m]")
    assert factors(columns) == {"Cy": 0.0254}
    assert rules(findings) == ["MP208"]


def test_mixed_systems_name_the_column_that_mixes_them() -> None:
    """A sigma in inches among metric columns is the one to look at; sigmas in their value's own unit are not."""
    columns = ("mass [kg]", *(f"{name} [mm]" for name in CENTER), "sigma_Cx [in]", "sigma_Cy [mm]", "sigma_Cz [mm]")
    _, findings = read("id", "parent", *columns, use_sigmas=True)
    (mixed,) = [finding for finding in findings if finding.rule == "MP208"]
    assert mixed.message.endswith(": mass in kg, Cx in mm, Cy in mm, Cz in mm, sigma_Cx in in")


def test_units_in_a_row_below_the_header() -> None:
    columns, findings = read(
        "id", "parent", "mass", *CENTER, "cost",
        rows=(("-", "", "kg", "mm", "mm", "cm", "EUR"), ("a", "", "1", "2", "3", "4", "5")),
    )  # fmt: skip
    assert findings == []
    assert columns.first_row == 2
    assert names(columns) == ("kg", "mm", "kg*mm^2")
    assert factors(columns) == {"Cz": 10.0}


@pytest.mark.parametrize(
    "row",
    [("a", "", "kg", ""), ("", "", "5", "mm"), ("-", "-", "", ""), ("", "", "apples", ""), ("units", "top", "kg", "")],
)
def test_what_is_not_a_row_of_units(row: tuple[str, ...]) -> None:
    columns, _ = read("id", "parent", "mass", "Cx", rows=(row, ("a", "", "1", "2")))
    assert columns.first_row == 1


def test_an_unknown_unit_in_a_row_of_units() -> None:
    columns, findings = read(
        "id", "mass", *CENTER, rows=(("units", "kg", "mm", "mmm", "mm"), ("a", "1", "2", "3", "4"))
    )
    assert columns.first_row == 2
    assert rules(findings) == ["MP207"]
    assert findings[0].place.row == 2
    assert findings[0].value == "mmm"


def test_units_by_option_for_columns_and_groups() -> None:
    columns, findings = read(
        "id", *ten(), "kx", unit={"mass": "kg", "length": "m", "center": "mm", "Cz": "cm", "inertia": "kg mm^2"}
    )
    assert findings == []
    assert names(columns) == ("kg", "mm", "kg mm^2")
    assert factors(columns) == {"Cz": 10.0, "kx": 1000.0}


def test_an_option_replaces_a_unit_that_is_not_known() -> None:
    columns, findings = read("id", "mass [CBE]", unit={"mass": "lb"})
    assert findings == []
    assert columns.units.mass == "lb"


@pytest.mark.parametrize(
    ("header", "row", "unit", "reported"),
    [("mass [g]", "kg", {}, ["g in the header", "kg in the units row"]),
     ("mass [g]", "", {"mass": "kg"}, ["--unit mass=kg", "g in the header"]),
     ("mass", "g", {"mass": "kg"}, ["--unit mass=kg", "g in the units row"])],
)  # fmt: skip
def test_places_that_contradict_each_other(header: str, row: str, unit: dict[str, str], reported: list[str]) -> None:
    rows = (("", row), ("a", "1")) if row else (("a", "1"),)
    _, (finding,) = read("id", header, rows=rows, unit=unit)
    assert finding.rule == "MP209"
    assert all(text in finding.message for text in reported)


def test_places_that_state_the_same_in_other_words() -> None:
    columns, findings = read("id", "mass [lbm]", rows=(("", "lbs"), ("a", "1")), unit={"mass": "pound"})
    assert findings == []
    assert factors(columns) == {}


def test_an_unknown_unit_is_an_error_at_its_header() -> None:
    _, (finding,) = read("id", "mass [apples]")
    assert (finding.rule, finding.severity) == ("MP207", Severity.ERROR)
    assert finding.place.column == "mass [apples]"
    assert "--unit mass=kg" in finding.remedy


@pytest.mark.parametrize("header", ["Cx [kg]", "Ixx [mm^4]", "mass [mm]", "Ixx [kg*m]", "sigma_Cx [kg]"])
def test_a_unit_that_does_not_fit(header: str) -> None:
    assert "MP207" in rules(read("id", header)[1])


def test_a_ton_has_several_meanings() -> None:
    _, (finding,) = read("id", "mass [ton]")
    assert finding.rule == "MP207"
    assert "907" in finding.message


def test_a_force_is_not_a_mass_unless_it_is_stated() -> None:
    _, (finding,) = read("id", "Weight (lbf)")
    assert finding.rule == "MP210"
    assert "--config as-weight=true" in finding.remedy
    columns, findings = read("id", "Weight (lbf)", as_weight=True)
    assert findings == []
    assert (columns.units.mass, factors(columns)) == ("lb", {})
    columns, findings = read("id", "Weight (N)", as_weight=True)
    assert findings == []
    assert columns.units.mass == "kg"
    assert factors(columns)["mass"] == pytest.approx(1 / 9.80665, rel=1e-15)


def test_a_silent_column_takes_the_unit_that_fits_and_it_is_reported() -> None:
    columns, findings = read("id", *ten(" [kg]", "", " [kg*m^2]"))
    assert rules(findings) == ["MP227"]
    assert findings[0].severity is Severity.NOTE
    assert "Cx, Cy, Cz" in findings[0].message
    assert names(columns) == ("kg", "m", "kg*m^2")
    columns, findings = read("id", *ten(" [kg]", " [mm]", ""))
    assert rules(findings) == ["MP227"]
    assert names(columns) == ("kg", "mm", "kg*mm^2")
    assert factors(columns) == {}


def test_a_silent_sigma_is_in_its_values_unit() -> None:
    columns, findings = read(
        "id", "mass [kg]", "Cx [mm]", "Cy [cm]", "Cz [mm]", *(f"sigma_{n}" for n in ("mass", *CENTER))
    )
    assert set(rules(findings)) == {"MP227"}
    assert factors(columns) == {"Cy": 10.0, "sigma_Cy": 10.0}


def test_a_silent_column_next_to_two_units_of_its_kind_is_rejected() -> None:
    _, findings = read("id", "mass [kg]", "Cx [mm]", "Cy [cm]", "Cz")
    assert rules(findings) == ["MP207"]
    assert "Cz states no unit" in findings[0].message
    assert "--unit length=" in findings[0].remedy
    _, findings = read("id", "mass [kg]", "Cx [mm]", "Cy [cm]", "Cz [mm]", *TENSOR)
    assert rules(findings) == ["MP207"]
    assert "Ixx, Iyy, Izz" in findings[0].message
    assert rules(read("id", "mass [kg]", "Cx [mm]", "Cy [cm]", "Cz [mm]", "kx")[1]) == []


def test_a_silent_column_that_no_unit_fits_is_rejected() -> None:
    _, findings = read("id", *ten("", " [mm]", " [kg*m^2]"))
    assert rules(findings) == ["MP207"]
    assert "--unit mass=" in findings[0].remedy


def test_part_of_a_set_of_columns() -> None:
    _, findings = read("id", "mass", "Cx", "Cy", *TENSOR[:5])
    assert rules(findings) == ["MP212", "MP212"]
    assert "Cz" in findings[0].message
    assert "Iyz" in findings[1].message


def test_a_tensor_without_a_centre() -> None:
    assert rules(read("id", "mass", *TENSOR)[1]) == ["MP203"]


def test_sigma_columns_are_all_there_or_none() -> None:
    _, (finding,) = read("id", "mass", *CENTER, "sigma_mass", "sigma_Cx", "sigma_Cy")
    assert finding.rule == "MP504"
    assert "sigma_Cz" in finding.message
    assert read("id", "mass", *CENTER, "sigma_mass", use_sigmas=False)[1] == []
    _, (finding,) = read("id", "mass", "sigma_mass", "sigma_Cx")
    assert finding.rule == "MP504"
    assert "sigma_Cx" in finding.message


def test_rewriting_to_other_units() -> None:
    columns, findings = read("id", "Mass [lb]", "CG X (in)", "Cy_in", "Cz [in]", "cost", units="SI")
    assert rules(findings) == ["MP211"]
    assert "Mass [lb], CG X (in), Cy_in, Cz [in]: cells converted to kg, m" in findings[0].message
    assert names(columns) == ("kg", "m", "kg*m^2")
    assert columns.by_quantity["mass"].factor == 0.45359237
    assert columns.rewrite is not None
    assert columns.rewrite.factors == {1: 0.45359237, 2: 0.0254, 3: 0.0254, 4: 0.0254}
    assert columns.rewrite.header == {1: "Mass [kg]", 2: "CG X (m)", 3: "Cy_m", 4: "Cz [m]"}
    assert columns.rewrite.units_row_at is None


def test_rewriting_to_the_units_it_has_reports_nothing() -> None:
    columns, findings = read("id", "Mass [kg]", units="kg,mm")
    assert findings == []
    assert columns.rewrite is not None
    assert columns.rewrite.header == {}
    assert columns.rewrite.factors == {1: 1.0}


def test_rewriting_a_units_row_and_units_by_option() -> None:
    columns, _ = read("id", "mass", rows=(("", "lb"), ("a", "1")), units="kg,mm")
    assert columns.rewrite is not None
    assert columns.rewrite.header == {}
    assert (columns.rewrite.units_row, columns.rewrite.units_row_at) == ({1: "kg"}, 1)
    columns, _ = read("id", "mass", units="kg,mm", unit={"mass": "lb"})
    assert columns.rewrite is not None
    assert columns.rewrite.header == {1: "mass [kg]"}


def test_rewriting_what_has_no_units_is_rejected() -> None:
    _, (finding,) = read("id", "mass", units="SI")
    assert finding.rule == "MP207"
    assert "--unit" in finding.remedy
    with pytest.raises(UsageError):
        read("id", "mass [kg]", units="imperial")


def test_an_option_for_a_quantity_that_has_no_unit() -> None:
    _, (finding,) = read("id", "mass", unit={"centre": "mm"})
    assert finding.rule == "MP204"
    assert "nearest is center" in finding.message


def test_a_column_whose_unit_is_rejected_has_no_second_story() -> None:
    names = ["id", "parent", "mass [furlong]", "Cx [mm]", "Cy [mm]", "Cz [mm]"]
    assert rules(read(*names)[1]) == ["MP207"]
    sigmas = ["sigma_mass", "sigma_Cx [mm]", "sigma_Cy [mm]", "sigma_Cz [mm]"]
    assert rules(read(*names, *sigmas)[1]) == ["MP207"]
    assert rules(read(*names[:4], "Cy", "Cz")[1]) == ["MP207", "MP227"]


@pytest.mark.parametrize("header", ["mass [stone age]", "mass (stone age)", "mass [ stone age ]"])
def test_message_on_an_unknown_unit_names_it_once(header: str) -> None:
    (finding,) = read("id", "parent", header)[1]
    assert finding.message == "mass: not a unit of mass: stone age"
    assert finding.place.column == header
