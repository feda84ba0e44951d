"""Quantities, flags, sign conventions and reference points of items; about P a tensor is I + m Φ(c − P)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import Bodies, phi
from massprops_cli.bom.items.item_rows import (
    ItemFault,
    ItemRows,
    check_measures,
    measure_units,
    report_blank_items,
    report_cell_readings,
    report_column_once,
    report_items,
    report_together,
)
from massprops_cli.bom.items.numbers import SetCells, report_non_numbers
from massprops_cli.bom.items.result_columns import CENTER, INERTIA, MASS, body_column, item_quantity_values
from massprops_cli.files.table import BLANK, Floats, Mask
from massprops_cli.findings.finding import Findings, Severity, UsageError
from massprops_cli.rollups.rollup import Rollup
from massprops_cli.tables.cells import cell_words
from massprops_cli.tables.cells.number_text import BLANK_CHARACTERS, read_number
from massprops_cli.tables.cells.numbers import (
    ParsedColumn,
    half_unit_of_cell,
    is_filled_text,
    parse_column,
    reject_unknown_numbers,
)
from massprops_cli.tables.cells.units import KILOGRAM, MASS as MASS_DIMENSION, MASS_UNITS, Unit, unit_of_dimension
from massprops_cli.tables.columns.columns import QuantityColumn, TableColumns
from massprops_cli.tables.options import TableOptions
from massprops_cli.trees.tree import ItemQuantity

if TYPE_CHECKING:
    from massprops_cli.bom.bom import Bom

Point = tuple[float, float, float]
_UNCERTAINTY_COLUMNS = ("sigma_{}", "{}_min", "{}_max")
_PRODUCT_TOLERANCE = 1e-9  # the relative difference that multiplying in doubles explains
_SIZE_TOLERANCE = 1e-3  # how far a mass per unit of mass may be rounded: 0.4536 kg per pound
_MASS_UNIT_SIZES = tuple({unit.over(KILOGRAM) for unit in MASS_UNITS.values()})


def parse_point(text: str) -> Point | None:
    """Parse the setting ``inertia-about``."""
    if (word := text.strip().lower()) in ("", "own"):
        return None
    numbers = [read_number(part) for part in ("0,0,0" if word == "origin" else text).split(",")]
    if len(numbers) != 3 or any(number is None for number in numbers):
        raise UsageError(f"inertia-about is not a point: {text} (own, origin or three numbers such as 0,0,1.5)")
    x, y, z = (float(number) for number in numbers if number is not None)
    return x, y, z


def point_text(point: Point) -> str:
    """Describe a point for a message."""
    numbers = ",".join(f"{x + 0.0:.12g}" for x in point)
    return f"the {'point' if any(point) else 'origin'} {numbers}"


def reject_inertia_uncertainties(columns: TableColumns, point: Point) -> None:
    """Reject sigmas and bounds of inertia not about the own centre: whether they include the centre's is unknown."""
    spreads = [form.format(name) for name in INERTIA.columns for form in _UNCERTAINTY_COLUMNS]
    named = next((columns.by_quantity[name].header for name in spreads if name in columns.by_quantity), None)
    if named is None:
        return
    raise UsageError(
        f"uncertainty of inertia about {point_text(point)} is ambiguous: {named} (it may or may not include the "
        "uncertainties of mass and centre; convert inertia and sigmas to the own centres, or pass --uncertainty none)"
    )


def tensors_about_own_centers(cells: Mapping[str, SetCells], point: Point) -> SetCells:
    """Transfer tensors (n, 6) from a point to own centres (docs/formulas.md, section 2); none if unknown."""
    inertia = cells[INERTIA.name]
    if MASS.name not in cells or CENTER.name not in cells:  # already reported
        return inertia
    mass, center = cells[MASS.name], cells[CENTER.name]
    with np.errstate(over="ignore", invalid="ignore"):  # MP407 reports numbers too large
        moved = inertia.values - mass.values * phi(center.values - np.array(point))
    movable = mass.has & center.has
    # the missing mass or centre is already reported
    bad = inertia.bad | (inertia.has & ~movable)
    return SetCells(moved + 0.0, inertia.given, inertia.has & movable, bad, inertia.products)


