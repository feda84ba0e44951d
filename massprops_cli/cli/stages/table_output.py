"""Writing the tables with their results, here or on a cluster; all that touches files remains in this process."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.items.item_rows import ItemFault, group_texts, is_level, report_cells, requested_column
from massprops_cli.cli.command import RollupRun, split_option_ids
from massprops_cli.cli.stages.output_files import back_up_input, check_input_unchanged, file_state, output_target
from massprops_cli.cli.stages.table_input import recorded_stdin
from massprops_cli.cli.streams import progress_spinner, write_error
from massprops_cli.files.options import FileOptions
from massprops_cli.files.table import Table
from massprops_cli.findings.finding import Finding, Findings, FindingsError, MasspropsError, UsageError
from massprops_cli.reports import table_files
from massprops_cli.reports.page.conventions import AggregatedColumns, ResultWriteOptions
from massprops_cli.tables.options import TableOptions

if TYPE_CHECKING:
    from massprops_cli.bom.bom import Bom
    from massprops_cli.bom.changed_table import ChangedTable
    from massprops_cli.bom.results.result import Result
    from massprops_cli.rollups.division import Cluster

_AGGREGATION_OPTIONS = ("sum", "max", "min", "mean", "rss")


@dataclass(frozen=True, eq=False, repr=False)
class TableRequest:
    """A table to roll up: its options, its bytes, how it is read, keywords of ``rollup``, and the output to make."""

    run: RollupRun
    file_options: FileOptions
    table_options: TableOptions
    keywords: Mapping[str, Any]
    writing: ResultWriteOptions
    data: bytes = b""

    @property
    def has_other_files(self) -> bool:
        """Whether the options name files that a worker may not have."""
        options = self.table_options
        growth = options.growth_table
        is_file = bool(growth) and (Path(growth).suffix != "" or Path(growth).exists())
        of_table = options.materials or options.link_sigmas or self.file_options.tree or self.file_options.combine
        return bool(of_table or self.keywords.get("correlations")) or is_file


class _RolledTable(NamedTuple):
    """The answer for a table: the table as read, its roll-up or the errors that prevent it, and the written output."""

    bom: Bom
    result: Result | FindingsError
    target: table_files.Target | None = None
    data: bytes = b""
    findings: tuple[Finding, ...] = ()
    state: tuple[int, ...] = ()  # state of the file before it was read

    def rolled(self) -> Result:
        """Return the roll-up; raises FindingsError where errors prevent one."""
        if isinstance(self.result, FindingsError):
            raise self.result
        return self.result

    def written(self, target: table_files.Target) -> tuple[bytes, tuple[Finding, ...]] | None:
        """Return the bytes of an output with the findings of writing; None if they are not those of this target."""
        return (self.data, self.findings) if self.target == target else None


_Answer = _RolledTable | MasspropsError | None  # None: the table must be rolled up here


def _roll_up_table(request: TableRequest) -> _Answer:
    """Roll up a table from its bytes; returns an exception as a value, None for meshes, which are in other files."""
    from massprops_cli.bom.bom import Bom
    from massprops_cli.bom.rollup import rollup

    try:
        bom = Bom.read(request.run.file, request.file_options, request.table_options, io.BytesIO(request.data))
        if "mesh" in bom.columns.by_quantity:
            return None
        if has_aggregations(request.run):
            bom = drop_missing_mass_finding(bom)
        try:
            result = rollup(bom, keep_going=True, **request.keywords)
        except FindingsError as error:
            return _RolledTable(bom, error)
    except MasspropsError as error:
        return error
    if not request.run.keep_going and any(finding.is_withholding for finding in result.findings):
        return _RolledTable(bom, result)
    # answer with the bytes of the output; a fault is reported where the output is written
    answer = _RolledTable(bom, result)
    with suppress(MasspropsError):
        format_name = answer.bom.table.source.format
        target = output_target(request.run, format_name, to_stdout=False, in_place=request.run.in_place)
        other = aggregate_columns(result, request.run, Findings())
        out = io.BytesIO()
        findings = table_files.write_result_table(result, out, target, replace(request.writing, other=other))
        return answer._replace(target=target, data=out.getvalue(), findings=tuple(findings))
    return answer


class _ClusterTables:
    """Answers of a cluster for several tables, in their order."""

    def __init__(self, cluster: Cluster, files: Sequence[str], request: Callable[[str], TableRequest]) -> None:
        self._request = request
        self._states: dict[str, tuple[int, ...]] = {}
        self._answers: Generator[_Answer, None, None] | None = cluster.ordered_results(
            _roll_up_table, self._requests(files)
        )

    def _requests(self, files: Iterable[str]) -> Iterator[tuple[str, TableRequest | None]]:
        """Yield the requests; None for a table that no worker can roll up, or whose fault is found in its turn."""
        for name in files:
            request = None
            with suppress(MasspropsError, OSError):
                made = self._request(name)
                self._states[name] = file_state(name)
                if not made.has_other_files and Path(name).is_file():
                    request = replace(made, data=Path(name).read_bytes())
            yield name, request

    def take(self, name: str) -> _RolledTable | None:
        """Return the answer for the next file; None if it must be rolled up here."""
        from massprops_cli.rollups.division import ClusterLostError

        if self._answers is None:
            return None
        try:
            with progress_spinner(f"waiting for the roll-up of {name}"):
                answer = next(self._answers)
        except ClusterLostError as error:
            write_error(f"massprops: {error}; the other files are rolled up here\n")
            self._answers = None
            return None
        if isinstance(answer, MasspropsError):
            raise answer
        return None if answer is None else answer._replace(state=self._states[name])

    def close(self) -> None:
        """Cancel what is in progress."""
        if self._answers is not None:
            self._answers.close()


@contextmanager
def tables_on_cluster(
    address: str, files: Sequence[str], request: Callable[[str], TableRequest]
) -> Iterator[_ClusterTables]:
    """Send several tables to a cluster."""
    from massprops_cli.rollups.division import connected_cluster

    with connected_cluster(address) as cluster:
        tables = _ClusterTables(cluster, files, request)
        try:
            yield tables
        finally:
            tables.close()


def has_aggregations(run: RollupRun) -> bool:
    """Return whether the command line requests the aggregation of other columns."""
    return any(getattr(run, way) for way in _AGGREGATION_OPTIONS)


def aggregated_column_names(run: RollupRun) -> tuple[str, ...]:
    """List all columns to aggregate, and those of the subtotals."""
    names = [name for way in (*_AGGREGATION_OPTIONS, "by") for name in split_option_ids(getattr(run, way))]
    if not run.by:
        return tuple(names)
    return tuple(name for name in names if not is_level(name))


def drop_missing_mass_finding(bom: Bom) -> Bom:
    """Remove the finding of missing masses of all items, where other columns are aggregated."""
    if (column := bom.columns.by_quantity.get("mass")) is not None:
        known = bom.bodies.mass[bom.bodies.mass == bom.bodies.mass]
        is_absent = not known.any() and "mass" in bom.options.allow_missing
        at = ("MP206", column.header)
        return replace(
            bom, findings=tuple(f for f in bom.findings if not (is_absent and (f.rule, f.place.column) == at))
        )
    return replace(bom, findings=tuple(f for f in bom.findings if not (f.rule == "MP203" and "masses" in f.message)))


def aggregate_columns(result: Result, run: RollupRun, findings: Findings) -> AggregatedColumns:
    """Roll up every requested column; report cells of leaves that are not numbers."""
    if not has_aggregations(run) and not run.by:
        return AggregatedColumns(budgets=run.budget)
    from massprops_cli.rollups.subtotals import label_subtotals, roll_up_column

    bom = result.bom
    requested: list[tuple[str, str, NDArray[np.float64]]] = []
    for way in _AGGREGATION_OPTIONS:
        for name in split_option_ids(getattr(run, way)):
            j = requested_column(name, bom.table, bom.columns, f"--{way}")
            if way == "mean" and "mass" not in bom.columns.by_quantity:
                raise UsageError(f"the mean of {name} requires a column of masses as weights")
            requested.append((bom.columns.header[j], way, _item_column_values(bom, j, findings)))
    shows_tree = run.by == ["tree"] and "tree" not in bom.columns.header
    labels = () if shows_tree else split_option_ids(run.by)
    texts = [group_texts(bom, name) for name in labels]
    mass = np.asarray(result.rollup.bodies.mass, dtype=float)
    rolled = tuple((name, roll_up_column(bom.tree, values, way, bom.quantity, mass)) for name, way, values in requested)
    if not labels:
        return AggregatedColumns(rolled, budgets=run.budget, shows_tree=shows_tree)
    method = "covariance" if result.rollup.sampled is not None else result.rollup.method
    made = label_subtotals(bom.rollup_inputs(result.correlation), texts, method=method)
    of_groups = tuple((name, made.column(values, way, mass)) for name, way, values in requested)
    return AggregatedColumns(rolled, labels, made, of_groups, run.budget)


def _item_column_values(bom: Bom, column: int, findings: Findings) -> NDArray[np.float64]:
    """Return a column as numbers of items ``(n,)``, NaN where blank; reports cells of leaves that are not numbers."""
    items, quantity = bom.item_rows, bom.item_rows.plain_column(column, bom.options)
    parsed = items.parsed(quantity)
    bad = np.intersect1d(parsed.bad + bom.columns.first_row, bom.rows[bom.tree.is_leaf() & (bom.rows >= 0)])
    if len(bad):
        fault = ItemFault("MP205", quantity)
        report_cells(fault, bom.table, bad, lambda _: f"{quantity.header} is not a number", findings)
    return items.gather(parsed.values, np.nan)


def write_result(
    result: Result,
    target: table_files.Target,
    options: ResultWriteOptions,
    state: tuple[int, ...] = (),
    written: tuple[bytes, Sequence[Finding]] | None = None,
) -> tuple[list[Finding], str]:
    """Write a rolled-up table; returns findings, and the name of the backup of the input, or empty."""
    with progress_spinner(f"writing {target.name}"), _open_output(target) as out:
        if written is None:
            findings = table_files.write_result_table(result, out, target, options)
        else:
            findings = list(written[1])
            out.write(written[0])
        if target.in_place:
            check_input_unchanged(target.name, state)
        return findings, back_up_input(target.name, out) if target.in_place else ""


def write_plain_table(
    table: Table, options: TableOptions, target: table_files.Target, result: table_files.SheetTitle | None = None
) -> list[Finding]:
    """Write a table in another format; with ``--units``, its numbers in other units."""
    with _open_output(target) as out:
        return table_files.write_converted_table(table, options, out, target, result)


def write_changed_table(changed: ChangedTable, bom: Bom, target: table_files.Target) -> list[Finding]:
    """Write a table with changed cells and added rows; all other cells keep their characters."""
    table, filling = changed.table, changed.filling
    source, info = table.source, table.sheet_info
    is_text = getattr(table, "raw", None) is not None
    if is_text and source.format == target.format and not (filling.added and changed.added):
        from massprops_cli.files.workbook.row_insertion import changed_records

        data = changed_records(table, filling, changed.added, changed.last)
        if target.compressed:
            import gzip

            data = gzip.compress(data, mtime=0)
        with _open_output(target) as out:
            out.write(data)
        return []
    if source.format in table_files.WORKBOOK_FORMATS and info is not None and target.format == source.format:
        return _write_changed_workbook(changed, target)
    return write_plain_table(changed.grid, replace(bom.options, units=""), target)


def _write_changed_workbook(changed: ChangedTable, target: table_files.Target) -> list[Finding]:
    """Edit the input workbook; added items are rows after its last one."""
    from massprops_cli.files.workbook.editor import SheetEdit, edit_workbook

    table, filling = changed.table, changed.filling
    source, info = table.source, table.sheet_info
    assert info is not None
    if any(one.name == "qty" for one in filling.added):
        raise UsageError(f"--drop needs a quantity column in a workbook: {source.name} (write -o FILE.csv instead)")
    if changed.added and changed.last + 1 < table.n_rows:
        raise UsageError(
            f"--new cannot insert a row: {source.name} has rows below the last item (write -o FILE.csv instead)"
        )
    names = {j: one.name for j, one in enumerate(filling.added, table.n_columns)}  # right of the table
    fills = (*filling.columns(table.n_columns), *changed.added_fills())
    filling = replace(filling, fills=fills, added=(), renames={**filling.renames, **names})
    edit = SheetEdit(source.sheet, filling, info.first_row, info.first_column, name=source.name, is_input=True)
    with _open_output(target) as out:
        return edit_workbook(source.content or recorded_stdin() or Path(source.name), out, edit)


def write_content(content: bytes, name: str, *, replaces: bool) -> str:
    """Write a whole file, such as a robot; returns its name, empty for standard output."""
    target = table_files.Target(name or "-", "", False, replaces=replaces)
    with _open_output(target) as out:
        out.write(content)
    return "" if target.is_stdout else target.name


@contextmanager
def _open_output(target: table_files.Target) -> Iterator[BinaryIO]:
    """Open the output: standard output, or a file that is replaced only when complete."""
    if target.is_stdout:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    from massprops_cli.files.writer import atomic_file

    with atomic_file(Path(target.name), replaces=target.replaces) as out:
        yield out
