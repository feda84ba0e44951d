"""Lines of large files against Python's csv; columns read ahead against columns read one by one."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st

from massprops_cli.files import delimited_records as delimited_lines, delimited_text as delimited
from massprops_cli.files.delimited_records import HeldBytes, record_spans
from massprops_cli.files.options import FileOptions
from massprops_cli.files.reader import read_file_table
from massprops_cli.findings.finding import Findings
from tests.examples import examples

PIECES = st.sampled_from(["a", "", '"', '""', '"b,c"', '"d""e"', '"f\ng"', ",", ",", "\n", "\r\n", "\r", "'=1"])


@settings(max_examples=examples(400), deadline=None)
@example(['"b,c"', ",", "a", "\n", '""', ",", '"', "\n"], 5)
@example(["a", ",", '"f\ng"', "\n"], 3)
@given(st.lists(PIECES, min_size=1, max_size=25), st.integers(2, 40))
def test_plain_lines_are_the_records_of_csv(pieces, block):
    text = "".join(pieces)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(delimited_lines, "_BLOCK", block)
        lines = record_spans(HeldBytes(text.encode()), ord(","))
    if lines is None:
        return
    records = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    found = [text.encode()[a:b].decode() for a, b in zip(lines.starts, lines.ends, strict=True)]
    assert len(found) >= len(records)
    for line, record, marks in zip(found, records, lines.marks, strict=False):
        assert next(csv.reader([line], strict=True), []) == record
        assert not record or marks == len(record) - 1
    assert not any(found[len(records) :])


@pytest.mark.parametrize(
    "text",
    ['a,b\n1,"x\r\ny"\n', 'a,b\n1,"x"y\n', 'a,b\n1,5" pipe\n', 'a,b\n1,"x\n', "a,b\n1,x\ry\n"],
    ids=["return in quotes", "text after a quote", "inches", "open quote", "lone return"],
)
def test_what_is_not_plain_is_left_to_the_other_reader(text):
    assert record_spans(HeldBytes(text.encode()), ord(",")) is None


def test_quoted_fields_are_plain():
    lines = record_spans(HeldBytes(b'a,b\r\n"1,2","say ""x"""\r\n\r\n'), ord(","))
    assert lines is not None
    assert lines.marks.tolist() == [1, 1, 0]
    assert (lines.ends - lines.starts).tolist() == [3, 17, 0]


def test_columns_read_ahead_are_those_read_one_by_one(monkeypatch):
    monkeypatch.setattr(delimited, "_LARGE_FILE_BYTES", 0)
    text = "id,m,x,note\n" + "".join(f'p{i},{i / 7 if i % 3 else ""},{i},"n,{i % 2}"\n' for i in range(200))
    ahead, alone = (
        read_file_table("-", FileOptions(format="csv"), io.BytesIO(text.encode()), Findings()) for _ in range(2)
    )
    ahead.read_ahead([0, 3], [1, 2])
    for j in (0, 3):
        assert list(ahead.texts(j, 1)) == list(alone.texts(j, 1)) == [alone.row(i)[j] for i in range(1, 201)]
    for one, other in zip(ahead.numbers([1, 2], 1), alone.numbers([1, 2], 1), strict=True):
        np.testing.assert_array_equal(one.values, other.values)
        assert one.states.tolist() == other.states.tolist()
    distinct, numbers = ahead.texts(3, 1).coded()
    assert [distinct[k] for k in numbers] == list(alone.texts(3, 1))


def test_a_column_that_is_not_a_number_does_not_spoil_the_others(monkeypatch):
    monkeypatch.setattr(delimited, "_LARGE_FILE_BYTES", 0)
    table = read_file_table("-", FileOptions(format="csv"), io.BytesIO(b"id,m,x\na,1,2 kg\nb,3,4\n"), Findings())
    table.read_ahead([0], [1, 2])
    good, bad = table.numbers([1, 2], 1)
    assert good.values.tolist() == [1.0, 3.0]
    assert bad.states.tolist() == [2, 2]
    assert list(table.texts(2, 1)) == ["2 kg", "4"]


def test_texts_of_a_column_are_searched_as_a_list() -> None:
    import pyarrow as pa
    import pytest

    from massprops_cli.files.delimited_records import ArrowColumnTexts

    texts = ArrowColumnTexts(pa.chunked_array([["a", ""], ["b", ""]]))
    assert [texts.index(""), texts.index("", 2), texts.index("b")] == [1, 3, 2]
    assert ["b" in texts, "c" in texts] == [True, False]
    with pytest.raises(ValueError, match="not in the column"):
        texts.index("", 2, 3)
