"""A table for people: GitHub's Markdown, never cut."""

from __future__ import annotations

from typing import BinaryIO

from massprops_cli.files.fill import Filling
from massprops_cli.files.filled import filled_rows
from massprops_cli.files.table import Table
from massprops_cli.findings import Finding


def write_markdown(table: Table, filling: Filling, out: BinaryIO) -> list[Finding]:
    """Write the header and all rows below it."""
    rows = filled_rows(table, filling)[filling.header_row :]
    for i, row in enumerate(rows):
        out.write(f"| {' | '.join(map(escaped, row))} |\n".encode())
        if i == 0:
            out.write(f"|{'---|' * len(row)}\n".encode())
    return []


def escaped(text: str) -> str:
    """Keep a cell within its cell.

    >>> escaped("a|b\\nc")
    'a\\\\|b<br>c'
    """
    text = text.replace("\\", "\\\\").replace("|", "\\|")
    return text.replace("\r\n", "<br>").replace("\n", "<br>").replace("\r", "<br>")
