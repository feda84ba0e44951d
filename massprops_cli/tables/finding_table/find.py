"""A sheet → the table in it: what stands around the table is left out, and said."""

from __future__ import annotations

from massprops_cli.files.table import Table
from massprops_cli.files.view import View
from massprops_cli.findings import Finding
from massprops_cli.tables.finding_table.blocks import blocks_of
from massprops_cli.tables.finding_table.choosing import choose_block, only_block
from massprops_cli.tables.finding_table.grouped import joined_header, said_joined
from massprops_cli.tables.finding_table.named import Named, name_columns, named_in
from massprops_cli.tables.finding_table.notes import rows_of_remarks, said_remarks
from massprops_cli.tables.options import TableOptions


def find_table(table: Table, options: TableOptions) -> tuple[Table, list[Finding]]:
    """Find the table in a sheet: the table itself where nothing stands around it, else a view that leaves it out.

    Rows, columns and addresses are those of the file in both. Raises TableError when the sheet is empty or
    has several tables and none is chosen, UsageError when ``options.table`` is none of them.

    >>> from massprops_cli.files.grid import GridTable
    >>> from massprops_cli.files.table import Source
    >>> rows = [["id", "mass"], ["a", "1"], [], ["Note: estimates only"]]
    >>> table, findings = find_table(GridTable(Source("a.csv", "csv"), rows), TableOptions())
    >>> table.row(3), [finding.rule for finding in findings]
    (['', ''], ['MP240'])
    """
    findings: list[Finding] = []
    named = name_columns(table, options.map)
    block = choose_block(table, blocks_of(table, named, options.map), options.table)
    table, said = only_block(table, block)
    findings += said
    if said:
        named = Named(block.header, named_in(table.row(block.header), options.map))
    joined = joined_header(table, named.row, options.map)
    if joined is not None:
        findings.append(said_joined(table, joined))
        cells = {(joined.row, j): text for j, text in enumerate(joined.texts) if text != table.text(joined.row, j)}
        table = View(table, [joined.groups], cells=cells)
        named = Named(joined.row, named_in(joined.texts, options.map))
    remarks = rows_of_remarks(table, named)
    if remarks:
        findings.append(said_remarks(table, remarks))
        table = View(table, remarks)
    return table, findings
