"""An item as its leaves: gaps in them, gradients of results, sizes of terms, and how far apart moments are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from massprops_cli.bodies.bodies import Bodies, Sigmas
from massprops_cli.findings.finding import UsageError
from massprops_cli.rollups.inputs import NO_GROUP, PARAMETER_NAMES, Correlation, RollupInputs
from massprops_cli.rollups.leaf_sums import (
    MissingError,
    expected_shifts,
    flat_item,
    input_sigmas,
    item_magnitudes,
    leaf_gradients,
    reject_overflow,
    result_gradient,
)
from massprops_cli.rollups.rollup import roll_up
from massprops_cli.rollups.subtotals import _is_far_from_origin, label_subtotals, recompute_rollup, roll_up_column
from massprops_cli.rollups.variance_budget import GROUP_PART, JOINT_PART, LEAF_PART, variance_budget
from massprops_cli.trees.tree import ItemQuantity, Tree

# 0 ─ 1 ─ 3, 4;  0 ─ 2
TREE = Tree.from_parents([-1, 0, 0, 1, 1])
LEAVES = [3, 4, 2]


def bodies_of(**masks: Any) -> Bodies:
    rng = np.random.default_rng(2)
    inertia = np.column_stack([rng.uniform(8, 9, (5, 3)), rng.uniform(-1, 1, (5, 3))])
    return Bodies(rng.uniform(1, 3, 5), rng.uniform(-4, 4, (5, 3)), inertia, np.zeros(5, bool), **masks)


def sigmas_of(known: np.ndarray | None = None) -> Sigmas:
    rng = np.random.default_rng(3)
    ten = rng.uniform(0.1, 0.2, (5, 10))
    return Sigmas(ten[:, 0], ten[:, 1:4], ten[:, 4:], known)


def without(*items: int) -> np.ndarray:
    return ~np.isin(np.arange(5), items)


def unit_tensor(arm: np.ndarray) -> np.ndarray:
    full = (arm @ arm) * np.eye(3) - np.outer(arm, arm)
    return np.array([full[a, b] for a, b in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))])


def test_an_item_is_its_leaves_about_its_centre() -> None:
    bodies = bodies_of()
    flat = flat_item(RollupInputs.of(TREE, bodies), 0)
    assert bodies.center is not None
    assert bodies.inertia is not None
    assert sorted(flat.items.tolist()) == sorted(LEAVES)
    at = flat.items
    center = (bodies.mass[at] @ bodies.center[at]) / bodies.mass[at].sum()
    tensor = sum(bodies.inertia[i] + bodies.mass[i] * unit_tensor(bodies.center[i] - center) for i in at)
    assert flat.center == pytest.approx(center)
    assert flat.inertia == pytest.approx(tensor)
    assert flat.arm is not None
    assert bodies.center[at] - center == pytest.approx(flat.arm.T)


def test_leaves_that_lack_a_number() -> None:
    """A leaf without a tensor counts as a point mass, products without a sign leave those of the item unknown."""
    bodies = bodies_of(has_inertia=without(4), has_products=without(3))
    flat = flat_item(RollupInputs.of(TREE, bodies), 0)
    whole = flat_item(RollupInputs.of(TREE, bodies_of()), 0)
    assert flat.inertia is not None
    assert whole.inertia is not None
    assert bodies.inertia is not None
    assert flat.inertia[:3] == pytest.approx(whole.inertia[:3] - bodies.inertia[4, :3])
    assert np.isnan(flat.inertia[3:]).all()
    sub = flat_item(RollupInputs.of(TREE, bodies), 2)
    assert sub.inertia == pytest.approx(bodies.inertia[2])
    bodies = bodies_of(has_mass=without(3), has_center=without(4))
    inputs = RollupInputs.of(TREE, bodies)
    assert flat_item(inputs, 0).items.tolist() == [2]
    assert flat_item(inputs, 0, needs="mass").items.tolist() == [2, 4]
    for needs, words in (("center", "centre"), ("inertia", "centre")):
        with pytest.raises(MissingError, match=f"none of the 2 leaves has a {words}") as error:
            flat_item(inputs, 1, needs=needs)
        assert sorted(error.value.items.tolist()) == [3, 4]
    with pytest.raises(MissingError, match="none of the 1 leaves has a mass"):
        flat_item(inputs, 3, needs="mass")


def test_numbers_too_large_are_rejected_wherever_they_are() -> None:
    reject_overflow(np.ones(3))
    for bad in (np.inf, np.nan):
        with pytest.raises(UsageError, match="too large"):
            reject_overflow(np.array([1.0, bad]))


@pytest.mark.parametrize("needs", ["mass", "center", "inertia"])
def test_sigmas_of_leaves_as_far_as_needed(needs: str) -> None:
    bodies, sigmas = bodies_of(), sigmas_of()
    bodies.is_point[4] = True
    flat = flat_item(RollupInputs.of(TREE, bodies), 0)
    found = input_sigmas(flat, bodies, sigmas, needs)
    assert sigmas.center is not None
    assert sigmas.inertia is not None
    used = {"mass": 1, "center": 4, "inertia": 10}[needs]
    for column, item in zip(found.T, flat.items.tolist(), strict=True):
        ten = np.array([sigmas.mass[item], *sigmas.center[item], *sigmas.inertia[item] * (item != 4)])
        assert column.tolist() == [*ten[:used], *[0.0] * (10 - used)]


@pytest.mark.parametrize(("unknown", "fine"), [(0, ()), (1, ("mass",)), (3, ("mass",)), (4, ("mass", "center")),
                                               (9, ("mass", "center"))])  # fmt: skip
def test_an_unknown_sigma_of_a_leaf_is_a_gap_where_it_is_needed(unknown: int, fine: tuple[str, ...]) -> None:
    known = np.ones((5, 10), bool)
    known[3, unknown] = False
    bodies = bodies_of()
    flat = flat_item(RollupInputs.of(TREE, bodies), 0)
    for needs in ("mass", "center", "inertia"):
        if needs in fine:
            assert input_sigmas(flat, bodies, sigmas_of(known), needs).shape == (10, 3)
            continue
        with pytest.raises(MissingError, match="1 of 3 leaves have incomplete sigmas") as error:
            input_sigmas(flat, bodies, sigmas_of(known), needs)
        assert error.value.items.tolist() == [3]
    known[3] = False
    with pytest.raises(MissingError, match="1 of 3 leaves have no sigmas"):
        input_sigmas(flat, bodies, sigmas_of(known), "mass")
    bodies.is_point[3] = True
    known[3, :4] = True
    assert input_sigmas(flat, bodies, sigmas_of(known), "inertia").shape == (10, 3)


def test_gradients_are_differences_of_the_results() -> None:
    """Every result by every additive parameter of each leaf: its row brought down to the leaf's own centre."""
    bodies = bodies_of()
    inputs = RollupInputs.of(TREE, bodies)
    flat = flat_item(inputs, 0)
    assert bodies.center is not None
    assert bodies.inertia is not None
    for of in (*PARAMETER_NAMES, "kx", "ky", "kz", "I1", "I2", "I3"):
        row = result_gradient(of, flat)[1]
        found = leaf_gradients(row, flat.arm, len(flat))
        for k, item in enumerate(flat.items.tolist()):
            for place in (0, 1, 3, 4, 6, 8):
                values = []
                for sign in (1, -1):
                    mass, center, inertia = bodies.mass.copy(), bodies.center.copy(), bodies.inertia.copy()
                    step = sign * 1e-5
                    if place == 0:
                        mass[item] += step
                    elif place < 4:
                        center[item, place - 1] += step / mass[item]  # of the first moment
                    else:
                        inertia[item, place - 4] += step
                    changed = RollupInputs.of(TREE, Bodies(mass, center, inertia, bodies.is_point))
                    values.append(result_gradient(of, flat_item(changed, 0))[0])
                assert found[place, k] == pytest.approx((values[0] - values[1]) / 2e-5, rel=2e-5, abs=2e-7)


