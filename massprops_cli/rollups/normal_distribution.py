"""One normal variable: distribution function and inverse, probabilities, intervals, nodes of integration.

Φ(z) = erfc(−z/√2)/2 (docs/formulas.md, section 11), because ``statistics.NormalDist.cdf`` has no digits in the lower
tail (it gives 0 at z = −10); its inverse is Wichura's AS 241 of that class, about 1e-16. Integrals are Gauss–Legendre
sums over intervals that are divided where the integrand changes its form.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from numpy.typing import NDArray

from massprops_cli.findings.finding import UsageError

_Floats = NDArray[np.float64]

_ROOT_HALF = math.sqrt(0.5)


def normal_cdf(z: float) -> float:
    """Return Φ(z), the probability that a standard normal variable is at or below z.

    Notes
    -----
    docs/formulas.md, section 11.
    """
    return 0.5 * math.erfc(-z * _ROOT_HALF)


def normal_cdf_values(z: _Floats) -> _Floats:
    """Return Φ of every element.

    Parameters
    ----------
    z : array, any shape, dimensionless
        Limits in standard deviations.

    Returns
    -------
    array
        Probabilities, in the shape of ``z``.

    Notes
    -----
    docs/formulas.md, section 11.
    """
    # NumPy has no error function; the C library's is exact in both tails
    scaled = (z * -_ROOT_HALF).ravel().tolist()
    return 0.5 * np.fromiter(map(math.erfc, scaled), float, z.size).reshape(z.shape)


def _normal_quantile(p: float) -> float:
    """Return the z with Φ(z) = p; ±inf at 1 and 0."""
    from statistics import NormalDist

    if not 0 <= p <= 1:
        raise UsageError(f"probability is not between 0 and 1: {p}")
    return NormalDist().inv_cdf(p) if 0 < p < 1 else math.copysign(math.inf, p - 0.5)


def _probability_below(value: float, sigma: float, limit: float) -> float:
    """Return P(X ≤ limit) for X normal with mean ``value``; without a sigma it is 0 or 1."""
    return probability_between(value, sigma, -math.inf, limit)


def probability_between(value: float, sigma: float, low: float, high: float) -> float:
    """Return P(low ≤ X ≤ high) of a normal variable.

    Notes
    -----
    docs/formulas.md, section 11.
    """
    if high < low:
        return 0.0
    if sigma == 0:
        return float(low <= value <= high)
    a, b = (low - value) / sigma, (high - value) / sigma
    return normal_cdf(-a) - normal_cdf(-b) if a > 0 else normal_cdf(b) - normal_cdf(a)


def probability_outside(value: float, sigma: float, low: float, high: float) -> float:
    """Return 1 − P(low ≤ X ≤ high) of a normal variable, computed without the subtraction.

    Notes
    -----
    docs/formulas.md, section 11.
    """
    if high < low or sigma == 0:
        return 1.0 - probability_between(value, sigma, low, high)
    return normal_cdf((low - value) / sigma) + normal_cdf((value - high) / sigma)


def normal_interval(value: float, sigma: float, level: float) -> tuple[float, float]:
    """Return the symmetric interval about a value that contains a normal variable with a given probability.

    Notes
    -----
    docs/formulas.md, section 11.
    """
    if not 0 < level < 1:
        raise UsageError(f"level of an interval is not between 0 and 1: {level} (for instance 0.95)")
    reach = -_normal_quantile((1 - level) / 2) * sigma
    return value - reach, value + reach


INTEGRATION_REACH = 9.0
"""Standard deviations beyond which nothing is left: 2 Phi(−9) = 2e-19."""
_NODE_COUNT = 64
"""Enough for the step of Phi over a whole piece: exact to about 1e-14."""


@cache
def _legendre_nodes() -> tuple[_Floats, _Floats]:
    """Return nodes and weights ``(_NODE_COUNT,)`` on −1 … 1."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODE_COUNT)
    return nodes, weights


def integration_nodes(low: float, high: float, cuts: _Floats) -> tuple[_Floats, _Floats]:
    """Return nodes and weights of an integral over an interval that is divided at cuts.

    Parameters
    ----------
    low, high : float, any unit
        Ends of the interval.
    cuts : array, shape (k,), same unit
        Those outside the interval, and NaN, are ignored.

    Returns
    -------
    nodes, weights : array, shape (pieces × 64,), same unit
        ∫ f ≈ Σ weights f(nodes).

    Notes
    -----
    Gauss–Legendre sums: docs/formulas.md, section 11.
    """
    inside = cuts[(cuts > low) & (cuts < high)]
    ends = np.unique(np.concatenate([[low], inside, [high]]))
    middle, half = (ends[1:] + ends[:-1]) / 2, (ends[1:] - ends[:-1]) / 2
    nodes, weights = _legendre_nodes()
    return (middle[:, None] + half[:, None] * nodes).ravel(), (half[:, None] * weights).ravel()
