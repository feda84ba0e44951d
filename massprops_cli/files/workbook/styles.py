"""Cell formats of a workbook: what they state, the mark on computed cells, the looks of the tool's sheets; comments."""

from __future__ import annotations

import re
from collections.abc import Sequence
from copy import deepcopy
from functools import cache
from typing import TYPE_CHECKING
from xml.sax.saxutils import unescape

from massprops_cli.files.options import Archive
from massprops_cli.files.workbook import package
from massprops_cli.files.workbook.cells import CellFormats, cell_address, cell_position
from massprops_cli.files.workbook.sheet_xml import MAIN_NAMESPACE, CellLook, attribute_xml, text_xml

if TYPE_CHECKING:
    from lxml.etree import _Element

_MARK_COLOUR = "FFE2EFFB"  # fill of computed cells: a light blue of the tool's own, by which it knows its marks
_ORDER = (
    "numFmts", "fonts", "fills", "borders", "cellStyleXfs", "cellXfs", "cellStyles", "dxfs", "tableStyles", "colors",
    "extLst",
)  # fmt: skip
_FIRST_FREE_FORMAT = 164  # lower numbers are of built-in formats (18.8.30)
_FONT = '<font>{}<sz val="{}"/><color rgb="{}"/><name val="Calibri"/><family val="2"/></font>'
_FILL = '<fill><patternFill patternType="solid"><fgColor rgb="{}"/><bgColor indexed="64"/></patternFill></fill>'
_EDGE = '<{0} style="thin"><color rgb="{1}"/></{0}>'
_LINE = "<border><left/><right/><top/>" + _EDGE.format("bottom", "FF1F3A5F") + "<diagonal/></border>"
_PLAIN = (
    '<font><sz val="11"/><color theme="1"/><name val="Calibri"/><family val="2"/></font>',
    '<fill><patternFill patternType="none"/></fill>',
    "<border><left/><right/><top/><bottom/><diagonal/></border>",
)
_INK, _MIDDLE = "FF1F2933", '<alignment vertical="center"/>'
_LOOKS: dict[CellLook, tuple[str, str, str, str]] = {
    CellLook.TITLE: (_FONT.format("<b/>", 14, "FF1F3A5F"), "", "", ""),
    CellLook.HEADER: (
        _FONT.format("<b/>", 11, "FFFFFFFF"),
        _FILL.format("FF1F3A5F"),
        _LINE,
        '<alignment vertical="center" wrapText="1"/>',
    ),
    CellLook.NUMBER_HEADER: (
        _FONT.format("<b/>", 11, "FFFFFFFF"),
        _FILL.format("FF1F3A5F"),
        _LINE,
        '<alignment horizontal="right" vertical="center" wrapText="1"/>',
    ),
    CellLook.COMPUTED: ("", _FILL.format(_MARK_COLOUR), "", ""),
    CellLook.ERROR: (
        _FONT.format("<b/>", 11, "FF9B1C1C"),
        _FILL.format("FFFDE8E8"),
        "",
        '<alignment vertical="center"/>',
    ),
    CellLook.WARNING: (
        _FONT.format("", 11, "FF8A4B08"),
        _FILL.format("FFFEF3D7"),
        "",
        '<alignment vertical="center"/>',
    ),
    CellLook.KEPT: (_FONT.format("", 11, "FF1E5631"), _FILL.format("FFE4F3E6"), "", ""),
    CellLook.NOTE: (_FONT.format("", 11, "FF4B5563"), "", "", _MIDDLE),
    CellLook.WRAPPED: (_FONT.format("", 11, _INK), "", "", '<alignment vertical="center" wrapText="1"/>'),
}
"""Font, fill, border and alignment of each look that is not plain; empty is the workbook's default."""
NEW_STYLES = (
    f'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<styleSheet xmlns="{MAIN_NAMESPACE}">'
    f'<fonts count="1">{_PLAIN[0]}</fonts><fills count="2">{_PLAIN[1]}'
    '<fill><patternFill patternType="gray125"/></fill></fills>'
    f'<borders count="1">{_PLAIN[2]}</borders>'
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>'
    '<cellXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/></cellXfs>'
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>'
).encode()
"""The styles part of an empty workbook."""
_BUILT_IN_FORMATS = {
    1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?", 13: "# ??/??",
    37: "#,##0 ;(#,##0)", 38: "#,##0 ;[Red](#,##0)", 39: "#,##0.00;(#,##0.00)", 40: "#,##0.00;[Red](#,##0.00)",
    46: "[h]:mm:ss", 48: "##0.0E+0", 49: "@",
}  # fmt: skip
_BUILT_IN_DATES = {*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)}  # 18.8.30, with those of East Asia


