"""Worked examples of functions in the room files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from massprops_cli.files.arrow import arrow_number_texts, arrow_text_array
from massprops_cli.files.delimited_records import HeldBytes, _arrow_text_positions, delimiter_positions, record_spans
from massprops_cli.files.encoding import check_field_lengths, decode_text, unescape_formula
from massprops_cli.files.importers.solidworks import _report_decimal_sign, _report_number
from massprops_cli.files.json_records import escape_markdown
from massprops_cli.files.options import (
    ReadCaps,
    cap_remedy,
    content_format,
    open_archive,
    reject_document_type,
    suffix_format,
)
from massprops_cli.files.parts_report import (
    ReportItem,
    element_number,
    is_xml_number,
    parse_xml_report,
    report_table,
    unique_names,
)
from massprops_cli.files.table import EditedTable, GridTable, TableSource, shortest_number_text, typed_value_text
from massprops_cli.files.writer import _partial_file_prefix, collect_leftovers
from massprops_cli.findings.finding import Place, TableError


def test_arrow_number_texts_example() -> None:
    assert (arrow_number_texts(np.array([5.0, 0.1, 1e300, np.nan])).to_pylist()) == (["5", "0.1", "1e+300", ""])


def test_arrow_text_array_example() -> None:
    assert (arrow_text_array([b"a", b"", b"bc"]).to_pylist()) == (["a", "", "bc"])


def test_arrow_text_positions_example() -> None:
    import pyarrow as pa

    assert (_arrow_text_positions("ab", pa.chunked_array([["ab", "a"], ["ac", "ab"]])).tolist()) == ([0, 3])


def test_record_spans_example() -> None:
    spans = record_spans(HeldBytes(b'a,b\n1,"2\n,3"\n'), 44)
    assert spans is not None
    assert [one.tolist() for one in spans[:4]] == [[0, 4], [3, 12], [1, 1], [0, 1]]


def test_delimiter_positions_example() -> None:
    assert (delimiter_positions(np.frombuffer(b'a,"2,3",b', np.uint8), 44).tolist()) == ([1, 7])


def test_decode_text_example() -> None:
    assert decode_text("a.csv", "\ufeffid,ö".encode("utf-16-le")) == (b"id,\xc3\xb6", "utf-16-le", True)


def test_check_field_lengths_example() -> None:
    check_field_lengths("bom.csv", b"id,mass\n" + b"x" * 100 + b",1\n", 100)


def test_unescape_formula_example() -> None:
    assert (unescape_formula("'=A1"), unescape_formula("'tis")) == (("=A1", "'tis"))


def test_partial_file_prefix_example() -> None:
    assert (_partial_file_prefix(Path("a.csv"))) == (".a.csv.massprops-")


def test_collect_leftovers_example() -> None:
    with collect_leftovers() as found:
        pass
    assert found == []


def test_escape_markdown_example() -> None:
    assert (escape_markdown("@all | #1 <b>")) == ("&#64;&#8203;all \\| &#35;&#8203;1 &lt;b>")


def test_cap_remedy_example() -> None:
    assert (cap_remedy("cells", 60_000_000)) == (
        "if the file is from a trusted source, raise the limit with --config cap=cells=60000000"
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
    assert _report_number("1.234,5", ",", Place("report.txt")) == (1234.5)


def test_report_number_format_example() -> None:
    assert _report_decimal_sign("Mass = 1,25 kilograms", Place("report.txt")) == (",")


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


def test_open_archive_example() -> None:
    with pytest.raises(
        TableError, match=r"^bom.xlsx: error: archive is truncated or corrupt \[MP104 damaged-file\]\n  hint: "
    ):
        open_archive("bom.xlsx", b"PK but no archive", ReadCaps())


def test_edited_table_example() -> None:
    edited = EditedTable(GridTable(TableSource("a.csv", "csv"), [["id", "mass"], ["a", "1,5"]]), {(1, 1): 2.5})
    assert (edited.text(1, 1), edited.numbers([1], 1)[0].values.tolist()) == ("2.5", [2.5])
    assert edited.is_typed(1, 1).tolist() == [True]
