"""Sampling trees: arithmetic against the roll-up of the very same inputs, spreads against first order and closed forms.

Statistical comparisons allow 4.5 of the samples' own statistical errors; seeds are fixed, so they never fail by chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from massprops_cli.bodies.bodies import Bodies, Sigmas, full_tensors
from massprops_cli.findings.finding import UsageError
from massprops_cli.rollups.inputs import NO_GROUP, PERCENTILES, Correlation, InputShapes, RollupInputs, SampleOptions
from massprops_cli.rollups.montecarlo import distributions as pieces, sampler
from massprops_cli.rollups.montecarlo.samples import SampledRollup
from massprops_cli.rollups.montecarlo.simulation import simulate_tree
from massprops_cli.rollups.rollup import roll_up
from massprops_cli.trees.tree import ItemQuantity, Tree

SURELY = 4.5

# 0 ─ 1 ─ 3, 4, 5;  0 ─ 2 ─ 6, 7 ─ 8, 9;  0 ─ 10
TREE = Tree.from_parents([-1, 0, 0, 1, 1, 1, 2, 2, 7, 7, 0])
ASSEMBLIES = [0, 1, 2, 7]
N = len(TREE)


def made(seed: int = 0, relative: float = 0.01) -> tuple[Bodies, Sigmas]:
    random = np.random.default_rng(seed)
    mass, center = random.uniform(1, 3, N), random.uniform(-5, 5, (N, 3))
    inertia = np.column_stack([random.uniform(8, 10, (N, 3)), random.uniform(-1, 1, (N, 3))])
    sigmas = Sigmas(relative * mass, relative * random.uniform(1, 9, (N, 3)), relative * np.abs(inertia))
    return Bodies(mass, center, inertia, np.zeros(N, bool)), sigmas


def counted(**count: float) -> ItemQuantity:
    numbers = np.ones(N)
    for item, value in count.items():
        numbers[int(item[1:])] = value
    return ItemQuantity(numbers, np.rint(numbers) != numbers)


def grouped(group: dict[int, int], **options: Any) -> Correlation:
    numbers = np.full(N, NO_GROUP, np.int32)
    for item, g in group.items():
        numbers[item] = g
    return Correlation(numbers, [str(g) for g in range(1 + max(group.values()))], **options)


def ratios(sampled: SampledRollup, sigmas: np.ndarray) -> np.ndarray:
    """Differences of the sampled sigmas from others, in statistical errors."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.nan_to_num((sampled.sigma - sigmas) / sampled.sigma_error)


def first_order(
    bodies: Bodies, sigmas: Sigmas, quantity: ItemQuantity | None = None, tree: Tree = TREE, **options: Any
) -> np.ndarray:
    rolled = roll_up(RollupInputs.of(tree, bodies, sigmas, quantity, **options), method="covariance")
    assert rolled.sigmas is not None
    parts = [rolled.sigmas.mass[:, None], rolled.sigmas.center, rolled.sigmas.inertia, rolled.sigma_radii]
    return np.hstack([part for part in parts if part is not None])[np.flatnonzero(~tree.is_leaf())]


def fixed_at(bodies: Bodies, others: Bodies) -> InputShapes:
    """Uniform between equal bounds: every sample is the other bodies' number."""
    ten = np.column_stack([part for part in (others.mass, others.center, others.inertia) if part is not None])
    return InputShapes(np.full(N, 2, np.int8), {q: np.array([ten[:, q]] * 3) for q in range(10)})


