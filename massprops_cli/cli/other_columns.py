"""Other columns of the table, rolled up and subtotalled as the command line asks: ``--sum cost``, ``--by supplier``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from massprops_cli.cli.options import Columns, listed
from massprops_cli.files.fill import Added, Fill, Filling
from massprops_cli.findings import Finding, UsageError
from massprops_cli.reports.subtotals import Other
from massprops_cli.rollups.subtotals import group, roll_up_column

if TYPE_CHECKING:
    from massprops_cli.bom.read import Bom
    from massprops_cli.bom.result import Result


WAYS = ("sum", "max", "min", "mean", "rss")


def is_asked(columns: Columns) -> bool:
    """Tell whether any other column is to be rolled up."""
    return any(getattr(columns, way) for way in WAYS)


def used_columns(columns: Columns) -> tuple[str, ...]:
    """Give the names of all columns that are rolled up, or subtotalled by."""
    return tuple(name for way in (*WAYS, "by") for name in listed(getattr(columns, way)))


def without_mass_rule(bom: Bom) -> Bom:
    """Take back that a column of masses is missing, where other columns are what is asked for."""
    if "mass" in bom.columns.by_quantity:
        return bom
    return replace(bom, findings=tuple(f for f in bom.findings if not (f.rule == "MP203" and "masses" in f.message)))


def rolled_columns(result: Result, columns: Columns) -> tuple[Other, list[Finding]]:
    """Roll up every requested column; also gives the findings about cells of leaves that are not numbers."""
    bom = result.bom
    faults: list[Finding] = []
    asked: list[tuple[str, str, NDArray[np.float64]]] = []
    for way in WAYS:
        for name in listed(getattr(columns, way)):
            j = column_named(bom, name, f"--{way}")
            if way == "mean" and "mass" not in bom.columns.by_quantity:
                raise UsageError(f"--mean {name} is weighted by mass, and the table has no column of masses")
            asked.append((bom.columns.header[j], way, values_of(bom, j, faults)))
    labels = listed(columns.by)
    texts = [texts_of(bom, column_named(bom, name, "--by")) for name in labels]
    mass = mass_of(result)
    rolled = tuple((name, roll_up_column(bom.tree, values, way, bom.quantity, mass)) for name, way, values in asked)
    if not labels:
        return Other(rolled), faults
    made = group(
        bom.rollup_inputs(result.correlation),
        texts,
        method="covariance" if result.rollup.sampled is not None else result.rollup.method,
    )
    of_groups = tuple((name, made.column(values, way, mass)) for name, way, values in asked)
    return Other(rolled, labels, made, of_groups), faults


def mass_of(result: Result) -> NDArray[np.float64]:
    """Give the mass of every item, 0 where it is not known."""
    return np.asarray(result.rollup.bodies.mass, dtype=float)


def column_named(bom: Bom, name: str, option: str) -> int:
    """Find a column by its header, or by the quantity it was read as."""
    header = bom.columns.header
    if name in header:
        return header.index(name)
    if name in bom.columns.by_quantity:
        return bom.columns.by_quantity[name].index
    same = [j for j, text in enumerate(header) if text.strip().lower() == name.lower()]
    if len(same) == 1:
        return same[0]
    from massprops_cli.tables.column_places import column_at

    if (column := column_at(name, bom.table)) is not None:
        return column
    import difflib

    near = difflib.get_close_matches(name, header, 1)
    hint = f"; the nearest is {near[0]}" if near else f"; the columns are {', '.join(text for text in header if text)}"
    raise UsageError(f"{option} {name}: the table has no such column{hint}")


def values_of(bom: Bom, column: int, faults: list[Finding]) -> NDArray[np.float64]:
    """Read a column as numbers of items ``(n,)``, NaN where blank; cells of leaves that are no numbers are faults."""
    from massprops_cli.bom.item_rows import cell_findings
    from massprops_cli.tables.number_text import CellRules
    from massprops_cli.tables.numbers import settle

    start = bom.columns.first_row
    (numbers,) = bom.table.numbers([column], start)
    rules = CellRules(bom.options.decimal, bom.options.accept_approximate)
    settled = settle(bom.table, column, numbers, start, rules)
    has_row = bom.rows >= 0
    values = np.where(has_row, settled.values[np.where(has_row, bom.rows - start, 0)], np.nan)
    leaves = bom.rows[bom.tree.is_leaf() & has_row]
    bad = np.intersect1d(settled.bad + start, leaves)
    if len(bad):
        header = bom.columns.header[column]
        faults += cell_findings("MP205", bom.table, bad, column, lambda _: f"{header} is not a number", header=header)
    return values


def texts_of(bom: Bom, column: int) -> list[str]:
    """Give a column's text for every item; nothing for one without a row."""
    texts = bom.table.texts(column, bom.columns.first_row)
    start = bom.columns.first_row
    return [texts[row - start] if row >= 0 else "" for row in bom.rows.tolist()]


def with_columns(filling: Filling, result: Result, other: Other) -> Filling:
    """Put rolled-up columns into the table.

    Into their own column's assembly cells, or beside when asked in several ways.
    """
    from massprops_cli.bom.fill import assembly_rows

    if not other.columns:
        return filling
    items, rows = assembly_rows(result)
    times = Counter(header for header, _ in other.columns)
    taken = {fill.column for fill in filling.fills}
    fills: list[Fill] = list(filling.fills)
    added: list[Added] = list(filling.added)
    header = result.bom.columns.header
    for name, rolled in other.columns:
        values = rolled.values[items]
        column = header.index(name)
        if times[name] == 1 and column not in taken:
            fills.append(Fill(column, rows, values))
        else:
            put_beside(fills, added, header, f"{rolled.way}_{name}", rows, values)
    fills.sort(key=lambda fill: fill.column)
    return replace(filling, fills=tuple(fills), added=tuple(added))


def put_beside(
    fills: list[Fill],
    added: list[Added],
    header: Sequence[str],
    name: str,
    rows: NDArray[np.intp],
    values: NDArray[np.float64],
) -> None:
    """Fill the column of that name from an earlier run, else add one."""
    if name in header:
        fills.append(Fill(list(header).index(name), rows, values))
    else:
        added.append(Added(name, rows, values))
