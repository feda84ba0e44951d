"""Tables with poses in other frames: the roll-up of the moved table is the moved roll-up, sigmas included."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import massprops_cli as mp
from massprops_cli.cli.app import app
from tests.examples import covering
from tests.unit.pose_trees import FORMS, TEN, UNITS, PoseTree, rotation, rpy, tensor


def turn6(R: np.ndarray) -> np.ndarray:
    """The 10 × 10 matrix of (m, h, J) by R, entry by entry."""
    M, pairs = np.zeros((10, 10)), [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)]
    M[0, 0], M[1:4, 1:4] = 1.0, R
    for k in range(6):
        six = np.zeros(6)
        six[k] = 1.0
        J = R @ tensor(six) @ R.T
        M[4:, 4 + k] = [J[pair] for pair in pairs]
    return M


def moved(tmp_path: Path, text: str, *words: object, code: int = 0) -> str:
    """The table that transform writes, or its message."""
    source, out = tmp_path / "bom.csv", tmp_path / "moved.csv"
    source.write_text(text)
    result = CliRunner().invoke(app, ["transform", str(source), *map(str, words), "-o", str(out)])
    assert result.exit_code == code, result.output
    return out.read_text() if code == 0 else result.output


def bodies(text: str, **options: object) -> dict[str, mp.Body]:
    return dict(mp.rollup(mp.read_bom(io.StringIO(text), format="csv", **options)).items())


def assert_moved(before: dict[str, mp.Body], after: dict[str, mp.Body], A: np.ndarray, t: np.ndarray) -> None:
    """Every assembly moves by x' = A x + t, with its covariance."""
    assert list(before) == list(after)
    size = max(float(np.abs(body.inertia).max()) for body in before.values())
    M = turn6(A)
    for name, old in before.items():
        new = after[name]
        assert new.mass == pytest.approx(old.mass, rel=1e-14)
        assert new.center == pytest.approx(A @ old.center + t, abs=1e-11)
        assert new.inertia == pytest.approx(A @ old.inertia @ A.T, abs=1e-12 * size)
        if old.covariance is not None:
            V = M @ old.covariance @ M.T
            assert new.covariance == pytest.approx(V, abs=1e-10 * float(np.abs(V).max()))


A30 = rotation(2, np.deg2rad(30.0))
MOTIONS = [
    (("--translate", "1,-2,0.5 m"), np.eye(3), np.array([1, -2, 0.5])),
    (("--rotate", "z 30 deg"), A30, np.zeros(3)),
    (("--rotate", "z 90 deg", "--translate", "0,0,1"), rotation(2, np.pi / 2).round(), np.array([0, 0, 1.0])),
    (("--rotate", "10,20,30 deg", "--translate", "1,0,0"), rpy(10, 20, 30), np.array([1.0, 0, 0])),
    (("--mirror", "x"), np.diag([-1.0, 1, 1]), np.zeros(3)),
    (("--mirror", "y", "--about", "0,3,0"), np.diag([1.0, -1, 1]), np.array([0, 6.0, 0])),
    (("--mirror", "z", "--translate", "0,0,2"), np.diag([1.0, 1, -1]), np.array([0, 0, 2.0])),
]


@pytest.mark.spread(2, keep=("motion37-axis-parent",))
@pytest.mark.parametrize(("motion", "form", "frame"), covering(MOTIONS, FORMS, ["own", "parent"]))
def test_rollup_of_the_moved_table_is_the_moved_rollup_with_sigmas(tmp_path, motion, form, frame):
    words, A, t = motion
    text = PoseTree.random(3, pose_sigma=0.02).table(frame, sigmas=True, poses=form, uncertain=True)
    assert_moved(bodies(text), bodies(moved(tmp_path, text, *words)), A, t)


@pytest.mark.spread(2)
@pytest.mark.parametrize(("words", "A", "t"), MOTIONS)
def test_numbers_in_the_frame_of_the_root_move(tmp_path, words, A, t):
    text = PoseTree.random(5).table("root")
    assert_moved(bodies(text), bodies(moved(tmp_path, text, *words)), A, t)


