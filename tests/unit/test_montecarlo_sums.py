"""What is counted of samples, how pieces are laid out, and how samples are compared: each against NumPy or by hand."""

from __future__ import annotations

import math
import signal
from dataclasses import replace

import numpy as np
import pytest

from massprops_cli.bodies.bodies import Bodies, Sigmas, full_tensors
from massprops_cli.findings.finding import UsageError
from massprops_cli.options import OPTIONS
from massprops_cli.rollups.covariance import PAIR_INDEX
from massprops_cli.rollups.division import _hold_interrupts
from massprops_cli.rollups.inputs import NO_GROUP, Correlation, InputShapes, RollupInputs, SampleOptions
from massprops_cli.rollups.montecarlo.agreement import (
    Agreement,
    SampleDifference,
    _difference_cause,
    _nominal_sizes,
    _relative_uncertainties,
    sample_agreement,
)
from massprops_cli.rollups.montecarlo.distributions import (
    _TRUNCATED,
    _UNIFORM,
    LOGNORMAL,
    NORMAL,
    InputDistributions,
    _deviates_between_cuts,
    _heaviest_first_order,
    _InputDistribution,
    _normal_quantiles,
    deviations_at_shares,
    input_rows,
    is_same_in_every_piece,
    piece_forest,
    sum_plan,
)
from massprops_cli.rollups.montecarlo.sampler import _sample_principal_moments, _write_sample_results
from massprops_cli.rollups.montecarlo.samples import SampledRollup, SampleTally, StreamingHistogram
from massprops_cli.rollups.montecarlo.simulation import simulate_tree
from massprops_cli.rollups.regions import normal_cdf
from massprops_cli.rollups.rollup import Rollup, roll_up
from massprops_cli.trees.tree import ItemQuantity, Tree


def test_defaults_are_those_of_the_command_line() -> None:
    given = SampleOptions()
    for name in ("samples", "seed", "distribution", "workers"):
        (option,) = (option for option in OPTIONS if option.keyword == name)
        assert getattr(given, name) == option.default


class TestTally:
    def counted(self, x: np.ndarray, blocks: int = 3) -> SampleTally:
        """Count samples ``(r, n)`` of the second of two items, in blocks that are added up."""
        total = SampleTally.empty(2, len(x))
        for block in np.array_split(x, blocks, axis=1):
            one = SampleTally.empty(2, len(x))
            one.count(1, block.copy())
            total.add(one)
        return total

    @pytest.mark.parametrize("n", [150, 30])
    def test_statistics_are_those_of_numpy(self, n: int) -> None:
        rng = np.random.default_rng(3)
        x = rng.gamma(2.0, size=(12, n)) + rng.normal(size=(12, 1))
        tally = self.counted(x)
        assert tally.n.tolist() == [[0] * 12, [n] * 12]
        assert tally.shift()[1] == pytest.approx(x.mean(axis=1))
        assert tally.sigma()[1] == pytest.approx(x.std(axis=1, ddof=1))
        away = x - x.mean(axis=1, keepdims=True)
        second, fourth = (away**2).mean(axis=1), (away**4).mean(axis=1)
        error = np.sqrt((fourth - second**2) / n) / (2 * np.sqrt(second))
        normal = x.std(axis=1, ddof=1) / math.sqrt(2 * (n - 1))
        assert tally.sigma_error()[1] == pytest.approx(error if n >= 100 else np.maximum(error, normal))
        expected = np.cov(x[:10])
        packed = tally.covariance()[1]
        for (a, b), k in PAIR_INDEX.items():
            assert packed[k] == pytest.approx(expected[a, b], abs=1e-12)

    def test_what_is_not_finite_is_not_counted(self) -> None:
        x = np.array([[1.0, np.inf, 3.0, 5.0], [1.0, 2.0, np.nan, -np.inf], [2.0, 4.0, 6.0, 8.0]])
        tally = self.counted(x, 1)
        assert tally.n[1].tolist() == [3, 2, 4]
        assert tally.shift()[1].tolist() == [3.0, 1.5, 5.0]
        assert tally.powers[:, 1, 0].tolist() == [9.0, 35.0, 153.0, 707.0]
        assert tally.products[1, 0, 2] == 1 * 2 + 3 * 6 + 5 * 8

    def test_equal_samples_have_no_error(self) -> None:
        tally = self.counted(np.full((2, 200), 0.5))
        assert tally.sigma()[1].tolist() == tally.sigma_error()[1].tolist() == [0.0, 0.0]


