"""Numbers of stated precision, and the rank of matrices of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from massprops_cli.findings.finding import Findings, TableError, UsageError
from massprops_cli.mechanisms.motion import OperatorRing
from massprops_cli.mechanisms.prime_field import Grouping, independent_vectors, sorted_grouping

_DOUBLE_DIGITS = 16  # of a number in double precision
_BITS_A_DIGIT = 3.3219280948873626  # log2(10)


@contextmanager
def flint_digits(digits: float, guard: int = 0) -> Iterator[None]:
    """Compute with so many digits of python-flint, and further bits, within the context."""
    from flint import ctx

    before = ctx.prec, ctx.cap
    ctx.prec = int(digits * _BITS_A_DIGIT) + guard
    try:
        yield
    finally:
        ctx.prec, ctx.cap = before


class TaylorNumber:
    """A number with its first derivatives by time, as coefficients of its Taylor series."""

    __slots__ = ("terms",)
    __array_ufunc__ = None

    def __init__(self, terms: Sequence[Any]) -> None:
        self.terms = tuple(terms)

    def __add__(self, other: Any) -> TaylorNumber:
        if isinstance(other, TaylorNumber):
            return type(self)([a + b for a, b in zip(self.terms, other.terms, strict=False)])
        return type(self)([self.terms[0] + other, *self.terms[1:]])

    __radd__ = __add__

    def __neg__(self) -> TaylorNumber:
        return type(self)([-one for one in self.terms])

    def __sub__(self, other: Any) -> TaylorNumber:
        return self.__add__(-other)

    def __rsub__(self, other: Any) -> TaylorNumber:
        return (-self).__add__(other)

    def __mul__(self, other: Any) -> TaylorNumber:
        if isinstance(other, TaylorNumber):
            size = min(len(self.terms), len(other.terms))
            pairs = ([self.terms[i] * other.terms[k - i] for i in range(k + 1)] for k in range(size))
            return type(self)([sum(one) for one in pairs])
        return type(self)([one * other for one in self.terms])

    __rmul__ = __mul__

    def reciprocal(self) -> TaylorNumber:
        """Return 1 divided by the number."""
        first = 1 / self.terms[0]
        found = [first]
        for k in range(1, len(self.terms)):
            found.append(-first * sum(self.terms[i] * found[k - i] for i in range(1, k + 1)))
        return type(self)(found)

    def derivative(self) -> TaylorNumber:
        """Return the derivative by time."""
        return type(self)([k * one for k, one in enumerate(self.terms)][1:])

    def composed(self, derivatives: Sequence[Any]) -> TaylorNumber:
        """Return a function of the number."""
        found = [derivatives[0]]
        if len(self.terms) > 1:
            found.append(derivatives[1] * self.terms[1])
        if len(self.terms) > 2:
            found.append(derivatives[1] * self.terms[2] + derivatives[2] * self.terms[1] * self.terms[1] / 2)
        return type(self)(found)


class RealNumbers(OperatorRing):
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
                raise UsageError("digits above 16 need python-flint; pip install 'massprops[mechanism]'") from None
            self._arb = arb

    def precision(self, factor: float = 1.0) -> AbstractContextManager[None]:
        """Compute with the digits, or a multiple of them, within the context."""
        return nullcontext() if self.is_double else flint_digits(self.digits * factor, 8)

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

    def inverse(self, value: Any) -> Any:
        """Return the reciprocal of a number, array or Taylor series that is not 0."""
        return value.reciprocal() if isinstance(value, TaylorNumber) else 1 / value

    def derivative(self, value: Any) -> Any:
        """Return the derivative of a Taylor series; that of a constant is 0."""
        return value.derivative() if isinstance(value, TaylorNumber) else 0

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


_LEAST_GAP = 1e3  # ratio of two successive singular values that is a gap
_LEAST_SIGMAS = 8.0  # standard deviations within which a coefficient is rounding
_LEAST_SHARE, _LARGEST_BOUND = 1e-9, 1e-2
"""Limits of the distance of a row of the null space from the span of others that makes it independent."""
_GRAM_DIGITS = 2.2  # multiple of the digits for WᵀW, whose eigenvalues are squares of singular values
_SOLUTION_DIGITS = 6.0
"""Multiple of the digits for solutions, whose bounds of rounding grow with the number of unknowns."""
_NOISE_FACTOR = 30.0
"""Multiple of rounding and closure, times the largest singular value, that a dependent combination may have."""


def singular_values(matrix: NDArray[Any], numbers: RealNumbers) -> NDArray[Any]:
    """Return the singular values (parameters,), descending, of an observation matrix (rows, parameters)."""
    if not matrix.size:
        return np.zeros(0)
    if numbers.is_double:
        return np.asarray(np.linalg.svd(matrix, compute_uv=False))
    from flint import acb_mat

    with numbers.precision(_GRAM_DIGITS):
        squares = [one.real.mid() for one in acb_mat(_gram_matrix(matrix)).eig(algorithm="approx")]
        roots = [one.sqrt() if one > 0 else 0 * one for one in squares]
    return np.array(sorted(roots, key=float, reverse=True), object)


def numerical_rank(values: NDArray[Any], shape: tuple[int, int], noise: float, remedy: str, findings: Findings) -> int:
    """Return how many singular values (parameters,), descending, are above a gap; ``TableError`` without one."""
    if not len(values) or not values[0] > 0:
        return 0
    floor = values[0] * noise
    shares = [float(one / values[0]) for one in values]
    ratios = [float(max(a, floor) / max(b, floor)) for a, b in pairwise(values)] + [1.0]
    ratios[-1] = float(values[-1] / floor) if len(values) == 1 or shares[-1] > noise else 1.0
    rank = max(range(len(ratios)), key=ratios.__getitem__) + 1
    if ratios[rank - 1] >= _LEAST_GAP and (rank == len(values) or shares[rank] <= _NOISE_FACTOR * noise):
        if rank < shape[0] or rank == shape[1]:
            return rank
        message = (
            f"observation matrix has {shape[0]} rows for {shape[1]} parameters, all independent, so that its rank is "
            "not that of the mechanism"
        )
        findings.report("MP846", message, value=str(shape[0]), remedy="state more samples")
        raise TableError(findings)
    message = (
        f"singular values have no gap above rounding and closure: the largest ratio of two successive values is "
        f"{ratios[rank - 1]:.3g}, after value {rank} of {len(values)} (expected {_LEAST_GAP:g} or more, and values "
        f"below the gap within {_NOISE_FACTOR * noise:.2g} of the largest)"
    )
    findings.report("MP846", message, value=f"{ratios[rank - 1]:.3g}", remedy=remedy)
    raise TableError(findings)


def numerical_grouping(
    matrix: NDArray[Any], order: Sequence[int], rank: int, values: NDArray[Any], noise: float, numbers: RealNumbers
) -> tuple[Grouping, dict[int, dict[int, float]]]:
    """Return base parameters of a matrix (rows, parameters) in ``order``, first columns kept; sigmas by rounding."""
    # coefficients within their rounding are left out; the sigmas are keyed by kept, then eliminated parameter
    kept = (
        _kept_by_null_space(matrix, rank, values) if numbers.is_double else _kept_by_gram(matrix, rank, values, numbers)
    )
    rest = [column for column in range(matrix.shape[1]) if column not in set(kept)]
    shares, sigmas = _coefficients(matrix, kept, rest, numbers)
    sizes = np.linalg.norm(numbers.doubles(matrix[:, rest]), axis=0)
    heads = np.linalg.norm(numbers.doubles(matrix[:, kept]), axis=0)
    has_effect = sizes > (_NOISE_FACTOR * noise * float(values[0]) if len(values) else 0)
    base: dict[int, dict[int, float]] = {order[column]: {} for column in kept}
    deviations: dict[int, dict[int, float]] = {order[column]: {} for column in kept}
    for row, head in enumerate(kept):
        for column, other in enumerate(rest):
            share, sigma = float(shares[row, column]), float(sigmas[row, column])
            rounding = _NOISE_FACTOR * noise * float(sizes[column])
            if has_effect[column] and abs(share) > _LEAST_SIGMAS * sigma and abs(share) * heads[row] > rounding:
                base[order[head]][order[other]] = share
                deviations[order[head]][order[other]] = sigma
    return sorted_grouping(order, base), deviations


def _kept_by_null_space(matrix: NDArray[Any], rank: int, values: NDArray[Any]) -> list[int]:
    """Eliminate the last columns whose rows of the null space are independent."""
    basis = np.linalg.svd(np.linalg.qr(matrix, mode="r"))[2][rank:].T
    ratio = float(values[rank] / values[rank - 1]) if 0 < rank < len(values) else 0.0
    bound = min(max(_NOISE_FACTOR * ratio, _LEAST_SHARE), _LARGEST_BOUND)
    eliminated = {len(basis) - 1 - number for number in independent_vectors(basis[::-1], bound, basis.shape[1])}
    return [column for column in range(len(basis)) if column not in eliminated]


def _kept_by_gram(matrix: NDArray[Any], rank: int, values: NDArray[Any], numbers: RealNumbers) -> list[int]:
    """Keep the first columns whose distance from the span of those before is above the gap, by Cholesky's method."""
    kept: list[int] = []
    with numbers.precision(_GRAM_DIGITS):
        gram = _gram_matrix(matrix).tolist()
        bound = values[rank - 1] * values[rank] if 0 < rank < len(values) else 0
        for column in range(len(gram)):
            pivot = gram[column][column].mid()
            if len(kept) < rank and float(pivot) > float(bound):
                kept.append(column)
                for row in range(column + 1, len(gram)):
                    if factor := (gram[row][column] / pivot).mid():
                        gram[row] = [(a - factor * b).mid() for a, b in zip(gram[row], gram[column], strict=True)]
    return kept


