"""Columns of numbers that are not read: one note, with an example and the quantity each could be mapped to.

Whole commands that name columns where none is known as the mass, or as the name of the items.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from massprops_cli.files.table import Table
from massprops_cli.findings.finding import Finding, name_list, rule_finding
from massprops_cli.tables.cells.number_text import read_number
from massprops_cli.tables.cells.unit_text import INERTIA, LENGTH, MASS, unit_of_dimension
from massprops_cli.tables.cells.units import OUTPUT_PREFIXES
from massprops_cli.tables.columns.columns import TableColumns
from massprops_cli.tables.columns.header import first_number
from massprops_cli.tables.columns.headings import (
    IDENTIFYING_QUANTITIES,
    column_command_name,
    heading_unit,
    map_option,
    read_heading,
)
from massprops_cli.tables.columns.implied_columns import coordinate_of_header, likely_mass_columns, likely_name_columns
from massprops_cli.tables.options import TableOptions

_MAX_COMMANDS = 3
"""Maximum number of commands listed."""


def mapping_commands(table: Table, columns: TableColumns, options: TableOptions) -> str:
    """Write the commands that read the likeliest columns as the masses, each with its reason.

    Where no column names the items, each command names one for them too. The options given so far are kept.
    """
    read = {column.index for column in columns.by_quantity.values()}
    masses = likely_mass_columns(table, columns.header_row, read)
    if "mass" in columns.by_quantity:
        masses = [(columns.by_quantity["mass"].index, "")]
    names: list[int] = []
    known = set(columns.by_quantity)
    item = "name" if "parent" not in known else "id"
    if not (IDENTIFYING_QUANTITIES - {"parent"}) & known:
        names = likely_name_columns(table, columns.header_row, read)
        if not names:
            return ""
    offered = []
    for j, why in masses[:_MAX_COMMANDS]:
        texts = {k: column_command_name(table, columns.header_row, k, columns.header[k]) for k in (j, *names[:1])}
        maps = [f"{item}={texts[names[0]]}"] if names else []
        maps += [f"mass={texts[j]}"] if why else []
        reason = f" ({texts[j]}: {why})" if why else ""
        words = [word for text in maps for word in ("--map", text)]
        offered.append(options.command_line(table.source, *words) + reason)
    return ", or ".join(offered)


_MAX_NAMED_COLUMNS = 12
"""How many columns the note names."""
_REPORTED_RULES = frozenset(("MP225", "MP247", "MP253", "MP254", "MP260"))
"""Rules whose findings name the column that is not read, with its own remedy."""

_HEADER_QUANTITIES = (
    (r"σ|sigma|±|\+/-|std\.?\s*dev|uncert|toleran|unsicherheit|incertitude", "sigma_mass"),
    (r"margin|marge|contingen|growth|\bmga\b|\bdmm\b|allowance", "mga"),
    (r"gyration", "kx"),
    (r"inertia|\bmoi\b|trägheit|\bj[xyz]{1,2}\b|\bi[xyz]{1,2}\b|\bl[xyz]{2}\b", "Ixx"),
    (r"\b(?:c[og]?g|cog|com|center|centre|schwerpunkt|lcg|tcg|vcg|arm|station)\b|\b[cx]?[xyz]\b|\bc[og]*[xyz]\b", "Cx"),
    (r"\b(?:qty|quantity|count|pcs|pieces|units|anzahl|menge|stück|nombre|quantité|cantidad|quantità)\b", "qty"),
    (r"mass|weight|gewicht|\bwt\b|poids|peso|вес|масс|質量|重量|무게|중량", "mass"),
    (r"\blevel\b|ebene|niveau", "level"),
)
"""Words in a header, and the quantity that it could be; the first that fits is used."""
_DIMENSION_QUANTITIES = (("mass", MASS), ("Cx", LENGTH), ("Ixx", INERTIA))


def unread_number_findings(
    table: Table, columns: TableColumns, reported: Sequence[Finding], known: Iterable[int] = ()
) -> list[Finding]:
    """List the columns of numbers that are not read, in one note.

    Columns that a roll-up wrote, and those that number the rows, are left out.
    """
    named = {finding.place.column for finding in reported if finding.rule in _REPORTED_RULES}
    named |= {
        finding.place.column for finding in reported if finding.rule == "MP202" and finding.severity.value == "error"
    }
    read = {column.index for column in columns.by_quantity.values()} | set(known)
    read |= {column.by_row.index for column in columns.by_quantity.values() if column.by_row is not None}
    taken = {name: column.header for name, column in columns.by_quantity.items()}
    listed = []
    for j, text in enumerate(columns.header):
        if j in read or text in named or text.strip().startswith(OUTPUT_PREFIXES):
            continue
        example = first_number(table, j, columns.first_row)
        if example:
            listed.append((j, text.strip(), example, nearest_quantity(text)))
    if not listed:
        return []
    spreads = [one for one in listed if one[3].startswith("sigma_")]
    groups = ([one for one in listed if one not in spreads], spreads)
    return [_unread_columns_finding(table, columns, group, taken) for group in groups if group]


def _unread_columns_finding(
    table: Table, columns: TableColumns, listed: Sequence[tuple[int, str, str, str]], taken: Mapping[str, str]
) -> Finding:
    """Report columns, each with header, first number and quantity; spreads with the option for their level."""
    parts = []
    maps: dict[str, str] = {}
    for j, text, example, quantity in listed[:_MAX_NAMED_COLUMNS]:
        name = column_command_name(table, columns.header_row, j, text)
        parts.append(f"{name} ({example}{quantity and _map_option(name, quantity, taken)})")
        if quantity.startswith("sigma_"):
            maps.setdefault(quantity, f"--map {quantity}={shlex.quote(name)}")
    what = "numeric column is not read" if len(listed) == 1 else "numeric columns are not read"
    places = [table.place(columns.header_row, j, text) for j, text, _, _ in listed]
    message = f"{what}: {name_list(parts, _MAX_NAMED_COLUMNS, count=len(listed))}"
    return rule_finding(
        "MP271", message, places[0], count=len(listed), related=tuple(places[1:]), remedy=_spread_remedy(maps)
    )


def _spread_remedy(maps: Mapping[str, str]) -> str | None:
    """Offer the options that read spreads as sigmas, by quantity; None without spreads."""
    if not maps:
        return None
    bounded = next(iter(maps)).removeprefix("sigma_")
    return (
        f"pass {' '.join(maps.values())} --sigmas-are 1 if the numbers are one standard deviation (2 and 3 likewise); "
        f"write limits in columns {bounded}_min and {bounded}_max"
    )


def _map_option(name: str, quantity: str, taken: Mapping[str, str]) -> str:
    """Write the option that reads a column as a quantity, and the column that it takes the place of."""
    quoted = shlex.quote(name)
    instead = f" instead of {taken[quantity]}" if quantity in taken else ""
    return f"; --map {quantity}={quoted}{instead}"


def nearest_quantity(text: str) -> str:
    """Find the quantity that a header of numbers could be mapped to."""
    known = read_heading(text).quantity
    if known:
        return known
    bare = text.strip().replace("_", " ").casefold()
    fitting = [quantity for form, quantity in _HEADER_QUANTITIES if re.search(form, bare)]
    about = fitting[0] if fitting else ""
    if about == "sigma_mass":
        axis = next((quantity for quantity in fitting[1:] if quantity in ("Cx", "Ixx")), "")
        return f"sigma_{_quantity_on_axis(bare, axis)}" if axis else about
    if about == "mga" and (unit := heading_unit(text, "mass")) and unit_of_dimension(unit, MASS):
        return "mass" if "mass" in fitting else ""  # an amount of margin is not a share
    if about in ("Cx", "Ixx", "kx"):
        return _quantity_on_axis(bare, about)
    if not about and (axis := coordinate_of_header(text)):
        return axis
    return about or next(
        (
            name
            for name, dimension in _DIMENSION_QUANTITIES
            if (unit := heading_unit(text, name)) and unit_of_dimension(unit, dimension)
        ),
        "",
    )


def _quantity_on_axis(bare: str, quantity: str) -> str:
    """Choose the quantity about, or along, the axis that a header names."""
    size = 2 if quantity == "Ixx" else 1
    axes = re.findall(rf"(?<![a-z])(?:cg|cog|com|c|i|j|l|k)?([xyz]{{{size}}}|[xyz])(?![a-z])", bare)
    if not axes:
        ships = {"lcg": "Cx", "tcg": "Cy", "vcg": "Cz"}
        return next((name for word, name in ships.items() if word in bare), quantity)
    axis = axes[0] if len(axes[0]) == size else axes[0] * size
    return quantity[0] + "".join(sorted(axis))


_ITEM_NUMBER = re.compile(r"\d+(\.\d+)*\.?")  # 1.2.10
_MOST_LEVELS = 30
"""Highest number that is read as a level."""


def layout_map_options(layout: str, table: Table, columns: TableColumns) -> str:
    """Write the options that name the columns of a layout."""
    cells = {j: _column_cells(table, columns, j) for j in range(len(columns.header))}
    chosen = next(_fitting_columns(layout, {j: texts for j, texts in cells.items() if any(texts)}), {})
    row = columns.header_row
    return " ".join(map_option(table, row, j, quantity, columns.header[j]) for quantity, j in chosen.items())


def _column_cells(table: Table, columns: TableColumns, j: int) -> list[str]:
    """Read the trimmed cells of a column from the first row of data on."""
    return [text.strip() for text in table.texts(j, columns.first_row)]


def _fitting_columns(layout: str, cells: dict[int, list[str]]) -> Iterator[dict[str, int]]:
    """Return columns by quantity, those on the left first."""
    if layout in ("parent", "edges"):
        item = "id" if layout == "parent" else "child"
        for j, names in cells.items():
            for k, over in cells.items():
                if j != k and _are_parents(over, names, is_list=layout == "parent"):
                    yield {item: j, "parent": k}
        return
    for j, texts in cells.items():
        filled = [text for text in texts if text]
        if layout == "dotted" and all(map(_ITEM_NUMBER.fullmatch, filled)) and any("." in text for text in filled):
            yield {"item": j}
        elif layout == "level" and _are_levels(filled):
            yield {"level": j}
        elif layout in ("flat", "indented") and all(read_number(text) is None for text in filled):
            yield {"id" if layout == "flat" else "name": j}


def _are_parents(parents: list[str], names: list[str], *, is_list: bool) -> bool:
    """Return whether one column names items of the other; in a list every item is once, and the top has none."""
    known, filled = set(names) - {""}, [text for text in parents if text]
    if not filled or (is_list and (len(known) < len(names) or len(filled) == len(parents))):
        return False
    inner = set(filled) & known if is_list else set(filled) - known
    return bool(set(filled) & known) and (inner == set(filled) if is_list else len(inner) == 1)


def _are_levels(texts: list[str]) -> bool:
    """Return whether texts are levels of a tree: whole numbers, none more than one above the number before."""
    levels = [int(text) if text.isdigit() else -1 for text in texts]
    steps = pairwise(levels)
    return bool(levels) and min(levels) >= 0 and max(levels) < _MOST_LEVELS and all(b <= a + 1 for a, b in steps)
