"""From a sheet to the items of a tree: which table, which of its rows, and what hangs below what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from massprops_cli.bom.cells.variant_columns import ask_for_variant
from massprops_cli.bom.items.planting import Planting, concerning, plant
from massprops_cli.files.table import Table
from massprops_cli.findings import Finding, Severity, TableError, UsageError, found
from massprops_cli.tables.columns.columns import Columns, read_columns
from massprops_cli.tables.columns.headers import header_at
from massprops_cli.tables.columns.tuples import spread_tuples
from massprops_cli.tables.finding_table.find import find_table
from massprops_cli.tables.items.shape import Reading
from massprops_cli.tables.layouts.hierarchy import Hierarchy, read_hierarchy
from massprops_cli.tables.options import TableOptions
from massprops_cli.tables.rows.leaving_out import leave_out_rows, without_errors_left_out
from massprops_cli.tables.rows.totals import TotalRow


class Items(NamedTuple):
    """The items of a sheet: ``table`` is what of it counts, ``options`` are as the sheet itself settles them.

    ``totals`` are the rows left out as totals, margins and limits; ``planting`` is the tree of the ``hierarchy``.
    """

    table: Table
    columns: Columns
    options: TableOptions
    totals: list[TotalRow]
    hierarchy: Hierarchy
    planting: Planting


def find_items(table: Table, options: TableOptions, findings: Sequence[Finding]) -> tuple[Items, list[Finding]]:
    """Find the table on a sheet, its columns, the rows that are items, and their tree; say what was decided.

    ``findings`` are those of reading the file. Raises TableError, with all of them, when there is no tree.
    """
    table, said = find_table(table, options)
    table = spread_tuples(table, header_at(table, options.map))
    columns, found_here = read_columns(table, options)
    options = replace(options, inertia_about=columns.inertia_about or options.inertia_about)
    said += found_here if options.use_sigmas else [f for f in found_here if f.rule != "MP504"]
    if table.n_rows <= columns.first_row:
        empty = found("MP111", "the table has a header and no row of data", table.place(0))
        raise TableError([*findings, *said, empty])
    table, totals, found_here = leave_out_rows(table, columns, every_row=options.layout == "flat")
    said += [*found_here, *ask_for_variant(table, columns, options)]
    hierarchy, found_here = read_hierarchy(table, columns, options)
    if options.where:
        hierarchy, said_narrowed = narrowed(hierarchy, table, columns, options)
        said += said_narrowed
        options = replace(options, assembly_values="ignore")
    planting, found_planting = plant(hierarchy, table, options)
    said += [*concerning(found_here, hierarchy, planting, table, options.root), *found_planting]
    if planting.tree is None:
        said = [*without_errors_left_out(findings, table), *said]
        no_root = [] if any(f.severity is Severity.ERROR for f in said) else [found("MP309", "no row is a root")]
        raise TableError([*said, *no_root])
    return Items(table, columns, options, totals, hierarchy, planting), said


def narrowed(hierarchy: Hierarchy, table: Table, columns: Columns, options: TableOptions) -> Reading:
    """Keep what ``--where`` asks for; what assemblies state is of all they hold, and cannot count or be compared."""
    from massprops_cli.tables.rows.narrowing import narrow

    if options.assembly_values in ("own", "stated"):
        raise UsageError(f"--where leaves rows out, and --assembly-values {options.assembly_values} counts whole ones")
    result, findings = narrow(hierarchy, table, columns, options.where)
    if options.root in hierarchy.ids and options.root not in result.ids:
        raise UsageError(f"--where {'; '.join(options.where)}: nothing below --root {options.root} matches")
    return result, findings
