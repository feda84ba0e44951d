"""A comment under a change, in Markdown: the verdict, the limits that are not kept, the findings, all the limits.

Services cut a long comment or refuse it, so it ends in time and says how much it leaves out.

Workflow commands of GitHub Actions: an annotation for each finding, the worst first.

Source: GitHub, "Workflow commands for GitHub Actions". A step shows ten annotations of each kind and drops the rest
without a word, so the eleventh and those after it are plain lines of the log, and this is said.

GitLab's code quality report: a list of issues, in the form of Code Climate.

Source: GitLab, "Code Quality", section "Code Quality report format".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from massprops_cli.findings import Severity
from massprops_cli.reports.findings import counts_text, escaped, json_text, plural
from massprops_cli.reports.formats.account import Account, Entry, fingerprints, path_of
from massprops_cli.reports.limits import amount, value_text

if TYPE_CHECKING:
    from massprops_cli.budgets.model import Verdict


LONGEST = 60_000
"""Characters of a comment; GitHub takes 65,536."""


def comment_text(account: Account) -> str:
    """Write the comment.

    >>> print(comment_text(Account("bom.csv", [])), end="")
    ### ✔ `bom.csv`: 0 errors, 0 warnings
    """
    entries = account.entries
    lines = [headline(account, entries)]
    findings = [entry for entry in entries if entry.verdict is None]
    broken = [entry.verdict for entry in entries if entry.verdict is not None]
    parts: list[tuple[str, list[str], list[str]]] = [
        ("Not kept", LIMIT_HEAD, [limit_row(verdict) for verdict in broken]),
        ("Findings", ["| severity | rule | place | message |", "|---|---|---|---|"], [*map(finding_row, findings)]),
        ("Kept", LIMIT_HEAD, [limit_row(verdict) for verdict in account.verdicts if verdict.kept]),
    ]
    left = LONGEST - len(lines[0])
    for title, head, rows in parts:
        if rows:
            part = section(title, head, rows, left)
            left -= sum(len(line) + 1 for line in part)
            lines += part
    return "".join(line + "\n" for line in lines)


def headline(account: Account, entries: Sequence[Entry]) -> str:
    """Say in one line what came of it."""
    mark = "✔" if account.is_kept else "✘"
    counts = counts_text([entry.finding for entry in entries])
    limits = ""
    if account.verdicts:
        kept = sum(verdict.kept for verdict in account.verdicts)
        limits = f"{kept:,} of {plural(len(account.verdicts), 'limit')} kept, "
    source = " ".join(account.source.replace("`", " ").split())  # a code span ends with its line
    return f"### {mark} `{source}`: {limits}{counts}"


LIMIT_HEAD = ["| item | limit | value | margin | |", "|---|---|--:|--:|---|"]


def limit_row(verdict: Verdict) -> str:
    """Write one limit as a row of a table."""
    waived = f"waived: {verdict.waiver.reason}" if not verdict.kept and verdict.waiver else ""
    mark = "kept" if verdict.kept else waived or verdict.severity.value
    named = f"{verdict.item} {verdict.name}".strip()
    cells = (named, verdict.asked, value_text(verdict), amount(verdict.margin, verdict.unit), mark)
    return "| " + " | ".join(map(safe, cells)) + " |"


def finding_row(entry: Entry) -> str:
    """Write one finding as a row of a table."""
    finding = entry.finding
    told = finding.message + (f"; {finding.remedy}" if finding.remedy else "")
    cells = (finding.severity.value, f"{finding.rule} {finding.name}", str(finding.place), told)
    return "| " + " | ".join(map(safe, cells)) + " |"


def section(title: str, head: Sequence[str], rows: Sequence[str], room: int) -> list[str]:
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
    more = ["", f"{plural(len(rows) - shown, 'further row')} not shown here."] if shown < len(rows) else []
    return ["", *before, "", *head, *rows[:shown], *more, *after]


def safe(text: str) -> str:
    """Write a cell that mentions nobody and links to nothing.

    >>> safe("@all | #1")
    '&#64;all \\\\| &#35;1'
    """
    return escaped(text).replace("#", "&#35;").replace("@", "&#64;")


SHOWN = 10
"""Annotations of one kind that a step shows."""
KINDS: Mapping[Severity, str] = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.NOTE: "notice",
}


def github_text(account: Account) -> str:
    """Write the commands of a step, a line each; nothing where nothing was found.

    >>> from massprops_cli.findings import Place, found
    >>> print(github_text(Account("bom.csv", [found("MP302", "the id is empty", Place("bom.csv", line=4))])), end="")
    ::error file=bom.csv,line=4,title=MP302 empty-id::the id is empty; give the row an id, or delete it
    """
    entries = account.entries
    lines: list[str] = []
    for severity, kind in KINDS.items():
        members = [entry for entry in entries if entry.finding.severity is severity]
        lines += [command(kind, entry, account.source) for entry in members[:SHOWN]]
        lines += rest(kind, members[SHOWN:])
    return "".join(line + "\n" for line in lines)


def command(kind: str, entry: Entry, source: str) -> str:
    """Write one annotation; lines are those of text files, for a workbook has none."""
    finding, place = entry.finding, entry.place
    line = f",line={place.line}" if place.line is not None else ""
    title = property_text(f"{finding.rule} {finding.name}")
    spot = "" if place.line is not None or not str(place) or place.file == str(place) else f"{place}: "
    said = f"{spot}{entry.message}" + (f"; {finding.remedy}" if finding.remedy else "")
    return f"::{kind} file={property_text(path_of(place, source))}{line},title={title}::{data_text(said)}"


def rest(kind: str, members: Sequence[Entry]) -> Iterator[str]:
    """Tell in plain lines what a step has no annotations for."""
    if members:
        yield f"{plural(len(members), f'further {kind}')}, for which a step shows no annotations:"
    for entry in members:
        yield "- " + harmless(" ".join(str(entry.finding).split()))


def data_text(text: str) -> str:
    """Write a command's message, so that it neither ends nor begins another.

    >>> data_text("95 %" + chr(10) + "::error::")
    '95 %25%0A::error::'
    """
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def property_text(text: str) -> str:
    """Write a command's property, in which colons and commas are signs too.

    >>> property_text("C:/a,b.csv")
    'C%3A/a%2Cb.csv'
    """
    return data_text(text).replace(":", "%3A").replace(",", "%2C")


def harmless(text: str) -> str:
    """Write a plain line of the log: the older form of a command would be heeded anywhere in it.

    >>> harmless("id ##[error]x")
    'id # #[error]x'
    """
    return text.replace("##[", "# #[")


SEVERITIES = {Severity.ERROR: "critical", Severity.WARNING: "minor", Severity.NOTE: "info"}


def gitlab_text(account: Account) -> str:
    """Write the report; an empty list where nothing was found.

    A line is required, so a finding in a workbook stands at line 1 and names its cell.

    >>> gitlab_text(Account("bom.csv", []))
    '[]\\n'
    """
    entries = account.entries
    issues = []
    for entry, fingerprint in zip(entries, fingerprints(entries, account.source), strict=True):
        place = entry.place
        spot = f"{place}: " if place.line is None and str(place) != place.file else ""
        issues.append(
            {
                "description": spot + entry.message,
                "check_name": f"{entry.finding.rule} {entry.finding.name}",
                "fingerprint": fingerprint,
                "severity": SEVERITIES[entry.finding.severity],
                "location": {"path": path_of(place, account.source), "lines": {"begin": place.line or 1}},
            }
        )
    return json_text(issues)
