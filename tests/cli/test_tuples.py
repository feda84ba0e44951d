"""Columns of tuples through the commands: what is written has them in one cell still."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

# 2 and 6 kg, 4, 8 and -12 mm apart: the centre is three quarters of the way
SHEET = 'id,parent,mass (kg),Center of Mass (mm)\nTop,,,\nA,Top,2,"(0, 0, 0)"\nB,Top,6,"(4, 8, -12)"\n'
ROLLED = [
    ["id", "parent", "mass (kg)", "Center of Mass (mm)"],
    ["Top", "", "8", "(3, 6, -9)"],
    ["A", "Top", "2", "(0, 0, 0)"],
    ["B", "Top", "6", "(4, 8, -12)"],
]


@pytest.fixture
def sheet(tmp_path: Path, monkeypatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text(SHEET)
    return "a.csv"


def rows_of(text: str) -> list[list[str]]:
    return list(csv.reader(text.splitlines()))


def test_a_roll_up_and_one_of_its_result(run, sheet):
    first = run("rollup", sheet, "-o", "-")
    assert (first.exit_code, rows_of(first.stdout)) == (0, ROLLED)
    Path("b.csv").write_text(first.stdout)
    assert run("rollup", "b.csv", "-o", "-").stdout == first.stdout


def test_records_hold_the_tuple_as_a_text(run, sheet):
    records = json.loads(run("rollup", sheet, "-o", "-", "--to", "json").stdout)
    assert records[0] == {"id": "Top", "parent": None, "mass (kg)": 8, "Center of Mass (mm)": "(3, 6, -9)"}


def test_a_workbook_is_edited_in_the_tuple_cell(run, sheet):
    import openpyxl

    book = openpyxl.Workbook()
    for row in rows_of(SHEET):
        book.active.append([float(cell) if cell.isdigit() else cell or None for cell in row])
    book.save("w.xlsx")
    assert run("rollup", "w.xlsx").exit_code == 0
    back = openpyxl.load_workbook("w.rollup.xlsx").worksheets[0]
    values = [["" if cell is None else str(cell) for cell in row] for row in back.iter_rows(values_only=True)]
    assert values == ROLLED


def test_a_fresh_workbook_reads_back(run, sheet):
    assert run("rollup", sheet, "-o", "n.xlsx").exit_code == 0
    assert rows_of(run("rollup", "n.xlsx", "-o", "-", "--to", "csv").stdout) == ROLLED


@pytest.mark.parametrize("command", ["rollup", "convert"])
def test_other_units(run, sheet, command):
    rows = rows_of(run(command, sheet, "-o", "-", "--units", "SI").stdout)
    assert (rows[0][3], rows[3][3]) == ("Center of Mass (m)", "(0.004, 0.008, -0.012)")


def test_a_total_below_goes_with_the_units(run, sheet):
    Path(sheet).write_text(SHEET + 'Total,,8,"(3, 6, -9)"\n')
    rows = rows_of(run("rollup", sheet, "-o", "-", "--units", "kg,cm").stdout)
    for row in (rows[1], rows[4]):
        assert [float(part) for part in row[3].strip("()").split(",")] == pytest.approx([0.3, 0.6, -0.9], rel=1e-14)


def test_inspect_shows_the_coordinates(run, sheet):
    shown = run("validate", sheet).stdout
    assert "Center of Mass X (mm) … Center of Mass Z (mm)" in shown
    assert "Cx … Cz" in shown


def test_the_address_is_that_of_the_tuple(run, sheet):
    Path(sheet).write_text(SHEET.replace("(4, 8, -12)", "(4, 8)"))
    result = run("validate", sheet)
    assert result.exit_code == 1
    assert "a.csv:4:4" in result.output
    assert "(4, 8)" in result.output
