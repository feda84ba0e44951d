"""Workbooks in which a number may be per piece or per line, and a quantity per parent or already multiplied."""

from __future__ import annotations

from tests.messy_set.books import Book, Sheet

VEHICLE = """
Level | Part Number | Total Qty | Mass [kg]
0 | VEHICLE | 1 |
1 | AXLE | 2 |
2 | WHEEL | 4 | 12.5
2 | HUB | 4 | 3.0
1 | FRAME | 1 | 180
"""

BOOKS = {
    "line_mass_with_total.xlsx": Book(
        Sheet("""
Part Number | Description | Qty | Total mass [kg]
L-1 | Panel | 4 | 10.0
L-2 | Battery | 2 | 8.2
L-3 | PCDU | 1 | 3.6
TOTAL | | | 21.8
""")
    ),
    "line_mass_without_total.xlsx": Book(
        Sheet("""
Part Number | Description | Qty | Ext. mass [kg]
L-1 | Panel | 4 | 10.0
L-2 | Battery | 2 | 8.2
L-3 | PCDU | 1 | 3.6
""")
    ),
    "mass_each_and_line.xlsx": Book(
        Sheet("""
Part Number | Description | Qty | Unit mass [kg] | Total mass [kg]
L-1 | Panel | 4 | 2.5 | 10.0
L-2 | Battery | 2 | 4.1 | 8.2
L-3 | PCDU | 1 | 3.6 | 3.6
TOTAL | | | | 21.8
""")
    ),
    "plain_mass_is_per_line.xlsx": Book(
        Sheet("""
Part Number | Description | Qty | Mass [kg]
L-1 | Panel | 4 | 10.0
L-2 | Battery | 2 | 8.2
L-3 | PCDU | 1 | 3.6
TOTAL | | | 21.8
""")
    ),
    "total_of_neither_reading.xlsx": Book(
        Sheet("""
Part Number | Description | Qty | Mass [kg]
L-1 | Panel | 4 | 10.0
L-2 | Battery | 2 | 8.2
L-3 | PCDU | 1 | 3.6
TOTAL | | | 50.0
""")
    ),
    "extended_quantity_with_total.xlsx": Book(Sheet(VEHICLE + "TOTAL | | | 242\n")),
    "extended_quantity_without_total.xlsx": Book(Sheet(VEHICLE)),
    "units_of_measure.xlsx": Book(
        Sheet("""
Level | Part Number | Qty | UoM | Mass [kg]
0 | HARNESS KIT | 1 | EA |
1 | CABLE | 12.5 | m | 0.08
1 | HOSE | 4 | ft | 0.25
1 | PAINT | 3.2 | m² | 0.15
1 | BRACKET | 6 | EA | 0.12
""")
    ),
    "mass_per_metre.xlsx": Book(
        Sheet("""
Level | Part Number | Qty | UoM | Unit mass
0 | RAIL KIT | 1 | EA |
1 | PROFILE | 12.5 | m | 0.08 kg/m
1 | END STOP | 2 | EA | 1.5 kg
""")
    ),
    "variants.xlsx": Book(
        Sheet("""
Level | Part Number | Mass [kg] | Variant A | Variant B
0 | COPTER | | 1 | 1
1 | FRAME | 2.4 | 1 | 1
1 | ARM | 0.3 | 4 | 6
1 | MOTOR | 0.11 | 4 | 6
1 | CAMERA | 0.45 | 1 | 0
""")
    ),
    "ship_weights.xlsx": Book(
        Sheet(
            """
Item | Weight [t] | LCG [m] | TCG [m] | VCG [m]
Hull steel | 1200 | 48 | 0 | 6
Machinery | 300 | 20 | 0 | 4
Outfit | 150 | 60 | 0.2 | 9
Deck equipment | 350 | 55 | -0.4 | 10
LIGHTSHIP TOTAL | 2000 | 45.925 | -0.055 | 6.625
""",
            name="Lightship",
        )
    ),
}
