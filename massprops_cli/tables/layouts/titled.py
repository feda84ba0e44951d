"""Groups of a list under rows of their own: a row with a name alone (``Power``) above the rows of the group.

Such a row would else be an item that lacks its mass. It names a group where the row that closes it says so
(``Power subtotal``), or where the list begins with one and its items have more cells than a name and a mass.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from massprops_cli.files.table import Table
from massprops_cli.files.view import View
from massprops_cli.findings import Finding, found
from massprops_cli.tables.cells.number_text import BLANKS
from massprops_cli.tables.columns.columns import Columns
from massprops_cli.tables.items.shape import NO_PARENT, Hierarchy, Reading, listed
from massprops_cli.tables.rows.total_words import own_words
from massprops_cli.tables.rows.totals import LOOKED_AT, TotalRow, find_totals


def under_titles(table: Table, columns: Columns, hierarchy: Hierarchy) -> Reading:
    """Put the items of a list under the rows that name their groups, and say so; the list itself where none does."""
    if not 2 < len(hierarchy) <= LOOKED_AT:
        return hierarchy, []
    counts = [sum(bool(text.strip(BLANKS)) for text in table.row(row)) for row in hierarchy.rows.tolist()]
    closing = closing_rows(table, columns)
    titles = titles_among(hierarchy, counts, closing)
    if not titles:
        return hierarchy, []
    parents, above, ends = [], NO_PARENT, [total.row for total in closing]
    for i, row in enumerate(hierarchy.rows.tolist()):
        ended = i > 0 and any(hierarchy.rows[i - 1] < end < row for end in ends)
        above = NO_PARENT if ended else above
        parents.append(NO_PARENT if i in titles else above)
        above = i if i in titles else above
    how = f"{hierarchy.how}; groups from rows with a name alone"
    return replace(hierarchy, how=how, parents=np.array(parents, np.int32)), [said_titles(table, hierarchy, titles)]


def closing_rows(table: Table, columns: Columns) -> list[TotalRow]:
    """Give the subtotals and totals that were left out, which end a group."""
    if not isinstance(table, View):
        return []
    among = [i for i in np.flatnonzero(table.left_out).tolist() if i >= columns.first_row]
    return [total for total in find_totals(table.base, columns, among=among) if total.kind in ("subtotal", "total")]


def titles_among(hierarchy: Hierarchy, counts: Sequence[int], closing: Sequence[TotalRow]) -> list[int]:
    """Give the items that name groups: rows of one cell, each with rows of more cells below it."""
    alone = [i for i, count in enumerate(counts) if count == 1]
    if not alone or alone[-1] == len(counts) - 1 or any(b - a == 1 for a, b in pairwise(alone)):
        return []
    least = min(count for count in counts if count > 1)
    opened = alone[0] == 0 and least > 2
    rows = hierarchy.rows.tolist()
    ends = [*(rows[i] for i in alone[1:]), rows[-1] + len(rows) + len(closing) + 1]
    closed = [
        any(rows[i] < total.row < end and names(total.label, hierarchy.ids[i]) for total in closing)
        for i, end in zip(alone, ends, strict=True)
    ]
    return alone if opened or all(closed) else []


def names(label: str, group: str) -> bool:
    """Tell whether the label of a total says a group's name.

    >>> names("Power subtotal", "POWER"), names("Subtotal", "Power")
    (True, False)
    """
    said = own_words(group)
    return bool(said) and set(said) <= set(own_words(label))


def said_titles(table: Table, hierarchy: Hierarchy, titles: Sequence[int]) -> Finding:
    """Say which rows are read as the names of groups."""
    places = [table.place(int(hierarchy.rows[i])) for i in titles[:20]]
    names = listed([hierarchy.ids[i] for i in titles])
    message = f"{names}: a name alone in its row, read as the group of the rows below it"
    item = hierarchy.ids[titles[0]]
    return found("MP259", message, places[0], item=item, count=len(titles), related=tuple(places[1:]))
