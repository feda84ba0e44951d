"""A worksheet as a Table: values in memory, addresses as the spreadsheet shows them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.grid import GridTable
from massprops_cli.files.table import BLANK, NUMBER, TEXT, Numbers, SheetInfo
from massprops_cli.files.workbook.reading.content import SheetContent, address
from massprops_cli.files.workbook.reading.package import Styles
from massprops_cli.findings import Place


class WorksheetTable(GridTable):
    """The grid of one worksheet; ``sheet_info`` tells where its corner stands."""

    def one_column(self, j: int, start: int) -> Numbers:
        """Read one column as numbers; texts are left open."""
        column = [row[j] for row in self.rows[start:]]
        values = np.array([v if type(v) is float else np.nan for v in column], np.float64)
        finite = np.isfinite(values)
        blank = np.array([v is None or v == "" for v in column], bool)
        states = np.where(finite, NUMBER, np.where(blank, BLANK, TEXT)).astype(np.uint8)
        return Numbers(np.where(finite, values, np.nan), states)

    def is_typed(self, j: int, start: int = 0) -> NDArray[np.bool_]:
        """Tell which cells of column ``j`` are typed numbers."""
        return np.array([type(row[j]) is float for row in self.rows[start:]], bool)

    def place(self, i: int, j: int | None = None, column: str = "") -> Place:
        """Give the address of a row or of a cell as the spreadsheet shows it."""
        info = self.sheet_info or SheetInfo()
        row = i + info.first_row
        cell = "" if j is None else address(row, j + info.first_column)
        return Place(self.source.name, self.source.sheet, row=row + 1, column=column, cell=cell)


def sheet_info(content: SheetContent, styles: Styles) -> tuple[SheetInfo, list[int]]:
    """Put the facts into the grid's own rows and columns; also give the sheet rows that have struck-out cells."""
    facts, top, left = content.facts, content.first_row, content.first_column
    n_rows = len(content.rows)
    width = len(content.rows[0]) if content.rows else 0
    outline = None
    if facts.outline:
        outline = np.zeros(n_rows, np.uint8)
        for row, level in facts.outline.items():
            if 0 <= row - top < n_rows:
                outline[row - top] = level
        outline = outline if outline.any() else None
    indent: dict[int, NDArray[np.uint8]] = {}
    formats: dict[tuple[int, int], str] = {}
    struck = set()
    for (row, column), style in facts.styles.items():
        i, j = row - top, column - left
        if not (0 <= i < n_rows and 0 <= j < width) or content.rows[i][j] in ("", None):
            continue
        if style in styles.indents:
            indent.setdefault(j, np.zeros(n_rows, np.uint8))[i] = styles.indents[style]
        if style in styles.struck:
            struck.add(row)
        if style in styles.formats and type(content.rows[i][j]) is float:
            formats[i, j] = styles.formats[style]
    info = SheetInfo(
        top,
        left,
        outline,
        indent,
        _inside(facts.hidden_rows, top, n_rows),
        _inside(sorted(struck), top, n_rows),
        frozenset((r - top, c - left) for r, c in facts.formulas if 0 <= r - top < n_rows and 0 <= c - left < width),
        formats,
        facts.summary_below,
        frozenset((r - top, c - left) for r, c in facts.dates),
    )
    return info, sorted(struck)


def _inside(rows: list[int], top: int, n_rows: int) -> NDArray[np.intp] | None:
    inside = sorted({row - top for row in rows if 0 <= row - top < n_rows})
    return np.array(inside, np.intp) if inside else None