class TestHistogram:
    def test_counts_move_whole_when_larger_numbers_are_seen(self) -> None:
        """A histogram of 2^-23 … 1, and then numbers up to 2^11: the same as of all of them at once."""
        rng = np.random.default_rng(5)
        small = 2.0 ** rng.uniform(-23, 0, 4000) * rng.choice([-1, 1], 4000)
        for shift in (1, 11, 30, 60):
            large = 2.0 ** rng.uniform(0, shift, 50)
            merged, all_at_once = StreamingHistogram.of(small), StreamingHistogram.of(np.concatenate([small, large]))
            merged.add(StreamingHistogram.of(large))
            assert merged.n == 4050
            assert merged.top == all_at_once.top
            assert (merged.counts == all_at_once.counts).all()

    def test_bins_hold_their_numbers(self) -> None:
        x = np.array([-3.0, -0.001, 0.0, 0.0, 1e-9, 2.0, 2.02])
        low, high, counts = StreamingHistogram.of(x).bins
        assert counts.tolist() == [1, 1, 2, 1, 1, 1]
        assert (low[1:] >= high[:-1]).all()
        for value in x:
            assert ((low <= value) & (value <= high)).sum() >= 1
        assert (high - low)[[0, -1]].tolist() == [2.0 / 128] * 2  # 1/128 of the power of two below

    def test_points_are_interpolated_in_their_bin(self) -> None:
        """All of 8 samples in the bin 1 … 1 + 1/128: a share p is at p / 128 of it."""
        histogram = StreamingHistogram.of(np.full(8, 1.0))
        assert histogram.points((25.0, 50.0, 100.0)).tolist() == [1 + p / 128 for p in (0.25, 0.5, 1.0)]
        assert histogram.share_below(1 + 0.25 / 128) == 0.25
        assert histogram.share_below(1.0) == 0.0
        assert histogram.share_below(0.5) == 0.0
        assert histogram.share_below(1.5) == 1.0

    def test_nothing_has_one_edge_and_no_bars(self) -> None:
        edges, counts = StreamingHistogram.empty().bars()
        assert edges.tolist() == [0.0]
        assert counts.tolist() == []

    def test_few_bars_cover_the_middle_twice(self) -> None:
        x = np.linspace(-1.0, 1.0, 2001)
        edges, counts = StreamingHistogram.of(x).bars()
        width = edges[1] - edges[0]
        assert math.log2(width).is_integer()
        assert (edges / width == np.rint(edges / width)).all()
        assert 2 * 1.8 / 48 <= width < 2 * 2 * 1.8 / 48  # p95 − p5 = 1.8, between half of 48 bars and 48 for twice it
        assert edges[0] <= -1.0
        assert edges[-1] >= 1.0
        assert counts.sum() == 2001


