"""Fill in a user's own workbook: the table's sheet, its comments and styles are edited, the tool's sheets are added."""

from __future__ import annotations

import functools
import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from pathlib import Path, PurePosixPath
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.table import TableEdit, Values, shortest_number_text
from massprops_cli.files.workbook import package as packages, row_editor
from massprops_cli.files.workbook.cells import CellRuns, cell_address, cell_range, merged_runs
from massprops_cli.files.workbook.formulas import FORMULA_CELL, Tables, WorkbookFormulas, formula_cell, rows_between
from massprops_cli.files.workbook.sheet_xml import (
    LONGEST_TEXT,
    CellLook,
    LongText,
    OutputSheet,
    SheetsFor,
    inline_xml,
    long_text_findings,
    sheet_xml,
)
from massprops_cli.files.workbook.styles import NEW_STYLES, CellComment, StyleBook, edited_boxes, edited_comments
from massprops_cli.files.workbook.xlsx import read_constants
from massprops_cli.findings.finding import Finding, OutputError, Place, UsageError, rule_finding

_OWN_FOOTER = re.compile(rb"<(?:[\w.-]+:)?(?:odd|even|first)Footer\b[^>]*>[^<]*massprops\b")
"""A page footer with the tool's mark."""
_MEMBER = re.compile(
    rb"(<(?:[\w.-]+:)?c\b)([^>]*)(>)\s*<(?:[\w.-]+:)?v\b[^>]*>[^<]*</(?:[\w.-]+:)?v>(?=\s*</(?:[\w.-]+:)?c>)"
)  # a cell with only a value, such as those of an array formula after its first
_MOST_FORMULAS = 1_000  # whose places a finding has
_FEW = 500  # numbers that are written without Arrow
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
    parents: Sequence[tuple[int, int]] = ()  # rows of an item and of its assembly
    equal: Collection[tuple[int, int]] = ()  # cells of the filling that hold their value
    marked: Collection[tuple[int, int]] = ()  # cells with the mark of an earlier run
    inputs: Collection[tuple[int, int]] = ()  # cells with formulas of which the filling is computed
    units: Mapping[int, str] = field(default_factory=dict)  # of columns
    fill_summed: bool = False  # fill cells also where formulas then count them twice
    looks: Mapping[tuple[int, int], CellLook] = field(default_factory=dict)  # of new cells of the grid
    formats: Mapping[int, str] = field(default_factory=dict)  # number formats of filled cells in columns without one
    is_input: bool = False  # whether the filling is what a person states, without the mark of computed cells


def edit_workbook(
    data: Path | bytes, target: BinaryIO, edit: SheetEdit, sheets: Sequence[OutputSheet] | SheetsFor = ()
) -> list[Finding]:
    """Write a workbook with an edited sheet and with added or replaced sheets."""
    from lxml import etree

    try:
        with packages.EditablePackage(data) as package:
            findings = _WorkbookEditor(package, edit, data).run(sheets)
            package.save(target)
    except etree.XMLSyntaxError as error:
        raise OutputError(f"{edit.name}: workbook part is corrupt: {error.msg}") from None
    return findings


def dependent_cells(data: Path | bytes, sheet: str, cells: Iterable[tuple[int, int]]) -> set[tuple[int, int]]:
    """Return the formulas of a sheet whose values depend on some of its cells."""
    values: row_editor.RowValues = {}
    for row, column in sorted(cells):
        values.setdefault(row, []).append((column, b"0"))
    with packages.EditablePackage(data) as package:
        formulas = _WorkbookEditor(package, SheetEdit(sheet), data)._formulas(values)
    return formulas.dependents(_filled_rows(values)).get(formulas.home, set()) if formulas else set()


def own_sheet_texts(data: Path | bytes, name: str) -> list[list[str]]:
    """Return the texts of a sheet of the tool in a workbook that the tool wrote."""
    with packages.EditablePackage(data) as package:
        for title, part in reversed(packages.WorkbookPart(package).sheets().items()):
            if title.startswith(name) and part in package and _OWN_FOOTER.search(package.read(part)):
                rows = packages.child_elements(packages.parse_part(package.read(part)), "sheetData", "row")
                cells = [[packages.child_elements(cell, "is", "t") for cell in row] for row in rows]
                return [["".join(text.text or "" for text in texts) for texts in row] for row in cells]
    return []


