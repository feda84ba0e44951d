"""Number columns: every cell settled as a number, a blank, or a cell that is neither."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.table import BLANK, TEXT, Numbers, Table
from massprops_cli.tables.cells.cell_reading import BLANK_WORD, Cell, asks_for_marks, read_cells
from massprops_cli.tables.cells.cell_rules import PLAIN, CellRules
from massprops_cli.tables.cells.number_faults import Reason, why_not_a_number
from massprops_cli.tables.cells.number_text import (
    BLANKS,
    NUMBER,
    half_unit_of_last_digit,
    is_number,
    is_written_nonzero,
    read_number,
)

__all__ = [
    "BLANKS",
    "Reason",
    "Settled",
    "half_unit_of_last_digit",
    "is_number",
    "read_number",
    "read_texts",
    "settle",
    "why_not_a_number",
    "words_refused",
]

_CHARACTERS = b"0123456789.eE+-\n"
"""Of texts in these characters alone, ``float`` takes those that are numbers here, and no others."""


class Settled(NamedTuple):
    """A number column read to its end, from ``start`` on.

    ``values (n,)`` float64, NaN where there is no number; ``blank (n,)`` bool; ``bad (k,)`` positions (from
    ``start``) of the cells that hold something which is no number. ``said`` rule → positions of the cells that were
    read in a way to be told once for the column; ``measures`` position → the unit of measure its cell names.
    """

    values: NDArray[np.float64]
    blank: NDArray[np.bool_]
    bad: NDArray[np.intp]
    said: Mapping[str, NDArray[np.intp]] = MappingProxyType({})
    measures: Mapping[int, str] = MappingProxyType({})


def settle(table: Table, column: int, numbers: Numbers, start: int, rules: CellRules = PLAIN) -> Settled:
    """Read the cells of a column that its reader left open (TEXT) as text: strictly, and by the rules of its cells."""
    blank = numbers.states == BLANK
    open_cells = np.flatnonzero(numbers.states == TEXT)
    if not len(open_cells) and rules.decimal != ",":
        return Settled(numbers.values, blank, open_cells)
    texts = table.texts(column, start)
    chosen = [text.strip(BLANKS) for text in (texts if len(open_cells) == len(texts) else picked(texts, open_cells))]
    read, good = read_texts(chosen)
    values = numbers.values.copy()
    values[open_cells] = read
    odd = open_cells[~good]
    if rules.decimal == "," or (len(odd) and asks_for_marks(picked(texts, odd))):
        odd = np.union1d(odd, _with_point(table, column, start, values, texts))
    return _settled(values, blank, odd, read_cells(picked(texts, odd), rules))


def _with_point(
    table: Table, column: int, start: int, values: NDArray[np.float64], texts: Sequence[str]
) -> NDArray[np.intp]:
    """Give the positions of numbers written with a point: the decimal one of 412.5 shows what 2,450 is."""
    written = np.flatnonzero(~np.isnan(values) & ~table.is_typed(column, start))
    return np.array([i for i in written.tolist() if "." in texts[i]], np.intp)


def _settled(
    values: NDArray[np.float64], blank: NDArray[np.bool_], odd: NDArray[np.intp], cells: Sequence[Cell]
) -> Settled:
    """Put the cells that are no plain numbers among the others."""
    if not len(odd):
        return Settled(values, blank, odd)
    values[odd] = [np.nan if cell.value is None else cell.value for cell in cells]
    empty = np.array([cell.blank for cell in cells])
    blank = blank.copy()
    blank[odd[empty]] = True
    said: dict[str, list[int]] = {}
    for i, cell in zip(odd.tolist(), cells, strict=True):
        for rule in cell.said:
            said.setdefault(rule, []).append(i)
    told = {rule: np.array(positions, np.intp) for rule, positions in sorted(said.items())}
    measures = {i: cell.measure for i, cell in zip(odd.tolist(), cells, strict=True) if cell.measure}
    return Settled(values, blank, odd[np.isnan(values[odd]) & ~empty], told, measures)


def words_refused(settled: Settled) -> Settled:
    """Take words for blank as cells that are no number, where a blank would count as one: in quantities."""
    words = settled.said.get(BLANK_WORD)
    if words is None:
        return settled
    blank = settled.blank.copy()
    blank[words] = False
    others = {rule: positions for rule, positions in settled.said.items() if rule != BLANK_WORD}
    return Settled(settled.values, blank, np.union1d(settled.bad, words), others, settled.measures)


def picked(texts: Sequence[str], where: NDArray[np.intp]) -> list[str]:
    """Pick the texts at some positions."""
    return [texts[i] for i in where.tolist()]


def read_texts(texts: list[str]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Read trimmed texts ``(n,)`` as numbers: values, NaN where not ``good``; and ``good (n,)``.

    >>> values, good = read_texts(["1", "2.5", "x"])
    >>> values.tolist(), good.tolist()
    ([1.0, 2.5, nan], [True, True, False])
    """
    read = _read_at_once(texts)
    if read is None:
        match = NUMBER.fullmatch
        read = [float(text) if match(text) else np.nan for text in texts]
    values = np.array(read, dtype=np.float64)
    lost = np.isinf(values)
    for i in np.flatnonzero(values == 0.0).tolist():
        lost[i] = is_written_nonzero(texts[i])
    values[lost] = np.nan
    return values, ~np.isnan(values)


def _read_at_once(texts: list[str]) -> list[float] | None:
    """Read texts that are all numbers, the usual case, with one look at their characters."""
    joined = "\n".join(texts)
    if not joined.isascii() or joined.encode().translate(None, _CHARACTERS) or joined.count("\n") >= len(texts):
        return None
    try:
        return list(map(float, texts))
    except ValueError:
        return None
