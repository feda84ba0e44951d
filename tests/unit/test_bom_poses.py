"""Tables with poses and patterns against matrices of the test, and what is wrong with them."""

from __future__ import annotations

import io
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import massprops_cli as mp
from massprops_cli.bodies.poses import Poses
from massprops_cli.bom.results.table_edit import rollup_table_edit
from tests.unit.pose_trees import FORMS, PoseTree, about_origin, results, rotation, rpy, ten_of, tensor


def bom_of(text: str, **options: object) -> mp.Bom:
    return mp.read_bom(io.StringIO(text), format="csv", **options)  # type: ignore[arg-type] # options are keywords


def rules_of(text: str, **options: object) -> list[str]:
    try:
        return [finding.rule for finding in bom_of(text, **options).findings]
    except mp.TableError as error:
        return [finding.rule for finding in error.findings]


@pytest.mark.parametrize("form", FORMS)
def test_forms_of_rotations(form: str) -> None:
    tree = PoseTree.random(1)
    result = mp.rollup(tree.read(poses=form))
    for k in np.flatnonzero(~tree.leaf):
        assert results(result.rollup, k) == pytest.approx(tree.expected(k), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("frame", ["own", "parent", "root"])
@pytest.mark.parametrize("seed", [2, 3])
def test_frames_of_numbers(frame: str, seed: int) -> None:
    tree = PoseTree.random(seed, n=20)
    result = mp.rollup(tree.read(frame))
    for k in np.flatnonzero(~tree.leaf):
        assert results(result.rollup, k) == pytest.approx(tree.expected(k), rel=1e-11, abs=1e-11)


@pytest.mark.parametrize("frame", ["own", "parent", "root"])
def test_assembly_cells_are_written_in_the_frame_of_their_rows(frame: str) -> None:
    tree = PoseTree.random(4)
    result = mp.rollup(tree.read(frame))
    fills = rollup_table_edit(result).fills
    written = {fill.column: dict(zip(fill.rows.tolist(), list(fill.values), strict=True)) for fill in fills}
    for k in np.flatnonzero(~tree.leaf):
        R, t = tree.in_root(k)
        if frame == "parent":
            own = rpy(*tree.angles[k])
            R, t = R @ own.T, t - R @ own.T @ tree.t[k]
        elif frame == "root":
            R, t = np.eye(3), np.zeros(3)
        root = tree.expected(k)
        back = R.T @ tensor(root[4:]) @ R
        expected = [root[0], *(R.T @ (root[1:4] - t)), *back[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]]
        assert [written[column][k + 1] for column in range(2, 12)] == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_rotation_and_translation_commute_with_the_roll_up() -> None:
    """The same table below one more frame: its root moves as a body."""
    tree = PoseTree.random(5)
    plain = results(mp.rollup(tree.read()).rollup, 0)
    tree.t[0], tree.angles[0] = [3.0, -2.0, 1.0], [10.0, 20.0, 30.0]
    moved = results(mp.rollup(tree.read()).rollup, 0)
    R = rpy(10, 20, 30)
    J0 = R @ tensor(plain[4:]) @ R.T
    expected = [plain[0], *(R @ plain[1:4] + tree.t[0]), *J0[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]]
    assert moved == pytest.approx(expected, rel=1e-11, abs=1e-11)


def test_inertia_about_the_origin_is_about_that_of_the_row() -> None:
    tree = PoseTree.random(6)
    text = tree.table()
    lines = text.splitlines()
    for k in np.flatnonzero(tree.leaf):
        cells = lines[k + 1].split(",")
        about = about_origin(tree.mass[k], tree.center[k], tensor(tree.inertia[k]))
        cells[6:12] = [repr(float(x)) for x in about[4:]]
        lines[k + 1] = ",".join(cells)
    result = mp.rollup(bom_of("\n".join(lines) + "\n", inertia_about="origin"))
    assert results(result.rollup, 0) == pytest.approx(tree.expected(0), rel=1e-10, abs=1e-10)


HEAD = "id,parent,mass [kg],Cx [mm],Cy [mm],Cz [mm],tx [mm],ty [mm],tz [mm]"


def test_lengths_in_another_unit() -> None:
    head = "id,parent,mass [kg],Cx [mm],Cy [mm],Cz [mm],tx [m],ty [m],tz [m],frame"
    text = f"{head}\nTop,,,,,,,,,root\nA,Top,2,1,2,3,1,0,0,own\n"
    assert mp.rollup(bom_of(text)).root.center.tolist() == [1001.0, 2.0, 3.0]


def test_poses_without_a_frame_offer_three_options() -> None:
    text = f"{HEAD}\nTop,,,,,,,,\nA,Top,2,1,2,3,10,0,0\n"
    with pytest.raises(mp.FindingsError) as error:
        mp.rollup(bom_of(text))
    finding = next(one for one in error.value.findings if one.rule == "MP703")
    assert all(f"--config frame={word}" in finding.remedy for word in ("own", "parent", "root"))
    centers = [mp.rollup(bom_of(text, frame=word)).root.center[0] for word in ("own", "parent", "root")]
    assert centers == [11.0, 1.0, 1.0]


def test_poses_of_zero_need_no_frame() -> None:
    text = f"{HEAD}\nTop,,,,,,,,\nA,Top,2,1,2,3,0,0,0\n"
    assert mp.rollup(bom_of(text)).root.center.tolist() == [1.0, 2.0, 3.0]


def test_blank_frame_of_a_row_with_numbers() -> None:
    text = f"{HEAD},frame\nTop,,,,,,,,,\nA,Top,2,1,2,3,10,0,0,\nB,Top,2,1,2,3,10,0,0,own\n"
    finding = next(f for f in bom_of(text).findings if f.rule == "MP703")
    assert finding.item == "A"
    assert mp.rollup(bom_of(text, frame="parent")).root.center[0] == 6.0


def test_angles_without_a_unit() -> None:
    text = f"{HEAD},roll,pitch,yaw,frame\nTop,,,,,,,,,,,,root\nA,Top,2,1,0,0,0,0,0,0,0,90,own\n"
    assert "MP704" in rules_of(text)
    assert mp.rollup(bom_of(text, unit={"angle": "deg"})).root.center.tolist() == [0.0, 1.0, 0.0]
    assert "MP704" not in rules_of(text.replace(",90,", ",0,"))


def test_units_of_angles_that_are_none() -> None:
    text = f"{HEAD},roll,pitch,yaw,frame\nTop,,,,,,,,,,,,root\nA,Top,2,1,0,0,0,0,0,0,0,90,own\n"
    assert "MP207" in rules_of(text, unit={"angle": "mm"})


@pytest.mark.parametrize(
    ("header", "cells", "words"),
    [
        (",".join(FORMS["cosines"]), "1,0,0,0,1,0,0,0,-1", "left-handed: determinant -1"),
        (",".join(FORMS["cosines"]), "1,0,0,0,1,0,0,0.5,1", "not orthonormal: defect 0.75"),
        ("qw,qx,qy,qz", "1,1,0,0", "length 1.41421"),
        ("ax,ay,az,angle [deg]", "0,0,0,30", "length 0"),
    ],
)
def test_rotations_that_are_none_show_their_defect(header: str, cells: str, words: str) -> None:
    blank = "," * header.count(",")
    bom = bom_of(f"{HEAD},frame,{header}\nTop,,,,,,,,,root,{blank}\nA,Top,2,1,2,3,0,0,0,own,{cells}\n")
    finding = next(one for one in bom.findings if one.rule == "MP705")
    assert words in finding.message
    assert finding.remedy
    assert finding.place.line == 3


def test_defect_of_a_skew_matrix() -> None:
    """Rows (1,0,0), (0,1,0), (0,½,1): R Rᵀ − 1 has the entries ½, ½ and ¼, whose norm is 0.75."""
    assert np.sqrt(0.5**2 + 0.5**2 + 0.25**2) == 0.75


def test_rounded_cosines_are_made_orthonormal() -> None:
    cells = "0.866,-0.5,0,0.5,0.866,0,0,0,1"
    text = f"{HEAD},frame,{','.join(FORMS['cosines'])}\nTop,,,,,,,,,root{',' * 9}\nA,Top,2,1,0,0,0,0,0,own,{cells}\n"
    center = mp.rollup(bom_of(text)).root.center
    assert np.linalg.norm(center) == pytest.approx(1.0, abs=1e-12)
    assert center[:2] == pytest.approx([np.cos(np.pi / 6), 0.5], abs=1e-3)


@pytest.mark.parametrize(
    ("head", "row"),
    [
        (f"{HEAD},frame", "A,Top,2,1,2,3,0,,0,own"),
        (f"{HEAD},frame", "A,Top,2,1,2,3,0,0,0,mine"),
        (f"{HEAD},roll [deg],pitch [deg],frame", "A,Top,2,1,2,3,0,0,0,5,5,own"),
        (f"{HEAD},roll [deg],pitch [deg],yaw [deg],qw,qx,qy,qz,frame", "A,Top,2,1,2,3,0,0,0,0,0,9,1,0,0,0,own"),
    ],
)
def test_incomplete_poses(head: str, row: str) -> None:
    top = "Top" + "," * head.count(",")
    assert "MP706" in rules_of(f"{head}\n{top}\n{row}\n")


def test_cells_that_are_not_numbers_are_reported_once() -> None:
    text = f"{HEAD},frame\nTop,,,,,,,,,root\nA,Top,2,1,2,3,x,0,0,own\n"
    assert [rule for rule in rules_of(text) if rule.startswith(("MP2", "MP7"))] == ["MP205"]


def test_parts_below_a_bad_pose_have_no_place() -> None:
    text = f"{HEAD},frame\nTop,,,,,,,,,root\nArm,Top,,,,,0,,0,own\nA,Arm,2,1,2,3,0,0,0,own\nB,Top,1,5,0,0,0,0,0,own\n"
    result = mp.rollup(bom_of(text), keep_going=True)
    assert result.root.mass == 3.0
    assert result.rollup.coverage.mass_share_center[0] == pytest.approx(1 / 3)
    assert result.root.center.tolist() == [5.0, 0.0, 0.0]


def test_headers_of_other_tools_and_maps() -> None:
    head = "id,parent,mass [kg],Cx [mm],Cy [mm],Cz [mm],X offset [mm],Y offset [mm],Z offset [mm]"
    head += ",reference frame,yaw_deg,pitch_deg,roll_deg"
    text = f"{head}\nTop,,,,,,,,,root,,,\nA,Top,2,1,0,0,10,0,0,own,90,0,0\n"
    assert mp.rollup(bom_of(text)).root.center.tolist() == [10.0, 1.0, 0.0]
    text = "id,parent,mass,Cx,Cy,Cz,u,v,w\nTop,,,,,,,,\nA,Top,2,1,0,0,10,0,0\n"
    bom = bom_of(text, map={"tx": "u", "ty": "v", "tz": "w"}, frame="own")
    assert mp.rollup(bom).root.center.tolist() == [11.0, 0.0, 0.0]


def test_short_names_alone_are_not_read() -> None:
    text = "id,parent,mass [kg],frame,angle,pitch\nTop,,,A,1,2\nA,Top,2,B,3,4\n"
    bom = bom_of(text)
    assert bom.poses is None
    assert not {"frame", "angle", "pitch"} & bom.columns.by_quantity.keys()


EDGES = "parent,child,qty,mass [kg],Cx [m],Cy [m],Cz [m],tx [m],ty [m],tz [m],yaw [deg],pitch [deg],roll [deg]"


def test_one_part_in_several_places() -> None:
    """A wheel with its centre at (0.1, 0, 0), used at y = ±1, once turned by half a turn."""
    uses = "Car,Wheel,1,10,0.1,0,0,0,1,0,0,0,0\nCar,Wheel,1,,,,,0,-1,0,180,0,0\n"
    text = f"{EDGES}\n,Car{',' * 11}\n{uses}Car,Body,1,100,0,0,1,0,0,0,0,0,0\n"
    bom = bom_of(text, frame="own")
    assert "MP318" not in {finding.rule for finding in bom.findings}
    result = mp.rollup(bom)
    assert result.root.mass == 120.0
    assert result.root.center.tolist() == pytest.approx([0.0, 0.0, 100 / 120], abs=1e-15)


def test_circular_pattern_is_a_ring() -> None:
    """Eight points of 0.5 kg on a circle of 0.15 m: Izz = m r², Ixx = Iyy = m r²/2."""
    text = (
        f"{EDGES},pattern,pattern_axis,Ipoint\n,Hub{',' * 14}\nHub,Spoke,8,0.5,0.1,0,0,0.05,0,0,0,0,0,circular,z,yes\n"
    )
    body = mp.rollup(bom_of(text, frame="own")).root
    assert body.mass == 4.0
    assert body.center.tolist() == pytest.approx([0, 0, 0], abs=1e-15)


INERTIA = "Ixx [kg*m^2],Iyy [kg*m^2],Izz [kg*m^2],Ixy [kg*m^2],Ixz [kg*m^2],Iyz [kg*m^2],POIconv"


@pytest.mark.parametrize("n", [1, 3, 8])
def test_patterns_have_their_spread(n: int) -> None:
    head = f"id,parent,qty,mass [kg],Cx [m],Cy [m],Cz [m],{INERTIA},tx [m],ty [m],tz [m],frame,pattern"
    head += ",pattern_axis,pattern_pitch [m],pattern_angle [deg],pattern_point [m]"
    ring = f"Ring,Top,{n},2,0.1,0.2,0.3,1,2,2.5,0.1,0.2,0.3,-,1,0,0,own,circular,0 1 1,,25,0 0 1"
    line = f"Line,Top,{n},3,0.1,0.2,0.3,1,2,2.5,0,0,0,-,0,0,0,own,linear,,0.1 0.2 0.3,,"
    text = f"{head}\nTop{',' * 12},-{',' * 3},root{',' * 5}\n{ring}\n{line}\n"
    J0 = tensor(np.array([1, 2, 2.5, 0.1, 0.2, 0.3]))
    total = np.zeros(10)
    u = np.array([0, 1, 1]) / np.sqrt(2)
    K = np.array([[0, -u[2], u[1]], [u[2], 0, -u[0]], [-u[1], u[0], 0]])
    point = np.array([0.0, 0, 1])
    for k in range(n):
        angle = np.deg2rad(25 * k)
        R = np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K
        place = R @ (np.array([1.1, 0.2, 0.3]) - point) + point
        total += about_origin(2.0, place, R @ J0 @ R.T)
        total += about_origin(3.0, np.array([0.1, 0.2, 0.3]) * (1 + k), tensor(np.array([1, 2, 2.5, 0, 0, 0])))
    result = mp.rollup(bom_of(text))
    assert results(result.rollup, result.root_item) == pytest.approx(ten_of(total), rel=1e-12, abs=1e-12)
    assert [f.rule for f in result.findings if f.rule in ("MP318", "MP401", "MP410")] == []


def test_pattern_of_an_assembly_has_all_its_parts() -> None:
    head = f"{HEAD},frame,qty,pattern,pattern_pitch [mm]"
    box = "Box,Top,,,,,1,0,0,own,3,linear,0 0 100\nA,Box,2,5,0,0,10,0,0,own,,,\nB,Box,1,0,0,0,0,0,0,own,2,,\n"
    text = f"{head}\nTop,,,,,,,,,root,,,\n{box}"
    result = mp.rollup(bom_of(text))
    assert result.root.mass == 12.0
    assert result.root.center == pytest.approx([(2 * 16 + 2 * 1) / 4, 0, 100], rel=1e-14)
    assert "Box#3" in result.bom.ids
    assert len(set(result.bom.ids)) == len(result.bom.ids) == 10


def test_numbers_of_a_pattern_in_the_frame_of_the_root_are_those_of_the_first_piece() -> None:
    head = f"{HEAD},frame,qty,pattern,pattern_pitch [mm]"
    text = f"{head}\nTop,,,,,,,,,root,,,\nA,Top,2,5,1,2,7,0,0,root,3,linear,10 0 0\n"
    assert mp.rollup(bom_of(text)).root.center.tolist() == [15.0, 1.0, 2.0]


@pytest.mark.parametrize(
    "cells", ["4,linear,20", "4,round,20 0 0", ",linear,20 0 0", "2.5,linear,20 0 0", "-2,linear,20 0 0", "4,linear,"]
)
def test_patterns_that_are_none(cells: str) -> None:
    text = f"{HEAD},frame,qty,pattern,pattern_pitch [mm]\nTop,,,,,,,,,root,,,\nA,Top,2,5,0,0,0,0,0,own,{cells}\n"
    assert "MP707" in rules_of(text)


def test_root_below_keeps_the_frame_of_the_table() -> None:
    tree = PoseTree.random(7)
    inner = int(np.flatnonzero(~tree.leaf)[1])
    bom = mp.read_bom(io.StringIO(tree.table()), format="csv", root=f"i{inner}")
    result = mp.rollup(bom)
    assert results(result.rollup, result.root_item) == pytest.approx(tree.expected(inner), rel=1e-11, abs=1e-11)


def test_quarter_turns_are_exact() -> None:
    R = rotation(2, np.pi / 2)
    assert pytest.approx([0, 1, 0]) == R @ [1, 0, 0]
    text = f"{HEAD},frame,yaw [deg],pitch [deg],roll [deg]\nTop,,,,,,,,,root,,,\nA,Top,2,1,2,3,0,0,0,own,90,0,0\n"
    assert mp.rollup(bom_of(text)).root.center.tolist() == [-2.0, 1.0, 3.0]


def exact_tensor(bodies: list[tuple[float, list[Any], tuple[float, ...]]]) -> np.ndarray:
    """Point masses (mass, [(rotation, translation), …] from the root, centre) about their centre, in fractions."""
    points = []
    for _, path, center in bodies:
        v = [Fraction(x) for x in center]
        for R, t in reversed(path):
            v = [sum((Fraction(float(R[a, b])) * v[b] for b in range(3)), Fraction(t[a])) for a in range(3)]
        points.append(v)
    masses = [Fraction(one[0]) for one in bodies]
    c = [sum(m * p[a] for m, p in zip(masses, points, strict=True)) / sum(masses) for a in range(3)]
    away = [[p[a] - c[a] for a in range(3)] for p in points]
    second = [[sum(m * d[a] * d[b] for m, d in zip(masses, away, strict=True)) for b in range(3)] for a in range(3)]
    trace = second[0][0] + second[1][1] + second[2][2]
    return np.array([[float((trace if a == b else 0) - second[a][b]) for b in range(3)] for a in range(3)])


FAR_COLUMNS = (
    "id,parent,mass,Cx,Cy,Cz,Ixx,Iyy,Izz,Ixy,Ixz,Iyz,POIconv,Ipoint,sigma_mass,sigma_Cx,sigma_Cy,sigma_Cz,"
    "tx [m],ty [m],tz [m],roll [deg],pitch [deg],yaw [deg]"
)


def far_table(far: float, yaw: float) -> str:
    """Two frames, one turned, far from the origin of the root and near each other."""

    def row(name: str, parent: str, center: tuple[float, ...] | None, pose: tuple[float, ...]) -> str:
        numbers = [*center, *[0] * 6, "-", "true", 0.1, 0.01, 0.02, 0.03] if center else ["", *[""] * 9, "-", *[""] * 5]
        return ",".join(str(one) for one in [name, parent, *numbers, *pose, *[0] * (6 - len(pose))])

    return "\n".join(
        [
            FAR_COLUMNS,
            row("R", "", None, ()),
            row("A", "R", None, (far, 0, 0, 0, 0, yaw)),
            row("a", "A", (1, 1, 0, 0), ()),
            row("b", "A", (2, 0, 0.25, 0.125), (0.5, 0.7, 0, 0, 0, 11)),
            row("B", "R", None, (far + 3, 0, -far)),
            row("c", "B", (1, 0.1, 0, far), ()),
        ]
    )


@pytest.mark.spread(3)
@pytest.mark.parametrize("frame", ["own", "parent"])
@pytest.mark.parametrize("far", [1e3, 1e6, 1e9, 1e12])
@pytest.mark.parametrize("yaw", [0.0, 37.0, 90.0])
def test_poses_far_out_keep_the_digits_of_their_differences(far: float, yaw: float, frame: str) -> None:
    result, near = (mp.rollup(bom_of(far_table(one, yaw), frame=frame)) for one in (far, 0.0))
    turn, twist, still = (Poses.from_rpy([[0.0, 0, 0]], [[0, 0, one]], "deg").rotation[0] for one in (yaw, 11.0, 0.0))
    to_a, to_b = (turn, (far, 0.0, 0.0)), (still, (far + 3, 0.0, -far))
    to_child = [to_a, (twist, (0.5, 0.7, 0.0))] if frame == "own" else [to_a]
    bodies = [(1.0, [to_a], (1.0, 0.0, 0.0)), (2.0, to_child, (0.0, 0.25, 0.125)), (1.0, [to_b], (0.1, 0.0, far))]
    expected = exact_tensor(bodies)
    assert result.root.inertia == pytest.approx(expected, rel=1e-13, abs=1e-14 * np.abs(expected).max())
    # the branch has the tensor and the sigmas that it has near the origin
    assert result["A"].inertia == pytest.approx(near["A"].inertia, rel=1e-13, abs=1e-14)
    assert result["A"].sigma_center == pytest.approx(near["A"].sigma_center, rel=1e-13, abs=1e-14)
    assert result["A"].center == pytest.approx(near["A"].center + np.array([far, 0, 0]), rel=1e-15)
