"""The account of a table: what every column and every row is, why, and by which equation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from massprops_cli.bom.checks.totals import reconcile_masses, row_sums
from massprops_cli.files.table import BLANK, TEXT, PrefetchTable, Table, TableView
from massprops_cli.findings.finding import Finding
from massprops_cli.tables.account import EACH_ROW, ReadColumn, column_address, row_address, unread_column_list
from massprops_cli.tables.cells.units import quantity_dimension
from massprops_cli.tables.columns.column_units import UNIT_GROUPS
from massprops_cli.tables.columns.columns import QuantityColumn, TableColumns
from massprops_cli.tables.columns.headings import EXACT_MATCH, heading_unit, read_heading, stated_angle_unit
from massprops_cli.tables.options import ANGLE_QUANTITIES, POSE_QUANTITIES, TableOptions

if TYPE_CHECKING:
    from massprops_cli.bom.bom import Bom

_MAX_LISTED_ROWS = 8


@dataclass(frozen=True, slots=True)
class ExcludedRowGroup:
    """Some rows that were left out for one reason: how many, and what the first of them are called."""

    why: str
    count: int
    rows: tuple[str, ...]


class AccountLine(NamedTuple):
    """One column, one row that is not an item, or all items: address, name as written, role, reason, equation, rows."""

    what: str  # column, row or rows
    place: str
    name: str
    role: str  # a quantity, explained, unexplained, item, total, …
    reason: str
    equation: str  # that shows the role
    rows: int  # in which the equation holds, of a sum those that it adds; else those with something in the column

    @property
    def words(self) -> str:
        """The line as one text."""
        shown = f"{self.equation}, {self.rows:,} rows" if self.equation else ""
        role = f"{self.rows:,} items" if self.what == "rows" else f"{self.name}: {self.role}".removeprefix(": ")
        return f"{role} ({'; '.join(filter(None, (self.reason, shown)))})"


def column_reading(
    table: Table, columns: TableColumns, options: TableOptions, column: QuantityColumn, chosen_by: Mapping[str, str]
) -> ReadColumn:
    """Return one column that is read; ``chosen_by`` names the source of a quantity's column."""
    if column.quantity in options.map:
        by = chosen_by.get(column.quantity, "--map")
        sure, why = "named", f"named by {by}" if column.quantity != "robot" else "its cells name robots"
    elif column.quantity in POSE_QUANTITIES:
        sure, why = "name", "name of a pose, next to an origin or a frame"
    elif not (heading := read_heading(column.header)).quantity:
        sure, why = "place", "from its cells and the columns next to it"
    elif heading.rank == EXACT_MATCH:
        sure, why = "name", "canonical name"
    else:
        sure, why = "synonym", "a synonym" + (f" ({heading.source})" if heading.source else "")
    unit, source = column.unit, _unit_source(table, columns, options, column)
    if column.quantity in ANGLE_QUANTITIES:
        below = columns.header_row + 1
        units_cell = table.text(below, column.index) if below < columns.first_row else ""
        unit, source = stated_angle_unit(column.header, column.quantity, units_cell, options.unit)
    address = column_address(table, columns.header_row, column.index)
    read = (column.index + 1, address, column.header, column.quantity, unit, source, column.factor)
    shown = next((one for one in columns.equations if one.column == column.index), None)
    return ReadColumn(*read, sure, why, *(("", 0) if shown is None else shown[1:]))


def _unit_source(table: Table, columns: TableColumns, options: TableOptions, column: QuantityColumn) -> str:
    """Return where a column's unit is stated; nothing where it has none."""
    if not column.unit or quantity_dimension(column.quantity) is None:
        return ""
    if column.by_row is not None:
        return EACH_ROW
    if read_heading(column.header).unit or heading_unit(column.header, column.quantity):
        return "header"
    if (below := columns.header_row + 1) < columns.first_row and table.text(below, column.index).strip():
        return "units row"
    groups = [group for group, members in UNIT_GROUPS.items() if column.quantity in members]
    return "--unit" if any(name in options.unit for name in (column.quantity, *groups)) else "another column"


