"""Truncated power series over a prime field, packed into one integer a series.

The primes are Mersenne primes 2^e − 1, so that every coefficient of a packed series is reduced by two shifts of the
complete integer, and a product of series is one product of integers (Kronecker substitution). With python-flint the
integers are GMP's, which multiply several times faster; without it they are Python's.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

_SLACK = 32
"""Bits of a slot above those of a product: 256 terms, sums of operands and of products that are not yet reduced."""


def has_fast_integers() -> bool:
    """Return whether python-flint is installed."""
    try:
        import flint  # noqa: F401 - whether it is installed
    except ImportError:
        return False
    return True


def _integer_type() -> Any:
    """Return the type of packed integers."""
    if not has_fast_integers():
        return int
    import flint

    return flint.fmpz


class SeriesRing:
    """The series with a number of terms over the field of 2^exponent − 1; a series is a packed integer.

    Sums and differences of up to eight series may enter a product; the results of products are reduced.
    """

    has_angles = False
    """Whether the coordinate of a rotation is its angle, axes being unit vectors, or u of the quaternion (1, u·a)."""

    def __init__(self, exponent: int, terms: int) -> None:
        """Prepare the masks of the packed integers."""
        self.exponent, self.terms = exponent, terms
        self.prime = (1 << exponent) - 1
        self.bytes = -(-(2 * exponent + _SLACK) // 8)
        self.width = 8 * self.bytes
        self._integer = _integer_type()
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
            error = ring.multiply(ring.truncate(series), found)
            found = ring.multiply(found, 2 + ring.minus(error))
        return found

    def derivative(self, series: Any) -> Any:
        """Return the derivative of a series; its last coefficient is 0."""
        values = self.unpack(series)
        return self.pack([index * value % self.prime for index, value in enumerate(values)][1:])

    def integral(self, series: Any) -> Any:
        """Return the integral of a series, without a constant term."""
        values = self.unpack(series)[:-1]
        return self.pack([0, *(v * pow(i + 1, -1, self.prime) % self.prime for i, v in enumerate(values))])

    def random(self, generator: random.Random) -> Any:
        """Return a random series without a constant term."""
        return self.pack([0, *(generator.randrange(self.prime) for _ in range(self.terms - 1))])


@lru_cache(maxsize=256)
def series_ring(exponent: int, terms: int) -> SeriesRing:
    """Return the ring of a prime and a number of terms."""
    return SeriesRing(exponent, terms)


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
