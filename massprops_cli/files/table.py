"""A table as its file has it: cells as characters with their addresses; tables in memory; what is put into a table."""

from __future__ import annotations

import math
import shlex
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from massprops_cli.findings.finding import Place, TableError, rule_finding

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Rows = NDArray[np.intp]
"""Arrays of numbers, marks and places, a number for each row or item."""
NUMBER, BLANK, TEXT = 0, 1, 2  # state of a cell before interpretation; TEXT is parsed as text
_ROBOT_FORMATS = ("urdf", "sdf", "mjcf", "usd")
Value = str | float | int | bool | None
Values = NDArray[np.float64] | Sequence[str]
"""Numbers (NaN is written as a blank cell, others as the shortest text that reads back the same), or texts."""
_POWERS = 10.0 ** np.arange(23)  # those that are doubles
_Rows = NDArray[np.intp]
_Mask = NDArray[np.bool_]


class ColumnNumbers(NamedTuple):
    """One column as numbers: NUMBER for a finite typed number or a decimal one in ASCII, TEXT where uncertain."""

    values: NDArray[np.float64]  # (n,), NaN where not NUMBER
    states: NDArray[np.uint8]  # (n,) NUMBER, BLANK or TEXT


@dataclass(frozen=True, slots=True)
class TableSource:
    """Origin of a table, as the user named it."""

    name: str  # path as given; - is standard input
    format: str  # one of FILE_FORMATS
    sheet: str = ""
    encoding: str = ""
    delimiter: str = ""
    compressed: bool = False
    bom: bool = False
    newline: str = "\n"
    columns: tuple[str, ...] = ()  # the names of columns that the user gave because the file has no header
    content: bytes | None = field(default=None, repr=False)
    """Content of a stream, or of a compressed workbook; None where the file of that name has it."""

    @property
    def is_robot(self) -> bool:
        """Whether the table is made of the links of a robot."""
        return self.format in _ROBOT_FORMATS

    def run_remedy(self, *options: str) -> str:
        """Write the remedy of a question: a command for each of some options, which may have a reason behind them."""
        command = f"massprops rollup {shlex.quote(self.name)}"
        return "run " + ", or ".join(f"{command} {option}" for option in options)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SheetInfo:
    """Contents of a worksheet other than its values; rows and columns count from 0 in the grid of the table."""

    first_row: int = 0  # row of the grid's corner in the sheet, from 0
    first_column: int = 0  # its column
    outline: NDArray[np.uint8] | None = None  # (n_rows,) levels; None: the sheet has none
    indent: dict[int, NDArray[np.uint8]] = field(default_factory=dict)  # column: levels (n_rows,)
    hidden: NDArray[np.intp] | None = None  # rows (k,)
    struck: NDArray[np.intp] | None = None  # rows (k,)
    formulas: frozenset[tuple[int, int]] = frozenset()  # cells (row, column)
    number_formats: dict[tuple[int, int], str] = field(default_factory=dict)
    """Codes of numbers and percentages, by (row, column)."""
    summary_below: bool | None = None  # the sheet's statement: an assembly is below its parts; None: not stated
    dates: frozenset[tuple[int, int]] = frozenset()  # cells with a date or a time
    merges: tuple[tuple[int, int, int, int], ...] = ()  # first row, first column, last row, last column
    computed: frozenset[tuple[int, int]] = frozenset()  # cells with the mark of an earlier roll-up


class Table(Protocol):
    """Cells in rows and columns. Every reader returns one; ``tables`` and ``bom`` use nothing else of a file."""

    source: TableSource
    n_rows: int
    n_columns: int
    sheet_info: SheetInfo | None

    def row(self, i: int) -> list[str]:
        """Return the texts of row ``i``."""
        ...

    def text(self, i: int, j: int) -> str:
        """Return the text of one cell."""
        ...

    def texts(self, j: int, start: int = 0) -> Sequence[str]:
        """Return the texts of column ``j`` from row ``start`` on."""
        ...

    def numbers(self, columns: Sequence[int], start: int = 0) -> list[ColumnNumbers]:
        """Read columns as numbers from row ``start`` on; columns requested together are read in one pass."""
        ...

    def is_typed(self, j: int, start: int = 0) -> NDArray[np.bool_]:
        """Return which cells are typed numbers in the file: (n_rows - start,). A 1.1 of a workbook is, the text not."""
        ...

    def place(self, i: int, j: int | None = None, column: str = "") -> Place:
        """Return the address of a row or of a cell, as the user sees it."""
        ...


@runtime_checkable
class PrefetchTable(Protocol):
    """A table that reads columns faster together than one by one."""

    def read_ahead(self, texts: Sequence[int], numbers: Sequence[int]) -> None:
        """Read columns in one pass before they are requested."""
        ...


