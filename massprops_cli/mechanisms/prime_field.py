"""Arithmetic over a prime field: power series packed into one integer each, row reduction, grouping of parameters."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

_SLACK = 32
"""Bits of a slot above those of a product: 256 terms, sums of operands and of products that are not yet reduced."""


def has_fast_integers() -> bool:
    """Return whether python-flint is installed."""
    try:
        import flint  # noqa: F401 - whether it is installed
    except ImportError:
        return False
    return True


class _SeriesRing:
    """Power series over the field of 2^exponent − 1 as packed integers; up to eight may be added before a product."""

    has_angles = False
    """Whether the coordinate of a rotation is its angle, axes being unit vectors, or u of the quaternion (1, u·a)."""

    def __init__(self, exponent: int, terms: int) -> None:
        """Prepare the masks of the packed integers."""
        self.exponent, self.terms = exponent, terms
        self.prime = (1 << exponent) - 1
        self.bytes = -(-(2 * exponent + _SLACK) // 8)
        self.width = 8 * self.bytes
        self._integer: Any = int
        if has_fast_integers():
            from flint import fmpz

            self._integer = fmpz
        ones = sum(1 << (self.width * index) for index in range(terms))
        self._low = self._integer(ones * self.prime)
        self._high = self._integer(ones * ((1 << (self.width - exponent)) - 1))
        self._all = self._integer((1 << (self.width * terms)) - 1)
        self._negation = self._integer(ones * self.prime * 16)
        self.zero = self._integer(0)
        self.one = self._integer(1)

    def constant(self, value: Any) -> Any:
        """Return the constant series of a fraction or an integer."""
        return self._integer(residue(value, self.prime))

    def pack(self, coefficients: Sequence[int]) -> Any:
        """Return the series of a list of residues."""
        data = b"".join(value.to_bytes(self.bytes, "little") for value in coefficients[: self.terms])
        return self._integer(int.from_bytes(data, "little"))

    def unpack(self, series: Any) -> list[int]:
        """Return the residues of a series."""
        size, prime = self.bytes, self.prime
        data = int(series).to_bytes(size * self.terms, "little")
        return [int.from_bytes(data[i : i + size], "little") % prime for i in range(0, len(data), size)]

    def reduce(self, series: Any) -> Any:
        """Return the series with every coefficient reduced below twice the prime, and truncated."""
        series = (series & self._low) + ((series >> self.exponent) & self._high)
        return (series & self._low) + ((series >> self.exponent) & self._high)

    def truncate(self, series: Any) -> Any:
        """Return a longer series cut to the terms of this ring."""
        return series & self._all

    def minus(self, series: Any) -> Any:
        """Return the negative of a series whose coefficients are below 16 primes."""
        return self._negation - series if series else series

    def multiply(self, a: Any, b: Any) -> Any:
        """Return the product of two series."""
        return self.reduce(a * b)

    def sum_of_products(self, a: Sequence[Any], b: Sequence[Any]) -> Any:
        """Return the scalar product of two vectors of series."""
        total = self.zero
        for left, right in zip(a, b, strict=True):
            if left and right:
                total += left * right
        return self.reduce(total)

    def cross(self, a: Sequence[Any], b: Sequence[Any]) -> list[Any]:
        """Return the vector product of two vectors of series."""
        negative = [self.minus(one) for one in a]
        return [self.sum_of_products((a[i], negative[j]), (b[j], b[i])) for i, j in ((1, 2), (2, 0), (0, 1))]

    def inverse(self, series: Any) -> Any:
        """Return the reciprocal of a series with a constant term."""
        first = int(series & ((1 << self.width) - 1)) % self.prime
        found = self._integer(pow(first, -1, self.prime))
        terms = 1
        while terms < self.terms:
            terms = min(2 * terms, self.terms)
            ring = series_ring(self.exponent, terms)
            found = ring.multiply(found, 2 + ring.minus(ring.multiply(ring.truncate(series), found)))
        return found

    def derivative(self, series: Any) -> Any:
        """Return the derivative of a series; its last coefficient is 0."""
        return self.pack([index * value % self.prime for index, value in enumerate(self.unpack(series))][1:])

    def integral(self, series: Any) -> Any:
        """Return the integral of a series, without a constant term."""
        values = self.unpack(series)[:-1]
        return self.pack([0, *(v * pow(i + 1, -1, self.prime) % self.prime for i, v in enumerate(values))])

    def random(self, generator: random.Random) -> Any:
        """Return a random series without a constant term."""
        return self.pack([0, *(generator.randrange(self.prime) for _ in range(self.terms - 1))])


@lru_cache(maxsize=256)
def series_ring(exponent: int, terms: int) -> _SeriesRing:
    """Return the ring of a prime and a number of terms."""
    return _SeriesRing(exponent, terms)


def residue(value: Any, prime: int) -> int:
    """Return a fraction modulo a prime."""
    if isinstance(value, int):
        return value % prime
    exact = Fraction(value)
    return exact.numerator * pow(exact.denominator, -1, prime) % prime


def reconstructed_fraction(value: int, prime: int) -> Fraction | None:
    """Return the fraction of a residue, with numerator and denominator below the root of half the prime."""
    from math import gcd, isqrt

    bound = isqrt(prime // 2)
    old, new, old_factor, factor = prime, value % prime, 0, 1
    while new > bound:
        quotient = old // new
        old, new = new, old - quotient * new
        old_factor, factor = factor, old_factor - quotient * factor
    if factor == 0 or abs(factor) > bound or gcd(new, abs(factor)) != 1:
        return None
    return Fraction(new, factor)


def reduced_rows_modulo(rows: Sequence[Sequence[int]], exponent: int) -> tuple[list[int], list[list[int]]]:
    """Return the pivot columns and the reduced row echelon form over the field of a Mersenne prime."""
    if rows and has_fast_integers():
        from flint import fmpz_mod_ctx, fmpz_mod_mat

        values = [value for row in rows for value in row]
        echelon, rank = fmpz_mod_mat(len(rows), len(rows[0]), values, fmpz_mod_ctx((1 << exponent) - 1)).rref()
        return _with_pivots([[int(value) for value in row] for row in echelon.tolist()[:rank]])
    # without python-flint every row is packed into one integer, as a series is
    ring = series_ring(exponent, len(rows[0]) if rows else 0)
    mask = (1 << ring.width) - 1
    found: dict[int, Any] = {}
    for row in rows:
        remainder = ring.pack(row)
        for column, pivot_row in found.items():
            if factor := int((remainder >> (ring.width * column)) & mask) % ring.prime:
                remainder = ring.reduce(remainder + (ring.prime - factor) * pivot_row)
        values = ring.unpack(remainder)
        if (column := next((index for index, value in enumerate(values) if value), -1)) >= 0:
            inverse = pow(values[column], -1, ring.prime)
            found[column] = ring.pack([value * inverse % ring.prime for value in values])
    pivots = sorted(found)
    for column in reversed(pivots):
        for other in pivots[: pivots.index(column)]:
            if factor := int((found[other] >> (ring.width * column)) & mask) % ring.prime:
                found[other] = ring.reduce(found[other] + (ring.prime - factor) * found[column])
    return pivots, [ring.unpack(found[column]) for column in pivots]


def _with_pivots(reduced: list[list[Any]]) -> tuple[list[int], list[list[Any]]]:
    """Return the columns of the first entries of reduced rows that are not 0, and the rows."""
    return [next(column for column, value in enumerate(row) if value != 0) for row in reduced], reduced


def reduced_rows(rows: Sequence[Sequence[Any]]) -> tuple[list[int], list[list[Any]]]:
    """Return the reduced row echelon form over a field whose elements Python's operators combine."""
    if rows and any(type(value).__module__.startswith("flint") for value in rows[0]):
        from flint import fmpq_mat

        echelon, rank = fmpq_mat(len(rows), len(rows[0]), [value for row in rows for value in row]).rref()
        return _with_pivots(echelon.tolist()[:rank])
    left = [list(row) for row in rows]
    width = len(left[0]) if left else 0
    pivots: list[int] = []
    for column in range(width):
        done = len(pivots)
        if not (candidates := [row for row in range(done, len(left)) if left[row][column] != 0]):
            continue
        best = min(candidates, key=lambda row: sum(1 for value in left[row] if value != 0))
        left[done], left[best] = left[best], left[done]
        pivot = left[done][column]
        left[done] = [value / pivot if value != 0 else value for value in left[done]]
        for row in range(len(left)):
            factor = left[row][column]
            if row != done and factor != 0:
                left[row] = [
                    value - factor * other if other != 0 else value
                    for value, other in zip(left[row], left[done], strict=True)
                ]
        pivots.append(column)
    return pivots, left[: len(pivots)]


