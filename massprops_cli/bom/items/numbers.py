"""Cells of number columns → arrays in item order, in coherent units; missing and invalid cells are reported."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.items.item_rows import (
    Indices,
    ItemFault,
    ItemRows,
    report_blank_items,
    report_cell_readings,
    report_column_once,
    report_item_faults,
    report_items,
    report_measure,
    row_measure,
)
from massprops_cli.bom.items.result_columns import CENTER, INERTIA, MASS, SIGMA_MASS, QuantitySet
from massprops_cli.files.table import ColumnNumbers, Floats, Mask, Table
from massprops_cli.findings.finding import Findings, Severity
from massprops_cli.tables.cells.number_text import BLANK_CHARACTERS, NUMBER_PATTERN, OF_ROW, measure_factor, read_number
from massprops_cli.tables.cells.numbers import ParsedColumn, parse_column, rejected_cell_fault
from massprops_cli.tables.cells.units import quantity_dimension, read_unit, unit_of_dimension
from massprops_cli.tables.columns.column_units import RowUnits
from massprops_cli.tables.columns.columns import QuantityColumn, TableColumns
from massprops_cli.tables.columns.sigma_columns import percent_rows
from massprops_cli.tables.options import DEFAULT_ALLOWED_MISSING, OPTIONAL_SETS, TableOptions

_PERCENT_CELL = rf"(?P<number>{NUMBER_PATTERN})[{BLANK_CHARACTERS}]*[%％]"  # ``5 %``
_FORMAT_TEXT = r'"(?P<quoted>[^"]*)"|(?P<escaped>(?:\\.)+)'  # ``"kg"`` and ``\k\g`` in a number format
_FORMAT_THOUSANDS = r"[0#?](,+)(?![0#?])"  # commas that scale: ``0,,``
_MISSING_REMEDIES = {
    "sigma": "enter the sigmas; until then those of the assemblies above are unknown",
    "inertia": "enter the inertia, or mark point masses in Ipoint; until then the parts are read as point masses",
}
"""Remedies for missing quantities, in place of the rule's remedy."""


def _check_cell_units(
    items: ItemRows, column: QuantityColumn, units: RowUnits, given: Mask, findings: Findings
) -> Mask:
    """Report the ``given (n,)`` numbers without a known unit, and return them ``(n,)``."""
    # a blank unit is an error if the rows have different units; otherwise it is the unit of the others
    unknown = given & np.isnan(units.sizes(items.rows))
    blank = given & units.blank(items.rows)
    where = replace(column, index=units.index, header=units.header)
    by_text: dict[str, list[int]] = {}
    for i in np.flatnonzero(unknown).tolist():
        by_text.setdefault(units.text(int(items.rows[i])), []).append(i)
    for text, of in by_text.items():
        rule, message, remedy = units.faults[text]
        messages = {i: f"unit of {column.header} of {items.ids[i]} is not valid: {message}" for i in of}
        report_item_faults(items, ItemFault(rule, where, remedy), messages, findings)
    if not units.several:
        words = f"{column.header} without a unit read in {units.unit.text}, the unit of all other rows"
        report_column_once(items, ItemFault("MP227", column), blank, words, findings)
        return unknown
    fault = ItemFault("MP207", where, f"write the unit in {units.header}")
    words = f"has no unit (other rows: {units.listed})"
    report_items(items, fault, blank, lambda i: f"{column.header} of {items.ids[i]} {words}", findings)
    return unknown | blank


