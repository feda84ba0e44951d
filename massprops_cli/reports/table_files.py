"""Tables and results as files: edited workbook, new workbook or flat file, by the format of the output."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from os import PathLike, fspath
from os.path import lexists
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import numpy as np

from massprops_cli.files import table as tables
from massprops_cli.files.options import IMPORTED_FORMATS
from massprops_cli.findings.finding import Finding, Findings, Place, TableError, UsageError, rule_finding
from massprops_cli.reports.page.conventions import AggregatedColumns, ResultWriteOptions
from massprops_cli.tables.cells.number_text import split_cell_text
from massprops_cli.tables.cells.numbers import parse_column
from massprops_cli.tables.columns.cell_parts import split_tuple_columns
from massprops_cli.tables.columns.columns import QuantityColumn, TableColumns, read_columns, unit_rewrite_edit
from massprops_cli.tables.columns.header import find_header_row
from massprops_cli.tables.columns.headings import read_heading
from massprops_cli.tables.options import COMPUTED_COLUMNS, NUMERIC_TEXT_QUANTITIES, TEXT_QUANTITIES, TableOptions

if TYPE_CHECKING:
    from massprops_cli.bom.bom import Bom
    from massprops_cli.bom.results.result import Result
    from massprops_cli.budgets.check import Check
    from massprops_cli.files.workbook.sheet_xml import OutputSheet

OUTPUT_SUFFIXES = {
    "csv": ".csv", "tsv": ".tsv", "xlsx": ".xlsx", "xlsm": ".xlsm", "json": ".json", "jsonl": ".jsonl",
    "parquet": ".parquet", "feather": ".feather", "md": ".md",
}  # fmt: skip
_OTHER_SUFFIXES = {
    ".txt": "csv", ".tab": "tsv", ".ndjson": "jsonl", ".arrow": "feather", ".markdown": "md", ".pq": "parquet",
}  # fmt: skip
REPLACEMENT_FORMATS = {
    "xls": "xlsx",
    "xlsb": "xlsx",
    "ods": "xlsx",
    "md": "csv",
    **dict.fromkeys(IMPORTED_FORMATS, "csv"),
}
"""Formats that are not written by default, and their replacement; Markdown is written on request."""
_STDOUT = "-"
_TYPED_FORMATS = ("json", "jsonl", "parquet", "feather")
_BINARY_NUMBER_FORMATS = ("parquet", "feather")  # formats that store numbers in binary form
WORKBOOK_FORMATS = ("xlsx", "xlsm")


class Target(NamedTuple):
    """Destination of data: ``name`` is a path or ``-``; with ``in_place`` it is the input, which is backed up."""

    name: str
    format: str
    compressed: bool = False
    in_place: bool = False
    replaces: bool = True  # whether a file of this name is replaced, also one that is created while the command runs

    @property
    def is_stdout(self) -> bool:
        """Whether the data goes to standard output."""
        return self.name == _STDOUT


def format_of_name(name: str) -> str:
    """Look up the format of a file name's suffix; ``.gz`` is ignored."""
    suffix = Path(name.lower().removesuffix(".gz")).suffix
    return next((key for key, value in OUTPUT_SUFFIXES.items() if value == suffix), _OTHER_SUFFIXES.get(suffix, ""))


def _add_aggregated_columns(filling: tables.TableEdit, result: Result, other: AggregatedColumns) -> tables.TableEdit:
    """Add aggregated columns to the edit: in the assembly cells of their own column, or in new columns."""
    from massprops_cli.bom.results.table_edit import assembly_item_rows

    if not other.columns:
        return filling
    items, rows = assembly_item_rows(result)
    times = Counter(header for header, _ in other.columns)
    read = {column.index for column in result.bom.columns.by_quantity.values()}  # such as qty and level
    taken = read | {fill.column for fill in filling.fills}
    fills: list[tables.ColumnEdit] = list(filling.fills)
    added: list[tables.AddedColumn] = list(filling.added)
    header = result.bom.columns.header
    for name, rolled in other.columns:
        values, new_name = tables.short_numbers(rolled.values[items]), f"{rolled.aggregation}_{name}"
        if times[name] == 1 and header.index(name) not in taken:
            fills.append(tables.ColumnEdit(header.index(name), rows, values))
        elif new_name in header:
            fills.append(tables.ColumnEdit(header.index(new_name), rows, values))
        else:
            added.append(tables.AddedColumn(new_name, rows, values))
    fills.sort(key=lambda fill: fill.column)
    return replace(filling, fills=tuple(fills), added=tuple(added))


