"""Workbooks read: xlsx by calamine and our own event reader, the other formats by theirs."""

from __future__ import annotations

import datetime
import io
import re
import zipfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files import options as file_options, table
from massprops_cli.files.workbook import cells as sheet_cells, xlsx_scan
from massprops_cli.files.workbook.package import SheetEntry, read_package
from massprops_cli.files.workbook.styles import read_styles
from massprops_cli.findings.finding import Findings, Place, TableError, rule_finding

if TYPE_CHECKING:
    from massprops_cli.files.workbook.ods import OdsWorkbook
    from massprops_cli.files.workbook.xls import CalamineWorkbook

_MOMENTS = (datetime.date, datetime.time, datetime.timedelta)
_LARGE_SHEET = 2**28  # bytes from which on cells are counted before the sheet is in memory
_SAMPLE = 100  # rows that show how long numbers are
_CHUNK = 2**20  # bytes of a sheet that are parsed together
_SHORT_NUMBER = 7  # most characters of a column of item numbers, such as 1.1
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
_MEANINGFUL_FORMAT = re.compile(r"%|[0#?],+(?![0#?,])|\"[^\"]*[^\W\d_][^\"]*\"|\\\\[^\W\d_]")
"""Formats that show a number in percent, in thousands, or letters with it, which may be a unit."""
_STRING_END = re.compile(rb"</(?:[^<>\s]*:)?si\s*>")  # </si>, the end of a shared string
_STRINGS_HEAD = re.compile(rb"\A\s*(?:<\?xml[^>]*>)?\s*<[^>]*>")  # up to <sst …>, longer than most strings
_SHARED_INDEX = re.compile(rb"""\bt=["']s["'][^>]*>\s*<(?:\w+:)?v[^>]*>\s*(\d+)""")
"""The number of the shared string of a cell."""
_PLAIN_DECIMALS = re.compile(r"@|0(\.0+)?(_.|;.*)*")  # @, 0, 0.00, 0.0_);-0.0
_WORKBOOK_FORMATS = ("xlsx", "xlsm", "xls", "xlsb", "ods")
_Workbook: TypeAlias = "CalamineWorkbook | OdsWorkbook | _XlsxWorkbook"
_CFB_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED_STREAM = "EncryptedPackage".encode("utf-16-le")


