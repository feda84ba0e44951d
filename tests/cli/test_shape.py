"""``massprops parts shape``: rows of solids against closed forms, their sigmas, and their faults."""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path

import pytest

from massprops_cli.bodies.solid_shapes import SHAPES

from .conftest import ROOT, assert_exit

STEEL = 7850.0


def numbers(text: str) -> dict[str, float]:
    """The numbers of the single row, by name without the unit."""
    (row,) = csv.DictReader(io.StringIO(text))
    return {name.split(" [")[0]: float(value) for name, value in row.items() if name not in ("id", "parent", "POIconv")}


def test_shape_prints_a_cylinder(run):
    result = run("parts", "shape", "cylinder", "r=50mm", "L=300mm", "material=steel")
    assert result.exit_code == 0
    header, row = result.output.splitlines()
    assert header.startswith("id,mass [kg],Cx [m],")
    assert header.endswith("Iyz [kg*m^2],POIconv")
    assert row.startswith("cylinder,")
    assert row.endswith(",0,0,0,-")
    of = numbers(result.output)
    m = STEEL * math.pi * 0.05**2 * 0.3
    assert of["mass"] == pytest.approx(m, rel=1e-14)
    assert of["Izz"] == pytest.approx(m * 0.05**2 / 2, rel=1e-14)
    assert of["Ixx"] == pytest.approx(m * (3 * 0.05**2 + 0.3**2) / 12, rel=1e-14)


def test_shape_axis_wall_and_units(run):
    result = run("parts", "shape", "sphere", "d=2in", "wall=0.25in", "density=1 g/cm3", "--units", "g,mm")
    of = numbers(result.output)
    volume = 4 / 3 * math.pi * (25.4**3 - (0.75 * 25.4) ** 3)
    assert of["mass"] == pytest.approx(volume / 1000, rel=1e-13)
    expected = 2 / 5 * of["mass"] * (25.4**5 - (0.75 * 25.4) ** 5) / (25.4**3 - (0.75 * 25.4) ** 3)
    assert of["Ixx"] == pytest.approx(expected, rel=1e-13)
    turned = numbers(run("parts", "shape", "rod", "L=2m", "A=1mm^2", "mass=3kg", "axis=x").output)
    assert [turned[name] for name in ("Ixx", "Iyy", "Izz")] == pytest.approx([0.0, 1.0, 1.0])


def test_shape_sigmas_follow_from_tolerances(run):
    result = run("parts", "shape", "cylinder", "r=50±0.6 mm (3σ)", "L=300 ± 3 mm (uniform)", "density=8000 kg/m3")
    of = numbers(result.output)
    s_r, s_L = 0.2e-3, 3e-3 / math.sqrt(3)
    m = 8000 * math.pi * 0.05**2 * 0.3
    assert of["sigma_mass"] == pytest.approx(m * math.hypot(2 * s_r / 0.05, s_L / 0.3), rel=1e-12)
    assert of["sigma_Izz"] == pytest.approx(m * 0.05**2 / 2 * math.hypot(4 * s_r / 0.05, s_L / 0.3), rel=1e-12)
    assert of["sigma_Cx"] == 0.0


def test_row_of_a_shape_pipes_into_rollup(run):
    row = run("parts", "shape", "box", "a=1m", "b=2m", "c=3m", "mass=12 ± 0.6 kg (2σ)", "id=BLOCK").output
    assert_exit(run("rollup", "-", input=row), 0, "BLOCK", "mass 12")
    # m (b² + c²)/12, m (a² + c²)/12, m (a² + b²)/12 with m = 12
    assert_exit(run("rollup", "-", "--format", "json", "-o", "-", "--to", "csv", input=row), 0, "13", "10", "5", "0.3")


def test_rows_of_shapes_form_one_table(run):
    one = run("parts", "shape", "sphere", "r=1m", "mass=2kg", "id=A").output
    two = run("parts", "shape", "sphere", "r=1m", "mass=3kg", "id=B", "no-header=true").output
    assert one.count("\n") == 2
    assert two.count("\n") == 1
    assert_exit(run("rollup", "-", "--layout", "flat", input=one + two), 0, "mass 5")
    child = run("parts", "shape", "sphere", "r=1m", "mass=3kg", "parent=TOP").output
    assert child.startswith("id,parent,mass [kg]")
    assert "sphere,TOP,3,0,0,0,1.2" in child


