"""Levels → parents: the parent of a row is the last row before it that is one level higher."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from massprops_cli.tables.items.shape import NO_PARENT, UNKNOWN_PARENT, Index


def nest(levels: NDArray[np.integer]) -> tuple[Index, NDArray[np.intp]]:
    """Find parents from levels, children below their parent.

    ``levels (n,)`` counts down from the top, −1 where a row's level is not known. Returns ``parents (n,)``
    (−1 on the highest level of the table, −2 where the level is not known) and the rows ``jumps (k,)`` that
    are more than one level deeper than the row before; these hang on that row.

    >>> parents, jumps = nest(np.array([0, 1, 2, 2, 1, 3]))
    >>> parents.tolist(), jumps.tolist()
    ([-1, 0, 1, 1, 0, 4], [5])
    """
    known = np.flatnonzero(levels >= 0)
    parents = np.full(len(levels), UNKNOWN_PARENT, np.int32)
    if not len(known):
        return parents, known
    depth = np.asarray(levels, np.int64)[known]
    steps = np.diff(depth, prepend=depth[0])
    jumps = np.flatnonzero(steps > 1)
    within = _walked(depth) if len(jumps) else _searched(depth)
    parents[known] = np.where(within >= 0, known[within], NO_PARENT)
    # a row after one whose level is not known may rightly be deeper than the last known row
    clear = np.diff(known, prepend=known[0]) <= 1
    return parents, known[jumps[clear[jumps]]]


def _searched(depth: NDArray[np.int64]) -> NDArray[np.int64]:
    """Find parents without jumps: rows sorted by (level, row), and a search for (level − 1, own row)."""
    n = len(depth)
    keys = depth * n + np.arange(n)
    order = np.argsort(depth, kind="stable")
    before = np.searchsorted(keys[order], keys - n) - 1
    candidate = order[np.maximum(before, 0)]
    fits = (before >= 0) & (depth[candidate] == depth - 1)
    return np.where(fits, candidate, -1)


def _walked(depth: NDArray[np.int64]) -> NDArray[np.int64]:
    """Find parents with jumps: the nearest row above that is less deep."""
    parents = np.full(len(depth), -1, np.int64)
    open_rows: list[int] = []
    open_depths: list[int] = []
    for row, level in enumerate(depth.tolist()):
        while open_depths and open_depths[-1] >= level:
            open_depths.pop()
            open_rows.pop()
        if open_rows:
            parents[row] = open_rows[-1]
        open_rows.append(row)
        open_depths.append(level)
    return parents
