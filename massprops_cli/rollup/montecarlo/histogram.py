"""Streaming histograms that need no range beforehand, and that give the same counts in whatever order they merge.

A bin holds the numbers with one sign and the same first bits, so it is 1/512 as wide as the power of two below its
numbers: 2σ from the nominal value that is σ/256 or finer, and interpolation inside the bin is far finer still.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

_DROPPED_BITS = 52 - 9
BARS = 48
"""About so many bars show a distribution between its 5 % and 95 % points and twice as far out."""


@dataclass(frozen=True, slots=True)
class Histogram:
    """Counts of deviations: ``keys (b,)`` ascending number the bins, ``counts (b,)`` say how many lie in each.

    >>> two = Histogram.of(np.array([1.0, 3.0])).merged(Histogram.of(np.array([1.0])))
    >>> two.counts.tolist(), two.share_below(2.0)
    ([2, 1], 0.6666666666666666)
    """

    keys: Counts
    counts: Counts

    @classmethod
    def empty(cls) -> Histogram:
        """Nothing counted."""
        return cls(np.zeros(0, np.int64), np.zeros(0, np.int64))

    @classmethod
    def of(cls, deviations: Floats) -> Histogram:
        """Count deviations ``(n,)``; those that are not finite are left out."""
        finite = np.ascontiguousarray(deviations[np.isfinite(deviations)])
        keys = np.abs(finite).view(np.int64) >> _DROPPED_BITS
        np.negative(keys, out=keys, where=finite < 0)
        keys[finite < 0] -= 1
        return cls(*_counted(keys, np.ones(len(keys), np.int64)))

    def merged(self, other: Histogram) -> Histogram:
        """Add up two histograms."""
        keys = np.concatenate([self.keys, other.keys])
        return Histogram(*_counted(keys, np.concatenate([self.counts, other.counts])))

    @property
    def n(self) -> int:
        """How many were counted."""
        return int(self.counts.sum())

    def low(self) -> Floats:
        """Give the lower ends of the bins ``(b,)``."""
        return _start(self.keys)

    def high(self) -> Floats:
        """Give the upper ends of the bins ``(b,)``."""
        return _start(self.keys + 1)

    def points(self, percents: Sequence[float]) -> Floats:
        """Give the deviations below which so many percent lie, interpolated within their bins; NaN without any."""
        if not len(self.keys):
            return np.full(len(percents), np.nan)
        reached = np.cumsum(self.counts)
        wanted = np.asarray(percents) / 100.0 * reached[-1]
        k = np.minimum(np.searchsorted(reached, wanted), len(reached) - 1)
        inside = (wanted - (reached[k] - self.counts[k])) / self.counts[k]
        low, high = self.low()[k], self.high()[k]
        return np.asarray(low + inside * (high - low))

    def share_below(self, deviation: float) -> float:
        """Give the share at or below a deviation, interpolated within its bin; NaN without any."""
        if not len(self.keys):
            return float("nan")
        low, high = self.low(), self.high()
        inside = np.clip((deviation - low) / (high - low), 0.0, 1.0)
        return float(inside @ self.counts / self.counts.sum())

    def bars(self) -> tuple[Floats, Counts]:
        """Give edges ``(b + 1,)`` and counts ``(b,)`` of equal bars to draw; the outermost hold all that lies beyond.

        A bar is a power of two wide and begins at a multiple of that from the nominal value, so it is made of whole
        bins and its count is exact.
        """
        if not len(self.keys):
            return np.zeros(1), np.zeros(0, np.int64)
        p5, p95 = self.points((5.0, 95.0)).tolist()
        width = 2.0 ** np.ceil(np.log2(max(3.0 * (p95 - p5), 1e-300) / BARS))
        first = np.floor(max(self.low()[0], p5 - 1.5 * (p95 - p5)) / width)
        last = np.ceil(min(self.high()[-1], p95 + 1.5 * (p95 - p5)) / width)
        n = max(int(last - first), 1)
        middle = 0.5 * (self.low() + self.high())
        place = np.clip(np.floor(middle / width) - first, 0, n - 1).astype(np.intp)
        counts = np.bincount(place, weights=self.counts, minlength=n)
        return (first + np.arange(n + 1)) * width, np.rint(counts).astype(np.int64)


def _counted(keys: Counts, counts: Counts) -> tuple[Counts, Counts]:
    unique, place = np.unique(keys, return_inverse=True)
    return unique, np.rint(np.bincount(place, weights=counts, minlength=len(unique))).astype(np.int64)


def _start(keys: Counts) -> Floats:
    """Give the numbers at which bins begin; a negative key −1 − k begins at minus the end of bin k."""
    bits = np.where(keys < 0, -keys, keys) << _DROPPED_BITS
    return np.copysign(bits.view(np.float64), keys)
