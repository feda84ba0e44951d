"""Hypotheses for measurements that disagree with a list, and which measurement on offer reduces a σ most."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from math import comb, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import phi
from massprops_cli.reconciliations.measurements import CENTERS, Measurement
from massprops_cli.reconciliations.observations import observed, observed_gradient, observed_values
from massprops_cli.reconciliations.prior import Linearization, PriorModel, RowCovariance, Rows, places_by_item
from massprops_cli.reconciliations.update import Update, inverse_factor, noise_of
from massprops_cli.rollups.covariance import moved_parameters

_Floats = NDArray[np.float64]
_MOST_SETS = 20_000  # of measurements that are all compared; beyond, the plan is greedy
_WORTH = 0.9  # share of the gain of a perfect scale that a scale worth buying gives
_FACTORS = {10.0: "10", 1000.0: "1,000", 2.2046226218487757: "2.2046"}
_MASS_BEFORE = 0.1  # σ of an unlisted mass, as a share of the mass of the item, before the measurements
_STEPS = 30  # of the least squares for an unlisted mass
_LIKELY_STEPS = 4
_SMALL_STEP = 1e-9  # in σ before the measurements, at which they end
_ALIKE = 9.0  # how much less probable, as χ², a slip may be that is named next to an unlisted mass


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """An explanation of the measurements with its likelihood; numbers in coherent units of the table.

    ``share`` is the probability among all hypotheses, each as probable before. ``chi2`` is what it leaves unexplained,
    ``likelihood`` the natural logarithm of the marginal likelihood against that of the list as it is.

    >>> Hypothesis("left out", "HRN-200", "HRN-200 is not in the product", 0.9, 1.1, 8.2).kind
    'left out'
    """

    kind: str  # as listed, factor, left out, twice, sign, unlisted mass, datum, measurement
    item: str
    text: str
    share: float
    chi2: float
    likelihood: float
    mass: float | None = None
    center: tuple[float, float, float] | None = None
    resembles: str = ""


class _Candidate(NamedTuple):
    """A hypothesis before it is named: kind, item, χ², log likelihood, and its detail."""

    kind: str
    item: int
    chi2: float
    likelihood: float
    detail: tuple[float, ...] = ()
    resembles: str = ""


class HypothesisSearch:
    """Likelihoods of all slips of one item, from the values and covariances of the list as it is."""

    def __init__(
        self,
        prior: PriorModel,
        at: Linearization,
        measurements: Sequence[Measurement],
        values: _Floats,
        spread: _Floats,
    ) -> None:
        self.prior, self.at, self.measurements = prior, at, measurements
        self.rest = np.array([one.value for one in measurements]) - values
        self.values, self.spread = values, spread
        self.factor = inverse_factor(spread)
        self.items = places_by_item(np.array([one.item for one in measurements], np.intp))

    @classmethod
    def of(cls, update: Update) -> HypothesisSearch:
        """Return the search for an update, at the list as it was."""
        return cls(update.prior, update.before, update.measurements, update.expected, update.spread)

    def hypotheses(self, ids: Sequence[str], most: int) -> list[Hypothesis]:
        """Return the most likely hypotheses, the list as it is among them, most likely first."""
        plain = float(((self.rest @ self.factor) ** 2).sum())
        found = [_Candidate("as listed", -1, plain, 0.0)]
        for kind, items, details, changes in self._slips():
            rest = (self.rest[:, None] - changes).T @ self.factor
            chi2 = (rest**2).sum(axis=1)
            best = np.argsort(chi2, kind="stable")[: max(most, 50)]
            found += [
                _Candidate(kind, int(items[k]), float(chi2[k]), (plain - float(chi2[k])) / 2, (float(details[k]),))
                for k in best.tolist()
                if np.isfinite(chi2[k])
            ]
        found += self._datums(plain)
        found += self._wrong_measurements(plain)
        found += self._unlisted_masses(plain, found)
        found.sort(key=lambda one: -one.likelihood)
        top = found[0].likelihood
        total = sum(np.exp(one.likelihood - top) for one in found)
        shares = [float(np.exp(one.likelihood - top) / total) for one in found]
        return [self._named(one, share, ids) for one, share in zip(found[:most], shares, strict=False)]

    def _named(self, one: _Candidate, share: float, ids: Sequence[str]) -> Hypothesis:
        """Return a candidate with its words."""
        name = ids[one.item] if one.item >= 0 else ""
        alike = ids[int(one.resembles)] if one.resembles else ""
        made = Hypothesis(one.kind, name, "", share, one.chi2, one.likelihood, resembles=alike)
        if one.kind == "unlisted mass":
            mass, *center = one.detail
            x, y, z = center if len(center) == 3 else (np.nan, np.nan, np.nan)
            place = (x, y, z) if np.isfinite(x) else None
            return replace(made, mass=mass, center=place)
        words = {
            "as listed": "list as it is",
            "left out": f"{name} is not in the product",
            "twice": f"{name} is in the product once more than listed",
        }
        if one.kind == "factor":
            size = one.detail[0]
            bare = _FACTORS.get(size) or _FACTORS[1 / size]
            return replace(made, text=f"mass of {name} is {bare} times {'more' if size > 1 else 'less'} than listed")
        if one.kind == "sign":
            return replace(made, text=f"{CENTERS[int(one.detail[0])]} of {name} has the other sign")
        if one.kind == "measurement":
            of = self.measurements[int(one.detail[0])]
            value = f"{of.value / of.size:g} {of.unit}".rstrip()
            return replace(made, text=f"measured {of.label} of {name} is wrong: {value}")
        if one.kind == "datum":
            axis, shift = int(one.detail[0]), one.detail[1]
            x, y, z = (shift * np.eye(3)[axis]).tolist()
            return replace(made, text=f"datum of the measurements is off along {'xyz'[axis]}", center=(x, y, z))
        return replace(made, text=words[one.kind])

    def _slips(self) -> Iterator[tuple[str, NDArray[np.intp], _Floats, _Floats]]:
        """Yield kinds of slips: the items (k,), a detail of each (k,), and changes (m, k) of the measured values."""
        prior, at, n = self.prior, self.at, len(self.prior.tree)
        ends = np.flatnonzero(prior.ends & (at.bodies.mass != 0))
        inside = np.flatnonzero((at.bodies.mass != 0) & (np.arange(n) != prior.tree.order[0]))
        assert at.bodies.inertia is not None
        for size in (*_FACTORS, *(1 / one for one in _FACTORS)):
            ten = np.zeros((len(ends), 10))
            ten[:, 0] = (size - 1) * at.bodies.mass[ends]
            yield "factor", ends, np.full(len(ends), size), self._changes(ends, ten, np.ones(len(ends)))
        whole = np.zeros((len(inside), 10))
        whole[:, 0], whole[:, 4:] = at.bodies.mass[inside], at.bodies.inertia[inside]
        count = prior.inputs.quantity.count[inside]
        one_piece = np.where(
            prior.inputs.quantity.measured[inside] | (count == 0), 1.0, 1 / np.where(count, count, 1.0)
        )
        for kind, sign in (("left out", -1.0), ("twice", 1.0)):
            changes = self._changes(inside, sign * whole, one_piece, at_itself=False)
            yield kind, inside, np.zeros(len(inside)), changes
        placed = prior.inputs.placement
        for axis in range(3):
            direction = np.tile(np.eye(3)[axis], (len(ends), 1))
            coordinate = at.center[ends, axis]
            if placed is not None and placed.bodies.center is not None:
                direction, coordinate = placed.rotation[ends][:, :, axis], placed.bodies.center[ends, axis]
            arm = -2 * np.nan_to_num(coordinate)[:, None] * direction
            mass = at.bodies.mass[ends, None]
            ten = np.concatenate([np.zeros((len(ends), 1)), mass * arm, mass * phi(arm)], axis=1)
            real = np.flatnonzero(coordinate != 0)
            changes = self._changes(ends[real], ten[real], np.ones(len(real)))
            yield "sign", ends[real], np.full(len(real), float(axis)), changes

    def _changes(self, items: NDArray[np.intp], ten: _Floats, part: _Floats, *, at_itself: bool = True) -> _Floats:
        """Return the changes (m, k) of measured values where items deviate by m, h, J (k, 10) about their centres."""
        result = np.zeros((len(self.measurements), len(items)))
        for item, places in self.items.items():
            members, times, _ = self.prior.branch(item)
            quantity = np.zeros(len(self.prior.tree))
            quantity[members] = times
            if not at_itself:
                quantity[item] = 0.0
            factor = quantity[items] * np.where(items == item, 1.0, part)
            center = self.at.center[item]
            moved = np.array(moved_parameters(ten.T, (self.at.center[items] - center).T)) * factor
            total = self.at.ten(np.array([item]), center) + moved
            for place in places:
                changed = observed_values(self.measurements[place], total, center) - self.values[place]
                result[place] = np.where(factor != 0, changed, 0.0)
        return result

    def _datums(self, plain: float) -> Iterator[_Candidate]:
        """Yield shifts of the datum of all measured centres and reactions along each axis."""
        size = self._size(int(self.prior.tree.order[0]))
        for axis in range(3):
            slope = np.zeros(len(self.measurements))
            for k, one in enumerate(self.measurements):
                if one.quantity not in (*CENTERS, "reaction"):
                    continue
                i, center = np.array([one.item]), self.at.center[one.item]
                step = 1e-3 * size * np.eye(3)[axis]
                there = observed_values(one, self.at.ten(i, center), center + step)
                slope[k] = (float(there[0]) - self.values[k]) / (1e-3 * size)
            if slope.any():
                scaled = self.factor.T @ slope
                found = self._evidence(plain, scaled[:, None] * size)
                yield _Candidate("datum", -1, found[0], found[1], (float(axis), float(found[2][0]) * size))

    def _wrong_measurements(self, plain: float) -> Iterator[_Candidate]:
        """Yield a gross error of each measurement, of a tenth of its value or of the size of the item."""
        if len(self.measurements) < 2:
            return
        for k, one in enumerate(self.measurements):
            size = self._size(one.item) if one.quantity in CENTERS else max(abs(one.value), abs(self.values[k]))
            slope = self.factor[k] * (_MASS_BEFORE * size)
            found = self._evidence(plain, slope[:, None])
            yield _Candidate("measurement", one.item, found[0], found[1], (float(k),))

    def _evidence(self, plain: float, slopes: _Floats) -> tuple[float, float, _Floats]:
        """Return χ², log likelihood, and estimates of parameters (j,) of σ 1 before, with whitened slopes (r, j)."""
        rest = self.factor.T @ self.rest
        inner = np.eye(slopes.shape[1]) + slopes.T @ slopes
        estimate = np.linalg.solve(inner, slopes.T @ rest)
        chi2 = float(((rest - slopes @ estimate) ** 2).sum())
        gain = float(rest @ slopes @ estimate) / 2 - 0.5 * float(np.linalg.slogdet(inner)[1])
        return chi2, gain, np.asarray(estimate, float)

    def _size(self, item: int) -> float:
        """Return the mean distance of leaves from the centre of an item, in one direction; 1 where all are at it."""
        members, times, _ = self.prior.branch(item)
        inside = members[(times != 0) & self.prior.ends[members]]
        mass = np.abs(self.at.bodies.mass[inside])
        spread = ((self.at.center[inside] - self.at.center[item]) ** 2).sum(axis=1) @ mass
        return sqrt(float(spread) / (3 * float(mass.sum()))) if mass.any() and spread > 0 else 1.0

    def _unlisted_masses(self, plain: float, found: Sequence[_Candidate]) -> Iterator[_Candidate]:
        """Yield a point mass that is not listed, in each measured item."""
        has_place = any(one.quantity != "mass" for one in self.measurements)
        for item in self.items:
            mass, size = abs(float(self.at.bodies.mass[item])), self._size(item)
            scale = np.array([1.0, size, size, size]) * _MASS_BEFORE * (mass or 1.0)
            scale = scale if has_place else scale[:1]
            if (found_here := self._nearest_mass(item, scale)) is None:
                continue
            estimate, chi2, cost = found_here
            gain = (plain - chi2 - cost) / 2
            ten = estimate * scale
            center = (self.at.center[item] + ten[1:] / ten[0]).tolist() if len(ten) > 1 and ten[0] else []
            kind = "twice" if ten[0] > 0 else "left out"
            alike = min((one for one in found if one.kind == kind), key=lambda one: one.chi2, default=None)
            name = str(alike.item) if alike is not None and alike.chi2 - chi2 < _ALIKE else ""
            yield _Candidate("unlisted mass", item, chi2, gain, (float(ten[0]), *center), name)

    def _nearest_mass(self, item: int, scale: _Floats) -> tuple[_Floats, float, float] | None:
        """Return the most likely unlisted mass, in σ before (j,), χ² of the most probable one, and its cost as χ²."""
        estimate, best = np.zeros(len(scale)), np.inf
        share, inner, step = 1.0, np.eye(len(scale)), np.zeros(len(scale))
        for _ in range(_STEPS):
            trial = estimate + share * step
            slopes, value = self._unlisted_slopes(item, trial * scale, scale)
            rest = self.factor.T @ (self.rest - value)
            worth = float(rest @ rest + trial @ trial)
            if not (np.isfinite(slopes).all() and worth <= best):
                share /= 4
                continue
            estimate, best, chi2 = trial, worth, float(rest @ rest)
            share, inner = 1.0, np.eye(len(scale)) + slopes.T @ slopes
            step = np.asarray(np.linalg.solve(inner, slopes.T @ rest - estimate), float)
            if float(np.abs(step).max()) < _SMALL_STEP:
                break
        if not np.isfinite(best):
            return None
        likely = estimate
        for _ in range(_LIKELY_STEPS):  # what the measurements alone state
            slopes, value = self._unlisted_slopes(item, likely * scale, scale)
            if not (np.isfinite(slopes).all() and np.isfinite(value).all()):
                likely = estimate
                break
            likely = likely + np.linalg.lstsq(slopes, self.factor.T @ (self.rest - value), rcond=1e-6)[0]
        gain = float(np.linalg.slogdet(inner)[1] + estimate @ estimate)
        return likely, chi2, gain

    def _unlisted_slopes(self, item: int, four: _Floats, scale: _Floats) -> tuple[_Floats, _Floats]:
        """Return whitened slopes (r, j) and changes (m,) of a mass and its first moment about the centre of an item."""
        steps = np.column_stack([four, *(four + 1e-6 * s * e for s, e in zip(scale, np.eye(len(four)), strict=True))])
        ten = np.zeros((10, steps.shape[1]))
        ten[: len(four)] = steps
        if len(four) > 1:
            with np.errstate(divide="ignore", invalid="ignore"):
                arm = np.where(ten[0] != 0, ten[1:4] / ten[0], 0.0)
            ten[4:] = ten[0] * phi(arm.T).T
        changes = np.zeros((len(self.measurements), steps.shape[1]))
        for other, places in self.items.items():
            members, times, _ = self.prior.branch(other)
            at = np.flatnonzero(members == item)
            if not len(at) or not times[at[0]]:
                continue
            center = self.at.center[other]
            moved = np.array(moved_parameters(ten, (self.at.center[item] - center)[:, None])) * times[at[0]]
            total = self.at.ten(np.array([other]), center) + moved
            for place in places:
                changes[place] = observed_values(self.measurements[place], total, center) - self.values[place]
        slopes = (changes[:, 1:] - changes[:, :1]) / 1e-6
        return self.factor.T @ slopes, changes[:, 0]


@dataclass(frozen=True, slots=True)
class NextMeasurement:
    """A measurement of a plan: σ of the result after it and those before it, coherent units of the table.

    ``sigma_worth`` is the σ, in ``unit``, below which a better scale adds less than a tenth to the reduction of the
    variance by this measurement; ``sigma_perfect`` the σ of the result with a perfect scale.

    >>> NextMeasurement("BAT", "mass", "kg", 1.0, 0.01, 0.5, 0.3, 0.1, 0.299).sigma_after
    0.3
    """

    item: str
    quantity: str
    unit: str
    cost: float
    sigma: float
    sigma_before: float
    sigma_after: float
    sigma_worth: float
    sigma_perfect: float


@dataclass(frozen=True, slots=True)
class MeasurementPlan:
    """The measurements that reduce the variance of a result most for their cost.

    ``is_exact`` if all sets of their number were compared; else one was chosen after the other.

    >>> MeasurementPlan("SAT mass", 0.5, (), True).sigma_after
    0.5
    """

    of: str
    sigma_before: float
    steps: tuple[NextMeasurement, ...]
    is_exact: bool

    @property
    def sigma_after(self) -> float:
        """The σ of the result after all measurements of the plan."""
        return self.steps[-1].sigma_after if self.steps else self.sigma_before

    def to_dict(self) -> dict[str, Any]:
        """Export the plan as JSON values.

        Returns
        -------
        dict
            The result and its σ in coherent units, and the measurements in their order.
        """
        return {
            "of": self.of,
            "sigma_before": self.sigma_before,
            "sigma_after": self.sigma_after,
            "exact": self.is_exact,
            "steps": [asdict(one) for one in self.steps],
        }


def plan_measurements(
    update: Update, offers: Sequence[Measurement], target: Measurement, count: int, ids: Sequence[str]
) -> MeasurementPlan:
    """Return the plan of at most ``count`` of the offers for a result, after the measurements that were made."""
    covariance, noise = _joint_covariance(update, offers, target)
    count = min(count, len(offers))
    first = float(covariance[0, 0])
    chosen: Sequence[int] = range(1, len(offers) + 1)
    if exact := comb(len(offers), count) <= _MOST_SETS:
        gains = {
            one: (first - _variance_after(covariance, noise, one)) / sum(offers[k - 1].cost for k in one)
            for one in combinations(chosen, count)
        }
        chosen = max(gains.items(), key=lambda one: one[1])[0]
    order: list[int] = []
    while len(order) < count:
        rest = [k for k in chosen if k not in order]
        now = _variance_after(covariance, noise, order)
        worth = {k: (now - _variance_after(covariance, noise, [*order, k])) / offers[k - 1].cost for k in rest}
        best = max(worth, key=lambda k: worth[k])
        if not worth[best] > 0:
            break
        order.append(best)
    steps = []
    for n, k in enumerate(order):
        one, before = offers[k - 1], order[:n]
        sizes = [sqrt(_variance_after(covariance, noise, some)) for some in (before, [*before, k])]
        perfect = noise.copy()
        perfect[k, k] = 0.0
        least = sqrt(_variance_after(covariance, perfect, [*before, k]))
        # gain(s²) = g²/(v + s²): nine tenths of the perfect one at s² = v (1/0.9 − 1)
        enough = sqrt(_variance_after(covariance, noise, before, k) * (1 / _WORTH - 1))
        numbers = (one.sigma / abs(one.size), *sizes, enough / abs(one.size), least)
        steps.append(NextMeasurement(ids[one.item], one.label, one.unit, one.cost, *map(float, numbers)))
    return MeasurementPlan(target.text, sqrt(max(first, 0.0)), tuple(steps), exact)


def _joint_covariance(update: Update, offers: Sequence[Measurement], target: Measurement) -> tuple[_Floats, _Floats]:
    """Return covariances (1 + k, 1 + k) of result and offers after the measurements, and noise of the offers."""
    at, every = update.at, [target, *offers, *update.measurements]
    assert at.bodies.inertia is not None
    gradients = [
        observed_gradient(one, float(at.bodies.mass[one.item]), at.bodies.inertia[one.item], at.center[one.item])
        for one in every
    ]
    values = [observed(one, at) for one in every]
    items = np.array([one.item for one in every], np.intp)
    each = np.array([one.each for one in every])
    matrix = RowCovariance(update.prior, at, Rows(items, np.array(gradients), each)).matrix()
    noise = noise_of(every, np.array(values)).matrix
    k = 1 + len(offers)
    whole = matrix + noise
    own = np.diag([one.sigma**2 for one in every[:k]])
    joint = whole[:k, :k] - own
    if len(every) > k:
        half = whole[:k, k:] @ inverse_factor(whole[k:, k:])
        joint = joint - half @ half.T
    return joint, own


def _variance_after(covariance: _Floats, noise: _Floats, known: Sequence[int], k: int = 0) -> float:
    """Return the variance of a row, the result if not stated, without its own noise, after some offers."""
    at = list(known)
    if not at:
        return max(float(covariance[k, k]), 0.0)
    half = covariance[k, at] @ inverse_factor((covariance + noise)[np.ix_(at, at)])
    return max(float(covariance[k, k] - half @ half), 0.0)
