"""Uncertainties of a table: sigmas from columns of sigmas, bounds and methods, and the distributions of inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.items.item_flags import ItemFlags
from massprops_cli.bom.items.item_rows import (
    ItemFault,
    ItemRows,
    item_list_text,
    report_cell_readings,
    report_column_once,
    report_item_faults,
    report_items,
    report_together,
)
from massprops_cli.bom.items.numbers import SetCells, empty_set_cells, report_non_numbers
from massprops_cli.bom.items.result_columns import CENTER, INERTIA, SIGMA_SETS, VALUE_SETS, QuantitySet
from massprops_cli.findings.finding import Findings, nearest_name_hint
from massprops_cli.rollups.inputs import DISTRIBUTION_KINDS, KIND_NOT_STATED, PARAMETER_NAMES, InputShapes
from massprops_cli.tables.cells.cell_words import read_truth_values
from massprops_cli.tables.columns.sigma_columns import (
    UNKNOWN_CODE,
    distribution_spellings,
    method_percentages,
    method_spellings,
    word_codes,
)
from massprops_cli.tables.options import BOUNDS, TableOptions

_Floats = NDArray[np.float64]
_Mask = NDArray[np.bool_]
_Kinds = NDArray[np.int8]
_NORMAL, _LOGNORMAL, _UNIFORM, _TRIANGULAR, _TRUNCATED = range(len(DISTRIBUTION_KINDS))
_WEIGHED = "weighed"  # the method with the least uncertainty of mass
_AGREEMENT_TOLERANCE = 0.01
"""The relative difference between a stated sigma and that of the bounds within which they agree."""


def _read_bounds(
    items: ItemRows, marks: ItemFlags, values: Mapping[str, SetCells], findings: Findings
) -> tuple[dict[int, _Floats], dict[str, _Mask]]:
    """Read the bounds of every quantity with columns of bounds, in coherent units, and the items with invalid ones."""
    # By place in ``PARAMETER_NAMES``. Bounds are kept for counted items. Those out of order are reported and dropped;
    # their items ``(n,)`` are returned by set.
    result: dict[int, _Floats] = {}
    invalid: dict[str, _Mask] = {}
    for quantity_set in VALUE_SETS:
        cells = values.get(quantity_set.name)
        for axis, name in enumerate(quantity_set.columns):
            if cells is None or f"{name}_min" not in items.columns.by_quantity:
                continue
            bounds, bad = _read_quantity_bounds(items, name, findings)
            if quantity_set is INERTIA and axis > 2:
                bounds = np.where(marks.sign > 0, -bounds[::-1], bounds)  # opposite to a tensor entry
            counts = marks.counts & ~marks.is_point if quantity_set is INERTIA else marks.counts
            bounds = np.where(counts, bounds, np.nan)
            value = np.where(cells.given[:, axis], cells.values[:, axis], np.nan)
            wrong = bad | _check_bounds(items, name, (bounds, value), bad, findings)
            result[PARAMETER_NAMES.index(name)] = np.where(wrong, np.nan, bounds)
            invalid[quantity_set.name] = invalid.get(quantity_set.name, False) | wrong
    return result, invalid


def _read_quantity_bounds(items: ItemRows, name: str, findings: Findings) -> tuple[_Floats, _Mask]:
    """Read the bounds ``(3, n)`` of a quantity, NaN if blank; also returns the items with one that is not a number."""
    bad = np.zeros(len(items.rows), bool)
    ends = []
    for end in BOUNDS:
        if (column := items.columns.by_quantity.get(f"{name}_{end}")) is None:
            ends.append(np.full(len(items.rows), np.nan))
            continue
        parsed = items.parsed(column)
        report_cell_readings(items, column, parsed, findings)
        report_non_numbers(items, column, parsed.bad + items.columns.first_row, findings)
        bad |= items.mask_at(parsed.bad)
        ends.append(items.values(column, parsed))
    return np.array(ends), bad


def _check_bounds(items: ItemRows, name: str, stated: tuple[_Floats, _Floats], bad: _Mask, findings: Findings) -> _Mask:
    """Report ``stated`` bounds that are incomplete, or out of order with the value; return their items ``(n,)``."""
    # those in ``bad`` are already reported
    (low, likely, high), value = stated
    half = (np.isnan(low) != np.isnan(high)) | (~np.isnan(likely) & np.isnan(low))
    with np.errstate(invalid="ignore"):
        faults = (
            ("MP212", f"bounds of {name} are incomplete", half),
            ("MP507", f"{name}_min is greater than {name}_max", low > high),
            ("MP507", f"{name}_likely is not between {name}_min and {name}_max", (likely < low) | (likely > high)),
            ("MP507", f"{name} is not between {name}_min and {name}_max", (value < low) | (value > high)),
        )
    wrong = np.zeros(len(bad), bool)
    column, ids = items.columns.by_quantity[f"{name}_min"], items.ids
    for rule, words, faulty in faults:
        where = faulty & ~wrong & ~bad
        messages = {i: f"{words}: {ids[i]}" for i in np.flatnonzero(where).tolist()}
        report_item_faults(items, ItemFault(rule, column), messages, findings)
        wrong |= where
    return wrong


def _distribution_sigma(bounds: _Floats, mode: _Floats) -> _Floats:
    """Compute the standard deviation ``(n,)`` of the triangular distribution, or without mode of the uniform one."""
    # with ends a, b and mode c it is √((a² + b² + c² − ab − ac − bc) / 18), uniform (b − a) / √12 [JCGM 101:2008, 6.4]
    a, c, b = bounds[0], mode, bounds[2]
    triangular = np.sqrt(((b - a) ** 2 + (c - a) ** 2 + (b - c) ** 2) / 36)
    return np.asarray(np.where(np.isnan(mode), (b - a) / np.sqrt(12), triangular))


def _distribution_mean(bounds: _Floats, mode: _Floats) -> _Floats:
    """Compute the mean ``(n,)`` of the same distribution: (a + b + c) / 3, and (a + b) / 2 without mode."""
    a, c, b = bounds[0], mode, bounds[2]
    return np.asarray(np.where(np.isnan(mode), (a + b) / 2, (a + b + c) / 3))


def _read_kinds(items: ItemRows, marks: ItemFlags, findings: Findings) -> _Kinds:
    """Read the column ``dist`` ``(n,)``: places in ``DISTRIBUTION_KINDS``, or ``KIND_NOT_STATED`` and a finding."""
    kind = np.full(len(items.rows), KIND_NOT_STATED, np.int8)
    if (column := items.columns.by_quantity.get("dist")) is None:
        return kind
    codes = word_codes(items.texts(column.index), distribution_spellings(), DISTRIBUTION_KINDS)
    kind = np.where(marks.counts & (codes >= 0), codes, KIND_NOT_STATED).astype(np.int8)

    def unknown(i: int) -> str:
        text = items.table.text(int(items.rows[i]), column.index).strip()
        hint = nearest_name_hint(text, DISTRIBUTION_KINDS)
        return f"{column.header} of {items.ids[i]} is not a distribution: {text}{hint}"

    report_items(items, ItemFault("MP508", column), marks.counts & (codes == UNKNOWN_CODE), unknown, findings)
    return kind


def _kinds_by_bounds(kind: _Kinds, bounds: Mapping[int, _Floats], sigmas: Mapping[str, SetCells]) -> dict[int, _Kinds]:
    """Choose the kinds ``(n,)`` of every quantity with bounds, by its place in ``PARAMETER_NAMES``."""
    # The ``kind (n,)`` of the row has priority. Otherwise a quantity with bounds and a sigma is truncated, one with a
    # likeliest value triangular, any other uniform.
    result = {}
    for place, ends in bounds.items():
        own_sigma = _has_stated_sigma(PARAMETER_NAMES[place], sigmas, len(kind))
        chosen = np.where(own_sigma, _TRUNCATED, np.where(np.isnan(ends[1]), _UNIFORM, _TRIANGULAR))
        blank = ~np.isnan(ends[0]) & (kind == KIND_NOT_STATED)
        result[place] = np.where(blank, chosen, kind).astype(np.int8)
    return result


def _check_kinds(
    items: ItemRows,
    sigmas: Mapping[str, SetCells],
    kind: _Kinds,
    bounds: Mapping[int, _Floats],
    by_method: _Mask,
    findings: Findings,
) -> _Mask:
    """Report stated distributions that contradict their bounds, or have no sigma; return the latter ``(n,)``."""
    # ``by_method (n,)`` marks items with sigmas from a method
    column, ids = items.columns.by_quantity.get("dist"), items.ids
    some, lacking = np.zeros(len(kind), bool), np.zeros(len(kind), bool)
    if column is None:
        return lacking
    for place, ends in bounds.items():
        bounded = ~np.isnan(ends[0])
        some |= bounded
        lacking |= bounded & ~_has_stated_sigma(PARAMETER_NAMES[place], sigmas, len(kind))
    without: _Mask = lacking & (kind == _TRUNCATED) & ~by_method
    unbounded = some & ((kind == _NORMAL) | (kind == _LOGNORMAL))

    def contradiction(i: int) -> str:
        return f"bounds of {ids[i]} contradict its distribution: {DISTRIBUTION_KINDS[kind[i]]} (without bounds)"

    fault = ItemFault("MP509", column, "write truncated, or clear the bounds")
    report_items(items, fault, unbounded, contradiction, findings)
    fault = ItemFault("MP509", column, "enter the sigma of the distribution before truncation")
    report_items(items, fault, without, lambda i: f"truncated distribution of {ids[i]} has no sigma", findings)
    return without


def _has_stated_sigma(name: str, sigmas: Mapping[str, SetCells], n: int) -> _Mask:
    """Find the items with a sigma of one quantity in a column of its own ``(n,)``."""
    for quantity_set in SIGMA_SETS:
        if f"sigma_{name}" in quantity_set.columns and quantity_set.name in sigmas:
            given: _Mask = sigmas[quantity_set.name].given[:, quantity_set.columns.index(f"sigma_{name}")]
            return given
    return np.zeros(n, bool)


class _ItemMethods(NamedTuple):
    """The column ``method`` of n items: ``codes (n,)`` are indices in ``words``, negative if unknown.

    ``fraction (n,)`` is one standard deviation as a share of the value, NaN for an unknown method.
    """

    words: tuple[str, ...]
    codes: NDArray[np.int8]
    fraction: _Floats

    def texts(self) -> list[str]:
        """Look up the canonical word of every item, or a blank."""
        words = (*self.words, "", "")  # negative codes count from the end
        return [words[code] for code in self.codes.tolist()]


def _read_methods(items: ItemRows, marks: ItemFlags, options: TableOptions, findings: Findings) -> _ItemMethods | None:
    """Read the column ``method`` of rolled-up items; a word without a percentage is an error."""
    if (column := items.columns.by_quantity.get("method")) is None:
        return None
    percent = method_percentages(options.sigma_percent)
    words = tuple(percent)
    codes = word_codes(items.texts(column.index), method_spellings(options.sigma_percent), words)
    codes = np.where(marks.goes_up, codes, -1).astype(np.int8)
    fraction = np.array([*(percent[word] / 100 for word in words), np.nan])[np.maximum(codes, -1)]

    def unknown(i: int) -> str:
        text = items.table.text(int(items.rows[i]), column.index).strip()
        return f"{column.header} of {items.ids[i]} has no percentage: {text}{nearest_name_hint(text, words)}"

    wrong = marks.counts & (codes == UNKNOWN_CODE) & options.use_sigmas
    report_items(items, ItemFault("MP512", column), wrong, unknown, findings)
    return _ItemMethods(words, codes, fraction)


def _fill_sigmas_by_method(sigma: SetCells, value: SetCells, fraction: _Floats, where: _Mask) -> _Mask:
    """Fill missing sigmas with a share of the value; return the items ``(n,)`` with filled ones."""
    # a share of a tensor is that of its largest moment, for all six entries, so that a product of 0 is uncertain too
    size = np.abs(value.values)
    if size.shape[1] == 6:
        size = np.broadcast_to(size[:, :3].max(axis=1, keepdims=True), size.shape)
    filled = ~sigma.given & (where & ~np.isnan(fraction))[:, None]
    np.multiply(size, fraction[:, None], out=sigma.values, where=filled)
    np.logical_or(sigma.given, filled, out=sigma.given)
    return np.asarray(filled.any(axis=1))


def _report_percentages(
    items: ItemRows, read: _ItemMethods, filled: _Mask, options: TableOptions, findings: Findings
) -> None:
    """Report the percentages used for sigmas, and their source."""
    if not len(which := items.in_file_order(filled)):
        return
    column = items.columns.by_quantity["method"]
    percent = method_percentages(options.sigma_percent)
    used = [read.words[code] for code in np.unique(read.codes[which]).tolist()]
    shipped = [word for word in used if word not in options.sigma_percent]
    stated = ", ".join(f"{word} {percent[word]:g} %" for word in used)
    source = f"; example percentages, not a standard: {', '.join(shipped)}" if shipped else ""
    listed = item_list_text(items.ids, which)
    message = f"sigmas computed from {column.header}: {listed} ({stated} of mass and largest moment{source})"
    remedy = "enter your own percentages in [sigma-percent] of massprops.toml" if shipped else None
    report_together(items, ItemFault("MP505", column, remedy), which, message, findings)


def mass_methods(items: ItemRows, methods: _ItemMethods | None) -> Sequence[str] | None:
    """List the method (n,) of every row's mass; rows marked ``weighed`` are weighed. None if no row states one."""
    words = None if methods is None else methods.texts()
    column = items.columns.by_quantity.get("weighed")
    flags = None if column is None else read_truth_values(items.texts(column.index)).values
    if flags is None or not flags.any():
        return words
    stated_words = words or [""] * len(flags)
    return [_WEIGHED if flag else word for flag, word in zip(flags.tolist(), stated_words, strict=True)]


