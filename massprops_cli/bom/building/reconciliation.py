"""The totals that a sheet states, beside what its rows add up to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.building.reconciling import differences, digits_beside, what_is_stated
from massprops_cli.bom.building.sums import Span, row_sums, spans, unfiltered
from massprops_cli.bom.items.content import Content
from massprops_cli.findings import Finding, Place, Severity, found
from massprops_cli.rollup.rolled import Rollup
from massprops_cli.tables.cells.cell_reading import half_unit_of_cell
from massprops_cli.tables.cells.numbers import settle
from massprops_cli.tables.columns.columns import Column
from massprops_cli.tables.rows.totals import TotalRow
from massprops_cli.tables.units.quantities import CENTER_COLUMNS

Floats = NDArray[np.float64]
Read = Callable[[int, Column], float | None]

ROUNDING = 1e-12
"""The relative difference that another order of summing explains."""


@dataclass(frozen=True, slots=True)
class Reconciled:
    """One total of the sheet: its label and address, what it states, and what the rows it adds up give.

    ``stated`` and ``computed`` are of ``quantity`` (mass, Cx, Cy, Cz) in ``unit``, that of the column; ``of`` says in
    words which rows were added.
    """

    label: str
    kind: str
    place: Place
    stated: float
    computed: float
    unit: str
    agrees: bool
    of: str
    quantity: str = "mass"


def reconcile(bom: Content) -> list[Reconciled]:
    """Compare every total and subtotal of masses with its rows; nothing where rows are left out on purpose."""
    compared = [] if unread(bom) else [mass for mass, _ in with_spans(bom, row_sums(bom), reader_of(bom))]
    return [mass for mass in compared if mass is not None]


def reconcile_all(bom: Content) -> list[Reconciled]:
    """Compare the masses and the centres that totals and subtotals state with their rows, in the order of the table."""
    if unread(bom):
        return []
    sums, read, told = row_sums(bom), reader_of(bom), list[Reconciled]()
    for k, (mass, span) in enumerate(with_spans(bom, sums, read)):
        told += [] if mass is None else [mass]
        told += compared_center(bom, bom.totals[k], span, sums, read) if span is not None else []
    return told


def unread(bom: Content) -> bool:
    """Tell whether there is nothing to compare: no totals, no masses, rows left out on purpose, or masses refused."""
    mass = bom.columns.by_quantity.get("mass")
    if not bom.totals or bom.options.root or bom.options.where or mass is None:
        return True
    # a mass that was refused is not in the sums, so that no total could agree with them
    errors = (f for f in bom.findings if f.severity is Severity.ERROR and f.item)
    return any(f.place.column == mass.header for f in errors)


def with_spans(bom: Content, sums: Floats, read: Read) -> Iterator[tuple[Reconciled | None, Span | None]]:
    """Compare the mass of every total; gives that, if it states one, and the rows that it is the sum of."""
    masses = sums[:, 0] / bom.columns.by_quantity["mass"].factor
    for k, total in enumerate(bom.totals):
        if total.kind not in ("total", "subtotal"):
            yield None, None
            continue
        if (stated := mass_of(bom, total, read)) is None:
            yield None, next(spans(bom, k))
        else:
            yield compared_mass(bom, k, *stated, masses)


def mass_of(bom: Content, total: TotalRow, read: Read) -> tuple[float, Column] | None:
    """Give the mass that a total states, in the unit of the masses' column, and the column that it stands in."""
    named = bom.columns.by_quantity
    if total.mass is not None:
        return total.mass, named["mass"]
    if "line_mass" not in named or (value := read(total.row, named["line_mass"])) is None:
        return None
    return value / named["mass"].factor, named["line_mass"]


def compared_mass(bom: Content, k: int, stated: float, column: Column, masses: Floats) -> tuple[Reconciled, Span]:
    """Compare a total with the rows that it may add up: the first reading that gives it, else the usual one.

    ``masses (n_rows,)`` are what the rows add to the whole, in the unit of the masses' column.
    """
    total, unit = bom.totals[k], bom.columns.by_quantity["mass"].factor
    allowed = half_digit(bom, total.row, column) / unit + ROUNDING * abs(stated)
    shown: tuple[Span, float, bool] | None = None
    for span in spans(bom, k):
        gives = float(masses[span.rows].sum()) * span.factor + span.more
        agrees = abs(gives - stated) <= allowed
        if shown is None or agrees:
            shown = span, gives, agrees
        if agrees:
            break
    assert shown is not None
    span, gives, agrees = shown
    place, size = bom.table.place(total.row, column.index, column.header), column.factor / unit
    told = Reconciled(total.label, total.kind, place, stated / size, gives / size, column.unit, agrees, span.words)
    return told, span


def compared_center(bom: Content, total: TotalRow, span: Span, sums: Floats, read: Read) -> Iterator[Reconciled]:
    """Compare the centre that a total states with that of the rows of its mass; nothing where that is not known."""
    named = bom.columns.by_quantity
    read_here = {name: read(total.row, named[name]) for name in CENTER_COLUMNS if name in named}
    stated = {name: value for name, value in read_here.items() if value is not None}
    if not stated:
        return
    mass, *moments = sums[span.rows].sum(axis=0).tolist()
    extent = np.nanmax(np.abs(bom.bodies.center), initial=0.0) if bom.bodies.center is not None else 0.0
    for name, moment in zip(CENTER_COLUMNS, moments, strict=True):
        if name not in stated or mass == 0 or np.isnan(moment):
            continue
        column, center = named[name], moment / mass
        agrees = abs(center - stated[name]) <= half_digit(bom, total.row, column) + ROUNDING * extent
        place = bom.table.place(total.row, column.index, column.header)
        numbers = stated[name] / column.factor, center / column.factor
        yield Reconciled(total.label, total.kind, place, *numbers, column.unit, bool(agrees), span.words, name)


def reader_of(bom: Content) -> Read:
    """Give what reads a cell of a row that is left out, in coherent units; None where it is no number.

    A column is read once, whatever the number of totals.
    """
    table, first = unfiltered(bom.table), bom.columns.first_row
    known: dict[int, Floats] = {}

    def read(row: int, column: Column) -> float | None:
        if column.index not in known:
            (numbers,) = table.numbers([column.index], first)
            known[column.index] = settle(table, column.index, numbers, first, column.rules).values
        value = float(known[column.index][row - first])
        return None if np.isnan(value) else value * column.size(row)

    return read


def half_digit(bom: Content, row: int, column: Column) -> float:
    """Give half a unit of the last digit that a cell is written with, in coherent units."""
    return half_unit_of_cell(unfiltered(bom.table).text(row, column.index), column.rules) * column.size(row)


def differing_totals(bom: Content) -> list[Finding]:
    """Say which totals of the sheet are not the mass that their rows add up to."""
    return [said(one) for one in reconcile(bom) if not one.agrees]


def differing_centers(bom: Content) -> list[Finding]:
    """Say which totals of the sheet do not state the centre that their rows have."""
    return [said(one) for one in reconcile_all(bom) if one.quantity != "mass" and not one.agrees]


def said(one: Reconciled) -> Finding:
    """Say what a total states, and what its rows give."""
    name = "" if one.quantity == "mass" else f"{one.quantity} "
    stated = f"{name}{one.stated:.12g}{one.unit and f' {one.unit}'}"
    message = (
        f"{one.label} states {stated}, and {one.of} give {one.computed:.{digits_beside(one.computed, one.stated)}g}"
    )
    return found("MP413", message, one.place, value=f"{one.stated:.12g}")


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
