"""Delimited text written: untouched records unchanged, touched ones with the characters of all their other fields."""

from __future__ import annotations

import csv
import io
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files import table as tables
from massprops_cli.files.delimited_records import (
    DelimitedTable,
    FileBytes,
    HeldBytes,
    RawRecords,
    core_count,
    delimiter_positions,
)
from massprops_cli.files.encoding import BYTE_ORDER_MARKS, escape_formula, surrogate_error
from massprops_cli.findings.finding import Finding, Findings, OutputError, Place

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

_Rows = NDArray[np.intp]
_MANY_RECORDS = 20_000  # edited records from which on threads pay for their start
_MANY_ROWS = 2_000  # of a table from which on Arrow pays for its import
_FORMULA = r"(?s)^(?:[=@\t\r]|[+-].*[^0-9.eE+-])"  # what may be a formula: =A1, -A1, but no number
_PART_BYTES, _PART_EDITED_BYTES = 2**22, 2**19  # bytes of the file, and of its edited records, in one part
_BYTES_PER_WRITE = 2**25  # bytes written in one go
_EditedPart = tuple[int, int, bytes | memoryview]  # the beginning and the end of a part of a file, and its new bytes
_FillGroup = tuple[int, _Rows, list[tables.Values]]
"""New texts of columns that are side by side: the first column, ascending rows (k,), values (k,) of each column."""


def _table_edit_part(filling: tables.TableEdit, rows: _Rows) -> tables.TableEdit:
    """Return the part of an edit for some rows, which are adjacent among all rows that it changes."""

    def cut(of: tables.ColumnEdit | tables.AddedColumn) -> dict[str, Any]:
        begin, stop = np.searchsorted(of.rows, [rows[0], rows[-1] + 1]).tolist()
        return {"rows": of.rows[begin:stop], "values": of.values[begin:stop]}

    return replace(
        filling,
        fills=tuple(fill._replace(**cut(fill)) for fill in filling.fills),
        added=tuple(added._replace(**cut(added)) for added in filling.added),
    )


def _edited_record_texts(
    table: DelimitedTable, filling: tables.TableEdit, rows: _Rows, raw: RawRecords
) -> Iterator[bytes]:
    """Return the new text of every edited record, without its line break."""
    delimiter = table.source.delimiter.encode()
    place = np.full(table.n_rows, -1, np.int64)
    cells: list[list[tuple[int, bytes]]] = [[] for _ in range(len(rows))]
    place[rows] = np.arange(len(rows))
    for fill in filling.columns(table.n_columns):
        new_fields = _quoted_fields(tables.edit_value_texts(fill.values), table.source.delimiter)
        for k, new_field in zip(place[fill.rows].tolist(), new_fields, strict=True):
            cells[k].append((fill.column, new_field))
    if (header := int(place[filling.header_row])) >= 0:
        names = filling.renames | {j: added.name for j, added in enumerate(filling.added, table.n_columns)}
        cells[header] += [(j, _quoted_field(name, table.source.delimiter)) for j, name in names.items()]
    width = table.n_columns + len(filling.added)
    for (start, end), new in zip(
        zip(raw.starts[rows].tolist(), raw.ends[rows].tolist(), strict=True), cells, strict=True
    ):
        fields = _record_fields(raw.body[start:end], delimiter)
        if filling.added:
            # empty fields beyond the header's width give way to the columns added
            fields = fields[: table.n_columns] + [b""] * (width - min(len(fields), table.n_columns))
        for j, new_field in new:
            if j >= len(fields):
                fields += [b""] * (j + 1 - len(fields))
            fields[j] = new_field
        yield delimiter.join(fields)


def _quoted_fields(texts: Sequence[str], delimiter: str) -> list[bytes]:
    """Return the bytes of fields; a column of numbers needs no quotes, which one search finds."""
    if _requires_quotes("".join(texts), delimiter):
        return [_quoted_field(text, delimiter) for text in texts]
    return [text.encode() for text in texts]


def _quoted_field(text: str, delimiter: str) -> bytes:
    """Return the bytes of a field, in quotes if its characters require them."""
    if _requires_quotes(text, delimiter):
        text = '"' + text.replace('"', '""') + '"'
    return text.encode()


def _requires_quotes(text: str, delimiter: str) -> bool:
    """Return whether a field holds a delimiter, a quote or a line break."""
    return delimiter in text or '"' in text or "\n" in text or "\r" in text


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


