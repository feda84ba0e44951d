"""Units that stand in a column of their own, row by row: ``870`` and beside it ``g``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.table import Table
from massprops_cli.findings import Finding, Place, found
from massprops_cli.tables.column_units import NOTHING, Fault, StatedUnits, understood
from massprops_cli.tables.header import HeaderRow
from massprops_cli.tables.number_text import BLANKS
from massprops_cli.tables.options import TableOptions
from massprops_cli.tables.quantities import UNIT_COLUMNS, base_of, dimension_of
from massprops_cli.tables.units import Stated

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class RowUnits:
    """The units of number cells, row by row, from the ``first`` row of data on, as column ``index`` holds them.

    ``unit`` is the first one, in which a row without any is. ``texts`` are the distinct cells, ``codes (n,)`` which of
    them each row holds, ``factors`` the factor of each to ``unit``: 1 for a blank, NaN where it is no unit, for which
    ``faults`` gives rule, message and remedy. ``several``: the rows have different units.
    """

    index: int
    header: str
    first: int
    unit: Stated
    texts: tuple[str, ...]
    codes: NDArray[np.int32]
    factors: Floats
    faults: Mapping[str, Fault]
    several: bool

    def sizes(self, rows: Rows) -> Floats:
        """Give the factor to ``unit`` of some table rows ``(k,)``, 1 for what has no row of its own."""
        return np.where(rows < self.first, 1.0, self.factors[self._codes(rows)])

    def blank(self, rows: Rows) -> Mask:
        """Tell which of some table rows ``(k,)`` state no unit; what has no row of its own is none of them."""
        is_blank = np.array([not text for text in self.texts], bool)
        return is_blank[self._codes(rows)] & (rows >= self.first)

    @property
    def stated_rows(self) -> Rows:
        """The table rows that state a unit, ascending."""
        is_stated = np.array([bool(text) for text in self.texts], bool)
        return np.flatnonzero(is_stated[self.codes]) + self.first

    def text(self, row: int) -> str:
        """Give the unit of one table row, the first one where it states none."""
        stated = self.texts[self.codes[row - self.first]] if row >= self.first else ""
        return stated or self.unit.text

    @property
    def listed(self) -> str:
        """The units that are known, in the order of the table."""
        return ", ".join(text for text in self.texts if text and text not in self.faults)

    def is_all(self, stated: Stated) -> bool:
        """Tell whether every row that states a unit states this one."""
        return not self.several and not self.faults and self.unit.unit == stated.unit

    def others(self, stated: Stated) -> str:
        """List the units that are not this one."""
        sizes = zip(self.texts, self.factors.tolist(), strict=True)
        return ", ".join(text for text, size in sizes if text and size * self.unit.unit.over(stated.unit) != 1)

    def _codes(self, rows: Rows) -> NDArray[np.int32]:
        return self.codes[np.maximum(rows - self.first, 0)]


def read_row_units(
    table: Table, header: HeaderRow, first_row: int, stated: StatedUnits, options: TableOptions
) -> tuple[dict[str, RowUnits], list[Finding]]:
    """Read the columns of units, and put the first unit of each into ``stated`` for the quantities that it is of.

    Gives the units of every quantity that follows such a column. A quantity whose unit stands elsewhere too does not
    follow it: the column must then say the same.
    """
    result: dict[str, RowUnits] = {}
    findings: list[Finding] = []
    for name, sample in UNIT_COLUMNS.items():
        if name not in header.columns:
            continue
        place = table.place(header.row, header.columns[name], header.texts[header.columns[name]].strip())
        of = followers(header, sample, stated, options)
        units, fault = units_of(table, header, name, first_row, options)
        if units is None or not of:
            what = "no cell states a unit" if of else f"the table has no column such as {sample} whose unit it could be"
            rule, message, remedy = fault or ("MP225", what, None)
            findings.append(found(rule, f"{place.column} is not read: {message}", place, remedy=remedy))
            continue
        known = [quantity for quantity in of if quantity in stated.of]
        findings += [conflict(header, q, units, stated, place) for q in known if not units.is_all(stated.of[q])]
        follow = [quantity for quantity in of if quantity not in stated.of]
        result.update(dict.fromkeys(follow, units))
        stated.of.update(dict.fromkeys(follow, units.unit))
        if follow:
            findings.append(taken(units, follow, place))
    return result, findings


def followers(header: HeaderRow, sample: str, stated: StatedUnits, options: TableOptions) -> list[str]:
    """Give the quantities whose unit a column may state: those of one dimension, sigmas only where they are read."""
    silent = stated.percent | stated.refused
    alike = [q for q in header.columns if dimension_of(q) == dimension_of(sample) and q not in silent]
    return [quantity for quantity in alike if options.use_sigmas or quantity == base_of(quantity)]


def units_of(
    table: Table, header: HeaderRow, name: str, first_row: int, options: TableOptions
) -> tuple[RowUnits | None, Fault | None]:
    """Read one column of units; None where no cell holds one, with the fault of the first. Distinct texts only."""
    column = header.columns[name]
    cells = [text.strip(BLANKS) for text in table.texts(column, first_row)]
    numbers = {text: k for k, text in enumerate(dict.fromkeys(cells))}
    read = {text: understood(UNIT_COLUMNS[name], text, options) for text in numbers if text not in NOTHING}
    known = [unit for unit, _ in read.values() if unit is not None]
    faults = {text: fault for text, (unit, fault) in read.items() if unit is None}
    if not known:
        return None, next(iter(faults.values()), None)
    factors = np.ones(len(numbers))
    for text, (unit, _) in read.items():
        factors[numbers[text]] = np.nan if unit is None else unit.unit.over(known[0].unit)
    texts = tuple("" if text in NOTHING else text for text in numbers)
    codes = np.fromiter(map(numbers.__getitem__, cells), np.int32, len(cells))
    several = len({unit.unit for unit in known}) > 1
    name = header.texts[column].strip() or f"column {column + 1}"
    return RowUnits(column, name, first_row, known[0], texts, codes, factors, faults, several), None


def conflict(header: HeaderRow, quantity: str, units: RowUnits, stated: StatedUnits, place: Place) -> Finding:
    """Refuse a quantity whose own unit is another one than its rows say."""
    column = header.texts[header.columns[quantity]].strip()
    message = f"{column} is in {stated.of[quantity].text}, and {units.header} says {units.others(stated.of[quantity])}"
    return found("MP209", message, place, value=units.header)


def taken(units: RowUnits, follow: list[str], place: Place) -> Finding:
    """Say once that a column holds the units of others, and in what a row without one is."""
    message = f"{units.header} holds the units of {', '.join(follow)}: {units.listed}; results without one are in "
    return found("MP234", message + units.unit.text, place, count=len(follow))
