"""Worked examples of private functions: reading and writing of text files."""

from __future__ import annotations

import io

import numpy as np
import pytest

from massprops_cli.files import delimited_writer
from massprops_cli.files.arrow import arrow_number_texts
from massprops_cli.files.delimited_records import delimiter_positions
from massprops_cli.files.delimited_text import _delimiter_score, _header_row_number, read_delimited
from massprops_cli.files.delimited_writer import _record_fields
from massprops_cli.files.encoding import _is_formula_text, _word_readings
from massprops_cli.files.importers.avl import _unit_factors
from massprops_cli.files.importers.openrocket_shapes import _automatic_number, _frustum, _hollow
from massprops_cli.files.importers.solidworks import _decimal_sign
from massprops_cli.files.json_records import _line_cells, _pipe_tables, _plain_cell_text
from massprops_cli.files.options import FileOptions
from massprops_cli.files.table import AddedColumn, ColumnEdit, GridTable, TableEdit, TableSource
from massprops_cli.files.writer import _markdown_cell_text
from massprops_cli.findings.finding import Findings


def test_delimiter_positions() -> None:
    assert delimiter_positions(np.frombuffer(b'a,"b,c",d', np.uint8), 44).tolist() == [1, 7]


def test_header_row_number() -> None:
    assert _header_row_number([["Car"], ["id", "mass"], ["A", "1"]]) == 1
    assert _header_row_number([["Car", "B"], ["id", "mass", "Cx"], ["A", "1", "2"], ["B", "1", "2"]]) == 1
    assert _header_row_number([["id", "mass"], ["A", "1", "2"], ["B", "1", "2"]]) == 0


def test_delimiter_score() -> None:
    assert (_delimiter_score("a;b\n1,5;2\n", ";"), _delimiter_score("a;b\n1,5;2\n", ",")) == ((1.0, 2), (0.0, 1))


def test_record_fields() -> None:
    assert _record_fields(b'a,"b,""c",d', b",") == [b"a", b'"b,""c"', b"d"]


def test_arrow_number_texts() -> None:
    assert arrow_number_texts(np.array([0.1, 5.0, np.nan, 2e-7, 3e10])).to_pylist() == [
        "0.1",
        "5",
        "",
        "2e-07",
        "30000000000",
    ]


def test_word_readings() -> None:
    assert _word_readings("mass,Träger,2".encode("cp1252"), 7) == {
        "cp1252": "Träger",
        "cp1250": "Träger",
        "cp1251": "Trдger",
        "shift_jis": "Tr臠er",
        "gb18030": "Tr鋑er",
    }


def test_is_formula_text() -> None:
    assert [
        _is_formula_text(t) for t in ("=1+1", "@SUM(A1)", "-A1", "+cmd|' /C calc'!A0", "-X panel", "+", "-1.5")
    ] == [True, True, True, True, False, False, False]


def test_decimal_sign() -> None:
    assert [_decimal_sign(text) for text in ("1,234.5", "1.234,5", "0,25", "12.5", "1,234", "1,234,567")] == [
        ".",
        ",",
        ",",
        ".",
        "",
        ".",
    ]


def test_pipe_tables() -> None:
    assert _pipe_tables(["Parts", "| Part | kg |", "|---|---:|", "| **Total** | 3 |", "", "End"]) == [
        ([["Part", "kg"], ["Total", "3"]], [2, 4])
    ]


def test_line_cells() -> None:
    assert (_line_cells("| a \\| b | *c* |"), _line_cells("Part | Mass")) == (["a | b", "c"], ["Part", "Mass"])


def test_plain_cell_text() -> None:
    assert [_plain_cell_text(text) for text in (" **Total** ", "**Dry** mass", "`P_1_a`", "P_1_a")] == [
        "Total",
        "Dry mass",
        "P_1_a",
        "P_1_a",
    ]


def test_markdown_cell_text() -> None:
    assert _markdown_cell_text("a|b\nc") == "a\\|b<br>c"


def test_lines_below_a_header_of_the_command_line() -> None:
    named = FileOptions(columns=("id", "mass"))
    assert read_delimited("a.csv", b"A,1\nB,2\n", "csv", named, False, Findings()).lines == [1, 1, 2]
    assert read_delimited("a.csv", b"id,mass\nA,1\n", "csv", FileOptions(), False, Findings()).lines == [1, 2]


def test_unit_factors_of_an_avl_file() -> None:
    assert _unit_factors({"Lunit": (2.0, "ft"), "Munit": (1.0, "kg")}) == ((0.6096, 1.0), True)
    assert _unit_factors({"Lunit": (2.0, "ft")}) == ((2.0, 1.0), False)


def test_automatic_radius_with_its_value() -> None:
    assert [_automatic_number(text) for text in ("auto 0.0125", "auto", "0.02")] == [0.0125, None, None]


def test_frustum_and_hollow_cone() -> None:
    assert _frustum(4.0, 0.0, 3.0, 0.0)[1] == 3.0  # a cone: 3/4 of its length
    assert _frustum(4.0, 1.0, 1.0, 1.0)[1] == 3.0
    assert _hollow(4.0, 0.0, 3.0, 3.0) == (-0.0, 2.0)


def test_markdown_cell_without_marks() -> None:
    cells = (" **Total** ", "**Dry** mass", "`P_1_a`", "P_1_a", "`Pack` 4S")
    assert [_plain_cell_text(text) for text in cells] == ["Total", "Dry mass", "P_1_a", "P_1_a", "Pack 4S"]
    cells = ("[Motor](https://a.b/c_(d))", "ESC ![photo](e.png)", "<b>12</b>&nbsp;g")
    assert [_plain_cell_text(text) for text in cells] == ["Motor", "ESC", "12\u00a0g"]


@pytest.mark.parametrize("format", ["csv", "tsv"])
def test_a_long_table_is_written_by_columns_with_the_bytes_of_rows(
    monkeypatch: pytest.MonkeyPatch, format: str
) -> None:
    odd = [
        "=1+1",
        "@x",
        "-A1",
        "+3",
        "-1.5e3",
        "a,b",
        'q"q',
        "two\nlines",
        "tab\tx",
        "cr\rx",
        "",
        "é",
        "-cmd|x",
        " lead",
        "-",
    ]
    rows = [["Title", "", "="], ["id", "=h", "x"], *([str(k), odd[k % 15], odd[k * 7 % 15]] for k in range(60))]
    table = GridTable(TableSource("t.json", "json"), rows)
    edit = TableEdit(
        (ColumnEdit(2, np.array([3, 9]), ["=A1", "plain"]),),
        (AddedColumn("m", np.array([2, 4]), np.array([1.5, -2.0])),),
        header_row=1,
    )
    written = []
    for most in (1_000, 0):
        monkeypatch.setattr(delimited_writer, "_MANY_ROWS", most)
        out = io.BytesIO()
        findings = delimited_writer.write_delimited(table, edit, out, format)
        written.append((out.getvalue(), findings))
    assert written[0] == written[1]
    assert b"'=1+1" in written[1][0]
    assert [finding.rule for finding in findings] == ["MP124"]