@runtime_checkable
class CodedTexts(Protocol):
    """Texts stored as numbers of distinct texts."""

    def coded(self) -> tuple[list[str], NDArray[np.int32]]:
        """Return the distinct texts, and the position among them of every text (n,)."""
        ...


def typed_value_text(value: Value) -> str:
    """Return the shortest text that reads back as the same value."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return shortest_number_text(float(value))  # NumPy writes its own name into its floats
    return str(value)


class GridTable:
    """Rows of values, padded to one length; the protocol Table describes its methods."""

    def __init__(
        self,
        source: TableSource,
        rows: Sequence[Sequence[Value]],
        sheet_info: SheetInfo | None = None,
        lines: Sequence[int] | None = None,
    ) -> None:
        self.source, self.sheet_info, self.lines = source, sheet_info, lines
        self.rows = rows
        self.n_rows = len(rows)
        self.n_columns = max((len(row) for row in rows), default=0)

    def value(self, i: int, j: int) -> Value:
        """Return one cell's value."""
        row = self.rows[i]
        return row[j] if j < len(row) else None

    def row(self, i: int) -> list[str]:
        """Return the texts of row ``i``."""
        texts = [value if type(value) is str else typed_value_text(value) for value in self.rows[i]]
        return texts + [""] * (self.n_columns - len(texts))

    def text(self, i: int, j: int) -> str:
        """Return the text of one cell."""
        return typed_value_text(self.value(i, j))

    def texts(self, j: int, start: int = 0) -> Sequence[str]:
        """Return the texts of column ``j`` from row ``start`` on."""
        cells = [row[j] if j < len(row) else "" for row in self.rows[start:]]
        return [cell if type(cell) is str else typed_value_text(cell) for cell in cells]

    def numbers(self, columns: Sequence[int], start: int = 0) -> list[ColumnNumbers]:
        """Read columns as numbers from row ``start`` on."""
        return [self.one_column(j, start) for j in columns]

    def one_column(self, j: int, start: int) -> ColumnNumbers:
        """Read one column as numbers; the state of texts is TEXT."""
        n = self.n_rows - start
        values, states = np.full(n, np.nan), np.full(n, TEXT, np.uint8)
        for k, row in enumerate(self.rows[start:]):
            value = row[j] if j < len(row) else None
            if value is None or value == "":
                states[k] = BLANK
            elif isinstance(value, int | float) and not isinstance(value, bool) and np.isfinite(number := float(value)):
                values[k], states[k] = number, NUMBER
        return ColumnNumbers(values, states)

    def is_typed(self, j: int, start: int = 0) -> NDArray[np.bool_]:
        """Return which cells are typed numbers of the file: (n_rows - start,)."""
        return np.array([isinstance(self.value(i, j), int | float) for i in range(start, self.n_rows)], bool)

    def place(self, i: int, j: int | None = None, column: str = "") -> Place:
        """Return the address of a row or of a cell; with the line of a row also the number of a cell in it."""
        line = None if self.lines is None else int(self.lines[i])
        position = None if line is None or j is None else j + 1
        return Place(self.source.name, self.source.sheet, row=i + 1, column=column, line=line, position=position)


class ColumnEdit(NamedTuple):
    """New values for some cells of one column."""

    column: int
    rows: NDArray[np.intp]  # (k,) of the table, ascending
    values: Values  # (k,)


class AddedColumn(NamedTuple):
    """A column to the right of the table; rows that are not named stay blank."""

    name: str
    rows: NDArray[np.intp]  # (k,) of the table, ascending
    values: Values  # (k,)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TableEdit:
    """All changes of one table."""

    fills: tuple[ColumnEdit, ...] = ()
    added: tuple[AddedColumn, ...] = ()
    header_row: int = 0  # row for the names of added columns
    renames: dict[int, str] = field(default_factory=dict)  # header cells by column (``--units SI`` only)

    def columns(self, n_columns: int) -> list[ColumnEdit]:
        """Return the fills, and the added columns as fills of columns behind the n of the table."""
        return [*self.fills, *(ColumnEdit(j, one.rows, one.values) for j, one in enumerate(self.added, n_columns))]


def shortest_number_text(value: float) -> str:
    """Return the shortest text that reads back as the same number; blank for NaN."""
    return "" if math.isnan(value) else repr(value).removesuffix(".0")


