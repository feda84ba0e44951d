from __future__ import annotations

import pytest

from massprops_cli.files.options import FileOptions, ReadCaps
from massprops_cli.files.table import Table
from massprops_cli.files.workbook.xlsx import read_workbook
from massprops_cli.findings.finding import Finding, Findings, TableError
from massprops_cli.tables.columns.columns import read_columns
from massprops_cli.tables.layouts.detection import read_hierarchy
from massprops_cli.tables.options import TableOptions
from tests.unit.workbook_parts import packed

SPACES = " ".join(
    f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for prefix, name in (("office", "office"), ("table", "table"), ("text", "text"), ("style", "style"))
)


def ods(rows: str, more: str = "", head: str = "") -> bytes:
    body = f'<table:table table:name="Parts">{rows}</table:table>{more}'
    content = (
        f'<office:document-content {SPACES} xmlns:calcext="urn:x">{head}<office:body><office:spreadsheet>'
        f"{body}</office:spreadsheet></office:body></office:document-content>"
    )
    return packed({"mimetype": "application/vnd.oasis.opendocument.spreadsheet", "content.xml": content})


def text(value: str, attributes: str = "") -> str:
    return f'<table:table-cell office:value-type="string" {attributes}><text:p>{value}</text:p></table:table-cell>'


def number(value: str, attributes: str = "") -> str:
    cell = f'<table:table-cell office:value-type="float" office:value="{value}" {attributes}>'
    return f"{cell}<text:p>shown otherwise</text:p></table:table-cell>"


def row(*cells: str, attributes: str = "") -> str:
    return f"<table:table-row {attributes}>{''.join(cells)}</table:table-row>"


HEAD = row(text("id"), text("mass"))


def read(data: bytes, **options: object) -> tuple[Table, list[Finding]]:
    findings = Findings()
    return read_workbook("bom.ods", data, "ods", FileOptions(**options), None, findings), findings


def texts(table: Table) -> list[list[str]]:
    return [table.row(i) for i in range(table.n_rows)]


def test_values_are_the_stored_ones_and_blanks_in_texts_stay() -> None:
    note = "<office:annotation><text:p>a comment</text:p></office:annotation>"
    spaced = '<text:p><text:s text:c="2"/>a<text:tab/>b</text:p>'
    padded = f'<table:table-cell office:value-type="string">{note}{spaced}</table:table-cell>'
    date = '<table:table-cell office:value-type="date" office:date-value="2024-01-02"/>'
    table, findings = read(ods(HEAD + row(padded, number("0.30000000000000004")) + row(date, number("1e-300"))))
    assert texts(table) == [["id", "mass"], ["  a\tb", "0.30000000000000004"], ["2024-01-02", "1e-300"]]
    assert findings == []
    assert str(table.place(1, 1)) == "bom.ods:Parts!B2"


def test_numbers_shown_in_percent_are_known() -> None:
    share = '<table:table-cell office:value-type="percentage" office:value="0.05" table:number-columns-repeated="2"/>'
    table, _ = read(ods(row(text("id"), text("a"), text("b"), text("c")) + row(text("x"), number("1"), share)))
    assert table.sheet_info is not None
    assert table.sheet_info.number_formats == {(1, 2): "0%", (1, 3): "0%"}
    assert table.text(1, 2) == "0.05"


def test_repeated_blank_rows_and_columns_cost_nothing() -> None:
    far = row(
        '<table:table-cell table:number-columns-repeated="16384"/>', attributes='table:number-rows-repeated="1048570"'
    )
    table, findings = read(ods(HEAD + row(text("A"), number("1")) + far))
    assert texts(table) == [["id", "mass"], ["A", "1"]]
    assert findings == []


def test_repeated_values_are_distinguished() -> None:
    table, _ = read(
        ods(HEAD + row(number("2", 'table:number-columns-repeated="2"'), attributes='table:number-rows-repeated="3"'))
    )
    assert texts(table) == [["id", "mass"], *[["2", "2"]] * 3]


