"""Layouts by levels: the parent of a row is the last row before it that is one level higher."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.options import cap_remedy
from massprops_cli.files.table import Rows, Table
from massprops_cli.findings.finding import Finding, Findings, rule_finding
from massprops_cli.tables.columns.columns import QuantityColumn, TableColumns
from massprops_cli.tables.layouts.dotted_numbers import id_column, row_findings
from massprops_cli.tables.options import TableOptions
from massprops_cli.tables.rows.hierarchy import (
    NO_PARENT,
    UNKNOWN_PARENT,
    Hierarchy,
    Index,
    cell_place,
    data_rows,
    label_items,
    limited_findings,
    texts_of_rows,
)
from massprops_cli.tables.rows.indentation import indentation_widths, indented_column


def _parents_from_levels(levels: NDArray[np.integer]) -> tuple[Index, NDArray[np.intp]]:
    """Find parents ``(n,)`` from levels, children below their parent, and the rows where levels are skipped."""
    # ``levels (n,)`` counts down from the top, -1 where a row's level is not known. Returns ``parents (n,)``
    # (-1 on the highest level of the table, -2 where the level is not known) and the rows ``jumps (k,)`` that
    # are more than one level deeper than the row before; their parent is that row.
    known = np.flatnonzero(levels >= 0)
    parents = np.full(len(levels), UNKNOWN_PARENT, np.int32)
    if not len(known):
        return parents, known
    depth = np.asarray(levels, np.int64)[known]
    steps = np.diff(depth, prepend=depth[0])
    jumps = np.flatnonzero(steps > 1)
    within = _parents_by_walk(depth) if len(jumps) else _parents_by_search(depth)
    parents[known] = np.where(within >= 0, known[within], NO_PARENT)
    # a row after one whose level is not known may rightly be deeper than the last known row
    clear = np.diff(known, prepend=known[0]) <= 1
    return parents, known[jumps[clear[jumps]]]


def _parents_by_search(depth: NDArray[np.int64]) -> NDArray[np.int64]:
    """Find parents without jumps: rows sorted by (level, row), and a search for (level − 1, own row)."""
    n = len(depth)
    keys = depth * n + np.arange(n)
    order = np.argsort(depth, kind="stable")
    before = np.searchsorted(keys[order], keys - n) - 1
    candidate = order[np.maximum(before, 0)]
    fits = (before >= 0) & (depth[candidate] == depth - 1)
    return np.where(fits, candidate, -1)


def _parents_by_walk(depth: NDArray[np.int64]) -> NDArray[np.int64]:
    """Find parents with jumps: the nearest row above that is less deep."""
    parents = np.full(len(depth), -1, np.int64)
    open_rows: list[int] = []
    open_depths: list[int] = []
    for row, level in enumerate(depth.tolist()):
        while open_depths and open_depths[-1] >= level:
            open_depths.pop()
            open_rows.pop()
        if open_rows:
            parents[row] = open_rows[-1]
        open_rows.append(row)
        open_depths.append(level)
    return parents


_LEVEL_TEXT = re.compile(r"(?:\+|l|lvl|level)?[ _-]*([0-9]{1,9})(?:\.0+)?", re.IGNORECASE)  # 2, +1, L2, Level 2
_MARKED_LEVEL = re.compile(r"((?:[.\-*>][ ]?)+)([0-9]{1,9})")  # ..2, as SAP prints levels; or .2 below 1

_BAD_LEVEL = -1  # a text that is not a level


def _read_level_text(text: str, first: int = 0) -> int:
    """Parse one level; -1 if it is none. The marks before a number are as many as the number is above ``first``."""
    # a single hyphen is not a mark: it makes a negative number
    bare = text.strip()
    if bare.startswith("-") and bare[1:].isdecimal():
        return _BAD_LEVEL
    if marked := _MARKED_LEVEL.fullmatch(bare):
        marks = sum(1 for letter in marked[1] if letter != " ")
        return int(marked[2]) if marks == int(marked[2]) - first else _BAD_LEVEL
    plain = _LEVEL_TEXT.fullmatch(bare)
    return int(plain[1]) if plain else _BAD_LEVEL


def _read_level_texts(texts: Sequence[str]) -> NDArray[np.int64]:
    """Read levels ``(n,)``, each distinct text once; marks are counted from level 0, or all of them from level 1."""
    distinct = set(texts)
    from_one = {text: _read_level_text(text, 1) for text in distinct if _MARKED_LEVEL.fullmatch(text.strip())}
    plain = {text.strip() for text in distinct - from_one.keys()} - {""}
    first = int(bool(from_one) and min(from_one.values()) >= 0 and plain <= {"1"})
    known = {text: _read_level_text(text, first) for text in distinct}
    return np.fromiter(map(known.__getitem__, texts), np.int64, len(texts))


def has_several_levels(table: Table, columns: TableColumns) -> bool:
    """Return whether the column of levels gives a tree."""
    distinct = set(table.texts(columns.by_quantity["level"].index, columns.first_row))
    filled = {text for text in distinct if text.strip()}
    return len(filled) > 1 and any(_read_level_text(text) >= 0 for text in filled)


def unreadable_levels_finding(table: Table, columns: TableColumns) -> Finding | None:
    """Reject a column of levels with different texts that are not levels: a list would count assemblies and parts."""
    column = columns.by_quantity.get("level")
    texts = [] if column is None else [text.strip() for text in table.texts(column.index, columns.first_row)]
    k, text = next(((k, text) for k, text in enumerate(texts) if text), (0, ""))
    if column is None or all(other in ("", text) for other in texts):
        return None
    message = f"cells of {column.header} are not levels: {text}"
    place = table.place(columns.first_row + k, column.index, column.header)
    return rule_finding(
        "MP312", message, place, value=text, remedy="write 0, 1, 2, or pass --layout flat to include every row"
    )


def read_level_column(table: Table, columns: TableColumns, options: TableOptions, findings: Findings) -> Hierarchy:
    """Read a column of levels; several rows on the highest level are several roots."""
    column = columns.by_quantity["level"]
    key = table.texts(column.index, columns.first_row)
    rows = data_rows(table, columns, key)
    texts = texts_of_rows(key, rows, columns.first_row)
    levels = _read_level_texts(texts)

    def unread(i: int) -> str:
        return f"not a level: {texts[i]!r}" if texts[i].strip() else "level is empty"

    findings += row_findings("MP312", np.flatnonzero(levels < 0).tolist(), (table, column, rows), unread, texts)
    findings += _deep_level_findings(table, column, levels, rows, options.caps.depth)
    levels[levels > options.caps.depth] = _BAD_LEVEL
    if not len(known := np.flatnonzero(levels >= 0)):
        return Hierarchy("level", f"column {column.header}", rows[:0], [], np.empty(0, np.int32))
    top = int(levels[known[0]])
    findings += _above_root_findings(table, column, levels, rows, top)
    parents, jumps = _parents_from_levels(np.where((levels >= 0) & (levels < top), top, levels))
    labels = label_items(table, columns, rows, parents, None, findings)
    how = f"levels from column {column.header}, top level {top}; {labels.how}"
    ids, names = labels.ids, labels.names
    hierarchy = Hierarchy("level", how, rows, ids, parents, names, parent_column=column, tops_are_parts=top > 0)
    findings += _level_jump_findings(table, column, hierarchy, levels, jumps)
    return hierarchy


def _deep_level_findings(
    table: Table, column: QuantityColumn, levels: NDArray[np.int64], rows: Rows, max_depth: int
) -> list[Finding]:
    """Reject levels above the limit, in one finding."""
    if not len(deep := np.flatnonzero(levels > max_depth)):
        return []
    row, level = int(rows[deep[0]]), int(levels[deep[0]])
    message = f"level is above the limit: {level:,} (at most {max_depth:,})"
    remedy = f"correct the level, or {cap_remedy('depth', int(levels[deep].max()))}"
    place = cell_place(table, row, column)
    return [rule_finding("MP114", message, place, value=str(level), remedy=remedy, count=len(deep))]


def _above_root_findings(
    table: Table, column: QuantityColumn, levels: NDArray[np.int64], rows: Rows, top: int
) -> list[Finding]:
    """Reject rows on a level above that of the first row."""
    above = np.flatnonzero((levels >= 0) & (levels < top)).tolist()
    words = {i: str(levels[i]) for i in above}
    remedy = "move the top row to the first position, or correct the level"

    def message_of(i: int) -> str:
        return f"level {words[i]} is above that of the first row, {top}"

    return row_findings("MP312", above, (table, column, rows), message_of, words, remedy)


def _level_jump_findings(
    table: Table,
    column: QuantityColumn | None,
    hierarchy: Hierarchy,
    levels: NDArray[np.int64],
    jumps: Rows,
    next_to: int = -1,
) -> list[Finding]:
    """Report rows that are more than one level deeper than the row before (after, if ``next_to`` is 1)."""
    word, ids = "follows" if next_to < 0 else "precedes", hierarchy.ids

    def finding_of(i: int) -> Finding:
        other = levels[i + next_to]
        message = f"{ids[i]}: level {levels[i]} {word} level {other} (at most {other + 1})"
        place = cell_place(table, int(hierarchy.rows[i]), column)
        return rule_finding("MP311", message, place, value=str(levels[i]), item=ids[i])

    return limited_findings(jumps.tolist(), finding_of)


def has_outline(table: Table, columns: TableColumns) -> bool:
    """Return whether the worksheet groups any row of data."""
    info = table.sheet_info
    return info is not None and info.outline is not None and bool((info.outline[columns.first_row :] > 0).any())


def read_outline(table: Table, columns: TableColumns, findings: Findings) -> Hierarchy:
    """Read outline levels, assemblies above or below their parts."""
    info = table.sheet_info
    assert info is not None
    assert info.outline is not None
    n = table.n_rows - columns.first_row
    key_column = id_column(columns)
    key = table.texts(key_column.index, columns.first_row) if key_column else [""] * n
    rows = data_rows(table, columns, key)
    levels = info.outline[rows].astype(np.int64)
    if below := _is_summary_below(levels, info.summary_below):
        turned, jumps = _parents_from_levels(levels[::-1])
        parents = np.where(turned >= 0, len(turned) - 1 - turned, turned)[::-1].astype(np.int32)
        jumps = len(turned) - 1 - jumps
    else:
        parents, jumps = _parents_from_levels(levels)
    labels = label_items(table, columns, rows, parents, None, findings)
    where = "below" if below else "above"
    how = f"outline levels of the worksheet, assemblies {where} their parts; {labels.how}"
    hierarchy = Hierarchy("outline", how, rows, labels.ids, parents, labels.names, tops_are_parts=True)
    findings += _level_jump_findings(table, None, hierarchy, levels, jumps, 1 if below else -1)
    return hierarchy


def _is_summary_below(levels: NDArray[np.int64], stated: bool | None = None) -> bool:
    """Decide from the levels, and from the worksheet's setting, whether assemblies are below their parts."""
    if not len(levels):
        return False
    if len(tops := np.flatnonzero(levels == levels.min())) == 1 and tops[0] in (0, len(levels) - 1):
        return bool(tops[0] != 0)
    return bool(levels[0] > levels.min()) if stated is None else stated


