"""Read xls and xlsb through calamine in a process of its own, limited in memory and time.

What calamine leaves out is read here: errors, hidden rows and outline levels; of xls from the records BOUNDSHEET, ROW,
BOOLERR, FORMULA, FILEPASS of the stream ``Workbook`` ([MS-XLS] 2.4, [MS-CFB] 2), of xlsb ([MS-XLSB] 2.4) formulas too.
"""

from __future__ import annotations

import pickle
import re
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from massprops_cli.files import options
from massprops_cli.files.workbook import xls_process as workbook_child
from massprops_cli.files.workbook.cells import CellFormats, SheetContent, plain_cell_value
from massprops_cli.files.workbook.package import SheetEntry, part_relations

_MOST_SECTOR_BITS = 16  # the format has sectors of 2⁹ or 2¹² bytes
_END_OF_CHAIN = 0xFFFFFFFA  # numbers above are not of sectors ([MS-CFB] 2.1, MAXREGSECT)
_FORMULA, _FILEPASS, _BOUNDSHEET, _BOOLERR, _ROW, _BOF, _EOF = 0x0006, 0x002F, 0x0085, 0x0205, 0x0208, 0x0809, 0x000A
_ERRORS = {0: "#NULL!", 7: "#DIV/0!", 15: "#VALUE!", 23: "#REF!", 29: "#NAME?", 36: "#NUM!", 42: "#N/A"}
_STREAM_NAME = re.compile(rb"(?i:W\0O\0R\0K\0)?(?i:B\0O\0O\0K\0)\0\0")  # Workbook or Book in UTF-16, in any case
_XLSB_ROW, _CELL_ERROR, _FORMULAS, _FORMULA_ERROR = 0, 3, range(8, 12), 11
_BUNDLE_SHEET, _MERGED = 156, 176
_BASE_MEMORY = 480 * 2**20  # bytes of address space for any workbook
_MEMORY_PER_BYTE = 60  # further bytes per uncompressed byte
_BASE_SECONDS = 4.0  # time for any workbook
_BYTES_PER_SECOND = 4 * 2**20  # slowest reading that is permitted
_KINDS = {kind: kind.lower() for kind in ("WorkSheet", "ChartSheet", "DialogSheet", "MacroSheet")}
_STATES = {"Visible": "visible", "Hidden": "hidden", "VeryHidden": "veryHidden"}


def _workbook_stream(data: bytes) -> bytes:
    """Return the stream ``Workbook`` (or ``Book``) of a compound file; empty if there is none."""
    try:
        sector_bits, short_bits = struct.unpack_from("<2H", data, 30)
        if max(sector_bits, short_bits) > _MOST_SECTOR_BITS:
            return b""
        sector, short = 1 << sector_bits, 1 << short_bits
        table = _allocation_table(data, sector)
        directory = _chain_bytes(data, sector, table, struct.unpack_from("<I", data, 48)[0], sector)
        entries = [directory[at : at + 128] for at in range(0, len(directory) - 127, 128)]
        root_start, cutoff = struct.unpack_from("<I", entries[0], 116)[0], struct.unpack_from("<I", data, 56)[0]
        for entry in entries:
            name = entry[: max(0, struct.unpack_from("<H", entry, 64)[0] - 2)].decode("utf-16-le", "replace")
            if name.casefold() not in ("workbook", "book"):
                continue
            start, size = struct.unpack_from("<II", entry, 116)
            if size >= cutoff:
                return _chain_bytes(data, sector, table, start, sector)[:size]
            small = _chain_bytes(data, sector, table, root_start, sector)
            links = _chain_bytes(data, sector, table, struct.unpack_from("<I", data, 60)[0], sector)
            return _chain_bytes(small, short, struct.unpack(f"<{len(links) // 4}I", links), start, 0)[:size]
    except (struct.error, IndexError):
        pass
    return b""


def _with_usual_stream_name(data: bytes) -> bytes:
    """Spell the name of the workbook's stream as calamine expects it; the names of a compound file have no case."""
    for found in _STREAM_NAME.finditer(data):
        at, length = found.start(), found.end() - found.start()
        # the entries of a directory have 128 bytes, and the size of the name at 64
        if at % 128 or struct.unpack_from("<H", data[at : at + 66].ljust(66, b"\0"), 64)[0] != length:
            continue
        usual = ("Workbook" if length > 10 else "Book").encode("utf-16-le")
        if not found.group().startswith(usual):
            data = data[:at] + usual + data[at + len(usual) :]
    return data


