"""Streaming histograms that need no range beforehand, and that give the same counts in whatever order they merge.

A bin holds the numbers with one sign and the same first bits, so it is 1/512 as wide as the power of two below its
numbers: 2σ from the nominal value that is σ/256 or finer, and interpolation inside the bin is far finer still.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

_DROPPED_BITS = 52 - 9
BARS = 48
"""Between half as many bars and all of them show twice the spread between the 5 % and 95 % points."""


@dataclass(frozen=True, slots=True)
class Side:
    """Counts of numbers of one sign by size: bin ``first + k`` holds ``counts[k]``; no bins when none was."""

    first: int
    counts: Counts

    @classmethod
    def of(cls, sizes: Floats) -> Side:
        """Count positive sizes ``(n,)``."""
        if not len(sizes):
            return cls(0, np.zeros(0, np.int64))
        bins = sizes.view(np.int64) >> _DROPPED_BITS
        first = int(bins.min())
        return cls(first, np.bincount(bins - first))

    def merged(self, other: Side) -> Side:
        """Add up two counts."""
        if not len(self.counts) or not len(other.counts):
            return self if len(self.counts) else other
        first = min(self.first, other.first)
        last = max(self.first + len(self.counts), other.first + len(other.counts))
        counts = np.zeros(last - first, np.int64)
        for one in (self, other):
            counts[one.first - first : one.first - first + len(one.counts)] += one.counts
        return Side(first, counts)

    def ends(self) -> tuple[Floats, Floats]:
        """Give the lower and upper ends ``(b,)`` of the bins that hold something, from small to large."""
        bins = self.first + np.flatnonzero(self.counts)
        return (bins << _DROPPED_BITS).view(np.float64), ((bins + 1) << _DROPPED_BITS).view(np.float64)


@dataclass(frozen=True)
class Histogram:
    """Counts of deviations below, at and above 0.

    >>> two = Histogram.of(np.array([1.0, 3.0])).merged(Histogram.of(np.array([-1.0, 0.0])))
    >>> two.n, two.share_below(0.0), two.share_below(2.0)
    (4, 0.5, 0.75)
    """

    below: Side
    zeros: int
    above: Side

    @classmethod
    def empty(cls) -> Histogram:
        """Nothing counted."""
        return cls.of(np.zeros(0))

    @classmethod
    def of(cls, deviations: Floats) -> Histogram:
        """Count deviations ``(n,)``; those that are not numbers are left out."""
        return cls(
            Side.of(-deviations[deviations < 0]),
            int(np.count_nonzero(deviations == 0)),
            Side.of(deviations[deviations > 0]),
        )

    def merged(self, other: Histogram) -> Histogram:
        """Add up two histograms."""
        return Histogram(self.below.merged(other.below), self.zeros + other.zeros, self.above.merged(other.above))

    @cached_property
    def bins(self) -> tuple[Floats, Floats, Counts]:
        """Lower ends, upper ends and counts ``(b,)`` of the bins that hold something, ascending; 0 is a bin."""
        near, far = self.below.ends()
        low, high = self.above.ends()
        zero, zeros = np.zeros(int(self.zeros > 0)), np.full(int(self.zeros > 0), self.zeros)
        below, above = self.below.counts, self.above.counts
        return (
            np.concatenate([-far[::-1], zero, low]),
            np.concatenate([-near[::-1], zero, high]),
            np.concatenate([below[below > 0][::-1], zeros, above[above > 0]]),
        )

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
        place = np.clip(np.floor((low + high) / 2 / width) - first, 0, n - 1).astype(np.intp)
        sums = np.bincount(place, weights=counts, minlength=n)
        return (first + np.arange(n + 1)) * width, np.rint(sums).astype(np.int64)
