"""A comment under a change, in Markdown: the verdict, the limits that are not kept, the findings, all the limits.

Services cut a long comment or refuse it, so it ends in time and says how much it leaves out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from massprops_cli.report.check_view import amount
from massprops_cli.report.findings_text import counts_text, escaped, plural
from massprops_cli.report.formats.account import Account, Entry

if TYPE_CHECKING:
    from massprops_cli.budget.verdict import Verdict

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
    cells = (named, verdict.asked, amount(verdict.value, verdict.unit), amount(verdict.margin, verdict.unit), mark)
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
