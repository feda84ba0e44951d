"""Supplier tables with traps: ``python -m tests.tables.writers.traps`` in the root of the repository writes them."""

from __future__ import annotations

from pathlib import Path

from tests.tables.writers.sheets import Book, Sheet, Text

FILES = Path(__file__).parents[1] / "traps"

VEHICLE = """
Level | Part Number | Total Qty | Mass [kg]
0 | VEHICLE | 1 |
1 | AXLE | 2 |
2 | WHEEL | 4 | 12.5
2 | HUB | 4 | 3.0
1 | FRAME | 1 | 180
"""

BOOKS = {
    # workbooks in which the table must be found first: titles, offsets, merged headers, groups, totals
    "title_rows.xlsx": Book(
        Sheet("""
AURORA-3 CUBESAT - MASS BUDGET | | | |
Prepared by: M. Keller | | | | Issue 2
Date: 2023-04-17 | | | |
.
Level | Part Number | Description | Qty | Mass (kg)
0 | CS-000 | Aurora-3 | 1 |
1 | CS-100 | Structure | 1 |
2 | CS-101 | Side panel | 4 | 0.21
2 | CS-102 | Rail | 4 | 0.125
1 | CS-200 | Power | 1 |
2 | CS-201 | Battery pack | 2 | 0.335
2 | CS-202 | Solar panel | 3 | 0.18
""")
    ),
    "table_at_b3.xlsx": Book(
        Sheet(
            """
Level | Item No. | Description | Qty | Unit mass [kg]
0 | M-1 | Milling machine | 1 |
1 | M-1-1 | Bed | 1 | 1850
1 | M-1-2 | Column | 1 | 920
1 | M-1-3 | Table group | 1 |
2 | M-1-3-1 | Table | 1 | 310
2 | M-1-3-2 | Linear guide | 2 | 42.5
2 | M-1-3-3 | Carriage | 4 | 3.75
""",
            corner="B3",
        )
    ),
    "merged_header.xlsx": Book(
        Sheet(
            """
Part Number | Parent | Mass | Centre of gravity [mm] | |
 | | [kg] | X | Y | Z
UAV | | | | |
WING | UAV | 4.0 | 250 | 0 | 40
FUSELAGE | UAV | 6.0 | 400 | 0 | 0
MOTOR | UAV | 1.5 | -100 | 0 | 10
BATTERY | UAV | 3.5 | 100 | 0 | -20
""",
            merged=("A1:A2", "B1:B2", "D1:F1"),
        )
    ),
    "units_row.xlsx": Book(
        Sheet("""
Part Number | Parent | Qty | Mass | X CG | Y CG | Z CG
 | | - | g | mm | mm | mm
GIMBAL | | | | | |
GB-01 | GIMBAL | 1 | 420 | 0 | 0 | 10
GB-02 | GIMBAL | 1 | 180 | 35 | 0 | 22
GB-03 | GIMBAL | 1 | 200 | -35 | 0 | 22
""")
    ),
    "units_next_column.xlsx": Book(
        Sheet("""
Level | Part Number | Description | Qty | Mass | Unit
0 | RB-0 | Robot arm | 1 | |
1 | RB-1 | Base casting | 1 | 14.2 | kg
1 | RB-2 | Harmonic drive | 3 | 870 | g
1 | RB-3 | Link tube | 2 | 1.15 | kg
1 | RB-4 | Encoder | 3 | 45 | g
""")
    ),
    "fill_down_groups.xlsx": Book(
        Sheet(
            """
Subsystem | Component | Qty | Mass [kg]
Structure | Primary panel | 6 | 3.2
 | Bracket | 12 | 0.15
 | Launch adapter | 1 | 5.4
Power | Battery | 2 | 4.1
 | PCDU | 1 | 3.6
 | Solar array | 2 | 7.25
AOCS | Reaction wheel | 4 | 1.45
 | Star tracker | 2 | 0.8
""",
            name="MEL",
            merged=("A2:A4", "A5:A7", "A8:A9"),
        )
    ),
    "blank_separators.xlsx": Book(
        Sheet("""
Level | Part | Qty | Mass (kg)
0 | LOADER | 1 |
.
1 | CHASSIS | 1 |
2 | FRAME | 1 | 410
2 | AXLE | 2 | 135
.
.
1 | BOOM | 1 |
2 | ARM | 2 | 62.5
2 | BUCKET | 1 | 148
.
1 | CAB | 1 | 285
""")
    ),
    "side_summary.xlsx": Book(
        Sheet("""
Level | Part Number | Qty | Mass [kg] | | Summary |
0 | ROV | 1 | | | Launch mass limit | 60
1 | FRAME | 1 | 11.5 | | Structure | 11.5
1 | THRUSTER | 6 | 1.9 | | Propulsion | 11.4
1 | HULL | 2 | 8.3 | | Margin | 8 %
1 | CAMERA | 1 | 0.75 | | |
1 | BUOYANCY BLOCK | 4 | 2.2 | | |
""")
    ),
    "two_tables.xlsx": Book(
        Sheet(
            """
Level | Part Number | Qty | Mass [kg]
0 | BUS | 1 |
1 | PANEL | 4 | 2.5
1 | TANK | 1 | 6
.
.
Level | Part Number | Qty | Mass [kg]
0 | PAYLOAD | 1 |
1 | TELESCOPE | 1 | 18
1 | ELECTRONICS | 2 | 1.75
""",
            name="Mass",
        )
    ),
    "total_row.xlsx": Book(
        Sheet("""
No. | Component | Qty | Mass each [kg] | Remarks
1 | Hull | 1 | 22.4 | GRP
2 | Deck | 1 | 9.8 |
3 | Mast | 1 | 6.1 | carbon
4 | Keel bulb | 1 | 31.0 | lead
5 | Winch | 2 | 1.35 |
 | TOTAL | | 72.0 |
""")
    ),
    "subtotal_margin_limit.xlsx": Book(
        Sheet("""
Subsystem | Component | Qty | Mass [kg]
Payload | Camera | 1 | 8.2
Payload | Data recorder | 1 | 2.3
Subtotal Payload | | | 10.5
Platform | Frame | 1 | 14.6
Platform | Wheel | 4 | 1.6
Platform | Radio | 2 | 0.75
Subtotal Platform | | | 22.5
Total | | | 33.0
System margin 20 % | | | 6.6
Total with margin | | | 39.6
Launcher limit | | | 45
""")
    ),
    "total_in_quantity_column.xlsx": Book(
        Sheet("""
Level | Part Number | Description | Qty | Mass [kg]
0 | PMP-0 | Pump skid | 1 |
1 | PMP-1 | Pump | 2 | 86
1 | PMP-2 | Motor | 2 | 112
1 | PMP-3 | Skid | 1 | 240
1 | PMP-4 | Piping | 1 | 64
 | | | TOTAL | 700
""")
    ),
    "flat_list.xlsx": Book(
        Sheet(
            """
Part Number | Description | Qty | Mass [kg]
FC-01 | Flight controller | 1 | 0.045
FC-02 | ESC | 4 | 0.028
FC-03 | Motor | 4 | 0.095
FC-04 | Arm | 4 | 0.06
FC-05 | Battery | 1 | 0.52
""",
            name="Quadcopter",
        )
    ),
    "no_bom.xlsx": Book(
        Sheet(
            """
Test | Date | Operator | Result
Vibration X | 2024-02-01 | Lopez | pass
Vibration Y | 2024-02-02 | Lopez | pass
Shock | 2024-02-05 | Chen | fail
Thermal vacuum | 2024-02-12 | Chen | pass
EMC | 2024-03-01 | Roy | open
""",
            name="Test log",
        )
    ),
    "hidden_row.xlsx": Book(
        Sheet(
            """
Level | Part Number | Supplier | Qty | Mass [kg]
0 | HX-0 | | 1 |
1 | HX-1 | Alfa | 1 | 42
1 | HX-2 | Alfa | 24 | 0.5
1 | HX-3 | Beta | 2 | 7.25
1 | HX-4 | Beta | 1 | 3.5
""",
            hidden_rows=(4,),
            hidden_columns=("C",),
        )
    ),
    # workbooks whose cells are the trap: units in cells, commas, placeholders, invisible blanks
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
    # workbooks in which a number may be per piece or per line, and a quantity per parent or already multiplied
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
    # workbooks with lines and columns that look like items and masses and are neither, or are both
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
    # workbooks with two traps and more together, as they come in the mail
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
    # lists as yards, air framers and machine builders send them: sums without labels, sides in words, dash numbers
    "units_without_a_header.xlsx": Book(
        Sheet("""
Part | Qty | Mass |
HOUSING | 1 | 10 | kg
LEVER | 1 | 3500 | g
 | Sum: | 13.5 | kg
""")
    ),
    "sum_without_a_label.xlsx": Book(
        Sheet("""
Item No. | Part Number | Quantity | Weight (g) | Total Weight (g)
1 | P-100 | 1 | 250 | 250
2 | P-200 | 4 | 105 | 420
3 | P-300 | 8 | 50 | 400
 | | | | 1070
""")
    ),
    "average_and_target.xlsx": Book(
        Sheet("""
Item | Mass (kg)
Frame | 10
Skin | 6
Total | 16
Average | 8
Target | 15
Deviation | 1
""")
    ),
    "carried_forward.xlsx": Book(
        Sheet("""
Posizione | Denominazione | Q.tà | Massa unitaria (kg)
1 | Telaio | 2 | 5
2 | Pannello | 1 | 6
 | Riporto | | 16
3 | Motore | 1 | 10
 | Totale | | 26
""")
    ),
    "group_weight_statement.xlsx": Book(
        Sheet("""
GROUP WEIGHT STATEMENT | | |
.
GROUP | WEIGHT (lb) | FS (IN) | MOMENT (IN-LB)
WING GROUP | 1500 | 250 | 375000
TAIL GROUP | 300 | 500 | 150000
BODY GROUP | 1400 | 240 | 336000
TOTAL WEIGHT EMPTY | 3200 | 269.1 | 861000
""")
    ),
    "dash_numbers.xlsx": Book(
        Sheet("""
'-1 | '-3 | PART NO | NOMENCLATURE | WT EA (lb)
1 | | 123-1 | SKIN LH | 2
 | 1 | 123-3 | SKIN RH | 2
4 | 4 | R-20470 | RIVET | 0.1
""")
    ),
    "port_and_starboard.xlsx": Book(
        Sheet("""
Item | Weight [t] | LCG [m] | VCG [m] | TCG [m] | P/S
Tank 1 | 10 | 40 | 3 | 2 | P
Tank 2 | 10 | 40 | 3 | 2 | S
""")
    ),
    "groups_among_their_parts.xlsx": Book(
        Sheet("""
No | Item | Mass (kg)
I | Structure | 30
1 | Panel | 10
2 | Frame | 20
II | Power | 15
1 | Battery | 15
 | Total | 45
""")
    ),
}

