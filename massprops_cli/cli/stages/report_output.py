"""Reports: the report of a command in the requested style, selection of findings, exit code, report files for CI."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from massprops_cli.cli import streams
from massprops_cli.cli.command import (
    COMMAND_NAMES,
    ReportOptions,
    TableRun,
    WritingRun,
    command_name,
    command_record,
    split_option_values,
)
from massprops_cli.cli.stages.output_files import is_same_file
from massprops_cli.findings.catalogue import RULES
from massprops_cli.findings.finding import Finding, FindingsError, Place, Severity, TableError, UsageError, rule_finding
from massprops_cli.options import MACHINE_STYLES, named_option
from massprops_cli.reports.page import findings as finding_page, page as pages
from massprops_cli.reports.page.conventions import AggregatedColumns, RootView
from massprops_cli.reports.table_files import format_of_name

if TYPE_CHECKING:
    from massprops_cli.bom.results.result import Result
    from massprops_cli.cli.stages.remedy_commands import RemedyCommand
    from massprops_cli.reports.formats.report_data import ReportData

_SUMMARY_VARIABLE = "GITHUB_STEP_SUMMARY"
_TERMINAL_ROWS = 2_000
_TYPED_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
_MOST_LEFTOVERS = 5
_SCREEN_LINES = 24 - 3  # of a screen of 80 columns, without blank, heading and total of the review table
_REPORT_FILE_STYLES = named_option("report").words
_TABLE_FORMATS = ("csv", "tsv", "xlsx", "xlsm", "parquet", "feather")
"""Formats of tables; a report does not overwrite an existing file with one of their suffixes."""


def check_style(command: str, style: str | None) -> None:
    """Reject a style of CI systems for a command that does not list findings, and csv without a review table."""
    if style not in ("csv", *MACHINE_STYLES):
        return
    if command not in COMMAND_NAMES or style not in command_record(command).option("format").words:
        rest = ", ".join(word for word in named_option("format").words if word not in MACHINE_STYLES)
        raise UsageError(f"invalid --format for {command}: {style} (expected one of {rest})")


def write_data_view(screen: streams.Screen, style: str | None, **views: Callable[[], Any]) -> bool:
    """Write the view of a style, ``machines`` for those of CI systems; False if it has none."""
    if style in MACHINE_STYLES and "machines" in views:
        write_ci_report(screen, views["machines"](), style)
    elif style not in views:
        return False
    elif style == "json":
        screen.write(finding_page.json_text(views[style]()))
    elif style == "jsonl":
        screen.write("".join(map(finding_page.json_line, views[style]())))
    else:
        (screen.write if style == "csv" else screen.write_text)(views[style]())
    return True


def is_silent(reporting: ReportOptions, *, has_output: bool = False) -> bool:
    """Return whether ``--quiet`` suppresses an answer: on the screen, and next to an output file in every style."""
    return reporting.quiet and (has_output or reporting.format in (None, "full", "concise"))


def write_view(
    screen: streams.Screen,
    style: str | None,
    page: Callable[[pages.Symbols], Sequence[pages.PageBlock]],
    more: Sequence[pages.PageBlock] = (),
    **views: Callable[[], Any],
) -> None:
    """Write the view of a style, otherwise the page; ``md`` without a view of its own is the page as code."""
    if style == "md":
        views.setdefault(style, lambda: pages.fenced_markdown(page(pages.UNICODE)))
    if not write_data_view(screen, style, **views):
        screen.show([*page(screen.symbols), *more])


def most_rows(screen: streams.Screen, run: TableRun) -> int | None:
    """Return the most rows of a page on a terminal, unless all are requested; None elsewhere."""
    return _TERMINAL_ROWS if screen.is_terminal and not run.all_rows and run.format != "md" else None


def write_ci_report(screen: streams.Screen, account: ReportData, style: str, more: str = "") -> None:
    """Write a report in a style of CI systems; for GitHub also the step summary."""
    screen.write(account.text(style))
    if style == "github" and os.environ.get(_SUMMARY_VARIABLE):
        # append the comment to the step summary; a failure is reported and does not change the exit code
        from massprops_cli.reports.formats.comment import comment_text

        name = os.environ[_SUMMARY_VARIABLE]
        try:
            with Path(name).open("a", encoding="utf-8", errors="backslashreplace") as file:
                file.write(pages.escape_control_characters("\n".join((comment_text(account), more))))
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            streams.write_error(f"massprops: step summary not written: {name} ({reason})\n")


def selected_findings(findings: Sequence[Finding], reporting: ReportOptions) -> list[Finding]:
    """Select findings by ``--select``, ``--ignore`` and ``--quiet``."""
    chosen = reported_rules(reporting)
    kept = [finding for finding in findings if finding.rule in chosen]
    if reporting.quiet:
        kept = [finding for finding in kept if finding.severity is Severity.ERROR]
    command = command_name(streams.command_line_words())
    if not command or not any("--" in one.remedy for one in kept):
        return kept
    known = {
        name: {f"--{option.name}" for option in command_record(name).options}
        for name in dict.fromkeys((command, "rollup", "parts shape"))
    }
    return [_with_command_of_remedy(finding, known) for finding in kept]


def _with_command_of_remedy(finding: Finding, known: Mapping[str, set[str]]) -> Finding:
    """Name the command in a remedy with options that the command of the user, first in ``known``, does not have."""
    command, *others = known
    foreign = set(_TYPED_OPTION.findall(finding.remedy)) - known[command]
    if not (of := next((name for name in others if foreign & known[name]), "")):
        return finding
    remedy = finding.remedy.replace(f"massprops {command} ", f"massprops {of} ")
    return replace(finding, remedy=remedy if f"massprops {of}" in remedy else f"{remedy} to massprops {of}")


def reported_rules(reporting: ReportOptions) -> set[str]:
    """Return the rules that ``--select`` and ``--ignore`` leave."""
    chosen = _expand_rule_names(split_option_values(reporting.select)) if reporting.select else set(RULES)
    return chosen - _expand_rule_names(split_option_values(reporting.ignore))


def _expand_rule_names(names: Sequence[str]) -> set[str]:
    """Expand codes, blocks (``MP4``) and rule names to codes."""
    rules: set[str] = set()
    for name in names:
        word = name.upper()
        fitting = {
            code
            for code, rule in RULES.items()
            if (word.startswith("MP") and code.startswith(word)) or rule.name == name
        }
        if not fitting:
            raise UsageError(
                f"unknown rule: {name} (expected a code such as MP403, a block such as MP4, or a name)"
                " [MP901 unknown-rule]"
            )
        rules |= fitting
    return rules


def exit_code(findings: Sequence[Finding], reporting: ReportOptions) -> int:
    """Determine the exit code by ``--fail-on``."""
    if (limit := reporting.fail_on) == "never":
        return streams.EXIT_OK
    chosen, least = reported_rules(reporting), Severity(limit).rank
    has_failed = any(finding.severity.rank >= least and finding.rule in chosen for finding in findings)
    return streams.EXIT_FINDINGS if has_failed else streams.EXIT_OK


def run_reporting_leftovers(command: Callable[[], int], reporting: ReportOptions) -> int:
    """Run a command; partial files of killed runs next to its outputs are one note on stderr."""
    from massprops_cli.files.writer import collect_leftovers

    with collect_leftovers(is_removed=reporting.remove_leftovers) as files:
        code = command()
    if not files:
        return code
    what = "1 partial file of a killed run" if len(files) == 1 else f"{len(files):,} partial files of killed runs"
    names = ", ".join(path.name for path in files[:_MOST_LEFTOVERS])
    names += ", …" * (len(files) > _MOST_LEFTOVERS)
    note = rule_finding(
        "MP134",
        f"{what} {'deleted' if reporting.remove_leftovers else 'next to the output'}: {names}",
        Place(str(files[0].parent)),
        remedy="" if reporting.remove_leftovers else None,
        count=len(files),
        related=tuple(Place(str(path)) for path in files),
    )
    streams.screen_for(sys.stderr).show([*finding_page.full_finding_blocks(selected_findings([note], reporting))])
    return code if reporting.remove_leftovers else max(code, exit_code([note], reporting))


class ReportView(NamedTuple):
    """Content of a roll-up's report in addition to the result: heading, view of the root, other columns, backup."""

    head: pages.Line
    view: RootView
    other: AggregatedColumns
    backup: str = ""
    configuration: Sequence[str] | None = None  # with ``-v``, the configuration files that were read
    is_written: bool = True
    not_updated: str = ""  # output of an earlier run that is unchanged, because the result is not written
    commands: Sequence[RemedyCommand] = ()  # commands that resolve the errors, printed after the findings


