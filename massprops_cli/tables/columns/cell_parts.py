"""Cells with more than one number, such as ``(1, 2, 3)``, or with a number and its side, as columns of numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.table import (
    BLANK,
    TEXT,
    ColumnEdit,
    ColumnNumbers,
    Table,
    TableEdit,
    TableView,
    edit_value_texts,
)
from massprops_cli.findings.finding import Findings, Place
from massprops_cli.tables.cells.number_text import read_number, words
from massprops_cli.tables.columns import headings
from massprops_cli.tables.options import CENTER_COLUMNS, NUMBER_QUANTITIES, SIGMA_QUANTITIES, TableOptions

_TextSpans = tuple[tuple[int, int], ...]
"""Positions of the parts of a tuple in its text: (start, end) of each, in the order of the quantities."""

_MAX_TUPLE_LENGTH = 400  # a longer text is not a tuple
_AXES = ("x", "y", "z")

_BRACKETS = {"(": ")", "[": "]", "{": "}", "<": ">"}
_TUPLE_NUMBER = re.compile(r"[+\-−]?(?:\d[\d.,]*|[.,]\d+)(?:[eE][+-]?\d+)?")  # -1,234.5e3, .5
_LABELLED_PART = re.compile(rf"\b([xyzXYZ])\s*[=:]\s*({_TUPLE_NUMBER.pattern})(?<!,)[ \t,;]*")  # X=1, y: 2
_SEPARATORS = (re.compile(r"\s*;\s*"), re.compile(r"\s*,\s+"), re.compile(r"\s*,\s*"), re.compile(r"\s+"))
"""What may be between two parts; a comma may also stand within one, as a decimal or a thousands comma."""
_AXIS_LABEL = re.compile(r"\b([xyzXYZ])\s*[=:]\s*")  # X=, y:


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


def _replace_tuple_parts(text: str, spans: _TextSpans, texts: Sequence[str]) -> str:
    """Write other numbers into a tuple's text, and keep everything between them."""
    for (start, end), new in sorted(zip(spans, texts, strict=True), reverse=True):
        text = text[:start] + new + text[end:]
    return text


def _inner_span(text: str) -> tuple[int, int]:
    """Find the span of a text without blanks and one pair of brackets around it."""
    start, end = len(text) - len(text.lstrip()), len(text.rstrip())
    if end - start >= 2 and _BRACKETS.get(text[start]) == text[end - 1]:
        inner = text[start + 1 : end - 1]
        start, end = end - 1 - len(inner.lstrip()), start + 1 + len(inner.rstrip())
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
    parts = list(_LABELLED_PART.finditer(text, start, end))
    is_whole = [start, *(part.end() for part in parts)] == [*(part.start() for part in parts), end]
    parts.sort(key=lambda part: part[1].lower())
    return tuple(part.span(2) for part in parts) if is_whole and [p[1].lower() for p in parts] == list(_AXES) else None


# CG (x, y, z) mm
_LIST_HEADER = re.compile(r"(?P<base>[^()\[\]]*?)\s*[(\[](?P<list>[^()\[\]]+)[)\]](?P<rest>.*)", re.DOTALL)
_SIGMA_WORDS = re.compile(r"σ|sigma|\bstd|standard dev|\bsd\b", re.IGNORECASE)  # Std of mass
# Uncertainty of mass
_SPREAD_WORDS = re.compile(_SIGMA_WORDS.pattern + r"|uncertaint|toleranc|error|±|deviation", re.IGNORECASE)
_VALUE_NAMES, _SIGMA_NAMES = frozenset(NUMBER_QUANTITIES), frozenset(SIGMA_QUANTITIES)
_COORDINATES = frozenset(CENTER_COLUMNS) | {f"sigma_{axis}" for axis in CENTER_COLUMNS}
_CENTER_HEADER = re.compile(r"(?P<base>[^()\[\]/,;]+?)(?P<rest>\s*(?:[(\[/,;].*)?)", re.DOTALL)  # Center of Mass (mm)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _TupleColumn:
    """A column of tuples: its place in the file, its header's words and the unit behind them, and what each part is."""

    index: int
    base: str
    rest: str
    names: tuple[str, ...]  # headers of the parts without the unit
    columns: tuple[int, ...] = ()  # where a view shows the parts, the first in the tuple's own place


