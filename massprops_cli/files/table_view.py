"""A table seen without some of its rows and columns, and with some cells read as another text.

Nothing moves: what is left out is blank, and every other cell keeps its row, its column and its address. So places in
findings and rows of a filling mean the same in the view and in the table below it, and a writer that is given the
table below writes what the view does not show.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.table import BLANK, NUMBER, TEXT, ColumnNumbers, SheetInfo, Table, TableEdit, typed_value_text
from massprops_cli.findings.finding import Place

_Rows = NDArray[np.intp]
_Mask = NDArray[np.bool_]


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

    def row(self, i: int) -> list[str]:
        """Return the texts of row ``i``."""
        if self.left_out[i]:
            return [""] * self.n_columns
        texts = self.base.row(i)
        return [self._shown(i, j, text) for j, text in enumerate(texts)]

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
        for i in self._rows_from(start):
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

    def _rows_from(self, start: int) -> list[int]:
        """Return the rows left out, counted from the first one requested."""
        rows: list[int] = np.flatnonzero(self.left_out[start:]).tolist()
        return rows

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
    """Shorten the new header texts of an edit to those of the file.

    A header cell ``X`` that a view shows as ``CG X`` and an edit renames to ``CG X [m]`` is renamed to ``X [m]``.
    """
    if not isinstance(table, TableView) or not filling.renames:
        return filling
    row, renames = filling.header_row, dict(filling.renames)
    for j, text in renames.items():
        before = table.cells.get((row, j), "").removesuffix(table.base.text(row, j).strip())
        renames[j] = text.removeprefix(before).strip()
    return replace(filling, renames=renames)
