"""The ten inputs of every item as rows: values, what normal deviates are multiplied by, and other distributions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import Bodies, Sigmas
from massprops_cli.findings import UsageError
from massprops_cli.rollup.correlation import TEN
from massprops_cli.rollup.montecarlo.distributions import LOGNORMAL, NORMAL, TRUNCATED, Margin
from massprops_cli.rollup.montecarlo.shapes import KINDS, NOT_STATED, Shapes

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

POSITIVE = (0, 4, 5, 6)
"""Mass and the three moments of inertia: what has a sign by nature."""


@dataclass(frozen=True, slots=True)
class Inputs:
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
    def of(cls, bodies: Bodies, sigmas: Sigmas, shapes: Shapes | None, distribution: str) -> Inputs:
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
        row = np.where(shapes.kind == NOT_STATED, usual, shapes.kind).astype(np.int8)
        if not row.any():
            return cls(value, sigma)
        bounds = stated_bounds(shapes, value, bodies.is_point)
        kind = kinds(row, value, sigma, bounds)
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


def stated_bounds(shapes: Shapes, value: Floats, is_point: Mask) -> Floats:
    """Give low, likely and high ``(3, 10, n)``, NaN where no column states them."""
    bounds = np.full((3, *value.shape), np.nan)
    for quantity, stated in shapes.bounds.items():
        bounds[:, quantity] = stated
    bounds[:, 4:, is_point] = np.nan
    low, likely, high = bounds
    top = np.where(np.isnan(likely), value, likely)
    bad = (low > high) | (low > top) | (top > high)
    # a normal or lognormal row has no use for bounds, so it may keep odd ones
    bad &= ~np.isin(shapes.kind, (NORMAL, LOGNORMAL))
    if bad.any():
        quantity, item = (int(place[0]) for place in np.nonzero(bad))
        raise UsageError(f"the bounds of {TEN[quantity]} of item {item} are not in the order low, likely, high")
    return bounds


def kinds(row: NDArray[np.int8], value: Floats, sigma: Floats, bounds: Floats) -> NDArray[np.int8]:
    """Give the kind of every input ``(10, n)`` from that of its row, and cut what is truncated at 0."""
    kind = np.tile(row, (10, 1))
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