class TestResults:
    def test_principal_moments_are_eigenvalues(self) -> None:
        rng = np.random.default_rng(7)
        tensors = rng.normal(size=(6, 300))
        expected = np.linalg.eigvalsh(full_tensors(tensors.T)).T
        assert _sample_principal_moments(tensors) == pytest.approx(expected, abs=1e-7)

    def test_equal_moments_have_numbers(self) -> None:
        rng = np.random.default_rng(8)
        axes = rng.normal(size=(400, 3))
        axes /= np.linalg.norm(axes, axis=1)[:, None]
        for along, across in ((1.0, 3.0), (3.0, 1.0), (2.0, 2.0)):  # rods, discs, balls about random axes
            full = across * np.eye(3) + (along - across) * np.einsum("ni,nj->nij", axes, axes)
            tensors = full[:, [0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]].T
            found = _sample_principal_moments(tensors)
            expected = np.sort([along, across, across])[:, None]
            assert np.abs(found - expected).max() < 1e-6
        assert _sample_principal_moments(np.array([[5.0], [5.0], [5.0], [0.0], [0.0], [0.0]])).ravel().tolist() == [
            5.0,
            5.0,
            5.0,
        ]

    def test_results_of_sums_about_a_point(self) -> None:
        """A body of 2 kg at (1, −2, 3) with a tensor of its own, seen from the origin and back."""
        own, c, m = np.array([7.0, 8.0, 9.0, 0.5, -0.4, 0.3]), np.array([1.0, -2.0, 3.0]), 2.0
        x, y, z = c
        arms = [y * y + z * z, x * x + z * z, x * x + y * y, -x * y, -x * z, -y * z]
        total = np.concatenate([[m], m * c, own + m * np.array(arms)])[:, None]
        found = _write_sample_results(total, np.empty((13, 1)))[:, 0]
        assert found == pytest.approx([m, *c, *own, *np.sqrt(own[:3] / m)])


