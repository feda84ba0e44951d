"""Masses that words state to be elsewhere or of several pieces: in another row, of a pair, of all pieces of a row."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import massprops as mp
from massprops_cli.findings.finding import Severity

BODY = "Part,Mass (kg)\nBody,10\nBattery,2\nOutput side (in body),0.25\n"
NAMED = [
    "Motor included in frame", "Motor (incl. above)", "Motor (im Rahmen)", "Motor, enthalten in Rahmen",
    "Motor (dans Rahmen)",
]  # fmt: skip


def question(path: Path, text: str) -> Any:
    path.write_text(text, encoding="utf-8")
    with pytest.raises((mp.FindingsError, mp.TableError)) as rejected:
        mp.rollup(path)
    return next(one for one in rejected.value.findings if one.severity is Severity.ERROR)


@pytest.mark.parametrize("name", NAMED)
def test_a_part_that_is_in_another_row_is_a_question_with_both_readings(tmp_path: Path, name: str) -> None:
    path = tmp_path / "list.csv"
    finding = question(path, f'Teil,Masse (kg)\nRahmen,10\nAkku,2\n"{name}",1.5\n')
    assert (finding.rule, finding.value) == ("MP257", name)
    skipped, counted = (mp.rollup(path, **{rows: [name]}).root.mass for rows in ("skip_rows", "count_rows"))
    assert (skipped, counted) == (10 + 2, 10 + 2 + 1.5)


@pytest.mark.parametrize(("total", "mass"), [("12", 12), ("12.25", 12.25)])
def test_a_total_decides_whether_it_counts(tmp_path: Path, total: str, mass: float) -> None:
    path = tmp_path / "list.csv"
    path.write_text(f"{BODY}Total,{total}\n")
    assert mp.rollup(path).root.mass == mass


@pytest.mark.parametrize("name", ["Servo (in wing)", "Bracket (in steel)", "Kit including screws"])
def test_a_place_that_no_row_has_is_no_other_row(tmp_path: Path, name: str) -> None:
    path = tmp_path / "list.csv"
    path.write_text(f"Part,Mass (kg)\nBody,10\n{name},0.25\n")
    assert mp.rollup(path).root.mass == 10.25


def test_all_rows_that_name_another_one_are_in_the_question(tmp_path: Path) -> None:
    rows = "".join(f"Side {k} (in body),0.25\n" for k in range(20))
    finding = question(tmp_path / "list.csv", f"Part,Mass (kg)\nBody,10\n{rows}")
    assert (finding.rule, finding.count) == ("MP257", 20)


@pytest.mark.parametrize(("pieces", "cell", "mass"), [
    ("", "40 (par)", 40), ("1", "40 (pair)", 40), ("2", "40 (Paar)", 40), ("3", "25 (total)", 25), ("2", "20", 40),
])  # fmt: skip
def test_a_mass_of_a_pair_or_of_all_pieces(tmp_path: Path, pieces: str, cell: str, mass: float) -> None:
    path = tmp_path / "list.csv"
    path.write_text(f"Part,Qty,Mass (g)\nMotor,{pieces},{cell}\nFrame,1,60\n")
    assert mp.rollup(path).root.mass == 60 + mass


def test_a_pair_in_a_row_of_four_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text("Part,Qty,Mass (g)\nMotor,4,40 (pair)\nFrame,1,60\n")
    assert "MP237" in {one.rule for one in mp.read_bom(path).findings}


def test_a_heading_that_is_a_unit_next_to_a_blank_one(tmp_path: Path) -> None:
    path = tmp_path / "list.md"
    path.write_text("| | g |\n|---|---|\n| Frame | ~158.4 |\n| Chassis | 295 |\n| **Subtotal** | **453.4** |\n")
    assert mp.rollup(path).root.mass == pytest.approx(158.4 + 295)


def test_a_margin_in_a_total_whose_percentage_does_not_fit(tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text("Part,Mass (kg)\nWing,700\nHub,200\nMargin (15%),58\nTotal,958\n")
    assert mp.rollup(path).root.mass == 900


def test_a_total_in_front_of_a_second_text_is_one_by_its_number(tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text(
        "Scope,Components,Mass (kg)\nBox,Cells,3.2\nDrive,Motors,3.6\nTotal drive system,All of these,6.8\n"
    )
    assert mp.rollup(path).root.mass == pytest.approx(3.2 + 3.6)


def test_a_total_that_no_sum_gives_is_a_question_with_the_sum(tmp_path: Path) -> None:
    text = "Part,Qty,Mass (g),Note\nRib,2,10.5,x\nSpar,1,30,x\nTOTAL WING,,47,all\n"
    finding = question(tmp_path / "list.csv", text)
    assert finding.message == "row is ambiguous: TOTAL WING (a part of 47 or a total, and the other rows are 51)"


@pytest.mark.parametrize("heading", ["Quantidade (g)", "Menge (kg)", "Quantity [kg]"])
def test_an_amount_with_a_unit_of_mass_is_the_mass(tmp_path: Path, heading: str) -> None:
    path = tmp_path / "list.csv"
    path.write_text(f"Ingredient,{heading}\nMilk,500\nCream,175\nSugar,85\nVanilla,10\n")
    assert mp.rollup(path).root.mass == 770


def test_columns_alike_of_which_one_has_a_unit_are_a_question(tmp_path: Path) -> None:
    text = "Group,Low,Nominal,High\nFin can,0.96,1.08,1.20 kg\nTubes,0.68,0.80,0.86 kg\nNose,0.50,0.59,0.67 kg\n"
    finding = question(tmp_path / "list.csv", text)
    assert (finding.rule, finding.value) == ("MP252", "High")
    assert all(f"--map mass={name}" in finding.remedy for name in ("Low", "Nominal", "High"))


def test_the_name_of_a_product_counts_no_pieces(tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text("Part,Mass (g)\nPixhawk 6X + board,58\nGPS,40\nRadio,23.5\n")
    assert mp.rollup(path).root.mass == 121.5


def test_a_mass_of_a_metre_next_to_the_mass_of_the_row(tmp_path: Path) -> None:
    path = tmp_path / "list.md"
    path.write_text(
        "| Group | Total Length | Unit Weight | Total Weight |\n|---|---|---|---|\n"
        "| Top Chord | 21.36 m | 4.91 kg/m | 104.9 kg |\n"
        "| Bottom Chord | 21.00 m | 4.91 kg/m | 103.1 kg |\n| **Total per Frame** | | | **208.0 kg** |\n"
    )
    assert mp.rollup(path).root.mass == pytest.approx(208)


def test_a_mass_of_a_metre_without_a_length_and_a_mass_of_the_row_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text("Part,Qty,Mass\nChord,2,4.91 kg/m\nPlate,1,3 kg\n")
    assert "MP237" in {one.rule for one in mp.read_bom(path).findings}


@pytest.mark.parametrize(("heading", "is_open"), [("Category", True), ("Part", False)])
def test_number_next_to_a_category_counts_its_parts(
    heading: str, is_open: bool, massprops: Any, tmp_path: Path
) -> None:
    path = tmp_path / "list.csv"
    path.write_text(f"{heading},Qty,Mass (kg)\nactuators,25,13.5\nshells,22,8.75\n")
    output = massprops("rollup", path).output
    assert ("total 22.25 kg: " in output) is is_open
    assert ("total 530 kg: " in output) is is_open
    path.write_text(f"{heading},Qty,Mass (kg)\nactuators,25,13.5\nshells,22,8.75\nTotal,47,22.25\n")
    assert "mass   22.25" in massprops("rollup", path).output
