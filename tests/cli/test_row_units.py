"""Columns of units through the commands: each row keeps its own unit, and results state theirs."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

# wing: 2 x 500 g + 3 kg = 4 kg; plane: that and 6 kg, told in g, the first unit of the column
SHEET = (
    "id,parent,qty,mass,Unit\nplane,,,,\nwing,plane,1,,g\nrib,wing,2,0.5,kg\nspar,wing,1,3000,g\ntail,plane,1,6,kg\n"
)
ROLLED = [
    ["id", "parent", "qty", "mass", "Unit"],
    ["plane", "", "", "10000", "g"],
    ["wing", "plane", "1", "4000", "g"],
    ["rib", "wing", "2", "0.5", "kg"],
    ["spar", "wing", "1", "3000", "g"],
    ["tail", "plane", "1", "6", "kg"],
]


@pytest.fixture
def sheet(tmp_path: Path, monkeypatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text(SHEET)
    return "a.csv"


def rows_of(text: str) -> list[list[str]]:
    return list(csv.reader(text.splitlines()))


def masses_of(run, *arguments: str) -> dict[str, float]:
    report = json.loads(run("rollup", *arguments, "--format", "json").stdout)
    return {item["id"]: item["mass"] for item in report["items"]}


def test_results_go_back_in_the_unit_of_their_row(run, sheet):
    first = run("rollup", sheet, "-o", "-")
    assert (first.exit_code, rows_of(first.stdout)) == (0, ROLLED)
    Path("b.csv").write_text(first.stdout)
    assert run("rollup", "b.csv", "-o", "-").stdout == first.stdout


def test_assembly_totals_of_their_own_have_one_unit(run, sheet):
    table = rows_of(run("rollup", sheet, "-o", "-", "--assembly-values", "own").stdout)
    assert [row[-1] for row in table] == ["total_mass [g]", "10000", "4000", "", "", ""]
    assert [row[:5] for row in table] == rows_of(SHEET)


@pytest.mark.parametrize("command", ["rollup", "convert"])
def test_other_units_are_written_into_their_column(run, sheet, command):
    options = ["--to", "csv"] if command == "convert" else []
    rows = rows_of(run(command, sheet, "-o", "-", "--units", "lb,in", *options).stdout)
    assert rows[0] == ROLLED[0]
    assert {row[4] for row in rows[3:]} == {"lb"}
    # 0.5, 3 and 6 kg in pounds of 0.45359237 kg
    assert [float(row[3]) * 0.45359237 for row in rows[3:]] == pytest.approx([0.5, 3, 6])
    if command == "rollup":
        assert float(rows[1][3]) * 0.45359237 == pytest.approx(10)


def test_totals_are_compared_in_the_unit_beside_them(run, sheet):
    flat = "Part Number,Mass,Unit\na,500,g\nb,2,kg\nTotal,2.5,kg\n"
    for total, differs in (("2.5,kg", False), ("2500,g", False), ("2500,kg", True)):
        Path("f.csv").write_text(flat.replace("2.5,kg", total))
        assert ("MP413" in run("validate", "f.csv").stdout) == differs


def test_what_an_assembly_states_is_in_its_own_unit(run, sheet):
    for stated, differs in (("4000", False), ("4", True)):
        Path("s.csv").write_text(SHEET.replace("1,,g", f"1,{stated},g"))
        assert ("MP411" in run("validate", "s.csv").stdout) == differs


def test_conditions_and_changes_are_in_the_unit_of_the_row(run, sheet):
    # conditions compare in the column's unit, which is that of its first cell with one: g
    kept = masses_of(run, sheet, "--where", "mass > 2000")
    assert kept["plane"] == pytest.approx(9000)
    changed = run("whatif", sheet, "--set", "spar.mass=4000", "--format", "json")
    assert "spar.mass 3000 → 4000 g" in changed.stdout


def test_a_frozen_map_keeps_the_column(run, sheet):
    assert run("inspect", sheet, "--save-map", "massprops.toml").exit_code == 0
    assert 'mass_unit = "Unit"' in Path("massprops.toml").read_text()
    assert masses_of(run, sheet)["plane"] == pytest.approx(10_000)