class TestInputs:
    def test_absent_columns_are_rows_of_zeros(self) -> None:
        mass = np.array([1.0, 2.0])
        bare = input_rows(mass, None, None, np.zeros(2, bool))
        assert bare.tolist() == [[1.0, 2.0]] + [[0.0, 0.0]] * 9
        full = input_rows(mass, np.ones((2, 3)), np.ones((2, 6)), np.array([False, True]))
        assert full.tolist() == [[1.0, 2.0]] + [[1.0, 1.0]] * 3 + [[1.0, 0.0]] * 6

    def inputs(self, value: float, kind: str, shapes: InputShapes | None = None, sigma: float = 0.5) -> object:
        bodies = Bodies(np.full(2, value), np.zeros((2, 3)), np.full((2, 6), value), np.array([True, False]))
        sigmas = Sigmas(np.full(2, sigma), np.full((2, 3), sigma), np.full((2, 6), sigma))
        return InputDistributions.of(bodies, sigmas, shapes, kind)

    @pytest.mark.parametrize("value", [0.0, 0.3, 1.0, 5.0, -0.3, -5.0])
    def test_truncated_masses_and_moments_keep_their_sign(self, value: float) -> None:
        found = self.inputs(value, "truncated")
        assert isinstance(found, InputDistributions)
        assert found.bounds is not None
        for quantity in (0, 4, 5, 6):
            low, likely, high = found.bounds[:, quantity, 1].tolist()
            assert math.isnan(likely)
            if value >= 0:
                assert low == 0.0
                assert math.isnan(high)
            else:
                assert math.isnan(low)
                assert high == 0.0
        assert np.isnan(found.bounds[:, [1, 2, 3, 7, 8, 9]]).all()
        assert found.kind is not None
        assert (found.kind[:, 1] == _TRUNCATED).tolist() == [k in (0, 4, 5, 6) for k in range(10)]
        assert (found.kind[4:, 0] == NORMAL).all()

    def test_a_lognormal_needs_a_value_and_a_sigma(self) -> None:
        for value, sigma in ((0.0, 0.5), (3.0, 0.0)):
            found = self.inputs(value, "lognormal", sigma=sigma)
            assert isinstance(found, InputDistributions)
            assert found.kind is not None
            assert not found.kind.any()
            assert (found.varies() == (found.sigma != 0)).all()
            assert (found.scale == found.sigma).all()
        found = self.inputs(3.0, "lognormal")
        assert isinstance(found, InputDistributions)
        assert found.kind is not None
        assert (found.kind[:, 1] == LOGNORMAL).tolist() == [k in (0, 4, 5, 6) for k in range(10)]
        assert found.scale[:, 1].tolist() == [1.0 if k in (0, 4, 5, 6) else 0.5 for k in range(10)]

    def test_bounds_vary_without_a_sigma_and_points_have_no_bounds_of_a_tensor(self) -> None:
        one, two, three = (np.full(2, x) for x in (1.0, 2.0, 3.0))
        shapes = InputShapes(np.full(2, _UNIFORM, np.int8), {4: np.array([one, two, three])})
        found = self.inputs(2.0, "normal", shapes, sigma=0.0)
        assert isinstance(found, InputDistributions)
        assert found.bounds is not None
        assert np.isnan(found.bounds[:, 4, 0]).all()
        assert found.bounds[:, 4, 1].tolist() == [1.0, 2.0, 3.0]
        assert found.varies()[:, 1].tolist() == [k == 4 for k in range(10)]
        assert not found.varies()[:, 0].any()

    def test_normal_inputs_may_keep_odd_bounds(self) -> None:
        shapes = InputShapes(np.zeros(2, np.int8), {0: np.array([[3.0] * 2, [2.0] * 2, [1.0] * 2])})
        found = self.inputs(2.0, "normal", shapes)
        assert isinstance(found, InputDistributions)
        assert found.kind is None

    def test_a_cut_in_the_upper_tail_mirrors_the_lower(self) -> None:
        share = np.linspace(0.0, 1.0, 11)
        above = _InputDistribution(_TRUNCATED, 0.0, 1.0, 9.0, math.nan, 12.0)
        below = _InputDistribution(_TRUNCATED, 0.0, 1.0, -12.0, math.nan, -9.0)
        up, down = deviations_at_shares(above, share), deviations_at_shares(below, share)
        assert up == pytest.approx(-down[::-1], rel=1e-14)
        assert (up[0], up[-1]) == pytest.approx((9.0, 12.0))
        # share of the window that is above x: Phi(−x) less the rest
        left = [(normal_cdf(-x) - normal_cdf(-12.0)) / (normal_cdf(-9.0) - normal_cdf(-12.0)) for x in up[1:-1]]
        assert left == pytest.approx((1 - share)[1:-1], rel=1e-9)
        certain = _InputDistribution(_TRUNCATED, 1.0, 0.0, 0.0, 1.5, 3.0)
        assert deviations_at_shares(certain, share).tolist() == [0.5] * 11
        assert _deviates_between_cuts(-1.0, 1.0, np.array([0.0, 0.5, 1.0])) == pytest.approx([-1.0, 0.0, 1.0])

    @pytest.mark.parametrize("cut", [-1.5, 0.0, 2.0])
    def test_a_cut_on_one_side_leaves_the_other_open(self, cut: float) -> None:
        """Above a cut c the share p is at z with Phi(−z) = (1 − p) Phi(−c); below it mirrored."""
        share, nan = np.array([0.1, 0.5, 0.9]), math.nan
        value, sigma, likely = 10.0, 2.0, 11.0
        above = _InputDistribution(_TRUNCATED, value, sigma, likely + cut * sigma, likely, nan)
        below = _InputDistribution(_TRUNCATED, value, sigma, nan, likely, likely - cut * sigma)
        up = (value + deviations_at_shares(above, share) - likely) / sigma
        down = (value + deviations_at_shares(below, share) - likely) / sigma
        assert [normal_cdf(-z) for z in up] == pytest.approx((1 - share) * normal_cdf(-cut), rel=1e-12)
        assert [normal_cdf(z) for z in down] == pytest.approx(share * normal_cdf(-cut), rel=1e-12)
        free = _InputDistribution(_TRUNCATED, value, sigma, nan, nan, nan)
        assert [normal_cdf(z) for z in deviations_at_shares(free, share) / sigma] == pytest.approx(share)

    def test_quantiles_of_the_farthest_shares(self) -> None:
        z = np.linspace(-36.0, -0.1, 60)
        shares = np.array([normal_cdf(x) for x in z])
        assert _normal_quantiles(shares) == pytest.approx(z, rel=1e-12)
        upper = np.linspace(0.1, 4.0, 40)
        assert _normal_quantiles(np.array([normal_cdf(x) for x in upper])) == pytest.approx(upper, rel=1e-9)


