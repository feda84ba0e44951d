"""``massprops check``: a table against its weight budget."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Annotated, Any

import typer

from massprops_cli.cli.exits import FOUND
from massprops_cli.cli.options import Meaning, Method, Reading, Reporting, Stated, Style, Texts
from massprops_cli.cli.reading import decided, explain, read_bom
from massprops_cli.cli.reporting import (
    MACHINES,
    WRITTEN,
    exit_code,
    reports_asked,
    rules_of,
    selected,
    tell_findings,
    tell_machines,
    write_reports,
)
from massprops_cli.cli.settings import IDLE, NAME, TABLES, settings_for
from massprops_cli.cli.streams import Screen, report_screen
from massprops_cli.findings import ConfigError, Finding, FindingsError, Severity, TableError, UsageError
from massprops_cli.reports.findings import concise, findings_report, full_blocks, json_line, json_lines, json_text
from massprops_cli.reports.formats.account import Account
from massprops_cli.reports.page import Block, Line
from massprops_cli.reports.summary import verdict as headline

if TYPE_CHECKING:
    from massprops_cli.bom.read import Bom
    from massprops_cli.budgets.check import Check
    from massprops_cli.budgets.model import Budget, Verdict


MORE = """

Exit code 0 if every limit is kept or waived, 1 if one is broken or the table has errors, 2 for a budget file that
cannot be understood; --fail-on moves the line between 0 and 1. Without --budget, the [[budget]] of massprops.toml is
taken. Of a table with errors, or with missing values, what is known is checked: a limit may be broken or undecided.
"""


@dataclass(frozen=True)
class Asked:
    """What the table is held against."""

    budget: Annotated[
        str, typer.Option("--budget", metavar="FILE", help="The budget file, TOML.", rich_help_panel="Budget")
    ] = ""
    today: Annotated[
        str,
        typer.Option(
            "--today",
            metavar="DATE",
            help="The day on which waivers have expired or not, such as 2027-03-31; the computer's by itself.",
            rich_help_panel="Budget",
        ),
    ] = ""
    report: Annotated[
        Texts,
        typer.Option(
            "--report",
            metavar="FORMAT=FILE",
            help=f"Write a report to a file too, such as junit=junit.xml: {' '.join(WRITTEN)}.",
            rich_help_panel="Budget",
        ),
    ] = None


def command(reading: Reading, meaning: Meaning, stated: Stated, asked: Asked, reporting: Reporting) -> int:
    """Read the budget, read and roll up the table, hold one against the other, and tell."""
    rules_of(reporting)
    method = stated.uncertainty.value if stated.uncertainty else "auto"
    if stated.uncertainty is Method.montecarlo:
        raise UsageError("check takes probabilities from sigmas, not from samples; leave out --uncertainty montecarlo")
    today = day_of(asked.today)
    budget = budget_of(asked.budget, reading)
    reports = reports_asked(asked.report, [reading.file, budget.file])
    bom = None
    screen = report_screen(data_on_stdout=False)
    more: list[Block] = []
    try:
        bom = read_bom(reading, meaning, use_sigmas=method != "none", sigma_level=stated.sigmas_are, write_poi="none")
        explain(bom, reading, meaning, reporting)
        more = decided(bom, reading, screen.symbols, is_verbose=reporting.verbose)
        outcome = held_against(bom, budget, method, today)
    except (TableError, FindingsError, UsageError, ConfigError) as error:
        findings = () if bom is None else bom.findings
        findings = error.findings if isinstance(error, TableError | FindingsError) else findings
        write_reports(reports, Account(reading.file, selected(findings, reporting)))
        if bom is None or not (bom.is_withheld or isinstance(error, FindingsError)):
            raise
        did = f"{reading.file}: not held against {budget.file}"
        did += "" if isinstance(error, FindingsError) else f" ({error})"
        tell_findings(screen, reading.file, findings, reporting, did, failed=True, brief=True, more=more)
        return FOUND
    told = account_of(reading.file, outcome, reporting)
    write_reports(reports, told)
    tell(screen, told, selected(outcome.findings, reporting), reporting, budget, more)
    return exit_code(outcome.findings, reporting)


def held_against(bom: Bom, budget: Budget, method: str, today: date | None) -> Check:
    """Roll up, and check; raises FindingsError where the table has errors."""
    from massprops_cli.bom.rollup import rollup
    from massprops_cli.budgets.check import check

    return check(rollup(bom, method, keep_going=True), budget, today=today)


def budget_of(name: str, reading: Reading) -> Budget:
    """Read the budget that is named, else that of the configuration; raises ConfigError where there is none."""
    from massprops_cli.budgets.file import read_budget

    if name:
        return read_budget(name)
    settings = settings_for(reading.file, reading.config)
    for file, idle in reversed(list(zip(settings.files, settings.idle, strict=True))):
        if "[[budget]]" in idle:
            return read_budget(file, others=set(TABLES) - set(IDLE))
    raise ConfigError(f"there is no budget: name its file with --budget, or write [[budget]] into {NAME}")


def day_of(text: str) -> date | None:
    """Read ``--today``; None where it is not given."""
    if not text:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise UsageError(f"--today is {text}; it takes a day such as 2027-03-31") from None


def account_of(name: str, outcome: Check, reporting: Reporting) -> Account:
    """Say what is to be told: verdicts and findings of the rules that are selected."""
    chosen, dropped = rules_of(reporting)
    verdicts = [one for one in outcome.verdicts if one.rule in chosen and one.rule not in dropped]
    findings = selected([*outcome.of_table, *outcome.said], reporting)
    return Account(name, findings, verdicts, outcome.result, reporting.fail_on.value)


def tell(
    screen: Screen,
    told: Account,
    findings: list[Finding],
    reporting: Reporting,
    budget: Budget,
    more: list[Block],
) -> None:
    """Tell the outcome in the format asked for; ``findings`` are those of the verdicts too."""
    style = reporting.format
    if style in MACHINES:
        tell_machines(screen, told, style)
    elif style is Style.json:
        screen.write(json_text(json_report(told, findings, budget)))
    elif style is Style.jsonl:
        screen.write("".join(json_line(one.to_dict()) for one in told.verdicts) + json_lines(told.findings))
    elif style is Style.md:
        from massprops_cli.reports.formats.code_hosts import comment_text

        screen.tell(comment_text(told))
    elif style is Style.concise or reporting.quiet:
        screen.tell(concise(findings))
    else:
        screen.show(page_of(screen, told, findings, budget, more, shows_all=reporting.verbose))


def json_report(told: Account, findings: list[Finding], budget: Budget) -> dict[str, Any]:
    """Give verdicts and findings as plain values."""
    return {
        **findings_report(told.source, findings),
        "budget": budget.file,
        "kept": not any(finding.severity is Severity.ERROR for finding in findings),
        "verdicts": [one.to_dict() for one in told.verdicts],
    }


def page_of(
    screen: Screen, told: Account, findings: list[Finding], budget: Budget, more: list[Block], *, shows_all: bool
) -> list[Block]:
    """Lay out the report for people."""
    from massprops_cli.reports.limits import kept_text, limit_blocks

    verdicts: list[Verdict] = list(told.verdicts)
    did = f"{told.source}: {kept_text(verdicts, budget.file)}"
    blocks = [headline(screen.symbols, findings, did, failed=not told.is_kept), *more]
    if verdicts:
        blocks += limit_blocks(verdicts, screen.symbols, shows_all=shows_all)
    if findings:
        blocks += [Line(), *full_blocks(findings)]
    return blocks
