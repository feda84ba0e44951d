"""Division of a tree into connected parts of near to equal size (S. Kundu, J. Misra, SIAM J. Comput. 6, 1977)."""

from __future__ import annotations

from heapq import merge
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from massprops_cli.trees.tree import Tree, is_at_or_below

_Items = NDArray[np.intp]
_MOST_HEAVY = 50_000  # beyond this number of items that are larger than a part, branches are cut off one by one


def divided_labels(tree: Tree, labels: _Items, number: int) -> _Items:
    """Return regions (n,) divided into ``number`` of near to equal size, of several items each; fewer if need be."""
    if number > 1 and not labels.any():
        return _cut_further(tree, _evenly_cut(tree, number), number)
    return _cut_further(tree, labels, number)


def _evenly_cut(tree: Tree, number: int) -> _Items:
    """Cut off branches of two items or more, fewer than ``number``, so that the largest region is smallest."""
    size = tree.subtree_sums(np.ones(len(tree))).astype(np.intp)
    least = -(-len(tree) // number)
    if int((size > least).sum()) > _MOST_HEAVY:
        return np.zeros(len(tree), np.intp)
    heavy = _HeavyItems(tree, size, least)
    low, high = least, len(tree)
    while low < high:
        middle = (low + high) // 2
        if heavy.cuts(middle, number) is None:
            low = middle + 1
        else:
            high = middle
    # region of each item: 0 at the root, k below the k-th branch that is cut off
    cuts = sorted(heavy.cuts(low, number) or ())
    label = np.zeros(len(tree), np.intp)
    label[cuts] = np.arange(1, len(cuts) + 1)
    begins = (label > 0) | (tree.parent < 0)
    head = np.where(begins, np.arange(len(tree)), tree.parent).astype(np.intp)
    while not bool(begins[head].all()):
        head = head[head]
    return np.asarray(label[head])


class _HeavyItems:
    """Items whose branches exceed the size of a part, leaves first; smaller branches are never cut inside."""

    def __init__(self, tree: Tree, size: _Items, least: int) -> None:
        """Sort the branches of each item by size."""
        order = tree.order[::-1]
        self.items = order[size[order] > least].tolist()
        self.parent = {item: int(tree.parent[item]) for item in self.items}
        light = np.flatnonzero((size <= least) & (size > 1) & (tree.parent >= 0))
        light = light[size[np.maximum(tree.parent[light], 0)] > least]
        light = light[np.lexsort((-light, -size[light], tree.parent[light]))]
        above = tree.parent[light]
        edges = [0, *(np.flatnonzero(np.diff(above)) + 1).tolist(), len(light)]
        branches = list(zip(size[light].tolist(), light.tolist(), strict=True))
        self.light = {int(above[a]): branches[a:b] for a, b in pairwise(edges) if b > a}
        inner = np.isin(np.arange(len(tree)), self.items)
        heavy_sum = np.bincount(tree.parent[inner & (tree.parent >= 0)], size[inner & (tree.parent >= 0)], len(tree))
        self.own = {item: int(size[item] - heavy_sum[item]) for item in self.items}

    def cuts(self, bound: int, number: int) -> list[int] | None:
        """Return the branches to cut off so that no region exceeds a bound where possible; None if too many."""
        rest, found = dict(self.own), list[int]()
        heavy: dict[int, list[tuple[int, int]]] = {}
        for item in self.items:
            branches = merge(sorted(heavy.get(item, ()), reverse=True), self.light.get(item, ()), reverse=True)
            while rest[item] > bound and (branch := next(branches, None)):
                rest[item] -= branch[0]
                found.append(branch[1])
            if len(found) >= number:
                return None
            if (parent := self.parent[item]) >= 0:
                rest[parent] += rest[item]
            if rest[item] > 1:
                heavy.setdefault(parent, []).append((rest[item], item))
        return found


def _cut_further(tree: Tree, labels: _Items, number: int) -> _Items:
    """Cut off branches of the largest region, one by one, until there are as many as requested."""
    result = labels.astype(np.intp).copy()
    target = len(tree) / number
    parent = np.where(tree.parent < 0, 0, tree.parent)
    count = int(result.max()) + 1
    closed: set[int] = set()
    while count < number:
        sizes = np.bincount(result, minlength=count).astype(float)
        sizes[sorted(closed)] = 0
        largest = int(sizes.argmax())
        if sizes[largest] < 3:
            break
        inside = result == largest
        branch = tree.subtree_sums(inside.astype(float), np.asarray(result == result[parent], float))
        if not len(candidates := np.flatnonzero(inside & inside[parent] & (tree.parent >= 0) & (branch >= 2))):
            closed.add(largest)
            continue
        # the branch of the largest region whose size is nearest to n / number
        cut = int(candidates[np.abs(branch[candidates] - min(target, sizes[largest] / 2)).argmin()])
        start = np.zeros(len(tree), bool)
        start[cut] = True
        result[inside & is_at_or_below(tree.parent, start)] = count
        count += 1
    return result
