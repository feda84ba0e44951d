"""Put values into the rows of an existing worksheet, leaving every other byte of them alone."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass, replace
from xml.sax.saxutils import unescape

from massprops_cli.files.workbook.cells import CellRange, cell_address, cell_position, cell_range, column_letters
from massprops_cli.files.workbook.package import part_bytes
from massprops_cli.files.workbook.sheet_xml import text_xml

_SHEET_DATA = re.compile(rb"<((?:[\w.-]+:)?)sheetData\b[^>]*?(/?)>")  # <sheetData>, <x:sheetData/>
_SINGLE_QUOTES = re.compile(rb"<(?:[\w.-]+:)?(?:worksheet|sheetData|row|c|f)\b[^>]*='")  # <c r='A1'
_DECLARED = re.compile(rb'<\?xml[^>]*encoding=["\']([\w.-]+)["\']')  # the encoding of the declaration
_TAG = re.compile(rb"<(/?)((?:[\w.-]+:)?)([\w.-]+)([^>]*?)(/?)>")  # any tag: prefix, local name, attributes
_MERGE = re.compile(rb'<(?:[\w.-]+:)?mergeCell\b[^>]*?ref="([A-Z0-9:]+)"')  # <mergeCell ref="A1:B2"/>
_COLUMN = re.compile(rb"<(?:[\w.-]+:)?col\b([^>]*)>")  # <col min="1" max="3" width="9"/>
_WIDTH = re.compile(rb'\bwidth="([\d.]+)"')  # width="9.5"
_OTHER_ATTRIBUTES = re.compile(rb'\s(?!min=|max=|width=|customWidth=)[\w:.-]+="[^"]*"')  # style="3"
_DEFAULT_WIDTH = re.compile(rb'<(?:[\w.-]+:)?sheetFormatPr\b[^>]*?\bdefaultColWidth="([\d.]+)"')
"""<sheetFormatPr defaultColWidth="9.5"."""
_USUAL_WIDTH = 8.43  # characters of a column where no width is stated
_DIMENSION = re.compile(rb'(<(?:[\w.-]+:)?dimension\b[^>]*?ref=")([A-Z0-9:]+)(")')  # <dimension ref="A1:C9"
_RELATIONS = re.compile(rb'xmlns:([\w.-]+)="([^"]+/relationships)"')  # the prefix of the namespace of relations
_WHOLE: dict[bytes, re.Pattern[bytes]] = {}
_AFTER_LEGACY = {
    b"legacyDrawingHF", b"drawingHF", b"picture", b"oleObjects", b"controls", b"webPublishItems", b"tableParts",
    b"extLst", b"AlternateContent",
}  # fmt: skip
"""What follows legacyDrawing in a worksheet (ECMA-376 part 1, 18.3.1.99)."""
_SHARED = re.compile(
    rb'<((?:[\w.-]+:)?)c\b([^>]*)>\s*<(?:[\w.-]+:)?f\b([^>]*?\bt="shared"[^>]*?)(?:/>|>([^<]*)</(?:[\w.-]+:)?f>)'
)  # a cell with a shared formula: tag, attributes, those of the formula, its text
_FORMULA_ADDRESS = re.compile(rb'\br="([A-Z]+\d+)"')  # r="A1"
_GROUP = re.compile(rb'\bsi="(\d+)"')  # si="0", the group of a shared formula
_ADDRESS = re.compile(rb'(?:^|\s)r="([A-Z]+)\d+"')  # r="A1", the letters of it
_COLUMNS: dict[bytes, int] = {}


@dataclass(slots=True)
class SheetText:
    """XML of a worksheet before, in and after its rows; ``prefix`` is that of its elements, such as ``b"x:"``."""

    head: bytes
    rows: bytes
    tail: bytes
    prefix: bytes

    def merges(self) -> list[CellRange]:
        """Return the merged ranges."""
        return [merged for ref in _MERGE.findall(self.tail) if (merged := cell_range(ref.decode()))]

    def column_styles(self) -> list[tuple[int, int, int]]:
        """Return the formats of columns."""
        numbers = (
            [_attribute_number(attributes, name) for name in (b"min", b"max", b"style")]
            for attributes in _COLUMN.findall(self.head)
        )
        return [(first - 1, last - 1, style) for first, last, style in numbers if style]

    def widen(self, extent: CellRange) -> None:
        """Extend the stated dimension of the sheet, if one is stated."""
        stated = _DIMENSION.search(self.head)
        known = cell_range(stated[2].decode()) if stated else None
        if stated is None or known is None:
            return
        first = min(known[0], extent[0]), min(known[1], extent[1])
        last = max(known[2], extent[2]), max(known[3], extent[3])
        if (*first, *last) != known:
            text = f"{cell_address(*first)}:{cell_address(*last)}".encode()
            self.head = self.head[: stated.start(2)] + text + self.head[stated.end(2) :]

    def widen_columns(self, needed: dict[int, float]) -> None:
        """Widen columns that are too narrow for their numbers."""
        stated = _DEFAULT_WIDTH.search(self.head)
        default = float(stated[1]) if stated else _USUAL_WIDTH
        spans = [_ColumnSpan.of(tag[1]) for tag in _COLUMN.finditer(self.head)]
        widths = {c: span.width for span in spans for c in needed if span.first <= c <= span.last and span.width}
        if not (narrow := {c: width for c, width in needed.items() if width > widths.get(c, default)}):
            return
        covered = {c for c in narrow for span in spans if span.first <= c <= span.last}
        made = [part for span in spans for part in span.split(narrow)]
        made += [_ColumnSpan(c, c, width, b"") for c, width in narrow.items() if c not in covered]
        made.sort(key=lambda span: span.first)
        p = self.prefix
        text = b"<" + p + b"cols>" + b"".join(span.xml(p) for span in made) + b"</" + p + b"cols>"
        head = re.sub(rb"<(?:[\w.-]+:)?cols\b.*</(?:[\w.-]+:)?cols>", b"", self.head, flags=re.DOTALL)
        place = head.rindex(b"<" + p + b"sheetData>")
        self.head = head[:place] + text + head[place:]

    def legacy_drawing(self) -> str:
        """Return the drawing that contains the boxes of the comments."""
        stated = next((attributes for _, name, attributes in self._tail_elements() if name == b"legacyDrawing"), b"")
        found = re.search(rb':id="([^"]*)"', stated)
        return found[1].decode() if found else ""

    def add_legacy_drawing(self, relation: str, strict: bool) -> None:
        """Add a reference to a drawing of comment boxes."""
        if declared := _RELATIONS.search(self.head):
            words = f'{declared[1].decode()}:id="{relation}"'
        else:
            home = "purl.oclc.org/ooxml/officeDocument" if strict else "schemas.openxmlformats.org/officeDocument/2006"
            words = f'xmlns:r="http://{home}/relationships" r:id="{relation}"'
        element = b"<" + self.prefix + b"legacyDrawing " + words.encode() + b"/>"
        later = (position for position, name, _ in self._tail_elements() if name in _AFTER_LEGACY)
        place = next(later, self.tail.rfind(b"</"))
        self.tail = self.tail[:place] + element + self.tail[place:]

    def _tail_elements(self) -> list[tuple[int, bytes, bytes]]:
        """Return position, local name and attributes of each element after the rows."""
        # the stretch begins with the end of the rows
        depth, found = 1, []
        for tag in _TAG.finditer(self.tail):
            closing, _, name, attributes, alone = tag.groups()
            if not closing and depth == 0:
                found.append((tag.start(), name, attributes))
            depth += -1 if closing else not alone
        return found


@dataclass(frozen=True, slots=True)
class _ColumnSpan:
    """Properties of a run of columns: first and last (from 0), width (0: not stated), other attributes."""

    first: int
    last: int
    width: float
    others: bytes

    @classmethod
    def of(cls, attributes: bytes) -> _ColumnSpan:
        """Read the attributes of an element ``col``."""
        width = _WIDTH.search(attributes)
        others = b"".join(_OTHER_ATTRIBUTES.findall(attributes))
        first, last = _attribute_number(attributes, b"min") - 1, _attribute_number(attributes, b"max") - 1
        return cls(first, last, float(width[1]) if width else 0.0, others)

    def split(self, widths: dict[int, float]) -> list[_ColumnSpan]:
        """Give the columns of ``widths`` their width, and leave the others as they are."""
        parts, first = [], self.first
        for column in sorted(c for c in widths if self.first <= c <= self.last):
            if first < column:
                parts.append(replace(self, first=first, last=column - 1))
            parts.append(replace(self, first=column, last=column, width=widths[column]))
            first = column + 1
        return parts + ([replace(self, first=first)] if first <= self.last else [])

    def xml(self, prefix: bytes) -> bytes:
        """Write the element ``col``."""
        width = b' width="%b" customWidth="1"' % f"{self.width:.10g}".encode() if self.width else b""
        return b'<%bcol min="%d" max="%d"%b%b/>' % (prefix, self.first + 1, self.last + 1, width, self.others)


def _attribute_number(attributes: bytes, name: bytes) -> int:
    """Return a whole number among the attributes of a tag; 0 where it is absent."""
    if (pattern := _WHOLE.get(name)) is None:
        pattern = _WHOLE[name] = re.compile(rb"(?:^|\s)" + name + rb'="(\d+)"')
    found = pattern.search(attributes)
    return int(found[1]) if found else 0


def split_sheet(content: bytes) -> SheetText | None:
    """Split the XML of a worksheet before and after its rows."""
    content = _usual_xml(content)
    if (start := _SHEET_DATA.search(content)) is None:
        return None
    prefix = start[1]
    opening = content[: start.start()] + b"<" + prefix + b"sheetData>"
    closing = b"</" + prefix + b"sheetData>"
    if start[2]:
        return SheetText(opening, b"", closing + content[start.end() :], prefix)
    end = content.rfind(closing)
    return SheetText(opening, content[start.end() : end], content[end:], prefix)


def _usual_xml(content: bytes) -> bytes:
    """Return XML in UTF-8 with double quotes, without comments and CDATA; unchanged if it is so."""
    declared = _DECLARED.match(content[:200])
    plain = not content.startswith((b"\xff\xfe", b"\xfe\xff", b"\x00", b"<\x00")) and (
        declared is None or declared[1].lower() in (b"utf-8", b"us-ascii")
    )
    if plain and b"<!" not in content and not (b"='" in content and _SINGLE_QUOTES.search(content)):
        return content
    from lxml import etree

    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, huge_tree=False, load_dtd=False, remove_comments=True
    )
    return part_bytes(etree.fromstring(content, parser))


def unshare_formulas(rows: bytes, overwritten: Set[tuple[int, int]]) -> bytes:
    """Write separate formulas in the groups of shared formulas whose first cell is overwritten."""
    if b'"shared"' not in rows:
        return rows
    groups: dict[bytes, tuple[str, str]] = {}
    for cell in _SHARED.finditer(rows):
        where, group = _FORMULA_ADDRESS.search(cell[2]), _GROUP.search(cell[3])
        if cell[4] and where and group and cell_position(where[1].decode()) in overwritten:
            groups[group[1]] = "=" + unescape(cell[4].decode()), where[1].decode()
    if not groups:
        return rows
    from openpyxl.formula.translate import Translator

    def own(cell: re.Match[bytes]) -> bytes:
        where, group = _FORMULA_ADDRESS.search(cell[2]), _GROUP.search(cell[3])
        if where is None or group is None or group[1] not in groups:
            return cell[0]
        text, origin = groups[group[1]]
        moved = Translator(text, origin=origin).translate_formula(where[1].decode())
        p = cell[1].decode()
        return f"<{p}c{cell[2].decode()}><{p}f>{text_xml(str(moved)[1:])}</{p}f>".encode()

    return _SHARED.sub(own, rows)


RowValues = dict[int, list[tuple[int, bytes]]]
"""What goes into a sheet: by row, ascending columns, each with a number's text, ``b""`` for blank, or ``b"<is>…"``."""

