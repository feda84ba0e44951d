"""The door: missing, misnamed and strange files."""

from __future__ import annotations

import io

import pytest

import massprops_cli as mp
from massprops_cli.files.options import FileOptions
from massprops_cli.files.reader import read_file_table
from massprops_cli.findings.finding import Findings, TableError


@pytest.mark.parametrize(
    ("name", "data", "rule"),
    [
        ("a.csv", b"%PDF-1.7 ...", "MP103"),
        ("a.xls", b"<html><table></table></html>", "MP103"),
        ("a.csv", b"", "MP111"),
        ("a.parquet", b"PAR1 nonsense PAR1", "MP104"),
        ("a.feather", b"ARROW1\0\0nonsense", "MP104"),
        ("a.abc", b"AC1032\0\0nonsense", "MP105"),
        ("a.json", b"[" * 100_000, "MP127"),
        ("a.json", b'{"a": 1}', "MP126"),
        ("a.json", b'[{"a": }]', "MP104"),
    ],
)
def test_what_cannot_be_read_is_rejected_by_name(tmp_path, name, data, rule):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(TableError) as caught:
        read_file_table(str(tmp_path / name), FileOptions(), None, Findings())
    assert [f.rule for f in caught.value.findings] == [rule]


def test_a_missing_file_and_a_folder_are_rejected(tmp_path):
    for path in (tmp_path / "no.csv", tmp_path):
        with pytest.raises(TableError, match="MP101"):
            read_file_table(str(path), FileOptions(), None, Findings())


def test_a_misnamed_table_is_read_and_reported(tmp_path):
    (tmp_path / "bom.xlsx").write_bytes(b"id,n\nA,1\n")
    findings = Findings()
    table = read_file_table(str(tmp_path / "bom.xlsx"), FileOptions(), None, findings)
    assert table.row(1) == ["A", "1"]
    assert [(f.rule, f.severity.value) for f in findings] == [("MP103", "warning")]


def test_records_keep_their_numbers_and_state_their_faults():
    data = b'[{"a": 1.10, "b": true}, {"c": 123456789012345678901, "a": null}, {"a": 1, "a": 2, "b": [1]}]'
    findings = Findings()
    table = read_file_table("-", FileOptions(format="json"), io.BytesIO(data), findings)
    assert [table.row(i) for i in range(3)] == [
        ["a", "b", "c"],
        ["1.10", "true", ""],
        ["", "", "123456789012345678901"],
    ]
    assert [(f.rule, f.place.row) for f in findings] == [("MP202", 3), ("MP127", 3)]


@pytest.mark.parametrize("name", ["a.xml", "a.csv", "a.txt", "a", "a.urdf"])
@pytest.mark.parametrize(
    "text",
    [
        '<?xml version="1.0"?>\n<!DOCTYPE b [\n<!ENTITY a "1">\n]>\n<b>&a;</b>\n',
        '<!DOCTYPE b [\n<!ENTITY a "1">\n',
        "<parts>\n<part mass='1'/>\n</parts>",
        "<!-- list --><parts/>",
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_xml_is_never_a_table_of_text(tmp_path, name, text, encoding):
    path = tmp_path / name
    path.write_bytes(text.encode(encoding))
    with pytest.raises(mp.TableError) as raised:
        mp.read_bom(path)
    assert {finding.rule for finding in raised.value.findings} <= {"MP103", "MP104", "MP105", "MP115"}


@pytest.mark.parametrize("suffix", ["urdf", "sdf"])
def test_a_robot_is_never_a_table_of_text(tmp_path, suffix):
    path = tmp_path / f"robot.{suffix}"
    path.write_text("id,parent,mass\nR,,\nA,R,1\n")
    with pytest.raises(mp.TableError, match="--from csv"):
        mp.read_bom(path)
    assert mp.rollup(path, format="csv").root.mass == 1


def test_a_header_may_begin_with_a_comparison(tmp_path):
    path = tmp_path / "limits.csv"
    path.write_text("<5 kg?,id,parent,mass\n,R,,\nx,A,R,1\n")
    assert mp.rollup(path).root.mass == 1
