"""URDF: links, joints and inertials of a file, those of files of xacro too, and the table that it is read as."""

from __future__ import annotations

import subprocess
import sys
from collections import defaultdict
from importlib.util import find_spec
from pathlib import Path
from shlex import quote

from massprops_cli.files.options import FileOptions
from massprops_cli.files.parts_report import ReportTable, is_xml_number
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
from massprops_cli.robots.robot_model import SourceElement, Texts, parse_source

_WORLD = "world"
_JOINT_TYPES = ("revolute", "continuous", "prismatic", robot_model.FIXED, "floating", "planar")
_NAMESPACES = ("http://www.ros.org/wiki/xacro", "http://ros.org/wiki/xacro", "http://wiki.ros.org/xacro")
_PROGRAM = "import xacro; xacro.main()"
_SECONDS = 60  # longest time of an expansion


def read_urdf_model(name: str, data: bytes, findings: Findings) -> robot_model.RobotModel:
    """Read links and joints of a URDF file, with the defaults of its format. [ROS, URDF specification, "joint"]."""
    found = Findings()
    element = _expanded_robot(name, data, found)
    reader = _UrdfReader(name, found)
    links = reader.links(element)
    joints = reader.joints(element, links)
    if any(finding.is_stopping for finding in found):
        raise TableError(found)
    root, joints = robot_model.joint_tree(name, links, joints, found)
    findings += found
    return robot_model.RobotModel(element.attributes.get("name", "").strip(), links, joints, root)


