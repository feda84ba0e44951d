"""Type tables into a running LibreOffice Calc and save them, as a person would: no file format is written here.

Each cell is entered through the dispatcher (``.uno:GoToCell``, ``.uno:EnterString``), so what Calc takes for a number,
a date or a fraction, in the locale of the typist, is Calc's own doing. Run from the root of the repository, with a
Python that has LibreOffice's bridge (Debian: ``python3-uno``): ``python3 -m tests.tables.writers.typed [NAME ...]``.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.tables.writers.sheets import visible

FILES = Path(__file__).parents[1] / "traps"
SETTINGS = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry"><item oor:path="/org.openoffice.Setup/L10N">
<prop oor:name="ooSetupSystemLocale" oor:op="fuse"><value>{}</value></prop></item></oor:items>
"""
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


@contextmanager
def office(locale: str) -> Iterator[Any]:
    """Start an office of its own profile and locale; give its context."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Path(folder, "profile", "user", "registrymodifications.xcu")
        settings.parent.mkdir(parents=True)
        settings.write_text(SETTINGS.format(locale), encoding="utf-8")
        pipe = f"pipe,name={Path(folder).name};urp"
        profile = f"-env:UserInstallation=file://{folder}/profile"
        process = subprocess.Popen(["soffice", profile, "--headless", "--norestore", f"--accept={pipe}"])
        context = connected(f"uno:{pipe};StarOffice.ComponentContext")
        try:
            yield context
        finally:
            made(context, "com.sun.star.frame.Desktop").terminate()
            process.wait(timeout=60)


def connected(address: str) -> Any:
    """Wait until the office answers, for half a minute at most."""
    import uno
    from com.sun.star.connection import NoConnectException

    context = uno.getComponentContext()
    resolver = context.ServiceManager.createInstanceWithContext("com.sun.star.bridge.UnoUrlResolver", context)
    for _ in range(60):
        try:
            return resolver.resolve(address)
        except NoConnectException:
            time.sleep(0.5)
    raise SystemExit("LibreOffice did not answer")


def made(context: Any, service: str) -> Any:
    """Make an object of the office."""
    return context.ServiceManager.createInstanceWithContext(service, context)


def options(**values: object) -> tuple[Any, ...]:
    """Name values the way the office takes them."""
    from com.sun.star.beans import PropertyValue

    return tuple(PropertyValue(Name=name, Value=value) for name, value in values.items())


def type_book(context: Any, book: TypedBook, path: Path) -> None:
    """Open a blank document, type every sheet into it, and save it in the format of the name."""
    desktop = made(context, "com.sun.star.frame.Desktop")
    document = desktop.loadComponentFromURL("private:factory/scalc", "_blank", 0, ())
    sheets = document.Sheets
    for i, typed in enumerate(book.sheets):
        if i < sheets.Count:
            sheets.getByIndex(i).Name = typed.name
        else:
            sheets.insertNewByName(typed.name, i)
    for typed in reversed(book.sheets):  # a formula may point to a sheet further right, and the first stays in view
        sheet = sheets.getByName(typed.name)
        document.CurrentController.setActiveSheet(sheet)
        type_cells(context, document, typed)
        handle_with_the_mouse(document, sheet, typed, book.locale)
    document.calculateAll()
    saved = options(FilterName=FILTERS[path.suffix[1:]], **({"FilterOptions": book.saved} if book.saved else {}))
    document.storeToURL(path.as_uri(), saved)
    document.close(True)


def type_cells(context: Any, document: Any, typed: Typed) -> None:
    """Go to each cell and enter its keys."""
    dispatcher = made(context, "com.sun.star.frame.DispatchHelper")
    frame = document.CurrentController.Frame
    for i, row in enumerate(keys_of(typed)):
        for j, keys in enumerate(row):
            if keys:
                cell = f"${chr(ord('A') + j)}${i + 1}"
                dispatcher.executeDispatch(frame, ".uno:GoToCell", "", 0, options(ToPoint=cell))
                dispatcher.executeDispatch(frame, ".uno:EnterString", "", 0, options(StringName=keys))


def handle_with_the_mouse(document: Any, sheet: Any, typed: Typed, locale: str) -> None:
    """Merge, format, strike out, comment, hide and filter."""
    from com.sun.star.lang import Locale

    for area in typed.merged:
        sheet.getCellRangeByName(area).merge(True)
    language, _, country = locale.partition("-")
    for area, code in typed.formats:
        place = Locale(language, country, "")
        key = document.NumberFormats.queryKey(code, place, False)
        known = key if key != -1 else document.NumberFormats.addNew(code, place)
        sheet.getCellRangeByName(area).NumberFormat = known
    for cell, text in typed.comments:
        sheet.Annotations.insertNew(sheet.getCellRangeByName(cell).CellAddress, text)
    for area in typed.struck:
        sheet.getCellRangeByName(area).CharStrikeout = 1  # a single line
    sheet.Columns.OptimalWidth = True
    for row in typed.hidden_rows:
        sheet.Rows.getByIndex(row - 1).IsVisible = False
    for letter in typed.hidden_columns:
        sheet.Columns.getByName(letter).IsVisible = False
    if typed.filtered:
        show_only(document, sheet, *typed.filtered)


def show_only(document: Any, sheet: Any, area: str, column: int, text: str) -> None:
    """Set an AutoFilter on a range and show one text of one column."""
    from com.sun.star.sheet import TableFilterField
    from com.sun.star.sheet.FilterOperator import EQUAL

    address = sheet.getCellRangeByName(area).RangeAddress
    document.DatabaseRanges.addNewByName("filtered", address)
    table = document.DatabaseRanges.getByName("filtered")
    table.AutoFilter = True
    descriptor = table.getFilterDescriptor()
    descriptor.ContainsHeader = True
    shown = TableFilterField(Field=column, Operator=EQUAL, IsNumeric=False, StringValue=text)
    descriptor.setFilterFields((shown,))
    table.refresh()


def main(names: list[str]) -> None:
    """Type the books that are named, or all."""
    chosen = {name: book for name, book in BOOKS.items() if not names or name in names}
    for locale in sorted({book.locale for book in chosen.values()}):
        with office(locale) as context:
            for name, book in chosen.items():
                if book.locale == locale:
                    type_book(context, book, FILES / name)


if __name__ == "__main__":
    main(sys.argv[1:])
