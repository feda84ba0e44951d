"""Base parameters of open chains by the recursive parameter null-space algorithm, complete and linear in the bodies.

Wensing, Niemeyer, Slotine, "A geometric characterization of observability in inertial parameter identification"
(2017): from the ground outwards, the span of the velocities that a body can have (with gravity as acceleration of the
ground) and the observable combinations of its parent decide which of its parameters pass to the parent unobserved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from massprops_cli.mechanisms.inertia_forms import energy_form, invariant_span, joint_twists, moved_inertia
from massprops_cli.mechanisms.model import (
    GROUND,
    ZERO_VECTOR,
    Mechanism,
    Vector,
    cross_product,
    rotated_vector,
    transposed_matrix,
    vector_sum,
)
from massprops_cli.mechanisms.row_reduction import (
    Grouping,
    exact_number,
    grouping_of_null_space,
    null_space,
    plain_fraction,
    reduced_rows,
)
from massprops_cli.mechanisms.tree import TreeJoint, spanning_tree

_Rows = list[list[Any]]


@dataclass
class _Observed:
    """Of one body, in ground axes about the ground's origin: its velocities, and its observable combinations."""

    velocities: _Rows
    combinations: _Rows


def open_chain_grouping(mechanism: Mechanism, order: Sequence[int]) -> Grouping:
    """Return the base parameters of a mechanism without loops."""
    number = exact_number()
    origins, moves = _poses(mechanism, number)
    vectors: _Rows = []
    for joint, rows in _conditions(mechanism, origins, number):
        # what passes to the parent unobserved, and what the parent then shows of it
        sides = [(body, sign) for body, sign in ((joint.child, 1), (joint.parent, -1)) if body != GROUND]
        columns = sorted((10 * body + k for body, _ in sides for k in range(10)), key=order.index, reverse=True)
        place = {column: at for at, column in enumerate(columns)}
        found: _Rows = []
        for given in null_space(rows or [[number(0)] * 10], 10):
            vector = [number(0)] * len(columns)
            for body, sign in sides:
                for k, row in enumerate(moves[body]):
                    vector[place[10 * body + k]] = sign * sum(a * b for a, b in zip(row, given, strict=True))
            found.append(vector)
        # in the frames of two bodies the numbers are short, and remain so in the reduction of all
        for reduced in reduced_rows(found)[1]:
            whole = [Fraction(0)] * (10 * len(mechanism.bodies))
            for column, value in zip(columns, reduced, strict=True):
                if value:
                    whole[column] = plain_fraction(value)
            vectors.append(whole)
    return grouping_of_null_space(order, vectors)


def open_chain_count(mechanism: Mechanism) -> int:
    """Return the number of base parameters of a mechanism without loops."""
    number = exact_number()
    origins = [_vector(body.position, number) for body in mechanism.bodies]
    return sum(len(reduced_rows(rows)[1]) for _, rows in _conditions(mechanism, origins, number))


def _conditions(
    mechanism: Mechanism, origins: list[Vector], number: Callable[[Any], Any]
) -> Iterator[tuple[TreeJoint, _Rows]]:
    """Yield the joints outwards, with the conditions for what passes from the child to the parent unobserved."""
    gravity = [number(0)] * 3 + [number(value) for value in mechanism.gravity]
    observed = {GROUND: _Observed([gravity] if any(mechanism.gravity) else [], [])}
    for joint in spanning_tree(mechanism).converted(number).joints:
        rows, observed[joint.child] = _observe(origins[joint.child], joint, observed[joint.parent])
        yield joint, rows


def _vector(values: Vector, number: Callable[[Any], Any]) -> Vector:
    """Return a vector of fast fractions."""
    x, y, z = (number(value) for value in values)
    return x, y, z


def _poses(mechanism: Mechanism, number: Callable[[Any], Any]) -> tuple[list[Vector], list[_Rows]]:
    """Return the origin of each body, and the matrix from parameters in the ground frame to those in its own."""
    origins, moves = [], []
    for body in mechanism.bodies:
        back = transposed_matrix(body.rotation)
        offset = rotated_vector(back, vector_sum(ZERO_VECTOR, body.position, -1))
        moves.append([[number(value) for value in row] for row in moved_inertia(back, offset)])
        origins.append(_vector(body.position, number))
    return origins, moves


def _observe(origin: Vector, joint: TreeJoint, parent: _Observed) -> tuple[_Rows, _Observed]:
    """Return the conditions for a transfer to the parent, and what is observed of the child."""
    point = vector_sum(origin, joint.child_arm)
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
    zero = 0 * point[0]
    units = ((zero + 1, zero, zero), (zero, zero + 1, zero), (zero, zero, zero + 1))
    slides = units if joint.kind == "free" else joint.slides
    return joint_twists(joint.kind, point, joint.axis, slides, joint.pitch)


def _rate_matrix(twist: Sequence[Any]) -> _Rows:
    """Return the derivative of the parameters of a body that moves by a twist, as seen in a frame at rest."""
    zero = 0 * twist[0]
    columns = []
    for index in range(10):
        unit = [zero + (index == other) for other in range(10)]
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
