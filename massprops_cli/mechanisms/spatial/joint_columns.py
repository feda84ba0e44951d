"""The coordinates of all joints of a tree as columns of constant vectors, so that no joint needs code of its own."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import tensor_faults
from massprops_cli.findings.finding import Findings, Place, Severity, name_list
from massprops_cli.mechanisms.model import Joint, Mechanism, fixed_groups, perpendicular_vectors

_Floats = NDArray[np.float64]
ROTATION, SECOND_ROTATION, SLIDE = 0, 1, 2
"""What a coordinate changes: the first or the second rotation vector, or the displacement of the joint point."""


class JointColumn(NamedTuple):
    """One coordinate of a joint."""

    what: int
    axis: _Floats  # in the parent at the pose
    direction: _Floats  # of the velocity, in the body or in the parent
    in_body: bool  # whether that is fixed in the body
    slide: float  # displacement along the axis for a unit of rotation
    label: str


def joint_columns(joint: Joint, inner: int, turn: _Floats) -> list[JointColumn]:
    """Return a joint's coordinates, given the turn (3, 3) from body to parent, which is body ``inner`` of the joint."""
    # coordinates: R angle; P displacement; helical angle; C angle, displacement; U angle about the axis of the
    # parent, then of the body; S rotation vector; planar two displacements, angle; free rotation vector, displacement
    kind = joint.kind

    def column(what: int, axis: Any, label: str, *, in_body: bool = False, slide: float = 0.0) -> JointColumn:
        """Make a column of an axis in the parent."""
        return JointColumn(what, axis, turn.T @ axis if in_body else axis, in_body, slide, label)

    if kind in ("S", "free"):
        # velocities are angular, and linear, components in the axes of the body
        kinds = [(ROTATION, "w"), (SLIDE, "v")] if kind == "free" else [(ROTATION, "w")]
        axes = list(zip(np.eye(3), "xyz", strict=True))
        return [JointColumn(what, axis, axis, True, 0.0, f"{letter}{k}") for what, letter in kinds for axis, k in axes]
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


def check_body_masses(mechanism: Mechanism, place: Place, findings: Findings) -> None:
    """Report bodies without a mass or with a negative one, and masses without a centre or an inertia."""
    # bodies that state no mass; one that is fixed to a body with mass is a frame of it
    group = fixed_groups(mechanism)
    heavy = {group[k] for k, body in enumerate(mechanism.bodies) if body.mass is not None}
    lacking = [body.name for k, body in enumerate(mechanism.bodies) if body.mass is None and group[k] not in heavy]
    if lacking:
        message = f"bodies state no mass, read as 0: {name_list(lacking)}"
        findings.report("MP817", message, place, item=lacking[0], count=len(lacking))
    if negative := [body.name for body in mechanism.bodies if body.mass is not None and body.mass < 0]:
        message = f"bodies have a negative mass: {name_list(negative)}"
        findings.report("MP826", message, place, item=negative[0], count=len(negative))
    if mechanism.document is None:
        _check_robot_tensors(mechanism, place, findings)
        return
    pairs = zip(mechanism.bodies, mechanism.document["bodies"], strict=True)
    lacks = {body.name: [key for key in ("c", "I") if key not in given] for body, given in pairs if body.mass}
    if incomplete := [name for name, keys in lacks.items() if keys]:
        listed = name_list([f"{name} ({', '.join(lacks[name])})" for name in incomplete])
        message = f"bodies state a mass without all of c and I, read as 0: {listed}"
        findings.report("MP817", message, place, item=incomplete[0], count=len(incomplete))


def _check_robot_tensors(mechanism: Mechanism, place: Place, findings: Findings) -> None:
    """Report links with a mass and no tensor, and those whose tensor no body has, as with an entry that is missing."""
    heavy = [body for body in mechanism.bodies if body.mass]
    tensors = np.array([[float(one) for one in body.inertia] for body in heavy]).reshape(-1, 6)
    if blank := [body.name for body, six in zip(heavy, tensors, strict=True) if not six.any()]:
        message = f"links state no inertia, and are read as points: {name_list(blank)}"
        findings.report("MP817", message, place, item=blank[0], count=len(blank))
    faults = tensor_faults(tensors, lambda k: _DIGITS * np.abs(tensors[k]).max() * np.ones(6))
    bad = list(dict.fromkeys(heavy[row].name for row, rule, *_ in faults if rule != "MP405" and tensors[row].any()))
    if bad:
        message = f"links state an inertia that no body has: {name_list(bad)}"
        remedy = "complete and correct the inertia: massprops validate names the entries"
        findings.report("MP826", message, place, item=bad[0], count=len(bad), remedy=remedy, severity=Severity.ERROR)


_DIGITS = 1e-3  # rounding of three digits, as a share of the largest entry
