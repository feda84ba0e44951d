"""Hierarchies stated as pairs of parent and child: in the rows of a table, or in a file of their own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.options import cap_remedy
from massprops_cli.files.table import TEXT, ColumnNumbers, Table, TableView
from massprops_cli.findings.finding import Finding, Findings, Place, TableError, UsageError, name_list, rule_finding
from massprops_cli.tables.columns.columns import QuantityColumn, TableColumns, read_columns
from massprops_cli.tables.columns.headings import column_reference, read_heading
from massprops_cli.tables.columns.table_location import find_table
from massprops_cli.tables.layouts.dotted_numbers import id_column
from massprops_cli.tables.options import BOUND_QUANTITIES, NUMBER_QUANTITIES, SIGMA_QUANTITIES, TableOptions
from massprops_cli.tables.rows import hierarchy

_CHILD_PARENT, _PARENT_CHILD = "child-parent", "parent-child"
_EDGE_NUMBERS = frozenset(("qty", "tx", "ty", "tz", "rx", "ry", "rz", *NUMBER_QUANTITIES))  # of a use, and of a part
_CHILD_WORDS = ("id", "child", "part", "name")
_MISSING = ("", "NA")
_Pairs = dict[int, tuple[str, str]]  # rows of an edge list: row → its two texts


class _TreeTable(TableView):
    """A table with a column ``parent`` to its right, which is in another file."""

    def __init__(self, table: Table, header_row: int, parents: Sequence[str]) -> None:
        super().__init__(table)
        self.n_columns += 1
        first = self.n_rows - len(parents)
        self._texts = ["parent" if i == header_row else "" for i in range(first)] + list(parents)
        self.cells = {(i, self.n_columns - 1): text for i, text in enumerate(self._texts)}

    def row(self, i: int) -> list[str]:
        """Return the texts of row ``i``."""
        return [*self.base.row(i), self._texts[i]]

    def text(self, i: int, j: int) -> str:
        """Return the text of one cell."""
        return self._texts[i] if j == self.n_columns - 1 else self.base.text(i, j)

    def texts(self, j: int, start: int = 0) -> Sequence[str]:
        """Return the texts of column ``j`` from row ``start`` on."""
        return self._texts[start:] if j == self.n_columns - 1 else self.base.texts(j, start)

    def place(self, i: int, j: int | None = None, column: str = "") -> Place:
        """Return the address of a row or of a cell in the table without the column."""
        return self.base.place(i, None if j == self.n_columns - 1 else j, column)

    def numbers(self, columns: Sequence[int], start: int = 0) -> list[ColumnNumbers]:
        """Read columns as numbers from row ``start`` on; the parents are texts."""
        added = self.n_columns - 1
        read = iter(self.base.numbers([j for j in columns if j != added], start))
        n = self.n_rows - start
        texts = ColumnNumbers(np.full(n, np.nan), np.full(n, TEXT, np.uint8))
        return [texts if j == added else next(read) for j in columns]

    def is_typed(self, j: int, start: int = 0) -> NDArray[np.bool_]:
        """Return which cells of column ``j`` are typed numbers in the file ``(n,)``."""
        return np.zeros(self.n_rows - start, bool) if j == self.n_columns - 1 else self.base.is_typed(j, start)


def attach_tree(table: Table, tree: Table, direction: str, options: TableOptions, findings: Findings) -> Table:
    """Add the parents that an edge list states to a table."""
    found = find_table(table, options, Findings())
    columns = read_columns(found, options, Findings())
    if (ids_column := id_column(columns)) is None:
        place = table.place(columns.header_row)
        raise TableError([rule_finding("MP203", "column of ids is missing, which the tree refers to", place)])
    ids = [text.strip() for text in found.texts(ids_column.index, columns.first_row)]
    edges, stated = _read_edge_rows(tree, ids)
    resolved = _edge_direction(tree, edges, stated, direction, findings)
    children: dict[str, str] = {}
    for pair in edges.values():
        child, parent = pair if resolved == _CHILD_PARENT else pair[::-1]
        if child:
            children.setdefault(child, parent)
    faults = _tree_faults(tree, edges, children, ids, resolved)
    own = columns.by_quantity.get("parent")
    if not faults and own is not None:
        faults += _contradicted_parents(found, own, columns.first_row, ids, children)
    if faults:
        raise TableError(faults)
    if own is not None:
        return table
    return _TreeTable(table, columns.header_row, [children.get(id, "") for id in ids])


def _read_edge_rows(tree: Table, ids: Sequence[str]) -> tuple[_Pairs, str]:
    """Read both columns of an edge list and its stated direction; a first row of two known ids is not a header."""
    header = [text.strip() for text in tree.row(0)]
    known = set(ids)
    quantities = {read_heading(text).quantity: j for j, text in reversed(list(enumerate(header))) if text}
    child = next((quantities[word] for word in _CHILD_WORDS if word in quantities), None)
    named = [j for j, text in enumerate(header) if text]
    if "parent" in quantities and child is not None:
        left, right, direction, first = child, quantities["parent"], _CHILD_PARENT, 1
    elif len(named) >= 2 and known.issuperset({header[named[0]], header[named[1]]}):
        left, right, direction, first = named[0], named[1], "", 0
    elif len(named) == 2 or [header[j].lower() for j in named[:2]] in (["from", "to"], ["v1", "v2"]):
        left, right, direction, first = named[0], named[1], "", 1
    else:
        shown = name_list([text for text in header if text], 12)
        remedy = "write two columns, child and parent"
        message = f"tree file has no two columns of children and parents; the columns are {shown}"
        raise TableError([rule_finding("MP203", message, tree.place(0), remedy=remedy)])
    blank = _MISSING[:1] if "NA" in known else _MISSING
    pairs: _Pairs = {}
    for i in range(first, tree.n_rows):
        one, other = tree.text(i, left).strip(), tree.text(i, right).strip()
        pair = "" if one in blank else one, "" if other in blank else other
        if any(pair):
            pairs[i] = pair
    return pairs, direction


def _edge_direction(tree: Table, edges: _Pairs, of_headers: str, stated: str, findings: Findings) -> str:
    """Return what the two columns are: by the option, the headers, or the only direction in which they make a tree."""
    if of_headers and stated == _PARENT_CHILD:
        raise UsageError(f"tree-direction {stated} contradicts the headers of {tree.source.name}; omit it")
    if of_headers or stated:
        return of_headers or stated
    fits = [
        direction
        for k, direction in enumerate((_CHILD_PARENT, _PARENT_CHILD))
        if max(Counter(pair[k] for pair in edges.values() if pair[k]).values(), default=1) == 1
    ]
    if len(fits) != 1:
        raise UsageError(
            f"direction of the edges in {tree.source.name} does not follow from its headers or content; "
            f"pass --config tree-direction={_CHILD_PARENT} or --config tree-direction={_PARENT_CHILD}"
        )
    message = f"edges read as {fits[0]}, the only direction in which each item has one parent"
    findings.report("MP327", message, tree.place(0), value=fits[0])
    return fits[0]


def _tree_faults(tree: Table, edges: _Pairs, children: dict[str, str], ids: Sequence[str], direction: str) -> Findings:
    """Report items under several parents or repeated edges, quantities, and ids that the table does not have."""
    faults, known, seen = Findings(), set(ids), set[str]()
    absent: dict[str, int] = {}
    remedy = "give each use of a part its own id, or use one table in the layout edges"
    for j, text in enumerate(tree.row(0) if min(edges, default=0) else ()):
        quantity = read_heading(text).quantity or text.strip()[:2].casefold()
        cells = enumerate(tree.texts(j, 1) if quantity in _EDGE_NUMBERS else (), 1)
        row, cell = next(((i, cell) for i, cell in cells if cell.strip() not in ("", "1")), (0, ""))
        if cell:
            message = f"column {text} of the tree file is not read: {cell}"
            other = "state it in the table, or use one table in the layout edges"
            faults.report("MP325", message, tree.place(row, j, text), value=cell, remedy=other)
    for row, pair in edges.items():
        child, parent = pair if direction == _CHILD_PARENT else pair[::-1]
        if child and (children[child] != parent or child in seen):
            two = f"several parents in the tree file: {children[child] or 'none'} and {parent or 'none'}"
            message = f"{child} has {two if children[child] != parent else 'one parent twice in the tree file'}"
            faults.report("MP325", message, tree.place(row), value=child, item=child, remedy=remedy)
        seen.add(child)
        for id in pair:
            if id and id not in known:
                absent.setdefault(id, row)
    if absent:
        place = tree.place(next(iter(absent.values())))
        message = f"tree file has ids without a row in the table: {name_list(list(absent), 12)}"
        faults.report("MP325", message, place, value=next(iter(absent)), count=len(absent))
    return faults


def _contradicted_parents(
    table: Table, column: QuantityColumn, first: int, ids: Sequence[str], children: dict[str, str]
) -> Findings:
    """Report the rows whose own parent differs from that of the tree file."""
    faults = Findings()
    own = [text.strip() for text in table.texts(column.index, first)]
    differ = [k for k, (id, text) in enumerate(zip(ids, own, strict=True)) if id and text != children.get(id, "")]
    if differ:
        k = differ[0]
        message = (
            f"parent of {ids[k]} is {own[k] or 'blank'} in the table and {children.get(ids[k]) or 'none'} in the tree"
        )
        message += f"; the same in {len(differ) - 1:,} more rows" if len(differ) > 1 else ""
        # the column of parents that the tree adds has the same name
        remedy = f"omit --tree, or pass --ignore-column {column_reference(table, first - 1, column.index)}"
        place = table.place(first + k, column.index, column.header)
        faults.report("MP325", message, place, value=own[k], item=ids[k], count=len(differ), remedy=remedy)
    return faults


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
    return owner, np.repeat(uses.start[parts] - (np.cumsum(counts) - counts), counts) + np.arange(len(owner))


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
    rows: _IndexArray
    names: list[str]


def read_edges(table: Table, columns: TableColumns, options: TableOptions, findings: Findings) -> hierarchy.Hierarchy:
    """Read uses of parts and expand them to one item per use."""
    child = columns.by_quantity.get("child") or id_column(columns)
    assert child is not None
    read = _read_use_rows(table, columns, child, findings)
    n = len(read.names)
    is_use = (read.parent >= 0) & (read.child >= 0)
    uses = _sort_uses(read.parent[is_use], read.child[is_use], read.rows[is_use], n)
    of_own_rows = Findings()
    own_rows = _own_rows(table, columns, read, of_own_rows)
    if len(uses.child) == len(np.unique(uses.child)):
        # every part is used once: no expansion, and cycles are found as in any tree
        findings += of_own_rows
        return _expanded_hierarchy(columns, child, read, uses, _single_use_expansion(uses, own_rows), own_rows)
    waiting, counts = _peel_parts(uses, n)
    findings += [_part_cycle_finding(table, columns, read, uses, cycle) for cycle in _part_cycles(uses, waiting)]
    keep = waiting == 0
    if (total := float(counts[keep].sum())) > options.caps.items:
        message = f"number of items is above the limit: {total:,.0f} (at most {options.caps.items:,})"
        remedy = cap_remedy("items", int(total))
        findings.report("MP114", message, table.place(0), remedy=remedy)
        return hierarchy.empty_hierarchy("edges", message)
    used = np.bincount(uses.child, minlength=n) > 0
    expansion = _expand_uses(uses, np.flatnonzero(~used & keep), keep)
    # the name of an item is in the paths of all items below it
    lengths = np.array([len(name) + 1 for name in read.names], np.float64) * counts
    if (characters := float(lengths[expansion.part].sum())) > options.caps.characters:
        message = f"paths of {total:,.0f} items have {characters:,.0f} characters (limit {options.caps.characters:,})"
        findings.report("MP114", message, table.place(0), remedy=cap_remedy("characters", int(characters)))
        return hierarchy.empty_hierarchy("edges", message)
    findings += of_own_rows
    return _expanded_hierarchy(columns, child, read, uses, expansion, own_rows)


def _single_use_expansion(uses: _PartUses, own_rows: _IndexArray) -> _UseExpansion:
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
    own_rows: _IndexArray,
) -> hierarchy.Hierarchy:
    """Make the hierarchy of the items, with each part's own row and the row of each use."""
    ids = _path_names(expansion, read.names)
    rows = own_rows[expansion.part]
    edge_rows = rows.copy()
    is_use = expansion.use >= 0
    edge_rows[is_use] = uses.row[expansion.use[is_use]]
    parent = columns.by_quantity["parent"]
    how = f"column {child.header} is used in column {parent.header}; {len(read.names):,} parts, {len(ids):,} items"
    parents, names = expansion.parent.astype(np.int32), [read.names[p] for p in expansion.part.tolist()]
    return hierarchy.Hierarchy("edges", how, rows, ids, parents, names, expansion.part, edge_rows, parent)


