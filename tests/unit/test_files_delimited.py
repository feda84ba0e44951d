"""Delimited text: encodings, delimiters, faults, each with its line."""

from __future__ import annotations

import gzip
import io

import numpy as np
import pytest

from massprops_cli.files.options import FileOptions, ReadCaps
from massprops_cli.files.reader import _inflated_content, read_file_table
from massprops_cli.files.table import AddedColumn, ColumnEdit, TableEdit
from massprops_cli.files.writer import write_table
from massprops_cli.findings.finding import Findings, TableError

SIMPLE = "id;parent;mass\nA;;1,5\nB;A;\n"


def read(data: bytes, **options):
    findings = Findings()
    return read_file_table("-", FileOptions(**{"format": "csv", **options}), io.BytesIO(data), findings), findings


def rows(data: bytes, **options):
    table, findings = read(data, **options)
    assert findings == []
    return [table.row(i) for i in range(table.n_rows)]


def rejected(data: bytes, **options):
    with pytest.raises(TableError) as caught:
        read(data, **options)
    return caught.value.findings[0]


def written(table, filling=TableEdit(), format="csv", **options):  # noqa: B008 - it is frozen
    out = io.BytesIO()
    findings = write_table(table, filling, out, format, **options)
    return out.getvalue(), findings


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_marks_and_newlines_are_read_and_kept(encoding, newline):
    data = "id,ö\nA,1\nB,2".replace("\n", newline).encode(encoding)
    assert rows(data) == [["id", "ö"], ["A", "1"], ["B", "2"]]
    assert written(read(data)[0])[0] == data
    filled = written(read(data)[0], TableEdit((ColumnEdit(1, np.array([2]), np.array([2.5])),)))[0]
    assert filled == "id,ö\nA,1\nB,2.5".replace("\n", newline).encode(encoding)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found(delimiter):
    data = SIMPLE.replace(",", ".").replace(";", delimiter).encode()
    assert rows(data)[1] == ["A", "", "1.5"]


def test_a_decimal_comma_does_not_hide_the_semicolon():
    assert rows(SIMPLE.encode())[1] == ["A", "", "1,5"]


def test_two_good_delimiters_are_rejected_unless_one_is_named():
    data = b"a;b,c\n1;2,3\n"
    assert rejected(data).rule == "MP110"
    assert rows(data, delimiter=";") == [["a", "b,c"], ["1", "2,3"]]


@pytest.mark.parametrize(
    ("data", "rule", "line"),
    [
        ("id,n\nA,ä\n".encode("cp1252"), "MP106", 2),
        (b"id,n\nA,1\nB,\0\n", "MP107", 3),
        (b'id,n\nA,"x\n', "MP109", 2),
        (b'id,n\nA,"x"y\n', "MP109", 2),
        (b"", "MP111", None),
        (b"\n\n", "MP111", None),
    ],
)
def test_what_is_not_a_text_table_is_rejected_with_its_line(data, rule, line):
    finding = rejected(data)
    assert (finding.rule, finding.place.line) == (rule, line)


@pytest.mark.parametrize(
    ("word", "encoding"),
    [("Ø12", "cp1252"), ("Крыло", "cp1251"), ("机翼", "gb18030"), ("主翼", "shift_jis"), ("날개", "cp949")],
)
def test_the_remedy_shows_how_the_word_reads_in_its_encoding(word, encoding):
    data = f"id,n\nA,1\n{word},2\n".encode(encoding)
    assert f"--config encoding={encoding} ({word})" in rejected(data).remedy
    assert rows(data, encoding=encoding)[2][0] == word


@pytest.mark.parametrize("word", ["Träger", "Lüfter 12", "Ängström-Ring", "große Deckel", "Länge [mm]"])
def test_single_letters_of_labels_are_read_as_cp1252_with_a_note(word):
    data = f"id,n\n{word},1.5\n".encode("cp1252")
    table, findings = read(data)
    assert table.row(1) == [word, "1.5"]
    assert [(f.rule, f.severity.value, f.place.line) for f in findings] == [("MP106", "note", 2)]
    assert table.source.encoding == "cp1252"
    assert written(table)[0] == data


@pytest.mark.parametrize("cell", ["Ø12", "1,5 µg", "½", "±2", "mass [µg]", "Masse (µg)", "ÊÊÊ text"])
def test_what_may_be_a_number_or_a_unit_needs_its_encoding(cell):
    assert rejected(f'id,n\n"{cell}",1\n'.encode("cp1252")).rule == "MP106"


def test_bytes_of_no_common_encoding_get_no_encoding_as_remedy():
    assert rejected(b"id,n\nA,\x81\x00\n").remedy == "state the encoding with --config encoding=…"


