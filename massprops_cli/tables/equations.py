"""Equations of a table: relations between its columns of numbers, tested with the rounding of the written digits."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.table import Floats, Table
from massprops_cli.tables.cells.cell_words import doubtful_label_kind, label_kind
from massprops_cli.tables.cells.number_text import CellRules, split_cell_text
from massprops_cli.tables.cells.numbers import half_unit_of_cell, is_filled_text, read_number_cells
from massprops_cli.tables.cells.units import KILOGRAM, MASS, unit_of_dimension

_MAX_TESTED_ROWS = 1_000  # number of rows tested below the header
_UNIT_ROWS = 20  # cells that are examined for a unit of mass
_SUMMATION_TOLERANCE = 1e-9  # the relative difference that binary fractions and another order of adding explain
MIN_RELATION_ROWS = 2  # how many rows a relation must hold in


class Amounts(NamedTuple):
    """Numbers of rows, and by how much each may be off for the rounding of the digits that were written."""

    values: Floats  # (n,), NaN without a number
    half: Floats  # (n,), half units of the last digits

    @property
    def exact(self) -> Amounts:
        """These numbers without any rounding."""
        return Amounts(self.values, np.zeros(len(self.values)))

    @property
    def without_blanks(self) -> Amounts:
        """These numbers with 0 for each blank."""
        return Amounts(np.nan_to_num(self.values), self.half)

    def fits(self, stated: Amounts) -> NDArray[np.bool_]:
        """Test which of these numbers (n,) are the stated ones, within the rounding of both; not where one is blank."""
        allowed = self.half + stated.half + _SUMMATION_TOLERANCE * np.abs(stated.values)
        return np.abs(self.values - stated.values) <= allowed

    def scaled(self, factor: float | Floats) -> Amounts:
        """Multiply by one exact number, such as a unit, or by one for each row (n,), such as a count of pieces."""
        return Amounts(self.values * factor, self.half * np.abs(factor))

    def plus(self, other: Amounts) -> Amounts:
        """Add other numbers."""
        return Amounts(self.values + other.values, self.half + other.half)

    def minus(self, other: Amounts) -> Amounts:
        """Subtract other numbers."""
        return self.plus(other.scaled(-1))

    def times(self, other: Amounts) -> Amounts:
        """Multiply by other numbers."""
        return Amounts(self.values * other.values, np.abs(self.values) * other.half + np.abs(other.values) * self.half)

    def shifted(self, number: float) -> Amounts:
        """Add an exact number."""
        return Amounts(self.values + number, self.half)

    def inverse(self) -> Amounts:
        """Divide 1 by each number."""
        with np.errstate(divide="ignore", invalid="ignore"):  # infinite or NaN for 0
            return Amounts(1 / self.values, self.half / self.values**2)


class RowSample:
    """The first rows below a header, column by column, without rows whose label names a sum, a margin or a limit."""

    def __init__(self, table: Table, row: int) -> None:
        self.table, self.row = table, row
        last = min(table.n_rows, row + 1 + _MAX_TESTED_ROWS)
        texts = {i: table.row(i) for i in range(row + 1, last)}
        labelled = {i for i, cells in texts.items() if is_labelled_row(cells)}
        self.rows = [i for i in texts if i not in labelled]
        self.cells = [texts[i] for i in self.rows]
        self.totals = [texts[i] for i in sorted(labelled) if any(label_kind(text) == "total" for text in texts[i])]
        info = table.sheet_info
        self.formulas = frozenset[tuple[int, int]]() if info is None else info.formulas
        self._read: dict[int, Amounts] = {}

    def numbers(self, j: int) -> Amounts:
        """Read a column (n,) in its unit; only typed numbers are rounded."""
        if j not in self._read:
            read = self._amounts(self.cells, j)
            half = [0.0 if (i, j) in self.formulas else one for i, one in zip(self.rows, read.half, strict=True)]
            self._read[j] = read._replace(half=np.array(half, float))
        return self._read[j]

    def _amounts(self, rows: Sequence[Sequence[str]], j: int) -> Amounts:
        """Read cells (n,) of a column; those that state units of mass are read in kg."""
        texts = [cells[j].strip().removesuffix("%") for cells in rows]
        rules = CellRules(unit=KILOGRAM if self.has_mass_cells(j) else None)
        values = [np.nan if cell.value is None else cell.value for cell in read_number_cells(texts, rules)]
        return Amounts(np.array(values, float), np.array([half_unit_of_cell(text, rules) for text in texts], float))

    def has_mass_cells(self, j: int) -> bool:
        """Return whether the first filled cells of a column are numbers with a unit of mass."""
        parts = [split_cell_text(cells[j]) for cells in self.cells[:_UNIT_ROWS] if is_filled_text(cells[j])]
        units = [part.unit.strip() for part in parts if part.number]
        is_mass = (unit_of_dimension(unit, MASS, common_only=True) is not None for unit in units)
        return bool(units) and len(units) == len(parts) and all(is_mass)

    def states_total(self, j: int) -> bool:
        """Return whether a row of totals states the sum of a column."""
        (total, last), (values, half) = self._amounts(self.totals, j), self.numbers(j)
        allowed = last + half[np.isfinite(values)].sum() + _SUMMATION_TOLERANCE * np.abs(total)
        return bool((np.abs(total - np.nansum(values)) <= allowed).any())

    def is_numeric(self, j: int) -> bool:
        """Return whether most of a column's filled cells are numbers."""
        filled = sum(is_filled_text(cells[j]) for cells in self.cells)
        return 0 < filled <= 2 * int(np.isfinite(self.numbers(j)[0]).sum())

    def has_percent(self, j: int) -> bool:
        """Return whether a cell of a column has a percent sign."""
        return any("%" in cells[j] for cells in self.cells)


