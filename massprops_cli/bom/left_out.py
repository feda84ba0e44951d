"""Which rows of a table are no items, or count for nothing, and why."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from massprops_cli.bom.content import Content
from massprops_cli.files.table import Table
from massprops_cli.tables.columns import Columns

LISTED = 8
"""How many rows are named for one reason."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Some rows that were left out for one reason: how many, and what the first of them are called."""

    why: str
    count: int
    rows: tuple[str, ...]


def left_out_rows(table: Table, columns: Columns, content: Content | None) -> tuple[LeftOut, ...]:
    """Group the rows that are no items by reason; without ``content`` only those above the first item are known."""
    above = [i for i in range(columns.header_row) if any(text.strip() for text in table.row(i))]
    groups = {"above the header": above}
    if columns.first_row > columns.header_row + 1:
        groups["a row of units"] = [columns.header_row + 1]
    if content is not None:
        groups |= below_header(table, columns, content)
    return tuple(
        LeftOut(why, len(rows), tuple(named(table, i) for i in rows[:LISTED])) for why, rows in groups.items() if rows
    )


def below_header(table: Table, columns: Columns, content: Content) -> dict[str, list[int]]:
    """Find the rows below the header that no item stands for, and those whose quantity is 0."""
    used = np.zeros(table.n_rows, bool)
    used[content.rows[content.rows >= 0]] = True
    rest = np.flatnonzero(~used[columns.first_row :]) + columns.first_row
    blank: list[int] = []
    other: list[int] = []
    for i in rest.tolist():
        (other if any(text.strip() for text in table.row(i)) else blank).append(i)
    nothing = sorted(set(content.rows[(content.quantity.count == 0) & (content.rows >= 0)].tolist()))
    other_words = f"outside the tree below {content.options.root}" if content.options.root else "no item"
    return {"blank": blank, other_words: other, "quantity 0": nothing}


def named(table: Table, row: int) -> str:
    """Give a row's address and the first text in it."""
    place = table.place(row)
    where = f"line {place.line}" if place.line is not None else f"row {place.row}"
    first = next((text.strip() for text in table.row(row) if text.strip()), "")
    return f"{where} {first[:40]}" if first else where
