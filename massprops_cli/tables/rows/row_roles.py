"""Which rows of a list are parts, and which state sums, margins or limits: decided by the totals of the table.

A label such as ``MGA``, ``Reserve`` or ``Dry mass`` may name a part or a figure. Each such row is tried as both: the
reading that agrees with most stated totals is used. Where none decides, the row
is reported, with an option for each reading (``--count-row``, ``--skip-row``).

A row without a label is a sum too where it lacks what the parts have (a quantity, a code, a category) and its number is
the sum of rows above it.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set as AbstractSet
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.table import Table
from massprops_cli.findings.finding import Finding, Findings, rule_finding
from massprops_cli.tables.cells.number_text import read_number
from massprops_cli.tables.cells.numbers import half_unit_of_cell, is_filled_text, parse_column
from massprops_cli.tables.cells.units import CENTER_COLUMNS, GROWTH_MASSES
from massprops_cli.tables.columns.columns import QuantityColumn, TableColumns
from massprops_cli.tables.columns.headings import is_command_text
from massprops_cli.tables.columns.mass_roles import is_heading_of_kind
from massprops_cli.tables.options import TableOptions
from massprops_cli.tables.rows.indentation import top_level_rows
from massprops_cli.tables.rows.total_rows import FULL_SCAN_ROWS, ITEM_NAMES, TotalRow, row_reference
from massprops_cli.tables.vocabulary import words

_Floats = NDArray[np.float64]
_RowSet = frozenset[int]

_MAX_COMBINED_ROWS = 7
"""Maximum number of rows tried in every combination; of more, each is tried separately."""
_MAX_SUM_STARTS = 12
"""Number of sums before a total that are tried as the start of its rows."""
_COMMON_CELL_SHARE = 0.5
"""A cell is one that the parts have where so large a share of them has it."""
_MIN_SUM_PARTS, _MIN_SUM_DIGITS = 3, 4
"""A row without a label is a sum of so many parts, or has so many significant digits: 1, 2, 3 is three parts."""
_SUMMATION_TOLERANCE = 1e-12
"""The relative difference that another order of summing explains."""
# (×2), 2x
_TIMES = re.compile(r"(?:^|[\s(\[])(?:[x×]\s?(?P<after>\d+)|(?P<before>\d+)\s?[x×])(?:$|[\s)\]])", re.IGNORECASE)
_PERCENT = re.compile(r"(\d+(?:[.,]\d+)?)\s*%")  # 7.5 %


@dataclass(frozen=True, slots=True)
class RowRoles:
    """The rows that are not parts, in the order of the table, and the findings about the others."""

    excluded: list[TotalRow]
    findings: list[Finding] = field(default_factory=list)


def find_row_roles(
    table: Table,
    columns: TableColumns,
    options: TableOptions,
    certain: Sequence[TotalRow],
    possible: Sequence[TotalRow],
    counted: AbstractSet[int] = frozenset(),
    skipped: AbstractSet[int] = frozenset(),
) -> RowRoles:
    """Decide which rows of a list are parts, by the agreement of stated totals with each reading.

    With ``--layout flat`` every row is one that nothing decides about.
    """
    is_long = table.n_rows - columns.first_row > FULL_SCAN_ROWS
    if "mass" not in columns.by_quantity or (is_long and not certain and not possible):
        return RowRoles([*certain])
    trial = _RowTrial(_RowMasses(table, columns, options), list(certain), list(possible), counted, skipped)
    return trial.decided(ask=options.layout != "flat")


class _RowMasses:
    """The masses of the rows from the first one on, in the unit of the masses' column."""

    def __init__(self, table: Table, columns: TableColumns, options: TableOptions) -> None:
        self.table, self.columns, self.first = table, columns, columns.first_row
        self.mass_is = options.mass_is
        self.mass = columns.by_quantity["mass"]
        self.line = columns.by_quantity.get("line_mass")

    def values(self, column: QuantityColumn) -> _Floats:
        """Read a column ``(n,)`` in the unit of the masses' column, NaN without a number."""
        (numbers,) = self.table.numbers([column.index], self.first)
        rules = column.rules._replace(approximate=True)  # a total may be an estimate
        values = parse_column(self.table, column.index, numbers, self.first, rules).values
        sizes = column.sizes(np.arange(self.first, self.table.n_rows))
        return values * sizes / self.mass.factor

    def readings(self) -> list[_Floats]:
        """Compute what every row adds as a part ``(n,)``, by each reading of its mass, the usual first."""
        mass = self.values(self.mass)
        each, readings = mass * self.counts(), list[_Floats]()
        if self.line is not None:
            line = self.values(self.line)
            readings.append(np.where(np.isnan(line), each, line))
        readings += [each] if self.mass_is == "each" else [mass] if self.mass_is == "line" else [each, mass]
        readings = [np.nan_to_num(reading) for reading in readings]
        return readings if self.is_top is None else [*readings, *(np.where(self.is_top, r, 0.0) for r in readings)]

    @cached_property
    def is_top(self) -> NDArray[np.bool_] | None:
        """Return which rows of an indented list are indented least ``(n,)``; None for other lists."""
        tops = top_level_rows(self.table, self.columns)
        if tops is None:
            return None
        return np.isin(np.arange(self.first, self.table.n_rows), tops)

    def stated(self, row: int) -> list[tuple[float, float]]:
        """List the masses that a row states, of the row before those of a piece, each with half its last digit."""
        found_here = []
        for column in (self.line, self.mass):
            if column is None or not is_filled_text(text := self.table.text(row, column.index)):
                continue
            value = self.number(column, row)
            if not np.isnan(value):
                half = half_unit_of_cell(text, column.rules) * column.size(row) / self.mass.factor
                found_here.append((value, half + _SUMMATION_TOLERANCE * abs(value)))
        return found_here

    def _stated_values(self, column: QuantityColumn) -> _Floats:
        """Read a column ``(n,)`` in the unit of the masses' column, once."""
        if not hasattr(self, "_known"):
            self._known: dict[int, _Floats] = {}
        if column.index not in self._known:
            self._known[column.index] = self.values(column)
        return self._known[column.index]

    def number(self, column: QuantityColumn, row: int) -> float:
        """Return the number of a row under a column, in the unit of the masses' column; NaN without one."""
        return float(self._stated_values(column)[row - self.first])

    def row_values(self, column: QuantityColumn) -> _Floats:
        """Compute what every row adds under a column of masses ``(n,)``: of all its pieces."""
        values = self._stated_values(column)
        return values.copy() if column.quantity.startswith("line_") else values * self.counts()

    def counts(self) -> _Floats:
        """Read the quantities ``(n,)``, 1 without a number."""
        quantity = self.columns.by_quantity.get("qty")
        if quantity is None:
            return np.ones(self.table.n_rows - self.first)
        (numbers,) = self.table.numbers([quantity.index], self.first)
        counts = parse_column(self.table, quantity.index, numbers, self.first, quantity.rules).values
        return np.where(np.isnan(counts), 1.0, counts)

    def half_digits(self, rows: Iterable[int], column: QuantityColumn | None = None) -> float:
        """Compute the root of the sum of squares of half a unit of the last digit of some rows."""
        column = column or self.line or self.mass
        halves = [half_unit_of_cell(self.table.text(row, column.index), column.rules) for row in rows]
        return float(np.sqrt(np.sum(np.square(halves)))) * column.factor / self.mass.factor


