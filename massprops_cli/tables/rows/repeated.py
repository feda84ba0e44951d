"""Headers that stand again inside the table, as printed pages leave them: they are no items."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from massprops_cli.files.table import Table
from massprops_cli.files.view import View
from massprops_cli.findings import Finding, found
from massprops_cli.tables.cells.number_text import is_number
from massprops_cli.tables.columns.columns import Columns
from massprops_cli.tables.columns.headings import read_heading, squeeze
from massprops_cli.tables.rows.totals import LOOKED_AT, NAMING
from massprops_cli.tables.units.quantities import NUMBER_QUANTITIES


def leave_out_repeated(table: Table, columns: Columns) -> tuple[Table, list[Finding]]:
    """Leave out the rows that are the header again, with their row of units, and say so; else the table itself.

    A header that changes what a column is or in which unit it stands is an error: the rows below it mean another thing.
    """
    rows = list(repeated(table, columns))
    if not rows:
        return table, []
    units = [row + 1 for row in rows if is_units_row(table, columns, row + 1)]
    without = View(table, sorted([*rows, *units]))
    changed = [(row, j) for row in rows if (j := changed_column(table.row(row), columns)) is not None]
    if changed:  # its own cells are no faults beside that
        return without, [said_changed(table, columns, *changed[0])]
    places = [table.place(row) for row in rows[:20]]
    message = "the header stands here again, and is no item"
    finding = found("MP255", message, places[0], count=len(rows), related=tuple(places[1:]))
    return without, [finding]


def repeated(table: Table, columns: Columns) -> Iterator[int]:
    """Give the rows that are headers again: one stands under a number column, and another beside it.

    In a long table only the very text of the first header is looked for, in a column that is read as text anyway.
    """
    named, first = columns.by_quantity, columns.first_row
    long = table.n_rows - first > LOOKED_AT
    asked = NAMING if long else ("mass", "qty", *NUMBER_QUANTITIES)
    column = next((named[quantity] for quantity in asked if quantity in named), None)
    if column is None:
        return
    texts = table.texts(column.index, first)
    for k in positions(texts, {table.text(columns.header_row, column.index)} if long else headings_among(texts)):
        if sum(bool(read_heading(text).quantity) for text in table.row(first + k)) >= 2:
            yield first + k


def headings_among(texts: Sequence[str]) -> set[str]:
    """Give the texts of a number column that name a quantity."""
    return {text for text in set(texts) if not is_number(text) and read_heading(text).quantity}


def positions(texts: Sequence[str], wanted: set[str]) -> list[int]:
    """Give where some texts stand among others; where none does, that is found at the speed of a search."""
    if not any(text in texts for text in wanted):
        return []
    return [k for k, text in enumerate(texts) if text in wanted]


def changed_column(texts: list[str], columns: Columns) -> int | None:
    """Give the first column that a second header names otherwise than the first, or in another unit; else None."""
    for j, text in enumerate(texts):
        first = columns.header[j]
        if squeeze(text) != squeeze(first) and text.strip() and _meaning(text) != _meaning(first):
            return j
    return None


def _meaning(text: str) -> tuple[str, str]:
    heading = read_heading(text)
    return heading.quantity, heading.unit


def is_units_row(table: Table, columns: Columns, row: int) -> bool:
    """Tell whether a row is the header's row of units again."""
    has_units = columns.first_row == columns.header_row + 2
    return has_units and row < table.n_rows and table.row(row) == table.row(columns.header_row + 1)


def said_changed(table: Table, columns: Columns, row: int, j: int) -> Finding:
    """Say that a second header gives a column another meaning than the first."""
    text, first = table.text(row, j).strip(), columns.header[j].strip() or "nothing"
    message = f"a second header stands inside the table, and says {text} where the first says {first}"
    return found("MP256", message, table.place(row, j, first), value=text)