class TestPieces:
    # 0 ─ 1 (twice) ─ 2 (three times), 3;  0 ─ 4 (0 times) ─ 5
    TREE = Tree.from_parents([-1, 0, 1, 1, 0, 4])
    COUNT = np.array([1.0, 2.0, 3.0, 1.0, 0.0, -2.0])
    QUANTITY = ItemQuantity(COUNT, np.zeros(6, bool))

    def test_branches_are_repeated_piece_by_piece(self) -> None:
        item, parent, factor = piece_forest(self.TREE, self.QUANTITY, np.zeros(6, bool), self.TREE.is_leaf())
        assert item.tolist() == [0, 1, 1, 4, 2, 2, 2, 3, 2, 2, 2, 3, 5, 5]
        assert parent.tolist() == [-1, 0, 0, -1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3]
        assert factor.tolist() == [1.0, 1.0, 1.0, 0.0, *[1.0] * 8, -1.0, -1.0]

    def test_what_is_the_same_in_every_piece_is_multiplied(self) -> None:
        same = np.array([False, True, True, False, False, True])
        item, parent, factor = piece_forest(self.TREE, self.QUANTITY, same, self.TREE.is_leaf())
        assert item.tolist() == [0, 1, 4, 2, 3, 5]
        assert parent.tolist() == [-1, 0, -1, 1, 1, 2]
        assert factor.tolist() == [1.0, 2.0, 0.0, 3.0, 1.0, -2.0]

    def test_what_is_under_a_stated_assembly_is_hidden(self) -> None:
        for same in (np.zeros(6, bool), np.ones(6, bool)):
            ends = self.TREE.is_leaf()
            ends[1] = True
            item, parent, _ = piece_forest(self.TREE, self.QUANTITY, same, ends)
            assert (parent[item == 2] == -1).all()
            assert (item == 2).sum() == 1  # sampled for its own results
            assert (parent[item == 1] == 0).all()

    def test_a_measured_or_broken_quantity_is_one_piece(self) -> None:
        count = np.array([1.0, 2.5, 2.0, 1.0, 1.0, 2.0])
        quantity = ItemQuantity(count, np.array([False, False, True, False, False, False]))
        item, _, factor = piece_forest(self.TREE, quantity, np.zeros(6, bool), self.TREE.is_leaf())
        assert item.tolist() == [0, 1, 4, 2, 3, 5, 5]
        assert factor.tolist() == [1.0, 2.5, 1.0, 2.0, 1.0, 1.0, 1.0]

    def test_the_plan_adds_up_what_is_inside_first(self) -> None:
        ends = self.TREE.is_leaf()
        forest = piece_forest(self.TREE, self.QUANTITY, np.zeros(6, bool), ends)
        plan = sum_plan(forest, ~ends, np.array([3], np.int32))
        assert plan.assemblies.tolist() == [0, 1, 3, 4]
        assert sorted(plan.item.tolist()) == [0, 1, 1, 3, 4]
        for family, parent in enumerate(plan.parent.tolist()):
            assert parent == -1 or parent > family
        seen = {}
        for family, item in enumerate(plan.item.tolist()):
            inside = slice(int(plan.starts[family]), int(plan.starts[family + 1]))
            parts = sorted(zip(plan.part[inside].tolist(), plan.part_factor[inside].tolist(), strict=True))
            assert parts == {0: [], 1: [(2, 1.0)] * 3 + [(3, 1.0)], 3: [(3, 1.0)], 4: [(5, -1.0)] * 2}[item]
            if plan.row[family] >= 0:
                seen[item] = int(plan.row[family])
            parent = int(plan.parent[family])
            assert (int(plan.item[parent]) if parent >= 0 else None) == {0: None, 1: 0, 3: None, 4: None}[item]
        assert seen == {0: 0, 1: 1, 3: 2, 4: 3}
        assert (plan.row >= 0).sum() == 4  # the second copy of item 1 is not counted

    def test_the_largest_branch_is_added_up_first(self) -> None:
        """A comb whose every tooth is lighter than the rest of it: one sum waits at a time."""
        n = 41
        parent = np.full(n, -1, np.int32)
        parent[1::2] = np.arange(0, n - 1, 2)  # a tooth on every joint …
        parent[2::2] = np.arange(0, n - 1, 2)  # … and the next joint
        families = np.arange(n)
        order = _heaviest_first_order(families, parent, n).tolist()
        assert sorted(order) == families.tolist()
        place = {piece: k for k, piece in enumerate(order)}
        assert all(place[i] < place[int(parent[i])] for i in range(1, n))
        waiting = most = 0
        for piece in order:
            waiting += 1 - int((parent == piece).sum())
            most = max(most, waiting)
        assert most <= 2

    def test_pieces_are_alike_where_all_their_errors_are_shared(self) -> None:
        tree = Tree.from_parents([-1, 0, 0, 1, 2])
        bodies = Bodies(np.ones(5), np.zeros((5, 3)), np.ones((5, 6)), np.zeros(5, bool))
        sigmas = Sigmas(np.full(5, 0.1), np.zeros((5, 3)), np.zeros((5, 6)))
        group = np.array([NO_GROUP, NO_GROUP, NO_GROUP, 0, NO_GROUP], np.int32)
        given = InputDistributions.of(bodies, sigmas, None, "normal")
        ends = tree.is_leaf()
        shared = Correlation(group, ["g"])
        assert is_same_in_every_piece(tree, given, shared, ends).tolist() == [False, True, False, True, False]
        moved = Sigmas(sigmas.mass, np.full((5, 3), 0.1) * (np.arange(5) == 3)[:, None], sigmas.inertia)
        given = InputDistributions.of(bodies, moved, None, "normal")
        assert is_same_in_every_piece(tree, given, shared, ends).tolist() == [False] * 5
        with_centers = replace(shared, shares_centers=True)
        assert is_same_in_every_piece(tree, given, with_centers, ends).tolist() == [False, True, False, True, False]
        hidden = ends.copy()
        hidden[2] = True  # a stated assembly: what is below it does not go up
        certain = Sigmas(sigmas.mass * (np.arange(5) != 2), sigmas.center, sigmas.inertia)
        given = InputDistributions.of(bodies, certain, None, "normal")
        assert is_same_in_every_piece(tree, given, shared, hidden).tolist() == [True, True, True, True, False]


