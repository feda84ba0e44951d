"""What an xlsb workbook says beside its values: errors, formulas, hidden rows and outline levels ([MS-XLSB] 2.4)."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from massprops_cli.files.guard import Archive
from massprops_cli.files.workbook.reading.content import SheetFacts
from massprops_cli.files.workbook.reading.package import relations_of

_ROW, _CELL_ERROR, _FORMULAS, _FORMULA_ERROR = 0, 3, range(8, 12), 11
_BUNDLE_SHEET, _MERGED = 156, 176
_ERRORS = {0: "#NULL!", 7: "#DIV/0!", 15: "#VALUE!", 23: "#REF!", 29: "#NAME?", 36: "#NUM!", 42: "#N/A"}


def read_facts(archive: Archive, sheet: int) -> SheetFacts:
    """Collect the facts of a sheet, counted from 0; none when its part cannot be found."""
    facts = SheetFacts()
    main = "xl/workbook.bin"
    if main not in archive:
        return facts
    relations = relations_of(archive, main)
    ids = [_wide(content, 8) for kind, content in records(archive.read(main)) if kind == _BUNDLE_SHEET]
    part = relations.get(ids[sheet], ("", ""))[1] if sheet < len(ids) else ""
    row = 0
    for kind, content in records(archive.read(part)) if part in archive else ():
        if kind == _ROW and len(content) >= 13:
            row = struct.unpack_from("<I", content)[0]
            flags = content[11]
            if flags & 0x10:
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


def records(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Give the kind and the content of every record.

    >>> list(records(bytes([0x81, 0x01, 0x00, 0x05, 0x02, 0xAA, 0xBB])))
    [(129, b''), (5, b'\\xaa\\xbb')]
    """
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


def _wide(content: bytes, at: int) -> str:
    if len(content) < at + 4:
        return ""
    length = struct.unpack_from("<I", content, at)[0]
    return content[at + 4 : at + 4 + 2 * length].decode("utf-16-le", "replace")
