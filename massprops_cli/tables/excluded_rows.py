"""Rows such as ``Dry mass`` that close a list, or are items of it: settled by their number and their place.

Such a row is a total where its number is the sum of rows above it, and a limit where it follows a total. In a table
whose rows have places in a tree it has none, and so is no item. All else is left to be asked.

Headers that stand again inside the table, as printed pages leave them: they are no items.

Which rows of a table are no items: headers that stand again, remarks, totals, margins and limits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.table import Table
from massprops_cli.files.view import View
from massprops_cli.findings import Finding, Severity, found
from massprops_cli.tables.columns import Columns
from massprops_cli.tables.headings import read_heading, squeeze, stated_unit
from massprops_cli.tables.layouts.levels import top_rows
from massprops_cli.tables.number_text import is_number, read_number
from massprops_cli.tables.numbers import half_unit_of_last_digit, settle
from massprops_cli.tables.quantities import NUMBER_QUANTITIES, PRODUCTS
from massprops_cli.tables.total_rows import (
    LOOKED_AT,
    NAMING,
    PLACING,
    TotalRow,
    candidates,
    doubtful_kind_of,
    find_remarks,
    find_totals,
    kind_of,
    numbering_columns,
    said_remarks,
    stated_below,
)
from massprops_cli.tables.unit_text import MASS, unit_for


def leave_out_repeated(table: Table, columns: Columns) -> tuple[Table, list[Finding]]:
    """Leave out the rows that are the header again, with their row of units, and say so; else the table itself.

    A header that changes what a column is or in which unit it stands is an error: the rows below it mean another thing.
    """
    rows = list(repeated(table, columns))
    if not rows:
        return table, []
    units = [row + 1 for row in rows if is_units_row(table, columns, row + 1)]
    without = View(table, sorted([*rows, *units]))
    changed = [(row, j) for row in rows if (j := changed_column(table.row(row), columns)) is not None]
    if changed:  # its own cells are no faults beside that
        return without, [said_changed(table, columns, *changed[0])]
    places = [table.place(row) for row in rows[:20]]
    message = "the header stands here again, and is no item"
    finding = found("MP255", message, places[0], count=len(rows), related=tuple(places[1:]))
    return without, [finding]


def repeated(table: Table, columns: Columns) -> Iterator[int]:
    """Give the rows that are headers again: one stands under a number column, and another beside it.

    In a long table only the very text of the first header is looked for, in a column that is read as text anyway.
    """
    named, first = columns.by_quantity, columns.first_row
    long = table.n_rows - first > LOOKED_AT
    asked = NAMING if long else ("mass", "qty", *NUMBER_QUANTITIES)
    column = next((named[quantity] for quantity in asked if quantity in named), None)
    if column is None:
        return
    texts = table.texts(column.index, first)
    for k in positions(texts, {table.text(columns.header_row, column.index)} if long else headings_among(texts)):
        if sum(bool(read_heading(text).quantity) for text in table.row(first + k)) >= 2:
            yield first + k


def headings_among(texts: Sequence[str]) -> set[str]:
    """Give the texts of a number column that name a quantity."""
    return {text for text in set(texts) if not is_number(text) and read_heading(text).quantity}


def positions(texts: Sequence[str], wanted: set[str]) -> list[int]:
    """Give where some texts stand among others; where none does, that is found at the speed of a search."""
    if not any(text in texts for text in wanted):
        return []
    return [k for k, text in enumerate(texts) if text in wanted]


def changed_column(texts: list[str], columns: Columns) -> int | None:
    """Give the first column that a second header names otherwise than the first, or in another unit; else None."""
    for j, text in enumerate(texts):
        first = columns.header[j]
        if squeeze(text) != squeeze(first) and text.strip() and _meaning(text) != _meaning(first):
            return j
    return None


def _meaning(text: str) -> tuple[str, str]:
    heading = read_heading(text)
    return heading.quantity, heading.unit


def is_units_row(table: Table, columns: Columns, row: int) -> bool:
    """Tell whether a row is the header's row of units again."""
    has_units = columns.first_row == columns.header_row + 2
    return has_units and row < table.n_rows and table.row(row) == table.row(columns.header_row + 1)


