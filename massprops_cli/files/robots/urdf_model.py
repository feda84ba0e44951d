"""URDF: links and joints as the file states them. All faults of a file are reported in one run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from massprops_cli.files.parts_report import element_line, is_xml_number, parse_xml_report
from massprops_cli.files.robots.collisions import named_children, read_collisions
from massprops_cli.files.robots.robot_model import (
    FIXED,
    ZERO_TEXTS,
    InertialTexts,
    Mimic,
    OriginTexts,
    RobotJoint,
    RobotLink,
    RobotModel,
    root_link,
)
from massprops_cli.findings.finding import Findings, Place, TableError, nearest_name_hint, rule_finding

if TYPE_CHECKING:
    from lxml.etree import _Element

    from massprops_cli.files.robots.robot_model import Texts

_XACRO = ("http://www.ros.org/wiki/xacro", "http://ros.org/wiki/xacro", "http://wiki.ros.org/xacro")
_JOINT_TYPES = ("revolute", "continuous", "prismatic", FIXED, "floating", "planar")
_TENSOR = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")


def read_urdf_model(name: str, data: bytes) -> RobotModel:
    """Read the links and joints of a URDF file.

    Defaults: origin of zeros, axis 1 0 0, mimic multiplier 1. [ROS, URDF specification, "joint"]
    """
    element = parse_xml_report(name, data, allows_undeclared=True)
    _reject_xacro(name, element)
    faults = Findings()
    reader = _UrdfReader(name, faults)
    links = reader.links(element)
    joints = reader.joints(element, links)
    root = root_link(name, links, joints, faults) if not faults else ""
    if faults:
        raise TableError(faults)
    return RobotModel((element.get("name") or "").strip(), links, joints, root)


class _UrdfReader:
    """Reader of the links and joints of one file; faults are appended to ``findings``."""

    def __init__(self, name: str, findings: Findings) -> None:
        self._name, self._findings = name, findings

    def links(self, robot: _Element) -> dict[str, RobotLink]:
        """Return the links of a robot by their names, in the order of the file."""
        links: dict[str, RobotLink] = {}
        lines: dict[str, int] = {}
        for element in named_children(robot, "link"):
            name = self._element_name(element, lines)
            lines.setdefault(name, element_line(element))
            inertial = self._inertial(element, name)
            if name and name not in links:
                links[name] = RobotLink(name, element_line(element), inertial, read_collisions(element))
        return links

    def joints(self, robot: _Element, links: dict[str, RobotLink]) -> list[RobotJoint]:
        """Return the joints of a robot in the order of the file, without those of unknown links."""
        lines: dict[str, int] = {}
        joints = []
        for element in named_children(robot, "joint"):
            name = self._element_name(element, lines)
            lines.setdefault(name, element_line(element))
            kind = (element.get("type") or "").strip()
            if kind not in _JOINT_TYPES:
                message = f"type of joint {name} is unknown: {kind!r}" if kind else f"joint {name} has no type"
                self._report("MP867", message, element, kind, name)
            parent, child = (self._joined_link(element, name, role, links) for role in ("parent", "child"))
            pose = self._pose(element, name)
            axis, mimic, limits = self._axis(element, name), self._mimic(element, name), self._limits(element, name)
            if parent and child:
                joints.append(RobotJoint(name, element_line(element), kind, parent, child, pose, axis, mimic, limits))
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

    def _inertial(self, link: _Element, name: str) -> InertialTexts | None:
        """Read the inertial of a link; values that it does not state are blank."""
        element = self._only_child(link, "inertial", name)
        if element is None:
            return None
        mass, tensor = self._only_child(element, "mass", name), self._only_child(element, "inertia", name)
        return InertialTexts(
            element_line(element),
            self._pose(element, name),
            "" if mass is None else self._number(mass, "value", name),
            ("",) * 6 if tensor is None else tuple(self._number(tensor, entry, name) for entry in _TENSOR),
        )

    def _pose(self, over: _Element, name: str) -> OriginTexts:
        """Read the origin of an element; without one it is that of the frame above."""
        origin = self._only_child(over, "origin", name)
        if origin is None:
            return OriginTexts()
        return OriginTexts(self._three(origin, "xyz", name), self._three(origin, "rpy", name))

    def _axis(self, joint: _Element, name: str) -> Texts:
        """Read the axis of a joint; the format's default is x."""
        axis = self._only_child(joint, "axis", name)
        return ("1", "0", "0") if axis is None or axis.get("xyz") is None else self._three(axis, "xyz", name)

    def _limits(self, joint: _Element, name: str) -> tuple[str, str] | None:
        """Read the limits of a joint, each 0 if only the other is stated."""
        limit = self._only_child(joint, "limit", name)
        if limit is None or not {"lower", "upper"} & {str(key) for key in limit.attrib}:
            return None
        lower, upper = (self._number(limit, word, name) for word in ("lower", "upper"))
        return lower or "0", upper or "0"

    def _mimic(self, joint: _Element, name: str) -> Mimic | None:
        """Read which joint a joint follows."""
        mimic = self._only_child(joint, "mimic", name)
        if mimic is None:
            return None
        multiplier, offset = (self._number(mimic, word, name) for word in ("multiplier", "offset"))
        return Mimic((mimic.get("joint") or "").strip(), multiplier or "1", offset or "0")

    def _three(self, element: _Element, attribute: str, name: str) -> Texts:
        """Read three numbers; an attribute that is not there is three zeros."""
        text = element.get(attribute)
        if text is None:
            return ZERO_TEXTS
        texts = tuple(text.split())
        if len(texts) == 3 and all(is_xml_number(word) for word in texts):
            return texts
        self._report("MP205", f"{attribute} of {name} is not three numbers: {text!r}", element, text, name)
        return ZERO_TEXTS

    def _number(self, element: _Element, attribute: str, name: str) -> str:
        """Read one number; blank if the attribute is not there."""
        text = (element.get(attribute) or "").strip()
        if not text or is_xml_number(text):
            return text
        what = _local_name(element) if attribute == "value" else attribute
        self._report("MP205", f"{what} of {name} is not a number: {text!r}", element, text, name)
        return ""

    def _only_child(self, over: _Element, tag: str, name: str) -> _Element | None:
        """Return the child of a tag; several are a fault."""
        found = list(named_children(over, tag))
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
        """Append a finding about an element."""
        place = Place(self._name, line=element_line(element))
        self._findings.report(rule, message, place, value=value, item=item)


