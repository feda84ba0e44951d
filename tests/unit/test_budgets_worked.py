"""Worked examples of functions in the room budgets."""

from __future__ import annotations

from math import inf

from massprops_cli.bom.bom import Bom
from massprops_cli.budgets.check import _is_pattern_match, _selected_items
from massprops_cli.budgets.file import _entry_lines, _read_limit
from massprops_cli.budgets.limits import _greatest_mass, _inside_point, _margin_without_rounding
from massprops_cli.budgets.model import BudgetEntry, Limit, LimitMeasure, Selector
from massprops_cli.budgets.units import (
    distinct_number_text,
    is_greater_measure,
    limit_inequality,
    limit_words,
    measure_in_table_unit,
    measure_in_unit,
    number_with_unit,
    read_measure,
    read_percent_limit,
    read_range,
    toml_text,
)
from massprops_cli.tables.cells.unit_text import LENGTH, MASS
from massprops_cli.tables.cells.units import Units


def test_read_measure_example() -> None:
    assert (read_measure("850 kg", MASS)) == (LimitMeasure(number=850.0, unit="kg"))


def test_read_range_example() -> None:
    assert (read_range(["*", "5 mm"], LENGTH)) == (
        (LimitMeasure(number=-inf, unit=""), LimitMeasure(number=5.0, unit="mm"))
    )


def test_read_percent_limit_example() -> None:
    assert (read_percent_limit("5 %")) == (5.0)


def test_is_greater_measure_example() -> None:
    assert (is_greater_measure(LimitMeasure(1.0, "t"), LimitMeasure(900.0, "kg"), MASS)) is True


def test_measure_in_unit_example() -> None:
    assert (measure_in_unit(LimitMeasure(2.0, "in"), "mm", LENGTH)) == (50.8)


def test_measure_in_table_unit_example() -> None:
    assert (measure_in_table_unit(LimitMeasure(850.0, "kg"), MASS, Units("g", "mm", "g*mm^2", True))) == (850000.0)


def test_toml_text_example() -> None:
    assert (toml_text(["a", 1, True])) == ('["a", 1, true]')


def test_limit_words_example() -> None:
    assert (limit_words("center-x"), limit_words("mass-max"), limit_words("Ixx")) == (("centre x", "mass", "Ixx"))


def test_distinct_number_text_example() -> None:
    assert (distinct_number_text(850.0), distinct_number_text(850.0001, 850.0), distinct_number_text(1 / 3)) == (
        ("850", "850.0001", "0.333333")
    )


def test_number_with_unit_example() -> None:
    assert (number_with_unit(5.0, "%")) == ("5 %")


def test_limit_inequality_example() -> None:
    assert (limit_inequality(Limit("mass-max", high=LimitMeasure(850.0, "kg")), "mass")) == ("mass ≤ 850 kg")


def test_selected_items() -> None:
    rows = [{"id": "SAT", "parent": ""}, {"id": "TANK 1", "parent": "SAT"}, {"id": "TANK 2", "parent": "SAT"}]
    assert [
        _selected_items(selector, Bom.from_records(rows)) for selector in (Selector("TANK *"), Selector(level=0))
    ] == [[1, 2], [0]]


def test_is_pattern_match() -> None:
    assert (_is_pattern_match("TANK*", "TANK 1"), _is_pattern_match("A[1]", "A[1]")) == (True, True)


def test_entry_lines() -> None:
    [one] = _entry_lines('[[budget]]\nitem = "SAT"\n', ("budget",), 1)
    assert (one.head, one.of("item"), one.of("basis")) == (1, 2, 1)


def test_read_limit() -> None:
    assert _read_limit("mass-max", "850 kg").high == LimitMeasure(number=850.0, unit="kg")


def test_greatest_mass() -> None:
    limits = (Limit("mass-max", high=LimitMeasure(840.0, "kg")),)
    assert (
        (
            _greatest_mass(BudgetEntry(Selector("SAT"), limits), 5.0),
            _greatest_mass(BudgetEntry(Selector("SAT"), limits, margin_basis="allocation"), 5.0),
        )
    ) == (LimitMeasure(number=800.0, unit="kg"), LimitMeasure(number=798.0, unit="kg"))


def test_margin_without_rounding() -> None:
    assert (_margin_without_rounding(-1e-13, 850e-12), _margin_without_rounding(-0.001, 850e-12)) == (0.0, -0.001)


def test_inside_point() -> None:
    square = [(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0)]
    assert (_inside_point(square, (2.0, 4.25), (0.0, 0.25)), _inside_point(square, (2.0, 4.5), (0.0, 0.25))) == (
        (2.0, 4.0),
        None,
    )
