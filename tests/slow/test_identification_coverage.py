"""The 95 % intervals of identified parameters hold the true values in 95 % of simulated measurements."""

from __future__ import annotations

import numpy as np
import pytest

from tests.identification_cases import ROBOTS, coverage


@pytest.mark.slow
@pytest.mark.parametrize("robot", sorted(ROBOTS))
def test_intervals_of_95_percent_hold_the_truth_in_a_thousand_runs(robot):
    pytest.importorskip("scipy")
    inside = coverage(robot, 1000)
    print(f"{robot}: {100 * inside.mean():.2f} % of {inside.size:,} intervals")
    assert 0.94 <= inside.mean() <= 0.96
    assert np.abs(inside.mean(axis=0) - 0.95).max() < 0.035  # each parameter: 5 σ of a thousand
