"""Write the templates of ``massprops init``: bom-template.csv and bom-template.xlsx.

python docs/make_template.py
"""

from __future__ import annotations

import csv
import io
import re
import zipfile
from datetime import datetime
from pathlib import Path

from openpyxl import Workbook
from openpyxl.comments import Comment
from openpyxl.styles import Alignment, Font, PatternFill
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.properties import PageSetupProperties

TEMPLATES = Path(__file__).parents[1] / "massprops_cli" / "cli" / "templates"


def template_workbook() -> bytes:
    """Return the workbook: the header with a note on each column, and a row of units."""
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "BOM"
    header, units = _template_columns()
    for head in (header, units):
        sheet.append(list(head))
    for row in _EXAMPLE_ROWS:
        sheet.append(list(row))
    for row_cells in sheet.iter_rows(min_row=3):
        for cell in row_cells[_FIRST_VALUE:]:
            cell.number_format = _TEMPLATE_FORMATS.get(
                str(header[(cell.column or 1) - 1]).removeprefix("sigma_"), "General"
            )
    for cell in sheet[1]:
        cell.font, cell.fill = Font(bold=True, color="FFFFFF"), PatternFill("solid", fgColor="1F4E79")
        cell.alignment = Alignment(horizontal="center")
        cell.comment = Comment(
            _COLUMN_NOTES.get(str(cell.value), "one standard deviation, in the column's unit"), "template"
        )
        sheet.column_dimensions[get_column_letter(cell.column or 1)].width = _column_width(str(cell.value))
    for cell in sheet[2]:
        cell.font, cell.alignment = Font(italic=True, color="7F7F7F"), Alignment(horizontal="center")
    sheet.freeze_panes = "D3"
    sheet.print_title_rows = "1:2"
    sheet.page_setup.orientation, sheet.page_setup.fitToHeight = "landscape", 0
    sheet.sheet_properties.pageSetUpPr = PageSetupProperties(fitToPage=True)
    book.properties.creator = "massprops"
    book.properties.created = book.properties.modified = datetime(2000, 1, 1)
    out = io.BytesIO()
    book.save(out)
    return _remove_timestamps(out.getvalue())


def _remove_timestamps(workbook: bytes) -> bytes:
    """Remove timestamps from a workbook, so that the template is reproducible."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(workbook)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "docProps/core.xml":
                content = re.sub(rb"(<dcterms:modified[^>]*>)[^<]*", rb"\g<1>2000-01-01T00:00:00Z", content)
            info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            new.writestr(info, content)
    return out.getvalue()


_VALUE_COLUMNS = ("mass", "Cx", "Cy", "Cz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
_VALUE_UNITS = ("kg", *("m",) * 3, *("kg*m^2",) * 6)
_TEMPLATE_FORMATS = {"mass": "0.00", **{f"C{axis}": "0.000" for axis in "xyz"}}
_COLUMN_NOTES = {
    "id": "unique name of the item in the tree; text, compared exactly",
    "parent": "id of the assembly that contains the item; empty for the root",
    "name": "designation of the item; not interpreted",
    "qty": "number of pieces in the parent; mass and inertia are those of one piece",
    "method": "source of the mass: estimated, calculated or weighed; blank on assemblies",
    "growth": "mass growth allowance in percent of the mass; blank on assemblies",
    "mass": "mass of one piece; blank on assemblies",
    **{f"C{axis}": "centre of mass in the common frame of the table" for axis in "xyz"},
    **{f"I{axis}{axis}": "moment of inertia about the item's own centre of mass" for axis in "xyz"},
    **{
        f"I{pair}": "product of inertia about the item's own centre of mass, in the sign convention of POIconv"
        for pair in ("xy", "xz", "yz")
    },
    "POIconv": "- if Ixy is the tensor entry (-integral of xy dm), + if it is the integral",
    "Ipoint": "true for a point mass, without inertia of its own",
}
_TEXT_COLUMNS = ("id", "parent", "name", "qty", "method", "growth")
_FIRST_VALUE = len(_TEXT_COLUMNS)
_EXAMPLE_ROWS: tuple[tuple[str | float | None, ...], ...] = (
    ("ROVER", None, "Example rover", 1, *[None] * 12, "-", "false", *[None] * 10),
    ("CHASSIS", "ROVER", "Chassis", 1, *[None] * 12, "-", "false", *[None] * 10),
    # a plate of 1.0 m by 0.6 m by 0.05 m, m (b^2 + c^2) / 12
    ("FRAME", "CHASSIS", "Frame", 1, "calculated", 5, 12, 0, 0, 0.3, 0.3625, 1.0025, 1.36, 0, 0, 0, "-", "false",
     0.3, 0.005, 0.005, 0.005, 0.01, 0.03, 0.04, 0.01, 0.01, 0.01),
    ("WHEEL-L", "CHASSIS", "Wheel, left (front and rear at one place)", 2, "weighed", 0, 1.5, 0, 0.35, 0.15,
     *[None] * 6, "-", "true", 0.01, 0.002, 0.002, 0.002, *[None] * 6),
    ("WHEEL-R", "CHASSIS", "Wheel, right (front and rear at one place)", 2, "weighed", 0, 1.5, 0, -0.35, 0.15,
     *[None] * 6, "-", "true", 0.01, 0.002, 0.002, 0.002, *[None] * 6),
    # a cuboid of 0.3 m by 0.2 m by 0.2 m
    ("BATTERY", "ROVER", "Battery", 1, "estimated", 15, 6, -0.2, 0, 0.4, 0.04, 0.065, 0.065, 0, 0, 0, "-", "false",
     0.5, 0.01, 0.01, 0.01, 0.004, 0.006, 0.006, 0.002, 0.002, 0.002),
)  # fmt: skip


def _template_columns() -> tuple[list[str], list[str | None]]:
    """Return the names of the template's columns, and their units."""
    header = [*_TEXT_COLUMNS, *_VALUE_COLUMNS, "POIconv", "Ipoint", *(f"sigma_{name}" for name in _VALUE_COLUMNS)]
    units = [*[None] * (_FIRST_VALUE - 1), "%", *_VALUE_UNITS, None, None, *_VALUE_UNITS]
    return header, units


def template_text() -> bytes:
    """Return the text file: the header with units, and the example rows."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([name + (f" [{unit}]" if unit else "") for name, unit in zip(*_template_columns(), strict=True)])
    writer.writerows(_EXAMPLE_ROWS)
    return out.getvalue().encode()


def _column_width(name: str) -> float:
    """Return the width of a column of the workbook in characters."""
    return {"name": 40, "id": 12, "parent": 12, "method": 12, "qty": 6}.get(name, 11)


def main() -> None:
    """Write both templates."""
    (TEMPLATES / "bom-template.csv").write_bytes(template_text())
    (TEMPLATES / "bom-template.xlsx").write_bytes(template_workbook())


if __name__ == "__main__":
    main()
