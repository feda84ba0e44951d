"""The sigmas of a table from all its statements: columns of sigmas, bounds, methods; and the shapes of its errors.

Least, likeliest and greatest values of inputs: read, checked, and turned into sigmas.

How the errors of every row are distributed: the column ``dist``, and what bounds say where it is blank.

How a number came to be known: the column ``method``, and the sigmas that a table of percentages makes of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.item_rows import Fault, ItemRows, listed_of, place_of, say, say_once, say_read
from massprops_cli.bom.marks import Marks
from massprops_cli.bom.numbers import SetCells, no_cells, not_numbers
from massprops_cli.bom.quantity_sets import CENTER, INERTIA, SIGMA_SETS, VALUE_SETS, QuantitySet
from massprops_cli.findings import Finding, found
from massprops_cli.findings.finding import nearest
from massprops_cli.rollups.inputs import TEN
from massprops_cli.rollups.montecarlo.samples import KINDS, NOT_STATED, Bounds, Shapes
from massprops_cli.tables.flags import read_flags
from massprops_cli.tables.numbers import settle
from massprops_cli.tables.options import TableOptions
from massprops_cli.tables.quantities import BOUNDS
from massprops_cli.tables.sigma_columns import UNKNOWN, distributions, methods, percentages, read_words

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


def read_bounds(
    items: ItemRows, marks: Marks, values: Mapping[str, SetCells], turned: Mask
) -> tuple[dict[int, Bounds], dict[str, Mask], list[Finding]]:
    """Read the bounds of every quantity that has columns of them, by its place in ``TEN``, in coherent units.

    ``turned (n,)`` marks items whose products are written with the sign that a tensor entry does not have. Bounds are
    kept for items whose own numbers count; those that are out of order are said and left out: in which sets and items
    ``(n,)`` there are some is given too.
    """
    result: dict[int, Bounds] = {}
    spoilt: dict[str, Mask] = {}
    findings: list[Finding] = []
    for quantity_set in VALUE_SETS:
        cells = values.get(quantity_set.name)
        for axis, name in enumerate(quantity_set.columns):
            if cells is None or f"{name}_min" not in items.columns.by_quantity:
                continue
            bounds, bad, said = read_three(items, name)
            if quantity_set is INERTIA and axis > 2:
                bounds = negated(bounds, turned)
            counts = marks.counts & ~marks.is_point if quantity_set is INERTIA else marks.counts
            bounds = Bounds(*(np.where(counts, ends, np.nan) for ends in bounds))
            value = np.where(cells.given[:, axis], cells.values[:, axis], np.nan)
            wrong, faults = faults_of(items, name, bounds, value, bad)
            result[TEN.index(name)] = Bounds(*(np.where(wrong | bad, np.nan, ends) for ends in bounds))
            spoilt[quantity_set.name] = spoilt.get(quantity_set.name, False) | wrong | bad
            findings += said + faults
    return result, spoilt, findings


def read_three(items: ItemRows, name: str) -> tuple[Bounds, Mask, list[Finding]]:
    """Read the columns of the bounds of one quantity, NaN where nothing is given; also where one is no number."""
    first = items.columns.first_row
    findings: list[Finding] = []
    bad = np.zeros(len(items.rows), bool)
    ends = []
    for end in BOUNDS:
        column = items.columns.by_quantity.get(f"{name}_{end}")
        if column is None:
            ends.append(np.full(len(items.rows), np.nan))
            continue
        numbers = items.table.numbers([column.index], first)[0]
        settled = settle(items.table, column.index, numbers, first, column.rules)
        findings += say_read(items, column, settled)
        if len(settled.bad):
            findings += not_numbers(items, column, settled.bad + first)
            wrong = np.zeros(len(settled.values), bool)
            wrong[settled.bad] = True
            bad |= items.gather(wrong, False)
        ends.append(items.gather(settled.values, np.nan) * column.sizes(items.rows))
    return Bounds(*ends), bad, findings


def negated(bounds: Bounds, where: Mask) -> Bounds:
    """Turn the sign of some bounds, so that the least becomes the greatest."""
    low, likely, high = bounds
    return Bounds(np.where(where, -high, low), np.where(where, -likely, likely), np.where(where, -low, high))


def faults_of(items: ItemRows, name: str, bounds: Bounds, value: Floats, bad: Mask) -> tuple[Mask, list[Finding]]:
    """Say which bounds are half there or out of order, and give which ``(n,)``; those ``bad`` have been said."""
    low, likely, high = bounds
    half = (np.isnan(low) != np.isnan(high)) | (~np.isnan(likely) & np.isnan(low))
    with np.errstate(invalid="ignore"):
        faults = (
            ("MP212", f"only part of the bounds of {name} is given", half),
            ("MP507", f"{name}_min is greater than {name}_max", low > high),
            ("MP507", f"{name}_likely is not between {name}_min and {name}_max", (likely < low) | (likely > high)),
            ("MP507", f"{name} is not between {name}_min and {name}_max", (value < low) | (value > high)),
        )
    wrong = np.zeros(len(bad), bool)
    findings: list[Finding] = []
    column, ids = items.columns.by_quantity[f"{name}_min"], items.ids
    for rule, words, faulty in faults:
        where = faulty & ~wrong & ~bad
        findings += say(items, Fault(rule, column), np.flatnonzero(where), lambda i, words=words: f"{ids[i]}: {words}")  # type: ignore[misc] # has a default
        wrong |= where
    return wrong, findings


def sigma_of(bounds: Bounds, mode: Floats) -> Floats:
    """Give the standard deviation ``(n,)`` of the triangular distribution between bounds, of the uniform without mode.

    With ends a, b and mode c it is √((a² + b² + c² − ab − ac − bc) / 18), uniform (b − a) / √12. [JCGM 101:2008, 6.4]

    >>> wide = Bounds(np.array([8.0, 0.0]), np.full(2, np.nan), np.array([14.0, 6.0]))
    >>> sigma_of(wide, np.array([np.nan, 3.0])).round(4).tolist()
    [1.7321, 1.2247]
    """
    a, c, b = bounds.low, mode, bounds.high
    triangular = np.sqrt(((b - a) ** 2 + (c - a) ** 2 + (b - c) ** 2) / 36)
    return np.where(np.isnan(mode), (b - a) / np.sqrt(12), triangular)


def mean_of(bounds: Bounds, mode: Floats) -> Floats:
    """Give the mean ``(n,)`` of the same distribution: (a + b + c) / 3, and (a + b) / 2 without mode.

    >>> mean_of(Bounds(np.array([8.0]), np.array([np.nan]), np.array([14.0])), np.array([11.0])).tolist()
    [11.0]
    """
    a, c, b = bounds.low, mode, bounds.high
    return np.where(np.isnan(mode), (a + b) / 2, (a + b + c) / 3)


def say_shifted(items: ItemRows, name: str, bounds: Bounds, mode: Floats, value: Floats) -> list[Finding]:
    """Note values that are not the means of the distributions that their rows state."""
    with np.errstate(invalid="ignore"):
        shifted = np.abs(mean_of(bounds, mode) - value) > 1e-9 * (np.abs(bounds.low) + np.abs(bounds.high))
    column = items.columns.by_quantity[f"{name}_min"]
    return say_once(items, "MP511", shifted, column, f"the mean between the bounds of {name} is not its value")


Kinds = NDArray[np.int8]
NORMAL, LOGNORMAL, UNIFORM, TRIANGULAR, TRUNCATED = range(len(KINDS))


def read_kinds(items: ItemRows, marks: Marks) -> tuple[Kinds, list[Finding]]:
    """Read the column ``dist`` ``(n,)``: places in ``KINDS``, or ``NOT_STATED``; other words are said."""
    kind = np.full(len(items.rows), NOT_STATED, np.int8)
    column = items.columns.by_quantity.get("dist")
    if column is None:
        return kind, []
    codes = read_words(items.texts(column.index), distributions(), KINDS)
    kind = np.where(marks.counts & (codes >= 0), codes, NOT_STATED).astype(np.int8)

    def unknown(i: int) -> str:
        text = items.table.text(int(items.rows[i]), column.index).strip()
        return f"{items.ids[i]}: {text} is no distribution{nearest(text, KINDS)}"

    return kind, say(items, Fault("MP508", column), np.flatnonzero(marks.counts & (codes == UNKNOWN)), unknown)


def kinds_by_bounds(kind: Kinds, bounds: Mapping[int, Bounds], sigmas: Mapping[str, SetCells]) -> dict[int, Kinds]:
    """Give the kinds ``(n,)`` of every quantity with bounds, by its place in ``TEN``: each from its own cells.

    A ``kind (n,)`` that the row states holds. Else a quantity with bounds and a sigma of its own is truncated, one with
    a likeliest value triangular, any other uniform: what the row states of another quantity does not matter.
    """
    result = {}
    for place, ends in bounds.items():
        own_sigma = sigma_given(TEN[place], sigmas, len(kind))
        chosen = np.where(own_sigma, TRUNCATED, np.where(np.isnan(ends.likely), UNIFORM, TRIANGULAR))
        blank = ~np.isnan(ends.low) & (kind == NOT_STATED)
        result[place] = np.where(blank, chosen, kind).astype(np.int8)
    return result


def contradicting_kinds(
    items: ItemRows, kind: Kinds, bounds: Mapping[int, Bounds], sigmas: Mapping[str, SetCells], by_method: Mask
) -> tuple[Mask, list[Finding]]:
    """Report stated distributions that contradict their bounds, or lack a sigma; the latter are marked ``(n,)`` too.

    ``by_method (n,)`` marks items that get their sigmas from a method.
    """
    column, ids = items.columns.by_quantity.get("dist"), items.ids
    some, lacking = np.zeros(len(kind), bool), np.zeros(len(kind), bool)
    if column is None:
        return lacking, []
    for place, ends in bounds.items():
        bounded = ~np.isnan(ends.low)
        some |= bounded
        lacking |= bounded & ~sigma_given(TEN[place], sigmas, len(kind))
    without = lacking & (kind == TRUNCATED) & ~by_method
    unbounded = some & ((kind == NORMAL) | (kind == LOGNORMAL))
    findings = say(
        items,
        Fault("MP509", column, "write truncated, or clear the bounds"),
        np.flatnonzero(unbounded),
        lambda i: f"{ids[i]} has bounds, and a {KINDS[kind[i]]} distribution has none",
    )
    findings += say(
        items,
        Fault("MP509", column, "give the sigma of the distribution before it is truncated"),
        np.flatnonzero(without),
        lambda i: f"{ids[i]} is truncated at bounds and has no sigma",
    )
    return without, findings


def sigma_given(name: str, sigmas: Mapping[str, SetCells], n: int) -> Mask:
    """Tell which items have a sigma of one quantity in a column of its own ``(n,)``."""
    for quantity_set in SIGMA_SETS:
        if f"sigma_{name}" in quantity_set.columns and quantity_set.name in sigmas:
            given: Mask = sigmas[quantity_set.name].given[:, quantity_set.columns.index(f"sigma_{name}")]
            return given
    return np.zeros(n, bool)


WEIGHED = "weighed"
"""The surest way in which a mass comes to be known."""


class Methods(NamedTuple):
    """The column ``method`` of n items: ``codes (n,)`` count in ``words``, negative where none is known.

    ``fraction (n,)`` is one standard deviation as a share of the value, NaN where no method is known.
    """

    words: tuple[str, ...]
    codes: NDArray[np.int8]
    fraction: Floats

    def texts(self) -> list[str]:
        """Give the canonical word of every item, blank where there is none."""
        words = (*self.words, "", "")  # negative codes count from the end
        return [words[code] for code in self.codes.tolist()]


def read_methods(items: ItemRows, marks: Marks, options: TableOptions) -> tuple[Methods | None, list[Finding]]:
    """Read the column ``method`` of the items whose own numbers go up; a word without a percentage is an error."""
    column = items.columns.by_quantity.get("method")
    if column is None:
        return None, []
    percent = percentages(options.sigma_percent)
    words = tuple(percent)
    codes = read_words(items.texts(column.index), methods(options.sigma_percent), words)
    codes = np.where(marks.goes_up, codes, -1).astype(np.int8)
    fraction = np.array([*(percent[word] / 100 for word in words), np.nan])[np.maximum(codes, -1)]

    def unknown(i: int) -> str:
        text = items.table.text(int(items.rows[i]), column.index).strip()
        return f"{items.ids[i]}: {text} has no percentage{nearest(text, words)}"

    wrong = np.flatnonzero(marks.counts & (codes == UNKNOWN)) if options.use_sigmas else np.zeros(0, np.intp)
    return Methods(words, codes, fraction), say(items, Fault("MP512", column), wrong, unknown)


def fill_by_method(sigma: SetCells, value: SetCells, fraction: Floats, where: Mask) -> Mask:
    """Fill sigmas that are not given with a share of the value; gives the items ``(n,)`` of which some were.

    A share of a tensor is one of its largest moment, for all six entries, so that a product of 0 is not known exactly.
    """
    size = np.abs(value.values)
    if size.shape[1] == 6:
        size = np.broadcast_to(size[:, :3].max(axis=1, keepdims=True), size.shape)
    filled = ~sigma.given & (where & ~np.isnan(fraction))[:, None]
    np.multiply(size, fraction[:, None], out=sigma.values, where=filled)
    np.logical_or(sigma.given, filled, out=sigma.given)
    return np.asarray(filled.any(axis=1))


def said_percentages(items: ItemRows, read: Methods, filled: Mask, options: TableOptions) -> list[Finding]:
    """Say once which percentages made sigmas, and where they come from."""
    which = items.in_file_order(np.flatnonzero(filled))
    if not len(which):
        return []
    column = items.columns.by_quantity["method"]
    percent = percentages(options.sigma_percent)
    used = [read.words[code] for code in np.unique(read.codes[which]).tolist()]
    shipped = [word for word in used if word not in options.sigma_percent]
    stated = ", ".join(f"{word} {percent[word]:g} %" for word in used)
    whose = f"; {', '.join(shipped)} from the example that comes with the tool, no standard" if shipped else ""
    return [
        found(
            "MP505",
            f"sigmas by {column.header}, {stated} of mass and largest moment{whose}: {listed_of(items, which)}",
            place_of(items.table, int(items.rows[which[0]]), column.index, column.header),
            item=items.ids[int(which[0])],
            count=len(which),
            remedy="put your own percentages into [sigma-percent] of massprops.toml" if shipped else None,
        )
    ]


def known_by(items: ItemRows, methods: Methods | None) -> Sequence[str] | None:
    """Give how every row's mass came to be known, blank where nothing says; None where no row says it.

    What the column ``weighed`` marks is weighed, whatever its ``method``.
    """
    words = None if methods is None else methods.texts()
    column = items.columns.by_quantity.get("weighed")
    flags = None if column is None else read_flags(items.texts(column.index)).values
    if flags is None or not flags.any():
        return words
    said = words or [""] * len(flags)
    return [WEIGHED if flag else word for flag, word in zip(flags.tolist(), said, strict=True)]


AGREEING = 0.01
"""How far a sigma and the one of the bounds beside it may be apart, relative, and still say the same."""


class Statements(NamedTuple):
    """What a table states of its errors beside sigmas; None where it has no column for it."""

    shapes: Shapes | None = None
    methods: Methods | None = None
    spoilt: Mapping[str, Mask] = MappingProxyType({})
    """In which items of which set bounds cannot be used, which has been said."""


def state_sigmas(
    items: ItemRows, marks: Marks, cells: dict[str, SetCells], turned: Mask, options: TableOptions
) -> tuple[Statements, list[Finding]]:
    """Complete the sigmas in ``cells`` from bounds and methods; those that nothing tells in whole are taken out.

    ``turned (n,)`` marks items whose products of inertia are written with the sign of ∫xy dm.
    """
    methods, findings = read_methods(items, marks, options)
    if not options.use_sigmas:
        return Statements(None, methods), findings
    by_method = np.zeros(len(items.rows), bool) if methods is None else ~np.isnan(methods.fraction)
    shapes, spoilt, said = shapes_of(items, marks, cells, turned, by_method)
    findings += said
    stated = Statements(shapes, methods, spoilt)
    says_more = shapes is not None or methods is not None
    by_percentage = np.zeros(len(items.rows), bool)
    for value_set, sigma_set in zip(VALUE_SETS, SIGMA_SETS, strict=True):
        if not is_told(items, value_set, cells, methods):
            cells.pop(sigma_set.name, None)
        elif value_set.name in cells and says_more:
            cells.setdefault(sigma_set.name, no_cells(len(items.rows), sigma_set))
            needed = marks.counts & ~marks.is_point if value_set is INERTIA else marks.counts
            filled, said = fill(items, value_set, cells, stated, needed)
            by_percentage |= filled
            findings += said
    if methods is not None:
        findings += said_percentages(items, methods, by_percentage, options)
    return stated, findings


def fill(
    items: ItemRows, value_set: QuantitySet, cells: dict[str, SetCells], stated: Statements, needed: Mask
) -> tuple[Mask, list[Finding]]:
    """Fill the sigmas of one set from bounds first, then from methods; gives which items the latter filled ``(n,)``."""
    value, sigma = cells[value_set.name], cells[f"sigma_{value_set.name}"]
    findings = [] if stated.shapes is None else fill_by_bounds(items, value_set, cells, stated.shapes)
    filled = np.zeros(len(needed), bool)
    sigma.bad |= stated.spoilt.get(value_set.name, False)
    if stated.methods is not None and value_set is not CENTER:
        sigma.bad |= stated.methods.codes == UNKNOWN
        filled = fill_by_method(sigma, value, stated.methods.fraction, needed & ~sigma.bad)
    by_method = value_set is not CENTER and bool(filled.any())
    told = np.array([has_column(items, name) or by_method for name in value_set.columns])
    if value_set is CENTER and not told.any():
        sigma.given[:] = True  # reported: read as 0
    sigma.has[:] = (sigma.given | ~told).all(axis=1)
    return filled, findings


def has_column(items: ItemRows, name: str) -> bool:
    """Tell whether a column of sigmas or of bounds states the spread of a quantity."""
    named = items.columns.by_quantity
    return f"sigma_{name}" in named or f"{name}_min" in named


def is_told(items: ItemRows, value_set: QuantitySet, cells: dict[str, SetCells], methods: Methods | None) -> bool:
    """Tell whether some sigma of a set is stated somehow."""
    if any(has_column(items, name) for name in value_set.columns):
        return True
    return methods is not None and value_set.name in cells


def shapes_of(
    items: ItemRows, marks: Marks, cells: dict[str, SetCells], turned: Mask, by_method: Mask
) -> tuple[Shapes | None, dict[str, Mask], list[Finding]]:
    """Read the distributions and bounds of all inputs; None where the table has no column of either.

    ``by_method (n,)`` marks items that get their sigmas from a method. Also gives in which items of which set bounds
    cannot be used.
    """
    named = items.columns.by_quantity
    if "dist" not in named and not any(f"{name}_min" in named for name in TEN):
        return None, {}, []
    kind, findings = read_kinds(items, marks)
    bounds, spoilt, said = read_bounds(items, marks, cells, turned)
    without, contradicting = contradicting_kinds(items, kind, bounds, cells, by_method)
    spoilt = {name: wrong | without for name, wrong in spoilt.items()}
    shapes = Shapes(kind, bounds, kinds_by_bounds(kind, bounds, cells))
    return shapes, spoilt, [*findings, *said, *contradicting]


def fill_by_bounds(
    items: ItemRows, value_set: QuantitySet, cells: dict[str, SetCells], shapes: Shapes
) -> list[Finding]:
    """Fill the sigmas of uniform and triangular inputs from their bounds; two sigmas that differ are said."""
    value, sigma = cells[value_set.name], cells[f"sigma_{value_set.name}"]
    findings: list[Finding] = []
    for axis, name in enumerate(value_set.columns):
        bounds = shapes.bounds.get(TEN.index(name))
        if bounds is None:
            continue
        kind = shapes.kinds_of(TEN.index(name))
        by_bounds = ((kind == UNIFORM) | (kind == TRIANGULAR)) & ~np.isnan(bounds.low)
        mode = mode_of(bounds, kind, value.values[:, axis])
        spread = sigma_of(bounds, mode)
        findings += two_sigmas(items, name, by_bounds & sigma.given[:, axis], sigma.values[:, axis], spread)
        sigma.values[by_bounds, axis] = spread[by_bounds]
        sigma.given[:, axis] |= by_bounds
        words = f"the sigma of {name} follows from its bounds"
        column = items.columns.by_quantity[f"{name}_min"]
        findings += say_once(items, "MP505", by_bounds, column, words)
        findings += say_shifted(items, name, bounds, mode, np.where(by_bounds, value.values[:, axis], np.nan))
    return findings


def mode_of(bounds: Bounds, kind: NDArray[np.int8], value: Floats) -> Floats:
    """Give the likeliest value of triangular inputs ``(n,)``, their value where none is written; NaN for others."""
    return np.where(kind == TRIANGULAR, np.where(np.isnan(bounds.likely), value, bounds.likely), np.nan)


def two_sigmas(items: ItemRows, name: str, both: Mask, stated: Floats, spread: Floats) -> list[Finding]:
    """Say where a row has a sigma, and bounds that make another one."""
    with np.errstate(invalid="ignore"):
        differ = both & (np.abs(stated - spread) > AGREEING * np.maximum(stated, spread))
    if not differ.any():
        return []
    fault = Fault("MP510", items.columns.by_quantity[f"sigma_{name}"])

    def message(i: int) -> str:
        return f"{items.ids[i]}: the sigma of {name} is {stated[i]:.6g}, and its bounds make it {spread[i]:.6g}"

    return say(items, fault, np.flatnonzero(differ), message)
