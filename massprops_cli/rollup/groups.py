"""Subtotals by labels: the leaves of each supplier, subsystem or material as one body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import Bodies, Sigmas
from massprops_cli.rollup.quantity import Quantity
from massprops_cli.rollup.roll_up import Rollup, roll_up
from massprops_cli.tree.tree import Tree

NO_LABEL = "(blank)"


@dataclass(frozen=True, slots=True)
class Groups:
    """The groups in the order of first appearance.

    ``labels[g]`` are a group's texts, one a column; ``rollup`` has group g as item g, and the groups' leaves
    as further items.
    """

    labels: list[tuple[str, ...]]
    rollup: Rollup


def group(
    tree: Tree,
    bodies: Bodies,
    sigmas: Sigmas | None,
    quantity: Quantity,
    labels: Sequence[Sequence[str]],
    *,
    method: str,
    stated: NDArray[np.bool_] | None = None,
) -> Groups:
    """Add up the leaves of every distinct combination of labels, by the formulas of the roll-up.

    ``labels`` has a column of n texts for every way of grouping. A leaf counts as often as the quantities on
    its path say; a leaf without a label takes that of the nearest assembly above it that has one.
    A ``stated (n,)`` assembly counts as a leaf, in the place of those below it.
    """
    filled = [inherited(tree, column) for column in labels]
    whole = path_quantities(tree, quantity)
    leaves = np.flatnonzero(ends_of(tree, stated) & (whole.count != 0))
    keys = list(zip(*([column[i] for i in leaves.tolist()] for column in filled), strict=True))
    number: dict[tuple[str, ...], int] = {}
    owner = np.array([number.setdefault(key, len(number)) for key in keys], dtype=np.int32)
    k = len(number)
    n = k + len(leaves) + 1
    # one more root holds the groups, since a tree has one
    parent = np.concatenate([np.full(k, n - 1), owner, [-1]]).astype(np.int32)
    at = np.concatenate(
        [np.full(k, leaves[0] if len(leaves) else 0), leaves, [leaves[0] if len(leaves) else 0]]
    ).astype(np.intp)
    held = Quantity(
        np.concatenate([np.ones(k), whole.count[leaves], [1.0]]),
        np.concatenate([np.zeros(k, bool), whole.measured[leaves], [False]]),
        np.concatenate([np.ones(k), whole.variance_weight()[leaves], [1.0]]),
    )
    rolled = roll_up(
        Tree.from_parents(parent),
        picked_bodies(bodies, at),
        None if sigmas is None else picked_sigmas(sigmas, at),
        held,
        method=method,
    )
    return Groups(list(number), rolled)


def inherited(tree: Tree, column: Sequence[str]) -> list[str]:
    """Give every item its own label, or that of the nearest labelled item above it."""
    result = [text.strip() for text in column]
    parents = tree.parent.tolist()
    for i in tree.order.tolist():  # parents before children
        if not result[i]:
            result[i] = result[parents[i]] if parents[i] >= 0 else NO_LABEL
    return result


def ends_of(tree: Tree, stated: NDArray[np.bool_] | None) -> NDArray[np.bool_]:
    """Tell which items go up with their own numbers ``(n,)``: stated ones, and leaves that are under none of them."""
    if stated is None or not stated.any():
        return tree.is_leaf()
    under = np.zeros(len(tree), bool)
    for d in range(1, len(tree.levels) - 1):
        items = tree.order[tree.levels[d] : tree.levels[d + 1]]
        above = tree.parent[items]
        under[items] = under[above] | stated[above]
    return (tree.is_leaf() | stated) & ~under


def path_quantities(tree: Tree, quantity: Quantity) -> Quantity:
    """Give how often every item counts in the whole: the product of the quantities on its path.

    So are the factors of variance: n pieces of n' pieces are n × n' independent ones, sizes multiply as squares.
    """
    times, measured, weight = quantity.count.copy(), quantity.measured.copy(), quantity.variance_weight().copy()
    root = tree.order[0]  # nobody counts the root
    times[root] = weight[root] = 1.0
    measured[root] = False
    for d in range(1, len(tree.levels) - 1):
        items = tree.order[tree.levels[d] : tree.levels[d + 1]]
        above = tree.parent[items]
        times[items] *= times[above]
        weight[items] *= weight[above]
        measured[items] |= measured[above]
    return Quantity(times, measured, weight)


def picked_bodies(bodies: Bodies, at: NDArray[np.intp]) -> Bodies:
    """Pick bodies by number."""
    return Bodies(
        bodies.mass[at],
        None if bodies.center is None else bodies.center[at],
        None if bodies.inertia is None else bodies.inertia[at],
        bodies.is_point[at],
        None if bodies.has_mass is None else bodies.has_mass[at],
        None if bodies.has_center is None else bodies.has_center[at],
        None if bodies.has_inertia is None else bodies.has_inertia[at],
    )


def picked_sigmas(sigmas: Sigmas, at: NDArray[np.intp]) -> Sigmas:
    """Pick sigmas by number."""
    return Sigmas(
        sigmas.mass[at],
        None if sigmas.center is None else sigmas.center[at],
        None if sigmas.inertia is None else sigmas.inertia[at],
        None if sigmas.known is None else sigmas.known[at],
    )
