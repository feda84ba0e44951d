"""Evidence in a table that decides what would be a question: sums, other numbers, what is below a total."""

from __future__ import annotations

import pytest

from massprops_cli.bom.bom import Bom
from massprops_cli.bom.rollup import rollup
from massprops_cli.files.table import GridTable, TableSource
from massprops_cli.findings.finding import FindingsError, TableError
from massprops_cli.tables.options import TableOptions


def read(header: str, *rows: str) -> Bom:
    cells = [line.split(" | ") for line in (header, *rows)]
    return Bom.from_table(GridTable(TableSource("list.md", "md"), cells), TableOptions())


def errors(bom: Bom) -> list[str]:
    return [finding.rule for finding in bom.findings if finding.severity.name == "ERROR"]


CLOSED = ("Robot | 2,589", "Wiring | 653", "With wiring | 3,242", "Battery | 276", "Complete driving mass | 3,518")


def test_sums_without_a_word_decide_the_decimal_mark() -> None:
    bom = read("Check | Mass (g)", *CLOSED)
    assert errors(bom) == []
    assert rollup(bom).root.mass == pytest.approx(2589 + 653 + 276)


def test_a_list_whose_sums_do_not_hold_keeps_the_question() -> None:
    assert "MP205" in errors(read("Check | Mass (g)", *CLOSED[:2], "Battery | 276"))


@pytest.mark.parametrize(("total", "mass"), [("3.250", 450 + 1100 + 1700), ("452.8", 450 + 1.1 + 1.7)])
def test_a_total_decides_whether_points_are_between_groups(total: str, mass: float) -> None:
    bom = read("Pieza | Peso (g)", "Tapa | 450", "Fondo | 1.100", "Pared | 1.700", f"Total | {total}")
    assert errors(bom) == []
    assert rollup(bom).root.mass == pytest.approx(mass)


def test_points_before_three_digits_without_a_total_are_a_question() -> None:
    assert errors(read("Pieza | Peso (g)", "Tapa | 450", "Fondo | 1.100", "Pared | 1.700")) == ["MP205"]


def test_other_numbers_of_the_table_decide_the_decimal_mark() -> None:
    rows = ("Engine | 8,391 | 2.0", "Tank | 86,000 | 0.5")
    bom = read("Part | Mass (kg) | Power (kW)", *rows)
    assert errors(bom) == []
    assert rollup(bom).root.mass == 8391 + 86000
    with pytest.raises(FindingsError, match="ambiguous: 8,391"):
        rollup(read("Part | Mass (kg) | Version", *rows))


@pytest.mark.parametrize("cell", ["≤ 550", "< 550"])
def test_a_bound_below_a_total_is_a_limit(cell: str) -> None:
    parts = ("Payload | 468", "Flight control | 110")
    bom = read("Group | Mass (g)", *parts, "Total | 578", f"NFR-040 | {cell}")
    assert errors(bom) == []
    assert rollup(bom).root.mass == 468 + 110
    assert [one.kind for one in bom.totals] == ["total", "limit"]
    assert errors(read("Group | Mass (g)", *parts, f"Screws | {cell}")) == ["MP205"]


def test_running_numbers_above_a_total_are_names_of_parts() -> None:
    rows = ("1 | 12.5", "2 | 13.5", "3 | 14")
    assert rollup(read("Ring | Mass (g)", *rows, "Total | 40")).root.mass == 12.5 + 13.5 + 14
    with pytest.raises(TableError):  # measurements of one thing
        read("Ring | Mass (g)", *rows, "Mean | 13.3")


def test_numbers_of_moments_are_no_parents() -> None:
    rows = ("1 | Hull | 20 | 0.1 | 2", "2 | Deck | 30 | 0.1 | 3", "3 | Mast | 4 | 2 | 8", " | Total | 54 | | 13")
    assert rollup(read("# | Part | Mass (kg) | KG (m) | Moment (kg·m)", *rows)).root.mass == 20 + 30 + 4


def test_a_total_decides_between_row_totals_and_masses_of_pieces() -> None:
    rows = ("Door | 12 | 42 | 509", "Tare | 1 | 3900 | 3900", "Seat | 12 | 1.7 | 20", "Foam | 1 lot | - | 23")
    rows += ("Gasket | 12 | 1 | 12", "Cover | 2 | 50 | 100")
    header = "Item | Qty | Unit mass (kg) | Total (kg)"
    bom = read(header, *rows, "Subtotal | - | - | 4564")
    assert errors(bom) == []
    assert rollup(bom).root.mass == 4564
    of_pieces = 12 * 42 + 3900 + 12 * 1.7 + 23 + 12 + 100
    assert rollup(read(header, *rows, "Subtotal | - | - | 4570")).root.mass == pytest.approx(of_pieces)


def test_a_total_of_row_totals_with_a_slip_decides_nothing() -> None:
    rows = ("A | 2 | 100 | 200", "B | 3 | 50 | 15", "C | 2 | 10 | 20", "D | 4 | 5 | 20", "E | 1 | 7 | 7")
    bom = read("Part | Qty | Unit mass (g) | Total (g)", *rows, "Total | - | - | 262")
    assert rollup(bom).root.mass == 200 + 150 + 20 + 20 + 7
    assert {"MP414", "MP415"} <= {finding.rule for finding in bom.findings}


def test_a_row_with_its_own_product_is_a_part_whatever_its_name() -> None:
    rows = ("Supply pipe | 9 | 4.5 | 40.5", "Piping, 4 m total | 4 | 4.5 | 18", "Valve | 30 | 0.5 | 15")
    bom = read("Item | Qty | Unit mass (kg) | Total (kg)", *rows, "Subtotal | - | - | 73.5")
    assert errors(bom) == []
    assert rollup(bom).root.mass == pytest.approx(73.5)


def test_sums_of_other_columns_show_a_total_without_a_word_of_sums() -> None:
    parts = ("Plate | 19 | 47 | 628.7", "Angle | 10 | 78 | 87.3", "Tube | 6 | 11 | 112.9", "Bar | 6 | 16 | 19.2")
    header = "Category | Unique parts | Pieces per machine | Mass (kg)"
    bom = read(header, *parts, "All parts | 41 | 152 | 848")
    assert errors(bom) == []
    assert rollup(bom).root.mass == pytest.approx(848.1)


def test_sums_of_lengths_in_proportion_to_the_masses_show_nothing() -> None:
    tubes = ("Tube A | 100 | 10", "Tube B | 200 | 20", "Tube C | 300 | 30", "Tube D | 600 | 60")
    assert errors(read("Part | Length (mm) | Mass (g)", *tubes)) == ["MP257"]


@pytest.mark.parametrize(("total", "mass"), [("~3,425 g ≈ 3.5 kg", 3425), ("3.425 kg (3425 g)", 3425)])
def test_a_mass_in_two_units_is_one_mass(total: str, mass: float) -> None:
    bom = read("Component | Weight (g)", "Battery | 1,656", "Motor | 819", "Airframe | 950", f"Total | {total}")
    assert errors(bom) == []
    assert rollup(bom).root.mass == mass


def test_masses_next_to_lengths_of_rows_are_a_question_without_a_total() -> None:
    header, rows = (
        "Stock | Pieces | Total length | Mass (kg)",
        ("Angle | 78 | 18.70 m | 87.3", "Tube | 5 | 5.70 m | 106"),
    )
    assert errors(read(header, *rows)) == ["MP252"]
    assert rollup(read(header, *rows, "Total | 83 | 24.40 m | 193.3")).root.mass == pytest.approx(193.3)
