"""What the rows of a table add up to, row by row, and which rows a total in it may be the sum of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.cells.variants import below as below_any
from massprops_cli.bom.items.content import Content
from massprops_cli.files.table import Table
from massprops_cli.files.view import View
from massprops_cli.tables.rows.totals import TotalRow

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

MOST_STARTS = 10
"""How many totals before a subtotal are tried as the start of its rows: groups within groups are not deeper."""

_PERCENT = re.compile(r"(\d+(?:[.,]\d+)?)\s*%")


@dataclass(frozen=True, slots=True)
class Span:
    """One reading of a total: the sum of ``rows``, × ``factor`` + ``more``, and that in words.

    ``rows`` are a stretch of the table's, or indices ``(k,)``. ``more`` and ``factor`` are the margins it includes: of
    a mass of their own, in the unit of the masses' column, and in percent of the sum.
    """

    rows: slice | Rows
    words: str
    more: float = 0.0
    factor: float = 1.0


def times_in_whole(bom: Content) -> Floats:
    """Give how often every item counts in the whole ``(n,)``: 0 below an assembly whose own numbers go up."""
    tree, times = bom.tree, bom.quantity.count.copy()
    hides = np.zeros(len(bom), bool) if bom.stated is None else bom.stated
    for start, end in zip(tree.levels[1:-1].tolist(), tree.levels[2:].tolist(), strict=True):
        items = tree.order[start:end]
        over = tree.parent[items]
        times[items] *= np.where(hides[over], 0.0, times[over])
    return times


def row_sums(bom: Content) -> Floats:
    """Give what every table row adds to the whole ``(n_rows, 4)``: mass, and mass × centre, in coherent units.

    A row counts as often as the quantities above it say; a computed assembly adds nothing of its own. The moments are
    NaN where a mass has no centre.
    """
    times = times_in_whole(bom)
    goes_up = bom.tree.is_leaf() if bom.stated is None else bom.tree.is_leaf() | bom.stated
    counted = np.flatnonzero(goes_up & (bom.rows >= 0))
    masses = (bom.bodies.mass * times)[counted]
    parts = np.full((len(counted), 4), np.nan)
    parts[:, 0] = masses
    if bom.bodies.center is not None:
        parts[:, 1:] = np.where(masses[:, None] == 0, 0.0, masses[:, None] * bom.bodies.center[counted])
        if bom.bodies.has_center is not None:
            parts[~bom.bodies.has_center[counted] & (masses != 0), 1:] = np.nan
    sums = np.zeros((bom.table.n_rows, 4), order="F")  # many stretches of rows will be summed
    np.add.at(sums, bom.rows[counted], parts)
    return sums


def spans(bom: Content, k: int) -> Iterator[Span]:
    """Give the readings of a total, the usual first: all rows above it or those since another, without margins or with.

    A total is of the whole or of what follows the total before it; a subtotal of what follows any other before it, or
    of the assembly that it names. Above the first item it is of all rows below.
    """
    table, totals = bom.table, bom.totals
    if is_above(bom.rows, totals[k].row):
        yield Span(slice(totals[k].row, bom.table.n_rows), "all rows below")
        return
    total, sums = totals[k], (totals[i] for i in range(k - 1, -1, -1) if totals[i].kind in ("total", "subtotal"))
    starts: list[TotalRow | None]
    if total.kind == "subtotal":
        starts = [*islice(sums, MOST_STARTS), None]
    else:
        before = list(islice(sums, 1))
        since_total = islice((other for other in (*before, *sums) if other.kind == "total"), 1)
        starts = [None, *since_total, *before]
    margins = [other for other in totals[:k] if other.kind == "margin"]
    for with_margins in (False, True) if margins else (False,):
        for start in dict.fromkeys(starts):
            after = 0 if start is None else start.row
            words = "all rows above" if start is None else f"the rows below {start.label}"
            included = [margin for margin in margins if with_margins and margin.row >= after]
            if with_margins and not included:
                continue
            factor = 1 + sum(percent_of(table, margin) for margin in included if margin.mass is None) / 100
            words += f", with {', '.join(margin.label for margin in included)}" if included else ""
            more = sum(margin.mass or 0.0 for margin in included)
            yield Span(slice(after, total.row), words, more, factor)
    if total.kind == "subtotal" and (item := named_assembly(bom, total.label)) is not None:
        marked = np.zeros(len(bom), bool)
        marked[item] = True
        rows = bom.rows[marked | below_any(bom.tree, marked)]
        yield Span(np.unique(rows[rows >= 0]), f"the rows of {bom.ids[item]}")


def is_above(rows: Rows, row: int) -> bool:
    """Tell whether a row stands above those of all items; nearly always the first items tell that it does not.

    >>> is_above(np.array([-1, 3, 4]), 2), is_above(np.array([-1, 3, 4]), 5)
    (True, False)
    """
    return not any(((some >= 0) & (some < row)).any() for some in (rows[:100], rows))


def named_assembly(bom: Content, label: str) -> int | None:
    """Find the assembly that a label begins or ends with: ``Subtotal Payload``; of several the longest name."""
    words = f" {label.casefold()} "
    assemblies = [i for i in np.flatnonzero(~bom.tree.is_leaf()).tolist() if bom.tree.parent[i] >= 0]
    names = {i: f" {bom.ids[i].casefold()} " for i in assemblies}
    named = [i for i, name in names.items() if words.startswith(name) or words.endswith(name)]
    return max(named, key=lambda i: len(bom.ids[i]), default=None)


def percent_of(table: Table, margin: TotalRow) -> float:
    """Give the percentage that the row of a margin states; 0 where it states none."""
    for text in row_in_file(table, margin.row):
        if (match := _PERCENT.search(text)) is not None:
            return float(match[1].replace(",", "."))
    return 0.0


def row_in_file(table: Table, row: int) -> Sequence[str]:
    """Give the texts of a row that may be left out of the table."""
    return unfiltered(table).row(row)


def unfiltered(table: Table) -> Table:
    """Give the table from which rows were left out, with the columns that its tuples hold."""
    return table.base if type(table) is View else table
