"""Which rows of a table are not parts: repeated headers, remarks, totals, margins and limits.

Rows named as totals or margins may be parts too: ``find_row_roles`` decides. In a table whose rows have positions in a
tree, a row without one is not a part.

Headers repeated inside the table, as on printed pages: they are not items.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.table import Table, TableView
from massprops_cli.findings.finding import Finding, Findings, Severity, rule_finding
from massprops_cli.tables.cells.cell_words import doubtful_label_kind, is_combined_name, label_kind
from massprops_cli.tables.cells.number_text import half_unit_of_last_digit, is_number, read_number
from massprops_cli.tables.cells.numbers import parse_column
from massprops_cli.tables.cells.units import CENTER_COLUMNS, NUMBER_QUANTITIES
from massprops_cli.tables.columns.columns import TableColumns
from massprops_cli.tables.columns.headings import read_heading, squeeze_text
from massprops_cli.tables.options import TableOptions
from massprops_cli.tables.rows.row_roles import RowRoles, find_row_roles
from massprops_cli.tables.rows.total_rows import (
    FULL_SCAN_ROWS,
    ITEM_NAMES,
    TREE_POSITION_QUANTITIES,
    TotalRow,
    assembly_total_rows,
    find_remark_rows,
    find_total_rows,
    numbering_columns,
    read_total_masses,
    remark_rows_finding,
    rows_named_by_options,
    total_row_candidates,
    unmatched_row_findings,
)


def _exclude_repeated_headers(table: Table, columns: TableColumns, findings: Findings) -> Table:
    """Leave out repeated headers with their row of units, and report them; the table itself without any."""
    # a header that changes the quantity or unit of a column is an error: the rows below it have another meaning
    rows = list(_repeated_header_rows(table, columns))
    if not rows:
        return table
    units = [row + 1 for row in rows if _is_units_row(table, columns, row + 1)]
    without = TableView(table, sorted([*rows, *units]))
    changed = [(row, j) for row in rows if (j := _changed_header_column(table.row(row), columns)) is not None]
    if changed:  # faults of its own cells are not reported in addition
        findings.append(_changed_header_finding(table, columns, *changed[0]))
        return without
    places = [table.place(row) for row in rows[:20]]
    message = "repeated header is excluded"
    findings.report("MP255", message, places[0], count=len(rows), related=tuple(places[1:]))
    return without


def _repeated_header_rows(table: Table, columns: TableColumns) -> Iterator[int]:
    """Yield the rows of repeated headers: one is under a number column, and another next to it."""
    # in a long table only the exact text of the first header is searched for, in a column that is read as text anyway
    named, first = columns.by_quantity, columns.first_row
    long = table.n_rows - first > FULL_SCAN_ROWS
    quantities = ITEM_NAMES if long else ("mass", "qty", *NUMBER_QUANTITIES)
    column = next((named[quantity] for quantity in quantities if quantity in named), None)
    if column is None:
        return
    texts = table.texts(column.index, first)
    for k in _text_positions(
        texts, {table.text(columns.header_row, column.index)} if long else _quantity_heading_texts(texts)
    ):
        if sum(bool(read_heading(text).quantity) for text in table.row(first + k)) >= 2:
            yield first + k


def _quantity_heading_texts(texts: Sequence[str]) -> set[str]:
    """List the texts of a number column that name a quantity."""
    return {text for text in set(texts) if not is_number(text) and read_heading(text).quantity}


def _text_positions(texts: Sequence[str], wanted: set[str]) -> list[int]:
    """Find the positions of some texts among others; where there is none, at the speed of a search."""
    if not any(text in texts for text in wanted):
        return []
    return [k for k, text in enumerate(texts) if text in wanted]


def _changed_header_column(texts: list[str], columns: TableColumns) -> int | None:
    """Find the first column that a second header names otherwise than the first, or in another unit; else None."""
    for j, text in enumerate(texts):
        first = columns.header[j]
        if (
            squeeze_text(text) != squeeze_text(first)
            and text.strip()
            and _heading_meaning(text) != _heading_meaning(first)
        ):
            return j
    return None


def _heading_meaning(text: str) -> tuple[str, str]:
    """Return the quantity and the unit of a header."""
    heading = read_heading(text)
    return heading.quantity, heading.unit


def _is_units_row(table: Table, columns: TableColumns, row: int) -> bool:
    """Return whether a row is the header's row of units again."""
    has_units = columns.first_row == columns.header_row + 2
    return has_units and row < table.n_rows and table.row(row) == table.row(columns.header_row + 1)