def _text_columns(columns: TableColumns) -> set[int]:
    """List the columns that remain text in formats with types, such as ids."""
    names = set(TEXT_QUANTITIES) - set(NUMERIC_TEXT_QUANTITIES)
    return {column.index for name, column in columns.by_quantity.items() if name in names}


def _convert_number_columns(
    table: tables.Table, columns: TableColumns, filling: tables.TableEdit, format: str
) -> tuple[tables.TableEdit, set[int]]:
    """Find the columns of JSON numbers and blanks alone, and make an edit that writes others as such."""
    # cells such as ``+1.5``, ``1.234,5`` or ``10 mm`` are written as values in the unit that the header then states
    from massprops_cli.files.arrow import edited_column
    from massprops_cli.files.json_records import PLAIN_NUMBER, is_json_number_column, json_number_mask

    texts = _text_columns(columns)
    quantities = {column.index: column for column in columns.by_quantity.values() if column.index not in texts}
    fills, renames, numbers = list(filling.fills), dict(filling.renames), set[int]()
    if isinstance(table, tables.PrefetchTable):
        table.read_ahead(range(table.n_columns), [])
    for j in sorted({*range(table.n_columns + len(filling.added))} - texts):
        given = [fill.values for fill in filling.columns(table.n_columns) if fill.column == j]
        is_typed = bool(given) if j not in quantities else quantities[j].rules.decimal != ","
        is_typed = is_typed and all(isinstance(one, np.ndarray) and not np.isinf(one).any() for one in given)
        own = edited_column(table, replace(filling, fills=(), added=()), j) if is_typed else None
        if own is not None and json_number_mask(own, PLAIN_NUMBER).all():
            numbers.add(j)
            continue
        cells = edited_column(table, filling, j)
        if j in quantities:
            if (fill := _rewrite_number_cells(table, quantities[j], cells, filling)) is None:
                continue
            fills += [fill] if len(fill.rows) else []
            if _has_units_in_cells(table, quantities[j], fill, filling):
                renames[j] = f"{table.text(filling.header_row, j).strip()} [{quantities[j].unit}]".strip()
            cells = edited_column(table, replace(filling, fills=(*filling.fills, fill)), j)
        is_filled = j in quantities or j >= table.n_columns or tables.has_filled_numbers(filling, j, table.n_columns)
        if is_json_number_column(cells, is_filled, same=format in _BINARY_NUMBER_FORMATS):
            numbers.add(j)
    return replace(filling, fills=tuple(fills), renames=renames), numbers


def _rewrite_number_cells(
    table: tables.Table, column: QuantityColumn, cells: Any, filling: tables.TableEdit
) -> tables.ColumnEdit | None:
    """Make an edit of the cells that are not JSON numbers; None if a cell is not a number or would lose its measure."""
    # such measures are a quantity of ``3 m`` and a mass of ``1.2 kg/m``
    from massprops_cli.files.json_records import json_number_mask

    j, start, rules = column.index, filling.header_row + 1, column.rules
    is_json, cells = json_number_mask(cells).tolist(), cells.to_pylist()
    # computed values have the decimal mark and the unit of the other cells of the column
    fills = [fill for fill in filling.fills if fill.column == j]
    filled = {(int(row), j): cells[int(row) - start] for fill in fills for row in fill.rows}
    numbers = {int(row) - start for fill in fills if isinstance(fill.values, np.ndarray) for row in fill.rows}
    shown = tables.TableView(table, cells=filled) if len(filled) > len(numbers) else table
    parsed = parse_column(shown, j, shown.numbers([j], start)[0], start, rules)
    if parsed.measures:
        return None
    values: dict[int, float] = {}
    for i, (cell, number) in enumerate(zip(cells, parsed.values.tolist(), strict=True)):
        if not cell or i in numbers:
            continue
        if np.isnan(number) and cell.strip():
            return None
        if not is_json[i] or float(cell) != number:
            values[i] = number
    rows = np.fromiter(values, np.intp, len(values)) + start
    return tables.ColumnEdit(j, rows, np.fromiter(values.values(), float, len(values)))