def test_radii_need_a_mass_and_a_moment() -> None:
    bodies = Bodies(np.array([0.0, 2.0]), np.zeros((2, 3)), np.array([[0.0] * 6, [0.0, 8.0, 8.0, 0, 0, 0]]),
                    np.zeros(2, bool))  # fmt: skip
    flat = flat_item(RollupInputs.of(Tree.from_parents([-1, 0]), bodies), 0)
    with pytest.raises(UsageError, match="kx is undefined: mass 2, moment of inertia 0"):
        result_gradient("kx", flat)
    value, row = result_gradient("kz", flat)
    assert value == 2.0
    assert row.tolist() == [-0.5, 0, 0, 0, 0, 0, 0.125, 0, 0, 0]  # −k²/(2 k m) and 1/(2 k m), k = 2, m = 2


def test_a_branch_as_a_tree_of_its_own() -> None:
    members, found, _ = TREE.branch(1, ItemQuantity.one_each(len(TREE)))
    assert sorted(members.tolist()) == [1, 3, 4]
    assert [int(p) for p in found.parent] == [-1, 0, 0]


def test_sizes_of_terms_by_hand() -> None:
    """Masses 3 at (1, 2, 0) twice and −2 at (−1, 0, 4): 6 − 2 = 4 kg, sizes 8 kg."""
    tree, center = Tree.from_parents([-1, 0, 0]), np.array([[0.0] * 3, [1.0, 2.0, 0.0], [-1.0, 0.0, 4.0]])
    inertia = np.array([[0.0] * 6, [1.0, 2, 3, -4, 5, -6], [1.0] * 6])
    bodies = Bodies(np.array([0.0, 3.0, -2.0]), center, inertia, np.array([False, False, True]))
    quantity = ItemQuantity(np.array([1.0, 2.0, 1.0]), np.zeros(3, bool))
    total = Bodies(np.array([4.0, 3.0, -2.0]), np.array([[2.0, 3.0, -2.0]] * 3), inertia, bodies.is_point)
    found = item_magnitudes(RollupInputs.of(tree, bodies, None, quantity), 0, total)
    assert found["mass"] == 8.0
    assert list(found.values())[1:4] == [1.0 * 8 / 4, 2.0 * 8 / 4, 4.0 * 8 / 4]
    own = 2 * np.array([1.0, 2, 3, 4, 5, 6])  # of a point none
    arms = np.abs(center[1:] - [2.0, 3.0, -2.0])
    x, y, z = arms.T
    size = np.array([6.0, 2.0])
    moved = [size @ (y * y + z * z), size @ (x * x + z * z), size @ (x * x + y * y), size @ (x * y), size @ (x * z),
             size @ (y * z)]  # fmt: skip
    assert list(found.values())[4:] == pytest.approx(own + moved, rel=0.01)  # and the rounding of the coordinates
    gone = Bodies(
        bodies.mass, center, None, bodies.is_point, np.array([True, True, False]), np.array([True, False, True])
    )
    found = item_magnitudes(RollupInputs.of(tree, gone, None, quantity), 0, total)
    assert found["mass"] == 6.0
    assert list(found.values())[1:4] == [1.0 * 6 / 4, 0.0, 4.0 * 6 / 4]
    assert list(found.values())[4:] == [0.0] * 6
    bare = item_magnitudes(
        RollupInputs.of(tree, Bodies(bodies.mass, None, None, bodies.is_point), None, quantity), 0, total
    )
    assert list(bare.values()) == [8.0, *[0.0] * 9]


