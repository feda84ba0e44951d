"""Rows that options name: by a text in them, or by their place, such as ``row:12``."""

from __future__ import annotations

from collections.abc import Sequence

from massprops_cli.files import Table, file_table
from massprops_cli.findings import Finding, Findings, nearest_name_hint
from massprops_cli.tables.cells import doubtful_label_kind, label_kind, read_number
from massprops_cli.tables.columns import TableColumns
from massprops_cli.tables.options import TableOptions
from massprops_cli.tables.rows.total_rows import TotalRow


def row_reference(table: Table, row: int) -> str:
    """Name a row by place, such as ``row:12``.

    Parameters
    ----------
    table : Table
        Table as the file has it.
    row : int
        Table row, from 0.

    Returns
    -------
    str
        Reference with the row's number in the file.
    """
    place = table.place(row)
    return f"row:{place.line or place.row or row + 1}"


def rows_named_by_options(table: Table, columns: TableColumns, names: Sequence[str]) -> list[TotalRow]:
    """Find the rows that ``--count-row`` or ``--skip-row`` name.

    Parameters
    ----------
    table : Table
        Table as the file has it.
    columns : TableColumns
        Columns of the table.
    names : sequence of str
        Texts in the rows, or references such as ``row:12``.

    Returns
    -------
    list of TotalRow
        Rows in the order of the table.
    """
    rows = []
    for i in range(columns.first_row, table.n_rows) if names else ():
        texts = [text.strip() for text in table.row(i)]
        label = next((name for name in names if name in texts or name == row_reference(table, i)), None)
        if label is not None:
            label = next((text for text in texts if text and read_number(text) is None), texts[0])
            kind = label_kind(label, alone=True) or doubtful_label_kind(label, alone=True) or "figure"
            rows.append(TotalRow(i, kind, label, None))
    return rows


def unmatched_row_findings(table: Table, columns: TableColumns, options: TableOptions) -> list[Finding]:
    """Report labels of ``--count-row`` and ``--skip-row`` that no row has.

    Parameters
    ----------
    table : Table
        Table; a row that is excluded for another reason exists too.
    columns : TableColumns
        Columns of the table.
    options : TableOptions
        Options for the interpretation of the table.

    Returns
    -------
    list of Finding
        Findings of rule MP204.
    """
    findings = Findings()
    whole = file_table(table)
    for option, names in (("--count-row", options.count_rows), ("--skip-row", options.skip_rows)):
        for name in names:
            if rows_named_by_options(whole, columns, [name]):
                continue
            labels = [text.strip() for i in range(columns.first_row, whole.n_rows) for text in whole.row(i)]
            near = nearest_name_hint(name, [text for text in labels if text and read_number(text) is None])
            remedy = "use the text of a cell of the row, or its place, such as row:12"
            findings.report(
                "MP204",
                f"{option} {name}: no such row{near}",
                table.place(columns.first_row),
                value=name,
                remedy=remedy,
            )
    return list(findings)