class _WorkbookEditor:
    """Editor of one workbook."""

    def __init__(self, package: packages.EditablePackage, edit: SheetEdit, data: Path | bytes) -> None:
        self.package, self.edit, self.data = package, edit, data
        self.book, self.types = packages.WorkbookPart(package), packages.ContentTypes(package)
        self.parts = self.book.sheets()
        part = self.parts.get(edit.sheet)
        text = row_editor.split_sheet(package.read(part)) if part and part in package else None
        if not part or text is None:
            raise UsageError(f"{edit.name}: workbook has no worksheet {edit.sheet}")
        self.part, self.text = part, text
        self.styles_part, self.styles = self._styles()
        self.findings: list[Finding] = []
        self.calculated: dict[str, tuple[str, row_editor.SheetText]] = {}  # sheets with formulas

    def run(self, sheets: Sequence[OutputSheet] | SheetsFor) -> list[Finding]:
        """Edit the sheet, write the tool's sheets, and return what is reported."""
        comments = [*self.edit.comments, *self._fill()]
        relations = packages.Relations(self.package, self.part)
        known = relations.first("comments")
        if comments or known is not None:
            self._write_comments(relations, known, comments)
        # the drawing of the comments may be new, and the sheet names it
        self.package.write_pieces(self.part, [self.text.head, *self.edited, self.text.tail])
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
        edit, text, top, left = self.edit, self.text, self.edit.first_row, self.edit.first_column
        values, long = _edited_cell_texts(edit)
        self.findings += long_text_findings(edit.name, edit.sheet, long)
        if (extent := row_editor.values_extent(values)) is not None:
            text.widen(extent)
            self.book.recompute_on_opening()
        formulas = self._formulas(values) if values else None
        own = formulas.places if formulas and not edit.overwrite_formulas else ()
        self.kept = {(row, column) for sheet, row, column in own if sheet == edit.sheet.lower()}
        unfilled = self._without_summed(formulas, values) if formulas else []
        if edit.overwrite_formulas:
            cells = {(row, column) for row in values for column, _ in values[row]}
            text.rows = row_editor.unshare_formulas(text.rows, cells)
        editor = row_editor.RowEditor(
            text,
            (lambda style: style) if edit.is_input else self.styles.marked,
            self.styles.marks(),
            overwrite=edit.overwrite_formulas,
            plain_row=top + edit.filling.header_row if edit.filling.renames else -1,
            with_format=lambda style, model, column: self.styles.with_number_format_of(
                style, model, edit.units.get(column - left, ""), edit.formats.get(column - left, "")
            ),
            looks={(row + top, column + left): self.styles.look(x) for (row, column), x in edit.looks.items()},
            longest={fill.column + left: _most_digits(fill.values) for fill in edit.filling.fills},
        )
        self.edited = list(editor.edited(values))
        if formulas:
            self._drop_old_values(formulas, values)
        text.rows = b""
        text.widen_columns(self._needed_widths(editor.digits))
        if editor.replaced and (known := self.book.relations.first("calcChain")) is not None:
            self.package.remove(known[1])  # the order of calculation is rebuilt on opening
            self.book.relations.drop("calcChain")
            self.types.drop_part(known[1])
        self.findings += _kept_formula_findings(edit, editor.kept)
        return unfilled + [(one.row, one.column, f"computed: {one.shown}; formula kept") for one in editor.kept]

    def _formulas(self, values: row_editor.RowValues) -> WorkbookFormulas | None:
        """Read the formulas of all sheets; None without any."""
        tables: Tables = {}
        sheets = dict.fromkeys(self.parts, b"")
        for name, part in self.parts.items():
            text = self.text if part == self.part else None
            if text is None and part in self.package:
                text = row_editor.split_sheet(self.package.read(part))
            if text is not None and b"<f" in text.rows:
                self.calculated[name.lower()] = part, text
                sheets[name] = text.rows
            tables = {**tables, **_sheet_tables(self.package, name.lower(), part)}
        names: dict[str, str] = {}
        for one in packages.child_elements(self.book.root, "definedNames", "definedName"):
            name = one.get("name", "").lower()
            names[name] = f"{names.get(name, '')},{one.text}"  # of the workbook and of sheets
        if not self.calculated:
            return None
        constants = functools.cache(functools.partial(read_constants, self.edit.name, self.data))
        return WorkbookFormulas(self.edit.sheet, sheets, names, tables, constants, _filled_rows(values, texts=True))

    def _without_summed(self, formulas: WorkbookFormulas, values: row_editor.RowValues) -> list[CellComment]:
        """Take from ``values`` the cells that formulas would count twice; return their comments."""
        edit, top, left = self.edit, self.edit.first_row, self.edit.first_column
        passed = {(row + top, column + left) for cells in (edit.equal, edit.marked) for row, column in cells}
        filled = _filled_rows(values, passed | self.kept)
        parents = [(row + top, above + top) for row, above in edit.parents]
        inputs = {formulas.numbers.get((formulas.home, row + top, column + left), -1) for row, column in edit.inputs}
        summed, sums = _double_sums(formulas, filled, parents, inputs - {-1})
        if not summed:
            return []
        listed, related = self._listed_formulas(sums)
        count, first = f"{len(summed)} cell{'s' * (len(summed) > 1)}", min(summed)
        place = Place(edit.name, edit.sheet, first[0] + 1, cell=cell_address(*first))
        message = f"{count} not filled, because the values of formulas would change: {listed}"
        if edit.fill_summed:
            message = f"values of formulas change, because {count} that they sum are filled: {listed}"
        self.findings.append(rule_finding("MP135", message, place, value=listed, related=related))
        unfilled = []
        for row, pairs in ({} if edit.fill_summed else values).items():
            found = [(column, text.decode() or "nothing") for column, text in pairs if (row, column) in summed]
            unfilled += [(row, column, f"computed: {text}; not filled") for column, text in found]
            pairs[:] = [pair for pair in pairs if (row, pair[0]) not in summed]
        return unfilled

    def _listed_formulas(self, formulas: Sequence[str]) -> tuple[str, tuple[Place, ...]]:
        """Write the first formulas of a list, and return the places of those that a finding names."""
        listed = ", ".join(formulas[:5]) + f" and {len(formulas) - 5} more" * (len(formulas) > 5)
        places = [text.rpartition("!") for text in formulas[:_MOST_FORMULAS]]
        return listed, tuple(Place(self.edit.name, sheet or self.edit.sheet, cell=cell) for sheet, _, cell in places)

    def _drop_old_values(self, formulas: WorkbookFormulas, values: row_editor.RowValues) -> None:
        """Remove the saved values of formulas that depend on filled cells, so that no program shows them; name them."""
        top, left = self.edit.first_row, self.edit.first_column
        dependents = formulas.dependents(_filled_rows(values, self.kept))
        names = {name.lower(): "" if name == self.edit.sheet else f"{name}!" for name in self.parts}
        changed = [names[sheet] + cell_address(*cell) for sheet, cells in dependents.items() for cell in sorted(cells)]
        if changed:
            listed, places = self._listed_formulas(changed)
            what = f"{len(changed)} formula{'s read' if len(changed) > 1 else ' reads'} computed values"
            self.findings.append(rule_finding("MP136", f"{what}: {listed}", places[0], related=places[1:]))
        equal = {(row + top, column + left) for row, column in self.edit.equal}
        changing = formulas.dependents(_filled_rows(values, self.kept | equal)) if equal else dependents
        for sheet, cells in changing.items():
            part, text = self.calculated[sheet]
            if part == self.part:
                self.edited = [_without_saved_values(b"".join(self.edited), cells)]
            else:
                self.package.write_pieces(part, [text.head, _without_saved_values(text.rows, cells), text.tail])

    def _needed_widths(self, digits_before: dict[tuple[int, int], int]) -> dict[int, float]:
        """Return the widths of the computed numbers in fixed formats; other formats adapt to the column."""
        needed: dict[int, float] = {}
        for (column, style), digits in digits_before.items():
            if fixed := _FIXED_FORMAT.fullmatch(self.styles.number_format_of(style)):
                marks = (digits - 1) // 3 if fixed[1] else 0
                needed[column] = max(needed.get(column, 0.0), digits + marks + len(fixed[2] or "") + 1.5)
        return needed

    def _write_comments(
        self, relations: packages.Relations, known: tuple[str, str] | None, comments: Sequence[CellComment]
    ) -> None:
        """Write the part of the comments and the drawing of their boxes, and relate them to the sheet."""
        part = known[1] if known else self._free("xl/comments{}.xml")
        old = self.package.read(part) if part in self.package else None
        content, boxed = edited_comments(old, comments, self.book.namespace)
        drawing_id = self.text.legacy_drawing()
        if not (drawing := relations.by_id().get(drawing_id, ("", ""))[1]):
            drawing = self._free("xl/drawings/vmlDrawing{}.vml")
            drawing_id = relations.add("vmlDrawing", drawing, strict=self.book.strict)
            self.text.add_legacy_drawing(drawing_id, self.book.strict)
        self.package.write(part, content)
        boxes = self.package.read(drawing) if drawing in self.package else None
        if boxes is not None and b"</xml>" not in boxes:
            raise OutputError("drawing of the comments is corrupt; save the workbook again")
        self.package.write(drawing, edited_boxes(boxes, boxed))
        if known is None:
            relations.add("comments", part, strict=self.book.strict)
            self.types.set_part(part, "comments")
        self.types.set_suffix("vml", _VML)
        relations.save()

    def _own_sheet(self, sheet: OutputSheet) -> None:
        """Replace the tool's sheet of this name, or add it; keep a sheet of the user with the same name."""
        name = self._own_name(sheet.name)
        if not (part := self.parts.get(name, "")):
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
            name, k = wanted[: packages.LONGEST_SHEET_NAME - len(ending)] + ending, k + 1
        return name

    def _is_own(self, name: str) -> bool:
        """Return whether the tool wrote a sheet, by the mark in its footer."""
        part = self.parts[name]
        return part in self.package and _OWN_FOOTER.search(self.package.read(part)) is not None

    def _styles(self) -> tuple[str, StyleBook]:
        """Return the styles part and its name; add one if it is missing."""
        if (known := self.book.relations.first("styles")) is not None and known[1] in self.package:
            return known[1], StyleBook(self.package.read(known[1]))
        part = "xl/styles.xml" if "xl/styles.xml" not in self.package else self._free("xl/styles{}.xml")
        self.book.relations.add("styles", part, strict=self.book.strict)
        self.types.set_part(part, "styles")
        return part, StyleBook(NEW_STYLES)

    def _free(self, pattern: str) -> str:
        """Return the first unused part name of a pattern."""
        k = 1
        while pattern.format(k) in self.package:
            k += 1
        return pattern.format(k)