def value_about_point(rollup: Rollup, name: str, point: Point | None) -> Floats | None:
    """Compute a quantity (n,) about a point or the own centre, NaN if unknown (docs/formulas.md, section 2)."""
    if point is None or name not in INERTIA.columns:
        return item_quantity_values(rollup, name)
    return component_about_point(rollup.with_place.bodies, name, point)


def component_about_point(bodies: Bodies, name: str, point: Point) -> Floats | None:
    """Compute a tensor entry (n,) about P: I + m Φ(c − P) (docs/formulas.md, section 2); None if all are unknown."""
    own, mass = body_column(bodies, name), body_column(bodies, "mass")
    if own is None or mass is None or bodies.center is None:
        return None
    center = np.column_stack([np.asarray(body_column(bodies, axis)) for axis in CENTER.columns])
    return own + mass * phi(center - np.array(point))[:, INERTIA.columns.index(name)]


def masses_from_quantities(items: ItemRows) -> Floats | None:
    """Return kg of one unit of quantities in a unit of mass (n,), NaN for others; None if no quantity is in one."""
    named = items.columns.by_quantity
    if "uom" not in named or "qty" not in named:
        return None
    units = items.texts(named["uom"].index)
    known = {
        text: unit_of_dimension(text.strip(BLANK_CHARACTERS), MASS_DIMENSION, common_only=True) for text in set(units)
    }
    if not (sizes := {text: unit.over(KILOGRAM) for text, unit in known.items() if unit is not None}):
        return None
    counted = [bool(text.strip(BLANK_CHARACTERS)) for text in items.texts(named["qty"].index)]
    return np.where(counted, [sizes.get(text, np.nan) for text in units], np.nan)


def fill_masses_from_quantities(items: ItemRows, marks: ItemFlags, masses: SetCells, findings: Findings) -> None:
    """Fill the blank masses of quantities in units of mass, and reject masses that contradict them."""
    in_kg, count, wanted = marks.unit_masses, marks.quantity.count, marks.counts
    if in_kg is None:
        return
    column, mass_unit = items.columns.by_quantity["mass"], unit_of_dimension(items.columns.units.mass, MASS_DIMENSION)
    weighed = wanted & np.isfinite(in_kg)
    blank = weighed & ~masses.has & ~masses.bad & (mass_unit is not None)
    differing = weighed & masses.has & ~_agreeing_masses(masses.values[:, 0], in_kg, mass_unit)
    size = 1.0 if mass_unit is None else KILOGRAM.over(mass_unit)
    masses.values[blank, 0] = in_kg[blank] * size
    masses.given[blank, 0] = masses.has[blank] = True
    unit, uom = items.columns.units.mass, items.texts(items.columns.by_quantity["uom"].index)

    def message(i: int) -> str:
        quantity, mass = f"{count[i]:g} {uom[i].strip(BLANK_CHARACTERS)}", f"{masses.values[i, 0]:g} {unit}".rstrip()
        product = f"{count[i] * masses.values[i, 0]:g} {unit}".rstrip()
        stated = "" if mass_unit is None else f"; the quantity is {count[i] * in_kg[i] * size:g} {unit}"
        return f"quantity and mass of {items.ids[i]} are inconsistent: {quantity} of {mass} each ({product}{stated})"

    remedy = (
        f"clear {column.header} if the quantity is a mass, write another unit of measure if it counts pieces, "
        f"or pass --mass-is line if {column.header} is the mass of all pieces of the row"
    )
    report_items(items, ItemFault("MP237", column, remedy), differing, message, findings)
    words = "blank mass filled from a quantity in a unit of mass"
    report_column_once(items, ItemFault("MP219", column), blank, words, findings)


