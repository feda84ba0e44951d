"""Bodies as linear forms in ten parameters, rows of coefficients; a twist is (ω, v), v at the origin of the frame."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from massprops_cli.findings.finding import Findings, TableError, UsageError
from massprops_cli.mechanisms import prime_field
from massprops_cli.mechanisms.model import (
    QUANTITIES,
    Matrix,
    Mechanism,
    MechanismBody,
    SpanningTree,
    Vector,
    cross_product,
    dot_product,
    rotated_vector,
    spanning_tree,
    vector_sum,
)
from massprops_cli.mechanisms.motion import (
    Configuration,
    MotionGenerator,
    OperatorRing,
    closure_jacobian,
    coordinate_twists,
    in_body_axes,
    moved_twist,
    tree_configuration,
)

_TENSOR_PLACES = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
"""Row and column of the six entries of the inertia tensor, in the order of the parameters."""
_Twist = Sequence[Any]  # ω, then v: six numbers


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
    basis = prime_field.reduced_rows(rows)[1]
    while len(wider := prime_field.reduced_rows([*basis, *images(basis)])[1]) > len(basis):
        basis = wider
    return basis


def invariant_span(start: Sequence[_Twist], movers: Sequence[_Twist]) -> list[list[Any]]:
    """Return the smallest space of twists that contains some twists and their brackets with others."""
    return closed_span(start, lambda basis: [twist_bracket(one, other) for one in movers for other in basis])


def generated_algebra(twists: Sequence[_Twist]) -> list[list[Any]]:
    """Return the Lie algebra that twists generate: a body moved by them keeps its velocity in it."""
    return closed_span(twists, lambda basis: invariant_span(basis, basis))


def common_span(first: Sequence[Sequence[Any]], second: Sequence[Sequence[Any]], width: int) -> list[list[Any]]:
    """Return the intersection of two spans."""
    return prime_field.null_space(
        [*prime_field.null_space(first, width), *prime_field.null_space(second, width)], width
    )


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


_STEPS = 12  # from the pose to a random point
_MOST_CORRECTIONS = 12  # Newton steps that close the loops
_MOST_TRIALS = 20  # random points tried
_CLOSED = 1e-13  # closure residual in double precision
_LEAST_GAP = 1e4  # ratio of two successive singular values that is a gap
_LEAST_SHARE = 1e-6  # share of the largest singular value above which a value is not 0
_ROUNDING = 1e-12  # share of the largest singular value below which a value is rounding
_ZERO = 1e-7  # a smaller coefficient is rounding
_SIZE = 0.8  # magnitude of the final independent coordinates


class _ComplexNumbers(OperatorRing):
    """The complex numbers with the methods of a ring of series."""

    zero, one = 0j, 1 + 0j
    constant = complex

    def inverse(self, value: complex) -> complex:
        """Return the reciprocal."""
        return 1 / value


_RING = _ComplexNumbers()


def complex_grouping(mechanism: Mechanism, order: Sequence[int], findings: Findings) -> prime_field.Grouping:
    """Return the base parameters with coefficients in double precision."""
    if any(joint.kind == "helical" for joint in mechanism.joints):
        raise UsageError("the method complex has no helical joints; use --method exact")
    exact = spanning_tree(mechanism)
    tree = exact.converted(complex)
    chance = np.random.default_rng(1)
    motions = MotionGenerator(exact, 127, random.Random(1))
    rows: list[Any] = []
    while motions.degrees_of_freedom and len(rows) < 1.5 * len(order) + 10:
        if (series := _closed_point(tree, motions.dependent, chance)) is None:
            findings.report("MP814", "no closed complex configuration was found")
            raise TableError(findings)
        rows += _energy_rows(mechanism, tree, series, motions.dependent, chance)
    matrix = np.array(rows, complex).reshape(-1, len(order))[:, list(order)]
    matrix /= np.maximum(np.abs(matrix).max(axis=1, initial=0, keepdims=True), 1e-300)
    rank, bound = _numerical_rank(matrix, findings)
    # the first independent columns, by which the others are expressed
    kept = prime_field.independent_vectors(matrix.T, bound, rank)
    base: dict[int, dict[int, float]] = {order[column]: {} for column in kept}
    for column in range(matrix.shape[1]):
        if column not in kept and kept:
            shares = np.linalg.lstsq(matrix[:, kept], matrix[:, column], rcond=None)[0].real
            for head, share in zip(kept, shares, strict=True):
                if abs(share) > _ZERO:
                    base[order[head]][order[column]] = float(share)
    return prime_field.sorted_grouping(order, base, motions.degrees_of_freedom)


def _closed_point(tree: SpanningTree, dependent: Sequence[int], chance: np.random.Generator) -> list[complex] | None:
    """Move independent coordinates to random complex values in steps, closing the loops; None without success."""
    free = [index for index in range(tree.coordinates) if index not in set(dependent)]
    for _ in range(_MOST_TRIALS):
        goal = _SIZE * np.exp(2j * np.pi * chance.random(tree.coordinates)) * chance.uniform(0.5, 1, tree.coordinates)
        series = np.zeros(tree.coordinates, complex)
        for step in range(1, _STEPS + 1):
            series[free] = goal[free] * step / _STEPS
            if not _is_closed(tree, series, list(dependent)):
                break
        else:
            return [complex(value) for value in series]
    return None


def _is_closed(tree: SpanningTree, series: NDArray[np.complex128], dependent: list[int]) -> bool:
    """Correct the dependent coordinates by Newton's iteration with all closure equations."""
    if not dependent:
        return True
    for _ in range(_MOST_CORRECTIONS):
        jacobian, residuals = closure_jacobian(tree, list(series), _RING, tree_configuration(tree, list(series), _RING))
        if np.abs(residuals).max() < _CLOSED:
            return True
        change = np.linalg.lstsq(np.array(jacobian)[:, dependent], -np.array(residuals), rcond=None)[0]
        if not np.isfinite(change).all() or np.abs(change).max() > 1:
            return False
        series[dependent] += change
    return False