def _edited_cell_texts(edit: SheetEdit) -> tuple[row_editor.RowValues, list[tuple[int, int, int]]]:
    """Convert an edit to texts of cells by row of the sheet, and list texts over the limit with their length."""
    values: row_editor.RowValues = {}
    long: list[tuple[int, int, int]] = []
    fills = sorted(edit.filling.fills, key=lambda fill: fill.column)
    for _, alike in groupby(fills, key=lambda fill: np.asarray(fill.rows, np.int64).tobytes()):
        columns, cells, rows = list[int](), list[list[bytes]](), list[int]()
        for fill in alike:  # columns that are filled in the same rows
            column = edit.first_column + fill.column
            rows = (np.asarray(fill.rows) + edit.first_row).tolist()
            if isinstance(fill.values, np.ndarray):
                texts = _number_cell_texts(fill.values)
            else:
                texts = [inline_xml(text).encode() if text else b"" for text in fill.values]
                sizes = zip(rows, map(len, fill.values), strict=True)
                long += [(row, column, size) for row, size in sizes if size > LONGEST_TEXT]
            columns.append(column)
            cells.append(texts)
        for row, of_row in zip(rows, zip(*cells, strict=True), strict=True):
            values.setdefault(row, []).extend(zip(columns, of_row, strict=True))
    header = edit.first_row + edit.filling.header_row
    if edit.filling.renames:
        for column, name in sorted(edit.filling.renames.items()):
            values.setdefault(header, []).append((edit.first_column + column, inline_xml(name).encode()))
        values[header].sort()
    return values, long