def _gram_matrix(matrix: NDArray[Any]) -> Any:
    """Return WᵀW as a matrix of python-flint, without bounds of rounding."""
    from flint import arb_mat

    given = arb_mat(matrix.tolist())
    return (given.transpose() * given).mid()


def _coefficients(
    matrix: NDArray[Any], kept: list[int], rest: list[int], numbers: RealNumbers
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the least-squares coefficients of dependent columns by the kept ones, and their standard deviations."""
    freedom = max(1, len(matrix) - len(kept)) ** 0.5
    if not kept or not rest:
        return np.zeros((len(kept), len(rest))), np.zeros((len(kept), len(rest)))
    if numbers.is_double:
        first, second = matrix[:, kept], matrix[:, rest]
        q, r = np.linalg.qr(first)
        back = np.linalg.inv(r)
        shares = back @ (q.T @ second)
        left = np.linalg.norm(second - first @ shares, axis=0)
        left = np.maximum(left, numbers.rounding * np.linalg.norm(second, axis=0)) / freedom
        return shares, np.outer(np.sqrt((back**2).sum(axis=1)), left)
    from flint import arb_mat

    with numbers.precision(_SOLUTION_DIGITS):
        gram = np.array(_gram_matrix(matrix).tolist(), object)
        inverse = arb_mat(gram[np.ix_(kept, kept)].tolist()).inv()
        across = arb_mat(gram[np.ix_(kept, rest)].tolist())
        shares = np.array((inverse * across).tolist(), object)
        products = np.array((across.transpose() * arb_mat(shares.tolist())).tolist(), object)
        squares = [abs((gram[k, k] - products[j, j]).mid()) for j, k in enumerate(rest)]
        left = [float(one.sqrt()) / freedom for one in squares]
        sizes = [float(abs(inverse[k, k].mid()).sqrt()) for k in range(len(kept))]
    return np.asarray(shares, float), np.outer(sizes, left)
