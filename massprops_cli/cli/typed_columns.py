"""Which columns become numbers in formats with types: json, jsonl, parquet, feather.

A column of a number quantity does when every cell is a number or blank, however it is written; ids and other texts
never do; any other column does when nothing of its characters is lost.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from massprops_cli.files.fill import Fill, Filling

if TYPE_CHECKING:
    from massprops_cli.files.table import Table
    from massprops_cli.tables.columns.columns import Columns

TYPED = ("json", "jsonl", "parquet", "feather")
STORED = ("parquet", "feather")
"""Formats that hold a number without its characters."""


_ODD = re.compile(r"[^0-9eE.+\-\n]|^(?:\+|-?\.|-?0[0-9])|\.(?:$|[eE])|[eE][+-]?[0-9]{3}", re.MULTILINE)
"""What tells, in a column's cells line by line, that one is not written as JSON has it, or may be no double."""


def text_columns(columns: Columns) -> set[int]:
    """Give the columns that stay text in formats with types, whatever their cells look like: ids above all."""
    from massprops_cli.tables.units.quantities import TEXT_QUANTITIES, WITH_NUMBERS

    names = set(TEXT_QUANTITIES) - set(WITH_NUMBERS)
    return {column.index for name, column in columns.by_quantity.items() if name in names}


def with_numbers(table: Table, columns: Columns, filling: Filling, format: str) -> tuple[Filling, set[int]]:
    """Give the columns that are numbers, and a filling that writes ``+1.5`` or ``.5`` in them as JSON can."""
    from massprops_cli.files.filled import filled_texts, is_filled
    from massprops_cli.files.text.records_write import is_number_column

    texts = text_columns(columns)
    quantities = {column.index for column in columns.by_quantity.values()} - texts
    start = filling.header_row + 1
    numbers = set(range(table.n_columns, table.n_columns + len(filling.added)))
    fills = list(filling.fills)
    for j in set(range(table.n_columns)) - texts:
        cells = filled_texts(table, filling, j, start)
        if j in quantities:
            fill = rewritten(table, j, cells, start)
            if fill is None:
                continue
            fills += [fill] if len(fill.rows) else []
        elif not is_filled(filling, j, table.n_columns) and not is_number_column(cells, False, same=format in STORED):
            continue
        numbers.add(j)
    return replace(filling, fills=tuple(fills)), numbers


def rewritten(table: Table, j: int, cells: list[str], start: int) -> Fill | None:
    """Give the cells of a column that no JSON number looks like as numbers; None where a cell is no number at all."""
    from massprops_cli.files.table import TEXT
    from massprops_cli.files.text.records_write import is_number_column
    from massprops_cli.tables.cells.numbers import read_number

    if not _ODD.search("\n".join(cells)) and max(map(len, cells), default=0) < 150:  # longer ones may be no double
        return Fill(j, np.empty(0, np.intp), np.empty(0))
    odd = {i for i, cell in enumerate(cells) if cell and not is_number_column([cell], filled=True)}
    # among the others, those that are no double: 1e999
    doubtful = odd.union(np.flatnonzero(table.numbers([j], start)[0].states == TEXT).tolist())
    values: dict[int, float] = {}
    for i in sorted(doubtful):
        number = read_number(cells[i]) if cells[i].strip() else np.nan
        if number is None:
            return None
        if i in odd:
            values[i] = number
    rows = np.fromiter(values, np.intp, len(values)) + start
    return Fill(j, rows, np.fromiter(values.values(), float, len(values)))
