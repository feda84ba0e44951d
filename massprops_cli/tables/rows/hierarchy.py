"""The result of every layout, and its rows.

Words. A *layout* is the way in which a table writes its tree. An *item* is a node of the tree; a row of data
is one item, but for edges, where one row may be used several times. A *part* is what several items may be
pieces of.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files import Table
from massprops_cli.findings import Place
from massprops_cli.tables.columns import QuantityColumn, TableColumns

NO_PARENT, UNKNOWN_PARENT = -1, -2

Index = NDArray[np.int32]
Rows = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Hierarchy:
    """n items in the order of the file, and their parents.

    ``layout`` is one of ``LAYOUTS`` (``single`` for a table of one row, empty when none was found), ``how``
    describes how it was found and where the ids come from. ``rows (n,)`` is the table row of each item,
    −1 for a root that the table names without giving it a row; ``parents (n,)`` is −1 for no parent, −2 for
    one that is named and not found. ``part (n,)`` numbers the part each item is a piece of, where the table
    has parts in several places. ``edge_rows (n,)`` is the row that holds an item's quantity where
    that is not ``rows`` (edges). ``parent_column`` is the table's column of the parents, for the
    address of a finding. ``tops_are_parts``: several rows without a parent are the parts of one product, as in a list.
    """

    layout: str
    how: str
    rows: Rows
    ids: Sequence[str]
    parents: Index
    names: Sequence[str] | None = None
    part: Rows | None = None
    edge_rows: Rows | None = None
    parent_column: QuantityColumn | None = None
    tops_are_parts: bool = False

    def __len__(self) -> int:
        return len(self.parents)


def empty_hierarchy(layout: str = "", how: str = "no layout was found") -> Hierarchy:
    """Return the hierarchy of a table in which none can be read."""
    return Hierarchy(layout, how, np.empty(0, np.intp), [], np.empty(0, np.int32))


def column_texts(table: Table, columns: TableColumns, quantity: str) -> Sequence[str] | None:
    """Return the texts of a quantity's column from the first row of data on; None without such a column."""
    column = columns.by_quantity.get(quantity)
    return None if column is None else table.texts(column.index, columns.first_row)


def data_rows(table: Table, columns: TableColumns, key: Sequence[str]) -> Rows:
    """Return the table rows that hold data; a complete row is read only if its ``key`` cell is blank.

    ``key`` is a column's texts from the first row of data on.
    """
    first = columns.first_row
    rows = np.arange(first, first + len(key), dtype=np.intp)
    if all(map(str.strip, key)):
        return rows
    blank = [i for i, text in enumerate(key) if not text or text.isspace()]
    keep = np.ones(len(key), bool)
    for i in blank:
        keep[i] = any(text and not text.isspace() for text in table.row(first + i))
    return rows[keep]


def texts_of_rows(texts: Sequence[str], rows: Rows, first_row: int) -> list[str]:
    """Pick the texts of some table rows out of a column that starts at ``first_row``."""
    whole = texts if isinstance(texts, list) else list(texts)
    if len(rows) == len(whole):
        return whole
    return [whole[i] for i in (rows - first_row).tolist()]


def cell_place(table: Table, row: int, column: QuantityColumn | None = None) -> Place:
    """Return the address of a cell, or of the table for an item without a row."""
    if row < 0:
        return Place(table.source.name, table.source.sheet)
    return table.place(row) if column is None else table.place(row, column.index, column.header)
