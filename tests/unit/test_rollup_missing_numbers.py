"""Masks of missing numbers one at a time: which results they reach, and what is put in their place."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from massprops_cli.bodies.bodies import Bodies, Sigmas
from massprops_cli.findings.finding import UsageError
from massprops_cli.rollups.inputs import (
    Correlation,
    RollupInputs,
    SampleOptions,
    is_placed_body,
    known_mass_part,
    known_products,
    known_sigmas,
    placed_part,
    tree_coverage,
)
from massprops_cli.rollups.montecarlo.simulation import _known_results, simulate_tree
from massprops_cli.rollups.rollup import roll_up
from massprops_cli.rollups.subtotals import recompute_rollup
from massprops_cli.trees.tree import ItemQuantity, Tree

PAIR = Tree.from_parents([-1, 0, 0])
PARTS = np.array(
    [[2.0, 1.0, -2.0, 3.0, 7.0, 8.0, 9.0, 0.5, -0.4, 0.3], [5.0, -1.5, 0.7, 2.0, 6.0, 5.0, 4.0, 0.2, 0.6, -0.1]]
)
"""Mass, centre and tensor of two parts, none of them 0 or equal."""


def pair(**masks: Any) -> Bodies:
    """Put the two parts under a root."""
    ten = np.vstack([np.zeros(10), PARTS])
    return Bodies(ten[:, 0].copy(), ten[:, 1:4].copy(), ten[:, 4:].copy(), np.zeros(3, bool), **masks)


def sigmas_of(known: np.ndarray | None = None, n: int = 3) -> Sigmas:
    return Sigmas(np.full(n, 0.1), np.full((n, 3), 0.2), np.full((n, 6), 0.3), known)


def total_of(parts: np.ndarray) -> np.ndarray:
    """Give mass, centre and tensor of parts by their definitions, entry by entry."""
    mass = parts[:, 0].sum()
    center = (parts[:, :1] * parts[:, 1:4]).sum(axis=0) / mass
    x, y, z = (parts[:, 1:4] - center).T
    arms = [y * y + z * z, x * x + z * z, x * x + y * y, -x * y, -x * z, -y * z]
    tensor = [(own + parts[:, 0] * arm).sum() for own, arm in zip(parts[:, 4:].T, arms, strict=True)]
    return np.array([mass, *center, *tensor])


@pytest.mark.parametrize("k", range(10))
def test_an_unknown_sigma_reaches_what_changes_with_its_input(k: int) -> None:
    step = np.zeros_like(PARTS)
    step[1, k] = 1e-3
    changes = np.abs(total_of(PARTS + step) - total_of(PARTS - step)) > 1e-9
    known = np.ones((3, 10), bool)
    known[2, k] = False
    found = known_sigmas(RollupInputs.of(PAIR, pair(), sigmas_of(known)))
    assert found[0].tolist() == (~changes).tolist()
    assert found[1].all()
    assert found[2].tolist() == known[2].tolist()


def test_absent_columns_of_sigmas_are_unknown_where_there_are_values() -> None:
    bodies, whole = pair(), sigmas_of()
    no_centers = known_sigmas(RollupInputs.of(PAIR, bodies, Sigmas(whole.mass, None, whole.inertia)))
    assert no_centers[1].tolist() == [True] + [False] * 3 + [True] * 6
    assert no_centers[0].tolist() == [True] + [False] * 9
    no_tensors = known_sigmas(RollupInputs.of(PAIR, bodies, Sigmas(whole.mass, whole.center, None)))
    assert no_tensors[:2].tolist() == [[True] * 4 + [False] * 6] * 2
    masses = Bodies(bodies.mass, None, None, bodies.is_point)
    assert known_sigmas(RollupInputs.of(PAIR, masses, Sigmas(whole.mass, None, None)))[1:].all()


def test_points_need_no_sigmas_of_a_tensor() -> None:
    bodies = pair(has_inertia=np.array([True, False, False]))
    bodies.is_point[1] = True
    known = np.ones((3, 10), bool)
    known[1, 4:] = False
    found = known_sigmas(RollupInputs.of(PAIR, bodies, sigmas_of(known)))
    assert found[1].all()
    assert found[2].tolist() == [True] * 4 + [False] * 6


def test_a_leaf_that_is_left_out_leaves_no_sigma_unknown() -> None:
    known = np.ones((3, 10), bool)
    known[2] = False
    quantity = ItemQuantity(np.array([1.0, 1.0, 0.0]), np.zeros(3, bool))
    assert known_sigmas(RollupInputs.of(PAIR, pair(), sigmas_of(known), quantity))[0].all()


def test_masses_alone_keep_their_sigmas_whatever_is_known_of_the_rest() -> None:
    known = np.array([[True] * 10, [True] + [False] * 9, [False] + [True] * 9])
    bodies = pair(has_mass=np.array([True, True, False]))
    bodies.is_point[1] = True
    part = known_mass_part(RollupInputs.of(PAIR, bodies, sigmas_of(known)))
    assert part.bodies.mass.tolist() == [0.0, 2.0, 0.0]
    assert not part.bodies.is_point.any()
    assert part.sigmas is not None
    assert part.sigmas.mass.tolist() == [0.1, 0.1, 0.0]
    whole = known_mass_part(RollupInputs.of(PAIR, bodies, sigmas_of()))
    assert whole.sigmas is not None
    assert whole.sigmas.mass.tolist() == [0.1, 0.1, 0.0]


def test_what_has_no_place_gets_no_mass_no_sigmas_and_a_place_nearby() -> None:
    tree = Tree.from_parents([-1, 0, 0, 0])
    ten = np.vstack([np.zeros(10), PARTS, PARTS[:1]])
    has_center, has_inertia = np.array([True, True, False, True]), np.array([True, True, True, False])
    bodies = Bodies(ten[:, 0], ten[:, 1:4], ten[:, 4:], np.zeros(4, bool), None, has_center, has_inertia)
    bodies.is_point[1:3] = True
    known = np.ones((4, 10), bool)
    known[1, 2], known[1, 0], known[3, 9] = False, False, False
    part = placed_part(RollupInputs.of(tree, bodies, sigmas_of(known, 4)))
    assert part.bodies.mass.tolist() == [0.0, 2.0, 0.0, 2.0]
    assert part.bodies.center is not None
    assert part.bodies.inertia is not None
    assert part.bodies.center[2].tolist() == PARTS[0, 1:4].tolist()
    assert part.bodies.center[[1, 3]].tolist() == [PARTS[0, 1:4].tolist()] * 2
    assert part.bodies.inertia[1].tolist() == PARTS[0, 4:].tolist()
    assert part.bodies.inertia[2:].tolist() == [[0.0] * 6] * 2
    assert part.bodies.is_point.tolist() == [False, True, False, False]
    assert part.sigmas is not None
    assert part.sigmas.mass[1:].tolist() == [0.0, 0.0, 0.1]
    assert part.sigmas.center is not None
    assert part.sigmas.inertia is not None
    assert part.sigmas.center[1:].tolist() == [[0.2, 0.0, 0.2], [0.0] * 3, [0.2] * 3]
    assert part.sigmas.inertia[1:].tolist() == [[0.3] * 6, [0.0] * 6, [0.3] * 5 + [0.0]]


@pytest.mark.parametrize("missing", [1, 2])
def test_one_known_leaf_is_enough_for_a_bound(missing: int) -> None:
    has_mass = np.arange(3) != missing
    covered = tree_coverage(RollupInputs.of(PAIR, pair(has_mass=has_mass)))
    assert (bool(covered.mass_is_bound[0]), bool(covered.moments_are_bounds[0])) == (True, True)
    assert [int(x[0]) for x in (covered.rows, covered.known_mass, covered.known_center, covered.known_inertia)] == [
        2,
        1,
        1,
        1,
    ]


def test_no_known_leaf_is_no_bound() -> None:
    covered = tree_coverage(RollupInputs.of(PAIR, pair(has_mass=np.array([True, False, False]))))
    assert (bool(covered.mass_is_bound[0]), bool(covered.moments_are_bounds[0])) == (False, False)
    assert np.isnan(covered.mass_share_center[0])


def test_whole_tables_are_covered_as_far_as_their_columns_go() -> None:
    bodies = pair()
    masses = tree_coverage(RollupInputs.of(PAIR, Bodies(bodies.mass, None, None, bodies.is_point)))
    assert masses.known_mass.tolist() == [2, 1, 1]
    for counts in (masses.known_center, masses.known_inertia, masses.known_sigma):
        assert counts.tolist() == [0, 0, 0]
    assert masses.mass_share_center.tolist() == masses.mass_share_inertia.tolist() == [0.0] * 3
    placed = tree_coverage(
        RollupInputs.of(PAIR, Bodies(bodies.mass, bodies.center, None, bodies.is_point), sigmas_of())
    )
    assert placed.known_center.tolist() == placed.known_sigma.tolist() == [2, 1, 1]
    assert placed.mass_share_center.tolist() == [1.0] * 3
    assert placed.mass_share_inertia.tolist() == [0.0] * 3
    assert not placed.mass_is_bound.any()
    assert not placed.moments_are_bounds.any()


def test_nothing_is_placed_without_columns_of_centres() -> None:
    assert is_placed_body(Bodies(np.array([1.0, 0.0]), None, None, np.zeros(2, bool))).tolist() == [False, False]


def test_products_without_a_sign_reach_the_assemblies_that_are_made_of_them() -> None:
    tree = Tree.from_parents([-1, 0, 0, 1, 2])
    bodies = Bodies(np.ones(5), np.zeros((5, 3)), np.ones((5, 6)), np.zeros(5, bool))
    whole = RollupInputs.of(tree, bodies)
    assert known_products(whole) is None
    without_sign = Bodies(*(getattr(bodies, name) for name in ("mass", "center", "inertia", "is_point")), *[None] * 3,
                          np.array([True, True, True, True, False]))  # fmt: skip
    found = known_products(RollupInputs.of(tree, without_sign))
    assert found is not None
    assert found.tolist() == [False, True, False, True, False]


def test_below_a_stated_assembly_all_masses_count() -> None:
    """Top(1: A, stated as 50 (2: 4 kg, 3: 2 kg without a place)): below A are 6 kg, the centre is that of 4 kg."""
    tree = Tree.from_parents([-1, 0, 1, 1])
    center = np.array([[0.0] * 3, [9.0] * 3, [1.0, 2, 3], [0.0] * 3])
    has_center = np.array([True, True, True, False])
    bodies = Bodies(np.array([0, 50.0, 4.0, 2.0]), center, None, np.zeros(4, bool), None, has_center)
    stated = np.array([False, True, False, False])
    rolled = roll_up(RollupInputs.of(tree, bodies, stated=stated), method="none")
    assert rolled.below is not None
    assert rolled.below.center is not None
    assert rolled.below.mass[1] == 6.0
    assert rolled.below.center[1].tolist() == [1.0, 2.0, 3.0]
    assert rolled.bodies.mass[0] == 50.0
    assert rolled.bodies.center is not None
    assert rolled.bodies.center[0].tolist() == [9.0] * 3


@pytest.mark.parametrize("shares", [False, True])
def test_the_covariance_holds_the_variance_of_all_masses(shares: bool) -> None:
    """Sigmas 3 and 4, one of them of a mass without a place: 25 in all, and 4 m (m = 2) of what has one."""
    has_center = np.array([True, True, False])
    bodies = pair(has_center=has_center)
    sigmas = Sigmas(np.array([0, 3.0, 4.0]), np.full((3, 3), 0.5), np.zeros((3, 6)))
    group = np.array([-1, 0, -1], np.int32) if shares else np.full(3, -1, np.int32)
    rolled = roll_up(RollupInputs.of(PAIR, bodies, sigmas, correlation=Correlation(group, ["g"])))
    found = rolled.covariance_of(0)
    assert found[0, 0] == pytest.approx(25.0)
    assert np.diag(found)[1:4] == pytest.approx([1.0] * 3)
    assert rolled.sigmas is not None
    assert rolled.sigmas.mass[0] == pytest.approx(5.0)
    if shares:
        assert np.isnan(found[0, 1:]).all()
    else:
        assert found[0, 1:] == pytest.approx([0.0] * 9)


def test_the_covariance_of_a_part_is_that_of_its_own_numbers() -> None:
    bodies = pair()
    bodies.is_point[2] = True
    rolled = roll_up(RollupInputs.of(PAIR, bodies, sigmas_of()))
    assert rolled.covariance_of(1) == pytest.approx(np.diag([0.1**2] + [(2 * 0.2) ** 2] * 3 + [0.3**2] * 6))
    assert rolled.covariance_of(2) == pytest.approx(np.diag([0.1**2] + [(5 * 0.2) ** 2] * 3 + [0.0] * 6))
    by_level = roll_up(RollupInputs.of(PAIR, bodies, sigmas_of()), method="massprops")
    assert by_level.covariance_of(1) == pytest.approx(rolled.covariance_of(1))
    masses = Bodies(bodies.mass, None, None, np.zeros(3, bool))
    of_mass = roll_up(RollupInputs.of(PAIR, masses, Sigmas(np.full(3, 0.1), None, None)))
    assert of_mass.covariance_of(1) == pytest.approx(np.diag([0.1**2] + [0.0] * 9))
    assert not roll_up(RollupInputs.of(PAIR, bodies), method="none").covariance_of(0).any()


def test_results_that_samples_have() -> None:
    masks = {
        "has_mass": np.array([True, True, False]),
        "has_center": np.array([True, False, True]),
        "has_inertia": np.array([True, True, True]),
    }
    known = _known_results(roll_up(RollupInputs.of(PAIR, pair(**masks)), method="none"))
    # only masses that have a place are drawn; a radius needs a mass and a moment
    assert known[1].tolist() == [False] * 4 + [True] * 9
    assert known[2].tolist() == [False] + [True] * 9 + [False] * 3
    no_tensor = pair(has_inertia=np.array([True, False, True]), has_products=np.array([True, True, False]))
    known = _known_results(roll_up(RollupInputs.of(PAIR, no_tensor), method="none"))
    assert known[1].tolist() == [True] * 4 + [False] * 9
    assert known[2].tolist() == [True] * 7 + [False] * 3 + [True] * 3
    masses = _known_results(
        roll_up(RollupInputs.of(PAIR, Bodies(np.ones(3), None, None, np.zeros(3, bool))), method="none")
    )
    assert masses.tolist() == [[True] + [False] * 12] * 3


def test_samples_leave_out_what_rests_on_an_unknown_sigma() -> None:
    """Without sigma_Ixy of a part the total's Ixy is blank, not its radii; without sigma_Izz its kz is blank too."""
    for unknown, blank in ((7, {7}), (6, {6, 12})):
        known = np.ones((3, 10), bool)
        known[2, unknown] = False
        found = simulate_tree(RollupInputs.of(PAIR, pair(), sigmas_of(known)), sampling=SampleOptions(samples=20))
        assert set(np.flatnonzero(np.isnan(found.sigma[0])).tolist()) == blank
        assert set(np.flatnonzero(np.isnan(found.mean[0])).tolist()) == blank


