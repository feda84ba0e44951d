"""Quantities, point flags, sign conventions and weighed marks of items: cells that are no measured numbers.

Quantities in a unit of mass, such as 50 g of glue: they say themselves what the row weighs.

The mass beside such a quantity is that of one gram, which is known; where it is blank it is taken from the unit. Any
other mass contradicts the quantity, and the row is refused (MP237).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

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
from massprops_cli.bom.items.numbers import SetCells, check_measures, measure_units, non_number_findings
from massprops_cli.bom.items.result_columns import CENTER, INERTIA, MASS
from massprops_cli.bom.items.variant_columns import BlankCounts
from massprops_cli.files import BLANK
from massprops_cli.findings import Finding, Severity, rule_finding
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


def fill_masses_from_quantities(
    items: ItemRows, in_kg: _Floats | None, count: _Floats, masses: SetCells, wanted: NDArray[np.bool_]
) -> list[Finding]:
    """Fill the blank masses of quantities that weigh themselves ``(n,)``, and refuse the masses that contradict them.

    ``in_kg`` is what ``masses_from_quantities`` gives, ``wanted`` are the items whose numbers are rolled up.
    """
    if in_kg is None:
        return []
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
    findings = report_items(items, ItemFault("MP237", column, remedy), np.flatnonzero(differing), message)
    return findings + report_column_once(items, "MP219", blank, column, "the mass is what the quantity weighs")


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
    column); ``sign (n,)`` int8 +1, −1, or 0 where nothing is said (None without the column). ``stated (n,)`` are
    assemblies whose own numbers go up instead of their children's, ``own (n,)`` those whose own numbers are a body
    beside their children; ``goes_up (n,)`` are these and the leaves: the items whose own numbers are rolled up.
    ``unit_masses (n,)`` are kg of one unit of quantities that are in units of mass, None where none is.
    """

    quantity: ItemQuantity
    is_point: _Mask
    point_blank: _Mask | None
    sign: NDArray[np.int8] | None
    stated: _Mask
    own: _Mask
    goes_up: _Mask
    unit_masses: NDArray[np.float64] | None = None

    @property
    def counts(self) -> _Mask:
        """Which items have numbers that are rolled up and are not left out by a quantity of 0 ``(n,)``."""
        counted: _Mask = self.quantity.count != 0
        return self.goes_up & counted


def read_item_flags(
    items: ItemRows,
    is_leaf: _Mask,
    options: TableOptions,
    *,
    root: int | None = None,
    uses: ItemRows | None = None,
    blanks: BlankCounts | None = None,
) -> tuple[ItemFlags, list[Finding]]:
    """Read all marks, and say what is wrong with them; ``uses`` are the rows that hold quantities, where others do.

    The ``root`` is one piece: there is no parent that could count it. ``blanks`` say what a blank quantity counts.
    """
    quantity, findings = read_quantity(items if uses is None else uses, root, blanks)
    findings += check_measures(items, items if uses is None else uses)
    stated, said = _read_own_value_assemblies(items, is_leaf, options)
    findings += said
    own = np.zeros(len(is_leaf), bool)
    if options.assembly_values == "own":
        own = _has_numbers(items, (*MASS.columns, *CENTER.columns, *INERTIA.columns)) & ~is_leaf & ~stated
    goes_up = is_leaf | stated | own
    counted = quantity.count != 0
    point, blank, said = _read_point_flags(items, is_leaf & counted, is_strict=options.is_strict)
    findings += said
    sign, said = _read_sign_column(items, goes_up & counted & ~point, options)
    findings += said
    unit_masses = masses_from_quantities(items if uses is None else uses)
    return ItemFlags(quantity, point, blank, sign, stated, own, goes_up, unit_masses), findings


def _has_numbers(items: ItemRows, quantities: tuple[str, ...]) -> _Mask:
    """Tell which items have a cell that is not blank in any of some columns."""
    named = items.columns.by_quantity
    wanted = [named[name].index for name in quantities if name in named]
    result = np.zeros(len(items.rows), bool)
    for numbers in items.table.numbers(wanted, items.columns.first_row) if wanted else ():
        result |= items.gather(numbers.states != BLANK, False)
    return result


def read_quantity(
    items: ItemRows, root: int | None = None, blanks: BlankCounts | None = None
) -> tuple[ItemQuantity, list[Finding]]:
    """Read how many pieces of every item its parent holds; a blank is one piece unless ``blanks`` say otherwise."""
    n = len(items.rows)
    column = items.columns.by_quantity.get("qty")
    if column is None:
        return ItemQuantity.one_each(n), []
    table, first = items.table, items.columns.first_row
    numbers = table.numbers([column.index], first)[0]
    settled = reject_placeholders(parse_column(table, column.index, numbers, first, column.rules))
    findings = report_cell_readings(items, column, settled)
    units, clashing = measure_units(items, column, settled)
    findings += clashing
    read = read_piece_counts(settled, units)
    findings += non_number_findings(items, column, read.bad + first)
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
        findings += report_column_once(items, rule, where, column, words)
    return ItemQuantity(count, measured), findings