def fill_masses_from_row_totals(items: ItemRows, marks: ItemFlags, masses: SetCells, findings: Findings) -> None:
    """Fill the blank masses of rows that state the mass of all their pieces."""
    column, count = items.columns.by_quantity.get("line_mass"), marks.quantity.count
    blank = marks.counts & ~masses.has & ~masses.bad
    # below assemblies of several pieces a row total may be of one assembly or of all
    if column is None or not blank.any() or (count[~marks.goes_up] != 1).any():
        return
    totals = items.values(column, items.parsed(column))
    filled = blank & np.isfinite(totals) & (totals != 0)  # a spreadsheet computes 0 from a blank mass
    masses.values[filled, 0] = totals[filled] / count[filled]
    masses.given[filled, 0] = masses.has[filled] = True
    mass = items.columns.by_quantity["mass"]
    words = f"blank {mass.header} computed as {column.header} / quantity"
    report_column_once(items, ItemFault("MP280", mass), filled, words, findings)


def _agreeing_masses(masses: Floats, in_kg: Floats, unit: Unit | None) -> NDArray[np.bool_]:
    """Find the masses that are those of one unit of their quantity ``(n,)``; without a unit, in any known unit."""
    sizes = _MASS_UNIT_SIZES if unit is None else (unit.over(KILOGRAM),)
    result: NDArray[np.bool_] = np.zeros(len(masses), bool)
    for size in sizes:
        result |= np.isclose(masses * size, in_kg, rtol=_SIZE_TOLERANCE, atol=0.0)
    return result


class ItemFlags(NamedTuple):
    """Quantities, flags and sign conventions of n items; each mask is (n,)."""

    quantity: ItemQuantity
    is_point: Mask
    point_blank: Mask | None  # None without the column
    sign: NDArray[np.int8]  # +1, −1, or 0 if neither the row nor ``--poi`` states it
    stated: Mask  # assemblies whose own values replace those of their children
    own: Mask  # assemblies whose own values are a body in addition to their children
    goes_up: Mask  # these and the leaves: items whose own values are rolled up
    unit_masses: NDArray[np.float64] | None = None  # (n,) kg of one unit of quantities in units of mass
    uncounted: Mask | None = None  # items whose quantity is not a number, which is already reported

    @property
    def counts(self) -> Mask:
        """Which items are rolled up with a quantity other than 0 ``(n,)``."""
        counted: Mask = self.quantity.count != 0
        return self.goes_up & counted


def read_item_flags(
    items: ItemRows,
    uses: ItemRows,
    is_leaf: Mask,
    counts: tuple[ItemQuantity, Mask | None],
    options: TableOptions,
    findings: Findings,
) -> ItemFlags:
    """Read all flags (n,) and report their faults; ``uses`` are the rows of the quantities, as read."""
    quantity, uncounted = counts
    check_measures(items, uses, findings)
    # assemblies with their own values: all with a mass (``stated``), or those marked weighed
    stated = np.zeros(len(items.rows), bool)
    if options.assembly_values == "stated":
        stated |= _has_numbers(items, MASS.columns)
    if (column := items.columns.by_quantity.get("weighed")) is not None:
        flags = cell_words.read_truth_values(items.texts(column.index))
        _report_flag_words(items, column, flags, findings)
        stated |= flags.values
    stated &= ~is_leaf
    own = np.zeros(len(is_leaf), bool)
    if options.assembly_values == "own":
        own = _has_numbers(items, (*MASS.columns, *CENTER.columns, *INERTIA.columns)) | _has_solids(items)
        own &= ~is_leaf & ~stated
    goes_up = is_leaf | stated | own
    counted = quantity.count != 0
    point, blank = _read_point_flags(items, is_leaf & counted, findings, is_strict=options.is_strict)
    sign = _read_sign_column(items, goes_up & counted & ~point, options, findings)
    unit_masses = masses_from_quantities(uses)
    return ItemFlags(quantity, point, blank, sign, stated, own, goes_up, unit_masses, uncounted)


