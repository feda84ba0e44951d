"""Records with new fields, one by one: every other character stays as it was."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.fill import Added, Fill, Filling
from massprops_cli.files.filled import texts_of
from massprops_cli.files.text.raw import DelimitedTable, Raw

Rows = NDArray[np.intp]


class Touched(NamedTuple):
    """New texts of records ``rows (k,)``, line breaks included: text ``i`` is ``data[offsets[i]:offsets[i + 1]]``."""

    rows: Rows
    data: bytes | memoryview
    offsets: NDArray[np.int64]


def are_apart(raw: Raw, rows: Rows, newline: bytes) -> NDArray[np.bool_]:
    """Tell after which records ``(k,)`` something else stands than one usual line break and the next of them."""
    body = np.frombuffer(raw.body, np.uint8)
    ends, following = raw.ends[rows[:-1]], raw.starts[rows[1:]]
    apart = np.ones(len(rows), bool)
    apart[:-1] = (np.diff(rows) != 1) | (following - ends != len(newline))
    # two breaks of one byte are as long as one of two
    apart[:-1] |= (body[ends] != newline[0]) | (body[following - 1] != newline[-1])
    return apart


def touched_one_by_one(table: DelimitedTable, filling: Filling, rows: Rows, raw: Raw) -> Touched:
    """Give the new texts of touched records by going through their fields."""
    newline = table.source.newline.encode()
    texts = [text + newline for text in touched_texts(table, part_of(filling, rows), rows, raw)]
    return Touched(rows, b"".join(texts), np.cumsum([0, *map(len, texts)]))


def part_of(filling: Filling, rows: Rows) -> Filling:
    """Give what of a filling goes into some rows; they are neighbours among all rows that it touches."""

    def cut(of: Fill | Added) -> dict[str, Any]:
        begin, stop = np.searchsorted(of.rows, [rows[0], rows[-1] + 1]).tolist()
        return {"rows": of.rows[begin:stop], "values": of.values[begin:stop]}

    return replace(
        filling,
        fills=tuple(replace(fill, **cut(fill)) for fill in filling.fills),
        added=tuple(replace(added, **cut(added)) for added in filling.added),
    )


def touched_texts(table: DelimitedTable, filling: Filling, rows: Rows, raw: Raw) -> Iterator[bytes]:
    """Give the new text of every touched record, without its line break."""
    delimiter = table.source.delimiter.encode()
    place = np.full(table.n_rows, -1, np.int64)
    cells: list[list[tuple[int, bytes]]] = [[] for _ in range(len(rows))]
    place[rows] = np.arange(len(rows))
    for fill in filling.fills:
        for k, text in zip(place[fill.rows].tolist(), texts_of(fill.values), strict=True):
            cells[k].append((fill.column, quoted(text, table.source.delimiter)))
    has_header = place[filling.header_row] >= 0
    for column, name in filling.renames.items() if has_header else ():
        cells[int(place[filling.header_row])].append((column, quoted(name, table.source.delimiter)))
    for j, added in enumerate(filling.added, table.n_columns):
        for k, text in zip(place[added.rows].tolist(), texts_of(added.values), strict=True):
            cells[k].append((j, quoted(text, table.source.delimiter)))
        if has_header:
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
