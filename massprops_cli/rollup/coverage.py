"""How much of a total is known: counts of leaves, and shares of mass."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import Bodies, Sigmas
from massprops_cli.rollup.quantity import Quantity
from massprops_cli.tree.stretches import add_up
from massprops_cli.tree.tree import Tree

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Coverage:
    """What is known at and below every item ``(n,)``.

    ``rows`` are the leaves that count (those left out by a quantity of 0 do not); ``known_…`` how many of
    them have the quantity; ``mass_share_…`` the share of the known mass, by size, whose centre or tensor is
    known (NaN without mass).
    """

    rows: Counts
    known_mass: Counts
    known_center: Counts
    known_inertia: Counts
    known_sigma: Counts
    mass_share_center: Floats
    mass_share_inertia: Floats


def coverage(tree: Tree, bodies: Bodies, sigmas: Sigmas | None, quantity: Quantity, ends: Mask) -> Coverage:
    """Count what is known; ``ends (n,)`` are the items whose own numbers go up: leaves, and stated assemblies."""
    counts = quantity.count != 0
    below = Below(tree, ends, None if counts.all() else counts.astype(float))
    rows = below.count(None)
    shares = []
    for known in (bodies.has_center, bodies.has_inertia):
        if known is None:
            shares.append(np.ones(len(tree)))
            continue
        whole, part = below.total(np.abs(bodies.mass), quantity), below.total(np.abs(bodies.mass) * known, quantity)
        with np.errstate(invalid="ignore", divide="ignore"):
            shares.append(part / whole)
    return Coverage(
        rows,
        rows if bodies.has_mass is None else below.count(bodies.has_mass),
        _none(rows) if bodies.center is None else rows if bodies.has_center is None else below.count(bodies.has_center),
        _none(rows)
        if bodies.inertia is None
        else rows
        if bodies.has_inertia is None
        else below.count(bodies.has_inertia),
        _none(rows) if sigmas is None else rows if sigmas.known is None else below.count(sigmas.known),
        shares[0] if bodies.center is not None else np.zeros(len(tree)),
        shares[1] if bodies.inertia is not None else np.zeros(len(tree)),
    )


def _none(rows: Counts) -> Counts:
    return np.zeros_like(rows)


class Below:
    """Counts and sums over the leaves at and below every item; what is under a stated assembly does not count."""

    def __init__(self, tree: Tree, ends: Mask, weight: Floats | None) -> None:
        self.tree, self.ends, self.weight = tree, ends, weight
        covered = ends & ~tree.is_leaf()
        if covered.any():  # nothing goes up through a stated assembly from below
            parent = tree.parent
            through = np.ones(len(tree)) if weight is None else weight.copy()
            through[(parent >= 0) & covered[parent]] = 0.0
            self.weight = through

    def count(self, known: Mask | None) -> Counts:
        """Count the ends below that are known."""
        which = self.ends if known is None else self.ends & known
        return np.rint(add_up(self.tree, which.astype(float), self.weight)).astype(np.int64)

    def total(self, values: Floats, quantity: Quantity) -> Floats:
        """Add up a size of the ends below, as often as each counts."""
        weight = np.abs(quantity.count) * (1.0 if self.weight is None else self.weight)
        return add_up(self.tree, np.where(self.ends, values, 0.0), weight)
