"""Units: what is written, what it is, and the one system of a table."""

from __future__ import annotations

import math

import pytest

from massprops_cli.findings.finding import UsageError
from massprops_cli.tables.cells.units import (
    _LENGTH_UNITS,
    FORCE,
    INERTIA,
    LENGTH,
    MASS,
    MASS_UNITS,
    SIMPLE_UNITS,
    StatedUnit,
    Unit,
    _is_metric_unit,
    _simple_unit_names,
    ambiguous_unit,
    choose_unit_system,
    mass_unit_of_weight,
    parse_unit_system,
    read_unit,
    unit_of_dimension,
)

OTHERWISE_IN_PINT = {
    "lbsf": "lbf", "lb_f": "lbf", "kp": "kgf", "mms": "mm", "Millimeter": "mm", "cms": "cm", '"': "in", "″": "in",
    "'": "ft", "′": "ft", "gm": "g", "gms": "g", "gramme": "g", "grammes": "g", "Gramm": "g", "kgs": "kg", "kgs.": "kg",
    "kilo": "kg", "kilos": "kg", "kilogramme": "kg", "Kilogramm": "kg", "lbm": "lb", "lb_m": "lb", "lbsm": "lb",
    "ozm": "oz", "мг": "mg", "毫克": "mg", "г": "g", "гр": "g", "克": "g", "グラム": "g", "кг": "kg", "千克": "kg",
    "公斤": "kg", "キログラム": "kg", "т": "t", "吨": "t", "トン": "t", "LT": "long_ton", "мм": "mm", "毫米": "mm",
    "ミリメートル": "mm", "см": "cm", "厘米": "cm", "м": "m", "米": "m", "メートル": "m",
    "slinches": "slinch", "snail": "slinch", "mil": "thou", "mils": "thou",
}  # fmt: skip
SI_NAME = {MASS: "kg", LENGTH: "m", (0, 0, 1): "s", FORCE: "N"}


@pytest.fixture(scope="module")
def pint_size():
    import pint

    registry = pint.UnitRegistry()

    def size(text: str, si: str) -> float:
        return float(registry.Quantity(1.0, text).to(si).magnitude)

    return size


@pytest.mark.parametrize("name", sorted(SIMPLE_UNITS))
def test_the_table_is_equal_to_pints(name: str, pint_size) -> None:
    unit = SIMPLE_UNITS[name]
    theirs = pint_size(OTHERWISE_IN_PINT.get(name, name.removesuffix(".")), SI_NAME[unit.dimension])
    assert unit.numerator / unit.denominator == pytest.approx(theirs, rel=1e-15)


@pytest.mark.parametrize(
    ("text", "in_pint"),
    [
        ("kg*m^2", "kg*m**2"), ("kg·m²", "kg*m**2"), ("kg m2", "kg*m**2"), ("kg-m^2", "kg*m**2"),
        ("kg.mm²", "kg*mm**2"),
        ("kgm2", "kg*m**2"), ("kg_m2", "kg*m**2"), ("gmm2", "g*mm**2"), ("g mm^2", "g*mm**2"),
        ("t m²", "t*m**2"),
        ("lb*in^2", "lb*in**2"), ("lb-in²", "lb*in**2"), ("lbin2", "lb*in**2"), ("lbm ft2", "lb*ft**2"),
        ("slug*ft^2", "slug*ft**2"), ("slug ft²", "slug*ft**2"), ("lbf·in·s²", "lbf*in*s**2"),
        ("lbf in sec^2", "lbf*in*s**2"), ("lb-in-s^2", "lbf*in*s**2"), ("lbfins2", "lbf*in*s**2"),
        ("kg*(m^2)", "kg*m**2"),
        ("KG*MM^2", "kg*mm**2"), ("oz in^2", "oz*in**2"), ("m² kg", "kg*m**2"), ("[kg m^2]", "kg*m**2"),
        ("N m s^2", "N*m*s**2"), ("kg⋅m**2", "kg*m**2"), ("kgf·cm·s²", "kgf*cm*s**2"),
        ("stone*m^2", "stone*m**2"),
    ],
)  # fmt: skip
def test_inertias_in_many_writings(text: str, in_pint: str, pint_size) -> None:
    unit = unit_of_dimension(text, INERTIA)
    assert unit is not None
    assert unit.numerator / unit.denominator == pytest.approx(pint_size(in_pint, "kg*m**2"), rel=1e-14)