def test_a_branch_whose_masses_cancel_goes_up_about_its_pole() -> None:
    """By hand: masses +2 at x = 0 and −2 at x = 4 (pole 2), and 10 at x = 1; the centre is at 2/10.

    About the pole the branch has var h = (2·0.1)² + 0.3²·2² + (2·0.1)² + 0.4²·2² = 1.08 and var m = 0.25; about the
    centre of all 1.08 + 0.25·1.8² + (10·0.1)² + 0.5²·0.8² = 3.05.
    """
    tree = Tree.from_parents([-1, 0, 0, 1, 1])
    center = np.zeros((5, 3))
    center[:, 0] = 0.0, 0.0, 1.0, 0.0, 4.0
    bodies = Bodies(np.array([0, 0, 10.0, 2.0, -2.0]), center, None, np.zeros(5, bool))
    sigmas = Sigmas(np.array([0, 0, 0.5, 0.3, 0.4]), np.full((5, 3), 0.1), None)
    rolled = roll_up(RollupInputs.of(tree, bodies, sigmas), method="massprops")
    assert rolled.bodies.center is not None
    assert rolled.bodies.center[0] == pytest.approx([0.2, 0.0, 0.0])
    assert rolled.cancelled.tolist() == [False, True, False, False, False]
    assert rolled.sigmas is not None
    assert rolled.sigmas.center is not None
    assert rolled.sigmas.center[0, 0] == pytest.approx(3.05**0.5 / 10)


