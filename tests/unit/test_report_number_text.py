"""Numbers as people read them, against an independent rounding (the decimal module's own)."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from massprops_cli.reports.number_text import number_and_sigma, number_text, percent, with_sigma
from massprops_cli.reports.page import ASCII

values = st.floats(1e-12, 1e12) | st.floats(-1e12, -1e-12)


def parts(text: str) -> tuple[Decimal, Decimal]:
    scale = Decimal(1)
    if text.startswith("("):
        text, _, power = text[1:].partition(")e")
        scale = Decimal(10) ** int(power)
    value, _, sigma = text.partition(" +/- ")
    return Decimal(value) * scale, Decimal(sigma) * scale


@given(values, st.floats(1e-12, 1e12))
def test_value_and_sigma_are_rounded_to_two_digits_of_sigma(value, sigma):
    shown, shown_sigma = parts(with_sigma(value, sigma, ASCII))
    two_digits = Decimal(f"{sigma:.1e}")
    assert abs(shown_sigma - Decimal(sigma)) <= abs(two_digits - Decimal(sigma)) + Decimal(sigma) * Decimal("1e-15")
    half_step = Decimal(10) ** (two_digits.adjusted() - 1) / 2
    assert abs(shown - Decimal(value)) <= half_step * Decimal("1.0000001")


@given(values)
def test_without_sigma_six_digits_stand(value):
    assert abs(float(number_text(value)) - value) <= abs(value) * 5.1e-6


@pytest.mark.parametrize(
    ("value", "sigma", "text"),
    [
        (1.0, 0.096, "1.000 +/- 0.096"),
        (1.0, 0.0996, "1.00 +/- 0.10"),
        (-0.0004, 0.5, "0.00 +/- 0.50"),
        (999.96, 12.0, "1000 +/- 12"),
        (5.0, float("nan"), "5"),
        (float("nan"), 1.0, ""),
    ],
)
def test_edges(value, sigma, text):
    assert with_sigma(value, sigma, ASCII) == text


def test_unknown_is_a_dash_and_shares_are_percentages():
    assert number_and_sigma(float("nan"), 1.0, ASCII) == ("-", "")
    assert percent(float("nan")) == ""
    assert percent(0.9996) == "100.0 %"