class _XlsxWorkbook:
    """An open xlsx or xlsm workbook."""

    def __init__(self, name: str, data: Path | bytes, caps: file_options.ReadCaps) -> None:
        self.name, self.caps = name, caps
        self.archive: file_options.Archive = file_options.open_archive(name, data, caps)
        try:
            self.entries, self._strings_part, self._styles_part, self._date1904 = read_package(self.archive)
            self.styles: sheet_cells.CellFormats = read_styles(self.archive, self._styles_part)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the file of the workbook."""
        self.archive.close()

    def peek(self, entry: SheetEntry) -> list[list[str]]:
        """Return the texts of the first rows with a value, at most as wide as the table."""
        if entry.part not in self.archive:
            return []
        reader = self._elements(entry, most_rows=sheet_cells.PEEKED_ROWS)
        return sheet_cells.head_texts(xlsx_scan.read_elements(reader, self.archive.chunks(entry.part)).cells)

    def sheet(self, entry: SheetEntry) -> sheet_cells.SheetContent:
        """Read one worksheet."""
        if entry.part not in self.archive:
            raise file_options.rejection_error("MP104", f"sheet {entry.name!r} has no part in the archive", self.name)
        if self.archive.size(entry.part) > _LARGE_SHEET:
            self._count_cells(entry)
        data = self.archive.read(entry.part)
        file_options.reject_document_type(self.name, entry.part, data)
        if (cells := xlsx_scan.read_cell_index(data)) is None:
            return self._by_elements(entry, data)
        self._check_shared_strings(entry, cells)
        if len(cells.starts) > self.caps.cells:
            what = f"sheet has {len(cells.starts)} cells"
            raise file_options.cap_error(self.name, what, "cells", self.caps.cells, entry.name, len(cells.starts))
        extent = cells.extent()
        area = (extent[2] - extent[0] + 1) * (extent[3] - extent[1] + 1) if extent else 0
        if not sheet_cells.is_dense_grid(area, len(cells.starts), self.caps):
            return self._by_elements(entry, data)
        return self._by_calamine(entry, cells) or self._by_elements(entry, data)

    def _check_shared_strings(self, entry: SheetEntry, cells: xlsx_scan.CellIndex) -> None:
        """Count the characters of all cells before the shared strings are repeated in them."""
        member = self._strings_part
        size = self.archive.size(member) if member in self.archive else 0
        longest = size if size <= self.caps.cell_characters else self._longest_string(member, size)
        if longest <= self.caps.cell_characters and longest * len(cells.starts) <= self.caps.characters:
            return
        lengths = np.array([*map(len, self.strings), 0], np.int64)
        if lengths.max() <= self.caps.cell_characters and lengths.max() * len(cells.starts) <= self.caps.characters:
            return
        stated = [int(text[-9:]) for text in _SHARED_INDEX.findall(cells.data)]
        used = lengths[np.minimum(np.array(stated, np.int64), len(lengths) - 1)]
        file_options.check_texts(self.name, entry.name, int(used.max(initial=0)), int(used.sum()), self.caps)

    def _longest_string(self, member: str, size: int) -> int:
        """Return a number of bytes that no shared string exceeds, without parsing them."""
        data = b"".join(self.archive.chunks(member))
        if b"<!" in data or data.count(b"<?") > 1:  # a comment, and the like, may contain what looks like an end
            return size
        return max(map(len, _STRING_END.split(_STRINGS_HEAD.sub(b"", data, count=1))))

    def _by_calamine(self, entry: SheetEntry, cells: xlsx_scan.CellIndex) -> sheet_cells.SheetContent | None:
        """Read a sheet with calamine while its facts are scanned; None if calamine rejects it."""
        meaningful = frozenset(k for k, code in self.styles.formats.items() if _MEANINGFUL_FORMAT.search(code))
        styled = frozenset(self.styles.indents) | self.styles.struck | self.styles.computed | meaningful
        # calamine lets other threads run while it reads
        with ThreadPoolExecutor(1) as aside:
            scanned = aside.submit(xlsx_scan.scan_sheet, cells, styled)
            read = self._values(cells.data)
        if read is None:
            return None
        rows, top, left = read
        facts = scanned.result()
        if self.styles.dates or xlsx_scan.has_bytes(cells.data, b't="d"', b"d", 0, len(cells.data)):
            facts.dates = [
                (top + i, left + j) for i, row in enumerate(rows) for j, v in enumerate(row) if isinstance(v, _MOMENTS)
            ]
            rows = [
                [v if type(v) in (str, float, bool) else sheet_cells.plain_cell_value(v) or "" for v in row]
                for row in rows
            ]
        for row, column, shown in facts.errors:
            if 0 <= row - top < len(rows) and 0 <= column - left < len(rows[row - top]):
                rows[row - top][column - left] = shown
        formats = frozenset(k for k, code in self.styles.formats.items() if _PLAIN_DECIMALS.fullmatch(code))
        short = frozenset(left + j for j in _short_columns(rows))
        if formats and short:
            facts.styles = xlsx_scan.scan_styles(cells, formats, short) | facts.styles
        return facts.with_grid(rows, top, left)

    def _values(self, data: bytes) -> tuple[list[list[table.Value]], int, int] | None:
        """Return calamine's rows and their corner in the sheet; None if it rejects the sheet."""
        from python_calamine import CalamineError, CalamineWorkbook

        try:
            sheet = CalamineWorkbook.from_filelike(self._small_archive(data)).get_sheet_by_index(0)
            start = sheet.start
            rows: list[list[Any]] = sheet.to_python()
            return (rows, *start) if start else ([], 0, 0)
        except CalamineError:
            return None
        except BaseException as error:
            # a panic of the library under calamine is not an Exception; the element reader then reports the fault
            if type(error).__name__ != "PanicException":
                raise
            return None

    def _small_archive(self, sheet: bytes) -> io.BytesIO:
        """Return an uncompressed workbook of one sheet, the shared strings and the styles."""
        out = io.BytesIO()
        epoch = "1" if self._date1904 else "0"
        kinds = ["worksheet", "sharedStrings", "styles"]
        targets = ["sheet1.xml", "sharedStrings.xml", "styles.xml"]
        relations = "".join(
            f'<Relationship Id="rId{i}" Type="{_RELATIONS}/{kind}" Target="{target}"/>'
            for i, (kind, target) in enumerate(zip(kinds, targets, strict=True), 1)
        )
        main = f'<Relationship Id="rId1" Type="{_RELATIONS}/officeDocument" Target="xl/workbook.xml"/>'
        workbook = f'<workbook xmlns="{_MAIN}" xmlns:r="{_RELATIONS}"><workbookPr date1904="{epoch}"/>'
        workbook += '<sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>'
        parts: list[tuple[str, str | bytes]] = [
            ("_rels/.rels", f'<Relationships xmlns="{_PACKAGE}">{main}</Relationships>'),
            ("xl/workbook.xml", workbook),
            ("xl/_rels/workbook.xml.rels", f'<Relationships xmlns="{_PACKAGE}">{relations}</Relationships>'),
            ("xl/sheet1.xml", sheet),
            ("xl/sharedStrings.xml", self._part(self._strings_part) or f'<sst xmlns="{_MAIN}"/>'),
            ("xl/styles.xml", self._part(self._styles_part) or f'<styleSheet xmlns="{_MAIN}"/>'),
        ]
        with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
            for name, content in parts:
                archive.writestr(name, content)
        out.seek(0)
        return out

    def _part(self, member: str) -> bytes:
        """Return a part without a document type; empty if it is missing."""
        if member not in self.archive:
            return b""
        data = self.archive.read(member)
        file_options.reject_document_type(self.name, member, data)
        return data

    def _by_elements(self, entry: SheetEntry, data: bytes) -> sheet_cells.SheetContent:
        """Read a sheet with the element reader."""
        chunks = (data[at : at + _CHUNK] for at in range(0, len(data), _CHUNK))
        reader = xlsx_scan.read_elements(self._elements(entry), chunks)
        return sheet_cells.cell_grid(self.name, entry.name, reader.cells, reader.facts, self.caps)

    def _elements(self, entry: SheetEntry, most_rows: int | None = None) -> xlsx_scan.SheetElements:
        """Return an element reader for a sheet, or for its first rows."""
        return xlsx_scan.SheetElements(self.name, entry.part, self.strings, self.styles, self._date1904, most_rows)

    @cached_property
    def strings(self) -> list[str]:
        """The shared strings, read at their first use."""
        if (member := self._strings_part) not in self.archive:
            return []
        return xlsx_scan.read_shared_strings(self.name, member, self.archive.chunks(member))

    def _count_cells(self, entry: SheetEntry) -> None:
        """Reject a sheet over the limit of cells before it is read into memory."""
        number, rest = 0, b""
        for chunk in self.archive.chunks(entry.part):
            block = rest + chunk
            number += sum(block.count(opening) for opening in (b"<c ", b":c ", b"<c>", b"<c/"))
            rest = block[-2:]
            if number > self.caps.cells:
                raise file_options.cap_error(
                    self.name, f"sheet has more than {self.caps.cells} cells", "cells", self.caps.cells, entry.name
                )


