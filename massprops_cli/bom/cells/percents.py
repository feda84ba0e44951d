"""Sigmas in percent of their values: cells such as ``5 %``, and columns that are percentages throughout."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.items.items import ItemRows
from massprops_cli.tables.cells.number_text import BLANKS, PATTERN, read_number
from massprops_cli.tables.cells.numbers import Settled
from massprops_cli.tables.columns.columns import Column
from massprops_cli.tables.columns.spreads import percent_rows

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

PERCENT_CELL = re.compile(rf"(?P<number>{PATTERN})[{BLANKS}]*[%％]")


def split_percents(items: ItemRows, column: Column, settled: Settled) -> tuple[Settled, Floats | None]:
    """Take the cells that are percentages out of those that are plain numbers, or none.

    Gives the rest, and one standard deviation in percent ``(rows,)``, NaN elsewhere; None where there are none. In a
    column of percentages every number is one; elsewhere ``5 %`` is. What a worksheet shows as 5 % is that everywhere.
    """
    first = items.columns.first_row
    values = settled.values.copy()
    percents = np.full(len(values), np.nan)
    shown = [row - first for row in percent_rows(items.table, column.index, first)]
    if shown:
        percents[shown] = values[shown] * (100 / column.level)
        values[shown] = np.nan
    if column.percent:
        percents = np.where(np.isnan(percents), values * column.factor, percents)
        values[:] = np.nan
    bad = []
    texts = items.table.texts(column.index, first) if len(settled.bad) else ()
    for i in settled.bad.tolist():
        number = read_percent(texts[i])
        if number is None:
            bad.append(i)
        else:
            percents[i] = number / column.level
    if np.isnan(percents).all():
        return settled, None
    return Settled(values, settled.blank, np.array(bad, np.intp)), percents


def read_percent(text: str) -> float | None:
    """Read a cell such as ``5 %``; None where it is none.

    >>> read_percent("5%"), read_percent(" 0.5 % "), read_percent("5"), read_percent("1,5 %")
    (5.0, 0.5, None, None)
    """
    match = PERCENT_CELL.fullmatch(text.strip(BLANKS))
    return None if match is None else read_number(match["number"])


def of_values(percents: Floats, values: Floats) -> Floats:
    """Give the standard deviations ``(n,)`` that percentages of some values are.

    >>> of_values(np.array([10.0, np.nan]), np.array([-40.0, 1.0])).tolist()
    [4.0, nan]
    """
    return percents / 100 * np.abs(values)
