"""Commas, points and separators: every text has the readings that a person would list."""

from __future__ import annotations

import pytest

from massprops_cli.tables.cells.number_text import DecimalReadings, common_decimal_mark, decimal_readings


@pytest.mark.parametrize(
    ("text", "point", "comma"),
    [
        ("1,234", "1234", "1.234"),
        ("-12,345e3", "-12345e3", "-12.345e3"),
        ("1.234", "1.234", "1234"),
        ("1,25", "", "1.25"),
        ("0,5", "", "0.5"),
        ("0,123", "", "0.123"),
        ("12,3456", "", "12.3456"),
        ("1234,567", "", "1234.567"),
        (",5", "", ".5"),
        ("1,234.5", "1234.5", ""),
        ("1,234,567", "1234567", ""),
        ("1'234.5", "1234.5", ""),
        ("1’234.5", "1234.5", ""),
        ("1.234,5", "", "1234.5"),
        ("1.234.567", "", "1234567"),
        ("1 234,5", "", "1234.5"),
        ("1\u00a0234,5", "", "1234.5"),
        ("1\u2009234,5", "", "1234.5"),
        ("1\u202f234", "1234", "1234"),
        ("1 234 567", "1234567", "1234567"),
        ("1.5", "1.5", ""),
        ("12", "12", "12"),
    ],
)
def test_readings(text: str, point: str, comma: str) -> None:
    assert decimal_readings(text) == DecimalReadings(point, comma)


@pytest.mark.parametrize(
    "text",
    ["", "1,23,456", "1 2", "1,234.567,8", "1.2.2024", "1 234'567", "1,,2", "0,123,456", "1,2,3", "kg", "1 234.5,6"],
)
def test_what_has_no_reading(text: str) -> None:
    assert decimal_readings(text) == DecimalReadings("", "")


@pytest.mark.parametrize(
    ("texts", "mark"),
    [
        (["1,25", "1,234"], ","),
        (["1,234.5", "1,234"], "."),
        (["1,234"], ""),
        (["1,25", "1.5"], ""),
        (["7", "1 234"], ""),
        ([], ""),
    ],
)
def test_the_mark_of_a_column(texts: list[str], mark: str) -> None:
    assert common_decimal_mark(texts) == mark
