"""Findings as text: on the screen, one line each, JSON, JSON lines and Markdown."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from massprops_cli.findings.finding import Finding, Severity, count_with_noun, name_list
from massprops_cli.reports.page import page

_SEVERITY_STYLES = {Severity.ERROR: "bad", Severity.WARNING: "warn", Severity.NOTE: "note"}
_FINDINGS_SHOWN = 3  # findings of one rule on the screen of a roll-up at most; of more the first one, with their count
_MIN_LINES = 12  # lines that findings may have below a short result
_QUOTED_LENGTH = 80  # characters of a value in a message; a longer one is cut
_NAMED_LENGTH = 30  # characters by which a message names a long value
MAX_NOTES = 2  # notes that are shown in reports without a result; more are counted


def _sort_by_severity(findings: Sequence[Finding]) -> list[Finding]:
    """Sort findings by severity, highest first, then by rule; within a rule they stay in file order."""
    return sorted(findings, key=lambda finding: (-finding.severity.rank, finding.rule))


def full_finding_blocks(findings: Sequence[Finding]) -> Iterator[page.PageBlock]:
    """Lay out every finding with its related places, and the hints of each rule."""
    for members in _findings_by_rule(findings):
        yield from _rule_blocks(members, with_related=True)


def finding_summary_blocks(findings: Sequence[Finding]) -> list[page.PageBlock]:
    """Lay out the findings of each rule in one line, and the items with the most of them."""
    groups = _findings_by_rule([finding for finding in findings if finding.severity is not Severity.NOTE])
    if len(groups) < 2:
        return []
    lines: list[page.PageBlock] = []
    items: Counter[str] = Counter()
    counts = [count_with_noun(len(members), members[0].severity.value) for members in groups]
    for count, members in zip(counts, groups, strict=True):
        names = list(dict.fromkeys(finding.item.removesuffix("/body") for finding in members if finding.item))
        items.update(names)
        named = f": {_printable_text(name_list(names, 6))}" if names else ""
        style = _SEVERITY_STYLES[members[0].severity]
        rule = f" {members[0].rule} {members[0].name}{named}"
        lines.append(page.text_line("  ", page.TextSpan(count.ljust(max(map(len, counts))), style), rule, hang=4))
    most = [f"{name} ({count})" for name, count in items.most_common(6) if count > 1]
    return [*lines, page.text_line(f"  most findings: {_printable_text(', '.join(most))}", hang=4)] if most else lines


def grouped_finding_blocks(
    findings: Sequence[Finding], below: int | None = None, *, with_related: bool = False
) -> list[page.PageBlock]:
    """Lay out a few findings of each rule, or the first of many with their count."""
    listed = [finding for finding in findings if below is None or finding.severity is not Severity.NOTE]
    notes = len(findings) - len(listed)
    groups = [part for members in _findings_by_rule(listed) for part in _findings_by_hint(members)]
    room = sys.maxsize if below is None else max(below, _MIN_LINES)
    for most in (_FINDINGS_SHOWN, 1):
        shown = [len(members) if len(members) <= most else 1 for members in groups]
        parts = [(one[:n], len(one) - n) for one, n in zip(groups, shown, strict=True)]
        blocks = [list(_rule_blocks(*part, with_related=with_related)) for part in parts]
        if sum(map(len, blocks)) <= room:
            break
    while sum(map(len, blocks)) > room and groups[len(blocks) - 1][0].severity is not Severity.ERROR:
        blocks.pop()
    hidden = sum(map(len, groups)) - sum(shown[: len(blocks)])
    counts = [f"{count_with_noun(hidden, 'more finding')}"] if hidden else []
    counts += [count_with_noun(notes, "note")] if notes else []
    lines: list[page.PageBlock] = [line for group in blocks for line in group]
    return lines + ([page.text_line(page.TextSpan(f"{', '.join(counts)}: -v", "dim"))] if counts else [])


def fold_notes(findings: Sequence[Finding], most: int = MAX_NOTES) -> tuple[list[Finding], list[page.PageBlock]]:
    """Separate the notes of a report from the findings that are shown, if there are more than a number."""
    others = [finding for finding in findings if finding.severity is not Severity.NOTE]
    if (notes := len(findings) - len(others)) <= most:
        return list(findings), []
    return others, [page.text_line(page.TextSpan(f"{count_with_noun(notes, 'note')}: -v", "dim"))]


def _findings_by_rule(findings: Sequence[Finding]) -> list[list[Finding]]:
    """Group findings by severity and rule, highest severity first."""
    groups: dict[tuple[int, str], list[Finding]] = {}
    for finding in _sort_by_severity(findings):
        groups.setdefault((finding.severity.rank, finding.rule), []).append(finding)
    return list(groups.values())


def _findings_by_hint(findings: Sequence[Finding]) -> list[list[Finding]]:
    """Group the findings of a rule by their hints, the last finding last; in one group if there are many hints."""
    by_hint: dict[str, list[Finding]] = {}
    for finding in findings:
        by_hint.setdefault(finding.remedy, []).append(finding)
    last = by_hint.pop(findings[-1].remedy)
    return [*by_hint.values(), last] if len(by_hint) < _FINDINGS_SHOWN else [list(findings)]


def _rule_blocks(
    findings: Sequence[Finding], folded: int = 0, *, with_related: bool = False
) -> Iterator[page.PageBlock]:
    """Show findings of one rule, and each hint after its findings; ``folded`` more are not shown."""
    for members in _findings_by_hint(findings):
        for finding in members:
            yield _finding_line(finding, with_count=not with_related, folded=folded)
            if with_related and finding.related:
                places = ", ".join(str(place) for place in finding.related)
                yield page.text_line("    ", page.TextSpan("also at: ", "dim"), _printable_text(places), hang=6)
        if hint := members[-1].remedy:
            yield page.text_line("  ", page.TextSpan("hint: ", "note"), _printable_text(hint), hang=4)


def _finding_line(finding: Finding, *, with_count: bool = False, folded: int = 0) -> page.Line:
    """Write a finding as one line: place, severity and rule, message with the value that was read."""
    place = _printable_text(str(finding.place))
    return page.text_line(
        page.TextSpan(place, "strong"),
        "  " if place else "",
        page.TextSpan(finding.severity.value, _SEVERITY_STYLES[finding.severity]),
        " ",
        page.TextSpan(finding.rule, "strong"),
        f"  {_message_text(finding)}",
        page.TextSpan(f" ({finding.count:,} places)" if with_count and finding.count > 1 else "", "dim"),
        page.TextSpan(f" (and {folded:,} more)" if folded else "", "dim"),
        hang=4,
    )


def _message_text(finding: Finding) -> str:
    """Write the message, followed by the value that was read unless the message names it."""
    message = finding.message
    for text in (finding.value, finding.item):
        if len(text) > _QUOTED_LENGTH:
            message = message.replace(text, text[:_QUOTED_LENGTH] + "…")
    message = re.sub(rf"([^\s…]{{{_QUOTED_LENGTH}}})[^\s…:,;)]+", r"\1…", message)
    if finding.value and not _names_value(message, finding.value):
        message += f": {_quoted_text(finding.value)}"
    return _printable_text(message)


def _names_value(message: str, value: str) -> bool:
    """Whether a message has a value, or the beginning of a long one."""
    if "\n" in value and all(repr(line) in message for line in value.split("\n")):
        return True
    texts = (value.strip(), _printable_text(value), repr(value)[1:-1])
    return any(re.search(rf"(?<!\w){re.escape(text[:_NAMED_LENGTH])}(?!\w)", message) for text in texts) or (
        len(value) > _NAMED_LENGTH and value[:_NAMED_LENGTH] in message
    )


def _quoted_text(value: str) -> str:
    """Write a value in quotes, unprintable characters escaped; a long one is cut."""
    if len(value) > _QUOTED_LENGTH:
        return f"{value[:_QUOTED_LENGTH] + '…'!r} ({len(value):,} characters)"
    return repr(value)


def _printable_text(text: str) -> str:
    """Write a text on one line, unprintable characters as escapes."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else " " if c.isspace() else repr(c)[1:-1] for c in text)