def _reject_xacro(name: str, robot: _Element) -> None:
    """Reject a file whose macros are not expanded."""
    for element in robot.iter():
        tag = str(element.tag)
        if tag.startswith("xacro:"):  # a prefix that is not declared
            raise _xacro_error(name, element, tag)
        if tag.startswith("{") and tag[1:].partition("}")[0] in _XACRO:
            raise _xacro_error(name, element, f"xacro:{tag.rpartition('}')[2]}")
        for value in element.attrib.values():
            if "${" in str(value):
                raise _xacro_error(name, element, str(value))


def _xacro_error(name: str, element: _Element, found: str) -> TableError:
    """Return the error for a file whose macros are not expanded."""
    line = element.sourceline if isinstance(element.sourceline, int) else 1
    stem = name.removesuffix(".xacro").removesuffix(".urdf")
    source = name if name != "-" else "robot.xacro"
    target = f"{stem}.urdf" if name.endswith(".xacro") else f"{stem if name != '-' else 'robot'}.expanded.urdf"
    message = f"file is a xacro macro file, not a URDF: {found!r} is not expanded"
    remedy = f"expand it: xacro {source} > {target}"
    return TableError([rule_finding("MP865", message, Place(name, line=line), value=found, remedy=remedy)])


def _local_name(element: _Element) -> str:
    """Return the tag of an element without its namespace."""
    return str(element.tag).rpartition("}")[2]
