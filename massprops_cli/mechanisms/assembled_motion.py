"""Mechanisms of approximate poses: assembled and moved to 300 digits, and the grouping of parameters that follows."""

from __future__ import annotations

import random
from collections.abc import Sequence
from contextlib import AbstractContextManager
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from massprops_cli.findings.finding import Findings, TableError
from massprops_cli.mechanisms.exact import energy_rows
from massprops_cli.mechanisms.model import (
    GROUND,
    IDENTITY,
    ZERO_VECTOR,
    Mechanism,
    SpanningTree,
    TreeJoint,
    add_loop_joint,
    simplest_fraction,
)
from massprops_cli.mechanisms.motion import (
    Configuration,
    OperatorRing,
    closure_jacobian,
    closure_residuals,
    tree_configuration,
)
from massprops_cli.mechanisms.observation.numerical_rank import RealNumbers, TaylorNumber, flint_digits
from massprops_cli.mechanisms.prime_field import Grouping, grouping_of_rows, has_fast_integers

_DIGITS = 300  # decimal digits of a number
_GUARD = 30  # further digits, for rounding
_TERMS = (24, 32)  # terms of the motions of the first run, and of that which checks it
_FURTHER_ROWS = 8  # beyond the number of parameters
_ZERO, _LEAST = 10.0 ** (-_DIGITS * 2 // 3), 10.0 ** (-_DIGITS // 3)
"""A pivot below the first is 0, one above the second is not; between both the rank is rejected."""
_REACH = Fraction(1, 10 ** (_DIGITS // 3))  # two runs must agree to 100 of the 300 digits
_LONGEST_DENOMINATOR = 10 ** (_DIGITS // 6)  # 50 digits; a coefficient with a longer one is a float
_Reduced = tuple[list[int], list[list[Any]]]
_MOST_STEPS = 200  # damped steps from the pose of the file
_CLOSED = 1e-12  # closure residual in double precision at which the steps end
_INDEPENDENT = 1e-7  # share of the largest pivot above which an equation is independent, in double precision
_CORRECTIONS = 8  # Newton steps; each doubles the digits, so that five lead from 12 to 300
_TOLERANCE = Fraction(1, 10 ** (_DIGITS - 20))  # closure residual; 20 digits are left to rounding


def _precise_numbers() -> AbstractContextManager[Any]:
    """Compute with 300 digits within the context."""
    return flint_digits(_DIGITS + _GUARD) if has_fast_integers() else localcontext(prec=_DIGITS + _GUARD)


def _precise_number(value: Any) -> Any:
    """Return a number with 300 digits."""
    exact = Fraction(value)
    if not has_fast_integers():
        return Decimal(exact.numerator) / Decimal(exact.denominator)
    from flint import arb

    return arb(exact.numerator) / arb(exact.denominator)


def _middle_number(value: Any) -> Any:
    """Return the middle of a ball."""
    return value if isinstance(value, Decimal) else value.mid()


def _middle_fraction(value: Any) -> Fraction:
    """Return the middle of a number as a fraction."""
    if isinstance(value, Decimal):
        return Fraction(value)
    mantissa, exponent = (int(one) for one in value.mid().man_exp())
    return Fraction(mantissa) * Fraction(2) ** exponent


class _DecimalSeries(TaylorNumber):
    """A series of decimals with a fixed number of terms, of which many are 0."""

    __slots__ = ()

    def __mul__(self, other: Any) -> TaylorNumber:
        if not isinstance(other, TaylorNumber):
            return super().__mul__(other)
        found = [Decimal(0)] * len(self.terms)
        for i, a in enumerate(self.terms):
            if a:
                for k in range(i, len(found)):
                    if other.terms[k - i]:
                        found[k] += a * other.terms[k - i]
        return _DecimalSeries(found)

    __rmul__ = __mul__


class _PreciseSeries(OperatorRing):
    """The series with a number of terms, as a ring of the motion of mechanisms; use within ``_precise_numbers``."""

    def __init__(self, terms: int) -> None:
        """Prepare the constants."""
        self.terms = terms
        self._is_decimal = not has_fast_integers()
        if not self._is_decimal:
            from flint import ctx

            ctx.cap = terms
        self.zero, self.one = self.constant(0), self.constant(1)

    def constant(self, value: Any) -> Any:
        """Return the constant series of a fraction."""
        return self.pack([_precise_number(value)])

    def pack(self, coefficients: Sequence[Any]) -> Any:
        """Return the series of numbers."""
        given = list(coefficients[: self.terms])
        if self._is_decimal:
            return _DecimalSeries(given + [Decimal(0)] * (self.terms - len(given)))
        from flint import arb_series

        return arb_series(given)

    def unpack(self, series: Any) -> list[Any]:
        """Return the numbers of a series."""
        return list(series.terms) if self._is_decimal else [series[k] for k in range(self.terms)]

    def inverse(self, series: Any) -> Any:
        """Return the reciprocal of a series with a constant term."""
        return series.reciprocal() if self._is_decimal else 1 / series

    def derivative(self, series: Any) -> Any:
        """Return the derivative of a series; its last coefficient is 0."""
        return self.pack([index * value for index, value in enumerate(self.unpack(series))][1:])


def assembled_grouping(mechanism: Mechanism, order: Sequence[int], findings: Findings) -> Grouping:
    """Return the base parameters of a mechanism whose pose is approximate."""
    if any(joint.kind == "helical" for joint in mechanism.joints):
        findings.report("MP824", "mechanism has helical joints, which need an exact pose")
        raise TableError(findings)
    with _precise_numbers():
        motions = _AssembledMotion(mechanism, findings)
        first, check = (_reduced(mechanism, motions, order, terms, findings) for terms in _TERMS)
    if first[0] != check[0] or not all(  # to 100 digits
        abs(a - b) <= _REACH * max(Fraction(1), abs(a))
        for one, other in zip(first[1], check[1], strict=True)
        for a, b in zip(one, other, strict=True)
    ):
        findings.report("MP824", "two random motions give different base parameters; the pose is near a singular one")
        raise TableError(findings)
    rows = [[_short_value(value) for value in row] for row in first[1]]
    return grouping_of_rows(order, first[0], rows, motions.degrees_of_freedom)


def _reduced(
    mechanism: Mechanism, motions: _AssembledMotion, order: Sequence[int], terms: int, findings: Findings
) -> _Reduced:
    """Return the pivots and the reduced energy rows of random motions."""
    chance = random.Random(terms)
    rows: list[list[Any]] = []
    while motions.degrees_of_freedom and len(rows) < len(order) + _FURTHER_ROWS:
        rows += energy_rows(mechanism, motions.motion(terms, chance))
    left = [[row[index] for index in order] for row in rows]
    left = [[value / largest for value in row] for row in left if (largest := max(row, key=_size)) and _size(largest)]
    pivots: list[int] = []
    for column in range(len(order)):
        done = len(pivots)
        best = max(range(done, len(left)), key=lambda row: _size(left[row][column]), default=-1)
        size = _size(left[best][column]) if best >= 0 else 0.0
        if size < _ZERO:
            continue
        if size < _LEAST:
            findings.report("MP824", f"rank is not clear: a pivot is {size:.2g}; the pose is near a singular one")
            raise TableError(findings)
        left[done], left[best] = left[best], left[done]
        pivot = left[done][column]
        left[done] = [value / pivot for value in left[done]]
        for row in range(len(left)):
            factor = left[row][column]
            if row != done and _size(factor):
                left[row] = [value - factor * top for value, top in zip(left[row], left[done], strict=True)]
        pivots.append(column)
    return pivots, [[_middle_fraction(value) for value in row] for row in left[: len(pivots)]]


def _size(value: Any) -> float:
    """Return the magnitude of the middle of a number."""
    return abs(float(_middle_number(value)))


def _short_value(value: Fraction) -> Any:
    """Return a coefficient as a short fraction, else as a float."""
    reach = _REACH * max(Fraction(1), abs(value))
    found = simplest_fraction(value - reach, value + reach)
    return found if found.denominator < _LONGEST_DENOMINATOR else float(value)


class _AssembledMotion:
    """Random motions of one mechanism from its assembled pose; use within ``_precise_numbers``."""

    def __init__(self, mechanism: Mechanism, findings: Findings) -> None:
        """Assemble the mechanism."""
        # tree in which every body is free, and every joint is a closure
        exact = SpanningTree(len(mechanism.bodies))
        for number, body in enumerate(mechanism.bodies):
            joint = ("free", GROUND, number, exact.coordinates, ZERO_VECTOR, ZERO_VECTOR, Fraction(0), body.position)
            exact.joints.append(TreeJoint(*joint, ZERO_VECTOR, tuple(IDENTITY)))
            exact.coordinates += 6
        for one in mechanism.joints:
            add_loop_joint(exact, mechanism, one, has_coordinates=False)
        self._exact = exact
        start = _approached_pose(exact, findings)
        self._equations, self.dependent = _independent(exact, start)
        self.degrees_of_freedom = exact.coordinates - len(self.dependent)
        self._pose = [_precise_number(value) for value in start]
        self._refine(findings)

    def _refine(self, findings: Findings) -> None:
        """Correct the pose by Newton's iteration, and keep the inverse of the derivatives there."""
        ring = _PreciseSeries(1)
        tree = self._exact.converted(ring.constant)
        for _ in range(_CORRECTIONS):
            series = [ring.pack([value]) for value in self._pose]
            rows, residuals = closure_jacobian(tree, series, ring, tree_configuration(tree, series, ring))
            values = [ring.unpack(one)[0] for one in residuals]
            system = [[ring.unpack(rows[row][column])[0] for column in self.dependent] for row in self._equations]
            self._inverse = _inverted(system)
            change = _product(self._inverse, [values[row] for row in self._equations])
            for column, value in zip(self.dependent, change, strict=True):
                self._pose[column] = _middle_number(self._pose[column] - value)
        if (worst := max((abs(float(value)) for value in values), default=0.0)) > _TOLERANCE:
            findings.report(
                "MP824", f"joints cannot be closed to {_DIGITS} digits: residual {worst:.2g}; the pose is singular",
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
                series[column].append(_precise_number(drawn))
            ring = _PreciseSeries(power + 1)
            tree = self._exact.converted(ring.constant)
            state = tree_configuration(tree, [ring.pack(one) for one in series], ring)
            residuals = closure_residuals(tree, ring, state)
            open_by = [ring.unpack(residuals[row])[power] for row in self._equations]
            for column, value in zip(self.dependent, _product(self._inverse, open_by), strict=True):
                series[column][power] = _middle_number(-value)
        ring = _PreciseSeries(terms)
        return tree_configuration(self._exact.converted(ring.constant), [ring.pack(one) for one in series], ring)


def _approached_pose(exact: SpanningTree, findings: Findings) -> NDArray[np.float64]:
    """Return coordinates that close all joints in double precision, by damped steps from the pose of the file."""
    tree = exact.converted(float)
    place = np.zeros(exact.coordinates)
    jacobian, residuals = _double_closures(tree, place)
    size = float(np.abs(residuals).max(initial=0))
    for _ in range(_MOST_STEPS):
        if size < _CLOSED:
            return place
        damped = jacobian @ jacobian.T + min(size, 1e-2) ** 2 * np.eye(len(residuals))
        step = jacobian.T @ np.linalg.solve(damped, residuals)
        factor = 1.0
        while factor > 1e-4:
            trial = place - factor * step
            found = _double_closures(tree, trial)
            if (reached := float(np.abs(found[1]).max(initial=0))) < size:
                break
            factor /= 2
        if reached >= size:
            break
        place, (jacobian, residuals), size = trial, found, reached
    counts = (3 * loop.is_point + len(loop.perpendicular) + len(loop.slides) for loop in exact.loops)
    loops = [loop.name for loop, count in zip(exact.loops, counts, strict=True) for _ in range(count)]
    worst = loops[int(np.argmax(np.abs(residuals)))] if size else ""
    if size < 1e3 * _CLOSED:
        return place
    message = f"mechanism cannot be assembled from the pose of the file: joint {worst} remains open by {size:.3g}"
    findings.report("MP824", message, value=f"{size:.3g}", item=worst)
    raise TableError(findings)


def _double_closures(tree: SpanningTree, place: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return derivatives and residuals of the closure equations in double precision."""
    series, ring = [float(value) for value in place], RealNumbers()
    rows, residuals = closure_jacobian(tree, series, ring, tree_configuration(tree, series, ring))
    return np.array(rows, float).reshape(-1, len(place)), np.array(residuals, float)


def _independent(exact: SpanningTree, place: NDArray[np.float64]) -> tuple[list[int], list[int]]:
    """Return independent equations and as many dependent coordinates, by elimination with complete pivoting."""
    left = _double_closures(exact.converted(float), place)[0].copy()
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
    work = [[*row, *(_precise_number(i == k) for k in range(size))] for i, row in enumerate(matrix)]
    for column in range(size):
        best = max(range(column, size), key=lambda row: abs(float(work[row][column])))
        work[column], work[best] = work[best], work[column]
        pivot = work[column][column]
        work[column] = [value / pivot for value in work[column]]
        for row in range(size):
            factor = work[row][column]
            if row != column and factor != 0:
                work[row] = [value - factor * top for value, top in zip(work[row], work[column], strict=True)]
    return [[_middle_number(value) for value in row[size:]] for row in work]


def _product(matrix: Sequence[Sequence[Any]], vector: Sequence[Any]) -> list[Any]:
    """Return a matrix times a vector."""
    return [sum((a * b for a, b in zip(row, vector, strict=True)), _precise_number(0)) for row in matrix]
