"""Power sums of deviations, which add up over blocks of samples, and the statistics that they give.

Deviations are from the nominal values, so nothing cancels however far from 0 those lie.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from massprops_cli.rollup.covariance.packed import pack

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


FEW = 100
"""Samples below which fourth moments, and so the errors made of them, are guesses."""


@dataclass(frozen=True, slots=True)
class Tally:
    """Sums over samples of r results of k items.

    ``n (k, r)`` counts the samples in which a result is defined; ``powers (4, k, r)`` are sums of the first four
    powers of its deviation, and ``products (k, 10, 10)`` of the products of two of the first ten.
    """

    n: Counts
    powers: Floats
    products: Floats

    @classmethod
    def empty(cls, k: int, r: int) -> Tally:
        """Nothing counted yet."""
        both = min(r, 10)
        return cls(np.zeros((k, r), np.int64), np.zeros((4, k, r)), np.zeros((k, both, both)))

    def count(self, row: int, deviations: Floats) -> None:
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

    def add(self, other: Tally) -> None:
        """Add the sums of other samples."""
        self.n[...] += other.n
        self.powers[...] += other.powers
        self.products[...] += other.products

    def shift(self) -> Floats:
        """Mean deviations ``(k, r)``; NaN without samples."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(self.powers[0] / self.n)

    def sigma(self) -> Floats:
        """Sample standard deviations ``(k, r)``, over n − 1; NaN for less than two samples."""
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            square = (self.powers[1] - self.powers[0] ** 2 / self.n) / (self.n - 1)
        return np.asarray(np.sqrt(np.maximum(square, 0.0)))

    def sigma_error(self) -> Floats:
        """Statistical errors of the sigmas ``(k, r)``: sqrt((μ₄ − σ⁴)/n) / 2σ, whatever the distribution.

        Of few samples at least that of a normal law, σ/√(2(n − 1)), since they hardly reach the tails.
        """
        with np.errstate(all="ignore"):  # fourth powers leave double precision long before the sigmas do
            first, second, third, fourth = self.powers / self.n
            square = np.maximum(second - first**2, 0.0)
            about_mean = fourth - 4 * first * third + 6 * first**2 * second - 3 * first**4
            error = np.sqrt(np.maximum(about_mean - square**2, 0.0) / self.n) / (2 * np.sqrt(square))
            of_normal = self.sigma() / np.sqrt(2 * (self.n - 1))
        error = np.where(self.n < FEW, np.fmax(error, of_normal), error)
        return np.where(square == 0.0, 0.0, error)

    def covariance(self) -> Floats:
        """Sample covariances of the first ten ``(k, 55)``, the upper triangle row by row."""
        sums, n = self.powers[0, :, :10], self.n[:, :1, None]
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            return pack((self.products - sums[:, :, None] * sums[:, None, :] / n) / (n - 1))
