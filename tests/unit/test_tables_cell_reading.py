"""Cells of number columns that are no plain numbers: read one way and reported, or rejected with what resolves them."""

from __future__ import annotations

from typing import Any

import pytest

import massprops_cli as mp
from massprops_cli.bom.bom import Bom
from massprops_cli.bom.rollup import rollup
from massprops_cli.findings.finding import UsageError
from massprops_cli.tables.cells.number_text import CellText, split_cell_text
from tests.unit.bom_tables import only, reported


def masses(*cells: Any, header: str = "mass", **options: Any) -> Bom:
    """Read leaves a, b, … with these masses."""
    records = [{"id": "t", "parent": None, header: None}]
    records += [{"id": "abcdefgh"[k], "parent": "t", header: cell} for k, cell in enumerate(cells)]
    return Bom.from_records(records, **options)


def total(*cells: Any, **options: Any) -> float:
    bom = masses(*cells, **options)
    assert not [f for f in bom.findings if f.severity.value == "error"]
    return float(mp.rollup(bom).root.mass)


@pytest.mark.parametrize(
    ("cells", "mass"),
    [
        (["0,5"], 0.5),
        (["1,25", "1,234"], 2.484),
        (["1,234.5", "1,234"], 2468.5),
        (["1.234,5", "1 234,5"], 2469.0),
        (["1'234.5"], 1234.5),
        (["1 234"], 1234.0),
        (["12,3456", "7"], 19.3456),
        (["0,5", 1.5], 2.0),
        (["0,5", "1.5"], 2.0),
        (["7.5", "1,234"], 1241.5),
        (["2,450", "412.5", "1.234"], 2863.734),
    ],
)
def test_one_reading_is_used_and_reported(cells: list[str], mass: float) -> None:
    assert total(*cells) == pytest.approx(mass, rel=1e-15)
    assert only(masses(*cells).findings, "MP231").severity.value == "note"


def test_a_point_of_a_typed_number_shows_nothing_of_texts() -> None:
    assert only(masses("1,234", 7.5).findings, "MP205").item == "a"


def test_reported_once_a_column_with_a_count() -> None:
    finding = only(masses("1,25", "1,5", "2").findings, "MP231")
    assert (finding.count, finding.item, finding.place.row) == (2, "a", 3)
    assert finding.message.endswith(": 1,25, 1,5 (a, b)")


@pytest.mark.parametrize(
    ("cells", "item"),
    [(["1,234"], "a"), (["1,25", "1.5", "1,234"], "c"), (["1,25", "1.234"], "b"), (["7.123", "1,234"], "b")],
)
def test_two_readings_are_rejected_and_both_offered(cells: list[str], item: str) -> None:
    finding = only(masses(*cells).findings, "MP205")
    assert finding.item == item
    assert finding.message.endswith(("(1234 or 1.234)", "(1.234 or 1234)"))
    assert "--decimal . to read 1" in finding.remedy
    assert "--decimal , to read 1" in finding.remedy


@pytest.mark.parametrize(("mark", "mass"), [(",", 1.234), (".", 1234.0)])
def test_the_option_resolves_it(mark: str, mass: float) -> None:
    assert total("1,234", decimal=mark) == mass


def test_with_a_decimal_comma_a_point_parts_thousands() -> None:
    assert total("1.234", "0,5", decimal=",") == 1234.5
    assert total(1.234, decimal=",") == 1.234  # a number, not a text


@pytest.mark.parametrize(("mark", "cell"), [(",", "1.5"), (".", "1,5")])
def test_a_cell_against_the_option_is_rejected(mark: str, cell: str) -> None:
    finding = only(masses(cell, decimal=mark).findings, "MP205")
    assert f"--decimal {mark}" in finding.message


def test_another_mark_is_a_wrong_call() -> None:
    with pytest.raises(UsageError, match="decimal"):
        masses("1", decimal=";")


@pytest.mark.parametrize("cell", ["~3", "≈ 3", "ca. 3", "ca 3", "approx. 3", "Approx 3", "circa 3", "about 3"])
def test_estimates_are_numbers_with_a_warning_and_with_the_option_a_note(cell: str) -> None:
    assert total(cell) == 3.0
    assert only(masses(cell).findings, "MP232").severity.value == "warning"
    assert only(masses(cell, accept_approximate=True).findings, "MP232").severity.value == "note"


@pytest.mark.parametrize("cell", ["<3", ">3", "≤ 3", "3 ± 0.1", "3?"])
def test_limits_are_rejected_with_the_option_too(cell: str) -> None:
    assert only(masses(cell, accept_approximate=True).findings, "MP205").item == "a"


@pytest.mark.parametrize(
    ("cell", "mass"),
    [("0.3 kg", 0.3), ("300 g", 0.3), ("1.5kg", 1.5), ("2 lb", 0.90718474), ("1,5 kg", 1.5), ("5e2 g", 0.5)],
)
def test_a_unit_in_a_cell_is_converted_to_the_columns(cell: str, mass: float) -> None:
    assert total(cell, "1", header="mass [kg]") == pytest.approx(mass + 1, rel=1e-15)
    assert only(masses(cell, "1", header="mass [kg]").findings, "MP230").count == 1


def test_a_unit_of_another_kind_is_an_error() -> None:
    finding = only(masses("2 mm", header="mass [kg]").findings, "MP205")
    assert "does not fit the column, mm" in finding.message


def test_a_unit_without_one_for_the_column_is_an_error() -> None:
    finding = only(masses("2 kg", "3").findings, "MP205")
    assert finding.remedy == "state the unit of the other numbers, for instance with --unit mass=kg"


@pytest.mark.parametrize("cell", ["\u200b5", "5\u200b", "\ufeff5", "\u200e5", "5\u00ad"])
def test_invisible_characters_are_left_out(cell: str) -> None:
    assert total(cell) == 5.0
    finding = only(masses(cell).findings, "MP233")
    assert finding.count == 1
    assert finding.message.isprintable()


def test_a_cell_of_such_characters_alone_is_blank() -> None:
    assert only(masses("\u200b", "1").findings, "MP206").item == "a"


def test_plain_numbers_report_nothing() -> None:
    assert not reported(masses("1.5", "2", 3.25, " 4 ").findings, "MP231")


def test_parts_of_a_cell() -> None:
    assert split_cell_text("ca. 1 234,5 kg m^2") == CellText("1 234,5", "kg m^2", True, False)
    assert split_cell_text("3 %").number == split_cell_text("(3)").number == split_cell_text("carbon 3").number == ""


@pytest.mark.parametrize("stated", ["4,2", "4,2 kg", "4200 g", "~4,2"])
def test_a_stated_assembly_is_compared_to_its_last_digit(stated: str) -> None:
    records = [{"id": "t", "mass [kg]": stated}, {"id": "a", "parent": "t", "mass [kg]": "4,1999"}]
    bom = Bom.from_records(records, accept_approximate=True)
    assert not reported(mp.rollup(bom).findings, "MP411")


def test_a_stated_assembly_beyond_its_last_digit_is_reported() -> None:
    bom = Bom.from_records([{"id": "t", "mass": "4,10"}, {"id": "a", "parent": "t", "mass": "4,2"}])
    assert only(mp.rollup(bom).findings, "MP411").item == "t"


def test_the_remedy_for_units_next_to_plain_numbers_gives_the_right_mass() -> None:
    bom = masses("500 g", "2 kg", "3", unit={"mass": "kg"})
    assert rollup(bom).root.mass == 0.5 + 2 + 3
