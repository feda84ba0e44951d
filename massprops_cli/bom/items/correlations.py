"""Covariances and correlations of the ten numbers of every item: mass, centre, tensor, each about its own centre."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.principal import principal_sigmas
from massprops_cli.rollup.correlation import TEN
from massprops_cli.rollup.covariance.packed import PAIRS, PLACE, unpacked

if TYPE_CHECKING:
    from massprops_cli.rollup.rolled import Rollup

Floats = NDArray[np.float64]
Items = NDArray[np.intp] | slice

COVARIANCES = tuple(f"cov_{TEN[a]}_{TEN[b]}" for a, b in PAIRS)
"""The 55 covariances, the upper triangle row by row."""
CORRELATIONS = {f"rho_{TEN[a]}_{TEN[b]}": (a, b) for a, b in PAIRS if a != b}
"""The 45 correlations and the two of the ten numbers that each is of."""
EVERY = slice(None)


class Spread:
    """How the errors of the ten numbers of items go together, in coherent units, products as tensor entries.

    Numbers count in mass, Cx … Cz, Ixx … Iyz. A part's ten numbers err independently; an assembly's covariances come
    from the method. NaN stands for what is not known.
    """

    def __init__(self, rollup: Rollup) -> None:
        self.rollup = rollup
        self.column = np.full(len(rollup.bodies.mass), -1)
        """Where an item stands among the assemblies that have a covariance."""
        source = rollup.sampled or rollup.covariances
        if source is not None:
            self.column[source.items] = np.arange(len(source.items))

    @property
    def is_known(self) -> bool:
        """Whether the method gives covariances of the ten numbers, and not their sigmas alone."""
        return self.rollup.covariances is not None or self.rollup.sampled is not None

    def has(self, k: int) -> bool:
        """Tell whether number ``k`` has a sigma."""
        sigmas = self.rollup.sigmas
        if sigmas is None or not self.is_known:
            return False
        return k == 0 or (sigmas.center if k < 4 else sigmas.inertia) is not None

    def covariance(self, a: int, b: int, items: Items = EVERY) -> Floats | None:
        """Give the covariance of two of the ten numbers of items ``(k,)``; None where there is none."""
        if not (self.has(a) and self.has(b)):
            return None
        column = self.column[items]
        values = self.own_sigma(a, items) ** 2 if a == b else np.zeros(len(column))
        inner = column >= 0
        values[inner] = self.of_assemblies(a, b, column[inner])
        known = np.ones(len(column), bool)
        for mask in self.masks(max(a, b)):
            known &= mask[items]
        return values if known.all() else np.where(known, values, np.nan)

    def correlation(self, a: int, b: int, items: Items = EVERY) -> Floats | None:
        """Give the correlation of two of the ten numbers ``(k,)``; NaN beside a number without error."""
        both, one, other = (self.covariance(*pair, items) for pair in ((a, b), (a, a), (b, b)))
        if both is None or one is None or other is None:
            return None
        scale = np.sqrt(one) * np.sqrt(other)
        with np.errstate(divide="ignore", invalid="ignore"):
            # rounding must not make a correlation larger than one
            return np.where(scale > 0, np.clip(both / scale, -1.0, 1.0), np.nan)

    def packed(self, items: Items = EVERY) -> Floats | None:
        """Give all covariances of items ``(55, k)``, the upper triangle row by row; None where there are none."""
        if not self.has(0):
            return None
        missing = np.full(len(self.column[items]), np.nan)
        columns = (self.covariance(a, b, items) for a, b in PAIRS)
        return np.stack([missing if column is None else column for column in columns])

    def matrix(self, i: int) -> Floats | None:
        """Give the covariance ``(10, 10)`` of one item's ten numbers; None where there is none."""
        packed = self.packed(np.array([i]))
        return None if packed is None else unpacked(packed[:, 0])

    def tensors(self, items: Items = EVERY) -> Floats | None:
        """Give the covariances ``(k, 6, 6)`` of the tensor entries of items; without any, entries err independently."""
        sigmas = self.rollup.sigmas
        if sigmas is None or sigmas.inertia is None:
            return None
        block = np.zeros((len(self.column[items]), 6, 6))
        for a, b in PAIRS:
            if a >= 4 and self.is_known:
                block[:, a - 4, b - 4] = block[:, b - 4, a - 4] = self.covariance(a, b, items)
            elif a == b >= 4:
                block[:, a - 4, a - 4] = self.own_sigma(a, items) ** 2
        return block

    def own_sigma(self, k: int, items: Items) -> Floats:
        """Give the sigma of number ``k``, whatever the masks say."""
        sigmas = self.rollup.sigmas
        assert sigmas is not None
        if k == 0:
            return np.asarray(sigmas.mass[items])
        array, at = (sigmas.center, k - 1) if k < 4 else (sigmas.inertia, k - 4)
        assert array is not None
        return np.asarray(array[items, at])

    def of_assemblies(self, a: int, b: int, columns: NDArray[np.intp]) -> Floats:
        """Give the covariance of assemblies; of a centre it is that of the first moment by the mass (FORMULAS 4)."""
        sampled, exact = self.rollup.sampled, self.rollup.covariances
        if sampled is not None:
            return np.asarray(sampled.covariance[columns, PLACE[a, b]])
        assert exact is not None
        found: Floats = exact.packed[PLACE[a, b], columns]
        mass = self.rollup.bodies.mass[exact.items[columns]]
        with np.errstate(divide="ignore", invalid="ignore"):
            for k in (a, b):
                found = found / mass if 1 <= k < 4 else found
        return found

    def masks(self, k: int) -> list[NDArray[np.bool_]]:
        """Give what must be known ``(n,)`` so that number ``k`` and those before it have a covariance."""
        bodies, sigmas = self.rollup.bodies, self.rollup.sigmas
        needed = [
            None if sigmas is None else sigmas.known,
            bodies.has_mass,
            bodies.has_center if k >= 1 else None,
            bodies.has_inertia if k >= 4 else None,
        ]
        return [mask for mask in needed if mask is not None]


BLOCK = 65_536
"""Items at a time whose 6 × 6 covariances are held."""


def sigmas_of_principal_moments(rollup: Rollup, axes: Floats) -> Floats | None:
    """Give the sigmas ``(n, 3)`` of every item's principal moments, to first order; None without sigmas of tensors.

    ``axes (n, 3, 3)`` are the principal axes, one a row.
    """
    spread = Spread(rollup)
    found = np.full((len(axes), 3), np.nan)
    for start in range(0, len(axes), BLOCK):
        items = slice(start, start + BLOCK)
        block = spread.tensors(items)
        if block is None:
            return None
        found[items] = principal_sigmas(axes[items], block).sigmas
    return found
