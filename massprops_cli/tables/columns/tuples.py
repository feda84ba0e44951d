"""Columns of tuples, ``Center of Mass (mm)`` = ``(1, 2, 3)``: read as columns of numbers, written in their form.

Several numbers in one cell: ``(1, 2, 3)``, ``1;2;3``, ``[1 2 3]``, ``X=1 Y=2 Z=3``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from massprops_cli._patterns import lazy_pattern
from massprops_cli.files import BLANK, TEXT, ColumnEdit, ColumnNumbers, Table, TableEdit, TableView, edit_value_texts
from massprops_cli.findings import Place
from massprops_cli.tables.cells import CENTER_COLUMNS, NUMBER_QUANTITIES, SIGMA_QUANTITIES
from massprops_cli.tables.columns.headings import MAX_HEADING_LENGTH, read_heading, split_sigma_level, squeeze_text
from massprops_cli.tables.words import words

_TextSpans = tuple[tuple[int, int], ...]
"""Positions of the parts of a tuple in its text: (start, end) of each, in the order of the quantities."""

_MAX_TUPLE_LENGTH = 400
"""A longer text is not a tuple."""
_AXES = ("x", "y", "z")

_BRACKETS = {"(": ")", "[": "]", "{": "}", "<": ">"}
_TUPLE_NUMBER = lazy_pattern(r"[+\-−]?(?:\d[\d.,]*|[.,]\d+)(?:[eE][+-]?\d+)?")
_SEPARATORS = (re.compile(r"\s*;\s*"), re.compile(r"\s*,\s+"), re.compile(r"\s*,\s*"), re.compile(r"\s+"))
"""What may be between two parts; a comma may also stand within one, as a decimal or a thousands comma."""
_AXIS_LABEL = lazy_pattern(r"\b([xyzXYZ])\s*[=:]\s*")


def _split_tuple(text: str, n: int) -> _TextSpans | None:
    """Find the ``n`` numbers of a cell; None where it does not hold so many, or can be cut in more than one way."""
    # the parts are as the cell is written; the reader of numbers decides whether each is a number
    if len(text) > _MAX_TUPLE_LENGTH:
        return None
    start, end = _inner_span(text)
    if n == len(_AXES) and _AXIS_LABEL.search(text, start, end):
        return _labelled_spans(text, start, end)
    ways = {way for between in _SEPARATORS if (way := _split_spans(text, start, end, between, n)) is not None}
    return ways.pop() if len(ways) == 1 else None


def _tuple_parts(text: str, n: int) -> list[str] | None:
    """List the texts of a cell's ``n`` numbers, or return None."""
    spans = _split_tuple(text, n)
    return None if spans is None else [text[a:b] for a, b in spans]


def _is_possible_number(text: str) -> bool:
    """Return whether a text may be a part of a tuple: a number, with any marks."""
    return _TUPLE_NUMBER.fullmatch(text) is not None


def _replace_tuple_parts(text: str, spans: _TextSpans, texts: Sequence[str]) -> str:
    """Write other numbers into a tuple's text, and keep everything between them."""
    for (start, end), new in sorted(zip(spans, texts, strict=True), reverse=True):
        text = text[:start] + new + text[end:]
    return text


def _inner_span(text: str) -> tuple[int, int]:
    """Find the span of a text without blanks and one pair of brackets around it."""
    start, end = _trimmed_span(text, 0, len(text))
    if end - start >= 2 and _BRACKETS.get(text[start]) == text[end - 1]:
        return _trimmed_span(text, start + 1, end - 1)
    return start, end


