"""Bodies of which a number is missing, exact moments that rule a tensor out, principal sigmas about turned axes."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest

from massprops_cli.bodies.bodies import (
    Bodies,
    Sigmas,
    _boundary_rows,
    _rounds_to_valid_tensor,
    correlation_matrices,
    full_tensors,
    parallel_axis_derivatives,
    phi,
    principal_axes,
    principal_axes_of_bodies,
    principal_sigmas,
    six_entries,
    tensor_faults,
)
from massprops_cli.bodies.body import Body
from massprops_cli.findings.finding import UsageError

SIX = np.array([5.0, 6.0, 7.0, 0.5, -0.4, 0.3])


def test_axes_of_a_tensor_with_an_unknown_product_are_unknown() -> None:
    inertia = np.array([[5.0, 6, 7, np.nan, 0, 0], [3.0, 2, 1, 0, 0, 0]])
    found = principal_axes_of_bodies(Bodies(np.ones(2), None, inertia, np.zeros(2, bool)))
    assert np.isnan(found.moments[0]).all()
    assert np.isnan(found.axes[0]).all()
    assert found.moments[1].tolist() == [1.0, 2.0, 3.0]
    signed = Bodies(np.ones(2), None, np.nan_to_num(inertia), np.zeros(2, bool), has_products=np.array([False, True]))
    found = principal_axes_of_bodies(signed)
    assert np.isnan(found.moments).tolist() == [[True] * 3, [False] * 3]
    with pytest.raises(UsageError, match="products"):
        Body(1.0, inertia=full_tensors(inertia[0])).principal()
    assert Body(1.0, inertia=full_tensors(inertia[0]), sigma_inertia=np.ones((3, 3))).principal_sigmas() is None


@pytest.mark.parametrize("missing", ["center", "inertia"])
def test_two_bodies_have_what_both_have(missing: str) -> None:
    whole: dict[str, Any] = {"center": np.array([1.0, 2.0, 3.0]), "inertia": full_tensors(SIX)}
    less = {name: value for name, value in whole.items() if name != missing}
    for one, other in ((Body(1.0, **whole), Body(3.0, **less)), (Body(3.0, **less), Body(1.0, **whole))):
        both = one + other
        assert both.mass == 4.0
        assert both.inertia is None
        assert (both.center is None) == (missing == "center")
    nothing = Body(1.0, **whole) + Body(-1.0, **whole)
    assert nothing.mass == 0.0
    assert nothing.center is None
    assert nothing.inertia is None


def test_sigmas_none_of_which_is_known_are_none() -> None:
    bodies = Bodies(np.ones(1), np.ones((1, 3)), SIX[None], np.zeros(1, bool))
    known = np.array([[False] + [False] * 3 + [False] * 6])
    none = Body.of(bodies, 0, Sigmas(np.ones(1), np.ones((1, 3)), np.ones((1, 6)), known))
    assert none.sigma_mass is None
    assert none.sigma_center is None
    assert none.sigma_inertia is None
    known[0, [2, 5]] = True
    some = Body.of(bodies, 0, Sigmas(np.ones(1), np.full((1, 3), 2.0), np.full((1, 6), 3.0), known))
    assert some.sigma_center is not None
    assert some.sigma_inertia is not None
    assert np.isnan(some.sigma_center).tolist() == [True, False, True]
    assert np.isnan(six_entries(some.sigma_inertia)).tolist() == [True, False, True, True, True, True]
    bare = Body.of(bodies, 0, Sigmas(np.ones(1), None, None))
    assert bare.sigma_mass == 1.0
    assert bare.sigma_center is None
    assert bare.sigma_inertia is None


@pytest.mark.parametrize("axis", range(3))
def test_an_exact_moment_of_0_leaves_no_products(axis: int) -> None:
    """Ixx = ∫(y²+z²)dm = 0 puts all mass on the x axis, so all products are 0."""
    moments = np.where(np.arange(3) == axis, 0.0, 4.0)
    halves = np.array([0.0, 0.0, 0.0, 0.05, 0.05, 0.05])
    for place in range(3):
        products = np.where(np.arange(3) == place, 0.1, 0.0)
        assert not _rounds_to_valid_tensor(np.append(moments, products), halves, 1e-8)
        assert _rounds_to_valid_tensor(np.append(moments, products / 2), halves, 1e-8)
    rounded = np.where(np.arange(6) == axis, 0.5, halves)
    wider = np.where(np.arange(6) < 3, 0.5, rounded)
    assert _rounds_to_valid_tensor(np.append(moments, [0.1] * 3), wider, 1e-8)
    negative = np.append(np.where(np.arange(3) == axis, -0.1, 4.0), [0.0] * 3)
    assert not _rounds_to_valid_tensor(negative, halves, 1e-8)
    assert _rounds_to_valid_tensor(negative, rounded, 1e-8)


def test_rounding_of_a_product_moves_the_slack_in_the_square() -> None:
    """Ixy turns x and y about z, which is the largest: ∫z² dm = 0, and 2 · ∫xy dm lowers one of the others only."""
    only_product = np.array([0.0, 0.0, 0.0, 0.5, 0.0, 0.0])
    for slack, rule in ((0.0, None), (1e-3, "MP404")):
        tensor = np.array([[10.0, 10.0, 20.0 + slack, 0.0, 0.0, 0.0]])
        assert [fault.rule for fault in tensor_faults(tensor, lambda row: only_product)] == ([rule] if rule else [])
    # squares 1, 1 and ∫xy dm = 1.2 are impossible; 1.0 is within half a unit of 0.4
    tensor = np.array([[2.0, 2.0, 2.0, -1.2, 0.0, 0.0]])
    for half, rule in ((0.19, "MP404"), (0.21, "MP405")):
        halves = np.array([0.0, 0.0, 0.0, half, 0.0, 0.0])
        assert [fault.rule for fault in tensor_faults(tensor, lambda row, h=halves: h)] == [rule]


@pytest.mark.parametrize("scale", [1e-30, 1e-6, 1.0, 1e6, 1e30])
def test_the_rows_to_look_at_do_not_depend_on_the_unit(scale: float) -> None:
    second = np.array([[1.0, 2.0, 3.0], [1.0, 1e-3, 1e-3], [1.0, -1e-3, -1e-3], [1.0, 1.0, 0.0], [-1.0, -1.0, 5.0]])
    rng = np.random.default_rng(4)
    tensors = []
    for own in second:  # I = tr(S) 1 − S, about random axes
        turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        tensors.append(six_entries(turn @ (own.sum() * np.eye(3) - np.diag(own)) @ turn.T))
    assert _boundary_rows(scale * np.array(tensors)).tolist() == [2, 3, 4]
    assert _boundary_rows(np.zeros((0, 6))).tolist() == []


def test_sigmas_of_principal_moments_about_turned_axes() -> None:
    """Of a tensor whose entries have random covariances, by differences of eigenvalues."""
    rng = np.random.default_rng(6)
    factor = 1e-3 * rng.normal(size=(6, 6))
    covariance = factor @ factor.T
    moments, axes = principal_axes(SIX[None])
    slopes = np.empty((3, 6))
    for k, unit in enumerate(np.eye(6) * 1e-5):
        ends = [np.linalg.eigvalsh(full_tensors(SIX + sign * unit)) for sign in (1, -1)]
        slopes[:, k] = (ends[0] - ends[1]) / 2e-5
    found = principal_sigmas(axes[0], covariance)
    expected = slopes @ covariance @ slopes.T
    assert found.sigmas == pytest.approx(np.sqrt(np.diag(expected)), rel=1e-6)
    steps = slopes[1:] - slopes[:-1]
    assert found.sigma_gaps == pytest.approx(np.sqrt(np.diag(steps @ covariance @ steps.T)), rel=1e-6)
    assert np.diff(moments[0]).min() > 0.1


def test_derivatives_by_all_ten_numbers_are_differences() -> None:
    ten = np.array([2.0, 1.0, -2.0, 3.0, *SIX])

    def about_origin(x: np.ndarray) -> np.ndarray:
        return np.asarray(x[4:] + x[0] * phi(x[1:4]))

    found = parallel_axis_derivatives(2.0, ten[1:4])
    for k, unit in enumerate(np.eye(10) * 1e-4):
        assert found[:, k] == pytest.approx((about_origin(ten + unit) - about_origin(ten - unit)) / 2e-4, abs=1e-9)


def test_correlations_are_at_most_1_and_blank_without_a_variance() -> None:
    sigma = np.array([0.1, 0.3, 0.0])
    found = correlation_matrices(np.outer(sigma, sigma))
    assert found[:2, :2].tolist() == pytest.approx(np.ones((2, 2)))
    assert np.abs(found[:2, :2]).max() <= 1.0
    assert np.isnan(found[2]).all()
    assert np.isnan(found[:, 2]).all()
    assert correlation_matrices(np.array([[4.0, -1.0], [-1.0, 1.0]])).tolist() == [[1.0, -0.5], [-0.5, 1.0]]


def test_a_mask_of_sigmas_for_each_body_is_one_of_all_ten() -> None:
    found = Sigmas(np.ones(2), None, None, np.array([True, False])).known
    assert found is not None
    assert found.tolist() == [[True] * 10, [False] * 10]


def test_the_part_with_a_place_has_the_radii() -> None:
    """Of 8 kg 2 have a place: k = sqrt(I / 2), and the tensor about 1 m away grows by 2 · 1²."""
    body = Body(8.0, np.zeros(3), np.diag([8.0, 18.0, 18.0]), 0.1, np.zeros(3), np.zeros((3, 3)), placed_mass=2.0)
    assert body.radii is not None
    assert body.radii.tolist() == [2.0, 3.0, 3.0]
    assert np.diag(body.about([0.0, 1.0, 0.0])).tolist() == [10.0, 18.0, 20.0]
    assert body.sigma_about([0.0, 0.0, 0.0]) is None


@pytest.mark.parametrize(
    "wrong",
    [
        1.001 * np.eye(3),
        np.array([[1.0, 0.1, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
        np.array([[0.0, 1, 0], [1, 0, 0], [0, 0, 1]]),
    ],
    ids=["scaled", "sheared", "mirrored"],
)
def test_what_is_nearly_a_rotation_is_rejected(wrong: np.ndarray) -> None:
    with pytest.raises(UsageError, match="rotation"):
        Body(1.0, np.zeros(3), np.eye(3)).rotated(wrong)


def test_rounding_makes_no_correlation_larger_than_1() -> None:
    sigma = np.random.default_rng(8).uniform(0.1, 9.0, (200, 2))
    variance = np.array([np.diag(s * s) for s in sigma])
    variance[:, 0, 1] = variance[:, 1, 0] = np.sqrt(variance[:, 0, 0] * variance[:, 1, 1])
    found = np.abs(correlation_matrices(variance))
    assert found.max() <= 1.0
    assert found.min() == pytest.approx(1.0, abs=1e-15)


def test_products_without_a_sign_are_not_numbers() -> None:
    bodies = Bodies(np.full(2, 0.5), None, np.array([SIX] * 2), np.zeros(2, bool), has_products=np.array([False, True]))
    unsigned, signed = (Body.of(bodies, i).inertia for i in range(2))
    assert unsigned is not None
    assert signed is not None
    assert np.isnan(six_entries(unsigned)).tolist() == [False] * 3 + [True] * 3
    assert six_entries(signed).tolist() == SIX.tolist()
    radii = Body.of(bodies, 1).radii
    assert radii is not None
    assert radii == pytest.approx(np.sqrt(SIX[:3] / 0.5))


def test_a_body_without_sigmas_prints_its_numbers_only() -> None:
    lines = repr(Body(2.0, np.array([1.0, 2.0, 3.0]), full_tensors(SIX))).splitlines()
    assert lines[1].split() == ["mass", "2"]
    assert lines[2].split() == ["centre", "1", "2", "3"]
    assert lines[3].split() == ["inertia", "Ixx", "5", "Iyy", "6", "Izz", "7"]
    assert lines[4].split()[:6] == ["Ixy", "0.5", "Ixz", "-0.4", "Iyz", "0.3"]


def test_principal_sigmas_need_a_tensor_and_its_sigmas() -> None:
    assert Body(1.0, inertia=np.eye(3)).principal_sigmas() is None
    assert Body(1.0, sigma_inertia=np.eye(3)).principal_sigmas() is None
    assert Body(1.0).principal_sigmas() is None


def test_axes_have_no_negative_zeros() -> None:
    """They would be printed as -0."""
    tensors = np.array([[*order, 0.0, 0.0, 0.0] for order in permutations((1.0, 2.0, 3.0))])
    axes = principal_axes(tensors).axes
    assert (axes == 0).sum() == 36
    assert not np.signbit(axes[axes == 0]).any()


def test_sigmas_of_many_bodies_are_those_of_each() -> None:
    factor = np.random.default_rng(9).normal(size=(4, 6, 6))
    covariance = factor @ np.swapaxes(factor, 1, 2)
    axes = principal_axes(SIX + np.arange(4.0)[:, None] * np.array([1.0, 2, 0, 0.1, 0, 0])).axes
    together = principal_sigmas(axes, covariance)
    for k in range(4):
        one = principal_sigmas(axes[k], covariance[k])
        assert together.sigmas[k] == pytest.approx(one.sigmas)
        assert together.sigma_gaps[k] == pytest.approx(one.sigma_gaps)


def test_coordinates_that_no_row_states_are_missing() -> None:
    center = np.array([[1.0, np.nan, 2.0], [3.0, np.nan, 4.0]])
    assert Bodies(np.ones(2), center, None, np.zeros(2, bool)).missing_axes.tolist() == [False, True, False]
    assert Bodies(np.ones(2), None, None, np.zeros(2, bool)).missing_axes.tolist() == [False] * 3


def test_body_is_mirrored_at_a_known_plane_only() -> None:
    body = Body(1.0, np.array([1.0, 2.0, 3.0]), np.eye(3))
    assert body.mirrored("y").center.tolist() == [1.0, -2.0, 3.0]
    with pytest.raises(UsageError, match="axis of a mirror must be x, y or z, not 'w'"):
        body.mirrored("w")  # type: ignore[arg-type] # wrong on purpose


def test_sum_has_sigmas_where_both_bodies_have_all() -> None:
    """The variance of a sum of independent masses is the sum of their variances, where both are known."""
    sigmas = {"sigma_center": np.full(3, 0.1), "sigma_inertia": np.full((3, 3), 0.1)}
    one = Body(2.0, np.zeros(3), np.eye(3), sigma_mass=0.3, **sigmas)
    other = Body(3.0, np.zeros(3), np.eye(3), sigma_mass=0.4, **sigmas)
    assert (one + other).sigma_mass == pytest.approx(0.5, rel=1e-15)
    assert (one + Body(3.0, np.zeros(3), np.eye(3), sigma_mass=0.4)).sigma_mass is None


def test_body_without_a_centre_prints_its_mass_only() -> None:
    assert repr(Body(2.5, name="A")).splitlines() == ["A: rigid body", "  mass     2.5"]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("power", [-1000, -600, 0, 600, 1021])
def test_validity_of_a_tensor_does_not_depend_on_its_unit(power: int) -> None:
    """Moments 1, 1, 4 times any power of two violate the triangle inequality, and 1, 1, 2 do not."""
    scale = np.ldexp(1.0, power)
    none = np.zeros(6)
    for tensor, rules in (
        ([1, 1, 4, 0, 0, 0], ["MP404"]),
        ([1, 1, 2, 0, 0, 0], []),
        ([1, 1, 1, 2, -2, 0], ["MP403"]),  # eigenvalues 1 and 1 ± 2 √2
    ):
        found = list(tensor_faults(np.array([tensor]) * scale, lambda row: none))
        assert [fault.rule for fault in found] == rules, (tensor, power)
    shown = next(iter(tensor_faults(np.array([[1, 1, 4, 0, 0, 0]]) * scale, lambda row: none))).message
    assert f"{4 * scale:.6g} exceeds the sum of the other two by {2 * scale:.3g}" in shown


@pytest.mark.parametrize("spread", [0.02, 0.1, 0.2])
def test_digits_that_just_reach_a_valid_tensor(spread: float) -> None:
    """S = [[a + u, p], [p, b − u]] ⊕ c with |u| ≤ spread / 2 and p within 0.05: valid while p² ≤ (a + u)(b − u)."""
    a, b, c = 1.3, 1.37, 2.0
    u = min((b - a) / 2, spread / 2)
    limit = np.sqrt((a + u) * (b - u)) + 0.05
    halves = np.array([spread, 0, 0, 0.05, 0, 0])
    low, high = 1.0, 2.0
    for _ in range(31):  # to 2^-31
        middle = (low + high) / 2
        is_valid = _rounds_to_valid_tensor(np.array([b + c, a + c, a + b, middle, 0, 0]), halves, 1e-14)
        low, high = (middle, high) if is_valid else (low, middle)
    assert low == pytest.approx(limit, abs=1e-9)  # where the bound of the barrier decides
