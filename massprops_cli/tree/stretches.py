"""Levels of a tree in the order a roll-up takes them: wide levels alone, neighbouring narrow ones together."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.tree.tree import Tree

NARROW = 64
"""A level of at most so many items costs less together with its neighbours than as arrays of its own."""

DEEP = 4_096
"""So many narrow levels at a time, since plain numbers take more memory than arrays."""


class Stretch(NamedTuple):
    """Parents at positions ``low:high``; ``narrow`` when they are to be taken item by item."""

    low: int
    high: int
    narrow: bool


def stretches(tree: Tree) -> list[Stretch]:
    """Cut the levels that hold parents into stretches, deepest first.

    >>> stretches(Tree.from_parents([-1] + [0] * 80 + [1] * 80))
    [Stretch(low=1, high=81, narrow=False), Stretch(low=0, high=1, narrow=False)]
    """
    levels = tree.levels
    if len(levels) < 3:
        return []
    width = np.diff(levels)
    # what counts is the level of the children, which the work is about
    narrow = width[1:] <= NARROW
    change = np.flatnonzero(narrow[1:] != narrow[:-1]) + 1
    bounds = [0, *change.tolist(), len(narrow)]
    result: list[Stretch] = []
    for first, last in pairwise(bounds):
        if narrow[first]:
            cuts = [*range(first, last, DEEP), last]
            result += [Stretch(int(levels[a]), int(levels[b]), True) for a, b in pairwise(cuts)]
        else:
            result += [Stretch(int(levels[d]), int(levels[d + 1]), False) for d in range(first, last)]
    return result[::-1]


def add_up(tree: Tree, values: NDArray[np.float64], weight: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
    """Add up values over every subtree, ``(n,)`` in item order; a parent counts a child ``weight (n,)`` times.

    Values of assemblies count too, beside their children's.

    >>> tree = Tree.from_parents([-1, 0, 1, 1])
    >>> add_up(tree, np.array([0.0, 0.0, 2.0, 3.0]), np.array([1.0, 10.0, 1.0, 1.0])).tolist()
    [50.0, 5.0, 2.0, 3.0]
    """
    total = np.asarray(values, dtype=np.float64)[tree.order]
    weights = None if weight is None else np.asarray(weight, dtype=np.float64)[tree.order]
    for low, high, narrow in stretches(tree):
        inner = low + np.flatnonzero(tree.n_children[low:high])
        first = int(tree.first_child[inner[0]])
        end = int(tree.first_child[inner[-1]] + tree.n_children[inner[-1]])
        if narrow:
            add_up_narrow(tree, total, weights, low, end)
            continue
        children = total[first:end] if weights is None else total[first:end] * weights[first:end]
        total[inner] += np.add.reduceat(children, tree.first_child[inner] - first)
    return total[tree.position]


def add_up_narrow(
    tree: Tree, total: NDArray[np.float64], weights: NDArray[np.float64] | None, low: int, end: int
) -> None:
    """Add positions up to ``end`` to their parents from ``low`` on, one by one, deepest first."""
    parent = tree.position[tree.parent[tree.order[low:end]]].tolist()
    sums = total[low:end].tolist()
    times = [1.0] * (end - low) if weights is None else weights[low:end].tolist()
    for p in range(end - 1, max(low, 1) - 1, -1):
        above = parent[p - low] - low
        if above >= 0:
            sums[above] += times[p - low] * sums[p - low]
    total[low:end] = sums


def fold(
    tree: Tree,
    values: NDArray[np.float64],
    operation: np.ufunc,
    counts: NDArray[np.bool_],
    neutral: float,
) -> NDArray[np.float64]:
    """Fold values over every subtree by ``np.maximum`` or ``np.minimum``, ``(n,)`` in item order.

    Items that are not in ``counts (n,)`` are left out with all that is below them; ``neutral`` stands for
    nothing.

    >>> tree = Tree.from_parents([-1, 0, 1, 1])
    >>> fold(tree, np.array([0.0, 0.0, 2.0, 3.0]), np.maximum, np.ones(4, bool), 0.0).tolist()
    [3.0, 3.0, 2.0, 3.0]
    """
    result = np.asarray(values, dtype=np.float64)[tree.order]
    counted = counts[tree.order]
    pick = max if operation is np.maximum else min
    for low, high, narrow in stretches(tree):
        inner = low + np.flatnonzero(tree.n_children[low:high])
        first = int(tree.first_child[inner[0]])
        end = int(tree.first_child[inner[-1]] + tree.n_children[inner[-1]])
        if narrow:
            parent = tree.position[tree.parent[tree.order[low:end]]].tolist()
            best, use = result[low:end].tolist(), counted[low:end].tolist()
            for p in range(end - 1, max(low, 1) - 1, -1):
                above = parent[p - low] - low
                if above >= 0 and use[p - low]:
                    best[above] = pick(best[above], best[p - low])
            result[low:end] = best
            continue
        children = np.where(counted[first:end], result[first:end], neutral)
        result[inner] = operation(result[inner], operation.reduceat(children, tree.first_child[inner] - first))
    return result[tree.position]
