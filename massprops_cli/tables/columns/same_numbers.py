"""Columns that hold the same numbers in different units, ``Mass (lb)`` beside ``Mass (g)``: one of them is enough."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.table import Table
from massprops_cli.tables.cells.number_text import half_unit_of_last_digit
from massprops_cli.tables.cells.numbers import settle
from massprops_cli.tables.columns.headings import Heading
from massprops_cli.tables.units.quantities import dimension_of
from massprops_cli.tables.units.unit_text import unit_for

Floats = NDArray[np.float64]
ROUNDING = 1e-9
"""The relative difference that converting explains."""
FINER = 10
"""How much smaller last digits are that make a column be read before another."""


def one_of_same(table: Table, row: int, columns: Sequence[int], headings: Mapping[int, Heading]) -> int | None:
    """Choose among columns of one quantity that agree in every row within their last digits; None where they do not.

    Each must state a unit of its own in the header. One without formulas is taken before one that has them, for that
    is where the numbers were typed; of others the first, unless another one is written with ten times smaller digits.
    """
    dimension = dimension_of(headings[columns[0]].quantity)
    units = [unit_for(headings[j].unit, dimension) if dimension else None for j in columns]
    known = [unit for unit in units if unit is not None]
    if len(known) < len(columns) or len(set(known)) < len(columns):
        return None
    read = [in_unit(table, row, j, unit.over(known[0])) for j, unit in zip(columns, known, strict=True)]
    first, allowed = read[0]
    filled = ~np.isnan(first)
    for values, half in read[1:]:
        if not (np.isnan(values) == ~filled).all():
            return None
        if not (np.abs(values - first) <= np.maximum(allowed, half) + ROUNDING * np.abs(first))[filled].all():
            return None
    formulas = table.sheet_info.formulas if table.sheet_info is not None else frozenset[tuple[int, int]]()
    computed = [sum(column == j for _, column in formulas) for j in columns]
    typed = [k for k in range(len(columns)) if computed[k] == min(computed)]
    digits = {k: float(read[k][1][filled].sum()) for k in typed}
    finest = min(typed, key=lambda k: digits[k])
    return columns[finest if FINER * digits[finest] < digits[typed[0]] else typed[0]]


def in_unit(table: Table, row: int, j: int, factor: float) -> tuple[Floats, Floats]:
    """Read a column in another unit ``(n,)``, NaN where there is no number, and half a unit of each last digit."""
    values = settle(table, j, table.numbers([j], row + 1)[0], row + 1).values
    halves = [half_unit_of_last_digit(text) for text in table.texts(j, row + 1)]
    return values * factor, np.array(halves) * factor