def _split_percents(
    items: ItemRows, column: QuantityColumn, parsed: ParsedColumn
) -> tuple[ParsedColumn, Floats | None]:
    """Separate percentages from the plain numbers: return the others, and one σ in percent, NaN elsewhere."""
    # The percentages are ``(rows,)``; None without any. In a column of percentages every number is one;
    # elsewhere ``5 %``, and a cell that a worksheet shows as 5 %, are.
    first = items.columns.first_row
    values = parsed.values.copy()
    percents = np.full(len(values), np.nan)
    shown = [row - first for row in percent_rows(items.table, column.index, first)]
    percents[shown] = values[shown] * (100 / column.level)
    values[shown] = np.nan
    if column.percent:
        percents = np.where(np.isnan(percents), values * column.factor, percents)
        values[:] = np.nan
    texts = items.table.texts(column.index, first) if len(parsed.bad) else ()
    read = np.array([_parse_percent_cell(texts[i]) for i in parsed.bad.tolist()], float)  # NaN for None
    percents[parsed.bad] = read / column.level
    if np.isnan(percents).all():
        return parsed, None
    return ParsedColumn(values, parsed.blank, parsed.bad[np.isnan(read)]), percents


def _parse_percent_cell(text: str) -> float | None:
    """Read a cell such as ``5 %``; None for any other cell."""
    match = re.fullmatch(_PERCENT_CELL, text.strip(BLANK_CHARACTERS))
    return None if match is None else read_number(match["number"])


@lru_cache(maxsize=512)
def number_format_unit(code: str) -> tuple[str, float] | None:
    """Read the unit that a number format shows, by its name, ``%`` or thousands, and its factor; None without one."""
    positive = code.partition(";")[0]
    texts = "".join(m["quoted"] or (m["escaped"] or "").replace("\\", "") for m in re.finditer(_FORMAT_TEXT, positive))
    bare = re.sub(_FORMAT_TEXT, "", positive)
    if "%" in bare:
        return "%", 100.0
    thousands = sum(len(commas) for commas in re.findall(_FORMAT_THOUSANDS, bare))
    if read_unit(texts.strip()) is None:
        return ("thousands", 1000.0**-thousands) if thousands else None
    return texts.strip(), 1000.0**-thousands


def _check_number_formats(items: ItemRows, column: QuantityColumn, given: Mask, findings: Findings) -> Mask:
    """Report the ``given (n,)`` numbers shown in a unit other than the column's; returns them ``(n,)``."""
    wrong = np.zeros(len(given), bool)
    dimension, first = quantity_dimension(column.quantity), items.columns.first_row
    formats = items.table.sheet_info.number_formats if items.table.sheet_info is not None else {}
    shown = {row: s for (row, at), code in formats.items() if at == column.index and (s := number_format_unit(code))}
    if dimension is None or not any(row >= first for row in shown):
        return wrong
    typed = np.flatnonzero(items.table.is_typed(column.index, first)) + first  # numbers, not texts, in the file
    one = len({shown.get(row) for row in typed.tolist()}) == 1
    for i in np.flatnonzero(given & np.isin(items.rows, list(shown))).tolist():
        row = int(items.rows[i])
        wrong[i] = not agrees_with_format(shown[row], column.unit_at(row), dimension, one)

    def message(i: int) -> str:
        row = int(items.rows[i])
        unit, cell = column.unit_at(row), items.table.text(row, column.index)
        others = f"the column is in {unit}" if unit else "the other cells are not"
        return f"number format of {column.header} of {items.ids[i]} shows {shown[row][0]}: {cell} ({others})"

    report_items(items, ItemFault("MP239", column), wrong, message, findings)
    return wrong


def agrees_with_format(shown: tuple[str, float], stated: str, dimension: tuple[int, int, int], one: bool) -> bool:
    """Return whether a format shows the stated unit, or without a stated unit whether all formats are the same."""
    unit = unit_of_dimension(shown[0], dimension)
    own = unit_of_dimension(stated, dimension) if stated else None
    if unit is None or own is None:
        return unit is not None and one
    return abs(unit.over(own) * shown[1] - 1) < 1e-12


