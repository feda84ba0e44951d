"""Encodings that are none, UTF-32, and characters that would control a terminal."""

import io
import re
import zipfile

import pytest

TABLE = "id,parent,mass [kg]\nSAT,,\nBUS,SAT,2\n"


@pytest.mark.parametrize("name", ["zlib", "rot13", "hex", "undefined", "no-such", "x" * 10_000])
def test_encoding_that_is_not_of_text_is_rejected(tmp_path, massprops, name):
    table = tmp_path / "bom.csv"
    table.write_text(TABLE)
    done = massprops("rollup", table, "-o", "-", "--encoding", name)
    assert done.exit_code == 2
    assert "encoding is unknown" in done.stderr


@pytest.mark.parametrize("name", ["utf-32-le", "utf-32-be"])
def test_utf_32_is_read_by_its_mark_or_name(tmp_path, massprops, name):
    table = tmp_path / "bom.csv"
    table.write_bytes(("\ufeff" + TABLE).encode(name))
    assert massprops("validate", table).exit_code == 0
    table.write_bytes(TABLE.encode(name))
    assert massprops("validate", table, "--encoding", name).exit_code == 0


@pytest.mark.parametrize("style", ["full", "concise", "md", "json", "jsonl"])
def test_control_characters_reach_no_terminal(tmp_path, massprops, style):
    table = tmp_path / "bom.csv"
    table.write_text("id,parent,mass [kg]\nr,,\na\x1b[31m\u202eb\x9b\u2066,r,z\n", encoding="utf-8")
    done = massprops("rollup", table, "-o", str(tmp_path / "out.csv"), "--format", style)
    assert "MP205" in done.stdout + done.stderr
    assert not re.search("[\x00-\x08\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", done.stdout + done.stderr)


@pytest.mark.parametrize("line", ["long header", "first row", "last row"])
def test_large_file_with_a_long_field_is_read(tmp_path, massprops, line):
    long = "y" * 140_000
    rows = [f"p{k},r,1,a remark of some length" for k in range(300_000)]
    header = f"id,parent,mass [kg],{long if line == 'long header' else 'remark'}"
    first = f"r,,,{long if line == 'first row' else ''}"
    last = f"z,r,1,{long if line == 'last row' else ''}"
    table = tmp_path / "bom.csv"
    table.write_text("\n".join([header, first, *rows, last]))
    assert table.stat().st_size > 2**23
    done = massprops("validate", table)
    assert "300,002 items" in done.stdout
    assert "MP999" not in done.stderr


@pytest.mark.parametrize("number", ["abc", "", "1e5", "-1", "9" * 30, "1.5"])
def test_number_that_is_none_in_a_workbook_is_passed_over(tmp_path, massprops, number):
    made, table = tmp_path / "made.xlsx", tmp_path / "bom.xlsx"
    (tmp_path / "bom.csv").write_text(TABLE)
    massprops("convert", tmp_path / "bom.csv", "-o", made)
    content = io.BytesIO()
    with zipfile.ZipFile(made) as archive, zipfile.ZipFile(content, "w") as changed:
        for name in archive.namelist():
            part = archive.read(name).decode("utf-8")
            changed.writestr(name, re.sub(r'(numFmtId|sheetId)="[0-9]*"', rf'\g<1>="{number}"', part))
    table.write_bytes(content.getvalue())
    done = massprops("rollup", table, "-o", tmp_path / "out.xlsx")
    assert done.exit_code == 0, done.stdout + done.stderr
    written = massprops("convert", tmp_path / "out.xlsx", "-o", "-", "--to", "csv").stdout
    assert written.startswith(TABLE.replace("SAT,,", "SAT,,2"))


def test_item_number_of_thousands_of_digits_is_a_text(tmp_path, massprops):
    table = tmp_path / "bom.csv"
    table.write_text(f"wbs,name,mass [kg]\n1,r,\n1.{'9' * 5_000},a,1\n")
    assert "MP999" not in massprops("validate", table).stderr
