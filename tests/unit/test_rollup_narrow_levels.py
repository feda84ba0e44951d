"""Covariances of narrow levels: moved by matrices, those of wide levels by formulas; both must give the same."""

from __future__ import annotations

import numpy as np
import pytest

from massprops_cli.bodies.bodies import Bodies, Sigmas
from massprops_cli.rollups.inputs import RollupInputs
from massprops_cli.rollups.rollup import roll_up
from massprops_cli.trees.tree import Tree

COPIES = 40
"""More than the branches of a narrow level."""


def comb_of(depth: int) -> np.ndarray:
    """Return the parents of a chain in which every assembly has a leaf and the next assembly."""
    parent = np.full(2 * depth + 1, -1)
    parent[1::2] = np.arange(0, 2 * depth, 2)
    parent[2::2] = np.arange(0, 2 * depth, 2)
    return parent


def side_by_side(parent: np.ndarray) -> np.ndarray:
    """Return the parents of copies of a tree below one root."""
    n = len(parent)
    return np.concatenate([[-1], *(np.where(parent < 0, 0, parent + 1 + k * n) for k in range(COPIES))])


def packed_covariances_of(parent: np.ndarray, ten: np.ndarray, ten_sigmas: np.ndarray) -> np.ndarray:
    """Return the covariances of all assemblies, the root of the tree first."""
    bodies = Bodies(ten[:, 0], ten[:, 1:4], ten[:, 4:], np.zeros(len(ten), bool))
    sigmas = Sigmas(ten_sigmas[:, 0], ten_sigmas[:, 1:4], ten_sigmas[:, 4:])
    rolled = roll_up(RollupInputs.of(Tree.from_parents(parent), bodies, sigmas), method="covariance")
    assert rolled.covariances is not None
    return rolled.covariances.packed[:, np.argsort(rolled.covariances.items)]


@pytest.mark.parametrize("depth", [1, 3, 60])
@pytest.mark.parametrize("far", [0.0, 1e4])
def test_a_narrow_tree_has_the_covariances_of_its_copies_side_by_side(depth: int, far: float) -> None:
    rng = np.random.default_rng(depth)
    parent = comb_of(depth)
    n = len(parent)
    masses, centers = rng.uniform(1, 9, (n, 1)), far + rng.normal(0, 5, (n, 3))
    ten = np.concatenate([masses, centers, np.full((n, 6), 40.0)], axis=1)
    ten[:, 7:] = 0.5
    ten_sigmas = rng.uniform(0.01, 0.1, ten.shape)
    alone = packed_covariances_of(parent, ten, ten_sigmas)
    first = np.zeros((1, 10))
    copies = packed_covariances_of(
        side_by_side(parent),
        np.concatenate([first, np.tile(ten, (COPIES, 1))]),
        np.concatenate([first, np.tile(ten_sigmas, (COPIES, 1))]),
    )
    variance = alone[[0, 10, 19, 27, 34, 40, 45, 49, 52, 54]]
    pairs = [(a, b) for a in range(10) for b in range(a, 10)]
    scale = np.array([np.sqrt(variance[a] * variance[b]) for a, b in pairs])
    k = alone.shape[1]
    for copy in range(COPIES):
        there = copies[:, 1 + copy * k : 1 + (copy + 1) * k]
        assert (np.abs(there - alone) <= 1e-14 * scale).all()
