"""Which rows of a table are no items: headers that stand again, remarks, totals, margins and limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from massprops_cli.files.table import Table
from massprops_cli.files.view import View
from massprops_cli.findings import Finding, Severity, found
from massprops_cli.tables.columns.columns import Columns
from massprops_cli.tables.rows.doubtful import closing_sum, is_counted_margin, nameless_sum, settled_rows
from massprops_cli.tables.rows.remarks import find_remarks, said_remarks
from massprops_cli.tables.rows.repeated import leave_out_repeated
from massprops_cli.tables.rows.stated_below import stated_below
from massprops_cli.tables.rows.total_words import doubtful_kind_of, kind_of
from massprops_cli.tables.rows.totals import TotalRow, candidates, find_totals

MILDER = {"MP108": Severity.NOTE, "MP116": Severity.NOTE, "MP117": Severity.WARNING}
"""What is wrong with a row's cells, and how bad it is where nothing is read from them."""


def leave_out_rows(
    table: Table, columns: Columns, *, every_row: bool = False
) -> tuple[Table, list[TotalRow], list[Finding]]:
    """Leave out the rows that are no items, and say so; the table itself where there are none.

    With ``every_row`` (``--layout flat``) a row is no total by its number alone.
    """
    table, findings = leave_out_repeated(table, columns)
    remarks = find_remarks(table, columns)
    if remarks:
        findings.append(said_remarks(table, remarks))
        table = View(table, remarks)
    among = list(candidates(table, columns))
    rows = find_totals(table, columns, kind_of, among)
    counted = [row for row in rows if is_counted_margin(table, columns, row)]
    rows = [row for row in rows if row not in counted]
    doubtful = [*find_totals(table, columns, doubtful_kind_of, among), *counted]
    if doubtful:
        known = {total.row for total in rows}
        rows += settled_rows(table, columns, rows, [row for row in doubtful if row.row not in known])
        rows.sort(key=lambda total: total.row)
    rows += stated_below(table, columns) if not rows else []
    rows += [] if every_row else (closing_sum(table, columns, rows) or nameless_sum(table, columns, rows))
    if not rows:
        return table, [], findings
    return View(table, [total.row for total in rows]), rows, [*findings, said(table, rows)]


def without_errors_left_out(findings: Sequence[Finding], table: Table) -> list[Finding]:
    """Make notes and warnings of what is wrong with rows that were left out: nothing is read from their cells."""
    if not isinstance(table, View) or not any(finding.rule in MILDER for finding in findings):
        return list(findings)
    out = {(place.row, place.line) for i in np.flatnonzero(table.left_out).tolist() for place in [table.place(i)]}
    return [
        replace(finding, severity=MILDER[finding.rule])
        if finding.rule in MILDER and is_within(finding, out)
        else finding
        for finding in findings
    ]


def is_within(finding: Finding, rows: set[tuple[int | None, int | None]]) -> bool:
    """Tell whether all that a finding speaks of is in some rows, given by row and line."""
    places = (finding.place, *finding.related)
    return len(places) == finding.count and all((place.row, place.line) in rows for place in places)


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
