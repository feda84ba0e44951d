"""Content of a worksheet's XML in addition to its values: one pass over its bytes, and finer ones only if needed."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable
from xml.parsers import expat

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.options import rejection_error
from massprops_cli.files.workbook import cells as sheet_cells

_Bytes = NDArray[np.uint8]
_Positions = NDArray[np.int64]
_CellStyles = dict[tuple[int, int], int]
_BLOCK = 2**20  # bytes searched in one go; they stay in the cache
_ADDRESS_AT = len(b'<c r="')
_ROW = re.compile(rb"<row([^>]*)>")  # <row r="1">
_COLUMNS = re.compile(rb"<col ([^>]*)>")  # <col min="1" max="3" hidden="1"/>
_MERGE = re.compile(rb'<mergeCell ref="([A-Z0-9:]+)"')  # <mergeCell ref="A1:B2"
_NUMBER = re.compile(rb'\br="(\d+)"')  # r="12"
_SUMMARY = re.compile(rb'<(?:\w+:)?outlinePr\b[^>]*\bsummaryBelow="([^"]*)"')  # <outlinePr summaryBelow="0"
_OUTLINE = re.compile(rb'\boutlineLevel="(\d+)"')  # outlineLevel="2"
_HIDDEN = re.compile(rb'\bhidden="(?:1|true|on)"')  # hidden="1"
_VALUE = re.compile(rb"<v[^>]*>([^<]*)<")  # <v>1.5</v>
DEEPEST_ELEMENT = 64  # levels of elements in a worksheet; deeper nesting is an attack
_ESCAPE = re.compile(r"_x([0-9A-Fa-f]{4})_")  # _x000D_
_BLANKS = " \t\r\n"
_TRUE = ("1", "true", "on")


class CellIndex:
    """Positions of the cells of a worksheet: ``rows (k,)`` and ``columns (k,)`` from 0.

    ``starts (k,)`` and ``ends (k,)`` are the bytes of the XML where a cell's element begins and its address ends.
    """

    __slots__ = ("columns", "data", "ends", "rows", "starts")

    def __init__(
        self, data: bytes, starts: _Positions, ends: _Positions, rows: _Positions, columns: _Positions
    ) -> None:
        self.data, self.starts, self.ends, self.rows, self.columns = data, starts, ends, rows, columns

    def owners(self, hits: _Positions) -> _Positions:
        """Return the numbers (m,) of the cells that contain byte positions (m,) of the XML; −1 before the first."""
        return np.searchsorted(self.starts, hits, side="right") - 1

    def xml(self, k: int) -> bytes:
        """Return the XML from one cell up to the next one."""
        end = self.starts[k + 1] if k + 1 < len(self.starts) else len(self.data)
        return self.data[self.starts[k] : end]

    def extent(self) -> sheet_cells.CellRange | None:
        """Return the smallest range that contains all cells."""
        if not len(self.starts):
            return None
        return (int(self.rows.min()), int(self.columns.min()), int(self.rows.max()), int(self.columns.max()))


def read_cell_index(data: bytes) -> CellIndex | None:
    """Read the addresses of all cells of a worksheet."""
    body = data.find(b"<sheetData")
    end = data.rfind(b"</sheetData>")
    if body < 0 or b"='" in data[:body] or has_bytes(data, b"<!", b"!", body, len(data)):
        return None
    letters = np.frombuffer(data, np.uint8)
    if not len(starts := _byte_positions(data, b"<c", body, max(end, body))):
        return CellIndex(data, starts, starts, starts, starts)
    if starts[-1] + 32 > len(data) or not (
        np.all(letters[starts + 2] == ord(" "))
        and np.all(letters[starts + 3] == ord("r"))
        and np.all(letters[starts + 5] == ord('"'))
    ):
        return None
    at = starts + _ADDRESS_AT
    first, second, third = (letters[at + k] for k in range(3))
    two = second >= ord("A")
    if np.any(two & (third >= ord("A"))):
        return None  # beyond 702 columns
    one = first.astype(np.int32) - 64
    columns = np.where(two, one * 26 + (second.astype(np.int32) - 64), one) - 1
    at += 1 + two
    rows, ends = _row_numbers(data, at)
    legal = (first >= ord("A")) & (first <= ord("Z")) & (~two | (second <= ord("Z")))
    if np.any(letters[ends] != ord('"')) or np.any(rows == 0) or not legal.all():
        return None
    return CellIndex(data, starts, ends, rows - 1, columns)


def has_bytes(data: bytes, needle: bytes, rare: bytes, start: int, end: int) -> bool:
    """Return whether bytes occur in a range."""
    at = data.find(rare, start, end)
    return at >= 0 and data.find(needle, max(start, at - len(needle)), end) >= 0


def _row_numbers(data: bytes, at: _Positions) -> tuple[_Positions, _Positions]:
    """Return whole numbers at positions (k,) that end in a quotation mark, and their ends; equal runs are read once."""
    # eight bytes are read as one integer: the lowest zero byte of ``word ^ quotes`` is where the number ends
    words = np.ndarray((len(data) - 7,), "<u8", data, strides=(1,))[at]
    marks = words ^ np.uint64(0x2222222222222222)
    marks = (marks - np.uint64(0x0101010101010101)) & ~marks & np.uint64(0x8080808080808080)
    lowest = marks & (~marks + np.uint64(1))
    words &= lowest - np.uint64(1)
    fresh = np.empty(len(at), bool)
    fresh[0] = True
    np.not_equal(words[1:], words[:-1], out=fresh[1:])
    heads = np.flatnonzero(fresh)
    numbers, ends = _whole_numbers(np.frombuffer(data, np.uint8), at[heads])
    runs = np.diff(np.append(heads, len(at)))
    return np.repeat(numbers, runs), at + np.repeat(ends - at[heads], runs)


def _whole_numbers(letters: _Bytes, at: _Positions) -> tuple[_Positions, _Positions]:
    """Return whole numbers of at most seven digits at positions (k,), and their ends."""
    numbers = np.zeros(len(at), np.int64)
    going = np.ones(len(at), bool)
    for _ in range(7):
        here = letters[at]
        going &= (here >= ord("0")) & (here <= ord("9"))
        if not going.any():
            break
        numbers = np.where(going, numbers * 10 + (here - np.uint8(48)), numbers)
        at = at + going
    return numbers, at


def _byte_positions(data: bytes, needle: bytes, start: int = 0, end: int | None = None) -> _Positions:
    """Return all positions (k,) of ``needle`` in ``data[start:end]``, by blocks that stay in the cache."""
    letters = np.frombuffer(data, np.uint8)
    parts = []
    last = len(needle) - 1
    end = (len(data) if end is None else end) - last
    for block in range(start, end, _BLOCK):
        stop = min(block + _BLOCK, end)
        # the last character of the text searched is rarer than its first
        hits = np.flatnonzero(letters[block + last : stop + last] == needle[last]) + block
        for k in range(last):
            hits = hits[letters[hits + k] == needle[k]]
        parts.append(hits)
    return np.concatenate(parts) if parts else np.zeros(0, np.int64)


def scan_sheet(cells: CellIndex, styled: frozenset[int]) -> sheet_cells.SheetContent:
    """Collect the facts of a worksheet other than its values."""
    data = cells.data
    body = data.find(b"<sheetData")
    end = max(data.rfind(b"</sheetData>"), body)
    facts = sheet_cells.SheetContent()
    for match in _COLUMNS.finditer(data[:body]):
        if _HIDDEN.search(match.group(1)) and len(ends := re.findall(rb'(?:min|max)="(\d+)"', match.group(1))) == 2:
            first, last = sorted(map(int, ends))
            facts.hidden_columns.append((first - 1, last - 1))
    if stated := _SUMMARY.search(data[:body]):
        facts.summary_below = stated.group(1) in (b"1", b"true")
    facts.merges = [r for m in _MERGE.finditer(data, end) if (r := sheet_cells.cell_range(m.group(1).decode()))]
    if has_bytes(data, b"outlineLevel=", b"L", body, end) or has_bytes(data, b" hidden=", b"h", body, end):
        _scan_rows(data, body, end, facts)
    if has_bytes(data, b't="e"', b"e", body, end):
        for k in cells.owners(_byte_positions(cells.data, b't="e"')).tolist():
            value = _VALUE.search(cells.xml(k))
            shown = value.group(1).decode("utf-8", "replace") if value else "#VALUE!"
            facts.errors.append((int(cells.rows[k]), int(cells.columns[k]), shown))
    if has_bytes(data, b"<f", b"f", body, end):
        _scan_formulas(cells, facts)
    facts.styles = scan_styles(cells, styled)
    return facts


def _scan_rows(data: bytes, body: int, end: int, facts: sheet_cells.SheetContent) -> None:
    """Collect hidden rows and outline levels."""
    number = -1
    for match in _ROW.finditer(data, body, end):
        attributes = match.group(1)
        stated = _NUMBER.search(attributes)
        number = int(stated.group(1)) - 1 if stated else number + 1
        if _HIDDEN.search(attributes):
            facts.hidden_rows.append(number)
        if (level := _OUTLINE.search(attributes)) and level.group(1) != b"0":
            facts.outline[number] = min(int(level.group(1)), 255)


def _scan_formulas(cells: CellIndex, facts: sheet_cells.SheetContent) -> None:
    """Collect the cells with a formula, and those without a saved value."""
    hits = _byte_positions(cells.data, b"<f")
    follows = np.frombuffer(cells.data, np.uint8)[hits + 2]
    hits = hits[(follows == ord(">")) | (follows == ord(" ")) | (follows == ord("/"))]
    for k in np.unique(cells.owners(hits)).tolist():
        if k < 0:
            continue
        spot = (int(cells.rows[k]), int(cells.columns[k]))
        facts.formulas.append(spot)
        xml = cells.xml(k)
        value = _VALUE.search(xml)
        if (value is None or not value.group(1)) and b't="str"' not in xml[: xml.find(b">")]:
            facts.unsaved.append(spot)


def scan_styles(cells: CellIndex, styled: frozenset[int], columns: frozenset[int] | None = None) -> _CellStyles:
    """List the cells with some formats."""
    if not styled or not len(cells.starts) or not any(cells.data.find(b' s="%d"' % k) >= 0 for k in styled):
        return {}
    hits = _byte_positions(cells.data, b' s="', int(cells.starts[0]))
    owners = cells.owners(hits)
    if columns is not None:
        wanted = np.isin(cells.columns[owners], list(columns))
        hits, owners = hits[wanted], owners[wanted]
    # a row's own format is in the XML that follows the last cell before it
    direct = hits == cells.ends[owners] + 1
    for k in np.flatnonzero(~direct).tolist():
        direct[k] = cells.data.find(b">", int(cells.starts[owners[k]]), int(hits[k])) < 0
    hits, owners = hits[direct], owners[direct]
    styles, _ = _whole_numbers(np.frombuffer(cells.data, np.uint8), hits + len(b' s="'))
    chosen = np.isin(styles, list(styled))
    spots = zip(cells.rows[owners[chosen]].tolist(), cells.columns[owners[chosen]].tolist(), strict=True)
    return dict(zip(spots, styles[chosen].tolist(), strict=True))


def parse_chunks(parser: expat.XMLParserType, chunks: Iterable[bytes], member: str, name: str) -> None:
    """Read a part; TableError if it is corrupt or its encoding is unknown (MP104)."""
    parser.buffer_text = True
    try:
        for chunk in chunks:
            parser.Parse(chunk, False)
        parser.Parse(b"", True)
    except (expat.ExpatError, LookupError, ValueError) as error:
        raise _corrupt_part_error(error, member, name) from None


def _corrupt_part_error(error: Exception, member: str, name: str) -> Exception:
    """Return the exception for a part of a workbook that is not XML, or whose encoding is unknown."""
    if isinstance(error, expat.ExpatError):
        return rejection_error("MP104", f"{member} is corrupt in line {error.lineno}", name)
    if "encoding" not in str(error):
        raise error
    encoding = str(error).partition(": ")[2] or "a multi-byte encoding other than UTF-8 and UTF-16"
    return rejection_error("MP104", f"{member} has an encoding that is unknown: {encoding}", name)


class EndOfScan(Exception):  # noqa: N818 - a signal, not an error
    """Enough rows have been read."""


def _unescape_xml_text(text: str) -> str:
    """Unescape characters that XML cannot represent."""
    return _ESCAPE.sub(lambda m: chr(int(m.group(1), 16)), text) if "_x" in text else text


class _ElementReader:
    """Common reader of shared strings and worksheets: counted nesting, collected text, no phonetic runs."""

    def __init__(self, name: str, member: str) -> None:
        self.name, self.member = name, member
        self.depth = 0
        self.pieces: list[str] = []
        self.text: list[str] = []
        self.collecting = self.preserve = self.phonetic = False

    def parse(self, chunks: Iterable[bytes]) -> None:
        """Read a part; TableError if it is corrupt or its encoding is unknown (MP104)."""
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.StartDoctypeDeclHandler = self._doctype
        parse_chunks(parser, chunks, self.member, self.name)

    def _doctype(self, *_declared: object) -> None:
        """Reject a document type."""
        raise rejection_error("MP115", f"{self.member} declares a document type", self.name)

    def _start(self, qualified: str, attributes: dict[str, str]) -> None:
        """Count the nesting, and begin to collect text."""
        self.depth += 1
        if self.depth > DEEPEST_ELEMENT:
            raise rejection_error("MP115", f"{self.member} nests elements deeper than {DEEPEST_ELEMENT}", self.name)
        if (name := qualified.rpartition(" ")[2]) in ("t", "v"):
            self.collecting = True
            self.preserve = attributes.get("http://www.w3.org/XML/1998/namespace space") == "preserve"
            self.pieces = []
        elif name == "rPh":
            self.phonetic = True
        self.start(name, attributes)

    def _end(self, qualified: str) -> None:
        """Store the text that was collected."""
        self.depth -= 1
        if (name := qualified.rpartition(" ")[2]) in ("t", "v"):
            self.collecting = False
            whole = "".join(self.pieces)
            if name == "t":
                # without xml:space="preserve" blanks around a text are the XML's, not the user's
                if not self.phonetic:
                    self.text.append(whole if self.preserve else whole.strip(_BLANKS))
                return
            self.value(whole)
        elif name == "rPh":
            self.phonetic = False
        self.end(name)

    def _characters(self, data: str) -> None:
        """Collect text."""
        if self.collecting:
            self.pieces.append(data)

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Process the start of an element, by its local name."""

    def end(self, name: str) -> None:
        """Process the end of an element, by its local name."""

    def value(self, text: str) -> None:
        """Process the content of a value."""


