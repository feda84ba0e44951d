"""A tree of items → a forest of pieces: n independent pieces of a branch become n branches, each drawn by itself.

Pieces → the order in which they are drawn and added up, with few sums waiting at any time.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from massprops_cli.findings import UsageError
from massprops_cli.rollups.inputs import ALONE, Correlation
from massprops_cli.rollups.montecarlo.distributions import InputDistributions
from massprops_cli.trees.tree import Quantity, Tree, add_up

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


def same_in_every_piece(tree: Tree, inputs: InputDistributions, correlation: Correlation, ends: Mask) -> Mask:
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


NOT_COUNTED = -1
"""The row of an assembly that is a further copy of one, and the parent of an assembly that nothing counts."""


@dataclass(frozen=True, slots=True)
class Plan:
    """F families, each after the families inside it.

    ``item (F,)`` is the assembly of a family; ``parent (F,)`` the family it is counted in, ``factor (F,)`` times.
    Its own parts are the pieces ``starts[f]:starts[f + 1]`` of ``part (L,)`` (items) and ``part_factor (L,)``.
    ``row (F,)`` is where its results go; ``assemblies (k,)`` are the items of those rows, ascending.
    """

    item: Index
    parent: NDArray[np.intp]
    factor: Floats
    starts: NDArray[np.intp]
    part: Index
    part_factor: Floats
    row: NDArray[np.intp]
    assemblies: Index


def plan_of(pieces: Pieces, inner: Mask, alone: Index) -> Plan:
    """Order the families of a forest of pieces, and note where each one's parts stand.

    ``inner (n,)`` are the items that are made of their children; ``alone`` are others whose own distribution is
    wanted: each is a family of itself.
    """
    is_inner = inner[pieces.item]
    families = np.flatnonzero(is_inner)
    order = heavy_first(families, pieces.parent, len(pieces.item))
    place = np.full(len(pieces.item) + 1, NOT_COUNTED, np.intp)
    place[order] = np.arange(len(order))
    part = np.flatnonzero(~is_inner & (pieces.parent >= 0))
    home = place[pieces.parent[part]]
    by_home = np.argsort(home, kind="stable")
    part, home = part[by_home], home[by_home]
    item = np.concatenate([pieces.item[order], alone])
    home = np.concatenate([home, len(order) + np.arange(len(alone))])
    first = first_of(item)
    assemblies = np.sort(item[first])
    row = np.where(first, np.searchsorted(assemblies, item), NOT_COUNTED)
    return Plan(
        item,
        np.concatenate([place[pieces.parent[order]], np.full(len(alone), NOT_COUNTED)]),
        np.concatenate([pieces.factor[order], np.ones(len(alone))]),
        np.searchsorted(home, np.arange(len(item) + 1)),
        np.concatenate([pieces.item[part], alone]),
        np.concatenate([pieces.factor[part], np.ones(len(alone))]),
        row,
        assemblies,
    )


def heavy_first(families: NDArray[np.intp], parent: Index, n: int) -> NDArray[np.intp]:
    """Order families so that each comes after those inside it, the largest of them first.

    A family's sum waits only while its lighter members are added up, so at most log2 of their number wait at a time,
    however deep the tree.
    """
    size = np.zeros(n, np.int64)
    size[families] = 1
    weights = size.tolist()
    above = parent.tolist()
    for piece in reversed(families.tolist()):
        if above[piece] >= 0:
            weights[above[piece]] += weights[piece]
    by_weight = families[np.argsort(-np.array(weights)[families], kind="stable")]
    children: dict[int, list[int]] = {}
    stack = []
    for piece in by_weight.tolist():
        if above[piece] >= 0:
            children.setdefault(above[piece], []).append(piece)
        else:
            stack.append(piece)
    backwards = []
    while stack:
        piece = stack.pop()
        backwards.append(piece)
        stack += children.get(piece, ())
    return np.array(backwards[::-1], np.intp)