def _has_numbers(items: ItemRows, quantities: tuple[str, ...]) -> Mask:
    """Find the items with a cell that is not blank in one of some columns."""
    named = items.columns.by_quantity
    wanted = [named[name].index for name in quantities if name in named]
    result = np.zeros(len(items.rows), bool)
    for numbers in items.table.numbers(wanted, items.columns.first_row) if wanted else ():
        result |= items.gather(numbers.states != BLANK, False)
    return result


def read_quantity(
    items: ItemRows, findings: Findings, root: int | None = None, blanks: tuple[NDArray[np.float64], str] | None = None
) -> tuple[ItemQuantity, Mask | None]:
    """Read the pieces of every item, one if blank, and mark the items (n,) whose cell is not a number."""
    # the root is one piece; blanks are the count (n,) of a blank cell and the reason in words
    n = len(items.rows)
    if (column := items.columns.by_quantity.get("qty")) is None:
        return ItemQuantity.one_each(n), None
    first = items.columns.first_row
    has_row_mass = _row_masses_given(items)
    parsed = reject_unknown_numbers(
        items.parsed(column), lambda i: "" if has_row_mass(i) else items.table.text(first + i, column.index)
    )
    parsed = _counts_from_row_totals(items, column, parsed, findings)
    report_cell_readings(items, column, parsed, findings)
    read = cell_words.read_piece_counts(parsed, measure_units(items, column, parsed, findings))
    both = {"mass", "line_mass"} <= items.columns.by_quantity.keys()  # whose quotient does not count pieces
    needless = [] if both else [k for k in read.bad.tolist() if has_row_mass(k)]
    words = "quantity is not a number, and not needed next to the mass of all pieces; read as 1"
    report_column_once(items, ItemFault("MP216", column), items.mask_at(np.array(needless, np.intp)), words, findings)
    bad = np.setdiff1d(read.bad, needless)
    report_non_numbers(items, column, bad + first, findings)
    count, measured = items.gather(read.count, 1.0), items.gather(read.measured, False)
    blank = items.gather(read.blank, False)
    absent, single = (np.zeros(n, bool), blank) if blanks is None else (blank & (blanks[0] == k) for k in (0, 1))
    count = np.where(absent, 0.0, count)
    if root is not None:
        count, measured, blank = count.copy(), measured.copy(), blank.copy()
        count[root], measured[root], blank[root] = 1.0, False, False
    measures = measured & ~items.mask_at(bad) & (count != 0)
    notes = (
        ("MP216", blank & single, "blank quantity read as 1"),
        ("MP217", absent, f"blank quantity read as 0{blanks[1] if blanks else ''}"),
        ("MP217", (count == 0) & ~absent, "quantity of 0 excludes the row"),
        ("MP218", count < 0, "negative quantity subtracts pieces"),
        ("MP219", measures, "quantity is not a count of pieces, and is read as one piece of that size"),
    )
    for rule, where, words in notes:
        report_column_once(items, ItemFault(rule, column), where, words, findings)
    uncounted = items.mask_at(bad) if len(bad) else None
    if uncounted is not None and root is not None:
        uncounted[root] = False
    return ItemQuantity(count, measured), uncounted


