"""Motions of a mechanism whose file states lengths and an approximate pose, from the pose that closes all joints.

Every body has six coordinates from its approximate pose, and every joint is a closure equation in the frames of its
bodies. Damped steps in double precision find the pose, Newton's iteration 300 digits of it. The coefficients of a
motion follow one power of time after the other.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from massprops_cli.findings.finding import Findings, TableError
from massprops_cli.mechanisms.assembly.precise_series import (
    DIGITS,
    PreciseSeries,
    middle_number,
    precise_number,
)
from massprops_cli.mechanisms.model import GROUND, IDENTITY, ZERO_VECTOR, Mechanism
from massprops_cli.mechanisms.motion import (
    Configuration,
    closure_jacobian,
    closure_residuals,
    tree_configuration,
)
from massprops_cli.mechanisms.tree import LoopJoint, SpanningTree, TreeJoint, add_loop_joint

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MOST_STEPS = 200  # damped steps from the pose of the file
_CLOSED = 1e-12  # closure residual in double precision at which the steps end
_INDEPENDENT = 1e-7
"""Share of the largest pivot above which an equation is independent, in double precision."""
_CORRECTIONS = 8  # Newton steps; each doubles the digits, so that five lead from 12 to 300
_TOLERANCE = Fraction(1, 10 ** (DIGITS - 20))  # closure residual; 20 digits are left to rounding


class AssembledMotion:
    """Random motions of one mechanism from its assembled pose; use within ``precise_numbers``."""

    def __init__(self, mechanism: Mechanism, findings: Findings) -> None:
        """Assemble the mechanism."""
        exact = _body_tree(mechanism)
        self._exact, self._names = exact, [loop.name for loop in exact.loops]
        start = _approached_pose(exact, findings)
        self._equations, self.dependent = _independent(exact, start)
        self.degrees_of_freedom = exact.coordinates - len(self.dependent)
        self._pose = [precise_number(value) for value in start]
        self._refine(findings)

    def _refine(self, findings: Findings) -> None:
        """Correct the pose by Newton's iteration, and keep the inverse of the derivatives there."""
        ring = PreciseSeries(1)
        tree = self._exact.converted(ring.constant)
        for _ in range(_CORRECTIONS):
            series = [ring.pack([value]) for value in self._pose]
            rows, residuals = closure_jacobian(tree, series, ring, tree_configuration(tree, series, ring))
            values = [ring.unpack(one)[0] for one in residuals]
            system = [[ring.unpack(rows[row][column])[0] for column in self.dependent] for row in self._equations]
            self._inverse = _inverted(system)
            change = _product(self._inverse, [values[row] for row in self._equations])
            for column, value in zip(self.dependent, change, strict=True):
                self._pose[column] = middle_number(self._pose[column] - value)
        worst = max((abs(float(value)) for value in values), default=0.0)
        if worst > _TOLERANCE:
            findings.report(
                "MP824", f"joints cannot be closed to {DIGITS} digits: residual {worst:.2g}; the pose is singular",
                value=f"{worst:.2g}",
            )  # fmt: skip
            raise TableError(findings)

    def motion(self, terms: int, chance: random.Random) -> Configuration:
        """Return a random motion through the pose."""
        free = set(range(self._exact.coordinates)) - set(self.dependent)
        series = [[value] for value in self._pose]
        for power in range(1, terms):
            for column in range(self._exact.coordinates):
                drawn = Fraction(chance.randint(-(2**20), 2**20), 2**20) if column in free else 0
                series[column].append(precise_number(drawn))
            ring = PreciseSeries(power + 1)
            tree = self._exact.converted(ring.constant)
            state = tree_configuration(tree, [ring.pack(one) for one in series], ring)
            residuals = closure_residuals(tree, ring, state)
            open_by = [ring.unpack(residuals[row])[power] for row in self._equations]
            for column, value in zip(self.dependent, _product(self._inverse, open_by), strict=True):
                series[column][power] = middle_number(-value)
        ring = PreciseSeries(terms)
        return tree_configuration(self._exact.converted(ring.constant), [ring.pack(one) for one in series], ring)


