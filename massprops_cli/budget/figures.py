"""The numbers of a result's items that limits are held against, on one basis: with growth or without."""

from __future__ import annotations

from functools import cache
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.answers.result import Result
from massprops_cli.bom.items.arrays import Floats, value_of_items
from massprops_cli.budget.entries import Basis
from massprops_cli.rollup.rolled import Rollup


class Figures:
    """Mass properties of every item in the table's units, predicted or basic; sigmas are those of the basic values.

    Where nothing states growth, what is predicted is what is known.
    """

    def __init__(self, result: Result, basis: Basis) -> None:
        self.result = result
        self.basis = basis
        self.rollup: Rollup = (result.predicted if basis == "predicted" else None) or result.rollup
        self._values = cache(lambda quantity: value_of_items(self.rollup, quantity))
        self._sigmas = cache(lambda quantity: value_of_items(result.rollup, f"sigma_{quantity}"))

    def value(self, i: int, quantity: str) -> float | None:
        """Give a number of item ``i``; None where it is not known, of which ``why`` tells more."""
        return None if any(self._lacks(i, quantity).values()) else known(self._values(quantity), i)

    def sigma(self, i: int, quantity: str) -> float | None:
        """Give one standard deviation of a number of item ``i``; None where it is not known."""
        return known(self._sigmas(quantity), i)

    def center_with_mass(self, i: int, axis: int) -> NDArray[np.float64] | None:
        """Give the covariance ``(2, 2)`` of a coordinate of item ``i``'s centre and its mass; None where not known.

        h about the own centre is m (c − c₀), so V[c, m] = V[h, m]/m and V[c] = V[h]/m² (FORMULAS 4).
        """
        rollup, center = self.result.rollup, f"C{'xyz'[axis]}"
        if self.sigma(i, "mass") is None or self.sigma(i, center) is None:
            return None
        if rollup.covariances is None and len(self.result.bom.tree.children(i)):
            return None
        picked = [axis + 1, 0]
        per_mass = np.array([1 / rollup.bodies.mass[i], 1.0])
        return np.asarray(rollup.covariance_of(i)[np.ix_(picked, picked)] * np.outer(per_mass, per_mass))

    def share_known(self, i: int) -> float | None:
        """Give the share of the parts at and below item ``i`` whose mass is known; None where no part counts."""
        coverage = self.rollup.coverage
        rows = int(coverage.rows[i])
        return int(coverage.known_mass[i]) / rows if rows else None

    def least_mass(self, i: int) -> float | None:
        """Give what is known of the mass of item ``i``."""
        return known(self._values("mass"), i)

    def why(self, i: int, quantity: str) -> str:
        """Say why a number of item ``i`` is not known."""
        if self._values(quantity) is None:
            return "the table has no such column"
        whole = int(self.rollup.coverage.rows[i])
        if not whole:
            return "no part of it counts"
        for noun, count in self._lacks(i, quantity).items():
            if count:
                return f"{count} of its {whole} parts {'has' if count == 1 else 'have'} no {noun}"
        return "its masses cancel, or its row states none"

    def _lacks(self, i: int, quantity: str) -> dict[str, int]:
        """Count the parts at and below item ``i`` that lack what a quantity is computed from."""
        coverage, grows = self.rollup.coverage, self.rollup is not self.result.rollup
        known = {"mass or no growth" if grows else "mass": coverage.known_mass}
        if quantity != "mass":
            known["centre"] = coverage.known_center
        if quantity.startswith("I"):
            known["inertia"] = coverage.known_inertia
        return {noun: max(0, int(coverage.rows[i]) - int(count[i])) for noun, count in known.items()}


def known(values: Floats | None, i: int) -> float | None:
    """Give one number of a column, or None where it is not known."""
    if values is None or not isfinite(values[i]):
        return None
    return float(values[i])
