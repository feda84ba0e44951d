"""Whose unit a column called ``Unit`` holds: that of the masses beside it, of coordinates, or of the quantities.

Where it stands and what its cells hold decide: units of mass at the right of the masses are theirs, and so they are in
a table without quantities. A quantity of 3 kg has a mass of 1 per kg, so that units of mass beside other masses are
the masses' own. Where both readings remain the table is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isclose, isnan

from massprops_cli.files.table import Table
from massprops_cli.findings import Finding, found
from massprops_cli.tables.cells.cell_units import is_filled
from massprops_cli.tables.cells.number_text import BLANKS
from massprops_cli.tables.cells.numbers import settle
from massprops_cli.tables.columns.headings import SYNONYM, Heading, read_heading, squeeze
from massprops_cli.tables.units.quantities import UNIT_COLUMNS, dimension_of
from massprops_cli.tables.units.unit_table import FORCE, KILOGRAM, MASS, MASSES, STANDARD_GRAVITY
from massprops_cli.tables.units.unit_text import unit_for

LOOKED_AT = 200
"""So many rows without a unit of mass, length or inertia make a column one of other units, unread to its end."""
ROUNDED = 1e-3
"""How far a mass per unit of mass may be rounded: 0.4536 kg per pound."""
SIZES = tuple({unit.over(KILOGRAM) for unit in MASSES.values()})
OPEN_WORDS = frozenset(
    ("unit", "units", "einheit", "einheiten", "unités", "unidades", "jednostki", "单位", "単位", "단위")
)
"""Headers that do not say whose unit it is; a unit of measure is that of a quantity."""


def place_unit_columns(
    table: Table, row: int, headings: Mapping[int, Heading], chosen: Mapping[str, int]
) -> tuple[dict[int, Heading], list[Finding]]:
    """Settle whose units the columns hold that are known as units of quantities; ``chosen`` has those of ``--map``."""
    result, findings = dict(headings), list[Finding]()
    quantities = {j: heading.quantity for j, heading in headings.items()} | {j: q for q, j in chosen.items()}
    for j, heading in headings.items():
        if not table.text(row, j).strip() and (name := unnamed(table, row, j, quantities)):
            result[j] = Heading(name, rank=SYNONYM)
        if heading.quantity != "uom" or table.text(row, j).strip() == "uom":
            continue
        name = whose(table, row, j, quantities)
        if name == "?":
            findings.append(refused(table, row, j))
        result[j] = heading._replace(quantity="" if name == "?" else name)
    return result, findings


def whose(table: Table, row: int, j: int, quantities: Mapping[int, str]) -> str:
    """Tell which quantity a column of units is: ``uom``, one of UNIT_COLUMNS, or ``?`` where two readings remain."""
    head = {table.text(i, j).strip(BLANKS) for i in range(row + 1, min(table.n_rows, row + 1 + LOOKED_AT))}
    left = dimension_of(quantities.get(j - 1, ""))
    counted = "qty" in quantities.values()
    for name, sample in UNIT_COLUMNS.items():
        dimension = dimension_of(sample)
        if dimension not in map(dimension_of, quantities.values()) or not any(fits(text, sample) for text in head):
            continue
        whole = all(fits(text.strip(BLANKS), sample) for text in set(table.texts(j, row + 1)) if is_filled(text))
        if left == dimension:
            return name if whole or not counted else "?"
        if not counted:
            return name if whole else "uom"
        if not whole or dimension != MASS or states_unit(table, row, quantities):
            return "uom"
        return of_numbers(table, row, j, quantities)
    return "uom"


def unnamed(table: Table, row: int, j: int, quantities: Mapping[int, str]) -> str:
    """Tell which of UNIT_COLUMNS a column without a name is: all its cells are units of the quantity at its left."""
    left = dimension_of(quantities.get(j - 1, ""))
    name = next((name for name, sample in UNIT_COLUMNS.items() if left == dimension_of(sample)), "")
    if left is None or not name or name in quantities.values():
        return ""
    cells = {text.strip(BLANKS) for text in table.texts(j, row + 1) if is_filled(text)}
    return name if cells and all(fits(text, UNIT_COLUMNS[name]) for text in cells) else ""


def states_unit(table: Table, row: int, quantities: Mapping[int, str]) -> bool:
    """Tell whether the header of the masses says their unit, so that no other column need."""
    return any(read_heading(table.text(row, j)).unit for j, name in quantities.items() if dimension_of(name) == MASS)


def of_numbers(table: Table, row: int, j: int, quantities: Mapping[int, str]) -> str:
    """Settle whether units of mass are those of the masses by their numbers, since it is known what a gram weighs."""
    column = next(k for k, name in quantities.items() if dimension_of(name) == MASS)
    masses = settle(table, column, table.numbers([column], row + 1)[0], row + 1).values.tolist()
    per_unit = {
        (text.strip(BLANKS), mass)
        for text, mass in zip(table.texts(j, row + 1), masses, strict=True)
        if is_filled(text) and not isnan(mass)
    }
    if {mass for _, mass in per_unit} == {1.0} and len({text for text, _ in per_unit}) == 1:
        return "uom"  # n kilograms and n pieces of 1 kg weigh the same
    in_units = {mass / size_in_kg(text) for text, mass in per_unit}
    low, high = min(in_units, default=1.0), max(in_units, default=1.0)
    if any(isclose(c * size, 1, rel_tol=ROUNDED) for c in (low, high) for size in SIZES) and high <= low * (
        1 + ROUNDED
    ):
        return "?"
    return "mass_unit" if squeeze(table.text(row, j)) in OPEN_WORDS else "?"


def size_in_kg(text: str) -> float:
    """Give a unit of mass in kilograms, one of weight as what weighs so much."""
    unit = unit_for(text, MASS, common_only=True) or unit_for(text, FORCE, common_only=True)
    assert unit is not None
    return unit.over(KILOGRAM) if unit.dimension == MASS else unit.times(STANDARD_GRAVITY, -1).over(KILOGRAM)


def fits(text: str, sample: str) -> bool:
    """Tell whether a cell is a unit of a quantity, or for a mass one of weight.

    >>> fits("g", "mass"), fits("lbf", "mass"), fits("ea", "mass"), fits("m", "mass")
    (True, True, False, False)
    """
    dimension = dimension_of(sample)
    assert dimension is not None
    known = unit_for(text, dimension, common_only=True) is not None
    return known or (dimension == MASS and unit_for(text, FORCE, common_only=True) is not None)


def refused(table: Table, row: int, j: int) -> Finding:
    """Refuse a column of units that may be that of the masses and that of the quantities."""
    name = table.text(row, j).strip()
    message = f"{name} can hold the units of the masses, or those of the quantities"
    remedy = f'say it with --map mass_unit="{name}" or --map uom="{name}"'
    return found("MP235", message, table.place(row, j, name), value=name, remedy=remedy)
