"""How a file is to be read: what the user said about it, and the caps that guard the machine.

File formats: by suffix, and by what the first bytes say.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import PurePath


@dataclass(frozen=True, slots=True)
class Caps:
    """Limits on what is read; a refusal names the cap and the option that raises it (``--max-…``)."""

    members: int = 10_000
    inflated: int = 4 * 2**30
    ratio: int = 200
    """Inflated size over packed size, for members above 1 MiB inflated."""
    cells: int = 30_000_000
    cell_characters: int = 32_767
    text_cell_characters: int = 2**20


@dataclass(frozen=True, slots=True)
class FileOptions:
    """What the user said about the file; empty means: find out.

    ``format`` is a name of ``files.formats`` (``--from``), ``sheet`` a name or a number counted from 1 (``--sheet``).
    """

    format: str = ""
    sheet: str = ""
    encoding: str = ""
    delimiter: str = ""
    caps: Caps = field(default_factory=Caps)


REPORTS = ("cpacs", "fastoad", "jsbsim", "solidworks-report")
"""Reports of other programs; they are read and not written, and told by their content."""

_TABLES = ("csv", "tsv", "xlsx", "xlsm", "xls", "xlsb", "ods", "parquet", "feather", "json", "jsonl", "md")

FORMATS = (*_TABLES, *REPORTS)
"""Every format, by the name that ``--from`` and ``--to`` take."""

TEXTS = ("csv", "tsv", "json", "jsonl", "md")
"""Formats that are text and may be compressed with gzip."""

WORKBOOKS = ("xlsx", "xlsm", "xls", "xlsb", "ods")

SEVERAL = (*WORKBOOKS, "solidworks-report")
"""Formats that can hold several tables, of which ``--sheet`` names one."""

BINARY = (*WORKBOOKS, "parquet", "feather")

_SUFFIXES = {
    **{f".{name}": name for name in _TABLES},
    ".txt": "csv",
    ".tab": "tsv",
    ".ndjson": "jsonl",
    ".arrow": "feather",
    ".pq": "parquet",
    ".markdown": "md",
}


def format_of(name: str) -> tuple[str, bool]:
    """Give the format that a file's suffix says (empty when it says none), and whether it ends in ``.gz``.

    >>> format_of("a/bom.csv.gz"), format_of("bom.XLSX"), format_of("bom")
    (('csv', True), ('xlsx', False), ('', False))
    """
    path = PurePath(name)
    compressed = path.suffix.lower() == ".gz"
    suffix = PurePath(path.stem).suffix if compressed else path.suffix
    return _SUFFIXES.get(suffix.lower(), ""), compressed


def content_of(head: bytes) -> str:
    """Say what a file's first bytes are: a format, a family (``zip``, ``cfb``, ``gzip``), a stranger; empty for text.

    >>> content_of(b"PAR1..."), content_of(b"id,parent"), content_of(b"%PDF-1.7")
    ('parquet', '', 'a PDF document')
    """
    for magic, content in (
        (b"PK\x03\x04", "zip"),
        (b"PK\x05\x06", "zip"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "cfb"),
        (b"\x1f\x8b", "gzip"),
        (b"PAR1", "parquet"),
        (b"ARROW1", "feather"),
        (b"FEA1", "feather"),
        (b"%PDF-", "a PDF document"),
        (b"\x89PNG", "a PNG picture"),
        (b"\xff\xd8\xff", "a JPEG picture"),
        (b"{\\rtf", "an RTF document"),
        (b"7z\xbc\xaf", "a 7-Zip archive"),
        (b"Rar!", "a RAR archive"),
        (b"SQLite format 3", "a SQLite database"),
    ):
        if head.startswith(magic):
            return content
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:200].lower()
    if start.startswith((b"<!doctype html", b"<html", b"<table")):
        return "an HTML page"
    if start.startswith((b"<?xml", b"<workbook")):
        return "an XML document"
    return ""
