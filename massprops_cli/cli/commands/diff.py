"""``massprops diff``: changes between two revisions of a table, and their effect on the totals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from massprops_cli.cli.command import Command, RepeatedOption, WritingRun, command_module, command_option
from massprops_cli.cli.commands.contributions import write_frame
from massprops_cli.cli.stages import report_output
from massprops_cli.cli.stages.output_files import requested_output
from massprops_cli.cli.stages.table_input import read_input_bom, sheet_of_workbook
from massprops_cli.cli.streams import EXIT_FAILURE, EXIT_FINDINGS, EXIT_OK, Screen, report_screen
from massprops_cli.findings.finding import Finding, FindingsError, Severity, TableError, UsageError
from massprops_cli.options import MACHINE_STYLES, MatchKey
from massprops_cli.reports.table_files import WORKBOOK_FORMATS, SheetTitle, Target

if TYPE_CHECKING:
    import pandas as pd

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
    usual="of item match threshold reasons depth top output format sheet",
    sets="sigmas table-output findings-report",
    more="""
Contributions add up to the change of the total, with rounding in a row of its own. All options apply to both files;
- reads one of them from standard input. -o writes the changed items as a table. The exit code is 0 unless a change
exceeds a --threshold.
""",
)
_DEFAULT_STEPS = 12


class _DiffRun(WritingRun):
    """The options of ``diff``: both files, matching of items, thresholds, reasons and waterfall."""

    old: str = command_option("old", COMMAND)
    match: MatchKey | None = command_option("match", COMMAND)
    of: str = command_option("of", COMMAND)
    item: str = command_option("item", COMMAND)
    depth: int | None = command_option("depth", COMMAND)
    threshold: RepeatedOption = command_option("threshold", COMMAND)
    reasons: str = command_option("reasons", COMMAND)
    top: int | None = command_option("top", COMMAND)
    report: RepeatedOption = command_option("report", COMMAND)


def command(run: _DiffRun) -> int:
    """Read both tables, match their items, and report the effect of every change."""
    if run.uncertainty == "montecarlo":
        raise UsageError("diff compares numbers, not samples; use --uncertainty covariance, massprops or none")
    if run.old == run.file == "-":
        raise UsageError("both files are standard input; name a file for one of them")
    boms = []
    for name in (run.old, run.file):
        try:
            is_other = name != "-" and "-" in (run.old, run.file)
            # read one of the files; ``--from`` applies to standard input if one of them is, ``--sheet`` to workbooks
            one = replace(replace(run, from_format="") if is_other else run, file=name)
            boms.append(read_input_bom(replace(one, sheet=sheet_of_workbook(one)), write_poi="none"))
        except TableError as error:
            return _report_comparison_failure(name, error.findings, run, "no table", EXIT_FAILURE)
    reports = command_module("report").review_file_names(run) if run.report else []
    target, screen = requested_output(run, boms[1].table)
    from massprops_cli.revisions.comparison import diff

    column = run.reasons.removeprefix("column:") if run.reasons.startswith("column:") else ""
    try:
        answer = diff(
            *boms,
            match=run.match,
            uncertainty=run.method,
            thresholds=run.threshold or (),
            reasons="" if column else run.reasons,
            reason_column=column,
            keep_going=True,
        )
    except FindingsError as error:
        places = (finding.place.file for finding in error.findings if finding.severity is Severity.ERROR)
        name = next(filter(None, places), run.file)
        return _report_comparison_failure(name, error.findings, run, "not rolled up")
    except UsageError as error:
        both = zip((run.old, run.file), boms, strict=True)
        if (wrong := next(((name, bom) for name, bom in both if bom.is_withheld), None)) is None:
            raise
        return _report_comparison_failure(wrong[0], wrong[1].findings, run, f"not compared ({error})")
    code = report_output.exit_code(answer.findings, run)
    has_waterfall = (run.of, run.item, run.depth, run.top) != ("mass", "", None, None)
    answer = replace(
        answer,
        comparison_findings=tuple(report_output.selected_findings(answer.comparison_findings, run)),
        links=None if has_waterfall else answer.links,
    )
    if target is not None:
        _write_diff(answer, target)
    _write_reviews(run, answer, reports)
    if not report_output.is_silent(run, has_output=target is not None):
        try:
            _report_diff(screen, answer, run, failed=code != EXIT_OK)
        except UsageError as error:  # a total that cannot be computed has no change
            withheld = next((result for result in (answer.old, answer.new) if result.is_withheld), None)
            if withheld is None:
                raise
            name, did = withheld.bom.table.source.name, f"not compared ({error})"
            return _report_comparison_failure(name, withheld.findings, run, did)
    if run.format not in MACHINE_STYLES:
        did, failed = " and ".join(answer.names), code != EXIT_OK
        report_output.report_on_stderr(answer.names[1], answer.findings, run, did, failed=failed)
    return code


def _write_reviews(run: _DiffRun, answer: Diff, names: Sequence[str]) -> None:
    """Write the design reviews of ``--report``."""
    if names:
        from massprops_cli.cli.commands.report import write_review_files
        from massprops_cli.reports.review.content import Review

        found = report_output.selected_findings(answer.findings, run)
        write_review_files(run, names, lambda texts: Review(answer.new, diff=answer, findings=found, settings=texts))


def _write_diff(answer: Diff, target: Target) -> None:
    """Write the changed items as a table; in a workbook with a sheet of totals before it."""
    from massprops_cli.reports import diff as view

    title, before = " → ".join(Path(name).name for name in answer.names), []
    if target.format in WORKBOOK_FORMATS:
        from massprops_cli.reports.table_sheets import totals_sheet

        before = [totals_sheet(view.totals_table(answer), title)]
    write_frame(_short_frame(answer), target, SheetTitle("Diff", title, before), partial(view.diff_heading, answer))


def _short_frame(answer: Diff) -> pd.DataFrame:
    """Return the changed items with the fewest digits (contributions have the rounding of the totals), or links."""
    from massprops_cli.files.table import short_numbers

    frame, whole = answer.to_dataframe(), answer.whole
    if answer.links is not None:
        return frame
    for name in ("mass_before", "mass_after"):
        frame[name] = short_numbers(frame[name].to_numpy(float))
    for k, column in enumerate(column for column in frame if str(column).startswith("d_")):
        size = np.fmax(abs(whole.before[k]), abs(whole.after[k]))
        frame[column] = short_numbers(frame[column].to_numpy(float), np.full(len(frame), size))
    return frame


def _report_comparison_failure(
    name: str, findings: Sequence[Finding], run: _DiffRun, did: str, code: int = EXIT_FINDINGS
) -> int:
    """Report why the revisions are not compared, and return the exit code."""
    return report_output.report_failure(report_screen(data_on_stdout=False), name, findings, run, did, code)


def _report_diff(screen: Screen, answer: Diff, run: _DiffRun, *, failed: bool) -> None:
    """Report the comparison in the requested style; json and jsonl have every changed item."""
    from massprops_cli.reports import diff as view
    from massprops_cli.revisions.comparison import result_waterfall

    def waterfall(top: int | None) -> Waterfall:
        """Compute the steps of the requested result, all of them or the largest."""
        return result_waterfall(answer, run.of, run.item or None, run.depth, top)

    style = run.format
    listed = answer.rows() if answer.links is None else answer.links.links
    if report_output.write_data_view(screen, style, jsonl=lambda: [row.to_dict() for row in listed]):
        return
    fall = waterfall(run.top or _DEFAULT_STEPS)
    if style in MACHINE_STYLES:
        data = report_output.report_data(
            answer.names[1], report_output.selected_findings(answer.findings, run), run, answer.new
        )
        report_output.write_ci_report(screen, data, style, view.diff_markdown(answer, fall))
        return
    report_output.write_view(
        screen,
        style,
        lambda symbols: view.diff_blocks(answer, fall, symbols, failed=failed),
        json=lambda: {**answer.to_dict(), "waterfall": waterfall(run.top).to_dict()},
        md=lambda: view.diff_markdown(answer, fall),
        concise=lambda: view.diff_lines(answer, fall),
    )
