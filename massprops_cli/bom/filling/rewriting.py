"""Every number cell in other units (``--units SI``): the one option that rewrites what the user typed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from massprops_cli.files.fill import Fill
from massprops_cli.tables.cells.number_text import read_number
from massprops_cli.tables.columns.columns import Rewrite
from massprops_cli.tables.columns.converted import converted_cells, units_row
from massprops_cli.tables.columns.tuples import spread_below

if TYPE_CHECKING:
    from massprops_cli.bom.items.content import Content


def rewritten(bom: Content, rewrite: Rewrite) -> tuple[list[Fill], dict[int, str]]:
    """Give the input cells in the new units, and the header texts that name them; computed cells go over these."""
    converted = converted_cells(bom.table, bom.columns, rewrite)
    fills = [with_totals(bom, fill, rewrite.factors[fill.column]) for fill in converted] + units_row(rewrite)
    return fills, dict(rewrite.header)


def with_totals(bom: Content, fill: Fill, factor: float) -> Fill:
    """Add the cells of rows that are totals: no part of the tree, but numbers in the column's unit all the same."""
    table = spread_below(bom.table)
    if not bom.totals or fill.column >= table.n_columns:
        return fill
    read = {total.row: read_number(table.text(total.row, fill.column)) for total in bom.totals}
    stated = {row: number for row, number in read.items() if number is not None}
    rows, numbers = np.array(list(stated), np.intp), np.array(list(stated.values()), float)
    units = next((c.by_row for c in bom.columns.by_quantity.values() if c.index == fill.column), None)
    sizes = 1.0 if units is None else units.sizes(rows)
    return merged([Fill(fill.column, rows, numbers * (factor * sizes))], [fill])[0]


def merged(under: list[Fill], over: list[Fill]) -> list[Fill]:
    """Join fills of the same columns, where those of ``over`` hold; rows stay ascending.

    >>> one = Fill(0, np.array([1, 2, 3]), np.array([1.0, 2.0, 3.0]))
    >>> merged([one], [Fill(0, np.array([2]), np.array([9.0]))])[0].values.tolist()
    [1.0, 9.0, 3.0]
    """
    result = list(over)
    by_column = {fill.column: k for k, fill in enumerate(result) if isinstance(fill.values, np.ndarray)}
    for fill in under:
        k = by_column.get(fill.column)
        if k is None or not isinstance(fill.values, np.ndarray):
            result.append(fill)
            continue
        top = result[k]
        assert isinstance(top.values, np.ndarray)
        rest = ~np.isin(fill.rows, top.rows)
        rows = np.concatenate([fill.rows[rest], top.rows])
        values = np.concatenate([fill.values[rest], top.values])
        order = np.argsort(rows, kind="stable")
        result[k] = Fill(fill.column, rows[order], values[order])
    return sorted(result, key=lambda fill: fill.column)
