"""Cells of columns that hold units row by row: filled beside a result where blank, renamed by ``--units``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.fill import Fill
from massprops_cli.tables.columns.converted import row_units, unit_cells

if TYPE_CHECKING:
    from massprops_cli.bom.items.content import Content


def unit_fills(bom: Content, rows: NDArray[np.intp]) -> list[Fill]:
    """Give the cells of columns of units: those of ``rows`` that are blank, and all where units change."""
    changed = {fill.column: fill.rows for fill in unit_cells(bom.columns)}
    new = {} if bom.columns.rewrite is None else bom.columns.rewrite.row_units
    fills = []
    for index, units in sorted(row_units(bom.columns).items()):
        every = np.union1d(rows[units.blank(rows)], changed.get(index, ()))
        fills.append(Fill(index, every.astype(np.intp), [new.get(index, units.unit.text)] * len(every)))
    return [fill for fill in fills if len(fill.rows)]
