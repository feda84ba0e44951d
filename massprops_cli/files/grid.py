"""A table in memory: rows of plain Python values."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.table import BLANK, NUMBER, TEXT, Numbers, SheetInfo, Source
from massprops_cli.findings import Place

Value = str | float | int | bool | None


def text_of(value: Value) -> str:
    """Give the shortest text that reads back as the same value.

    >>> [text_of(v) for v in ("a", 5.0, 0.1, True, None)]
    ['a', '5', '0.1', 'true', '']
    """
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        if math.isnan(value):
            return ""
        text = float.__repr__(value)  # NumPy writes its own name into its floats
        return text.removesuffix(".0")
    return str(value)


class GridTable:
    """Rows of values, padded to one length; see the Table protocol for what its methods give."""

    def __init__(
        self,
        source: Source,
        rows: Sequence[Sequence[Value]],
        sheet_info: SheetInfo | None = None,
        lines: Sequence[int] | None = None,
    ) -> None:
        self.source, self.sheet_info, self.lines = source, sheet_info, lines
        self.rows = rows
        self.n_rows = len(rows)
        self.n_columns = max((len(row) for row in rows), default=0)

    def value(self, i: int, j: int) -> Value:
        """Give one cell's value."""
        row = self.rows[i]
        return row[j] if j < len(row) else None

    def row(self, i: int) -> list[str]:
        """Give the texts of row ``i``."""
        texts = [text_of(value) for value in self.rows[i]]
        return texts + [""] * (self.n_columns - len(texts))

    def text(self, i: int, j: int) -> str:
        """Give the text of one cell."""
        return text_of(self.value(i, j))

    def texts(self, j: int, start: int = 0) -> Sequence[str]:
        """Give the texts of column ``j`` from row ``start`` on."""
        return [text_of(row[j]) if j < len(row) else "" for row in self.rows[start:]]

    def numbers(self, columns: Sequence[int], start: int = 0) -> list[Numbers]:
        """Read columns as numbers from row ``start`` on."""
        return [self.one_column(j, start) for j in columns]

    def one_column(self, j: int, start: int) -> Numbers:
        """Read one column as numbers; texts are left open."""
        n = self.n_rows - start
        values, states = np.full(n, np.nan), np.full(n, TEXT, np.uint8)
        for k, row in enumerate(self.rows[start:]):
            value = row[j] if j < len(row) else None
            if value is None or value == "":
                states[k] = BLANK
            elif isinstance(value, int | float) and not isinstance(value, bool):
                number = float(value)
                if np.isfinite(number):
                    values[k], states[k] = number, NUMBER
        return Numbers(values, states)

    def is_typed(self, j: int, start: int = 0) -> NDArray[np.bool_]:
        """Tell which cells of column ``j`` are typed numbers."""
        return np.array([isinstance(self.value(i, j), int | float) for i in range(start, self.n_rows)], bool)

    def place(self, i: int, j: int | None = None, column: str = "") -> Place:
        """Give the address of a row or of a cell."""
        return Place(self.source.name, self.source.sheet, row=i + 1, column=column)
