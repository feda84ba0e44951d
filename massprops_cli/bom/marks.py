"""Quantities, point flags, sign conventions and weighed marks of items: cells that are no measured numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.cells import ItemRows, not_numbers
from massprops_cli.bom.many import cell_findings, place_of
from massprops_cli.files.table import BLANK
from massprops_cli.findings import Finding, found
from massprops_cli.rollup.quantity import Quantity
from massprops_cli.tables.columns import Column
from massprops_cli.tables.flags import read_flags, read_quantities, read_signs, why_no_flag, why_no_sign
from massprops_cli.tables.numbers import settle
from massprops_cli.tables.options import TableOptions

Mask = NDArray[np.bool_]
PRODUCTS = ("Ixy", "Ixz", "Iyz")


@dataclass(frozen=True, slots=True)
class Marks:
    """What n items say about themselves.

    ``quantity``; ``is_point (n,)`` as marked, and ``point_blank (n,)`` where the cell is blank (None without the
    column); ``sign (n,)`` int8 +1, −1, or 0 where nothing is said (None without the column); ``stated (n,)``
    assemblies whose own numbers go up instead of their children's.
    """

    quantity: Quantity
    is_point: Mask
    point_blank: Mask | None
    sign: NDArray[np.int8] | None
    stated: Mask


def read_marks(
    items: ItemRows, is_leaf: Mask, options: TableOptions, edge_rows: NDArray[np.intp] | None = None
) -> tuple[Marks, list[Finding]]:
    """Read all marks, and say what is wrong with them; ``edge_rows (n,)`` hold the quantities of edges."""
    quantity, findings = read_quantity(items if edge_rows is None else replace(items, rows=edge_rows))
    point, blank, said = read_points(items, is_leaf & (quantity.count != 0))
    findings += said
    sign, said = read_sign_column(items, is_leaf & ~point & (quantity.count != 0), options)
    findings += said
    stated, said = read_stated(items, is_leaf, options)
    findings += said
    return Marks(quantity, point, blank, sign, stated), findings


def read_quantity(items: ItemRows) -> tuple[Quantity, list[Finding]]:
    """Read how many pieces of every item its parent holds."""
    n = len(items.rows)
    column = items.columns.by_quantity.get("qty")
    unit = items.columns.by_quantity.get("uom")
    if column is None:
        return Quantity.one_each(n), []
    table, first = items.table, items.columns.first_row
    settled = settle(table, column.index, table.numbers([column.index], first)[0], first)
    read = read_quantities(settled, None if unit is None else list(table.texts(unit.index, first)))
    findings = not_numbers(items, column.index, column.header, read.bad + first)
    count, measured = items.gather(read.count, 1.0), items.gather(read.measured, False)
    bad = np.zeros(len(read.count), bool)
    bad[read.bad] = True
    blank = items.gather(read.blank, False)
    findings += said_once(items, "MP216", blank, column, "a blank quantity counts as 1")
    findings += said_once(items, "MP217", count == 0, column, "a quantity of 0 leaves the row out")
    findings += said_once(items, "MP218", count < 0, column, "a negative quantity removes pieces")
    findings += said_once(
        items,
        "MP219",
        measured & ~items.gather(bad, False),
        column,
        "a quantity with a measure is one piece of that size",
    )
    return Quantity(count, measured), findings


def said_once(items: ItemRows, rule: str, where: Mask, column: Column, words: str) -> list[Finding]:
    """Say a note once for a column, with its count and first place."""
    which = np.flatnonzero(where)
    if not len(which):
        return []
    which = which[np.argsort(items.rows[which], kind="stable")]
    names = listed_of(items, which)
    place = place_of(items.table, int(items.rows[which[0]]), column.index, column.header)
    return [found(rule, f"{words}: {names}", place, item=items.ids[int(which[0])], count=len(which))]


def listed_of(items: ItemRows, which: NDArray[np.intp]) -> str:
    """List the first of some items; the others are counted."""
    shown = [items.ids[i] for i in which[:6].tolist()]
    return ", ".join(shown) + (f" and {len(which) - 6:,} more" if len(which) > 6 else "")


def read_points(items: ItemRows, counts: Mask) -> tuple[Mask, Mask | None, list[Finding]]:
    """Read which items are point masses; a blank on a leaf that counts is an error, on an assembly it is fine."""
    n = len(items.rows)
    column = items.columns.by_quantity.get("Ipoint")
    if column is None:
        return np.zeros(n, bool), None, without_point_column(items, counts)
    flags = read_flags(items.texts(column.index))
    bad = flags.bad
    findings = cell_findings(
        "MP215",
        items.table,
        items.rows[bad],
        column.index,
        lambda k: bad_flag(items, column, int(bad[k])),
        header=column.header,
        items=lambda k: items.ids[bad[k]],
    )
    lacking = np.flatnonzero(flags.blank & counts)
    findings += cell_findings(
        "MP215",
        items.table,
        items.rows[lacking],
        column.index,
        lambda k: f"{items.ids[lacking[k]]}: {column.header} is blank on a leaf",
        header=column.header,
        items=lambda k: items.ids[lacking[k]],
        remedy="write true for a point mass, false for a body",
    )
    return flags.values, flags.blank, findings


def bad_flag(items: ItemRows, column: Column, i: int) -> str:
    """Say which item has what where a truth value belongs."""
    return f"{items.ids[i]}: {column.header} {why_no_flag(items.table.text(int(items.rows[i]), column.index))}"


def without_point_column(items: ItemRows, counts: Mask) -> list[Finding]:
    """Note rows with a centre and no inertia in a table that cannot mark point masses."""
    named = items.columns.by_quantity
    if "Cx" not in named or "Ixx" not in named:
        return []
    wanted = items.table.numbers([named["Cx"].index, named["Ixx"].index], items.columns.first_row)
    center, moment = (items.gather(numbers.states != BLANK, False) for numbers in wanted)
    return said_once(
        items,
        "MP222",
        counts & center & ~moment,
        named["Ixx"],
        "no column Ipoint, and rows with a centre have no inertia",
    )


def read_sign_column(
    items: ItemRows, needs: Mask, options: TableOptions
) -> tuple[NDArray[np.int8] | None, list[Finding]]:
    """Read in which convention every row writes its products of inertia."""
    named = items.columns.by_quantity
    column = named.get("POIconv")
    if column is None:
        return None, [] if options.poi else without_sign_column(items, needs)
    signs = read_signs(items.texts(column.index))
    table, ids, bad = items.table, items.ids, signs.bad
    findings = cell_findings(
        "MP213",
        table,
        items.rows[bad],
        column.index,
        lambda k: f"{ids[bad[k]]}: {column.header} {why_no_sign(table.text(int(items.rows[bad[k]]), column.index))}",
        header=column.header,
        items=lambda k: ids[bad[k]],
    )
    unicode = np.zeros(len(ids), bool)
    unicode[signs.unicode] = True
    findings += said_once(items, "MP220", unicode, column, "a Unicode minus sign (U+2212) was read as -")
    blank = signs.blank & needs
    if blank.any() and all(name in named for name in PRODUCTS):
        lacking = np.flatnonzero(blank & has_products(items))
        findings += cell_findings(
            "MP213",
            table,
            items.rows[lacking],
            column.index,
            lambda k: f"{ids[lacking[k]]} has products of inertia, and its {column.header} is blank",
            header=column.header,
            items=lambda k: ids[lacking[k]],
        )
    return signs.signs, findings


def has_products(items: ItemRows) -> Mask:
    """Tell which items have a product of inertia that is not 0."""
    first = items.columns.first_row
    result = np.zeros(len(items.rows), bool)
    for name in PRODUCTS:
        column = items.columns.by_quantity.get(name)
        if column is not None:
            values = settle(items.table, column.index, items.table.numbers([column.index], first)[0], first).values
            result |= items.gather(np.nan_to_num(values) != 0, False)
    return result


def without_sign_column(items: ItemRows, needs: Mask) -> list[Finding]:
    """Refuse products of inertia whose sign nobody states."""
    if not all(name in items.columns.by_quantity for name in PRODUCTS):
        return []
    which = np.flatnonzero(needs & has_products(items))
    if not len(which):
        return []
    first = int(which[np.argmin(items.rows[which])])
    column = items.columns.by_quantity["Ixy"]
    return [
        found(
            "MP214",
            f"{len(which):,} rows have products of inertia, first {items.ids[first]}, "
            "and nothing says whether Ixy is +∫xy dm or −∫xy dm",
            place_of(items.table, int(items.rows[first]), column.index, column.header),
            item=items.ids[first],
            count=len(which),
            remedy="pass --poi + if Ixy is +∫xy dm, --poi - if it is the tensor entry −∫xy dm, or add a column POIconv",
        )
    ]


def read_stated(items: ItemRows, is_leaf: Mask, options: TableOptions) -> tuple[Mask, list[Finding]]:
    """Find the assemblies whose own numbers go up: all with a mass (values ``stated``), or those marked weighed."""
    n = len(items.rows)
    stated = np.zeros(n, bool)
    findings: list[Finding] = []
    first = items.columns.first_row
    mass = items.columns.by_quantity.get("mass")
    if options.assembly_values == "stated" and mass is not None:
        given = items.table.numbers([mass.index], first)[0].states != BLANK
        stated |= items.gather(given, False)
    column = items.columns.by_quantity.get("weighed")
    if column is not None:
        flags = read_flags(items.texts(column.index))
        bad = flags.bad
        findings = cell_findings(
            "MP215",
            items.table,
            items.rows[bad],
            column.index,
            lambda k: bad_flag(items, column, int(bad[k])),
            header=column.header,
            items=lambda k: items.ids[bad[k]],
        )
        stated |= flags.values
    return stated & ~is_leaf, findings
