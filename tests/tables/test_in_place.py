"""Messy workbooks as they are mailed: the right total, typed here by hand, and every other cell as it was."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import openpyxl
import pytest

Rows = Sequence[Sequence[Any]]

PLAIN: Rows = [["id", "parent", "mass"], ["Wing", None, None], ["Spar", "Wing", 12.5], ["Rib", "Wing", 0.4]]
GROUPED: Rows = [
    ["id", "parent", "Mass", "CG [mm]", None, None],
    [None, None, "kg", "X", "Y", "Z"],
    ["Wing"],
    ["Spar", "Wing", 12, 100, 0, 10],
    ["Rib", "Wing", 4, 300, 0, 10],
]


def mailed(path: Path, rows: Rows, corner: tuple[int, int] = (1, 1), merged: Sequence[str] = ()) -> Path:
    """Save a workbook with one sheet whose rows begin at a cell (row, column), both from 1."""
    workbook = openpyxl.Workbook()
    sheet = workbook.worksheets[0]
    sheet.title = "BOM"
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            sheet.cell(corner[0] + i, corner[1] + j, value)
    for cells in merged:
        sheet.merge_cells(cells)
    workbook.save(path)
    return path


def cells_of(path: Path, sheet: str = "BOM") -> dict[str, Any]:
    """Give a sheet's cells that are not blank, by address."""
    rows = openpyxl.load_workbook(path)[sheet].iter_rows()
    return {cell.coordinate: cell.value for row in rows for cell in row if cell.value is not None}


CASES: dict[str, tuple[Rows, dict[str, Any], dict[str, Any]]] = {
    "begins at B3": (PLAIN, {"corner": (3, 2)}, {"D4": 12.9}),
    "titles, then B4": ([["Kestrel"], [], *PLAIN], {"corner": (2, 2)}, {"D5": 12.9}),
    "blank rows between": ([*PLAIN[:2], [], PLAIN[2], [], [], PLAIN[3]], {}, {"C2": 12.9}),
    "remarks below": ([*PLAIN, [], ["Note: estimates only"], ["J. Doe"]], {}, {"C2": 12.9}),
    "groups over columns": (GROUPED, {"merged": ["D1:F1"]}, {"C3": 16, "D3": 150, "E3": 0, "F3": 10}),
    "a summary at the side": (
        [
            [*PLAIN[0], None, "Summary"],
            PLAIN[1],
            [*PLAIN[2], None, "Parts", 2],
            PLAIN[3],
            [],
            [*[None] * 4, "Rev", "B"],
        ],
        {},
        {"C2": 12.9},
    ),
    "groups and remarks at C5": (
        [*GROUPED, [], ["* without fasteners"]],
        {"corner": (5, 3), "merged": ["F5:H5"]},
        {"E7": 16, "F7": 150, "G7": 0, "H7": 10},
    ),
}


@pytest.mark.spread(2, keep=("remarks below",))
@pytest.mark.parametrize("name", CASES)
def test_a_mailed_workbook_is_filled_in_place(massprops: Callable[..., Any], tmp_path: Path, name: str) -> None:
    rows, made, filled = CASES[name]
    path = mailed(tmp_path / "mailed.xlsx", rows, **made)
    result = massprops("rollup", str(path))
    assert result.exit_code == 0, result.output
    written = cells_of(tmp_path / "mailed.rollup.xlsx")
    assert {spot: written.pop(spot) for spot in filled} == pytest.approx(filled)
    assert written == cells_of(path)


@pytest.mark.spread(2, keep=("remarks below",))
@pytest.mark.parametrize("name", CASES)
def test_rolled_up_twice_is_rolled_up_once(massprops: Callable[..., Any], tmp_path: Path, name: str) -> None:
    rows, made, _ = CASES[name]
    path = mailed(tmp_path / "mailed.xlsx", rows, **made)
    assert massprops("rollup", str(path), "-o", str(tmp_path / "once.xlsx")).exit_code == 0
    assert massprops("rollup", str(tmp_path / "once.xlsx"), "-o", str(tmp_path / "twice.xlsx")).exit_code == 0
    assert cells_of(tmp_path / "twice.xlsx") == cells_of(tmp_path / "once.xlsx")


