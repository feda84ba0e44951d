"""Many changed records in one pass: fields as Arrow columns, formatted and joined by Arrow on all cores.

Records with new fields, one by one: every other character stays as it was.

Delimited text written: untouched rows unchanged, touched rows with all their other fields' characters.
"""

from __future__ import annotations

import csv
import io
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.arrow import (
    arrow_float_array,
    arrow_mask_array,
    arrow_text_array,
    repeated_text_array,
    text_array_without_nulls,
    text_offsets,
)
from massprops_cli.files.delimited_records import (
    DelimitedTable,
    RawRecords,
    core_count,
    hide_delimiters,
    restore_delimiters,
)
from massprops_cli.files.encoding import BYTE_ORDER_MARKS, escape_formula
from massprops_cli.files.table import (
    AddedColumn,
    ColumnEdit,
    Table,
    TableEdit,
    Values,
    edit_value_texts,
    edited_row_texts,
    shortest_number_text,
)
from massprops_cli.findings import Finding, Findings, OutputError, Place

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

_Rows = NDArray[np.intp]


class _EditedRecords(NamedTuple):
    """New texts of records ``rows (k,)``, line breaks included: text ``i`` is ``data[offsets[i]:offsets[i + 1]]``."""

    rows: _Rows
    data: bytes | memoryview
    offsets: NDArray[np.int64]


def _has_gap_after(raw: RawRecords, rows: _Rows, newline: bytes) -> NDArray[np.bool_]:
    """Mark the records ``(k,)`` that are not followed by one usual line break and the next record."""
    body = np.frombuffer(raw.body, np.uint8)
    ends, following = raw.ends[rows[:-1]], raw.starts[rows[1:]]
    apart = np.ones(len(rows), bool)
    apart[:-1] = (np.diff(rows) != 1) | (following - ends != len(newline))
    # two breaks of one byte are as long as one of two
    apart[:-1] |= (body[ends] != newline[0]) | (body[following - 1] != newline[-1])
    return apart


def _edit_records_singly(table: DelimitedTable, filling: TableEdit, rows: _Rows, raw: RawRecords) -> _EditedRecords:
    """Return the new texts of edited records, field by field."""
    newline = table.source.newline.encode()
    texts = [text + newline for text in _edited_record_texts(table, _table_edit_part(filling, rows), rows, raw)]
    return _EditedRecords(rows, b"".join(texts), np.cumsum([0, *map(len, texts)]))


def _table_edit_part(filling: TableEdit, rows: _Rows) -> TableEdit:
    """Return the part of an edit for some rows, which are adjacent among all rows that it changes."""

    def cut(of: ColumnEdit | AddedColumn) -> dict[str, Any]:
        begin, stop = np.searchsorted(of.rows, [rows[0], rows[-1] + 1]).tolist()
        return {"rows": of.rows[begin:stop], "values": of.values[begin:stop]}

    return replace(
        filling,
        fills=tuple(replace(fill, **cut(fill)) for fill in filling.fills),
        added=tuple(replace(added, **cut(added)) for added in filling.added),
    )


def _edited_record_texts(table: DelimitedTable, filling: TableEdit, rows: _Rows, raw: RawRecords) -> Iterator[bytes]:
    """Return the new text of every edited record, without its line break."""
    delimiter = table.source.delimiter.encode()
    place = np.full(table.n_rows, -1, np.int64)
    cells: list[list[tuple[int, bytes]]] = [[] for _ in range(len(rows))]
    place[rows] = np.arange(len(rows))
    for fill in filling.fills:
        for k, text in zip(place[fill.rows].tolist(), edit_value_texts(fill.values), strict=True):
            cells[k].append((fill.column, _quoted_field(text, table.source.delimiter)))
    has_header = place[filling.header_row] >= 0
    for column, name in filling.renames.items() if has_header else ():
        cells[int(place[filling.header_row])].append((column, _quoted_field(name, table.source.delimiter)))
    for j, added in enumerate(filling.added, table.n_columns):
        for k, text in zip(place[added.rows].tolist(), edit_value_texts(added.values), strict=True):
            cells[k].append((j, _quoted_field(text, table.source.delimiter)))
        if has_header:
            cells[int(place[filling.header_row])].append((j, _quoted_field(added.name, table.source.delimiter)))
    width = table.n_columns + len(filling.added)
    body = memoryview(raw.body)
    for (start, end), new in zip(
        zip(raw.starts[rows].tolist(), raw.ends[rows].tolist(), strict=True), cells, strict=True
    ):
        fields = _record_fields(bytes(body[start:end]), delimiter)
        if filling.added:
            # empty fields beyond the header's width give way to the columns added
            fields = fields[: table.n_columns] + [b""] * (width - min(len(fields), table.n_columns))
        for j, new_field in new:
            if j >= len(fields):
                fields += [b""] * (j + 1 - len(fields))
            fields[j] = new_field
        yield delimiter.join(fields)


