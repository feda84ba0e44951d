"""Fresh workbooks, read back by openpyxl and calamine."""

from __future__ import annotations

import io
import math
import random
import struct

import numpy as np
import openpyxl
import pytest
from python_calamine import CalamineWorkbook

from massprops_cli.files.table import AddedColumn, ColumnEdit, TableEdit
from massprops_cli.files.workbook import sheet_xml as sheet_xml_module
from massprops_cli.files.workbook.sheet_xml import CellLook, OutputSheet, sheet_xml
from massprops_cli.files.workbook.styles import _MARK_COLOUR
from massprops_cli.files.workbook.writer import _valid_sheet_names, new_workbook, table_sheet


def made(*sheets: OutputSheet) -> openpyxl.Workbook:
    out = io.BytesIO()
    assert new_workbook(out, sheets) == []
    return openpyxl.load_workbook(out)


def test_any_double_reads_back_bit_equal() -> None:
    rng = random.Random(1)
    values = [struct.unpack("<d", rng.randbytes(8))[0] for _ in range(2000)]
    values = [value for value in values if math.isfinite(value)] + [5e-324, 1.7976931348623157e308, -0.0, 0.1 + 0.2]
    out = io.BytesIO()
    new_workbook(out, [OutputSheet("Parts", [["x"], *([value] for value in values)])])
    out.seek(0)
    column = [row[0] for row in CalamineWorkbook.from_filelike(out).get_sheet_by_name("Parts").to_python()[1:]]
    assert struct.pack(f"<{len(values)}d", *column) == struct.pack(f"<{len(values)}d", *values)
    assert [cell.value for cell in openpyxl.load_workbook(out)["Parts"]["A"][1:]] == values


def test_text_stays_text() -> None:
    texts = ["001", "1e5", "NA", "True", "2024-01-02", "=1+1", "a\nb", " c ", "_x0041_", "é≤", '<&>"']
    sheet = made(OutputSheet("Parts", [["t"], *([text] for text in texts)]))["Parts"]
    assert [cell.data_type for cell in sheet["A"]] == ["s"] * 12
    out = io.BytesIO()
    new_workbook(out, [OutputSheet("Parts", [["t"], *([text] for text in texts)])])
    out.seek(0)
    rows = CalamineWorkbook.from_filelike(out).get_sheet_by_name("Parts").to_python(skip_empty_area=False)
    assert [row[0] for row in rows[1:]] == texts


def test_looks_of_a_sheet() -> None:
    book = made(
        OutputSheet(
            "Parts",
            [["id", "mass", "ok"], ["A", 1.5, True], ["B", None, False], ["C", 2.5, None]],
            number_formats={1: "0.000"},
            outline=[0, 0, 1, 9],
            computed={1: np.array([1, 2])},
            looks={(3, 0): CellLook.ERROR},
            frozen_columns=1,
            widths=[20, 10, 5],
        )
    )
    sheet = book["Parts"]
    assert sheet.freeze_panes == "B2"
    assert sheet.auto_filter.ref == "A1:C4"
    assert sheet["A1"].font.b
    assert [sheet.row_dimensions[k].outlineLevel for k in (2, 3, 4)] == [0, 1, 7]
    assert sheet.sheet_properties.outlinePr.summaryBelow is False
    assert (sheet["B2"].number_format, sheet["B2"].fill.fgColor.rgb) == ("0.000", _MARK_COLOUR)
    assert (sheet["B4"].number_format, sheet["B4"].fill.fill_type) == ("0.000", None)
    assert sheet["B3"].fill.fgColor.rgb == _MARK_COLOUR
    assert sheet["A4"].font.color.rgb == "FF9B1C1C"
    assert sheet["C2"].value is True
    assert sheet.column_dimensions["A"].width == 20


def test_rows_may_come_from_a_generator_of_any_length() -> None:
    sheet = made(OutputSheet("Parts", (([f"P{k}", float(k)]) for k in range(5001))))["Parts"]
    assert (sheet.max_row, sheet["B5001"].value) == (5001, 5000)
    assert sheet.auto_filter.ref == "A1:B5001"