def read_tuple_header(text: str, index: int = 0) -> _TupleColumn | None:
    """Parse the header of a column of tuples: a centre by its name, other quantities by a list of theirs."""
    if len(bare := text.strip()) > headings.MAX_HEADING_LENGTH:
        return None
    listed = _LIST_HEADER.fullmatch(bare)
    inner, rest = listed.group("list", "rest") if listed else ("", "")
    names = [name.strip() for name in re.split(r"[,;]", inner)]
    if len(names) > 2 and any(headings.is_unit_of(names[0], quantity) for quantity in ("Cx", "Ixx")):
        rest = f" [{names.pop(0)}]{rest}"  # Inertia (kg*m^2, Ixx, Iyy, Izz, Ixy, Ixz, Iyz)
    if listed and len(names) > 1:
        if tuple(map(str.lower, names)) == _AXES:
            names = [f"{listed['base']} {axis.upper()}" for axis in _AXES]
        parts = _listed_quantity_headers(listed["base"], names)
        return _TupleColumn(index, bare[: listed.start("rest")], rest, parts) if parts else None
    named = _CENTER_HEADER.fullmatch(bare)
    parts = _center_headers(named["base"]) if named is not None else ()
    return _TupleColumn(index, named["base"], named["rest"], parts) if named is not None and parts else None


def _listed_quantity_headers(base: str, names: Sequence[str]) -> tuple[str, ...]:
    """List the headers of the quantities in a header's list, of sigmas if the words before the list name them."""
    quantities = {headings.read_heading(name).quantity for name in names}
    if len(quantities) < len(names) or not (quantities <= _VALUE_NAMES or quantities <= _SIGMA_NAMES):
        return ()
    if quantities <= _SIGMA_NAMES or not _SPREAD_WORDS.search(base):
        return tuple(names)
    if not _SIGMA_WORDS.search(base):
        return ()
    level = next((f" ({level:g}σ)" for level in headings.split_sigma_level(base)[1][:1] if level), "")
    return tuple(f"sigma {name}{level}" for name in names)


def _center_headers(base: str) -> tuple[str, ...]:
    """List the headers of the three coordinates of a centre, or of their sigmas; nothing if it is neither."""
    words = list(re.finditer(r"[^\s_.:-]+", base))
    spans = [(first.start(), last.end()) for i, first in enumerate(words) for last in words[i:]]
    for start, end in sorted(spans, key=lambda span: span[0] - span[1]):
        if headings.squeeze_text(base[start:end]) not in headings.center_names():
            continue
        names = tuple(f"{base[:end]} {axis.upper()}{base[end:]}" for axis in _AXES)
        if len({headings.read_heading(name).quantity for name in names} & _COORDINATES) == len(_AXES):
            return names
    return ()


def split_tuple_columns(table: Table, header_row: int) -> Table:
    """Show as columns of numbers those whose header states tuples, if at least one cell is such a tuple."""
    chosen: list[_TupleColumn] = []
    n = table.n_columns
    for j, text in enumerate(table.row(header_row)):
        column = read_tuple_header(text, j)
        if column is not None and any(_split_tuple(cell, len(column.names)) for cell in table.texts(j, header_row + 1)):
            more = len(column.names) - 1
            chosen.append(replace(column, columns=(j, *range(n, n + more))))
            n += more
    return _SplitTuples(table, header_row, chosen) if chosen else table


