"""``massprops validate``: the screen, formats, and exit codes."""

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
    result = run("validate", sheet("titled.csv"))
    assert_golden(GOLDEN / "inspect" / "titled.txt", result.stdout)


@pytest.mark.parametrize(
    ("name", "code", "words"),
    [
        ("semicolons.csv", 0, ("checked 3 items", "delimiter semicolon", "Total Mass line_mass kg", "MP227")),
        ("no_mass.csv", 1, ("checked 2 items, 1 error", "units not stated", "cost not read", "MP203", "MP271")),
        ("no_rows.csv", 2, ("MP111", "header line 1")),
    ],
)
def test_screens_of_other_sheets(run, sheet, name, code, words):
    assert_exit(run("validate", sheet(name)), code, *words)


def test_sample_workbook_is_reported_in_one_screen(run, tmp_path, monkeypatch):
    shutil.copy(SAMPLES / "spacecraft.xlsx", tmp_path)
    monkeypatch.chdir(tmp_path)
    result = run("validate", "spacecraft.xlsx")
    assert_golden(GOLDEN / "inspect" / "spacecraft.txt", result.stdout)
    assert len(result.stdout.splitlines()) <= 40


def test_json_is_the_dictionary_of_the_library(run, sheet):
    import massprops_cli as mp

    name = sheet("semicolons.csv")
    printed = json.loads(run("validate", name, "--format", "json").stdout)
    seen = mp.inspect(name).to_dict()
    assert printed.pop("reading") == {key: value for key, value in seen.items() if key != "findings"}
    assert printed["findings"] == seen["findings"]
    assert seen["source"]["delimiter"] == ";"


def test_markdown_is_the_page_in_a_fence(run, sheet):
    text = run("validate", sheet("semicolons.csv"), "--format", "md").stdout
    assert text.startswith("| severity | rule |")
    assert text.count("\n```\n") == 2
    assert "Gewicht" in text


def test_who_named_a_column_is_reported(run, sheet):
    name = sheet("semicolons.csv")
    Path("massprops.toml").write_text('[columns]\nid = "id"\nmass = "Total Mass"\n')
    printed = json.loads(run("validate", name, "--map", "id=id", "--format", "json").stdout)
    why = {column["quantity"]: column["why"] for column in printed["reading"]["columns"]}
    assert why["id"] == "named by --map"
    assert why["mass"] == "named by massprops.toml"


def test_sigmas_that_are_not_requested_are_reported_so(run, tmp_path, monkeypatch):
    shutil.copy(SAMPLES / "spacecraft.xlsx", tmp_path)
    monkeypatch.chdir(tmp_path)
    printed = json.loads(run("validate", "spacecraft.xlsx", "--uncertainty", "none", "--format", "json").stdout)
    assert printed["reading"]["sigmas"] == ["not read, as requested"]


def test_table_from_standard_input(run):
    result = run("validate", "-", "--from", "csv", input="id,parent,mass\ntop,,\na,top,1\n")
    assert result.exit_code == 0
    assert "checked 2 items" in result.stdout


def test_table_whose_columns_name_nothing_is_not_a_bom(run, tmp_path):
    path = tmp_path / "budget.csv"
    path.write_text("Month,Cost\nJan,5\nFeb,7\n")
    result = run("validate", path)
    assert result.exit_code == 2
    assert "names another quantity" in result.stdout
    assert "select another sheet or file" in result.output


def test_no_header_is_reported_with_what_was_looked_for(run, tmp_path):
    path = tmp_path / "numbers.csv"
    path.write_text("1,2,3\n4,5,6\n")
    result = run("validate", path)
    assert result.exit_code == 2
    assert "MP201" in result.stderr
    assert "id, parent, mass" in result.stderr
    assert "Traceback" not in result.output
