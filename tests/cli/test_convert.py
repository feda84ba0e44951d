"""``convert``: units, tables with something around them, and pipes of real processes."""

from __future__ import annotations

import csv
import io
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

# 2 lb at 10 in and 3.5 lb at -1 in; an international pound is 0.45359237 kg, an inch 0.0254 m
POUNDS = """id,parent,mass [lb],Cx [in],Cy [in],Cz [in],note
top,,,,,,
a,top,2,10,0,0, kept
b,top,3.50,-1,0,0,007
"""


@pytest.fixture
def pounds(tmp_path):
    path = tmp_path / "pounds.csv"
    path.write_text(POUNDS)
    return path


def rows_of(text: str) -> dict[str, dict[str, str]]:
    return {row["id"]: row for row in csv.DictReader(io.StringIO(text))}


@pytest.mark.parametrize("layout", [(), ("--to-layout", "level"), ("--to-layout", "dotted")])
def test_units_convert_number_cells_and_headers_and_say_so(run, pounds, layout):
    result = run("convert", pounds, "--units", "SI", *layout)
    assert result.exit_code == 0, result.output
    rows = rows_of(result.stdout)
    assert float(rows["a"]["mass [kg]"]) == pytest.approx(2 * 0.45359237, rel=1e-15)
    assert float(rows["b"]["Cx [m]"]) == pytest.approx(-0.0254, rel=1e-15)
    assert (rows["a"]["note"], rows["b"]["note"], rows["top"]["mass [kg]"]) == (" kept", "007", "")
    assert "MP211" in result.stderr


def test_units_there_and_back_give_the_same_numbers(run, pounds, tmp_path):
    run("convert", pounds, "--units", "kg,mm", "-o", tmp_path / "metric.xlsx")
    result = run("convert", tmp_path / "metric.xlsx", "--units", "lb,in", "--to", "json")
    b = json.loads(result.stdout)[2]
    assert b["mass [lb]"] == pytest.approx(3.5, rel=1e-15)
    assert b["Cx [in]"] == pytest.approx(-1, rel=1e-15)


def test_row_of_units_is_rewritten(run, tmp_path):
    path = tmp_path / "row.csv"
    path.write_text("id,parent,mass\n,,lb\ntop,,\na,top,2\n")
    result = run("convert", path, "--units", "SI")
    assert result.stdout.splitlines()[1] == ",,kg"
    assert float(rows_of(result.stdout)["a"]["mass"]) == pytest.approx(0.90718474, rel=1e-15)


def test_units_that_are_none_convert_nothing(run, tmp_path):
    path = tmp_path / "odd.csv"
    path.write_text("id,parent,mass [parsec]\ntop,,\na,top,2\n")
    result = run("convert", path, "--units", "SI")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "MP207" in result.stderr


def test_layout_is_that_of_the_table_in_the_sheet(run, tmp_path):
    path = tmp_path / "messy.csv"
    path.write_text("Budget,,\n,,\nid,parent,mass\ntop,,\na,top,2\n,,\nNote: estimates only,,\n")
    result = run("convert", path, "--to-layout", "dotted")
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[2:] == ["id,item,mass", "top,1,", "a,1.1,2"]
    assert "MP240" in result.stderr


@pytest.mark.skipif(os.name == "nt", reason="pipes of a POSIX shell")
@pytest.mark.parametrize(
    "line",
    [
        "massprops convert pounds.csv --to csv --to-layout level | massprops rollup - --from csv",
        "massprops convert pounds.xlsx --to csv --to-layout level | massprops rollup - --from csv",
        "massprops convert pounds.xlsx --to json --to-layout dotted | massprops rollup - --from json --to csv",
        "massprops convert - --from csv --to jsonl < pounds.csv | massprops rollup - --from jsonl --to csv",
        "massprops convert pounds.csv --where 'mass > 3' | massprops rollup - --from csv",
    ],
)
def test_pipe_gives_the_same_total(run, pounds, tmp_path, line):
    run("convert", pounds, "-o", tmp_path / "pounds.xlsx")
    script = f'set -o pipefail; massprops() {{ {shlex.quote(sys.executable)} -m massprops_cli "$@"; }}; {line}'
    done = subprocess.run(
        ["bash", "-c", script],
        capture_output=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"},
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    top = rows_of(done.stdout.decode())["top"]
    assert float(top["mass [lb]"]) == (3.5 if "where" in line else 5.5)
    assert float(top["Cx [in]"]) == pytest.approx(-1 if "where" in line else (20 - 3.5) / 5.5, rel=1e-14)
    assert b"rolled up" in done.stderr
