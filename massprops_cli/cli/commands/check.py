"""``massprops check``: check of a table against a mass budget."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

from massprops_cli.cli.command import Command
from massprops_cli.cli.option_groups import (
    MeaningOptions,
    RepeatedOption,
    ReportOptions,
    SigmaOptions,
    TableInputOptions,
    command_option,
)
from massprops_cli.cli.stages.report_output import (
    MACHINE_STYLES,
    exit_code,
    parse_report_options,
    report_findings,
    rule_selection,
    selected_findings,
    write_ci_report,
    write_reports,
)
from massprops_cli.cli.stages.table_input import explain_table, read_input_bom, verbose_decision_blocks
from massprops_cli.cli.streams import EXIT_FINDINGS, Screen, report_screen
from massprops_cli.findings.finding import ConfigError, Finding, FindingsError, Severity, TableError, UsageError
from massprops_cli.options import RollupMethod
from massprops_cli.reports.formats.report_data import ReportData
from massprops_cli.reports.page.findings import (
    finding_json_lines,
    finding_lines,
    findings_report,
    fold_notes,
    full_finding_blocks,
    json_line,
    json_text,
)
from massprops_cli.reports.page.page import Line, PageBlock
from massprops_cli.reports.summary import verdict_line as headline

if TYPE_CHECKING:
    from massprops_cli.bom.bom import Bom
    from massprops_cli.budgets.check import Check
    from massprops_cli.budgets.model import Budget, Verdict

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
    sets="several-files sigmas file-output findings-report",
    more="""
