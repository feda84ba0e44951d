"""Quantities in a unit of mass, such as 50 g of glue: they say themselves what the row weighs.

The mass beside such a quantity is that of one gram, which is known; where it is blank it is taken from the unit. Any
other mass contradicts the quantity, and the row is refused (MP237).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.cells.cells import SetCells
from massprops_cli.bom.items.items import ItemRows
from massprops_cli.bom.items.saying import Fault, say, say_once
from massprops_cli.findings import Finding
from massprops_cli.tables.cells.number_text import BLANKS
from massprops_cli.tables.columns.unit_columns import ROUNDED, SIZES
from massprops_cli.tables.units.unit_table import KILOGRAM, MASS, Unit
from massprops_cli.tables.units.unit_text import unit_for

Floats = NDArray[np.float64]


def masses_of_units(items: ItemRows) -> Floats | None:
    """Give the mass of one unit of every quantity ``(n,)`` in kg; NaN where its unit is none of mass, or it is blank.

    None where no quantity of the table is in a unit of mass.
    """
    named = items.columns.by_quantity
    if "uom" not in named or "qty" not in named:
        return None
    units = items.texts(named["uom"].index)
    known = {text: unit_for(text.strip(BLANKS), MASS, common_only=True) for text in set(units)}
    sizes = {text: unit.over(KILOGRAM) for text, unit in known.items() if unit is not None}
    if not sizes:
        return None
    counted = [bool(text.strip(BLANKS)) for text in items.texts(named["qty"].index)]
    return np.where(counted, [sizes.get(text, np.nan) for text in units], np.nan)


def weigh_out(
    items: ItemRows, in_kg: Floats | None, count: Floats, masses: SetCells, wanted: NDArray[np.bool_]
) -> list[Finding]:
    """Fill the blank masses of quantities that weigh themselves ``(n,)``, and refuse the masses that contradict them.

    ``in_kg`` is what ``masses_of_units`` gives, ``wanted`` are the items whose numbers are rolled up.
    """
    if in_kg is None:
        return []
    column, mass_unit = items.columns.by_quantity["mass"], unit_for(items.columns.units.mass, MASS)
    weighed = wanted & np.isfinite(in_kg)
    blank = weighed & ~masses.has & ~masses.bad & (mass_unit is not None)
    differing = weighed & masses.has & ~_agree(masses.values[:, 0], in_kg, mass_unit)
    size = 1.0 if mass_unit is None else KILOGRAM.over(mass_unit)
    masses.values[blank, 0] = in_kg[blank] * size
    masses.given[blank, 0] = masses.has[blank] = True
    unit, uom = items.columns.units.mass, items.texts(items.columns.by_quantity["uom"].index)

    def message(i: int) -> str:
        quantity, mass = f"{count[i]:g} {uom[i].strip(BLANKS)}", f"{masses.values[i, 0]:g} {unit}".rstrip()
        product = f"{count[i] * masses.values[i, 0]:g} {unit}".rstrip()
        itself = "" if mass_unit is None else f", and the quantity itself is {count[i] * in_kg[i] * size:g} {unit}"
        return f"{items.ids[i]}: {quantity} of {mass} each are {product}{itself}"

    remedy = (
        f"clear {column.header} where the quantity is weighed, write another unit of measure where it counts pieces; "
        f"--mass-is line if {column.header} is the mass of the whole row"
    )
    findings = say(items, Fault("MP237", column, remedy), np.flatnonzero(differing), message)
    return findings + say_once(items, "MP219", blank, column, "the mass is what the quantity weighs")


def _agree(masses: Floats, in_kg: Floats, unit: Unit | None) -> NDArray[np.bool_]:
    """Tell which masses are those of one unit of their quantity ``(n,)``; without a unit, in any unit there is."""
    sizes = SIZES if unit is None else (unit.over(KILOGRAM),)
    result: NDArray[np.bool_] = np.zeros(len(masses), bool)
    for size in sizes:
        result |= np.isclose(masses * size, in_kg, rtol=ROUNDED, atol=0.0)
    return result