def write_delimited(table: tables.Table, filling: tables.TableEdit, out: BinaryIO, format: str) -> list[Finding]:
    """Write csv or tsv; the same format as before keeps delimiter, quotes, line breaks, byte order mark, encoding."""
    if (raw := getattr(table, "raw", None)) is None or table.source.format != format:
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


def _write_new_delimited(table: tables.Table, filling: tables.TableEdit, out: BinaryIO, format: str) -> list[Finding]:
    """Write a table of another format: UTF-8, quotes where required, formulas escaped."""
    delimiter = "\t" if format == "tsv" else ","
    is_long = table.n_rows > _MANY_ROWS and table.n_columns > 1  # the rows below the header are written by columns
    rows = tables.edited_row_texts(table, filling, filling.header_row + 1 if is_long else None)
    # a csv's own texts are unchanged; its delimiter is a matter of the format
    foreign = not isinstance(table, DelimitedTable)
    formulas = [
        (i, j, text)
        for i, row in enumerate(rows if foreign else ())
        for j, text in enumerate(row)
        if text[:1] in "=@\t\r+-" and escape_formula(text) != text
    ]
    for i, j, text in formulas:
        rows[i][j] = escape_formula(text)
    try:
        out.write(_csv_text(rows, delimiter).encode())
        if is_long:
            formulas += _write_columns(table, filling, out, delimiter, foreign=foreign)
    except UnicodeEncodeError:
        raise surrogate_error(table) from None
    findings = Findings()
    if formulas:
        i, j, text = min(formulas)
        place = table.place(i, j) if j < table.n_columns else Place(table.source.name)
        texts = "1 text that a spreadsheet would execute as a formula is"
        if len(formulas) > 1:
            texts = f"{len(formulas):,} texts that a spreadsheet would execute as a formula are"
        message = f"{texts} escaped with an apostrophe"
        findings.report("MP124", message, place, value=text[:80], count=len(formulas))
    return findings


def _write_columns(
    table: tables.Table, filling: tables.TableEdit, out: BinaryIO, delimiter: str, *, foreign: bool
) -> list[tuple[int, int, str]]:
    """Write the rows below the header by columns; return row, column and text of the formulas that were escaped."""
    import pyarrow.compute as pc

    from massprops_cli.files import arrow

    formulas: list[tuple[int, int, str]] = []
    pieces: list[Any] = []
    for j, cells in enumerate(arrow.edited_columns(table, filling)):
        safe = arrow.converted_texts(cells, _FORMULA, escape_formula) if foreign else cells
        if safe is not cells:
            changed = np.flatnonzero(arrow.numpy_values(pc.not_equal(safe, cells), bool)).tolist()
            formulas += [(filling.header_row + 1 + k, j, cells[k].as_py()) for k in changed]
        odd = rf'[{delimiter}"\r\n]'
        pieces += [delimiter, arrow.converted_texts(safe, odd, lambda text: _csv_text([[text]], delimiter)[:-1])]
    arrow.write_text_rows(out, [*pieces[1:], "\n"])
    return formulas


