"""Combinations of parameters without effect that follow from the structure alone.

Inertia transfers (Ros, Plaza, Iriarte, Pintor 2015): masses and their moments at points or in directions that move the
same way in both bodies of a joint may pass from one to the other: the point of a ball or universal joint (monopole),
the points of the axis of a revolute joint (monopole, dipole, quadrupole), directions between bodies that slide.
Restricted motion: a body whose paths to the ground permit only some twists, such as planar ones, has parameters without
effect.
The number of base parameters found is an upper bound: coincidences of dimensions are not seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from massprops_cli.mechanisms.inertia_forms import (
    common_span,
    energy_form,
    generated_algebra,
    gravity_form,
    joint_twists,
    product_parameters,
)
from massprops_cli.mechanisms.model import (
    GROUND,
    IDENTITY,
    ZERO_VECTOR,
    Joint,
    Matrix,
    Mechanism,
    Vector,
    cross_product,
    perpendicular_vectors,
    rotated_vector,
    transposed_matrix,
    vector_sum,
)
from massprops_cli.mechanisms.row_reduction import Grouping, grouping_of_null_space, null_space, reduced_rows
from massprops_cli.mechanisms.tree import joint_axis, joint_point

_MOST_PATHS = 200
_MOST_EXTENSIONS = 5000
"""Bounds of the search for paths; a path that is not found only makes the upper bound less sharp."""
_FULL_DIMENSION = 6  # of the algebra of all rigid motions


_Path = Sequence[tuple[Joint, int]]
"""Joints from a body to the ground, each with the side on which the path enters it."""


def restricted_bodies(mechanism: Mechanism) -> dict[int, list[list[tuple[int, int]]]]:
    """Return the bodies whose joints to the ground restrict them to a subgroup of the rigid motions."""
    numbers = {id(joint): number for number, joint in enumerate(mechanism.joints)}
    found = {}
    for body in range(len(mechanism.bodies)):
        paths = [
            [(numbers[id(joint)], side) for joint, side in path]
            for path in _paths(mechanism, body)
            if len(generated_algebra(_path_twists(mechanism, body, path))) < _FULL_DIMENSION
        ]
        if paths:
            found[body] = paths
    return found


def structural_grouping(
    mechanism: Mechanism, order: Sequence[int], restricted: dict[int, list[list[tuple[int, int]]]]
) -> Grouping:
    """Return the base parameters that the structure alone gives."""
    vectors = [vector for joint in mechanism.joints for vector in _transfers(mechanism, joint)]
    for body, numbered in restricted.items():
        paths = [[(mechanism.joints[number], side) for number, side in path] for path in numbered]
        vectors += _ineffective(mechanism, body, paths)
    return grouping_of_null_space(order, vectors)


def _transfers(mechanism: Mechanism, joint: Joint) -> Iterator[list[Any]]:
    """Return the transfers of a joint: added to the second body, removed from the first."""
    sides = [_alike_points(mechanism, joint, side) for side in (0, 1)]
    for first in range(len(sides[0])):
        for second in range(first, len(sides[0])):
            vector: list[Any] = [Fraction(0)] * (10 * len(mechanism.bodies))
            for side, sign in ((0, -1), (1, 1)):
                body = joint.bodies[side]
                if body != GROUND:
                    form = product_parameters(sides[side][first], sides[side][second])
                    vector[10 * body : 10 * body + 10] = [sign * value for value in form]
            yield vector


def _alike_points(mechanism: Mechanism, joint: Joint, side: int) -> list[list[Any]]:
    """Return the homogeneous points that move alike in both bodies of a joint, in the frame of one of them."""
    turn = transposed_matrix(mechanism.pose(joint.bodies[side])[1])
    axis = rotated_vector(turn, joint_axis(mechanism, joint, 0))
    units = [rotated_vector(turn, unit) for unit in IDENTITY]
    point = [*joint.points[side], Fraction(1)]
    directions = [[*unit, Fraction(0)] for unit in units]
    if joint.kind == "fixed":
        other = _ground_point_in(mechanism, joint, side)
        return [*directions, [*other, Fraction(1)]]
    if joint.kind in ("S", "U"):
        return [point]
    if joint.kind == "R":
        return [point, [*axis, Fraction(0)]]
    if joint.kind == "P":
        return directions
    return [] if joint.kind == "free" else [[*axis, Fraction(0)]]


def _ground_point_in(mechanism: Mechanism, joint: Joint, side: int) -> Vector:
    """Return the first body's point of a fixed joint in the frame of one of its bodies."""
    if side == 0:
        return joint.points[0]
    return vector_sum(joint.points[1], _gap(mechanism, joint, 1), -1)


