"""Columns of units through the commands: each row keeps its own unit, and results state theirs."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

# wing: 2 x 500 g + 3 kg = 4 kg; plane: that and 6 kg, given in g, the first unit of the column
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


def test_totals_are_compared_in_the_unit_next_to_them(run, sheet):
    flat = "Part Number,Mass,Unit\na,500,g\nb,2,kg\nTotal,2.5,kg\n"
    for total, differs in (("2.5,kg", False), ("2500,g", False), ("2500,kg", True)):
        Path("f.csv").write_text(flat.replace("2.5,kg", total))
        assert ("MP415" in run("validate", "f.csv").stdout) == differs


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
    assert run("validate", sheet, "--save-map", "massprops.toml").exit_code == 0
    assert 'mass_unit = "Unit"' in Path("massprops.toml").read_text()
    assert masses_of(run, sheet)["plane"] == pytest.approx(10_000)


@pytest.mark.spread(2)
@pytest.mark.parametrize("unit", ["st", "ton", "foo", "m"])
@pytest.mark.parametrize(
    "header", ["id,parent,mass,Unit,cost", "id,parent,mass,cost,Unit", "id,parent,mass,cost,Einheit"]
)
def test_masses_whose_unit_is_not_known_are_not_added_to_kilograms(run, tmp_path, header, unit):
    path = tmp_path / "a.csv"
    cells = "1,{}" if "cost," in header else "{},1"
    path.write_text(f"{header}\nR,,,,\nA,R,10,{cells.format(unit)}\nB,R,10,{cells.format('kg')}\n")
    result = run("rollup", path)
    assert result.exit_code == 1
    assert "MP207" in result.stdout
    assert f": {unit}" in result.stdout
    assert not (tmp_path / "a.rollup.csv").exists()


@pytest.mark.parametrize(("unit", "kilograms"), [("stone", 6.35029318), ("short ton", 907.18474), ("t", 1000.0)])
def test_rarer_units_of_mass_next_to_others_are_converted(run, tmp_path, unit, kilograms):
    path = tmp_path / "a.csv"
    path.write_text(f"id,parent,mass,cost,Unit\nR,,,,\nA,R,10,1,kg\nB,R,10,1,{unit}\n")
    assert masses_of(run, str(path))["R"] == pytest.approx(10 + 10 * kilograms, rel=1e-14)


def test_pieces_are_no_unit_of_masses(run, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("id,parent,qty,mass [kg],Unit\nR,,,,\nA,R,3,10,st\n")
    assert masses_of(run, str(path))["R"] == 30.0
    path.write_text("id,parent,mass [kg],Einheit\nR,,,\nA,R,10,St\nB,R,10,St\n")
    assert masses_of(run, str(path))["R"] == 20.0


@pytest.mark.parametrize(("option", "kilograms"), [("stone", 63.5029318), ("short_ton", 9071.8474)])
def test_a_header_of_two_units_is_ambiguous_and_the_remedy_works(run, tmp_path, option, kilograms):
    path = tmp_path / "a.csv"
    path.write_text("id,parent,mass [st]\nR,,\nA,R,10\n")
    requested = run("rollup", path)
    assert requested.exit_code == 1
    assert "unit is ambiguous: st (a stone, 6.35 kg, or a short ton, 907.18 kg)" in requested.stdout
    assert f"--unit mass={option}" in requested.stdout
    found = masses_of(run, str(path), "--unit", f"mass={option}", "--units", "SI")
    assert found["R"] == pytest.approx(kilograms, rel=1e-14)
    path.write_text(f"id,parent,mass [{option}]\nR,,\nA,R,10\n")
    assert masses_of(run, str(path), "--units", "SI")["R"] == pytest.approx(kilograms, rel=1e-14)


def test_cells_and_limits_of_two_units_are_ambiguous(run, tmp_path):
    path, budget = tmp_path / "a.csv", tmp_path / "b.toml"
    path.write_text("id,parent,mass [kg]\nR,,\nA,R,10 st\n")
    requested = run("rollup", path)
    assert (
        "mass [kg] of A has an ambiguous unit, st: 10 st (a stone, 6.35 kg, or a short ton, 907.18 kg)"
        in requested.stdout
    )
    path.write_text("id,parent,mass [kg]\nR,,\nA,R,10 stone\n")
    assert masses_of(run, str(path))["R"] == pytest.approx(63.5029318, rel=1e-14)
    budget.write_text('[[budget]]\nitem = "R"\nmass-max = "10 st"\n')
    requested = run("check", path, "--budget", budget)
    assert requested.exit_code == 2
    assert "(st is a stone, 6.35 kg, or a short ton, 907.18 kg); write stone or short_ton" in requested.stderr
    budget.write_text('[[budget]]\nitem = "R"\nmass-max = "10 stone"\n')
    assert run("check", path, "--budget", budget).exit_code == 0
