"""Other columns over the tree."""

from __future__ import annotations

import numpy as np
import pytest

from massprops_cli.findings.finding import UsageError
from massprops_cli.rollups.subtotals import roll_up_column
from massprops_cli.trees.tree import ItemQuantity, Tree

NAN = np.nan
#  0 ─ 1 (× 2) ─ 3 (× 3), 4 (1.5 m)
#    ─ 2 (× 0) ─ 5
#    ─ 6 no number
TREE = Tree.from_parents([-1, 0, 0, 1, 1, 2, 0])
QUANTITY = ItemQuantity(
    np.array([1.0, 2.0, 0.0, 3.0, 1.5, 1.0, 1.0]), np.array([False, False, False, False, True, False, False])
)
VALUES = np.array([99.0, 99.0, 99.0, 10.0, 4.0, 1000.0, NAN])
MASS = np.array([NAN, NAN, NAN, 1.0, 2.0, 5.0, 7.0])


@pytest.mark.parametrize(
    ("way", "inner", "root"),
    [
        ("sum", 3 * 10 + 1.5 * 4, 2 * (3 * 10 + 1.5 * 4)),
        ("rss", (3 * 10**2 + (1.5 * 4) ** 2) ** 0.5, (2 * (3 * 10**2 + (1.5 * 4) ** 2)) ** 0.5),
        ("max", 10.0, 10.0),
        ("min", 4.0, 4.0),
        ("mean", (3 * 10 + 3 * 4) / 6, (3 * 10 + 3 * 4) / 6),
    ],
)
def test_every_way(way: str, inner: float, root: float) -> None:
    result = roll_up_column(TREE, VALUES, way, QUANTITY, MASS)
    assert result.aggregation == way
    assert result.values[1] == pytest.approx(inner, rel=1e-15)
    assert result.values[0] == pytest.approx(root, rel=1e-15)
    assert result.values[3:6].tolist() == [10.0, 4.0, 1000.0]
    assert np.isnan(result.values[6])
    assert result.known[:3].tolist() == [2, 2, 1]
    assert result.leaves[:3].tolist() == [3, 2, 1]


def test_nothing_known_is_nothing() -> None:
    for way in ("sum", "rss", "max", "min", "mean"):
        result = roll_up_column(TREE, np.full(7, NAN), way, QUANTITY, MASS)
        assert np.isnan(result.values).all(), way
        assert result.known[0] == 0


def test_a_removed_piece_counts_against_a_sum_and_for_a_spread() -> None:
    tree = Tree.from_parents([-1, 0, 0])
    quantity = ItemQuantity(np.array([1.0, 1.0, -2.0]), np.zeros(3, bool))
    values = np.array([NAN, 5.0, 3.0])
    assert roll_up_column(tree, values, "sum", quantity).values[0] == -1.0
    assert roll_up_column(tree, values, "rss", quantity).values[0] == pytest.approx((25 + 2 * 9) ** 0.5)


def test_sums_need_no_mass_and_means_do() -> None:
    assert roll_up_column(TREE, VALUES, "sum", QUANTITY).values[0] == 72.0
    with pytest.raises(UsageError, match="mass"):
        roll_up_column(TREE, VALUES, "mean", QUANTITY)
    with pytest.raises(UsageError, match="median"):
        roll_up_column(TREE, VALUES, "median", QUANTITY)
