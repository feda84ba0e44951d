"""Grouping of parameters by rules of the structure: open chains, and what holds for any trajectory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from massprops_cli.mechanisms import inertia_forms, model, prime_field

_Rows = list[list[Any]]
_Observed = tuple[_Rows, _Rows]
"""Of one body, in ground axes about the ground's origin: its velocities, and its observable combinations."""
_MOST_PATHS = 200
_MOST_EXTENSIONS = 5000
"""Bounds of the search for paths; a path that is not found only makes the upper bound less sharp."""
_FULL_DIMENSION = 6  # of the algebra of all rigid motions
_Path = Sequence[tuple[model.Joint, int]]
"""Joints from a body to the ground, each with the side on which the path enters it."""


def open_chain_grouping(mechanism: model.Mechanism, order: Sequence[int]) -> prime_field.Grouping:
    """Return the base parameters of a mechanism without loops."""
    number = prime_field.exact_number()
    # of each body the matrix from parameters in the ground frame to those in its own
    moves = []
    for one in mechanism.bodies:
        back = model.transposed_matrix(one.rotation)
        offset = model.rotated_vector(back, model.vector_sum(model.ZERO_VECTOR, one.position, -1))
        moves.append([[number(value) for value in row] for row in inertia_forms.moved_inertia(back, offset)])
    vectors: _Rows = []
    for joint, rows in _conditions(mechanism, number):
        # what passes to the parent unobserved, and what the parent then shows of it
        sides = [(body, sign) for body, sign in ((joint.child, 1), (joint.parent, -1)) if body != model.GROUND]
        columns = sorted((10 * body + k for body, _ in sides for k in range(10)), key=order.index, reverse=True)
        place = {column: at for at, column in enumerate(columns)}
        found: _Rows = []
        for given in prime_field.null_space(rows or [[number(0)] * 10], 10):
            vector = [number(0)] * len(columns)
            for body, sign in sides:
                for k, row in enumerate(moves[body]):
                    vector[place[10 * body + k]] = sign * sum(a * b for a, b in zip(row, given, strict=True))
            found.append(vector)
        # in the frames of two bodies the numbers are short, and remain so in the reduction of all
        for reduced in prime_field.reduced_rows(found)[1]:
            whole = [Fraction(0)] * (10 * len(mechanism.bodies))
            for column, value in zip(columns, reduced, strict=True):
                if value:
                    whole[column] = prime_field.plain_fraction(value)
            vectors.append(whole)
    return prime_field.grouping_of_null_space(order, vectors)


def open_chain_count(mechanism: model.Mechanism) -> int:
    """Return the number of base parameters of a mechanism without loops."""
    conditions = _conditions(mechanism, prime_field.exact_number())
    return sum(len(prime_field.reduced_rows(rows)[1]) for _, rows in conditions)


def _conditions(mechanism: model.Mechanism, number: Callable[[Any], Any]) -> Iterator[tuple[model.TreeJoint, _Rows]]:
    """Yield the joints outwards, with the conditions for what passes from the child to the parent unobserved."""
    gravity = [number(0)] * 3 + [number(value) for value in mechanism.gravity]
    observed: dict[int, _Observed] = {model.GROUND: ([gravity] if any(mechanism.gravity) else [], [])}
    for joint in model.spanning_tree(mechanism).converted(number).joints:
        x, y, z = map(number, mechanism.bodies[joint.child].position)
        rows, observed[joint.child] = _observe((x, y, z), joint, observed[joint.parent])
        yield joint, rows


def _observe(origin: model.Vector, joint: model.TreeJoint, parent: _Observed) -> tuple[_Rows, _Observed]:
    """Return the conditions for a transfer to the parent, and what is observed of the child."""
    point = model.vector_sum(origin, joint.child_arm)
    conditions: _Rows = []
    velocities, combinations = parent
    if joint.kind == "U":  # a chain of joints with one degree of freedom, from the parent outwards
        twists = [inertia_forms.line_twist(axis, point) for axis in (joint.axis, joint.child_axis)]
    else:
        twists = inertia_forms.joint_twists(joint.kind, point, joint.axis, joint.slides, joint.pitch)
    for twist in twists:
        velocities = inertia_forms.invariant_span([*velocities, twist], [twist])
        # derivative of the parameters of a body that moves by a twist, as seen in a frame at rest
        zero = 0 * twist[0]
        columns = [_rate([zero + (index == other) for other in range(10)], twist) for index in range(10)]
        rate = [list(row) for row in zip(*columns, strict=True)]
        changed = _invariant_rows([_times(row, rate) for row in combinations], rate)
        momentum = [inertia_forms.energy_form(twist, velocity) for velocity in velocities]
        conditions = _invariant_rows([*conditions, *changed, *momentum], rate)
        combinations = prime_field.reduced_rows([*combinations, *conditions])[1]
    return conditions, (velocities, combinations)


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
    return inertia_forms.closed_span(rows, lambda basis: [_times(row, matrix) for row in basis])


