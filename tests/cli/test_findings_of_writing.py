"""What only the writing of a workbook finds is on its sheets and in the report too."""

from __future__ import annotations

import json
import zipfile

import openpyxl
import pytest

from massprops_cli.bom.bom import Bom
from massprops_cli.bom.rollup import rollup
from massprops_cli.files.workbook.sheet_xml import LONGEST_TEXT

from .conftest import assert_exit


@pytest.fixture
def book(tmp_path):
    path = tmp_path / "bom.xlsx"
    made = openpyxl.Workbook()
    sheet = made.active
    for row in (["id", "parent", "mass"], ["top", None, "=1+1"], ["a", "top", 2], ["b", "top", 3]):
        sheet.append(row)
    made.create_sheet("Rollup").append(["mine"])
    made.save(path)
    with zipfile.ZipFile(path, "a") as package:
        package.writestr("_xmlsignatures/sig1.xml", "<Signature/>")
    return path


def rules_on_sheet(path):
    sheets = openpyxl.load_workbook(path)
    rules = [row[1].value for row in sheets["Findings"].iter_rows(min_row=2)]
    about = {row[0].value: row[1].value for row in sheets["About"].iter_rows()}
    return sorted(rules), about["findings"]


WRITING = ["MP121", "MP122", "MP131"]


def test_sheets_report_them(run, book, tmp_path):
    out = tmp_path / "out.xlsx"
    result = run("rollup", book, "-o", out, "-v")
    assert result.exit_code == 0, result.output
    rules, counts = rules_on_sheet(out)
    assert [rule for rule in rules if rule not in ("MP116", "MP142")] == WRITING  # those are of the reading
    for rule in WRITING:
        assert rule in result.stdout
    # the counts of the sheet and of the screen are of the same findings
    assert counts in result.stdout.splitlines()[0]


def test_twice_is_once_with_them(run, book, tmp_path):
    first, second = tmp_path / "first.xlsx", tmp_path / "second.xlsx"
    assert run("rollup", book, "-o", first).exit_code == 0
    assert run("rollup", first, "-o", second).exit_code == 0
    assert first.read_bytes() == second.read_bytes()


def test_json_holds_them_next_to_the_library_s_dictionary(run, book, tmp_path):
    report = json.loads(run("rollup", book, "-o", tmp_path / "out.xlsx", "--format", "json").stdout)
    assert sorted(finding["rule"] for finding in report.pop("findings_of_writing")) == WRITING
    library = rollup(Bom.read(str(book))).to_dict()
    assert report == json.loads(json.dumps(library))


def test_fresh_workbook_reports_what_it_cut(run, tmp_path):
    path = tmp_path / "bom.csv"
    path.write_text(f"id,parent,mass,note\ntop,,,\na,top,2,{'x' * (LONGEST_TEXT + 1)}\n")
    result = run("rollup", path, "--to", "xlsx")
    assert_exit(result, 1, "error MP129", "characters")
    rules, _ = rules_on_sheet(tmp_path / "bom.csv.rollup.xlsx")
    assert "MP129" in rules
