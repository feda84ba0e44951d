"""Several tables on a sheet: one below another after a blank row, or beside another after a blank column.

A *block* is a header with the rows and columns that go with it. A table with blank columns in it is one block: a block
at its side is a table of its own only where it can stand alone, and tells nothing that the first one lacks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from massprops_cli.files.table import ReadsAhead, Table
from massprops_cli.tables.cells.number_text import is_number
from massprops_cli.tables.columns.looks import looks_like_header
from massprops_cli.tables.finding_table.named import Named, named_in

TITLES = 3
"""How many rows of titles may stand between a blank row and the header of a further table."""


@dataclass(frozen=True, slots=True)
class Block:
    """A table on a sheet: its ``header`` row, its rows from ``first`` up to ``end``, and columns that are others'."""

    header: int
    first: int
    end: int
    beside: frozenset[int] = frozenset()


def blocks_of(table: Table, named: Named, mapping: Mapping[str, str]) -> list[Block]:
    """List the tables of a sheet, from the top and from the left; ``named`` is the header of the first.

    A large plain text is one table: what is found here stands in sheets, and in texts made of sheets.
    """
    if isinstance(table, ReadsAhead):
        return [Block(named.row, 0, table.n_rows)]
    headers = [(0, named.row), *headers_below(table, named)]
    ends = [*(first for first, _ in headers[1:]), table.n_rows]
    return [
        block
        for (first, header), end in zip(headers, ends, strict=True)
        for block in _side_by_side(table, Block(header, first, end), mapping)
    ]


def headers_below(table: Table, named: Named) -> list[tuple[int, int]]:
    """Find further headers: (first row of their titles, row), each soon after a blank row."""
    key = min(named.columns, key=lambda j: (j in named.numbers(), j), default=0)
    blank = [i for i, text in enumerate(table.texts(key, named.row + 1), named.row + 1) if not text.strip()]
    found: dict[int, int] = {}
    for i in blank:
        if _is_blank(table, i) and i + 1 < table.n_rows and not _is_blank(table, i + 1):
            header = _below_titles(table, i + 1)
            if header is not None:
                found.setdefault(header, i + 1)
    return [(first, header) for header, first in found.items()]


def _below_titles(table: Table, row: int) -> int | None:
    """Give the row of the header that begins at ``row``, or below rows of one cell or none; None where none does."""
    for i in range(row, min(row + TITLES, table.n_rows)):
        if _is_header(table, i):
            return i
        if sum(bool(text.strip()) for text in table.row(i)) > 1:
            return None
    return None


def _is_blank(table: Table, row: int) -> bool:
    return not any(text.strip() for text in table.row(row))


def _is_header(table: Table, row: int) -> bool:
    texts = table.row(row)
    return not any(map(is_number, texts)) and looks_like_header(texts)


def _side_by_side(table: Table, block: Block, mapping: Mapping[str, str]) -> list[Block]:
    """Split a block at its blank columns, where that leaves something that stands beside a whole table."""
    texts = table.row(block.header)
    runs = runs_of_columns(table, block, texts)
    whole = [run for run in runs if looks_like_header([texts[j] for j in run])]
    if len(runs) < 2 or not whole:
        return [block]
    everywhere = frozenset(j for run in runs for j in run)
    if len(whole) > 1:
        return [Block(block.header, block.first, block.end, everywhere - set(run)) for run in whole]
    own = set(_quantities(texts, whole[0], mapping))
    beside: set[int] = set()
    for run in runs:
        told = _quantities(texts, run, mapping)
        if run is not whole[0] and (own.issuperset(told) if told else _reaches_beyond(table, block, whole[0], run)):
            beside |= set(run)
    return [Block(block.header, block.first, block.end, frozenset(beside))]


def runs_of_columns(table: Table, block: Block, texts: Sequence[str]) -> list[list[int]]:
    """Give the columns between blank ones; ``texts`` are the header's."""
    runs: list[list[int]] = [[]]
    for j, text in enumerate(texts):
        if text.strip() or any(map(str.strip, table.texts(j, block.header + 1)[: block.end - block.header - 1])):
            runs[-1].append(j)
        elif runs[-1]:
            runs.append([])
    return [run for run in runs if run]


def _quantities(texts: Sequence[str], run: Sequence[int], mapping: Mapping[str, str]) -> list[str]:
    return list(named_in([texts[j] for j in run], mapping).values())


def _reaches_beyond(table: Table, block: Block, own: Sequence[int], run: Sequence[int]) -> bool:
    """Tell whether a run of columns has cells in rows where the table's own columns have none."""
    rows = (table.row(i) for i in range(block.header + 1, block.end))
    return any(any(texts[j].strip() for j in run) and not any(texts[j].strip() for j in own) for texts in rows)
