"""Fill in a user's own workbook: the table's sheet, its comments and styles are edited, the tool's sheets are added.

Every part that is not named here is copied as the compressed bytes it is. Editing an edited workbook with the same
values gives the same bytes. Of comments on cells the user's stay, the tool's own (author ``massprops``) are replaced: a
cell holds one comment only, so the tool's words follow the user's in runs of their own, which begin with a line that
the tool knows again; a thread of comments is left alone. Boxes are in a VML drawing (ECMA-376 part 4, 19).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, BinaryIO
from xml.sax.saxutils import unescape

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.table import TableEdit
from massprops_cli.files.workbook.cells import cell_address, cell_position
from massprops_cli.files.workbook.package import (
    LONGEST_SHEET_NAME,
    ContentTypes,
    EditablePackage,
    Relations,
    WorkbookPart,
    child_elements,
    first_child_element,
    main_namespace,
    parse_part,
    part_bytes,
)
from massprops_cli.files.workbook.row_editor import (
    KeptFormula,
    RowEditor,
    RowValues,
    SheetText,
    split_sheet,
    unshare_formulas,
    values_extent,
)
from massprops_cli.files.workbook.sheet_xml import (
    LONGEST_TEXT,
    MAIN_NAMESPACE,
    LongText,
    OutputSheet,
    SheetsFor,
    double_text,
    inline_xml,
    long_text_findings,
    sheet_xml,
    text_xml,
)
from massprops_cli.files.workbook.styles import NEW_STYLES, StyleBook
from massprops_cli.findings.finding import Finding, OutputError, Place, UsageError, rule_finding

if TYPE_CHECKING:
    from lxml.etree import _Element


CellComment = tuple[int, int, str]
"""A comment on a cell of a sheet of the user: row, column, text."""


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


def _edited_comments(
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
            alone.append((row, column, text))
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
    for row, column, text in sorted(comments, key=lambda comment: comment[:2]):
        texts.setdefault((row, column), []).append(text)
    found = {cell: "\n".join(pieces) for cell, pieces in texts.items()}
    return {cell: text if len(text) <= _LONGEST else text[:_LONGEST] + " …" for cell, text in found.items()}


def _edited_boxes(content: bytes | None, comments: Sequence[CellComment]) -> bytes:
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
    row, column, text = comment
    lines = sum(max(1, -(-len(line) // 42)) for line in text.split("\n"))
    height = min(max(3, lines + 1), 24)
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


_OWN_FOOTER = re.compile(rb"<(?:[\w.-]+:)?(?:odd|even|first)Footer\b[^>]*>[^<]*massprops\b")
"""A page footer with the tool's mark."""
_SAME_VALUE = 1e-12  # relative difference that rounding may cause
_FIXED_FORMAT = re.compile(r"(#,##)?0(\.0+)?")  # 0, 0.00, #,##0.0
_VML = "application/vnd.openxmlformats-officedocument.vmlDrawing"


@dataclass(frozen=True, slots=True)
class SheetEdit:
    """Changes of one sheet of a workbook; added columns are left to the tool's own sheets."""

    sheet: str
    filling: TableEdit = field(default_factory=TableEdit)  # rows and columns count in the table's grid
    first_row: int = 0  # row of the grid's corner in the sheet, from 0
    first_column: int = 0  # its column
    comments: Sequence[CellComment] = ()  # rows and columns count in the sheet
    overwrite_formulas: bool = False
    name: str = ""  # of the file, for findings


def edit_workbook(
    data: Path | bytes, target: BinaryIO, edit: SheetEdit, sheets: Sequence[OutputSheet] | SheetsFor = ()
) -> list[Finding]:
    """Write a workbook with an edited sheet and with added or replaced sheets."""
    from lxml import etree

    try:
        with EditablePackage(data) as package:
            findings = _WorkbookEditor(package, edit).run(sheets)
            package.save(target)
    except etree.XMLSyntaxError as error:
        raise OutputError(f"{edit.name}: workbook part is corrupt: {error.msg}") from None
    return findings


def own_sheet_texts(data: Path | bytes, name: str) -> list[list[str]]:
    """Return the texts of a sheet of the tool in a workbook that the tool wrote."""
    with EditablePackage(data) as package:
        for title, part in reversed(WorkbookPart(package).sheets().items()):
            if title.startswith(name) and part in package and _OWN_FOOTER.search(package.read(part)):
                rows = child_elements(parse_part(package.read(part)), "sheetData", "row")
                cells = [[child_elements(cell, "is", "t") for cell in row] for row in rows]
                return [["".join(text.text or "" for text in texts) for texts in row] for row in cells]
    return []


