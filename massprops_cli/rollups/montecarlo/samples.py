"""Streaming histograms that need no range beforehand, in bounded memory, the same in whatever order they are added up.

A bin holds the numbers with one sign and the same first bits, so it is 1/128 as wide as the power of two below its
numbers: σ/64 or finer at 2σ from the nominal value. Interpolated inside the bin, the percentiles of a smooth
distribution are exact to about (width/σ)²/8, σ/30,000. What is 2^24 times smaller than the largest shares one bin.

Power sums of deviations, which add up over blocks of samples, and the statistics that they give.

Deviations are from the nominal values, so nothing cancels however far from 0 those lie.

Options of a simulation, and the results that it samples.

How inputs are distributed: the kind of each item's errors, and the bounds that some columns state.

Output of a simulation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.rollups.covariance import packed_covariances

_Floats = NDArray[np.float64]
_Counts = NDArray[np.int64]


FEW_SAMPLES = 100
"""Samples below which fourth moments, and so the errors made of them, are guesses."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SampleTally:
    """Sums over samples of r results of k items.

    ``n (k, r)`` counts the samples in which a result is defined; ``powers (4, k, r)`` are sums of the first four
    powers of its deviation, and ``products (k, 10, 10)`` of the products of two of the first ten.
    """

    n: _Counts
    powers: _Floats
    products: _Floats

    @classmethod
    def empty(cls, k: int, r: int) -> SampleTally:
        """Nothing counted yet."""
        both = min(r, 10)
        return cls(np.zeros((k, r), np.int64), np.zeros((4, k, r)), np.zeros((k, both, both)))

    def count(self, row: int, deviations: _Floats) -> None:
        """Add deviations ``(r, b)`` of one item; those that are not finite are set to 0 and not counted."""
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
        """Mean deviations ``(k, r)``; NaN without samples."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(self.powers[0] / self.n)

    def sigma(self) -> _Floats:
        """Sample standard deviations ``(k, r)``, over n − 1; NaN for less than two samples."""
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            square = (self.powers[1] - self.powers[0] ** 2 / self.n) / (self.n - 1)
        return np.asarray(np.sqrt(np.maximum(square, 0.0)))

    def sigma_error(self) -> _Floats:
        """Statistical errors of the sigmas ``(k, r)``: sqrt((μ₄ − σ⁴)/n) / 2σ, whatever the distribution.

        Of few samples at least that of a normal law, σ/√(2(n − 1)), since they hardly reach the tails.
        """
        with np.errstate(all="ignore"):  # fourth powers leave double precision long before the sigmas do
            first, second, third, fourth = self.powers / self.n
            square = np.maximum(second - first**2, 0.0)
            about_mean = fourth - 4 * first * third + 6 * first**2 * second - 3 * first**4
            error = np.sqrt(np.maximum(about_mean - square**2, 0.0) / self.n) / (2 * np.sqrt(square))
            of_normal = self.sigma() / np.sqrt(2 * (self.n - 1))
        error = np.where(self.n < FEW_SAMPLES, np.fmax(error, of_normal), error)
        return np.where(square == 0.0, 0.0, error)

    def covariance(self) -> _Floats:
        """Sample covariances of the first ten ``(k, 55)``, the upper triangle row by row."""
        sums, n = self.powers[0, :, :10], self.n[:, :1, None]
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            return packed_covariances((self.products - sums[:, :, None] * sums[:, None, :] / n) / (n - 1))


_OCTAVES, _BINS_PER_OCTAVE = 24, 128
"""Powers of two of the histogram, and bins in each."""
_HISTOGRAM_SIZE = 1 + _OCTAVES * _BINS_PER_OCTAVE
"""Bins for one sign: the first holds all that is smaller than the others."""
_BARS_PER_HISTOGRAM = 48
"""Between half as many bars and all of them show twice the spread between the 5 % and 95 % points."""

_DROPPED_BITS = 52 - (_BINS_PER_OCTAVE.bit_length() - 1)


@dataclass(slots=True)
class StreamingHistogram:
    """Counts of deviations: ``counts (2, SIZE)`` below and above 0 by size, up to the power of two number ``top``.

    >>> two = StreamingHistogram.of(np.array([1.0, 3.0]))
    >>> two.add(StreamingHistogram.of(np.array([-1.0, 0.0])))
    >>> two.n, two.share_below(0.0), two.share_below(2.0)
    (4, 0.5, 0.75)
    """

    top: int
    counts: _Counts
    zeros: int

    @classmethod
    def empty(cls) -> StreamingHistogram:
        """Nothing counted."""
        return cls(_OCTAVES, np.zeros((2, _HISTOGRAM_SIZE), np.int64), 0)

    @classmethod
    def of(cls, deviations: _Floats) -> StreamingHistogram:
        """Count deviations ``(n,)``; those that are not finite are left out."""
        counted = deviations[np.isfinite(deviations) & (deviations != 0)]
        bins = np.abs(counted).view(np.int64) >> _DROPPED_BITS
        top = max(int(bins.max(initial=0)) // _BINS_PER_OCTAVE, _OCTAVES)
        place = np.maximum(bins - _first_bin(top), 0)
        place += _HISTOGRAM_SIZE * (counted > 0)
        counts = np.bincount(place, minlength=2 * _HISTOGRAM_SIZE).reshape(2, _HISTOGRAM_SIZE)
        return cls(top, counts, int(np.count_nonzero(deviations == 0)))

    def add(self, other: StreamingHistogram) -> None:
        """Add other counts; the order in which many are added makes no difference."""
        top = max(self.top, other.top)
        self.counts = self.up_to(top) + other.up_to(top)
        self.top = top
        self.zeros += other.zeros

    def up_to(self, top: int) -> _Counts:
        """Return the counts ``(2, SIZE)`` as they are when larger numbers have been seen."""
        move = min((top - self.top) * _BINS_PER_OCTAVE, _HISTOGRAM_SIZE - 1)
        if move == 0:
            return self.counts
        counts = np.zeros_like(self.counts)
        counts[:, 0] = self.counts[:, : move + 1].sum(axis=1)
        counts[:, 1 : _HISTOGRAM_SIZE - move] = self.counts[:, move + 1 :]
        return counts

    @property
    def bins(self) -> tuple[_Floats, _Floats, _Counts]:
        """Lower ends, upper ends and counts ``(b,)`` of the bins that hold something, ascending; 0 is a bin."""
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
        """How many were counted."""
        return int(self.bins[2].sum())

    def points(self, percents: Sequence[float]) -> _Floats:
        """Return the deviations below which so many percent lie, interpolated within their bins; NaN without any."""
        low, high, counts = self.bins
        if not len(counts):
            return np.full(len(percents), np.nan)
        reached = np.cumsum(counts)
        wanted = np.asarray(percents) / 100.0 * reached[-1]
        k = np.minimum(np.searchsorted(reached, wanted), len(reached) - 1)
        inside = (wanted - (reached[k] - counts[k])) / counts[k]
        return np.asarray(low[k] + inside * (high[k] - low[k]))

    def share_below(self, deviation: float) -> float:
        """Return the share at or below a deviation, interpolated within its bin; NaN without any."""
        low, high, counts = self.bins
        if not len(counts):
            return float("nan")
        whole = high <= deviation
        part = (low < deviation) & ~whole
        inside = (deviation - low[part]) / (high[part] - low[part])
        return float((counts[whole].sum() + inside @ counts[part]) / counts.sum())

    def bars(self) -> tuple[_Floats, _Counts]:
        """Return edges ``(b + 1,)`` and counts ``(b,)`` of equal bars to draw; the outermost hold all that lies beyond.

        A bar is a power of two wide and begins at a multiple of that from the nominal value, so it is made of whole
        bins and its count is exact.
        """
        low, high, counts = self.bins
        if not len(counts):
            return np.zeros(1), np.zeros(0, np.int64)
        p5, p95 = self.points((5.0, 95.0)).tolist()
        spread = p95 - p5
        width = 2.0 ** np.ceil(np.log2(max(2.0 * spread, 1e-300) / _BARS_PER_HISTOGRAM))
        first = np.floor(max(low[0], p5 - spread) / width)
        last = np.ceil(min(high[-1], p95 + spread) / width)
        n = max(int(last - first), 1)
        with np.errstate(over="ignore"):  # what lies beyond double precision lies in the outermost bar
            place = np.clip(np.floor((low + high) / 2 / width) - first, 0, n - 1).astype(np.intp)
        sums = np.bincount(place, weights=counts, minlength=n)
        return (first + np.arange(n + 1)) * width, np.rint(sums).astype(np.int64)


def _first_bin(top: int) -> int:
    """Return the number of the bin that holds all smaller ones, when ``top`` is the largest power of two."""
    return (top + 1) * _BINS_PER_OCTAVE - _HISTOGRAM_SIZE


SAMPLED_RESULTS = ("mass", "Cx", "Cy", "Cz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz", "kx", "ky", "kz")
"""What is sampled of every item; tensors are about the sample's own centre."""
PERCENTILES = (5.0, 50.0, 80.0, 90.0, 95.0)


