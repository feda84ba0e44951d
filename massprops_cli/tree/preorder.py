"""Trees depth-first: the order of an indented table, and how many items each branch has."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from massprops_cli.tree.stretches import add_up
from massprops_cli.tree.tree import Index, Tree


def preorder(tree: Tree) -> Index:
    """List the items depth-first, children in file order, as an indented table shows them.

    >>> preorder(Tree.from_parents([-1, 0, 0, 1])).tolist()
    [0, 1, 3, 2]
    """
    if len(tree) == 1:
        return tree.order.copy()
    up = tree.parent_position()
    size = branch_sizes(tree)
    # a child starts after its parent and its elder siblings' branches
    before = np.cumsum(size) - size
    start = 1 + before - before[tree.first_child[up]]
    start[0] = 0
    # steps add up along the path to the root, over twice the distance each time
    while bool(up.any()):
        start += start[up]
        up = up[up]
    listing = np.empty(len(tree), np.int32)
    listing[start] = tree.order
    return listing


def branch_sizes(tree: Tree) -> NDArray[np.int64]:
    """Give how many items stand at and below every position ``(n,)``.

    >>> branch_sizes(Tree.from_parents([-1, 0, 0, 1])).tolist()
    [4, 2, 1, 1]
    """
    return add_up(tree, np.ones(len(tree)))[tree.order].astype(np.int64)
