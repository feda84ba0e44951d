"""Pictures of worksheets: columns with letters, rows with numbers, merged cells, hidden rows and columns in grey."""

from __future__ import annotations

import datetime
import re
import unicodedata
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from xml.sax.saxutils import escape

from openpyxl import load_workbook
from openpyxl.cell.cell import Cell
from openpyxl.utils.cell import get_column_letter
from openpyxl.worksheet.worksheet import Worksheet

FONTS = "Carlito, Calibri, Arial, Liberation Sans, sans-serif"
HEIGHT = 22  # of a row, in px, as all lengths here
EDGE = 34  # width of the row numbers
BLANK = 8  # left and right of a text, both together
NARROW, WIDE = 44, 210
SEEN = {"\u200b": "┆", "\u00a0": "·"}  # invisible characters are drawn as a mark


@dataclass
class Drawing:
    """SVG elements of a sheet, and the positions of its columns and rows (both with the end of the last one)."""

    lefts: list[int]
    tops: list[int]
    parts: list[str] = field(default_factory=list)

    def box(self, left: float, top: float, right: float, bottom: float, fill: str) -> None:
        """Draw a filled cell with its grid lines."""
        size = f'width="{right - left}" height="{bottom - top}"'
        self.parts.append(f'<rect x="{left}" y="{top}" {size} fill="{fill}" stroke="#d0d0d0"/>')

    def write(self, x: float, baseline: float, text: str, style: str = "") -> None:
        """Draw one line of text."""
        self.parts.append(f'<text x="{x}" y="{baseline}"{style}>{escape(text)}</text>')


def picture_of(path: Path, header: tuple[int, ...] = (), sheet: str = "") -> str:
    """Draw a sheet of a workbook, by default the active one; the rows of the header are bold."""
    book = load_workbook(path, data_only=True)
    page = book[sheet] if sheet else book.worksheets[0]
    tops = [HEIGHT]
    for row in range(1, page.max_row + 1):
        lines = max((str(cell.value).count("\n") for cell in page[row] if cell.value is not None), default=0)
        tops.append(tops[-1] + HEIGHT * (1 + lines))
    drawing = Drawing(list(accumulate(_widths(page, header), initial=EDGE)), tops)
    _draw_edges(drawing, page)
    _draw_cells(drawing, page, header)
    _draw_tabs(drawing, book.sheetnames, page.title)
    return _framed(drawing.parts, drawing.lefts[-1] + 1, tops[-1] + HEIGHT + 4)


def _widths(page: Worksheet, header: tuple[int, ...]) -> list[int]:
    """Width of each column: that of its longest text in the header and below; titles may extend over cells."""
    top = min(header, default=1)
    areas = [area for area in page.merged_cells.ranges if area.max_col > area.min_col]
    joined = {(area.min_row, area.min_col) for area in areas}
    widths = [NARROW] * page.max_column
    for cell in (cell for row in page.iter_rows(min_row=top) for cell in row if cell.value is not None):
        if (cell.row, cell.column) not in joined and (cell.row in header or _has_neighbours(page, cell)):
            widths[cell.column - 1] = max(widths[cell.column - 1], _needed(cell, cell.row in header))
    for area in areas:
        if area.min_row >= top:
            lacking = _needed(page.cell(area.min_row, area.min_col), True) - sum(
                widths[area.min_col - 1 : area.max_col]
            )
            widths[area.max_col - 1] += max(lacking, 0)
    return [min(width, WIDE) for width in widths]


def _has_neighbours(page: Worksheet, cell: Cell) -> bool:
    return sum(other.value is not None for other in page[cell.row]) > 1


def _needed(cell: Cell, bold: bool) -> int:
    """Estimate the width of a cell's longest line at 13 px."""
    lines = shown(cell).split("\n")
    longest = max(sum(14 if unicodedata.east_asian_width(letter) in "WF" else 7.6 for letter in line) for line in lines)
    return round(longest * (1.12 if bold else 1)) + BLANK


def shown(cell: Cell) -> str:
    """Approximate text that a cell shows: percentages and dates as such, invisible characters as marks."""
    value = cell.value
    if isinstance(value, datetime.datetime):
        return f"{value:%d.%m.%Y}"
    if isinstance(value, float | int) and not isinstance(value, bool):
        percent = cell.number_format.endswith("%")
        return f"{100 * value:.1f}%" if percent else f"{value:.10g}"
    text = "" if value is None else str(value)
    text = re.sub(r" +$", lambda blanks: "·" * len(blanks.group()), text)
    return "".join(SEEN.get(letter, letter) for letter in text)


