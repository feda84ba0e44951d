"""An assembly is only a way to group parts: dissolving it changes nothing above it, also where masses nearly cancel.

Moments and covariances are compared about the root's reference leaf, and about its centre where the masses that are
left are at least a thousandth of their sizes (FORMULAS 8): a centre further away is not known to more digits.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import HealthCheck, assume, given, settings, strategies as st

from massprops_cli.bom.bom import Bom
from massprops_cli.revisions.comparison import diff
from massprops_cli.rollups.covariance import branch_terms, full_covariances, moved_parameters, packed_covariances
from massprops_cli.rollups.inputs import Correlation, RollupInputs, SampleOptions
from massprops_cli.rollups.montecarlo.simulation import simulate_tree
from massprops_cli.rollups.rollup import Rollup
from massprops_cli.rollups.subtotals import recompute_rollup
from massprops_cli.rollups.variance_budget import variance_budget
from massprops_cli.trees.tree import ItemQuantity, Tree
from tests.examples import examples
from tests.oracles.case import ALONE, Case
from tests.oracles.comparing import assert_same, unsigned
from tests.oracles.flat import Node, covariance
from tests.oracles.kit_case import can_dissolve, dissolved, kit_case, ten_about
from tests.oracles.rolling import correlation, inputs, rolled

Floats = np.ndarray
TOLERANCE = 1e-12
KNOWN = 1e-3
many = settings(
    max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
seeds = st.integers(0, 2**32)
sizes = st.integers(3, 40) | st.integers(200, 260)
bushes = st.sampled_from([1, 3, 40, 1000])
lefts = st.floats(-15, 0).map(lambda x: 10.0**x) | st.sampled_from([1e-15, 1e-12, 1e-6, 1e-3, 1.0])
cases = st.builds(kit_case, seeds, sizes, bushes, lefts, body=st.just(False))
held_cases = st.builds(kit_case, seeds, st.integers(3, 40), bushes, lefts, body=st.just(True))


def root_of(case: Case) -> int:
    return int(np.flatnonzero(case.parent < 0)[0])


def one_dissolved(case: Case, seed: int) -> Case:
    """The case without one of the assemblies that can be dissolved."""
    inner = [i for i in range(len(case.parent)) if can_dissolve(case, i)]
    assume(inner)
    return dissolved(case, int(np.random.default_rng(seed).choice(inner)))


def place_of_reference(case: Case) -> Floats:
    """A leaf that counts in the whole."""
    return np.asarray(case.ten[next(i for i, factor, _ in case.below(root_of(case)) if factor), 1:4])


def counts(case: Case) -> bool:
    return any(factor for _, factor, _ in case.below(root_of(case)))


def share_left(case: Case) -> float:
    """|Σm| / Σ|m| of the whole."""
    ends = list(case.below(root_of(case)))
    size = sum(abs(f * case.ten[i, 0]) for i, f, _ in ends)
    return float(abs(sum(f * case.ten[i, 0] for i, f, _ in ends)) / size) if size else 0.0


def moments_of(rollup: Rollup, item: int, point: Floats) -> Floats:
    """An item's ten moments about a point, from what it hands up."""
    assert rollup.bodies.center is not None
    assert rollup.bodies.inertia is not None
    up = rollup.passed_up
    if up is None:
        own = np.array([rollup.bodies.mass[item], 0, 0, 0, *rollup.bodies.inertia[item]])
        return np.array(moved_parameters(own, rollup.bodies.center[item] - point))
    k = up.items.tolist().index(item)
    return np.array(moved_parameters(up.ten[:, k], up.reference[:, k] - point + up.offset[:, k]))


