"""What a person types into LibreOffice Calc, key by key: ``2 1/4`` is no text here, but what Calc makes of it."""

from __future__ import annotations

from dataclasses import dataclass

from tests.messy_set.sheet_text import visible

FILTERS = {"xlsx": "Calc MS Excel 2007 XML", "xls": "MS Excel 97", "ods": "calc8", "csv": "Text - txt - csv (StarCalc)"}


@dataclass(frozen=True)
class Typed:
    """One sheet: the keys of every cell, and what was done with the mouse afterwards.

    ``formats`` gives number formats by range, as the locale writes them; ``filtered`` is the range of an AutoFilter,
    the index of its column and the text shown; ``comments`` are notes by cell; ``struck`` ranges are struck out.
    """

    keys: str
    name: str = "Sheet1"
    merged: tuple[str, ...] = ()
    hidden_rows: tuple[int, ...] = ()
    hidden_columns: tuple[str, ...] = ()
    formats: tuple[tuple[str, str], ...] = ()
    filtered: tuple[str, int, str] | None = None
    comments: tuple[tuple[str, str], ...] = ()
    struck: tuple[str, ...] = ()


@dataclass(frozen=True)
class TypedBook:
    """The sheets of one workbook, the locale of whoever types, and the filter options of a text file."""

    locale: str
    sheets: tuple[Typed, ...]
    saved: str = ""


def keys_of(sheet: Typed) -> list[list[str]]:
    """Give the keys of every cell, row by row; a line that is only a dot is an empty row.

    ``<nl>`` is Ctrl+Enter, and ``<sp>`` a blank that counts.

    >>> keys_of(Typed("Mass<nl>[kg] | 2 1/4 | '007"))
    [['Mass\\n[kg]', '2 1/4', "'007"]]
    """
    lines = sheet.keys.strip("\n").splitlines()
    return [[] if line == "." else [visible(cell.strip()) for cell in line.split("|")] for line in lines]


