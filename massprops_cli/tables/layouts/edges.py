"""The edges layout: each row states that a child is used in a parent; it may be used in several.

A part's own numbers are on one row where it is the child: the first that has any. A row with a blank parent
states a part without using it: the root, or the numbers of a part. A parent that is nowhere a child
is a root without a row. Every use is one item; where a part is used more than once, an item's id is the path
to it, joined with ``/``.

Parts and their uses: an acyclic graph, its cycles, and its expansion into one item per use.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.options import cap_remedy
from massprops_cli.files.table import Table
from massprops_cli.findings.finding import Finding, Findings, rule_finding
from massprops_cli.tables.cells.units import BOUND_QUANTITIES, NUMBER_QUANTITIES, SIGMA_QUANTITIES
from massprops_cli.tables.columns.columns import QuantityColumn, TableColumns
from massprops_cli.tables.layouts.dotted_numbers import id_column
from massprops_cli.tables.options import TableOptions
from massprops_cli.tables.rows.hierarchy import (
    Hierarchy,
    ItemIds,
    Rows,
    cell_place,
    data_rows,
    empty_hierarchy,
    look_alike_findings,
    texts_of_rows,
    trim_ids,
)

_IndexArray = NDArray[np.intp]


class _PartUses(NamedTuple):
    """The uses of parts, sorted by parent part and then by row."""

    parent: _IndexArray  # (m,) part numbers
    child: _IndexArray  # (m,) part numbers
    row: _IndexArray  # (m,) table row of each use
    start: _IndexArray  # (n + 1,) the uses under part p are at start[p] : start[p + 1]


class _UseExpansion(NamedTuple):
    """Items, parents first: ``part (n,)``, ``parent (n,)`` item or −1, ``use (n,)``, −1 for a root."""

    part: _IndexArray
    parent: _IndexArray
    use: _IndexArray


def _sort_uses(parent: _IndexArray, child: _IndexArray, row: _IndexArray, n_parts: int) -> _PartUses:
    """Sort uses by their parent part, keeping the order of rows."""
    order = np.argsort(parent, kind="stable")
    start = np.zeros(n_parts + 1, np.intp)
    np.cumsum(np.bincount(parent, minlength=n_parts), out=start[1:])
    return _PartUses(parent[order], child[order], row[order], start)


def _uses_under(uses: _PartUses, parts: _IndexArray) -> tuple[_IndexArray, _IndexArray]:
    """List the uses under each of ``parts (k,)``: for each its position in ``parts`` and its number."""
    counts = uses.start[parts + 1] - uses.start[parts]
    owner = np.repeat(np.arange(len(parts)), counts)
    first = np.repeat(uses.start[parts] - (np.cumsum(counts) - counts), counts)
    return owner, first + np.arange(len(owner))


def _peel_parts(uses: _PartUses, n_parts: int) -> tuple[_IndexArray, NDArray[np.float64]]:
    """Remove parts from the top, all whose parents are gone: return uses left above each part, and items of it."""
    # Returns ``waiting (n_parts,)``, the uses still left above each part (not 0 on cycles and below them), and
    # ``items (n_parts,)``, how many items each part becomes when uses are expanded.
    waiting = np.bincount(uses.child, minlength=n_parts).astype(np.intp)
    items = np.where(waiting == 0, 1.0, 0.0)
    wave = np.flatnonzero(waiting == 0)
    while len(wave):
        owner, number = _uses_under(uses, wave)
        children = uses.child[number]
        np.subtract.at(waiting, children, 1)
        np.add.at(items, children, items[wave][owner])
        reached = np.unique(children)
        wave = reached[waiting[reached] == 0]
    return waiting, items


def _part_cycles(uses: _PartUses, waiting: _IndexArray) -> list[list[int]]:
    """List the cycles among parts that could not be peeled, each part followed by the one that contains it."""
    left = waiting > 0
    above: dict[int, int] = {}
    for parent, child in zip(uses.parent.tolist(), uses.child.tolist(), strict=True):
        if left[parent] and left[child]:
            above.setdefault(child, parent)
    done: set[int] = set()
    result = []
    for begin in np.flatnonzero(left).tolist():
        path: dict[int, int] = {}
        part = begin
        while part not in done and part not in path:
            path[part] = len(path)
            part = above[part]
        if part in path:
            result.append(list(path)[path[part] :])
        done.update(path)
    return result


def _expand_uses(uses: _PartUses, roots: _IndexArray, keep: NDArray[np.bool_]) -> _UseExpansion:
    """Make one item for every use, level by level, children in row order; parts not in ``keep`` are left out."""
    wave = roots
    parts, parents, used = [roots], [np.full(len(roots), -1)], [np.full(len(roots), -1)]
    first = 0
    while len(wave):
        owner, number = _uses_under(uses, wave)
        wanted = keep[uses.child[number]]
        owner, number = owner[wanted], number[wanted]
        parents.append(owner + first)
        used.append(number)
        first += len(wave)
        wave = uses.child[number]
        parts.append(wave)
    return _UseExpansion(np.concatenate(parts), np.concatenate(parents), np.concatenate(used))


class _UseRows(NamedTuple):
    """Rows as part numbers: ``child (r,)``, ``parent (r,)``, −1 for a blank; table rows; the parts' names."""

    child: _IndexArray
    parent: _IndexArray
    rows: Rows
    names: list[str]


