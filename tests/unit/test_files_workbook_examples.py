"""Worked examples of private functions: reading and writing of workbooks."""

from __future__ import annotations

import datetime

import numpy as np

from massprops_cli.files.workbook.cells import _elapsed_text, _number_runs, _sheet_name_list
from massprops_cli.files.workbook.editor import _number_cell_texts
from massprops_cli.files.workbook.package import SheetEntry, _relations_part
from massprops_cli.files.workbook.styles import _is_date_format
from massprops_cli.files.workbook.writer import _is_exact_number, _valid_sheet_names
from massprops_cli.files.workbook.xls import _xlsb_records
from massprops_cli.files.workbook.xlsx_scan import _byte_positions, _unescape_xml_text


def test_elapsed_text() -> None:
    assert _elapsed_text(datetime.timedelta(days=1, hours=12, seconds=5)) == "36:00:05"


def test_number_cell_texts() -> None:
    assert _number_cell_texts(np.array([2.0, 0.1, np.nan])) == [b"2", b"0.1", b""]


def test_relations_part() -> None:
    assert (_relations_part("xl/workbook.xml"), _relations_part("")) == ("xl/_rels/workbook.xml.rels", "_rels/.rels")


def test_sheet_name_list() -> None:
    assert (
        _sheet_name_list([SheetEntry("Parts", ""), SheetEntry("Old", "", state="hidden")]) == "'Parts', 'Old' (hidden)"
    )


def test_number_runs() -> None:
    assert _number_runs([3, 4, 5, 9]) == "3-5, 9"


def test_is_date_format() -> None:
    assert [_is_date_format(code) for code in ("yyyy-mm-dd", '0.00" days"', "[h]:mm", "[Red]0")] == [
        True,
        False,
        True,
        False,
    ]


def test_valid_sheet_names() -> None:
    assert _valid_sheet_names(["a/b", "A/B", ""]) == ["a_b", "A_B 2", "Sheet"]


def test_is_exact_number() -> None:
    assert (_is_exact_number(1e999, "1e999"), _is_exact_number(0.0, "1e-999"), _is_exact_number(0.0, "0.00e5")) == (
        False,
        False,
        True,
    )


def test_xlsb_records() -> None:
    assert list(_xlsb_records(bytes([0x81, 0x01, 0x00, 0x05, 0x02, 0xAA, 0xBB]))) == [(129, b""), (5, b"\xaa\xbb")]


def test_byte_positions() -> None:
    assert _byte_positions(b"<c r='A1'/><c r='B1'/>", b"<c ").tolist() == [0, 11]


def test_unescape_xml_text() -> None:
    assert (_unescape_xml_text("a_x000A_b"), _unescape_xml_text("_x005F_x000A_")) == ("a\nb", "_x000A_")