def _draw_edges(drawing: Drawing, page: Worksheet) -> None:
    drawing.box(0, 0, EDGE, HEIGHT, "#e6e6e6")
    for j, (left, right) in enumerate(zip(drawing.lefts, drawing.lefts[1:], strict=False), 1):
        letter = get_column_letter(j)
        _draw_edge(drawing, (left, 0, right, HEIGHT), letter, page.column_dimensions[letter].hidden)
    for i, (top, bottom) in enumerate(zip(drawing.tops, drawing.tops[1:], strict=False), 1):
        _draw_edge(drawing, (0, top, EDGE, bottom), str(i), page.row_dimensions[i].hidden)


def _draw_edge(drawing: Drawing, box: tuple[int, int, int, int], text: str, hidden: bool) -> None:
    drawing.box(*box, "#b5b5b5" if hidden else "#e6e6e6")
    drawing.write((box[0] + box[2]) / 2, (box[1] + box[3]) / 2 + 4.5, text, ' text-anchor="middle" fill="#555"')


def _draw_cells(drawing: Drawing, page: Worksheet, header: tuple[int, ...]) -> None:
    spans = {(area.min_row, area.min_col): (area.max_row, area.max_col) for area in page.merged_cells.ranges}
    covered = {place for area in page.merged_cells.ranges for row in area.rows for place in row if place not in spans}
    for row in range(1, page.max_row + 1):
        for column in range(1, page.max_column + 1):
            if (row, column) not in covered:
                last_row, last_column = spans.get((row, column), (row, column))
                hidden = page.row_dimensions[row].hidden or page.column_dimensions[get_column_letter(column)].hidden
                box = (
                    drawing.lefts[column - 1],
                    drawing.tops[row - 1],
                    drawing.lefts[last_column],
                    drawing.tops[last_row],
                )
                drawing.box(*box, "#dcdcdc" if hidden else "#ffffff")
    for row in page.iter_rows():
        for cell in row:
            if cell.value is not None:
                end = spans.get((cell.row, cell.column), (cell.row, cell.column))
                _draw_text(drawing, cell, end, bold=cell.row in header, merged=(cell.row, cell.column) in spans)


def _draw_text(drawing: Drawing, cell: Cell, end: tuple[int, int], *, bold: bool, merged: bool) -> None:
    left, top = drawing.lefts[cell.column - 1], drawing.tops[cell.row - 1]
    right, bottom = drawing.lefts[end[1]], drawing.tops[end[0]]
    number = not isinstance(cell.value, str)
    style = (' font-weight="bold"' if bold else "") + (' text-decoration="line-through"' if cell.font.strike else "")
    if merged and end[1] > cell.column:
        x, style = (left + right) / 2, style + ' text-anchor="middle"'
    elif number:
        x, style = right - BLANK / 2, style + ' text-anchor="end"'
    else:
        x = left + BLANK / 2
    lines = shown(cell).split("\n")
    first = (top + bottom - HEIGHT * len(lines)) / 2 + HEIGHT / 2 + 4.5
    for i, line in enumerate(lines):
        drawing.write(x, first + i * HEIGHT, line, style)
    if not number and re.fullmatch(r"[-+]?\d[\d.,'\s]*", cell.value):  # a number stored as text
        drawing.parts.append(f'<path d="M{left} {top}h7l-7 7z" fill="#1e8a3c"/>')


def _draw_tabs(drawing: Drawing, names: list[str], front: str) -> None:
    x, top = EDGE, drawing.tops[-1] + 3
    for name in names:
        right = x + 8 * len(name) + 20
        drawing.box(x, top, right, top + HEIGHT - 2, "#ffffff" if name == front else "#e6e6e6")
        drawing.write(x + 10, top + 15, name, ' font-weight="bold"' if name == front else ' fill="#555"')
        x = right


def _framed(parts: list[str], width: int, height: int) -> str:
    """Place elements on a white background, so that they are legible on a dark page, too."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'font-family="{FONTS}" font-size="13" fill="#1a1a1a" xml:space="preserve">\n'
        f'<rect width="{width}" height="{height}" fill="#f4f4f4"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )
