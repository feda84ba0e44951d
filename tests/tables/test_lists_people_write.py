"""Forms of lists found in public tables: what each comes to, added up by hand, or that it is asked."""

from __future__ import annotations

from pathlib import Path

import openpyxl
import pytest

import massprops_cli as mp

SUMS = ["Summe", "Sum", "Итого", "Razem", "Totalt", "AUW", "Takeoff", "Total"]

ESTIMATED = [
    "Predicted mass", "Vorhergesagte Masse", "Masse prévue", "Masa prevista", "Massa prevista", "Peso previsto",
    "预估重量", "予想質量", "예상 중량",
]  # fmt: skip
"""A word of estimate and one of mass, in the nine languages of the simulator."""


def read(folder: Path, *rows: str, name: str = "list.csv", **options: object) -> tuple[float | None, set[str]]:
    """Return the mass of a list in its own unit and the codes of its errors; None where it is not written."""
    path = folder / name
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    try:
        result = mp.rollup(path, **options)
    except (mp.FindingsError, mp.TableError) as error:
        return None, {one.rule for one in error.findings if one.severity.value == "error"}
    errors = {one.rule for one in result.findings if one.severity.value == "error"}
    return float(result.rollup.bodies.mass[result.root_item]), errors


@pytest.mark.parametrize("word", SUMS)
@pytest.mark.parametrize("place", ["4", "--", "–", ""])
def test_a_total_that_contradicts_is_never_a_part(word: str, place: str, tmp_path: Path) -> None:
    """190 + 880 + 40 = 1110, and 1100 is stated, with a number of its own or without."""
    rows = "No,Component,Mass (g)", "1,Frame,190", "2,Battery,880", "3,Wiring,40", f"{place},{word},1100"
    mass, errors = read(tmp_path, *rows)
    assert errors or mass == 1110
    assert mass in (None, 1110)


def test_a_total_with_two_placeholders_is_no_part(tmp_path: Path) -> None:
    rows = "ID,Part number,Component,Mass (g)", "A,P-1,Frame,190", "B,P-2,Battery,880", "--,--,Total,1100"
    assert read(tmp_path, *rows) == (1070, {"MP415"})


