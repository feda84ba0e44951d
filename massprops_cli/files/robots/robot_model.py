"""A robot as its file states it: links with their inertials, joints between them, and their tree.

Numbers remain the text of the file, in metres, kilograms and radians, so that their digits count.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from massprops_cli.files.robots.collisions import CollisionShape
from massprops_cli.findings.finding import Findings, Place, name_list

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
