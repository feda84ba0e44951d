"""Masses of assemblies that are stated once more below the table: the name of an item, and a number beside it."""

from __future__ import annotations

from massprops_cli.files.table import Table
from massprops_cli.tables.cells.number_text import read_number
from massprops_cli.tables.columns.columns import Columns
from massprops_cli.tables.rows.totals import LAST, NAMING, PLACING, TotalRow, with_masses


def stated_below(table: Table, columns: Columns) -> list[TotalRow]:
    """Give the rows below the last blank row, where each names an item of the table and states its mass.

    A name stands in a column that names no items, so that it can be none of them; where one row below is anything else,
    none is given. Only the end of a long table is looked at.
    """
    mass, first = columns.by_quantity.get("mass"), columns.first_row
    if mass is None:
        return []
    begin = last_block(table, first)
    rows: list[TotalRow] = []
    naming = {columns.by_quantity[name].index for name in (*NAMING, *PLACING) if name in columns.by_quantity}
    for i in range(begin, table.n_rows if begin > first else begin):
        filled = {j: text.strip() for j, text in enumerate(table.row(i)) if text.strip()}
        words = [j for j, text in filled.items() if read_number(text) is None]
        if len(filled) != 2 or len(words) != 1 or words[0] in naming or mass.index not in filled or mass.index in words:
            return []
        rows.append(TotalRow(i, "subtotal", filled[words[0]], None))
    if not rows:
        return []
    names = {table.text(i, j).strip().casefold() for i in range(first, begin) for j in naming}
    return with_masses(table, columns, rows) if all(row.label.casefold() in names for row in rows) else []


def last_block(table: Table, first: int) -> int:
    """Give the row after the last blank one within the end of a table; ``first`` where there is none."""
    begin = max(first, table.n_rows - LAST)
    blank = (i for i in range(table.n_rows - 1, begin, -1) if not any(text.strip() for text in table.row(i)))
    return next(blank, first - 1) + 1
