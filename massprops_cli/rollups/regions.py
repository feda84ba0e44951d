"""One normal variable: distribution, inverse (AS 241), probabilities, intervals (docs/formulas.md, section 11)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, pairwise, product
from math import inf, isfinite
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from massprops_cli.findings.finding import UsageError

_Floats = NDArray[np.float64]
_ROOT_HALF = math.sqrt(0.5)  # Φ(z) = erfc(−z √½) / 2
_INTEGRATION_REACH = 9.0  # standard deviations beyond which nothing is left: 2 Phi(−9) = 2e-19
_NODE_COUNT = 64  # enough for the step of Phi over a whole piece: exact to about 1e-14
_FLAT_BOX = 1e-14  # an eigenvalue of a correlation matrix below this is rounding: the axes depend on each other
_FLAT_ELLIPSOID = 1e-8  # a spread below this share of the largest is rounding: the point does not move that way
Point = tuple[float, float]
_PolygonEdge = tuple[Point, Point]
_Triple = tuple[float, float, float]
CENTER_RESULTS = slice(1, 4)  # places of the centre in ``SAMPLED_RESULTS``
_INTEGRATION_ACCURACY = 1e-12  # the accuracy of a probability that was integrated
_Chance = tuple[float, float, float]
"""A probability and that of the opposite, which keeps its digits where the first is nearly 1, and their accuracy."""
_NEGLIGIBLE = 1e-18  # a weight of a mass below this share of a probability
_FLAT_POLYGON = 1e-12
"""An eigenvalue of a correlation matrix below this is rounding: one variable follows from the other."""
_INTEGRATION_CUTS = np.array(
    [-_INTEGRATION_REACH, -_INTEGRATION_REACH / 3, 0.0, _INTEGRATION_REACH / 3, _INTEGRATION_REACH]
)
"""Between these, in standard deviations, Phi and phi are smooth enough for one piece."""


def normal_cdf(z: float) -> float:
    """Return Φ(z), P(Z ≤ z) of a standard normal variable: docs/formulas.md, section 11."""
    return 0.5 * math.erfc(-z * _ROOT_HALF)


def normal_cdf_values(z: _Floats) -> _Floats:
    """Return Φ of every element, limits (…,) in standard deviations → (…,): docs/formulas.md, section 11."""
    # NumPy has no error function; the C library's is exact in both tails
    return 0.5 * np.fromiter(map(math.erfc, (z * -_ROOT_HALF).ravel().tolist()), float, z.size).reshape(z.shape)


def _normal_quantile(p: float) -> float:
    """Return the z with Φ(z) = p; ±inf at 1 and 0."""
    from statistics import NormalDist

    if not 0 <= p <= 1:
        raise UsageError(f"probability is not between 0 and 1: {p}")
    return NormalDist().inv_cdf(p) if 0 < p < 1 else math.copysign(math.inf, p - 0.5)


def probability_between(value: float, sigma: float, low: float, high: float) -> float:
    """Return P(low ≤ X ≤ high) of a normal variable: docs/formulas.md, section 11."""
    if high < low:
        return 0.0
    if sigma == 0:
        return float(low <= value <= high)
    a, b = (low - value) / sigma, (high - value) / sigma
    return normal_cdf(-a) - normal_cdf(-b) if a > 0 else normal_cdf(b) - normal_cdf(a)


def _probability_outside(value: float, sigma: float, low: float, high: float) -> float:
    """Return 1 − P(low ≤ X ≤ high) of a normal variable, without the subtraction: docs/formulas.md, section 11."""
    if high < low or sigma == 0:
        return 1.0 - probability_between(value, sigma, low, high)
    return normal_cdf((low - value) / sigma) + normal_cdf((value - high) / sigma)


def normal_interval(value: float, sigma: float, level: float) -> tuple[float, float]:
    """Return the interval, symmetric about a value, of given normal probability: docs/formulas.md, section 11."""
    if not 0 < level < 1:
        raise UsageError(f"level of an interval is not between 0 and 1: {level} (for instance 0.95)")
    reach = -_normal_quantile((1 - level) / 2) * sigma
    return value - reach, value + reach


@cache
def _legendre_nodes() -> tuple[_Floats, _Floats]:
    """Return nodes and weights ``(_NODE_COUNT,)`` on −1 … 1."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODE_COUNT)
    return nodes, weights