class StyleBook:
    """The styles part of one workbook, extended by each new format requested."""

    def __init__(self, content: bytes = NEW_STYLES) -> None:
        """Read the part's bytes."""
        self.root = package.parse_part(content)
        self.namespace = package.main_namespace(self.root)
        self.formats = self._section("cellXfs")
        if not len(self.formats):
            self._add(self.formats, '<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>')
        self._index: dict[str, dict[bytes, int]] = {}
        self.marked, self.look = cache(self._marked), cache(self._look)

    def content(self) -> bytes:
        """Return the XML of the styles part."""
        return package.part_bytes(self.root)

    def marks(self) -> dict[int, int]:
        """Return the formats with the mark of computed cells."""
        fills = _mark_fills(self.root)
        marked = {k: form for k, form in enumerate(self.formats) if form.get("fillId", "0") in fills}
        if not marked:
            return {}
        unmarked: dict[bytes, int] = {}
        for k, form in enumerate(self.formats):
            if k not in marked:
                unmarked.setdefault(_format_without_fill(form), k)
        return {k: unmarked.get(_format_without_fill(form), k) for k, form in marked.items()}

    def number_format_of(self, style: int) -> str:
        """Return the number format code of a format."""
        number = package.integer_attribute(self._form(style), "numFmtId")
        code = _format_codes(self.root).get(number, _BUILT_IN_FORMATS.get(number, ""))
        is_date = number in _BUILT_IN_DATES or _is_date_format(code)
        return "" if code in ("", "General", "@") or is_date else code

    def with_number_format_of(self, style: int, model: int, unit: str = "", code: str = "") -> int:
        """Return the copy of a format with the number format of another, else ``code``; itself if its own fits."""
        own, wanted = self.number_format_of(style), self.number_format_of(model)
        if code and not own and not wanted and self._form(style).get("numFmtId", "0") != "49":
            return self._copy(style, numFmtId=str(self._number_format(code)), applyNumberFormat="1")
        number, shown = self._form(style).get("numFmtId", "0"), _shown_unit(own)
        is_fit = number == "49" or (bool(own) and (shown == _shown_unit(wanted) or shown in ("", unit.casefold())))
        if is_fit or (number == "0" and not wanted):
            return style
        return self._copy(
            style, numFmtId=self._form(model).get("numFmtId", "0") if wanted else "0", applyNumberFormat="1"
        )

    def _form(self, style: int) -> _Element:
        """Return a format by its number; the first one if there is none of this number."""
        return self.formats[style if 0 <= style < len(self.formats) else 0]

    def _copy(self, style: int, **attributes: str) -> int:
        """Return a copy of a format with other attributes."""
        copy = deepcopy(self._form(style))
        copy.tail = None
        copy.attrib.update([*attributes.items()])
        return self._place(self.formats, copy)

    def _marked(self, style: int) -> int:
        """Return a copy of a format with the fill of the mark; itself if it has it."""
        if self._form(style).get("fillId", "0") in _mark_fills(self.root):
            return style
        return self._copy(style, fillId=str(self._find_or_add("fills", _FILL.format(_MARK_COLOUR))), applyFill="1")

    def _look(self, look: CellLook, number_format: str = "", bold: bool = False, indent: int = 0) -> int:
        """Return a format of a look, new if there is none; the default one for plain cells if it is plain."""
        number = self._number_format(number_format)
        font, fill, border, alignment = _LOOKS.get(look, ("", "", "", ""))
        font = font or (_FONT.format("<b/>", 11, _INK) if bold else "")
        if indent and "horizontal" not in alignment:
            side = f'"left" indent="{indent}"' if indent > 0 else '"right"'
            alignment = (alignment or "<alignment/>").replace("/>", f" horizontal={side}/>")
        if look in (CellLook.TEXT, CellLook.NUMBER) and not (number or font or alignment):
            is_plain = all(self.formats[0].get(key, "0") == "0" for key in ("numFmtId", "fillId", "borderId"))
            return 0 if is_plain else self._place_xf(0, ("", "", ""), "")
        return self._place_xf(number, (font, fill, border), alignment)

    def _place_xf(self, number: int, parts: tuple[str, str, str], alignment: str) -> int:
        """Return a format of a number format, of font, fill and border, and of an alignment."""
        names = ("fonts", "fills", "borders")
        ids = [self._find_or_add(name, part or plain) for name, part, plain in zip(names, parts, _PLAIN, strict=True)]
        if not parts[0] and len(self._section("fonts")):
            ids[0] = 0
        kinds = zip(("NumberFormat", "Font", "Fill", "Border", "Alignment"), (number, *parts, alignment), strict=True)
        applied = "".join(f' apply{kind}="1"' for kind, one in kinds if one)
        xf = f'<xf numFmtId="{number}" fontId="{ids[0]}" fillId="{ids[1]}" borderId="{ids[2]}" xfId="0"{applied}' + (
            f">{alignment}</xf>" if alignment else "/>"
        )
        return self._place(self.formats, self._element(xf))

    def _number_format(self, code: str) -> int:
        """Return the number of a number format code, added if it is new."""
        if code in ("", "General"):
            return 0
        section = self._section("numFmts")
        for known in section:
            if known.get("formatCode") == code:
                return package.integer_attribute(known, "numFmtId")
        number = max([_FIRST_FREE_FORMAT - 1, *(package.integer_attribute(known, "numFmtId") for known in section)]) + 1
        self._add(section, f'<numFmt numFmtId="{number}" formatCode="{attribute_xml(code)}"/>')
        return number

    def _find_or_add(self, section: str, xml: str) -> int:
        """Return the number of an element of a section, added if it is new."""
        return self._place(self._section(section), self._element(xml))

    def _place(self, section: _Element, element: _Element) -> int:
        """Return the position of an equal element in a section; add the element if there is none."""
        if (index := self._index.get(str(section.tag))) is None:
            index = self._index[str(section.tag)] = {}
            for k, known in enumerate(section):
                index.setdefault(_canonical_bytes(known), k)
        if (key := _canonical_bytes(element)) not in index:
            index[key] = len(section)
            section.append(element)
            section.set("count", str(len(section)))
        return index[key]

    def _add(self, section: _Element, xml: str) -> None:
        """Append an element to a section, and count it."""
        section.append(self._element(xml))
        section.set("count", str(len(section)))

    def _element(self, xml: str) -> _Element:
        """Make an element in the namespace of the part, with its prefix."""
        from lxml import etree

        if (prefix := self.root.prefix) is None:
            return etree.fromstring(f'<a xmlns="{self.namespace}">{xml}</a>')[0]
        plain = etree.fromstring(f'<a xmlns="{self.namespace}">{xml}</a>')
        return _rebuilt_styles(plain[0], etree.Element(self.root.tag, nsmap={prefix: self.namespace}))

    def _section(self, name: str) -> _Element:
        """Return a section of the part, made in its order if it is missing."""
        if (known := package.first_child_element(self.root, name)) is not None:
            return known
        from lxml import etree

        made = package.sibling_element(self.root, name)
        later = _ORDER[_ORDER.index(name) + 1 :]
        if (before := next((e for e in self.root if etree.QName(e).localname in later), None)) is None:
            self.root.append(made)
        else:
            before.addprevious(made)
        return made


