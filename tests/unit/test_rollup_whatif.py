"""Changed leaves: new totals along the paths they touch."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from massprops_cli.bodies.bodies import Bodies, Sigmas
from massprops_cli.rollups.inputs import RollupInputs
from massprops_cli.rollups.rollup import roll_up
from massprops_cli.rollups.subtotals import recompute_rollup
from massprops_cli.trees.tree import ItemQuantity, Tree

# 0 ─ 1 ─ 3, 4;  0 ─ 2 ─ 5, 6 ─ 7
TREE = Tree.from_parents([-1, 0, 0, 1, 1, 2, 2, 6])


def start() -> tuple[Bodies, Sigmas, ItemQuantity]:
    mass = np.array([0, 0, 0, 1.0, 2.0, 3.0, 0, 4.0])
    center = np.zeros((8, 3))
    center[:, 0] = np.arange(8)
    return (
        Bodies(mass, center, np.ones((8, 6)), np.zeros(8, bool)),
        Sigmas(np.full(8, 0.1), np.full((8, 3), 0.2), np.full((8, 6), 0.3)),
        ItemQuantity.one_each(8),
    )


def test_before_and_after_of_every_assembly_above_and_of_no_other() -> None:
    bodies, sigmas, quantity = start()
    before = roll_up(RollupInputs.of(TREE, bodies, sigmas, quantity))
    bodies.mass[3] = 11.0
    touched = recompute_rollup(before, RollupInputs.of(TREE, bodies, sigmas, quantity), np.array([3]))
    assert touched.items.tolist() == [1, 0]
    assert touched.before.mass.tolist() == [3.0, 10.0]
    assert touched.after.mass.tolist() == [13.0, 20.0]
    assert touched.after.center is not None
    assert touched.after.center[0, 0] == pytest.approx((11 * 3 + 2 * 4) / 13)


def test_dropped_items_are_removed() -> None:
    bodies, sigmas, quantity = start()
    before = roll_up(RollupInputs.of(TREE, bodies, sigmas, quantity))
    count = quantity.count.copy()
    count[6] = 0.0
    touched = recompute_rollup(
        before, RollupInputs.of(TREE, bodies, sigmas, ItemQuantity(count, quantity.measured)), np.array([6])
    )
    assert touched.items.tolist() == [2, 0]
    assert touched.after.mass.tolist() == [3.0, 6.0]
    assert touched.after_sigmas is not None
    assert touched.after_sigmas.mass[1] == pytest.approx(0.1 * 3**0.5)


@pytest.mark.parametrize("far", [0.0, 2.0**23, 2.0**33])
def test_a_change_far_from_the_origin_is_that_of_the_same_parts_at_it(far: float) -> None:
    random = np.random.default_rng(4)
    bodies, sigmas, quantity = start()
    center = random.integers(-1024, 1024, (8, 3)) / 1024
    near, away = (replace(bodies, center=center + shift, inertia=bodies.inertia / 100) for shift in (0.0, far))
    before = roll_up(RollupInputs.of(TREE, away, sigmas, quantity))
    bodies.mass[3] = 1.01
    touched = recompute_rollup(before, RollupInputs.of(TREE, away, sigmas, quantity), np.array([3]))
    full = roll_up(RollupInputs.of(TREE, near, sigmas, quantity))
    assert touched.after_sigmas is not None
    assert full.sigmas is not None
    assert touched.after.inertia == pytest.approx(full.bodies.inertia[[1, 0]], rel=1e-9, abs=1e-11)
    assert touched.after_sigmas.inertia == pytest.approx(full.sigmas.inertia[[1, 0]], rel=1e-9)


def test_a_branch_that_becomes_empty_or_comes_to_cancel() -> None:
    bodies, sigmas, quantity = start()
    before = roll_up(RollupInputs.of(TREE, bodies, sigmas, quantity))
    bodies.mass[3] = -2.0
    touched = recompute_rollup(before, RollupInputs.of(TREE, bodies, sigmas, quantity), np.array([3]))
    full = roll_up(RollupInputs.of(TREE, bodies, sigmas, quantity))
    assert full.cancelled[1]
    assert touched.after.has_center is not None
    assert touched.after.has_center.tolist() == [False, True]
    assert touched.after.inertia is not None
    assert full.bodies.inertia is not None
    assert touched.after.inertia[1] == pytest.approx(full.bodies.inertia[0], rel=1e-13)


def test_a_change_next_to_a_branch_that_cancels() -> None:
    bodies, sigmas, quantity = start()
    bodies.mass[3] = -2.0
    before = roll_up(RollupInputs.of(TREE, bodies, sigmas, quantity))
    bodies.mass[5] = 7.0
    touched = recompute_rollup(before, RollupInputs.of(TREE, bodies, sigmas, quantity), np.array([5]))
    full = roll_up(RollupInputs.of(TREE, bodies, sigmas, quantity))
    at = touched.items.tolist()
    assert {0, 2} <= set(at)
    assert touched.after.inertia is not None
    assert touched.after.center is not None
    assert full.bodies.inertia is not None
    assert full.bodies.center is not None
    assert touched.after.inertia[at.index(0)] == pytest.approx(full.bodies.inertia[0], rel=1e-13)
    assert touched.after.center[at.index(0)] == pytest.approx(full.bodies.center[0], rel=1e-13)


def test_coverage_stays_true_when_a_missing_centre_is_elsewhere() -> None:
    """Item 5 has no centre: the root's is that of the others, and so is what changes in the other branch."""
    bodies, sigmas, quantity = start()
    known = np.ones(8, bool)
    known[5] = False
    bodies = Bodies(bodies.mass, bodies.center, bodies.inertia, bodies.is_point, has_center=known)
    before = roll_up(RollupInputs.of(TREE, bodies, sigmas, quantity))
    bodies.mass[3] = 11.0
    touched = recompute_rollup(before, RollupInputs.of(TREE, bodies, sigmas, quantity), np.array([3]))
    again = roll_up(RollupInputs.of(TREE, bodies, sigmas, quantity))
    assert again.coverage.center_is_whole[0] == np.False_
    assert touched.after.mass.tolist() == [13.0, 20.0]
    assert touched.after.center is not None
    assert again.bodies.center is not None
    assert touched.after.center[-1].tolist() == again.bodies.center[0].tolist()


def test_without_sigmas_and_with_masses_alone() -> None:
    bodies, sigmas, quantity = start()
    plain = roll_up(RollupInputs.of(TREE, bodies, None, quantity), method="none")
    light = Bodies(bodies.mass, None, None, bodies.is_point)
    alone = roll_up(RollupInputs.of(TREE, light, Sigmas(sigmas.mass, None, None), quantity))
    bodies.mass[3] = 11.0
    touched = recompute_rollup(plain, RollupInputs.of(TREE, bodies, None, quantity), np.array([3]))
    assert touched.after_sigmas is None
    assert touched.before_sigmas is None
    assert touched.after.mass.tolist() == [13.0, 20.0]
    sigmas.mass[3] = 0.7
    touched = recompute_rollup(
        alone, RollupInputs.of(TREE, light, Sigmas(sigmas.mass, None, None), quantity), np.array([3])
    )
    assert touched.after.center is None
    assert touched.after.mass.tolist() == [13.0, 20.0]
    assert touched.after_sigmas is not None
    assert touched.after_sigmas.mass[0] == pytest.approx((0.49 + 0.01) ** 0.5)
