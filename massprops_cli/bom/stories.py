"""One story a cell: what reading a workbook and what understanding its table say of the same cell, said once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from massprops_cli.files.table import SheetInfo
from massprops_cli.findings import Finding, Severity
from massprops_cli.tables.columns import Columns

SPOILT = ("MP116", "MP117")
"""Cells that a spreadsheet program could not, or did not, calculate."""

FOLLOWS = ("MP205", "MP206", "MP502")
"""What is said of such a cell because it holds no number."""


def one_story_a_cell(
    read: Sequence[Finding], understood: Sequence[Finding], columns: Columns, info: SheetInfo | None
) -> list[Finding]:
    """Bring together the findings of reading a file and those of understanding its table.

    An error cell is told with its item's name where it has one; a blank that is a formula without a value is told as
    that. In a column that nobody reads either is a warning, for no number comes of it.
    """
    spoilt = {finding.place.cell for finding in read if finding.rule in SPOILT}
    if info is None or not spoilt:
        return [*read, *understood]
    from massprops_cli.files.workbook.reading.content import cell_position

    named = {finding.place.cell for finding in understood if finding.rule in SPOILT}
    used = {column.index + info.first_column for column in columns.by_quantity.values()}
    told = []
    for finding in read:
        if finding.rule in SPOILT:
            if finding.place.cell in named:
                continue
            spot = cell_position(finding.place.cell)
            if spot is not None and spot[1] not in used:
                told.append(replace(finding, severity=Severity.WARNING))
                continue
        told.append(finding)
    told += [f for f in understood if f.rule not in FOLLOWS or f.count > 1 or f.place.cell not in spoilt]
    return told
