"""What changed between two revisions, for people: totals, and a waterfall from before to after."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from math import isfinite
from typing import NamedTuple

from massprops_cli.reports.conventions import sign_words
from massprops_cli.reports.findings import plural
from massprops_cli.reports.formats.code_hosts import safe
from massprops_cli.reports.number_text import difference_text, exponent, number_text, rounded, unit_text
from massprops_cli.reports.page import FULL, Block, Grid, Line, Span, Symbols, say
from massprops_cli.revisions.attribution import RESULTS
from massprops_cli.revisions.diff import Diff
from massprops_cli.revisions.waterfall import Waterfall, unit_of

nan = float("nan")
DIGITS = 4
"""Digits of the largest step; all others stop at the same place."""
BARS = 24
"""Columns of a waterfall."""
ALSO = 5
"""Items named that changed and do nothing to what is shown."""


class Row(NamedTuple):
    """A row of a waterfall: label, what changed, the change, the reason, and where its bar begins and ends (0 to 1)."""

    label: str
    words: str
    change: str
    reason: str
    begins: float
    ends: float


def diff_blocks(answer: Diff, fall: Waterfall, symbols: Symbols, *, failed: bool = False) -> list[Block]:
    """Show what changed: a head, the totals that differ, the waterfall, and the change of mass by reason."""
    rows, head = total_rows(answer, symbols), head_text(answer, symbols)
    mark = Span(symbols.bad, "bad") if failed else Span(symbols.good, "good")
    blocks: list[Block] = [say(mark, " ", Span(head, "strong"))]
    if len(rows) > 1:
        blocks += [Line(), Grid(rows, "ldddl")]
    blocks += [*waterfall_blocks(fall, symbols), *by_change_blocks(answer, fall, symbols), *also_blocks(answer, fall)]
    if answer.reasons:
        blocks += [Line(), say(Span("Mass by reason", "strong")), Grid(reason_rows(answer, symbols), "ldl")]
    words = (
        "units of the new file" if answer.units.stated else "units not stated",
        "inertia about each file's own centre of mass",
        f"products are {sign_words(symbols)}",
    )
    return [*blocks, Line(), say(Span("; ".join(words), "dim"))]


def head_text(answer: Diff, symbols: Symbols) -> str:
    """Say which files were compared, and how many items differ in which way."""
    old, new = answer.names
    count = ", ".join(f"{n:,} {word}" for word, n in answer.counts().items())
    found = f"{plural(len(answer.lines), 'item')} changed: {count}" if count else "no item changed"
    return f"{old} {symbols.arrow} {new}: {found}"


def total_rows(answer: Diff, symbols: Symbols) -> list[list[Span]]:
    """Give a header, and a row for every total that differs."""
    whole = answer.whole
    rows = [[Span(text, "dim") for text in ("", "before", "after", "change", "")]]
    for k, name in enumerate(RESULTS):
        before, after, change = (float(v[k]) for v in (whole.before, whole.after, whole.change))
        if before == after or not (isfinite(before) or isfinite(after)):
            continue
        label = name.replace("sigma_", f"{symbols.sigma} ").replace("_", " ")
        told = (number_text(before) or "-", number_text(after) or "-", difference_text(change, nan))
        rows.append(
            [Span(label, "dim"), *map(Span, told), Span(unit_text(unit_of(name, answer.units), symbols), "dim")]
        )
    return rows


def waterfall_blocks(fall: Waterfall, symbols: Symbols) -> list[Block]:
    """Draw a waterfall: bars hang where the sum stands, so that they lead from before to after."""
    rows = waterfall_rows(fall)
    title = f"{fall.of.replace('_', ' ')} of {fall.item}"
    unit = unit_text(fall.unit, symbols)
    if not rows:
        return [Line(), say(Span(title, "strong"), " does not change")]
    before = say(Span(title, "strong"), f": {number_text(fall.before, 8)} {symbols.arrow} {ends_text(fall, unit)}")
    cells = [
        [
            Span(row.label),
            Span(row.change, "strong"),
            Span(bar_text(row, symbols), "good" if row.change.startswith("-") else "warn"),
            Span(with_reason(row), "dim"),
        ]
        for row in rows
    ]
    return [Line(), before, Grid(cells, "ldll", shrink=0)]


def ends_text(fall: Waterfall, unit: str) -> str:
    """Say where a waterfall ends, and how far that is in per cent of where it began; a centre has no such share."""
    has_share = fall.before != 0 and "C" not in fall.of
    per_cent = 100 * fall.change / abs(fall.before) if has_share else nan
    share = f", {'' if per_cent < 0 else '+'}{number_text(per_cent, 2)} %" if has_share else ""
    return f"{number_text(fall.after, 8)} {unit}".rstrip() + share


def by_change_blocks(answer: Diff, fall: Waterfall, symbols: Symbols) -> list[Block]:
    """Add the change of the root's mass up by what happened, where several things did."""
    if fall.of != "mass" or fall.item != answer.new.bom.ids[answer.new.root_item]:
        return []
    found = {word: value for word, value in answer.whole.by_change().items() if value and word != "rounding"}
    if len(found) < 2:
        return []
    words = ", ".join(f"{word} {difference_text(value, nan)}" for word, value in found.items())
    return [say(Span(f"  {words} {unit_text(fall.unit, symbols)}".rstrip(), "dim"), hang=4)]


