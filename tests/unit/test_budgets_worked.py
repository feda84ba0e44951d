"""Worked examples of functions in the room budgets."""

from __future__ import annotations

from math import inf

import pytest

from massprops_cli.budgets.file import _is_greater_measure, _read_percent_limit, _read_range, _toml_text, read_measure
from massprops_cli.budgets.model import (
    Limit,
    LimitMeasure,
    distinct_number_text,
    limit_inequality,
    limit_words,
    measure_in_table_unit,
    measure_in_unit,
    number_with_unit,
)
from massprops_cli.tables.cells.units import LENGTH, MASS, Units


def test_read_measure_example() -> None:
    assert (read_measure("850 kg", MASS)) == (LimitMeasure(number=850.0, unit="kg"))


def test_read_range_example() -> None:
    assert (_read_range(["*", "5 mm"], LENGTH)) == (
        (LimitMeasure(number=-inf, unit=""), LimitMeasure(number=5.0, unit="mm"))
    )


def test_read_percent_limit_example() -> None:
    assert (_read_percent_limit("5 %")) == (5.0)


def test_is_greater_measure_example() -> None:
    assert (_is_greater_measure(LimitMeasure(1.0, "t"), LimitMeasure(900.0, "kg"), MASS)) is True


def test_measure_in_unit_example() -> None:
    assert (measure_in_unit(LimitMeasure(2.0, "in"), "mm", LENGTH)) == (50.8)


def test_measure_in_table_unit_example() -> None:
    assert (measure_in_table_unit(LimitMeasure(850.0, "kg"), MASS, Units("g", "mm", "g*mm^2", True))) == (850000.0)


def test_toml_text_example() -> None:
    assert (_toml_text(["a", 1, True])) == ('["a", 1, true]')


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


@pytest.mark.parametrize(
    ("value", "other"), [(217.61635, 217.62), (2000.0, 1999.9999999), (4409.245244, 4409.2452437), (0.1, 0.1 + 1e-12)]
)
def test_printed_numbers_show_their_difference(value: float, other: float) -> None:
    """A margin that is computed from the two printed numbers is within a tenth of the margin."""
    printed = float(distinct_number_text(value, other)) - float(distinct_number_text(other, value))
    assert printed == pytest.approx(value - other, rel=0.11)
