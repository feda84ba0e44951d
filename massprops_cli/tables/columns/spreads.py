"""Columns that state uncertainties: which sigmas are told and by what, in which form, and which are missing."""

from __future__ import annotations

from typing import NamedTuple

from massprops_cli.files.table import Table
from massprops_cli.findings import Finding, Place, found
from massprops_cli.tables.columns.headers import HeaderRow
from massprops_cli.tables.columns.uncertainty_words import distributions, methods, mostly_known
from massprops_cli.tables.options import TableOptions
from massprops_cli.tables.units.quantities import CENTER_COLUMNS, NUMBER_QUANTITIES, SIGMA_QUANTITIES, base_of

TEN = NUMBER_QUANTITIES[:10]


class Form(NamedTuple):
    """How a sigma column is written: each number is ``level`` standard deviations; ``percent`` of its value.

    ``scale`` makes percentages of numbers: 100 where a worksheet shows 0.05 as 5 %.
    """

    level: float = 1.0
    percent: bool = False
    scale: float = 1.0


def word_columns(table: Table, header: HeaderRow, first_row: int, options: TableOptions) -> list[Finding]:
    """Leave out a column ``method`` or ``dist`` whose cells are other words, since its name is a common one.

    A column that has the very name ``dist`` is meant.
    """
    findings = []
    for quantity, known in (("method", methods(options.sigma_percent)), ("dist", distributions())):
        column = header.columns.get(quantity)
        meant = quantity == "dist" and column is not None and header.texts[column].strip() == quantity
        if column is None or meant or quantity in options.map:
            continue
        texts = table.texts(column, first_row)
        if mostly_known(texts, known):
            continue
        del header.columns[quantity]
        if any(text.strip() for text in texts):
            words = ", ".join(dict.fromkeys(known.values()))
            message = f"{header.texts[column].strip()} is not read: most of its cells are none of {words}"
            findings.append(found("MP225", message, table.place(header.row, column, header.texts[column].strip())))
    return findings


def bound_columns(table: Table, header: HeaderRow) -> list[Finding]:
    """Leave out columns of bounds that are no pair: the least without the greatest, or both without the value."""
    findings = []
    for name in TEN:
        pair = f"{name}_min", f"{name}_max"
        there = [q for q in (pair[0], f"{name}_likely", pair[1]) if q in header.columns]
        if not there or (name in header.columns and all(q in header.columns for q in pair)):
            continue
        lacking = next(q for q in (name, *pair) if q not in header.columns)
        message = f"{', '.join(there)} {'is' if len(there) == 1 else 'are'} not read without a column {lacking}"
        findings.append(found("MP225", message, place(table, header, there[0])))
        for quantity in there:
            del header.columns[quantity]
    return findings


def forms(
    table: Table, header: HeaderRow, first_row: int, percent: set[str], options: TableOptions
) -> tuple[dict[str, Form], list[Finding]]:
    """Give the form of every sigma column, say which are no plain standard deviations, and which say no clear level."""
    result: dict[str, Form] = {}
    findings: list[Finding] = []
    notes: dict[Form, list[str]] = {}
    for quantity in SIGMA_QUANTITIES:
        if quantity not in header.columns:
            continue
        levels = header.levels.get(quantity, ())
        if fault := unclear(header.texts[header.columns[quantity]].strip(), levels, options):
            findings.append(found("MP506", fault, place(table, header, quantity)))
        level = float(next(iter(levels), 0.0) or options.sigma_level)
        shown = shown_in_percent(table, header.columns[quantity], first_row)
        result[quantity] = form = Form(level, quantity in percent or shown, 100.0 if shown else 1.0)
        if form != Form() and base_of(quantity) in TEN:
            notes.setdefault(form, []).append(quantity)
    for form, quantities in notes.items():
        message = f"{', '.join(quantities)}: cells are {words_of(form)}"
        findings.append(found("MP505", message, place(table, header, quantities[0]), count=len(quantities)))
    return result, findings


def percent_rows(table: Table, column: int, first_row: int) -> list[int]:
    """Give the rows in which a worksheet shows a column's numbers in percent, 0.05 as 5 %, from ``first_row`` on."""
    formats = table.sheet_info.number_formats if table.sheet_info is not None else {}
    return sorted(row for (row, at), code in formats.items() if at == column and row >= first_row and "%" in code)


def shown_in_percent(table: Table, column: int, first_row: int) -> bool:
    """Tell whether a worksheet shows every number of a column in percent."""
    rows = percent_rows(table, column, first_row)
    return bool(rows) and len(rows) == int(table.is_typed(column, first_row).sum())


def unclear(name: str, levels: tuple[float, ...], options: TableOptions) -> str:
    """Say what is not clear about the level in a header, or nothing."""
    if len(set(levels)) > 1:
        return f"{name} says that its numbers are {levels[0]:g} and {levels[1]:g} standard deviations"
    if levels == (0.0,) and options.sigma_level == 1:
        return f"{name} is an expanded uncertainty, and does not say with which coverage factor k"
    if levels and levels[0] < 0.1 and levels != (0.0,):
        return f"{name} says that its numbers are {levels[0]:g} standard deviations"
    return ""


def words_of(form: Form) -> str:
    """Say how a column's numbers are read.

    >>> words_of(Form(2.0)), words_of(Form(1.0, True))
    ('2 standard deviations', 'percent of the value')
    """
    of = "percent of the value" if form.percent else ""
    several = f"{form.level:g} standard deviations" if form.level != 1 else ""
    return f"{several} in {of}" if of and several else of or several


def check_sigmas(table: Table, header: HeaderRow) -> list[Finding]:
    """Say which sigmas are missing once one is told, by a column of sigmas or of bounds or by a method.

    A method tells those of masses and tensors. Sigmas without values to belong to are said too.
    """
    sigmas = [name for name in TEN if f"sigma_{name}" in header.columns]
    bounds = [name for name in TEN if f"{name}_min" in header.columns]
    by_method = "method" in header.columns and "mass" in header.columns
    if not sigmas and not bounds and not by_method:
        return []
    told = {*sigmas, *bounds}
    missing = [name for name in TEN if name in header.columns and name not in told]
    findings = []
    if by_method:
        center = [name for name in CENTER_COLUMNS if name in missing]
        missing = center if len(center) < len(CENTER_COLUMNS) else []
        if center and not missing:
            findings.append(without_center_sigmas(table, header))
    spot = place(table, header, f"sigma_{sigmas[0]}" if sigmas else f"{bounds[0]}_min" if bounds else "method")
    if missing:
        names = ", ".join(f"sigma_{name}" for name in missing)
        findings.append(found("MP504", f"sigmas are given without {names}", spot))
    without = [f"sigma_{name}" for name in sigmas if name not in header.columns]
    if without:
        message = f"{', '.join(without)} {'has' if len(without) == 1 else 'have'} no column of values"
        findings.append(found("MP504", message, spot))
    return findings


def without_center_sigmas(table: Table, header: HeaderRow) -> Finding:
    """Say that a method tells nothing of centres, whose sigmas then count as 0."""
    message = "the sigmas of the centres are taken as 0: a method tells those of masses and tensors only"
    return found("MP513", message, place(table, header, "method"))


def place(table: Table, header: HeaderRow, quantity: str) -> Place:
    """Give the address of a column's header."""
    column = header.columns[quantity]
    return table.place(header.row, column, header.texts[column].strip())