def excluded_rows(
    table: Table, columns: TableColumns, bom: Bom | None, findings: Sequence[Finding]
) -> dict[str, list[int]]:
    """Find the rows that are not items by reason; without ``bom`` only those around the items are known."""
    sheet: Table = table.base if isinstance(table, TableView) else table
    around = np.flatnonzero(table.left_out).tolist() if isinstance(table, TableView) else []
    joined = {str(finding.place) for finding in findings if finding.rule == "MP241"}  # read with the header
    named = {} if bom is None else {total.row: total.noun for total in bom.totals}
    groups = {"above the header": [i for i in range(columns.header_row) if str(table.place(i)) not in joined]}
    if columns.first_row > columns.header_row + 1:
        groups["a row of units"] = [columns.header_row + 1]
    groups |= {noun: [i for i in sorted(named) if named[i] == noun] for noun in named.values()}
    groups["around the table"] = [i for i in around if i >= columns.first_row and i not in named]
    groups = {why: [i for i in rows if _first_text(sheet, i)] for why, rows in groups.items()}
    if bom is not None:
        # find the rows below the header without an item, and those whose quantity is 0
        used = np.zeros(table.n_rows, bool)
        used[bom.rows[bom.rows >= 0]] = True
        used[list({*groups["around the table"], *named})] = True
        rest = (np.flatnonzero(~used[columns.first_row :]) + columns.first_row).tolist()
        filled = [i for i in rest if _first_text(sheet, i)]
        is_own = (bom.rows >= 0) & (bom.rows < sheet.n_rows)  # not a link of a robot that a row names
        nothing = sorted(set(bom.rows[(bom.quantity.count == 0) & is_own].tolist()))
        words = "not selected" if bom.options.root or bom.options.where else "no item"
        groups |= {"blank": sorted(set(rest) - set(filled)), words: filled, "quantity 0": nothing}
    return {why: rows for why, rows in groups.items() if rows}


def excluded_row_groups(sheet: Table, groups: Mapping[str, Sequence[int]]) -> tuple[ExcludedRowGroup, ...]:
    """Name the first rows that were left out for each reason."""
    base: Table = sheet.base if isinstance(sheet, TableView) else sheet
    return tuple(
        ExcludedRowGroup(
            why,
            len(rows),
            tuple(f"{row_address(base, i)} {_first_text(base, i)[:40]}".rstrip() for i in rows[:_MAX_LISTED_ROWS]),
        )
        for why, rows in groups.items()
    )


def _first_text(table: Table, row: int) -> str:
    """Return the first text in a row; empty for a blank row."""
    return next((text.strip() for text in table.row(row) if text.strip()), "")


def account_lines(bom: Bom) -> list[AccountLine]:
    """List the columns of a table from left to right, the rows that are not items in order, and the items."""
    table: Table = bom.table.base if isinstance(bom.table, TableView) else bom.table
    masses = row_sums(bom)[:, 0] if bom.totals else np.zeros(0)
    sums = {one.row: (one, int(np.count_nonzero(masses[one.span.rows]))) for one in reconcile_masses(bom) if one.span}
    named = {total.row: total for total in bom.totals}
    lines = {}
    for reason, rows in excluded_rows(bom.table, bom.columns, bom, bom.findings).items():
        for row in rows if reason != "blank" else ():
            place, total, equation, added = row_address(table, row), named.get(row), "", 0
            if row in sums:
                one, added = sums[row]
                equation = f"{'=' if one.agrees else '≠'} the mass of {one.of}"
            if total is None:
                lines[row] = AccountLine("row", place, _first_text(table, row), "excluded", reason, "", 0)
            else:
                why = "its label and its number" if total.label in table.row(row) else "its number"
                lines[row] = AccountLine("row", place, total.label, total.noun, why, equation, added)
    return [
        *_column_lines(bom),
        *(lines[row] for row in sorted(lines)),
        AccountLine("rows", "", "", "item", bom.how or bom.layout, "", int((bom.rows >= 0).sum())),
    ]


def _filled_cells(table: Table, start: int) -> list[int]:
    """Count the cells with something in them from row ``start`` on, by column."""
    counts = dict(getattr(table, "filled", {}).get(start, ()))  # counted while numbers were read
    left = [j for j in range(table.n_columns) if j not in counts]
    if isinstance(table, PrefetchTable) and len(left) > 1:
        table.read_ahead(left, [])
    for j in left:
        if table.is_typed(j, start).any():
            states = table.numbers([j], start)[0].states
            counts[j] = int(((states != BLANK) & (states != TEXT)).sum())
            texts: Sequence[str] = [table.text(i, j) for i in (np.flatnonzero(states == TEXT) + start).tolist()]
        else:
            counts[j], texts = 0, table.texts(j, start)
        counts[j] += sum(map(bool, map(str.strip, texts)))
    return [counts[j] for j in range(table.n_columns)]


def _column_lines(bom: Bom) -> list[AccountLine]:
    """List the columns with a header, and those without one that are read."""
    table, columns, lines = bom.table, bom.columns, dict[int, AccountLine]()
    filled = _filled_cells(table, columns.first_row)
    for column in columns.by_quantity.values():
        one = column_reading(table, columns, bom.options, column, {})
        held = one.rows or filled[column.index]
        lines[one.number] = AccountLine("column", one.address, one.header, one.quantity, one.why, one.equation, held)
    for other in unread_column_list(table, columns, bom.layout, bom.how):
        role = "explained" if other.is_explained else "unexplained"
        cells = filled[other.number - 1]
        lines[other.number] = AccountLine("column", other.address, other.header, role, other.why, "", cells)
    return [lines[number] for number in sorted(lines)]
