"""The way back: the same items and cells in another layout."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from massprops_cli.files.table import GridTable, Rows, Table, TableSource
from massprops_cli.findings.finding import Finding, Findings, UsageError, name_list, rule_finding
from massprops_cli.options import named_option
from massprops_cli.tables.cells.number_text import read_number
from massprops_cli.tables.columns.columns import TableColumns, read_columns
from massprops_cli.tables.layouts import dotted_numbers as dotted, levels as name_columns
from massprops_cli.tables.layouts.detection import read_hierarchy
from massprops_cli.tables.options import POSE_QUANTITIES, TableOptions
from massprops_cli.tables.rows.hierarchy import Hierarchy, Index, unused_id

_TARGET_LAYOUTS = named_option("to-layout").words  # the layouts that can be written; outline levels are not in cells

_MAX_LEVEL_COLUMNS = 200  # the most levels that are written as columns, one each

_Value = str | float | None

_MAX_CHARACTERS = 1_000_000_000  # of all item numbers together, which are held in memory


@dataclass(frozen=True, slots=True)
class _LayoutColumn:
    """A column that the new layout brings: its header, and its ``cells (n,)`` in the order written."""

    header: str
    cells: Sequence[_Value]


def layout_rows(
    hierarchy: Hierarchy, table: Table, columns: TableColumns, layout: str, findings: Findings, *, made_root: str = ""
) -> list[tuple[_Value, ...]]:
    """Write a table's items in another layout, or raise UsageError; items outside the tree are reported."""
    # the columns of the tree are replaced. All other cells are unchanged; typed numbers remain numbers.
    if layout not in _TARGET_LAYOUTS:
        raise UsageError(f"layout cannot be written: {layout} ({', '.join(_TARGET_LAYOUTS)})")
    if made_root:
        hierarchy = _hierarchy_below_root(hierarchy, unused_id(made_root, hierarchy.ids))
    elif hierarchy.layout == layout:
        every = np.arange(columns.first_row, table.n_rows, dtype=np.intp)
        kept: list[int | _LayoutColumn] = list(range(table.n_columns))
        return _build_rows(table, columns, kept, every, every)
    items = _depth_first_order(hierarchy.parents)
    findings += _omitted_item_findings(hierarchy, table, items)
    if layout in ("parent", "edges"):  # in the order of the file, all others depth-first
        items = np.sort(items)
    new = _new_columns(hierarchy, table, items, layout, findings)
    if layout == "indented":  # blanks before names would be read as levels
        named = columns.having(("name", "part"))
        findings += _reject_leading_blanks(table, columns, [(column.index, column.header) for column in named])
    chosen = _column_order(hierarchy, table, columns, new, items)
    rows = hierarchy.rows[items]
    edge_rows = rows if hierarchy.edge_rows is None else hierarchy.edge_rows[items]
    written = _build_rows(table, columns, chosen, rows, edge_rows)
    if layout == "columns":
        kept_columns = [(j, columns.header[j]) for j in chosen if isinstance(j, int)]
        indenting = _reject_leading_blanks(table, columns, kept_columns)
        findings += indenting if indenting and _is_ambiguous_layout(written, columns) else []
    return written


def _hierarchy_below_root(hierarchy: Hierarchy, root: str) -> Hierarchy:
    """Put a new root, which has no row in the table, above the items without a parent."""

    def without_row(numbers: Rows | None) -> Rows | None:
        return None if numbers is None else np.concatenate([[-1], numbers]).astype(np.intp)

    moved = np.where(hierarchy.parents >= -1, hierarchy.parents + 1, hierarchy.parents)
    return replace(
        hierarchy,
        rows=np.concatenate([[-1], hierarchy.rows]).astype(np.intp),
        ids=[root, *hierarchy.ids],
        parents=np.concatenate([[-1], moved]).astype(hierarchy.parents.dtype),
        names=None if hierarchy.names is None else ["", *hierarchy.names],
        part=without_row(hierarchy.part),
        edge_rows=without_row(hierarchy.edge_rows),
    )


