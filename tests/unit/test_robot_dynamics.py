"""Dynamics of robots: angles in double precision, a fixed and a free base; faults of bodies and numbers."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

from massprops_cli import RobotReading, SpatialModel
from massprops_cli.findings.finding import Findings, UsageError
from massprops_cli.mechanisms.spatial.articulated_bodies import check_mass_matrix

LINK = '<link name="bar"><inertial><origin xyz="0.5 0 0.2" rpy="{rpy}"/><mass value="2"/>{inertia}</inertial></link>'
INERTIA = '<inertia ixx="0.1" iyy="0.3" izz="0.25" ixy="0" ixz="0" iyz="0"/>'


def pendulum(joint_rpy: str = "0 0 0", inertial_rpy: str = "0 0 0", name: str = "hinge", root: str = "") -> bytes:
    """A bar that turns about the x axis of its joint."""
    return (
        f'<robot name="r"><link name="base">{root}</link>{LINK.format(rpy=inertial_rpy, inertia=INERTIA)}'
        f'<joint name="{name}" type="revolute"><parent link="base"/><child link="bar"/>'
        f'<origin xyz="0 0 1" rpy="{joint_rpy}"/><axis xyz="1 0 0"/></joint></robot>'
    ).encode()


@pytest.mark.parametrize("angle", ["0.3", "1.57", "1.5708", "-2.356", "3.14159", "1.5707963267948966", "2", "1e-7"])
def test_angles_of_an_inertial_keep_their_double_precision(angle: str) -> None:
    pose = SpatialModel.read(pendulum(inertial_rpy=f"0 0 {angle}")).at()
    c, s = math.cos(float(angle)), math.sin(float(angle))
    expected = c * c * 0.1 + s * s * 0.3 + 2 * 0.2**2
    assert pose.mass_matrix()[0, 0] == pytest.approx(expected, rel=4e-15)


@pytest.mark.parametrize("angle", ["0.3", "1.57", "1.5708", "-2.356", "4.7124", "12.3"])
def test_angles_of_a_joint_keep_their_double_precision(angle: str) -> None:
    findings = Findings()
    pose = SpatialModel.read(pendulum(joint_rpy=f"{angle} 0 0"), findings=findings).at()
    # the centre is 0.2 above the axis in the frame of the joint, which turns by the angle
    expected = -2 * 9.81 * 0.2 * math.sin(float(angle))
    assert pose.inverse_dynamics([0.0], [0.0])[0] == pytest.approx(expected, rel=0, abs=2e-14)
    assert [one.rule for one in findings] == ["MP821"]


def test_free_base_has_the_mass_and_first_moments_of_the_robot() -> None:
    root = f'<inertial><origin xyz="0 0.1 0"/><mass value="3"/>{INERTIA}</inertial>'
    reading = RobotReading(("0", "0", "-10"), base="free")
    model = SpatialModel.read(pendulum(root=root), reading=reading)
    assert model.names == ("base.wx", "base.wy", "base.wz", "base.vx", "base.vy", "base.vz", "hinge")
    matrix = model.at().mass_matrix()
    np.testing.assert_allclose(matrix[3:6, 3:6], 5 * np.eye(3), atol=1e-15)
    x, y, z = 2 * 0.5, 3 * 0.1, 2 * 1.2
    np.testing.assert_allclose(matrix[:3, 3:6], [[0, -z, y], [z, 0, -x], [-y, x, 0]], atol=1e-15)
    moment = 0.1 + 3 * 0.1**2 + 0.1 + 2 * 1.2**2
    assert matrix[0, 0] == pytest.approx(moment, rel=1e-15)
    weight = model.at().inverse_dynamics([0.0] * 7, [0.0] * 7)
    np.testing.assert_allclose(weight[3:6], [0, 0, 50], atol=1e-14)
    # a base that accelerates with gravity has no weight
    falling = model.at().inverse_dynamics([0.0] * 7, [0, 0, 0, 0, 0, -10, 0])
    np.testing.assert_allclose(falling, 0, atol=1e-14)


def test_free_base_has_a_name_of_its_own() -> None:
    model = SpatialModel.read(pendulum(name="base"), reading=RobotReading(base="free"))
    assert model.names[0] == "base_.wx"
    assert model.names[-1] == "base"


def test_frame_of_a_body_is_not_reported_as_massless() -> None:
    data = pendulum().replace(b"</robot>", b"<link name='tool'/><link name='tip'/></robot>")
    data = data.replace(b"<link name='tool'/>", b"<link name='tool'/>" + _fixed("tool", "bar"))
    data = data.replace(b"<link name='tip'/>", b"<link name='tip'/>" + _fixed("tip", "tool"))
    findings = Findings()
    SpatialModel.read(data, findings=findings, reading=RobotReading(("0", "0", "0")))
    assert not findings
    SpatialModel.read(data, findings=findings, reading=RobotReading(("0", "0", "0"), base="free"))
    assert [(one.rule, one.item) for one in findings] == [("MP817", "base")]


def _fixed(child: str, parent: str) -> bytes:
    """A fixed joint."""
    text = f'<joint name="{child}_joint" type="fixed"><parent link="{parent}"/><child link="{child}"/></joint>'
    return text.encode()


def bar(**body: Any) -> bytes:
    """A bar on a hinge, as a mechanism file."""
    hinge = {"name": "A", "type": "R", "i": 0, "j": 1, "pi": [0, 0, 0], "pj": [0, 0, 0], "ai": [0, 0, 1]}
    return json.dumps({"gravity": [0, 0, 0], "bodies": [{"id": 1, **body}], "joints": [hinge]}).encode()


@pytest.mark.parametrize(
    ("body", "rules"),
    [
        ({"mass": 2, "c": [1, 0, 0], "I": [1, 1, 1, 0, 0, 0]}, []),
        ({"mass": 2, "c": [1, 0, 0]}, ["MP817"]),
        ({"mass": 2, "I": [1, 1, 1, 0, 0, 0]}, ["MP817"]),
        ({"mass": 0}, ["MP816"]),
        ({"mass": -2, "c": [0, 0, 0], "I": [1, 1, 1, 0, 0, 0]}, ["MP826"]),
        ({"mass": 2, "c": [0, 0, 0], "I": [1, 1, -1, 0, 0, 0]}, ["MP826"]),
    ],
)
def test_missing_and_negative_inertia_is_reported(body: dict[str, Any], rules: list[str]) -> None:
    findings = Findings()
    pose = SpatialModel.read(bar(**body), findings=findings).at()
    check_mass_matrix(pose, findings)
    assert [one.rule for one in findings] == rules


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ([1.0, 2.0], "coordinates are not 1 finite number: 2 given (order: A)"),
        ([math.nan], "coordinates are not 1 finite number below 1e+50: nan of A"),
        ([1e308], "coordinates are not 1 finite number below 1e+50: 1e+308 of A"),
        ("x", "coordinates are not 1 finite number: 'x'"),
        ([1j], "coordinates are not 1 finite number: [1j]"),
    ],
)
def test_coordinates_out_of_range_are_named(numbers: Any, words: str) -> None:
    model = SpatialModel.read(bar(mass=1, c=[1, 0, 0], I=[0, 1, 1, 0, 0, 0]))
    with pytest.raises(UsageError) as caught:
        model.at(numbers)
    assert words in str(caught.value)


def test_largest_coordinates_give_finite_numbers() -> None:
    text = bar(mass=1, c=[1, 0, 0], I=[0, 1, 1, 0, 0, 0]).replace(b'"R"', b'"C"')
    pose = SpatialModel.read(text).at([9e49, 9e49])
    assert np.isfinite(pose.mass_matrix()).all()
    assert np.isfinite(pose.inverse_dynamics([9e49, 9e49], [9e49, 9e49])).all()


@pytest.mark.parametrize("reading", [RobotReading(base="free"), RobotReading(snap=True), RobotReading(snap=False)])
def test_options_of_robots_are_rejected_with_other_mechanisms(reading: RobotReading) -> None:
    with pytest.raises(UsageError, match="is an option of robots"):
        SpatialModel.read(bar(), reading=reading)


@pytest.mark.parametrize("gravity", [("a", "0", "0"), ("0", "nan", "0"), ("0", "0", "1/0")])
def test_gravity_of_a_robot_that_is_not_a_number_is_a_finding(gravity: tuple[str, str, str]) -> None:
    from massprops_cli.findings.finding import TableError

    with pytest.raises(TableError) as caught:
        SpatialModel.read(pendulum(), reading=RobotReading(gravity))
    assert [one.rule for one in caught.value.findings] == ["MP802"]
