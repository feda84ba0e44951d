"""Delimited text: csv and tsv, read by Python's csv with every character kept. Starts fastest for small files.

Rows of a delimited file that are not as wide as its header: titles above it are left alone, others are findings.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Sequence
from itertools import islice

import numpy as np

from massprops_cli.files.delimited_records import DelimitedTable, Raw
from massprops_cli.files.encoding import Text, bared, decoded
from massprops_cli.files.options import FileOptions
from massprops_cli.files.table import Source
from massprops_cli.findings import Finding, Place, TableError, UsageError, found

TITLE_ROWS = 40
"""How many rows of titles may stand above a header."""

_LOOKED_AT = 100
"""Rows that tell the usual width of a table."""

_RELATED = 1_000
_SHOWN = 12


def square(name: str, rows: list[list[str]], lines: Sequence[int]) -> list[Finding]:
    """Give every row the header's width; those that hold more or less are told, once for each number of fields.

    ``lines`` are the lines of the file on which the rows begin. Titles above the header are filled up with blanks.
    """
    header = header_row(rows)
    width = len(rows[header])
    for title in rows[:header]:
        title.extend([""] * (width - len(title)))
    ragged: dict[int, list[int]] = {}
    for i, count in enumerate(map(len, rows)):
        if count == width:
            continue
        if count > width and not any(rows[i][width:]):
            del rows[i][width:]
        else:
            ragged.setdefault(count, []).append(i)
    return [_said(name, lines, which, count, width) for count, which in ragged.items()]


def header_row(rows: Sequence[Sequence[str]]) -> int:
    """Give the row of the header: the first, unless shorter rows of titles stand above one of the usual width.

    A title has one field with text; where it has more, the row below the titles has to look like a header: all its
    fields have a text, and none is a number.

    >>> header_row([["Car"], ["id", "mass"], ["A", "1"]])
    1
    >>> header_row([["Car", "B"], ["id", "mass", "Cx"], ["A", "1", "2"], ["B", "1", "2"]])
    1
    >>> header_row([["id", "mass"], ["A", "1", "2"], ["B", "1", "2"]])
    0
    """
    usual = Counter(map(len, rows[:_LOOKED_AT])).most_common(1)[0][0]
    above = next((i for i, row in enumerate(rows[: TITLE_ROWS + 1]) if len(row) >= usual), 0)
    if not above or len(rows[above]) > usual:
        return 0
    if all(sum(map(bool, row)) <= 1 for row in rows[:above]):
        return above
    return above if all(text.strip() and not _is_number(text) for text in rows[above]) else 0


def _is_number(text: str) -> bool:
    try:
        float(text.replace(",", "."))
    except ValueError:
        return False
    return True


def _said(name: str, lines: Sequence[int], which: list[int], count: int, width: int) -> Finding:
    """Say which rows have a number of fields that is not the header's."""
    places = [Place(name, row=i + 1, line=int(lines[i])) for i in which[:_RELATED]]
    fields = "1 field" if count == 1 else f"{count} fields"
    message = f"the row has {fields}, the header {width}"
    if len(which) > 1:
        shown = ", ".join(str(place.line) for place in places[:_SHOWN])
        more = f" and {len(which) - _SHOWN:,} more" if len(which) > _SHOWN else ""
        message = f"{len(which):,} rows have {fields}, the header {width}: lines {shown}{more}"
    return found("MP108", message, places[0], count=len(which), related=tuple(places[1:]))


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
        from massprops_cli.files.delimited_large import read_fast

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