# text tables as they are exported and mailed: encodings, delimiters, line ends, decimal commas
TEXTS = {
    "german_cp1252.csv": Text(
        """
Ebene | Teilenummer | Benennung | Menge | Masse [kg]
0 | PR-0 | Prüfstand | 1 |
1 | PR-1 | Gestell | 1 | 86,5
1 | PR-2 | Führung | 4 | 2,75
1 | PR-3 | Kühlgerät | 1 | 31,2
""",
        delimiter=";",
        encoding="cp1252",
    ),
    "german_points_and_commas.csv": Text(
        """
Ebene | Teilenummer | Benennung | Menge | Masse [kg]
0 | TG-0 | Turmgerüst | 1 |
1 | TG-1 | Mast | 1 | 1.234,5
1 | TG-2 | Ausleger | 2 | 310,25
1 | TG-3 | Seil | 1 | 95
""",
        delimiter=";",
        encoding="cp1252",
    ),
    "french_utf16.txt": Text(
        """
Niveau | Référence | Désignation | Quantité | Masse (kg)
0 | VE-0 | Véhicule | 1 |
1 | VE-1 | Châssis | 1 | 145,8
1 | VE-2 | Roue | 4 | 7,35
1 | VE-3 | Batterie | 2 | 24,6
""",
        delimiter="\t",
        encoding="utf-16",
    ),
    "spanish_semicolons.csv": Text(
        """
Nivel | Número de pieza | Descripción | Cantidad | Masa (kg)
0 | DR-0 | Dron | 1 |
1 | DR-1 | Bastidor | 1 | 2,4
1 | DR-2 | Hélice | 4 | 0,05
1 | DR-3 | Batería | 1 | 1,15
""",
        delimiter=";",
    ),
    "japanese_shift_jis.csv": Text(
        """
レベル | 部品番号 | 名称 | 数量 | 質量(kg)
0 | R-0 | ロボット | 1 |
1 | R-1 | ベース | 1 | 18.4
1 | R-2 | アーム | 2 | 5.3
1 | R-3 | モータ | 3 | 1.2
""",
        encoding="shift_jis",
    ),
    "japanese_utf8_bom.csv": Text(
        """
レベル | 部品番号 | 名称 | 数量 | 質量(kg)
0 | S-0 | 衛星 | 1 |
1 | S-1 | 構体 | 1 | 21.5
1 | S-2 | 太陽電池パネル | 2 | 3.25
1 | S-3 | 電池 | 1 | 4
""",
        encoding="utf-8-sig",
    ),
    "quoted_thousands.csv": Text("""
Level | Part Number | Qty | Mass [kg]
0 | TRAILER | 1 |
1 | BED | 1 | 2,450
1 | AXLE | 2 | 1,125
1 | COUPLING | 1 | 95
"""),
    "quoted_thousands_settled_by_a_point.csv": Text("""
Level | Part Number | Qty | Mass [kg]
0 | TRAILER | 1 |
1 | BED | 1 | 2,450
1 | AXLE | 2 | 412.5
1 | COUPLING | 1 | 95
"""),
    "tabs_title_total.txt": Text(
        """
Mass list of gripper GR-7 | | |
Exported 2024-05-06 | | |
.
Level | Part Number | Qty | Mass (g)
0 | GR-7 | 1 |
1 | GR-7-1 | 1 | 640
1 | GR-7-2 | 2 | 85.5
1 | GR-7-3 | 6 | 4
Total | | | 835
""",
        delimiter="\t",
    ),
    "carriage_returns.csv": Text(
        """
Level | Part Number | Description | Qty | Mass [kg]
0 | K-0 | Kayak | 1 |
1 | K-1 | Hull | 1 | 14.5
1 | K-2 | Seat | 2 | 1.1
""",
        delimiter=";",
        encoding="cp1252",
        line_end="\r",
    ),
    "separator_line.csv": Text(
        """
Level | Part Number | Qty | Mass [kg]
0 | TURBINE | 1 |
1 | BLADE | 3 | 5400
1 | HUB | 1 | 9000
1 | NACELLE | 1 | 51000
""",
        delimiter=";",
        first_line="sep=;",
    ),
    "pounds_and_inches.csv": Text("""
Part Number | Parent | Qty | Weight (lbs) | X (in) | Y (in) | Z (in)
PALLET | | 1 | | | |
RACK | PALLET | 1 | 40 | 10 | 0 | 20
PUMP | PALLET | 1 | 60 | 30 | -5 | 10
"""),
    "levels_in_german_with_stated_assemblies.csv": Text(
        """
Stufe | Teilenummer | Benennung | Menge | Masse [kg]
0 | W-0 | Wagen | 1 | 130
1 | W-1 | Rahmen | 1 | 90
2 | W-2 | Längsträger | 2 | 35
2 | W-3 | Querträger | 4 | 5
1 | W-4 | Rad | 4 | 10
""",
        delimiter=";",
        encoding="cp1252",
    ),
}


def main() -> None:
    """Write every workbook and text that a script can write."""
    for name, table in (BOOKS | TEXTS).items():
        table.write(FILES / name)


if __name__ == "__main__":
    main()
