"""Several tables on a cluster: workers get the bytes of a file, and return its roll-up and the bytes of the output.

All that touches files remains in this process: reading, outputs, backups, reports. A table that names other files
(materials, growth, correlations, meshes) is rolled up here, where these are.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from massprops_cli.cli.option_groups import AggregationOptions, OutputOptions
from massprops_cli.cli.stages.output_files import file_state, output_target
from massprops_cli.cli.stages.table_output import aggregate_columns, drop_missing_mass_finding, has_aggregations
from massprops_cli.cli.streams import progress_spinner, write_error
from massprops_cli.cluster import Cluster, ClusterLostError, connected_cluster
from massprops_cli.findings.finding import Findings, FindingsError, MasspropsError
from massprops_cli.reports.table_files import ResultWriteOptions, Target, write_result_table

if TYPE_CHECKING:
    from massprops_cli.bom.bom import Bom
    from massprops_cli.bom.results.result import Result
    from massprops_cli.files.options import FileOptions
    from massprops_cli.findings.finding import Finding
    from massprops_cli.tables.options import TableOptions


@dataclass(frozen=True, eq=False, repr=False)
class TableRequest:
    """A table to roll up: name and bytes, how it is read, keywords of ``rollup``, and the output to make of it."""

    name: str
    file_options: FileOptions
    table_options: TableOptions
    keywords: Mapping[str, Any]
    columns: AggregationOptions
    output: OutputOptions
    in_place: bool
    keep_going: bool
    writing: ResultWriteOptions
    data: bytes = b""

    @property
    def has_other_files(self) -> bool:
        """Whether the options name files that a worker may not have."""
        options = self.table_options
        growth = options.growth_table
        is_file = bool(growth) and (Path(growth).suffix != "" or Path(growth).exists())
        of_table = options.materials or self.file_options.tree or self.file_options.combine
        return bool(of_table or self.keywords.get("correlations")) or is_file


class _RolledTable(NamedTuple):
    """The answer for a table: the table as read, its roll-up or the errors that prevent it, and the written output."""

    bom: Bom
    result: Result | FindingsError
    target: Target | None = None
    data: bytes = b""
    findings: tuple[Finding, ...] = ()
    state: tuple[int, ...] = ()
    """State of the file before it was read."""

    def rolled(self) -> Result:
        """Return the roll-up; raises FindingsError where errors prevent one."""
        if isinstance(self.result, FindingsError):
            raise self.result
        return self.result

    def written(self, target: Target) -> tuple[bytes, tuple[Finding, ...]] | None:
        """Return the bytes of an output with the findings of writing; None if they are not those of this target."""
        return (self.data, self.findings) if self.target == target else None


_Answer = _RolledTable | MasspropsError | None
"""None: the table must be rolled up here."""


def _roll_up_table(request: TableRequest) -> _Answer:
    """Roll up a table from its bytes; returns an exception as a value, None for meshes, which are in other files."""
    from massprops_cli.bom.bom import Bom
    from massprops_cli.bom.rollup import rollup

    try:
        bom = Bom.read(request.name, request.file_options, request.table_options, io.BytesIO(request.data))
        if "mesh" in bom.columns.by_quantity:
            return None
        if has_aggregations(request.columns):
            bom = drop_missing_mass_finding(bom)
        try:
            result = rollup(bom, keep_going=True, **request.keywords)
        except FindingsError as error:
            return _RolledTable(bom, error)
    except MasspropsError as error:
        return error
    if not request.keep_going and any(finding.is_withholding for finding in result.findings):
        return _RolledTable(bom, result)
    return _with_output(request, _RolledTable(bom, result), result)


def _with_output(request: TableRequest, answer: _RolledTable, result: Result) -> _RolledTable:
    """Return the answer with the bytes of the output; a fault is reported where the output is written."""
    with suppress(MasspropsError):
        format_name = answer.bom.table.source.format
        target = output_target(request.name, format_name, request.output, to_stdout=False, in_place=request.in_place)
        other = aggregate_columns(result, request.columns, Findings())
        out = io.BytesIO()
        findings = write_result_table(result, out, target, replace(request.writing, other=other))
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
    with connected_cluster(address) as cluster:
        tables = _ClusterTables(cluster, files, request)
        try:
            yield tables
        finally:
            tables.close()
