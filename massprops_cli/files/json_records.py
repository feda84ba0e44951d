"""JSON records: a list of objects, or one object a line. Numbers keep their characters.

Tables to JSON records: texts stay texts, numbers keep their characters.
"""

from __future__ import annotations

import json
import re
from collections.abc import Set
from dataclasses import replace
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.encoding import decode_text, surrogate_error
from massprops_cli.files.options import FileOptions, ReadCaps, cap_error
from massprops_cli.files.table import (
    GridTable,
    Table,
    TableEdit,
    TableSource,
    Value,
    edited_column_texts,
    has_filled_numbers,
    shortest_number_text,
    unique_header,
)
from massprops_cli.findings.finding import Finding, Findings, Place, Severity, TableError, rule_finding

_MOST_FINDINGS = 1_000
"""Number of invalid lines reported one by one; the rest are one finding."""


class _JsonNumber(str):
    """The characters of a JSON number."""

    __slots__ = ()


class _JsonRecord(list[tuple[str, Any]]):
    """An object's pairs in the order of the file, doubles included."""


class _RecordsTable(GridTable):
    """Table of records: keys in row 0, record ``i`` in row ``i``."""

    def is_typed(self, j: int, start: int = 0) -> NDArray[np.bool_]:
        """Return which cells are JSON numbers: (n_rows - start,)."""
        return np.array([isinstance(self.value(i, j), _JsonNumber) for i in range(start, self.n_rows)], bool)

    def place(self, i: int, j: int | None = None, column: str = "") -> Place:
        """Return the record's number; for one object a line also its line."""
        line = None if self.lines is None or i == 0 else self.lines[i - 1]
        return Place(self.source.name, row=max(i, 1), column=column, line=line)


def read_records(
    name: str, data: bytes, format: str, options: FileOptions, compressed: bool, findings: Findings
) -> _RecordsTable:
    """Read records of JSON or JSON Lines."""
    text = decode_text(name, data, options.encoding)
    characters = bytes(text.body).decode()
    start = len(findings)
    lines: list[int] | None = None
    if format == "jsonl":
        broken = Findings()
        records, lines = _parse_json_lines(name, characters, broken)
        if broken:
            _record_rows(name, records, lines, options.caps, findings)
            raise TableError(sorted([*findings[start:], *broken], key=lambda finding: finding.place.line or 0))
    else:
        records = _record_list(name, characters, findings)
    rows = _record_rows(name, records, lines, options.caps, findings)
    if len(rows) < 2 or not rows[0]:
        raise TableError([*findings[start:], rule_finding("MP111", "file contains no records", Place(name))])
    source = TableSource(name, format, encoding=text.encoding, compressed=compressed, bom=text.mark)
    return _RecordsTable(source, rows, lines=lines)


def _parse_json_text(name: str, text: str, line: int | None = None) -> Any:
    """Parse one JSON text; raises TableError with the place of the first fault."""
    try:
        return json.loads(
            text, object_pairs_hook=_JsonRecord, parse_float=_JsonNumber, parse_int=_JsonNumber, parse_constant=str
        )
    except json.JSONDecodeError as error:
        place = Place(name, line=line or error.lineno, position=error.colno)
        raise TableError([rule_finding("MP104", f"JSON is not valid: {error.msg.lower()}", place)]) from None
    except RecursionError:
        message = "JSON is nested too deeply for records"
        raise TableError([rule_finding("MP127", message, Place(name, line=line))]) from None


def _parse_json_lines(name: str, text: str, findings: Findings) -> tuple[list[Any], list[int]]:
    """Parse one object a line: ``(records, lines)``; blank lines are skipped."""
    # every invalid line is a finding and an empty record, so that the records below keep their numbers
    records: list[Any] = []
    lines: list[int] = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            lines.append(number)
            try:
                records.append(_parse_json_text(name, line, number))
            except TableError as error:
                records.append(_JsonRecord())
                findings += error.findings
    if len(findings) > _MOST_FINDINGS:
        more, last = len(findings) - _MOST_FINDINGS, findings[_MOST_FINDINGS]
        message = f"{last.message}; {more - 1:,} more lines are not valid" if more > 1 else last.message
        findings[_MOST_FINDINGS:] = [replace(last, message=message, count=more)]
    return records, lines


def _record_list(name: str, text: str, findings: Findings) -> list[Any]:
    """Return the list of records, or the only one in an object, with a finding."""
    value = _parse_json_text(name, text)
    if isinstance(value, _JsonRecord):
        lists = [(k, v) for k, v in value if type(v) is list and v and all(isinstance(r, _JsonRecord) for r in v)]
        if len(lists) == 1:
            message = f"records were read from the key {lists[0][0]!r}"
            findings.report("MP126", message, Place(name), severity=Severity.NOTE, remedy="")
            return lists[0][1]
        message = "JSON is an object without a list of records"
        if lists:
            message = f"JSON has several lists of records: {', '.join(k for k, _ in lists)}"
        raise TableError([rule_finding("MP126", message, Place(name))])
    if type(value) is not list:
        raise TableError([rule_finding("MP126", "JSON is a single value, not a list of records", Place(name))])
    return value