class SigmaInputs(NamedTuple):
    """Statements of uncertainty other than sigmas; None without the column."""

    shapes: InputShapes | None = None
    methods: _ItemMethods | None = None
    invalid: Mapping[str, _Mask] = MappingProxyType({})
    """The items with unusable bounds, which are already reported, by set."""


def read_sigmas(
    items: ItemRows, marks: ItemFlags, cells: dict[str, SetCells], options: TableOptions, findings: Findings
) -> SigmaInputs:
    """Complete sigmas (n, k) from bounds and methods, without empty sets. Deviations: JCGM 101:2008, 6.4."""
    methods = _read_methods(items, marks, options, findings)
    if not options.use_sigmas:
        return SigmaInputs(None, methods)
    by_method = np.zeros(len(items.rows), bool) if methods is None else ~np.isnan(methods.fraction)
    shapes, invalid = _read_shapes(items, marks, cells, by_method, findings)
    stated = SigmaInputs(shapes, methods, invalid)
    has_other_statements = shapes is not None or methods is not None
    by_percentage = np.zeros(len(items.rows), bool)
    for value_set, sigma_set in zip(VALUE_SETS, SIGMA_SETS, strict=True):
        by_column = any(_has_uncertainty_column(items, name) for name in value_set.columns)
        if not by_column and (methods is None or value_set.name not in cells):
            cells.pop(sigma_set.name, None)
        elif value_set.name in cells and has_other_statements:
            cells.setdefault(sigma_set.name, empty_set_cells(len(items.rows), sigma_set))
            needed = marks.counts & ~marks.is_point if value_set is INERTIA else marks.counts
            by_percentage |= _fill_set_sigmas(items, value_set, cells, stated, needed, findings)
    if methods is not None:
        _report_percentages(items, methods, by_percentage, options, findings)
    return stated


