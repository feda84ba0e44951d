"""Large delimited files: the bytes are not copied; PyArrow reads the requested columns on all cores.

Only plain files are read here: every record as wide as the first, quotes only around whole fields. All others go to
the reader for small files, which reports the findings, so that both readers have the same findings.

Delimited text: csv and tsv, read by Python's csv with every character kept. Starts fastest for small files.

Rows of a delimited file that are not as wide as its header: titles above it are left alone, the missing cells of short
rows are blank with one note, longer rows are findings.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.arrow import arrow_text_positions, put_arrow_floats
from massprops_cli.files.delimited_records import (
    DelimitedTable,
    FileBytes,
    HeldBytes,
    RawRecords,
    map_in_threads,
    record_spans,
)
from massprops_cli.files.encoding import (
    BYTE_ORDER_MARKS,
    DecodedText,
    added_header_line,
    decode_text,
    unescape_formula,
)
from massprops_cli.files.options import FileOptions
from massprops_cli.files.table import BLANK, NUMBER, TEXT, ColumnNumbers, TableSource
from massprops_cli.findings.finding import Finding, Findings, Place, TableError, UsageError, name_list, rule_finding

_TITLE_ROWS = 40
"""Maximum number of title rows above a header."""

_SAMPLE_ROWS = 100
"""Number of rows that determine the usual width of a table."""

_MOST_RELATED = 1_000  # places in one finding
_MOST_SHOWN = 12  # lines that a message names


def _check_row_widths(name: str, rows: list[list[str]], lines: Sequence[int], findings: Findings) -> None:
    """Pad or cut every row to the width of the header; report other widths, once for each number of fields."""
    header = _header_row_number(rows)
    width = len(rows[header])
    for title in rows[:header]:
        title.extend([""] * (width - len(title)))
    long: dict[int, list[int]] = {}
    short: list[int] = []
    for i, count in enumerate(map(len, rows)):
        if count == width:
            continue
        if count < width:
            short.append(i)
        elif not any(rows[i][width:]):
            del rows[i][width:]
        else:
            long.setdefault(count, []).append(i)
    if short:
        findings.append(_short_rows_finding(name, rows, lines, short, width))
    findings += [_long_rows_finding(name, lines, which, count, width) for count, which in long.items()]


def _header_row_number(rows: Sequence[Sequence[str]]) -> int:
    """Return the row of the header: the first, unless shorter title rows are above one of the usual width."""
    # a title has one field with text; where it has more, the row below the titles has to look like a header: all its
    # fields have a text, and none is a number
    usual = Counter(map(len, rows[:_SAMPLE_ROWS])).most_common(1)[0][0]
    above = next((i for i, row in enumerate(rows[: _TITLE_ROWS + 1]) if len(row) >= usual), 0)
    if not above or len(rows[above]) > usual:
        return 0
    if all(sum(map(bool, row)) <= 1 for row in rows[:above]):
        return above
    return above if all(text.strip() and not _is_number(text) for text in rows[above]) else 0


def _is_number(text: str) -> bool:
    """Return whether a text is a number, with a decimal point or comma."""
    try:
        float(text.replace(",", "."))
    except ValueError:
        return False
    return True


def _short_rows_finding(
    name: str, rows: Sequence[Sequence[str]], lines: Sequence[int], which: list[int], width: int
) -> Finding:
    """Note the rows that have fewer fields than the header; their missing cells are blank."""
    if len(which) == 1:
        message = f"row has {_field_count(len(rows[which[0]]))} (header has {width}); the missing cells are blank"
    else:
        shown = _line_list(lines, which)
        message = (
            f"{len(which):,} rows have fewer fields than the header ({width}); the missing cells are blank: {shown}"
        )
    places = _row_places(name, lines, which)
    return rule_finding("MP133", message, places[0], count=len(which), related=tuple(places[1:]))


def _long_rows_finding(name: str, lines: Sequence[int], which: list[int], count: int, width: int) -> Finding:
    """Report the rows that have one number of fields, more than the header."""
    message = f"row has {_field_count(count)} (header has {width})"
    if len(which) > 1:
        message = f"{len(which):,} rows have {_field_count(count)} (header has {width}): {_line_list(lines, which)}"
    places = _row_places(name, lines, which)
    return rule_finding("MP108", message, places[0], count=len(which), related=tuple(places[1:]))


def _row_places(name: str, lines: Sequence[int], which: list[int]) -> list[Place]:
    """Return the places of the first rows."""
    return [Place(name, row=i + 1, line=int(lines[i])) for i in which[:_MOST_RELATED]]


def _field_count(count: int) -> str:
    """Return a number of fields in words."""
    return "1 field" if count == 1 else f"{count} fields"


def _line_list(lines: Sequence[int], which: list[int]) -> str:
    """List the lines of some rows, the first ones by number."""
    shown = [str(int(lines[i])) for i in which[:_MOST_SHOWN]]
    return f"lines {name_list(shown, _MOST_SHOWN, count=len(which))}"


_DELIMITERS = (",", ";", "\t", "|")
_NAMES = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
_OPTION_WORDS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "pipe"}
"""Delimiters as the option accepts them."""
_LARGE_FILE_BYTES = 2**23
"""Bytes from which on the reader for large files pays for its start."""


def read_delimited(
    name: str,
    data: bytes | memoryview | FileBytes,
    format: str,
    options: FileOptions,
    compressed: bool,
    findings: Findings,
) -> DelimitedTable:
    """Read delimited text from memory or from an open file."""
    if isinstance(data, FileBytes):
        read = _read_open_file(name, data, format, options)
        if read is not None:
            return read
        data = data[:]
    text = decode_text(name, data, options.encoding)
    head = bytes(text.body[: 2**18]).decode("utf-8", "ignore")
    if not head.strip():
        raise TableError([rule_finding("MP111", "file is empty", Place(name))])
    delimiter = _file_delimiter(name, head, format, options)
    newline = _first_line_break(head)
    source = TableSource(name, format, "", text.encoding, delimiter, compressed, text.mark, newline, options.columns)
    if options.columns:
        text = text._replace(body=added_header_line(source) + bytes(text.body))
    if len(text.body) >= _LARGE_FILE_BYTES:
        read = _read_large_delimited(source, HeldBytes(text.body), options)
        if read is not None:
            return read
    return _read_small_delimited(source, text, options, findings)


def _read_open_file(name: str, data: FileBytes, format: str, options: FileOptions) -> _LargeDelimitedTable | None:
    """Read a large plain UTF-8 file part by part; None if it must be read as a whole."""
    head = data[: 2**18]
    marked = any(head.startswith(mark) for mark, _ in BYTE_ORDER_MARKS)
    if len(data) < _LARGE_FILE_BYTES or options.encoding not in ("", "utf-8") or options.columns or marked:
        return None
    shown = head.decode("utf-8", "ignore")
    if not shown.strip():
        return None
    delimiter, newline = _file_delimiter(name, shown, format, options), _first_line_break(shown)
    return _read_large_delimited(
        TableSource(name, format, "", "utf-8", delimiter, False, False, newline), data, options
    )


def _file_lines(source: TableSource, lines: Sequence[int]) -> list[int]:
    """Return the lines of records in the file, where a header was put above it; its line is then 1."""
    return [max(line - 1, 1) for line in lines] if source.columns else list(lines)


def _read_small_delimited(
    source: TableSource, text: DecodedText, options: FileOptions, findings: Findings
) -> DelimitedTable:
    """Read a file with the csv module."""
    body = text.body if isinstance(text.body, bytes) else bytes(text.body)
    lines = list(io.StringIO(body.decode(), newline=""))
    rows, first = _split_records(source, lines, options.caps.text_cell_characters)
    at = _file_lines(source, [a + 1 for a, _ in first])
    _check_row_widths(source.name, rows, at, findings)

    return DelimitedTable(source, rows, at, partial(_raw_records, body, lines, first))


def _raw_records(body: bytes, lines: Sequence[str], spans: Sequence[tuple[int, int]]) -> RawRecords:
    """Return the records of a small file, each of which spans the lines ``a:b``."""
    lengths = np.array([len(line.encode()) for line in lines], np.int64)
    bounds = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    begins = [a for a, _ in spans]
    ends = [int(bounds[b]) - _line_break_length(lines[b - 1]) for _, b in spans]
    starts = np.append(bounds[begins], bounds[-1])
    return RawRecords(HeldBytes(body), starts, np.array(ends, np.int64))


def _split_records(source: TableSource, lines: list[str], cap: int) -> tuple[list[list[str]], list[tuple[int, int]]]:
    """Split lines into records, without blank lines: the fields of each, and the lines ``a:b`` that it spans."""
    try:
        return _strict_records(source, lines, cap)
    except TableError:  # blanks behind a closing quote
        return _strict_records(source, _without_blanks_after_quotes(lines, source.delimiter), cap)


def _without_blanks_after_quotes(lines: list[str], delimiter: str) -> list[str]:
    """Remove the blanks between the closing quote of a field and the next delimiter: ``"72,640"  ``."""
    field = rf'(?:(?<=[\r\n]|{re.escape(delimiter)})|\A)("(?:[^"]|"")*") *(?={re.escape(delimiter)}|[\r\n]|\Z)'
    return list(io.StringIO(re.sub(field, r"\1", "".join(lines)), newline=""))


def _strict_records(source: TableSource, lines: list[str], cap: int) -> tuple[list[list[str]], list[tuple[int, int]]]:
    """Split lines into records with the csv module; a field ends at its closing quote."""
    rows: list[list[str]] = []
    first: list[tuple[int, int]] = []
    begin = 0
    limit = csv.field_size_limit(cap)
    guards = any("'" in line for line in lines)
    reader = csv.reader(lines, delimiter=source.delimiter, strict=True)
    try:
        for row in reader:
            if row:
                rows.append([unescape_formula(cell) for cell in row] if guards else row)
                first.append((begin, reader.line_num))
            begin = reader.line_num
    except csv.Error as error:
        place = Place(source.name, line=begin + 1)
        if "limit" in str(error):
            message = f"cell has more than {cap:,} characters"
            remedy = f"shorten the cell, close an open quote, or pass --cap text-cell-characters={2 * cap}"
            raise TableError([rule_finding("MP114", message, place, remedy=remedy)]) from None
        unclosed = "end of data" in str(error)
        message = "quoted field is not closed" if unclosed else "quoted field continues after its closing quote"
        raise TableError([rule_finding("MP109", message, place)]) from None
    finally:
        csv.field_size_limit(limit)
    if not rows:
        raise TableError([rule_finding("MP111", "file contains only blank lines", Place(source.name))])
    return rows, first


def _file_delimiter(name: str, head: str, format: str, options: FileOptions) -> str:
    """Return the delimiter: that of the options, a tab for tsv, or the one with the best table in the first rows."""
    if options.delimiter:
        delimiter = {"\\t": "\t", "tab": "\t"}.get(options.delimiter, options.delimiter)
        if len(delimiter) != 1 or delimiter in '"\r\n':
            raise UsageError(f"delimiter is not a single permitted character: {options.delimiter!r}")
        return delimiter
    if format == "tsv":
        return "\t"
    scored = sorted(((*_delimiter_score(head, d), -k, d) for k, d in enumerate(_DELIMITERS)), reverse=True)
    best, second = scored[0], scored[1]
    named = [one for one in scored if one[1] == len(options.columns)]
    if len(named) == 1:
        return named[0][3]
    # a second delimiter that splits every row as evenly, into about as many fields, is as good a reading
    if best[0] == second[0] == 1.0 and second[1] * 2 > best[1]:
        names = f"{_NAMES[best[3]]} and {_NAMES[second[3]]}"
        message = f"delimiter is ambiguous: {names} each give a consistent table"
        options_of_both = (f"--delimiter {_OPTION_WORDS[d]}" for d in (best[3], second[3]))
        remedy = f"pass {' or '.join(options_of_both)}"
        raise TableError([rule_finding("MP110", message, Place(name, line=1), remedy=remedy)])
    return best[3]


def _delimiter_score(head: str, delimiter: str) -> tuple[float, int]:
    """Return the share of the first rows with the usual number of fields, and that number; (0, 1) for one field."""
    lines = io.StringIO(head, newline="")
    widths: list[int] = []
    limit = csv.field_size_limit(len(head) + 1)
    try:
        widths = [len(row) for row in islice(csv.reader(lines, delimiter=delimiter), 50) if row]
    except csv.Error:
        return 0.0, 1
    finally:
        csv.field_size_limit(limit)
    if len(widths) > 1 and len(head) >= 2**17:
        widths.pop()
    width, count = Counter(widths).most_common(1)[0] if widths else (1, 0)
    if width == 1 or (widths[0] == 1 and count < len(widths) - 1):
        return 0.0, 1
    return count / len(widths), width


def _first_line_break(head: str) -> str:
    """Return the line break of the first line."""
    at = min((i for i in (head.find("\n"), head.find("\r")) if i >= 0), default=-1)
    if at < 0:
        return "\n"
    return "\r\n" if head[at : at + 2] == "\r\n" else head[at]


def _line_break_length(line: str) -> int:
    """Return the length of a trailing line break."""
    return 2 if line.endswith("\r\n") else 1 if line.endswith(("\n", "\r")) else 0


_Floats = tuple[NDArray[np.float64], NDArray[np.bool_]]
"""Numbers ``(n,)`` of a column, and which of its cells are blank; the number of a blank has no meaning."""

_NAN_BITS = np.int64(0x7FF8000000000000)  # a quiet NaN of double precision
_SCAN_STEP = 2**24  # bytes searched in one go
_PARSE_BLOCK = 2**21
"""Bytes that PyArrow parses in one go."""


class _LargeDelimitedTable(DelimitedTable):
    """A table whose cells are parsed on request; ``spans`` is true if some records span several lines."""

    def __init__(
        self, source: TableSource, raw: RawRecords, lines: NDArray[np.int64], width: int, *, guards: bool, spans: bool
    ) -> None:
        super().__init__(source, [], [], raw)
        self.bytes, self.n_rows, self.n_columns = raw, len(raw.ends), width
        self.lines = lines  # type: ignore[assignment] # an array serves as the sequence
        self.guards = guards
        self.spans = spans
        self._columns: dict[int, Any] = {}
        self._numbers: dict[int, Any] = {}

    def row(self, i: int) -> list[str]:
        """Return the texts of row ``i``."""
        record = self.bytes.body[int(self.bytes.starts[i]) : int(self.bytes.ends[i])].decode()
        limit = csv.field_size_limit(len(record) + 1)  # a record is within the cap of characters
        try:
            fields = next(csv.reader(io.StringIO(record, newline=""), delimiter=self.source.delimiter))
        finally:
            csv.field_size_limit(limit)
        return [unescape_formula(field) for field in fields]

    def text(self, i: int, j: int) -> str:
        """Return the text of one cell."""
        if j in self._columns and i > 0:
            return unescape_formula(self._columns[j][i - 1].as_py())
        return self.row(i)[j]

    def value(self, i: int, j: int) -> str:
        """Return one cell's value, which is its text."""
        return self.text(i, j)

    def texts(self, j: int, start: int = 0) -> Sequence[str]:
        """Return the texts of column ``j`` from row ``start`` on."""
        if j not in self._columns:
            self._columns[j] = self.parsed([j], ["string"])[0]
        if start and not self.guards:
            return _ArrowColumnTexts(self._columns[j][start - 1 :])
        below = self._columns[j][max(start - 1, 0) :].to_pylist()
        texts = below if start else [self.text(0, j), *below]
        return [unescape_formula(text) for text in texts] if self.guards else texts

    def read_ahead(self, texts: Sequence[int], numbers: Sequence[int]) -> None:
        """Read the requested columns in one pass; the others are read on request."""
        import pyarrow as pa

        numbers = [j for j in numbers if j not in texts]
        try:
            read = self.parsed([*texts, *numbers], ["string"] * len(texts) + ["double"] * len(numbers))
        except pa.ArrowInvalid:
            return
        self._columns.update(zip(texts, read, strict=False))
        self._numbers = dict(zip(numbers, read[len(texts) :], strict=True))

    def numbers(self, columns: Sequence[int], start: int = 0) -> list[ColumnNumbers]:
        """Read columns as numbers from row ``start`` on, all in one go where PyArrow takes every cell."""
        import pyarrow as pa

        if start == 0 or not columns:
            return [self.left_open(j, start) for j in columns]
        try:
            missing = [j for j in columns if j not in self._numbers]
            self._numbers.update(zip(missing, self.parsed(missing, ["double"] * len(missing)), strict=True))
        except pa.ArrowInvalid:
            return [self.one_column(j, start) for j in columns]
        result = [self.classified_numbers(self._numbers.pop(j), start) for j in columns]
        pa.default_memory_pool().release_unused()
        return result

    def one_column(self, j: int, start: int) -> ColumnNumbers:
        """Read one column alone; as text if PyArrow rejects a cell."""
        import pyarrow as pa

        try:
            return self.classified_numbers(self.parsed([j], ["double"])[0], start)
        except pa.ArrowInvalid:
            return self.left_open(j, start)

    def classified_numbers(self, column: _Floats, start: int) -> ColumnNumbers:
        """Classify cells (n_rows - 1,) in place; a number that is not finite, or may be an underflow, is text."""
        values, null = column[0][start - 1 :], column[1][start - 1 :]
        bad = ~np.isfinite(values) & ~null
        # masks in random order are slow to index with, and quick to choose by: all bits of a blank's number are NaN's
        values.view(np.int64)[...] |= null * _NAN_BITS
        states = null.view(np.uint8) * np.uint8(BLANK)
        if bad.any():
            states[bad], values[bad] = TEXT, np.nan
        zero = values == 0.0
        if zero.any() and self.may_underflow():
            states[zero], values[zero] = TEXT, np.nan
        assert NUMBER == 0
        return ColumnNumbers(values, states)

    def may_underflow(self) -> bool:
        """Return whether some number may be too small for double precision: by its exponent or its many zeros."""
        if not hasattr(self, "_underflow"):
            self._underflow = _has_long_exponents(self.bytes.body)
        return self._underflow

    def left_open(self, j: int, start: int) -> ColumnNumbers:
        """Leave a column to be read as text."""
        texts = self.texts(j, start)
        states = np.fromiter((BLANK if text == "" else TEXT for text in texts), np.uint8, len(texts))
        return ColumnNumbers(np.full(len(texts), np.nan), states)

    def is_typed(self, j: int, start: int = 0) -> NDArray[np.bool_]:
        """Return False for every cell, since a text file has no typed cells: (n_rows - start,)."""
        return np.zeros(self.n_rows - start, bool)

    def place(self, i: int, j: int | None = None, column: str = "") -> Place:
        """Return the line of a row, and a field's number in it."""
        position = None if j is None else j + 1
        return Place(self.source.name, row=i + 1, column=column, line=int(self.lines[i]), position=position)

    def parsed(self, columns: Sequence[int], kinds: Sequence[str]) -> list[Any]:
        """Parse columns below the first row block by block: texts (``string``), or numbers and blanks (``double``)."""
        import pyarrow as pa
        from pyarrow import csv as arrow_csv

        if not columns:
            return []
        names = [f"f{j}" for j in columns]
        types = {"string": pa.string(), "double": pa.float64()}
        convert = arrow_csv.ConvertOptions(
            column_types={name: types[kind] for name, kind in zip(names, kinds, strict=True)},
            include_columns=names,
            null_values=[""],
            strings_can_be_null=False,
            quoted_strings_can_be_null=True,
            check_utf8=False,
        )
        n = self.n_rows - 1
        floats = {
            name: (np.empty(n), np.zeros(n, bool)) for name, kind in zip(names, kinds, strict=True) if kind == "double"
        }
        starts = self.bytes.starts
        firsts = np.searchsorted(starts[:-1], np.arange(int(starts[1]), int(starts[-1]), _PARSE_BLOCK))
        bounds = np.unique(np.append(firsts, self.n_rows)).tolist()
        parse = partial(self._parse_rows, convert, floats)
        parts = map_in_threads(parse, bounds[:-1], bounds[1:])
        texts = {
            name: pa.chunked_array([chunk for part in parts for chunk in part.column(name).chunks], pa.string())
            for name in names
            if name not in floats
        }
        return [floats.get(name) or texts[name] for name in names]

    def _parse_rows(self, convert: Any, floats: Mapping[str, _Floats], first: int, stop: int) -> Any:
        """Parse some rows; put the numbers into ``floats``, and return the rest."""
        import pyarrow as pa
        from pyarrow import csv as arrow_csv

        block = self.bytes.body.array(int(self.bytes.starts[first]), int(self.bytes.starts[stop]))
        if block[:3].tobytes() == codecs.BOM_UTF8:  # PyArrow would take it for a mark of the text
            block = np.append(np.uint8(ord("\n")), block)
        content = arrow_csv.read_csv(
            pa.BufferReader(pa.py_buffer(block)),
            read_options=arrow_csv.ReadOptions(
                column_names=[f"f{j}" for j in range(self.n_columns)],
                block_size=max(len(block) + 1, 2**16),
                use_threads=False,
            ),
            parse_options=arrow_csv.ParseOptions(
                delimiter=self.source.delimiter, ignore_empty_lines=True, newlines_in_values=self.spans
            ),
            convert_options=convert,
        )
        if content.num_rows != stop - first:
            raise pa.ArrowInvalid("records and rows differ")
        for name, (values, null) in floats.items():
            put_arrow_floats(content.column(name), values[first - 1 : stop - 1], null[first - 1 : stop - 1])
        return content.drop_columns(list(floats))