@pytest.mark.parametrize(
    ("rows", "mass"),
    [
        ("Category,Item,Weight (oz)/Clothing,,/- Worn,,/,Hoody,5.3/,Shorts,4.2/Camp,,/,Tent,19.2", 28.7),
        ("Item,Unit Weight (g),Qty,Total Weight (g)/Battery,180,1,180/Motor,35,2,70/,,,0/,,,0", 250),
        ("Item,Mass (kg)/Empty,355/Occupants,170/Fuel,65/Takeoff,590", 590),
        ("Item,Mass (kg),Mass (lb)/Empty,330,728/Crew,150,331/Bag,15,33/Fuel,71,157/Total,566,1249", 566),
        ("Item,Mass (g)/Frame,400/Battery,1100/Lid,200/Total without battery,600/Total,1700", 1700),
        ("Part,Mass (lb)/Frame,12.0/Mattress,35.0 *est.*/Slides,8.0", 55),
        ("Part,Mass (g)/Servo,990/Legs,552 (92 per leg)/Body,314/Total,1856", 1856),
        ("Item,Qty,Total (g)/M3,40,12/M2,20,4/Nuts,misc,3", 19),
        ("Load,,/Type:,C 172,/Sign:,VH-K,/,Weight (kg),Arm (mm)/Empty Weight,791.9,1057/Pilot,100,939.8", 891.9),
        ("Item,Mass (g)/Servo,19/Servo,19/Frame,100", 138),
        ("Item,Mass (g)/Servo,19/---,---/Frame,100/=====,/Total,119", 119),
        ("Item,Mass (g)/Screw M4 x 10,2/Cable 3 x 2.5 mm,40/PCB 100 x 80,30", 72),
        ("Item,Total mass (g)/Servo x2,38/Frame,100", 138),
        ("Item,Qty,Mass each (g),Row total (g)/Servo,2,19,38/Cables,lot,,55/Horn,4,3,12", 105),
        ("Item,Mass (kg),Previous mass (kg),Change (kg)/A,5,4,1/B,3,3,0/C,2,1,1", 10),
        ("Item,Mass (kg),Gross weight (kg)/A,5.25,5.2/B,3.13,3.1/C,2.2,2.2", 10.58),
        ("Item,Mass (kg)/Frame,12/Motor,6/Battery,9/Total,27/MTOW,30/Margin,3", 27),
        ("Item,Mass (kg)/Frame,12/Motor,6/Total,18/Gross weight,30/Reserve,12", 18),
        (
            "Kind,Parts,Mass/Plate,19,628.7 kg/Angle,10,87.3 kg/Purchased (reference),10,24.2 kg/All parts,39,740.2 kg",
            740.2,
        ),
        ("Kind,Qty,Mass (kg)/Plate,19,628.7/Angle,10,87.3/Tube,10,24.2/All parts,39,740.2", 740.2),
        ("Item,Mass (kg)/Frame,12/Spare motor,6/Battery,9/Total,27", 27),
        ("Part,Qty,Mass (kg),Total (kg)/Frame,1,4,/Hook,2,,5/Rope,1,3,", 12),
        ("Item,Mass (kg)/Box,4/Cell (g),8 g/Lid,26.5", 30.508),
        ("Item,Mass (kg)/Box (kg),4/Cell (lb),8/Total,12", 12),
        ("Item,Mass (kg)/Structure,60/Weld allowance,1.25/Paint,0.85/Motor,20/Total,82.1", 82.1),
        ("Item,Mass (kg)/Structure,60/Weld allowance,1.2/Paint,0.8/Motor,20", 82),
        ("Item,Mass (kg)/Structure,60/Paint allowance,7/Motor,20/Total,80", 80),
        ("Item,Mass (kg)/Structure,60/Motor,20/Total,80/Payload limit,7", 80),
        (
            "Item,Qty,Material,Mass,Name/1,1,- None -,0.3 kg,bracket/2,2,ppa-cf,0.2 kg,clip/3,1,- None -,0.2 kg,base",
            0.9,
        ),
        ("Item,Material,Mass (kg)/Body,- None -,0.3/Clip,ppa-cf,0.2/Base,- None -,0.2", 0.7),
        ("Name,Mass (kg)/Body,/- Lid,0.3/- Clip,0.2/Base,1", 1.5),
        ("Part No,Mass (kg)/10002231,1.5/10002232,2.5/10002233,3.5", 7.5),
        ("Item,Qty,Mass (kg)/1,2,1.5/2,1,2.5/3,1,3.5", 9),
        ("Item,Mass (kg)/10,1.5/20,2.5/30,3.5/,7.5", 7.5),
        *((f"Part,{heading} (kg)/A,23/B,4.2", 27.2) for heading in ESTIMATED),
        ("Part,Predicted mass (kg),Power (W)/A,23,10/B,4.2,5", 27.2),
        ("Item;Weight/Frame;780g/Battery;1,350g/Wires;1,442g/Total;3,572g", 3572),
        ("Item;Mass (kg)/Frame;1,350/Bolt;2/Total;3,350", 3.35),
        ("Item;Qty;Each (g);Total (g)/Frame;3;450;1,350/Bolt;2;5;10", 1360),
        ("Item,Qty,Each (mg),Subtotal (mg)/LDO,1,40,40/Cap,3,2.5,7.5/,4 total,,47.5", 47.5),
        ("Brand,Weight (g),Name/BD,100,BD 1/BD,120,BD 2/DMM,90,DMM 1/DMM,90,DMM 2", 400),
    ],
)
def test_lists_with_one_meaning(rows: str, mass: float, tmp_path: Path) -> None:
    options = {"mass_is": "line"} if "misc" in rows else {}
    assert read(tmp_path, *rows.split("/"), **options) == (pytest.approx(mass), set())


