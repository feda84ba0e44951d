"""Whole commands that name columns where none is known as the mass, or as the name of the items."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from massprops_cli.files.table import Table
from massprops_cli.tables.columns import Columns
from massprops_cli.tables.headings import NAMING
from massprops_cli.tables.implied_columns import likely_masses, likely_names
from massprops_cli.tables.options import TableOptions

MOST = 3
"""So many commands are offered."""


def map_commands(table: Table, columns: Columns, options: TableOptions) -> str:
    """Give the commands that read the likeliest columns as the masses, each with its reason; nothing where none may be.

    Where no column names the items, each command names one for them too. The options given so far are kept.
    """
    read = {column.index for column in columns.by_quantity.values()}
    masses = likely_masses(table, columns.header_row, read)
    masses = [(j, why) for j, why in masses if _is_unique(columns, j)]
    if "mass" in columns.by_quantity:
        masses = [(columns.by_quantity["mass"].index, "")]
    names: list[int] = []
    if not NAMING & set(columns.by_quantity):
        names = [j for j in likely_names(table, columns.header_row, read) if _is_unique(columns, j)]
        if not names:
            return ""
    offered = []
    for j, why in masses[:MOST]:
        maps = [f"name={columns.header[names[0]].strip()}"] if names else []
        maps += [f"mass={columns.header[j].strip()}"] if why else []
        reason = f" ({columns.header[j].strip()}: {why})" if why else ""
        offered.append(command(table, options, *(word for text in maps for word in ("--map", text))) + reason)
    return ", or ".join(offered)


def _is_unique(columns: Columns, j: int) -> bool:
    return [text.strip() for text in columns.header].count(columns.header[j].strip()) == 1


def command(table: Table, options: TableOptions, *words: str) -> str:
    """Write the command line that was typed with ``words`` behind it; without one, a roll-up of the table.

    >>> from massprops_cli.files.table import GridTable, Source
    >>> command(GridTable(Source("my list.csv", "csv"), []), TableOptions(), "--map", "mass=Weight")
    "massprops rollup 'my list.csv' --map mass=Weight"
    """
    if options.typed:
        return shlex.join(["massprops", *options.typed, *words])
    given = [word for pair in _given(table, options) for word in pair]
    return shlex.join(["massprops", "rollup", table.source.name, *given, *words])


def _given(table: Table, options: TableOptions) -> Iterator[tuple[str, ...]]:
    """Give the options that change what a table means, with their values."""
    if table.source.name == "-":
        yield ("--from", table.source.format)
    if table.source.sheet:
        yield ("--sheet", table.source.sheet)
    if options.table:
        yield ("--table", str(options.table))
    for quantity, header in options.map.items():
        yield ("--map", f"{quantity}={header}")
    for quantity, unit in options.unit.items():
        yield ("--unit", f"{quantity}={unit}")
    for name, value in (
        ("--layout", options.layout),
        ("--root", options.root),
        ("--make-root", options.make_root),
        ("--decimal", options.decimal),
        ("--mass-is", options.mass_is),
        ("--qty-is", options.qty_is),
        ("--units", options.units),
    ):
        if value:
            yield (name, value)
    if options.allow_negative_mass:
        yield ("--allow-negative-mass",)
    for condition in options.where:
        yield ("--where", condition)