def _trimmed_span(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _split_spans(text: str, start: int, end: int, between: re.Pattern[str], n: int) -> _TextSpans | None:
    """Cut a text at one kind of separator; None where that does not give ``n`` parts that may be numbers."""
    edges = [start]
    for match in between.finditer(text, start, end):
        edges += [match.start(), match.end()]
    edges.append(end)
    spans = tuple(zip(edges[::2], edges[1::2], strict=True))
    if len(spans) != n or not all(_TUPLE_NUMBER.fullmatch(text, a, b) and text[b - 1] != "," for a, b in spans):
        return None
    return spans


def _labelled_spans(text: str, start: int, end: int) -> _TextSpans | None:
    """Read parts by their labels, in whatever order they stand."""
    labels = list(_AXIS_LABEL.finditer(text, start, end))
    names = [match[1].lower() for match in labels]
    if sorted(names) != list(_AXES) or labels[0].start() != start:
        return None
    spans: dict[str, tuple[int, int]] = {}
    for k, match in enumerate(labels):
        until = labels[k + 1].start() if k + 1 < len(labels) else end
        last = len(text[match.end() : until].rstrip(" \t,;")) + match.end()
        if not _TUPLE_NUMBER.fullmatch(text, match.end(), last):
            return None
        spans[names[k]] = (match.end(), last)
    return tuple(spans[axis] for axis in _AXES)


_LIST_HEADER = lazy_pattern(r"(?P<base>[^()\[\]]*?)\s*[(\[](?P<list>[^()\[\]]+)[)\]](?P<rest>.*)", re.DOTALL)
_SIGMA_WORDS = lazy_pattern(r"σ|sigma|\bstd|standard dev|\bsd\b", re.IGNORECASE)
_SPREAD_WORDS = lazy_pattern(_SIGMA_WORDS.pattern + r"|uncertaint|toleranc|error|±|deviation", re.IGNORECASE)
_VALUE_NAMES, _SIGMA_NAMES = frozenset(NUMBER_QUANTITIES), frozenset(SIGMA_QUANTITIES)
_COORDINATES = frozenset(CENTER_COLUMNS) | {f"sigma_{axis}" for axis in CENTER_COLUMNS}
_CENTER_HEADER = lazy_pattern(r"(?P<base>[^()\[\]/,;]+?)(?P<rest>\s*(?:[(\[/,;].*)?)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class _TupleColumn:
    """A column of tuples: its place in the file, its header's words and the unit behind them, and what each part is.

    ``names`` are the headers of the parts without the unit; ``columns`` where a view shows them, the first in the
    tuple's own place.
    """

    index: int
    base: str
    rest: str
    names: tuple[str, ...]
    columns: tuple[int, ...] = ()

    @property
    def header(self) -> str:
        """The header as the file has it."""
        return self.base + self.rest


@lru_cache(maxsize=1)
def _center_words() -> frozenset[str]:
    """Load what a column of centres is called, squeezed."""
    return frozenset(map(squeeze_text, words("tuples")))


def read_tuple_header(text: str, index: int = 0) -> _TupleColumn | None:
    """Parse the header of a column of tuples: a centre by its name, other quantities by a list of theirs.

    Parameters
    ----------
    text : str
        Header as written.
    index : int, optional
        Column in the file, from 0.

    Returns
    -------
    TupleColumn or None
        Column with the headers of its parts; None for other headers.

    Examples
    --------
    >>> read_tuple_header("Center of Mass (mm)").names, read_tuple_header("Center of Mass (mm)").rest
    (('Center of Mass X', 'Center of Mass Y', 'Center of Mass Z'), ' (mm)')
    >>> read_tuple_header("Inertia (Ixx, Iyy, Izz, Ixy, Ixz, Iyz) [kg*m^2]").names
    ('Ixx', 'Iyy', 'Izz', 'Ixy', 'Ixz', 'Iyz')
    >>> read_tuple_header("Moments of inertia"), read_tuple_header("Mass (kg)")
    (None, None)
    """
    bare = text.strip()
    if len(bare) > MAX_HEADING_LENGTH:
        return None
    listed = _LIST_HEADER.fullmatch(bare)
    names = [name.strip() for name in re.split(r"[,;]", listed["list"])] if listed else []
    if listed and len(names) > 1:
        if tuple(map(str.lower, names)) == _AXES:
            names = [f"{listed['base']} {axis.upper()}" for axis in _AXES]
        parts = _listed_quantity_headers(listed["base"], names)
        return _TupleColumn(index, bare[: listed.start("rest")], listed["rest"], parts) if parts else None
    named = _CENTER_HEADER.fullmatch(bare)
    parts = _center_headers(named["base"]) if named is not None else ()
    return _TupleColumn(index, named["base"], named["rest"], parts) if named is not None and parts else None


def _listed_quantity_headers(base: str, names: Sequence[str]) -> tuple[str, ...]:
    """List the headers of the quantities in a header's list, of sigmas if the words before the list name them."""
    quantities = {read_heading(name).quantity for name in names}
    if len(quantities) < len(names) or not (quantities <= _VALUE_NAMES or quantities <= _SIGMA_NAMES):
        return ()
    if quantities <= _SIGMA_NAMES or not _SPREAD_WORDS.search(base):
        return tuple(names)
    if not _SIGMA_WORDS.search(base):
        return ()
    level = split_sigma_level(base).level
    return tuple(f"sigma {name} ({level:g}σ)" if level else f"sigma {name}" for name in names)


def _center_headers(base: str) -> tuple[str, ...]:
    """List the headers of the three coordinates of a centre, or of their sigmas; nothing if it is neither."""
    words = list(re.finditer(r"[^\s_.:-]+", base))
    spans = [(first.start(), last.end()) for i, first in enumerate(words) for last in words[i:]]
    for start, end in sorted(spans, key=lambda span: span[0] - span[1]):
        if squeeze_text(base[start:end]) not in _center_words():
            continue
        names = tuple(f"{base[:end]} {axis.upper()}{base[end:]}" for axis in _AXES)
        if len({read_heading(name).quantity for name in names} & _COORDINATES) == len(_AXES):
            return names
    return ()


def split_tuple_columns(table: Table, header_row: int) -> Table:
    """Show columns of tuples as columns of numbers.

    A column is one of tuples where its header states so and at least one cell below it is such a tuple.

    Parameters
    ----------
    table : Table
        Table as the file has it.
    header_row : int
        Row of the header, from 0.

    Returns
    -------
    Table
        View of the table; the table itself where it has no tuples.

    Examples
    --------
    >>> from massprops_cli.files.table import GridTable
    >>> from massprops_cli.files.table import TableSource
    >>> rows = [["id", "CG (mm)", "mass"], ["a", "(1, 2, 3)", "5"]]
    >>> view = split_tuple_columns(GridTable(TableSource("a.csv", "csv"), rows), 0)
    >>> view.row(0), view.row(1)
    (['id', 'CG X (mm)', 'mass', 'CG Y (mm)', 'CG Z (mm)'], ['a', '1', '5', '2', '3'])
    """
    chosen: list[_TupleColumn] = []
    n = table.n_columns
    for j, text in enumerate(table.row(header_row)):
        column = read_tuple_header(text, j)
        if column is None or not _is_tuple_column(table, column, header_row + 1):
            continue
        more = len(column.names) - 1
        chosen.append(replace(column, columns=(j, *range(n, n + more))))
        n += more
    return _SplitTuples(table, header_row, chosen) if chosen else table


def _is_tuple_column(table: Table, column: _TupleColumn, start: int) -> bool:
    size = len(column.names)
    return any(_split_tuple(text, size) is not None for text in table.texts(column.index, start))


class _SplitTuples(TableView):
    """A table whose columns of tuples are shown as columns of numbers, with the address of the tuple's cell.

    The first number is in the place of the tuple, the others to the right of the table. A cell that is not a tuple is
    whole in the first place, and in all places of the row below the header, which may contain units.
    """

    def __init__(self, table: Table, header_row: int, tuples: Sequence[_TupleColumn]) -> None:
        super().__init__(table)
        self.header_row = header_row
        self.tuples = tuple(tuples)
        self.part_of = {j: (column, k) for column in tuples for k, j in enumerate(column.columns)}
        self.n_columns = max(table.n_columns, *(j + 1 for j in self.part_of))

    def row(self, i: int) -> list[str]:
        """Read the texts of row ``i``, the parts of tuples among them."""
        texts = (super().row(i) + [""] * self.n_columns)[: self.n_columns]
        whole = {column.index: texts[column.index] for column in self.tuples}
        for j, (column, k) in self.part_of.items():
            texts[j] = self._part(i, column, k, whole[column.index])
        return texts

    def text(self, i: int, j: int) -> str:
        """Read the text of one cell, or of one part of it."""
        if j not in self.part_of:
            return super().text(i, j)
        column, k = self.part_of[j]
        return self._part(i, column, k, super().text(i, column.index))

    def texts(self, j: int, start: int = 0) -> Sequence[str]:
        """Read the texts of column ``j`` from row ``start`` on."""
        if j not in self.part_of:
            return super().texts(j, start)
        column, k = self.part_of[j]
        whole = super().texts(column.index, start)
        return [self._part(i, column, k, text) for i, text in enumerate(whole, start)]

    def numbers(self, columns: Sequence[int], start: int = 0) -> list[ColumnNumbers]:
        """Read columns as numbers from row ``start`` on; parts of tuples are texts."""
        plain = [j for j in columns if j not in self.part_of]
        read = dict(zip(plain, super().numbers(plain, start), strict=True))
        return [read[j] if j in read else self._open_numbers(j, start) for j in columns]

    def is_typed(self, j: int, start: int = 0) -> NDArray[np.bool_]:
        """Test which cells of column ``j`` are typed numbers in the file; no part of a tuple is."""
        return np.zeros(self.n_rows - start, bool) if j in self.part_of else super().is_typed(j, start)

    def place(self, i: int, j: int | None = None, column: str = "") -> Place:
        """Find the address of a cell; that of a tuple's part is the tuple's."""
        if j is None or j not in self.part_of:
            return super().place(i, j, column)
        whole, _ = self.part_of[j]
        return super().place(i, whole.index, whole.header if column else "")

    def form_of(self, i: int, column: _TupleColumn) -> tuple[str, _TextSpans] | None:
        """Read the text of a tuple's cell and the places of its parts; None where it holds none."""
        text = super().text(i, column.index)
        spans = _split_tuple(text, len(column.names))
        return None if spans is None else (text, spans)

    def _part(self, i: int, column: _TupleColumn, k: int, text: str) -> str:
        if i == self.header_row:
            return column.names[k] + column.rest
        parts = _tuple_parts(text, len(column.names))
        if parts is not None:
            return parts[k]
        return text if k == 0 or i == self.header_row + 1 else ""

    def _open_numbers(self, j: int, start: int) -> ColumnNumbers:
        texts = self.texts(j, start)
        states = np.array([TEXT if text.strip() else BLANK for text in texts], np.uint8)
        return ColumnNumbers(np.full(len(texts), np.nan), states)


def columns_sharing_cell(table: Table, j: int) -> tuple[int, ...]:
    """List the columns whose numbers share their cells with a column.

    Parameters
    ----------
    table : Table
        Table as the file has it.
    j : int
        Column, from 0.

    Returns
    -------
    tuple of int
        Columns, from 0; only ``j`` if it is not part of tuples.
    """
    below = table_without_views(table)
    return below.part_of[j][0].columns if isinstance(below, _SplitTuples) and j in below.part_of else (j,)


def table_without_views(table: Table) -> Table:
    """Remove the views over a table, except that of parts of tuples.

    Parameters
    ----------
    table : Table
        Table as the file has it.

    Returns
    -------
    Table
        Table as its file has it.
    """
    while isinstance(table, TableView) and not isinstance(table, _SplitTuples):
        table = table.base
    return table


def merge_tuple_parts(table: Table, filling: TableEdit) -> TableEdit:
    """Merge an edit of parts into the cells of the tuples, each in the form of its cell or of the first tuple.

    Parameters
    ----------
    table : Table
        Table with split tuples, or any other.
    filling : TableEdit
        Edit of the columns of the view.

    Returns
    -------
    TableEdit
        Edit of the columns of the file.
    """
    table = table_without_views(table)
    if not isinstance(table, _SplitTuples):
        return filling
    fills = [fill for fill in filling.fills if fill.column not in table.part_of]
    renames = {j: text for j, text in filling.renames.items() if j not in table.part_of}
    for column in table.tuples:
        of_parts = [(k, fill) for fill in filling.fills for k, j in enumerate(column.columns) if fill.column == j]
        if of_parts:
            fills.append(_merged_tuple_column(table, column, of_parts))
        renamed = filling.renames.get(column.index)
        if renamed is not None:
            renames[column.index] = column.base + renamed.removeprefix(column.names[0])
    return replace(filling, fills=tuple(sorted(fills, key=lambda fill: fill.column)), renames=renames)


def _merged_tuple_column(
    table: _SplitTuples, column: _TupleColumn, of_parts: Sequence[tuple[int, ColumnEdit]]
) -> ColumnEdit:
    """Join the fills of a tuple's parts into one of whole cells; a tuple with an unknown part is blank."""
    cells: dict[int, str] = {}
    new: dict[int, dict[int, str]] = {}
    for k, fill in of_parts:
        for row, text in zip(fill.rows.tolist(), edit_value_texts(fill.values), strict=True):
            if text and not _is_possible_number(text):
                cells[row] = text  # the row of units, whose text is the same for all parts
            else:
                new.setdefault(row, {})[k] = text
    shape = next(filter(None, (table.form_of(row, column) for row in range(table.header_row + 1, table.n_rows))))
    for row, known in new.items():
        texts = [known.get(k, table.text(row, j)) for k, j in enumerate(column.columns)]
        text, spans = table.form_of(row, column) or shape
        cells[row] = _replace_tuple_parts(text, spans, texts) if all(texts) else ""
    rows = sorted(cells)
    return ColumnEdit(column.index, np.array(rows, np.intp), [cells[row] for row in rows])
