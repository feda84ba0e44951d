"""Deviations from the stated value, as increasing functions of a standard normal deviate or of a share.

Increasing, so that members of a group whose inputs are of different kinds share one deviate (a Gaussian copula).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.rollup.montecarlo.normal_law import point_below
from massprops_cli.rollup.normal.line import phi, phi_of

Floats = NDArray[np.float64]

NORMAL, LOGNORMAL, UNIFORM, TRIANGULAR, TRUNCATED = range(5)
"""Places in ``shapes.KINDS``."""
HALF_WIDTH = {UNIFORM: math.sqrt(3.0), TRIANGULAR: math.sqrt(6.0)}
"""Half the width of a symmetrical distribution, in its sigmas."""


class Margin(NamedTuple):
    """One input: its kind, value and sigma, and its bounds (NaN where none are given)."""

    kind: int
    value: float
    sigma: float
    low: float = math.nan
    likely: float = math.nan
    high: float = math.nan


def deviation(margin: Margin, z: Floats) -> Floats:
    """Give how far an input lies from its value ``(b,)`` for standard normal deviates ``z (b,)``.

    >>> deviation(Margin(UNIFORM, 5.0, 0.0, low=4.0, high=8.0), np.zeros(1)).tolist()
    [1.0]
    """
    if margin.kind == NORMAL:
        return margin.sigma * z
    if margin.kind == LOGNORMAL:
        return lognormal(margin, z)
    return from_share(margin, phi_of(z))


def from_share(margin: Margin, share: Floats) -> Floats:
    """Give how far an input lies from its value ``(b,)`` at given shares of its distribution ``(b,)`` in 0 … 1."""
    if margin.kind == TRUNCATED:
        return truncated(margin, share)
    if margin.kind == UNIFORM:
        low, high = edges(margin)
        return low + (high - low) * share
    return triangular(margin, share)


def lognormal(margin: Margin, z: Floats) -> Floats:
    """Deviations of a lognormal with the input's own mean and sigma; mirrored for a negative value.

    ln x ~ N(ln|v| − s²/2, s²) with s² = ln(1 + (sigma/v)²).
    """
    ratio = margin.sigma / abs(margin.value)
    square = math.log1p(ratio * ratio) if ratio < 1.0 else 2.0 * math.log(math.hypot(1.0, ratio))
    sign = math.copysign(1.0, margin.value)
    return margin.value * np.expm1(sign * math.sqrt(square) * z - square / 2)


def edges(margin: Margin) -> tuple[float, float]:
    """Give both ends as deviations: the bounds, or as wide as the sigma says."""
    half = HALF_WIDTH[margin.kind] * margin.sigma
    low = -half if math.isnan(margin.low) else margin.low - margin.value
    high = half if math.isnan(margin.high) else margin.high - margin.value
    return low, high


def triangular(margin: Margin, share: Floats) -> Floats:
    """Deviations of a triangle between both ends with its top at the likeliest value."""
    low, high = edges(margin)
    top = 0.0 if math.isnan(margin.likely) else margin.likely - margin.value
    width = high - low
    if width <= 0.0:
        return np.full_like(share, low)
    rising = low + np.sqrt(share * width * (top - low))
    falling = high - np.sqrt((1.0 - share) * width * (high - top))
    return np.where(share * width < top - low, rising, falling)


def truncated(margin: Margin, share: Floats) -> Floats:
    """Deviations of a normal distribution cut at the bounds, by the inverse of its distribution function."""
    center = 0.0 if math.isnan(margin.likely) else margin.likely - margin.value
    if margin.sigma == 0.0:
        return np.full_like(share, center)
    low = -math.inf if math.isnan(margin.low) else (margin.low - margin.value - center) / margin.sigma
    high = math.inf if math.isnan(margin.high) else (margin.high - margin.value - center) / margin.sigma
    if low > -high:  # a window in the upper tail is mirrored into the lower one, where shares keep their digits
        return center - margin.sigma * window(-high, -low, 1.0 - share)
    return center + margin.sigma * window(low, high, share)


def window(low: float, high: float, share: Floats) -> Floats:
    """Give standard normal deviates between two cuts at given shares of what lies between them."""
    below, above = phi(low), phi(high)
    return np.clip(point_below(below + share * (above - below)), low, high)