class _ArrowColumnTexts(Sequence[str]):
    """Texts ``(n,)`` of an Arrow column, converted to Python when they are iterated."""

    def __init__(self, column: Any) -> None:
        self.column = column
        self._list: list[str] | None = None
        self._found: dict[str, NDArray[np.int64]] = {}

    def __len__(self) -> int:
        return len(self.column)

    def __getitem__(self, i: Any) -> Any:
        if self._list is None and isinstance(i, int):
            return self.column[i].as_py()
        return self.whole()[i]

    def __iter__(self) -> Iterator[str]:
        return iter(self.whole())

    def __contains__(self, value: Any) -> bool:
        return bool(len(self.positions(value)))

    def index(self, value: Any, start: int = 0, stop: int | None = None) -> int:
        """Return the first place of a text, for all calls with one text in one search."""
        positions = self.positions(value)
        k = int(np.searchsorted(positions, start))
        if k == len(positions) or (stop is not None and positions[k] >= stop):
            raise ValueError(f"{value!r} is not in the column")
        return int(positions[k])

    def positions(self, value: Any) -> NDArray[np.int64]:
        """Return all places of a text ``(k,)``, ascending."""
        if value not in self._found:
            self._found[value] = arrow_text_positions(value, self.column)
        return self._found[value]

    def whole(self) -> list[str]:
        """Return all of them."""
        if self._list is None:
            self._list = self.column.to_pylist()
        return self._list

    def coded(self) -> tuple[list[str], NDArray[np.int32]]:
        """Return the distinct texts, and the number among them of every text ``(n,)``."""
        both = self.column.combine_chunks().dictionary_encode()
        return both.dictionary.to_pylist(), np.frombuffer(both.indices.buffers()[1], np.int32, len(both))