def _quoted_field(text: str, delimiter: str) -> bytes:
    """Return the bytes of a field, in quotes if its characters require them."""
    if delimiter in text or '"' in text or "\n" in text or "\r" in text:
        text = '"' + text.replace('"', '""') + '"'
    return text.encode()


def _record_fields(record: bytes, delimiter: bytes) -> list[bytes]:
    """Split a record into its fields, with their quotes."""
    parts = record.split(delimiter)
    if b'"' not in record:
        return parts
    fields: list[bytes] = []
    open_field: list[bytes] = []
    for part in parts:
        open_field.append(part)
        joined = open_field[0]
        # only a field that begins with a quote can hold the delimiter
        if joined[:1] != b'"' or sum(p.count(b'"') for p in open_field) % 2 == 0:
            fields.append(delimiter.join(open_field))
            open_field = []
    return fields + open_field


_PARALLEL_RECORDS = 20_000
_MOST_SLICES = 8
_BYTES_PER_WRITE = 2**25


def write_delimited(table: Table, filling: TableEdit, out: BinaryIO, format: str) -> list[Finding]:
    """Write csv or tsv.

    A table from the same format keeps its delimiter, quotes, line breaks, byte order mark and encoding.

    Parameters
    ----------
    table : Table
        Table that is read or written.
    filling : TableEdit
        Changes of the table.
    out : BinaryIO
        Open binary file.
    format : str
        ``csv`` or ``tsv``.

    Returns
    -------
    list of Finding
        Note about escaped formulas (MP124), if there are any.

    Raises
    ------
    OutputError
        The encoding cannot represent a character.
    """
    raw = getattr(table, "raw", None)
    if raw is None or table.source.format != format:
        return _write_new_delimited(table, filling, out, format)
    encoding, mark = table.source.encoding, table.source.bom
    if mark:
        out.write(next(m for m, name in BYTE_ORDER_MARKS if name == encoding))
    records: RawRecords = raw()
    for piece in _output_slices(table, filling, records):  # type: ignore[arg-type] # it has raw records
        if encoding != "utf-8":
            out.write(_encoded_text(bytes(piece).decode(), encoding, table.source.name))
            continue
        for begin in range(0, len(piece), _BYTES_PER_WRITE):
            out.write(piece[begin : begin + _BYTES_PER_WRITE])
            records.let_go()
    return []


def _encoded_text(text: str, encoding: str, name: str) -> bytes:
    """Encode a text; raises OutputError if the encoding cannot represent a character."""
    try:
        return text.encode(encoding)
    except UnicodeEncodeError as error:
        character = text[error.start]
        raise OutputError(
            f"{encoding} cannot represent {character!r} (U+{ord(character):04X}), which is in {name}"
        ) from None


def _write_new_delimited(table: Table, filling: TableEdit, out: BinaryIO, format: str) -> list[Finding]:
    """Write a table of another format: UTF-8, quotes where required, formulas escaped."""
    rows = edited_row_texts(table, filling)
    # a csv's own texts are unchanged; its delimiter is a matter of the format
    foreign = not isinstance(table, DelimitedTable)
    findings = Findings()
    if foreign:
        count, first = 0, None
        for i, row in enumerate(rows):
            for j, text in enumerate(row):
                if text[:1] in "=@\t\r+-" and (safe := escape_formula(text)) is not text and safe != text:
                    row[j] = safe
                    count += 1
                    first = first or (i, j, text)
        if first:
            i, j, text = first
            place = table.place(i, j) if j < table.n_columns else Place(table.source.name)
            texts, verb = ("text", "is") if count == 1 else ("texts", "are")
            message = (
                f"{count:,} {texts} that a spreadsheet would execute as a formula {verb} escaped with an apostrophe"
            )
            findings.report("MP124", message, place, value=text[:80], count=count)
    text_out = io.StringIO(newline="")
    writer = csv.writer(text_out, delimiter="\t" if format == "tsv" else ",", lineterminator="\n")
    writer.writerows(rows)
    try:
        out.write(text_out.getvalue().encode())
    except UnicodeEncodeError:
        raise OutputError(f"utf-8 cannot represent a lone surrogate, which is in {table.source.name}") from None
    return findings


