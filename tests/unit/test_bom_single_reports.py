"""A cell that a spreadsheet could not calculate is reported once, and as an error only where its number is needed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import openpyxl

from massprops_cli.bom.bom import Bom
from massprops_cli.tables.options import TableOptions


def printed(tmp_path: Path, *rows: list[Any]) -> list[tuple[str, str, str, str]]:
    book = openpyxl.Workbook()
    header = ["id", "parent", "mass", "cost"]
    for row in [header, ["Top", None, None, None], *rows]:
        book.active.append(row)
    book.save(tmp_path / "bom.xlsx")
    findings = Bom.read(str(tmp_path / "bom.xlsx")).findings
    return [(f.rule, f.severity.value, f.place.cell, f.item) for f in findings if f.rule != "MP271"]  # cost is not read


def test_an_error_cell_is_reported_once_with_its_item(tmp_path: Path) -> None:
    assert printed(tmp_path, ["A", "Top", "#DIV/0!", 1]) == [("MP117", "error", "C3", "A")]


def test_a_formula_without_a_value_is_not_a_blank_too(tmp_path: Path) -> None:
    assert printed(tmp_path, ["A", "Top", "=1+1", 1]) == [("MP116", "error", "C3", "")]


def test_a_blank_next_to_it_is_reported(tmp_path: Path) -> None:
    rules = [rule for rule, *_ in printed(tmp_path, ["A", "Top", "=1+1", 1], ["B", "Top", None, 1])]
    assert rules == ["MP116", "MP206"]


def test_an_error_in_a_column_that_is_not_read_is_a_warning(tmp_path: Path) -> None:
    assert printed(tmp_path, ["A", "Top", 1, "#N/A"]) == [("MP117", "warning", "D3", "")]


def severities(tmp_path: Path, *rows: list[Any], **options: Any) -> list[tuple[str, str, str]]:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.save(tmp_path / "bom.xlsx")
    bom = Bom.read(str(tmp_path / "bom.xlsx"), table_options=TableOptions(**options))
    return [(f.rule, f.severity.value, f.place.cell) for f in bom.findings]


HEADER = ["id", "parent", "qty", "mass", "sigma_mass"]
TREE = [["Top", None, None, "=SUM(D3:D4)", "=E3"], ["A", "Top", 1, 2, 0.1], ["B", "Top", 1, 3, 0.1]]


def test_a_sum_without_a_value_on_an_assembly_is_a_note(tmp_path: Path) -> None:
    assert severities(tmp_path, HEADER, *TREE) == [("MP116", "note", "D2"), ("MP116", "note", "E2")]


def test_a_sum_without_a_value_is_needed_where_the_assembly_s_own_numbers_go_up(tmp_path: Path) -> None:
    reported = severities(tmp_path, HEADER, *TREE, assembly_values="stated")
    assert ("MP116", "error", "D2") in reported


def test_a_structural_cell_of_an_assembly_without_a_value_is_an_error(tmp_path: Path) -> None:
    wing = [["Wing", "Top", "=1+1", None, None], ["C", "Wing", 1, 1, 0.1]]
    reported = severities(tmp_path, HEADER, ["Top"], *TREE[1:], *wing)
    assert ("MP116", "error", "C5") in reported
