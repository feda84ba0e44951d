"""Mechanisms of SDF files: the same as in URDF or JSON, loops, worlds, bases, and what cannot be read."""

from __future__ import annotations

import json
import math
import random

import numpy as np
import pytest

from massprops_cli import RobotReading, SpatialModel, base_parameters, read_mechanism
from massprops_cli.findings.finding import Findings, TableError

INERTIA = "<inertia><ixx>{}</ixx><iyy>{}</iyy><izz>{}</izz><ixy>0</ixy><ixz>0</ixz><iyz>0</iyz></inertia>"
BODY = "<inertial><pose>{}</pose><mass>{}</mass>" + INERTIA + "</inertial>"
NO_GRAVITY = RobotReading(("0", "0", "0"))


def sdf(*parts: str, attributes: str = "", version: str = "1.9") -> bytes:
    return f'<sdf version="{version}"><model name="m"{attributes}>{"".join(parts)}</model></sdf>'.encode()


def link(name: str, pose: str = "", inertial: str = "", reference: str = "") -> str:
    place = f'<pose relative_to="{reference}">{pose}</pose>' if pose or reference else ""
    return f'<link name="{name}">{place}{inertial or BODY.format("0 0 0 0 0 0", 1, 1, 1, 1)}</link>'


def joint(name: str, kind: str, parent: str, child: str, axis: str = "0 0 1", pose: str = "", words: str = "") -> str:
    return (
        f'<joint name="{name}" type="{kind}"><parent>{parent}</parent><child>{child}</child>{pose}'
        f"<axis><xyz{words}>{axis}</xyz></axis></joint>"
    )


def test_a_tree_in_sdf_is_the_mechanism_of_the_same_tree_in_urdf() -> None:
    """The frame of each joint is stated in the link above it, and that of the child in the joint, as in URDF."""
    source = random.Random(3)

    def numbers(choices: str) -> str:
        return " ".join(source.choice(choices.split()) for _ in range(3))

    for _ in range(20):
        urdf, parts = ['<link name="L0"/>'], [link("L0", inertial=BODY.format("0 0 0 0 0 0", 1, 1, 1, 1))]
        for k in range(1, 6):
            above, kind = f"L{source.randrange(k)}", source.choice(["revolute", "prismatic", "fixed", "continuous"])
            at, turn, axis = (
                numbers("0 0.1 -0.25 1"),
                numbers("0 1.5707963 -1.5707963 0.3"),
                source.choice(["0 0 1", "1 2 -2"]),
            )
            center, moments = numbers("0 0.2 -0.1"), (0.2, 0.3, 0.4)
            xx, yy, zz = moments
            tensor = f'<inertia ixx="{xx}" iyy="{yy}" izz="{zz}" ixy="0" ixz="0" iyz="0"/>'
            inertial = f'<inertial><origin xyz="{center}"/><mass value="{k}"/>{tensor}</inertial>'
            ends = f'<parent link="{above}"/><child link="L{k}"/>'
            urdf.append(f'<link name="L{k}">{inertial}</link>')
            place = f'<origin xyz="{at}" rpy="{turn}"/><axis xyz="{axis}"/>'
            urdf.append(f'<joint name="J{k}" type="{kind}">{ends}{place}</joint>')
            parts += [
                link(f"L{k}", "0 0 0 0 0 0", BODY.format(f"{center} 0 0 0", k, *moments), f"J{k}"),
                joint(f"J{k}", kind, above, f"L{k}", axis, f'<pose relative_to="{above}">{at} {turn}</pose>'),
            ]
        findings = Findings()
        ours = read_mechanism(sdf(*parts), findings=findings)
        theirs = read_mechanism(f'<robot name="r">{"".join(urdf)}</robot>'.encode())
        by_name = {body.name: body for body in theirs.bodies}
        assert {
            body.name: (body.position, body.rotation, body.mass, body.center, body.inertia) for body in ours.bodies
        } == {
            name: (body.position, body.rotation, body.mass, body.center, body.inertia) for name, body in by_name.items()
        }
        names = [body.name for body in ours.bodies], [body.name for body in theirs.bodies]
        for one in ours.joints:
            other = next(other for other in theirs.joints if other.name == one.name)
            joined = [
                tuple(part[body] if body >= 0 else "ground" for body in which.bodies)
                for part, which in zip(names, (one, other), strict=True)
            ]
            assert joined[0] == joined[1]
            assert (one.kind, one.points) == (other.kind, other.points)
            if one.kind != "fixed":
                assert one.axes == other.axes