def _read_xls_facts(stream: bytes, sheet: int) -> SheetContent:
    """Collect the errors, formulas, hidden rows and outline levels of a sheet, counted from 0."""
    facts = SheetContent()
    starts = [
        struct.unpack_from("<I", stream, at)[0]
        for kind, at, length in _substream_records(stream, 0)
        if kind == _BOUNDSHEET and length >= 8
    ]
    if sheet >= len(starts):
        return facts
    for kind, at, length in _substream_records(stream, starts[sheet]):
        if kind == _BOOLERR and length >= 8 and stream[at + 7] == 1:
            _add_error(facts, stream, at, stream[at + 6])
        elif kind == _FORMULA and length >= 14:
            row, column = struct.unpack_from("<HH", stream, at)
            facts.formulas.append((row, column))
            if stream[at + 12 : at + 14] == b"\xff\xff" and stream[at + 6] == 2:
                _add_error(facts, stream, at, stream[at + 8])
        elif kind == _ROW and length >= 16:
            row, flags = struct.unpack_from("<H", stream, at)[0], stream[at + 12]
            if flags & 0x20:
                facts.hidden_rows.append(row)
            if flags & 0x07:
                facts.outline[row] = flags & 0x07
    return facts


def _add_error(facts: SheetContent, stream: bytes, at: int, code: int) -> None:
    """Add the error of a code to a cell."""
    row, column = struct.unpack_from("<HH", stream, at)
    facts.errors.append((row, column, _ERRORS.get(code, "#VALUE!")))


def _substream_records(stream: bytes, start: int) -> Iterator[tuple[int, int, int]]:
    """Return kind, position and length of the records of one substream, without its charts."""
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


def _allocation_table(data: bytes, sector: int) -> tuple[int, ...]:
    """Return the next sector of every sector of a compound file ([MS-CFB] 2.3)."""
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


def _chain_bytes(data: bytes, sector: int, table: tuple[int, ...], start: int, skip: int) -> bytes:
    """Join the sectors of a chain; a loop ends at the length of the file."""
    pieces: list[bytes] = []
    at = start
    while at < len(table) and len(pieces) * sector <= len(data):
        pieces.append(data[skip + sector * at : skip + sector * (at + 1)])
        at = table[at]
    return b"".join(pieces)


def _read_xlsb_facts(archive: options.Archive, sheet: int) -> SheetContent:
    """Collect the facts of a sheet, counted from 0; none if its part is missing."""
    facts = SheetContent()
    if (main := "xl/workbook.bin") not in archive:
        return facts
    relations = part_relations(archive, main)
    ids = [_wide_text(content, 8) for kind, content in _xlsb_records(archive.read(main)) if kind == _BUNDLE_SHEET]
    part = relations.get(ids[sheet], ("", ""))[1] if sheet < len(ids) else ""
    row = 0
    for kind, content in _xlsb_records(archive.read(part)) if part in archive else ():
        if kind == _XLSB_ROW and len(content) >= 13:
            row = struct.unpack_from("<I", content)[0]
            if (flags := content[11]) & 0x10:
                facts.hidden_rows.append(row)
            if level := flags & 0x07:
                facts.outline[row] = level
        elif kind in (_CELL_ERROR, *_FORMULAS) and len(content) >= 9:
            column = struct.unpack_from("<I", content)[0]
            if kind in _FORMULAS:
                facts.formulas.append((row, column))
            if kind in (_CELL_ERROR, _FORMULA_ERROR):
                facts.errors.append((row, column, _ERRORS.get(content[8], "#VALUE!")))
        elif kind == _MERGED and len(content) >= 16:
            top, bottom, left, right = struct.unpack_from("<4I", content)
            facts.merges.append((top, left, bottom, right))
    return facts


