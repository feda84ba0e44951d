"""Columns called ``X``, ``Y``, ``Z`` beside a mass: the centre, where nothing else in the table is.

Alone each of them may be anything; the three together, with a length unit or none, beside a mass, are where it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from massprops_cli.files.table import Table
from massprops_cli.findings import Finding, found
from massprops_cli.tables.cells.cell_units import is_filled
from massprops_cli.tables.cells.number_text import is_number
from massprops_cli.tables.columns.headings import SYNONYM, Heading, is_station, read_heading
from massprops_cli.tables.units.quantities import CENTER_COLUMNS
from massprops_cli.tables.units.unit_table import LENGTH
from massprops_cli.tables.units.unit_text import unit_for

LOOKED_AT = 200
"""So many rows are searched for the first coordinates."""
_NAME = re.compile(r"(?P<axis>[xyz])(?:\s*[\[({](?P<unit>[^\[\](){}]*)[\])}]|[\s_,/]+(?P<after>\S+))?", re.IGNORECASE)
_AXES = dict(zip("xyz", CENTER_COLUMNS, strict=True))


def place_coordinates(
    table: Table, row: int, headings: Mapping[int, Heading], chosen: Mapping[str, int]
) -> tuple[dict[int, Heading], list[Finding]]:
    """Take three columns called by their axes for the centre, and say so; ``chosen`` has the columns of ``--map``.

    Where they look like a centre and one lacks, or their cells are no numbers, that is said and nothing is taken.
    """
    known = {heading.quantity for heading in headings.values()} | set(chosen)
    axes = axes_of(table, row, headings) or stations_of(table, row, headings)
    if not axes or not known & {"mass", "line_mass"} or known & set(CENTER_COLUMNS):
        return dict(headings), []
    names = ", ".join(table.text(row, j).strip() for j in axes)
    place = table.place(row, min(axes), table.text(row, min(axes)).strip())
    whole = sorted(heading.quantity for heading in axes.values()) == list(CENTER_COLUMNS)
    if whole and all(holds_numbers(table, row, j) for j in axes):
        message = (
            f"{names} {'are' if len(axes) > 1 else 'is'} taken for the centre of mass, {', '.join(CENTER_COLUMNS)}"
        )
        return {**headings, **axes}, [found("MP246", message, place, count=len(axes))]
    if len(axes) == 1 and not any(heading.unit for heading in axes.values()):
        return dict(headings), []  # a lone X is anything
    why = "whose cells are not all numbers" if whole else "with an axis missing or there twice"
    maps = " ".join(f'--map {axis}="{table.text(row, j).strip()}"' for j, axis in map_of(axes).items())
    remedy = f"say what they are with {maps}" if whole else f"add the other coordinates, or name them with {maps} …"
    return dict(headings), [
        found("MP247", f"{names} look like coordinates, {why}, and are not read", place, remedy=remedy)
    ]


def map_of(axes: Mapping[int, Heading]) -> dict[int, str]:
    """Give each column's coordinate."""
    return {j: heading.quantity for j, heading in axes.items()}


def axes_of(table: Table, row: int, headings: Mapping[int, Heading]) -> dict[int, Heading]:
    """Find the columns that are called by an axis and a unit of length, or none, in the header and below it."""
    axes = {}
    for j, heading in headings.items():
        match = _NAME.fullmatch(table.text(row, j).strip())
        if heading.quantity or match is None:
            continue
        unit = (match["unit"] or match["after"] or "").strip()
        below = table.text(row + 1, j).strip() if row + 1 < table.n_rows else ""
        in_row = "" if is_number(below) or not is_filled(below) else below
        if all(unit_for(text, LENGTH, common_only=True) is not None for text in (unit, in_row) if text):
            axes[j] = Heading(_AXES[match["axis"].lower()], unit, SYNONYM)
    return axes


def stations_of(table: Table, row: int, headings: Mapping[int, Heading]) -> dict[int, Heading]:
    """Find the columns FS, BL and WL that are not read, because not all three stand in the table."""
    unread = {j: table.text(row, j) for j, heading in headings.items() if not heading.quantity}
    named = {j: (text, read_heading(text)) for j, text in unread.items()}
    return {j: heading for j, (text, heading) in named.items() if is_station(text, heading)}


def holds_numbers(table: Table, row: int, j: int) -> bool:
    """Tell whether the first cell below a header that holds something, a unit apart, is a number."""
    rows = range(row + 1, min(table.n_rows, row + 1 + LOOKED_AT))
    texts = (table.text(i, j).strip() for i in rows)
    filled = (text for text in texts if is_filled(text) and unit_for(text, LENGTH, common_only=True) is None)
    first = next(filled, "")
    return is_number(first) or is_number(first.replace(",", "."))
