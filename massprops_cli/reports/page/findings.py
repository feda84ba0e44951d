"""Findings as text: in full, one line each, JSON, JSON lines, Markdown, and grouped by rule for the screen.

The report as JSON: the library's own dictionary, a number's every digit kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from massprops_cli.findings import RULES, Finding, Severity
from massprops_cli.reports.page.page import Line, PageBlock, Symbols, TextSpan, text_line

_SEVERITY_STYLES = {Severity.ERROR: "bad", Severity.WARNING: "warn", Severity.NOTE: "note"}
_PLACES_SHOWN = 3
"""Places of one rule that the screen shows before it says how many more there are, and how to see them."""


def finding_counts_text(findings: Sequence[Finding]) -> str:
    """Count findings by gravity.

    >>> finding_counts_text([])
    '0 errors, 0 warnings'
    """
    errors, warnings, notes = (
        sum(finding.severity is severity for finding in findings)
        for severity in (Severity.ERROR, Severity.WARNING, Severity.NOTE)
    )
    text = f"{count_with_noun(errors, 'error')}, {count_with_noun(warnings, 'warning')}"
    return text + (f", {count_with_noun(notes, 'note')}" if notes else "")


def count_with_noun(count: int, noun: str) -> str:
    """Write a count with its noun.

    >>> count_with_noun(1, "error"), count_with_noun(61234, "item")
    ('1 error', '61,234 items')
    """
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


def sort_by_severity(findings: Sequence[Finding]) -> list[Finding]:
    """Sort findings: the gravest first, then by rule; within a rule they stay in file order."""
    return sorted(findings, key=lambda finding: (-finding.severity.rank, finding.rule))


def full_finding_blocks(findings: Sequence[Finding]) -> Iterator[PageBlock]:
    """Tell every finding with its place, value, other places and remedy."""
    for finding in sort_by_severity(findings):
        yield _finding_head_line(finding)
        place = str(finding.place)
        value = f"   reads {_cell_value_text(finding.value)}" if finding.value else ""
        if place or value:
            yield text_line("  ", TextSpan(place, "strong"), TextSpan(value, "dim"), hang=4)
        if finding.related:
            yield text_line("  also ", ", ".join(str(other) for other in finding.related), hang=4)
        if finding.remedy:
            yield text_line("  ", TextSpan("remedy ", "dim"), finding.remedy, hang=4)
        yield Line()


def _finding_head_line(finding: Finding) -> Line:
    """Tell gravity, rule and message."""
    return text_line(
        TextSpan(finding.severity.value, _SEVERITY_STYLES[finding.severity]),
        " ",
        TextSpan(finding.rule, "strong"),
        f" {finding.message} ",
        TextSpan(f"[{finding.name}]", "dim"),
        hang=4,
    )


def _cell_value_text(value: str) -> str:
    """Write a cell's text on one line, with what cannot be seen as code points; a long one is cut, and says
    so.

    >>> _cell_value_text("1,5"), _cell_value_text("a" * 200)[-20:]
    ("'1,5'", "aa' (200 characters)")
    """
    if len(value) > 80:
        return f"{value[:60]!r} ({len(value):,} characters)"
    return repr(value)


def finding_lines(findings: Sequence[Finding]) -> str:
    """Tell every finding on one line, in file order, as compilers do."""
    return "".join(" ".join(str(finding).splitlines()) + "\n" for finding in findings)


def finding_json_lines(findings: Sequence[Finding]) -> str:
    """Tell every finding as one JSON object a line."""
    import json

    return "".join(json.dumps(finding.to_dict(), ensure_ascii=False) + "\n" for finding in findings)


def findings_markdown(findings: Sequence[Finding]) -> str:
    """Tell every finding as a row of a Markdown table."""
    if not findings:
        return "No findings.\n"
    lines = ["| severity | rule | place | message | remedy |", "|---|---|---|---|---|"]
    for finding in sort_by_severity(findings):
        cells = (
            finding.severity.value,
            f"{finding.rule} {finding.name}",
            str(finding.place),
            finding.message,
            finding.remedy,
        )
        lines.append("| " + " | ".join(escape_markdown_cell(cell) for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def escape_markdown_cell(text: str) -> str:
    """Write a text so that it stays in its cell of a Markdown table.

    >>> escape_markdown_cell("a|b" + chr(10) + "c")
    'a\\\\|b c'
    """
    return " ".join(text.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").split())


def grouped_finding_blocks(findings: Sequence[Finding], symbols: Symbols, command: str) -> Iterator[PageBlock]:
    """Tell findings rule by rule, a few places of each; ``command`` is what shows all of them."""
    groups: dict[tuple[int, str], list[Finding]] = {}
    for finding in sort_by_severity(findings):
        groups.setdefault((finding.severity.rank, finding.rule), []).append(finding)
    hidden = 0
    for (_, rule), members in groups.items():
        first = members[0]
        total = sum(finding.count for finding in members)
        yield text_line(
            TextSpan(first.severity.value, _SEVERITY_STYLES[first.severity]),
            " ",
            TextSpan(rule, "strong"),
            f" {RULES[rule].summary}",
            TextSpan(f" {symbols.times}{total:,}" if total > 1 else "", "strong"),
            hang=4,
        )
        for finding in members[:_PLACES_SHOWN]:
            place = str(finding.place)
            yield text_line("  ", TextSpan(place, "dim"), "  " if place else "", finding.message, hang=4)
        more = len(members) - _PLACES_SHOWN
        if more > 0:
            hidden += more
            yield text_line(TextSpan(f"  {symbols.rest} and {more:,} more", "dim"))
        remedies = list(dict.fromkeys(finding.remedy for finding in members[:_PLACES_SHOWN] if finding.remedy))
        for remedy in remedies:
            yield text_line(f"  {symbols.arrow} ", remedy, hang=4)
    if hidden:
        yield text_line(
            TextSpan(f"{count_with_noun(hidden, 'finding')} not shown here; all of them: {command}", "strong"), hang=4
        )


def json_text(report: Any) -> str:
    """Write a dictionary of plain values as JSON, ending with a newline.

    >>> json_text({"mass": 0.1})
    '{\\n "mass": 0.1\\n}\\n'
    """
    import json

    return json.dumps(report, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def json_line(report: Any) -> str:
    """Write a dictionary of plain values as JSON on one line.

    >>> json_line({"mass": 0.1})
    '{"mass": 0.1}\\n'
    """
    import json

    return json.dumps(report, ensure_ascii=False, allow_nan=False) + "\n"


def findings_report(name: str, findings: Sequence[Finding]) -> dict[str, Any]:
    """Give findings as plain values, where there is no result to report.

    >>> findings_report("bom.csv", [])["summary"]
    {'errors': 0, 'warnings': 0, 'notes': 0}
    """
    from massprops_cli._version import VERSION

    severities = [finding.severity.value for finding in findings]
    return {
        "massprops": VERSION,
        "source": {"file": name},
        "summary": {f"{word}s": severities.count(word) for word in ("error", "warning", "note")},
        "findings": [finding.to_dict() for finding in findings],
    }
