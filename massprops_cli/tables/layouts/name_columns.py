"""The columns layout: one column of names for each level, and every row a name in one of them."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.table import Table
from massprops_cli.findings import Finding, found
from massprops_cli.tables.columns.columns import Column, Columns
from massprops_cli.tables.items.identity import each_or_together
from massprops_cli.tables.items.labels import label
from massprops_cli.tables.items.shape import Hierarchy, Reading, Rows, place_of
from massprops_cli.tables.layouts.level import said_jumps
from massprops_cli.tables.layouts.nesting import nest

_HEADER = re.compile(r"\s*(?:level|lvl|lev|l|tier|ebene|niveau|nivel)\s*[-_.#]?\s*([0-9]{1,3})\s*", re.IGNORECASE)


def level_columns(table: Table, columns: Columns) -> list[int]:
    """Find the columns of levels: headers such as Level 1, Level 2, else neighbours, one filled per row.

    >>> bool(_HEADER.fullmatch("Level 1")), bool(_HEADER.fullmatch("L0")), bool(_HEADER.fullmatch("Length 1"))
    (True, True, False)
    """
    marks = {j: match for j, text in enumerate(columns.header) if (match := _HEADER.fullmatch(text))}
    numbers = [int(match[1]) for match in marks.values()]
    if len(numbers) > 1 and numbers == list(range(numbers[0], numbers[0] + len(numbers))) and numbers[0] <= 1:
        return list(marks)
    return _neighbours(table, columns)


def _neighbours(table: Table, columns: Columns) -> list[int]:
    """Find columns side by side of which each row fills just one, the first row the first of them."""
    taken = {c.index for quantity, c in columns.by_quantity.items() if quantity not in ("name", "part", "id", "item")}
    free = [j for j in range(len(columns.header)) if j not in taken]
    filled = {j: _filled(table, columns, j) for j in free}
    for start in free:
        if not len(filled[start]) or not filled[start][0]:
            continue
        used = filled[start].copy()
        end = start + 1
        while end in filled and not bool((used & filled[end]).any()) and bool(filled[end].any()):
            used |= filled[end]
            end += 1
        if end - start > 1 and bool(used.all()):
            return list(range(start, end))
    return []


def _filled(table: Table, columns: Columns, j: int) -> NDArray[np.bool_]:
    texts = table.texts(j, columns.first_row)
    return np.fromiter((bool(text) and not text.isspace() for text in texts), bool, len(texts))


def read_name_columns(table: Table, columns: Columns) -> Reading:
    """Read the level of each row from the column that holds its name."""
    chosen = level_columns(table, columns)
    every = [table.texts(j, columns.first_row) for j in chosen]
    filled = np.stack([_filled(table, columns, j) for j in chosen], axis=1)
    counts = filled.sum(axis=1)
    first = columns.first_row
    blank = [i for i in np.flatnonzero(counts == 0).tolist() if not any(map(str.strip, table.row(first + i)))]
    keep = np.ones(len(counts), bool)
    keep[blank] = False
    at = np.flatnonzero(keep)
    rows = (at + first).astype(np.intp)
    levels = np.where(counts[at] == 1, filled[at].argmax(axis=1), -1)
    names = [
        every[level][i].strip() if level >= 0 else "" for i, level in zip(at.tolist(), levels.tolist(), strict=True)
    ]
    parents, jumps = nest(levels)
    headers = [columns.header[j] for j in chosen]
    labels, findings = label(table, columns, rows, parents, ("the columns of names", names))
    hierarchy = Hierarchy(
        "columns",
        f"columns {headers[0]} to {headers[-1]} hold one level each; {labels.how}",
        rows,
        labels.ids,
        parents,
        names,
        parent_column=Column(chosen[0], "name", headers[0]),
    )
    findings += _said_unclear(table, columns, chosen, every, levels, rows)
    return hierarchy, findings + said_jumps(table, hierarchy.parent_column, hierarchy, levels, jumps)


def _said_unclear(
    table: Table,
    columns: Columns,
    chosen: Sequence[int],
    every: Sequence[Sequence[str]],
    levels: NDArray[np.int64],
    rows: Rows,
) -> list[Finding]:
    """Say which rows have no name, or several."""

    def say(i: int, count: int) -> Finding:
        row = int(rows[i])
        given = [(j, texts[row - columns.first_row]) for j, texts in zip(chosen, every, strict=True)]
        given = [(j, text.strip()) for j, text in given if text.strip()]
        more = f"; the same in {count - 1:,} more rows" if count > 1 else ""
        if not given:
            place = place_of(table, row, Column(chosen[0], "name", columns.header[chosen[0]]))
            remedy = "write the name in the column of its level"
            return found("MP312", f"no level column holds a name{more}", place, remedy=remedy, count=count)
        texts = " and ".join(f"{text} in {columns.header[j]}" for j, text in given)
        place = place_of(table, row, Column(given[1][0], "name", columns.header[given[1][0]]))
        value = given[1][1]
        return found("MP321", f"several level columns hold a name: {texts}{more}", place, value=value, count=count)

    return each_or_together(np.flatnonzero(levels < 0).tolist(), say)
