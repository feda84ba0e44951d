"""A comment under a change, in Markdown: the verdict, the limits that are not kept, the findings, all the limits.

Services cut a long comment or refuse it, so it ends in time and says how much it leaves out.

Workflow commands of GitHub Actions: an annotation for each finding, the worst first.

Source: GitHub, "Workflow commands for GitHub Actions". A step shows ten annotations of each kind and drops the rest
without a word, so the eleventh and those after it are plain lines of the log, and this is said.

GitLab's code quality report: a list of issues, in the form of Code Climate.

Source: GitLab, "Code Quality", section "Code Quality report format".

SARIF 2.1.0: findings as results, for the services that show the results of static analysis.

Source: OASIS, "Static Analysis Results Interchange Format (SARIF) Version 2.1.0". Limits that are kept are left out,
for services show every result as an alert; a waived one is a suppressed result with its reason.

The report of a format's name, for all formats for machines.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from massprops_cli.findings import RULES, Place, Severity
from massprops_cli.reports.formats.report_data import ReportData, ReportEntry, entry_fingerprints, repository_path
from massprops_cli.reports.limits import amount_text, limit_value_text
from massprops_cli.reports.page import count_with_noun, escape_markdown_cell, finding_counts_text, json_text

if TYPE_CHECKING:
    from massprops_cli.budgets import Verdict


_MAX_COMMENT_LENGTH = 60_000
"""Characters of a comment; GitHub takes 65,536."""


def comment_text(account: ReportData) -> str:
    """Write the comment.

    >>> print(comment_text(ReportData("bom.csv", [])), end="")
    ### ✔ `bom.csv`: 0 errors, 0 warnings
    """
    entries = account.entries
    lines = [_comment_headline(account, entries)]
    findings = [entry for entry in entries if entry.verdict is None]
    broken = [entry.verdict for entry in entries if entry.verdict is not None]
    parts: list[tuple[str, list[str], list[str]]] = [
        ("Not kept", _LIMIT_HEAD, [_limit_row(verdict) for verdict in broken]),
        ("Findings", ["| severity | rule | place | message |", "|---|---|---|---|"], [*map(_finding_row, findings)]),
        ("Kept", _LIMIT_HEAD, [_limit_row(verdict) for verdict in account.verdicts if verdict.kept]),
    ]
    left = _MAX_COMMENT_LENGTH - len(lines[0])
    for title, head, rows in parts:
        if rows:
            part = _comment_section(title, head, rows, left)
            left -= sum(len(line) + 1 for line in part)
            lines += part
    return "".join(line + "\n" for line in lines)


def _comment_headline(account: ReportData, entries: Sequence[ReportEntry]) -> str:
    """Say in one line what came of it."""
    mark = "✔" if account.is_kept else "✘"
    counts = finding_counts_text([entry.finding for entry in entries])
    limits = ""
    if account.verdicts:
        kept = sum(verdict.kept for verdict in account.verdicts)
        limits = f"{kept:,} of {count_with_noun(len(account.verdicts), 'limit')} kept, "
    source = " ".join(account.source.replace("`", " ").split())  # a code span ends with its line
    return f"### {mark} `{source}`: {limits}{counts}"


_LIMIT_HEAD = ["| item | limit | value | margin | |", "|---|---|--:|--:|---|"]


def _limit_row(verdict: Verdict) -> str:
    """Write one limit as a row of a table."""
    waived = f"waived: {verdict.waiver.reason}" if not verdict.kept and verdict.waiver else ""
    mark = "kept" if verdict.kept else waived or verdict.severity.value
    named = f"{verdict.item} {verdict.name}".strip()
    cells = (named, verdict.asked, limit_value_text(verdict), amount_text(verdict.margin, verdict.unit), mark)
    return "| " + " | ".join(map(escape_comment_cell, cells)) + " |"


def _finding_row(entry: ReportEntry) -> str:
    """Write one finding as a row of a table."""
    finding = entry.finding
    told = finding.message + (f"; {finding.remedy}" if finding.remedy else "")
    cells = (finding.severity.value, f"{finding.rule} {finding.name}", str(finding.place), told)
    return "| " + " | ".join(map(escape_comment_cell, cells)) + " |"


def _comment_section(title: str, head: Sequence[str], rows: Sequence[str], room: int) -> list[str]:
    """Write a table under its title as far as there is room, and say what is left out; what is kept is folded away."""
    before, after = (
        ([f"<details><summary>{title}</summary>"], ["", "</details>"]) if title == "Kept" else ([f"#### {title}"], [])
    )
    used, shown = 300, 0
    for row in rows:
        used += len(row) + 1
        if used > room:
            break
        shown += 1
    more = ["", f"{count_with_noun(len(rows) - shown, 'further row')} not shown here."] if shown < len(rows) else []
    return ["", *before, "", *head, *rows[:shown], *more, *after]


def escape_comment_cell(text: str) -> str:
    """Write a cell that mentions nobody and links to nothing.

    >>> escape_comment_cell("@all | #1")
    '&#64;all \\\\| &#35;1'
    """
    return escape_markdown_cell(text).replace("#", "&#35;").replace("@", "&#64;")


_ANNOTATIONS_SHOWN = 10
"""Annotations of one kind that a step shows."""
_ANNOTATION_KINDS: Mapping[Severity, str] = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.NOTE: "notice",
}


def _github_text(account: ReportData) -> str:
    """Write the commands of a step, a line each; nothing where nothing was found.

    >>> from massprops_cli.findings.finding import Place, rule_finding
    >>> print(_github_text(ReportData("bom.csv", [rule_finding("MP302", "the id is empty", Place("bom.csv", line=4))])), end="")
    ::error file=bom.csv,line=4,title=MP302 empty-id::the id is empty; give the row an id, or delete it
    """
    entries = account.entries
    lines: list[str] = []
    for severity, kind in _ANNOTATION_KINDS.items():
        members = [entry for entry in entries if entry.finding.severity is severity]
        lines += [_workflow_command(kind, entry, account.source) for entry in members[:_ANNOTATIONS_SHOWN]]
        lines += _unannotated_lines(kind, members[_ANNOTATIONS_SHOWN:])
    return "".join(line + "\n" for line in lines)


def _workflow_command(kind: str, entry: ReportEntry, source: str) -> str:
    """Write one annotation; lines are those of text files, for a workbook has none."""
    finding, place = entry.finding, entry.place
    line = f",line={place.line}" if place.line is not None else ""
    title = _escape_command_property(f"{finding.rule} {finding.name}")
    spot = "" if place.line is not None or not str(place) or place.file == str(place) else f"{place}: "
    said = f"{spot}{entry.message}" + (f"; {finding.remedy}" if finding.remedy else "")
    return f"::{kind} file={_escape_command_property(repository_path(place, source))}{line},title={title}::{_escape_command_data(said)}"


def _unannotated_lines(kind: str, members: Sequence[ReportEntry]) -> Iterator[str]:
    """Tell in plain lines what a step has no annotations for."""
    if members:
        yield f"{count_with_noun(len(members), f'further {kind}')}, for which a step shows no annotations:"
    for entry in members:
        yield "- " + _escape_log_line(" ".join(str(entry.finding).split()))


def _escape_command_data(text: str) -> str:
    """Write a command's message, so that it neither ends nor begins another.

    >>> _escape_command_data("95 %" + chr(10) + "::error::")
    '95 %25%0A::error::'
    """
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_command_property(text: str) -> str:
    """Write a command's property, in which colons and commas are signs too.

    >>> _escape_command_property("C:/a,b.csv")
    'C%3A/a%2Cb.csv'
    """
    return _escape_command_data(text).replace(":", "%3A").replace(",", "%2C")


def _escape_log_line(text: str) -> str:
    """Write a plain line of the log: the older form of a command would be heeded anywhere in it.

    >>> _escape_log_line("id ##[error]x")
    'id # #[error]x'
    """
    return text.replace("##[", "# #[")


_GITLAB_SEVERITIES = {Severity.ERROR: "critical", Severity.WARNING: "minor", Severity.NOTE: "info"}


def _gitlab_text(account: ReportData) -> str:
    """Write the report; an empty list where nothing was found.

    A line is required, so a finding in a workbook stands at line 1 and names its cell.

    >>> _gitlab_text(ReportData("bom.csv", []))
    '[]\\n'
    """
    entries = account.entries
    issues = []
    for entry, fingerprint in zip(entries, entry_fingerprints(entries, account.source), strict=True):
        place = entry.place
        spot = f"{place}: " if place.line is None and str(place) != place.file else ""
        issues.append(
            {
                "description": spot + entry.message,
                "check_name": f"{entry.finding.rule} {entry.finding.name}",
                "fingerprint": fingerprint,
                "severity": _GITLAB_SEVERITIES[entry.finding.severity],
                "location": {"path": repository_path(place, account.source), "lines": {"begin": place.line or 1}},
            }
        )
    return json_text(issues)


_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def _sarif_text(account: ReportData) -> str:
    """Write a log of one run.

    >>> '"version": "2.1.0"' in _sarif_text(ReportData("bom.csv", []))
    True
    """
    from massprops_cli._version import VERSION

    entries = account.entries
    codes = sorted({entry.finding.rule for entry in entries})
    index = {code: k for k, code in enumerate(codes)}
    driver = {
        "name": "massprops",
        "version": VERSION,
        "rules": [_rule_descriptor(code) for code in codes],
    }
    results = [
        _sarif_result(entry, index, account.source, fingerprint)
        for entry, fingerprint in zip(entries, entry_fingerprints(entries, account.source), strict=True)
    ]
    run = {"tool": {"driver": driver}, "results": results}
    return json_text({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _rule_descriptor(code: str) -> dict[str, Any]:
    """Describe a rule."""
    rule = RULES[code]
    help_text = f"{rule.summary}; {rule.remedy}" if rule.remedy else rule.summary
    return {
        "id": code,
        "name": rule.name,
        "shortDescription": {"text": rule.summary},
        "help": {"text": help_text},
        "defaultConfiguration": {"level": rule.severity},
    }


def _sarif_result(entry: ReportEntry, index: Mapping[str, int], source: str, fingerprint: str) -> dict[str, Any]:
    """Tell one finding; its remedy belongs to the message, for a place has no other."""
    finding, verdict = entry.finding, entry.verdict
    remedy = f"; {finding.remedy}" if finding.remedy else ""
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": index[finding.rule],
        "level": finding.severity.value,
        "message": {"text": finding.message + remedy},
        "locations": [_sarif_location(finding.place, source, finding.item)],
        "partialFingerprints": {"massprops/v1": fingerprint},
    }
    if finding.related:
        result["relatedLocations"] = [_sarif_location(place, source) for place in dict.fromkeys(finding.related)]
    if verdict is not None:
        keys = ("subject", "asked", "value", "limit", "unit", "margin")
        result["properties"] = {key: getattr(verdict, key) for key in keys}
        if verdict.waiver is not None:
            result["suppressions"] = [{"kind": "external", "justification": verdict.waiver.reason}]
    return result


def _sarif_location(place: Place, source: str, item: str = "") -> dict[str, Any]:
    """Tell a place: a file and its line; a cell of a workbook, or an item, is a logical location.

    >>> _sarif_location(Place("my bom.csv", line=3), "")
    {'physicalLocation': {'artifactLocation': {'uri': 'my%20bom.csv'}, 'region': {'startLine': 3}}}
    """
    from urllib.parse import quote

    physical: dict[str, Any] = {"artifactLocation": {"uri": quote(repository_path(place, source), errors="replace")}}
    if place.line is not None:
        physical["region"] = {"startLine": place.line}
    told: dict[str, Any] = {"physicalLocation": physical}
    logical = []
    if place.line is None and str(place) != place.file:
        spot = str(place).removeprefix(f"{place.file}:")
        logical.append({"fullyQualifiedName": spot, "kind": "cell" if place.cell else "row"})
    if item:
        logical.append({"name": item, "kind": "item"})
    return told | ({"logicalLocations": logical} if logical else {})


def ci_report_text(data: ReportData, style: str) -> str:
    """Write a report in a format for machines: junit, sarif, github, gitlab or openmetrics."""
    match style:
        case "junit":
            from massprops_cli.reports.formats.junit import junit_text as text
        case "sarif":
            text = _sarif_text
        case "openmetrics":
            from massprops_cli.reports.formats.openmetrics import openmetrics_text as text
        case "github":
            text = _github_text
        case _:
            text = _gitlab_text
    return text(data)
