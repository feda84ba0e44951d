"""Writing a result: into the user's own workbook, as a fresh one, or as a flat file; whole or not at all.

Which columns become numbers in formats with types: json, jsonl, parquet, feather.

A column of a number quantity does when every cell is a number or blank, however it is written; ids and other texts
never do; any other column does when nothing of its characters is lost.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from massprops_cli.cli.other_columns import with_columns
from massprops_cli.cli.output_files import REBORN, Target, keep_input
from massprops_cli.files.fill import Fill, Filling
from massprops_cli.files.view import View, as_in_file, own_names
from massprops_cli.findings import Finding, Place, found
from massprops_cli.reports.subtotals import Other

if TYPE_CHECKING:
    from massprops_cli.bom.result import Result
    from massprops_cli.files.table import Table
    from massprops_cli.tables.columns import Column, Columns
    from massprops_cli.tables.options import TableOptions


TYPED = ("json", "jsonl", "parquet", "feather")
STORED = ("parquet", "feather")
"""Formats that hold a number without its characters."""


_ODD = re.compile(r"[^0-9eE.+\-\n]|^(?:\+|-?\.|-?0[0-9])|\.(?:$|[eE])|[eE][+-]?[0-9]{3}", re.MULTILINE)
"""What tells, in a column's cells line by line, that one is not written as JSON has it, or may be no double."""


def text_columns(columns: Columns) -> set[int]:
    """Give the columns that stay text in formats with types, whatever their cells look like: ids above all."""
    from massprops_cli.tables.quantities import TEXT_QUANTITIES, WITH_NUMBERS

    names = set(TEXT_QUANTITIES) - set(WITH_NUMBERS)
    return {column.index for name, column in columns.by_quantity.items() if name in names}


def with_numbers(table: Table, columns: Columns, filling: Filling, format: str) -> tuple[Filling, set[int]]:
    """Give the columns that are numbers, and a filling that writes them as JSON can.

    Cells such as ``+1.5``, ``1.234,5`` or ``10 mm`` become the numbers that they are read as, in the unit of their
    column, which its header then states.
    """
    from massprops_cli.files.fill import filled_texts, is_filled
    from massprops_cli.files.json_records import is_number_column

    texts = text_columns(columns)
    quantities = {column.index: column for column in columns.by_quantity.values() if column.index not in texts}
    start = filling.header_row + 1
    numbers = set(range(table.n_columns, table.n_columns + len(filling.added)))
    fills, renames = list(filling.fills), dict(filling.renames)
    for j in set(range(table.n_columns)) - texts:
        cells = filled_texts(table, filling, j, start)
        if j in quantities:
            fill = rewritten(table, quantities[j], cells, filling)
            if fill is None:
                continue
            fills += [fill] if len(fill.rows) else []
            if states_units_in_cells(table, quantities[j], fill, filling):
                renames[j] = f"{table.text(filling.header_row, j).strip()} [{quantities[j].unit}]".strip()
        elif not is_filled(filling, j, table.n_columns) and not is_number_column(cells, False, same=format in STORED):
            continue
        numbers.add(j)
    return replace(filling, fills=tuple(fills), renames=renames), numbers


def rewritten(table: Table, column: Column, cells: list[str], filling: Filling) -> Fill | None:
    """Give the cells of a column that no JSON number looks like as numbers; None where a cell is no number at all.

    Nor where one would lose what it is of: a quantity of ``3 m``, a mass of ``1.2 kg/m``.
    """
    from massprops_cli.files.json_records import is_number_column
    from massprops_cli.tables.numbers import settle

    j, start, rules = column.index, filling.header_row + 1, column.rules
    plain = not _ODD.search("\n".join(cells)) and max(map(len, cells), default=0) < 150  # longer ones may be no double
    if plain and rules.decimal != ",":
        return Fill(j, np.empty(0, np.intp), np.empty(0))
    # what is filled in is written as the column's other cells are: with their decimal mark and unit
    fills = [fill for fill in filling.fills if fill.column == j]
    filled = {(int(row), j): cells[int(row) - start] for fill in fills for row in fill.rows}
    numbers = {int(row) - start for fill in fills if isinstance(fill.values, np.ndarray) for row in fill.rows}
    shown = View(table, cells=filled) if len(filled) > len(numbers) else table
    settled = settle(shown, j, shown.numbers([j], start)[0], start, rules)
    if settled.measures:
        return None
    values: dict[int, float] = {}
    for i, (cell, number) in enumerate(zip(cells, settled.values.tolist(), strict=True)):
        if not cell or i in numbers:
            continue
        if np.isnan(number) and cell.strip():
            return None
        if not is_number_column([cell], filled=True) or float(cell) != number:
            values[i] = number
    rows = np.fromiter(values, np.intp, len(values)) + start
    return Fill(j, rows, np.fromiter(values.values(), float, len(values)))


def states_units_in_cells(table: Table, column: Column, fill: Fill, filling: Filling) -> bool:
    """Tell whether the unit of a column is in its cells, of which the numbers alone are written, and not above them."""
    from massprops_cli.tables.headings import read_heading
    from massprops_cli.tables.number_text import take_apart

    header = table.text(filling.header_row, column.index)
    if not column.unit or column.index in filling.renames or read_heading(header).unit:
        return False
    return any(take_apart(table.text(int(row), column.index)).unit for row in fill.rows)


WORKBOOKS = ("xlsx", "xlsm")


