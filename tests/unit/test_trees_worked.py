"""Worked examples of functions in the room trees."""

from __future__ import annotations

import numpy as np

from massprops_cli.partitions.tree_partition import _divided_labels
from massprops_cli.trees.tree import (
    Tree,
    aggregation_closure,
    is_at_or_below,
    items_between,
    serial_segments,
    tree_faults,
)


def test_divided_labels_example() -> None:
    assert (_divided_labels(Tree.from_parents([-1, 0, 0, 1, 1, 2, 2]), np.zeros(7, np.intp), 3).tolist()) == (
        [0, 1, 2, 1, 1, 2, 2]
    )


def test_tree_example() -> None:
    tree = Tree.from_parents([-1, 0, 0, 1])
    assert (tree.depth().tolist(), tree.is_leaf().tolist()) == (([0, 1, 1, 2], [False, False, True, True]))


def test_tree_faults_example() -> None:
    assert tree_faults(np.array([-1, 0, 3, 2, 3, 5, -2, 6])) == ([5], [[2, 3]], [0], [4, 7])


def test_is_at_or_below_example() -> None:
    assert (
        is_at_or_below(np.array([-1, 0, 1, 4, 3], np.int32), np.array([True, False, False, False, False])).tolist()
    ) == ([True, True, True, False, False])


def test_level_blocks_example() -> None:
    assert (
        [(block.low, block.high, block.sizes.tolist()) for block in Tree.from_parents([-1, 0, 0, 1, 2]).level_blocks()]
    ) == ([(3, 5, [1, 1]), (1, 3, [2])])


def test_subtree_sums_example() -> None:
    tree = Tree.from_parents([-1, 0, 1, 1])
    assert (tree.subtree_sums(np.array([0.0, 0.0, 2.0, 3.0]), np.array([1.0, 10.0, 1.0, 1.0])).tolist()) == (
        [50.0, 5.0, 2.0, 3.0]
    )


def test_subtree_extremes_example() -> None:
    tree = Tree.from_parents([-1, 0, 1, 1])
    assert (tree.subtree_extremes(np.array([0.0, 0.0, 2.0, 3.0]), np.maximum, np.ones(4, bool), 0.0).tolist()) == (
        [3.0, 3.0, 2.0, 3.0]
    )


def test_preorder_items_example() -> None:
    assert (Tree.from_parents([-1, 0, 0, 1]).preorder_items().tolist()) == ([0, 1, 3, 2])


def test_items_between_example() -> None:
    assert (items_between(Tree.from_parents([-1, 0, 1, 0]), np.array([True, False, True, False])).tolist()) == (
        [False, True, False, False]
    )


def test_aggregation_closure_example() -> None:
    tree = Tree.from_parents([-1, 0, 0, 1, 2])
    assert (aggregation_closure(tree, np.array([False, False, False, True, True])).tolist()) == (
        [False, True, True, True, True]
    )


def test_serial_segments_example() -> None:
    segment, tree = serial_segments(Tree.from_parents([-1, 0, 1, 1, 3]))
    assert (segment.tolist(), tree.parent.tolist()) == (([0, 0, 1, 2, 2], [-1, 0, 0]))
