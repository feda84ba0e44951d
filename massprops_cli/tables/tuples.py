"""Columns of tuples, ``Center of Mass (mm)`` = ``(1, 2, 3)``: read as columns of numbers, written back as they were.

Several numbers in one cell: ``(1, 2, 3)``, ``1;2;3``, ``[1 2 3]``, ``X=1 Y=2 Z=3``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.fill import Fill, Filling, texts_of
from massprops_cli.files.table import BLANK, TEXT, Numbers, Table
from massprops_cli.files.view import View
from massprops_cli.findings import Place
from massprops_cli.tables.headings import LONGEST, read_heading, split_level, squeeze
from massprops_cli.tables.quantities import CENTER_COLUMNS, NUMBER_QUANTITIES, SIGMA_QUANTITIES
from massprops_cli.tables.words import words

Spans = tuple[tuple[int, int], ...]
"""Where the parts of a tuple stand in its text: (start, end) of each, in the order of the quantities."""

LONGEST_TUPLE = 400
"""A longer text is no tuple."""
AXES = ("x", "y", "z")

_BRACKETS = {"(": ")", "[": "]", "{": "}", "<": ">"}
_PART = re.compile(r"[+\-−]?(?:\d[\d.,]*|[.,]\d+)(?:[eE][+-]?\d+)?")
_BETWEEN = (re.compile(r"\s*;\s*"), re.compile(r"\s*,\s+"), re.compile(r"\s*,\s*"), re.compile(r"\s+"))
"""What may stand between two parts; a comma may also stand within one, as a decimal or a thousands comma."""
_LABEL = re.compile(r"\b([xyzXYZ])\s*[=:]\s*")


def split_tuple(text: str, n: int) -> Spans | None:
    """Find the ``n`` numbers of a cell; None where it does not hold so many, or can be cut in more than one way.

    The parts are those of the cell as it is written; whether each is a number is for the reader of numbers to say.

    >>> [(a, b) for a, b in split_tuple("(1, 2.5, -3)", 3)]
    [(1, 2), (4, 7), (9, 11)]
    >>> parts_of("1,5; 2,0; 3,5", 3), parts_of("[1 2 3]", 3), parts_of("Z: 3 X: 1 Y: 2", 3)
    (['1,5', '2,0', '3,5'], ['1', '2', '3'], ['1', '2', '3'])
    >>> parts_of("1, 2", 3), parts_of("1,2,3,4,5,6", 3), parts_of("7", 3)
    (None, None, None)
    """
    if len(text) > LONGEST_TUPLE:
        return None
    start, end = _inside(text)
    if n == len(AXES) and _LABEL.search(text, start, end):
        return _labelled(text, start, end)
    ways = {way for between in _BETWEEN if (way := _cut(text, start, end, between, n)) is not None}
    return ways.pop() if len(ways) == 1 else None


def parts_of(text: str, n: int) -> list[str] | None:
    """Give the texts of a cell's ``n`` numbers, or None.

    >>> parts_of("<1e3 0 -.5>", 3)
    ['1e3', '0', '-.5']
    """
    spans = split_tuple(text, n)
    return None if spans is None else [text[a:b] for a, b in spans]


def may_be_number(text: str) -> bool:
    """Tell whether a text may stand as a part of a tuple: a number, with whatever marks.

    >>> may_be_number("1.234,5"), may_be_number("kg*m^2")
    (True, False)
    """
    return _PART.fullmatch(text) is not None


def with_parts(text: str, spans: Spans, texts: Sequence[str]) -> str:
    """Write other numbers into a tuple's text, and leave all that stands between them.

    >>> with_parts("X=1 Y=2 Z=3", split_tuple("X=1 Y=2 Z=3", 3), ["10", "0.5", "-3"])
    'X=10 Y=0.5 Z=-3'
    """
    for (start, end), new in sorted(zip(spans, texts, strict=True), reverse=True):
        text = text[:start] + new + text[end:]
    return text


def _inside(text: str) -> tuple[int, int]:
    """Give where a text begins and ends without blanks and one pair of brackets around it."""
    start, end = _trimmed(text, 0, len(text))
    if end - start >= 2 and _BRACKETS.get(text[start]) == text[end - 1]:
        return _trimmed(text, start + 1, end - 1)
    return start, end


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _cut(text: str, start: int, end: int, between: re.Pattern[str], n: int) -> Spans | None:
    """Cut a text at one kind of separator; None where that does not give ``n`` parts that may be numbers."""
    edges = [start]
    for match in between.finditer(text, start, end):
        edges += [match.start(), match.end()]
    edges.append(end)
    spans = tuple(zip(edges[::2], edges[1::2], strict=True))
    if len(spans) != n or not all(_PART.fullmatch(text, a, b) and text[b - 1] != "," for a, b in spans):
        return None
    return spans


def _labelled(text: str, start: int, end: int) -> Spans | None:
    """Read parts by their labels, in whatever order they stand."""
    labels = list(_LABEL.finditer(text, start, end))
    names = [match[1].lower() for match in labels]
    if sorted(names) != list(AXES) or labels[0].start() != start:
        return None
    spans: dict[str, tuple[int, int]] = {}
    for k, match in enumerate(labels):
        until = labels[k + 1].start() if k + 1 < len(labels) else end
        last = len(text[match.end() : until].rstrip(" \t,;")) + match.end()
        if not _PART.fullmatch(text, match.end(), last):
            return None
        spans[names[k]] = (match.end(), last)
    return tuple(spans[axis] for axis in AXES)


_LIST = re.compile(r"(?P<base>[^()\[\]]*?)\s*[(\[](?P<list>[^()\[\]]+)[)\]](?P<rest>.*)", re.DOTALL)
_SIGMA = re.compile(r"σ|sigma|\bstd|standard dev|\bsd\b", re.IGNORECASE)
_SPREAD = re.compile(_SIGMA.pattern + r"|uncertaint|toleranc|error|±|deviation", re.IGNORECASE)
_NUMBERS, _SIGMAS = frozenset(NUMBER_QUANTITIES), frozenset(SIGMA_QUANTITIES)
_COORDINATES = frozenset(CENTER_COLUMNS) | {f"sigma_{axis}" for axis in CENTER_COLUMNS}
_NAME = re.compile(r"(?P<base>[^()\[\]/,;]+?)(?P<rest>\s*(?:[(\[/,;].*)?)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class TupleColumn:
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
def centers() -> frozenset[str]:
    """Load what a column of centres is called, squeezed."""
    return frozenset(map(squeeze, words("tuples")))


def read_tuple_header(text: str, index: int = 0) -> TupleColumn | None:
    """Read the header of a column of tuples: a centre by its name, other quantities by a list of theirs.

    >>> read_tuple_header("Center of Mass (mm)").names, read_tuple_header("Center of Mass (mm)").rest
    (('Center of Mass X', 'Center of Mass Y', 'Center of Mass Z'), ' (mm)')
    >>> read_tuple_header("Inertia (Ixx, Iyy, Izz, Ixy, Ixz, Iyz) [kg*m^2]").names
    ('Ixx', 'Iyy', 'Izz', 'Ixy', 'Ixz', 'Iyz')
    >>> read_tuple_header("Moments of inertia"), read_tuple_header("Mass (kg)")
    (None, None)
    """
    bare = text.strip()
    if len(bare) > LONGEST:
        return None
    listed = _LIST.fullmatch(bare)
    names = [name.strip() for name in re.split(r"[,;]", listed["list"])] if listed else []
    if listed and len(names) > 1:
        if tuple(map(str.lower, names)) == AXES:
            names = [f"{listed['base']} {axis.upper()}" for axis in AXES]
        parts = listed_names(listed["base"], names)
        return TupleColumn(index, bare[: listed.start("rest")], listed["rest"], parts) if parts else None
    named = _NAME.fullmatch(bare)
    parts = center_names(named["base"]) if named is not None else ()
    return TupleColumn(index, named["base"], named["rest"], parts) if named is not None and parts else None


def listed_names(base: str, names: Sequence[str]) -> tuple[str, ...]:
    """Give the headers of the quantities that a header lists, their sigmas where the words before the list say so.

    >>> listed_names("2σ inertia", ["Ixx", "Iyy"]), listed_names("Tolerance", ["Cx", "Cy", "Cz"])
    (('sigma Ixx (2σ)', 'sigma Iyy (2σ)'), ())
    """
    quantities = {read_heading(name).quantity for name in names}
    if len(quantities) < len(names) or not (quantities <= _NUMBERS or quantities <= _SIGMAS):
        return ()
    if quantities <= _SIGMAS or not _SPREAD.search(base):
        return tuple(names)
    if not _SIGMA.search(base):
        return ()
    level = split_level(base).level
    return tuple(f"sigma {name} ({level:g}σ)" if level else f"sigma {name}" for name in names)


def center_names(base: str) -> tuple[str, ...]:
    """Give the headers of the three coordinates of a centre, or of their sigmas; nothing where the words name neither.

    >>> center_names("CG"), center_names("Center of Mass sigma")[2], center_names("CG margin")
    (('CG X', 'CG Y', 'CG Z'), 'Center of Mass Z sigma', ())
    """
    words = list(re.finditer(r"[^\s_.:-]+", base))
    spans = [(first.start(), last.end()) for i, first in enumerate(words) for last in words[i:]]
    for start, end in sorted(spans, key=lambda span: span[0] - span[1]):
        if squeeze(base[start:end]) not in centers():
            continue
        names = tuple(f"{base[:end]} {axis.upper()}{base[end:]}" for axis in AXES)
        if len({read_heading(name).quantity for name in names} & _COORDINATES) == len(AXES):
            return names
    return ()


def spread_tuples(table: Table, header_row: int) -> Table:
    """Show columns of tuples as columns of numbers: the table itself where it has none.

    A column counts as one where its header says so and a cell below it, at least, is such a tuple.

    >>> from massprops_cli.files.table import GridTable
    >>> from massprops_cli.files.table import Source
    >>> rows = [["id", "CG (mm)", "mass"], ["a", "(1, 2, 3)", "5"]]
    >>> view = spread_tuples(GridTable(Source("a.csv", "csv"), rows), 0)
    >>> view.row(0), view.row(1)
    (['id', 'CG X (mm)', 'mass', 'CG Y (mm)', 'CG Z (mm)'], ['a', '1', '5', '2', '3'])
    """
    chosen: list[TupleColumn] = []
    n = table.n_columns
    for j, text in enumerate(table.row(header_row)):
        column = read_tuple_header(text, j)
        if column is None or not _holds_tuples(table, column, header_row + 1):
            continue
        more = len(column.names) - 1
        chosen.append(replace(column, columns=(j, *range(n, n + more))))
        n += more
    return Spread(table, header_row, chosen) if chosen else table


def _holds_tuples(table: Table, column: TupleColumn, start: int) -> bool:
    size = len(column.names)
    return any(split_tuple(text, size) is not None for text in table.texts(column.index, start))


class Spread(View):
    """A table whose columns of tuples are shown as columns of numbers, with the address of the tuple's cell.

    The first number stands in the tuple's place, the others to the right of the table. A cell that is no tuple is shown
    whole in the first place, and in all places of the row below the header, which may hold units.
    """

    def __init__(self, table: Table, header_row: int, tuples: Sequence[TupleColumn]) -> None:
        super().__init__(table)
        self.header_row = header_row
        self.tuples = tuple(tuples)
        self.part_of = {j: (column, k) for column in tuples for k, j in enumerate(column.columns)}
        self.n_columns = max(table.n_columns, *(j + 1 for j in self.part_of))

    def row(self, i: int) -> list[str]:
        """Give the texts of row ``i``, the parts of tuples among them."""
        texts = (super().row(i) + [""] * self.n_columns)[: self.n_columns]
        whole = {column.index: texts[column.index] for column in self.tuples}
        for j, (column, k) in self.part_of.items():
            texts[j] = self._part(i, column, k, whole[column.index])
        return texts

    def text(self, i: int, j: int) -> str:
        """Give the text of one cell, or of one part of it."""
        if j not in self.part_of:
            return super().text(i, j)
        column, k = self.part_of[j]
        return self._part(i, column, k, super().text(i, column.index))

    def texts(self, j: int, start: int = 0) -> Sequence[str]:
        """Give the texts of column ``j`` from row ``start`` on."""
        if j not in self.part_of:
            return super().texts(j, start)
        column, k = self.part_of[j]
        whole = super().texts(column.index, start)
        return [self._part(i, column, k, text) for i, text in enumerate(whole, start)]

    def numbers(self, columns: Sequence[int], start: int = 0) -> list[Numbers]:
        """Read columns as numbers from row ``start`` on; parts of tuples are texts."""
        plain = [j for j in columns if j not in self.part_of]
        read = dict(zip(plain, super().numbers(plain, start), strict=True))
        return [read[j] if j in read else self._open_numbers(j, start) for j in columns]

    def is_typed(self, j: int, start: int = 0) -> NDArray[np.bool_]:
        """Tell which cells of column ``j`` are typed numbers in the file; no part of a tuple is."""
        return np.zeros(self.n_rows - start, bool) if j in self.part_of else super().is_typed(j, start)

    def place(self, i: int, j: int | None = None, column: str = "") -> Place:
        """Give the address of a cell; that of a tuple's part is the tuple's."""
        if j is None or j not in self.part_of:
            return super().place(i, j, column)
        whole, _ = self.part_of[j]
        return super().place(i, whole.index, whole.header if column else "")

    def form_of(self, i: int, column: TupleColumn) -> tuple[str, Spans] | None:
        """Give the text of a tuple's cell and where its parts stand, or None where it holds none."""
        text = super().text(i, column.index)
        spans = split_tuple(text, len(column.names))
        return None if spans is None else (text, spans)

    def _part(self, i: int, column: TupleColumn, k: int, text: str) -> str:
        if i == self.header_row:
            return column.names[k] + column.rest
        parts = parts_of(text, len(column.names))
        if parts is not None:
            return parts[k]
        return text if k == 0 or i == self.header_row + 1 else ""

    def _open_numbers(self, j: int, start: int) -> Numbers:
        texts = self.texts(j, start)
        states = np.array([TEXT if text.strip() else BLANK for text in texts], np.uint8)
        return Numbers(np.full(len(texts), np.nan), states)


