"""Rows that are no items: totals, subtotals, margins and limits, by what they are called and where they stand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import isnan
from typing import Protocol

from massprops_cli.files.table import Table
from massprops_cli.tables.cells.number_text import read_number
from massprops_cli.tables.cells.numbers import settle
from massprops_cli.tables.columns.columns import Columns
from massprops_cli.tables.rows.total_words import first_words, kind_of

PLACING = ("parent", "child", "level", "item")
"""Quantities whose cells give a row its place in the tree."""
NAMING = ("id", "part", "child", "name", "item")
"""Quantities whose cells say what a row is, so that rows below it may refer to it."""
LOOKED_AT = 5_000
"""Rows of a table that are all looked at, cell by cell; of a longer one those without a place, and the ``LAST``."""
LAST = 200


class Kind(Protocol):
    """What tells the kind that a label names, or nothing."""

    def __call__(self, text: str, *, alone: bool) -> str:
        """Name the kind of a label; ``alone``: it is the only text of its row."""
        ...


@dataclass(frozen=True, slots=True)
class TotalRow:
    """A row that is no item: its table row, ``kind`` (total, subtotal, margin or limit) and label as written.

    ``mass`` is its number under the masses, in the column's own unit; None where there is none.
    """

    row: int
    kind: str
    label: str
    mass: float | None


def find_totals(
    table: Table, columns: Columns, kind: Kind = kind_of, among: Iterable[int] | None = None
) -> list[TotalRow]:
    """Find the rows of a table that are totals, subtotals, margins and limits, in the order of the table.

    ``kind`` tells what a label names; with ``doubtful_kind_of`` the rows are those that may be items too. ``among`` are
    the rows to look at, where they are known.
    """
    parents: set[str] | None = None
    rows: list[TotalRow] = []
    for i in candidates(table, columns) if among is None else among:
        texts = table.row(i)
        labelled = label_of(texts, columns, kind)
        if labelled is None:
            continue
        if parents is None:
            parents = named_parents(table, columns)
        j, named = labelled
        if texts[j].strip() in parents:
            continue
        rows.append(TotalRow(i, named, texts[j].strip(), None))
    return with_masses(table, columns, rows) if rows else []


def with_masses(table: Table, columns: Columns, rows: list[TotalRow]) -> list[TotalRow]:
    """Read what the rows state under the masses, as cells of that column are read."""
    column, first = columns.by_quantity.get("mass"), columns.first_row
    if column is None:
        return rows
    masses = settle(table, column.index, table.numbers([column.index], first)[0], first, column.rules).values
    in_unit = [column.size(total.row) / column.factor for total in rows]
    stated = [float(masses[total.row - first]) * size for total, size in zip(rows, in_unit, strict=True)]
    return [replace(total, mass=None if isnan(mass) else mass) for total, mass in zip(rows, stated, strict=True)]


def candidates(table: Table, columns: Columns) -> Iterator[int]:
    """Give the rows that may be totals, ascending; a long table costs no look at every cell."""
    first, named = columns.first_row, columns.by_quantity
    placing = [named[name].index for name in PLACING if name in named]
    if table.n_rows - first > LOOKED_AT and placing:
        last = table.n_rows - LAST
        yield from (first + k for k in blanks(table.texts(placing[0], first)) if first + k < last)
        yield from range(last, table.n_rows)
        return
    looked_at: Iterable[int] = range(table.n_columns)
    if table.n_rows - first > LOOKED_AT:
        looked_at = [named[name].index for name in NAMING if name in named]
    hits = (rows_with_words(table.texts(j, first)) for j in looked_at)
    yield from (first + k for k in sorted(set[int]().union(*hits)))


def rows_with_words(texts: Sequence[str]) -> set[int]:
    """Give the positions of texts that hold a first word of a label; most columns hold none, which one search tells.

    >>> sorted(rows_with_words(["Wing", "TOTAL", "Total station", "", "Totals2", "Totality"]))
    [1, 2, 4]
    """
    column = "\n".join(texts).casefold()
    # a letter is looked for faster than a word, and columns of numbers hold none of the first ones
    words = [word for word in first_words() if word[0] in column and word in column]
    own = re.compile(rf"(?<![^\W\d_])(?:{'|'.join(map(re.escape, words))})(?![^\W\d_])")
    if not words or own.search(column) is None:
        return set()
    return {k for k, text in enumerate(texts) if own.search(text.casefold())}


def blanks(texts: Sequence[str]) -> Iterator[int]:
    """Give the positions of blank texts, at the speed of a search.

    >>> list(blanks(["a", "", "b", ""]))
    [1, 3]
    """
    k = -1
    try:
        while True:
            k = texts.index("", k + 1)
            yield k
    except ValueError:
        return


def label_of(texts: Sequence[str], columns: Columns, kind: Kind) -> tuple[int, str] | None:
    """Find the label in a row that has no place in the tree: its column, and the kind it names; else None."""
    named = columns.by_quantity
    numeric = {column.index for name, column in named.items() if name not in (*NAMING, *PLACING, "uom")}
    filled = [j for j, text in enumerate(texts) if text.strip()]
    words = [j for j in filled if read_number(texts[j]) is None]
    for j in words:
        label = kind(texts[j], alone=not [k for k in words if k != j and k not in numeric])
        if label and not [k for k in filled if k != j and k in places_of(columns)]:
            return j, label
    return None


def places_of(columns: Columns) -> set[int]:
    """Give the columns of which a filled cell makes a row an item: its place, and its id or part number."""
    return {columns.by_quantity[name].index for name in (*PLACING, "id", "part") if name in columns.by_quantity}


def named_parents(table: Table, columns: Columns) -> set[str]:
    """Give everything that rows name as their parent."""
    parent = columns.by_quantity.get("parent")
    return set() if parent is None else {text.strip() for text in table.texts(parent.index, columns.first_row)} - {""}
