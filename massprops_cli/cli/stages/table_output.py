"""Output of a result: edited workbook, new workbook or flat file; aggregation of other columns (``--sum``, ``--by``).

In formats with types (json, jsonl, parquet, feather) a column of a numeric quantity is written as numbers if every cell
is a number or blank; ids and other texts remain text; any other column is written as numbers if no characters are lost.

A roll-up that changes nothing in a rolled-up workbook keeps the record of the earlier run in the sheet About, so that
the file stays the same. The date is that of ``SOURCE_DATE_EPOCH`` if this variable is set, else today (UTC).
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import os
import re
import shlex
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from massprops_cli.cli.option_groups import AggregationOptions, split_option_values
from massprops_cli.cli.stages.output_files import REPLACEMENT_FORMATS, Target, back_up_input
from massprops_cli.cli.streams import command_line_words
from massprops_cli.files import AddedColumn, ColumnEdit, TableEdit, TableView, edit_with_file_names, file_table
from massprops_cli.findings import Finding, Findings, Place, UsageError, nearest_name_hint, rule_finding
from massprops_cli.reports import AggregatedColumns, RunRecord, recorded_run

if TYPE_CHECKING:
    from massprops_cli.bom import Bom, ChangedTable, Result
    from massprops_cli.files import Table
    from massprops_cli.tables import QuantityColumn, TableColumns, TableOptions


_AGGREGATION_OPTIONS = ("sum", "max", "min", "mean", "rss")


def has_aggregations(columns: AggregationOptions) -> bool:
    """Return whether the command line requests the aggregation of other columns.

    Parameters
    ----------
    columns : AggregationOptions
        Options of other columns to aggregate.

    Returns
    -------
    bool
        True with one of ``--sum``, ``--max``, ``--min``, ``--mean``, ``--rss``.
    """
    return any(getattr(columns, way) for way in _AGGREGATION_OPTIONS)


def aggregated_column_names(columns: AggregationOptions) -> tuple[str, ...]:
    """List all columns to aggregate, and those of the subtotals.

    Parameters
    ----------
    columns : AggregationOptions
        Options of other columns to aggregate.

    Returns
    -------
    tuple of str
        Headers.
    """
    return tuple(name for way in (*_AGGREGATION_OPTIONS, "by") for name in split_option_values(getattr(columns, way)))


def drop_missing_mass_finding(bom: Bom) -> Bom:
    """Remove the finding of missing masses of all items, where other columns are aggregated.

    Parameters
    ----------
    bom : Bom
        Table as read.

    Returns
    -------
    Bom
        Bom without the finding.
    """
    column = bom.columns.by_quantity.get("mass")
    if column is not None:
        known = bom.bodies.mass[bom.bodies.mass == bom.bodies.mass]
        is_absent = not known.any() and "mass" in bom.options.allow_missing
        at = ("MP206", column.header)
        return replace(
            bom, findings=tuple(f for f in bom.findings if not (is_absent and (f.rule, f.place.column) == at))
        )
    return replace(bom, findings=tuple(f for f in bom.findings if not (f.rule == "MP203" and "masses" in f.message)))


def aggregate_columns(result: Result, columns: AggregationOptions, findings: Findings) -> AggregatedColumns:
    """Roll up every requested column; report cells of leaves that are not numbers.

    Parameters
    ----------
    result : Result
        Result of the roll-up.
    columns : AggregationOptions
        Options of other columns to aggregate.
    findings : Findings
        Collector; findings are appended.

    Returns
    -------
    AggregatedColumns
        Aggregated columns and subtotals.

    Raises
    ------
    UsageError
        A column does not exist, or a mean has no masses as weights.
    """
    if not has_aggregations(columns) and not columns.by:
        return AggregatedColumns()
    from massprops_cli.rollups import label_subtotals, roll_up_column

    bom = result.bom
    requested: list[tuple[str, str, NDArray[np.float64]]] = []
    for way in _AGGREGATION_OPTIONS:
        for name in split_option_values(getattr(columns, way)):
            j = _requested_column(bom, name, f"--{way}")
            if way == "mean" and "mass" not in bom.columns.by_quantity:
                raise UsageError(f"--mean {name} requires a column of masses as weights")
            requested.append((bom.columns.header[j], way, _item_column_values(bom, j, findings)))
    labels = split_option_values(columns.by)
    texts = [_item_column_texts(bom, _requested_column(bom, name, "--by")) for name in labels]
    mass = _known_masses(result)
    rolled = tuple((name, roll_up_column(bom.tree, values, way, bom.quantity, mass)) for name, way, values in requested)
    if not labels:
        return AggregatedColumns(rolled)
    made = label_subtotals(
        bom.rollup_inputs(result.correlation),
        texts,
        method="covariance" if result.rollup.sampled is not None else result.rollup.method,
    )
    of_groups = tuple((name, made.column(values, way, mass)) for name, way, values in requested)
    return AggregatedColumns(rolled, labels, made, of_groups)


def _known_masses(result: Result) -> NDArray[np.float64]:
    """Return the mass of every item, 0 where it is not known."""
    return np.asarray(result.rollup.bodies.mass, dtype=float)


def _requested_column(bom: Bom, name: str, option: str) -> int:
    """Find a column by its header, or by the quantity it was read as."""
    header = bom.columns.header
    if name in header:
        return header.index(name)
    if name in bom.columns.by_quantity:
        return bom.columns.by_quantity[name].index
    same = [j for j, text in enumerate(header) if text.strip().lower() == name.lower()]
    if len(same) == 1:
        return same[0]
    from massprops_cli.tables import column_by_reference

    if (column := column_by_reference(name, bom.table)) is not None:
        return column
    hint = nearest_name_hint(name, header) or f" (expected one of {', '.join(filter(None, header))})"
    raise UsageError(f"unknown column in {option}: {name}{hint}")


def _item_column_values(bom: Bom, column: int, findings: Findings) -> NDArray[np.float64]:
    """Return a column as numbers of items ``(n,)``, NaN where blank; reports cells of leaves that are not numbers."""
    from massprops_cli.bom import ItemFault, report_cells
    from massprops_cli.tables import CellRules, QuantityColumn, parse_column

    start = bom.columns.first_row
    (numbers,) = bom.table.numbers([column], start)
    rules = CellRules(bom.options.decimal, bom.options.accept_approximate)
    parsed = parse_column(bom.table, column, numbers, start, rules)
    has_row = bom.rows >= 0
    values = np.where(has_row, parsed.values[np.where(has_row, bom.rows - start, 0)], np.nan)
    leaves = bom.rows[bom.tree.is_leaf() & has_row]
    bad = np.intersect1d(parsed.bad + start, leaves)
    if len(bad):
        header = bom.columns.header[column]
        fault = ItemFault("MP205", QuantityColumn(column, "", header))
        report_cells(fault, bom.table, bad, lambda _: f"{header} is not a number", findings)
    return values


def _item_column_texts(bom: Bom, column: int) -> list[str]:
    """Return a column's text for every item; empty for an item without a row."""
    texts = bom.table.texts(column, bom.columns.first_row)
    start = bom.columns.first_row
    return [texts[row - start] if row >= 0 else "" for row in bom.rows.tolist()]


