"""A fresh workbook: header style, frozen panes, outline grouping, formats; which formulas depend on written cells."""

from __future__ import annotations

import html
import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.table import NUMBER, TEXT, Table, TableEdit
from massprops_cli.files.workbook.cells import CellRange, cell_address, cell_position
from massprops_cli.files.workbook.package import LONGEST_SHEET_NAME, EditablePackage, print_titles_reference
from massprops_cli.files.workbook.sheet_xml import (
    MAIN_NAMESPACE,
    CellValue,
    LongText,
    OutputSheet,
    SheetsFor,
    attribute_xml,
    long_text_findings,
    sheet_xml,
)
from massprops_cli.files.workbook.styles import StyleBook
from massprops_cli.findings.finding import Finding

_XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_MEDIA = "application/vnd.openxmlformats-officedocument"
_NUMBER_TEXT = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)  # -1.5e3, .5
_BLANKS = " \t\u00a0"
_FORBIDDEN = str.maketrans(dict.fromkeys("[]:*?/\\", "_"))


def new_workbook(
    target: BinaryIO, sheets: Sequence[OutputSheet], name: str = "", further: SheetsFor | None = None
) -> list[Finding]:
    """Write a new workbook."""
    package, styles = EditablePackage(), StyleBook()
    package.write("[Content_Types].xml", b"")  # stands first, and is written last
    titles = _valid_sheet_names([sheet.name for sheet in sheets])
    findings = _write_sheets(package, styles, sheets, titles, name)
    later: list[OutputSheet] = []
    if further is not None:
        later = [sheet for sheet in further(findings) if not sheet.only_replaces]
        titles = _valid_sheet_names([*titles, *(sheet.name for sheet in later)])
        findings += _write_sheets(package, styles, later, titles, name)
    _write_frame(package, titles, [sheet.print_titles for sheet in [*sheets, *later]])
    package.write("xl/styles.xml", styles.content())
    package.save(target)
    return findings


def _write_sheets(
    package: EditablePackage, styles: StyleBook, sheets: Sequence[OutputSheet], titles: Sequence[str], name: str
) -> list[Finding]:
    """Write sheets under the last of the titles; return shortened texts."""
    findings: list[Finding] = []
    first = len(titles) - len(sheets)
    for k, sheet in enumerate(sheets, first):
        too_long: list[LongText] = []
        package.write_pieces(f"xl/{_sheet_part_name(k)}", sheet_xml(sheet, styles.look, MAIN_NAMESPACE, too_long))
        findings += long_text_findings(name, titles[k], too_long)
    return findings


def _write_frame(package: EditablePackage, titles: Sequence[str], repeated: Sequence[str]) -> None:
    """Write all parts that name the sheets."""
    package.write("[Content_Types].xml", _content_types_xml(len(titles)))
    top = [("officeDocument", "xl/workbook.xml"), ("extended-properties", "docProps/app.xml")]
    package.write("_rels/.rels", _relations_xml(top))
    package.write("docProps/app.xml", _properties_xml(titles))
    package.write("xl/workbook.xml", _workbook_xml(titles, repeated))
    parts = [("worksheet", _sheet_part_name(k)) for k in range(len(titles))]
    package.write("xl/_rels/workbook.xml.rels", _relations_xml([*parts, ("styles", "styles.xml")]))


def _sheet_part_name(k: int) -> str:
    """Return the part of a sheet, from 0."""
    return f"worksheets/sheet{k + 1}.xml"


def table_sheet(
    table: Table,
    filling: TableEdit | None = None,
    *,
    name: str = "",
    numeric: Collection[int] = (),
    outline: NDArray[np.uint8] | None = None,
) -> OutputSheet:
    """Make a worksheet of a complete table with its edit, outline levels (n_rows,); added columns are to the right.

    Texts of numbers become numbers in the ``numeric`` columns; in others only typed numbers are numbers.
    """
    filling = filling or TableEdit()
    computed = {fill.column: np.asarray(fill.rows, np.intp) for fill in filling.fills}
    computed |= {table.n_columns + k: np.asarray(added.rows, np.intp) for k, added in enumerate(filling.added)}
    title = name or table.source.sheet or Path(table.source.name).name.split(".")[0] or "Table"
    return OutputSheet(
        title if title != "-" else "Table",
        _table_rows(table, filling, numeric),
        header_rows=filling.header_row + 1,
        computed=computed,
        outline=outline,
        frozen_columns=1,
    )