def _read_large_delimited(
    source: TableSource, body: HeldBytes | FileBytes, options: FileOptions
) -> _LargeDelimitedTable | None:
    """Find the records of a large plain file; None if the reader for small files must read it."""
    delimiter = source.delimiter.encode()
    if len(delimiter) != 1 or source.newline == "\r":
        return None
    lines = record_spans(body, delimiter[0])
    if lines is None:
        return None
    filled = lines.ends > lines.starts
    width = int(lines.marks[0])
    if not width or not filled[0] or (lines.marks[filled] != width).any():
        return None
    if (lines.ends - lines.starts).max() > options.caps.text_cell_characters:
        return None
    kept = np.flatnonzero(filled)
    if len(kept) < 2:
        return None
    # a record's line is its number, and as many more as breaks stand within quotes before it
    numbers = np.maximum(kept, 1) if source.columns else kept + 1
    spans = bool(lines.breaks.any())
    if spans:
        numbers = numbers + (np.cumsum(lines.breaks) - lines.breaks)[kept]
    starts, ends = (lines.starts, lines.ends) if len(kept) == len(filled) else (lines.starts[kept], lines.ends[kept])
    guards = lines.apostrophes and _has_guarded_formulas(body)
    raw = RawRecords(body, np.append(starts, len(body)), ends)
    return _LargeDelimitedTable(source, raw, numbers, width + 1, guards=guards, spans=spans)


def _has_guarded_formulas(body: HeldBytes | FileBytes) -> bool:
    """Return whether some cell may begin with an apostrophe that guards a formula."""
    for begin in range(0, len(body), _SCAN_STEP):
        block = body[begin : begin + _SCAN_STEP + 1]
        if b"'" in block and any(b"'" + c in block for c in (b"=", b"@", b"\t", b"\r", b"+", b"-")):
            return True
    return False


def _has_long_exponents(body: HeldBytes | FileBytes) -> bool:
    """Return whether the text holds ``e-`` before three digits, or 200 zeros in a row."""
    for begin in range(0, len(body), _SCAN_STEP):
        block = np.frombuffer(body[begin : begin + _SCAN_STEP + 250], np.uint8)
        at = np.flatnonzero((block[:-4] | 32) == 101) if len(block) > 4 else np.zeros(0, np.intp)
        at = at[block[at + 1] == 45]
        digits = [(block[at + k] >= 48) & (block[at + k] <= 57) for k in (2, 3, 4)]
        if (digits[0] & digits[1] & digits[2]).any() or b"0" * 200 in block.tobytes():
            return True
    return False
