"""URDF: the links of a robot as a table with poses.

Each link is an assembly in the frame of the link, and its inertial the part ``LINK/body``; the origin of a joint is
the pose of its child. The tensor is about the centre of mass, in the axes of the inertial; its products are entries
of the tensor. A link without an inertial has no mass. [ROS, URDF specification, "link" and "joint"]
"""

from __future__ import annotations

from collections import defaultdict

from massprops_cli.files.options import FileOptions
from massprops_cli.files.parts_report import ReportTable
from massprops_cli.files.robots.joint_positions import at_positions
from massprops_cli.files.robots.robot_model import FIXED, RobotJoint, RobotLink, RobotModel
from massprops_cli.files.robots.urdf_model import read_urdf_model
from massprops_cli.files.table import TableSource, Value
from massprops_cli.findings.finding import Findings, Place, Severity, TableError, name_list, rule_finding

_HEADER: list[Value] = [
    "id", "parent", "qty", "mass [kg]", "Cx [m]", "Cy [m]", "Cz [m]",
    *(f"I{axes} [kg*m^2]" for axes in ("xx", "yy", "zz", "xy", "xz", "yz")), "POIconv",
    "tx [m]", "ty [m]", "tz [m]", "roll [rad]", "pitch [rad]", "yaw [rad]", "frame",
]  # fmt: skip
_NO_POSE = ("",) * 6
_NO_MASS, _MASSLESS = ("",) * 11, ("0",) * 4 + ("",) * 7


class UrdfTable(ReportTable):
    """Table of a URDF file, with the robot that it was made of."""

    def __init__(self, source: TableSource, rows: list[list[Value]], lines: list[int], robot: RobotModel) -> None:
        super().__init__(source, rows, lines=lines)
        self.robot = robot


def read_urdf(name: str, data: bytes, options: FileOptions, compressed: bool, findings: Findings) -> UrdfTable:
    """Read the links of a URDF file, joints at 0 unless ``options`` moves them; ``rollups`` compose the poses."""
    robot = read_urdf_model(name, data)
    if not any(link.inertial for link in robot.links.values()):
        remedy = f"state the inertials, or compute them from the geometry: massprops inertials {name}"
        raise TableError([rule_finding("MP111", "robot has no link with an inertial", Place(name), remedy=remedy)])
    robot = at_positions(robot, options.joint_positions, name, findings)
    tree = _RobotTree(robot.links, robot.joints, robot.root)
    tree.report_massless(name, findings, is_error=options.default_inertial == "error")
    rows, lines = tree.rows()
    return UrdfTable(TableSource(name, "urdf", compressed=compressed), [_HEADER, *rows], [1, *lines], robot)


class _RobotTree:
    """The links in the order of their tree, parents before their children."""

    def __init__(self, links: dict[str, RobotLink], joints: list[RobotJoint], top: str) -> None:
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
        self.empty = self._links_without_parts()

    def _links_without_parts(self) -> set[str]:
        """Return the links that have no inertial, neither themselves nor below them."""
        empty: set[str] = set(self.links)
        for link in reversed(self.order):
            if self.links[link].inertial is not None:
                empty.discard(link)
            if link not in empty and link in self.above:
                empty.discard(self.above[link].parent)
        return empty

    def rows(self) -> tuple[list[list[Value]], list[int]]:
        """Return the rows of links and inertials, and their lines in the file."""
        rows: list[list[Value]] = []
        lines: list[int] = []
        for name in self.order:
            link, joint = self.links[name], self.above.get(name)
            parent, pose = (joint.parent, (*joint.pose.xyz, *joint.pose.rpy)) if joint else ("", _NO_POSE)
            quantity = "0" if name in self.empty else "1"
            numbers = _NO_MASS if name in self.inner or name not in self.empty else _MASSLESS
            rows.append([name, parent, quantity, *numbers, *pose, "own"])
            lines.append(link.line)
            if link.inertial is not None:
                rows.append(self._body_row(link))
                lines.append(link.inertial.line)
        return rows, lines

    def _body_row(self, link: RobotLink) -> list[Value]:
        """Return the row of an inertial; one with turned axes has a frame of its own, at its centre of mass."""
        inertial = link.inertial
        assert inertial is not None
        numbers = (*inertial.tensor, "-" if any(inertial.tensor) else "")
        id, n = f"{link.name}/body", 1
        while id in self.links:
            n += 1
            id = f"{link.name}/body ({n})"
        if inertial.pose.is_turned:
            pose = (*inertial.pose.xyz, *inertial.pose.rpy)
            return [id, link.name, "1", inertial.mass, "0", "0", "0", *numbers, *pose, "own"]
        return [id, link.name, "1", inertial.mass, *inertial.pose.xyz, *numbers, *_NO_POSE, "own"]

    def report_massless(self, name: str, findings: Findings, *, is_error: bool) -> None:
        """Report links without an inertial, as one note or as an error each, and joints that move no mass."""
        bare = [link for link in self.order if self.links[link].inertial is None]
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

    def _joints_without_mass(self) -> list[RobotJoint]:
        """Return the moving joints whose link, with all that is fixed to it, has no mass."""
        heavy: set[str] = set()
        moving = []
        for name in reversed(self.order):
            joint = self.above.get(name)
            if self.links[name].has_mass:
                heavy.add(name)
            if joint is None:
                continue
            if joint.kind != FIXED:
                moving += [joint] if name not in heavy else []
            elif name in heavy:
                heavy.add(joint.parent)
        return moving[::-1]
