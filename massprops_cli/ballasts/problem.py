"""The limits of a ballast problem as rows: values, gradients and sigmas in doubles, and their check in exact fractions.

Sums are about the centre of each condition without ballast: mass M, first moment h, tensor J with its six entries.
The tensor about the final centre is J − Q(h)/M, Q(h) = |h|² 1 − h hᵀ: docs/internals/numerical_methods.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import atan2, copysign, degrees, hypot, inf, isfinite, nextafter, sqrt, tan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.ballasts.inputs import BallastLimit, BallastPoint, RemovableItem
from massprops_cli.bodies.bodies import TENSOR_ENTRIES, Bodies
from massprops_cli.findings.finding import MasspropsError
from massprops_cli.rollups.inputs import RollupInputs
from massprops_cli.rollups.leaf_sums import ROUNDING_OF_TERMS
from massprops_cli.rollups.rollup import roll_up
from massprops_cli.trees.tree import Tree

_Floats = NDArray[np.float64]
_AGREEMENT = 1e-11  # of sums in two orders, as a share of their terms


@dataclass(frozen=True, eq=False, repr=False)
class BallastCondition:
    """A loading condition without ballast, coherent units: numbers of its root in the axes of the table."""

    name: str
    mass: float
    center: _Floats  # (3,) length; 0 for a coordinate that the table does not state
    inertia: _Floats | None = None  # (6,) tensor entries about the own centre
    covariance: _Floats | None = None  # (10, 10) of m, h, J about the own centre; None: no sigmas


class LimitRow(NamedTuple):
    """One end of a limit in one condition: ``side`` × (value − end) ≤ 0 for a centre, weights · tensor ≤ end else."""

    condition: int
    limit: int
    end: float
    axis: int = -1
    side: int = 1
    weights: tuple[float, ...] = ()  # (6,) of the tensor entries

    @property
    def is_center(self) -> bool:
        """Whether the row bounds a centre, so that it is linear."""
        return self.axis >= 0


class _LimitOutcome(NamedTuple):
    """A limited quantity of a condition before and after, coherent units; sigma is None where it is not known."""

    condition: int
    limit: int
    before: float
    after: float
    sigma: float | None
    miss: float  # beyond the limit, with its sigmas; 0 if it is kept


def _tensor_of_arm(arm: Any) -> list[Any]:
    """Return Q of arms (3, …) in six entries, for doubles, arrays and fractions alike."""
    x, y, z = arm
    return [y * y + z * z, x * x + z * z, x * x + y * y, -x * y, -x * z, -y * z]


def _turned_arm(weights: Sequence[Any], h: Sequence[Any]) -> list[Any]:
    """Return K h (3,) with weights · Q(h) = hᵀ K h, for doubles and fractions alike."""
    (xx, yy, zz, xy, xz, yz), (x, y, z) = weights, h
    of_x, of_y = (yy + zz) * x - (xy * y + xz * z) / 2, (xx + zz) * y - (xy * x + yz * z) / 2
    return [of_x, of_y, (xx + yy) * z - (xz * x + yz * y) / 2]


def _dot(one: Sequence[Any], other: Sequence[Any]) -> Any:
    """Return a scalar product, for doubles and fractions alike."""
    return sum(a * b for a, b in zip(one, other, strict=True))


def _tilt_weights(quantity: str) -> tuple[_Floats, _Floats]:
    """Return the weights (6,) of the product ∫ab dm of a plane, and of I_bb − I_aa."""
    first, second = quantity[-2], quantity[-1]
    product, difference = np.zeros(6), np.zeros(6)
    product[TENSOR_ENTRIES.index(first + second)] = -1.0
    difference[[TENSOR_ENTRIES.index(second * 2), TENSOR_ENTRIES.index(first * 2)]] = 1.0, -1.0
    return product, difference


class BallastProblem:
    """Places and removable items as n amounts, limits as rows; ``sigma`` is how many sigmas stay inside the limits."""

    def __init__(
        self,
        conditions: Sequence[BallastCondition],
        limits: Sequence[BallastLimit],
        points: Sequence[BallastPoint],
        removable: Sequence[RemovableItem] = (),
        sigma: float = 0.0,
    ) -> None:
        self.conditions, self.limits, self.points, self.removable = conditions, limits, points, removable
        self.sigma, count = sigma, len(points)
        self.unit_mass = np.array([p.piece or 1.0 for p in points] + [-r.mass for r in removable])
        self.place = np.array([p.center for p in points] + [r.center for r in removable], float).reshape(-1, 3)
        self.own = np.zeros((count + len(removable), 6))  # tensors of a unit of each amount about its own centre
        for i, item in enumerate(removable):
            self.own[count + i] = -np.array(item.inertia or [0.0] * 6)
        self.most = np.array([p.pieces if p.piece else p.most for p in points] + [r.pieces for r in removable], float)
        self.whole = np.array([bool(p.piece) for p in points] + [True] * len(removable), bool)
        self.center_rows = [
            LimitRow(k, j, end, "xyz".index(limit.quantity[1]), side)
            for k in range(len(conditions))
            for j, limit in enumerate(limits)
            for end, side in ((limit.high, 1), (limit.low, -1))
            if limit.quantity.startswith("C") and isfinite(end)
        ]
        self.is_linear = all(limit.quantity.startswith("C") for limit in limits)
        self.total_mass = max(one.mass for one in conditions)
        ends = [abs(row.end - conditions[row.condition].center[row.axis]) for row in self.center_rows]
        self.length = max([*(np.abs(arms).max(initial=0.0) for arms in self._arms), *ends]) or 1.0

    def tensor_rows(self, amounts: _Floats) -> list[LimitRow]:
        """Return the rows that bound tensors at amounts (n,), on which the greater moment of a tilt depends."""
        found = []
        for k in range(0 if self.is_linear else len(self.conditions)):
            for j, limit in enumerate(self.limits):
                if limit.quantity.startswith("I"):
                    unit = np.eye(6)[TENSOR_ENTRIES.index(limit.quantity[1:])]
                    ends = [(limit.high, unit), (-limit.low, -unit)]
                elif limit.quantity.startswith("tilt"):
                    product, difference = _tilt_weights(limit.quantity)
                    slope = copysign(nextafter(tan(2 * limit.high), 0), difference @ self.tensor(k, amounts))
                    ends = [(0.0, side * 2 * product - slope * difference) for side in (1, -1)]
                else:
                    continue
                found += [LimitRow(k, j, end, weights=tuple(w.tolist())) for end, w in ends if isfinite(end)]
        return found

    @cached_property
    def _arms(self) -> list[_Floats]:
        """Arms (n, 3) from the centre of each condition."""
        return [self.place - one.center for one in self.conditions]

    @cached_property
    def _tensors(self) -> list[_Floats]:
        """Tensors (n, 6) of a unit of each amount about the centre of each condition."""
        return [self.own + self.unit_mass[:, None] * np.stack(_tensor_of_arm(arm.T), axis=1) for arm in self._arms]

    def mass(self, k: int, amounts: _Floats) -> float:
        """Return the mass of a condition with amounts (n,)."""
        return self.conditions[k].mass + float(self.unit_mass @ amounts)

    def first_moment(self, k: int, amounts: _Floats) -> _Floats:
        """Return h (3,) of a condition with amounts (n,), mass × length."""
        return np.asarray((self.unit_mass * amounts) @ self._arms[k])

    def tensor(self, k: int, amounts: _Floats) -> _Floats:
        """Return the six entries about the final centre with amounts (n,), mass × length²."""
        own = self.conditions[k].inertia
        assert own is not None
        of_center = np.array(_tensor_of_arm(self.first_moment(k, amounts))) / self.mass(k, amounts)
        return np.asarray(own + amounts @ self._tensors[k] - of_center)

    def center_system(self, rows: Sequence[LimitRow]) -> tuple[_Floats, _Floats]:
        """Return A (r, n) and b (r,): centres are within their limits if A amounts ≤ b."""
        left = [row.side * (self.place[:, row.axis] - row.end) * self.unit_mass for row in rows]
        of = [self.conditions[row.condition] for row in rows]
        right = [row.side * one.mass * (row.end - one.center[row.axis]) for row, one in zip(rows, of, strict=True)]
        return np.array(left).reshape(len(rows), len(self.most)), np.array(right, float)

    def row_value(self, row: LimitRow, amounts: _Floats) -> float:
        """Return by how much amounts (n,) break a row without sigmas, as moment or tensor; negative inside."""
        if row.is_center:
            offset = row.end - self.conditions[row.condition].center[row.axis]
            h = self.first_moment(row.condition, amounts)[row.axis]
            return float(row.side * (h - offset * self.mass(row.condition, amounts)))
        return float(np.dot(row.weights, self.tensor(row.condition, amounts)) - row.end)

    def gradient(self, row: LimitRow, amounts: _Floats) -> _Floats:
        """Return the change (n,) of ``row_value`` and its sigmas with each amount; sigmas of tensors are fixed."""
        if row.is_center:
            return np.asarray(self.center_system([row])[0][0] + self.sigma * self._sigma_gradient(row, amounts))
        k = row.condition
        h, mass = self.first_moment(k, amounts), self.mass(k, amounts)
        turned = np.array(_turned_arm(row.weights, h.tolist()))
        of_units = self.unit_mass * ((h @ turned) / mass**2 - 2 * (self._arms[k] @ turned) / mass)
        return np.asarray(self._tensors[k] @ np.array(row.weights) + of_units)

    @staticmethod
    def _slopes(row: LimitRow, weights: Sequence[Any], h: Sequence[Any], mass: Any) -> list[Any]:
        """Return the derivatives of a row by m, h and J of its condition, for doubles and fractions alike."""
        if row.is_center:  # M δc = δh − (c − c0) δm
            slopes: list[Any] = [0] * 10
            slopes[0], slopes[row.axis + 1] = -h[row.axis] / mass, 1
            return slopes
        turned = _turned_arm(weights, h)
        return [_dot(h, turned) / mass**2, *(-2 * one / mass for one in turned), *weights]

    def row_sigma(self, row: LimitRow, amounts: _Floats) -> float:
        """Return the sigma of ``row_value`` with amounts (n,); 0 without sigmas. Ballast itself has none."""
        if (covariance := self.conditions[row.condition].covariance) is None:
            return 0.0
        h, mass = self.first_moment(row.condition, amounts), self.mass(row.condition, amounts)
        slope = np.array(self._slopes(row, row.weights, h.tolist(), mass), float)
        return sqrt(max(float(slope @ covariance @ slope), 0.0))

    def _sigma_gradient(self, row: LimitRow, amounts: _Floats) -> _Floats:
        """Return the change (n,) of ``row_sigma`` of a centre with each amount."""
        covariance = self.conditions[row.condition].covariance
        if covariance is None or not (sigma := self.row_sigma(row, amounts)):
            return np.zeros_like(amounts)
        mass, a = self.mass(row.condition, amounts), row.axis
        offset = self.first_moment(row.condition, amounts)[a] / mass  # σ² = V_hh − 2 u V_hm + u² V_mm
        of_offset = (offset * covariance[0, 0] - covariance[0, a + 1]) / sigma
        return np.asarray(of_offset * self.unit_mass * (self._arms[row.condition][:, a] - offset) / mass)

    def least_sigma(self, row: LimitRow) -> float:
        """Return the least sigma that a row of a centre can have while the centre is within its limit."""
        one, limit, a = self.conditions[row.condition], self.limits[row.limit], row.axis
        if one.covariance is None:
            return 0.0
        vh, vhm, vm = (float(one.covariance[i, j]) for i, j in ((a + 1, a + 1), (a + 1, 0), (0, 0)))
        low, high = (float(one.center[a]) - end for end in (limit.high, limit.low))
        best = min(max(-vhm / vm, low), high) if vm else 0.0
        return sqrt(max(vh + 2 * best * vhm + best * best * vm, 0.0))

    def failures(self, amounts: _Floats) -> dict[LimitRow, float]:
        """Return the rows that amounts (n,) break in exact fractions, beyond rounding, and by how much."""
        sums = [self._exact_sums(k, amounts) for k in range(len(self.conditions))]
        level, found = Fraction(self.sigma), dict[LimitRow, float]()
        for row in [*self.center_rows, *self.tensor_rows(amounts)]:
            (mass, h, tensor), one = sums[row.condition], self.conditions[row.condition]
            if mass <= 0:
                found[row] = inf
                continue
            weights = [Fraction(w) for w in row.weights]
            if row.is_center:
                excess = row.side * (h[row.axis] - (Fraction(row.end) - Fraction(float(one.center[row.axis]))) * mass)
            else:
                excess = _dot(weights, tensor) - _dot(h, _turned_arm(weights, h)) / mass - Fraction(row.end)
            excess -= Fraction(self._rounding(row, amounts))
            needed = Fraction(0)
            if level and one.covariance is not None:
                slopes = [(i, s) for i, s in enumerate(self._slopes(row, weights, h, mass)) if s]
                needed += sum(a * b * Fraction(float(one.covariance[i, j])) for i, a in slopes for j, b in slopes)
                needed = max(needed, Fraction(0)) * level**2
            if excess > 0 or excess * excess < needed:
                found[row] = float(excess) + sqrt(float(needed))
        return found

    def _exact_sums(self, k: int, amounts: _Floats) -> tuple[Fraction, list[Fraction], list[Fraction]]:
        """Return M, h and J of a condition as fractions of the doubles (n,) that they are computed from."""
        one = self.conditions[k]
        mass, h, at = Fraction(one.mass), [Fraction(0)] * 3, [Fraction(x) for x in one.center.tolist()]
        tensor = [Fraction(x) for x in (np.zeros(6) if one.inertia is None else one.inertia).tolist()]
        for i in np.flatnonzero(amounts).tolist():
            count, unit = Fraction(float(amounts[i])), Fraction(float(self.unit_mass[i]))
            arm = [Fraction(x) - a for x, a in zip(self.place[i].tolist(), at, strict=True)]
            mass += count * unit
            h = [a + count * unit * b for a, b in zip(h, arm, strict=True)]
            terms = zip(tensor, self.own[i].tolist(), _tensor_of_arm(arm), strict=True)
            tensor = [t + count * (Fraction(own) + unit * q) for t, own, q in terms]
        return mass, h, tensor

    def _rounding(self, row: LimitRow, amounts: _Floats) -> float:
        """Return what the rounding of the numbers of a row may amount to with amounts (n,)."""
        one, used = self.conditions[row.condition], np.abs(amounts * self.unit_mass)
        if row.is_center:
            reach = max(abs(row.end), abs(float(one.center[row.axis])))
            terms = one.mass * reach + float(used @ np.maximum(np.abs(self.place[:, row.axis]), reach))
            return ROUNDING_OF_TERMS * terms
        own = np.zeros(6) if one.inertia is None else np.abs(one.inertia)
        sums = np.abs(row.weights) @ (own + amounts @ np.abs(self._tensors[row.condition]))
        return ROUNDING_OF_TERMS * (float(sums) + abs(row.end))

    def outcomes(self, amounts: _Floats) -> list[_LimitOutcome]:
        """Return every limited quantity in every condition, before and after amounts (n,)."""
        nothing, found = np.zeros_like(amounts), list[_LimitOutcome]()
        broken = {(row.condition, row.limit) for row in self.failures(amounts)}
        for k in range(len(self.conditions)):
            for j, limit in enumerate(self.limits):
                before, _ = self._quantity(k, limit.quantity, nothing)
                after, sigma = self._quantity(k, limit.quantity, amounts)
                spread, value = self.sigma * (sigma or 0.0), abs(after) if limit.quantity[0] == "t" else after
                miss = max(value + spread - limit.high, limit.low - value + spread, 0.0) if (k, j) in broken else 0.0
                found.append(_LimitOutcome(k, j, before, after, sigma, miss))
        return found

    def _quantity(self, k: int, quantity: str, amounts: _Floats) -> tuple[float, float | None]:
        """Return a quantity of a condition with amounts (n,), and its sigma to first order."""
        mass, size = self.mass(k, amounts), 1.0
        if quantity.startswith("C"):
            axis = "xyz".index(quantity[1])
            row, size = LimitRow(k, 0, 0.0, axis), mass
            value = float(self.conditions[k].center[axis] + self.first_moment(k, amounts)[axis] / mass)
        elif quantity.startswith("I"):
            weights = np.eye(6)[TENSOR_ENTRIES.index(quantity[1:])]
            row, value = LimitRow(k, 0, 0.0, weights=tuple(weights)), float(weights @ self.tensor(k, amounts))
        else:  # θ = ½ atan(2 P/|D|): dθ = (|D| dP − P d|D|) / (D² + 4 P²)
            product, difference = _tilt_weights(quantity)
            p, d = (float(one @ self.tensor(k, amounts)) for one in (product, difference))
            row = LimitRow(k, 0, 0.0, weights=tuple(abs(d) * product - p * copysign(1, d) * difference))
            value, size = atan2(2 * p, abs(d)) / 2, d * d + 4 * p * p
        is_known = self.conditions[k].covariance is not None and size > 0
        return value, self.row_sigma(row, amounts) / size if is_known else None

    def check_by_rollup(self, amounts: _Floats) -> None:
        """Compare sums with amounts (n,) with a roll-up of each condition and its ballast; raises MasspropsError."""
        used = np.flatnonzero(amounts)
        tree = Tree.from_parents(np.array([-1, *[0] * (len(used) + 1)]))
        for k, one in enumerate(self.conditions):
            mass = np.array([0.0, one.mass, *(amounts[used] * self.unit_mass[used])])
            center = np.vstack([np.zeros(3), one.center, self.place[used]])
            own = np.vstack([np.zeros((2, 6)), self.own[used] * amounts[used, None]])
            own[1] = 0.0 if one.inertia is None else one.inertia
            is_point = np.append([False, False], ~own[2:].any(axis=1)).astype(bool)
            rolled = roll_up(RollupInputs.of(tree, Bodies(mass, center, own, is_point)), method="none").bodies
            assert rolled.center is not None
            size, length = float(np.abs(mass).sum()), self.length + float(np.abs(center).max())
            final = one.center + self.first_moment(k, amounts) / self.mass(k, amounts)
            pairs = [(rolled.mass[0], self.mass(k, amounts), size)]
            pairs += [(a, b, length) for a, b in zip(rolled.center[0], final, strict=True)]
            if one.inertia is not None and rolled.inertia is not None:
                large = size * length**2 + float(np.abs(own).sum())
                pairs += [(a, b, large) for a, b in zip(rolled.inertia[0], self.tensor(k, amounts), strict=True)]
            if any(not abs(a - b) <= _AGREEMENT * scale for a, b, scale in pairs):
                raise MasspropsError(f"ballast is not printed: its sums differ from the roll-up: {one.name}")


class PlaneBalance(NamedTuple):
    """Correction of a spinning body in two planes: mass × radius along two axes, and sigmas of what remains."""

    axes: str  # spin axis, then the two across it in cyclic order
    planes: tuple[float, float]  # length along the spin axis
    unbalances: tuple[tuple[float, float], tuple[float, float]]  # mass × length, to be added
    sigmas: tuple[tuple[float, float], tuple[float, float]] | None
    static_sigma: float | None  # of the mass × offset that remains, mass × length
    couple_sigma: float | None  # of the product that remains, mass × length²

    def polar(self, plane: int) -> tuple[float, float]:
        """Return the amount and the angle in degrees of a correction, from the first axis toward the second."""
        a, b = self.unbalances[plane]
        return hypot(a, b), degrees(atan2(b, a))


def balance_planes(condition: BallastCondition, axis: str, planes: tuple[float, float]) -> PlaneBalance:
    """Return the corrections of a body that spins about an axis through the origin (mass, length of the condition)."""
    # U1 = (P − M c z2) / (z2 − z1), U2 = (M c z1 − P) / (z2 − z1), with P about the origin
    assert condition.inertia is not None
    (z1, z2), mass, center, spin = planes, condition.mass, condition.center, "xyz".index(axis)
    values, slopes = [], []  # of U1, U2, M c and P along both axes; slopes by m, h and J about the own centre
    for a in ((spin + 1) % 3, (spin + 2) % 3):
        entry = TENSOR_ENTRIES.index("".join(sorted("xyz"[a] + axis)))
        moment, product = float(mass * center[a]), float(mass * center[a] * center[spin] - condition.inertia[entry])
        of_moment, of_product = np.zeros(10), np.zeros(10)
        of_moment[[0, 1 + a]] = center[a], 1.0
        of_product[[0, 1 + a, 1 + spin, 4 + entry]] = center[a] * center[spin], center[spin], center[a], -1.0
        values.append([(product - moment * z2) / (z2 - z1), (moment * z1 - product) / (z2 - z1)])
        of_both = (of_product - of_moment * z2) / (z2 - z1), (of_moment * z1 - of_product) / (z2 - z1)
        slopes.append([*of_both, of_moment, of_product])
    unbalances = ((values[0][0], values[1][0]), (values[0][1], values[1][1]))
    names = axis + "".join("xyz"[(spin + k) % 3] for k in (1, 2))
    if (covariance := condition.covariance) is None:
        return PlaneBalance(names, planes, unbalances, None, None, None)
    s = [[sqrt(max(float(one @ covariance @ one), 0.0)) for one in of_axis] for of_axis in slopes]
    sigmas = ((s[0][0], s[1][0]), (s[0][1], s[1][1]))
    return PlaneBalance(names, planes, unbalances, sigmas, hypot(s[0][2], s[1][2]), hypot(s[0][3], s[1][3]))
