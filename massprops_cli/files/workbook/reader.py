"""Read the table of a workbook: xlsx, xlsm, xls, xlsb and ods, each behind the guard.

A worksheet as a Table: values in memory, addresses as the spreadsheet shows them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.options import FileOptions, ReadCaps, cap_finding, rejection_error
from massprops_cli.files.table import (
    BLANK,
    NUMBER,
    TEXT,
    ColumnNumbers,
    GridTable,
    SheetInfo,
    Table,
    TableSource,
    Value,
)
from massprops_cli.files.workbook.cells import (
    LooksLikeTable,
    SheetContent,
    cell_address,
    choose_sheet,
    report_sheet_contents,
)
from massprops_cli.files.workbook.package import SheetEntry
from massprops_cli.files.workbook.styles import CellFormats
from massprops_cli.findings.finding import Findings, Place, TableError, rule_finding


class _WorksheetTable(GridTable):
    """Table of one worksheet; ``_sheet_info`` has the position of its corner."""

    def __init__(self, source: TableSource, rows: Sequence[Sequence[Value]], sheet_info: SheetInfo | None) -> None:
        super().__init__(source, rows, sheet_info)
        self._typed: dict[int, NDArray[np.bool_]] = {}

    def one_column(self, j: int, start: int) -> ColumnNumbers:
        """Read one column as numbers; texts are left open."""
        column = [row[j] for row in self.rows[start:]]
        typed = self.is_typed(j, start)
        values = np.full(len(column), np.nan)
        values[typed] = column if typed.all() else [v for v in column if type(v) is float]
        finite = np.isfinite(values)
        states = np.where(finite, NUMBER, TEXT).astype(np.uint8)
        rest = np.flatnonzero(~typed)
        states[[k for k in rest.tolist() if column[k] is None or column[k] == ""]] = BLANK
        return ColumnNumbers(np.where(finite, values, np.nan), states)

    def is_typed(self, j: int, start: int = 0) -> NDArray[np.bool_]:
        """Return which cells are typed numbers: (n_rows - start,)."""
        if j not in self._typed:  # a column is read for several questions
            self._typed[j] = np.array([type(row[j]) is float for row in self.rows], bool)
        return self._typed[j][start:]

    def place(self, i: int, j: int | None = None, column: str = "") -> Place:
        """Return the address of a row or of a cell as the spreadsheet shows it."""
        info = self.sheet_info or SheetInfo()
        row = i + info.first_row
        cell = "" if j is None else cell_address(row, j + info.first_column)
        return Place(self.source.name, self.source.sheet, row=row + 1, column=column, cell=cell)


def _sheet_info(content: SheetContent, styles: CellFormats) -> tuple[SheetInfo, list[int]]:
    """Convert the facts to rows and columns of the grid; also return the sheet rows with struck-out cells."""
    facts, top, left = content.facts, content.first_row, content.first_column
    n_rows = len(content.rows)
    width = len(content.rows[0]) if content.rows else 0
    outline = np.zeros(n_rows, np.uint8)
    for row, level in facts.outline.items():
        if 0 <= row - top < n_rows:
            outline[row - top] = level
    indent: dict[int, NDArray[np.uint8]] = {}
    formats: dict[tuple[int, int], str] = {}
    struck, computed = set(), set()
    for (row, column), style in facts.styles.items():
        i, j = row - top, column - left
        if not (0 <= i < n_rows and 0 <= j < width) or content.rows[i][j] in ("", None):
            continue
        if style in styles.indents:
            indent.setdefault(j, np.zeros(n_rows, np.uint8))[i] = styles.indents[style]
        if style in styles.struck:
            struck.add(row)
        if style in styles.computed:
            computed.add((i, j))
        if style in styles.formats and type(content.rows[i][j]) is float:
            formats[i, j] = styles.formats[style]
    info = SheetInfo(
        top,
        left,
        outline if outline.any() else None,
        indent,
        _rows_inside(facts.hidden_rows, top, n_rows),
        _rows_inside(sorted(struck), top, n_rows),
        frozenset((r - top, c - left) for r, c in facts.formulas if 0 <= r - top < n_rows and 0 <= c - left < width),
        formats,
        facts.summary_below,
        frozenset((r - top, c - left) for r, c in facts.dates),
        tuple((a - top, b - left, c - top, d - left) for a, b, c, d in facts.merges),
        frozenset(computed),
    )
    return info, sorted(struck)


def _check_cell_characters(content: SheetContent, place: Place, cap: int) -> None:
    """Reject a sheet with a text over the limit of characters."""
    rows = content.rows
    found = [(i, j) for i, row in enumerate(rows) for j, v in enumerate(row) if type(v) is str and len(v) > cap]
    if not found:
        return
    lengths = [len(str(rows[i][j])) for i, j in found]
    row, column = found[0][0] + content.first_row, found[0][1] + content.first_column
    place = replace(place, row=row + 1, cell=cell_address(row, column))
    message = f"cell has {lengths[0]:,} characters (at most {cap:,})"
    finding = cap_finding(message, place, "cell-characters", max(lengths))
    raise TableError([replace(finding, count=len(found))])


def _rows_inside(rows: list[int], top: int, n_rows: int) -> NDArray[np.intp] | None:
    """Return the rows within a grid, ascending, (k,) from its top; None if there is none."""
    inside = sorted({row - top for row in rows if 0 <= row - top < n_rows})
    return np.array(inside, np.intp) if inside else None


_WORKBOOK_FORMATS = ("xlsx", "xlsm", "xls", "xlsb", "ods")

_CFB_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED_STREAM = "EncryptedPackage".encode("utf-16-le")


class _Workbook(Protocol):
    """An open workbook of any format."""

    @property
    def entries(self) -> list[SheetEntry]:
        """All sheets in the workbook's order."""
        ...

    @property
    def styles(self) -> CellFormats:
        """Properties of the cell formats."""
        ...

    def peek(self, entry: SheetEntry) -> list[list[str]]:
        """Return the texts of a sheet's first rows that are not blank."""
        ...

    def sheet(self, entry: SheetEntry) -> SheetContent:
        """Read one worksheet."""
        ...

    def close(self) -> None:
        """Close the file."""
        ...