def test_a_four_bar_in_sdf_has_the_base_parameters_of_its_points() -> None:
    """The links of the loop are placed in the model, and its last joint closes it."""
    points = {"a": ("0", "0"), "b": ("0", "1/2"), "c": ("3/2", "1"), "d": ("1", "0")}
    spatial = {name: [x, y, "0"] for name, (x, y) in points.items()}
    bars = [("1", "a", "b"), ("2", "b", "c"), ("3", "c", "d")]
    joints = [("0", "1", "a"), ("1", "2", "b"), ("2", "3", "c"), ("3", "0", "d")]

    def within(point: str, origin: str) -> list[str]:
        return [f"({one})-({other})" for one, other in zip(spatial[point], spatial[origin], strict=True)]

    origins = {name: first for name, first, _ in bars}
    document = {
        "gravity": ["0", "-9.81", "0"],
        "bodies": [{"id": name, "p": spatial[first]} for name, first, _ in bars],
        "joints": [
            {"name": at, "type": "R", "i": i, "j": j, "ai": ["0", "0", "1"]}
            | {"pi": within(at, origins.get(i, "a")), "pj": within(at, origins.get(j, "a"))}
            for i, j, at in joints
        ],
    }
    known = base_parameters(read_mechanism(json.dumps(document).encode()))
    decimals = {"a": "0 0", "b": "0 0.5", "c": "1.5 1", "d": "1 0"}
    parts = [link(name, f"{decimals[first]} 0 0 0 0") for name, first, _ in bars]
    for at, parent, child in (("a", "world", "1"), ("b", "1", "2"), ("c", "2", "3"), ("d", "world", "3")):
        place = f'<pose relative_to="__model__">{decimals[at]} 0 0 0 0</pose>'
        parts.append(joint(at, "revolute", parent, child, pose=place))
    found = base_parameters(read_mechanism(sdf(*parts), reading=RobotReading(("0", "-9.81", "0"))))
    assert found.mechanism.loops == 1
    assert found.grouping == known.grouping


def test_axes_in_other_frames_and_places_of_joints() -> None:
    """A point mass on a hinge: m times the square of its distance from the axis, computed with vectors."""
    mass, center = 2.5, np.array([0.3, -0.2, 0.7])
    body = link("bar", "0.1 0.2 0.3 0 0 0.5", BODY.format("0.3 -0.2 0.7 0 0 0", mass, 0, 0, 0))
    frame = '<frame name="tilted"><pose>0 0 0 0.4 0 0</pose></frame>'
    hinge = joint(
        "hinge", "revolute", "world", "bar", "0 1 2", "<pose>0.5 0 0 0 0.2 0</pose>", ' expressed_in="tilted"'
    )
    c, s = math.cos(0.5), math.sin(0.5)
    turn = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    start = np.array([0.1, 0.2, 0.3])
    c, s = math.cos(0.4), math.sin(0.4)
    axis = np.array([[1, 0, 0], [0, c, -s], [0, s, c]]) @ [0, 1, 2] / math.sqrt(5)
    arm = turn @ center + start - (turn @ [0.5, 0, 0] + start)
    model = SpatialModel.read(sdf(body, frame, hinge), reading=NO_GRAVITY)
    expected = mass * float(np.sum(np.cross(axis, arm) ** 2))
    assert model.at().mass_matrix()[0, 0] == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize(
    ("kind", "more", "expected"),
    [
        ("ball", "", np.diag([1.0, 2.0, 3.0])),
        ("universal", "<axis2><xyz>0 1 0</xyz></axis2>", np.diag([1.0, 2.0])),
        ("revolute2", "<axis2><xyz>0 1 0</xyz></axis2>", np.diag([1.0, 2.0])),
        ("screw", "<screw_thread_pitch>0.5</screw_thread_pitch>", [[1 + 4 * (0.5 / 2 / math.pi) ** 2]]),
        ("screw", "<thread_pitch>-4</thread_pitch>", [[1 + 4 * 0.25**2]]),
    ],
)
def test_types_of_joints(kind: str, more: str, expected: object) -> None:
    one = joint("j", kind, "world", "bar", "1 0 0").replace("</joint>", f"{more}</joint>")
    bar = link("bar", inertial=BODY.format("0 0 0 0 0 0", 4, 1, 2, 3))
    matrix = SpatialModel.read(sdf(bar, one), reading=NO_GRAVITY).at().mass_matrix()
    np.testing.assert_allclose(matrix, expected, atol=1e-14)


def test_a_model_has_a_root_that_is_fixed_or_moves_freely() -> None:
    parts = [link("arm"), link("base"), joint("hip", "revolute", "base", "arm")]
    assert [one.name for one in read_mechanism(sdf(*parts)).bodies] == ["arm"]
    free = read_mechanism(sdf(*parts), reading=RobotReading(base="free"))
    assert [(one.name, one.kind, one.bodies) for one in free.joints] == [
        ("hip", "R", (1, 0)),
        ("base", "free", (-1, 1)),
    ]
    # both ends of a joint that is exchanged may be the root: the canonical link is
    pair = [link("a"), link("b"), joint("x", "revolute", "a", "b"), joint("y", "revolute", "b", "a")]
    loop = read_mechanism(sdf(*pair, attributes=' canonical_link="b"'))
    assert [one.name for one in loop.bodies] == ["a"]


