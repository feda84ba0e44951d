"""Probabilities of polygons: against products, boxes, angles and half planes in closed form."""

from __future__ import annotations

from math import asin, erf, pi, sqrt

import numpy as np
import pytest

from massprops_cli.rollups.regions import _box_probability, crossing_edges, is_flat_polygon, polygon_probability

FAR = 1e4


def phi(z: float) -> float:
    return 0.5 * (1 + erf(z / sqrt(2)))


def rectangle(x0: float, x1: float, y0: float, y1: float) -> list[tuple[float, float]]:
    return [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]


def correlated(sx: float, sy: float, rho: float) -> np.ndarray:
    return np.array([[sx * sx, rho * sx * sy], [rho * sx * sy, sy * sy]])


@pytest.mark.parametrize("rho", [0.0, 0.5, -0.9, 0.9999])
def test_quadrant_is_an_angle(rho: float) -> None:
    # Sheppard: P(X > 0, Y > 0) = 1/4 + asin(rho)/2 pi
    chance = polygon_probability(np.zeros(2), correlated(3.0, 0.01, rho), rectangle(0.0, FAR, 0.0, FAR))
    assert chance == pytest.approx(0.25 + asin(rho) / (2 * pi), abs=1e-12)


@pytest.mark.parametrize("rho", [0.0, 0.7, -0.99])
def test_rectangle_is_a_box(rho: float) -> None:
    covariance = np.zeros((3, 3))
    covariance[:2, :2] = correlated(2.0, 5.0, rho)
    low, high = np.array([-1.0, 98.0, -np.inf]), np.array([4.0, 105.0, np.inf])
    box = _box_probability(np.array([1.0, 100.0, 0.0]), covariance, low, high)
    around = rectangle(-1.0, 4.0, 98.0, 105.0)
    for corners in (around, around[::-1], [*around, around[0]]):
        assert polygon_probability(np.array([1.0, 100.0]), covariance[:2, :2], corners) == pytest.approx(box, abs=1e-12)


def test_polygon_that_is_not_convex_is_the_sum_of_its_parts() -> None:
    ell = [(0.0, 0.0), (3.0, 0.0), (3.0, 1.0), (1.0, 1.0), (1.0, 2.0), (0.0, 2.0)]
    x, y = 0.5, 0.5
    parts = (phi(3 - x) - phi(-x)) * (phi(1 - y) - phi(-y)) + (phi(1 - x) - phi(-x)) * (phi(2 - y) - phi(1 - y))
    assert polygon_probability(np.array([x, y]), np.eye(2), ell) == pytest.approx(parts, abs=1e-13)


@pytest.mark.parametrize("slope", [1.0, 1e-3, 1e3])
def test_slanted_edge_is_a_half_plane(slope: float) -> None:
    # P(y <= slope x + 1), all other edges being far away
    covariance = correlated(1.0, 2.0, 0.6)
    far = FAR * max(1.0, slope)
    corners = [(-FAR, -slope * FAR + 1), (FAR, slope * FAR + 1), (FAR, -2 * far), (-FAR, -2 * far)]
    variance = 4.0 - 2 * slope * 1.2 + slope * slope
    expected = phi(1 / sqrt(variance))
    assert polygon_probability(np.zeros(2), covariance, corners) == pytest.approx(expected, abs=1e-10)


def test_singular_covariances() -> None:
    triangle = [(0.0, 0.0), (4.0, 0.0), (2.0, 2.0)]
    # on the line y = 1 the triangle reaches from 1 to 3
    only_x = polygon_probability(np.array([2.0, 1.0]), correlated(1.0, 0.0, 0.0), triangle)
    assert only_x == pytest.approx(phi(1) - phi(-1), abs=1e-14)
    # on x = 2 from 0 to 2, and on y = x − 1 from (1, 0) to (2.5, 1.5)
    only_y = polygon_probability(np.array([2.0, 1.0]), correlated(0.0, 2.0, 0.0), triangle)
    assert only_y == pytest.approx(phi(0.5) - phi(-0.5), abs=1e-14)
    both = polygon_probability(np.array([2.0, 1.0]), correlated(1.0, 1.0, 1.0), triangle)
    assert both == pytest.approx(phi(0.5) - phi(-1), abs=1e-12)
    on_the_edge = polygon_probability(np.array([2.0, 0.0]), correlated(2.0, 0.0, 0.0), triangle)
    assert on_the_edge == pytest.approx(phi(1) - phi(-1), abs=1e-14)
    certain = [polygon_probability(np.array([2.0, y]), np.zeros((2, 2)), triangle) for y in (1.0, 3.0)]
    assert certain == [1.0, 0.0]


def test_edges_that_cross() -> None:
    star = [(0.0, 3.0), (2.0, -3.0), (-3.0, 1.0), (3.0, 1.0), (-2.0, -3.0)]
    assert crossing_edges(star) is not None
    assert crossing_edges(rectangle(0.0, 1.0, 0.0, 1.0)) is None
    assert crossing_edges([*rectangle(0.0, 1.0, 0.0, 1.0), (0.0, 0.0)]) is None
    assert is_flat_polygon([(0.1, 0.3), (0.2, 0.6), (0.3, 0.9)])
    assert not is_flat_polygon(rectangle(0.0, 1.0, 0.0, 1.0))
