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
    """Return the items (n,) outside a region (n,) on a path between two of its items; none if it is path-induced."""
    below = is_at_or_below(tree.parent, members)
    return np.asarray(below & ~members & (subtree_sums(tree, members.astype(float)) > 0))


def aggregation_closure(tree: Tree, members: _Mask) -> _Mask:
    """Return the smallest region (n,) that contains a region (n,) and can be replaced by one item of a tree.

    It has the root, or one parent outside that is above all its items; raises UsageError for an empty region.
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
    """The serial-chain segments of a tree."""

    segment: _Items  # (n,) segment of each item
    tree: Tree  # of the segments


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
