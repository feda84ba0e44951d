"""Random motions of a mechanism as power series over a prime field from its exact pose, by Newton's method."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from massprops_cli.mechanisms import model
from massprops_cli.mechanisms.prime_field import reduced_rows_modulo, series_ring

_Ring = Any  # a ring of series, or another one with its methods, such as the complex numbers
_Rows = tuple[Sequence[Any], Sequence[Any], Sequence[Any]]
_CoordinateTwist = tuple[Sequence[Any] | None, Sequence[Any] | None, Sequence[Any] | None]
"""The velocity of a coordinate: rotation, the point that it is about, translation; None where it has none."""
_MovedTwist = tuple[Sequence[Any] | None, Sequence[Any]]  # rotation, None where there is none, and velocity of a point
_Functional = tuple[Sequence[Any] | None, Sequence[Any] | None]
"""The derivative of a closure equation as functional of the relative twist at a point: of rotation, or translation."""


class OperatorRing:
    """A ring whose elements Python's operators combine, and need no reduction."""

    has_angles = False
    zero: Any
    one: Any

    def reduce(self, value: Any) -> Any:
        """Return the element unchanged; only residues are reduced."""
        return value

    def minus(self, value: Any) -> Any:
        """Return the negative of an element."""
        return -value

    def multiply(self, a: Any, b: Any) -> Any:
        """Return the product of two elements."""
        return a * b

    def sum_of_products(self, a: Sequence[Any], b: Sequence[Any]) -> Any:
        """Return the scalar product of two vectors, without conjugation."""
        return sum((x * y for x, y in zip(a, b, strict=True)), self.zero)

    def cross(self, a: Sequence[Any], b: Sequence[Any]) -> list[Any]:
        """Return the vector product of two vectors."""
        return [a[i] * b[j] - a[j] * b[i] for i, j in ((1, 2), (2, 0), (0, 1))]


@dataclass
class Configuration:
    """The poses of all bodies as series, in internal frames."""

    ring: _Ring
    rotations: dict[int, _Rows]
    positions: dict[int, Sequence[Any]]


class MotionGenerator:
    """Random motions of one mechanism over one prime."""

    def __init__(
        self, tree: model.SpanningTree, exponent: int, generator: random.Random, order: Sequence[int] | None = None
    ) -> None:
        """Find the independent coordinates, if possible the last of an order, and closure equations at the pose."""
        ring = series_ring(exponent, 1)
        self._tree, self._exponent, self._generator = tree.converted(ring.constant), exponent, generator
        pose = [ring.zero] * tree.coordinates
        rows, _ = closure_jacobian(self._tree, pose, ring, tree_configuration(self._tree, pose, ring))
        jacobian = [[int(value) % ring.prime for value in row] for row in rows]
        self._equations = reduced_rows_modulo([list(column) for column in zip(*jacobian, strict=True)], exponent)[0]
        columns = range(tree.coordinates) if order is None else order
        rows = [[jacobian[row][column] for column in columns] for row in self._equations]
        self.dependent = [columns[pivot] for pivot in reduced_rows_modulo(rows, exponent)[0]]
        self.degrees_of_freedom = tree.coordinates - len(self.dependent)

    def motion(self, terms: int) -> Configuration:
        """Return a random motion through the pose, with all closure equations checked to the last term."""
        full = series_ring(self._exponent, terms)
        free = [full.random(self._generator) for _ in range(self._tree.coordinates)]
        for column in self.dependent:
            free[column] = full.zero
        known = 1
        while self.dependent and known < terms:
            self._correct(free, known, min(2 * known, terms))
            known = min(2 * known, terms)
        found = tree_configuration(self._tree, free, full)
        opened: dict[str, int] = {}
        for loop in self._tree.loops:
            for residual, _ in _closures(loop, full, found):
                power = next((power for power, value in enumerate(full.unpack(residual)) if value), terms)
                if power < terms:
                    opened[loop.name] = min(power, opened.get(loop.name, terms))
        if opened:
            raise model.SingularPoseError(opened)
        return found

    def _correct(self, series: list[Any], known: int, terms: int) -> None:
        """Extend the dependent coordinates from ``known`` correct terms to at most twice as many."""
        ring, small = series_ring(self._exponent, terms), series_ring(self._exponent, terms - known)
        cut = [ring.truncate(one) for one in series]
        state = tree_configuration(self._tree, cut, ring)
        residuals = closure_residuals(self._tree, ring, state)
        short = Configuration(
            small,
            {body: tuple([small.truncate(v) for v in row] for row in rows) for body, rows in state.rotations.items()},  # type: ignore[misc] # three
            {body: [small.truncate(value) for value in point] for body, point in state.positions.items()},
        )
        jacobian, _ = closure_jacobian(self._tree, [small.truncate(one) for one in cut], small, short)
        system = [
            [*(jacobian[row][column] for column in self.dependent), small.minus(residuals[row] >> (known * ring.width))]
            for row in self._equations
        ]
        for column, change in zip(self.dependent, _solve(system, small), strict=True):
            series[column] += change << (known * ring.width)