def _valid_sheet_names(wanted: Sequence[str]) -> list[str]:
    """Make valid sheet names: at most 31 characters, none of ``[]:*?/\\``, all different."""
    taken: set[str] = set()
    names = []
    for text in wanted:
        base = text.translate(_FORBIDDEN).strip("'")[:LONGEST_SHEET_NAME] or "Sheet"
        name, k = base, 2
        while name.lower() in taken:
            name, k = f"{base[: LONGEST_SHEET_NAME - 1 - len(str(k))]} {k}", k + 1
        taken.add(name.lower())
        names.append(name)
    return names


def _table_rows(table: Table, filling: TableEdit, numeric: Collection[int]) -> Iterator[list[CellValue]]:
    """Yield the cells of every row, edited ones included."""
    numbers = _numbers_by_column(table, numeric)
    changes = _row_changes(table, filling)
    width = table.n_columns + len(filling.added)
    for index in range(table.n_rows):
        cells: list[CellValue] = [*table.row(index), *[None] * (width - table.n_columns)]
        for column, (values, is_number) in numbers.items():
            if is_number[index]:
                cells[column] = values[index]
        for column, value in changes.get(index, ()):
            cells[column] = value
        yield cells


def _numbers_by_column(table: Table, numeric: Collection[int]) -> dict[int, tuple[list[float], list[bool]]]:
    """Return values and their presence by column; a typed number is a number in any column."""
    found_here = {}
    columns = list(range(table.n_columns))
    for column, numbers in zip(columns, table.numbers(columns), strict=True):
        values, is_number = numbers.values.tolist(), numbers.states == NUMBER
        if column not in numeric:
            is_number = is_number & table.is_typed(column)
        else:
            for row in np.flatnonzero(numbers.states == TEXT).tolist():
                text = table.text(row, column).strip(_BLANKS)
                if _NUMBER_TEXT.fullmatch(text) and _is_exact_number(float(text), text):
                    values[row], is_number[row] = float(text), True
        if is_number.any():
            found_here[column] = values, is_number.tolist()
    return found_here


def _is_exact_number(value: float, text: str) -> bool:
    """Return whether a double represents the text of a number: it is finite, and not an underflow."""
    return isfinite(value) and (value != 0 or not any(digit in "123456789" for digit in text.lower().partition("e")[0]))


def _row_changes(table: Table, filling: TableEdit) -> dict[int, list[tuple[int, CellValue]]]:
    """Return the new cells of each row, as column and value; numbers that are not finite are NaN."""
    changes: dict[int, list[tuple[int, CellValue]]] = {}
    columns = [(fill.column, fill.rows, fill.values) for fill in filling.fills]
    columns += [(table.n_columns + k, added.rows, added.values) for k, added in enumerate(filling.added)]
    for column, rows, values in columns:
        plain = np.where(np.isfinite(values), values, np.nan).tolist() if isinstance(values, np.ndarray) else values
        for row, value in zip(np.asarray(rows).tolist(), plain, strict=True):
            changes.setdefault(row, []).append((column, value))
    header = changes.setdefault(filling.header_row, [])
    header += [(table.n_columns + k, added.name) for k, added in enumerate(filling.added)]
    header += list(filling.renames.items())
    return changes


def _content_types_xml(count: int) -> bytes:
    """Return the content types of a workbook with some sheets."""
    kinds = [("/xl/workbook.xml", "sheet.main"), ("/xl/styles.xml", "styles")]
    kinds += [(f"/xl/worksheets/sheet{k + 1}.xml", "worksheet") for k in range(count)]
    overrides = "".join(
        f'<Override PartName="{part}" ContentType="{_MEDIA}.spreadsheetml.{kind}+xml"/>' for part, kind in kinds
    )
    return (
        f'{_XML}<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Default Extension="xml" ContentType="application/xml"/>{overrides}'
        f'<Override PartName="/docProps/app.xml" ContentType="{_MEDIA}.extended-properties+xml"/></Types>'
    ).encode()


