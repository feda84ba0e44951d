"""``massprops inspect``: the screen, formats, and exit codes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.golden_files import GOLDEN, assert_golden

from .conftest import assert_exit

SAMPLES = Path(__file__).parents[2] / "sample_data"

SHEETS = {
    "titled.csv": "Mass budget of the rig,,,,\n,,,,\nITEM NO.,Part Number,Description,Weight (lb),Cost\n"
    "1,A,Rig,,5\n,,,,\n1.1,B,Beam,2,5\n1.2,C,Bolt,heavy,5\n",
    "semicolons.csv": "id;parent;Gewicht [kg];Total Mass\ntop;;;3\na;top;1;1\nb;top;2;2\n",
    "no_mass.csv": "id,parent,cost\ntop,,\na,top,5\n",
    "no_rows.csv": "id,parent,mass [kg]\n",
}


@pytest.fixture
def sheet(tmp_path: Path, monkeypatch):
    """Write one of the sheets into an empty folder, and work there."""
    monkeypatch.chdir(tmp_path)

    def write(name: str) -> str:
        Path(name).write_text(SHEETS[name])
        return name

    return write


def test_screen_is_the_golden_one(run, sheet):
    result = run("inspect", sheet("titled.csv"))
    assert result.exit_code == 0
    assert_golden(GOLDEN / "inspect" / "titled.txt", result.stdout)


@pytest.mark.parametrize(
    ("name", "code", "words"),
    [
        ("semicolons.csv", 0, ("3 items, root top", "delimiter semicolon", "Total Mass line_mass kg", "MP227")),
        ("no_mass.csv", 0, ("tree with root top, 1 error", "units not stated", "cost not read", "MP203", "MP271")),
        ("no_rows.csv", 2, ("no tree of parts", "header line 1", "MP111")),
    ],
)
def test_screens_of_other_sheets(run, sheet, name, code, words):
    assert_exit(run("inspect", sheet(name)), code, *words)


def test_sample_workbook_is_reported_in_one_screen(run, tmp_path, monkeypatch):
    shutil.copy(SAMPLES / "spacecraft.xlsx", tmp_path)
    monkeypatch.chdir(tmp_path)
    result = run("inspect", "spacecraft.xlsx")
    assert_golden(GOLDEN / "inspect" / "spacecraft.txt", result.stdout)
    assert len(result.stdout.splitlines()) <= 40


def test_json_is_the_dictionary_of_the_library(run, sheet):
    import massprops_cli as mp

    name = sheet("semicolons.csv")
    printed = json.loads(run("inspect", name, "--format", "json").stdout)
    assert printed == mp.inspect(name).to_dict()
    assert printed["source"]["delimiter"] == ";"


def test_markdown_is_the_page_in_a_fence(run, sheet):
    text = run("inspect", sheet("semicolons.csv"), "--format", "md").stdout
    assert text.startswith("```\n")
    assert "Gewicht" in text


def test_who_named_a_column_is_reported(run, sheet):
    name = sheet("semicolons.csv")
    Path("massprops.toml").write_text('[columns]\nid = "id"\nmass = "Total Mass"\n')
    printed = json.loads(run("inspect", name, "--map", "id=id", "--format", "json").stdout)
    why = {column["quantity"]: column["why"] for column in printed["columns"]}
    assert why["id"] == "named by --map"
    assert why["mass"] == "named by massprops.toml"


def test_sigmas_that_are_not_requested_are_reported_so(run, tmp_path, monkeypatch):
    shutil.copy(SAMPLES / "spacecraft.xlsx", tmp_path)
    monkeypatch.chdir(tmp_path)
    printed = json.loads(run("inspect", "spacecraft.xlsx", "--uncertainty", "none", "--format", "json").stdout)
    assert printed["sigmas"] == ["not read, as requested"]


def test_table_from_standard_input(run):
    result = run("inspect", "-", "--from", "csv", input="id,parent,mass\ntop,,\na,top,1\n")
    assert result.exit_code == 0
    assert "2 items, root top" in result.stdout


def test_table_whose_columns_name_nothing_is_not_a_bom(run, tmp_path):
    path = tmp_path / "budget.csv"
    path.write_text("Month,Cost\nJan,5\nFeb,7\n")
    result = run("inspect", path)
    assert result.exit_code == 2
    assert "no column of mass properties found" in result.stdout
    assert "select another sheet or file" in result.stdout


def test_no_header_is_reported_with_what_was_looked_for(run, tmp_path):
    path = tmp_path / "numbers.csv"
    path.write_text("1,2,3\n4,5,6\n")
    result = run("inspect", path)
    assert result.exit_code == 2
    assert "MP201" in result.stderr
    assert "id, parent, mass" in result.stderr
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    "command",
    [
        ("rollup", "-o", "-"),
        ("validate",),
        ("tree",),
        ("convert", "--to", "csv"),
        ("contributions", "--mean"),
        ("whatif", "--scale", "a.mass=2"),
    ],
)
def test_explain_states_the_same_on_stderr(run, sheet, command):
    name = sheet("semicolons.csv")
    plain = run(command[0], name, *command[1:])
    printed = run(command[0], name, *command[1:], "--explain")
    assert printed.stdout == plain.stdout
    assert printed.exit_code == plain.exit_code
    seen = run("inspect", name).stdout
    assert printed.stderr.startswith(seen[: seen.index("\n  3 rows below")])


@pytest.mark.parametrize("command", ["rollup", "validate", "tree"])
def test_explain_reports_a_table_without_a_tree_before_the_error(run, tmp_path, command):
    path = tmp_path / "colours.csv"
    path.write_text("name,colour\nbolt,red\nnut,blue\n")
    result = run(command, path, "--explain")
    assert result.exit_code == 2
    printed, _, error = result.stderr.partition("error MP244  ")
    assert "2       colour  not read        no numbers" in printed
    assert error
