"""Rows such as ``Dry mass`` that close a list, or are items of it: settled by their number and their place.

Such a row is a total where its number is the sum of rows above it, and a limit where it follows a total. In a table
whose rows have places in a tree it has none, and so is no item. All else is left to be asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.table import Table
from massprops_cli.tables.cells.number_text import read_number
from massprops_cli.tables.cells.numbers import half_unit_of_last_digit, settle
from massprops_cli.tables.columns.columns import Columns
from massprops_cli.tables.rows.remarks import numbering_columns
from massprops_cli.tables.rows.totals import LOOKED_AT, NAMING, PLACING, TotalRow
from massprops_cli.tables.units.quantities import NUMBER_QUANTITIES

Floats = NDArray[np.float64]

LEAST = 3
"""How many rows a sum has, that is taken for one by its number alone."""
ROUNDING = 1e-12
"""The relative difference that another order of summing explains."""


def settled_rows(
    table: Table, columns: Columns, totals: Sequence[TotalRow], doubtful: Sequence[TotalRow]
) -> list[TotalRow]:
    """Give those of some doubtful rows that are no items; ``totals`` are the rows that are none without a doubt."""
    if has_places(table, columns):
        return list(doubtful)
    if "mass" not in columns.by_quantity:
        return []
    known = {total.row: total for total in totals}
    settled = []
    for one in doubtful:
        if follows_total(table, one, known) or (one.kind == "total" and is_sum(table, columns, one, known.values())):
            known[one.row] = one
            settled.append(one)
    return settled


def is_counted_margin(table: Table, columns: Columns, one: TotalRow) -> bool:
    """Tell whether a margin has a quantity, as the parts around it have: it may be a mass that is held there."""
    quantity = columns.by_quantity.get("qty")
    return one.kind == "margin" and quantity is not None and bool(table.text(one.row, quantity.index).strip())


def has_places(table: Table, columns: Columns) -> bool:
    """Tell whether rows have places in a tree; a column ``Item`` that holds names gives none."""
    named = columns.by_quantity
    if any(name in named for name in ("parent", "child", "level")):
        return True
    return "item" in named and named["item"].index in numbering_columns(table, columns)


def follows_total(table: Table, one: TotalRow, known: dict[int, TotalRow]) -> bool:
    """Tell whether a margin, limit or figure stands below a total, with only rows between them that are no items."""
    if one.kind not in ("margin", "limit", "figure"):
        return False
    for i in range(one.row - 1, -1, -1):
        if i in known and known[i].kind == "total":
            return True
        if i not in known and any(text.strip() for text in table.row(i)):
            return False
    return False


def is_sum(table: Table, columns: Columns, one: TotalRow, known: Iterable[TotalRow]) -> bool:
    """Tell whether a row's mass is the sum of the rows above it, of all or of those since another total.

    One row is a sum below another total only: alone it may be another item of that mass.
    """
    column = columns.by_quantity["mass"]
    if one.mass is None:
        return False
    above = [total.row for total in known if total.row < one.row]
    starts = {columns.first_row, *(row + 1 for row in above)}
    written = table.text(one.row, column.index)
    for masses in row_masses(table, columns):
        masses[[row - columns.first_row for row in above]] = 0.0
        for start in starts:
            rows = masses[start - columns.first_row : one.row - columns.first_row]
            if np.count_nonzero(rows) > (not above) and is_near(float(rows.sum()), written, one.mass):
                return True
    return False


def closing_sum(table: Table, columns: Columns, totals: Sequence[TotalRow]) -> list[TotalRow]:
    """Give the last row of a list where its mass is the sum of all above: a total, whatever it is called.

    It has a name alone beside its numbers, and nothing else that the rows above it have.
    """
    named = columns.by_quantity
    if totals or has_places(table, columns):
        return []
    row = sum_of_others(table, columns, last=True)
    if row is None:
        return []
    numbers = {column.index for name, column in named.items() if name in NUMBER_QUANTITIES}
    words = [text.strip() for j, text in enumerate(table.row(row)) if text.strip() and j not in numbers]
    if len(words) != 1:
        return []
    mass = float(column_values(table, columns, "mass", 0.0)[row - columns.first_row])
    return [TotalRow(row, "total", words[0], mass)]


def nameless_sum(table: Table, columns: Columns, totals: Sequence[TotalRow]) -> list[TotalRow]:
    """Give the last row where it holds numbers alone, and one is the sum of all above it: a total without a label.

    The number stands under the masses, or under the masses of lines.
    """
    first = columns.first_row
    last = next((i for i in range(table.n_rows - 1, first, -1) if any(map(str.strip, table.row(i)))), first)
    texts = table.row(last)
    if last == first or any(text.strip() and read_number(text) is None for text in texts):
        return []
    if any(texts[j].strip() for j in columns_of(columns, (*NAMING, *PLACING, "qty"))):
        return []
    above = [total.row - first for total in totals]
    sums = list(row_masses(table, columns)) if "mass" in columns.by_quantity else []
    stated = [(columns.by_quantity["mass"].index, masses) for masses in sums]
    if "line_mass" in columns.by_quantity:
        stated.append((columns.by_quantity["line_mass"].index, column_values(table, columns, "line_mass", 0.0)))
    for index, masses in stated:
        masses[above] = 0.0
        rows, value = masses[: last - first], float(masses[last - first])
        if value and np.count_nonzero(rows) > 1 and is_near(float(rows.sum()), texts[index], value):
            return [TotalRow(last, "total", "the last row", value if index in columns_of(columns, ("mass",)) else None)]
    return []


def columns_of(columns: Columns, names: Iterable[str]) -> list[int]:
    """Give the columns of some quantities, as far as there are any."""
    return [columns.by_quantity[name].index for name in names if name in columns.by_quantity]


def sum_of_others(table: Table, columns: Columns, *, last: bool = False) -> int | None:
    """Give the first or the last row of a list where its mass is the sum of all others', three at least; else None."""
    if "mass" not in columns.by_quantity:
        return None
    index, first = columns.by_quantity["mass"].index, columns.first_row
    own = column_values(table, columns, "mass", 0.0)
    filled = np.flatnonzero(own)
    if len(filled) <= LEAST:
        return None
    for k in (filled[-1:] if last else filled[[-1, 0]]).tolist():
        text, value = table.text(first + k, index), float(own[k])
        for masses in row_masses(table, columns):
            if is_near(float(masses.sum() - masses[k]), text, value):
                return int(first + k)
    return None