def covariance_about(rollup: Rollup, item: int, point: Floats) -> Floats:
    """An item's covariance about a point, moved there from the centre or, where there is none, the reference leaf."""
    assert rollup.bodies.center is not None
    here = rollup.bodies.center[item]
    if rollup.passed_up is not None and rollup.cancelled[item]:
        here = rollup.passed_up.reference[:, rollup.passed_up.items.tolist().index(item)]
    packed = packed_covariances(rollup.covariance_of(item))[:, None]
    return full_covariances(branch_terms(packed, (here - point)[:, None])[:, 0])


def assert_ten(ours: Floats, theirs: Floats, size: Floats) -> None:
    difference = np.abs(ours - theirs.astype(float))
    assert (difference <= TOLERANCE * size.astype(float)).all(), (difference / size).max()


@many
@given(cases, seeds)
def test_what_goes_up_is_the_sum_over_the_leaves(case: Case, seed: int) -> None:
    assume(counts(case))
    for one in (case, one_dissolved(case, seed)):
        point, root = place_of_reference(case), root_of(one)
        total, size = ten_about(one, root, point)
        for method in ("none", "massprops", "covariance"):
            assert_ten(moments_of(rolled(one, method), root, point), total, size)


@many
@given(cases, seeds)
def test_dissolving_an_assembly_leaves_the_root(case: Case, seed: int) -> None:
    """Mass, centre and tensor as they are shown."""
    other = one_dissolved(case, seed)
    assume(share_left(case) >= KNOWN)
    point = place_of_reference(case)
    _, size = ten_about(case, root_of(case), point)
    for method in ("none", "massprops", "covariance"):
        one, two = (rolled(each, method).bodies for each in (case, other))
        a, b = root_of(case), root_of(other)
        assert abs(one.mass[a] - two.mass[b]) <= TOLERANCE * abs(one.mass[a]) / KNOWN
        assert one.center is not None
        assert two.center is not None
        assert one.inertia is not None
        assert two.inertia is not None
        near(one.center[a], two.center[b], float(np.abs(one.center[a]).max() + size[1] / abs(one.mass[a])))
        near(one.inertia[a], two.inertia[b], float(max(np.abs(one.inertia[a]).max(), size[4])))
        assert one.is_point[a] == two.is_point[b]


def near(one: Floats, two: Floats, scale: float) -> None:
    assert (np.abs(one - two) <= TOLERANCE * scale).all(), np.abs(one - two).max() / scale


@many
@given(cases | held_cases, seeds, st.booleans(), st.booleans())
def test_covariances_are_those_of_the_leaves(case: Case, seed: int, shared: bool, centers: bool) -> None:
    assume(counts(case))
    if shared:
        case.group[:] = np.random.default_rng(seed).choice([ALONE, ALONE, 0, 1, 2], len(case.parent))
        case.shares_centers = centers
    for one in (case, one_dissolved(case, seed)):
        root = root_of(one)
        rollup = rolled(one)
        if share_left(one) >= KNOWN:
            node = Node.of(one, root)
            about = covariance(unsigned(one), root, node.center)
            assert_same(rollup.covariance_of(root), node.covariance, about)
        elif rollup.cancelled[root]:
            point = place_of_reference(case)
            theirs = covariance(one, root, point)
            size = covariance(unsigned(one), root, point)
            assert_same(covariance_about(rollup, root, point), theirs, size)


@many
@given(held_cases, seeds)
def test_every_sigma_of_the_root_stays(case: Case, seed: int) -> None:
    other = one_dissolved(case, seed)
    one, two = rolled(case), rolled(other)
    a, b = root_of(case), root_of(other)
    assert one.sigmas is not None
    assert two.sigmas is not None
    for ours, theirs in (
        (one.sigmas.mass[[a]], two.sigmas.mass[[b]]),
        (one.sigmas.center[a], two.sigmas.center[b]),
        (one.sigmas.inertia[a], two.sigmas.inertia[b]),
    ):
        near(ours, theirs, float(np.abs(theirs).max()))


