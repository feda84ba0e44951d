"""The indented layout: names moved to the right by leading blanks, or by a worksheet cell's own indent."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.table import Table
from massprops_cli.findings import Finding, found
from massprops_cli.tables.columns.columns import Column, Columns
from massprops_cli.tables.items.identity import each_or_together
from massprops_cli.tables.items.labels import label
from massprops_cli.tables.items.shape import Hierarchy, Reading, Rows, filled_rows, picked, place_of
from massprops_cli.tables.layouts.level import said_jumps
from massprops_cli.tables.layouts.nesting import nest

BAD = -1


def indented_column(table: Table, columns: Columns, *, forced: bool) -> Column | None:
    """Find the column of indented texts: name, part, id or item, else any column that is not read."""
    named = columns.by_quantity
    order = [named[quantity] for quantity in ("name", "part", "id", "item") if quantity in named]
    read = {column.index for column in named.values()}
    order += [Column(j, "name", text) for j, text in enumerate(columns.header) if j not in read]
    for column in order:
        if bool((widths(table, columns, column)[1] > 0).any()):
            return column
    return order[0] if forced and order else None


def widths(table: Table, columns: Columns, column: Column) -> tuple[list[str], NDArray[np.int64]]:
    """Measure the indentation of a column from the first row of data on: kinds and widths ``(n,)``.

    The kind is ``blanks``, ``tabs``, ``cell`` (a worksheet's own indent), ``mixed``, or empty where there is
    no indentation.
    """
    texts = table.texts(column.index, columns.first_row)
    info = table.sheet_info
    own = None if info is None else info.indent.get(column.index)
    if own is not None:
        width = np.asarray(own[columns.first_row :], np.int64)
        if bool((width > 0).any()):
            return ["cell" if w else "" for w in width.tolist()], width
    width = np.fromiter((len(text) - len(text.lstrip()) for text in texts), np.int64, len(texts))
    kinds = [""] * len(texts)
    for i in np.flatnonzero(width).tolist():
        lead = texts[i][: int(width[i])]
        tabs = lead.count("\t")
        kinds[i] = "tabs" if tabs == len(lead) else "mixed" if tabs else "blanks"
    return kinds, width


def read_indented(table: Table, columns: Columns) -> Reading:
    """Read indentation; a step is the smallest beyond the first row's, and all others are multiples of it."""
    column = indented_column(table, columns, forced=True)
    assert column is not None
    key = table.texts(column.index, columns.first_row)
    rows = filled_rows(table, columns, key)
    at = rows - columns.first_row
    all_kinds, all_widths = widths(table, columns, column)
    kinds, width = [all_kinds[i] for i in at.tolist()], all_widths[at]
    texts = [text.strip() for text in picked(key, rows, columns.first_row)]
    levels, step, kind = _levels(texts, kinds, width)
    parents, jumps = nest(levels)
    labels, findings = label(table, columns, rows, parents, (f"column {column.header}", texts))
    findings = [finding for finding in findings if finding.rule != "MP303"]
    unit = {"cell": "indents", "tabs": "tabs"}.get(kind, "blanks")
    how = f"column {column.header} is indented by {step} {unit} a level; {labels.how}"
    names = texts if labels.names is None else labels.names
    hierarchy = Hierarchy("indented", how, rows, labels.ids, parents, names, parent_column=column)
    findings += _said_uneven(table, column, texts, levels, width, (step, unit), rows)
    return hierarchy, findings + said_jumps(table, column, hierarchy, levels, jumps)


def _levels(texts: Sequence[str], kinds: Sequence[str], width: NDArray[np.int64]) -> tuple[NDArray[np.int64], int, str]:
    """Give levels ``(n,)``, −1 where the indentation is uneven or of another kind; the step; the kind."""
    kind = next((kind for kind in kinds if kind), "")
    base = int(width[0]) if len(width) else 0
    beyond = width - base
    deeper = beyond[beyond > 0]
    step = int(deeper.min()) if len(deeper) else 1
    fits = (beyond >= 0) & (beyond % step == 0)
    fits &= np.fromiter((k in {"", kind} and k != "mixed" for k in kinds), bool, len(kinds))
    fits &= np.fromiter(map(bool, texts), bool, len(texts))
    return np.where(fits, beyond // step, BAD), step, kind


def _said_uneven(
    table: Table,
    column: Column,
    texts: Sequence[str],
    levels: NDArray[np.int64],
    width: NDArray[np.int64],
    step: tuple[int, str],
    rows: Rows,
) -> list[Finding]:
    def say(i: int, count: int) -> Finding:
        more = f"; the same in {count - 1:,} more rows" if count > 1 else ""
        what = f"{texts[i]}: indented by {width[i]}, and the others by steps of {step[0]} {step[1]}"
        return found(
            "MP312",
            (what if texts[i] else "there is no name whose indentation tells the level") + more,
            place_of(table, int(rows[i]), column),
            value=texts[i],
            item=texts[i],
            remedy="indent all rows alike, with blanks or with tabs",
            count=count,
        )

    return each_or_together(np.flatnonzero(levels < 0).tolist(), say)
