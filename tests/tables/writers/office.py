"""Let LibreOffice write workbooks: each drawing becomes a flat ODS, which ``soffice --convert-to`` opens and saves.

Run ``python -m tests.tables.writers.office`` from the root of the repository, where LibreOffice is installed.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from openpyxl.utils.cell import get_column_letter, range_boundaries

from tests.tables.writers.sheets import Sheet, cells_of
from tests.tables.writers.traps import FILES

NAMES = " ".join(f'xmlns:{n}="urn:oasis:names:tc:opendocument:xmlns:{n}:1.0"' for n in ("office", "table", "text"))
NAMES += ' xmlns:of="urn:oasis:names:tc:opendocument:xmlns:of:1.2"'
HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    f'<office:document {NAMES} office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.spreadsheet">'
)

SHEETS = {
    "office_merged_header.xlsx": (
        Sheet(
            """
EXPLORATION ROVER - MASS PROPERTIES | | | | |
.
Part Number | Parent | Mass | CG [mm] | |
 | | [kg] | X | Y | Z
ROVER | | | | |
BODY | ROVER | 60 | 0 | 0 | 300
ARM | ROVER | 12 | 500 | 50 | 400
MAST | ROVER | 8 | 250 | -75 | 900
""",
            merged=("A1:F1", "A3:A4", "B3:B4", "D3:F3"),
        ),
    ),
    "office_fill_down.ods": (
        Sheet(
            """
System | Component | Qty | Mass [kg]
Propulsion | Engine | 2 | 210
 | Propeller | 2 | 38.5
 | Fuel tank | 4 | 17
Airframe | Wing | 2 | 145
 | Fuselage | 1 | 320
 | Tail | 1 | 54
""",
            name="Aircraft",
            merged=("A2:A4", "A5:A7"),
        ),
    ),
    "office_hidden.xls": (
        Sheet(
            """
Level | Part Number | Vendor | Qty | Mass [kg]
0 | PRESS | | 1 |
1 | FRAME | Krupp | 1 | 2400
1 | RAM | Krupp | 1 | 650
1 | DIE | Bohler | 2 | 180
1 | VALVE | Rexroth | 6 | 4.5
""",
            hidden_rows=(5,),
            hidden_columns=("C",),
        ),
    ),
    "office_formulas_total.xlsx": (
        Sheet("""
Level | Part Number | Qty | Mass [kg]
0 | ANTENNA | 1 |
1 | REFLECTOR | 1 | of:=2*6.25
1 | STRUT | 3 | of:=0.8+0.1
1 | FEED | 1 | 2.3
.
 | TOTAL | | of:=[.D3]*[.C3]+[.D4]*[.C4]+[.D5]*[.C5]
"""),
    ),
    "office_units_row.xls": (
        Sheet("""
Part Number | Parent | Qty | Mass | X | Y | Z
 | | | kg | m | m | m
SPREADER | | | | | |
BEAM | SPREADER | 2 | 900 | 0 | 0 | 0.5
HEADBLOCK | SPREADER | 1 | 1200 | 0.5 | 0 | 2
"""),
    ),
    "office_decimal_commas.ods": (
        Sheet("""
Gewichtsliste Schaltschrank | | | |
Ebene | Teilenummer | Benennung | Menge | Gewicht [kg]
0 | SK-0 | Schaltschrank | 1 |
1 | SK-1 | Gehäuse | 1 | '62,5
1 | SK-2 | Netzgerät | 3 | '1,35
1 | SK-3 | Trafo | 1 | '18,2
"""),
    ),
    "office_tuples_placeholders.xlsx": (
        Sheet("""
Part Number | Parent | Mass (kg) | Center of Mass (mm)
DRONE | | - None - | N/A
BODY | DRONE | 3 | (0, 0, 40)
GIMBAL | DRONE | 1 | (120, -8, 0)
"""),
    ),
    "office_cover_sheet.xls": (
        Sheet(
            """
To | Purchasing
From | Hanse Marine GmbH
Offer | 24-118
""",
            name="Letter",
        ),
        Sheet(
            """
Level | Part Number | Qty | Weight [kg]
0 | CAPSTAN | 1 |
1 | DRUM | 1 | 74
1 | GEARBOX | 1 | 58.5
1 | FOOT | 4 | 6.25
 | TOTAL | | 157.5
""",
            name="Weights",
        ),
    ),
    "office_zero_quantity.xls": (
        Sheet("""
Part Number | Parent | Qty | Mass [kg]
TRIPOD | | 1 |
LEG | TRIPOD | 3 | 1.4
HEAD | TRIPOD | 1 | 2.1
SPARE HEAD | TRIPOD | 0 | 2.1
"""),
    ),
}


def flat_ods(sheets: tuple[Sheet, ...]) -> str:
    """Give the flat ODS of some sheets; a cell that begins with ``of:=`` is a formula."""
    tables = "".join(_table(sheet) for sheet in sheets)
    return f"{HEAD}<office:body><office:spreadsheet>{tables}</office:spreadsheet></office:body></office:document>"


def _table(sheet: Sheet) -> str:
    rows = cells_of(sheet.drawing)
    width = max(map(len, rows))
    columns = "".join(
        f"<table:table-column{_hidden(get_column_letter(j) in sheet.hidden_columns)}/>" for j in range(1, width + 1)
    )
    spans = {}
    for area in sheet.merged:
        left, top, right, bottom = range_boundaries(area)
        spans[top, left] = (
            f' table:number-columns-spanned="{right - left + 1}" table:number-rows-spanned="{bottom - top + 1}"'
        )
    body = "".join(
        f"<table:table-row{_hidden(i in sheet.hidden_rows)}>"
        + "".join(_cell(value, spans.get((i, j), "")) for j, value in enumerate(cells, 1))
        + "</table:table-row>"
        for i, cells in enumerate(rows, 1)
    )
    return f"<table:table table:name={quoteattr(sheet.name)}>{columns}{body}</table:table>"


def _hidden(is_hidden: bool) -> str:
    return ' table:visibility="collapse"' if is_hidden else ""


def _cell(value: str | float | None, span: str) -> str:
    if value is None:
        return f"<table:table-cell{span}/>"
    if isinstance(value, str) and value.startswith("of:="):
        return f"<table:table-cell{span} table:formula={quoteattr(value)}/>"
    if isinstance(value, str):
        return f'<table:table-cell{span} office:value-type="string"><text:p>{escape(value)}</text:p></table:table-cell>'
    return f'<table:table-cell{span} office:value-type="float" office:value="{value}"/>'


def main() -> None:
    """Write every workbook that LibreOffice must write."""
    with tempfile.TemporaryDirectory() as folder:
        for name, sheets in SHEETS.items():
            source = Path(folder, name).with_suffix(".fods")
            source.write_text(flat_ods(sheets), encoding="utf-8")
            profile = f"-env:UserInstallation=file://{folder}/profile"
            target = ["--convert-to", name.rpartition(".")[2], "--outdir", str(FILES), str(source)]
            subprocess.run(["soffice", "--headless", profile, *target], check=True, timeout=120)


if __name__ == "__main__":
    main()
