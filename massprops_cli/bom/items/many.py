"""Findings about cells, as many as there are, without a million objects for a column that is blank throughout."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.table import Table
from massprops_cli.findings import Finding, Place, Severity, found

MANY = 2_000
"""Beyond so many faults of one kind in one column, neighbouring rows are said together."""


def cell_findings(
    rule: str,
    table: Table,
    rows: NDArray[np.intp],
    column: int | None,
    message: Callable[[int], str],
    *,
    header: str = "",
    items: Callable[[int], str] | None = None,
    remedy: str | Callable[[int], str | None] | None = None,
    severity: Severity | None = None,
) -> list[Finding]:
    """Say the same fault for many cells of one column.

    ``rows (k,)`` are table rows, ascending; ``message``, ``items`` and ``remedy``, where it is a function, are called
    with the position in ``rows``. Up to ``MANY`` faults give a finding each; beyond that each run of neighbouring rows
    gives one, with its count and its last row.
    """
    remedy_of = remedy if callable(remedy) else lambda _k: remedy
    if len(rows) <= MANY:
        return [
            found(
                rule,
                message(k),
                place_of(table, int(row), column, header),
                value=value_of(table, int(row), column),
                item=items(k) if items else "",
                remedy=remedy_of(k),
                severity=severity,
            )
            for k, row in enumerate(rows.tolist())
        ]
    findings = []
    for first, last in runs(rows):
        begin, end = int(rows[first]), int(rows[last])
        count = last - first + 1
        text = message(first)
        if count > 1:
            text += f"; the same in {count - 1:,} more rows, to {place_of(table, end, column, header)}"
        findings.append(
            found(
                rule,
                text,
                place_of(table, begin, column, header),
                value=value_of(table, begin, column),
                item=items(first) if items else "",
                remedy=remedy_of(first),
                severity=severity,
                count=count,
            )
        )
    return findings


def runs(rows: NDArray[np.intp]) -> Iterator[tuple[int, int]]:
    """Give the first and last position of every run of consecutive numbers.

    >>> list(runs(np.array([3, 4, 5, 9, 11, 12])))
    [(0, 2), (3, 3), (4, 5)]
    """
    breaks = np.flatnonzero(np.diff(rows) != 1)
    starts = [0, *(breaks + 1).tolist()]
    ends = [*breaks.tolist(), len(rows) - 1]
    return zip(starts, ends, strict=True)


def place_of(table: Table, row: int, column: int | None, header: str = "") -> Place:
    """Give the address of a cell, or of nothing for a row that is not in the file (a made root)."""
    if row < 0:
        return Place(table.source.name, table.source.sheet)
    return table.place(row, column, header)


def value_of(table: Table, row: int, column: int | None) -> str:
    """Give the characters of a cell, or nothing."""
    return "" if column is None or row < 0 else table.text(row, column)


def listed(names: Sequence[str], most: int = 6) -> str:
    """List names for a message; what is left out is counted.

    >>> listed(["a", "b", "c"], most=2)
    'a, b and 1 more'
    """
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most:,} more"