class ShownColumns(TableView):
    """A table with columns made from others: ``shown`` are these, each with the column that it is made from or -1."""

    shown: Mapping[int, int]

    def _show(self, i: int, j: int, text: str) -> str:
        """Make the text of a cell from that of the column that it is made from."""
        raise NotImplementedError

    def row(self, i: int) -> list[str]:
        """Read the texts of row ``i``, with those that are made."""
        texts = (super().row(i) + [""] * self.n_columns)[: self.n_columns]
        whole = [*texts, ""]
        for j, source in self.shown.items():
            texts[j] = self._show(i, j, whole[source])
        return texts

    def text(self, i: int, j: int) -> str:
        """Read the text of one cell."""
        source = self.shown.get(j, j)
        text = super().text(i, source) if source >= 0 else ""
        return self._show(i, j, text) if j in self.shown else text

    def texts(self, j: int, start: int = 0) -> Sequence[str]:
        """Read the texts of column ``j`` from row ``start`` on."""
        source = self.shown.get(j, j)
        texts = super().texts(source, start) if source >= 0 else [""] * (self.n_rows - start)
        return [self._show(i, j, text) for i, text in enumerate(texts, start)] if j in self.shown else texts

    def numbers(self, columns: Sequence[int], start: int = 0) -> list[ColumnNumbers]:
        """Read columns as numbers from row ``start`` on; those that are made are texts and blanks."""
        plain = [j for j in columns if j not in self.shown]
        read = dict(zip(plain, super().numbers(plain, start), strict=True))
        for j in set(columns) - set(plain):
            states = np.array([TEXT if text.strip() else BLANK for text in self.texts(j, start)], np.uint8)
            read[j] = ColumnNumbers(np.full(len(states), np.nan), states)
        return [read[j] for j in columns]

    def is_typed(self, j: int, start: int = 0) -> NDArray[np.bool_]:
        """Test which cells of column ``j`` are typed numbers in the file ``(n,)``; none that is made is."""
        return np.zeros(self.n_rows - start, bool) if j in self.shown else super().is_typed(j, start)


class _SplitTuples(ShownColumns):
    """A table with columns of tuples shown as numbers: the first in the tuple's place, the others to the right."""

    def __init__(self, table: Table, header_row: int, tuples: Sequence[_TupleColumn]) -> None:
        super().__init__(table)
        self.header_row = header_row
        self.tuples = tuple(tuples)
        self.part_of = {j: (column, k) for column in tuples for k, j in enumerate(column.columns)}
        self.shown = {j: column.index for j, (column, _) in self.part_of.items()}
        self.n_columns = max(table.n_columns, *(j + 1 for j in self.part_of))

    def place(self, i: int, j: int | None = None, column: str = "") -> Place:
        """Find the address of a cell; that of a tuple's part is the tuple's."""
        if j is None or j not in self.part_of:
            return super().place(i, j, column)
        whole, _ = self.part_of[j]
        return super().place(i, whole.index, whole.base + whole.rest if column else "")

    def form_of(self, i: int, column: _TupleColumn) -> tuple[str, _TextSpans] | None:
        """Read the text of a tuple's cell and the places of its parts; None where it holds none."""
        text = TableView.text(self, i, column.index)
        spans = _split_tuple(text, len(column.names))
        return None if spans is None else (text, spans)

    def edit_of_base(self, filling: TableEdit) -> TableEdit:
        """Merge an edit of parts into the cells of the tuples, each in the form of its cell or of the first tuple."""
        fills = [fill for fill in filling.fills if fill.column not in self.part_of]
        renames = {j: text for j, text in filling.renames.items() if j not in self.part_of}
        for column in self.tuples:
            of_parts = [(k, fill) for fill in filling.fills for k, j in enumerate(column.columns) if fill.column == j]
            if of_parts:
                fills.append(_merged_tuple_column(self, column, of_parts))
            if (renamed := filling.renames.get(column.index)) is not None:
                renames[column.index] = column.base + renamed.removeprefix(column.names[0])
        return replace(filling, fills=tuple(sorted(fills, key=lambda fill: fill.column)), renames=renames)

    def _show(self, i: int, j: int, text: str) -> str:
        """Return one part of a cell; a text other than a tuple is in the first part, in a row of units in all."""
        column, k = self.part_of[j]
        if i == self.header_row:
            return column.names[k] + column.rest
        if (parts := _tuple_parts(text, len(column.names))) is not None:
            return parts[k]
        return text if k == 0 or i == self.header_row + 1 else ""


def columns_sharing_cell(table: Table, j: int) -> tuple[int, ...]:
    """List the columns whose numbers share their cells with a column."""
    below = table_without_views(table)
    return below.part_of[j][0].columns if isinstance(below, _SplitTuples) and j in below.part_of else (j,)


def table_without_views(table: Table) -> Table:
    """Remove the views over a table, except that of parts of tuples."""
    while isinstance(table, TableView) and not isinstance(table, _SplitTuples):
        table = table.base
    return table


