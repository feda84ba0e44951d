"""Samples of a roll-up: options, statistics, histograms, and their agreement with first order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from massprops_cli.rollups.covariance import packed_covariances
from massprops_cli.rollups.inputs import SampleOptions

_Floats = NDArray[np.float64]
_Counts = NDArray[np.int64]
FEW_SAMPLES = 100  # samples below which fourth moments, and so statistical errors, are inaccurate
_OCTAVES, _BINS_PER_OCTAVE = 24, 128  # powers of two of the histogram, and bins in each
_HISTOGRAM_SIZE = 1 + _OCTAVES * _BINS_PER_OCTAVE
"""Bins for one sign: the first holds all that is smaller than the others."""
_BARS_PER_HISTOGRAM = 48
"""Between half as many bars and all of them show twice the spread between the 5 % and 95 % points."""
_DROPPED_BITS = 52 - (_BINS_PER_OCTAVE.bit_length() - 1)  # of the 52 of the fraction of a float64; 7 number the bins


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SampleTally:
    """Sums over samples of r results of k items."""

    n: _Counts  # (k, r) samples in which a result is defined
    powers: _Floats  # (4, k, r) sums of the first four powers of the deviations
    products: _Floats  # (k, t, t), t = min(r, 10): sums of products of two of the first ten deviations

    @classmethod
    def empty(cls, k: int, r: int) -> SampleTally:
        """Return a tally of no samples."""
        both = min(r, 10)
        return cls(np.zeros((k, r), np.int64), np.zeros((4, k, r)), np.zeros((k, both, both)))

    def count(self, row: int, deviations: _Floats) -> None:
        """Add deviations (r, b) of one item from its nominal values; those not finite are set to 0 and not counted."""
        sums = np.add.reduce(deviations, axis=1)
        self.n[row] += deviations.shape[1]
        if not np.isfinite(sums).all():
            lost = ~np.isfinite(deviations)
            deviations[lost] = 0.0
            self.n[row] -= lost.sum(axis=1)
            sums = deviations.sum(axis=1)
        squares = deviations * deviations
        self.powers[0, row] += sums
        self.powers[1, row] += np.add.reduce(squares, axis=1)
        self.powers[2, row] += np.einsum("qb,qb->q", squares, deviations)
        self.powers[3, row] += np.einsum("qb,qb->q", squares, squares)
        ten = deviations[:10]
        self.products[row] += ten @ ten.T

    def add(self, other: SampleTally) -> None:
        """Add the sums of other samples."""
        self.n[...] += other.n
        self.powers[...] += other.powers
        self.products[...] += other.products

    def shift(self) -> _Floats:
        """Return the means minus nominal values (k, r), units of the results; NaN without samples."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(self.powers[0] / self.n)

    def sigma(self) -> _Floats:
        """Return the sample standard deviations (k, r), over n − 1; NaN for less than two samples."""
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            square = (self.powers[1] - self.powers[0] ** 2 / self.n) / (self.n - 1)
        return np.asarray(np.sqrt(np.maximum(square, 0.0)))

    def sigma_error(self) -> _Floats:
        """Return the statistical errors of the sigmas (k, r), √((μ₄ − σ⁴)/n) / 2σ, for any distribution."""
        with np.errstate(all="ignore"):  # fourth powers leave double precision long before the sigmas do
            first, second, third, fourth = self.powers / self.n
            square = np.maximum(second - first**2, 0.0)
            about_mean = fourth - 4 * first * third + 6 * first**2 * second - 3 * first**4
            error = np.sqrt(np.maximum(about_mean - square**2, 0.0) / self.n) / (2 * np.sqrt(square))
            of_normal = self.sigma() / np.sqrt(2 * (self.n - 1))
        # few samples hardly reach the tails: at least the error of a normal distribution, σ/√(2(n − 1))
        error = np.where(self.n < FEW_SAMPLES, np.fmax(error, of_normal), error)
        return np.where(square == 0.0, 0.0, error)

    def covariance(self) -> _Floats:
        """Return the sample covariances (k, 55) of the first ten results, upper triangles row by row."""
        sums, n = self.powers[0, :, :10], self.n[:, :1, None]
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            return packed_covariances((self.products - sums[:, :, None] * sums[:, None, :] / n) / (n - 1))