def _convert_measured_masses(
    items: ItemRows, column: QuantityColumn, parsed: ParsedColumn, findings: Findings
) -> tuple[ParsedColumn, Indices]:
    """Convert masses such as ``1.2 kg/m`` to the unit of the row's quantity; return also inconsistent positions."""
    # the inconsistent ones are NaN and are reported, unless their rows state the mass of all pieces
    values, unfit, first, blank = parsed.values.copy(), [], items.columns.first_row, parsed.blank.copy()
    line = items.columns.by_quantity.get("line_mass")
    totals = np.zeros(len(values)) if line is None or not parsed.measures else items.parsed(line).values
    for i, per in parsed.measures.items():
        quantity = row_measure(items, i + first)
        factor = measure_factor(quantity, per)
        values[i] = np.nan if factor is None else values[i] * factor
        blank[i] |= factor is None and not quantity and totals[i] > 0
        if factor is None and not blank[i]:
            cell = items.table.text(i + first, column.index).strip(BLANK_CHARACTERS)
            states = f"in {quantity}" if quantity else "without a unit of measure"
            remedy = f"state the unit of the quantity, consistent with {per}, in its cell or in a column UoM"
            what = f"is inconsistent with the quantity of the row: {cell} (quantity {states})"
            report_measure(items, column, i, what, remedy, findings)
            unfit.append(i)
    return parsed._replace(values=values, blank=blank), np.array(unfit, np.intp)


def _divide_products(
    items: ItemRows, column: QuantityColumn, parsed: ParsedColumn, findings: Findings
) -> tuple[ParsedColumn, Indices]:
    """Convert products such as ``4 × 5.5 = 22`` to one piece of the row's quantity; return those of another."""
    if (quantity := items.columns.by_quantity.get("qty")) is None:
        return parsed, np.array([], np.intp)
    counts, values, unfit = items.parsed(quantity).values, parsed.values.copy(), []
    for i, factors in parsed.factors.items():
        if np.isnan(values[i]) or np.isnan(counts[i]) or counts[i] == 1:
            continue
        is_factor = counts[i] in factors or factors == OF_ROW
        values[i] = values[i] / counts[i] if is_factor else np.nan
        if not is_factor:
            cell = items.table.text(i + items.columns.first_row, column.index).strip(BLANK_CHARACTERS)
            what = f"is inconsistent with the quantity of the row: {cell} (quantity {counts[i]:g})"
            report_measure(items, column, i, what, "write the mass of one piece", findings)
            unfit.append(i)
    return parsed._replace(values=values), np.array(unfit, np.intp)


def measured_masses(table: Table, columns: TableColumns) -> Mapping[int, str]:
    """Find the masses per unit of measure."""
    column = columns.by_quantity.get("mass")
    return {} if column is None else ItemRows(table, columns, np.zeros(0, np.intp), ()).parsed(column).measures


@dataclass(slots=True, eq=False, repr=False)
class SetCells:
    """One quantity of n items, k numbers each."""

    values: NDArray[np.float64]  # (n, k) coherent units, 0 if not given
    given: Mask  # (n, k)
    has: Mask  # (n,) all k (of a tensor the moments) are valid; checks clear it for unusable values
    bad: Mask  # (n,) a cell is not a number, which is already reported
    products: Mask | None = None  # (n,) products, 0 if blank, and their sign are known


def read_quantity_sets(
    items: ItemRows, sets: Sequence[QuantitySet], mass_is: str, findings: Findings
) -> dict[str, SetCells]:
    """Read sets of number columns, (n, k) in coherent units, as in the cells; inertia about the table's point."""
    # of sigmas and centres the columns that exist are read, of others all or none. mass_is: each or line, if stated.
    table, columns = items.table, items.columns
    named = dict(columns.by_quantity)
    if "mass" in named:
        named["mass"] = replace(named["mass"], rules=named["mass"].rules._replace(mass_is=mass_is))
    partial = 0 < sum(name in named for name in CENTER.columns) < len(CENTER.columns)
    # with one or two coordinates of the centre
    sets = [s for s in sets if not partial or s in (MASS, SIGMA_MASS, CENTER)]
    present = [s for s in sets if (any if s.is_sigma or s is CENTER else all)(n in named for n in _needed_columns(s))]
    wanted = [named[name] for s in present for name in s.columns if name in named]
    numbers = table.numbers([column.index for column in wanted], columns.first_row)[::-1]  # freed one by one
    result: dict[str, SetCells] = {}
    for quantity_set in present:
        result[quantity_set.name] = cells = empty_set_cells(len(items.rows), quantity_set)
        cells.has = np.ones(len(items.rows), bool)
        base = result.get(quantity_set.name.removeprefix("sigma_"))
        for axis, name in enumerate(quantity_set.columns):
            if name in named:
                _read_set_column(items, named[name], numbers.pop(), (cells, axis, base), findings)
            if name in _needed_columns(quantity_set) and (name in named or not (quantity_set.is_sigma or partial)):
                cells.has &= cells.given[:, axis]
    if CENTER.name in result:
        _clear_unknown_centers(items, result[CENTER.name])
    return result