def _merged_tuple_column(
    table: _SplitTuples, column: _TupleColumn, of_parts: Sequence[tuple[int, ColumnEdit]]
) -> ColumnEdit:
    """Join the fills of a tuple's parts into one of whole cells; a tuple with an unknown part is blank."""
    cells: dict[int, str] = {}
    new: dict[int, dict[int, str]] = {}
    for k, fill in of_parts:
        for row, text in zip(fill.rows.tolist(), edit_value_texts(fill.values), strict=True):
            if text and not (_TUPLE_NUMBER.fullmatch(text) is not None):
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


_SAMPLE_ROWS = 200  # a column whose first so many rows hold anything else holds no sides, and is not read to its end
_SIDE_CELL = r"(?P<number>\d[\d.,]*)\s*(?P<side>[^\W\d_][\w.]*)|(?P<first>[^\W\d_][\w.]*)\s*(?P<last>\d[\d.,]*)"
"""A number and its side, in either order."""


class _SideColumn(NamedTuple):
    """A coordinate whose sides are words: its column and ``quantity``, and the column of the ``sides``.

    ``cells`` are, by row, the number as written, and the side: 0 for the first of the axis, 1 for the other one.
    """

    column: int
    quantity: str
    sides: int
    cells: Mapping[int, tuple[str, int]]
    names: tuple[str, str]


@lru_cache(maxsize=1)
def _side_words() -> dict[str, dict[str, int]]:
    """Load the words for the sides of each coordinate, in small letters and without points → 0 or 1."""
    return {
        entry["of"]: {_normalized_side(text): k for k in (0, 1) for text in entry[("one", "other")[k]]}
        for entry in words("sides")["side"]
    }


def _normalized_side(text: str) -> str:
    """Convert a cell into the form in which sides are compared."""
    return text.strip().casefold().strip(".")


def sign_side_cells(table: Table, row: int, options: TableOptions, findings: Findings) -> Table:
    """Show coordinates with sides in words as numbers with signs."""
    cells: dict[tuple[int, int], str] = {}
    unknown: set[int] = set()
    for side in _side_columns(table, row, options):
        header = table.text(row, side.column).strip()
        place = table.place(row, side.sides, table.text(row, side.sides).strip())
        positive, reason = _positive_side(table, row, side, options)
        if positive is None:
            first, other = side.names
            next_to = table.text(row, side.sides).strip() or f"column {side.sides + 1}"
            message = f"{next_to} states the side of each {header}, and is not read as a sign"
            if side.sides == side.column:
                message = f"cells of {header} state sides, {first} and {other}, and are not read as numbers with signs"
            options_of = f"--config positive={first}, or --config positive={other}"
            remedy = f"pass {options_of}, or write the numbers with their signs"
            findings.report("MP260", message, place, value=header, remedy=remedy)
            unknown.add(side.column)
            continue
        signs = ("", "-") if positive == 0 else ("-", "")
        cells |= {(i, side.column): f"{signs[k]}{number}" for i, (number, k) in side.cells.items()}
        names = f"{side.names[positive]} read as +, {side.names[1 - positive]} as −"
        findings.report("MP261", f"{header}: {names} ({reason})", place, value=header, count=len(side.cells))
    return TableView(table, columns=unknown, cells=cells) if cells or unknown else table


def _side_columns(table: Table, row: int, options: TableOptions) -> Iterator[_SideColumn]:
    """Yield the coordinates with sides in their own cells, or in the column to their right if the sides differ."""
    texts = table.row(row)
    mapped = {headings.squeeze_text(text): quantity for quantity, text in options.map.items()}
    for j, heading in enumerate(headings.read_headings(texts)):
        quantity = mapped.get(headings.squeeze_text(texts[j])) or heading.quantity
        if quantity not in CENTER_COLUMNS:
            continue
        known, sides = _side_words()[quantity], j + 1
        head = [text for i in range(row + 1, min(table.n_rows, row + 1 + _SAMPLE_ROWS)) if (text := table.text(i, j))]
        if any(_split_side(text, known) for text in head):
            split = ((i, _split_side(text, known)) for i, text in enumerate(table.texts(j, row + 1), row + 1))
            sides, parts = j, {i: part for i, part in split if part is not None}
            numbers = parts
        elif sides == len(texts) or not _is_side_column(table, sides, row + 1, known):
            continue
        else:
            next_to = enumerate(table.texts(sides, row + 1), row + 1)
            parts = {i: (table.text(i, j).strip(), _normalized_side(text)) for i, text in next_to if text.strip()}
            numbers = {i: part for i, part in parts.items() if (read_number(part[0]) or -1.0) >= 0}
        signed = {i: (number, known[side]) for i, (number, side) in numbers.items()}
        yield _SideColumn(j, quantity, sides, signed, _names(parts, known))


