"""Gauss–Legendre quadrature over an interval cut where the integrand changes its form."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

REACH = 9.0
"""Standard deviations beyond which nothing is left: 2 Phi(−9) = 2e-19."""
NODES = 64
"""Enough for the step of Phi over a whole piece: exact to about 1e-14."""


@cache
def legendre() -> tuple[Floats, Floats]:
    """Give nodes and weights ``(NODES,)`` on −1 … 1."""
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    return nodes, weights


def nodes_between(low: float, high: float, cuts: Floats) -> tuple[Floats, Floats]:
    """Give nodes and weights ``(pieces · NODES,)`` for the integral from ``low`` to ``high``, cut at ``cuts (k,)``.

    Cuts outside the interval, and those that are not numbers, are left out.

    >>> x, w = nodes_between(0.0, 3.0, np.array([1.0, 7.0]))
    >>> len(x) == 2 * NODES, f"{np.sum(w * x**2):.12f}"
    (True, '9.000000000000')
    """
    inside = cuts[(cuts > low) & (cuts < high)]
    ends = np.unique(np.concatenate([[low], inside, [high]]))
    middle, half = (ends[1:] + ends[:-1]) / 2, (ends[1:] - ends[:-1]) / 2
    nodes, weights = legendre()
    return (middle[:, None] + half[:, None] * nodes).ravel(), (half[:, None] * weights).ravel()
