"""Editing workbooks in place, read back by openpyxl, calamine and plain XML; untouched parts compared as bytes."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable

import numpy as np
import openpyxl
import pytest
import xlsxwriter
from python_calamine import CalamineWorkbook

from massprops_cli.files.table import ColumnEdit, TableEdit
from massprops_cli.files.workbook.editor import SheetEdit, edit_workbook
from massprops_cli.files.workbook.sheet_xml import CellLook, OutputSheet
from massprops_cli.files.workbook.styles import _MARK_COLOUR
from massprops_cli.findings.finding import OutputError, UsageError

# openpyxl warns about sparklines and extensions that it would lose; nothing here is saved by it
pytestmark = [
    pytest.mark.filterwarnings("ignore:.*extension is not supported"),
    pytest.mark.filterwarnings("ignore:Workbook contains no default style"),
]
VALUES = [1 / 3, 0.1 + 0.2, 1e-300, 123456789.12345679]
OWN = (
    OutputSheet("Rollup", [["id", "mass"], ["A", 0.1]], own=True),
    OutputSheet("Findings", [["rule"], ["MP402"]], own=True, looks={(1, 0): CellLook.WARNING}),
    OutputSheet("About", [["massprops"]], own=True, header_rows=0),
)
MAY_CHANGE = re.compile(
    r"xl/worksheets/sheet[12]\.xml|xl/worksheets/_rels/sheet1\.xml\.rels|xl/comments\d+\.xml|xl/drawings/vmlDrawing\d+\.vml"
    r"|xl/styles\.xml|xl/workbook\.xml|xl/_rels/workbook\.xml\.rels|\[Content_Types\]\.xml|docProps/app\.xml|xl/calcChain\.xml"
)
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c626001000000ffff03000006000557bfabd40000000049454e44ae426082"
)


def rich_workbook() -> bytes:
    out = io.BytesIO()
    book = xlsxwriter.Workbook(out)
    sheet = book.add_worksheet("Parts")
    form = book.add_format({"num_format": "0.000", "bold": True})
    sheet.write_row(0, 0, ["id", "parent", "mass", "Cx", "share", "note"])
    for k in range(1, 9):
        sheet.write_row(k, 0, [f"P{k}", "" if k == 1 else "P1"])
        sheet.write_number(k, 2, 0.1 * k, form)
        sheet.write_number(k, 3, float(k))
    sheet.write_formula(1, 4, "=SUM(C3:C9)", None, 4.4)
    sheet.write_array_formula("E3:E5", "{=C3:C5*2}", None, 0.4)
    sheet.merge_range("F3:F5", "merged")
    sheet.conditional_format("C2:C9", {"type": "data_bar", "bar_axis_position": "middle"})
    sheet.conditional_format("D2:D9", {"type": "3_color_scale"})
    sheet.data_validation("B2:B9", {"validate": "list", "source": ["P1", "P2"]})
    sheet.add_sparkline("G2", {"range": "Parts!C2:C9"})
    sheet.write_comment("A3", "a remark by the user", {"author": "Ada"})
    sheet.insert_image("J2", "dot.png", {"image_data": io.BytesIO(PNG)})
    sheet.insert_textbox("J9", "a shape")
    chart = book.add_chart({"type": "column"})
    chart.add_series({"values": "=Parts!$C$2:$C$9"})
    sheet.insert_chart("H2", chart)
    other = book.add_worksheet("Other")
    other.write_formula("A1", "=Parts!C2*2", None, 0.2)
    other.write_comment("A1", "elsewhere")
    book.define_name("Total", "=Parts!$C$2")
    book.close()
    return out.getvalue()


def filling(column: int = 2, rows: tuple[int, ...] = (1, 2, 5, 8), values: list[float] | None = None) -> TableEdit:
    return TableEdit((ColumnEdit(column, np.array(rows), np.array(values or VALUES)),))


def edited(data: bytes, sheets: tuple[OutputSheet, ...] = OWN, **words: object) -> tuple[bytes, list[str]]:
    out = io.BytesIO()
    edit = SheetEdit("Parts", **{"filling": filling(), "name": "bom.xlsx", **words})
    findings = edit_workbook(data, out, edit, sheets)
    return out.getvalue(), [finding.rule for finding in findings]


def members(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        assert package.testzip() is None
        return {name: package.read(name) for name in package.namelist()}


def with_members(data: bytes, change: Callable[[dict[str, bytes]], None]) -> bytes:
    parts = members(data)
    change(parts)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as package:
        for name, content in parts.items():
            package.writestr(name, content)
    return out.getvalue()


def replaced(data: bytes, name: str, old: bytes, new: bytes) -> bytes:
    def change(parts: dict[str, bytes]) -> None:
        assert old in parts[name]
        parts[name] = parts[name].replace(old, new)

    return with_members(data, change)


def sheet_of(rows: bytes, before: bytes = b"", after: bytes = b"", root: bytes | None = None) -> bytes:
    """A workbook whose sheet is written by hand."""
    out = io.BytesIO()
    book = openpyxl.Workbook()
    book.active.title = "Parts"
    book.save(out)
    opening = root or b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'

    def change(parts: dict[str, bytes]) -> None:
        parts["xl/worksheets/sheet1.xml"] = (
            opening + before + b"<sheetData>" + rows + b"</sheetData>" + after + b"</worksheet>"
        )

    return with_members(out.getvalue(), change)


def cells_of(data: bytes, sheet: str = "Parts") -> list[list[object]]:
    return CalamineWorkbook.from_filelike(io.BytesIO(data)).get_sheet_by_name(sheet).to_python(skip_empty_area=False)


def test_only_the_named_parts_change_and_all_others_stay_byte_for_byte() -> None:
    before = rich_workbook()
    after, _ = edited(before, comments=[(4, 2, "wrong")])
    old, new = members(before), members(after)
    assert not old.keys() - new.keys()
    changed = [name for name in old if old[name] != new[name] and not MAY_CHANGE.fullmatch(name)]
    assert changed == []
    assert sorted(new.keys() - old.keys()) == [f"xl/worksheets/sheet{k}.xml" for k in (3, 4, 5)]
    for name in ("xl/charts/chart1.xml", "xl/drawings/drawing1.xml", "xl/sharedStrings.xml"):
        assert old[name] == new[name]


def test_untouched_members_keep_their_compressed_bytes() -> None:
    before = rich_workbook()
    after, _ = edited(before)
    with zipfile.ZipFile(io.BytesIO(before)) as old, zipfile.ZipFile(io.BytesIO(after)) as new:
        for name in ("xl/charts/chart1.xml", "xl/theme/theme1.xml"):
            raw = []
            for data, package in ((before, old), (after, new)):
                info = package.getinfo(name)
                at = info.header_offset
                start = at + 30 + sum(int.from_bytes(data[at + k : at + k + 2], "little") for k in (26, 28))
                raw.append(data[start : start + info.compress_size])
            assert raw[0] == raw[1]


def test_sparklines_validation_and_conditional_formats_stay_in_the_sheet() -> None:
    before = rich_workbook()
    after, _ = edited(before)
    old, new = (members(data)["xl/worksheets/sheet1.xml"] for data in (before, after))
    assert old[old.index(b"</sheetData>") :] == new[new.index(b"</sheetData>") :]
    assert b"x14:sparkline" in new


def test_floats_read_back_bit_equal_and_keep_their_number_format() -> None:
    after, _ = edited(rich_workbook())
    book = openpyxl.load_workbook(io.BytesIO(after))
    sheet = book["Parts"]
    assert [sheet.cell(row + 1, 3).value for row in (1, 2, 5, 8)] == VALUES
    assert [row[2] for row in cells_of(after)][1::1][0] == VALUES[0]
    cell, plain = sheet["C2"], sheet["C5"]
    assert (cell.number_format, cell.font.b, cell.fill.fgColor.rgb) == ("0.000", True, _MARK_COLOUR)
    assert (plain.number_format, plain.fill.fill_type) == ("0.000", None)


def test_a_marked_format_states_that_its_fill_applies() -> None:
    styles = members(edited(rich_workbook(), ())[0])["xl/styles.xml"]
    cell_formats = styles[styles.index(b"<cellXfs") : styles.index(b"</cellXfs>")]
    assert b'applyFill="1"' in re.findall(rb"<xf [^>]*>", cell_formats)[-1]


def test_twice_is_once() -> None:
    words = {"comments": [(2, 0, "after the user's"), (4, 2, "alone <&>")]}
    once, _ = edited(rich_workbook(), **words)
    twice, _ = edited(once, **words)
    assert once == twice


def test_marks_and_comments_that_no_longer_hold_are_removed() -> None:
    before = rich_workbook()
    once, _ = edited(before, comments=[(2, 0, "old words"), (4, 2, "gone")])
    twice, _ = edited(once, filling=filling(rows=(1,), values=[7.0]))
    sheet = openpyxl.load_workbook(io.BytesIO(twice))["Parts"]
    assert sheet["C2"].fill.fgColor.rgb == _MARK_COLOUR
    assert sheet["C3"].fill.fill_type is None
    assert sheet["C3"].number_format == "0.000"
    assert sheet["A3"].comment.text == "a remark by the user"
    assert sheet["C5"].comment is None
    assert b"massprops_" not in members(twice)["xl/drawings/vmlDrawing1.vml"]


def test_comments_are_next_to_the_users() -> None:
    after, _ = edited(rich_workbook(), comments=[(2, 0, "not a number"), (4, 2, "mass is 0"), (4, 2, "two")])
    sheet = openpyxl.load_workbook(io.BytesIO(after))["Parts"]
    assert sheet["A3"].comment.text.startswith("a remark by the user")
    assert sheet["A3"].comment.text.endswith("not a number")
    assert (sheet["C5"].comment.text, sheet["C5"].comment.author) == ("mass is 0\ntwo", "massprops")
    drawing = members(after)["xl/drawings/vmlDrawing1.vml"]
    assert drawing.count(b"<v:shape ") == 2
    assert members(after)["xl/worksheets/sheet1.xml"].count(b"legacyDrawing") == 1


def test_a_thread_of_comments_is_left_alone() -> None:
    data = replaced(rich_workbook(), "xl/comments1.xml", b"<author>Ada</author>", b"<author>tc={0}</author>")
    after, _ = edited(data, comments=[(2, 0, "not a number")])
    assert openpyxl.load_workbook(io.BytesIO(after))["Parts"]["A3"].comment.text == "a remark by the user"


def test_first_comment_of_a_sheet_gets_its_drawing_before_tables_and_extensions() -> None:
    data = sheet_of(
        b'<row r="1"><c r="A1"><v>1</v></c></row>',
        after=b'<pageMargins left="1" right="1" top="1" bottom="1" header="1" footer="1"/>'
        b'<extLst><ext uri="{0}"/></extLst>',
    )
    after, _ = edited(data, filling=TableEdit(), comments=[(0, 0, "here")])
    text = members(after)["xl/worksheets/sheet1.xml"]
    assert text.index(b"<pageMargins") < text.index(b"<legacyDrawing") < text.index(b"<extLst")
    assert openpyxl.load_workbook(io.BytesIO(after))["Parts"]["A1"].comment.text == "here"
    assert edited(after, filling=TableEdit(), comments=[(0, 0, "here")])[0] == after


def test_a_formula_is_kept_and_reported() -> None:
    after, rules = edited(rich_workbook(), filling=filling(column=4, rows=(1,), values=[9.5]))
    sheet = openpyxl.load_workbook(io.BytesIO(after))["Parts"]
    assert sheet["E2"].value == "=SUM(C3:C9)"
    assert cells_of(after)[1][4] == 4.4
    assert rules == ["MP121"]
    assert "9.5" in sheet["E2"].comment.text


def test_a_formula_is_overwritten_when_requested() -> None:
    after, rules = edited(rich_workbook(), filling=filling(column=4, rows=(1,), values=[9.5]), overwrite_formulas=True)
    assert openpyxl.load_workbook(io.BytesIO(after))["Parts"]["E2"].value == 9.5
    assert rules == []


def test_part_of_an_array_formula_is_never_overwritten() -> None:
    words = {"filling": filling(column=4, rows=(3,), values=[9.5]), "overwrite_formulas": True}
    after, rules = edited(rich_workbook(), **words)
    assert b't="array" ref="E3:E5"' in members(after)["xl/worksheets/sheet1.xml"]
    assert rules == ["MP121"]


def test_formulas_that_agree_are_reported_once() -> None:
    out = io.BytesIO()
    edit = SheetEdit("Parts", filling(column=4, rows=(1,), values=[4.4]), name="b.xlsx")
    found = edit_workbook(rich_workbook(), out, edit)
    assert [(one.rule, one.count) for one in found] == [("MP121", 1)]
    assert "formulas that give the computed value" in found[0].message


SHARED = (
    b'<row r="1"><c r="A1"><v>1</v></c><c r="B1"><f t="shared" ref="B1:B3" si="0">A1*2+$A$1</f><v>3</v></c></row>'
    b'<row r="2"><c r="A2"><v>2</v></c><c r="B2"><f t="shared" si="0"/><v>5</v></c></row>'
    b'<row r="3"><c r="A3"><v>3</v></c><c r="B3"><f t="shared" si="0"/><v>7</v></c></row>'
)


def test_overwriting_the_head_of_a_shared_formula_leaves_the_others_whole() -> None:
    after, _ = edited(sheet_of(SHARED), filling=filling(column=1, rows=(0,), values=[0.5]), overwrite_formulas=True)
    sheet = openpyxl.load_workbook(io.BytesIO(after))["Parts"]
    assert [sheet[f"B{k}"].value for k in (1, 2, 3)] == [0.5, "=A2*2+$A$1", "=A3*2+$A$1"]


def test_calculation_chain_goes_with_an_overwritten_formula_only() -> None:
    def change(parts: dict[str, bytes]) -> None:
        parts["xl/calcChain.xml"] = (
            b'<calcChain xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
            b'<c r="E2" i="1"/></calcChain>'
        )
        parts["xl/_rels/workbook.xml.rels"] = parts["xl/_rels/workbook.xml.rels"].replace(
            b"</Relationships>",
            b'<Relationship Id="rId90" Type="http://schemas.openxmlformats.org/officeDocument/2006/'
            b'relationships/calcChain" Target="calcChain.xml"/></Relationships>',
        )

        parts["[Content_Types].xml"] = parts["[Content_Types].xml"].replace(
            b"</Types>",
            b'<Override PartName="/xl/calcChain.xml" ContentType="application/vnd.openxmlformats-officedocument.'
            b'spreadsheetml.calcChain+xml"/></Types>',
        )

    data = with_members(rich_workbook(), change)
    words = {"filling": filling(column=4, rows=(1,), values=[9.5])}
    assert "xl/calcChain.xml" in members(edited(data, **words)[0])
    after = members(edited(data, **words, overwrite_formulas=True)[0])
    assert "xl/calcChain.xml" not in after
    assert b"calcChain" not in after["xl/_rels/workbook.xml.rels"] + after["[Content_Types].xml"]


def test_formulas_are_computed_on_opening_only_when_values_went_in() -> None:
    without = replaced(rich_workbook(), "xl/workbook.xml", b' fullCalcOnLoad="1"', b"")
    assert b'fullCalcOnLoad="1"' in members(edited(without)[0])["xl/workbook.xml"]
    assert b"fullCalcOnLoad" not in members(edited(without, filling=TableEdit())[0])["xl/workbook.xml"]


def test_absent_rows_and_cells_are_put_in_order() -> None:
    rows = b'<row r="2" spans="1:2"><c r="A2"><v>1</v></c><c r="D2"><v>4</v></c></row><row r="5"/>'
    data = sheet_of(rows, before=b'<dimension ref="A2:D5"/>')
    fills = TableEdit(tuple(ColumnEdit(c, np.array([0, 1, 3, 4, 6]), np.arange(5.0) + c) for c in (1, 4)))
    after, _ = edited(data, filling=fills)
    assert cells_of(after) == [
        ["", 1.0, "", "", 4.0],
        [1.0, 2.0, "", 4.0, 5.0],
        [""] * 5,
        ["", 3.0, "", "", 6.0],
        ["", 4.0, "", "", 7.0],
        [""] * 5,
        ["", 5.0, "", "", 8.0],
    ]
    text = members(after)["xl/worksheets/sheet1.xml"]
    assert [int(k) for k in re.findall(rb'<row r="(\d+)"', text)] == [1, 2, 4, 5, 7]
    assert b'<dimension ref="A1:E7"/>' in text
    assert b"spans" not in text
    assert edited(after, filling=fills)[0] == after


def test_a_new_cell_takes_the_format_of_its_row_or_column() -> None:
    data = rich_workbook()
    data = replaced(
        data,
        "xl/worksheets/sheet1.xml",
        b"<sheetData>",
        b'<cols><col min="9" max="9" width="9" style="1"/></cols><sheetData>',
    )
    after, _ = edited(data, filling=filling(column=8, rows=(1,), values=[2.0]))
    assert openpyxl.load_workbook(io.BytesIO(after))["Parts"]["I2"].number_format == "0.000"


def test_cells_without_addresses_are_counted() -> None:
    data = sheet_of(b"<row><c><v>1</v></c><c><v>2</v></c></row><row><c><v>3</v></c><c><v>4</v></c></row>")
    after, _ = edited(data, filling=filling(column=1, rows=(1,), values=[0.25]))
    assert cells_of(after) == [[1.0, 2.0], [3.0, 0.25]]


def test_a_prefixed_sheet_is_edited() -> None:
    main = b"http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    data = sheet_of(b"")
    text = (
        b'<x:worksheet xmlns:x="'
        + main
        + b'"><x:sheetData><x:row r="1"><x:c r="A1"><x:v>1</x:v></x:c></x:row></x:sheetData></x:worksheet>'
    )
    data = with_members(data, lambda parts: parts.update({"xl/worksheets/sheet1.xml": text}))
    after, _ = edited(data, filling=filling(column=0, rows=(0, 1), values=[0.5, 0.75]), comments=[(0, 0, "here")])
    sheet = openpyxl.load_workbook(io.BytesIO(after))["Parts"]
    assert [sheet["A1"].value, sheet["A2"].value, sheet["A1"].comment.text] == [0.5, 0.75, "here"]


@pytest.mark.parametrize(
    "rows",
    [
        b"<row r='1'><c r='A1'><v>1</v></c></row>",
        b'<!-- <row r="1"/> --><row r="1"><c r="A1"><v>1</v></c></row>',
        b'<row r="1"><c r="A1" t="inlineStr"><is><t><![CDATA[</c></row>]]></t></is></c></row>',
    ],
)
def test_unusual_ways_of_writing_a_sheet(rows: bytes) -> None:
    after, _ = edited(sheet_of(rows), filling=filling(column=1, rows=(0,), values=[0.5]))
    assert cells_of(after)[0][1] == 0.5


def test_a_sheet_in_utf16_is_edited() -> None:
    data = rich_workbook()

    def change(parts: dict[str, bytes]) -> None:
        text = parts["xl/worksheets/sheet1.xml"].decode().replace("UTF-8", "UTF-16")
        parts["xl/worksheets/sheet1.xml"] = text.encode("utf-16")

    after, _ = edited(with_members(data, change))
    assert openpyxl.load_workbook(io.BytesIO(after))["Parts"]["C2"].value == VALUES[0]


def test_an_empty_sheet_takes_values() -> None:
    data = with_members(
        sheet_of(b""),
        lambda parts: parts.update(
            {
                "xl/worksheets/sheet1.xml": parts["xl/worksheets/sheet1.xml"].replace(
                    b"<sheetData></sheetData>", b"<sheetData/>"
                )
            }
        ),
    )
    assert cells_of(edited(data, filling=filling(column=0, rows=(0,), values=[1.5]))[0]) == [[1.5]]


def test_merged_cells_are_written_in_their_corner_only() -> None:
    after, _ = edited(rich_workbook(), filling=filling(column=5, rows=(2, 3), values=[1.5, 2.5]))
    sheet = openpyxl.load_workbook(io.BytesIO(after))["Parts"]
    assert sheet["F3"].value == 1.5
    assert b"2.5" not in members(after)["xl/worksheets/sheet1.xml"]


def test_text_is_written_as_text() -> None:
    texts = ["=1+1", "a <b> & \x01 \ud800", "_x0041_", " padded "]
    after, _ = edited(rich_workbook(), filling=TableEdit((ColumnEdit(5, np.array([1, 5, 6, 7]), texts),)))
    sheet = openpyxl.load_workbook(io.BytesIO(after))["Parts"]
    assert (sheet["F2"].value, sheet["F2"].data_type) == ("=1+1", "s")
    assert cells_of(after)[6][5] == "_x0041_"
    assert cells_of(after)[7][5] == " padded "


def test_too_long_a_text_is_reported() -> None:
    after, rules = edited(rich_workbook(), filling=TableEdit((ColumnEdit(5, np.array([1]), ["x" * 40_000]),)))
    assert rules == ["MP129"]
    assert len(str(cells_of(after)[1][5])) == 32_767


def test_blank_values_clear_cells() -> None:
    after, _ = edited(rich_workbook(), filling=filling(rows=(1, 2), values=[np.nan, np.inf]))
    assert [row[2] for row in cells_of(after)[1:3]] == ["", ""]


def test_headers_are_renamed_without_a_mark() -> None:
    after, _ = edited(rich_workbook(), filling=TableEdit(renames={2: "mass [kg]"}))
    cell = openpyxl.load_workbook(io.BytesIO(after))["Parts"]["C1"]
    assert (cell.value, cell.fill.fill_type) == ("mass [kg]", None)


def test_the_grid_may_begin_anywhere() -> None:
    after, _ = edited(rich_workbook(), filling=filling(column=1, rows=(0,), values=[0.5]), first_row=3, first_column=2)
    assert openpyxl.load_workbook(io.BytesIO(after))["Parts"]["D4"].value == 0.5


def test_own_sheets_are_added_listed_and_replaced() -> None:
    once, _ = edited(rich_workbook())
    book = openpyxl.load_workbook(io.BytesIO(once))
    assert book.sheetnames == ["Parts", "Other", "Rollup", "Findings", "About"]
    assert b"<vt:i4>5</vt:i4>" in members(once)["docProps/app.xml"]
    titles = re.findall(rb"<vt:lpstr>([^<]*)</vt:lpstr>", members(once)["docProps/app.xml"])
    assert titles[-6:] == [b"Parts", b"Other", b"Rollup", b"Findings", b"About", b"Total"]
    twice, _ = edited(once, (OutputSheet("Rollup", [["id"], ["new"]], own=True), *OWN[1:]))
    assert openpyxl.load_workbook(io.BytesIO(twice)).sheetnames == book.sheetnames
    assert cells_of(twice, "Rollup") == [["id"], ["new"]]


def test_a_users_own_sheet_of_that_name_stays() -> None:
    data = replaced(rich_workbook(), "xl/workbook.xml", b'name="Other"', b'name="rollup"')
    once, rules = edited(data)
    assert rules == ["MP136", "MP131"]
    assert openpyxl.load_workbook(io.BytesIO(once)).sheetnames == [
        "Parts",
        "rollup",
        "Rollup (massprops)",
        "Findings",
        "About",
    ]
    # A1 is twice a filled cell
    other = members(data)["xl/worksheets/sheet2.xml"].replace(b"<v>0.2</v>", b"")
    assert members(once)["xl/worksheets/sheet2.xml"] == other
    assert edited(once)[0] == once


def test_a_broken_signature_is_reported() -> None:
    data = with_members(rich_workbook(), lambda parts: parts.update({"_xmlsignatures/sig1.xml": b"<Signature/>"}))
    assert edited(data)[1] == ["MP136", "MP122"]


def test_a_macro_workbook_stays_one(tmp_path: pytest.TempPathFactory) -> None:
    project = tmp_path / "vbaProject.bin"
    project.write_bytes(b"not really a project")
    out = io.BytesIO()
    book = xlsxwriter.Workbook(out)
    book.add_worksheet("Parts").write_row(0, 0, ["id", "mass"])
    book.add_vba_project(str(project))
    book.close()
    after, _ = edited(out.getvalue(), filling=filling(column=1, rows=(1,), values=[1.5]))
    parts = members(after)
    assert parts["xl/vbaProject.bin"] == b"not really a project"
    assert b"sheet.macroEnabled.main+xml" in parts["[Content_Types].xml"]


def test_a_strict_workbook_stays_strict() -> None:
    def change(parts: dict[str, bytes]) -> None:
        for name in list(parts):
            parts[name] = (
                parts[name]
                .replace(
                    b"http://schemas.openxmlformats.org/spreadsheetml/2006/main",
                    b"http://purl.oclc.org/ooxml/spreadsheetml/main",
                )
                .replace(
                    b"http://schemas.openxmlformats.org/officeDocument/2006/relationships",
                    b"http://purl.oclc.org/ooxml/officeDocument/relationships",
                )
            )

    after, _ = edited(with_members(rich_workbook(), change))
    parts = members(after)
    for name in ("xl/worksheets/sheet3.xml", "xl/workbook.xml", "xl/styles.xml"):
        assert b"schemas.openxmlformats.org/spreadsheetml" not in parts[name]
    assert b"openxmlformats.org/officeDocument/2006" not in parts["xl/_rels/workbook.xml.rels"]
    assert b"<v>0.3333333333333333</v>" in parts["xl/worksheets/sheet1.xml"]


def test_a_workbook_without_formats_gets_them() -> None:
    def change(parts: dict[str, bytes]) -> None:
        del parts["xl/styles.xml"]
        for name in ("xl/_rels/workbook.xml.rels", "[Content_Types].xml"):
            parts[name] = re.sub(rb"<(?:Relationship|Override)[^>]*styles[^>]*/>", b"", parts[name])

    data = with_members(sheet_of(b'<row r="1"><c r="A1"><v>1</v></c></row>'), change)
    after, _ = edited(data, filling=filling(column=0, rows=(0,), values=[1.5]))
    assert openpyxl.load_workbook(io.BytesIO(after))["Parts"]["A1"].fill.fgColor.rgb == _MARK_COLOUR


def test_wrong_calls_and_corrupt_parts_are_reported_without_a_traceback() -> None:
    with pytest.raises(UsageError, match="no worksheet Nowhere"):
        edit_workbook(rich_workbook(), io.BytesIO(), SheetEdit("Nowhere"))
    broken = with_members(rich_workbook(), lambda parts: parts.update({"xl/comments1.xml": b"<comments>"}))
    with pytest.raises(OutputError, match="corrupt"):
        edited(broken, comments=[(0, 0, "x")])


def test_many_rows_cross_the_pieces() -> None:
    out = io.BytesIO()
    book = xlsxwriter.Workbook(out, {"constant_memory": True})
    sheet = book.add_worksheet("Parts")
    for k in range(3000):
        sheet.write_row(k, 0, [f"P{k}", k])
    book.close()
    rows = np.arange(0, 3000, 2)
    after, _ = edited(out.getvalue(), filling=TableEdit((ColumnEdit(1, rows, np.sqrt(rows)),)))
    assert [row[1] for row in cells_of(after)] == [k**0.5 if k % 2 == 0 else k for k in range(3000)]


@pytest.mark.parametrize("count", [3, 2_000])
def test_numbers_of_few_and_of_many_cells_read_back_the_same(count, tmp_path):
    numbers = np.random.default_rng(count).normal(0, 1, count) * 10.0 ** (np.arange(count) % 40 - 20)
    numbers[:3] = 1e-7, -0.0001, 12.0
    book = openpyxl.Workbook()
    book.active.append(["id", "mass"])
    for k in range(count):
        book.active.append([f"N{k}", None])
    book.save(tmp_path / "bom.xlsx")
    edit = SheetEdit(book.active.title, TableEdit((ColumnEdit(1, np.arange(1, count + 1), numbers),)))
    out = io.BytesIO()
    edit_workbook(tmp_path / "bom.xlsx", out, edit)
    rows = openpyxl.load_workbook(out).active.iter_rows(min_row=2, min_col=2, max_col=2, values_only=True)
    assert [row[0] for row in rows] == numbers.tolist()
