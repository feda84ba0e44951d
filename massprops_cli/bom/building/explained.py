"""A total that the rows do not give, and why: it leaves out rows that are hidden or struck out, or rows are sums.

Where one of these explains the difference exactly, the sheet has two readings with different masses: it is asked.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.building.reconciliation import ROUNDING, compared_mass, half_digit, mass_of, reader_of
from massprops_cli.bom.building.sums import row_sums
from massprops_cli.bom.items.content import Content
from massprops_cli.findings import Finding, found

Floats = NDArray[np.float64]


def explained(bom: Content) -> Finding | None:
    """Ask which rows count, where that explains a total that is not what they give; None where nothing does."""
    masses, read = row_sums(bom)[:, 0] / bom.columns.by_quantity["mass"].factor, reader_of(bom)
    for k, total in enumerate(bom.totals):
        if total.kind != "total" or (stated := mass_of(bom, total, read)) is None:
            continue
        told, span = compared_mass(bom, k, *stated, masses)
        if told.agrees:
            continue
        allowed = half_digit(bom, total.row, stated[1]) / bom.columns.by_quantity["mass"].factor
        allowed += ROUNDING * abs(stated[0])
        counted = np.zeros(len(masses), bool)
        counted[span.rows] = True
        for why, remedy, gives in readings(bom, masses, counted):
            if abs(gives * span.factor + span.more - stated[0]) <= allowed:
                message = f"{total.label} states {told.stated:.12g}, and the rows give {told.computed:.6g}: {why}"
                command = f"massprops rollup {shlex.quote(bom.table.source.name)} --mass-is each"
                return found("MP252", message, told.place, remedy=f"{remedy}, or type {command} to count every row")
    return None


def readings(bom: Content, masses: Floats, counted: NDArray[np.bool_]) -> Iterator[tuple[str, str, float]]:
    """Give what else a total may be the sum of: why it differs, what to do if so, and the sum of those rows."""
    info = bom.table.sheet_info
    for what, rows in () if info is None else (("hidden", info.hidden), ("struck out", info.struck)):
        if rows is None or not len(rows):
            continue
        left = np.isin(np.arange(len(masses)), rows)
        if (n := np.count_nonzero(masses[left & counted])) > 0:
            which = "a row that is" if n == 1 else f"{n} rows that are"
            delete = "the row" if n == 1 else "the rows"
            yield (
                f"it leaves out {which} {what}",
                f"delete {delete} that the total leaves out",
                _sum(masses, ~left & counted),
            )
    if bom.layout == "flat":
        remedy = 'leave out the rows that are sums with --where "COLUMN != NAME"'
        yield "twice as much, so that rows may be sums of other rows", remedy, _sum(masses, counted) / 2


def _sum(masses: Floats, rows: NDArray[np.bool_]) -> float:
    return float(masses[rows].sum())