@pytest.mark.parametrize(
    ("rows", "rule"),
    [
        ("Item,Weight per unit (g),Qty,Total (g)/Mount,18,1,18/Screws,3,8,24/,,,40", "MP257"),
        ("No,Component,Mass (g)/1,Frame,190/2,Battery,880/3,Wiring,40/4,,1200", "MP257"),
        ("Part No,Mass (kg)/101,1.53/102,2.51/103,4.04", "MP257"),
        ("Part,Predicted mass (kg),Growth (%)/A,23,10/B,4.2,5", "MP244"),
        ("Item;Mass (g)/Frame;1,350/Bolt;1,442/Total;2,792", "MP205"),
        ("Item,Include,Unit (g)/Pack,TRUE,3070/Chair,FALSE,972/Strap,TRUE,66", "MP253"),
        ("Item,Packed,Weight (g)/Tent,yes,900/Chair,no,800", "MP253"),
        ("Station,Weight (lb)/Empty,2007/Pilot,180//Station,Weight (lb)/Empty,2007/Guest,165", "MP242"),
        ("Part,Mass (g)/Motor,710/Tube,90//Structure part,Mass (g)/Plate,410/Rib,102", "MP242"),
        ("Item,Mass (g)/Servo x2,19/Frame,100", "MP253"),
        ("Item,Mass (g)/4x Bracket,19/Frame,100", "MP253"),
        ("Item,Mass (g)/Servo,included/Frame,100", "MP205"),
        ("Body,Mass (g)/torso,1069/thigh x2,72.9/shin x2,75.6/Total,1366", "MP415"),
        ("Item,Mass (g)/Hull,138/Motors,112/Dry Weight,250/Cell A,95/Cell B,75/AUW (A),345/AUW (B),325", "MP257"),
        ("Component,Qty,Mass g,Airborne Mass g/Motor,4,208,208/Radio,2,12,6/Frame,1,230,230", "MP252"),
        ("Item,Mass (kg)/Structure,60/Motor,20/Payload limit,7", "MP257"),
        ("Item,Qty,Mass (kg)/Hull,1,14/Payload capacity,1,5/Motor,2,4/Battery,1,4.5", "MP257"),
        ("Config,Total mass (g),Delta mass (g)/None,1500,0/Coral,1630,130/RPi,1634,134", "MP252"),
        ("Item,Net weight (kg),Gross weight (kg)/A,5,5.5/B,3,4/C,2,2.2", "MP252"),
        ("Item,Mass (kg),Shipping weight/A,5,5.5/B,3,4/C,2,2.2", "MP252"),
        ("Part,Mass (kg)/Wing,5/Tail,2//Electronics,Power (W),Mass (g)/Motor,100,300/ESC,5,100", "MP242"),
        ("Part,Mass (kg),,Electronics,Mass (g)/Wing,5,,Motor,300/Tail,2,,ESC,100", "MP242"),
        ("Part,Mass (kg)/Wing,5/Tail,2//Avionics,Weight [g],Qty/Motor,300,2/ESC,100,2", "MP242"),
        ("Part,Qty,Mass (kg),Capacity/Frame,1,4,/Hook,2,,500 kg/Rope,1,3,", "MP206"),
        ("Part,Qty,Mass (kg),Rating/Frame,1,4,/Hook,2,,500 kg/Rope,1,3,", "MP206"),
        ("Part,Mass (kg),Note/Frame,4,/Hook,,500 kg/Rope,3,", "MP206"),
        ("Item,Mass (kg)/Box,4/Cell,8/Payload (lbs):,26.5", "MP257"),
        ("Item,Mass (kg)/Box,4/Cell (g),8/Lid,26.5", "MP257"),
        ("Item,Qty,Mass (lb)/Box,2,4/Cell [kg],1,8/Lid,1,26.5", "MP257"),
        ("Component,Qty,Mass g,Flown Mass g/Motor,4,208,208/Radio,2,12,6/A,1,23,23/B,1,9,9/C,1,8,8/D,1,7,7", "MP252"),
    ],
)
def test_lists_that_are_questions(rows: str, rule: str, tmp_path: Path) -> None:
    assert rule in read(tmp_path, *rows.split("/"))[1]