def read_edges(table: Table, columns: TableColumns, options: TableOptions, findings: Findings) -> Hierarchy:
    """Read uses of parts and expand them to one item per use."""
    child = columns.by_quantity.get("child") or id_column(columns)
    assert child is not None
    read = _read_use_rows(table, columns, child, findings)
    n = len(read.names)
    is_use = (read.parent >= 0) & (read.child >= 0)
    uses = _sort_uses(read.parent[is_use], read.child[is_use], read.rows[is_use], n)
    of_own_rows = Findings()
    own_rows = _own_rows(table, columns, child, read, of_own_rows)
    if len(uses.child) == len(np.unique(uses.child)):
        # every part is used once: no expansion, and cycles are found as in any tree
        findings += of_own_rows
        return _expanded_hierarchy(columns, child, read, uses, _single_use_expansion(uses, own_rows), own_rows)
    waiting, counts = _peel_parts(uses, n)
    findings += [_part_cycle_finding(table, columns, read, uses, cycle) for cycle in _part_cycles(uses, waiting)]
    keep = waiting == 0
    total = float(counts[keep].sum())
    if total > options.caps.items:
        message = f"number of items is above the limit: {total:,.0f} (at most {options.caps.items:,})"
        remedy = cap_remedy("items", int(total))
        findings.report("MP114", message, table.place(0), remedy=remedy)
        return empty_hierarchy("edges", message)
    used = np.bincount(uses.child, minlength=n) > 0
    expansion = _expand_uses(uses, np.flatnonzero(~used & keep), keep)
    # the name of an item is in the paths of all items below it
    lengths = np.array([len(name) + 1 for name in read.names], np.float64) * counts
    characters = float(lengths[expansion.part].sum())
    if characters > options.caps.characters:
        message = f"paths of {total:,.0f} items have {characters:,.0f} characters (limit {options.caps.characters:,})"
        findings.report("MP114", message, table.place(0), remedy=cap_remedy("characters", int(characters)))
        return empty_hierarchy("edges", message)
    findings += of_own_rows
    return _expanded_hierarchy(columns, child, read, uses, expansion, own_rows)


def _single_use_expansion(uses: _PartUses, own_rows: Rows) -> _UseExpansion:
    """Make one item for each part, in the order of their rows, where no part is used twice."""
    order = np.argsort(own_rows, kind="stable")
    item = np.empty(len(order), np.intp)
    item[order] = np.arange(len(order))
    parents = np.full(len(order), -1)
    parents[item[uses.child]] = item[uses.parent]
    use = np.full(len(order), -1)
    use[item[uses.child]] = np.arange(len(uses.child))
    return _UseExpansion(order, parents, use)


def _expanded_hierarchy(
    columns: TableColumns,
    child: QuantityColumn,
    read: _UseRows,
    uses: _PartUses,
    expansion: _UseExpansion,
    own_rows: Rows,
) -> Hierarchy:
    """Make the hierarchy of the items, with each part's own row and the row of each use."""
    ids = _path_names(expansion, read.names)
    rows = own_rows[expansion.part]
    edge_rows = rows.copy()
    is_use = expansion.use >= 0
    edge_rows[is_use] = uses.row[expansion.use[is_use]]
    parent = columns.by_quantity["parent"]
    return Hierarchy(
        "edges",
        f"column {child.header} is used in column {parent.header}; {len(read.names):,} parts, {len(ids):,} items",
        rows,
        ids,
        expansion.parent.astype(np.int32),
        [read.names[p] for p in expansion.part.tolist()],
        expansion.part,
        edge_rows,
        parent,
    )


