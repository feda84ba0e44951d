"""Write worksheets as XML: numbers with the shortest text that reads back bit-equal, text always as text.

Worksheets that the tool writes: content and looks, before any XML. Rows and columns count from 0 within the sheet.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import chain, islice
from textwrap import wrap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.table import shortest_number_text
from massprops_cli.files.workbook.cells import cell_address, column_letters
from massprops_cli.findings.finding import Finding, Place, rule_finding

CellValue = str | float | bool | None
"""What a written cell holds: text is written as text whatever it begins with; None and NaN are blank."""
LONGEST_TEXT = 32_767  # characters that a cell can hold (ECMA-376 and every spreadsheet program)
_OWN_MARK = "&amp;Lmassprops"  # mark in the page footer of every result sheet; other programs keep footers


class CellLook(Enum):
    """Look of a cell. NUMBER, COMPUTED and ERROR have the column's number format; COMPUTED also has the mark."""

    TEXT = "text"
    NUMBER = "number"
    TITLE = "title"
    HEADER = "header"
    NUMBER_HEADER = "number header"
    COMPUTED = "computed"
    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"
    WRAPPED = "wrapped"
    KEPT = "kept"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class OutputSheet:
    """One worksheet to write."""

    name: str
    rows: Iterable[Sequence[CellValue]]  # shorter ones end in blanks
    header_rows: int = 1  # first rows: the header, and what is above it
    widths: Sequence[float] | None = None  # characters by column; None: from the content
    number_formats: Mapping[int, str] = field(default_factory=dict)  # code by column
    looks: Mapping[tuple[int, int], CellLook] = field(default_factory=dict)  # of cells by (row, column)
    row_looks: Mapping[int, CellLook] = field(default_factory=dict)  # of rows
    computed: Mapping[int, NDArray[np.intp]] = field(default_factory=dict)
    """Rows (k,) of computed cells by column, ascending."""
    outline: Sequence[int] | NDArray[np.uint8] | None = None  # level by row, 0 the top … 7
    indents: Sequence[int] | NDArray[np.uint8] | None = None  # of the first column, by row
    bold_rows: Collection[int] = ()
    decimals: Mapping[int, NDArray[np.int8]] = field(default_factory=dict)
    """Digits after the aligned points (n,) by column; −1: format of the column."""
    folded_columns: range = range(0)  # grouped and hidden
    frozen_columns: int = 0  # stay in sight, as the header rows do
    autofilter: bool = True
    own: bool = False  # marked as the tool's, and replaced by the next run
    only_replaces: bool = False  # written over one of an earlier run only
    text_indents: Mapping[int, int] = field(default_factory=dict)  # of texts by column; −1: on the right
    page_header: tuple[str, str] = ("", "")  # left and right text at the top of every page
    title_rows: int = 1  # rows of the header that are repeated on every page

    @property
    def print_titles(self) -> str:
        """Rows and columns repeated on every printed page, such as ``$A:$A,$1:$1``; empty without a header."""
        if not self.header_rows:
            return ""
        columns = f"$A:${column_letters(self.frozen_columns - 1)}," if self.frozen_columns else ""
        return f"{columns}${self.header_rows - self.title_rows + 1}:${self.header_rows}"


SheetsFor = Callable[[Sequence[Finding]], Sequence[OutputSheet]]
"""Makes sheets with the findings of the writing; it may be called more than once."""

MAIN_NAMESPACE = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"  # namespace of worksheets (Transitional)

_XfOf = Callable[[CellLook, str, bool, int], int]
"""Gives the number of the cell format for a look, a number format code ("" is General), bold text and an indent."""

LongText = tuple[int, int, int]  # row, column and number of characters of a text that no cell can hold

