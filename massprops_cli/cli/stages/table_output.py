"""Output of a result to a file or to standard output; aggregation of other columns (``--sum``, ``--by``)."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.cli.option_groups import AggregationOptions, split_option_values
from massprops_cli.cli.stages.output_files import back_up_input, check_input_unchanged
from massprops_cli.cli.stages.table_input import recorded_stdin
from massprops_cli.findings.finding import Finding, Findings, UsageError, nearest_name_hint
from massprops_cli.reports.limits import AggregatedColumns
from massprops_cli.reports.table_files import ResultWriteOptions, Target, write_converted_table, write_result_table

if TYPE_CHECKING:
    from massprops_cli.bom.bom import Bom
    from massprops_cli.bom.changed_table import ChangedTable
    from massprops_cli.bom.results.result import Result
    from massprops_cli.files.table import Table
    from massprops_cli.tables.options import TableOptions


_WORKBOOK_FORMATS = ("xlsx", "xlsm")
_AGGREGATION_OPTIONS = ("sum", "max", "min", "mean", "rss")


def has_aggregations(columns: AggregationOptions) -> bool:
    """Return whether the command line requests the aggregation of other columns."""
    return any(getattr(columns, way) for way in _AGGREGATION_OPTIONS)


def aggregated_column_names(columns: AggregationOptions) -> tuple[str, ...]:
    """List all columns to aggregate, and those of the subtotals."""
    return tuple(name for way in (*_AGGREGATION_OPTIONS, "by") for name in split_option_values(getattr(columns, way)))


def drop_missing_mass_finding(bom: Bom) -> Bom:
    """Remove the finding of missing masses of all items, where other columns are aggregated."""
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
    """Roll up every requested column; report cells of leaves that are not numbers."""
    if not has_aggregations(columns) and not columns.by:
        return AggregatedColumns()
    from massprops_cli.rollups.subtotals import label_subtotals, roll_up_column

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
    from massprops_cli.tables.columns.header import column_by_reference

    if (column := column_by_reference(name, bom.table)) is not None:
        return column
    hint = nearest_name_hint(name, header) or f" (expected one of {', '.join(filter(None, header))})"
    raise UsageError(f"unknown column in {option}: {name}{hint}")


def _item_column_values(bom: Bom, column: int, findings: Findings) -> NDArray[np.float64]:
    """Return a column as numbers of items ``(n,)``, NaN where blank; reports cells of leaves that are not numbers."""
    from massprops_cli.bom.items.item_rows import ItemFault, report_cells
    from massprops_cli.tables.cells.number_text import CellRules
    from massprops_cli.tables.cells.numbers import parse_column
    from massprops_cli.tables.columns.columns import QuantityColumn

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


class _WriteOutcome(NamedTuple):
    """Findings of writing an output, and the name of the backup of the input, or empty."""

    findings: list[Finding]
    backup: str = ""


def write_result(
    result: Result,
    target: Target,
    options: ResultWriteOptions,
    state: tuple[int, ...] = (),
    written: tuple[bytes, Sequence[Finding]] | None = None,
) -> _WriteOutcome:
    """Write a rolled-up table."""
    from massprops_cli.cli.streams import progress_spinner

    with progress_spinner(f"writing {target.name}"), _open_output(target) as out:
        if written is None:
            findings = write_result_table(result, out, target, options)
        else:
            findings = list(written[1])
            out.write(written[0])
        if target.in_place:
            check_input_unchanged(target.name, state)
        return _WriteOutcome(findings, back_up_input(target.name, out) if target.in_place else "")


def write_plain_table(table: Table, options: TableOptions, target: Target, title: str = "") -> list[Finding]:
    """Write a table in another format; with ``--units``, its numbers in other units."""
    with _open_output(target) as out:
        return write_converted_table(table, options, out, target, title)


def write_changed_table(changed: ChangedTable, bom: Bom, target: Target) -> list[Finding]:
    """Write a table with changed cells and added rows; all other cells keep their characters."""
    table, filling = changed.table, changed.filling
    source, info = table.source, table.sheet_info
    raw = getattr(table, "raw", None)
    if raw is not None and source.format == target.format and not (filling.added and changed.added):
        data = _changed_records(changed, raw())
        if target.compressed:
            import gzip

            data = gzip.compress(data, mtime=0)
        with _open_output(target) as out:
            out.write(data)
        return []
    if source.format in _WORKBOOK_FORMATS and info is not None and target.format == source.format:
        return _write_changed_workbook(changed, target)
    return write_plain_table(changed.grid, replace(bom.options, units=""), target)


def _changed_records(changed: ChangedTable, raw: Any) -> bytes:
    """Return the bytes of a text file with changed cells, and added records after the last item."""
    from massprops_cli.files.table import shortest_number_text
    from massprops_cli.files.writer import write_table

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


def _write_changed_workbook(changed: ChangedTable, target: Target) -> list[Finding]:
    """Edit the input workbook; added items are rows after its last one."""
    from massprops_cli.files.workbook.editor import SheetEdit, edit_workbook

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
        return edit_workbook(recorded_stdin() or Path(source.name), out, edit)


def write_content(content: bytes, name: str, *, replaces: bool) -> str:
    """Write a whole file, such as a robot; returns its name, empty for standard output."""
    target = Target(name or "-", "", False, replaces=replaces)
    with _open_output(target) as out:
        out.write(content)
    return "" if target.is_stdout else target.name


@contextmanager
def _open_output(target: Target) -> Iterator[BinaryIO]:
    """Open the output: standard output, or a file that is replaced only when complete."""
    if target.is_stdout:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    from massprops_cli.files.writer import atomic_file

    manager: AbstractContextManager[BinaryIO] = atomic_file(Path(target.name), replaces=target.replaces)
    with manager as out:
        yield out
