"""Totals that leave rows out, or that a list states next to the sums of its groups."""

from __future__ import annotations

from pathlib import Path

import openpyxl
import pytest
from openpyxl.styles import Font

from massprops_cli.bom.bom import Bom, read_bom
from massprops_cli.bom.rollup import rollup

LIST = [["Part Number", "Mass [kg]"], ["A", 12], ["B", 7], ["C", 4], ["Total", 19]]
GROUPS = [["Name", "Mass [kg]"], ["Structure", 30], ["Panel", 10], ["Frame", 20], ["Power", 15], ["Battery", 15]]


def book(folder: Path, rows: list[list[object]], *, hidden: int = 0, struck: int = 0) -> Path:
    """Write a workbook with a row that is hidden, or struck out."""
    workbook = openpyxl.Workbook()
    sheet = workbook.active
    for row in rows:
        sheet.append(row)
    if hidden:
        sheet.row_dimensions[hidden].hidden = True
    if struck:
        for cell in sheet[struck]:
            cell.font = Font(strike=True)
    workbook.save(folder / "list.xlsx")
    return folder / "list.xlsx"


def questions(bom: Bom) -> list[str]:
    """Give the messages that ask how to read a table."""
    return [finding.message for finding in bom.findings if finding.rule == "MP252"]


@pytest.mark.parametrize(("how", "word"), [({"hidden": 4}, "hidden"), ({"struck": 4}, "struck out")])
def test_a_total_that_leaves_a_row_out_is_a_question(tmp_path: Path, how: dict[str, int], word: str) -> None:
    path = book(tmp_path, LIST, **how)
    message = f"row may not count: C ({word}, and not in the stated total)"
    assert message in [one.message for one in read_bom(path).findings]
    assert rollup(read_bom(path, skip_rows=("C",))).root.mass == 19
    every = read_bom(path, count_rows=("C",))
    assert "MP415" in [finding.rule for finding in every.findings]
    assert rollup(every).root.mass == 12 + 7 + 4


def test_a_hidden_row_that_does_not_explain_the_difference_is_not_a_question(tmp_path: Path) -> None:
    bom = read_bom(book(tmp_path, LIST, hidden=3))
    assert questions(bom) == []
    assert "MP415" in [finding.rule for finding in bom.findings]


def test_a_total_shows_the_sums_of_groups(tmp_path: Path) -> None:
    path = book(tmp_path, [*GROUPS, ["Total", 45]])
    assert rollup(path).root.mass == 10 + 20 + 15
    items = read_bom(path, where=("Name != Structure", "Name != Power"))
    assert questions(items) == []
    assert rollup(items).root.mass == 10 + 20 + 15


def test_row_totals_are_no_sums_of_other_rows(tmp_path: Path) -> None:
    rows = [["Name", "Qty", "Mass [kg]"], ["A", 2, 8], ["B", 2, 6], ["Total", None, 14]]
    bom = read_bom(book(tmp_path, rows))
    assert questions(bom) == []
    assert rollup(bom).root.mass == 14