def test_a_change_next_to_a_branch_that_counts_nothing() -> None:
    """Top(1: A(3: 7 kg, taken 0 times), 2: part): all that is known of the top is the part."""
    tree = Tree.from_parents([-1, 0, 0, 1])
    ten = np.vstack([np.zeros((2, 10)), PARTS])
    bodies = Bodies(ten[:, 0], ten[:, 1:4], ten[:, 4:], np.zeros(4, bool))
    quantity = ItemQuantity(np.array([1.0, 1.0, 1.0, 0.0]), np.zeros(4, bool))
    before = roll_up(RollupInputs.of(tree, bodies, sigmas_of(None, 4), quantity))
    mass = bodies.mass.copy()
    mass[2] = 11.0
    changed = Bodies(mass, bodies.center, bodies.inertia, bodies.is_point)
    found = recompute_rollup(before, RollupInputs.of(tree, changed, sigmas_of(None, 4), quantity), np.array([2]))
    assert found.items.tolist() == [0]
    assert found.after.mass[0] == 11.0
    assert found.after.center is not None
    assert found.after.inertia is not None
    assert found.after.center[0].tolist() == PARTS[0, 1:4].tolist()
    assert found.after.inertia[0] == pytest.approx(PARTS[0, 4:])
    assert found.after.has_center is None or found.after.has_center[0]
    assert found.after_sigmas is not None
    assert found.after_sigmas.known is None or found.after_sigmas.known[0].all()
    assert found.after_sigmas.mass[0] == pytest.approx(0.1)


