"""Totals of a sheet on the screen, in Markdown and in JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

SHEET = """id,parent,qty,mass [kg]
SAT,,,
Harness,SAT,1,4.2
cable,Harness,3,1.3
Radio,SAT,2,0.25
TOTAL,,,4.4
Margin 10 %,,,0.44
Limit,,,6
"""


@pytest.fixture
def sheet(tmp_path: Path) -> Path:
    """Write a sheet with a total, and an assembly that states another mass than its children."""
    path = tmp_path / "bom.csv"
    path.write_text(SHEET)
    return path


def test_totals_are_below_the_result(run, sheet: Path) -> None:
    lines = [" ".join(line.split()) for line in run("rollup", sheet).stdout.splitlines()]
    at = lines.index("stated totals (kg)")
    assert lines[at + 1 : at + 3] == ["TOTAL line 6 4.4 ✔ all rows above", "Harness line 3 4.2 ✘ 3.9 its children"]


def test_a_sheet_without_totals_shows_none(run, bom: Path) -> None:
    assert "totals in the sheet" not in run("rollup", bom).stdout
    assert "reconciliation" not in json.loads(run("rollup", bom, "--format", "json").stdout)


def test_json_and_markdown_hold_them_too(run, sheet: Path) -> None:
    total, harness = json.loads(run("rollup", sheet, "--format", "json").stdout)["reconciliation"]
    assert (total["label"], total["stated"], total["computed"], total["agrees"]) == (
        "TOTAL",
        4.4,
        pytest.approx(4.4),
        True,
    )
    assert (harness["kind"], harness["stated"], harness["agrees"]) == ("assembly", 4.2, False)
    text = run("rollup", sheet, "--format", "md").stdout
    assert "| TOTAL | line 6 | 4.4 | ✔ |  | all rows above |" in text


def test_rows_that_are_totals_are_written_unchanged(run, sheet: Path) -> None:
    written = run("rollup", sheet, "-o", "-").stdout.splitlines()
    assert written[1] == "SAT,,,4.4"
    assert written[5:] == SHEET.splitlines()[5:]
