"""Columns that say to which side a coordinate is, ``P`` or ``S`` beside TCG: signs in words, which are not read."""

from __future__ import annotations

from functools import lru_cache

from massprops_cli.files.table import Table
from massprops_cli.findings import Finding, found
from massprops_cli.tables.columns.headers import HeaderRow
from massprops_cli.tables.units.quantities import CENTER_COLUMNS
from massprops_cli.tables.words import words

LOOKED_AT = 200
"""A column whose first so many rows hold anything else holds no sides, and is not read to its end."""


@lru_cache(maxsize=1)
def side_words() -> dict[str, frozenset[str]]:
    """Load the words for the sides of each coordinate, in small letters and without points."""
    return {entry["of"]: frozenset(map(side_of, entry["texts"])) for entry in words("sides")["side"]}


def refused_sides(table: Table, header: HeaderRow) -> list[Finding]:
    """Refuse coordinates that have their sides in the column at their right, where these differ from row to row.

    All on one side is no matter: the axis points there.
    """
    read = set(header.columns.values())
    findings = []
    for name in CENTER_COLUMNS:
        beside = header.columns.get(name, len(header.texts)) + 1
        if beside in read or beside >= len(header.texts) or not tells_sides(table, beside, header.row + 1, name):
            continue
        column, side = (
            header.texts[header.columns[name]].strip(),
            header.texts[beside].strip() or f"column {beside + 1}",
        )
        message = f"{side} says to which side each {column} is, and is not read as a sign"
        place = table.place(header.row, beside, header.texts[beside])
        findings.append(found("MP260", message, place, value=side))
    return findings


def tells_sides(table: Table, column: int, first: int, name: str) -> bool:
    """Tell whether a column holds words for the sides of a coordinate, two at least, and nothing else."""
    head = {side_of(table.text(i, column)) for i in range(first, min(table.n_rows, first + LOOKED_AT))} - {""}
    if not head or not head <= side_words()[name]:
        return False
    told = {side_of(text) for text in set(table.texts(column, first))} - {""}
    return len(told) > 1 and told <= side_words()[name]


def side_of(text: str) -> str:
    """Give a cell in the form in which sides are compared.

    >>> side_of(" Stbd. ")
    'stbd'
    """
    return text.strip().casefold().strip(".")