def restricted_bodies(mechanism: model.Mechanism) -> dict[int, list[list[tuple[int, int]]]]:
    """Return the bodies whose joints to the ground restrict them to a subgroup of the rigid motions."""
    numbers = {id(joint): number for number, joint in enumerate(mechanism.joints)}
    found = {}
    for body in range(len(mechanism.bodies)):
        paths = [
            [(numbers[id(joint)], side) for joint, side in path]
            for path in _paths(mechanism, body)
            if len(inertia_forms.generated_algebra(_path_twists(mechanism, body, path))) < _FULL_DIMENSION
        ]
        if paths:
            found[body] = paths
    return found


def structural_grouping(
    mechanism: model.Mechanism, order: Sequence[int], restricted: dict[int, list[list[tuple[int, int]]]]
) -> prime_field.Grouping:
    """Return the base parameters that the structure alone gives."""
    vectors = [vector for joint in mechanism.joints for vector in _transfers(mechanism, joint)]
    for body, numbered in restricted.items():
        paths = [[(mechanism.joints[number], side) for number, side in path] for path in numbered]
        vectors += _ineffective(mechanism, body, paths)
    return prime_field.grouping_of_null_space(order, vectors)


class JointTransfer(NamedTuple):
    """What a joint lets pass between its bodies unobserved: the donor loses ``parameters``, the acceptor gets them."""

    joint: str
    kind: str
    donor: str
    acceptor: str
    condition: str
    multipole: str
    parameters: dict[str, Fraction]  # change of each parameter of both bodies


_CONDITIONS = {
    "R": "points of the axis move alike in both bodies",
    "S": "the joint point moves alike in both bodies",
    "U": "the joint point moves alike in both bodies",
    "P": "directions are the same in both bodies",
    "fixed": "all points move alike in both bodies",
}
_MULTIPOLES = ("monopole: a mass at the point", "dipole: a first moment", "quadrupole: a second moment")
"""By the number of directions in the product of two points: docs/internals/mechanism_methods.md."""


def joint_transfers(mechanism: model.Mechanism) -> Iterator[JointTransfer]:
    """Yield the transfers of each joint, from the second body to the first; a free joint has none."""
    names, bodies = mechanism.parameter_names, [*(body.name for body in mechanism.bodies), "ground"]
    for joint in mechanism.joints:
        condition = _CONDITIONS.get(joint.kind, "the direction of the axis is the same in both bodies")
        points = [int(point[3] == 0) for point in _alike_points(mechanism, joint, 0)]
        counts = [one + other for k, one in enumerate(points) for other in points[k:]]
        acceptor, donor = (bodies[body] for body in joint.bodies)
        for count, vector in zip(counts, _transfers(mechanism, joint), strict=True):
            found = {name: -value for name, value in zip(names, vector, strict=True) if value}
            yield JointTransfer(joint.name, joint.kind, donor, acceptor, condition, _MULTIPOLES[count], found)


def _transfers(mechanism: model.Mechanism, joint: model.Joint) -> Iterator[list[Any]]:
    """Return the transfers of a joint: added to the second body, removed from the first."""
    sides = [_alike_points(mechanism, joint, side) for side in (0, 1)]
    for first in range(len(sides[0])):
        for second in range(first, len(sides[0])):
            vector: list[Any] = [Fraction(0)] * (10 * len(mechanism.bodies))
            for side, sign in ((0, -1), (1, 1)):
                if (body := joint.bodies[side]) != model.GROUND:
                    form = inertia_forms.product_parameters(sides[side][first], sides[side][second])
                    vector[10 * body : 10 * body + 10] = [sign * value for value in form]
            yield vector


