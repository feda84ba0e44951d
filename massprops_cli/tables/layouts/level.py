"""The level layout: each row says how deep it is, and hangs on the last row that is one level higher.

Levels are text: ``0 1 2``, counting from 0 or from 1, ``.1 ..2 ...3`` as SAP prints them, ``+1``, ``L2``,
``Level 2``.
"""

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
from massprops_cli.tables.items.shape import Hierarchy, Reading, Rows, filled_rows, picked, place_of
from massprops_cli.tables.layouts.nesting import nest
from massprops_cli.tables.options import TableOptions

_LEVEL = re.compile(r"(?:\+|l|lvl|level)?[ _-]*([0-9]{1,9})(?:\.0+)?", re.IGNORECASE)
_MARKED = re.compile(r"((?:[.\-*>][ ]?)+)([0-9]{1,9})")

BAD = -1


def read_level_text(text: str) -> int:
    """Read one level; −1 where the text is none. Marks before a number must be as many as the number says.

    A single hyphen is no mark: it makes a negative number.

    >>> [read_level_text(text) for text in ("2", ".1", "..2", "+1", "L3", "2.0", ".2", "two", "1.1", "-1")]
    [2, 1, 2, 1, 3, 2, -1, -1, -1, -1]
    """
    bare = text.strip()
    if bare.startswith("-") and bare[1:].isdecimal():
        return BAD
    marked = _MARKED.fullmatch(bare)
    if marked:
        marks = sum(1 for letter in marked[1] if letter != " ")
        return int(marked[2]) if marks == int(marked[2]) else BAD
    plain = _LEVEL.fullmatch(bare)
    return int(plain[1]) if plain else BAD


def read_level_texts(texts: Sequence[str]) -> NDArray[np.int64]:
    """Read levels ``(n,)``, each distinct text once."""
    known = {text: read_level_text(text) for text in set(texts)}
    return np.fromiter(map(known.__getitem__, texts), np.int64, len(texts))


def tells(table: Table, columns: Columns) -> bool:
    """Tell whether the column of levels says anything about a tree: it holds different levels."""
    distinct = set(table.texts(columns.by_quantity["level"].index, columns.first_row))
    filled = {text for text in distinct if text.strip()}
    return len(filled) > 1 and any(read_level_text(text) >= 0 for text in filled)


def unreadable(table: Table, columns: Columns) -> Finding | None:
    """Refuse a column of levels whose texts differ and are no levels: a list would count assemblies and their parts."""
    column = columns.by_quantity.get("level")
    texts = [] if column is None else [text.strip() for text in table.texts(column.index, columns.first_row)]
    k, text = next(((k, text) for k, text in enumerate(texts) if text), (0, ""))
    if column is None or all(other in ("", text) for other in texts):
        return None
    message = f"{column.header} says how deep the rows stand, in words that are no levels: {text}"
    place = table.place(columns.first_row + k, column.index, column.header)
    return found("MP312", message, place, value=text, remedy="write 0, 1, 2, or pass --layout flat to count every row")


def read_level(table: Table, columns: Columns, options: TableOptions) -> Reading:
    """Read a column of levels; several rows on the highest level are several roots."""
    column = columns.by_quantity["level"]
    key = table.texts(column.index, columns.first_row)
    rows = filled_rows(table, columns, key)
    texts = picked(key, rows, columns.first_row)
    levels = read_level_texts(texts)
    findings = _said_bad(table, column, texts, levels, rows)
    findings += _said_deep(table, column, levels, rows, options.max_depth)
    levels[levels > options.max_depth] = BAD
    known = np.flatnonzero(levels >= 0)
    if not len(known):
        return Hierarchy("level", f"column {column.header}", rows[:0], [], np.empty(0, np.int32)), findings
    top = int(levels[known[0]])
    findings += _said_above(table, column, levels, rows, top)
    parents, jumps = nest(np.where((levels >= 0) & (levels < top), top, levels))
    labels, found_here = label(table, columns, rows, parents)
    hierarchy = Hierarchy(
        "level",
        f"column {column.header} gives the level, counting from {top}; {labels.how}",
        rows,
        labels.ids,
        parents,
        labels.names,
        parent_column=column,
    )
    return hierarchy, findings + found_here + said_jumps(table, column, hierarchy, levels, jumps)


def _said_bad(
    table: Table, column: Column, texts: Sequence[str], levels: NDArray[np.int64], rows: Rows
) -> list[Finding]:
    def say(i: int, count: int) -> Finding:
        what = f"{texts[i]!r} is not a level" if texts[i].strip() else "the level is empty"
        more = f"; the same in {count - 1:,} more rows" if count > 1 else ""
        return found("MP312", what + more, place_of(table, int(rows[i]), column), value=texts[i], count=count)

    return each_or_together(np.flatnonzero(levels < 0).tolist(), say)


def _said_deep(table: Table, column: Column, levels: NDArray[np.int64], rows: Rows, max_depth: int) -> list[Finding]:
    deep = np.flatnonzero(levels > max_depth)
    if not len(deep):
        return []
    row, level = int(rows[deep[0]]), int(levels[deep[0]])
    message = f"level {level:,} is beyond the cap of {max_depth:,} levels"
    remedy = f"correct the level, or raise the cap with --max-depth {int(levels[deep].max())}"
    place = place_of(table, row, column)
    return [found("MP114", message, place, value=str(level), remedy=remedy, count=len(deep))]


def _said_above(table: Table, column: Column, levels: NDArray[np.int64], rows: Rows, top: int) -> list[Finding]:
    def say(i: int, count: int) -> Finding:
        more = f"; the same in {count - 1:,} more rows" if count > 1 else ""
        return found(
            "MP312",
            f"level {levels[i]} stands above the first row, whose level is {top}{more}",
            place_of(table, int(rows[i]), column),
            value=str(levels[i]),
            remedy="put the top row first, or correct the level",
            count=count,
        )

    return each_or_together(np.flatnonzero((levels >= 0) & (levels < top)).tolist(), say)


def said_jumps(
    table: Table,
    column: Column | None,
    hierarchy: Hierarchy,
    levels: NDArray[np.int64],
    jumps: Rows,
    next_to: int = -1,
) -> list[Finding]:
    """Say which rows are more than one level deeper than the row before (after, if ``next_to`` is 1)."""
    word = "follows" if next_to < 0 else "stands before"

    def say(i: int, count: int) -> Finding:
        more = f"; {count - 1:,} more rows jump" if count > 1 else ""
        return found(
            "MP311",
            f"{hierarchy.ids[i]}: level {levels[i]} {word} level {levels[i + next_to]}, "
            f"and may be {levels[i + next_to] + 1} at most{more}",
            place_of(table, int(hierarchy.rows[i]), column),
            value=str(levels[i]),
            item=hierarchy.ids[i],
            count=count,
        )

    return each_or_together(jumps.tolist(), say)