def _reduced_fractions(rows: Sequence[Sequence[Any]]) -> tuple[list[int], list[list[Any]]]:
    """Return the reduced row echelon form; plain fractions are reduced by python-flint if it is installed."""
    if not rows or not has_fast_integers() or any(type(value) is not Fraction for row in rows for value in row):
        return reduced_rows(rows)
    number = exact_number()
    none, zero = number(0), Fraction(0)
    pivots, reduced = reduced_rows([[number(value) if value else none for value in row] for row in rows])
    return pivots, [[plain_fraction(value) if value else zero for value in row] for row in reduced]


def exact_number() -> Callable[[Any], Any]:
    """Return the type of fast fractions: python-flint's if it is installed."""
    if not has_fast_integers():
        return Fraction
    from flint import fmpq

    return lambda value: fmpq(value) if isinstance(value, int) else fmpq(value.numerator, value.denominator)


def plain_fraction(value: Any) -> Fraction:
    """Return a fast fraction as one of Python's."""
    return Fraction(int(value.numerator), int(value.denominator))


def null_space(rows: Sequence[Sequence[Any]], width: int) -> list[list[Any]]:
    """Return a basis of the vectors on which all rows vanish."""
    pivots, reduced = reduced_rows(rows)
    zero = 0 * rows[0][0] if rows else Fraction(0)
    found = []
    for free in range(width):
        if free not in pivots:
            vector: list[Any] = [zero + (index == free) for index in range(width)]
            for pivot, row in zip(pivots, reduced, strict=True):
                vector[pivot] = -row[free]
            found.append(vector)
    return found


