"""A worksheet's XML cut into what stands before its rows, the rows, and what stands after them.

Sheets are edited as bytes, so that everything that is not touched stays as it is. What the cutting relies on (UTF-8,
double quotes in tags, no comments or CDATA among the rows) is brought about first where a sheet is written otherwise.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from massprops_cli.files.workbook.reading.content import Range, address, cell_range

_SHEET_DATA = re.compile(rb"<((?:[\w.-]+:)?)sheetData\b[^>]*?(/?)>")
_SINGLE_QUOTES = re.compile(rb"<(?:[\w.-]+:)?(?:worksheet|sheetData|row|c|f)\b[^>]*='")
_DECLARED = re.compile(rb'<\?xml[^>]*encoding=["\']([\w.-]+)["\']')
_TAG = re.compile(rb"<(/?)((?:[\w.-]+:)?)([\w.-]+)([^>]*?)(/?)>")
_MERGE = re.compile(rb'<(?:[\w.-]+:)?mergeCell\b[^>]*?ref="([A-Z0-9:]+)"')
_COLUMN = re.compile(rb"<(?:[\w.-]+:)?col\b([^>]*)>")
_DIMENSION = re.compile(rb'(<(?:[\w.-]+:)?dimension\b[^>]*?ref=")([A-Z0-9:]+)(")')
_RELATIONS = re.compile(rb'xmlns:([\w.-]+)="([^"]+/relationships)"')
_WHOLE: dict[bytes, re.Pattern[bytes]] = {}
_AFTER_LEGACY = {
    b"legacyDrawingHF", b"drawingHF", b"picture", b"oleObjects", b"controls", b"webPublishItems", b"tableParts",
    b"extLst", b"AlternateContent",
}  # fmt: skip
"""What follows legacyDrawing in a worksheet (ECMA-376 part 1, 18.3.1.99)."""


@dataclass(slots=True)
class SheetText:
    """The three stretches of a worksheet's XML; ``prefix`` is that of its elements, such as ``b"x:"``, mostly empty."""

    head: bytes
    rows: bytes
    tail: bytes
    prefix: bytes

    def merges(self) -> list[Range]:
        """Give the merged ranges."""
        found = (cell_range(ref.decode()) for ref in _MERGE.findall(self.tail))
        return [one for one in found if one is not None]

    def column_styles(self) -> list[tuple[int, int, int]]:
        """Give first column, last column and format of the columns that have a format."""
        found = []
        for attributes in _COLUMN.findall(self.head):
            style = number_in(attributes, b"style")
            if style:
                found.append((number_in(attributes, b"min") - 1, number_in(attributes, b"max") - 1, style))
        return found

    def widen(self, extent: Range) -> None:
        """Let the stated size hold ``extent`` as well, where a size is stated."""
        stated = _DIMENSION.search(self.head)
        known = cell_range(stated[2].decode()) if stated else None
        if stated is None or known is None:
            return
        first = min(known[0], extent[0]), min(known[1], extent[1])
        last = max(known[2], extent[2]), max(known[3], extent[3])
        if (*first, *last) != known:
            text = f"{address(*first)}:{address(*last)}".encode()
            self.head = self.head[: stated.start(2)] + text + self.head[stated.end(2) :]

    def legacy_drawing(self) -> str:
        """Give the relation id of the drawing that holds the comments' boxes, or nothing."""
        for position, name, attributes in self._tail_elements():
            if name == b"legacyDrawing" and position >= 0:
                found = re.search(rb':id="([^"]*)"', attributes)
                return found[1].decode() if found else ""
        return ""

    def add_legacy_drawing(self, relation: str, strict: bool) -> None:
        """Refer to a drawing of comments' boxes."""
        declared = _RELATIONS.search(self.head)
        if declared:
            words = f'{declared[1].decode()}:id="{relation}"'
        else:
            home = "purl.oclc.org/ooxml/officeDocument" if strict else "schemas.openxmlformats.org/officeDocument/2006"
            words = f'xmlns:r="http://{home}/relationships" r:id="{relation}"'
        element = b"<" + self.prefix + b"legacyDrawing " + words.encode() + b"/>"
        place = self.tail.rfind(b"</")
        for position, name, _ in self._tail_elements():
            if name in _AFTER_LEGACY:
                place = position
                break
        self.tail = self.tail[:place] + element + self.tail[place:]

    def _tail_elements(self) -> list[tuple[int, bytes, bytes]]:
        """Give position, local name and attributes of the worksheet's own elements after the rows."""
        # the stretch begins with the end of the rows
        depth, found = 1, []
        for tag in _TAG.finditer(self.tail):
            closing, _, name, attributes, alone = tag.groups()
            if closing:
                depth -= 1
                continue
            if depth == 0:
                found.append((tag.start(), name, attributes))
            depth += not alone
        return found


def number_in(attributes: bytes, name: bytes) -> int:
    """Give a whole number among the attributes of a tag; 0 where it is absent."""
    pattern = _WHOLE.get(name)
    if pattern is None:
        pattern = _WHOLE[name] = re.compile(rb"(?:^|\s)" + name + rb'="(\d+)"')
    found = pattern.search(attributes)
    return int(found[1]) if found else 0


def cut(content: bytes) -> SheetText | None:
    """Cut a worksheet into its three stretches; None when it has no rows to speak of (a chart's sheet)."""
    content = _usual(content)
    start = _SHEET_DATA.search(content)
    if start is None:
        return None
    prefix = start[1]
    opening = content[: start.start()] + b"<" + prefix + b"sheetData>"
    closing = b"</" + prefix + b"sheetData>"
    if start[2]:
        return SheetText(opening, b"", closing + content[start.end() :], prefix)
    end = content.rfind(closing)
    return SheetText(opening, content[start.end() : end], content[end:], prefix)


def _usual(content: bytes) -> bytes:
    declared = _DECLARED.match(content[:200])
    plain = not content.startswith((b"\xff\xfe", b"\xfe\xff", b"\x00", b"<\x00")) and (
        declared is None or declared[1].lower() in (b"utf-8", b"us-ascii")
    )
    if plain and b"<!" not in content and not (b"='" in content and _SINGLE_QUOTES.search(content)):
        return content
    from lxml import etree

    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, huge_tree=False, load_dtd=False, remove_comments=True
    )
    root = etree.fromstring(content, parser)
    return b'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n' + etree.tostring(root, encoding="UTF-8")
