"""Edges of regions: points on a border, certain axes, far tails, polygons that touch themselves."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest

from massprops_cli.rollups.regions import (
    CenterBox,
    CenterEllipsoid,
    NormalResults,
    ResultRange,
    _box_probability,
    _ellipsoid_probability,
    _integration_nodes,
    _line_probabilities,
    _probability_outside,
    crossing_edges,
    edge_abscissas,
    is_flat_polygon,
    is_inside_polygon,
    normal_cdf,
    polygon_probability,
)

inf = math.inf
ZERO = np.zeros(3)


def samples(*centers: tuple[float, float, float]) -> np.ndarray:
    """Give samples of 13 results of which only the centre is set."""
    found = np.full((len(centers), 13), 99.0)
    found[:, 1:4] = centers
    return found


def two_sided(z: float) -> float:
    return math.erf(z / math.sqrt(2))


class TestBox:
    def test_a_sample_on_a_side_is_inside(self) -> None:
        box = CenterBox((0.0, -inf, 1.0), (2.0, 5.0, inf))
        found = box(samples((0, 5, 1), (2, -9, 7), (2.01, 0, 2), (1, 5.01, 2), (1, 0, 0.99), (-0.01, 0, 2)))
        assert found.tolist() == [True, True, False, False, False, False]
        assert list(box.results) == [1, 2, 3]
        assert list(CenterBox((-inf, -inf, 1.0), (inf, 3.0, inf)).results) == [2, 3]
        assert list(CenterBox((0.0, -inf, -inf), (inf, inf, inf)).results) == [1]

    def test_an_open_side_does_not_decide(self) -> None:
        box = CenterBox((-inf, -inf, 1.0), (inf, inf, 3.0))
        assert box(samples((1e9, -1e9, 1.0), (0, 0, 3.5))).tolist() == [True, False]

    @pytest.mark.parametrize("side", [-1.0, 1.0])
    @pytest.mark.parametrize("axis", range(3))
    def test_a_certain_axis_on_a_side_is_inside(self, axis: int, side: float) -> None:
        variance = np.delete(np.ones(3), axis)
        covariance = np.diag(np.insert(variance, axis, 0.0))
        center = np.insert(np.zeros(2), axis, side)
        expected = two_sided(1.0) ** 2
        assert _box_probability(center, covariance, -np.ones(3), np.ones(3)) == pytest.approx(expected, abs=1e-13)
        center[axis] = 1.001 * side
        assert _box_probability(center, covariance, -np.ones(3), np.ones(3)) == 0.0

    def test_nothing_is_in_a_box_without_extent(self) -> None:
        assert _box_probability(ZERO, np.eye(3), np.ones(3), np.array([2.0, 2.0, 0.5])) == 0.0
        assert _box_probability(ZERO, np.zeros((3, 3)), np.zeros(3), np.zeros(3)) == 1.0

    @pytest.mark.parametrize("sign", [-1, 1])
    def test_independent_axes_keep_the_digits_of_the_tails(self, sign: int) -> None:
        low, high = sorted((10.0 * sign, 11.0 * sign))
        found = _box_probability(ZERO, np.eye(3), np.array([low, -1.0, -inf]), np.array([high, 1.0, inf]))
        assert found == pytest.approx((normal_cdf(-10.0) - normal_cdf(-11.0)) * two_sided(1.0), rel=1e-12)

    def test_axes_that_are_one_variable(self) -> None:
        """X, Y = 2 X, Z = −X: what is left is the narrowest of the three intervals."""
        way = np.array([1.0, 2.0, -1.0])
        found = _box_probability(ZERO, np.outer(way, way), np.array([-3.0, -1.0, -2.0]), np.array([1.0, 4.0, 0.25]))
        assert found == pytest.approx(normal_cdf(1.0) - normal_cdf(-0.25), abs=1e-13)

    @pytest.mark.parametrize("order", list(permutations(range(3))))
    def test_quadrants_of_two_variables_and_a_third(self, order: tuple[int, ...]) -> None:
        """P(X < 0, Y < 0) = 1/4 + asin(ρ)/2π (Sheppard), times P(|Z| < 1/2) of an independent Z."""
        covariance = np.eye(3)
        covariance[0, 1] = covariance[1, 0] = -0.8
        at = list(order)
        low, high = np.array([-inf, -inf, -0.5])[at], np.array([0.0, 0.0, 0.5])[at]
        expected = (0.25 + math.asin(-0.8) / (2 * math.pi)) * two_sided(0.5)
        assert _box_probability(ZERO, covariance[np.ix_(at, at)], low, high) == pytest.approx(expected, abs=1e-13)

    @pytest.mark.parametrize("correlation", [0.999, -0.5])
    def test_an_octant(self, correlation: float) -> None:
        """P(X, Y, Z < 0) = 1/8 + (asin ρ12 + asin ρ13 + asin ρ23)/4π."""
        r = np.array([[1.0, correlation, 0.3], [correlation, 1.0, 0.3], [0.3, 0.3, 1.0]])
        expected = 0.125 + (math.asin(correlation) + 2 * math.asin(0.3)) / (4 * math.pi)
        found = _box_probability(ZERO, r, np.full(3, -inf), ZERO)
        assert found == pytest.approx(expected, abs=1e-12)

    def test_the_probability_of_almost_everything_is_at_most_1(self) -> None:
        rng = np.random.default_rng(1)
        for _ in range(6):
            factor = rng.normal(size=(3, 3))
            found = _box_probability(ZERO, factor @ factor.T, np.full(3, -99.0), np.full(3, 99.0))
            assert 1 - 1e-12 < found <= 1.0

    def test_a_strip_that_the_line_runs_along_may_have_its_border_on_it(self) -> None:
        slope, low, high = np.array([0.0, 1.0]), np.array([[0.0, -1.0]] * 3), np.array([[0.5, 1.0]] * 3)
        low[1], high[1] = (-0.5, -1.0), (0.0, 1.0)
        low[2, 0] = 0.1
        assert _line_probabilities(slope, low, high) == pytest.approx([two_sided(1.0), two_sided(1.0), 0.0])


class TestEllipsoid:
    def test_a_sample_on_the_surface_is_inside(self) -> None:
        ellipsoid = CenterEllipsoid((1.0, 0.0, 0.0), (2.0, 1.0, inf))
        found = ellipsoid(samples((3, 0, 50), (1, -1, 0), (3.01, 0, 0), (1, 1.01, 0), (2, 0.9, 0)))
        assert found.tolist() == [True, True, False, False, False]
        assert list(ellipsoid.results) == [1, 2]
        assert list(CenterEllipsoid((0.0,) * 3, (inf, inf, 2.0)).results) == [3]

    def test_a_certain_axis_on_the_surface_leaves_no_room_for_the_others(self) -> None:
        covariance = np.diag([0.0, 1.0, 1.0])
        middle, half = np.zeros(3), np.full(3, 2.0)
        assert _ellipsoid_probability(np.array([2.0, 0, 0]), covariance, middle, half) == 0.0
        assert _ellipsoid_probability(np.array([2.5, 0, 0]), covariance, middle, half) == 0.0
        assert _ellipsoid_probability(np.array([2.0, 0, 0]), np.zeros((3, 3)), middle, half) == 1.0
        assert _ellipsoid_probability(np.array([2.1, 0, 0]), np.zeros((3, 3)), middle, half) == 0.0

    @pytest.mark.parametrize("radius", [0.001, 0.5, 2.0, 12.0, 500.0])
    @pytest.mark.parametrize("sigma", [1.0, 1e-3])
    def test_the_radius_in_space(self, radius: float, sigma: float) -> None:
        """P(|X| ≤ r) = erf(r/√2) − √(2/π) r exp(−r²/2), from the distribution of Maxwell."""
        found = _ellipsoid_probability(ZERO, sigma**2 * np.eye(3), ZERO, np.full(3, radius * sigma))
        expected = two_sided(radius) - math.sqrt(2 / math.pi) * radius * math.exp(-radius * radius / 2)
        assert found == pytest.approx(expected, abs=1e-12)
        assert found <= 1.0

    @pytest.mark.spread(2)
    @pytest.mark.parametrize("away", [0.5, 3.0, 30.0])
    def test_the_distance_from_a_point_away(self, away: float) -> None:
        """P(|X + a| ≤ r) = ½[erf(p) + erf(q)] − [exp(−q²) − exp(−p²)]/(a √2π), p = (r+a)/√2, q = (r−a)/√2."""
        for radius in (away - 0.4, away, away + 1.0):
            p, q = (radius + away) / math.sqrt(2), (radius - away) / math.sqrt(2)
            expected = (math.erf(p) + math.erf(q)) / 2 - (math.exp(-q * q) - math.exp(-p * p)) / (
                away * math.sqrt(2 * math.pi)
            )
            for at in np.eye(3) * away:
                found = _ellipsoid_probability(at, np.eye(3), ZERO, np.full(3, radius))
                assert found == pytest.approx(expected, abs=1e-12)

    @pytest.mark.parametrize("small", [1e-2, 1e-4])
    def test_a_thin_scatter_is_the_interval_along_its_axis(self, small: float) -> None:
        """Off its axis by a small s the point leaves the ball where |x| > 1 − s²: within 4 s² the interval remains."""
        covariance = np.diag([1.0, small**2, small**2])
        found = _ellipsoid_probability(ZERO, covariance, ZERO, np.ones(3))
        assert found == pytest.approx(two_sided(1.0), abs=4 * small**2)


class TestPolygon:
    def test_a_corner_on_another_edge_does_not_cross_it(self) -> None:
        assert crossing_edges([(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (2.0, 0.0), (0.0, 4.0)]) is None
        assert crossing_edges([(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (2.0, -0.1), (0.0, 4.0)]) == (0, 2)
        assert crossing_edges([(0.0, 0.0), (4.0, 0.0), (4.0, 4.0)]) is None

    def test_flat_means_all_corners_on_one_line(self) -> None:
        for corners in permutations([(0.0, 0.0), (4.0, 0.0), (2.0, 1.0)]):
            assert not is_flat_polygon(corners)
        assert is_flat_polygon([(0.0, 0.1), (0.1, 0.2), (0.3, 0.4), (-7.0, -6.9)])
        assert not is_flat_polygon([(0.0, 0.0), (1.0, 1.0), (2.0, 2.0), (3.0, 3.1)])

    def test_edges_at_a_height(self) -> None:
        step = [(0.0, 0.0), (4.0, 0.0), (4.0, 2.0), (2.0, 2.0), (2.0, 4.0), (0.0, 4.0)]
        assert edge_abscissas(step, 2.0) == [0.0, 2.0, 4.0]
        assert edge_abscissas(step, 0.0) == [0.0, 4.0]
        assert edge_abscissas(step, 3.0) == [0.0, 2.0]
        assert edge_abscissas(step, 4.5) == edge_abscissas(step, -0.5) == []

    def test_points_on_edges_and_corners_are_inside(self) -> None:
        step = [(0.0, 0.0), (4.0, 0.0), (4.0, 2.0), (2.0, 2.0), (2.0, 4.0), (0.0, 4.0)]
        for x, y in [*step, (3.0, 2.0), (2.0, 3.0), (1.0, 4.0), (1.0, 2.0), (3.9, 0.1)]:
            assert is_inside_polygon(step, x, y)
        for x, y in [(3.0, 2.01), (2.01, 3.0), (5.0, 2.0), (-1.0, 2.0), (1.0, 4.1), (5.0, 0.0), (-0.1, 4.0)]:
            assert not is_inside_polygon(step, x, y)

    @pytest.mark.parametrize("turn", [0.0, 0.3, 1.0, 2.5])
    def test_turned_half_planes(self, turn: float) -> None:
        """A far-reaching rectangle whose one side is at distance d from the mean holds Phi(d)."""
        c, s = math.cos(turn), math.sin(turn)
        for d in (-1.0, 0.0, 0.7):
            corners = [(c * x - s * y, s * x + c * y) for x, y in [(-60, -50), (d, -50), (d, 70), (-60, 70)]]
            found = polygon_probability(np.zeros(2), np.eye(2), corners)
            assert found == pytest.approx(normal_cdf(d), abs=1e-13)
            assert polygon_probability(np.zeros(2), np.eye(2), corners[::-1]) == pytest.approx(found, abs=1e-14)

    def test_a_wedge_holds_its_share_of_the_circle(self) -> None:
        for angle in (0.01, 0.5, 1.5, 3.0):
            corners = [(0.0, 0.0), (1e3, 0.0), (1e3 * math.cos(angle), 1e3 * math.sin(angle))]
            far = 1e3 * math.cos(angle / 2)
            assert far > 40
            found = polygon_probability(np.zeros(2), np.eye(2), corners)
            assert found == pytest.approx(angle / (2 * math.pi), abs=1e-12)

    def test_one_certain_variable_leaves_an_interval(self) -> None:
        triangle = [(0.0, 0.0), (4.0, 0.0), (0.0, 4.0)]
        on_row = polygon_probability(np.array([1.0, 1.0]), np.diag([4.0, 0.0]), triangle)  # x from 0 to 3 at y = 1
        assert on_row == pytest.approx(normal_cdf(1.0) - normal_cdf(-0.5), abs=1e-14)
        on_column = polygon_probability(np.array([1.0, 1.0]), np.diag([0.0, 4.0]), triangle)
        assert on_column == pytest.approx(on_row, abs=1e-14)
        certain = polygon_probability(np.array([1.0, 1.0]), np.zeros((2, 2)), triangle)
        assert certain == pytest.approx(1.0, abs=1e-14)
        assert polygon_probability(np.array([3.0, 3.0]), np.zeros((2, 2)), triangle) == 0.0


class TestChance:
    def normal(self) -> NormalResults:
        mean = np.arange(13.0)
        return NormalResults(mean, np.ones(13), np.eye(3))

    def test_inside_and_outside_add_up(self) -> None:
        box = CenterBox((0.0, 1.0, 2.0), (2.0, 3.0, 4.0)).chance(self.normal())
        assert box[0] == pytest.approx(two_sided(1.0) ** 3, abs=1e-12)
        assert box[1] == pytest.approx(1 - two_sided(1.0) ** 3, abs=1e-12)
        ball = CenterEllipsoid((1.0, 2.0, 3.0), (2.0, 2.0, inf)).chance(self.normal())
        assert ball[0] == pytest.approx(1 - math.exp(-2.0), abs=1e-12)
        assert ball[1] == pytest.approx(math.exp(-2.0), abs=1e-12)
        for found in (box, ball):  # integrals state an accuracy, and it is one that makes them of use
            assert 0 < found[2] < 1e-9

    def test_a_range_is_exact_in_both_tails(self) -> None:
        above = ResultRange(4, low=14.0).chance(self.normal())
        assert above[0] == pytest.approx(normal_cdf(-10.0), rel=1e-12)
        assert above[1] == pytest.approx(1.0, abs=1e-15)
        within = ResultRange(4, low=-6.0, high=14.0).chance(self.normal())
        assert within[1] == pytest.approx(2 * normal_cdf(-10.0), rel=1e-12)
        assert within[2] == 0.0
        assert list(ResultRange(4).results) == [4]
        ends = np.tile(np.array([[2.0], [3.0], [3.1], [1.9]]), 13)
        assert ResultRange(5, 2.0, 3.0)(ends).tolist() == [True, True, False, False]

    def test_outside_of_nothing_and_of_a_certain_value(self) -> None:
        assert _probability_outside(0.0, 1.0, 2.0, 1.0) == 1.0
        assert _probability_outside(5.0, 0.0, 5.0, 6.0) == 0.0
        assert _probability_outside(5.0, 0.0, 5.5, 6.0) == 1.0


def test_integrals_are_exact_for_high_powers_between_any_cuts() -> None:
    for cuts in ([], [0.5], [-3.0, 0.0, 0.25, 9.0], [math.nan]):
        x, weight = _integration_nodes(-1.0, 2.0, np.array(cuts))
        assert weight.sum() == pytest.approx(3.0, rel=1e-14)
        assert float(weight @ x**9) == pytest.approx((2.0**10 - 1) / 10, rel=1e-13)
