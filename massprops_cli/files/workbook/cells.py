"""Content of a worksheet: the cells, and the facts of the sheet in addition to their values.

Rows and columns count from 0 in the sheet here; ``A1`` is (0, 0).

From scattered cells to a dense grid: the table is kept, cells far outside it are left alone and named.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass, field

from massprops_cli.files.options import ReadCaps, cap_error, check_texts

Value = str | float | bool | None
"""A cell: text, number or truth value; a date or a time is ISO text; None is blank."""

CellRange = tuple[int, int, int, int]
"""First row, first column, last row, last column, both ends included."""


@dataclass(slots=True)
class SheetFacts:
    """Facts of a worksheet in addition to its values; cells are (row, column)."""

    errors: list[tuple[int, int, str]] = field(default_factory=list)  # row, column, text of a spreadsheet error
    formulas: list[tuple[int, int]] = field(default_factory=list)
    unsaved: list[tuple[int, int]] = field(default_factory=list)  # formulas without a saved value
    merges: list[CellRange] = field(default_factory=list)
    hidden_rows: list[int] = field(default_factory=list)
    hidden_columns: list[tuple[int, int]] = field(default_factory=list)  # first and last
    outline: dict[int, int] = field(default_factory=dict)  # level by row
    styles: dict[tuple[int, int], int] = field(default_factory=dict)  # numbers of the formats that matter
    stray: list[tuple[int, int]] = field(default_factory=list)  # cells far outside the table
    dates: list[tuple[int, int]] = field(default_factory=list)  # cells with a date or a time
    summary_below: bool | None = None


@dataclass(slots=True)
class SheetContent:
    """The dense grid of a worksheet, the position of its corner in the sheet, and its facts."""

    rows: list[list[Value]]
    first_row: int = 0
    first_column: int = 0
    facts: SheetFacts = field(default_factory=SheetFacts)


def cell_address(row: int, column: int) -> str:
    """Return the address of a cell."""
    return f"{column_letters(column)}{row + 1}"


def column_letters(column: int) -> str:
    """Return the letters of a column."""
    letters, left = "", column + 1
    while left:
        left, digit = divmod(left - 1, 26)
        letters = chr(65 + digit) + letters
    return letters


def cell_position(reference: str) -> tuple[int, int] | None:
    """Return the row and the column of an address."""
    bare = reference.replace("$", "")
    letters = bare.rstrip("0123456789")
    digits = bare[len(letters) :]
    if not letters.isascii() or not letters.isalpha() or len(letters) > 3 or not 0 < len(digits) < 8:
        return None
    column = 0
    for letter in letters.upper():
        column = column * 26 + ord(letter) - 64
    return (int(digits) - 1, column - 1) if digits != "0" else None


def cell_range(reference: str) -> CellRange | None:
    """Return the corners of a range such as ``A1:B2``, or of one cell."""
    first, _colon, last = reference.partition(":")
    start, end = cell_position(first), cell_position(last or first)
    return (*start, *end) if start and end else None


def date_text(serial: float, date1904: bool = False, elapsed: bool = False) -> str:
    """Return the ISO text of a date or a time of a spreadsheet."""
    milliseconds = round(serial * 86_400_000)
    if elapsed or milliseconds < 0:
        return _elapsed_text(datetime.timedelta(milliseconds=milliseconds))
    if serial < 1 and not date1904:
        return _moment_text(datetime.datetime(1899, 12, 30) + datetime.timedelta(milliseconds=milliseconds)).rpartition(
            "T"
        )[2]
    # the calendar of 1900 counts a 29 February that never was
    start = datetime.datetime(1904, 1, 1) if date1904 else datetime.datetime(1899, 12, 31 if serial < 60 else 30)
    try:
        moment = start + datetime.timedelta(milliseconds=milliseconds)
    except OverflowError:
        return repr(serial)
    return moment.date().isoformat() if milliseconds % 86_400_000 == 0 else _moment_text(moment)


def _elapsed_text(span: datetime.timedelta) -> str:
    """Write a duration as hours, minutes and seconds."""
    total = span.total_seconds()
    minutes, seconds = divmod(abs(total), 60)
    hours, minutes = divmod(int(minutes), 60)
    shown = f"{seconds:06.3f}".rstrip("0").rstrip(".") if seconds % 1 else f"{int(seconds):02d}"
    return f"{'-' if total < 0 else ''}{hours:02d}:{minutes:02d}:{shown}"


def plain_cell_value(value: object) -> Value:
    """Convert a value of the calamine library to a cell: None for blanks, ISO texts for dates and times."""
    if value is None or value == "":
        return None
    if isinstance(value, (str, bool, float)):
        return value
    if isinstance(value, int):
        return float(value)
    if isinstance(value, datetime.timedelta):
        return _elapsed_text(value)
    if isinstance(value, (datetime.datetime, datetime.time)):
        return _moment_text(value)
    return value.isoformat() if isinstance(value, datetime.date) else str(value)


def _moment_text(value: datetime.datetime | datetime.time) -> str:
    """Return ISO text, with milliseconds where there are any."""
    return value.isoformat(timespec="milliseconds" if value.microsecond else "seconds")


_SparseCells = dict[int, dict[int, Value]]
"""Values that are not blank, by row and column."""

_LARGE_GRID = 1_000_000
"""A grid of so many cells is filled without a check of its blanks."""

_BLANKS_PER_CELL = 16
"""A larger grid may hold so many blanks per value before its outliers count as stray."""

_ROW_GAP, _COLUMN_GAP = 1000, 100
"""Blank rows or columns that part a stray cell from a table."""


def is_dense_grid(area: int, cells: int, caps: ReadCaps) -> bool:
    """Return whether a grid may be stored with all its blank cells."""
    return area <= caps.cells and area <= max(_LARGE_GRID, _BLANKS_PER_CELL * cells)


def cell_grid(name: str, sheet: str, cells: _SparseCells, facts: SheetFacts, caps: ReadCaps) -> SheetContent:
    """Arrange cells as a grid, without stray cells far outside the table."""
    cells = {row: across for row, across in sorted(cells.items()) if across}
    if not cells:
        return SheetContent([], facts=facts)
    number = sum(map(len, cells.values()))
    texts = [len(value) for across in cells.values() for value in across.values() if isinstance(value, str)]
    check_texts(name, sheet, max(texts, default=0), sum(texts), caps)
    rows = list(cells)
    columns = sorted({column for across in cells.values() for column in across})
    if not is_dense_grid(_number_span(rows) * _number_span(columns), number, caps):
        rows = _main_group(rows, {r: len(cells[r]) for r in rows}, _ROW_GAP)
        counts: dict[int, int] = {}
        for row in rows:
            for column in cells[row]:
                counts[column] = counts.get(column, 0) + 1
        columns = _main_group(sorted(counts), counts, _COLUMN_GAP)
    top, bottom, left, right = rows[0], rows[-1], columns[0], columns[-1]
    area = (bottom - top + 1) * (right - left + 1)
    if area > caps.cells:
        raise cap_error(name, f"table spans {area} cells", "cells", caps.cells, sheet, area)
    facts.stray = [
        (row, column)
        for row, across in cells.items()
        for column in sorted(across)
        if not (top <= row <= bottom and left <= column <= right)
    ]
    width = right - left + 1
    grid: list[list[Value]] = []
    for row in range(top, bottom + 1):
        line: list[Value] = [""] * width
        for column, value in cells.get(row, {}).items():
            if left <= column <= right:
                line[column - left] = value
        grid.append(line)
    return SheetContent(grid, top, left, facts)


def _number_span(ascending: Sequence[int]) -> int:
    """Return how many numbers there are from the first to the last."""
    return ascending[-1] - ascending[0] + 1


def _main_group(ascending: list[int], weights: dict[int, int], gap: int) -> list[int]:
    """Return the group of numbers with the greatest weight; gaps wider than ``gap`` separate groups."""
    groups = [[ascending[0]]]
    for number in ascending[1:]:
        if number - groups[-1][-1] > gap:
            groups.append([number])
        else:
            groups[-1].append(number)
    return max(groups, key=lambda group: sum(weights[n] for n in group))