def _body_tree(mechanism: Mechanism) -> SpanningTree:
    """Return the tree in which every body is free, and every joint is a closure."""
    tree = SpanningTree(len(mechanism.bodies))
    for number, body in enumerate(mechanism.bodies):
        tree.joints.append(
            TreeJoint(
                "free",
                GROUND,
                number,
                tree.coordinates,
                ZERO_VECTOR,
                ZERO_VECTOR,
                Fraction(0),
                body.position,
                ZERO_VECTOR,
                tuple(IDENTITY),
            )
        )
        tree.coordinates += 6
    for joint in mechanism.joints:
        add_loop_joint(tree, mechanism, joint, has_coordinates=False)
    return tree


def _approached_pose(exact: SpanningTree, findings: Findings) -> NDArray[np.float64]:
    """Return coordinates that close all joints in double precision, by damped steps from the pose of the file."""
    import numpy as np

    from massprops_cli.mechanisms.observation.real_numbers import RealNumbers

    ring = RealNumbers()
    tree = exact.converted(float)
    place = np.zeros(exact.coordinates)
    jacobian, residuals = _double_closures(tree, place, ring)
    size = float(np.abs(residuals).max(initial=0))
    for _ in range(_MOST_STEPS):
        if size < _CLOSED:
            return place
        damped = jacobian @ jacobian.T + min(size, 1e-2) ** 2 * np.eye(len(residuals))
        step = jacobian.T @ np.linalg.solve(damped, residuals)
        factor = 1.0
        while factor > 1e-4:
            trial = place - factor * step
            found = _double_closures(tree, trial, ring)
            reached = float(np.abs(found[1]).max(initial=0))
            if reached < size:
                break
            factor /= 2
        if reached >= size:
            break
        place, (jacobian, residuals), size = trial, found, reached
    loops = [loop.name for loop in exact.loops for _ in range(_equation_count(loop))]
    worst = loops[int(np.argmax(np.abs(residuals)))] if size else ""
    if size < 1e3 * _CLOSED:
        return place
    findings.report(
        "MP824",
        f"mechanism cannot be assembled from the pose of the file: joint {worst} remains open by {size:.3g}",
        value=f"{size:.3g}",
        item=worst,
    )
    raise TableError(findings)


def _equation_count(loop: LoopJoint) -> int:
    """Return the number of closure equations of a joint."""
    return 3 * loop.is_point + len(loop.perpendicular) + len(loop.slides)


def _double_closures(
    tree: SpanningTree, place: NDArray[np.float64], ring: Any
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return derivatives and residuals of the closure equations in double precision."""
    import numpy as np

    series = [float(value) for value in place]
    rows, residuals = closure_jacobian(tree, series, ring, tree_configuration(tree, series, ring))
    return np.array(rows, float).reshape(-1, len(place)), np.array(residuals, float)


def _independent(exact: SpanningTree, place: NDArray[np.float64]) -> tuple[list[int], list[int]]:
    """Return independent equations and as many dependent coordinates, by elimination with complete pivoting."""
    import numpy as np

    from massprops_cli.mechanisms.observation.real_numbers import RealNumbers

    left = _double_closures(exact.converted(float), place, RealNumbers())[0].copy()
    rows: list[int] = []
    columns: list[int] = []
    largest = float(np.abs(left).max(initial=0))
    while left.size:
        row, column = np.unravel_index(int(np.argmax(np.abs(left))), left.shape)
        pivot = left[row, column]
        if abs(pivot) <= _INDEPENDENT * largest:
            break
        rows.append(int(row))
        columns.append(int(column))
        left -= np.outer(left[:, column] / pivot, left[row])
        left[row], left[:, column] = 0, 0
    return rows, columns


def _inverted(matrix: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Return the inverse of a square matrix, by elimination with the largest pivot of a column."""
    size = len(matrix)
    work = [[*row, *(precise_number(i == k) for k in range(size))] for i, row in enumerate(matrix)]
    for column in range(size):
        best = max(range(column, size), key=lambda row: abs(float(work[row][column])))
        work[column], work[best] = work[best], work[column]
        pivot = work[column][column]
        work[column] = [value / pivot for value in work[column]]
        for row in range(size):
            factor = work[row][column]
            if row != column and factor != 0:
                work[row] = [value - factor * top for value, top in zip(work[row], work[column], strict=True)]
    return [[middle_number(value) for value in row[size:]] for row in work]


def _product(matrix: Sequence[Sequence[Any]], vector: Sequence[Any]) -> list[Any]:
    """Return a matrix times a vector."""
    return [sum((a * b for a, b in zip(row, vector, strict=True)), precise_number(0)) for row in matrix]
