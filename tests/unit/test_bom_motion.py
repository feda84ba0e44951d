"""Tables in other frames: the roll-up of the moved table is the moved roll-up, and the way back restores the cells."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import massprops_cli as mp
from massprops_cli.bodies.rotations import turn_matrices
from massprops_cli.bom.motion import Motion, frame_of_axes
from massprops_cli.cli.app import app

SAMPLE = Path(__file__).parents[2] / "sample_data" / "spacecraft.csv"
TABLE = """id,parent,qty,mass [kg],Cx [mm],Cy [mm],Cz [mm],Ixx [kg*m^2],Iyy [kg*m^2],Izz [kg*m^2],Ixy [kg*m^2],\
Ixz [kg*m^2],Iyz [kg*m^2],POIconv,sigma_mass [kg],sigma_Cx [mm],sigma_Cy [mm],sigma_Cz [mm],sigma_Ixx [kg*m^2],\
sigma_Iyy [kg*m^2],sigma_Izz [kg*m^2],sigma_Ixy [kg*m^2],sigma_Ixz [kg*m^2],sigma_Iyz [kg*m^2],remark
T,,,,,,,,,,,,,-,,,,,,,,,,,
A,T,1,2.5,120,-35,40.5,0.5,0.625,0.75,0.125,-0.0625,0.03125,-,0.1,1,2,3,0.01,0.02,0.03,0.004,0.005,0.006,left
S,T,1,,,,,,,,,,,-,,,,,,,,,,,
B,S,2,1.5,-80,25,10,0.25,0.375,0.5,0.0625,0.03125,-0.0125,+,0.05,0.5,0.25,0.75,0.02,0.01,0.015,0.001,0.002,0.003,"a, b"
C,S,1,0.75,15,60,-90,0.125,0.125,0.1875,0,0.015625,0,-,0.02,0.1,0.2,0.4,0.005,0.006,0.007,0.0005,0.0006,0.0007,
"""


def run(*words: object):
    return CliRunner().invoke(app, [str(word) for word in words])


def moved(tmp_path: Path, *words: object, text: str = TABLE, code: int = 0) -> str:
    """The table that transform writes."""
    source, out = tmp_path / "bom.csv", tmp_path / "moved.csv"
    source.write_text(text)
    result = run("convert", source, *words, "-o", out)
    assert result.exit_code == code, result.output
    return out.read_text()


def totals(text: str) -> dict[str, mp.Body]:
    return dict(mp.rollup(mp.read_bom(io.StringIO(text), format="csv")).items())


def numbers(text: str) -> list[list[object]]:
    def value(cell: str) -> object:
        try:
            return float(cell)
        except ValueError:
            return cell

    return [[value(cell) for cell in row] for row in csv.reader(io.StringIO(text))]


QUARTERS = {
    "z 90 deg": np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]]),
    "0,0,90 deg": np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]]),
    "-x 90 deg": np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]]),
    "0 1 0 0 0 1 1 0 0": np.array([[0.0, 1, 0], [0, 0, 1], [1, 0, 0]]),
}


@pytest.mark.parametrize("text", QUARTERS)
def test_rollup_of_the_turned_table_is_the_turned_rollup_with_sigmas(tmp_path, text):
    R = QUARTERS[text]
    before, after = totals(TABLE), totals(moved(tmp_path, "--rotate", text, "--translate", "10,-20,5 mm"))
    M2 = turn_matrices(R) ** 2
    for name, body in before.items():
        other = after[name]
        assert other.mass == body.mass
        assert other.center == pytest.approx(R @ body.center + [10, -20, 5], abs=1e-11)
        assert other.inertia == pytest.approx(R @ body.inertia @ R.T, abs=1e-9 * body.inertia.max())
        assert other.sigma_center**2 == pytest.approx(M2[1:4, 1:4] @ body.sigma_center**2, rel=1e-11)
        V, W = body.covariance, other.covariance
        assert pytest.approx(turn_matrices(R) @ V @ turn_matrices(R).T, abs=1e-11 * np.abs(V).max()) == W


@pytest.mark.parametrize("axis", "xyz")
def test_mirror(tmp_path, axis):
    k = "xyz".index(axis)
    R = np.diag([-1.0 if i == k else 1.0 for i in range(3)])
    before, after = totals(TABLE), totals(moved(tmp_path, "--mirror", axis, "--about", "10,10,10 mm"))
    for name, body in before.items():
        expected = R @ body.center
        expected[k] += 20
        assert after[name].center == pytest.approx(expected, abs=1e-11)
        assert after[name].inertia == pytest.approx(R @ body.inertia @ R, abs=1e-9)
        assert after[name].sigma_center == pytest.approx(body.sigma_center, rel=1e-12)
        assert after[name].sigma_inertia == pytest.approx(body.sigma_inertia, rel=1e-12)


@pytest.mark.parametrize("words", [("x 37 deg",), ("0.1,0.2,0.3 rad",), ("10 20 30 deg",)])
def test_any_rotation_of_values(tmp_path, words):
    text = moved(tmp_path, "--rotate", *words, "--about", "cg")
    before, after = totals(TABLE), totals(text)
    # the rotation about the centre of the root keeps it
    assert after["T"].center == pytest.approx(before["T"].center, abs=1e-10)
    assert np.linalg.eigvalsh(after["T"].inertia) == pytest.approx(np.linalg.eigvalsh(before["T"].inertia), rel=1e-12)
    assert after["T"].sigma_mass == pytest.approx(before["T"].sigma_mass, rel=1e-14)


@pytest.mark.parametrize(
    ("there", "back"),
    [
        (("--translate", "100,0.1,-7 mm"), ("--translate", "-100,-0.1,7 mm")),
        (("--translate", "0.1,0.2,0.3 m"), ("--translate", "-0.1,-0.2,-0.3 m")),
        (("--rotate", "z 90 deg"), ("--rotate", "z -90 deg")),
        (("--mirror", "y"), ("--mirror", "y")),
        (("--rotate", "0 1 0 0 0 1 1 0 0"), ("--rotate", "0 0 1 1 0 0 0 1 0")),
    ],
)
def test_round_trip_restores_every_cell(tmp_path, there, back):
    assert numbers(moved(tmp_path, *back, text=moved(tmp_path, *there))) == numbers(TABLE)


def test_round_trip_of_any_rotation_is_exact_to_rounding(tmp_path):
    text = moved(tmp_path, "--rotate", "y -33 deg", text=moved(tmp_path, "--rotate", "y 33 deg"))
    before, after = totals(TABLE)["T"], totals(text)["T"]
    assert after.center == pytest.approx(before.center, abs=1e-11)
    assert after.inertia == pytest.approx(before.inertia, abs=1e-14 * before.inertia.max())


def test_lost_correlations_are_reported_and_isotropic_ones_are_not(tmp_path):
    source = tmp_path / "bom.csv"
    source.write_text(TABLE)
    result = run("convert", source, "--rotate", "z 30 deg", "-o", tmp_path / "out.csv")
    assert "MP715" in result.output
    assert "A, B, C are correlated" in result.output
    equal = TABLE.replace("1,2,3,0.01,0.02,0.03,0.004,0.005,0.006", "2,2,2,0.02,0.02,0.02,0.01414213562373095,"
        "0.01414213562373095,0.01414213562373095").replace("0.5,0.25,0.75,0.02,0.01,0.015,0.001,0.002,0.003",
        "1,1,1,0,0,0,0,0,0").replace(
        "0.1,0.2,0.4,0.005,0.006,0.007,0.0005,0.0006,0.0007", "0,0,0,0,0,0,0,0,0")  # fmt: skip
    source.write_text(equal)
    result = run("convert", source, "--rotate", "1,2,3 deg", "-o", tmp_path / "out.csv")
    assert "MP715" not in result.output
    before, after = totals(equal)["T"], totals((tmp_path / "out.csv").read_text())["T"]
    R = mp.Poses.from_rpy([[0, 0, 0]], [[1, 2, 3]], "deg").rotation[0]
    turned = turn_matrices(R) @ before.covariance @ turn_matrices(R).T
    assert after.covariance == pytest.approx(turned, abs=1e-10 * np.abs(turned).max())


def test_covariance_file_of_the_new_frame_is_that_of_the_turned_table(tmp_path):
    source, of_old = tmp_path / "bom.csv", tmp_path / "old.json"
    source.write_text(TABLE)
    out, of_new = tmp_path / "turned.csv", tmp_path / "new.json"
    assert run("convert", source, "--rotate", "z 90 deg", "-o", out, "--covariance", of_old).exit_code == 0
    assert run("rollup", out, "-o", tmp_path / "r.csv", "--covariance", of_new).exit_code == 0
    import json

    first, second = (json.loads(path.read_text())["items"] for path in (of_old, of_new))
    for a, b in zip(first, second, strict=True):
        assert a["id"] == b["id"]
        for name in a.keys() - {"id"}:
            assert a[name] == pytest.approx(b[name], rel=1e-9, abs=1e-12)


def test_rotations_that_are_none_are_rejected(tmp_path):
    source = tmp_path / "bom.csv"
    source.write_text(TABLE)
    for rotation, words in {
        "1 0 0 0 1 0 0 0 -1": "left-handed: determinant -1",
        "1 0 0 0 1 0 0 0 2": "not orthonormal: defect 3",
        "z 90": "has no unit",
        "z": "invalid --rotate",
        "a b c": "invalid --rotate",
    }.items():
        result = run("convert", source, "--rotate", rotation)
        assert result.exit_code == 2
        assert words in result.output
    for given, words in (
        (("--mirror", "x", "--rotate", "z 90 deg"), "cannot be combined"),
        (("--principal", "--translate", "1,0,0"), "cannot be combined"),
        (("--about", "cg", "--translate", "1,0,0"), "--pivot needs"),
        (("--to-frame", "A"), "expected item:ID"),
        (("--translate", "1,2"), "is not a point"),
        (("--translate", "1,2,3 kg"), "not a length"),
        (("--translate", "1,2,3", "--units", "SI"), "cannot be combined"),
        (("--into-robot", "r.urdf", "--rotate", "z 90 deg"), "--into-robot and --rotate are exclusive"),
        (("--into-robot", "r.urdf", "--covariance", "v.json"), "--into-robot and --covariance are exclusive"),
        (("--into-robot", "r.urdf", "--to", "csv"), "--into-robot and --to are exclusive"),
        (("--into-robot", "r.urdf", "--to-layout", "level"), "--into-robot and --to-layout are exclusive"),
    ):
        result = run("convert", source, *given)
        assert result.exit_code == 2, given
        assert words in result.output


def test_frames_of_items_and_principal_axes(tmp_path):
    body = totals(moved(tmp_path, "--to-frame", "item:S"))["S"]
    assert body.center == pytest.approx([0, 0, 0], abs=1e-11)
    principal = totals(moved(tmp_path, "--principal"))["T"]
    assert principal.center == pytest.approx([0, 0, 0], abs=1e-11)
    moments = np.diag(principal.inertia)
    assert principal.inertia == pytest.approx(np.diag(moments), abs=1e-14 * moments.max())
    assert moments == pytest.approx(np.linalg.eigvalsh(totals(TABLE)["T"].inertia), rel=1e-11)


def test_cells_that_do_not_change_keep_their_characters(tmp_path):
    text = TABLE.replace("A,T,1,2.5,120,-35,40.5", "A,T,1,2.50,1.20e2,-35.0,+40.5")
    out = moved(tmp_path, "--translate", "5,0,0 mm", text=text)
    assert "A,T,1,2.50,125,-35.0,+40.5,0.5,0.625" in out


def test_inertia_about_a_point_remains_about_its_coordinates(tmp_path):
    text = "id,parent,mass,Cx,Cy,Cz,Ixx,Iyy,Izz,Ixy,Ixz,Iyz,POIconv\nT,,,,,,,,,,,,-\nA,T,2,3,0,0,1,19,19,0,0,0,-\n"
    out = moved(tmp_path, "--translate", "0,4,0", "--inertia-about", "origin", text=text)
    # own tensor 1, 1, 1; about the origin with c = (3, 4, 0): 1 + 2·16, 1 + 2·9, 1 + 2·25, −2·12
    assert out.splitlines()[2] == "A,T,2,3,4,0,33,19,51,-24,0,0,-"


def test_totals_move_with_the_table(tmp_path):
    text = "id,parent,mass,Cx,Cy,Cz\nT,,,,,\nA,T,2,3,0,0\nB,T,2,1,0,0\nTotal,,4,2,0,0\n"
    assert "Total,,4,12,0,0" in moved(tmp_path, "--translate", "10,0,0", text=text)


def test_columns_that_the_new_frame_needs_are_named(tmp_path):
    source = tmp_path / "bom.csv"
    source.write_text("id,parent,mass\nT,,\nA,T,2\n")
    result = run("convert", source, "--rotate", "z 90 deg")
    assert result.exit_code == 2
    assert "no columns of centres of mass" in result.output
    source.write_text("id,parent,mass,Cx,Cy,Cz,Ixx,Iyy,Izz\nT,,,,,,,,\nA,T,2,3,0,0,1,2,2.5\n")
    result = run("convert", source, "--rotate", "z 30 deg")
    assert "table has no column Ixy" in result.output
    assert run("convert", source, "--rotate", "z 90 deg").stdout.splitlines()[-1] == "A,T,2,0,3,0,2,1,2.5"


def test_workbook_is_edited(tmp_path):
    book = SAMPLE.with_suffix(".xlsx")
    out = tmp_path / "moved.xlsx"
    assert run("convert", book, "--translate", "1,0,0 m", "-o", out).exit_code == 0
    old, new = (mp.rollup(mp.read_bom(path)).root for path in (book, out))
    shift = new.center - old.center
    assert shift[0] == pytest.approx(1 if old.units[1] == "m" else 1000, rel=1e-12)
    assert new.inertia == pytest.approx(old.inertia, rel=1e-9, abs=1e-9)


def test_motion_and_its_inverse():
    R = mp.Poses.from_rpy([[0, 0, 0]], [[10, 20, 30]], "deg").rotation[0]
    motion = Motion.of_rotation(R, about=[1.0, 2, 3]).translated([4.0, 5, 6])
    points = np.arange(12.0).reshape(4, 3)
    assert motion.inverse().points(motion.points(points)) == pytest.approx(points, abs=1e-13)
    assert Motion.of_rotation(R, about=[1.0, 2, 3]).points([[1.0, 2, 3]])[0] == pytest.approx([1, 2, 3], abs=1e-14)
    assert frame_of_axes(R.T, [1.0, 1, 1]).points([[1.0, 1, 1]])[0] == pytest.approx([0, 0, 0], abs=1e-15)
    with pytest.raises(mp.UsageError, match="not an axis"):
        Motion.of_mirror("w")


FAR = "id,parent,mass [kg],Cx [m],Cy [m],Cz [m]\nR,,,,,\nA,R,1,1000000000.0001221,0,0\nB,R,1,1000000000.0012208,{y},0\n"


@pytest.mark.parametrize("y", ["0", "0.5", "1e6"])
@pytest.mark.parametrize("words", [("--rotate", "z 90 deg"), ("--mirror", "x"), ("--translate", "0,1,0 m")])
def test_coordinates_far_out_keep_their_differences(tmp_path: Path, y: str, words: tuple[str, ...]) -> None:
    """The distance of the two parts, 1.0987 mm along x."""
    path = tmp_path / "far.csv"
    path.write_text(FAR.format(y=y))
    before, after = (mp.rollup(one) for one in (path, written_by(tmp_path, path, *words)))
    lengths = [np.linalg.norm(one["A"].center - one["B"].center) for one in (before, after)]
    assert lengths[1] == pytest.approx(lengths[0], rel=1e-12)


def written_by(tmp_path: Path, path: Path, *words: str) -> Path:
    result = run("convert", path, *words, "-o", tmp_path / "new.csv")
    assert result.exit_code == 0, result.output
    return tmp_path / "new.csv"


@pytest.mark.parametrize(
    ("shift", "is_far"), [("1e200,0,0", True), ("0,-1e13,0", True), ("1e11,0,0", False), ("0,0,0.1", False)]
)
def test_translation_that_absorbs_the_distances_is_a_warning(tmp_path: Path, shift: str, is_far: bool) -> None:
    path = tmp_path / "near.csv"
    path.write_text("id,parent,mass [kg],Cx [m],Cy [m],Cz [m]\nR,,,,,\nA,R,1,0,0,0\nB,R,1,0.5,0,0\n")
    result = run("convert", path, "--translate", f"{shift} m")
    assert ("MP733" in result.output) == is_far
