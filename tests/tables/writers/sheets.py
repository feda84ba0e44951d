"""Tables drawn as text, one row a line with cells between bars, written as workbooks and text files."""

from __future__ import annotations

import datetime
import io
import re
import zipfile
from dataclasses import dataclass
from pathlib import Path

from openpyxl import Workbook
from openpyxl.utils.cell import column_index_from_string, coordinate_from_string
from openpyxl.worksheet.worksheet import Worksheet

INVISIBLE = {"<nbsp>": "\u00a0", "<zwsp>": "\u200b", "<sp>": " ", "<bar>": "|", "<nl>": "\n"}


def cells_of(drawing: str) -> list[list[str | float | None]]:
    """Read a drawing: blanks are empty cells, numbers are numbers, and an apostrophe makes a text of anything.

    ``<nbsp>``, ``<zwsp>`` and ``<sp>`` represent invisible blanks; a line that is only a dot is an empty row.

    >>> cells_of("A-1 | 2.5 | '2.5 | ")
    [['A-1', 2.5, '2.5', None]]
    """
    return [[_cell(text.strip()) for text in line.split("|")] for line in drawing.strip("\n").splitlines()]


def _cell(text: str) -> str | float | None:
    if text in ("", "."):
        return None
    if text.startswith("'"):
        return visible(text[1:])
    try:
        number = float(text)
    except ValueError:
        return visible(text)
    return int(number) if number.is_integer() and "." not in text else number


def visible(text: str) -> str:
    """Put the invisible characters in place of their names."""
    for name, character in INVISIBLE.items():
        text = text.replace(name, character)
    return text


@dataclass(frozen=True)
class Sheet:
    """A drawing of a sheet; ``merged`` ranges and hidden rows and columns are named as a spreadsheet names them."""

    drawing: str
    name: str = "Sheet1"
    corner: str = "A1"
    merged: tuple[str, ...] = ()
    hidden_rows: tuple[int, ...] = ()
    hidden_columns: tuple[str, ...] = ()


class Book:
    """The sheets of one workbook."""

    def __init__(self, *sheets: Sheet) -> None:
        self.sheets = sheets

    def write(self, path: Path) -> None:
        """Let openpyxl write the workbook; the same drawing gives the same file."""
        book = Workbook()
        book.remove(book.active)
        book.properties.created = datetime.datetime(2024, 1, 1)
        for sheet in self.sheets:
            _fill(book.create_sheet(sheet.name), sheet)
        fresh = io.BytesIO()
        book.save(fresh)
        _pack_again(fresh, path)


def _pack_again(fresh: io.BytesIO, path: Path) -> None:
    """Copy the members without the time of writing, so that the same drawing gives the same bytes."""
    with zipfile.ZipFile(fresh) as source, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            data = source.read(name)
            if name == "docProps/core.xml":
                data = re.sub(rb"(<dcterms:modified[^>]*>)[^<]*", rb"\g<1>2024-01-01T00:00:00Z", data)
            target.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)


def _fill(target: Worksheet, sheet: Sheet) -> None:
    column, row = coordinate_from_string(sheet.corner)
    left = column_index_from_string(column)
    for i, cells in enumerate(cells_of(sheet.drawing), row):
        for j, value in enumerate(cells, left):
            if value is not None:
                cell = target.cell(i, j, value)
                if isinstance(value, str):
                    cell.data_type = "s"  # a text stays one, also where it starts with =
    for area in sheet.merged:
        target.merge_cells(area)
    for hidden in sheet.hidden_rows:
        target.row_dimensions[hidden].hidden = True
    for letter in sheet.hidden_columns:
        target.column_dimensions[letter].hidden = True


@dataclass(frozen=True)
class Text:
    """A drawing whose bars become delimiters; a cell that holds the delimiter is quoted."""

    drawing: str
    delimiter: str = ","
    encoding: str = "utf-8"
    line_end: str = "\r\n"
    first_line: str = ""

    def write(self, path: Path) -> None:
        """Write the bytes as the sender's program would."""
        lines = [self._line(line) for line in self.drawing.strip("\n").splitlines()]
        text = self.line_end.join([self.first_line] * bool(self.first_line) + lines) + self.line_end
        path.write_bytes(text.encode(self.encoding))

    def _line(self, line: str) -> str:
        cells = (visible(cell.strip()).removeprefix(".") for cell in line.split("|"))
        return self.delimiter.join(f'"{cell}"' if self.delimiter in cell else cell for cell in cells)
