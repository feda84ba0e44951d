"""Streaming histograms: the same in any order, percentiles, bars to draw."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest

from massprops_cli.rollups.inputs import PERCENTILES
from massprops_cli.rollups.montecarlo.samples import StreamingHistogram


def test_merged_in_any_order_it_is_the_histogram_of_all() -> None:
    random = np.random.default_rng(1)
    x = np.concatenate([random.standard_normal(3000) * 10.0**k for k in (-12, 0, 3)])
    whole = StreamingHistogram.of(x)
    for seed in range(3):
        merged = StreamingHistogram.empty()
        for part in np.array_split(np.random.default_rng(seed).permutation(x), 7):
            merged.add(StreamingHistogram.of(part))
        assert all((a == b).all() for a, b in zip(merged.bins, whole.bins, strict=True))


def test_percentiles_of_a_normal_distribution() -> None:
    law = NormalDist(0.3, 2.0)
    x = np.array([law.inv_cdf(p) for p in (np.arange(100_000) + 0.5) / 100_000])
    expected = [law.inv_cdf(p / 100) for p in PERCENTILES]
    assert StreamingHistogram.of(x).points(PERCENTILES) == pytest.approx(expected, abs=2.0 / 500)
    assert StreamingHistogram.of(x).share_below(1.3) == pytest.approx(law.cdf(1.3), abs=1e-4)


def test_what_is_not_a_number_is_left_out() -> None:
    histogram = StreamingHistogram.of(np.array([1.0, np.nan, 0.0, -2.0]))
    assert histogram.n == 3
    assert histogram.share_below(-1.0) == pytest.approx(1 / 3)


def test_without_samples_nothing_is_known() -> None:
    assert np.isnan(StreamingHistogram.empty().points((50.0,))).all()
    assert np.isnan(StreamingHistogram.empty().share_below(1.0))
    assert StreamingHistogram.empty().bars()[1].sum() == 0


def test_all_at_one_place() -> None:
    histogram = StreamingHistogram.of(np.zeros(10))
    assert histogram.points(PERCENTILES).tolist() == [0.0] * 5
    assert histogram.share_below(0.0) == 1.0
    assert histogram.bars()[1].tolist() == [10]


@pytest.mark.parametrize("tails", [False, True])
def test_bars_are_whole_bins(tails: bool) -> None:
    random = np.random.default_rng(2)
    x = random.standard_cauchy(20_000) if tails else random.normal(0.7, 0.1, 20_000)
    edges, counts = StreamingHistogram.of(x).bars()
    assert 20 <= len(counts) <= 64
    assert counts.sum() == len(x)
    inside = np.histogram(x, edges)[0]
    assert counts[1:-1].tolist() == inside[1:-1].tolist()
