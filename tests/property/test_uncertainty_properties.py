"""What holds for exact first-order uncertainties of any tree."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import HealthCheck, given, settings, strategies as st

from massprops_cli.rollups.covariance import Covariances, packed_covariances
from massprops_cli.rollups.inputs import RollupInputs
from massprops_cli.rollups.rollup import Rollup, roll_up
from massprops_cli.trees.tree import Tree
from tests.examples import examples
from tests.oracles.case import ALONE, Case
from tests.oracles.comparing import assert_flat, assert_same
from tests.oracles.flat import Node, matrix as full, six
from tests.oracles.random_case import comparable, outwards, parents, random_case
from tests.oracles.rolling import inputs, rolled

Floats = np.ndarray
many = settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.too_slow])
seeds = st.integers(0, 2**32)
bushes = st.sampled_from([1, 3, 40, 1000])
sizes = st.integers(2, 60) | st.integers(400, 500)  # the large ones have wide levels
cases = st.builds(random_case, seeds, sizes, bushes)
plain_cases = st.builds(random_case, seeds, sizes, bushes, plain=st.just(True))


def root_of(case: Case) -> int:
    return int(np.flatnonzero(case.parent < 0)[0])


def root(case: Case) -> Floats:
    """The root's covariance about its own centre ``(10, 10)``."""
    return rolled(case).covariance_of(root_of(case))


@many
@given(cases)
def test_every_assembly_is_the_sum_over_its_leaves(case: Case) -> None:
    rollup = rolled(case)
    for item in comparable(case)[-2:]:  # the root and one near it
        assert_flat(rollup.covariance_of(item), case, item)


@many
@given(plain_cases, bushes, seeds, st.booleans())
def test_nesting_does_not_matter(case: Case, bush: int, seed: int, centers: bool) -> None:
    case.group[:] = np.random.default_rng(seed).choice([ALONE, ALONE, 0, 1, 2], len(case.parent))
    case.shares_centers = centers
    assert_same(root(nested_anew(case, bush, seed)), root(case))


def nested_anew(case: Case, bush: int, seed: int) -> Case:
    """Hang the leaves of a case into another tree, in another order."""
    rng = np.random.default_rng(seed)
    leaves = [i for i in range(len(case.parent)) if case.is_end(i)]
    other = parents(rng, int(rng.integers(1, 30)), bush)
    above = rng.integers(0, len(other), len(leaves))
    empty = np.setdiff1d(np.arange(len(other)), np.concatenate([other, above]))  # no assembly without parts
    above = np.concatenate([above, empty])
    leaves += [leaves[0]] * len(empty)
    parent = [*other.tolist(), *above.tolist()]
    rows = [leaves[0]] * len(other) + leaves
    count = np.ones(len(parent))
    count[len(parent) - len(empty) :] = 0.0
    return picked(case, rows, parent=np.array(parent), count=count)


def picked(case: Case, rows: list[int], **changes: object) -> Case:
    """Some rows of a case as a new one."""
    kept = {
        name: getattr(case, name)[rows]
        for name in ("parent", "ten", "sigma", "count", "measured", "is_point", "group")
        if name not in changes
    }
    return replace(case, **kept, **changes)  # type: ignore[arg-type] # keywords of several types


@many
@given(plain_cases, seeds)
def test_order_of_rows_does_not_matter(case: Case, seed: int) -> None:
    new = np.random.default_rng(seed).permutation(len(case.parent))  # row i moves to row new[i]
    old = np.argsort(new)
    parent = np.where(case.parent[old] >= 0, new[case.parent[old]], -1)
    assert_same(root(picked(case, old.tolist(), parent=parent)), root(case))


@many
@given(plain_cases)
def test_ten_million_lengths_away(case: Case) -> None:
    """Coordinates are multiples of 2⁻²⁰, so that the move itself is exact."""
    far = case.ten.copy()
    far[:, 1:4] += [1e7, -1e7, 3e6]
    here, there = rolled(case), rolled(replace(case, ten=far))
    item = root_of(case)
    assert_same(there.covariance_of(item), here.covariance_of(item))
    assert here.sigma_radii is not None
    assert there.sigma_radii is not None
    inner = [i for i in range(len(case.parent)) if not case.is_end(i)]
    np.testing.assert_allclose(there.sigma_radii[inner], here.sigma_radii[inner], rtol=1e-12)


