"""Arrays of real numbers, in double or variable precision, with the methods of a ring; Taylor expansions of them.

A number of digits above those of a double needs python-flint, whose numbers are the elements of arrays of objects.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from massprops_cli.findings.finding import UsageError

_DOUBLE_DIGITS = 16  # of a number in double precision
_BITS_A_DIGIT = 3.3219280948873626  # log2(10)


class TaylorNumber:
    """A number with its first derivatives by time, as coefficients of its Taylor series."""

    __slots__ = ("terms",)
    __array_ufunc__ = None

    def __init__(self, terms: Sequence[Any]) -> None:
        self.terms = tuple(terms)

    def __add__(self, other: Any) -> TaylorNumber:
        if isinstance(other, TaylorNumber):
            return TaylorNumber([a + b for a, b in zip(self.terms, other.terms, strict=False)])
        return TaylorNumber([self.terms[0] + other, *self.terms[1:]])

    __radd__ = __add__

    def __neg__(self) -> TaylorNumber:
        return TaylorNumber([-one for one in self.terms])

    def __sub__(self, other: Any) -> TaylorNumber:
        return self.__add__(-other)

    def __rsub__(self, other: Any) -> TaylorNumber:
        return (-self).__add__(other)

    def __mul__(self, other: Any) -> TaylorNumber:
        if isinstance(other, TaylorNumber):
            size = min(len(self.terms), len(other.terms))
            pairs = ([self.terms[i] * other.terms[k - i] for i in range(k + 1)] for k in range(size))
            return TaylorNumber([sum(one) for one in pairs])
        return TaylorNumber([one * other for one in self.terms])

    __rmul__ = __mul__

    def reciprocal(self) -> TaylorNumber:
        """Return 1 divided by the number."""
        first = 1 / self.terms[0]
        found = [first]
        for k in range(1, len(self.terms)):
            found.append(-first * sum(self.terms[i] * found[k - i] for i in range(1, k + 1)))
        return TaylorNumber(found)

    def derivative(self) -> TaylorNumber:
        """Return the derivative by time."""
        return TaylorNumber([k * one for k, one in enumerate(self.terms)][1:])

    def composed(self, derivatives: Sequence[Any]) -> TaylorNumber:
        """Return a function of the number."""
        found = [derivatives[0]]
        if len(self.terms) > 1:
            found.append(derivatives[1] * self.terms[1])
        if len(self.terms) > 2:
            found.append(derivatives[1] * self.terms[2] + derivatives[2] * self.terms[1] * self.terms[1] / 2)
        return TaylorNumber(found)


class RealNumbers:
    """Real numbers of a precision as a ring: constants, arrays, and Taylor series of them; coordinates are angles."""

    has_angles = True
    zero, one = 0, 1

    def __init__(self, digits: int = 0) -> None:
        """Choose doubles for up to 16 digits, else numbers of python-flint."""
        self.is_double = digits <= _DOUBLE_DIGITS
        self.digits = _DOUBLE_DIGITS if self.is_double else digits
        self.rounding = float(np.finfo(float).eps) if self.is_double else 10.0**-digits
        self._arb: Any = None
        if not self.is_double:
            try:
                from flint import arb
            except ImportError:
                raise UsageError("--digits needs python-flint; pip install 'massprops[mechanism]'") from None
            self._arb = arb

    @contextmanager
    def precision(self, factor: float = 1.0) -> Iterator[None]:
        """Compute with the digits, or a multiple of them, within the context."""
        if self.is_double:
            yield
            return
        from flint import ctx

        before = ctx.prec
        ctx.prec = int(self.digits * factor * _BITS_A_DIGIT) + 8
        try:
            yield
        finally:
            ctx.prec = before

    def constant(self, value: Any) -> Any:
        """Return a fraction as a number of the precision."""
        if self.is_double:
            return float(value)
        exact = Fraction(value)
        return self._arb(exact.numerator) / self._arb(exact.denominator)

    def array(self, values: Any) -> NDArray[Any]:
        """Return doubles (…, n) as numbers of the precision (…, n)."""
        given = np.asarray(values, float)
        return given if self.is_double else np.asarray(np.frompyfunc(self._arb, 1, 1)(given))

    def midpoints(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return numbers (…, n) without the bounds of their rounding."""
        return values if self.is_double else np.asarray(np.frompyfunc(lambda one: self._arb(one).mid(), 1, 1)(values))

    def doubles(self, values: Any) -> NDArray[np.float64]:
        """Return numbers of the precision (…, n) as doubles (…, n)."""
        return np.asarray(values, float)

    def _function(self, name: str, values: Any) -> Any:
        """Apply an elementary function to an array or a number."""
        if self.is_double:
            return getattr(np, name)(values)
        if isinstance(values, self._arb):
            return getattr(values, name)()
        return np.frompyfunc(lambda one: getattr(self._arb(one), name)(), 1, 1)(values)

    def square_root(self, value: Any) -> Any:
        """Return the square root of a number or array that is not negative and not a Taylor series."""
        return self._function("sqrt", value)

    def sine(self, value: Any) -> Any:
        """Return the sine of a number, array or Taylor series in radians."""
        return self._circular(value, lambda s, c: (s, c, -s))

    def cosine(self, value: Any) -> Any:
        """Return the cosine of a number, array or Taylor series in radians."""
        return self._circular(value, lambda s, c: (c, -s, -c))

    def _circular(self, value: Any, derivatives: Callable[[Any, Any], Sequence[Any]]) -> Any:
        """Return a circular function by its derivatives in terms of sine and cosine."""
        first = value.terms[0] if isinstance(value, TaylorNumber) else value
        found = derivatives(self._function("sin", first), self._function("cos", first))
        return value.composed(found) if isinstance(value, TaylorNumber) else found[0]

    def reduce(self, value: Any) -> Any:
        """Return the element unchanged; only residues are reduced."""
        return value

    def minus(self, value: Any) -> Any:
        """Return the negative of a number, array or Taylor series."""
        return -value

    def multiply(self, a: Any, b: Any) -> Any:
        """Return the product of two numbers, arrays or Taylor series."""
        return a * b

    def sum_of_products(self, a: Sequence[Any], b: Sequence[Any]) -> Any:
        """Return the scalar product of two vectors of numbers, arrays or Taylor series."""
        return sum(x * y for x, y in zip(a, b, strict=True))

    def cross(self, a: Sequence[Any], b: Sequence[Any]) -> list[Any]:
        """Return the vector product."""
        return [a[i] * b[j] - a[j] * b[i] for i, j in ((1, 2), (2, 0), (0, 1))]

    def inverse(self, value: Any) -> Any:
        """Return the reciprocal of a number, array or Taylor series that is not 0."""
        return value.reciprocal() if isinstance(value, TaylorNumber) else 1 / value

    def solution(self, matrices: NDArray[Any], right: NDArray[Any]) -> NDArray[Any]:
        """Return least-squares solutions of systems (n, rows, columns) of full rank, (n, rows, k) → (n, columns, k)."""
        if self.is_double:
            return np.asarray(np.linalg.pinv(matrices) @ right)
        from flint import arb_mat

        found = np.empty((len(matrices), matrices.shape[2], right.shape[2]), object)
        with self.precision(2.0):
            for k, (matrix, side) in enumerate(zip(matrices, right, strict=True)):
                left = arb_mat(matrix.tolist())
                turned = left.transpose()
                one = (turned * left).solve(turned * arb_mat(side.tolist()))
                found[k] = np.array(one.tolist(), object).reshape(found[k].shape)
        return self.midpoints(found)
