"""Telling what came of a command: the report in the format asked for, on the stream that is free.

Formats for machines on the command line: which commands write them, and the step summary of GitHub Actions.

Which findings are told, and which make the exit code 1.

``--report FORMAT=FILE``: reports beside what is told, so that one run gives a CI all that it wants.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from massprops_cli.cli.option_groups import ReportOptions, split_option_values
from massprops_cli.cli.stages.output_files import format_of_name, is_same_file
from massprops_cli.cli.streams import EXIT_FAILURE, EXIT_FINDINGS, EXIT_OK, Screen, report_screen, write_error
from massprops_cli.findings import RULES, Finding, Severity, TableError, UsageError
from massprops_cli.options import ReportStyle, named_option
from massprops_cli.reports import (
    Line,
    PageBlock,
    ReportData,
    RootView,
    finding_json_lines,
    finding_lines,
    findings_markdown,
    findings_report,
    full_finding_blocks,
    grouped_finding_blocks,
    json_text,
    summary_blocks,
    text_line,
    verdict_line,
)

if TYPE_CHECKING:
    from massprops_cli.bom import Result
    from massprops_cli.reports import AggregatedColumns


MACHINE_STYLES: tuple[ReportStyle, ...] = ("junit", "sarif", "github", "gitlab", "openmetrics")
"""Formats of findings, and of limits where there is a budget."""
_MACHINE_STYLE_COMMANDS = named_option("format", "check").commands
"""The commands that write them."""
_SUMMARY_VARIABLE = "GITHUB_STEP_SUMMARY"
"""The variable in which GitHub Actions names the file that a step's summary goes to."""


def check_style(command: str, style: ReportStyle | None) -> None:
    """Refuse a format for machines where a command has something else to show.

    >>> check_style("validate", "sarif")
    """
    if style in MACHINE_STYLES and command not in _MACHINE_STYLE_COMMANDS:
        rest = ", ".join(word for word in named_option("format").words if word not in MACHINE_STYLES)
        raise UsageError(f"--format is {style}, and {command} takes {rest}")


def write_ci_report(screen: Screen, account: ReportData, style: ReportStyle, more: str = "") -> None:
    """Write an account in a format for machines; for GitHub, also the summary of the step, with ``more`` Markdown."""
    from massprops_cli.reports import ci_report_text

    screen.write(ci_report_text(account, style))
    if style == "github" and os.environ.get(_SUMMARY_VARIABLE):
        _append_step_summary(account, os.environ[_SUMMARY_VARIABLE], more)


def _append_step_summary(account: ReportData, name: str, more: str = "") -> None:
    """Add the comment to the step's summary; one that cannot be written is said, and changes no exit code."""
    from massprops_cli.reports import comment_text

    try:
        with Path(name).open("a", encoding="utf-8") as file:
            file.write("\n".join((comment_text(account), more)))
    except OSError as error:
        write_error(f"massprops: the step summary {name} is not written: {(error.strerror or str(error)).lower()}\n")


def selected_findings(findings: Sequence[Finding], reporting: ReportOptions) -> list[Finding]:
    """Keep the findings that ``--select`` names and ``--ignore`` does not; codes or blocks of them."""
    chosen, dropped = rule_selection(reporting)
    kept = [finding for finding in findings if finding.rule in chosen and finding.rule not in dropped]
    if reporting.quiet:
        kept = [finding for finding in kept if finding.severity is Severity.ERROR]
    return kept


def rule_selection(reporting: ReportOptions) -> tuple[set[str], set[str]]:
    """Give the rules selected and the rules ignored; a name that fits no rule is a wrong call."""
    chosen = _expand_rule_names(split_option_values(reporting.select)) if reporting.select else set(RULES)
    return chosen, _expand_rule_names(split_option_values(reporting.ignore))


def _expand_rule_names(names: Sequence[str]) -> set[str]:
    """Turn codes, blocks (``MP4``) and rule names into codes.

    >>> sorted(_expand_rule_names(["MP50", "duplicate-id"]))[:2]
    ['MP301', 'MP501']
    """
    rules: set[str] = set()
    for name in names:
        word = name.upper()
        fitting = {
            code
            for code, rule in RULES.items()
            if (word.startswith("MP") and code.startswith(word)) or rule.name == name
        }
        if not fitting:
            raise UsageError(f"{name} is not a rule, nor the start of one; see massprops rules [MP901 unknown-rule]")
        rules |= fitting
    return rules


