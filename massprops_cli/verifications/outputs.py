"""Recomputed numbers; a written result, also of another program, compared with them cell by cell."""

from __future__ import annotations

import math
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from massprops_cli.bom.bom import Bom, read_bom
from massprops_cli.files.table import short_numbers
from massprops_cli.findings.finding import Findings, MasspropsError, Place, TableError, UsageError, name_list
from massprops_cli.verifications.cells import (
    NAMES,
    TableReading,
    TypedTable,
    is_same_text,
    printed_numbers,
    read_workbook_names,
)
from massprops_cli.verifications.digits import last_digit, typed_numbers, unit_size
from massprops_cli.verifications.flat import (
    DIGITS,
    PAIRS,
    FlatSigmas,
    FlatSums,
    branch_paths,
    level_inputs,
    turned_tensor,
)
from massprops_cli.verifications.formulas import FORMULA_SHEET, edited_formulas, sheet_of_table

if TYPE_CHECKING:
    from massprops_cli.bom.results.result import Result

_PLACE = {name: k for k, name in enumerate(NAMES)}
_OTHERS = 0.1  # share of numbers that differ in a last digit, up to which a file is one of this version
_MOST_SHOWN = 20  # cells with a finding of their own; the last one counts the rest
_NOISE = 1e-14  # share of its scale below which a value is rounding, and written as 0
_EXACT_DIGITS = 15  # from which on a number is not rounded

_LEAST_SPREAD = 1e-9  # share of a radius below which its sigma, a difference of two squares, is rounding
_SUM = "leaves added flat in fractions of the typed digits"
_SPREAD = f"sum over all leaves of the squares of differences in {DIGITS} digits"
_LEVEL = f"sum over the children of the squares of differences in {DIGITS} digits"


class Recomputation:
    """The recomputed numbers of all items: values as fractions, sigmas as doubles."""

    def __init__(self, result: Result, typed: TypedTable, sums: FlatSums) -> None:
        self.result, self.typed, self.sums = result, typed, sums
        self.not_verified: list[str] = []
        if typed.count.reader == "none":
            self.not_verified.append(f"cells of a {result.bom.table.source.format or 'table'}: no second reader")
        if typed.count.derived:
            self.not_verified.append(f"{typed.count.derived:,} values that are not numbers of one cell: used as read")
        self.not_verified += typed.not_verified
        if sums.skipped:
            self.not_verified.append(f"{sums.skipped:,} deep assemblies above many leaves")
        self.spreads = self._spreads()

    def _spreads(self) -> dict[int, list[float]]:
        """Return the sigmas of the ten values and the radii of every assembly, by the method of the roll-up."""
        result, bom = self.result, self.result.bom
        method = result.rollup.method
        if result.rollup.sigmas is None:
            return {}
        if bom.deviations is not None or bom.branches is not None:
            self.not_verified.append("sigmas: shapes or branches state joint deviations")
            return {}
        if method != "massprops":
            moved = () if bom.poses is None or bom.poses.covariance is None else branch_paths(bom, range(len(bom)))
            return FlatSigmas(self.typed, self.sums.paths, result.correlation, bom.poses, moved).sigmas()
        tool = printed_numbers(result.rollup)
        level = level_inputs(bom, [row[:10] for row in tool], [row[13:23] for row in tool])
        return FlatSigmas(level.typed, level.paths, None).sigmas()

    def method(self, quantity: str) -> str:
        """Return how a quantity was recomputed, in words."""
        if not quantity.startswith("sigma_"):
            return _SUM
        return _LEVEL if self.result.rollup.method == "massprops" else _SPREAD

    def value(self, item: int, k: int) -> Fraction | None:
        """Return the recomputed value of a quantity by its place in ``NAMES``; None if it is not known."""
        values = self.sums.values.get(item)
        if k < 10:
            return None if values is None else values[k]
        if k < 13:
            moment, mass = (None, None) if values is None else (values[k - 6], values[0])
            square = None if moment is None or not mass else moment / mass
            return None if square is None or square < 0 else Fraction(_root(square))
        spread = self.spreads.get(item)
        number = math.nan if spread is None else spread[k - 13]
        return None if math.isnan(number) else Fraction(number)

    def values_of(self, item: int) -> list[Fraction | None]:
        """Return the ten recomputed values of an assembly, or the typed ones of a leaf, in the frame of the root."""
        found = self.sums.values.get(item)
        return self.sums.leaves[item] if found is None else found

    def scale(self, item: int, k: int) -> float:
        """Return what a difference is relative to."""
        kind = _kind(k)
        if k < 10:
            return self.sums.scales[item][kind]
        spread = self.spreads.get(item, [])
        if k >= 13 and spread:
            near = spread[{0: slice(0, 1), 1: slice(1, 4), 2: slice(4, 10), 3: slice(10, 13)}[kind]]
            least = _LEAST_SPREAD * self._radius(item) if kind == 3 else 0.0
            return max((one for one in (least, *near) if not math.isnan(one)), default=0.0)
        return self._radius(item)

    def _radius(self, item: int) -> float:
        """Return the largest radius of gyration."""
        return max(float(self.value(item, j) or 0) for j in (10, 11, 12))


