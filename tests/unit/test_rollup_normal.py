"""Normal probabilities against closed forms and simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest

from massprops_cli.findings.finding import UsageError
from massprops_cli.rollups.regions import (
    _box_probability,
    _ellipsoid_probability,
    _integration_nodes,
    _normal_quantile,
    _probability_outside,
    normal_cdf,
    normal_cdf_values,
    normal_interval,
    probability_between,
)
from tests.examples import first

inf = math.inf
ZERO, ONE = np.zeros(3), np.ones(3)


def covariance_of(seed: int, rank: int = 3) -> np.ndarray:
    factor = np.random.default_rng(seed).normal(size=(3, rank))
    return factor @ factor.T


class TestOneVariable:
    # Abramowitz & Stegun, tables 26.1 and 26.2
    @pytest.mark.parametrize(
        ("z", "p"), [(0, 0.5), (1, 0.841344746068543), (2, 0.977249868051821), (3, 0.998650101968370)]
    )
    def test_phi_is_the_tabulated(self, z: float, p: float) -> None:
        assert normal_cdf(z) == pytest.approx(p, abs=1e-15)
        assert normal_cdf_values(np.array([[-z, z]])).tolist() == [[normal_cdf(-z), normal_cdf(z)]]

    def test_phi_keeps_the_far_tail(self) -> None:
        # Mills' ratio as its continued fraction: Phi(−z) = phi(z)/(z + 1/(z + 2/(z + 3/…)))
        fraction = 30.0
        for k in range(60, 0, -1):
            fraction = 30.0 + k / fraction
        assert normal_cdf(-30.0) == pytest.approx(math.exp(-450) / math.sqrt(2 * math.pi) / fraction, rel=1e-12)

    @pytest.mark.parametrize("p", [1e-300, 1e-20, 1e-5, 0.2, 0.5, 0.9, 1 - 1e-9])
    def test_the_quantile_undoes_phi(self, p: float) -> None:
        assert normal_cdf(_normal_quantile(p)) == pytest.approx(p, rel=1e-12)

    def test_quantiles_end_at_infinity(self) -> None:
        assert (_normal_quantile(0.0), _normal_quantile(1.0)) == (-inf, inf)
        with pytest.raises(UsageError, match="between 0 and 1"):
            _normal_quantile(1.5)

    def test_below_and_between(self) -> None:
        assert probability_between(850, 10, -math.inf, 870) == normal_cdf(2)
        assert probability_between(5, 2, 3, 7) == pytest.approx(math.erf(math.sqrt(0.5)), rel=1e-15)
        assert probability_between(0, 1, 3, 2) == 0
        assert probability_between(0, 1, -inf, inf) == 1
        assert _probability_outside(0, 1, -9, 9) == 2 * normal_cdf(-9)

    @pytest.mark.parametrize(("limit", "p"), [(9.999, 0.0), (10.0, 1.0), (11.0, 1.0)])
    def test_without_a_sigma_all_is_certain(self, limit: float, p: float) -> None:
        assert probability_between(10.0, 0.0, -math.inf, limit) == p
        assert _probability_outside(10.0, 0.0, -inf, limit) == 1 - p

    def test_an_interval_holds_its_level(self) -> None:
        low, high = normal_interval(100.0, 3.0, 0.9)
        assert probability_between(100.0, 3.0, low, high) == pytest.approx(0.9, rel=1e-14)
        assert low + high == pytest.approx(200.0)
        assert normal_interval(1.0, 0.0, 0.5) == (1.0, 1.0)

    @pytest.mark.parametrize("level", [0.0, 1.0, 95.0, -0.1])
    def test_a_level_lies_between_0_and_1(self, level: float) -> None:
        with pytest.raises(UsageError, match=r"for instance 0\.95"):
            normal_interval(0.0, 1.0, level)

    def test_quadrature_is_exact_for_cut_polynomials(self) -> None:
        x, w = _integration_nodes(-1.0, 2.0, np.array([0.0, np.nan, 5.0]))
        assert w @ np.abs(x) ** 7 == pytest.approx((1 + 2**8) / 8, rel=1e-14)


class TestBox:
    def test_independent_axes_multiply(self) -> None:
        center, sigma = np.array([1.0, -2.0, 3.0]), np.array([0.5, 1.0, 2.0])
        low, high = np.array([0.5, -inf, 0.0]), np.array([2.0, -1.0, inf])
        expected = math.prod(probability_between(*sides) for sides in zip(center, sigma, low, high, strict=True))
        assert _box_probability(center, np.diag(sigma**2), low, high) == pytest.approx(expected, rel=1e-14)

    @pytest.mark.spread(2)
    @pytest.mark.parametrize("seed", range(4))
    def test_an_orthant_is_sheppards_formula(self, seed: int) -> None:
        v = covariance_of(seed)
        s = np.sqrt(np.diag(v))
        r = v / np.outer(s, s)
        angles = math.asin(r[0, 1]) + math.asin(r[0, 2]) + math.asin(r[1, 2])
        assert _box_probability(ZERO, v, ZERO, np.full(3, inf)) == pytest.approx(
            1 / 8 + angles / (4 * math.pi), abs=1e-12
        )
        opposite = _box_probability(ZERO, v, np.full(3, -inf), ZERO)
        assert opposite == pytest.approx(1 / 8 + angles / (4 * math.pi), abs=1e-12)
        plane = _box_probability(ZERO, v, np.array([0.0, 0.0, -inf]), np.full(3, inf))
        assert plane == pytest.approx(1 / 4 + math.asin(r[0, 1]) / (2 * math.pi), abs=1e-12)

    @pytest.mark.parametrize("rank", [1, 2, 3])
    def test_simulation_agrees(self, rank: int) -> None:
        rng = np.random.default_rng(7)
        factor = rng.normal(size=(3, rank))
        center, low, high = np.array([0.1, 0.2, -0.3]), np.array([-1.0, -inf, -2.0]), np.array([1.2, 0.9, 1.5])
        points = center + rng.standard_normal((1_000_000, rank)) @ factor.T
        share = float(((points >= low) & (points <= high)).all(axis=1).mean())
        p = _box_probability(center, factor @ factor.T, low, high)
        assert abs(p - share) < 5 * math.sqrt(p * (1 - p) / 1e6)

    def test_axes_that_move_together_are_one(self) -> None:
        v = np.full((3, 3), 4.0)
        p = _box_probability(ZERO, v, np.array([-2.0, -1.0, -inf]), np.array([3.0, 2.5, 2.0]))
        assert p == pytest.approx(probability_between(0, 2, -1, 2), abs=1e-13)

    @pytest.mark.parametrize("spread", [1e-2, 1e-4, 1e-6, 1e-8])
    def test_axes_that_almost_move_together(self, spread: float) -> None:
        # y = x + spread·e; P(x ≤ 0, y ≤ 0) = 1/4 + asin(rho)/2π, and asin(rho) = π/2 − atan(spread)
        v = np.array([[1.0, 1.0, 0.0], [1.0, 1.0 + spread**2, 0.0], [0.0, 0.0, 1.0]])
        p = _box_probability(ZERO, v, np.full(3, -inf), np.array([0.0, 0.0, inf]))
        assert p == pytest.approx(0.5 - math.atan(spread) / (2 * math.pi), abs=1e-8 if spread < 1e-7 else 1e-10)

    def test_an_axis_without_variance_is_certain(self) -> None:
        v = np.zeros((3, 3))
        v[:2, :2] = covariance_of(3)[:2, :2]
        low, high = np.array([-1.0, -1.0, 5.0]), np.array([1.0, 2.0, 6.0])
        whole = _box_probability(ZERO, v, np.array([-1, -1, -inf]), np.array([1, 2, inf]))
        assert _box_probability(np.array([0.0, 0.0, 5.5]), v, low, high) == whole
        assert _box_probability(ZERO, v, low, high) == 0.0

    def test_ends(self) -> None:
        v = covariance_of(5)
        assert _box_probability(ZERO, v, np.full(3, -inf), np.full(3, inf)) == 1.0
        assert _box_probability(ZERO, v, ONE, -ONE) == 0.0
        assert _box_probability(ZERO, v, np.full(3, 1e9), np.full(3, inf)) == 0.0

    def test_far_from_the_origin_nothing_changes(self) -> None:
        v, far = covariance_of(6), 1e7
        assert _box_probability(ZERO + far, v, far - ONE, far + ONE) == _box_probability(ZERO, v, -ONE, ONE)


def in_sphere(radius: float, distance: float, sigma: float) -> float:
    """P(|X| ≤ radius) for equal sigmas: the noncentral chi distribution of three degrees, in closed form."""
    if distance == 0:
        x = radius / sigma
        return math.erf(x / math.sqrt(2)) - math.sqrt(2 / math.pi) * x * math.exp(-x * x / 2)
    a, b = (radius - distance) / sigma, (radius + distance) / sigma
    gap = math.exp(-a * a / 2) - math.exp(-b * b / 2)
    return normal_cdf(a) - normal_cdf(-b) - sigma / distance / math.sqrt(2 * math.pi) * gap


class TestEllipsoid:
    @pytest.mark.spread(2, keep=("2.0-0.01",))
    @pytest.mark.parametrize("sigma", [1e-4, 1e-2, 0.3, 1.0, 10.0])
    @pytest.mark.parametrize("distance", first([0.0, 0.99, 2.0, 0.3, 1.0, 1.01], 3))
    def test_a_sphere_is_the_noncentral_chi(self, sigma: float, distance: float) -> None:
        center = distance * np.array([1.0, -2.0, 2.0]) / 3
        p = _ellipsoid_probability(center, sigma**2 * np.eye(3), ZERO, ONE)
        assert p == pytest.approx(in_sphere(1.0, distance, sigma), abs=1e-12)

    def test_a_circle_is_rayleigh(self) -> None:
        p = _ellipsoid_probability(ZERO, np.diag([4.0, 9.0, 5.0]), ZERO, np.array([3.0, 4.5, inf]))
        assert p == pytest.approx(1 - math.exp(-(1.5**2) / 2), abs=1e-13)

    def test_stretching_space_changes_nothing(self) -> None:
        stretch, v = np.array([2.0, 0.1, 30.0]), covariance_of(8)
        middle, half = np.array([0.1, 0.2, 0.3]), np.array([1.0, 2.0, 1.5])
        stretched = _ellipsoid_probability(ZERO, v * np.outer(stretch, stretch), middle * stretch, half * stretch)
        assert stretched == pytest.approx(_ellipsoid_probability(ZERO, v, middle, half), abs=1e-13)

    @pytest.mark.parametrize("rank", [1, 2, 3])
    def test_simulation_agrees(self, rank: int) -> None:
        rng = np.random.default_rng(9)
        factor = rng.normal(size=(3, rank))
        center, half = np.array([0.5, -0.2, 0.3]), np.array([1.5, 1.0, 2.0])
        points = (center + rng.standard_normal((1_000_000, rank)) @ factor.T) / half
        share = float((np.sum(points**2, axis=1) <= 1).mean())
        p = _ellipsoid_probability(center, factor @ factor.T, ZERO, half)
        assert abs(p - share) < 5 * math.sqrt(p * (1 - p) / 1e6)

    def test_one_axis_is_an_interval(self) -> None:
        p = _ellipsoid_probability(ONE, np.diag([4.0, 1.0, 1.0]), ZERO, np.array([3.0, inf, inf]))
        assert p == pytest.approx(probability_between(1, 2, -3, 3), abs=1e-14)

    def test_without_variance_all_is_certain(self) -> None:
        v = np.zeros((3, 3))
        assert _ellipsoid_probability(ZERO, v, ZERO, ONE) == 1.0
        assert _ellipsoid_probability(ONE, v, ZERO, ONE) == 0.0
        assert _ellipsoid_probability(ONE, v, ZERO, np.full(3, inf)) == 1.0
        v[0, 0] = 1.0
        assert _ellipsoid_probability(np.array([0.0, 0.6, 0.0]), v, ZERO, ONE) == pytest.approx(
            probability_between(0, 1, -0.8, 0.8)
        )

    @pytest.mark.parametrize("half", [0.0, -1.0, math.nan])
    def test_half_axes_are_positive(self, half: float) -> None:
        with pytest.raises(UsageError, match="positive"):
            _ellipsoid_probability(ZERO, np.eye(3), ZERO, np.array([1.0, half, 1.0]))