_UNFIT = re.compile("[\x00-\x08\x0b\x0c\x0d\x0e-\x1f\ud800-\udfff\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")
"""Characters that XML does not have, and the ``_`` of a text that looks like the escape of one (``_x0001_``)."""
_UNUSUAL = re.compile(rf"{_UNFIT.pattern}|[&<>\n]|^\s|\s$|^$|  |.{{{LONGEST_TEXT}}}")
"""A text that is not written as it is: with what XML escapes, with blanks that count, empty, or very long."""
_MARKUP = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_DEEPEST_OUTLINE = 7  # levels of an outline in the format
_SAMPLE = 1000  # number of rows that determine the widths of columns
_WRAPPED_LOOKS = (CellLook.HEADER, CellLook.WRAPPED)
_LINE_HEIGHT, _HIGHEST_ROW = 15, 405  # height of a line, and of the highest row that the format holds, in points
_PAGE = 250  # maximum characters across a printed page, at half their size; wider sheets of users use several
_BOLD = 1.15  # width of a bold character
_WIDEST = 40.0  # of a column without a width of its own
_BLOCK = 8000  # number of rows written in one piece
_MANY_ROWS = 500  # number of rows from which PyArrow, once loaded, writes them faster


def text_xml(text: str) -> str:
    """Escape text for an element, what XML cannot represent as ``_x0001_`` (ECMA-376, 22.9.2.19)."""
    if _UNFIT.search(text):
        text = _UNFIT.sub(lambda match: f"_x{ord(match[0]):04X}_", text)
    return text.translate(_MARKUP)


def attribute_xml(text: str) -> str:
    """Escape text for an attribute in double quotes."""
    return text_xml(text).replace('"', "&quot;")


def inline_xml(text: str, prefix: str = "") -> str:
    """Return the content of a cell of type ``inlineStr``."""
    space = ' xml:space="preserve"' if text != text.strip() or "\n" in text or "  " in text else ""
    return f"<{prefix}is><{prefix}t{space}>{text_xml(text[:LONGEST_TEXT])}</{prefix}t></{prefix}is>"


def sheet_xml(
    sheet: OutputSheet, xf_of: _XfOf, namespace: str = MAIN_NAMESPACE, too_long: list[LongText] | None = None
) -> Iterator[bytes | memoryview]:
    """Write a worksheet piece by piece."""
    rows = iter(sheet.rows)
    sample = list(islice(rows, _SAMPLE))
    width = max((len(row) for row in sample), default=0)
    widths = sheet.widths if sheet.widths is not None else _column_widths(sheet, sample, width)
    yield _sheet_head(sheet, widths, namespace).encode()
    writer = _RowWriter(sheet, xf_of, widths, [] if too_long is None else too_long)
    first = [sample[: sheet.header_rows], sample[sheet.header_rows :]]
    for block in chain(first, iter(lambda: list(islice(rows, _BLOCK)), [])):
        yield writer.block(block)
    yield _sheet_foot(sheet, writer.count, width).encode()


def long_text_findings(name: str, sheet: str, texts: Iterable[LongText]) -> list[Finding]:
    """Report the texts of a sheet that were cut to what a cell can hold."""
    return [
        rule_finding(
            "MP129",
            f"text has {size:,} characters and was truncated to {LONGEST_TEXT:,}",
            Place(name, sheet, row + 1, cell=cell_address(row, column)),
        )
        for row, column, size in texts
    ]


