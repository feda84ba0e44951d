"""``--mass-is`` and ``--qty-is``: on the command line and in the file of options."""

from __future__ import annotations

from pathlib import Path

import pytest

# two boxes of ten nuts of 0.1 kg: 20 nuts in all, which weigh 2 kg
SHEET = "id,parent,qty,mass\ntop,,,\nbox,top,2,\nnut,box,20,2\n"


@pytest.fixture
def sheet(tmp_path: Path) -> Path:
    """Write a table of masses of lines and quantities of the whole."""
    path = tmp_path / "bom.csv"
    path.write_text(SHEET)
    return path


def test_both_options(run, sheet: Path) -> None:
    result = run("rollup", sheet, "--mass-is", "line", "--qty-is", "total", "-o", "-")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == ["id,parent,qty,mass", "top,,,2", "box,top,2,2", "nut,box,20,2"]


def test_the_file_of_options_states_them_too(run, sheet: Path) -> None:
    (sheet.parent / "massprops.toml").write_text('[read]\nmass-is = "line"\nqty-is = "total"\n')
    assert run("rollup", sheet, "-o", "-").stdout.splitlines()[1] == "top,,,2"
    assert run("rollup", sheet, "-o", "-", "--mass-is", "each").stdout.splitlines()[1] == "top,,,40"


@pytest.mark.parametrize(("key", "known"), [("mass-is", "each, line"), ("qty-is", "per-parent, total")])
def test_another_word_is_a_wrong_configuration(run, sheet: Path, key: str, known: str) -> None:
    (sheet.parent / "massprops.toml").write_text(f'[read]\n{key} = "xyz"\n')
    result = run("rollup", sheet)
    assert result.exit_code == 2
    assert f"invalid read.{key}: xyz (expected one of {known})" in " ".join(result.stderr.split())