def _mark_fills(root: _Element) -> set[str]:
    """Return the numbers of the fills in the colour of the mark."""
    fills = enumerate(package.child_elements(root, "fills", "fill"))
    colours = ((k, one) for k, fill in fills for one in package.child_elements(fill, "patternFill", "fgColor"))
    return {str(k) for k, one in colours if one.get("rgb", "").upper() == _MARK_COLOUR}


def _format_codes(root: _Element) -> dict[int, str]:
    """Return the codes of number formats by their numbers."""
    codes = package.child_elements(root, "numFmts", "numFmt")
    return {package.integer_attribute(one, "numFmtId"): str(one.get("formatCode", "")) for one in codes}


def _rebuilt_styles(plain: _Element, home: _Element) -> _Element:
    """Return a copy of an element within another, which has the prefix."""
    from lxml import etree

    made = etree.SubElement(home, plain.tag, {str(k): str(v) for k, v in plain.attrib.items()})
    for inner in plain:
        _rebuilt_styles(inner, made)
    return made


def _canonical_bytes(element: _Element) -> bytes:
    """Return canonical XML, by which equal elements are found."""
    from lxml import etree

    return etree.tostring(element, method="c14n", exclusive=True, with_tail=False)


def _format_without_fill(form: _Element) -> bytes:
    """Return the canonical XML of a format without its fill."""
    copy = deepcopy(form)
    for key in ("fillId", "applyFill"):
        if key in copy.attrib:
            del copy.attrib[key]
    return _canonical_bytes(copy)