def _read_point_flags(items: ItemRows, needs: _Mask, *, is_strict: bool) -> tuple[_Mask, _Mask | None, list[Finding]]:
    """Read which items are point masses; a blank where it ``needs`` a mark is false, or an error if ``is_strict``."""
    n = len(items.rows)
    column = items.columns.by_quantity.get("Ipoint")
    if column is None:
        return np.zeros(n, bool), None, _missing_point_column_findings(items, needs)
    flags = read_truth_values(items.texts(column.index))
    findings = _report_flag_words(items, column, flags)
    remedy = "write true for a point mass, false for a body"
    if is_strict:
        findings += report_blank_items(
            items, ItemFault("MP215", column, remedy), flags.blank, needs, f"mark under {column.header}"
        )
    else:
        words = f"a blank under {column.header} is read as false"
        notes = report_column_once(items, "MP215", flags.blank & needs, column, words)
        findings += [replace(note, severity=Severity.NOTE, remedy=remedy) for note in notes]
    return flags.values, flags.blank, findings


def _report_flag_words(items: ItemRows, column: QuantityColumn, flags: TruthValues) -> list[Finding]:
    """Say where something else stands than a truth value, and once where one stands in other words."""

    def message(i: int) -> str:
        return (
            f"{items.ids[i]}: {column.header} {truth_value_fault(items.table.text(int(items.rows[i]), column.index))}"
        )

    in_words = np.zeros(len(items.rows), bool)
    in_words[flags.in_words] = True
    findings = report_items(items, ItemFault("MP215", column), flags.bad, message)
    return findings + report_column_once(items, "MP236", in_words, column, "a word for true or false was read as that")


def _missing_point_column_findings(items: ItemRows, needs: _Mask) -> list[Finding]:
    """Note rows with a centre and no inertia in a table that cannot mark point masses."""
    named = items.columns.by_quantity
    if not all(name in named for name in (*CENTER.columns, *INERTIA.columns)):
        return []
    which = needs & _has_numbers(items, CENTER.columns) & ~_has_numbers(items, INERTIA.columns)
    return report_column_once(
        items, "MP222", which, named["Ixx"], "no column Ipoint, and rows with a centre have no inertia"
    )


def _read_sign_column(
    items: ItemRows, needs: _Mask, options: TableOptions
) -> tuple[NDArray[np.int8] | None, list[Finding]]:
    """Read in which convention every row writes its products of inertia."""
    named = items.columns.by_quantity
    column = named.get("POIconv")
    if column is None:
        return None, [] if options.poi else _missing_sign_column_findings(items, needs)
    signs = read_signs(items.texts(column.index))

    def wrong(i: int) -> str:
        return f"{items.ids[i]}: {column.header} {sign_fault(items.table.text(int(items.rows[i]), column.index))}"

    findings = report_items(items, ItemFault("MP213", column), signs.bad, wrong)
    unicode = np.zeros(len(items.rows), bool)
    unicode[signs.unicode] = True
    findings += report_column_once(items, "MP220", unicode, column, "a Unicode minus sign (U+2212) was read as -")
    blank = signs.blank & needs
    if blank.any():
        blank &= _has_products(items)
        lacking = f"has products of inertia, and its {column.header} is blank"
        findings += report_items(
            items, ItemFault("MP213", column), np.flatnonzero(blank), lambda i: f"{items.ids[i]} {lacking}"
        )
    return signs.signs, findings


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


def _missing_sign_column_findings(items: ItemRows, needs: _Mask) -> list[Finding]:
    """Refuse products of inertia whose sign nobody states."""
    which = np.flatnonzero(needs & _has_products(items))
    if not len(which):
        return []
    first = int(which[np.argmin(items.rows[which])])
    column = items.columns.by_quantity["Ixy"]
    rows = "1 row has" if len(which) == 1 else f"{len(which):,} rows have"
    return [
        rule_finding(
            "MP214",
            f"{rows} products of inertia, first {items.ids[first]}, and nothing says whether Ixy is +∫xy dm or −∫xy dm",
            item_cell_place(items.table, int(items.rows[first]), column.index, column.header),
            item=items.ids[first],
            count=len(which),
            remedy="pass --poi + if Ixy is +∫xy dm, --poi - if it is the tensor entry −∫xy dm, or add a column POIconv",
        )
    ]


def _read_own_value_assemblies(items: ItemRows, is_leaf: _Mask, options: TableOptions) -> tuple[_Mask, list[Finding]]:
    """Find the assemblies whose own numbers go up: all with a mass (values ``stated``), or those marked weighed."""
    stated = np.zeros(len(items.rows), bool)
    findings: list[Finding] = []
    if options.assembly_values == "stated":
        stated |= _has_numbers(items, MASS.columns)
    column = items.columns.by_quantity.get("weighed")
    if column is not None:
        flags = read_truth_values(items.texts(column.index))
        findings = _report_flag_words(items, column, flags)
        stated |= flags.values
    return stated & ~is_leaf, findings


def is_measured_quantity(bom: Content, item: int, count: float) -> bool:
    """Whether a quantity of an item would be one piece of that size: it is not whole, or has a unit of measure."""
    unit = bom.columns.by_quantity.get("uom")
    text = "" if unit is None or bom.rows[item] < 0 else bom.table.text(int(bom.rows[item]), unit.index)
    none = np.zeros(0, np.intp)
    return bool(read_piece_counts(ParsedColumn(np.array([count]), np.zeros(1, bool), none), [text]).measured[0])
