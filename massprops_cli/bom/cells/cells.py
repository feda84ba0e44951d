"""Cells of number columns → arrays in item order, in coherent units, with what is missing or wrong said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.cells.cell_notes import say_read
from massprops_cli.bom.cells.cell_row_units import check_units
from massprops_cli.bom.cells.measured import masses_of_measures
from massprops_cli.bom.cells.percents import of_values, split_percents
from massprops_cli.bom.cells.shown import refuse_shown_otherwise
from massprops_cli.bom.items.items import ItemRows, Which
from massprops_cli.bom.items.many import cell_findings
from massprops_cli.bom.items.saying import Fault, say, say_blank, say_once
from massprops_cli.bom.items.sets import MASS, QuantitySet
from massprops_cli.files.table import Numbers
from massprops_cli.findings import Finding, Severity
from massprops_cli.tables.cells.cell_faults import why_not_read
from massprops_cli.tables.cells.numbers import settle
from massprops_cli.tables.columns.columns import Column

Mask = NDArray[np.bool_]
UNKNOWN_ABOVE = "fill the cells; the sigmas of all that these are part of are not known until then"


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


def read_sets(items: ItemRows, sets: Sequence[QuantitySet]) -> tuple[dict[str, SetCells], list[Finding]]:
    """Read sets of number columns, all at once, in the order of ``SETS``.

    A set of values with a missing column is left out (``tables`` has said so); of sigmas those that have a column are
    read, and the others are not given. Every cell that is not a number is a finding here, on assemblies too.
    """
    table, columns = items.table, items.columns
    findings: list[Finding] = []
    named = columns.by_quantity
    present = [s for s in sets if (any if s.is_sigma else all)(name in named for name in s.columns)]
    wanted = [named[name] for s in present for name in s.columns if name in named]
    numbers = iter(table.numbers([column.index for column in wanted], columns.first_row))
    result: dict[str, SetCells] = {}
    for quantity_set in present:
        result[quantity_set.name] = cells = no_cells(len(items.rows), quantity_set)
        cells.has = np.ones(len(items.rows), bool)
        base = result.get(quantity_set.name.removeprefix("sigma_"))
        for axis, name in enumerate(quantity_set.columns):
            if name in named:
                findings += read_axis(items, named[name], next(numbers), (cells, axis), base)
            cells.has &= cells.given[:, axis]
    return result, findings


def no_cells(n: int, quantity_set: QuantitySet) -> SetCells:
    """Make the cells of a set of which nothing is given."""
    k = len(quantity_set.columns)
    return SetCells(np.zeros((n, k)), np.zeros((n, k), bool), np.zeros(n, bool), np.zeros(n, bool))


def read_axis(
    items: ItemRows, column: Column, numbers: Numbers, into: tuple[SetCells, int], base: SetCells | None
) -> list[Finding]:
    """Read one column of a set, the cells of sigmas also as percentages of the ``base``'s values."""
    cells, axis = into
    findings: list[Finding] = []
    settled = settle(items.table, column.index, numbers, items.columns.first_row, column.rules)
    findings += say_read(items, column, settled)
    if settled.measures and column.quantity in MASS.columns:
        settled, unfit, said = masses_of_measures(items, column, settled)
        findings += said
        cells.bad |= items.gather(np.isin(np.arange(len(settled.values)), unfit), False)
    percents = None
    if column.quantity.startswith("sigma_") and (column.percent or len(settled.bad) or items.table.sheet_info):
        settled, percents = split_percents(items, column, settled)
    if len(settled.bad):
        wrong = np.zeros(len(settled.values), bool)
        wrong[settled.bad] = True
        cells.bad |= items.gather(wrong, False)
        findings += not_numbers(items, column, settled.bad + items.columns.first_row)
    values = items.gather(settled.values, np.nan)
    unclear, said = unclear_units(items, column, np.isfinite(values))
    findings += said
    cells.bad |= unclear
    given = np.isfinite(values) & ~unclear
    np.multiply(values, column.sizes(items.rows), out=cells.values[:, axis], where=given)
    if percents is not None and base is not None:
        sigmas = of_values(items.gather(percents, np.nan), base.values[:, axis])
        of_value = np.isfinite(sigmas)
        cells.bad |= of_value & ~base.given[:, axis]  # the value is what is missing, and that is said
        of_value &= base.given[:, axis]
        cells.values[of_value, axis] = sigmas[of_value]
        given |= of_value
        if not column.percent:
            findings += say_once(items, "MP505", of_value, column, "read in percent of the value")
    cells.given[:, axis] = given
    return findings


