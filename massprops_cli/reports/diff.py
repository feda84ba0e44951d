"""Changes between two revisions: totals, and a waterfall chart of one result."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate, islice, pairwise
from math import isfinite

from massprops_cli.findings.finding import count_with_noun
from massprops_cli.reports.page import conventions
from massprops_cli.reports.page.findings import escape_markdown_cell, markdown_table
from massprops_cli.reports.page.page import UNICODE, Grid, Line, PageBlock, Symbols, TextSpan, text_line
from massprops_cli.revisions.attribution import COMPARED_RESULTS
from massprops_cli.revisions.comparison import Waterfall, result_unit
from massprops_cli.revisions.diff import Diff

_NAN = float("nan")
_STEP_DIGITS = 4  # digits of the largest step; the others have the same last decimal place
_WATERFALL_WIDTH = 24
_OTHER_CHANGES_SHOWN = 5  # number of named items whose change does not affect the result shown


def diff_blocks(answer: Diff, fall: Waterfall, symbols: Symbols, *, failed: bool = False) -> list[PageBlock]:
    """Lay out the changes: totals, waterfall chart, change of mass by reason."""
    rows, head = _changed_total_rows(answer, symbols), _diff_head_text(answer, symbols)
    blocks: list[PageBlock] = [text_line(symbols.mark(failed), " ", TextSpan(head, "strong"))]
    if len(rows) > 1:
        blocks += [Line(), Grid(rows, "ldddl")]
    blocks += _waterfall_blocks(fall, symbols) + _change_kind_blocks(answer, fall, symbols)
    blocks += _other_change_blocks(answer, fall)
    if answer.reasons:
        title = text_line(TextSpan("change of mass by reason", "strong"))
        unit = TextSpan(conventions.unit_text(answer.units.mass, symbols), "dim")
        by_reason = sorted(answer.by_reason().items(), key=lambda pair: -abs(pair[1]))
        texts = [(word or "no reason stated", conventions.difference_text(v, _NAN)) for word, v in by_reason]
        blocks += [Line(), title, Grid([[TextSpan(word), TextSpan(v), unit] for word, v in texts], "ldl")]
    words = (
        "units of the new file" if answer.units.stated else "units not stated",
        "inertia about the CG of each revision",
        f"products of inertia: {conventions.sign_words(symbols)}",
    )
    return [*blocks, Line(), text_line(TextSpan("; ".join(words), "dim"))]


def _diff_head_text(answer: Diff, symbols: Symbols) -> str:
    """Name the files, and count the changed items by kind of change."""
    old, new = answer.names
    count = ", ".join(f"{n:,} {word}" for word, n in answer.counts().items())
    found = f"{count_with_noun(len(answer.lines), 'item')} changed: {count}" if count else "no item changed"
    return f"{old} {symbols.arrow} {new}: {found}"


def _changed_total_rows(answer: Diff, symbols: Symbols) -> list[list[TextSpan]]:
    """Return a header, and a row for each changed total."""
    whole = answer.whole
    rows = [[TextSpan(text, "dim") for text in ("", "before", "after", "change", "")]]
    for name, before, after, change in _changed_totals(answer):
        is_predicted = name == "predicted_mass"
        label = _words(name, symbols)
        known = whole.old.known(name), whole.new.known(name)
        ends = (conventions.known_number_text(*pair, symbols) for pair in zip((before, after), known, strict=True))
        texts = (
            *(text or ("not known" if is_predicted else "-") for text in ends),
            conventions.difference_text(change, _NAN),
        )
        part = "" if known == ("whole", "whole") or not isfinite(change) else "known parts only"
        unit = "  ".join(filter(None, (conventions.unit_text(result_unit(name, answer.units), symbols), part)))
        rows.append([TextSpan(label, "dim"), *map(TextSpan, texts), TextSpan(unit, "warn" if part else "dim")])
    return rows


def _changed_totals(answer: Diff) -> Iterator[tuple[str, float, float, float]]:
    """Yield each changed total: its name, before, after, change."""
    whole = answer.whole
    for k, name in enumerate(COMPARED_RESULTS):
        before, after, change = (float(v[k]) for v in (whole.before, whole.after, whole.change))
        is_predicted = name == "predicted_mass" and whole.new.numbers.predicted is not None
        if before != after and (isfinite(before) or isfinite(after) or is_predicted):
            yield name, before, after, change


def totals_table(answer: Diff) -> list[tuple[str, float, float, float, str]]:
    """Return the rows of a worksheet of totals: name, before, after, change, unit."""
    rows = ((name, numbers, result_unit(name, answer.units)) for name, *numbers in _changed_totals(answer))
    return [(_words(name), *numbers, conventions.unit_text(unit, UNICODE)) for name, numbers, unit in rows]  # type: ignore[misc] # three


def diff_heading(answer: Diff, name: str) -> str:
    """Return the heading of a column of a worksheet, with its unit: ``Δ mass [kg]``."""
    of = name.removeprefix("d_") if name.startswith("d_") else "mass" * name.startswith("mass_")
    unit = conventions.unit_text(result_unit(of, answer.units), UNICODE) if of else ""
    return _words(name) + (f" [{unit}]" if unit else "")


def _words(name: str, symbols: Symbols = UNICODE) -> str:
    """Return the name of a result in words."""
    text = f"Δ {name[2:]}" if name.startswith("d_") else name
    return text.replace("sigma_", f"{symbols.sigma} ").replace("_", " ")


def _waterfall_blocks(fall: Waterfall, symbols: Symbols) -> list[PageBlock]:
    """Draw a waterfall chart: each bar starts at the sum of the previous ones."""
    rows = _waterfall_rows(fall)
    title = f"{fall.of.replace('_', ' ')} of {fall.item}"
    unit = conventions.unit_text(fall.unit, symbols)
    if not rows and fall.change == 0:
        return [Line(), text_line(TextSpan(title, "strong"), ": no change")]
    before = conventions.known_number_text(fall.before, fall.before_known, symbols, 8)
    after = f"{conventions.known_number_text(fall.after, fall.after_known, symbols, 8)} {unit}".rstrip()
    share = "" if fall.before_known == fall.after_known == "whole" else ", known parts only"
    if not share and fall.before != 0 and "C" not in fall.of:  # centres have no percentage
        per_cent = 100 * fall.change / abs(fall.before)
        share = f", {'' if per_cent < 0 else '+'}{conventions.formatted_number(per_cent, 2)} %"
    ends = f": {before} {symbols.arrow} {after}{share}"
    cells = [
        [
            TextSpan(label),
            TextSpan(change, "strong"),
            TextSpan(_waterfall_bar(*bar, symbols), "good" if change.startswith("-") else "warn"),
            TextSpan(f"{words}: {reason}" if reason else words, "dim"),
        ]
        for label, words, change, reason, bar in rows
    ]
    return [Line(), text_line(TextSpan(title, "strong"), ends), Grid(cells, "ldll", shrink=0)]


def _change_kind_blocks(answer: Diff, fall: Waterfall, symbols: Symbols) -> list[PageBlock]:
    """Sum the change of the root mass by kind of change, if there are several kinds."""
    if fall.of != "mass" or fall.item != answer.new.bom.ids[answer.new.root_item]:
        return []
    found = {word: value for word, value in answer.whole.by_change().items() if value and word != "rounding"}
    if len(found) < 2:
        return []
    words = ", ".join(f"{word} {conventions.difference_text(value, _NAN)}" for word, value in found.items())
    return [text_line(TextSpan(f"  {words} {conventions.unit_text(fall.unit, symbols)}".rstrip(), "dim"), hang=4)]


def _other_change_blocks(answer: Diff, fall: Waterfall) -> list[PageBlock]:
    """Name a few changed items that do not affect the result shown."""
    if fall.n_rest:
        return []
    shown = {step.id for step in fall.steps}
    also = list(islice((row for row in answer.rows() if row.id not in shown), _OTHER_CHANGES_SHOWN + 1))
    if not also:
        return []
    words = ", ".join(f"{row.id} ({', '.join(row.changes)})" for row in also[:_OTHER_CHANGES_SHOWN])
    more = " and more" if len(also) > _OTHER_CHANGES_SHOWN else ""
    return [text_line(TextSpan(f"  also changed: {words}{more}", "dim"), hang=4)]


_WaterfallRow = tuple[str, str, str, str, tuple[float, float]]
"""A row of a waterfall chart: label, kind of change, change, reason, and start and end of its bar (0 to 1)."""


def _waterfall_rows(fall: Waterfall) -> list[_WaterfallRow]:
    """Return the rows of a waterfall chart: steps, rest, and the remainder of rounding."""
    if not isfinite(fall.unchanged):
        return [("change", "contributions not known", conventions.difference_text(fall.change, _NAN), "", (0.0, 1.0))]
    heads = [(step.id, ", ".join(step.words), step.reason) for step in fall.steps]
    values = [step.value for step in fall.steps]
    if fall.n_rest:
        heads.append((count_with_noun(fall.n_rest, "other item"), "", ""))
        values.append(fall.rest)
    if fall.unchanged:
        heads.append(("unchanged items", "CG of the assembly moved", ""))
        values.append(fall.unchanged)
    if (largest := max(map(abs, [*values, fall.change, fall.rounding]), default=0.0)) == 0:
        return []
    last = conventions.decimal_exponent(largest, _STEP_DIGITS) - _STEP_DIGITS + 1
    whole = round(fall.change / 10.0**last)
    pieces = [round(value / 10.0**last) for value in values]
    if left := whole - sum(pieces):
        heads.append(("rounding", "", ""))
        values.append(left * 10.0**last)
    sums = list(accumulate(values, initial=0.0))
    low, high = min(sums), max(sums)
    spread = (high - low) or 1.0
    at = [(value - low) / spread for value in sums]
    rows = [
        (head, words, _signed_number_text(value, last), reason, bar)
        for (head, words, reason), value, bar in zip(heads, values, pairwise(at), strict=True)
    ]
    return [*rows, ("change", "", _signed_number_text(fall.change, last), "", (at[0], at[-1]))]


def _signed_number_text(value: float, last: int) -> str:
    """Write a change with its sign to a decimal place."""
    text = conventions.rounded_text(value, last)
    return text if text.startswith("-") or not text.strip("0.") else f"+{text}"


def _waterfall_bar(begins: float, ends: float, symbols: Symbols) -> str:
    """Draw a bar between two shares of the width."""
    first, last = sorted((round(begins * _WATERFALL_WIDTH), round(ends * _WATERFALL_WIDTH)))
    first = min(first, _WATERFALL_WIDTH - 1)
    return " " * first + symbols.full * max(last - first, 1)


def diff_lines(fall: Waterfall) -> str:
    """Write the steps of a change, one on each line: item, change, kind of change."""
    text = ""
    for label, words, change, reason, _ in _waterfall_rows(fall):
        why = (f", {words}: {reason}" if reason else f", {words}") if words else ""
        text += f"{label}: {change} {fall.unit}".rstrip() + why + "\n"
    return text


def diff_markdown(answer: Diff, fall: Waterfall) -> str:
    """Write totals and steps as Markdown, for a comment on a pull request."""
    lines = [f"# {escape_markdown_cell(_diff_head_text(answer, UNICODE))}", ""]
    for finding in answer.comparison_findings:
        lines += [f"- **{finding.severity.value}** {escape_markdown_cell(finding.message)} ({finding.rule})"]
    lines += [""] * bool(answer.comparison_findings)
    if totals := [[cell.text for cell in row] for row in _changed_total_rows(answer, UNICODE)[1:]]:
        lines += markdown_table(("total", "before", "after", "change", "unit"), "lrrrl", totals)
    if rows := [row[:4] for row in _waterfall_rows(fall)]:
        unit = f" [{conventions.unit_text(fall.unit, UNICODE)}]" if fall.unit else ""
        heads = (f"{fall.of} of {fall.item}", "kind of change", f"change{unit}", "reason")
        lines += ["", *markdown_table(heads, "llrl", rows)]
    return "\n".join(lines) + "\n"
