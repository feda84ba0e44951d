"""A robot as its file states it, all numbers as text, its elements with their bytes in the file, and its poses."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple
from xml.parsers import expat

import numpy as np

from massprops_cli.bodies import rotations
from massprops_cli.files.options import reject_document_type
from massprops_cli.files.parts_report import is_xml_number
from massprops_cli.files.table import Value, shortest_number_text
from massprops_cli.findings.finding import (
    Findings,
    Place,
    Severity,
    TableError,
    UsageError,
    name_list,
    nearest_name_hint,
    rule_finding,
)
from massprops_cli.robots.tolerated_xml import tolerated_xml

_DEEPEST = 200  # levels of elements, of nested models and of included files that are read
_TAG_END = re.compile(rb"""(?:[^>"']|"[^"]*"|'[^']*')*>""")  # the rest of a start tag: ">" in quotes does not end it
_Three = tuple[float, float, float]
_ROUND = {"radius": 1, "length": 1}
URDF_SHAPES = {"box": {"size": 3}, "sphere": {"radius": 1}, "cylinder": _ROUND, "capsule": _ROUND, "mesh": {}}
"""Shape → attributes with its dimensions, and how many numbers each has."""
SHAPE_DIMS = {"box": "abc", "sphere": "r", "ellipsoid": "abc", "cylinder": "rL", "capsule": "rL", "cone": "rL"}
"""Shape → its dimensions in the table of shapes, in the order of the files of robots."""


@dataclass(slots=True, eq=False)
class SourceElement:
    """An element of an XML file, with the positions of its bytes in the source, in UTF-8."""

    tag: str  # with its prefix
    attributes: dict[str, str]  # in the order of the file
    line: int  # of its start tag, from 1
    start: int  # of the start tag
    inner: int  # end of the start tag
    close: int = 0  # start of the end tag; inner if the tag is empty
    end: int = 0  # end of the end tag
    children: list[SourceElement] = field(default_factory=list)
    text: str = ""  # characters directly in it
    file: str = ""  # included file that states it

    def all(self, tag: str) -> Iterator[SourceElement]:
        """Yield the children of a tag."""
        return (child for child in self.children if child.tag == tag)

    def first(self, tag: str) -> SourceElement | None:
        """Return the first child of a tag."""
        return next(self.all(tag), None)

    @property
    def value(self) -> str:
        """Its text without blanks around it."""
        return self.text.strip()


def utf8_source(data: bytes) -> tuple[bytes, str]:
    """Return a source in an encoding that contains ASCII, and the codec that its bytes came from."""
    codec = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}.get(data[:2], "")
    return (data.decode(codec, "replace").encode(), codec) if codec else (data, "")


def parse_source(name: str, data: bytes, findings: Findings | None = None) -> SourceElement:
    """Parse an XML file into elements with their positions; faults that simulators tolerate are one note."""
    reject_document_type(name, "the file", data)
    parser = _SourceParser(name, data)
    root = parser.root()
    if parser.faults and findings is not None:
        message = f"XML is read, but strict parsers reject it: {', '.join(parser.faults)}"
        remedy = "correct it, so that every program reads the file"
        findings.report("MP104", message, Place(name, line=1), severity=Severity.NOTE, remedy=remedy)
    return root


class _SourceParser:
    """Parser of one file."""

    def __init__(self, name: str, data: bytes) -> None:
        self._name = name
        source, codec = utf8_source(data)
        self._data, encoding, self.faults = tolerated_xml(source)
        self._parser = expat.ParserCreate("utf-8" if codec else encoding)
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters
        self._parser.StartDoctypeDeclHandler = self._reject_document_type
        self._open: list[SourceElement] = []
        self._root: SourceElement | None = None

    def root(self) -> SourceElement:
        """Parse the file."""
        try:
            self._parser.Parse(self._data, True)
        except expat.ExpatError as error:
            place = Place(self._name, line=error.lineno)
            reason = expat.ErrorString(error.code)
            message = (
                f"XML is {reason}" if reason.startswith("not well-formed") else f"XML is not well-formed: {reason}"
            )
            raise TableError([rule_finding("MP104", message, place)]) from None
        except ValueError:  # an encoding of several bytes that expat does not know
            message = "encoding of the XML is not supported (expected UTF-8, UTF-16 or ISO-8859-1)"
            raise TableError([rule_finding("MP104", message, Place(self._name, line=1))]) from None
        assert self._root is not None
        return self._root

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        """Open an element."""
        start, line = self._parser.CurrentByteIndex, self._parser.CurrentLineNumber
        if len(self._open) >= _DEEPEST:
            message = f"elements are nested deeper than {_DEEPEST} levels"
            raise TableError([rule_finding("MP852", message, Place(self._name, line=line), value=tag)])
        ended = _TAG_END.match(self._data, start)
        element = SourceElement(tag, attributes, line, start, ended.end() if ended else start)
        if self._open:
            self._open[-1].children.append(element)
        else:
            self._root = element
        self._open.append(element)

    def _end(self, tag: str) -> None:
        """Close the innermost element."""
        element = self._open.pop()
        if self._data[element.inner - 2 : element.inner] == b"/>":
            element.close = element.end = element.inner
            return
        element.close = self._parser.CurrentByteIndex
        element.end = self._data.index(b">", element.close) + 1

    def _characters(self, text: str) -> None:
        """Add text to the innermost element."""
        if self._open:
            self._open[-1].text += text

    def _reject_document_type(self, *_: Any) -> None:
        """Reject a document type (MP115)."""
        message = "the file declares a document type"
        raise TableError([rule_finding("MP115", message, Place(self._name, line=self._parser.CurrentLineNumber))])


Texts = tuple[str, ...]
FIXED = "fixed"
ZERO_TEXTS = ("0", "0", "0")  # a position or an attitude that is not stated
AT_ORIGIN = ZERO_TEXTS * 2  # a pose that is not stated: x y z in m, and roll pitch yaw in rad about the fixed axes
TENSOR_ENTRIES = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")  # names of the entries of a tensor in the files of robots
DEFAULT_INERTIAL = "1", ("1", "1", "1", "0", "0", "0")
"""Mass and tensor of a link of SDF that states none. [SDFormat specification, "inertial"]"""
ROBOT_HEADER: list[Value] = [
    "id", "parent", "qty", "mass [kg]", "Cx [m]", "Cy [m]", "Cz [m]",
    *(f"I{axes} [kg*m^2]" for axes in ("xx", "yy", "zz", "xy", "xz", "yz")), "POIconv",
    "tx [m]", "ty [m]", "tz [m]", "roll [rad]", "pitch [rad]", "yaw [rad]", "frame",
]  # fmt: skip
NO_POSE = ("",) * 6
NO_MASS, MASSLESS = ("",) * 11, ("0",) * 4 + ("",) * 7
"""Cells, mass to sign of the products, of a row without numbers and of one with the mass 0."""


def body_row(id: str, link: str, mass: str, tensor: Sequence[str], sign: str, pose: Texts) -> list[Value]:
    """Return the row of an inertial; one with turned axes has a frame of its own, at its centre of mass."""
    is_turned = any(float(angle or 0) for angle in pose[3:])
    center, frame = (ZERO_TEXTS, pose) if is_turned else (pose[:3], NO_POSE)
    return [id, link, "1", mass, *center, *tensor, sign, *frame, "own"]


@dataclass(frozen=True, slots=True)
class InertialTexts:
    """The inertial of a link: tensor entries Ixx, Iyy, Izz, Ixy, Ixz, Iyz in its own axes, about its origin."""

    line: int
    pose: Texts  # as in ``AT_ORIGIN``; blank if it is not known
    mass: str
    tensor: Texts
    is_reported: bool = False  # whether a fault of it is a finding


@dataclass(frozen=True, slots=True)
class RobotLink:
    """A link: its inertial or None, known ``collisions`` and ``visuals``, and the included file that states it."""

    name: str
    line: int
    inertial: InertialTexts | None
    collisions: tuple[CollisionShape, ...] = ()
    file: str = ""
    visuals: tuple[CollisionShape, ...] = ()

    @property
    def has_mass(self) -> bool:
        """Whether the link states a mass that is not 0, or an inertial whose mass is missing."""
        return self.inertial is not None and (not self.inertial.mass or float(self.inertial.mass) != 0)


class Mimic(NamedTuple):
    """A joint that follows another: its position is ``multiplier`` times that of ``joint`` plus ``offset``."""

    joint: str
    multiplier: str = "1"
    offset: str = "0"


@dataclass(frozen=True, slots=True)
class RobotJoint:
    """A joint: its type, links, the pose of the child in the parent; ``axis`` in its own frame, not normalised."""

    name: str
    line: int
    kind: str
    parent: str
    child: str
    pose: Texts
    axis: Texts = ("1", "0", "0")
    mimic: Mimic | None = None
    limits: tuple[str, str] | None = None
    """Lowest and highest position, in radians or metres; None if they are not stated."""
    is_placed: bool = True  # whether its pose is known


@dataclass(frozen=True)
class RobotModel:
    """Links and joints of a robot that are one tree; ``root`` is the link without a parent."""

    name: str
    links: dict[str, RobotLink]
    joints: list[RobotJoint]
    root: str

    @property
    def fixed_links(self) -> list[tuple[str, str]]:
        """Pairs of links that do not move in each other: parent and child."""
        return [(joint.parent, joint.child) for joint in self.joints if joint.kind == FIXED]


def joint_tree(
    name: str, links: dict[str, RobotLink], joints: list[RobotJoint], findings: Findings
) -> tuple[str, list[RobotJoint]]:
    """Return the link without a parent, and one joint to each other link; links that form no tree are not placed."""
    above: dict[str, RobotJoint] = {}
    for joint in joints:
        if (first := above.setdefault(joint.child, joint)) is not joint:
            message = f"link {joint.child} is the child of two joints: {first.name} and {joint.name}"
            place, related = Place(name, line=joint.line), (Place(name, line=first.line),)
            findings.report("MP860", message, place, value=joint.child, item=joint.child, related=related)
            above[joint.child] = replace(first, is_placed=False)
    roots = [link for link in links if link not in above]
    if len(roots) > 1:
        place, first_place = (Place(name, line=links[one].line) for one in (roots[1], roots[0]))
        message = f"robot has {len(roots)} links without a parent: {name_list(roots, 8)} (expected one)"
        findings.report("MP860", message, place, value=roots[1], item=roots[1], related=(first_place,))
    for loop in list(_loops(above)):
        head = loop[0].parent
        message = f"links form a loop: {' → '.join([*(joint.parent for joint in loop), head])}"
        findings.report("MP860", message, Place(name, line=loop[0].line), value=head, item=head)
        roots.append(head)
    root = roots[0] if roots else ""
    unplaced = {one: RobotJoint("", links[one].line, FIXED, root, one, AT_ORIGIN, is_placed=False) for one in roots[1:]}
    tree = {**above, **unplaced}
    tree.pop(root, None)
    return root, list(tree.values())


def _loops(above: dict[str, RobotJoint]) -> Iterator[list[RobotJoint]]:
    """Yield the joints of every loop once, from parent to child."""
    visited: set[str] = set()
    for start in above:
        path: dict[str, RobotJoint] = {}
        link = start
        while link in above and link not in visited:
            visited.add(link)
            path[link] = above[link]
            link = above[link].parent
        if link in path:
            joints = list(path.values())[list(path).index(link) :][::-1]
            first = joints.index(min(joints, key=lambda joint: joint.line))
            yield joints[first:] + joints[:first]


@dataclass(frozen=True, slots=True)
class CollisionShape:
    """A collision or a visual of a link, in the frame of the link."""

    kind: str  # box, sphere, cylinder, capsule or mesh
    sizes: tuple[float, ...]  # m: edges of a box; radius, and length along z; empty for a mesh
    xyz: _Three  # m
    rpy: _Three  # rad, about the fixed axes of the link
    file: str = ""  # mesh file, as the robot names it
    scale: _Three = (1.0, 1.0, 1.0)  # factors of a mesh


def read_shapes(link: SourceElement, tag: str) -> tuple[CollisionShape, ...]:
    """Read the collisions or the visuals of a link; none if one of them has faults."""
    return known_shapes([_shape(one) for one in link.all(tag)])


def known_shapes(found: Sequence[CollisionShape | None]) -> tuple[CollisionShape, ...]:
    """Return shapes; none if one of them is not known."""
    known = [one for one in found if one is not None]
    return tuple(known) if len(known) == len(found) else ()


def _shape(over: SourceElement) -> CollisionShape | None:
    """Read a collision or a visual; None if it has faults."""
    geometry, origin = over.first("geometry"), over.first("origin")
    shapes = [] if geometry is None else [(kind, one) for kind in URDF_SHAPES for one in geometry.all(kind)]
    if len(shapes) != 1:
        return None
    kind, element = shapes[0]
    values = element.attributes
    sizes = [size for name in URDF_SHAPES[kind] for size in _numbers(values.get(name, ""))]
    pose = {} if origin is None else origin.attributes
    xyz, rpy = (_numbers(pose.get(name, "0 0 0")) for name in ("xyz", "rpy"))
    scale = _numbers(values.get("scale", "1 1 1"))
    is_sized = len(sizes) == sum(URDF_SHAPES[kind].values()) and all(size > 0 for size in sizes)
    if not is_sized or not len(xyz) == len(rpy) == len(scale) == 3:
        return None
    at, turn, factors = ((x, y, z) for x, y, z in (xyz, rpy, scale))
    return CollisionShape(kind, tuple(sizes), at, turn, values.get("filename", "").strip(), factors)


def _numbers(text: str) -> list[float]:
    """Read numbers; none if one of them is not finite."""
    words = text.split()
    return [float(word) for word in words] if all(map(is_xml_number, words)) else []


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
    """Return a robot whose joints are at positions; a follower of one freedom is at multiplier × position + offset."""
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
    pose = rotations.stated_frame([float(text) for text in joint.pose]) @ joint_motion(joint, values)
    numbers = (*pose[:3, 3].tolist(), *rotations.roll_pitch_yaw(pose[:3, :3]))
    return replace(joint, pose=tuple(shortest_number_text(value + 0.0) for value in numbers))


def _stated_position(text: str, joints: Mapping[str, RobotJoint]) -> tuple[str, list[float]]:
    """Parse a joint and its position."""
    joint_name, sign, value = (part.strip() for part in text.partition("="))
    if not sign:
        raise UsageError(f"invalid --q: {text} (expected JOINT=POSITION, such as elbow=0.5 or elbow='30 deg')")
    if (joint := joints.get(joint_name)) is None:
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
    leader, multiplier, offset = joint.mimic
    if (other := joints.get(leader)) is None:
        hint = nearest_name_hint(leader, joints)
        raise UsageError(f"joint {joint.name} follows a joint that is not in the file: {leader!r}{hint}")
    position = _followed_position(other, joints, positions, [*path, joint.name])
    return float(multiplier) * position + float(offset)


def _check_limits(joint: RobotJoint, values: Sequence[float], name: str, findings: Findings) -> None:
    """Report a position outside the limits of a joint."""
    if joint.limits is None or joint.kind not in ("revolute", "prismatic"):
        return
    low, high = (float(text) for text in joint.limits)
    if not low <= values[0] <= high:
        unit = "rad" if joint.kind == "revolute" else "m"
        message = f"position of joint {joint.name} is outside its limits: {values[0]:.6g} ({low:g} to {high:g} {unit})"
        findings.report("MP890", message, Place(name, line=joint.line), value=f"{values[0]:.6g}", item=joint.child)


def joint_motion(joint: RobotJoint, values: list[float]) -> rotations.Floats:
    """Return the pose (4, 4) of the child link in the frame of its joint; UsageError for an impossible axis."""
    if joint.kind == "floating":
        if len(values) == 6:
            return rotations.stated_frame(values)
        quaternion = np.array(values[3:])
        size = math.hypot(*quaternion.tolist())
        if not size > 0:
            raise UsageError(f"quaternion of joint {joint.name} is zero (--q)")
        x, y, z, w = (quaternion / size).tolist()
        return rotations.frame_matrix(values[:3], rotations.quaternion_rows(w, x, y, z))
    axis = np.array([float(text) for text in joint.axis])
    size = math.hypot(*axis.tolist())
    if not size > 0:
        raise UsageError(f"axis of joint {joint.name} is zero: {' '.join(joint.axis)}")
    axis = axis / size
    if joint.kind == "prismatic":
        return rotations.frame_matrix(values[0] * axis)
    if joint.kind == "planar":
        if abs(axis[2]) != 1:
            raise UsageError(f"planar joint {joint.name} is only moved in its x-y plane: its axis is not z (--q)")
        return rotations.stated_frame([values[0], values[1], 0, 0, 0, values[2] * axis[2]])
    # rotation about a unit vector; quarter turns about coordinate axes are exact
    angle = values[0]
    c, s = math.cos(angle), math.sin(angle)
    if (quarters := angle / (math.pi / 2)) == round(quarters):
        c, s = (float(value) for value in ((1, 0), (0, 1), (-1, 0), (0, -1))[int(quarters) % 4])
    return rotations.frame_matrix(np.zeros(3), rotations.axis_rotations(rotations.cross_matrices(axis), s, 1 - c))
