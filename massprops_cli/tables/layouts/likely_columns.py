"""Columns that could state the hierarchy of a layout that the user requests, found by their cells, for its remedy."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from massprops_cli.files import Table
from massprops_cli.tables.cells import read_number
from massprops_cli.tables.columns import TableColumns, map_option

_ITEM_NUMBER = re.compile(r"\d+(\.\d+)*\.?")
_MOST_LEVELS = 30
"""Highest number that is read as a level."""


def layout_map_options(layout: str, table: Table, columns: TableColumns) -> str:
    """Write the options that name the columns of a layout, or nothing where no column fits."""
    cells = {j: _column_cells(table, columns, j) for j in range(len(columns.header))}
    chosen = next(_fitting_columns(layout, {j: texts for j, texts in cells.items() if any(texts)}), {})
    row = columns.header_row
    return " ".join(map_option(table, row, j, quantity, columns.header[j]) for quantity, j in chosen.items())


def _column_cells(table: Table, columns: TableColumns, j: int) -> list[str]:
    return [text.strip() for text in table.texts(j, columns.first_row)]


def _fitting_columns(layout: str, cells: dict[int, list[str]]) -> Iterator[dict[str, int]]:
    """Return columns by quantity, those on the left first."""
    if layout in ("parent", "edges"):
        item = "id" if layout == "parent" else "child"
        for j, names in cells.items():
            for k, over in cells.items():
                if j != k and _are_parents(over, names, is_list=layout == "parent"):
                    yield {item: j, "parent": k}
        return
    for j, texts in cells.items():
        filled = [text for text in texts if text]
        if layout == "dotted" and all(map(_ITEM_NUMBER.fullmatch, filled)) and any("." in text for text in filled):
            yield {"item": j}
        elif layout == "level" and _are_levels(filled):
            yield {"level": j}
        elif layout in ("flat", "indented") and all(read_number(text) is None for text in filled):
            yield {"id" if layout == "flat" else "name": j}


def _are_parents(parents: list[str], names: list[str], *, is_list: bool) -> bool:
    """Return whether one column names items of the other; in a list every item is once, and the top has none."""
    known, filled = set(names) - {""}, [text for text in parents if text]
    if not filled or (is_list and (len(known) < len(names) or len(filled) == len(parents))):
        return False
    inner = set(filled) & known if is_list else set(filled) - known
    return bool(set(filled) & known) and (inner == set(filled) if is_list else len(inner) == 1)


def _are_levels(texts: list[str]) -> bool:
    levels = [int(text) if text.isdigit() else -1 for text in texts]
    steps = pairwise(levels)
    return bool(levels) and min(levels) >= 0 and max(levels) < _MOST_LEVELS and all(b <= a + 1 for a, b in steps)