def _add_aggregated_columns(filling: TableEdit, result: Result, other: AggregatedColumns) -> TableEdit:
    """Add aggregated columns to the edit: in the assembly cells of their own column, or in new columns."""
    from massprops_cli.bom import assembly_item_rows

    if not other.columns:
        return filling
    items, rows = assembly_item_rows(result)
    times = Counter(header for header, _ in other.columns)
    taken = {fill.column for fill in filling.fills}
    fills: list[ColumnEdit] = list(filling.fills)
    added: list[AddedColumn] = list(filling.added)
    header = result.bom.columns.header
    for name, rolled in other.columns:
        values = rolled.values[items]
        column = header.index(name)
        if times[name] == 1 and column not in taken:
            fills.append(ColumnEdit(column, rows, values))
        else:
            _fill_or_add_column(fills, added, header, f"{rolled.aggregation}_{name}", rows, values)
    fills.sort(key=lambda fill: fill.column)
    return replace(filling, fills=tuple(fills), added=tuple(added))


def _fill_or_add_column(
    fills: list[ColumnEdit],
    added: list[AddedColumn],
    header: Sequence[str],
    name: str,
    rows: NDArray[np.intp],
    values: NDArray[np.float64],
) -> None:
    """Fill the column of that name if it exists, else add one."""
    if name in header:
        fills.append(ColumnEdit(list(header).index(name), rows, values))
    else:
        added.append(AddedColumn(name, rows, values))