def independent_vectors(vectors: NDArray[Any], bound: float, most: int) -> list[int]:
    """Return which vectors (n, k) are farther than a bound from the span of those before them, the first of these."""
    kept: list[int] = []
    basis: list[Any] = []
    for number, vector in enumerate(vectors):
        rest = vector.copy()
        for _ in range(2):
            for one in basis:
                rest -= one * (one.conj() @ rest)
        if (size := float(np.linalg.norm(rest))) > bound and len(kept) < most:
            kept.append(number)
            basis.append(rest / size)
    return kept


@dataclass(frozen=True)
class Grouping:
    """Base parameters by index, kept → {eliminated: coefficient}, and ``freedoms``, None where not computed."""

    base: dict[int, dict[int, Any]]
    eliminated: tuple[int, ...]
    freedoms: int | None = None

    @property
    def without_effect(self) -> tuple[int, ...]:
        """The eliminated parameters that no base parameter includes."""
        used = {index for terms in self.base.values() for index in terms}
        return tuple(index for index in self.eliminated if index not in used)


def grouping_of_rows(
    order: Sequence[int], pivots: Sequence[int], rows: Sequence[Sequence[Any]], freedoms: int | None = None
) -> Grouping:
    """Return the grouping of reduced rows."""
    base = {
        order[pivot]: {order[column]: row[column] for column in range(len(order)) if row[column] and column != pivot}
        for pivot, row in zip(pivots, rows, strict=True)
    }
    return sorted_grouping(order, base, freedoms)


def sorted_grouping(
    order: Sequence[int], base: Mapping[int, Mapping[int, Any]], freedoms: int | None = None
) -> Grouping:
    """Return the grouping of kept parameters and their terms, both sorted; the rest of ``order`` is eliminated."""
    ordered = {index: dict(sorted(base[index].items())) for index in sorted(base)}
    return Grouping(ordered, tuple(index for index in sorted(order) if index not in base), freedoms)


def grouping_of_null_space(order: Sequence[int], vectors: Sequence[Sequence[Any]]) -> Grouping:
    """Return the grouping that leaves the effect of all parameters unchanged along a null space."""
    backwards = list(reversed(order))
    pivots, rows = _reduced_fractions([[vector[index] for index in backwards] for vector in vectors])
    eliminated = {backwards[pivot]: row for pivot, row in zip(pivots, rows, strict=True)}
    base: dict[int, dict[int, Any]] = {index: {} for index in sorted(order) if index not in eliminated}
    for index in sorted(eliminated):
        for column, value in enumerate(eliminated[index]):
            # the null vector e(index) + Σ value·e(kept) turns a unit of the eliminated into −value of the kept
            if value != 0 and backwards[column] != index:
                base[backwards[column]][index] = -value
    return Grouping(base, tuple(sorted(eliminated)))