def _counts_from_row_totals(
    items: ItemRows, column: QuantityColumn, parsed: ParsedColumn, findings: Findings
) -> ParsedColumn:
    """Compute quantities such as ``2 pair``, AR or a blank as row total / mass of one piece, if a whole number."""
    named, first = items.columns.by_quantity, items.columns.first_row
    if not {"mass", "line_mass"} <= named.keys():
        return parsed
    open_ = np.flatnonzero(np.isnan(parsed.values))
    rows = open_ + first
    numbers, halves = [], []
    for mass in (named["line_mass"], named["mass"]):
        sizes = mass.sizes(rows)
        numbers.append(items.parsed(mass).values[open_] * sizes)
        texts = [items.table.text(i, mass.index) for i in rows.tolist()]
        halves.append(np.array([half_unit_of_cell(text, mass.rules) for text in texts]) * sizes)
    with np.errstate(invalid="ignore", divide="ignore"):
        counts = np.round(numbers[0] / numbers[1])
        rounding = halves[0] + np.abs(counts) * halves[1]
        apart = np.abs(numbers[0] - counts * numbers[1])
        is_exact = apart <= _PRODUCT_TOLERANCE * np.abs(numbers[0])
        # within rounding, the only count
        is_product = (counts > 0) & (is_exact | ((apart <= rounding) & (rounding < np.abs(numbers[1]) / 2)))
    is_product &= np.isin(open_, parsed.bad) | (counts != 1)  # a blank is 1 anyway
    found = open_[is_product]
    words = f"{column.header} computed as {named['line_mass'].header} / {named['mass'].header}"
    report_column_once(items, ItemFault("MP280", column), items.mask_at(found), words, findings)
    values = parsed.values.copy()
    values[found] = counts[is_product]
    return parsed._replace(values=values, bad=np.setdiff1d(parsed.bad, found))


def _row_masses_given(items: ItemRows) -> Callable[[int], bool]:
    """Return whether a row, by its position, states the mass of all its pieces, which needs no quantity."""
    named = items.columns.by_quantity
    mass = named.get("line_mass") or (named.get("mass") if items.columns.mass_is == "line" else None)
    known = None if mass is None else mass.index
    return lambda i: known is not None and is_filled_text(items.table.text(items.columns.first_row + i, known))


def _read_point_flags(items: ItemRows, needs: Mask, findings: Findings, *, is_strict: bool) -> tuple[Mask, Mask | None]:
    """Read the point flags; a blank of an item that ``needs`` one is false, or an error if ``is_strict``."""
    n = len(items.rows)
    if (column := items.columns.by_quantity.get("Ipoint")) is None:
        _report_missing_point_column(items, needs, findings)
        return np.zeros(n, bool), None
    flags = cell_words.read_truth_values(items.texts(column.index))
    _report_flag_words(items, column, flags, findings)
    fault = ItemFault("MP215", column, "write true for a point mass, false for a body")
    if is_strict:
        report_blank_items(items, fault, flags.blank, needs, f"{column.header} flag", findings)
    else:
        fault = fault._replace(severity=Severity.NOTE)
        report_column_once(items, fault, flags.blank & needs, f"blank {column.header} read as false", findings)
    return flags.values, flags.blank


def _report_flag_words(
    items: ItemRows, column: QuantityColumn, flags: cell_words.TruthValues, findings: Findings
) -> None:
    """Report cells that are not truth values, and in one finding those in other words."""

    def message(i: int) -> str:
        fault = cell_words.truth_value_fault(items.table.text(int(items.rows[i]), column.index))
        return f"{column.header} of {items.ids[i]} {fault}"

    report_items(items, ItemFault("MP215", column), flags.bad, message, findings)
    words = f"{column.header} is formula text or in another language, and is read as a truth value"
    report_column_once(items, ItemFault("MP236", column), flags.in_words, words, findings)


def _has_solids(items: ItemRows) -> Mask:
    """Return which rows state a shape or a mesh ``(n,)``."""
    named = items.columns.by_quantity
    result = np.zeros(len(items.rows), bool)
    if "mesh" in named or {"shape", "dims"} <= named.keys():
        for name in ("shape", "mesh"):
            if name in named:
                result |= np.array([bool(text.strip()) for text in items.texts(named[name].index)], bool)
    return result