def _xlsb_records(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Return the kind and the content of every record."""
    at = 0
    while at + 2 <= len(data):
        kind = data[at]
        at += 1
        if kind & 0x80:
            kind = (kind & 0x7F) | (data[at] << 7)
            at += 1
        length = 0
        for shift in range(0, 28, 7):
            if at >= len(data):
                return
            byte = data[at]
            at += 1
            length |= (byte & 0x7F) << shift
            if not byte & 0x80:
                break
        yield kind, data[at : at + length]
        at += length


def _wide_text(content: bytes, at: int) -> str:
    """Return a text that its length precedes, in UTF-16; empty if it is cut."""
    length = struct.unpack_from("<I", content, at)[0] if len(content) >= at + 4 else 0
    return content[at + 4 : at + 4 + 2 * length].decode("utf-16-le", "replace")


class CalamineWorkbook:
    """An xls or xlsb workbook; between calls only the first rows of its sheets are in memory."""

    def __init__(self, name: str, data: Path | bytes, caps: options.ReadCaps) -> None:
        self.name, self.data, self.caps = name, data, caps
        self.styles = CellFormats({}, frozenset(), {}, frozenset())
        self.records = b""
        self.inflated = self._check_container()
        reply = self._ask(None)
        self.entries: list[SheetEntry] = []
        self._heads: dict[str, list[list[str]]] = {}
        for sheet, kind, state, head in reply["sheets"]:
            self.entries.append(SheetEntry(sheet, sheet, _KINDS.get(kind, kind), _STATES.get(state, "visible")))
            rows = [["" if (v := plain_cell_value(cell)) is None else str(v) for cell in row] for row in head]
            self._heads[sheet] = [row for row in rows if any(row)]

    def close(self) -> None:
        """Do nothing: the workbook keeps no file open."""

    def peek(self, entry: SheetEntry) -> list[list[str]]:
        """Return the texts of the first rows of a sheet that are not blank."""
        return self._heads[entry.name]

    def sheet(self, entry: SheetEntry) -> SheetContent:
        """Read one worksheet."""
        number = self.entries.index(entry)
        reply = self._ask(number)
        rows = [[v if type(v) in (str, float, bool) else _calamine_cell(v) for v in row] for row in reply["rows"]]
        if self.records:
            facts = _read_xls_facts(self.records, number)
        else:
            with closing(options.open_archive(self.name, self.data, self.caps)) as archive:
                facts = _read_xlsb_facts(archive, number)
        facts.merges = facts.merges or [(*start, *end) for start, end in reply["merges"]]
        top, left = reply["start"] or (0, 0)
        for row, column, shown in facts.errors:
            if 0 <= row - top < len(rows) and 0 <= column - left < len(rows[row - top]):
                rows[row - top][column - left] = shown
        area = len(rows) * len(rows[0]) if rows else 0
        if area > self.caps.cells:
            raise options.cap_error(self.name, f"sheet spans {area} cells", "cells", self.caps.cells, entry.name, area)
        return facts.with_grid(rows, top, left)

    def _check_container(self) -> int:
        """Check the container before calamine reads it; return its size without compression."""
        with options.open_stream(self.name, self.data) as stream:
            head = stream.read(2)
        if head != options.ZIP_MAGIC:
            data = self.data if isinstance(self.data, bytes) else self.data.read_bytes()
            self.records = _workbook_stream(data)
            if any(kind == _FILEPASS for kind, _, _ in _substream_records(self.records, 0)):
                raise options.rejection_error("MP102", "workbook is encrypted", self.name)
            if (usual := _with_usual_stream_name(data)) is not data:
                self.data = usual
            return len(data)
        with closing(options.open_archive(self.name, self.data, self.caps)) as archive:
            for member in archive.members:
                if member.endswith((".xml", ".rels")):
                    options.reject_document_type(self.name, member, archive.read(member))
                elif member.endswith(".bin"):
                    for _chunk in archive.chunks(member):
                        pass  # sizes and checksums are compared on the way
            return sum(archive.size(member) for member in archive.members)

    def _ask(self, sheet: int | None) -> dict[str, Any]:
        """Return the reply of a process within limits of memory and time; TableError if it fails."""
        path = str(self.data.absolute()) if isinstance(self.data, Path) else ""
        memory = _BASE_MEMORY + _MEMORY_PER_BYTE * self.inflated
        request = {"path": path, "data": b"" if path else self.data, "sheet": sheet, "memory": memory}
        command = [sys.executable, "-P", str(Path(workbook_child.__file__))]
        seconds = _BASE_SECONDS + self.inflated / _BYTES_PER_SECOND
        try:
            done = subprocess.run(
                command, input=pickle.dumps(request), capture_output=True, timeout=seconds, check=False
            )
        except subprocess.TimeoutExpired:
            raise self._too_large() from None
        if done.returncode != 0:
            huge = done.returncode < 0 or any(w in done.stderr for w in (b"memory", b"capacity", b"alloc"))
            raise self._too_large() if huge else self._damaged()
        reply: dict[str, Any] = pickle.loads(done.stdout)
        if (fault := reply.get("fault", "")) == "memory" or "limit exceeded" in fault.lower():
            raise self._too_large()
        if "password" in fault.lower():
            raise options.rejection_error("MP102", "workbook is encrypted", self.name)
        if fault:
            raise self._damaged()
        return reply

    def _too_large(self) -> Exception:
        """Return the error of a sheet that exceeds the process's limits."""
        return options.cap_error(self.name, "sheet is too large for the size of the file", "cells", self.caps.cells)

    def _damaged(self) -> Exception:
        """Return the error of a workbook that calamine rejects."""
        return options.rejection_error("MP104", "workbook is truncated or corrupt", self.name)


def _calamine_cell(value: object) -> str | float | bool:
    """Return a value other than text, float or truth value as a cell; an integer 0 is not blank."""
    cell = plain_cell_value(value)
    return "" if cell is None else cell