class _SharedStrings(_ElementReader):
    """Reader of the table of shared strings."""

    def __init__(self, name: str, member: str) -> None:
        super().__init__(name, member)
        self.strings: list[str] = []

    def end(self, name: str) -> None:
        """Store a string at the end of its runs."""
        if name == "si":
            self.strings.append(_unescape_xml_text("".join(self.text)))
            self.text = []


class SheetElements(_ElementReader):
    """Reader of the cells and facts of one worksheet, in the order of the XML.

    ``cells {row: {column: value}}`` has what is not blank; reading stops after ``most_rows`` rows.
    """

    def __init__(
        self,
        name: str,
        member: str,
        strings: list[str],
        styles: sheet_cells.CellFormats,
        date1904: bool,
        most_rows: int | None = None,
    ) -> None:
        super().__init__(name, member)
        self.strings, self.styles, self.date1904, self.most_rows = strings, styles, date1904, most_rows
        self.styled = styles.indents.keys() | styles.struck | styles.computed | styles.formats.keys()
        self.cells: dict[int, dict[int, sheet_cells.Value]] = {}
        self.facts = sheet_cells.SheetContent()
        self.row = self.column = -1
        self.kind, self.style, self.raw = "n", 0, ""
        self.has_formula = self.in_cell = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Process the start of an element."""
        if name == "c":
            self._start_cell(attributes)
        elif name == "f" and self.in_cell:
            self.has_formula = True
        elif name == "row":
            self._start_row(attributes)
        elif name == "col" and attributes.get("hidden") in _TRUE:
            self.facts.hidden_columns.append((int(attributes["min"]) - 1, int(attributes["max"]) - 1))
        elif name == "mergeCell" and (merged := sheet_cells.cell_range(attributes.get("ref", ""))):
            self.facts.merges.append(merged)
        elif name == "outlinePr" and "summaryBelow" in attributes:
            self.facts.summary_below = attributes["summaryBelow"] in _TRUE

    def _start_row(self, attributes: dict[str, str]) -> None:
        """Begin a row: its number, level and visibility; EndOfScan after the rows requested."""
        if self.most_rows is not None and len(self.cells) >= self.most_rows:
            raise EndOfScan
        stated = attributes.get("r", "")
        self.row = int(stated) - 1 if stated.isdecimal() and len(stated) < 9 else self.row + 1
        self.column = -1
        if attributes.get("hidden") in _TRUE:
            self.facts.hidden_rows.append(self.row)
        if (level := attributes.get("outlineLevel", "0")).isdecimal() and level != "0":
            self.facts.outline[self.row] = min(int(level), 255)

    def _start_cell(self, attributes: dict[str, str]) -> None:
        """Begin a cell: its address, which may be implied, its type and format."""
        if spot := sheet_cells.cell_position(attributes.get("r", "")):
            self.row, self.column = spot
        else:
            self.column += 1
        self.kind = attributes.get("t", "n")
        style = attributes.get("s", "0")
        self.style = int(style) if style.isdecimal() else 0
        self.raw, self.text = "", []
        self.has_formula, self.in_cell = False, True

    def value(self, text: str) -> None:
        """Store the raw value of a cell."""
        self.raw = text

    def end(self, name: str) -> None:
        """Process the end of an element; store the value of a cell."""
        if name != "c":
            return
        self.in_cell = False
        spot = (self.row, self.column)
        value = self._value()
        if isinstance(value, str) and (self.kind == "d" or (self.kind == "n" and self.style in self.styles.dates)):
            self.facts.dates.append(spot)
        if value is not None:
            self.cells.setdefault(self.row, {})[self.column] = value
        else:
            self.cells.get(self.row, {}).pop(self.column, None)
        if self.has_formula:
            self.facts.formulas.append(spot)
            if not self.raw and self.kind != "str":
                self.facts.unsaved.append(spot)
        if self.style in self.styled:
            self.facts.styles[spot] = self.style

    def _value(self) -> sheet_cells.Value:
        """Return the value of a cell by its type."""
        raw, kind = self.raw, self.kind
        if kind == "inlineStr":
            return _unescape_xml_text("".join(self.text)) or None
        if raw == "":
            return None
        if kind == "e":
            self.facts.errors.append((self.row, self.column, raw))
            return raw
        if kind == "d":
            return raw.removesuffix("Z").removesuffix("T00:00:00")
        if kind == "b":
            return raw.strip() != "0"
        return self._shared(raw) if kind == "s" else _unescape_xml_text(raw) if kind == "str" else self._number(raw)

    def _shared(self, raw: str) -> sheet_cells.Value:
        """Return a shared string; TableError if it does not exist (MP104)."""
        if not ((number := raw.strip()).isascii() and number.isdecimal() and int(number) < len(self.strings)):
            raise rejection_error("MP104", f"{self.member} refers to a shared string that does not exist", self.name)
        return self.strings[int(number)] or None

    def _number(self, raw: str) -> sheet_cells.Value:
        """Return a number; ISO text in a format of dates, the text itself if it is none."""
        try:
            number = float(raw) if "_" not in raw else None
        except ValueError:
            number = None
        if number is None:
            return _unescape_xml_text(raw)
        if self.style in self.styles.dates:
            code = self.styles.formats.get(self.style, "")
            return sheet_cells.date_text(
                number, self.date1904, elapsed=re.search(r"\[[hms]+\]", code, re.IGNORECASE) is not None
            )
        return number


def read_shared_strings(name: str, member: str, chunks: Iterable[bytes]) -> list[str]:
    """Read the table of shared strings, without phonetic runs; runs of rich text are joined."""
    reader = _SharedStrings(name, member)
    reader.parse(chunks)
    return reader.strings


def read_elements(reader: SheetElements, chunks: Iterable[bytes]) -> SheetElements:
    """Read a worksheet, or its first rows if the reader has a limit of rows."""
    with contextlib.suppress(EndOfScan):
        reader.parse(chunks)
    return reader
