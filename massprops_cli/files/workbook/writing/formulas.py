"""Shared formulas whose first cell is about to be written over: the others get their own text.

A shared formula's text stands in its first cell only (ECMA-376 part 1, 18.3.1.40); the other cells follow it by the
distance between them.
"""

from __future__ import annotations

import re
from collections.abc import Set
from xml.sax.saxutils import unescape

from massprops_cli.files.workbook.reading.content import cell_position
from massprops_cli.files.workbook.writing.sheet_xml import text_xml

_SHARED = re.compile(
    rb'<((?:[\w.-]+:)?)c\b([^>]*)>\s*<(?:[\w.-]+:)?f\b([^>]*?\bt="shared"[^>]*?)(?:/>|>([^<]*)</(?:[\w.-]+:)?f>)'
)
_ADDRESS = re.compile(rb'\br="([A-Z]+\d+)"')
_GROUP = re.compile(rb'\bsi="(\d+)"')


def unshare(rows: bytes, overwritten: Set[tuple[int, int]]) -> bytes:
    """Give every cell its own formula in the groups whose first cell is ``overwritten`` (row, column from 0)."""
    if b'"shared"' not in rows:
        return rows
    groups: dict[bytes, tuple[str, str]] = {}
    for cell in _SHARED.finditer(rows):
        where, group = _ADDRESS.search(cell[2]), _GROUP.search(cell[3])
        if cell[4] and where and group and cell_position(where[1].decode()) in overwritten:
            groups[group[1]] = "=" + unescape(cell[4].decode()), where[1].decode()
    if not groups:
        return rows
    from openpyxl.formula.translate import Translator

    def own(cell: re.Match[bytes]) -> bytes:
        where, group = _ADDRESS.search(cell[2]), _GROUP.search(cell[3])
        if where is None or group is None or group[1] not in groups:
            return cell[0]
        text, origin = groups[group[1]]
        moved = Translator(text, origin=origin).translate_formula(where[1].decode())
        p = cell[1].decode()
        return f"<{p}c{cell[2].decode()}><{p}f>{text_xml(str(moved)[1:])}</{p}f>".encode()

    return _SHARED.sub(own, rows)
