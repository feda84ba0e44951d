"""Which rows of a table are no items, or count for nothing, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from massprops_cli.bom.items.content import Content
from massprops_cli.files.table import Table
from massprops_cli.files.view import View
from massprops_cli.findings import Finding
from massprops_cli.tables.columns.columns import Columns

LISTED = 8
"""How many rows are named for one reason."""

GROUPS = "MP241"
"""The rule that says which row above the header was read with it."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Some rows that were left out for one reason: how many, and what the first of them are called."""

    why: str
    count: int
    rows: tuple[str, ...]


def left_out_rows(
    table: Table, columns: Columns, content: Content | None, findings: Sequence[Finding]
) -> tuple[LeftOut, ...]:
    """Group the rows that are no items by reason; without ``content`` only those around the items are known."""
    sheet: Table = table.base if isinstance(table, View) else table
    around = np.flatnonzero(table.left_out).tolist() if isinstance(table, View) else []
    joined = {str(finding.place) for finding in findings if finding.rule == GROUPS}
    groups = {"above the header": [i for i in range(columns.header_row) if str(table.place(i)) not in joined]}
    if columns.first_row > columns.header_row + 1:
        groups["a row of units"] = [columns.header_row + 1]
    groups["around the table"] = [i for i in around if i >= columns.first_row]
    groups = {why: [i for i in rows if is_filled(sheet, i)] for why, rows in groups.items()}
    if content is not None:
        groups |= below_header(sheet, columns, content, set(groups["around the table"]))
    return tuple(
        LeftOut(why, len(rows), tuple(named(sheet, i) for i in rows[:LISTED])) for why, rows in groups.items() if rows
    )


def is_filled(table: Table, row: int) -> bool:
    """Tell whether a row has something in it."""
    return any(text.strip() for text in table.row(row))


def below_header(table: Table, columns: Columns, content: Content, around: set[int]) -> dict[str, list[int]]:
    """Find the rows below the header that no item stands for, and those whose quantity is 0."""
    used = np.zeros(table.n_rows, bool)
    used[content.rows[content.rows >= 0]] = True
    used[list(around)] = True
    rest = (np.flatnonzero(~used[columns.first_row :]) + columns.first_row).tolist()
    filled = [i for i in rest if is_filled(table, i)]
    nothing = sorted(set(content.rows[(content.quantity.count == 0) & (content.rows >= 0)].tolist()))
    words = "not asked for" if content.options.root or content.options.where else "no item"
    return {"blank": sorted(set(rest) - set(filled)), words: filled, "quantity 0": nothing}


def named(table: Table, row: int) -> str:
    """Give a row's address and the first text in it."""
    place = table.place(row)
    where = f"line {place.line}" if place.line is not None else f"row {place.row}"
    first = next((text.strip() for text in table.row(row) if text.strip()), "")
    return f"{where} {first[:40]}" if first else where
