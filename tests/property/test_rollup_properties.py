"""What holds for the roll-up of any tree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import HealthCheck, given, settings, strategies as st

from massprops_cli.bodies.bodies import Bodies, Sigmas, at_items, full_tensors, six_entries
from massprops_cli.rollups.inputs import RollupInputs
from massprops_cli.rollups.rollup import Rollup, roll_up
from massprops_cli.rollups.subtotals import recompute_rollup
from massprops_cli.trees.tree import ItemQuantity, Tree
from tests.examples import examples

Floats = np.ndarray
many = settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.too_slow])


@dataclass(repr=False)
class Table:
    """A random table of rigid bodies; ``parent`` in random file order."""

    parent: Floats
    bodies: Bodies
    sigmas: Sigmas
    quantity: ItemQuantity


def table_of(seed: int, n: int, bush: int, *, removed: bool = True, points: bool = True) -> Table:
    """Make a tree of n items; a small ``bush`` gives deep ones, so that narrow and wide levels both occur."""
    rng = np.random.default_rng(seed)
    parent = np.array([-1, *(int(rng.integers(max(0, i - bush), i)) for i in range(1, n))])
    name = rng.permutation(n)
    shuffled = np.empty(n, int)
    shuffled[name] = np.where(parent >= 0, name[parent], -1)
    cloud = rng.normal(size=(n, 5, 3))
    second = np.einsum("nka,nkb->nab", cloud, cloud)
    inertia = six_entries(np.trace(second, axis1=1, axis2=2)[:, None, None] * np.eye(3) - second)
    is_point = (rng.random(n) < 0.2) & points
    count = rng.choice([1.0, 1.0, 1.0, 2.0, 3.0, 0.0], n)
    if removed:
        count[rng.random(n) < 0.1] = -1.0
    measured = rng.random(n) < 0.1
    count[measured] = rng.uniform(0.5, 2.5, int(measured.sum()))
    return Table(
        shuffled,
        Bodies(rng.uniform(0.5, 2, n), rng.normal(size=(n, 3)) * 10, inertia, is_point),
        Sigmas(rng.uniform(0.01, 0.1, n), rng.uniform(0.01, 0.1, (n, 3)), rng.uniform(0.01, 0.1, (n, 6))),
        ItemQuantity(count, measured),
    )


tables = st.builds(table_of, st.integers(0, 2**32), st.integers(2, 120), st.sampled_from([1, 3, 40, 1000]))
whole_tables = st.builds(
    table_of, st.integers(0, 2**32), st.integers(2, 120), st.sampled_from([1, 3, 40, 1000]), removed=st.just(False)
)


def rolled(table: Table) -> Rollup:
    return roll_up(RollupInputs.of(Tree.from_parents(table.parent), table.bodies, table.sigmas, table.quantity))


def assert_same(a: Rollup, b: Rollup, at_a: Floats, at_b: Floats, tolerance: float = 1e-9) -> None:
    """Compare items of two roll-ups, where neither is near cancelling."""
    assert a.bodies.center is not None
    assert b.bodies.center is not None
    assert a.bodies.inertia is not None
    assert b.bodies.inertia is not None
    assert a.sigmas is not None
    assert b.sigmas is not None
    near(a.bodies.mass[at_a], b.bodies.mass[at_b], tolerance)
    fine = known(a)[at_a] & known(b)[at_b]
    near(a.bodies.center[at_a][fine], b.bodies.center[at_b][fine], tolerance)
    near(a.bodies.inertia[at_a][fine], b.bodies.inertia[at_b][fine], tolerance)
    near(a.sigmas.mass[at_a], b.sigmas.mass[at_b], tolerance)
    assert a.sigmas.inertia is not None
    assert b.sigmas.inertia is not None
    assert a.sigmas.center is not None
    assert b.sigmas.center is not None
    near(a.sigmas.center[at_a][fine], b.sigmas.center[at_b][fine], tolerance)
    near(a.sigmas.inertia[at_a][fine], b.sigmas.inertia[at_b][fine], tolerance)


def known(rolled_up: Rollup) -> Floats:
    mask = rolled_up.bodies.has_center
    return np.ones(len(rolled_up.bodies.mass), bool) if mask is None else mask


def near(a: Floats, b: Floats, tolerance: float) -> None:
    if not a.size:
        return
    scale = np.maximum(np.abs(a), np.abs(b)).reshape(len(a), -1).max(axis=1)
    difference = np.abs(a - b).reshape(len(a), -1).max(axis=1)
    # rounding dust of a point mass on its own centre is no difference
    assert (difference <= tolerance * scale + 1e-13).all(), difference.max()


@many
@given(whole_tables, st.integers(0, 2**32))
def test_order_of_rows_does_not_matter(table: Table, seed: int) -> None:
    n = len(table.parent)
    new = np.random.default_rng(seed).permutation(n)  # row i moves to row new[i]
    old = np.argsort(new)
    parent = np.where(table.parent[old] >= 0, new[table.parent[old]], -1)
    other = Table(
        parent,
        at_items(table.bodies, old),
        at_items(table.sigmas, old),
        ItemQuantity(table.quantity.count[old], table.quantity.measured[old]),
    )
    assert_same(rolled(table), rolled(other), np.arange(n), new)


@many
@given(whole_tables, st.tuples(*[st.integers(-1000, 1000)] * 3))
def test_moving_everything_moves_centres_and_nothing_else(table: Table, step: tuple[int, int, int]) -> None:
    here, there = rolled(table), rolled_moved(table, np.array(step, float))
    assert here.bodies.center is not None
    assert there.bodies.center is not None
    there.bodies.center[:] -= step
    assert_same(here, there, np.arange(len(table.parent)), np.arange(len(table.parent)))
    assert (here.bodies.is_point == there.bodies.is_point).all()


def rolled_moved(table: Table, step: Floats) -> Rollup:
    b = table.bodies
    assert b.center is not None
    return rolled(
        Table(table.parent, Bodies(b.mass, b.center + step, b.inertia, b.is_point), table.sigmas, table.quantity)
    )


@many
@given(tables, st.integers(0, 2**32))
def test_rotating_before_is_rotating_after(table: Table, seed: int) -> None:
    q, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
    b = table.bodies
    assert b.center is not None
    assert b.inertia is not None
    turned = Bodies(b.mass, b.center @ q.T, six_entries(q @ full_tensors(b.inertia) @ q.T), b.is_point)
    tree = Tree.from_parents(table.parent)
    before = roll_up(RollupInputs.of(tree, turned, None, table.quantity), method="none")
    after = roll_up(RollupInputs.of(tree, b, None, table.quantity), method="none")
    assert before.bodies.center is not None
    assert after.bodies.center is not None
    assert before.bodies.inertia is not None
    assert after.bodies.inertia is not None
    fine = known(before) & known(after) & not_near_cancelling(table)
    near(before.bodies.center[fine], after.bodies.center[fine] @ q.T, 1e-6)
    near(before.bodies.inertia[fine], six_entries(q @ full_tensors(after.bodies.inertia[fine]) @ q.T), 1e-6)


def not_near_cancelling(table: Table) -> Floats:
    """Where masses nearly cancel, digits do as well."""
    tree = Tree.from_parents(table.parent)
    real = roll_up(RollupInputs.of(tree, table.bodies, None, table.quantity), method="none").bodies.mass
    size = roll_up(
        RollupInputs.of(tree, table.bodies, None, ItemQuantity(np.abs(table.quantity.count), table.quantity.measured)),
        method="none",
    ).bodies.mass
    fine = np.abs(real) >= 0.05 * size
    for i in tree.order[::-1].tolist():  # what is above a bad branch is bad too
        if not fine[i] and table.parent[i] >= 0:
            fine[table.parent[i]] = False
    return fine


@many
@given(st.integers(0, 2**32), st.integers(2, 25), st.sampled_from([1, 3, 40]))
def test_quantities_are_copies_in_one_place(seed: int, n: int, bush: int) -> None:
    """Every item with quantity n is replaced by n items of quantity 1, each with its own subtree."""
    table = table_of(seed, n, bush, removed=False)
    count = np.minimum(table.quantity.count, 2).round()
    table.quantity = ItemQuantity(count, np.zeros(n, bool))
    tree = Tree.from_parents(table.parent)
    root = int(tree.order[0])
    parent, source = [-1], [root]
    waiting = [(0, root)]
    while waiting:
        place, item = waiting.pop()
        for child in tree.children(item).tolist():
            for _ in range(int(count[child])):
                waiting.append((len(parent), child))
                parent.append(place)
                source.append(child)
                if len(parent) > 3000:
                    return
    if len(parent) == 1 or len(Tree.from_parents(parent).leaves(0)) == 1:
        return
    # an assembly of which nothing is left must not turn into a leaf
    emptied = [i for i in range(len(parent)) if i not in set(parent) and len(tree.children(source[i]))]
    if emptied:
        return
    copies = roll_up(
        RollupInputs.of(
            Tree.from_parents(parent),
            at_items(table.bodies, np.array(source)),
            at_items(table.sigmas, np.array(source)),
        )
    )
    assert_same(rolled(table), copies, np.array([root]), np.array([0]))


@many
@given(tables, st.integers(0, 2**32))
def test_a_change_is_the_same_as_starting_over(table: Table, seed: int) -> None:
    rng = np.random.default_rng(seed)
    tree = Tree.from_parents(table.parent)
    before = rolled(table)
    b, s = table.bodies, table.sigmas
    assert b.center is not None
    assert b.inertia is not None
    mass, center, inertia, s_mass = b.mass.copy(), b.center.copy(), b.inertia.copy(), s.mass.copy()
    count = table.quantity.count.copy()
    leaves = np.flatnonzero(tree.is_leaf())
    changed = rng.choice(leaves, size=min(3, len(leaves)), replace=False)
    mass[changed] *= rng.uniform(0.5, 2, len(changed))
    center[changed[:1]] += 1.0
    inertia[changed] *= 1.5
    s_mass[changed] *= 2
    dropped = int(rng.integers(len(tree)))
    if table.parent[dropped] >= 0:
        count[dropped] = 0.0
        changed = np.append(changed, dropped)
    new = Table(
        table.parent,
        Bodies(mass, center, inertia, b.is_point),
        Sigmas(s_mass, s.center, s.inertia),
        ItemQuantity(count, table.quantity.measured),
    )
    touched = recompute_rollup(before, RollupInputs.of(tree, new.bodies, new.sigmas, new.quantity), np.unique(changed))
    full = rolled(new)
    again = Rollup(touched.after, touched.after_sigmas, full.coverage, full.cancelled, None, "massprops")
    fine = not_near_cancelling(new)[touched.items] & not_near_cancelling(table)[touched.items]
    k = np.flatnonzero(fine)
    assert_same(again, full, k, touched.items[k])
    if known(full)[touched.items].all() and touched.after.has_center is not None:
        assert touched.after.has_center.all()
    above = {a for i in np.unique(changed).tolist() for a in tree.ancestors(i)}
    assert above <= set(touched.items.tolist())