class _UrdfReader:
    """Reader of the links and joints of one file; faults are appended to ``findings``."""

    def __init__(self, name: str, findings: Findings) -> None:
        self._name, self._findings = name, findings

    def links(self, robot: SourceElement) -> dict[str, robot_model.RobotLink]:
        """Return the links of a robot by their names, in the order of the file."""
        links: dict[str, robot_model.RobotLink] = {}
        lines: dict[str, int] = {}
        for element in robot.all("link"):
            name = self._element_name(element, lines)
            inertial = self._inertial(element, name)
            if name and name not in links:
                collisions, visuals = (robot_model.read_shapes(element, tag) for tag in ("collision", "visual"))
                links[name] = robot_model.RobotLink(name, element.line, inertial, collisions, visuals=visuals)
        return links

    def joints(self, robot: SourceElement, links: dict[str, robot_model.RobotLink]) -> list[robot_model.RobotJoint]:
        """Return the joints of a robot in the order of the file, without those of unknown links."""
        # a parent "world" that is not a link of the file is the world, as Drake reads it
        lines: dict[str, int] = {}
        joints = []
        for element in (parent for joint in robot.all("joint") for parent in joint.all("parent")):
            if element.attributes.get("link", "").strip() == _WORLD:
                links.setdefault(_WORLD, robot_model.RobotLink(_WORLD, element.line, None))
        for element in robot.all("joint"):
            name = self._element_name(element, lines)
            if (kind := element.attributes.get("type", "").strip()) not in _JOINT_TYPES:
                message = f"type of joint {name} is unknown: {kind!r}" if kind else f"joint {name} has no type"
                self._report("MP867", f"{message}; it is at its zero", element, kind, name)
            parent, child = (self._joined_link(element, name, role, links) for role in ("parent", "child"))
            pose = self._pose(element, name)
            axis, mimic, limits = self._axis(element, name), self._mimic(element, name), self._limits(element, name)
            if parent and child:
                placed = bool(pose[0])
                at = pose if placed else robot_model.AT_ORIGIN
                line = element.line
                joints.append(robot_model.RobotJoint(name, line, kind, parent, child, at, axis, mimic, limits, placed))
        return joints

    def _joined_link(self, joint: SourceElement, name: str, role: str, links: dict[str, robot_model.RobotLink]) -> str:
        """Return the parent or child of a joint; empty if it is not a link of the file."""
        element = self._only_child(joint, role, name)
        link = "" if element is None else element.attributes.get("link", "").strip()
        if link in links:
            return link
        message = f"joint {name} states no {role} link"
        if link:
            message = f"{role} of joint {name} is not a link of the file: {link!r}{nearest_name_hint(link, links)}"
        self._report("MP861", message, joint if element is None else element, link, name)
        return ""

    def _inertial(self, link: SourceElement, name: str) -> robot_model.InertialTexts | None:
        """Read the inertial of a link; values that it does not state, or states twice or wrongly, are blank."""
        before = len(self._findings)
        if (element := self._only_child(link, "inertial", name)) is None:
            return None
        mass, tensor = self._only_child(element, "mass", name), self._only_child(element, "inertia", name)
        pose, is_single = self._pose(element, name), all(one.rule != "MP866" for one in self._findings[before:])
        weight = "" if mass is None else self._number(mass, "value", name)
        entries = [] if tensor is None else [self._number(tensor, entry, name) for entry in robot_model.TENSOR_ENTRIES]
        if is_reported := len(self._findings) > before:
            entries = []
        if not is_single:
            pose, weight = robot_model.NO_POSE, ""
        return robot_model.InertialTexts(element.line, pose, weight, tuple(entries) or ("",) * 6, is_reported)

    def _pose(self, over: SourceElement, name: str) -> Texts:
        """Read the origin of an element; without one it is that of the frame above; blank if it is not valid."""
        before = len(self._findings)
        if (origin := self._only_child(over, "origin", name)) is None:
            return robot_model.AT_ORIGIN
        pose = (*self._three(origin, "xyz", name), *self._three(origin, "rpy", name))
        return pose if len(self._findings) == before else robot_model.NO_POSE

    def _axis(self, joint: SourceElement, name: str) -> Texts:
        """Read the axis of a joint; the format's default is x."""
        axis = self._only_child(joint, "axis", name)
        return ("1", "0", "0") if axis is None or axis.attributes.get("xyz") is None else self._three(axis, "xyz", name)

    def _limits(self, joint: SourceElement, name: str) -> tuple[str, str] | None:
        """Read the limits of a joint, each 0 if only the other is stated."""
        limit = self._only_child(joint, "limit", name)
        if limit is None or not {"lower", "upper"} & set(limit.attributes):
            return None
        lower, upper = (self._number(limit, word, name) for word in ("lower", "upper"))
        return lower or "0", upper or "0"

    def _mimic(self, joint: SourceElement, name: str) -> robot_model.Mimic | None:
        """Read which joint a joint follows."""
        if (mimic := self._only_child(joint, "mimic", name)) is None:
            return None
        multiplier, offset = (self._number(mimic, word, name) for word in ("multiplier", "offset"))
        return robot_model.Mimic(mimic.attributes.get("joint", "").strip(), multiplier or "1", offset or "0")

    def _three(self, element: SourceElement, attribute: str, name: str) -> Texts:
        """Read three numbers; an attribute that is not there is three zeros."""
        if (text := element.attributes.get(attribute)) is None:
            return robot_model.ZERO_TEXTS
        if len(texts := tuple(text.split())) == 3 and all(is_xml_number(word) for word in texts):
            return texts
        self._report("MP205", f"{attribute} of {name} is not three numbers: {text!r}", element, text, name)
        return robot_model.ZERO_TEXTS

    def _number(self, element: SourceElement, attribute: str, name: str) -> str:
        """Read one number; blank if the attribute is not there."""
        if not (text := element.attributes.get(attribute, "").strip()) or is_xml_number(text):
            return text
        what = element.tag if attribute == "value" else attribute
        self._report("MP205", f"{what} of {name} is not a number: {text!r}", element, text, name)
        return ""

    def _only_child(self, over: SourceElement, tag: str, name: str) -> SourceElement | None:
        """Return the child of a tag; several are a fault."""
        if len(found := list(over.all(tag))) > 1:
            self._report("MP866", f"{over.tag} {name} has {len(found)} elements {tag}", found[1], "", name)
        return found[0] if found else None

    def _element_name(self, element: SourceElement, lines: dict[str, int]) -> str:
        """Return the name of a link or joint; a missing or repeated name is a fault."""
        name, kind = element.attributes.get("name", "").strip(), element.tag
        if not name:
            self._report("MP862", f"{kind} has no name", element, "", "")
        elif name in lines:
            place, first = Place(self._name, line=element.line), Place(self._name, line=lines[name])
            message = f"two elements {kind} have the name {name} (the first is in line {lines[name]})"
            self._findings.report("MP862", message, place, value=name, item=name, related=(first,))
        lines.setdefault(name, element.line)
        return name

    def _report(self, rule: str, message: str, element: SourceElement, value: str, item: str) -> None:
        """Append a finding about an element."""
        self._findings.report(rule, message, Place(self._name, line=element.line), value=value, item=item)


class UrdfTable(ReportTable):
    """Table of a URDF file, with the robot that it was made of."""

    robot: robot_model.RobotModel


def read_urdf(name: str, data: bytes, options: FileOptions, compressed: bool, findings: Findings) -> UrdfTable:
    """Read the links of a URDF file, joints at 0 unless ``options`` moves them; ``rollups`` compose the poses."""
    robot = read_urdf_model(name, data, findings)
    if not any(link.inertial for link in robot.links.values()):
        remedy = f"state the inertials, or compute them from the geometry: massprops robot inertials {name}"
        raise TableError([rule_finding("MP111", "robot has no link with an inertial", Place(name), remedy=remedy)])
    robot = robot_model.at_positions(robot, options.joint_positions, name, findings)
    rows, lines, _, incomplete = robot_rows(name, robot, findings, is_error=options.default_inertial == "error")
    table = UrdfTable(TableSource(name, "urdf", compressed=compressed), rows, lines=lines)
    table.robot, table.incomplete = robot, incomplete
    return table