def read_indentation(table: Table, columns: TableColumns, findings: Findings) -> Hierarchy:
    """Read indentation; a step is the smallest beyond the first row's, and all others are multiples of it."""
    column = indented_column(table, columns, forced=True)
    assert column is not None
    key = table.texts(column.index, columns.first_row)
    rows = data_rows(table, columns, key)
    at = rows - columns.first_row
    all_kinds, all_widths = indentation_widths(table, columns, column)
    kinds, width = [all_kinds[i] for i in at.tolist()], all_widths[at]
    texts = [text.strip() for text in texts_of_rows(key, rows, columns.first_row)]
    levels, step, kind = _levels_from_indentation(texts, kinds, width)
    parents, jumps = _parents_from_levels(levels)
    of_labels = Findings()
    labels = label_items(
        table, columns, rows, parents, (f"column {column.header or column.index + 1}", texts), of_labels
    )
    findings += [finding for finding in of_labels if finding.rule != "MP303"]
    unit = {"cell": "indents", "tabs": "tabs", "marks": "marks"}.get(kind, "blanks")
    steps = "by marks" if kind == "marks" else f"by {step} {unit} per level"
    how = f"column {column.header or column.index + 1} is indented {steps}; {labels.how}"
    names = texts if labels.names is None else labels.names
    hierarchy = Hierarchy("indented", how, rows, labels.ids, parents, names, parent_column=column, tops_are_parts=True)

    def uneven(i: int) -> str:
        what = f"indentation of {texts[i]} is not a level: {width[i]} (steps of {step} {unit})"
        return what if texts[i] else "name is empty; its indentation gives the level"

    bad, remedy = np.flatnonzero(levels < 0).tolist(), "indent all rows the same way, with blanks or with tabs"
    found = row_findings("MP312", bad, (table, column, rows), uneven, texts, remedy)
    findings += [replace(one, item=one.value) for one in found]
    findings += _level_jump_findings(table, column, hierarchy, levels, jumps)
    return hierarchy


