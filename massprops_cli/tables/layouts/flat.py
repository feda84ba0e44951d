"""The flat layout: a list without any hierarchy, whose rows all stand one level under a made root.

It is the last to be tried, and only where no row can be another's assembly: none names another, and none is a total.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

import numpy as np

from massprops_cli.files.table import Table
from massprops_cli.findings import Finding, found
from massprops_cli.tables.columns import Column, Columns
from massprops_cli.tables.excluded_rows import stated_sums, sum_of_others
from massprops_cli.tables.hierarchy import NO_PARENT, Hierarchy, Reading, Rows, filled_rows, listed, nothing, picked
from massprops_cli.tables.ids import label
from massprops_cli.tables.layouts.groups import groups_of, under_groups, under_titles
from massprops_cli.tables.number_text import read_number
from massprops_cli.tables.quantities import NUMBER_QUANTITIES
from massprops_cli.tables.total_rows import is_at_side

NAMES = ("id", "part", "name", "item", "child")
"""Quantities that say which item a row is."""

_TOTAL = re.compile(r"\W*(?:(?:sub|grand)[\s-]*)?totals?\b", re.IGNORECASE)


def naming_column(columns: Columns) -> Column | None:
    """Give the column that says which item a row is."""
    return next((columns.by_quantity[name] for name in NAMES if name in columns.by_quantity), None)


def is_list_of_items(columns: Columns) -> bool:
    """Tell whether a table names items and a number of theirs: it is a bill of materials."""
    return naming_column(columns) is not None and any(name in columns.by_quantity for name in NUMBER_QUANTITIES)


def read_flat(table: Table, columns: Columns, *, every_row: bool = False) -> Reading:
    """Read every row as an item without a parent, or under the group that a column or a row names above it.

    With ``every_row`` no row names a group.
    """
    column = naming_column(columns)
    assert column is not None
    rows = filled_rows(table, columns, table.texts(column.index, columns.first_row))
    parents = np.full(len(rows), NO_PARENT, np.int32)
    texts = [text.strip() for text in picked(table.texts(column.index, columns.first_row), rows, columns.first_row)]
    labels, findings = label(table, columns, rows, parents, (f"column {column.header or column.index + 1}", texts))
    how = f"a list: nothing tells which row belongs to which; {labels.how}"
    hierarchy = Hierarchy("flat", how, rows, labels.ids, parents, labels.names)
    groups = groups_of(table, columns, hierarchy)
    if groups is not None:
        return under_groups(hierarchy, *groups), findings
    if every_row:
        return hierarchy, findings
    hierarchy, said = under_titles(table, columns, hierarchy)
    whole = None if said else sum_of_others(table, columns)
    sums = [whole] if whole is not None else [] if said else stated_sums(table, columns)
    if sums:
        return nothing(), [_said_sums(table, columns, sums, column)]
    return hierarchy, [*findings, *said]


def unlike_a_list(table: Table, columns: Columns) -> Finding | None:
    """Say why the rows may not be all of one level, and would be counted twice; None where nothing speaks for it."""
    column = naming_column(columns)
    assert column is not None
    key = table.texts(column.index, columns.first_row)
    rows = filled_rows(table, columns, key)
    if len(rows) > 1 and is_nameless(table, columns, int(rows[-1])):
        return _said_nameless(table, int(rows[-1]))
    names = {text.strip() for text in key} - {""}
    read = {c.index for quantity, c in columns.by_quantity.items() if quantity not in NAMES}
    for j, header in enumerate(columns.header):
        if j in read:
            continue
        texts = [text.strip() for text in picked(table.texts(j, columns.first_row), rows, columns.first_row)]
        labels = (k for k, text in enumerate(texts) if _TOTAL.match(text))
        total = next((k for k in labels if not is_at_side(table.row(int(rows[k])), columns, j)), None)
        if total is not None:
            return _said_total(table, columns, int(rows[total]), texts[total])
        if j != column.index and _names_others(texts, key, rows, columns.first_row, names):
            return _said_parents(table, columns, j, header.strip())
    return None


def is_nameless(table: Table, columns: Columns, row: int) -> bool:
    """Tell whether a row holds a mass, no quantity and no text: a total without its label, or an item without name."""
    mass, quantity, texts = columns.by_quantity.get("mass"), columns.by_quantity.get("qty"), table.row(row)
    if mass is None or not texts[mass.index].strip() or (quantity is not None and texts[quantity.index].strip()):
        return False
    return all(read_number(text) is not None for text in texts if text.strip())


def _said_nameless(table: Table, row: int) -> Finding:
    message = "the last row has a mass and no name: it is no sum of the rows above, and may be an item"
    remedy = "name it, delete it, or pass --layout flat to count it"
    return found("MP257", message, table.place(row), remedy=remedy)


def _names_others(texts: Sequence[str], key: Sequence[str], rows: Rows, first: int, names: set[str]) -> bool:
    """Tell whether some row of a column names another row's item."""
    own = (key[row - first].strip() for row in rows.tolist())
    return any(text in names and text != name for text, name in zip(texts, own, strict=True))


def _said_total(table: Table, columns: Columns, row: int, text: str) -> Finding:
    message = f"nothing tells which row belongs to which, and {text} would count the rows above it twice"
    remedy = "delete the row, or say how the rows hang together with --layout; --layout flat counts every row"
    return found("MP316", message, table.place(row), value=text, remedy=remedy)


def _said_sums(table: Table, columns: Columns, rows: Sequence[int], column: Column) -> Finding:
    """Ask whether rows are items, whose numbers are the sums of other rows."""
    names, mass = [table.text(row, column.index).strip() for row in rows], columns.by_quantity["mass"].index
    stated = table.text(rows[0], mass).strip()
    message = f"{names[0]} may be the total of the other rows: its {stated} is what they add up to"
    if len(rows) > 1:
        message = f"{listed(names)} may be totals: each states what the rows next to it add up to"
    command = f"massprops rollup {shlex.quote(table.source.name)}"
    skipped, counted = (" ".join(f"--{verb}-row {shlex.quote(name)}" for name in names) for verb in ("skip", "count"))
    remedy = f"type {command} {skipped}, or {command} {counted}"
    place, related = table.place(rows[0], mass, columns.header[mass]), tuple(map(table.place, rows[1:]))
    return found("MP257", message, place, value=names[0], remedy=remedy, count=len(rows), related=related)


def _said_parents(table: Table, columns: Columns, j: int, header: str) -> Finding:
    name = header or f"column {j + 1}"
    message = f"nothing tells which row belongs to which, and {name} names items of other rows"
    remedy = f'if it holds parents, pass --map parent="{header}"; --layout flat counts every row'
    return found("MP316", message, table.place(columns.header_row, j, header), value=header, remedy=remedy)