def _fill_set_sigmas(
    items: ItemRows,
    value_set: QuantitySet,
    cells: dict[str, SetCells],
    stated: SigmaInputs,
    needed: _Mask,
    findings: Findings,
) -> _Mask:
    """Fill the sigmas of a set from bounds, then from methods; returns the items filled by method ``(n,)``."""
    value, sigma = cells[value_set.name], cells[f"sigma_{value_set.name}"]
    if stated.shapes is not None:
        _fill_sigmas_by_bounds(items, value_set, cells, stated.shapes, findings)
    filled = np.zeros(len(needed), bool)
    sigma.bad |= stated.invalid.get(value_set.name, False)
    if stated.methods is not None and value_set is not CENTER:
        sigma.bad |= stated.methods.codes == UNKNOWN_CODE
        filled = _fill_sigmas_by_method(sigma, value, stated.methods.fraction, needed & ~sigma.bad)
    by_method = value_set is not CENTER and bool(filled.any())
    is_stated = np.array([_has_uncertainty_column(items, name) or by_method for name in value_set.columns])
    if value_set is CENTER and not is_stated.any():
        sigma.given[:] = True  # read as 0, which is reported
    sigma.has[:] = (sigma.given | ~is_stated).all(axis=1)
    return filled


def _has_uncertainty_column(items: ItemRows, name: str) -> bool:
    """Return whether a quantity has a column of sigmas or bounds."""
    named = items.columns.by_quantity
    return f"sigma_{name}" in named or f"{name}_min" in named


