"""Which column of a table is which quantity, and what a cell in it is to be multiplied with."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.table import ReadsAhead, Table
from massprops_cli.findings import Finding, Severity, found
from massprops_cli.tables.cells.cell_rules import PLAIN, CellRules
from massprops_cli.tables.columns.growth_column import growth_column
from massprops_cli.tables.columns.headers import HeaderRow, read_header
from massprops_cli.tables.columns.inertia_point import Point, stated_point
from massprops_cli.tables.columns.row_units import RowUnits, read_row_units
from massprops_cli.tables.columns.sides import refused_sides
from massprops_cli.tables.columns.sigma_words import PERCENT
from massprops_cli.tables.columns.spreads import Form, bound_columns, check_sigmas, forms, word_columns
from massprops_cli.tables.columns.stated_units import StatedUnits, find_units, without_brackets
from massprops_cli.tables.columns.unit_rules import Conversion, convert
from massprops_cli.tables.options import TableOptions
from massprops_cli.tables.units.quantities import (
    BOUND_QUANTITIES,
    CENTER_COLUMNS,
    INERTIA_COLUMNS,
    NUMBER_QUANTITIES,
    PRODUCTS,
    TEXT_QUANTITIES,
    dimension_of,
)
from massprops_cli.tables.units.unit_text import unit_for
from massprops_cli.tables.units.units import Units


@dataclass(frozen=True, slots=True)
class Column:
    """One column that is read: its place (from 0), quantity, header text, unit of its cells, and factor.

    ``unit`` is empty where none is stated; cell × ``factor`` is the value in the table's coherent units, of sigmas that
    of one standard deviation. A cell of sigmas holds ``level`` of them; with ``percent``, cell × ``factor`` is one
    standard deviation in percent of the row's own value. ``rules`` say how its cells may be written. ``by_row`` holds
    the units of its rows where a column beside it states them; ``unit`` is then the first, and ``factor`` is of that.
    """

    index: int
    quantity: str
    header: str
    unit: str = ""
    factor: float = 1.0
    level: float = 1.0
    percent: bool = False
    rules: CellRules = PLAIN
    by_row: RowUnits | None = None

    def sizes(self, rows: NDArray[np.intp]) -> NDArray[np.float64] | float:
        """Give what a cell 1 is on some table rows ``(k,)``, in the table's coherent units; NaN where it is no unit."""
        return self.factor if self.by_row is None else self.factor * self.by_row.sizes(rows)

    def size(self, row: int) -> float:
        """Give what a cell 1 is on one table row."""
        return self.factor if self.by_row is None else self.factor * float(self.by_row.sizes(np.array([row]))[0])

    def unit_at(self, row: int) -> str:
        """Give the unit of the cell on one table row, empty where none is stated."""
        return self.unit if self.by_row is None else self.by_row.text(row)


@dataclass(frozen=True, slots=True)
class Rewrite:
    """What ``--units`` changes in the table: every number cell, and the places that state units.

    ``factors`` column → cell × factor is the new cell; ``header`` column → new text of the header;
    ``units_row`` column → new text in row ``units_row_at`` (None without a units row). ``row_units`` column → new text
    of every cell of a column that holds units.
    """

    factors: Mapping[int, float]
    header: Mapping[int, str]
    units_row: Mapping[int, str] = field(default_factory=dict)
    units_row_at: int | None = None
    row_units: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Columns:
    """What a table's columns mean: rows of the header and of the first item, columns by quantity, units.

    ``header`` holds the text of every column, read or not. ``rewrite`` is there with ``--units`` only. ``doubtful`` are
    the quantities whose header can also mean a product: ``Total mass``, ``Ext. Qty``. ``inertia_about`` is the point
    that headers of inertia name, None for own centres.
    """

    header_row: int
    first_row: int
    by_quantity: dict[str, Column]
    header: list[str]
    units: Units
    rewrite: Rewrite | None = None
    doubtful: frozenset[str] = frozenset()
    inertia_about: Point | None = None


