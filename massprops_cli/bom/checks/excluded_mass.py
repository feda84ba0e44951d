"""Results that exclude more mass, or more rows with a mass, than they include.

A root, a filter or a quantity of 0 excludes mass; rows of a table may not be in the tree.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.checks.own_masses import mass_formatter, nearest_ancestors
from massprops_cli.bom.items import Content, ItemRows, QuantityRows, item_cell_place, read_quantity
from massprops_cli.files import Table, file_table
from massprops_cli.findings import Findings, Severity, name_list
from massprops_cli.tables import (
    OUTPUT_PREFIXES,
    Hierarchy,
    QuantityColumn,
    TableColumns,
    TableOptions,
    nearest_quantity,
    parse_column,
)

_Floats = NDArray[np.float64]
_Mask = NDArray[np.bool_]

_MAX_NAMED_ROWS = 3
"""The number of excluded rows that are named."""


class TableReading(NamedTuple):
    """A table, its columns, and its options."""

    table: Table
    columns: TableColumns
    options: TableOptions


def report_excluded_mass(
    hierarchy: Hierarchy, kept: Collection[str], reading: TableReading, findings: Findings
) -> None:
    """Report that ``--root`` or ``--where`` excludes more mass than it includes; ``kept`` are the included ids.

    This is a note for a filter and a warning for a root, which may be one of several.
    """
    table, columns, options = reading
    column = columns.by_quantity.get("mass")
    if column is None or len(hierarchy) == len(kept):
        return
    parents = np.asarray(hierarchy.parents)
    ends = np.ones(len(parents), bool)
    ends[parents[parents >= 0]] = False
    inside = np.array([name in kept for name in hierarchy.ids], bool)
    pieces, times = _piece_masses(hierarchy, table, columns, column), _occurrence_counts(hierarchy, table, columns)
    masses = np.nan_to_num(np.abs(pieces * times))
    if options.assembly_values == "own":
        ends[:] = True
    held, left = float(masses[ends & inside].sum()), float(masses[ends & ~inside].sum())
    if left <= held:
        return
    unit = f" {column.unit}" if column.unit and column.by_row is None else ""
    kept_and_left = f"{held / column.factor:.6g}{unit} and excludes {left / column.factor:.6g}{unit}"
    outside = np.flatnonzero(ends & ~inside)
    names = name_list(
        [hierarchy.ids[i] for i in outside[np.argsort(-masses[outside], kind="stable")].tolist()], _MAX_NAMED_ROWS
    )
    option = f"--where {'; '.join(options.where)}" if options.where else f"--root {options.root}"
    message = f"{option} includes {kept_and_left} ({100 * left / (left + held):.3g} % of the mass): {names}"
    findings.report(
        "MP423",
        message,
        table.place(columns.header_row, column.index, column.header),
        remedy=_excluded_mass_remedy(hierarchy, table, options),
        severity=Severity.NOTE if options.where else None,
    )


def _excluded_mass_remedy(hierarchy: Hierarchy, table: Table, options: TableOptions) -> str:
    """Return the remedy: for one of several roots, the command that creates a root above all."""
    if options.where:
        return "omit --where for the mass of all rows"
    if options.root in hierarchy.ids and hierarchy.parents[list(hierarchy.ids).index(options.root)] < 0:
        command = options.command_with(table.source.name, "--root", replaced_by="--make-root")
        return f"type {command('all')} for the mass of all rows"
    return "omit --root for the mass of all rows"


def _piece_masses(hierarchy: Hierarchy, table: Table, columns: TableColumns, column: QuantityColumn) -> _Floats:
    """Return the mass in the row of every item ``(n,)``, NaN where there is none."""
    first = columns.first_row
    (numbers,) = table.numbers([column.index], first)
    parsed = parse_column(table, column.index, numbers, first, column.rules)
    values = np.where(parsed.blank, np.nan, parsed.values)
    rows = np.asarray(hierarchy.rows, np.intp)
    masses = np.where(rows >= 0, values[np.where(rows >= 0, rows - first, 0)], np.nan)
    return masses * (column.factor if column.by_row is None else column.sizes(np.where(rows >= 0, rows, first)))


def _occurrence_counts(hierarchy: Hierarchy, table: Table, columns: TableColumns) -> _Floats:
    """Return the number of pieces of every item in its tree ``(n,)``."""
    rows = np.asarray(hierarchy.rows if hierarchy.edge_rows is None else hierarchy.edge_rows, np.intp)
    quantity = read_quantity(QuantityRows(ItemRows(table, columns, rows, hierarchy.ids)), Findings())
    parents = np.where(np.asarray(hierarchy.parents) < 0, -1, hierarchy.parents)
    return nearest_ancestors(parents, quantity.count, np.zeros(len(parents), bool))[1]


def check_zero_quantities(bom: Content, findings: Findings) -> None:
    """Report rows with a quantity of 0 that have more mass than all others, except for a variant."""
    count = bom.quantity.count
    if bom.options.qty_column or not (count == 0).any():
        return
    none = np.zeros(len(bom), bool)
    times = nearest_ancestors(bom.tree.parent, np.where(count == 0, 1.0, count), none)[1]
    zero = nearest_ancestors(bom.tree.parent, (count != 0).astype(float), none)[1] == 0
    ends = bom.tree.is_leaf() if bom.stated is None else bom.tree.is_leaf() | bom.stated
    masses = np.where(ends, np.abs(bom.bodies.mass * times), 0.0)
    left, held = float(masses[zero].sum()), float(masses[~zero].sum())
    if left <= held:
        return
    number, column, items = mass_formatter(bom), bom.columns.by_quantity["qty"], np.flatnonzero(zero & ends)
    first = int(items[0])
    names = name_list([bom.ids[i] for i in items[np.argsort(-masses[items], kind="stable")].tolist()], _MAX_NAMED_ROWS)
    message = (
        f"rows with a quantity of 0 exclude {number(left)} and all others include {number(held)} "
        f"({100 * left / (left + held):.3g} % of the mass excluded): {names}"
    )
    place = item_cell_place(bom.table, int(bom.rows[first]), column.index, column.header)
    remedy = f"correct the quantities in {column.header}, or name their column with --map qty=HEADER"
    findings.report("MP423", message, place, item=bom.ids[first], remedy=remedy)


def check_coverage(bom: Content, findings: Findings) -> None:
    """Report totals with fewer than half of the rows that have a mass in some column.

    Assemblies with a counted part, totals, and rows that an option excludes are not counted. A tree with errors is not
    checked.
    """
    if any(finding.rule.startswith("MP3") and finding.severity is Severity.ERROR for finding in bom.findings):
        return
    if bom.options.root or bom.options.where or bom.options.table or _has_most_rows(bom):
        return
    first = bom.columns.first_row
    counted = _rows_in_totals(bom)
    table = file_table(bom.table)
    columns = _mass_columns(bom)
    numbered = np.zeros(bom.table.n_rows, bool)
    for j in columns:
        (numbers,) = table.numbers([j], first)
        values = parse_column(table, j, numbers, first, bom.columns.by_quantity["mass"].rules).values
        numbered[first:] |= np.nan_to_num(values) != 0
    numbered[[total.row for total in bom.totals]] = False
    rest = numbered & ~counted
    if 2 * int(rest.sum()) > int(numbered.sum()):
        _report_low_coverage(bom, table, columns, (rest, numbered), findings)


def _has_most_rows(bom: Content) -> bool:
    """Return whether items with a mass are at least half as many as the rows."""
    shares_rows = bom.layout == "edges"  # one row may be several items
    whole = bom.bodies.has_mass is None and bool((bom.quantity.count != 0).all())
    return whole and not shares_rows and 2 * len(bom) >= bom.table.n_rows - bom.columns.first_row


def _rows_in_totals(bom: Content) -> _Mask:
    """Return which table rows are items whose mass is in the total of the root, or hold such an item ``(n_rows,)``."""
    counts = (
        nearest_ancestors(bom.tree.parent, (bom.quantity.count != 0).astype(float), np.zeros(len(bom), bool))[1] != 0
    )
    ends = bom.tree.is_leaf() if bom.stated is None else bom.tree.is_leaf() | bom.stated
    has = np.ones(len(bom), bool) if bom.bodies.has_mass is None else bom.bodies.has_mass
    known = ends & has & counts
    above = np.zeros(len(bom), bool)
    edge = np.unique(bom.tree.parent[known])
    while len(edge := edge[(edge >= 0) & ~above[edge]]):
        above[edge] = True
        edge = np.unique(bom.tree.parent[edge])
    # a row that counts 0 pieces leaves nothing to be found
    rows = bom.rows[(known | above | ~counts) & (bom.rows >= 0)]
    result = np.zeros(bom.table.n_rows, bool)
    result[rows] = True
    return result


def _mass_columns(bom: Content) -> list[int]:
    """Return the columns whose headers name masses, read or not, except those written by a roll-up."""
    named = bom.columns.by_quantity
    read = {named[name].index for name in ("mass", "line_mass") if name in named}
    taken = {column.index for column in named.values()}
    alike = {
        j
        for j, text in enumerate(bom.columns.header)
        if j not in taken
        and nearest_quantity(text) in ("mass", "line_mass")
        and not text.strip().startswith(OUTPUT_PREFIXES)
    }
    return sorted(read | alike)


def _report_low_coverage(
    bom: Content, table: Table, columns: list[int], masks: tuple[_Mask, _Mask], findings: Findings
) -> None:
    """Report how few of the rows with a mass are in the totals, and the first that are not.

    ``masks`` are those that are not, and all that have a mass, ``(n_rows,)`` each.
    """
    rest, numbered = masks
    rows = np.flatnonzero(rest)
    column = next(j for j in columns if table.text(int(rows[0]), j).strip())
    header = bom.columns.header[column].strip()
    names = name_list(
        [
            next((text.strip() for text in table.row(i) if text.strip()), "")
            for i in rows[: _MAX_NAMED_ROWS + 1].tolist()
        ],
        _MAX_NAMED_ROWS,
    )
    n, of = int(numbered.sum()) - len(rows), int(numbered.sum())
    message = f"totals include only {n:,} of {of:,} rows with a mass: {names} excluded"
    findings.report(
        "MP423",
        message,
        bom.table.place(int(rows[0]), column, header),
        value=table.text(int(rows[0]), column).strip(),
        count=len(rows),
        remedy="check which column contains the masses (--map mass=HEADER) and "
        "which rows are parts (--layout, --table)",
    )