def test_shifts_of_the_mean_below_a_stated_assembly_are_its_own() -> None:
    """Two masses of 2 kg at one place, sigma of a centre 0.3 along x: Iyy of both grows by 2·2·0.09 − 2·4·0.09/4."""
    tree = Tree.from_parents([-1, 0, 0, 1])
    bodies = Bodies(np.array([0.0, 2.0, 2.0, 9.0]), np.zeros((4, 3)), np.zeros((4, 6)), np.zeros(4, bool))
    spread = np.zeros((4, 3))
    spread[1:, 0] = 0.3
    spread[3, 0] = 5.0  # below the stated assembly: does not go up
    sigmas = Sigmas(np.zeros(4), spread, np.zeros((4, 6)))
    stated = np.array([False, True, False, False])
    inputs = RollupInputs.of(tree, bodies, sigmas, stated=stated)
    items, shift = expected_shifts(inputs, roll_up(inputs))
    at = items.tolist().index(0)
    grown = 2 * 2 * 0.09 - 2 * 4 * 0.09 / 4
    assert shift[at, 3:] == pytest.approx([0.0, grown, grown, 0.0, 0.0, 0.0])
    assert shift[at, :3].tolist() == [0.0] * 3


class TestBudget:
    def budget(self, sigma: np.ndarray, of: str) -> Any:
        """Give the budget of one part of 1 kg with principal moments 10, 11 and 13."""
        inertia = np.array([[0.0] * 6, [10.0, 11.0, 13.0, 0.0, 0.0, 0.0]])
        bodies = Bodies(np.array([0.0, 1.0]), np.zeros((2, 3)), inertia, np.zeros(2, bool))
        sigmas = Sigmas(np.zeros(2), np.zeros((2, 3)), np.vstack([np.zeros(6), sigma]))
        return variance_budget(RollupInputs.of(Tree.from_parents([-1, 0]), bodies, sigmas), of=of)

    def test_the_gap_is_that_to_the_neighbours_only(self) -> None:
        sigma = np.array([50.0, 0.1, 0.0, 0.0, 0.0, 0.0])
        assert self.budget(sigma, "I3").gap == pytest.approx(2.0 / 0.1)
        assert self.budget(sigma, "I2").gap == pytest.approx(1.0 / np.hypot(50.0, 0.1))
        assert self.budget(np.roll(sigma, 1), "I1").gap == pytest.approx(1.0 / 50.0)
        assert self.budget(np.array([0.1, 0.0, 50.0, 0, 0, 0]), "I1").gap == pytest.approx(1.0 / 0.1)
        assert self.budget(sigma, "Ixx").gap == np.inf

    def test_moments_without_sigmas_are_apart_or_equal(self) -> None:
        assert self.budget(np.zeros(6), "I1").gap == np.inf
        inertia = np.array([[0.0] * 6, [10.0, 10.5, 10.5, 0.0, 0.0, 0.0]])
        bodies = Bodies(np.array([0.0, 1.0]), np.zeros((2, 3)), inertia, np.zeros(2, bool))
        inputs = RollupInputs.of(
            Tree.from_parents([-1, 0]), bodies, Sigmas(np.ones(2), np.zeros((2, 3)), np.zeros((2, 6)))
        )
        assert variance_budget(inputs, of="I1").gap == np.inf
        assert variance_budget(inputs, of="I2").gap == variance_budget(inputs, of="I3").gap == 0.0

    def test_rows_of_leaves_of_a_group_and_of_coupled_groups(self) -> None:
        """Masses with sigmas 1, 2 (group 0), 3, 4 (group 1), 5, 6 (groups 2 and 3, correlated by 1/2)."""
        tree = Tree.from_parents([-1, *[0] * 7])
        matrix = np.tile(np.array([[1.0, 0.5], [0.5, 1.0]]), (10, 1, 1))
        group = np.array([NO_GROUP, NO_GROUP, 0, 0, 1, 2, 3, NO_GROUP], np.int32)
        shared = Correlation(group, list("abcd"), coupled=np.array([2, 3]), matrix=matrix)
        bodies = Bodies(np.ones(8), None, None, np.zeros(8, bool))
        sigmas = Sigmas(np.array([0.0, 1, 2, 3, 4, 5, 6, 0]), None, None)
        found = variance_budget(RollupInputs.of(tree, bodies, sigmas, correlation=shared))
        rows = dict(zip(zip(found.kind.tolist(), found.number.tolist(), strict=True), found.parts[0], strict=True))
        joint = 25 + 36 + 2 * 0.5 * 30
        expected = {
            (JOINT_PART, -1): joint,
            (GROUP_PART, 0): 25.0,
            (GROUP_PART, 1): 16.0,
            (LEAF_PART, 1): 1.0,
            (LEAF_PART, 7): 0.0,
        }
        assert rows == pytest.approx(expected)
        assert found.variance == pytest.approx(joint + 42)
        assert found.sigma == pytest.approx((joint + 42) ** 0.5)
        assert found.share.sum() == pytest.approx(1.0)
        members = {
            kind: found.flat.items[found.members(row)].tolist()
            for row, kind in enumerate(zip(found.kind, found.number, strict=True))
        }
        assert members == {(2, -1): [6, 5], (1, 0): [3, 2], (1, 1): [4], (0, 1): [], (0, 7): []}
        best, left = found.weighed(1)
        assert found.kind[best].tolist() == [JOINT_PART]
        assert left == pytest.approx(42**0.5)
        best, left = found.weighed(9, np.arange(len(found.kind)) == 0)
        assert len(best) == 3  # a row without a variance is not worth it, one that is done does not count
        assert left == pytest.approx(joint**0.5)
        row = list(rows).index((GROUP_PART, 0))
        assert np.isnan(found.slope[0, row])  # its members' sigmas differ
        row = list(rows).index((GROUP_PART, 1))
        assert (found.slope[0, row], found.input_sigmas[0, row]) == (1.0, 4.0)


