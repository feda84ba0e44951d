"""One normal variable: its distribution function and the inverse, probabilities, intervals.

Phi(z) = erfc(−z/√2)/2; its inverse is Wichura's AS 241 (Python's ``statistics``), about 1e-16.

Gauss–Legendre quadrature over an interval cut where the integrand changes its form.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from numpy.typing import NDArray

from massprops_cli.findings import UsageError

_Floats = NDArray[np.float64]

_ROOT_HALF = math.sqrt(0.5)


def normal_cdf(z: float) -> float:
    """Return Phi(z), the probability that a standard normal variable is at or below ``z``.

    >>> normal_cdf(0.0), f"{normal_cdf(-10.0):.10e}"
    (0.5, '7.6198530242e-24')
    """
    return 0.5 * math.erfc(-z * _ROOT_HALF)


def normal_cdf_values(z: _Floats) -> _Floats:
    """Return Phi of every element, in the shape of ``z``.

    >>> normal_cdf_values(np.array([0.0, 1.0])).round(12).tolist()
    [0.5, 0.841344746069]
    """
    # NumPy has no error function; the C library's is exact in both tails
    scaled = (z * -_ROOT_HALF).ravel().tolist()
    return 0.5 * np.fromiter(map(math.erfc, scaled), float, z.size).reshape(z.shape)


def _normal_quantile(p: float) -> float:
    """Return the z with Phi(z) = p; ±inf at 1 and 0.

    >>> f"{_normal_quantile(0.975):.12f}"
    '1.959963984540'
    """
    from statistics import NormalDist

    if not 0 <= p <= 1:
        raise UsageError(f"probability is not between 0 and 1: {p}")
    return NormalDist().inv_cdf(p) if 0 < p < 1 else math.copysign(math.inf, p - 0.5)


def _probability_below(value: float, sigma: float, limit: float) -> float:
    """Return P(X ≤ limit) for X normal with mean ``value``; without a sigma it is certain, 0 or 1.

    >>> f"{_probability_below(10.0, 2.0, 12.0):.6f}", _probability_below(10.0, 0.0, 10.0)
    ('0.841345', 1.0)
    """
    return probability_between(value, sigma, -math.inf, limit)


def probability_between(value: float, sigma: float, low: float, high: float) -> float:
    """Return P(low ≤ X ≤ high) for X normal; small probabilities keep their relative accuracy in both tails.

    >>> f"{probability_between(0.0, 1.0, -1.0, 1.0):.12f}", f"{probability_between(0.0, 1.0, 9.0, 10.0):.6e}"
    ('0.682689492137', '1.128512e-19')
    """
    if high < low:
        return 0.0
    if sigma == 0:
        return float(low <= value <= high)
    a, b = (low - value) / sigma, (high - value) / sigma
    return normal_cdf(-a) - normal_cdf(-b) if a > 0 else normal_cdf(b) - normal_cdf(a)


def probability_outside(value: float, sigma: float, low: float, high: float) -> float:
    """Return 1 − P(low ≤ X ≤ high) without the subtraction, so that one in a milliard is not lost.

    >>> f"{probability_outside(0.0, 1.0, -8.0, 8.0):.6e}"
    '1.244192e-15'
    """
    if high < low or sigma == 0:
        return 1.0 - probability_between(value, sigma, low, high)
    return normal_cdf((low - value) / sigma) + normal_cdf((value - high) / sigma)


def normal_interval(value: float, sigma: float, level: float) -> tuple[float, float]:
    """Return the interval about ``value`` that holds X with probability ``level``, as much below it as above.

    Raises UsageError for a level that is not between 0 and 1.

    >>> low, high = normal_interval(100.0, 1.0, 0.95)
    >>> f"{low:.3f} {high:.3f}"
    '98.040 101.960'
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
    """Return nodes and weights ``(NODES,)`` on −1 … 1."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODE_COUNT)
    return nodes, weights


def integration_nodes(low: float, high: float, cuts: _Floats) -> tuple[_Floats, _Floats]:
    """Return nodes and weights ``(pieces · NODES,)`` for the integral from ``low`` to ``high``, cut at ``cuts (k,)``.

    Cuts outside the interval, and those that are not numbers, are left out.

    >>> x, w = integration_nodes(0.0, 3.0, np.array([1.0, 7.0]))
    >>> len(x) == 2 * _NODE_COUNT, f"{np.sum(w * x**2):.12f}"
    (True, '9.000000000000')
    """
    inside = cuts[(cuts > low) & (cuts < high)]
    ends = np.unique(np.concatenate([[low], inside, [high]]))
    middle, half = (ends[1:] + ends[:-1]) / 2, (ends[1:] - ends[:-1]) / 2
    nodes, weights = _legendre_nodes()
    return (middle[:, None] + half[:, None] * nodes).ravel(), (half[:, None] * weights).ravel()
