"""Coordinates of the centre of mass by axes: ``X``, ``Y``, ``Z`` next to a mass, if the table has no other.

The three together, with a length unit or none, are coordinates. Some of them are too, if their unit is one of length;
the others are then not given.

An arm is one coordinate: its header names it, or a column of moments is mass × arm in every row.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import product

import numpy as np

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
    heading_unit,
    is_station_heading,
    map_option,
    read_heading,
    squeeze_text,
)
from massprops_cli.tables.columns.mass_relations import RowSample
from massprops_cli.tables.words import words

_SAMPLE_ROWS = 200
"""Number of rows searched for the first coordinates."""
_NAME_AND_UNIT = lazy_pattern(r"(?P<name>.*?)\s*[\[({](?P<unit>[^\[\](){}]*)[\])}]|(?P<bare>.*?)[\s_,/]+(?P<after>\S+)")
_PLACE_WORD = lazy_pattern(
    r"[\s_]+(?:from|above|aft of|forward of|fwd of|ahead of|behind|right of|left of|ab|über|hinter|von|depuis)[\s_]",
    re.IGNORECASE,
)
"""What comes between an axis and the place that the coordinate is measured from: ``x from nose``."""
_AXIS_KIND = "axis"
"""The kind of header that is an axis alone: ``X``, ``Y``, ``Z``."""
_AXIS_NAME_TRIPLES = (("FS", "BL", "WL"), ("X", "Y", "Z"))
"""What three coordinates are called together."""


def infer_center_columns(
    table: Table, row: int, headings: Mapping[int, Heading], chosen: Mapping[str, int], findings: Findings
) -> dict[int, Heading]:
    """Read columns named by axes, or else an arm, as coordinates of the centre of mass, and report it.

    If some are missing and the others have no unit of length, or if cells are not numbers, that is reported and none is
    used.

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
    if not known & {"mass", "line_mass"} or known & set(CENTER_COLUMNS):
        return dict(headings)
    axes = _axis_columns(table, row, headings) or _station_columns(table, row, headings)
    names = ", ".join(table.text(row, j).strip() for j in axes)
    given = sorted(heading.quantity for heading in axes.values())
    has_units = len(set(given)) == len(given) and all(_has_length(table, row, j) for j in axes)
    if axes and (has_units or given == list(CENTER_COLUMNS)) and all(_has_leading_number(table, row, j) for j in axes):
        reading = "the centre of mass" if given == list(CENTER_COLUMNS) else _coordinates_text(axes)
        _report_reading(table, row, axes, f"{names} read as {reading}: {', '.join(given)}", findings)
        return {**headings, **axes}
    if not axes or (len(axes) == 1 and not has_units):  # a lone X is anything
        return {**headings, **_arm_column(table, row, headings, findings)}
    if given == list(CENTER_COLUMNS):
        maps = " ".join(map_option(table, row, j, axis) for j, axis in _axis_quantities(axes).items())
        what, remedy = (
            f"{names} resemble coordinates with cells that are not numbers",
            f"state their quantities with {maps}",
        )
    else:
        what, remedy = _incomplete_axes_message(table, row, axes, names)
    place = table.place(row, min(axes), table.text(row, min(axes)).strip())
    findings.report("MP247", f"{what}, and are not read", place, remedy=remedy)
    return dict(headings)


def _report_reading(table: Table, row: int, axes: Mapping[int, Heading], message: str, findings: Findings) -> None:
    """Report the columns that are read as coordinates, with what says so in the table or on the command line."""
    place = table.place(row, min(axes), table.text(row, min(axes)).strip())
    maps = " ".join(map_option(table, row, j, axis) for j, axis in _axis_quantities(axes).items())
    named = ", ".join(f"CG {heading.quantity[1:].upper()}" for heading in axes.values())
    remedy = f"name {'it' if len(axes) == 1 else 'them'} {named}, or pass {maps}"
    findings.report("MP246", message, place, remedy=remedy, count=len(axes))


def _coordinates_text(axes: Mapping[int, Heading]) -> str:
    return "a coordinate of the centre of mass" if len(axes) == 1 else "coordinates of the centre of mass"


def _has_length(table: Table, row: int, j: int) -> bool:
    """Return whether a header, or the cell of units below it, states a unit of length."""
    text = table.text(row, j).strip()
    below = table.text(row + 1, j).strip().strip("[](){}").strip() if row + 1 < table.n_rows else ""
    units = (_parse_axis_header(text)[2], heading_unit(text, CENTER_COLUMNS[0]), below)
    return any(unit and unit_of_dimension(unit, LENGTH, common_only=True) is not None for unit in units)