def _integration_nodes(low: float, high: float, cuts: _Floats) -> tuple[_Floats, _Floats]:
    """Return Gauss–Legendre nodes, weights (pieces × 64,), low to high, cut at (k,): docs/formulas.md, section 11."""
    ends = np.unique(np.concatenate([[low], cuts[(cuts > low) & (cuts < high)], [high]]))
    middle, half = (ends[1:] + ends[:-1]) / 2, (ends[1:] - ends[:-1]) / 2
    nodes, weights = _legendre_nodes()
    return (middle[:, None] + half[:, None] * nodes).ravel(), (half[:, None] * weights).ravel()


def _box_probability(center: _Floats, covariance: _Floats, low: _Floats, high: _Floats) -> float:
    """Return P(low ≤ X ≤ high) for X normal about ``center (3,)`` with ``covariance (3, 3)``; exact to about 1e-13."""
    # limits (3,) may be infinite, which removes a side or an axis; the covariance may be singular, and an axis
    # without variance is certain; lengths in one unit
    sigma = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    if (low > high).any() or ((sigma == 0) & ((center < low) | (center > high))).any():
        return 0.0
    requested = np.flatnonzero((sigma > 0) & (np.isfinite(low) | np.isfinite(high)))
    sigma = sigma[requested]
    correlation = covariance[np.ix_(requested, requested)] / np.outer(sigma, sigma)
    if not (correlation - np.diag(np.diag(correlation))).any():
        sides = zip(center[requested], sigma, low[requested], high[requested], strict=True)
        return float(np.prod([probability_between(*map(float, side)) for side in sides]))
    lower, upper = (
        np.clip((side[requested] - center[requested]) / sigma, -_INTEGRATION_REACH, _INTEGRATION_REACH)
        for side in (low, high)
    )
    spread, axes = np.linalg.eigh(correlation)
    kept = spread > _FLAT_BOX * len(requested)
    return float(np.clip(_strips_probability(axes[:, kept] * np.sqrt(spread[kept]), lower, upper), 0.0, 1.0))


def _strips_probability(a: _Floats, low: _Floats, high: _Floats) -> float:
    """Return P(low ≤ a z ≤ high) for z standard normal ``(d,)``, d > 0; ``a (m, d)``, ``low`` and ``high (m,)``."""
    if a.shape[1] == 1:
        return float(_line_probabilities(a[:, 0], low[None], high[None])[0])
    z, weights = _integration_nodes(-_INTEGRATION_REACH, _INTEGRATION_REACH, _strip_corners(a, low, high))
    weights = weights * np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi)
    moved = z[:, None] * a[:, 0]
    lows, highs = low - moved, high - moved
    if a.shape[1] == 2:
        return float(weights @ _line_probabilities(a[:, 1], lows, highs))
    rest = np.array([_strips_probability(a[:, 1:], *strip) for strip in zip(lows, highs, strict=True)])
    return float(weights @ rest)


def _strip_corners(a: _Floats, low: _Floats, high: _Floats) -> _Floats:
    """Return the first coordinates of the points where d borders of the strips meet: kinks of the integrand."""
    d = a.shape[1]
    found: list[_Floats] = []
    for rows in combinations(range(len(a)), d):
        chosen = list(rows)
        if np.linalg.det(a[chosen]) == 0:
            continue
        borders = np.array(list(product(*zip(low[chosen], high[chosen], strict=True)))).T
        found.append(np.linalg.solve(a[chosen], borders)[0])
    return np.concatenate(found) if found else np.empty(0)


def _line_probabilities(slope: _Floats, low: _Floats, high: _Floats) -> _Floats:
    """Return P(low ≤ slope z ≤ high) ``(n,)`` for a standard normal z, ``slope (m,)``, ``low`` and ``high (n, m)``."""
    steep = slope != 0
    holds = ((low <= 0) & (high >= 0))[:, ~steep].all(axis=1)
    ends = np.stack([low[:, steep] / slope[steep], high[:, steep] / slope[steep]])
    first, last = ends.min(axis=0).max(axis=1), ends.max(axis=0).min(axis=1)
    share = np.zeros(len(low))
    some = holds & (first < last)
    share[some] = normal_cdf_values(last[some]) - normal_cdf_values(first[some])
    return share


