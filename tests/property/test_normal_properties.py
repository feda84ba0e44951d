"""What holds for any normal point, box and ellipsoid."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given, settings, strategies as st

from massprops_cli.rollups.regions import (
    _box_probability,
    _ellipsoid_probability,
    _probability_outside,
    normal_interval,
    probability_between,
)
from tests.examples import examples

seeds = st.integers(0, 2**32 - 1)
ranks = st.integers(1, 3)
offsets = st.floats(-3, 3)
axes = st.integers(0, 2)


def point(seed: int, rank: int) -> tuple[np.ndarray, np.ndarray, np.random.Generator]:
    """A mean, a covariance of a rank, and a generator of more."""
    rng = np.random.default_rng(seed)
    factor = rng.normal(size=(3, rank)) * 10.0 ** rng.uniform(-2, 2, (3, 1))
    return rng.normal(size=3), factor @ factor.T, rng


@settings(max_examples=examples(25), deadline=None)
@given(seeds, ranks, axes, st.floats(0.01, 0.99))
def test_a_box_cut_in_two_adds_up(seed: int, rank: int, axis: int, where: float) -> None:
    center, covariance, rng = point(seed, rank)
    sigma = np.sqrt(np.diag(covariance))
    low, high = center - sigma * rng.uniform(0, 3, 3), center + sigma * rng.uniform(0, 3, 3)
    cut_low, cut_high = low.copy(), high.copy()
    cut_low[axis] = cut_high[axis] = low[axis] + where * (high[axis] - low[axis])
    halves = _box_probability(center, covariance, low, cut_high) + _box_probability(center, covariance, cut_low, high)
    # of a point on a line, 1e-7: its correlation matrix is singular only to rounding
    assert abs(halves - _box_probability(center, covariance, low, high)) < (1e-11 if rank == 3 else 1e-7)


@settings(max_examples=examples(25), deadline=None)
@given(seeds, ranks, st.permutations([0, 1, 2]))
def test_the_order_of_the_axes_does_not_matter(seed: int, rank: int, order: list[int]) -> None:
    center, covariance, rng = point(seed, rank)
    sigma = np.sqrt(np.diag(covariance))
    low, high = center - sigma * rng.uniform(0, 3, 3), center + sigma * rng.uniform(0, 3, 3)
    turned = covariance[np.ix_(order, order)]
    box = _box_probability(center, covariance, low, high)
    assert abs(_box_probability(center[order], turned, low[order], high[order]) - box) < 1e-7
    middle, half = (low + high) / 2, high - low
    ellipsoid = _ellipsoid_probability(center, covariance, middle, half)
    assert abs(_ellipsoid_probability(center[order], turned, middle[order], half[order]) - ellipsoid) < 1e-7


@settings(max_examples=examples(25), deadline=None)
@given(seeds, st.floats(0.1, 3.0))
def test_an_ellipsoid_lies_between_the_boxes_about_and_in_it(seed: int, size: float) -> None:
    center, covariance, rng = point(seed, 3)
    half = size * np.sqrt(np.diag(covariance))
    middle = center + half * rng.normal(size=3)
    inner = _box_probability(center, covariance, middle - half / math.sqrt(3), middle + half / math.sqrt(3))
    outer = _box_probability(center, covariance, middle - half, middle + half)
    p = _ellipsoid_probability(center, covariance, middle, half)
    assert inner - 1e-12 <= p <= outer + 1e-12


@settings(max_examples=examples(25), deadline=None)
@given(seeds, st.floats(-8.0, 8.0))
def test_turning_space_does_not_change_a_sphere(seed: int, decade: float) -> None:
    center, covariance, rng = point(seed, 3)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    radius = np.full(3, float(np.sqrt(np.trace(covariance))))
    far = np.full(3, 10.0**decade)
    p = _ellipsoid_probability(center, covariance, np.zeros(3), radius)
    assert abs(_ellipsoid_probability(turn @ center, turn @ covariance @ turn.T, np.zeros(3), radius) - p) < 1e-10
    moved = _ellipsoid_probability(center + far, covariance, far, radius)
    assert abs(moved - p) < 1e-10 + 1e-14 * 10.0**decade / float(np.sqrt(np.linalg.eigvalsh(covariance)[0]))


@given(offsets, st.floats(1e-6, 1e6), offsets, offsets, st.floats(1e-6, 1 - 1e-6))
def test_one_variable(value: float, sigma: float, a: float, b: float, level: float) -> None:
    low, high = sorted((value + a * sigma, value + b * sigma))
    assert abs(probability_between(value, sigma, low, high) + _probability_outside(value, sigma, low, high) - 1) < 1e-15
    assert abs(probability_between(value, sigma, *normal_interval(value, sigma, level)) - level) < 1e-9
