"""Numbers become numbers in formats with types, however they are written; texts stay texts."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

TABLE = """id,parent,level,mass,Cx,qty,note,lot
top,,1,,,,x,7
007,top,2,12.50,.5,2,x,8
1e5,top,2,+3,-1.,1.0,x,9
b,top,2,0.1000000000000000055511151231257827,1E-3,1,x,010
"""
MASS = [None, 12.5, 3.0, 0.1]
CX = [None, 0.5, -1.0, 0.001]


def columns_of(path, form):
    if form in ("json", "jsonl"):
        text = path.read_text()
        rows = json.loads(text) if form == "json" else [json.loads(line) for line in text.splitlines()]
        return {name: [row[name] for row in rows] for name in rows[0]}
    from pyarrow import feather, parquet

    read = parquet.read_table if form == "parquet" else feather.read_table
    return read(path).to_pydict()


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(TABLE)
    return path


@pytest.mark.parametrize("form", ["json", "jsonl", "parquet", "feather"])
def test_convert_types_number_columns(run, table, form):
    out = table.with_suffix(f".{form}")
    result = run("convert", table, "-o", out)
    assert result.exit_code == 0, result.output
    columns = columns_of(out, form)
    assert columns["mass"] == MASS
    assert columns["Cx"] == CX
    assert columns["qty"] == [None, 2.0, 1.0, 1.0]
    assert columns["id"] == ["top", "007", "1e5", "b"]
    assert columns["level"] == ["1", "2", "2", "2"]
    assert columns["lot"] == ["7", "8", "9", "010"]  # not a quantity, and 010 would lose its zero
    back = table.with_suffix(".back.csv")
    assert run("convert", out, "-o", back).exit_code == 0
    cells = [line.split(",") for line in back.read_text().splitlines()[1:]]
    assert [float(row[3]) if row[3] else None for row in cells] == MASS
    assert [row[0] for row in cells] == ["top", "007", "1e5", "b"]


@pytest.mark.parametrize("form", ["json", "jsonl", "parquet", "feather"])
def test_rollup_types_what_it_adds(run, tmp_path, form):
    path = tmp_path / "t.csv"
    path.write_text("id,parent,mass,sigma_mass,qty\n1,,,,\n2,1,12.50,0.30,2\n3,1,+3,.40,1\n")
    out = tmp_path / f"out.{form}"
    result = run("rollup", path, "-o", out, "--add", "coverage")
    assert result.exit_code == 0, result.output
    columns = columns_of(out, form)
    assert columns["mass"] == [28.0, 12.5, 3.0]
    # two independent pieces of 0.3 and one of 0.4
    assert columns["sigma_mass"][0] == pytest.approx(math.sqrt(2 * 0.3**2 + 0.4**2), rel=1e-15)
    assert columns["sigma_mass"][1:] == [0.3, 0.4]
    assert columns["qty"] == [None, 2.0, 1.0]
    assert columns["coverage_leaves"] == [2.0, 1.0, 1.0]
    assert columns["id"] == ["1", "2", "3"]


@pytest.mark.parametrize("cell", ["heavy", "1e999"])
def test_a_cell_that_is_not_a_number_leaves_its_column_text(run, tmp_path, cell):
    path = tmp_path / "t.csv"
    path.write_text(f'id,parent,mass\ntop,,\na,top,12.50\nb,top,"{cell}"\n')
    result = run("convert", path, "--to", "json")
    assert [row["mass"] for row in json.loads(result.stdout)] == [None, "12.50", cell]


def test_text_formats_keep_characters(run, table):
    assert run("convert", table, "--to", "csv").stdout == TABLE


def test_texts_of_json_stay_texts_in_json(run, tmp_path):
    path = tmp_path / "t.json"
    path.write_text('[{"id": "top", "parent": null, "mass": null}, {"id": "a", "parent": "top", "mass": "+1.50"}]')
    assert json.loads(run("convert", path).stdout) == json.loads(path.read_text())


COMMAS = (
    "id;parent;mass;Cx [mm];Cy [mm];Cz [mm];Menge;Bemerkung\n"
    "R;;;;;;;\nA;R;1.234,5 kg;-2,5;0;+1,5;2;1,5\nB;R;2,5 kg;10 mm;,5;0;1;x\nC;R;500 g;1 cm;1.000,25;-0,125;4;\n"
)
WANTED = {
    "mass [kg]": [1234.5, 2.5, 0.5],
    "Cx [mm]": [-2.5, 10, 10],
    "Cy [mm]": [0, 0.5, 1000.25],
    "Cz [mm]": [1.5, 0, -0.125],
    "Menge": [2, 1, 4],
    "Bemerkung": ["1,5", "x", None],
}


def records_of(path: Path) -> list[dict]:
    if path.suffix in (".json", ".jsonl"):
        text = path.read_text(encoding="utf-8")
        return json.loads(text) if path.suffix == ".json" else [json.loads(line) for line in text.splitlines()]
    from pyarrow import feather, parquet

    return (parquet.read_table if path.suffix == ".parquet" else feather.read_table)(path).to_pylist()


@pytest.mark.parametrize("suffix", ["json", "jsonl", "parquet", "feather"])
@pytest.mark.parametrize("command", ["convert", "rollup"])
def test_numbers_are_numbers_whatever_their_marks_and_units_in_the_text_file(run, tmp_path, suffix, command):
    """1234.5·2 + 2.5 + 0.5·4 kg; the unit that was in the cells goes into the header."""
    source, target = tmp_path / "a.csv", tmp_path / f"b.{suffix}"
    source.write_text(COMMAS, encoding="utf-8")
    done = run(command, source, "-o", target)
    assert done.exit_code == 0, done.output
    records = records_of(target)
    assert {name: [row[name] for row in records[1:]] for name in WANTED} == WANTED
    assert records[0]["mass [kg]"] == (2473.5 if command == "rollup" else None)
    again = tmp_path / "again.json"
    assert run("rollup", target, "-o", again).exit_code == 0
    assert records_of(again)[0]["mass [kg]"] == 2473.5


@pytest.mark.parametrize(
    ("column", "cells"),
    [
        ("qty", ["3 m", "2"]),  # metres, not pieces
        ("sigma_mass", ["5 %", "0,5"]),  # of the value, not of the unit
        ("mass [kg]", ["TBD", "1,5"]),
        ("mass [kg]", ["1,2 kg/m", "1,5"]),
    ],
)
def test_cells_that_a_number_alone_does_not_hold_stay_as_they_are(run, tmp_path, column, cells):
    source, target = tmp_path / "a.csv", tmp_path / "b.json"
    other = "Masse [kg]" if "mass [" not in column else "Menge"
    source.write_text(f"id;parent;{other};{column}\nR;;;\nA;R;1;{cells[0]}\nB;R;2;{cells[1]}\n", encoding="utf-8")
    assert run("convert", source, "-o", target).exit_code == 0
    assert [row[column] for row in records_of(target)[1:]] == cells


def test_the_decimal_mark_of_an_option_holds_for_what_is_written(run, tmp_path):
    source, target = tmp_path / "a.csv", tmp_path / "b.json"
    source.write_text("id;parent;mass [kg]\nR;;\nA;R;1.234\nB;R;2.000\n", encoding="utf-8")
    for mark, masses in ((",", [1234, 2000]), (".", [1.234, 2])):
        assert run("rollup", source, "--decimal", mark, "-o", target).exit_code == 0
        rows = records_of(target)
        assert [row["mass [kg]"] for row in rows[1:]] == masses
        assert rows[0]["mass [kg]"] == pytest.approx(sum(masses), rel=1e-15)