def _is_side_column(table: Table, column: int, first: int, known: Mapping[str, int]) -> bool:
    """Return whether a column holds words for the two sides of a coordinate, and nothing else."""
    if headings.is_quantity_like(table.text(first - 1, column)):
        return False
    rows = range(first, min(table.n_rows, first + _SAMPLE_ROWS))
    if not (head := {_normalized_side(table.text(i, column)) for i in rows} - {""}) or not head <= known.keys():
        return False
    sides = {_normalized_side(text) for text in set(table.texts(column, first))} - {""}
    return len(sides) > 1 and sides <= known.keys()


def _split_side(text: str, known: Mapping[str, int]) -> tuple[str, str] | None:
    """Split a number from its side; None for other texts."""
    if (match := re.fullmatch(_SIDE_CELL, text.strip())) is None:
        return None
    number, side = (match["number"], match["side"]) if match["number"] else (match["last"], match["first"])
    side = _normalized_side(side)
    return (number, side) if side in known else None


def _names(cells: Mapping[int, tuple[str, str]], known: Mapping[str, int]) -> tuple[str, str]:
    """Return what the two sides are called: as the cells have it, or by the first word for a side that none has."""
    found = {known[side]: side.upper() if len(side) < 3 else side for _, side in cells.values()}
    usual = {k: next(word for word, of in known.items() if of == k).upper() for k in (0, 1)}
    return found.get(0, usual[0]), found.get(1, usual[1])


def _positive_side(table: Table, row: int, side: _SideColumn, options: TableOptions) -> tuple[int | None, str]:
    """Return which side is positive, and what shows it; None where nothing does, or texts contradict each other."""
    known = _side_words()[side.quantity]
    if given := {known[word] for word in map(_normalized_side, options.positive) if word in known}:
        return (given.pop(), "--config positive") if len(given) == 1 else (None, "")
    own = table.text(row, side.column)
    above = " ".join(text for i in range(row) for text in table.row(i) if text.strip())
    for text in (own, above):
        if len(stated := {sign for word, k in known.items() for sign in _stated_signs(text, word, k)}) == 1:
            return stated.pop(), "as the header states" if text == own else "as the text above the header states"
    return None, ""


def _stated_signs(text: str, word: str, k: int) -> Iterator[int]:
    """Yield the positive side as a text states it: ``forward positive``, ``+ aft``, ``F (+)``, ``aft negative``."""
    start, end = rf"(?<![^\W\d_]){re.escape(word)}(?![^\W\d_])", r"(?:is|are|=|to|towards?|the|:|\(|\)|\s)*"
    for mark, of in ((r"(?:positive|\+ve|\+)", k), (r"(?:negative|-ve)", 1 - k)):
        if re.search(rf"{start}{end}{mark}|{mark}{end}{start}", text, re.IGNORECASE):
            yield of


_PRODUCT_FORMULA = (
    r"(?i)\bI?\s*_?xy\s*=\s*(?P<sign>[-−–+]?)\s*(?:∫|Σ|integral|int\b|sum)\s*(?:of\s+)?\(?\s*x\s*[*·× ]?\s*y"
)
"""A formula of a product of inertia: ``Ixy = -integral(x*y dm)``."""


def stated_product_sign(texts: Sequence[str]) -> str:
    """Find the only sign of products of inertia that texts state by formulas (docs/formulas.md, section 1)."""
    signs = {
        "+" if match["sign"] in ("", "+") else "-" for text in texts for match in re.finditer(_PRODUCT_FORMULA, text)
    }
    return signs.pop() if len(signs) == 1 else ""
