"""What holds for the uncertainty budget of any tree, whatever is shared, removed, measured, stated or a point."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import HealthCheck, assume, given, settings, strategies as st

from massprops_cli.rollups.inputs import RollupInputs
from massprops_cli.rollups.leaf_sums import _RADIUS_NAMES, _RESULT_NAMES, PRINCIPAL_MOMENT_NAMES
from massprops_cli.rollups.variance_budget import GROUP_PART, LEAF_PART, VarianceBudget, variance_budget
from massprops_cli.trees.tree import ItemQuantity, Tree
from tests.examples import examples
from tests.oracles.case import ALONE, Case
from tests.oracles.comparing import unsigned
from tests.oracles.flat import Node
from tests.oracles.random_case import comparable, random_case
from tests.oracles.rolling import correlation, inputs

many = settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.too_slow])
TOLERANCE = 1e-11
seeds = st.integers(0, 2**32)
bushes = st.sampled_from([1, 3, 40])
cases = st.builds(random_case, seeds, st.integers(2, 60), bushes)
plain_cases = st.builds(random_case, seeds, st.integers(3, 40), bushes, plain=st.just(True))
first_order = st.sampled_from([of for of in _RESULT_NAMES if of not in _RADIUS_NAMES + PRINCIPAL_MOMENT_NAMES])
results = st.sampled_from(_RESULT_NAMES)


def budget(case: Case, of: str, item: int) -> VarianceBudget:
    tree, quantity = Tree.from_parents(case.parent), ItemQuantity(case.count, case.measured)
    return variance_budget(
        RollupInputs.of(tree, *inputs(case), quantity, correlation=correlation(case), stated=case.stated),
        of=of,
        item=item,
    )


def sigma_and_size(case: Case, of: str, item: int) -> tuple[float, float]:
    """The oracle's sigma, and the largest of its kind, which is what rounding is measured by."""
    place = _RESULT_NAMES.index(of)
    size = Node.of(unsigned(case), item).ten()
    # the tensor of a point is the rounding of its centre
    largest = size[0] if place == 0 else size[1:4].max() if place < 4 else max(size[4:].max(), 0.01 * size[1:4].max())
    return float(Node.of(case, item).ten()[place]), float(largest)


@many
@given(cases, first_order)
def test_rows_make_the_whole_variance(case: Case, of: str) -> None:
    for item in comparable(case)[-3:]:
        found = budget(case, of, item)
        sigma, size = sigma_and_size(case, of, item)
        assert abs(found.sigma - sigma) <= TOLERANCE * size
        assert abs(found.share.sum() - 1) < 1e-12 or found.sigma == 0
        assert (np.diff(found.share) <= 0).all()


@many
@given(cases, first_order)
def test_members_make_their_group(case: Case, of: str) -> None:
    for item in comparable(case)[-3:]:
        found = budget(case, of, item)
        for row in np.flatnonzero(found.kind != LEAF_PART).tolist():
            members = found.members(row)
            size = np.abs(found.shared[members]).sum()
            assert abs(found.shared[members].sum() - found.parts[:, row].sum()) <= TOLERANCE * size


@many
@given(plain_cases, results, st.data())
def test_halves_that_share_their_errors_are_the_leaf(case: Case, of: str, data: st.DataObject) -> None:
    """A leaf in two halves at one place, half the sigmas each and all of them shared, has the share of the whole."""
    root = int(np.flatnonzero(case.parent < 0)[0])
    leaf = data.draw(st.sampled_from([i for i in range(len(case.parent)) if case.is_end(i)]))
    whole = budget(case, of, root)
    n = len(case.parent)
    rows = [*range(n), leaf]
    ten, errors = case.ten[rows], case.sigma[rows]
    for half in (leaf, n):
        ten[half, [0, *range(4, 10)]] /= 2
        errors[half, [0, *range(4, 10)]] /= 2
    group = np.full(n + 1, ALONE)
    group[[leaf, n]] = 0
    kept = {name: getattr(case, name)[rows] for name in ("parent", "count", "measured", "is_point")}
    halves = budget(replace(case, ten=ten, sigma=errors, group=group, shares_centers=True, **kept), of, root)
    assume(of not in PRINCIPAL_MOMENT_NAMES or whole.gap > 1e-3)  # where moments meet, axes are any
    before = whole.share[(whole.kind == LEAF_PART) & (whole.number == leaf)]
    after = halves.share[halves.kind == GROUP_PART]
    assert np.abs(before - after).max() < 1e-9


@many
@given(plain_cases, results, seeds)
def test_order_of_rows_does_not_matter(case: Case, of: str, seed: int) -> None:
    order = np.random.default_rng(seed).permutation(len(case.parent))
    place = np.argsort(order)
    kept = {name: getattr(case, name)[order] for name in ("ten", "sigma", "count", "measured", "is_point", "group")}
    above = case.parent[order]
    other = replace(case, parent=np.where(above >= 0, place[above], -1), **kept)
    root = int(np.flatnonzero(case.parent < 0)[0])
    one, two = budget(case, of, root), budget(other, of, int(place[root]))
    assume(of not in PRINCIPAL_MOMENT_NAMES or one.gap > 1e-3)
    shares = np.zeros((2, len(case.parent)))
    shares[0, one.number] = one.share
    shares[1, order[two.number]] = two.share
    assert np.abs(shares[0] - shares[1]).max() < 1e-9
