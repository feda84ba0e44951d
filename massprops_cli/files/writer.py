"""Writing a table to a flat file of any format but workbooks.

A table for people: GitHub's Markdown, never cut.
"""

from __future__ import annotations

from collections.abc import Set
from typing import BinaryIO

from massprops_cli.files.table import Table, TableEdit, edited_row_texts
from massprops_cli.findings import Finding, UsageError


def write_table(
    table: Table,
    filling: TableEdit,
    out: BinaryIO,
    format: str,
    *,
    compressed: bool | None = None,
    numeric_columns: Set[int] | None = None,
    text_columns: Set[int] = frozenset(),
) -> list[Finding]:
    """Write a table with what is filled in; what the filling does not name keeps its characters.

    ``compressed`` packs a text format with gzip (None: if the file's name ends in .gz). In formats with types a
    column is written as numbers where every cell is one that reads back as the same text, ``text_columns`` never,
    ``numeric_columns`` (None: all others) only.
    """
    if compressed is None:
        compressed = ".gz" in str(getattr(out, "name", ""))[-24:] and format not in ("parquet", "feather")
    if compressed:
        import gzip

        with gzip.GzipFile("", "wb", 6, out, 0) as packed:
            return _write_uncompressed(table, filling, packed, format, numeric_columns, text_columns)  # type: ignore[arg-type] # gzip
    return _write_uncompressed(table, filling, out, format, numeric_columns, text_columns)


def _write_uncompressed(
    table: Table, filling: TableEdit, out: BinaryIO, format: str, numeric: Set[int] | None, texts: Set[int]
) -> list[Finding]:
    """Write without packing."""
    if format in ("csv", "tsv"):
        from massprops_cli.files.delimited_writer import write_delimited

        return write_delimited(table, filling, out, format)
    if format == "md":
        return _write_markdown(table, filling, out)
    if format in ("json", "jsonl"):
        from massprops_cli.files.json_records import write_records

        return write_records(table, filling, out, format, numeric, texts)
    if format in ("parquet", "feather"):
        from massprops_cli.files.arrow import write_arrow

        return write_arrow(table, filling, out, format, numeric, texts)
    raise UsageError(f"format cannot be written as a flat file: {format}")


def _write_markdown(table: Table, filling: TableEdit, out: BinaryIO) -> list[Finding]:
    """Write the header and all rows below it."""
    rows = edited_row_texts(table, filling)[filling.header_row :]
    for i, row in enumerate(rows):
        out.write(f"| {' | '.join(map(_markdown_cell_text, row))} |\n".encode())
        if i == 0:
            out.write(f"|{'---|' * len(row)}\n".encode())
    return []


def _markdown_cell_text(text: str) -> str:
    """Keep a cell within its cell.

    >>> _markdown_cell_text("a|b\\nc")
    'a\\\\|b<br>c'
    """
    text = text.replace("\\", "\\\\").replace("|", "\\|")
    return text.replace("\r\n", "<br>").replace("\n", "<br>").replace("\r", "<br>")