def test_a_csv_with_two_header_rows_comes_back_with_both(massprops: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(
        "id,parent,mass,CG,,\n,,,X,Y,Z\nWing,,,,,\nSpar,Wing,2,1,0,0\nRib,Wing,2,3,0,0\n,,,,,\nNote: x,,,,,\n"
    )
    assert massprops("rollup", str(path)).exit_code == 0
    text = (tmp_path / "a.rollup.csv").read_text()
    assert text == path.read_text().replace("Wing,,,,,", "Wing,,4,2,0,0")
    assert massprops("rollup", str(path)).exit_code == 0  # its own output gives way


@pytest.mark.parametrize("units", ["SI", "g,mm"])
def test_other_units_in_a_header_of_two_rows_read_back(
    massprops: Callable[..., Any], tmp_path: Path, units: str
) -> None:
    path = mailed(tmp_path / "mailed.xlsx", GROUPED, merged=["D1:F1"])
    other = tmp_path / "other.xlsx"
    assert massprops("rollup", str(path), "--units", units, "-o", str(other)).exit_code == 0
    again = massprops("rollup", str(other), "--units", "kg,mm", "-o", str(tmp_path / "back.xlsx"))
    assert again.exit_code == 0, again.output
    back = cells_of(tmp_path / "back.xlsx")
    assert [back[spot] for spot in ("C3", "D3", "E3", "F3", "C4", "D5")] == pytest.approx([16, 150, 0, 10, 12, 300])


def test_a_sheet_of_two_tables_is_rejected_with_a_line_that_resolves_it(
    massprops: Callable[..., Any], tmp_path: Path
) -> None:
    second = [["Tail assembly"], ["Part", "Next Assembly", "Weight"], ["Tail"], ["Fin", "Tail", 3.1]]
    path = mailed(tmp_path / "mailed.xlsx", [*PLAIN, [], *second], corner=(2, 2))
    rejected = massprops("rollup", str(path))
    assert rejected.exit_code == 2
    assert "--table 2 for Part, Next Assembly, Weight in row 8" in " ".join(rejected.output.split())
    for number, filled in (("1", {"D3": 12.9}), ("2", {"D9": 3.1})):
        out = tmp_path / f"{number}.xlsx"
        assert massprops("rollup", str(path), "--table", number, "-o", str(out)).exit_code == 0
        written = cells_of(out)
        assert {spot: written.pop(spot) for spot in filled} == pytest.approx(filled)
        assert written == cells_of(path)


def test_a_list_is_under_a_root_named_after_its_sheet(massprops: Callable[..., Any], tmp_path: Path) -> None:
    rows = [["Part", "Qty", "Mass [kg]"], ["Spar", 2, 12.5], ["Rib", 10, 0.4]]
    path = mailed(tmp_path / "mailed.xlsx", rows, corner=(2, 2))
    result = massprops("rollup", str(path))
    assert result.exit_code == 0, result.output
    assert "BOM  (root)" in result.output
    rolled = openpyxl.load_workbook(tmp_path / "mailed.rollup.xlsx")["Rollup"]
    assert 29 in [cell.value for row in rolled.iter_rows() for cell in row]
    assert cells_of(tmp_path / "mailed.rollup.xlsx") == cells_of(path)


def test_a_list_in_a_file_is_under_a_root_named_after_it(massprops: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "kestrel.csv"
    path.write_text("Part,Mass [kg]\nSpar,12.5\nRib,0.4\n")
    assert "kestrel  (root)" in massprops("rollup", str(path)).output
    assert "Wing  (root)" in massprops("rollup", str(path), "--make-root", "Wing").output


def test_groups_of_a_list_have_their_own_totals(massprops: Callable[..., Any], tmp_path: Path) -> None:
    rows = [
        ["System", "Part", "Qty", "Mass [kg]"],
        ["Power", "Cell", 4, 0.5],
        [None, "Cable", 1, 3],
        ["Hull", "Rib", 2, 4],
    ]
    path = mailed(tmp_path / "mailed.xlsx", rows)
    result = massprops("rollup", str(path))
    assert result.exit_code == 0, result.output
    written = openpyxl.load_workbook(tmp_path / "mailed.rollup.xlsx")["Rollup"]
    found = {str(row[0].value): row for row in written.iter_rows()}
    for name, mass in {"BOM": 13, "Power": 5, "Hull": 8}.items():
        assert mass in [cell.value for cell in found[name]]
    assert cells_of(tmp_path / "mailed.rollup.xlsx") == cells_of(path)
    csv = massprops("convert", str(path), "--to", "csv", "--to-layout", "parent")
    assert csv.exit_code == 0, csv.output
