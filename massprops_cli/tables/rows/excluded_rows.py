"""Which rows of a table are not parts: repeated headers, remarks, totals, margins and limits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import PurePath

import numpy as np

from massprops_cli.files.table import Table, TableView
from massprops_cli.findings.finding import Finding, Findings, Severity, rule_finding
from massprops_cli.tables.cells.cell_words import doubtful_label_kind, label_kind
from massprops_cli.tables.cells.number_text import is_measure, is_number
from massprops_cli.tables.columns.columns import TableColumns
from massprops_cli.tables.columns.headings import read_heading, squeeze_text
from massprops_cli.tables.options import COMPUTED_COLUMNS, NUMBER_QUANTITIES, TableOptions
from massprops_cli.tables.rows.row_choices import find_row_choice, rows_with_mass
from massprops_cli.tables.rows.total_rows import (
    FULL_SCAN_ROWS,
    ITEM_NAMES,
    TotalRow,
    and_more,
    assembly_total_rows,
    find_total_rows,
    is_within_last_digit,
    numbering_columns,
    quantity_indices,
    quantity_values,
    read_total_masses,
    row_commands,
    row_label,
    row_masses,
    rows_finding,
    rows_named_by_options,
    total_row_candidates,
    unmatched_row_findings,
)


def _exclude_repeated_headers(table: Table, columns: TableColumns, findings: Findings) -> Table:
    """Leave out repeated headers with their row of units, and report them; the table itself without any."""
    # a header that changes the quantity or unit of a column is an error: the rows below it have another meaning
    if not (rows := list(_repeated_header_rows(table, columns))):
        return table
    of_units = table.row(columns.header_row + 1) if columns.first_row == columns.header_row + 2 else None
    units = [row + 1 for row in rows if row + 1 < table.n_rows and table.row(row + 1) == of_units]
    without = TableView(table, sorted([*rows, *units]))
    changed = ((row, j) for row in rows for j in _changed_columns(table.row(row), columns))
    if (first := next(changed, None)) is not None:  # faults of its own cells are not reported in addition
        row, j = first
        text, of_table = table.text(row, j).strip(), columns.header[j].strip() or "nothing"
        message = f"second header inside the table differs from the first: {text} (first header: {of_table})"
        findings.report("MP256", message, table.place(row, j, of_table), value=text)
    else:
        findings.append(rows_finding("MP255", "repeated header is excluded", table, rows))
    return without


def _repeated_header_rows(table: Table, columns: TableColumns) -> Iterator[int]:
    """Yield the rows of repeated headers: one is under a number column, and another next to it."""
    # in a long table only the exact text of the first header is searched for, in a column that is read as text anyway
    first = columns.first_row
    long = table.n_rows - first > FULL_SCAN_ROWS
    quantities = ITEM_NAMES if long else ("mass", "qty", *NUMBER_QUANTITIES)
    if (column := next(iter(columns.having(quantities)), None)) is None:
        return
    texts = table.texts(column.index, first)
    wanted = {table.text(columns.header_row, column.index)}
    if not long:
        wanted |= {text for text in set(texts) if not is_number(text) and read_heading(text).quantity}
    for row, text in enumerate(texts, first) if any(text in texts for text in wanted) else ():
        pairs = zip(table.row(row), columns.header, strict=False) if text in wanted else ()
        if sum(bool(cell.strip()) and (cell == own or bool(read_heading(cell).quantity)) for cell, own in pairs) >= 2:
            yield row


def _changed_columns(texts: Sequence[str], columns: TableColumns) -> Iterator[int]:
    """Yield the columns that a second header names otherwise than the first, or in another unit."""
    for j, (text, first) in enumerate(zip(texts, columns.header, strict=False)):
        if text.strip() and squeeze_text(text) != squeeze_text(first):
            one, other = read_heading(text), read_heading(first)
            if (one.quantity, one.unit) != (other.quantity, other.unit):
                yield j


def _has_tree_positions(table: Table, columns: TableColumns) -> bool:
    """Return whether rows have positions in a tree; names in a column ``Item``, and 1, 2, 3, give none."""
    named = columns.by_quantity
    if any(name in named for name in ("parent", "child", "level")):
        return True
    places = {quantity: column.index for quantity, column in named.items()}
    if "item" not in named or named["item"].index not in numbering_columns(table, columns.first_row, places):
        return False
    return any("." in text.strip().rstrip(".") for text in table.texts(named["item"].index, columns.first_row))


_REDUCED_SEVERITIES = {"MP108": Severity.NOTE, "MP116": Severity.NOTE, "MP117": Severity.WARNING}
"""What is wrong with a row's cells, and how bad it is where nothing is read from them."""


