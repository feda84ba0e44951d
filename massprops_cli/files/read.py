"""One door to every format: a name in, a table and findings out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import BinaryIO

from massprops_cli.files.formats import WORKBOOKS, format_of
from massprops_cli.files.options import FileOptions
from massprops_cli.files.table import Table
from massprops_cli.findings import Finding, Place, TableError, found

LooksLikeTable = Callable[[Sequence[str]], bool]


def read_table(
    name: str,
    options: FileOptions,
    stdin: BinaryIO | None = None,
    *,
    looks_like_table: LooksLikeTable | None = None,
) -> tuple[Table, list[Finding]]:
    """Read the table of a file; ``-`` is standard input. Raises TableError when there is none."""
    data: bytes | Path
    if name == "-":
        if stdin is None:
            raise TableError([found("MP101", "there is no standard input", Place(name))])
        data, format = stdin.read(), options.format
    else:
        data, format = Path(name), options.format or format_of(name)[0]
        if not data.exists():
            raise TableError([found("MP101", f"{name} does not exist", Place(name))])
    if format in WORKBOOKS:
        from massprops_cli.files.workbook_read import read_workbook

        return read_workbook(name, data, format, options, looks_like_table)
    from massprops_cli.files.delimited import read_delimited

    return read_delimited(name, data if isinstance(data, bytes) else data.read_bytes(), format or "csv", options)