def test_a_world_has_static_models_several_robots_and_gravity() -> None:
    wall = '<model name="wall"><static>true</static><link name="l"/></model>'
    door = f'<model name="door">{link("leaf")}</model>'
    cars = "".join(
        f'<model name="{name}"><pose>{k} 0 0 0 0 0</pose>{link("body")}</model>' for k, name in enumerate("pq")
    )
    hinge = joint("hinge", "revolute", "wall::l", "door::leaf")
    world = f'<sdf version="1.11"><world name="w">{{}}{wall}{door}{cars}{hinge}</world></sdf>'
    findings = Findings()
    fixed = read_mechanism(world.format("").encode(), findings=findings)
    assert [one.name for one in fixed.bodies] == ["door::leaf"]
    assert [one.message for one in findings if one.rule == "MP821"] == ["robot states no gravity: 0 0 -9.8 is used"]
    findings = Findings()
    free = read_mechanism(
        world.format("<gravity>0 0 -1.62</gravity>").encode(), findings=findings, reading=RobotReading(base="free")
    )
    assert [float(value) for value in free.gravity] == [0, 0, -1.62]
    assert "MP821" not in {one.rule for one in findings}
    assert [(one.name, one.kind) for one in free.joints] == [
        ("hinge", "R"),
        ("base_p::body", "free"),
        ("base_q::body", "free"),
    ]


def test_gravity_is_that_of_the_world_of_a_turned_model() -> None:
    body = link("bar", inertial=BODY.format("0.5 0 0 0 0 0", 2, 0, 1, 1))
    data = sdf("<pose>0 0 0 1.5707963267948966 0 0</pose>", body, joint("hinge", "revolute", "world", "bar", "0 0 1"))
    force = SpatialModel.read(data, reading=RobotReading(("0", "0", "-10"))).at().inverse_dynamics([0.0], [0.0])
    # the axis z of the model is -y of the world: the weight 20 N at 0.5 m turns about it
    np.testing.assert_allclose(np.abs(force), [10.0], atol=1e-13)


def test_automatic_inertials_are_computed() -> None:
    box = "<collision name='c'><geometry><box><size>0.2 0.3 0.5</size></box></geometry></collision>"
    data = sdf(f'<link name="box"><inertial auto="true"/>{box}</link>', joint("j", "revolute", "world", "box"))
    mass = 1000 * 0.2 * 0.3 * 0.5
    matrix = SpatialModel.read(data, reading=NO_GRAVITY).at().mass_matrix()
    assert matrix[0, 0] == pytest.approx(mass / 12 * (0.2**2 + 0.3**2), rel=1e-14)


def test_angles_near_quarter_turns_and_joints_that_follow_are_reported() -> None:
    parts = [link("a"), link("b", "0 0 1 1.5708 0 0"), joint("i", "revolute", "world", "a")]
    follower = joint("k", "revolute", "a", "b").replace("</axis>", '<mimic joint="i"/></axis>')
    findings = Findings()
    mechanism = read_mechanism(sdf(*parts, follower), findings=findings)
    assert mechanism.other_option == "--config angles=written"
    texts = {one.rule: one.message for one in findings}
    assert "1.5708 of line 1" in texts["MP819"]
    assert texts["MP822"].endswith("k follows i")


@pytest.mark.parametrize(
    ("part", "rule", "text"),
    [
        (joint("j", "gearbox", "world", "a"), "MP803", "type of joint j is not read: 'gearbox'"),
        (joint("j", "revolute", "world", "a", "0 0 0"), "MP804", "axis of joint j is zero"),
        (joint("j", "universal", "world", "a"), "MP804", "axis of joint j is zero"),
        (joint("j", "revolute", "world", "a", words=' expressed_in="nowhere"'), "MP872", "'nowhere'"),
        (joint("j", "revolute", "world", "b"), "MP861", "'b'"),
        ('<link name="b"><inertial auto="true"/></link>', "MP855", "b"),
    ],
)
def test_what_cannot_be_read(part: str, rule: str, text: str) -> None:
    with pytest.raises(TableError) as raised:
        read_mechanism(sdf(link("a"), part))
    assert [rule, True] in [[one.rule, text in one.message] for one in raised.value.findings]


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"<robot name='r'><material name='k'/></robot>", "robot has no link"),
        (b"<element name='geometry'/>", "root element is element (expected robot, sdf or mujoco)"),
        (sdf(link("a")), "no moving or fixed link"),
    ],
)
@pytest.mark.parametrize("base", ["fixed", "free"])
def test_files_without_a_mechanism(data: bytes, text: str, base: str) -> None:
    if base == "free" and b"<link" in data:
        assert len(read_mechanism(data, reading=RobotReading(base="free")).bodies) == 1
        return
    with pytest.raises(TableError) as raised:
        read_mechanism(data, reading=RobotReading(base="free" if base == "free" else "fixed"))
    assert [text in one.message for one in raised.value.findings if one.rule == "MP801"] == [True]
