"""Regions of a tree of any size as arrays: partition, aggregation, serial segments.

A region is a set of items as a mask ``(n,)``. No recursion and no loop over items; the terms are those of ``digraph``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.findings.finding import UsageError
from massprops_cli.trees.tree import Tree, is_at_or_below, subtree_sums

_Mask = NDArray[np.bool_]
_Items = NDArray[np.intp]


def items_between(tree: Tree, members: _Mask) -> _Mask:
    """Return the items outside a region that are on a path between two of its items.

    Parameters
    ----------
    tree : Tree
        n items.
    members : array of bool, shape (n,)
        The region.

    Returns
    -------
    array of bool, shape (n,)
        False everywhere if the region is path-induced; else the items that make it so.
    """
    below = is_at_or_below(tree.parent, members)
    return np.asarray(below & ~members & (subtree_sums(tree, members.astype(float)) > 0))


def aggregation_closure(tree: Tree, members: _Mask) -> _Mask:
    """Return the smallest region that contains a region and can be replaced by one item of a tree.

    Parameters
    ----------
    tree : Tree
        n items.
    members : array of bool, shape (n,)
        The region, one item at least.

    Returns
    -------
    array of bool, shape (n,)
        The region itself if it has exactly one parent outside, which is an ancestor of all its items, or contains the
        root and has none; otherwise with all items on the paths up to the lowest item above (or at the top of) all of
        them.

    Raises
    ------
    UsageError
        The region is empty.
    """
    if not members.any():
        raise UsageError("no items to aggregate")
    count = subtree_sums(tree, members.astype(float))
    above_all = count == count[int(tree.order[0])]
    # the items above or at all members are a chain from the root; the last of them is the lowest
    top = int(np.flatnonzero(above_all)[np.argmax(tree.position[above_all])])
    result = (count > 0) & ~above_all
    result[top] = members[top]
    return np.asarray(result)


class _SerialSegments(NamedTuple):
    """The serial-chain segments of a tree.

    Attributes
    ----------
    segment : array of int, shape (n,)
        Segment of each item.
    tree : Tree
        Tree of the segments.
    """

    segment: _Items
    tree: Tree


def serial_segments(tree: Tree) -> _SerialSegments:
    """Divide a tree into serial chains of greatest length."""
    n = len(tree)
    up = tree.parent_position()
    begins = np.ones(n, bool)
    begins[1:] = tree.n_children[up[1:]] > 1
    number = np.cumsum(begins) - 1
    head = np.where(begins, np.arange(n), up)
    while not bool(begins[head].all()):
        head = head[head]
    by_position = number[head]
    starts = np.flatnonzero(begins)
    parents = np.where(starts == 0, -1, by_position[up[starts]])
    return _SerialSegments(by_position[tree.position], Tree.from_parents(parents))
