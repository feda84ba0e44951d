"""A robot as URDF and SDF state it: links, joints, inertials and collisions, all numbers as text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from massprops_cli.files.parts_report import is_xml_number
from massprops_cli.findings.finding import Findings, Place, name_list

if TYPE_CHECKING:
    from lxml.etree import _Element

Texts = tuple[str, ...]
FIXED = "fixed"
"""Type of a joint that does not move."""
ZERO_TEXTS = ("0", "0", "0")
"""A position or an attitude that is not stated."""


@dataclass(frozen=True, slots=True)
class OriginTexts:
    """An origin: ``xyz`` in metres, ``rpy`` in radians about the fixed axes x, y, z."""

    xyz: Texts = ZERO_TEXTS
    rpy: Texts = ZERO_TEXTS

    @property
    def is_turned(self) -> bool:
        """Whether an angle is not 0."""
        return any(float(angle) for angle in self.rpy)


@dataclass(frozen=True, slots=True)
class InertialTexts:
    """The inertial of a link: tensor entries Ixx, Iyy, Izz, Ixy, Ixz, Iyz in its own axes, about its origin."""

    line: int
    pose: OriginTexts
    mass: str
    tensor: Texts


@dataclass(frozen=True, slots=True)
class RobotLink:
    """A link of a robot; ``inertial`` is None if the file states none, ``collisions`` are its known geometry.

    ``file`` is the included file that states it; empty for that of the robot.
    """

    name: str
    line: int
    inertial: InertialTexts | None
    collisions: tuple[CollisionShape, ...] = ()
    file: str = ""

    @property
    def has_mass(self) -> bool:
        """Whether the link states a mass that is not 0, or an inertial whose mass is missing."""
        return self.inertial is not None and (not self.inertial.mass or float(self.inertial.mass) != 0)


@dataclass(frozen=True, slots=True)
class Mimic:
    """A joint that follows another: its position is ``multiplier`` times that of ``joint`` plus ``offset``."""

    joint: str
    multiplier: str = "1"
    offset: str = "0"


@dataclass(frozen=True, slots=True)
class RobotJoint:
    """A joint of a robot: its type, the links that it joins, and the pose of the child in the parent.

    ``axis`` is in the frame of the joint, which is that of the child at position 0; not normalised.
    """

    name: str
    line: int
    kind: str
    parent: str
    child: str
    pose: OriginTexts
    axis: Texts = ("1", "0", "0")
    mimic: Mimic | None = None
    limits: tuple[str, str] | None = None
    """Lowest and highest position, in radians or metres; None if they are not stated."""


@dataclass(frozen=True)
class RobotModel:
    """Links and joints of a robot that are one tree; ``root`` is the link without a parent."""

    name: str
    links: dict[str, RobotLink]
    joints: list[RobotJoint]
    root: str


def root_link(name: str, links: dict[str, RobotLink], joints: list[RobotJoint], findings: Findings) -> str:
    """Return the link that has no parent, and report links that do not form one tree."""
    above: dict[str, RobotJoint] = {}
    before = len(findings)
    for joint in joints:
        first = above.setdefault(joint.child, joint)
        if first is not joint:
            message = f"link {joint.child} is the child of two joints: {first.name} and {joint.name}"
            place, related = Place(name, line=joint.line), (Place(name, line=first.line),)
            findings.report("MP860", message, place, value=joint.child, item=joint.child, related=related)
    for loop in _loops(above):
        message = f"links form a loop: {' → '.join([*(joint.parent for joint in loop), loop[0].parent])}"
        findings.report("MP860", message, Place(name, line=loop[0].line), value=loop[0].parent, item=loop[0].parent)
    roots = [link for link in links.values() if link.name not in above]
    if len(roots) > 1:
        named = name_list([link.name for link in roots], 8)
        place, related = Place(name, line=roots[1].line), (Place(name, line=roots[0].line),)
        findings.report(
            "MP860", f"robot has {len(roots)} links without a parent: {named} (expected one)", place,
            value=roots[1].name, item=roots[1].name, related=related,
        )  # fmt: skip
    return roots[0].name if roots and len(findings) == before else ""


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


_Three = tuple[float, float, float]
_SHAPES = {"box": "size", "sphere": "radius", "cylinder": "radius length", "capsule": "radius length", "mesh": ""}
"""Shape → attributes with its dimensions."""


@dataclass(frozen=True, slots=True)
class CollisionShape:
    """A collision of a link, in the frame of the link."""

    kind: str  # box, sphere, cylinder, capsule or mesh
    sizes: tuple[float, ...]  # m: edges of a box; radius, and length along z; empty for a mesh
    xyz: _Three  # m
    rpy: _Three  # rad, about the fixed axes of the link
    file: str = ""  # mesh file, as the robot names it
    scale: _Three = (1.0, 1.0, 1.0)  # factors of a mesh


def named_children(element: _Element, tag: str) -> Iterator[_Element]:
    """Yield the children of a tag, in the namespace of the element."""
    space = str(element.tag).rpartition("}")[0]
    yield from element.iterchildren(f"{space}}}{tag}" if space else tag)


def read_collisions(link: _Element) -> tuple[CollisionShape, ...]:
    """Read the collisions of a link."""
    found = [_shape(collision) for collision in named_children(link, "collision")]
    known = [one for one in found if one is not None]
    return tuple(known) if len(known) == len(found) else ()


def _shape(collision: _Element) -> CollisionShape | None:
    """Read a collision; None if it has faults."""
    geometry = next(named_children(collision, "geometry"), None)
    shapes = [] if geometry is None else [(kind, one) for kind in _SHAPES for one in named_children(geometry, kind)]
    if len(shapes) != 1:
        return None
    kind, element = shapes[0]
    sizes = [size for name in _SHAPES[kind].split() for size in _numbers(element.get(name, ""))]
    origin = next(named_children(collision, "origin"), None)
    xyz, rpy = (_numbers("0 0 0" if origin is None else origin.get(name, "0 0 0")) for name in ("xyz", "rpy"))
    scale = _numbers(element.get("scale", "1 1 1"))
    counts = {"box": 3, "sphere": 1, "mesh": 0}
    if len(sizes) != counts.get(kind, 2) or any(size <= 0 for size in sizes) or not len(xyz) == len(rpy) == 3:
        return None
    if len(scale) != 3:
        return None
    file = element.get("filename", "").strip()
    return CollisionShape(kind, tuple(sizes), _three(xyz), _three(rpy), file, _three(scale))


def _three(values: list[float]) -> _Three:
    """Return a list of three as a tuple."""
    x, y, z = values
    return x, y, z


def _numbers(text: str) -> list[float]:
    """Read numbers; none if one of them is not finite."""
    words = text.split()
    return [float(word) for word in words] if all(map(is_xml_number, words)) else []
