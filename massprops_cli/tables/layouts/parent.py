"""The parent layout: each row has an id and names the id of its parent."""

from __future__ import annotations

from massprops_cli.files.table import Table
from massprops_cli.tables.columns.columns import Column, Columns
from massprops_cli.tables.items.identity import match_parents, read_ids
from massprops_cli.tables.items.shape import Hierarchy, Reading, column_texts, filled_rows, picked


def id_column(columns: Columns) -> Column | None:
    """Give the column that parents are named by: ids, else part numbers, else names."""
    named = columns.by_quantity
    return next((named[quantity] for quantity in ("id", "part", "name") if quantity in named), None)


def read_parent(table: Table, columns: Columns) -> Reading:
    """Read ids and parents; a blank parent is no parent, and every other text, ``NA`` included, is an id."""
    column = id_column(columns)
    assert column is not None
    key = table.texts(column.index, columns.first_row)
    rows = filled_rows(table, columns, key)
    ids, findings = read_ids(table, column, picked(key, rows, columns.first_row), rows)
    parent_column = columns.by_quantity["parent"]
    raw = picked(table.texts(parent_column.index, columns.first_row), rows, columns.first_row)
    parents, found_here = match_parents(table, parent_column, raw, rows, ids)
    names = column_texts(table, columns, "name")
    hierarchy = Hierarchy(
        "parent",
        f"column {parent_column.header} names the parent of column {column.header}",
        rows,
        ids.texts,
        parents,
        names if names is None or len(names) == len(rows) else picked(names, rows, columns.first_row),
        parent_column=parent_column,
    )
    return hierarchy, findings + found_here