@many
@given(held_cases, seeds, st.sampled_from(["mass", "Cx", "Cz", "Iyy", "Ixz", "I1"]))
def test_contributions_stay(case: Case, seed: int, of: str) -> None:
    other = one_dissolved(case, seed)
    shares = []
    for one in (case, other):
        bodies, sigmas = inputs(one)
        budget = variance_budget(
            RollupInputs.of(Tree.from_parents(one.parent), bodies, sigmas, ItemQuantity(one.count, one.measured)), of=of
        )
        # numbers change when an assembly is dissolved, values do not
        found = {tuple(one.ten[i]): share for i, share in zip(budget.number.tolist(), budget.share, strict=True)}
        shares.append((budget.sigma, found))
    (sigma, found), (sigma_other, found_other) = shares
    assert abs(sigma - sigma_other) <= TOLERANCE * sigma
    assert found.keys() == found_other.keys()
    assert max(abs(found[leaf] - found_other[leaf]) for leaf in found) <= TOLERANCE
    rollup = rolled(case)
    if of != "I1":  # the root's sigma, added up over the levels
        row = ("mass", "Cx", "Cy", "Cz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz").index(of)
        gradient = np.zeros(10)
        gradient[row] = 1 / rollup.bodies.mass[root_of(case)] if of.startswith("C") else 1.0
        variance = gradient @ rollup.covariance_of(root_of(case)) @ gradient
        size = covariance(unsigned(case), root_of(case), Node.of(case, root_of(case)).center)[row, row]
        assert abs(variance - sigma**2) <= TOLERANCE * float(max(size * gradient[row] ** 2, sigma**2))


