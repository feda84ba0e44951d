"""Rows named by ``--skip-row`` and ``--count-row`` in several tables that are combined."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

FIRST = "item,mass [kg]\nA,5\nB,7\nSpare,1\n"
SECOND = "item,mass [kg]\nC,5\nSpare,7\n"


def mass_of(run, *options: str) -> float:
    result = run("rollup", "one.csv", "--combine", *options, "-o", "out.csv", "--format", "json")
    assert result.exit_code == 0, result.output
    return float(json.loads(result.stdout)["items"][0]["mass"])


@pytest.fixture
def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("one.csv").write_text(FIRST, encoding="utf-8")
    Path("two.csv").write_text(SECOND, encoding="utf-8")


@pytest.mark.parametrize(
    ("options", "mass"),
    [
        ((), 25),
        (("--skip-row", "Spare"), 5 + 7 + 5),
        (("--skip-row", "C"), 5 + 7 + 1 + 7),  # in the second table only
        (("--skip-row", "row:4"), 5 + 7 + 5 + 7),  # in the first table only
        (("--count-row", "Spare"), 25),
    ],
)
@pytest.mark.usefixtures("tables")
def test_rows_of_branches(options: tuple[str, ...], mass: float, run) -> None:
    assert mass_of(run, "branch", "two.csv", *options) == mass


@pytest.mark.usefixtures("tables")
def test_rows_that_no_table_has_or_that_several_have(run) -> None:
    missing = run("rollup", "one.csv", "--combine", "branch", "two.csv", "--skip-row", "Nope")
    assert missing.exit_code == 1
    assert missing.output.count("--skip-row Nope: no such row") == 2
    place = run("rollup", "one.csv", "--combine", "branch", "two.csv", "--skip-row", "row:3")
    assert place.exit_code == 2
    assert "2 tables have this row; use the text of a cell of it" in place.output


@pytest.mark.usefixtures("tables")
def test_skipped_row_of_joined_tables(run) -> None:
    Path("one.csv").write_text("id,parent,mass [kg]\nS,,\nA,S,5\nSpare,S,7\n", encoding="utf-8")
    Path("two.csv").write_text("id,Cx [m],Cy [m],Cz [m]\nA,1,0,0\nSpare,9,0,0\n", encoding="utf-8")
    result = run(
        "rollup", "one.csv", "--combine", "id", "two.csv", "--skip-row", "Spare", "--format", "json", "-o", "o.csv"
    )
    assert result.exit_code == 0, result.output
    root = json.loads(result.stdout)["items"][0]
    assert (root["mass"], root["center"]) == (5, [1, 0, 0])
