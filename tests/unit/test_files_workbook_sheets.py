"""Which of several sheets is read, and the findings on the others."""

from __future__ import annotations

import io

import numpy as np
import openpyxl
import pytest
from python_calamine import CalamineWorkbook

import massprops_cli as mp
from massprops_cli.files.workbook.cells import choose_sheet
from massprops_cli.files.workbook.package import SheetEntry
from massprops_cli.files.workbook.sheet_xml import OutputSheet
from massprops_cli.files.workbook.writer import new_workbook
from massprops_cli.findings.finding import Findings
from massprops_cli.reports import sheets
from massprops_cli.reports.page.conventions import ResultWriteOptions

HEADS = {
    "Cover": [["Mass budget"], ["Rev C"]],
    "Notes": [["checked by", "Ada"]],
    "BOM": [["id", "parent", "mass"], ["top", "", ""]],
    "About": [["massprops"]],
    "Rollup": [["id", "mass"], ["top", "1"]],
}


def chosen(*names: str, wanted: str = "") -> tuple[str, list[str]]:
    entries = [SheetEntry(name, "") for name in names]
    reported = Findings()
    entry = choose_sheet("bom.xlsx", entries, wanted, lambda e: HEADS[e.name], None, reported)
    return entry.name, [finding.message for finding in reported]


def test_the_only_sheet_that_fits_is_used_and_the_others_are_named() -> None:
    assert chosen("Cover", "BOM", "Notes") == ("BOM", ["sheet 'BOM' contains the table; not read: 'Cover', 'Notes'"])


@pytest.mark.parametrize(
    ("names", "wanted"), [(("BOM",), ""), (("BOM", "Rollup", "About"), ""), (("Cover", "BOM"), "BOM")]
)
def test_nothing_is_reported_where_nothing_was_chosen(names: tuple[str, ...], wanted: str) -> None:
    assert chosen(*names, wanted=wanted) == ("BOM", [])


@pytest.mark.parametrize("own", [True, False])
def test_rows_written_column_by_column_read_back(own: bool) -> None:
    texts = ["plain", "", None, " blank", "two  blanks", "line\nbreak", "a<b & c", "_x0041_", "\x01", "é"]
    heads = ["text", "number", "mixed", "last"]
    rows = [[texts[k % 10], np.nan if k % 7 == 0 else k / 3, 1.5 if k % 2 else "1.5", "end"] for k in range(3000)]
    written = io.BytesIO()
    new_workbook(written, [OutputSheet("S", [heads, *rows], indents=[0, *[1] * 2000], bold_rows=[5, 2500], own=own)])
    sheet = openpyxl.load_workbook(written)["S"]
    read = [[cell.value for cell in row] for row in sheet.iter_rows(min_row=2)]
    shown = {np.nan: None, "": None, "\x01": "_x0001_", "_x0041_": "_x005F_x0041_"}
    plain = [[shown.get(value, value) for value in row] for row in rows]
    assert read == plain
    assert [sheet.cell(row, 1).font.b for row in (2, 2501)] == [False, True]
    assert [sheet.cell(row, 1).alignment.indent for row in (2001, 2002)] == [1, 0]
    written.seek(0)
    other = CalamineWorkbook.from_filelike(written).get_sheet_by_name("S").to_python()
    assert [row[1] for row in other[1:]] == [value if value is not None else "" for _, value, *_ in plain]
    assert {row[3] for row in other[1:]} == {"end"}


def test_the_sheet_of_a_large_tree_has_the_assemblies_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"id": "top", "parent": "", "mass": ""}, {"id": "box", "parent": "top", "mass": ""}]
    rows += [{"id": f"P{k}", "parent": "box", "mass": 1} for k in range(4)]
    result = mp.rollup(mp.Bom.from_records(rows))
    monkeypatch.setattr(sheets, "_MOST_ITEMS", 5)
    columns = [row[0] for row in sheets._rollup_sheet(result, ResultWriteOptions()).rows]
    assert columns == ["id", "top", "box", None, "and 4 parts in the table; to list all here: --config all-rows=true"]
    every = sheets._rollup_sheet(result, ResultWriteOptions(all_rows=True)).rows
    assert [row[0] for row in every] == ["id", "top", "box", "P0", "P1", "P2", "P3"]
