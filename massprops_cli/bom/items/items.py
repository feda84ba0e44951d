"""The items of a table: which row each stands on, and columns brought into item order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.table import Table
from massprops_cli.tables.columns.columns import Columns

T = TypeVar("T", bound=np.generic)
Which = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class ItemRows:
    """The items of a table: ``rows (n,)`` their table rows (−1 for a root that has none), ``ids`` their names."""

    table: Table
    columns: Columns
    rows: Which
    ids: Sequence[str]

    def is_whole(self, n_rows: int) -> bool:
        """Tell whether the items are all data rows in file order, so that nothing need be gathered."""
        return (
            len(self.rows) == n_rows > 0
            and int(self.rows[0]) == self.columns.first_row
            and bool((np.diff(self.rows) == 1).all())
        )

    def gather(self, column: NDArray[T], absent: float | bool) -> NDArray[T]:
        """Bring a column, read from the first data row on, into item order; ``absent`` is for items without a row."""
        if self.is_whole(len(column)):
            return column
        at = self.rows - self.columns.first_row
        without = self.rows < 0
        if not without.any():
            return column[at]
        gathered = column[np.where(without, 0, at)]
        gathered[without] = absent
        return gathered

    def texts(self, index: int) -> Sequence[str]:
        """Give a column's texts in item order."""
        texts = self.table.texts(index, self.columns.first_row)
        if self.is_whole(len(texts)):
            return texts
        first = self.columns.first_row
        return [texts[row - first] if row >= 0 else "" for row in self.rows.tolist()]

    def in_file_order(self, which: Which) -> Which:
        """Sort item numbers by the rows that they stand on."""
        return which[np.argsort(self.rows[which], kind="stable")]

    def at_rows(self, rows: Which) -> Which:
        """Give the first item on each of some table rows, in the order of the rows; rows without items are left out."""
        order = np.argsort(self.rows, kind="stable")
        at = np.searchsorted(self.rows[order], rows)
        found: Which = order[np.minimum(at, len(order) - 1)]
        there: Which = found[self.rows[found] == rows]
        return there
