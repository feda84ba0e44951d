"""Meshes in tables and on the command line against closed forms."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import massprops_cli as mp
from massprops_cli.files.meshes import mesh_file
from tests.mesh_examples import DEFECTS, ball, box, without, write_stl

UNITS = "mass [kg],Cx [m],Cy [m],Cz [m],Ixx [kg*m^2],Iyy [kg*m^2],Izz [kg*m^2],Ixy [kg*m^2],Ixz [kg*m^2],Iyz [kg*m^2]"
STEEL = 7850.0


def write_table(folder: Path, header: str, *rows: str, numbers: str = UNITS) -> Path:
    """A table of parts under one root: each row is its id, its ten numbers, and the cells after them."""
    blank = "," * 9
    lines = [f"id,parent,{numbers},POIconv,{header}", f"Top,,{blank},-{',' * (header.count(',') + 1)}"]
    for row in rows:
        name, _, rest = row.partition(",")
        lines.append(f"{name},Top,{blank},-,{rest}" if rest.count(",") == header.count(",") else f"{name},Top,{rest}")
    (folder / "bom.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder / "bom.csv"


def test_row_of_a_mesh_equals_a_box(tmp_path: Path) -> None:
    write_stl(tmp_path / "part.stl", box((100, 200, 300), at=(1000, 0, 0)))
    path = write_table(
        tmp_path, "mesh,mesh_units,mesh_scale,material", "Bar,part.stl,mm,,steel", "B2,part.stl,mm,2,steel"
    )
    bom = mp.read_bom(path)
    assert not bom.has_errors
    mass = STEEL * 0.006
    bar, large = mp.rollup(bom)["Bar"], mp.rollup(bom)["B2"]
    assert bar.mass == pytest.approx(mass, rel=1e-6)
    assert bar.center.tolist() == pytest.approx([1.0, 0.0, 0.0], rel=1e-6, abs=1e-9)
    assert bar.inertia[0, 0] == pytest.approx(mass / 12 * (0.2**2 + 0.3**2), rel=1e-6)
    assert large.mass == pytest.approx(8 * mass, rel=1e-6)
    assert large.inertia[0, 0] == pytest.approx(32 * bar.inertia[0, 0], rel=1e-9)
    assert bar.sigma_mass is None


def test_stated_mass_wall_and_place(tmp_path: Path) -> None:
    write_stl(tmp_path / "part.stl", ball(50.0, 64))
    rows = ("Shell,part.stl,mm,2,7850 kg/m3", "Set,3,0.5,0,0,,,,,,,-,part.stl,mm,,7850 kg/m3")
    bom = mp.read_bom(write_table(tmp_path, "mesh,mesh_units,thickness [mm],density", *rows))
    result = mp.rollup(bom)
    assert result["Shell"].mass == pytest.approx(STEEL * 4 * np.pi * 0.05**2 * 0.002, rel=2e-3)
    assert result["Set"].mass == 3.0
    assert result["Set"].center.tolist() == [0.5, 0.0, 0.0]
    assert result["Set"].inertia[0, 0] == pytest.approx(0.4 * 3 * 0.05**2, rel=2e-3)
    assert [one.rule for one in bom.findings if one.rule == "MP702"] == ["MP702"]


def test_sigmas_of_a_tolerance(tmp_path: Path) -> None:
    write_stl(tmp_path / "part.stl", box((100, 200, 300)))
    header = "mesh,mesh_units,surface_offset,density"
    path = write_table(tmp_path, header, "Bar,part.stl,mm,±0.1 mm (2σ),1000±10 kg/m3 (1σ)")
    bar = mp.rollup(mp.read_bom(path), uncertainty="covariance")["Bar"]
    assert bar.sigma_mass == pytest.approx(np.hypot(0.06, 1000 * 0.22 * 0.00005), rel=1e-4)  # area 0.22 m²


def test_mesh_units_of_the_call_and_findings_with_places(tmp_path: Path) -> None:
    write_stl(tmp_path / "part.stl", box((100, 200, 300)))
    write_stl(tmp_path / "open.stl", without(box((100, 200, 300)), 0))
    rows = ("Bar,part.stl,,steel", "Gap,open.stl,,steel", "None,no.stl,,steel", "Odd,part.stl,mile2,steel")
    path = write_table(
        tmp_path,
        "mesh,mesh_units,voxel_size,material",
        *[r.replace(",,", ",,,") if "mile2" not in r else "Odd,part.stl,mile2,,steel" for r in rows],
    )
    plain = mp.read_bom(path)
    assert [one.rule for one in plain.findings if one.item == "Bar"] == ["MP720"]
    bom = mp.read_bom(path, mesh_units="mm")
    found = {one.item: (one.rule, one.place.line, one.place.column) for one in bom.findings if one.item}
    assert found["Gap"] == ("MP725", 4, "mesh")
    [gap] = [one.remedy for one in bom.findings if one.rule == "MP725"]
    assert ("column voxel_size" in gap, "voxel-size" in gap) == (True, False)
    assert found["None"] == ("MP721", 5, "mesh")
    assert found["Odd"] == ("MP701", 6, "mesh_units")
    assert "Bar" not in found
    assert not any(one.rule == "MP206" for one in bom.findings)


def test_folders_of_meshes(tmp_path: Path, massprops: Callable[..., Any]) -> None:
    folder, library = tmp_path / "bom", tmp_path / "library"
    folder.mkdir()
    library.mkdir()
    write_stl(library / "part.stl", box())
    path = write_table(folder, "mesh,mesh_units,material", "Bar,../library/part.stl,m,steel")
    assert "mesh is outside the folder of the table" in massprops("validate", path).output
    assert massprops("validate", path, "--mesh-root", library).exit_code == 0
    (folder / "massprops.toml").write_text(f'[read]\nmesh-root = ["{library}"]\n')
    assert massprops("validate", path).exit_code == 2  # a file found next to a table does not allow folders
    assert not mp.read_bom(path, mesh_roots=[str(library)], config=False).has_errors


def test_a_column_mesh_without_its_use_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "bom.csv").write_text("id,parent,mass,mesh\nTop,,,\nA,Top,2,a.stl\n")
    assert mp.rollup(mp.read_bom(tmp_path / "bom.csv")).root.mass == 2


def test_shape_and_mesh_exclude_each_other(tmp_path: Path) -> None:
    write_stl(tmp_path / "part.stl", box())
    path = write_table(tmp_path, "shape,dims,mesh,mesh_units,material", "Bar,sphere,r=1 m,part.stl,m,steel")
    (finding,) = [one for one in mp.read_bom(path).findings if one.severity is mp.Severity.ERROR]
    assert "shape and mesh are both stated" in finding.message


def run_shape(massprops: Callable[..., Any], *words: Any) -> tuple[int, dict[str, str], str]:
    """The exit code, the row and what is printed on standard error."""
    result = massprops("parts", "shape", *words)
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    return result.exit_code, rows[0] if rows else {}, result.stderr


def test_command_prints_a_row(tmp_path: Path, massprops: Callable[..., Any]) -> None:
    path = write_stl(tmp_path / "part.stl", box((100, 200, 300)))
    call = (path, "mesh-units=mm", "material=steel")
    code, row, _ = run_shape(massprops, *call, "--units", "kg,mm", "--surface-offset", "±0.1 mm (2σ)")
    assert (code, row["id"]) == (0, "part")
    assert float(row["mass [kg]"]) == pytest.approx(STEEL * 0.006)
    assert float(row["Ixx [kg*mm^2]"]) == pytest.approx(STEEL * 0.006 / 12 * (200**2 + 300**2))
    assert float(row["sigma_mass [kg]"]) == pytest.approx(STEEL * 0.22 * 0.00005, rel=0.2)


def test_command_with_errors_prints_no_row(tmp_path: Path, massprops: Callable[..., Any]) -> None:
    path = write_stl(tmp_path / "part.stl", DEFECTS["MP725"][0])
    call = (path, "mesh-units=m", "density=1000 kg/m3")
    code, row, errors = run_shape(massprops, *call)
    assert (code, row) == (1, {})
    assert "no row printed" in errors
    code, row, _ = run_shape(massprops, *call, "--keep-going")
    assert code == 1
    assert float(row["mass [kg]"]) == pytest.approx(5.0, rel=1e-6)
    assert float(row["sigma_mass [kg]"]) == pytest.approx(1.0, rel=1e-6)
    code, row, errors = run_shape(massprops, *call, "voxel-size=10 mm", "--quiet")
    assert (code, errors) == (0, "")
    assert float(row["mass [kg]"]) == pytest.approx(6.0, rel=1e-6)


def test_wrong_calls(tmp_path: Path, massprops: Callable[..., Any]) -> None:
    path = write_stl(tmp_path / "part.stl", box())
    call = ("shape", path, "mesh-units=m")
    for words, message in (
        ((), "mass, density and material are not stated"),
        (("--material", "steel", "r=2 mm"), "a mesh has no such value: r=2 mm"),
        (("--material", "steel", "--axis", "x"), "axis is not combined with a mesh"),
        (("--density", "5"), "density has no unit"),
        (("--material", "steel", "--mesh-scale", "-1"), "mesh_scale is not a positive number"),
        (("--material", "steel", "--surface-offset", "1 mm"), "surface offset is a tolerance"),
        (("--material", "steel", "--voxel-size", "1±1 mm (1σ)"), "voxel size has no tolerance"),
        (("--material", "steel", "--wall", "1 mm", "--union"), "a mesh with a wall is a surface"),
        (("--material", "steel", "--voxel-size", "1 nm"), "use a voxel size of"),
    ):
        result = massprops(*call, *words)
        assert result.exit_code == 2
        assert message in result.output, result.output
    assert "mesh-units is only used with a mesh file" in massprops("parts", "shape", "sphere", "mesh-units=m").output


@pytest.mark.parametrize("lot", ["", "melt 7"])
def test_meshes_of_one_lot_share_their_density(tmp_path: Path, lot: str) -> None:
    write_stl(tmp_path / "part.stl", box((100, 200, 300)))
    rows = [f"{name},part.stl,mm,1000±10 kg/m3 (1σ),{lot}" for name in ("A", "B")]
    rolled = mp.rollup(mp.read_bom(write_table(tmp_path, "mesh,mesh_units,density,lot", *rows)), "covariance")
    top = rolled["Top"]
    # each mass is 6 kg ± 1 %: 0.12 kg together, 0.085 kg if the densities are independent
    assert top.sigma_mass == pytest.approx(0.12 if lot else 0.06 * np.sqrt(2), rel=1e-4)
    # mass and moments deviate together: I of two boxes at one place is that of one with twice the mass
    assert top.sigma_inertia[0, 0] == pytest.approx(top.sigma_mass * (0.2**2 + 0.3**2) / 12, rel=1e-4)
    V = top.covariance
    assert V[0, 4] / np.sqrt(V[0, 0] * V[4, 4]) == pytest.approx(1.0, abs=1e-4)


@pytest.mark.parametrize("unit", ["", "mm"])
def test_mesh_without_triangles_is_reported_as_that(tmp_path: Path, unit: str) -> None:
    (tmp_path / "points.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\n")
    path = write_table(tmp_path, "mesh,mesh_units,material", f"A,points.obj,{unit},steel")
    assert [one.rule for one in mp.read_bom(path).findings if one.rule.startswith("MP72")] == ["MP722"]


def test_sigmas_of_a_turned_mesh_are_those_of_its_tensor(tmp_path: Path) -> None:
    """A density alone is uncertain: each entry of the turned tensor has its share, whatever its axes."""
    write_stl(tmp_path / "part.stl", box((128, 256, 512)))
    numbers = f"{UNITS},POIconv,mesh,mesh_units,density,roll [deg],pitch [deg],yaw [deg],frame"
    rows = [
        f"id,parent,{numbers}",
        f"R,,{',' * 9},-,,,,,,,own",
        f"A,R,{',' * 9},-,part.stl,mm,7850±78.5 kg/m3 (1σ),0,0,30,own",
    ]
    (tmp_path / "bom.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    bom = mp.read_bom(tmp_path / "bom.csv")
    mass = STEEL * 0.128 * 0.256 * 0.512
    own = np.diag(mass / 12 * np.array([0.256**2 + 0.512**2, 0.128**2 + 0.512**2, 0.128**2 + 0.256**2]))
    turn = np.array([[np.sqrt(0.75), -0.5, 0], [0.5, np.sqrt(0.75), 0], [0, 0, 1]])
    expected = np.abs(turn @ own @ turn.T) * 0.01
    np.testing.assert_allclose(bom["A"].sigma_inertia, expected, rtol=1e-4, atol=1e-5)


def write_dae(path: Path, points: np.ndarray, faces: np.ndarray, at: str = "") -> Path:
    """A DAE file of decimal text, one node at a place."""
    numbers, corners = (" ".join(map(repr, one.ravel().tolist())) for one in (points, faces))
    axes = "".join(f'<param name="{name}" type="float"/>' for name in "XYZ")
    path.write_text(
        '<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset>'
        "<created>2020-01-01T00:00:00</created><modified>2020-01-01T00:00:00</modified><unit meter='1.0'/>"
        "<up_axis>Z_UP</up_axis></asset><library_geometries><geometry id='g'><mesh><source id='p'>"
        f"<float_array id='pa' count='{points.size}'>{numbers}</float_array><technique_common>"
        f"<accessor source='#pa' count='{len(points)}' stride='3'>{axes}</accessor></technique_common></source>"
        "<vertices id='v'><input semantic='POSITION' source='#p'/></vertices>"
        f"<triangles count='{len(faces)}'><input semantic='VERTEX' source='#v' offset='0'/><p>{corners}</p></triangles>"
        "</mesh></geometry></library_geometries><library_visual_scenes><visual_scene id='s'><node id='n'>"
        f"{at}<instance_geometry url='#g'/></node></visual_scene></library_visual_scenes>"
        "<scene><instance_visual_scene url='#s'/></scene></COLLADA>"
    )
    return path


@pytest.mark.parametrize(("side", "at", "angle"), [(0.1, 100000.05, 0.0), (5.0, 1e6, 0.6), (0.1, 0.0, 0.6)])
def test_a_dae_file_is_known_as_exactly_as_single_precision(
    tmp_path: Path, side: float, at: float, angle: float
) -> None:
    points, faces = box((side, side, side))
    turn = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
    write_dae(tmp_path / "part.dae", points @ turn.T @ turn.T[[2, 0, 1]][:, [2, 0, 1]] + at, faces)
    row = "A,part.dae,1000 kg/m3,±0 mm (1σ)"
    bom = mp.read_bom(write_table(tmp_path, "mesh,density,surface_offset", row))
    found, true = bom["A"], 1000 * side**3
    rules = {one.rule for one in bom.findings}
    assert ("MP733" in rules) is (at > 0)
    assert "MP734" not in rules  # a box has no curved surfaces
    step = float(np.spacing(np.float32(at + side)))
    assert abs(found.mass - true) < 6 * step * side**2 * 1000  # six faces, each moved by half a step on either side
    assert found.mass == pytest.approx(true, rel=1e-6) or at
    assert abs(found.mass - true) < 4 * found.sigma_mass


def test_a_dae_node_far_away_is_rounded_as_its_matrix(tmp_path: Path) -> None:
    points, faces = box((0.1, 0.1, 0.1))
    write_dae(tmp_path / "part.dae", points, faces, "<translate>100000 0 0</translate>")
    file = mesh_file.read_mesh(tmp_path / "part.dae", mp.Findings())
    assert file is not None
    assert file.step == pytest.approx(np.spacing(np.float32(1e5)) + np.spacing(np.float32(0.05)))