def test_an_assembly_of_unknown_masses_has_none() -> None:
    """Top(1: A(3: no mass), 2: part, 4: no tensor): A has nothing, the top what the others have."""
    tree = Tree.from_parents([-1, 0, 0, 1, 0])
    ten = np.vstack([np.zeros((2, 10)), PARTS, PARTS[:1]])
    has_mass, has_inertia = np.arange(5) != 3, np.arange(5) != 4
    bodies = Bodies(ten[:, 0], ten[:, 1:4], ten[:, 4:], np.zeros(5, bool), has_mass, None, has_inertia)
    found = roll_up(RollupInputs.of(tree, bodies), method="none").bodies
    assert found.has_mass is not None
    assert found.has_center is not None
    assert found.has_inertia is not None
    assert found.has_mass.tolist() == [True, False, True, False, True]
    assert found.has_center.tolist() == [True, False, True, True, True]
    assert found.has_inertia.tolist() == [True, False, True, True, False]


def test_moments_of_masses_that_cancel_are_no_bound() -> None:
    """Masses 2 and −2 have no centre, so that a third one without a number leaves nothing to add to."""
    tree = Tree.from_parents([-1, 0, 0, 0])
    ten = np.vstack([np.zeros(10), PARTS[0], PARTS[0], PARTS[1]])
    ten[2, 0] = -2.0
    bodies = Bodies(ten[:, 0], ten[:, 1:4], ten[:, 4:], np.zeros(4, bool), np.arange(4) != 3)
    covered = tree_coverage(RollupInputs.of(tree, bodies))
    assert (bool(covered.mass_is_bound[0]), bool(covered.moments_are_bounds[0])) == (True, False)
    ten[2, 0] = -1.9
    covered = tree_coverage(RollupInputs.of(tree, bodies))
    assert bool(covered.moments_are_bounds[0])


