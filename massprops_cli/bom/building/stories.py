"""One story a cell: what reading a workbook and what understanding its table say of the same cell, said once."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from massprops_cli.files.table import SheetInfo
from massprops_cli.findings import Finding, Severity
from massprops_cli.tables.columns.columns import Column, Columns
from massprops_cli.tables.units.quantities import NUMBER_QUANTITIES, SIGMA_QUANTITIES

SPOILT = ("MP116", "MP117")
"""Cells that a spreadsheet program could not, or did not, calculate."""

FOLLOWS = ("MP205", "MP206", "MP502")
"""What is said of such a cell because it holds no number."""


COMPUTED = (*NUMBER_QUANTITIES, *SIGMA_QUANTITIES)
"""Quantities of which an assembly's own are what the roll-up gives."""


def one_story_a_cell(
    read: Sequence[Finding],
    understood: Sequence[Finding],
    columns: Columns,
    info: SheetInfo | None,
    filled: Collection[int] = (),
) -> list[Finding]:
    """Bring together the findings of reading a file and those of understanding its table.

    An error cell is told with its item's name where it has one; a blank that is a formula without a value is told as
    that. In a column that nobody reads either is a warning, for no number comes of it. A formula without a value is a
    note where the roll-up computes the value that belongs there: in the number columns of the table rows ``filled``.
    """
    spoilt = {finding.place.cell for finding in read if finding.rule in SPOILT}
    if info is None or not spoilt:
        return [*read, *understood]
    from massprops_cli.files.workbook.reading.content import cell_position

    named = {finding.place.cell for finding in understood if finding.rule in SPOILT}
    used = {column.index + info.first_column: column for column in columns.by_quantity.values()}
    sheet_rows = {row + info.first_row for row in filled}
    told = []
    for finding in read:
        if finding.rule in SPOILT:
            if finding.place.cell in named:
                continue
            spot = cell_position(finding.place.cell)
            if spot is not None and spot[1] not in used:
                told.append(replace(finding, severity=Severity.WARNING))
                continue
            if finding.rule == "MP116" and spot is not None and spot[0] in sheet_rows:
                told.append(_said_of_an_assembly(finding, used[spot[1]]))
                continue
        told.append(finding)
    told += [f for f in understood if f.rule not in FOLLOWS or f.count > 1 or f.place.cell not in spoilt]
    return told


def _said_of_an_assembly(finding: Finding, column: Column) -> Finding:
    """Make a note of a formula without a value on an assembly's row, where its column is one that is computed."""
    if column.quantity not in COMPUTED:
        return finding
    message = f"{finding.message}; {column.header or column.quantity} of an assembly is computed from its children"
    return replace(
        finding,
        severity=Severity.NOTE,
        message=message,
        remedy="recalculate and save the workbook to have the formula's value compared",
    )
