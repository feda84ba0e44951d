"""Every number cell in other units (``--units SI``): the one option that rewrites what the user typed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from massprops_cli.files.fill import Fill
from massprops_cli.tables.cell_rules import PLAIN
from massprops_cli.tables.columns import Rewrite
from massprops_cli.tables.numbers import settle

if TYPE_CHECKING:
    from massprops_cli.bom.content import Content


def rewritten(bom: Content, rewrite: Rewrite) -> tuple[list[Fill], dict[int, str]]:
    """Give the input cells in the new units, and the header texts that name them; computed cells go over these."""
    table, first = bom.table, bom.columns.first_row
    fills = []
    rules = {column.index: column.rules for column in bom.columns.by_quantity.values()}
    for index, factor in sorted(rewrite.factors.items()):
        if factor == 1.0:
            continue
        values = settle(table, index, table.numbers([index], first)[0], first, rules.get(index, PLAIN)).values
        given = np.flatnonzero(np.isfinite(values))
        fills.append(Fill(index, given + first, values[given] * factor))
    if rewrite.units_row_at is not None:
        row = np.array([rewrite.units_row_at], dtype=np.intp)
        fills += [Fill(index, row, [text]) for index, text in sorted(rewrite.units_row.items())]
    return fills, dict(rewrite.header)


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
