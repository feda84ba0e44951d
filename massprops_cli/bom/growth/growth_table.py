"""A table of growth allowances: category × maturity → percent, the user's own file or an example that comes along.

    category,estimated,calculated,weighed
    structure,18,8,0
    any,25,10,0

A row ``any`` holds for every category that has no row of its own. Lines that begin with ``#`` are remarks.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from math import isnan
from pathlib import Path

from massprops_cli.findings import UsageError
from massprops_cli.findings.nearest import nearest
from massprops_cli.tables.cells.number_text import read_number
from massprops_cli.tables.columns.headings import squeeze

SHIPPED = ("maturity-by-category", "esa-new-modified-shelf", "cubesat-by-source")
"""Examples by name, each with its source in its first lines; none is a standard."""
ANY = "any"


@dataclass(frozen=True, slots=True)
class GrowthTable:
    """Percentages by squeezed category and squeezed maturity; the words as they are written, for messages."""

    name: str
    categories: tuple[str, ...]
    maturities: tuple[str, ...]
    percent: Mapping[tuple[str, str], float]

    @property
    def needs_category(self) -> bool:
        """Whether a category decides anything."""
        return [squeeze(word) for word in self.categories] != [ANY]

    def of(self, category: str, maturity: str) -> float:
        """Give the percentage; raises NotInTableError for a word that is not in the table.

        >>> table = growth_table("maturity-by-category")
        >>> table.of("Propulsion", "estimated"), table.of("life support", "Pre-released")
        (18.0, 12.0)
        """
        column = squeeze(maturity)
        if column not in {squeeze(word) for word in self.maturities}:
            raise NotInTableError("maturity", maturity, self.name, self.maturities)
        for row in (squeeze(category), ANY):
            if (found := self.percent.get((row, column))) is not None:
                return found
        raise NotInTableError("category", category, self.name, self.categories)


class NotInTableError(UsageError):
    """A ``word`` that a growth table has not got; ``column`` is category or maturity."""

    def __init__(self, column: str, word: str, name: str, known: tuple[str, ...]) -> None:
        hint = nearest(word, known) or f"; it has {', '.join(known)}"
        super().__init__(f"the {column} {word} is not in {name}{hint}")
        self.column = column


def growth_table(name: str) -> GrowthTable:
    """Read a shipped table by its name, or a file; raises UsageError for what is no table of percentages."""
    try:
        if name in SHIPPED:
            text = files(__package__).joinpath("tables", f"{name}.csv").read_text(encoding="utf-8")
        else:
            text = Path(name).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        shipped = ", ".join(SHIPPED)
        raise UsageError(
            f"{name}: the growth table cannot be read: {why}; examples that come along: {shipped}"
        ) from None
    return table_of(name, text.splitlines())


def table_of(name: str, lines: Iterable[str]) -> GrowthTable:
    """Make a table of the lines of a csv file; raises UsageError."""
    try:
        rows = [row for row in csv.reader(lines, strict=True) if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise UsageError(f"{name}: not csv: {error}") from None
    rows = [[cell.strip() for cell in row] for row in rows if not row[0].startswith("#")]
    if len(rows) < 2 or squeeze(rows[0][0]) != "category" or len(rows[0]) < 2:
        raise UsageError(f"{name}: a growth table begins with a header such as category,estimated,calculated,weighed")
    maturities = rows[0][1:]
    percent: dict[tuple[str, str], float] = {}
    for row in rows[1:]:
        if len(row) != len(rows[0]):
            raise UsageError(f"{name}: the row {row[0]} has {len(row)} cells, and the header {len(rows[0])}")
        for maturity, cell in zip(maturities, row[1:], strict=True):
            key = squeeze(row[0]), squeeze(maturity)
            if not all(key) or key in percent:
                raise UsageError(
                    f"{name}: {row[0] or 'blank'}, {maturity or 'blank'} stands there twice, or has no name"
                )
            percent[key] = percent_of(name, row[0], maturity, cell)
    return GrowthTable(name, tuple(row[0] for row in rows[1:]), tuple(maturities), percent)


def percent_of(name: str, category: str, maturity: str, cell: str) -> float:
    """Read one percentage; raises UsageError for what is none, or is negative."""
    number = read_number(cell.removesuffix("%"))
    if number is None or isnan(number) or number < 0:
        raise UsageError(f"{name}: {category}, {maturity} is {cell or 'blank'}; it takes a percentage from 0 on")
    return number
