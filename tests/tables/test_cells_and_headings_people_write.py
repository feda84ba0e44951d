"""Prices, words next to units, products, struck rows and counts in names, as people write them in lists."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from massprops_cli.tables.cells.number_text import split_cell_text
from massprops_cli.tables.cells.units import read_unit
from tests.tables.test_lists_people_write import read, readings


@pytest.mark.parametrize(
    ("rows", "mass"),
    [
        ("Part,Pieces,Unit mass (kg),Unit $ (one),Unit $ (1k);A,2,0.3,$4,$1;B,1,0.4,$5,$2", 1.0),
        ("Part,Mass (kg),Unit,Unit €;A,1,pc,20;B,2,pc,30", 3),
        ("Part,Mass (kg),Total £;A,1,20;B,2,30", 3),
    ],
)
def test_a_heading_with_a_sign_of_money_is_a_price(rows: str, mass: float, tmp_path: Path) -> None:
    assert read(tmp_path, *rows.split(";")) == (pytest.approx(mass), set())


@pytest.mark.parametrize(
    ("rows", "mass"),
    [
        ('Part,Qty,Weight (g),"Weight (total, g)"/A,2,30,60/B,3,14,42', 102),
        ('Part,"Weight (oz, with its bag)"/A,2/B,3', 5),
        ('Part,"Mass [measured; kg]"/A,2/B,3', 5),
    ],
)
def test_a_unit_is_found_between_the_commas_of_its_brackets(rows: str, mass: float, tmp_path: Path) -> None:
    assert read(tmp_path, *rows.split("/")) == (pytest.approx(mass), set())


def test_brackets_without_a_unit_are_still_an_error(tmp_path: Path) -> None:
    assert "MP207" in read(tmp_path, 'Part,"Weight (with its bag, dry)"', "A,2", "B,3")[1]


@pytest.mark.parametrize(("cell", "mass"), [("220 (4 x 55)", 300), ("220 g (4 × 55 g)", 300), ("22 (4*5.5)", 102)])
def test_a_product_behind_its_result_is_read(cell: str, mass: float, tmp_path: Path) -> None:
    assert read(tmp_path, "Part,Mass (g)", f"A,{cell}", "B,80") == (mass, set())


def test_a_product_that_is_another_number_is_rejected(tmp_path: Path) -> None:
    assert read(tmp_path, "Part,Mass (g)", "A,220 (4 x 50)", "B,80")[1] == {"MP205"}


@pytest.mark.parametrize("cell", ["1.2/m", "1.2 / m", "1.2 kg/m"])
def test_a_mass_per_metre_may_leave_the_unit_of_mass_to_the_heading(cell: str, tmp_path: Path) -> None:
    rows = ["Part,Qty,Unit mass (kg)", "Pump,1,12", f"Pipe,80 m,{cell}"]
    assert read(tmp_path, *rows) == (pytest.approx(108), set())
    assert read(tmp_path, *rows[:-1], f"Pipe,80 kg,{cell}")[1]  # 80 kg are no length
    assert read(tmp_path, *rows[:-1], "Pipe,80 m,1.2/q")[1] == {"MP205"}


def test_wide_brackets_hold_remarks(tmp_path: Path) -> None:
    assert read(tmp_path, "Part,Mass", "A,23 kg（manual）", "B,4.2 kg") == (pytest.approx(27.2), set())


@pytest.mark.parametrize("name", ["thigh x2", "thigh (x2)", "2x thigh"])
def test_a_total_that_only_counts_in_names_give_does_not_hide_them(name: str, tmp_path: Path) -> None:
    rows = ["Body,Mass (g)", "torso,1069", f"{name},72.9", "Total,1214.8"]
    rules, maps = readings(tmp_path, *rows)
    assert rules == {"MP253"}
    assert any("count in Body" in text for text in maps)
    assert read(tmp_path, *rows, map={"qty": "count in Body"}) == (pytest.approx(1214.8), set())
    assert read(tmp_path, *rows[:-1], "Total,1141.9") == (pytest.approx(1141.9), set())


def test_a_struck_name_may_have_a_remark_behind_it(tmp_path: Path) -> None:
    assert read(tmp_path, "Part,Mass (g)", "A,300", "~~Deck~~ — retired,3.3")[1] == {"MP257"}
    assert read(tmp_path, "Part,Mass (g)", "A,300", "~~Old motor~~ New motor,3.3") == (pytest.approx(303.3), set())


def test_a_maximum_is_no_mass_next_to_masses_without_numbers(tmp_path: Path) -> None:
    assert read(tmp_path, "Part,Weight,Max weight", "A,TBD,7 kg", "B,TBD,12 kg")[1] == {"MP206"}
    assert read(tmp_path, "Event,Weight advised,Max weight", "A,3-5 kg,7 kg", "B,5-8 kg,12 kg") == (None, {"MP244"})
    assert read(tmp_path, "Part,Weight A (kg),Max weight (kg)", "A,1,2", "B,2,3") == (3, set())


@pytest.mark.parametrize(
    ("header", "is_open"),
    [("Category,Qty,Mass (kg)", True), ("Category,Qty,Mass each (kg)", False), ("System,Qty,Mass (kg)", False)],
)
def test_a_mass_next_to_a_count_of_a_category_may_be_of_all_of_it(header: str, is_open: bool, tmp_path: Path) -> None:
    rows = [header, "actuators,25,13.56", "shells,22,8.75"]
    assert read(tmp_path, *rows) == ((None, {"MP252"}) if is_open else (pytest.approx(531.5), set()))
    assert read(tmp_path, *rows, mass_is="line") == (pytest.approx(22.31), set())
    assert read(tmp_path, *rows, "Total,,22.31") == (pytest.approx(22.31), set())


def test_a_total_of_the_last_rows_is_compared_with_these(massprops: Any, tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text("Part,Mass (kg)\nIce,54.2\nTank,11.8\nBattery,6.3\nTotal dry mass,18.1\nTotal wet mass,72.3\n")
    result = massprops("rollup", path)
    assert result.exit_code == 0, result.output
    assert "mass   72.3" in result.stdout
    assert "the rows from Tank" in result.stdout


@pytest.mark.parametrize(
    "text",
    ["A,5\nB,10\nC,20\nTotal,30\n", "A,5.25\nB,10.13\nC,20.42\nD,7.71\nTotal,38.26\n", "A,5\nB,10\nC,20\nMass,30\n"],
)
def test_a_total_of_the_last_rows_alone_is_contradicted(text: str, massprops: Any, tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text(f"Part,Mass (g)\n{text}")
    result = massprops("rollup", path)
    assert result.exit_code == 1, result.output
    assert "MP415" in result.output or "next: one of" in result.output


@pytest.mark.parametrize("last", ["", "Total,285\n"])
def test_a_header_above_the_same_items_again_is_another_table(last: str, massprops: Any, tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    cases = "Part,Mass (kg)\nWing,140\nFuselage,35\nPart,Mass (kg)\nWing,140\nFuselage,35\nPilot,110\n" + last
    path.write_text(cases)
    output = massprops("rollup", path).output
    assert [f"total {mass} kg: " in output for mass in (175, 285, 460)] == [True, True, True]
    path.write_text(cases.replace("Wing,140\nFuselage,35\nPilot", "Tail,14\nFuselage,35\nPilot"))
    assert "mass   " in massprops("rollup", path).stdout  # pages of one list


@pytest.mark.parametrize("text", ["1 " * 20_000 + ")", "1" * 20_000 + "(((", "1 x " * 20_000 + ")"])
def test_long_cells_are_read_in_linear_time(text: str) -> None:
    cell = split_cell_text(text)
    assert not cell.number or read_unit(cell.unit) is None


@pytest.mark.parametrize(
    ("heads", "total", "masses"),
    [
        ("Config A,Config B", "", (650, 760, 1110)),
        ("Variant 1,Variant 2", "", (650, 760, 1110)),
        ("Config A,Config B", "Total,1110,,\n", ()),
        ("Config A,Config B", "Total,650,,\n", ()),
        ("Printed,Tested", "", ()),
    ],
)
def test_marks_below_alternatives_choose_the_parts(
    heads: str, total: str, masses: tuple[int, ...], massprops: Any, tmp_path: Path
) -> None:
    path = tmp_path / "list.csv"
    path.write_text(f"Part,Mass (g),{heads}\nFrame,300,x,x\nBattery 3S,350,x,\nBattery 4S,460,,x\n{total}")
    result = massprops("rollup", path)
    assert [f"total {mass} g: " in result.output for mass in masses] == [True] * len(masses)
    assert result.exit_code == (1 if masses else 0)
    if not masses:
        assert f"mass   {650 if '650' in total else 1110} " in result.stdout
