"""The parts of an Office Open XML workbook: which sheets there are, where they stand, what their styles say.

Transitional and Strict packages are read alike: only the local names of elements count.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from massprops_cli.files.options import Archive, reject_document_type, rejection_error
from massprops_cli.files.workbook.styles import MARK_COLOUR

if TYPE_CHECKING:
    from lxml.etree import _Element


_BUILT_IN_FORMATS = {
    1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?", 13: "# ??/??",
    37: "#,##0 ;(#,##0)", 38: "#,##0 ;[Red](#,##0)", 39: "#,##0.00;(#,##0.00)", 40: "#,##0.00;[Red](#,##0.00)",
    46: "[h]:mm:ss", 48: "##0.0E+0", 49: "@",
}  # fmt: skip
_BUILT_IN_DATES = {*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)}


@dataclass(frozen=True, slots=True)
class SheetEntry:
    """One sheet of a workbook: its name, its part in the archive, ``worksheet`` or another kind, and its visibility.

    ``state`` is ``visible``, ``hidden`` or ``veryHidden``.
    """

    name: str
    part: str
    kind: str = "worksheet"
    state: str = "visible"


@dataclass(frozen=True, slots=True)
class WorkbookContents:
    """What the workbook part and its relations say."""

    sheets: list[SheetEntry]
    strings: str
    styles: str
    date1904: bool


@dataclass(frozen=True, slots=True)
class CellFormats:
    """What cell formats say, by their number in the style sheet; only formats that say something are listed.

    ``indents`` levels of indent, ``struck`` formats with a struck-out font, ``formats`` number format codes other than
    General, ``dates`` formats that show a number as a date or a time, ``computed`` formats with the mark of a roll-up.
    """

    indents: dict[int, int]
    struck: frozenset[int]
    formats: dict[int, str]
    dates: frozenset[int]
    computed: frozenset[int] = frozenset()


def read_package(archive: Archive) -> WorkbookContents:
    """Read the list of sheets; raises TableError when the archive is no workbook."""
    main = _relation_target(part_relations(archive, ""), "officeDocument") or "xl/workbook.xml"
    if main not in archive:
        raise rejection_error("MP104", "the archive holds no workbook", archive.name)
    relations = part_relations(archive, main)
    root = _parse_workbook_part(archive, main)
    sheets = []
    for element in _elements_at_path(root, "sheets", "sheet"):
        target = next((v for k, v in element.attrib.items() if str(k).endswith("}id")), "")
        kind, part = relations.get(str(target), ("", ""))
        state = str(element.get("state", "visible"))
        sheets.append(SheetEntry(str(element.get("name", "")), part, kind or "worksheet", state))
    properties = next(iter(_elements_at_path(root, "workbookPr")), None)
    date1904 = properties is not None and properties.get("date1904", "0") in ("1", "true", "on")
    return WorkbookContents(
        sheets, _relation_target(relations, "sharedStrings"), _relation_target(relations, "styles"), date1904
    )


def read_styles(archive: Archive, member: str) -> CellFormats:
    """Read the cell formats that have an indent, a struck-out font, or a number format."""
    if not member or member not in archive:
        return CellFormats({}, frozenset(), {}, frozenset())
    root = _parse_workbook_part(archive, member)
    codes = {
        int(e.get("numFmtId", "0")): str(e.get("formatCode", "")) for e in _elements_at_path(root, "numFmts", "numFmt")
    }
    struck_fonts = {
        i
        for i, font in enumerate(_elements_at_path(root, "fonts", "font"))
        if any(strike.get("val", "1") in ("1", "true") for strike in _elements_at_path(font, "strike"))
    }
    marks = {
        str(i)
        for i, fill in enumerate(_elements_at_path(root, "fills", "fill"))
        for pattern in _elements_at_path(fill, "patternFill")
        if any(colour.get("rgb") == MARK_COLOUR for colour in _elements_at_path(pattern, "fgColor"))
    }
    indents, struck, formats, dates, computed = {}, set(), {}, set(), set()
    for i, form in enumerate(_elements_at_path(root, "cellXfs", "xf")):
        if int(form.get("fontId", "0")) in struck_fonts:
            struck.add(i)
        if form.get("fillId", "0") in marks:
            computed.add(i)
        number = int(form.get("numFmtId", "0"))
        code = codes.get(number, _BUILT_IN_FORMATS.get(number, ""))
        if code not in ("", "General"):
            formats[i] = code
        if number in _BUILT_IN_DATES or (number in codes and _is_date_format(code)):
            dates.add(i)
        for alignment in _elements_at_path(form, "alignment"):
            if (levels := int(alignment.get("indent", "0"))) > 0:
                indents[i] = min(levels, 255)
    return CellFormats(indents, frozenset(struck), formats, frozenset(dates), frozenset(computed))


def _is_date_format(code: str) -> bool:
    """Tell whether a number format code shows a date or a time.

    >>> _is_date_format("yyyy-mm-dd"), _is_date_format('0.00" days"'), _is_date_format("[h]:mm"), _is_date_format("[Red]0")
    (True, False, True, False)
    """
    if re.search(r"\[(h+|m+|s+)\]", code, re.IGNORECASE):
        return True
    bare = re.sub(r'"[^"]*"|\[[^\]]*\]|\\.|_.|\*.|AM/PM|A/P', "", code.partition(";")[0], flags=re.IGNORECASE)
    return bare.lower() != "general" and re.search(r"[dmyhs]", bare, re.IGNORECASE) is not None


def _parse_workbook_part(archive: Archive, member: str) -> _Element:
    """Parse a small part, refusing document types and nesting beyond what any workbook has."""
    from lxml import etree

    data = archive.read(member)
    reject_document_type(archive.name, member, data)
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False, load_dtd=False)
    try:
        return etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise rejection_error("MP104", f"{member} is corrupt in line {error.lineno}", archive.name) from None


def _elements_at_path(element: _Element, *path: str) -> list[_Element]:
    """Give the elements along a path of local names."""
    found_here = [element]
    for name in path:
        found_here = [child for parent in found_here for child in parent.iterchildren(f"{{*}}{name}")]
    return found_here


def part_relations(archive: Archive, member: str) -> dict[str, tuple[str, str]]:
    """Give the kind and the target part of every relation of a part, by its id."""
    folder, base = posixpath.split(member)
    part = posixpath.join(folder, "_rels", f"{base}.rels")
    if part not in archive:
        return {}
    found_here = {}
    for relation in _elements_at_path(_parse_workbook_part(archive, part), "Relationship"):
        if relation.get("TargetMode") == "External":
            continue
        target = str(relation.get("Target", ""))
        full = target.lstrip("/") if target.startswith("/") else posixpath.normpath(posixpath.join(folder, target))
        found_here[str(relation.get("Id", ""))] = (str(relation.get("Type", "")).rpartition("/")[2], full)
    return found_here


def _relation_target(relations: dict[str, tuple[str, str]], kind: str) -> str:
    return next((target for known, target in relations.values() if known == kind), "")