class TestChanges:
    def test_far_is_measured_by_the_radius_of_each(self) -> None:
        """At 1e7 m the rounding of a coordinate is 2e-9 m: much for a radius of 1 m, little for one of 100 m."""
        bodies = Bodies(np.ones(2), np.array([[0.0] * 3, [0.0, 1e7, 0.0]]), np.ones((2, 6)), np.zeros(2, bool))
        assert _is_far_from_origin(bodies, np.array([0, 1]))
        assert not _is_far_from_origin(bodies, np.array([0]))
        assert bodies.inertia is not None
        bodies.inertia[1, 2] = 1e4
        assert not _is_far_from_origin(bodies, np.array([0, 1]))
        assert not _is_far_from_origin(Bodies(bodies.mass, bodies.center, None, bodies.is_point), np.array([1]))

    @pytest.mark.parametrize("method", ["covariance", "massprops", "none"])
    def test_a_change_gives_what_all_again_gives(self, method: str) -> None:
        tree = Tree.from_parents([-1, 0, 0, 1, 1, 2, 2, 6, 6])
        rng = np.random.default_rng(9)
        inertia = np.column_stack([rng.uniform(8, 9, (9, 3)), rng.uniform(-1, 1, (9, 3))])
        bodies = Bodies(rng.uniform(1, 3, 9), rng.uniform(-4, 4, (9, 3)), inertia, np.zeros(9, bool))
        ten = rng.uniform(0.1, 0.2, (9, 10))
        sigmas = Sigmas(ten[:, 0], ten[:, 1:4], ten[:, 4:])
        quantity = ItemQuantity(np.array([1.0, 2, 1, 3, 1, 0.5, 2, 1, 2]), np.arange(9) == 5)
        before = roll_up(RollupInputs.of(tree, bodies, sigmas, quantity), method=method)
        changed = Bodies(*(np.where((np.arange(9) == 7).reshape(-1, *[1] * (x.ndim - 1)), 1.5 * x, x)
                           for x in (bodies.mass, bodies.center, inertia)), bodies.is_point)  # fmt: skip
        count = quantity.count.copy()
        count[8] = 0.0
        after = RollupInputs.of(tree, changed, sigmas, ItemQuantity(count, quantity.measured))
        found = recompute_rollup(before, after, np.array([7, 8]))
        again = roll_up(after, method=method)
        assert found.items.tolist() == [6, 2, 0]
        assert found.after.mass == pytest.approx(again.bodies.mass[found.items])
        assert found.after.center == pytest.approx(again.bodies.center[found.items])
        assert found.after.inertia == pytest.approx(again.bodies.inertia[found.items])
        assert found.after_coverage.rows.tolist() == again.coverage.rows[found.items].tolist() == [1, 2, 4]
        assert found.before_coverage.rows.tolist() == [2, 3, 5]
        if method == "none":
            assert found.after_sigmas is None
        else:
            assert found.after_sigmas.mass == pytest.approx(again.sigmas.mass[found.items])
            assert found.after_sigmas.center == pytest.approx(again.sigmas.center[found.items])
            assert found.after_sigmas.inertia == pytest.approx(again.sigmas.inertia[found.items])

    def test_branches_next_to_a_change_keep_their_own_covariances(self) -> None:
        """Top(1, 2, 3: branches of one part each, 7: part that changes): the covariance is that of the four parts."""
        tree = Tree.from_parents([-1, 0, 0, 0, 1, 2, 3, 0])
        rng = np.random.default_rng(10)
        bodies = Bodies(rng.uniform(1, 3, 8), rng.uniform(-4, 4, (8, 3)), rng.uniform(8, 9, (8, 6)), np.zeros(8, bool))
        ten = rng.uniform(0.1, 0.9, (8, 10))
        sigmas = Sigmas(ten[:, 0], ten[:, 1:4], ten[:, 4:])
        before = roll_up(RollupInputs.of(tree, bodies, sigmas))
        changed = Bodies(bodies.mass * (1 + (np.arange(8) == 7)), bodies.center, bodies.inertia, bodies.is_point)
        found = recompute_rollup(before, RollupInputs.of(tree, changed, sigmas), np.array([7]))
        parts = np.arange(4, 8)
        assert found.after_sigmas is not None
        assert found.after_sigmas.mass == pytest.approx([np.sqrt((ten[parts, 0] ** 2).sum())])
        assert bodies.center is not None
        assert found.after.center is not None
        away = bodies.center[parts] - found.after.center[0]
        moved = (changed.mass[parts, None] * ten[parts, 1:4]) ** 2 + (ten[parts, :1] * away) ** 2
        assert found.after_sigmas.center is not None
        assert found.after_sigmas.center[0] == pytest.approx(np.sqrt(moved.sum(axis=0)) / changed.mass[parts].sum())


