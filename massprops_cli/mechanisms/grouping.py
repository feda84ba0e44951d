"""The result of every method: which parameters are kept, and which multiples of others each of them includes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from massprops_cli.mechanisms.row_reduction import reduced_rows


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
    """Return the grouping of reduced rows.

    Parameters
    ----------
    order : sequence of int
        Parameter of each column.
    pivots : sequence of int
        Pivot column of each row.
    rows : sequence of sequence of numbers
        Reduced row echelon form.
    freedoms : int, optional
        Degrees of freedom.

    Returns
    -------
    Grouping
        In the order of the parameters.
    """
    base = {
        order[pivot]: {order[column]: row[column] for column in range(len(order)) if row[column] and column != pivot}
        for pivot, row in zip(pivots, rows, strict=True)
    }
    ordered = {index: dict(sorted(base[index].items())) for index in sorted(base)}
    return Grouping(ordered, tuple(index for index in sorted(order) if index not in base), freedoms)


def grouping_of_null_space(order: Sequence[int], vectors: Sequence[Sequence[Any]]) -> Grouping:
    """Return the grouping that leaves the effect of all parameters unchanged along a null space.

    Parameters
    ----------
    order : sequence of int
        All parameters, those to keep first.
    vectors : sequence of sequence of numbers
        Combinations without effect, a coefficient for each parameter; they may be dependent.

    Returns
    -------
    Grouping
        As many base parameters as parameters less the rank of the vectors.
    """
    backwards = list(reversed(order))
    pivots, rows = reduced_rows([[vector[index] for index in backwards] for vector in vectors])
    eliminated = {backwards[pivot]: row for pivot, row in zip(pivots, rows, strict=True)}
    base: dict[int, dict[int, Any]] = {index: {} for index in sorted(order) if index not in eliminated}
    for index in sorted(eliminated):
        for column, value in enumerate(eliminated[index]):
            # the null vector e(index) + Σ value·e(kept) turns a unit of the eliminated into −value of the kept
            if value != 0 and backwards[column] != index:
                base[backwards[column]][index] = -value
    return Grouping(base, tuple(sorted(eliminated)))