@pytest.mark.parametrize("far", [0.0, 1e7])
@pytest.mark.parametrize(
    "quantity",
    [counted(), counted(_1=3, _4=2, _7=2.5, _8=-1, _10=0), counted(_2=-2, _9=4, _6=0.5), counted(_7=0, _3=5)],
)
def test_every_sample_is_the_roll_up_of_its_inputs(quantity: ItemQuantity, far: float) -> None:
    """Inputs that are all drawn at other values than the nominal ones: the mean is their roll-up, at every node."""
    (bodies, sigmas), (others, _) = made(0), made(1)
    point = np.zeros(N, bool)
    point[6] = True
    centers = [np.round(b.center * 64) / 64 + far for b in (bodies, others) if b.center is not None]
    bodies = Bodies(bodies.mass, centers[0], bodies.inertia, point)
    others = Bodies(others.mass, centers[1], others.inertia, point)
    sampled = simulate_tree(
        RollupInputs.of(TREE, bodies, sigmas, quantity),
        shapes=fixed_at(bodies, others),
        sampling=SampleOptions(samples=3),
    )
    expected = roll_up(RollupInputs.of(TREE, others, None, quantity), method="none")
    assert expected.bodies.center is not None
    assert expected.bodies.inertia is not None
    assert sampled.items.tolist() == ASSEMBLIES
    assert sampled.mean[:, 0] == pytest.approx(expected.bodies.mass[ASSEMBLIES], rel=1e-13)
    assert sampled.mean[:, 1:4] == pytest.approx(expected.bodies.center[ASSEMBLIES], rel=1e-15, abs=1e-12)
    assert sampled.mean[:, 4:10] == pytest.approx(expected.bodies.inertia[ASSEMBLIES], rel=1e-12, abs=1e-10)
    assert expected.radii is not None
    assert sampled.mean[:, 10:] == pytest.approx(expected.radii[ASSEMBLIES], rel=1e-12, nan_ok=True)
    assert (sampled.sigma[:, :10] < 1e-4).all()


@pytest.mark.parametrize("far", [0.0, 1e7])
def test_small_errors_are_first_order(far: float) -> None:
    bodies, sigmas = made()
    assert bodies.center is not None
    bodies = Bodies(bodies.mass, np.round(bodies.center * 64) / 64 + far, bodies.inertia, bodies.is_point)
    sampled = simulate_tree(RollupInputs.of(TREE, bodies, sigmas), sampling=SampleOptions(samples=30_000))
    assert np.abs(ratios(sampled, first_order(bodies, sigmas))).max() < SURELY


def test_sampled_covariances_are_first_order() -> None:
    bodies, sigmas = made()
    sampled = simulate_tree(RollupInputs.of(TREE, bodies, sigmas), sampling=SampleOptions(samples=30_000))
    rolled = roll_up(RollupInputs.of(TREE, bodies, sigmas), method="covariance")
    mass = rolled.bodies.mass[0]
    # of m, c and I rather than of m, h and J
    per_mass = np.diag([1, *(3 * [1 / mass]), *(6 * [1])])
    expected = per_mass @ rolled.covariance_of(0) @ per_mass
    spread = np.sqrt(np.diag(expected))
    assert sampled.covariance[0] == pytest.approx(expected[np.triu_indices(10)], abs=1e-6 + 5 * 30_000**-0.5 * 40)
    found = np.zeros((10, 10))
    found[np.triu_indices(10)] = sampled.covariance[0]
    correlation = (found / spread[:, None] / spread)[np.triu_indices(10)]
    wanted = (expected / spread[:, None] / spread)[np.triu_indices(10)]
    assert correlation == pytest.approx(wanted, abs=5 * 30_000**-0.5 * 1.5)


QUANTITIES = counted(_1=3, _4=2, _7=2.5, _8=-2, _9=3)
CORRELATIONS = {
    "independent": Correlation.none(N),
    "shared": grouped({3: 0, 4: 0, 6: 0, 8: 1, 9: 1}),
    "centres too": grouped({3: 0, 4: 0, 5: 0, 8: 1, 9: 1}, shares_centers=True),
    "coupled": grouped(
        {3: 0, 4: 1, 8: 2},
        coupled=np.arange(3),
        matrix=np.tile([[1.0, 0.8, -0.3], [0.8, 1.0, 0.2], [-0.3, 0.2, 1.0]], (10, 1, 1)),
    ),
    "one and the same": grouped({3: 0, 4: 1}, coupled=np.arange(2), matrix=np.ones((10, 2, 2))),
}


@pytest.mark.parametrize("name", CORRELATIONS)
def test_pieces_and_groups_are_those_of_first_order(name: str) -> None:
    bodies, sigmas = made()
    correlation = CORRELATIONS[name]
    sampled = simulate_tree(
        RollupInputs.of(TREE, bodies, sigmas, QUANTITIES, correlation=correlation),
        sampling=SampleOptions(samples=20_000, seed=1),
    )
    expected = first_order(bodies, sigmas, QUANTITIES, correlation=correlation)
    assert np.abs(ratios(sampled, expected)).max() < SURELY