def read_columns(table: Table, options: TableOptions) -> tuple[Columns, list[Finding]]:
    """Understand the header of a table, its units row and the options that speak of columns.

    Raises TableError when the table has no header at all; every other fault is a finding.
    """
    header, findings = read_header(table, options.map, frozen=options.frozen)
    findings += bound_columns(table, header)
    stated, said = find_units(table, header, options)
    findings += said
    first_row = header.row + (1 if stated.row_texts is None else 2)
    announce(table, header, options)
    by_row, said = read_row_units(table, header, first_row, stated, options)
    findings += said
    findings += word_columns(table, header, first_row, options)
    findings += growth_column(table, header, first_row, options)
    conversion, said = convert(table, header, stated, options)
    findings += said
    written, said = forms(table, header, first_row, stated.percent, options)
    findings += said if options.use_sigmas else []
    by_quantity = {
        quantity: column_of(quantity, header, conversion, written.get(quantity, Form()), options)
        for quantity in header.columns
    }
    for quantity, in_rows in by_row.items():
        column = by_quantity[quantity]
        by_quantity[quantity] = replace(column, by_row=in_rows, rules=replace(column.rules, unit=None))
    for quantity in stated.in_cells:
        column = by_quantity[quantity]
        by_quantity[quantity] = replace(column, rules=replace(column.rules, in_cells=True))
    findings += [*check_sets(table, header, options), *refused_sides(table, header)]
    rewrite = rewriting(header, stated, conversion, by_row) if options.units else None
    findings += say_rewritten(table, header, conversion, rewrite)
    about, said = stated_point(table, header, options)
    findings += said
    read = Columns(header.row, first_row, by_quantity, header.texts, conversion.units, rewrite, header.doubtful, about)
    return read, findings


def column_of(quantity: str, header: HeaderRow, conversion: Conversion, form: Form, options: TableOptions) -> Column:
    """Bring together what is known of one column."""
    index, dimension = header.columns[quantity], dimension_of(quantity)
    unit = None if form.percent or dimension is None else unit_for(conversion.texts.get(quantity, ""), dimension)
    of_one = "mass" if quantity == "mass" and options.mass_is != "line" else ""  # a line has no mass per metre
    of_measure = "quantity" if quantity == "qty" else of_one
    return Column(
        index,
        quantity,
        header.texts[index].strip(),
        PERCENT if form.percent else conversion.texts.get(quantity, ""),
        form.scale * conversion.factors.get(quantity, 1.0) / form.level,
        form.level,
        form.percent,
        CellRules(options.decimal, options.accept_approximate, unit, of_measure=of_measure),
    )


def announce(table: Table, header: HeaderRow, options: TableOptions) -> None:
    """Tell a reader of large files which columns will be asked for, so that it goes over the file once."""
    if not isinstance(table, ReadsAhead):
        return
    ten = NUMBER_QUANTITIES[:10]
    numbers = {"qty", *PRODUCTS, *ten, *((f"sigma_{name}" for name in ten) if options.use_sigmas else ())}
    numbers |= set(BOUND_QUANTITIES if options.use_sigmas else ())
    texts = set(TEXT_QUANTITIES) - numbers
    if not options.growth_table:  # nothing will ask for these
        texts -= {"category", "maturity"}
    table.read_ahead(
        [index for quantity, index in header.columns.items() if quantity in texts],
        [index for quantity, index in header.columns.items() if quantity in numbers],
    )


