"""The tree in a file apart from the table (``--tree``): an edge list, one row for each item and its parent.

The R package massProps has the tree as a graph apart from the data frame; ``write.csv`` of its edges has a first column
of row numbers without a name, the columns ``from`` and ``to`` or ``V1`` and ``V2``, and ``NA`` for nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.table import TEXT, ColumnNumbers, Table
from massprops_cli.files.table_view import TableView
from massprops_cli.findings.finding import Findings, Place, TableError, UsageError, name_list, rule_finding
from massprops_cli.tables.columns.columns import QuantityColumn, read_columns
from massprops_cli.tables.columns.headings import column_reference, read_heading
from massprops_cli.tables.columns.table_location import find_table
from massprops_cli.tables.layouts.dotted_numbers import id_column
from massprops_cli.tables.options import TableOptions

_CHILD_PARENT, _PARENT_CHILD = "child-parent", "parent-child"
_CHILD_WORDS = ("id", "child", "part", "name")
_MISSING = ("", "NA")


_Pairs = dict[int, tuple[str, str]]
"""Rows of an edge list: row → its two texts."""


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
    ids_column = id_column(columns)
    if ids_column is None:
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
    """Read the two columns of an edge list, and the direction that its headers state, empty without any.

    A first row of two ids of the table is not a header.
    """
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
        raise UsageError(f"--tree-direction {stated} contradicts the headers of {tree.source.name}; omit it")
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
            f"pass --tree-direction {_CHILD_PARENT} or --tree-direction {_PARENT_CHILD}"
        )
    message = f"edges read as {fits[0]}, the only direction in which each item has one parent"
    findings.report("MP327", message, tree.place(0), value=fits[0])
    return fits[0]


def _tree_faults(tree: Table, edges: _Pairs, children: dict[str, str], ids: Sequence[str], direction: str) -> Findings:
    """Report items under several parents, and ids of the tree that the table does not have."""
    faults, known = Findings(), set(ids)
    absent: dict[str, int] = {}
    for row, pair in edges.items():
        child, parent = pair if direction == _CHILD_PARENT else pair[::-1]
        if child and children[child] != parent:
            message = (
                f"{child} has several parents in the tree file: {children[child] or 'none'} and {parent or 'none'}"
            )
            remedy = "give each use of a part its own id, or use one table in the layout edges"
            faults.report("MP325", message, tree.place(row), value=child, item=child, remedy=remedy)
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
