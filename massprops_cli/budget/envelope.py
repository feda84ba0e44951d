"""A polygon of station against mass: whether an item lies in it, and how far it is from the edge."""

from __future__ import annotations

from massprops_cli.budget.case import Case
from massprops_cli.budget.entries import Limit
from massprops_cli.budget.measures import factor, in_table
from massprops_cli.budget.verdict import Verdict
from massprops_cli.budget.wording import with_unit, words_of
from massprops_cli.rollup.normal.polygon import Point, abscissas_at, is_inside
from massprops_cli.tables.units.unit_table import LENGTH, MASS


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
    first, heavy = limit.corners[0]
    per_length, per_mass = factor(first.unit, LENGTH, case.units), factor(heavy.unit, MASS, case.units)
    corners = [(x / per_length, m / per_mass) for x, m in corners_of(case, limit)]
    station, mass = station / per_length, mass / per_mass
    point = f"{basis} mass {with_unit(mass, heavy.unit)} at {limit.axis} = {with_unit(station, first.unit)}"
    near = min(abscissas_at(corners, mass), key=lambda edge: abs(edge - station), default=None)
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


def corners_of(case: Case, limit: Limit) -> list[Point]:
    """Give the corners of an envelope in the table's units."""
    return [(in_table(x, LENGTH, case.units), in_table(m, MASS, case.units)) for x, m in limit.corners]