def robot_rows(
    name: str, robot: robot_model.RobotModel, findings: Findings, *, is_error: bool, ground: str = ""
) -> tuple[list[list[Value]], list[int], list[str], set[str]]:
    """Return the rows of links and inertials, lines, files, ids of incomplete ones; report links without mass."""
    tree = _RobotTree(robot.links, robot.joints, robot.root)
    tree.report_massless(name, findings, ground, is_error=is_error)
    rows, lines = tree.rows()
    files = [robot.links[str(row[0] if row[0] in robot.links else row[1])].file or name for row in rows]
    return [robot_model.ROBOT_HEADER, *rows], [1, *lines], [name, *files], tree.incomplete


class _RobotTree:
    """The links in the order of their tree, parents before their children."""

    def __init__(self, links: dict[str, robot_model.RobotLink], joints: list[robot_model.RobotJoint], top: str) -> None:
        self.links, self.above = links, {joint.child: joint for joint in joints}
        below: dict[str, list[str]] = defaultdict(list)
        for joint in joints:
            below[joint.parent].append(joint.child)
        self.inner = set(below)
        self.incomplete: set[str] = set()
        self._unplaced: set[str] = set()  # links whose pose is not known
        self.order: list[str] = []
        waiting = [top]
        while waiting:
            link = waiting.pop()
            self.order.append(link)
            above = self.above.get(link)
            if above is not None and (not above.is_placed or above.parent in self._unplaced):
                self._unplaced.add(link)
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
        pose, tensor = inertial.pose, inertial.tensor
        if link.name in self._unplaced:
            pose, tensor = robot_model.NO_POSE, ("",) * 6
        if inertial.is_reported or not pose[0]:
            self.incomplete.add(id)
        return robot_model.body_row(id, link.name, inertial.mass, tensor, "-" if any(tensor) else "", pose)

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


def _expanded_robot(name: str, data: bytes, findings: Findings) -> SourceElement:
    """Return the elements of a URDF file; one named ``.xacro`` is expanded in memory, with a note."""
    root = parse_source(name, data, findings)
    if _first_macro(root) is None:
        return root
    if not name.endswith(".xacro") or not Path(name).is_file() or find_spec("xacro") is None:
        reject_macros(name, root)
    command = [sys.executable, "-P", "-c", _PROGRAM, str(Path(name).absolute())]
    try:
        done = subprocess.run(command, capture_output=True, timeout=_SECONDS, check=False)
        lines = done.stderr.decode(errors="replace").split("\n")
        named = (line for line in lines if line.startswith("error"))
        reason = next(named, f"exit code {done.returncode}") if done.returncode else ""
    except subprocess.TimeoutExpired:
        reason = f"it takes more than {_SECONDS} s"
    if reason:
        message, remedy = f"xacro does not expand the file: {reason}", "correct the file, or expand it where ROS is"
        raise TableError([rule_finding("MP865", message, Place(name), value=reason, remedy=remedy)])
    message = "file is expanded by xacro: lines are those of its output, and inertials cannot be written into it"
    remedy = "write the output into a file, to change it: xacro"
    findings.report(
        "MP865", message, Place(name), severity=Severity.NOTE, remedy=f"{remedy} {quote(name)} > {quote(_target(name))}"
    )
    made = parse_source(name, done.stdout, findings)
    reject_macros(name, made)
    return made


def reject_macros(name: str, root: SourceElement) -> None:
    """Reject a file with macros that are not expanded."""
    if (found := _first_macro(root)) is None:
        return
    element, macro = found
    message = f"file is a xacro macro file, not a URDF: {macro!r} is not expanded"
    remedy = f"expand it: xacro {quote(name) if name != '-' else 'robot.xacro'} > {quote(_target(name))}"
    if name.endswith(".xacro") and find_spec("xacro") is None:
        remedy = f"install the extra: pip install 'massprops[robot]'; or {remedy}"
    raise TableError([rule_finding("MP865", message, Place(name, line=element.line), value=macro, remedy=remedy)])


def _first_macro(root: SourceElement) -> tuple[SourceElement, str] | None:
    """Return the first element with a macro, and the macro."""
    prefixes = {key.partition(":")[2] for key, value in root.attributes.items() if value in _NAMESPACES} | {"xacro"}
    waiting = [root]
    while waiting:
        element = waiting.pop()
        prefix, sign, macro = element.tag.partition(":")
        if sign and prefix in prefixes:
            return element, f"xacro:{macro}"
        if value := next((value for value in element.attributes.values() if "${" in value), ""):
            return element, value
        waiting += reversed(element.children)
    return None


def _target(name: str) -> str:
    """Return the name of the file that xacro makes."""
    stem = name.removesuffix(".xacro").removesuffix(".urdf") if name != "-" else "robot"
    return f"{stem}.urdf" if name.endswith(".xacro") else f"{stem}.expanded.urdf"