def report_result(
    screen: streams.Screen, result: Result, findings: Sequence[Finding], reporting: ReportOptions, content: ReportView
) -> None:
    """Report a roll-up; JSON is the dictionary of the library with the additions of the command line."""
    shown, style = selected_findings(findings, reporting), reporting.format
    if write_data_view(
        screen,
        style,
        json=lambda: _rollup_dict(result, findings, content),
        jsonl=lambda: finding_page.finding_dicts(shown),
        md=lambda: _rollup_markdown(result, shown, content),
        csv=lambda: _review_csv(result, content),
        machines=lambda: report_data(result.bom.table.source.name, shown, reporting, result),
    ):
        return
    if reporting.is_summary:
        screen.show([content.head])
    elif reporting.quiet or style == "concise":
        screen.show([] if reporting.quiet else [content.head])
        if shown:
            screen.write_text(finding_page.finding_lines(shown))
    else:
        screen.show(_rollup_page(screen, result, shown, content, in_full=style == "full" or reporting.verbose))


def _rollup_dict(result: Result, findings: Sequence[Finding], content: ReportView) -> dict[str, Any]:
    """Return a roll-up as JSON values."""
    from massprops_cli.reports.limits import aggregated_columns_dict

    level, of_writing = content.view.sigma_level, finding_page.finding_dicts(findings[len(result.findings) :])
    return {
        **result.to_dict(level),
        **aggregated_columns_dict(result, content.other, level),
        **({"findings_of_writing": of_writing} if of_writing else {}),
        **({} if content.is_written else {"written": False}),
        **({"style": [one.to_dict() for one in content.other.styled]} if content.other.styled else {}),
        **_command_dict(content.commands),
    }


