"""Cells of number columns → arrays in item order, in coherent units, with what is missing or wrong said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.many import cell_findings
from massprops_cli.bom.sets import QuantitySet
from massprops_cli.files.table import Table
from massprops_cli.findings import Finding, Severity
from massprops_cli.tables.columns import Columns
from massprops_cli.tables.numbers import settle, why_not_a_number

Mask = NDArray[np.bool_]
T = TypeVar("T", bound=np.generic)


@dataclass(slots=True)
class SetCells:
    """One quantity of n items: ``values (n, k)`` in coherent units, 0 where not given; ``given (n, k)``.

    ``has (n,)`` is True where all k cells are good numbers; checks may clear it for values that cannot be used.
    ``bad (n,)`` marks items with a cell that is no number, which has been said where it was read.
    """

    values: NDArray[np.float64]
    given: Mask
    has: Mask
    bad: Mask


@dataclass(frozen=True, slots=True)
class ItemRows:
    """The items of a table: ``rows (n,)`` their table rows (−1 for a root that has none), ``ids`` their names."""

    table: Table
    columns: Columns
    rows: NDArray[np.intp]
    ids: Sequence[str]

    def is_whole(self, n_rows: int) -> bool:
        """Tell whether the items are all data rows in file order, so that nothing need be gathered."""
        return (
            len(self.rows) == n_rows > 0
            and int(self.rows[0]) == self.columns.first_row
            and bool((np.diff(self.rows) == 1).all())
        )

    def gather(self, column: NDArray[T], absent: float | bool) -> NDArray[T]:
        """Bring a column, read from the first data row on, into item order; ``absent`` is for items without a row."""
        if self.is_whole(len(column)):
            return column
        at = self.rows - self.columns.first_row
        without = self.rows < 0
        if not without.any():
            return column[at]
        gathered = column[np.where(without, 0, at)]
        gathered[without] = absent
        return gathered

    def texts(self, index: int) -> Sequence[str]:
        """Give a column's texts in item order."""
        texts = self.table.texts(index, self.columns.first_row)
        if self.is_whole(len(texts)):
            return texts
        first = self.columns.first_row
        return [texts[row - first] if row >= 0 else "" for row in self.rows.tolist()]


def read_sets(items: ItemRows, sets: Sequence[QuantitySet]) -> tuple[dict[str, SetCells], list[Finding]]:
    """Read whole sets of number columns; a set with a missing column is left out (``tables`` has said so).

    Every cell that is not a number is a finding here, on assemblies too.
    """
    table, columns = items.table, items.columns
    findings: list[Finding] = []
    present = [s for s in sets if all(name in columns.by_quantity for name in s.columns)]
    wanted = [columns.by_quantity[name] for s in present for name in s.columns]
    numbers = iter(table.numbers([column.index for column in wanted], columns.first_row))
    result: dict[str, SetCells] = {}
    for quantity_set in present:
        n, k = len(items.rows), len(quantity_set.columns)
        cells = SetCells(np.zeros((n, k)), np.zeros((n, k), bool), np.ones(n, bool), np.zeros(n, bool))
        for axis, name in enumerate(quantity_set.columns):
            column = columns.by_quantity[name]
            settled = settle(table, column.index, next(numbers), columns.first_row)
            if len(settled.bad):
                wrong = np.zeros(len(settled.values), bool)
                wrong[settled.bad] = True
                cells.bad |= items.gather(wrong, False)
                findings += not_numbers(items, column.index, column.header, settled.bad + columns.first_row)
            values = items.gather(settled.values, np.nan)
            given = np.isfinite(values)
            np.multiply(values, column.factor, out=cells.values[:, axis], where=given)
            cells.given[:, axis] = given
            cells.has &= given
        result[quantity_set.name] = cells
    return result, findings


def not_numbers(items: ItemRows, index: int, header: str, rows: NDArray[np.intp]) -> list[Finding]:
    """Say which cells of a column are no numbers, and why."""
    table = items.table
    wanted = rows[np.isin(rows, items.rows)] if len(items.rows) < table.n_rows else rows
    row_to_item = {int(row): items.ids[i] for i, row in enumerate(items.rows.tolist())} if len(wanted) else {}
    findings: list[Finding] = []
    for row in wanted.tolist():
        reason = why_not_a_number(table.text(row, index))
        findings += cell_findings(
            reason.rule,
            table,
            np.array([row]),
            index,
            lambda _k, row=row, reason=reason: f"{row_to_item.get(row, '')}: {header} {reason.message}".lstrip(": "),  # type: ignore[misc]
            header=header,
            items=lambda _k, row=row: row_to_item.get(row, ""),  # type: ignore[misc]
            remedy=reason.remedy,
        )
    return findings


def require(
    items: ItemRows,
    quantity_set: QuantitySet,
    cells: SetCells,
    needed: Mask,
    allowed: bool,
    allow_words: str,
) -> list[Finding]:
    """Say where a needed quantity is blank, whole or in part.

    ``needed (n,)`` items must have the quantity; ``allowed`` makes a whole blank a warning. A part of a set is an error
    either way. Items that lack it keep ``has`` False.
    """
    lacking = needed & ~cells.has
    if not lacking.any():
        return []
    first = items.columns.by_quantity[quantity_set.columns[0]]
    count = cells.given.sum(axis=1)
    partial = np.flatnonzero(lacking & (count > 0) & ~cells.bad)
    blank = np.flatnonzero(lacking & (count == 0) & ~cells.bad)
    findings: list[Finding] = []
    for i in partial.tolist():
        names = [name for name, given in zip(quantity_set.columns, cells.given[i], strict=True) if not given]
        column = items.columns.by_quantity[names[0]]
        findings += cell_findings(
            "MP212",
            items.table,
            items.rows[[i]],
            column.index,
            lambda _k, i=i, names=names: (
                f"{items.ids[i]} has only part of its {quantity_set.words}: {', '.join(names)} blank"
            ),  # type: ignore[misc]
            header=column.header,
            items=lambda _k, i=i: items.ids[i],  # type: ignore[misc]
        )
    if len(blank):
        rule = "MP223" if allowed else "MP502" if quantity_set.is_sigma else "MP206"
        blank = blank[np.argsort(items.rows[blank], kind="stable")]
        findings += cell_findings(
            rule,
            items.table,
            items.rows[blank],
            first.index,
            lambda k: f"{items.ids[blank[k]]} has no {quantity_set.words}",
            header=first.header,
            items=lambda k: items.ids[blank[k]],
            remedy=None if allowed else f"fill the cell, or pass --allow-missing {allow_words}",
            severity=Severity.WARNING if allowed else None,
        )
    return findings
