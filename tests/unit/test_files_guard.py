from __future__ import annotations

import io
import struct
import warnings
import zipfile
from pathlib import Path

import pytest

from massprops_cli.files.options import FileOptions, ReadCaps, open_archive, reject_document_type
from massprops_cli.files.workbook.xlsx import read_workbook
from massprops_cli.findings.finding import Findings, TableError
from tests.unit.workbook_parts import TABLE, packed, parts, rows_xml, sheet_xml, workbook


def rejections(data: bytes | Path, caps: ReadCaps | None = None) -> list[str]:
    with pytest.raises(TableError) as caught:
        read_workbook("bom.xlsx", data, "xlsx", FileOptions(caps=caps or ReadCaps()), None, Findings())
    return [finding.rule for finding in caught.value.findings]


def archive(*members: tuple[str, bytes]) -> bytes:
    out = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        warnings.simplefilter("ignore")
        for name, content in members:
            made.writestr(name, content)
    return out.getvalue()


def test_an_ordinary_archive_is_read_whole() -> None:
    opened = open_archive("a.zip", archive(("a", b"x" * 5000), ("b/c", b"")), ReadCaps())
    assert opened.read("a") == b"x" * 5000
    assert opened.read("b/c") == b""
    assert "d" not in opened


def test_zip_bomb_by_ratio_is_rejected_from_its_directory() -> None:
    assert rejections(archive(("xl/workbook.xml", b"\0" * 5_000_000))) == ["MP114"]


def test_inflated_size_and_members_are_capped() -> None:
    data = workbook(rows_xml(TABLE))
    assert rejections(data, ReadCaps(inflated=100)) == ["MP114"]
    assert rejections(data, ReadCaps(members=3)) == ["MP114"]


def test_header_that_lies_about_the_size() -> None:
    data = bytearray(archive(("a", b"x" * 500_000)))
    entry = data.find(b"PK\1\2")
    struct.pack_into("<I", data, entry + 24, 1000)
    opened = open_archive("a.zip", bytes(data), ReadCaps())
    with pytest.raises(TableError) as caught:
        opened.read("a")
    assert caught.value.findings[0].rule == "MP115"


def test_damaged_content_is_found_by_its_checksum() -> None:
    data = bytearray(archive(("a", bytes(range(256)) * 10)))
    entry = data.find(b"PK\1\2")
    struct.pack_into("<I", data, entry + 16, 1)
    with pytest.raises(TableError, match="MP104"):
        open_archive("a.zip", bytes(data), ReadCaps()).read("a")


def test_truncated_archive() -> None:
    data = workbook(rows_xml(TABLE))
    for length in (4, len(data) // 2, len(data) - 30):
        assert rejections(data[:length]) == ["MP104"]


@pytest.mark.parametrize("name", ["../evil.xml", "/etc/passwd", "xl\\..\\evil", "C:/evil", "xl/../../evil"])
def test_members_outside(name: str) -> None:
    assert rejections(archive((name, b"x"))) == ["MP115"]


def test_members_twice() -> None:
    assert rejections(archive(("xl/workbook.xml", b"<a/>"), ("xl/workbook.xml", b"<b/>"))) == ["MP115"]
    assert rejections(archive(("xl/workbook.xml", b"<a/>"), ("XL/Workbook.xml", b"<b/>"))) == ["MP115"]


def test_overlapping_members() -> None:
    data = bytearray(archive(("a", b"x" * 50), ("b", b"y" * 50)))
    second = data.find(b"PK\1\2", data.find(b"PK\1\2") + 1)
    struct.pack_into("<I", data, second + 42, 0)
    with pytest.raises(TableError, match="overlap"):
        open_archive("a.zip", bytes(data), ReadCaps())


def test_encrypted_member() -> None:
    data = bytearray(archive(("a", b"x" * 50)))
    data[data.find(b"PK\1\2") + 8] |= 1
    assert rejections(bytes(data)) == ["MP102"]


@pytest.mark.parametrize(
    "part", ["xl/workbook.xml", "xl/worksheets/sheet1.xml", "xl/styles.xml", "xl/sharedStrings.xml"]
)
def test_document_type_is_rejected(part: str) -> None:
    made = parts({"Parts": sheet_xml(rows_xml(TABLE))})
    made[part] = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>' + made[part]
    assert rejections(packed(made)) == ["MP115"]


def test_document_type_in_utf16_is_seen() -> None:
    with pytest.raises(TableError, match="MP115"):
        reject_document_type("a", "b", "<?xml version='1.0'?><!DOCTYPE a><a/>".encode("utf-16"))


@pytest.mark.parametrize("part", ["xl/workbook.xml", "xl/styles.xml"])
def test_deep_nesting_in_a_small_part(part: str) -> None:
    made = parts({"Parts": sheet_xml(rows_xml(TABLE))})
    made[part] = "<a>" * 100_000 + "</a>" * 100_000
    assert rejections(packed(made)) == ["MP104"]


def test_deep_nesting_in_a_sheet() -> None:
    deep = "<a>" * 100_000 + "</a>" * 100_000
    table = read_workbook("b", workbook(rows_xml(TABLE), after=deep), "xlsx", FileOptions(), None, Findings())
    assert table.n_rows == 4
    assert rejections(workbook("<!-- c -->" + rows_xml(TABLE), after=deep)) == ["MP115"]


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    assert rejections(tmp_path / "none.xlsx") == ["MP101"]


def test_archive_that_is_not_a_workbook() -> None:
    assert rejections(archive(("hello.txt", b"x"))) == ["MP104"]