_BLOCK = 512  # pieces joined in one
_MODEL_BYTES = 1_000_000  # of a sheet, which determine the number formats of computed cells
_ANY_TEXT = b"<>"
_Gap = tuple[tuple[int, ...], tuple[bytes, ...], int]  # columns, kinds of their values, format of the row
_SPANS = re.compile(rb'\s+spans="[^"]*"')
_IS_TEXT = re.compile(rb'\bt="(?!n")')  # t="s" and other types than t="n"
_ARRAY = re.compile(rb'<(?:[\w.-]+:)?f\b[^>]*?\bt="(?:array|dataTable)"[^>]*>')  # <f t="array" ref="A1:A9">
_REF = re.compile(rb'\bref="([A-Z0-9:]+)"')  # ref="A1:A9"
_SAVED = re.compile(rb"<(?:[\w.-]+:)?v\b[^>]*>([^<]*)<")  # <v>1.5</v>


@dataclass(slots=True)
class KeptFormula:
    """A formula that was not overwritten: its place, the saved value, the computed value."""

    row: int
    column: int
    saved: str
    computed: str
    whole: bool = False

    @property
    def shown(self) -> str:
        """The value that was not written, as words."""
        if self.computed.startswith("<"):
            return unescape(re.sub(r"<[^>]*>", "", self.computed))
        return self.computed or "nothing"

    def agrees(self, tolerance: float) -> bool:
        """Return whether the saved value of the formula equals the computed value."""
        try:
            one, other = float(self.saved), float(self.computed)
        except ValueError:
            return self.saved == self.shown
        return abs(one - other) <= tolerance * max(abs(one), abs(other))