@pytest.mark.parametrize(
    ("text", "dimension"),
    [
        ("kg", LENGTH), ("mm", MASS), ("kg*m", INERTIA), ("mm^4", INERTIA), ("apples", MASS), ("", MASS),
        ("%", MASS),
        ("MG", MASS), ("ton", MASS), ("tons", MASS), ("lbmm2", INERTIA), ("kg m^2/", INERTIA),
        ("kg/m·m^3", INERTIA),
        ("kg**m", MASS), ("lbf", MASS), ("kg -", MASS), ("CBE", MASS), ("9**9**9", MASS), ("kg m 2", INERTIA),
        ("__import__('os')", MASS), ("a" * 1000, MASS), ("kg^", MASS), ("degC", MASS), ("dB", MASS),
        ("*kg", MASS),
    ],
)  # fmt: skip
def test_what_is_not_a_fitting_unit_is_none(text: str, dimension: tuple[int, int, int]) -> None:
    assert unit_of_dimension(text, dimension) is None


def test_rarer_units_go_through_pint_and_common_ones_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    assert unit_of_dimension("stone", MASS, common_only=True) is None
    stone = unit_of_dimension("stone", MASS)
    assert stone is not None
    assert stone.over(MASS_UNITS["lb"]) == pytest.approx(14, rel=1e-15)
    monkeypatch.setattr("massprops_cli.tables.cells.units._read_with_pint", lambda text: 1 / 0)
    assert unit_of_dimension("kg m2", INERTIA) is not None
    assert unit_of_dimension("kg", LENGTH) is None


def test_factors_are_exact_where_units_are_equal_and_nearest_elsewhere() -> None:
    assert _LENGTH_UNITS["in"].over(_LENGTH_UNITS["in."]) == 1.0
    assert _LENGTH_UNITS["ft"].over(_LENGTH_UNITS["in"]) == 12.0
    assert _LENGTH_UNITS["mm"].over(_LENGTH_UNITS["m"]) == 0.001
    assert MASS_UNITS["lb"].over(MASS_UNITS["kg"]) == 0.45359237
    assert MASS_UNITS["slug"].over(MASS_UNITS["lb"]) == pytest.approx(32.17404855643044, rel=1e-15)
    assert MASS_UNITS["slinch"].over(MASS_UNITS["slug"]) == 12.0


def test_names_within_a_unit() -> None:
    assert _simple_unit_names("kg·mm²") == ["kg", "mm"]
    assert _simple_unit_names("lbfins2") == ["lbf", "in", "s"]


@pytest.mark.parametrize(
    ("text", "mass", "length", "inertia"),
    [
        ("SI", "kg", "m", "kg*m^2"), ("si", "kg", "m", "kg*m^2"), ("kg,mm", "kg", "mm", "kg*mm^2"),
        ("lb, in", "lb", "in", "lb*in^2"), ("slug,ft", "slug", "ft", "slug*ft^2"),
    ],
)  # fmt: skip
def test_systems_by_name(text: str, mass: str, length: str, inertia: str) -> None:
    units = parse_unit_system(text).units
    assert (units.mass, units.length, units.inertia, units.stated) == (mass, length, inertia, True)


@pytest.mark.parametrize("text", ["", "imperial", "kg,", "mm,kg", "kg,mm,s", "kg,apples"])
def test_a_system_that_is_none_is_a_wrong_call(text: str) -> None:
    with pytest.raises(UsageError, match="--units"):
        parse_unit_system(text)