def test_sigmas_of_a_tensor_may_be_absent_where_no_part_has_a_place() -> None:
    bodies = Bodies(np.array([0.0, 3.0, 4.0]), None, np.ones((3, 6)), np.zeros(3, bool))
    rolled = roll_up(RollupInputs.of(PAIR, bodies, Sigmas(np.array([0.0, 0.3, 0.4]), None, None)))
    assert rolled.sigmas is not None
    assert rolled.sigmas.mass[0] == pytest.approx(0.5)
    assert rolled.sigmas.center is None
    assert rolled.sigmas.inertia is None
    rolled = roll_up(RollupInputs.of(PAIR, bodies, Sigmas(np.full(3, 0.1), None, np.full((3, 6), 0.2))))
    assert rolled.sigmas is not None
    assert rolled.sigmas.known is not None
    assert rolled.sigmas.known.tolist() == [[True] + [False] * 9, [True] * 10, [True] * 10]
    assert rolled.sigmas.inertia is not None
    assert rolled.sigmas.inertia.tolist() == [[0.0] * 6, [0.2] * 6, [0.2] * 6]
    known = np.ones((3, 10), bool)
    known[2, 0] = known[1, 5] = False
    rolled = roll_up(RollupInputs.of(PAIR, bodies, Sigmas(np.full(3, 0.1), None, np.full((3, 6), 0.2), known)))
    assert rolled.sigmas is not None
    assert rolled.sigmas.known is not None
    assert rolled.sigmas.known[:, 0].tolist() == [False, True, False]
    assert rolled.sigmas.known[1:, 5].tolist() == [False, True]