def fill_blank_coordinates(items: ItemRows, cells: SetCells) -> NDArray[np.bool_]:
    """Read the blank coordinates of centres (n, 3) that have others as 0, and mark these."""
    named = np.array([name in items.columns.by_quantity for name in CENTER.columns])
    filled: Mask = ~cells.given & named & (cells.given.any(axis=1) & ~cells.bad)[:, None]
    cells.given |= filled
    cells.has = np.all(cells.given[:, named], axis=1)
    return filled


def _clear_unknown_centers(items: ItemRows, cells: SetCells) -> None:
    """Make centres (n, 3) missing of which a coordinate is a word such as TBC: it is neither 0 nor forgotten."""
    known = items.columns.by_quantity
    named = [(k, known[name].index) for k, name in enumerate(CENTER.columns) if name in known]
    for i in np.flatnonzero(cells.given.any(axis=1) & ~cells.has & ~cells.bad).tolist():
        row = int(items.rows[i])
        if any(not cells.given[i, k] and items.table.text(row, j).strip() for k, j in named):
            cells.given[i], cells.values[i] = False, 0.0


def _needed_columns(quantity_set: QuantitySet) -> tuple[str, ...]:
    """List the columns that a quantity requires: of a tensor its three moments."""
    return INERTIA.columns[:3] if quantity_set is INERTIA else quantity_set.columns


def empty_set_cells(n: int, quantity_set: QuantitySet) -> SetCells:
    """Make the cells (n, k) of a set without values: 0, and none given."""
    k = len(quantity_set.columns)
    return SetCells(np.zeros((n, k)), np.zeros((n, k), bool), np.zeros(n, bool), np.zeros(n, bool))


def item_column_numbers(items: ItemRows, column: QuantityColumn, findings: Findings) -> tuple[Floats, Mask]:
    """Read a column (n,) in its coherent unit, NaN where blank or no number, and mark the items with no number (n,)."""
    parsed = items.parsed(column)
    report_cell_readings(items, column, parsed, findings)
    values, is_bad = _item_numbers(items, column, parsed, findings)
    return np.where(is_bad, np.nan, values * column.sizes(items.rows)), is_bad


def _item_numbers(
    items: ItemRows, column: QuantityColumn, parsed: ParsedColumn, findings: Findings
) -> tuple[Floats, Mask]:
    """Rearrange numbers into item order (n,), and report and mark the items without a number or a unit (n,)."""
    report_non_numbers(items, column, parsed.bad + items.columns.first_row, findings)
    values = items.gather(parsed.values, np.nan)
    given = np.isfinite(values)
    unclear: Mask = np.zeros(len(given), bool)
    if column.by_row is not None:
        needing = given & ~((values == 0) & column.by_row.blank(items.rows))  # 0 is 0 in every unit
        unclear = _check_cell_units(items, column, column.by_row, needing, findings)
    if items.table.sheet_info is not None:
        unclear = unclear | _check_number_formats(items, column, given & ~unclear, findings)
    return values, unclear | items.mask_at(parsed.bad)


