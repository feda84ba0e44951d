"""The ten inputs of every item as rows: values, what normal deviates are multiplied by, and other distributions.

The inverse of the normal distribution function, for arrays, in double precision.

Deviations from the stated value, as increasing functions of a standard normal deviate or of a share.

Increasing, so that members of a group whose inputs are of different kinds share one deviate (a Gaussian copula).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import Bodies, Sigmas
from massprops_cli.findings import UsageError
from massprops_cli.rollups.inputs import TEN
from massprops_cli.rollups.montecarlo.samples import KINDS, NOT_STATED, Shapes
from massprops_cli.rollups.normal import phi, phi_of

Floats = NDArray[np.float64]

# M. J. Wichura, "Algorithm AS 241: The Percentage Points of the Normal Distribution", Applied Statistics 37 (1988),
# routine PPND16: numerators and denominators, highest power first
_CENTRAL = (
    (2509.0809287301226727, 33430.575583588128105, 67265.770927008700853, 45921.953931549871457,
     13731.693765509461125, 1971.5909503065514427, 133.14166789178437745, 3.387132872796366608),
    (5226.495278852854561, 28729.085735721942674, 39307.89580009271061, 21213.794301586595867,
     5394.1960214247511077, 687.1870074920579083, 42.313330701600911252, 1.0),
)  # fmt: skip
_MIDDLE = (
    (7.7454501427834140764e-4, 0.0227238449892691845833, 0.24178072517745061177, 1.27045825245236838258,
     3.64784832476320460504, 5.7694972214606914055, 4.6303378461565452959, 1.42343711074968357734),
    (1.05075007164441684324e-9, 5.475938084995344946e-4, 0.0151986665636164571966, 0.14810397642748007459,
     0.68976733498510000455, 1.6763848301838038494, 2.05319162663775882187, 1.0),
)  # fmt: skip
_FAR = (
    (2.01033439929228813265e-7, 2.71155556874348757815e-5, 0.0012426609473880784386, 0.026532189526576123093,
     0.29656057182850489123, 1.7848265399172913358, 5.4637849111641143699, 6.6579046435011037772),
    (2.04426310338993978564e-15, 1.4215117583164458887e-7, 1.8463183175100546818e-5, 7.868691311456132591e-4,
     0.0148753612908506148525, 0.13692988092273580531, 0.59983220655588793769, 1.0),
)  # fmt: skip
_LEAST, _MOST = 1e-300, 1.0 - 2.0**-53


def point_below(share: Floats) -> Floats:
    """Give the z below which each share of a standard normal distribution lies, to about 1e-16; 0 and 1 are finite.

    >>> point_below(np.array([0.5, 0.975])).round(12).tolist()
    [0.0, 1.95996398454]
    """
    share = np.clip(share, _LEAST, _MOST)
    q = share - 0.5
    z = np.empty_like(q)
    central = np.abs(q) <= 0.425
    inner = q[central]
    z[central] = inner * _ratio(_CENTRAL, 0.180625 - inner * inner)
    outer = ~central
    tail = np.minimum(share[outer], 1.0 - share[outer])
    r = np.sqrt(-np.log(tail))
    size = np.where(r <= 5.0, _ratio(_MIDDLE, r - 1.6), _ratio(_FAR, r - 5.0))
    z[outer] = np.copysign(size, q[outer])
    return z


def _ratio(polynomials: tuple[tuple[float, ...], tuple[float, ...]], r: Floats) -> Floats:
    numerator, denominator = (np.polyval(np.array(p), r) for p in polynomials)
    return numerator / denominator


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
        low, high = bound_deviations(margin)
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


def bound_deviations(margin: Margin) -> tuple[float, float]:
    """Give both ends as deviations: the bounds, or as wide as the sigma says."""
    half = HALF_WIDTH[margin.kind] * margin.sigma
    low = -half if math.isnan(margin.low) else margin.low - margin.value
    high = half if math.isnan(margin.high) else margin.high - margin.value
    return low, high


def triangular(margin: Margin, share: Floats) -> Floats:
    """Deviations of a triangle between both ends with its top at the likeliest value."""
    low, high = bound_deviations(margin)
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


Mask = NDArray[np.bool_]

POSITIVE = (0, 4, 5, 6)
"""Mass and the three moments of inertia: what has a sign by nature."""


@dataclass(frozen=True, slots=True)
class InputDistributions:
    """The ten inputs of n items, in the order mass, Cx … Cz, Ixx … Iyz.

    ``value (10, n)`` and ``sigma (10, n)``, zeros where there is none; a point mass has no tensor and no sigma of it.
    ``kind (10, n)`` counts in ``KINDS``, and ``bounds (3, 10, n)`` holds low, likely and high; both are None when
    everything is normal.
    """

    value: Floats
    sigma: Floats
    kind: NDArray[np.int8] | None = None
    bounds: Floats | None = None

    @classmethod
    def of(cls, bodies: Bodies, sigmas: Sigmas, shapes: Shapes | None, distribution: str) -> InputDistributions:
        """Take them from bodies and sigmas; raises UsageError for an unknown kind, or bounds out of order."""
        if distribution not in KINDS:
            raise UsageError(f"the distribution is {distribution}; it can be {', '.join(KINDS)}")
        value = rows(bodies.mass, bodies.center, bodies.inertia, bodies.is_point)
        sigma = rows(sigmas.mass, sigmas.center, sigmas.inertia, bodies.is_point)
        usual = KINDS.index(distribution)
        if shapes is None:
            if usual == NORMAL:
                return cls(value, sigma)
            shapes = Shapes(np.full(len(bodies.mass), NOT_STATED, np.int8))
        stated = np.array([shapes.kinds_of(place) for place in range(len(value))])
        wanted = np.where(stated == NOT_STATED, usual, stated).astype(np.int8)
        if not wanted.any():
            return cls(value, sigma)
        bounds = stated_bounds(shapes, stated, value, bodies.is_point)
        kind = kinds(wanted, value, sigma, bounds)
        kind[4:, bodies.is_point] = NORMAL
        return cls(value, sigma, kind, bounds)

    @property
    def scale(self) -> Floats:
        """What a row of deviates is multiplied by ``(10, n)``: sigma, or 1 where the distribution sets the size."""
        return self.sigma if self.kind is None else np.where(self.kind == NORMAL, self.sigma, 1.0)

    def varies(self) -> Mask:
        """Tell which inputs have errors ``(10, n)``."""
        varies: Mask = self.sigma != 0.0
        return varies if self.kind is None else varies | (self.kind != NORMAL)

    def margin(self, quantity: int, item: int) -> Margin:
        """Give the distribution of one input."""
        value, sigma = float(self.value[quantity, item]), float(self.sigma[quantity, item])
        if self.kind is None or self.bounds is None:
            return Margin(NORMAL, value, sigma)
        low, likely, high = self.bounds[:, quantity, item].tolist()
        return Margin(int(self.kind[quantity, item]), value, sigma, low, likely, high)


def rows(mass: Floats, center: Floats | None, inertia: Floats | None, is_point: Mask) -> Floats:
    """Put mass, centre and tensor into ten rows; what is absent is 0."""
    ten = np.zeros((10, len(mass)))
    ten[0] = mass
    if center is not None:
        ten[1:4] = center.T
    if inertia is not None:
        ten[4:] = inertia.T
        ten[4:, is_point] = 0.0
    return ten


def stated_bounds(shapes: Shapes, kind: NDArray[np.int8], value: Floats, is_point: Mask) -> Floats:
    """Give low, likely and high ``(3, 10, n)`` of inputs of a ``kind (10, n)``, NaN where no column states them."""
    bounds = np.full((3, *value.shape), np.nan)
    for quantity, stated in shapes.bounds.items():
        bounds[:, quantity] = stated
    bounds[:, 4:, is_point] = np.nan
    low, likely, high = bounds
    top = np.where(np.isnan(likely), value, likely)
    bad = (low > high) | (low > top) | (top > high)
    # a normal or lognormal input has no use for bounds, so it may keep odd ones
    bad &= ~np.isin(kind, (NORMAL, LOGNORMAL))
    if bad.any():
        quantity, item = (int(place[0]) for place in np.nonzero(bad))
        raise UsageError(f"the bounds of {TEN[quantity]} of item {item} are not in the order low, likely, high")
    return bounds


def kinds(wanted: NDArray[np.int8], value: Floats, sigma: Floats, bounds: Floats) -> NDArray[np.int8]:
    """Give the kind of every input ``(10, n)`` from the kind ``wanted (10, n)``, and cut what is truncated at 0."""
    kind = wanted.copy()
    signed = np.zeros(10, bool)
    signed[list(POSITIVE)] = True
    bounded = ~np.isnan(bounds[0]) | ~np.isnan(bounds[2])
    kind[(kind == LOGNORMAL) & (~signed[:, None] | (value == 0.0))] = NORMAL
    cut = (kind == TRUNCATED) & ~bounded
    bounds[0][cut & signed[:, None] & (value >= 0.0)] = 0.0
    bounds[2][cut & signed[:, None] & (value < 0.0)] = 0.0
    kind[cut & ~signed[:, None]] = NORMAL
    kind[(sigma == 0.0) & ~bounded] = NORMAL
    return kind