def _output_slices(table: DelimitedTable, filling: TableEdit, raw: RawRecords) -> Iterator[bytes | memoryview]:
    """Return the bytes of the output in order: runs of unchanged records, and edited records."""
    body = memoryview(raw.body)
    changed = np.zeros(table.n_rows, bool)
    for fill in filling.fills:
        changed[fill.rows] = True
    if filling.renames:
        changed[filling.header_row] = True
    if filling.added:
        changed[:] = True
    rows = np.flatnonzero(changed)
    if not len(rows):
        yield body
        return
    at = 0
    for part in _edited_record_parts(table, filling, rows, raw):
        slices, at = _part_slices(part, raw, body, at, table.source.newline.encode())
        yield from slices if len(slices) <= _MOST_SLICES else [b"".join(slices)]
    yield body[at:]


def _edited_record_parts(
    table: DelimitedTable, filling: TableEdit, rows: _Rows, raw: RawRecords
) -> Iterator[_EditedRecords]:
    """Return the new texts of edited records, part by part in order."""
    if len(rows) >= _PARALLEL_RECORDS:
        return _edit_records_in_parallel(table, filling, rows, raw)
    return iter([_edit_records_singly(table, filling, rows, raw)])


def _part_slices(
    part: _EditedRecords, raw: RawRecords, body: memoryview, at: int, newline: bytes
) -> tuple[list[bytes | memoryview], int]:
    """Return the bytes from ``at`` to the end of the last record of a part: old or edited records."""
    # the break after a record is the old one, unless the next record of the part follows directly
    last = np.flatnonzero(_has_gap_after(raw, part.rows, newline))
    first = np.append(0, last[:-1] + 1)
    starts, ends = raw.starts[part.rows[first]].tolist(), raw.ends[part.rows[last]].tolist()
    begins, stops = part.offsets[first].tolist(), (part.offsets[last + 1] - len(newline)).tolist()
    data = memoryview(part.data)
    slices: list[bytes | memoryview] = []
    for start, end, begin, stop in zip(starts, ends, begins, stops, strict=True):
        slices += (body[at:start], data[begin:stop])
        at = end
    return slices, at


_RECORDS_PER_PART = 8_192
_SHORT_EXPONENTS = 1.1e-6
"""Arrow writes an exponent of one digit only below this."""


def _edit_records_in_parallel(
    table: DelimitedTable, filling: TableEdit, rows: _Rows, raw: RawRecords
) -> Iterator[_EditedRecords]:
    """Return the new texts of edited records, part by part in order; threads prepare the next parts."""
    parts = [rows[begin : begin + _RECORDS_PER_PART] for begin in range(0, len(rows), _RECORDS_PER_PART)]
    if len(parts) == 1:
        yield _edit_record_part(table, filling, rows, raw)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(core_count()) as pool:
        yield from _ordered_task_results(
            pool, [partial(_edit_record_part, table, filling, part, raw) for part in parts], core_count() + 1
        )


def _ordered_task_results(pool: ThreadPoolExecutor, tasks: Iterable[Any], ahead: int) -> Iterator[Any]:
    """Return the results of tasks in their order; at most ``ahead`` tasks are pending."""
    waiting: deque[Future[Any]] = deque()
    for task in tasks:
        if len(waiting) >= ahead:
            yield waiting.popleft().result()
        waiting.append(pool.submit(task))
    while waiting:
        yield waiting.popleft().result()


def _edit_record_part(table: DelimitedTable, filling: TableEdit, rows: _Rows, raw: RawRecords) -> _EditedRecords:
    """Return the new texts of some edited records; those with quotes are edited one by one."""
    newline = table.source.newline.encode()
    delimiter = table.source.delimiter.encode()
    block = _record_bytes(raw, rows, newline)
    if len(delimiter) > 1 or (b"\r" in block and newline != b"\r\n"):
        return _edit_records_singly(table, filling, rows, raw)
    has_quotes = b'"' in block
    plain = hide_delimiters(block, delimiter[0]) if has_quotes else block
    columns = None if plain is None else _field_columns(plain, table, len(rows))
    if columns is None:
        return _edit_records_singly(table, filling, rows, raw)
    touched = _records_from_columns(table, filling, rows, columns, newline)
    return touched._replace(data=restore_delimiters(touched.data, delimiter[0])) if has_quotes else touched


def _record_bytes(raw: RawRecords, rows: _Rows, newline: bytes) -> bytes:
    """Join unchanged records; adjacent ones are copied together."""
    body = memoryview(raw.body)
    last = np.flatnonzero(_has_gap_after(raw, rows, newline))
    first = np.append(0, last[:-1] + 1)
    starts, ends = raw.starts[rows[first]].tolist(), raw.ends[rows[last]].tolist()
    return b"\n".join([body[a:b] for a, b in zip(starts, ends, strict=True)])