class TestSubtotals:
    def test_leaves_take_the_label_above_and_count_as_their_path_states(self) -> None:
        tree = Tree.from_parents([-1, 0, 0, 1, 1, 2])
        mass = np.array([0.0, 0, 0, 1.0, 10.0, 100.0])
        quantity = ItemQuantity(np.array([7.0, 2.0, 0.0, 3.0, 1.0, 1.0]), np.zeros(6, bool))
        inputs = RollupInputs.of(tree, Bodies(mass, None, None, np.zeros(6, bool)), None, quantity)
        found = label_subtotals(inputs, [["", "A", "B", "", " C ", ""]], method="none")
        assert found.labels == [("A",), ("C",)]
        assert found.rollup.bodies.mass[:2].tolist() == [2 * 3 * 1.0, 2 * 10.0]
        cost = found.column(np.array([np.nan, np.nan, np.nan, 5.0, 6.0, 7.0]), "sum")
        assert cost.values[:2].tolist() == [30.0, 12.0]
        assert cost.leaves[:2].tolist() == [1, 1]
        blank = label_subtotals(inputs, [[""] * 6], method="none")
        assert blank.labels == [("(no group)",)]
        assert blank.rollup.bodies.mass[0] == 26.0

    def test_a_stated_assembly_counts_in_the_place_of_its_leaves(self) -> None:
        tree = Tree.from_parents([-1, 0, 0, 1, 1])
        mass = np.array([0.0, 50.0, 3.0, 1.0, 10.0])
        stated = np.array([False, True, False, False, False])
        inputs = RollupInputs.of(tree, Bodies(mass, None, None, np.zeros(5, bool)), stated=stated)
        found = label_subtotals(inputs, [["", "A", "B", "", "C"]], method="none")
        assert found.labels == [("B",), ("A",), ("C",)]
        assert found.rollup.bodies.mass[:3].tolist() == [3.0, 50.0, 0.0]
        assert found.column(np.array([np.nan, np.nan, 3.0, 4.0, 5.0]), "sum").values[:3].tolist() == [3.0, 4.0, 5.0]
        assert tree.end_items(stated).tolist() == [False, True, True, False, False]
        assert tree.end_items(np.zeros(5, bool)).tolist() == [False, False, True, True, True]
        nested = np.array([False, True, False, True, False])
        assert tree.end_items(nested).tolist() == [False, True, True, False, False]

    def test_members_of_a_group_share_their_errors_in_every_subtotal(self) -> None:
        """Sigmas 3 and 4 that are shared make 7, of their own 5; one is under each label in the last column."""
        tree = Tree.from_parents([-1, 0, 0, 0])
        masses = Bodies(np.ones(4), None, None, np.zeros(4, bool))
        sigmas = Sigmas(np.array([0.0, 3.0, 4.0, 5.0]), None, None)
        for group, expected in (([-1, 0, 0, -1], 7.0), ([-1, -1, -1, -1], 5.0), ([-1, 0, -1, 0], 5.0)):
            shared = Correlation(np.array(group, np.int32), ["g"])
            inputs = RollupInputs.of(tree, masses, sigmas, correlation=shared)
            found = label_subtotals(inputs, [["", "A", "A", "B"]], method="covariance")
            assert found.rollup.sigmas is not None
            assert found.rollup.sigmas.mass[:2] == pytest.approx([expected, 5.0])

    def test_quantities_multiply_along_the_path(self) -> None:
        tree = Tree.from_parents([-1, 0, 1, 2])
        quantity = ItemQuantity(np.array([9.0, 2.0, 0.5, 3.0]), np.array([True, False, True, False]))
        found = tree.path_quantities(quantity)
        assert found.count.tolist() == [1.0, 2.0, 1.0, 3.0]
        assert found.measured.tolist() == [False, False, True, True]
        assert found.variance_weight().tolist() == [1.0, 2.0, 2.0 * 0.25, 2.0 * 0.25 * 3.0]

    def test_columns_ignore_what_is_not_known_or_not_held(self) -> None:
        tree = Tree.from_parents([-1, 0, 0, 0, 0])
        quantity = ItemQuantity(np.array([1.0, 2.0, 1.0, 0.0, 3.0]), np.zeros(5, bool))
        values, mass = np.array([99.0, 4.0, np.nan, 1000.0, -1.0]), np.array([0.0, 1.0, 5.0, 5.0, np.nan])
        expected = {"sum": 8.0 - 3.0, "max": 4.0, "min": -1.0, "mean": 4.0, "rss": (2 * 16 + 3.0) ** 0.5}
        for way, value in expected.items():
            found = roll_up_column(tree, values, way, quantity, mass)
            assert found.values[0] == pytest.approx(value)
            assert (int(found.known[0]), int(found.leaves[0])) == (2, 3)
            nothing = roll_up_column(tree, np.full(5, np.nan), way, quantity, mass)
            assert np.isnan(nothing.values[0])
            assert nothing.known[0] == 0