@settings(
    max_examples=examples(15), deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
@given(held_cases, seeds)
def test_samples_stay(case: Case, seed: int) -> None:
    """Errors of groups are drawn the same wherever the groups' members are; here every leaf is a group."""
    case.shares_centers = True
    case.group[:] = np.arange(len(case.parent))
    other = one_dissolved(case, seed)
    found = []
    for one in (case, other):
        bodies, sigmas = inputs(one)
        quantity = ItemQuantity(one.count, one.measured)
        shared = Correlation(one.group.astype(np.int32), shares_centers=True)
        sampled = simulate_tree(
            RollupInputs.of(Tree.from_parents(one.parent), bodies, sigmas, quantity, correlation=shared),
            sampling=SampleOptions(samples=200),
        )
        at = sampled.items.tolist().index(root_of(one))
        found.append((sampled.mean[at], sampled.sigma[at], rolled(one)))
    (mean, sigma, rollup), (mean_other, sigma_other, _) = found
    _, size = ten_about(case, root_of(case), Node.of(case, root_of(case)).center.astype(float))
    largest = float(np.abs(rollup.bodies.center[root_of(case)]).max() + size[1] / size[0])
    for columns, scale in ((slice(0, 1), size[0]), (slice(1, 4), largest), (slice(4, 10), size[4])):
        near(mean[columns], mean_other[columns], float(scale))
        near(sigma[columns], sigma_other[columns], float(scale))


@many
@given(held_cases, seeds)
def test_a_change_is_what_it_is_in_the_dissolved_tree(case: Case, seed: int) -> None:
    """What-if: one leaf heavier and elsewhere, in both trees, against the changed tree rolled up."""
    rng = np.random.default_rng(seed)
    case.ten[:, 0] += np.arange(len(case.parent)) * 1e-9  # so that a leaf is found again by its numbers
    other = one_dissolved(case, seed)
    leaf = int(rng.choice([i for i in range(len(case.parent)) if case.is_end(i)]))
    same = int(np.flatnonzero((other.ten == case.ten[leaf]).all(axis=1))[0])
    after = []
    for one, item in ((case, leaf), (other, same)):
        tree, quantity = Tree.from_parents(one.parent), ItemQuantity(one.count, one.measured)
        before = rolled(one)
        changed = replace(one, ten=one.ten.copy())
        changed.ten[item, 0] *= 1.5
        changed.ten[item, 1:4] += 0.5
        bodies, sigmas = inputs(changed)
        touched = recompute_rollup(
            before, RollupInputs.of(tree, bodies, sigmas, quantity, correlation=correlation(one)), np.array([item])
        )
        assert touched.items[-1] == root_of(one)
        after.append((touched.after, touched.after_sigmas, changed))
    (one_body, one_sigmas, changed), (two_body, two_sigmas, _) = after
    total, size = ten_about(changed, root_of(changed), place_of_reference(changed))
    center = total[1:4] / total[0]
    for body, sigmas in ((one_body, one_sigmas), (two_body, two_sigmas)):
        near(body.mass[[-1]], total[:1].astype(float), float(size[0]))
        near(body.center[-1], (place_of_reference(changed) + center).astype(float), float(size[1] / size[0] + 30))
        near(body.inertia[-1], one_body.inertia[-1], float(size[4]))
        near(sigmas.inertia[-1], one_sigmas.inertia[-1], float(one_sigmas.inertia[-1].max()))


COLUMNS = ("mass", "Cx", "Cy", "Cz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")


def bom_of_points(case: Case, names: list[str]) -> Bom:
    """The tree as a table; every leaf a point mass, since a removed tensor is none of a body."""
    rows = []
    for i, above in enumerate(case.parent.tolist()):
        count = case.count[i] if above >= 0 else 1.0
        row = {"id": names[i], "parent": names[above] if above >= 0 else "", "qty": float(count)}
        own = dict(zip(COLUMNS[:4], case.ten[i, :4].tolist(), strict=True)) if case.is_end(i) else {}
        rows.append(dict.fromkeys(COLUMNS) | row | own | {"Ipoint": "yes" if own else None})
    return Bom.from_records(rows, poi="-", allow_negative_mass=True)


@settings(
    max_examples=examples(15), deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
@given(st.builds(kit_case, seeds, st.integers(3, 15), bushes, lefts, body=st.just(True)), seeds)
def test_what_a_change_does_is_the_same_in_the_dissolved_tree(case: Case, seed: int) -> None:
    """Diff: one leaf heavier and elsewhere; what each leaf contributes to the root's results."""
    rng = np.random.default_rng(seed)
    n = len(case.parent)
    case.measured[:] = False
    case.count[:] = np.round(case.count)
    inner = [i for i in range(n) if can_dissolve(case, i)]
    assume(inner)
    removed = int(rng.choice(inner))
    counted = {i for i, factor, _ in case.below(root_of(case)) if factor}
    leaf = int(rng.choice(sorted(counted)))
    changed = replace(case, ten=case.ten.copy())
    changed.ten[leaf, 0] += 0.25
    changed.ten[leaf, 1:4] += 0.5
    mass = sum(factor * changed.ten[i, 0] for i, factor, _ in case.below(root_of(case)))
    assume(abs(mass) > 1e-6)  # a whole without mass has no centre
    names = [f"i{k}" for k in range(n)]
    nested = diff(bom_of_points(case, names), bom_of_points(changed, names))
    names_left = names[:removed] + names[removed + 1 :]
    flatter = diff(
        bom_of_points(dissolved(case, removed), names_left), bom_of_points(dissolved(changed, removed), names_left)
    )
    _, size = ten_about(case, root_of(case), np.zeros(3))
    scale = np.array([size[0], *(size[1:4] / size[0]), *size[4:]], float)
    found = []
    for each in (nested, flatter):
        values = each.whole.contributions()
        assert np.isfinite(values[:, :10]).all()
        found.append({each.id(line): values[line, :10] for line in np.flatnonzero(values[:, 0]).tolist()})
    assert found[0].keys() == found[1].keys() == {names[leaf]}
    assert (np.abs(found[0][names[leaf]] - found[1][names[leaf]]) <= TOLERANCE * scale).all()
    near(nested.whole.change[4:10], flatter.whole.change[4:10], scale[4])