def hierarchy_rows(hierarchy: Hierarchy, table: Table, columns: TableColumns) -> list[tuple[_Value, ...]]:
    """Write only the rows of a hierarchy's items, unchanged and in the order of the file."""
    held = [hierarchy.rows] if hierarchy.edge_rows is None else [hierarchy.rows, hierarchy.edge_rows]
    rows = np.unique(np.concatenate(held))
    kept: list[int | _LayoutColumn] = list(range(table.n_columns))
    return _build_rows(table, columns, kept, rows[rows >= 0], rows[rows >= 0])


def _depth_first_order(parents: Index) -> Rows:
    """List the items depth-first, children in the order of the file; items that reach no root are left out."""
    n = len(parents)
    order = np.argsort(parents, kind="stable")
    starts = np.searchsorted(parents[order], np.arange(n + 1)).tolist()
    # reversed, so that the first child is used from the stack first
    children = order.tolist()
    waiting = np.flatnonzero(parents == -1)[::-1].tolist()
    result = []
    while waiting:
        item = waiting.pop()
        result.append(item)
        waiting.extend(reversed(children[starts[item] : starts[item + 1]]))
    return np.array(result, np.intp)


def _omitted_item_findings(hierarchy: Hierarchy, table: Table, items: Rows) -> list[Finding]:
    """Report the items that are in none of the trees written."""
    if not len(left := np.setdiff1d(np.arange(len(hierarchy)), items)):
        return []
    names = [hierarchy.ids[i] for i in left.tolist()]
    place, message = table.place(int(hierarchy.rows[left[0]])), "rows outside the selected roots are excluded"
    return [rule_finding("MP310", f"{message}: {name_list(names)}", place, item=names[0], count=len(names))]


def _new_columns(
    hierarchy: Hierarchy, table: Table, items: Rows, layout: str, findings: Findings
) -> list[_LayoutColumn]:
    """Make the columns of the new layout: those of the tree first, then the ids."""
    ids = [hierarchy.ids[i] for i in items.tolist()]
    if layout in ("parent", "edges"):
        above = hierarchy.parents[items].tolist()
        parents = _LayoutColumn("parent", [hierarchy.ids[p] if p >= 0 else "" for p in above])
        return [_LayoutColumn("id", ids), parents] if layout == "parent" else [parents, _LayoutColumn("child", ids)]
    levels = _item_depths(hierarchy.parents, items).tolist()
    if layout == "level":
        return [_LayoutColumn("level", list(map(str, levels))), _LayoutColumn("id", ids)]
    if layout == "indented":
        return [_LayoutColumn("id", ["  " * level + text for level, text in zip(levels, ids, strict=True)])]
    if layout == "columns":
        return _level_columns(table, ids, levels, findings)
    if (numbers := _item_numbers(hierarchy.parents, items)) is None:
        message = "tree is too deep for item numbers: more than a billion characters in total"
        findings.report("MP130", message, table.place(0), remedy="write layout parent")
        return [_LayoutColumn("id", ids)]
    return [_LayoutColumn("item", numbers), _LayoutColumn("id", ids)]


def _level_columns(table: Table, ids: Sequence[str], levels: Sequence[int], findings: Findings) -> list[_LayoutColumn]:
    """Make a column for each level, with the ids of that level."""
    if (deepest := max(levels, default=0)) >= _MAX_LEVEL_COLUMNS:
        message = f"number of levels is above the limit of level columns: {deepest + 1:,}"
        message += f" (at most {_MAX_LEVEL_COLUMNS})"
        findings.report("MP130", message, table.place(0), remedy="write layout parent")
        return [_LayoutColumn("id", ids)]
    pairs = list(zip(ids, levels, strict=True))
    return [
        _LayoutColumn(f"Level {k + 1}", [text if level == k else "" for text, level in pairs])
        for k in range(deepest + 1)
    ]