def _ellipsoid_probability(center: _Floats, covariance: _Floats, middle: _Floats, half_axes: _Floats) -> float:
    """Return P(Σ ((X − middle)/half)² ≤ 1) for X normal about ``center (3,)`` with ``covariance (3, 3)``."""
    # half axes (3,) are along the axes of the table, an infinite one removes its axis; the covariance may be
    # singular; lengths in one unit; exact to about 1e-13, to 1e-10 where sigmas are a millionth of the half axes
    if not (half_axes > 0).all():
        raise UsageError("half axes of an ellipse must be positive, or infinite for an axis without a limit")
    if not len(requested := np.flatnonzero(np.isfinite(half_axes))):
        return 1.0
    half = half_axes[requested]
    mean = (center - middle)[requested] / half
    variance, axes = np.linalg.eigh(covariance[np.ix_(requested, requested)] / np.outer(half, half))
    spread = np.sqrt(np.maximum(variance, 0.0))
    moves = spread > _FLAT_ELLIPSOID * spread.max()
    mean = mean @ axes
    room = 1.0 - float(np.sum(mean[~moves] ** 2))
    if not moves.any():
        return float(room >= 0)
    if room <= 0:
        return 0.0
    return float(np.clip(_ball_probability(float(np.sqrt(room)), mean[moves], spread[moves]), 0.0, 1.0))


def _ball_probability(radius: float, mean: _Floats, sigma: _Floats) -> float:
    """Return P(|Y| ≤ radius) for independent normal Y about ``mean (d,)`` with ``sigma (d,)``, ascending, d > 0."""
    if len(mean) == 1:
        return float(_symmetric_probabilities(np.array([radius]), float(mean[0]), float(sigma[0]))[0])
    low, high = (
        np.clip(mean[0] + np.array([-_INTEGRATION_REACH, _INTEGRATION_REACH]) * sigma[0], -radius, radius) / radius
    )
    if low >= high:
        return 0.0
    # angles t at kinks of the integrand: about the mean, and where the rest of the radius passes a mean
    at = np.arcsin(np.clip((mean[0] + _INTEGRATION_CUTS * sigma[0]) / radius, -1.0, 1.0))
    distance = np.sqrt(np.sum(mean[1:] ** 2))
    passed = np.clip((distance + np.outer(sigma[1:], _INTEGRATION_CUTS).ravel()) / radius, 0.0, 1.0)
    kinks = np.concatenate([at, np.arccos(passed), -np.arccos(passed)])
    t, weights = _integration_nodes(float(np.arcsin(low)), float(np.arcsin(high)), kinks)
    z = (radius * np.sin(t) - mean[0]) / sigma[0]
    weights = weights * radius * np.cos(t) * np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi) / sigma[0]
    rest = radius * np.cos(t)
    if len(mean) == 2:
        return float(weights @ _symmetric_probabilities(rest, float(mean[1]), float(sigma[1])))
    return float(weights @ np.array([_ball_probability(float(r), mean[1:], sigma[1:]) for r in rest]))


def _symmetric_probabilities(radius: _Floats, mean: float, sigma: float) -> _Floats:
    """Return P(|Y| ≤ radius) ``(n,)`` for one normal Y and ``radius (n,)``."""
    return normal_cdf_values((radius - mean) / sigma) - normal_cdf_values((-radius - mean) / sigma)


def _polygon_edges(corners: Sequence[Point]) -> list[_PolygonEdge]:
    """Return the edges of a polygon; the last leads back to the first corner."""
    return list(pairwise([*corners, corners[0]]))


def edge_abscissas(corners: Sequence[Point], height: float) -> list[float]:
    """Return the abscissas where the edges of a polygon are at a height."""
    found: set[float] = set()
    for (x0, y0), (x1, y1) in _polygon_edges(corners):
        if y0 == y1 == height:
            found |= {x0, x1}
        elif min(y0, y1) <= height <= max(y0, y1) and y0 != y1:
            found.add(x0 + (x1 - x0) * ((height - y0) / (y1 - y0)))
    return sorted(found)


