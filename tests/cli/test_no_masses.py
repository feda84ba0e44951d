"""A table in which no mass is known: nothing can be computed, whatever may be missing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

BLANK = "id,parent,mass [kg],power,Cx,Cy,Cz\nS,,,,,,\nA,S,,1,1,0,0\nB,S,,2,2,0,0\n"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "bom.csv"
    path.write_text(BLANK, encoding="utf-8")
    return path


@pytest.mark.parametrize("options", [(), ("--allow-missing", "mass"), ("--allow-missing", "all")])
def test_no_mass_at_all_is_an_error(options: tuple[str, ...], table: Path, run) -> None:
    result = run("rollup", table, *options)
    assert result.exit_code == 1
    assert "error MP206  mass of all 2 leaves is missing: column mass [kg] is blank" in result.output
    assert "hint: enter the mass of one row at least" in result.output
    assert "( of mass)" not in result.output
    assert not table.with_name("bom.rollup.csv").exists()


def test_one_known_mass_is_enough(table: Path, run) -> None:
    table.write_text(BLANK.replace("A,S,,1", "A,S,3,1"), encoding="utf-8")
    result = run("rollup", table, "--allow-missing", "mass", "--format", "json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["items"][0]["mass"] == 3


def test_other_columns_are_summed_without_masses(table: Path, run) -> None:
    result = run("rollup", table, "--allow-missing", "mass", "--sum", "power", "-o", table.with_name("out.csv"))
    assert result.exit_code == 0, result.output
    assert "power  3  sum  all leaves" in result.output