def tree_configuration(tree: model.SpanningTree, series: Sequence[Any], ring: _Ring) -> Configuration:
    """Return the poses of all bodies for given coordinates."""
    rotations: dict[int, _Rows] = {model.GROUND: _units(ring)}
    positions: dict[int, Sequence[Any]] = {model.GROUND: [ring.zero] * 3}
    for joint in tree.joints:
        parent = rotations[joint.parent]
        child = _rotated(parent, joint, series, ring)
        arm = list(joint.parent_arm)
        for direction, coordinate in zip(joint.slides, joint.coordinates, strict=False):
            for index, value in enumerate(direction):
                if value:
                    arm[index] = ring.reduce(arm[index] + value * series[coordinate])
        if joint.kind == "helical":
            # its pitch times twice the integral of du/(1 + |a|²u²), along the axis
            angle = series[joint.first]
            if not ring.has_angles:
                vector = [ring.multiply(value, angle) for value in joint.axis]
                angle = ring.integral(ring.multiply(2 * _shrinkage(vector, ring), ring.derivative(angle)))
            advance = ring.multiply(angle, joint.pitch)
            arm = [ring.reduce(a + advance * value) for a, value in zip(arm, joint.axis, strict=True)]
        back = [ring.minus(value) for value in joint.child_arm]
        positions[joint.child] = [
            ring.reduce(origin + ring.sum_of_products((*row, *other), (*arm, *back)))
            for origin, row, other in zip(positions[joint.parent], parent, child, strict=True)
        ]
        rotations[joint.child] = child
    return Configuration(ring, rotations, positions)


def _units(ring: _Ring) -> _Rows:
    """Return the three unit vectors."""
    one, zero = ring.one, ring.zero
    return [one, zero, zero], [zero, one, zero], [zero, zero, one]


def closure_jacobian(
    tree: model.SpanningTree, series: Sequence[Any], ring: _Ring, state: Configuration
) -> tuple[list[list[Any]], list[Any]]:
    """Return all closure equations of a tree and their derivatives, redundant ones included."""
    twists = coordinate_twists(tree, series, ring, state)
    rows, residuals = [], []
    for loop in tree.loops:
        second = loop.bodies[1]
        before, after = (tree.path(body) for body in loop.bodies)
        path = dict.fromkeys(after.keys() - before.keys(), 1)
        path |= dict.fromkeys(before.keys() - after.keys(), -1)
        point = _point(state.positions[second], state.rotations[second], loop.arms[1], ring)
        moved = {coordinate: moved_twist(twists[coordinate], point, ring) for coordinate in path}
        for residual, functional in _closures(loop, ring, state):
            row = [ring.zero] * tree.coordinates
            for coordinate, sign in path.items():
                value = _derivative(functional, moved[coordinate], ring)
                row[coordinate] = value if sign > 0 else ring.minus(value)
            rows.append(row)
            residuals.append(residual)
    return rows, residuals


def closure_residuals(tree: model.SpanningTree, ring: _Ring, state: Configuration) -> list[Any]:
    """Return the values of all closure equations."""
    return [residual for loop in tree.loops for residual, _ in _closures(loop, ring, state)]


