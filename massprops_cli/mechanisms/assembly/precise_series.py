"""Truncated power series of real numbers with 300 digits: python-flint's balls, or Python's decimals without it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

from massprops_cli.mechanisms.series import has_fast_integers

DIGITS = 300  # decimal digits of a number
_GUARD = 30  # further digits, for rounding
_BITS_A_DIGIT = 3.3219280948873626  # log2(10)


@contextmanager
def precise_numbers() -> Iterator[None]:
    """Compute with 300 digits within the context."""
    if not has_fast_integers():
        with localcontext(prec=DIGITS + _GUARD):
            yield
        return
    from flint import ctx

    before = ctx.prec, ctx.cap
    ctx.prec = int((DIGITS + _GUARD) * _BITS_A_DIGIT)
    try:
        yield
    finally:
        ctx.prec, ctx.cap = before


def precise_number(value: Any) -> Any:
    """Return a number with 300 digits."""
    exact = Fraction(value)
    if not has_fast_integers():
        return Decimal(exact.numerator) / Decimal(exact.denominator)
    from flint import arb

    return arb(exact.numerator) / arb(exact.denominator)


def middle_number(value: Any) -> Any:
    """Return the middle of a ball."""
    return value if isinstance(value, Decimal) else value.mid()


def middle_fraction(value: Any) -> Fraction:
    """Return the middle of a number as a fraction."""
    if isinstance(value, Decimal):
        return Fraction(value)
    mantissa, exponent = (int(one) for one in value.mid().man_exp())
    return Fraction(mantissa) * Fraction(2) ** exponent


class _DecimalSeries:
    """A series of decimals with a fixed number of terms."""

    __slots__ = ("terms",)

    def __init__(self, terms: Sequence[Any]) -> None:
        self.terms = terms

    def __add__(self, other: _DecimalSeries) -> _DecimalSeries:
        return _DecimalSeries([a + b for a, b in zip(self.terms, other.terms, strict=True)])

    def __neg__(self) -> _DecimalSeries:
        return _DecimalSeries([-value for value in self.terms])

    def __mul__(self, other: Any) -> _DecimalSeries:
        if isinstance(other, int):
            return _DecimalSeries([value * other for value in self.terms])
        found = [Decimal(0)] * len(self.terms)
        for i, a in enumerate(self.terms):
            if a:
                for k in range(i, len(found)):
                    if other.terms[k - i]:
                        found[k] += a * other.terms[k - i]
        return _DecimalSeries(found)

    __rmul__ = __mul__


class PreciseSeries:
    """The series with a number of terms, as a ring of the motion of mechanisms; use within ``precise_numbers``."""

    has_angles = False

    def __init__(self, terms: int) -> None:
        """Prepare the constants."""
        self.terms = terms
        self._is_decimal = not has_fast_integers()
        if not self._is_decimal:
            from flint import ctx

            ctx.cap = terms
        self.zero, self.one = self.constant(0), self.constant(1)

    def constant(self, value: Any) -> Any:
        """Return the constant series of a fraction."""
        return self.pack([precise_number(value)])

    def pack(self, coefficients: Sequence[Any]) -> Any:
        """Return the series of numbers."""
        given = list(coefficients[: self.terms])
        if self._is_decimal:
            return _DecimalSeries(given + [Decimal(0)] * (self.terms - len(given)))
        from flint import arb_series

        return arb_series(given)

    def unpack(self, series: Any) -> list[Any]:
        """Return the numbers of a series."""
        return list(series.terms) if self._is_decimal else [series[k] for k in range(self.terms)]

    def reduce(self, series: Any) -> Any:
        """Return the series."""
        return series

    def minus(self, series: Any) -> Any:
        """Return the negative of a series."""
        return -series

    def multiply(self, a: Any, b: Any) -> Any:
        """Return the product of two series."""
        return a * b

    def sum_of_products(self, a: Sequence[Any], b: Sequence[Any]) -> Any:
        """Return the scalar product of two vectors of series."""
        total = self.zero
        for left, right in zip(a, b, strict=True):
            total = total + left * right
        return total

    def cross(self, a: Sequence[Any], b: Sequence[Any]) -> list[Any]:
        """Return the vector product of two vectors of series."""
        return [a[i] * b[j] + -(a[j] * b[i]) for i, j in ((1, 2), (2, 0), (0, 1))]

    def inverse(self, series: Any) -> Any:
        """Return the reciprocal of a series with a constant term."""
        if not self._is_decimal:
            return 1 / series
        given = series.terms
        found = [1 / given[0]]
        for k in range(1, self.terms):
            found.append(-found[0] * sum((given[i] * found[k - i] for i in range(1, k + 1)), Decimal(0)))
        return _DecimalSeries(found)

    def derivative(self, series: Any) -> Any:
        """Return the derivative of a series; its last coefficient is 0."""
        return self.pack([index * value for index, value in enumerate(self.unpack(series))][1:])