def read_workbook(
    name: str,
    data: Path | bytes,
    format: str,
    options: FileOptions,
    looks_like_table: LooksLikeTable | None,
    findings: Findings,
) -> Table:
    """Read the table of a workbook, and report hidden, merged and missing content."""
    start = len(findings)
    with closing(_open_workbook(name, data, format, options.caps)) as workbook:
        entry = choose_sheet(name, workbook.entries, options.sheet, workbook.peek, looks_like_table, findings)
        content, styles = workbook.sheet(entry), workbook.styles
    info, struck = _sheet_info(content, styles)
    _check_cell_characters(content, Place(name, sheet=entry.name), options.caps.cell_characters)
    report_sheet_contents(Place(name, sheet=entry.name), content, struck, findings)
    if not content.rows:
        empty = rule_finding("MP111", f"sheet {entry.name!r} is empty", Place(name, sheet=entry.name))
        raise TableError([*findings[start:], empty])
    held = data if isinstance(data, bytes) and format in ("xlsx", "xlsm") else None
    source = TableSource(name, format, sheet=entry.name, content=held)
    return _WorksheetTable(source, content.rows, info)


def _sheet_names(name: str, data: Path | bytes, format: str, caps: ReadCaps | None = None) -> list[str]:
    """Return the names of all sheets in the workbook's order."""
    with closing(_open_workbook(name, data, format, caps or ReadCaps())) as workbook:
        return [entry.name for entry in workbook.entries]


def _open_workbook(name: str, data: Path | bytes, format: str, caps: ReadCaps) -> _Workbook:
    """Open a checked workbook; raises TableError if it is encrypted, damaged, unsafe or exceeds a limit."""
    head = _file_head(name, data)
    if head == _CFB_MAGIC and format != "xls":
        if _ENCRYPTED_STREAM in (data if isinstance(data, bytes) else data.read_bytes()):
            raise rejection_error("MP102", "workbook is encrypted", name)
        raise rejection_error("MP104", f"file is an xls workbook, not {format}", name)
    return _workbook_opener(format)(name, data, caps)


def _workbook_opener(format: str) -> Callable[[str, Path | bytes, ReadCaps], _Workbook]:
    """Return the class that reads a format; only its module is loaded."""
    if format in ("xls", "xlsb"):
        from massprops_cli.files.workbook.xls import CalamineWorkbook

        return CalamineWorkbook
    if format == "ods":
        from massprops_cli.files.workbook.ods import OdsWorkbook

        return OdsWorkbook
    from massprops_cli.files.workbook.xlsx import XlsxWorkbook

    return XlsxWorkbook


def _file_head(name: str, data: Path | bytes) -> bytes:
    """Return the first eight bytes; TableError if the file cannot be opened (MP101)."""
    if isinstance(data, bytes):
        return data[:8]
    try:
        with data.open("rb") as stream:
            return stream.read(8)
    except OSError as error:
        reason = (error.strerror or "unknown reason").lower()
        raise rejection_error("MP101", f"file cannot be opened: {reason}", name) from None
