"""Rows that may not count, and lists of which a part would be left out: asked, or decided by a stated total."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from openpyxl.styles import Font

from tests.unit.test_cells_people_write import mass, report

Run = Callable[..., Any]


def read(massprops: Run, tmp_path: Path, text: str, *options: str) -> dict[str, Any]:
    """Roll up a list; Markdown where a row begins with a pipe."""
    name = "list.md" if re.search(r"^\|", text, re.MULTILINE) else "list.csv"
    found: dict[str, Any] = report(massprops, tmp_path, text, *options, name=name)
    return found


def rules(found: dict[str, Any], severity: str = "error") -> set[str]:
    """Return the rules of the findings of one severity."""
    return {one["rule"] for one in found["findings"] if one["severity"] == severity}


def masses_of_ways(massprops: Run, tmp_path: Path, text: str, rule: str) -> list[float]:
    """Run each command of a question; return the masses."""
    found = read(massprops, tmp_path, text)["findings"]
    (remedy,) = [one["remedy"] for one in found if one["rule"] == rule]
    ways = [way.removesuffix(" if all rows count").split(" --format json ")[1] for way in remedy.split(", or ")]
    return [mass(read(massprops, tmp_path, text, *shlex.split(way))) for way in ways]


@pytest.mark.spread(2)
@pytest.mark.parametrize("heading", ["Option", "Variant", "Configuration", "Variante", "Opción"])
@pytest.mark.parametrize("common", ["", "all", "Base"])
def test_alternatives_are_a_question(massprops: Run, tmp_path: Path, heading: str, common: str) -> None:
    text = f"Part,{heading},Mass (g)\nMast,{common},900\nBoom,{common},400\nSail,A,350\nWing,B,410\n"
    assert masses_of_ways(massprops, tmp_path, text, "MP253") == pytest.approx([1650, 1710, 2060])


@pytest.mark.parametrize(
    "cells",
    [
        ("Default", "Default", "M3x10", "M4x8"),  # configurations of a CAD program
        ("red", "blue", "green", "white"),  # each part has its own
        ("A", "A", "A", "A"),
    ],
)
def test_kinds_of_parts_are_no_question(massprops: Run, tmp_path: Path, cells: tuple[str, ...]) -> None:
    rows = [f"P{k},{cell},{k + 1}" for k, cell in enumerate(cells)]
    found = read(massprops, tmp_path, "\n".join(["Part,Configuration,Mass (kg)", *rows]))
    assert (found["exit"], mass(found)) == (0, 10.0)


STATED = {
    "status": ("Part,Status,Mass (kg)\nPump,Released,14\nOld pump,Deleted,17\nMotor,Released,22\nTotal,,36\n", 36),
    "yes and no": ("Part,Included,Mass (kg)\nPump,yes,14\nWinch,no,17\nMotor,yes,22\nTotal,,36\n", 36),
    "alternatives": ("Part,Option,Mass (kg)\nMast,,9\nSail,A,3\nWing,B,4\nTotal,,13\n", 13),
    "all alternatives": ("Part,Option,Mass (kg)\nMast,,9\nSail,A,3\nWing,B,4\nTotal,,16\n", 16),
    "names": ("Part,Mass (kg)\nMast,9\nSail,3\nor Wing,4\nTotal,12\n", 12),
}


@pytest.mark.parametrize(("text", "stated"), STATED.values(), ids=STATED)
def test_a_stated_total_decides_which_rows_count(massprops: Run, tmp_path: Path, text: str, stated: float) -> None:
    found = read(massprops, tmp_path, text)
    assert (found["exit"], mass(found)) == (0, stated)
    assert "MP250" in rules(found, "note")


def test_a_total_of_two_ways_decides_nothing(massprops: Run, tmp_path: Path) -> None:
    text = "Part,Option,Mass (kg)\nMast,,9\nSail,A,4\nWing,B,4\nTotal,,13\n"
    assert "MP253" in rules(read(massprops, tmp_path, text))


@pytest.mark.parametrize("behind", ["", "Seats,60\nSystems total,125\n", "Margin,48.5\nTotal with margin,533.5\n"])
def test_a_part_that_the_total_forgets_is_not_left_out(massprops: Run, tmp_path: Path, behind: str) -> None:
    rows = "Part,Mass (kg)\nSkin,280\nFrame,140\nStructure total,420\nEngine,333\nWiring,65\n"
    total = "Total,545\n" if "Seats" in behind else "Total,485\n"
    text = rows + (behind + total if "Seats" in behind else total + behind)
    found = read(massprops, tmp_path, text)
    assert found["exit"] != 0
    assert rules(found) & {"MP415", "MP257"}


LISTS = {
    "Markdown": "## Structure\n| Structure | Weight (g) |\n|---|---|\n| Tube | 420 |\n| Nose | 160 |\n\n"
    "## Electronics\n| Electronics | Weight (g) |\n|---|---|\n| Computer | 85 |\n| GPS | 22 |\n",
    "blank row": "Flight items,Mass (g)\nTube,420\nNose,160\n\nGround items,Mass (g)\nComputer,85\nGPS,22\n",
    "units in the cells": "Structure,Weight\nTube,420 g\nNose,160 g\n\nElectronics,Weight\nComputer,85 g\nGPS,22 g\n",
    "decimal commas": "Rumpf;Masse (kg)\nSpant;4,1\nHaut;2,4\n\nFlügel;Masse (kg)\nHolm;3,2\nRippen;1,4\n",
}


@pytest.mark.parametrize("text", LISTS.values(), ids=LISTS)
def test_lists_under_names_of_their_own_are_a_question(massprops: Run, tmp_path: Path, text: str) -> None:
    assert "MP242" in rules(read(massprops, tmp_path, text))


@pytest.mark.parametrize(
    "headings",
    ["Pieza | Peso (g)", "Peça | Peso (g)", "Componente | Massa (g)", "Teil | Gewicht (g)", "Pièce | Poids (g)"],
)
def test_points_are_a_question_in_languages_of_decimal_commas(massprops: Run, tmp_path: Path, headings: str) -> None:
    text = f"| {headings} |\n|---|---|\n| A | 450 |\n| B | 1.100 |\n| C | 1.700 |\n"
    assert masses_of_points(massprops, tmp_path, text) == pytest.approx([3250, 452.8])


def masses_of_points(massprops: Run, tmp_path: Path, text: str) -> list[float]:
    """Return the masses with decimal commas and points, of a table that asks which they are."""
    assert "MP205" in rules(read(massprops, tmp_path, text))
    return [mass(read(massprops, tmp_path, text, "--decimal", mark)) for mark in ",."]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<!-- masses -->\n\n| Part | Mass (g) |\n|---|---|\n| Hull | 7 |\n", 7),
        ('<div align="center">\n\n| Part | Mass (g) |\n|---|---|\n| Hull | 7 |\n\n</div>\n', 7),
        ("| Ring | Mass (g) | Energy (MeV) |\n|---|---|---|\n| A | 10 | 33.3 |\n| B | 20 | 42.6 |\n", 30),
        ("Part,Weight (printed)\nR05,37g\nR04,80g\n", 117),
        ("Part,Weight (L+R)\nR05,37 g\nR04,80 g\n", 117),
        ("Part,Mass (g),% AUW\nBattery,185,48.7%\nWing,160,42.1%\nESC,35,9.2%\nTotal AUW,380,100%\n", 380),
        ("Part,Weight\nmotors (x4),34 g\nbattery,80 g\nSubtotal,114 g\n", 114),
    ],
)
def test_a_table_with_one_meaning_is_read(massprops: Run, tmp_path: Path, text: str, expected: float) -> None:
    found = read(massprops, tmp_path, text)
    assert found["exit"] == 0
    assert mass(found) == pytest.approx(expected)
    assert "growth" not in str(found["summary"])


def test_a_unit_in_brackets_remains_the_unit(massprops: Run, tmp_path: Path) -> None:
    found = read(massprops, tmp_path, "Part,Weight (oz)\nR05,37 g\nR04,80 g\n")
    assert mass(found) == pytest.approx(117 / 28.349523125)
    assert "MP207" in rules(read(massprops, tmp_path, "Part,Weight (printed)\nR05,37\nR04,80\n"))


def test_a_struck_out_row_that_the_total_excludes_has_its_command(massprops: Run, tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    sheet = book.create_sheet("Parts")
    for row in (("Part", "Mass (kg)"), ("Mast", 3.2), ("Old boom", 2.3), ("Boom", 1.8), ("Sum", 5.0)):
        sheet.append(row)
    for cell in sheet[3]:
        cell.font = Font(strike=True)
    book.save(tmp_path / "list.xlsx")
    done = massprops("rollup", tmp_path / "list.xlsx")
    assert done.exit_code == 1
    assert re.search(r"total 5 kg: massprops rollup \S+ --skip-row 'Old boom'", done.output)


@pytest.mark.parametrize("heading", ["Index", "No.", "Nr", "Ref"])
@pytest.mark.parametrize("end", ["", "."])
def test_numbers_of_several_points_are_item_numbers_under_any_heading(
    massprops: Run, tmp_path: Path, heading: str, end: str
) -> None:
    rows = [f"1{end},Car,1,9.351", f"1.1{end},Body,1,9.351", f"1.1.1{end},Mast,2,0.419", f"1.1.2{end},Shaft,1,8.513"]
    found = read(massprops, tmp_path, "\n".join([f"{heading},Part,Qty,Mass (kg)", *rows]))
    assert found["exit"] == 0
    assert mass(found) == pytest.approx(9.351)


def test_quantities_under_number_next_to_parents(massprops: Run, tmp_path: Path) -> None:
    rows = ["10001,,Body,1,", "10002,10001,Rudder,1,77", "10003,10001,Heater,1,17.5", "10004,10001,Pump,24,5.4"]
    found = read(massprops, tmp_path, "\n".join(["Code,Parent ID,Object,Number,Mass (lb)", *rows]))
    assert mass(found) == pytest.approx(77 + 17.5 + 24 * 5.4)
    rows = ["1,,Body,", "7,1,Tail,", "9,7,Heater,17.5", "12,7,Rudder,77"]  # numbers that name parents are ids
    assert mass(read(massprops, tmp_path, "\n".join(["Number,Parent,Object,Mass (lb)", *rows]))) == pytest.approx(94.5)


def test_numbers_of_two_variants_are_a_question(massprops: Run, tmp_path: Path) -> None:
    text = "Object,Number A,Number B,Mass (g)\nDoor,1,3,58\nBattery,1,4,150\nBracket,2,1,14\n"
    found = read(massprops, tmp_path, text)
    assert "MP253" in rules(found)
    assert found["next"]
    text = "Number A,Object,Mass (g)\n104,Door,58\n117,Battery,150\n231,Bracket,14\n"  # numbers of drawings
    assert mass(read(massprops, tmp_path, text)) == 222