def exclude_non_item_rows(
    table: Table, columns: TableColumns, options: TableOptions, findings: Findings
) -> tuple[Table, list[TotalRow]]:
    """Leave out and report the rows that are not parts; in ``--layout flat`` no row is a total by its number alone."""
    table = _exclude_repeated_headers(table, columns, findings)
    table = table if _has_tree_positions(table, columns) else _without_results(table, columns, options)
    if zeros := _rows_of_zeros(table, columns):
        table = TableView(table, zeros)
    rows = _labelled_rows(table, columns, options, findings)
    rows = rows or assembly_total_rows(table, columns)
    rows += _nameless_sum(table, columns, rows) if options.layout != "flat" else []
    rows = read_total_masses(table, columns, rows)
    if rows:
        findings.append(_excluded_rows_finding(table, rows))
        table = TableView(table, [total.row for total in rows])
    stated = [one.mass for one in rows if one.kind == "total" and one.mass]
    is_stated = stated != [] and any(
        np.isclose(each.sum(), stated, rtol=_ROUNDED).any() for each in row_masses(table, columns)
    )
    choice = find_row_choice(table, columns, options, all_count=is_stated)
    if choice is not None and (left := _decided_rows(table, columns, choice.ways, stated)):
        findings.append(choice.excluded_finding(table, left))
        table = TableView(table, left)
    elif choice is not None:
        findings.append(choice.question)
    findings += [] if is_stated else _other_unit_questions(table, columns, options)
    return table, rows


def _decided_rows(
    table: Table, columns: TableColumns, ways: Sequence[Sequence[int]], stated: Sequence[float]
) -> Sequence[int]:
    """Return the rows without which alone a total is the sum of the others; none where that is no way, or several."""
    fitting = []
    for rows in ways if stated else ():
        others = np.ones(table.n_rows - columns.first_row)
        others[np.array(rows) - columns.first_row] = 0.0
        sums = [(each * others).sum() for each in row_masses(table, columns)]
        fitting += [rows] if any(np.isclose(one, stated, rtol=_ROUNDED).any() for one in sums) else []
    return fitting[0] if len(fitting) == 1 else ()


def _without_results(table: Table, columns: TableColumns, options: TableOptions) -> Table:
    """Blank what a roll-up filled in a list: cells with its mark; in a file with its name, sums of the rows below."""
    if (info := table.sheet_info) is not None:
        cells = [*info.computed]
    elif PurePath(table.source.name).stem.endswith(".rollup") and options.layout != "flat":
        from massprops_cli.tables.rows.row_roles import title_rows

        counted = {named.row for named in rows_named_by_options(table, columns, options.count_rows)}
        filled = [column.index for name, column in columns.by_quantity.items() if name in COMPUTED_COLUMNS]
        cells = [(row, j) for row in title_rows(table, columns, options, counted, least=-np.inf) for j in filled]
    else:
        return table
    return TableView(table, cells=dict.fromkeys(cells, "")) if cells else table


def _labelled_rows(table: Table, columns: TableColumns, options: TableOptions, findings: Findings) -> list[TotalRow]:
    """List the rows that are totals, margins and limits by their labels and numbers, or by ``--skip-row``."""
    skipped = rows_named_by_options(table, columns, options.skip_rows)
    findings += unmatched_row_findings(table, columns, options)
    counted = {row.row for row in rows_named_by_options(table, columns, options.count_rows)}
    decided = counted | {row.row for row in skipped}
    among = [row for row in total_row_candidates(table, columns) if row not in decided]
    certain = find_total_rows(table, columns, label_kind, among)
    known = {row.row for row in certain}
    possible = find_total_rows(table, columns, doubtful_label_kind, [row for row in among if row not in known])
    rows = [*certain, *possible, *skipped]
    if not _has_tree_positions(table, columns):
        from massprops_cli.tables.rows.row_roles import find_row_roles

        skipped_rows = {row.row for row in skipped}
        rows, found = find_row_roles(table, columns, options, certain, possible, counted, skipped_rows)
        rows += skipped
        findings += found
    return sorted(rows, key=lambda total: total.row)


def _nameless_rows(table: Table, columns: TableColumns, among: Sequence[int]) -> Iterator[int]:
    """Yield the rows without words and without a place in the tree or a quantity."""
    placing = quantity_indices(columns, (*ITEM_NAMES, "parent", "level", "qty"))
    for row in among:
        texts = table.row(row)
        if not any(texts[j].strip() for j in placing) and not any(t.strip() and not is_measure(t) for t in texts):
            yield row