def test_the_mean_of_a_centre_moves_away_from_uncertain_masses() -> None:
    """−Σ s_m² (c_i − c) / M² on every axis: masses 1 and 3 with sigmas 0.2 and 0.3."""
    tree, center = Tree.from_parents([-1, 0, 0]), np.array([[0.0] * 3, [1.0, -2.0, 5.0], [2.0, 4.0, -3.0]])
    bodies = Bodies(np.array([0.0, 1.0, 3.0]), center, np.zeros((3, 6)), np.zeros(3, bool))
    sigmas = Sigmas(np.array([0.0, 0.2, 0.3]), np.zeros((3, 3)), np.zeros((3, 6)))
    inputs = RollupInputs.of(tree, bodies, sigmas)
    middle = (center[1] + 3 * center[2]) / 4
    expected = -(0.04 * (center[1] - middle) + 0.09 * (center[2] - middle)) / 16
    assert expected_shifts(inputs, roll_up(inputs))[1][0, :3] == pytest.approx(expected)


def test_arms_run_from_the_centre_where_a_mass_is_removed() -> None:
    """Masses 3 at x = 0 and −1 at x = 4: the centre is at −4/2 = −2, outside of both."""
    center = np.array([[0.0] * 3, [0.0] * 3, [4.0, 0.0, 0.0]])
    bodies = Bodies(np.array([0.0, 3.0, -1.0]), center, None, np.zeros(3, bool))
    flat = flat_item(RollupInputs.of(Tree.from_parents([-1, 0, 0]), bodies), 0, needs="center")
    assert flat.arm is not None
    assert flat.center is not None
    assert flat.center.tolist() == [-2.0, 0.0, 0.0]
    assert flat.arm[0].tolist() == [2.0, 6.0]


