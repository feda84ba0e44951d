"""Forms of lists found in public tables: what each comes to, added up by hand, or that it is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

import massprops_cli as mp

SUMS = ["Summe", "Sum", "Итого", "Razem", "Totalt", "AUW", "Takeoff", "Total"]


def read(folder: Path, *rows: str, name: str = "list.csv", **options: object) -> tuple[float | None, set[str]]:
    """Return the mass of a list in its own unit and the codes of its errors; None where it is not written."""
    path = folder / name
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    try:
        result = mp.rollup(path, **options)  # type: ignore[arg-type]
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
    ],
)
def test_lists_with_one_meaning(rows: str, mass: float, tmp_path: Path) -> None:
    options = {"mass_is": "line"} if "misc" in rows else {}
    assert read(tmp_path, *rows.split("/"), **options) == (pytest.approx(mass), set())


@pytest.mark.parametrize(
    ("rows", "rule"),
    [
        ("Item,Weight per unit (g),Qty,Total (g)/Mount,18,1,18/Screws,3,8,24/,,,40", "MP257"),
        ("Item,Include,Unit (g)/Pack,TRUE,3070/Chair,FALSE,972/Strap,TRUE,66", "MP253"),
        ("Item,Packed,Weight (g)/Tent,yes,900/Chair,no,800", "MP253"),
        ("Station,Weight (lb)/Empty,2007/Pilot,180//Station,Weight (lb)/Empty,2007/Guest,165", "MP242"),
        ("Part,Mass (g)/Motor,710/Tube,90//Structure part,Mass (g)/Plate,410/Rib,102", "MP242"),
        ("Body,Mass (g)/torso,1069/thigh x2,72.9/shin x2,75.6/Total,1366", "MP415"),
        ("Item,Mass (g)/Hull,138/Motors,112/Dry Weight,250/Cell A,95/Cell B,75/AUW (A),345/AUW (B),325", "MP257"),
        ("Component,Qty,Mass g,Airborne Mass g/Motor,4,208,208/Radio,2,12,6/Frame,1,230,230", "MP252"),
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
    other = *first, "| Motor | Power (W) |", rule, "| A | 410 |"
    assert read(tmp_path, *other, name="list.md") == (11960, set())


def test_pieces_in_names_are_in_the_remedy_of_a_total_that_agrees_with_them(tmp_path: Path) -> None:
    """1069 + 2 × 72.9 + 2 × 75.6 = 1366."""
    path = tmp_path / "list.csv"
    path.write_text("Body,Mass (g)\ntorso,1069\nthigh x2,72.9\nshin x2,75.6\nTotal,1366\n", encoding="utf-8")
    [found] = [one for one in mp.rollup(path).findings if one.rule == "MP415"]
    assert "1366" in found.remedy


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