def _alike_points(mechanism: model.Mechanism, joint: model.Joint, side: int) -> list[list[Any]]:
    """Return the homogeneous points that move alike in both bodies of a joint, in the frame of one of them."""
    turn = model.transposed_matrix(mechanism.pose(joint.bodies[side])[1])
    axis = model.rotated_vector(turn, model.joint_axis(mechanism, joint, 0))
    units = [model.rotated_vector(turn, unit) for unit in model.IDENTITY]
    point = [*joint.points[side], Fraction(1)]
    directions = [[*unit, Fraction(0)] for unit in units]
    if joint.kind == "fixed":
        first = joint.points[0] if side == 0 else model.vector_sum(joint.points[1], _gap(mechanism, joint, 1), -1)
        return [*directions, [*first, Fraction(1)]]
    if joint.kind in ("S", "U"):
        return [point]
    if joint.kind == "R":
        return [point, [*axis, Fraction(0)]]
    if joint.kind == "P":
        return directions
    return [] if joint.kind == "free" else [[*axis, Fraction(0)]]


def _gap(mechanism: model.Mechanism, joint: model.Joint, side: int) -> model.Vector:
    """Return the second point of a joint less its first, at the pose, in the axes of one of its bodies."""
    if joint.kind in ("R", "S", "U"):
        return model.ZERO_VECTOR
    gap = model.vector_sum(model.joint_point(mechanism, joint, 1), model.joint_point(mechanism, joint, 0), -1)
    return model.rotated_vector(model.transposed_matrix(mechanism.pose(joint.bodies[side])[1]), gap)


def _ineffective(mechanism: model.Mechanism, body: int, paths: Sequence[_Path]) -> list[list[Any]]:
    """Return the combinations of the parameters of one body that are without effect in its restricted motion."""
    algebra: list[list[Any]] = []
    for path in paths:
        found = inertia_forms.generated_algebra(_path_twists(mechanism, body, path))
        algebra = inertia_forms.common_span(algebra, found, _FULL_DIMENSION) if algebra else found
    gravity = model.rotated_vector(model.transposed_matrix(mechanism.pose(body)[1]), mechanism.gravity)
    # the span of the directions that gravity gets in the body is invariant under its rotations
    pulls = inertia_forms.closed_span(
        [gravity] if any(gravity) else [],
        lambda basis: [[*model.cross_product(_three(one), _three(pull))] for one in algebra for pull in basis],
    )
    forms = [inertia_forms.energy_form(a, b) for i, a in enumerate(algebra) for b in algebra[i:]]
    forms += [inertia_forms.gravity_form(twist, _three(pull)) for pull in pulls for twist in algebra]
    zero = [Fraction(0)] * 10
    count = len(mechanism.bodies)
    return [[*zero * body, *vector, *zero * (count - 1 - body)] for vector in prime_field.null_space(forms, 10)]


def _three(values: Sequence[Any]) -> model.Vector:
    """Return the first three numbers."""
    return values[0], values[1], values[2]


def _paths(mechanism: model.Mechanism, body: int) -> list[list[tuple[model.Joint, int]]]:
    """Return simple paths from a body to the ground: joints, each with the side on which the path enters it."""
    found: list[list[tuple[model.Joint, int]]] = []
    open_paths: list[tuple[int, frozenset[int], list[tuple[model.Joint, int]]]] = [(body, frozenset({body}), [])]
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
                if after == model.GROUND:
                    found.append(longer)
                # two balls at different points permit every motion
                elif sum(one.kind in ("S", "U") for one, _ in longer) <= 1:
                    open_paths.append((after, seen | {after}, longer))
    return found


def _path_twists(mechanism: model.Mechanism, body: int, path: _Path) -> list[list[Any]]:
    """Return the twists of all joints of a path in the frame of the body at its beginning."""
    turn = model.transposed_matrix(mechanism.pose(body)[1])
    rotation: model.Matrix = model.IDENTITY
    origin: model.Vector = model.ZERO_VECTOR
    twists = []
    for joint, side in path:
        point = model.vector_sum(origin, model.rotated_vector(rotation, joint.points[side]))
        axis = model.rotated_vector(turn, model.joint_axis(mechanism, joint, 0))
        twists += inertia_forms.joint_twists(joint.kind, point, axis, model.joint_slides(joint.kind, axis), joint.pitch)
        rotation = model.matrix_product(turn, mechanism.pose(joint.bodies[1 - side])[1])
        gap = model.rotated_vector(
            model.matrix_product(turn, mechanism.pose(joint.bodies[0])[1]), _gap(mechanism, joint, 0)
        )
        beyond = model.vector_sum(point, gap, 1 if side == 0 else -1)
        origin = model.vector_sum(beyond, model.rotated_vector(rotation, joint.points[1 - side]), -1)
    return twists
