"""Reduced row echelon form over a prime field and over any exact field, and the grouping of parameters it gives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from massprops_cli.mechanisms.series import has_fast_integers, series_ring


def reduced_rows_modulo(rows: Sequence[Sequence[int]], exponent: int) -> tuple[list[int], list[list[int]]]:
    """Return the pivot columns and the reduced row echelon form over the field of a Mersenne prime."""
    if rows and has_fast_integers():
        return _flint_rows_modulo(rows, (1 << exponent) - 1)
    # without python-flint every row is packed into one integer, as a series is
    ring = series_ring(exponent, len(rows[0]) if rows else 0)
    mask = (1 << ring.width) - 1
    found: dict[int, Any] = {}
    for row in rows:
        remainder = ring.pack(row)
        for column, pivot_row in found.items():
            factor = int((remainder >> (ring.width * column)) & mask) % ring.prime
            if factor:
                remainder = ring.reduce(remainder + (ring.prime - factor) * pivot_row)
        values = ring.unpack(remainder)
        column = next((index for index, value in enumerate(values) if value), -1)
        if column >= 0:
            inverse = pow(values[column], -1, ring.prime)
            found[column] = ring.pack([value * inverse % ring.prime for value in values])
    pivots = sorted(found)
    for column in reversed(pivots):
        for other in pivots[: pivots.index(column)]:
            factor = int((found[other] >> (ring.width * column)) & mask) % ring.prime
            if factor:
                found[other] = ring.reduce(found[other] + (ring.prime - factor) * found[column])
    return pivots, [ring.unpack(found[column]) for column in pivots]


def _flint_rows_modulo(rows: Sequence[Sequence[int]], prime: int) -> tuple[list[int], list[list[int]]]:
    """Return the reduced row echelon form by python-flint."""
    from flint import fmpz_mod_ctx, fmpz_mod_mat

    values = [value for row in rows for value in row]
    echelon, rank = fmpz_mod_mat(len(rows), len(rows[0]), values, fmpz_mod_ctx(prime)).rref()
    reduced = [[int(value) for value in row] for row in echelon.tolist()[:rank]]
    return [next(column for column, value in enumerate(row) if value) for row in reduced], reduced


def _flint_rows(rows: Sequence[Sequence[Any]]) -> tuple[list[int], list[list[Any]]]:
    """Return the reduced row echelon form of python-flint's fractions."""
    from flint import fmpq_mat

    values = [value for row in rows for value in row]
    echelon, rank = fmpq_mat(len(rows), len(rows[0]), values).rref()
    reduced = echelon.tolist()[:rank]
    return [next(column for column, value in enumerate(row) if value != 0) for row in reduced], reduced


def reduced_rows(rows: Sequence[Sequence[Any]]) -> tuple[list[int], list[list[Any]]]:
    """Return the reduced row echelon form over a field whose elements Python's operators combine."""
    if rows and any(type(value).__module__.startswith("flint") for value in rows[0]):
        return _flint_rows(rows)
    left = [list(row) for row in rows]
    width = len(left[0]) if left else 0
    pivots: list[int] = []
    for column in range(width):
        done = len(pivots)
        candidates = [row for row in range(done, len(left)) if left[row][column] != 0]
        if not candidates:
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


@dataclass(frozen=True)
class Grouping:
    """Base parameters by their indices: kept parameter → {eliminated parameter: coefficient}.

    ``freedoms`` is None where the method does not compute the degrees of freedom.
    """

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
