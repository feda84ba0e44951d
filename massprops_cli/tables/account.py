"""The account of a table: no column of numbers next to the masses is left out without a word."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import permutations
from typing import NamedTuple

from massprops_cli.files.table import Table
from massprops_cli.findings.finding import Finding, name_list, rule_finding
from massprops_cli.tables.cells.units import INERTIA, LENGTH, MASS, unit_of_dimension
from massprops_cli.tables.columns import headings, implied_columns
from massprops_cli.tables.columns.columns import TableColumns
from massprops_cli.tables.columns.header import first_number
from massprops_cli.tables.columns.inferred_columns import likely_name_columns
from massprops_cli.tables.columns.mass_headings import (
    is_margin_heading,
    limit_subject,
    names_other_number,
    separate_words,
)
from massprops_cli.tables.options import TEXT_QUANTITIES, TableOptions, is_output_heading

_MAX_COMMANDS, _MOST_IN_BOTH_WAYS = 3, 2  # maximum number of commands listed, and of columns in two readings


def mapping_commands(table: Table, columns: TableColumns, options: TableOptions) -> str:
    """Write the commands that read the likeliest columns as masses, and one as names, each with its reason."""
    read = {column.index for column in columns.by_quantity.values()}
    cells = implied_columns.HeaderCells(table, columns.header_row)
    masses = implied_columns.likely_mass_columns(cells, read)
    if "mass" in columns.by_quantity:
        masses = [(columns.by_quantity["mass"].index, "")]
    names: list[int] = []
    known = set(columns.by_quantity)
    item = "name" if "parent" not in known else "id"
    if not (headings.IDENTIFYING_QUANTITIES - {"parent"}) & known:
        names = [] if "category" in known else likely_name_columns(cells, read)  # names, once there are masses
        if not names and "category" not in known:
            return ""
    offered = []
    for j, why in masses[:_MAX_COMMANDS]:
        texts = {k: headings.column_command_name(table, columns.header_row, k) for k in (j, *names[:1])}
        maps = [f"{item}={texts[names[0]]}"] if names else []
        maps += [f"mass={texts[j]}"] if why else []
        reason = f" ({texts[j]}: {why})" if why else ""
        words = [word for text in maps for word in ("--map", text)]
        is_either = why and len(masses) <= _MOST_IN_BOTH_WAYS and "qty" in known  # of one piece, or of all in a row
        ways: tuple[tuple[str, ...], ...] = ((), ("--mass-is", "line")) if is_either else ((),)
        offered += [options.command_line(table.source, *words, *way) + reason for way in ways]
    return ", or ".join(offered)


_MAX_NAMED_COLUMNS = 12  # how many columns the note names
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
    """List the columns of numbers that are not read in one note, without written ones and numberings."""
    named = {finding.place.column for finding in reported if finding.rule in _REPORTED_RULES}
    named |= {
        finding.place.column for finding in reported if finding.rule == "MP202" and finding.severity.value == "error"
    }
    read = {column.index for column in columns.by_quantity.values()} | set(known)
    read |= {column.by_row.index for column in columns.by_quantity.values() if column.by_row is not None}
    taken = {name: column.header for name, column in columns.by_quantity.items()}
    listed = []
    for j, text in enumerate(columns.header):
        if j in read or text in named or is_output_heading(text):
            continue
        if example := first_number(table, j, columns.first_row, amounts=bool(text.strip())):
            listed.append((j, text.strip(), example, _nearest_quantity(text)))
    if not listed:
        return []
    spreads = [one for one in listed if one[3].startswith("sigma_")]
    limits = [one for one in listed if limit_of_heading(one[1])[0] or is_margin_heading(one[1])]
    groups = ([one for one in listed if one not in (*spreads, *limits)], spreads, limits)
    return [_unread_columns_finding(table, columns, group, taken) for group in groups if group]


def _unread_columns_finding(
    table: Table, columns: TableColumns, listed: Sequence[tuple[int, str, str, str]], taken: Mapping[str, str]
) -> Finding:
    """Report columns, each with header, first number and quantity; spreads with the option for their level."""
    parts = []
    maps: dict[str, str] = {}
    for j, _, example, quantity in listed[:_MAX_NAMED_COLUMNS]:
        name = headings.column_command_name(table, columns.header_row, j)
        parts.append(f"{name} ({example}{quantity and _map_option(name, quantity, taken)})")
        if quantity.startswith("sigma_"):
            maps.setdefault(quantity, f"--map {quantity}={shlex.quote(name)}")
    what = "numeric column is not read" if len(listed) == 1 else "numeric columns are not read"
    places = [table.place(columns.header_row, j, text) for j, text, _, _ in listed]
    message, remedy = f"{what}: {name_list(parts, _MAX_NAMED_COLUMNS, count=len(listed))}", _spread_remedy(maps)
    if all(limit_of_heading(text)[0] for _, text, _, _ in listed):
        message = f"limits of items are not part of the roll-up: {name_list([text for _, text, _, _ in listed])}"
        remedy = "compare them with massprops check"
    return rule_finding("MP271", message, places[0], count=len(listed), related=tuple(places[1:]), remedy=remedy)


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


def _nearest_quantity(text: str) -> str:
    """Find the quantity that a header of numbers could be mapped to."""
    if known := headings.read_heading(text).quantity:
        return known
    bare = text.strip().replace("_", " ").casefold()
    fitting = [quantity for form, quantity in _HEADER_QUANTITIES if re.search(form, bare)]
    about = fitting[0] if fitting else ""
    if about == "sigma_mass":
        axis = next((quantity for quantity in fitting[1:] if quantity in ("Cx", "Ixx")), "")
        return f"sigma_{_quantity_on_axis(bare, axis)}" if axis else about
    unit = headings.heading_unit(text, "mass") if about == "mga" else ""
    if unit and unit_of_dimension(unit, MASS, common_only=True):
        return "mass" if "mass" in fitting else ""  # an amount of margin is not a share
    if about in ("Cx", "Ixx", "kx"):
        return _quantity_on_axis(bare, about)
    if not about and (axis := implied_columns.coordinate_of_header(text)):
        return axis
    return about or next(
        (
            name
            for name, dimension in _DIMENSION_QUANTITIES
            if (unit := headings.heading_unit(text, name)) and unit_of_dimension(unit, dimension, common_only=True)
        ),
        "",
    )


_BOX = re.compile(r"limit|allow|box|envelope|range|bound|grenz|zuläss", re.IGNORECASE)
_CENTER = re.compile(r"c\.?o?\.?[gm]\b|cent(?:er|re)|schwerp|[lvt]cg|[xyz]_?cg|cg_?[xyz]", re.IGNORECASE)
_AXIS = re.compile(r"^\W*(?:c\s?)?([xyz])\W+(?:\w+\W+)?(?:limit|min|max|lower|upper)", re.IGNORECASE)  # Cx limit min
_ENDS = (
    ("low", re.compile(r"\bmin|lower|\blow\b", re.IGNORECASE)),
    ("high", re.compile(r"\bmax|upper|\bhigh\b", re.IGNORECASE)),
    ("either", re.compile(r"\bfwd\b|forward|\baft\b|rear", re.IGNORECASE)),  # the axis may point either way
)


@lru_cache(maxsize=4_096)
def limit_of_heading(text: str) -> tuple[str, str]:
    """Return which limit a heading names and which end of it: ``mass-max`` and high; empty for none."""
    if subject := limit_subject(text):
        return subject, "low" if subject == "mass-min" else "high"
    spaced = separate_words(text)
    end = next((name for name, pattern in _ENDS if pattern.search(spaced)), "") if _BOX.search(text) else ""
    if axis := _AXIS.search(spaced):
        quantity = f"C{axis[1].lower()}"
    elif _CENTER.search(text):
        quantity = _nearest_quantity(text)
    else:  # Aft limit [mm]
        unit = headings.heading_unit(text, "Cx")
        quantity = "Cx" if end == "either" and (not unit or unit_of_dimension(unit, (0, 1, 0))) else ""
    return (f"center-{quantity[1:]}", end) if end and quantity in ("Cx", "Cy", "Cz") else ("", "")


def _quantity_on_axis(bare: str, quantity: str) -> str:
    """Choose the quantity about, or along, the axis that a header names."""
    size = 2 if quantity == "Ixx" else 1
    if not (axes := re.findall(rf"(?<![a-z])(?:cg|cog|com|c|i|j|l|k)?([xyz]{{{size}}}|[xyz])(?![a-z])", bare)):
        ships = {"lcg": "Cx", "tcg": "Cy", "vcg": "Cz"}
        return next((name for word, name in ships.items() if word in bare), quantity)
    axis = axes[0] if len(axes[0]) == size else axes[0] * size
    return quantity[0] + "".join(sorted(axis))


def layout_map_options(layout: str, table: Table, columns: TableColumns) -> str:
    """Write the options that name the columns of items and parents, the first on the left that fit; empty for none."""
    used = {column.index for name, column in columns.by_quantity.items() if name not in TEXT_QUANTITIES}
    cells = {j: [*map(str.strip, table.texts(j, columns.first_row))] for j in range(table.n_columns) if j not in used}
    item, is_list = ("id", True) if layout == "parent" else ("child", False)
    pairs = permutations((j for j, texts in cells.items() if any(texts)), 2) if layout in ("parent", "edges") else ()
    fitting = ((j, k) for j, k in pairs if _are_parents(cells[k], cells[j], is_list=is_list))
    named = zip(next(fitting, ()), (item, "parent"), strict=False)
    return " ".join(headings.map_option(table, columns.header_row, *one) for one in named)


def _are_parents(parents: list[str], names: list[str], *, is_list: bool) -> bool:
    """Return whether one column names items of the other; in a list every item is once, and the top has none."""
    known, filled = set(names) - {""}, [text for text in parents if text]
    if not filled or (is_list and (len(known) < len(names) or len(filled) == len(parents))):
        return False
    inner = set(filled) & known if is_list else set(filled) - known
    return bool(set(filled) & known) and (inner == set(filled) if is_list else len(inner) == 1)


EACH_ROW = "each row"
"""Where the unit of a column is stated whose rows have units of their own; ``unit`` is then the first."""


class ReadColumn(NamedTuple):
    """A column that is read: its number from 1, address, header, quantity and unit.

    ``sure`` is ``name`` for a canonical name, ``synonym`` for a known other one, ``named`` if the user named it, and
    ``place`` if its cells and the columns next to it identify it; ``why`` is the source in words. ``unit_from`` is
    where the unit is stated, or empty; a cell × ``factor`` is the value in the coherent units. ``equation`` shows the
    quantity in ``rows`` rows, where one does.
    """

    number: int
    address: str
    header: str
    quantity: str
    unit: str
    unit_from: str
    factor: float
    sure: str
    why: str
    equation: str = ""
    rows: int = 0

    @property
    def has_one_unit(self) -> bool:
        """Whether one unit is stated for all rows."""
        return self.unit_from not in ("", EACH_ROW)


class UnreadColumn(NamedTuple):
    """A column that is not read, and why; ``is_explained`` unless it has numbers that nothing explains."""

    number: int
    address: str
    header: str
    why: str
    is_explained: bool = True


def column_address(table: Table, row: int, column: int) -> str:
    """Return a column's letters in a sheet, or its number from 1 in a text file."""
    cell = table.place(row, column).cell
    return cell.rstrip("0123456789") if cell else str(column + 1)


