"""Workbooks with two traps and more together, as they come in the mail."""

from __future__ import annotations

from tests.messy_set.books import Book, Sheet

BOOKS = {
    "title_merged_header_units_row.xlsx": Book(
        Sheet(
            """
HALE UAV - WEIGHT STATEMENT | | | | | |
Rev C | | | | | |
.
Part Number | Parent | Qty | Weight | Centre of gravity | |
 | | | | X | Y | Z
 | | | kg | m | m | m
UAV-0 | | 1 | | | |
UAV-1 | UAV-0 | 1 | 30 | 2.0 | 0 | 0.1
UAV-2 | UAV-0 | 1 | 50 | 1.6 | 0 | 0.5
UAV-3 | UAV-0 | 1 | 20 | 0.5 | 0 | 0.2
""",
            merged=("A4:A5", "B4:B5", "C4:C5", "D4:D5", "E4:G4"),
        )
    ),
    "groups_subtotals_grand_total.xlsx": Book(
        Sheet("""
Group | Part | Qty | Mass [kg]
Drive | Motor | 2 | 18.5
 | Gearbox | 2 | 11
 | Subtotal | | 59
Frame | Beam | 4 | 7.5
 | Cross bar | 6 | 2
 | Subtotal | | 42
Grand total | | | 101
""")
    ),
    "b3_with_hidden_row_and_side_summary.xlsx": Book(
        Sheet(
            """
Level | Part Number | Qty | Mass [kg] | | Check |
0 | BUOY | 1 | | | Displacement | 900
1 | FLOAT | 1 | 410 | | Reserve | 25 %
1 | MAST | 1 | 36.5 | | |
1 | BATTERY | 8 | 22 | | |
""",
            corner="B3",
            hidden_rows=(6,),
        )
    ),
    "title_decimal_commas_total.xlsx": Book(
        Sheet("""
Stückliste Förderband FB-12 | | | |
Stand: 03.05.2023 | | | |
.
Stufe | Teilenummer | Benennung | Anzahl | Gewicht [kg]
0 | FB-0 | Förderband | 1 |
1 | FB-1 | Rahmen | 1 | '48,6
1 | FB-2 | Rolle | 12 | '1,85
1 | FB-3 | Antrieb | 1 | '23,7
 | | | Summe | '94,5
""")
    ),
    "cover_sheet_then_bom.xlsx": Book(
        Sheet(
            """
Supplier | Nordic Actuators AS
Document | NA-7781
Contact | sales
Revision | B
""",
            name="Cover",
        ),
        Sheet(
            """
Level | Part Number | Qty | Mass [kg]
0 | ACTUATOR | 1 |
1 | BODY | 1 | 3.4
1 | PISTON | 2 | 0.65
1 | SEAL KIT | 1 | 0.12
""",
            name="BOM",
        ),
    ),
    "approximate_and_placeholder.xlsx": Book(
        Sheet("""
Level | Part Number | Qty | Mass [kg]
0 | PROBE | 1 | TBD
1 | SHELL | 1 | ~4.5
1 | PARACHUTE | 1 | 1.25
1 | PENETRATOR | 2 | ca. 2
""")
    ),
    "flat_with_blank_rows_and_text_numbers.xlsx": Book(
        Sheet(
            """
Part Number | Description | Qty | Mass (g)
.
PCB-1 | Main board | 1 | '82
PCB-2 | Sensor board | 3 | '14.5
.
PCB-3 | Housing | 1 | 120
PCB-4 | Screw | 12 | 0.75
""",
            name="Sensor node",
        )
    ),
}