def _has_units_in_cells(
    table: tables.Table, column: QuantityColumn, fill: tables.ColumnEdit, filling: tables.TableEdit
) -> bool:
    """Return whether the unit of a column is in its cells and not in its header."""
    header = table.text(filling.header_row, column.index)
    if not column.unit or column.index in filling.renames or read_heading(header).unit:
        return False
    return any(split_cell_text(table.text(int(row), column.index)).unit for row in fill.rows)


def write_result_table(result: Result, out: BinaryIO, target: Target, options: ResultWriteOptions) -> list[Finding]:
    """Write a rolled-up table to an open file."""
    if options.formulas:
        return _write_live_workbook(result, out, target, options)
    if target.format in WORKBOOK_FORMATS:
        return _write_result_workbook(result, out, target, options)
    bom, findings = result.bom, Findings()
    add = options.add
    if result.is_partial and "coverage" not in add:
        add = (*add, "coverage")
        findings.report("MP290", "columns of coverage added because values are missing", Place(bom.table.source.name))
    from massprops_cli.bom.results.table_edit import rollup_table_edit

    filling = rollup_table_edit(result, add, options.sigma_level)
    filling = _add_aggregated_columns(filling, result, options.other)
    table, filling = tables.file_table(bom.table), tables.edit_with_file_names(bom.table, filling)
    findings += _write_flat_table(table, bom.columns, filling, out, target)
    if target.format != "md" and table.source.format == "md":
        written = "only the table is written, as csv unless -o or --to states another format"
        remedy, place = "pass --to md to write the table as Markdown", Place(table.source.name)
        findings.report("MP123", f"input format cannot be edited: md; {written}", place, remedy=remedy)
    return findings


def _write_live_workbook(result: Result, out: BinaryIO, target: Target, options: ResultWriteOptions) -> list[Finding]:
    """Write a workbook whose assembly cells are formulas."""
    if target.format not in WORKBOOK_FORMATS:
        raise UsageError(f"--formulas writes a workbook, not {target.format}; name one with -o FILE.xlsx")
    from massprops_cli.verifications.formulas import add_formulas

    plain = io.BytesIO()
    findings = _write_result_workbook(result, plain, target, options)
    out.write(add_formulas(plain.getvalue(), result))
    return findings


class SheetTitle(NamedTuple):
    """A worksheet of results: its name, the title of its pages, and the sheets before it."""

    name: str
    title: str = ""
    before: Sequence[OutputSheet] = ()


def write_converted_table(
    table: tables.Table, options: TableOptions, out: BinaryIO, target: Target, result: SheetTitle | None = None
) -> list[Finding]:
    """Write a table in another format to an open file; with ``--units``, its numbers in other units."""
    shown = split_tuple_columns(table, find_header_row(table, options.map))
    columns = read_columns(shown, options, Findings())
    filling = tables.edit_of_file(shown, unit_rewrite_edit(shown, columns))
    if target.format not in WORKBOOK_FORMATS:
        return _write_flat_table(table, columns, filling, out, target)
    from massprops_cli.files.workbook.writer import new_workbook
    from massprops_cli.reports.table_sheets import plain_sheet, result_table_sheet

    if result is None:
        return new_workbook(out, [plain_sheet(table, columns, filling)], target.name)
    return new_workbook(out, [*result.before, result_table_sheet(table, result.name, result.title)], target.name)