def test_billions_of_values_are_rejected() -> None:
    bomb = row(number("2", 'table:number-columns-repeated="16384"'), attributes='table:number-rows-repeated="1048576"')
    with pytest.raises(TableError, match="MP114"):
        read(ods(HEAD + bomb))
    with pytest.raises(TableError, match="MP114"):
        read(ods(HEAD + row(text("A"), number("1"))), caps=ReadCaps(cells=3))


def test_stray_cell_is_left_alone_and_reported() -> None:
    gap = row("<table:table-cell/>", attributes='table:number-rows-repeated="1000000"')
    stray = row('<table:table-cell table:number-columns-repeated="16000"/>', text("x"))
    table, findings = read(ods(HEAD + row(text("A"), number("1")) + gap + stray))
    assert texts(table) == [["id", "mass"], ["A", "1"]]
    assert [f.rule for f in findings] == ["MP128"]


def test_errors_formulas_hidden_rows_and_merged_cells() -> None:
    error = text("#DIV/0!", 'table:formula="of:=1/0" calcext:value-type="error"')
    unsaved = '<table:table-cell table:formula="of:=1+1"/>'
    merged = number("5", 'table:number-rows-spanned="2" table:number-columns-spanned="1"')
    rows = (
        row(text("A"), error) + row(text("B"), unsaved) + row(text("C"), merged, attributes='table:visibility="filter"')
    )
    table, findings = read(ods(HEAD + rows + row(text("D"), "<table:covered-table-cell/>")))
    assert [(f.rule, f.place.cell or f.place.row) for f in findings] == [
        ("MP117", "B2"),
        ("MP116", "B3"),
        ("MP118", "B4:B5"),
        ("MP119", 4),
    ]
    assert table.text(1, 1) == "#DIV/0!"


def test_encrypted_damaged_and_hostile() -> None:
    for content, rule in (("<a><b></a>", "MP104"), ("<!DOCTYPE a><a/>", "MP115"), ("<a>" * 200, "MP115")):
        with pytest.raises(TableError, match=rule):
            read(packed({"content.xml": content}))
    manifest = "<manifest:manifest><manifest:encryption-data/></manifest:manifest>"
    with pytest.raises(TableError, match="MP102"):
        read(packed({"content.xml": "xx", "META-INF/manifest.xml": manifest}))


def test_several_sheets() -> None:
    other = f'<table:table table:name="Old">{HEAD}{row(text("B"), number("2"))}</table:table>'
    data = ods(HEAD + row(text("A"), number("1")), other)
    with pytest.raises(TableError, match="'Parts', 'Old'"):
        read(data)
    assert texts(read(data, sheet="2")[0]) == [["id", "mass"], ["B", "2"]]


def test_cells_with_dates_are_known_repeated_ones_too() -> None:
    date = '<table:table-cell office:value-type="date" office:date-value="2024-01-02"/>'
    time = date.replace('"date"', '"time"').replace('office:date-value="2024-01-02"', 'office:time-value="PT01H02M03S"')
    twice = date.replace("<table:table-cell", '<table:table-cell table:number-columns-repeated="2"')
    rows = HEAD + row(text("A"), date) + row(time, text("2024-01-02")) + row(twice)
    table, _ = read(ods(rows))
    assert table.sheet_info is not None
    assert table.sheet_info.dates == {(1, 1), (2, 0), (3, 0), (3, 1)}


def test_an_id_that_became_a_date_is_reported() -> None:
    date = '<table:table-cell office:value-type="date" office:date-value="2024-01-02"/>'
    table, _ = read(ods(row(text("id"), text("parent"), text("mass")) + row(date, text(""), number("1"))))
    columns = read_columns(table, TableOptions(), Findings())
    reported = Findings()
    read_hierarchy(table, columns, TableOptions(), reported)
    assert [(f.rule, f.place.cell) for f in reported if f.rule == "MP226"] == [("MP226", "A2")]