def plate_of(count: float, mass: float = 2.0, sigma: float = 0.1) -> tuple[Tree, Bodies, Sigmas, ItemQuantity]:
    """One assembly with some pieces of one part."""
    zeros = np.zeros((2, 6))
    bodies = Bodies(np.array([0, mass]), zeros[:, :3], zeros, np.zeros(2, bool))
    quantity = ItemQuantity(np.array([1, count]), np.array([False, count != round(count)]))
    return Tree.from_parents([-1, 0]), bodies, Sigmas(np.array([0, sigma]), zeros[:, :3], zeros), quantity


@pytest.mark.parametrize(
    ("count", "group", "expected"),
    [(9.0, NO_GROUP, 0.3), (9.0, 0, 0.9), (-4.0, NO_GROUP, 0.2), (2.5, NO_GROUP, 0.25), (1.0, 0, 0.1)],
)
def test_sigma_of_several_pieces(count: float, group: int, expected: float) -> None:
    """Independent pieces: s √n; pieces that share their error: s n; one piece of size q: s q."""
    tree, bodies, sigmas, quantity = plate_of(count)
    correlation = Correlation(np.array([NO_GROUP, group], np.int32), ["part"])
    sampled = simulate_tree(
        RollupInputs.of(tree, bodies, sigmas, quantity, correlation=correlation), sampling=SampleOptions(samples=20_000)
    )
    assert abs(sampled.sigma[0, 0] - expected) < SURELY * sampled.sigma_error[0, 0]
    assert sampled.sigma_error[0, 0] == pytest.approx(expected / 40_000**0.5, rel=0.05)
    assert abs(sampled.shift[0, 0]) < SURELY * sampled.shift_error[0, 0]


def test_too_many_independent_pieces_name_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "_MOST_PIECES", 100)
    tree, bodies, sigmas, quantity = plate_of(100)
    with pytest.raises(UsageError, match="--correlate part"):
        simulate_tree(RollupInputs.of(tree, bodies, sigmas, quantity))
    shared = Correlation(np.array([NO_GROUP, 0], np.int32), ["part"])
    assert simulate_tree(RollupInputs.of(tree, bodies, sigmas, quantity, correlation=shared)).n[0, 0] == 10_000


def test_a_stated_assembly_goes_up_with_its_own_numbers() -> None:
    bodies, sigmas = made()
    stated = np.arange(N) == 2
    sampled = simulate_tree(
        RollupInputs.of(TREE, bodies, sigmas, stated=stated), sampling=SampleOptions(samples=20_000), watched=[2]
    )
    expected = first_order(bodies, sigmas, stated=stated)
    assert sampled.items.tolist() == [0, 1, 7]
    assert np.abs(ratios(sampled, expected[[0, 1, 3]])).max() < SURELY
    own = sampled.watched[1]
    assert own.item == 2
    assert own.sigma[0] == pytest.approx(sigmas.mass[2], rel=SURELY / 40_000**0.5)


def test_a_part_may_be_watched() -> None:
    bodies, sigmas = made()
    sampled = simulate_tree(RollupInputs.of(TREE, bodies, sigmas), watched=[3], sampling=SampleOptions(samples=10_000))
    assert sampled.items.tolist() == ASSEMBLIES
    root, part = sampled.watched
    assert (root.item, part.item) == (0, 3)
    law = NormalDist(float(bodies.mass[3]), float(sigmas.mass[3]))
    expected = [law.inv_cdf(p / 100) for p in PERCENTILES]
    assert part.percentiles[:, 0] == pytest.approx(expected, abs=0.04 * law.stdev)
    assert part.share_below(0, law.mean + law.stdev) == pytest.approx(0.8413, abs=0.02)
    assert bodies.inertia is not None
    assert part.mean[13:] == pytest.approx(np.linalg.eigvalsh(full_tensors(bodies.inertia[3])), rel=2e-3)


def test_histograms_and_percentiles_are_those_of_the_samples() -> None:
    bodies, sigmas = made()
    seen: list[np.ndarray] = []
    keep = Keep(seen)
    sampled = simulate_tree(
        RollupInputs.of(TREE, bodies, sigmas), watched=[7], events={7: [keep]}, sampling=SampleOptions(samples=9_000)
    )
    samples, watched = np.vstack(seen), sampled.watched[1]
    assert samples.shape == (9_000, 13)
    assert watched.percentiles[:, :13] == pytest.approx(
        np.percentile(samples, PERCENTILES, axis=0), abs=5e-3 * float(samples.std(axis=0).max())
    )
    assert watched.mean[:13] == pytest.approx(samples.mean(axis=0), rel=1e-12)
    assert watched.sigma[:13] == pytest.approx(samples.std(axis=0, ddof=1), rel=1e-10)
    assert sampled.covariance[3] == pytest.approx(np.cov(samples[:, :10].T)[np.triu_indices(10)], rel=1e-8, abs=1e-12)
    assert all(counts.sum() == 9_000 for counts in watched.counts)
    assert list(watched.event_counts) == [9_000]
    assert watched.n == 9_000


