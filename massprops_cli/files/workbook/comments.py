"""Comments on cells: the user's stay, the tool's own (author ``massprops``) are replaced.

A cell holds one comment only. Where the user has one, the tool's words follow it in runs of their own, which begin
with a line that the tool knows again; a thread of comments is left alone. Boxes stand in a VML drawing (ECMA-376
part 4, 19).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from massprops_cli.files.workbook.cells import address, cell_position
from massprops_cli.files.workbook.package import child, children, main_namespace, parse_part, part_bytes
from massprops_cli.files.workbook.sheet_xml import MAIN, Comment, text_xml
from massprops_cli.findings import OutputError

if TYPE_CHECKING:
    from lxml.etree import _Element


AUTHOR = "massprops"
_SEPARATOR = "\n— massprops —\n"
_THREAD = "tc="
_LONGEST = 32_000
_OWN_BLOCK = 500
"""Shapes of the tool have numbers from 1024 times this on, far above those that Excel deals out first."""
_OWN_SHAPE = re.compile(r'<v:shape id="massprops_.*?</v:shape>\n?', re.DOTALL)
_ID_MAP = re.compile(r'(<o:idmap\b[^>]*?\bdata=")([\d,]*)(")')
_EMPTY_VML = (
    '<xml xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office" '
    'xmlns:x="urn:schemas-microsoft-com:office:excel">\n'
    '<o:shapelayout v:ext="edit"><o:idmap v:ext="edit" data="1"/></o:shapelayout>\n'
    '<v:shapetype id="_x0000_t202" coordsize="21600,21600" o:spt="202" path="m,l,21600r21600,l21600,xe">'
    '<v:stroke joinstyle="miter"/><v:path gradientshapeok="t" o:connecttype="rect"/></v:shapetype>\n'
    "</xml>"
)


def edited_comments(
    content: bytes | None, comments: Sequence[Comment], namespace: str = MAIN
) -> tuple[bytes, list[Comment]]:
    """Put the tool's comments among the user's.

    Returns the part's bytes, and the comments that need a box of their own (no other comment stands on their cell).
    """
    root = parse_part(content) if content else parse_part(f'<comments xmlns="{namespace}"/>'.encode())
    authors, entries = _section(root, "authors", first=True), _section(root, "commentList")
    names = [author.text or "" for author in authors]
    _without_own(entries, names)
    standing = {cell_position(entry.get("ref", "")): entry for entry in entries}
    alone = []
    for (row, column), text in joined(comments).items():
        known = standing.get((row, column))
        if known is None:
            if AUTHOR not in names:
                names.append(AUTHOR)
                _append(authors, "author").text = AUTHOR
            alone.append(Comment(row, column, text))
            entry = _append(entries, "comment")
            entry.set("ref", address(row, column))
            entry.set("authorId", str(names.index(AUTHOR)))
            _add_run(_append(entry, "text"), text)
        elif not _author(known, names).startswith(_THREAD):
            holder = child(known, "text")
            if holder is not None:
                _as_runs(holder)
                _add_run(holder, _SEPARATOR + text)
    return part_bytes(root), alone


def joined(comments: Sequence[Comment]) -> dict[tuple[int, int], str]:
    """Give one text a cell, cells in order; what a comment cannot hold is left to the sheet of findings."""
    texts: dict[tuple[int, int], list[str]] = {}
    for comment in sorted(comments, key=lambda c: (c.row, c.column)):
        texts.setdefault((comment.row, comment.column), []).append(comment.text)
    found = {cell: "\n".join(pieces) for cell, pieces in texts.items()}
    return {cell: text if len(text) <= _LONGEST else text[:_LONGEST] + " …" for cell, text in found.items()}


def edited_boxes(content: bytes | None, comments: Sequence[Comment]) -> bytes:
    """Put a hidden box for each comment into the drawing, in place of the tool's earlier ones."""
    text = _OWN_SHAPE.sub("", (content or _EMPTY_VML.encode()).decode("utf-8", "surrogateescape"))
    shapes = "".join(_box(k, comment) for k, comment in enumerate(comments))
    end = text.rfind("</xml>")
    if end < 0:
        raise OutputError("the drawing that holds the comments' boxes is corrupt; save the workbook again")
    text = text[:end] + shapes + text[end:]
    blocks = [str(_OWN_BLOCK + k) for k in range((len(comments) + 1023) // 1024)]

    def with_blocks(found: re.Match[str]) -> str:
        known = [block for block in found[2].split(",") if block and int(block) < _OWN_BLOCK]
        return found[1] + ",".join(known + blocks) + found[3]

    return _ID_MAP.sub(with_blocks, text, count=1).encode("utf-8", "surrogateescape")


def _without_own(entries: _Element, names: list[str]) -> None:
    for entry in list(entries):
        if _author(entry, names) == AUTHOR:
            entries.remove(entry)
            continue
        for holder in children(entry, "text"):
            runs = children(holder, "r")
            first = next((k for k, run in enumerate(runs) if _text(run).startswith(_SEPARATOR)), len(runs))
            for run in runs[first:]:
                holder.remove(run)


def _author(entry: _Element, names: list[str]) -> str:
    number = entry.get("authorId", "")
    return names[int(number)] if number.isdigit() and int(number) < len(names) else ""


def _text(run: _Element) -> str:
    return "".join(piece.text or "" for piece in children(run, "t"))


def _as_runs(holder: _Element) -> None:
    """Turn a plain text into a run, so that another can follow it."""
    for plain in children(holder, "t"):
        run = _append(holder, "r")
        run.append(plain)


def _add_run(holder: _Element, text: str) -> None:
    run = _append(holder, "r")
    properties = _append(run, "rPr")
    for name, value in (("sz", "9"), ("color", "81"), ("rFont", "Tahoma"), ("family", "2")):
        _append(properties, name).set("indexed" if name == "color" else "val", value)
    piece = _append(run, "t")
    piece.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
    piece.text = _held(text)


def _held(text: str) -> str:
    """Escape what XML cannot hold; markup is escaped on writing."""
    escaped = text_xml(text.replace("\r\n", "\n"))
    return escaped.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def _append(parent: _Element, name: str) -> _Element:
    from lxml import etree

    return etree.SubElement(parent, f"{{{main_namespace(parent)}}}{name}")


def _section(root: _Element, name: str, first: bool = False) -> _Element:
    known = child(root, name)
    if known is None:
        known = _append(root, name)
        if first:
            root.insert(0, known)
    return known


def _box(index: int, comment: Comment) -> str:
    lines = sum(max(1, -(-len(line) // 42)) for line in comment.text.split("\n"))
    height = min(max(3, lines + 1), 24)
    row, column = comment.row, comment.column
    top = max(row - 1, 0)
    anchor = f"{column + 1}, 15, {top}, 10, {column + 5}, 15, {top + height}, 4"
    return (
        f'<v:shape id="massprops_{address(row, column)}" o:spid="_x0000_s{1024 * _OWN_BLOCK + index}" '
        'type="#_x0000_t202" style="position:absolute;visibility:hidden" fillcolor="#e2effb" o:insetmode="auto">'
        '<v:fill color2="#e2effb"/><v:shadow on="t" color="black" obscured="t"/><v:path o:connecttype="none"/>'
        '<v:textbox style="mso-direction-alt:auto"><div style="text-align:left"></div></v:textbox>'
        f'<x:ClientData ObjectType="Note"><x:MoveWithCells/><x:SizeWithCells/><x:Anchor>{anchor}</x:Anchor>'
        f"<x:AutoFill>False</x:AutoFill><x:Row>{row}</x:Row><x:Column>{column}</x:Column></x:ClientData></v:shape>\n"
    )
