"""Coordinates of the centre of mass by axes: ``X``, ``Y``, ``Z`` next to a mass, if the table has no other.

The three together, with a length unit or none, are coordinates. Some of them are too, if their unit is one of length;
the others are then not given.

An arm is one coordinate: its header names it, or a column of moments is mass × arm in every row.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from massprops_cli._patterns import lazy_pattern
from massprops_cli.files import Table
from massprops_cli.findings import Findings
from massprops_cli.tables.cells import (
    CENTER_COLUMNS,
    LENGTH,
    is_filled_text,
    is_number,
    unit_of_dimension,
)
from massprops_cli.tables.columns.headings import (
    SYNONYM_MATCH,
    Heading,
    is_station_heading,
    map_option,
    read_heading,
    squeeze_text,
)
from massprops_cli.tables.words import words

_SAMPLE_ROWS = 200
"""Number of rows searched for the first coordinates."""
_NAME_AND_UNIT = lazy_pattern(r"(?P<name>.*?)\s*[\[({](?P<unit>[^\[\](){}]*)[\])}]|(?P<bare>.*?)[\s_,/]+(?P<after>\S+)")
_AXIS_KIND = "axis"
"""The kind of header that is an axis alone: ``X``, ``Y``, ``Z``."""
_AXIS_NAME_TRIPLES = (("FS", "BL", "WL"), ("X", "Y", "Z"))
"""What three coordinates are called together."""


def infer_center_columns(
    table: Table, row: int, headings: Mapping[int, Heading], chosen: Mapping[str, int], findings: Findings
) -> dict[int, Heading]:
    """Read three columns named by axes as the centre of mass, and report it.

    If one is missing, or cells are not numbers, that is reported and none is used.

    Parameters
    ----------
    table : Table
        Table as the file has it.
    row : int
        Row of the header, from 0.
    headings : mapping of int to Heading
        Column → its heading.
    chosen : mapping of str to int
        Quantity → column, as named by ``--map``.
    findings : Findings
        Collector; findings are appended.

    Returns
    -------
    dict of int to Heading
        Headings, with the coordinates added.
    """
    known = {heading.quantity for heading in headings.values()} | set(chosen)
    axes = _axis_columns(table, row, headings) or _station_columns(table, row, headings)
    if not axes or not known & {"mass", "line_mass"} or known & set(CENTER_COLUMNS):
        return dict(headings)
    names = ", ".join(table.text(row, j).strip() for j in axes)
    place = table.place(row, min(axes), table.text(row, min(axes)).strip())
    whole = sorted(heading.quantity for heading in axes.values()) == list(CENTER_COLUMNS)
    if whole and all(_has_leading_number(table, row, j) for j in axes):
        message = f"{names} read as the centre of mass: {', '.join(CENTER_COLUMNS)}"
        maps = " ".join(map_option(table, row, j, axis) for j, axis in _axis_quantities(axes).items())
        remedy = f"name them CG X, CG Y, CG Z, or pass {maps}"
        findings.report("MP246", message, place, remedy=remedy, count=len(axes))
        return {**headings, **axes}
    if len(axes) == 1 and not any(heading.unit for heading in axes.values()):
        return dict(headings)  # a lone X is anything
    if whole:
        maps = " ".join(map_option(table, row, j, axis) for j, axis in _axis_quantities(axes).items())
        what, remedy = (
            f"{names} resemble coordinates with cells that are not numbers",
            f"state their quantities with {maps}",
        )
    else:
        what, remedy = _incomplete_axes_message(table, row, axes, names)
    findings.report("MP247", f"{what}, and are not read", place, remedy=remedy)
    return dict(headings)


def _incomplete_axes_message(table: Table, row: int, axes: Mapping[int, Heading], names: str) -> tuple[str, str]:
    """Report which of three coordinates has no column, or several, and what to do."""
    given = [heading.quantity for heading in axes.values()]
    twice = [axis for axis in CENTER_COLUMNS if given.count(axis) > 1]
    if twice:
        return (
            f"{names} resemble coordinates with several columns for one axis ({', '.join(twice)})",
            "rename all but one column of each axis",
        )
    first = squeeze_text(re.split(r"[\s\[({_,/]", table.text(row, min(axes)).strip())[0])
    together = next((names for names in _AXIS_NAME_TRIPLES if first.upper() in names), CENTER_COLUMNS)
    usual = dict(zip(CENTER_COLUMNS, together, strict=True))
    missing = [usual[axis] for axis in CENTER_COLUMNS if axis not in given]
    unit = next((f" [{heading.unit}]" for heading in axes.values() if heading.unit), "")
    columns = " and ".join(f"{name}{unit}" for name in missing)
    verb = "resemble" if len(axes) > 1 else "resembles"
    return (
        f"{names} {verb} coordinates without {' and '.join(missing)}",
        f"add {columns}, with 0 where the coordinate is 0",
    )


def _axis_quantities(axes: Mapping[int, Heading]) -> dict[int, str]:
    """Return each column's coordinate."""
    return {j: heading.quantity for j, heading in axes.items()}