def _rollup_markdown(result: Result, shown: Sequence[Finding], content: ReportView) -> str:
    """Return the report of a roll-up in Markdown."""
    from massprops_cli.reports.limits import markdown_report

    partial = "" if content.is_written else f"**{finding_page.escape_markdown_cell(content.head.text)}**\n\n"
    text = partial + markdown_report(result, shown, content.view, content.other)
    if content.other.styled:
        from massprops_cli.reports.conditions import style_blocks

        text += pages.fenced_markdown(style_blocks(content.other.styled, pages.UNICODE, 100, in_full=True))
    return text


def _review_csv(result: Result, content: ReportView) -> str:
    """Return the review table as CSV, or that of the heaviest branches."""
    from massprops_cli.reports.summary import review_csv

    if content.other.styled:
        frame = content.other.styled[0].frame()
        units = {name: f"{name} [{unit}]" for name, unit in frame.attrs["units"].items()}
        return str(frame.rename(columns=units).to_csv(index=False))
    if content.other.shows_tree:
        raise UsageError("--by tree has no --format csv; rollup -o FILE.csv has a row for each item")
    return review_csv(result, content.other, content.view.sigma_level)


def report_data(name: str, shown: Sequence[Finding], reporting: ReportOptions, result: Result | None) -> ReportData:
    """Return the data of a report for machines."""
    from massprops_cli.reports.formats.report_data import ReportData

    return ReportData(name, shown, result=result, fail_on=reporting.fail_on)