class _TrialOutcome(NamedTuple):
    """What one reading gives: the totals that agree, and the rows that are sums by their numbers."""

    parts: _RowSet
    agreeing: int
    accepted: dict[int, TotalRow]


class _RowTrial:
    """The rows of a list that may be parts or figures, tried as both."""

    def __init__(
        self,
        masses: _RowMasses,
        certain: list[TotalRow],
        possible: list[TotalRow],
        counted: AbstractSet[int],
        skipped: AbstractSet[int],
    ) -> None:
        self.table, self.columns, self.masses, self.first = masses.table, masses.columns, masses, masses.first
        self.counted = counted
        self.certain = {row.row: row for row in certain}
        self.sums = {row.row: row for row in certain if row.kind in ("total", "subtotal")}
        self.possible = {row.row: row for row in possible if row.row not in self.certain}
        self.readings = masses.readings()
        for reading in self.readings:
            reading[[row - self.first for row in skipped]] = 0.0
        self.filled = np.flatnonzero(np.any(np.array(self.readings) != 0, axis=0)) + self.first
        self.unlabelled = self._rows_lacking_cells()
        figures = {row: self._as_figure(one) for row, one in self.unlabelled.items()}
        self.unlabelled = {row: one for row, one in figures.items() if one.kind == "total"}
        self.lacking = set(figures)
        labelled = (*self.certain.values(), *self.possible.values(), *figures.values())
        tried = [row for row in labelled if self._is_tried(row)]
        self.tried = sorted(tried, key=lambda row: row.row)
        self.candidates = {
            row.row: row
            for row in (*self.sums.values(), *self.unlabelled.values(), *self.possible.values())
            if row not in tried or row.row in self.unlabelled or row.row in self.possible
        }
        last = int(self.filled[-1]) if len(self.filled) else -1  # all masses may be 0
        is_ordinary = last >= 0 and last not in {*self.lacking, *self.certain, *self.possible}
        if self.tried and is_ordinary and self.masses.is_top is None:
            # a last row may be the sum that decides, whatever its name
            self.candidates[last] = TotalRow(last, "total", self._label(last), None)

    def _is_tried(self, row: TotalRow) -> bool:
        """Return whether a row with a mass is tried both as a part and as a figure."""
        is_open = row.kind in ("margin", "limit", "figure") or row.row in self.possible
        return is_open and bool(self.masses.stated(row.row))

    def _as_figure(self, one: TotalRow) -> TotalRow:
        """Name what a row that lacks cells may be, by the words in it: a margin, a limit, else a sum."""
        kind = (
            "margin"
            if is_heading_of_kind("growth", one.label)
            else "limit"
            if is_heading_of_kind("limit", one.label)
            else "total"
        )
        return one._replace(kind=kind)

    def _rows_lacking_cells(self) -> dict[int, TotalRow]:
        """List the rows without a label that lack a cell which the parts have, and state a mass."""
        if len(self.filled) > FULL_SCAN_ROWS or self.masses.is_top is not None:
            return {}
        labelled = {*self.certain, *self.possible, *self.counted}
        ordinary = [int(row) for row in self.filled if row not in labelled]
        cells = {row: self.table.row(row) for row in ordinary}
        naming = {self.columns.by_quantity[name].index for name in ITEM_NAMES if name in self.columns.by_quantity}
        common = [
            j
            for j in range(self.table.n_columns)
            if sum(is_filled_text(texts[j]) for texts in cells.values()) >= _COMMON_CELL_SHARE * len(cells) > 1
        ]
        lacking: dict[int, TotalRow] = {}
        for row, texts in cells.items():
            labels = [texts[j].strip() for j in sorted(naming) if is_filled_text(texts[j])]
            labels = labels or [text.strip() for text in texts if text.strip() and read_number(text) is None]
            if labels and any(not is_filled_text(texts[j]) for j in common) and self.masses.stated(row):
                lacking[row] = TotalRow(row, "total", labels[0], None)
        return {} if len(lacking) == len(ordinary) else lacking

    # trying

    def decided(self, *, ask: bool) -> RowRoles:
        """Find the rows that are not parts under the reading that agrees with most totals."""
        outcomes = [self._outcome(frozenset(parts)) for parts in self._subsets()]
        most = max(outcome.agreeing for outcome in outcomes)
        best = [outcome for outcome in outcomes if outcome.agreeing == most]
        parts: set[int] = set()
        findings = Findings()
        excluded = {row: total for row, total in self.certain.items() if row not in {one.row for one in self.tried}}
        for one in self.tried:
            findings_here = Findings()
            is_part = self._decide(one, best, most, findings_here)
            is_ambiguous = any(finding.rule == "MP257" for finding in findings_here)
            findings += findings_here if ask or not is_ambiguous else []
            if is_part or (is_ambiguous and not ask):
                parts.add(one.row)
            else:
                excluded[one.row] = one
        chosen = next((o for o in best if o.parts == parts), best[0])
        excluded |= {row: one for row, one in chosen.accepted.items() if ask or row not in self.unlabelled}
        findings += self._ambiguous_label_findings(excluded) if ask else []
        excluded |= self._totals_again(excluded)
        excluded |= self._below_all(excluded)
        excluded |= self._growth_alone(excluded)
        excluded |= self._growth_sums(excluded)
        excluded |= self._multiples_of_totals(excluded)
        findings += self._ambiguous_tail_findings(excluded, chosen) if ask else []
        return RowRoles([excluded[row] for row in sorted(excluded)], findings)

    def _subsets(self) -> Iterator[Sequence[int]]:
        """List the sets of tried rows that may be parts: every one; of many rows none, each separately, and all."""
        rows = [one.row for one in self.tried]
        if len(rows) > _MAX_COMBINED_ROWS:
            return iter([(), *((row,) for row in rows), tuple(rows)])
        return chain.from_iterable(combinations(rows, k) for k in range(len(rows) + 1))

    def _outcome(self, parts: _RowSet) -> _TrialOutcome:
        """Count the totals that agree where some of the tried rows are parts: the best of the readings of masses."""
        best = _TrialOutcome(parts, -1, {})
        for reading in self.readings:
            agreeing, accepted = self._agreement(reading, parts)
            if agreeing > best.agreeing:
                best = _TrialOutcome(parts, agreeing, accepted)
        return best

    def _agreement(self, reading: _Floats, parts: _RowSet) -> tuple[int, dict[int, TotalRow]]:
        """Compare the totals, from the top, with the parts above them; a row that agrees is a sum from there on."""
        values = reading.copy()
        figures = [one for one in self.tried if one.row not in parts]
        for row in (*self.sums, *(one.row for one in figures)):
            values[row - self.first] = 0.0
        accepted: dict[int, TotalRow] = {}
        starts = [self.first]
        agreeing = 0
        grown: set[int] = set()
        for row in sorted(self.candidates):
            if row in parts:
                continue
            one = self.candidates[row]
            margins = [figure for figure in figures if figure.kind == "margin" and figure.row < row]
            inside = {m.row for m in margins if m.row in grown or self._trails(m, row)}
            found_here = self._span_of(row, values, starts, [m for m in margins if m.row in inside])
            if found_here is not None:
                start, is_grown = found_here
                agreeing += 1
                grown |= inside if is_grown else set()
                grown |= {m.row for m in figures if m.kind == "margin" and m.row > row and self._trails(one, m.row)}
                if row not in self.sums:
                    kind = "total" if start == self.first else "subtotal"
                    accepted[row] = one._replace(kind=kind) if row in self.unlabelled else one
                    values[row - self.first] = 0.0
            if found_here is not None or row in self.sums:
                starts.append(row + 1)
        return agreeing, accepted

    def _span_of(
        self, row: int, values: _Floats, starts: Sequence[int], margins: Sequence[TotalRow]
    ) -> tuple[int, bool] | None:
        """Return the first part in the sum of a row, and whether the sum includes margins; None without a sum."""
        end = row - self.first
        for start in dict.fromkeys((self.first, *reversed(starts[-_MAX_SUM_STARTS:]))):
            rows = values[start - self.first : end]
            count, computed = int(np.count_nonzero(rows)), float(rows.sum())
            grown = sum(self._margin_mass(one, computed) for one in margins if one.row >= start)
            for stated, allowed in self.masses.stated(row):
                if not self._may_be_sum(row, count, stated, first=len(starts) == 1):
                    continue
                for more in dict.fromkeys((0.0, grown)):
                    if abs(computed + more - stated) <= allowed:
                        return start, more != 0.0
        below = values[end:]
        if row in self.sums and not np.count_nonzero(values[:end]) and np.count_nonzero(below) > 1:
            is_sum = any(abs(below.sum() - stated) <= allowed for stated, allowed in self.masses.stated(row))
            return (self.first, False) if is_sum else None
        return None

    def _may_be_sum(self, row: int, count: int, stated: float, *, first: bool) -> bool:
        """Return whether a row may be a sum of ``count`` parts: by its label, or by their number."""
        if row in self.sums:
            return count > 0
        if row in self.possible:
            return count > int(first)
        if count >= _MIN_SUM_PARTS or not first:
            return count > 0
        column = self.masses.mass.index
        has_no_piece = self.masses.line is not None and not is_filled_text(self.table.text(row, column))
        return count == _MIN_SUM_PARTS - 1 and (has_no_piece or _significant_digits(stated) >= _MIN_SUM_DIGITS)

    def _margin_mass(self, one: TotalRow, computed: float) -> float:
        """Return the mass of a margin: as stated, or its percentage of a sum, or 0."""
        stated = self.masses.stated(one.row)
        if stated:
            return stated[0][0]
        match = _PERCENT.search(" ".join(self.table.row(one.row)))
        return computed * float(match[1].replace(",", ".")) / 100 if match else 0.0

    def _trails(self, one: TotalRow, row: int) -> bool:
        """Return whether no part is between a margin and a total below it."""
        between = {int(k) for k in self.filled if one.row < k < row}
        return not between - {*self.certain, *self.possible, *self.unlabelled}

    # deciding

    def _decide(self, one: TotalRow, best: Sequence[_TrialOutcome], most: int, findings: Findings) -> bool:
        """Return whether a tried row is a part, with the findings about it."""
        is_in = [one.row in outcome.parts for outcome in best]
        if self._opens_list(one):
            return True
        decides = self._decides(one, best, most)
        if decides and all(is_in):
            message = f"row included as a part: {one.label} (the stated totals agree only if it is included)"
            remedy = f"pass --skip-row {self._quoted(one.row)} if it is not a part"
            findings.report("MP282", message, self.table.place(one.row), value=one.label, remedy=remedy)
            return True
        if decides and any(is_in) and one.kind == "margin" and self._is_listed_part(one.row, best[is_in.index(True)]):
            message = f"row included as a part: {one.label} (it has a code and a centre of mass, as the parts have)"
            remedy = f"pass --skip-row {self._quoted(one.row)} if it is not a part"
            findings.report("MP282", message, self.table.place(one.row), value=one.label, remedy=remedy)
            return True
        if self._names_side(one) and not (decides and not any(is_in)):
            return True
        is_figure = (decides and (not any(is_in) or self._is_growth(one))) or self._follows_sum(one)
        if is_figure or (one.kind == "limit" and one.row not in self.lacking):
            return False
        if one.row not in self.lacking:
            findings.append(self.question(one))
        return one.row in self.lacking

    def _opens_list(self, one: TotalRow) -> bool:
        """Return whether a row is the first and not the sum of those below: ``Empty weight``, then the payload."""
        return one.kind == "total" and not (self.filled < one.row).any() and not self._is_sum_of_others(one.row)

    def _names_side(self, one: TotalRow) -> bool:
        """Return whether a row is named by a side: ``Left`` below no sum and no limit is not what is left of one."""
        sides = {text.casefold() for entry in words("sides")["side"] for text in (*entry["one"], *entry["other"])}
        above = [*self.sums, *(each.row for each in self.tried if each.kind == "limit")]
        return one.label.strip().casefold() in sides and not any(row < one.row for row in above)

    def _decides(self, one: TotalRow, best: Sequence[_TrialOutcome], most: int) -> bool:
        """Return whether some total resolves a row: one below it agrees, under the best readings."""
        return most > 0 and bool(self.sums or best[0].accepted)

    def _follows_sum(self, one: TotalRow) -> bool:
        """Return whether only rows that are not parts are between a sum above and this row."""
        above = [row for row in self.sums if row < one.row]
        return bool(above) and self._trails(TotalRow(max(above), "total", "", None), one.row)

    def _is_growth(self, one: TotalRow) -> bool:
        """Return whether a margin inside a total is growth: by its percentage, or by a whole word for it."""
        if one.kind != "margin":
            return False
        quantity = self.columns.by_quantity.get("qty")
        if quantity is not None and is_filled_text(self.table.text(one.row, quantity.index)):
            return False
        return not one.label.isupper() or _PERCENT.search(one.label) is not None

    def _is_listed_part(self, row: int, trial: _TrialOutcome) -> bool:
        """Return whether a row has its own centre, and a code in a column that parts fill and totals leave blank."""
        named = self.columns.by_quantity
        places = [named[name].index for name in CENTER_COLUMNS if name in named]
        if not any(read_number(self.table.text(row, j)) is not None for j in places):
            return False
        sums = {*self.sums, *trial.accepted}
        labelled = {*self.unlabelled, *self.possible, *self.certain, *(one.row for one in self.tried), *sums}
        parts = [int(k) for k in self.filled if int(k) not in labelled]
        codes = (j for j in range(self.table.n_columns) if is_filled_text(self.table.text(row, j)))
        return any(
            all(is_filled_text(self.table.text(k, j)) for k in parts)
            and not any(is_filled_text(self.table.text(k, j)) for k in sums)
            for j in codes
            if parts and sums
        )

    def question(self, one: TotalRow) -> Finding:
        """Report an ambiguous row, with the option for each reading."""
        command = f"massprops rollup {shlex.quote(self.table.source.name)}"
        quoted = self._quoted(one.row)
        stated = next(iter(self.masses.stated(one.row)), (0.0, 0.0))[0]
        message = f"row is ambiguous: {one.label} (a part of {stated:.6g} or a {one.noun})"
        remedy = f"run {command} --count-row {quoted}, or {command} --skip-row {quoted}"
        return rule_finding("MP257", message, self.table.place(one.row), value=one.label, remedy=remedy)

    def _is_only(self, label: str) -> bool:
        """Return whether exactly one cell has this text."""
        texts = (text.strip() for row in range(self.first, self.table.n_rows) for text in self.table.row(row))
        return sum(text == label for text in texts) == 1

    def _ambiguous_label_findings(self, excluded: dict[int, TotalRow]) -> list[Finding]:
        """Report rows that may be sums by their labels, and are not by their numbers."""
        rest = [one for row, one in self.possible.items() if row not in excluded and not self._is_tried(one)]
        return [self.question(one) for one in rest if self.masses.stated(one.row)]

    def _is_sum_of_others(self, row: int) -> bool:
        """Return whether a row states the sum of all other rows, in some reading of the masses."""
        k = row - self.first
        return any(
            abs(reading.sum() - reading[k] - stated) <= allowed
            for reading in self.readings
            for stated, allowed in self.masses.stated(row)
        )

    def _last_total(self, excluded: Mapping[int, TotalRow]) -> int | None:
        """Find the last total that is the sum of all parts above it, where no later one is; else None."""
        for row in sorted(excluded, reverse=True):
            if excluded[row].kind not in ("total", "subtotal"):
                continue
            parts = [int(k) for k in self.filled if k < row and k not in excluded]
            is_whole = any(
                abs(sum(reading[k - self.first] for k in parts) - stated) <= allowed
                for reading in self.readings
                for stated, allowed in self.masses.stated(row)
            )
            if is_whole and len(parts) > 1:
                return row
        return None

    def _totals_again(self, excluded: dict[int, TotalRow]) -> dict[int, TotalRow]:
        """Find the rows below a sum of all parts that repeat it, with the margins between: no part has that mass."""
        last = self._last_total(excluded)
        if last is None:
            return {}
        again: dict[int, TotalRow] = {}
        running = margins = 0.0
        stated = self.masses.stated(last)[0][0]
        for row in (int(k) for k in self.filled if k > last):
            one = self.masses.stated(row)
            if not one or row in excluded:
                margins += one[0][0] if one and excluded[row].kind == "margin" else 0.0
                continue
            sums = {stated, stated + margins, stated + running, stated + running + margins}
            is_again = any(abs(one[0][0] - whole) <= one[0][1] for whole in sums)
            if is_again and _significant_digits(one[0][0]) >= _MIN_SUM_DIGITS - 1:
                again[row] = TotalRow(row, "total", self._label(row), None)
            else:
                running += one[0][0]
        return again

    def _label(self, row: int) -> str:
        """Return the first text of a row that is not a number, or else its place."""
        texts = self.table.row(row)
        return next((text.strip() for text in texts if text.strip() and read_number(text) is None), f"row {row + 1}")

    def _ambiguous_tail_findings(self, excluded: Mapping[int, TotalRow], chosen: _TrialOutcome) -> list[Finding]:
        """Report rows below a total of all the parts above it: parts that it leaves out, or figures."""
        last = self._last_total(excluded)
        if last is None or not any(one.kind == "total" and row >= last for row, one in excluded.items()):
            return []
        end = max(row for row, one in excluded.items() if one.kind in ("total", "subtotal"))
        rows = [int(k) for k in self.filled if k > end and k not in excluded and k not in self.counted]
        if not rows or any(row in chosen.parts for row in rows):
            return []
        names = [self._quoted(row) for row in rows]
        command = f"massprops rollup {shlex.quote(self.table.source.name)}"
        counted, skipped = (" ".join(f"--{verb}-row {name}" for name in names) for verb in ("count", "skip"))
        message = f"{self._label(rows[0])} is below the total {excluded[last].label} of all parts above it"
        remedy = f"run {command} {skipped} if it is not a part, or {command} {counted} if it is one"
        places = [self.table.place(row) for row in rows[:20]]
        value = self._label(rows[0])
        return [
            rule_finding(
                "MP257", message, places[0], value=value, remedy=remedy, count=len(rows), related=tuple(places[1:])
            )
        ]

    def _quoted(self, row: int) -> str:
        """Name a row in a command: by its label if that is unique, else by place."""
        label = self._label(row)
        return shlex.quote(label if self._is_only(label) and is_command_text(label) else row_reference(self.table, row))

    def _below_all(self, excluded: dict[int, TotalRow]) -> dict[int, TotalRow]:
        """Find the rows below the last total that lack cells of the parts: figures of the total."""
        totals = [row for row, one in excluded.items() if one.kind == "total"]
        last = max(totals, default=self.table.n_rows)
        parts = {int(row) for row in self.filled} - {*excluded, *self.unlabelled}
        if not totals or any(row > last for row in parts):
            return {}
        return {row: one._replace(kind="figure") for row, one in self.unlabelled.items() if row > last}

    def _growth_alone(self, excluded: Mapping[int, TotalRow]) -> dict[int, TotalRow]:
        """Find the rows below the last sum that are named as masses and state one with growth alone: ``Wet mass``."""
        named = self.columns.by_quantity
        grown = [named[name].index for name in GROWTH_MASSES if name in named]
        sums = [row for row, one in excluded.items() if one.kind in ("total", "subtotal")]
        known = {*excluded, *self.counted}
        if not grown or not sums or any(row > max(sums) for row in self.filled if row not in known):
            return {}
        first = next(row for row in sorted(sums) if not any(part > row for part in {*map(int, self.filled)} - known))
        below = [row for row in range(first + 1, self.table.n_rows) if row not in known]
        rows: dict[int, TotalRow] = {}
        for row in below:
            texts, label = self.table.row(row), self._label(row)
            counts = "qty" in named and is_filled_text(texts[named["qty"].index])
            kinds = [kind for kind in ("growth", "limit", "with", "sum", "mass") if is_heading_of_kind(kind, label)]
            if kinds and not counts and any(is_filled_text(texts[j]) for j in grown) and not self.masses.stated(row):
                rows[row] = TotalRow(row, {"growth": "margin", "limit": "limit"}.get(kinds[0], "figure"), label, None)
        return rows

    def _growth_sums(self, excluded: Mapping[int, TotalRow]) -> dict[int, TotalRow]:
        """Find the rows with the label of a sum that state no mass, and the sum of the masses with growth above."""
        rows = [row for row, one in sorted(self.possible.items()) if one.kind == "total" and row not in excluded]
        rows = [row for row in rows if row not in self.counted and not self.masses.stated(row)]
        named = self.columns.by_quantity
        found: dict[int, TotalRow] = {}
        for column in (named[name] for name in GROWTH_MASSES if rows and name in named):
            values = np.nan_to_num(self.masses.row_values(column))
            values[[row - self.first for row in (*excluded, *rows)]] = 0.0
            for row in rows:
                stated, half = self.masses.number(column, row), self.masses.half_digits((row,), column)
                for start in (self.first, *(other + 1 for other in rows if other < row)):
                    parts = [k for k in range(start, row) if values[k - self.first]]
                    allowed = (half + self.masses.half_digits(parts, column)) * (1 + 1e-9)
                    if len(parts) > 1 and abs(sum(values[k - self.first] for k in parts) - stated) <= allowed:
                        found[row] = self.possible[row]._replace(kind="subtotal")
        return found

    def _multiples_of_totals(self, excluded: Mapping[int, TotalRow]) -> dict[int, TotalRow]:
        """Find the rows below the last sum that state how many times they count one: ``Full wing (×2)``."""
        labels = {int(row): self._label(int(row)) for row in self.filled if row not in self.counted}
        counts = {row: float(m["before"] or m["after"]) for row, text in labels.items() if (m := _TIMES.search(text))}
        sums = [row for row, one in excluded.items() if one.kind in ("total", "subtotal") and row not in counts]
        found: dict[int, TotalRow] = {}
        for row, times in counts.items():
            if times <= 1 or not sums or row < max(sums):
                continue
            pairs = ((one, total) for one in self.masses.stated(row) for k in sums for total in self.masses.stated(k))
            if any(abs(one[0] - times * total[0]) <= one[1] + times * total[1] for one, total in pairs):
                found[row] = TotalRow(row, "figure", self._label(row), None)
        return found


def _significant_digits(value: float) -> int:
    """Count the significant digits of a number."""
    return len(f"{abs(value):.12g}".replace(".", "").strip("0").split("e")[0])