def _item_depths(parents: Index, items: Rows) -> Rows:
    """Count the steps from each of ``items (k,)``, parents before children, to its root."""
    depth = [0] * len(parents)
    above = parents.tolist()
    for item in items.tolist():
        depth[item] = depth[above[item]] + 1 if above[item] >= 0 else 0
    return np.array(depth, np.intp)[items]


def _item_numbers(parents: Index, items: Rows) -> list[str] | None:
    """Return the numbers of ``items (k,)``, parents first, as 1, 1.1, 1.2; None where that is too much text."""
    above, order = parents.tolist(), items.tolist()
    counts, lengths, size = [0] * (len(above) + 1), [0] * len(above), 0
    # lengths come first, so that what is rejected fills no memory
    for item in order:
        parent = above[item]
        counts[parent] += 1
        lengths[item] = len(str(counts[parent])) + (lengths[parent] + 1 if parent >= 0 else 0)
        size += lengths[item]
    if size > _MAX_CHARACTERS:
        return None
    counts, numbers = [0] * (len(above) + 1), [""] * len(above)
    for item in order:
        parent = above[item]
        counts[parent] += 1
        numbers[item] = f"{numbers[parent]}.{counts[parent]}" if parent >= 0 else str(counts[parent])
    return [numbers[item] for item in order]


def _tree_columns(hierarchy: Hierarchy, table: Table, columns: TableColumns) -> set[int]:
    """Find the columns of the tree, which would contradict or repeat the new ones."""
    named = columns.by_quantity
    tree_columns = {named[quantity].index for quantity in ("parent", "child", "level") if quantity in named}
    item = dotted.item_number_column(table, columns, forced=hierarchy.layout == "dotted")
    if item is not None and item.quantity == "item":
        tree_columns.add(item.index)
    if hierarchy.layout == "columns":
        tree_columns.update(name_columns.level_columns(table, columns))
    return tree_columns


def _column_order(
    hierarchy: Hierarchy, table: Table, columns: TableColumns, new: Sequence[_LayoutColumn], items: Rows
) -> list[int | _LayoutColumn]:
    """Insert the new columns in place of the first column of the tree; an id column keeps its position."""
    named = columns.by_quantity
    tree_columns = _tree_columns(hierarchy, table, columns)
    ids = next((column for column in new if column.header == "id"), None)
    has_ids = ids is not None and "id" in named
    keeps_ids = has_ids and named["id"].index not in tree_columns and hierarchy.layout != "edges"
    added = [column for column in new if not (column is ids and keeps_ids)]
    if not keeps_ids and "id" in named:
        tree_columns.add(named["id"].index)
    held = [named["item"].index] if any(c.header == "item" for c in new) and "item" in named else []
    tree_columns.update(held)
    if (texts := hierarchy.names) is not None and hierarchy.layout in ("columns", "edges"):
        header = "part" if hierarchy.layout == "edges" else "name"
        is_id = hierarchy.layout == "columns" and list(texts) == list(hierarchy.ids)
        if not is_id and (header not in named or named[header].index in tree_columns):
            added.append(_LayoutColumn(header, [texts[i] for i in items.tolist()]))
    chosen: list[int | _LayoutColumn] = [j for j in range(table.n_columns) if j not in tree_columns]
    at = min(tree_columns, default=0)
    where = sum(1 for j in chosen if isinstance(j, int) and j < at)
    chosen[where:where] = added
    if keeps_ids and ids is not None and (len(new) == 1 or (hierarchy.rows[items] < 0).any()):
        chosen[chosen.index(named["id"].index)] = _LayoutColumn(columns.header[named["id"].index], ids.cells)
    if hierarchy.layout == "indented" and hierarchy.parent_column is not None:
        assert hierarchy.parent_column is not None
        if (j := hierarchy.parent_column.index) in chosen:
            whole = table.texts(j, 0)
            bare = [whole[row].strip() for row in hierarchy.rows[items].tolist()]
            chosen[chosen.index(j)] = _LayoutColumn(columns.header[j], bare)
    return chosen


