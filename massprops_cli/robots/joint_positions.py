"""Positions of joints: parsed, checked against types and limits, and composed as motions of the child links."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from massprops_cli.bodies.rotations import (
    Floats,
    axis_rotations,
    cross_matrices,
    frame_matrix,
    quaternion_rows,
    roll_pitch_yaw,
    stated_frame,
)
from massprops_cli.files.table import shortest_number_text
from massprops_cli.findings.finding import Findings, Place, UsageError, name_list, nearest_name_hint
from massprops_cli.robots.robot_model import FIXED, OriginTexts, RobotJoint, RobotModel

_ANGLES = {"": 1.0, "rad": 1.0, "deg": math.pi / 180, "°": math.pi / 180}
_LENGTHS = {"": 1.0, "m": 1.0, "cm": 0.01, "mm": 0.001, "in": 0.0254, "ft": 0.3048}
_UNITS = {"revolute": _ANGLES, "continuous": _ANGLES, "prismatic": _LENGTHS}
_POSITION = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*([^\d\s]*)\s*")
"""A number and a unit, such as "90 deg"."""
_COUNTS = {"planar": (3,), "floating": (6, 7)}
_EXPECTED = {
    "planar": "x, y and an angle, such as '1 0.5 0.2'",
    "floating": "x, y, z, roll, pitch, yaw, such as '0 0 1 0 0 0', or x, y, z and a quaternion x, y, z, w",
}


def at_positions(robot: RobotModel, given: Sequence[str], name: str, findings: Findings) -> RobotModel:
    """Return a robot whose joints are at stated positions; a follower is at multiplier × the other's position + offset.

    Only revolute, continuous and prismatic joints follow. [ROS, URDF specification, "joint", mimic]
    """
    if not given:
        return robot
    positions = joint_values(robot.joints, given, name, findings)
    moved = [_moved(joint, positions[joint.name]) if joint.name in positions else joint for joint in robot.joints]
    return replace(robot, joints=moved)


def joint_values(
    joints: Sequence[RobotJoint], given: Sequence[str], name: str, findings: Findings
) -> dict[str, list[float]]:
    """Return the positions of joints that are not at 0, with those of the joints that follow."""
    known = {joint.name: joint for joint in joints}
    positions = dict(_stated_position(text, known) for text in given)
    for joint in joints:
        if _is_following(joint):
            positions[joint.name] = [_followed_position(joint, known, positions, [])]
    for joint in joints:
        if joint.name in positions:
            _check_limits(joint, positions[joint.name], name, findings)
    return {joint: values for joint, values in positions.items() if any(values)}


def _moved(joint: RobotJoint, values: list[float]) -> RobotJoint:
    """Return a joint whose pose is that of its child at a position."""
    pose = stated_frame([float(text) for text in (*joint.pose.xyz, *joint.pose.rpy)]) @ joint_motion(joint, values)
    xyz = tuple(shortest_number_text(float(value)) for value in pose[:3, 3] + 0.0)
    rpy = tuple(shortest_number_text(value + 0.0) for value in roll_pitch_yaw(pose[:3, :3]))
    return replace(joint, pose=OriginTexts(xyz, rpy))


def _stated_position(text: str, joints: Mapping[str, RobotJoint]) -> tuple[str, list[float]]:
    """Parse a joint and its position."""
    joint_name, sign, value = (part.strip() for part in text.partition("="))
    if not sign:
        raise UsageError(f"invalid --q: {text} (expected JOINT=POSITION, such as elbow=0.5 or elbow='30 deg')")
    joint = joints.get(joint_name)
    if joint is None:
        moving = [one.name for one in joints.values() if one.kind != FIXED]
        hint = nearest_name_hint(joint_name, moving) or f" (it has {name_list(moving, 8) or 'none that moves'})"
        raise UsageError(f"robot has no joint {joint_name!r}{hint} (--q)")
    if joint.kind == FIXED:
        raise UsageError(f"joint {joint_name} is fixed and has no position (--q)")
    if joint.mimic is not None and _is_following(joint):
        raise UsageError(f"joint {joint_name} follows {joint.mimic.joint}; state the position of that joint (--q)")
    if joint.kind in _COUNTS:
        words = value.split()
        numbers = [float(word) for word in words if _POSITION.fullmatch(word)]
        if len(numbers) != len(words) or len(words) not in _COUNTS[joint.kind] or not np.isfinite(numbers).all():
            raise UsageError(
                f"position of {joint.kind} joint {joint_name} is not {_EXPECTED[joint.kind]}: {value!r} (--q)"
            )
        return joint_name, numbers
    if joint.kind not in _UNITS:
        raise UsageError(f"{joint.kind or 'untyped'} joint {joint_name} is not moved: it has several axes (--q)")
    found, units = _POSITION.fullmatch(value), _UNITS[joint.kind]
    if found is None or found.group(2) not in units or not math.isfinite(float(found.group(1))):
        expected = f"a number, in {', '.join(unit for unit in units if unit)}"
        raise UsageError(f"position of {joint.kind} joint {joint_name} is not {expected}: {value!r} (--q)")
    return joint_name, [float(found.group(1)) * units[found.group(2)]]


def _is_following(joint: RobotJoint) -> bool:
    """Return whether a joint moves with another; a fixed joint does not, whatever its ``mimic`` states."""
    return joint.mimic is not None and joint.kind in _UNITS


def _followed_position(
    joint: RobotJoint, joints: Mapping[str, RobotJoint], positions: Mapping[str, list[float]], path: list[str]
) -> float:
    """Return the position of a joint that follows another."""
    if joint.mimic is None or not _is_following(joint):
        return positions.get(joint.name, [0.0])[0]
    if joint.name in path:
        raise UsageError(f"joints follow each other: {' → '.join([*path, joint.name])}")
    other = joints.get(joint.mimic.joint)
    if other is None:
        hint = nearest_name_hint(joint.mimic.joint, joints)
        raise UsageError(f"joint {joint.name} follows a joint that is not in the file: {joint.mimic.joint!r}{hint}")
    position = _followed_position(other, joints, positions, [*path, joint.name])
    return float(joint.mimic.multiplier) * position + float(joint.mimic.offset)


def _check_limits(joint: RobotJoint, values: Sequence[float], name: str, findings: Findings) -> None:
    """Report a position outside the limits of a joint."""
    if joint.limits is None or joint.kind not in ("revolute", "prismatic"):
        return
    low, high = (float(text) for text in joint.limits)
    if not low <= values[0] <= high:
        unit = "rad" if joint.kind == "revolute" else "m"
        message = f"position of joint {joint.name} is outside its limits: {values[0]:.6g} ({low:g} to {high:g} {unit})"
        findings.report("MP890", message, Place(name, line=joint.line), value=f"{values[0]:.6g}", item=joint.child)


def joint_motion(joint: RobotJoint, values: list[float]) -> Floats:
    """Return the pose (4, 4) of the child link in the frame of its joint.

    UsageError: the axis or a quaternion is zero, or a planar joint has another axis than z.
    """
    if joint.kind == "floating":
        if len(values) == 6:
            return stated_frame(values)
        quaternion = np.array(values[3:])
        size = math.hypot(*quaternion.tolist())
        if not size > 0:
            raise UsageError(f"quaternion of joint {joint.name} is zero (--q)")
        x, y, z, w = (quaternion / size).tolist()
        return frame_matrix(values[:3], quaternion_rows(w, x, y, z))
    axis = np.array([float(text) for text in joint.axis])
    size = math.hypot(*axis.tolist())
    if not size > 0:
        raise UsageError(f"axis of joint {joint.name} is zero: {' '.join(joint.axis)}")
    axis = axis / size
    if joint.kind == "prismatic":
        return frame_matrix(values[0] * axis)
    if joint.kind == "planar":
        if abs(axis[2]) != 1:
            raise UsageError(f"planar joint {joint.name} is only moved in its x-y plane: its axis is not z (--q)")
        return stated_frame([values[0], values[1], 0, 0, 0, values[2] * axis[2]])
    return frame_matrix(np.zeros(3), _turn(axis, values[0]))


def _turn(axis: Floats, angle: float) -> Floats:
    """Return the rotation about a unit vector; quarter turns about coordinate axes are exact."""
    c, s = math.cos(angle), math.sin(angle)
    quarters = angle / (math.pi / 2)
    if quarters == round(quarters):
        c, s = (float(value) for value in ((1, 0), (0, 1), (-1, 0), (0, -1))[int(quarters) % 4])
    return axis_rotations(cross_matrices(axis), s, 1 - c)
