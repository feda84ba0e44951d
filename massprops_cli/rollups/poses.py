"""Uncertain poses in the covariance of branches: shared poses, and what they move."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import phi
from massprops_cli.bodies.pose_uncertainty import pose_derivatives
from massprops_cli.rollups.inputs import RollupInputs
from massprops_cli.rollups.leaf_sums import FlatItem, branch_tree, flat_item
from massprops_cli.rollups.subtotals import path_quantities
from massprops_cli.trees.tree import ItemQuantity

_Floats = NDArray[np.float64]
POSE_INPUT_NAMES = ("tx", "ty", "tz", "rx", "ry", "rz")
"""The inputs of a pose, along the axes of the root: shifts of its origin, small rotations about it."""


class PoseEffects(NamedTuple):
    """p uncertain poses below an item."""

    items: NDArray[np.intp]  # (p,)
    derivatives: _Floats  # (p, 10, 6) of (m, h, J) of the item about its centre by shift and rotation
    covariance: _Floats  # (p, 6, 6) axes of the root
    times: _Floats  # (p,) pieces that share the deviation of a pose
    weight: _Floats  # (p,) factor of the variance of one pose

    def parts(self, row: _Floats) -> tuple[_Floats, _Floats, _Floats]:
        """Return variances, derivatives and sigmas, (6, p) each, for the gradient (10,) of a result by (m, h, J).

        Columns of the variances add up to g C gᵀ with g = row D: docs/formulas.md, section 12.
        """
        g = np.einsum("a,pab->pb", row, self.derivatives)
        parts = self.weight[:, None] * g * np.einsum("pab,pb->pa", self.covariance, g)
        sigma = np.sqrt(np.diagonal(self.covariance, axis1=1, axis2=2))
        return parts.T, (self.times[:, None] * g).T, np.asarray(sigma.T)


def pose_effects(inputs: RollupInputs, item: int, flat: FlatItem, needs: str) -> PoseEffects | None:
    """Return the uncertain poses below an item: docs/formulas.md, section 12.

    All pieces of a row share its pose; poses within the pieces are independent.
    """
    placed, tree = inputs.placement, inputs.tree
    if placed is None or placed.covariance is None or flat.center is None:
        return None
    members = np.arange(len(tree)) if tree.parent[item] < 0 else tree.descendants(item).astype(np.intp)
    below = tree if tree.parent[item] < 0 else branch_tree(tree, members)
    quantity = inputs.quantity
    counts = ItemQuantity(quantity.count[members], quantity.measured[members], quantity.variance_weight()[members])
    path = path_quantities(below, counts)
    inside = _goes_up(inputs, members, below.parent)
    chosen = np.flatnonzero(
        placed.covariance[members].any(axis=(1, 2)) & (below.parent >= 0) & (path.count != 0) & inside
    )
    if not len(chosen):
        return None
    ten = np.zeros((len(chosen), 10))
    for k, at in enumerate(members[chosen].tolist()):
        branch = flat_item(inputs, at, needs=needs)
        assert branch.center is not None
        d = branch.center - flat.center
        ten[k, 0], ten[k, 1:4] = branch.total, branch.total * d
        if branch.inertia is not None:
            ten[k, 4:] = branch.inertia + branch.total * phi(d[None])[0]
    up = below.parent[chosen]
    count = counts.count[chosen]
    return PoseEffects(
        members[chosen],
        pose_derivatives(ten, placed.origin[members[chosen]] - flat.center),
        placed.covariance[members[chosen]],
        count * path.count[up],
        count**2 * path.variance_weight()[up],
    )


def _goes_up(inputs: RollupInputs, members: NDArray[np.intp], parent: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Return which members are not below a stated assembly."""
    if inputs.stated is None:
        return np.ones(len(members), bool)
    hidden = np.zeros(len(members), bool)
    stated = inputs.stated[members]
    while True:
        new = (parent >= 0) & (hidden[parent] | stated[parent])
        if np.array_equal(new, hidden):
            return ~hidden
        hidden = new