def unread_column_list(
    table: Table, columns: TableColumns, layout: str = "", how: str = ""
) -> tuple[UnreadColumn, ...]:
    """List the columns with a header that are not read; layout and how the tree was found explain those of the tree."""
    from massprops_cli.tables.layouts.levels import level_columns

    read = {column.index for column in columns.by_quantity.values()}
    units = {column.by_row.index for column in columns.by_quantity.values() if column.by_row is not None}
    levels = {columns.header[j].strip() for j in level_columns(table, columns)} if layout == "columns" else set()
    listed = []
    for j, text in enumerate(map(str.strip, columns.header)):
        if text and j not in read - units:
            of_tree = text in levels or f"column {text}" in how
            why = ("defines the tree", True) if of_tree else _unread_reason(table, columns, j)
            listed.append(UnreadColumn(j + 1, column_address(table, columns.header_row, j), text, *why))
    return tuple(listed)


def _unread_reason(table: Table, columns: TableColumns, j: int) -> tuple[str, bool]:
    """Return why a column is not read, and whether that explains what is in it."""
    text, heading = columns.header[j], headings.read_heading(columns.header[j])
    quantity = heading.quantity
    taken = {column.quantity: column.header for column in columns.by_quantity.values()}.get(quantity)
    units = [column.by_row.index for column in columns.by_quantity.values() if column.by_row is not None]
    shown = next((one.words for one in columns.equations if one.column == j), "")
    reasons = (
        (shown or j in columns.explained, shown or "another column or an option explains it", True),
        (j in units, "units of its rows", True),
        (quantity and taken, f"{taken} is read for {quantity}", True),
        (quantity, f"would be {quantity}", False),
        (is_output_heading(text), "a result of an earlier roll-up", True),
        (heading.source, "known name, but not an input: a total or a share", True),
        (not first_number(table, j, columns.first_row, amounts=True), "no numbers", True),
        (limit_of_heading(text)[0], "limits of the items, for check and the review table", True),
        (names_other_number(text), "names another quantity", True),
        (headings.is_quantity_like(text), "resembles a quantity, but has no known name", False),
    )
    return next(((why, explained) for holds, why, explained in reasons if holds), ("no known name", False))


def row_address(table: Table, row: int) -> str:
    """Return a row's address without the file's name: a line of a text file, a row of a sheet."""
    place = table.place(row)
    return f"line {place.line}" if place.line is not None else f"row {place.row}"
