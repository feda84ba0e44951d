"""Options, inputs and results of a simulation: histograms and power sums of deviations from the nominal values.

Histograms need no range beforehand, have bounded memory, and do not depend on the order in which they are added. A bin
contains the numbers with one sign and the same first bits, so it is 1/128 as wide as the power of two below its
numbers: σ/64 or finer at 2σ from the nominal value. Interpolated inside the bin, the percentiles of a smooth
distribution are exact to about (width/σ)²/8, σ/30,000. Deviations 2^24 times smaller than the largest share one bin.

Power sums are additive over blocks of samples. Deviations are from the nominal values, so nothing cancels far from 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.options import named_option
from massprops_cli.rollups.covariance import packed_covariances

_Floats = NDArray[np.float64]
_Counts = NDArray[np.int64]


FEW_SAMPLES = 100
"""Samples below which fourth moments, and so statistical errors, are inaccurate."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SampleTally:
    """Sums over samples of r results of k items.

    Attributes
    ----------
    n : array of int, shape (k, r)
        Samples in which a result is defined.
    powers : array, shape (4, k, r), powers of the units of the results
        Sums of the first four powers of the deviations.
    products : array, shape (k, ten, ten), ten = min(r, 10)
        Sums of products of two of the first ten deviations.
    """

    n: _Counts
    powers: _Floats
    products: _Floats

    @classmethod
    def empty(cls, k: int, r: int) -> SampleTally:
        """Return a tally of no samples."""
        both = min(r, 10)
        return cls(np.zeros((k, r), np.int64), np.zeros((4, k, r)), np.zeros((k, both, both)))

    def count(self, row: int, deviations: _Floats) -> None:
        """Add the deviations of one item.

        Parameters
        ----------
        row : int
            Row of the item.
        deviations : array, shape (r, b), units of the results
            Deviations from the nominal values; those that are not finite are set to 0 and not counted.
        """
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
        """Return the mean deviations.

        Returns
        -------
        array, shape (k, r), units of the results
            Mean minus nominal value; NaN without samples.
        """
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(self.powers[0] / self.n)

    def sigma(self) -> _Floats:
        """Return the sample standard deviations, over n − 1.

        Returns
        -------
        array, shape (k, r), units of the results
            NaN for less than two samples.
        """
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            square = (self.powers[1] - self.powers[0] ** 2 / self.n) / (self.n - 1)
        return np.asarray(np.sqrt(np.maximum(square, 0.0)))

    def sigma_error(self) -> _Floats:
        """Return the statistical errors of the sigmas, for any distribution.

        Returns
        -------
        array, shape (k, r), units of the results
            √((μ₄ − σ⁴)/n) / 2σ; for less than 100 samples at least that of a normal distribution, σ/√(2(n − 1)),
            because they hardly reach the tails.
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
        """Return the sample covariances of the first ten results.

        Returns
        -------
        array, shape (k, 55), products of the units of the results
            Upper triangles, row by row.
        """
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
    """Counts of deviations by size.

    Attributes
    ----------
    top : int
        Number of the largest power of two.
    counts : array of int, shape (2, size)
        Counts below and above 0, by size.
    zeros : int
        Number of deviations that are 0.
    """

    top: int
    counts: _Counts
    zeros: int

    @classmethod
    def empty(cls) -> StreamingHistogram:
        """Return a histogram of nothing."""
        return cls(_OCTAVES, np.zeros((2, _HISTOGRAM_SIZE), np.int64), 0)

    @classmethod
    def of(cls, deviations: _Floats) -> StreamingHistogram:
        """Return the histogram of deviations.

        Parameters
        ----------
        deviations : array, shape (n,), any unit
            Those that are not finite are not counted.

        Returns
        -------
        StreamingHistogram
            Counts.
        """
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
        """Return the counts in the bins of a larger power of two.

        Parameters
        ----------
        top : int
            Number of the power of two, not less than ``self.top``.

        Returns
        -------
        array of int, shape (2, size)
            Counts below and above 0, by size.
        """
        move = min((top - self.top) * _BINS_PER_OCTAVE, _HISTOGRAM_SIZE - 1)
        if move == 0:
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
        """Return percentiles, interpolated within their bins.

        Parameters
        ----------
        percents : sequence of float
            Percentages.

        Returns
        -------
        array, shape (percents,), unit of the deviations
            Deviations; NaN without samples.
        """
        low, high, counts = self.bins
        if not len(counts):
            return np.full(len(percents), np.nan)
        reached = np.cumsum(counts)
        wanted = np.asarray(percents) / 100.0 * reached[-1]
        k = np.minimum(np.searchsorted(reached, wanted), len(reached) - 1)
        inside = (wanted - (reached[k] - counts[k])) / counts[k]
        return np.asarray(low[k] + inside * (high[k] - low[k]))

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
        """Return equal bars for a plot; the outermost include everything beyond them.

        Returns
        -------
        edges : array, shape (b + 1,), unit of the deviations
            A bar is a power of two wide and begins at a multiple of it, so it consists of complete bins.
        counts : array of int, shape (b,)
            Exact counts.
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
    """Options of a simulation: number of samples, seed, distribution of rows that state none, cores, Dask scheduler.

    With ``keep_samples`` the samples of the watched items are stored.
    """

    samples: int = named_option("samples").value
    seed: int = named_option("seed").value
    distribution: str = named_option("distribution").value
    workers: int = named_option("workers").value
    scheduler: str = named_option("scheduler").value
    keep_samples: bool = False


