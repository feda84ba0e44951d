"""Growth of assemblies, blank growth, rows of margins, rows that do not count: what lists come to, added up by hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import massprops_cli as mp
from massprops_cli.bom.checks.interpretation import margin_masses


def predicted(folder: Path, rows: str, name: str = "list.csv", **options: object) -> tuple[float | None, set[str]]:
    """Return the predicted mass of a list, rows separated by ``/``, and the codes of its errors; None if not known."""
    path = folder / name
    path.write_text("\n".join(rows.split("/")) + "\n", encoding="utf-8")
    try:
        result = mp.rollup(path, **options)
    except (mp.FindingsError, mp.TableError) as error:
        return None, {one.rule for one in error.findings if one.severity.value == "error"}
    errors = {one.rule for one in result.findings if one.severity.value == "error"}
    of_growth, root = result.predicted, result.root_item
    if of_growth is None or not of_growth.coverage.mass_is_whole[root]:
        return None, errors
    return float(of_growth.bodies.mass[root]), errors


@pytest.mark.parametrize(
    ("rows", "mass"),
    [
        ("Level,Item,Mass (kg),Growth %/0,Sat,50,20/1,Bus,30,/1,Cam,20,", 60),
        ("Level,Item,Mass (kg),Growth %/0,Sat,,20/1,Bus,30,-/1,Cam,20,-", 60),
        ("Level,Item,Mass (kg),Growth %/0,Sat,,0/1,Bus,30,/1,Cam,20,", 50),
        ("Level,Item,Mass (kg),Growth %/0,Sat,,12/1,Bus,30,10/1,Cam,20,15", 56),
        ("Level,Item,Mass (kg),Growth %/0,Sat,,/1,Bus,,10/2,Box,30,/1,Cam,,20/2,Lens,20,", 57),
        ("Level,Item,Qty,Mass (kg),Growth %/0,Sat,1,,/1,Bus,2,,10/2,Box,3,5,/1,Cam,1,20,20", 57),
        ("Level,Item,Mass (kg),Growth (kg)/0,Sat,,10/1,Bus,30,/1,Cam,20,", 60),
        ("Level,Item,Mass (kg),Growth %,Predicted (kg)/0,Sat,20,10,22/1,Bus,9,,9.9/1,Cam,11,,12.1", 22),
        ("id,parent,mass [kg],mga [%]/S,,,20/A,S,30,/B,S,20,", 60),
        ("Level,Item,Mass (kg),Growth %/0,Sat,,12.3/1,Bus,30,10.1/1,Cam,20,15.6", 56.15),  # 12.3 within rounding
    ],
)
def test_growth_of_an_assembly_is_that_of_parts_that_state_none(rows: str, mass: float, tmp_path: Path) -> None:
    assert predicted(tmp_path, rows) == (pytest.approx(mass), set())


@pytest.mark.parametrize(
    ("rows", "masses"),
    [
        ("Level,Item,Mass (kg),Growth %/0,Sat,,20/1,Bus,50,0", ("60 kg", "50 kg")),
        ("Level,Item,Mass (kg),Growth %/0,Sat,,10/1,Bus,100,5/1,Cam,50,20", ("165 kg", "165 kg")),
        ("Level,Item,Mass (kg),Growth %/0,Sat,,20/1,Bus,30,10/1,Cam,20,", ("60 kg", "57 kg")),
        ("Level,Item,Mass (kg),Growth %/0,Sat,,12/1,Bus,,10/2,Box,30,/1,Cam,20,20", ("56 kg", "57 kg")),
        ("id,parent,mass [g],mga [%]/S,,,20/A,S,30,10/B,S,20,10", ("60 g", "55 g")),
    ],
)
def test_growth_of_an_assembly_that_differs_stops(rows: str, masses: tuple[str, str], tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text(rows.replace("/", "\n"), encoding="utf-8")
    found = [one for one in mp.read_bom(path).findings if one.rule == "MP627"]
    assert bool(found) == (masses[0] != masses[1])
    assert all(text in found[0].message for text in masses if found)


def test_growth_of_the_parts_is_used_where_that_of_assemblies_is_ignored(tmp_path: Path) -> None:
    rows = "Level,Item,Mass (kg),Growth %/0,Sat,,20/1,Bus,50,0"
    assert predicted(tmp_path, rows, assembly_values="ignore") == (50, set())


@pytest.mark.parametrize(
    ("rows", "mass"),
    [
        ("Item,Mass (kg),Growth (%),Predicted mass (kg)/A,10,5,10.5/B,20,10,22/C,25,,25", 57.5),
        ("Item,Mass (kg),Growth (%),Predicted mass (kg)/A,10,5,10.5/B,20,10,22/C,25,-,27", 59.5),
        ("Item,Mass (kg),Growth (%),Growth (kg)/A,10,5,0.5/B,20,10,2/C,25,,5", 62.5),
        ("Item,Mass (kg),Growth (%),Predicted mass (kg)/A,10,5,10.5/B,20,10,22/C,25,,", None),
        ("Item,Mass (kg),Growth (%),Predicted mass (kg)/A,10,5,10.5/B,20,10,22/C,25,,24", None),
    ],
)
def test_blank_growth_is_that_of_the_predicted_mass(rows: str, mass: float | None, tmp_path: Path) -> None:
    assert predicted(tmp_path, rows) == (None if mass is None else pytest.approx(mass), set())


_SYSTEM_MARGIN = (
    "Item,Mass (kg),Margin (%),Mass with margin (kg)/A,45,10,49.5/B,30,20,36/Total,75,,85.5/"
    "System margin 20%,,,17.1/Total with system margin,,,102.6"
)


@pytest.mark.parametrize(
    ("rows", "is_question"),
    [
        ("Item,Mass (kg)/Bus,50/Cam,20/Margin 20%,14", True),
        ("Item,Mass (kg)/Bus,50/Cam,20/System margin,14", True),
        ("Item,Mass (kg)/Bus,50/Margin,20%", True),
        ("Level,Item,Mass (kg)/0,Sat,/1,Bus,50/,Margin,10", True),
        ("Level,Item,Mass (kg)/0,Sat,/1,Bus,50/,Contingency,10", True),
        ("Item,CBE (kg),MGA (%),MEV (kg)/Bus,100,5,105/Cam,50,20,60/System margin,,,30", True),
        ("Item,CBE (kg),MGA (%),MEV (kg)/Bus,100,5,105/Cam,50,20,60/System margin,,,30/Total,,,195", False),
        ("Item,Mass (kg)/Bus,50/Cam,20/Margin 20%,14/Total,84", False),
        ("Item,Mass (kg)/Bus,50/Cam,20/Total,70/Margin 20%,14", False),
        ("Item,Mass (kg)/Bus,50/Cam,20/Total,70/Limit,84/Margin,14", False),
        ("Level,Item,Mass (kg)/0,Sat,/1,Bus,50/,Margin,10/,Total,60", False),
        (_SYSTEM_MARGIN, False),
        ("Item,Mass (kg)/Bus,50/Reserve parachute,20", False),
    ],
)
def test_a_row_of_margin_is_in_a_total_or_a_question(rows: str, is_question: bool, tmp_path: Path) -> None:
    assert predicted(tmp_path, rows)[1] == ({"MP257"} if is_question else set())


def test_a_row_of_margin_is_named_on_the_screen(tmp_path: Path, massprops: Callable[..., Any]) -> None:
    path = tmp_path / "list.csv"
    path.write_text("Item,Mass (kg)\nBus,50\nCam,20\nMargin 20%,14\nTotal,84\n", encoding="utf-8")
    result = massprops("rollup", path, "-o", tmp_path / "out.csv")
    assert "Margin 20% 14 is not in the mass; with it 84 kg" in result.output


_BUDGET = "Subsystem,CBE (kg),Margin,MEV (kg)\nBus,100,10%,110\nPayload,50,20%,60\nTotal,150,,170\n"


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (
            f"{_BUDGET}System margin (15%),22.5,,25.5\nTotal with margin,172.5,,195.5\n",
            "System margin (15%) 22.5 is not in the mass; with it 172.5 kg; predicted with it 195.5 kg",
        ),
        # only the total that agrees
        (
            f"{_BUDGET}System margin (15%),22.5,,25.5\nTotal with margin,172.5,,199\n",
            "System margin (15%) 22.5 is not in the mass; with it 172.5 kg",
        ),
        # what a limit leaves is no mass
        (f"{_BUDGET}Launch vehicle allocation,,,250\nLaunch margin,,,80 (32%)\n", "Launch margin is not in the mass"),
        (
            "Item,Mass [kg]\nA,1.2\nB,3.4\nMass tot. [kg],4.6\nRequirement,12\nMargin:,0.617\n",
            "Margin: is not in the mass",
        ),
    ],
)
def test_the_mass_with_a_margin_is_that_of_a_stated_total(
    table: str, words: str, tmp_path: Path, massprops: Callable[..., Any]
) -> None:
    path = tmp_path / "list.csv"
    path.write_text(table, encoding="utf-8")
    lines = massprops("rollup", path, "-o", tmp_path / "out.csv").output.splitlines()
    assert [line.split(None, 1)[1].strip() for line in lines if line.startswith("  margin ")] == [words]


@pytest.mark.parametrize(
    ("rows", "rule"),
    [
        ("Item,Status,Mass (kg)/A,,12/B,deleted,1", "MP253"),
        ("Item,Mass (kg),Status/Bus,50,Active/Cam,20,DELETED", "MP253"),
        ("Item,Mass (kg),Remark/Bus,50,/Cam,20,Obsolete", "MP253"),
        ("Level,Item,BOM Structure,Mass (kg)/0,S,Normal,/1,A,Normal,12/1,B,Reference,3", "MP253"),
        ("Item,Del,Mass (kg)/A,,12/B,X,3", "MP253"),
        ("Teil,Status,Masse (kg)/A,,12/B,entfällt,3", "MP253"),
        ("Pièce,État,Masse (kg)/A,,12/B,supprimé,3", "MP253"),
        ("部件,状态,质量 (kg)/A,,12/B,已删除,3", "MP253"),
        ("Item,Mass (kg),Remark/A,12,/B,3,spare - not installed", "MP257"),
        ("Item,Mass (kg)/A,12/Spare seal kit (not fitted),3", "MP257"),
        ("Level,Item,Mass (kg)/0,S,/1,A,12/1,Card A (alt.),3", "MP257"),
        ("Item,Mass (kg)/A,12/B (option 1),8/C (option 2),9", "MP257"),
        ("Item,Mass (kg)/A,12/either B,8/or C,9", "MP257"),
    ],
)
def test_rows_that_may_not_count_are_a_question(rows: str, rule: str, tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text(rows.replace("/", "\n"), encoding="utf-8")
    with pytest.raises((mp.FindingsError, mp.TableError)) as caught:
        mp.rollup(path)
    [found] = [one for one in caught.value.findings if one.severity.value == "error"]
    assert found.rule == rule
    assert found.remedy.count("massprops rollup") > 1


@pytest.mark.parametrize(
    ("rows", "mass"),
    [
        ("Item,Status,Mass (kg)/A,released,12/B,estimated,1", 13),
        ("Item,Status,Mass (kg)/A,spare,12/B,spare,1", 13),
        ("Item,Status,Mass (kg)/A,,12/B,deleted,", None),
        ("Item,Mass (kg)/A,12/Spare wheel,3", 15),
        ("Item,Mass (kg)/A,12/Reference sphere,3/Options board,1", 16),
        ("Item,Mass (kg),Remark/A,12,as installed/B,3,fitted with spare holes", 15),
        ("Item,Option,Mass (kg)/A,leather,12/B,cloth,3", 15),
        ("Item,Mass (kg)/Orbiter,12/Oderbruch (kit),3", 15),
    ],
)
def test_rows_that_count(rows: str, mass: float | None, tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text(rows.replace("/", "\n"), encoding="utf-8")
    found = {one.rule for one in mp.read_bom(path).findings if one.severity.value == "error"}
    assert found == (set() if mass else {"MP206"})
    assert mass is None or mp.rollup(path).root.mass == mass


def test_struck_out_names_of_markdown_are_a_question(tmp_path: Path) -> None:
    path = tmp_path / "list.md"
    path.write_text("| Item | Mass (kg) |\n|---|---|\n| Bus | 50 |\n| ~~Cam~~ | ~~20~~ |\n", encoding="utf-8")
    with pytest.raises((mp.FindingsError, mp.TableError)):
        mp.rollup(path)
    assert mp.rollup(path, skip_rows=("~~Cam~~",)).root.mass == 50
    assert mp.rollup(path, count_rows=("~~Cam~~",)).root.mass == 70


def read_total(folder: Path, rows: str) -> tuple[float | None, str, set[str]]:
    """Return the mass of a list in its own unit, the unit, and the codes of its errors."""
    path = folder / "list.csv"
    path.write_text(rows.replace("/", "\n"), encoding="utf-8")
    try:
        bom = mp.read_bom(path)
    except mp.TableError as error:
        return None, "", {one.rule for one in error.findings if one.severity.value == "error"}
    errors = {one.rule for one in bom.findings if one.severity.value == "error"}
    return None if errors else float(mp.rollup(path).root.mass or 0), bom.units.mass, errors


@pytest.mark.parametrize(
    ("rows", "mass", "unit"),
    [
        ("Item,Peso (gr)/A,1200/B,1220", 2420, "g"),
        ("Pièce,Poids (gr)/A,1200/B,1220", 2420, "g"),
        ("All masses in grams,,/Item,Qty,Mass/Frame,1,1200/B,1,30", 1230, "grams"),
        ("Weights in lb,,/Item,Qty,Weight/Frame,1,12/B,1,3", 15, "lb"),
        ("Massen in g;;/Teil;Anzahl;Masse/A;1;1200/B;1;30", 1230, "g"),
        ("Masses in the order of the tree,,/Item,Qty,Mass/Frame,1,1200/B,1,30", 1230, ""),
        ("All masses in grams,,/Item,Qty,Mass (kg)/Frame,1,12/B,1,3", 15, "kg"),
        ("Item,Mass (g)/A,245/B,154/Total (kg),0.399", 399, "g"),
        ("Item,Mass (g)/A,245/B,154/Total (g),399", 399, "g"),
        ("Item,Kgs./A,12/B,3", 15, "Kgs."),
    ],
)
def test_units_that_are_stated(rows: str, mass: float, unit: str, tmp_path: Path) -> None:
    assert read_total(tmp_path, rows) == (mass, unit, set())


@pytest.mark.parametrize(
    ("rows", "rule"),
    [
        ("Item,Weight (gr)/A,1200/B,1220", "MP207"),
        ("Item,Weight/A,1.2 kg/B,15 gr", "MP205"),
        ("Item,Weight (#)/A,12", "MP207"),
        ("Item,Mass (10^3 kg)/A,12", "MP207"),
        ("Item,Weight (x1000 lb)/A,12", "MP207"),
        ("Item,Mass (g)/A,245/B,154/Total (kg),0.499", "MP415"),
    ],
)
def test_units_that_are_not_clear_are_never_replaced(rows: str, rule: str, tmp_path: Path) -> None:
    assert rule in read_total(tmp_path, rows)[2]
    found = [one for one in mp.read_bom(tmp_path / "list.csv").findings if one.rule == rule]
    assert not any("--unit mass=kg" in (one.remedy or "") for one in found if rule == "MP207")


@pytest.mark.parametrize(
    ("rows", "is_question"),
    [
        ("Teil;Menge;Gewicht (g)/A;1.000;2", True),
        ("Teil;Masse je Stk [g];Anzahl/A;1.250;2/B;85;5", True),
        ("Item;Mass (g)/A;1.250/B;85", True),
        ("Item,Mass (g)/A,1.250/B,85", False),
        ("Teil;Masse (kg)/A;0.250/B;1.250", False),
        ("Teil;Masse (kg)/A;1.25/B;1.250", False),
        ("Teil;Masse (kg)/A;1,25/B;12,5", False),
        ("Teil;Masse (kg)/A;125/B;12", False),
    ],
)
def test_points_before_three_digits_of_german_lists(rows: str, is_question: bool, tmp_path: Path) -> None:
    assert read_total(tmp_path, rows)[2] == ({"MP205"} if is_question else set())


def test_row_of_margin_with_the_mass_in_it_is_not_added_to_the_mass(tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text("Part,Mass [kg]\nHull,600\nDeck,300\nSubtotal,900\n× 1.12 margin,1008\n")
    bom = mp.read_bom(path)
    ((row, mass, included),) = margin_masses(bom)
    assert (row.label, mass, included) == ("× 1.12 margin", pytest.approx(108), False)  # 900 × 0.12


def _masses(folder: Path, rows: str) -> tuple[float, float, set[str]]:
    """Return basic and predicted mass of a list, rows separated by ``/``, and the verdicts on its totals."""
    path = folder / "list.csv"
    path.write_text("\n".join(rows.split("/")) + "\n", encoding="utf-8")
    result = mp.rollup(path)
    assert result.predicted is not None
    return result.root.mass, float(result.predicted.bodies.mass[result.root_item]), {t.verdict for t in result.totals}


_FRACTION = "Part,Qty,Mass (g),Margin,Total Mass/pin,1,5,0.1,5.5/switch,4,5,0.1,22/board,1,100,0.2,120"


@pytest.mark.parametrize(
    ("rows", "masses"),
    [
        # 1 × 5 × 1.1 + 4 × 5 × 1.1 + 1 × 100 × 1.2
        (f"{_FRACTION}/Total,,,,147.5", (125, 147.5)),
        (
            "Part,Mass (g),Margin,Total Mass/pin,5,0.1,5.5/switch,20,0.1,22/board,100,0.2,120/Total,,,147.5",
            (125, 147.5),
        ),
        # the same in percent
        (_FRACTION.replace("0.1,", "10,").replace("0.2,", "20,") + "/Total,,,,147.5", (125, 147.5)),
        (_FRACTION.replace("0.1,", "10%,").replace("0.2,", "20%,") + "/Total,,,,147.5", (125, 147.5)),
        # a part of 2 × 2 × 1.25 = 5 whose basic mass is blank
        (f"{_FRACTION}/wire,2,,0.25,5/Total,,,,152.5", (129, 152.5)),
    ],
)
def test_margin_is_a_fraction_where_every_row_shows_it(rows: str, masses: tuple[float, float], tmp_path: Path) -> None:
    assert _masses(tmp_path, rows) == (*map(pytest.approx, masses), {"agrees"})


def test_margin_that_no_row_total_shows_is_a_question(tmp_path: Path) -> None:
    assert predicted(tmp_path, _FRACTION.replace("120", "130"))[1] == {"MP281"}


_WET = "Item,CBE (kg),Margin (%),MEV (kg)/Bus,100,10,110/Payload,50,20,60"


@pytest.mark.parametrize(
    ("rows", "masses"),
    [
        # 178 + a margin of 34
        (f"{_WET}/Dry total,150,,170/System margin,,,34/Propellant,,,8/Wet total,,,212", (158, 178)),
        (f"{_WET}/Tank,,10,11", (160, 181)),  # 11 / 1.1
        (f"{_WET}/Tank,,,8/Total,150,,178", (158, 178)),  # the total of basic masses has none of it
        (f"{_WET}/Tank,,,8/Total,158,,178", (158, 178)),
        ("Item,CBE (kg),MEV (kg)/A,10,11/B,20,24/C,,8", (38, 43)),
        ("Item,CBE (kg),Growth (kg),MEV (kg)/A,10,1,11/B,20,2,22/C,,,8", (38, 41)),
        ("Item,Qty,CBE each (kg),Margin (%),MEV (kg)/Bus,1,100,10,110/Cam,2,50,20,120/Tank,2,,,8", (208, 238)),
        ("Item,Qty,CBE each (kg),Margin (%),MEV each (kg)/Bus,1,100,10,110/Cam,2,50,20,60/Tank,2,,,8", (216, 246)),
        ("Level,Item,Mass (kg),Growth %,MEV (kg)/0,Sat,,,178/1,Bus,100,10,110/1,Cam,50,20,60/1,Tank,,,8", (158, 178)),
    ],
)
def test_predicted_mass_alone_is_basic_mass(rows: str, masses: tuple[float, float], tmp_path: Path) -> None:
    basic, grown, verdicts = _masses(tmp_path, rows)
    assert (basic, grown) == tuple(map(pytest.approx, masses))
    assert verdicts <= {"agrees"}


@pytest.mark.parametrize(
    ("rows", "rule"),
    [
        ("Item,CBE (kg),Allocation (kg)/A,10,12/B,20,24/C,,8", "MP206"),
        ("Item,CBE (kg),Limit (kg)/A,10,12/B,20,24/C,,8", "MP206"),
        ("Item,CBE (kg),Growth (kg),MEV (kg)/A,10,1,11/B,20,2,22/C,,2,8", "MP206"),
        (f"{_WET}/Tank,,,0", "MP206"),  # a spreadsheet computes 0 from a blank mass
        (f"{_WET}/Total,150,,170/Ariane 6,,,250", "MP257"),
    ],
)
def test_mass_next_to_a_blank_one_that_may_be_no_predicted_mass_stops(rows: str, rule: str, tmp_path: Path) -> None:
    assert rule in predicted(tmp_path, rows)[1]


def test_basic_mass_from_a_predicted_one_is_a_note(tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text(f"{_WET}/Tank,,,8\n".replace("/", "\n"), encoding="utf-8")
    (note,) = [one for one in mp.read_bom(path).findings if one.rule == "MP280" and "1 + growth" in one.message]
    assert (note.message, note.place.line) == ("blank CBE (kg) computed as MEV (kg) / (1 + growth): Tank", 4)


_DRY = "Item,Mass (kg)/Structure,500/Payload,300"


@pytest.mark.parametrize(
    ("rows", "mass"),
    [
        (f"{_DRY}/Margin,200/Dry Mass,1000/Propellant,3000/Wet Mass,4000", None),  # 3800 or 4000
        (f"{_DRY}/Dry Mass,800/Margin,200/Dry Mass with margin,1000/Propellant,3000/Wet Mass,4000", 3800),
        (f"{_DRY}/Margin 25%,200/Dry Mass,1000/Propellant,3000/Wet Mass,4000", 3800),  # 25 % of 800
        (f"{_DRY}/Margin,200/Dry Mass,1000", None),
    ],
)
def test_margins_among_parts_and_their_totals(rows: str, mass: float | None, tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text(rows.replace("/", "\n"), encoding="utf-8")
    if mass is None:
        assert predicted(tmp_path, rows)[1] == {"MP257"}
    else:
        result = mp.rollup(path)
        assert result.root.mass == mass
        assert {one.verdict for one in result.totals} == {"agrees"}


_GROUPS = "Item,Mass (kg)/Structure,2.32/Wing,0.80/Fuselage,1.52/Energy,3.50/Battery pack,3.50"


@pytest.mark.parametrize(
    ("rows", "mass"),
    [
        (f"{_GROUPS}/Subtotal,5.82/Design margin,1.00/Total,6.82", 5.82),  # 0.80 + 1.52 + 3.50
        (f"{_GROUPS}/Total,5.82", 5.82),
        (f"{_GROUPS}/Total,11.64", 11.64),  # every row is a part
        ("Item,Mass (kg)/A,5/B,5/C,6/D,3/E,3/Total,22", 22),
        ("Item,Mass (kg)/A,5/B,5/C,6/D,3/E,3", 22),  # equal rows and 3 + 3 may be chance
        ("Item,Mass (kg)/A,5/B,5/C,3/D,3", 16),
    ],
)
def test_sum_above_one_row_is_one_where_the_total_shows_it(rows: str, mass: float, tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text(rows.replace("/", "\n"), encoding="utf-8")
    result = mp.rollup(path)
    assert result.root.mass == pytest.approx(mass)
    assert {one.verdict for one in result.totals} <= {"agrees"}
    assert not [one for one in result.findings if one.severity.value != "note"]


@pytest.mark.parametrize(
    "rows",
    [_GROUPS, "Item,Mass (kg)/G1,17.1/a,6/b,4/c,7.1/G2,8/d,8", "Item,Mass (kg)/A,5.21/a,2.11/b,3.10/C,3.3/c,3.3"],
)
def test_groups_with_one_of_a_single_part_and_no_total_are_a_question(rows: str, tmp_path: Path) -> None:
    """A row with the digits of the sum of those below it is no part without a question."""
    assert predicted(tmp_path, rows)[1] == {"MP257"}


def test_growth_as_a_fraction_is_exact_or_in_two_rows(tmp_path: Path) -> None:
    """4 × 5 g × 1.1 is 22 g; 23 g is within the rounding of 5 g, and one such row may be chance."""
    rows = "PART,QUANTITY,MASS (g),Margin,Total Mass/pin,1,5,0.1,5/board,1,100,0.2,120/switch,4,5,0.1,"
    assert predicted(tmp_path, f"{rows}22")[0] == pytest.approx(147.5)
    assert "MP281" in predicted(tmp_path, f"{rows}23")[1]