def check_sets(table: Table, header: HeaderRow, options: TableOptions) -> list[Finding]:
    """Say which columns are missing from a set: a centre of three, a tensor of six, sigmas of all values."""
    findings: list[Finding] = []
    for names, words in (
        (CENTER_COLUMNS, ("centre of mass", "center", "centres")),
        (INERTIA_COLUMNS, ("inertia tensor", "inertia", "inertia")),
    ):
        if 0 < sum(name in header.columns for name in names) < len(names):
            findings.append(part_of_set(table, header, names, words, options))
    if "Ixx" in header.columns and not any(name in header.columns for name in CENTER_COLUMNS):
        place = table.place(header.row, header.columns["Ixx"], header.texts[header.columns["Ixx"]])
        findings.append(found("MP203", "the inertia tensor needs the columns Cx, Cy, Cz", place))
    if options.use_sigmas:
        findings += check_sigmas(table, header)
    return findings


def part_of_set(
    table: Table, header: HeaderRow, names: tuple[str, ...], words: tuple[str, str, str], options: TableOptions
) -> Finding:
    """Say which columns of a set lack; where they may be missing (``--allow-missing``) the set is not computed.

    ``words`` name the set in the message, for the option, and in the remedy.
    """
    whole, option, several = words
    there = next(name for name in names if name in header.columns)
    missing = [name for name in names if name not in header.columns]
    message = f"the {whole} lacks {'its column' if len(missing) == 1 else 'the columns'} {', '.join(missing)}"
    add = (
        f"add {'a column' if len(missing) == 1 else 'columns'} {', '.join(missing)}, filled with 0 where that is meant"
    )
    allowed = option in options.allow_missing
    remedy = add if allowed else f"{add}; or go without {several} with --allow-missing {option}"
    place = table.place(header.row, header.columns[there], header.texts[header.columns[there]])
    return found("MP212", message, place, remedy=remedy, severity=Severity.WARNING if allowed else None)


def say_rewritten(table: Table, header: HeaderRow, conversion: Conversion, rewrite: Rewrite | None) -> list[Finding]:
    """Say once which columns ``--units`` converts."""
    changed = [index for index, factor in (rewrite.factors.items() if rewrite else ()) if factor != 1.0]
    if not changed:
        return []
    columns = ", ".join(header.texts[index].strip() for index in sorted(changed))
    units = conversion.units
    message = f"{columns}: cells are converted to {units.mass}, {units.length} and {units.inertia}"
    return [found("MP211", message, table.place(header.row, min(changed)), count=len(changed))]


def with_unit(text: str, old: str, new: str) -> str:
    """Put another unit into a header, in the place where the old one stands by itself last.

    >>> with_unit("Weight g [g] (2 sigma)", "g", "kg"), with_unit("mass_g", "g", "kg")
    ('Weight g [kg] (2 sigma)', 'mass_kg')
    """
    alone = list(re.finditer(rf"(?<![^\W\d_]){re.escape(old)}(?![^\W\d_])", text))
    start = alone[-1].start() if alone else text.rindex(old)
    return f"{text[:start]}{new}{text[start + len(old) :]}"


def rewriting(
    header: HeaderRow, stated: StatedUnits, conversion: Conversion, by_row: Mapping[str, RowUnits]
) -> Rewrite:
    """Say how the cells and the names of columns change when the table goes over to other units."""
    factors: dict[int, float] = {}
    renames: dict[int, str] = {}
    units_row: dict[int, str] = {}
    row_units: dict[int, str] = {}
    for quantity, index in header.columns.items():
        new = conversion.target(quantity)
        if dimension_of(quantity) is None or new is None or quantity not in conversion.factors:
            continue
        factors[index] = conversion.factors[quantity]
        old = header.units[quantity]
        text = header.texts[index]
        if stated.row_texts is not None and quantity not in by_row:
            before = stated.row_texts.get(index, "")
            units_row[index] = before.replace(without_brackets(before), new) if before else new
        if quantity in by_row:
            row_units[by_row[quantity].index] = new
        elif old:
            renames[index] = with_unit(text, old, new)
        elif stated.row_texts is None:
            renames[index] = f"{text.rstrip()} [{new}]"
    renames = {index: text for index, text in renames.items() if text != header.texts[index]}
    return Rewrite(factors, renames, units_row, None if stated.row_texts is None else header.row + 1, row_units)