def _reject_leading_blanks(table: Table, columns: TableColumns, looked_at: Sequence[tuple[int, str]]) -> list[Finding]:
    """Reject the first text that begins with blanks in some columns, by their places and headers."""
    for index, header in looked_at:
        texts = table.texts(index, columns.first_row)
        if (bad := next((i for i, text in enumerate(texts) if text.strip() and text[0].isspace()), None)) is not None:
            message = f"name begins with blanks, which would be read as its level: {texts[bad].strip()}"
            place = table.place(columns.first_row + bad, index, header)
            remedy = "delete the blanks, or write layout level"
            return [rule_finding("MP130", message, place, value=texts[bad], remedy=remedy)]
    return []


def _is_ambiguous_layout(rows: Sequence[Sequence[_Value]], columns: TableColumns) -> bool:
    """Return whether a written table can be read in two layouts, by its columns and by its indentation."""
    written = GridTable(TableSource("", "csv"), rows[columns.header_row :])
    read = read_columns(written, TableOptions(), Findings())
    findings = Findings()
    read_hierarchy(written, read, TableOptions(), findings)
    return any(finding.rule == "MP315" for finding in findings)


def _build_rows(
    table: Table, columns: TableColumns, chosen: Sequence[int | _LayoutColumn], rows: Rows, edge_rows: Rows
) -> list[tuple[_Value, ...]]:
    """Build the rows: those above the data with the columns moved, then one for each of ``rows (n,)``."""
    first = columns.first_row
    head: list[tuple[_Value, ...]] = []
    for i in range(first):
        row = table.row(i)
        new = i == columns.header_row
        head.append(tuple((c.header if new else "") if isinstance(c, _LayoutColumn) else row[c] for c in chosen))
    of_uses = ("qty", "uom", *(name for name in POSE_QUANTITIES if name != "frame"))
    per_use = {columns.by_quantity[q].index for q in of_uses if q in columns.by_quantity}
    cells = [
        c.cells if isinstance(c, _LayoutColumn) else _cell_values(table, c, first, edge_rows if c in per_use else rows)
        for c in chosen
    ]
    return head + list(zip(*cells, strict=True))


def _cell_values(table: Table, j: int, first: int, rows: Rows) -> list[_Value]:
    """Return the cells of a column in some table rows, typed numbers as numbers; −1 is a blank."""
    texts = table.texts(j, first)
    values: list[_Value] = list(texts)
    for i in np.flatnonzero(table.is_typed(j, first)).tolist():
        # a typed column has blanks and truth values, which are not numbers
        values[i] = texts[i] if (number := read_number(texts[i])) is None else number
    if len(rows) == len(values) and bool((rows == np.arange(first, first + len(values))).all()):
        return values
    return [values[row - first] if row >= 0 else "" for row in rows.tolist()]


def new_item_cell(
    table: Table, columns: TableColumns, layout: str, row: int, children: Sequence[int]
) -> tuple[int, float | str]:
    """Return the cell that puts a new item below that of a row, or UsageError: its column, and number or level."""
    column = (
        dotted.item_number_column(table, columns, forced=True) if layout == "dotted" else columns.by_quantity["level"]
    )
    assert column is not None
    every = [text.strip() for text in table.texts(column.index)]
    above, given = every[row] if row >= 0 else "", [every[child] for child in children]
    if layout == "level":
        level = given[0] if given else str(int(above) + 1) if above.isdecimal() else ""
        if not level:
            raise UsageError(f"level is not an integer: {above or 'blank'} (give the row its first child in the sheet)")
        typed = bool(table.is_typed(column.index)[children[0] if given else row])
        return column.index, float(level) if typed else level
    end = "." if any(text.endswith(".") for text in (*given, above) if text) else ""
    last = [text.rstrip(".").rpartition(".")[2] for text in given]
    base = given[0].rstrip(".").rpartition(".")[0] if given else above.rstrip(".")
    width = min(map(len, last), default=1) if any(text.startswith("0") for text in last) else 1
    free = max(map(int, filter(str.isdecimal, last)), default=0) + 1
    return column.index, f"{base}{'.' if base else ''}{free:0{width}d}{end}"