def _csv_text(rows: Iterable[Sequence[str]], delimiter: str) -> str:
    """Write rows with quotes where required."""
    held = io.StringIO(newline="")
    csv.writer(held, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return held.getvalue()


def _output_slices(table: DelimitedTable, filling: tables.TableEdit, raw: RawRecords) -> Iterator[bytes | memoryview]:
    """Return the bytes of the output in order: runs of unchanged records, and edited records."""
    changed = np.zeros(table.n_rows, bool)
    for fill in filling.fills:
        changed[fill.rows] = True
    if filling.renames:
        changed[filling.header_row] = True
    if filling.added:
        changed[:] = True
    at = 0
    for begin, end, content in _edited_parts(table, filling, np.flatnonzero(changed), raw):
        yield from _unchanged_slices(raw.body, at, begin)
        yield content
        at = end
    yield from _unchanged_slices(raw.body, at, len(raw.body))


def _unchanged_slices(body: HeldBytes | FileBytes, at: int, stop: int) -> Iterator[memoryview]:
    """Return bytes as they are, part by part."""
    for begin in range(at, stop, _PART_BYTES):
        yield body.array(begin, min(begin + _PART_BYTES, stop)).data


def _edited_parts(
    table: DelimitedTable, filling: tables.TableEdit, rows: _Rows, raw: RawRecords
) -> Iterator[_EditedPart]:
    """Return the new bytes of edited records, part by part in order; threads prepare the next parts of many."""
    if not len(rows):
        return
    if len(rows) < _MANY_RECORDS:
        yield _edit_records_singly(table, filling, rows, raw)
        return
    from concurrent.futures import ThreadPoolExecutor

    # each part has about as many bytes, and complete records
    size = np.cumsum(raw.starts[rows + 1] - raw.starts[rows])
    part = np.maximum(size // _PART_EDITED_BYTES, (raw.starts[rows] - raw.starts[rows[0]]) // _PART_BYTES)
    bounds = np.append(np.flatnonzero(np.diff(part, prepend=-1)), len(rows)).tolist()
    # join the fills of neighbouring columns of the same rows, by column; the added columns are the last group
    groups: list[_FillGroup] = []
    for fill in sorted(filling.fills, key=lambda fill: fill.column):
        first, at, values = groups[-1] if groups else (-1, fill.rows, [])
        if values and first + len(values) == fill.column and np.array_equal(at, fill.rows):
            values.append(fill.values)
        else:
            groups.append((fill.column, fill.rows, [fill.values]))
    if filling.added:
        groups.append((table.n_columns, rows, [_values_of_rows(added, rows) for added in filling.added]))
    tasks = [partial(_edit_part, table, filling, groups, rows[a:b], raw) for a, b in pairwise(bounds)]
    with ThreadPoolExecutor(core_count()) as pool:
        yield from _ordered_task_results(pool, tasks, core_count() + 1)


def _edit_records_singly(table: DelimitedTable, filling: tables.TableEdit, rows: _Rows, raw: RawRecords) -> _EditedPart:
    """Edit records field by field."""
    at = begin = int(raw.starts[rows[0]])
    slices: list[bytes] = []
    texts = _edited_record_texts(table, _table_edit_part(filling, rows), rows, raw)
    for start, end, text in zip(raw.starts[rows].tolist(), raw.ends[rows].tolist(), texts, strict=True):
        slices += (raw.body[at:start], text)
        at = end
    return begin, at, b"".join(slices)


def _values_of_rows(added: tables.AddedColumn, rows: _Rows) -> tables.Values:
    """Return the values of an added column in every row, blank where it has none."""
    at = np.searchsorted(rows, added.rows)
    if isinstance(added.values, np.ndarray):
        numbers = np.full(len(rows), np.nan)
        numbers[at] = added.values
        return numbers
    texts = np.full(len(rows), "", object)
    texts[at] = added.values
    return list(texts)


def _edit_part(
    table: DelimitedTable, filling: tables.TableEdit, groups: Sequence[_FillGroup], rows: _Rows, raw: RawRecords
) -> _EditedPart:
    """Cut the file at the fields that change, and join it with the new ones; records that are not plain one by one."""
    import pyarrow as pa
    import pyarrow.compute as pc

    from massprops_cli.files.arrow import arrow_mask_array

    has_new_names = bool(filling.renames or filling.added) and filling.header_row in rows
    begin, stop = int(raw.starts[rows[0]]), int(raw.ends[rows[-1]])
    old = raw.body.array(begin, stop)
    fields = None if has_new_names else _field_bounds(table, rows, raw, old)
    if fields is None:
        return _edit_records_singly(table, filling, rows, raw)
    bounds, texts, order = [], [], []
    for k, group in enumerate(groups):
        first, at, values = group
        low, high = np.searchsorted(at, [rows[0], rows[-1] + 1]).tolist()
        chosen = np.searchsorted(rows, at[low:high])
        behind = first + (len(values) if first < table.n_columns else 1)
        ends = fields[chosen, behind] - (behind < table.n_columns)  # a delimiter follows
        bounds.append(np.stack([fields[chosen, first], ends], 1))
        order.append(chosen * len(groups) + k)
        texts.append(_group_texts(group, slice(low, high), table))
    by_place = np.argsort(np.concatenate(order))
    cuts = np.concatenate(bounds)[by_place]
    new = _taken(pa.concat_arrays(texts), by_place).cast(pa.large_binary())
    # the pieces of the file are kept and replaced by turns
    offsets = np.concatenate([[0], cuts.ravel(), [stop - begin]])
    is_replaced = np.arange(len(offsets) - 1) % 2 == 1
    result = pc.replace_with_mask(_binary_array(old, offsets), arrow_mask_array(is_replaced), new)
    return begin, stop, _binary_bytes(result).data


def _binary_array(data: NDArray[np.uint8], offsets: NDArray[np.int64]) -> Any:
    """Return the pieces ``data[offsets[i]:offsets[i + 1]]`` as an Arrow array."""
    import pyarrow as pa

    return pa.Array.from_buffers(pa.large_binary(), len(offsets) - 1, [None, pa.py_buffer(offsets), pa.py_buffer(data)])


def _binary_bytes(pieces: Any) -> NDArray[np.uint8]:
    """Return the bytes of an Arrow array, side by side."""
    _, at, data = pieces.buffers()
    ends = np.frombuffer(at, np.int64, len(pieces) + 1, 8 * pieces.offset)
    return np.frombuffer(data, np.uint8)[int(ends[0]) : int(ends[-1])]


def _taken(array: Any, positions: NDArray[np.int64]) -> Any:
    """Return the values of an Arrow array at some positions."""
    from massprops_cli.files.arrow import arrow_positions

    return array.take(arrow_positions(positions))


def _field_bounds(
    table: DelimitedTable, rows: _Rows, raw: RawRecords, part: NDArray[np.uint8]
) -> NDArray[np.int64] | None:
    """Return where the fields of some records begin ``(k, columns + 2)``, then twice the end; None if not plain."""
    if len(delimiter := table.source.delimiter.encode()) > 1:
        return None
    first, last = int(rows[0]), int(rows[-1])
    begin = int(raw.starts[first])
    starts, ends = raw.starts[rows] - begin, raw.ends[rows] - begin
    # the records side by side, each with the break that follows it, so that quotes are judged at their ends
    offsets = np.minimum(raw.starts[first : last + 2] - begin, len(part))
    is_every_row = last - first + 1 == len(rows)
    block = part if is_every_row else _binary_bytes(_taken(_binary_array(part, offsets), rows - first))
    where = np.concatenate([[0], np.cumsum(np.diff(offsets)[rows - first])])
    if (marks := delimiter_positions(block, delimiter[0])) is None or len(marks) != len(rows) * (table.n_columns - 1):
        return None
    at = marks.reshape(len(rows), table.n_columns - 1) - where[:-1, None]
    if table.n_columns > 1 and ((at[:, 0] < 0) | (at[:, -1] >= ends - starts)).any():
        return None
    return np.column_stack([starts, at + starts[:, None] + 1, ends, ends])


def _group_texts(group: _FillGroup, part: slice, table: DelimitedTable) -> Any:
    """Return the new texts of neighbouring columns ``(k,)``, with delimiters between them."""
    import pyarrow as pa
    import pyarrow.compute as pc

    from massprops_cli.files.arrow import arrow_number_texts, arrow_text

    first, _, columns = group
    delimiter, texts = table.source.delimiter, []
    for values in columns:
        if isinstance(values, np.ndarray):
            texts.append(arrow_number_texts(values[part]))
        elif delimiter != "," and hasattr(values, "column"):  # numbers with decimal commas
            texts.append(values.column[part].combine_chunks())
        else:
            texts.append(_quoted_texts(values[part], delimiter))
    if first == table.n_columns:  # added: a delimiter before the first as well
        texts.insert(0, pa.repeat(arrow_text(""), part.stop - part.start))
    return texts[0] if len(texts) == 1 else pc.binary_join_element_wise(*texts, arrow_text(delimiter))


def _ordered_task_results(pool: ThreadPoolExecutor, tasks: Iterable[Any], ahead: int) -> Iterator[Any]:
    """Return the results of tasks in their order; at most ``ahead`` tasks are pending."""
    waiting: deque[Future[Any]] = deque()
    for task in tasks:
        if len(waiting) >= ahead:
            yield waiting.popleft().result()
        waiting.append(pool.submit(task))
    while waiting:
        yield waiting.popleft().result()


def _quoted_texts(texts: Sequence[str], delimiter: str) -> Any:
    """Return texts ``(k,)`` as an Arrow array, in quotes where required; each distinct text is checked once."""
    from massprops_cli.files.arrow import arrow_text_array

    known = {text: _quoted_field(text, delimiter) for text in set(texts)}
    return arrow_text_array([known[text] for text in texts])
