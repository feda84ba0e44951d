"""What each change did to a total: contributions that add up to the change of the whole.

With M, C, I the whole before and primes after, an item that weighed m at c and weighs m' at c' contributes

- to the mass m' − m, and likewise to the predicted mass, with growth,
- to the centre ½ [(m'(c' − C) − m(c − C)) / M' + (m'(c' − C') − m(c − C')) / M],
- to the tensor (M A(C) + M' A(C')) / (M + M'), A(P) being the change of the item's tensor about P,
- to the sigma of the mass (v' − v) / (σ + σ'), v being its part of the variance.

Each is the mean of two ways to see the change, from before and from after, so that exchanging the files changes the
signs and nothing else. The sums over all items that make up the whole follow from Σ m(c − P) = M(C − P), from the
parallel-axis theorem, and from σ'² − σ² = (σ' − σ)(σ' + σ). All are linear in the items, so that an assembly
contributes what those below it do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from massprops_cli.budget.diff.matching import Matching
from massprops_cli.budget.diff.side import Side

Floats = NDArray[np.float64]

RESULTS = ("mass", "Cx", "Cy", "Cz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz", "sigma_mass", "predicted_mass")
"""What contributions are always known to: products are tensor entries, tensors about the whole's own centre."""
SIGMAS = tuple(f"sigma_{name}" for name in RESULTS[1:10])
"""What they are worked out to when asked for: each item has a part in them, which moves with the centre."""


@dataclass(frozen=True, eq=False)
class Parts:
    """What every line takes away from a total and brings to it: ``old`` and ``new (u, 12)``, NaN where not known.

    The columns are those of ``RESULTS``. A line contributes ``new − old``; of lines that make up the whole in one file
    only, that side alone counts. ``total_old``, ``total_new`` ``(12,)`` are the rolled-up whole.
    """

    old: Floats
    new: Floats
    total_old: Floats
    total_new: Floats

    @property
    def change(self) -> Floats:
        """How the whole changed ``(12,)``."""
        return self.total_new - self.total_old

    @property
    def contributions(self) -> Floats:
        """What every line contributes ``(u, 12)``, all that stands below it included."""
        return self.new - self.old


def parts_of(matching: Matching, old: Side, new: Side) -> Parts:
    """Take the change of a whole apart; what either file has no columns for, or does not know, is NaN."""
    before, after = total_of(old), total_of(new)
    masses, centers = (float(before[0]), float(after[0])), (before[1:4], after[1:4])
    has_centers = bool(np.isfinite(centers).all()) and 0 not in (*masses, sum(masses))
    has_tensors = has_centers and bool(np.isfinite((before[4:10], after[4:10])).all())
    sigmas = float(before[10] + after[10])

    def part_of(side: Side, items: NDArray[np.intp]) -> Floats:
        part = np.full((len(items), len(RESULTS)), np.nan)
        part[:, 0] = side.masses(items)
        if has_centers:
            part[:, 1:4] = center_parts(side, items, masses, centers)
        if has_tensors:
            part[:, 4:10] = tensor_parts(side, items, masses, centers)
        if np.isfinite(sigmas):
            part[:, 10] = side.variances(items) / sigmas if sigmas > 0 else 0.0
        if side.numbers.predicted is not None:
            part[:, 11] = side.predictions(items)
        return part

    return Parts(part_of(old, matching.old), part_of(new, matching.new), before, after)


def total_of(side: Side) -> Floats:
    """Give the whole's own numbers ``(12,)``, NaN where they are not known."""
    numbers, top = side.numbers, side.top
    total = np.full(len(RESULTS), np.nan)
    total[0] = numbers.mass[top]
    if numbers.center is not None:
        total[1:4] = numbers.center[top]
        if numbers.inertia is not None:
            total[4:10] = numbers.inertia[top]
    if numbers.sigmas is not None:
        total[10] = numbers.sigmas[top, 0]
    if numbers.predicted is not None:
        total[11] = numbers.predicted[top]
    return total


def center_parts(
    side: Side, items: NDArray[np.intp], masses: tuple[float, float], centers: tuple[Floats, Floats]
) -> Floats:
    """Give ½ [m(c − C)/M' + m(c − C')/M] ``(u, 3)``."""
    return np.asarray(
        (side.moments(items, centers[0]) / masses[1] + side.moments(items, centers[1]) / masses[0]) / 2,
    )


def tensor_parts(
    side: Side, items: NDArray[np.intp], masses: tuple[float, float], centers: tuple[Floats, Floats]
) -> Floats:
    """Give (M J(C) + M' J(C')) / (M + M') ``(u, 6)``, J(P) being the item's tensor about P."""
    before, after = side.tensors(items, centers[0]), side.tensors(items, centers[1])
    return np.asarray((masses[0] * before + masses[1] * after) / (masses[0] + masses[1]))
