"""A branch replaced by one leaf with its covariance and its open groups: everything outside remains equal."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from massprops_cli.bodies.bodies import Bodies, Sigmas
from massprops_cli.rollups.covariance import Covariances, SharedFactors
from massprops_cli.rollups.inputs import Correlation, RollupInputs
from massprops_cli.rollups.rollup import roll_up
from massprops_cli.trees.tree import ItemQuantity, Tree
from tests.examples import first


def random_inputs(rng: np.random.Generator, *, n: int, groups: bool, counts: bool, signed: bool) -> RollupInputs:
    parents = [-1, *(int(rng.integers(0, k)) for k in range(1, n))]
    tree = Tree.from_parents(parents)
    mass = rng.uniform(1, 5, n) * (rng.choice([1.0, 1.0, 1.0, -0.3], n) if signed else 1.0)
    bodies = Bodies(mass, rng.normal(size=(n, 3)) * 10, rng.uniform(1, 2, (n, 6)), rng.random(n) < 0.2)
    sigmas = Sigmas(rng.uniform(0, 1, n), rng.uniform(0, 1, (n, 3)), rng.uniform(0, 1, (n, 6)))
    count = rng.choice([1.0, 1.0, 2.0, 3.0], n) if counts else np.ones(n)
    group = rng.integers(-1, 3, n) if groups else np.full(n, -1)
    group[~tree.is_leaf()] = -1
    sharing = Correlation(group.astype(np.int32), ["a", "b", "c"], shares_centers=bool(rng.integers(2)))
    quantity = ItemQuantity(count, np.zeros(n, bool))
    return RollupInputs.of(tree, bodies, sigmas, quantity, correlation=sharing if groups else None)


def with_leaf(inputs: RollupInputs, cut: int) -> tuple[RollupInputs, Covariances, np.ndarray]:
    """Replace a branch by one leaf, with what a roll-up of the whole returns of it."""
    whole = roll_up(replace(inputs, branches=np.array([cut])))
    branch = whole.covariances.branches
    kept = np.setdiff1d(np.arange(len(inputs.tree)), inputs.tree.descendants(cut)[1:])
    number = np.full(len(inputs.tree) + 1, -1)
    number[kept] = np.arange(len(kept))
    bodies = Bodies(*(getattr(whole.bodies, name)[kept] for name in ("mass", "center", "inertia", "is_point")))
    sigmas = Sigmas(*(getattr(whole.sigmas, name)[kept] for name in ("mass", "center", "inertia")))
    group = inputs.correlation.group[kept].copy()
    group[number[cut]] = 1  # is not read: the groups of the leaf are its factors
    part = RollupInputs.of(
        Tree.from_parents(number[inputs.tree.parent[kept]]),
        bodies,
        sigmas,
        ItemQuantity(inputs.quantity.count[kept], np.zeros(len(kept), bool)),
        correlation=replace(inputs.correlation, group=group),
    )
    factors = branch.factors
    if factors is not None:
        factors = SharedFactors(number[factors.items], factors.group, factors.columns, factors.tensor)
    return part, Covariances(number[branch.items].astype(np.int32), branch.packed, factors), kept


@pytest.mark.spread(2)
@pytest.mark.parametrize("seeds", first([4, 30], 1))
@pytest.mark.parametrize("groups", [False, True])
@pytest.mark.parametrize("counts", [False, True])
@pytest.mark.parametrize("signed", [False, True])
def test_what_is_outside_a_branch_does_not_change(groups: bool, counts: bool, signed: bool, seeds: int) -> None:
    compared = 0
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        inputs = random_inputs(rng, n=14, groups=groups, counts=counts, signed=signed)
        whole = roll_up(inputs)
        size = inputs.tree.subtree_sums(
            np.abs(inputs.bodies.mass) * inputs.tree.is_leaf(), np.abs(inputs.quantity.count)
        )
        # a branch that almost cancels loses digits as a body, whatever represents it
        ratio = np.abs(whole.bodies.mass) / size
        inner = [i for i in range(1, 14) if not inputs.tree.is_leaf()[i] and ratio[i] > 0.5]
        for cut in inner[:3]:
            part, given, kept = with_leaf(inputs, cut)
            again = roll_up(part, given=given)
            for i, k in enumerate(kept.tolist()):
                if part.tree.is_leaf()[i] or ratio[k] < 0.1:
                    continue
                expected = whole.covariance_of(k)
                scale = np.sqrt(np.outer(np.diag(expected), np.diag(expected))) + 1e-300
                assert np.abs((again.covariance_of(i) - expected) / scale).max() < (1e-9 if signed else 1e-12)
                np.testing.assert_allclose(again.bodies.inertia[i], whole.bodies.inertia[k], rtol=1e-9)
                compared += 1
    assert compared > 50
