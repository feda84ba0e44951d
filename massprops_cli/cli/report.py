"""Telling what came of a command: the report in the format asked for, on the stream that is free."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from massprops_cli.cli.choices import Style
from massprops_cli.cli.exits import CANNOT
from massprops_cli.cli.machines import MACHINES, tell_machines
from massprops_cli.cli.options import Reporting
from massprops_cli.cli.selection import selected
from massprops_cli.cli.streams import Screen, report_screen
from massprops_cli.findings import Finding, Severity, TableError
from massprops_cli.report.findings_text import (
    concise,
    full_blocks,
    grouped_blocks,
    json_lines,
    markdown_table,
)
from massprops_cli.report.formats.account import Account
from massprops_cli.report.json_report import findings_report, json_text
from massprops_cli.report.page import Block, Line, say
from massprops_cli.report.summary import View, summary_blocks, verdict

if TYPE_CHECKING:
    from massprops_cli.bom.answers.result import Result
    from massprops_cli.report.other_view import Other


@dataclass(frozen=True, slots=True)
class Told:
    """What a roll-up's report holds beside the result.

    Verdict, how the root is shown, other columns, the kept input.
    """

    head: Line
    view: View
    other: Other
    backup: str = ""
    configuration: Sequence[str] | None = None
    """With ``-v``, what is to be said of configuration files."""


def tell_result(screen: Screen, result: Result, findings: Sequence[Finding], reporting: Reporting, told: Told) -> None:
    """Report a roll-up; JSON is the library's own dictionary, and beside it what only the command line knows."""
    shown = selected(findings, reporting)
    style = reporting.format
    if style is Style.json:
        of_writing = [finding.to_dict() for finding in findings[len(result.findings) :]]
        beside = {"findings_of_writing": of_writing} if of_writing else {}
        level = told.view.sigma_level
        screen.write(json_text({**result.to_dict(level), **told.other.to_dict(result, level), **beside}))
    elif style is Style.jsonl:
        screen.write(json_lines(shown))
    elif style is Style.md:
        from massprops_cli.report.markdown import markdown_report

        screen.tell(markdown_report(result, shown, told.view, told.other))
    elif style in MACHINES:
        name = result.bom.table.source.name
        tell_machines(screen, Account(name, shown, result=result, fail_on=reporting.fail_on.value), style)
    elif reporting.quiet or style is Style.concise:
        if not reporting.quiet:
            screen.show([told.head])
        screen.tell(concise(shown))
    else:
        screen.show(page_of(screen, result, shown, told, in_full=style is Style.full))


def page_of(screen: Screen, result: Result, shown: Sequence[Finding], told: Told, *, in_full: bool) -> list[Block]:
    """Lay out the whole report of a roll-up."""
    from massprops_cli.report.other_view import column_blocks, group_blocks
    from massprops_cli.report.reconciliation_view import reconciliation_blocks

    level = told.view.sigma_level
    blocks: list[Block] = [told.head]
    if told.backup:
        blocks.append(say(f"  the input as it was: {told.backup}"))
    blocks += summary_blocks(result, screen.symbols, told.view)
    blocks += reconciliation_blocks(result, screen.symbols)
    if result.rollup.sampled is not None:
        from massprops_cli.report.samples_view import sample_blocks

        blocks += sample_blocks(result, screen.symbols, level)
    if result.asked.probability or result.asked.intervals:
        from massprops_cli.report.probability_view import answer_blocks

        blocks += answer_blocks(result, screen.symbols, told.view.datum)
    if told.configuration is not None:
        from massprops_cli.report.decisions import decision_blocks

        blocks += decision_blocks(result.bom, told.configuration, screen.symbols)
    blocks += column_blocks(result, told.other.columns)
    blocks += group_blocks(result, told.other, screen.symbols, level)
    if shown:
        command = all_of_them(result.bom.table.source.name)
        blocks += [
            Line(),
            *(full_blocks(shown) if in_full else grouped_blocks(shown, screen.symbols, command)),
        ]
    return blocks


def tell_findings(
    screen: Screen,
    name: str,
    findings: Sequence[Finding],
    reporting: Reporting,
    did: str,
    *,
    failed: bool,
    brief: bool = False,
    more: Sequence[Block] = (),
) -> None:
    """Report findings where there is no result; ``brief`` groups them unless a format is asked for.

    ``more`` is shown after the verdict, where the report is for people.
    """
    shown = selected(findings, reporting)
    style = reporting.format
    if style is Style.json:
        screen.write(json_text(findings_report(name, shown)))
    elif style is Style.jsonl:
        screen.write(json_lines(shown))
    elif style is Style.md:
        screen.tell(markdown_table(shown))
    elif style in MACHINES:
        tell_machines(screen, Account(name, shown, fail_on=reporting.fail_on.value), style)
    elif style is Style.concise:
        screen.tell(concise(shown))
    elif reporting.quiet:
        screen.tell(concise([finding for finding in shown if finding.severity is Severity.ERROR]))
    else:
        blocks = (
            grouped_blocks(shown, screen.symbols, all_of_them(name)) if brief and style is None else full_blocks(shown)
        )
        head: list[Block] = [verdict(screen.symbols, shown, did, failed=failed), *more]
        screen.show([*head, Line(), *blocks] if shown else head)


def tell_no_table(error: TableError, groups: Mapping[str, Any]) -> int:
    """Report why there is no table in the format asked for; ``groups`` are a command's groups of options."""
    name, output = groups["reading"].file, groups.get("output")
    to_stdout = output is not None and (
        output.output == "-" or (not output.output and (name == "-" or "conversion" in groups))
    )
    screen = report_screen(data_on_stdout=to_stdout)
    tell_findings(screen, name, error.findings, groups["reporting"], f"{name}: no table", failed=True)
    return CANNOT


def all_of_them(name: str) -> str:
    """Name the command that shows all findings of a file."""
    return "--format full" if name == "-" else f"massprops validate {name if ' ' not in name else repr(name)}"