def test_without_correlation_there_are_no_factors() -> None:
    assert Correlation.none(3).factors().shape == (10, 0, 0)


@pytest.mark.parametrize("method", ["covariance", "massprops"])
def test_a_branch_whose_masses_cancel_has_a_sigma_of_mass_only(method: str) -> None:
    tree = Tree.from_parents([-1, 0, 0, 1, 1])
    ten = np.vstack([np.zeros((2, 10)), PARTS[0], PARTS[1], PARTS[1]])
    ten[4, 0] *= -1
    bodies = Bodies(ten[:, 0], ten[:, 1:4], ten[:, 4:], np.zeros(5, bool))
    found = roll_up(RollupInputs.of(tree, bodies, sigmas_of(None, 5)), method=method).sigmas
    assert found is not None
    assert found.center is not None
    assert found.inertia is not None
    assert found.mass[1] == pytest.approx(0.1 * 2**0.5)
    assert np.isnan(found.center).all(axis=1).tolist() == [False, True, False, False, False]
    assert np.isnan(found.inertia).all(axis=1).tolist() == [False, True, False, False, False]


@pytest.mark.parametrize("unknown", [0, 5])
def test_the_sigma_of_a_radius_needs_those_of_the_mass_and_of_the_moment(unknown: int) -> None:
    known = np.ones((3, 10), bool)
    known[2, unknown] = False
    found = roll_up(RollupInputs.of(PAIR, pair(), sigmas_of(known))).sigma_radii
    assert found is not None
    of_part = [unknown == 0, True, unknown == 0]
    assert np.isnan(found).tolist() == [of_part, [False] * 3, of_part]


