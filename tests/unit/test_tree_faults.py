"""What keeps rows from being a tree."""

from __future__ import annotations

import numpy as np

from massprops_cli.trees.tree import is_at_or_below, tree_faults


def found(*parent: int) -> tuple[list, list, list, list]:
    return tree_faults(np.array(parent, dtype=np.int32))


def test_a_tree_has_no_faults() -> None:
    assert found(-1, 0, 1, 0) == ([], [], [0], [])


def test_every_loop_once_in_walking_order() -> None:
    # 1 → 3 → 2 → 1 is a loop, 4 hangs on it, 5 and 6 are another
    assert found(-1, 3, 1, 2, 2, 6, 5) == ([], [[1, 3, 2], [5, 6]], [0], [4])


def test_self_parent_is_not_a_loop_and_leaves_orphans() -> None:
    assert found(-1, 1, 1, 2) == ([1], [], [0], [2, 3])


def test_unknown_parents_leave_orphans_but_are_none() -> None:
    assert found(-1, -2, 1, 2, 0) == ([], [], [0], [2, 3])


def test_roots() -> None:
    assert found(-1, 0, -1)[2] == [0, 2]
    assert found(1, 0)[2] == []


def test_a_loop_of_100_001_and_a_chain_on_it() -> None:
    n = 100_001
    parent = np.append(np.roll(np.arange(n), -1), np.arange(n - 1, 2 * n - 1))
    assert tree_faults(parent) == ([], [list(range(n))], [], list(range(n, 2 * n)))


def test_hanging_on_something_at_any_distance() -> None:
    n = 1000
    starts = np.zeros(n, bool)
    starts[300] = True
    chain = np.arange(-1, n - 1, dtype=np.int32)
    assert is_at_or_below(chain, starts).tolist() == [i >= 300 for i in range(n)]
