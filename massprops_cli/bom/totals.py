"""The totals that a sheet states, beside what its rows add up to.

What the rows of a table add up to, row by row, and which rows a total in it may be the sum of.

Columns of what is multiplied already, beside the masses of one piece and the quantities of one parent.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.assembly_values import differences, digits_beside, what_is_stated
from massprops_cli.bom.item_rows import cell_findings
from massprops_cli.bom.model import Content
from massprops_cli.bom.variant_columns import below as below_any
from massprops_cli.files.table import Table
from massprops_cli.files.view import View
from massprops_cli.findings import Finding, Place, Severity, found
from massprops_cli.rollups.rollup import Rollup
from massprops_cli.tables.columns import Column
from massprops_cli.tables.numbers import half_unit_of_cell, settle
from massprops_cli.tables.quantities import CENTER_COLUMNS, PRODUCTS
from massprops_cli.tables.total_rows import TotalRow

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

MOST_STARTS = 10
"""How many totals before a subtotal are tried as the start of its rows: groups within groups are not deeper."""

_PERCENT = re.compile(r"(\d+(?:[.,]\d+)?)\s*%")


@dataclass(frozen=True, slots=True)
class Span:
    """One reading of a total: the sum of ``rows``, × ``factor`` + ``more``, and that in words.

    ``rows`` are a stretch of the table's, or indices ``(k,)``. ``more`` and ``factor`` are the margins it includes: of
    a mass of their own, in the unit of the masses' column, and in percent of the sum.
    """

    rows: slice | Rows
    words: str
    more: float = 0.0
    factor: float = 1.0


def times_in_whole(bom: Content) -> Floats:
    """Give how often every item counts in the whole ``(n,)``: 0 below an assembly whose own numbers go up."""
    tree, times = bom.tree, bom.quantity.count.copy()
    hides = np.zeros(len(bom), bool) if bom.stated is None else bom.stated
    for start, end in zip(tree.levels[1:-1].tolist(), tree.levels[2:].tolist(), strict=True):
        items = tree.order[start:end]
        over = tree.parent[items]
        times[items] *= np.where(hides[over], 0.0, times[over])
    return times


def row_sums(bom: Content) -> Floats:
    """Give what every table row adds to the whole ``(n_rows, 4)``: mass, and mass × centre, in coherent units.

    A row counts as often as the quantities above it say; a computed assembly adds nothing of its own. The moments are
    NaN where a mass has no centre.
    """
    times = times_in_whole(bom)
    goes_up = bom.tree.is_leaf() if bom.stated is None else bom.tree.is_leaf() | bom.stated
    counted = np.flatnonzero(goes_up & (bom.rows >= 0))
    masses = (bom.bodies.mass * times)[counted]
    parts = np.full((len(counted), 4), np.nan)
    parts[:, 0] = masses
    if bom.bodies.center is not None:
        parts[:, 1:] = np.where(masses[:, None] == 0, 0.0, masses[:, None] * bom.bodies.center[counted])
        if bom.bodies.has_center is not None:
            parts[~bom.bodies.has_center[counted] & (masses != 0), 1:] = np.nan
    sums = np.zeros((bom.table.n_rows, 4), order="F")  # many stretches of rows will be summed
    np.add.at(sums, bom.rows[counted], parts)
    return sums


def spans(bom: Content, k: int) -> Iterator[Span]:
    """Give the readings of a total, the usual first: all rows above it or those since another, without margins or with.

    A total is of the whole or of what follows the total before it; a subtotal of what follows any other before it, or
    of the assembly that it names. Above the first item it is of all rows below.
    """
    table, totals = bom.table, bom.totals
    if is_above(bom.rows, totals[k].row):
        yield Span(slice(totals[k].row, bom.table.n_rows), "all rows below")
        return
    total, sums = totals[k], (totals[i] for i in range(k - 1, -1, -1) if totals[i].kind in ("total", "subtotal"))
    starts: list[TotalRow | None]
    if total.kind == "subtotal":
        starts = [*islice(sums, MOST_STARTS), None]
    else:
        before = list(islice(sums, 1))
        since_total = islice((other for other in (*before, *sums) if other.kind == "total"), 1)
        starts = [None, *since_total, *before]
    margins = [other for other in totals[:k] if other.kind == "margin"]
    for with_margins in (False, True) if margins else (False,):
        for start in dict.fromkeys(starts):
            after = 0 if start is None else start.row
            words = "all rows above" if start is None else f"the rows below {start.label}"
            included = [margin for margin in margins if with_margins and margin.row >= after]
            if with_margins and not included:
                continue
            factor = 1 + sum(percent_of(table, margin) for margin in included if margin.mass is None) / 100
            words += f", with {', '.join(margin.label for margin in included)}" if included else ""
            more = sum(margin.mass or 0.0 for margin in included)
            yield Span(slice(after, total.row), words, more, factor)
    if total.kind == "subtotal" and (item := named_assembly(bom, total.label)) is not None:
        marked = np.zeros(len(bom), bool)
        marked[item] = True
        rows = bom.rows[marked | below_any(bom.tree, marked)]
        yield Span(np.unique(rows[rows >= 0]), f"the rows of {bom.ids[item]}")


def is_above(rows: Rows, row: int) -> bool:
    """Tell whether a row stands above those of all items; nearly always the first items tell that it does not.

    >>> is_above(np.array([-1, 3, 4]), 2), is_above(np.array([-1, 3, 4]), 5)
    (True, False)
    """
    return not any(((some >= 0) & (some < row)).any() for some in (rows[:100], rows))


def named_assembly(bom: Content, label: str) -> int | None:
    """Find the assembly that a label begins or ends with: ``Subtotal Payload``; of several the longest name."""
    words = f" {label.casefold()} "
    assemblies = [i for i in np.flatnonzero(~bom.tree.is_leaf()).tolist() if bom.tree.parent[i] >= 0]
    names = {i: f" {bom.ids[i].casefold()} " for i in assemblies}
    named = [i for i, name in names.items() if words.startswith(name) or words.endswith(name)]
    return max(named, key=lambda i: len(bom.ids[i]), default=None)


def percent_of(table: Table, margin: TotalRow) -> float:
    """Give the percentage that the row of a margin states; 0 where it states none."""
    for text in row_in_file(table, margin.row):
        if (match := _PERCENT.search(text)) is not None:
            return float(match[1].replace(",", "."))
    return 0.0


def row_in_file(table: Table, row: int) -> Sequence[str]:
    """Give the texts of a row that may be left out of the table."""
    return unfiltered(table).row(row)


def unfiltered(table: Table) -> Table:
    """Give the table from which rows were left out, with the columns that its tuples hold."""
    return table.base if type(table) is View else table


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


Which = NDArray[np.intp]

PRODUCT_ROUNDING = 1e-9
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
    suspects = np.flatnonzero(known & (off > PRODUCT_ROUNDING * np.abs(stated)))
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
    return product_half_digit(bom, name, row) + (pieces * product_half_digit(bom, "mass", row) if pieces else 0.0)


def product_half_digit(bom: Content, name: str, row: int) -> float:
    """Give half a unit of the last digit that a cell is written with, in coherent units."""
    column = bom.columns.by_quantity[name]
    return (
        half_unit_of_cell(bom.table.text(row, column.index), column.rules) * column.size(row) * (1 + PRODUCT_ROUNDING)
    )


def told(bom: Content, name: str, items: Which, computed: Floats, of: str) -> list[Finding]:
    """Say which cells are not what is computed for them."""
    column, rows = bom.columns.by_quantity[name], bom.rows[items]

    def message(k: int) -> str:
        item = int(items[k])
        gives = computed[item] / column.size(int(rows[k]))
        text = bom.table.text(int(rows[k]), column.index).strip()
        return f"{column.header} of {bom.ids[item]} is {text}, and {of} gives {gives:.6g}"

    return cell_findings("MP414", bom.table, rows, column.index, message, header=column.header)