def is_inside_polygon(corners: Sequence[Point], x: float, y: float) -> bool:
    """Return whether a point is in a polygon or on its edge, by the even–odd rule: docs/formulas.md, section 10."""
    if x in edge_abscissas(corners, y):
        return True
    crossed = False
    for (x0, y0), (x1, y1) in _polygon_edges(corners):
        if y0 == y1 == y and min(x0, x1) <= x <= max(x0, x1):
            return True
        if (y0 > y) != (y1 > y) and x < x0 + (x1 - x0) * ((y - y0) / (y1 - y0)):
            crossed = not crossed
    return crossed


def crossing_edges(corners: Sequence[Point]) -> tuple[int, int] | None:
    """Return two edges of a polygon that cross each other."""
    for (i, (a, b)), (j, (c, d)) in combinations(enumerate(_polygon_edges(corners)), 2):
        is_apart = _turn_direction(a, b, c) * _turn_direction(a, b, d) < 0
        if is_apart and _turn_direction(c, d, a) * _turn_direction(c, d, b) < 0:
            return i, j
    return None


def is_flat_polygon(corners: Sequence[Point]) -> bool:
    """Return whether all corners of a polygon are on one line, so that nothing is inside."""
    return all(_turn_direction(corners[0], b, c) == 0 for b, c in combinations(corners[1:], 2))


def _turn_direction(a: Point, b: Point, c: Point) -> int:
    """Return 1 if the way from a over b to c turns left, -1 if right, 0 if it is straight within rounding."""
    one, other = (b[0] - a[0]) * (c[1] - a[1]), (b[1] - a[1]) * (c[0] - a[0])
    if abs(one - other) <= 1e-12 * (abs(one) + abs(other)):
        return 0
    return 1 if one > other else -1


class NormalResults(NamedTuple):
    """The results of one item as normal variables; NaN where not known."""

    mean: _Floats  # (13,) order of ``SAMPLED_RESULTS``
    sigma: _Floats  # (13,)
    center: _Floats  # (3, 3) covariance of the centre, length²


class ResultRegion(Protocol):
    """A set of results; frozen, so that it can be sent to other processes."""

    @property
    def results(self) -> Sequence[int]:
        """Numbers of the results that decide, in ``SAMPLED_RESULTS``."""

    def __call__(self, samples: _Floats) -> NDArray[np.bool_]:
        """Return which of the samples ``(B, 13)`` are inside ``(B,)``; NaN is outside."""

    def chance(self, normal: NormalResults) -> _Chance:
        """Return the probability under the normal approximation: docs/formulas.md, section 11."""


@dataclass(frozen=True, slots=True)
class ResultRange:
    """Result number ``result`` from ``low`` to ``high``, which may be infinite."""

    result: int
    low: float = -inf
    high: float = inf

    @property
    def results(self) -> Sequence[int]:
        """The one result."""
        return (self.result,)

    def __call__(self, samples: _Floats) -> NDArray[np.bool_]:
        """Return which of the samples ``(B, 13)`` are in the range ``(B,)``."""
        chosen = samples[:, self.result]
        return (chosen >= self.low) & (chosen <= self.high)

    def chance(self, normal: NormalResults) -> _Chance:
        """Return the probability of the range, each tail with full accuracy: docs/formulas.md, section 11."""
        value, sigma = float(normal.mean[self.result]), float(normal.sigma[self.result])
        sides = value, sigma, self.low, self.high
        return probability_between(*sides), _probability_outside(*sides), 0.0