@pytest.mark.spread(3)
@pytest.mark.parametrize("quantity", range(10))
@pytest.mark.parametrize("shares_centers", [False, True])
def test_members_share_each_of_their_ten_errors(quantity: int, shares_centers: bool) -> None:
    """Two like parts in one group: the sum of two equal errors is 2 σ, of two of their own √2 σ."""
    tree, ten = Tree.from_parents([-1, 0, 0]), np.zeros((3, 10))
    ten[:, quantity] = 0.1
    bodies = Bodies(np.ones(3), np.zeros((3, 3)), np.full((3, 6), 5.0), np.zeros(3, bool))
    correlation = Correlation(np.array([NO_GROUP, 0, 0], np.int32), ["g"], shares_centers)
    inputs = RollupInputs.of(tree, bodies, Sigmas(ten[:, 0], ten[:, 1:4], ten[:, 4:]), correlation=correlation)
    found = simulate_tree(inputs, sampling=SampleOptions(samples=4000))
    size = 0.1 if quantity not in (1, 2, 3) else 0.05  # of a centre: the mean of two
    own = quantity in (1, 2, 3) and not shares_centers
    expected = size * (2**0.5 if own else 2.0)
    assert found.sigma[0, quantity] == pytest.approx(expected, rel=5 / math.sqrt(2 * 4000))


