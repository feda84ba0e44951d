"""Simulated tables next to exact first-order sigmas, and shifts of the mean next to second order (FORMULAS 6, 9)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from peers_tables import PeerTable

from massprops_cli.bodies.bodies import Sigmas
from massprops_cli.rollups.inputs import RollupInputs, SampleOptions
from massprops_cli.rollups.leaf_sums import expected_shifts
from massprops_cli.rollups.montecarlo.simulation import simulate_tree
from massprops_cli.rollups.rollup import roll_up

SURELY = 4.5


def read(reference: Path, name: str) -> PeerTable:
    return PeerTable.of_massprops(reference, name)


def test_the_published_example_with_small_errors(reference: Path) -> None:
    """With sigmas of a hundredth first order is all there is: every ratio is 1 within its statistical error."""
    table, exact = read(reference, "sawe_input"), read(reference, "sawe_input_exact_sigma")
    given = table.sigmas()
    assert given.center is not None
    assert given.inertia is not None
    small = Sigmas(0.01 * given.mass, 0.01 * given.center, 0.01 * given.inertia)
    sampled = simulate_tree(
        RollupInputs.of(table.tree(), table.bodies(), small), sampling=SampleOptions(samples=200_000)
    )
    root = np.flatnonzero(~table.tree().is_leaf())
    expected = 0.01 * np.hstack([exact.ten("sigma_")[root], exact.radii("sigma_")[root]])
    assert (np.abs(sampled.sigma - expected) < SURELY * sampled.sigma_error).all()


def test_second_order_predicts_the_shift_of_the_large_table(reference: Path) -> None:
    """Sigmas as large as the values move the root's moments of inertia by a quarter; both figures are published."""
    table = read(reference, "mp_table")
    tree, bodies, sigmas = table.tree(), table.bodies(), table.sigmas()
    inputs = RollupInputs.of(tree, bodies, sigmas)
    rolled = roll_up(inputs)
    items, shifts = expected_shifts(inputs, rolled)
    root = items.tolist().index(0)
    assert rolled.bodies.inertia is not None
    percent = 100 * shifts[root, 3:6] / rolled.bodies.inertia[0, :3]
    assert percent == pytest.approx([25.76, 26.19, 24.31], abs=0.005)
    sampled = simulate_tree(RollupInputs.of(tree, bodies, sigmas), sampling=SampleOptions(samples=4_000))
    off = np.abs(sampled.shift[0, 4:7] - shifts[root, 3:6])
    assert (off < SURELY * sampled.shift_error[0, 4:7]).all()
