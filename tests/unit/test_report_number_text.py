"""Numbers as people read them, against an independent rounding (the decimal module's own)."""

from __future__ import annotations

from decimal import Decimal
from math import isnan

import pytest
from hypothesis import given, strategies as st

from massprops_cli.reports.page.conventions import (
    difference_text,
    formatted_number,
    number_and_sigma,
    percent_text,
    sigma_text,
    value_with_sigma,
)
from massprops_cli.reports.page.page import ASCII

values = st.floats(1e-12, 1e12) | st.floats(-1e12, -1e-12)


def parts(text: str) -> tuple[Decimal, Decimal]:
    scale = Decimal(1)
    if text.startswith("("):
        text, _, power = text[1:].partition(")e")
        scale = Decimal(10) ** int(power)
    value, _, sigma = text.partition(" +/- ")
    return Decimal(value) * scale, Decimal(sigma) * scale


def step_of_a_double(value: float) -> Decimal:
    """Half of the 15th digit: what comes after it is not the number's own."""
    return Decimal(10) ** (Decimal(value).adjusted() - 14) / 2 if value else Decimal(0)


@given(values, st.floats(1e-12, 1e12))
def test_value_and_sigma_are_rounded_to_two_digits_of_sigma(value, sigma):
    shown, shown_sigma = parts(value_with_sigma(value, sigma, ASCII))
    two_digits = Decimal(f"{sigma:.1e}")
    assert abs(shown_sigma - Decimal(sigma)) <= abs(two_digits - Decimal(sigma)) + Decimal(sigma) * Decimal("1e-15")
    half_step = Decimal(10) ** (two_digits.adjusted() - 1) / 2
    assert abs(shown - Decimal(value)) <= max(half_step, step_of_a_double(value)) * Decimal("1.0000001")


@given(st.floats(1, 10), st.floats(1, 10), st.integers(-300, 300), st.data())
def test_any_ratio_of_value_to_sigma_is_printed(value, sigma, ratio, data):
    power = data.draw(st.integers(max(-300, ratio - 300), min(300, ratio + 300)))
    value, sigma = value * 10.0**power, sigma * 10.0 ** (power - ratio)
    for number in (value, -value):
        text = value_with_sigma(number, sigma, ASCII)
        shown, shown_sigma = parts(text)
        assert abs(shown_sigma / Decimal(sigma) - 1) <= Decimal("0.0501")
        half_step = Decimal(10) ** (Decimal(f"{sigma:.1e}").adjusted() - 1) / 2
        assert abs(shown - Decimal(number)) <= max(half_step, step_of_a_double(number)) * Decimal("1.0000001")
        assert len(text) < 60
        assert number_and_sigma(number, sigma, ASCII)[0]
        for other in (sigma, -sigma, 0.0, float("nan")):
            assert difference_text(number, abs(other))
            assert sigma_text(abs(other)) or isnan(other)


@given(values)
def test_without_sigma_six_digits_are_shown(value):
    assert abs(float(formatted_number(value)) - value) <= abs(value) * 5.1e-6


@pytest.mark.parametrize(
    ("value", "sigma", "text"),
    [
        (1.0, 0.096, "1.000 +/- 0.096"),
        (1.0, 0.0996, "1.00 +/- 0.10"),
        (-0.0004, 0.5, "0.00 +/- 0.50"),
        (999.96, 12.0, "1000 +/- 12"),
        (1000000005.0, 1e-21, "1000000005 +/- 1.0e-21"),
        (5e-324, 1e300, "(0.0 +/- 1.0)e+300"),
        (1e300, 5e-324, "1e+300 +/- 4.9e-324"),
        (123456.789, 1e-9, "123456.7890000000 +/- 0.0000000010"),
        (123456.789, 1e-11, "123456.789 +/- 0.000000000010"),
        (5.0, float("nan"), "5"),
        (float("nan"), 1.0, ""),
    ],
)
def test_edges(value, sigma, text):
    assert value_with_sigma(value, sigma, ASCII) == text


def test_unknown_is_a_dash_and_shares_are_percentages():
    assert number_and_sigma(float("nan"), 1.0, ASCII) == ("-", "")
    assert percent_text(float("nan")) == ""
    assert percent_text(0.9996) == "100.0 %"
