"""Subtotals by labels."""

from __future__ import annotations

import numpy as np
import pytest

from massprops_cli.bodies.bodies import Bodies, Sigmas
from massprops_cli.rollups.inputs import NO_LABEL, RollupInputs
from massprops_cli.rollups.rollup import roll_up
from massprops_cli.rollups.subtotals import label_subtotals
from massprops_cli.trees.tree import ItemQuantity, Tree

RNG = np.random.default_rng(11)
N = 9
# 0 ─ 1 ─ 3, 4;  0 ─ 2 ─ 5, 6 ─ 7;  0 ─ 8
PARENT = [-1, 0, 0, 1, 1, 2, 2, 6, 0]
TREE = Tree.from_parents(PARENT)
LEAVES = [3, 4, 5, 7, 8]
BODIES = Bodies(RNG.uniform(1, 2, N), RNG.normal(size=(N, 3)), RNG.uniform(1, 2, (N, 6)), np.zeros(N, bool))
SIGMAS = Sigmas(RNG.uniform(0.1, 0.2, N), RNG.uniform(0.1, 0.2, (N, 3)), RNG.uniform(0.1, 0.2, (N, 6)))
ONE = ItemQuantity.one_each(N)


def one_level(items: list[int], count: list[float], measured: list[bool]) -> tuple[list[float], list[float]]:
    """Mass properties and sigmas of these items as the children of one assembly."""
    at = np.array([items[0], *items])
    assert BODIES.center is not None
    assert BODIES.inertia is not None
    assert SIGMAS.center is not None
    assert SIGMAS.inertia is not None
    rolled = roll_up(
        RollupInputs.of(
            Tree.from_parents([-1, *[0] * len(items)]),
            Bodies(BODIES.mass[at], BODIES.center[at], BODIES.inertia[at], BODIES.is_point[at]),
            Sigmas(SIGMAS.mass[at], SIGMAS.center[at], SIGMAS.inertia[at]),
            ItemQuantity(np.array([1.0, *count]), np.array([False, *measured])),
        )
    )
    return numbers(rolled.bodies, rolled.sigmas, 0)


def numbers(bodies: Bodies, sigmas: Sigmas | None, i: int) -> tuple[list[float], list[float]]:
    assert bodies.center is not None
    assert bodies.inertia is not None
    assert sigmas is not None
    assert sigmas.center is not None
    assert sigmas.inertia is not None
    return (
        [bodies.mass[i], *bodies.center[i], *bodies.inertia[i]],
        [sigmas.mass[i], *sigmas.center[i], *sigmas.inertia[i]],
    )


def test_labels_come_down_from_the_nearest_assembly() -> None:
    column = ["", "Acme", "", "", "Bolt ", " ", "Cog", "", ""]
    labels, numbers_of = TREE.inherited_labels(column, NO_LABEL)
    assert [labels[k] for k in numbers_of.tolist()] == [
        NO_LABEL, "Acme", NO_LABEL, "Acme", "Bolt", NO_LABEL, "Cog", "Cog", NO_LABEL,
    ]  # fmt: skip


def test_every_combination_is_one_body() -> None:
    supplier = ["", "Acme", "", "", "Bolt", "Acme", "Acme", "", "Bolt"]
    system = ["", "", "", "", "", "", "", "", "Power"]
    found = label_subtotals(RollupInputs.of(TREE, BODIES, SIGMAS, ONE), [supplier, system], method="massprops")
    assert found.labels == [("Acme", NO_LABEL), ("Bolt", NO_LABEL), ("Bolt", "Power")]
    for g, items in enumerate([[3, 5, 7], [4], [8]]):
        ours, ours_sigma = numbers(found.rollup.bodies, found.rollup.sigmas, g)
        expected, sigma = one_level(items, [1.0] * len(items), [False] * len(items))
        assert ours == pytest.approx(expected, rel=1e-13, abs=1e-14)
        assert ours_sigma == pytest.approx(sigma, rel=1e-13)
        assert found.rollup.coverage.rows[g] == len(items)


