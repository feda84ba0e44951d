"""What a roll-up gives: every item's mass properties, their sigmas, and what follows from both."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import Bodies, Sigmas
from massprops_cli.rollup.covariance.packed import Covariances
from massprops_cli.rollup.coverage import Coverage

if TYPE_CHECKING:
    from massprops_cli.rollup.montecarlo.sampling import Sampled

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

CANCELLED = 1e-14
"""Where less than this share is left of terms that cancel, it is rounding: a scale's error changes no radius."""


@dataclass(frozen=True)
class Rollup:
    """Every item of a tree with its mass properties, in item order, leaves as they were given.

    ``bodies`` are about each item's own centre; ``cancelled (n,)`` marks assemblies whose masses cancel,
    which have neither centre nor tensor; ``below`` holds what the children of stated items give.
    ``mass_moments`` holds the assemblies ``(k,)`` and the covariances ``(k, 3)`` of their mass with their
    moments of inertia: all of it with ``covariances``, else that of their direct children.
    ``covariances`` are there for method ``covariance``; ``sampled`` holds what a simulation gave beside it.
    """

    bodies: Bodies
    sigmas: Sigmas | None
    coverage: Coverage
    cancelled: Mask
    below: Bodies | None
    method: str
    mass_moments: tuple[NDArray[np.int32], Floats] | None = None
    covariances: Covariances | None = None
    sampled: Sampled | None = None

    @cached_property
    def radii(self) -> Floats | None:
        """Radii of gyration about the own centres ``(n, 3)``; NaN for points, without mass or where not known."""
        return None if self.bodies.inertia is None else radii_of_gyration(self.bodies)

    @cached_property
    def sigma_radii(self) -> Floats | None:
        """Sigmas of the radii ``(n, 3)``; NaN where they or the radii are not known."""
        if self.radii is None or self.sigmas is None or self.sigmas.inertia is None or self.mass_moments is None:
            return None
        covariance = np.zeros((len(self.radii), 3))
        covariance[self.mass_moments[0]] = self.mass_moments[1]
        return sigma_of_radii(self.bodies, self.sigmas, self.radii, covariance)

    def covariance_of(self, i: int) -> Floats:
        """Give the covariance ``(10, 10)`` of item ``i``'s additive parameters m, hx … hz, Jxx … Jyz about its centre.

        That of an item with numbers of its own is diagonal: s_m², (m s_c)², s_I², 0 where there is no such sigma.
        """
        if self.covariances is not None and i in self.covariances.columns:
            return self.covariances.matrix(i)
        result = np.zeros((10, 10))
        if self.sigmas is None:
            return result
        of_moment = np.zeros(3) if self.sigmas.center is None else self.bodies.mass[i] * self.sigmas.center[i]
        of_tensor = np.zeros(6) if self.sigmas.inertia is None else self.sigmas.inertia[i]
        if self.bodies.is_point[i]:
            of_tensor = np.zeros(6)
        np.fill_diagonal(result, np.nan_to_num(np.concatenate([[self.sigmas.mass[i]], of_moment, of_tensor])) ** 2)
        return result


def radii_of_gyration(bodies: Bodies) -> Floats:
    """Give k_a = sqrt(I_aa / m) about the own centre ``(n, 3)``; NaN for points, without mass, or where not known."""
    assert bodies.inertia is not None
    with np.errstate(divide="ignore", invalid="ignore"):
        radii = np.sqrt(bodies.inertia[:, :3] / bodies.mass[:, None])
    blank = bodies.is_point | ~np.isfinite(radii).all(axis=1)
    for known in (bodies.has_mass, bodies.has_inertia):
        if known is not None:
            blank |= ~known
    radii[blank] = np.nan
    return radii


def sigma_of_radii(bodies: Bodies, sigmas: Sigmas, radii: Floats, covariance: Floats) -> Floats:
    """Give ½ sqrt(s_I²/(m I) + I s_m²/m³ − 2 cov/m²) ``(n, 3)``, cov being that of I and m (FORMULAS 3, 4)."""
    assert bodies.inertia is not None
    assert sigmas.inertia is not None
    m = bodies.mass[:, None]
    moments = bodies.inertia[:, :3]
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        square = sigmas.inertia[:, :3] ** 2 / (m * moments)
        square += moments * sigmas.mass[:, None] ** 2 / m**3
        rounding = CANCELLED * square
        square -= 2 * covariance / m**2
        square[np.abs(square) <= rounding] = 0.0
        result = 0.5 * np.sqrt(np.maximum(square, 0.0))
    result[np.isnan(radii) | ~np.isfinite(result)] = np.nan
    if sigmas.known is not None:
        result[~sigmas.known] = np.nan
    return result
