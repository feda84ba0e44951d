"""A liquid at rest in a container: the height of its surface for a fill, its moments, its surface, its derivatives."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.liquids.containers import Container

_Floats = NDArray[np.float64]
_NEAR_ENDS = 1e-12  # share of the height by which the surface of an empty or a full container is inside it
_TOLERANCE = 1e-15  # share of a volume up to which it is searched
_NEWTON_STEPS = 40  # most steps before the bracket is only halved


class _LiquidRegion(NamedTuple):
    """The region of a liquid at rest and its free surface, coherent unit of length."""

    volume: float
    center: _Floats  # (3,); of an empty container the place of the first drop
    spread: _Floats  # (3, 3) ∫ (x − c)(x − c)ᵀ dV
    height: float  # of the surface along the upward normal, from the origin of the container's frame
    area: float  # of the free surface
    surface_center: _Floats  # (3,)
    surface_spread: _Floats  # (3, 3) mean of (x − s)(x − s)ᵀ on the surface, s its centre

    def placed(self, translation: _Floats, rotation: _Floats) -> _LiquidRegion:
        """Return the region after a rotation (3, 3) and a translation (3,); the height remains."""
        R = rotation
        center, surface = (R @ one + translation for one in (self.center, self.surface_center))
        spread, of_surface = (R @ one @ R.T for one in (self.spread, self.surface_spread))
        return self._replace(center=center, spread=spread, surface_center=surface, surface_spread=of_surface)


def liquid_region(container: Container, fill: float, up: _Floats) -> _LiquidRegion:
    """Return the liquid that fills a share 0 to 1 of a container; up (3,) is opposite to the acceleration."""
    whole = container.whole()
    low, high = container.span(up)
    if fill <= 0 or fill >= 1:
        height, P = (low, np.zeros((4, 4))) if fill <= 0 else (high, whole)
    else:
        height = _surface_height(container, fill * whole[0, 0], whole[0, 0], up, (low, high))
        P, _ = container.cut(up, height)
    area, surface, of_surface = 0.0, np.zeros(3), np.zeros((3, 3))
    margin = _NEAR_ENDS * (high - low)
    while not area > 0 and margin < high - low:  # a point of contact has no area: the surface next to it
        _, section = container.cut(up, min(max(height, low + margin), high - margin))
        area, surface, of_surface = _central_moments(section)
        margin *= 10
    surface = surface + (height - surface @ up) * up  # of the surface next to an end, moved to it
    volume, center, spread = _central_moments(P)
    center = center if volume > 0 else surface
    region = _LiquidRegion(
        volume, center, spread, height + float(up @ container.center), area, surface, of_surface / area
    )
    return region.placed(container.center, np.eye(3))


def _central_moments(P: _Floats) -> tuple[float, _Floats, _Floats]:
    """Return amount, centre (3,) and central second moments (3, 3) of moments (4, 4)."""
    if not P[0, 0] > 0:
        return 0.0, np.zeros(3), np.zeros((3, 3))
    center = P[0, 1:] / P[0, 0]
    return float(P[0, 0]), center, P[1:, 1:] - P[0, 0] * np.outer(center, center)


def _surface_height(
    container: Container, volume: float, capacity: float, up: _Floats, span: tuple[float, float]
) -> float:
    """Find the height below which a container holds a volume: Newton's method, halved where it leaves the bracket."""
    low, high = span
    height = low + (high - low) * volume / capacity
    count = 0
    while True:
        below, section = container.cut(up, height)
        excess, area = float(below[0, 0]) - volume, float(section[0, 0])
        low, high = (low, height) if excess > 0 else (height, high)
        step = excess / area if area > 0 else np.inf
        rounding = 2 * float(np.spacing(max(abs(low), abs(high))))
        if abs(excess) <= _TOLERANCE * volume or min(high - low, abs(step)) <= rounding:
            return height
        count += 1
        is_inside = low < height - step < high and count < _NEWTON_STEPS
        height = height - step if is_inside else (low + high) / 2
