"""The probability that a normal point lies in an ellipsoid, or in an ellipse across the axes that are asked for.

Measured in half axes the ellipsoid is the unit ball, which turning leaves as it is; so the point's axes are turned
until they are independent. Two integrals by Gauss–Legendre with y = r sin t, which takes the roots at the ends away;
the innermost in closed form.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from massprops_cli.findings import UsageError
from massprops_cli.rollup.normal.line import phi_of
from massprops_cli.rollup.normal.quadrature import REACH, nodes_between

Floats = NDArray[np.float64]

FLAT = 1e-8
"""A spread below this share of the largest is rounding: the point does not move that way."""


def in_ellipsoid(center: Floats, covariance: Floats, middle: Floats, half_axes: Floats) -> float:
    """Give P(Σ ((X − middle)/half)² ≤ 1) for X normal about ``center (3,)`` with ``covariance (3, 3)``.

    ``half_axes (3,)`` lie along the frame's axes; an infinite one leaves its axis out, so that an ellipse or an
    interval remains. The covariance may be singular. Lengths in one unit. Exact to about 1e-13, to 1e-10 where sigmas
    are a millionth of the half axes. Raises UsageError for a half axis that is not positive.

    >>> one = in_ellipsoid(np.zeros(3), np.eye(3), np.zeros(3), np.array([2.0, 2.0, np.inf]))
    >>> f"{one:.12f}", f"{1 - np.exp(-2):.12f}"
    ('0.864664716763', '0.864664716763')
    """
    if not (half_axes > 0).all():
        raise UsageError("the half axes of an ellipse are positive numbers, or infinite for an axis that is left out")
    asked = np.flatnonzero(np.isfinite(half_axes))
    if not len(asked):
        return 1.0
    half = half_axes[asked]
    mean = (center - middle)[asked] / half
    variance, axes = np.linalg.eigh(covariance[np.ix_(asked, asked)] / np.outer(half, half))
    spread = np.sqrt(np.maximum(variance, 0.0))
    moves = spread > FLAT * spread.max()
    mean = mean @ axes
    room = 1.0 - float(np.sum(mean[~moves] ** 2))
    if room < 0 or not moves.any():
        return float(room >= 0)
    return float(np.clip(in_ball(float(np.sqrt(room)), mean[moves], spread[moves]), 0.0, 1.0))


def in_ball(radius: float, mean: Floats, sigma: Floats) -> float:
    """Give P(|Y| ≤ radius) for independent normal Y about ``mean (d,)`` with ``sigma (d,)``, ascending, d > 0."""
    if len(mean) == 1:
        return float(about_zero(np.array([radius]), float(mean[0]), float(sigma[0]))[0])
    low, high = np.clip(mean[0] + np.array([-REACH, REACH]) * sigma[0], -radius, radius) / radius
    if low >= high:
        return 0.0
    t, weights = nodes_between(float(np.arcsin(low)), float(np.arcsin(high)), turns(radius, mean, sigma))
    weights = weights * radius * np.cos(t) * density((radius * np.sin(t) - mean[0]) / sigma[0]) / sigma[0]
    rest = radius * np.cos(t)
    if len(mean) == 2:
        return float(weights @ about_zero(rest, float(mean[1]), float(sigma[1])))
    return float(weights @ np.array([in_ball(float(r), mean[1:], sigma[1:]) for r in rest]))


def turns(radius: float, mean: Floats, sigma: Floats) -> Floats:
    """Give the angles t where the integrand bends: about the mean, and where the rest of the radius passes a mean."""
    steps = np.array([-REACH, -REACH / 3, 0.0, REACH / 3, REACH])
    at = np.arcsin(np.clip((mean[0] + steps * sigma[0]) / radius, -1.0, 1.0))
    distance = np.sqrt(np.sum(mean[1:] ** 2))
    passed = np.clip((distance + np.outer(sigma[1:], steps).ravel()) / radius, 0.0, 1.0)
    return np.concatenate([at, np.arccos(passed), -np.arccos(passed)])


def about_zero(radius: Floats, mean: float, sigma: float) -> Floats:
    """Give P(|Y| ≤ radius) ``(n,)`` for one normal Y and ``radius (n,)``."""
    return phi_of((radius - mean) / sigma) - phi_of((-radius - mean) / sigma)


def density(z: Floats) -> Floats:
    """Give the density of a standard normal variable."""
    return np.asarray(np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi))
