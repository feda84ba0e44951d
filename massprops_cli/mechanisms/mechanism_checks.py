"""Checks of a mechanism: connected to the ground, and closed exactly at its pose."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from massprops_cli.findings.finding import Findings, Place, name_list
from massprops_cli.mechanisms.model import (
    GROUND,
    Joint,
    Mechanism,
    RobotReading,
    cross_product,
    dot_product,
    vector_sum,
)
from massprops_cli.mechanisms.tree import joint_axis, joint_point

_POINT_KINDS = ("R", "S", "U")
_PARALLEL_KINDS = ("R", "P", "C", "helical", "planar")
_ON_AXIS_KINDS = ("P", "C", "helical")


def check_mechanism(mechanism: Mechanism, place: Place, findings: Findings, reading: RobotReading) -> bool:
    """Report bodies without a joint, parts that are not connected, and joints that are not closed at the pose."""
    is_open = False
    jointed = {body for joint in mechanism.joints for body in joint.bodies}
    lone = [body.name for index, body in enumerate(mechanism.bodies) if index not in jointed]
    for name in lone:
        findings.report("MP806", f"body {name} has no joint", place, item=name)
    reached = _connected_bodies(mechanism)
    apart = [mechanism.bodies[body].name for body in sorted(jointed - reached)]
    if apart:
        findings.report(
            "MP807",
            f"bodies are not connected to the ground: {name_list(apart)}",
            place,
            item=apart[0],
            count=len(apart),
        )
    for joint in mechanism.joints:
        if joint.bodies[0] == joint.bodies[1]:
            findings.report("MP805", f"joint {joint.name} connects a body to the same body", place, item=joint.name)
            continue
        for what, residual in _residuals(mechanism, joint):
            is_open |= bool(residual)
            if residual and not reading.assemble:
                findings.report(
                    "MP808",
                    f"joint {joint.name} is not closed at the pose: {what} {_shown(residual)} (expected exactly 0)",
                    place,
                    value=str(residual),
                    item=joint.name,
                )
    return is_open and reading.assemble


def _shown(value: Any) -> str:
    """Return a residual as the fraction, if it is short, and as a decimal."""
    text = str(value)
    return text if len(text) <= 12 else f"about {float(value):.3g}"


def _connected_bodies(mechanism: Mechanism) -> set[int]:
    """Return the bodies that joints connect to the ground, with the ground."""
    reached, size = {GROUND}, 0
    while len(reached) != size:
        size = len(reached)
        for joint in mechanism.joints:
            if reached & set(joint.bodies):
                reached |= set(joint.bodies)
    return reached


def _residuals(mechanism: Mechanism, joint: Joint) -> Iterator[tuple[str, Any]]:
    """Return what must vanish at the pose, the largest component of each condition."""
    points = [joint_point(mechanism, joint, side) for side in (0, 1)]
    axes = [joint_axis(mechanism, joint, side) for side in (0, 1)]
    gap = vector_sum(points[1], points[0], -1)
    if joint.kind in _POINT_KINDS:
        yield "distance of the points pi and pj along an axis of the ground", _largest(gap)
    elif joint.kind in _ON_AXIS_KINDS:
        yield "distance of the point pj from the axis ai, times its length,", _largest(cross_product(gap, axes[0]))
    elif joint.kind == "planar":
        yield "distance of the point pj from the plane, times the length of ai,", dot_product(gap, axes[0])
    if joint.kind in _PARALLEL_KINDS:
        yield "vector product of the axes ai and aj", _largest(cross_product(axes[0], axes[1]))
    elif joint.kind == "U":
        yield "scalar product of the axes ai and aj", dot_product(axes[0], axes[1])


def _largest(vector: tuple[Any, Any, Any]) -> Any:
    """Return the component with the largest magnitude."""
    return max(vector, key=abs)