def _relations_xml(targets: Sequence[tuple[str, str]]) -> bytes:
    """Return relations of kinds and parts."""
    lines = "".join(
        f'<Relationship Id="rId{k + 1}" Type="{_OFFICE}/relationships/{kind}" Target="{part}"/>'
        for k, (kind, part) in enumerate(targets)
    )
    return f'{_XML}<Relationships xmlns="{_PACKAGE}/relationships">{lines}</Relationships>'.encode()


def _properties_xml(titles: Sequence[str]) -> bytes:
    """Return the application properties with the names of the sheets."""
    names = "".join(f"<vt:lpstr>{attribute_xml(title)}</vt:lpstr>" for title in titles)
    return (
        f'{_XML}<Properties xmlns="{_OFFICE}/extended-properties" xmlns:vt="{_OFFICE}/docPropsVTypes">'
        '<Application>massprops</Application><HeadingPairs><vt:vector size="2" baseType="variant">'
        f"<vt:variant><vt:lpstr>Worksheets</vt:lpstr></vt:variant><vt:variant><vt:i4>{len(titles)}</vt:i4></vt:variant>"
        f'</vt:vector></HeadingPairs><TitlesOfParts><vt:vector size="{len(titles)}" baseType="lpstr">{names}'
        "</vt:vector></TitlesOfParts></Properties>"
    ).encode()


def _workbook_xml(titles: Sequence[str], repeated: Sequence[str]) -> bytes:
    """Write the list of sheets, and the rows and columns of each that are repeated on printed pages."""
    names = "".join(
        f'<definedName name="_xlnm.Print_Titles" localSheetId="{k}">'
        f"{attribute_xml(print_titles_reference(title, part))}</definedName>"
        for k, (title, part) in enumerate(zip(titles, repeated, strict=True))
        if part
    )
    sheets = "".join(
        f'<sheet name="{attribute_xml(title)}" sheetId="{k + 1}" r:id="rId{k + 1}"/>' for k, title in enumerate(titles)
    )
    return (
        f'{_XML}<workbook xmlns="{MAIN_NAMESPACE}" xmlns:r="{_OFFICE}/relationships">'
        f"<bookViews><workbookView/></bookViews><sheets>{sheets}</sheets>"
        + (f"<definedNames>{names}</definedNames>" if names else "")
        + "</workbook>"
    ).encode()


_Area = tuple[str, int, int, int, int]
"""Cells of a sheet: its name in lower case, and a `CellRange`."""
Tables = Mapping[str, tuple[_Area, list[str]]]
"""Cells and columns of tables."""
_Cells = set[tuple[int, int]]
_Filled = Mapping[int, list[int]]
"""Rows of filled cells by column."""
_Runs = list[tuple[int, int, int]]
"""Cells of the table's sheet: column, first row, last row."""
_TOKEN = re.compile(
    r"""(?P<text>"(?:[^"]|"")*")
    |(?P<sheet>(?:'(?:[^']|'')++'|(?:\[\d+\])?[^\W\d][\w.]*(?::[^\W\d][\w.]*)?)!)?
    (?:(?P<area>\$?[A-Z]{1,3}\$?\d+(?::\$?[A-Z]{1,3}\$?\d+)?|\$?[A-Z]{1,3}:\$?[A-Z]{1,3}|\$?\d+:\$?\d+)(?![\w(.\[])
    |(?P<call>[^\W\d][\w.]*)\(|(?P<name>[^\W\d][\w.\\?]*)(?P<part>\[(?:[^\[\]']|'.|\[(?:[^\]']|'.){,600}+\])*+\])?)
    |(?P<number>(?:\d+\.?\d*|\.\d+)(?:E[-+]?\d+)?)|(?P<sign><=|>=|<>|[-+*/^&=<>,;(){}%:])|'(?:[^']|'')*+""",
    re.VERBOSE | re.IGNORECASE,
)  # a part of a formula
_CORNER = re.compile(r"(\$?)([A-Z]*)(\$?)(\d*)", re.IGNORECASE)  # $A$1, A, $1
_FORMULA = re.compile(
    rb"(<(?:[\w.-]+:)?c\b)([^>]*)(>\s*<(?:[\w.-]+:)?f\b([^>]*?)(?:/>|>([^<]*)</(?:[\w.-]+:)?f>))"
    rb"(\s*<(?:[\w.-]+:)?v\b[^>]*>[^<]*</(?:[\w.-]+:)?v>)?"
)  # a cell with a formula: its attributes, those of the formula, its text, its saved value
_ADDRESS = re.compile(rb'\br="([A-Z]+\d+)"')  # r="A1"
_GROUP = re.compile(rb'\bsi="(\d+)"')  # si="0", the group of a shared formula
_SUMS = re.compile("SUM|AVERAGE|COUNT|MAX|MIN|MEDIAN|PRODUCT|STDEV|VAR|AGGREGATE")  # begin the names of such functions
_LOOKUPS = re.compile("[VHX]?LOOKUP|X?MATCH|INDEX|ROWS?|COLUMNS?|ISBLANK")  # of one cell's value, or of none
_UNRESOLVED = {name: [("", 0, 0, 1_048_575, 16_383)] for name in ("INDIRECT", "OFFSET", ":")}
"""Parts of formulas that refer to cells which only a calculation finds: to any."""
_DEEPEST = 64  # functions inside each other