def finding_lines(findings: Sequence[Finding]) -> str:
    """Write findings in file order, one on each line, in the form of compiler messages."""
    return "".join(page.shorten_echo(" ".join(str(finding).splitlines())) + "\n" for finding in findings)


def finding_dicts(findings: Sequence[Finding]) -> list[dict[str, Any]]:
    """Return findings as plain values."""
    return [finding.to_dict() for finding in findings]


def findings_markdown(findings: Sequence[Finding]) -> str:
    """Write findings as a table in Markdown."""
    if not findings:
        return "No findings.\n"
    rows = [
        (one.severity.value, f"{one.rule} {one.name}", str(one.place), one.message, one.remedy)
        for one in _sort_by_severity(findings)
    ]
    return "\n".join(markdown_table(("severity", "rule", "place", "message", "hint"), "lllll", rows)) + "\n"


def markdown_table(heads: Sequence[str], align: str, rows: Iterable[Sequence[str]] = ()) -> list[str]:
    """Return the lines of a table in Markdown; per column l left or r right."""
    rule = "|".join("--:" if letter == "r" else "---" for letter in align)
    return [markdown_row(heads), f"|{rule}|", *map(markdown_row, rows)]


def markdown_row(cells: Iterable[str]) -> str:
    """Write a row of a table in Markdown."""
    return f"| {' | '.join(map(escape_markdown_cell, cells))} |"


def escape_markdown_cell(text: str) -> str:
    """Escape a text for a line of Markdown or a cell of a table, so that it has no mentions, links, images and HTML."""
    from massprops_cli.files.json_records import escape_markdown

    return escape_markdown(" ".join(text.split()))


def markdown_code(text: str, *, is_cell: bool = False) -> str:
    """Write a text as code, in which Markdown has no mentions, links, images and HTML."""
    text = page.escape_workflow_commands(" ".join(text.split()))
    if is_cell:
        text = text.replace("|", "\\|")
    mark = page.code_fence(text, 1)
    pad = " " if text.startswith("`") or text.endswith("`") or not text else ""
    return f"{mark}{pad}{text}{pad}{mark}"


def json_text(report: Any) -> str:
    """Write a dictionary of plain values as JSON, ending with a newline."""
    import json

    return _without_commands(json.dumps(report, ensure_ascii=False, indent=1, allow_nan=False)) + "\n"


def csv_text(rows: Iterable[Iterable[object]]) -> str:
    """Write rows as CSV, numbers with all their digits."""
    import csv
    import io

    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()


def json_line(report: Any) -> str:
    """Write a dictionary of plain values as JSON on one line."""
    import json

    return _without_commands(json.dumps(report, ensure_ascii=False, allow_nan=False)) + "\n"


def _without_commands(text: str) -> str:
    """Spell the sign with which a command to a host of code begins as an escape of JSON, which is the same value."""
    return text.replace("##[", "\\u0023#[")


def findings_report(name: str, findings: Sequence[Finding]) -> dict[str, Any]:
    """Return findings as plain values, for a report without a result."""
    from massprops_cli._front import VERSION

    severities = [finding.severity.value for finding in findings]
    return {
        "massprops": VERSION,
        "source": {"file": name},
        "summary": {f"{word}s": severities.count(word) for word in ("error", "warning", "note")},
        "findings": finding_dicts(findings),
    }
