"""Dimensions as text, and the table of materials."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest

from massprops_cli.bodies.solid_inputs import (
    DimensionText,
    SolidInput,
    SolidInputError,
    find_material,
    parse_dims,
    parse_solid,
    read_materials,
    solid_bodies,
)
from massprops_cli.findings.finding import ConfigError, UsageError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("r=50±0.5 mm; L=300 mm", [("r", 50, 0.5, None, "mm"), ("L", 300, None, None, "mm")]),
        ("r = 50 ; L = 300", [("r", 50, None, None, ""), ("L", 300, None, None, "")]),
        ("r=50, L=300 mm", [("r", 50, None, None, ""), ("L", 300, None, None, "mm")]),
        ("a=1e-3m\nb=.5 m", [("a", 0.001, None, None, "m"), ("b", 0.5, None, None, "m")]),
        ("d=2 in +/- 0.01", [("d", 2, 0.01, None, "in")]),
        ("d=2 in +-0.01 in (2σ)", [("d", 2, 0.01, 2.0, "in")]),
        ("d=2±0.01 (k=3) in", [("d", 2, 0.01, 3.0, "in")]),
        ("d=2±0.01 in (uniform)", [("d", 2, 0.01, "uniform", "in")]),
        ("d=2±0.01(s)", [("d", 2, 0.01, 1.0, "")]),
        ("d=200 mm ± 2 %", [("d", 200, 4.0, None, "mm")]),
        ("h=-3 µm", [("h", -3, None, None, "µm")]),
        ("h=\u22123\u00a0cm", [("h", -3, None, None, "cm")]),
        ('L=12"', [("L", 12, None, None, '"')]),
        ("r1:5;r2:4;", [("r1", 5, None, None, ""), ("r2", 4, None, None, "")]),
    ],
)
def test_dimensions(text: str, expected: list[tuple]) -> None:
    assert [(d.name, d.value, d.tolerance, d.level, d.unit) for d in parse_dims(text)] == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("50 mm", "'50 mm' is not a dimension; write name = value ± tolerance unit"),
        ("r=50,5 mm", "'r=50,5 mm' is not a dimension; use a decimal point"),
        ("r=50 mm ± 0.5 in", "has two units, in and mm; write one"),
        ("r=5 m m", "has two units, m and m; write one"),
        ("r=50; r=60", "dimension r is given twice"),
        ("r=50 (2σ)", "has a level without a tolerance"),
        ("r=50±1 (often)", "level 'often' of 'r=50±1 (often)' is not known"),
        ("r=50±1 (0σ)", "level '0σ'"),
        ("r=50±1 ()", "level ''"),
        ("r=50±-1", "is not a dimension"),
        (" ", "no dimensions are given"),
    ],
)
def test_other_texts_are_rejected(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=re.escape(message)):
        parse_dims(text)


def test_sigma_follows_from_the_level() -> None:
    assert DimensionText("r", 50.0, 0.6, 3.0).sigma() == pytest.approx(0.2)
    assert DimensionText("r", 50.0, 0.6, "uniform").sigma() == pytest.approx(0.6 / 3**0.5)
    assert DimensionText("r", 50.0).sigma() is None
    assert DimensionText("r", 50.0, 0.6).sigma(2) == pytest.approx(0.3)
    assert DimensionText("r", 50.0, 0.6, 3.0).sigma("uniform") == pytest.approx(0.2)
    with pytest.raises(UsageError, match=r"level of ±0.6 of r is not stated"):
        DimensionText("r", 50.0, 0.6).sigma()


TO_KG_PER_M3 = {
    "g/cm3": 1000.0,
    "kg/m3": 1.0,
    "lb/in3": 0.45359237 / 0.0254**3,
    "lb/ft3": 0.45359237 / 0.3048**3,
    "kN/m3": 1000 / 9.80665,
}


def test_every_density_is_the_published_figure() -> None:
    materials = read_materials()
    assert len(materials) >= 60
    for one in materials.values():
        match = re.fullmatch(r"([\d.]+)(?: to ([\d.]+))? (\S+)", one.published)
        assert match, one
        low, high = float(match[1]), float(match[2] or match[1])
        factor = TO_KG_PER_M3[match[3]]
        assert one.density == pytest.approx((low + high) / 2 * factor, rel=2e-5), one.name
        assert (one.half_range is None) == (match[2] is None), one.name
        if one.half_range is not None:
            assert one.half_range == pytest.approx((high - low) / 2 * factor, rel=1e-9)
        assert one.source


RANGES = {
    # ranges of the class, kg/m3, from handbooks: wider than its members, narrower than a slip of a digit or a unit
    r"aluminium( \d{4})?": (2600, 2900),
    r"steel.*|stainless steel.*|iron": (7600, 8100),
    r"A-286|inconel.*|nickel": (7800, 9000),
    r"titanium.*": (4300, 4700),
    r"magnesium.*": (1700, 1850),
    r"beryllium": (1800, 1900),
    r"copper|brass.*|beryllium copper.*": (8200, 9000),
    r"zinc|tin": (7000, 7400),
    r"molybdenum|silver|lead": (10000, 11500),
    r"tantalum|tungsten.*|gold|platinum": (16000, 22000),
    r"silicon|.*glass.*|fused silica|Zerodur": (2150, 2600),
    r"alumina.*": (3800, 4000),
    r"PEEK|POM|PA66|polycarbonate|PMMA|ABS|PLA|polyimide film": (1000, 1500),
    r"CFRP.*": (1500, 1650),
    r"aluminium honeycomb.*": (20, 200),
    r"timber.*": (300, 700),
    r".*concrete": (2200, 2600),
    r"water|sea water|ice|hydrazine": (900, 1050),
    r"liquid oxygen": (1130, 1150),
    r"liquid hydrogen": (70, 72),
    r"liquid methane": (415, 430),
}


def test_every_density_has_a_source_and_is_in_the_range_of_its_class() -> None:
    for one in read_materials().values():
        found = [limits for pattern, limits in RANGES.items() if re.fullmatch(pattern, one.name)]
        assert len(found) == 1, one.name
        low, high = found[0]
        assert low <= one.density <= high, one.name
        assert len(one.source) > 10
        assert one.source[0].isupper()


def test_page_lists_every_material_with_its_source() -> None:
    page = (Path(__file__).parents[2] / "docs" / "internals" / "materials.md").read_text("utf-8")
    for one in read_materials().values():
        (row,) = (line for line in page.splitlines() if line.startswith(f"|{one.source}|"))
        materials = row.removeprefix(f"|{one.source}|").removesuffix("|").split("; ")
        (entry,) = (text for text in materials if re.match(rf"{re.escape(one.name)} [(\d]", text))
        assert f"{one.density:.10g}" in entry


def test_names_of_materials() -> None:
    assert find_material("AL-6061").name == find_material("aluminium 6061").name == "aluminium 6061"
    assert find_material("Mild  Steel").density == 7850
    with pytest.raises(UsageError, match="unknown material 'stell'; the nearest is steel"):
        find_material("stell")
    words = [
        re.sub(r"[\s_-]+", "", word).casefold()
        for one in read_materials().values()
        for word in (one.name, *one.aliases)
    ]
    assert len(set(words)) == len(words)


def test_own_table_is_added(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(
        '[[material]]\nname = "steel"\ndensity = 7840\nsource = "own"\n[[material]]\nname = "glue"\ndensity = 1100\n'
    )
    table = read_materials(path)
    assert (table["steel"].density, table["glue"].density, table["copper"].density) == (7840, 1100, 8960)
    assert read_materials()["steel"].density == 7850
    assert find_material("Glue", table).density == 1100


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1", "no [[material]] entries"),
        ("[[material]]\ndensity = 1", "material 1: no name"),
        ('[[material]]\nname = "a"\ndensity = 0', "density of a is not a positive number in kg/m3: 0"),
        ('[[material]]\nname = "a"\ndensity = "7.8"', "not a positive number"),
        ('[[material]]\nname = "a"\ndensty = 1', "unknown key 'densty'; the nearest is density"),
        ("[[material", "own.toml: "),
    ],
)
def test_wrong_tables_are_rejected(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "own.toml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=re.escape(message)):
        read_materials(path)
    with pytest.raises(ConfigError, match=r"missing\.toml"):
        read_materials(tmp_path / "missing.toml")


def metre(name: str, unit: str, powers: tuple[int, int, int]) -> float:
    return {"mm": 1e-3, "cm": 1e-2, "kg/m3": 1.0, "kg": 1.0}[unit]


def test_cells_of_a_solid_are_coherent_numbers() -> None:
    cells = {
        "shape": "prism",
        "dims": "n=6; a=20 mm; L=1 cm",
        "mass": "2 ± 0.2 kg (2σ)",
        "axis": "0, 3, 4",
        "density": "1",
    }
    solid = parse_solid(cells, metre)
    assert solid.values == pytest.approx({"n": 6.0, "a": 0.02, "L": 0.01, "mass": 2.0})
    assert solid.sigmas == pytest.approx({"mass": 0.1})
    assert (solid.axis, solid.source, solid.unused) == ((0.0, 3.0, 4.0), "mass", ("density",))


@pytest.mark.parametrize(
    ("changed", "column", "message"),
    [
        ({"mass": "heavy"}, "mass", "mass is not a number with a unit: 'heavy'"),
        ({"mass": "2 kg ± 1 mm"}, "mass", "has two units"),
        ({"mass": "", "density": ""}, "density", "one of them is needed"),
        ({"axis": "a b c"}, "axis", "three numbers, not 'a b c'"),
        ({"axis": "w"}, "axis", "axis"),
        ({"shape": "spher"}, "shape", "spher"),
        ({"dims": "r=1 mm; r=2 mm"}, "dims", "dimension r is given twice"),
    ],
)
def test_fault_of_a_solid_names_its_cell(changed: dict[str, str], column: str, message: str) -> None:
    with pytest.raises(SolidInputError, match=re.escape(message)) as caught:
        parse_solid({"shape": "sphere", "dims": "r=10 mm", "mass": "1 kg"} | changed, metre)
    assert caught.value.column == column


def test_fault_that_names_its_cell_already_is_kept() -> None:
    def unreadable(name: str, unit: str, powers: tuple[int, int, int]) -> float:
        raise SolidInputError("wall", "unit is not known")

    with pytest.raises(SolidInputError) as caught:
        parse_solid({"shape": "sphere", "dims": "r=10 mm", "mass": "1 kg"}, unreadable)
    assert caught.value.column == "wall"


def test_bodies_of_solids_next_to_faults() -> None:
    """A ball of 5 kg and radius 2 m has 2/5 m r² = 8 kg·m²; solids that no body can have are named."""
    ball = SolidInput("sphere", {"r": 2.0, "mass": 5.0}, {}, "z", "mass")
    wrong = ball._replace(values={"r": -2.0, "mass": 5.0})
    unknown = ball._replace(values={"R": 2.0, "q": 1.0, "mass": 5.0})
    ten, covariances, faults, _ = solid_bodies([wrong, ball, unknown, wrong._replace(values={"d": -1.0, "mass": 5.0})])
    assert ten[1, 4:7].tolist() == [8.0, 8.0, 8.0]
    assert np.isnan(ten[[0, 2, 3]]).all()
    assert not covariances.any()
    assert sorted({row for row, _, _ in faults}) == [0, 2, 3]


def test_range_of_a_density_is_uniform() -> None:
    """A published range has the standard deviation of a uniform distribution, half of it over √3."""
    name, material = next((name, one) for name, one in read_materials().items() if one.half_range)
    solid = parse_solid({"shape": "sphere", "dims": "r=10 mm", "material": name}, metre)
    assert solid.values["density"] == material.density
    assert solid.sigmas["density"] == pytest.approx(material.half_range / 3**0.5)


@pytest.mark.parametrize(
    ("level", "sigma"), [("uniform", 0.6 / math.sqrt(3)), ("2", 0.3), ("2σ", 0.3), ("k=3", 0.2), ("", None)]
)
def test_level_of_a_tolerance_that_states_none(level: str, sigma: float | None) -> None:
    cells = {"shape": "cylinder", "dims": "r=5±0.6; L=9±0.8 (k=2)", "density": "2", "tolerances": level}
    if sigma is None:
        with pytest.raises(SolidInputError, match=r"level of ±0\.6 of r is not stated"):
            parse_solid(cells, lambda *_: 1.0)
    else:
        assert parse_solid(cells, lambda *_: 1.0).sigmas == pytest.approx({"r": sigma, "L": 0.4})
