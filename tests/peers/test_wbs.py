"""Other columns against a work breakdown that a peer rolled up."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from peers_tables import PeerTable

from massprops_cli.rollups.subtotals import roll_up_column
from massprops_cli.trees.tree import ItemQuantity


@pytest.mark.parametrize("name", ["work", "budget"])
def test_sums_of_a_work_breakdown(reference: Path, name: str) -> None:
    table = PeerTable.read(reference / "massprops_r" / "wbs_table.csv")
    expected = PeerTable.read(reference / "massprops_r" / "wbs_table_expected.csv").column(name)
    tree = table.tree(parent="pid")
    result = roll_up_column(tree, table.column(name), "sum", ItemQuantity.one_each(len(tree)))
    assert np.abs(result.values / expected - 1).max() < 1e-12
    assert (result.known == result.leaves).all()
