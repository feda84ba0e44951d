"""The column ``mga``: growth in percent; whether a column of that name is one, and what its cells say."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.table import Table
from massprops_cli.findings import Finding, found
from massprops_cli.tables.cells.cell_reading import Cell, read_cells
from massprops_cli.tables.cells.cell_rules import PLAIN, CellRules
from massprops_cli.tables.cells.number_text import BLANKS
from massprops_cli.tables.cells.numbers import Settled
from massprops_cli.tables.columns.headers import HeaderRow
from massprops_cli.tables.columns.sigma_words import is_percent
from massprops_cli.tables.columns.spreads import percent_rows
from massprops_cli.tables.options import TableOptions

Mask = NDArray[np.bool_]
BLANK = Cell(None, blank=True)
_REMARK = re.compile(r"[\[({]([^\[\](){}]*)[\])}]\s*")


class Percents(NamedTuple):
    """The cells of a column from the first row of data on.

    ``settled`` holds percentages. ``bare (rows,)`` are numbers of which nothing says that they are percentages: neither
    header, cell nor number format.
    """

    settled: Settled
    bare: Mask


def read_percents(table: Table, column: int, header: str, first_row: int, rules: CellRules = PLAIN) -> Percents:
    """Read a column of percentages, each distinct text once; what a worksheet shows as 15 % is that.

    Negative numbers are among the ``bad``.
    """
    texts = table.texts(column, first_row)
    place = {text: k for k, text in enumerate(dict.fromkeys(texts))}
    at = np.fromiter(map(place.__getitem__, texts), np.intp, len(texts))
    cells, signs = read_distinct(list(place), rules)
    values = np.array([np.nan if cell.value is None else cell.value for cell in cells])[at]
    blank, signed = np.array([cell.blank for cell in cells], bool)[at], np.array(signs, bool)[at]
    shown = [row - first_row for row in percent_rows(table, column, first_row)]
    values[shown] *= np.where(signed[shown], 1.0, 100.0)
    signed[shown] = True
    bad = ~blank & ~(values >= 0)
    values[bad] = np.nan
    rows_of = {rule: np.array([rule in cell.said for cell in cells])[at] for cell in cells for rule in cell.said}
    said = {rule: np.flatnonzero(where & ~bad) for rule, where in sorted(rows_of.items())}
    bare = np.zeros(len(texts), bool) if says_percent(header) else ~blank & ~bad & ~signed
    return Percents(Settled(values, blank, np.flatnonzero(bad), said), bare)


def read_distinct(texts: Sequence[str], rules: CellRules) -> tuple[list[Cell], list[bool]]:
    """Read the texts of one column together: numbers, and whether each has a sign of percent behind it.

    >>> cells, signs = read_distinct(["15 %", "12,5", "many"], PLAIN)
    >>> [cell.value for cell in cells], signs
    ([15.0, 12.5, None], [True, False, False])
    """
    bare = [text.strip(BLANKS) for text in texts]
    signs = [text.endswith(("%", "％")) for text in bare]
    numbers = [text.rstrip("%％" + BLANKS) if sign else text for text, sign in zip(bare, signs, strict=True)]
    read = iter(read_cells([text for text in numbers if text], rules))
    return [next(read) if text else BLANK for text in numbers], signs


def says_percent(header: str) -> bool:
    """Tell whether a header says that its numbers are percentages.

    >>> says_percent("MGA [%]"), says_percent("Growth, pct"), says_percent("Growth")
    (True, True, False)
    """
    return "%" in header or any(is_percent(word) for word in re.split(r"[\s_/,:;()\[\]{}]+", header) if word)


def growth_column(table: Table, header: HeaderRow, first_row: int, options: TableOptions) -> list[Finding]:
    """Leave out a column ``mga`` that is in another unit, or most of whose cells are no numbers."""
    column = header.columns.get("mga")
    if column is None or "mga" in options.map:
        return []
    name = header.texts[column].strip()
    remark = _REMARK.search(name)
    if remark is not None and not says_percent(name):
        why = f"{name} is not read: growth is in percent, and it says {remark[1].strip()}"
    else:
        settled = read_percents(table, column, name, first_row, CellRules(options.decimal)).settled
        if 2 * len(settled.bad) <= int((~settled.blank).sum()):
            return []
        why = f"{name} is not read: most of its cells are no percentages"
    del header.columns["mga"]
    return [found("MP225", why, table.place(header.row, column, name))]