def _field_columns(block: bytes, table: DelimitedTable, count: int) -> list[Any] | None:
    """Split records into columns of fields with their quotes; None if the widths differ."""
    import pyarrow as pa
    from pyarrow import csv

    names = [f"f{j}" for j in range(table.n_columns)]
    try:
        fields = csv.read_csv(
            pa.BufferReader(block),
            read_options=csv.ReadOptions(column_names=names, block_size=max(len(block) + 1, 2**16), use_threads=False),
            parse_options=csv.ParseOptions(
                delimiter=table.source.delimiter, quote_char=False, ignore_empty_lines=False
            ),
            convert_options=csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False, check_utf8=False
            ),
        )
    except pa.ArrowInvalid:
        return None
    return [column.combine_chunks() for column in fields.columns] if fields.num_rows == count else None


def _records_from_columns(
    table: DelimitedTable, filling: TableEdit, rows: _Rows, columns: list[Any], newline: bytes
) -> _EditedRecords:
    """Insert the new values into columns of texts, and join the columns to records."""
    import pyarrow.compute as pc

    delimiter, n = table.source.delimiter, len(rows)
    header = np.array([filling.header_row])
    for column, name in filling.renames.items():
        columns[column] = _column_with_values(columns[column], rows, header, [name], delimiter)
    for fill in filling.fills:
        columns[fill.column] = _column_with_values(columns[fill.column], rows, fill.rows, fill.values, delimiter)
    for added in filling.added:
        named = _column_with_values(repeated_text_array(b"", n), rows, header, [added.name], delimiter)
        columns.append(_column_with_values(named, rows, added.rows, added.values, delimiter))
    columns[-1] = pc.binary_join_element_wise(columns[-1], repeated_text_array(newline, n), repeated_text_array(b"", n))
    offsets, data = text_offsets(pc.binary_join_element_wise(*columns, repeated_text_array(delimiter.encode(), n)))
    return _EditedRecords(rows, data, offsets)


def _column_with_values(column: Any, rows: _Rows, where: _Rows, values: Values, delimiter: str) -> Any:
    """Insert the values of some of the ``rows (k,)`` into their column of texts."""
    import pyarrow.compute as pc

    begin, stop = np.searchsorted(where, [rows[0], rows[-1] + 1])
    if begin == stop:
        return column
    chosen = values[begin:stop]
    new = _number_texts(chosen) if isinstance(chosen, np.ndarray) else _quoted_texts(chosen, delimiter)
    if stop - begin == len(rows):
        return new
    mask = np.zeros(len(rows), bool)
    mask[np.searchsorted(rows, where[begin:stop])] = True
    return pc.replace_with_mask(column, arrow_mask_array(mask), new)


def _number_texts(values: NDArray[np.float64]) -> Any:
    """Return the shortest texts of numbers ``(k,)`` as an Arrow array; NaN is empty."""
    import pyarrow as pa
    import pyarrow.compute as pc

    unknown = np.isnan(values)
    if unknown.any():
        texts = text_array_without_nulls(arrow_float_array(values, unknown).cast(pa.string()))
    else:
        texts = arrow_float_array(values).cast(pa.string())
    size = np.abs(values)
    # Arrow ends whole numbers with .0, and does not pad exponents
    if (values == np.rint(values)).any():
        texts = pc.replace_substring_regex(texts, r"\.0$", "")
    if ((size > 0) & (size < _SHORT_EXPONENTS)).any():
        texts = pc.replace_substring_regex(texts, r"e-(\d)$", r"e-0\1")
    # and where one of Arrow and Python takes an exponent and the other does not, it is Python's text
    other = ((size >= 1e10) & (size < 1e16)) | ((size >= 9e-7) & (size < 1.1e-4))
    if not other.any():
        return texts
    return pc.replace_with_mask(
        texts, arrow_mask_array(other), arrow_text_array(list(map(_number_bytes, values[other].tolist())))
    )


def _number_bytes(value: float) -> bytes:
    """Return the shortest text of a number as bytes."""
    return shortest_number_text(value).encode()


def _quoted_texts(texts: Sequence[str], delimiter: str) -> Any:
    """Return texts ``(k,)`` as an Arrow array, in quotes where required; each distinct text is checked once."""
    known = {text: _quoted_field(text, delimiter) for text in set(texts)}
    return arrow_text_array([known[text] for text in texts])
