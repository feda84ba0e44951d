"""The size of the numbers that the results of one item are added up from: what their rounding is measured by.

A centre that is exactly 0 comes out as 1e-15 where coordinates of some metres cancel. How much of a result is rounding
follows from the terms of its sum, not from the result itself and not from what it is compared with.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import Bodies
from massprops_cli.rollups.leaf_sums import branch
from massprops_cli.rollups.subtotals import ends_of, path_quantities
from massprops_cli.trees.tree import Quantity, Tree

Floats = NDArray[np.float64]

CLOSE = 1e-12
"""A difference below this share of the terms of a sum is rounding."""
ULP = float(np.finfo(float).eps)


@dataclass(frozen=True, slots=True)
class Magnitudes:
    """The size of the terms of an item's mass, of its centre ``(3,)`` and of its tensor ``(6,)``; 0 without columns.

    A result is exact but for ``CLOSE`` times its magnitude.
    """

    mass: float
    center: Floats
    inertia: Floats


def magnitudes_of(
    tree: Tree, bodies: Bodies, quantity: Quantity, item: int, total: Bodies, *, stated: NDArray[np.bool_] | None = None
) -> Magnitudes:
    """Add up the sizes of what an item's leaves contribute; ``total`` holds the rolled-up items.

    Mass: Σ|n m|. Centre: the largest coordinate of a leaf × Σ|n m| / |M|, since masses may nearly cancel. Tensor:
    Σ|n|(|I| + |m| |d_a d_b|), d being seen from the item's centre, and the rounding of the coordinates in d.

    >>> tree = Tree.from_parents([-1, 0, 0])
    >>> centers = np.array([[0.0, 0, 0], [1.0, 0, 0], [-3.0, 0, 0]])
    >>> two = Bodies(np.array([0.0, 3.0, 1.0]), centers, None, np.zeros(3, bool))
    >>> total = Bodies(np.array([4.0, 3.0, 1.0]), centers, None, np.zeros(3, bool))
    >>> found = magnitudes_of(tree, two, Quantity.one_each(3), 0, total)
    >>> found.mass, found.center.tolist()
    (4.0, [3.0, 0.0, 0.0])
    """
    leaves, times = _leaves_below(tree, quantity, item, stated)
    mass = np.abs(times * bodies.mass[leaves])
    if bodies.has_mass is not None:
        mass = mass * bodies.has_mass[leaves]
    whole = float(mass.sum())
    if bodies.center is None or total.center is None or not len(leaves):
        return Magnitudes(whole, np.zeros(3), np.zeros(6))
    placed = np.ones(len(leaves), bool) if bodies.has_center is None else bodies.has_center[leaves]
    center = np.where(placed[:, None], bodies.center[leaves], 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        of_center = np.abs(center).max(axis=0) * (whole / abs(float(total.mass[item])))
    if bodies.inertia is None:
        return Magnitudes(whole, of_center, np.zeros(6))
    own = np.abs(times)[:, None] * np.abs(bodies.inertia[leaves]) * ~bodies.is_point[leaves, None]
    arm = np.abs(center - total.center[item]) * placed[:, None]
    reach = np.abs(center) + np.abs(center[0]) + np.abs(total.center[item])
    moved = mass @ _products(arm, arm) + (ULP / CLOSE) * (mass @ _products(arm, reach))
    return Magnitudes(whole, of_center, own.sum(axis=0) + moved)


def _leaves_below(
    tree: Tree, quantity: Quantity, item: int, stated: NDArray[np.bool_] | None
) -> tuple[NDArray[np.intp], Floats]:
    """Give the items that go up with their own numbers at and below one ``(k,)``, and how often each counts in it."""
    members = tree.descendants(item).astype(np.intp)
    below = branch(tree, members)
    times = path_quantities(below, Quantity(quantity.count[members], quantity.measured[members])).count
    counted = ends_of(below, None if stated is None else stated[members]) & (times != 0)
    return members[counted], times[counted]


def _products(one: Floats, other: Floats) -> Floats:
    """Give the sizes of what Phi is made of, for arms ``(k, 3)`` of sizes ``one`` and ``other``: ``(k, 6)``."""
    x, y, z = (one * other).T
    mixed = [(one[:, a] * other[:, b] + one[:, b] * other[:, a]) / 2 for a, b in ((0, 1), (0, 2), (1, 2))]
    return np.stack([y + z, x + z, x + y, *mixed], axis=-1)
