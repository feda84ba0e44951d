"""Columns that state their unit in every cell and nowhere else: ``0.3 kg`` under ``mass``."""

from __future__ import annotations

from collections.abc import Sequence

from massprops_cli.files.table import Table
from massprops_cli.tables.cells.cell_text import take_apart, visible
from massprops_cli.tables.cells.cell_words import is_blank_word
from massprops_cli.tables.cells.measures import split_per
from massprops_cli.tables.cells.number_text import BLANKS, is_number
from massprops_cli.tables.units.unit_table import MASS
from massprops_cli.tables.units.unit_text import unit_for
from massprops_cli.tables.units.units import Stated

LOOKED_AT = 200
"""So many rows may be blank before the first number of a column, which decides whether its cells state a unit."""


def top_rows(table: Table, start: int) -> list[list[str]]:
    """Give the rows that are looked at for the first number of every column, as texts."""
    return [table.row(i) for i in range(start, min(table.n_rows, start + LOOKED_AT))]


def unit_of_cells(
    table: Table, column: int, start: int, top: Sequence[Sequence[str]], dimension: tuple[int, int, int]
) -> Stated | None:
    """Give the unit that the cells of a column state, the first one's; None where one of them states none.

    ``top`` are the first rows from ``start`` on. A plain number at the top of the column, the usual case, ends the
    search.
    """
    first = next((texts[column] for texts in top if texts[column] and is_filled(texts[column])), "")
    stated = None if is_number(first) else _stated(first, dimension)
    if stated is None:
        return None
    texts = {text for text in table.texts(column, start) if is_filled(text)}
    return stated if all(_stated(text, dimension) for text in texts) else None


def is_filled(text: str) -> bool:
    """Tell whether a cell holds something, and not a word for blank.

    >>> is_filled("3 kg"), is_filled(" "), is_filled("TBD")
    (True, False, False)
    """
    bare = visible(text)
    return bool(bare) and not is_blank_word(bare)


def _stated(text: str, dimension: tuple[int, int, int]) -> Stated | None:
    """Read the unit of one cell."""
    name = take_apart(text).unit.strip(BLANKS)
    name = split_per(name)[0] if dimension == MASS else name
    unit = unit_for(name, dimension) if name else None
    return None if unit is None else Stated(name, unit)
