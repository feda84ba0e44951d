"""Read the table of a workbook: xlsx, xlsm, xls, xlsb and ods, each behind the guard."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from massprops_cli.files.guard import refusal
from massprops_cli.files.options import Caps, FileOptions
from massprops_cli.files.table import Source, Table
from massprops_cli.files.workbook.reading.content import SheetContent
from massprops_cli.files.workbook.reading.package import SheetEntry, Styles
from massprops_cli.files.workbook.reading.sheet_findings import sheet_findings
from massprops_cli.files.workbook.reading.sheets import LooksLikeTable, choose_sheet
from massprops_cli.files.workbook.reading.table import WorksheetTable, sheet_info
from massprops_cli.findings import Finding, Place, TableError, found

WORKBOOK_FORMATS = ("xlsx", "xlsm", "xls", "xlsb", "ods")

_CFB_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED_STREAM = "EncryptedPackage".encode("utf-16-le")


class Workbook(Protocol):
    """An open workbook of any format."""

    @property
    def entries(self) -> list[SheetEntry]:
        """All sheets in the workbook's order."""
        ...

    @property
    def styles(self) -> Styles:
        """What the cell formats say."""
        ...

    def peek(self, entry: SheetEntry) -> list[list[str]]:
        """Give the texts of a sheet's first rows that are not blank."""
        ...

    def sheet(self, entry: SheetEntry) -> SheetContent:
        """Read one worksheet."""
        ...

    def close(self) -> None:
        """Close the file."""
        ...


def read_workbook(
    name: str,
    data: Path | bytes,
    format: str,
    options: FileOptions,
    looks_like_table: LooksLikeTable | None = None,
) -> tuple[Table, list[Finding]]:
    """Read the table of a workbook and say what its sheet hides, merges or lacks.

    ``name`` is how the user named the file, ``format`` one of `WORKBOOK_FORMATS`; ``looks_like_table`` helps to choose
    among several sheets. Raises TableError with the findings that say why when no table can be read.
    """
    workbook = open_workbook(name, data, format, options.caps)
    try:
        entry, said = choose_sheet(name, workbook.entries, options.sheet, workbook.peek, looks_like_table)
        content = workbook.sheet(entry)
        styles = workbook.styles
    finally:
        workbook.close()
    info, struck = sheet_info(content, styles)
    findings = [*said, *sheet_findings(name, entry.name, content, struck)]
    if not content.rows:
        empty = found("MP111", f"sheet {entry.name!r} is empty", Place(name, sheet=entry.name))
        raise TableError([*findings, empty])
    source = Source(name, format, sheet=entry.name)
    return WorksheetTable(source, content.rows, info), findings


def sheet_names(name: str, data: Path | bytes, format: str, caps: Caps | None = None) -> list[str]:
    """Give the names of all sheets in the workbook's order."""
    workbook = open_workbook(name, data, format, caps or Caps())
    try:
        return [entry.name for entry in workbook.entries]
    finally:
        workbook.close()


def open_workbook(name: str, data: Path | bytes, format: str, caps: Caps) -> Workbook:
    """Open a workbook behind the guard; raises TableError when it is encrypted, damaged, hostile or beyond a cap."""
    head = _head(name, data)
    if head == _CFB_MAGIC and format != "xls":
        if is_encrypted_package(data):
            raise refusal("MP102", "the workbook is encrypted", name)
        raise refusal("MP104", f"the file is an old workbook, not {format}", name)
    return _openers()[format](name, data, caps)


def is_encrypted_package(data: Path | bytes) -> bool:
    """Tell whether an OLE2 container holds an encrypted workbook rather than an old one."""
    content = data if isinstance(data, bytes) else data.read_bytes()
    return content[:8] == _CFB_MAGIC and _ENCRYPTED_STREAM in content


def _openers() -> dict[str, Callable[[str, Path | bytes, Caps], Workbook]]:
    from massprops_cli.files.workbook.reading.ods import Ods
    from massprops_cli.files.workbook.reading.other import OtherWorkbook
    from massprops_cli.files.workbook.reading.xlsx import Xlsx

    return {"xlsx": Xlsx, "xlsm": Xlsx, "ods": Ods, "xls": OtherWorkbook, "xlsb": OtherWorkbook}


def _head(name: str, data: Path | bytes) -> bytes:
    if isinstance(data, bytes):
        return data[:8]
    try:
        with data.open("rb") as stream:
            return stream.read(8)
    except OSError as error:
        raise refusal(
            "MP101", f"the file cannot be opened: {(error.strerror or 'unknown reason').lower()}", name
        ) from None