def _short_columns(rows: list[list[table.Value]]) -> list[int]:
    """Return the columns with short numbers, which can be item numbers that lost a zero."""
    longest: dict[int, int] = {}
    for row in rows[:_SAMPLE]:
        for j, value in enumerate(row):
            if type(value) is float:
                longest[j] = max(longest.get(j, 0), len(repr(value).removesuffix(".0")))
    return [j for j, length in longest.items() if length <= _SHORT_NUMBER]


class _WorksheetTable(table.GridTable):
    """Table of one worksheet; ``_sheet_info`` has the position of its corner."""

    @cached_property
    def _numbers(self) -> tuple[NDArray[np.float64], NDArray[np.uint8]]:
        """Typed numbers, NaN where a cell is none, and the states of all cells: (n_rows, n_columns) each."""
        # cells are visited row by row, the order in which they were made and are fastest to reach
        cells, number, blank, text = [*chain.from_iterable(self.rows)], table.NUMBER, table.BLANK, table.TEXT
        kinds = bytes([number if type(v) is float else blank if v is None or v == "" else text for v in cells])
        states = np.frombuffer(kinds, np.uint8)
        values = np.full(len(states), np.nan)
        values[states == number] = [v for v in cells if type(v) is float]
        shape = self.n_rows, self.n_columns
        return values.reshape(shape), states.reshape(shape)

    def one_column(self, j: int, start: int) -> table.ColumnNumbers:
        """Read one column as numbers; texts are left open."""
        values, states = (every[start:, j] for every in self._numbers)
        unknown = ~np.isfinite(values)
        shown = np.where(unknown & (states == table.NUMBER), table.TEXT, states).astype(np.uint8)
        return table.ColumnNumbers(np.where(unknown, np.nan, values), shown)

    def is_typed(self, j: int, start: int = 0) -> NDArray[np.bool_]:
        """Return which cells are typed numbers: (n_rows - start,)."""
        typed: NDArray[np.bool_] = self._numbers[1][start:, j] == table.NUMBER
        return typed

    def place(self, i: int, j: int | None = None, column: str = "") -> Place:
        """Return the address of a row or of a cell as the spreadsheet shows it."""
        info = self.sheet_info or table.SheetInfo()
        row = i + info.first_row
        cell = "" if j is None else sheet_cells.cell_address(row, j + info.first_column)
        return Place(self.source.name, self.source.sheet, row=row + 1, column=column, cell=cell)


