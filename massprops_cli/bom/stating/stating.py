"""The sigmas of a table from all its statements: columns of sigmas, bounds, methods; and the shapes of its errors."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.cells.cells import SetCells, no_cells
from massprops_cli.bom.cells.marks import Marks
from massprops_cli.bom.items.items import ItemRows
from massprops_cli.bom.items.saying import Fault, say, say_once
from massprops_cli.bom.items.sets import CENTER, INERTIA, SIGMA_SETS, VALUE_SETS, QuantitySet
from massprops_cli.bom.stating.bounds import read_bounds, say_shifted, sigma_of
from massprops_cli.bom.stating.distributions import TRIANGULAR, UNIFORM, read_kinds, settle_kinds
from massprops_cli.bom.stating.methods import Methods, fill_by_method, read_methods, said_percentages
from massprops_cli.findings import Finding
from massprops_cli.rollup.correlation import TEN
from massprops_cli.rollup.montecarlo.shapes import Bounds, Shapes
from massprops_cli.tables.columns.uncertainty_words import UNKNOWN
from massprops_cli.tables.options import TableOptions

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
AGREEING = 0.01
"""How far a sigma and the one of the bounds beside it may be apart, relative, and still say the same."""


class Statements(NamedTuple):
    """What a table states of its errors beside sigmas; None where it has no column for it."""

    shapes: Shapes | None = None
    methods: Methods | None = None
    spoilt: Mapping[str, Mask] = MappingProxyType({})
    """In which items of which set bounds cannot be used, which has been said."""


def state_sigmas(
    items: ItemRows, marks: Marks, cells: dict[str, SetCells], turned: Mask, options: TableOptions
) -> tuple[Statements, list[Finding]]:
    """Complete the sigmas in ``cells`` from bounds and methods; those that nothing tells in whole are taken out.

    ``turned (n,)`` marks items whose products of inertia are written with the sign of ∫xy dm.
    """
    methods, findings = read_methods(items, marks, options)
    if not options.use_sigmas:
        return Statements(None, methods), findings
    by_method = np.zeros(len(items.rows), bool) if methods is None else ~np.isnan(methods.fraction)
    shapes, spoilt, said = shapes_of(items, marks, cells, turned, by_method)
    findings += said
    stated = Statements(shapes, methods, spoilt)
    says_more = shapes is not None or methods is not None
    by_percentage = np.zeros(len(items.rows), bool)
    for value_set, sigma_set in zip(VALUE_SETS, SIGMA_SETS, strict=True):
        if not is_told(items, value_set, cells, methods):
            cells.pop(sigma_set.name, None)
        elif value_set.name in cells and says_more:
            cells.setdefault(sigma_set.name, no_cells(len(items.rows), sigma_set))
            needed = marks.counts & ~marks.is_point if value_set is INERTIA else marks.counts
            filled, said = fill(items, value_set, cells, stated, needed)
            by_percentage |= filled
            findings += said
    if methods is not None:
        findings += said_percentages(items, methods, by_percentage, options)
    return stated, findings


def fill(
    items: ItemRows, value_set: QuantitySet, cells: dict[str, SetCells], stated: Statements, needed: Mask
) -> tuple[Mask, list[Finding]]:
    """Fill the sigmas of one set from bounds first, then from methods; gives which items the latter filled ``(n,)``."""
    value, sigma = cells[value_set.name], cells[f"sigma_{value_set.name}"]
    findings = [] if stated.shapes is None else fill_by_bounds(items, value_set, cells, stated.shapes)
    filled = np.zeros(len(needed), bool)
    sigma.bad |= stated.spoilt.get(value_set.name, False)
    if stated.methods is not None and value_set is not CENTER:
        sigma.bad |= stated.methods.codes == UNKNOWN
        filled = fill_by_method(sigma, value, stated.methods.fraction, needed & ~sigma.bad)
    sigma.has[:] = sigma.given.all(axis=1)
    if not any(has_column(items, name) for name in value_set.columns) and value_set is CENTER:
        sigma.has[:] = True  # said: taken as 0
    return filled, findings


def has_column(items: ItemRows, name: str) -> bool:
    """Tell whether a column of sigmas or of bounds states the spread of a quantity."""
    named = items.columns.by_quantity
    return f"sigma_{name}" in named or f"{name}_min" in named


def is_told(items: ItemRows, value_set: QuantitySet, cells: dict[str, SetCells], methods: Methods | None) -> bool:
    """Tell whether every sigma of a set is stated somehow; of centres, by a method, only when no column states any."""
    told = [has_column(items, name) for name in value_set.columns]
    if all(told):
        return True
    return methods is not None and value_set.name in cells and not (value_set is CENTER and any(told))


def shapes_of(
    items: ItemRows, marks: Marks, cells: dict[str, SetCells], turned: Mask, by_method: Mask
) -> tuple[Shapes | None, dict[str, Mask], list[Finding]]:
    """Read the distributions and bounds of all inputs; None where the table has no column of either.

    ``by_method (n,)`` marks items that get their sigmas from a method. Also gives in which items of which set bounds
    cannot be used.
    """
    named = items.columns.by_quantity
    if "dist" not in named and not any(f"{name}_min" in named for name in TEN):
        return None, {}, []
    kind, findings = read_kinds(items, marks)
    bounds, spoilt, said = read_bounds(items, marks, cells, turned)
    kind, without, contradicting = settle_kinds(items, kind, bounds, cells, by_method)
    spoilt = {name: wrong | without for name, wrong in spoilt.items()}
    return Shapes(kind, bounds), spoilt, [*findings, *said, *contradicting]


def fill_by_bounds(
    items: ItemRows, value_set: QuantitySet, cells: dict[str, SetCells], shapes: Shapes
) -> list[Finding]:
    """Fill the sigmas of uniform and triangular inputs from their bounds; two sigmas that differ are said."""
    value, sigma = cells[value_set.name], cells[f"sigma_{value_set.name}"]
    findings: list[Finding] = []
    for axis, name in enumerate(value_set.columns):
        bounds = shapes.bounds.get(TEN.index(name))
        if bounds is None:
            continue
        by_bounds = ((shapes.kind == UNIFORM) | (shapes.kind == TRIANGULAR)) & ~np.isnan(bounds.low)
        mode = mode_of(bounds, shapes.kind, value.values[:, axis])
        spread = sigma_of(bounds, mode)
        findings += two_sigmas(items, name, by_bounds & sigma.given[:, axis], sigma.values[:, axis], spread)
        sigma.values[by_bounds, axis] = spread[by_bounds]
        sigma.given[:, axis] |= by_bounds
        words = f"the sigma of {name} follows from its bounds"
        column = items.columns.by_quantity[f"{name}_min"]
        findings += say_once(items, "MP505", by_bounds, column, words)
        findings += say_shifted(items, name, bounds, mode, np.where(by_bounds, value.values[:, axis], np.nan))
    return findings


def mode_of(bounds: Bounds, kind: NDArray[np.int8], value: Floats) -> Floats:
    """Give the likeliest value of triangular inputs ``(n,)``, their value where none is written; NaN for others."""
    return np.where(kind == TRIANGULAR, np.where(np.isnan(bounds.likely), value, bounds.likely), np.nan)


def two_sigmas(items: ItemRows, name: str, both: Mask, stated: Floats, spread: Floats) -> list[Finding]:
    """Say where a row has a sigma, and bounds that make another one."""
    with np.errstate(invalid="ignore"):
        differ = both & (np.abs(stated - spread) > AGREEING * np.maximum(stated, spread))
    if not differ.any():
        return []
    fault = Fault("MP510", items.columns.by_quantity[f"sigma_{name}"])

    def message(i: int) -> str:
        return f"{items.ids[i]}: the sigma of {name} is {stated[i]:.6g}, and its bounds make it {spread[i]:.6g}"

    return say(items, fault, np.flatnonzero(differ), message)
