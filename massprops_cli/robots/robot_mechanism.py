"""The mechanism of a robot description: links are bodies, joints keep their axes, attitudes are rational."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
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
    transposed_matrix,
    vector_sum,
)
from massprops_cli.robots.exact_poses import AngleKind, AngleReader, ExactPose, exact_body, exact_vector

if TYPE_CHECKING:
    from massprops_cli.robots.robot_model import RobotJoint, RobotModel
    from massprops_cli.robots.sdf.sdf_joints import SdfJoint
    from massprops_cli.robots.sdf.sdf_model import SdfPose
    from massprops_cli.robots.sdf.sdf_table import SdfTable

_KINDS = {
    "revolute": "R", "continuous": "R", "prismatic": "P", "planar": "planar", "floating": "free", "fixed": "fixed",
    "ball": "S", "universal": "U",
}  # fmt: skip
_EARTH = ("0", "0", "-9.81")
_MechanismBuilder = Callable[[AngleReader, Findings], Mechanism]
"""Makes a mechanism from the angles as a reader takes them; appends what is wrong."""
_Frame = tuple[int, ExactPose]  # a frame at the pose: the body that has it, and its place in the frame of that body
_SDF_KINDS = {
    "revolute": "R", "continuous": "R", "prismatic": "P", "screw": "helical", "universal": "U", "revolute2": "U",
    "ball": "S", "fixed": "fixed",
}  # fmt: skip
_WORLD_GRAVITY = ("0", "0", "-9.8")  # gravity of a world that states none. [SDFormat specification, "world"]
_Key = tuple[int, str]


def _read_urdf_mechanism(name: str, data: bytes, reading: RobotReading, findings: Findings) -> Mechanism:
    """Read a URDF file."""
    from massprops_cli.robots.urdf import read_urdf_model

    robot, place = read_urdf_model(name, data, findings), Place(name)
    if findings.has_errors:
        raise TableError([])
    if not robot.links:
        raise TableError([rule_finding("MP801", "robot has no link", place)])

    def build(angles: AngleReader, collected: Findings) -> Mechanism:
        return _robot_bodies(robot, reading, angles, place, collected)

    if reading.gravity is None:
        _report_gravity(_EARTH, place, findings)
    _report_followers(((one.name, one.mimic.joint, one.line) for one in robot.joints if one.mimic), place, findings)
    return _with_other_reading(build, reading, place, findings)


def _with_other_reading(build: _MechanismBuilder, reading: RobotReading, place: Place, findings: Findings) -> Mechanism:
    """Return the mechanism of a robot, with its other readings if angles are near quarter turns."""
    angles = AngleReader(reading.snap, reading.rotations)
    mechanism = build(angles, findings)
    if not angles.found or findings.has_errors:
        return mechanism
    _report_angles(angles, place, findings)
    is_mixed = reading.snap is None and len(angles.found) > 1  # some as written, others as multiples
    snaps = reading.snap is False or (reading.snap is None and AngleKind.QUESTION in angles.found)
    found = mechanism
    for is_snapped in (not snaps, snaps) if is_mixed else (snaps,):
        other = build(AngleReader(is_snapped, reading.rotations), Findings())
        if other.bodies == mechanism.bodies and other.joints == mechanism.joints:
            continue
        beyond = replace(other, other_reading=found.other_reading, other_option=found.other_option)
        option = f"--config angles={'multiples' if is_snapped else 'written'}"
        found = replace(mechanism, other_reading=beyond, other_option=option)
    return found


def _report_angles(angles: AngleReader, place: Place, findings: Findings) -> None:
    """Report the angles near multiples of a quarter turn, and how they were read."""
    for kind, rule in ((AngleKind.QUESTION, "MP818"), (AngleKind.ROUNDED, "MP819")):
        found = angles.found.get(kind, [])
        if not found or (kind is AngleKind.QUESTION and angles.snap is not None):
            continue
        named = name_list([f"{text} of {item}" for item, text in found], 4)
        as_what = "read as written" if kind is AngleKind.QUESTION or angles.snap is False else "read as that multiple"
        angle = "1 angle is" if len(found) == 1 else f"{len(found)} angles are"
        message = f"{angle} near a multiple of 90°, {as_what}: {named}"
        remedy = "read them as these multiples with --config angles=multiples" if angles.snap is False else None
        (item, value), count = found[0], len(found)
        findings.report(rule, message, place, value=value, item=item, count=count, remedy=remedy)


def _report_gravity(used: tuple[str, str, str], place: Place, findings: Findings) -> None:
    """Report that a robot states no gravity."""
    findings.report("MP821", f"robot states no gravity: {' '.join(used)} is used", place, item="gravity")


def _report_followers(followers: Iterable[tuple[str, str, int]], place: Place, findings: Findings) -> None:
    """Report the joints that follow another one."""
    if found := list(followers):
        named = name_list([f"{name} follows {other}" for name, other, _ in found], 4)
        message, line = f"joints that follow others are read as independent: {named}", found[0][2]
        findings.report("MP822", message, Place(place.file, line=line), item=found[0][0], count=len(found))


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
    frames = {robot.root: (GROUND, ExactPose())}
    if reading.base == "free":
        bodies.append(exact_body(robot.root, ExactPose(), robot.links[robot.root].inertial, angles))
        poses.append(ExactPose())
        joints.append(_free_joint(0, {joint.name for joint in robot.joints}))
        frames[robot.root] = 0, ExactPose()
    open_links = [robot.root]
    while open_links:
        link = open_links.pop(0)
        above, of_link = frames[link]
        for joint in children.get(link, ()):
            open_links.append(joint.child)
            pose = of_link @ angles.pose(f"joint {joint.name}", joint.pose)
            child = robot.links[joint.child]
            if joint.kind == "fixed" and child.inertial is None:
                frames[joint.child] = above, pose
                continue
            poses.append(pose if above == GROUND else poses[above] @ pose)
            frames[joint.child] = len(bodies), ExactPose()
            joints.append(_joint(joint, (above, pose), len(bodies), place, findings))
            bodies.append(exact_body(joint.child, poses[-1], child.inertial, angles))
    gravity = _stated_gravity(reading.gravity or _EARTH, place, findings)
    return Mechanism(robot.name, tuple(bodies), tuple(joints), gravity)


def _stated_gravity(texts: tuple[str, str, str], place: Place, findings: Findings) -> Vector:
    """Return the gravity of a robot."""
    try:
        return exact_vector(texts)
    except (ValueError, ZeroDivisionError):
        value = ",".join(texts)
        message = f"gravity: not three decimals or fractions: {value!r}"
        findings.report("MP802", message, place, value=value, item="gravity")
        return ZERO_VECTOR


def _free_joint(body: int, names: set[str], name: str = "base") -> Joint:
    """Return the joint of a body that moves freely."""
    while name in names:
        name += "_"
    return Joint(name, "free", (GROUND, body), (ZERO_VECTOR,) * 2, (ZERO_VECTOR,) * 2)


def _joint(joint: RobotJoint, frame: _Frame, child: int, place: Place, findings: Findings) -> Joint:
    """Return a joint between the body above and that of its child, whose frame is that of the joint."""
    kind = _KINDS[joint.kind]
    axis = exact_vector(joint.axis) if kind in AXIS_KINDS else ZERO_VECTOR
    if kind in AXIS_KINDS and not any(axis):
        line = Place(place.file, line=joint.line)
        findings.report("MP804", f"axis of joint {joint.name} is zero", line, item=joint.name)
    body, pose = frame
    turned = rotated_vector(pose.rotation, axis)
    limits = None
    if joint.limits is not None and joint.kind in ("revolute", "prismatic"):
        limits = float(joint.limits[0]), float(joint.limits[1])
    points = pose.position, ZERO_VECTOR
    return Joint(joint.name, kind, (body, child), points, (turned, axis), limits=limits)


def _read_mjcf_mechanism(name: str, data: bytes, reading: RobotReading, findings: Findings) -> Mechanism:
    """Read an MJCF file whose bodies have at most one joint each; their frames are moved to the joints."""
    from massprops_cli.robots.mjcf.mjcf_model import joint_frames, read_mjcf_model

    model, place = read_mjcf_model(name, data, None, findings), Place(name)
    if several := [body for body in model.bodies if len(body.joints) > 1]:
        noun = "body has" if len(several) == 1 else "bodies have"
        message = f"{len(several)} {noun} several joints: {name_list([body.name for body in several], 8)}"
        line, remedy = Place(name, line=several[0].element.line), "give each joint a body of its own"
        raise TableError([rule_finding("MP803", message, line, value=several[0].name, remedy=remedy)])
    robot = joint_frames(model, is_free=reading.base == "free")
    if limits := [one for section in model.source.root.all("equality") for one in section.children]:
        noun = (
            "constraint of the section equality is" if len(limits) == 1 else "constraints of the section equality are"
        )
        message, line = f"{len(limits)} {noun} not read", model.source.place(limits[0])
        findings.report("MP822", message, line, value=limits[0].tag, count=len(limits))
    stated = [
        one.attributes["gravity"].split() for one in model.source.root.all("option") if "gravity" in one.attributes
    ]
    x, y, z = stated[-1] if stated and len(stated[-1]) == 3 else _EARTH
    at_ground = replace(reading, base="fixed", gravity=reading.gravity or (x, y, z))

    def build(angles: AngleReader, collected: Findings) -> Mechanism:
        return _robot_bodies(robot, at_ground, angles, place, collected)

    return _with_other_reading(build, at_ground, place, findings)


def _read_sdf_mechanism(name: str, data: bytes, reading: RobotReading, findings: Findings) -> Mechanism:
    """Read the model or world of an SDF file, and compute its automatic inertials."""
    from massprops_cli.robots.link_inertials import resolve_robot_table
    from massprops_cli.robots.sdf.sdf_joints import sdf_joints
    from massprops_cli.robots.sdf.sdf_table import SdfTable, read_sdf

    table = resolve_robot_table(read_sdf(name, data, None, False, findings), findings)
    assert isinstance(table, SdfTable)
    if findings.has_errors:
        raise TableError([])
    joints, place = sdf_joints(table.top, table.poses), Place(name)
    used = reading.gravity or table.top.gravity
    if used is None:
        used = _WORLD_GRAVITY if table.top.is_world else _EARTH
        _report_gravity(used, place, findings)
    gravity = _stated_gravity(used, place, findings)
    _report_weightless(table, findings)
    _report_followers(((one.name, one.mimic.joint, one.line) for one in joints if one.mimic), place, findings)

    def build(angles: AngleReader, collected: Findings) -> Mechanism:
        return _Builder(table, joints, angles, place, collected).mechanism(reading, gravity)

    return _with_other_reading(build, reading, place, findings)


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


class _Builder:
    """Bodies and joints of a table, with angles as a reader takes them."""

    def __init__(
        self, table: SdfTable, joints: list[SdfJoint], angles: AngleReader, place: Place, findings: Findings
    ) -> None:
        self._table, self._joints, self._angles = table, joints, angles
        self._place, self._findings = place, findings

        def stated(pose: SdfPose) -> ExactPose:
            """Return a pose of the file as exact numbers."""
            return angles.pose(f"line {pose.line}", pose.texts)

        top = ExactPose() if table.top.pose is None else stated(table.top.pose)
        composed = table.poses.composed(ExactPose(), stated, ExactPose.inverse)
        self._poses: dict[_Key, ExactPose] = {key: top @ pose for key, pose in composed.items()}
        self._index: dict[_Key, int] = {}
        self._bodies: list[MechanismBody] = []

    def mechanism(self, reading: RobotReading, gravity: Vector) -> Mechanism:
        """Return bodies that move or are joined, and the joints between them."""
        from massprops_cli.robots.sdf.sdf_table import table_inertial

        moving = [one for one in self._table.bodies if not one.model.is_static]
        keys = [(id(one.model), one.link.name) for one in moving]
        roots = list(self._roots(keys))
        grounded = set(roots) if reading.base == "fixed" else set()
        for key, one in zip(keys, moving, strict=True):
            if key not in grounded:
                self._index[key] = len(self._bodies)
                inertial = table_inertial(self._table, one)
                self._bodies.append(exact_body(self._table.text(one.row, 1), self._poses[key], inertial, self._angles))
        joints = [joint for one in self._joints if (joint := self._joint(one)) is not None]
        names = {joint.name for joint in joints}
        for key in roots:
            if key not in grounded:
                body = self._index[key]
                name = "base" if len(roots) == 1 else f"base_{self._bodies[body].name}"
                joints.append(_free_joint(body, names, name))
                names.add(joints[-1].name)
        return Mechanism(self._table.top.name, tuple(self._bodies), tuple(joints), gravity)

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
        canonical = {(id(one.model), one.model.canonical_link) for one in self._table.bodies}
        visited: set[_Key] = set()
        for key in keys:
            group = _group(key, joined, visited)
            if group and not any(other is None for one in group for other in joined[one]):
                heads = [one for one in group if one not in children] or group
                yield next((one for one in heads if one in canonical), heads[0])

    def _joint(self, one: SdfJoint) -> Joint | None:
        """Return a joint; None between two links of the ground."""
        parent, child = (GROUND if end is None else self._index.get(end, GROUND) for end in one.links)
        if parent == child == GROUND:
            return None
        kind = _SDF_KINDS.get(one.kind)
        line = Place(self._place.file, line=one.line)
        if kind is None:
            message = f"type of joint {one.name} is not read: {one.kind!r}"
            remedy = f"use {', '.join(list(_KINDS)[:-1])} or fixed"
            self._findings.report("MP803", message, line, value=one.kind, item=one.name, remedy=remedy)
            kind = "fixed"
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
        texts, frame = one.axes[number]
        return rotated_vector(self._poses[frame].rotation, exact_vector(texts))

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


def read_robot_mechanism(source: str | Path | bytes, reading: RobotReading, findings: Findings) -> Mechanism | None:
    """Read a robot description as a mechanism."""
    from massprops_cli.robots.robot_model import parse_source

    name = "-" if isinstance(source, bytes) else str(source)
    try:
        data = source if isinstance(source, bytes) else Path(source).read_bytes()
    except OSError as error:
        findings.report("MP101", f"file cannot be read: {error.strerror or error}", Place(name))
        return None
    try:
        root = parse_source(name, data)
        if root.tag not in _READERS:
            message = f"file is not a robot: its root element is {root.tag} (expected robot, sdf or mujoco)"
            findings.report("MP801", message, Place(name, line=root.line), value=root.tag)
            return None
        mechanism = _READERS[root.tag](name, data, reading, findings)
        if mechanism.bodies or findings.has_errors:
            return None if findings.has_errors else mechanism
        remedy = "a robot of one fixed body has no motion: pass --base free, or state a joint that moves"
        message = "robot has no moving or fixed link with an inertial below its root"
        findings.report("MP801", message, Place(name), remedy=remedy)
    except TableError as error:
        findings.extend(error.findings)
    return None


_READERS = {
    "robot": _read_urdf_mechanism,
    "sdf": _read_sdf_mechanism,
    "gazebo": _read_sdf_mechanism,
    "mujoco": _read_mjcf_mechanism,
}