def _levels_from_indentation(
    texts: Sequence[str], kinds: Sequence[str], width: NDArray[np.int64]
) -> tuple[NDArray[np.int64], int, str]:
    """Return levels ``(n,)``, −1 where the indentation is uneven or of another kind; the step; the kind."""
    kind = next((kind for kind in kinds if kind), "")
    base = int(width[0]) if len(width) else 0
    beyond = width - base
    deeper = beyond[beyond > 0]
    step = int(deeper.min()) if len(deeper) else 1
    fits = (beyond >= 0) & (beyond % step == 0)
    fits &= np.fromiter((k in {"", kind} and k != "mixed" for k in kinds), bool, len(kinds))
    fits &= np.fromiter(map(bool, texts), bool, len(texts))
    return np.where(fits, beyond // step, _BAD_LEVEL), step, kind


# Level 1, L2
_LEVEL_HEADER = re.compile(r"\s*(?:level|lvl|lev|l|tier|ebene|niveau|nivel)\s*[-_.#]?\s*([0-9]{1,3})\s*", re.IGNORECASE)


_UNIT_AT_END = re.compile(r"[\[(]\s*(?:kg|g|t|lb|lbs|mm|cm|m|in|ft)\s*[\])]\s*$")
"""A unit behind a header: its cells are numbers, not names."""


def level_columns(table: Table, columns: TableColumns) -> list[int]:
    """Find the columns of levels: headers such as Level 1, Level 2, else neighbours, one filled per row."""
    marks = {j: match for j, text in enumerate(columns.header) if (match := _LEVEL_HEADER.fullmatch(text))}
    numbers = [int(match[1]) for match in marks.values()]
    if len(numbers) > 1 and numbers == list(range(numbers[0], numbers[0] + len(numbers))) and numbers[0] <= 1:
        return list(marks)
    return _adjacent_level_columns(table, columns)


def _adjacent_level_columns(table: Table, columns: TableColumns) -> list[int]:
    """Find columns side by side of which each row fills just one, the first row the first of them."""
    taken = {c.index for quantity, c in columns.by_quantity.items() if quantity not in ("name", "part", "id", "item")}
    free = [j for j, text in enumerate(columns.header) if j not in taken and not _UNIT_AT_END.search(text)]
    filled = {j: _filled_cells(table, columns, j) for j in free}
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


def _filled_cells(table: Table, columns: TableColumns, j: int) -> NDArray[np.bool_]:
    """Test which cells of a column are filled ``(n,)``, from the first row of data on."""
    texts = table.texts(j, columns.first_row)
    return np.fromiter((bool(text) and not text.isspace() for text in texts), bool, len(texts))


def read_name_columns(table: Table, columns: TableColumns, findings: Findings) -> Hierarchy:
    """Read the level of each row from the column that holds its name."""
    chosen = level_columns(table, columns)
    every = [table.texts(j, columns.first_row) for j in chosen]
    filled = np.stack([_filled_cells(table, columns, j) for j in chosen], axis=1)
    counts = filled.sum(axis=1)
    first = columns.first_row
    blank = [i for i in np.flatnonzero(counts == 0).tolist() if not any(map(str.strip, table.row(first + i)))]
    at = np.setdiff1d(np.arange(len(counts)), blank)
    rows = (at + first).astype(np.intp)
    levels = np.where(counts[at] == 1, filled[at].argmax(axis=1), -1)
    names = [
        every[level][i].strip() if level >= 0 else "" for i, level in zip(at.tolist(), levels.tolist(), strict=True)
    ]
    parents, jumps = _parents_from_levels(levels)
    headers = [columns.header[j] for j in chosen]
    labels = label_items(table, columns, rows, parents, ("the columns of names", names), findings)
    how = f"columns {headers[0]} to {headers[-1]} contain one level each; {labels.how}"
    first_column = QuantityColumn(chosen[0], "name", headers[0])
    hierarchy = Hierarchy(
        "columns", how, rows, labels.ids, parents, names, parent_column=first_column, tops_are_parts=True
    )
    findings += _unclear_level_findings(table, columns, chosen, every, levels, rows)
    findings += _level_jump_findings(table, hierarchy.parent_column, hierarchy, levels, jumps)
    return hierarchy


def _unclear_level_findings(
    table: Table,
    columns: TableColumns,
    chosen: Sequence[int],
    every: Sequence[Sequence[str]],
    levels: NDArray[np.int64],
    rows: Rows,
) -> list[Finding]:
    """Report rows with no name, or several."""

    def finding_of(i: int) -> Finding:
        row = int(rows[i])
        given = [(j, texts[row - columns.first_row]) for j, texts in zip(chosen, every, strict=True)]
        given = [(j, text.strip()) for j, text in given if text.strip()]
        if not given:
            place = cell_place(table, row, QuantityColumn(chosen[0], "name", columns.header[chosen[0]]))
            remedy = "write the name in the column of its level"
            return rule_finding("MP312", "no level column contains a name", place, remedy=remedy)
        texts = " and ".join(f"{text} in {columns.header[j]}" for j, text in given)
        place = cell_place(table, row, QuantityColumn(given[1][0], "name", columns.header[given[1][0]]))
        return rule_finding("MP321", f"several level columns contain a name: {texts}", place, value=given[1][1])

    return limited_findings(np.flatnonzero(levels < 0).tolist(), finding_of)