class RowEditor:
    """Editor of the rows of one sheet; cells of ``plain_row`` (a header) are written without the mark.

    ``marked`` adds the mark to a format, ``unmark`` takes it from cells that are not computed any more.
    """

    def __init__(
        self,
        sheet: SheetText,
        marked: Callable[[int], int],
        unmark: dict[int, int],
        *,
        overwrite: bool = False,
        plain_row: int = -1,
        with_format: Callable[[int, int, int], int] = lambda style, *_: style,
        looks: Mapping[tuple[int, int], int] | None = None,
        longest: Mapping[int, int] | None = None,  # digits before the point of a column's widest number
    ) -> None:
        self.sheet, self.marked, self.overwrite, self.plain_row = sheet, marked, overwrite, plain_row
        self.with_format, self.looks, self.longest = with_format, looks, longest or {}
        self.models: dict[int, int] | None = None
        self.gaps: dict[_Gap, bytes] = {}  # cells to fill in
        self.known_styles: dict[tuple[int, int, bool], int] = {}
        p = re.escape(sheet.prefix)
        self.row_tag = re.compile(rb"<" + p + rb"row\b([^>]*?)(/?)>")
        self.cell_tag = re.compile(rb"<" + p + rb"c\b([^>]*?)(?:/>|>(.*?)</" + p + rb"c>)", re.DOTALL)
        self.row_end = b"</" + sheet.prefix + b"row>"
        self.formula = b"<" + sheet.prefix + b"f"
        self.columns = sheet.column_styles()
        self.kept: list[KeptFormula] = []
        self.replaced: list[tuple[int, int]] = []
        self.digits: dict[tuple[int, int], int] = {}  # most before the point of new numbers, by column and format
        self.blocks = _array_ranges(sheet.rows)
        self.unmarked = {str(k).encode(): str(v).encode() for k, v in unmark.items() if k != v}
        names = b"|".join(self.unmarked)
        self.marks = re.compile(rb"(<" + p + rb'c\b[^>]*?\ss=")(' + names + rb')(")') if self.unmarked else None

    def edited(self, values: RowValues) -> Iterator[bytes]:
        """Write the rows with new values, piece by piece."""
        values = self._without_covered(values)
        data, pending = self.sheet.rows, sorted(values)
        done = position = 0
        number = -1
        pieces: list[bytes] = []
        for tag in self.row_tag.finditer(data):
            stated = _attribute_number(tag[1], b"r")
            number = stated - 1 if stated else number + 1
            while done < len(pending) and pending[done] < number:
                pieces.append(self._plain(data[position : tag.start()]))
                position = tag.start()
                pieces.append(self._new_row(pending[done], values[pending[done]]))
                done += 1
            if done == len(pending):
                break
            if pending[done] != number:
                continue
            pieces.append(self._plain(data[position : tag.start()]))
            end = tag.end() if tag[2] else data.index(self.row_end, tag.end())
            pieces.append(self._edited_row(number, tag[1], data[tag.end() : end], values[number]))
            position = end if tag[2] else end + len(self.row_end)
            done += 1
            if len(pieces) >= _BLOCK:
                yield b"".join(pieces)
                pieces.clear()
        pieces.append(self._plain(data[position:]))
        pieces += [self._new_row(row, values[row]) for row in pending[done:]]
        yield b"".join(pieces)

    def _edited_row(self, row: int, attributes: bytes, cells: bytes, values: list[tuple[int, bytes]]) -> bytes:
        """Return a row with its new values; cells that are absent are inserted in order."""
        number, prefix = str(row + 1).encode(), self.sheet.prefix
        row_style = _attribute_number(attributes, b"s") if b"customFormat" in attributes else -1
        if (filled := self._filled_gap(number, cells, values, row_style)) is not None:
            return b"<%brow%b>%b" % (prefix, _SPANS.sub(b"", attributes), filled) + self.row_end
        wanted = dict(values)
        left = [column for column, _ in values]
        pieces, column, inserted, done, position, ending = [], -1, False, 0, 0, 0
        for cell in self.cell_tag.finditer(cells):
            stated = _column_number(cell[1])
            column = column + 1 if stated is None else stated
            ending = cell.end()
            while done < len(left) and left[done] < column:
                pieces.append(self._plain(cells[position : cell.start()]))
                position = cell.start()
                pieces.append(self._new_cell(number, left[done], wanted[left[done]], row_style))
                done, inserted = done + 1, True
            if done == len(left) or left[done] != column:
                continue
            pieces.append(self._plain(cells[position : cell.start()]))
            pieces.append(self._edited_cell(row, column, cell, wanted[column]))
            position = cell.end()
            done += 1
        pieces.append(self._plain(cells[position:ending]))
        for late in left[done:]:
            pieces.append(self._new_cell(number, late, wanted[late], row_style))
            inserted = True
        pieces.append(self._plain(cells[ending:]))
        if inserted:
            attributes = _SPANS.sub(b"", attributes)
        return b"<" + prefix + b"row" + attributes + b">" + b"".join(pieces) + self.row_end

    def _filled_gap(self, number: bytes, cells: bytes, values: list[tuple[int, bytes]], row_style: int) -> bytes | None:
        """Put numbers and texts between the cells of a row, all in one go; None for a row with other cells to edit."""
        if not values or self.marks or self.looks or not all(text for _, text in values):
            return None
        columns, texts = zip(*values, strict=True)
        kinds = tuple([_ANY_TEXT if text[:1] == b"<" else b"0e" for text in texts])
        at = 0
        for cell in self.cell_tag.finditer(cells):
            column = _column_number(cell[1])
            if column is None or columns[0] <= column <= columns[-1]:
                return None
            at = cell.end() if column < columns[0] else cell.start()
            if column > columns[-1]:
                break
        if (pattern := self.gaps.get((columns, kinds, row_style))) is None:
            pattern = b""
            for column, kind in zip(columns, kinds, strict=True):
                model = self._new_cell(b"\0", column, kind, row_style)
                pattern += model.replace(_ANY_TEXT, b"%b").replace(b">0e<", b">%b<")
                if kind != _ANY_TEXT:
                    self._new_cell(b"", column, b"9" * self.longest.get(column, 0), row_style)
            self.gaps[columns, kinds, row_style] = pattern
        return cells[:at] + pattern.replace(b"\0", number) % texts + cells[at:]

    def _edited_cell(self, row: int, column: int, cell: re.Match[bytes], value: bytes) -> bytes:
        """Return a cell with its new value, or unchanged if its formula is kept."""
        inner = cell[2] or b""
        block = next((b for b in self.blocks if b[0] <= row <= b[2] and b[1] <= column <= b[3]), None)
        if block is not None or self.formula in inner:
            # part of an array cannot be changed: the whole of it stays
            if not self.overwrite or (block is not None and block[:2] != block[2:]):
                saved = _SAVED.search(inner)
                before = saved[1].decode() if saved else ""
                self.kept.append(KeptFormula(row, column, before, value.decode(), block is not None))
                return cell[0]
            self.replaced.append((row, column))
        style = _attribute_number(cell[1], b"s")
        style = style if row == self.plain_row else self._filled_style(column, style, value)
        return self._cell(column, str(row + 1).encode(), value, style)

    def _new_cell(self, number: bytes, column: int, value: bytes, row_style: int) -> bytes:
        """Return a cell that is absent, in the format of its row or column; nothing for a blank."""
        if not value:
            return b""
        style = row_style
        if style < 0:
            style = next((s for first, last, s in self.columns if first <= column <= last), 0)
        return self._cell(column, number, value, self._filled_style(column, max(style, 0), value))

    def _filled_style(self, column: int, style: int, value: bytes) -> int:
        """Return the format of a computed cell: its own, with the number format of its column and the mark."""
        is_number = bool(value) and not value.startswith(b"<")
        if (known := self.known_styles.get((column, style, is_number))) is None:
            if self.models is None:
                self.models = _usual_number_styles(self.sheet.rows, self.cell_tag)
            known = self.with_format(style, self.models.get(column, 0), column) if is_number else style
            known = self.known_styles[column, style, is_number] = self.marked(known)
        if is_number and b"e" not in value:
            self.digits[column, known] = max(self.digits.get((column, known), 0), len(value.partition(b".")[0]))
        return known

    def _new_row(self, row: int, values: list[tuple[int, bytes]]) -> bytes:
        """Return a row that is absent; nothing without values."""
        number, prefix = str(row + 1).encode(), self.sheet.prefix
        cells = b"".join(self._new_cell(number, column, value, -1) for column, value in values)
        return b"<" + prefix + b'row r="' + number + b'">' + cells + self.row_end if cells else b""

    def _cell(self, column: int, number: bytes, value: bytes, style: int) -> bytes:
        """Return the XML of a blank, text or number."""
        style = self.looks.get((int(number) - 1, column), style) if self.looks else style
        p = self.sheet.prefix
        start = b'<%bc r="%b%b" s="%d"' % (p, column_letters(column).encode(), number, style)
        if not value:
            return start + b"/>"
        if value.startswith(b"<"):
            return b'%b t="inlineStr">%b</%bc>' % (start, value, p)
        return b"%b><%bv>%b</%bv></%bc>" % (start, p, value, p, p)

    def _plain(self, data: bytes) -> bytes:
        """Remove the mark of cells that are no longer computed."""
        return self.marks.sub(lambda m: m[1] + self.unmarked[m[2]] + m[3], data) if self.marks else data

    def _without_covered(self, values: RowValues) -> RowValues:
        """Omit cells that a merged range hides behind its corner."""
        rows = sorted(values)
        hidden: set[tuple[int, int]] = set()
        for first, left, last, right in self.sheet.merges():
            among = rows[bisect_left(rows, first) : bisect_left(rows, last + 1)]
            inside = {(row, column) for row in among for column, _ in values[row] if left <= column <= right}
            hidden |= inside - {(first, left)}
        if not hidden:
            return values
        kept = {row: [pair for pair in pairs if (row, pair[0]) not in hidden] for row, pairs in values.items()}
        return {row: pairs for row, pairs in kept.items() if pairs}