def also_blocks(answer: Diff, fall: Waterfall) -> list[Block]:
    """Name a few of the items that changed and do nothing to the result that is shown."""
    if fall.n_rest:
        return []
    shown = {step.id for step in fall.steps}
    also = list(islice((row for row in answer.rows() if row.id not in shown), ALSO + 1))
    if not also:
        return []
    words = ", ".join(f"{row.id} ({', '.join(row.changes)})" for row in also[:ALSO])
    return [say(Span(f"  also changed: {words}{' and more' if len(also) > ALSO else ''}", "dim"), hang=4)]


def with_reason(row: Row) -> str:
    """Say what changed, and why."""
    return f"{row.words}: {row.reason}" if row.reason else row.words


def waterfall_rows(fall: Waterfall) -> list[Row]:
    """Give the rows between before and after: steps, the rest, and what rounding to the digits shown leaves."""
    heads, values = heads_and_values(fall)
    largest = max(map(abs, [*values, fall.change, fall.rounding]), default=0.0)
    if largest == 0:
        return []
    last = exponent(largest, DIGITS) - DIGITS + 1
    whole = round(fall.change / 10.0**last)
    pieces = [round(value / 10.0**last) for value in values]
    left = whole - sum(pieces)
    if left:
        heads.append(("rounding", "", ""))
        values.append(left * 10.0**last)
    sums = [0.0]
    for value in values:
        sums.append(sums[-1] + value)
    low, high = min(sums), max(sums)
    spread = (high - low) or 1.0
    at = [(value - low) / spread for value in sums]
    changes = [signed(value, last) for value in values]
    rows = [
        Row(head, words, text, reason, at[k], at[k + 1])
        for k, ((head, words, reason), text) in enumerate(zip(heads, changes, strict=True))
    ]
    return [*rows, Row("change", "", signed(fall.change, last), "", at[0], at[-1])]


def heads_and_values(fall: Waterfall) -> tuple[list[tuple[str, str, str]], list[float]]:
    """Give label, what changed and the reason of all that a waterfall adds up, and how much each is."""
    heads = [(step.id, ", ".join(step.words), step.reason) for step in fall.steps]
    values = [step.value for step in fall.steps]
    if fall.n_rest:
        heads.append((plural(fall.n_rest, "other item"), "", ""))
        values.append(fall.rest)
    if fall.unchanged:
        heads.append(("unchanged items", "the centre moved", ""))
        values.append(fall.unchanged)
    return heads, values


def signed(value: float, last: int) -> str:
    """Write a change with its sign to a decimal place.

    >>> signed(0.126, -2), signed(-3.0, -2), signed(0.0001, -2)
    ('+0.13', '-3.00', '0.00')
    """
    text = rounded(value, last)
    return text if text.startswith("-") or not text.strip("0.") else f"+{text}"


def bar_text(row: Row, symbols: Symbols) -> str:
    """Draw a bar between two shares of the width.

    >>> from massprops_cli.reports.page import ASCII
    >>> bar_text(Row("", "", "", "", 0.5, 0.25), ASCII)
    '      ######'
    """
    first, last = sorted((round(row.begins * BARS), round(row.ends * BARS)))
    first = min(first, BARS - 1)
    return " " * first + symbols.full * max(last - first, 1)


def reason_rows(answer: Diff, symbols: Symbols) -> list[list[Span]]:
    """Give the change of mass by reason, the largest first."""
    found = sorted(answer.by_reason().items(), key=lambda pair: -abs(pair[1]))
    unit = unit_text(answer.units.mass, symbols)
    return [[Span(word or "no reason given"), Span(difference_text(v, nan)), Span(unit, "dim")] for word, v in found]


def concise(fall: Waterfall) -> str:
    """Write the steps, one a line: item, what changed, and how much."""
    lines = [
        f"{row.label}: {row.change} {fall.unit}".rstrip() + (f", {with_reason(row)}" if row.words else "")
        for row in waterfall_rows(fall)
    ]
    return "".join(f"{line}\n" for line in lines)


def markdown(answer: Diff, fall: Waterfall) -> str:
    """Write totals and steps as Markdown, for the comment of a pull request."""
    lines = [f"# {safe(head_text(answer, FULL))}", ""]
    for finding in answer.said:
        lines += [f"- **{finding.severity.value}** {safe(finding.message)} ({finding.rule})"]
    lines += [""] * bool(answer.said)
    totals = [[cell.text for cell in row] for row in total_rows(answer, FULL)[1:]]
    if totals:
        lines += table(("total", "before", "after", "change", "unit"), "lrrrl", totals)
    rows = [(row.label, row.words, row.change, row.reason) for row in waterfall_rows(fall)]
    if rows:
        unit = f" [{unit_text(fall.unit, FULL)}]" if fall.unit else ""
        heads = (f"{fall.of} of {fall.item}", "what changed", f"change{unit}", "reason")
        lines += ["", *table(heads, "llrl", rows)]
    return "\n".join(lines) + "\n"


def table(heads: Sequence[str], align: str, rows: Sequence[Sequence[str]]) -> list[str]:
    """Write a table in Markdown."""
    rule = "|".join("--:" if letter == "r" else "---" for letter in align)
    return [
        f"| {' | '.join(map(safe, heads))} |",
        f"|{rule}|",
        *(f"| {' | '.join(map(safe, row))} |" for row in rows),
    ]