def short_numbers(values: NDArray[np.float64], sizes: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
    """Replace numbers (k,) that differ from one of twelve digits by rounding alone: 150.33450000000002 is 150.3345.

    Differences have the rounding of the numbers (k,) that were subtracted, ``sizes``.
    """
    sizes = np.abs(values if sizes is None else sizes)
    with np.errstate(divide="ignore", invalid="ignore"):
        decimals = 11 - np.floor(np.log10(sizes))
    tried = (decimals >= 0) & (decimals <= 22)
    power = _POWERS.take(np.where(tried, decimals, 0).astype(np.intp))
    short = np.rint(values * power) / power
    return np.where(tried & (np.abs(short - values) <= 4 * np.spacing(sizes)), short, values)


def edit_value_texts(values: Values) -> list[str]:
    """Return one text for each new value (k,)."""
    return list(map(shortest_number_text, values.tolist())) if isinstance(values, np.ndarray) else list(values)


def edited_header(table: Table, filling: TableEdit) -> list[str]:
    """Return the column names, including those of added columns."""
    names = table.row(filling.header_row) if table.n_rows else []
    for column, name in filling.renames.items():
        names[column] = name
    return names + [added.name for added in filling.added]


def unique_header(table: Table, filling: TableEdit, holder: str) -> list[str]:
    """Return the column names of an edited table, if they are unique."""
    header = edited_header(table, filling)
    if not (doubles := sorted({name for name in header if header.count(name) > 1})):
        return header
    name, remedy = doubles[0], None
    message = f"two columns are named {name!r} ({holder} requires unique names)"
    if not name:
        message = f"two columns have no name ({holder} requires unique names)"
        remedy = "write to another format, or write the table alone with convert --to-layout parent"
    raise TableError([rule_finding("MP130", message, Place(table.source.name), value=name, remedy=remedy)])


def edited_row_texts(table: Table, filling: TableEdit, stop: int | None = None) -> list[list[str]]:
    """Return the texts of the rows of an edited table up to one, including those above the header."""
    rows = [[*table.row(i), *[""] * len(filling.added)] for i in range(table.n_rows)[:stop]]
    for fill in filling.columns(table.n_columns):
        for row, text in zip(fill.rows.tolist(), edit_value_texts(fill.values), strict=True):
            if row < len(rows):
                rows[row][fill.column] = text
    if rows:
        rows[filling.header_row] = edited_header(table, filling)
    return rows


def has_filled_numbers(filling: TableEdit, column: int, n_columns: int) -> bool:
    """Return whether an edit writes numbers to a column."""
    return any(f.column == column and isinstance(f.values, np.ndarray) for f in filling.columns(n_columns))


class TableView:
    """A view of another table: some rows and columns are blank, and some cells have other texts, never numbers.

    A view of a plain view takes its place, and leaves out what either does; ``base`` is the table below.
    """

    def __init__(
        self,
        table: Table,
        rows: Sequence[int] | _Rows = (),
        columns: Collection[int] = (),
        cells: Mapping[tuple[int, int], str] | None = None,
    ) -> None:
        below = table if type(table) is TableView else None
        self.base: Table = table if below is None else below.base
        self.cells: dict[tuple[int, int], str] = {**(below.cells if below else {}), **(cells or {})}
        self.columns: frozenset[int] = frozenset(columns) | (below.columns if below else frozenset())
        self.left_out: _Mask = np.zeros(table.n_rows, bool) if below is None else below.left_out.copy()
        self.left_out[np.asarray(rows, np.intp)] = True
        self.source, self.n_rows, self.n_columns = table.source, table.n_rows, table.n_columns
        self.sheet_info = None if table.sheet_info is None else self._info(table.sheet_info)

    def read_ahead(self, texts: Sequence[int], numbers: Sequence[int]) -> None:
        """Read columns of the table below in one pass, where it can."""
        if isinstance(self.base, PrefetchTable):
            self.base.read_ahead(texts, numbers)

    def row(self, i: int) -> list[str]:
        """Return the texts of row ``i``."""
        if self.left_out[i]:
            return [""] * self.n_columns
        return [self._shown(i, j, text) for j, text in enumerate(self.base.row(i))]

    def text(self, i: int, j: int) -> str:
        """Return the text of one cell."""
        return "" if self.left_out[i] else self._shown(i, j, self.base.text(i, j))

    def texts(self, j: int, start: int = 0) -> Sequence[str]:
        """Return the texts of column ``j`` from row ``start`` on."""
        if j in self.columns:
            return [""] * (self.n_rows - start)
        texts = list(self.base.texts(j, start))
        for i, text in self._replaced(j, start):
            texts[i - start] = text
        for i in np.flatnonzero(self.left_out[start:]).tolist():
            texts[i] = ""
        return texts

    def numbers(self, columns: Sequence[int], start: int = 0) -> list[ColumnNumbers]:
        """Read columns as numbers from row ``start`` on; hidden cells are blank."""
        read = self.base.numbers(columns, start)
        return [self._shown_numbers(j, start, numbers) for j, numbers in zip(columns, read, strict=True)]

    def is_typed(self, j: int, start: int = 0) -> _Mask:
        """Return which cells are typed numbers of the file and shown: (n_rows - start,)."""
        typed: _Mask = self.base.is_typed(j, start) & ~self.left_out[start:] & (j not in self.columns)
        for i, _ in self._replaced(j, start):
            typed[i - start] = False
        return typed

    def place(self, i: int, j: int | None = None, column: str = "") -> Place:
        """Return the address of a row or of a cell in the underlying table."""
        return self.base.place(i, j, column)

    def edit_of_base(self, filling: TableEdit) -> TableEdit:
        """Convert an edit of the columns of this view to one of the columns of the table below."""
        return filling

    def _shown(self, i: int, j: int, text: str) -> str:
        """Return the text that a cell shows, without regard to its row."""
        return "" if j in self.columns else self.cells.get((i, j), text)

    def _replaced(self, j: int, start: int) -> list[tuple[int, str]]:
        """Return the cells of a column with another text, as row and text."""
        return [(i, text) for (i, column), text in self.cells.items() if column == j and i >= start]

    def _shown_numbers(self, j: int, start: int, read: ColumnNumbers) -> ColumnNumbers:
        """Return a copy of the numbers of a column as the view shows them."""
        values, states = read.values.copy(), read.states.copy()
        for i, text in self._replaced(j, start):
            values[i - start], states[i - start] = np.nan, TEXT if text else BLANK
        hidden = self.left_out[start:] | (j in self.columns)
        values[hidden], states[hidden] = np.nan, BLANK
        return ColumnNumbers(values, states)

    def _info(self, info: SheetInfo) -> SheetInfo:
        """Return the sheet information of the cells that are shown."""
        shown = ~self.left_out
        here = {spot: code for spot, code in info.number_formats.items() if self._is_shown(spot)}
        return replace(
            info,
            outline=None if info.outline is None else np.where(shown, info.outline, 0).astype(np.uint8),
            indent={
                j: np.where(shown, steps, 0).astype(np.uint8)
                for j, steps in info.indent.items()
                if j not in self.columns
            },
            formulas=frozenset(filter(self._is_shown, info.formulas)),
            number_formats=here,
            dates=frozenset(filter(self._is_shown, info.dates)),
        )

    def _is_shown(self, spot: tuple[int, int]) -> bool:
        """Return whether neither row nor column of a cell is left out."""
        return spot[1] not in self.columns and not self.left_out[spot[0]]


class EditedTable(TableView):
    """A table with typed numbers ``{(row, column): number}`` in place of some cells."""

    def __init__(self, table: Table, values: Mapping[tuple[int, int], float]) -> None:
        super().__init__(table, cells={spot: typed_value_text(float(value)) for spot, value in values.items()})
        self.values = values

    def is_typed(self, j: int, start: int = 0) -> _Mask:
        """Return which cells are typed numbers, edited ones included: (n_rows - start,)."""
        typed = super().is_typed(j, start)
        for i, _ in self._edited(j, start):
            typed[i] = True
        return typed

    def _edited(self, j: int, start: int) -> list[tuple[int, float]]:
        """Return the edited cells of a column, as row from the first one requested and number."""
        return [(i - start, value) for (i, column), value in self.values.items() if column == j and i >= start]

    def _shown_numbers(self, j: int, start: int, read: ColumnNumbers) -> ColumnNumbers:
        """Return the numbers of a column with the edited ones."""
        shown = super()._shown_numbers(j, start, read)
        for i, value in self._edited(j, start):
            shown.values[i], shown.states[i] = value, NUMBER
        return shown


def row_reference(table: Table, row: int) -> str:
    """Name a row by place, such as ``row:12``."""
    place = table.place(row)
    return f"row:{place.line or place.row or row + 1}"


def file_table(table: Table) -> Table:
    """Return the table of the file under all views of it."""
    while isinstance(table, TableView):
        table = table.base
    return table


def edit_of_file(table: Table, filling: TableEdit) -> TableEdit:
    """Convert an edit of the columns that a view shows to one of the columns of the file."""
    while isinstance(table, TableView):
        filling, table = table.edit_of_base(filling), table.base
    return filling


def edit_with_file_names(table: Table, filling: TableEdit) -> TableEdit:
    """Shorten new headers of an edit to those of the file: ``CG X [m]`` is ``X [m]`` where a view shows X as CG X."""
    if not isinstance(table, TableView) or not filling.renames:
        return filling
    row, renames = filling.header_row, dict(filling.renames)
    for j, text in renames.items():
        before = table.cells.get((row, j), "").removesuffix(table.base.text(row, j).strip())
        renames[j] = text.removeprefix(before).strip()
    return replace(filling, renames=renames)