def _read_use_rows(table: Table, columns: TableColumns, child: QuantityColumn, findings: Findings) -> _UseRows:
    """Read the rows of uses, with the parts in the order in which they are first named."""
    key = table.texts(child.index, columns.first_row)
    rows = data_rows(table, columns, key)
    children = trim_ids(table, child, texts_of_rows(key, rows, columns.first_row), rows, findings)
    parent = columns.by_quantity["parent"]
    raw = texts_of_rows(table.texts(parent.index, columns.first_row), rows, columns.first_row)
    parents = trim_ids(table, parent, raw, rows, findings)
    findings += [
        rule_finding("MP302", "use without a child", cell_place(table, int(rows[i]), child))
        for i, text in enumerate(children)
        if not text
    ]
    index: dict[str, int] = {}
    number = [index.setdefault(text, len(index)) if text else -1 for text in children]
    above = [index.setdefault(text, len(index)) if text else -1 for text in parents]
    names = list(index)
    first = {text: i for i, text in reversed(list(enumerate(children)))}
    first |= {text: i for i, text in reversed(list(enumerate(parents))) if text not in first}
    findings += look_alike_findings(table, child, ItemIds(names, first), rows)
    return _UseRows(np.array(number, np.intp), np.array(above, np.intp), rows, names)


def _own_rows(table: Table, columns: TableColumns, child: QuantityColumn, read: _UseRows, findings: Findings) -> Rows:
    """Find each part's own row, −1 for a part that is nowhere a child; compare its other rows with it."""
    own = np.full(len(read.names), -1, np.intp)
    numbered = np.zeros(len(read.rows), bool)
    numbers = (*NUMBER_QUANTITIES, *SIGMA_QUANTITIES, *BOUND_QUANTITIES)
    wanted = [columns.by_quantity[q] for q in numbers if q in columns.by_quantity]
    at = (read.rows - columns.first_row).tolist()
    cells = []
    for column in wanted:
        texts = table.texts(column.index, columns.first_row)
        cells.append([texts[i].strip() for i in at])
        numbered |= np.fromiter(map(bool, cells[-1]), bool, len(at))
    order = np.argsort(~numbered, kind="stable")[::-1]
    order = order[read.child[order] >= 0]
    where = np.full(len(read.names), -1, np.intp)
    where[read.child[order]] = order
    own[where >= 0] = read.rows[where[where >= 0]]
    again = [i for i in np.flatnonzero(numbered & (read.child >= 0)).tolist() if where[read.child[i]] != i]
    _report_differing_uses(table, child, read, (wanted, cells, where, again), findings)
    return own


def _report_differing_uses(
    table: Table,
    child: QuantityColumn,
    read: _UseRows,
    of: tuple[list[QuantityColumn], list[list[str]], _IndexArray, list[int]],
    findings: Findings,
) -> None:
    """Report the numbers of a part that differ between its rows."""
    wanted, cells, where, again = of
    for i in again:
        first = int(where[read.child[i]])
        for column, texts in zip(wanted, cells, strict=True):
            if texts[i] and not _is_same_value(texts[i], texts[first]):
                name = read.names[int(read.child[i])]
                other = texts[first] or "blank"
                message = f"{name}: {column.header} is {texts[i]} here, and {other} on the row that is read"
                place = cell_place(table, int(read.rows[i]), column)
                taken = (cell_place(table, int(read.rows[first]), column),)
                findings.report("MP319", message, place, value=texts[i], item=name, related=taken)


def _is_same_value(one: str, other: str) -> bool:
    """Return whether two texts are equal, as texts or as numbers."""
    if one == other:
        return True
    try:
        return float(one) == float(other)
    except ValueError:
        return False


def _part_cycle_finding(
    table: Table, columns: TableColumns, read: _UseRows, uses: _PartUses, cycle: list[int]
) -> Finding:
    """Report parts that are used in themselves, directly or in a cycle."""
    names = [read.names[p] for p in cycle]
    shown = names if len(names) <= 12 else [*names[:10], f"({len(names) - 12:,} more)", *names[-2:]]
    printed = " → ".join([*shown, names[0]])
    over = cycle[1] if len(cycle) > 1 else cycle[0]
    row = int(uses.row[np.flatnonzero((uses.child == cycle[0]) & (uses.parent == over))[0]])
    place = cell_place(table, row, columns.by_quantity["parent"])
    if len(cycle) == 1:
        return rule_finding("MP306", f"{names[0]} is used in itself", place, value=names[0], item=names[0])
    message = f"{names[0]}: parents form a cycle of {len(cycle):,} parts: {printed}"
    return rule_finding("MP307", message, place, value=names[1], item=names[0], count=len(cycle))


def _path_names(expansion: _UseExpansion, names: list[str]) -> list[str]:
    """Name items by part where every part is used once, else by path."""
    parts = expansion.part.tolist()
    if len(set(parts)) == len(parts):
        return [names[p] for p in parts]
    paths: list[str] = []
    taken: dict[str, int] = {}
    for part, parent in zip(parts, expansion.parent.tolist(), strict=True):
        path = f"{paths[parent]}/{names[part]}" if parent >= 0 else names[part]
        times = taken[path] = taken.get(path, 0) + 1
        if times > 1:
            # two rows that use one child in one parent are two uses
            path = f"{path}#{times}"
        paths.append(path)
    return paths
