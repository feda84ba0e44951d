"""A fresh workbook: header style, frozen panes, outline grouping, formats."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from math import isfinite
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.table import NUMBER, TEXT, Table, TableEdit
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
_COMMA_NUMBER = re.compile(r"[+-]?(?:\d{1,3}(?:\.\d{3})+|\d+)(?:,\d+)?(?:[eE][+-]?\d+)?", re.ASCII)  # 1.205,8
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
    for k, sheet in enumerate(sheets, len(titles) - len(sheets)):
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
    commas: Collection[int] = (),
    outline: NDArray[np.uint8] | None = None,
) -> OutputSheet:
    """Make a worksheet of a complete table with its edit, outline levels (n_rows,); added columns are to the right."""
    # texts of numbers become numbers in the numeric columns, of which commas have decimal commas; in others only typed
    # numbers are numbers
    filling = filling or TableEdit()
    computed = {fill.column: np.asarray(fill.rows, np.intp) for fill in filling.columns(table.n_columns)}
    title = name or table.source.sheet or Path(table.source.name).name.split(".")[0] or "Table"
    return OutputSheet(
        title if title != "-" else "Table",
        _table_rows(table, filling, numeric, commas),
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


def _table_rows(
    table: Table, filling: TableEdit, numeric: Collection[int], commas: Collection[int]
) -> Iterator[list[CellValue]]:
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
        for column in commas:
            cell = cells[column]
            if isinstance(cell, str) and _COMMA_NUMBER.fullmatch(text := cell.strip(_BLANKS)):
                cells[column] = float(text.replace(".", "").replace(",", "."))
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
    for column, rows, values in filling.columns(table.n_columns):
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