def _energy_rows(
    mechanism: Mechanism,
    tree: SpanningTree,
    series: list[complex],
    dependent: Sequence[int],
    chance: np.random.Generator,
) -> list[list[complex]]:
    """Return rows of the kinetic energy for random rates, and one of the potential energy less that at the pose."""
    state = tree_configuration(tree, series, _RING)
    jacobian = np.array(closure_jacobian(tree, series, _RING, state)[0], complex).reshape(-1, tree.coordinates)
    free = [index for index in range(tree.coordinates) if index not in set(dependent)]
    rows = []
    for _ in range(min(3, len(free) * (len(free) + 1) // 2)):
        rates = np.zeros(tree.coordinates, complex)
        rates[free] = chance.normal(size=len(free)) + 1j * chance.normal(size=len(free))
        if dependent:
            rates[list(dependent)] = np.linalg.lstsq(
                jacobian[:, list(dependent)], -jacobian[:, free] @ rates[free], rcond=None
            )[0]
        rows.append(_kinetic_row(mechanism, tree, series, state, rates))
    if any(mechanism.gravity):
        start = tree_configuration(tree, [0j] * tree.coordinates, _RING)
        every = range(len(mechanism.bodies))
        now, then = (
            np.array([one for k in every for one in potential_form(mechanism, at, k)]) for at in (state, start)
        )
        rows.append((now - then).tolist())
    return rows


def _kinetic_row(
    mechanism: Mechanism, tree: SpanningTree, series: list[complex], state: Configuration, rates: NDArray[np.complex128]
) -> list[complex]:
    """Return twice the kinetic energy of a unit of each parameter."""
    twists = coordinate_twists(tree, series, _RING, state)
    row: list[complex] = []
    for body in range(len(mechanism.bodies)):
        spin, velocity = [0j] * 3, [0j] * 3
        for coordinate in tree.path(body):
            moved = moved_twist(twists[coordinate], state.positions[body], _RING)
            for total, vector in zip((spin, velocity), moved, strict=True):
                for k in range(3):
                    total[k] += rates[coordinate] * (vector[k] if vector is not None else 0)
        twist = [*in_body_axes(mechanism, state, body, spin), *in_body_axes(mechanism, state, body, velocity)]
        row += energy_form(twist, twist)
    return row


def potential_form(mechanism: Mechanism, state: Configuration, body: int) -> list[Any]:
    """Return the potential energy of a body as a form in its parameters: −g·p, and −g in body axes."""
    ring = state.ring
    pull = [ring.constant(-value) for value in mechanism.gravity]
    mass = ring.sum_of_products(pull, state.positions[body])
    return [mass, *in_body_axes(mechanism, state, body, pull), *[ring.zero] * 6]


def _numerical_rank(matrix: NDArray[np.complex128], findings: Findings) -> tuple[int, float]:
    """Return the rank and a bound between the singular values; without a gap the rank is rejected."""
    if not matrix.size:
        return 0, 0.0
    values = np.linalg.svd(matrix, compute_uv=False)
    floor = values[0] * np.finfo(float).eps
    ratios = np.maximum(values[:-1], floor) / np.maximum(values[1:], floor)
    if values[-1] > _LEAST_SHARE * values[0]:
        return len(values), 0.0
    rank = int(np.argmax(ratios)) + 1
    gap, below = float(ratios[rank - 1]), float(values[rank] / values[0])
    if gap < _LEAST_GAP or below > _ROUNDING:
        findings.report(
            "MP814",
            f"singular values have no gap down to rounding: value {rank} is {gap:.2g} times the next, which is "
            f"{below:.2g} of the largest (expected less than {_ROUNDING:g})",
        )
        raise TableError(findings)
    return rank, float(np.sqrt(max(values[rank], floor) * values[rank - 1]))
