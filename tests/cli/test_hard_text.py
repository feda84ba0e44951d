"""Encodings that are none, UTF-32, and characters that would control a terminal."""

import io
import json
import os
import re
import subprocess
import sys
import zipfile

import pytest

from tests.examples import covering
from tests.warm import warm_command

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
    rows = [f"p{k},r,1,{'a remark of some length ' * 14}" for k in range(30_000)]
    header = f"id,parent,mass [kg],{long if line == 'long header' else 'remark'}"
    first = f"r,,,{long if line == 'first row' else ''}"
    last = f"z,r,1,{long if line == 'last row' else ''}"
    table = tmp_path / "bom.csv"
    table.write_text("\n".join([header, first, *rows, last]))
    assert table.stat().st_size > 2**23
    done = massprops("validate", table)
    assert "30,002 items" in done.stdout
    assert "MP999" not in done.stderr


@pytest.mark.spread(2)
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


@pytest.mark.parametrize(
    ("style", "encoding"), covering(["json", "jsonl", "openmetrics"], ["latin-1", "ascii", "cp1252"])
)
def test_data_is_utf_8_under_any_locale(tmp_path, style, encoding):
    (tmp_path / "bom.csv").write_text("id,parent,mass [kg]\nGerät→,,\nÄ,Gerät→,x\nB,Gerät→,2\n", encoding="utf-8")
    environment = {**os.environ, "LC_ALL": "C", "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    command = [sys.executable, "-m", "massprops_cli", "validate", "bom.csv", "--format", style]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, timeout=60, check=False)
    text = done.stdout.decode("utf-8")
    assert done.returncode == 1
    if style != "openmetrics":
        assert "mass [kg] of Ä is not a number" in text


def test_markdown_has_no_mentions_links_images_and_html(tmp_path, massprops):
    texts = ("@octo", "![i](http://x/y)", "[l](http://a)", "<img src=x>", "www.x.org")
    rows = "".join(f"{text},A,x\n" for text in texts)
    (tmp_path / "bom.csv").write_text(f"id,parent,mass [kg]\nA,,\n{rows}B,A,1\n")
    for command in (["rollup", "-o", str(tmp_path / "out.csv")], ["validate"]):
        shown = massprops(command[0], str(tmp_path / "bom.csv"), *command[1:], "--format", "md").stdout
        assert "octo" in shown
        assert not [mark for mark in ("@octo", "](", "<img", "http://", "www.") if mark in shown]


def test_lone_surrogate_is_named_with_its_record(tmp_path, massprops):
    rows = [{"id": "A", "parent": "", "mass": None}, {"id": "P", "parent": "A", "mass": 1, "note": "\ud800x"}]
    (tmp_path / "bom.json").write_text(json.dumps(rows))
    for name in ("out.csv", "out.json"):
        done = massprops("rollup", str(tmp_path / "bom.json"), "-o", str(tmp_path / name))
        assert done.exit_code == 2
        assert "row 2" in done.stderr
        assert "\\ud800x" in done.stderr
        assert not (tmp_path / name).exists()


def test_workbook_that_changes_while_it_is_read_is_one_error(tmp_path, massprops, monkeypatch):
    from massprops_cli.files.workbook import xlsx as workbook

    (tmp_path / "bom.csv").write_text("id,parent,mass [kg]\nA,,\nB,A,1\n")
    path = tmp_path / "bom.xlsx"
    assert massprops("convert", str(tmp_path / "bom.csv"), "-o", str(path)).exit_code == 0
    read = workbook.read_workbook

    def rewritten(*arguments):
        path.write_bytes(path.read_bytes()[:2_000])
        return read(*arguments)

    monkeypatch.setattr(workbook, "read_workbook", rewritten)
    done = massprops("rollup", str(path), "-o", str(tmp_path / "out.csv"))
    assert done.exit_code == 2
    assert "MP101" in done.stderr
    assert "changed while it was read" in done.stderr
    assert "MP104" not in done.stderr


def test_columns_that_are_no_text_are_a_wrong_call(tmp_path):
    """An argument of bytes that are not UTF-8 arrives with lone surrogates."""
    (tmp_path / "list.csv").write_text("a,,1\n")
    command = [*warm_command(), "rollup", "list.csv", "--columns", b"id,parent,mass,\xff"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 2
    assert done.stderr.decode().startswith("massprops: note: --columns")


def test_point_beyond_double_precision_is_one_error_without_warnings(tmp_path, massprops):
    (tmp_path / "bom.csv").write_text(
        "id,parent,mass,Cx,Cy,Cz,Ixx,Iyy,Izz,Ixy,Ixz,Iyz\na,,,,,,,,,,,\nb,a,1,0,0,0,1,1,1,0,0,0\n"
    )
    result = massprops(
        "rollup", str(tmp_path / "bom.csv"), "--inertia-about", "1e200,0,0", "--poi=-", "--format", "concise"
    )
    assert result.exit_code == 1
    assert "MP407" in result.stdout
    assert "Warning" not in result.output