Exit code 0 if every limit is kept or waived, 1 if a limit is broken or the table has errors, 2 for an invalid budget
file; --fail-on sets the severity that gives exit code 1. Without --budget the [[budget]] of massprops.toml is used. In
a table with errors or missing values the known values are checked: a limit may be broken or undecided.
""",
)


@dataclass(frozen=True)
class _CheckOptions:
    """Budget file, reference day and report files."""

    budget: str = command_option("budget", COMMAND)
    today: str = command_option("today", COMMAND)
    report: RepeatedOption = command_option("report", COMMAND)
    no_clobber: bool = command_option("no-clobber", COMMAND)


def command(
    reading: TableInputOptions,
    meaning: MeaningOptions,
    stated: SigmaOptions,
    request: _CheckOptions,
    reporting: ReportOptions,
) -> int:
    """Read the budget, roll up the table, check it against the budget, and report."""
    rule_selection(reporting)
    method = stated.uncertainty or "auto"
    if stated.uncertainty == "montecarlo":
        raise UsageError("check computes probabilities from sigmas, not from samples; omit --uncertainty montecarlo")
    today = _parse_today(request.today)
    budget = _resolve_budget(request.budget, reading)
    reports = parse_report_options(request.report, [reading.file, budget.file])
    bom = None
    screen = report_screen(data_on_stdout=False)
    more: list[PageBlock] = []
    try:
        bom = read_input_bom(
            reading, meaning, use_sigmas=method != "none", sigma_level=stated.sigmas_are, write_poi="none"
        )
        explain_table(bom, reading, meaning, reporting)
        more = verbose_decision_blocks(bom, reading, screen.symbols, is_verbose=reporting.verbose)
        outcome = _budget_check(bom, budget, method, today)
    except (TableError, FindingsError, UsageError, ConfigError) as error:
        findings = () if bom is None else bom.findings
        findings = error.findings if isinstance(error, TableError | FindingsError) else findings
        data = ReportData(reading.file, selected_findings(findings, reporting))
        write_reports(reports, data, replaces=not request.no_clobber)
        if bom is None or not (bom.is_withheld or isinstance(error, FindingsError)):
            raise
        did = f"{reading.file}: not checked against {budget.file}"
        did += "" if isinstance(error, FindingsError) else f" ({error})"
        report_findings(screen, reading.file, findings, reporting, did, failed=True, brief=True, more=more)
        return EXIT_FINDINGS
    report = _check_report_data(reading.file, outcome, reporting)
    write_reports(reports, report, replaces=not request.no_clobber)
    _report_check(screen, report, selected_findings(outcome.findings, reporting), reporting, budget, more)
    return exit_code(outcome.findings, reporting)


def _budget_check(bom: Bom, budget: Budget, method: RollupMethod, today: date | None) -> Check:
    """Roll up and check; raises FindingsError if the table has errors."""
    from massprops_cli.bom.rollup import rollup
    from massprops_cli.budgets.check import check

    return check(rollup(bom, method, keep_going=True), budget, today=today)


def _resolve_budget(name: str, reading: TableInputOptions) -> Budget:
    """Read the named budget, else that of the configuration; raises ConfigError if none exists."""
    from massprops_cli.bom.configuration.location import CONFIGURATION_NAME
    from massprops_cli.budgets.file import read_budget

    if name:
        return read_budget(name)
    if reading.settings.budget is not None:
        file, within = reading.settings.budget
        return read_budget(file, within=within)
    raise ConfigError(f"no budget is given; name its file with --budget, or add [[budget]] to {CONFIGURATION_NAME}")


def _parse_today(text: str) -> date | None:
    """Parse ``--today``; None without it."""
    if not text:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise UsageError(f"--today is not a date: {text} (expected a day such as 2027-03-31)") from None


def _check_report_data(name: str, outcome: Check, reporting: ReportOptions) -> ReportData:
    """Return the data of the report: verdicts and findings of the selected rules."""
    chosen, dropped = rule_selection(reporting)
    verdicts = [one for one in outcome.verdicts if one.rule in chosen and one.rule not in dropped]
    findings = selected_findings([*outcome.of_table, *outcome.budget_findings], reporting)
    return ReportData(name, findings, verdicts, outcome.result, reporting.fail_on)


def _report_check(
    screen: Screen,
    report: ReportData,
    findings: list[Finding],
    reporting: ReportOptions,
    budget: Budget,
    more: list[PageBlock],
) -> None:
    """Report the outcome in the requested style; ``findings`` include those of the verdicts."""
    style = reporting.format
    if style in MACHINE_STYLES:
        write_ci_report(screen, report, style)
    elif style == "json":
        screen.write(json_text(_check_report_dict(report, findings, budget)))
    elif style == "jsonl":
        screen.write("".join(json_line(one.to_dict()) for one in report.verdicts) + finding_json_lines(report.findings))
    elif style == "md":
        from massprops_cli.reports.formats.code_hosts import comment_text

        screen.write_text(comment_text(report))
    elif style == "concise" or reporting.quiet:
        screen.write_text(finding_lines(findings))
    else:
        shows_all = reporting.verbose or style == "full"
        is_summary = reporting.is_summary
        screen.show(_check_page(screen, report, findings, budget, more, shows_all=shows_all, is_summary=is_summary))


def _check_report_dict(report: ReportData, findings: list[Finding], budget: Budget) -> dict[str, Any]:
    """Return verdicts and findings as plain JSON values."""
    return {
        **findings_report(report.source, findings),
        "budget": budget.file,
        "kept": not any(finding.severity is Severity.ERROR for finding in findings),
        "verdicts": [one.to_dict() for one in report.verdicts],
    }


def _check_page(
    screen: Screen,
    report: ReportData,
    findings: list[Finding],
    budget: Budget,
    more: list[PageBlock],
    *,
    shows_all: bool,
    is_summary: bool,
) -> list[PageBlock]:
    """Return the blocks of the report in the default style."""
    from massprops_cli.reports.limits import kept_limits_text, limit_blocks

    verdicts: list[Verdict] = list(report.verdicts)
    did = f"{report.source}: {kept_limits_text(verdicts, budget.file)}"
    blocks = [headline(screen.symbols, findings, did, failed=not report.is_kept), *more]
    if is_summary:
        return blocks
    if verdicts:
        blocks += limit_blocks(verdicts, screen.symbols, shows_all=shows_all)
    if findings:
        listed, counted = (findings, []) if shows_all else fold_notes(findings)
        blocks += [Line(), *full_finding_blocks(listed), *counted]
    return blocks
