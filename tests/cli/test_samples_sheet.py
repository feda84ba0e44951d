"""The sheet Samples in a user's workbook: added by a simulation, replaced by the next roll-up, never a user's own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pytest

DRAWN = ("--uncertainty", "montecarlo", "--samples", "50")
ROWS = (("id", "parent", "mass", "sigma_mass"), ("t", None, None, None), ("a", "t", 1, 0.1), ("b", "t", 2, 0.2))


def workbook(path: Path, title: str) -> Path:
    book = openpyxl.Workbook()
    assert book.active is not None
    book.active.title = title
    for row in ROWS:
        book.active.append(row)
    book.create_sheet("Notes").append(["nothing here"])
    book.save(path)
    return path


@pytest.fixture
def rolled(massprops: Callable[..., Any]) -> Callable[..., Path]:
    """Roll a workbook up into another, which is given back."""

    def run(source: Path, name: str, *arguments: str) -> Path:
        target = source.with_name(name)
        done = massprops("rollup", source, "-o", target, *arguments)
        assert done.exit_code == 0, done.output
        return target

    return run


def first_cells(path: Path, sheet: str) -> list[Any]:
    return [row[0].value for row in openpyxl.load_workbook(path)[sheet].iter_rows(max_col=1)]


def test_added_by_a_simulation_and_the_same_again(tmp_path: Path, rolled: Callable[..., Path]) -> None:
    source = workbook(tmp_path / "bom.xlsx", "Parts")
    assert "Samples" not in openpyxl.load_workbook(rolled(source, "plain.xlsx")).sheetnames
    once = rolled(source, "once.xlsx", *DRAWN)
    assert openpyxl.load_workbook(once).sheetnames == ["Parts", "Notes", "Rollup", "Samples", "Findings", "About"]
    assert first_cells(once, "Samples")[:2] == ["item", "t"]
    assert rolled(once, "twice.xlsx", *DRAWN).read_bytes() == once.read_bytes()


def test_samples_of_an_earlier_run_do_not_stay(tmp_path: Path, rolled: Callable[..., Path]) -> None:
    once = rolled(workbook(tmp_path / "bom.xlsx", "Parts"), "once.xlsx", *DRAWN)
    later = rolled(once, "later.xlsx", "--uncertainty", "covariance")
    assert first_cells(later, "Samples") == ["item", "no samples in the last roll-up"]


def test_a_users_own_sheet_of_that_name_is_the_table_still(tmp_path: Path, rolled: Callable[..., Path]) -> None:
    source = workbook(tmp_path / "bom.xlsx", "Samples")
    once = rolled(source, "once.xlsx")
    assert first_cells(once, "Samples") == ["id", "t", "a", "b"]
    again = rolled(once, "again.xlsx", *DRAWN)
    assert first_cells(again, "Samples") == ["id", "t", "a", "b"]
    assert first_cells(again, "Samples (massprops)")[:2] == ["item", "t"]
    last = rolled(again, "last.xlsx")
    assert first_cells(last, "Samples") == ["id", "t", "a", "b"]
    assert first_cells(last, "Samples (massprops)") == ["item", "no samples in the last roll-up"]
