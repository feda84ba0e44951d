"""Which of the tables on a sheet is meant: the only one, or the one that ``--table`` names."""

from __future__ import annotations

from massprops_cli.files.table import Table
from massprops_cli.files.view import View
from massprops_cli.findings import Finding, TableError, UsageError, found
from massprops_cli.tables.finding_table.blocks import Block

SHOWN = 6
"""How many names of a header are shown."""


def choose_block(table: Table, blocks: list[Block], number: int) -> Block:
    """Choose the table of this number, from 1; 0 is the only one.

    Raises UsageError where there is no such table, TableError where there are several and none is named.
    """
    if not isinstance(number, int) or not 0 <= number <= len(blocks):
        tables = "1 table" if len(blocks) == 1 else f"{len(blocks)} tables"
        raise UsageError(f"--table is {number}, and {table.source.name} has {tables}")
    if number:
        return blocks[number - 1]
    if len(blocks) > 1:
        raise TableError([_said_several(table, blocks)])
    return blocks[0]


def only_block(table: Table, block: Block) -> tuple[Table, list[Finding]]:
    """Show one table of a sheet, and say what stands around it."""
    rows = [*range(block.first), *range(block.end, table.n_rows)]
    filled = [i for i in rows if any(text.strip() for text in table.row(i))]
    findings = []
    if filled:
        message = "rows of another table on the sheet were left out"
        findings.append(found("MP243", message, table.place(filled[0]), count=len(filled)))
    beside = [j for j in sorted(block.beside) if table.text(block.header, j).strip()] or sorted(block.beside)
    if beside:
        names = ", ".join(table.text(block.header, j).strip() or f"column {j + 1}" for j in beside[:SHOWN])
        place = table.place(block.header, beside[0], table.text(block.header, beside[0]).strip())
        findings.append(found("MP243", f"{names}: beside the table, and left out", place, count=len(beside)))
    return (View(table, rows, block.beside), findings) if findings else (table, [])


def _said_several(table: Table, blocks: list[Block]) -> Finding:
    """List the tables of a sheet, each with the option that takes it."""
    places = [table.place(block.header) for block in blocks]
    listed = [
        f"--table {k} for {_names(table, block)} in row {place.line or place.row}"
        for k, (block, place) in enumerate(zip(blocks, places, strict=True), 1)
    ]
    message = f"{len(blocks)} tables stand on the sheet, and each could be meant"
    remedy = "pass " + ", or ".join(listed)
    if len({tuple(map(str.strip, table.row(block.header))) for block in blocks}) == 1 and not blocks[0].beside:
        remedy += "; or, where they are the pages of one table, delete the blank row above its second header"
    return found("MP242", message, places[0], remedy=remedy, count=len(blocks), related=tuple(places[1:]))


def _names(table: Table, block: Block) -> str:
    texts = enumerate(map(str.strip, table.row(block.header)))
    names = [text for j, text in texts if text and j not in block.beside]
    return ", ".join(names[:SHOWN]) + ("" if len(names) <= SHOWN else " …")