class WorkbookFormulas:
    """Formulas of sheets, and the cells that they read."""

    def __init__(
        self, home: str, sheets: Sequence[str], texts: Mapping[str, bytes], names: Mapping[str, str], tables: Tables
    ) -> None:
        self.home, self.tables = home.lower(), tables
        self.sheets, self.titles = [title.lower() for title in sheets], sheets
        self.names: dict[str, list[_Area]] = {}
        for name, text in [*names.items()] * 3:  # a name may refer to others
            self.names[name] = [*{area for *_, areas in self._tokens(text, self.home, 0) for area in areas}]
        self.places: list[tuple[str, int, int]] = []  # sheet, row, column of each formula
        self.reads: list[list[_Area]] = []
        self.values: list[list[_Area]] = []  # cells that add to its value
        self.sums: list[list[list[_Area]]] = []  # cells of each sum in it
        self.columns: dict[str, dict[int, list[tuple[int, int]]]] = {}  # row and number of formulas
        for sheet, rows in texts.items():
            self._scan(sheet, rows)

    def _scan(self, sheet: str, rows: bytes) -> None:
        """Collect the formulas of a sheet."""
        shared: dict[bytes, tuple[str, tuple[int, int]]] = {}
        for cell in _FORMULA.finditer(rows):
            if (place := _formula_cell(cell)) is None:
                continue
            text, start = html.unescape((cell[5] or b"").decode(errors="replace")), place
            if group := _GROUP.search(cell[4]):
                text, start = shared.setdefault(group[1], (text, place))
            tokens = list(self._tokens(text, sheet, place[0], (place[0] - start[0], place[1] - start[1])))
            self.columns.setdefault(sheet, {}).setdefault(place[1], []).append((place[0], len(self.places)))
            self.places.append((sheet, *place))
            self.reads.append([area for *_, areas in tokens for area in areas])
            self.sums.append([])
            self.values.append(_summed_areas(iter(tokens), self.sums[-1]))

    def _tokens(
        self, text: str, sheet: str, row: int, move: tuple[int, int] = (0, 0)
    ) -> Iterator[tuple[str, str, list[_Area]]]:
        """Yield kind, text and cells of the parts of a formula; relative addresses are moved by rows and columns."""
        for token in _TOKEN.finditer(text):
            name, part = (token["name"] or "").lower(), (token["part"] or "").lower()
            if token["area"]:
                home = (token["sheet"] or "")[:-1].strip("'").replace("''", "'").lower()
                first, _, last = (home or sheet).partition(":")
                if first in self.sheets and (last or first) in self.sheets:  # others are of another workbook
                    within = self.sheets[self.sheets.index(first) : self.sheets.index(last or first) + 1]
                    yield "area", token[0], [(one, *_area_corners(token["area"], move)) for one in within]
            elif name in self.tables:
                yield "area", token[0], [_table_area(*self.tables[name], part, row)]
            elif name in self.names:
                yield "name", name, self.names[name]
            else:
                found = re.sub(r"^_XL\w\w\.", "", (token["call"] or token[0]).upper())
                yield token.lastgroup or "", found, _UNRESOLVED.get(found, [])

    def dependents(self, filled: _Filled) -> dict[str, _Cells]:
        """Return the formulas whose value depends on filled cells, by sheet."""
        found: dict[str, _Cells] = {}
        content = self._contents(self.reads, filled)
        for (sheet, row, column), areas in zip(self.places, self.reads, strict=True):
            if any(_between(filled[place], first, last) for place, first, last in content(areas)):
                found.setdefault(sheet, set()).add((row, column))
        return found

    def double_sums(self, filled: _Filled, parents: Iterable[tuple[int, int]]) -> tuple[_Cells, list[str]]:
        """Return the filled cells of assemblies that are summed together with their parts, and the formulas.

        Cells that an input of the roll-up reads are among them, because the roll-up would have to be repeated.
        """
        above: dict[int, set[int]] = {}
        for row, over in parents:
            above.setdefault(row, set()).add(over)
        items, leaves = sorted(above), above.keys() - set().union(*above.values())
        content, known = self._contents(self.values, filled), dict[tuple[object, ...], bool]()
        twice, formulas = _Runs(), list[str]()
        for (sheet, row, column), sums, value in zip(self.places, self.sums, self.values, strict=True):
            is_input = sheet == self.home and row in leaves and column in filled
            found = content(value) if is_input else []
            for runs in map(content, sums):
                key = tuple(runs)
                if key not in known:
                    known[key] = _is_double(runs, filled, items, above)
                found = found + runs if known[key] else found
            if any(_between(filled[place], first, last) for place, first, last in found):
                title = "" if sheet == self.home else f"{self.titles[self.sheets.index(sheet)]}!"
                formulas.append(title + cell_address(row, column))
                twice = _merged_runs(twice + found)
        return {
            (row, column) for column, first, last in twice for row in _between(filled[column], first, last)
        }, formulas

    def _contents(self, inner: Sequence[list[_Area]], columns: Iterable[int]) -> Callable[[list[_Area]], _Runs]:
        """Return a function for cells of some columns in areas, and in the ``inner`` areas of formulas there."""
        known: list[_Runs] = [[] for _ in inner]
        memo: dict[_Area, _Runs] = {}

        def content(areas: list[_Area]) -> _Runs:
            for area in areas:
                if area not in memo:
                    sheet, top, left, bottom, right = area
                    runs = [(column, top, bottom) for column in columns if left <= column <= right]
                    runs = runs if sheet in ("", self.home) else []
                    for column, found in self.columns.get(sheet, {}).items():
                        if left <= column <= right:
                            within = found[bisect_left(found, (top, 0)) : bisect_left(found, (bottom + 1, 0))]
                            runs += [run for _, k in within for run in known[k]]
                    memo[area] = _merged_runs(runs)
            return _merged_runs([run for area in areas for run in memo[area]])

        before, order = None, range(len(known))
        while known != before:  # forward and backward in turns, as formulas refer to cells above or below
            before, order = known.copy(), order[::-1]
            memo.clear()
            for k in order:
                known[k] = content(inner[k])
        return content