def test_what_has_no_sigmas_adds_nothing_to_a_covariance() -> None:
    """Masses with sigmas 3 and 4 and certain places: of the first moments s_m² d² each, of the mass 25."""
    bodies = pair()
    sigmas = Sigmas(np.array([0.0, 3.0, 4.0]), None, None)
    rolled = roll_up(RollupInputs.of(PAIR, bodies, sigmas))
    away = PARTS[:, 1:4] - (PARTS[:, :1] * PARTS[:, 1:4]).sum(axis=0) / 7.0
    found = rolled.covariance_of(0)
    assert found[0, 0] == pytest.approx(25.0)
    assert np.diag(found)[1:4] == pytest.approx((np.array([[9.0], [16.0]]) * away**2).sum(axis=0))
    masses = Bodies(bodies.mass, None, None, bodies.is_point)
    assert roll_up(RollupInputs.of(PAIR, masses, sigmas)).covariance_of(0) == pytest.approx(np.diag([25.0] + [0.0] * 9))


def test_known_masses_that_cancel_are_marked_without_any_centre() -> None:
    tree = Tree.from_parents([-1, 0, 0, 0])
    for has_mass in (None, np.arange(4) != 3):
        bodies = Bodies(np.array([0.0, 2.0, -2.0, 0.0]), None, None, np.zeros(4, bool), has_mass)
        found = roll_up(RollupInputs.of(tree, bodies), method="none")
        assert found.cancelled.tolist() == [True, False, False, False]
        assert found.bodies.mass[0] == 0.0


def test_groups_may_be_coupled_in_one_quantity_only() -> None:
    """Sigmas of mass 3 and 4 correlated by 1/2 make √37; tensors, 0.3 each, are not correlated: 0.3 √2."""
    matrix = np.tile(np.eye(2), (10, 1, 1))
    matrix[0, 0, 1] = matrix[0, 1, 0] = 0.5
    shared = Correlation(np.array([-1, 0, 1], np.int32), ["a", "b"], coupled=np.arange(2), matrix=matrix)
    center = np.zeros((3, 3))
    bodies = Bodies(np.ones(3), center, np.ones((3, 6)), np.zeros(3, bool))
    sigmas = Sigmas(np.array([0.0, 3.0, 4.0]), center, np.full((3, 6), 0.3))
    found = roll_up(RollupInputs.of(PAIR, bodies, sigmas, correlation=shared)).sigmas
    assert found is not None
    assert found.inertia is not None
    assert found.mass[0] == pytest.approx(37**0.5)
    assert found.inertia[0] == pytest.approx([0.3 * 2**0.5] * 6)


def test_a_stated_root_is_covered_by_its_own_row() -> None:
    bodies = pair(has_mass=np.array([True, False, True]))
    bodies.mass[0] = 50.0
    covered = tree_coverage(RollupInputs.of(PAIR, bodies, stated=np.array([True, False, False])))
    assert covered.rows.tolist() == [1, 1, 1]
    assert covered.known_mass.tolist() == [1, 0, 1]
    assert not covered.mass_is_bound[0]


def test_a_coupled_group_may_have_no_members() -> None:
    """Two members of group 0 with sigmas 3 and 4 make 7, whatever group 0 is coupled with."""
    matrix = np.tile(np.array([[1.0, 0.5], [0.5, 1.0]]), (10, 1, 1))
    shared = Correlation(np.array([-1, 0, 0], np.int32), ["a", "b"], coupled=np.arange(2), matrix=matrix)
    masses = Bodies(np.ones(3), None, None, np.zeros(3, bool))
    sigmas = Sigmas(np.array([0.0, 3.0, 4.0]), None, None)
    found = roll_up(RollupInputs.of(PAIR, masses, sigmas, correlation=shared)).sigmas
    assert found is not None
    assert found.mass[0] == pytest.approx(7.0)


