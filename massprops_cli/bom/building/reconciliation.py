"""The totals that a sheet states, beside what its rows add up to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.building.reconciling import differences, what_is_stated
from massprops_cli.bom.items.content import Content
from massprops_cli.files.view import as_in_file
from massprops_cli.findings import Finding, Place, found
from massprops_cli.rollup.rolled import Rollup
from massprops_cli.tables.cells.numbers import half_unit_of_last_digit
from massprops_cli.tables.rows.totals import TotalRow

Floats = NDArray[np.float64]

ROUNDING = 1e-12
"""The relative difference that another order of summing explains."""


@dataclass(frozen=True, slots=True)
class Reconciled:
    """One total of the sheet: its label and address, what it states, and what the rows it adds up give.

    ``stated`` and ``computed`` are masses in ``unit``, that of the column; ``of`` says in words which rows were added.
    """

    label: str
    kind: str
    place: Place
    stated: float
    computed: float
    unit: str
    agrees: bool
    of: str


def reconcile(bom: Content) -> list[Reconciled]:
    """Compare every total and subtotal of masses with its rows; nothing where rows are left out on purpose."""
    if bom.options.root or bom.options.where or "mass" not in bom.columns.by_quantity:
        return []
    sums = np.append(0.0, np.cumsum(row_masses(bom)))
    return [
        compared(bom, k, sums)
        for k, total in enumerate(bom.totals)
        if total.kind in ("total", "subtotal") and total.mass is not None
    ]


def row_masses(bom: Content) -> Floats:
    """Give what every table row adds to the mass of the whole ``(n_rows,)``, in the unit of the masses' column.

    A row counts as often as the quantities above it say; a computed assembly adds nothing of its own.
    """
    times = times_in_whole(bom)
    goes_up = bom.tree.is_leaf() if bom.stated is None else bom.tree.is_leaf() | bom.stated
    counted = np.flatnonzero(goes_up & (bom.rows >= 0))
    masses = np.zeros(bom.table.n_rows)
    np.add.at(masses, bom.rows[counted], (bom.bodies.mass * times)[counted])
    return masses / bom.columns.by_quantity["mass"].factor


def times_in_whole(bom: Content) -> Floats:
    """Give how often every item counts in the whole ``(n,)``: 0 below an assembly whose own numbers go up."""
    tree, times = bom.tree, bom.quantity.count.copy()
    hides = np.zeros(len(bom), bool) if bom.stated is None else bom.stated
    for start, end in zip(tree.levels[1:-1].tolist(), tree.levels[2:].tolist(), strict=True):
        items = tree.order[start:end]
        over = tree.parent[items]
        times[items] *= np.where(hides[over], 0.0, times[over])
    return times


def compared(bom: Content, k: int, sums: Floats) -> Reconciled:
    """Compare one total with the rows it may add up: those since another total, or all above, with margins or not.

    The first reading that gives the stated number is taken; where none does, the usual one of its kind is shown.
    ``sums (n_rows + 1,)`` are the masses of the rows before each row, added up.
    """
    total = bom.totals[k]
    assert total.mass is not None
    column = bom.columns.by_quantity["mass"]
    readings = [(float(sums[total.row] - sums[start]) + more, words) for start, more, words in spans(bom, k)]
    allowed = half_unit_of_last_digit(as_in_file(bom.table).text(total.row, column.index))
    allowed *= column.size(total.row) / column.factor
    fits = [pair for pair in readings if abs(pair[0] - total.mass) <= allowed + ROUNDING * abs(total.mass)]
    computed, words = (fits or readings)[0]
    place = bom.table.place(total.row, column.index, column.header)
    return Reconciled(total.label, total.kind, place, total.mass, computed, column.unit, bool(fits), words)


def spans(bom: Content, k: int) -> Iterator[tuple[int, float, str]]:
    """Give the readings of a total: the row after which it adds up, the margins it includes, and both in words."""
    total, before = bom.totals[k], bom.totals[:k]
    since_any = [other for other in before if other.kind in ("total", "subtotal")][-1:]
    since_total = [other for other in before if other.kind == "total"][-1:]
    starts: list[TotalRow | None] = [None, *since_total, *since_any]
    if total.kind == "subtotal":
        starts = [*since_any, *since_total, None]
    margins = [other for other in before if other.kind == "margin" and other.mass is not None]
    for with_margins in (False, True) if margins else (False,):
        for start in dict.fromkeys(starts):
            after = -1 if start is None else start.row
            more = [margin for margin in margins if margin.row > after] if with_margins else []
            words = "all rows above" if start is None else f"the rows below {start.label}"
            if more:
                words += f", with {', '.join(margin.label for margin in more)}"
            yield max(after, 0), sum(margin.mass or 0.0 for margin in more), words


def differing_totals(bom: Content) -> list[Finding]:
    """Say which totals of the sheet are not what their rows add up to."""
    return [
        found(
            "MP413",
            f"{one.label} states {one.stated:.12g}{one.unit and f' {one.unit}'}, and {one.of} give {one.computed:.6g}",
            one.place,
            value=f"{one.stated:.12g}",
        )
        for one in reconcile(bom)
        if not one.agrees
    ]


def reconcile_assemblies(bom: Content, rollup: Rollup) -> list[Reconciled]:
    """Compare the masses that assembly rows state with what their children give, in the order of the table."""
    column = bom.columns.by_quantity.get("mass")
    stated = next((one for one in what_is_stated(bom, rollup) if one.name == "mass"), None)
    if column is None or stated is None:
        return []
    off = set(differences(bom, stated))
    known = [k for k in np.argsort(bom.rows[stated.items], kind="stable").tolist() if not np.isnan(stated.computed[k])]
    return [
        Reconciled(
            bom.ids[int(stated.items[k])],
            "assembly",
            bom.table.place(int(bom.rows[stated.items[k]]), column.index, column.header),
            float(stated.values[k]),
            float(stated.computed[k]),
            column.unit_at(int(bom.rows[stated.items[k]])),
            k not in off,
            "its children",
        )
        for k in known
    ]
