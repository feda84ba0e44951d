"""``massprops diff``: changes between two revisions of a table, and their effect on the totals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from massprops_cli.cli.command import Command
from massprops_cli.cli.commands.contributions import write_frame
from massprops_cli.cli.option_groups import (
    InputOptions,
    MeaningOptions,
    OutputOptions,
    RepeatedOption,
    ReportOptions,
    SigmaOptions,
    command_option,
)
from massprops_cli.cli.stages.output_files import requested_target
from massprops_cli.cli.stages.report_output import (
    exit_code,
    report_data,
    report_failure,
    report_on_stderr,
    selected_findings,
    write_ci_report,
    write_data_view,
    write_view,
)
from massprops_cli.cli.stages.table_input import read_input_bom
from massprops_cli.cli.streams import EXIT_FAILURE, EXIT_FINDINGS, EXIT_OK, Screen, report_screen
from massprops_cli.files.options import MULTI_TABLE_FORMATS
from massprops_cli.findings.finding import Finding, FindingsError, Severity, TableError, UsageError
from massprops_cli.options import MACHINE_STYLES, MatchKey

if TYPE_CHECKING:
    from massprops_cli.bom.bom import Bom
    from massprops_cli.revisions.comparison import Waterfall
    from massprops_cli.revisions.diff import Diff

COMMAND = Command(
    "diff",
    panel="Compare",
    summary="Compare two revisions and show the effect of every change on the totals.",
    examples=(
        "spacecraft.csv spacecraft.xlsx",
        "spacecraft.csv spacecraft.xlsx --of Cz --top 5",
        "spacecraft.csv spacecraft.xlsx --threshold 'mass 1 kg'",
    ),
    usual="of item match threshold reasons level top output format sheet",
    sets="sigmas table-output findings-report",
    more="""
