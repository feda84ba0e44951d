"""A tree of items as arrays.

Words. An *item* is a node, numbered from 0 in file order; its *parent* is the item it is part of; the *root*
has none. A *leaf* has no children. *Depth* counts the steps to the root. *Position* is an item's place in
breadth-first order, in which the items of one depth, and the children of one item, stand together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from massprops_cli.findings import UsageError

Index = NDArray[np.int32]

NO_PARENT, UNKNOWN_PARENT = -1, -2


@dataclass(frozen=True, slots=True)
class Tree:
    """n items with one root.

    ``parent (n,)`` is −1 for the root. ``order (n,)`` lists the items breadth-first, the children of every
    item together and in file order; ``position (n,)`` is its inverse. Positions ``levels[d]:levels[d + 1]``
    have depth d. The children of position p stand at ``first_child[p] : first_child[p] + n_children[p]``.

    >>> tree = Tree.from_parents([-1, 0, 0, 1])
    >>> tree.depth().tolist(), tree.is_leaf().tolist()
    ([0, 1, 1, 2], [False, False, True, True])
    """

    parent: Index
    order: Index
    position: Index
    levels: Index
    first_child: Index
    n_children: Index

    @classmethod
    def from_parents(cls, parent: NDArray[np.integer] | list[int]) -> Tree:
        """Build the tree of ``parent (n,)``; raises UsageError unless there is one root and every item reaches it."""
        parents = np.ascontiguousarray(parent, dtype=np.int32)
        n = len(parents)
        if n == 0:
            raise UsageError("a tree needs at least one item")
        if int((parents == NO_PARENT).sum()) != 1 or bool((parents < NO_PARENT).any()) or int(parents.max()) >= n:
            raise UsageError("a tree has one root, and every other item a parent among the items")
        depths = depths_of(parents)
        if int(depths.min()) < 0:
            raise UsageError("some items never reach the root: their parents form a loop")
        order, levels = breadth_first(parents, depths)
        position = np.empty(n, np.int32)
        position[order] = np.arange(n, dtype=np.int32)
        counts = np.bincount(position[parents[order[1:]]], minlength=n).astype(np.int32)
        first = np.ones(n, np.int32)
        np.cumsum(counts[:-1], out=first[1:], dtype=np.int32)
        first[1:] += 1
        return cls(parents, order, position, levels, first, counts)

    def __len__(self) -> int:
        """Give the number of items."""
        return len(self.parent)

    def is_leaf(self) -> NDArray[np.bool_]:
        """Tell which items have no children ``(n,)``."""
        leaf = np.empty(len(self.parent), bool)
        leaf[self.order] = self.n_children == 0
        return leaf

    def depth(self) -> Index:
        """Give every item's depth ``(n,)``, 0 for the root."""
        depth = np.empty(len(self.parent), np.int32)
        depth[self.order] = np.repeat(np.arange(len(self.levels) - 1, dtype=np.int32), np.diff(self.levels))
        return depth

    def children(self, item: int) -> Index:
        """Give the children of one item, in file order."""
        p = int(self.position[item])
        first = int(self.first_child[p])
        return self.order[first : first + int(self.n_children[p])]

    def ancestors(self, item: int) -> list[int]:
        """Give the items above one item, nearest first."""
        above = []
        while (item := int(self.parent[item])) >= 0:
            above.append(item)
        return above

    def descendants(self, item: int) -> Index:
        """Give one item and everything below it, breadth-first."""
        start = int(self.position[item])
        parts = []
        first, last = start, start + 1
        while last > first:
            parts.append(self.order[first:last])
            inner = np.flatnonzero(self.n_children[first:last])
            if not len(inner):
                break
            # the children of a run of one level are a run of the next
            begin, end = first + int(inner[0]), first + int(inner[-1])
            first, last = int(self.first_child[begin]), int(self.first_child[end] + self.n_children[end])
        return np.concatenate(parts)

    def leaves(self, item: int) -> Index:
        """Give the leaves at or below one item."""
        below = self.descendants(item)
        kept: Index = below[self.n_children[self.position[below]] == 0]
        return kept

    def parent_position(self) -> Index:
        """Give the position of the parent of every position ``(n,)``; the root's own is 0."""
        above = np.repeat(np.arange(len(self.parent), dtype=np.int32), self.n_children)
        return np.concatenate([np.zeros(1, np.int32), above])


def depths_of(parents: Index) -> Index:
    """Give every item's depth ``(n,)`` by pointer doubling; −1 for items that never reach a root.

    >>> depths_of(np.array([-1, 0, 1, 4, 3], np.int32)).tolist()
    [0, 1, 2, -1, -1]
    """
    n = len(parents)
    up = np.append(parents, n).astype(np.int32)
    up[up < 0] = n
    steps = (up != n).astype(np.int32)
    for _ in range(max(1, n.bit_length())):
        if bool((up == n).all()):
            break
        steps += steps[up]
        up = up[up]
    steps = steps[:n]
    reaches = up[:n] == n
    return np.where(reaches, steps, -1).astype(np.int32)


def breadth_first(parents: Index, depths: Index) -> tuple[Index, Index]:
    """Order items by depth, then by the position of the parent, then by file order; give it and the level bounds."""
    n = len(parents)
    n_levels = int(depths.max()) + 1
    levels = np.zeros(n_levels + 1, np.int32)
    np.cumsum(np.bincount(depths, minlength=n_levels), out=levels[1:])
    by_depth = np.argsort(depths, kind="stable").astype(np.int32)
    position = np.empty(n, np.int32)
    position[by_depth] = np.arange(n, dtype=np.int32)
    above = position[parents[by_depth[1:]]]
    if bool((above[1:] >= above[:-1]).all()):  # as in every table that lists assemblies in order
        return by_depth, levels
    order = np.empty(n, np.int32)
    order[0] = by_depth[0]
    position[by_depth[0]] = 0
    bounds = levels.tolist()
    for d in range(1, n_levels):
        a, b = bounds[d], bounds[d + 1]
        if b - a == 1:
            order[a] = by_depth[a]
            position[by_depth[a]] = a
            continue
        items = by_depth[a:b]
        above = position[parents[items]]
        ordered = items if bool((above[1:] >= above[:-1]).all()) else items[np.argsort(above, kind="stable")]
        order[a:b] = ordered
        position[ordered] = np.arange(a, b, dtype=np.int32)
    return order, levels
