from __future__ import annotations

import io
from pathlib import Path

import pytest

from massprops_cli.files.options import FileOptions, ReadCaps
from massprops_cli.files.table import BLANK, NUMBER, TEXT, Table
from massprops_cli.files.workbook.xlsx import _open_workbook, read_workbook
from massprops_cli.findings.finding import Finding, Findings, TableError
from tests.unit.workbook_parts import MAIN, STRICT_MAIN, TABLE, TEXTS, packed, parts, rows_xml, sheet_xml, workbook


def read(data: bytes | Path, format: str = "xlsx", **options: object) -> tuple[Table, list[Finding]]:
    findings = Findings()
    return read_workbook("bom.xlsx", data, format, FileOptions(**options), None, findings), findings


def texts(table: Table) -> list[list[str]]:
    return [table.row(i) for i in range(table.n_rows)]


def rules(findings: list[Finding]) -> list[str]:
    return [finding.rule for finding in findings]


def rejected(data: bytes, format: str = "xlsx", **options: object) -> list[Finding]:
    with pytest.raises(TableError) as caught:
        read(data, format, **options)
    return list(caught.value.findings)


def test_plain_table_keeps_ids_as_text_and_numbers_as_they_are() -> None:
    table, findings = read(workbook(rows_xml(TABLE)))
    assert texts(table) == TEXTS
    assert findings == []
    assert str(table.place(2, 2)) == "bom.xlsx:Parts!C3"
    (mass,) = table.numbers([2], 1)
    assert mass.states.tolist() == [BLANK, NUMBER, NUMBER]
    assert mass.values[1:].tolist() == [1.25, 2.5]
    assert table.is_typed(2, 1).tolist() == [False, True, True]
    assert table.numbers([0], 1)[0].states.tolist() == [TEXT] * 3


def test_values_are_what_openpyxl_wrote(tmp_path: Path) -> None:
    import openpyxl

    book = openpyxl.Workbook()
    sheet = book.active
    rows = [
        ["id", " padded "],
        ["1e5", 0.1],
        ["=not", 1 / 3],
        ["a\tb", 1e-300],
        ["Ω&<>\"'", 123456789.125],
        ["x", True],
    ]
    for row in rows:
        sheet.append(row)
    sheet["A3"].data_type = "s"
    book.save(tmp_path / "a.xlsx")
    table, findings = read(tmp_path / "a.xlsx")
    expected = openpyxl.load_workbook(tmp_path / "a.xlsx").active
    for i, row in enumerate(expected.iter_rows(values_only=True)):
        for j, value in enumerate(row):
            shown = table.text(i, j)
            assert (
                shown == ("true" if value is True else value)
                if isinstance(value, (str, bool))
                else float(shown) == value
            )
    assert findings == []


def test_grid_starts_where_the_cells_start() -> None:
    table, _ = read(workbook('<row r="3"><c r="C3"><v>1</v></c><c r="D3"><v>2</v></c></row>'))
    assert texts(table) == [["1", "2"]]
    assert str(table.place(0, 1)) == "bom.xlsx:Parts!D3"
    assert table.sheet_info is not None
    assert (table.sheet_info.first_row, table.sheet_info.first_column) == (2, 2)


STRINGS = (
    "<si><r><t>ri</t></r><r><rPr><b/></rPr><t xml:space='preserve'> ch</t></r>"
    "<rPh sb='0' eb='1'><t>phonetic</t></rPh></si>"
    "<si><t>a_x000A_b</t></si><si><t>_x005F_x000A_</t></si><si><t xml:space='preserve'>  pad </t></si>"
)
ODD_ROWS = (
    '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="s"><v>2</v></c>'
    '<c r="D1" t="s"><v>3</v></c></row>'
    '<row r="2"><c r="A2" t="b"><v>1</v></c><c r="B2" t="b"><v>0</v></c><c r="C2" t="str"><f>A1</f><v>001</v></c>'
    '<c r="D2"><v>0.30000000000000004</v></c></row>'
    '<row r="4"><c r="A4" s="1"><v>44000</v></c><c r="B4" s="1"><v>44000.5</v></c><c r="C4" t="d"><v>2024-01-02</v></c>'
    '<c r="D4" t="inlineStr"><is><r><t>x</t></r><r><t xml:space="preserve"> y</t></r></is></c></row>'
)
ODD_STYLES = '<cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs>'
ODD_TEXTS = [
    ["ri ch", "a\nb", "_x000A_", "  pad "],
    ["true", "false", "001", "0.30000000000000004"],
    ["", "", "", ""],
    ["2020-06-18", "2020-06-18T12:00:00", "2024-01-02", "x y"],
]