def _axis_columns(table: Table, row: int, headings: Mapping[int, Heading]) -> dict[int, Heading]:
    """Find the columns that are called by an axis and a unit of length, or none, in the header and below it."""
    # headers of one kind go together (``Xg``, ``Yg``, ``Zg``); a kind with all three axes comes first
    kinds: dict[str, dict[int, Heading]] = {}
    for j, heading in headings.items():
        kind, axis, unit = _parse_axis_header(table.text(row, j).strip())
        if heading.quantity or not kind:
            continue
        below = table.text(row + 1, j).strip() if row + 1 < table.n_rows else ""
        in_row = "" if is_number(below) or not is_filled_text(below) else below
        if all(unit_of_dimension(text, LENGTH, common_only=True) is not None for text in (unit, in_row) if text):
            kinds.setdefault(kind, {})[j] = Heading(axis, unit, SYNONYM_MATCH)
    whole = [axes for axes in kinds.values() if sorted(_axis_quantities(axes).values()) == list(CENTER_COLUMNS)]
    if whole:
        return whole[0]
    return max((axes for kind, axes in kinds.items() if kind == _AXIS_KIND or len(axes) > 1), key=len, default={})


def _parse_axis_header(text: str) -> tuple[str, str, str]:
    """Parse a header of one coordinate: kind, coordinate and unit; three empty texts for other headers."""
    match = _NAME_AND_UNIT.fullmatch(text)
    named = [(text, "")]
    if match is not None:
        name, unit = (match["name"], match["unit"]) if match["unit"] is not None else (match["bare"], match["after"])
        named.append((name, unit.strip()))
    for name, unit in named:
        kind, axis = _axis_header_words().get(squeeze_text(name), ("", ""))
        if kind:
            return kind, axis, unit
    return "", "", ""


@lru_cache(maxsize=1)
def _axis_header_words() -> dict[str, tuple[str, str]]:
    """Load the headers of coordinates that are read three together: squeezed text → kind and coordinate."""
    names = {axis: (_AXIS_KIND, coordinate) for axis, coordinate in zip("xyz", CENTER_COLUMNS, strict=True)}
    for entry in words("axes")["mark"].values():
        for mark in map(squeeze_text, entry["texts"]):
            for axis, coordinate in zip("xyz", CENTER_COLUMNS, strict=True):
                names.setdefault(f"{axis}{mark}", (mark, coordinate))
                if len(mark) > 1:
                    names.setdefault(f"{mark}{axis}", (mark, coordinate))
    for kind, entry in words("axes")["triple"].items():
        for text, coordinate in zip(entry["texts"], CENTER_COLUMNS, strict=True):
            names.setdefault(squeeze_text(text), (kind, coordinate))
    return names


def _station_columns(table: Table, row: int, headings: Mapping[int, Heading]) -> dict[int, Heading]:
    """Find the columns FS, BL and WL that are not read, because not all three are in the table."""
    unread = {j: table.text(row, j) for j, heading in headings.items() if not heading.quantity}
    named = {j: (text, read_heading(text)) for j, text in unread.items()}
    return {j: heading for j, (text, heading) in named.items() if is_station_heading(text, heading)}


def _has_leading_number(table: Table, row: int, j: int) -> bool:
    """Return whether the first filled cell below a header, without its unit, is a number."""
    rows = range(row + 1, min(table.n_rows, row + 1 + _SAMPLE_ROWS))
    texts = (table.text(i, j).strip() for i in rows)
    filled = (
        text for text in texts if is_filled_text(text) and unit_of_dimension(text, LENGTH, common_only=True) is None
    )
    first = next(filled, "")
    return is_number(first) or is_number(first.replace(",", "."))
