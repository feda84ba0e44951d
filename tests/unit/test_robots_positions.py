"""Positions of joints of a URDF robot: closed forms, units, limits, joints that follow others, named poses."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import massprops_cli as mp
from massprops_cli.findings.finding import Findings, UsageError
from massprops_cli.robots.robot_model import at_positions
from massprops_cli.robots.urdf import read_urdf_model

BODY = '<inertial><origin xyz="{xyz}"/><mass value="{mass}"/><inertia ixx="1" iyy="2" izz="2.5"/></inertial>'


def robot(*joints: str) -> str:
    """A base of 1 kg at its origin, and a link of 3 kg at 1 m along x for each joint after the other."""
    links = f'<link name="l0">{BODY.format(xyz="0 0 0", mass=1)}</link>'
    for k, joint in enumerate(joints):
        links += f'<link name="l{k + 1}">{BODY.format(xyz="1 0 0", mass=3)}</link>'
        links += f'<joint name="j{k + 1}" {joint}<parent link="l{k}"/><child link="l{k + 1}"/></joint>'
    return f'<robot name="arm">{links}</robot>'


def root(text: str, folder: Path, **options: Any) -> Any:
    """The roll-up of a robot."""
    (folder / "arm.urdf").write_text(text)
    return mp.rollup(mp.read_bom(folder / "arm.urdf", **options)).root


@pytest.mark.parametrize(
    ("joint", "q", "center"),
    [
        ('type="revolute"><axis xyz="0 0 1"/>', math.pi / 2, [0, 1, 0]),
        ('type="revolute"><axis xyz="0 0 1"/>', "90 deg", [0, 1, 0]),
        ('type="continuous"><axis xyz="0 -3 0"/>', "90°", [0, 0, 1]),  # the axis is not normalised
        ('type="prismatic"><axis xyz="0 0 2"/>', 0.25, [1, 0, 0.25]),
        ('type="prismatic"><axis xyz="0 0 2"/>', "250 mm", [1, 0, 0.25]),
        ('type="planar"><axis xyz="0 0 1"/>', "2 3 " + repr(math.pi), [1, 3, 0]),
        ('type="floating">', f"1 2 3 0 {-math.pi / 2!r} 0", [1, 2, 4]),
        ('type="floating">', "1 2 3 0 0 2 2", [1, 3, 3]),  # a quaternion x y z w of 90° about z
        ('type="revolute"><origin xyz="0 0 5" rpy="0 0 1.5707963267948966"/><axis xyz="0 0 1"/>', "90 deg", [-1, 0, 5]),
    ],
)
def test_center_of_a_moved_link(joint: str, q: float | str, center: list[float], tmp_path: Path) -> None:
    found = root(robot(joint), tmp_path, q={"j1": q})
    assert found.mass == 4
    np.testing.assert_allclose(found.center, 0.75 * np.array(center), rtol=0, atol=1e-15)


def test_tensor_of_a_turned_link(tmp_path: Path) -> None:
    # diag(1, 2, 2.5) turned by 30° about z, and 3 kg · 1 kg / 4 kg at 1 m from each other
    found = root(robot('type="revolute"><axis xyz="0 0 1"/>'), tmp_path, q={"j1": "30 deg"})
    c, s = math.cos(math.pi / 6), math.sin(math.pi / 6)
    turn = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    way = turn @ [1, 0, 0]
    expected = np.diag([1, 2, 2.5]) + turn @ np.diag([1, 2, 2.5]) @ turn.T + 0.75 * (np.eye(3) - np.outer(way, way))
    np.testing.assert_allclose(found.inertia, expected, rtol=0, atol=1e-14)


def test_joints_that_follow_others(tmp_path: Path) -> None:
    first = 'type="revolute"><axis xyz="0 0 1"/>'
    second = first + '<mimic joint="j1" multiplier="-2" offset="0.5"/>'
    third = first + '<mimic joint="j2"/>'
    text = robot(first, second, third)
    found = root(text, tmp_path, q={"j1": 0.25})
    angles = np.cumsum([0.25, 0.0, 0.0])  # -2 · 0.25 + 0.5 = 0, and the same
    ways = np.array([[math.cos(angle), math.sin(angle), 0] for angle in angles])
    np.testing.assert_allclose(found.center, 3 * ways.sum(axis=0) / 10, rtol=0, atol=1e-15)
    # without any position all joints are at 0, whatever their offsets
    np.testing.assert_allclose(root(text, tmp_path).center, [0.9, 0, 0], rtol=0, atol=1e-15)
    with pytest.raises(UsageError, match="joint j2 follows j1; state the position of that joint"):
        root(text, tmp_path, q={"j2": 1.0})
    with pytest.raises(UsageError, match="joints follow each other: j2 → j3 → j2"):
        root(robot(first, first + '<mimic joint="j3"/>', first + '<mimic joint="j2"/>'), tmp_path, q={"j1": 1.0})
    with pytest.raises(UsageError, match="follows a joint that is not in the file: 'j9'"):
        root(robot(first, first + '<mimic joint="j9"/>'), tmp_path, q={"j1": 1.0})


def test_limits(tmp_path: Path) -> None:
    text = robot('type="revolute"><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/>')
    for q, rules in ((1.0, []), (-1.0, []), (1.001, ["MP890"]), ("-60 deg", ["MP890"])):
        findings = Findings()
        at_positions(read_urdf_model("arm.urdf", text.encode(), Findings()), [f"j1={q}"], "arm.urdf", findings)
        assert [one.rule for one in findings] == rules
    assert "outside its limits: -1.0472 (-1 to 1 rad)" in findings[0].message
    free = robot('type="continuous"><axis xyz="0 0 1"/><limit effort="1" velocity="1"/>')
    assert root(free, tmp_path, q={"j1": 100.0}).mass == 4


@pytest.mark.parametrize(
    ("joint", "q", "message"),
    [
        ('type="revolute">', "j2=1", r"robot has no joint 'j2' \(it has j1\)"),
        ('type="fixed">', "j1=1", "joint j1 is fixed and has no position"),
        ('type="revolute">', "j1", "expected JOINT=POSITION"),
        ('type="revolute">', "j1=1 m", "is not a number, in rad, deg"),
        ('type="revolute">', "j1=nan", "is not a number"),
        ('type="revolute">', "j1=1e999", "is not a number"),
        ('type="prismatic">', "j1=1 deg", "is not a number, in m, cm, mm"),
        ('type="prismatic"><axis xyz="0 0 0"/>', "j1=1", "axis of joint j1 is zero"),
        ('type="planar"><axis xyz="0 0 1"/>', "j1=1 2", "is not x, y and an angle"),
        ('type="planar"><axis xyz="0 1 0"/>', "j1=1 2 3", "its axis is not z"),
        ('type="floating">', "j1=1 2 3", "is not x, y, z, roll, pitch, yaw"),
        ('type="floating">', "j1=1 2 3 0 0 0 0", "quaternion of joint j1 is zero"),
    ],
)
def test_positions_that_do_not_fit(joint: str, q: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        at_positions(read_urdf_model("arm.urdf", robot(joint).encode(), Findings()), [q], "arm.urdf", Findings())


def test_commands_and_named_poses(
    tmp_path: Path, massprops: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("arm.urdf").write_text(robot('type="revolute"><axis xyz="0 0 1"/>', 'type="revolute"><axis xyz="0 0 1"/>'))
    Path("massprops.toml").write_text('[pose.folded]\nj1 = 0\nj2 = "180 deg"\n')
    folded = massprops("rollup", "arm.urdf", "--pose", "folded", "-o", "a.csv", "--format", "json")
    stated = massprops("rollup", "arm.urdf", "--q", "j2=180 deg,j1=0", "-o", "b.csv")
    assert (folded.exit_code, stated.exit_code) == (0, 0)
    assert Path("a.csv").read_bytes() == Path("b.csv").read_bytes()
    both = massprops("rollup", "arm.urdf", "--pose", "folded", "--q", "j2=0", "-o", "c.csv")
    plain = massprops("rollup", "arm.urdf", "-o", "d.csv")
    assert (both.exit_code, plain.exit_code) == (0, 0)
    assert Path("c.csv").read_bytes() == Path("d.csv").read_bytes()
    bodies = [
        mp.rollup(mp.read_bom("arm.urdf", **given)).root for given in ({"pose": "folded"}, {"q": {"j2": "180 deg"}})
    ]
    np.testing.assert_array_equal(bodies[0].center, bodies[1].center)
    unknown = massprops("rollup", "arm.urdf", "--pose", "folde")
    assert unknown.exit_code == 2
    assert "unknown pose: folde; the nearest is folded" in unknown.output
    Path("massprops.toml").write_text("[pose.folded]\nj1 = true\n")
    assert "is not a position: True" in massprops("rollup", "arm.urdf").output
    Path("massprops.toml").write_text("[pose]\nfolded = 3\n")
    assert "write [pose.folded]" in massprops("rollup", "arm.urdf").output
    Path("massprops.toml").unlink()
    csv = massprops("rollup", "a.csv", "--q", "j1=1")
    assert csv.exit_code == 2
    assert "need a robot, or rows that name one: a.csv is csv" in csv.output


def test_inertia_about_the_frame_of_a_link(
    tmp_path: Path, massprops: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    # base 1 kg at 0, link 3 kg at (0, 0, 2) + (1, 0, 0); about (0, 0, 2): Iyy = 2 + 2 + 1·4 + 3·1
    Path("arm.urdf").write_text(robot('type="revolute"><origin xyz="0 0 2"/><axis xyz="0 0 1"/>'))
    result = massprops("rollup", "arm.urdf", "--about", "frame:l1", "-o", "a.csv")
    assert result.exit_code == 0
    assert "the origin of the frame of l1" in result.output
    assert "Iyy 11 " in " ".join(result.output.split())
    assert massprops("rollup", "arm.urdf", "--about", "frame:l9").exit_code == 2
    Path("b.csv").write_text("id,parent,mass [kg]\na,,\nb,a,1\n")
    assert "needs poses: b.csv has none" in massprops("rollup", "b.csv", "--about", "frame:b").output


def test_fixed_joint_does_not_follow(tmp_path: Path) -> None:
    """A fixed joint with mimic, as in the gripper of Talos, stays where it is."""
    free = 'type="revolute"><axis xyz="0 0 1"/>'
    fixed = 'type="fixed"><axis xyz="0 0 1"/><mimic joint="j1" multiplier="2" offset="0.5"/>'
    follower = free + '<mimic joint="j2" multiplier="3"/>'  # of a joint that does not move
    for joints in ((free, fixed), (free, fixed, follower)):
        with_mimic = root(robot(*joints), tmp_path, q={"j1": 0.25})
        plain = [joint.partition("<mimic")[0] for joint in joints]
        np.testing.assert_array_equal(with_mimic.center, root(robot(*plain), tmp_path, q={"j1": 0.25}).center)
    several = 'type="planar"><axis xyz="0 0 1"/><mimic joint="j1"/>'
    assert root(robot(free, several), tmp_path, q={"j1": 0.0}).mass == root(robot(free, several), tmp_path).mass