EDGES = """parent,child,qty,mass [kg],Cx [mm],Cy [mm],Cz [mm],Ixx [kg*mm^2],Iyy [kg*mm^2],Izz [kg*mm^2],Ixy [kg*mm^2],\
Ixz [kg*mm^2],Iyz [kg*mm^2],POIconv,tx [mm],ty [mm],tz [mm],roll [deg],pitch [deg],yaw [deg],frame
,Car,,,,,,,,,,,,,,,,,,,root
Car,Wheel,1,10,100,0,0,30,50,70,1,2,-3,-,0,1000,0,0,0,20,own
Car,Wheel,1,,,,,,,,,,,,0,-1000,0,0,0,180,
Car,Axle,1,,,,,,,,,,,,500,0,10,5,0,0,own
Axle,Wheel,2,,,,,,,,,,,,0,100,0,90,0,0,
Axle,Rod,1,3,1,2,3,5,6,7,0,0,0,-,,,,,,,own
"""
PATTERNS = """id,parent,qty,mass [kg],Cx [mm],Cy [mm],Cz [mm],Ixx [kg*mm^2],Iyy [kg*mm^2],Izz [kg*mm^2],Ixy [kg*mm^2],\
Ixz [kg*mm^2],Iyz [kg*mm^2],POIconv,tx [mm],ty [mm],tz [mm],roll [deg],pitch [deg],yaw [deg],frame,pattern,\
pattern_axis,pattern_angle [deg],pattern_point [mm],pattern_pitch [mm]
Flange,,,,,,,,,,,,,,,,,,,,root,,,,,
Ring,Flange,1,,,,,,,,,,,,10,20,30,10,20,30,root,,,,,
Bolt,Ring,5,0.1,1,2,3,5,6,7,1,-1,0.5,-,60,0,0,0,0,10,own,circular,0 1 2,25,1 2 3,
Nut,Ring,3,0.2,1,2,3,5,6,7,1,-1,0.5,-,60,0,0,0,0,10,own,linear,,,,1 0 20
Pin,Flange,2,0.3,1,2,3,5,6,7,0,0,0,-,1,1,1,0,0,0,parent,linear,-y,,,7
Cap,Flange,3,0.4,1,2,3,5,6,7,0,0,0,-,1,1,1,0,0,0,root,circular,z,,,
"""


@pytest.mark.spread(2)
@pytest.mark.parametrize(("words", "A", "t"), MOTIONS)
@pytest.mark.parametrize("text", [EDGES, PATTERNS])
def test_uses_and_patterns_move_with_their_poses(tmp_path, words, A, t, text):
    words = tuple(word.replace("1,-2,0.5 m", "1000,-2000,500") for word in words)
    scale = 1000.0 if words[1] == "1000,-2000,500" else 1.0
    assert_moved(bodies(text), bodies(moved(tmp_path, text, *words)), A, scale * t)


def test_items_below_a_root_without_a_row_move(tmp_path):
    # a created root has the frame of the table: its children are the top items, and their patterns move too
    text = PATTERNS.replace("Flange,,,,,,,,,,,,,,,,,,,,root,,,,,\n", "").replace(",Flange,", ",,", 1)
    text = text.replace(",Flange,", ",,")
    for words, A, t in MOTIONS[1:]:
        after = bodies(moved(tmp_path, text, *words, "--make-root", "ALL"), make_root="ALL")
        assert_moved(bodies(text, make_root="ALL"), after, A, t)


def test_frame_of_an_item_re_expresses_position_and_axes(tmp_path):
    tree = PoseTree.random(7)
    k = 4
    R, t = tree.in_root(k)
    text = tree.table("own", sigmas=True)
    after = moved(tmp_path, text, "--to-frame", f"item:i{k}")
    assert_moved(bodies(text), bodies(after), R.T, -R.T @ t)
    # the frame of the item now is that of the table
    poses = mp.read_bom(io.StringIO(after), format="csv").poses.in_root
    assert poses.translation[k] == pytest.approx(np.zeros(3), abs=1e-13)
    assert poses.rotation[k] == pytest.approx(np.eye(3), abs=1e-13)


def test_principal_frame_of_a_table_with_poses(tmp_path):
    text = PoseTree.random(8).table("own")
    root = bodies(moved(tmp_path, text, "--principal"))["i0"]
    assert root.center == pytest.approx(np.zeros(3), abs=1e-13)
    off = root.inertia - np.diag(np.diag(root.inertia))
    assert np.abs(off).max() < 1e-13 * np.abs(root.inertia).max()
    assert sorted(np.diag(root.inertia)) == pytest.approx(np.linalg.eigvalsh(bodies(text)["i0"].inertia), rel=1e-12)


@pytest.mark.parametrize(("axis", "form"), covering("xyz", FORMS))
def test_poses_of_mirrored_bodies_remain_rotations_and_a_second_mirror_restores_every_cell(tmp_path, axis, form):
    text = PoseTree.random(9, pose_sigma=0.01).table("own", sigmas=True, poses=form, uncertain=True)
    once = moved(tmp_path, text, "--mirror", axis)
    R = mp.read_bom(io.StringIO(once), format="csv").poses.in_root.rotation
    assert np.linalg.det(R) == pytest.approx(np.ones(len(R)), rel=1e-12)
    twice = moved(tmp_path, once, "--mirror", axis)
    for a, b in zip(text.splitlines()[1:], twice.splitlines()[1:], strict=True):
        for x, y in zip(a.split(","), b.split(","), strict=True):
            assert x == y or float(x) == pytest.approx(float(y), rel=2e-15)


def test_only_the_pose_of_the_root_changes_for_numbers_in_own_frames(tmp_path):
    text = PoseTree.random(2).table("own", sigmas=True)
    after = moved(tmp_path, text, "--rotate", "x 25 deg", "--translate", "1,2,3")
    changed = [k for k, (a, b) in enumerate(zip(text.splitlines(), after.splitlines(), strict=True)) if a != b]
    assert changed == [1]
    assert after.splitlines()[1].split(",")[-6:] == ["1", "2", "3", "25", "0", "0"]