def test_two_tables_of_a_text_with_the_same_heading_are_a_question(tmp_path: Path) -> None:
    rule = "|---|---|"
    first = "| Part | Weight (g) |", rule, "| Motor | 710 |", "| Battery | 11250 |", ""
    rows = *first, "| Structure Part | WEIGHT (g) |", rule, "| Plate | 410 |", "| Tube | 102 |"
    assert read(tmp_path, *rows, name="list.md")[1] == {"MP242"}
    rows = *first, "| Motor | Weight [oz] |", rule, "| A | 410 |"
    assert read(tmp_path, *rows, name="list.md")[1] == {"MP242"}
    other = *first, "| Motor | Power (W) |", rule, "| A | 410 |"
    assert read(tmp_path, *other, name="list.md") == (11960, set())


def test_a_slip_in_one_row_total_is_named(tmp_path: Path) -> None:
    rows = ["Item,Each (g),Qty,Total (g)", "A,10,2,20", "B,5,4,20", "C,19,4,36", "D,7,3,21", "E,8,1,8"]
    path = tmp_path / "list.csv"
    path.write_text("\n".join(rows), encoding="utf-8")
    [slip] = [one for one in mp.rollup(path).findings if one.rule == "MP414"]
    assert ("of C " in slip.message, "76" in slip.message) == (True, True)


