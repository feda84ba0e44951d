"""Number cells in other units, as ``--units`` asks for them."""

from __future__ import annotations

import numpy as np

from massprops_cli.files.fill import Fill, Filling
from massprops_cli.files.table import Table
from massprops_cli.tables.cells.numbers import settle
from massprops_cli.tables.columns.columns import Columns, Rewrite
from massprops_cli.tables.columns.row_units import RowUnits


def converted_cells(table: Table, columns: Columns, rewrite: Rewrite) -> list[Fill]:
    """Give every number cell whose column changes its unit, in the new one; other cells are left alone."""
    first, fills = columns.first_row, []
    by_index = {column.index: column for column in columns.by_quantity.values()}
    for index, factor in sorted(rewrite.factors.items()):
        column = by_index[index]
        if factor == 1.0 and column.by_row is None:
            continue
        settled = settle(table, index, table.numbers([index], first)[0], first, column.rules)
        values = settled.values
        # 1.2 kg/m is true under any unit, and a plain number would be of one unit of its row's quantity
        given = np.setdiff1d(np.flatnonzero(np.isfinite(values)), list(settled.measures)).astype(np.intp)
        rows = given + first
        sizes = 1.0 if column.by_row is None else column.by_row.sizes(rows)
        fills.append(Fill(index, rows, values[given] * (factor * sizes)))
    return fills


def unit_cells(columns: Columns) -> list[Fill]:
    """Give the cells of columns that hold units row by row as they become; none where no units change."""
    new = {} if columns.rewrite is None else columns.rewrite.row_units
    return [
        Fill(index, rows, [text] * len(rows))
        for index, text in sorted(new.items())
        if len(rows := row_units(columns)[index].stated_rows)
    ]


def row_units(columns: Columns) -> dict[int, RowUnits]:
    """Give the columns that hold units row by row, by their place."""
    return {column.by_row.index: column.by_row for column in columns.by_quantity.values() if column.by_row is not None}


def units_row(rewrite: Rewrite) -> list[Fill]:
    """Give the cells of the row of units as they become; none where there is no such row."""
    if rewrite.units_row_at is None:
        return []
    row = np.array([rewrite.units_row_at], dtype=np.intp)
    return [Fill(index, row, [text]) for index, text in sorted(rewrite.units_row.items())]


def in_new_units(table: Table, columns: Columns) -> Filling:
    """Say how a table that is written as it is changes with ``--units``: number cells, headers and the row of units."""
    rewrite = columns.rewrite
    if rewrite is None:
        return Filling(header_row=columns.header_row)
    fills = [*converted_cells(table, columns, rewrite), *units_row(rewrite), *unit_cells(columns)]
    return Filling(tuple(fills), header_row=columns.header_row, renames=dict(rewrite.header))