def _changed_header_finding(table: Table, columns: TableColumns, row: int, j: int) -> Finding:
    """Report that a second header changes the meaning of a column."""
    text, first = table.text(row, j).strip(), columns.header[j].strip() or "nothing"
    message = f"second header inside the table differs from the first: {text} (first header: {first})"
    return rule_finding("MP256", message, table.place(row, j, first), value=text)


_Floats = NDArray[np.float64]

_MIN_LIST_ROWS = 3
"""How many rows a list has in which one may be the sum of the others by its number alone."""
_CERTAIN_SUM_DIGITS = 4
"""The sum of two parts is significant with this many digits: 1, 2, 3 is three parts."""
_SUMMATION_TOLERANCE = 1e-12
"""The relative difference that another order of summing explains."""


def _has_tree_positions(table: Table, columns: TableColumns) -> bool:
    """Return whether rows have positions in a tree; a column ``Item`` that contains names gives none."""
    named = columns.by_quantity
    if any(name in named for name in ("parent", "child", "level")):
        return True
    return "item" in named and named["item"].index in numbering_columns(table, columns)


def _unlabelled_total(table: Table, columns: TableColumns, totals: Sequence[TotalRow]) -> list[TotalRow]:
    """Find a total without a label: the last row, if it holds numbers alone and one is the sum of all above it."""
    first = columns.first_row
    last = next((i for i in range(table.n_rows - 1, first, -1) if any(map(str.strip, table.row(i)))), first)
    texts = table.row(last)
    if last == first or any(text.strip() and read_number(text) is None for text in texts):
        return []
    if any(
        texts[j].strip() for j in _quantity_column_indices(columns, (*ITEM_NAMES, *TREE_POSITION_QUANTITIES, "qty"))
    ):
        return []
    above = [total.row - first for total in totals]
    sums = list(row_masses(table, columns)) if "mass" in columns.by_quantity else []
    stated = [(columns.by_quantity["mass"].index, masses) for masses in sums]
    if "line_mass" in columns.by_quantity:
        stated.append((columns.by_quantity["line_mass"].index, quantity_values(table, columns, "line_mass", 0.0)))
    for index, masses in stated:
        masses[above] = 0.0
        rows, value = masses[: last - first], float(masses[last - first])
        if value and np.count_nonzero(rows) > 1 and is_within_last_digit(float(rows.sum()), texts[index], value):
            return [
                TotalRow(
                    last,
                    "total",
                    "the last row",
                    value if index in _quantity_column_indices(columns, ("mass",)) else None,
                )
            ]
    return []


def _quantity_column_indices(columns: TableColumns, names: Iterable[str]) -> list[int]:
    """Return the columns of some quantities, as far as there are any."""
    return [columns.by_quantity[name].index for name in names if name in columns.by_quantity]


def grand_total_row(table: Table, columns: TableColumns, *, last: bool = False) -> int | None:
    """Find the first or last row of a list that is the sum of all others, to half a unit of its last digit."""
    if "mass" not in columns.by_quantity:
        return None
    index, first = columns.by_quantity["mass"].index, columns.first_row
    own = quantity_values(table, columns, "mass", 0.0)
    filled = np.flatnonzero(own)
    if len(filled) < _MIN_LIST_ROWS:
        return None
    for k in (filled[-1:] if last else filled[[-1, 0]]).tolist():
        text, value = table.text(first + k, index), float(own[k])
        if len(filled) == _MIN_LIST_ROWS and not _is_certain_sum(table, columns, first + int(k), text):
            continue
        for masses in row_masses(table, columns):
            if is_within_last_digit(float(masses.sum() - masses[k]), text, value):
                return int(first + k)
    return None


