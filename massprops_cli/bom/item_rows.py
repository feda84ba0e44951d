"""Findings about cells, as many as there are, without a million objects for a column that is blank throughout.

The items of a table: which row each stands on, and columns brought into item order.

Findings about items: one each, one for a whole column, or a note said once.

What is said once for a column of numbers of which some cells are not written as plain numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.table import Table
from massprops_cli.findings import Finding, Place, Severity, found
from massprops_cli.tables.columns import Column, Columns
from massprops_cli.tables.number_faults import shown
from massprops_cli.tables.number_text import BLANKS
from massprops_cli.tables.numbers import Settled

T = TypeVar("T", bound=np.generic)
Which = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class ItemRows:
    """The items of a table: ``rows (n,)`` their table rows (−1 for a root that has none), ``ids`` their names."""

    table: Table
    columns: Columns
    rows: Which
    ids: Sequence[str]

    def is_whole(self, n_rows: int) -> bool:
        """Tell whether the items are all data rows in file order, so that nothing need be gathered."""
        return (
            len(self.rows) == n_rows > 0
            and int(self.rows[0]) == self.columns.first_row
            and bool((np.diff(self.rows) == 1).all())
        )

    def gather(self, column: NDArray[T], absent: float | bool) -> NDArray[T]:
        """Bring a column, read from the first data row on, into item order; ``absent`` is for items without a row."""
        if self.is_whole(len(column)):
            return column
        at = self.rows - self.columns.first_row
        without = self.rows < 0
        if not without.any():
            return column[at]
        gathered = column[np.where(without, 0, at)]
        gathered[without] = absent
        return gathered

    def texts(self, index: int) -> Sequence[str]:
        """Give a column's texts in item order."""
        texts = self.table.texts(index, self.columns.first_row)
        if self.is_whole(len(texts)):
            return texts
        first = self.columns.first_row
        return [texts[row - first] if row >= 0 else "" for row in self.rows.tolist()]

    def in_file_order(self, which: Which) -> Which:
        """Sort item numbers by the rows that they stand on."""
        return which[np.argsort(self.rows[which], kind="stable")]

    def at_rows(self, rows: Which) -> Which:
        """Give the first item on each of some table rows, in the order of the rows; rows without items are left out."""
        order = np.argsort(self.rows, kind="stable")
        at = np.searchsorted(self.rows[order], rows)
        found: Which = order[np.minimum(at, len(order) - 1)]
        there: Which = found[self.rows[found] == rows]
        return there


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


Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Fault:
    """What is said of every item that has one fault; remedy and severity are the rule's own where none is given."""

    rule: str
    column: Column
    remedy: str | None = None
    severity: Severity | None = None


def say(items: ItemRows, fault: Fault, which: Which, message: Callable[[int], str]) -> list[Finding]:
    """Say one fault of a column for some items, in file order; ``message`` takes the item number."""
    if not len(which):
        return []
    which = items.in_file_order(which)
    return cell_findings(
        fault.rule,
        items.table,
        items.rows[which],
        fault.column.index,
        lambda k: message(int(which[k])),
        header=fault.column.header,
        items=lambda k: items.ids[int(which[k])],
        remedy=fault.remedy,
        severity=fault.severity,
    )


def say_blank(items: ItemRows, fault: Fault, blank: Mask, needed: Mask, words: str) -> list[Finding]:
    """Say which of the ``needed`` items lack something: each by itself, or all at once where none of them has it."""
    which = np.flatnonzero(blank & needed)
    if len(which) < 2 or len(which) < int(needed.sum()):
        return say(items, fault, which, lambda i: f"{items.ids[i]} has no {words}")
    first = int(which[np.argmin(items.rows[which])])
    return [
        found(
            fault.rule,
            f"none of the {len(which):,} leaves has {'an' if words[0] in 'aeiouAEIOU' else 'a'} {words}: "
            f"{fault.column.header} is blank",
            place_of(items.table, int(items.rows[first]), fault.column.index, fault.column.header),
            item=items.ids[first],
            remedy=fault.remedy,
            severity=fault.severity,
            count=len(which),
        )
    ]


def say_once(items: ItemRows, rule: str, where: Mask, column: Column, words: str) -> list[Finding]:
    """Say a note once for a column, with its count and first place."""
    which = np.flatnonzero(where)
    if not len(which):
        return []
    which = items.in_file_order(which)
    place = place_of(items.table, int(items.rows[which[0]]), column.index, column.header)
    message = f"{words}: {listed_of(items, which)}"
    return [found(rule, message, place, item=items.ids[int(which[0])], count=len(which))]


def listed_of(items: ItemRows, which: Which) -> str:
    """List the first of some items; the others are counted."""
    shown = ", ".join(items.ids[i] for i in which[:6].tolist())
    return shown + (f" and {len(which) - 6:,} more" if len(which) > 6 else "")


WORDS = {
    "MP229": "read as blank",
    "MP230": "read with the unit written there",
    "MP231": "read with a decimal comma or separators",
    "MP232": "an estimate and taken as a plain number",
    "MP233": "read without characters that nobody sees",
    "MP238": "read as the plain number that stands there in other digits or signs",
}
"""What was done with the cells of each rule."""


def say_read(items: ItemRows, column: Column, settled: Settled) -> list[Finding]:
    """Say once for a column, rule by rule, how many cells were read in a way that is to be told, and what they hold."""
    findings = []
    for rule, positions in settled.said.items():
        which = items.at_rows(positions + items.columns.first_row)
        if not len(which):
            continue
        rows = items.rows[which].tolist()
        texts = Counter(items.table.text(row, column.index).strip(BLANKS) for row in rows)
        cells = "1 cell is" if len(rows) == 1 else f"{len(rows):,} cells are"
        message = f"{column.header}: {cells} {WORDS[rule]} ({told(texts)}): {listed_of(items, which)}"
        place = place_of(items.table, rows[0], column.index, column.header)
        findings.append(found(rule, message, place, item=items.ids[int(which[0])], count=len(rows)))
    return findings


def told(texts: Counter[str], most: int = 3) -> str:
    """Name what cells hold, the most frequent first.

    >>> told(Counter(["TBD", "-", "TBD"]))
    'TBD twice, -'
    """
    times = {1: "", 2: " twice"}
    named = [shown(text) + times.get(n, f" {n:,} times") for text, n in texts.most_common(most)]
    return ", ".join(named) + (", …" if len(texts) > most else "")