_TYPED_FORMATS = ("json", "jsonl", "parquet", "feather")
_BINARY_NUMBER_FORMATS = ("parquet", "feather")
"""Formats that store numbers in binary form."""


_NON_JSON_NUMBER = re.compile(r"[^0-9eE.+\-\n]|^(?:\+|-?\.|-?0[0-9])|\.(?:$|[eE])|[eE][+-]?[0-9]{3}", re.MULTILINE)
"""Matches, in the joined cells of a column, a number that is not valid JSON or may exceed double precision."""


def _text_columns(columns: TableColumns) -> set[int]:
    """List the columns that remain text in formats with types, such as ids."""
    from massprops_cli.tables import NUMERIC_TEXT_QUANTITIES, TEXT_QUANTITIES

    names = set(TEXT_QUANTITIES) - set(NUMERIC_TEXT_QUANTITIES)
    return {column.index for name, column in columns.by_quantity.items() if name in names}


def _convert_number_columns(
    table: Table, columns: TableColumns, filling: TableEdit, format: str
) -> tuple[TableEdit, set[int]]:
    """Find the numeric columns, and make an edit that writes them as JSON numbers."""
    # cells such as ``+1.5``, ``1.234,5`` or ``10 mm`` are written as values in the unit that the header then states
    from massprops_cli.files import edited_column_texts, has_filled_numbers, is_json_number_column

    texts = _text_columns(columns)
    quantities = {column.index: column for column in columns.by_quantity.values() if column.index not in texts}
    start = filling.header_row + 1
    numbers = set(range(table.n_columns, table.n_columns + len(filling.added)))
    fills, renames = list(filling.fills), dict(filling.renames)
    for j in set(range(table.n_columns)) - texts:
        cells = edited_column_texts(table, filling, j, start)
        if j in quantities:
            fill = _rewrite_number_cells(table, quantities[j], cells, filling)
            if fill is None:
                continue
            fills += [fill] if len(fill.rows) else []
            if _has_units_in_cells(table, quantities[j], fill, filling):
                renames[j] = f"{table.text(filling.header_row, j).strip()} [{quantities[j].unit}]".strip()
        elif not has_filled_numbers(filling, j, table.n_columns) and not is_json_number_column(
            cells, False, same=format in _BINARY_NUMBER_FORMATS
        ):
            continue
        numbers.add(j)
    return replace(filling, fills=tuple(fills), renames=renames), numbers


def _rewrite_number_cells(
    table: Table, column: QuantityColumn, cells: list[str], filling: TableEdit
) -> ColumnEdit | None:
    """Make an edit of the cells that are not JSON numbers; None if a cell is not a number or would lose its measure."""
    # such measures are a quantity of ``3 m`` and a mass of ``1.2 kg/m``
    from massprops_cli.files import is_json_number_column
    from massprops_cli.tables import parse_column

    j, start, rules = column.index, filling.header_row + 1, column.rules
    plain = (
        not _NON_JSON_NUMBER.search("\n".join(cells)) and max(map(len, cells), default=0) < 150
    )  # longer numbers may exceed double precision
    if plain and rules.decimal != ",":
        return ColumnEdit(j, np.empty(0, np.intp), np.empty(0))
    # computed values have the decimal mark and the unit of the other cells of the column
    fills = [fill for fill in filling.fills if fill.column == j]
    filled = {(int(row), j): cells[int(row) - start] for fill in fills for row in fill.rows}
    numbers = {int(row) - start for fill in fills if isinstance(fill.values, np.ndarray) for row in fill.rows}
    shown = TableView(table, cells=filled) if len(filled) > len(numbers) else table
    parsed = parse_column(shown, j, shown.numbers([j], start)[0], start, rules)
    if parsed.measures:
        return None
    values: dict[int, float] = {}
    for i, (cell, number) in enumerate(zip(cells, parsed.values.tolist(), strict=True)):
        if not cell or i in numbers:
            continue
        if np.isnan(number) and cell.strip():
            return None
        if not is_json_number_column([cell], filled=True) or float(cell) != number:
            values[i] = number
    rows = np.fromiter(values, np.intp, len(values)) + start
    return ColumnEdit(j, rows, np.fromiter(values.values(), float, len(values)))