def _write_flat_table(
    table: tables.Table, columns: TableColumns, filling: tables.TableEdit, out: BinaryIO, target: Target
) -> list[Finding]:
    """Write a flat format; cells that the edit does not change keep their characters."""
    from massprops_cli.files.writer import write_table

    if target.format not in _TYPED_FORMATS:
        return write_table(table, filling, out, target.format, compressed=target.compressed)
    numbers = None  # an input format with types states its numeric columns
    if table.source.format not in _TYPED_FORMATS:
        filling, numbers = _convert_number_columns(table, columns, filling, target.format)
    return write_table(
        table,
        filling,
        out,
        target.format,
        compressed=target.compressed,
        numeric_columns=numbers,
        text_columns=_text_columns(columns),
    )


def _write_result_workbook(result: Result, out: BinaryIO, target: Target, options: ResultWriteOptions) -> list[Finding]:
    """Edit the input workbook if its format allows it, else write a new one."""
    from massprops_cli.reports import sheets

    bom, source, info = result.bom, result.bom.table.source, result.bom.table.sheet_info
    run = sheets.current_run(source, options.command, bom.options.configuration, options.date, options.revision)
    if source.format not in WORKBOOK_FORMATS or info is None or target.format != source.format:
        from massprops_cli.files.workbook.writer import new_workbook
        from massprops_cli.reports.table_sheets import bom_sheet

        filling = _add_aggregated_columns(result.filling(options.add, options.sigma_level), result, options.other)
        first = []
        if source.format in REPLACEMENT_FORMATS:
            message = f"input format cannot be edited: {source.format}; the result is written to a new xlsx workbook"
            first = [rule_finding("MP123", message, Place(source.name))]
        own = sheets.own_sheets(result, [*result.findings, *first], options, run)
        return [*first, *new_workbook(out, [bom_sheet(result, filling, run)], target.name, own)]
    from massprops_cli.files.workbook.editor import SheetEdit, edit_workbook

    filling = _add_aggregated_columns(result.filling(sigma_level=options.sigma_level), result, options.other)
    equal, is_changed = _equal_cells(bom.table, filling)
    # list the rows of every item and of its assembly; above an assembly without a row that of the next one
    above = bom.tree.parent.copy()
    while (gap := (above >= 0) & (bom.rows[above] < 0)).any():
        above[gap] = bom.tree.parent[above[gap]]
    chosen = (above >= 0) & (bom.rows >= 0)
    edit = SheetEdit(
        source.sheet,
        tables.edit_with_file_names(bom.table, filling),
        info.first_row,
        info.first_column,
        sheets.finding_comments(bom, result.findings),
        options.overwrite_formulas,
        source.name,
        list(zip(bom.rows[chosen].tolist(), bom.rows[above[chosen]].tolist(), strict=True)),
        equal,
        info.computed,
        _input_cells(bom, filling),
        {column.index: column.unit for column in bom.columns.by_quantity.values()},
        options.fill_summed,
        formats=sheets.filled_formats(result, filling),
    )
    data = Path(source.name) if source.content is None else source.content

    def write(target: BinaryIO, record: Mapping[str, str]) -> list[Finding]:
        return edit_workbook(data, target, edit, sheets.own_sheets(result, result.findings, options, record))

    return sheets.write_with_record(data, out, run, write, is_changed=is_changed)


def _input_cells(bom: Bom, filling: tables.TableEdit) -> set[tuple[int, int]]:
    """Return the formulas that the roll-up reads: those of parts, and of assemblies those that it does not fill."""
    from massprops_cli.bom.build import option_columns

    info, named, n_columns = (
        tables.file_table(bom.table).sheet_info,
        bom.columns.by_quantity,
        tables.file_table(bom.table).n_columns,
    )
    read = {column.index for column in named.values()} | option_columns(bom.table, bom.columns, bom.options, ())
    read |= set(range(n_columns if max(read, default=0) >= n_columns else 0))  # parts of columns are read
    computed = {fill.column for fill in filling.fills} | {named[x].index for x in COMPUTED_COLUMNS if x in named}
    parts, rows = set(bom.rows[bom.ends].tolist()), set(bom.rows.tolist())
    formulas = ((i, j) for i, j in (info.formulas if info else ()) if i in rows and j in read)
    return {(i, j) for i, j in formulas if i in parts or j not in computed}


