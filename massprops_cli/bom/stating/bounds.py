"""Least, likeliest and greatest values of inputs: read, checked, and turned into sigmas."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.cells.cell_notes import say_read
from massprops_cli.bom.cells.cells import SetCells, not_numbers
from massprops_cli.bom.cells.marks import Marks
from massprops_cli.bom.items.items import ItemRows
from massprops_cli.bom.items.saying import Fault, say, say_once
from massprops_cli.bom.items.sets import INERTIA, VALUE_SETS
from massprops_cli.findings import Finding
from massprops_cli.rollup.correlation import TEN
from massprops_cli.rollup.montecarlo.shapes import Bounds
from massprops_cli.tables.cells.numbers import settle
from massprops_cli.tables.units.quantities import BOUNDS

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


def read_bounds(
    items: ItemRows, marks: Marks, values: Mapping[str, SetCells], turned: Mask
) -> tuple[dict[int, Bounds], dict[str, Mask], list[Finding]]:
    """Read the bounds of every quantity that has columns of them, by its place in ``TEN``, in coherent units.

    ``turned (n,)`` marks items whose products are written with the sign that a tensor entry does not have. Bounds are
    kept for items whose own numbers count; those that are out of order are said and left out: in which sets and items
    ``(n,)`` there are some is given too.
    """
    result: dict[int, Bounds] = {}
    spoilt: dict[str, Mask] = {}
    findings: list[Finding] = []
    for quantity_set in VALUE_SETS:
        cells = values.get(quantity_set.name)
        for axis, name in enumerate(quantity_set.columns):
            if cells is None or f"{name}_min" not in items.columns.by_quantity:
                continue
            bounds, bad, said = read_three(items, name)
            if quantity_set is INERTIA and axis > 2:
                bounds = negated(bounds, turned)
            counts = marks.counts & ~marks.is_point if quantity_set is INERTIA else marks.counts
            bounds = Bounds(*(np.where(counts, ends, np.nan) for ends in bounds))
            value = np.where(cells.given[:, axis], cells.values[:, axis], np.nan)
            wrong, faults = faults_of(items, name, bounds, value, bad)
            result[TEN.index(name)] = Bounds(*(np.where(wrong | bad, np.nan, ends) for ends in bounds))
            spoilt[quantity_set.name] = spoilt.get(quantity_set.name, False) | wrong | bad
            findings += said + faults
    return result, spoilt, findings


def read_three(items: ItemRows, name: str) -> tuple[Bounds, Mask, list[Finding]]:
    """Read the columns of the bounds of one quantity, NaN where nothing is given; also where one is no number."""
    first = items.columns.first_row
    findings: list[Finding] = []
    bad = np.zeros(len(items.rows), bool)
    ends = []
    for end in BOUNDS:
        column = items.columns.by_quantity.get(f"{name}_{end}")
        if column is None:
            ends.append(np.full(len(items.rows), np.nan))
            continue
        numbers = items.table.numbers([column.index], first)[0]
        settled = settle(items.table, column.index, numbers, first, column.rules)
        findings += say_read(items, column, settled)
        if len(settled.bad):
            findings += not_numbers(items, column, settled.bad + first)
            wrong = np.zeros(len(settled.values), bool)
            wrong[settled.bad] = True
            bad |= items.gather(wrong, False)
        ends.append(items.gather(settled.values, np.nan) * column.sizes(items.rows))
    return Bounds(*ends), bad, findings


def negated(bounds: Bounds, where: Mask) -> Bounds:
    """Turn the sign of some bounds, so that the least becomes the greatest."""
    low, likely, high = bounds
    return Bounds(np.where(where, -high, low), np.where(where, -likely, likely), np.where(where, -low, high))


def faults_of(items: ItemRows, name: str, bounds: Bounds, value: Floats, bad: Mask) -> tuple[Mask, list[Finding]]:
    """Say which bounds are half there or out of order, and give which ``(n,)``; those ``bad`` have been said."""
    low, likely, high = bounds
    half = (np.isnan(low) != np.isnan(high)) | (~np.isnan(likely) & np.isnan(low))
    with np.errstate(invalid="ignore"):
        faults = (
            ("MP212", f"only part of the bounds of {name} is given", half),
            ("MP507", f"{name}_min is greater than {name}_max", low > high),
            ("MP507", f"{name}_likely is not between {name}_min and {name}_max", (likely < low) | (likely > high)),
            ("MP507", f"{name} is not between {name}_min and {name}_max", (value < low) | (value > high)),
        )
    wrong = np.zeros(len(bad), bool)
    findings: list[Finding] = []
    column, ids = items.columns.by_quantity[f"{name}_min"], items.ids
    for rule, words, faulty in faults:
        where = faulty & ~wrong & ~bad
        findings += say(items, Fault(rule, column), np.flatnonzero(where), lambda i, words=words: f"{ids[i]}: {words}")  # type: ignore[misc] # has a default
        wrong |= where
    return wrong, findings


def sigma_of(bounds: Bounds, mode: Floats) -> Floats:
    """Give the standard deviation ``(n,)`` of the triangular distribution between bounds, of the uniform without mode.

    With ends a, b and mode c it is √((a² + b² + c² − ab − ac − bc) / 18), uniform (b − a) / √12. [JCGM 101:2008, 6.4]

    >>> wide = Bounds(np.array([8.0, 0.0]), np.full(2, np.nan), np.array([14.0, 6.0]))
    >>> sigma_of(wide, np.array([np.nan, 3.0])).round(4).tolist()
    [1.7321, 1.2247]
    """
    a, c, b = bounds.low, mode, bounds.high
    triangular = np.sqrt(((b - a) ** 2 + (c - a) ** 2 + (b - c) ** 2) / 36)
    return np.where(np.isnan(mode), (b - a) / np.sqrt(12), triangular)


def mean_of(bounds: Bounds, mode: Floats) -> Floats:
    """Give the mean ``(n,)`` of the same distribution: (a + b + c) / 3, and (a + b) / 2 without mode.

    >>> mean_of(Bounds(np.array([8.0]), np.array([np.nan]), np.array([14.0])), np.array([11.0])).tolist()
    [11.0]
    """
    a, c, b = bounds.low, mode, bounds.high
    return np.where(np.isnan(mode), (a + b) / 2, (a + b + c) / 3)


def say_shifted(items: ItemRows, name: str, bounds: Bounds, mode: Floats, value: Floats) -> list[Finding]:
    """Note values that are not the means of the distributions that their rows state."""
    with np.errstate(invalid="ignore"):
        shifted = np.abs(mean_of(bounds, mode) - value) > 1e-9 * (np.abs(bounds.low) + np.abs(bounds.high))
    column = items.columns.by_quantity[f"{name}_min"]
    return say_once(items, "MP511", shifted, column, f"the mean between the bounds of {name} is not its value")
