"""Delimited text: csv and tsv, read with every character kept."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from massprops_cli.files.grid import GridTable
from massprops_cli.files.options import FileOptions
from massprops_cli.files.table import Source
from massprops_cli.findings import Finding, Place, TableError, found

DELIMITERS = (",", ";", "\t", "|")


class DelimitedTable(GridTable):
    """A table of texts, with the line of the file on which each row begins."""

    def __init__(self, source: Source, rows: Sequence[Sequence[str]], lines: Sequence[int]) -> None:
        super().__init__(source, rows)
        self.lines = lines

    def place(self, i: int, j: int | None = None, column: str = "") -> Place:
        """Give the line of a row, and a field's number in it."""
        return Place(
            self.source.name, row=i + 1, column=column, line=self.lines[i], position=None if j is None else j + 1
        )


def read_delimited(name: str, data: bytes, format: str, options: FileOptions) -> tuple[DelimitedTable, list[Finding]]:
    """Read delimited text held in memory."""
    text = data.decode(options.encoding or "utf-8-sig")
    delimiter = options.delimiter or ("\t" if format == "tsv" else delimiter_of(text))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows: list[list[str]] = []
    lines: list[int] = []
    findings: list[Finding] = []
    begin = 1
    try:
        for row in reader:
            if row:
                rows.append(row)
                lines.append(begin)
            begin = reader.line_num + 1
    except csv.Error as error:
        raise TableError([found("MP109", f"{error}", Place(name, line=begin))]) from error
    width = len(rows[0]) if rows else 0
    for row, line in zip(rows, lines, strict=True):
        if len(row) != width:
            findings.append(found("MP108", f"the row has {len(row)} fields, the header {width}", Place(name, line=line)))
    return DelimitedTable(Source(name, format, delimiter=delimiter), rows, lines), findings


def delimiter_of(text: str) -> str:
    """Find the delimiter of the first line."""
    head = text[: text.find("\n")] if "\n" in text else text
    return max(DELIMITERS, key=head.count)