def _has_units_in_cells(table: Table, column: QuantityColumn, fill: ColumnEdit, filling: TableEdit) -> bool:
    """Return whether the unit of a column is in its cells and not in its header."""
    from massprops_cli.tables import read_heading, split_cell_text

    header = table.text(filling.header_row, column.index)
    if not column.unit or column.index in filling.renames or read_heading(header).unit:
        return False
    return any(split_cell_text(table.text(int(row), column.index)).unit for row in fill.rows)


_WORKBOOK_FORMATS = ("xlsx", "xlsm")


@dataclass(frozen=True, slots=True)
class ResultWriteOptions:
    """Content of the output in addition to the ten quantities; whether formulas are overwritten."""

    add: tuple[str, ...] = ()
    other: AggregatedColumns = field(default_factory=AggregatedColumns)
    overwrite_formulas: bool = False
    stdin: bytes | None = None
    """Content of standard input, if the table was read from it."""
    sigma_level: int = 1
    """Number of standard deviations of a sigma in the columns and sheets of massprops."""
    configuration: tuple[str, ...] = ()
    """Configuration files."""


@dataclass(frozen=True, slots=True)
class _WriteOutcome:
    """Findings of writing an output, and the name of the backup of the input, or empty."""

    findings: list[Finding]
    backup: str = ""


def write_result(result: Result, target: Target, options: ResultWriteOptions) -> _WriteOutcome:
    """Write a rolled-up table.

    Parameters
    ----------
    result : Result
        Result of the roll-up.
    target : Target
        Destination and format.
    options : ResultWriteOptions
        Content of the output.

    Returns
    -------
    WriteOutcome
        Findings of writing, and the backup.
    """
    from massprops_cli.cli.streams import progress_spinner

    bom = result.bom
    with progress_spinner(f"writing {target.name}"), _open_output(target) as out:
        if target.format in _WORKBOOK_FORMATS:
            findings = _write_result_workbook(result, out, target, options)
        else:
            findings = Findings()
            add = _add_coverage_columns(result, options.add, findings)
            filling = _add_aggregated_columns(result.filling(add, options.sigma_level), result, options.other)
            table, filling = file_table(bom.table), edit_with_file_names(bom.table, filling)
            findings += _write_flat_table(table, bom.columns, filling, out, target)
            if target.format != "md":
                findings += _markdown_input_findings(table.source.name, table.source.format)
        return _WriteOutcome(findings, back_up_input(target.name, out) if target.in_place else "")


def _add_coverage_columns(result: Result, add: tuple[str, ...], findings: Findings) -> tuple[str, ...]:
    """Add the columns of coverage if values are missing, and report it."""
    if "coverage" in add or not result.is_partial:
        return add
    place = Place(result.bom.table.source.name)
    findings.report("MP290", "columns of coverage added because values are missing", place)
    return (*add, "coverage")


def write_plain_table(table: Table, options: TableOptions, target: Target, title: str = "") -> list[Finding]:
    """Write a table in another format; with ``--units``, its numbers in other units.

    Parameters
    ----------
    table : Table
        Table to write.
    options : TableOptions
        Options for the interpretation of the table.
    target : Target
        Destination and format.
    title : str, optional
        Name of the worksheet of a table that massprops made; empty for a table of the user.

    Returns
    -------
    list of Finding
        Findings of writing.
    """
    from massprops_cli.tables import (
        find_header_row,
        merge_tuple_parts,
        read_columns,
        split_tuple_columns,
        unit_rewrite_edit,
    )

    shown = split_tuple_columns(table, find_header_row(table, options.map))
    columns = read_columns(shown, options, Findings())
    filling = merge_tuple_parts(shown, unit_rewrite_edit(shown, columns))
    with _open_output(target) as out:
        if target.format not in _WORKBOOK_FORMATS:
            return _write_flat_table(table, columns, filling, out, target)
        from massprops_cli.files import new_workbook
        from massprops_cli.reports import plain_sheet, result_table_sheet

        sheet = result_table_sheet(table, title) if title else plain_sheet(table, columns, filling)
        return new_workbook(out, [sheet], target.name)


