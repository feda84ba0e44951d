"""A tree of items → a forest of pieces: n independent pieces of a branch become n branches, each drawn by itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from massprops_cli.findings import UsageError
from massprops_cli.rollup.correlation import ALONE, Correlation
from massprops_cli.rollup.montecarlo.inputs import Inputs
from massprops_cli.rollup.quantity import Quantity
from massprops_cli.tree.stretches import add_up
from massprops_cli.tree.tree import Tree

Index = NDArray[np.int32]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

MOST_PIECES = 20_000_000


@dataclass(frozen=True, slots=True)
class Pieces:
    """N pieces, parents before children.

    ``item (N,)`` is the item of each, ``parent (N,)`` the piece it belongs to (−1 where nothing counts it: the root,
    branches with quantity 0, and what a stated assembly hides), ``factor (N,)`` what the parent counts it by.
    """

    item: Index
    parent: Index
    factor: Floats


def same_in_every_piece(tree: Tree, inputs: Inputs, correlation: Correlation, ends: Mask) -> Mask:
    """Tell which branches ``(n,)`` have only errors that all their pieces share, so that n pieces are n times one."""
    varies = inputs.varies()
    shared = correlation.group != ALONE
    own = varies.any(axis=0) & ~shared
    if not correlation.shares_centers:
        own |= varies[1:4].any(axis=0)
    through = np.ones(len(tree))
    hidden = ends & ~tree.is_leaf()
    through[(tree.parent >= 0) & hidden[tree.parent]] = 0.0
    same: Mask = add_up(tree, (own & ends).astype(float), through) == 0.0
    return same


def into_pieces(tree: Tree, quantity: Quantity, same: Mask, ends: Mask) -> Pieces:
    """Draw up every piece; raises UsageError when there are more than 20 million.

    ``same (n,)`` are branches that are multiplied rather than repeated; ``ends (n,)`` go up with their own numbers.
    """
    count = quantity.count
    whole = (np.rint(count) == count) & ~quantity.measured & ~same
    repeats = np.where(whole, np.maximum(np.abs(count), 1.0), 1.0)
    factor = np.where(whole, np.sign(count), count)
    if bool((repeats == 1.0).all()):
        parent = tree.parent_position()
        hidden = (factor == 0.0)[tree.order] | ends[tree.order[parent]]
        parent[hidden] = -1
        parent[0] = -1
        return Pieces(tree.order, parent, factor[tree.order])
    return repeated(tree, repeats, factor, ends)


def repeated(tree: Tree, repeats: Floats, factor: Floats, ends: Mask) -> Pieces:
    """Repeat every branch as often as it counts, level by level."""
    frontier, above = tree.order[:1], np.full(1, -1, np.int32)
    items, parents = [frontier], [above]
    total = 1
    while len(frontier):
        positions = tree.position[frontier]
        sizes = tree.n_children[positions]
        owner = np.repeat(np.arange(len(frontier), dtype=np.int32), sizes)
        ramp = np.arange(len(owner), dtype=np.int32) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        child = tree.order[tree.first_child[positions][owner] + ramp]
        detached = (factor[child] == 0.0) | ends[frontier[owner]]
        # a branch that nothing counts is drawn once, for its own results
        kept = ~detached | first_of(child)
        child, owner, detached = child[kept], owner[kept], detached[kept]
        times = np.where(detached, 1.0, repeats[child])
        if total + float(times.sum()) > MOST_PIECES:
            raise UsageError(
                f"the quantities make more than {MOST_PIECES:,} independent pieces; with --correlate part the pieces "
                "of one part share their errors and are drawn once"
            )
        again = times.astype(np.int64)
        above = np.where(detached, -1, owner + (total - len(frontier))).astype(np.int32)
        frontier, above = np.repeat(child, again), np.repeat(above, again)
        total += len(frontier)
        items.append(frontier)
        parents.append(above)
    item = np.concatenate(items)
    return Pieces(item, np.concatenate(parents), factor[item])


def first_of(values: Index) -> Mask:
    """Mark the first occurrence of every value ``(n,)``."""
    first = np.zeros(len(values), bool)
    first[np.unique(values, return_index=True)[1]] = True
    return first
