"""The point that a table's inertia is about, where its headers name it."""

from __future__ import annotations

from massprops_cli.files.table import Table
from massprops_cli.findings import Finding, found
from massprops_cli.tables.columns.headers import HeaderRow
from massprops_cli.tables.columns.point_words import ORIGIN, OWN, said_about
from massprops_cli.tables.options import TableOptions
from massprops_cli.tables.units.quantities import INERTIA_COLUMNS, base_of

Point = tuple[float, float, float]
AT_ORIGIN: Point = (0.0, 0.0, 0.0)
_WORDS = {ORIGIN: "about the origin", OWN: "about the item's own centre of mass", "": "about nothing that is said"}


def stated_point(table: Table, header: HeaderRow, options: TableOptions) -> tuple[Point | None, list[Finding]]:
    """Give the point that headers of inertia name, the origin of the table's frame; None for own centres.

    It stands in for ``--inertia-about``, is said, and must agree with the option and from column to column.
    """
    named = {q: said_about(header.texts[header.columns[q]]) for q in INERTIA_COLUMNS if q in header.columns}
    about = next((point for point in named.values() if point), "")
    if not about:
        return None, []
    first = next(quantity for quantity, point in named.items() if point)
    column = header.columns[first]
    name = header.texts[column].strip()
    place = table.place(header.row, column, name)
    fault = _disagreement(header, named, about) or _against(options, about) or _with_spread(header, options, about)
    if fault:
        return None, [found("MP249", f"{name} is {_WORDS[about]}, and {fault}", place, value=name)]
    if about == OWN:
        return None, []
    message = f"{name}: inertia is read as {_WORDS[about]}, and moved to the items' own centres"
    return AT_ORIGIN, [found("MP248", message, place, value=name, count=len(named))]


def _disagreement(header: HeaderRow, named: dict[str, str], about: str) -> str:
    """Say which other column is about another point; one that says nothing is about the own centre."""
    others = [q for q, point in named.items() if point != about and (point or about != OWN)]
    return f"{header.texts[header.columns[others[0]]].strip()} is {_WORDS[named[others[0]]]}" if others else ""


def _against(options: TableOptions, about: str) -> str:
    """Say that the option names another point."""
    asked = options.inertia_about
    if options.inertia_own and about == ORIGIN:
        return "--inertia-about is own"
    if asked is None or (about == ORIGIN and not any(asked)):
        return ""
    return f"--inertia-about is {','.join(f'{x + 0.0:.12g}' for x in asked)}"


def _with_spread(header: HeaderRow, options: TableOptions, about: str) -> str:
    """Say which column states the error of such an inertia: what is in it cannot be seen."""
    if about != ORIGIN or not options.use_sigmas:
        return ""
    spreads = [q for q in header.columns if base_of(q) in INERTIA_COLUMNS and q not in INERTIA_COLUMNS]
    if not spreads:
        return ""
    name = header.texts[header.columns[spreads[0]]].strip()
    return f"whether the errors of mass and centre are in {name} cannot be seen; pass --uncertainty none"
