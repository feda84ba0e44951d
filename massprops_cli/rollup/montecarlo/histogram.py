"""Streaming histograms that need no range beforehand, in bounded memory, the same in whatever order they are added up.

A bin holds the numbers with one sign and the same first bits, so it is 1/128 as wide as the power of two below its
numbers: σ/64 or finer at 2σ from the nominal value. Interpolated inside the bin, the percentiles of a smooth
distribution are exact to about (width/σ)²/8, σ/30,000. What is 2^24 times smaller than the largest shares one bin.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

OCTAVES, BINS = 24, 128
"""Powers of two that are told apart, and bins in each."""
SIZE = 1 + OCTAVES * BINS
"""Bins for one sign: the first holds all that is smaller than the others."""
BARS = 48
"""Between half as many bars and all of them show twice the spread between the 5 % and 95 % points."""

_DROPPED_BITS = 52 - (BINS.bit_length() - 1)


@dataclass(slots=True)
class Histogram:
    """Counts of deviations: ``counts (2, SIZE)`` below and above 0 by size, up to the power of two number ``top``.

    >>> two = Histogram.of(np.array([1.0, 3.0]))
    >>> two.add(Histogram.of(np.array([-1.0, 0.0])))
    >>> two.n, two.share_below(0.0), two.share_below(2.0)
    (4, 0.5, 0.75)
    """

    top: int
    counts: Counts
    zeros: int

    @classmethod
    def empty(cls) -> Histogram:
        """Nothing counted."""
        return cls(OCTAVES, np.zeros((2, SIZE), np.int64), 0)

    @classmethod
    def of(cls, deviations: Floats) -> Histogram:
        """Count deviations ``(n,)``; those that are not finite are left out."""
        counted = deviations[np.isfinite(deviations) & (deviations != 0)]
        bins = np.abs(counted).view(np.int64) >> _DROPPED_BITS
        top = max(int(bins.max(initial=0)) // BINS, OCTAVES)
        place = np.maximum(bins - _first(top), 0)
        place += SIZE * (counted > 0)
        counts = np.bincount(place, minlength=2 * SIZE).reshape(2, SIZE)
        return cls(top, counts, int(np.count_nonzero(deviations == 0)))

    def add(self, other: Histogram) -> None:
        """Add other counts; the order in which many are added makes no difference."""
        top = max(self.top, other.top)
        self.counts = self.up_to(top) + other.up_to(top)
        self.top = top
        self.zeros += other.zeros

    def up_to(self, top: int) -> Counts:
        """Give the counts ``(2, SIZE)`` as they are when larger numbers have been seen."""
        move = min((top - self.top) * BINS, SIZE - 1)
        if move == 0:
            return self.counts
        counts = np.zeros_like(self.counts)
        counts[:, 0] = self.counts[:, : move + 1].sum(axis=1)
        counts[:, 1 : SIZE - move] = self.counts[:, move + 1 :]
        return counts

    @property
    def bins(self) -> tuple[Floats, Floats, Counts]:
        """Lower ends, upper ends and counts ``(b,)`` of the bins that hold something, ascending; 0 is a bin."""
        edges = (np.arange(_first(self.top), _first(self.top) + SIZE + 1) << _DROPPED_BITS).view(np.float64)
        edges[0] = 0.0
        low = np.concatenate([-edges[:0:-1], np.zeros(1), edges[:-1]])
        high = np.concatenate([-edges[-2::-1], np.zeros(1), edges[1:]])
        counts = np.concatenate([self.counts[0, ::-1], [self.zeros], self.counts[1]])
        held = counts > 0
        return low[held], high[held], counts[held]

    @property
    def n(self) -> int:
        """How many were counted."""
        return int(self.bins[2].sum())

    def points(self, percents: Sequence[float]) -> Floats:
        """Give the deviations below which so many percent lie, interpolated within their bins; NaN without any."""
        low, high, counts = self.bins
        if not len(counts):
            return np.full(len(percents), np.nan)
        reached = np.cumsum(counts)
        wanted = np.asarray(percents) / 100.0 * reached[-1]
        k = np.minimum(np.searchsorted(reached, wanted), len(reached) - 1)
        inside = (wanted - (reached[k] - counts[k])) / counts[k]
        return np.asarray(low[k] + inside * (high[k] - low[k]))

    def share_below(self, deviation: float) -> float:
        """Give the share at or below a deviation, interpolated within its bin; NaN without any."""
        low, high, counts = self.bins
        if not len(counts):
            return float("nan")
        whole = high <= deviation
        part = (low < deviation) & ~whole
        inside = (deviation - low[part]) / (high[part] - low[part])
        return float((counts[whole].sum() + inside @ counts[part]) / counts.sum())

    def bars(self) -> tuple[Floats, Counts]:
        """Give edges ``(b + 1,)`` and counts ``(b,)`` of equal bars to draw; the outermost hold all that lies beyond.

        A bar is a power of two wide and begins at a multiple of that from the nominal value, so it is made of whole
        bins and its count is exact.
        """
        low, high, counts = self.bins
        if not len(counts):
            return np.zeros(1), np.zeros(0, np.int64)
        p5, p95 = self.points((5.0, 95.0)).tolist()
        spread = p95 - p5
        width = 2.0 ** np.ceil(np.log2(max(2.0 * spread, 1e-300) / BARS))
        first = np.floor(max(low[0], p5 - spread) / width)
        last = np.ceil(min(high[-1], p95 + spread) / width)
        n = max(int(last - first), 1)
        with np.errstate(over="ignore"):  # what lies beyond double precision lies in the outermost bar
            place = np.clip(np.floor((low + high) / 2 / width) - first, 0, n - 1).astype(np.intp)
        sums = np.bincount(place, weights=counts, minlength=n)
        return (first + np.arange(n + 1)) * width, np.rint(sums).astype(np.int64)


def _first(top: int) -> int:
    """Give the number of the bin that holds all smaller ones, when ``top`` is the largest power of two."""
    return (top + 1) * BINS - SIZE
