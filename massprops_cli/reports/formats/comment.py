"""The comment for a merge request, in Markdown; its length is limited, because services cut or reject a long one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from massprops_cli.findings.finding import count_with_noun, finding_counts_text
from massprops_cli.reports.formats.report_data import ReportData, ReportEntry
from massprops_cli.reports.limits import limit_margin_text, limit_value_text
from massprops_cli.reports.page.findings import markdown_code, markdown_row, markdown_table

if TYPE_CHECKING:
    from massprops_cli.budgets.model import Verdict

_MAX_COMMENT_LENGTH = 60_000  # characters of a comment; the limit of GitHub is 65,536
_LIMIT_HEAD = ["| item | limit | value | margin | |", "|---|---|--:|--:|---|"]


def comment_text(data: ReportData) -> str:
    """Write the comment for a merge request."""
    entries = data.entries
    mark = "✔" if data.is_kept else "✘"
    counts = finding_counts_text([entry.finding for entry in entries])
    limits = ""
    if data.verdicts:
        kept = sum(verdict.kept for verdict in data.verdicts)
        limits = f"{kept:,} of {count_with_noun(len(data.verdicts), 'limit')} kept, "
    lines = [f"### {mark} {markdown_code(data.source)}: {limits}{counts}"]
    findings = [entry for entry in entries if entry.verdict is None]
    broken = [entry.verdict for entry in entries if entry.verdict is not None]
    parts: list[tuple[str, list[str], list[str]]] = [
        ("Not kept", _LIMIT_HEAD, [_limit_row(verdict) for verdict in broken]),
        ("Findings", markdown_table(("severity", "rule", "place", "message"), "llll"), [*map(_finding_row, findings)]),
        ("Kept", _LIMIT_HEAD, [_limit_row(verdict) for verdict in data.verdicts if verdict.kept]),
    ]
    left = _MAX_COMMENT_LENGTH - len(lines[0])
    for title, head, rows in parts:
        if rows:
            part = _comment_section(title, head, rows, left)
            left -= sum(len(line) + 1 for line in part)
            lines += part
    return "".join(line + "\n" for line in lines)


def _limit_row(verdict: Verdict) -> str:
    """Write one limit as a row of a table."""
    waived = f"waived: {verdict.waiver.reason}" if not verdict.kept and verdict.waiver else ""
    mark = "kept" if verdict.kept else waived or verdict.severity.value
    named = f"{verdict.item} {verdict.name}".strip()
    cells = (named, verdict.requirement, limit_value_text(verdict), limit_margin_text(verdict), mark)
    return markdown_row(cells)


def _finding_row(entry: ReportEntry) -> str:
    """Write one finding as a row of a table."""
    finding = entry.finding
    text = finding.message + (f"; {finding.remedy}" if finding.remedy else "")
    return markdown_row((finding.severity.value, f"{finding.rule} {finding.name}", str(finding.place), text))


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
