"""Reports for GitHub and GitLab: a comment in Markdown, workflow commands, the code quality report.

Services cut or reject a long comment, so it is limited in length and states the number of rows left out.

Source: GitHub, "Workflow commands for GitHub Actions". A step shows ten annotations of each kind and drops the rest, so
the eleventh and later ones are plain lines of the log. Source: GitLab, "Code Quality", section "Code Quality report
format": a list of issues, in the format of Code Climate.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from massprops_cli.findings.finding import Severity
from massprops_cli.reports.formats.report_data import ReportData, ReportEntry, entry_fingerprints, repository_path
from massprops_cli.reports.limits import amount_text, limit_value_text
from massprops_cli.reports.page.findings import (
    count_with_noun,
    escape_markdown_cell,
    finding_counts_text,
    json_text,
    markdown_code,
)
from massprops_cli.reports.page.page import escape_workflow_commands

if TYPE_CHECKING:
    from massprops_cli.budgets.model import Verdict


_MAX_COMMENT_LENGTH = 60_000
"""Characters of a comment; the limit of GitHub is 65,536."""


def comment_text(data: ReportData) -> str:
    """Write the comment for a merge request, in Markdown."""
    entries = data.entries
    lines = [_comment_headline(data, entries)]
    findings = [entry for entry in entries if entry.verdict is None]
    broken = [entry.verdict for entry in entries if entry.verdict is not None]
    parts: list[tuple[str, list[str], list[str]]] = [
        ("Not kept", _LIMIT_HEAD, [_limit_row(verdict) for verdict in broken]),
        ("Findings", ["| severity | rule | place | message |", "|---|---|---|---|"], [*map(_finding_row, findings)]),
        ("Kept", _LIMIT_HEAD, [_limit_row(verdict) for verdict in data.verdicts if verdict.kept]),
    ]
    left = _MAX_COMMENT_LENGTH - len(lines[0])
    for title, head, rows in parts:
        if rows:
            part = _comment_section(title, head, rows, left)
            left -= sum(len(line) + 1 for line in part)
            lines += part
    return "".join(line + "\n" for line in lines)


def _comment_headline(data: ReportData, entries: Sequence[ReportEntry]) -> str:
    """Write the verdict as one line."""
    mark = "✔" if data.is_kept else "✘"
    counts = finding_counts_text([entry.finding for entry in entries])
    limits = ""
    if data.verdicts:
        kept = sum(verdict.kept for verdict in data.verdicts)
        limits = f"{kept:,} of {count_with_noun(len(data.verdicts), 'limit')} kept, "
    return f"### {mark} {markdown_code(data.source)}: {limits}{counts}"


_LIMIT_HEAD = ["| item | limit | value | margin | |", "|---|---|--:|--:|---|"]


def _limit_row(verdict: Verdict) -> str:
    """Write one limit as a row of a table."""
    waived = f"waived: {verdict.waiver.reason}" if not verdict.kept and verdict.waiver else ""
    mark = "kept" if verdict.kept else waived or verdict.severity.value
    named = f"{verdict.item} {verdict.name}".strip()
    cells = (named, verdict.requirement, limit_value_text(verdict), amount_text(verdict.margin, verdict.unit), mark)
    return "| " + " | ".join(map(escape_markdown_cell, cells)) + " |"


def _finding_row(entry: ReportEntry) -> str:
    """Write one finding as a row of a table."""
    finding = entry.finding
    text = finding.message + (f"; {finding.remedy}" if finding.remedy else "")
    cells = (finding.severity.value, f"{finding.rule} {finding.name}", str(finding.place), text)
    return "| " + " | ".join(map(escape_markdown_cell, cells)) + " |"


def _comment_section(title: str, head: Sequence[str], rows: Sequence[str], room: int) -> list[str]:
    """Write a table under its title, limited in length, with the number of rows left out; kept limits are folded."""
    before, after = (
        ([f"<details><summary>{title}</summary>"], ["", "</details>"]) if title == "Kept" else ([f"#### {title}"], [])
    )
    used, shown = 300, 0
    for row in rows:
        used += len(row) + 1
        if used > room:
            break
        shown += 1
    more = ["", f"{count_with_noun(len(rows) - shown, 'further row')} not shown."] if shown < len(rows) else []
    return ["", *before, "", *head, *rows[:shown], *more, *after]


_ANNOTATIONS_SHOWN = 10
"""Number of annotations of one kind that a step shows."""
_ANNOTATION_KINDS: Mapping[Severity, str] = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.NOTE: "notice",
}


def github_text(data: ReportData) -> str:
    """Write the workflow commands of a step (such as ``::error file=…::…``), one on each line."""
    entries = data.entries
    lines: list[str] = []
    for severity, kind in _ANNOTATION_KINDS.items():
        members = [entry for entry in entries if entry.finding.severity is severity]
        lines += [_workflow_command(kind, entry, data.source) for entry in members[:_ANNOTATIONS_SHOWN]]
        lines += _unannotated_lines(kind, members[_ANNOTATIONS_SHOWN:])
    return "".join(line + "\n" for line in lines)


def _workflow_command(kind: str, entry: ReportEntry, source: str) -> str:
    """Write one annotation; only text files have lines."""
    finding, place = entry.finding, entry.place
    line = f",line={place.line}" if place.line is not None else ""
    title = _escape_command_property(f"{finding.rule} {finding.name}")
    spot = "" if place.line is not None or not str(place) or place.file == str(place) else f"{place}: "
    text = f"{spot}{entry.message}" + (f"; {finding.remedy}" if finding.remedy else "")
    path = _escape_command_property(repository_path(place, source))
    return f"::{kind} file={path}{line},title={title}::{_escape_command_data(text)}"


def _unannotated_lines(kind: str, members: Sequence[ReportEntry]) -> Iterator[str]:
    """Write plain lines for findings beyond the number of annotations."""
    if members:
        yield f"{count_with_noun(len(members), f'further {kind}')} without annotation:"
    for entry in members:
        yield "- " + escape_workflow_commands(" ".join(str(entry.finding).split()))


def _escape_command_data(text: str) -> str:
    """Escape the message of a command, so that it cannot start another one."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_command_property(text: str) -> str:
    """Escape a property of a command, including colons and commas."""
    return _escape_command_data(text).replace(":", "%3A").replace(",", "%2C")


_GITLAB_SEVERITIES = {Severity.ERROR: "critical", Severity.WARNING: "minor", Severity.NOTE: "info"}


def gitlab_text(data: ReportData) -> str:
    """Write the report of code quality, in JSON; an empty list without findings."""
    entries = data.entries
    issues = []
    for entry, fingerprint in zip(entries, entry_fingerprints(entries, data.source), strict=True):
        place = entry.place
        # GitLab requires a line, so a finding in a workbook is on line 1 and names its cell
        spot = f"{place}: " if place.line is None and str(place) != place.file else ""
        issues.append(
            {
                "description": spot + entry.message,
                "check_name": f"{entry.finding.rule} {entry.finding.name}",
                "fingerprint": fingerprint,
                "severity": _GITLAB_SEVERITIES[entry.finding.severity],
                "location": {"path": repository_path(place, data.source), "lines": {"begin": place.line or 1}},
            }
        )
    return json_text(issues)
