"""Number cells in other units, as ``--units`` asks for them."""

from __future__ import annotations

import numpy as np

from massprops_cli.files.fill import Fill, Filling
from massprops_cli.files.table import Table
from massprops_cli.tables.cells.cell_rules import PLAIN
from massprops_cli.tables.cells.numbers import settle
from massprops_cli.tables.columns.columns import Columns, Rewrite


def converted_cells(table: Table, columns: Columns, rewrite: Rewrite) -> list[Fill]:
    """Give every number cell whose column changes its unit, in the new one; other cells are left alone."""
    first, fills = columns.first_row, []
    rules = {column.index: column.rules for column in columns.by_quantity.values()}
    for index, factor in sorted(rewrite.factors.items()):
        if factor == 1.0:
            continue
        values = settle(table, index, table.numbers([index], first)[0], first, rules.get(index, PLAIN)).values
        given = np.flatnonzero(np.isfinite(values))
        fills.append(Fill(index, given + first, values[given] * factor))
    return fills


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
    fills = [*converted_cells(table, columns, rewrite), *units_row(rewrite)]
    return Filling(tuple(fills), header_row=columns.header_row, renames=dict(rewrite.header))
