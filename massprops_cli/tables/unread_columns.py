"""Columns of numbers that are not read: one note, with an example and the quantity each could be mapped to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from massprops_cli.files.table import Table
from massprops_cli.findings import Finding, found
from massprops_cli.tables.column_places import address_of, first_number
from massprops_cli.tables.columns import Columns
from massprops_cli.tables.headings import read_heading, stated_unit
from massprops_cli.tables.quantities import OWN_OUTPUT
from massprops_cli.tables.unit_text import INERTIA, LENGTH, MASS, unit_for

MOST_NAMED = 12
"""How many columns the note names."""
REPORTED = frozenset(("MP225", "MP247", "MP253", "MP254", "MP260"))
"""Rules whose findings name the column that is not read, with its own remedy."""

_ABOUT = (
    (r"σ|sigma|±|\+/-|std\.?\s*dev|uncert|toleran|unsicherheit|incertitude", "sigma_mass"),
    (r"margin|marge|contingen|growth|\bmga\b|\bdmm\b|allowance", "mga"),
    (r"gyration", "kx"),
    (r"inertia|\bmoi\b|trägheit|\bj[xyz]{1,2}\b|\bi[xyz]{1,2}\b|\bl[xyz]{2}\b", "Ixx"),
    (r"\b(?:c[og]?g|cog|com|center|centre|schwerpunkt|lcg|tcg|vcg|arm|station)\b|\b[cx]?[xyz]\b|\bc[og]*[xyz]\b", "Cx"),
    (r"\b(?:qty|quantity|count|pcs|pieces|units|anzahl|menge|stück|nombre|quantité|cantidad|quantità)\b", "qty"),
    (r"mass|weight|gewicht|\bwt\b|poids|peso|вес|масс|質量|重量|무게|중량", "mass"),
    (r"\blevel\b|ebene|niveau", "level"),
)
"""What a header speaks of, and the quantity that it could be; the first that fits."""
_UNITS = (("mass", MASS), ("Cx", LENGTH), ("Ixx", INERTIA))


def unread_number_columns(
    table: Table, columns: Columns, said: Sequence[Finding], known: Iterable[int] = ()
) -> list[Finding]:
    """List the columns of numbers that are not read in one note; those that a finding in ``said`` names are left out.

    Columns that a roll-up wrote, those that number the rows, and those ``known`` for what they are, are none.
    """
    named = {finding.place.column for finding in said if finding.rule in REPORTED}
    named |= {finding.place.column for finding in said if finding.rule == "MP202" and finding.severity.value == "error"}
    read = {column.index for column in columns.by_quantity.values()} | set(known)
    read |= {column.by_row.index for column in columns.by_quantity.values() if column.by_row is not None}
    taken = {name: column.header for name, column in columns.by_quantity.items()}
    listed = []
    for j, text in enumerate(columns.header):
        if j in read or text in named or text.strip().startswith(OWN_OUTPUT):
            continue
        example = first_number(table, j, columns.first_row)
        if example:
            listed.append((j, text.strip(), example, nearest_quantity(text)))
    if not listed:
        return []
    parts = []
    for j, text, example, quantity in listed[:MOST_NAMED]:
        name = text if columns.header.count(columns.header[j]) == 1 else ""
        name = name or address_of(table, columns.header_row, j)
        parts.append(f"{name} ({example}{quantity and _option(name, quantity, taken)})")
    more = f" and {len(listed) - MOST_NAMED} more" if len(listed) > MOST_NAMED else ""
    what = "a column of numbers is not read" if len(listed) == 1 else "columns of numbers are not read"
    places = [table.place(columns.header_row, j, text) for j, text, _, _ in listed]
    message = f"{what}: {', '.join(parts)}{more}"
    return [found("MP271", message, places[0], count=len(listed), related=tuple(places[1:]))]


def _option(name: str, quantity: str, taken: Mapping[str, str]) -> str:
    """Write the option that reads a column as a quantity, and the column that it takes the place of."""
    quoted = f'"{name}"' if re.search(r"[^\w:.%-]", name) else name
    instead = f" instead of {taken[quantity]}" if quantity in taken else ""
    return f"; --map {quantity}={quoted}{instead}"


def nearest_quantity(text: str) -> str:
    """Give the quantity that a header of numbers could be mapped to; nothing where none is near.

    >>> [nearest_quantity(text) for text in ("Mass CBE", "Margin [%]", "Izz about O", "Foo [kg]", "Price [€]", "CG Y")]
    ['mass', 'mga', 'Izz', 'mass', '', 'Cy']
    """
    known = read_heading(text).quantity
    if known:
        return known
    bare = text.strip().replace("_", " ").casefold()
    fitting = [quantity for form, quantity in _ABOUT if re.search(form, bare)]
    about = fitting[0] if fitting else ""
    if about == "mga" and (unit := stated_unit(text, "mass")) and unit_for(unit, MASS):
        return "mass" if "mass" in fitting else ""  # an amount of margin is no share
    if about in ("Cx", "Ixx", "kx"):
        return _on_axis(bare, about)
    return about or next(
        (name for name, dimension in _UNITS if (unit := stated_unit(text, name)) and unit_for(unit, dimension)), ""
    )


def _on_axis(bare: str, quantity: str) -> str:
    """Give the quantity about, or along, the axis that a header names."""
    size = 2 if quantity == "Ixx" else 1
    axes = re.findall(rf"(?<![a-z])(?:cg|cog|com|c|i|j|l|k)?([xyz]{{{size}}}|[xyz])(?![a-z])", bare)
    if not axes:
        ships = {"lcg": "Cx", "tcg": "Cy", "vcg": "Cz"}
        return next((name for word, name in ships.items() if word in bare), quantity)
    axis = axes[0] if len(axes[0]) == size else axes[0] * size
    return quantity[0] + "".join(sorted(axis))
