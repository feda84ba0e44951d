"""Generalised least squares on the ten values of all leaves, iterated, with bounds (docs/formulas.md, section 16)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import erfc, exp, lgamma, log, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import Bodies, full_tensors, six_entries
from massprops_cli.bodies.rotations import vector_rotations
from massprops_cli.findings.finding import UsageError
from massprops_cli.reconciliations.measurements import Measurement
from massprops_cli.reconciliations.observations import (
    Nuisance,
    nuisances,
    observed,
    observed_gradient,
    vanishing_weights,
)
from massprops_cli.reconciliations.prior import (
    Linearization,
    PriorModel,
    RowCovariance,
    Rows,
    item_covariances,
    reduced_covariances,
)
from massprops_cli.rollups.leaf_sums import flat_item
from massprops_cli.rollups.rollup import roll_up
from massprops_cli.rollups.variance_budget import PoseEffects, pose_effects

_Floats = NDArray[np.float64]
_Items = NDArray[np.intp]
_CONVERGED = 1e-11  # of a step, in σ of each measurement before it
_MOST_STEPS = 60
_CERTAIN = 1e-6  # of a measured value, from which a difference that no σ explains is not rounding
_MOST_BOUNDS = 200  # leaves held at a bound together
_VALID = 1e-9  # least eigenvalue of ½ tr(I) 1 − I, as a share of the trace: section 8
_SINGULAR = 1e-13  # eigenvalues of a correlation matrix below which its rows depend on each other


@dataclass(frozen=True, slots=True)
class ScaleValue:
    """Bias or gain of a scale, or geometry of a pendulum, before and after.

    >>> ScaleValue("A bias", "kg", 0.0, 0.1, 0.02, 0.06).after
    0.02
    """

    name: str
    unit: str
    before: float
    sigma_before: float
    after: float
    sigma_after: float


class _HeldBound(NamedTuple):
    """A leaf whose mass, or a second moment of it, is held at 0; mass × length²."""

    item: int
    row: _Floats  # (10,) by m, h, J; its product with the values of the leaf is not negative


@dataclass(frozen=True, eq=False)
class _Noise:
    """Noise of measurements: own variances, and what their shared sources change."""

    variance: _Floats  # (k,)
    sources: dict[str, Nuisance]
    changes: _Floats  # (k, s) of each value for one σ of each source

    @property
    def matrix(self) -> _Floats:
        """Return the covariance (k, k)."""
        return np.asarray(np.diag(self.variance) + self.changes @ self.changes.T)


@dataclass(frozen=True, eq=False)
class Update:
    """The list after the measurements."""

    prior: PriorModel
    before: Linearization
    at: Linearization
    rows: RowCovariance
    measurements: Sequence[Measurement]
    expected: _Floats  # (k,) values of the list as it was
    fitted: _Floats  # (k,) after
    spread: _Floats  # (k, k) of measurements from the list, at its derivatives
    own: _Floats  # (k,) variances of what the list expects, of the pieces that were measured
    noise: _Noise
    factor: _Floats  # (k + b, r) F with F Fᵀ = S⁻¹, bounds behind the measurements
    weights: _Floats  # (k + b,) S⁻¹ e
    chi2: float
    bounds: tuple[_HeldBound, ...]
    contradicting: _Items  # measurements (c,) whose difference from list and other measurements no σ explains
    converged: bool
    steps: int

    @property
    def p(self) -> float:
        """The probability of a χ² at least as large, if list and measurements are of one product."""
        return _chi2_tail(self.chi2, len(self.measurements))

    def covariances(self) -> tuple[_Floats, _Floats]:
        """Return V of all items before and after (n, 10, 10) about their centres."""
        own = self.at.own
        if self.at.shared is not None:
            inputs = replace(self.prior.inputs, bodies=self.at.bodies)
            own = item_covariances(inputs, roll_up(inputs, method="covariance"))
        return own, reduced_covariances(own, self.rows.with_items(), self.factor)

    def scale_values(self) -> list[ScaleValue]:
        """Return biases, gains and geometry before and after, in their units."""
        found, inverse = [], self.factor @ self.factor.T
        k = len(self.measurements)
        for j, (name, one) in enumerate(self.noise.sources.items()):
            change = np.append(self.noise.changes[:, j], np.zeros(len(self.weights) - k))
            shift, left = float(change @ self.weights), 1.0 - float(change @ inverse @ change)
            value, sigma = one.of.value / one.of.size, one.of.sigma / one.of.size
            after = (value + sigma * shift, sigma * sqrt(max(left, 0.0)))
            found.append(ScaleValue(name, one.of.unit, value, sigma, *after))
        return found


def _chi2_tail(value: float, degrees: int) -> float:
    """Return P(χ² ≥ value) of whole degrees of freedom: M. Abramowitz, I. Stegun, 26.4.4 and 26.4.5."""
    if degrees == 0 or value <= 0:
        return 1.0
    x, odd = value / 2, degrees % 2
    terms = (exp(-x + (i + odd / 2) * log(x) - lgamma(i + 1 + odd / 2)) for i in range((degrees - odd) // 2))
    return min((erfc(sqrt(x)) if odd else 0.0) + sum(terms), 1.0)


def noise_of(measurements: Sequence[Measurement], values: _Floats) -> _Noise:
    """Return the noise of measurements whose values (k,) are expected."""
    found = [nuisances(one, float(value)) for one, value in zip(measurements, values, strict=True)]
    sources = {each.of.source: each for row in found for each in row}
    number = {name: j for j, name in enumerate(sources)}
    changes = np.zeros((len(measurements), len(sources)))
    for k, row in enumerate(found):
        for each in row:
            changes[k, number[each.of.source]] += each.change
    return _Noise(np.array([one.sigma for one in measurements]) ** 2, sources, changes)


def inverse_factor(matrix: _Floats) -> _Floats:
    """Return F (k, r) with F Fᵀ = S⁻¹ of a covariance (k, k), or its pseudo-inverse where rows repeat each other."""
    scale = np.sqrt(np.diagonal(matrix))
    scale = np.where(scale > 0, scale, 1.0)
    correlation = matrix / scale[:, None] / scale
    try:
        lower = np.linalg.cholesky(correlation)
        if np.diagonal(lower).min(initial=1.0) ** 2 > _SINGULAR:
            return np.asarray(np.linalg.inv(lower).T / scale[:, None])
    except np.linalg.LinAlgError:
        pass
    values, vectors = np.linalg.eigh(correlation)
    kept = values > _SINGULAR * values[-1]
    return np.asarray(vectors[:, kept] / np.sqrt(values[kept]) / scale[:, None])


class _Deviations(NamedTuple):
    """Leaves by their ten values (n, 10): mass, centre, tensor, axes of the table; and poses (p, 6) by item."""

    values: _Floats
    poses: dict[int, _Floats]

    def between(self, other: _Deviations, share: float) -> _Deviations:
        """Return deviations a share of the way to others."""
        names = {*self.poses, *other.poses}
        zero = np.zeros(6)
        poses = {i: self.poses.get(i, zero) * (1 - share) + other.poses.get(i, zero) * share for i in names}
        return _Deviations(self.values * (1 - share) + other.values * share, poses)


class _ListStep(NamedTuple):
    """One linearization of the measurements."""

    at: Linearization
    rows: RowCovariance
    fitted: _Floats
    poses: dict[int, PoseEffects]


class Estimator:
    """Gauss–Newton steps from the list to the list that agrees best with the measurements."""

    def __init__(self, prior: PriorModel, measurements: Sequence[Measurement]) -> None:
        self.prior, self.measurements = prior, measurements
        self.start = prior.inputs.bodies

    def run(self) -> Update:
        """Return the update, with leaves held at bounds that it would break."""
        bounds: list[_HeldBound] = []
        for _ in range(_MOST_BOUNDS):
            found = self._fitted(bounds)
            broken = self._broken_bounds(found.at.bodies, bounds)
            kept = [b for b, w in zip(bounds, found.weights[len(self.measurements) :].tolist(), strict=True) if w >= 0]
            if (not broken and len(kept) == len(bounds)) or len(kept) + len(broken) > _MOST_BOUNDS:
                return found
            bounds = [*kept, *broken] if broken else kept
        return found

    def _fitted(self, bounds: Sequence[_HeldBound]) -> Update:
        """Return the update with some leaves held at bounds."""
        now = _Deviations(np.zeros((len(self.prior.tree), 10)), {})
        first = step = self._step(now, bounds)
        last, share = np.inf, 1.0
        k = len(self.measurements)
        measured = np.array([one.value for one in self.measurements], float)
        pieces = step.fitted[:k]  # what is expected of the pieces that were measured
        for count in range(1, _MOST_STEPS + 1):
            noise = noise_of(self.measurements, pieces)
            spread = step.rows.matrix()
            total = spread.copy()
            total[:k, :k] += noise.matrix
            if count == 1:
                of_list, own = total[:k, :k].copy(), np.diagonal(spread)[:k].copy()
            factor = inverse_factor(total)
            target = np.append(measured, np.zeros(len(bounds)))
            rest = target - step.fitted + self._effects(step, now)
            weights = factor @ (factor.T @ rest)
            pieces = measured - noise.matrix @ weights[:k]
            new = self._moved(step, weights)
            other = self._step(now.between(new, share), bounds)
            scale = np.sqrt(np.diagonal(total))
            moved = float(np.abs((other.fitted - step.fitted) / np.where(scale > 0, scale, 1.0)).max(initial=0.0))
            if moved < _CONVERGED or count == _MOST_STEPS:
                break
            share = share / 2 if moved > last else min(1.0, share * 2)
            now, step, last = now.between(new, share), other, moved
        size = np.abs(measured) + np.abs(first.fitted[:k]) if factor.shape[1] < len(total) else np.inf
        contradicting = np.flatnonzero(np.abs(rest - total @ weights)[:k] > _CERTAIN * size)
        return Update(
            self.prior, first.at, other.at, step.rows, self.measurements, first.fitted[:k], pieces,
            of_list, own, noise, factor, weights, float(rest[:k] @ weights[:k]), tuple(bounds),
            contradicting, moved < 1e-6, count,
        )  # fmt: skip

    def _step(self, now: _Deviations, bounds: Sequence[_HeldBound]) -> _ListStep:
        """Linearize at some deviations; each bound is a row of its leaf behind the measurements."""
        at = self.prior.at(self._bodies(now))
        assert at.bodies.inertia is not None
        gradients, fitted = [], []
        for one in self.measurements:
            mass, inertia = float(at.bodies.mass[one.item]), at.bodies.inertia[one.item]
            gradients.append(observed_gradient(one, mass, inertia, at.center[one.item]))
            fitted.append(observed(one, at))
        if not np.isfinite(fitted).all():
            one = self.measurements[int(np.flatnonzero(~np.isfinite(fitted))[0])]
            raise UsageError(f"measured value is undefined for the list: {one.text}")
        for bound in bounds:
            ten = at.ten(np.array([bound.item]), at.center[bound.item])[:, 0]
            gradients.append(bound.row)
            fitted.append(float(bound.row @ ten))
        items = np.array([*(one.item for one in self.measurements), *(one.item for one in bounds)], np.intp)
        each = np.array([one.each for one in self.measurements] + [True] * len(bounds))
        rows = RowCovariance(self.prior, at, Rows(items, np.array(gradients).reshape(-1, 10), each))
        return _ListStep(at, rows, np.array(fitted, float), self._pose_effects(at, rows))

    def _bodies(self, now: _Deviations) -> Bodies:
        """Return the leaves with their deviations, moved with their poses."""
        start = self.start
        assert start.center is not None
        assert start.inertia is not None
        values = now.values
        made = replace(
            start,
            mass=start.mass + values[:, 0],
            center=start.center + values[:, 1:4],
            inertia=start.inertia + values[:, 4:],
        )
        placement = self.prior.inputs.placement
        for item, six in now.poses.items():
            assert placement is not None
            assert made.center is not None
            assert made.inertia is not None
            below = self.prior.tree.descendants(item)
            R, origin = vector_rotations(six[None, 3:])[0], placement.origin[item]
            center, inertia = made.center.copy(), made.inertia.copy()
            center[below] = (center[below] - origin) @ R.T + origin + six[:3]
            inertia[below] = six_entries(R @ full_tensors(inertia[below]) @ R.T)
            made = replace(made, center=center, inertia=inertia)
        return made

    def _pose_effects(self, at: Linearization, rows: RowCovariance) -> dict[int, PoseEffects]:
        """Return the uncertain poses below each measured item."""
        if not self.prior.has_uncertain_poses:
            return {}
        inputs = replace(self.prior.inputs, bodies=at.bodies)
        found = {item: pose_effects(inputs, item, flat_item(inputs, item), "inertia") for item in rows.places}
        return {item: one for item, one in found.items() if one is not None}

    def _effects(self, step: _ListStep, now: _Deviations) -> _Floats:
        """Return how rows (k,) change by some deviations, to first order."""
        ten = now.values.copy()
        ten[:, 1:4] *= step.at.bodies.mass[:, None]
        result = step.rows.effects(ten)
        for item, of in step.poses.items():
            six = np.array([now.poses.get(i, np.zeros(6)) for i in of.items.tolist()])
            places = step.rows.places[item]
            total = np.einsum("pab,pb,p->a", of.derivatives, six, of.times)
            result[places] += step.rows.rows.gradients[places] @ total
        return result

    def _moved(self, step: _ListStep, weights: _Floats) -> _Deviations:
        """Return the deviations Σ cov(value, row) w of all leaves and poses."""
        ten = step.rows.with_items(weights)[0]
        ten[~self.prior.ends] = 0.0
        mass = step.at.bodies.mass[:, None]
        ten[:, 1:4] = np.divide(ten[:, 1:4], mass, out=np.zeros_like(ten[:, 1:4]), where=mass != 0)
        poses: dict[int, _Floats] = {}
        for item, of in step.poses.items():
            row = weights[step.rows.places[item]] @ step.rows.rows.gradients[step.rows.places[item]]
            share = self.prior.share_of_piece[self.prior.tree.parent[of.items]]
            six = np.einsum("pij,paj,a,p->pi", of.covariance, of.derivatives, row, of.times * share)
            for i, one in zip(of.items.tolist(), six, strict=True):
                poses[i] = poses.get(i, np.zeros(6)) + one
        return _Deviations(ten, poses)

    def _broken_bounds(self, bodies: Bodies, held: Sequence[_HeldBound]) -> list[_HeldBound]:
        """Return the leaves whose masses or tensors became impossible, and are not held."""
        assert bodies.inertia is not None
        assert self.start.inertia is not None
        found = []
        known = {(b.item, bool(b.row[0])) for b in held}
        changed = self.prior.ends & (
            (bodies.mass != self.start.mass) | (bodies.inertia != self.start.inertia).any(axis=1)
        )
        light = changed & (bodies.mass < 0) & (self.start.mass >= 0)
        found += [_HeldBound(i, np.eye(10)[0]) for i in np.flatnonzero(light).tolist() if (i, True) not in known]
        which = np.flatnonzero(changed & ~self.start.is_point)
        least, vectors, size = _least_second_moments(bodies.inertia[which])
        before = _least_second_moments(self.start.inertia[which])
        bad = (least < -_VALID * size) & (before[0] >= -_VALID * before[2])
        for i, vector in zip(which[bad].tolist(), vectors[bad], strict=True):
            row = np.append(np.zeros(4), vanishing_weights(vector))
            if not any(b.item == i and np.allclose(b.row, row, atol=1e-6) for b in held):
                found.append(_HeldBound(i, row))
        return found


def _least_second_moments(inertia: _Floats) -> tuple[_Floats, _Floats, _Floats]:
    """Return the least eigenvalue of ½ tr(I) 1 − I (k,), its vector (k, 3), and the trace (k,): section 8."""
    full = full_tensors(inertia)
    trace = np.trace(full, axis1=1, axis2=2)
    values, vectors = np.linalg.eigh(trace[:, None, None] / 2 * np.eye(3) - full)
    return values[:, 0], vectors[:, :, 0], trace
