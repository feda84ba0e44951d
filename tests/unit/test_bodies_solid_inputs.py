"""Dimensions as text, and the table of materials."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from massprops_cli.bodies.solid_inputs import DimensionText, find_material, parse_dims, read_materials
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
