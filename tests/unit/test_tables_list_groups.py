"""Groups of lists: columns filled down, one inside another, and rows with a name alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from openpyxl import Workbook, load_workbook
from typer.testing import Result

import massprops_cli as mp
from massprops_cli.bom.bom import Bom
from massprops_cli.files.table import GridTable, TableSource, Value

COLUMNS: list[Value] = ["System", "Subsystem", "Part", "Qty", "Mass [kg]"]


def bom_of(*rows: list[Value]) -> Bom:
    return Bom.from_table(GridTable(TableSource("a.xlsx", "xlsx", sheet="BOM"), rows))


def masses(bom: Bom) -> dict[str, float]:
    assert not bom.has_errors, bom.findings
    rolled = mp.rollup(bom)
    return {name: float(rolled[name].mass or 0) for name in bom.ids}


def test_groups_within_groups() -> None:
    rows: list[list[Value]] = [
        ["Bus", "Power", "Battery", 2, 3],
        [None, None, "Panel", 1, 4],
        [None, "Thermal", "Radiator", 1, 2],
        ["Payload", "Optics", "Lens", 2, 1],
        [None, "Power", "Harness", 1, 0.5],
        ["Crane", None, "Hook", 1, 8],
    ]
    found = masses(bom_of(COLUMNS, *rows))
    assert {name: found[name] for name in ("Bus", "Payload", "Crane")} == {"Bus": 12, "Payload": 2.5, "Crane": 8}
    assert (found["Power"], found["Payload/Power"], found["Thermal"], found["Optics"]) == (10, 0.5, 2, 2)


def test_a_group_that_comes_again_is_the_same() -> None:
    rows: list[list[Value]] = [
        ["Power", "Cell", 3],
        [None, "Panel", 4],
        ["Thermal", "Heater", 2],
        ["Power", "Cable", 1],
    ]
    found = masses(bom_of(["Subsystem", "Part", "mass"], *rows))
    assert (found["Power"], found["Thermal"]) == (8, 2)


@pytest.mark.parametrize(
    "rows",
    [
        [["Bus", "Power", "Battery", 2, 3], ["Bus", None, "Panel", 1, 4], ["Bus", "Thermal", "Radiator", 1, 2]],
        [["Bus", "Power", "Battery", 2, 3], [None, None, "Panel", 1, 4], ["Bus", "Thermal", "Radiator", 1, 2]],
    ],
)
def test_columns_filled_row_by_row_make_no_groups(rows: list[list[Value]]) -> None:
    assert len(bom_of(COLUMNS, *rows)) == 4


def test_rows_with_a_name_alone_are_groups() -> None:
    rows: list[list[Value]] = [
        ["Power"],
        ["Battery", 2, 3],
        ["Panel", 1, 4],
        ["Thermal"],
        ["Heater", 4, 0.25],
        ["Total", None, 11],
    ]
    bom = bom_of(["Part", "Qty", "Mass [kg]"], *rows)
    found = masses(bom)
    assert (found["Power"], found["Thermal"]) == (10, 1)
    assert [(f.rule, f.count, f.place.row) for f in bom.findings if f.rule == "MP259"] == [("MP259", 2, 2)]


def test_subtotals_that_name_them_resolve_groups_and_end_them() -> None:
    rows: list[list[Value]] = [
        ["Power"],
        ["Battery", 3],
        ["Power subtotal", 3],
        ["Thermal"],
        ["Heater", 4],
        ["Thermal total", 4],
    ]
    found = masses(bom_of(["Part", "Mass [kg]"], *rows, ["Harness", 5]))
    assert (found["Power"], found["Thermal"], found["Harness"]) == (3, 4, 5)
    assert found["BOM"] == 12


@pytest.mark.parametrize(
    "rows",
    [
        [["Battery", 2, 3], ["Panel"], ["Heater", 1, 2]],
        [["Power"], ["Battery", 2, 3], ["Panel"]],
        [["Bus"], ["Power"], ["Battery", 2, 3]],
        [["Power"], ["Battery", None, 3], ["Panel", 1, 2]],
    ],
)
def test_a_name_alone_may_be_an_item_without_its_mass(rows: list[list[Value]]) -> None:
    bom = bom_of(["Part", "Qty", "Mass [kg]"], *rows)
    assert "MP206" in {f.rule for f in bom.findings}


def test_a_name_with_the_mass_of_its_group_is_one() -> None:
    rows: list[list[Value]] = [
        ["Power", None, 10],
        ["Battery", 2, 3],
        ["Panel", 1, 4],
        ["Thermal"],
        ["Heater", 4, 0.25],
    ]
    found = masses(bom_of(["Part", "Qty", "Mass [kg]"], *rows))
    assert (found["Power"], found["Thermal"], found["BOM"]) == (10, 1, 11)


def test_names_of_which_one_has_another_mass_are_ambiguous() -> None:
    rows: list[list[Value]] = [
        ["Power", None, 10],
        ["Battery", 2, 3],
        ["Panel", 1, 4],
        ["Box", None, 3],
        ["Heater", 1, 2],
    ]
    bom = bom_of(["Part", "Qty", "Mass [kg]"], *rows)
    (finding,) = [f for f in bom.findings if f.rule == "MP316"]
    assert (finding.item, finding.place.row) == ("Box", 5)
    assert "--layout flat" in finding.remedy


def test_a_blank_quantity_alone_makes_no_group() -> None:
    rows: list[list[Value]] = [["Frame", None, 10], ["Wheel", 4, 2], ["Motor", None, 5], ["Pump", 1, 1]]
    assert masses(bom_of(["Part", "Qty", "Mass [kg]"], *rows))["BOM"] == 24


def test_the_mass_of_a_group_is_written_into_its_row(tmp_path: Path, massprops: Callable[..., Result]) -> None:
    book = Workbook()
    for row in [
        ["Part", "Qty", "Mass [kg]"],
        ["Power"],
        ["Battery", 2, 3],
        ["Panel", 1, 4],
        ["Power subtotal", None, 10],
    ]:
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    result = massprops("rollup", tmp_path / "a.xlsx", "-o", tmp_path / "b.xlsx")
    assert result.exit_code == 0, result.output
    sheet = load_workbook(tmp_path / "b.xlsx")["Sheet"]
    assert [sheet.cell(row, 3).value for row in range(2, 6)] == [10, 3, 4, 10]
    again = massprops("rollup", tmp_path / "b.xlsx", "-o", tmp_path / "c.xlsx")
    assert again.exit_code == 0, again.output
    assert (tmp_path / "c.xlsx").read_bytes() == (tmp_path / "b.xlsx").read_bytes()


def test_items_of_a_list_are_called_as_in_its_column_of_items() -> None:
    bom = bom_of(["Item", "Weight [t]"], ["Hull", 10], ["Engine", 2])
    assert list(bom.ids) == ["Hull", "Engine", "BOM"]
    twice = bom_of(["Item", "Weight [t]"], ["Bolt", 10], ["Bolt", 2])
    assert list(twice.ids) == ["1", "2", "BOM"]


CODED = """Code,Description,Weight (t),LCG (m),TCG (m),VCG (m)
10,STEEL,,,,
11,Plates,80.0,20,0,2
12,Frames,20.0,22,0,3
{}
,,,,,
20,MACHINERY,,,,
21,Engine,15.0,14,0,2
22,Pump,5.0,11,0,1
{}
,,,,,
,TOTAL,120.0,,,"""


def rows_of(text: str) -> list[list[Value]]:
    return [[*line.split(",")] for line in text.split("\n")]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (",Total 10,100.0,,,", ",Total 20,20.0,,,"),
        (",Steel subtotal,100.0,,,", ",Machinery subtotal,20.0,,,"),
        (",Summe Steel,100.0,,,", ",Summe Machinery,20.0,,,"),
        (",,,,,", ",,,,,"),
    ],
)
def test_a_code_and_a_name_alone_head_the_group_of_their_number(first: str, second: str) -> None:
    bom = bom_of(*rows_of(CODED.format(first, second)))
    found = masses(bom)
    assert (found["STEEL"], found["MACHINERY"], found["BOM"]) == (100, 20, 120)
    center = mp.rollup(bom).root.center
    assert center == pytest.approx([(80 * 20 + 20 * 22 + 15 * 14 + 5 * 11) / 120, 0, (160 + 60 + 30 + 5) / 120])


@pytest.mark.parametrize(("one", "other"), [("A-7", "B-9"), ("10", "20")])
def test_a_subtotal_with_the_code_of_a_title_makes_it_a_group(one: str, other: str) -> None:
    text = "Code,Description,Mass\nA-7,Hull,\nX-1,Plates,80\nX-2,Frames,20\n,Total A-7,100\nB-9,Deck,\nX-3,Rail,5"
    text = f"{text}\n,Total B-9,5".replace("A-7", one).replace("B-9", other)
    found = masses(bom_of(*rows_of(text)))
    assert (found["Hull"], found["Deck"]) == (100, 5)


def test_a_code_and_a_name_without_the_quantity_of_the_others_head_a_group() -> None:
    text = "Ref,Désignation,Nombre,Masse (g)\n7,Bloc,,\n3,Carter,1,500\n4,Carte,2,40\n9,Tiroir,,\n2,Rail,2,10"
    assert masses(bom_of(*rows_of(text)))["BOM"] == 600


@pytest.mark.parametrize(
    "text",
    [
        "Code,Description,Mass\n7,Frame,\n3,Bracket,3\n9,Motor,\n2,Seat,2",
        "Code,Description,Mass\n7,Frame,1\n3,Bracket,\n9,Motor,4\n2,Seat,2",
        "Code,Description,Mass\n10,Frame,\n11,Bracket,3\n20,Motor,",
        "Code,Description,Mass\n10,Frame,\n20,Motor,\n21,Bracket,3",
    ],
)
def test_a_code_and_a_name_alone_may_be_a_part_without_its_mass(text: str) -> None:
    assert "MP206" in {f.rule for f in bom_of(*rows_of(text)).findings}
