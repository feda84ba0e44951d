"""SDF: poses of links whose joints are at stated positions.

A pose of SDF is that of all joints at 0. A joint moves its child link with all that other joints connect to it; several
moves of one link are composed from the base on, each about the axis where it is at 0. [SDFormat specification, "joint"
and "axis"; product of exponentials: Lynch and Park, Modern Robotics, 4.1]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from massprops_cli.files.parts_report import is_xml_number
from massprops_cli.files.robots.frames import Matrix, inverse_frame
from massprops_cli.files.robots.joint_positions import joint_motion, joint_values
from massprops_cli.files.robots.robot_model import Mimic, OriginTexts, RobotJoint
from massprops_cli.files.robots.sdf_model import MODEL_FRAME, SCOPE, SdfFrame, SdfModel
from massprops_cli.files.robots.sdf_poses import SdfPoses
from massprops_cli.files.robots.xml_source import SourceElement
from massprops_cli.findings import Findings, UsageError

LinkKey = tuple[int, str]
"""Identity of a model, and the name of a link in it."""
_UNLIMITED = 1e16
"""Position from which on a limit is none. [SDFormat specification, "limit"]"""
_FARTHEST = 100
"""Names that may lead from one to the next until a link is found."""


def moved_links(top: SdfModel, poses: SdfPoses, given: Sequence[str], findings: Findings) -> dict[LinkKey, Matrix]:
    """Return the poses of the links that joints move.

    Parameters
    ----------
    top : SdfModel
        Model or world.
    poses : SdfPoses
        Poses at 0.
    given : sequence of str
        ``JOINT=POSITION``; a joint of a nested model has a scoped name such as ``gripper::finger``.
    findings : Findings
        Collector; findings are appended: positions outside limits (MP890).

    Returns
    -------
    dict of (int, str) to array (4, 4)
        Link → its pose in its model; links that do not move are not among them.

    Raises
    ------
    UsageError
        A joint is unknown, does not move or follows another, is in a loop, or a position does not fit its type.
    """
    if not given:
        return {}
    robot = _JointGraph(top, poses)
    values = joint_values([one.joint for one in robot.joints], given, top.file.name, findings)
    motions = [(one, robot.reached(one)) for one in robot.joints if one.joint.name in values]
    for k, (one, links) in enumerate(motions):
        for other, others in motions[:k]:
            if links & others and not (links <= others or others <= links):
                names = f"{other.joint.name} and {one.joint.name}"
                raise UsageError(f"joints {names} move each other: parent and child of one are exchanged (--q)")
    moved: dict[LinkKey, Matrix] = {}
    # the joint that moves fewest links is nearest to them
    for one, links in sorted(motions, key=lambda motion: len(motion[1])):
        step = one.frame @ joint_motion(one.joint, values[one.joint.name]) @ inverse_frame(one.frame)
        for link in links:
            moved[link] = step @ moved.get(link, robot.links[link])
    return {link: inverse_frame(robot.models[link[0]]) @ pose for link, pose in moved.items()}


class _PlacedJoint:
    """A joint with the links that it connects (None: the world), and its frame in the top model at 0."""

    def __init__(self, joint: RobotJoint, links: tuple[LinkKey | None, LinkKey | None], frame: Matrix) -> None:
        self.joint, self.links, self.frame = joint, links, frame


class _JointGraph:
    """Links and joints of a model with those of its nested models."""

    def __init__(self, top: SdfModel, poses: SdfPoses) -> None:
        self._poses = poses
        self.models: dict[int, Matrix] = {}
        self.links: dict[LinkKey, Matrix] = {}
        self.joints: list[_PlacedJoint] = []
        waiting: list[tuple[SdfModel, str, Matrix]] = [(top, "", np.eye(4))]
        while waiting:
            model, prefix, frame = waiting.pop()
            self.models[id(model)] = frame
            for name, link in model.links.items():
                self.links[id(model), name] = frame @ poses.frame(model, name, link.line)
            for joint in model.frames.values():
                if joint.joined is not None and joint.element is not None:
                    self.joints.append(self._placed(model, joint, joint.element, prefix, frame))
            for nested in model.models.values():
                below = prefix if nested.is_merged else f"{prefix}{nested.name}{SCOPE}"
                waiting.append((nested, below, frame @ poses.frame(model, nested.name, nested.line)))

    def reached(self, joint: _PlacedJoint) -> set[LinkKey]:
        """Return the links that a joint moves: its child, with all that other joints connect to it."""
        parent, child = joint.links
        if child is None:
            raise UsageError(f"joint {joint.joint.name} has no child link (--q)")
        found, waiting = {child}, [child]
        while waiting:
            link = waiting.pop()
            for other in self.joints:
                if other is joint or link not in other.links:
                    continue
                for end in other.links:
                    if end is None or end == parent:
                        message = f"joint {joint.joint.name} is in a loop with joint {other.joint.name}"
                        raise UsageError(f"{message}, and is not moved (--q)")
                    if end not in found:
                        found.add(end)
                        waiting.append(end)
        return found

    def _placed(
        self, model: SdfModel, frame: SdfFrame, element: SourceElement, prefix: str, over: Matrix
    ) -> _PlacedJoint:
        """Return a joint of a model that is placed in the top model."""
        own = over @ self._poses.frame(model, frame.name, frame.line)
        parent, child = frame.joined or ("", "")
        axis = element.first("axis")
        joint = RobotJoint(
            f"{prefix}{frame.name}", frame.line, frame.kind, parent, child, OriginTexts(),
            self._axis(model, frame, axis), _mimic(axis, prefix), _limits(axis),
        )  # fmt: skip
        return _PlacedJoint(joint, (_link_of(model, parent), _link_of(model, child)), own)

    def _axis(self, model: SdfModel, frame: SdfFrame, axis: SourceElement | None) -> tuple[str, str, str]:
        """Return the axis in the frame of the joint; the default of the format is z."""
        element = None if axis is None else axis.first("xyz")
        words = ["0", "0", "1"] if element is None else element.value.split()
        if axis is None or len(words) != 3 or not all(map(is_xml_number, words)):
            return "0", "0", "0"
        reference = "" if element is None else element.attributes.get("expressed_in", "").strip()
        in_model = axis.first("use_parent_model_frame")
        if model.file.version < (1, 7) and in_model is not None and in_model.value in ("true", "1"):
            reference = MODEL_FRAME
        if not reference:
            return words[0], words[1], words[2]
        own = self._poses.frame(model, frame.name, frame.line)[:3, :3]
        other = self._poses.frame(model, reference, axis.line)[:3, :3]
        x, y, z = (repr(float(value)) for value in own.T @ other @ np.array([float(word) for word in words]))
        return x, y, z


def _link_of(model: SdfModel, name: str) -> LinkKey | None:
    """Return the link that a name in a model means; None for the world."""
    for _ in range(_FARTHEST):
        if name in model.links:
            return id(model), name
        first, sign, rest = name.partition(SCOPE)
        if name in model.frames and model.frames[name].attached_to:
            name = model.frames[name].attached_to
        elif sign and first in model.models:
            model, name = model.models[first], rest
        elif name in model.models:
            model, name = model.models[name], MODEL_FRAME
        elif name == MODEL_FRAME or name in model.frames:
            first_model = next(iter(model.models), "")
            name = model.canonical_link or next(iter(model.links), first_model)
        else:
            merged = [one for one in model.models.values() if one.is_merged and _names(one, name)]
            if not merged:
                return None
            model = merged[0]
    return None


def _names(model: SdfModel, name: str) -> bool:
    return name in model.links or name in model.frames or name in model.models


def _limits(axis: SourceElement | None) -> tuple[str, str] | None:
    """Return the limits of an axis; None if it has none."""
    limit = None if axis is None else axis.first("limit")
    if limit is None:
        return None
    low, high = (limit.first(word) for word in ("lower", "upper"))
    texts = ["" if one is None else one.value for one in (low, high)]
    lower, upper = (
        text if is_xml_number(text) else repr(end) for text, end in zip(texts, (-np.inf, np.inf), strict=True)
    )
    return None if float(lower) <= -_UNLIMITED and float(upper) >= _UNLIMITED else (lower, upper)


def _mimic(axis: SourceElement | None, prefix: str) -> Mimic | None:
    """Return which joint an axis follows: multiplier · (position − reference) + offset."""
    element = None if axis is None else axis.first("mimic")
    if element is None:
        return None
    texts: Mapping[str, str] = {child.tag: child.value for child in element.children}
    multiplier, offset, reference = (
        float(texts[word]) if is_xml_number(texts.get(word, "")) else otherwise
        for word, otherwise in (("multiplier", 1.0), ("offset", 0.0), ("reference", 0.0))
    )
    leader = f"{prefix}{element.attributes.get('joint', '').strip()}"
    return Mimic(leader, repr(multiplier), repr(offset - multiplier * reference))