def said_changed(table: Table, columns: Columns, row: int, j: int) -> Finding:
    """Say that a second header gives a column another meaning than the first."""
    text, first = table.text(row, j).strip(), columns.header[j].strip() or "nothing"
    message = f"a second header stands inside the table, and says {text} where the first says {first}"
    return found("MP256", message, table.place(row, j, first), value=text)


Floats = NDArray[np.float64]

LEAST = 3
"""How many rows a sum has, that is taken for one by its number alone."""
ROUNDING = 1e-12
"""The relative difference that another order of summing explains."""


def settled_rows(
    table: Table, columns: Columns, totals: Sequence[TotalRow], doubtful: Sequence[TotalRow]
) -> list[TotalRow]:
    """Give those of some doubtful rows that are no items; ``totals`` are the rows that are none without a doubt."""
    if has_places(table, columns):
        return list(doubtful)
    if "mass" not in columns.by_quantity:
        return []
    known = {total.row: total for total in totals}
    settled = []
    for one in doubtful:
        is_total = one.kind == "total" and (
            is_sum(table, columns, one, known.values()) or states_elsewhere(table, columns, one)
        )
        if is_total or follows_total(table, one, known):
            known[one.row] = one
            settled.append(one)
    return settled


def states_elsewhere(table: Table, columns: Columns, one: TotalRow) -> bool:
    """Tell whether a row's mass and quantity are blank and another column of masses holds its number.

    As a part it would be one without a mass, as a total it states the mass of all pieces.
    """
    if one.mass is not None or any(table.text(one.row, j).strip() for j in columns_of(columns, ("mass", "qty"))):
        return False
    read = set(columns_of(columns, (name for name in columns.by_quantity if name not in PRODUCTS)))
    texts = table.row(one.row)
    free = (j for j, text in enumerate(columns.header) if j not in read and unit_for(stated_unit(text, "mass"), MASS))
    others = {*columns_of(columns, ("line_mass",)), *free}
    return any(read_number(texts[j]) is not None for j in others if texts[j].strip())


def is_counted_margin(table: Table, columns: Columns, one: TotalRow) -> bool:
    """Tell whether a margin has a quantity, as the parts around it have: it may be a mass that is held there."""
    quantity = columns.by_quantity.get("qty")
    return one.kind == "margin" and quantity is not None and bool(table.text(one.row, quantity.index).strip())


def has_places(table: Table, columns: Columns) -> bool:
    """Tell whether rows have places in a tree; a column ``Item`` that holds names gives none."""
    named = columns.by_quantity
    if any(name in named for name in ("parent", "child", "level")):
        return True
    return "item" in named and named["item"].index in numbering_columns(table, columns)


def follows_total(table: Table, one: TotalRow, known: dict[int, TotalRow]) -> bool:
    """Tell whether a margin, limit or figure stands below a total, with only rows between them that are no items."""
    if one.kind not in ("margin", "limit", "figure"):
        return False
    for i in range(one.row - 1, -1, -1):
        if i in known and known[i].kind == "total":
            return True
        if i not in known and any(text.strip() for text in table.row(i)):
            return False
    return False


def is_sum(table: Table, columns: Columns, one: TotalRow, known: Iterable[TotalRow]) -> bool:
    """Tell whether a row's mass is the sum of the rows above it, of all or of those since another total.

    One row is a sum below another total only: alone it may be another item of that mass.
    """
    column = columns.by_quantity["mass"]
    if one.mass is None:
        return False
    above = [total.row for total in known if total.row < one.row]
    starts = {columns.first_row, *(row + 1 for row in above)}
    written = table.text(one.row, column.index)
    for masses in (*row_masses(table, columns), *top_masses(table, columns)):
        masses[[row - columns.first_row for row in above]] = 0.0
        for start in starts:
            rows = masses[start - columns.first_row : one.row - columns.first_row]
            if np.count_nonzero(rows) > (not above) and is_near(float(rows.sum()), written, one.mass):
                return True
    return False


def closing_sum(table: Table, columns: Columns, totals: Sequence[TotalRow]) -> list[TotalRow]:
    """Give the last row of a list where its mass is the sum of all above: a total, whatever it is called.

    It has a name alone beside its numbers, and nothing else that the rows above it have.
    """
    named = columns.by_quantity
    if totals or has_places(table, columns):
        return []
    row = sum_of_others(table, columns, last=True)
    if row is None:
        return []
    numbers = {column.index for name, column in named.items() if name in NUMBER_QUANTITIES}
    words = [text.strip() for j, text in enumerate(table.row(row)) if text.strip() and j not in numbers]
    if len(words) != 1:
        return []
    mass = float(column_values(table, columns, "mass", 0.0)[row - columns.first_row])
    return [TotalRow(row, "total", words[0], mass)]