BOOKS = {
    # decimal commas become numbers, shown with one decimal; a date in the title; a sum by formula
    "typed_gearbox.xlsx": TypedBook(
        "de-DE",
        (
            Typed(
                """
Stückliste Stirnradgetriebe SG-40 | | | |
Stand | 03.05.2023 | | |
.
Pos. | Benennung | Menge | Gewicht<nl>[kg] | Bemerkung
1 | Gehäuse | 1 | 38,25 | Grauguss
2 | Deckel | 2 | 6,35 |
3 | Welle | 2 | 4,45 | gehärtet
4 | Zahnrad | 2 | 7,15 |
5 | Lager | 4 | 0,35 | Kaufteil
.
 | | Gesamt | =SUMPRODUCT(C5:C9;D5:D9) |
""",
                name="SG-40",
                merged=("A1:E1",),
                formats=(("D5:D11", "0,0"),),
                comments=(("D5", "gewogen am 2. Mai"),),
            ),
        ),
    ),
    # item numbers that Calc takes for dates: 1.1.10 is 1 January 2010
    "typed_item_numbers.xlsx": TypedBook(
        "de-DE",
        (
            Typed("""
Pos. | Teil | Menge | Masse (kg)
1 | Kran | 1 |
1.1 | Ausleger | 1 |
1.1.9 | Bolzen | 4 | 2,5
1.1.10 | Gurt | 2 | 145
1.2 | Turm | 1 | 860
"""),
        ),
    ),
    # part numbers of digits only: Calc drops the zeros of 0010 and reads 2E3 as 2000, in both columns alike
    "typed_numbers_for_ids.ods": TypedBook(
        "en-US",
        (
            Typed(
                """
GROUND TEST EQUIPMENT | | | | |
Part No. | Next Assy | Description | Qty | Unit | Mass
0010 | | Test stand | 1 | |
0020 | 0010 | Frame | 1 | kg | 86.5
0030 | 0010 | Foot | 4 | kg | 3.25
2E3 | 0010 | Console | 1 | kg |
0041 | 2E3 | Rack | 2 | kg | 14
0042 | 2E3 | Cable set | 1 | g | 850
""",
                merged=("A1:F1",),
                hidden_columns=("C",),
            ),
        ),
    ),
    # an AutoFilter hides two rows, and the sum is of all
    "typed_filtered.xlsx": TypedBook(
        "en-US",
        (
            Typed(
                """
System | Component | Qty | Mass [kg] | Share
EPS | Battery | 2 | 4.6 | =C2*D2/D$8
EPS | Solar panel | 4 | 2.1 | =C3*D3/D$8
AOCS | Reaction wheel | 4 | 1.35 | =C4*D4/D$8
AOCS | Star tracker | 2 | 0.55 | =C5*D5/D$8
COMM | Transponder | 1 | 3.1 | =C6*D6/D$8
.
Total | | | =SUMPRODUCT(C2:C6;D2:D6) | =SUM(E2:E6)
""",
                filtered=("A1:E6", 0, "EPS"),
                formats=(("E2:E8", "0.0%"), ("D2:D8", "0.00")),
                comments=(("D5", "data sheet, to be weighed"),),
            ),
        ),
    ),
    # the same habit with SUBTOTAL: the sum is of the rows that are shown, and nothing states it
    "typed_filtered_subtotal.xlsx": TypedBook(
        "en-US",
        (
            Typed(
                """
System | Component | Mass [kg]
Drive | Motor | 46
Drive | Gearbox | 29
Body | Panel | 18
Body | Door | 12
.
 | Total | =SUBTOTAL(9;C2:C5)
""",
                filtered=("A1:C5", 0, "Drive"),
            ),
        ),
    ),
    # pounds as fractions, and a header of two lines over a blank row
    "typed_fractions.xls": TypedBook(
        "en-US",
        (
            Typed(
                """
FORK LIFT ATTACHMENT | | |
.
Part<nl>Number | Qty | Unit Weight<nl>(lb) | Total Weight<nl>(lb)
FORK | 2 | 112 1/2 | =B4*C4
CARRIAGE | 1 | 186 1/4 | =B5*C5
HOOK | 4 | 3 3/4 | =B6*C6
.
TOTAL | | | =SUM(D4:D6)
""",
                merged=("A1:D1",),
            ),
        ),
    ),
    # saved as text as shown: thousands with points, decimal commas, semicolons, title and sum
    "typed_as_shown.csv": TypedBook(
        "de-DE",
        (
            Typed(
                """
Gewichtsaufstellung Presse P-250 | | |
.
Teil | Anzahl | Gewicht je Stück (kg) | Werkstoff
Ständer | 2 | 4250,5 | GS-52
Stößel | 1 | 3100 | S355
Tisch | 1 | 2875,25 | S355
Zuganker | 4 | 612,5 | 42CrMo4
.
Summe | | =SUMPRODUCT(B4:B7;C4:C7) |
""",
                formats=(("C4:C9", "#.##0,00"),),
            ),
        ),
        saved="59,34,76,1,,0,false,true",
    ),
    # the same dialog in English: commas between cells, commas for thousands, in the code page of Windows
    "typed_thousands_shown.csv": TypedBook(
        "en-US",
        (
            Typed(
                """
Item | Parent | Qty | Weight (kg)
HALF-SHELL Ø900 | | 1 |
LINER | HALF-SHELL Ø900 | 1 | 1,250
RING | HALF-SHELL Ø900 | 3 | 2,112.5
BOLT | HALF-SHELL Ø900 | 48 | 1.75
""",
                formats=(("D3", "#,##0"), ("D4", "#,##0.0")),
            ),
        ),
        saved="44,34,ANSI,1,,0,false,true",
    ),
    # French: groups merged down the side, a subtotal below each, numbers typed with a comma
    "typed_groups.ods": TypedBook(
        "fr-FR",
        (
            Typed(
                """
Devis de masse - voilier 12 m | | | |
Ensemble | Élément | Qté | Masse unitaire (kg) | Masse totale (kg)
Coque | Coque nue | 1 | 2450 | =C3*D3
 | Pont | 1 | 780,5 | =C4*D4
 | Sous-total | | | =SUM(E3:E4)
Gréement | Mât | 1 | 196 | =C6*D6
 | Bôme | 1 | 41,5 | =C7*D7
 | Hauban | 6 | 4,75 | =C8*D8
 | Sous-total | | | =SUM(E6:E8)
Lest | Quille | 1 | 3100 | =C10*D10
Total général | | | | =E5+E9+E10
""",
                merged=("A1:E1", "A3:A5", "A6:A9"),
            ),
        ),
    ),
    # a summary by formulas on the first sheet looks like a list of parts, too
    "typed_summary_first.ods": TypedBook(
        "en-US",
        (
            Typed(
                """
Subsystem | Mass [kg]
Chassis | =$Parts.D9
Power | =$Parts.D10
""",
                name="Summary",
            ),
            Typed(
                """
Parent | Part | Qty | Mass [kg]
 | ROVER | 1 |
ROVER | CHASSIS | 1 |
ROVER | POWER | 1 |
CHASSIS | TUB | 1 | 6.4
CHASSIS | WHEEL | 6 | 1.15
POWER | CELL | 8 | 0.35
.
 | | Chassis | =D5+C6*D6
 | | Power | =C7*D7
""",
                name="Parts",
            ),
        ),
    ),
    # dots before the level: Calc leaves ..2 alone and makes 0.1 of .1
    "typed_dotted_levels.xlsx": TypedBook(
        "en-US",
        (
            Typed("""
Level | Part Number | Qty | Mass [kg]
0 | GRIPPER | 1 |
.1 | BODY | 1 | 1.2
.1 | FINGER | 2 |
..2 | PAD | 2 | 0.05
..2 | LINK | 1 | 0.3
"""),
        ),
    ),
    # a table away from the corner, a header merged over two rows, hidden rows, a budget next to it
    "typed_beside_a_budget.xlsx": TypedBook(
        "en-US",
        (
            Typed(
                """
.
 | Prototype 3, weighed parts | | | | | | |
.
 | Level | Part | Qty | Mass | CG (mm) | | | | Budget | 150 kg
 | | | | [kg] | X | Y | Z | | Used | =E7+2*E8+2*E9
 | 0 | KART | 1 | | | | | | Left | =150-K5
 | 1 | FRAME | 1 | 60 | 0 | 0 | 220
 | 1 | FRONT WHEEL | 2 | 5 | 600 | 0 | 200
 | 1 | REAR WHEEL | 2 | 7.5 | -230 | 0 | 188
""",
                merged=("B2:H2", "B4:B5", "C4:C5", "D4:D5", "F4:H4"),
                hidden_rows=(8,),
            ),
        ),
    ),
}