def _number_cell_texts(values: NDArray[np.float64]) -> list[bytes]:
    """Return the texts of numbers (k,), ``b""`` where a number is not finite."""
    finite = np.where(np.isfinite(values), values, np.nan)
    if len(finite) < _FEW:
        return [shortest_number_text(value).encode() for value in finite.tolist()]
    from massprops_cli.files.arrow import arrow_number_texts, text_offsets

    at, data = text_offsets(arrow_number_texts(finite))
    held, ends = bytes(data), at.tolist()
    return [held[start:end] for start, end in pairwise(ends)]


def _most_digits(values: Values) -> int:
    """Return the digits before the point of the widest number (k,) without an exponent, with its sign; 0 for texts."""
    sizes = np.abs(values) if isinstance(values, np.ndarray) else np.zeros(0)
    plain = np.asarray(values)[(sizes == 0) | ((sizes >= 1e-4) & (sizes < 1e16))] if len(sizes) else sizes
    ends = [float(plain.min()), float(plain.max())] if len(plain) else []
    return max((len(shortest_number_text(one).partition(".")[0]) for one in ends), default=0)


def _kept_formula_findings(edit: SheetEdit, kept: Sequence[row_editor.KeptFormula]) -> list[Finding]:
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
        findings.append(rule_finding("MP121", message, agreeing[0], count=len(agreeing), related=tuple(agreeing[1:])))
    return findings