_MIN_MOMENT_ROWS = 3
"""How many rows a column of moments must hold in, with arms other than 0 and 1."""


def _arm_column(table: Table, row: int, headings: Mapping[int, Heading], findings: Findings) -> dict[int, Heading]:
    """Find the only arm: a column of lengths so called, or one for which a column of moments is mass × arm."""
    texts = table.row(row)
    free = [j for j, heading in headings.items() if not heading.quantity and texts[j].strip()]
    lengths = [j for j in free if _has_length(table, row, j) and _has_leading_number(table, row, j)]
    named = [j for j in lengths if _arm_axis(texts[j])]
    reasons = dict.fromkeys(named, "its unit is a length")
    if len(named) != 1:
        reasons = _arms_by_moments(table, row, headings, named or lengths)
    if len(reasons) != 1:
        return {}
    ((j, why),) = reasons.items()
    axes = {
        j: Heading(_arm_axis(texts[j]) or CENTER_COLUMNS[0], heading_unit(texts[j], CENTER_COLUMNS[0]), SYNONYM_MATCH)
    }
    message = f"{texts[j].strip()} read as a coordinate of the centre of mass, {axes[j].quantity}: {why}"
    _report_reading(table, row, axes, message, findings)
    return axes


def _arm_axis(text: str) -> str:
    """Return the coordinate that a header of an arm names; empty for other headers."""
    match = _NAME_AND_UNIT.fullmatch(text.strip())
    names = [text, *(name for name in (match["name"], match["bare"]) if name)] if match is not None else [text]
    return next((axis for name in names if (axis := _arm_words().get(squeeze_text(name), ""))), "")


@lru_cache(maxsize=1)
def _arm_words() -> dict[str, str]:
    """Load the headers of a lone arm: squeezed text → coordinate."""
    listed = (entry for entry in words("axes")["arm"].values())
    return {squeeze_text(text): entry["axis"] for entry in listed for text in entry["texts"]}


def _arms_by_moments(table: Table, row: int, headings: Mapping[int, Heading], lengths: Sequence[int]) -> dict[int, str]:
    """Find the columns of lengths whose products with a column of masses are a column of moments; give the reason."""
    sample = RowSample(table, row)
    masses = [j for j, heading in headings.items() if heading.quantity in ("mass", "line_mass")]
    free = [j for j, heading in headings.items() if not heading.quantity and j not in lengths and sample.is_numeric(j)]
    moments = [j for j in free if "mom" in table.text(row, j).casefold()]
    others = [j for j in free if j not in moments]
    found: dict[int, str] = {}
    for j, moment, mass in product(lengths, moments, (*masses, *others)):
        rows = _moment_rows(sample, j, moment, mass)
        if rows:
            name = [table.text(row, k).strip() for k in (moment, mass, j)]
            found.setdefault(j, f"{name[0]} is {name[1]} × {name[2]} in {rows} rows")
    return found


def _moment_rows(sample: RowSample, arm: int, moment: int, mass: int) -> int:
    """Count the rows in which moment = mass × arm within rounding; 0 unless it holds in all, three at least."""
    (arms, half_arm), (moments, half_moment), (masses, half_mass) = map(sample.numbers, (arm, moment, mass))
    known = np.isfinite(arms) & np.isfinite(moments) & np.isfinite(masses)
    rounding = half_moment + np.abs(masses) * half_arm + np.abs(arms) * half_mass
    fits = np.abs(masses * arms - moments) <= rounding * (1 + 1e-9)
    decisive = known & fits & (masses != 0) & ~np.isin(arms, (0.0, 1.0))
    return int(known.sum()) if bool(fits[known].all()) and decisive.sum() >= _MIN_MOMENT_ROWS else 0


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
    named += [(bare, unit) for name, unit in reversed(named) if (bare := _without_center_words(name))]
    named += [(_PLACE_WORD.split(name)[0], unit) for name, unit in reversed(named) if _PLACE_WORD.search(name)]
    for name, unit in named:
        kind, axis = _axis_header_words().get(squeeze_text(name), ("", ""))
        if kind:
            return kind, axis, unit
    return "", "", ""


def _without_center_words(name: str) -> str:
    """Return what follows the words for a centre in a header, ``E`` in ``Centre of gravity E``; empty without them."""
    before, _, after = name.strip().rpartition(" ")
    return after if squeeze_text(before) in _center_names() else ""


@lru_cache(maxsize=1)
def _center_names() -> frozenset[str]:
    return frozenset(map(squeeze_text, words("tuples")))


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