DISTRIBUTION_KINDS = named_option("distribution").words
KIND_NOT_STATED = -1
"""The kind of an item whose row states none: that of ``--distribution``."""


class InputBounds(NamedTuple):
    """Bounds of one quantity of n items in coherent units, NaN where not stated.

    Attributes
    ----------
    low, likely, high : array, shape (n,), unit of the quantity
        Least, most likely and greatest value.
    """

    low: _Floats
    likely: _Floats
    high: _Floats


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class InputShapes:
    """Distributions of the ten inputs of n items.

    A uniform or triangular quantity without bounds has the width that follows from its sigma (± √3 σ, ± √6 σ).

    Attributes
    ----------
    kind : array of int, shape (n,)
        Index in ``DISTRIBUTION_KINDS``, or ``KIND_NOT_STATED``.
    bounds : mapping of int to InputBounds
        Bounds, by place in the order mass, Cx … Cz, Ixx … Iyz.
    bounded : mapping of int to array of int, shape (n,)
        Kinds of quantities with bounds, where bounds decide what a row does not state.
    """

    kind: NDArray[np.int8]
    bounds: Mapping[int, InputBounds] = field(default_factory=dict)
    bounded: Mapping[int, NDArray[np.int8]] = field(default_factory=dict)

    def kinds_of(self, place: int) -> NDArray[np.int8]:
        """Return the kinds of one quantity.

        Parameters
        ----------
        place : int
            Place in the order mass, Cx … Cz, Ixx … Iyz.

        Returns
        -------
        array of int, shape (n,)
            Index in ``DISTRIBUTION_KINDS``, or ``KIND_NOT_STATED``.
        """
        return self.bounded.get(place, self.kind)

    def over(self, taken: Callable[[NDArray[Any], float], NDArray[Any]]) -> InputShapes:
        """Return the distributions of other items.

        Parameters
        ----------
        taken : callable
            Returns an array for the other items, from an array (n,) and the value of an item that states nothing.

        Returns
        -------
        InputShapes
            Distributions of the other items.
        """
        bounds = {place: InputBounds(*(taken(ends, np.nan) for ends in three)) for place, three in self.bounds.items()}
        bounded = {place: taken(kind, KIND_NOT_STATED) for place, kind in self.bounded.items()}
        return InputShapes(taken(self.kind, KIND_NOT_STATED), bounds, bounded)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SampledDistribution:
    """The sampled distribution of one item: ``SAMPLED_RESULTS``, then the three principal moments.

    Attributes
    ----------
    item : int
        Item number.
    percentiles : array, shape (5, 16), units of the results
        Rows as in ``PERCENTILES``.
    edges : sequence of array, shape (b + 1,), unit of the result
        Edges of the bars of a histogram of each result.
    counts : sequence of array of int, shape (b,)
        Counts of the bars; the outermost include everything beyond them.
    n : int
        Number of samples.
    event_counts : sequence of int
        Number of samples in which each event was true.
    mean, sigma, sigma_error : array, shape (16,), units of the results
        Means, sigmas and statistical errors of the sigmas; NaN where undefined.
    nominal : array, shape (16,), units of the results
        Values from which ``fine`` is measured.
    fine : sequence of StreamingHistogram
        Deviations from ``nominal`` in finer bins.
    kept : array, shape (n, 13), units of the results, or None
        The samples, NaN where undefined; None if they were not stored.
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
    kept: _Floats | None = None

    def share_below(self, result: int, limit: float) -> float:
        """Return the share of the samples of one result at or below a limit, interpolated within a bin.

        Notes
        -----
        docs/formulas.md, section 11, from samples.
        """
        return self.fine[result].share_below(limit - float(self.nominal[result]))

    def points(self, result: int, percents: Sequence[float]) -> _Floats:
        """Return percentiles of one result.

        Parameters
        ----------
        result : int
            Number of the result.
        percents : sequence of float
            Percentages.

        Returns
        -------
        array, shape (percents,), unit of the result
            Values; NaN without samples.
        """
        return np.asarray(self.nominal[result] + self.fine[result].points(percents))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SampledRollup:
    """Sampled results of k assemblies, columns in the order of ``SAMPLED_RESULTS``; NaN where undefined.

    Attributes
    ----------
    sampling : SampleOptions
        Options of the simulation.
    items : array of int, shape (k,)
        Item numbers, ascending.
    mean, sigma : array, shape (k, 13), units of the results
        Centres from the origin of the table, tensors about the own centre of each sample.
    covariance : array, shape (k, 55), products of the units of the results
        Covariance of the first ten results, upper triangle row by row.
    watched : sequence of SampledDistribution
        The root and the requested items.
    shift : array, shape (k, 13), units of the results
        Mean minus nominal value, with all its digits.
    sigma_error : array, shape (k, 13), units of the results
        Statistical error of ``sigma``.
    n : array of int, shape (k, 13)
        Samples in which a result was defined; a radius of gyration is not where the moment is negative.
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
        """Statistical errors of the means ``(k, 13)``, σ/√n, in the units of the results."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(self.sigma / np.sqrt(self.n))
