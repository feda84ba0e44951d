"""Findings as text: in full, one line each, JSON, JSON lines, Markdown, and grouped by rule for the screen.

The report as JSON: the library's own dictionary, a number's every digit kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from massprops_cli.findings import Finding, Severity
from massprops_cli.findings.catalogue import RULES
from massprops_cli.reports.page import Block, Line, Span, Symbols, say

STYLE = {Severity.ERROR: "bad", Severity.WARNING: "warn", Severity.NOTE: "note"}
SHOWN = 3
"""Places of one rule that the screen shows before it says how many more there are, and how to see them."""


def counts_text(findings: Sequence[Finding]) -> str:
    """Count findings by gravity.

    >>> counts_text([])
    '0 errors, 0 warnings'
    """
    errors, warnings, notes = (
        sum(finding.severity is severity for finding in findings)
        for severity in (Severity.ERROR, Severity.WARNING, Severity.NOTE)
    )
    text = f"{plural(errors, 'error')}, {plural(warnings, 'warning')}"
    return text + (f", {plural(notes, 'note')}" if notes else "")


def plural(count: int, noun: str) -> str:
    """Write a count with its noun.

    >>> plural(1, "error"), plural(61234, "item")
    ('1 error', '61,234 items')
    """
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


def by_gravity(findings: Sequence[Finding]) -> list[Finding]:
    """Sort findings: the gravest first, then by rule; within a rule they stay in file order."""
    return sorted(findings, key=lambda finding: (-finding.severity.rank, finding.rule))


def full_blocks(findings: Sequence[Finding]) -> Iterator[Block]:
    """Tell every finding with its place, value, other places and remedy."""
    for finding in by_gravity(findings):
        yield head_of(finding)
        place = str(finding.place)
        value = f"   reads {printed(finding.value)}" if finding.value else ""
        if place or value:
            yield say("  ", Span(place, "strong"), Span(value, "dim"), hang=4)
        if finding.related:
            yield say("  also ", ", ".join(str(other) for other in finding.related), hang=4)
        if finding.remedy:
            yield say("  ", Span("remedy ", "dim"), finding.remedy, hang=4)
        yield Line()


def head_of(finding: Finding) -> Line:
    """Tell gravity, rule and message."""
    return say(
        Span(finding.severity.value, STYLE[finding.severity]),
        " ",
        Span(finding.rule, "strong"),
        f" {finding.message} ",
        Span(f"[{finding.name}]", "dim"),
        hang=4,
    )


def printed(value: str) -> str:
    """Write a cell's text on one line, with what cannot be seen as code points; a long one is cut, and says
    so.

    >>> printed("1,5"), printed("a" * 200)[-20:]
    ("'1,5'", "aa' (200 characters)")
    """
    if len(value) > 80:
        return f"{value[:60]!r} ({len(value):,} characters)"
    return repr(value)


def concise(findings: Sequence[Finding]) -> str:
    """Tell every finding on one line, in file order, as compilers do."""
    return "".join(" ".join(str(finding).splitlines()) + "\n" for finding in findings)


def json_lines(findings: Sequence[Finding]) -> str:
    """Tell every finding as one JSON object a line."""
    import json

    return "".join(json.dumps(finding.to_dict(), ensure_ascii=False) + "\n" for finding in findings)


def markdown_table(findings: Sequence[Finding]) -> str:
    """Tell every finding as a row of a Markdown table."""
    if not findings:
        return "No findings.\n"
    lines = ["| severity | rule | place | message | remedy |", "|---|---|---|---|---|"]
    for finding in by_gravity(findings):
        cells = (
            finding.severity.value,
            f"{finding.rule} {finding.name}",
            str(finding.place),
            finding.message,
            finding.remedy,
        )
        lines.append("| " + " | ".join(escaped(cell) for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    """Write a text so that it stays in its cell of a Markdown table.

    >>> escaped("a|b" + chr(10) + "c")
    'a\\\\|b c'
    """
    return " ".join(text.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").split())


def grouped_blocks(findings: Sequence[Finding], symbols: Symbols, command: str) -> Iterator[Block]:
    """Tell findings rule by rule, a few places of each; ``command`` is what shows all of them."""
    groups: dict[tuple[int, str], list[Finding]] = {}
    for finding in by_gravity(findings):
        groups.setdefault((finding.severity.rank, finding.rule), []).append(finding)
    hidden = 0
    for (_, rule), members in groups.items():
        first = members[0]
        total = sum(finding.count for finding in members)
        yield say(
            Span(first.severity.value, STYLE[first.severity]),
            " ",
            Span(rule, "strong"),
            f" {RULES[rule].summary}",
            Span(f" {symbols.times}{total:,}" if total > 1 else "", "strong"),
            hang=4,
        )
        for finding in members[:SHOWN]:
            place = str(finding.place)
            yield say("  ", Span(place, "dim"), "  " if place else "", finding.message, hang=4)
        more = len(members) - SHOWN
        if more > 0:
            hidden += more
            yield say(Span(f"  {symbols.rest} and {more:,} more", "dim"))
        remedies = list(dict.fromkeys(finding.remedy for finding in members[:SHOWN] if finding.remedy))
        for remedy in remedies:
            yield say(f"  {symbols.arrow} ", remedy, hang=4)
    if hidden:
        yield say(Span(f"{plural(hidden, 'finding')} not shown here; all of them: {command}", "strong"), hang=4)


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
