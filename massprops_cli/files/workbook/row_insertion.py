"""A table of a file with one more row: in a worksheet what is below it moves, and the formulas follow."""

from __future__ import annotations

import csv
import html
import io
import re
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import numpy as np

from massprops_cli.files.options import FileOptions
from massprops_cli.files.reader import read_file_table
from massprops_cli.files.table import ColumnEdit, Table, TableEdit, shortest_number_text
from massprops_cli.files.workbook.cells import cell_position
from massprops_cli.files.workbook.editor import SheetEdit, edit_workbook
from massprops_cli.files.workbook.package import ContentTypes, EditablePackage, WorkbookPart, child_elements
from massprops_cli.files.workbook.row_editor import SheetText, split_sheet, unshare_formulas
from massprops_cli.files.writer import write_table
from massprops_cli.findings.finding import Findings, UsageError

_UNMOVED = {
    b"tableParts": "a table object", b"drawing": "pictures or charts", b"legacyDrawing": "comments",
    b"rowBreaks": "page breaks", b"oleObjects": "objects", b"controls": "controls", b"extLst": "extensions",
    b"AlternateContent": "extensions",
}  # fmt: skip
"""Elements of a sheet whose rows are in other parts or forms, which this module does not move."""
_ARRAY = re.compile(rb'<(?:[\w.-]+:)?f\b[^>]*\bt="(?:array|dataTable)"')  # formulas of several cells
_ROW = re.compile(rb'<(?:[\w.-]+:)?row\b[^>]*?\sr="(\d+)"')  # <row r="7"
_NUMBERED = re.compile(rb'(<(?:[\w.-]+:)?(?:row|c)\b[^>]*?\sr="[A-Z]*)(\d+)(")')  # <row r="7", <c r="B7"
_CELL = re.compile(rb'<((?:[\w.-]+:)?c)\b[^>]*?\sr="([A-Z]+)\d+"[^>]*?(?:\ss="(\d+)")')  # <c r="B7" s="4"
_LOOK = re.compile(rb'\s(?:s|customFormat|ht|customHeight|outlineLevel)="[^"]*"')  # of a row: format, height, level
_AREAS = re.compile(rb'(\s(?:ref|sqref)=")([^"]*)(")')  # of merged cells, formats, filters
_FORMULA = re.compile(rb"(<(?:[\w.-]+:)?(?:f|formula[12]?)\b[^>]*>)([^<]+)(</)")
_REFERENCE = re.compile(
    r"""("(?:[^"]|"")*")|(?<![\w.\]:!$])((?:'(?:[^']|'')+'|[^\W\d][\w.]*)!)?
    (\$?[A-Z]{1,3}\$?\d+(?::\$?[A-Z]{1,3}\$?\d+)?|\$?\d+:\$?\d+)(?![\w(.\[!])""",
    re.VERBOSE | re.IGNORECASE,
)  # a text, or cells with the name of their sheet
_LAST = re.compile(r"(\$?)(\d+)(?=:|$)")  # the row of A7, of A$7 and of 7:9


def table_with_row(table: Table, after: int, cells: Mapping[int, float | str]) -> Table | None:
    """Read a text or an xlsx workbook again with a row of cells after one of its rows; None for another format."""
    source, info, raw = table.source, table.sheet_info, getattr(table, "raw", None)
    if raw is not None:
        content = changed_records(table, TableEdit(), [[cells.get(j) for j in range(table.n_columns)]], after)
    elif info is not None and source.format in ("xlsx", "xlsm"):
        data = _insert_row(source.content or Path(source.name), source.sheet, after + info.first_row, source.name)
        row, out, corner = np.array([after + 1]), io.BytesIO(), (info.first_row, info.first_column)
        fills = [ColumnEdit(j, row, [x] if isinstance(x, str) else np.array([x])) for j, x in sorted(cells.items())]
        edit_workbook(data, out, SheetEdit(source.sheet, TableEdit(tuple(fills)), *corner, is_input=True))
        content = out.getvalue()
    else:
        return None
    options = FileOptions(source.format, source.sheet, source.encoding, source.delimiter, source.columns)
    return read_file_table(source.name, options, io.BytesIO(content), Findings())


def changed_records(table: Any, filling: TableEdit, added: Sequence[Sequence[object]], last: int) -> bytes:
    """Return the bytes of a text file with changed cells, and with added records after the row ``last``."""
    source, out, raw = table.source, io.BytesIO(), table.raw()
    write_table(table, filling, out, source.format)
    data = out.getvalue()
    if not added:
        return data
    text, newline = io.StringIO(newline=""), source.newline or "\n"
    writer = csv.writer(text, delimiter=source.delimiter or ",", lineterminator=newline)
    writer.writerows([shortest_number_text(x) if isinstance(x, float) else x or "" for x in row] for row in added)
    new = newline + text.getvalue().removesuffix(newline)
    tail = len(bytes(raw.body[int(raw.ends[last]) :]).decode().encode(source.encoding))
    return data[: len(data) - tail] + new.encode(source.encoding) + data[len(data) - tail :]


