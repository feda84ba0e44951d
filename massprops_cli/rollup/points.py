"""Assemblies that are point masses: all their children are, and stand at one place."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from massprops_cli.rollup.state import COUNT, OFFSET, REFERENCE, TENSOR, VAR_TENSOR, VAR_WEIGHT, Floats
from massprops_cli.tree.tree import Tree

ONE_PLACE = 1e-8
"""Children closer than this share of the tree's extent stand at one place (SEMANTICS)."""


class Points:
    """Follows which positions are point masses while the levels go by, deepest first."""

    def __init__(self, tree: Tree, is_point: NDArray[np.bool_], centers: Floats | None) -> None:
        self.tree = tree
        self.is_point = np.where(tree.n_children == 0, is_point[tree.order], False)
        self.tolerance = ONE_PLACE * extent(centers[tree.order[tree.n_children == 0]]) if centers is not None else 0.0
        self.any = bool(self.is_point.any())

    def settle(self, state: Floats, low: int, high: int) -> None:
        """Find the point masses among the parents at ``low:high`` of one level, whose sums are done; they have no tensor."""
        if not self.any:
            return
        inner = low + np.flatnonzero(self.tree.n_children[low:high])
        first = self.tree.first_child[inner].astype(np.intp)
        sizes = self.tree.n_children[inner]
        begin, end = int(first[0]), int(first[-1] + sizes[-1])
        counts = state[COUNT, begin:end] != 0
        # a child's place seen from the parent's first leaf
        place = state[REFERENCE, begin:end] - np.repeat(state[REFERENCE, inner], sizes, axis=-1) + state[OFFSET, begin:end]
        away = np.abs(place).max(axis=0) > self.tolerance
        differs = counts & (~self.is_point[begin:end] | away)
        point = ~np.logical_or.reduceat(differs, first - begin) & np.logical_or.reduceat(counts, first - begin)
        found = inner[point]
        self.is_point[found] = True
        state[TENSOR, found] = 0.0
        if len(state) > VAR_WEIGHT:
            state[VAR_TENSOR, found] = 0.0


def extent(centers: Floats) -> float:
    """Give the diagonal of the box around some centres ``(k, 3)``, which is the size of the tree."""
    if not len(centers):
        return 0.0
    return float(np.linalg.norm(np.ptp(centers, axis=0)))
