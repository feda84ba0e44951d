"""Worked examples of functions in the room files/robots."""

from __future__ import annotations

import math

import numpy as np

from massprops_cli.bodies.rotations import inverse_frame, quaternion_rows, roll_pitch_yaw, stated_frame
from massprops_cli.files.options import FileOptions
from massprops_cli.findings.finding import Findings
from massprops_cli.robots.robot_model import at_positions, parse_source, utf8_source
from massprops_cli.robots.sdf.sdf_joints import sdf_joints
from massprops_cli.robots.sdf.sdf_model import RobotFolders, SdfPoses, parse_version, pose_texts
from massprops_cli.robots.sdf.sdf_reader import read_sdf_model
from massprops_cli.robots.sdf.sdf_table import read_sdf, sdf_robot
from massprops_cli.robots.urdf import read_urdf, read_urdf_model


def test_stated_frame_example() -> None:
    assert ((stated_frame([1, 0, 0, 0, 0, math.pi / 2]) @ [2, 0, 0, 1]).round(12).tolist()) == ([1.0, 2.0, 0.0, 1.0])


def test_inverse_frame_example() -> None:
    assert (inverse_frame(stated_frame([1, 2, 3, 0, 0, 0]))[:3, 3].tolist()) == ([-1.0, -2.0, -3.0])


def test_quaternion_rows_example() -> None:
    half = math.sqrt(0.5)
    assert ((np.array(quaternion_rows(half, 0, 0, half)) @ [1, 0, 1]).round(12)[1:].tolist()) == ([1.0, 1.0])


def test_roll_pitch_yaw_example() -> None:
    assert ([round(angle, 12) for angle in roll_pitch_yaw(stated_frame([0, 0, 0, 0.1, -0.2, 3])[:3, :3])]) == (
        [0.1, -0.2, 3.0]
    )


def test_at_positions_example() -> None:
    from massprops_cli.robots.urdf import read_urdf_model

    joint = b"<joint name='j' type='prismatic'><parent link='a'/><child link='b'/><axis xyz='0 0 2'/></joint>"
    robot = read_urdf_model(
        "arm.urdf", b"<robot name='r'><link name='a'/><link name='b'/>" + joint + b"</robot>", Findings()
    )
    assert (at_positions(robot, ["j=20 cm"], "arm.urdf", Findings()).joints[0].pose[:3]) == (("0", "0", "0.2"))


def test_read_sdf_example() -> None:
    inertial = b"<inertial><pose>0 0 0.1 0 0 0</pose><mass>2</mass></inertial>"
    model = b"<model name='arm'><link name='base'>" + inertial + b"</link></model>"
    data = b"<sdf version='1.9'>" + model + b"</sdf>"
    assert (read_sdf("arm.sdf", data, FileOptions(), False, Findings()).row(3)[:7]) == (
        ["base/body", "base", "1", "2", "0", "0", "0.1"]
    )


def test_parse_version_example() -> None:
    assert (parse_version("1.10"), parse_version("1.x")) == (((1, 10), None))


def test_sdf_joints_example() -> None:
    from massprops_cli.findings.finding import Findings
    from massprops_cli.robots.sdf.sdf_model import RobotFolders
    from massprops_cli.robots.sdf.sdf_reader import read_sdf_model

    joint = b"<joint name='hip' type='revolute'><parent>world</parent><child>leg</child><axis/></joint>"
    data = b"<sdf version='1.9'><model name='robot'><link name='leg'/>" + joint + b"</model></sdf>"
    model = read_sdf_model("robot.sdf", data, RobotFolders.of("robot.sdf"), Findings())
    assert ([(one.name, one.links[0], one.axes[0][0]) for one in sdf_joints(model, SdfPoses(model, Findings()))]) == (
        [("hip", None, ("0", "0", "1"))]
    )


def test_pose_texts_example() -> None:
    assert (pose_texts(np.eye(4))) == (("0.0", "0.0", "0.0", "0.0", "0.0", "0.0"))


def test_read_sdf_model_example() -> None:
    data = b"<sdf version='1.9'><model name='arm'><link name='base'/></model></sdf>"
    model = read_sdf_model("arm.sdf", data, RobotFolders.of("arm.sdf"), Findings())
    assert (model.name, list(model.links)) == (("arm", ["base"]))


def test_sdf_robot_example() -> None:
    from massprops_cli.files.options import FileOptions
    from massprops_cli.findings.finding import Findings
    from massprops_cli.robots.sdf.sdf_table import read_sdf

    tensor = b"<inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia>"
    link = b"<link name='base'><inertial><mass>2</mass>" + tensor + b"</inertial></link>"
    data = b"<sdf version='1.9'><model name='arm'>" + link + b"</model></sdf>"
    assert (sdf_robot(read_sdf("arm.sdf", data, FileOptions(), False, Findings())).links["base"].inertial.mass) == ("2")


def test_read_urdf_example() -> None:
    inertial = b"<inertial><origin xyz='0 0 0.1'/><mass value='2'/></inertial>"
    data = b"<robot name='arm'><link name='base'>" + inertial + b"</link></robot>"
    assert (read_urdf("arm.urdf", data, FileOptions(), False, Findings()).row(2)[:7]) == (
        ["base/body", "base", "1", "2", "0", "0", "0.1"]
    )


def test_read_urdf_model_example() -> None:
    data = b"<robot name='arm'><link name='base'/><link name='rod'/><joint name='j' type='revolute'>"
    data += b"<parent link='base'/><child link='rod'/><axis xyz='0 0 1'/></joint></robot>"
    robot = read_urdf_model("arm.urdf", data, Findings())
    assert (robot.name, robot.root, robot.joints[0].axis) == (("arm", "base", ("0", "0", "1")))


def test_utf8_source_example() -> None:
    assert (utf8_source(b"<sdf/>")) == ((b"<sdf/>", ""))
    assert (utf8_source(b"\xff\xfe" + "<sdf/>".encode("utf-16-le"))) == ((b"\xef\xbb\xbf<sdf/>", "utf-16-le"))


def test_parse_source_example() -> None:
    root = parse_source("model.sdf", b"<sdf version='1.9'><model name='arm'/></sdf>")
    assert ([(model.attributes, model.start, model.end) for model in root.all("model")]) == (
        [({"name": "arm"}, 19, 38)]
    )
