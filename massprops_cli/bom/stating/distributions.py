"""How the errors of every row are distributed: the column ``dist``, and what bounds say where it is blank."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.cells.cells import SetCells
from massprops_cli.bom.cells.marks import Marks
from massprops_cli.bom.items.items import ItemRows
from massprops_cli.bom.items.saying import Fault, say
from massprops_cli.bom.items.sets import SIGMA_SETS
from massprops_cli.findings import Finding
from massprops_cli.findings.nearest import nearest
from massprops_cli.rollup.correlation import TEN
from massprops_cli.rollup.montecarlo.shapes import KINDS, NOT_STATED, Bounds
from massprops_cli.tables.columns.uncertainty_words import UNKNOWN, distributions, read_words

Mask = NDArray[np.bool_]
Kinds = NDArray[np.int8]
NORMAL, LOGNORMAL, UNIFORM, TRIANGULAR, TRUNCATED = range(len(KINDS))


def read_kinds(items: ItemRows, marks: Marks) -> tuple[Kinds, list[Finding]]:
    """Read the column ``dist`` ``(n,)``: places in ``KINDS``, or ``NOT_STATED``; other words are said."""
    kind = np.full(len(items.rows), NOT_STATED, np.int8)
    column = items.columns.by_quantity.get("dist")
    if column is None:
        return kind, []
    codes = read_words(items.texts(column.index), distributions(), KINDS)
    kind = np.where(marks.counts & (codes >= 0), codes, NOT_STATED).astype(np.int8)

    def unknown(i: int) -> str:
        text = items.table.text(int(items.rows[i]), column.index).strip()
        return f"{items.ids[i]}: {text} is no distribution{nearest(text, KINDS)}"

    return kind, say(items, Fault("MP508", column), np.flatnonzero(marks.counts & (codes == UNKNOWN)), unknown)


def settle_kinds(
    items: ItemRows, kind: Kinds, bounds: Mapping[int, Bounds], sigmas: Mapping[str, SetCells], by_method: Mask
) -> tuple[Kinds, Mask, list[Finding]]:
    """Choose the distribution of rows with bounds and a blank ``dist``, and say where the two contradict each other.

    Blank is truncated where every quantity with bounds has a sigma of its own, else triangular where a likeliest value
    is given, else uniform. ``by_method (n,)`` marks items that get their sigmas from a method. Also gives the items
    ``(n,)`` of which it has been said that they lack a sigma.
    """
    some = np.zeros(len(kind), bool)
    likely, lacking = some.copy(), some.copy()
    for place, ends in bounds.items():
        bounded = ~np.isnan(ends.low)
        some |= bounded
        likely |= ~np.isnan(ends.likely)
        lacking |= bounded & ~sigma_given(TEN[place], sigmas, len(kind))
    blank = some & (kind == NOT_STATED)
    chosen = np.where(lacking, np.where(likely, TRIANGULAR, UNIFORM), TRUNCATED)
    result = np.where(blank, chosen, kind).astype(np.int8)
    column = items.columns.by_quantity.get("dist")
    if column is None:
        return result, np.zeros(len(kind), bool), []
    ids = items.ids
    without = lacking & (kind == TRUNCATED) & ~by_method
    unbounded = some & ((kind == NORMAL) | (kind == LOGNORMAL))
    findings = say(
        items,
        Fault("MP509", column, "write truncated, or clear the bounds"),
        np.flatnonzero(unbounded),
        lambda i: f"{ids[i]} has bounds, and a {KINDS[kind[i]]} distribution has none",
    )
    findings += say(
        items,
        Fault("MP509", column, "give the sigma of the distribution before it is truncated"),
        np.flatnonzero(without),
        lambda i: f"{ids[i]} is truncated at bounds and has no sigma",
    )
    return result, without, findings


def sigma_given(name: str, sigmas: Mapping[str, SetCells], n: int) -> Mask:
    """Tell which items have a sigma of one quantity in a column of its own ``(n,)``."""
    for quantity_set in SIGMA_SETS:
        if f"sigma_{name}" in quantity_set.columns and quantity_set.name in sigmas:
            given: Mask = sigmas[quantity_set.name].given[:, quantity_set.columns.index(f"sigma_{name}")]
            return given
    return np.zeros(n, bool)