class _RowWriter:
    """Writer of rows in order; it caches what the cells of a column share."""

    def __init__(self, sheet: OutputSheet, xf_of: _XfOf, widths: Sequence[float], too_long: list[LongText]) -> None:
        self.sheet, self.xf_of, self.widths, self.too_long = sheet, xf_of, widths, too_long
        self.count = 0
        self.styles: dict[tuple[str, str, bool, int], str] = {}
        self.bold = set(sheet.bold_rows)
        self.bold_rows = np.array(sorted(self.bold), np.intp)
        self.codes = {column: _aligned_formats(digits) for column, digits in sheet.decimals.items()}
        self.looks: dict[int, dict[int, CellLook]] = {}
        for (row, column), look in sheet.looks.items():
            self.looks.setdefault(row, {})[column] = look
        marks: dict[int, list[int]] = {}
        for column, marked in sheet.computed.items():
            for row in marked.tolist():
                marks.setdefault(row, []).append(column)
        self.computed = {row: tuple(columns) for row, columns in marks.items()}

    def block(self, rows: Sequence[Sequence[CellValue]]) -> bytes | memoryview:
        """Write rows: many that are alike column by column, others one by one."""
        last = self.count + len(rows)
        is_special = any(self.count <= row < last for row in chain(self.looks, self.sheet.row_looks))
        if len(rows) < _MANY_ROWS or is_special or len(set(map(len, rows))) > 1:
            return "".join(map(self.row, rows)).encode()
        return self.columns(list(zip(*rows, strict=True)), len(rows))

    def columns(self, columns: Sequence[Sequence[CellValue]], n: int) -> memoryview:
        """Write ``n`` rows without looks of their own, given by column, with PyArrow."""
        from massprops_cli.files.arrow import arrow_text_array, joined_texts, text_offsets

        rows = range(self.count, self.count + n)
        self.count += n
        numbers = arrow_text_array([b"%d" % (row + 1) for row in rows])
        outlines = arrow_text_array([self.outline(row).encode() for row in rows])
        bold = _marked_rows(self.bold_rows, rows)
        cells = [self.column_cells(values, rows, k, numbers, bold) for k, values in enumerate(columns)]
        joined = joined_texts('<row r="', numbers, '"', outlines, ">", *cells, "</row>")
        offsets, data = text_offsets(joined)
        return memoryview(data)[offsets[0] : offsets[-1]]

    def column_cells(
        self, values: Sequence[CellValue], rows: range, column: int, numbers: Any, bold: NDArray[np.bool_]
    ) -> Any:
        """Return the cells of n rows of a column, bold (n,), as an Arrow array: those that are alike in one go."""
        import pyarrow.compute as pc

        from massprops_cli.files import arrow

        computed = _marked_rows(self.sheet.computed.get(column), rows)
        variants = np.full(len(rows), -1)  # digits of numbers, indents of texts
        if set(map(type, values)) <= {float, type(None)} and (column or self.sheet.indents is None):
            floats = np.array(values, float)
            others, texts = np.isnan(floats), arrow.arrow_number_texts(floats)
            varying: Any = self.sheet.decimals.get(column)
            looks, start, ending = (CellLook.NUMBER, CellLook.COMPUTED), "><v>", "</v></c>"
        else:
            others = np.array([type(value) is not str or _UNUSUAL.search(value) is not None for value in values])
            texts = arrow.arrow_text_array([value.encode() if isinstance(value, str) else b"" for value in values])
            varying = self.sheet.indents if column == 0 else None
            looks, start, ending = (CellLook.TEXT, CellLook.COMPUTED), ' t="inlineStr"><is><t>', "</t></is></c>"
        if varying is not None:
            known = np.asarray(varying)[rows.start : rows.stop]
            variants[: len(known)] = known
        # the XML between row number and content is one text for each kind of cells
        kinds = 4 * (variants + 1) + 2 * bold + computed
        _, examples, kind_of = np.unique(kinds, return_index=True, return_inverse=True)
        styles = [self.style(looks[int(computed[k])], column, rows[k]) for k in examples.tolist()]
        every = arrow.arrow_text_array([f'"{style}{start}'.encode() for style in styles])
        middles = every.take(arrow.arrow_positions(kind_of))
        cells = arrow.joined_texts(f'<c r="{column_letters(column)}', numbers, middles, texts, ending)
        if others.any():
            at = np.flatnonzero(others).tolist()
            xml = (self.cell(values[k], looks[1] if computed[k] else None, rows[k], column) for k in at)
            odd = arrow.arrow_text_array([one.encode() for one in xml])
            cells = pc.replace_with_mask(cells, arrow.arrow_mask_array(others), odd)
        return cells

    def row(self, cells: Sequence[CellValue]) -> str:
        """Write the next row."""
        index, number = self.count, self.count + 1
        self.count = number
        if (whole := self.sheet.row_looks.get(index)) is None and index == self.sheet.header_rows - 1:
            whole = CellLook.HEADER
        computed = self.computed.get(index, ())
        special = self.looks.get(index)
        looks = {**dict.fromkeys(computed, CellLook.COMPUTED), **(special or {})}
        pieces = [self.cell(value, looks.get(column, whole), index, column) for column, value in enumerate(cells)]
        height = self.height(cells, whole) if whole in _WRAPPED_LOOKS or special else ""
        return f'<row r="{number}"{height}{self.outline(index)}>{"".join(pieces)}</row>'

    def cell(self, value: CellValue, look: CellLook | None, index: int, column: int) -> str:
        """Write one cell; a blank one only where it has a look."""
        opened = f'<c r="{column_letters(column)}{index + 1}"'
        if value is None or value == "" or value != value:  # noqa: PLR0124  NaN is blank
            return "" if look is None else f"{opened}{self.style(look, column, index)}/>"
        if isinstance(value, str):
            if len(value) > LONGEST_TEXT:
                self.too_long.append((index, column, len(value)))
            return f'{opened}{self.style(look or CellLook.TEXT, column, index)} t="inlineStr">{inline_xml(value)}</c>'
        if isinstance(value, bool):
            return f'{opened}{self.style(look or CellLook.TEXT, column, index)} t="b"><v>{int(value)}</v></c>'
        style, number = self.style(look or CellLook.NUMBER, column, index), shortest_number_text(float(value))
        return f"{opened}{style}><v>{number}</v></c>"

    def style(self, look: CellLook, column: int, index: int) -> str:
        """Return the attribute of a cell's format; nothing for the default."""
        is_number = look in (CellLook.NUMBER, CellLook.COMPUTED, CellLook.ERROR)
        code = self.number_format(column, index) if is_number else ""
        bold, indents = index in self.bold, self.sheet.indents
        indent = 0 if is_number else self.sheet.text_indents.get(column, 0)
        if column == 0 and indents is not None and index < len(indents):
            indent = int(indents[index])
        if (known := self.styles.get((look.value, code, bold, indent))) is None:
            xf = self.xf_of(look, code, bold, indent)
            known = self.styles[look.value, code, bold, indent] = f' s="{xf}"' if xf else ""
        return known

    def number_format(self, column: int, index: int) -> str:
        """Return the number format of a cell: that of its decimals, else that of its column."""
        if (digits := self.sheet.decimals.get(column)) is not None and index < len(digits) and digits[index] >= 0:
            return self.codes[column][int(digits[index])]
        return self.sheet.number_formats.get(column, "")

    def height(self, cells: Sequence[CellValue], look: CellLook | None) -> str:
        """Return the height of a row of wrapped texts; of a header also for one line, which is in bold."""
        wide = _BOLD if look is CellLook.HEADER else 1.0
        texts = ((cell, width) for cell, width in zip(cells, self.widths, strict=False) if isinstance(cell, str))
        parts = ((text.split("\n"), max(int(width / wide) - 1, 1)) for text, width in texts)
        lines = max((sum(len(wrap(one, width)) or 1 for one in lines) for lines, width in parts), default=1)
        height = min(_LINE_HEIGHT * lines + 3 * (wide > 1 or lines > 1), _HIGHEST_ROW)
        return f' ht="{height}" customHeight="1"' if height > _LINE_HEIGHT else ""

    def outline(self, index: int) -> str:
        """Return the attribute of a row's level; nothing for the top."""
        if (levels := self.sheet.outline) is None or index >= len(levels) or not levels[index]:
            return ""
        return f' outlineLevel="{min(int(levels[index]), _DEEPEST_OUTLINE)}"'


