"""What is different about an item: which of its own numbers, how many there are, where it hangs."""

from __future__ import annotations

from dataclasses import replace
from enum import IntFlag

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.bom import Bom
from massprops_cli.budget.diff.matching import Matching
from massprops_cli.budget.diff.side import Numbers, Side

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Index = NDArray[np.intp]

ROUNDING = 1e-12
"""Numbers that were converted from other units are the same within this share of their size."""


class Change(IntFlag):
    """What can happen to an item; ``STRUCTURE``: it was a leaf and is an assembly now, or the other way round."""

    ADDED = 1
    REMOVED = 2
    MOVED = 4
    STRUCTURE = 8
    QUANTITY = 16
    MASS = 32
    CENTER = 64
    INERTIA = 128
    SIGMA = 256
    GROWTH = 512

    @property
    def words(self) -> tuple[str, ...]:
        """Name them, the gravest first.

        >>> (Change.MASS | Change.MOVED).words
        ('re-parented', 'mass')
        """
        return tuple(WORDS[single] for single in Change if single in self)


WORDS = {
    Change.ADDED: "added",
    Change.REMOVED: "removed",
    Change.MOVED: "re-parented",
    Change.STRUCTURE: "structure",
    Change.QUANTITY: "quantity",
    Change.MASS: "mass",
    Change.CENTER: "center",
    Change.INERTIA: "inertia",
    Change.SIGMA: "sigma",
    Change.GROWTH: "growth",
}
"""What each is called in every output."""


def changes_of(matching: Matching, boms: tuple[Bom, Bom], sides: tuple[Side, Side]) -> NDArray[np.int16]:
    """Tell of every line what is different ``(u,)``, as a sum of ``Change``.

    Numbers are compared on items that go up with their own; those of other assemblies follow from what is below.
    """
    found = np.zeros(len(matching), np.int16)
    found[matching.old < 0] = Change.ADDED
    found[matching.new < 0] = Change.REMOVED
    lines = np.flatnonzero(matching.both)
    i, j = matching.old[lines], matching.new[lines]
    flags: list[tuple[Change, Mask]] = [
        (
            Change.MOVED,
            parent_lines(boms[0], matching.line_of_old)[i] != parent_lines(boms[1], matching.line_of_new)[j],
        ),
        (Change.QUANTITY, differs_quantity(boms, i, j)),
    ]
    old, new = sides
    own = old.ends[i] & new.ends[j]
    flags.append((Change.STRUCTURE, old.ends[i] != new.ends[j]))
    before, after = old.numbers, new.numbers
    pairs = [
        (Change.MASS, before.mass, after.mass),
        (Change.CENTER, before.center, after.center),
        (Change.INERTIA, before.inertia, after.inertia),
        (Change.SIGMA, before.sigmas, after.sigmas),
    ]
    flags.append((Change.GROWTH, own & differs(growth_of(boms[0])[i], growth_of(boms[1])[j])))
    for change, one, other in pairs:
        if one is not None and other is not None:
            flags.append((change, own & differs(one[i], other[j])))
    for change, is_so in flags:
        found[lines[is_so]] |= change
    return found


def parent_lines(bom: Bom, line: Index) -> Index:
    """Give the line of every item's parent ``(n,)``; −1 for the root."""
    parent = bom.tree.parent
    return np.where(parent >= 0, line[parent], -1)


def differs_quantity(boms: tuple[Bom, Bom], i: Index, j: Index) -> Mask:
    """Tell which pairs of items have different quantities; nobody counts a root."""
    one, other = boms[0].quantity, boms[1].quantity
    differs = (one.count[i] != other.count[j]) | (one.measured[i] != other.measured[j])
    return np.asarray(differs & (boms[0].tree.parent[i] >= 0))


def growth_of(bom: Bom) -> Floats:
    """Give every item's growth as a share of its mass ``(n,)``; 0 where the file states none at all."""
    return np.zeros(len(bom)) if bom.growth is None else bom.growth


def differs(one: Floats, other: Floats) -> Mask:
    """Tell which rows differ; two that are not known are the same."""
    unequal = (one != other) & ~(np.isnan(one) & np.isnan(other))
    return np.asarray(unequal if unequal.ndim == 1 else unequal.any(axis=1))


def both_predicted(before: Numbers, after: Numbers) -> tuple[Numbers, Numbers]:
    """Take what weighs for what is predicted in a file that states no growth, where the other one does."""
    if before.predicted is not None and after.predicted is None:
        after = replace(after, predicted=after.mass)
    elif after.predicted is not None and before.predicted is None:
        before = replace(before, predicted=before.mass)
    return before, after


def snapped(numbers: Numbers, to: Numbers, matching: Matching) -> Numbers:
    """Give converted numbers the very values of the other file where they are the same but for rounding."""
    lines = np.flatnonzero(matching.both)
    i, j = matching.old[lines], matching.new[lines]

    def fitted(one: Floats | None, other: Floats | None) -> Floats | None:
        if one is None or other is None:
            return one
        copy = one.copy()
        size = np.maximum(np.abs(one[i]), np.abs(other[j]))
        limit = ROUNDING * size
        copy[i] = np.where(np.abs(one[i] - other[j]) <= limit, other[j], one[i])
        return copy

    mass = fitted(numbers.mass, to.mass)
    assert mass is not None
    return replace(
        numbers,
        mass=mass,
        center=fitted(numbers.center, to.center),
        inertia=fitted(numbers.inertia, to.inertia),
        sigmas=fitted(numbers.sigmas, to.sigmas),
        predicted=fitted(numbers.predicted, to.predicted),
    )