_SetAxis = tuple[SetCells, int, SetCells | None]
"""A set, one of its axes, and for sigmas the values to which percentages refer."""


def _read_set_column(
    items: ItemRows, column: QuantityColumn, numbers: ColumnNumbers, into: _SetAxis, findings: Findings
) -> None:
    """Read one column ``into`` an axis of a set, the cells of sigmas also as percentages of the base's values."""
    cells, axis, base = into
    parsed = parse_column(items.table, column.index, numbers, items.columns.first_row, column.rules)
    report_cell_readings(items, column, parsed, findings)
    if parsed.measures and column.quantity in MASS.columns:
        parsed, unfit = _convert_measured_masses(items, column, parsed, findings)
        cells.bad |= items.mask_at(unfit)
    if parsed.factors and column.rules.of_measure == "mass":
        parsed, unfit = _divide_products(items, column, parsed, findings)
        cells.bad |= items.mask_at(unfit)
    percents = None
    if column.quantity.startswith("sigma_") and (column.percent or len(parsed.bad) or items.table.sheet_info):
        parsed, percents = _split_percents(items, column, parsed)
    values, wrong = _item_numbers(items, column, parsed, findings)
    cells.bad |= wrong
    given = np.isfinite(values) & ~wrong
    with np.errstate(invalid="ignore", over="ignore"):
        sized = values * column.sizes(items.rows)
    # chosen by bits: a mask in random order is slow to branch on
    bits = given.astype(np.int64)
    np.bitwise_and(sized.view(np.int64), np.negative(bits, out=bits), out=cells.values.view(np.int64)[:, axis])
    if percents is not None and base is not None:
        sigmas = items.gather(percents, np.nan) / 100 * np.abs(base.values[:, axis])
        of_value = np.isfinite(sigmas)
        cells.bad |= of_value & ~base.given[:, axis]  # the missing value is already reported
        of_value &= base.given[:, axis]
        cells.values[of_value, axis] = sigmas[of_value]
        given |= of_value
        if not column.percent:
            words = f"{column.header} in percent converted to the unit of the value"
            report_column_once(items, ItemFault("MP505", column), of_value, words, findings)
    cells.given[:, axis] = given


def report_non_numbers(items: ItemRows, column: QuantityColumn, rows: Indices, findings: Findings) -> None:
    """Report the cells of some rows (k,) that are not numbers, and why; rows without an item are skipped."""
    if not len(rows):
        return
    which = items.at_rows(rows)
    texts = [items.table.text(row, column.index) for row in items.rows[which].tolist()]
    reasons = {text: rejected_cell_fault(text, column.rules) for text in set(texts)}
    reason_of = {i: reasons[text] for i, text in zip(which.tolist(), texts, strict=True)}

    def message(i: int) -> str:
        return f"{column.header} of {items.ids[i]} {reason_of[i].message}"

    for rule in dict.fromkeys(reason.rule for reason in reason_of.values()):
        of = [i for i, reason in reason_of.items() if reason.rule == rule]
        fault = ItemFault(rule, column, [reason_of[i].remedy for i in of].__getitem__)
        report_items(items, fault, np.array(of, np.intp), message, findings)


_Need = tuple[QuantitySet, SetCells, Mask]  # a quantity whose cells are checked, and the items (n,) that must have it


def allow_missing_text(needs: Sequence[_Need], options: TableOptions) -> str:
    """List the words of ``--allow-missing`` that allow all blank quantities, including those already given."""
    lacking = {
        quantity_set.allow
        for quantity_set, cells, needed in needs
        if (needed & ~cells.has & ~cells.bad & ~cells.given.any(axis=1)).any()
    }
    given = options.allow_missing - DEFAULT_ALLOWED_MISSING
    return ",".join(word for word in OPTIONAL_SETS if word in given or word in lacking - options.allow_missing)