def read_styles(archive: Archive, member: str) -> CellFormats:
    """Read the cell formats with an indent, a struck-out font, a number format or the mark."""
    if not member or member not in archive:
        return CellFormats({}, frozenset(), {}, frozenset())
    root = package.parse_archive_part(archive, member)
    struck_fonts = {
        i
        for i, font in enumerate(package.child_elements(root, "fonts", "font"))
        if any(strike.get("val", "1") in ("1", "true") for strike in package.child_elements(font, "strike"))
    }
    codes, marks = _format_codes(root), _mark_fills(root)
    indents, struck, formats, dates, computed = {}, set(), {}, set(), set()
    for i, form in enumerate(package.child_elements(root, "cellXfs", "xf")):
        if package.integer_attribute(form, "fontId") in struck_fonts:
            struck.add(i)
        if form.get("fillId", "0") in marks:
            computed.add(i)
        number = package.integer_attribute(form, "numFmtId")
        if (code := codes.get(number, _BUILT_IN_FORMATS.get(number, ""))) not in ("", "General"):
            formats[i] = code
        if number in _BUILT_IN_DATES or (number in codes and _is_date_format(code)):
            dates.add(i)
        for alignment in package.child_elements(form, "alignment"):
            if (levels := package.integer_attribute(alignment, "indent")) > 0:
                indents[i] = min(levels, 255)
    return CellFormats(indents, frozenset(struck), formats, frozenset(dates), frozenset(computed))


def _shown_unit(code: str) -> str:
    """Return the words that a number format shows, its percent signs and the commas that scale."""
    positive = code.partition(";")[0]
    texts = "".join(map("".join, re.findall(r'"([^"]*)"|\\(.)|\[\$([^\]-]*)', positive))).strip().casefold()
    bare = re.sub(r'"[^"]*"|\[[^\]]*\]|\\.|_.|\*.', "", positive)
    marks = "".join(re.findall(r"%|(?<=[0#?]),+(?![0#?])", bare))
    return (texts if any(map(str.isalpha, texts)) else "") + marks


