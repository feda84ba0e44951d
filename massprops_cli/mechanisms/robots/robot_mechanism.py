"""The mechanism of a robot description: links are bodies, joints keep their axes, attitudes are rational.

The frame of a link is that of the joint above it; the pose is that of all joints at 0. A link that is fixed to another
and has no inertial is a frame of that link, not a body.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from massprops_cli.findings import Findings, Place, name_list
from massprops_cli.mechanisms.model import (
    AXIS_KINDS,
    GROUND,
    ZERO_VECTOR,
    Joint,
    Mechanism,
    MechanismBody,
    Vector,
    quaternion_matrix,
    rotated_vector,
    transposed_matrix,
    vector_sum,
)
from massprops_cli.mechanisms.robots.decimal_angles import AngleKind, rational_angle
from massprops_cli.options import RobotBase

if TYPE_CHECKING:
    from massprops_cli.files import InertialTexts, OriginTexts, RobotJoint, RobotModel

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
_Quaternion = tuple[int, int, int, int]
_Tensor = tuple[Fraction, Fraction, Fraction, Fraction, Fraction, Fraction]
_NO_TURN: _Quaternion = (1, 0, 0, 0)
_EARTH = ("0", "0", "-9.81")


@dataclass(frozen=True)
class RobotReading:
    """What a robot description does not state: gravity, the joint of its root, and what angles near 90° mean."""

    gravity: tuple[str, str, str] | None = None
    """Acceleration in ground axes; None: that of the file, and for a robot 0, 0, -9.81."""
    base: RobotBase = "fixed"
    assemble: bool = False
    """Whether the pose of a file is approximate, and joints may be open at it."""
    snap: bool | None = None
    """Whether angles near multiples of 90° are these multiples; None: where their digits show it."""
    is_double: bool = False
    """Whether angles keep their double precision, for dynamics, instead of becoming simple rational rotations."""


AS_STATED = RobotReading()
"""Gravity of the file, a fixed base, angles by their digits."""


@dataclass(frozen=True)
class _Frame:
    """A frame at the pose: the body that has it, and its place in the frame of that body."""

    body: int
    position: Vector = ZERO_VECTOR
    quaternion: _Quaternion = _NO_TURN


@dataclass
class _Angles:
    """Angles near multiples of a quarter turn that a file states, as text, by their kind."""

    snap: bool | None
    is_double: bool
    found: dict[AngleKind, list[tuple[str, str]]] = field(default_factory=dict)

    def quaternion(self, item: str, origin: OriginTexts) -> _Quaternion:
        """Return the rational quaternion of the angles of an origin: Rz(yaw) Ry(pitch) Rx(roll)."""
        turn = _NO_TURN
        for place, text in enumerate(origin.rpy, 1):
            angle = rational_angle(text, self.snap, is_double=self.is_double)
            if not self.is_double and angle.kind in (AngleKind.ROUNDED, AngleKind.QUESTION):
                self.found.setdefault(angle.kind, []).append((item, text))
            one = [angle.real, 0, 0, 0]
            one[place] = angle.imaginary
            turn = _product((one[0], one[1], one[2], one[3]), turn)
        return turn


def robot_mechanism(robot: RobotModel, reading: RobotReading, place: Place, findings: Findings) -> Mechanism:
    """Return the mechanism of a robot.

    Parameters
    ----------
    robot : RobotModel
        Links and joints that are one tree.
    reading : RobotReading
        Gravity, base, and the meaning of angles.
    place : Place
        Its file.
    findings : Findings
        Receives angles near quarter turns, joints that follow others, and a gravity that is not stated.

    Returns
    -------
    Mechanism
        A tree; with its other reading if angles are near quarter turns.
    """
    angles = _Angles(reading.snap, reading.is_double)
    mechanism = _robot_bodies(robot, reading, angles, place, findings)
    if reading.gravity is None:
        findings.report("MP821", f"robot states no gravity: {' '.join(_EARTH)} is used", place, item="gravity")
    _report_followers(robot, place, findings)
    if not angles.found or findings.has_errors:
        return mechanism
    _report_angles(angles, place, findings)
    snaps = reading.snap is False or (reading.snap is None and AngleKind.QUESTION in angles.found)
    other = _robot_bodies(robot, reading, _Angles(snaps, is_double=False), place, Findings())
    if other.bodies == mechanism.bodies and other.joints == mechanism.joints:
        return mechanism
    return replace(mechanism, other_reading=other, other_option="--snap" if snaps else "--no-snap")


def _report_angles(angles: _Angles, place: Place, findings: Findings) -> None:
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


def _report_followers(robot: RobotModel, place: Place, findings: Findings) -> None:
    """Report the joints that follow another one."""
    followers = [joint for joint in robot.joints if joint.mimic is not None]
    if followers:
        named = name_list([f"{joint.name} follows {joint.mimic.joint}" for joint in followers if joint.mimic], 4)
        findings.report(
            "MP822",
            f"joints that follow others are read as independent: {named}",
            Place(place.file, line=followers[0].line),
            item=followers[0].name,
            count=len(followers),
        )


def _robot_bodies(
    robot: RobotModel, reading: RobotReading, angles: _Angles, place: Place, findings: Findings
) -> Mechanism:
    """Return the bodies and joints of a robot, from the root outwards."""
    children: dict[str, list[RobotJoint]] = {}
    for joint in robot.joints:
        children.setdefault(joint.parent, []).append(joint)
    bodies: list[MechanismBody] = []
    joints: list[Joint] = []
    frames = {robot.root: _Frame(GROUND)}
    if reading.base == "free":
        bodies.append(_body(robot, robot.root, ZERO_VECTOR, _NO_TURN, angles))
        name = _free_name("base", {joint.name for joint in robot.joints})
        joints.append(Joint(name, "free", (GROUND, 0), (ZERO_VECTOR,) * 2, (ZERO_VECTOR,) * 2))
        frames[robot.root] = _Frame(0)
    open_links = [robot.root]
    while open_links:
        link = open_links.pop(0)
        for joint in children.get(link, ()):
            open_links.append(joint.child)
            frame = _joint_frame(frames[link], joint, angles)
            child = robot.links[joint.child]
            if joint.kind == "fixed" and child.inertial is None:
                frames[joint.child] = frame
                continue
            parent = bodies[frame.body] if frame.body != GROUND else None
            origin = ZERO_VECTOR if parent is None else parent.position
            turn = quaternion_matrix(_NO_TURN if parent is None else parent.quaternion)
            position = vector_sum(origin, rotated_vector(turn, frame.position))
            attitude = frame.quaternion if parent is None else _product(_whole(parent.quaternion), frame.quaternion)
            frames[joint.child] = _Frame(len(bodies))
            joints.append(_joint(joint, frame, len(bodies), place, findings))
            bodies.append(_body(robot, joint.child, position, _reduced(attitude), angles))
    return Mechanism(robot.name, tuple(bodies), tuple(joints), _gravity(reading, place, findings))


def _gravity(reading: RobotReading, place: Place, findings: Findings) -> Vector:
    """Return the gravity that is stated for a robot, or that of the earth."""
    try:
        return _vector(reading.gravity or _EARTH)
    except (ValueError, ZeroDivisionError):
        value = ",".join(reading.gravity or ())
        message = f"gravity: not three decimals or fractions: {value!r}"
        findings.report("MP802", message, place, value=value, item="gravity")
        return ZERO_VECTOR


def _free_name(name: str, names: set[str]) -> str:
    """Return a name that no joint has."""
    while name in names:
        name += "_"
    return name


def _joint_frame(above: _Frame, joint: RobotJoint, angles: _Angles) -> _Frame:
    """Return the frame of a joint in the body above it."""
    position = rotated_vector(quaternion_matrix(above.quaternion), _vector(joint.pose.xyz))
    turn = _product(above.quaternion, angles.quaternion(f"joint {joint.name}", joint.pose))
    return _Frame(above.body, vector_sum(above.position, position), _reduced(turn))


def _joint(joint: RobotJoint, frame: _Frame, child: int, place: Place, findings: Findings) -> Joint:
    """Return a joint between the body above and that of its child, whose frame is that of the joint."""
    kind = _KINDS[joint.kind]
    axis = _vector(joint.axis) if kind in AXIS_KINDS else ZERO_VECTOR
    if kind in AXIS_KINDS and not any(axis):
        findings.report(
            "MP804", f"axis of joint {joint.name} is zero", Place(place.file, line=joint.line), item=joint.name
        )
    turned = rotated_vector(quaternion_matrix(frame.quaternion), axis)
    return Joint(joint.name, kind, (frame.body, child), (frame.position, ZERO_VECTOR), (turned, axis))


def _body(robot: RobotModel, link: str, position: Vector, attitude: _Quaternion, angles: _Angles) -> MechanismBody:
    """Return the body of a link, with its inertial in the axes of the link."""
    inertial = robot.links[link].inertial
    quaternion = (Fraction(attitude[0]), Fraction(attitude[1]), Fraction(attitude[2]), Fraction(attitude[3]))
    if inertial is None:
        return MechanismBody(link, position, quaternion)
    mass = Fraction(inertial.mass) if inertial.mass else None
    center = _vector(inertial.pose.xyz)
    return MechanismBody(link, position, quaternion, mass, center, _tensor(inertial, angles))


def _tensor(inertial: InertialTexts, angles: _Angles) -> _Tensor:
    """Return the inertia of a link about its centre of mass, in the axes of the link."""
    xx, yy, zz, xy, xz, yz = (Fraction(text) if text else Fraction(0) for text in inertial.tensor)
    turn = quaternion_matrix(_Angles(angles.snap, angles.is_double).quaternion("", inertial.pose))
    rows = [rotated_vector(turn, row) for row in ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))]
    own = [rotated_vector(turn, column) for column in transposed_matrix((rows[0], rows[1], rows[2]))]
    return own[0][0], own[1][1], own[2][2], own[0][1], own[0][2], own[1][2]


def _vector(texts: Sequence[str]) -> Vector:
    """Return three exact numbers."""
    x, y, z = (Fraction(text) for text in texts)
    return x, y, z


def _whole(quaternion: Sequence[Fraction]) -> _Quaternion:
    """Return a quaternion of whole numbers as such."""
    w, x, y, z = (int(value) for value in quaternion)
    return w, x, y, z


def _product(a: _Quaternion, b: _Quaternion) -> _Quaternion:
    """Return the product of two quaternions: first b, then a."""
    w, x, y, z = a
    u, p, q, r = b
    return (
        w * u - x * p - y * q - z * r,
        w * p + x * u + y * r - z * q,
        w * q - x * r + y * u + z * p,
        w * r + x * q - y * p + z * u,
    )


def _reduced(quaternion: _Quaternion) -> _Quaternion:
    """Return a quaternion without common divisors."""
    divisor = math.gcd(*quaternion)
    w, x, y, z = (value // divisor for value in quaternion)
    return w, x, y, z