def test_solids_turn_with_their_poses_and_not_in_their_cells(tmp_path):
    text = (
        "id,parent,mass [kg],Cx [mm],Cy [mm],Cz [mm],Ixx [kg*mm^2],Iyy [kg*mm^2],Izz [kg*mm^2],Ixy [kg*mm^2],"
        "Ixz [kg*mm^2],Iyz [kg*mm^2],POIconv,shape,dims,density [kg/m3],tx [mm],ty [mm],tz [mm],roll [deg],"
        "pitch [deg],yaw [deg],frame\nT,,,,,,,,,,,,-,,,,,,,,,,root\n"
        "A,T,,,,,,,,,,,-,wedge,a=10±0.2 mm (2σ); b=20 mm; c=30 mm,2700,1,2,3,10,20,30,own\n"
        "B,T,,,,,,,,,,,-,cylinder,r=10 mm; L=40±1 mm (2σ),7850,5,0,0,0,90,0,own\n"
    )
    for words, A, t in MOTIONS[1:4]:
        assert_moved(bodies(text), bodies(moved(tmp_path, text, *words)), A, t)
    # a wedge is symmetric across its own y, a cylinder across every own axis: the frames are reflected in y
    for k, axis in enumerate("xyz"):
        mirror = np.diag(1.0 - 2.0 * np.eye(3)[k])
        assert_moved(bodies(text), bodies(moved(tmp_path, text, "--mirror", axis)), mirror, np.zeros(3))
    other = text.replace("shape,dims", "shape,axis,dims").replace("wedge,", "wedge,z,").replace("-,,,,", "-,,,,,")
    other = other.replace("cylinder,r=10 mm; L=40±1 mm (2σ)", "wedge,x,a=1 mm; b=2 mm; c=3 mm")
    assert "symmetric across different own axes" in moved(tmp_path, other, "--mirror", "x", code=2)
    root = text.replace("own", "root").replace("1,2,3,10,20,30", ",,,,,").replace("5,0,0,0,90,0", ",,,,,")
    assert "give their rows poses" in moved(tmp_path, root, "--rotate", "z 30 deg", code=2)


def test_columns_that_the_new_poses_need_are_named(tmp_path):
    head = "id,parent,mass [kg],Cx [m],Cy [m],Cz [m],tx [m],ty [m],tz [m],frame\n"
    text = head + "T,,,,,,,,,root\nA,T,1,0,0,0,1,2,3,own\n"
    assert "table has no columns of a rotation" in moved(tmp_path, text, "--rotate", "z 30 deg", code=2)
    assert moved(tmp_path, text, "--translate", "1,0,0").splitlines()[1] == "T,,,,,,1,0,0,root"


def test_covariance_of_the_pose_of_a_top_item_turns(tmp_path):
    # below a created root the pose of the top item counts: σ of its turned position
    ten = [*TEN, *(f"sigma_{name}" for name in TEN)]
    head = "id,parent," + ",".join(f"{name} [{unit}]" for name, unit in zip(ten, UNITS * 2, strict=True))
    head += ",POIconv,frame,tx [m],ty [m],tz [m],yaw [deg],roll [deg],pitch [deg],pose_covariance [mm; rad]\n"
    V = np.diag([4.0, 1, 0, 0, 0, 1e-4])
    V[0, 5] = V[5, 0] = 0.01
    cells = " ".join(map(str, V[np.triu_indices(6)]))
    zeros = ",0" * 9
    text = f"{head}A,,2,0.01,0,0,5,6,7,1,0,0,0.1{zeros},-,own,1,2,3,0,0,0,{cells}\n"
    text += f"B,,1,0,0,0,5,6,7,0,0,0,0.1{zeros},-,root,,,,,,,\n"
    for words, A, t in MOTIONS[1:]:
        after = bodies(moved(tmp_path, text, *words, "--make-root", "ALL"), make_root="ALL")
        before = bodies(text, make_root="ALL")
        assert_moved(before, after, A, t)
    # by hand: 2 of 3 kg move by σ = 2 mm along x, without the rotation's lever about z of 10 mm
    assert before["ALL"].sigma_center[0] >= 2 / 3 * 2e-3


def test_report_names_the_frame_of_an_item(tmp_path):
    head = "id,parent,mass [kg],Cx [m],Cy [m],Cz [m]"
    source = tmp_path / "bom.csv"
    source.write_text(f"{head}\nT,,,,,\nA,T,1,1,2,3\nB,T,1,0,0,0\n")
    result = CliRunner().invoke(app, ["transform", str(source), "--to-frame", "item:A"])
    assert "to the centre of mass of A, axes of the table, which has no poses" in result.stderr
    source.write_text(f"{head},tx [m],ty [m],tz [m],frame\nT,,,,,,,,,root\nA,T,1,1,2,3,1,0,0,own\n")
    result = CliRunner().invoke(app, ["transform", str(source), "--to-frame", "item:A"])
    assert "to the frame of A, its origin and its axes" in result.stderr
    assert result.stdout.splitlines()[1:] == ["T,,,,,,-1,0,0,root", "A,T,1,1,2,3,1,0,0,own"]