@dataclass(frozen=True, slots=True)
class CenterBox:
    """The centre of mass between ``low`` and ``high``, length, on every axis; infinite limits remove a side."""

    low: _Triple
    high: _Triple

    @property
    def results(self) -> Sequence[int]:
        """The coordinates that are bounded."""
        sides = zip(self.low, self.high, strict=True)
        return [k for k, side in enumerate(sides, CENTER_RESULTS.start) if any(map(isfinite, side))]

    def __call__(self, samples: _Floats) -> NDArray[np.bool_]:
        """Return which of the samples ``(B, 13)`` have their centre in the box ``(B,)``."""
        requested = self.results
        chosen, axes = samples[:, requested], [k - CENTER_RESULTS.start for k in requested]
        inside = (chosen >= np.array(self.low)[axes]) & (chosen <= np.array(self.high)[axes])
        return np.asarray(inside.all(axis=1))

    def chance(self, normal: NormalResults) -> _Chance:
        """Return the probability of the box, an integral over it: docs/formulas.md, section 11."""
        inside = _box_probability(normal.mean[CENTER_RESULTS], normal.center, np.array(self.low), np.array(self.high))
        return inside, 1 - inside, _INTEGRATION_ACCURACY


@dataclass(frozen=True, slots=True)
class CenterEllipsoid:
    """The centre within ``half_axes`` of ``middle``, length, axes of the table; an infinite one removes its axis."""

    middle: _Triple
    half_axes: _Triple

    @property
    def results(self) -> Sequence[int]:
        """The coordinates that are bounded."""
        return [k for k, half in enumerate(self.half_axes, CENTER_RESULTS.start) if isfinite(half)]

    def __call__(self, samples: _Floats) -> NDArray[np.bool_]:
        """Return which of the samples ``(B, 13)`` have their centre in the ellipsoid ``(B,)``."""
        requested = self.results
        axes = [k - CENTER_RESULTS.start for k in requested]
        scaled = (samples[:, requested] - np.array(self.middle)[axes]) / np.array(self.half_axes)[axes]
        return np.asarray(np.sum(scaled * scaled, axis=1) <= 1)

    def chance(self, normal: NormalResults) -> _Chance:
        """Return the probability of the ellipsoid, an integral over it: docs/formulas.md, section 11."""
        inside = _ellipsoid_probability(
            normal.mean[CENTER_RESULTS], normal.center, np.array(self.middle), np.array(self.half_axes)
        )
        return inside, 1 - inside, _INTEGRATION_ACCURACY


def polygon_probability(center: _Floats, covariance: _Floats, corners: Sequence[Point]) -> float:
    """Return P that normal variables, mean (2,), covariance (2, 2), maybe singular, are in a polygon, to 1e-13."""
    # ∮ Φ(u) φ(v) dv along its edges, which must not cross, in either direction: docs/formulas.md, section 10
    turned, way = _in_sigmas(center, covariance, corners)
    if turned is None:
        return _polygon_line_probability((float(center[0]), float(center[1])), way, corners)
    whole = sum(_edge_integral(start, end) for start, end in _polygon_edges(turned))
    return float(np.clip(abs(whole), 0.0, 1.0))


def _in_sigmas(center: _Floats, covariance: _Floats, corners: Sequence[Point]) -> tuple[list[Point] | None, Point]:
    """Return corners from the centre (2,) in independent standard deviations; None and the one direction if flat."""
    sigma = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    scale = np.where(sigma > 0, sigma, 1.0)
    spread, axes = np.linalg.eigh(covariance / np.outer(scale, scale))
    if not (moves := spread > _FLAT_POLYGON).all():
        way = (axes * np.sqrt(np.maximum(spread, 0.0)) * scale[:, None])[:, moves].sum(axis=1)
        return None, (float(way[0]), float(way[1]))
    turned = ((np.array(corners) - center) / scale) @ axes / np.sqrt(spread)
    return [(float(x), float(y)) for x, y in turned], (0.0, 0.0)


def border_distance(corners: Sequence[Point], point: Point) -> float:
    """Return the distance of a point from the border of a polygon."""
    start = np.array(corners) - point
    way = np.roll(start, -1, axis=0) - start
    length = np.maximum((way * way).sum(axis=1), 1e-300)  # 0 for a corner that is there twice
    share = np.clip(-(start * way).sum(axis=1) / length, 0.0, 1.0)
    return float(np.hypot(*(start + share[:, None] * way).T).min())


def border_sigmas(center: _Floats, covariance: _Floats, corners: Sequence[Point]) -> float:
    """Return the least number of standard deviations from a mean (2,) to the border; inf where none reaches it."""
    turned, way = _in_sigmas(center, covariance, corners)
    if turned is not None:
        return border_distance(turned, (0.0, 0.0))
    stops = _border_stops((float(center[0]), float(center[1])), way, corners)
    return min(map(abs, stops), default=inf)