@dataclass(frozen=True)
class Keep:
    """An event that is always true and keeps the samples it saw."""

    seen: list[np.ndarray]

    def __call__(self, samples: np.ndarray) -> np.ndarray:
        self.seen.append(samples.copy())
        return np.ones(len(samples), bool)


@dataclass(frozen=True)
class Heavier:
    limit: float

    def __call__(self, samples: np.ndarray) -> np.ndarray:
        return np.asarray(samples[:, 0] > self.limit)


def test_events_are_counted() -> None:
    bodies, sigmas = made()
    rolled = roll_up(RollupInputs.of(TREE, bodies, None), method="none").bodies.mass[0]
    events = {0: [Heavier(float(rolled)), Heavier(0.0)]}
    sampled = simulate_tree(
        RollupInputs.of(TREE, bodies, sigmas), events=events, sampling=SampleOptions(samples=10_000)
    )
    half, all_of_them = sampled.watched[0].event_counts
    assert abs(half - 5_000) < SURELY * 50
    assert all_of_them == 10_000


@pytest.mark.parametrize("distribution", ["lognormal", "uniform", "triangular", "truncated"])
def test_other_kinds_keep_sigma(distribution: str) -> None:
    bodies, sigmas = made(relative=0.005)
    sampled = simulate_tree(
        RollupInputs.of(TREE, bodies, sigmas), sampling=SampleOptions(samples=10_000, distribution=distribution)
    )
    assert np.abs(ratios(sampled, first_order(bodies, sigmas))).max() < SURELY


@pytest.mark.parametrize("kind", range(1, 5))
def test_members_of_different_kinds_rise_together(kind: int) -> None:
    """Two equal masses with one deviate, one normal and one not: nearly fully correlated."""
    zeros = np.zeros((3, 6))
    bodies = Bodies(np.array([0, 2.0, 2.0]), zeros[:, :3], zeros, np.zeros(3, bool))
    sigmas = Sigmas(np.array([0, 0.1, 0.1]), zeros[:, :3], zeros)
    together = Correlation(np.array([NO_GROUP, 0, 0], np.int32), ["part"])
    shapes = InputShapes(np.array([0, 0, kind], np.int8))
    inputs = RollupInputs.of(Tree.from_parents([-1, 0, 0]), bodies, sigmas, correlation=together)
    sampled = simulate_tree(inputs, shapes=shapes, sampling=SampleOptions(samples=20_000))
    assert 0.196 < sampled.sigma[0, 0] < 0.2015


def test_only_masses() -> None:
    bodies = Bodies(np.arange(N) + 1.0, None, None, np.zeros(N, bool))
    sampled = simulate_tree(
        RollupInputs.of(TREE, bodies, Sigmas(0.1 * bodies.mass, None, None)), sampling=SampleOptions(samples=5_000)
    )
    leaves = np.array([3, 4, 5, 6, 8, 9, 10]) + 1.0
    assert sampled.mean[0, 0] == pytest.approx(leaves.sum(), rel=1e-3)
    assert abs(sampled.sigma[0, 0] - 0.1 * np.sqrt((leaves**2).sum())) < SURELY * sampled.sigma_error[0, 0]
    assert np.isnan(sampled.mean[:, 1:]).all()
    assert np.isfinite(sampled.covariance[:, 0]).all()
    assert np.isnan(sampled.covariance[:, 1:]).all()
    assert np.isnan(sampled.watched[0].percentiles[:, 1:]).all()


