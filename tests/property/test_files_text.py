"""The reader for large files and the plain one agree; texts and numbers survive every pair of flat formats."""

from __future__ import annotations

import io
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st

from massprops_cli.files import delimited_records as lines, delimited_text as delimited, delimited_text as large
from massprops_cli.files.options import FileOptions
from massprops_cli.files.reader import read_file_table
from massprops_cli.files.table import BLANK, NUMBER, AddedColumn, ColumnEdit, TableEdit
from massprops_cli.files.writer import write_table
from massprops_cli.findings.finding import Findings, TableError
from massprops_cli.tables.cells.numbers import parse_column
from tests.examples import examples

CELLS = st.one_of(
    st.sampled_from(["", "1", "-2.5", "1e-400", "1e999", "nan", "inf", "1_000", "٣", "0x10", " 7 ", "0", "0.0", "+3",
                     "1.", ".5", "NA", "'=A1", "1e5", "1e-5", "001", "True"]),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters='\0\r\n",;\t|'), max_size=5),
)  # fmt: skip
GRIDS = st.lists(st.lists(CELLS, min_size=3, max_size=3), min_size=1, max_size=12)


def read(data: bytes, format: str = "csv"):
    findings = Findings()
    return read_file_table(
        "-", FileOptions(format=format, delimiter="," if format == "csv" else ""), io.BytesIO(data), findings
    ), findings


def read_file(data: bytes, path: Path):
    """Read as a large file, which is not held in memory."""
    path.write_bytes(data)
    findings = Findings()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("massprops_cli.files.reader._LARGE_FILE_BYTES", 1)
        patch.setattr(delimited, "_LARGE_FILE_BYTES", 0)
        table = read_file_table(str(path), FileOptions(format="csv", delimiter=","), None, findings)
    return table, findings


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("large") / "-"


LINES = ["x,1", 'y,"2, 3"', "é,", '"a ""b""",1e-400', "'=1,0", "", "n,nan", 'z,"1\n2"', "x"]


@settings(max_examples=examples(60), deadline=None)
@example(["id,a", 'x,"1\n2"', "é,2", "'=1,3"], 0, b"")
@example(["id,a", "x,1"], 1, b"\0")
@example(["id,a", "x,1"], 3, b"\xff")
@given(
    st.lists(
        st.sampled_from(["x,1", 'y,"2, 3"', "é,", '"a ""b""",1e-400', "'=1,0", "", "n,nan", 'z,"1\n2"', "x"]),
        min_size=2,
        max_size=30,
    ),
    st.integers(0, 20),
    st.sampled_from([b"", b"", b"\0", b"\xff", b"\xef\xbb\xbf"]),
)
def test_an_open_file_has_the_table_and_findings_of_its_bytes(path, rows, at, odd):
    data = "\n".join(["id,a", *rows]).encode()
    data = data[:at] + odd + data[at:]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines, "_BLOCK", 16)
        patch.setattr(large, "_PARSE_BLOCK", 16)
        results = []
        for reading in (read, lambda data: read_file(data, path)):
            try:
                table, findings = reading(data)
            except TableError as error:
                results.append([(f.rule, f.message, f.place.line) for f in error.findings])
                continue
            numbers = table.numbers([1], 1)[0]
            parsed = parse_column(table, 1, numbers, 1)
            rows_read = [table.row(i) for i in range(table.n_rows)]
            results.append([rows_read, list(table.texts(0)), repr(parsed.values), parsed.bad.tolist(), len(findings)])
    assert results[0] == results[1]