def _insert_row(data: Path | bytes, sheet: str, after: int, name: str) -> bytes:
    """Insert a blank row after a row (from 0) of a sheet, in its formats; UsageError where that loses something."""
    with EditablePackage(data) as package:
        book = WorkbookPart(package)
        parts = book.sheets()
        for title, part in parts.items():
            text = split_sheet(package.read(part)) if part in package else None
            if text is None or (title != sheet and not _FORMULA.search(text.rows + text.tail)):
                continue
            if title == sheet:
                _check_movable(package, text, f"{name}, sheet {sheet}", after)
            names = {name.decode() for name in re.findall(rb'"([A-Z]+\d+)"', text.rows)}
            rows = unshare_formulas(text.rows, {place for name in names if (place := cell_position(name))})
            formula = partial(_moved_xml, sheet, title, after)
            rows, tail = _FORMULA.sub(formula, rows), _FORMULA.sub(formula, text.tail)
            head = text.head
            if title == sheet:
                rows = _with_row(rows, after)
                head, tail = _AREAS.sub(formula, head), _AREAS.sub(formula, tail)
            package.write_pieces(part, [head, rows, tail])
        for one in child_elements(book.root, "definedNames", "definedName"):
            one.text = _moved_formula(one.text or "", sheet, "", after)
        if (chain := book.relations.first("calcChain")) is not None:
            types = ContentTypes(package)
            package.remove(chain[1])  # the order of calculation is rebuilt on opening
            book.relations.drop("calcChain")
            types.drop_part(chain[1])
            types.save()
        book.save()
        out = io.BytesIO()
        package.save(out)
    return out.getvalue()


def _check_movable(package: EditablePackage, text: SheetText, where: str, after: int) -> None:
    """Reject a sheet with contents that this module does not move."""
    found = [words for name, words in _UNMOVED.items() if re.search(rb"<(?:[\w.-]+:)?" + name + rb"\b", text.tail)]
    found += ["array formulas"] if _ARRAY.search(text.rows) else []
    found += ["pivot tables or charts"] if any("/pivot" in one or "/charts/" in one for one in package.names()) else []
    unnumbered = len(re.findall(rb"<(?:\w+:)?row\b", text.rows)) - len(_ROW.findall(text.rows))
    found += ["rows without numbers"] if unnumbered else []
    if found:
        remedy = f"insert a row below row {after + 1} in a spreadsheet program, and enter the item there"
        raise UsageError(f"--new does not insert a row in a sheet with {found[0]}: {where} ({remedy})")


def _with_row(rows: bytes, after: int) -> bytes:
    """Insert a row with the formats of row ``after``, and renumber the rows below."""
    tags = [(tag.start(), int(tag[1]) - 1) for tag in _ROW.finditer(rows)]
    at = next((start for start, number in tags if number > after), len(rows))
    begin = next((start for start, number in tags if number == after), at)
    model, below = rows[begin:at], rows[at:]
    number = str(after + 2).encode()
    below = _NUMBERED.sub(lambda m: m[1] + str(int(m[2]) + 1).encode() + m[3], below)
    cells = b"".join(b'<%b r="%b%b" s="%b"/>' % (c[1], c[2], number, c[3]) for c in _CELL.finditer(model))
    tag = re.match(rb"<((?:[\w.-]+:)?row)\b[^>]*", model)
    name, look = (tag[1], b"".join(_LOOK.findall(tag[0]))) if tag else (b"row", b"")
    new = b'<%b r="%b"%b>%b</%b>' % (name, number, look, cells, name) if tag else b""
    return rows[:at] + new + below


def _moved_xml(sheet: str, home: str, after: int, found: re.Match[bytes]) -> bytes:
    """Return an element with a formula, or an attribute with areas, after the insertion."""
    formula = _moved_formula(html.unescape(found[2].decode()), sheet, home, after)
    return found[1] + escape(formula).encode() + found[3]


def _moved_formula(formula: str, sheet: str, home: str, after: int) -> str:
    """Return a formula on the sheet ``home`` after the insertion of a row in ``sheet``."""

    def moved(found: re.Match[str]) -> str:
        named = (found[2] or "")[:-1].strip("'").replace("''", "'") or home
        if found[1] or named.lower() != sheet.lower():
            return found[0]
        return (found[2] or "") + _LAST.sub(lambda m: m[1] + str(int(m[2]) + (int(m[2]) > after + 1)), found[3])

    return _REFERENCE.sub(moved, formula)
