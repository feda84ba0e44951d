"""Delimited text written: untouched rows as they stand, touched rows with all their other fields' characters."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.delimited import DelimitedTable, Raw
from massprops_cli.files.encoding import _MARKS
from massprops_cli.files.fill import Filling
from massprops_cli.files.filled import filled_rows, texts_of
from massprops_cli.files.injection import guarded
from massprops_cli.files.table import Table
from massprops_cli.findings import Finding, OutputError, Place, found

_MANY = 20_000
_BLOCK = 2**24


def write_delimited(table: Table, filling: Filling, out: BinaryIO, format: str) -> list[Finding]:
    """Write csv or tsv; a table from the same format keeps its delimiter, quotes, breaks, mark and encoding."""
    raw = getattr(table, "raw", None)
    if raw is None or table.source.format != format:
        return write_anew(table, filling, out, format)
    encoding, mark = table.source.encoding, table.source.bom
    if mark:
        out.write(next(m for m, name in _MARKS if name == encoding))
    for piece in pieces(table, filling, raw()):  # type: ignore[arg-type]
        out.write(piece if encoding == "utf-8" else encoded(bytes(piece).decode(), encoding, table.source.name))
    return []


def encoded(text: str, encoding: str, name: str) -> bytes:
    """Give the text's bytes; raises OutputError where the encoding cannot hold a character."""
    try:
        return text.encode(encoding)
    except UnicodeEncodeError as error:
        character = text[error.start]
        raise OutputError(
            f"{encoding} cannot hold {character!r} (U+{ord(character):04X}), which {name} needs"
        ) from None


def write_anew(table: Table, filling: Filling, out: BinaryIO, format: str) -> list[Finding]:
    """Write a table from elsewhere: UTF-8, quotes where needed, texts that would be run as formulas guarded."""
    rows = filled_rows(table, filling)
    # a csv's own texts are unchanged; its delimiter is a matter of the format
    foreign = not isinstance(table, DelimitedTable)
    said: list[Finding] = []
    if foreign:
        count, first = 0, None
        for i, row in enumerate(rows):
            for j, text in enumerate(row):
                if text[:1] in "=@\t\r+-" and (safe := guarded(text)) is not text and safe != text:
                    row[j] = safe
                    count += 1
                    first = first or (i, j, text)
        if first:
            i, j, text = first
            place = table.place(i, j) if j < table.n_columns else Place(table.source.name)
            message = f"{count} texts that a spreadsheet would run as a formula got a leading apostrophe"
            said.append(found("MP124", message, place, value=text[:80], count=count))
    text_out = io.StringIO(newline="")
    writer = csv.writer(text_out, delimiter="\t" if format == "tsv" else ",", lineterminator="\n")
    writer.writerows(rows)
    try:
        out.write(text_out.getvalue().encode())
    except UnicodeEncodeError:
        raise OutputError(f"utf-8 cannot hold a lone surrogate that {table.source.name} holds") from None
    return said


def pieces(table: DelimitedTable, filling: Filling, raw: Raw) -> Iterator[bytes | memoryview]:
    """Give the output's bytes in order: runs of untouched records, and touched records one by one."""
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
    texts = touched_texts(table, filling, rows, raw)
    starts, ends = raw.starts[rows].tolist(), raw.ends[rows].tolist()
    gathered: list[bytes | memoryview] = [body[: starts[0]]]
    size = 0
    for k, ((_, end), text) in enumerate(zip(zip(starts, ends, strict=True), texts, strict=True)):
        following = starts[k + 1] if k + 1 < len(starts) else len(body)
        gathered += (text, body[end:following])
        size += len(text) + following - end
        if size > _BLOCK:
            yield b"".join(gathered)
            gathered, size = [], 0
    yield b"".join(gathered)


def touched_texts(table: DelimitedTable, filling: Filling, rows: NDArray[np.intp], raw: Raw) -> Iterator[bytes]:
    """Give the new text of every touched record, without its line break."""
    if len(rows) >= _MANY and not filling.added:
        from massprops_cli.files.delimited_touch import touched_at_once

        fast = touched_at_once(table, filling, rows, raw)
        if fast is not None:
            yield from fast
            return
    delimiter = table.source.delimiter.encode()
    place = np.full(table.n_rows, -1, np.int64)
    cells: list[list[tuple[int, bytes]]] = [[] for _ in range(len(rows))]
    place[rows] = np.arange(len(rows))
    for fill in filling.fills:
        for k, text in zip(place[fill.rows].tolist(), texts_of(fill.values), strict=True):
            cells[k].append((fill.column, quoted(text, table.source.delimiter)))
    for column, name in filling.renames.items():
        cells[int(place[filling.header_row])].append((column, quoted(name, table.source.delimiter)))
    for j, added in enumerate(filling.added, table.n_columns):
        for k, text in zip(place[added.rows].tolist(), texts_of(added.values), strict=True):
            cells[k].append((j, quoted(text, table.source.delimiter)))
        cells[int(place[filling.header_row])].append((j, quoted(added.name, table.source.delimiter)))
    width = table.n_columns + len(filling.added)
    body = memoryview(raw.body)
    for (start, end), new in zip(
        zip(raw.starts[rows].tolist(), raw.ends[rows].tolist(), strict=True), cells, strict=True
    ):
        fields = split(bytes(body[start:end]), delimiter)
        if filling.added:
            # empty fields beyond the header's width give way to the columns added
            fields = fields[: table.n_columns] + [b""] * (width - min(len(fields), table.n_columns))
        for j, new_field in new:
            if j >= len(fields):
                fields += [b""] * (j + 1 - len(fields))
            fields[j] = new_field
        yield delimiter.join(fields)


def quoted(text: str, delimiter: str) -> bytes:
    """Give a field's bytes, in quotes where its characters need them."""
    if any(c in text for c in (delimiter, '"', "\n", "\r")):
        text = '"' + text.replace('"', '""') + '"'
    return text.encode()


def split(record: bytes, delimiter: bytes) -> list[bytes]:
    """Split a record into its fields as they stand, quotes and all.

    >>> split(b'a,"b,""c",d', b",")
    [b'a', b'"b,""c"', b'd']
    """
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
