"""Workbooks in which the table must be found first: titles, offsets, merged headers, groups, totals."""

from __future__ import annotations

from tests.messy_set.books import Book, Sheet

BOOKS = {
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
}
