"""Signs that words state: the sides of coordinates (``1.85A``, ``0.04P``), and the sign of products of inertia.

Which side is positive follows from ``--positive``, from the texts of the header and above it (``forward positive``), or
from a column of moments with signs, which is mass × coordinate in every row. Otherwise the coordinates are not read.

Columns that state the side of a coordinate, ``P`` or ``S`` next to TCG, are read in the same way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from massprops_cli._patterns import lazy_pattern
from massprops_cli.files import Table, TableView
from massprops_cli.findings import Findings
from massprops_cli.tables.cells import CENTER_COLUMNS, half_unit_of_cell, read_number
from massprops_cli.tables.columns.headings import is_quantity_like, read_headings, squeeze_text
from massprops_cli.tables.columns.mass_relations import RowSample
from massprops_cli.tables.options import TableOptions
from massprops_cli.tables.words import words

_Floats = NDArray[np.float64]

_SAMPLE_ROWS = 200
"""A column whose first so many rows hold anything else holds no sides, and is not read to its end."""
_MIN_MOMENT_ROWS = 2
"""How many rows a column of moments must hold in, with coordinates other than 0."""
_CELL = lazy_pattern(
    r"(?P<number>\d[\d.,]*)\s*(?P<side>[^\W\d_][\w.]*)|(?P<first>[^\W\d_][\w.]*)\s*(?P<last>\d[\d.,]*)"
)
"""A number and its side, in either order."""


@dataclass(frozen=True, slots=True)
class _SideColumn:
    """A coordinate whose sides are words: its column and ``quantity``, and the column of the ``sides``.

    ``cells`` are, by row, the number as written, and the side: 0 for the first of the axis, 1 for the other one.
    """

    column: int
    quantity: str
    sides: int
    cells: Mapping[int, tuple[str, int]]
    names: tuple[str, str]


@lru_cache(maxsize=1)
def _side_words() -> dict[str, dict[str, int]]:
    """Load the words for the sides of each coordinate, in small letters and without points → 0 or 1."""
    return {
        entry["of"]: {_normalized_side(text): k for k in (0, 1) for text in entry[("one", "other")[k]]}
        for entry in words("sides")["side"]
    }


def _normalized_side(text: str) -> str:
    """Convert a cell into the form in which sides are compared."""
    return text.strip().casefold().strip(".")


def sign_side_cells(table: Table, row: int, options: TableOptions, findings: Findings) -> Table:
    """Show coordinates with sides in words as numbers with signs.

    Parameters
    ----------
    table : Table
        Table as the file has it.
    row : int
        Row of the header, from 0.
    options : TableOptions
        Options for the interpretation of the table; ``positive`` names sides.
    findings : Findings
        Collector; findings are appended: which side is positive (MP261), or that none is known (MP260).

    Returns
    -------
    Table
        View of the table; the table itself where no cell states a side. Coordinates without a known sign are blank.

    Examples
    --------
    >>> from massprops_cli.files.table import GridTable, TableSource
    >>> rows = [["id", "mass", "LCG [m]"], ["a", "2", "1.5A"], ["b", "1", "3F"]]
    >>> table = GridTable(TableSource("a.csv", "csv"), rows)
    >>> view = sign_side_cells(table, 0, TableOptions(positive=("F",)), Findings())
    >>> view.text(1, 2), view.text(2, 2)
    ('-1.5', '3')
    """
    cells: dict[tuple[int, int], str] = {}
    unknown: set[int] = set()
    for side in _side_columns(table, row, options):
        header = table.text(row, side.column).strip()
        place = table.place(row, side.sides, table.text(row, side.sides).strip())
        positive, reason = _positive_side(table, row, side, options)
        if positive is None:
            first, other = side.names
            next_to = table.text(row, side.sides).strip() or f"column {side.sides + 1}"
            message = f"{next_to} states the side of each {header}, and is not read as a sign"
            if side.sides == side.column:
                message = f"cells of {header} state sides, {first} and {other}, and are not read as numbers with signs"
            remedy = f"pass --positive {first}, or --positive {other}, or write the numbers with their signs"
            findings.report("MP260", message, place, value=header, remedy=remedy)
            unknown.add(side.column)
            continue
        signs = ("", "-") if positive == 0 else ("-", "")
        cells |= {(i, side.column): f"{signs[k]}{number}" for i, (number, k) in side.cells.items()}
        names = f"{side.names[positive]} read as +, {side.names[1 - positive]} as −"
        findings.report("MP261", f"{header}: {names} ({reason})", place, value=header, count=len(side.cells))
    return TableView(table, columns=unknown, cells=cells) if cells or unknown else table


def _side_columns(table: Table, row: int, options: TableOptions) -> Iterator[_SideColumn]:
    """Yield the coordinates with sides in their own cells, or in the column to their right if the sides differ."""
    texts = table.row(row)
    mapped = {squeeze_text(text): quantity for quantity, text in options.map.items()}
    for j, heading in enumerate(read_headings(texts)):
        quantity = mapped.get(squeeze_text(texts[j])) or heading.quantity
        if quantity not in CENTER_COLUMNS:
            continue
        known = _side_words()[quantity]
        head = [text for i in range(row + 1, min(table.n_rows, row + 1 + _SAMPLE_ROWS)) if (text := table.text(i, j))]
        if any(_split_side(text, known) for text in head):
            parts = ((i, _split_side(text, known)) for i, text in enumerate(table.texts(j, row + 1), row + 1))
            own = {i: part for i, part in parts if part is not None}
            yield _SideColumn(j, quantity, j, {i: (n, known[s]) for i, (n, s) in own.items()}, _names(own, known))
        elif j + 1 < len(texts) and not _is_read(texts[j + 1]) and _is_side_column(table, j + 1, row + 1, known):
            sides = enumerate(table.texts(j + 1, row + 1), row + 1)
            next_to = {i: (table.text(i, j).strip(), _normalized_side(text)) for i, text in sides if text.strip()}
            numbers = {i: part for i, part in next_to.items() if (read_number(part[0]) or -1.0) >= 0}
            signed = {i: (n, known[s]) for i, (n, s) in numbers.items()}
            yield _SideColumn(j, quantity, j + 1, signed, _names(next_to, known))


def _is_read(header: str) -> bool:
    return is_quantity_like(header)


def _is_side_column(table: Table, column: int, first: int, known: Mapping[str, int]) -> bool:
    """Return whether a column holds words for the two sides of a coordinate, and nothing else."""
    rows = range(first, min(table.n_rows, first + _SAMPLE_ROWS))
    head = {_normalized_side(table.text(i, column)) for i in rows} - {""}
    if not head or not head <= known.keys():
        return False
    sides = {_normalized_side(text) for text in set(table.texts(column, first))} - {""}
    return len(sides) > 1 and sides <= known.keys()


def _split_side(text: str, known: Mapping[str, int]) -> tuple[str, str] | None:
    """Split a number from its side; None for other texts."""
    match = _CELL.fullmatch(text.strip())
    if match is None:
        return None
    number, side = (match["number"], match["side"]) if match["number"] else (match["last"], match["first"])
    side = _normalized_side(side)
    return (number, side) if side in known else None


def _names(cells: Mapping[int, tuple[str, str]], known: Mapping[str, int]) -> tuple[str, str]:
    """Return what the two sides are called: as the cells have it, or by the first word for a side that none has."""
    found = {known[side]: side.upper() if len(side) < 3 else side for _, side in cells.values()}
    usual = {k: next(word for word, of in known.items() if of == k).upper() for k in (0, 1)}
    return found.get(0, usual[0]), found.get(1, usual[1])


def _positive_side(table: Table, row: int, side: _SideColumn, options: TableOptions) -> tuple[int | None, str]:
    """Return which side is positive, and what shows it; None where nothing does, or texts contradict each other."""
    known = _side_words()[side.quantity]
    given = {known[word] for word in map(_normalized_side, options.positive) if word in known}
    if given:
        return (given.pop(), "--positive") if len(given) == 1 else (None, "")
    own = table.text(row, side.column)
    above = " ".join(text for i in range(row) for text in table.row(i) if text.strip())
    for text in (own, above):
        stated = {sign for word, k in known.items() for sign in _stated_signs(text, word, k)}
        if len(stated) == 1:
            return stated.pop(), "as the header states" if text == own else "as the text above the header states"
    return _side_by_moments(table, row, side)


def _stated_signs(text: str, word: str, k: int) -> Iterator[int]:
    """Yield the positive side as a text states it: ``forward positive``, ``+ aft``, ``F (+)``, ``aft negative``."""
    start, end = rf"(?<![^\W\d_]){re.escape(word)}(?![^\W\d_])", r"(?:is|are|=|to|towards?|the|:|\(|\)|\s)*"
    for mark, of in ((r"(?:positive|\+ve|\+)", k), (r"(?:negative|-ve)", 1 - k)):
        if re.search(rf"{start}{end}{mark}|{mark}{end}{start}", text, re.IGNORECASE):
            yield of


def _side_by_moments(table: Table, row: int, side: _SideColumn) -> tuple[int | None, str]:
    """Find the positive side by a column of moments with signs: mass × coordinate in every row."""
    sample = RowSample(table, row)
    numeric = [j for j in range(table.n_columns) if j not in (side.column, side.sides) and sample.is_numeric(j)]
    cells = [side.cells.get(i) for i in sample.rows]
    size = np.array([np.nan if cell is None else read_number(cell[0].replace(",", "")) or 0.0 for cell in cells])
    half = np.array([0.0 if cell is None else half_unit_of_cell(cell[0]) for cell in cells])
    first = np.array([1.0 if cell is not None and cell[1] == 0 else -1.0 for cell in cells])
    for moment in numeric:
        moments, half_moment = sample.numbers(moment)
        for mass in (j for j in numeric if j != moment):
            masses, half_mass = sample.numbers(mass)
            known = np.isfinite(size) & np.isfinite(moments) & np.isfinite(masses)
            rounding = (half_moment + np.abs(masses) * half + size * half_mass) * (1 + 1e-9)
            of_first = _fits(masses * size * first, moments, rounding, known)
            of_other = _fits(-masses * size * first, moments, rounding, known)
            if of_first != of_other:
                names = [table.text(row, j).strip() for j in (moment, mass, side.column)]
                rows = int(known.sum())
                return (0 if of_first else 1), f"{names[0]} is {names[1]} × {names[2]} in {rows} rows"
    return None, ""


def _fits(computed: _Floats, stated: _Floats, rounding: _Floats, known: NDArray[np.bool_]) -> bool:
    """Return whether numbers agree within rounding in all known rows, two with other numbers than 0 at least."""
    decisive = known & (np.abs(computed) > rounding)
    fits = np.abs(computed - stated) <= rounding
    return bool(fits[known].all()) and int(decisive.sum()) >= _MIN_MOMENT_ROWS


_PRODUCT_FORMULA = lazy_pattern(
    r"\bI?\s*_?xy\s*=\s*(?P<sign>[-−–+]?)\s*(?:∫|Σ|integral|int\b|sum)\s*(?:of\s+)?\(?\s*x\s*[*·× ]?\s*y", re.IGNORECASE
)
"""A formula of a product of inertia: ``Ixy = -integral(x*y dm)``."""


def stated_product_sign(texts: Sequence[str]) -> str:
    """Find the sign convention of products of inertia that texts state by a formula.

    Parameters
    ----------
    texts : sequence of str
        Texts above a header, and those of the header.

    Returns
    -------
    str
        ``-`` for the tensor entry Ixy = −∫xy dm, ``+`` for +∫xy dm; empty without a formula, or with two that differ.

    Notes
    -----
    Products of inertia and their signs: docs/formulas.md, section 1.

    Examples
    --------
    >>> stated_product_sign(["inertia about the com; ixy = -integral(x*y dm) as in URDF"])
    '-'
    >>> stated_product_sign(["Ixy = ∫xy dm"]), stated_product_sign(["Ixy"])
    ('+', '')
    """
    signs = {"+" if match["sign"] in ("", "+") else "-" for text in texts for match in _PRODUCT_FORMULA.finditer(text)}
    return signs.pop() if len(signs) == 1 else ""
