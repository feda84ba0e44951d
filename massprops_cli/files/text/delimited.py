"""Delimited text: csv and tsv, read by Python's csv with every character kept. Starts fastest for small files."""

from __future__ import annotations

import csv
import io
from collections import Counter
from itertools import islice

import numpy as np

from massprops_cli.files.options import FileOptions
from massprops_cli.files.table import Source
from massprops_cli.files.text.encoding import Text, decoded
from massprops_cli.files.text.injection import bared
from massprops_cli.files.text.ragged import square
from massprops_cli.files.text.raw import DelimitedTable, Raw
from massprops_cli.findings import Finding, Place, TableError, UsageError, found

DELIMITERS = (",", ";", "\t", "|")
_NAMES = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
FAST_FROM = 2**23
"""Bytes from which on the reader for large files pays for its start."""


def read_delimited(
    name: str, data: bytes | memoryview, format: str, options: FileOptions, compressed: bool = False
) -> tuple[DelimitedTable, list[Finding]]:
    """Read delimited text held in memory or mapped: ``(table, findings)``; raises TableError when there is no table."""
    text = decoded(name, data, options.encoding)
    head = bytes(text.body[: 2**18]).decode("utf-8", "ignore")
    if not head.strip():
        raise TableError([found("MP111", "the file is empty", Place(name))])
    delimiter = delimiter_for(name, head, format, options)
    newline = newline_of(head)
    source = Source(name, format, "", text.encoding, delimiter, compressed, text.mark, newline)
    if len(text.body) >= FAST_FROM:
        from massprops_cli.files.text.large import read_fast

        read = read_fast(source, text.body, options)
        if read is not None:
            return read, []
    return read_plain(source, text, options)


def read_plain(source: Source, text: Text, options: FileOptions) -> tuple[DelimitedTable, list[Finding]]:
    """Read with Python's csv."""
    body = text.body if isinstance(text.body, bytes) else bytes(text.body)
    lines = list(io.StringIO(body.decode(), newline=""))
    rows, first = records(source, lines, options.caps.text_cell_characters)
    findings = square(source.name, rows, [a + 1 for a, _ in first])

    def raw() -> Raw:
        lengths = np.array([len(line.encode()) for line in lines], np.int64)
        bounds = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        begins = [a for a, _ in first]
        ends = [int(bounds[b]) - break_length(lines[b - 1]) for _, b in first]
        starts = np.append(bounds[begins], bounds[-1])
        return Raw(body, starts, np.array(ends, np.int64))

    return DelimitedTable(source, rows, [a + 1 for a, _ in first], raw), findings


def records(source: Source, lines: list[str], cap: int) -> tuple[list[list[str]], list[tuple[int, int]]]:
    """Split lines into records: their fields, and the lines ``a:b`` that each spans. Blank lines are no records."""
    rows: list[list[str]] = []
    first: list[tuple[int, int]] = []
    begin = 0
    limit = csv.field_size_limit(cap)
    guards = any("'" in line for line in lines)
    reader = csv.reader(lines, delimiter=source.delimiter, strict=True)
    try:
        for row in reader:
            if row:
                rows.append([bared(cell) for cell in row] if guards else row)
                first.append((begin, reader.line_num))
            begin = reader.line_num
    except csv.Error as error:
        place = Place(source.name, line=begin + 1)
        if "limit" in str(error):
            message = f"a cell holds more than {cap:,} characters"
            raise TableError(
                [found("MP114", message, place, remedy="shorten the cell, or close a quote that is open")]
            ) from None
        unclosed = "end of data" in str(error)
        message = "a quoted field is not closed" if unclosed else "a quoted field goes on after its closing quote"
        raise TableError([found("MP109", message, place)]) from None
    finally:
        csv.field_size_limit(limit)
    if not rows:
        raise TableError([found("MP111", "the file holds blank lines only", Place(source.name))])
    return rows, first


def delimiter_for(name: str, head: str, format: str, options: FileOptions) -> str:
    """Give the delimiter: the user's, a tab for tsv, or the one that makes the best table of the first rows."""
    if options.delimiter:
        delimiter = {"\\t": "\t", "tab": "\t"}.get(options.delimiter, options.delimiter)
        if len(delimiter) != 1 or delimiter in '"\r\n':
            raise UsageError(f"the delimiter {options.delimiter!r} is not one character that can be a delimiter")
        return delimiter
    if format == "tsv":
        return "\t"
    scored = sorted(((*score(head, d), -k, d) for k, d in enumerate(DELIMITERS)), reverse=True)
    best, second = scored[0], scored[1]
    # a second delimiter that splits every row as evenly, into about as many fields, is as good a reading
    if best[0] == second[0] == 1.0 and second[1] * 2 > best[1]:
        names = f"{_NAMES[best[3]]} and {_NAMES[second[3]]}"
        raise TableError([found("MP110", f"{names} would both make a table", Place(name, line=1))])
    return best[3]


def score(head: str, delimiter: str) -> tuple[float, int]:
    """Give the share of the first rows that have the usual number of fields, and that number; (0, 1) for one field.

    >>> score("a;b\\n1,5;2\\n", ";"), score("a;b\\n1,5;2\\n", ",")
    ((1.0, 2), (0.0, 1))
    """
    lines = io.StringIO(head, newline="")
    widths: list[int] = []
    try:
        widths = [len(row) for row in islice(csv.reader(lines, delimiter=delimiter), 50) if row]
    except csv.Error:
        return 0.0, 1
    if len(widths) > 1 and len(head) >= 2**17:
        widths.pop()
    width, count = Counter(widths).most_common(1)[0] if widths else (1, 0)
    if width == 1 or (widths[0] == 1 and count < len(widths) - 1):
        return 0.0, 1
    return count / len(widths), width


def newline_of(head: str) -> str:
    """Give the first line's break."""
    at = min((i for i in (head.find("\n"), head.find("\r")) if i >= 0), default=-1)
    if at < 0:
        return "\n"
    return "\r\n" if head[at : at + 2] == "\r\n" else head[at]


def break_length(line: str) -> int:
    """Give how many characters of a line are its break."""
    return 2 if line.endswith("\r\n") else 1 if line.endswith(("\n", "\r")) else 0
