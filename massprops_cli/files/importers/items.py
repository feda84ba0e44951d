"""What a report says of one item, and the table that such items make.

A report is turned into a table with the canonical headers, in kilograms and metres, so that everything behind it is the
same as for a table that a person typed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from massprops_cli.files.grid import GridTable, Value
from massprops_cli.files.table import Source
from massprops_cli.findings import Place

POUND = 0.45359237
"""Kilograms; exact by definition (NIST SP 811, appendix B)."""
INCH, FOOT = 0.0254, 0.3048
"""Metres; exact by definition."""
SLUG = POUND * 9.80665 / FOOT
"""Kilograms: the mass that a pound-force speeds up by one foot per second squared."""

_CENTRE = ("Cx [m]", "Cy [m]", "Cz [m]")
_INERTIA = tuple(f"I{axes} [kg*m^2]" for axes in ("xx", "yy", "zz", "xy", "xz", "yz"))
Centre = tuple[float | None, float | None, float | None]
Inertia = tuple[float, float, float, float, float, float]


@dataclass(frozen=True, slots=True)
class Item:
    """One row to be: ``mass`` in kg, ``centre`` in m, ``inertia`` in kg·m² about the item's own centre of mass.

    ``inertia`` is Ixx, Iyy, Izz, Ixy, Ixz, Iyz, its products in the sign ``poi`` (``-`` for tensor entries, ``+`` for
    the integrals). ``line`` is where the report speaks of the item. None is what the report does not say.
    """

    id: str
    parent: str
    line: int
    mass: float | None = None
    centre: Centre | None = None
    inertia: Inertia | None = None
    poi: str = ""
    point: bool | None = None


class ReportTable(GridTable):
    """Row 0 holds the headers; row ``i`` stands for an item, found again by its line in the report."""

    def place(self, i: int, j: int | None = None, column: str = "") -> Place:
        """Give the line of the report that speaks of the row."""
        return Place(self.source.name, row=i + 1, column=column, line=self.lines[i] if self.lines else None)


def table_of(source: Source, items: Sequence[Item]) -> ReportTable:
    """Make the table of a report's items; what no item states has no column.

    >>> items = [Item("plane", "", 1), Item("wing", "plane", 2, mass=12.5)]
    >>> [table_of(Source("plane.xml", "jsbsim"), items).row(i) for i in range(3)]
    [['id', 'parent', 'mass [kg]'], ['plane', '', ''], ['wing', 'plane', '12.5']]
    """
    header: list[Value] = ["id", "parent", "mass [kg]"]
    with_centre = any(item.centre for item in items)
    with_inertia = any(item.inertia for item in items)
    with_point = any(item.point is not None for item in items)
    # where no sign is known there is no column, so that --poi can say it
    with_sign = any(item.poi for item in items)
    header += [*_CENTRE] * with_centre + [*_INERTIA] * with_inertia + ["POIconv"] * with_sign + ["Ipoint"] * with_point
    rows = [header]
    for item in items:
        row: list[Value] = [item.id, item.parent, item.mass]
        row += [*(item.centre or [None] * 3)] * with_centre
        row += [*(item.inertia or [None] * 6)] * with_inertia
        rows.append(row + [item.poi] * with_sign + [item.point] * with_point)
    return ReportTable(source, rows, lines=[1, *(item.line for item in items)])


def told_apart(names: Iterable[str]) -> list[str]:
    """Make names that stand twice differ, as ids must; the first keeps its name.

    >>> told_apart(["pilot", "bag", "pilot", ""])
    ['pilot', 'bag', 'pilot (2)', 'item 4']
    """
    taken: set[str] = set()
    ids = []
    for k, name in enumerate(names, 1):
        bare = " ".join(name.split()) or f"item {k}"
        unique, n = bare, 1
        while unique in taken:
            n += 1
            unique = f"{bare} ({n})"
        taken.add(unique)
        ids.append(unique)
    return ids
