"""Assemblies that are point masses: all their children are, and stand at one place."""

from __future__ import annotations

import numpy as np

from massprops_cli.rollup.combine import Families
from massprops_cli.rollup.state import COUNT, OFFSET, REFERENCE, TENSOR, VAR_TENSOR, VAR_WEIGHT, Floats, Working

ONE_PLACE = 1e-8
"""Children closer than this share of the tree's extent stand at one place (SEMANTICS)."""


class Points:
    """Follows which positions are point masses while the levels go by, deepest first.

    ``is_point (n,)`` goes by position; of leaves and stated assemblies it is what their rows say.
    """

    def __init__(self, working: Working) -> None:
        tree, bodies = working.tree, working.bodies
        self.is_point = bodies.is_point[tree.order] & ~working.goes_up
        self.any = bool(self.is_point.any())
        self.tolerance = 0.0
        if self.any and bodies.center is not None:
            placed = tree.is_leaf() if bodies.has_center is None else tree.is_leaf() & bodies.has_center
            self.tolerance = ONE_PLACE * extent(bodies.center[placed])

    def settle(self, working: Working, families: Families) -> None:
        """Find the point masses among the parents of some families, whose sums are done; they have no tensor."""
        if not self.any:
            return
        child = working.load(families.low, families.high)
        columns = families.first + np.arange(len(families.starts))
        counts = child[COUNT] != 0
        # a child's place seen from the first leaf that counts
        numbers = np.arange(len(counts))
        first = np.minimum.reduceat(np.where(counts, numbers, len(counts) - 1), families.starts)
        place = child[REFERENCE] - families.spread(child[REFERENCE][:, first]) + child[OFFSET]
        away = np.abs(place).max(axis=0) > self.tolerance
        differs = counts & (~self.is_point[families.low : families.high] | away)
        point = ~np.logical_or.reduceat(differs, families.starts) & np.logical_or.reduceat(counts, families.starts)
        settled = working.inner[columns[point]]
        self.is_point[settled[working.goes_up[settled]]] = True
        working.sums[TENSOR, columns[point]] = 0.0
        if len(working.sums) > VAR_WEIGHT:
            working.sums[VAR_TENSOR, columns[point]] = 0.0


def extent(centers: Floats) -> float:
    """Give the diagonal of the box around some centres ``(k, 3)``, which is the size of the tree."""
    if not len(centers):
        return 0.0
    return float(np.linalg.norm(np.ptp(centers, axis=0)))
