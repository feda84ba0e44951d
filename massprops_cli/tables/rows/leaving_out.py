"""Which rows of a table are no items: headers that stand again, totals, margins and limits."""

from __future__ import annotations

from massprops_cli.files.table import Table
from massprops_cli.files.view import View
from massprops_cli.findings import Finding, found
from massprops_cli.tables.columns.columns import Columns
from massprops_cli.tables.rows.doubtful import settled_rows
from massprops_cli.tables.rows.repeated import leave_out_repeated
from massprops_cli.tables.rows.total_words import doubtful_kind_of
from massprops_cli.tables.rows.totals import TotalRow, find_totals


def leave_out_rows(table: Table, columns: Columns) -> tuple[Table, list[TotalRow], list[Finding]]:
    """Leave out the rows that are no items, and say so; the table itself where there are none."""
    table, findings = leave_out_repeated(table, columns)
    rows = find_totals(table, columns)
    doubtful = find_totals(table, columns, doubtful_kind_of)
    if doubtful:
        known = {total.row for total in rows}
        rows += settled_rows(table, columns, rows, [row for row in doubtful if row.row not in known])
        rows.sort(key=lambda total: total.row)
    if not rows:
        return table, [], findings
    return View(table, [total.row for total in rows]), rows, [*findings, said(table, rows)]


def said(table: Table, rows: list[TotalRow]) -> Finding:
    """Say which rows were left out as totals and the like."""
    kinds = list(dict.fromkeys(total.kind for total in rows))
    first = rows[0]
    others = "" if len(rows) == 1 else f", and so are {len(rows) - 1:,} more" if len(rows) > 2 else ", and so is 1 more"
    places = [table.place(total.row) for total in rows[:20]]
    message = f"{first.label} is a {first.kind} and no item{others}"
    if len(kinds) > 1:
        message += f" ({', '.join(kinds)})"
    return found("MP250", message, places[0], value=first.label, count=len(rows), related=tuple(places[1:]))
