"""The working arrays of a roll-up: one row a number, one column an item.

Every item is measured from its own *reference point*, the centre of its first leaf: that is an input number,
so differences of reference points are as exact as the file (FORMULAS 8). ``OFFSET`` is the centre minus the
reference point. Only assemblies are kept; leaves are brought in, a block at a time, from the arrays they were
given in.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import Bodies, Sigmas
from massprops_cli.rollup.quantity import Quantity
from massprops_cli.tree.tree import Tree

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

MASS = 0
REFERENCE = slice(1, 4)
OFFSET = slice(4, 7)
TENSOR = slice(7, 13)
"""About the centre; about the reference point for a branch whose masses cancel."""
COUNT = 13
VAR_MASS = 14
VAR_MOMENT = slice(15, 18)
"""Of the first moment about the centre: (m s_c)²."""
VAR_TENSOR = slice(18, 24)
VARIANCE = slice(14, 24)
"""All ten of them."""
VAR_WEIGHT = 24
COVARIANCE = slice(25, 28)
"""Of the three moments of inertia with the mass, from the direct children."""
N_PLAIN, N_WITH_SIGMAS = 14, 28


class Working:
    """What is known so far of every position of a tree.

    ``sums (N, assemblies)`` holds the assemblies in breadth-first order; ``rank (n,)`` is a position's column
    there. Stated assemblies go up with their own numbers, like leaves; their column holds what their children
    give.
    """

    def __init__(
        self, tree: Tree, bodies: Bodies, sigmas: Sigmas | None, quantity: Quantity, stated: Mask | None
    ) -> None:
        self.tree, self.bodies, self.sigmas = tree, bodies, sigmas
        self.has_centers = bodies.center is not None
        self.has_tensors = self.has_centers and bodies.inertia is not None
        self.inner = np.flatnonzero(tree.n_children)
        self.rank = np.cumsum(tree.n_children > 0, dtype=np.int32) - 1
        self.goes_up = tree.n_children > 0
        if stated is not None:
            self.goes_up &= ~stated[tree.order]
        self.count = quantity.count
        self.weight = None if sigmas is None else quantity.variance_weight()
        self.sums = np.zeros((N_PLAIN if sigmas is None else N_WITH_SIGMAS, len(self.inner)))
        items = tree.order[self.inner]
        self.sums[COUNT] = quantity.count[items]
        if self.weight is not None:
            self.sums[VAR_WEIGHT] = self.weight[items]
        self.has_points = bool(bodies.is_point.any())

    def load(self, low: int, high: int) -> Floats:
        """Bring in positions ``low:high`` as columns ``(N, high − low)``."""
        items = self.tree.order[low:high]
        block = np.zeros((len(self.sums), high - low))
        block[MASS] = self.bodies.mass.take(items)
        block[COUNT] = self.count.take(items)
        if self.bodies.center is not None:
            block[REFERENCE] = self.bodies.center.take(items, axis=0).T
        if self.has_tensors and self.bodies.inertia is not None:
            block[TENSOR] = self.bodies.inertia.take(items, axis=0).T
        if self.sigmas is not None:
            self.load_variances(block, items)
        if self.has_points:
            point = np.flatnonzero(self.bodies.is_point.take(items))
            block[TENSOR, point] = 0.0
            if self.sigmas is not None:
                block[VAR_TENSOR, point] = 0.0
        known = np.flatnonzero(self.goes_up[low:high])
        if len(known):
            block[:, known] = self.sums[:, self.rank[low + known]]
        return block

    def load_variances(self, block: Floats, items: NDArray[np.int32]) -> None:
        """Bring in the variances of some items, as leaves have them."""
        assert self.sigmas is not None
        assert self.weight is not None
        np.square(self.sigmas.mass.take(items), out=block[VAR_MASS])
        block[VAR_WEIGHT] = self.weight.take(items)
        if self.sigmas.center is not None:
            np.square(self.sigmas.center.take(items, axis=0).T * block[MASS], out=block[VAR_MOMENT])
        if self.sigmas.inertia is not None:
            np.square(self.sigmas.inertia.take(items, axis=0).T, out=block[VAR_TENSOR])
