"""Joints of SDF: their axes, the links that their positions move, and the model as a robot of links and joints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from massprops_cli.bodies.rotations import Floats, inverse_frame
from massprops_cli.files.parts_report import is_xml_number
from massprops_cli.findings.finding import Findings, UsageError
from massprops_cli.robots import robot_model
from massprops_cli.robots.sdf.sdf_model import (
    MATRICES,
    MODEL_FRAME,
    SCOPE,
    FrameKey,
    SdfFrame,
    SdfModel,
    SdfPoses,
    Texts,
    axis_frame,
)

_UNLIMITED = 1e16  # position from which on a limit is none. [SDFormat specification, "limit"]
_FARTHEST = 100  # names that may lead from one to the next until a link is found
_SdfAxis = tuple[Texts, FrameKey]  # an axis as stated, not normalised, and the frame that it is stated in


@dataclass(frozen=True, slots=True)
class SdfJoint:
    """A joint; universal joints have two axes, joints that turn or slide one."""

    name: str  # scoped in the top model
    line: int
    kind: str
    frame: FrameKey
    joined: tuple[str, str]
    links: tuple[FrameKey | None, FrameKey | None]  # parent, child; None: the world
    axes: tuple[_SdfAxis, ...]
    pitch: str  # advance of a screw, m a turn; empty: not stated
    mimic: robot_model.Mimic | None
    limits: tuple[str, str] | None


def sdf_joints(top: SdfModel, poses: SdfPoses) -> list[SdfJoint]:
    """Return the joints of a model or a world, with those of its nested models."""
    return [
        _placed(model, frame, frame.element, prefix, poses)
        for model, prefix in _models(top)
        for frame in model.frames.values()
        if frame.joined is not None and frame.element is not None
    ]


def moved_links(top: SdfModel, poses: SdfPoses, given: Sequence[str], findings: Findings) -> dict[FrameKey, Floats]:
    """Return link → pose (4, 4) in its model of the links that ``JOINT=POSITION`` moves; MP890: outside limits."""
    # UsageError: a joint is unknown, fixed, follows another or is in a loop, or a position does not fit its type
    if not given:
        return {}
    listed = sdf_joints(top, poses)
    frames: dict[FrameKey, Floats] = poses.composed(*MATRICES)
    joints = [_PlacedJoint(one, frames) for one in listed]
    values = robot_model.joint_values([one.joint for one in joints], given, top.file.name, findings)
    motions = [(one, _reached(one, joints)) for one in joints if one.joint.name in values]
    for k, (one, links) in enumerate(motions):
        for other, others in motions[:k]:
            if links & others and not (links <= others or others <= links):
                names = f"{other.joint.name} and {one.joint.name}"
                raise UsageError(f"joints {names} move each other: parent and child of one are exchanged (--q)")
    moved: dict[FrameKey, Floats] = {}
    # the joint that moves fewest links is nearest to them
    for one, links in sorted(motions, key=lambda motion: len(motion[1])):
        step = one.frame @ robot_model.joint_motion(one.joint, values[one.joint.name]) @ inverse_frame(one.frame)
        for link in links:
            moved[link] = step @ moved.get(link, frames[link])
    return {link: inverse_frame(frames[link[0], ""]) @ pose for link, pose in moved.items()}


class _PlacedJoint:
    """A joint with the links that it connects (None: the world), and its frame in the top model at 0."""

    def __init__(self, one: SdfJoint, frames: Mapping[FrameKey, Floats]) -> None:
        self.links, self.frame = one.links, frames[one.frame]
        texts, of_axis = one.axes[0]
        if of_axis != one.frame:
            axis = frames[of_axis][:3, :3] @ [float(text) for text in texts]
            texts = tuple(repr(float(value)) for value in self.frame[:3, :3].T @ axis)
        parent, child = one.joined
        self.joint = robot_model.RobotJoint(
            one.name, one.line, one.kind, parent, child, robot_model.AT_ORIGIN, texts, one.mimic, one.limits
        )


def _reached(joint: _PlacedJoint, joints: Sequence[_PlacedJoint]) -> set[FrameKey]:
    """Return the links that a joint moves: its child, with all that other joints connect to it."""
    parent, child = joint.links
    if child is None:
        raise UsageError(f"joint {joint.joint.name} has no child link (--q)")
    found, waiting = {child}, [child]
    while waiting:
        link = waiting.pop()
        for other in joints:
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


def _models(top: SdfModel) -> Iterator[tuple[SdfModel, str]]:
    """Yield a model and those nested in it, with what their names are preceded by."""
    waiting = [(top, "")]
    while waiting:
        model, prefix = waiting.pop(0)
        yield model, prefix
        waiting += [
            (nested, prefix if nested.is_merged else f"{prefix}{nested.name}{SCOPE}")
            for nested in model.models.values()
        ]


def _placed(
    model: SdfModel, frame: SdfFrame, element: robot_model.SourceElement, prefix: str, poses: SdfPoses
) -> SdfJoint:
    """Return a joint of a model."""
    joined = frame.joined or ("", "")
    axis = element.first("axis")
    axes = [_axis(model, frame, one, poses) for one in (axis, element.first("axis2")) if one is not None]
    pitch = element.first("screw_thread_pitch")
    return SdfJoint(
        f"{prefix}{frame.name}", frame.line, frame.kind, (id(model), frame.name), joined,
        (_link_of(model, joined[0]), _link_of(model, joined[1])),
        tuple(axes) or (_axis(model, frame, None, poses),),
        pitch.value if pitch is not None else _thread_pitch(element), _mimic(axis, prefix), _limits(axis),
    )  # fmt: skip


def _thread_pitch(element: robot_model.SourceElement) -> str:
    """Return the advance of a screw in metres a turn from its older element, which has -radians a metre."""
    old = element.first("thread_pitch")
    if old is None or not is_xml_number(old.value) or float(old.value) == 0:
        return ""
    return repr(-2 * np.pi / float(old.value))


def _axis(model: SdfModel, frame: SdfFrame, axis: robot_model.SourceElement | None, poses: SdfPoses) -> _SdfAxis:
    """Return an axis; the default of the format is z in the frame of the joint, and 0 where no axis is stated."""
    if axis is None:
        return robot_model.ZERO_TEXTS, (id(model), frame.name)
    element = axis.first("xyz")
    words = ("0", "0", "1") if element is None else tuple(element.value.split())
    if len(words) != 3 or not all(map(is_xml_number, words)):
        words = robot_model.ZERO_TEXTS
    in_model = axis.first("use_parent_model_frame")
    name = axis_frame(axis) or frame.name
    states_model = model.file.version < (1, 5) if in_model is None else in_model.value in ("true", "1")
    if model.file.version < (1, 7) and states_model:
        name = MODEL_FRAME
    poses.frame(model, name, axis.line)
    return words, (id(model), name)


def _link_of(model: SdfModel, name: str) -> FrameKey | None:
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
            merged = [
                one for one in model.models.values() if one.is_merged and name in {*one.links, *one.frames, *one.models}
            ]
            if not merged:
                return None
            model = merged[0]
    return None


def _limits(axis: robot_model.SourceElement | None) -> tuple[str, str] | None:
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


def _mimic(axis: robot_model.SourceElement | None, prefix: str) -> robot_model.Mimic | None:
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
    return robot_model.Mimic(leader, repr(multiplier), repr(offset - multiplier * reference))
