"""Worked examples of functions in the room files/workbook."""

from __future__ import annotations

from massprops_cli.files.options import ReadCaps
from massprops_cli.files.table import shortest_number_text
from massprops_cli.files.workbook.cells import cell_address, cell_position, column_letters, date_text, is_dense_grid
from massprops_cli.files.workbook.package import integer_attribute, print_titles_reference
from massprops_cli.files.workbook.sheet_xml import OutputSheet, inline_xml, text_xml
from massprops_cli.files.workbook.writer import new_workbook
from massprops_cli.files.workbook.xlsx_scan import _corrupt_part_error, has_bytes


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


def test_texts_of_doubles() -> None:
    assert [*map(shortest_number_text, (5.0, 0.1, 1e300, -0.0))] == ["5", "0.1", "1e+300", "-0"]


def test_text_xml_example() -> None:
    assert (text_xml("a<b" + chr(1)), text_xml("_x0041_")) == (("a&lt;b_x0001_", "_x005F_x0041_"))


def test_inline_xml_example() -> None:
    assert (inline_xml("=1+1")) == ("<is><t>=1+1</t></is>")


def test_new_workbook_example() -> None:
    import io

    assert (new_workbook(io.BytesIO(), [OutputSheet("Parts", [["id", "mass"], ["A", 1.5]])])) == ([])


def test_has_bytes_example() -> None:
    assert (has_bytes(b"<row r='1' hidden='1'>", b" hidden=", b"h", 0, 22)) is True


def test__corrupt_part_error_example() -> None:
    assert (
        _corrupt_part_error(LookupError("unknown encoding: x"), "content.xml", "a.ods").findings[0].message
        == "content.xml has an encoding that is unknown: x"
    )


def test_print_titles_example() -> None:
    sheet = OutputSheet("Parts", [["id", "mass"], ["A", 1.5]], frozen_columns=1)
    assert (sheet.header_rows, sheet.print_titles) == (1, "$A:$A,$1:$1")
