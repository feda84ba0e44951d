"""Writing a result: into the user's own workbook, as a fresh one, or as a flat file; whole or not at all."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from massprops_cli.cli.backups import keep_input
from massprops_cli.cli.other import with_columns
from massprops_cli.cli.outputs import REBORN, Target
from massprops_cli.cli.typed_columns import TYPED, text_columns, with_numbers
from massprops_cli.files.fill import Filling
from massprops_cli.files.view import as_in_file, own_names
from massprops_cli.findings import Finding, Place, found
from massprops_cli.report.other_view import Other

if TYPE_CHECKING:
    from massprops_cli.bom.answers.result import Result
    from massprops_cli.files.table import Table
    from massprops_cli.tables.columns.columns import Columns
    from massprops_cli.tables.options import TableOptions

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
    from massprops_cli.report.progress import progress

    bom = result.bom
    with progress(f"writing {target.name}"), opened(target) as out:
        if target.format in WORKBOOKS:
            findings = write_workbook(result, out, target, options)
        else:
            filling = with_columns(result.filling(options.add, options.sigma_level), result, options.other)
            table, filling = as_in_file(bom.table), own_names(bom.table, filling)
            findings = write_flat(table, bom.columns, filling, out, target)
        return Written(findings, keep_input(target.name, out) if target.in_place else "")


def write_plain(table: Table, options: TableOptions, target: Target) -> list[Finding]:
    """Write a table as it is, in another format; with ``--units``, its numbers in other units."""
    from massprops_cli.tables.columns.columns import read_columns
    from massprops_cli.tables.columns.converted import in_new_units
    from massprops_cli.tables.columns.headers import header_at
    from massprops_cli.tables.columns.tuples import folded, spread_tuples

    shown = spread_tuples(table, header_at(table, options.map))
    columns, _ = read_columns(shown, options)
    filling = folded(shown, in_new_units(shown, columns))
    with opened(target) as out:
        if target.format not in WORKBOOKS:
            return write_flat(table, columns, filling, out, target)
        from massprops_cli.files.workbook.writing.new import new_workbook
        from massprops_cli.report.sheets import plain_sheet

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
    from massprops_cli.report.sheets import SheetOptions, bom_sheet, comments_of, own_sheets

    bom, own = result.bom, SheetOptions(options.other, options.sigma_level, "rho" in options.add)
    source, info = bom.table.source, bom.table.sheet_info
    if source.format not in WORKBOOKS or info is None or target.format != source.format:
        from massprops_cli.files.workbook.writing.new import new_workbook

        filling = with_columns(result.filling(options.add, options.sigma_level), result, options.other)
        first = reborn(source.name, source.format)
        sheets = own_sheets(result, [*result.findings, *first], own)
        return [*first, *new_workbook(out, [bom_sheet(bom, filling)], target.name, sheets)]
    from massprops_cli.files.workbook.writing.edit import SheetEdit, edit_workbook

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
