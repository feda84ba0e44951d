"""Workbooks whose cells are the trap: units in cells, commas, placeholders, invisible blanks."""

from __future__ import annotations

from tests.messy_set.books import Book, Sheet

BOOKS = {
    "cells_with_units.xlsx": Book(
        Sheet("""
Level | Part Number | Qty | Mass
0 | DR-0 | 1 |
1 | DR-1 FRAME | 1 | 1.2 kg
1 | DR-2 MOTOR | 4 | 95 g
1 | DR-3 BATTERY | 1 | 0.85 kg
1 | DR-4 CAMERA | 1 | 310 g
""")
    ),
    "comma_of_two_readings.xlsx": Book(
        Sheet("""
Level | Part Number | Qty | Mass [kg]
0 | CRANE | 1 |
1 | JIB | 1 | '1,234
1 | TOWER | 1 | '2,500
1 | HOOK | 1 | '850
""")
    ),
    "decimal_commas.xlsx": Book(
        Sheet("""
Stufe | Sachnummer | Benennung | Menge | Masse [kg]
0 | G-0 | Getriebe | 1 |
1 | G-1 | Zahnrad | 2 | '0,35
1 | G-2 | Gehäuse | 1 | '12,5
1 | G-3 | Lager | 4 | '1,2
""")
    ),
    "decimal_commas_settled_by_a_neighbour.xlsx": Book(
        Sheet("""
Stufe | Sachnummer | Benennung | Menge | Masse [kg]
0 | P-0 | Pumpe | 1 |
1 | P-1 | Laufrad | 1 | '1,250
1 | P-2 | Dichtring | 1 | '0,35
1 | P-3 | Gehäuse | 1 | '12,5
""")
    ),
    "approximate.xlsx": Book(
        Sheet("""
Level | Part Number | Qty | Mass
0 | ROVER | 1 |
1 | CHASSIS | 1 | ~3 kg
1 | WHEEL SET | 1 | 2 kg
1 | MAST | 1 | 1.5 kg
""")
    ),
    "placeholders_on_assemblies.xlsx": Book(
        Sheet("""
Level | Part Number | Qty | Mass [kg]
0 | SAT | 1 | N/A
1 | BUS | 1 | TBD
2 | PANEL | 4 | 2.5
1 | PLM | 1 | '-
2 | OPTICS | 1 | 7.5
2 | DETECTOR | 2 | 0.6
1 | AOCS | 1 | - None -
2 | WHEEL | 3 | 1.1
1 | COMMS | 1 | No value
2 | TRANSPONDER | 1 | 0.9
""")
    ),
    "placeholders_on_parts.xlsx": Book(
        Sheet("""
Level | Part Number | Qty | Mass [kg]
0 | SAT | 1 |
1 | PANEL | 4 | 2.5
1 | OPTICS | 1 | 7.5
1 | DETECTOR | 2 | TBD
1 | HARNESS | 1 | - None -
1 | MLI | 1 | N/A
""")
    ),
    "invisible_blanks_in_numbers.xlsx": Book(
        Sheet("""
Level | Part Number | Qty | Mass [kg]
0 | LATHE TOOLING | 1 |
1 | CHUCK | 1 | '12.5<nbsp>
1 | JAW | 2 | '<zwsp>3.2
1 | FLANGE | 1 | '<nbsp>7
""")
    ),
    "no_break_thousands.xlsx": Book(
        Sheet("""
Niveau | Référence | Désignation | Quantité | Masse (kg)
0 | GR-0 | Grue | 1 |
1 | GR-1 | Flèche | 1 | '1<nbsp>250
1 | GR-2 | Contrepoids | 2 | 340
1 | GR-3 | Crochet | 1 | 75.5
""")
    ),
    "zero_width_in_parent.xlsx": Book(
        Sheet("""
Part Number | Parent | Qty | Mass [kg]
A-000 | | 1 |
A-100 | A-000 | 1 |
A-110 | A-100<zwsp> | 2 | 1.5
A-120 | A-100 | 1 | 4
""")
    ),
    "trailing_blanks_in_part_numbers.xlsx": Book(
        Sheet("""
Part Number | Parent | Qty | Mass [kg]
A-000<sp> | | 1 |
A-100<sp><sp> | A-000 | 1 |
A-110 | A-100<nbsp> | 2 | 1.5
A-120<sp> | A-100 | 1 | 4
""")
    ),
    "true_as_formula_text.xlsx": Book(
        Sheet("""
id | parent | mass [kg] | Cx [m] | Cy [m] | Cz [m] | Ixx | Ixy | Ixz | Iyy | Iyz | Izz | POIconv | Ipoint
TOP | | | | | | | | | | | | - |
BALLAST A | TOP | 2 | -1 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | - | =TRUE()
BALLAST B | TOP | 3 | 1 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | - | =TRUE()
""")
    ),
    "numbers_as_text.xlsx": Book(
        Sheet("""
Level | Part Number | Qty | Mass [kg]
'0 | CONVEYOR | '1 |
'1 | DRUM | '1 | '12.5
'1 | ROLLER | '4 | '0.75
'1 | BELT | '1 | 8
""")
    ),
    "centre_as_tuple.xlsx": Book(
        Sheet("""
Part Number | Parent | Mass (kg) | Center of Mass (mm)
ASSY | | |
PLATE | ASSY | 2 | (10, 0, 5)
BLOCK | ASSY | 6 | (2, 8, -3)
""")
    ),
    "names_like_totals.xlsx": Book(
        Sheet("""
Level | Part Number | Description | Qty | Mass [kg]
0 | SV-0 | Survey vehicle | 1 |
1 | SV-1 | Total station | 1 | 5.4
1 | SV-2 | Limit switch | 4 | 0.15
1 | SV-3 | Margin plate | 2 | 1.1
1 | SV-4 | Sum amplifier | 1 | 0.8
""")
    ),
}