def test_item_without_counted_leaves_is_a_wrong_call() -> None:
    none = ItemQuantity(np.array([1.0, 0, 0, 1, 1]), np.zeros(5, bool))
    with pytest.raises(UsageError, match="no counted leaves"):
        flat_item(RollupInputs.of(TREE, bodies_of(), quantity=none), 0)


def test_gap_in_tensors_is_a_gap_in_their_sigmas() -> None:
    bodies = bodies_of(has_inertia=without(4))
    inputs = RollupInputs.of(TREE, bodies, sigmas_of())
    flat = flat_item(inputs, 0, needs="center")
    with pytest.raises(MissingError, match="no inertia and no sigmas of inertia"):
        input_sigmas(flat, bodies, sigmas_of(), "inertia")
    assert input_sigmas(flat, bodies, sigmas_of(), "center").shape == (10, 3)


def test_columns_of_the_largest_inputs() -> None:
    """Derivative and sigma of the largest input of each row: their product squared is its part of the variance."""
    inputs = RollupInputs.of(TREE, bodies_of(), sigmas_of())
    budget = variance_budget(inputs)
    assert budget.derivative == pytest.approx(np.ones(3))
    assert sorted(budget.input_sigma) == pytest.approx(sorted(sigmas_of().mass[LEAVES]))