def _filled_rows(
    values: row_editor.RowValues, passed: Collection[tuple[int, int]] = (), *, texts: bool = False
) -> dict[int, list[int]]:
    """Return the rows of new numbers, or also of texts, by column."""
    rows: dict[int, list[int]] = {}
    for row in sorted(values):
        for column, text in values[row]:
            if (texts or not text.startswith(b"<")) and (row, column) not in passed:
                rows.setdefault(column, []).append(row)
    return rows


def _sheet_tables(package: packages.EditablePackage, sheet: str, part: str) -> Tables:
    """Return cells and columns of the tables of a sheet that formulas can name."""
    tables = {}
    for kind, target in packages.Relations(package, part).by_id().values():
        root = packages.parse_part(package.read(target)) if kind == "table" and target in package else None
        corners = None if root is None else cell_range(root.get("ref", ""))
        if root is not None and corners is not None:
            columns = [
                one.get("name", "").lower() for one in packages.child_elements(root, "tableColumns", "tableColumn")
            ]
            tables[root.get("displayName", "").lower()] = (sheet, *corners), columns
    return tables


def _double_sums(
    formulas: WorkbookFormulas, filled: Mapping[int, list[int]], parents: Sequence[tuple[int, int]], inputs: set[int]
) -> tuple[set[tuple[int, int]], list[str]]:
    """Return the filled cells that are summed with their parts or that inputs of the roll-up read, and the formulas."""
    rows = sorted({row for pair in parents for row in pair}.union(*filled.values()))
    numbers = {row: k for k, row in enumerate(rows)}  # what follows counts in these rows only
    cells = {column: [numbers[row] for row in found] for column, found in filled.items()}
    above: dict[int, set[int]] = {}
    for row, over in parents:
        above.setdefault(numbers[row], set()).add(numbers[over])

    def runs_in(area: tuple[str, int, int, int, int]) -> CellRuns:
        sheet, top, left, bottom, right = area
        first, end = bisect_left(rows, top), bisect_left(rows, bottom + 1)
        columns = filled if sheet in ("", formulas.home) and first < end else ()
        return [(column, first, end - 1) for column in columns if left <= column <= right]

    content, is_double = formulas.contents(runs_in, 1), functools.cache(lambda *runs: _is_double([*runs], cells, above))
    read = formulas.contents(runs_in, 0, inputs)
    twice, places = set[tuple[int, int, int]](), list[str]()
    for k, (sheet, row, column) in enumerate(formulas.places):
        (every, _), *sums = formulas.formulas[k][0][1]
        found = read(k, every) if k in inputs else []
        for terms in sums:
            parts = [part for part in (content(k, term) for term in terms) if part]
            runs = merged_runs([run for part in parts for run in part]) if len(parts) > (len(terms) > 1) else []
            found = found + runs * is_double(*runs)
        if any(rows_between(cells[place], first, last) for place, first, last in found):
            title = "" if sheet == formulas.home else f"{formulas.titles[formulas.sheets.index(sheet)]}!"
            places.append(title + cell_address(row, column))
            twice.update(found)
    found = merged_runs([*twice])
    return {(rows[k], column) for column, *ends in found for k in rows_between(cells[column], *ends)}, places


def _is_double(runs: CellRuns, filled: Mapping[int, list[int]], above: Mapping[int, set[int]]) -> bool:
    """Return whether a row of runs is below a row with a filled cell in them."""
    seen = set[int]()
    is_filled = any(rows_between(filled[column], first, last) for column, first, last in runs)
    for row in (row for _, first, last in runs * is_filled for row in range(first, last + 1)):
        left = [row]
        while left:
            over = above.get(left.pop(), set()) - seen
            if any(rows_between(filled[place], row, row) and a <= row <= b for row in over for place, a, b in runs):
                return True
            seen |= over
            left += over
    return False


def _without_saved_values(rows: bytes, cells: set[tuple[int, int]]) -> bytes:
    """Remove the saved values of formulas in some cells."""

    def changed(cell: re.Match[bytes]) -> bytes:
        return cell[1] + re.sub(rb'\st="\w+"', b"", cell[2]) + cell[3] if formula_cell(cell) in cells else cell[0]

    rows = FORMULA_CELL.sub(changed, rows)
    return _MEMBER.sub(changed, rows) if b'"array"' in rows else rows