def _read_shapes(
    items: ItemRows, marks: ItemFlags, cells: Mapping[str, SetCells], by_method: _Mask, findings: Findings
) -> tuple[InputShapes | None, dict[str, _Mask]]:
    """Read the distributions and bounds of all inputs, and the items with unusable bounds; None without a column."""
    # ``by_method (n,)`` marks items with sigmas from a method
    named = items.columns.by_quantity
    if "dist" not in named and not any(f"{name}_min" in named for name in PARAMETER_NAMES):
        return None, {}
    kind = _read_kinds(items, marks, findings)
    bounds, invalid = _read_bounds(items, marks, cells, findings)
    without = _check_kinds(items, cells, kind, bounds, by_method, findings)
    invalid = {name: wrong | without for name, wrong in invalid.items()}
    return InputShapes(kind, bounds, _kinds_by_bounds(kind, bounds, cells)), invalid


def _fill_sigmas_by_bounds(
    items: ItemRows, value_set: QuantitySet, cells: dict[str, SetCells], shapes: InputShapes, findings: Findings
) -> None:
    """Fill the sigmas of uniform and triangular inputs from their bounds; reports conflicting sigmas."""
    value, sigma = cells[value_set.name], cells[f"sigma_{value_set.name}"]
    for axis, name in enumerate(value_set.columns):
        if (bounds := shapes.bounds.get(PARAMETER_NAMES.index(name))) is None:
            continue
        kind = shapes.kinds_of(PARAMETER_NAMES.index(name))
        by_bounds = ((kind == _UNIFORM) | (kind == _TRIANGULAR)) & ~np.isnan(bounds[0])
        likeliest = np.where(np.isnan(bounds[1]), value.values[:, axis], bounds[1])
        mode = np.where(kind == _TRIANGULAR, likeliest, np.nan)
        spread = _distribution_sigma(bounds, mode)
        both = by_bounds & sigma.given[:, axis]
        _check_equal_sigmas(items, name, np.where(both, sigma.values[:, axis], np.nan), spread, findings)
        sigma.values[by_bounds, axis] = spread[by_bounds]
        sigma.given[:, axis] |= by_bounds
        words = f"sigma of {name} computed from its bounds"
        column = items.columns.by_quantity[f"{name}_min"]
        report_column_once(items, ItemFault("MP505", column), by_bounds, words, findings)
        inside = np.where(by_bounds, value.values[:, axis], np.nan)
        words = f"mean of the bounds of {name} differs from the value"
        with np.errstate(invalid="ignore"):
            shift = np.abs(_distribution_mean(bounds, mode) - inside)
            shifted = shift > 1e-9 * (np.abs(bounds[0]) + np.abs(bounds[2]))
        report_column_once(items, ItemFault("MP511", column), shifted, words, findings)


def _check_equal_sigmas(items: ItemRows, name: str, stated: _Floats, spread: _Floats, findings: Findings) -> None:
    """Report stated sigmas, NaN without one, that differ from those of the bounds."""
    with np.errstate(invalid="ignore"):
        differ = np.abs(stated - spread) > _AGREEMENT_TOLERANCE * np.maximum(stated, spread)
    if not differ.any():
        return

    def message(i: int) -> str:
        return f"sigma of {name} of {items.ids[i]} differs from that of its bounds: {stated[i]:.6g} ({spread[i]:.6g})"

    report_items(items, ItemFault("MP510", items.columns.by_quantity[f"sigma_{name}"]), differ, message, findings)