def write_changed_table(changed: ChangedTable, bom: Bom, target: Target, stdin: bytes | None) -> list[Finding]:
    """Write a table with changed cells and added rows; all other cells keep their characters.

    Parameters
    ----------
    changed : ChangedTable
        Table with its changes.
    bom : Bom
        Table as read.
    target : Target
        Destination and format.
    stdin : bytes or None
        Bytes of standard input, where the table comes from there.

    Returns
    -------
    list of Finding
        Findings of writing.

    Raises
    ------
    UsageError
        Rows or a column are added to a workbook that has something there.
    """
    table, filling = changed.table, changed.filling
    source, info = table.source, table.sheet_info
    raw = getattr(table, "raw", None)
    if raw is not None and source.format == target.format and not (filling.added and changed.added):
        data = _changed_records(changed, raw())
        with _open_output(target) as out:
            out.write(gzip.compress(data, mtime=0) if target.compressed else data)
        return []
    if source.format in _WORKBOOK_FORMATS and info is not None and target.format == source.format:
        return _write_changed_workbook(changed, target, stdin)
    return write_plain_table(changed.grid, replace(bom.options, units=""), target)


def _changed_records(changed: ChangedTable, raw: Any) -> bytes:
    """Return the bytes of a text file with changed cells, and added records after the last item."""
    from massprops_cli.files import shortest_number_text, write_table

    source = changed.table.source
    out = io.BytesIO()
    write_table(changed.table, changed.filling, out, source.format)
    data = out.getvalue()
    if not changed.added:
        return data
    text = io.StringIO(newline="")
    newline = source.newline or "\n"
    writer = csv.writer(text, delimiter=source.delimiter or ",", lineterminator=newline)
    for row in changed.added:
        cells = [shortest_number_text(cell) if isinstance(cell, float) else cell or "" for cell in row]
        writer.writerow(cells)
    new = newline + text.getvalue().removesuffix(newline)
    tail = len(bytes(raw.body[int(raw.ends[changed.last]) :]).decode().encode(source.encoding))
    return data[: len(data) - tail] + new.encode(source.encoding) + data[len(data) - tail :]


def _write_changed_workbook(changed: ChangedTable, target: Target, stdin: bytes | None) -> list[Finding]:
    """Edit the input workbook; added items are rows after its last one."""
    from massprops_cli.files import SheetEdit, edit_workbook

    table, filling = changed.table, changed.filling
    source, info = table.source, table.sheet_info
    assert info is not None
    if filling.added:
        raise UsageError(f"--drop needs a quantity column in a workbook: {source.name} (write -o FILE.csv instead)")
    if changed.added and changed.last + 1 < table.n_rows:
        raise UsageError(
            f"--add cannot insert a row: {source.name} has rows below the last item (write -o FILE.csv instead)"
        )
    filling = replace(filling, fills=(*filling.fills, *changed.added_fills()))
    edit = SheetEdit(source.sheet, filling, info.first_row, info.first_column, name=source.name)
    with _open_output(target) as out:
        return edit_workbook(Path(source.name) if stdin is None else stdin, out, edit)


def _write_flat_table(
    table: Table, columns: TableColumns, filling: TableEdit, out: BinaryIO, target: Target
) -> list[Finding]:
    """Write a flat format; cells that the edit does not change keep their characters."""
    from massprops_cli.files import write_table

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
    from massprops_cli.reports import SheetOptions, bom_sheet, finding_comments, own_sheets

    bom, source, info = result.bom, result.bom.table.source, result.bom.table.sheet_info
    run = _current_run(source.name, options.stdin, options.configuration)
    own = SheetOptions(options.other, options.sigma_level, "rho" in options.add, run)
    if source.format not in _WORKBOOK_FORMATS or info is None or target.format != source.format:
        from massprops_cli.files import new_workbook

        filling = _add_aggregated_columns(result.filling(options.add, options.sigma_level), result, options.other)
        first = _fresh_workbook_findings(source.name, source.format)
        sheets = own_sheets(result, [*result.findings, *first], own)
        return [*first, *new_workbook(out, [bom_sheet(bom, filling)], target.name, sheets)]
    from massprops_cli.files import SheetEdit, edit_workbook

    filling = _add_aggregated_columns(result.filling(sigma_level=options.sigma_level), result, options.other)
    edit = SheetEdit(
        source.sheet,
        edit_with_file_names(bom.table, filling),
        info.first_row,
        info.first_column,
        finding_comments(bom, result.findings),
        options.overwrite_formulas,
        source.name,
    )
    data = Path(source.name) if options.stdin is None else options.stdin

    def write(target: BinaryIO, record: RunRecord) -> list[Finding]:
        return edit_workbook(data, target, edit, own_sheets(result, result.findings, replace(own, record=record)))

    return _write_with_record(data, out, run, write, is_changed=_changes_numbers(bom.table, filling))


