"""Comments on cells: the user's stay, the tool's own (author ``massprops``) are replaced.

A cell holds one comment only. Where the user has one, the tool's words follow it in runs of their own, which begin
with a line that the tool knows again; a thread of comments is left alone. Boxes are in a VML drawing (ECMA-376
part 4, 19). Rows and columns count from 0 within the sheet.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from xml.sax.saxutils import unescape

from massprops_cli.files.workbook.cells import cell_address, cell_position
from massprops_cli.files.workbook.package import (
    child_elements,
    first_child_element,
    main_namespace,
    parse_part,
    part_bytes,
)
from massprops_cli.files.workbook.sheet_xml import MAIN_NAMESPACE, text_xml
from massprops_cli.findings.finding import OutputError

if TYPE_CHECKING:
    from lxml.etree import _Element


@dataclass(frozen=True, slots=True)
class CellComment:
    """A comment on the cell at ``row``, ``column`` of a sheet of the user."""

    row: int
    column: int
    text: str


_AUTHOR = "massprops"
_SEPARATOR = "\n— massprops —\n"
_THREAD = "tc="
_LONGEST = 32_000  # characters of a comment; longer ones are cut
_OWN_BLOCK = 500
"""Shapes of the tool have numbers from 1024 times this on, far above those that Excel deals out first."""
_OWN_SHAPE = re.compile(r'<v:shape id="massprops_.*?</v:shape>\n?', re.DOTALL)  # a box of the tool in a VML drawing
_ID_MAP = re.compile(r'(<o:idmap\b[^>]*?\bdata=")([\d,]*)(")')  # the list of blocks of shape numbers: data="1,500"
_EMPTY_VML = (
    '<xml xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office" '
    'xmlns:x="urn:schemas-microsoft-com:office:excel">\n'
    '<o:shapelayout v:ext="edit"><o:idmap v:ext="edit" data="1"/></o:shapelayout>\n'
    '<v:shapetype id="_x0000_t202" coordsize="21600,21600" o:spt="202" path="m,l,21600r21600,l21600,xe">'
    '<v:stroke joinstyle="miter"/><v:path gradientshapeok="t" o:connecttype="rect"/></v:shapetype>\n'
    "</xml>"
)


def edited_comments(
    content: bytes | None, comments: Sequence[CellComment], namespace: str = MAIN_NAMESPACE
) -> tuple[bytes, list[CellComment]]:
    """Replace the own comments of the tool among those of the user."""
    root = parse_part(content) if content else parse_part(f'<comments xmlns="{namespace}"/>'.encode())
    authors, entries = _find_section(root, "authors", first=True), _find_section(root, "commentList")
    names = [author.text or "" for author in authors]
    _remove_own_entries(entries, names)
    standing = {cell_position(entry.get("ref", "")): entry for entry in entries}
    alone = []
    for (row, column), text in _comment_texts(comments).items():
        known = standing.get((row, column))
        if known is None:
            if _AUTHOR not in names:
                names.append(_AUTHOR)
                _append_element(authors, "author").text = _AUTHOR
            alone.append(CellComment(row, column, text))
            entry = _append_element(entries, "comment")
            entry.set("ref", cell_address(row, column))
            entry.set("authorId", str(names.index(_AUTHOR)))
            _add_run(_append_element(entry, "text"), text)
        elif not _author_number(known, names).startswith(_THREAD):
            holder = first_child_element(known, "text")
            if holder is not None:
                for plain in child_elements(holder, "t"):  # another run can follow a run only
                    _append_element(holder, "r").append(plain)
                _add_run(holder, _SEPARATOR + text)
    return part_bytes(root), alone


def _comment_texts(comments: Sequence[CellComment]) -> dict[tuple[int, int], str]:
    """Return one text for each cell in order; texts over the limit of a comment are cut."""
    texts: dict[tuple[int, int], list[str]] = {}
    for comment in sorted(comments, key=lambda c: (c.row, c.column)):
        texts.setdefault((comment.row, comment.column), []).append(comment.text)
    found = {cell: "\n".join(pieces) for cell, pieces in texts.items()}
    return {cell: text if len(text) <= _LONGEST else text[:_LONGEST] + " …" for cell, text in found.items()}


def edited_boxes(content: bytes | None, comments: Sequence[CellComment]) -> bytes:
    """Replace the hidden boxes of the own comments in the drawing."""
    text = _OWN_SHAPE.sub("", (content or _EMPTY_VML.encode()).decode("utf-8", "surrogateescape"))
    shapes = "".join(_comment_box(k, comment) for k, comment in enumerate(comments))
    end = text.rfind("</xml>")
    if end < 0:
        raise OutputError("drawing of the comments is corrupt; save the workbook again")
    text = text[:end] + shapes + text[end:]
    blocks = [str(_OWN_BLOCK + k) for k in range((len(comments) + 1023) // 1024)]

    def with_blocks(found: re.Match[str]) -> str:
        known = [block for block in found[2].split(",") if block and int(block) < _OWN_BLOCK]
        return found[1] + ",".join(known + blocks) + found[3]

    return _ID_MAP.sub(with_blocks, text, count=1).encode("utf-8", "surrogateescape")


def _remove_own_entries(entries: _Element, names: list[str]) -> None:
    """Remove the tool's comments, and its runs in comments of the user."""
    for entry in list(entries):
        if _author_number(entry, names) == _AUTHOR:
            entries.remove(entry)
            continue
        for holder in child_elements(entry, "text"):
            runs = child_elements(holder, "r")
            texts = ["".join(piece.text or "" for piece in child_elements(run, "t")) for run in runs]
            first = next((k for k, text in enumerate(texts) if text.startswith(_SEPARATOR)), len(runs))
            for run in runs[first:]:
                holder.remove(run)


