"""The coordinates of all joints of a tree as columns of constant vectors, so that no joint needs code of its own.

The motion of a body in its parent is a rotation exp(w1) exp(w2) of its axes at the pose of the file, and a displacement
of its joint point; w1, w2 and the displacement are linear in the coordinates. A velocity is a column of an angular and
a linear direction, fixed in the parent or in the body.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from massprops_cli.mechanisms.model import Joint, perpendicular_vectors

_Floats = NDArray[np.float64]

ROTATION, SECOND_ROTATION, SLIDE = 0, 1, 2
"""What a coordinate changes: the first or the second rotation vector, or the displacement of the joint point."""


@dataclass(frozen=True)
class JointColumn:
    """One coordinate of a joint: ``axis`` is in parent axes at the pose, ``own_axis`` in those of the body."""

    what: int
    axis: _Floats
    own_axis: _Floats
    in_body: bool
    """Whether the direction of the velocity is fixed in the body; otherwise in the parent."""
    slide: float = 0.0
    """Displacement along the axis for a unit of rotation."""
    label: str = ""


def joint_columns(joint: Joint, inner: int, turn: _Floats) -> list[JointColumn]:
    """Return the coordinates of a joint, given the rotation (3, 3) from body to parent axes at the pose.

    ``inner`` is the parent's place, 0 or 1, among the joint's bodies.
    """
    # coordinates: R angle; P displacement; helical angle; C angle, displacement; U angle about the axis of the
    # parent, then of the body; S rotation vector; planar two displacements, angle; free rotation vector, displacement
    kind = joint.kind

    def column(what: int, axis: Any, label: str, **more: Any) -> JointColumn:
        """Make a column of an axis in the parent."""
        return JointColumn(what, axis, turn.T @ axis, more.pop("in_body", False), label=label, **more)

    if kind in ("S", "free"):
        # velocities are angular, and linear, components in the axes of the body
        six = [JointColumn(ROTATION, axis, axis, True, label=f"w{k}") for axis, k in zip(np.eye(3), "xyz", strict=True)]
        if kind == "free":
            six += [
                JointColumn(SLIDE, axis, axis, True, label=f"v{k}") for axis, k in zip(np.eye(3), "xyz", strict=True)
            ]
        return six
    axis = np.zeros(3) if kind == "fixed" else _unit_vector(joint.axes[inner])
    if kind == "U":
        second = turn @ _unit_vector(joint.axes[1 - inner])
        return [column(ROTATION, axis, "1"), column(SECOND_ROTATION, second, "2", in_body=True)]
    if kind == "planar":
        slides = [_unit_vector(one) for one in perpendicular_vectors(joint.axes[inner])]
        return [*(column(SLIDE, one, k) for one, k in zip(slides, "xy", strict=True)), column(ROTATION, axis, "a")]
    found = {
        "fixed": [],
        "R": [column(ROTATION, axis, "")],
        "P": [column(SLIDE, axis, "")],
        "C": [column(ROTATION, axis, "a"), column(SLIDE, axis, "d")],
        "helical": [column(ROTATION, axis, "", slide=float(joint.pitch))],
    }
    return found[kind]


def _unit_vector(vector: Any) -> _Floats:
    """Return the direction of a vector of exact numbers."""
    values = np.array([float(one) for one in vector])
    return np.asarray(values / np.linalg.norm(values))


def cross_products(a: _Floats, b: _Floats) -> _Floats:
    """Return vector products, (n, 3) any unit → (n, 3), without the overhead of ``numpy.cross``."""
    result = np.empty_like(a)
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        np.subtract(a[:, j] * b[:, k], a[:, k] * b[:, j], out=result[:, i])
    return result


def turned_vectors(matrices: _Floats, vectors: _Floats) -> _Floats:
    """Return matrices (n, 3, 3) times vectors (n, 3), any unit."""
    return np.asarray((matrices @ vectors[:, :, None])[:, :, 0])
