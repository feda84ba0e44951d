"""Positions, velocities and accelerations of all bodies for given motions of the independent coordinates."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from massprops_cli.findings.finding import Findings, TableError
from massprops_cli.mechanisms import motion
from massprops_cli.mechanisms.model import Mechanism, SpanningTree, Vector, spanning_tree
from massprops_cli.mechanisms.observation.numerical_rank import RealNumbers, TaylorNumber

_LARGEST_STEP = 0.1
"""Radians, and shares of the size of the mechanism, between two corrections on the way from the pose to a sample."""
_MOST_STEPS = 2000  # from the pose to a sample
_MOST_CORRECTIONS = 30  # Newton steps at a sample
_CLOSED = 1e-11  # share of the size within which a sample in doubles is closed
_DIVERGED = 2.0  # radians, and shares of the size, beyond which a step is a jump to another assembly
_SINGULAR = 1e-8  # ratio of the singular values of the closure equations below which a sample is singular
_ARRAYS = NDArray[Any]
_COORDINATE_LABELS = {
    "C": ("d", "a"), "U": ("1", "2"), "S": ("wx", "wy", "wz"), "planar": ("x", "y", "a"), "fixed": (),
    "free": ("vx", "vy", "vz", "wx", "wy", "wz"),
}  # fmt: skip
"""Labels of the coordinates of a joint, translations first; joints with one coordinate have none."""


@dataclass(frozen=True)
class CoordinateTree:
    """The spanning tree, axes of unit length, and its coordinates; spherical ones are 2·tan(φ/2) times the axis."""

    mechanism: Mechanism
    exact: SpanningTree
    names: tuple[str, ...]
    is_rotation: tuple[bool, ...]

    @cached_property
    def size(self) -> float:
        """The largest distance of a joint point from the frame of its body."""
        arms = [arm for joint in self.exact.joints for arm in (joint.parent_arm, joint.child_arm)]
        arms += [arm for loop in self.exact.loops for arm in loop.arms]
        return max((sum(float(one) ** 2 for one in arm) ** 0.5 for arm in arms), default=0.0) or 1.0

    @cached_property
    def unit(self) -> float:
        """The unit of length of all computations: a power of two near the size."""
        return 2.0 ** round(math.log2(self.size))

    def with_numbers(self, numbers: RealNumbers) -> SpanningTree:
        """Return the tree with constants of a precision, lengths in its unit, and axes and directions of length 1."""
        share = 1 / self.unit

        def direction(vector: Vector) -> Vector:
            x, y, z = map(numbers.constant, vector)
            size = numbers.square_root(numbers.sum_of_products((x, y, z), (x, y, z)))
            return (x / size, y / size, z / size) if any(vector) else (x, y, z)

        return self.exact.converted(numbers.constant, lambda value: numbers.constant(value) * share, direction)

    def dependent_coordinates(self, independent: Sequence[int] = ()) -> list[int]:
        """Return the coordinates that follow from the others at the pose."""
        place = {joint.name: number for number, joint in enumerate(self.mechanism.joints)}
        owners = [joint for joint in self.exact.joints for _ in joint.coordinates]
        order = sorted(
            range(self.exact.coordinates),
            key=lambda k: (k in independent, len(owners[k].coordinates) == 1, -place[owners[k].name], -k),
        )
        return sorted(motion.MotionGenerator(self.exact, 127, random.Random(1), order).dependent)


def coordinate_tree(mechanism: Mechanism, first: Sequence[str] = ()) -> CoordinateTree:
    """Choose the spanning tree, and name its coordinates."""
    tree = spanning_tree(mechanism, first)
    names = [
        f"{joint.name}.{label}" if label else joint.name
        for joint in tree.joints
        for label in _COORDINATE_LABELS.get(joint.kind, ("",))
    ]
    rotates = [k >= len(joint.slides) for joint in tree.joints for k in range(len(joint.coordinates))]
    return CoordinateTree(mechanism, tree, tuple(names), tuple(rotates))


@dataclass(frozen=True)
class LoopMotion:
    """The motion of a mechanism with closed loops, as arrays over the samples."""

    tree: SpanningTree
    numbers: RealNumbers
    independent: tuple[int, ...]
    coordinates: list[TaylorNumber]  # value, rate and half the acceleration
    rates: _ARRAYS  # for a unit rate of each independent coordinate (samples, coordinates, independent)
    samples: int
    residual: float  # largest closure residual, as a share of the size of the mechanism

    @cached_property
    def state(self) -> motion.Configuration:
        """The poses as Taylor series."""
        return motion.tree_configuration(self.tree, self.coordinates, self.numbers)

    def partial_twists(self, body: int) -> list[list[Any]]:
        """Return a body's twists (6 arrays) by unit rates of independent coordinates, about its origin, ground axes."""
        found = []
        origin = self.poses.positions[body]
        moved = {k: motion.moved_twist(self._twists[k], origin, self.numbers) for k in self.tree.path(body)}
        for column in range(len(self.independent)):
            twist: list[Any] = [0] * 6
            for coordinate, one in moved.items():
                for first, vector in zip((0, 3), one, strict=True):
                    for k, value in enumerate(vector or ()):
                        twist[first + k] = twist[first + k] + self.rates[:, coordinate, column] * value
            found.append(twist)
        return found

    @cached_property
    def poses(self) -> motion.Configuration:
        """The poses without derivatives."""
        return motion.tree_configuration(self.tree, [one.terms[0] for one in self.coordinates], self.numbers)

    @cached_property
    def _twists(self) -> list[Any]:
        """The twists of unit rates of all coordinates."""
        return motion.coordinate_twists(self.tree, [one.terms[0] for one in self.coordinates], self.numbers, self.poses)


