"""The outline layout: a worksheet's own grouping of rows.

The row of an assembly stands above its parts or below them. The way round that gives one root holds; if neither or
both do, what the worksheet says of itself; and if it says nothing, the first row's level: at the top, it is an
assembly.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.table import Table
from massprops_cli.tables.columns.columns import Columns
from massprops_cli.tables.items.labels import label
from massprops_cli.tables.items.shape import Hierarchy, Reading, filled_rows
from massprops_cli.tables.layouts.level import said_jumps
from massprops_cli.tables.layouts.nesting import nest


def has_outline(table: Table, columns: Columns) -> bool:
    """Tell whether the worksheet groups any row of data."""
    info = table.sheet_info
    return info is not None and info.outline is not None and bool((info.outline[columns.first_row :] > 0).any())


def read_outline(table: Table, columns: Columns) -> Reading:
    """Read outline levels, assemblies above or below their parts."""
    info = table.sheet_info
    assert info is not None
    assert info.outline is not None
    n = table.n_rows - columns.first_row
    key_column = next((columns.by_quantity[q] for q in ("id", "part", "name") if q in columns.by_quantity), None)
    key = table.texts(key_column.index, columns.first_row) if key_column else [""] * n
    rows = filled_rows(table, columns, key)
    levels = info.outline[rows].astype(np.int64)
    below = summary_is_below(levels, info.summary_below)
    if below:
        turned, jumps = nest(levels[::-1])
        parents = np.where(turned >= 0, len(turned) - 1 - turned, turned)[::-1].astype(np.int32)
        jumps = len(turned) - 1 - jumps
    else:
        parents, jumps = nest(levels)
    labels, findings = label(table, columns, rows, parents)
    where = "below" if below else "above"
    how = f"outline levels of the worksheet, assemblies {where} their parts; {labels.how}"
    hierarchy = Hierarchy("outline", how, rows, labels.ids, parents, labels.names)
    return hierarchy, findings + said_jumps(table, None, hierarchy, levels, jumps, 1 if below else -1)


def summary_is_below(levels: NDArray[np.int64], stated: bool | None = None) -> bool:
    """Decide from the levels, and from what is ``stated``, whether assemblies stand below their parts.

    >>> [summary_is_below(np.array(levels)) for levels in ([1, 1, 0], [0, 1, 1], [0, 1, 0])]
    [True, False, False]
    >>> [summary_is_below(np.array(levels), True) for levels in ([1, 1, 0], [0, 1, 1], [0, 1, 0])]
    [True, False, True]
    """
    if not len(levels):
        return False
    tops = np.flatnonzero(levels == levels.min())
    if len(tops) == 1 and tops[0] in (0, len(levels) - 1):
        return bool(tops[0] != 0)
    return bool(levels[0] > levels.min()) if stated is None else stated