def _sheet_info(
    content: sheet_cells.SheetContent, styles: sheet_cells.CellFormats
) -> tuple[table.SheetInfo, list[int]]:
    """Convert the facts to rows and columns of the grid; also return the sheet rows with struck-out cells."""
    top, left = content.first_row, content.first_column
    n_rows = len(content.rows)
    width = len(content.rows[0]) if content.rows else 0
    outline = np.zeros(n_rows, np.uint8)
    for row, level in content.outline.items():
        if 0 <= row - top < n_rows:
            outline[row - top] = level
    indent: dict[int, NDArray[np.uint8]] = {}
    formats: dict[tuple[int, int], str] = {}
    struck, computed = set(), set()
    for (row, column), style in content.styles.items():
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
    info = table.SheetInfo(
        top,
        left,
        outline if outline.any() else None,
        indent,
        _rows_inside(content.hidden_rows, top, n_rows),
        _rows_inside(sorted(struck), top, n_rows),
        frozenset((r - top, c - left) for r, c in content.formulas if 0 <= r - top < n_rows and 0 <= c - left < width),
        formats,
        content.summary_below,
        frozenset((r - top, c - left) for r, c in content.dates),
        tuple((a - top, b - left, c - top, d - left) for a, b, c, d in content.merges),
        frozenset(computed),
    )
    return info, sorted(struck)