def exit_code(findings: Sequence[Finding], reporting: ReportOptions) -> int:
    """Give 1 when a selected finding is as grave as ``--fail-on`` says, else 0."""
    limit = reporting.fail_on
    if limit == "never":
        return EXIT_OK
    chosen, dropped = rule_selection(reporting)
    least = Severity(limit).rank
    grave = any(
        finding.severity.rank >= least and finding.rule in chosen and finding.rule not in dropped
        for finding in findings
    )
    return EXIT_FINDINGS if grave else EXIT_OK


@dataclass(frozen=True, slots=True)
class ReportView:
    """What a roll-up's report holds beside the result.

    Verdict, how the root is shown, other columns, the kept input.
    """

    head: Line
    view: RootView
    other: AggregatedColumns
    backup: str = ""
    configuration: Sequence[str] | None = None
    """With ``-v``, what is to be said of configuration files."""
    is_written: bool = True
    not_updated: str = ""
    """The output of an earlier run that is left as it was, where the result is not written."""


def report_result(
    screen: Screen, result: Result, findings: Sequence[Finding], reporting: ReportOptions, told: ReportView
) -> None:
    """Report a roll-up; JSON is the library's own dictionary, and beside it what only the command line knows."""
    shown = selected_findings(findings, reporting)
    style = reporting.format
    if style == "json":
        of_writing = [finding.to_dict() for finding in findings[len(result.findings) :]]
        beside: dict[str, Any] = {"findings_of_writing": of_writing} if of_writing else {}
        level = told.view.sigma_level
        if not told.is_written:
            beside["written"] = False
        screen.write(json_text({**result.to_dict(level), **told.other.to_dict(result, level), **beside}))
    elif style == "jsonl":
        screen.write(finding_json_lines(shown))
    elif style == "md":
        from massprops_cli.reports import markdown_report

        partial = "" if told.is_written else f"**{told.head.text.strip()}**\n\n"
        screen.tell(partial + markdown_report(result, shown, told.view, told.other))
    elif style in MACHINE_STYLES:
        name = result.bom.table.source.name
        write_ci_report(screen, ReportData(name, shown, result=result, fail_on=reporting.fail_on), style)
    elif reporting.quiet or style == "concise":
        if not reporting.quiet:
            screen.show([told.head])
        screen.tell(finding_lines(shown))
    else:
        screen.show(_rollup_page(screen, result, shown, told, in_full=style == "full"))


def _rollup_page(
    screen: Screen, result: Result, shown: Sequence[Finding], told: ReportView, *, in_full: bool
) -> list[PageBlock]:
    """Lay out the whole report of a roll-up."""
    from massprops_cli.reports import aggregated_column_blocks, group_blocks, reconciliation_blocks

    level = told.view.sigma_level
    blocks: list[PageBlock] = [told.head]
    if told.not_updated:
        blocks.append(text_line(f"  {told.not_updated} not updated"))
    if told.backup:
        blocks.append(text_line(f"  the input as it was: {told.backup}"))
    blocks += summary_blocks(result, screen.symbols, told.view)
    blocks += reconciliation_blocks(result, screen.symbols)
    if result.rollup.sampled is not None:
        from massprops_cli.reports import sample_blocks

        blocks += sample_blocks(result, screen.symbols, level)
    if result.uncertainty_request.probability or result.uncertainty_request.intervals:
        from massprops_cli.reports import answer_blocks

        blocks += answer_blocks(result, screen.symbols, told.view.datum)
    if told.configuration is not None:
        from massprops_cli.reports import decision_blocks

        blocks += decision_blocks(result.bom, told.configuration, screen.symbols)
    blocks += aggregated_column_blocks(result, told.other.columns)
    blocks += group_blocks(result, told.other, screen.symbols, level)
    if shown:
        command = _full_report_command(result.bom.table.source.name)
        blocks += [
            Line(),
            *(full_finding_blocks(shown) if in_full else grouped_finding_blocks(shown, screen.symbols, command)),
        ]
    return blocks


