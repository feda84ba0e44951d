"""JSON records: every line that is wrong is given in one run."""

from __future__ import annotations

import io

import pytest

from massprops_cli.files.json_records import write_records
from massprops_cli.files.options import FileOptions
from massprops_cli.files.reader import read_file_table
from massprops_cli.files.table import GridTable, TableEdit, TableSource
from massprops_cli.findings.finding import Finding, Findings, TableError


def faults(text: str) -> tuple[Finding, ...]:
    with pytest.raises(TableError) as raised:
        read_file_table("-", FileOptions(format="jsonl"), io.BytesIO(text.encode()), Findings())
    return tuple(raised.value.findings)


GOOD = '{"id":"a","mass":1}'


def test_all_broken_lines_are_reported_with_their_numbers() -> None:
    printed = faults(f'{GOOD}\n{{"id":"b",\n\n{{"id":"c" "mass":1}}\n{GOOD}\nnope\n')
    assert [(f.rule, f.place.line, f.place.position) for f in printed] == [
        ("MP104", 2, 11),
        ("MP104", 4, 11),
        ("MP104", 6, 1),
    ]


def test_what_is_wrong_with_complete_lines_is_reported_next_to_broken_ones() -> None:
    printed = faults(f'{GOOD}\nnope\n[1]\n{{"id":"b","mass":[1]}}\nnope\n')
    assert [(f.rule, f.place.line) for f in printed] == [("MP104", 2), ("MP126", 3), ("MP127", 4), ("MP104", 5)]
    assert [f.place.row for f in printed if f.place.row] == [3, 4]


def test_lines_nested_too_deep_are_reported_with_their_number() -> None:
    assert [(f.rule, f.place.line) for f in faults(f"{GOOD}\n{'[' * 100_000}\nnope")] == [("MP127", 2), ("MP104", 3)]


def test_a_file_of_broken_lines_stays_readable() -> None:
    printed = faults("nope\n" * 5_000)
    assert len(printed) == 1_001
    assert printed[-1].count == 4_000


@pytest.mark.parametrize(
    ("names", "reported", "remedy"),
    [
        (("a", "a"), "two columns are named 'a'", "write to another format"),
        (("", ""), "two columns have no name", "--to-layout parent"),
    ],
)
def test_a_record_needs_names_that_differ(names, reported, remedy):
    table = GridTable(TableSource("bom.xlsx", "xlsx"), [list(names), ["1", "2"]])
    with pytest.raises(TableError) as caught:
        write_records(table, TableEdit(), io.BytesIO(), "json", None, frozenset())
    (finding,) = caught.value.findings
    assert reported in finding.message
    assert remedy in finding.remedy