def _current_run(source: str, stdin: bytes | None, configuration: Sequence[str]) -> RunRecord:
    """Record the origin of the result of this run for the sheet About."""
    words = command_line_words()
    return RunRecord(
        "standard input" if stdin is not None else Path(source).name,
        _content_hash(source, stdin),
        _run_date(),
        shlex.join(["massprops", *words]) if words else "",
        ", ".join(configuration) or "none",
    )


def _content_hash(source: str, stdin: bytes | None) -> str:
    """Return the SHA-256 of the input; empty where it is not one file."""
    if stdin is not None:
        return hashlib.sha256(stdin).hexdigest()
    if not Path(source).is_file():
        return ""
    with Path(source).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _run_date() -> str:
    stated = os.environ.get("SOURCE_DATE_EPOCH", "")
    if not stated:
        return datetime.now(UTC).date().isoformat()
    try:
        return datetime.fromtimestamp(int(stated), UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):
        raise UsageError(f"SOURCE_DATE_EPOCH is not a number of seconds: {stated}") from None


def _changes_numbers(table: Table, filling: TableEdit) -> bool:
    """Return whether an edit writes a number that differs from that in the cell."""
    for fill in filling.fills:
        if isinstance(fill.values, np.ndarray) and fill.values.dtype.kind == "f":
            (numbers,) = table.numbers([fill.column])
            if not np.array_equal(numbers.values[fill.rows], fill.values, equal_nan=True):
                return True
    return False


def _write_with_record(
    source: Path | bytes,
    out: BinaryIO,
    run: RunRecord,
    write: Callable[[BinaryIO, RunRecord], list[Finding]],
    *,
    is_changed: bool,
) -> list[Finding]:
    """Write an edited workbook; with the record of the earlier run if it is a roll-up that stays the same."""
    from massprops_cli.files import own_sheet_texts

    earlier = own_sheet_texts(source, "About")
    if not earlier:
        return write(out, run)
    if is_changed:  # a workbook whose numbers change is written once, unless formulas keep their cells
        changed = io.BytesIO()
        findings = write(changed, run)
        if not any(finding.rule == "MP121" for finding in findings):
            out.write(changed.getvalue())
            return findings
    same = io.BytesIO()
    findings = write(same, recorded_run(earlier))
    if same.getvalue() != (source if isinstance(source, bytes) else source.read_bytes()):
        return write(out, run)
    out.write(same.getvalue())
    return findings


def _fresh_workbook_findings(name: str, source_format: str) -> list[Finding]:
    """Report that the result of an input format without editing is a new workbook."""
    if source_format not in REPLACEMENT_FORMATS:
        return []
    message = f"input format cannot be edited: {source_format}; the result is written to a new xlsx workbook"
    return [rule_finding("MP123", message, Place(name))]


def _markdown_input_findings(name: str, source_format: str) -> list[Finding]:
    """Report that the result of a Markdown input is the table only."""
    if source_format != "md":
        return []
    message = (
        "input format cannot be edited: md; only the table is written, as csv unless -o or --to states another format"
    )
    return [rule_finding("MP123", message, Place(name), remedy="pass --to md to write the table as Markdown")]


@contextmanager
def _open_output(target: Target) -> Iterator[BinaryIO]:
    """Open the output: standard output, or a file that is replaced only when complete."""
    if target.is_stdout:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    from massprops_cli.files import atomic_file

    manager: AbstractContextManager[BinaryIO] = atomic_file(Path(target.name))
    with manager as out:
        yield out
