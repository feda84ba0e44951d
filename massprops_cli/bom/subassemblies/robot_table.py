"""A table that shows the links of robots below its own rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files import table as tables
from massprops_cli.findings.finding import Place


class RobotTable(tables.TableView):
    """A table with the links of robots in rows below its own, and columns of their poses to the right."""

    def __init__(self, table: tables.Table, names: Sequence[str], header_row: int) -> None:
        self.base: tables.Table = table
        self.source, self.sheet_info = table.source, table.sheet_info
        self.cells: dict[tuple[int, int], str] = {}  # of added columns, in rows of the table itself
        self.columns: frozenset[int] = frozenset()
        self.left_out = table.left_out if isinstance(table, tables.TableView) else np.zeros(table.n_rows, bool)
        self.last, self.width = table.n_rows, table.n_columns
        self.names, self.header_row = tuple(names), header_row
        self.n_rows, self.n_columns = table.n_rows, table.n_columns + len(names)
        self.links: list[
            tuple[dict[int, tables.Value], tables.Table, int]
        ] = []  # cells by column, and the row in a robot's table
        self.robot_cells: list[tuple[int, int]] = []  # that name a robot that is read
        self.reported: set[str] = set()  # ids of items whose missing mass has a cause that is reported

    def add(self, cells: dict[int, tables.Value], robot: tables.Table, row: int) -> None:
        """Add a row of a robot."""
        self.links.append((cells, robot, row))
        self.n_rows += 1
        if (info := self.sheet_info) is not None:
            outline = None if info.outline is None else np.append(info.outline, np.uint8(0))
            indent = {j: np.append(levels, np.uint8(0)) for j, levels in info.indent.items()}
            self.sheet_info = replace(info, outline=outline, indent=indent)

    def row(self, i: int) -> list[str]:
        """Return the texts of row ``i``."""
        return [self.text(i, j) for j in range(self.n_columns)]

    def text(self, i: int, j: int) -> str:
        """Return the text of one cell."""
        if i >= self.last:
            return tables.typed_value_text(self.links[i - self.last][0].get(j, ""))
        if j < self.width:
            return self.base.text(i, j)
        return self.names[j - self.width] if i == self.header_row else self.cells.get((i, j), "")

    def texts(self, j: int, start: int = 0) -> Sequence[str]:
        """Return the texts of column ``j`` from row ``start`` on."""
        added = [self.text(i, j) for i in range(max(start, self.last), self.n_rows)]
        if j < self.width:
            return [*self.base.texts(j, start), *added]
        return [*(self.text(i, j) for i in range(start, self.last)), *added]

    def numbers(self, columns: Sequence[int], start: int = 0) -> list[tables.ColumnNumbers]:
        """Read columns as numbers from row ``start`` on; those of robots are numbers whatever the rules of a column."""
        own = [j for j in columns if j < self.width]
        below = dict(zip(own, self.base.numbers(own, start), strict=True))
        blank = np.full(self.last - start, np.nan), np.full(self.last - start, tables.BLANK, np.uint8)
        result = []
        for j in columns:
            values, states = below.get(j, blank)
            cells = [cells.get(j, "") for cells, _, _ in self.links]
            given = [float(cell) if isinstance(cell, float) else np.nan for cell in cells]
            kinds = [
                tables.NUMBER if isinstance(cell, float) else tables.TEXT if cell else tables.BLANK for cell in cells
            ]
            result.append(tables.ColumnNumbers(np.append(values, given), np.append(states, np.array(kinds, np.uint8))))
        return result

    def is_typed(self, j: int, start: int = 0) -> NDArray[np.bool_]:
        """Return which cells are typed numbers: (n_rows - start,)."""
        own = self.base.is_typed(j, start) if j < self.width else np.zeros(self.last - start, bool)
        return np.append(own, [isinstance(cells.get(j), float) for cells, _, _ in self.links]).astype(bool)

    def place(self, i: int, j: int | None = None, column: str = "") -> Place:
        """Return the address of a row or of a cell; that of a link is in the file of its robot."""
        if i >= self.last:
            _, robot, row = self.links[i - self.last]
            return robot.place(row, None, column)
        return self.base.place(i, j, column) if j is None or j < self.width else self.base.place(i)

    def edit_of_base(self, filling: tables.TableEdit) -> tables.TableEdit:
        """Leave out the rows of links, and added columns: the file keeps its own."""
        fills: list[tables.ColumnEdit] = []
        for fill in filling.fills:
            rows, values = self._own_part(fill)
            if fill.column < self.width and len(rows):
                fills.append(tables.ColumnEdit(fill.column, rows, values))
        added = [tables.AddedColumn(one.name, *self._own_part(one)) for one in filling.added]
        return replace(filling, fills=tuple(fills), added=tuple(added))

    def _own_part(self, edit: tables.ColumnEdit | tables.AddedColumn) -> tuple[NDArray[np.intp], tables.Values]:
        """Return the rows and values of an edit without those of links; rows added to this table come after its own."""
        own = (edit.rows < self.last) | (edit.rows >= self.n_rows)
        rows = np.where(edit.rows < self.last, edit.rows, edit.rows - len(self.links))[own]
        values = edit.values
        if isinstance(values, np.ndarray):
            return rows, values[own]
        return rows, [value for value, is_own in zip(values, own.tolist(), strict=True) if is_own]