def _rollup_page(
    screen: streams.Screen, result: Result, shown: Sequence[Finding], content: ReportView, *, in_full: bool
) -> list[pages.PageBlock]:
    """Return the blocks of the report of a roll-up."""
    from massprops_cli.reports.limits import aggregated_column_blocks, reconciliation_blocks
    from massprops_cli.reports.summary import convention_notes, review_blocks, summary_blocks

    level = content.view.sigma_level
    blocks: list[pages.PageBlock] = [content.head]
    if content.not_updated:
        blocks.append(pages.text_line(f"  {content.not_updated} not updated"))
    if content.backup:
        blocks.append(pages.text_line(f"  backup of the input: {content.backup}"))
    is_brief = screen.width is not None and not in_full
    blocks += summary_blocks(result, screen.symbols, content.view, is_brief=is_brief)
    place = len(blocks)
    blocks += convention_notes(result, screen.symbols, content.view, is_brief=is_brief)
    blocks += reconciliation_blocks(result, screen.symbols, is_brief=is_brief)
    if result.rollup.sampled is not None:
        from massprops_cli.reports.probability import sample_blocks

        blocks += sample_blocks(result, screen.symbols, level, in_full=in_full)
    if result.uncertainty_request.probability or result.uncertainty_request.intervals:
        from massprops_cli.reports.probability import answer_blocks

        blocks += answer_blocks(result, screen.symbols, content.view.datum)
    if content.configuration is not None:
        from massprops_cli.bom.inspection import bom_inspection
        from massprops_cli.reports.inspect import reading_blocks

        blocks += reading_blocks(bom_inspection(result.bom), content.configuration, screen.symbols)
    blocks += aggregated_column_blocks(result, content.other.columns)
    if shown := shown if in_full else _without_answers(shown, content.commands):
        most = pages.plain_text(blocks, None, screen.symbols).count("\n")
        listed = (
            [*finding_page.full_finding_blocks(shown)] if in_full else finding_page.grouped_finding_blocks(shown, most)
        )
        blocks += [pages.Line()] * (len(listed) > 1 or screen.width is None) + listed
    blocks += _command_lines(content.commands)
    if content.other.styled:
        from massprops_cli.reports.conditions import style_blocks

        blocks[place:place] = style_blocks(content.other.styled, screen.symbols, screen.width, in_full=True)
        return blocks
    room = None
    if is_brief:
        room = _SCREEN_LINES - pages.plain_text(blocks, 80, screen.symbols).count("\n")
    if content.other.shows_tree:
        from massprops_cli.reports.tree import tree_blocks

        blocks[place:place] = [
            pages.Line(),
            *tree_blocks(result, screen.symbols, None, _TERMINAL_ROWS if is_brief else None),
        ]
        return blocks
    blocks[place:place] = review_blocks(result, content.other, screen.symbols, level, room)
    return blocks


def _without_answers(findings: Sequence[Finding], commands: Sequence[RemedyCommand]) -> Sequence[Finding]:
    """Leave the commands that are printed below, each with its total, out of the hints, but not when each is right."""
    if not any(one.computes and not one.is_partial for one in commands):
        return findings
    return [replace(one, remedy=_without_commands(one.remedy)) if one.is_withholding else one for one in findings]


def _without_commands(hint: str) -> str:
    """Return a hint with the options of its commands that have a reason, ``--mass-is each if …``, and no commands."""
    before, _, text = hint.partition("run massprops ") if " --" in hint else (hint, "", "")
    ways = text.split(", or massprops ")
    start = os.path.commonprefix(ways).rpartition(" --")[0]  # noqa: RUF071 - of texts
    options = ", or ".join(way.removeprefix(start).strip() for way in ways)
    return f"{before}pass {options}" if " if " in options else re.sub("[,;] or $", "", before)


def _command_lines(commands: Sequence[RemedyCommand]) -> list[pages.Line]:
    """Lay out the commands that resolve the errors; their module is loaded only if there are some."""
    if not commands:
        return []
    from massprops_cli.cli.stages.remedy_commands import remedy_command_lines

    return remedy_command_lines(commands)


def _command_dict(commands: Sequence[RemedyCommand]) -> dict[str, Any]:
    """Return the commands that resolve the errors as JSON values; empty without one."""
    return {"next": [command.to_dict() for command in commands]} if commands else {}


def report_findings(
    screen: streams.Screen,
    name: str,
    findings: Sequence[Finding],
    reporting: ReportOptions,
    did: str,
    *,
    failed: bool = False,
    brief: bool = False,
    more: Sequence[pages.PageBlock] = (),
    commands: Sequence[RemedyCommand] = (),
    data: Mapping[str, Any] = MappingProxyType({}),
) -> None:
    """Report findings without a result, ``data`` in JSON only; a tick is printed with exit code 0 only."""
    failed = failed or exit_code(findings, reporting) != streams.EXIT_OK
    shown, style = selected_findings(findings, reporting), reporting.format
    if write_data_view(
        screen,
        "concise" if reporting.quiet and style in (None, "full") else style,
        json=lambda: {**finding_page.findings_report(name, shown), **data, **_command_dict(commands)},
        jsonl=lambda: finding_page.finding_dicts(shown),
        md=lambda: (
            finding_page.findings_markdown(shown)
            + (f"\n```\n{pages.plain_text(more, None, screen.symbols).strip()}\n```\n" if more else "")
        ),
        machines=lambda: report_data(name, shown, reporting, None),
        concise=lambda: finding_page.finding_lines(shown),
    ):
        return
    if brief and style is None and not reporting.verbose:
        most = finding_page.MAX_NOTES if not failed else 0 if commands else len(shown)
        listed, counted = finding_page.fold_notes(_without_answers(shown, commands), most)
        blocks = [*finding_page.grouped_finding_blocks(listed), *counted]
    else:
        blocks = list(finding_page.full_finding_blocks(shown))
    head: list[pages.PageBlock] = [pages.verdict_line(screen.symbols, shown, did, failed=failed), *more]
    screen.show(
        [*head, pages.Line(), *blocks, *_command_lines(commands)] if shown and not reporting.is_summary else head
    )


