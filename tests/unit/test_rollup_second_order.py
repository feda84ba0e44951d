"""Shifts of the mean to second order: closed forms, quantities, stated assemblies."""

from __future__ import annotations

import numpy as np
import pytest

from massprops_cli.bodies.bodies import Bodies, Sigmas
from massprops_cli.rollups.inputs import RollupInputs
from massprops_cli.rollups.leaf_sums import expected_shifts
from massprops_cli.rollups.rollup import roll_up
from massprops_cli.trees.tree import ItemQuantity, Tree


def shifts(
    parents: list[int], ten: list[list[float]], sigma: list[list[float]], **options: object
) -> tuple[np.ndarray, ...]:
    """Shifts of centres and tensors of a tree of points: rows of mass and centre, and of their sigmas."""
    tree, values, spread = Tree.from_parents(parents), np.array(ten), np.array(sigma)
    n = len(parents)
    bodies = Bodies(values[:, 0], values[:, 1:], np.zeros((n, 6)), np.zeros(n, bool))
    sigmas = Sigmas(spread[:, 0], spread[:, 1:], np.zeros((n, 6)))
    quantity = ItemQuantity(np.array(options.get("count", np.ones(n)), float), np.zeros(n, bool))
    stated = options.get("stated")
    mask = None if stated is None else np.arange(n) == stated
    inputs = RollupInputs.of(tree, bodies, sigmas, quantity, stated=mask)
    items, shift = expected_shifts(inputs, roll_up(inputs))
    return items, shift[:, :3], shift[:, 3:]


ROOT = [0.0] * 4


def test_two_masses_pull_the_centre_to_the_certain_one() -> None:
    """Masses m at 0 and m + e at 1: E[c] = E[(m + e)/(2m + e)] = 1/2 − s²/(8 m²) to second order."""
    items, center, tensor = shifts([-1, 0, 0], [ROOT, [2.0, 0, 0, 0], [2.0, 1, 0, 0]], [ROOT, ROOT, [0.1, 0, 0, 0]])
    assert items.tolist() == [0]
    assert center[0] == pytest.approx([-(0.1**2) / (8 * 2.0**2), 0, 0], rel=1e-12)
    # E[I_yy] = E[m (m + e)/(2m + e)] loses s²/(8 m)
    assert tensor[0, 1:3] == pytest.approx(2 * [-(0.1**2) / (8 * 2.0)], rel=1e-12)
    assert tensor[0, [0, 3, 4, 5]] == pytest.approx(np.zeros(4), abs=1e-18)


def test_scattered_points_have_more_inertia() -> None:
    """n points of mass m, each coordinate scattered by s: E[I_xx] = 2 (n − 1) m s², exactly."""
    n, m, s = 5, 3.0, 0.2
    part = [m, 1.0, 2.0, 3.0]
    _, _, many = shifts([-1] + n * [0], [ROOT] + n * [part], [ROOT] + n * [[0.0, s, s, s]])
    assert many[0] == pytest.approx(3 * [2 * (n - 1) * m * s * s] + 3 * [0.0], rel=1e-12, abs=1e-15)
    _, _, counted = shifts([-1, 0], [ROOT, part], [ROOT, [0.0, s, s, s]], count=[1, n])
    assert counted[0] == pytest.approx(many[0], rel=1e-12, abs=1e-15)


def test_nesting_does_not_matter() -> None:
    parts = [[1.0, 0, 0, 0], [2.0, 1, 0, 2], [3.0, 0, 4, 1]]
    spread = [[0.1, 0.1, 0.2, 0.3], [0.3, 0.1, 0.0, 0.2], [0.2, 0.4, 0.1, 0.1]]
    _, flat_center, flat_tensor = shifts([-1, 0, 0, 0], [ROOT, *parts], [ROOT, *spread])
    items, center, tensor = shifts([-1, 0, 1, 1, 0], [ROOT, ROOT, *parts], [ROOT, ROOT, *spread])
    root = items.tolist().index(0)
    assert tensor[root] == pytest.approx(flat_tensor[0], rel=1e-12, abs=1e-15)
    assert center[root] == pytest.approx(flat_center[0], rel=1e-12, abs=1e-15)


def test_a_stated_assembly_scatters_by_its_own_sigmas() -> None:
    own, parts = [5.0, 1, 1, 1], [[1.0, 0, 0, 0], [2.0, 1, 0, 2]]
    adjacent = [3.0, 0, 4, 1]
    items, _, stated = shifts(
        [-1, 0, 1, 1, 0], [ROOT, own, *parts, adjacent], [ROOT, [0.1] * 4, *2 * [[9.0] * 4], [0.2] * 4], stated=1
    )
    _, _, leaf = shifts([-1, 0, 0], [ROOT, own, adjacent], [ROOT, [0.1] * 4, [0.2] * 4])
    root = items.tolist().index(0)
    assert stated[root] == pytest.approx(leaf[0], rel=1e-12, abs=1e-15)
