"""What one child adds to its parent's covariance: T V Tᵀ, packed, for arrays of children (FORMULAS 4).

``d (3, n)`` are the children's centres seen from their parents'.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from massprops_cli.rollup.covariance.moving import moved
from massprops_cli.rollup.covariance.packed import PAIRS, PLACE, VARIANCES

Floats = NDArray[np.float64]

TOUCHED = tuple(tuple(k for k, p in enumerate(moved(unit, (2.0, 3.0, 5.0))) if p) for unit in np.eye(10).tolist()[1:4])
"""For hx, hy, hz: which parameters an error of it reaches when the reference point moves."""


def part_terms(variances: Floats, d: Floats) -> Floats:
    """Give the 55 numbers ``(55, n)`` of parts whose ten errors are independent.

    ``variances (10, n)`` are those of the ten parameters about the part's own centre. An error of mass reaches all
    ten, one of a first moment five, one of a tensor entry only itself.
    """
    n = d.shape[1]
    one, nothing = np.ones(n), np.zeros(n)
    of_mass = moved((one, *[0.0] * 9), d)
    scaled = [variances[0] * p for p in of_mass]
    terms = np.empty((55, n))
    for k, (a, b) in enumerate(PAIRS):
        np.multiply(scaled[a], of_mass[b], out=terms[k])
    for axis in range(3):
        unit = [nothing] * 10
        unit[1 + axis] = one
        of_moment, reached = moved(unit, d), TOUCHED[axis]
        scaled = [variances[1 + axis] * of_moment[k] for k in reached]
        for i, a in enumerate(reached):
            for b in reached[i:]:
                terms[PLACE[a, b]] += scaled[i] * of_moment[b]
    for j in range(4, 10):
        terms[VARIANCES[j]] += variances[j]
    return terms


def branch_terms(packed: Floats, d: Floats) -> Floats:
    """Give T V Tᵀ ``(55, n)`` of branches with covariances ``packed (55, n)`` about their own centres."""
    half = [moved([packed[PLACE[a, j]] for a in range(10)], d) for j in range(10)]
    terms = np.empty(packed.shape)
    for a in range(10):
        row = moved([half[j][a] for j in range(10)], d)
        for b in range(a, 10):
            terms[PLACE[a, b]] = row[b]
    return terms
