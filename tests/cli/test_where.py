"""``--where`` on the command line: what is kept, what is reported, what is rejected."""

from __future__ import annotations

import pytest

CRAFT = """id,parent,subsystem,mass
Craft,,,
Supply,Craft,Power,
Battery,Supply,Power,7.5
Cell,Supply,Power,0.25
Panel,Craft,Structure,3
"""


@pytest.fixture
def craft(tmp_path):
    path = tmp_path / "craft.csv"
    path.write_text(CRAFT)
    return path


def test_rollup_fills_the_rows_above_what_is_kept_and_leaves_the_others(run, craft, tmp_path):
    result = run("rollup", craft, "--where", "subsystem = Power", "-v")
    assert result.exit_code == 0, result.output
    assert "--where selects 2 rows and 2 assemblies above; 1 row is excluded" in result.output
    written = (tmp_path / "craft.rollup.csv").read_text().splitlines()
    assert written[1:3] == ["Craft,,,7.75", "Supply,Craft,Power,7.75"]
    assert written[3:] == CRAFT.splitlines()[3:]


def test_convert_leaves_rows_away(run, craft):
    result = run("convert", craft, "--where", "subsystem = Structure")
    assert result.stdout.splitlines() == ["id,parent,subsystem,mass", "Craft,,,", "Panel,Craft,Structure,3"]
    result = run("convert", craft, "--where", "mass < 5", "--to-layout", "level")
    assert result.stdout.splitlines() == [
        "id,level,subsystem,mass",
        "Craft,0,,",
        "Supply,1,Power,",
        "Cell,2,Power,0.25",
        "Panel,1,Structure,3",
    ]


@pytest.mark.parametrize("command", ["rollup", "validate", "tree", "convert"])
def test_what_cannot_be_requested_is_a_wrong_call(run, craft, command):
    result = run(command, craft, "--where", "subsytem = Power")
    assert result.exit_code == 2
    assert "no such column; the nearest is subsystem" in result.stderr


def test_unclear_filter_converts_nothing(run, tmp_path):
    path = tmp_path / "unclear.csv"
    path.write_text(CRAFT + "Cable,Supply,,0.5\n")
    result = run("convert", path, "--where", "subsystem = Power")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "MP330" in result.stderr