@dataclass(frozen=True, slots=True)
class Writing:
    """What goes into the output beside the ten quantities, and whether formulas give way."""

    add: tuple[str, ...] = ()
    other: Other = field(default_factory=Other)
    overwrite_formulas: bool = False
    stdin: bytes | None = None
    """What standard input held, where the table came from there."""
    sigma_level: int = 1
    """How many standard deviations the tool's own columns and sheets give as a sigma."""


@dataclass(frozen=True, slots=True)
class Written:
    """What is to be said about a writing: its findings, and the backup that holds the input, or empty."""

    findings: list[Finding]
    backup: str = ""


def write_result(result: Result, target: Target, options: Writing) -> Written:
    """Write a rolled-up table; gives what is to be said about the writing."""
    from massprops_cli.cli.streams import progress

    bom = result.bom
    with progress(f"writing {target.name}"), opened(target) as out:
        if target.format in WORKBOOKS:
            findings = write_workbook(result, out, target, options)
        else:
            add, added = with_coverage(result, options.add)
            filling = with_columns(result.filling(add, options.sigma_level), result, options.other)
            table, filling = as_in_file(bom.table), own_names(bom.table, filling)
            findings = [*added, *write_flat(table, bom.columns, filling, out, target)]
            findings += [] if target.format == "md" else not_written_back(table.source.name, table.source.format)
        return Written(findings, keep_input(target.name, out) if target.in_place else "")


def with_coverage(result: Result, add: tuple[str, ...]) -> tuple[tuple[str, ...], list[Finding]]:
    """Add the columns of coverage where something is missing below an item, and report that once."""
    if "coverage" in add or not result.is_partial:
        return add, []
    place = Place(result.bom.table.source.name)
    message = "values are missing, so columns with the coverage of every item were added"
    return (*add, "coverage"), [found("MP290", message, place)]


def write_plain(table: Table, options: TableOptions, target: Target) -> list[Finding]:
    """Write a table as it is, in another format; with ``--units``, its numbers in other units."""
    from massprops_cli.tables.columns import in_new_units, read_columns
    from massprops_cli.tables.header import header_at
    from massprops_cli.tables.tuples import folded, spread_tuples

    shown = spread_tuples(table, header_at(table, options.map))
    columns, _ = read_columns(shown, options)
    filling = folded(shown, in_new_units(shown, columns))
    with opened(target) as out:
        if target.format not in WORKBOOKS:
            return write_flat(table, columns, filling, out, target)
        from massprops_cli.files.workbook.new import new_workbook
        from massprops_cli.reports.sheets import plain_sheet

        return new_workbook(out, [plain_sheet(table, columns, filling)], target.name)


def write_flat(table: Table, columns: Columns, filling: Filling, out: BinaryIO, target: Target) -> list[Finding]:
    """Write a flat format: what the filling does not name goes out with the characters it came in with."""
    from massprops_cli.files.write import write_table

    if target.format not in TYPED:
        return write_table(table, filling, out, target.format, compressed=target.compressed)
    numbers = None  # a format with types has said itself what is a number
    if table.source.format not in TYPED:
        filling, numbers = with_numbers(table, columns, filling, target.format)
    return write_table(
        table,
        filling,
        out,
        target.format,
        compressed=target.compressed,
        numeric_columns=numbers,
        text_columns=text_columns(columns),
    )


def write_workbook(result: Result, out: BinaryIO, target: Target, options: Writing) -> list[Finding]:
    """Edit the user's workbook where the input is one that can be edited, else make a fresh one."""
    from massprops_cli.reports.sheets import SheetOptions, bom_sheet, comments_of, own_sheets

    bom, own = result.bom, SheetOptions(options.other, options.sigma_level, "rho" in options.add)
    source, info = bom.table.source, bom.table.sheet_info
    if source.format not in WORKBOOKS or info is None or target.format != source.format:
        from massprops_cli.files.workbook.new import new_workbook

        filling = with_columns(result.filling(options.add, options.sigma_level), result, options.other)
        first = reborn(source.name, source.format)
        sheets = own_sheets(result, [*result.findings, *first], own)
        return [*first, *new_workbook(out, [bom_sheet(bom, filling)], target.name, sheets)]
    from massprops_cli.files.workbook.edit import SheetEdit, edit_workbook

    filling = with_columns(result.filling(sigma_level=options.sigma_level), result, options.other)
    edit = SheetEdit(
        source.sheet,
        own_names(bom.table, filling),
        info.first_row,
        info.first_column,
        comments_of(bom, result.findings),
        options.overwrite_formulas,
        source.name,
    )
    sheets = own_sheets(result, result.findings, own)
    return edit_workbook(Path(source.name) if options.stdin is None else options.stdin, out, edit, sheets)


def reborn(name: str, source_format: str) -> list[Finding]:
    """Say that a format that cannot be edited comes back as a fresh workbook."""
    if source_format not in REBORN:
        return []
    message = f"{source_format} cannot be edited, so the table comes back as a fresh xlsx"
    return [found("MP123", message, Place(name))]


def not_written_back(name: str, source_format: str) -> list[Finding]:
    """Report that a text with Markdown tables stays as it is, and the table alone is written."""
    if source_format != "md":
        return []
    message = "md is not edited, so the table alone is written, as csv unless -o or --to names another format"
    return [found("MP123", message, Place(name), remedy="pass --to md to write the table as Markdown")]


@contextmanager
def opened(target: Target) -> Iterator[BinaryIO]:
    """Open the output: standard output as it is, a file whole or not at all."""
    if target.is_stdout:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    from massprops_cli.files.atomic import whole_or_not

    manager: AbstractContextManager[BinaryIO] = whole_or_not(Path(target.name))
    with manager as out:
        yield out
