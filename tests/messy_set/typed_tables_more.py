"""More tables typed into LibreOffice Calc, each as some engineer keeps them."""

from __future__ import annotations

from tests.messy_set.typed_tables import Typed, TypedBook

BOOKS = {
    # inertia of a drawing office: all about the origin of the aircraft, as the header states
    "typed_inertia_about_origin.xlsx": TypedBook(
        "en-US",
        (
            Typed(
                """
Part Number | Parent | Mass | CG | | | Inertia about origin | | | | |
 | | [kg] | X [m] | Y [m] | Z [m] | Ixx [kg*m^2]|Iyy [kg*m^2]|Izz [kg*m^2]|Ixy [kg*m^2]|Ixz [kg*m^2]|Iyz [kg*m^2]
POD | | | | | | | | | | |
CAMERA | POD | 2 | 1 | 0 | 0 | 0.02 | 2.02 | 2.02 | 0 | 0 | 0
BATTERY | POD | 3 | -0.5 | 0 | 0 | 0.03 | 0.78 | 0.78 | 0 | 0 | 0
""",
                merged=("A1:A2", "B1:B2", "D1:F1", "G1:L1"),
            ),
        ),
    ),
    # part numbers typed as they come, parents pasted as text: 0010 and 10
    "typed_ids_as_numbers.xlsx": TypedBook(
        "en-US",
        (
            Typed("""
Part Number | Parent | Qty | Mass [kg]
0010 | | 1 |
0020 | '0010 | 1 | 12.5
0030 | '0010 | 4 | 0.75
"""),
        ),
    ),
    # a part was struck out and left in the table; the sum leaves it out
    "typed_struck_out.xlsx": TypedBook(
        "en-US",
        (
            Typed(
                """
Part | Qty | Mass (kg)
Mast | 1 | 10
Winch, old | 1 | 5
Winch | 1 | 7
.
Total | | =C2+C4
""",
                struck=("A3:C3",),
            ),
        ),
    ),
    # names pushed to the right by blanks, quantities with a times sign
    "typed_indented.xlsx": TypedBook(
        "en-US",
        (
            Typed("""
Item | Qty | Mass [kg]
TELESCOPE | |
<sp><sp>MIRROR CELL | |
<sp><sp><sp><sp>MIRROR | 1x | 24
<sp><sp><sp><sp>PAD | 9x | 0.5
<sp><sp>TUBE | 1x | 18.5
<sp><sp>SPIDER VANE | 4x | 0.75
"""),
        ),
    ),
    # the sum is a sentence below the table, and once more above it
    "typed_total_in_a_sentence.xlsx": TypedBook(
        "en-US",
        (
            Typed(
                """
Trailer, kerb weight | |
Sum: 612.5 kg | |
.
Part | Pcs | Weight [kg]
Chassis | 1 | 410
Axle | 1 | 96.5
Wheel | 2 | 24
Floor | 1 | 58
.
Total mass: 612.5 kg | |
(without load) | |
""",
                merged=("A1:C1", "A2:C2", "A10:C10"),
            ),
        ),
    ),
    # quantity by unit, as the standards of quantities write it
    "typed_unit_after_a_stroke.xlsx": TypedBook(
        "de-DE",
        (
            Typed("""
Teil | Baugruppe | Anzahl | m / kg | x / mm | y / mm | z / mm
Roboter | | 1 | | | |
Sockel | Roboter | 1 | 42,5 | 0 | 0 | 100
Arm | Roboter | 1 | 7,5 | 200 | 0 | 400
"""),
        ),
    ),
    # narrow empty columns between the columns, for the eye
    "typed_spacer_columns.xlsx": TypedBook(
        "en-US",
        (
            Typed(
                """
Part No | | Parent | | Qty | | Mass | | CG x | CG y | CG z
 | | | | | | [g] | | [mm] | [mm] | [mm]
.
D-1 | | | | 1 | | | | | |
D-2 | | D-1 | | 1 | | 150 | | 10 | 0 | 5
D-3 | | D-1 | | 2 | | 25 | | -30 | 0 | 20
"""
            ),
        ),
    ),
    # the same masses twice, in two units
    "typed_mass_in_two_units.xls": TypedBook(
        "en-US",
        (
            Typed("""
Level | Part Number | Qty | Mass (lb) | Mass (g)
0 | SADDLE | 1 | |
1 | SHELL | 1 | =E3/453.59237 | 340
1 | RAIL | 2 | =E4/453.59237 | 45
1 | COVER | 1 | =E5/453.59237 | 70
"""),
        ),
    ),
    # weights removed from a ship are in brackets, which Calc reads as negative numbers
    "typed_removed_weights.xlsx": TypedBook(
        "en-US",
        (
            Typed(
                """
Refit 2024 | | | |
Item | Weight (t) | LCG (m) | TCG (m) | VCG (m)
New engine | 42 | 12 | 0 | 3
Old engine | (50) | 12 | 0 | 3.2
Tank | 18 | 20 | 0 | 1.5
Ballast | 15 | 30 | 0 | 0.2
Total | =SUM(B3:B6) | | |
"""
            ),
        ),
    ),
    # Spanish: semicolons, decimal commas as shown, a unit in every cell by the format of the number
    "typed_format_with_unit.csv": TypedBook(
        "es-ES",
        (
            Typed(
                """
Nivel | Código | Cantidad | Masa
0 | BOMBA | 1 |
1 | CARCASA | 1 | 12,5
1 | RODETE | 2 | 1,25
1 | EJE | 1 | 3
""",
                formats=(("D3:D5", '0,00" kg"'),),
            ),
        ),
        saved="59,34,76,1,,0,false,true",
    ),
    # British shorthand for a quantity
    "typed_number_off.ods": TypedBook(
        "en-GB",
        (
            Typed("""
Drawing | Title | No. off | Wt. each (kg)
D100 | Engine | 1 | 120
D101 | Wing panel | 2 | 60
D102 | Strut | 4 | 3.5
"""),
        ),
    ),
    # glue is counted in grams, next to a mass in kilograms: of a gram, or of the line?
    "typed_glue_in_grams.xlsx": TypedBook(
        "en-US",
        (
            Typed("""
Level | Part | Qty | UOM | Mass [kg]
0 | KIT | 1 | EA |
1 | Plate | 2 | EA | 1.5
1 | Glue | 50 | g | 1
"""),
        ),
    ),
    # how many per assembly, and how many assemblies
    "typed_two_quantities.xlsx": TypedBook(
        "en-US",
        (
            Typed("""
Assembly | Part | Qty per assy | No. of assys | Mass (kg)
Wheel set | Wheel | 2 | 4 | 5
Wheel set | Axle | 1 | 4 | 12
"""),
        ),
    ),
}