def test_branches_whose_masses_cancel_have_no_centre_but_reach_the_root() -> None:
    """Masses +2 and −2, 1 apart, next to a mass of 4: the root's centre is shifted by 2/4."""
    tree = Tree.from_parents([-1, 0, 1, 1, 0])
    center = np.zeros((5, 3))
    center[3, 0] = 1.0
    bodies = Bodies(np.array([0, 0, -2.0, 2.0, 4.0]), center, np.zeros((5, 6)), np.zeros(5, bool))
    sigmas = Sigmas(np.array([0, 0, 0, 0, 0.001]), np.zeros((5, 3)), np.zeros((5, 6)))
    sampled = simulate_tree(RollupInputs.of(tree, bodies, sigmas), sampling=SampleOptions(samples=100))
    assert sampled.mean[0, :2] == pytest.approx([4.0, 0.5], rel=1e-3)
    assert np.isnan(sampled.mean[1, 1:]).all()


def test_what_is_missing_is_not_known_above() -> None:
    bodies, sigmas = made()
    has = np.ones(N, bool)
    has[3] = False
    known = Sigmas(sigmas.mass, sigmas.center, sigmas.inertia, has)
    assert np.isnan(
        simulate_tree(RollupInputs.of(TREE, bodies, known), sampling=SampleOptions(samples=10)).sigma[:2]
    ).all()
    lacking = Bodies(bodies.mass, bodies.center, bodies.inertia, bodies.is_point, has_inertia=has)
    sampled = simulate_tree(RollupInputs.of(TREE, lacking, sigmas), sampling=SampleOptions(samples=10))
    assert np.isfinite(sampled.sigma[:2, :4]).all()
    assert np.isnan(sampled.sigma[:2, 4:]).all()


@pytest.mark.parametrize(
    ("sampling", "watched"),
    [
        (SampleOptions(samples=1), []),
        (SampleOptions(seed=-1), []),
        (SampleOptions(workers=0), []),
        (SampleOptions(), [N]),
    ],
)
def test_wrong_calls(sampling: SampleOptions, watched: Sequence[int]) -> None:
    with pytest.raises(UsageError):
        simulate_tree(RollupInputs.of(TREE, *made()), sampling=sampling, watched=watched)


def test_seeds_differ_and_repeat() -> None:
    bodies, sigmas = made()
    one, again, other = (
        simulate_tree(RollupInputs.of(TREE, bodies, sigmas), sampling=SampleOptions(samples=50, seed=s))
        for s in (3, 3, 4)
    )
    assert (one.mean == again.mean).all()
    assert (one.mean != other.mean).all()


def test_kept_samples_are_those_of_the_statistics() -> None:
    bodies, sigmas = made()
    sampling = SampleOptions(samples=3_000, keep_samples=True)
    kept = simulate_tree(RollupInputs.of(TREE, bodies, sigmas), sampling=sampling, events={0: []})
    samples = kept.watched[0].kept
    assert samples is not None
    assert samples.shape == (3_000, 13)
    assert samples.std(axis=0, ddof=1) == pytest.approx(kept.watched[0].sigma[:13], rel=1e-9)


def test_samples_that_need_too_much_memory_are_a_wrong_call() -> None:
    bodies, sigmas = made()
    sampling = SampleOptions(samples=10**9, keep_samples=True)  # 10⁹ · 13 · 8 bytes
    with pytest.raises(UsageError, match=r"1,000,000,000 samples of 1 item need 96\.9 GiB"):
        simulate_tree(RollupInputs.of(TREE, bodies, sigmas), sampling=sampling, events={0: []})


def test_percentiles_of_no_uncertainty_are_the_value() -> None:
    bodies, _ = made()
    none = Sigmas(np.zeros(N), np.zeros((N, 3)), np.zeros((N, 6)))
    found = simulate_tree(RollupInputs.of(TREE, bodies, none), sampling=SampleOptions(samples=100), events={0: []})
    item = found.watched[0]
    assert item.points(0, [5.0, 95.0]) == pytest.approx([item.nominal[0]] * 2)


def test_group_whose_deviates_were_dropped_gets_the_same_again() -> None:
    many = sampler._MOST_HELD_GROUPS + 5
    groups = Correlation(np.arange(many, dtype=np.int32), [str(g) for g in range(many)])
    shared = sampler._SharedDeviates(cast(Any, SimpleNamespace(seed=1, correlation=groups)), 0, 4)
    first = shared.of(0).copy()
    for group in range(1, many):
        shared.of(group)
    assert 0 not in shared.held
    assert len(shared.held) == sampler._MOST_HELD_GROUPS
    assert (shared.of(0) == first).all()