def _closures(loop: model.LoopJoint, ring: _Ring, state: Configuration) -> list[tuple[Any, _Functional]]:
    """Return the residuals of the closure equations of a loop joint, also redundant ones, with their derivatives."""
    found: list[tuple[Any, _Functional]] = []
    first, second = loop.bodies
    points = [
        _point(state.positions[body], state.rotations[body], arm, ring)
        for body, arm in zip(loop.bodies, loop.arms, strict=True)
    ]
    gap = [ring.reduce(b + ring.minus(a)) for a, b in zip(*points, strict=True)]
    if loop.is_point:
        found += [(value, (None, unit)) for value, unit in zip(gap, _units(ring), strict=True)]
    for inner, outer in loop.perpendicular:
        left = _direction(state.rotations[first], inner, ring)
        right = _direction(state.rotations[second], outer, ring)
        found.append((ring.sum_of_products(left, right), (ring.cross(right, left), None)))
    for slide in loop.slides:
        direction = _direction(state.rotations[first], slide, ring)
        found.append((ring.sum_of_products(direction, gap), (None, direction)))
    return found


def moved_twist(twist: _CoordinateTwist, point: Sequence[Any], ring: _Ring) -> _MovedTwist:
    """Return the rotation of a twist, and the velocity that it gives a point."""
    rotation, own_point, translation = twist
    velocity = [ring.zero] * 3 if translation is None else list(translation)
    if rotation is not None and own_point is not None:
        arm = [ring.reduce(a + ring.minus(b)) for a, b in zip(point, own_point, strict=True)]
        velocity = [ring.reduce(a + b) for a, b in zip(velocity, ring.cross(rotation, arm), strict=True)]
    return rotation, velocity


def _derivative(one: _Functional, moved: _MovedTwist, ring: _Ring) -> Any:
    """Return the derivative of a closure equation by a coordinate that moves its second body."""
    (rotation, translation), (turning, velocity) = one, moved
    if rotation is not None:
        return ring.zero if turning is None else ring.sum_of_products(rotation, turning)
    assert translation is not None
    return ring.sum_of_products(translation, velocity)


def body_twist(mechanism: model.Mechanism, state: Configuration, body: int) -> list[Any]:
    """Return the angular velocity of a body, and the velocity of its origin, in its own axes."""
    ring = state.ring
    columns = list(zip(*state.rotations[body], strict=True))
    rates = [[ring.derivative(value) for value in column] for column in columns]
    spin = [ring.sum_of_products(columns[(k + 2) % 3], rates[(k + 1) % 3]) for k in range(3)]
    velocity = [ring.derivative(value) for value in state.positions[body]]
    return [*_from_internal_axes(mechanism, state, body, spin), *in_body_axes(mechanism, state, body, velocity)]


def in_body_axes(mechanism: model.Mechanism, state: Configuration, body: int, vector: Sequence[Any]) -> list[Any]:
    """Turn a vector from ground axes to the axes of a body."""
    turned = [state.ring.sum_of_products(column, vector) for column in zip(*state.rotations[body], strict=True)]
    return _from_internal_axes(mechanism, state, body, turned)


def _from_internal_axes(
    mechanism: model.Mechanism, state: Configuration, body: int, vector: Sequence[Any]
) -> list[Any]:
    """Turn a vector from internal axes, which are parallel to the ground at the pose, to the axes of a body."""
    rows, ring = model.transposed_matrix(mechanism.bodies[body].rotation), state.ring
    return [ring.sum_of_products([ring.constant(value) for value in row], vector) for row in rows]


def coordinate_twists(
    tree: model.SpanningTree, series: Sequence[Any], ring: _Ring, state: Configuration
) -> list[_CoordinateTwist]:
    """Return the velocity that a unit rate of each coordinate gives the bodies beyond its joint."""
    found: list[_CoordinateTwist] = []
    for joint in tree.joints:
        parent, child = state.rotations[joint.parent], state.rotations[joint.child]
        point = _point(state.positions[joint.child], child, joint.child_arm, ring)
        found += [(None, None, _direction(parent, slide, ring)) for slide in joint.slides]
        rotations = joint.coordinates[len(joint.slides) :]
        if joint.kind in ("S", "free"):
            found += [(one, point, None) for one in _ball_rates(parent, [series[k] for k in rotations], ring)]
            continue
        for number, coordinate in enumerate(rotations):
            rows, axis = (parent, joint.axis) if number == 0 else (child, joint.child_axis)
            rate = _direction(rows, axis, ring)
            if not ring.has_angles:
                scale = 2 * _shrinkage([ring.multiply(v, series[coordinate]) for v in axis], ring)
                rate = [ring.multiply(scale, value) for value in rate]
            advance = [ring.multiply(joint.pitch, value) for value in rate] if joint.kind == "helical" else None
            found.append((rate, point, advance))
    return found