def test_names_of_several_words_need_no_quotes(run):
    """A spherical cap of r 5 mm and h 2 mm: V = π h² (3 r − h) / 3."""
    words = ("r=5mm", "h=2mm", "density=1000 kg/m3")
    texts = {run("parts", "shape", *name, *words).output for name in (("spherical", "cap"), ("spherical cap",))}
    assert len(texts) == 1
    assert numbers(texts.pop())["mass"] == pytest.approx(1000 * math.pi * 0.002**2 * (0.015 - 0.002) / 3, rel=1e-12)
    assert_exit(run("parts", "shape", "cylinder", "50mm", "L=3mm", "mass=1kg"), 2, "unknown shape 'cylinder 50mm'")


def test_mass_has_priority_over_density_and_material(run):
    given = run("parts", "shape", "sphere", "r=1m", "mass=2kg", "density=1 kg/m3", "material=steel")
    assert given.exit_code == 0
    assert "mass is used; density and material not used" in given.stderr
    assert "sphere,2,0,0,0,0.8,0.8,0.8" in given.stdout
    both = run("parts", "shape", "sphere", "r=1m", "density=3 kg/m3", "material=steel")
    assert "density is used; material not used" in both.stderr
    assert float(both.stdout.splitlines()[1].split(",")[1]) == pytest.approx(4 * math.pi, rel=1e-14)


def test_list_has_every_shape(run):
    lines = run("parts", "shape").output.splitlines()
    assert [next(name for name in SHAPES if line.startswith(f"{name}  ")) for line in lines] == list(SHAPES)
    drawings = [next(word for word in line.split() if word.startswith("docs/shapes/")) for line in lines]
    assert len(set(drawings)) == len(SHAPES)
    page = (Path(__file__).parents[2] / "docs" / "shapes.md").read_text("utf-8")
    for name, drawing in zip(SHAPES, drawings, strict=True):
        assert (Path(__file__).parents[2] / drawing).is_file()
        assert f"![{name}]({drawing.removeprefix('docs/')})" in page
    assert all(f" {dim}=" in line for line, shape in zip(lines, SHAPES.values(), strict=True) for dim in shape.dims)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("sphre", "r=1m", "mass=1kg"), "unknown shape 'sphre'; the nearest is sphere"),
        (("sphere", "mass=1kg"), "no dimensions are given"),
        (("sphere", "r=1m"), "mass, density and material are not stated"),
        (("sphere", "r=1", "mass=1kg"), "r has no unit; write a unit, such as 'r=50 mm'"),
        (("sphere", "r=1kg", "mass=1kg"), "unit of r is not valid: kg"),
        (("sphere", "r=1±0.1 m", "mass=1kg"), "level of ±0.1 of r is not stated"),
        (("sphere", "r=-1m", "mass=1kg"), "is not positive"),
        (("sphere", "r=1m", "mass=0kg"), "(mass=)"),
        (("sphere", "r=1m", "density=-2 kg/m3"), "(density=)"),
        (("sphere", "r=1m", "wall=2m", "mass=1kg"), "leaves no cavity in the sphere (wall=)"),
        (("sphere", "L=1m", "mass=1kg"), "a sphere has no dimension 'L'; it has r"),
        (("box", "a=1m", "b=1m", "mass=1kg"), "needs the dimension c"),
        (("rod", "L=1m", "A=1mm2", "mass=1kg", "axis=up"), "(axis=)"),
        (("sphere", "r=1m", "material=stel"), "unknown material 'stel'; the nearest is steel (material=)"),
        (("sphere", "r=1m", "mass=1kg", "--units", "kg"), "--units of a shape are a mass and a length"),
    ],
)
def test_faults_of_a_shape_are_usage_errors(run, words, message):
    assert_exit(run("parts", "shape", *words), 2, message)


@pytest.mark.parametrize("command", ["rollup", "convert"])
def test_table_command_on_a_mesh_names_the_command_for_it(command, run):
    assert_exit(run(command, ROOT / "sample_data" / "bracket.stl"), 2, "massprops parts shape FILE mesh-units=mm")
