"""What an old xls workbook says beside its values: errors, hidden rows and outline levels, which calamine leaves out.

Only the records needed are looked at ([MS-XLS] 2.4): BOUNDSHEET, ROW, BOOLERR, FORMULA, FILEPASS, in the stream
``Workbook`` of the compound file ([MS-CFB] 2).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from massprops_cli.files.workbook.reading.content import SheetFacts

_END_OF_CHAIN = 0xFFFFFFFA
_FORMULA, _FILEPASS, _BOUNDSHEET, _BOOLERR, _ROW, _BOF, _EOF = 0x0006, 0x002F, 0x0085, 0x0205, 0x0208, 0x0809, 0x000A
_ERRORS = {0: "#NULL!", 7: "#DIV/0!", 15: "#VALUE!", 23: "#REF!", 29: "#NAME?", 36: "#NUM!", 42: "#N/A"}


def workbook_stream(data: bytes) -> bytes:
    """Give the stream ``Workbook`` (or ``Book``) of a compound file; empty when it cannot be found."""
    try:
        sector, short = 1 << struct.unpack_from("<H", data, 30)[0], 1 << struct.unpack_from("<H", data, 32)[0]
        table = _allocation(data, sector)
        directory = _chain(data, sector, table, struct.unpack_from("<I", data, 48)[0], sector)
        entries = [directory[at : at + 128] for at in range(0, len(directory) - 127, 128)]
        root_start, cutoff = struct.unpack_from("<I", entries[0], 116)[0], struct.unpack_from("<I", data, 56)[0]
        for entry in entries:
            name = entry[: max(0, struct.unpack_from("<H", entry, 64)[0] - 2)].decode("utf-16-le", "replace")
            if name not in ("Workbook", "Book"):
                continue
            start, size = struct.unpack_from("<II", entry, 116)
            if size >= cutoff:
                return _chain(data, sector, table, start, sector)[:size]
            small = _chain(data, sector, table, root_start, sector)
            first_small = struct.unpack_from("<I", data, 60)[0]
            links = _chain(data, sector, table, first_small, sector)
            return _chain(small, short, struct.unpack(f"<{len(links) // 4}I", links), start, 0)[:size]
    except (struct.error, IndexError):
        pass
    return b""


def is_encrypted(stream: bytes) -> bool:
    """Tell whether the workbook's records are encrypted."""
    return any(kind == _FILEPASS for kind, _at, _length in _records(stream, 0))


def read_facts(stream: bytes, sheet: int) -> SheetFacts:
    """Collect the errors, formulas, hidden rows and outline levels of a sheet, counted from 0."""
    facts = SheetFacts()
    starts = [
        struct.unpack_from("<I", stream, at)[0]
        for kind, at, length in _records(stream, 0)
        if kind == _BOUNDSHEET and length >= 8
    ]
    if sheet >= len(starts):
        return facts
    for kind, at, length in _records(stream, starts[sheet]):
        if kind == _BOOLERR and length >= 8 and stream[at + 7] == 1:
            _error(facts, stream, at, stream[at + 6])
        elif kind == _FORMULA and length >= 14:
            row, column = struct.unpack_from("<HH", stream, at)
            facts.formulas.append((row, column))
            if stream[at + 12 : at + 14] == b"\xff\xff" and stream[at + 6] == 2:
                _error(facts, stream, at, stream[at + 8])
        elif kind == _ROW and length >= 16:
            row, flags = struct.unpack_from("<H", stream, at)[0], stream[at + 12]
            if flags & 0x20:
                facts.hidden_rows.append(row)
            if flags & 0x07:
                facts.outline[row] = flags & 0x07
    return facts


def _error(facts: SheetFacts, stream: bytes, at: int, code: int) -> None:
    row, column = struct.unpack_from("<HH", stream, at)
    facts.errors.append((row, column, _ERRORS.get(code, "#VALUE!")))


def _records(stream: bytes, start: int) -> Iterator[tuple[int, int, int]]:
    """Give kind, position and length of the records of one substream; charts within it are passed over."""
    at, depth = start, 0
    while at + 4 <= len(stream):
        kind, length = struct.unpack_from("<HH", stream, at)
        at += 4
        if at + length > len(stream):
            return
        depth += (kind == _BOF) - (kind == _EOF)
        if depth <= 1:
            yield kind, at, length
        if depth <= 0:
            return
        at += length


def _allocation(data: bytes, sector: int) -> tuple[int, ...]:
    blocks = list(struct.unpack_from("<109I", data, 76))
    following, seen = struct.unpack_from("<I", data, 68)[0], 0
    while following < _END_OF_CHAIN and seen * sector < len(data):
        more = struct.unpack_from(f"<{sector // 4}I", data, sector * (following + 1))
        blocks += more[:-1]
        following, seen = more[-1], seen + 1
    table = b"".join(
        data[sector * (block + 1) : sector * (block + 2)]
        for block in blocks
        if block < _END_OF_CHAIN and sector * (block + 1) < len(data)
    )
    return struct.unpack(f"<{len(table) // 4}I", table[: len(table) // 4 * 4])


def _chain(data: bytes, sector: int, table: tuple[int, ...], start: int, skip: int) -> bytes:
    """Join the sectors of a chain; one that loops ends when it is longer than the file."""
    pieces: list[bytes] = []
    at = start
    while at < len(table) and len(pieces) * sector <= len(data):
        pieces.append(data[skip + sector * at : skip + sector * (at + 1)])
        at = table[at]
    return b"".join(pieces)
