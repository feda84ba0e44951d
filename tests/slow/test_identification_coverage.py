"""The 95 % intervals of identified parameters hold the true values in 95 % of simulated measurements."""

from __future__ import annotations

import numpy as np
import pytest

from tests.identification_cases import ROBOTS, coverage


@pytest.mark.slow
@pytest.mark.parametrize("correlated", [0.0, 0.1])
@pytest.mark.parametrize("robot", sorted(ROBOTS))
def test_intervals_of_95_percent_hold_the_truth_in_a_thousand_runs(robot, correlated):
    pytest.importorskip("scipy")
    inside, chances = coverage(robot, 1000, correlated=correlated)
    print(f"{robot}, {correlated} s: {100 * inside.mean():.2f} % of {inside.size:,} intervals; {inside.mean(axis=0)}")
    print(f"the table, which is true, is rejected at 5 % in {100 * np.mean(chances < 0.05):.1f} %")
    assert 0.94 <= inside.mean() <= 0.96
    assert np.abs(inside.mean(axis=0) - 0.95).max() < 0.035  # of one parameter: 5 σ of a thousand
    assert np.mean(chances < 0.05) < 0.07
