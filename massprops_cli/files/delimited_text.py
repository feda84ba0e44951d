"""Large delimited files: the bytes are not copied; PyArrow reads the requested columns on all cores."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import islice, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.delimited_records import (
    ArrowColumnTexts,
    DelimitedTable,
    FileBytes,
    HeldBytes,
    RawRecords,
    map_in_threads,
    record_spans,
)
from massprops_cli.files.encoding import BYTE_ORDER_MARKS, added_header_line, decode_text, unescape_formula
from massprops_cli.files.options import FileOptions, rejection_error
from massprops_cli.files.table import BLANK, TEXT, ColumnNumbers, TableSource
from massprops_cli.findings.finding import Finding, Findings, Place, TableError, UsageError, name_list, rule_finding

_TITLE_ROWS = 40  # most title rows above a header
_SAMPLE_ROWS = 100  # rows that determine the usual width of a table
_MOST_RELATED = 1_000  # places in one finding
_MOST_SHOWN = 12  # lines that a message names
_DELIMITERS = {",": ("comma", "comma"), ";": ("semicolon", "semicolon"), "\t": ("tab", "tab"), "|": ("bar", "pipe")}
"""Delimiters: their names in messages, and as the option accepts them."""
_LARGE_FILE_BYTES = 2**23  # from which on the reader for large files pays for its start


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
    of_header = f"(header has {width})"
    if short:
        tail = "; the missing cells are blank"
        count = len(rows[short[0]])
        one = f"row has {count} field{'s' * (count != 1)} {of_header}{tail}"
        many = f"{len(short):,} rows have fewer fields than the header ({width}){tail}"
        findings.append(_width_finding("MP133", (one, many), name, lines, short))
    for count, which in long.items():
        fields = f"{count} fields {of_header}"
        messages = f"row has {fields}", f"{len(which):,} rows have {fields}"
        findings.append(_width_finding("MP108", messages, name, lines, which))


def _header_row_number(rows: Sequence[Sequence[str]]) -> int:
    """Return the row of the header: the first, unless shorter title rows are above one of the usual width."""
    # a title has one field with text; where it has more, the row below the titles has to look like a header: all its
    # fields have a text, and none is a number
    usual = Counter(map(len, rows[:_SAMPLE_ROWS])).most_common(1)[0][0]
    above = next((i for i, row in enumerate(rows[: _TITLE_ROWS + 1]) if len(row) >= usual), 0)
    if not above or len(rows[above]) > usual:
        return 0
    are_titles = all(sum(map(bool, row)) <= 1 for row in rows[:above])
    return above if are_titles or all(text.strip() and not _is_number(text) for text in rows[above]) else 0


def _is_number(text: str) -> bool:
    """Return whether a text is a number, with a decimal point or comma."""
    try:
        float(text.replace(",", "."))
    except ValueError:
        return False
    return True


def _width_finding(rule: str, messages: tuple[str, str], name: str, lines: Sequence[int], which: list[int]) -> Finding:
    """Report rows that are shorter or longer than the header: the message for one row, or for several."""
    shown = [str(int(lines[i])) for i in which[:_MOST_SHOWN]]
    many = f"{messages[1]}: lines {name_list(shown, _MOST_SHOWN, count=len(which))}"
    first, *related = [Place(name, row=i + 1, line=int(lines[i])) for i in which[:_MOST_RELATED]]
    message = messages[0] if len(which) == 1 else many
    return rule_finding(rule, message, first, count=len(which), related=tuple(related))


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
        if (read := _read_open_file(name, data, format, options)) is not None:
            return read
        data = data[:]
    held, encoding, mark = decode_text(name, data, options.encoding, findings)
    if not (head := bytes(held[: 2**18]).decode("utf-8", "ignore")).strip():
        raise rejection_error("MP111", "file is empty", name)
    delimiter = _file_delimiter(name, head, format, options)
    newline = _first_line_break(head)
    source = TableSource(name, format, "", encoding, delimiter, compressed, mark, newline, options.columns)
    if options.columns:
        held = added_header_line(source) + bytes(held)
    if len(held) >= _LARGE_FILE_BYTES:
        read = _read_large_delimited(source, HeldBytes(held), options)
        if read is not None:
            return read
    body = bytes(held)
    lines = list(io.StringIO(body.decode(), newline=""))
    rows, first = _split_records(source, lines, options.caps.text_cell_characters)
    # the line of a header that was put above the file is 1
    at = [max(a, 1) if source.columns else a + 1 for a, _ in first]
    _check_row_widths(source.name, rows, at, findings)
    return DelimitedTable(source, rows, at, partial(_raw_records, body, lines, first))


def _read_open_file(name: str, data: FileBytes, format: str, options: FileOptions) -> _LargeDelimitedTable | None:
    """Read a large plain UTF-8 file part by part; None if it must be read as a whole."""
    head = data[: 2**18]
    shown = head.decode("utf-8", "ignore")
    is_utf8 = options.encoding in ("", "utf-8") and not any(head.startswith(mark) for mark, _ in BYTE_ORDER_MARKS)
    if len(data) < _LARGE_FILE_BYTES or not is_utf8 or options.columns or not shown.strip():
        return None
    delimiter = _file_delimiter(name, shown, format, options)
    source = TableSource(name, format, "", "utf-8", delimiter, newline=_first_line_break(shown))
    return _read_large_delimited(source, data, options)


def _raw_records(body: bytes, lines: Sequence[str], spans: Sequence[tuple[int, int]]) -> RawRecords:
    """Return the records of a small file, each of which spans the lines ``a:b``."""
    bounds = np.cumsum([0, *(len(line.encode()) for line in lines)], dtype=np.int64)
    starts = np.append(bounds[[a for a, _ in spans]], bounds[-1])
    ends = [int(bounds[b - 1]) + len(lines[b - 1].rstrip("\r\n").encode()) for _, b in spans]
    return RawRecords(HeldBytes(body), starts, np.array(ends, np.int64))


def _split_records(source: TableSource, lines: list[str], cap: int) -> tuple[list[list[str]], list[tuple[int, int]]]:
    """Split lines into records, without blank lines: the fields of each, and the lines ``a:b`` that it spans."""
    try:
        return _strict_records(source, lines, cap)
    except TableError:  # blanks between a closing quote and the next delimiter: ``"72,640"  ``
        end = re.escape(source.delimiter)
        text = re.sub(rf'(?:(?<=[\r\n]|{end})|\A)("(?:[^"]|"")*") *(?={end}|[\r\n]|\Z)', r"\1", "".join(lines))
        return _strict_records(source, list(io.StringIO(text, newline="")), cap)


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
            remedy = f"shorten the cell, close an open quote, or pass --config cap=text-cell-characters={2 * cap}"
            raise TableError([rule_finding("MP114", message, place, remedy=remedy)]) from None
        fault = "is not closed" if "end of data" in str(error) else "continues after its closing quote"
        message = f"quoted field {fault}"
        raise TableError([rule_finding("MP109", message, place)]) from None
    finally:
        csv.field_size_limit(limit)
    if not rows:
        raise rejection_error("MP111", "file contains only blank lines", source.name)
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
    if len(named := [delimiter for _, width, _, delimiter in scored if width == len(options.columns)]) == 1:
        return named[0]
    best, second = scored[:2]
    # a second delimiter that splits every row as evenly, into about as many fields, is as good a reading
    if best[0] == second[0] == 1.0 and second[1] * 2 > best[1]:
        names, words = zip(*(_DELIMITERS[one[3]] for one in (best, second)), strict=True)
        message = f"delimiter is ambiguous: {' and '.join(names)} each give a consistent table"
        remedy = f"pass {' or '.join(f'--config delimiter={word}' for word in words)}"
        raise TableError([rule_finding("MP110", message, Place(name, line=1), remedy=remedy)])
    return best[3]


def _delimiter_score(head: str, delimiter: str) -> tuple[float, int]:
    """Return the share of the first rows in one run of the usual number of fields, and that number; (0, 1) for one."""
    limit = csv.field_size_limit(len(head) + 1)
    try:
        reader = csv.reader(io.StringIO(head, newline=""), delimiter=delimiter)
        rows = [row for row in islice(reader, 50) if row]
    except csv.Error:
        return 0.0, 1
    finally:
        csv.field_size_limit(limit)
    widths = [len(row) for row in rows[: -1 if len(rows) > 1 and len(head) >= 2**17 else None]]
    width, count = Counter(widths).most_common(1)[0] if widths else (1, 0)
    if width == 1 or (widths[0] == 1 and count < len(widths) - widths.index(width)):
        return 0.0, 1
    ends = [-1, *(k for k, fields in enumerate(widths) if fields != width), len(widths)]
    start, end = max(pairwise(ends), key=lambda run: run[1] - run[0])
    has_header = start < 0 or not any(field.strip().isdigit() for field in rows[start + 1])  # 4,35 is a number
    return (end - start - 1) / len(widths) / (1 if has_header else 2), width


def _first_line_break(head: str) -> str:
    """Return the line break of the first line."""
    found = re.search(r"\r\n?|\n", head)
    return found[0] if found else "\n"


_Floats = tuple[NDArray[np.float64], NDArray[np.bool_]]
"""Numbers ``(n,)`` of a column, and which of its cells are blank; the number of a blank has no meaning."""

_NAN_BITS = np.int64(0x7FF8000000000000)  # a quiet NaN of double precision
_SCAN_STEP = 2**24  # bytes searched in one go
_FORMULA_SIGNS = (b"=", b"@", b"\t", b"\r", b"+", b"-")
_PARSE_BLOCK = 2**21  # bytes that PyArrow parses in one go
_KEPT_ROWS = 1_100  # first rows, which are read several times: for the header, relations and labels


class _LargeDelimitedTable(DelimitedTable):
    """A table whose cells are parsed on request; ``spans`` is true if some records span several lines."""

    def __init__(
        self, source: TableSource, raw: RawRecords, lines: NDArray[np.int64], width: int, *, guards: bool, spans: bool
    ) -> None:
        super().__init__(source, [], [], raw)
        self.bytes, self.n_rows, self.n_columns = raw, len(raw.ends), width
        self.lines = lines  # type: ignore[assignment] # an array serves as the sequence
        self.guards, self.spans = guards, spans
        self._columns: dict[int, Any] = {}
        self._numbers: dict[int, Any] = {}
        self.filled: dict[int, dict[int, int]] = {}  # first row: column: cells with a number or a text
        self._underflows = False
        self._top: dict[int, tuple[str, ...]] = {}

    def row(self, i: int) -> list[str]:
        """Return the texts of row ``i``; those of the first rows are kept."""
        if i in self._top:
            return list(self._top[i])
        record = self.bytes.body[int(self.bytes.starts[i]) : int(self.bytes.ends[i])].decode()
        limit = csv.field_size_limit(len(record) + 1)  # a record is within the cap of characters
        try:
            reader = csv.reader(io.StringIO(record, newline=""), delimiter=self.source.delimiter)
            texts = [unescape_formula(field) for field in next(reader)]
        finally:
            csv.field_size_limit(limit)
        if i < _KEPT_ROWS:
            self._top[i] = tuple(texts)
        return texts

    def text(self, i: int, j: int) -> str:
        """Return the text of one cell."""
        return unescape_formula(self._columns[j][i - 1].as_py()) if j in self._columns and i > 0 else self.row(i)[j]

    value = text

    def texts(self, j: int, start: int = 0) -> Sequence[str]:
        """Return the texts of column ``j`` from row ``start`` on."""
        if j not in self._columns:
            self._columns[j] = self.parsed([j], ["string"])[0]
        if start and not self.guards:
            return ArrowColumnTexts(self._columns[j][start - 1 :])
        texts = self._columns[j][max(start - 1, 0) :].to_pylist()
        texts = texts if start else [self.text(0, j), *texts]
        return [unescape_formula(text) for text in texts] if self.guards else texts

    def read_ahead(self, texts: Sequence[int], numbers: Sequence[int]) -> None:
        """Read the requested columns, and those of words that repeat, in one pass; the others are read on request."""
        import pyarrow as pa

        numbers = [j for j in numbers if j not in texts]
        top = [self.row(i) for i in range(1, min(self.n_rows, _SAMPLE_ROWS))]
        rest = {*range(self.n_columns)} - {*texts, *numbers, *self._columns}
        texts = [*texts, *(j for j in sorted(rest) if len({row[j] for row in top}) < len(top) // 4)]
        try:
            read = self.parsed([*texts, *numbers], ["string"] * len(texts) + ["double"] * len(numbers))
        except pa.ArrowInvalid:
            self.read_ahead([*texts, *numbers], [])
            return
        self._columns.update(zip(texts, read, strict=False))
        self._numbers.update(zip(numbers, read[len(texts) :], strict=True))

    def numbers(self, columns: Sequence[int], start: int = 0) -> list[ColumnNumbers]:
        """Read columns as numbers from row ``start`` on, all in one go where PyArrow takes every cell."""
        import pyarrow as pa

        if start == 0 or not columns:
            return [DelimitedTable.one_column(self, j, start) for j in columns]
        if all(j in self._columns for j in columns):
            return [self.one_column(j, start) for j in columns]
        try:
            missing = [j for j in columns if j not in self._numbers]
            self._numbers.update(zip(missing, self.parsed(missing, ["double"] * len(missing)), strict=True))
        except pa.ArrowInvalid:
            self.read_ahead([j for j in columns if j not in self._columns], [])  # as texts, in one pass
            return [self.one_column(j, start) for j in columns]
        # the numbers of all columns are read in one pass later, and those of one column are then not held here
        if len(columns) == 1:
            values, null = self._numbers[columns[0]]
            result = [self.classified_numbers((values.copy(), null), start)]
        else:
            result = [self.classified_numbers(self._numbers.pop(j), start) for j in columns]
        filled = (
            (j, len(read.states) - int(np.count_nonzero(read.states == BLANK)))
            for j, read in zip(columns, result, strict=True)
        )
        self.filled.setdefault(start, {}).update(filled)
        pa.default_memory_pool().release_unused()
        return result

    def one_column(self, j: int, start: int) -> ColumnNumbers:
        """Read one column alone; as text if PyArrow rejects a cell."""
        import pyarrow as pa
        import pyarrow.compute as pc

        from massprops_cli.files.arrow import arrow_text, numpy_values, put_arrow_floats, text_offsets

        blank = arrow_text("")
        try:
            if j not in self._columns:
                return self.classified_numbers(self.parsed([j], ["double"])[0], start)
            texts = self._columns[j]
            values, null = np.empty(self.n_rows - 1), np.zeros(self.n_rows - 1, bool)
            known = pc.if_else(pc.equal(texts, blank), pa.nulls(1, texts.type)[0], texts)
            put_arrow_floats(known.cast(pa.float64()), values, null)
            held = [np.frombuffer(text_offsets(chunk)[1], np.uint8) for chunk in texts.chunks if chunk.nbytes]
            self._underflows = self._underflows or any(map(_may_underflow, held))
            return self.classified_numbers((values, null), start)
        except pa.ArrowInvalid:
            if not hasattr(texts := self.texts(j, start), "column"):
                return super().one_column(j, start)
            states = np.where(numpy_values(pc.equal(texts.column, blank), bool), np.uint8(BLANK), np.uint8(TEXT))
            return ColumnNumbers(np.full(len(states), np.nan), states)

    def classified_numbers(self, column: _Floats, start: int) -> ColumnNumbers:
        """Classify cells (n_rows - 1,) in place; a number that is not finite, or may be an underflow, is text."""
        values, null = column[0][start - 1 :], column[1][start - 1 :]
        bad = ~np.isfinite(values) & ~null
        # masks in random order are slow to index with, and quick to choose by: all bits of a blank's number are NaN's
        values.view(np.int64)[...] |= null * _NAN_BITS
        states = null.view(np.uint8) * np.uint8(BLANK)  # NUMBER is 0
        if bad.any():
            states[bad], values[bad] = TEXT, np.nan
        if self._underflows and (zero := values == 0.0).any():
            states[zero], values[zero] = TEXT, np.nan
        return ColumnNumbers(values, states)

    def parsed(self, columns: Sequence[int], kinds: Sequence[str]) -> list[Any]:
        """Parse columns below the first row block by block: texts (``string``), or numbers and blanks (``double``)."""
        import pyarrow as pa
        from pyarrow import csv as arrow_csv

        if not columns:
            return []
        types = {"string": pa.string(), "double": pa.float64()}
        kind_of = {f"f{j}": kind for j, kind in zip(columns, kinds, strict=True)}
        names = [f"f{j}" for j in columns]
        convert = arrow_csv.ConvertOptions(
            column_types={name: types[kind] for name, kind in kind_of.items()}, include_columns=names,
            null_values=[""], strings_can_be_null=False, quoted_strings_can_be_null=True, check_utf8=False,
        )  # fmt: skip
        n = self.n_rows - 1
        floats = {name: (np.empty(n), np.zeros(n, bool)) for name, kind in kind_of.items() if kind == "double"}
        starts = self.bytes.starts
        firsts = np.searchsorted(starts[:-1], np.arange(int(starts[1]), int(starts[-1]), _PARSE_BLOCK))
        bounds = np.unique(np.append(firsts, self.n_rows)).tolist()
        parts = map_in_threads(partial(self._parse_rows, convert, floats), bounds[:-1], bounds[1:])
        return [
            floats.get(name)
            or pa.chunked_array([chunk for part in parts for chunk in part.column(name).chunks], pa.string())
            for name in names
        ]

    def _parse_rows(self, convert: Any, floats: Mapping[str, _Floats], first: int, stop: int) -> Any:
        """Parse some rows; put the numbers into ``floats``, and return the rest."""
        import pyarrow as pa
        from pyarrow import csv as arrow_csv

        from massprops_cli.files.arrow import put_arrow_floats

        block = self.bytes.body.array(int(self.bytes.starts[first]), int(self.bytes.starts[stop]))
        if block[:3].tobytes() == codecs.BOM_UTF8:  # PyArrow would take it for a mark of the text
            block = np.append(np.uint8(ord("\n")), block)
        size = max(len(block) + 1, 2**16)
        content = arrow_csv.read_csv(
            pa.BufferReader(pa.py_buffer(block)),
            read_options=arrow_csv.ReadOptions(
                column_names=[f"f{j}" for j in range(self.n_columns)], block_size=size, use_threads=False
            ),
            parse_options=arrow_csv.ParseOptions(
                delimiter=self.source.delimiter, ignore_empty_lines=True, newlines_in_values=self.spans
            ),
            convert_options=convert,
        )
        if content.num_rows != stop - first:
            raise pa.ArrowInvalid("records and rows differ")
        has_zero = False
        for name, (values, null) in floats.items():
            here = values[first - 1 : stop - 1], null[first - 1 : stop - 1]
            put_arrow_floats(content.column(name), *here)
            has_zero = has_zero or bool(((here[0] == 0.0) > here[1]).any())
        if has_zero and _may_underflow(block):
            self._underflows = True
        return content.drop_columns(list(floats))


def _may_underflow(block: NDArray[np.uint8]) -> bool:
    """Return whether a number may be too small for double precision: ``e-`` before three digits, or 200 zeros."""
    at = np.flatnonzero((block[:-4] | 32) == 101) if len(block) > 4 else np.zeros(0, np.intp)
    at = at[block[at + 1] == 45]
    digits = [(block[at + k] >= 48) & (block[at + k] <= 57) for k in (2, 3, 4)]
    return bool((digits[0] & digits[1] & digits[2]).any()) or b"0" * 200 in block.tobytes()


def _read_large_delimited(
    source: TableSource, body: HeldBytes | FileBytes, options: FileOptions
) -> _LargeDelimitedTable | None:
    """Find the records of a large plain file; None if the reader for small files must read it."""
    delimiter = source.delimiter.encode()
    spans = record_spans(body, delimiter[0]) if len(delimiter) == 1 and source.newline != "\r" else None
    if spans is None:
        return None
    starts, ends, marks, breaks, apostrophes = spans
    filled = ends > starts
    width, kept = int(marks[0]), np.flatnonzero(filled)
    if not width or not filled[0] or (marks[filled] != width).any() or len(kept) < 2:
        return None
    if (ends - starts).max() > options.caps.text_cell_characters:
        return None
    # a record's line is its number, and as many more as breaks stand within quotes before it
    numbers = np.maximum(kept, 1) if source.columns else kept + 1
    if is_broken := bool(breaks.any()):
        numbers = numbers + (np.cumsum(breaks) - breaks)[kept]
    if len(kept) < len(filled):
        starts, ends = starts[kept], ends[kept]
    # an apostrophe at the beginning of a cell may guard a formula
    blocks = (body[k : k + _SCAN_STEP + 1] for k in range(0, len(body) if apostrophes else 0, _SCAN_STEP))
    guards = any(b"'" in block and any(b"'" + sign in block for sign in _FORMULA_SIGNS) for block in blocks)
    raw = RawRecords(body, np.append(starts, len(body)), ends)
    return _LargeDelimitedTable(source, raw, numbers, width + 1, guards=guards, spans=is_broken)
