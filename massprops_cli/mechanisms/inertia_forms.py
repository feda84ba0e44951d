"""Bodies as linear forms in their ten parameters: point masses and their moments, momentum, energy, gravity.

A twist is (ω, v) with v at the origin of the frame, six numbers; a form is a row of ten coefficients.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from massprops_cli.mechanisms.model import (
    QUANTITIES,
    Matrix,
    MechanismBody,
    Vector,
    cross_product,
    dot_product,
    rotated_vector,
    vector_sum,
)
from massprops_cli.mechanisms.prime_field import null_space, reduced_rows

_TENSOR_PLACES = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
"""Row and column of the six entries of the inertia tensor, in the order of the parameters."""
_Twist = Sequence[Any]
"""ω, then v: six numbers."""


def product_parameters(a: Sequence[Any], b: Sequence[Any]) -> list[Any]:
    """Return the parameters of the pseudo-inertia (a bᵀ + b aᵀ)/2 of two homogeneous points."""
    second = [[(a[i] * b[j] + a[j] * b[i]) / 2 for j in range(3)] for i in range(3)]
    trace = second[0][0] + second[1][1] + second[2][2]
    tensor = [(trace if i == j else 0) - second[i][j] for i, j in _TENSOR_PLACES]
    return [a[3] * b[3], *((a[3] * b[i] + a[i] * b[3]) / 2 for i in range(3)), *tensor]


def body_parameters(body: MechanismBody) -> list[Any]:
    """Return the ten parameters of a body about the origin of its frame, from mass, centre of mass and inertia."""
    center, (xx, yy, zz, xy, xz, yz) = body.center, body.inertia
    point = product_parameters((*center, 1), (*center, 1))
    own = (0, 0, 0, 0, xx, xy, xz, yy, yz, zz)
    return [(body.mass or 0) * share + value for share, value in zip(point, own, strict=True)]


def energy_form(first: _Twist, second: _Twist) -> list[Any]:
    """Return the symmetric product of two twists with the spatial inertia of a body, as a form in its parameters."""
    (w1, v1), (w2, v2) = _parts(first), _parts(second)
    moments = vector_sum(cross_product(v1, w2), cross_product(v2, w1))
    tensor = [w1[i] * w2[j] + (w1[j] * w2[i] if i != j else 0) for i, j in _TENSOR_PLACES]
    return [dot_product(v1, v2), *moments, *tensor]


def gravity_form(twist: _Twist, gravity: Vector) -> list[Any]:
    """Return the power of gravity on a body as a form in its parameters."""
    spin, velocity = _parts(twist)
    return [dot_product(gravity, velocity), *cross_product(gravity, spin), *[0 * velocity[0]] * 6]


def _parts(twist: _Twist) -> tuple[Vector, Vector]:
    """Return angular and linear velocity."""
    return (twist[0], twist[1], twist[2]), (twist[3], twist[4], twist[5])


def line_twist(axis: Vector, point: Vector) -> list[Any]:
    """Return the twist of a rotation about a line."""
    return [*axis, *cross_product(point, axis)]


def joint_twists(kind: str, point: Vector, axis: Vector, slides: Sequence[Vector], pitch: Any) -> list[list[Any]]:
    """Return the relative twists that a joint permits at the pose; of a universal joint all turns about its point."""
    zero = 0 * point[0]
    found = [[zero, zero, zero, *slide] for slide in slides]
    if kind in ("R", "C", "planar"):
        found.append(line_twist(axis, point))
    elif kind == "helical":
        turn = line_twist(axis, point)
        found.append([*turn[:3], *(v + pitch * a for v, a in zip(turn[3:], axis, strict=True))])
    elif kind in ("S", "U", "free"):
        one = zero + 1
        found += [line_twist(unit, point) for unit in ((one, zero, zero), (zero, one, zero), (zero, zero, one))]
    return found


def twist_bracket(a: _Twist, b: _Twist) -> list[Any]:
    """Return the Lie bracket of two twists."""
    (w1, v1), (w2, v2) = _parts(a), _parts(b)
    return [*cross_product(w1, w2), *vector_sum(cross_product(w1, v2), cross_product(v1, w2))]


def closed_span(rows: Sequence[_Twist], images: Callable[[list[list[Any]]], list[list[Any]]]) -> list[list[Any]]:
    """Return the smallest span of rows that contains the images of its own basis."""
    basis = reduced_rows(rows)[1]
    while len(wider := reduced_rows([*basis, *images(basis)])[1]) > len(basis):
        basis = wider
    return basis


def invariant_span(start: Sequence[_Twist], movers: Sequence[_Twist]) -> list[list[Any]]:
    """Return the smallest space of twists that contains some twists and their brackets with others."""
    return closed_span(start, lambda basis: [twist_bracket(one, other) for one in movers for other in basis])


def generated_algebra(twists: Sequence[_Twist]) -> list[list[Any]]:
    """Return the Lie algebra that twists generate: a body moved by them keeps its velocity in it."""
    basis = reduced_rows(twists)[1]
    while len(wider := invariant_span(basis, basis)) > len(basis):
        basis = wider
    return basis


def common_span(first: Sequence[Sequence[Any]], second: Sequence[Sequence[Any]], width: int) -> list[list[Any]]:
    """Return the intersection of two spans."""
    return null_space([*null_space(first, width), *null_space(second, width)], width)


def moved_inertia(rotation: Matrix, offset: Vector) -> list[list[Any]]:
    """Return the matrix that expresses the parameters of a body in another frame."""
    columns = []
    for quantity in range(len(QUANTITIES)):
        column = [0 * offset[0]] * 10
        for weight, a, b in _generating_points(quantity):
            moved = [[*vector_sum(rotated_vector(rotation, (p[0], p[1], p[2])), offset, p[3]), p[3]] for p in (a, b)]
            column = [old + weight * new for old, new in zip(column, product_parameters(*moved), strict=True)]
        columns.append(column)
    return [list(row) for row in zip(*columns, strict=True)]


def _generating_points(quantity: int) -> list[tuple[Any, list[Any], list[Any]]]:
    """Return a unit of a parameter as a weighted sum of products of homogeneous points."""
    units = [[Fraction(i == k) for i in range(4)] for k in range(4)]
    if quantity == 0:
        return [(1, units[3], units[3])]
    if quantity <= 3:
        return [(2, units[quantity - 1], units[3])]
    i, j = _TENSOR_PLACES[quantity - 4]
    if i != j:  # minus the second moment
        return [(-2, units[i], units[j])]
    # a unit of Iii alone: second moments −1/2 along i and 1/2 along the two other axes
    return [(Fraction(-1 if i == k else 1, 2), units[k], units[k]) for k in range(3)]
