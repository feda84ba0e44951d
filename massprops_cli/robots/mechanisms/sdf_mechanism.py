"""The mechanism of an SDF model or world: links are bodies at the poses of the file, and joints may form loops.

Links of static models are the ground. A group of joined links without a joint to the world has a root: a link that no
joint moves, first of all the canonical one. It is fixed to the ground, or moves freely.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from massprops_cli.findings.finding import Findings, Place, name_list
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
    transposed_matrix,
    vector_sum,
)
from massprops_cli.robots.mechanisms.exact_poses import AngleReader, ExactPose, exact_body, exact_vector
from massprops_cli.robots.mechanisms.robot_mechanism import (
    free_joint,
    report_followers,
    report_gravity,
    stated_gravity,
    with_other_reading,
)

if TYPE_CHECKING:
    from massprops_cli.robots.sdf.sdf_joints import SdfJoint
    from massprops_cli.robots.sdf.sdf_model import SdfModel, SdfPose
    from massprops_cli.robots.sdf.sdf_table import SdfBody, SdfTable

_KINDS = {
    "revolute": "R",
    "continuous": "R",
    "prismatic": "P",
    "screw": "helical",
    "universal": "U",
    "revolute2": "U",
    "ball": "S",
    "fixed": "fixed",
}
_FIXED = "fixed"
_GRAVITY = ("0", "0", "-9.81")
_WORLD_GRAVITY = ("0", "0", "-9.8")
"""Gravity of a world that states none. [SDFormat specification, "world"]"""
_Key = tuple[int, str]


def sdf_mechanism(table: SdfTable, reading: RobotReading, place: Place, findings: Findings) -> Mechanism:
    """Return the mechanism of an SDF model or world."""
    from massprops_cli.robots.sdf.sdf_joints import sdf_joints

    joints = sdf_joints(table.top, table.poses)
    used = reading.gravity or table.top.gravity
    if used is None:
        used = _WORLD_GRAVITY if table.top.is_world else _GRAVITY
        report_gravity(used, place, findings)
    gravity = stated_gravity(used, place, findings)
    _report_weightless(table, findings)
    report_followers(((one.name, one.mimic.joint, one.line) for one in joints if one.mimic), place, findings)

    def build(angles: AngleReader, collected: Findings) -> Mechanism:
        return _Builder(table, joints, angles, place, collected).mechanism(reading, gravity)

    return with_other_reading(build, reading, place, findings)


def _report_weightless(table: SdfTable, findings: Findings) -> None:
    """Report the links that gravity does not act on."""
    found = []
    for one in table.bodies:
        element = one.link.element.first("gravity")
        if element is not None and element.value.lower() in ("false", "0") and not one.model.is_static:
            found.append((one.link.name, one.model.file.place(element.line)))
    if found:
        named = name_list([name for name, _ in found], 8)
        links = "1 link" if len(found) == 1 else f"{len(found)} links"
        message = f"gravity does not act on {links}, and is read as if it did: {named}"
        findings.report("MP828", message, found[0][1], item=found[0][0], count=len(found))


class _ExactArithmetic:
    """Poses as exact positions and rational attitudes."""

    unit = ExactPose()

    def __init__(self, angles: AngleReader) -> None:
        self._angles = angles

    def of(self, pose: SdfPose) -> ExactPose:
        """Return a pose of the file as exact numbers."""
        from massprops_cli.robots.robot_model import OriginTexts

        return self._angles.pose(f"line {pose.line}", OriginTexts(pose.texts[:3], pose.texts[3:]))

    def product(self, first: ExactPose, second: ExactPose) -> ExactPose:
        """Return the pose of what has the second pose in a frame with the first."""
        return first @ second

    def inverse(self, value: ExactPose) -> ExactPose:
        """Return the inverse of a pose."""
        return value.inverse()


class _Builder:
    """Bodies and joints of a table, with angles as a reader takes them."""

    def __init__(
        self, table: SdfTable, joints: list[SdfJoint], angles: AngleReader, place: Place, findings: Findings
    ) -> None:
        self._table, self._joints, self._angles = table, joints, angles
        self._place, self._findings = place, findings
        arithmetic = _ExactArithmetic(angles)
        own = table.top.pose
        top = arithmetic.unit if own is None else arithmetic.of(own)
        self._poses = {key: top @ pose for key, pose in table.poses.composed(arithmetic).items()}
        self._index: dict[_Key, int] = {}
        self._bodies: list[MechanismBody] = []

    def mechanism(self, reading: RobotReading, gravity: Vector) -> Mechanism:
        """Return bodies that move or are joined, and the joints between them."""
        moving = [one for one in self._table.bodies if not one.model.is_static]
        keys = [(id(one.model), one.link.name) for one in moving]
        roots = list(self._roots(keys))
        grounded = set(roots) if reading.base == "fixed" else set()
        for key, one in zip(keys, moving, strict=True):
            if key not in grounded:
                self._index[key] = len(self._bodies)
                self._bodies.append(self._body(one, key))
        joints = [joint for one in self._joints if (joint := self._joint(one)) is not None]
        names = {joint.name for joint in joints}
        for key in roots:
            if key not in grounded:
                body = self._index[key]
                name = "base" if len(roots) == 1 else f"base_{self._bodies[body].name}"
                joints.append(free_joint(body, names, name))
                names.add(joints[-1].name)
        return Mechanism(self._table.top.name, tuple(self._bodies), tuple(joints), gravity)

    def _body(self, one: SdfBody, key: _Key) -> MechanismBody:
        """Return the body of a link with its inertial."""
        from massprops_cli.robots.sdf.sdf_joints import table_inertial

        name = self._table.text(one.row, 1)
        return exact_body(name, self._poses[key], table_inertial(self._table, one), self._angles)

    def _roots(self, keys: list[_Key]) -> Iterator[_Key]:
        """Yield the root of each group of joined links without a joint to the world or to a static model."""
        known = set(keys)
        joined: dict[_Key, list[_Key | None]] = {key: [] for key in keys}
        children: set[_Key | None] = set()
        for one in self._joints:
            parent, child = (end if end in known else None for end in one.links)
            children.add(child)
            for end, other in ((parent, child), (child, parent)):
                if end is not None:
                    joined[end].append(other)
        canonical = {(id(model), model.canonical_link) for model in self._models()}
        visited: set[_Key] = set()
        for key in keys:
            group = _group(key, joined, visited)
            if group and not any(other is None for one in group for other in joined[one]):
                heads = [one for one in group if one not in children] or group
                yield next((one for one in heads if one in canonical), heads[0])

    def _models(self) -> Iterable[SdfModel]:
        """Return the models of the bodies, each once."""
        return {id(one.model): one.model for one in self._table.bodies}.values()

    def _joint(self, one: SdfJoint) -> Joint | None:
        """Return a joint; None between two links of the ground."""
        parent, child = (GROUND if end is None else self._index.get(end, GROUND) for end in one.links)
        if parent == child == GROUND:
            return None
        kind = _KINDS.get(one.kind)
        line = Place(self._place.file, line=one.line)
        if kind is None:
            message = f"type of joint {one.name} is not read: {one.kind!r}"
            remedy = f"use {', '.join(list(_KINDS)[:-1])} or {_FIXED}"
            self._findings.report("MP803", message, line, value=one.kind, item=one.name, remedy=remedy)
            kind = _FIXED
        axes = [self._axis(one, side if kind == "U" else 0) if kind in AXIS_KINDS else ZERO_VECTOR for side in (0, 1)]
        if kind in AXIS_KINDS and not all(any(axis) for axis in axes):
            self._findings.report("MP804", f"axis of joint {one.name} is zero", line, item=one.name)
        point = self._poses[one.frame].position
        ends = (parent, child)
        points, turned = [self._in_body(end, point) for end in ends], list(map(self._turned, ends, axes))
        pitch = Fraction(float(one.pitch or 0) / (2 * math.pi)) if kind == "helical" else Fraction(0)
        return Joint(one.name, kind, ends, (points[0], points[1]), (turned[0], turned[1]), pitch)

    def _axis(self, one: SdfJoint, number: int) -> Vector:
        """Return an axis in ground axes; 0 if it is not stated."""
        if number >= len(one.axes):
            return ZERO_VECTOR
        axis = one.axes[number]
        return rotated_vector(self._poses[axis.frame].rotation, exact_vector(axis.texts))

    def _in_body(self, body: int, point: Vector) -> Vector:
        """Return a point of the ground in the frame of a body."""
        if body == GROUND:
            return point
        return self._turned(body, vector_sum(point, self._bodies[body].position, -1))

    def _turned(self, body: int, vector: Vector) -> Vector:
        """Return a vector in ground axes along the axes of a body."""
        return vector if body == GROUND else rotated_vector(transposed_matrix(self._bodies[body].rotation), vector)


def _group(key: _Key, joined: dict[_Key, list[_Key | None]], visited: set[_Key]) -> list[_Key]:
    """Return a link with all that joints connect to it, in the order of the walk; nothing if it was visited."""
    if key in visited:
        return []
    visited.add(key)
    group = [key]
    for link in group:
        for other in joined[link]:
            if other is not None and other not in visited:
                visited.add(other)
                group.append(other)
    return group