def _check_cell_characters(content: sheet_cells.SheetContent, place: Place, cap: int) -> None:
    """Reject a sheet with a text over the limit of characters."""
    rows = content.rows
    found = [(i, j) for i, row in enumerate(rows) for j, v in enumerate(row) if type(v) is str and len(v) > cap]
    if not found:
        return
    lengths = [len(str(rows[i][j])) for i, j in found]
    row, column = found[0][0] + content.first_row, found[0][1] + content.first_column
    place = replace(place, row=row + 1, cell=sheet_cells.cell_address(row, column))
    message = f"cell has {lengths[0]:,} characters (at most {cap:,})"
    raise TableError(
        [replace(file_options.cap_finding(message, place, "cell-characters", max(lengths)), count=len(found))]
    )


def _rows_inside(rows: list[int], top: int, n_rows: int) -> NDArray[np.intp] | None:
    """Return the rows within a grid, ascending, (k,) from its top; None if there is none."""
    inside = sorted({row - top for row in rows if 0 <= row - top < n_rows})
    return np.array(inside, np.intp) if inside else None


def read_workbook(
    name: str,
    data: Path | bytes,
    format: str,
    options: file_options.FileOptions,
    looks_like_table: sheet_cells.LooksLikeTable | None,
    findings: Findings,
) -> table.Table:
    """Read the table of a workbook, and report hidden, merged and missing content."""
    start = len(findings)
    with closing(_open_workbook(name, data, format, options.caps)) as workbook:
        entry = sheet_cells.choose_sheet(
            name, workbook.entries, options.sheet, workbook.peek, looks_like_table, findings
        )
        content, styles = workbook.sheet(entry), workbook.styles
    info, struck = _sheet_info(content, styles)
    _check_cell_characters(content, Place(name, sheet=entry.name), options.caps.cell_characters)
    sheet_cells.report_sheet_contents(Place(name, sheet=entry.name), content, struck, findings)
    if not content.rows:
        empty = rule_finding("MP111", f"sheet {entry.name!r} is empty", Place(name, sheet=entry.name))
        raise TableError([*findings[start:], empty])
    held = data if isinstance(data, bytes) and format in ("xlsx", "xlsm") else None
    return _WorksheetTable(table.TableSource(name, format, sheet=entry.name, content=held), content.rows, info)


def read_constants(name: str, data: Path | bytes, sheet: str) -> dict[int, dict[int, table.Value]] | None:
    """Return the cells of a sheet by column and row; None if it cannot be read."""
    try:
        with closing(_open_workbook(name, data, "xlsx", file_options.ReadCaps())) as book:
            content = book.sheet(next(entry for entry in book.entries if entry.name.lower() == sheet))
    except TableError:
        return None
    unknown = {(row, column) for row, column, _ in content.errors}.union(content.dates)
    columns: dict[int, dict[int, table.Value]] = {}
    for row, cells in enumerate(content.rows, content.first_row):
        for column, value in enumerate(cells, content.first_column):
            if value not in (None, ""):
                is_known = not isinstance(value, bool) and (row, column) not in unknown
                columns.setdefault(column, {})[row] = value if is_known else None
    return columns


def _open_workbook(name: str, data: Path | bytes, format: str, caps: file_options.ReadCaps) -> _Workbook:
    """Open a checked workbook; raises TableError if it is encrypted, damaged, unsafe or exceeds a limit."""
    with file_options.open_stream(name, data) as stream:
        head = stream.read(8)
    if head == _CFB_MAGIC and format != "xls":
        if _ENCRYPTED_STREAM in (data if isinstance(data, bytes) else data.read_bytes()):
            raise file_options.rejection_error("MP102", "workbook is encrypted", name)
        raise file_options.rejection_error("MP104", f"file is an xls workbook, not {format}", name)
    return _workbook_opener(format)(name, data, caps)


def _workbook_opener(format: str) -> Callable[[str, Path | bytes, file_options.ReadCaps], _Workbook]:
    """Return the class that reads a format; only its module is loaded."""
    if format in ("xls", "xlsb"):
        from massprops_cli.files.workbook.xls import CalamineWorkbook

        return CalamineWorkbook
    if format == "ods":
        from massprops_cli.files.workbook.ods import OdsWorkbook

        return OdsWorkbook

    return _XlsxWorkbook