def _rows_of_zeros(table: Table, columns: TableColumns) -> list[int]:
    """Find the rows that hold formulas of a form that was not filled in: no word, and zeros alone."""
    first, named = columns.first_row, columns.by_quantity
    column = named.get("line_mass") or named.get("mass")
    if column is None or not any(name in named for name in ITEM_NAMES) or table.n_rows - first > FULL_SCAN_ROWS:
        return []
    texts = table.texts(column.index, first)
    zeros = [row for row, text in enumerate(texts, first) if "0" in text and not text.strip(_ZEROS)]
    return [row for row in _nameless_rows(table, columns, zeros) if not "".join(table.row(row)).strip(_ZEROS)]


_ZEROS = "0., -"  # what a cell of zeros is written with


def _nameless_sum(table: Table, columns: TableColumns, known: Sequence[TotalRow]) -> list[TotalRow]:
    """Find the sum without a name in the last row of a tree or a long list, whose rows are not read in several ways."""
    first, named = columns.first_row, columns.by_quantity
    filled = (row for row in range(table.n_rows - 1, first, -1) if any(map(str.strip, table.row(row))))
    last = next(filled, first)
    is_short_list = table.n_rows - first <= FULL_SCAN_ROWS and not _has_tree_positions(table, columns)
    if "mass" not in named or is_short_list or last in {total.row for total in known}:
        return []
    if not list(_nameless_rows(table, columns, [last])):
        return []
    masses = [(named["mass"], one) for one in row_masses(table, columns)]
    if "line_mass" in named:
        masses.append((named["line_mass"], quantity_values(table, columns, "line_mass", 0.0)))
    for column, values in masses:
        values[[total.row - first for total in known]] = 0.0
        rows, value, text = values[: last - first], float(values[last - first]), table.text(last, column.index)
        if value and np.count_nonzero(rows) > 1 and is_within_last_digit(float(rows.sum()), text, value):
            return [TotalRow(last, "total", "the last row", None)]
    return []


def downgrade_excluded_row_findings(findings: Sequence[Finding], table: Table) -> list[Finding]:
    """Lower the severity of findings in rows that were left out: nothing is read from their cells."""
    if not isinstance(table, TableView) or not any(finding.rule in _REDUCED_SEVERITIES for finding in findings):
        return list(findings)
    out = {(place.row, place.line) for i in np.flatnonzero(table.left_out).tolist() for place in [table.place(i)]}
    lowered = []
    for finding in findings:
        places = finding.place, *finding.related
        is_within = len(places) == finding.count and all((place.row, place.line) in out for place in places)
        severity = _REDUCED_SEVERITIES.get(finding.rule, finding.severity) if is_within else finding.severity
        lowered.append(replace(finding, severity=severity))
    return lowered


def _excluded_rows_finding(table: Table, rows: list[TotalRow]) -> Finding:
    """Report the rows that were left out as totals, margins and limits."""
    kinds, first = list(dict.fromkeys(total.noun for total in rows)), rows[0]
    others = and_more(rows)
    message = f"{first.noun} is excluded: {first.label}{others}"
    if len(kinds) > 1:
        message = f"{len(rows):,} rows are excluded ({', '.join(kinds)}): {first.label}{others}"
    return rows_finding("MP250", message, table, [total.row for total in rows], value=first.label)


def _other_unit_questions(table: Table, columns: TableColumns, options: TableOptions) -> Iterator[Finding]:
    """Ask for the unit of a mass whose row is named with another unit of mass than that of the column."""
    column, first = columns.by_quantity.get("mass"), columns.first_row
    if column is None or not column.unit or column.by_row or table.n_rows - first > FULL_SCAN_ROWS:
        return
    masses = quantity_values(table, columns, "mass", 0.0)
    counted = {one.row for one in rows_named_by_options(table, columns, options.count_rows)}
    for row in (first + k for k in rows_with_mass(table, columns) if first + k not in counted):
        label, mass = row_label(table, row), float(masses[row - first])
        converted = mass * column.label_size(label)
        if converted == mass or not is_number(table.text(row, column.index)):
            continue
        is_sum = abs(masses.sum() - mass - converted) <= _ROUGH_CONVERSION * converted
        remedy = row_commands(table, first, [row], [{row}, ()] if is_sum else [()])
        message = f"unit of the mass is ambiguous: {label} ({mass:g} {column.unit}, or {converted:.4g} {column.unit})"
        remedy = f"write the mass in {column.unit} and the name without a unit; or {remedy}"
        yield rule_finding("MP257", message, table.place(row, column.index), value=label, remedy=remedy)


_ROUNDED, _ROUGH_CONVERSION = 1e-6, 0.01  # the relative differences of rounded sums, and of rough conversions