def _marked_rows(marked: NDArray[np.intp] | None, rows: range) -> NDArray[np.bool_]:
    """Return which of n rows are among ``marked (k,)``, ascending: (n,)."""
    mask = np.zeros(len(rows), bool)
    if marked is not None:
        low, high = np.searchsorted(marked, (rows.start, rows.stop))
        mask[np.asarray(marked)[low:high] - rows.start] = True
    return mask


def _sheet_head(sheet: OutputSheet, widths: Sequence[float], namespace: str) -> str:
    """Return the XML before the rows: outline, panes and columns."""
    columns = "".join(_column_xml(sheet.folded_columns, k, w) for k, w in enumerate(widths))
    shown = sum(w for k, w in enumerate(widths) if k not in sheet.folded_columns)
    deepest = min(max((int(level) for level in sheet.outline), default=0), 7) if sheet.outline is not None else 0
    outline = (f' outlineLevelRow="{deepest}"' if deepest else "") + (
        ' outlineLevelCol="1"' if sheet.folded_columns else ""
    )
    right = ' summaryRight="0"' if sheet.folded_columns else ""
    return (
        '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
        f'<worksheet xmlns="{namespace}">'
        f'<sheetPr><outlinePr summaryBelow="0"{right}/>'
        + ('<pageSetUpPr fitToPage="1"/>' if sheet.own or shown <= _PAGE else "")
        + "</sheetPr>"
        f'<sheetViews><sheetView workbookViewId="0">{_pane_xml(sheet)}</sheetView></sheetViews>'
        f'<sheetFormatPr defaultRowHeight="15"{outline}/>'
        + (f"<cols>{columns}</cols>" if columns else "")
        + "<sheetData>"
    )