def loop_motion(
    tree: CoordinateTree,
    independent: Sequence[int],
    samples: tuple[_ARRAYS, _ARRAYS, _ARRAYS, _ARRAYS],
    digits: int,
    closure: float,
    findings: Findings,
) -> LoopMotion:
    """Close loops at samples: times (samples,); values, rates, accelerations (samples, independent), rad or length."""
    # the residual limit is a share of the size, 0 for rounding; TableError for a singular or unreachable sample
    times, values, rates, accelerations = samples
    dependent = [index for index in range(tree.exact.coordinates) if index not in set(independent)]
    given = (times, np.asarray(values), list(independent), dependent)
    placed, residual = _closed_positions(tree, given, closure, findings)
    numbers = RealNumbers(digits)
    with numbers.precision():
        constants = tree.with_numbers(numbers)
        if not numbers.is_double:
            placed = numbers.array(placed)
            placed, residual = _corrected(constants, placed, dependent, numbers, closure * tree.size / tree.unit)
            residual = residual * tree.unit / tree.size
        coordinates = [TaylorNumber((placed[:, k], 0 * placed[:, k], 0 * placed[:, k])) for k in range(placed.shape[1])]
        for column, index in enumerate(independent):
            terms = (rates[:, column], accelerations[:, column] / 2)
            coordinates[index] = TaylorNumber((placed[:, index], *(numbers.array(one) for one in terms)))
        partial, ratios = _rates_of_all(constants, coordinates, list(independent), dependent, numbers, len(times))
    if len(singular := np.flatnonzero(~(ratios > _SINGULAR))):
        message = (
            f"pose is singular at {len(singular)} of {len(times)} samples, first at time {times[singular[0]]:.6g}: "
            f"ratio of the singular values of the closure equations {ratios[singular[0]]:.2g}"
        )
        findings.report("MP847", message, value=f"{times[singular[0]]:.6g}")
        raise TableError(findings)
    return LoopMotion(
        constants, numbers, tuple(independent), coordinates, partial, len(times), float(np.max(residual, initial=0))
    )


def _closed_positions(
    tree: CoordinateTree, given: tuple[_ARRAYS, _ARRAYS, list[int], list[int]], closure: float, findings: Findings
) -> tuple[_ARRAYS, _ARRAYS]:
    """Return all coordinates at all samples in doubles, and the closure residuals of the samples."""
    times, values, independent, dependent = given
    numbers = RealNumbers()
    constants, scale = tree.with_numbers(numbers), tree.size / tree.unit
    sizes = np.array([1.0 if tree.is_rotation[k] else scale for k in independent])
    widest = float(np.abs(values / sizes).max(initial=0))
    steps = min(max(1, math.ceil(widest / _LARGEST_STEP)), _MOST_STEPS)
    placed = np.zeros((len(values), tree.exact.coordinates))
    residual = np.zeros(len(values))
    if not dependent:
        placed[:, independent] = values
        return placed, residual
    for step in range(1, steps + 1):
        before = placed.copy()
        placed[:, independent] = values * (step / steps)
        placed, residual = _corrected(constants, placed, dependent, numbers, closure * scale)
        bound = max(10 * closure, _CLOSED) * scale
        jumps = np.abs(placed - before).max(axis=1, initial=0)
        if (wrong := ~((residual <= bound) & (jumps <= _DIVERGED * max(1.0, scale)))).any():
            sample = int(np.flatnonzero(wrong)[0])
            time, share = float(times[sample]), float(residual[sample]) / scale
            message = (
                f"loops cannot be closed on the way from the pose to {int(wrong.sum())} of {len(times)} samples, "
                f"first to that at time {time:.6g}: closure residual {share:.2g} of the size of the mechanism"
            )
            findings.report("MP847", message, value=f"{time:.6g}")
            raise TableError(findings)
    return placed, residual / scale


