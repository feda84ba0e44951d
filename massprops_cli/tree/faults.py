"""What keeps a list of parents from being one tree: self-parents, loops, several roots, rows that hang on nothing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from massprops_cli.tree.tree import NO_PARENT, UNKNOWN_PARENT, Index


@dataclass(frozen=True, slots=True)
class Faults:
    """Why parents are no tree, as item numbers.

    ``self_parents`` are their own parent; ``cycles`` are the longer loops, each once, every item followed by
    its parent; ``roots`` have no parent; ``orphans`` hang, at any distance, on an unknown parent, a
    self-parent or a loop without being one of these.
    """

    self_parents: list[int]
    cycles: list[list[int]]
    roots: list[int]
    orphans: list[int]

    @property
    def is_tree(self) -> bool:
        """Whether there is nothing wrong but, perhaps, an unknown parent."""
        return len(self.roots) == 1 and not (self.self_parents or self.cycles or self.orphans)


def faults(parent: NDArray[np.integer]) -> Faults:
    """Find what keeps ``parent (n,)`` (−1 none, −2 unknown) from being a tree.

    >>> found = faults(np.array([-1, 0, 3, 2, 3, 5, -2, 6]))
    >>> found.self_parents, found.cycles, found.roots, found.orphans
    ([5], [[2, 3]], [0], [4, 7])
    """
    parents = np.asarray(parent, dtype=np.int32)
    n = len(parents)
    items = np.arange(n, dtype=np.int32)
    own = parents == items
    loops = on_a_loop(parents)
    fallen = own | loops | (parents == UNKNOWN_PARENT)
    orphans = hangs_on(parents, fallen) & ~fallen
    return Faults(
        np.flatnonzero(own).tolist(),
        walked(parents, np.flatnonzero(loops & ~own)),
        np.flatnonzero(parents == NO_PARENT).tolist(),
        np.flatnonzero(orphans).tolist(),
    )


def on_a_loop(parents: Index) -> NDArray[np.bool_]:
    """Tell which items have themselves above them, by walking 2^k ≥ n steps up: who is reached then is on a loop."""
    n = len(parents)
    up = np.append(np.where(parents < 0, n, parents), n).astype(np.int32)
    for _ in range(max(1, n.bit_length())):
        if bool((up == n).all()):
            return np.zeros(n, bool)
        up = up[up]
    loops = np.zeros(n + 1, bool)
    loops[up] = True
    loops[n] = False
    # an item on a loop is reached from itself after some whole number of rounds, so every one of them is among the ends
    return loops[:n]


def hangs_on(parents: Index, starts: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Tell which items have one of ``starts (n,)`` above them or are one, by pointer doubling.

    >>> hangs_on(np.array([-1, 0, 1, 4, 3], np.int32), np.array([True, False, False, False, False])).tolist()
    [True, True, True, False, False]
    """
    n = len(parents)
    up = np.append(np.where(parents < 0, n, parents), n).astype(np.int32)
    up[:n][starts] = np.flatnonzero(starts)
    inside = np.append(starts, False)
    while True:
        wider = inside | inside[up]
        if np.array_equal(wider, inside):  # nobody at twice the distance, so nobody further off
            return inside[:n]
        inside, up = wider, up[up]


def walked(parents: Index, items: NDArray[np.intp]) -> list[list[int]]:
    """Walk every loop among ``items`` once, from its first item in file order."""
    waiting = set(items.tolist())
    loops = []
    for start in items.tolist():
        if start not in waiting:
            continue
        loop, item = [], start
        while item in waiting:
            waiting.discard(item)
            loop.append(item)
            item = int(parents[item])
        loops.append(loop)
    return loops
