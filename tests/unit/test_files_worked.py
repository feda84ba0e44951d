"""Worked examples of functions in the room files."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from massprops_cli.files.arrow import arrow_number_texts, arrow_text_array, arrow_text_positions, repeated_text_array
from massprops_cli.files.delimited_records import HeldBytes, delimiter_positions, record_spans
from massprops_cli.files.delimited_text import _delimiter_score, _file_lines, _header_row_number
from massprops_cli.files.delimited_writer import _record_fields
from massprops_cli.files.encoding import (
    DecodedText,
    _is_formula_text,
    _word_readings,
    check_field_lengths,
    decode_text,
    unescape_formula,
)
from massprops_cli.files.importers.avl import _unit_factors
from massprops_cli.files.importers.openrocket_shapes import _automatic_number, _frustum, _hollow
from massprops_cli.files.leftovers import collect_leftovers, partial_file_prefix
from massprops_cli.files.markdown import _line_cells, _pipe_tables, _PipeTable, _plain_cell_text, escape_markdown
from massprops_cli.files.options import cap_remedy, content_format, reject_document_type, suffix_format
from massprops_cli.files.parts_report import (
    ReportItem,
    ReportNumberFormat,
    _decimal_sign,
    element_number,
    is_xml_number,
    parse_xml_report,
    report_number_format,
    report_table,
    unique_names,
)
from massprops_cli.files.table import TableSource, shortest_number_text, typed_value_text
from massprops_cli.files.writer import _markdown_cell_text
from massprops_cli.findings.finding import Place


def test_arrow_number_texts_example() -> None:
    assert (arrow_number_texts(np.array([5.0, 0.1, 1e300, np.nan])).to_pylist()) == (["5", "0.1", "1e+300", ""])


def test_arrow_text_array_example() -> None:
    assert (arrow_text_array([b"a", b"", b"bc"]).to_pylist()) == (["a", "", "bc"])


def test_repeated_text_array_example() -> None:
    assert (repeated_text_array(b"ab", 2).to_pylist()) == (["ab", "ab"])


def test_arrow_text_positions_example() -> None:
    import pyarrow as pa

    assert (arrow_text_positions("ab", pa.chunked_array([["ab", "a"], ["ac", "ab"]])).tolist()) == ([0, 3])


def test_record_spans_example() -> None:
    spans = record_spans(HeldBytes(b'a,b\n1,"2\n,3"\n'), 44)
    assert (spans.starts.tolist(), spans.ends.tolist(), spans.marks.tolist(), spans.breaks.tolist()) == (
        ([0, 4], [3, 12], [1, 1], [0, 1])
    )


def test_delimiter_positions_example() -> None:
    assert (delimiter_positions(np.frombuffer(b'a,"2,3",b', np.uint8), 44).tolist()) == ([1, 7])


def test_decode_text_example() -> None:
    assert (decode_text("a.csv", "\ufeffid,ö".encode("utf-16-le"))) == (
        DecodedText(body=b"id,\xc3\xb6", encoding="utf-16-le", mark=True)
    )


def test_check_field_lengths_example() -> None:
    check_field_lengths("bom.csv", b"id,mass\n" + b"x" * 100 + b",1\n", 100)


def test_unescape_formula_example() -> None:
    assert (unescape_formula("'=A1"), unescape_formula("'tis")) == (("=A1", "'tis"))


def test_partial_file_prefix_example() -> None:
    assert (partial_file_prefix(Path("a.csv"))) == (".a.csv.massprops-")


def test_collect_leftovers_example() -> None:
    with collect_leftovers() as found:
        pass
    assert (found.files) == ([])


def test_escape_markdown_example() -> None:
    assert (escape_markdown("@all | #1 <b>")) == ("&#64;&#8203;all \\| &#35;&#8203;1 &lt;b>")


def test_cap_remedy_example() -> None:
    assert (cap_remedy("cells", 60_000_000)) == (
        "if the file is from a trusted source, raise the limit with --cap cells=60000000"
    )


def test_suffix_format_example() -> None:
    assert (suffix_format("a/bom.csv.gz"), suffix_format("bom.XLSX"), suffix_format("bom")) == (
        (("csv", True), ("xlsx", False), ("", False))
    )


def test_content_format_example() -> None:
    assert (content_format(b"PAR1..."), content_format(b"id,parent"), content_format(b"%PDF-1.7")) == (
        ("parquet", "", "a PDF document")
    )


def test_reject_document_type_example() -> None:
    reject_document_type("bom.xlsx", "xl/workbook.xml", b"<?xml version='1.0'?><workbook/>")


def test_report_table_example() -> None:
    items = [ReportItem("plane", "", 1), ReportItem("wing", "plane", 2, mass=12.5)]
    assert ([report_table(TableSource("plane.xml", "jsbsim"), items).row(i) for i in range(3)]) == (
        [["id", "parent", "mass [kg]"], ["plane", "", ""], ["wing", "plane", "12.5"]]
    )


def test_unique_names_example() -> None:
    assert (unique_names(["pilot", "bag", "pilot", ""])) == (["pilot", "bag", "pilot (2)", "item 4"])


def test_report_number_format_value_example() -> None:
    assert (ReportNumberFormat(",", Place("report.txt")).value("1.234,5")) == (1234.5)


def test_report_number_format_example() -> None:
    assert (report_number_format("Mass = 1,25 kilograms", Place("report.txt")).decimal) == (",")


def test_is_xml_number_example() -> None:
    assert ([is_xml_number(text) for text in ("1.5e-3", "1_5", "inf", "1e999")]) == ([True, False, False, False])


def test_parse_xml_report_example() -> None:
    assert (parse_xml_report("plane.xml", b"<mass_balance><!-- empty --></mass_balance>").tag) == ("mass_balance")


def test_element_number_example() -> None:
    assert (element_number("plane.xml", parse_xml_report("plane.xml", b"<mass> 1.5e3 </mass>"))) == (1500.0)


def test_typed_value_text_example() -> None:
    assert ([typed_value_text(v) for v in ("a", 5.0, 0.1, True, None)]) == (["a", "5", "0.1", "true", ""])


def test_shortest_number_text_example() -> None:
    assert ([shortest_number_text(value) for value in (5.0, 0.1, 1e300, float("nan"))]) == (["5", "0.1", "1e+300", ""])


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
        _PipeTable(rows=[["Part", "kg"], ["Total", "3"]], lines=[2, 4])
    ]


def test_line_cells() -> None:
    assert (_line_cells("| a \\| b | *c* |"), _line_cells("Part | Mass")) == (["a | b", "c"], ["Part", "Mass"])


def test_markdown_cell_text() -> None:
    assert _markdown_cell_text("a|b\nc") == "a\\|b<br>c"


def test_lines_below_a_header_of_the_command_line() -> None:
    assert _file_lines(TableSource("a.csv", "csv", columns=("id",)), [1, 2, 3]) == [1, 1, 2]
    assert _file_lines(TableSource("", ""), [1, 2]) == [1, 2]


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
