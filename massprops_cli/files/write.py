"""Tables to flat files."""

from __future__ import annotations

import csv
import io
from typing import BinaryIO

import numpy as np

from massprops_cli.files.fill import Filling, Values
from massprops_cli.files.grid import text_of
from massprops_cli.files.table import Table
from massprops_cli.findings import Finding


def write_table(table: Table, filling: Filling, out: BinaryIO, format: str) -> list[Finding]:
    """Write a table with what is filled in."""
    rows = [table.row(i) for i in range(table.n_rows)]
    for column, text in filling.renames.items():
        rows[filling.header_row][column] = text
    for fill in filling.fills:
        for row, text in zip(fill.rows.tolist(), texts_of(fill.values), strict=True):
            rows[row][fill.column] = text
    for added in filling.added:
        cells = dict(zip(added.rows.tolist(), texts_of(added.values), strict=True))
        for i, row in enumerate(rows):
            row.append(added.name if i == filling.header_row else cells.get(i, ""))
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=table.source.delimiter or ",", lineterminator="\n").writerows(rows)
    out.write(text.getvalue().encode())
    return []


def texts_of(values: Values) -> list[str]:
    """Give the texts of filled values."""
    return [text_of(v) for v in values.tolist()] if isinstance(values, np.ndarray) else list(values)