def _author_number(entry: _Element, names: list[str]) -> str:
    """Return the name of a comment's author; empty if it is not listed."""
    number = entry.get("authorId", "")
    return names[int(number)] if number.isdigit() and int(number) < len(names) else ""


def _add_run(holder: _Element, text: str) -> None:
    """Append a run in the usual font of comments."""
    run = _append_element(holder, "r")
    properties = _append_element(run, "rPr")
    for name, value in (("sz", "9"), ("color", "81"), ("rFont", "Tahoma"), ("family", "2")):
        _append_element(properties, name).set("indexed" if name == "color" else "val", value)
    piece = _append_element(run, "t")
    piece.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
    # characters that XML cannot represent are escaped here, markup on writing
    piece.text = unescape(text_xml(text.replace("\r\n", "\n")))


def _append_element(parent: _Element, name: str) -> _Element:
    """Append an element in the namespace of its parent."""
    from lxml import etree

    return etree.SubElement(parent, f"{{{main_namespace(parent)}}}{name}")


def _find_section(root: _Element, name: str, first: bool = False) -> _Element:
    """Return a section of the part, made if it is missing."""
    known = first_child_element(root, name)
    if known is None:
        known = _append_element(root, name)
        if first:
            root.insert(0, known)
    return known


def _comment_box(index: int, comment: CellComment) -> str:
    """Return the hidden box of a comment, as high as its lines."""
    lines = sum(max(1, -(-len(line) // 42)) for line in comment.text.split("\n"))
    height = min(max(3, lines + 1), 24)
    row, column = comment.row, comment.column
    top = max(row - 1, 0)
    anchor = f"{column + 1}, 15, {top}, 10, {column + 5}, 15, {top + height}, 4"
    return (
        f'<v:shape id="massprops_{cell_address(row, column)}" o:spid="_x0000_s{1024 * _OWN_BLOCK + index}" '
        'type="#_x0000_t202" style="position:absolute;visibility:hidden" fillcolor="#e2effb" o:insetmode="auto">'
        '<v:fill color2="#e2effb"/><v:shadow on="t" color="black" obscured="t"/><v:path o:connecttype="none"/>'
        '<v:textbox style="mso-direction-alt:auto"><div style="text-align:left"></div></v:textbox>'
        f'<x:ClientData ObjectType="Note"><x:MoveWithCells/><x:SizeWithCells/><x:Anchor>{anchor}</x:Anchor>'
        f"<x:AutoFill>False</x:AutoFill><x:Row>{row}</x:Row><x:Column>{column}</x:Column></x:ClientData></v:shape>\n"
    )
