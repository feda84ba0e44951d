"""Columns by place (``col:D``, ``col:4``), where headers repeat or are missing, and by cells: columns of numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from massprops_cli.files.table import Table
from massprops_cli.tables.numbers import is_number

LOOKED_AT = 200
"""How many rows of a column tell whether it holds numbers."""


def first_number(table: Table, column: int, first_row: int) -> str:
    """Give the first number of a column in which most cells are numbers; nothing for others, or one that counts rows.

    >>> from massprops_cli.files.table import GridTable, Source
    >>> table = GridTable(Source("a", "csv"), [["4.5", "1", "x"], ["", "2", "3"], ["2", "3", "y"]])
    >>> [first_number(table, j, 0) for j in range(3)]
    ['4.5', '', '']
    """
    rows = range(first_row, min(table.n_rows, first_row + LOOKED_AT))
    cells = [text for i in rows if (text := table.text(i, column).strip())]
    numbers = [text for text in cells if is_number(text)]
    if not numbers or 2 * len(numbers) <= len(cells) or _counts_rows(numbers):
        return ""
    return numbers[0]


def _counts_rows(numbers: Sequence[str]) -> bool:
    """Tell whether numbers are those of rows: each one more than the one before, or ten."""
    if len(numbers) < 3 or not all(text.isascii() and text.isdigit() for text in numbers):
        return False
    steps = {int(after) - int(before) for before, after in pairwise(numbers)}
    return steps in ({1}, {10})


def address_of(table: Table, row: int, column: int) -> str:
    """Give a column's name by place: its letters in a worksheet, its number from 1 in a text."""
    cell = table.place(row, column).cell
    return f"col:{cell.rstrip('0123456789') or column + 1}" if cell else f"col:{column + 1}"


def column_at(wanted: str, table: Table) -> int | None:
    """Give the column that ``col:D`` or ``col:4`` names, in a worksheet from its own first column; None for others.

    >>> from massprops_cli.files.table import GridTable, Source
    >>> table = GridTable(Source("a", "csv"), [["id", "mass", "", ""]])
    >>> column_at("col:D", table), column_at("col:2", table), column_at("col:E", table), column_at("mass", table)
    (3, 1, None, None)
    """
    form = re.fullmatch(r"col:\s*(?:([A-Za-z]{1,3})|(\d{1,5}))", wanted.strip())
    if form is None:
        return None
    place = int(form[2]) if form[2] else _number_of(form[1])
    column = place - 1 - (table.sheet_info.first_column if table.sheet_info is not None else 0)
    return column if 0 <= column < table.n_columns else None


def columns_at(wanted: str, table: Table) -> list[int]:
    """Give the column that ``col:D`` or ``col:4`` names, as a list; an empty one for other texts."""
    column = column_at(wanted, table)
    return [] if column is None else [column]


def _number_of(letters: str) -> int:
    number = 0
    for letter in letters.upper():
        number = 26 * number + ord(letter) - ord("A") + 1
    return number
