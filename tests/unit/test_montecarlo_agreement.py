"""Samples next to first and second order: silent where they agree, with the reason where they do not."""

from __future__ import annotations

import math

import numpy as np
import pytest

import massprops_cli as mp
from massprops_cli.bodies.bodies import Bodies, Sigmas
from massprops_cli.rollups.inputs import PARAMETER_NAMES, Correlation, RollupInputs, SampleOptions
from massprops_cli.rollups.leaf_sums import expected_shifts
from massprops_cli.rollups.montecarlo.agreement import (
    Agreement,
    _first_order_sigmas,
    _share_percent_text,
    sample_agreement,
)
from massprops_cli.rollups.montecarlo.simulation import simulate_tree
from massprops_cli.rollups.rollup import roll_up
from massprops_cli.trees.tree import Tree

TREE = Tree.from_parents([-1, 0, 0, 1, 1, 2, 2])
N = len(TREE)


def compared(
    mass: float, center: float, inertia: float = 0.001, items: tuple[int, ...] = (0,), *, is_bounded: bool = False
) -> Agreement:
    """Compare for given sigmas: relative of mass and inertia, absolute of centres (the parts are about 5 apart)."""
    random = np.random.default_rng(5)
    ten = np.column_stack([random.uniform(1, 2, N), random.uniform(-5, 5, (N, 3)), random.uniform(8, 9, (N, 6))])
    bodies = Bodies(ten[:, 0], ten[:, 1:4], ten[:, 4:], np.zeros(N, bool))
    sigmas = Sigmas(mass * ten[:, 0], np.full((N, 3), center), inertia * ten[:, 4:])
    inputs = RollupInputs.of(TREE, bodies, sigmas)
    rolled = roll_up(inputs)
    sampled = simulate_tree(inputs, sampling=SampleOptions(samples=20_000))
    return sample_agreement(sampled, rolled, expected_shifts(inputs, rolled), items, is_bounded=is_bounded)


def test_small_errors_agree() -> None:
    found = compared(0.001, 0.001)
    assert found.items.tolist() == [0]
    assert not found.differences
    assert found.sigma == pytest.approx(found.first_order, rel=4.5 / 40_000**0.5)


def test_scattered_centres_shift_the_mean_as_second_order_predicts() -> None:
    found = compared(0.001, 1.0)
    means = {d.result: d for d in found.differences if d.kind == "mean"}
    assert {"Ixx", "Iyy", "Izz"} <= set(means)
    for result in ("Ixx", "Iyy", "Izz"):
        assert abs(means[result].found - means[result].expected) < 4.5 * means[result].error
        assert "second order predicts a shift" in means[result].reason


def test_large_errors_of_mass_are_the_reason() -> None:
    found = compared(0.4, 0.001)
    sigmas = [d for d in found.differences if d.kind == "sigma"]
    assert sigmas
    assert any("sigma of the mass is" in d.reason for d in sigmas)


def test_masses_differ_by_their_bounds_alone() -> None:
    """Masses add up, so nothing is neglected: a normal law truncated at two sigmas spreads less than its sigma.

    Its sigma is that of the law times sqrt(1 - 2 z phi(z) / (2 Phi(z) - 1)), z = 2.
    """
    row = {"parent": "top", "mass": 10.0, "sigma_mass": 2.0, "mass_min": 6.0, "mass_max": 14.0}
    bom = mp.Bom.from_records([{"id": "top", "parent": ""}, row | {"id": "a"}, row | {"id": "b"}])
    (one,) = mp.rollup(bom, "montecarlo", samples=20_000).samples
    (mass,) = one.results
    left = math.sqrt(1 - 4 * math.exp(-2) / math.sqrt(2 * math.pi) / math.erf(math.sqrt(2)))
    assert mass.sigma == pytest.approx(2 * math.sqrt(2) * left, abs=4 * mass.sigma_error)
    (difference,) = one.differences
    assert "bounds truncate" in difference.reason
    assert "products" not in difference.reason