def _root(square: Fraction) -> float:
    """Return the root of a fraction, exact to rounding."""
    shift = 2**160
    return math.isqrt(square.numerator * shift * shift // square.denominator) / shift


def _kind(k: int) -> int:
    """Return the kind of a quantity: 0 mass, 1 centre, 2 tensor, 3 radius."""
    k %= 13
    return 0 if k == 0 else 1 if k < 4 else 2 if k < 10 else 3


@dataclass
class _OutputCell:
    """A number of a written result: place, text, name, and what this version writes."""

    place: Place
    text: str
    name: str
    written: tuple[float, ...]  # what this version writes: with the digits of its inputs, or all
    is_result: bool  # of an assembly


@dataclass
class _Output:
    """A written result that is compared."""

    recomputed: Recomputation
    tolerance: float
    findings: Findings
    cells: list[_OutputCell] = field(default_factory=list)
    wrong: list[tuple[Place, str, str, str]] = field(default_factory=list)  # place, message, text, item
    compared: int = 0


def compare_output(recomputed: Recomputation, name: str, tolerance: float, findings: Findings) -> int:
    """Compare every cell of a written result; return how many."""
    if not Path(name).is_file():
        raise UsageError(f"result is not a file: {name}")
    output, result = _Output(recomputed, tolerance, findings), recomputed.result
    names = read_workbook_names(name)
    sheets = [sheet_of_table(result, names), *(one for one in names if one == "Rollup")] if names else [""]
    for sheet in dict.fromkeys(sheets):
        try:
            made = _read_written(name, sheet, result.bom.options.unit)
        except TableError as error:
            findings.extend(error.findings)
            continue
        _TableComparison(output, made).compare()
    if rest := [one for one in names if one not in (*sheets, FORMULA_SHEET)]:
        recomputed.not_verified.append(f"sheets {name_list(rest)} of {Path(name).name}: not compared")
    if FORMULA_SHEET in names:
        for place, found, wanted in edited_formulas(result, name)[:_MOST_SHOWN]:
            sheet, _, cell = place.partition("!")
            message = f"formula is {found} (expected {wanted})"
            findings.report("MP907", message, Place(name, sheet, cell=cell), value=found)
    _report_cells(output)
    return output.compared


def _read_written(name: str, sheet: str, unit: Mapping[str, str]) -> Bom:
    """Read a written result; correlations are not read as the quantities that their names have."""
    made = read_bom(name, sheet=sheet, config=False, allow_missing="all", unit=unit)
    heads = [one.strip() for one in made.columns.header]
    if not any(column.header.strip().startswith("ρ") for column in made.columns.by_quantity.values()):
        return made
    left = [one for one in heads if one.startswith("ρ")]
    return read_bom(name, sheet=sheet, config=False, allow_missing="all", unit=unit, ignore_columns=left)


class _TableComparison:
    """Comparison of the rows of one table of a written result with the items of their ids."""

    def __init__(self, output: _Output, made: Bom) -> None:
        self.output, self.made, self.bom = output, made, output.recomputed.result.bom
        self.reading = TableReading(made, Findings())
        self.columns = _output_columns(made, output.recomputed.result)
        rolled = self.bom.in_row_frames(output.recomputed.result.rollup)
        self.printed, self.ends = printed_numbers(rolled, sampled=True), self.bom.ends.tolist()

    def compare(self) -> None:
        """Compare all rows and columns, and list the columns of numbers that have nothing to be compared with."""
        made, bom, output = self.made, self.bom, self.output
        numbers, own = {name: i for i, name in enumerate(bom.ids)}, TableReading(bom, Findings())
        self._report_ids(numbers)
        heads = {text.strip(): j for j, text in enumerate(bom.columns.header) if text.strip()}
        named = {j: h.strip() for j, h in enumerate(made.columns.header) if h.strip() and j not in self.columns}
        others = {j: head for j, head in named.items() if head not in heads}
        fresh = _fresh_table(output.recomputed.result, made) if others else None
        places = {} if fresh is None else {h.strip(): i for i, h in enumerate(fresh.bom.columns.header)}
        added = {j: places[head] for j, head in others.items() if head in places}
        rows = {} if fresh is None else {name: int(fresh.bom.rows[i]) for i, name in enumerate(fresh.bom.ids)}
        for k, name in enumerate(made.ids):
            row, item = int(made.rows[k]), numbers.get(name)
            if row < 0 or item is None:
                continue
            self._compare_results(k, item)
            cells = _RowTexts(output, name, self.reading, row)
            output.compared += cells.compare(
                own, int(bom.rows[item]), {j: heads[h] for j, h in named.items() if h in heads}
            )
            if fresh is not None and name in rows:
                output.compared += cells.compare(fresh, rows[name], added, is_result=True)
        if rest := [head for j, head in others.items() if j not in added and _has_number(self.reading, made, j)]:
            place = made.table.source.sheet or Path(made.table.source.name).name
            output.recomputed.not_verified.append(
                f"columns of {place} that massprops does not write: {name_list(rest)}"
            )

    def _report_ids(self, numbers: Mapping[str, int]) -> None:
        """Report items that only one of both files has."""
        made, bom, known = self.made, self.bom, set(self.made.ids)
        missing = [name for i, name in enumerate(bom.ids) if name not in known and bom.rows[i] >= 0]
        added = [name for i, name in enumerate(made.ids) if name not in numbers and made.rows[i] >= 0]
        place = Place(made.table.source.name, made.table.source.sheet)
        for what, ids in (("lacks", missing), ("has, and the table lacks,", added)):
            if ids:
                self.output.findings.report("MP906", f"written result {what} {name_list(ids)}", place, item=ids[0])

    def _compare_results(self, row_item: int, item: int) -> None:
        """Compare the results of one item."""
        output, item_id, row = self.output, self.made.ids[row_item], int(self.made.rows[row_item])
        recomputed, wrong = output.recomputed, output.wrong
        is_end, of_row = self.ends[item], _row_values(recomputed, item, self.ends[item])
        is_turned = self.bom.options.inertia_about is not None or (is_end and self.bom.poses is not None)
        for j, (k, factor) in self.columns.items():
            text, place, name = (
                self.reading.text(row, j) or "",
                self.made.table.place(row, j),
                f"{NAMES[k]} of {item_id}",
            )
            sign = -1 if k in (7, 8, 9) and self.made.sign[row_item] > 0 else 1
            exact, tool = of_row[k] if k < 10 else _exact_spread(recomputed, item, k, is_end), self.printed[item][k]
            if exact is None and math.isnan(tool):
                continue
            if not text:
                if not math.isnan(tool) and tool and not is_end:
                    wrong.append((place, f"{name} is blank", text, item_id))
                continue
            found = typed_numbers(text)
            output.compared += 1
            if not found:
                wrong.append((place, f"{name} is not a number: {text!r}", text, item_id))
                continue
            target = exact if exact is not None else Fraction(tool)
            value = min((sign * one * factor for one in found), key=lambda one: abs(one - target))
            scale = recomputed.scale(item, k) if item in recomputed.sums.values else abs(float(target))
            is_other = (row, j) in self.reading.formulas or (is_turned and 1 <= k < 10)
            share = tool / scale if scale else 0.0
            written = () if is_other else _written_numbers(sign * tool / float(factor), share)
            output.cells.append(_OutputCell(place, text, name, written, not is_end))
            half = last_digit(text) * abs(factor) / 2 if _digit_count(text) < _EXACT_DIGITS else Fraction(0)
            allowed = max(half * Fraction(1000001, 1000000), Fraction(output.tolerance * (scale or 1.0)))
            if abs(value - target) > allowed:
                message = f"{name} is {text}, recomputed {float(target / factor * sign):.17g}"
                wrong.append((place, message, text, item_id))


def _written_numbers(value: float, share: float) -> tuple[float, ...]:
    """Return the numbers that this version may write for a value, ``share`` of its scale."""
    if math.isnan(value):
        return ()
    # some programs save 15 or 16 digits
    short = float(short_numbers(np.array([value]))[0]), *(float(f"{value:.{digits}g}") for digits in (15, 16))
    return (value, *short, *((0.0,) if abs(share) < _NOISE else ()))


def _digit_count(text: str) -> int:
    """Return how many significant digits a number is written with."""
    return len(re.sub(r"[^0-9]", "", re.split("[eE]", text)[0]).lstrip("0"))


def _exact_spread(recomputed: Recomputation, item: int, k: int, is_end: bool) -> Fraction | None:
    """Return the recomputed radius or sigma of an item, or the typed one of a leaf; None where it is of other axes."""
    typed = recomputed.typed
    if is_end:
        return typed.sigmas[item][k - 13] or None if 13 <= k < 23 else None
    is_moved = bool(typed.frames) or recomputed.result.rollup.sampled is not None
    return None if is_moved else recomputed.value(item, k)


def _row_values(recomputed: Recomputation, item: int, is_end: bool) -> list[Fraction | None]:
    """Return ten values in the frame of a row, about the point of the option ``inertia-about``."""
    typed, about = recomputed.typed, recomputed.result.bom.options.inertia_about
    ten = list(typed.values[item] if is_end else recomputed.values_of(item))
    if typed.frames and not is_end:
        r, t = typed.frames[item]
        back = list(zip(*r, strict=True))
        if None not in ten[1:4]:
            arm = [(x or 0) - y for x, y in zip(ten[1:4], t, strict=True)]
            ten[1:4] = [sum(back[a][b] * arm[b] for b in range(3)) for a in range(3)]
        if None not in ten[4:]:
            ten[4:] = turned_tensor(back, [x or Fraction(0) for x in ten[4:]])
    if about is not None and None not in ten:
        d = [(x or 0) - Fraction(y) for x, y in zip(ten[1:4], about, strict=True)]
        size, m = sum(x * x for x in d), ten[0] or Fraction(0)
        ten[4:] = [(x or 0) + m * (size * (a == b) - d[a] * d[b]) for x, (a, b) in zip(ten[4:], PAIRS, strict=True)]
    return ten


def _output_columns(made: Bom, result: Result) -> dict[int, tuple[int, Fraction]]:
    """Return the columns of results: index → place in ``NAMES``, and the factor from a cell to coherent units."""
    units, columns = result.bom.units, {}
    reading = TableReading(made, Findings())
    for quantity, column in made.columns.by_quantity.items():
        if quantity in _PLACE and not column.percent:
            own = reading.factor(column, quantity, 0)
            base = quantity.removeprefix("sigma_")
            kind = "mass" if base == "mass" else "length" if base[0] in "Ck" else "inertia"
            columns[column.index] = (_PLACE[quantity], own * _between(getattr(made.units, kind), getattr(units, kind)))
    return columns


def _between(one: str, other: str) -> Fraction:
    """Return the factor from one unit to another; 1 where one is unknown."""
    sizes = unit_size(one), unit_size(other)
    return Fraction(1) if sizes[0] is None or sizes[1] is None else sizes[0] / sizes[1]


_ADDED = ("radii", "sigma", "principal", "coverage", "rho", "growth")
_OF_ONE = ("axis", "rho", "ρ", "coverage")  # starts of the names of numbers whose largest is about 1


def _fresh_table(result: Result, made: Bom) -> TableReading | None:
    """Read the same sheet of what this version writes with all columns; None where it writes none."""
    source = made.table.source
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / ("fresh" + "".join(Path(source.name).suffixes[-2:]))
        for added in (_ADDED, ()):
            try:
                result.save(path, add=added)
                return TableReading(_read_written(str(path), source.sheet, made.options.unit), Findings())
            except MasspropsError:
                continue
    return None


def _has_number(reading: TableReading, made: Bom, column: int) -> bool:
    """Return whether a column of a written result has a number."""
    return any(row >= 0 and typed_numbers(reading.text(row, column) or "") for row in made.rows.tolist())


class _RowTexts(NamedTuple):
    """The cells of one row of a written result that are compared with those of another table."""

    output: _Output
    item_id: str
    reading: TableReading
    row: int

    def compare(self, other: TableReading, row: int, columns: Mapping[int, int], *, is_result: bool = False) -> int:
        """Compare the cells of some columns, those of results also where one is blank; return how many."""
        count = 0
        for j, i in columns.items() if row >= 0 else ():
            new, old = self.reading.text(self.row, j), other.text(row, i)
            if new is None or old is None or not (new or old):
                continue
            count += 1
            head, place = self.reading.bom.columns.header[j].strip(), self.reading.table.place(self.row, j)
            if is_result and len(written := typed_numbers(old)) == 1:
                name = f"{head} of {self.item_id}"
                self.output.cells.append(
                    _OutputCell(place, new, name, _written_numbers(float(written[0]), 1.0), is_result=True)
                )
            if new == old or not (old or is_result) or self._is_same(new, old, head, is_result=is_result):
                continue
            whose = "massprops writes" if is_result else "in the table"
            message = f"{head} of {self.item_id} is {new!r}, and "
            message += f"{whose} {old!r}" if is_result else f"{old!r} {whose}"
            self.output.wrong.append((place, message, new, self.item_id))
        return count

    def _is_same(self, new: str, old: str, head: str, *, is_result: bool) -> bool:
        """Return whether two texts are one number, a result within its rounding, or one text."""
        one, other = typed_numbers(new), typed_numbers(old)
        if set(one) & set(other) or is_same_text(new, old):
            return True
        if not (is_result and len(one) == len(other) == 1):
            return False
        size = max(abs(float(other[0])), 1.0 if head.startswith(_OF_ONE) else 0.0)
        half = last_digit(new) / 2 if _digit_count(new) < _EXACT_DIGITS else 0
        return abs(one[0] - other[0]) <= max(half, Fraction(self.output.tolerance * size))


def _report_cells(output: _Output) -> None:
    """Report the cells that differ; in a file of this version also those that differ in their last digits."""
    known = {str(place) for place, *_ in output.wrong}
    same = [(one, _is_number(one.text, one.written)) for one in output.cells if one.written]
    results = [(one, equal) for one, equal in same if one.is_result]
    long = [pair for pair in results if len(repr(pair[0].written[1])) > _EXACT_DIGITS] or results
    unequal = sum(not equal for _, equal in long)
    if unequal < len(long) and unequal <= max(1, _OTHERS * len(long)):
        for one, is_equal in same:
            if not is_equal and str(one.place) not in known:
                message = f"{one.name} is {one.text}, and massprops writes {one.written[0]!r}"
                output.wrong.append((one.place, message, one.text, ""))
    wrong: Sequence[tuple[Place, str, str, str]] = output.wrong
    for k, (place, message, text, item) in enumerate(wrong[:_MOST_SHOWN]):
        rest = len(wrong) - _MOST_SHOWN if k == _MOST_SHOWN - 1 else 0
        more = f", and {rest:,} more cells differ" if rest > 0 else ""
        output.findings.report("MP905", message + more, place, value=text, item=item, count=1 + max(rest, 0))


def _is_number(text: str, values: Sequence[float]) -> bool:
    """Return whether a text is one of some numbers, to the last digit."""
    try:
        return float(text) in values
    except ValueError:
        return False
