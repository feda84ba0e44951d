"""Workbooks with lines and columns that look like items and masses and are neither, or are both."""

from __future__ import annotations

from tests.messy_set.books import Book, Sheet

BOOKS = {
    "dry_and_wet_mass.xlsx": Book(
        Sheet("""
Component | Mass [kg]
Structure | 310
Power | 185
Thermal | 45
Payload | 260
Dry mass | 800
Propellant | 120
Wet mass | 920
Launch vehicle capability | 1000
""")
    ),
    "total_in_german.xlsx": Book(
        Sheet("""
Bezeichnung | Anzahl | Masse [kg]
Rahmen | 1 | 24
Rad | 4 | 6.5
Motor | 1 | 38
Gesamtgewicht | | 88
""")
    ),
    "total_in_japanese.xlsx": Book(
        Sheet("""
名称 | 数量 | 質量(kg)
本体 | 1 | 12.5
脚 | 4 | 0.75
蓋 | 1 | 2
合計 | | 17.5
""")
    ),
    "item_numbers_with_points.xlsx": Book(
        Sheet("""
Item | Description | Qty | Mass [kg]
1 | Structure | 1 | 26
1.1 | Panel | 4 | 5
1.2 | Bracket | 6 | 1
2 | Power | 1 | 14
2.1 | Battery | 2 | 5.5
2.2 | PCDU | 1 | 3
""")
    ),
    "notes_below.xlsx": Book(
        Sheet("""
Level | Part Number | Qty | Mass [kg]
0 | WINDOW CLEANER | 1 |
1 | CHASSIS | 1 | 18
1 | ARM | 2 | 3.5
.
Notes: | | |
1) Masses as weighed 2024-03-11 | | |
2) Paint not included | | |
""")
    ),
    "repeated_header.xlsx": Book(
        Sheet("""
Level | Part Number | Qty | Mass [kg]
0 | GANTRY | 1 |
1 | BEAM | 1 | 40
1 | LEG | 2 | 6
Level | Part Number | Qty | Mass [kg]
1 | HOIST | 1 | 5.5
""")
    ),
    "cad_and_measured_mass.xlsx": Book(
        Sheet("""
Level | Part Number | Qty | CAD mass [kg] | Measured mass [kg]
0 | SLED | 1 | |
1 | BASE | 1 | 9.8 | 10.2
1 | RUNNER | 2 | 4.0 | 4.1
""")
    ),
    "mass_and_mass_with_margin.xlsx": Book(
        Sheet("""
Level | Part Number | Qty | Mass [kg] | Margin [%] | Mass with margin [kg]
0 | RADAR | 1 | | |
1 | ANTENNA | 1 | 12 | 20 | 14.4
1 | ELECTRONICS | 2 | 5 | 10 | 5.5
""")
    ),
    "pieces_in_quantity.xlsx": Book(
        Sheet("""
Level | Part Number | Qty | Mass [kg]
0 | BENCH | 1 |
1 | LEG | 4 pcs | 1.5
1 | RAIL | 2 pcs | 3
1 | TOP | 1 pcs | 7
""")
    ),
    "marks_and_bounds.xlsx": Book(
        Sheet("""
Level | Part Number | Qty | Mass [kg]
0 | PROBE | 1 |
1 | SHELL | 1 | 3.2*
1 | SENSOR | 1 | <0.1
1 | BATTERY | 1 | 2.1 ± 0.1
""")
    ),
    "variants_with_total.xlsx": Book(
        Sheet("""
Part Number | Mass [kg] | Qty Standard | Qty Heavy
AXLE | 45 | 2 | 3
WHEEL | 20 | 4 | 6
FRAME | 130 | 1 | 1
TOTAL | | 300 | 385
""")
    ),
}
