"""Trees as arrays."""

from __future__ import annotations

import numpy as np
import pytest

from massprops_cli.findings.finding import UsageError
from massprops_cli.trees.tree import Tree, _tree_depths

#      0
#    /   \
#   3     1
#   |    / \
#   5   4   6       item 2 hangs on 6; the file is out of order
PARENT = [-1, 0, 6, 0, 1, 3, 1]


def test_breadth_first_with_children_together_and_in_file_order() -> None:
    tree = Tree.from_parents(PARENT)
    assert tree.order.tolist() == [0, 1, 3, 4, 6, 5, 2]
    assert tree.levels.tolist() == [0, 1, 3, 6, 7]
    assert tree.order[tree.position].tolist() == tree.position[tree.order].tolist() == list(range(7))
    for item in range(7):
        assert tree.children(item).tolist() == [i for i in range(7) if PARENT[i] == item]


def test_querying_a_tree() -> None:
    tree = Tree.from_parents(PARENT)
    assert len(tree) == 7
    assert tree.depth().tolist() == [0, 1, 3, 1, 2, 2, 2]
    assert np.flatnonzero(tree.is_leaf()).tolist() == [2, 4, 5]
    assert tree.ancestors(2) == [6, 1, 0]
    assert tree.ancestors(0) == []
    assert tree.descendants(1).tolist() == [1, 4, 6, 2]
    assert tree.descendants(5).tolist() == [5]
    assert tree.leaves(0).tolist() == [4, 5, 2]
    assert tree.preorder_items().tolist() == [0, 1, 4, 6, 2, 3, 5]
    assert tree.parent_position().tolist() == [0, 0, 0, 1, 1, 2, 4]


def test_a_single_item_is_a_tree() -> None:
    tree = Tree.from_parents([-1])
    assert tree.preorder_items().tolist() == tree.descendants(0).tolist() == [0]
    assert tree.is_leaf().tolist() == [True]
    assert tree.parent_position().tolist() == [0]
    assert tree.family_blocks() == tree.level_blocks() == []


@pytest.mark.parametrize(
    "parent",
    [[], [-1, -1], [0], [-1, -2], [-1, 2], [-1, 2, 1], [1, 0], [-1, 1]],
    ids=["none", "two roots", "own parent", "unknown parent", "out of range", "loop", "only a loop", "self"],
)
def test_what_is_not_a_tree_is_a_wrong_call(parent: list[int]) -> None:
    with pytest.raises(UsageError):
        Tree.from_parents(parent)


def test_chain_at_the_depth_cap() -> None:
    n = 10_001
    shuffled = np.random.default_rng(1).permutation(n)
    parent = np.empty(n, np.int32)
    parent[shuffled] = np.append(-1, shuffled[:-1])
    tree = Tree.from_parents(parent)
    assert tree.order.tolist() == tree.preorder_items().tolist() == shuffled.tolist()
    assert tree.depth()[shuffled].tolist() == list(range(n))
    assert tree.subtree_sums(np.ones(n))[shuffled].tolist() == list(range(n, 0, -1))
    assert [(block.low, block.high) for block in tree.level_blocks()] == [(k, k + 1) for k in range(n - 1, 0, -1)]


@pytest.mark.parametrize("width", [3, 65])
def test_adding_up_counts_every_path(width: int) -> None:
    """Root with ``width`` assemblies of two leaves each, each leaf counted 3 times and each assembly 5 times."""
    parent = [-1, *[0] * width, *(np.arange(2 * width) // 2 + 1).tolist()]
    tree = Tree.from_parents(parent)
    weight = np.array([7.0, *[5.0] * width, *[3.0] * 2 * width])
    values = np.array([0.0, *[0.0] * width, *[1.0] * 2 * width])
    total = tree.subtree_sums(values, weight)
    assert total.tolist() == [2 * 3 * 5 * width, *[6.0] * width, *[1.0] * 2 * width]


@pytest.mark.parametrize("width", [3, 65])
def test_highest_and_lowest_leave_out_what_does_not_count(width: int) -> None:
    parent = [-1, *[0] * width, *(np.arange(2 * width) // 2 + 1).tolist()]
    tree = Tree.from_parents(parent)
    leaves = np.arange(1.0, 2 * width + 1)
    counts = np.ones(len(tree), bool)
    counts[-1] = False
    high = tree.subtree_extremes(np.array([*[-np.inf] * (width + 1), *leaves]), np.maximum, counts, -np.inf)
    assert high[0] == 2 * width - 1
    counts[1] = False
    low = tree.subtree_extremes(np.array([*[np.inf] * (width + 1), *leaves]), np.minimum, counts, np.inf)
    assert low[0] == 3.0
    assert low[1] == 1.0


def test_depths_of_items_on_a_loop_are_minus_one() -> None:
    assert _tree_depths(np.array([-1, 0, 1, 4, 3], np.int32)).tolist() == [0, 1, 2, -1, -1]