def _between(rows: Sequence[int], first: int, last: int) -> Sequence[int]:
    """Return the ascending rows from a first to a last one."""
    return rows[bisect_left(rows, first) : bisect_left(rows, last + 1)]


def _merged_runs(runs: _Runs) -> _Runs:
    """Join runs of cells that touch, in order."""
    merged = _Runs()
    for column, first, last in sorted(runs):
        if merged and merged[-1][0] == column and first <= merged[-1][2] + 1:
            merged[-1] = column, merged[-1][1], max(last, merged[-1][2])
        else:
            merged.append((column, first, last))
    return merged


def _is_double(runs: _Runs, filled: _Filled, items: Sequence[int], above: Mapping[int, set[int]]) -> bool:
    """Return whether a row of runs is below a row with a filled cell in them."""
    seen = set[int]()
    for row in (row for _, first, last in runs for row in _between(items, first, last)):
        left = [row]
        while left:
            over = above.get(left.pop(), set()) - seen
            if any(_between(filled[place], row, row) and a <= row <= b for row in over for place, a, b in runs):
                return True
            seen |= over
            left += over
    return False


def without_saved_values(rows: bytes, cells: _Cells) -> bytes:
    """Remove the saved values of formulas in some cells."""

    def changed(cell: re.Match[bytes]) -> bytes:
        is_old = _formula_cell(cell) in cells
        return cell[1] + re.sub(rb'\st="\w+"', b"", cell[2]) + cell[3] if is_old else cell[0]

    return _FORMULA.sub(changed, rows)