def stated(**texts: str) -> dict[str, StatedUnit]:
    kinds = {"mass": MASS, "Cx": LENGTH, "kx": LENGTH, "Ixx": INERTIA, "sigma_mass": MASS, "Cy": LENGTH}
    found = {}
    for quantity, text in texts.items():
        unit = unit_of_dimension(text, kinds[quantity])
        assert unit is not None
        found[quantity] = StatedUnit(text, unit)
    return found


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ({"mass": "kg", "Cx": "mm", "Ixx": "kg mm²"}, ("kg", "mm", "kg mm²")),
        ({"mass": "kg", "Cx": "mm", "Ixx": "kg m²"}, ("kg", "mm", "kg*mm^2")),
        ({"kx": "m", "Cx": "mm", "mass": "g"}, ("g", "mm", "g*mm^2")),
        ({"sigma_mass": "g", "mass": "kg", "Cx": "m"}, ("kg", "m", "kg*m^2")),
        ({"mass": "lb", "Ixx": "lb in^2"}, ("lb", "in", "lb in^2")),
        ({"mass": "slinch", "Ixx": "lbf in s^2"}, ("slinch", "in", "lbf in s^2")),
        ({"Cx": "in", "Ixx": "lbf in s^2"}, ("slinch", "in", "lbf in s^2")),
        ({"Cx": "mm", "Ixx": "kg mm^2"}, ("kg", "mm", "kg mm^2")),
        ({"Cx": "mm", "Ixx": "kg m^2"}, ("", "mm", "kg m^2")),
        ({"mass": "lb", "Ixx": "kg m^2"}, ("lb", "", "kg m^2")),
        ({"Ixx": "kg m^2"}, ("kg", "m", "kg m^2")),
        ({"Ixx": "lbf in s^2"}, ("", "", "lbf in s^2")),
        ({"mass": "kg"}, ("kg", "", "")),
    ],
)
def test_the_system_of_a_table(given: dict[str, str], names: tuple[str, str, str]) -> None:
    units = choose_unit_system(stated(**given)).units
    assert (units.mass, units.length, units.inertia) == names
    assert units.stated


def test_weights_under_standard_gravity() -> None:
    for text, name, kilograms in (("lbf", "lb", 0.45359237), ("kgf", "kg", 1.0), ("N", "N", 1 / 9.80665)):
        weight = mass_unit_of_weight(text)
        assert weight is not None
        assert weight.text == name
        assert math.isclose(weight.unit.over(MASS_UNITS["kg"]), kilograms, rel_tol=1e-15)
    assert mass_unit_of_weight("kg") is None


def test_metric() -> None:
    assert _is_metric_unit(MASS_UNITS["mg"])
    assert not _is_metric_unit(MASS_UNITS["oz"])
    assert _is_metric_unit(Unit(0, 1, 0, 1, 100))
    assert read_unit("kg/m").dimension == (1, -1, 0)


@pytest.mark.parametrize("name", ["st", "ST", "St.", "sts", "[st]", "ton", "Tons"])
def test_names_of_several_units_of_mass_are_not_read(name: str) -> None:
    assert unit_of_dimension(name, MASS) is None
    assert ambiguous_unit(name) is not None


@pytest.mark.parametrize("name", ["short ton", "short tons", "short_ton", "Short Ton"])
def test_a_short_ton_is_2000_pounds_and_a_stone_14(name: str) -> None:
    short, stone, long_ton = (unit_of_dimension(text, MASS) for text in (name, "stone", "long tons"))
    assert short is not None
    assert stone is not None
    assert long_ton is not None
    assert [unit.over(MASS_UNITS["lb"]) for unit in (short, stone, long_ton)] == pytest.approx(
        [2000, 14, 2240], rel=1e-14
    )
    assert unit_of_dimension("short ton", LENGTH) is None
    assert ambiguous_unit(name) is None
