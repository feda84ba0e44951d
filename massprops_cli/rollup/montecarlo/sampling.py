"""What a simulation gives back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from massprops_cli.rollup.montecarlo.histogram import Histogram
from massprops_cli.rollup.montecarlo.request import Sampling

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


def _none(*shape: int) -> Floats:
    return np.full(shape, np.nan)


@dataclass(frozen=True, slots=True)
class Watched:
    """The sampled distribution of one item.

    ``percentiles (5, 16)`` belong to ``PERCENTS`` and to ``RESULTS`` with the three principal moments after them;
    ``edges[q] (b + 1,)`` and ``counts[q] (b,)`` are a histogram of each, its outermost bars holding all that lies
    beyond them. ``mean`` and ``sigma (16,)`` are those of the samples, NaN where undefined; ``sigma_error (16,)`` is
    the statistical error of ``sigma``. ``event_counts`` says for how many of the ``n`` samples each event was true.
    ``fine`` counts deviations from ``nominal (16,)`` in bins that are finer than those to be drawn.
    """

    item: int
    percentiles: Floats
    edges: Sequence[Floats]
    counts: Sequence[Counts]
    n: int = 0
    event_counts: Sequence[int] = ()
    mean: Floats = field(default_factory=lambda: _none(16))
    sigma: Floats = field(default_factory=lambda: _none(16))
    nominal: Floats = field(default_factory=lambda: _none(16))
    fine: Sequence[Histogram] = ()
    sigma_error: Floats = field(default_factory=lambda: _none(16))

    def share_below(self, result: int, limit: float) -> float:
        """Give the share of samples of result number ``result`` at or below a limit, within a bin of the histogram."""
        return self.fine[result].share_below(limit - float(self.nominal[result]))

    def points(self, result: int, percents: Sequence[float]) -> Floats:
        """Give the values of result number ``result`` below which so many percent of the samples lie."""
        return np.asarray(self.nominal[result] + self.fine[result].points(percents))


@dataclass(frozen=True, slots=True)
class Sampled:
    """What was sampled, for the assemblies ``items (k,)``, ascending.

    ``mean`` and ``sigma (k, 13)`` belong to ``RESULTS``; NaN where a result is undefined. ``covariance (k, 55)`` holds
    the sample covariance of the first ten, the upper triangle row by row. ``watched`` are the root and the items that
    were asked for. ``shift (k, 13)`` is the mean less the nominal value, with all its digits; ``sigma_error (k, 13)``
    the statistical error of ``sigma``; ``n (k, 13)`` the samples in which a result was defined: a radius of gyration
    is not where the moment comes out negative.
    """

    sampling: Sampling
    items: NDArray[np.int32]
    mean: Floats
    sigma: Floats
    covariance: Floats
    watched: Sequence[Watched] = field(default=())
    shift: Floats = field(default_factory=lambda: _none(0, 13))
    sigma_error: Floats = field(default_factory=lambda: _none(0, 13))
    n: Counts = field(default_factory=lambda: np.zeros((0, 13), np.int64))

    @property
    def shift_error(self) -> Floats:
        """The statistical errors of the means ``(k, 13)``: σ/√n."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(self.sigma / np.sqrt(self.n))