def _ball_rates(parent: _Rows, vector: Sequence[Any], ring: _Ring) -> list[list[Any]]:
    """Return the angular velocities of the three coordinates of a ball: 2(e + u × e)/(1 + u²) in the parent."""
    scale = 2 * _shrinkage(vector, ring)
    found = []
    for unit in _units(ring):
        rate = [ring.multiply(scale, a + b) for a, b in zip(unit, ring.cross(vector, unit), strict=True)]
        found.append([ring.sum_of_products(row, rate) for row in parent])
    return found


def _shrinkage(vector: Sequence[Any], ring: _Ring) -> Any:
    """Return 1/(1 + |u|²)."""
    return ring.inverse(ring.reduce(ring.one + ring.sum_of_products(vector, vector)))


def _rotated(parent: _Rows, joint: model.TreeJoint, series: Sequence[Any], ring: _Ring) -> _Rows:
    """Return the rotation of the child of a joint."""
    if not (turns := joint.coordinates[len(joint.slides) :]):
        return parent
    if joint.kind in ("S", "free"):
        return _turned(parent, [series[coordinate] for coordinate in turns], ring)
    rows = parent
    for axis, coordinate in zip((joint.axis, joint.child_axis), turns, strict=False):
        if ring.has_angles:
            rows = _turned_by_angle(rows, axis, series[coordinate], ring)
        else:
            rows = _turned(rows, [ring.multiply(value, series[coordinate]) for value in axis], ring)
    return rows


def _turned(rows: _Rows, vector: Sequence[Any], ring: _Ring) -> _Rows:
    """Return rows times the rotation of the quaternion (1, u): r + 2(r × u + (r × u) × u)/(1 + u²)."""
    scale = 2 * _shrinkage(vector, ring)
    found = []
    for row in rows:
        once = ring.cross(row, vector)
        twice = ring.cross(once, vector)
        found.append([ring.reduce(r + scale * (a + b)) for r, a, b in zip(row, once, twice, strict=True)])
    return found[0], found[1], found[2]


def _turned_by_angle(rows: _Rows, axis: Sequence[Any], angle: Any, ring: _Ring) -> _Rows:
    """Return rows times the rotation about a unit vector: r + sin φ r × a + (1 − cos φ) (r × a) × a."""
    sine, rest = ring.sine(angle), ring.one - ring.cosine(angle)
    found = []
    for row in rows:
        once = ring.cross(row, axis)
        found.append([r + sine * a + rest * b for r, a, b in zip(row, once, ring.cross(once, axis), strict=True)])
    return found[0], found[1], found[2]


def _direction(rows: _Rows, vector: model.Vector, ring: _Ring) -> list[Any]:
    """Return a direction of a body in ground axes."""
    return [ring.sum_of_products(row, vector) for row in rows]


def _point(position: Sequence[Any], rows: _Rows, arm: model.Vector, ring: _Ring) -> list[Any]:
    """Return a point of a body in ground axes."""
    return [ring.reduce(a + b) for a, b in zip(position, _direction(rows, arm, ring), strict=True)]


def _solve(system: list[list[Any]], ring: _Ring) -> list[Any]:
    """Solve a square system of series, given with its right-hand side, by elimination with invertible pivots."""
    size = len(system)
    first = (1 << ring.width) - 1
    for column in range(size):
        pivot = next(row for row in range(column, size) if int(system[row][column] & first) % ring.prime)
        system[column], system[pivot] = system[pivot], system[column]
        inverse = ring.inverse(system[column][column])
        top = system[column] = [ring.multiply(value, inverse) if value else value for value in system[column]]
        for row in range(column + 1, size):
            if system[row][column]:
                negative = ring.minus(system[row][column])
                pairs = zip(system[row][column + 1 :], top[column + 1 :], strict=True)
                changed = (ring.reduce(value + negative * above) if above else value for value, above in pairs)
                system[row] = [*system[row][:column], ring.zero, *changed]
    for column in range(size - 1, 0, -1):
        for row in range(column):
            change = ring.multiply(ring.minus(system[row][column]), system[column][-1])
            system[row][-1] = ring.reduce(system[row][-1] + change)
    return [row[-1] for row in system]