class _WorkbookEditor:
    """Editor of one workbook."""

    def __init__(self, package: EditablePackage, edit: SheetEdit) -> None:
        self.package, self.edit = package, edit
        self.book, self.types = WorkbookPart(package), ContentTypes(package)
        self.parts = self.book.sheets()
        part = self.parts.get(edit.sheet)
        text = split_sheet(package.read(part)) if part and part in package else None
        if not part or text is None:
            raise UsageError(f"{edit.name}: workbook has no worksheet {edit.sheet}")
        self.part, self.text = part, text
        self.styles_part, self.styles = self._styles()
        self.findings: list[Finding] = []

    def run(self, sheets: Sequence[OutputSheet] | SheetsFor) -> list[Finding]:
        """Edit the sheet, write the tool's sheets, and return what is reported."""
        comments = [*self.edit.comments, *self._fill()]
        self._comment(comments)
        if any(name.startswith("_xmlsignatures/") for name in self.package.names()):
            place = Place(self.edit.name)
            self.findings.append(rule_finding("MP122", "workbook signature does not cover the new content", place))
        for sheet in self._made(sheets):
            if not sheet.only_replaces or self._own_name(sheet.name) in self.parts:
                self._own_sheet(sheet)
        self.package.write(self.styles_part, self.styles.content())
        self.book.save()
        self.types.save()
        return self.findings

    def _made(self, sheets: Sequence[OutputSheet] | SheetsFor) -> Sequence[OutputSheet]:
        """Make the sheets from the findings of the edit."""
        made = sheets(self.findings) if callable(sheets) else sheets
        renamed = [
            rule_finding(
                "MP131",
                f"sheet name {sheet.name} is in use; the result sheet is written as {name}",
                Place(self.edit.name, sheet.name),
            )
            for sheet in made
            if (name := self._free_name(sheet.name)) != sheet.name and not sheet.only_replaces
        ]
        self.findings += renamed
        return sheets(self.findings) if renamed and callable(sheets) else made

    def _fill(self) -> list[CellComment]:
        """Write the values to the sheet; return comments for kept formulas."""
        edit, text = self.edit, self.text
        values, long = _edited_cell_texts(edit)
        self.findings += long_text_findings(edit.name, edit.sheet, long)
        extent = values_extent(values)
        if extent is not None:
            text.widen(extent)
            self.book.recompute_on_opening()
        if edit.overwrite_formulas:
            text.rows = unshare_formulas(text.rows, {(row, column) for row in values for column, _ in values[row]})
        header = edit.first_row + edit.filling.header_row
        editor = RowEditor(
            text,
            self.styles.marked,
            self.styles.marks(),
            overwrite=edit.overwrite_formulas,
            plain_row=header if edit.filling.renames else -1,
            with_format=self.styles.with_number_format_of,
        )
        self.edited = list(editor.edited(values))
        text.rows = b""
        text.widen_columns(self._needed_widths(editor.digits))
        if editor.replaced:
            self._drop_calculation_chain()
        self.findings += _kept_formula_findings(edit, editor.kept)
        return [(one.row, one.column, f"computed: {one.shown}; formula kept") for one in editor.kept]

    def _needed_widths(self, digits_before: dict[tuple[int, int], int]) -> dict[int, float]:
        """Return the widths of the computed numbers in fixed formats; other formats adapt to the column."""
        needed: dict[int, float] = {}
        for (column, style), digits in digits_before.items():
            fixed = _FIXED_FORMAT.fullmatch(self.styles.number_format_of(style))
            if fixed:
                marks = (digits - 1) // 3 if fixed[1] else 0
                needed[column] = max(needed.get(column, 0.0), digits + marks + len(fixed[2] or "") + 1.5)
        return needed

    def _comment(self, comments: Sequence[CellComment]) -> None:
        """Write the comments, and then the sheet, whose drawing may be new."""
        relations = Relations(self.package, self.part)
        known = relations.first("comments")
        if comments or known is not None:
            self._write_comments(relations, known, comments)
        self.package.write_pieces(self.part, self._sheet_pieces(self.text))

    def _write_comments(
        self, relations: Relations, known: tuple[str, str] | None, comments: Sequence[CellComment]
    ) -> None:
        """Write the part of the comments and the drawing of their boxes, and relate them to the sheet."""
        part = known[1] if known else self._free("xl/comments{}.xml")
        old = self.package.read(part) if part in self.package else None
        content, boxed = _edited_comments(old, comments, self.book.namespace)
        drawing_id = self.text.legacy_drawing()
        drawing = relations.by_id().get(drawing_id, ("", ""))[1]
        if not drawing:
            drawing = self._free("xl/drawings/vmlDrawing{}.vml")
            drawing_id = relations.add("vmlDrawing", drawing, strict=self.book.strict)
            self.text.add_legacy_drawing(drawing_id, self.book.strict)
        self.package.write(part, content)
        boxes = self.package.read(drawing) if drawing in self.package else None
        self.package.write(drawing, _edited_boxes(boxes, boxed))
        if known is None:
            relations.add("comments", part, strict=self.book.strict)
            self.types.set_part(part, "comments")
        self.types.set_suffix("vml", _VML)
        relations.save()

    def _sheet_pieces(self, text: SheetText) -> Iterator[bytes]:
        """Yield the edited XML of the sheet."""
        yield text.head
        yield from self.edited
        yield text.tail

    def _own_sheet(self, sheet: OutputSheet) -> None:
        """Replace the tool's sheet of this name, or add it; keep a sheet of the user with the same name."""
        name = self._own_name(sheet.name)
        part = self.parts.get(name, "")
        if not part:
            part = self._free(str(PurePosixPath(self.part).parent / "sheet{}.xml"))
            self.book.add_sheet(name, part)
            self.types.set_part(part, "worksheet")
            self.parts[name] = part
        self.book.set_print_titles(name, sheet.print_titles)
        too_long: list[LongText] = []
        self.package.write_pieces(part, sheet_xml(sheet, self.styles.look, self.book.namespace, too_long))
        self.findings += long_text_findings(self.edit.name, name, too_long)

    def _own_name(self, wanted: str) -> str:
        """Return the name of a sheet of the tool, in the case of one that exists."""
        name = self._free_name(wanted)
        return {known.lower(): known for known in self.parts}.get(name.lower(), name)

    def _free_name(self, wanted: str) -> str:
        """Return a free name for a sheet of the tool: its own, unless a sheet of the user has it."""
        others = {name.lower(): name for name in self.parts}
        name, k = wanted, 1
        while (known := others.get(name.lower())) is not None and not self._is_own(known):
            ending = " (massprops)" if k == 1 else f" (massprops {k})"
            name, k = wanted[: LONGEST_SHEET_NAME - len(ending)] + ending, k + 1
        return name

    def _is_own(self, name: str) -> bool:
        """Return whether the tool wrote a sheet, by the mark in its footer."""
        part = self.parts[name]
        return part in self.package and _OWN_FOOTER.search(self.package.read(part)) is not None

    def _styles(self) -> tuple[str, StyleBook]:
        """Return the styles part and its name; add one if it is missing."""
        known = self.book.relations.first("styles")
        if known is not None and known[1] in self.package:
            return known[1], StyleBook(self.package.read(known[1]))
        part = "xl/styles.xml" if "xl/styles.xml" not in self.package else self._free("xl/styles{}.xml")
        self.book.relations.add("styles", part, strict=self.book.strict)
        self.types.set_part(part, "styles")
        return part, StyleBook(NEW_STYLES)

    def _drop_calculation_chain(self) -> None:
        """Remove the order of calculation; it is rebuilt on opening."""
        known = self.book.relations.first("calcChain")
        if known is not None:
            self.package.remove(known[1])
            self.book.relations.drop("calcChain")
            self.types.drop_part(known[1])

    def _free(self, pattern: str) -> str:
        """Return the first unused part name of a pattern."""
        k = 1
        while pattern.format(k) in self.package:
            k += 1
        return pattern.format(k)