def test_every_kind_of_cell() -> None:
    table, findings = read(workbook(ODD_ROWS, strings=STRINGS, styles=ODD_STYLES))
    assert texts(table) == ODD_TEXTS
    assert findings == []
    assert table.sheet_info is not None
    assert table.sheet_info.formulas == {(1, 2)}


@pytest.mark.parametrize("how", ["comment", "prefix", "quotes", "no addresses"])
def test_element_reader_gives_the_same_table(how: str) -> None:
    sheet = sheet_xml(ODD_ROWS)
    if how == "comment":
        sheet = sheet.replace("<sheetData>", "<sheetData><!-- c -->")
    elif how == "prefix":
        for name in ("worksheet", "sheetData", "row", "c", "v", "f", "is", "r", "t"):
            for opening in (f"<{name}>", f"<{name} ", f"</{name}>"):
                sheet = sheet.replace(opening, opening.replace(name, f"x:{name}", 1))
        sheet = sheet.replace("xmlns=", "xmlns:x=")
    elif how == "quotes":
        sheet = sheet.replace('"', "'")
    else:
        for name in ("A", "B", "C", "D"):
            for i in (1, 2, 4):
                sheet = sheet.replace(f' r="{name}{i}"', "")
    table, findings = read(packed(parts({"Parts": sheet}, STRINGS, ODD_STYLES)))
    assert texts(table) == ODD_TEXTS
    assert findings == []


def test_error_cells_are_named_and_shown() -> None:
    rows = (
        rows_xml(TABLE)
        .replace("<v>1.25</v>", "<v>1.25</v>")
        .replace('<c r="C3"><v>1.25</v></c>', '<c r="C3" t="e"><f>1/0</f><v>#DIV/0!</v></c>')
    )
    table, findings = read(workbook(rows))
    assert rules(findings) == ["MP117"]
    assert findings[0].place.cell == "C3"
    assert "#DIV/0!" in findings[0].message
    assert table.text(2, 2) == "#DIV/0!"


def test_formula_without_saved_value() -> None:
    rows = rows_xml(TABLE).replace('<c r="C3"><v>1.25</v></c>', '<c r="C3"><f>1+1</f><v></v></c>')
    rows = rows.replace('<c r="C4"><v>2.5</v></c>', '<c r="C4"><f>1+1</f><v>2</v></c>')
    table, findings = read(workbook(rows))
    assert rules(findings) == ["MP116"]
    assert findings[0].place.cell == "C3"
    assert table.sheet_info is not None
    assert table.sheet_info.formulas == {(2, 2), (3, 2)}


def test_merged_cells() -> None:
    across = (
        '<mergeCells count="3"><mergeCell ref="B3:B4"/><mergeCell ref="A2:C2"/><mergeCell ref="A1:A2"/></mergeCells>'
    )
    _table, findings = read(workbook(rows_xml(TABLE), after=across))
    # A2:C2 covers blanks in one row only, A1:A2 hides the id A, B3:B4 hides the parent of row 4
    assert [(f.rule, f.place.cell) for f in findings] == [("MP118", "A1:A2"), ("MP118", "B3:B4")]


def test_hidden_rows_and_columns() -> None:
    rows = rows_xml(TABLE).replace('<row r="3">', '<row r="3" hidden="1">')
    table, findings = read(workbook(rows, before='<cols><col min="3" max="3" width="9" hidden="1"/></cols>'))
    assert rules(findings) == ["MP119", "MP119"]
    assert findings[0].message == "1 row is hidden or filtered, and included: 3"
    assert findings[1].message.endswith(": C")
    assert table.sheet_info is not None
    assert table.sheet_info.hidden is not None
    assert table.sheet_info.hidden.tolist() == [2]


STYLES = (
    "<fonts><font/><font><strike/></font></fonts>"
    '<cellXfs><xf fontId="0"/><xf fontId="1"/><xf fontId="0"><alignment horizontal="left" indent="2"/></xf>'
    '<xf fontId="0" numFmtId="2"/></cellXfs>'
)