def test_every_ragged_row_is_found_and_trailing_blanks_are_not():
    _, findings = read(b'id,n\nA\nB,"x\ny",2\n\nC,1,,\nD,1\n')
    assert [(f.rule, f.place.line) for f in findings] == [("MP133", 2), ("MP108", 3)]


def test_a_cell_beyond_the_cap_is_rejected():
    data = b"id,n\nA," + b"x" * 2000 + b"\n"
    assert rejected(data, caps=ReadCaps(text_cell_characters=1000)).rule == "MP114"
    assert len(rows(data)[1][1]) == 2000


def test_gzip_members_follow_one_another_and_none_may_be_cut_short():
    body = SIMPLE.encode() + b"".join(b"X%d,%d\n" % (i, i) for i in range(200_000))
    packed = gzip.compress(body[:1_000_000]) + b"\0" * 512 + gzip.compress(body[1_000_000:]) + b"\0" * 100
    assert bytes(_inflated_content("a.csv.gz", packed, ReadCaps(inflated=2**30))) == body
    for wrong, rule in ((packed[:-200], "MP104"), (packed + b"more", "MP104"), (gzip.compress(b""), "MP111")):
        with pytest.raises(TableError, match=rule):
            _inflated_content("a.csv.gz", wrong, ReadCaps(inflated=2**30))
    with pytest.raises(TableError, match="MP114"):
        _inflated_content("a.csv.gz", packed, ReadCaps(inflated=len(body) - 1))


def test_gzip_is_known_by_content_and_written_when_requested():
    packed = gzip.compress(SIMPLE.encode())
    table, _ = read(packed)
    assert table.source.compressed
    assert gzip.decompress(written(table, compressed=True)[0]) == SIMPLE.encode()
    assert rejected(packed[:-20]).rule == "MP104"


def test_columns_are_added_on_every_row_and_gaps_stay():
    table, _ = read(b'id,n\n\n"A",1\n')
    filling = TableEdit(added=(AddedColumn("kx", np.array([1]), np.array([2.0])),))
    assert written(table, filling)[0] == b'id,n,kx\n\n"A",1,2\n'


def test_formulas_from_elsewhere_are_guarded_once_and_bared_on_reading():
    table, _ = read(b'[{"id": "=A1", "n": "-X panel"}, {"id": "@f", "n": "+"}]', format="json")
    data, findings = written(table)
    assert data == b"id,n\n'=A1,-X panel\n'@f,+\n"
    assert [(f.rule, f.count) for f in findings] == [("MP124", 2)]
    back, _ = read(data)
    assert back.row(1) == ["=A1", "-X panel"]
    assert written(back)[0] == data
    own, _ = read(b"id,n\n=A1,x\n")
    assert written(own)[0] == b"id,n\n=A1,x\n"
    assert written(own, format="tsv") == (b"id\tn\n=A1\tx\n", [])


def test_short_rows_give_one_note_and_long_rows_one_error_for_each_width():
    _, findings = read(b"id,n,m\n" + b"A,1\n" * 3 + b"B,1,2\n" * 9 + b"C,1,2,3\n" * 2 + b"D,1\n")
    assert [(f.rule, f.place.line, f.count) for f in findings] == [("MP133", 2, 4), ("MP108", 14, 2)]
    assert [f.line for f in findings[0].related] == [3, 4, 16]
    assert "lines 2, 3, 4, 16" in findings[0].message


@pytest.mark.parametrize(
    "titles", ["Mass properties of X\n", "Mass properties of X, rev B\n", "Project,X\n\nDate,May\n", "Car\nof 2024\n"]
)
def test_lines_of_titles_are_not_ragged_and_do_not_set_the_width(titles):
    table, findings = read(titles.encode() + b"id,parent,mass\nA,,\nB,A,1\nC,A,2\n")
    assert findings == []
    assert table.n_columns == 3
    assert table.row(table.n_rows - 4) == ["id", "parent", "mass"]


def test_a_header_that_is_too_short_is_not_a_title():
    _, findings = read(b"id,parent\nA,,5\nB,A,1\nC,A,2\n")
    assert [(f.rule, f.place.line, f.count) for f in findings] == [("MP108", 2, 3)]
    _, findings = read(b"id,parent\nA,Top,5\nB,A,1\nC,A,2\n")
    assert [(f.rule, f.place.line, f.count) for f in findings] == [("MP108", 2, 3)]


def test_one_title_may_be_above_a_header_with_a_blank():
    _, findings = read(b"Car\nid,,mass\nA,x,\nB,y,1\n")
    assert findings == []


def test_a_ragged_row_below_titles_is_reported():
    _, findings = read(b"Car, rev B\nid,parent,mass\nA,,\nB,A\nC,A,2\n")
    assert [(f.rule, f.place.line) for f in findings] == [("MP133", 4)]