def nameless_sum(table: Table, columns: Columns, totals: Sequence[TotalRow]) -> list[TotalRow]:
    """Give the last row where it holds numbers alone, and one is the sum of all above it: a total without a label.

    The number stands under the masses, or under the masses of lines.
    """
    first = columns.first_row
    last = next((i for i in range(table.n_rows - 1, first, -1) if any(map(str.strip, table.row(i)))), first)
    texts = table.row(last)
    if last == first or any(text.strip() and read_number(text) is None for text in texts):
        return []
    if any(texts[j].strip() for j in columns_of(columns, (*NAMING, *PLACING, "qty"))):
        return []
    above = [total.row - first for total in totals]
    sums = list(row_masses(table, columns)) if "mass" in columns.by_quantity else []
    stated = [(columns.by_quantity["mass"].index, masses) for masses in sums]
    if "line_mass" in columns.by_quantity:
        stated.append((columns.by_quantity["line_mass"].index, column_values(table, columns, "line_mass", 0.0)))
    for index, masses in stated:
        masses[above] = 0.0
        rows, value = masses[: last - first], float(masses[last - first])
        if value and np.count_nonzero(rows) > 1 and is_near(float(rows.sum()), texts[index], value):
            return [TotalRow(last, "total", "the last row", value if index in columns_of(columns, ("mass",)) else None)]
    return []


def columns_of(columns: Columns, names: Iterable[str]) -> list[int]:
    """Give the columns of some quantities, as far as there are any."""
    return [columns.by_quantity[name].index for name in names if name in columns.by_quantity]


def sum_of_others(table: Table, columns: Columns, *, last: bool = False) -> int | None:
    """Give the first or the last row of a list where its mass is the sum of all others', three at least; else None."""
    if "mass" not in columns.by_quantity:
        return None
    index, first = columns.by_quantity["mass"].index, columns.first_row
    own = column_values(table, columns, "mass", 0.0)
    filled = np.flatnonzero(own)
    if len(filled) <= LEAST:
        return None
    for k in (filled[-1:] if last else filled[[-1, 0]]).tolist():
        text, value = table.text(first + k, index), float(own[k])
        for masses in row_masses(table, columns):
            if is_near(float(masses.sum() - masses[k]), text, value):
                return int(first + k)
    return None


def stated_sums(table: Table, columns: Columns) -> list[int]:
    """Give the rows of a list that state the sums of the rows next to them, where these sums take in every row.

    Two sums at least, of two rows or more, all below their rows or all above; and one of the sums, if there is one.
    """
    if "mass" not in columns.by_quantity or table.n_rows - columns.first_row > LOOKED_AT:
        return []
    index, first = columns.by_quantity["mass"].index, columns.first_row
    own = column_values(table, columns, "mass", 0.0)
    filled = np.flatnonzero(own).tolist()
    for masses in row_masses(table, columns):
        for rows in (filled, filled[::-1]):
            sums = sums_along(rows, masses, own, [table.text(first + k, index) for k in rows])
            if len(sums) > 1:
                return sorted(first + k for k in sums)
    return []


def sums_along(rows: Sequence[int], masses: Floats, own: Floats, texts: Sequence[str]) -> list[int]:
    """Give the rows that are the sum of those since the sum before, or of all sums; none where a row is in no sum.

    >>> masses = np.array([6.0, 4, 10, 2, 1, 3, 13])
    >>> sums_along(range(7), masses, masses, ["6", "4", "10", "2", "1", "3", "13"])
    [2, 5, 6]
    """
    since: list[int] = []
    sums: list[int] = []
    for k, text in zip(rows, texts, strict=True):
        parts = since or sums
        if len(parts) > 1 and is_near(float(masses[parts].sum()), text, float(own[k])):
            sums.append(k)
            since = []
        else:
            since.append(k)
    return [] if since else sums


def is_near(computed: float, text: str, value: float) -> bool:
    """Tell whether a number is what a cell of this text and value states, to half a unit of its last digit."""
    return abs(computed - value) <= half_unit_of_last_digit(text) + ROUNDING * abs(value)