def _is_certain_sum(table: Table, columns: TableColumns, row: int, text: str) -> bool:
    """Return whether the sum of two others is significant: by four significant digits, a word, or the centre."""
    digits = len(re.sub(r"[^0-9]", "", text.split("e", maxsplit=1)[0]).strip("0"))
    if digits >= _CERTAIN_SUM_DIGITS or any(is_combined_name(cell) for cell in table.row(row)):
        return True
    return _has_center_of_others(table, columns, row)


def _has_center_of_others(table: Table, columns: TableColumns, row: int) -> bool:
    """Return whether a row states the centre of mass of the other rows, to the last digit of its cells."""
    first = columns.first_row
    if any(name not in columns.by_quantity for name in CENTER_COLUMNS):
        return False
    others = np.arange(first, table.n_rows) != row
    masses = quantity_values(table, columns, "mass", 0.0)[others]
    used = masses != 0
    for name in CENTER_COLUMNS:
        values = quantity_values(table, columns, name, np.nan)
        text = table.text(row, columns.by_quantity[name].index)
        moment = float((masses[used] * values[others][used]).sum())
        if not masses.sum() or not is_within_last_digit(moment / float(masses.sum()), text, float(values[row - first])):
            return False
    return True


def list_sum_rows(table: Table, columns: TableColumns) -> list[int]:
    """Find the rows of a list that state the sums of the rows next to them, if the sums include every row.

    There are at least two, each of two rows or more, all below their rows or all above; one may be that of the sums.
    """
    if "mass" not in columns.by_quantity or table.n_rows - columns.first_row > FULL_SCAN_ROWS:
        return []
    index, first = columns.by_quantity["mass"].index, columns.first_row
    own = quantity_values(table, columns, "mass", 0.0)
    filled = np.flatnonzero(own).tolist()
    for masses in row_masses(table, columns):
        for rows in (filled, filled[::-1]):
            sums = _running_subtotal_rows(rows, masses, own, [table.text(first + k, index) for k in rows])
            if len(sums) > 1:
                return sorted(first + k for k in sums)
    return []


def _running_subtotal_rows(rows: Sequence[int], masses: _Floats, own: _Floats, texts: Sequence[str]) -> list[int]:
    """List the rows that are the sum of those since the sum before, or of all sums; empty if a row is in no sum."""
    since: list[int] = []
    sums: list[int] = []
    for k, text in zip(rows, texts, strict=True):
        parts = since or sums
        if len(parts) > 1 and is_within_last_digit(float(masses[parts].sum()), text, float(own[k])):
            sums.append(k)
            since = []
        else:
            since.append(k)
    return [] if since else sums


def is_within_last_digit(computed: float, text: str, value: float) -> bool:
    """Return whether a number equals a cell to half a unit of its last digit."""
    return abs(computed - value) <= half_unit_of_last_digit(text) + _SUMMATION_TOLERANCE * abs(value)


def row_masses(table: Table, columns: TableColumns) -> Iterator[_Floats]:
    """Yield the masses (n,) of the rows in the column's unit, 0 for a blank: as given, then times the quantity."""
    masses = quantity_values(table, columns, "mass", 0.0)
    yield masses.copy()
    if "qty" in columns.by_quantity:
        yield masses * quantity_values(table, columns, "qty", 1.0)


def quantity_values(table: Table, columns: TableColumns, quantity: str, blank: float) -> _Floats:
    """Read numbers (n,) from the first row of data on in the column's unit, with a value for all other cells."""
    column, first = columns.by_quantity[quantity], columns.first_row
    values = parse_column(table, column.index, table.numbers([column.index], first)[0], first, column.rules).values
    if column.by_row is not None:
        values = values * column.by_row.sizes(np.arange(first, table.n_rows))
    return np.where(np.isnan(values), blank, values)


