"""What is asked of a simulation, and what it gives back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

RESULTS = ("mass", "Cx", "Cy", "Cz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz", "kx", "ky", "kz")
"""What is sampled of every item; tensors are about the sample's own centre."""
PERCENTS = (5.0, 50.0, 80.0, 90.0, 95.0)


@dataclass(frozen=True, slots=True)
class Sampling:
    """How to sample: how often, from which seed, errors of which kind, on how many cores or on which Dask scheduler."""

    samples: int = 10_000
    seed: int = 0
    distribution: str = "normal"
    workers: int = 1
    scheduler: str = ""


@dataclass(frozen=True, slots=True)
class Watched:
    """The sampled distribution of one item.

    ``percentiles (5, 16)`` belong to ``PERCENTS`` and to ``RESULTS`` with the three principal moments after them;
    ``edges[q] (b + 1,)`` and ``counts[q] (b,)`` are a histogram of each.
    """

    item: int
    percentiles: Floats
    edges: Sequence[Floats]
    counts: Sequence[Counts]

    def share_below(self, result: int, limit: float) -> float:
        """Give the share of samples of result number ``result`` at or below a limit, within a bin of the histogram."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Sampled:
    """What was sampled, for the assemblies ``items (k,)``.

    ``mean`` and ``sigma (k, 13)`` belong to ``RESULTS``; NaN where a result is undefined. ``covariance (k, 55)`` holds
    the sample covariance of the first ten, the upper triangle row by row. ``watched`` are the root and the items that
    were asked for.
    """

    sampling: Sampling
    items: NDArray[np.int32]
    mean: Floats
    sigma: Floats
    covariance: Floats
    watched: Sequence[Watched] = field(default=())