def _edited_cell_texts(edit: SheetEdit) -> tuple[RowValues, list[tuple[int, int, int]]]:
    """Convert an edit to texts of cells by row of the sheet, and list texts over the limit with their length."""
    values: RowValues = {}
    long: list[tuple[int, int, int]] = []
    for fill in sorted(edit.filling.fills, key=lambda fill: fill.column):
        column = edit.first_column + fill.column
        rows = (np.asarray(fill.rows) + edit.first_row).tolist()
        if isinstance(fill.values, np.ndarray):
            texts = _number_cell_texts(fill.values)
        else:
            texts = [inline_xml(text).encode() if text else b"" for text in fill.values]
            long += [
                (row, column, len(text))
                for row, text in zip(rows, fill.values, strict=True)
                if len(text) > LONGEST_TEXT
            ]
        for row, text in zip(rows, texts, strict=True):
            known = values.get(row)
            if known is None:
                values[row] = [(column, text)]
            else:
                known.append((column, text))
    header = edit.first_row + edit.filling.header_row
    if edit.filling.renames:
        for column, name in sorted(edit.filling.renames.items()):
            values.setdefault(header, []).append((edit.first_column + column, inline_xml(name).encode()))
        values[header].sort()
    return values, long


def _number_cell_texts(values: NDArray[np.float64]) -> list[bytes]:
    """Return the texts of numbers (k,), ``b""`` where a number is not finite."""
    finite = np.isfinite(values)
    texts = [double_text(value).encode() for value in values.tolist()]
    if finite.all():
        return texts
    return [text if fine else b"" for text, fine in zip(texts, finite.tolist(), strict=True)]


def _kept_formula_findings(edit: SheetEdit, kept: Sequence[KeptFormula]) -> list[Finding]:
    """Report the formulas kept: each one with another value, and the others in one finding."""
    findings, agreeing = [], []
    for one in kept:
        place = Place(edit.name, edit.sheet, one.row + 1, cell=cell_address(one.row, one.column))
        if one.agrees(_SAME_VALUE):
            agreeing.append(place)
            continue
        part = "an array formula" if one.whole else "a formula"
        message = f"{place.cell}: {part} gives {one.saved or 'nothing'}, the roll-up gives {one.shown}; formula kept"
        findings.append(rule_finding("MP121", message, place, value=one.saved))
    if agreeing:
        message = "formulas that give the computed value are kept"
        agreement = rule_finding("MP121", message, agreeing[0], count=len(agreeing), related=tuple(agreeing[1:]))
        findings.append(agreement)
    return findings
