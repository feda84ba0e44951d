"""Tables to JSON records: texts stay texts, numbers keep their characters."""

from __future__ import annotations

import json
import re
from collections.abc import Set
from typing import BinaryIO

from massprops_cli.files.fill import Filling
from massprops_cli.files.filled import filled_texts, is_filled, number_text, unique_header
from massprops_cli.files.table import Table
from massprops_cli.findings import Finding, OutputError

_JSON_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")


def write_records(
    table: Table, filling: Filling, out: BinaryIO, format: str, numeric: Set[int] | None, texts: Set[int]
) -> list[Finding]:
    """Write a list of objects (json) or one object a line (jsonl). A blank cell is null."""
    header = unique_header(table, filling, "one JSON object")
    columns = [column_values(table, filling, j, numeric, texts) for j in range(len(header))]
    keys = [json.dumps(name, ensure_ascii=False) + ": " for name in header]
    before, between, after = ("[\n", ",\n", "\n]\n") if format == "json" else ("", "\n", "\n")
    try:
        out.write(before.encode())
        for i, row in enumerate(zip(*columns, strict=True)):
            pairs = ", ".join([key + value for key, value in zip(keys, row, strict=True)])
            out.write(f"{between if i else ''}{{{pairs}}}".encode())
        out.write(after.encode())
    except UnicodeEncodeError:
        raise OutputError(f"utf-8 cannot hold a lone surrogate that {table.source.name} holds") from None
    return []


def column_values(table: Table, filling: Filling, j: int, numeric: Set[int] | None, texts: Set[int]) -> list[str]:
    """Give one column's values as JSON: numbers where cells are typed or filled, or all are plain numbers."""
    start = filling.header_row + 1
    cells = filled_texts(table, filling, j, start)
    if j in texts:
        return [string(cell) for cell in cells]
    typed = table.is_typed(j, start).tolist() if j < table.n_columns else [False] * len(cells)
    filled = is_filled(filling, j, table.n_columns) or (numeric is not None and j in numeric)
    all_numbers = (numeric is None or j in numeric) and is_number_column(cells, filled)
    if all_numbers and table.source.format not in ("json", "jsonl"):
        return [cell or "null" for cell in cells]
    now = set()
    for rows in (f.rows for f in filling.fills if f.column == j):
        now |= set((rows - start).tolist())
    return [
        cell if (t or i in now or j >= table.n_columns) and _JSON_NUMBER.fullmatch(cell) else string(cell)
        for i, (cell, t) in enumerate(zip(cells, typed, strict=True))
    ]


def is_number_column(cells: list[str], filled: bool, same: bool = False) -> bool:
    """Tell whether every cell is blank or a JSON number; where nothing is filled, one that reads back the same.

    ``same``: the number will be stored without its characters, so they must be the shortest ones.
    """
    some = False
    for cell in cells:
        if cell:
            some = True
            if not _JSON_NUMBER.fullmatch(cell):
                return False
            if not filled and cell not in forms(float(cell), same):
                return False
    return some


def string(cell: str) -> str:
    """Give a text as JSON; blank is null."""
    return json.dumps(cell, ensure_ascii=False) if cell else "null"


def forms(value: float, same: bool) -> tuple[str, ...]:
    """Give the texts that stand for a number without losing a character."""
    return (number_text(value),) if same else (number_text(value), repr(value))