Contributions add up to the change of the total, with rounding in a row of its own. All options apply to both files;
- reads one of them from standard input. -o writes the changed items as a table. The exit code is 0 unless a change
exceeds a --threshold.
""",
)

_DEFAULT_STEPS = 12


@dataclass(frozen=True)
class _OldFile:
    """The file of the old revision."""

    old: str = command_option("old", COMMAND)


@dataclass(frozen=True)
class _NewFile(InputOptions):
    """The file of the new revision, and the options for reading both files."""

    file: str = command_option("file", COMMAND)


@dataclass(frozen=True)
class _DiffOptions:
    """Matching of items, thresholds, reasons and waterfall."""

    match: MatchKey = command_option("match", COMMAND)
    of: str = command_option("of", COMMAND)
    item: str = command_option("item", COMMAND)
    level: int | None = command_option("level", COMMAND)
    threshold: RepeatedOption = command_option("threshold", COMMAND)
    reasons: str = command_option("reasons", COMMAND)
    reason_column: str = command_option("reason-column", COMMAND)
    top: int | None = command_option("top", COMMAND)


def command(
    old: _OldFile,
    reading: _NewFile,
    meaning: MeaningOptions,
    stated: SigmaOptions,
    reporting: ReportOptions,
    output: OutputOptions,
    question: _DiffOptions,
) -> int:
    """Read both tables, match their items, and report the effect of every change."""
    if stated.uncertainty == "montecarlo":
        raise UsageError("diff compares numbers, not samples; use --uncertainty covariance, massprops or none")
    if old.old == reading.file == "-":
        raise UsageError("both files are standard input; name a file for one of them")
    boms = []
    for name in (old.old, reading.file):
        try:
            is_other = name != "-" and "-" in (old.old, reading.file)
            boms.append(
                _read_revision(name, replace(reading, from_format="") if is_other else reading, meaning, stated)
            )
        except TableError as error:
            return _report_comparison_failure(name, error.findings, reporting, "no table", EXIT_FAILURE)
    target = requested_target(reading.file, boms[1].table, output)
    try:
        answer = _requested_diff(boms[0], boms[1], question, stated)
    except FindingsError as error:
        places = (finding.place.file for finding in error.findings if finding.severity is Severity.ERROR)
        name = next(filter(None, places), reading.file)
        return _report_comparison_failure(name, error.findings, reporting, "not rolled up")
    except UsageError as error:
        both = zip((old.old, reading.file), boms, strict=True)
        wrong = next(((name, bom) for name, bom in both if bom.is_withheld), None)
        if wrong is None:
            raise
        return _report_comparison_failure(wrong[0], wrong[1].findings, reporting, f"not compared ({error})")
    screen = report_screen(data_on_stdout=target is not None and target.is_stdout)
    code = exit_code(answer.findings, reporting)
    answer = replace(answer, comparison_findings=tuple(selected_findings(answer.comparison_findings, reporting)))
    if target is not None:
        write_frame(answer.to_dataframe(), target, "Diff")
    if target is None or not reporting.quiet:
        try:
            _report_diff(screen, answer, question, reporting, failed=code != EXIT_OK)
        except UsageError as error:  # a total that cannot be computed has no change
            withheld = next((result for result in (answer.old, answer.new) if result.is_withheld), None)
            if withheld is None:
                raise
            name, did = withheld.bom.table.source.name, f"not compared ({error})"
            return _report_comparison_failure(name, withheld.findings, reporting, did)
    if reporting.format not in MACHINE_STYLES:
        did, failed = " and ".join(answer.names), code != EXIT_OK
        report_on_stderr(answer.names[1], answer.findings, reporting, did, failed=failed)
    return code


def _read_revision(name: str, reading: InputOptions, meaning: MeaningOptions, stated: SigmaOptions) -> Bom:
    """Read one of the files; ``--from`` applies to standard input if one of them is, ``--sheet`` to workbooks."""
    from massprops_cli.reports.table_files import format_of_name

    one = replace(reading, file=name)
    if one.sheet and name != "-" and format_of_name(name) not in MULTI_TABLE_FORMATS:
        one = replace(one, sheet="")
    method = stated.uncertainty or "auto"
    return read_input_bom(one, meaning, use_sigmas=method != "none", sigma_level=stated.sigmas_are, write_poi="none")


def _requested_diff(old: Bom, new: Bom, question: _DiffOptions, stated: SigmaOptions) -> Diff:
    """Compute the comparison."""
    from massprops_cli.revisions.comparison import diff

    method = stated.uncertainty or "auto"
    return diff(
        old,
        new,
        match=question.match,
        uncertainty=method,
        thresholds=question.threshold or (),
        reasons=question.reasons,
        reason_column=question.reason_column,
        keep_going=True,
    )


def _report_comparison_failure(
    name: str, findings: Sequence[Finding], reporting: ReportOptions, did: str, code: int = EXIT_FINDINGS
) -> int:
    """Report why the revisions are not compared, and return the exit code."""
    return report_failure(report_screen(data_on_stdout=False), name, findings, reporting, did, code)


def _report_diff(
    screen: Screen, answer: Diff, question: _DiffOptions, reporting: ReportOptions, *, failed: bool
) -> None:
    """Report the comparison in the requested style; json and jsonl have every changed item."""
    from massprops_cli.reports import diff as view
    from massprops_cli.revisions.comparison import result_waterfall

    def waterfall(top: int | None) -> Waterfall:
        """Compute the steps of the requested result, all of them or the largest."""
        return result_waterfall(answer, question.of, question.item or None, question.level, top)

    style = reporting.format
    if write_data_view(screen, style, jsonl=lambda: [row.to_dict() for row in answer.rows()]):
        return
    fall = waterfall(question.top or _DEFAULT_STEPS)
    if style in MACHINE_STYLES:
        data = report_data(answer.names[1], selected_findings(answer.findings, reporting), reporting, answer.new)
        write_ci_report(screen, data, style, view.diff_markdown(answer, fall))
        return
    write_view(
        screen,
        style,
        lambda symbols: view.diff_blocks(answer, fall, symbols, failed=failed),
        json=lambda: {**answer.to_dict(), "waterfall": waterfall(question.top).to_dict()},
        md=lambda: view.diff_markdown(answer, fall),
        concise=lambda: view.diff_lines(fall),
    )
