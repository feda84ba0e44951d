"""Files of a list: delimited text, Markdown, and workbooks of two kinds."""

# ruff: noqa: E501 (one line for each format keeps the table readable)

from __future__ import annotations

import csv
import io
import zipfile
from decimal import Decimal
from pathlib import Path
from xml.sax.saxutils import escape

from tests.simulator.columns import Product, Sum, column_names
from tests.simulator.layouts import Line, lines
from tests.simulator.mass_list import MassList

SUFFIXES = {"csv": ".csv", "tsv": ".tsv", "md": ".md", "xlsx": ".xlsx", "ods": ".ods"}


def cell_text(cell: object, mark: str = ".") -> str:
    """A cell as text."""
    if isinstance(cell, Product | Sum):
        cell = cell.value
    return f"{cell:f}".replace(".", mark) if isinstance(cell, Decimal) else str(cell)


def all_lines(spec: MassList) -> list[Line]:
    """All lines of a list, a blank line between its titles, its table and its notes."""
    above, table, notes = lines(spec)
    blank: list[Line] = [[""] * len(table[0])]
    return [*above, *(blank if above else []), *table, *(blank if notes else []), *notes]


def text_of(spec: MassList) -> str:
    """A list as text: the file itself, or for a workbook its cells separated by bars."""
    if spec.file_format == "md":
        return _markdown(spec)
    out = io.StringIO()
    delimiter = {"csv": spec.delimiter, "tsv": "\t"}.get(spec.file_format, "|")
    mark = spec.decimal_mark if spec.file_format in ("csv", "tsv") else "."
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    for line in all_lines(spec):
        writer.writerow([cell_text(cell, mark) for cell in line])
    return out.getvalue()


def _markdown(spec: MassList) -> str:
    above, table, notes = lines(spec)
    rows = [[cell_text(cell, spec.decimal_mark).replace("|", "/") for cell in line] for line in table]
    rows.insert(1, ["---"] * len(rows[0]))
    text = [f"# {line[0]}\n" if not place else f"{line[0]}\n" for place, line in enumerate(above)]
    text += ["| " + " | ".join(row) + " |" for row in rows]
    text += ["", *[f"{line[0]}" for line in notes]] if notes else []
    out = "\n".join(text) + "\n"
    return "".join(f"> {line}\n" if line else ">\n" for line in out.splitlines()) if spec.block_quote else out


def write(spec: MassList, folder: Path, stem: str = "list") -> Path:
    """Write a list into a folder, and return its file."""
    path = folder / (stem + SUFFIXES[spec.file_format])
    if spec.file_format == "xlsx":
        _write_workbook(spec, path)
    elif spec.file_format == "ods":
        _write_open_document(spec, path)
    else:
        path.write_text(text_of(spec), encoding="utf-8")
    return path


def _write_workbook(spec: MassList, path: Path) -> None:
    import xlsxwriter  # type: ignore[import-untyped] # it has no types

    book = xlsxwriter.Workbook(path)
    sheet = book.add_worksheet()
    digits: dict[int, object] = {}
    columns = column_names(spec)
    first = next(
        (row for row, line in enumerate(all_lines(spec)) if any(isinstance(cell, Product) for cell in line)), 0
    )
    for row, line in enumerate(all_lines(spec)):
        for column, cell in enumerate(line):
            if isinstance(cell, Product):
                terms = [f"{_letter(columns.index(name))}{row + 1}" for name in ("quantity", "piece")]
                sheet.write_formula(row, column, "=" + "*".join(terms), None, float(cell.value))
            elif isinstance(cell, Sum):
                letter = _letter(column)
                sheet.write_formula(row, column, f"=SUM({letter}{first + 1}:{letter}{row})", None, float(cell.value))
            elif isinstance(cell, Decimal):
                after = max(-int(cell.as_tuple().exponent), 0)
                style = digits.setdefault(after, book.add_format({"num_format": "0." + "0" * after if after else "0"}))
                sheet.write_number(row, column, float(cell), style)
            elif isinstance(cell, int):
                sheet.write_number(row, column, cell)
            elif cell:
                sheet.write_string(row, column, cell)
    book.close()


def _letter(column: int) -> str:
    return chr(ord("A") + column)


_ODS = "application/vnd.oasis.opendocument.spreadsheet"
_SPACES = {
    "office": "urn:oasis:names:tc:opendocument:xmlns:office:1.0",
    "table": "urn:oasis:names:tc:opendocument:xmlns:table:1.0",
    "text": "urn:oasis:names:tc:opendocument:xmlns:text:1.0",
}


def _write_open_document(spec: MassList, path: Path) -> None:
    rows = []
    for line in all_lines(spec):
        cells = []
        for cell in line:
            value = cell.value if isinstance(cell, Product | Sum) else cell
            if isinstance(value, Decimal | int):
                cells.append(
                    f'<table:table-cell office:value-type="float" office:value="{value}"><text:p>{value}</text:p></table:table-cell>'
                )
            elif value:
                body = escape(value).replace("  ", '<text:s text:c="2"/>')
                cells.append(f'<table:table-cell office:value-type="string"><text:p>{body}</text:p></table:table-cell>')
            else:
                cells.append("<table:table-cell/>")
        rows.append("<table:table-row>" + "".join(cells) + "</table:table-row>")
    names = " ".join(f'xmlns:{name}="{space}"' for name, space in _SPACES.items())
    content = (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document-content {names} office:version="1.2"><office:body><office:spreadsheet>'
        f'<table:table table:name="Sheet1">{"".join(rows)}</table:table></office:spreadsheet></office:body></office:document-content>'
    )
    manifest = (
        '<?xml version="1.0" encoding="UTF-8"?><manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0" '
        f'manifest:version="1.2"><manifest:file-entry manifest:full-path="/" manifest:media-type="{_ODS}"/>'
        '<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>'
    )
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", _ODS)
        archive.writestr("content.xml", content)
        archive.writestr("META-INF/manifest.xml", manifest)