def test_quantities_multiply_along_the_path() -> None:
    count = np.array([5.0, 3.0, 2.0, 2.0, 1.0, 0.0, 0.5, 4.0, -1.0])
    measured = np.array([False, False, False, False, False, False, True, False, False])
    quantity = ItemQuantity(count, measured)
    whole = TREE.path_quantities(quantity)
    assert whole.count.tolist() == [1.0, 3.0, 2.0, 6.0, 3.0, 0.0, 1.0, 4.0, -1.0]
    assert whole.measured.tolist() == [False] * 6 + [True, True, False]
    found = label_subtotals(RollupInputs.of(TREE, BODIES, SIGMAS, quantity), [["x"] * N], method="massprops")
    ours, ours_sigma = numbers(found.rollup.bodies, found.rollup.sigmas, 0)
    expected, _ = one_level([3, 4, 7, 8], [6.0, 3.0, 4.0, -1.0], [False, False, True, False])
    assert ours == pytest.approx(expected, rel=1e-13, abs=1e-14)
    # variances by the rules of each edge: 2 × (0.5² × 4) of item 7
    assert whole.variance_weight().tolist() == [1.0, 3.0, 2.0, 6.0, 3.0, 0.0, 0.5, 2.0, 1.0]
    var = sum(w * SIGMAS.mass[i] ** 2 for i, w in ((3, 6), (4, 3), (7, 2 * 0.25 * 4), (8, 1)))
    assert ours_sigma[0] == pytest.approx(var**0.5, rel=1e-13)
    whole = roll_up(RollupInputs.of(TREE, BODIES, SIGMAS, quantity))
    assert whole.sigmas is not None
    assert whole.sigmas.mass[0] == pytest.approx(ours_sigma[0], rel=1e-13)


def test_nothing_to_group() -> None:
    nothing = ItemQuantity(np.append(np.ones(1), np.zeros(N - 1)), np.zeros(N, bool))
    assert label_subtotals(RollupInputs.of(TREE, BODIES, None, nothing), [["x"] * N], method="none").labels == []


def test_stated_assemblies_represent_what_is_below_them() -> None:
    stated = np.zeros(N, bool)
    stated[[2, 6]] = True
    assert np.flatnonzero(TREE.end_items(stated)).tolist() == [2, 3, 4, 8]
    found = label_subtotals(RollupInputs.of(TREE, BODIES, SIGMAS, ONE, stated=stated), [["x"] * N], method="massprops")
    whole = roll_up(RollupInputs.of(TREE, BODIES, SIGMAS, ONE, stated=stated))
    ours, _ = numbers(found.rollup.bodies, found.rollup.sigmas, 0)
    assert ours[0] == pytest.approx(whole.bodies.mass[0], rel=1e-14)
    expected, _ = numbers(whole.bodies, whole.sigmas, 0)
    assert ours == pytest.approx(expected, rel=1e-12, abs=1e-13)


def test_columns_of_groups_add_up_what_their_leaves_have() -> None:
    supplier = ["", "Acme", "", "", "Bolt", "Acme", "Acme", "", "Bolt"]
    count = np.array([5.0, 3.0, 2.0, 2.0, 1.0, 1.0, 1.0, 4.0, 1.0])
    quantity = ItemQuantity(count, np.zeros(N, bool))
    cost = np.array([np.nan, 99.0, np.nan, 10.0, 7.0, np.nan, 50.0, 1.0, 3.0])  # 99 and 50 are assemblies' own
    mass = np.arange(1.0, 10.0)
    found = label_subtotals(RollupInputs.of(TREE, BODIES, SIGMAS, quantity), [supplier], method="none")
    assert found.labels == [("Acme",), ("Bolt",)]
    # Acme: item 3 six times, item 5 twice (no cost), item 7 eight times; Bolt: item 4 three times, item 8 once
    by_hand = {
        "sum": [6 * 10 + 8 * 1, 3 * 7 + 3],
        "max": [10, 7],
        "min": [1, 3],
        "mean": [(6 * 4 * 10 + 8 * 8 * 1) / (6 * 4 + 8 * 8), (3 * 5 * 7 + 9 * 3) / (3 * 5 + 9)],
        "rss": [(6 * 10**2 + 8 * 1**2) ** 0.5, (3 * 7**2 + 3**2) ** 0.5],
    }
    for way, expected in by_hand.items():
        rolled = found.column(cost, way, mass)
        assert rolled.values[:2].tolist() == pytest.approx(expected, rel=1e-14), way
        assert rolled.known[:2].tolist() == [2, 2]
        assert rolled.leaves[:2].tolist() == [3, 2]


def test_stated_masses_leave_other_columns_to_the_leaves() -> None:
    stated = np.zeros(N, bool)
    stated[2] = True
    labels = ["a", "", "", "", "", "b", "b", "", ""]  # all leaves of b are below the stated assembly
    found = label_subtotals(RollupInputs.of(TREE, BODIES, SIGMAS, ONE, stated=stated), [labels], method="none")
    assert found.labels == [("a",), ("b",)]
    assert found.rollup.bodies.mass[0] == pytest.approx(BODIES.mass[[2, 3, 4, 8]].sum(), rel=1e-14)
    assert found.rollup.coverage.rows[:2].tolist() == [4, 0]
    assert found.column(np.arange(9.0), "sum").values[:2].tolist() == [3 + 4 + 8, 5 + 7]
