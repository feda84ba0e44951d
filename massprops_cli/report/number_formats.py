"""Number formats of fresh worksheets: the digits that were typed show, and computed cells stand in line with them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.table import Table

MOST_DECIMALS = 6
LOOKED_AT = 2_000
"""Rows of a table that are looked at; the format is for the eye, the cell keeps every digit."""

_PLAIN = re.compile(r"[+-]?[0-9]*(?:\.([0-9]*))?")


def number_formats(table: Table, columns: Iterable[int], first_row: int) -> dict[int, str]:
    """Give a format for each column that holds plain decimals; whole numbers and exponents stay as they are."""
    formats = {}
    last = min(table.n_rows, first_row + LOOKED_AT)
    for column in columns:
        decimals = decimals_of(table.text(row, column).strip() for row in range(first_row, last))
        if decimals:
            formats[column] = "0." + "0" * decimals
    return formats


def decimals_of(texts: Iterable[str]) -> int | None:
    """Count the decimals of the longest plain number, at most six; None when a text is no plain number.

    >>> decimals_of(["1.55", "0.045", ""]), decimals_of(["0.12345678"]), decimals_of(["7", "12"]), decimals_of(["1e-3"])
    (3, 6, 0, None)
    """
    most = 0
    for text in texts:
        match = _PLAIN.fullmatch(text)
        if match is None:
            return None
        most = max(most, len(match[1] or ""))
    return min(most, MOST_DECIMALS)


def format_of_values(values: NDArray[np.float64]) -> str:
    """Give a format that shows six digits of the largest of some numbers ``(n,)``; empty for whole numbers, or none.

    >>> [format_of_values(np.array(values)) for values in ([150.3345, 0.045], [3.0, np.nan], [2e-9])]
    ['0.000', '', '0.00000E+00']
    """
    known = values[np.isfinite(values)]
    largest = float(np.abs(known).max()) if len(known) else 0.0
    if largest == 0 or bool((known == np.floor(known)).all()):
        return ""
    decimals = 5 - math.floor(math.log10(largest))
    if decimals > 9 or decimals < -6:
        return "0.00000E+00"
    return "0." + "0" * decimals if decimals > 0 else "0"
