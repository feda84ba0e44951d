"""Lists as yards, air framers and machine builders send them: sums without labels, sides in words, dash numbers."""

from __future__ import annotations

from tests.messy_set.books import Book, Sheet

BOOKS = {
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
