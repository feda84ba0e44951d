"""The probability that a normal point lies in a box, by integration along whitened axes.

With correlation matrix Q Λ Qᵀ the scaled point is A z, A = Q √Λ, z standard normal; the box becomes a polytope in z.
Two integrals are taken by Gauss–Legendre, cut where edges of the polytope meet, the innermost in closed form. Outermost
stands the direction that spreads least, so that nothing is steep where axes depend on each other almost wholly.
"""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from massprops_cli.rollup.normal.line import between, phi_of
from massprops_cli.rollup.normal.quadrature import REACH, nodes_between

Floats = NDArray[np.float64]

FLAT = 1e-14
"""An eigenvalue of a correlation matrix below this is rounding: the axes depend on each other."""


def in_box(center: Floats, covariance: Floats, low: Floats, high: Floats) -> float:
    """Give P(low ≤ X ≤ high) for X normal about ``center (3,)`` with ``covariance (3, 3)``.

    ``low`` and ``high (3,)`` may be infinite, which leaves a side or an axis out. The covariance may be singular; an
    axis without variance is certain. Lengths in one unit. Exact to about 1e-13.

    >>> f"{in_box(np.zeros(3), np.eye(3), -np.ones(3), np.ones(3)):.12f}"
    '0.318177639017'
    """
    sigma = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    if (low > high).any() or ((sigma == 0) & ((center < low) | (center > high))).any():
        return 0.0
    asked = np.flatnonzero((sigma > 0) & (np.isfinite(low) | np.isfinite(high)))
    sigma = sigma[asked]
    correlation = covariance[np.ix_(asked, asked)] / np.outer(sigma, sigma)
    if not (correlation - np.diag(np.diag(correlation))).any():
        sides = zip(center[asked], sigma, low[asked], high[asked], strict=True)
        return float(np.prod([between(*map(float, side)) for side in sides]))
    lower, upper = (np.clip((side[asked] - center[asked]) / sigma, -REACH, REACH) for side in (low, high))
    spread, axes = np.linalg.eigh(correlation)
    kept = spread > FLAT * len(asked)
    return float(np.clip(in_strips(axes[:, kept] * np.sqrt(spread[kept]), lower, upper), 0.0, 1.0))


def in_strips(a: Floats, low: Floats, high: Floats) -> float:
    """Give P(low ≤ a z ≤ high) for z standard normal ``(d,)``, d > 0; ``a (m, d)``, ``low`` and ``high (m,)``."""
    if a.shape[1] == 1:
        return float(on_a_line(a[:, 0], low[None], high[None])[0])
    z, weights = nodes_between(-REACH, REACH, corners(a, low, high))
    weights = weights * np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi)
    moved = z[:, None] * a[:, 0]
    lows, highs = low - moved, high - moved
    if a.shape[1] == 2:
        return float(weights @ on_a_line(a[:, 1], lows, highs))
    rest = np.array([in_strips(a[:, 1:], *strip) for strip in zip(lows, highs, strict=True)])
    return float(weights @ rest)


def corners(a: Floats, low: Floats, high: Floats) -> Floats:
    """Give the first coordinates of the points where d borders of the strips meet: the integrand bends there."""
    d = a.shape[1]
    found: list[Floats] = []
    for rows in combinations(range(len(a)), d):
        chosen = list(rows)
        if np.linalg.det(a[chosen]) == 0:
            continue
        borders = np.array(list(product(*zip(low[chosen], high[chosen], strict=True)))).T
        found.append(np.linalg.solve(a[chosen], borders)[0])
    return np.concatenate(found) if found else np.empty(0)


def on_a_line(slope: Floats, low: Floats, high: Floats) -> Floats:
    """Give P(low ≤ slope z ≤ high) ``(n,)`` for one standard normal z, ``slope (m,)``, ``low`` and ``high (n, m)``."""
    steep = slope != 0
    holds = ((low <= 0) & (high >= 0))[:, ~steep].all(axis=1)
    ends = np.stack([low[:, steep] / slope[steep], high[:, steep] / slope[steep]])
    first, last = ends.min(axis=0).max(axis=1), ends.max(axis=0).min(axis=1)
    share = np.zeros(len(low))
    some = holds & (first < last)
    share[some] = phi_of(last[some]) - phi_of(first[some])
    return share