def _corrected(
    constants: SpanningTree, placed: _ARRAYS, dependent: list[int], numbers: RealNumbers, tolerance: float
) -> tuple[_ARRAYS, _ARRAYS]:
    """Correct dependent coordinates by Newton's iteration until each residual is within the tolerance, or rounding."""
    placed = placed.copy()
    best = placed.copy()
    least = np.full(len(placed), np.inf)
    if not dependent or not constants.loops:
        return placed, np.zeros(len(placed))
    active = np.arange(len(placed))
    for _ in range(_MOST_CORRECTIONS):
        series = [placed[active, k] for k in range(placed.shape[1])]
        state = motion.tree_configuration(constants, series, numbers)
        jacobian, residuals = motion.closure_jacobian(constants, series, numbers, state)
        right = stacked_array(residuals, len(active))
        size = np.max(np.abs(numbers.doubles(right)), axis=1)
        better = size < least[active]
        best[active[better]], least[active[better]] = placed[active[better]], size[better]
        going = better & (size > tolerance) & (size > 0)
        if not len(active := active[going]):
            break
        rows = [stacked_array([row[k] for k in dependent], len(size)) for row in jacobian]
        change = numbers.solution(np.stack(rows, axis=1)[going], right[going][:, :, None])[:, :, 0]
        placed[np.ix_(active, dependent)] = numbers.midpoints(placed[np.ix_(active, dependent)] - change)
    return best, least


def stacked_array(values: Sequence[Any], count: int) -> _ARRAYS:
    """Stack arrays (samples,) and constants as the columns of an array (samples, values)."""
    found = [np.broadcast_to(np.asarray(one), (count,)) for one in values]
    if any(one.dtype == object for one in found):
        found = [one.astype(object) for one in found]
    return np.stack(found, axis=1)


def _rates_of_all(
    constants: SpanningTree,
    coordinates: list[TaylorNumber],
    independent: list[int],
    dependent: list[int],
    numbers: RealNumbers,
    count: int,
) -> tuple[_ARRAYS, _ARRAYS]:
    """Complete the series of dependent coordinates; return rates for unit rates, and ratios of singular values."""
    partial = np.zeros((count, len(coordinates), len(independent)), float if numbers.is_double else object)
    partial[:, independent, range(len(independent))] = 1
    if not dependent or not constants.loops:
        return partial, np.ones(count)
    first = [one.terms[0] for one in coordinates]
    jacobian, _ = motion.closure_jacobian(
        constants, first, numbers, motion.tree_configuration(constants, first, numbers)
    )
    full = np.stack([stacked_array(row, count) for row in jacobian], axis=1)
    matrix = full[:, :, dependent]
    singular = np.linalg.svd(numbers.doubles(matrix), compute_uv=False)
    ratios = singular[:, len(dependent) - 1] / singular[:, 0]
    partial[:, dependent] = numbers.solution(matrix, -full[:, :, independent])
    for order in (1, 2):
        cut = [TaylorNumber(one.terms[: order + 1]) for one in coordinates]
        residuals = motion.closure_residuals(constants, numbers, motion.tree_configuration(constants, cut, numbers))
        right = stacked_array([series_term(one, order) for one in residuals], count)
        change = numbers.solution(matrix, -right[:, :, None])[:, :, 0]
        for column, index in enumerate(dependent):
            terms = list(coordinates[index].terms)
            terms[order] = terms[order] + change[:, column]
            coordinates[index] = TaylorNumber(terms)
    return partial, ratios


def series_term(value: Any, order: int) -> Any:
    """Return a coefficient of a Taylor series; those of a constant are the constant and 0."""
    if isinstance(value, TaylorNumber):
        return value.terms[order]
    return value if order == 0 else 0
