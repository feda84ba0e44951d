"""Encodings that are none, UTF-32, and characters that would control a terminal."""

import re

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