@many
@given(plain_cases, seeds)
def test_turning_the_frame_turns_the_covariance(case: Case, seed: int) -> None:
    """Errors alike in all directions: of centres, and of tensors with off-diagonal variances half the diagonal ones."""
    sigma = case.sigma.copy()
    sigma[:, 2:4] = sigma[:, 1:2]
    sigma[:, 5:7] = sigma[:, 4:5]
    sigma[:, 7:] = sigma[:, 4:5] / 2**0.5
    turn, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
    ten = case.ten.copy()
    ten[:, 1:4] = ten[:, 1:4] @ turn.T
    ten[:, 4:] = [six(turn @ full(tensor) @ turn.T) for tensor in ten[:, 4:]]
    before, after = root(replace(case, sigma=sigma)), root(replace(case, ten=ten, sigma=sigma))
    of_ten = np.zeros((10, 10))
    of_ten[0, 0], of_ten[1:4, 1:4] = 1.0, turn
    of_ten[4:, 4:] = np.column_stack([six(turn @ full(unit) @ turn.T) for unit in np.eye(6)])
    assert_same(after, of_ten @ before @ of_ten.T)


@many
@given(plain_cases, seeds)
def test_halves_that_err_together_are_the_whole(case: Case, seed: int) -> None:
    leaf = int(np.random.default_rng(seed).choice([i for i in range(len(case.parent)) if case.is_end(i)]))
    half = picked(case, [*range(len(case.parent)), leaf])
    for values in (half.ten, half.sigma):
        for row in (leaf, -1):
            values[row, [0, *range(4, 10)]] /= 2
    half.group[[leaf, -1]] = 0
    assert_same(root(replace(half, shares_centers=True)), root(case))


@many
@given(plain_cases, seeds, st.integers(1, 5), st.booleans(), st.booleans())
def test_pieces_are_parts(case: Case, seed: int, n: int, together: bool, centers: bool) -> None:
    """A row of n pieces is n rows of one piece, whether their errors are shared or not."""
    leaf = int(np.random.default_rng(seed).choice([i for i in range(len(case.parent)) if case.is_end(i)]))
    case.group[leaf] = 0 if together else ALONE
    case.shares_centers = centers
    rows = picked(case, [*range(len(case.parent)), *[leaf] * (n - 1)])
    case.count[leaf] = n
    assert_same(root(case), root(rows))


@many
@given(seeds, st.integers(1, 30), st.sampled_from([1.0, 2.0, 3.0]))
def test_one_level_is_what_the_published_formulas_give(seed: int, parts: int, count: float) -> None:
    case = random_case(seed, parts + 1, 1000, plain=True)
    case.parent[:] = np.append(-1, np.zeros(parts, int))
    case.count[parts // 2 + 1 :] = count
    exact, published = rolled(case), rolled(case, "massprops")
    for ours, theirs in zip(ten_sigmas(exact), ten_sigmas(published), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)
    np.testing.assert_allclose(exact.sigma_radii, published.sigma_radii, rtol=1e-11)


def ten_sigmas(rollup: Rollup) -> tuple[Floats, Floats, Floats]:
    """The root's sigmas, where the root is item 0."""
    assert rollup.sigmas is not None
    assert rollup.sigmas.center is not None
    assert rollup.sigmas.inertia is not None
    return rollup.sigmas.mass[:1], rollup.sigmas.center[0], rollup.sigmas.inertia[0]


@many
@given(plain_cases, seeds)
def test_a_branch_whose_masses_cancel_keeps_its_errors(case: Case, seed: int) -> None:
    """A part and the same part removed elsewhere have mass 0 and no centre, yet their parent has both sums."""
    rng = np.random.default_rng(seed)
    n = len(case.parent)
    leaf = int(rng.choice([i for i in range(n) if case.is_end(i)]))
    above = int(case.parent[leaf])
    whole = picked(case, [*range(n), leaf, leaf, leaf])
    whole.parent[n:] = [above, n, n]
    whole.ten[n + 2, 1:4] += 1.0
    whole.count[n + 2] = -1.0
    if not case.is_end(above):
        assert_same(root(whole), Node.of(whole, root_of(whole)).covariance)


@many
@given(plain_cases, seeds)
def test_a_leaf_represents_its_branch(case: Case, seed: int) -> None:
    """A branch cut away and its covariance given in its place, as what-ifs do, leaves the root as it was."""
    whole, top = rolled(case), root_of(case)
    inner = [i for i in range(len(case.parent)) if not case.is_end(i) and i != top]
    if not inner:
        return
    cut = int(np.random.default_rng(seed).choice(inner))
    removed = {cut}
    rows = []
    for i in outwards(case):
        if int(case.parent[i]) in removed:
            removed.add(i)
        else:
            rows.append(i)
    at = {item: k for k, item in enumerate(rows)}
    rest = picked(case, rows, parent=np.array([at.get(int(case.parent[i]), -1) for i in rows]))
    bodies = whole.bodies
    assert bodies.center is not None
    assert bodies.inertia is not None
    rest.ten[at[cut]] = [bodies.mass[cut], *bodies.center[cut], *bodies.inertia[cut]]
    branch = Covariances(np.array([at[cut]], np.int32), packed_covariances(whole.covariance_of(cut))[:, None])
    found = roll_up(RollupInputs.of(Tree.from_parents(rest.parent), *inputs(rest)), given=branch)
    assert_same(found.covariance_of(at[top]), whole.covariance_of(top))
