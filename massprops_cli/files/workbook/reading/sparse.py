"""From scattered cells to a dense grid: the table is kept, cells far outside it are left alone and named."""

from __future__ import annotations

from collections.abc import Sequence

from massprops_cli.files.guard import over_cap
from massprops_cli.files.options import Caps
from massprops_cli.files.workbook.reading.content import SheetContent, SheetFacts, Value

Cells = dict[int, dict[int, Value]]
"""Values that are not blank, by row and column."""

ROOMY = 1_000_000
"""A grid of so many cells is filled without asking how much of it is blank."""

BLANKS_PER_CELL = 16
"""A larger grid may hold so many blanks per value before its outliers count as stray."""

ROW_GAP, COLUMN_GAP = 1000, 100
"""Blank rows or columns that part a stray cell from a table."""


def is_dense(area: int, cells: int, caps: Caps) -> bool:
    """Tell whether a grid of ``area`` cells, ``cells`` of them with a value, may be filled as it is.

    >>> is_dense(2**34, 12, Caps()), is_dense(2_700_000, 2_600_000, Caps())
    (False, True)
    """
    return area <= caps.cells and area <= max(ROOMY, BLANKS_PER_CELL * cells)


def lay_out(name: str, sheet: str, cells: Cells, facts: SheetFacts, caps: Caps) -> SheetContent:
    """Lay cells out as a grid; raises TableError (MP114) when the table itself is beyond the cap."""
    cells = {row: across for row, across in sorted(cells.items()) if across}
    if not cells:
        return SheetContent([], facts=facts)
    number = sum(map(len, cells.values()))
    rows = list(cells)
    columns = sorted({column for across in cells.values() for column in across})
    if not is_dense(_span(rows) * _span(columns), number, caps):
        rows = _main_group(rows, {r: len(cells[r]) for r in rows}, ROW_GAP)
        counts: dict[int, int] = {}
        for row in rows:
            for column in cells[row]:
                counts[column] = counts.get(column, 0) + 1
        columns = _main_group(sorted(counts), counts, COLUMN_GAP)
    top, bottom, left, right = rows[0], rows[-1], columns[0], columns[-1]
    area = (bottom - top + 1) * (right - left + 1)
    if area > caps.cells:
        raise over_cap(name, f"the table spans {area} cells", "cells", caps.cells, sheet)
    facts.stray = [
        (row, column)
        for row, across in cells.items()
        for column in sorted(across)
        if not (top <= row <= bottom and left <= column <= right)
    ]
    width = right - left + 1
    grid: list[list[Value]] = []
    for row in range(top, bottom + 1):
        line: list[Value] = [""] * width
        for column, value in cells.get(row, {}).items():
            if left <= column <= right:
                line[column - left] = value
        grid.append(line)
    return SheetContent(grid, top, left, facts)


def _span(ascending: Sequence[int]) -> int:
    return ascending[-1] - ascending[0] + 1


def _main_group(ascending: list[int], weights: dict[int, int], gap: int) -> list[int]:
    """Give the group of numbers with the greatest weight; groups are parted by gaps wider than ``gap``."""
    groups = [[ascending[0]]]
    for number in ascending[1:]:
        if number - groups[-1][-1] > gap:
            groups.append([number])
        else:
            groups[-1].append(number)
    return max(groups, key=lambda group: sum(weights[n] for n in group))