def _equal_cells(table: tables.Table, filling: tables.TableEdit) -> tuple[set[tuple[int, int]], bool]:
    """Return the cells of an edit that contain its number already, and whether others change."""
    cells, is_changed, table = set[tuple[int, int]](), False, tables.file_table(table)
    for fill in filling.fills:
        if isinstance(fill.values, np.ndarray) and fill.values.dtype.kind == "f":
            equal = np.isclose(table.numbers([fill.column])[0].values[fill.rows], fill.values, 1e-12, 0, equal_nan=True)
            cells |= {(row, fill.column) for row in fill.rows[equal].tolist()}
            is_changed |= not equal.all()
    return cells, is_changed


def lost_content_findings(table: tables.Table) -> list[Finding]:
    """Report worksheet content other than values, which is not converted."""
    if (info := table.sheet_info) is None:
        return []
    lost = {
        "formulas (their values are written)": bool(info.formulas),
        "outline levels": info.outline is not None and bool(info.outline.any()),
        "cell indents": any(bool(steps.any()) for steps in info.indent.values()),
        "hidden rows (written as visible rows)": info.hidden is not None and len(info.hidden) > 0,
    }
    words = "; ".join(text for text, is_there in lost.items() if is_there)
    return [rule_finding("MP132", f"worksheet content is not converted: {words}", table.place(0))] if words else []


def save_result(
    result: Result,
    path: str | PathLike[str],
    format: str,
    add: str | Iterable[str],
    sigma_level: int,
    *,
    overwrite_formulas: bool,
    formulas: bool,
    no_clobber: bool,
) -> Findings:
    """Write a rolled-up table to a file, as the command ``rollup`` does."""
    from massprops_cli.bom.results.table_edit import requested_groups

    groups = requested_groups(result, add)
    target = _saved_target(result.bom, path, format, no_clobber=no_clobber)
    source = result.bom.table.source
    is_edit = source.format == target.format in WORKBOOK_FORMATS and source.content is None
    if is_edit and not Path(source.name).is_file():
        message = "file does not exist; the result is written into a copy of it"
        raise TableError([rule_finding("MP101", message, Place(source.name))])
    options = ResultWriteOptions(
        groups, overwrite_formulas=overwrite_formulas, sigma_level=sigma_level, formulas=formulas
    )
    from massprops_cli.files.writer import atomic_file

    with atomic_file(Path(target.name), replaces=target.replaces) as out:
        return Findings(write_result_table(result, out, target, options))


def save_bom(bom: Bom, path: str | PathLike[str], format: str, *, no_clobber: bool) -> Findings:
    """Write a table to a file as it was read, as the command ``convert`` does."""
    target = _saved_target(bom, path, format, no_clobber=no_clobber)
    from massprops_cli.files.writer import atomic_file

    table = tables.file_table(bom.table)
    with atomic_file(Path(target.name), replaces=target.replaces) as out:
        findings = write_converted_table(table, bom.options, out, target)
    return Findings([*findings, *lost_content_findings(table)])


def _saved_target(bom: Bom, path: str | PathLike[str], format: str, *, no_clobber: bool) -> Target:
    """Return the file to write; rejects an unknown format and the file that was read."""
    name = fspath(path) if isinstance(path, str | PathLike) else None
    if not isinstance(name, str) or not name:
        raise UsageError(f"path is not a file name: {path!r}")
    known = ", ".join(OUTPUT_SUFFIXES)
    if format and format not in OUTPUT_SUFFIXES:
        raise UsageError(f"invalid format: {format} (expected one of {known})")
    if not (format_name := format or format_of_name(name)):
        raise UsageError(f"{name}: suffix is not that of an output format: {Path(name).suffix!r} (expected {known})")
    try:
        is_input = bom.table.source.name != "-" and Path(name).samefile(bom.table.source.name)
    except OSError:
        is_input = False
    if is_input:
        raise UsageError(f"{name}: output file is the input file; name another file")
    if no_clobber and lexists(name):
        raise UsageError(f"{name}: file exists and is not replaced, because no_clobber is given")
    return Target(name, format_name, name.lower().endswith(".gz"), replaces=not no_clobber)