def in_one_cell(table: Table, j: int) -> tuple[int, ...]:
    """Give the columns whose numbers share their cells with column ``j``: itself where it is no part of tuples."""
    below = spread_below(table)
    return below.part_of[j][0].columns if isinstance(below, Spread) and j in below.part_of else (j,)


def spread_below(table: Table) -> Table:
    """Give the table without the views over it: as its file has it, but for parts of tuples."""
    while isinstance(table, View) and not isinstance(table, Spread):
        table = table.base
    return table


def folded(table: Table, filling: Filling) -> Filling:
    """Bring a filling of parts back to the cells of the tuples, each in the form its cell or the first tuple has."""
    table = spread_below(table)
    if not isinstance(table, Spread):
        return filling
    fills = [fill for fill in filling.fills if fill.column not in table.part_of]
    renames = {j: text for j, text in filling.renames.items() if j not in table.part_of}
    for column in table.tuples:
        of_parts = [(k, fill) for fill in filling.fills for k, j in enumerate(column.columns) if fill.column == j]
        if of_parts:
            fills.append(_folded_fill(table, column, of_parts))
        renamed = filling.renames.get(column.index)
        if renamed is not None:
            renames[column.index] = column.base + renamed.removeprefix(column.names[0])
    return replace(filling, fills=tuple(sorted(fills, key=lambda fill: fill.column)), renames=renames)


def _folded_fill(table: Spread, column: TupleColumn, of_parts: Sequence[tuple[int, Fill]]) -> Fill:
    """Join the fills of a tuple's parts into one of whole cells; a tuple with an unknown part is blank."""
    cells: dict[int, str] = {}
    new: dict[int, dict[int, str]] = {}
    for k, fill in of_parts:
        for row, text in zip(fill.rows.tolist(), texts_of(fill.values), strict=True):
            if text and not may_be_number(text):
                cells[row] = text  # the row of units, whose text is the same for all parts
            else:
                new.setdefault(row, {})[k] = text
    shape = next(filter(None, (table.form_of(row, column) for row in range(table.header_row + 1, table.n_rows))))
    for row, known in new.items():
        texts = [known.get(k, table.text(row, j)) for k, j in enumerate(column.columns)]
        text, spans = table.form_of(row, column) or shape
        cells[row] = with_parts(text, spans, texts) if all(texts) else ""
    rows = sorted(cells)
    return Fill(column.index, np.array(rows, np.intp), [cells[row] for row in rows])