def _is_date_format(code: str) -> bool:
    """Return whether a number format code shows a date or a time."""
    if re.search(r"\[(h+|m+|s+)\]", code, re.IGNORECASE):
        return True
    bare = re.sub(r'"[^"]*"|\[[^\]]*\]|\\.|_.|\*.|AM/PM|A/P', "", code.partition(";")[0], flags=re.IGNORECASE)
    return bare.lower() != "general" and re.search(r"[dmyhs]", bare, re.IGNORECASE) is not None


CellComment = tuple[int, int, str]  # a comment on a cell of a sheet of the user: row, column, text
_AUTHOR = "massprops"
_SEPARATOR = "\n— massprops —\n"
_THREAD = "tc="
_LONGEST = 32_000  # characters of a comment; longer ones are cut
_OWN_BLOCK = 500  # shapes of the tool have numbers from 1024 times this on, far above those that Excel deals out first
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
    root = package.parse_part(content) if content else package.parse_part(f'<comments xmlns="{namespace}"/>'.encode())
    authors, entries = _find_section(root, "authors", first=True), _find_section(root, "commentList")
    names = [author.text or "" for author in authors]
    _remove_own_entries(entries, names)
    standing = {cell_position(entry.get("ref", "")): entry for entry in entries}
    alone = []
    for (row, column), text in _comment_texts(comments).items():
        if (known := standing.get((row, column))) is None:
            if _AUTHOR not in names:
                names.append(_AUTHOR)
                _append_element(authors, "author").text = _AUTHOR
            alone.append((row, column, text))
            entry = _append_element(entries, "comment")
            entry.set("ref", cell_address(row, column))
            entry.set("authorId", str(names.index(_AUTHOR)))
            _add_run(_append_element(entry, "text"), text)
        elif (
            not _author_number(known, names).startswith(_THREAD)
            and (holder := package.first_child_element(known, "text")) is not None
        ):
            for plain in package.child_elements(holder, "t"):  # another run can follow a run only
                _append_element(holder, "r").append(plain)
            _add_run(holder, _SEPARATOR + text)
    return package.part_bytes(root), alone


def _comment_texts(comments: Sequence[CellComment]) -> dict[tuple[int, int], str]:
    """Return one text for each cell in order; texts over the limit of a comment are cut."""
    texts: dict[tuple[int, int], list[str]] = {}
    for row, column, text in sorted(comments, key=lambda comment: comment[:2]):
        texts.setdefault((row, column), []).append(text)
    found = {cell: "\n".join(pieces) for cell, pieces in texts.items()}
    return {cell: text if len(text) <= _LONGEST else text[:_LONGEST] + " …" for cell, text in found.items()}


def edited_boxes(content: bytes | None, comments: Sequence[CellComment]) -> bytes:
    """Replace the hidden boxes of the own comments in the drawing."""
    text = _OWN_SHAPE.sub("", (content or _EMPTY_VML.encode()).decode("utf-8", "surrogateescape"))
    shapes = "".join(_comment_box(k, comment) for k, comment in enumerate(comments))
    end = text.rfind("</xml>")
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
        for holder in package.child_elements(entry, "text"):
            runs = package.child_elements(holder, "r")
            texts = ["".join(piece.text or "" for piece in package.child_elements(run, "t")) for run in runs]
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

    return etree.SubElement(parent, f"{{{package.main_namespace(parent)}}}{name}")


def _find_section(root: _Element, name: str, first: bool = False) -> _Element:
    """Return a section of the part, made if it is missing."""
    if (known := package.first_child_element(root, name)) is None:
        known = _append_element(root, name)
        if first:
            root.insert(0, known)
    return known


def _comment_box(index: int, comment: CellComment) -> str:
    """Return the hidden box of a comment, as high as its lines."""
    row, column, text = comment
    height = min(max(3, sum(max(1, -(-len(line) // 42)) for line in text.split("\n")) + 1), 24)
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