# The table of a check ------------------------------------------------------------------------------------------------


def _write_checked_table(outcome: Check, out: BinaryIO, target: Target) -> list[Finding]:
    """Write the table of a check with columns of headroom and verdict: those of an earlier run, or to its right."""
    from massprops_cli.budgets.check import verdicts_by_row
    from massprops_cli.files.workbook.editor import SheetEdit, edit_workbook
    from massprops_cli.files.workbook.sheet_xml import CellLook
    from massprops_cli.files.workbook.writer import new_workbook
    from massprops_cli.reports.sheets import column_format, current_run
    from massprops_cli.reports.table_sheets import bom_sheet

    bom = outcome.result.bom
    words, found = verdicts_by_row(outcome)
    table, rows, header = tables.file_table(bom.table), np.array(sorted(words), np.intp), bom.columns.header_row
    least, limits, texts = zip(*(found.get(i, (np.nan, np.nan, "")) for i in rows.tolist()), strict=True)
    headroom = tables.short_numbers(np.array(least), np.array(limits))
    columns: dict[str, tables.Values] = {
        f"headroom [{bom.units.mass}]".removesuffix(" []"): headroom,
        "checked": texts,
        "verdict": [words[i] for i in rows.tolist()],
    }
    known = [text.strip() for text in table.row(header)]
    fills = [tables.ColumnEdit(known.index(name), rows, values) for name, values in columns.items() if name in known]
    added = [tables.AddedColumn(name, rows, values) for name, values in columns.items() if name not in known]
    filling = tables.TableEdit(tuple(fills), tuple(added), header)
    j = known.index("verdict") if "verdict" in known else table.n_columns + len(added) - 1
    look_of = {"kept": CellLook.KEPT, "broken": CellLook.ERROR}
    looks = {(row, j): look_of.get(word, CellLook.WARNING) for row, word in words.items()}
    if target.format not in WORKBOOK_FORMATS:
        return _write_flat_table(table, bom.columns, filling, out, target)
    source, info = table.source, table.sheet_info
    code = column_format(outcome.result, "mass", headroom[np.isfinite(headroom)]) or "0"
    first = next(iter(columns))  # headroom
    formats = {known.index(first) if first in known else table.n_columns: f"{code};[Red]-{code}"}
    if source.format != target.format or info is None:
        sheet = bom_sheet(outcome.result, filling, current_run(source, (), ()))
        formats, looks = {**sheet.number_formats, **formats}, {**sheet.looks, **looks}
        return new_workbook(out, [replace(sheet, number_formats=formats, looks=looks)], target.name)
    names = {table.n_columns + k: column.name for k, column in enumerate(added)}
    fills += [tables.ColumnEdit(k, rows, columns[name]) for k, name in names.items()]
    edit = tables.TableEdit(tuple(fills), header_row=header, renames=names)
    changes = SheetEdit(
        source.sheet, edit, info.first_row, info.first_column, name=source.name, looks=looks, formats=formats
    )
    return edit_workbook(Path(source.name) if source.content is None else source.content, out, changes)


def save_verdicts(outcome: Check, path: str, *, no_clobber: bool) -> list[Finding]:
    """Write the table of a check to a file, with the smallest headroom and the verdict of each item."""
    from massprops_cli.files.writer import atomic_file

    target = _saved_target(outcome.result.bom, path, "", no_clobber=no_clobber)
    with atomic_file(Path(target.name), replaces=target.replaces) as out:
        return _write_checked_table(outcome, out, target)