def test_centres_in_two_coordinates_only() -> None:
    """Parts at x = 1 and −1.5 with 2 and 5 kg, y never stated: x = (2 − 7.5)/7; the tensors need all coordinates."""
    bodies = pair()
    assert bodies.center is not None
    bodies.center[:, 1] = np.nan
    rolled = roll_up(RollupInputs.of(PAIR, bodies, sigmas_of()), method="covariance")
    assert rolled.bodies.mass[0] == 7.0
    assert rolled.bodies.center is not None
    assert rolled.bodies.center[0, [0, 2]] == pytest.approx([-5.5 / 7, 16 / 7], rel=1e-15)
    assert np.isnan(rolled.bodies.center[:, 1]).all()
    assert rolled.bodies.inertia is None
    assert rolled.sigmas is not None
    assert rolled.sigmas.mass[0] == pytest.approx(0.1 * 2**0.5, rel=1e-15)
    assert rolled.sigmas.center is None
    without = roll_up(RollupInputs.of(PAIR, bodies), method="none")
    assert without.sigmas is None


def test_centres_in_two_coordinates_of_a_part_of_the_masses() -> None:
    bodies = pair(has_center=np.array([False, True, False]))
    assert bodies.center is not None
    bodies.center[:, 1] = np.nan
    rolled = roll_up(RollupInputs.of(PAIR, bodies), method="none")
    assert rolled.bodies.mass[0] == 7.0
    placed = rolled.with_place.bodies
    assert placed.mass[0] == 2.0
    assert placed.center is not None
    assert placed.center[0, [0, 2]].tolist() == [1.0, 3.0]
    assert np.isnan(placed.center[0, 1])


def test_shared_uncertainties_are_for_covariance_only() -> None:
    shared = Correlation(np.zeros(3, np.int32), ["A"])
    with pytest.raises(UsageError, match="massprops does not support shared uncertainties"):
        roll_up(RollupInputs.of(PAIR, pair(), sigmas_of(), correlation=shared), method="massprops")


def test_no_radii_sigmas_without_tensors_and_those_of_the_placed_part() -> None:
    """The radius of one placed part is its own: σ² = (σI/(2 m r))² + (I σm/(2 m² r))²."""
    rolled = roll_up(RollupInputs.of(PAIR, pair(has_center=np.array([False, True, False])), sigmas_of()))
    assert rolled.placed is not None
    assert rolled.sigma_radii is not None
    mass, moments = 2.0, np.array([7.0, 8.0, 9.0])
    radii = np.sqrt(moments / mass)
    expected = np.hypot(0.3 / (2 * mass * radii), moments * 0.1 / (2 * mass**2 * radii))
    assert rolled.sigma_radii[1] == pytest.approx(expected, rel=1e-12)


def test_reference_leaf_has_a_known_centre() -> None:
    """The first leaf of the assembly has no place: the sums are measured from the second, to all digits."""
    far = 1e9
    ten = np.vstack([np.zeros((2, 10)), PARTS, PARTS])
    ten[4:, 1] += far
    tree = Tree.from_parents([-1, 0, 1, 1, 1, 1])
    masks = {"has_center": np.array([False, False, False, False, True, True])}
    bodies = Bodies(ten[:, 0].copy(), ten[:, 1:4].copy(), ten[:, 4:].copy(), np.zeros(6, bool), **masks)
    rolled = roll_up(RollupInputs.of(tree, bodies), method="none")
    assert rolled.bodies.mass[0] == 14.0
    placed = rolled.with_place.bodies
    assert placed.inertia is not None
    assert placed.inertia[0] == pytest.approx(total_of(PARTS)[4:], rel=1e-6)
