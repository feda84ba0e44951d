"""A polygon of station against mass: whether a point lies in it, and how far it is from the edge.

Even–odd rule: a ray from a point inside crosses the edges an odd number of times. A point on an edge is inside.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from massprops_cli.budget.case import Case
from massprops_cli.budget.measures import factor, in_table
from massprops_cli.budget.verdict import Verdict
from massprops_cli.budget.wording import with_unit, words_of
from massprops_cli.tables.units.unit_table import LENGTH, MASS

Point = tuple[float, float]
"""Station and mass."""


def edges(corners: Sequence[Point]) -> list[tuple[Point, Point]]:
    """Give the edges of a polygon; the last leads back to the first corner."""
    return list(pairwise([*corners, corners[0]]))


def stations_at(corners: Sequence[Point], mass: float) -> list[float]:
    """Give where the edges are at a mass, in ascending order; nothing above and below the polygon.

    >>> stations_at([(0.0, 0.0), (4.0, 0.0), (2.0, 2.0)], 1.0)
    [1.0, 3.0]
    """
    found: set[float] = set()
    for (x0, m0), (x1, m1) in edges(corners):
        if m0 == m1 == mass:
            found |= {x0, x1}
        elif min(m0, m1) <= mass <= max(m0, m1) and m0 != m1:
            found.add(x0 + (x1 - x0) * ((mass - m0) / (m1 - m0)))
    return sorted(found)


def is_inside(corners: Sequence[Point], station: float, mass: float) -> bool:
    """Tell whether a point lies in a polygon or on its edge.

    >>> square = [(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0)]
    >>> is_inside(square, 2.0, 2.0), is_inside(square, 4.0, 1.0), is_inside(square, 4.1, 1.0)
    (True, True, False)
    """
    if station in stations_at(corners, mass):
        return True
    crossed = False
    for (x0, m0), (x1, m1) in edges(corners):
        if m0 == m1 == mass and min(x0, x1) <= station <= max(x0, x1):
            return True
        if (m0 > mass) != (m1 > mass) and station < x0 + (x1 - x0) * ((mass - m0) / (m1 - m0)):
            crossed = not crossed
    return crossed


def judge_envelope(case: Case) -> Verdict:
    """Tell whether station and mass lie in the polygon, and how far the nearest edge is along the station.

    Above and below the polygon the distance is told in mass.
    """
    limit, basis = case.limit, case.entry.basis
    asked = f"{limit.axis} and mass in an envelope of {len(limit.corners)} corners ({basis})"
    values = {name: case.here.value(case.i, name) for name in (f"C{limit.axis}", "mass")}
    station, mass = values.values()
    if station is None or mass is None:
        lacking = next(name for name, value in values.items() if value is None)
        why = case.here.why(case.i, lacking)
        return case.verdict("MP605", asked, f"{basis} {words_of(lacking)} is not known: {why}")
    (first, heavy), units = limit.corners[0], case.units
    per_length, per_mass = factor(first.unit, LENGTH, units), factor(heavy.unit, MASS, units)
    corners = [(in_table(x, LENGTH, units) / per_length, in_table(m, MASS, units) / per_mass) for x, m in limit.corners]
    station, mass = station / per_length, mass / per_mass
    point = f"{basis} mass {with_unit(mass, heavy.unit)} at {limit.axis} = {with_unit(station, first.unit)}"
    near = min(stations_at(corners, mass), key=lambda edge: abs(edge - station), default=None)
    if near is None:
        masses = [each for _, each in corners]
        end = max(masses) if mass > max(masses) else min(masses)
        far = abs(mass - end)
        message = f"{point} is {with_unit(far, heavy.unit)} outside the masses of the envelope"
        return case.verdict("MP605", asked, message, value=mass, limit=end, unit=heavy.unit, margin=-far)
    is_in, far = is_inside(corners, station, mass), abs(near - station)
    edge = f"{with_unit(far, first.unit)} from its edge at {limit.axis} = {with_unit(near, first.unit)}"
    message = f"{point} is {'inside' if is_in else 'outside'} the envelope, {edge}"
    margin = far if is_in else -far
    return case.verdict("MP605", asked, message, value=station, limit=near, unit=first.unit, margin=margin)
