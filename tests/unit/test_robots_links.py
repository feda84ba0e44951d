"""Two robots compared link by link: matched names, joined links, frames, and mistakes that are made here."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import massprops_cli as mp
from massprops_cli.bodies.poses import Poses
from massprops_cli.reports.diff import diff_lines
from massprops_cli.revisions.comparison import result_waterfall
from massprops_cli.revisions.diff import Diff

MASS, CENTER = 2.0, np.array([0.05, -0.02, 0.11])
MOMENTS = np.diag([0.010, 0.014, 0.019])
ANGLES = (0.3, -0.5, 0.8)
TURN = Poses.from_rpy([(0, 0, 0)], [ANGLES], "rad").rotation[0]
TENSOR = TURN @ MOMENTS @ TURN.T


def texts(values: Sequence[float]) -> str:
    return " ".join(repr(float(value)) for value in values)


def urdf_link(name: str, mass: float = MASS, center=CENTER, tensor=TENSOR, rpy=(0, 0, 0)) -> str:
    xx, yy, zz, xy, xz, yz = tensor[(0, 1, 2, 0, 0, 1), (0, 1, 2, 1, 2, 2)]
    return (
        f'<link name="{name}"><inertial><origin xyz="{texts(center)}" rpy="{texts(rpy)}"/><mass value="{mass!r}"/>'
        f'<inertia ixx="{xx}" iyy="{yy}" izz="{zz}" ixy="{xy}" ixz="{xz}" iyz="{yz}"/></inertial></link>'
    )


def urdf_joint(parent: str, child: str, kind: str = "revolute", xyz: str = "0 0 0.3") -> str:
    return (
        f'<joint name="{child}_joint" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{xyz}"/></joint>'
    )


def mjcf_inertial(mass: float = MASS, center=CENTER, tensor=TENSOR) -> str:
    xx, yy, zz, xy, xz, yz = tensor[(0, 1, 2, 0, 0, 1), (0, 1, 2, 1, 2, 2)]
    return f'<inertial mass="{mass!r}" pos="{texts(center)}" fullinertia="{texts((xx, yy, zz, xy, xz, yz))}"/>'


def compared(folder: Path, old: str, new: str) -> Diff:
    """Compare the links of a URDF file with the bodies of an MJCF file, or with another URDF file."""
    (folder / "a.urdf").write_text(f'<robot name="r">{old}</robot>')
    name = "b.urdf" if "<link" in new else "b.xml"
    whole = f'<robot name="r">{new}</robot>'
    (folder / name).write_text(whole if "<link" in new else f"<mujoco><worldbody>{new}</worldbody></mujoco>")
    answer = mp.diff(folder / "a.urdf", folder / name, keep_going=True)
    assert answer.links is not None
    return answer


def only_reasons(answer: Diff) -> tuple[str, ...]:
    (link,) = answer.links.links
    return link.reasons


def test_same_robot_in_two_formats(tmp_path: Path) -> None:
    body = (
        f'<body name="base">{mjcf_inertial()}<body name="arm" pos="0 0 .3"><joint/>{mjcf_inertial(1.5)}</body></body>'
    )
    old = urdf_link("base") + urdf_link("arm", 1.5) + urdf_joint("base", "arm")
    links = compared(tmp_path, old, body).links
    assert [(one.name, one.is_same) for one in links.links] == [("base", True), ("arm", True)]
    assert max(max(one.differences) for one in links.links) < 1e-12
    assert (links.only_old, links.only_new, links.equal, links.renamed) == ({}, {}, [], "")


@pytest.mark.parametrize("stated", ["rpy", "quat", "neither"])
def test_conjugated_frame_is_named(tmp_path: Path, stated: str) -> None:
    """The tensor of one file is Rᵀ D R: its principal moments are those of R D Rᵀ."""
    other = TURN.T @ MOMENTS @ TURN
    if stated == "rpy":  # the old file states R and D, the new one the tensor of the inverse rotation
        old, new = urdf_link("arm", tensor=MOMENTS, rpy=ANGLES), mjcf_inertial(tensor=other)
    elif stated == "quat":  # the new file states the inverse quaternion
        (w, x, y, z), old = Poses(np.zeros((1, 3)), TURN[None]).quaternions()[0], urdf_link("arm")
        new = f'<inertial mass="2" pos="{texts(CENTER)}" quat="{texts((w, -x, -y, -z))}" diaginertia=".01 .014 .019"/>'
    else:
        old, new = urdf_link("arm"), mjcf_inertial(tensor=other)
    answer = compared(tmp_path, old, f'<body name="arm">{new}</body>')
    (reason,) = only_reasons(answer)
    assert reason.startswith("principal frame conjugated")
    (link,) = answer.links.links
    np.testing.assert_allclose(link.old.moments, link.new.moments, rtol=1e-12)
    np.testing.assert_allclose(link.old.moments, np.diagonal(MOMENTS), rtol=1e-12)
    finding = next(one for one in answer.comparison_findings if one.rule == "MP647")
    assert (finding.item, finding.place.line, "conjugated" in finding.message) == ("arm", 1, True)


def test_quaternion_and_angles_of_another_convention(tmp_path: Path) -> None:
    w, x, y, z = Poses(np.zeros((1, 3)), TURN[None]).quaternions()[0]
    new = f'<inertial mass="2" pos="{texts(CENTER)}" quat="{texts((x, y, z, w))}" diaginertia=".01 .014 .019"/>'
    (reason,) = only_reasons(compared(tmp_path, urdf_link("arm"), f'<body name="arm">{new}</body>'))
    assert reason.startswith("quaternion in the other order")
    roll, pitch, yaw = Poses.from_rpy(np.zeros((3, 3)), np.diag(ANGLES), "rad").rotation
    moving = roll @ pitch @ yaw
    old, new = urdf_link("arm", tensor=MOMENTS, rpy=ANGLES), mjcf_inertial(tensor=moving @ MOMENTS @ moving.T)
    (reason,) = only_reasons(compared(tmp_path, old, f'<body name="arm">{new}</body>'))
    assert reason.startswith("angles about moving axes")


_SWAPPED = TENSOR[np.ix_([1, 0, 2], [1, 0, 2])]
_CASES = [
    ({"mass": 2000.0}, ["mass × 1000 (kg and g)"]),
    ({"mass": 2 / 0.45359237}, ["mass × 2.20462 (kg and lb)"]),
    ({"mass": 2 * 9.80665, "tensor": TENSOR * 9.80665},
     ["mass × 9.80665 (kg and N)", "tensor × 9.80665 (mass and weight)"]),
    ({"mass": 3.0, "tensor": TENSOR * 1.5}, ["tensor × 1.5, as the mass"]),
    ({"center": CENTER * 1000}, ["centre × 1000 (m and mm)"]),
    ({"center": CENTER * (1, -1, 1)}, ["centre with the other sign of y"]),
    ({"tensor": TENSOR * 1e-6}, ["tensor × 1e-06 (kg·m² and kg·mm²)"]),
    ({"tensor": TENSOR * 3}, ["tensor × 3"]),
    ({"tensor": 2 * np.diag(np.diagonal(TENSOR)) - TENSOR},
     ["tensor is that of the other file with the other sign of the products"]),
    ({"tensor": TENSOR + MASS * (CENTER @ CENTER * np.eye(3) - np.outer(CENTER, CENTER))},
     ["tensor of b.urdf is about the origin of the link, not about its centre of mass"]),
    ({"tensor": TENSOR * 1.0002}, []),
]  # fmt: skip


@pytest.mark.parametrize(("change", "expected"), _CASES)
def test_mistakes_are_named(tmp_path: Path, change: dict, expected: list[str]) -> None:
    answer = compared(tmp_path, urdf_link("arm"), urdf_link("arm", **change))
    assert list(only_reasons(answer)) == expected
    assert sum(one.count for one in answer.comparison_findings if one.rule == "MP647") == len(expected)


def test_any_other_tensor_has_no_reason_but_its_angle(tmp_path: Path) -> None:
    turn = Poses.from_rpy([(0, 0, 0)], [(0.2, 0.0, 0.0)], "rad").rotation[0]
    (reason,) = only_reasons(
        compared(tmp_path, urdf_link("arm", tensor=MOMENTS), urdf_link("arm", tensor=turn @ MOMENTS @ turn.T))
    )
    assert reason == f"principal moments are the same, axes turned by {np.degrees(0.2):.3g}°"
    tensor = MOMENTS + np.diag([0.001, 0, 0])
    assert only_reasons(compared(tmp_path, urdf_link("arm", tensor=MOMENTS), urdf_link("arm", tensor=tensor))) == ()


def test_links_that_are_fixed_are_joined(tmp_path: Path) -> None:
    """The new file has the foot in the shank: m, c and I of both by the parallel axis theorem, written out here."""
    at, small = np.array([0.0, 0.0, -0.2]), np.diag([1e-4, 2e-4, 2.5e-4])
    foot = at + np.array([0.01, 0, 0])
    mass = MASS + 0.25
    center = (MASS * CENTER + 0.25 * foot) / mass
    whole = np.zeros((3, 3))
    for m, c, tensor in ((MASS, CENTER, TENSOR), (0.25, foot, small)):
        d = c - center
        whole += tensor + m * (d @ d * np.eye(3) - np.outer(d, d))
    old = urdf_link("base") + urdf_link("shank") + urdf_link("foot", 0.25, np.array([0.01, 0, 0]), small)
    old += urdf_joint("base", "shank") + urdf_joint("shank", "foot", "fixed", texts(at))
    new = f'<body name="base">{mjcf_inertial()}<body name="shank" pos="0 0 .3"><joint/>'
    new += mjcf_inertial(mass, center, whole)
    links = compared(tmp_path, old, f"{new}</body></body>").links
    assert [(one.name, one.is_same, one.old.joined) for one in links.links] == [
        ("base", True, ()),
        ("shank", True, ("foot",)),
    ]
    moving = old.replace('type="fixed"', 'type="continuous"')  # a link that moves is not a part of another one
    links = compared(tmp_path, moving, f"{new}</body></body>").links
    assert [one.is_same for one in links.links] == [True, False]
    assert links.only_old == {"foot": 0.25}


def test_names_with_a_prefix_and_links_with_other_names(tmp_path: Path) -> None:
    old = "".join(urdf_link(f"panda_{name}", m) for name, m in (("link0", 1.0), ("link1", 2.0), ("tool", 3.0)))
    old += urdf_joint("panda_link0", "panda_link1") + urdf_joint("panda_link1", "panda_tool")
    new = f'<body name="link0">{mjcf_inertial(1.0)}<body name="Link_1" pos="0 0 .3"><joint/>{mjcf_inertial()}'
    new += f'<body name="gripper" pos="0 0 .3"><joint/>{mjcf_inertial(3.0)}</body></body></body>'
    links = compared(tmp_path, old, new).links
    assert [(one.old_name, one.name, one.is_same) for one in links.links] == [
        ("panda_link0", "link0", True), ("panda_link1", "Link_1", True)
    ]  # fmt: skip
    assert links.renamed == "2 names without the prefix panda_ of the old file"
    assert (links.only_old, links.only_new) == ({"panda_tool": 3.0}, {"gripper": 3.0})
    assert links.equal == [(("panda_tool",), ("gripper",))]


def test_frames_of_links_that_differ(tmp_path: Path) -> None:
    """The new file turns the frame of each link, and has the same bodies at the same places."""
    turn = Poses.from_rpy([(0, 0, 0)], [(np.pi / 2, 0, 0)], "rad").rotation[0]
    places = ("0 0 0.3", "0.2 0 0", "0 0.1 0.4")
    names = ("base", "a", "b", "c")
    old = "".join(map(urdf_link, names))
    old += "".join(urdf_joint(*pair, xyz=at) for pair, at in zip(itertools.pairwise(names), places, strict=True))
    inner = ""
    for k in (3, 2, 1):
        at = [float(word) for word in places[k - 1].split()]
        own = f"<joint/>{mjcf_inertial(center=turn.T @ CENTER, tensor=turn.T @ TENSOR @ turn)}{inner}</body>"
        quat = 'quat="0.7071067811865476 0.7071067811865476 0 0"' if k == 1 else ""
        inner = f'<body name="{names[k]}" pos="{texts(at if k == 1 else turn.T @ at)}" {quat}>{own}'
    answer = compared(tmp_path, old, f'<body name="base" pos="0 0 1">{mjcf_inertial()}{inner}</body>')
    assert [one.is_same for one in answer.links.links] == [True] * 4
    assert [one.frame for one in answer.links.links] == ["", *["frames of the link differ by 0 m and 90°"] * 3]
    assert "3 in other frames of the link" in diff_lines(answer, result_waterfall(answer, "mass"))


def test_sdf_against_urdf_and_one_link(tmp_path: Path) -> None:
    entries = zip(
        ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"), TENSOR[(0, 1, 2, 0, 0, 1), (0, 1, 2, 1, 2, 2)], strict=True
    )
    inertia = "".join(f"<{name}>{value!r}</{name}>" for name, value in ((name, float(v)) for name, v in entries))
    link = f"<inertial><mass>2</mass><pose>{texts(CENTER)} 0 0 0</pose><inertia>{inertia}</inertia></inertial>"
    (tmp_path / "a.sdf").write_text(f'<sdf version="1.9"><model name="m"><link name="arm">{link}</link></model></sdf>')
    (tmp_path / "b.urdf").write_text(f'<robot name="m">{urdf_link("arm")}</robot>')
    answer = mp.diff(tmp_path / "a.sdf", tmp_path / "b.urdf")
    assert [one.is_same for one in answer.links.links] == [True]
    assert json.loads(json.dumps(answer.to_dict()))["links"]["compared"][0]["after"]["mass"] == 2
    table = tmp_path / "t.csv"
    table.write_text("id,parent,mass\nr,,\na,r,1\n")
    assert mp.diff(table, table).links is None


def test_report_of_the_command_line(tmp_path: Path, massprops) -> None:
    compared(
        tmp_path,
        urdf_link("arm") + urdf_link("lost") + urdf_joint("arm", "lost"),
        urdf_link("arm", 2.5, CENTER * (1, -1, 1)),
    )
    files = tmp_path / "a.urdf", tmp_path / "b.urdf"
    done = massprops("diff", *files)
    assert done.exit_code == 0
    assert "1 link in both files, 0 the same, 1 differs; 1 link with a mass in one file only" in done.output
    assert "centre with the other sign of y" in done.output
    assert "in the old file only: lost 2 kg" in done.output
    assert massprops("diff", *files, "--fail-on", "warning").exit_code == 1
    assert "mass of arm" in massprops("diff", *files, "--top", "5").output  # the waterfall of items on request
    assert "| arm | mass | 2 | 2.5 | +25 % | kg |" in massprops("diff", *files, "--format", "md").output
    out = tmp_path / "links.csv"
    assert massprops("diff", *files, "-o", out).exit_code == 0
    first, *rows = out.read_text().splitlines()
    assert first.startswith("link,links_before,links_after,mass_before")
    assert [row.split(",")[0] for row in rows] == ["arm", "lost"]
    lines = massprops("diff", *files, "--format", "jsonl").output.splitlines()
    assert json.loads(lines[0])["reasons"] == ["centre with the other sign of y"]


def converted(folder: Path, massprops: Any, old: str, new: str, *options: str) -> tuple[Any, str]:
    """Write the inertials of a URDF file into an MJCF file; the result, and the written file or none."""
    (folder / "a.urdf").write_text(f'<robot name="r">{old}</robot>')
    (folder / "b.xml").write_text(f"<mujoco>\n <worldbody>{new}</worldbody>\n</mujoco>\n")
    out = folder / "out.xml"
    done = massprops("convert", folder / "a.urdf", "--into-robot", folder / "b.xml", "-o", out, *options)
    return done, out.read_text() if out.exists() else ""


def test_inertials_of_a_robot_are_written_into_another_format(tmp_path: Path, massprops) -> None:
    """Names with a prefix, a fixed tool that the other file does not have; all other bytes are kept."""
    old = urdf_link("r_base") + urdf_link("r_arm", 1.5, (0.0, 0.0, 0.1), np.diag([0.01, 0.02, 0.03]))
    old += urdf_link("r_tool", 0.5, (0.0, 0.0, 0.0), np.diag([0.001, 0.002, 0.003]))
    old += urdf_joint("r_base", "r_arm") + urdf_joint("r_arm", "r_tool", "fixed", "0 0 0.5")
    new = '<body name="base">INERTIAL<!-- kept --><body name="arm" pos="0 0 .3">\n<joint/>\n'
    new = (
        new.replace("INERTIAL", mjcf_inertial()) + '<inertial pos="0 0 0" mass="9" diaginertia="1 1 1"/></body></body>'
    )
    done, text = converted(tmp_path, massprops, old, new)
    assert done.exit_code == 0, done.output
    # 1.5 kg at 0.1 m and 0.5 kg at 0.5 m: centre 0.2 m, 1.5·0.1² + 0.5·0.3² = 0.06 kg·m² about x and y
    assert text == (tmp_path / "b.xml").read_text().replace(
        'pos="0 0 0" mass="9" diaginertia="1 1 1"', 'pos="0 0 0.2" mass="2" diaginertia="0.071 0.082 0.033"'
    )
    assert "2 names without the prefix r_ of the old file" in done.output
    answer = mp.diff(tmp_path / "a.urdf", tmp_path / "out.xml")
    assert [(one.name, one.is_same, one.old.joined) for one in answer.links.links] == [
        ("base", True, ()), ("arm", True, ("r_tool",))
    ]  # fmt: skip


def test_links_that_move_or_are_elsewhere_are_not_written(tmp_path: Path, massprops) -> None:
    old = urdf_link("base") + urdf_link("arm", 1.5) + urdf_link("finger", 0.5)
    old += urdf_joint("base", "arm") + urdf_joint("arm", "finger", "prismatic")
    body = '<body name="base">{}<body name="arm" pos="{}"><joint/><inertial pos="0 0 0" mass="9" diaginertia="1 1 1"/>'
    done, text = converted(tmp_path, massprops, old, body.format(mjcf_inertial(), "0 0 .3") + "</body></body>")
    assert done.exit_code == 0
    assert 'mass="1.5"' in text  # without the finger, which moves in it
    assert "finger is not a link of the robot" in done.output
    (tmp_path / "out.xml").unlink()
    done, text = converted(tmp_path, massprops, old, body.format(mjcf_inertial(), "0 .2 .3") + "</body></body>")
    assert (done.exit_code, text) == (1, "")
    assert "MP888" in done.output
    assert "link arm is at another place" in done.output


def test_masses_that_count_in_addition(tmp_path: Path, massprops) -> None:
    new = f'<body name="arm">{mjcf_inertial(5.0)}<body name="cover" pos="0 0 .3">{mjcf_inertial(0.5)}</body></body>'
    done, text = converted(tmp_path, massprops, urdf_link("arm"), new)
    assert done.exit_code == 0
    assert 'mass="2"' in text
    assert "masses of links that are fixed to arm count in addition: cover" in done.output
    whole = mp.rollup(mp.read_bom(tmp_path / "b.xml")).root  # of arm and cover: the robot already has this body
    full = whole.inertia
    done, _ = converted(tmp_path, massprops, urdf_link("arm", whole.mass, whole.center, full), new)
    assert "0 inertials changed" in done.output
