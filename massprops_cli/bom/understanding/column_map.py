"""Which column was read as which quantity, how sure that is and why; and why the others were not read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from massprops_cli.files.table import Table
from massprops_cli.tables.columns.columns import Column, Columns
from massprops_cli.tables.columns.headings import EXACT, read_heading, squeeze, stated_unit
from massprops_cli.tables.columns.looks import looks_like_quantity
from massprops_cli.tables.columns.sources import source_of, sources
from massprops_cli.tables.columns.stated_units import GROUPS
from massprops_cli.tables.options import TableOptions
from massprops_cli.tables.units.quantities import OWN_OUTPUT, dimension_of

EACH_ROW = "each row"
"""Where the unit of a column is stated whose rows have units of their own; ``unit`` is then the first."""


@dataclass(frozen=True, slots=True)
class ReadColumn:
    """A column that is read: its number from 1, address, header, quantity and unit.

    ``sure`` is ``name`` for a canonical name, ``synonym`` for a known other one, ``named`` where the user said so, and
    ``place`` where the columns beside it and its cells tell what it is;
    ``why`` tells the source in words. ``unit_from`` says where the unit is stated, empty where it is not; a cell ×
    ``factor`` is the value in the coherent units.
    """

    number: int
    address: str
    header: str
    quantity: str
    unit: str
    unit_from: str
    factor: float
    sure: str
    why: str


@dataclass(frozen=True, slots=True)
class UnreadColumn:
    """A column that is not read, and why."""

    address: str
    header: str
    why: str


def column_address(table: Table, row: int, column: int) -> str:
    """Give a column's letters in a sheet, or its number from 1 in a text.

    >>> from massprops_cli.files.grid import GridTable
    >>> from massprops_cli.files.table import Source
    >>> column_address(GridTable(Source("a", "json"), [["id"]]), 0, 0)
    '1'
    """
    cell = table.place(row, column).cell
    return cell.rstrip("0123456789") if cell else str(column + 1)


def read_columns_of(
    table: Table, columns: Columns, options: TableOptions, settled: Mapping[str, str]
) -> tuple[ReadColumn, ...]:
    """Tell every column that is read, in the table's order; ``settled`` names who chose a quantity's column."""
    ordered = sorted(columns.by_quantity.values(), key=lambda column: column.index)
    return tuple(one_column(table, columns, options, column, settled) for column in ordered)


def one_column(
    table: Table, columns: Columns, options: TableOptions, column: Column, settled: Mapping[str, str]
) -> ReadColumn:
    """Tell one column that is read."""
    if column.quantity in options.map:
        sure, why = "named", f"named by {settled.get(column.quantity, '--map')}"
    elif not read_heading(column.header).quantity:
        sure, why = "place", "by what stands beside it, and its cells"
    elif read_heading(column.header).rank == EXACT:
        sure, why = "name", "its own name"
    else:
        source = source_of(column.header, column.quantity)
        sure, why = "synonym", "a synonym" + (f" ({source})" if source else "")
    return ReadColumn(
        column.index + 1,
        column_address(table, columns.header_row, column.index),
        column.header,
        column.quantity,
        column.unit,
        unit_place(table, columns, options, column),
        column.factor,
        sure,
        why,
    )


def unit_place(table: Table, columns: Columns, options: TableOptions, column: Column) -> str:
    """Say where a column's unit is stated; nothing where it has none."""
    if not column.unit or dimension_of(column.quantity) is None:
        return ""
    if column.by_row is not None:
        return EACH_ROW
    if read_heading(column.header).unit or stated_unit(column.header, column.quantity):
        return "header"
    below = columns.header_row + 1
    if below < columns.first_row and table.text(below, column.index).strip():
        return "units row"
    groups = [group for group, members in GROUPS.items() if column.quantity in members]
    return "--unit" if any(name in options.unit for name in (column.quantity, *groups)) else "another column"


def unread_columns_of(table: Table, columns: Columns) -> tuple[UnreadColumn, ...]:
    """Tell every column with a header that is not read."""
    read = {column.index for column in columns.by_quantity.values()}
    chosen = {column.quantity: column.header for column in columns.by_quantity.values()}
    return tuple(
        UnreadColumn(column_address(table, columns.header_row, j), text.strip(), why_unread(text, chosen))
        for j, text in enumerate(columns.header)
        if j not in read and text.strip()
    )


def why_unread(text: str, chosen: Mapping[str, str]) -> str:
    """Say why a column is not read; ``chosen`` is quantity → header of what is.

    >>> why_unread("Supplier", {}), why_unread("Mass margin", {}), why_unread("Weight", {"mass": "mass"})
    ('no known name', 'known, and no input: a total or a share', 'mass is read for mass')
    """
    quantity = read_heading(text).quantity
    if quantity:
        return f"{chosen[quantity]} is read for {quantity}" if quantity in chosen else f"would be {quantity}"
    if text.strip().startswith(OWN_OUTPUT):
        return "a result of an earlier roll-up"
    if any(squeezed == squeeze(text) for squeezed, _ in sources().get("", ())):
        return "known, and no input: a total or a share"
    return "has the look of a quantity, and no known name" if looks_like_quantity(text) else "no known name"
