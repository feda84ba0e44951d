"""Slips of form: a blank before a name, a total at the side, a group header and its range, a blank among groups."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from openpyxl import Workbook
from typer.testing import Result

import massprops_cli as mp
from massprops_cli.bom.bom import Bom
from massprops_cli.files.table import GridTable, SheetInfo, TableSource
from massprops_cli.findings.finding import Findings
from massprops_cli.tables.columns.table_location import _join_header_texts, find_table
from massprops_cli.tables.options import TableOptions


def bom_of(text: str) -> Bom:
    rows = [line.split(",") for line in text.strip("\n").split("\n")]
    return Bom.from_table(GridTable(TableSource("list.csv", "csv"), [list(row) for row in rows]))


def mass_of(text: str) -> float:
    bom = bom_of(text)
    assert not bom.has_errors, bom.findings
    rolled = mp.rollup(bom)
    return float(rolled.root.mass or 0)


LIST = "Part,Mass [kg]\nFrame,12\nWheel,3\nMotor,8\nSeat,2"


@pytest.mark.parametrize("name", ["Wheel", "Motor", "Seat", "Frame"])
def test_a_lone_blank_before_a_name_makes_no_assembly(name: str) -> None:
    assert mass_of(LIST.replace(name, f" {name}")) == 25


def test_a_lone_blank_under_a_remark_or_in_an_empty_cell_makes_no_assembly() -> None:
    assert mass_of("Part,Mass [kg],Remarks\nFrame,12,\nWheel,3, \nMotor,8,\nSeat,2,") == 25
    assert mass_of("Part,Mass [kg],Remarks\nFrame,12,new\nWheel,3, old\nMotor,8,\nSeat,2,") == 25


def test_one_part_of_one_assembly_may_be_indented_by_one_blank() -> None:
    bom = bom_of("Part,Mass [kg]\nFrame,\n Wheel,3\nMotor,8\nSeat,2")
    assert bom.layout == "indented"
    assert mass_of("Part,Mass [kg]\nCar,\n Wheel,3\n Motor,8\n Seat,2") == 13


def test_numbers_that_are_aligned_right_are_no_indentation() -> None:
    assert mass_of("Pos,Part,Mass [kg]\n  8,Frame,12\n  9,Wheel,3\n 10,Motor,8") == 23


@pytest.mark.parametrize("label", ["Total:", "TOTAL", "Summe:", "Sum", "Total général", "合計"])
@pytest.mark.parametrize("at", [1, 2, 3])
def test_a_total_at_the_side_of_a_part_leaves_the_part(label: str, at: int) -> None:
    rows = ["Component,Mass [kg],,,", "Frame,12,,,", "Wheel,3,,,", "Motor,8,,,"]
    rows[at] = rows[at][:-2] + f",{label},23"
    assert mass_of("\n".join(rows)) == 23


def test_a_total_in_its_own_row_is_one_wherever_its_label_is() -> None:
    assert mass_of("Part,Category,Mass [kg]\nFrame,S,12\nWheel,S,3\n,Total,15") == 15
    assert mass_of("Part,Mass [kg],Note\nFrame,12,\nWheel,3,\n,15,Total") == 15
    assert mass_of("Group,Part,Mass [kg]\nS,Frame,12\nS,Wheel,3\nS,Subtotal,15") == 15


def test_a_group_header_ends_with_the_last_column_that_it_names() -> None:
    over = ["Part", "CG [mm]", "", "", "", ""]
    under = ["", "X", "Y", "Z", "Material", "X"]
    assert _join_header_texts(over, under, {}) == ["Part", "CG X [mm]", "CG Y [mm]", "CG Z [mm]", "Material", "X"]


def test_a_group_header_reaches_as_far_as_its_merged_cells() -> None:
    rows = [
        ["Part", "Mass [kg]", "", "", "Price", ""],
        ["", "each", "total", "each", "each", "total"],
        ["Bolt", 1.0, 2.0, 3.0, 5.0, 10.0],
    ]
    grid = GridTable(TableSource("list.xlsx", "xlsx"), [list(row) for row in rows])
    grid.sheet_info = SheetInfo(merges=((0, 1, 0, 2), (0, 4, 0, 5)))
    table = find_table(grid, TableOptions(), Findings())
    assert table.row(1) == ["Part", "Mass each [kg]", "Mass total [kg]", "each", "Price each", "Price total"]


def test_merged_cells_of_a_workbook_end_a_group(tmp_path: Path, massprops: Callable[..., Result]) -> None:
    book = Workbook()
    for row in [
        ["Part", "Qty", "CG [mm]", None, None, None],
        [None, None, "X", "Y", "Z", "Mass"],
        ["Bolt", 1, 1, 2, 3, 4],
        ["Nut", 1, 1, 2, 3, 4],
    ]:
        book.active.append(row)
    book.active.merge_cells("C1:E1")
    book.save(tmp_path / "a.xlsx")
    printed = massprops("validate", tmp_path / "a.xlsx").output
    assert "CG X [mm]" in printed
    assert "CG Mass" not in printed


FULL = ["Power", "Power", "Power", "Thermal", "Thermal", "Optics", "Optics"]


@pytest.mark.parametrize("blank", range(1, 7))
def test_one_blank_in_a_full_column_of_groups_is_not_a_group(blank: int) -> None:
    groups = [*FULL]
    groups[blank] = ""
    rows = [f"{group},P{k},{k + 1}" for k, group in enumerate(groups)]
    bom = bom_of("\n".join(["Subsystem,Part,Mass [kg]", *rows]))
    assert len(bom) == 8
    assert mp.rollup(bom).root.mass == 28


@pytest.mark.parametrize(
    ("groups", "named"),
    [
        (["Bus", "Crane", "Deck", "", "Engine"], 0),
        (["Bus", "Bus", "", "Crane", "", "Deck"], 0),
        (["Bus", "", "Crane", "", "Deck", ""], 3),
        (["Bus", "", "Crane"], 2),
    ],
)
def test_what_distinguishes_a_column_filled_by_row_from_one_filled_down(groups: list[str], named: int) -> None:
    rows = [f"{group},P{k},1" for k, group in enumerate(groups)]
    bom = bom_of("\n".join(["Subsystem,Part,Mass [kg]", *rows]))
    assert len(bom) == len(groups) + 1 + named


def test_one_blank_in_a_full_inner_column_of_groups_is_not_an_inner_group() -> None:
    rows = ["Bus,Power,A,1", ",Power,B,2", ",,C,4", ",Thermal,D,8", ",Thermal,E,16", "Crane,Hooks,F,32"]
    rolled = mp.rollup(bom_of("\n".join(["System,Subsystem,Part,Mass [kg]", *rows])))
    assert {name: rolled[name].mass for name in ("Bus", "Power", "Thermal", "Crane")} == {
        "Bus": 31,
        "Power": 3,
        "Thermal": 24,
        "Crane": 32,
    }
