"""Parts and their uses: an acyclic graph, its loops, and its expansion into one item per use."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.intp]


class Uses(NamedTuple):
    """The uses of parts, sorted by parent part and then by row.

    ``parent (m,)`` and ``child (m,)`` are part numbers, ``row (m,)`` the table row of each use; the uses
    under part p stand at ``start[p] : start[p + 1]``.
    """

    parent: Whole
    child: Whole
    row: Whole
    start: Whole


class Expansion(NamedTuple):
    """Items, parents first: ``part (n,)``, ``parent (n,)`` item or −1, ``use (n,)``, −1 for a root."""

    part: Whole
    parent: Whole
    use: Whole


def sorted_uses(parent: Whole, child: Whole, row: Whole, n_parts: int) -> Uses:
    """Sort uses by their parent part, keeping the order of rows."""
    order = np.argsort(parent, kind="stable")
    start = np.zeros(n_parts + 1, np.intp)
    np.cumsum(np.bincount(parent, minlength=n_parts), out=start[1:])
    return Uses(parent[order], child[order], row[order], start)


def under(uses: Uses, parts: Whole) -> tuple[Whole, Whole]:
    """Give the uses under each of ``parts (k,)``: for each its position in ``parts`` and its number.

    >>> uses = sorted_uses(np.array([0, 0, 1]), np.array([1, 2, 2]), np.array([0, 1, 2]), 3)
    >>> [a.tolist() for a in under(uses, np.array([1, 0]))]
    [[0, 1, 1], [2, 0, 1]]
    """
    counts = uses.start[parts + 1] - uses.start[parts]
    owner = np.repeat(np.arange(len(parts)), counts)
    first = np.repeat(uses.start[parts] - (np.cumsum(counts) - counts), counts)
    return owner, first + np.arange(len(owner))


def peel(uses: Uses, n_parts: int) -> tuple[Whole, NDArray[np.float64]]:
    """Take parts away from the top, all whose parents are gone.

    Returns ``waiting (n_parts,)``, the uses still left above each part (not 0 on loops and below them), and
    ``items (n_parts,)``, how many items each part becomes when uses are expanded.
    """
    waiting = np.bincount(uses.child, minlength=n_parts).astype(np.intp)
    items = np.where(waiting == 0, 1.0, 0.0)
    wave = np.flatnonzero(waiting == 0)
    while len(wave):
        owner, number = under(uses, wave)
        children = uses.child[number]
        np.subtract.at(waiting, children, 1)
        np.add.at(items, children, items[wave][owner])
        reached = np.unique(children)
        wave = reached[waiting[reached] == 0]
    return waiting, items


def loops(uses: Uses, waiting: Whole) -> list[list[int]]:
    """List the loops among parts that could not be peeled, each part followed by the one it stands in."""
    left = waiting > 0
    above: dict[int, int] = {}
    for parent, child in zip(uses.parent.tolist(), uses.child.tolist(), strict=True):
        if left[parent] and left[child]:
            above.setdefault(child, parent)
    done: set[int] = set()
    result = []
    for begin in np.flatnonzero(left).tolist():
        path: dict[int, int] = {}
        part = begin
        while part not in done and part not in path:
            path[part] = len(path)
            part = above[part]
        if part in path:
            result.append(list(path)[path[part] :])
        done.update(path)
    return result


def expand(uses: Uses, roots: Whole, keep: NDArray[np.bool_]) -> Expansion:
    """Make one item for every use, level by level, children in row order; parts not in ``keep`` are left out.

    >>> uses = sorted_uses(np.array([0, 0, 1]), np.array([1, 2, 2]), np.array([0, 1, 2]), 3)
    >>> expand(uses, np.array([0]), np.ones(3, bool)).part.tolist()
    [0, 1, 2, 2]
    """
    wave = roots
    parts, parents, used = [roots], [np.full(len(roots), -1)], [np.full(len(roots), -1)]
    first = 0
    while len(wave):
        owner, number = under(uses, wave)
        wanted = keep[uses.child[number]]
        owner, number = owner[wanted], number[wanted]
        parents.append(owner + first)
        used.append(number)
        first += len(wave)
        wave = uses.child[number]
        parts.append(wave)
    return Expansion(np.concatenate(parts), np.concatenate(parents), np.concatenate(used))