def box_over_mass_probability(mean: _Floats, covariance: _Floats, rows: _Floats) -> float:
    """Return P that a centre is in a box whose limits, rows (k, 7) of m, low (3,), high (3,), are linear between."""
    # of m, x, y, z, mean (4,) and covariance (4, 4): the box of each mass, integrated over the mass
    sigma = float(np.sqrt(max(covariance[0, 0], 0.0)))
    if not sigma:
        if not rows[0, 0] <= mean[0] <= rows[-1, 0]:
            return 0.0
        z, weights = np.zeros(1), np.ones(1)
    else:
        ends = (rows[:, 0] - mean[0]) / sigma
        low, high = np.clip(ends[[0, -1]], -_INTEGRATION_REACH, _INTEGRATION_REACH)
        if low == high:
            return 0.0
        z, weights = _integration_nodes(float(low), float(high), np.concatenate([ends, _INTEGRATION_CUTS]))
        weights = weights * np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi)
        z, weights = z[weights > _NEGLIGIBLE], weights[weights > _NEGLIGIBLE]
    slope = covariance[0, 1:] / sigma if sigma else np.zeros(3)
    rest = covariance[1:, 1:] - np.outer(slope, slope)
    mass = mean[0] + sigma * z
    limits = np.array([np.interp(mass, rows[:, 0], column) if np.isfinite(column).all() else np.full(len(z), column[0])
                       for column in rows[:, 1:].T])  # fmt: skip
    inside = [
        _box_probability(mean[1:] + slope * t, rest, box[:3], box[3:]) for t, box in zip(z, limits.T, strict=True)
    ]
    return float(np.clip(weights @ np.array(inside), 0.0, 1.0))


def _edge_integral(start: Point, end: Point) -> float:
    """Return ∫ Phi(x) phi(y) dy along an edge, for independent standard normal variables."""
    (x0, y0), (x1, y1) = start, end
    low, high = np.clip([min(y0, y1), max(y0, y1)], -_INTEGRATION_REACH, _INTEGRATION_REACH).tolist()
    if low == high:
        return 0.0
    slope = (x1 - x0) / (y1 - y0)
    x, at = min(start, end, key=lambda corner: abs(corner[0]) + abs(corner[1]))  # the far one has fewer digits left
    passed = at + (_INTEGRATION_CUTS - x) / slope if slope else _INTEGRATION_CUTS
    y, weights = _integration_nodes(low, high, np.concatenate([_INTEGRATION_CUTS, passed]))
    density = np.exp(-0.5 * y * y) / np.sqrt(2 * np.pi)
    area = float(np.sum(weights * density * normal_cdf_values(x + slope * (y - at))))
    return area if y1 > y0 else -area


def _polygon_line_probability(center: Point, way: Point, corners: Sequence[Point]) -> float:
    """Return the probability for X = center + way · t with one standard normal t: the intervals inside the polygon."""
    (x, y), (u, v) = center, way
    met = [-_INTEGRATION_REACH, *_border_stops(center, way, corners, on_lines=True), _INTEGRATION_REACH]
    stops = sorted({min(max(t, -_INTEGRATION_REACH), _INTEGRATION_REACH) for t in met})
    inside = [
        (a, b) for a, b in pairwise(stops) if is_inside_polygon(corners, x + u * (a + b) / 2, y + v * (a + b) / 2)
    ]
    return min(1.0, sum(normal_cdf(b) - normal_cdf(a) for a, b in inside))


def _border_stops(center: Point, way: Point, corners: Sequence[Point], *, on_lines: bool = False) -> list[float]:
    """Return the t where center + way · t meets the edges of a polygon, or the whole lines through them."""
    (x, y), (u, v) = center, way
    met = []
    for (x0, y0), (x1, y1) in _polygon_edges(corners):
        if across := (x1 - x0) * v - (y1 - y0) * u:
            share = (u * (y0 - y) - v * (x0 - x)) / across
            if on_lines or 0 <= share <= 1:
                met.append(((x1 - x0) * (y0 - y) - (y1 - y0) * (x0 - x)) / across)
    return met
