"""Tables of shapes without columns of mass, centre and inertia: read, and written with such columns."""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path

import numpy as np
import pytest

import massprops_cli as mp

SHAPES = """id,parent,shape,dims,density,tx [mm],ty [mm],tz [mm],roll [deg],pitch [deg],yaw [deg],frame
TOP,,,,,,,,,,,own
arm,TOP,,,,1000,0,0,0,0,90,own
bar,arm,box,a=100 mm; b=50 mm; c=20 mm,2700 kg/m3,100,0,0,0,0,0,own
ball,TOP,sphere,r=3 cm,1 g/cm3,0,0,50,0,0,0,own
"""


def bom_of(text: str, **options: object) -> mp.Bom:
    return mp.read_bom(io.BytesIO(text.encode()), **options)


def expected_top() -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, centre and tensor about the centre in kg and mm: a bar turned by a quarter about z, and a ball."""
    bar, ball = 2700 * 0.1 * 0.05 * 0.02, 1000 * 4 / 3 * math.pi * 0.03**3
    masses, places = np.array([bar, ball]), np.array([[1000.0, 100, 0], [0, 0, 50]])
    center = masses @ places / masses.sum()
    turned = bar / 12 * np.diag([100**2 + 20**2, 50**2 + 20**2, 100**2 + 50**2])
    tensor = turned + 0.4 * ball * 30**2 * np.eye(3)
    for mass, place in zip(masses, places, strict=True):
        d = place - center
        tensor += mass * (d @ d * np.eye(3) - np.outer(d, d))
    return float(masses.sum()), center, tensor


def check_top(result: mp.Result) -> None:
    mass, center, tensor = expected_top()
    top = result["TOP"]
    assert top.mass == pytest.approx(mass, rel=1e-13)
    np.testing.assert_allclose(top.center, center, rtol=1e-12)
    np.testing.assert_allclose(top.inertia, tensor, rtol=1e-12, atol=1e-9)


def test_values_are_in_kg_and_the_unit_of_the_positions() -> None:
    bom = bom_of(SHAPES)
    check_top(mp.rollup(bom))
    assert bom.columns.by_quantity["Cx"].unit == "mm"


@pytest.mark.parametrize("suffix", ["csv", "xlsx", "json", "parquet"])
def test_written_tables_have_the_columns_and_read_back(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"out.{suffix}"
    mp.rollup(bom_of(SHAPES)).save(path)
    again = mp.rollup(mp.read_bom(path))
    check_top(again)
    assert not [one for one in again.findings if one.rule in ("MP203", "MP224", "MP404")]
    if suffix == "csv":
        rows = list(csv.DictReader(path.read_text().splitlines()))
        tensor = [f"I{axes} [kg*mm^2]" for axes in ("xx", "yy", "zz", "xy", "xz", "yz")]
        assert list(rows[0])[12:] == ["mass [kg]", "Cx [mm]", "Cy [mm]", "Cz [mm]", *tensor, "POIconv"]
        assert float(rows[0]["mass [kg]"]) == pytest.approx(expected_top()[0])
        assert float(rows[0]["Ixy [kg*mm^2]"]) == pytest.approx(expected_top()[2][0, 1])
        assert [row["POIconv"] for row in rows] == ["-", "-", "", ""]


def test_the_input_file_gets_the_columns(massprops, tmp_path: Path) -> None:
    path = tmp_path / "bom.csv"
    path.write_text(SHAPES)
    assert massprops("rollup", path, "--in-place").exit_code == 0
    first = path.read_text()
    assert first.splitlines()[0].startswith(SHAPES.splitlines()[0] + ",mass [kg],Cx [mm]")
    assert massprops("rollup", path, "--in-place").exit_code == 0
    assert path.read_text() == first


def test_units_of_options_are_those_of_the_columns() -> None:
    plain = SHAPES.replace(" [mm]", "")
    without = bom_of(plain)
    assert {"MP203", "MP701"} <= {one.rule for one in without.findings}
    read = bom_of(plain, unit={"length": "mm", "mass": "g"})
    top = mp.rollup(read)["TOP"]
    mass, center, tensor = expected_top()
    assert top.mass == pytest.approx(1000 * mass, rel=1e-13)
    np.testing.assert_allclose(top.center, center, rtol=1e-12)
    np.testing.assert_allclose(top.inertia, 1000 * tensor, rtol=1e-12, atol=1e-6)


def test_units_of_the_result_may_be_others(tmp_path: Path) -> None:
    mp.rollup(bom_of(SHAPES, units="SI")).save(tmp_path / "si.csv")
    row = next(csv.DictReader((tmp_path / "si.csv").read_text().splitlines()))
    mass, center, tensor = expected_top()
    assert float(row["mass [kg]"]) == pytest.approx(mass)
    assert float(row["Cx [m]"]) == pytest.approx(center[0] / 1000)
    assert float(row["Ixz [kg*m^2]"]) == pytest.approx(tensor[0, 2] / 1e6)


def test_shapes_at_the_origin_are_in_kg_and_metres() -> None:
    body = mp.rollup(bom_of("id,parent,shape,dims,density\nT,,,,\nA,T,sphere,r=5 mm,1 g/cm3\n"))["T"]
    mass = 1000 * 4 / 3 * math.pi * 0.005**3
    assert body.mass == pytest.approx(mass)
    np.testing.assert_allclose(np.diag(body.inertia), 0.4 * mass * 0.005**2, rtol=1e-12)


@pytest.mark.parametrize("dims", ["r=2", "r=2±0.1 (k=2)", "r=2±0.1 (uniform)", "r=2e0", "R=2"])
def test_without_any_unit_numbers_are_coherent(dims: str) -> None:
    bom = bom_of(f"id,parent,shape,dims,density\nT,,,,\nA,T,sphere,{dims},3\n")
    assert bom.columns.by_quantity["mass"].unit == ""
    if dims[0] == "r":
        assert mp.rollup(bom)["T"].mass == pytest.approx(3 * 4 / 3 * math.pi * 8)


@pytest.mark.parametrize(
    ("header", "row"),
    [("dims [mm],density [g/cm3]", "r=5,1"), ("dims,density [g/cm3]", "r=5 mm,1"), ("dims,material", "r=5 mm,water")],
)
def test_units_in_headers_and_materials(header: str, row: str, tmp_path: Path) -> None:
    (tmp_path / "m.toml").write_text('[[material]]\nname = "water"\ndensity = 1000\nsource = "made"\n')
    text = f"id,parent,shape,{header}\nT,,,,\nA,T,sphere,{row}\n"
    options = {"materials": str(tmp_path / "m.toml")} if "material" in header else {}
    assert mp.rollup(bom_of(text, **options))["T"].mass == pytest.approx(1000 * 4 / 3 * math.pi * 0.005**3)


def test_a_stated_mass_has_its_unit_and_scales_the_tensor() -> None:
    body = mp.rollup(bom_of("id,parent,mass [g],shape,dims\nT,,,,\nA,T,250,sphere,r=5 mm\n"))["T"]
    assert body.mass == 250
    np.testing.assert_allclose(np.diag(body.inertia), 0.4 * 250 * 0.005**2, rtol=1e-12)


def test_a_table_of_masses_with_some_shapes_remains_one_of_masses() -> None:
    bom = bom_of("id,parent,mass [kg],shape,dims,density\nT,,,,,\nA,T,,sphere,r=5 cm,1 g/cm3\nB,T,3,,,\n")
    assert "Cx" not in bom.columns.by_quantity
    assert [one.rule for one in bom.findings if one.severity.name == "ERROR"] == ["MP701"]


def test_a_file_of_a_mesh_needs_no_columns(tmp_path: Path) -> None:
    corners = [(0, 0, 0), (30, 0, 0), (0, 30, 0), (0, 0, 30)]
    faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    lines = [f"v {x} {y} {z}" for x, y, z in corners] + ["f " + " ".join(str(k + 1) for k in face) for face in faces]
    (tmp_path / "part.obj").write_text("\n".join(lines) + "\n")
    path = tmp_path / "bom.csv"
    path.write_text("id,parent,mesh,mesh_units,density\nT,,,,\nA,T,part.obj,mm,2700 kg/m3\n")
    body = mp.rollup(mp.read_bom(path))["T"]
    assert body.mass == pytest.approx(2700 * 0.03**3 / 6, rel=1e-12)
    np.testing.assert_allclose(body.center, [0.0075] * 3, rtol=1e-12)


def test_other_columns_keep_their_meaning() -> None:
    """``shape`` without ``dims`` is no shape."""
    bom = bom_of("id,parent,mass,shape\nT,,,\nA,T,2,round\n")
    assert "Cx" not in bom.columns.by_quantity
    assert mp.rollup(bom)["T"].mass == 2


def test_a_fault_is_at_the_cell_of_the_shape() -> None:
    faults = [one for one in bom_of(SHAPES.replace("r=3 cm", "r=-3 cm")).findings if one.severity.name == "ERROR"]
    assert [(one.rule, one.place.line, one.place.column) for one in faults] == [("MP701", 5, "dims")]


@pytest.mark.parametrize(
    ("level", "share"), [("uniform", 1 / math.sqrt(3)), ("2", 0.5), ("3", 1 / 3), ("k=2", 0.5), ("1.5σ", 2 / 3)]
)
def test_level_of_tolerances_that_state_none(level: str, share: float) -> None:
    """A sphere: the mass has three times the share of the radius, and a density of its own level keeps it."""
    text = "id,parent,shape,dims,density\nT,,,,\nA,T,sphere,r=50±0.5 mm,1000±10 kg/m3 (k=1)\n"
    body = mp.rollup(bom_of(text, tolerances_are=level))["T"]
    assert body.sigma_mass / body.mass == pytest.approx(math.hypot(3 * 0.01 * share, 0.01))
    assert "MP701" in {one.rule for one in bom_of(text).findings}


@pytest.mark.parametrize("level", ["0", "-1", "two", "nan", "0.0"])
def test_levels_that_are_none(level: str) -> None:
    with pytest.raises(mp.UsageError, match="of 'tolerances-are' is not known"):
        bom_of("id,parent,shape,dims,density\nT,,,,\nA,T,sphere,r=5 mm,1 g/cm3\n", tolerances_are=level)


def test_level_of_tolerances_of_a_mesh_and_in_a_command(massprops, tmp_path: Path) -> None:
    corners = [(0, 0, 0), (30, 0, 0), (0, 30, 0), (0, 0, 30)]
    faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    lines = [f"v {x} {y} {z}" for x, y, z in corners] + ["f " + " ".join(str(k + 1) for k in face) for face in faces]
    (tmp_path / "part.obj").write_text("\n".join(lines) + "\n")
    path = tmp_path / "bom.csv"
    path.write_text("id,parent,mesh,mesh_units,density,mesh_scale\nT,,,,,\nA,T,part.obj,mm,2700±27 kg/m3,1±0.002\n")
    body = mp.rollup(mp.read_bom(path, tolerances_are="2"))["T"]
    assert body.sigma_mass / body.mass == pytest.approx(math.hypot(0.005, 3 * 0.001))
    assert massprops("rollup", path, "--tolerances-are", "2").exit_code == 0
    assert massprops("rollup", path).exit_code == 1
    (tmp_path / "massprops.toml").write_text('[read]\ntolerances-are = "2"\n')
    assert massprops("rollup", path).exit_code == 0
