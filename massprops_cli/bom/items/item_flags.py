"""Quantities, point flags, sign conventions and weighed marks of items: cells that are no measured numbers.

Quantities in a unit of mass, such as 50 g of glue: they say themselves what the row weighs.

The mass beside such a quantity is that of one gram, which is known; where it is blank it is taken from the unit. Any
other mass contradicts the quantity, and the row is refused (MP237).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.items.item_rows import (
    Content,
    ItemFault,
    ItemRows,
    item_cell_place,
    report_blank_items,
    report_cell_readings,
    report_column_once,
    report_items,
)
from massprops_cli.bom.items.numbers import SetCells, check_measures, measure_units, report_non_numbers
from massprops_cli.bom.items.result_columns import CENTER, INERTIA, MASS
from massprops_cli.bom.items.variant_columns import BlankCounts
from massprops_cli.files import BLANK
from massprops_cli.findings import Findings, Severity
from massprops_cli.tables import (
    BLANK_CHARACTERS,
    KILOGRAM,
    MASS as MASS_DIMENSION,
    MASS_UNIT_SIZES,
    SIZE_TOLERANCE,
    ParsedColumn,
    QuantityColumn,
    TableOptions,
    TruthValues,
    Unit,
    parse_column,
    read_piece_counts,
    read_signs,
    read_truth_values,
    reject_placeholders,
    sign_fault,
    truth_value_fault,
    unit_of_dimension,
)
from massprops_cli.trees import ItemQuantity

_Floats = NDArray[np.float64]


def masses_from_quantities(items: ItemRows) -> _Floats | None:
    """Give the mass of one unit of every quantity ``(n,)`` in kg; NaN where its unit is none of mass, or it is blank.

    None where no quantity of the table is in a unit of mass.
    """
    named = items.columns.by_quantity
    if "uom" not in named or "qty" not in named:
        return None
    units = items.texts(named["uom"].index)
    known = {
        text: unit_of_dimension(text.strip(BLANK_CHARACTERS), MASS_DIMENSION, common_only=True) for text in set(units)
    }
    sizes = {text: unit.over(KILOGRAM) for text, unit in known.items() if unit is not None}
    if not sizes:
        return None
    counted = [bool(text.strip(BLANK_CHARACTERS)) for text in items.texts(named["qty"].index)]
    return np.where(counted, [sizes.get(text, np.nan) for text in units], np.nan)


def fill_masses_from_quantities(items: ItemRows, marks: ItemFlags, masses: SetCells, findings: Findings) -> None:
    """Fill the blank masses of quantities in units of mass, and reject the masses that contradict these."""
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
        itself = "" if mass_unit is None else f", and the quantity itself is {count[i] * in_kg[i] * size:g} {unit}"
        return f"{items.ids[i]}: {quantity} of {mass} each are {product}{itself}"

    remedy = (
        f"clear {column.header} where the quantity is weighed, write another unit of measure where it counts pieces; "
        f"--mass-is line if {column.header} is the mass of the whole row"
    )
    report_items(items, ItemFault("MP237", column, remedy), np.flatnonzero(differing), message, findings)
    report_column_once(items, ItemFault("MP219", column), blank, "the mass is what the quantity weighs", findings)


def _agreeing_masses(masses: _Floats, in_kg: _Floats, unit: Unit | None) -> NDArray[np.bool_]:
    """Tell which masses are those of one unit of their quantity ``(n,)``; without a unit, in any unit there is."""
    sizes = MASS_UNIT_SIZES if unit is None else (unit.over(KILOGRAM),)
    result: NDArray[np.bool_] = np.zeros(len(masses), bool)
    for size in sizes:
        result |= np.isclose(masses * size, in_kg, rtol=SIZE_TOLERANCE, atol=0.0)
    return result


_Mask = NDArray[np.bool_]
_PRODUCT_COLUMNS = INERTIA.columns[3:]


@dataclass(frozen=True, slots=True)
class ItemFlags:
    """What n items say about themselves.

    ``quantity``; ``is_point (n,)`` as marked, and ``point_blank (n,)`` where the cell is blank (None without the
    column); ``sign (n,)`` int8 +1, −1, or 0 where none is stated, by the row or by ``--poi``. ``stated (n,)`` are
    assemblies whose own numbers go up instead of their children's, ``own (n,)`` those whose own numbers are a body
    beside their children; ``goes_up (n,)`` are these and the leaves: the items whose own numbers are rolled up.
    ``unit_masses (n,)`` are kg of one unit of quantities that are in units of mass, None where none is.
    """

    quantity: ItemQuantity
    is_point: _Mask
    point_blank: _Mask | None
    sign: NDArray[np.int8]
    stated: _Mask
    own: _Mask
    goes_up: _Mask
    unit_masses: NDArray[np.float64] | None = None

    @property
    def counts(self) -> _Mask:
        """Which items have numbers that are rolled up and are not left out by a quantity of 0 ``(n,)``."""
        counted: _Mask = self.quantity.count != 0
        return self.goes_up & counted


class QuantityRows(NamedTuple):
    """Where quantities are read: the ``rows`` that hold them; what a blank one counts; the item that is the ``root``.

    The root is one piece: there is no parent that could count it.
    """

    rows: ItemRows
    root: int | None = None
    blanks: BlankCounts | None = None


def read_item_flags(
    items: ItemRows, is_leaf: _Mask, options: TableOptions, uses: QuantityRows, findings: Findings
) -> ItemFlags:
    """Read all marks, and report what is wrong with them; quantities are in the rows of ``uses``."""
    quantity = read_quantity(uses, findings)
    check_measures(items, uses.rows, findings)
    stated = _read_own_value_assemblies(items, is_leaf, options, findings)
    own = np.zeros(len(is_leaf), bool)
    if options.assembly_values == "own":
        own = _has_numbers(items, (*MASS.columns, *CENTER.columns, *INERTIA.columns)) & ~is_leaf & ~stated
    goes_up = is_leaf | stated | own
    counted = quantity.count != 0
    point, blank = _read_point_flags(items, is_leaf & counted, findings, is_strict=options.is_strict)
    sign = _read_sign_column(items, goes_up & counted & ~point, options, findings)
    return ItemFlags(quantity, point, blank, sign, stated, own, goes_up, masses_from_quantities(uses.rows))


def _has_numbers(items: ItemRows, quantities: tuple[str, ...]) -> _Mask:
    """Tell which items have a cell that is not blank in any of some columns."""
    named = items.columns.by_quantity
    wanted = [named[name].index for name in quantities if name in named]
    result = np.zeros(len(items.rows), bool)
    for numbers in items.table.numbers(wanted, items.columns.first_row) if wanted else ():
        result |= items.gather(numbers.states != BLANK, False)
    return result


def read_quantity(uses: QuantityRows, findings: Findings) -> ItemQuantity:
    """Read how many pieces of every item its parent holds; a blank is one piece unless stated otherwise."""
    items, root, blanks = uses
    n = len(items.rows)
    column = items.columns.by_quantity.get("qty")
    if column is None:
        return ItemQuantity.one_each(n)
    table, first = items.table, items.columns.first_row
    numbers = table.numbers([column.index], first)[0]
    settled = reject_placeholders(parse_column(table, column.index, numbers, first, column.rules))
    report_cell_readings(items, column, settled, findings)
    read = read_piece_counts(settled, measure_units(items, column, settled, findings))
    report_non_numbers(items, column, read.bad + first, findings)
    count, measured = items.gather(read.count, 1.0), items.gather(read.measured, False)
    blank = items.gather(read.blank, False)
    absent, single = (np.zeros(n, bool), blank) if blanks is None else (blank & (blanks.counts == k) for k in (0, 1))
    count = np.where(absent, 0.0, count)
    if root is not None:
        count, measured, blank = count.copy(), measured.copy(), blank.copy()
        count[root], measured[root], blank[root] = 1.0, False, False
    bad = np.zeros(len(read.count), bool)
    bad[read.bad] = True
    measures = measured & ~items.gather(bad, False) & (count != 0)
    notes = (
        ("MP216", blank & single, "a blank quantity counts as 1"),
        ("MP217", absent, f"a blank quantity counts as 0{blanks.why if blanks else ''}"),
        ("MP217", (count == 0) & ~absent, "a quantity of 0 leaves the row out"),
        ("MP218", count < 0, "a negative quantity removes pieces"),
        ("MP219", measures, "read as one piece of that size"),
    )
    for rule, where, words in notes:
        report_column_once(items, ItemFault(rule, column), where, words, findings)
    return ItemQuantity(count, measured)


def _read_point_flags(
    items: ItemRows, needs: _Mask, findings: Findings, *, is_strict: bool
) -> tuple[_Mask, _Mask | None]:
    """Read which items are point masses; a blank where it ``needs`` a mark is false, or an error if ``is_strict``."""
    n = len(items.rows)
    column = items.columns.by_quantity.get("Ipoint")
    if column is None:
        _report_missing_point_column(items, needs, findings)
        return np.zeros(n, bool), None
    flags = read_truth_values(items.texts(column.index))
    _report_flag_words(items, column, flags, findings)
    remedy = "write true for a point mass, false for a body"
    if is_strict:
        fault = ItemFault("MP215", column, remedy)
        report_blank_items(items, fault, flags.blank, needs, f"mark under {column.header}", findings)
    else:
        fault = ItemFault("MP215", column, remedy, Severity.NOTE)
        words = f"a blank under {column.header} is read as false"
        report_column_once(items, fault, flags.blank & needs, words, findings)
    return flags.values, flags.blank


def _report_flag_words(items: ItemRows, column: QuantityColumn, flags: TruthValues, findings: Findings) -> None:
    """Report cells that are not truth values, and once those in other words."""

    def message(i: int) -> str:
        return (
            f"{items.ids[i]}: {column.header} {truth_value_fault(items.table.text(int(items.rows[i]), column.index))}"
        )

    in_words = np.zeros(len(items.rows), bool)
    in_words[flags.in_words] = True
    report_items(items, ItemFault("MP215", column), flags.bad, message, findings)
    words = "a word for true or false was read as that"
    report_column_once(items, ItemFault("MP236", column), in_words, words, findings)


def _report_missing_point_column(items: ItemRows, needs: _Mask, findings: Findings) -> None:
    """Note rows with a centre and no inertia in a table that cannot mark point masses."""
    named = items.columns.by_quantity
    if not all(name in named for name in (*CENTER.columns, *INERTIA.columns)):
        return
    which = needs & _has_numbers(items, CENTER.columns) & ~_has_numbers(items, INERTIA.columns)
    words = "no column Ipoint, and rows with a centre have no inertia"
    report_column_once(items, ItemFault("MP222", named["Ixx"]), which, words, findings)


def _read_sign_column(items: ItemRows, needs: _Mask, options: TableOptions, findings: Findings) -> NDArray[np.int8]:
    """Give the sign convention of every item's products ``(n,)``: +1, −1, or 0 where none is stated.

    The column POIconv states it, and without it ``--poi`` for all items.
    """
    named = items.columns.by_quantity
    column = named.get("POIconv")
    if column is None:
        if not options.poi:
            _report_missing_signs(items, needs, findings)
        return np.full(len(items.rows), sign_of_option(options), np.int8)
    signs = read_signs(items.texts(column.index))

    def wrong(i: int) -> str:
        return f"{items.ids[i]}: {column.header} {sign_fault(items.table.text(int(items.rows[i]), column.index))}"

    report_items(items, ItemFault("MP213", column), signs.bad, wrong, findings)
    unicode = np.zeros(len(items.rows), bool)
    unicode[signs.unicode] = True
    report_column_once(
        items, ItemFault("MP220", column), unicode, "a Unicode minus sign (U+2212) was read as -", findings
    )
    blank = signs.blank & needs
    if blank.any():
        blank &= _has_products(items)
        lacking = f"has products of inertia, and its {column.header} is blank"
        fault = ItemFault("MP213", column)
        report_items(items, fault, np.flatnonzero(blank), lambda i: f"{items.ids[i]} {lacking}", findings)
    return signs.signs


def sign_of_option(options: TableOptions) -> int:
    """Give the sign convention of products that ``--poi`` states: +1, −1, or 0 for none."""
    return {"+": 1, "-": -1}.get(options.poi, 0)


def _has_products(items: ItemRows) -> _Mask:
    """Tell which items have a product of inertia that is not 0; none where a column of the tensor is missing."""
    named, first = items.columns.by_quantity, items.columns.first_row
    result = np.zeros(len(items.rows), bool)
    if not all(name in named for name in INERTIA.columns):
        return result
    wanted = [named[name] for name in _PRODUCT_COLUMNS]
    read = items.table.numbers([column.index for column in wanted], first)
    for column, numbers in zip(wanted, read, strict=True):
        values = parse_column(items.table, column.index, numbers, first, column.rules).values
        result |= items.gather(np.nan_to_num(values) != 0, False)
    return result


def _report_missing_signs(items: ItemRows, needs: _Mask, findings: Findings) -> None:
    """Reject products of inertia whose sign is not stated."""
    which = np.flatnonzero(needs & _has_products(items))
    if not len(which):
        return
    first = int(which[np.argmin(items.rows[which])])
    column = items.columns.by_quantity["Ixy"]
    rows = "1 row has" if len(which) == 1 else f"{len(which):,} rows have"
    findings.report(
        "MP214",
        f"{rows} products of inertia, first {items.ids[first]}, and nothing says whether Ixy is +∫xy dm or −∫xy dm",
        item_cell_place(items.table, int(items.rows[first]), column.index, column.header),
        item=items.ids[first],
        count=len(which),
        remedy="pass --poi + if Ixy is +∫xy dm, --poi - if it is the tensor entry −∫xy dm, or add a column POIconv",
    )


def _read_own_value_assemblies(items: ItemRows, is_leaf: _Mask, options: TableOptions, findings: Findings) -> _Mask:
    """Find the assemblies whose own numbers go up: all with a mass (values ``stated``), or those marked weighed."""
    stated = np.zeros(len(items.rows), bool)
    if options.assembly_values == "stated":
        stated |= _has_numbers(items, MASS.columns)
    column = items.columns.by_quantity.get("weighed")
    if column is not None:
        flags = read_truth_values(items.texts(column.index))
        _report_flag_words(items, column, flags, findings)
        stated |= flags.values
    return stated & ~is_leaf


def is_measured_quantity(bom: Content, item: int, count: float) -> bool:
    """Whether a quantity of an item would be one piece of that size: it is not whole, or has a unit of measure."""
    unit = bom.columns.by_quantity.get("uom")
    text = "" if unit is None or bom.rows[item] < 0 else bom.table.text(int(bom.rows[item]), unit.index)
    none = np.zeros(0, np.intp)
    return bool(read_piece_counts(ParsedColumn(np.array([count]), np.zeros(1, bool), none), [text]).measured[0])