def _record_rows(
    name: str, records: list[Any], lines: list[int] | None, caps: ReadCaps, findings: Findings
) -> list[list[Value]]:
    """Arrange records in columns: the keys in the order of their first occurrence."""
    keys: dict[str, int] = {}
    for record in records:
        if isinstance(record, _JsonRecord):
            for key, _ in record:
                keys.setdefault(key, len(keys))
    if len(keys) * len(records) > caps.cells:
        what = f"table of {len(records):,} records with {len(keys):,} keys has too many cells"
        raise cap_error(name, what, "cells", caps.cells, needed=len(keys) * len(records))
    rows: list[list[Value]] = [list(keys)]
    for i, given in enumerate(records):
        record = given if isinstance(given, _JsonRecord) else _JsonRecord()
        row: list[Value] = [None] * len(keys)
        line = lines[i] if lines else None
        if record is not given:
            findings.report("MP126", "record is not an object", Place(name, row=i + 1, line=line))
        if len(record) != len({key for key, _ in record}):
            seen: set[str] = set()
            double = next(key for key, _ in record if key in seen or seen.add(key))  # type: ignore[func-returns-value] # None
            place = Place(name, row=i + 1, column=double, line=line)
            findings.report("MP202", f"record has the key {double!r} twice", place, value=double)
        for key, value in record:
            if isinstance(value, list):
                kind = "an object" if isinstance(value, _JsonRecord) else "a list"
                place = Place(name, row=i + 1, column=key, line=line)
                findings.report("MP127", f"{key} is {kind} (expected a value)", place)
            else:
                row[keys[key]] = value
        rows.append(row)
    return rows


_JSON_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")  # -1.5e3, but not +1, 01 or .5


def write_records(
    table: Table, filling: TableEdit, out: BinaryIO, format: str, numeric: Set[int] | None, texts: Set[int]
) -> list[Finding]:
    """Write a list of objects (json) or one object on each line (jsonl); a blank cell is null."""
    header = unique_header(table, filling, "one JSON object")
    columns = [_json_column_values(table, filling, j, numeric, texts) for j in range(len(header))]
    keys = [json.dumps(name, ensure_ascii=False) + ": " for name in header]
    before, between, after = ("[\n", ",\n", "\n]\n") if format == "json" else ("", "\n", "\n")
    try:
        out.write(before.encode())
        for i, row in enumerate(zip(*columns, strict=True)):
            pairs = ", ".join([key + value for key, value in zip(keys, row, strict=True)])
            out.write(f"{between if i else ''}{{{pairs}}}".encode())
        out.write(after.encode())
    except UnicodeEncodeError:
        raise surrogate_error(table) from None
    return []


def _json_column_values(
    table: Table, filling: TableEdit, j: int, numeric: Set[int] | None, texts: Set[int]
) -> list[str]:
    """Return the values of a column as JSON: numbers if cells are typed or filled, or all are plain numbers."""
    start = filling.header_row + 1
    cells = edited_column_texts(table, filling, j, start)
    if j in texts:
        return [_json_string(cell) for cell in cells]
    typed = table.is_typed(j, start).tolist() if j < table.n_columns else [False] * len(cells)
    filled = has_filled_numbers(filling, j, table.n_columns) or (numeric is not None and j in numeric)
    all_numbers = (numeric is None or j in numeric) and is_json_number_column(cells, filled)
    if all_numbers and table.source.format not in ("json", "jsonl"):
        return [cell or "null" for cell in cells]
    now = set()
    for rows in (f.rows for f in filling.fills if f.column == j):
        now |= set((rows - start).tolist())
    return [
        cell if (t or i in now or j >= table.n_columns) and _JSON_NUMBER.fullmatch(cell) else _json_string(cell)
        for i, (cell, t) in enumerate(zip(cells, typed, strict=True))
    ]


def is_json_number_column(cells: list[str], filled: bool, same: bool = False) -> bool:
    """Return whether a column can be written as JSON numbers."""
    some = False
    for cell in cells:
        if cell:
            some = True
            if not _JSON_NUMBER.fullmatch(cell):
                return False
            if not filled and cell not in _number_forms(float(cell), same):
                return False
    return some


def _json_string(cell: str) -> str:
    """Write a text as JSON; a blank cell is null."""
    return json.dumps(cell, ensure_ascii=False) if cell else "null"


def _number_forms(value: float, same: bool) -> tuple[str, ...]:
    """Return the texts that a number keeps after reading and writing."""
    return (shortest_number_text(value),) if same else (shortest_number_text(value), repr(value))
