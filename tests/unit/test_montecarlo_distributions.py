"""Distributions of inputs against closed forms of their moments, and the normal law against published points."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest

from massprops_cli.bodies.bodies import Bodies, Sigmas
from massprops_cli.findings.finding import UsageError
from massprops_cli.rollups.inputs import KIND_NOT_STATED, InputShapes
from massprops_cli.rollups.montecarlo.distributions import (
    _TRIANGULAR,
    _TRUNCATED,
    _UNIFORM,
    LOGNORMAL,
    NORMAL,
    InputDistributions,
    _InputDistribution,
    _normal_quantiles,
    deviations_at_shares,
    input_deviations,
)
from massprops_cli.rollups.regions import normal_cdf_values

MIDPOINTS = (np.arange(400_000) + 0.5) / 400_000


def moments(margin: _InputDistribution) -> tuple[float, float]:
    """Mean and sigma of the input itself, integrated over its distribution function."""
    x = margin.value + deviations_at_shares(margin, MIDPOINTS)
    return float(x.mean()), float(x.std())


@pytest.mark.parametrize(
    ("share", "z"),  # NIST/SEMATECH and R's qnorm
    [(0.5, 0.0), (0.975, 1.959963984540054), (0.995, 2.575829303548901), (1e-9, -5.997807015007686)],
)
def test_published_points(share: float, z: float) -> None:
    assert _normal_quantiles(np.array([share]))[0] == pytest.approx(z, rel=1e-14, abs=1e-16)


def test_points_and_shares_are_inverse_far_into_the_tails() -> None:
    z = np.linspace(-37, 8, 400)
    assert _normal_quantiles(normal_cdf_values(z))[z < 2] == pytest.approx(z[z < 2], rel=1e-13, abs=1e-15)
    assert normal_cdf_values(-z)[z > 0] == pytest.approx([NormalDist().cdf(-x) for x in z[z > 0]], rel=1e-12)


def test_shares_of_0_and_1_are_finite() -> None:
    assert np.isfinite(_normal_quantiles(np.array([0.0, 1.0]))).all()


@pytest.mark.parametrize("value", [5.0, -5.0, 0.01])
def test_lognormal_has_the_mean_and_sigma_of_the_input(value: float) -> None:
    z, weight = np.polynomial.hermite_e.hermegauss(90)
    weight /= weight.sum()
    x = value + input_deviations(_InputDistribution(LOGNORMAL, value, 0.6 * abs(value)), z)
    assert weight @ x == pytest.approx(value, rel=1e-12)
    assert weight @ (x - value) ** 2 == pytest.approx((0.6 * value) ** 2, rel=1e-9)
    assert (np.sign(x) == np.sign(value)).all()


def test_a_lognormal_value_that_is_tiny_compared_with_its_sigma_is_drawn() -> None:
    square = 2 * math.log(1e200)  # of ln x: ln(1 + 1e400)
    expected = 1e-200 * math.exp(math.sqrt(square) * 15 - square / 2)
    found = 1e-200 + input_deviations(_InputDistribution(LOGNORMAL, 1e-200, 1.0), np.array([15.0]))[0]
    assert found == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("kind", [NORMAL, LOGNORMAL, _UNIFORM, _TRIANGULAR, _TRUNCATED])
@pytest.mark.parametrize("value", [2.0, -2.0])
def test_every_kind_grows_with_its_deviate(kind: int, value: float) -> None:
    x = input_deviations(_InputDistribution(kind, value, 0.5, -3.0, math.nan, 3.0), np.linspace(-4, 4, 101))
    assert (np.diff(x) > 0).all()


@pytest.mark.parametrize("kind", [_UNIFORM, _TRIANGULAR])
def test_without_bounds_sigma_sets_the_width(kind: int) -> None:
    assert moments(_InputDistribution(kind, 7.0, 0.3)) == pytest.approx((7.0, 0.3), rel=1e-5)


def test_uniform_between_bounds() -> None:
    assert moments(_InputDistribution(_UNIFORM, 5.0, 0.0, 4.0, math.nan, 8.0)) == pytest.approx(
        (6.0, 4 / 12**0.5), rel=1e-6
    )


def test_triangle_between_bounds() -> None:
    a, c, b = 1.0, 2.0, 6.0
    sigma = math.sqrt((a * a + b * b + c * c - a * b - a * c - b * c) / 18)
    assert moments(_InputDistribution(_TRIANGULAR, 2.5, 0.0, a, c, b)) == pytest.approx(
        ((a + b + c) / 3, sigma), rel=1e-5
    )
    assert moments(_InputDistribution(_TRIANGULAR, c, 0.0, a, math.nan, b)) == pytest.approx(
        ((a + b + c) / 3, sigma), rel=1e-5
    )


@pytest.mark.parametrize(("low", "high"), [(-1.0, 1.5), (0.5, 9.0), (3.0, 4.0), (-5.0, -3.0)])
def test_normal_cut_at_bounds(low: float, high: float) -> None:
    """Mean μ + σ (φ(a) − φ(b))/Z and variance σ² [1 + (a φ(a) − b φ(b))/Z − ((φ(a) − φ(b))/Z)²]."""
    value, sigma, law = 10.0, 2.0, NormalDist()
    z = law.cdf(high) - law.cdf(low)
    first = (law.pdf(low) - law.pdf(high)) / z
    second = 1 + (low * law.pdf(low) - high * law.pdf(high)) / z - first**2
    margin = _InputDistribution(_TRUNCATED, value, sigma, value + sigma * low, math.nan, value + sigma * high)
    assert moments(margin) == pytest.approx((value + sigma * first, sigma * second**0.5), rel=2e-5)
    x = value + deviations_at_shares(margin, np.array([0.0, 1.0]))
    assert x == pytest.approx([margin.low, margin.high], rel=1e-9)


def one_part(mass: float = 1.0, sigma: float = 0.5) -> tuple[Bodies, Sigmas]:
    ones = np.ones(2)
    bodies = Bodies(mass * ones, np.zeros((2, 3)), np.ones((2, 6)), np.zeros(2, bool))
    return bodies, Sigmas(sigma * ones, np.ones((2, 3)), np.ones((2, 6)))


def test_only_masses_and_moments_are_cut_at_0_or_lognormal() -> None:
    for kind, name in ((LOGNORMAL, "lognormal"), (_TRUNCATED, "truncated")):
        inputs = InputDistributions.of(*one_part(), None, name)
        assert inputs.kind is not None
        assert (inputs.kind[[0, 4, 5, 6]] == kind).all()
        assert (inputs.kind[[1, 2, 3, 7, 8, 9]] == NORMAL).all()
    assert inputs.margin(0, 1).low == 0.0
    negative = InputDistributions.of(*one_part(-1.0), None, "truncated")
    assert negative.margin(0, 1).high == 0.0


def test_a_row_may_state_its_own_kind_and_bounds() -> None:
    nan = np.full(2, np.nan)
    shapes = InputShapes(np.array([KIND_NOT_STATED, _UNIFORM], np.int8), {0: np.array([[np.nan, 0.5], nan, nan + 3.0])})
    inputs = InputDistributions.of(*one_part(), shapes, "normal")
    assert inputs.kind is not None
    assert inputs.kind[0].tolist() == [NORMAL, _UNIFORM]
    assert inputs.margin(0, 1).low == 0.5
    assert inputs.scale[0].tolist() == [0.5, 1.0]


def test_bounds_out_of_order_are_a_wrong_call() -> None:
    three = np.full(2, 3.0)
    shapes = InputShapes(np.full(2, _UNIFORM, np.int8), {0: np.array([three, three * np.nan, three - 1])})
    with pytest.raises(UsageError, match="mass of item 0"):
        InputDistributions.of(*one_part(), shapes, "normal")


def test_unknown_distribution_is_a_wrong_call() -> None:
    with pytest.raises(UsageError, match="cauchy"):
        InputDistributions.of(*one_part(), None, "cauchy")


def test_triangle_of_no_width_is_its_value() -> None:
    margin = _InputDistribution(_TRIANGULAR, 2.0, 0.5, 2.0, 2.0, 2.0)
    assert deviations_at_shares(margin, np.array([0.0, 0.5, 1.0])).tolist() == [0.0, 0.0, 0.0]


def test_inputs_without_stated_distributions_are_normal() -> None:
    bodies = Bodies(np.array([0.0, 2.0]), np.zeros((2, 3)), None, np.zeros(2, bool))
    sigmas = Sigmas(np.array([0.0, 0.5]), np.zeros((2, 3)), None)
    margin = InputDistributions.of(bodies, sigmas, None, "normal").margin(0, 1)
    assert (margin.kind, margin.value, margin.sigma) == (NORMAL, 2.0, 0.5)


def test_mean_of_a_truncated_normal_distribution_is_that_of_the_closed_form() -> None:
    """Cut at its value, a normal distribution has the mean σ √(2/π) above it; a normal one next to it has its value."""
    bodies = Bodies(np.array([2.0, 3.0]), None, None, np.zeros(2, bool))
    sigmas = Sigmas(np.array([0.1, 0.2]), None, None)
    kinds = np.array([_TRUNCATED, NORMAL], np.int8)
    bounds = {0: np.array([[2.0, np.nan], [np.nan, np.nan], [9.0, np.nan]])}
    means = InputDistributions.of(bodies, sigmas, InputShapes(kinds, bounds), "normal").mean_deviations()
    assert means[0] == pytest.approx([0.1 * math.sqrt(2 / math.pi), 0.0], rel=1e-4)


def test_means_of_stated_normal_distributions_are_the_values() -> None:
    bodies, sigmas = (
        Bodies(np.array([2.0, 3.0]), None, None, np.zeros(2, bool)),
        Sigmas(np.array([0.1, 0.2]), None, None),
    )
    normal = InputDistributions.of(bodies, sigmas, InputShapes(np.full(2, NORMAL, np.int8)), "lognormal")
    assert not normal.mean_deviations().any()