def test_repeated_names_are_names(tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text("Item,Mass (g)\nServo,19\nServo,19\nFrame,100\n", encoding="utf-8")
    bom = mp.read_bom(path)
    assert bom.names is not None
    assert list(bom.names)[:3] == ["Servo", "Servo", "Frame"]


def readings(folder: Path, *rows: str) -> tuple[set[str], list[str]]:
    """Return the codes of the questions on a list, and the options that their hints offer."""
    path = folder / "list.csv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    found = [one for one in mp.read_bom(path).findings if one.rule in ("MP252", "MP253")]
    return {one.rule for one in found}, [text for one in found for text in one.remedy.split(" --map ")[1:]]


@pytest.mark.parametrize(
    ("rows", "mass"),
    [
        ("Item,Unit mass (kg),Total mass (kg);A,3,12", 12),
        ("Item,Unit mass (kg),Ext. mass (kg);A,3,12;B,1,1", 13),
        ("Item,Unit mass (kg),Active,Redundant,Total mass (kg);RW,3,3,1,12;STR,1,1,1,2;OBC,2,1,0,2", 16),
        ("Item,Unit mass (kg),Per string,Strings,Total mass (kg);Cell,0.05,24,8,9.6;BMS,0.4,1,8,3.2;F,5,1,1,5", 17.8),
        ("Item,Qty per set,Sets,Mass each (kg),Total (kg);A,8,4,1,32;B,1,4,1.5,6", 38),
        ("Item,Unit mass (kg),Total mass (kg);A,3,12;B,1,2;Total,,14", 14),
        ("Item,Mass (kg),Qty,Total mass (kg);A,2.5,2,5;B,3.5,4,14;C,0.5,AR,2", 21),
        ("Item,Mass (kg),Qty,Total mass (kg);A,2.5,2,5;B,3.5,4,14;C,0.5,,2", 21),
        ("Item,Mass (kg),Qty,Total mass (kg);A,2.5,2,5;B,3.5,4,14;C,0.5,-,2", 21),
        ("Item,Gross (kg),Tare (kg),Net (kg);A,585,5,580;B,402,2,400", 980),
        ("Item,Allocated (kg),Actual (kg),Difference (kg);A,13,12,1;B,9,8.5,0.5", 20.5),
        ("Part,Total required,Mass (kg);Hub,4,5;Box,1,30", 50),
        ("Part,NHA,Qty Per NHA,Mass (kg);Car,,1,;Hub,Car,4,5", 20),
        ("Level,Part,Qty/NHA,Qty/Ship,Mass (kg);0,Car,1,1,;1,Axle,2,2,;2,Hub,2,4,5", 20),
        ("Item,Mass (kg),Mass (lb);A,10,22;B,20,44", 30),
        ("Item,Qty,Qty in stock,Mass (kg);A,2,9,1;B,3,7,1", 5),
        ("Item,Qty,Mass per unit (kg);A,4,2", 8),
        ("Item,Mass (kg),Uncertainty (%),Worst case (kg);A,12,5,12.6;B,8,20,9.6", 20),
    ],
)
def test_columns_that_another_one_explains(rows: str, mass: float, tmp_path: Path) -> None:
    assert read(tmp_path, *rows.split(";")) == (pytest.approx(mass), set())


@pytest.mark.parametrize(
    ("rows", "rule", "offered", "mass"),
    [
        ("Item,kg,g;A,2,500", "MP252", "mass=kg + g", 2.5),
        ("Item,lb,oz;A,2,8;Motor,1,12", "MP252", "mass=lb + oz", 4.25),
        ("Item,Weight lb,Weight oz;A,2,8;B,1,0", "MP252", "mass=Weight lb + Weight oz", 3.5),
        ("Item,Mass (kg),Mass full (kg);Tank,12,112;A,30,30", "MP252", "mass=Mass full (kg)", 142),
        ("Item,Unit mass (kg),Total mass (kg);A,3,12;B,2,5", "MP252", "mass=Unit mass (kg)", 5),
        ("Item,Qty/set,Sets,Mass (kg);A,8,4,1;B,1,4,1", "MP253", "qty=Qty/set * Sets", 36),
        ("Item,Qty/vehicle,Vehicles,Mass (kg);A,2,3,1;B,1,3,2", "MP253", "qty=Qty/vehicle * Vehicles", 12),
        ("Item,Qty per wing,No. of wings,Mass (kg);A,8,2,1;B,1,2,1", "MP253", "qty=Qty per wing * No. of wings", 18),
        ("Item,Per string,Strings,Mass (kg);C,24,8,0.05;B,1,8,0.4;F,1,1,5", "MP253", "qty=Per string * Strings", 17.8),
        ("Assy,Assy Qty,Part,Qty,Mass (kg);Axle,2,Hub,4,5", "MP253", "qty=Qty * Assy Qty", 40),
        ("Item,Qty LH,Qty RH,Mass (kg);A,1,1,12;B,2,3,1", "MP253", "qty=Qty LH + Qty RH", 29),
        ("Item,Pairs,Mass each (kg);A,2,0.5;B,1,1.2", "MP253", "qty=Pairs * 2", 4.4),
        ("Item,Qty,Weight per 100 (kg);A,4,2", "MP252", "mass=Weight per 100 (kg) / 100", 0.08),
        ("Item,Qty,Mass per set of 4 (kg);A,8,2", "MP252", "mass=Mass per set of 4 (kg) / 4", 4),
        ("Item,Qty,Weight (kg) per dozen;A,24,2", "MP252", "mass=Weight (kg) per dozen / 12", 4),
        ("Teil;Stk;Gewicht kg/1000 Stk;A;1200;0.8".replace(";", ",").replace(",A", ";A"), "MP252",
         "mass=Gewicht kg/1000 Stk / 1000", 0.96),
        ("Item,Mass each (kg);A,12;B (4x),2.5", "MP253", "qty=count in Item", 22),
        ("Item,Mass (kg),Qty,Total mass (kg);A,2.5,2,5;B,3.5,4,14;C,0.5,AR,2.2", "MP252", "mass=Total mass (kg)", 21.2),
    ],
)  # fmt: skip
def test_columns_that_nothing_explains_are_questions_with_the_total_of_each(
    rows: str, rule: str, offered: str, mass: float, tmp_path: Path
) -> None:
    rules, maps = readings(tmp_path, *rows.split(";"))
    assert rules == {rule}
    assert any(offered in text.replace("'", "") for text in maps)
    quantity, _, column = offered.partition("=")
    options = {"mass_is": "line"} if column.startswith("Total") else {}
    assert read(tmp_path, *rows.split(";"), map={quantity: column}, **options) == (pytest.approx(mass), set())


@pytest.mark.parametrize(
    "others",
    ["Comment,bought,made", "Bemerkungen,gekauft,selbst", "Bought?,TRUE,FALSE", "Load,3 kN,4 kN", "Price (€),a3,b4"],
)
def test_remarks_prices_truth_values_and_measures_name_no_items(others: str, tmp_path: Path) -> None:
    header, one, two = others.split(",")
    path = tmp_path / "list.csv"
    path.write_text(f"{header},Gear,Weight (kg)\n{one},Box,1\n{two},Arm,2\n", encoding="utf-8")
    names = mp.read_bom(path).names
    assert names is not None
    assert {*names} >= {"Box", "Arm"}


def test_a_list_whose_only_texts_are_remarks_has_no_names(tmp_path: Path) -> None:
    assert read(tmp_path, "Notes,Weight (kg)", "bought,1", "made,2") == (None, {"MP244"})
    assert read(tmp_path, "Notes,Weight (kg)", "bought,1", "made,2", map={"name": "Notes"}) == (3, set())


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ("ID,Name,Mass (kg)/a,Total,10/b,A,4/c,B,6", "Total (the rows below it count twice)"),
        ("ID,Name,Mass (kg)/b,A,4/c,B,6/a,Total,11", "Total (the rows above it count twice)"),
        ("Item,Include,Mass (g)/Pack,TRUE,307/Mat,FALSE,97/Lid,FALSE,9/Strap,TRUE,66", "Include (FALSE)"),
        ("Item,Include,Mass (g)/Pack,TRUE,307/Lid,FALSE,9/Strap,TRUE,66", "Include (FALSE)"),
        ("ID,Name,Mass (kg)/b,A,4/a,empty mass,", "mass of a is missing"),
    ],
)
def test_what_findings_state_is_true(rows: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text(rows.replace("/", "\n"), encoding="utf-8")
    try:
        findings = mp.read_bom(path).findings
    except mp.TableError as error:
        findings = error.findings
    assert any(words in one.message for one in findings)


def test_sizes_name_items_that_nothing_else_names(tmp_path: Path) -> None:
    assert read(tmp_path, "Chain,Weight (g)", "6 mm,420", "8 mm,750") == (1170, set())


def test_an_exact_row_total_has_no_growth(tmp_path: Path) -> None:
    """1.85 · 2 = 3.7 exactly; with a growth of 0.1 % it would be 3.7037, which is 3.7 within rounding."""
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["Component", "Qty", "Mass each", "Contingency", "CBE", "Max expected"])
    sheet.append([None, None, "kg", "%", "kg", "kg"])
    parts = [
        ("Wing half", 2, 1.85, 0.1),
        ("Fuselage", 1, 2.4, 0.1),
        ("Motor", 4, 0.118, 0.05),
        ("Battery", 2, 1.21, 0.03),
    ]
    for name, count, mass, share in parts:
        sheet.append([name, count, mass, share, count * mass, count * mass * (1 + share)])
        sheet.cell(sheet.max_row, 4).number_format = "0%"
    basic = sum(count * mass for _, count, mass, _ in parts)
    grown = sum(count * mass * (1 + share) for _, count, mass, share in parts)
    sheet.append(["Total", None, None, None, basic, grown])
    book.save(tmp_path / "list.xlsx")
    result = mp.rollup(mp.read_bom(tmp_path / "list.xlsx"))
    assert result.predicted is not None
    root = result.bom.tree.order[0]
    assert (result.root.mass, result.predicted.bodies.mass[root]) == pytest.approx((basic, grown), rel=1e-12)
    assert [one.rule for one in result.findings if one.severity is not mp.Severity.NOTE] == []