def report_failure(
    screen: streams.Screen,
    name: str,
    findings: Sequence[Finding],
    reporting: ReportOptions,
    did: str,
    code: int = streams.EXIT_FINDINGS,
    **more: Any,
) -> int:
    """Report the findings because of which a command did not do its work; returns the exit code."""
    report_findings(screen, name, findings, reporting, f"{name}: {did}", failed=True, brief=True, **more)
    return code


def report_on_stderr(
    name: str, findings: Sequence[Finding], reporting: ReportOptions, did: str, *, failed: bool = False
) -> int:
    """Report findings next to a result that is on standard output; returns the exit code."""
    code = exit_code(findings, reporting)
    if selected_findings(findings, reporting):
        report_findings(streams.screen_for(sys.stderr), name, findings, reporting, did, failed=failed, brief=True)
    return code


def report_unreadable_table(error: TableError | FindingsError, command: str, run: ReportOptions) -> int:
    """Report an unreadable table, or a condition with faults, in the requested style; returns the exit code."""
    code = streams.EXIT_FAILURE if isinstance(error, TableError) else streams.EXIT_FINDINGS
    is_shown = isinstance(run, TableRun) and run.format in (None, "full", "json")
    commands = remedy_commands(error.findings, run) if isinstance(run, TableRun) and is_shown else []
    if run.format is None or not isinstance(run, TableRun):
        answers, most = ((), len(error.findings)) if run.verbose or not commands else (commands, 0)
        listed, counted = finding_page.fold_notes(_without_answers(error.findings, answers), most)
        streams.show_on_stderr([*finding_page.full_finding_blocks(listed), *counted, *_command_lines(commands)])
        return code
    name = run.file
    to_stdout = isinstance(run, WritingRun) and (
        run.output == "-" or (not run.output and (streams.is_stream_name(name) or command == "convert"))
    )
    screen = streams.report_screen(data_on_stdout=to_stdout)
    report_findings(screen, name, error.findings, run, f"{name}: no table", failed=True, commands=commands)
    return code


def remedy_commands(findings: Sequence[Finding], run: TableRun) -> list[RemedyCommand]:
    """Return the commands that resolve the errors; their module is loaded only if there are some."""
    from massprops_cli.cli.stages.remedy_commands import find_remedy_commands

    return find_remedy_commands(findings, run)


def parse_report_options(texts: Sequence[str] | None, inputs: Sequence[str]) -> list[tuple[str, str]]:
    """Return styles and files of ``--report``; none of them may be an input, an existing table or named twice."""
    found: list[tuple[str, str]] = []
    for text in texts or ():
        style, _, name = text.partition("=")
        if style not in _REPORT_FILE_STYLES or not name:
            raise UsageError(
                f"invalid --report: {text} (expected STYLE=FILE, such as junit=junit.xml, "
                f"with STYLE one of {', '.join(_REPORT_FILE_STYLES)})"
            )
        path = Path(name)
        if any(is_same_file(path, Path(each)) for each in inputs):
            raise UsageError(f"--report names an input file: {name}; use another name")
        if path.exists() and format_of_name(name) in _TABLE_FORMATS:
            raise UsageError(f"--report names an existing table: {name}; use another name")
        if any(name == other for _, other in found):
            raise UsageError(f"--report names a file twice: {name}; use another name")
        found.append((style, name))
    return found


def write_reports(reports: Sequence[tuple[str, str]], *accounts: ReportData, replaces: bool = True) -> None:
    """Write every report, on one or several tables; reports of an earlier run are replaced on request."""
    from massprops_cli.files.writer import atomic_file
    from massprops_cli.reports.formats.comment import comment_text
    from massprops_cli.reports.formats.report_data import joined_accounts

    for style, name in (one for one in reports if one[0] != "html"):  # design reviews are written apart
        text = "\n".join(map(comment_text, accounts)) if style == "md" else joined_accounts(accounts).text(style)
        with atomic_file(name, replaces=replaces) as file:
            file.write(pages.escape_control_characters(text).encode("utf-8", "backslashreplace"))
