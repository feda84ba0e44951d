"""Recomputed numbers; a written result, also of another program, compared with them cell by cell."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from massprops_cli.bom.bom import Bom, read_bom
from massprops_cli.files.table import short_numbers
from massprops_cli.findings.finding import Findings, Place, TableError, UsageError, name_list
from massprops_cli.verifications.cells import (
    NAMES,
    TableReading,
    TypedTable,
    is_same_text,
    printed_numbers,
    read_workbook_names,
)
from massprops_cli.verifications.digits import last_digit, typed_numbers, unit_size
from massprops_cli.verifications.flat import DIGITS, FlatSigmas, FlatSums, branch_paths, level_inputs
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
    """A number of a written result: place, text, value, what was recomputed, and what this version writes."""

    place: Place
    text: str
    name: str
    value: Fraction
    exact: Fraction
    scale: float
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
            made = read_bom(name, sheet=sheet, config=False, allow_missing="all", unit=result.bom.options.unit)
        except TableError as error:
            findings.extend(error.findings)
            continue
        _compare_table(output, made)
    if FORMULA_SHEET in names:
        for place, found, wanted in edited_formulas(result, name)[:_MOST_SHOWN]:
            sheet, _, cell = place.partition("!")
            message = f"formula is {found} (expected {wanted})"
            findings.report("MP907", message, Place(name, sheet, cell=cell), value=found)
    _report_cells(output)
    return output.compared


def _compare_table(output: _Output, made: Bom) -> None:
    """Compare the rows of one table with the items of their ids."""
    result, quiet = output.recomputed.result, Findings()
    bom = result.bom
    reading, own = TableReading(made, quiet), TableReading(bom, quiet)
    numbers = {name: i for i, name in enumerate(bom.ids)}
    missing = [name for i, name in enumerate(bom.ids) if name not in made.ids and bom.rows[i] >= 0]
    added = [name for i, name in enumerate(made.ids) if name not in numbers and made.rows[i] >= 0]
    for what, ids in (("lacks", missing), ("has, and the table lacks,", added)):
        if ids:
            message = f"written result {what} {name_list(ids)}"
            output.findings.report(
                "MP906", message, Place(made.table.source.name, made.table.source.sheet), item=ids[0]
            )
    columns = _output_columns(made, result)
    printed, ends = printed_numbers(bom.in_row_frames(result.rollup), sampled=True), bom.ends.tolist()
    is_moved, is_sampled = bom.poses is not None, result.rollup.sampled is not None
    heads = {text.strip(): j for j, text in enumerate(bom.columns.header) if text.strip()}
    for row_item, item_id in enumerate(made.ids):
        row, item = int(made.rows[row_item]), numbers.get(item_id)
        if row < 0 or item is None:
            continue
        for j, (k, factor) in columns.items():
            text, place = reading.text(row, j) or "", made.table.place(row, j)
            sign = -1 if k in (7, 8, 9) and made.sign[row_item] > 0 else 1
            exact = (
                None
                if (is_moved and k) or (is_sampled and k >= 13)
                else _exact_value(output.recomputed, item, k, ends[item])
            )
            tool = printed[item][k]
            if exact is None and math.isnan(tool):
                continue
            if not text:
                if not math.isnan(tool) and tool and not ends[item]:
                    output.wrong.append((place, f"{NAMES[k]} of {item_id} is blank", text, item_id))
                continue
            found = typed_numbers(text)
            output.compared += 1
            if not found:
                output.wrong.append((place, f"{NAMES[k]} of {item_id} is not a number: {text!r}", text, item_id))
                continue
            target = exact if exact is not None else Fraction(tool)
            value = min((sign * one * factor for one in found), key=lambda one: abs(one - target))
            scale = output.recomputed.scale(item, k) if item in output.recomputed.sums.values else abs(float(target))
            written = (
                ()
                if (row, j) in reading.formulas
                else _written_numbers(sign * tool / float(factor), tool / scale if scale else 0.0)
            )
            one = _OutputCell(
                place, text, f"{NAMES[k]} of {item_id}", value, target, scale or 1.0, written, not ends[item]
            )
            output.cells.append(one)
            half = last_digit(text) * abs(factor) / 2 if _digit_count(text) < _EXACT_DIGITS else Fraction(0)
            if abs(value - target) > max(half * Fraction(1000001, 1000000), Fraction(output.tolerance * one.scale)):
                shown = float(target / factor * sign)
                message = f"{one.name} is {text}, recomputed {shown:.17g}"
                output.wrong.append((place, message, text, item_id))
        output.compared += _compare_texts(
            output, (reading, row), (own, int(bom.rows[item])), heads, set(columns), item_id
        )


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


def _exact_value(recomputed: Recomputation, item: int, k: int, is_end: bool) -> Fraction | None:
    """Return the recomputed value of an item, or the typed one of a leaf."""
    if not is_end:
        return recomputed.value(item, k)
    typed = recomputed.typed
    if k < 10:
        return typed.values[item][k]
    return typed.sigmas[item][k - 13] or None if 13 <= k < 23 else None


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


def _compare_texts(
    output: _Output,
    made: tuple[TableReading, int],
    own: tuple[TableReading, int],
    heads: Mapping[str, int],
    numbers: set[int],
    item_id: str,
) -> int:
    """Compare the cells of a row that have the same header in both files and are not results."""
    (reading, row), (table, own_row), count = made, own, 0
    if own_row < 0:
        return 0
    for j, head in enumerate(reading.bom.columns.header):
        if j in numbers or (i := heads.get(head.strip())) is None:
            continue
        new, old = reading.text(row, j), table.text(own_row, i)
        if new is None or old is None or not (new or old):
            continue
        count += 1
        if new != old and not is_same_text(new, old) and not set(typed_numbers(new)) & set(typed_numbers(old)) and old:
            message = f"{head.strip()} of {item_id} is {new!r}, and {old!r} in the table"
            output.wrong.append((reading.table.place(row, j), message, new, item_id))
    return count


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