def test_an_item_that_does_not_exist_is_named_with_the_last() -> None:
    bodies, zero = Bodies(np.ones(3), None, None, np.zeros(3, bool)), Sigmas(np.ones(3), None, None)
    inputs = RollupInputs.of(Tree.from_parents([-1, 0, 0]), bodies, zero)
    for item in (3, -1):
        with pytest.raises(UsageError, match=rf"item does not exist: {item} \(the last is 2\)"):
            simulate_tree(inputs, watched=[item], sampling=SampleOptions(samples=2))
    assert simulate_tree(inputs, watched=[2], sampling=SampleOptions(samples=2)).watched[1].item == 2


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="Windows has no signal masks")
def test_interrupts_are_held_while_processes_start() -> None:
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    with _hold_interrupts():
        assert signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())
    assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == before


class TestAgreement:
    def rolled(self) -> Rollup:
        """Give one assembly of 10 kg: two parts of 5 kg, 4 m apart along x, with a tensor each."""
        center = np.array([[0.0] * 3, [-2.0, 1.0, 0.0], [2.0, 1.0, 0.0]])
        inertia = np.array([[0.0] * 6, *[[3.0, 4.0, 5.0, 0.5, 0.0, 0.0]] * 2])
        bodies = Bodies(np.array([0.0, 5.0, 5.0]), center, inertia, np.zeros(3, bool))
        sigmas = Sigmas(np.array([0.0, 0.3, 0.4]), np.full((3, 3), 0.01), np.full((3, 6), 0.02))
        return roll_up(RollupInputs.of(Tree.from_parents([-1, 0, 0]), bodies, sigmas))

    def compared(
        self, shift: dict[int, float], sigma: dict[int, float], samples: int = 10_000, **options: bool
    ) -> list[SampleDifference]:
        """Compare samples that differ in some results only; errors of the mean 0.001 and of sigmas 0.001."""
        rolled = self.rolled()
        assert rolled.sigmas is not None
        assert rolled.sigmas.center is not None
        assert rolled.sigmas.inertia is not None
        assert rolled.sigma_radii is not None
        first = np.concatenate(
            [[rolled.sigmas.mass[0]], rolled.sigmas.center[0], rolled.sigmas.inertia[0], rolled.sigma_radii[0]]
        )
        n = np.full((1, 13), samples)
        moved, spread = np.zeros((1, 13)), first[None].copy()
        for k, value in shift.items():
            moved[0, k] = value
        for k, value in sigma.items():
            spread[0, k] += value
        sampled = SampledRollup(
            SampleOptions(samples=samples), np.array([0], np.int32), moved, spread, np.zeros((1, 55)), (), moved,
            np.full((1, 13), 0.001), n,
        )  # fmt: skip
        shifts = np.array([0], np.int32), np.full((1, 9), 0.5)
        return list(sample_agreement(sampled, rolled, shifts, [0], **options).differences)

    def test_agreement_lists_nothing(self) -> None:
        assert self.compared({}, {}) == []
        assert self.compared({}, {0: 0.0039, 5: -0.0039}) == []

    def test_sigmas_beyond_four_errors_are_listed(self) -> None:
        found = self.compared({}, {0: 0.0111, 7: -0.0111})
        assert [(d.result, d.kind) for d in found] == [("mass", "sigma"), ("Ixy", "sigma")]
        assert found[0].expected == pytest.approx(0.5)
        assert found[0].errors_off == pytest.approx(11.1)
        assert found[1].errors_off == pytest.approx(-11.1)
        assert found[0].reason.startswith("mass is a linear sum")
        assert self.compared({}, {0: 0.0111}, is_bounded=True)[0].reason.startswith("bounds truncate")

    @pytest.mark.parametrize("result", [1, 3, 4, 9])
    def test_shifts_of_the_mean_are_held_against_second_order(self, result: int) -> None:
        (as_predicted,) = self.compared({result: 0.5}, {})
        assert as_predicted.kind == "mean"
        assert as_predicted.reason == "second order predicts a shift of +0.5"
        (more,) = self.compared({result: 0.9}, {})
        assert more.reason.startswith("second order predicts a shift of +0.5 only: ")

    def test_from_100_samples_on_differences_are_listed(self) -> None:
        assert len(self.compared({}, {0: 0.0111}, samples=100)) == 1
        assert self.compared({}, {0: 0.0111}, samples=99) == []

    def test_differences_that_do_not_matter_are_not_listed(self) -> None:
        """2 % of a sigma of 0.5 is 0.01, and 10 % of it 0.05: nine standard errors are less."""
        assert self.compared({}, {0: 0.009}) == []
        assert self.compared({0: 0.049}, {}) == []
        assert len(self.compared({0: 0.052}, {})) == 1

    def test_masses_and_radii_have_no_second_order(self) -> None:
        for result in (0, 10):
            (found,) = self.compared({result: 0.9}, {})
            assert "second order predicts" not in found.reason

    def test_relative_uncertainties_of_what_a_result_is_made_of(self) -> None:
        """Mass 0.5 of 10; a product has no size of its own; of a radius that of its moment."""
        rolled, sigmas = self.rolled(), np.arange(1.0, 14.0)
        assert rolled.bodies.inertia is not None
        assert rolled.radii is not None
        largest = float(rolled.radii[0].max())
        of_center = (4.0 / largest, "sigma of the centre of mass is {} of the radius of gyration")
        mass = (1.0 / 10.0, "sigma of the mass is {} of its value")
        izz = float(rolled.bodies.inertia[0, 2])
        assert izz == pytest.approx(2 * 5.0 + 10 * 4.0)
        moment = (7.0 / izz, "sigma of Izz is {} of its value")
        assert _relative_uncertainties(rolled, 0, 6, sigmas) == [mass, moment, of_center]
        assert _relative_uncertainties(rolled, 0, 12, sigmas) == [mass, moment, of_center]
        of_ixx = [mass, (5.0 / float(rolled.bodies.inertia[0, 0]), "sigma of Ixx is {} of its value"), of_center]
        assert _relative_uncertainties(rolled, 0, 4, sigmas) == of_ixx
        assert _relative_uncertainties(rolled, 0, 10, sigmas) == of_ixx
        for result in (1, 3, 7, 9):
            assert _relative_uncertainties(rolled, 0, result, sigmas) == [mass, of_center]

    def test_without_a_size_to_compare_with_the_samples_are_the_reason(self) -> None:
        bodies = Bodies(np.zeros(2), None, None, np.zeros(2, bool))
        rolled = roll_up(RollupInputs.of(Tree.from_parents([-1, 0]), bodies), method="none")
        ones = np.ones((1, 13))
        compared = Agreement(np.array([0], np.int32), ones, ones, ones, ones, ones, ones)
        assert _relative_uncertainties(rolled, 0, 1, ones[0]) == []
        assert _difference_cause(compared, rolled, 0, 1).startswith("the samples are enough to resolve")
        assert not compared.is_bounded

    def test_sizes_that_rounding_is_measured_by(self) -> None:
        rolled = self.rolled()
        assert rolled.radii is not None
        found = _nominal_sizes(rolled, np.array([0, 1], np.int32))
        assert found[0, 0] == 10.0
        assert found[1].tolist() == [5.0] + [2.0] * 3 + [5.0] * 6 + [1.0] * 3
        assert found[0, 4:10] == pytest.approx([50.0] * 6)
        placed = Bodies(np.array([0.0, 5.0]), np.array([[0.0] * 3, [3.0, -4.0, 1.0]]), None, np.zeros(2, bool))
        centers = roll_up(RollupInputs.of(Tree.from_parents([-1, 0]), placed), method="none")
        assert _nominal_sizes(centers, np.array([0], np.int32)).tolist() == [[5.0] + [4.0] * 3 + [0.0] * 9]
        bare = Bodies(np.array([0.0, -5.0]), None, None, np.zeros(2, bool))
        masses = roll_up(RollupInputs.of(Tree.from_parents([-1, 0]), bare), method="none")
        assert _nominal_sizes(masses, np.array([0], np.int32)).tolist() == [[5.0] + [0.0] * 12]
