"""Columns of what is multiplied already, beside the masses of one piece and the quantities of one parent."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.building.sums import times_in_whole
from massprops_cli.bom.items.content import Content
from massprops_cli.bom.items.many import cell_findings
from massprops_cli.findings import Finding
from massprops_cli.tables.cells.cell_reading import half_unit_of_cell
from massprops_cli.tables.cells.numbers import settle
from massprops_cli.tables.units.quantities import PRODUCTS

Floats = NDArray[np.float64]
Which = NDArray[np.intp]

ROUNDING = 1e-9
"""The relative difference that unit conversion and another order of multiplying explain."""


def differing_products(bom: Content) -> list[Finding]:
    """Say where a column such as ``Total mass`` or ``Total Qty`` is not the product of the columns beside it.

    A mass of a line is that of one piece × its quantity, in one parent or in the whole, whichever fits more rows; a
    total quantity is how often an item stands in the whole. Written digits are allowed their rounding.
    """
    named, findings = bom.columns.by_quantity, list[Finding]()
    if bom.options.where or bom.options.root or not named.keys() & PRODUCTS.keys():
        return []
    times = times_in_whole(bom)
    has_row = (bom.rows >= 0) & ~(np.zeros(len(bom), bool) if bom.extra is None else bom.extra)
    if "line_mass" in named and "mass" in named:
        leaves = np.flatnonzero(has_row & bom.tree.is_leaf())
        readings = [bom.bodies.mass * bom.quantity.count, bom.bodies.mass * times]
        wrong = [differing(bom, "line_mass", leaves, computed) for computed in readings]
        best = min((0, 1), key=lambda k: len(wrong[k]))
        findings += told(bom, "line_mass", wrong[best], readings[best], "mass × quantity")
    if "total_qty" in named and "qty" in named:
        others = np.flatnonzero(has_row & (bom.tree.parent >= 0))
        wrong_counts = differing(bom, "total_qty", others, times)
        findings += told(bom, "total_qty", wrong_counts, times, "the product of the quantities above it")
    return findings


def differing(bom: Content, name: str, items: Which, computed: Floats) -> Which:
    """Give those of some items, in the order of the table, whose cell is not what is computed ``(n,)``."""
    items = items[np.unique(bom.rows[items], return_index=True)[1]]  # a part in several places has one row
    stated = cells_of(bom, name)[bom.rows[items]]
    known = ~np.isnan(stated) & ~np.isnan(computed[items])
    off = np.abs(stated - computed[items])
    suspects = np.flatnonzero(known & (off > ROUNDING * np.abs(stated)))
    rounding = np.array([rounding_of(bom, name, int(items[k]), computed) for k in suspects])
    return items[suspects[off[suspects] > rounding]] if len(suspects) else items[:0]


def cells_of(bom: Content, name: str) -> Floats:
    """Read a column of numbers: one a table row ``(n_rows,)``, in coherent units, NaN where it says nothing."""
    column, first = bom.columns.by_quantity[name], bom.columns.first_row
    values = np.full(bom.table.n_rows, np.nan)
    (numbers,) = bom.table.numbers([column.index], first)
    settled = settle(bom.table, column.index, numbers, first, column.rules)
    values[first:] = np.where(settled.blank, np.nan, settled.values)
    return values * column.sizes(np.arange(bom.table.n_rows))


def rounding_of(bom: Content, name: str, item: int, computed: Floats) -> float:
    """Give the difference that the digits of the cell, and of the mass it is made of, leave room for."""
    row, pieces = int(bom.rows[item]), 0.0
    if name == "line_mass":
        mass = float(bom.bodies.mass[item])
        pieces = abs(float(computed[item]) / mass) if mass else 0.0
    return half_digit(bom, name, row) + (pieces * half_digit(bom, "mass", row) if pieces else 0.0)


def half_digit(bom: Content, name: str, row: int) -> float:
    """Give half a unit of the last digit that a cell is written with, in coherent units."""
    column = bom.columns.by_quantity[name]
    return half_unit_of_cell(bom.table.text(row, column.index), column.rules) * column.size(row) * (1 + ROUNDING)


def told(bom: Content, name: str, items: Which, computed: Floats, of: str) -> list[Finding]:
    """Say which cells are not what is computed for them."""
    column, rows = bom.columns.by_quantity[name], bom.rows[items]

    def message(k: int) -> str:
        item = int(items[k])
        gives = computed[item] / column.size(int(rows[k]))
        text = bom.table.text(int(rows[k]), column.index).strip()
        return f"{column.header} of {bom.ids[item]} is {text}, and {of} gives {gives:.6g}"

    return cell_findings("MP414", bom.table, rows, column.index, message, header=column.header)
