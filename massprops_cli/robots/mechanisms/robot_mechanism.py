"""The mechanism of a robot description: links are bodies, joints keep their axes, attitudes are rational.

The frame of a link is that of the joint above it; the pose is that of all joints at 0. A link that is fixed to another
and has no inertial is a frame of that link, not a body.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from massprops_cli.findings.finding import Findings, Place, TableError, name_list, rule_finding
from massprops_cli.mechanisms.model import (
    AXIS_KINDS,
    GROUND,
    ZERO_VECTOR,
    Joint,
    Mechanism,
    MechanismBody,
    RobotReading,
    Vector,
    rotated_vector,
)
from massprops_cli.robots.mechanisms.exact_poses import AngleKind, AngleReader, ExactPose, exact_body, exact_vector

if TYPE_CHECKING:
    from massprops_cli.robots.robot_model import RobotJoint, RobotModel

_KINDS = {
    "revolute": "R",
    "continuous": "R",
    "prismatic": "P",
    "planar": "planar",
    "floating": "free",
    "fixed": "fixed",
    "ball": "S",
    "universal": "U",
}
_EARTH = ("0", "0", "-9.81")
_MechanismBuilder = Callable[[AngleReader, Findings], Mechanism]
"""Makes a mechanism from the angles as a reader takes them; appends what is wrong."""


@dataclass(frozen=True)
class _Frame:
    """A frame at the pose: the body that has it, and its place in the frame of that body."""

    body: int
    pose: ExactPose


def robot_mechanism(robot: RobotModel, reading: RobotReading, place: Place, findings: Findings) -> Mechanism:
    """Return the mechanism of a robot."""

    def build(angles: AngleReader, collected: Findings) -> Mechanism:
        return _robot_bodies(robot, reading, angles, place, collected)

    if reading.gravity is None:
        report_gravity(_EARTH, place, findings)
    report_followers(((one.name, one.mimic.joint, one.line) for one in robot.joints if one.mimic), place, findings)
    return with_other_reading(build, reading, place, findings)


def with_other_reading(build: _MechanismBuilder, reading: RobotReading, place: Place, findings: Findings) -> Mechanism:
    """Return the mechanism of a robot, with its other reading if angles are near quarter turns."""
    angles = AngleReader(reading.snap, reading.is_double)
    mechanism = build(angles, findings)
    if not angles.found or findings.has_errors:
        return mechanism
    _report_angles(angles, place, findings)
    snaps = reading.snap is False or (reading.snap is None and AngleKind.QUESTION in angles.found)
    other = build(AngleReader(snaps, is_double=False), Findings())
    if other.bodies == mechanism.bodies and other.joints == mechanism.joints:
        return mechanism
    return replace(mechanism, other_reading=other, other_option="--snap" if snaps else "--no-snap")


def _report_angles(angles: AngleReader, place: Place, findings: Findings) -> None:
    """Report the angles near multiples of a quarter turn, and how they were read."""
    for kind, rule in ((AngleKind.QUESTION, "MP818"), (AngleKind.ROUNDED, "MP819")):
        found = angles.found.get(kind, [])
        if not found or (kind is AngleKind.QUESTION and angles.snap is not None):
            continue
        named = name_list([f"{text} of {item}" for item, text in found], 4)
        as_what = "read as written" if kind is AngleKind.QUESTION or angles.snap is False else "read as that multiple"
        angle = "1 angle is" if len(found) == 1 else f"{len(found)} angles are"
        findings.report(
            rule,
            f"{angle} near a multiple of 90°, {as_what}: {named}",
            place,
            value=found[0][1],
            item=found[0][0],
            count=len(found),
            remedy="read them as these multiples with --snap" if angles.snap is False else None,
        )


def report_gravity(used: tuple[str, str, str], place: Place, findings: Findings) -> None:
    """Report that a robot states no gravity."""
    findings.report("MP821", f"robot states no gravity: {' '.join(used)} is used", place, item="gravity")


def report_followers(followers: Iterable[tuple[str, str, int]], place: Place, findings: Findings) -> None:
    """Report the joints that follow another one."""
    found = list(followers)
    if found:
        named = name_list([f"{name} follows {other}" for name, other, _ in found], 4)
        findings.report(
            "MP822",
            f"joints that follow others are read as independent: {named}",
            Place(place.file, line=found[0][2]),
            item=found[0][0],
            count=len(found),
        )


def _robot_bodies(
    robot: RobotModel, reading: RobotReading, angles: AngleReader, place: Place, findings: Findings
) -> Mechanism:
    """Return the bodies and joints of a robot, from the root outwards."""
    children: dict[str, list[RobotJoint]] = {}
    for joint in robot.joints:
        children.setdefault(joint.parent, []).append(joint)
    bodies: list[MechanismBody] = []
    poses: list[ExactPose] = []
    joints: list[Joint] = []
    frames = {robot.root: _Frame(GROUND, ExactPose())}
    if reading.base == "free":
        bodies.append(exact_body(robot.root, ExactPose(), robot.links[robot.root].inertial, angles))
        poses.append(ExactPose())
        joints.append(free_joint(0, {joint.name for joint in robot.joints}))
        frames[robot.root] = _Frame(0, ExactPose())
    open_links = [robot.root]
    while open_links:
        link = open_links.pop(0)
        for joint in children.get(link, ()):
            open_links.append(joint.child)
            frame = _Frame(frames[link].body, frames[link].pose @ angles.pose(f"joint {joint.name}", joint.pose))
            child = robot.links[joint.child]
            if joint.kind == "fixed" and child.inertial is None:
                frames[joint.child] = frame
                continue
            poses.append(frame.pose if frame.body == GROUND else poses[frame.body] @ frame.pose)
            frames[joint.child] = _Frame(len(bodies), ExactPose())
            joints.append(_joint(joint, frame, len(bodies), place, findings))
            bodies.append(exact_body(joint.child, poses[-1], child.inertial, angles))
    gravity = stated_gravity(reading.gravity or _EARTH, place, findings)
    return Mechanism(robot.name, tuple(bodies), tuple(joints), gravity)


def stated_gravity(texts: tuple[str, str, str], place: Place, findings: Findings) -> Vector:
    """Return the gravity of a robot."""
    try:
        return exact_vector(texts)
    except (ValueError, ZeroDivisionError):
        value = ",".join(texts)
        message = f"gravity: not three decimals or fractions: {value!r}"
        findings.report("MP802", message, place, value=value, item="gravity")
        return ZERO_VECTOR


def free_joint(body: int, names: set[str], name: str = "base") -> Joint:
    """Return the joint of a body that moves freely."""
    while name in names:
        name += "_"
    return Joint(name, "free", (GROUND, body), (ZERO_VECTOR,) * 2, (ZERO_VECTOR,) * 2)


def _joint(joint: RobotJoint, frame: _Frame, child: int, place: Place, findings: Findings) -> Joint:
    """Return a joint between the body above and that of its child, whose frame is that of the joint."""
    kind = _KINDS[joint.kind]
    axis = exact_vector(joint.axis) if kind in AXIS_KINDS else ZERO_VECTOR
    if kind in AXIS_KINDS and not any(axis):
        findings.report(
            "MP804", f"axis of joint {joint.name} is zero", Place(place.file, line=joint.line), item=joint.name
        )
    turned = rotated_vector(frame.pose.rotation, axis)
    return Joint(joint.name, kind, (frame.body, child), (frame.pose.position, ZERO_VECTOR), (turned, axis))


def read_robot_mechanism(source: str | Path | bytes, reading: RobotReading, findings: Findings) -> Mechanism | None:
    """Read a robot description as a mechanism."""
    from massprops_cli.robots.xml_source import parse_source

    name = "-" if isinstance(source, bytes) else str(source)
    try:
        data = source if isinstance(source, bytes) else Path(source).read_bytes()
    except OSError as error:
        findings.report("MP101", f"file cannot be read: {error.strerror or error}", Place(name))
        return None
    try:
        root = parse_source(name, data)
        if root.tag not in _READERS:
            message = f"file is not a robot: its root element is {root.tag} (expected robot or sdf)"
            findings.report("MP801", message, Place(name, line=root.line), value=root.tag)
            return None
        mechanism = _READERS[root.tag](name, data, reading, findings)
        if mechanism.bodies or findings.has_errors:
            return None if findings.has_errors else mechanism
        findings.report("MP801", "robot has no moving or fixed link with an inertial below its root", Place(name))
    except TableError as error:
        findings.extend(error.findings)
    return None


def _urdf_mechanism(name: str, data: bytes, reading: RobotReading, findings: Findings) -> Mechanism:
    """Read a URDF file."""
    from massprops_cli.robots.urdf import read_urdf_model

    robot = read_urdf_model(name, data)
    if not robot.links:
        raise TableError([rule_finding("MP801", "robot has no link", Place(name))])
    return robot_mechanism(robot, reading, Place(name), findings)


def _sdf_mechanism(name: str, data: bytes, reading: RobotReading, findings: Findings) -> Mechanism:
    """Read an SDF file, and compute its automatic inertials."""
    from massprops_cli.files.options import FileOptions
    from massprops_cli.robots.link_inertials import resolve_robot_table
    from massprops_cli.robots.mechanisms.sdf_mechanism import sdf_mechanism
    from massprops_cli.robots.sdf.sdf_table import SdfTable, read_sdf

    table = resolve_robot_table(read_sdf(name, data, FileOptions(), False, findings), findings)
    assert isinstance(table, SdfTable)
    if findings.has_errors:
        raise TableError([])
    return sdf_mechanism(table, reading, Place(name), findings)


_READERS = {"robot": _urdf_mechanism, "sdf": _sdf_mechanism}
"""Root element → its reader."""