def report_findings(
    screen: Screen,
    name: str,
    findings: Sequence[Finding],
    reporting: ReportOptions,
    did: str,
    *,
    failed: bool,
    brief: bool = False,
    more: Sequence[PageBlock] = (),
) -> None:
    """Report findings where there is no result; ``brief`` groups them unless a format is asked for.

    ``more`` is shown after the verdict, where the report is for people.
    """
    shown = selected_findings(findings, reporting)
    style = reporting.format
    if style == "json":
        screen.write(json_text(findings_report(name, shown)))
    elif style == "jsonl":
        screen.write(finding_json_lines(shown))
    elif style == "md":
        screen.tell(findings_markdown(shown))
    elif style in MACHINE_STYLES:
        write_ci_report(screen, ReportData(name, shown, fail_on=reporting.fail_on), style)
    elif style == "concise":
        screen.tell(finding_lines(shown))
    elif reporting.quiet:
        screen.tell(finding_lines([finding for finding in shown if finding.severity is Severity.ERROR]))
    else:
        blocks = (
            grouped_finding_blocks(shown, screen.symbols, _full_report_command(name))
            if brief and style is None
            else full_finding_blocks(shown)
        )
        head: list[PageBlock] = [verdict_line(screen.symbols, shown, did, failed=failed), *more]
        screen.show([*head, Line(), *blocks] if shown else head)


def report_unreadable_table(error: TableError, groups: Mapping[str, Any]) -> int:
    """Report why there is no table in the format asked for; ``groups`` are a command's groups of options."""
    name, output = groups["reading"].file, groups.get("output")
    to_stdout = output is not None and (
        output.output == "-" or (not output.output and (name == "-" or "conversion" in groups))
    )
    screen = report_screen(data_on_stdout=to_stdout)
    report_findings(screen, name, error.findings, groups["reporting"], f"{name}: no table", failed=True)
    return EXIT_FAILURE


def _full_report_command(name: str) -> str:
    """Name the command that shows all findings of a file."""
    return "--format full" if name == "-" else f"massprops validate {shlex.quote(name)}"


_REPORT_FILE_STYLES = named_option("report").words
"""The formats of reports."""
_TABLE_FORMATS = ("csv", "tsv", "xlsx", "xlsm", "parquet", "feather")
"""A file with a suffix of these is somebody's table, and no report is written over it."""


@dataclass(frozen=True, slots=True)
class _ReportFile:
    """A report to be written: its format, and the file."""

    style: str
    name: str


def parse_report_options(texts: Sequence[str] | None, inputs: Sequence[str]) -> list[_ReportFile]:
    """Read the option; ``inputs`` are the files that are read, and not to be written over. Raises UsageError.

    >>> parse_report_options(["junit=junit.xml"], ["bom.csv"])
    [_ReportFile(style='junit', name='junit.xml')]
    """
    return list(_report_files(texts or (), inputs))


def _report_files(texts: Sequence[str], inputs: Sequence[str]) -> Iterator[_ReportFile]:
    names: set[str] = set()
    for text in texts:
        style, _, name = text.partition("=")
        if style not in _REPORT_FILE_STYLES or not name:
            raise UsageError(
                f"--report is {text}; it takes a format and a file, such as junit=junit.xml: {', '.join(_REPORT_FILE_STYLES)}"
            )
        path = Path(name)
        if any(is_same_file(path, Path(each)) for each in inputs):
            raise UsageError(f"--report is {text}, and {name} is what is read; give another name")
        if path.exists() and format_of_name(name) in _TABLE_FORMATS:
            raise UsageError(f"--report is {text}, and {name} is a table; give another name")
        if name in names:
            raise UsageError(f"--report is {text}, and {name} is to hold another report already; give another name")
        names.add(name)
        yield _ReportFile(style, name)


def write_reports(reports: Sequence[_ReportFile], account: ReportData) -> None:
    """Write every report, whole or not at all; one of an earlier run is replaced."""
    from massprops_cli.files import atomic_file
    from massprops_cli.reports import ci_report_text, comment_text

    for report in reports:
        text = comment_text(account) if report.style == "md" else ci_report_text(account, report.style)
        with atomic_file(report.name) as file:
            file.write(text.encode("utf-8", "backslashreplace"))