@dataclass(frozen=True, slots=True)
class SampleOptions:
    """How to sample: how often, from which seed, errors of which kind, on how many cores or on which Dask scheduler."""

    samples: int = 10_000
    seed: int = 0
    distribution: str = "normal"
    workers: int = 1
    scheduler: str = ""


DISTRIBUTION_KINDS = ("normal", "lognormal", "uniform", "triangular", "truncated")
KIND_NOT_STATED = -1
"""The kind of an item whose row states none: that of ``--distribution``."""


class InputBounds(NamedTuple):
    """Least, likeliest and greatest value of one quantity ``(n,)`` each, in coherent units; NaN where not given."""

    low: _Floats
    likely: _Floats
    high: _Floats


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class InputShapes:
    """How the ten inputs of n items are distributed.

    ``kind (n,)`` int8 counts in ``DISTRIBUTION_KINDS``, or is ``KIND_NOT_STATED``. ``bounds`` holds those quantities
    that have columns of bounds, by their place in the order mass, Cx … Cz, Ixx … Iyz; ``bounded`` holds the kinds
    ``(n,)`` of these, where bounds decide what a row does not state. Where a uniform or triangular quantity has no
    bounds, it is as wide as its sigma gives (± √3 σ, ± √6 σ).
    """

    kind: NDArray[np.int8]
    bounds: Mapping[int, InputBounds] = field(default_factory=dict)
    bounded: Mapping[int, NDArray[np.int8]] = field(default_factory=dict)

    def kinds_of(self, place: int) -> NDArray[np.int8]:
        """Return the kinds ``(n,)`` of the quantity at a place.

        >>> InputShapes(np.array([-1, 2], np.int8), bounded={0: np.array([3, 2], np.int8)}).kinds_of(0).tolist()
        [3, 2]
        """
        return self.bounded.get(place, self.kind)

    def over(self, taken: Callable[[NDArray[Any], float], NDArray[Any]]) -> InputShapes:
        """Return the same of other items: ``taken`` brings an array and the value of an item that states nothing."""
        bounds = {place: InputBounds(*(taken(ends, np.nan) for ends in three)) for place, three in self.bounds.items()}
        bounded = {place: taken(kind, KIND_NOT_STATED) for place, kind in self.bounded.items()}
        return InputShapes(taken(self.kind, KIND_NOT_STATED), bounds, bounded)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SampledDistribution:
    """The sampled distribution of one item.

    ``percentiles (5, 16)`` belong to ``PERCENTILES`` and to ``SAMPLED_RESULTS`` with the three principal moments after
    them; ``edges[q] (b + 1,)`` and ``counts[q] (b,)`` are a histogram of each, its outermost bars holding all that lies
    beyond them. ``mean`` and ``sigma (16,)`` are those of the samples, NaN where undefined; ``sigma_error (16,)`` is
    the statistical error of ``sigma``. ``event_counts`` is the number of the ``n`` samples in which each event was
    true. ``fine`` counts deviations from ``nominal (16,)`` in bins that are finer than those to be drawn.
    """

    item: int
    percentiles: _Floats
    edges: Sequence[_Floats]
    counts: Sequence[_Counts]
    n: int
    event_counts: Sequence[int]
    mean: _Floats
    sigma: _Floats
    nominal: _Floats
    fine: Sequence[StreamingHistogram]
    sigma_error: _Floats

    def share_below(self, result: int, limit: float) -> float:
        """Return the share of samples of result ``result`` at or below a limit, within a bin of the histogram."""
        return self.fine[result].share_below(limit - float(self.nominal[result]))

    def points(self, result: int, percents: Sequence[float]) -> _Floats:
        """Return the values of result number ``result`` below which so many percent of the samples lie."""
        return np.asarray(self.nominal[result] + self.fine[result].points(percents))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SampledRollup:
    """What was sampled, for the assemblies ``items (k,)``, ascending.

    ``mean`` and ``sigma (k, 13)`` belong to ``SAMPLED_RESULTS``; NaN where a result is undefined. ``covariance (k,
    55)`` holds the sample covariance of the first ten, the upper triangle row by row. ``watched`` are the root and the
    items that were requested. ``shift (k, 13)`` is the mean less the nominal value, with all its digits; ``sigma_error
    (k, 13)`` the statistical error of ``sigma``; ``n (k, 13)`` the samples in which a result was defined: a radius of
    gyration is not where the moment comes out negative.
    """

    sampling: SampleOptions
    items: NDArray[np.int32]
    mean: _Floats
    sigma: _Floats
    covariance: _Floats
    watched: Sequence[SampledDistribution]
    shift: _Floats
    sigma_error: _Floats
    n: _Counts

    @property
    def shift_error(self) -> _Floats:
        """The statistical errors of the means ``(k, 13)``: σ/√n."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(self.sigma / np.sqrt(self.n))
