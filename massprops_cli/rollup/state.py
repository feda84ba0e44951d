"""The working arrays of a roll-up: one column a position of the tree, one row a number.

Every item is measured from its own *reference point*, the centre of its first leaf: that is an input number, so differences
of reference points are as exact as the file (FORMULAS 8). ``OFFSET`` is the centre minus the reference point.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import Bodies, Sigmas
from massprops_cli.rollup.quantity import Quantity
from massprops_cli.tree.tree import Tree

Floats = NDArray[np.float64]

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
VAR_WEIGHT = 24
COVARIANCE = slice(25, 28)
"""Of the three moments of inertia with the mass, from the direct children."""
N_PLAIN, N_WITH_SIGMAS = 14, 28


def working_state(tree: Tree, bodies: Bodies, sigmas: Sigmas | None, quantity: Quantity) -> Floats:
    """Lay out every item as if it were a leaf, ``(N_PLAIN or N_WITH_SIGMAS, n)`` in position order."""
    order = tree.order
    n = len(order)
    state = np.zeros((N_PLAIN if sigmas is None else N_WITH_SIGMAS, n))
    state[MASS] = bodies.mass[order]
    state[COUNT] = quantity.count[order]
    if bodies.center is not None:
        state[REFERENCE] = np.take(bodies.center, order, axis=0).T
    if bodies.inertia is not None:
        state[TENSOR] = np.take(bodies.inertia, order, axis=0).T
        if bodies.is_point.any():
            state[TENSOR, bodies.is_point[order]] = 0.0
    if sigmas is None:
        return state
    state[VAR_MASS] = sigmas.mass[order] ** 2
    state[VAR_WEIGHT] = quantity.variance_weight()[order]
    if sigmas.center is not None:
        moments = np.take(sigmas.center, order, axis=0).T
        moments *= state[MASS]
        np.square(moments, out=state[VAR_MOMENT])
    if sigmas.inertia is not None:
        np.square(np.take(sigmas.inertia, order, axis=0).T, out=state[VAR_TENSOR])
        if bodies.is_point.any():
            state[VAR_TENSOR, bodies.is_point[order]] = 0.0
    return state
