"""Base parameters of open chains by the recursive parameter null-space algorithm, complete and linear in the bodies.

Wensing, Niemeyer, Slotine, "A geometric characterization of observability in inertial parameter identification"
(2017): from the ground outwards, the span of the velocities that a body can have (with gravity as acceleration of the
ground) and the observable combinations of its parent decide which of its parameters pass to the parent unobserved.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from massprops_cli.mechanisms.inertia_forms import energy_form, invariant_span, joint_twists, moved_inertia
from massprops_cli.mechanisms.model import (
    GROUND,
    IDENTITY,
    ZERO_VECTOR,
    Mechanism,
    Vector,
    cross_product,
    rotated_vector,
    vector_sum,
)
from massprops_cli.mechanisms.row_reduction import Grouping, grouping_of_null_space, null_space, reduced_rows
from massprops_cli.mechanisms.tree import TreeJoint, spanning_tree

_Rows = list[list[Any]]


@dataclass
class _Observed:
    """Of one body, in ground axes about the ground's origin: its velocities, and its observable combinations."""

    velocities: _Rows
    combinations: _Rows


def open_chain_grouping(mechanism: Mechanism, order: Sequence[int]) -> Grouping:
    """Return the base parameters of a mechanism without loops.

    Parameters
    ----------
    mechanism : Mechanism
        Without errors and without loops.
    order : sequence of int
        All parameters, those to keep first.

    Returns
    -------
    Grouping
        Complete: the same number as by exact reduction.
    """
    tree = spanning_tree(mechanism)
    gravity = [Fraction(0)] * 3 + list(mechanism.gravity)
    observed = {GROUND: _Observed([gravity] if any(gravity) else [], [])}
    width = 10 * len(mechanism.bodies)
    vectors: _Rows = []
    for joint in tree.joints:
        rows, observed[joint.child] = _observe(mechanism, joint, observed[joint.parent])
        # what passes to the parent unobserved, and what the parent then shows of it
        for given in null_space(rows, 10):
            vector = [Fraction(0)] * width
            _add(vector, mechanism, joint.child, given, 1)
            if joint.parent != GROUND:
                _add(vector, mechanism, joint.parent, given, -1)
            vectors.append(vector)
    return grouping_of_null_space(order, vectors)


def _add(vector: list[Any], mechanism: Mechanism, body: int, given: Sequence[Any], sign: int) -> None:
    """Add parameters in the ground frame to those of a body, in its own frame."""
    position, rotation = mechanism.pose(body)
    back = (
        (rotation[0][0], rotation[1][0], rotation[2][0]),
        (rotation[0][1], rotation[1][1], rotation[2][1]),
        (rotation[0][2], rotation[1][2], rotation[2][2]),
    )
    offset = rotated_vector(back, vector_sum(ZERO_VECTOR, position, -1))
    for index, row in enumerate(moved_inertia(back, offset)):
        vector[10 * body + index] += sign * sum(a * b for a, b in zip(row, given, strict=True))


def _observe(mechanism: Mechanism, joint: TreeJoint, parent: _Observed) -> tuple[_Rows, _Observed]:
    """Return the conditions for a transfer to the parent, and what is observed of the child."""
    point = vector_sum(mechanism.pose(joint.child)[0], joint.child_arm)
    conditions: _Rows = []
    velocities, combinations = parent.velocities, parent.combinations
    for twist in _single_twists(joint, point):
        velocities = invariant_span([*velocities, twist], [twist])
        rate = [list(row) for row in _rate_matrix(twist)]
        changed = [_times(row, rate) for row in combinations]
        changed = _invariant_rows(changed, rate)
        momentum = [energy_form(twist, velocity) for velocity in velocities]
        conditions = _invariant_rows([*conditions, *changed, *momentum], rate)
        combinations = reduced_rows([*combinations, *conditions])[1]
    return conditions, _Observed(velocities, combinations)


def _single_twists(joint: TreeJoint, point: Vector) -> _Rows:
    """Return the twists of a joint as a chain of joints with one degree of freedom, from the parent outwards."""
    if joint.kind == "U":
        return [[*axis, *cross_product(point, axis)] for axis in (joint.axis, joint.child_axis)]
    slides = tuple(IDENTITY) if joint.kind == "free" else joint.slides
    return joint_twists(joint.kind, point, joint.axis, slides, joint.pitch)


def _rate_matrix(twist: Sequence[Any]) -> _Rows:
    """Return the derivative of the parameters of a body that moves by a twist, as seen in a frame at rest."""
    columns = []
    for index in range(10):
        unit = [Fraction(index == other) for other in range(10)]
        columns.append(_rate(unit, twist))
    return [list(row) for row in zip(*columns, strict=True)]


def _rate(given: Sequence[Any], twist: Sequence[Any]) -> list[Any]:
    """Return the derivative of ten parameters: J' = A J + J Aᵀ of the pseudo-inertia."""
    mass, x, y, z, xx, xy, xz, yy, yz, zz = given
    half = (xx + yy + zz) / 2
    second = [[half - xx, -xy, -xz, x], [-xy, half - yy, -yz, y], [-xz, -yz, half - zz, z], [x, y, z, mass]]
    w, v = twist[:3], twist[3:]
    move = [[0, -w[2], w[1], v[0]], [w[2], 0, -w[0], v[1]], [-w[1], w[0], 0, v[2]], [0, 0, 0, 0]]
    turned = [[sum(move[i][k] * second[k][j] for k in range(4)) for j in range(4)] for i in range(4)]
    rate = [[turned[i][j] + turned[j][i] for j in range(4)] for i in range(4)]
    trace = rate[0][0] + rate[1][1] + rate[2][2]
    tensor = [(trace if i == j else 0) - rate[i][j] for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))]
    return [rate[3][3], rate[0][3], rate[1][3], rate[2][3], *tensor]


def _times(row: Sequence[Any], matrix: _Rows) -> list[Any]:
    """Return a row times a matrix."""
    return [sum(row[k] * matrix[k][column] for k in range(10) if row[k]) for column in range(10)]


def _invariant_rows(rows: _Rows, matrix: _Rows) -> _Rows:
    """Return the smallest span of rows that contains its products with a matrix."""
    basis = reduced_rows(rows)[1]
    while True:
        wider = reduced_rows([*basis, *(_times(row, matrix) for row in basis)])[1]
        if len(wider) == len(basis):
            return basis
        basis = wider