def stated_sums(table: Table, columns: Columns) -> list[int]:
    """Give the rows of a list that state the sums of the rows next to them, where these sums take in every row.

    Two sums at least, of two rows or more, all below their rows or all above; and one of the sums, if there is one.
    """
    if "mass" not in columns.by_quantity or table.n_rows - columns.first_row > LOOKED_AT:
        return []
    index, first = columns.by_quantity["mass"].index, columns.first_row
    own = column_values(table, columns, "mass", 0.0)
    filled = np.flatnonzero(own).tolist()
    for masses in row_masses(table, columns):
        for rows in (filled, filled[::-1]):
            sums = sums_along(rows, masses, own, [table.text(first + k, index) for k in rows])
            if len(sums) > 1:
                return sorted(first + k for k in sums)
    return []


def sums_along(rows: Sequence[int], masses: Floats, own: Floats, texts: Sequence[str]) -> list[int]:
    """Give the rows that are the sum of those since the sum before, or of all sums; none where a row is in no sum.

    >>> masses = np.array([6.0, 4, 10, 2, 1, 3, 13])
    >>> sums_along(range(7), masses, masses, ["6", "4", "10", "2", "1", "3", "13"])
    [2, 5, 6]
    """
    since: list[int] = []
    sums: list[int] = []
    for k, text in zip(rows, texts, strict=True):
        parts = since or sums
        if len(parts) > 1 and is_near(float(masses[parts].sum()), text, float(own[k])):
            sums.append(k)
            since = []
        else:
            since.append(k)
    return [] if since else sums


def is_near(computed: float, text: str, value: float) -> bool:
    """Tell whether a number is what a cell of this text and value states, to half a unit of its last digit."""
    return abs(computed - value) <= half_unit_of_last_digit(text) + ROUNDING * abs(value)


def row_masses(table: Table, columns: Columns) -> Iterator[Floats]:
    """Give what the rows from the first on add ``(n,)``, in the masses' unit: of all pieces, and of the line."""
    masses = column_values(table, columns, "mass", 0.0)
    yield masses.copy()
    if "qty" in columns.by_quantity:
        yield masses * column_values(table, columns, "qty", 1.0)


def column_values(table: Table, columns: Columns, quantity: str, blank: float) -> Floats:
    """Give a column's numbers from the first row on ``(n,)``, with another number for what is none."""
    column, first = columns.by_quantity[quantity], columns.first_row
    values = settle(table, column.index, table.numbers([column.index], first)[0], first, column.rules).values
    if column.by_row is not None:
        values = values * column.by_row.sizes(np.arange(first, table.n_rows))
    return np.where(np.isnan(values), blank, values)
