"""Numbers as text, rounded to two digits of their sigma; units in print; number formats of new worksheets."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from decimal import Decimal
from math import floor, isfinite, log10

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.table import Table
from massprops_cli.reports.page.page import ASCII, Symbols

_SIGNIFICANT_DIGITS = 6
"""Significant digits of a number with unknown sigma."""
_DOUBLE_DIGITS = 15
"""Decimal digits that every double holds."""


def formatted_number(value: float, digits: int = _SIGNIFICANT_DIGITS) -> str:
    """Write a number with a number of significant digits."""
    if not isfinite(value):
        return ""
    if value == 0:
        return "0"
    power = decimal_exponent(value, digits)
    if -4 <= power < 7:
        return _fixed_point_text(value, max(digits - 1 - power, 0))
    return f"{value:.{digits - 1}e}"


def value_with_sigma(value: float, sigma: float, symbols: Symbols) -> str:
    """Write a number and its sigma, both to the second digit of the sigma."""
    if not isfinite(value):
        return ""
    if not isfinite(sigma):
        return formatted_number(value)
    sign = f" {symbols.plus_minus} "
    if sigma == 0:
        return formatted_number(value) + sign + "0"
    last = decimal_exponent(sigma, 2) - 1
    top = max(decimal_exponent(value, 2) if value else last, last + 1)
    if top - last > _DOUBLE_DIGITS:
        return f"{value:.{_DOUBLE_DIGITS}g}{sign}{sigma_text(sigma)}"
    if top < 7 and (last >= -7 or (top >= -4 and last >= -12)):
        return rounded_text(value, last) + sign + rounded_text(sigma, last)
    scale = Decimal(1).scaleb(-top)
    return f"({rounded_text(value, last - top, scale)}{sign}{rounded_text(sigma, last - top, scale)})e{top:+03d}"


def sigma_text(sigma: float) -> str:
    """Write a sigma without its value, to its second digit."""
    last = decimal_exponent(sigma, 2) - 1 if sigma > 0 else 0
    return rounded_text(sigma, last) if -12 <= last < 6 and sigma > 0 else formatted_number(sigma, 2)


def number_and_sigma(value: float, sigma: float, symbols: Symbols) -> tuple[str, str]:
    """Write a number and its sigma as two texts, for separate alignment."""
    number, _, rest = (value_with_sigma(value, sigma, symbols) or "-").partition(" ")
    return number, rest


def difference_text(change: float, sigma: float) -> str:
    """Write a difference to the second digit of its sigma, or to two digits of its own if it is smaller."""
    if not isfinite(change):
        return "-"
    if change == 0 or abs(change) < _ROUNDING_SHARE * sigma:
        return "0"
    text = formatted_number(change)
    if isfinite(sigma) and sigma > 0:
        last = min(decimal_exponent(sigma, 2), decimal_exponent(change, 2)) - 1
        if last >= -12 and decimal_exponent(change, 2) < 7:
            text = rounded_text(change, last)
    return ("+" if change > 0 else "") + text


_ROUNDING_SHARE = 1e-9
"""A difference below this fraction of its sigma is rounding."""


def decimal_exponent(value: float, digits: int) -> int:
    """Return the power of ten of the first digit of a number, after rounding."""
    power = floor(log10(abs(value)))
    return int(f"{value:.{digits - 1}e}".partition("e")[2]) if isfinite(value) else power


def rounded_text(value: float, last: int, scale: Decimal = Decimal(1)) -> str:
    """Round exactly to the decimal place ``10**last``, halves to even."""
    scaled = Decimal(value) * scale
    text = f"{scaled.quantize(Decimal(1).scaleb(last)):f}" if last <= 0 else str(round(scaled.scaleb(-last)) * 10**last)
    return text[1:] if text.startswith("-") and not text.strip("-0.") else text


def _fixed_point_text(value: float, places: int) -> str:
    """Write with a number of decimals, without trailing zeros."""
    text = f"{value:.{places}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def percent_text(share: float) -> str:
    """Write a share as a percentage."""
    if not isfinite(share):
        return ""
    if 0 < share < 0.0005:
        return "< 0.1 %"
    text = f"{100 * share:.1f}"
    return (text if share != 1 else "100") + " %"


def unit_text(unit: str, symbols: Symbols) -> str:
    """Write a unit with · and ² if the symbols allow it."""
    if symbols is ASCII:
        return unit.replace("·", "*").replace("²", "^2")
    return unit.replace("**", "^").replace("^2", "²").replace("^3", "³").replace("*", "·")


_MAX_DECIMALS = 6  # of a number format
_SCANNED_ROWS = 2_000
"""Rows of a table that are scanned; the format is for display, the cell keeps all digits."""

_PLAIN_DECIMAL = re.compile(r"[+-]?[0-9]*(?:\.([0-9]*))?")  # number without an exponent: -1.25


def number_formats(table: Table, columns: Iterable[int], first_row: int) -> dict[int, str]:
    """Return a number format for each column of plain decimals."""
    formats = {}
    last = min(table.n_rows, first_row + _SCANNED_ROWS)
    for column in columns:
        decimals = _decimal_count(table.text(row, column).strip() for row in range(first_row, last))
        if decimals:
            formats[column] = "0." + "0" * decimals
    return formats


def _decimal_count(texts: Iterable[str]) -> int | None:
    """Count the decimals of the longest plain number, at most six; None if a text is not a plain number."""
    most = 0
    for text in texts:
        match = _PLAIN_DECIMAL.fullmatch(text)
        if match is None:
            return None
        most = max(most, len(match[1] or ""))
    return min(most, _MAX_DECIMALS)


def value_number_format(values: NDArray[np.float64]) -> str:
    """Return a number format with six digits of the largest value (n,), any unit; empty for whole numbers."""
    known = values[np.isfinite(values)]
    largest = float(np.abs(known).max()) if len(known) else 0.0
    if largest == 0 or bool((known == np.floor(known)).all()):
        return ""
    decimals = 5 - math.floor(math.log10(largest))
    if decimals > 9 or decimals < -6:
        return "0.00000E+00"
    return "0." + "0" * decimals if decimals > 0 else "0"
