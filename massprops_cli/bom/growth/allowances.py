"""The growth of every item: a percentage in its row, or its category and maturity in a table; nothing where weighed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.cells.cell_notes import say_read
from massprops_cli.bom.cells.marks import Marks
from massprops_cli.bom.growth.growth_table import GrowthTable, NotInTableError, growth_table
from massprops_cli.bom.items.items import ItemRows
from massprops_cli.bom.items.saying import Fault, say, say_blank, say_once
from massprops_cli.findings import Finding, Severity, UsageError
from massprops_cli.tables.cells.flags import read_flags
from massprops_cli.tables.columns.columns import Column
from massprops_cli.tables.columns.growth_column import read_percents
from massprops_cli.tables.columns.headings import squeeze
from massprops_cli.tables.columns.uncertainty_words import methods
from massprops_cli.tables.options import TableOptions

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


def read_growth(items: ItemRows, marks: Marks, options: TableOptions) -> tuple[Floats | None, list[Finding]]:
    """Give the growth of every item as a share of its mass ``(n,)``, NaN where it is not known.

    None where nothing states growth: no column ``mga`` and no growth table. Only items whose own numbers go up have a
    growth; that of a computed assembly follows from what is below it, and is NaN here.
    """
    column = items.columns.by_quantity.get("mga")
    if column is None and not options.growth_table:
        return None, []
    weighed = weighed_items(items, options)
    percent = np.full(len(items.rows), np.nan)
    findings: list[Finding] = []
    if column is not None:
        percent, findings = stated_percents(items, column, marks, weighed)
    if options.growth_table:
        findings += fill_from_table(items, marks.counts & ~weighed & np.isnan(percent), options, percent)
    percent[weighed] = 0.0
    percent[~marks.goes_up] = np.nan
    if not any(finding.severity is Severity.ERROR for finding in findings):
        findings += missing(items, np.isnan(percent), marks.counts & ~weighed)
    return percent / 100, findings


def weighed_items(items: ItemRows, options: TableOptions) -> Mask:
    """Tell which items are weighed ``(n,)``: by the column of that name, or by their ``method``."""
    named = items.columns.by_quantity
    result = np.zeros(len(items.rows), bool)
    if "weighed" in named:
        result |= read_flags(items.texts(named["weighed"].index)).values
    if "method" in named:
        words = methods(options.sigma_percent)
        result |= [words.get(squeeze(text)) == "weighed" for text in items.texts(named["method"].index)]
    return result


def stated_percents(items: ItemRows, column: Column, marks: Marks, weighed: Mask) -> tuple[Floats, list[Finding]]:
    """Read the column ``mga`` ``(n,)`` in percent, NaN where nothing is stated or what is stated cannot be used."""
    table, first = items.table, items.columns.first_row
    settled, bare = read_percents(table, column.index, column.header, first, column.rules)
    percent, is_bare = items.gather(settled.values, np.nan), items.gather(bare, False)
    bad = np.zeros(len(bare), bool)
    bad[settled.bad] = True
    is_bad = items.gather(bad, False)
    wanted = marks.counts & ~weighed

    def wrong(i: int) -> str:
        text = table.text(int(items.rows[i]), column.index).strip()
        return f"{items.ids[i]}: {column.header} is {text}, and growth is a percentage from 0 on"

    findings = say_read(items, column, settled)
    refused = say(items, Fault("MP622", column), np.flatnonzero(is_bad & wanted), wrong)
    refused += unclear(items, column, percent, is_bare & wanted)
    if refused:
        percent = np.where(is_bad | is_bare, np.nan, percent)
    findings += refused
    stated = percent > 0
    words = "weighed, so its growth is 0 whatever its cell says"
    findings += say_once(items, "MP623", stated & weighed & marks.goes_up, column, words)
    words = "the growth of an assembly follows from its parts, and its own cell is not used"
    findings += say_once(items, "MP623", stated & ~marks.goes_up, column, words)
    return percent, findings


def unclear(items: ItemRows, column: Column, percent: Floats, bare: Mask) -> list[Finding]:
    """Refuse numbers without a sign of percent of which none is above 1: 0.15 may be 0.15 % or 15 %."""
    if not bare.any() or not 0 < np.max(percent[bare]) <= 1:
        return []
    which = items.in_file_order(np.flatnonzero(bare & (percent > 0)))
    first = int(which[0])
    number = percent[first]
    message = f"{column.header} is {number:g} and no cell is above 1: {number:g} % or {100 * number:g} %"
    return say(items, Fault("MP622", column, "write % into the header or the cells"), which[:1], lambda _: message)


def fill_from_table(items: ItemRows, needs: Mask, options: TableOptions, percent: Floats) -> list[Finding]:
    """Put the percentages of the growth table into ``percent (n,)`` where an item ``needs`` one.

    Raises UsageError where the table lacks a column that the growth table asks for.
    """
    table = growth_table(options.growth_table)
    named = items.columns.by_quantity
    for quantity in ("maturity", *(["category"] if table.needs_category else [])):
        if quantity not in named:
            raise UsageError(
                f"the growth table {table.name} needs a column {quantity}, and there is none; name it with --map"
            )
    which = np.flatnonzero(needs).tolist()
    maturities = items.texts(named["maturity"].index)
    categories = items.texts(named["category"].index) if table.needs_category else [""] * len(items.rows)
    found: dict[tuple[str, str], float | NotInTableError] = {}
    faults: dict[str, list[int]] = {"maturity": [], "category": []}
    for i in which:
        pair = categories[i].strip(), maturities[i].strip()
        if not pair[1]:
            continue
        if pair not in found:
            found[pair] = looked_up(table, *pair)
        one = found[pair]
        if isinstance(one, NotInTableError):
            faults[one.column].append(i)
        else:
            percent[i] = one
    return [
        finding
        for quantity, wrong in faults.items()
        for finding in say(
            items,
            Fault("MP620", named[quantity]),
            np.array(wrong, np.intp),
            lambda i: f"{items.ids[i]}: {found[categories[i].strip(), maturities[i].strip()]}",
        )
        if wrong
    ]


def looked_up(table: GrowthTable, category: str, maturity: str) -> float | NotInTableError:
    """Give what a growth table says of two words, or the error that it does not know one of them."""
    try:
        return table.of(category, maturity)
    except NotInTableError as error:
        return error


def missing(items: ItemRows, lacking: Mask, needed: Mask) -> list[Finding]:
    """Say which items have no growth, so that what is predicted of all they are in is not known."""
    named = items.columns.by_quantity
    column = named["mga"] if "mga" in named else named["maturity"]
    return say_blank(items, Fault("MP621", column), lacking, needed, "growth")
