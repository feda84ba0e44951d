"""Read a worksheet element by element: slower than the fast path, but sparse, and for any legal way to write the XML.

It is the reader for Strict prefixes, cells without an address, and sheets whose cells stand so far apart that a
dense grid would not fit in memory. Nothing in it recurses, and nesting is counted.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING
from xml.parsers import expat

from massprops_cli.files.guard import refusal
from massprops_cli.files.workbook.reading.content import SheetFacts, Value, cell_position, cell_range, date_text

if TYPE_CHECKING:
    from massprops_cli.files.workbook.reading.package import Styles

DEEPEST = 64
"""Elements of a worksheet nest no deeper than this; deeper nesting is an attack."""

_ESCAPE = re.compile(r"_x([0-9A-Fa-f]{4})_")
_BLANKS = " \t\r\n"
_TRUE = ("1", "true", "on")


class Stopped(Exception):  # noqa: N818 - a signal, not an error
    """Enough rows have been read."""


def unescape(text: str) -> str:
    """Undo the escapes of characters that XML cannot hold.

    >>> unescape("a_x000A_b"), unescape("_x005F_x000A_")
    ('a\\nb', '_x000A_')
    """
    return _ESCAPE.sub(lambda m: chr(int(m.group(1), 16)), text) if "_x" in text else text


class _Reader:
    """The part that both shared strings and worksheets have: counted nesting, collected text, no phonetic runs."""

    def __init__(self, name: str, member: str) -> None:
        self.name, self.member = name, member
        self.depth = 0
        self.pieces: list[str] = []
        self.text: list[str] = []
        self.collecting = self.preserve = self.phonetic = False

    def parse(self, chunks: Iterable[bytes]) -> None:
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.StartDoctypeDeclHandler = self._doctype
        try:
            for chunk in chunks:
                parser.Parse(chunk, False)
            parser.Parse(b"", True)
        except expat.ExpatError as error:
            message = f"{self.member} is corrupt in line {error.lineno}"
            raise refusal("MP104", message, self.name) from None

    def _doctype(self, *_declared: object) -> None:
        raise refusal("MP115", f"{self.member} declares a document type", self.name)

    def _start(self, qualified: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        if self.depth > DEEPEST:
            raise refusal("MP115", f"{self.member} nests elements deeper than {DEEPEST}", self.name)
        name = qualified.rpartition(" ")[2]
        if name in ("t", "v"):
            self.collecting = True
            self.preserve = attributes.get("http://www.w3.org/XML/1998/namespace space") == "preserve"
            self.pieces = []
        elif name == "rPh":
            self.phonetic = True
        self.start(name, attributes)

    def _end(self, qualified: str) -> None:
        self.depth -= 1
        name = qualified.rpartition(" ")[2]
        if name in ("t", "v"):
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
        if self.collecting:
            self.pieces.append(data)

    def start(self, name: str, attributes: dict[str, str]) -> None: ...

    def end(self, name: str) -> None: ...

    def value(self, text: str) -> None: ...


class _Strings(_Reader):
    def __init__(self, name: str, member: str) -> None:
        super().__init__(name, member)
        self.strings: list[str] = []

    def end(self, name: str) -> None:
        if name == "si":
            self.strings.append(unescape("".join(self.text)))
            self.text = []


class SheetElements(_Reader):
    """The cells and facts of one worksheet, as they are met.

    ``cells {row: {column: value}}`` holds what is not blank; reading stops after ``most_rows`` rows where given.
    """

    def __init__(
        self,
        name: str,
        member: str,
        strings: list[str],
        styles: Styles,
        date1904: bool,
        most_rows: int | None = None,
    ) -> None:
        super().__init__(name, member)
        self.strings, self.styles, self.date1904, self.most_rows = strings, styles, date1904, most_rows
        self.styled = styles.indents.keys() | styles.struck | styles.formats.keys()
        self.cells: dict[int, dict[int, Value]] = {}
        self.facts = SheetFacts()
        self.row = self.column = -1
        self.kind, self.style, self.raw = "n", 0, ""
        self.has_formula = self.in_cell = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Take up a row, a cell, or one of the facts around them."""
        if name == "c":
            self._start_cell(attributes)
        elif name == "f" and self.in_cell:
            self.has_formula = True
        elif name == "row":
            self._start_row(attributes)
        elif name == "col" and attributes.get("hidden") in _TRUE:
            self.facts.hidden_columns.append((int(attributes["min"]) - 1, int(attributes["max"]) - 1))
        elif name == "mergeCell" and (merged := cell_range(attributes.get("ref", ""))):
            self.facts.merges.append(merged)
        elif name == "dimension":
            self.facts.dimension = cell_range(attributes.get("ref", ""))
        elif name == "outlinePr" and "summaryBelow" in attributes:
            self.facts.summary_below = attributes["summaryBelow"] in _TRUE

    def _start_row(self, attributes: dict[str, str]) -> None:
        if self.most_rows is not None and len(self.cells) >= self.most_rows:
            raise Stopped
        stated = attributes.get("r", "")
        self.row = int(stated) - 1 if stated.isdecimal() and len(stated) < 9 else self.row + 1
        self.column = -1
        if attributes.get("hidden") in _TRUE:
            self.facts.hidden_rows.append(self.row)
        level = attributes.get("outlineLevel", "0")
        if level.isdecimal() and level != "0":
            self.facts.outline[self.row] = min(int(level), 255)

    def _start_cell(self, attributes: dict[str, str]) -> None:
        spot = cell_position(attributes.get("r", ""))
        if spot:
            self.row, self.column = spot
        else:
            self.column += 1
        self.kind = attributes.get("t", "n")
        style = attributes.get("s", "0")
        self.style = int(style) if style.isdecimal() else 0
        self.raw, self.text = "", []
        self.has_formula, self.in_cell = False, True

    def value(self, text: str) -> None:
        """Keep a cell's raw value."""
        self.raw = text

    def end(self, name: str) -> None:
        """Finish a cell."""
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
        self._widen(*spot)
        if self.has_formula:
            self.facts.formulas.append(spot)
            if not self.raw and self.kind != "str":
                self.facts.unsaved.append(spot)
        if self.style in self.styled:
            self.facts.styles[spot] = self.style

    def _value(self) -> Value:
        raw, kind = self.raw, self.kind
        if kind == "inlineStr":
            return unescape("".join(self.text)) or None
        if raw == "":
            return None
        if kind == "e":
            self.facts.errors.append((self.row, self.column, raw))
            return raw
        if kind == "d":
            return raw.removesuffix("Z").removesuffix("T00:00:00")
        if kind == "b":
            return raw.strip() != "0"
        return self._shared(raw) if kind == "s" else unescape(raw) if kind == "str" else self._number(raw)

    def _shared(self, raw: str) -> Value:
        number = raw.strip()
        if not (number.isascii() and number.isdecimal() and int(number) < len(self.strings)):
            raise refusal("MP104", f"{self.member} names a shared string that does not exist", self.name)
        return self.strings[int(number)] or None

    def _number(self, raw: str) -> Value:
        try:
            number = float(raw) if "_" not in raw else None
        except ValueError:
            number = None
        if number is None:
            return unescape(raw)
        if self.style in self.styles.dates:
            code = self.styles.formats.get(self.style, "")
            return date_text(number, self.date1904, elapsed=re.search(r"\[[hms]+\]", code, re.IGNORECASE) is not None)
        return number

    def _widen(self, row: int, column: int) -> None:
        was = self.facts.extent
        self.facts.extent = (
            (row, column, row, column)
            if was is None
            else (min(was[0], row), min(was[1], column), max(was[2], row), max(was[3], column))
        )


def read_strings(name: str, member: str, chunks: Iterable[bytes]) -> list[str]:
    """Read the table of shared strings; runs of rich text are joined, phonetic runs left out."""
    reader = _Strings(name, member)
    reader.parse(chunks)
    return reader.strings


def read_elements(reader: SheetElements, chunks: Iterable[bytes]) -> SheetElements:
    """Read a worksheet, or its first rows where the reader was told to stop."""
    with contextlib.suppress(Stopped):
        reader.parse(chunks)
    return reader