_REDUCED_SEVERITIES = {"MP108": Severity.NOTE, "MP116": Severity.NOTE, "MP117": Severity.WARNING}
"""What is wrong with a row's cells, and how bad it is where nothing is read from them."""


def exclude_non_item_rows(
    table: Table, columns: TableColumns, options: TableOptions, findings: Findings
) -> tuple[Table, list[TotalRow]]:
    """Leave out the rows that are not parts, and report them.

    With ``--layout flat`` a row is not a total by its number alone.
    """
    table = _exclude_repeated_headers(table, columns, findings)
    remarks = find_remark_rows(table, columns)
    if remarks:
        findings.append(remark_rows_finding(table, remarks))
        table = TableView(table, remarks)
    rows = _labelled_rows(table, columns, options, findings)
    rows += assembly_total_rows(table, columns) if not rows else []
    rows += [] if options.layout == "flat" else _unlabelled_total(table, columns, rows)
    if not rows:
        return table, []
    findings.append(_excluded_rows_finding(table, rows))
    return TableView(table, [total.row for total in rows]), rows


def _labelled_rows(table: Table, columns: TableColumns, options: TableOptions, findings: Findings) -> list[TotalRow]:
    """List the rows that are totals, margins and limits by their labels and numbers, or by ``--skip-row``."""
    skipped = rows_named_by_options(table, columns, options.skip_rows)
    findings += unmatched_row_findings(table, columns, options)
    counted = {row.row for row in rows_named_by_options(table, columns, options.count_rows)}
    decided = counted | {row.row for row in skipped}
    among = list(total_row_candidates(table, columns))
    certain = [row for row in find_total_rows(table, columns, label_kind, among) if row.row not in decided]
    known = {row.row for row in certain} | decided
    possible = [row for row in find_total_rows(table, columns, doubtful_label_kind, among) if row.row not in known]
    if _has_tree_positions(table, columns):
        roles = RowRoles([*certain, *possible])
    else:
        roles = find_row_roles(table, columns, options, certain, possible, counted, {row.row for row in skipped})
    rows = sorted([*roles.excluded, *skipped], key=lambda total: total.row)
    findings += roles.findings
    return read_total_masses(table, columns, rows)


def downgrade_excluded_row_findings(findings: Sequence[Finding], table: Table) -> list[Finding]:
    """Lower the severity of findings in rows that were left out: nothing is read from their cells."""
    if not isinstance(table, TableView) or not any(finding.rule in _REDUCED_SEVERITIES for finding in findings):
        return list(findings)
    out = {(place.row, place.line) for i in np.flatnonzero(table.left_out).tolist() for place in [table.place(i)]}
    return [
        replace(finding, severity=_REDUCED_SEVERITIES[finding.rule])
        if finding.rule in _REDUCED_SEVERITIES and _is_finding_within(finding, out)
        else finding
        for finding in findings
    ]


def _is_finding_within(finding: Finding, rows: set[tuple[int | None, int | None]]) -> bool:
    """Return whether all places of a finding are in some rows, given by row and line."""
    places = (finding.place, *finding.related)
    return len(places) == finding.count and all((place.row, place.line) in rows for place in places)


def _excluded_rows_finding(table: Table, rows: list[TotalRow]) -> Finding:
    """Report the rows that were left out as totals, margins and limits."""
    kinds = list(dict.fromkeys(total.noun for total in rows))
    first = rows[0]
    others = f" (and {len(rows) - 1:,} more)" if len(rows) > 1 else ""
    places = [table.place(total.row) for total in rows[:20]]
    message = f"{first.noun} is excluded: {first.label}{others}"
    if len(kinds) > 1:
        message = f"{len(rows):,} rows are excluded ({', '.join(kinds)}): {first.label}{others}"
    return rule_finding("MP250", message, places[0], value=first.label, count=len(rows), related=tuple(places[1:]))
