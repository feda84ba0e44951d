"""With -v, everything that was decided is reported."""

from __future__ import annotations

import pytest

TABLE = "note;Part No;Parent;Weight (lb);CG X (in)\nx;top;;;\nx;a;top;2;1\nx;b;top;3;4\n"
COMMANDS = [("validate",), ("rollup",), ("tree",), ("whatif", "--set", "a.mass=5")]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_every_decision_is_reported(run, tmp_path, command):
    path = tmp_path / "bom.csv"
    path.write_bytes(b"\xef\xbb\xbf" + TABLE.encode())
    (tmp_path / "massprops.toml").write_text('[read]\nallow-missing = "center"\n[[budget]]\nitem = "top"\n')
    more = tmp_path / "more.toml"
    more.write_text('[columns]\nid = "Part No"\n')
    requested = (command[0], path, *command[1:], "--config", more, "--map", "Cx=CG X (in)", "--map", "parent=Parent")
    # only Cx of a centre is an error, which is no matter here
    words = " ".join(run(*requested, "-v").output.split())
    for text in (
        f"configuration {tmp_path / 'massprops.toml'} (1 [[budget]], used by massprops check) {more} format csv",
        "encoding utf-8, with a byte order mark",
        "delimiter semicolon",
        "header line 1 first item line 2",
        "layout parent: ",
        "root top",
        "units lb, in",
        "may be missing center",
        "Part No id",
        "Weight (lb) mass lb",
        "note not read",
    ):
        assert text in words, text
    assert "decided" not in run(*requested, "-q").output


def test_workbook_names_its_sheet(run, sample_data):
    words = " ".join(run("validate", sample_data / "spacecraft.xlsx", "-v").stdout.split())
    assert "configuration none" in words
    assert "format xlsx sheet BOM header row 1 first item row 2" in words
    assert "products of each row, from column POIconv" in words


def test_convert_states_how_it_read(run, bom):
    words = " ".join(run("convert", bom, "-v").stderr.split())
    assert "configuration none" in words
    assert "format csv encoding utf-8 delimiter comma" in words
    assert run("convert", bom).stderr == ""


@pytest.mark.parametrize("text", ["budget = 1\n", "[budget]\nitem = 1\n"])
def test_budget_that_is_not_a_list_is_a_wrong_configuration(run, bom, text):
    (bom.parent / "massprops.toml").write_text(text)
    result = run("validate", bom)
    assert result.exit_code == 2
    assert "[[budget]]" in result.stderr