@settings(max_examples=examples(80), deadline=None)
@example([["A", "1e-400", "2"], ["B", "", "0"]], "\n", True, set(), True)
@example([["", "", ""], ["", "", "1e-400"]], "\n", False, set(), False)
@example([["A", "nan", "1e999"], ["B", "1", "-0"]], "\r\n", False, {0, 1}, True)
@example([["A, left", "1", ""], ["", "2", "x"]], "\r\n", False, {0, 2}, False)
@given(GRIDS, st.sampled_from(["\n", "\r\n"]), st.booleans(), st.sets(st.sampled_from([0, 1, 2])), st.booleans())
def test_both_readers_give_the_same_table(grid, newline, ends, within_quotes, ahead):
    rows = [["id", "a", "b"], *map(list, grid)]
    for row in rows:
        row[:] = [wrapped(cell, j) if j in within_quotes else cell for j, cell in enumerate(row)]
    data = newline.join(map(",".join, rows)).encode() + newline.encode() * ends
    plain, findings = read(data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(delimited, "_LARGE_FILE_BYTES", 0)
        fast, reported = read(data)
    if ahead:
        fast.read_ahead([0, 2], [1, 2])
    assert type(fast) is not type(plain)
    assert (findings, plain.n_rows, plain.n_columns) == (reported, fast.n_rows, fast.n_columns)
    assert [plain.row(i) for i in range(plain.n_rows)] == [fast.row(i) for i in range(fast.n_rows)]
    assert [plain.place(i, 1) for i in range(plain.n_rows)] == [fast.place(i, 1) for i in range(fast.n_rows)]
    for j, (one, other) in enumerate(zip(plain.numbers([0, 1, 2], 1), fast.numbers([0, 1, 2], 1), strict=True)):
        assert list(plain.texts(j)) == list(fast.texts(j))
        a, b = parse_column(plain, j, one, 1), parse_column(fast, j, other, 1)
        np.testing.assert_array_equal(a.values, b.values)
        assert a.blank.tolist() == b.blank.tolist()
        assert a.bad.tolist() == b.bad.tolist()
        assert all(math.isfinite(v) for v in other.values[other.states == NUMBER])
        texts = plain.texts(j, 1)
        assert all(texts[i] == "" for i in np.flatnonzero(other.states == BLANK))


@settings(max_examples=examples(60), deadline=None)
@example(["Mass properties of X"], [["B", "A", "1"]], {})
@example(["Mass properties of X, rev B"], [["B", "A", "1"], ["C", "A", "2"]], {0: -1})
@given(
    st.lists(st.sampled_from(["Car", "Car, rev B", "Date,May,", ""]), max_size=3),
    st.lists(st.lists(st.sampled_from(["1", "x", "", '"p, q"']), min_size=3, max_size=3), min_size=1, max_size=12),
    st.dictionaries(st.integers(0, 11), st.sampled_from([-1, 1]), max_size=4),
)
def test_both_readers_agree_on_titles_and_ragged_rows(titles, grid, changes):
    rows = ["id,a,b", *(",".join(cut_or_grown(row, changes.get(i, 0))) for i, row in enumerate(grid))]
    data = "\n".join([*titles, *rows]).encode()
    plain, findings = read(data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(delimited, "_LARGE_FILE_BYTES", 0)
        fast, reported = read(data)
    assert findings == reported
    assert [plain.row(i) for i in range(plain.n_rows)] == [fast.row(i) for i in range(fast.n_rows)]
    assert len(findings) < 4, "one for each number of fields other than the header's: 1 to 4"


def cut_or_grown(row, change):
    return row[:change] if change < 0 else [*row, "y"] if change else row


@settings(max_examples=examples(80), deadline=None)
@example([["a", "1", '"x\ny"']] * 12, "\n", 60, 0)
@example([['"p\n\nq, ""r"""', "", "2"], ["b", "1", '"\n"']], "\r\n", 70, 1)
@given(
    st.lists(
        st.lists(
            st.sampled_from(["a", "", "1.5", '"x\ny"', '"\n"', '"p\n\nq, ""r"""', '"s, t"']), min_size=3, max_size=3
        ),
        min_size=1,
        max_size=12,
    ),
    st.sampled_from(["\n", "\r\n", "\n\n"]),
    st.integers(2, 100),
    st.integers(0, 2),
)
def test_both_readers_give_the_same_records_where_some_span_lines(grid, newline, block, column):
    data = newline.join(["id,a,b", *map(",".join, grid), "end,1,2", '"last\none",,']).encode()
    plain, findings = read(data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(delimited, "_LARGE_FILE_BYTES", 0)
        patch.setattr(lines, "_BLOCK", block)
        patch.setattr(large, "_PARSE_BLOCK", 128)
        fast, reported = read(data)
        texts, (numbers,) = list(fast.texts(column)), fast.numbers([1], 1)
    assert block < 60 or type(fast) is not type(plain), "every record fits into a block"
    assert findings == reported
    assert [plain.row(i) for i in range(plain.n_rows)] == [fast.row(i) for i in range(fast.n_rows)]
    assert [plain.place(i, 1) for i in range(plain.n_rows)] == [fast.place(i, 1) for i in range(fast.n_rows)]
    assert texts == list(plain.texts(column))
    one, other = parse_column(plain, 1, plain.numbers([1], 1)[0], 1), parse_column(fast, 1, numbers, 1)
    np.testing.assert_array_equal(one.values, other.values)
    assert (one.blank.tolist(), one.bad.tolist()) == (other.blank.tolist(), other.bad.tolist())


def wrapped(cell, j):
    return f'"{cell}, ""{cell}"""' if j == 0 else f'"{cell}"'


@settings(max_examples=examples(60), deadline=None)
@given(GRIDS, st.data())
def test_touched_rows_keep_their_other_characters(grid, data):
    text = "id,a,b\n" + "".join(f'"{row[0]}",{row[1]},{row[2]}\n' for row in grid)
    table, _ = read(text.encode())
    chosen = sorted(data.draw(st.sets(st.integers(1, len(grid)))))
    values = np.array(
        data.draw(
            st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=len(chosen), max_size=len(chosen))
        )
    )
    out = io.BytesIO()
    write_table(table, TableEdit((ColumnEdit(1, np.array(chosen, np.intp), values),)), out, "csv")
    before, after = text.split("\n"), out.getvalue().decode().split("\n")
    assert len(before) == len(after)
    for i, (old, new) in enumerate(zip(before, after, strict=True)):
        if i not in chosen:
            assert old == new
        else:
            (a, _, c), (d, e, f) = old.split(","), new.split(",")
            assert (a, c) == (d, f)
            assert float(e) == values[chosen.index(i)]


@settings(max_examples=examples(40), deadline=None)
@example([["", "", "0.0"], ["", "", "1"]], ["parquet", "json", "tsv"])
@given(GRIDS, st.permutations(["tsv", "json", "jsonl", "parquet", "feather"]))
def test_texts_survive_every_chain_of_formats(grid, formats):
    data = "\n".join([",".join([f"r{i}", *row[1:]]) for i, row in enumerate([["", "a", "b"], *grid])]).encode()
    table, _ = read(data)
    texts = [table.row(i) for i in range(table.n_rows)]
    for format in [*formats, "csv"]:
        out = io.BytesIO()
        write_table(table, TableEdit(), out, format)
        table, findings = read(out.getvalue(), format)
        assert not findings
        assert [table.row(i) for i in range(table.n_rows)] == texts, format


FLOATS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.tuples(st.floats(1, 10), st.integers(-12, 24)).map(lambda pair: pair[0] * 10.0 ** pair[1]),
    st.integers(-(2**60), 2**60).map(float),
)


@given(st.lists(FLOATS, min_size=1, max_size=50))
@example([0.0, -0.0, 1e-4, 9.999e-5, 1e-6, 1e-7, 1e10, 1e16, 1e15, 2.5e-9, 1e22, -3.0])
def test_many_numbers_at_once_have_the_texts_of_one_by_one(values):
    from massprops_cli.files.arrow import arrow_number_texts

    texts = arrow_number_texts(np.array(values)).to_pylist()
    assert texts == [repr(value).removesuffix(".0") for value in values]
    assert np.array(list(map(float, texts))).tobytes() == np.array(values).tobytes()


FIELDS = st.sampled_from(["", "1.50", "x", '"a, b"', '"say ""no"""', '"q"', "ö", " ", "'", '"two\nlines"'])
BREAKS = st.sampled_from(["\n", "\n", "\n", "\r\n", "\n\n", "\r\n\r\n"])


@settings(max_examples=examples(150), deadline=None)
@example([["", "1", "x"]] * 4, ["\r\n", "\n\n", "\r\n", "\n"], "", {0, 1, 2, 3}, True)
@example([['"a, b"', "1", "x"], ["p", "1", '"b"']], ["\n"] * 4, "\n", {0, 1}, False)
@given(
    st.lists(st.lists(FIELDS, min_size=3, max_size=3), min_size=1, max_size=8),
    st.lists(BREAKS, min_size=8, max_size=8),
    st.sampled_from(["", "\n", "\r\n"]),
    st.sets(st.integers(0, 7)),
    st.booleans(),
)
def test_touched_rows_keep_their_breaks_quotes_and_neighbours(path, grid, breaks, last, chosen, add):
    fields = [["id", "a", "b"], *([f"n{i}", *row[1:]] for i, row in enumerate(grid))]
    ends = [*breaks[: len(grid)], last]
    fields_before = [list(row) for row in fields]
    held, _ = read(joined(fields, ends))
    rows = [i + 1 for i in sorted(chosen) if i < len(grid)]
    fills = (
        ColumnEdit(1, np.array(rows, np.intp), np.arange(len(rows)) / 3),
        ColumnEdit(2, np.array(rows[::2], np.intp), ["x,y"] * 8),
    )
    added = (AddedColumn("c, d", np.array(rows[1:], np.intp), np.arange(8) * 1e-7),) if add and rows else ()
    for k, i in enumerate(rows):
        fields[i][1] = repr(k / 3).removesuffix(".0")
    for i in rows[::2]:
        fields[i][2] = '"x,y"'
    if added:
        texts = {i: repr(k * 1e-7).removesuffix(".0") for k, i in enumerate(rows[1:])}
        fields = [[*row, texts.get(i, "") if i else '"c, d"'] for i, row in enumerate(fields)]
    filling = TableEdit(tuple(cut(f) for f in fills), tuple(cut(a) for a in added))
    opened, _ = read_file(joined(fields_before, ends), path)
    for many, table in ((10**9, held), (0, held), (0, opened)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("massprops_cli.files.delimited_writer._MANY_RECORDS", many)
            patch.setattr("massprops_cli.files.delimited_writer._PART_EDITED_BYTES", 20)
            out = io.BytesIO()
            write_table(table, filling, out, "csv")
        assert out.getvalue() == joined(fields, ends)


def joined(fields, ends):
    return "".join(",".join(row) + end for row, end in zip(fields, ends, strict=True)).encode()


def cut(of):
    return of._replace(values=of.values[: len(of.rows)])


def test_blank_cells_of_a_large_file_are_known_without_looking_at_text(monkeypatch):
    monkeypatch.setattr(delimited, "_LARGE_FILE_BYTES", 0)
    table, _ = read(b"id,a\nA,1\nB,\nC,0\n")
    (numbers,) = table.numbers([1], 1)
    assert numbers.states.tolist() == [NUMBER, BLANK, NUMBER]


@pytest.mark.parametrize("rows", [np.arange(1, 41), np.arange(1, 41, 3)], ids=["all", "some"])
def test_plain_records_are_edited_together(monkeypatch, rows):
    text = "id,a,b\n" + "".join(f'"n, {i}",{i},"x ""{i}"""\n' for i in range(1, 41))
    table, _ = read(text.encode())
    monkeypatch.setattr("massprops_cli.files.delimited_writer._MANY_RECORDS", 0)
    monkeypatch.setattr("massprops_cli.files.delimited_writer._PART_EDITED_BYTES", 64)
    singly = []
    monkeypatch.setattr("massprops_cli.files.delimited_writer._edit_records_singly", lambda *_: singly.append(1))
    out = io.BytesIO()
    write_table(table, TableEdit((ColumnEdit(1, rows, rows / 4),)), out, "csv")
    assert singly == []
    chosen = set(rows.tolist())
    lines_after = [
        f'"n, {i}",{repr(i / 4).removesuffix(".0") if i in chosen else i},"x ""{i}"""\n' for i in range(1, 41)
    ]
    assert out.getvalue().decode() == "id,a,b\n" + "".join(lines_after)
