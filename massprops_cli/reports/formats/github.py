"""Workflow commands of GitHub: a step shows ten annotations of each kind, later ones are plain lines of the log."""

from __future__ import annotations

from collections.abc import Mapping

from massprops_cli.findings.finding import Severity, count_with_noun
from massprops_cli.reports.formats.report_data import ReportData, ReportEntry, repository_path
from massprops_cli.reports.page.page import escape_workflow_commands

_ANNOTATIONS_SHOWN = 10  # number of annotations of one kind that a step shows
_ANNOTATION_KINDS: Mapping[Severity, str] = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.NOTE: "notice",
}


def github_text(data: ReportData) -> str:
    """Write the workflow commands of a step, one on each line."""
    entries = data.entries
    lines: list[str] = []
    for severity, kind in _ANNOTATION_KINDS.items():
        members = [entry for entry in entries if entry.finding.severity is severity]
        lines += [_workflow_command(kind, entry, data.source) for entry in members[:_ANNOTATIONS_SHOWN]]
        if rest := members[_ANNOTATIONS_SHOWN:]:
            lines.append(f"{count_with_noun(len(rest), f'further {kind}')} without annotation:")
        lines += ["- " + escape_workflow_commands(" ".join(str(entry.finding).split())) for entry in rest]
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


def _escape_command_data(text: str) -> str:
    """Escape the message of a command, so that it cannot start another one."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_command_property(text: str) -> str:
    """Escape a property of a command, including colons and commas."""
    return _escape_command_data(text).replace(":", "%3A").replace(",", "%2C")