def test_names_that_no_workbook_can_hold() -> None:
    names = _valid_sheet_names(["a/b?", "A_B_", "x" * 40, "x" * 40, ""])
    assert names == ["a_b_", "A_B_ 2", "x" * 31, "x" * 29 + " 2", "Sheet"]
    assert made(*(OutputSheet(name, [["x"]]) for name in ["a/b?", "A & B"])).sheetnames == ["a_b_", "A & B"]


def test_too_long_a_text_is_reported() -> None:
    findings = new_workbook(io.BytesIO(), [OutputSheet("Parts", [["t"], ["x" * 32_768], ["y" * 32_767]])], "a.xlsx")
    assert [(found.rule, found.place.cell) for found in findings] == [("MP129", "A2")]


def test_a_table_with_its_filling() -> None:
    from massprops_cli.files.table import GridTable, TableSource

    rows = [["id", "mass", "note"], ["001", "", "1.50"], ["002", "2.50", "x"], ["003", "n/a", ""]]
    table = GridTable(TableSource("parts.csv", "csv"), rows)
    filling = TableEdit(
        (ColumnEdit(1, np.array([1]), np.array([1 / 3])),),
        (AddedColumn("kx", np.array([1, 2]), np.array([0.1, np.nan])),),
        renames={2: "notes"},
    )
    sheet = made(table_sheet(table, filling, numeric=[1], outline=np.array([0, 0, 1, 1], np.uint8)))["parts"]
    assert [[cell.value for cell in row] for row in sheet.iter_rows()] == [
        ["id", "mass", "notes", "kx"],
        ["001", 1 / 3, "1.50", 0.1],
        ["002", 2.5, "x", None],
        ["003", "n/a", None, None],
    ]
    assert sheet["B2"].fill.fgColor.rgb == _MARK_COLOUR
    assert sheet["B3"].fill.fill_type is None


def test_the_same_content_gives_the_same_bytes() -> None:
    first, second = io.BytesIO(), io.BytesIO()
    for out in (first, second):
        new_workbook(out, [OutputSheet("Parts", [["id"], ["A"]])])
    assert first.getvalue() == second.getvalue()


def test_rows_written_column_by_column_are_those_written_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Long sheets are written in blocks by PyArrow; each cell has the text and the format of the plain way."""
    random = np.random.default_rng(3)
    n = 4200  # 1,000 rows with the header, 2,000 that are alike, the rest with a note
    numbers = random.normal(0, 10.0 ** random.integers(-9, 17, n), n)
    numbers[::7] = np.round(numbers[::7])
    numbers[5::50] = np.nan
    flags = [bool(k % 3) if k % 5 else None for k in range(n)]
    texts = [f"Part {k} <&>" if k % 4 else None for k in range(n)]
    ends = [float(k) if k % 11 else "n/a" for k in range(n)]
    exact = [[0.0, -0.0, 5.0, 1e22, 1e-7][k % 5] for k in range(n)]
    rows = [
        ["id", "x", "exact", "flag", "text", "end", "none"],
        *zip(texts, numbers.tolist(), exact, flags, texts, ends, [float("nan")] * n, strict=True),
    ]
    sheet = OutputSheet(
        "Rollup",
        rows,
        number_formats={2: "0.00"},
        computed={1: np.arange(3, n, 6), 6: np.array([1500, 1501])},
        decimals={1: np.array([-1, *random.integers(0, 4, n)], np.int8)},
        outline=random.integers(0, 9, n),
        indents=random.integers(0, 3, n + 1).astype(np.uint8),
        bold_rows={1, 1200, 1900},
        looks={(3500, 1): CellLook.NOTE},
    )

    def xf_of(look: CellLook, code: str, bold: bool, indent: int) -> int:
        return 1 + list(CellLook).index(look) * 1000 + len(code) * 10 + 5 * bold + indent

    def written() -> bytes:
        return b"".join(bytes(piece) for piece in sheet_xml(sheet, xf_of))

    by_blocks = written()
    monkeypatch.setattr(sheet_xml_module, "_MANY_ROWS", 10**9)
    assert by_blocks == written()
    assert by_blocks.count(b"<row ") == n + 1