def unclear_units(items: ItemRows, column: Column, given: Mask) -> tuple[Mask, list[Finding]]:
    """Tell which of the ``given (n,)`` numbers have a unit that is not known, or another in their format ``(n,)``."""
    unclear: Mask = np.zeros(len(given), bool)
    findings: list[Finding] = []
    if column.by_row is not None:
        unclear, findings = check_units(items, column, column.by_row, given)
    if items.table.sheet_info is not None:
        otherwise, said = refuse_shown_otherwise(items, column, given & ~unclear)
        return unclear | otherwise, findings + said
    return unclear, findings


def not_numbers(items: ItemRows, column: Column, rows: Which) -> list[Finding]:
    """Say which cells of a column are no numbers, and why; table rows on which no item stands are passed over."""
    which = items.at_rows(rows)
    texts = [items.table.text(row, column.index) for row in items.rows[which].tolist()]
    reasons = {text: why_not_read(text, column.rules) for text in set(texts)}
    at: dict[str, list[int]] = {}
    for k, text in enumerate(texts):
        at.setdefault(reasons[text].rule, []).append(k)
    findings: list[Finding] = []
    for rule, chosen in at.items():
        of = [(items.ids[int(which[k])], reasons[texts[k]]) for k in chosen]
        findings += cell_findings(
            rule,
            items.table,
            items.rows[which[chosen]],
            column.index,
            lambda k, of=of: f"{of[k][0]}: {column.header} {of[k][1].message}",  # type: ignore[misc] # has a default
            header=column.header,
            items=lambda k, of=of: of[k][0],  # type: ignore[misc] # has a default
            remedy=lambda k, of=of: of[k][1].remedy,  # type: ignore[misc] # has a default
        )
    return findings


def require(
    items: ItemRows, quantity_set: QuantitySet, cells: SetCells, needed: Mask, *, allowed: bool
) -> list[Finding]:
    """Say where a needed quantity is blank, whole or in part.

    ``needed (n,)`` items must have the quantity; ``allowed`` makes a whole blank a warning. A part of a set is an error
    either way. Items that lack it keep ``has`` False.
    """
    lacking = needed & ~cells.has & ~cells.bad
    if not lacking.any():
        return []
    some = cells.given.any(axis=1)
    findings = incomplete(items, quantity_set, cells, lacking & some)
    column = column_of(items, quantity_set.columns)
    if allowed:
        fault = Fault("MP223", column, UNKNOWN_ABOVE if quantity_set.is_sigma else None, Severity.WARNING)
    else:
        rule = "MP502" if quantity_set.is_sigma else "MP206"
        fault = Fault(rule, column, f"fill the cell, or pass --allow-missing {quantity_set.allow}")
    return findings + say_blank(items, fault, lacking & ~some, needed, quantity_set.words)


def column_of(items: ItemRows, names: Sequence[str]) -> Column:
    """Give the column to point at where quantities are blank: theirs, or for sigmas one that may state them."""
    bounds = [name.replace("sigma_", "", 1) + "_min" for name in names]
    return next(items.columns.by_quantity[q] for q in (*names, *bounds, "method") if q in items.columns.by_quantity)


def incomplete(items: ItemRows, quantity_set: QuantitySet, cells: SetCells, partial: Mask) -> list[Finding]:
    """Say which items have some cells of a set and lack others."""
    findings: list[Finding] = []
    which = np.flatnonzero(partial)
    patterns = cells.given[which] @ (1 << np.arange(len(quantity_set.columns)))
    for pattern in np.unique(patterns).tolist():
        names = [name for k, name in enumerate(quantity_set.columns) if not pattern >> k & 1]
        blank = f"{', '.join(names)} {'is' if len(names) == 1 else 'are'} blank"
        fault = Fault("MP212", column_of(items, names))
        findings += say(
            items,
            fault,
            which[patterns == pattern],
            lambda i, blank=blank: f"{items.ids[i]} has only part of its {quantity_set.words}: {blank}",  # type: ignore[misc] # has a default
        )
    return findings