def row_masses(table: Table, columns: Columns) -> Iterator[Floats]:
    """Give what the rows from the first on add ``(n,)``, in the masses' unit: of all pieces, and of the line."""
    masses = column_values(table, columns, "mass", 0.0)
    yield masses.copy()
    if "qty" in columns.by_quantity:
        yield masses * column_values(table, columns, "qty", 1.0)


def top_masses(table: Table, columns: Columns) -> Iterator[Floats]:
    """Give what the rows add that are indented least, for they state what the rows below them add up to."""
    tops = top_rows(table, columns)
    if tops is None:
        return
    for masses in row_masses(table, columns):
        is_top = np.zeros(len(masses), bool)
        is_top[tops - columns.first_row] = True
        yield np.where(is_top, masses, 0.0)


def column_values(table: Table, columns: Columns, quantity: str, blank: float) -> Floats:
    """Give a column's numbers from the first row on ``(n,)``, with another number for what is none."""
    column, first = columns.by_quantity[quantity], columns.first_row
    values = settle(table, column.index, table.numbers([column.index], first)[0], first, column.rules).values
    if column.by_row is not None:
        values = values * column.by_row.sizes(np.arange(first, table.n_rows))
    return np.where(np.isnan(values), blank, values)


MILDER = {"MP108": Severity.NOTE, "MP116": Severity.NOTE, "MP117": Severity.WARNING}
"""What is wrong with a row's cells, and how bad it is where nothing is read from them."""


def leave_out_rows(
    table: Table, columns: Columns, *, every_row: bool = False
) -> tuple[Table, list[TotalRow], list[Finding]]:
    """Leave out the rows that are no items, and say so; the table itself where there are none.

    With ``every_row`` (``--layout flat``) a row is no total by its number alone.
    """
    table, findings = leave_out_repeated(table, columns)
    remarks = find_remarks(table, columns)
    if remarks:
        findings.append(said_remarks(table, remarks))
        table = View(table, remarks)
    among = list(candidates(table, columns))
    rows = find_totals(table, columns, kind_of, among)
    counted = [row for row in rows if is_counted_margin(table, columns, row)]
    rows = [row for row in rows if row not in counted]
    doubtful = [*find_totals(table, columns, doubtful_kind_of, among), *counted]
    if doubtful:
        known = {total.row for total in rows}
        rows += settled_rows(table, columns, rows, [row for row in doubtful if row.row not in known])
        rows.sort(key=lambda total: total.row)
    rows += stated_below(table, columns) if not rows else []
    rows += [] if every_row else (closing_sum(table, columns, rows) or nameless_sum(table, columns, rows))
    if not rows:
        return table, [], findings
    return View(table, [total.row for total in rows]), rows, [*findings, said(table, rows)]


def without_errors_left_out(findings: Sequence[Finding], table: Table) -> list[Finding]:
    """Make notes and warnings of what is wrong with rows that were left out: nothing is read from their cells."""
    if not isinstance(table, View) or not any(finding.rule in MILDER for finding in findings):
        return list(findings)
    out = {(place.row, place.line) for i in np.flatnonzero(table.left_out).tolist() for place in [table.place(i)]}
    return [
        replace(finding, severity=MILDER[finding.rule])
        if finding.rule in MILDER and is_within(finding, out)
        else finding
        for finding in findings
    ]


def is_within(finding: Finding, rows: set[tuple[int | None, int | None]]) -> bool:
    """Tell whether all that a finding speaks of is in some rows, given by row and line."""
    places = (finding.place, *finding.related)
    return len(places) == finding.count and all((place.row, place.line) in rows for place in places)


def said(table: Table, rows: list[TotalRow]) -> Finding:
    """Say which rows were left out as totals and the like."""
    kinds = list(dict.fromkeys(total.kind for total in rows))
    first = rows[0]
    others = "" if len(rows) == 1 else f", and so are {len(rows) - 1:,} more" if len(rows) > 2 else ", and so is 1 more"
    places = [table.place(total.row) for total in rows[:20]]
    message = f"{first.label} is a {first.kind} and no item{others}"
    if len(kinds) > 1:
        message += f" ({', '.join(kinds)})"
    return found("MP250", message, places[0], value=first.label, count=len(rows), related=tuple(places[1:]))