def _report_missing_point_column(items: ItemRows, needs: Mask, findings: Findings) -> None:
    """Report rows with a centre and no inertia in a table without point flags."""
    named = items.columns.by_quantity
    if not all(name in named for name in (*CENTER.columns, *INERTIA.columns)):
        return
    which = needs & _has_numbers(items, CENTER.columns) & ~_has_numbers(items, INERTIA.columns)
    which &= ~_has_solids(items)  # what solids compute is not missing
    words = "rows with a centre of mass have no inertia, and column Ipoint is missing"
    report_column_once(items, ItemFault("MP222", named["Ixx"]), which, words, findings)


def _read_sign_column(items: ItemRows, needs: Mask, options: TableOptions, findings: Findings) -> NDArray[np.int8]:
    """Read the sign convention of every item's products ``(n,)``: +1, -1, or 0 if not stated."""
    # it is that of the column POIconv, or without it that of ``--poi``
    if (column := items.columns.by_quantity.get("POIconv")) is None:
        if not options.poi:
            _report_missing_signs(items, needs, findings)
        return np.full(len(items.rows), sign_of_option(options), np.int8)
    signs = cell_words.read_signs(items.texts(column.index))

    def wrong(i: int) -> str:
        text = items.table.text(int(items.rows[i]), column.index)
        return f"{column.header} of {items.ids[i]} {cell_words.sign_fault(text)}"

    report_items(items, ItemFault("MP213", column), signs.bad, wrong, findings)
    words = f"Unicode minus sign (U+2212) in {column.header} read as -"
    report_column_once(items, ItemFault("MP220", column), signs.unicode, words, findings)
    blank = signs.blank & needs
    if blank.any():
        blank &= _has_products(items)
        words = "is blank (+ or - expected, for its products of inertia)"
        fault = ItemFault("MP213", column)
        report_items(items, fault, blank, lambda i: f"{column.header} of {items.ids[i]} {words}", findings)
    return signs.signs


def sign_of_option(options: TableOptions) -> int:
    """Convert ``--poi`` to a sign (docs/formulas.md, section 1)."""
    return {"+": 1, "-": -1}.get(options.poi, 0)


def _has_products(items: ItemRows) -> Mask:
    """Find the items with a product of inertia other than 0; none if a column of the tensor is missing."""
    named, first = items.columns.by_quantity, items.columns.first_row
    result = np.zeros(len(items.rows), bool)
    if not all(name in named for name in INERTIA.columns):
        return result
    wanted = [named[name] for name in INERTIA.columns[3:]]
    read = items.table.numbers([column.index for column in wanted], first)
    for column, numbers in zip(wanted, read, strict=True):
        values = parse_column(items.table, column.index, numbers, first, column.rules).values
        result |= items.gather(np.nan_to_num(values) != 0, False)
    return result


def _report_missing_signs(items: ItemRows, needs: Mask, findings: Findings) -> None:
    """Reject products of inertia whose sign is not stated."""
    if not len(which := items.in_file_order(needs & _has_products(items))):
        return
    first = items.ids[int(which[0])]
    rows = "1 row" if len(which) == 1 else f"{len(which):,} rows"
    message = f"products of inertia in {rows} have no sign convention: first {first} (+∫xy dm or −∫xy dm)"
    remedy = "pass --poi + if Ixy is +∫xy dm, --poi - if it is the tensor entry −∫xy dm, or add a column POIconv"
    report_together(items, ItemFault("MP214", items.columns.by_quantity["Ixy"], remedy), which, message, findings)


def is_measured_quantity(bom: Bom, item: int, count: float) -> bool:
    """Return whether a quantity is one piece of that size: not an integer, or with a unit of measure."""
    unit = bom.columns.by_quantity.get("uom")
    text = "" if unit is None or bom.rows[item] < 0 else bom.table.text(int(bom.rows[item]), unit.index)
    none = np.zeros(0, np.intp)
    return bool(
        cell_words.read_piece_counts(ParsedColumn(np.array([count]), np.zeros(1, bool), none), [text]).measured[0]
    )
