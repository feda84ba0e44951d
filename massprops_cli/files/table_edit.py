"""What is put into a table: values into columns that exist, and whole columns to its right.

A writer takes a Table and a Filling. Everything that the Filling does not name goes out with the characters it came in
with.

A table with its filling put in: what every writer that goes column by column or row by row sees.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.table import Table
from massprops_cli.findings import Place, TableError, rule_finding

Values = NDArray[np.float64] | Sequence[str]
"""Numbers (NaN is written as a blank cell, others as the shortest text that reads back the same), or texts."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ColumnEdit:
    """New values for some cells of one column: ``rows (k,)`` ascending row numbers of the table, ``values (k,)``."""

    column: int
    rows: NDArray[np.intp]
    values: Values


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AddedColumn:
    """A column to the right of the table: ``values (k,)`` belong to ``rows (k,)``; other rows stay blank."""

    name: str
    rows: NDArray[np.intp]
    values: Values


@dataclass(frozen=True, slots=True)
class TableEdit:
    """All that is put into one table. ``header_row`` is where the names of added columns go.

    ``renames {column: text}`` replaces header cells (``--units SI`` only).
    """

    fills: tuple[ColumnEdit, ...] = ()
    added: tuple[AddedColumn, ...] = ()
    header_row: int = 0
    renames: dict[int, str] = field(default_factory=dict)


def shortest_number_text(value: float) -> str:
    """Return the shortest text that reads back as the same number; blank for NaN.

    >>> [shortest_number_text(value) for value in (5.0, 0.1, 1e300, float("nan"))]
    ['5', '0.1', '1e+300', '']
    """
    return "" if math.isnan(value) else repr(value).removesuffix(".0")


def edit_value_texts(values: Values) -> list[str]:
    """Return the texts of filled values."""
    return list(map(shortest_number_text, values.tolist())) if isinstance(values, np.ndarray) else list(values)


def _edited_header(table: Table, filling: TableEdit) -> list[str]:
    """Return the column names, those added at the right included."""
    names = table.row(filling.header_row) if table.n_rows else []
    for column, name in filling.renames.items():
        names[column] = name
    return names + [added.name for added in filling.added]


def unique_header(table: Table, filling: TableEdit, holder: str) -> list[str]:
    """Return the column names where each is there once, as ``holder`` needs it; raises TableError.

    Two columns without a name are above a table whose header is not the first row.
    """
    header = _edited_header(table, filling)
    doubles = sorted({name for name in header if header.count(name) > 1})
    if not doubles:
        return header
    name, remedy = doubles[0], None
    message = f"two columns are named {name!r} ({holder} requires unique names)"
    if not name:
        message = f"two columns have no name ({holder} requires unique names)"
        remedy = "write to another format, or write the table alone with convert --to-layout parent"
    raise TableError([rule_finding("MP130", message, Place(table.source.name), value=name, remedy=remedy)])


def edited_column_texts(table: Table, filling: TableEdit, column: int, start: int) -> list[str]:
    """Return one column's texts from row ``start`` on; columns from ``n_columns`` on are the added ones."""
    if column >= table.n_columns:
        texts = [""] * (table.n_rows - start)
        added = filling.added[column - table.n_columns]
        _put_values(texts, added.rows, edit_value_texts(added.values), start)
        return texts
    texts = list(table.texts(column, start))
    for fill in filling.fills:
        if fill.column == column:
            _put_values(texts, fill.rows, edit_value_texts(fill.values), start)
    return texts


def _put_values(texts: list[str], rows: NDArray[np.intp], values: Sequence[str], start: int) -> None:
    """Put values into their rows."""
    for row, text in zip(rows.tolist(), values, strict=True):
        if row >= start:
            texts[row - start] = text


def edited_row_texts(table: Table, filling: TableEdit) -> list[list[str]]:
    """Return every row's texts, those above the header included."""
    width = table.n_columns + len(filling.added)
    columns = [edited_column_texts(table, filling, j, 0) for j in range(width)]
    if table.n_rows:
        for j, name in enumerate(_edited_header(table, filling)):
            columns[j][filling.header_row] = name
    return [list(row) for row in zip(*columns, strict=True)]


def has_filled_numbers(filling: TableEdit, column: int, n_columns: int) -> bool:
    """Return whether numbers are filled into a column."""
    if column >= n_columns:
        return isinstance(filling.added[column - n_columns].values, np.ndarray)
    return any(f.column == column and isinstance(f.values, np.ndarray) for f in filling.fills)