@dataclass(slots=True)
class StreamingHistogram:
    """Counts of deviations by size."""

    top: int  # number of the largest power of two
    counts: _Counts  # (2, size) below and above 0, by size
    zeros: int  # number of deviations that are 0

    @classmethod
    def empty(cls) -> StreamingHistogram:
        """Return a histogram of nothing."""
        return cls(_OCTAVES, np.zeros((2, _HISTOGRAM_SIZE), np.int64), 0)

    @classmethod
    def of(cls, deviations: _Floats) -> StreamingHistogram:
        """Return the histogram of deviations (n,), any unit; those that are not finite are not counted."""
        counted = deviations[np.isfinite(deviations) & (deviations != 0)]
        bins = np.abs(counted).view(np.int64) >> _DROPPED_BITS
        top = max(int(bins.max(initial=0)) // _BINS_PER_OCTAVE, _OCTAVES)
        place = np.maximum(bins - _first_bin(top), 0)
        place += _HISTOGRAM_SIZE * (counted > 0)
        counts = np.bincount(place, minlength=2 * _HISTOGRAM_SIZE).reshape(2, _HISTOGRAM_SIZE)
        return cls(top, counts, int(np.count_nonzero(deviations == 0)))

    def add(self, other: StreamingHistogram) -> None:
        """Add other counts, in any order."""
        top = max(self.top, other.top)
        self.counts = self.up_to(top) + other.up_to(top)
        self.top = top
        self.zeros += other.zeros

    def up_to(self, top: int) -> _Counts:
        """Return the counts (2, size) in the bins of a larger power of two, not below ``self.top``."""
        if (move := min((top - self.top) * _BINS_PER_OCTAVE, _HISTOGRAM_SIZE - 1)) == 0:
            return self.counts
        counts = np.zeros_like(self.counts)
        counts[:, 0] = self.counts[:, : move + 1].sum(axis=1)
        counts[:, 1 : _HISTOGRAM_SIZE - move] = self.counts[:, move + 1 :]
        return counts

    @property
    def bins(self) -> tuple[_Floats, _Floats, _Counts]:
        """Lower ends, upper ends and counts ``(b,)`` of the bins that are not empty, ascending; 0 is a bin."""
        edges = (np.arange(_first_bin(self.top), _first_bin(self.top) + _HISTOGRAM_SIZE + 1) << _DROPPED_BITS).view(
            np.float64
        )
        edges[0] = 0.0
        low = np.concatenate([-edges[:0:-1], np.zeros(1), edges[:-1]])
        high = np.concatenate([-edges[-2::-1], np.zeros(1), edges[1:]])
        counts = np.concatenate([self.counts[0, ::-1], [self.zeros], self.counts[1]])
        held = counts > 0
        return low[held], high[held], counts[held]

    @property
    def n(self) -> int:
        """Number of deviations counted."""
        return int(self.bins[2].sum())

    def points(self, percents: Sequence[float]) -> _Floats:
        """Return percentiles (k,), unit of the deviations, interpolated within their bins; NaN without samples."""
        low, high, counts = self.bins
        if not len(counts):
            return np.full(len(percents), np.nan)
        reached = np.cumsum(counts)
        wanted = np.asarray(percents) / 100.0 * reached[-1]
        k = np.minimum(np.searchsorted(reached, wanted), len(reached) - 1)
        return np.asarray(low[k] + (wanted - (reached[k] - counts[k])) / counts[k] * (high[k] - low[k]))

    def share_below(self, deviation: float) -> float:
        """Return the share at or below a deviation, interpolated within its bin."""
        low, high, counts = self.bins
        if not len(counts):
            return float("nan")
        whole = high <= deviation
        part = (low < deviation) & ~whole
        inside = (deviation - low[part]) / (high[part] - low[part])
        return float((counts[whole].sum() + inside @ counts[part]) / counts.sum())

    def bars(self) -> tuple[_Floats, _Counts]:
        """Return edges (b + 1,) and counts (b,) of equal bars for a plot; the outermost include all beyond them."""
        low, high, counts = self.bins
        if not len(counts):
            return np.zeros(1), np.zeros(0, np.int64)
        p5, p95 = self.points((5.0, 95.0)).tolist()
        spread = p95 - p5
        # a power of two wide, from a multiple of it: every bar consists of complete bins, and its count is exact
        width = 2.0 ** np.ceil(np.log2(max(2.0 * spread, 1e-300) / _BARS_PER_HISTOGRAM))
        first = np.floor(max(low[0], p5 - spread) / width)
        n = max(int(np.ceil(min(high[-1], p95 + spread) / width) - first), 1)
        with np.errstate(over="ignore"):  # what lies beyond double precision lies in the outermost bar
            place = np.clip(np.floor((low + high) / 2 / width) - first, 0, n - 1).astype(np.intp)
        sums = np.bincount(place, weights=counts, minlength=n)
        return (first + np.arange(n + 1)) * width, np.rint(sums).astype(np.int64)


def _first_bin(top: int) -> int:
    """Return the number of the bin that holds all smaller ones, when ``top`` is the largest power of two."""
    return (top + 1) * _BINS_PER_OCTAVE - _HISTOGRAM_SIZE


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SampledDistribution:
    """The sampled distribution of one item: ``SAMPLED_RESULTS``, then the three principal moments."""

    item: int
    percentiles: _Floats  # (5, 16) rows as in ``PERCENTILES``
    edges: Sequence[_Floats]  # (b + 1,) of the bars of each result
    counts: Sequence[_Counts]  # (b,) of the bars of each result; the outermost include everything beyond
    n: int
    event_counts: Sequence[int]  # samples in which each event was true
    mean: _Floats  # (16,) NaN where undefined
    sigma: _Floats  # (16,)
    nominal: _Floats  # (16,) values from which fine is measured
    fine: Sequence[StreamingHistogram]  # deviations from nominal in finer bins
    sigma_error: _Floats  # (16,) statistical errors of the sigmas
    kept: _Floats | None = None  # (n, 13) the samples, if stored; NaN where undefined

    def share_below(self, result: int, limit: float) -> float:
        """Return the share of samples of a result up to a limit, interpolated: docs/formulas.md, section 11."""
        return self.fine[result].share_below(limit - float(self.nominal[result]))

    def points(self, result: int, percents: Sequence[float]) -> _Floats:
        """Return percentiles (k,) of one result, in its unit; NaN without samples."""
        return np.asarray(self.nominal[result] + self.fine[result].points(percents))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SampledRollup:
    """Sampled results of k assemblies, columns in the order of ``SAMPLED_RESULTS``; NaN where undefined."""

    sampling: SampleOptions
    items: NDArray[np.int32]  # (k,) ascending
    mean: _Floats  # (k, 13) centres from the origin of the table, tensors about the own centre of each sample
    sigma: _Floats  # (k, 13)
    covariance: _Floats  # (k, 55) of the first ten results, upper triangle row by row
    watched: Sequence[SampledDistribution]  # the root and the requested items
    shift: _Floats  # (k, 13) mean minus nominal value, with all its digits
    sigma_error: _Floats  # (k, 13) statistical error of sigma
    n: _Counts  # (k, 13) samples with the result defined; a radius of gyration is not where the moment is negative

    @property
    def shift_error(self) -> _Floats:
        """Statistical errors of the means ``(k, 13)``, σ/√n, in the units of the results."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(self.sigma / np.sqrt(self.n))
