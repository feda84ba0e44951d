"""``massprops check``: check of a table against a mass budget."""

from __future__ import annotations

from massprops_cli.cli.command import Command, RepeatedOption, TableRun, command_option
from massprops_cli.cli.stages import report_output
from massprops_cli.cli.stages.table_input import read_input_bom, verbose_decision_blocks
from massprops_cli.cli.streams import Screen, report_screen
from massprops_cli.findings.finding import ConfigError, Finding, FindingsError, Severity, TableError, UsageError
from massprops_cli.reports.formats.report_data import ReportData
from massprops_cli.reports.page import findings as finding_page
from massprops_cli.reports.page.page import Line, PageBlock, Symbols, verdict_line

COMMAND = Command(
    "check",
    panel="Compare",
    summary="Check a table against a mass budget: masses, margins, centres, inertia, probabilities.",
    examples=(
        "bom.csv --budget budget.toml",
        "bom.csv --budget budget.toml --format github",
        "bom.csv --budget budget.toml --report junit=junit.xml",
    ),
    usual="budget report format fail-on today uncertainty map unit sheet config",
    sets="several-files sigmas shared-sigmas file-output findings-report",
    more="""
Exit code 0 if every limit is kept or waived, 1 if a limit is broken or the table has errors, 2 for an invalid budget
file; --fail-on sets the severity that gives exit code 1. Without --budget the [[budget]] of massprops.toml is used.
Limits in columns of the table (Allocation, Mass limit, NTE, Max mass) are checked too. In a table with errors or
missing values the known values are checked: a limit may be broken or undecided. -o writes a copy of the table with
the headroom and the verdict of each item, coloured in a workbook.
""",
)


class _CheckRun(TableRun):
    """The options of ``check``: with budget file, reference day and report files."""

    budget: RepeatedOption = command_option("budget", COMMAND)
    today: str = command_option("today", COMMAND)
    report: RepeatedOption = command_option("report", COMMAND)


def command(run: _CheckRun) -> int:
    """Read the budget, roll up the table, check it against the budget, and report."""
    if run.uncertainty == "montecarlo":
        raise UsageError("check computes probabilities from sigmas, not from samples; omit --uncertainty montecarlo")
    if run.output and (run.accounts is not None or run.condition):
        raise UsageError("-o writes one table as it was read: give it one file, and no --condition")
    report_output.parse_report_options(run.report, [run.file, *(run.budget or ())])
    from massprops_cli.budgets.file import read_budget

    budgets, bom = [read_budget(name) for name in dict.fromkeys(run.budget or ())], None
    if bare := [budget.file for budget in budgets if not budget.entries]:
        raise ConfigError(f"{bare[0]}: file has no [[budget]] entry; [[envelope]] is for massprops conditions")
    screen = report_screen(data_on_stdout=False)
    more: list[PageBlock] = []
    try:
        bom = read_input_bom(run, write_poi="none")
        more = verbose_decision_blocks(bom, run, screen.symbols)
        from massprops_cli.bom.rollup import rollup
        from massprops_cli.budgets.check import check

        outcome = check(rollup(bom, run.method, keep_going=True, **run.correlation), budgets, today=run.today or None)
    except (TableError, FindingsError, UsageError, ConfigError) as error:
        findings = () if bom is None else bom.findings
        findings = error.findings if isinstance(error, TableError | FindingsError) else findings
        _write_or_keep(run, ReportData(run.file, report_output.selected_findings(findings, run)))
        if bom is None or not (bom.is_withheld or isinstance(error, FindingsError)):
            raise
        reason = "" if isinstance(error, FindingsError) else f" ({error})"
        did = f"not checked against {', '.join(run.budget or ['its limits'])}{reason}"
        return report_output.report_failure(screen, run.file, findings, run, did, more=more)
    chosen = report_output.reported_rules(run)
    verdicts = [one for one in outcome.verdicts if one.rule in chosen]
    shown = report_output.selected_findings([*outcome.of_table, *outcome.budget_findings], run)
    ignored = len(outcome.verdicts) - len(verdicts)
    report = ReportData(run.file, shown, verdicts, outcome.result, run.fail_on, outcome.budget, ignored)
    if run.report:
        from massprops_cli.cli.commands.report import review_file_names, write_review_files
        from massprops_cli.reports.review.content import Review

        every = report_output.selected_findings(outcome.findings, run)
        write_review_files(
            run, review_file_names(run), lambda texts: Review(outcome.result, outcome, None, every, run.budget, texts)
        )
    _write_or_keep(run, report)
    reported = list(outcome.findings)
    if run.output:
        from massprops_cli.reports.table_files import save_verdicts

        reported += save_verdicts(outcome, run.output, no_clobber=run.no_clobber)
    _report_check(screen, report, report_output.selected_findings(reported, run), run, more)
    return report_output.exit_code(reported, run)


def _write_or_keep(run: _CheckRun, report: ReportData) -> None:
    """Write the reports of one file; those of several files are written at the end."""
    if run.accounts is None:
        reports = report_output.parse_report_options(run.report, [run.file, *(run.budget or ())])
        report_output.write_reports(reports, report, replaces=not run.no_clobber)
    else:
        run.accounts.append(report)


def _report_check(
    screen: Screen, report: ReportData, findings: list[Finding], run: _CheckRun, more: list[PageBlock]
) -> None:
    """Report the outcome in the requested style; ``findings`` include those of the verdicts."""
    from massprops_cli.reports.formats.comment import comment_text

    style, verdicts = run.format, report.verdicts
    report_output.write_view(
        screen,
        "concise" if run.quiet and style in (None, "full") else style,
        lambda symbols: _check_page(symbols, report, findings, run, more),
        json=lambda: {
            **finding_page.findings_report(report.source, findings),
            "budget": report.budget,
            "kept": not any(finding.severity is Severity.ERROR for finding in findings),
            "verdicts": [one.to_dict() for one in verdicts],
        },
        jsonl=lambda: [*(one.to_dict() for one in verdicts), *finding_page.finding_dicts(report.findings)],
        md=lambda: comment_text(report),
        concise=lambda: finding_page.finding_lines(findings),
        machines=lambda: report,
    )


def _check_page(
    symbols: Symbols, report: ReportData, findings: list[Finding], run: _CheckRun, more: list[PageBlock]
) -> list[PageBlock]:
    """Return the blocks of the report in the default style."""
    from massprops_cli.reports.limits import kept_limits_text, limit_blocks

    verdicts, shows_all = list(report.verdicts), run.verbose or run.format == "full"
    condition = f" in condition {run.condition}" if run.condition else ""
    did = f"{report.source}{condition}: {kept_limits_text(verdicts, report.budget, report.ignored)}"
    did += f" {symbols.arrow} {run.output}" if run.output else ""
    blocks = [verdict_line(symbols, findings, did, failed=not report.is_kept), *more]
    if run.is_summary:
        broken = [one for one in verdicts if one.is_broken]
        return blocks + (limit_blocks(broken, symbols)[1:] if broken else [])
    if verdicts:
        blocks += limit_blocks(verdicts, symbols, shows_all=shows_all)
    if findings:
        listed, counted = finding_page.fold_notes(findings)
        brief = [*finding_page.grouped_finding_blocks(listed, with_related=True), *counted]
        blocks += [Line(), *(finding_page.full_finding_blocks(findings) if shows_all else brief)]
    return blocks