def _usual_number_styles(rows: bytes, cell_tag: re.Pattern[bytes]) -> dict[int, int]:
    """Return the most frequent format of the numbers of each column, in the first part of a sheet."""
    counts: dict[int, Counter[int]] = {}
    for cell in cell_tag.finditer(rows, 0, _MODEL_BYTES):
        column = _column_number(cell[1])
        content = cell[2] or b""
        if column is None or not (b":v>" in content or b"<v>" in content) or _IS_TEXT.search(cell[1]):
            continue
        counts.setdefault(column, Counter())[_attribute_number(cell[1], b"s")] += 1
    return {column: found.most_common(1)[0][0] for column, found in counts.items()}


def _array_ranges(rows: bytes) -> list[CellRange]:
    """Return the ranges of array formulas and data tables; their cells cannot be changed separately."""
    if b'"array"' not in rows and b'"dataTable"' not in rows:
        return []
    refs = [ref for tag in _ARRAY.findall(rows) if (ref := _REF.search(tag))]
    return [block for ref in refs if (block := cell_range(ref[1].decode()))]


def values_extent(values: RowValues) -> CellRange | None:
    """Return the smallest range that contains all values."""
    if not (rows := [row for row, pairs in values.items() if pairs]):
        return None
    columns = [column for row in rows for column in (values[row][0][0], values[row][-1][0])]
    return min(rows), min(columns), max(rows), max(columns)


def _column_number(attributes: bytes) -> int | None:
    """Return the column of a cell's address, from 0; None if it has none."""
    if (found := _ADDRESS.search(attributes)) is None:
        return None
    letters = found[1]
    if (column := _COLUMNS.get(letters)) is None:
        position = cell_position(letters.decode() + "1")
        column = _COLUMNS[letters] = position[1] if position else -1
    return column