def test_struck_out_rows_indent_outline_and_number_formats() -> None:
    rows = rows_xml(TABLE).replace('r="A4"', 'r="A4" s="1"').replace('r="A3"', 'r="A3" s="2"')
    rows = rows.replace('r="C3"', 'r="C3" s="3"').replace(
        '<row r="3">', '<row r="3" outlineLevel="2" s="1" customFormat="1">'
    )
    table, findings = read(workbook(rows, styles=STYLES))
    assert rules(findings) == ["MP120"]
    info = table.sheet_info
    assert info is not None
    assert info.struck is not None
    assert info.struck.tolist() == [3]
    assert {j: a.tolist() for j, a in info.indent.items()} == {0: [0, 0, 2, 0]}
    assert info.outline is not None
    assert info.outline.tolist() == [0, 0, 2, 0]
    assert info.number_formats == {(2, 2): "0.00"}


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize(("stated", "read_as"), [("1", True), ("0", False), ("", None)])
def test_what_the_sheet_states_of_its_outline(stated: str, read_as: bool | None, strict: bool) -> None:
    reported = f'<sheetPr><outlinePr summaryBelow="{stated}"/></sheetPr>' if stated else ""
    space = STRICT_MAIN if strict else MAIN
    sheet = sheet_xml(rows_xml(TABLE), before=reported, namespace=space)
    table, _ = read(packed(parts({"Parts": sheet}, strict=strict)))
    assert table.sheet_info is not None
    assert table.sheet_info.summary_below is read_as


def test_strict_workbook() -> None:
    table, findings = read(packed(parts({"Parts": sheet_xml(rows_xml(TABLE), namespace=STRICT_MAIN)}, strict=True)))
    assert texts(table) == TEXTS
    assert findings == []


@pytest.mark.parametrize("stated", ["A1:B2", "A1:XFD1048576"])
def test_a_wrong_dimension_has_no_effect(stated: str) -> None:
    table, findings = read(workbook(rows_xml(TABLE), before=f'<dimension ref="{stated}"/>'))
    assert texts(table) == TEXTS
    assert findings == []


def test_stray_cell_is_left_alone_and_reported() -> None:
    stray = '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
    table, findings = read(workbook(rows_xml(TABLE) + stray))
    assert texts(table) == TEXTS
    assert [(f.rule, f.place.cell) for f in findings] == [("MP128", "XFD1048576")]


def test_stray_cell_in_disorder_before_the_table() -> None:
    stray = '<row r="1048576"><c r="A1048576"><v>1</v></c><c r="ZZ2"><v>1</v></c></row>'
    table, findings = read(workbook(stray + rows_xml(TABLE)))
    assert [row[:3] for row in texts(table)] == TEXTS
    assert "MP128" in rules(findings)


def test_more_cells_than_the_cap() -> None:
    (finding,) = rejected(workbook(rows_xml(TABLE)), caps=ReadCaps(cells=4))
    assert finding.rule == "MP114"
    assert "--config cap=cells=" in finding.remedy


def test_sheets_by_name_number_and_choice() -> None:
    table = sheet_xml(rows_xml(TABLE))
    other = sheet_xml(rows_xml([["name", "cost"], ["x", 1.0]]))
    data = packed(parts({"Parts": table, "Cost": other, "Empty": sheet_xml()}))
    opened = _open_workbook("bom.xlsx", data, "xlsx", ReadCaps())
    assert [entry.name for entry in opened.entries] == ["Parts", "Cost", "Empty"]
    assert texts(read(data, sheet="Parts")[0]) == TEXTS
    assert texts(read(data, sheet="2")[0]) == [["name", "cost"], ["x", "1"]]
    (several,) = rejected(data)
    assert several.rule == "MP112"
    assert "'Parts', 'Cost'" in several.message
    (missing,) = rejected(data, sheet="Nowhere")
    assert missing.rule == "MP113"
    assert "'Parts', 'Cost', 'Empty'" in missing.message
    found = read_workbook(
        "bom.xlsx", data, "xlsx", FileOptions(), lambda header: {"id", "mass"} <= set(header), Findings()
    )
    assert texts(found) == TEXTS


def test_only_sheet_with_a_table_is_chosen_and_own_sheets_do_not_count() -> None:
    table = sheet_xml(rows_xml(TABLE))
    own = sheet_xml(rows_xml([["massprops", "1"], ["x", "y"]]))
    data = packed(parts({"Parts": table, "Rollup": table, "About": own, "Note": sheet_xml(rows_xml([["hello"]]))}))
    assert read(data)[0].source.sheet == "Parts"
    (several,) = rejected(packed(parts({"Parts": table, "Rollup": table})))
    assert several.rule == "MP112"


