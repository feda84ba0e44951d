"""Read OpenDocument spreadsheets as a stream: cells repeated a million times stay one cell until they count."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from xml.parsers import expat

from massprops_cli.files import options
from massprops_cli.files.workbook.cells import PEEKED_ROWS, CellFormats, SheetContent, Value, cell_grid, head_texts
from massprops_cli.files.workbook.package import SheetEntry
from massprops_cli.files.workbook.xlsx_scan import DEEPEST_ELEMENT, EndOfScan, parse_chunks

_CONTENT = "content.xml"
_PERCENTAGE = 0  # the number of the only cell format that is kept: a number that is shown in percent
_DURATION = re.compile(r"PT(\d+)H(\d+)M(\d+)(\.\d+)?S")  # PT12H30M15.5S
_ERROR_TEXT = re.compile(
    r"#(DIV/0!|N/A|NAME\?|NULL!|NUM!|REF!|VALUE!)|Err:\d+"
)  # #DIV/0!, and the errors of LibreOffice


class OdsWorkbook:
    """An open ods workbook."""

    def __init__(self, name: str, data: Path | bytes, caps: options.ReadCaps) -> None:
        self.name, self.caps = name, caps
        self.styles = CellFormats({}, frozenset(), {_PERCENTAGE: "0%"}, frozenset())
        self.archive: options.Archive = options.open_archive(name, data, caps)
        try:
            manifest = "META-INF/manifest.xml"
            if manifest in self.archive and b"encryption-data" in self.archive.read(manifest):
                raise options.rejection_error("MP102", "workbook is encrypted", name)
            if _CONTENT not in self.archive:
                raise options.rejection_error("MP104", "archive contains no workbook", name)
            names = self._read(-1, None).sheets
        except BaseException:
            self.close()
            raise
        self.entries = [SheetEntry(sheet, str(i), state="hidden" if hid else "visible") for i, (sheet, hid) in names]

    def close(self) -> None:
        """Close the file of the workbook."""
        self.archive.close()

    def peek(self, entry: SheetEntry) -> list[list[str]]:
        """Return the texts of the first rows of a sheet that are not blank."""
        return head_texts(self._read(int(entry.part), PEEKED_ROWS).cells)

    def sheet(self, entry: SheetEntry) -> SheetContent:
        """Read one worksheet."""
        reader = self._read(int(entry.part), None)
        return cell_grid(self.name, entry.name, reader.cells, reader.facts, self.caps)

    def _read(self, sheet: int, most_rows: int | None) -> _OdsSheetElements:
        """Read a sheet, or its first rows; with −1 only the names of the sheets."""
        reader = _OdsSheetElements(self.name, sheet, self.caps, most_rows)
        with contextlib.suppress(EndOfScan):
            reader.parse(self.archive.chunks(_CONTENT))
        return reader


class _OdsSheetElements:
    """The cells and facts of sheet number ``wanted``, from 0; with -1 only the names of the sheets."""

    def __init__(self, name: str, wanted: int, caps: options.ReadCaps, most_rows: int | None) -> None:
        self.name, self.wanted, self.caps, self.most_rows = name, wanted, caps, most_rows
        self.sheets: list[tuple[int, tuple[str, bool]]] = []
        self.cells: dict[int, dict[int, Value]] = {}
        self.facts = SheetContent()
        self.hidden_styles: set[str] = set()
        self.style = ""
        self.depth = self.tables = self.count = self.repeated = self.characters = 0
        self.row = self.column = self.groups = 0
        self.row_repeat, self.row_hidden = 1, False
        self.line: dict[int, tuple[int, Value]] = {}
        self.line_dates: list[int] = []
        self.line_percentages: list[int] = []
        self.cell: dict[str, str] | None = None
        self.paragraphs: list[list[str]] = []
        self.in_text = self.aside = 0

    def parse(self, chunks: Iterator[bytes]) -> None:
        """Read the document, or the requested part of it."""
        parser = expat.ParserCreate()
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        options.reject_document_type(self.name, _CONTENT, first := next(chunks, b""))
        parse_chunks(parser, chain([first], chunks), _CONTENT, self.name)

    @property
    def reading(self) -> bool:
        """Return whether the sheet that is wanted is being read."""
        return self.tables == 1 and len(self.sheets) - 1 == self.wanted

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        """Process the start of an element: nesting, hidden styles, and tables."""
        self.depth += 1
        if self.depth > DEEPEST_ELEMENT:
            raise options.rejection_error(
                "MP115", f"{_CONTENT} nests elements deeper than {DEEPEST_ELEMENT}", self.name
            )
        if name == "style:style":
            self.style = attributes.get("style:name", "")
        elif name == "style:table-properties" and attributes.get("table:display") == "false":
            self.hidden_styles.add(self.style)
        elif name == "table:table":
            self.tables += 1
            if self.tables == 1:
                hidden = attributes.get("table:style-name", "") in self.hidden_styles
                self.sheets.append((len(self.sheets), (attributes.get("table:name", ""), hidden)))
                self.row = self.column = 0
        elif self.reading:
            self._start_inside(name, attributes)

    def _start_inside(self, name: str, attributes: dict[str, str]) -> None:
        """Process the start of a column, row or cell of the sheet."""
        if name == "table:table-column":
            width = _repeat_count(attributes, "table:number-columns-repeated")
            if attributes.get("table:visibility") in ("collapse", "filter"):
                self.facts.hidden_columns.append((self.column, self.column + width - 1))
            self.column += width
        elif name == "table:table-row-group":
            self.groups += 1
        elif name == "table:table-row":
            if self.most_rows is not None and len(self.cells) >= self.most_rows:
                raise EndOfScan
            self.row_repeat = _repeat_count(attributes, "table:number-rows-repeated")
            self.row_hidden = attributes.get("table:visibility") in ("collapse", "filter")
            self.column, self.line, self.line_dates, self.line_percentages = 0, {}, [], []
        elif name in ("table:table-cell", "table:covered-table-cell"):
            self.cell, self.paragraphs = attributes, []
        elif name in ("office:annotation", "draw:frame"):
            self.aside += 1
        elif self.cell is not None and not self.aside:
            self._start_text(name, attributes)

    def _start_text(self, name: str, attributes: dict[str, str]) -> None:
        """Process the start of a paragraph, or a blank in it that is an element."""
        if name == "text:p":
            self.paragraphs.append([])
            self.in_text += 1
        elif self.in_text and name == "text:s":
            blanks = _repeat_count(attributes, "text:c")
            options.check_texts(self.name, "", blanks, 0, self.caps)
            self.paragraphs[-1].append(" " * blanks)
        elif self.in_text and name == "text:tab":
            self.paragraphs[-1].append("\t")
        elif self.in_text and name == "text:line-break":
            self.paragraphs[-1].append("\n")

    def _characters(self, data: str) -> None:
        """Collect the text of paragraphs, without those of annotations."""
        if self.in_text and not self.aside:
            self.paragraphs[-1].append(data)

    def _end(self, name: str) -> None:
        """Process the end of an element."""
        self.depth -= 1
        if name == "table:table":
            if self.reading and self.wanted >= 0:
                raise EndOfScan
            self.tables -= 1
        elif not self.reading:
            return
        elif name == "text:p" and self.in_text and not self.aside:
            self.in_text -= 1
        elif name in ("office:annotation", "draw:frame"):
            self.aside -= 1
        elif name in ("table:table-cell", "table:covered-table-cell") and self.cell is not None:
            self._end_cell(self.cell)
            self.cell = None
        elif name == "table:table-row-group":
            self.groups -= 1
        elif name == "table:table-row":
            self._end_row()

    def _end_cell(self, attributes: dict[str, str]) -> None:
        """Store a cell: its value, error, formula and merged range."""
        width = _repeat_count(attributes, "table:number-columns-repeated")
        text = "\n".join("".join(pieces) for pieces in self.paragraphs)
        value, spot = _cell_value(attributes, text), (self.row, self.column)
        if value is not None:
            self.line[self.column] = (width, value)
            if attributes.get("office:value-type") in ("date", "time"):
                self.line_dates.append(self.column)
            if attributes.get("office:value-type") == "percentage":
                self.line_percentages.append(self.column)
        formula = attributes.get("table:formula", "")
        if attributes.get("calcext:value-type") == "error" or (formula and _ERROR_TEXT.fullmatch(text)):
            self.line[self.column] = (width, text)
            self.facts.errors.append((*spot, text))
        elif formula and not attributes.get("office:value-type"):
            self.facts.unsaved.append(spot)
        if formula:
            self.facts.formulas.append(spot)
        down, right = (_repeat_count(attributes, f"table:number-{way}-spanned") for way in ("rows", "columns"))
        if down > 1 or right > 1:
            self.facts.merges.append((*spot, self.row + down - 1, self.column + right - 1))
        self.column += width

    def _end_row(self) -> None:
        """Store a row as often as it is repeated; TableError over a limit."""
        across = sum(width for width, _value in self.line.values()) * self.row_repeat
        self.count += across
        if self.count > self.caps.cells:
            raise options.cap_error(self.name, f"sheet has more than {self.caps.cells} cells", "cells", self.caps.cells)
        lengths = [(width, len(value)) for width, value in self.line.values() if isinstance(value, str)]
        self.characters += sum(width * length for width, length in lengths) * self.row_repeat
        options.check_texts(
            self.name, "", max((length for _, length in lengths), default=0), self.characters, self.caps
        )
        self.repeated += across - len(self.line)
        if self.repeated > self.caps.repeated_cells:
            what, limit = f"sheet repeats cells {self.repeated:,} times", self.caps.repeated_cells
            raise options.cap_error(self.name, what, "repeated-cells", limit, needed=self.repeated)
        if across:
            values = {at + k: value for at, (width, value) in self.line.items() for k in range(width)}
            dates = [at + k for at in self.line_dates for k in range(self.line[at][0])]
            percentages = [at + k for at in self.line_percentages for k in range(self.line[at][0])]
            for row in range(self.row, self.row + self.row_repeat):
                self.cells[row] = dict(values)
                self.facts.dates += [(row, column) for column in dates]
                self.facts.styles.update(((row, column), _PERCENTAGE) for column in percentages)
                if self.row_hidden:
                    self.facts.hidden_rows.append(row)
                if self.groups:
                    self.facts.outline[row] = min(self.groups, 255)
        self.row += self.row_repeat


def _cell_value(attributes: dict[str, str], text: str) -> Value:
    """Return the value of a cell by its type; dates and times as ISO text."""
    if (kind := attributes.get("office:value-type", "")) in ("float", "percentage", "currency"):
        raw = attributes.get("office:value", "")
        with contextlib.suppress(ValueError):
            return float(raw) if "_" not in raw else raw
        return raw or None
    if kind == "boolean":
        return attributes.get("office:boolean-value", "") == "true"
    if kind == "date":
        return attributes.get("office:date-value", "").removesuffix("T00:00:00") or None
    if kind == "time":
        raw = attributes.get("office:time-value", "")
        match = _DURATION.fullmatch(raw)
        return ":".join(match.group(1, 2, 3)) + (match.group(4) or "") if match else raw or None
    return attributes.get("office:string-value") or text or None


def _repeat_count(attributes: dict[str, str], name: str) -> int:
    """Return how often an element is repeated; 1 if not stated."""
    stated = attributes.get(name, "1")
    return max(1, int(stated)) if stated.isascii() and stated.isdecimal() and len(stated) < 10 else 1
