"""Least, likeliest and greatest values of inputs: read, checked, and turned into sigmas."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.cells import SetCells, not_numbers
from massprops_cli.bom.items import ItemRows
from massprops_cli.bom.marks import Marks
from massprops_cli.bom.saying import Fault, say, say_once
from massprops_cli.bom.sets import INERTIA, VALUE_SETS
from massprops_cli.findings import Finding
from massprops_cli.rollup.correlation import TEN
from massprops_cli.rollup.montecarlo.shapes import Bounds
from massprops_cli.tables.numbers import settle
from massprops_cli.tables.quantities import BOUNDS

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


def read_bounds(
    items: ItemRows, marks: Marks, values: Mapping[str, SetCells], turned: Mask
) -> tuple[dict[int, Bounds], list[Finding]]:
    """Read the bounds of every quantity that has columns of them, by its place in ``TEN``, in coherent units.

    ``turned (n,)`` marks items whose products are written with the sign that a tensor entry does not have. Bounds are
    kept for items whose own numbers count; those that are out of order are said and left out.
    """
    result: dict[int, Bounds] = {}
    findings: list[Finding] = []
    for quantity_set in VALUE_SETS:
        cells = values.get(quantity_set.name)
        for axis, name in enumerate(quantity_set.columns):
            if cells is None or f"{name}_min" not in items.columns.by_quantity:
                continue
            bounds, said = read_three(items, name)
            if quantity_set is INERTIA and axis > 2:
                bounds = negated(bounds, turned)
            counts = marks.counts & ~marks.is_point if quantity_set is INERTIA else marks.counts
            bounds = Bounds(*(np.where(counts, ends, np.nan) for ends in bounds))
            result[TEN.index(name)], faults = checked(items, name, bounds, cells.values[:, axis], cells.given[:, axis])
            findings += said + faults
    return result, findings


def read_three(items: ItemRows, name: str) -> tuple[Bounds, list[Finding]]:
    """Read the columns of the bounds of one quantity ``(n,)`` each, NaN where nothing is given."""
    first = items.columns.first_row
    findings: list[Finding] = []
    ends = []
    for end in BOUNDS:
        column = items.columns.by_quantity.get(f"{name}_{end}")
        if column is None:
            ends.append(np.full(len(items.rows), np.nan))
            continue
        settled = settle(items.table, column.index, items.table.numbers([column.index], first)[0], first)
        if len(settled.bad):
            findings += not_numbers(items, column, settled.bad + first)
        ends.append(items.gather(settled.values, np.nan) * column.factor)
    return Bounds(*ends), findings


def negated(bounds: Bounds, where: Mask) -> Bounds:
    """Turn the sign of some bounds, so that the least becomes the greatest."""
    low, likely, high = bounds
    return Bounds(np.where(where, -high, low), np.where(where, -likely, likely), np.where(where, -low, high))


def checked(items: ItemRows, name: str, bounds: Bounds, value: Floats, given: Mask) -> tuple[Bounds, list[Finding]]:
    """Say which bounds are half there or out of order, and leave these out."""
    low, likely, high = bounds
    column = items.columns.by_quantity[f"{name}_min"]
    ids = items.ids
    half = (np.isnan(low) != np.isnan(high)) | (~np.isnan(likely) & np.isnan(low))
    findings = say(
        items, Fault("MP212", column), np.flatnonzero(half), lambda i: f"{ids[i]} has only part of the bounds of {name}"
    )
    value = np.where(given, value, np.nan)
    with np.errstate(invalid="ignore"):
        faults = (
            ("{0}_min is greater than {0}_max", low > high),
            ("{0}_likely is not between {0}_min and {0}_max", (likely < low) | (likely > high)),
            ("{0} is not between {0}_min and {0}_max", (value < low) | (value > high)),
        )
    wrong = half
    for words, faulty in faults:
        where = faulty & ~wrong
        text = words.format(name)
        findings += say(items, Fault("MP507", column), np.flatnonzero(where), lambda i, text=text: f"{ids[i]}: {text}")  # type: ignore[misc] # has a default
        wrong = wrong | where
    return Bounds(*(np.where(wrong, np.nan, ends) for ends in bounds)), findings


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