def _formula_cell(cell: re.Match[bytes]) -> tuple[int, int] | None:
    """Return row and column of a formula."""
    address = _ADDRESS.search(cell[2])
    return cell_position(address[1].decode()) if address else None


def _area_corners(text: str, move: tuple[int, int]) -> CellRange:
    """Return the corners of an address in a formula; whole columns and rows reach to the end of the sheet."""
    ends = [end for end in _CORNER.findall(text) if any(end)]
    rows = [int(row) - 1 + (0 if lock or (left and not name) else move[0]) for left, name, lock, row in ends if row]
    columns = [(cell_position(f"{name}1") or (0, 0))[1] + (0 if left else move[1]) for left, name, *_ in ends if name]
    rows, columns = rows or [0, 1_048_575], columns or [0, 16_383]
    return min(rows), min(columns), max(rows), max(columns)


def _table_area(area: _Area, columns: list[str], part: str, row: int) -> _Area:
    """Return the cells of columns of a table: ``[Mass]``, ``[[#This Row],[Mass]]``; of all without one."""
    sheet, top, left, bottom, right = area
    words = [re.sub(r"'(.)", r"\1", word).strip() for word in re.findall(r"(?:[^\[\]@']|'.)+", part)]
    named = [columns.index(word) for word in words if word in columns] or [0, right - left]
    top, bottom = (row, row) if "#this row" in words or "[@" in part else (top, bottom)
    return sheet, top, left + min(named), bottom, left + max(named)


def _summed_areas(
    tokens: Iterator[tuple[str, str, list[_Area]]], sums: list[list[_Area]], calls: tuple[str, ...] = ("",)
) -> list[_Area]:
    """Add to ``sums`` the cells of each sum within a formula; return those that add to its value.

    Divisors are in neither, subtracted terms are in no sum; of a lookup only one cell counts, which is not known here.
    """
    every, done, terms = list[_Area](), list[list[list[_Area]]](), list[list[_Area]]([[]])
    is_operand = is_divisor = is_minus = is_test = False
    start = 0  # of the argument among ``every``
    for kind, text, stated in tokens:
        sums += [stated] * (kind == "name")  # its formula may be a sum
        opens = (kind == "call" or text in ("(", "{")) and len(calls) < _DEEPEST
        areas = _summed_areas(tokens, sums, (*calls, text.strip("({"))) if opens else stated
        is_sign = kind == "sign" and not opens and text not in "^%:"
        if is_sign and text in ")}":
            break
        if is_sign and text in "*/":
            is_divisor = text == "/"
        elif is_sign and text in "+-" and not is_operand:
            is_minus ^= text == "-"
        elif is_sign:
            is_divisor, is_minus = False, text == "-"
            is_test |= text[0] in "<=>"
            if text not in "+-":
                done.append(terms)
                terms = []
            if text in ",;":
                every, is_test = every[:start] if is_test else every, False
                start = len(every)
            terms.append([])
        is_operand = not is_sign and text not in "^:"
        if not is_divisor:
            every += areas
            terms[-1] += areas * (not is_minus)
    sums += [[area for term in one for area in term] for one in (*done, terms) if sum(map(bool, one)) > 1]
    every = every[:start] if is_test else every  # a comparison adds nothing
    if calls[-1] in _UNRESOLVED:
        return _UNRESOLVED[calls[-1]] if any(map(_SUMS.match, calls)) else []
    if _LOOKUPS.fullmatch(calls[-1]):
        return []
    if _SUMS.match(calls[-1]) or (calls[-1] and any(area[1:3] != area[3:] for area in every)):
        sums.append(every)
    return every