def check_needed_cells(items: ItemRows, need: _Need, options: TableOptions, choice: str, findings: Findings) -> None:
    """Report a needed quantity that is blank or incomplete: as a warning where ``options`` allow it."""
    quantity_set, cells, needed = need
    lacking = needed & ~cells.has & ~cells.bad
    if not lacking.any():
        return
    has_none = quantity_set is MASS and not (needed & (cells.has | cells.bad)).any()  # nothing could be computed
    allowed, is_sigma = quantity_set.allow in options.allow_missing and not has_none, quantity_set.is_sigma
    some = cells.given.any(axis=1) & (not is_sigma or not allowed)
    _report_incomplete_sets(items, quantity_set, cells, lacking & some, findings)
    column = _blank_cell_column(items, quantity_set.columns)
    effect = "read as a point mass" if quantity_set is INERTIA and allowed else ""
    if allowed:
        fault = ItemFault("MP223", column, _MISSING_REMEDIES.get(quantity_set.allow), Severity.WARNING)
    else:
        remedy = "enter the value" + ("" if options.is_strict else f", or pass --allow-missing {choice}")
        remedy = "enter the mass of one row at least" if has_none else remedy
        fault = ItemFault("MP502" if is_sigma else "MP206", column, remedy)
    report_blank_items(items, fault, lacking & ~some, needed, quantity_set.words, findings, effect)


def check_needed_products(
    items: ItemRows, cells: SetCells, needed: Mask, options: TableOptions, findings: Findings
) -> None:
    """Report tensors (n, 6) without products, read as 0, and incomplete ones, an error; fill ``products``."""
    cells.products = np.ones(len(needed), bool)
    if not (named := [name for name in INERTIA.columns[3:] if name in items.columns.by_quantity]):
        return
    given = cells.given[:, 3:]
    lacking = needed & cells.has & ~cells.bad & ~given.all(axis=1)
    cells.products[cells.bad & ~given.all(axis=1)] = False
    if len(named) < len(INERTIA.columns[3:]):  # the header has been reported
        cells.products[lacking] = False
        return
    some = given.any(axis=1) | options.is_strict
    cells.products[lacking & given.any(axis=1)] = False
    _report_incomplete_sets(items, INERTIA, cells, lacking & some, findings)
    remedy = "enter the products of inertia, 0 if the axes of the part are principal"
    fault = ItemFault("MP223", _blank_cell_column(items, named), remedy, Severity.WARNING)
    report_blank_items(items, fault, lacking & ~some, needed & cells.has, "products of inertia", findings, "read as 0")


def _blank_cell_column(items: ItemRows, names: Sequence[str]) -> QuantityColumn:
    """Choose the column reported for blank quantities: theirs, or for sigmas one that may state them."""
    values = [name.replace("sigma_", "", 1) for name in names]
    choice = (*names, *[f"{name}_min" for name in values], "method", *values, "shape", "mesh")
    return next(items.columns.by_quantity[q] for q in choice if q in items.columns.by_quantity)


def _report_incomplete_sets(
    items: ItemRows, quantity_set: QuantitySet, cells: SetCells, partial: Mask, findings: Findings
) -> None:
    """Report items with an incomplete set of cells."""
    which, is_center = np.flatnonzero(partial), quantity_set is CENTER
    remedy = (
        "enter the coordinate, or pass --config blank-coordinate=0 to read blank coordinates as 0"
        if is_center
        else None
    )
    patterns = cells.given[which] @ (1 << np.arange(len(quantity_set.columns)))
    for pattern in sorted(set(patterns.tolist())):  # np.unique loads masked arrays
        names = [name for k, name in enumerate(quantity_set.columns) if not pattern >> k & 1]
        names = [name for name in names if not is_center or name in items.columns.by_quantity]
        fault = ItemFault("MP212", _blank_cell_column(items, names), remedy)
        blank = f"is incomplete: {', '.join(names)} missing"
        of = which[patterns == pattern].tolist()
        messages = {i: f"{quantity_set.words} of {items.ids[i]} {blank}" for i in of}
        report_item_faults(items, fault, messages, findings)