def _read_use_rows(table: Table, columns: TableColumns, child: QuantityColumn, findings: Findings) -> _UseRows:
    """Read the rows of uses, with the parts in the order in which they are first named."""
    key = table.texts(child.index, columns.first_row)
    rows = hierarchy.data_rows(table, columns, key)
    children = hierarchy.trim_ids(table, child, hierarchy.texts_of_rows(key, rows, columns.first_row), rows, findings)
    parent = columns.by_quantity["parent"]
    raw = hierarchy.texts_of_rows(table.texts(parent.index, columns.first_row), rows, columns.first_row)
    parents = hierarchy.trim_ids(table, parent, raw, rows, findings)
    findings += [
        rule_finding("MP302", "use without a child", hierarchy.cell_place(table, int(rows[i]), child))
        for i, text in enumerate(children)
        if not text
    ]
    index: dict[str, int] = {}
    number = [index.setdefault(text, len(index)) if text else -1 for text in children]
    above = [index.setdefault(text, len(index)) if text else -1 for text in parents]
    names = list(index)
    first = {text: i for i, text in reversed(list(enumerate(children)))}
    first |= {text: i for i, text in reversed(list(enumerate(parents))) if text not in first}
    findings += hierarchy.look_alike_findings(table, child, hierarchy.ItemIds(names, first), rows)
    return _UseRows(np.array(number, np.intp), np.array(above, np.intp), rows, names)


def _own_rows(table: Table, columns: TableColumns, read: _UseRows, findings: Findings) -> _IndexArray:
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
    for i in again:
        first, name = int(where[read.child[i]]), read.names[int(read.child[i])]
        for column, texts in zip(wanted, cells, strict=True):
            if texts[i] and not _is_same_value(texts[i], texts[first]):
                other = texts[first] or "blank"
                message = f"{name}: {column.header} is {texts[i]} here, and {other} on the row that is read"
                place = hierarchy.cell_place(table, int(read.rows[i]), column)
                taken = (hierarchy.cell_place(table, int(read.rows[first]), column),)
                findings.report("MP319", message, place, value=texts[i], item=name, related=taken)
    return own


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
    place = hierarchy.cell_place(table, row, columns.by_quantity["parent"])
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