def _column_xml(folded: range, k: int, width: float) -> str:
    """Write the properties of a column; the column before the folded ones has the button that shows them."""
    group = ' hidden="1" outlineLevel="1"' if k in folded else ' collapsed="1"' if folded and k + 1 == folded[0] else ""
    return f'<col min="{k + 1}" max="{k + 1}" width="{width:g}" customWidth="1"{group}/>'


def _aligned_formats(digits: NDArray[np.int8]) -> list[str]:
    """Return a number format for each number of decimals of a column (n,); the decimal points are aligned."""
    most = int(digits.max(initial=0))
    return [
        "0" + ("." + "0" * count if count else "_." if most else "") + "_0" * (most - count)
        for count in range(most + 1)
    ]


def _pane_xml(sheet: OutputSheet) -> str:
    """Return the frozen pane of the header and the first columns; nothing without them."""
    rows, columns = sheet.header_rows, sheet.frozen_columns
    if not rows and not columns:
        return ""
    corner = "bottomRight" if rows and columns else "bottomLeft" if rows else "topRight"
    splits = (f' xSplit="{columns}"' if columns else "") + (f' ySplit="{rows}"' if rows else "")
    cell = cell_address(rows, columns)
    pane = f'<pane{splits} topLeftCell="{cell}" activePane="{corner}" state="frozen"/>'
    return f'{pane}<selection pane="{corner}" activeCell="{cell}" sqref="{cell}"/>'


def _sheet_foot(sheet: OutputSheet, rows: int, width: int) -> str:
    """Return the XML after the rows: filter, page setup, and the header and footer of the pages."""
    first = max(sheet.header_rows - 1, 0)
    table = f"{cell_address(first, 0)}:{cell_address(max(rows - 1, first), max(width - 1, 0))}"
    has_filter = sheet.autofilter and sheet.header_rows and width and rows > sheet.header_rows
    left, right = (text_xml(text.replace("&", "&&")) for text in sheet.page_header)
    top = f"<oddHeader>&amp;L{left}&amp;R{right}</oddHeader>" if left or right else ""
    mark = f"{_OWN_MARK} · &amp;A" if sheet.own else "&amp;L&amp;A"
    return (
        "</sheetData>"
        + (f'<autoFilter ref="{table}"/>' if has_filter else "")
        + '<pageMargins left="0.5" right="0.5" top="0.75" bottom="0.6" header="0.3" footer="0.3"/>'
        '<pageSetup orientation="landscape" fitToHeight="0"/>'
        f"<headerFooter>{top}<oddFooter>{mark}&amp;RPage &amp;P of &amp;N</oddFooter></headerFooter></worksheet>"
    )


def _column_widths(sheet: OutputSheet, sample: list[Sequence[CellValue]], width: int) -> list[float]:
    """Return column widths in characters for the sample: header wrapped at blanks, long texts cut, numbers whole."""
    widths = [8.0] * width
    for index, row in enumerate(sample):
        for column, value in enumerate(row if index >= sheet.header_rows - 1 else ()):
            if index < sheet.header_rows:
                needed = max(map(len, str(value or "").split()), default=0) * _BOLD + 3.5
            elif isinstance(value, str):
                indent = sheet.indents[index] if sheet.indents is not None and column == 0 else 0
                needed = max(map(len, value.split("\n"))) + 2 + 2 * int(indent)
            else:
                needed = _number_width(sheet, column, value) + 2.0
            widths[column] = max(widths[column], min(needed, _WIDEST))
    return widths


def _number_width(sheet: OutputSheet, column: int, value: float | None) -> int:
    """Return the characters of a number in the format of its column."""
    if value is None or value != value:  # noqa: PLR0124  NaN is blank
        return 0
    code = sheet.number_formats.get(column, "")
    if column in sheet.decimals:
        return len(f"{value:.{max(int(sheet.decimals[column].max(initial=0)), 0)}f}")
    if not code or "E" in code:
        return min(len(shortest_number_text(float(value))), 11)
    return len(f"{value:.{code.partition(';')[0].partition('.')[2].count('0')}f}")