def pieces_between(total: Amounts, mass: Amounts) -> Floats:
    """Return the whole numbers (k,) of pieces, some above 1, by which all masses give their row totals; or none."""
    known = np.isfinite(mass.values) & (mass.values != 0)
    count = np.round(total.values[known] / mass.values[known])
    apart, of_piece = np.abs(total.values[known] - count * mass.values[known]), mass.half[known]
    rounding = total.half[known] + count * of_piece
    is_exact = apart <= _SUMMATION_TOLERANCE * np.abs(total.values[known])
    fits = is_exact | ((apart <= rounding) & (rounding < mass.values[known] / 2))  # within rounding, the only count
    return count if fits.all() and (count >= 1).all() and (count > 1).any() else np.zeros(0)


def is_by_chance(stated: Amounts, mass: Amounts) -> bool:
    """Return whether numbers so rounded may have a relation with masses that no reason explains."""
    known = np.isfinite(mass.values) & (mass.values != 0)
    return bool(np.minimum(1.0, 2 * stated.half[known] / np.abs(mass.values[known])).prod() > _CHANCE_OF_RELATION)


def are_multiples(total: Amounts, mass: Amounts) -> bool:
    """Return whether numbers are whole multiples of masses by more than chance, and not these in another unit."""
    count = pieces_between(total, mass)
    is_of_unit = len(count) > 0 and count.min() == count.max() and count[0] in _UNIT_STEPS
    return len(count) >= MIN_RELATION_ROWS and not is_of_unit and not is_by_chance(total, mass)


_CHANCE_OF_RELATION = 0.01
_UNIT_STEPS = (16.0, 1e3, 1e6)  # ounces of a pound, grams of a kilogram, milligrams


_TYPED_NUMBER = re.compile(r"[-+]?[\d.]*(?:[eE][-+]?\d+)?\Z")  # blank or 1.5e-3: no label, without a look at its words


def is_labelled_row(cells: Sequence[str]) -> bool:
    """Return whether a cell of a row is the label of a sum, a margin or a limit."""
    texts = [text for text in cells if not _TYPED_NUMBER.match(text)]
    return any(label_kind(text, alone=True) or doubtful_label_kind(text, alone=True) for text in texts)


class ColumnRelation(NamedTuple):
    """A relation between columns, and the numbers of rows that show it."""

    kind: str
    result: int  # column, computed from those of and by
    of: int
    by: int
    held: int  # rows in which it holds
    tested: int  # rows in which it can be tested
    decisive: int  # testable rows in which it holds
    exact: bool  # to the last digit of the result, without the rounding of its operands
    testable: int = 0  # rows with a quantity other than 1, or a growth other than 0
    whole: float = 100.0  # number for a share of 100 %: 100 for percentages, 1 for fractions

    @property
    def holds(self) -> bool:
        """Whether it holds in every row where it can be tested; a product may have a slip in one of five or more."""
        many = self.tested >= _ROWS_WITH_A_SLIP and self.decisive >= _DECISIVE_WITH_A_SLIP
        least = self.tested - (many and self.kind == "product")
        return self.held >= least and self.tested >= MIN_RELATION_ROWS and self.decisive > 0


_ROWS_WITH_A_SLIP, _DECISIVE_WITH_A_SLIP = 5, 3
_MIN_WHOLE_ROWS = 3  # how many rows a sum of columns with blanks must hold in


def whole_of_parts(sample: RowSample, columns: Sequence[int]) -> ColumnRelation | None:
    """Find a column that is the sum of two others, which each have blanks, in every row: gross of dry and fuel."""
    read = {j: sample.numbers(j) for j in columns}
    found = []
    for of, by in combinations(columns, 2):
        one, two = read[of], read[by]
        has_one, has_two = np.isfinite(one.values), np.isfinite(two.values)
        if not ((has_one & ~has_two).any() and (has_two & ~has_one).any()):
            continue
        for result in (j for j in columns if j not in (of, by)):
            is_stated = np.isfinite(read[result].values)
            known = is_stated & (has_one | has_two)
            fits = one.without_blanks.plus(two.without_blanks).fits(read[result])
            rows = int(known.sum())
            if rows >= _MIN_WHOLE_ROWS and bool(fits[known].all()) and not (is_stated & ~known).any():
                found.append(ColumnRelation("whole", result, of, by, rows, rows, rows, exact=True))
    return found[0] if len(found) == 1 else None


def preferred_relations(relations: list[ColumnRelation]) -> list[ColumnRelation]:
    """Leave out relations within rounding that have the result, or the parts, of an exact one."""
    results = {relation.result for relation in relations if relation.exact}
    parts = {(relation.of, relation.by) for relation in relations if relation.exact}
    return [r for r in relations if r.exact or not (r.result in results or (r.of, r.by) in parts)]
