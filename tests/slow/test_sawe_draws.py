"""The example of SAWE paper 3360, its two parts drawn four million times, against first and second order."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

import massprops_cli as mp
from massprops_cli.bom.results.result import Result
from massprops_cli.rollups.inputs import SAMPLED_RESULTS, RollupInputs
from massprops_cli.rollups.rollup import roll_up
from tests.oracles.flat import six

pytestmark = pytest.mark.slow

DRAWS = 4_000_000
ERRORS = 5.0
"""Statistical errors that a sample may be off."""


def drawn(sample_data: Path, share: float) -> Result:
    """Roll the example up by drawing, with sigmas of so much of what they are."""
    with (sample_data / "sawe_example.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        for name, cell in row.items():
            if name.startswith("sigma") and cell:
                row[name] = repr(share * float(cell))
    return mp.rollup(mp.Bom.from_records(rows), uncertainty="montecarlo", samples=DRAWS, seed=1)


def root_of(result: Result) -> tuple[np.ndarray, np.ndarray]:
    """Sampled means and sigmas of the root, in the order of ``SAMPLED_RESULTS``."""
    sampled = result.rollup.sampled
    assert sampled is not None
    at = sampled.items.tolist().index(result.root_item)
    return sampled.mean[at], sampled.sigma[at]


def test_sampled_sigmas_are_those_of_first_order(sample_data: Path) -> None:
    """Sigmas a hundred times smaller, so that second order is far below the statistical error of 1 / sqrt(2 N)."""
    result = drawn(sample_data, 0.01)
    bom, root = result.bom, result.root_item
    exact = roll_up(RollupInputs.of(bom.tree, bom.bodies, bom.sigmas, bom.quantity), method="covariance")
    assert exact.sigmas is not None
    assert exact.sigmas.center is not None
    assert exact.sigmas.inertia is not None
    assert exact.sigma_radii is not None
    first = [exact.sigmas.mass[root], *exact.sigmas.center[root], *exact.sigmas.inertia[root], *exact.sigma_radii[root]]
    _, sigma = root_of(result)
    assert len(sigma) == len(SAMPLED_RESULTS)
    ratio = sigma / np.array(first)
    assert np.abs(ratio - 1).max() < ERRORS / (2 * DRAWS) ** 0.5


def test_shifts_of_the_means_are_those_of_second_order(sample_data: Path) -> None:
    """E[c] − c = −V[m,h] / m², E[I] − I = tr(X) 1 − X with X = Σ m diag(s_c²) − V[h,h] / m (docs/formulas.md)."""
    result = drawn(sample_data, 1.0)
    bom, root = result.bom, result.root_item
    bodies, sigmas = bom.bodies, bom.sigmas
    assert sigmas is not None
    assert sigmas.center is not None
    rolled = result.rollup
    assert rolled.bodies.center is not None
    assert rolled.bodies.inertia is not None
    leaves = np.flatnonzero(bom.tree.is_leaf())
    m, v = rolled.bodies.mass[root], rolled.covariance_of(root)
    x = np.diag(bodies.mass[leaves] @ sigmas.center[leaves] ** 2) - v[1:4, 1:4] / m
    predicted = np.concatenate([[0.0], -v[0, 1:4] / m**2, six(np.trace(x) * np.eye(3) - x)])
    mean, sigma = root_of(result)
    middle = np.concatenate([[m], rolled.bodies.center[root], rolled.bodies.inertia[root]])
    shift = mean[:10] - middle
    error = sigma[:10] / DRAWS**0.5
    assert np.abs((shift - predicted) / error).max() < ERRORS
    # without the prediction the difference would be seen
    assert np.abs(shift / error).max() > 4 * ERRORS