def test_very_hidden_sheet_is_not_a_candidate() -> None:
    table = sheet_xml(rows_xml(TABLE))
    made = parts({"Parts": table, "Old": table})
    made["xl/workbook.xml"] = made["xl/workbook.xml"].replace('name="Old"', 'name="Old" state="veryHidden"')
    assert read(packed(made))[0].source.sheet == "Parts"


def test_empty_sheet() -> None:
    (finding,) = rejected(workbook())
    assert finding.rule == "MP111"


def test_xls_by_xlwt() -> None:
    import xlwt

    book = xlwt.Workbook()
    sheet = book.add_sheet("Parts", cell_overwrite_ok=True)
    for i, row in enumerate(TABLE):
        for j, value in enumerate(row):
            if value is not None:
                sheet.write(i, j, value)
    out = io.BytesIO()
    book.save(out)
    table, findings = read(out.getvalue(), "xls")
    assert texts(table) == TEXTS
    assert findings == []
    (finding,) = rejected(out.getvalue()[:1500], "xls")
    assert finding.rule == "MP104"


def test_xls_errors_hidden_rows_merged_cells_and_outline() -> None:
    import xlwt

    book = xlwt.Workbook()
    book.add_sheet("Before").write(0, 0, "x")
    sheet = book.add_sheet("Parts", cell_overwrite_ok=True)
    for i, row in enumerate([*TABLE, *[[f"P{k}", "A", 1.0] for k in range(400)]]):
        for j, value in enumerate(row):
            if value is not None and (i, j) != (2, 2):
                sheet.write(i, j, value)
    sheet.row(2).set_cell_error(2, "#DIV/0!")
    sheet.row(3).hidden = True
    sheet.row(3).level = 2
    sheet.write_merge(5, 6, 1, 1, "A")
    out = io.BytesIO()
    book.save(out)
    table, findings = read(out.getvalue(), "xls", sheet="Parts")
    assert [(f.rule, f.place.cell or f.place.row) for f in findings] == [
        ("MP117", "C3"),
        ("MP118", "B6:B7"),
        ("MP119", 4),
    ]
    assert table.text(2, 2) == "#DIV/0!"
    assert table.sheet_info is not None
    assert table.sheet_info.outline is not None
    assert table.sheet_info.outline.nonzero()[0].tolist() == [3]


def test_old_workbook_and_encrypted_package_are_distinguished() -> None:
    magic = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
    (encrypted,) = rejected(magic + b"\0" * 600 + "EncryptedPackage".encode("utf-16-le") + b"\0" * 600)
    assert encrypted.rule == "MP102"
    (old,) = rejected(magic + b"\0" * 2000)
    assert old.rule == "MP104"


def make_ods(repeated: bool = False) -> bytes:
    from odf.opendocument import OpenDocumentSpreadsheet
    from odf.table import Table as OdsTable, TableCell, TableRow
    from odf.text import P

    document = OpenDocumentSpreadsheet()
    sheet = OdsTable(name="Parts")
    for row in TABLE:
        line = TableRow()
        for value in row:
            made = TableCell(valuetype="float", value=repr(value)) if isinstance(value, float) else TableCell()
            if isinstance(value, str):
                made = TableCell(valuetype="string")
            if value is not None:
                made.addElement(P(text=str(value)))
            line.addElement(made)
        sheet.addElement(line)
    if repeated:
        line = TableRow(numberrowsrepeated=1_000_000)
        line.addElement(TableCell(valuetype="float", value="1", numbercolumnsrepeated=16_000))
        sheet.addElement(line)
    document.spreadsheet.addElement(sheet)
    out = io.BytesIO()
    document.write(out)
    return out.getvalue()


def test_ods_by_odfpy() -> None:
    table, findings = read(make_ods(), "ods")
    assert texts(table) == TEXTS
    assert findings == []


def test_ods_of_billions_of_repeated_cells_is_rejected() -> None:
    (finding,) = rejected(make_ods(repeated=True), "ods")
    assert finding.rule == "MP114"


def test_namespace_of_the_parts_is_the_published_one() -> None:
    assert MAIN in parts({"Parts": sheet_xml()})["xl/workbook.xml"]
