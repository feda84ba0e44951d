"""Worked examples of functions in the room files/workbook."""

from __future__ import annotations

import datetime

import numpy as np

from massprops_cli.files.options import ReadCaps
from massprops_cli.files.workbook.cells import (
    _elapsed_text,
    cell_address,
    cell_position,
    column_letters,
    date_text,
    is_dense_grid,
)
from massprops_cli.files.workbook.editor import _number_cell_texts
from massprops_cli.files.workbook.package import SheetEntry, _relations_part, integer_attribute, print_titles_reference
from massprops_cli.files.workbook.sheet_xml import OutputSheet, double_text, inline_xml, text_xml
from massprops_cli.files.workbook.sheets import _number_runs, _sheet_name_list
from massprops_cli.files.workbook.styles import _is_date_format
from massprops_cli.files.workbook.writer import _is_exact_number, _valid_sheet_names, new_workbook
from massprops_cli.files.workbook.xls import _xlsb_records
from massprops_cli.files.workbook.xlsx_scan import _byte_positions, _unescape_xml_text, corrupt_part_error, has_bytes


def test_cell_address_example() -> None:
    assert (cell_address(0, 0), cell_address(16, 10), cell_address(1048575, 16383)) == (("A1", "K17", "XFD1048576"))


def test_column_letters_example() -> None:
    assert (column_letters(0), column_letters(26), column_letters(702)) == (("A", "AA", "AAA"))


def test_cell_position_example() -> None:
    assert (cell_position("K17"), cell_position("$AA$1"), cell_position("17K")) == (((16, 10), (0, 26), None))


def test_date_text_example() -> None:
    assert (date_text(44000.0), date_text(44000.5), date_text(0.25), date_text(1.5, elapsed=True)) == (
        ("2020-06-18", "2020-06-18T12:00:00", "06:00:00", "36:00:00")
    )


def test_is_dense_grid_example() -> None:
    assert (is_dense_grid(2**34, 12, ReadCaps()), is_dense_grid(2_700_000, 2_600_000, ReadCaps())) == ((False, True))


def test_integer_attribute_example() -> None:
    assert (integer_attribute({"numFmtId": "14"}, "numFmtId"), integer_attribute({"numFmtId": "1e5"}, "numFmtId")) == (
        (14, 0)
    )


def test_print_titles_reference_example() -> None:
    assert (print_titles_reference("Parts", "$A:$A,$1:$1")) == ("'Parts'!$A:$A,'Parts'!$1:$1")


def test_double_text_example() -> None:
    assert (double_text(5.0), double_text(0.1), double_text(1e300), double_text(-0.0)) == (("5", "0.1", "1e+300", "-0"))


def test_text_xml_example() -> None:
    assert (text_xml("a<b" + chr(1)), text_xml("_x0041_")) == (("a&lt;b_x0001_", "_x005F_x0041_"))


def test_inline_xml_example() -> None:
    assert (inline_xml("=1+1")) == ("<is><t>=1+1</t></is>")


def test_new_workbook_example() -> None:
    import io

    assert (new_workbook(io.BytesIO(), [OutputSheet("Parts", [["id", "mass"], ["A", 1.5]])])) == ([])


def test_has_bytes_example() -> None:
    assert (has_bytes(b"<row r='1' hidden='1'>", b" hidden=", b"h", 0, 22)) is True


def test_corrupt_part_error_example() -> None:
    assert (
        corrupt_part_error(LookupError("unknown encoding: x"), "content.xml", "a.ods").findings[0].message
        == "content.xml has an encoding that is unknown: x"
    )


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