def test_the_error_of_a_parts_sigma_knows_its_distribution() -> None:
    """Uniform: the fourth moment is 9/5 of sigma^4, so the error is sigma sqrt(0.8 / 4n), not sigma / sqrt(2n)."""
    rows = [{"id": "top", "parent": ""}, {"id": "a", "parent": "top", "mass": 1.0, "sigma_mass": 0.1}]
    rolled = mp.rollup(mp.Bom.from_records(rows), "montecarlo", samples=20_000, distribution="uniform", items=["a"])
    for one in rolled.samples:
        assert one.results[0].sigma_error == pytest.approx(0.1 * math.sqrt(0.2 / 20_000), rel=0.02)


def test_errors_that_cancel_are_not_found_to_differ() -> None:
    """An error of the scale changes all masses alike: no centre and no radius moves, but for rounding."""
    random = np.random.default_rng(6)
    mass, everything = random.uniform(1, 2, N), Correlation(np.zeros(N, np.int32), ["scale"])
    bodies = Bodies(mass, random.uniform(-5, 5, (N, 3)), np.zeros((N, 6)), TREE.is_leaf())
    sigmas = Sigmas(0.02 * mass, np.zeros((N, 3)), np.zeros((N, 6)))
    inputs = RollupInputs.of(TREE, bodies, sigmas, correlation=everything)
    rolled = roll_up(inputs)
    assert rolled.sigma_radii is not None
    assert rolled.sigma_radii[:3].tolist() == np.zeros((3, 3)).tolist()
    sampled = simulate_tree(inputs, sampling=SampleOptions(samples=4000))
    assert not sample_agreement(sampled, rolled, expected_shifts(inputs, rolled), (0, 1, 2)).differences


def test_what_has_no_first_order_is_all_products() -> None:
    """Two points at one place: the distance between them, and so the inertia, is all error."""
    row = {"parent": "top", "mass": 1.0, "Ipoint": "T", "POIconv": "-"} | dict.fromkeys(("Cx", "Cy", "Cz"), 0.0)
    row |= dict.fromkeys(PARAMETER_NAMES[4:], 0.0) | {f"sigma_{name}": 0.1 for name in PARAMETER_NAMES}
    bom = mp.Bom.from_records([{"id": "top", "parent": "", "POIconv": "-"}, row | {"id": "a"}, row | {"id": "b"}])
    (one,) = mp.rollup(bom, "montecarlo", samples=2000).samples
    reasons = {d.result: d.reason for d in one.differences if d.kind == "sigma"}
    assert reasons["Ixx"] == "first-order sigma of Ixx is 0; its uncertainty is of second order"


@pytest.mark.parametrize("samples", [2, 3, 10, 99])
def test_few_samples_warn_of_nothing(samples: int) -> None:
    """Two samples always lie one sigma from their mean: their fourth moment indicates that there is no error at all."""
    row = {"parent": "top", "mass": 1.0, "sigma_mass": 0.1}
    bom = mp.Bom.from_records([{"id": "top", "parent": ""}, row | {"id": "a"}, row | {"id": "b"}])
    rolled = mp.rollup(bom, "montecarlo", samples=samples, items=["a"])
    for one in rolled.samples:
        assert one.results[0].sigma_error >= 0.999 * one.results[0].sigma / math.sqrt(2 * (samples - 1))
        assert not one.differences


def test_only_the_items_requested() -> None:
    found = compared(0.4, 1.0, items=(1, 2))
    assert found.items.tolist() == [1, 2]
    assert {d.item for d in found.differences} <= {1, 2}
    assert found.sigma.shape == found.second_order.shape == (2, 13)


def test_without_sigmas_nothing_is_known() -> None:
    bodies = Bodies(np.ones(N), np.zeros((N, 3)), np.zeros((N, 6)), np.zeros(N, bool))
    assert np.isnan(_first_order_sigmas(roll_up(RollupInputs.of(TREE, bodies), method="none"))).all()


def test_shares_have_two_digits() -> None:
    assert (_share_percent_text(0.4217), _share_percent_text(0.0012)) == ("42 %", "0.12 %")


def test_bounds_are_named_before_the_largest_uncertainty() -> None:
    """Where a centre is uncertain by a fifth of the arms, both the bounds and this are causes."""
    reasons = {d.reason for d in compared(0.001, 1.0, is_bounded=True).differences if d.kind == "sigma"}
    assert reasons
    assert all(reason.startswith("bounds truncate the spread") for reason in reasons)
