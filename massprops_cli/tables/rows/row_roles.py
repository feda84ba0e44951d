"""Which rows of a list are parts, and which state sums, margins or limits: decided by words and equations together.

The rows are read in order. Each is a part, the sum of the last rows that are in no sum yet (a sum then replaces these),
a margin, a limit, or a figure that repeats a total. Words are evidence, and so is a sum that holds, as much as its
digits make it unlikely by chance. The reading with most evidence is used; others with almost as much are a question.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set as AbstractSet
from functools import cache, cached_property
from itertools import takewhile
from math import log10

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.table import Floats, Table
from massprops_cli.findings.finding import Finding, name_list, rule_finding
from massprops_cli.tables.cells import cell_words
from massprops_cli.tables.cells.number_text import BLANK_CHARACTERS, read_number, split_cell_text, words
from massprops_cli.tables.cells.numbers import is_filled_text
from massprops_cli.tables.cells.units import read_unit
from massprops_cli.tables.columns.columns import QuantityColumn, TableColumns
from massprops_cli.tables.columns.headings import heading_unit
from massprops_cli.tables.columns.mass_headings import (
    is_heading_of_kind,
    is_margin_heading,
    is_required_margin,
    limit_subject,
    side_words,
)
from massprops_cli.tables.options import CENTER_COLUMNS, GROWTH_MASSES, TableOptions
from massprops_cli.tables.rows.indentation import parents_by_code, top_level_rows
from massprops_cli.tables.rows.row_readings import (
    LIKELY_NAME,
    MOST_DECADES,
    QUESTION,
    SUMS,
    ListedRow,
    RowReading,
    row_readings,
    sums_of_rows_below,
)
from massprops_cli.tables.rows.total_rows import (
    FULL_SCAN_ROWS,
    ITEM_NAMES,
    LEAST_LIMIT,
    TotalRow,
    are_names_numbers,
    possible_label_kind,
    quantity_indices,
    quantity_values,
    row_command_name,
    row_commands,
    row_label,
    rows_finding,
)

# Evidence in decades: 2 is a chance of 1 %.
_LACKS_CELL = 1.2  # of a cell of the parts that a row lacks
_SHARE = 0.5  # a row is a part of the one above it by its words, which a stated total confirms
_MOST_LACKING = 4  # how many such cells count
_OTHER_MASSES = -1.5  # against sums of other masses than those that are read, such as those of one piece
_WORD_OF_SUM, _PART_AGAINST_WORD = 3.0, -6.0  # a row with a word of sums: one that holds, a part all the same
_LARGE_TOTAL = -2.0  # a part that begins with a word of totals and is as heavy as the others
_SLIP = 0.1  # the share by which a row called a mass may miss the sum of those above it, and be one all the same
_AS_LEFT, _AS_LEFT_BELOW_TOTAL = 1.0, -2.8
"""What the limit above a row leaves, by its number alone: a question, also below a total, where parts are rare."""
_MOST_OFFERED = 4
_COMMON_CELL_SHARE = 0.5  # a cell is one that the parts have where so large a share of them has it
_CODED_SHARE = 0.75  # a column has the codes of parts where so large a share of them has one
_SUMMATION_TOLERANCE = 1e-12  # the relative difference that another order of summing explains
_LEAST_SUMMED = 3  # how many numbers of another column are above their sum
_PROPORTIONAL = 1.2  # the ratio up to which another number of a row is in proportion to its mass
_GROWN_ROWS = {"growth": "margin", "limit": "limit", "with": "figure", "sum": "figure", "mass": "figure"}
"""What a row states that has a word of a kind, and a mass with growth alone: ``Wet mass``."""
_OF_ITEMS = (*ITEM_NAMES, "qty", *GROWTH_MASSES)
_PIECES = r"\b([2-9]|[1-9]\d)\b"  # Total 2 legs, Total (x4)
_PERCENT = r"(\d+(?:[.,]\d+)?)\s*%"  # 7.5 %


def find_row_roles(
    table: Table,
    columns: TableColumns,
    options: TableOptions,
    certain: Sequence[TotalRow],
    possible: Sequence[TotalRow],
    counted: AbstractSet[int] = frozenset(),
    skipped: AbstractSet[int] = frozenset(),
) -> tuple[list[TotalRow], list[Finding]]:
    """Find the rows of a list that are not parts, in order, and findings about the others."""
    # with --layout flat every row that nothing decides about is a part
    is_long = table.n_rows - columns.first_row > FULL_SCAN_ROWS
    if "mass" not in columns.by_quantity or (is_long and not certain and not possible):
        return [*certain], []
    trial = _RowTrial(table, columns, options, counted, skipped, (certain, possible))
    return trial.decided(ask=options.layout != "flat")


class _RowTrial:
    """The rows of a list in the readings with most evidence; masses are in the unit of the masses' column."""

    def __init__(
        self,
        table: Table,
        columns: TableColumns,
        options: TableOptions,
        counted: AbstractSet[int],
        skipped: AbstractSet[int] = frozenset(),
        labels: tuple[Sequence[TotalRow], Sequence[TotalRow]] = ((), ()),
    ) -> None:
        self.table, self.columns, self.first, self.mass_is = table, columns, columns.first_row, options.mass_is
        self.mass, self.line = columns.by_quantity["mass"], columns.by_quantity.get("line_mass")
        self.counted, self.skipped = counted, skipped
        self.certain, self.possible = ({row.row: row for row in rows} for rows in labels)
        self.labelled = {**self.possible, **self.certain}
        self.is_long = self.table.n_rows - self.first > FULL_SCAN_ROWS
        self._known: dict[int, Floats] = {}
        rows = np.flatnonzero(np.any(np.array(self.readings) != 0, axis=0)) + self.first
        self.filled = [int(row) for row in rows]
        self.parts = [row for row in self.filled if row not in self.labelled]
        self.naming = quantity_indices(self.columns, ITEM_NAMES)
        self.is_named_by_numbers = are_names_numbers(self.table, self.columns)

    # masses

    def values(self, column: QuantityColumn) -> Floats:
        """Read a column ``(n,)`` in the unit of the masses' column, NaN without a number."""
        if column.index not in self._known:
            self._known[column.index] = column.values(self.table, self.first, estimates=True) / self.mass.factor
        return self._known[column.index]

    @cached_property
    def counts(self) -> Floats:
        """The quantities ``(n,)``, 1 without a number."""
        return quantity_values(self.table, self.columns, "qty", 1.0)

    @cached_property
    def readings(self) -> list[Floats]:
        """Compute what every row adds as a part ``(n,)``, by each reading of its mass, the usual first."""
        mass = self.values(self.mass)
        each, readings = mass * self.counts, list[Floats]()
        if self.line is not None:
            line = self.values(self.line)
            readings.append(np.where(np.isnan(line), each, line))
        readings += [each] if self.mass_is == "each" else [mass] if self.mass_is == "line" else [each, mass]
        readings = [np.nan_to_num(reading) for reading in readings]
        if self.tops is not None:
            is_top = np.isin(np.arange(self.first, self.table.n_rows), self.tops)
            readings += [np.where(is_top, reading, 0.0) for reading in readings]
        return [one for k, one in enumerate(readings) if not any(np.array_equal(one, other) for other in readings[:k])]

    @cached_property
    def tops(self) -> NDArray[np.intp] | None:
        """The rows of an indented list that are indented least ``(k,)``; None for other lists."""
        return top_level_rows(self.table, self.columns)

    def stated(self, row: int) -> list[tuple[float, float]]:
        """List the masses that a row states, of the row before those of a piece, each with half its last digit."""
        found = []
        for column in (self.line, self.mass):
            if column is not None and not np.isnan(value := self.number(column, row)):
                half = column.half_digit(self.table, row, row_label(self.table, row)) / self.mass.factor
                found.append((value, half + _SUMMATION_TOLERANCE * abs(value)))
        return found

    def number(self, column: QuantityColumn, row: int) -> float:
        """Return the number of a row under a column, in the unit of the masses' column; NaN without one."""
        return float(self.values(column)[row - self.first])

    @cached_property
    def others(self) -> list[Floats]:
        """The numbers ``(n,)`` of columns that state neither masses nor items, 0 without one; none of a long list."""
        known = quantity_indices(self.columns, (*_OF_ITEMS, "mass", "line_mass"))
        free = [] if self.is_long else [j for j in range(self.table.n_columns) if j not in known]
        cells = ([split_cell_text(text).number for text in self.table.texts(j, self.first)] for j in free)
        return [np.array([read_number(text) or 0.0 for text in texts]) for texts in cells]

    @cached_property
    def sums_elsewhere(self) -> dict[int, float]:
        """The rows that are the sums of all rows above, three at least, in other columns: their evidence in decades."""
        found: dict[int, float] = {}
        mass = np.abs(self.readings[0])
        for numbers in self.others:
            above = np.cumsum(numbers) - numbers
            rounding = _SUMMATION_TOLERANCE * np.cumsum(np.abs(numbers))
            is_sum = (numbers != 0) & (np.abs(above - numbers) <= rounding) & (numbers.min() >= 0)  # no temperatures
            is_sum &= np.cumsum(numbers != 0) > _LEAST_SUMMED
            for k in np.flatnonzero(is_sum).tolist():
                known = (numbers[:k] != 0) & (mass[:k] != 0)
                share = np.abs(numbers[:k][known] / mass[:k][known])  # lengths of one bar are sums where masses are
                is_apart = len(share) > 1 and share.max() > _PROPORTIONAL * share.min()
                decades = min(LIKELY_NAME, log10(max(abs(numbers[k]), 1.0))) if is_apart else 0.0
                found[self.first + k] = found.get(self.first + k, 0.0) + decades
        return found

    # what words and cells show

    def _facts(self, reading: Floats, headings: Mapping[int, str], *, ask: bool) -> list[ListedRow]:
        """List the rows with a mass or a word, in order, with the evidence for each."""
        is_by_words = not ask or self.is_long or self.tops is not None  # no row is a sum by its cells alone
        common = [] if is_by_words else self._common_cells()
        group, side_texts, shares = "", dict[int, str](), self._shares()
        read = {column.index for column in self.columns.by_quantity.values()}
        headed = [j for j, text in enumerate(self.columns.header) if text.strip()]
        texts_of_groups = [] if self.is_long else [j for j in headed if j not in read]  # they may name groups
        facts = []
        for row in sorted({*self.filled, *self.certain, *headings}):
            one, texts, stated = self.labelled.get(row), self.table.row(row), tuple(self.stated(row))
            unit = heading_unit(row_label(self.table, row), "mass")
            is_result = unit == "%" or (unit != "" and read_unit(unit) is not None)
            fact = ListedRow(row, float(reading[row - self.first]), stated, is_result=is_result)
            group = headings.get(row, group)
            if row in headings and (one is None or not stated):
                fact = ListedRow(row, 0.0, (), "heading")
            elif row in self.skipped or row in self.counted:
                fact = fact._replace(fixed="figure" if row in self.skipped else "part")
            elif one is not None:
                fact = self._named(fact, one, texts)
            elif row in shares:
                fact = fact._replace(kind="figure", as_sum=_SHARE)
            else:
                groups = {-1: group, **side_texts}  # by column; that of a heading row is in none
                fact = fact._replace(fixed="part") if is_by_words else self._unnamed(fact, texts, common, groups)
                side_texts |= {j: texts[j].strip() for j in texts_of_groups if texts[j].strip()}
            facts.append(fact)
            self._explain_left(facts)
        return facts

    def _shares(self) -> set[int]:
        """Find the rows named as a part of the row above, ``of which motor``; all of it, indented, are parts."""
        listed, masses = [] if self.is_long else self.filled, self.values(self.mass)
        named = {k: k not in self.labelled and _share_words().match(row_label(self.table, k)) for k in listed}
        least = 1 + _SUMMATION_TOLERANCE * (1 if self.tops is not None else -1)
        shares = set[int]()
        for k, above in enumerate(listed):
            rows = [] if named[above] else [*takewhile(named.get, listed[k + 1 :])]
            if masses[above - self.first] > masses[[row - self.first for row in rows]].sum() * least:
                shares.update(rows)
        return shares

    def _has_quantity(self, texts: Sequence[str]) -> bool:
        """Return whether a row states a quantity."""
        return any(is_filled_text(texts[j]) for j in quantity_indices(self.columns, ("qty",)))

    def _named(self, fact: ListedRow, one: TotalRow, texts: Sequence[str]) -> ListedRow:
        """Weigh the words of a row."""
        is_certain = one.row in self.certain
        match = re.search(_PERCENT, " ".join(texts))
        percent = float(match[1].replace(",", ".")) if match else 0.0
        if one.kind in SUMS and is_certain:  # blades_total may be one of blades, and Total none
            as_part, as_sum = -np.inf if cell_words.label_kind(one.label) else _PART_AGAINST_WORD, _WORD_OF_SUM
        elif one.kind in SUMS:  # Empty weight, then the payload
            others = [float(reading[1:].sum()) for reading in self.readings]
            is_sum = any(abs(mass - value) <= half for mass in others for value, half in fact.stated)
            is_first = one.row == min(self.filled, default=-1) and not is_sum
            against = -np.inf if cell_words.is_total_twice(one.label) else _LARGE_TOTAL  # Total AUW, Total phase 1
            is_large = not is_first and cell_words.begins_with_total(one.label) and self._may_limit(fact.part)
            as_part, as_sum = against if is_large else float(is_first), 1.0
        elif one.kind == "limit":
            is_of_mass = all(is_heading_of_kind(kind, one.label) for kind in ("limit", "mass"))
            is_open = not cell_words.doubtful_label_kind(one.label) or one.row < max(self.parts, default=0)
            is_open = is_open and not is_certain and not is_of_mass  # Paint allowance, 7
            as_part, as_sum = (0.0, 0.0) if is_open else (-2.0 if is_certain else -1.0, 1.0)
            is_of_parts = one.label.casefold().endswith("allowance") and not self._may_limit(fact.part)  # of paint
            as_part += 2 * QUESTION * (is_open and is_of_parts)
        else:
            is_growth = not self._has_quantity(texts) and (not one.label.isupper() or percent > 0)
            is_stated = percent or (is_certain and cell_words.is_margin_name(one.label))  # no Reserve of fuel
            as_part, as_sum = 0.0, is_growth * (LIKELY_NAME if is_stated and self._is_in_total(fact) else 1.0)
        if one.label.strip().casefold() in side_words():
            as_part, as_sum = as_part + LIKELY_NAME, as_sum - 1.0
        elif self._is_listed_part(one.row):
            as_part, as_sum = as_part + 2 * LIKELY_NAME, as_sum - LIKELY_NAME
        times = next(map(float, re.findall(_PIECES, one.label)), 0.0) if one.kind in SUMS else 0.0
        fact = fact._replace(kind=one.kind, is_certain=is_certain, as_part=as_part, as_sum=as_sum)
        return fact._replace(may_be_single=True, percent=percent, times=times)

    def _is_in_total(self, fact: ListedRow) -> bool:
        """Return whether a stated total is the mass of all parts and that of a row."""
        whole = [fact.part + sum(each[row - self.first] for row in self.parts) for each in self.readings]
        stated = [pair for one in self.certain.values() if one.kind == "total" for pair in self.stated(one.row)]
        return any(abs(mass - value) <= half for mass in whole for value, half in stated)

    def _explain_left(self, facts: list[ListedRow]) -> None:
        """Explain the last row as what a limit leaves of a sum, 14.0 - 5.9 = 8.1: by a word, or directly below it."""
        label, place = row_label(self.table, (last := facts[-1]).row), len(facts) - 1
        is_margin = not last.fixed and is_margin_heading(label) and not is_required_margin(label)
        is_next = place > 1 and not last.fixed and last.kind in ("", "figure") and facts[-2].kind == "limit"
        sums = [one for one in facts if one.kind in SUMS and one.stated] if is_margin else []
        all_parts = sum(one.part for one in facts[:-1] if not one.kind) if is_next else 0.0
        for k, one in enumerate(facts[:-1] if (is_margin and sums) or is_next else ()):
            is_named = not one.kind and not one.fixed and is_heading_of_kind("limit", row_label(self.table, one.row))
            is_between = k == place - 1 > 0 and (is_next or facts[k - 1].kind in SUMS)
            may_limit = is_between or is_named or one.kind == "limit" or (one.kind == "total" and not one.is_certain)
            below = [other.stated[0][0] for other in sums if other is not one] if may_limit and one.stated else []
            left = [one.stated[0][0] - mass for mass in (*below, *([all_parts] if is_between and is_next else ()))]
            if any(abs(rest - value) <= half for rest in left for value, half in last.stated):
                as_part, as_sum = -1.0, MOST_DECADES
                if not is_margin and not last.kind:  # D, 9.1, may be a part all the same
                    has_total = any(other.kind in SUMS for other in facts[:-1])
                    as_part, as_sum = 0.0, _AS_LEFT_BELOW_TOTAL if has_total else _AS_LEFT
                facts[-1] = last._replace(kind="figure", as_part=as_part, as_sum=as_sum)
                facts[k] = one._replace(kind="limit", as_part=-1.0, as_sum=MOST_DECADES)

    def _unnamed(
        self, fact: ListedRow, texts: Sequence[str], common: Sequence[int], groups: Mapping[int, str]
    ) -> ListedRow:
        """Weigh the cells of a row without a word of sums."""
        row, label, counts = fact.row, row_label(self.table, fact.row), self._has_quantity(texts)
        above, own = self.counts[: row - self.first], self.counts[row - self.first]
        is_sum_of_counts = counts and np.count_nonzero(above) > 1 and above.sum() == own  # All parts, 39
        if counts and own != 1 and not is_sum_of_counts:
            return fact._replace(fixed="part")
        names = [texts[j].strip() for j in self.naming if texts[j].strip()]
        others = {  # 1,24 is not a word
            j: text.strip()
            for j, text in enumerate(texts)
            if any(map(str.isalpha, text))
            or (j in self.naming and text.strip() and (self.is_named_by_numbers or read_number(text) is None))
        }
        is_nameless = not others
        lacking = sum(not is_filled_text(texts[j]) for j in common)
        is_group = any(
            _names_group(text, group)
            for k, group in groups.items()
            if group
            for j, text in others.items()
            if (j != k and not (k >= 0 and texts[k].strip() == group != text))
            or not names  # parts are in that column too
        )
        is_sum_name = any(cell_words.is_combined_name(name) or possible_label_kind(name) in SUMS for name in names)
        evidence = LIKELY_NAME * (is_nameless or is_group or is_sum_name)  # a total may have an item number
        evidence += _LACKS_CELL * min(lacking, _MOST_LACKING) + (LIKELY_NAME if is_sum_of_counts else -counts)
        evidence += self.sums_elsewhere.get(row, 0.0)
        kind = ""
        is_with = is_heading_of_kind("with", label.split()[0]) or is_heading_of_kind("mass", label)
        if is_with and all(is_heading_of_kind(one, label) for one in ("with", "growth")):  # With margin
            kind = "total"
        elif lacking and is_heading_of_kind("growth", label):
            kind = "margin"
        elif lacking and is_heading_of_kind("limit", label) and self._may_limit(fact.part):
            kind = "limit"
        elif fact.stated and self._is_near_sum(row, fact.part, names, label):
            kind = "total"
        places = self.columns.having(CENTER_COLUMNS)
        return fact._replace(
            kind=kind,
            as_part=-1.0 if lacking >= _MOST_LACKING else 0.0,
            as_sum=evidence,
            may_be_single=bool(is_nameless or is_group),
            center=tuple(self.number(column, row) for column in places),
            half_center=tuple(column.half_digit(self.table, row) / self.mass.factor for column in places),
            times=cell_words.pieces_in_name(label),
        )

    def _may_limit(self, mass: float) -> bool:
        """Return whether a mass is one that a list may be held against: not a small part of what its rows add up to."""
        rows = [row - self.first for row in self.parts]
        return any(mass >= LEAST_LIMIT * (each[rows].sum() - mass) for each in self.readings)

    def _is_near_sum(self, row: int, mass: float, names: Sequence[str], label: str) -> bool:
        """Return whether a mass is named and nearly as the sum of all rows above it, two at least: one with a slip."""
        above = [reading[: row - self.first] for reading in self.readings]
        off = [abs(one.sum() - mass) for one in above if np.count_nonzero(one) > 1]
        half = max(half for _, half in self.stated(row))
        is_apart = all(one > half for one in off)  # else its digits decide
        is_named = is_heading_of_kind("mass", label) or (is_apart and any(map(cell_words.is_combined_name, names)))
        return is_named and any(one <= _SLIP * abs(mass) for one in off)

    def _common_cells(self) -> list[int]:
        """List the columns that most parts fill, the names apart."""
        cells = [self.table.row(row) for row in self.parts]
        masses = {column.index for column in (self.mass, self.line) if column is not None}
        return [
            j
            for j in range(self.table.n_columns)
            if j not in masses
            and sum(is_filled_text(texts[j]) for texts in cells) >= _COMMON_CELL_SHARE * len(cells) > 1
        ]

    def _is_listed_part(self, row: int) -> bool:
        """Return whether a row has its own centre, and a code in a column that parts fill and totals leave blank."""
        places = quantity_indices(self.columns, CENTER_COLUMNS)
        sums = [one.row for one in self.certain.values() if one.kind in SUMS]
        if not self.parts or not sums or all(read_number(self.table.text(row, j)) is None for j in places):
            return False
        codes = [j for j, text in enumerate(self.table.row(row)) if is_filled_text(text)]
        in_parts, in_sums = (
            [sum(is_filled_text(self.table.text(k, j)) for k in rows) for j in codes] for rows in (self.parts, sums)
        )
        least = _CODED_SHARE * len(self.parts)
        return any(n >= least and not others for n, others in zip(in_parts, in_sums, strict=True))

    def _are_groups_by_code(self, rows: AbstractSet[int]) -> bool:
        """Return whether the codes of some column begin those of the rows below, so that the rows are groups."""
        below = range(self.columns.first_row, self.table.n_rows)
        codes = ([self.table.text(row, j).strip() for row in below] for j in range(self.table.n_columns))
        return any(all(each) and rows <= {below[k] for k in parents_by_code(each).tolist() if k >= 0} for each in codes)

    # deciding

    def decided(self, *, ask: bool) -> tuple[list[TotalRow], list[Finding]]:
        """Find the rows that are not parts, in the reading with most evidence, and ask where others have as much."""
        headings = {} if self.is_long else _heading_names(self.table, self.columns)
        found, weak = [], []
        for k, reading in enumerate(self.readings):
            facts = self._facts(reading, headings, ask=ask)
            found.append(row_readings(facts, _OTHER_MASSES if k else 0.0))
            if titles := sums_of_rows_below(facts):
                below = [one._replace(kind="heading") if one.row in titles.excluded else one for one in facts]
                more = [one._replace(score=one.score + titles.score) for one in row_readings(below)]
                sums = tuple((row, "figure") for row, _ in titles.figures)
                listed = [one._replace(figures=(*one.figures, *sums)) for one in more]
                if titles.score >= QUESTION:
                    found += [more]
                elif more[0].score - found[-1][0].score >= 2 * QUESTION:  # stated totals decide
                    found += [listed]
                is_of_several = titles.n_unnamed == len(sums)
                is_open = is_of_several or (titles.score > 0 and not self._are_groups_by_code(titles.excluded))
                if is_open and all(one.as_sum <= 0 for one in facts if one.row in titles.excluded):  # else groups
                    weak += [one._replace(figures=(*one.figures, *titles.figures)) for one in more[:1]]
        if ask and (question := self._options_question()):
            return [one._replace(kind="figure") for one in self.certain.values()], question
        readings = max(found, key=lambda one: one[0].score)
        best = readings[0]
        others = [one for one in (*readings[1:], *weak) if abs(one.mass - best.mass) > 1e-9 * abs(best.mass)]
        close = [one for one in others if best.score - one.score < QUESTION]
        if close and not ask:
            best, close = min([best, *close], key=lambda one: len(one.excluded)), []
        excluded = {row: self._as_total(row, kind) for row, kind in best.figures if row not in self.skipped}
        begins = (*best.first_parts, *((one.row, one.first) for one in best.open if one.row not in self.labelled))
        excluded |= {row: excluded[row]._replace(first=first) for row, first in begins if row in excluded}
        parts = [row for row in self.labelled if row not in excluded and row not in self.counted]
        findings = [self._question(best, close)] if close else []
        if not close:
            findings = [self._part_finding(self.labelled[row]) for row in parts if self.stated(row)]
        excluded |= {row: self.certain[row] for row in parts if row in self.certain and not self.stated(row)}
        excluded |= self._growth_sums(excluded)
        closing, open_rows = self._closing_rows(excluded)
        excluded |= closing
        excluded |= {one.row: one._replace(kind="figure") for one, rows in self._options if rows <= self.skipped}
        findings += map(self._open_growth, open_rows if ask else ())
        return [excluded[row] for row in sorted(excluded)], findings

    def _closing_rows(self, excluded: Mapping[int, TotalRow]) -> tuple[dict[int, TotalRow], list[int]]:
        """Find the rows without a mass that state results: those of other columns, and below the last part and its sum.

        Also list the rows that state a mass with growth alone below all sums, which may be parts: ``Ariane 6``.
        """
        last = max((row for row in self.filled if row not in excluded), default=self.table.n_rows)
        sums = [row for row, one in sorted(excluded.items()) if one.kind in SUMS]
        closed = next((row for row in sums if row > last), self.table.n_rows)
        is_total = any(row > last and one.kind == "total" for row, one in excluded.items())
        total = min((row for row, one in self.certain.items() if one.kind == "total" and row > last), default=None)
        masses = [column.index for column in (self.mass, self.line) if column is not None]
        grown, predicted = (self.columns.having(names) for names in (GROWTH_MASSES, GROWTH_MASSES[2:]))
        found, open_rows = dict[int, TotalRow](), list[int]()
        known = {*excluded, *self.counted, *self.skipped}
        for row in sorted({*range(self.first + 1, self.table.n_rows)} - known):
            texts, label = self.table.row(row), row_label(self.table, row)
            of_mass = [texts[j].strip() for j in masses]
            is_of_growth = any(is_filled_text(texts[one.index]) for one in grown) and not self.stated(row)
            kind = ""
            if is_total and row > closed and any(text[:1] in {*"<>≤≥"} for text in of_mass):
                kind = "limit"
            elif is_of_growth and row > closed and not self._has_quantity(texts):
                kind = next((kind for name, kind in _GROWN_ROWS.items() if is_heading_of_kind(name, label)), "")
                kind = "limit" if kind and limit_subject(f"{label} (kg)") == "mass-max" else kind
            elif not any(of_mass) and any(map(str.isalpha, label)) and not self._has_quantity(texts):
                is_below = total is not None and row > total and any(one[row - self.first] for one in self.others)
                kind = "figure" * (is_below or row in self.sums_elsewhere)
            if kind:
                found[row] = TotalRow(row, kind, label, None)
            elif sums and row > max(sums[-1], last) and any(self.number(one, row) > 0 for one in predicted):
                open_rows.append(row)
        return ({}, []) if self.is_long else (found, open_rows)

    def _as_total(self, row: int, kind: str) -> TotalRow:
        """Name an excluded row by its label, where it has one, else by what it is."""
        one = None if kind == "figure" else self.labelled.get(row)
        return one._replace(kind=kind) if one else TotalRow(row, kind, row_label(self.table, row), None)

    def _part_finding(self, one: TotalRow) -> Finding:
        """Report a row with a word of sums, margins or limits that is a part."""
        sums = [row for row, other in self.certain.items() if other.kind in SUMS and row != one.row]
        why = "the stated totals agree only if it is included" if sums else "no total is stated"
        why = "it has a code and a centre of mass, as the parts have" if self._is_listed_part(one.row) else why
        message = f"row included as a part: {one.label} ({why})"
        remedy = f"pass --skip-row {row_command_name(self.table, self.first, one.row)} if it is not a part"
        return rule_finding("MP282", message, self.table.place(one.row), value=one.label, remedy=remedy)

    def _question(self, best: RowReading, close: Sequence[RowReading]) -> Finding:
        """Ask about the rows in which readings differ, with the command of each."""
        offered = list({reading.excluded: reading for reading in (best, *close)}.values())[:_MOST_OFFERED]
        sets = [reading.excluded for reading in offered]
        rows = sorted(frozenset().union(*sets) - frozenset.intersection(*sets))
        row, labels = rows[0], [row_label(self.table, row) for row in rows]
        stated = self.stated(row)[0][0]
        kinds = {row: kind for reading in offered for row, kind in reading.figures}
        noun = self._as_total(row, kinds[row]).noun
        others = next(reading.mass for reading in offered if row in reading.excluded)
        if row in self.labelled and noun in SUMS and all(abs(others - mass) > half for mass, half in self.stated(row)):
            noun += f", and the other rows are {others:.6g}"
        message = f"row is ambiguous: {labels[0]} (a part of {stated:.6g} or a {noun})"
        if len(rows) > 1:
            message = f"rows may be parts or totals: {name_list(labels)} (readings with another mass: {len(sets)})"
        remedy = row_commands(self.table, self.first, rows, sets)
        return rows_finding("MP257", message, self.table, rows, value=labels[0], remedy=remedy)

    @cached_property
    def _options(self) -> list[tuple[TotalRow, set[int]]]:
        """The totals of several options with the rows of each: those whose names have a word of that total alone."""
        totals = [] if self.is_long else [one for one in self.certain.values() if one.kind == "total"]
        words_of = {row: {*re.findall(r"\w+", row_label(self.table, row).casefold())} for row in self.filled if totals}
        spelled = [words_of.pop(one.row, set()) for one in totals]
        own = [mine.difference(*spelled[:k], *spelled[k + 1 :]) for k, mine in enumerate(spelled)]
        found = [{row for row, named in words_of.items() if mine & named} for mine in own]
        is_apart = len(found) > 1 and all(found) and len(set[int]().union(*found)) == sum(map(len, found))
        return list(zip(totals, found, strict=True)) if is_apart else []

    def _options_question(self) -> list[Finding]:
        """Ask which option counts where each total is that of all parts without those of the other options."""
        optional = set[int]().union(*(rows for _, rows in self._options))
        for reading in self.readings if optional and not optional & (self.skipped | self.counted) else ():
            sums = [sum(reading[k - self.first] for k in {*self.parts} - optional | rows) for _, rows in self._options]
            stated = [self.stated(one.row) for one, _ in self._options]
            if all(any(abs(mass - sums[k]) <= half for mass, half in one) for k, one in enumerate(stated)):
                label = name_list([one.label for one, _ in self._options])
                message = f"parts are options, each with its total: {label}"
                others = (sorted(optional - rows) for _, rows in self._options)
                remedy = ", or ".join(row_commands(self.table, self.first, rows, [rows]) for rows in others)
                return [rows_finding("MP257", message, self.table, sorted(optional), value=label, remedy=remedy)]
        return []

    # rows of growth alone

    def _open_growth(self, row: int) -> Finding:
        """Ask about a row that states a mass with growth alone."""
        label = row_label(self.table, row)
        message = f"row is ambiguous: {label} (a part, or a mass that no stated total includes)"
        remedy = row_commands(self.table, self.first, [row], ((), {row}))
        return rows_finding("MP257", message, self.table, [row], value=label, remedy=remedy)

    def _growth_sums(self, excluded: Mapping[int, TotalRow]) -> dict[int, TotalRow]:
        """Find the rows with the label of a sum that state no mass, and the sum of the masses with growth above."""
        rows = [row for row, one in sorted(self.possible.items()) if one.kind == "total" and row not in excluded]
        rows = [row for row in rows if row not in self.counted and not self.stated(row)]
        found: dict[int, TotalRow] = {}
        for column in self.columns.having(GROWTH_MASSES) if rows else ():
            values = np.nan_to_num(self.values(column))
            values = values if column.quantity.startswith("line_") else values * self.counts
            values[[row - self.first for row in (*excluded, *rows)]] = 0.0
            for row in rows:
                stated = self.number(column, row)
                for start in (self.first, *(other + 1 for other in rows if other < row)):
                    parts = [k for k in range(start, row) if values[k - self.first]]
                    halves = [column.half_digit(self.table, k) / self.mass.factor for k in (row, *parts)]
                    allowed = (halves[0] + float(np.hypot.reduce(halves[1:]))) * (1 + 1e-9) if parts else 0.0
                    if len(parts) > 1 and abs(sum(values[k - self.first] for k in parts) - stated) <= allowed:
                        found[row] = self.possible[row]._replace(kind="subtotal")
        return found


