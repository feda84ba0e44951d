"""The column ``mga``: growth in percent; whether a column of that name is one, and what its cells say."""

from __future__ import annotations

import re
from math import isnan, nan
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.table import Table
from massprops_cli.findings import Finding, found
from massprops_cli.tables.cells.number_text import BLANKS, PATTERN, read_number
from massprops_cli.tables.columns.headers import HeaderRow
from massprops_cli.tables.columns.sigma_words import is_percent
from massprops_cli.tables.columns.spreads import percent_rows
from massprops_cli.tables.options import TableOptions

Mask = NDArray[np.bool_]
_CELL = re.compile(rf"({PATTERN})[{BLANKS}]*([%％]?)")
_REMARK = re.compile(r"[\[({]([^\[\](){}]*)[\])}]\s*")


class Percents(NamedTuple):
    """The cells of a column from the first row of data on ``(rows,)``.

    ``percent`` is NaN where a cell is blank or ``bad``: no number, or a negative one. ``bare`` are numbers of which
    nothing says that they are percentages: neither header, cell nor number format.
    """

    percent: NDArray[np.float64]
    bad: Mask
    bare: Mask


def read_percents(table: Table, column: int, header: str, first_row: int) -> Percents:
    """Read a column of percentages, each distinct text once; what a worksheet shows as 15 % is that."""
    texts = table.texts(column, first_row)
    read = {text: read_cell(text) for text in set(texts)}
    percent = np.fromiter((read[text][0] for text in texts), float, len(texts))
    signed = np.fromiter((read[text][1] for text in texts), bool, len(texts))
    shown = [row - first_row for row in percent_rows(table, column, first_row)]
    percent[shown] *= np.where(signed[shown], 1.0, 100.0)
    signed[shown] = True
    blank = np.fromiter((not text.strip(BLANKS) for text in texts), bool, len(texts))
    bad = ~blank & ~(percent >= 0)
    percent[bad] = np.nan
    bare = np.zeros(len(texts), bool) if says_percent(header) else ~blank & ~bad & ~signed
    return Percents(percent, bad, bare)


def read_cell(text: str) -> tuple[float, bool]:
    """Read a cell: its number, NaN where it is none, and whether it has a sign of percent.

    >>> read_cell("15 %"), read_cell("15"), read_cell("tbd")[1]
    ((15.0, True), (15.0, False), False)
    """
    match = _CELL.fullmatch(text.strip(BLANKS))
    number = None if match is None else read_number(match[1])
    return (nan, False) if match is None or number is None else (number, bool(match[2]))


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
        texts = [text for text in table.texts(column, first_row) if text.strip(BLANKS)]
        if 2 * sum(not isnan(read_cell(text)[0]) for text in texts) >= len(texts):
            return []
        why = f"{name} is not read: most of its cells are no percentages"
    del header.columns["mga"]
    return [found("MP225", why, table.place(header.row, column, name))]
