"""URDF: links, joints and inertials of a file, and the table that it is read as."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from massprops_cli.files.options import FileOptions
from massprops_cli.files.parts_report import ReportTable, element_line, is_xml_number, parse_xml_report
from massprops_cli.files.table import TableSource, Value
from massprops_cli.findings.finding import (
    Findings,
    Place,
    Severity,
    TableError,
    name_list,
    nearest_name_hint,
    rule_finding,
)
from massprops_cli.robots import robot_model

if TYPE_CHECKING:
    from lxml.etree import _Element

    from massprops_cli.robots.robot_model import Texts

_XACRO = ("http://www.ros.org/wiki/xacro", "http://ros.org/wiki/xacro", "http://wiki.ros.org/xacro")
_JOINT_TYPES = ("revolute", "continuous", "prismatic", robot_model.FIXED, "floating", "planar")


def read_urdf_model(name: str, data: bytes) -> robot_model.RobotModel:
    """Read links and joints of a URDF file, with the defaults of its format. [ROS, URDF specification, "joint"]."""
    element = parse_xml_report(name, data, allows_undeclared=True)
    for one in element.iter():
        tag = str(one.tag)
        if tag.startswith("xacro:"):  # a prefix that is not declared
            raise _xacro_error(name, one, tag)
        if tag.startswith("{") and tag[1:].partition("}")[0] in _XACRO:
            raise _xacro_error(name, one, f"xacro:{tag.rpartition('}')[2]}")
        for value in one.attrib.values():
            if "${" in str(value):
                raise _xacro_error(name, one, str(value))
    faults = Findings()
    reader = _UrdfReader(name, faults)
    links = reader.links(element)
    joints = reader.joints(element, links)
    root = robot_model.root_link(name, links, joints, faults) if not faults else ""
    if faults:
        raise TableError(faults)
    return robot_model.RobotModel((element.get("name") or "").strip(), links, joints, root)


class _UrdfReader:
    """Reader of the links and joints of one file; faults are appended to ``findings``."""

    def __init__(self, name: str, findings: Findings) -> None:
        self._name, self._findings = name, findings

    def links(self, robot: _Element) -> dict[str, robot_model.RobotLink]:
        """Return the links of a robot by their names, in the order of the file."""
        links: dict[str, robot_model.RobotLink] = {}
        lines: dict[str, int] = {}
        for element in robot_model.named_children(robot, "link"):
            name = self._element_name(element, lines)
            inertial = self._inertial(element, name)
            if name and name not in links:
                collisions, visuals = (robot_model.read_shapes(element, tag) for tag in ("collision", "visual"))
                links[name] = robot_model.RobotLink(name, element_line(element), inertial, collisions, visuals=visuals)
        return links

    def joints(self, robot: _Element, links: dict[str, robot_model.RobotLink]) -> list[robot_model.RobotJoint]:
        """Return the joints of a robot in the order of the file, without those of unknown links."""
        lines: dict[str, int] = {}
        joints = []
        for element in robot_model.named_children(robot, "joint"):
            name = self._element_name(element, lines)
            if (kind := (element.get("type") or "").strip()) not in _JOINT_TYPES:
                message = f"type of joint {name} is unknown: {kind!r}" if kind else f"joint {name} has no type"
                self._report("MP867", message, element, kind, name)
            parent, child = (self._joined_link(element, name, role, links) for role in ("parent", "child"))
            pose = self._pose(element, name)
            axis, mimic, limits = self._axis(element, name), self._mimic(element, name), self._limits(element, name)
            if parent and child:
                joints.append(
                    robot_model.RobotJoint(name, element_line(element), kind, parent, child, pose, axis, mimic, limits)
                )
        return joints

    def _joined_link(self, joint: _Element, name: str, role: str, links: dict[str, robot_model.RobotLink]) -> str:
        """Return the parent or child of a joint; empty if it is not a link of the file."""
        element = self._only_child(joint, role, name)
        link = "" if element is None else (element.get("link") or "").strip()
        if link in links:
            return link
        message = f"joint {name} states no {role} link"
        if link:
            message = f"{role} of joint {name} is not a link of the file: {link!r}{nearest_name_hint(link, links)}"
        self._report("MP861", message, joint if element is None else element, link, name)
        return ""

    def _inertial(self, link: _Element, name: str) -> robot_model.InertialTexts | None:
        """Read the inertial of a link; values that it does not state are blank."""
        if (element := self._only_child(link, "inertial", name)) is None:
            return None
        mass, tensor = self._only_child(element, "mass", name), self._only_child(element, "inertia", name)
        return robot_model.InertialTexts(
            element_line(element),
            self._pose(element, name),
            "" if mass is None else self._number(mass, "value", name),
            ("",) * 6
            if tensor is None
            else tuple(self._number(tensor, entry, name) for entry in robot_model.TENSOR_ENTRIES),
        )

    def _pose(self, over: _Element, name: str) -> Texts:
        """Read the origin of an element; without one it is that of the frame above."""
        if (origin := self._only_child(over, "origin", name)) is None:
            return robot_model.AT_ORIGIN
        return (*self._three(origin, "xyz", name), *self._three(origin, "rpy", name))

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

    def _mimic(self, joint: _Element, name: str) -> robot_model.Mimic | None:
        """Read which joint a joint follows."""
        if (mimic := self._only_child(joint, "mimic", name)) is None:
            return None
        multiplier, offset = (self._number(mimic, word, name) for word in ("multiplier", "offset"))
        return robot_model.Mimic((mimic.get("joint") or "").strip(), multiplier or "1", offset or "0")

    def _three(self, element: _Element, attribute: str, name: str) -> Texts:
        """Read three numbers; an attribute that is not there is three zeros."""
        if (text := element.get(attribute)) is None:
            return robot_model.ZERO_TEXTS
        if len(texts := tuple(text.split())) == 3 and all(is_xml_number(word) for word in texts):
            return texts
        self._report("MP205", f"{attribute} of {name} is not three numbers: {text!r}", element, text, name)
        return robot_model.ZERO_TEXTS

    def _number(self, element: _Element, attribute: str, name: str) -> str:
        """Read one number; blank if the attribute is not there."""
        if not (text := (element.get(attribute) or "").strip()) or is_xml_number(text):
            return text
        what = _local_name(element) if attribute == "value" else attribute
        self._report("MP205", f"{what} of {name} is not a number: {text!r}", element, text, name)
        return ""

    def _only_child(self, over: _Element, tag: str, name: str) -> _Element | None:
        """Return the child of a tag; several are a fault."""
        if len(found := list(robot_model.named_children(over, tag))) > 1:
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
        lines.setdefault(name, element_line(element))
        return name

    def _report(self, rule: str, message: str, element: _Element, value: str, item: str) -> None:
        """Append a finding about an element."""
        self._findings.report(rule, message, Place(self._name, line=element_line(element)), value=value, item=item)


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


class UrdfTable(ReportTable):
    """Table of a URDF file, with the robot that it was made of."""

    def __init__(
        self, source: TableSource, rows: list[list[Value]], lines: list[int], robot: robot_model.RobotModel
    ) -> None:
        super().__init__(source, rows, lines=lines)
        self.robot = robot


def read_urdf(name: str, data: bytes, options: FileOptions, compressed: bool, findings: Findings) -> UrdfTable:
    """Read the links of a URDF file, joints at 0 unless ``options`` moves them; ``rollups`` compose the poses."""
    robot = read_urdf_model(name, data)
    if not any(link.inertial for link in robot.links.values()):
        remedy = f"state the inertials, or compute them from the geometry: massprops robot inertials {name}"
        raise TableError([rule_finding("MP111", "robot has no link with an inertial", Place(name), remedy=remedy)])
    robot = robot_model.at_positions(robot, options.joint_positions, name, findings)
    rows, lines, _ = robot_rows(name, robot, findings, is_error=options.default_inertial == "error")
    return UrdfTable(TableSource(name, "urdf", compressed=compressed), rows, lines, robot)


def robot_rows(
    name: str, robot: robot_model.RobotModel, findings: Findings, *, is_error: bool, ground: str = ""
) -> tuple[list[list[Value]], list[int], list[str]]:
    """Return the rows of links and inertials below a header, their lines and files; report links without mass."""
    tree = _RobotTree(robot.links, robot.joints, robot.root)
    tree.report_massless(name, findings, ground, is_error=is_error)
    rows, lines = tree.rows()
    files = [robot.links[str(row[0] if row[0] in robot.links else row[1])].file or name for row in rows]
    return [robot_model.ROBOT_HEADER, *rows], [1, *lines], [name, *files]


class _RobotTree:
    """The links in the order of their tree, parents before their children."""

    def __init__(self, links: dict[str, robot_model.RobotLink], joints: list[robot_model.RobotJoint], top: str) -> None:
        self.links, self.above = links, {joint.child: joint for joint in joints}
        below: dict[str, list[str]] = defaultdict(list)
        for joint in joints:
            below[joint.parent].append(joint.child)
        self.inner = set(below)
        self.order: list[str] = []
        waiting = [top]
        while waiting:
            link = waiting.pop()
            self.order.append(link)
            waiting += reversed(below.get(link, ()))
        self.empty: set[str] = set(self.links)  # links that have no inertial, neither themselves nor below them
        for link in reversed(self.order):
            if self.links[link].inertial is not None:
                self.empty.discard(link)
            if link not in self.empty and link in self.above:
                self.empty.discard(self.above[link].parent)

    def rows(self) -> tuple[list[list[Value]], list[int]]:
        """Return the rows of links and inertials, and their lines in the file."""
        rows: list[list[Value]] = []
        lines: list[int] = []
        for name in self.order:
            link, joint = self.links[name], self.above.get(name)
            parent, pose = (joint.parent, joint.pose) if joint else ("", robot_model.NO_POSE)
            quantity = "0" if name in self.empty else "1"
            numbers = robot_model.NO_MASS if name in self.inner or name not in self.empty else robot_model.MASSLESS
            rows.append([name, parent, quantity, *numbers, *pose, "own"])
            lines.append(link.line)
            if link.inertial is not None:
                rows.append(self._body_row(link))
                lines.append(link.inertial.line)
        return rows, lines

    def _body_row(self, link: robot_model.RobotLink) -> list[Value]:
        """Return the row of an inertial, with an id that no link has."""
        inertial = link.inertial
        assert inertial is not None
        id, n = f"{link.name}/body", 1
        while id in self.links:
            n += 1
            id = f"{link.name}/body ({n})"
        sign = "-" if any(inertial.tensor) else ""
        return robot_model.body_row(id, link.name, inertial.mass, inertial.tensor, sign, inertial.pose)

    def report_massless(self, name: str, findings: Findings, ground: str, *, is_error: bool) -> None:
        """Report links without an inertial, as one note or as an error each, and joints that move no mass."""
        bare = [link for link in self.order if self.links[link].inertial is None and link != ground]
        for link in bare if is_error else ():
            place = Place(name, line=self.links[link].line)
            message = f"link {link} states no inertial"
            findings.report("MP863", message, place, value=link, item=link, severity=Severity.ERROR)
        if bare and not is_error:
            message = f"{len(bare)} links state no inertial, and have no mass: {name_list(bare, 12)}"
            if len(bare) == 1:
                message = f"link {bare[0]} states no inertial, and has no mass"
            place = Place(name, line=self.links[bare[0]].line)
            findings.report("MP863", message, place, value=bare[0], item=bare[0], count=len(bare))
        for joint in self._joints_without_mass():
            message = f"{joint.kind} joint {joint.name} moves link {joint.child}, whose mass is 0"
            findings.report("MP864", message, Place(name, line=joint.line), value=joint.name, item=joint.child)

    def _joints_without_mass(self) -> list[robot_model.RobotJoint]:
        """Return the moving joints whose link, with all that is fixed to it, has no mass."""
        heavy: set[str] = set()
        moving = []
        for name in reversed(self.order):
            joint = self.above.get(name)
            if self.links[name].has_mass:
                heavy.add(name)
            if joint is None:
                continue
            if joint.kind != robot_model.FIXED:
                moving += [joint] if name not in heavy else []
            elif name in heavy:
                heavy.add(joint.parent)
        return moving[::-1]