def _names_group(text: str, group: str) -> bool:
    """Return whether a label is the name of a group, alone or with other words before or after it."""
    if not (text.startswith(group) or text.endswith(group)):
        return False
    next_to = text[len(group) : len(group) + 1] if text.startswith(group) else text[-len(group) - 1]
    return not next_to.isalnum() or next_to > _FIRST_IDEOGRAPH


_FIRST_IDEOGRAPH = "\u2e7f"  # scripts from here on are written without blanks between words


@cache
def _share_words() -> re.Pattern[str]:
    """Compile the words that begin the name of a part of the row above."""
    texts = (text for entry in words("statuses")["share"] for text in entry["texts"])
    known = "|".join(text if text[-1] >= _FIRST_IDEOGRAPH else rf"{text}\b" for text in map(re.escape, texts))
    return re.compile(rf"\W*(?:{known})", re.IGNORECASE)


# headings


def _heading_names(table: Table, columns: TableColumns) -> dict[int, str]:
    """Find the rows whose only filled cell is the name of an item, apart from a code in front of it: row and name."""
    names, read = quantity_indices(columns, ITEM_NAMES), {column.index for column in columns.by_quantity.values()}
    found = {}
    for row in range(columns.first_row, table.n_rows):
        texts = table.row(row)
        filled = [j for j, text in enumerate(texts) if text.strip(BLANK_CHARACTERS)]
        own = filled[1:] if len(filled) == 2 and filled[0] not in read else filled
        if len(own) == 1 and own[0] in names:
            found[row] = texts[filled[0]].strip()
    return found


def title_rows(
    table: Table, columns: TableColumns, options: TableOptions, counted: AbstractSet[int], least: float = QUESTION
) -> list[int]:
    """Find the rows of a list that state the sums of the rows below them, where every row is below one."""
    if "mass" not in columns.by_quantity or table.n_rows - columns.first_row > FULL_SCAN_ROWS:
        return []
    trial = _RowTrial(table, columns, options, counted)
    found = [sums_of_rows_below(trial._facts(reading, {}, ask=True)) for reading in trial.readings]
    best = max((one for one in found if one), key=lambda one: one.score, default=None)
    return sorted(best.excluded) if best and best.score >= least else []