def _gap(mechanism: Mechanism, joint: Joint, side: int) -> Vector:
    """Return the second point of a joint less its first, at the pose, in the axes of one of its bodies."""
    if joint.kind in ("R", "S", "U"):
        return ZERO_VECTOR
    gap = vector_sum(joint_point(mechanism, joint, 1), joint_point(mechanism, joint, 0), -1)
    return rotated_vector(transposed_matrix(mechanism.pose(joint.bodies[side])[1]), gap)


def _ineffective(mechanism: Mechanism, body: int, paths: Sequence[_Path]) -> list[list[Any]]:
    """Return the combinations of the parameters of one body that are without effect in its restricted motion."""
    algebra: list[list[Any]] = []
    for path in paths:
        found = generated_algebra(_path_twists(mechanism, body, path))
        algebra = common_span(algebra, found, _FULL_DIMENSION) if algebra else found
    gravity = rotated_vector(transposed_matrix(mechanism.pose(body)[1]), mechanism.gravity)
    pulls = _pulls(gravity, algebra)
    forms = [energy_form(a, b) for i, a in enumerate(algebra) for b in algebra[i:]]
    forms += [gravity_form(twist, (pull[0], pull[1], pull[2])) for pull in pulls for twist in algebra]
    zero = [Fraction(0)] * 10
    count = len(mechanism.bodies)
    return [[*zero * body, *vector, *zero * (count - 1 - body)] for vector in null_space(forms, 10)]


def _pulls(gravity: Vector, algebra: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Return the span of the directions that gravity gets in the body: invariant under its rotations."""
    if not any(gravity):
        return []
    basis = [list(gravity)]
    while True:
        turned = [
            list(cross_product((one[0], one[1], one[2]), (pull[0], pull[1], pull[2])))
            for one in algebra
            for pull in basis
        ]
        wider = reduced_rows([*basis, *turned])[1]
        if len(wider) == len(basis):
            return basis
        basis = wider


def _paths(mechanism: Mechanism, body: int) -> list[list[tuple[Joint, int]]]:
    """Return simple paths from a body to the ground: joints, each with the side on which the path enters it."""
    found: list[list[tuple[Joint, int]]] = []
    open_paths: list[tuple[int, frozenset[int], list[tuple[Joint, int]]]] = [(body, frozenset({body}), [])]
    for _ in range(_MOST_EXTENSIONS):
        if not open_paths or len(found) == _MOST_PATHS:
            break
        last, seen, path = open_paths.pop(0)
        for joint in mechanism.joints:
            for side in (0, 1):
                after = joint.bodies[1 - side]
                if joint.bodies[side] != last or after in seen or joint.kind == "free":
                    continue
                longer = [*path, (joint, side)]
                if after == GROUND:
                    found.append(longer)
                # two balls at different points permit every motion
                elif sum(one.kind in ("S", "U") for one, _ in longer) <= 1:
                    open_paths.append((after, seen | {after}, longer))
    return found


def _path_twists(mechanism: Mechanism, body: int, path: _Path) -> list[list[Any]]:
    """Return the twists of all joints of a path in the frame of the body at its beginning."""
    turn = transposed_matrix(mechanism.pose(body)[1])
    rotation: Matrix = IDENTITY
    origin: Vector = ZERO_VECTOR
    twists = []
    for joint, side in path:
        point = vector_sum(origin, rotated_vector(rotation, joint.points[side]))
        axis = rotated_vector(turn, joint_axis(mechanism, joint, 0))
        slides: Sequence[Vector] = ()
        if joint.kind in ("P", "C"):
            slides = (axis,)
        elif joint.kind == "planar":
            slides = perpendicular_vectors(axis)
        twists += joint_twists(joint.kind, point, axis, slides, joint.pitch)
        after = joint.bodies[1 - side]
        rotation = _product(turn, mechanism.pose(after)[1])
        gap = rotated_vector(_product(turn, mechanism.pose(joint.bodies[0])[1]), _gap(mechanism, joint, 0))
        beyond = vector_sum(point, gap, 1 if side == 0 else -1)
        origin = vector_sum(beyond, rotated_vector(rotation, joint.points[1 - side]), -1)
    return twists


def _product(a: Matrix, b: Matrix) -> Matrix:
    """Return the product of two matrices."""
    rows = [rotated_vector(transposed_matrix(b), row) for row in a]
    return rows[0], rows[1], rows[2]
