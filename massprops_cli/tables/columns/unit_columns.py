"""Whose unit a column called ``Unit`` holds: that of the masses beside it, of coordinates, or of the quantities.

Where it stands and what its cells hold decide: units of mass at the right of the masses are theirs, and so they are in
a table without quantities. Where both readings remain the table is refused.
"""

from __future__ import annotations

from collections.abc import Mapping

from massprops_cli.files.table import Table
from massprops_cli.findings import Finding, found
from massprops_cli.tables.cells.cell_units import is_filled
from massprops_cli.tables.cells.number_text import BLANKS
from massprops_cli.tables.columns.headings import EXACT, Heading, squeeze
from massprops_cli.tables.units.quantities import UNIT_COLUMNS, dimension_of
from massprops_cli.tables.units.unit_table import FORCE, MASS
from massprops_cli.tables.units.unit_text import unit_for

LOOKED_AT = 200
"""So many rows without a unit of mass, length or inertia make a column one of other units, unread to its end."""
OPEN_WORDS = frozenset(map(squeeze, ("unit", "units", "einheit", "einheiten", "jednostki", "单位", "単位", "단위")))
"""Headers that do not say whose unit it is; a unit of measure is that of a quantity."""


def place_unit_columns(
    table: Table, row: int, headings: Mapping[int, Heading], chosen: Mapping[str, int]
) -> tuple[dict[int, Heading], list[Finding]]:
    """Settle whose units the columns hold that are known as units of quantities; ``chosen`` has those of ``--map``."""
    result, findings = dict(headings), list[Finding]()
    quantities = {j: heading.quantity for j, heading in headings.items()} | {j: q for q, j in chosen.items()}
    for j, heading in headings.items():
        if heading.quantity != "uom" or heading.rank == EXACT:
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
        is_open = squeeze(table.text(row, j)) in OPEN_WORDS
        return "?" if whole and is_open and dimension == MASS else "uom"
    return "uom"


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
