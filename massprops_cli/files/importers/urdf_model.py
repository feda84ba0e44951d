"""URDF: links and joints as the file states them, and their tree.

Numbers remain the text of the file. All faults of a file are reported in one run.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from massprops_cli.files.importers.parts_report import XML_NUMBER, element_line
from massprops_cli.findings import Findings, Place, name_list, nearest_name_hint

if TYPE_CHECKING:
    from lxml.etree import _Element

    Texts = tuple[str, ...]

FIXED = "fixed"
"""Type of a joint that does not move."""
_JOINT_TYPES = ("revolute", "continuous", "prismatic", FIXED, "floating", "planar")
_ZERO = ("0", "0", "0")
_TENSOR = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")


@dataclass(frozen=True, slots=True)
class _Pose:
    """An origin: ``xyz`` in metres, ``rpy`` in radians about the fixed axes x, y, z."""

    xyz: Texts = _ZERO
    rpy: Texts = _ZERO

    @property
    def is_turned(self) -> bool:
        """Whether an angle is not 0."""
        return any(float(angle) for angle in self.rpy)


@dataclass(frozen=True, slots=True)
class _Inertial:
    """The inertial of a link: tensor entries Ixx, Iyy, Izz, Ixy, Ixz, Iyz in its own axes, about its origin."""

    line: int
    pose: _Pose
    mass: str
    tensor: Texts


@dataclass(frozen=True, slots=True)
class RobotLink:
    """A link of a robot; ``inertial`` is None if the file states none."""

    name: str
    line: int
    inertial: _Inertial | None

    @property
    def has_mass(self) -> bool:
        """Whether the link states a mass that is not 0, or an inertial whose mass is missing."""
        return self.inertial is not None and (not self.inertial.mass or float(self.inertial.mass) != 0)


@dataclass(frozen=True, slots=True)
class RobotJoint:
    """A joint of a robot: its type, the links that it joins, and the pose of the child in the parent."""

    name: str
    line: int
    kind: str
    parent: str
    child: str
    pose: _Pose


class RobotReader:
    """Reader of the links and joints of one file; faults are appended to ``findings``.

    Parameters
    ----------
    name : str
        Name of the file, for findings.
    findings : Findings
        Collector of findings.
    """

    def __init__(self, name: str, findings: Findings) -> None:
        self._name, self._findings = name, findings

    def links(self, robot: _Element) -> dict[str, RobotLink]:
        """Return the links of a robot by their names.

        Parameters
        ----------
        robot : Element
            Root element.

        Returns
        -------
        dict of str to RobotLink
            Links in the order of the file.
        """
        links: dict[str, RobotLink] = {}
        for element in _children(robot, "link"):
            name = self._element_name(element, {id: link.line for id, link in links.items()})
            inertial = self._inertial(element, name)
            if name and name not in links:
                links[name] = RobotLink(name, element_line(element), inertial)
        return links

    def joints(self, robot: _Element, links: dict[str, RobotLink]) -> list[RobotJoint]:
        """Return the joints of a robot.

        Parameters
        ----------
        robot : Element
            Root element.
        links : dict of str to RobotLink
            Links by their names.

        Returns
        -------
        list of RobotJoint
            Joints in the order of the file; those of unknown links are not among them.
        """
        lines: dict[str, int] = {}
        joints = []
        for element in _children(robot, "joint"):
            name = self._element_name(element, lines)
            lines.setdefault(name, element_line(element))
            kind = (element.get("type") or "").strip()
            if kind not in _JOINT_TYPES:
                message = f"type of joint {name} is unknown: {kind!r}" if kind else f"joint {name} has no type"
                self._report("MP867", message, element, kind, name)
            parent, child = (self._joined_link(element, name, role, links) for role in ("parent", "child"))
            pose = self._pose(element, name)
            if parent and child:
                joints.append(RobotJoint(name, element_line(element), kind, parent, child, pose))
        return joints

    def _joined_link(self, joint: _Element, name: str, role: str, links: dict[str, RobotLink]) -> str:
        """Return the parent or child of a joint; empty if it is not a link of the file."""
        element = self._only_child(joint, role, name)
        link = "" if element is None else (element.get("link") or "").strip()
        if link in links:
            return link
        at = joint if element is None else element
        if not link:
            self._report("MP861", f"joint {name} states no {role} link", at, "", name)
        else:
            hint = nearest_name_hint(link, links)
            self._report("MP861", f"{role} of joint {name} is not a link of the file: {link!r}{hint}", at, link, name)
        return ""

    def _inertial(self, link: _Element, name: str) -> _Inertial | None:
        """Read the inertial of a link; values that it does not state are blank."""
        element = self._only_child(link, "inertial", name)
        if element is None:
            return None
        mass, tensor = self._only_child(element, "mass", name), self._only_child(element, "inertia", name)
        return _Inertial(
            element_line(element),
            self._pose(element, name),
            "" if mass is None else self._number(mass, "value", name),
            ("",) * 6 if tensor is None else tuple(self._number(tensor, entry, name) for entry in _TENSOR),
        )

    def _pose(self, over: _Element, name: str) -> _Pose:
        """Read the origin of an element; without one it is that of the frame above."""
        origin = self._only_child(over, "origin", name)
        if origin is None:
            return _Pose()
        return _Pose(self._three(origin, "xyz", name), self._three(origin, "rpy", name))

    def _three(self, element: _Element, attribute: str, name: str) -> Texts:
        """Read three numbers; an attribute that is not there is three zeros."""
        text = element.get(attribute)
        if text is None:
            return _ZERO
        texts = tuple(text.split())
        if len(texts) == 3 and all(_is_number(word) for word in texts):
            return texts
        self._report("MP205", f"{attribute} of {name} is not three numbers: {text!r}", element, text, name)
        return _ZERO

    def _number(self, element: _Element, attribute: str, name: str) -> str:
        """Read one number; blank if the attribute is not there."""
        text = (element.get(attribute) or "").strip()
        if not text or _is_number(text):
            return text
        what = _local_name(element) if attribute == "value" else attribute
        self._report("MP205", f"{what} of {name} is not a number: {text!r}", element, text, name)
        return ""

    def _only_child(self, over: _Element, tag: str, name: str) -> _Element | None:
        """Return the child of a tag; several are a fault."""
        found = list(_children(over, tag))
        if len(found) > 1:
            self._report("MP866", f"{_local_name(over)} {name} has {len(found)} elements {tag}", found[1], "", name)
        return found[0] if found else None

    def _element_name(self, element: _Element, lines: dict[str, int]) -> str:
        """Return the name of a link or joint; a missing or repeated name is a fault."""
        name, kind = (element.get("name") or "").strip(), _local_name(element)
        if not name:
            self._report("MP862", f"{kind} has no name", element, "", "")
        elif name in lines:
            place, first = Place(self._name, line=element_line(element)), Place(self._name, line=lines[name])
            message = f"two elements {kind} have the name {name} (the first is in line {lines[name]})"
            self._findings.report("MP862", message, place, value=name, item=name, related=(first,))
        return name

    def _report(self, rule: str, message: str, element: _Element, value: str, item: str) -> None:
        place = Place(self._name, line=element_line(element))
        self._findings.report(rule, message, place, value=value, item=item)


def root_link(name: str, links: dict[str, RobotLink], joints: list[RobotJoint], findings: Findings) -> str:
    """Return the link that has no parent, and report links that do not form one tree.

    Parameters
    ----------
    name : str
        Name of the file, for findings.
    links : dict of str to RobotLink
        Links by their names.
    joints : list of RobotJoint
        Joints between them.
    findings : Findings
        Collector; findings are appended.

    Returns
    -------
    str
        Name of the root; empty if the links are not one tree.
    """
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


def _is_number(text: str) -> bool:
    return bool(XML_NUMBER.fullmatch(text)) and math.isfinite(float(text))


def _children(element: _Element, tag: str) -> Iterator[_Element]:
    """Yield the children of a tag, in the namespace of the element."""
    space = str(element.tag).rpartition("}")[0]
    yield from element.iterchildren(f"{space}}}{tag}" if space else tag)


def _local_name(element: _Element) -> str:
    return str(element.tag).rpartition("}")[2]
