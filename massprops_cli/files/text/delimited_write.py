"""Delimited text written: untouched rows as they stand, touched rows with all their other fields' characters."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import BinaryIO

import numpy as np

from massprops_cli.files.fill import Filling
from massprops_cli.files.filled import filled_rows
from massprops_cli.files.table import Table
from massprops_cli.files.text.encoding import _MARKS
from massprops_cli.files.text.injection import guarded
from massprops_cli.files.text.raw import DelimitedTable, Raw
from massprops_cli.files.text.touched import (
    Rows,
    Touched,
    are_apart,
    touched_one_by_one,
)
from massprops_cli.findings import Finding, OutputError, Place, found

_MANY = 20_000
_FEW = 8
_AT_ONCE = 2**25


def write_delimited(table: Table, filling: Filling, out: BinaryIO, format: str) -> list[Finding]:
    """Write csv or tsv; a table from the same format keeps its delimiter, quotes, breaks, mark and encoding."""
    raw = getattr(table, "raw", None)
    if raw is None or table.source.format != format:
        return write_anew(table, filling, out, format)
    encoding, mark = table.source.encoding, table.source.bom
    if mark:
        out.write(next(m for m, name in _MARKS if name == encoding))
    records: Raw = raw()
    for piece in pieces(table, filling, records):  # type: ignore[arg-type] # it has raw records
        if encoding != "utf-8":
            out.write(encoded(bytes(piece).decode(), encoding, table.source.name))
            continue
        for begin in range(0, len(piece), _AT_ONCE):
            out.write(piece[begin : begin + _AT_ONCE])
            records.let_go()
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
    at = 0
    for part in touched_parts(table, filling, rows, raw):
        slices, at = between(part, raw, body, at, table.source.newline.encode())
        yield from slices if len(slices) <= _FEW else [b"".join(slices)]
    yield body[at:]


def touched_parts(table: DelimitedTable, filling: Filling, rows: Rows, raw: Raw) -> Iterator[Touched]:
    """Give the new texts of touched records, part by part in order."""
    if len(rows) >= _MANY:
        from massprops_cli.files.text.touch import touched_at_once

        return touched_at_once(table, filling, rows, raw)
    return iter([touched_one_by_one(table, filling, rows, raw)])


def between(part: Touched, raw: Raw, body: memoryview, at: int, newline: bytes) -> tuple[list[bytes | memoryview], int]:
    """Give the bytes from ``at`` to the end of a part's last record: old ones as they stand, new ones where touched.

    The break after a record is the old one, unless the next record of the part follows at once.
    """
    last = np.flatnonzero(are_apart(raw, part.rows, newline))
    first = np.append(0, last[:-1] + 1)
    starts, ends = raw.starts[part.rows[first]].tolist(), raw.ends[part.rows[last]].tolist()
    begins, stops = part.offsets[first].tolist(), (part.offsets[last + 1] - len(newline)).tolist()
    data = memoryview(part.data)
    slices: list[bytes | memoryview] = []
    for start, end, begin, stop in zip(starts, ends, begins, stops, strict=True):
        slices += (body[at:start], data[begin:stop])
        at = end
    return slices, at
