"""Columns that compete with the masses: multiples, units in cells, totals elsewhere, running sums, other quantities."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import massprops_cli as mp
from massprops_cli.tables.cells.number_text import split_cell_text
from massprops_cli.tables.equations import Amounts, are_multiples
from tests.unit.test_cells_people_write import mass, report

Run = Callable[..., Any]


def rolled(massprops: Run, tmp_path: Path, text: str, *options: str) -> tuple[int, float]:
    """Return the exit code and the mass of the root."""
    name = "list.md" if text.startswith("|") else "list.csv"
    found = report(massprops, tmp_path, text, *options, name=name)
    return found["exit"], mass(found)


def offered(massprops: Run, tmp_path: Path, text: str) -> list[str]:
    """Return the columns that the question about the mass offers; none without a question."""
    found = report(massprops, tmp_path, text, name="list.md" if text.startswith("|") else "list.csv")
    hints = [one["remedy"] for one in found["findings"] if one["rule"] == "MP252"]
    return [name.strip("'") for hint in hints for name in re.findall(r"--map mass=('[^']*'|[^\s,]+)", hint)]


STATED_ELSEWHERE = {
    "units in the cells": ("Part,Weight,Total\nBelt,25 g,100 g\nPulley,85 g,340 g\nTotal,,440 g\n", 0.440),
    "no units": ("Part,Weight,Total\nBelt,25,100\nPulley,85,340\nTotal,,440\n", 440),
    "German": ("Teil;Gewicht;Gesamt\nMotor (4x);65 g;260 g\nRumpf;232 g;232 g\nSumme;;492 g\n", 0.492),
    "French, commas": ("Pièce;Masse;Total\nA;0,25 kg;1,00 kg\nB;0,85 kg;3,40 kg\nTotal;;4,40 kg\n", 4.4),
    "no word": ("Part,Weight,Set of four\nBelt,25 g,100 g\nPulley,85 g,340 g\nTotal,,440 g\n", 0.440),
    "other numbers": ("Part,Weight,All\nBelt,25 g,100 g\nPulley,85 g,170 g\nBox,300 g,300 g\nTotal,,570 g\n", 0.570),
    "other order": ("Total,Part,Weight\n100 g,Belt,25 g\n340 g,Pulley,85 g\n440 g,Total,\n", 0.440),
    "Markdown": (
        "| P | Peso | Total |\n|---|---|---|\n| A | 25 g | 100 g |\n| B | 85 g | 340 g |\n| Total | | 440 g |\n",
        0.44,
    ),
    "of the masses": ("Part,Weight,All\nBelt,25 g,100 g\nPulley,85 g,340 g\nTotal,110 g,\n", 0.110),
}


@pytest.mark.parametrize(("text", "expected"), STATED_ELSEWHERE.values(), ids=STATED_ELSEWHERE)
def test_the_only_stated_total_decides_between_masses_and_their_multiples(
    massprops: Run, tmp_path: Path, text: str, expected: float
) -> None:
    exit_code, found = rolled(massprops, tmp_path, text, *(("--units", "kg") if " g" in text else ()))
    assert exit_code == 0
    assert found == pytest.approx(expected)


OPEN = {
    "units in the cells": "Part,Mass,Fitted twice\nBelt,25 g,50 g\nPulley,85 g,170 g\n",
    "no units": "Part,Mass,Fitted twice\nBelt,25,50\nPulley,85,170\n",
    "German": "Teil;Masse;für beide\nRiemen;25,5 g;51,0 g\nRolle;85,2 g;170,4 g\n",
    "two totals": "Part,Weight,Set\nBelt,25 g,100 g\nPulley,85 g,340 g\nTotal,110 g,440 g\n",
    "no multiples": "Part,Mass,Measured\nBelt,25 g,26 g\nPulley,85 g,87 g\n",
}


@pytest.mark.parametrize("text", OPEN.values(), ids=OPEN)
def test_multiples_of_the_masses_without_a_deciding_total_are_a_question(
    massprops: Run, tmp_path: Path, text: str
) -> None:
    _, *columns = re.split("[,;]", text.split("\n", 1)[0])
    assert offered(massprops, tmp_path, text) == columns


EXPLAINED = {
    "moment": ("Part,Mass (g),Arm (mm),Moment\nBelt,25,50,1250\nPulley,85,10,850\n", 110),
    "price": ("Part,Mass (g),Price\nBelt,25,50\nPulley,85,170\n", 110),
    "milligrams": ("Part,Mass (g),Milligrams\nBelt,25,25000\nPulley,85,85000\n", 110),
    "limit": ("Part,Mass (g),Limit\nBelt,25,50\nPulley,85,170\n", 110),
    "running sum": ("Part;Masse (kg);kumuliert (kg)\nA;4,35;4,35\nB;36,35;40,70\nC;32,72;73,42\n", 73.42),
    "running sum of rows": ("Pieza,Cant,Peso (g),Acumulado (g)\nA,2,12,24\nB,1,30,54\nC,4,17,122\n", 122),
    "running sum, units in cells": ("Part,Mass,So far\nA,12 g,12 g\nB,30 g,42 g\nC,17 g,59 g\n", 59),
    "margin to a limit": ("Item,Weight (lb),Cumulative (lb),Margin to 176\nA,17,17,159\nB,8,25,151\n", 25),
    "density": (
        "Pièce;Volume (cm³);Masse volumique (g/cm³);Masse (g)\nA;845;1,24;1047,80\nB;266;7,85;2088,10\n",
        3135.9,
    ),
    "hours": ("Part,Mass (t),Installation time hrs\nBedplate,80,2\nHub,35,1\nBlade,17,1\nTower,65,1\n", 197),
    "hours in German": ("Teil,Masse (t),Dauer Montage\nA,80,2\nB,35,1\nC,17,1\nD,65,1\n", 197),
}


@pytest.mark.parametrize(("text", "expected"), EXPLAINED.values(), ids=EXPLAINED)
def test_what_explains_another_column_needs_no_question(
    massprops: Run, tmp_path: Path, text: str, expected: float
) -> None:
    assert rolled(massprops, tmp_path, text) == (0, pytest.approx(expected))


ZEROS = {
    "no units": "Model,Mass (g),TRL,Max Torque,Max Speed\nA,850,8,0,0\nB,975,8,0,0\nD,907,8,0.000625,0\n",
    "foreign units": "Model,Mass (g),TRL,Max Torque (Nm),Max Speed (RPM)\nA,850,8,0,0\nB,1882,8,0.000635,0\n",
    "other order": "Model,Max Speed,Max Torque,TRL,Mass (g)\nA,0,0,8,850\nB,0,0,8,110\nC,0,0.000635,8,1772\n",
    "German": "Modell;Masse (g);TRL;max. Moment;max. Drehzahl\nA;850;8;0;0\nB;110;8;0;0\nC;1772;8;0,000635;0\n",
}


@pytest.mark.parametrize("text", ZEROS.values(), ids=ZEROS)
def test_equations_of_zeros_do_not_displace_the_mass(massprops: Run, tmp_path: Path, text: str) -> None:
    assert rolled(massprops, tmp_path, text) == (0, 2732)


def test_an_equation_of_other_columns_does_not_displace_the_mass(massprops: Run, tmp_path: Path) -> None:
    """It shows that TRL counts something, so that is asked."""
    text = "Part,Mass (g),TRL,Max load,Total load\nA,850,2,3.5,7.0\nB,1882,4,2.5,10.0\n"
    found = report(massprops, tmp_path, text)
    assert mass(found) == 2732 or "MP253" in [one["rule"] for one in found["findings"]]
    assert rolled(massprops, tmp_path, text, "--ignore-column", "TRL") == (0, 2732)


def test_multiples_by_chance() -> None:
    """Masses of one digit divide many numbers; those of two or three digits do not."""

    def amounts(*values: float) -> Amounts:
        return Amounts(np.array(values), np.full(len(values), 0.5))

    assert are_multiples(amounts(100, 340), amounts(25, 85))
    assert not are_multiples(amounts(4, 16), amounts(2, 8))
    assert not are_multiples(amounts(25, 85), amounts(25, 85))
    assert not are_multiples(amounts(25_000, 85_000), amounts(25, 85))


COUNTED_ELSEWHERE = (
    'File,Quantity/Robot,Filament/robot (g),Quantity (Total),"Filament (g, Total)"\n'
    "A,2,21.56,8,86.24\nB,4,24.6,16,98.4\nC,12,351.36,48,1405.44\nTotal:,,397.52,,1590.08\n"
)


def test_two_counts_of_masses_that_are_of_the_rows(massprops: Run, tmp_path: Path) -> None:
    assert rolled(massprops, tmp_path, COUNTED_ELSEWHERE) == (0, pytest.approx(21.56 + 24.6 + 351.36))


CELLS = {
    "10 lb 15 oz": (10 * 16 + 15, "oz"),
    "10lb, 15.5 oz": (10 * 16 + 15.5, "oz"),
    "~10 lb 15 oz (4.96 kg)": (10 * 16 + 15, "oz"),
    "5 ft 3 in": (5 * 12 + 3, "in"),
    "5'3\"": (5 * 12 + 3, '"'),
    "2 m 30 cm": (230, "cm"),
    "1 kg 200 g": (1200, "g"),
    "0.195 *(est.)*": (0.195, ""),
    "**0.195** _(est.)_": (0.195, ""),
    "552 (92 a zampa)": (552, ""),
    "552 g (92 par jambe)": (552, "g"),
}


@pytest.mark.parametrize(("text", "expected"), CELLS.items(), ids=CELLS)
def test_cells_in_two_units_and_with_marks_around_remarks(text: str, expected: tuple[float, str]) -> None:
    cell = split_cell_text(text)
    assert (float(cell.number), cell.unit) == expected


@pytest.mark.parametrize("text", ["3 lb 20 oz", "12 m 3 s", "15 oz 10 lb", "2*3*4", "1.5 lb 3 oz"])
def test_cells_that_are_no_sum_of_two_units(text: str) -> None:
    cell = split_cell_text(text)
    assert not cell.number or " " in cell.unit


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2270 g (2.27 kg)", 2270),
        ("2270 g (2,27 kg)", 2270),
        ("2 270 g (~2,27 kg)", 2270),
        ("2,270 g (2.27 kg)", 2270),
        ("2.270 g (2,27 kg)", 2270),
        ("2,270 kg (2270 g)", 2270),
        ("4.96 kg (10 lb 15 oz)", 4960),
    ],
)
def test_the_number_in_brackets_decides_the_decimal_mark(
    massprops: Run, tmp_path: Path, text: str, expected: float
) -> None:
    table = f"| C | Mass |\n|---|---|\n| A | {text} |\n| B | 850 g |\n"
    assert rolled(massprops, tmp_path, table, "--units", "g") == (0, pytest.approx(expected + 850))


@pytest.mark.parametrize("text", ["552 (550 measured)", "450 (2 pcs)", "2270 g (2,72 kg)", "2,270 g (3 kg)"])
def test_numbers_in_brackets_that_contradict(massprops: Run, tmp_path: Path, text: str) -> None:
    found = report(massprops, tmp_path, f"| C | Mass |\n|---|---|\n| A | {text} |\n| B | 850 g |\n", name="list.md")
    assert "MP205" in [one["rule"] for one in found["findings"]]
    assert found["exit"] == 1


@pytest.mark.parametrize(("unit", "grams"), [("g", 270.7), ("grain", 270.7 * 0.06479891)])
def test_gr_is_read_as_the_unit_that_is_stated(massprops: Run, tmp_path: Path, unit: str, grams: float) -> None:
    table = "Part,Qty,Weight\nMotor,4,65 gr\nFC,1,10.7 gr\n"
    found = report(massprops, tmp_path, table)
    assert any(f"--unit mass={unit}" in one.get("remedy", "") for one in found["findings"])
    found = report(massprops, tmp_path, table, "--unit", f"mass={unit}")
    assert found["exit"] == 0
    assert mass(found) == pytest.approx(270.7)
    assert rolled(massprops, tmp_path, table, "--unit", f"mass={unit}", "--units", "g")[1] == pytest.approx(grams)


def test_a_markdown_row_with_fewer_cells_is_reported(massprops: Run, tmp_path: Path) -> None:
    table = (
        "| Part | Material | Made | Mass (g) |\n|---|---|---|---|\n| A | PETG | printed | 20 |\n| B | bought | 11 |\n"
    )
    found = report(massprops, tmp_path, table, name="list.md")
    short = [one for one in found["findings"] if one["rule"] == "MP133"]
    assert [(one["severity"], one["place"]["line"]) for one in short] == [("warning", 4)]
    complete = table.replace("| bought | 11 |", "| bought | | 11 |").replace("| PETG", "| PETG")
    found = report(massprops, tmp_path, complete, name="list.md")
    assert (found["exit"], mass(found)) == (0, 31)


@pytest.mark.parametrize("row", ["| B | 11 |", "| **Total** | 20 |"])
def test_short_markdown_rows_whose_numbers_are_in_place(massprops: Run, tmp_path: Path, row: str) -> None:
    table = f"| Part | Mass (g) | Note |\n|---|---|---|\n| A | 20 | printed |\n{row}\n"
    found = report(massprops, tmp_path, table, name="list.md")
    assert "MP133" not in [one["rule"] for one in found["findings"]]


def centers(massprops: Run, tmp_path: Path, text: str) -> list[float | None]:
    """Return the coordinates of the centre of the root."""
    found = report(massprops, tmp_path, text, name="list.md" if text.startswith("|") else "list.csv")
    root = next(one for one in found["items"] if one["id"] == found["root"])
    return list(root.get("center") or [None] * 3)


@pytest.mark.parametrize("heading", ["CG distance from head top", "Arm from datum", "Station from nose"])
def test_an_arm_with_its_origin(massprops: Run, tmp_path: Path, heading: str) -> None:
    text = f"Part,Mass (g),{heading} (mm),Moment\nA,38,78.5,2983\nB,14,193,2702\nC,9,222.5,2003\n"
    expected = (38 * 78.5 + 14 * 193 + 9 * 222.5) / (38 + 14 + 9)
    assert centers(massprops, tmp_path, text)[0] == pytest.approx(expected)


@pytest.mark.parametrize("heading", ["Length from top", "Width", "Distance from wall"])
def test_other_lengths_are_no_arms(massprops: Run, tmp_path: Path, heading: str) -> None:
    assert centers(massprops, tmp_path, f"Part,Mass (g),{heading} (mm)\nA,38,78.5\nB,14,193.5\n") == [None] * 3


@pytest.mark.parametrize("form", ["CoM_TT_{}", "CG_body_{} (m)", "cog frame {}"])
def test_coordinates_of_a_named_frame(massprops: Run, tmp_path: Path, form: str) -> None:
    header = ",".join(form.format(axis) for axis in "xyz")
    text = f"Part,Mass (kg),{header}\nHub,3,-4,0,2\nYaw,1,0,0,-2\n"
    assert centers(massprops, tmp_path, text) == [-3, 0, 1]


def test_moments_of_inertia_about_a_frame_are_no_coordinates(massprops: Run, tmp_path: Path) -> None:
    text = "Part,Mass (kg),MoI_CoM_x,MoI_CoM_y,MoI_CoM_z\nHub,3,4.5,5.5,2.5\nYaw,1,7.5,8.5,2.5\n"
    assert centers(massprops, tmp_path, text) == [None] * 3


SHARES = {
    "one level": ("Part,Mass (kg),Margin (%),Mass with margin (kg)\nA,10,0.1,11\nB,20,0.2,24\n", 35),
    "German": ("Teil;Masse (kg);Reserve (%);Masse mit Reserve (kg)\nA;10;0,1;11\nB;20;0,2;24\n", 35),
    "rounded": (
        "Part,Mass (kg),Margin %,With margin (kg)\nA,13.2,0.1,14.5\nB,20.7,0.2,24.8\n",
        13.2 * 1.1 + 20.7 * 1.2,
    ),
    "growth as a mass": ("Part,Mass (kg),Margin (%),Margin (kg)\nA,10,0.1,1\nB,20,0.2,4\n", 35),
    "row totals": ("Part,Qty,Mass (kg),Margin (%),Total with margin (kg)\nA,2,10,0.1,22\nB,1,20,0.1,22\n", 44),
    "percent": ("Part,Mass (kg),Margin (%),Mass with margin (kg)\nA,10,10,11\nB,20,20,24\n", 35),
}


@pytest.mark.parametrize(("text", "predicted"), SHARES.values(), ids=SHARES)
def test_a_mass_with_growth_shows_whether_shares_are_percentages(
    massprops: Run, tmp_path: Path, text: str, predicted: float
) -> None:
    found = report(massprops, tmp_path, text)
    root = next(one for one in found["items"] if one["id"] == found["root"])
    assert [one["rule"] for one in found["findings"] if one["severity"] != "note"] == []
    assert root["predicted_mass"] == pytest.approx(predicted)


LEFT = {
    "of the total": "Part,Mass (kg)\nA,1.8\nB,0.4\nC,2.7\nTotal,4.9\nLimit,14.0\nAvailable Margin,9.1\n",
    "of the total with margin": "Part,Mass (kg)\nA,1.8\nB,0.4\nC,2.7\nSubtotal,4.9\nMargin (20%),1.0\n"
    "Total with Margin,5.9\nCDS Limit,14.0\nAvailable Margin,8.1\n",
    "shares in each row": "Part,Mass (kg),Allocation\nA,1.8,12.9%\nB,0.4,2.9%\nC,2.7,19.3%\nSubtotal,4.9,35%\n"
    "Margin (20%),1.0,7.1%\nTotal with Margin,5.9,42.1%\nCDS Limit,14.0,100%\nAvailable Margin,8.1,57.9%\n",
    "German": "Teil;Masse (kg)\nA;1,8\nB;0,4\nC;2,7\nSumme;4,9\nGrenzwert;14,0\nReserve bis Grenzwert;9,1\n",
}


@pytest.mark.parametrize("text", LEFT.values(), ids=LEFT)
def test_what_a_limit_leaves_is_no_part(massprops: Run, tmp_path: Path, text: str) -> None:
    assert rolled(massprops, tmp_path, text) == (0, pytest.approx(1.8 + 0.4 + 2.7))


def test_other_rows_below_a_limit_stay_a_question(massprops: Run, tmp_path: Path) -> None:
    found = report(massprops, tmp_path, "Part,Mass (kg)\nA,1.8\nB,0.4\nC,2.7\nTotal,4.9\nLimit,14.0\nD,9.1\n")
    assert "MP257" in [one["rule"] for one in found["findings"]]


def next_totals(massprops: Run, tmp_path: Path, text: str) -> list[str]:
    """Return the totals of the commands that are printed."""
    path = tmp_path / "list.csv"
    path.write_text(text, "utf-8")
    result = massprops("rollup", path, "-o", tmp_path / "out.csv")
    return re.findall(r"^  total (.*?): massprops", result.output, re.MULTILINE)


def test_both_readings_of_row_masses_are_offered(massprops: Run, tmp_path: Path) -> None:
    text = "Assembly,Quantity,Raw mass,Estimated mass\nCovers,4,0.5 kg,0.25 kg\nFrame,1,1.5 kg,0.75 kg\n"
    assert next_totals(massprops, tmp_path, text) == ["3.5 kg", "2 kg", "1.75 kg", "1 kg"]


def test_dry_masses_and_propellants_may_be_added(massprops: Run, tmp_path: Path) -> None:
    text = "Stage,Dry (t),Propellant (t)\nS1,22.2,411\nS2,4,107.5\nFairing,1.9,\nTotal,28.1,518.5\n"
    assert next_totals(massprops, tmp_path, text)[:2] == ["546.6 t", "28.1 t"]


@pytest.mark.parametrize(
    ("decided", "open_cell", "mass"),
    [
        ("2,270 g (2.27 kg)", "1,500 g", 3770.0),
        ("2.270 g (2,27 kg)", "1.500 g", 3770.0),
        ("2.400,5", "1.500", 3900.5),
        ("2,4", "1.500", None),  # next to a decimal comma 1.500 may be 1500
    ],
)
def test_one_cell_decides_the_decimal_mark_of_its_column(decided: str, open_cell: str, mass: float | None) -> None:
    rows = [{"name": "A", "mass [g]": decided}, {"name": "B", "mass [g]": open_cell}]
    bom = mp.Bom.from_records(rows)
    if mass is None:
        assert ["1.500" in one.message for one in bom.findings if one.severity.value == "error"] == [True]
    else:
        assert mp.rollup(bom).root.mass == pytest.approx(mass)
