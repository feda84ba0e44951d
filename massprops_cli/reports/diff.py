"""Changes between two revisions: totals, and a waterfall chart of one result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import accumulate, islice, pairwise
from math import isfinite

from massprops_cli.findings.finding import count_with_noun, name_list
from massprops_cli.reports.page import conventions
from massprops_cli.reports.page.findings import escape_markdown_cell, markdown_table
from massprops_cli.reports.page.page import UNICODE, Grid, Line, PageBlock, Symbols, TextSpan, text_line
from massprops_cli.revisions.attribution import COMPARED_RESULTS
from massprops_cli.revisions.comparison import Waterfall, result_unit
from massprops_cli.revisions.diff import Diff
from massprops_cli.robots.link_comparison import SAME_LINK, ComparedLink, LinkComparison

_NAN = float("nan")
_STEP_DIGITS = 4  # digits of the largest step; the others have the same last decimal place
_WATERFALL_WIDTH = 24
_ROUNDING_OF_TOTALS = 1e-9  # share of a total of two robots up to which it has not changed
_TURNED = 0.1  # degrees from which on axes are reported as turned
_OTHER_CHANGES_SHOWN = 5  # number of named items whose change does not affect the result shown
_WaterfallRow = tuple[str, str, str, str, tuple[float, float]]
"""A row of a waterfall chart: label, kind of change, change, reason, and start and end of its bar (0 to 1)."""


def diff_blocks(answer: Diff, fall: Waterfall, symbols: Symbols, *, failed: bool = False) -> list[PageBlock]:
    """Lay out the changes: totals, waterfall chart or the links of two robots, change of mass by reason."""
    rows, head = _changed_total_rows(answer, symbols), _diff_head_text(answer, symbols)
    blocks: list[PageBlock] = [text_line(symbols.mark(failed), " ", TextSpan(head, "strong"))]
    if len(rows) > 1:
        blocks += [Line(), Grid(rows, "ldddl")]
    if answer.links is not None:
        blocks += _link_blocks(answer, answer.links, symbols)
    else:
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
    if answer.links is not None:
        return f"{old} {symbols.arrow} {new}: {_link_count_text(answer.links)}"
    count = ", ".join(f"{n:,} {word}" for word, n in answer.counts().items())
    found = f"{count_with_noun(len(answer.lines), 'item')} changed: {count}" if count else "no item changed"
    return f"{old} {symbols.arrow} {new}: {found}"


def _link_count_text(links: LinkComparison) -> str:
    """Count the links of two robots."""
    other = len(links.different)
    text = f"{count_with_noun(len(links.links), 'link')} in both files, {len(links.links) - other} the same"
    text += f", {other} {'differs' if other == 1 else 'differ'}" if other else ""
    only = len(links.only_old) + len(links.only_new)
    return text + (f"; {count_with_noun(only, 'link')} with a mass in one file only" if only else "")


def _link_rows(one: ComparedLink, answer: Diff, symbols: Symbols) -> list[tuple[str, ...]]:
    """Return the values of a link that differ: quantity, before, after, difference, unit."""

    def numbers(values: Iterable[float]) -> str:
        return ", ".join(conventions.formatted_number(value, 5) for value in values)

    def unit(text: str) -> str:
        return conventions.unit_text(text, symbols)

    old, new, units = one.old, one.new, answer.units
    rows: list[tuple[str, ...]] = []
    by_mass, by_center, by_tensor = (difference > SAME_LINK for difference in one.differences)
    if by_mass:
        share = conventions.formatted_number(100 * (new.mass / old.mass - 1), 3)
        sign = "" if share.startswith("-") else "+"
        rows.append(("mass", numbers([old.mass]), numbers([new.mass]), f"{sign}{share} %", unit(units.mass)))
    if by_center:
        apart = f"{conventions.formatted_number(one.distance, 3)} apart"
        size = max(abs(value) for value in (*old.center, *new.center))
        centers = (numbers(value if abs(value) > 1e-9 * size else 0.0 for value in body.center) for body in (old, new))
        rows.append(("centre", *centers, apart, unit(units.length)))
    if by_tensor:
        shares = (new.moments - old.moments) / max(old.moments[2], new.moments[2])
        largest = float(shares[abs(shares).argmax()])
        text = f"{100 * largest:+.2g} %" if abs(largest) > SAME_LINK else "same"
        rows.append(("moments", numbers(old.moments), numbers(new.moments), text, unit(units.inertia)))
        if (angle := one.angle) > _TURNED:
            rows.append(("axes", "", "", f"turned {angle:.3g}°", ""))
    return rows


def _link_words(one: ComparedLink) -> list[str]:
    """Return what explains a link: links fixed to it, another frame, conventions."""
    ends = (("before", one.old.joined), ("after", one.new.joined))
    joined = [f"{end} with {name_list(list(names), 6)}, fixed to it" for end, names in ends if names]
    return [*joined, *filter(None, (one.frame, *one.reasons))]


def _link_label(one: ComparedLink) -> str:
    """Return the name of a link, and its other name in the old file."""
    return one.name if one.name == one.old_name else f"{one.name} ({one.old_name})"


def _link_notes(links: LinkComparison, unit: str) -> list[str]:
    """Return what applies to several links: names, links in one file only, equal numbers under other names."""
    notes = [f"matched: {links.renamed}"] if links.renamed else []
    if same := [max(one.differences) for one in links.links if one.is_same]:
        others = sum(one.is_same and bool(one.frame) for one in links.links)
        notes += [f"the same: to {max(same):.1g} of mass, radius of gyration and moments"]
        notes[-1] += f"; {others} in other frames of the link" if others else ""
    for words, only in (("old", links.only_old), ("new", links.only_new)):
        named = [f"{name} {mass:.4g} {unit}".rstrip() for name, mass in only.items()]
        notes += [f"in the {words} file only: {name_list(named, 12)}"] if named else []
    return notes + [f"same numbers, other name: {', '.join(old)} = {', '.join(new)}" for old, new in links.equal]


def _link_blocks(answer: Diff, links: LinkComparison, symbols: Symbols) -> list[PageBlock]:
    """Lay out the links that differ, and what applies to several."""
    blocks: list[PageBlock] = []
    for one in links.different:
        rows = [
            [TextSpan(row[0], "dim"), *map(TextSpan, row[1:4]), TextSpan(row[4], "dim")]
            for row in _link_rows(one, answer, symbols)
        ]
        blocks += [Line(), text_line(TextSpan(_link_label(one), "strong")), Grid(rows, "lllrl", shrink=1)]
        blocks += [text_line(TextSpan(f"  {words}", "warn"), hang=4) for words in _link_words(one)]
    notes = _link_notes(links, conventions.unit_text(answer.units.mass, symbols))
    return blocks + ([Line()] if notes else []) + [text_line(TextSpan(note, "dim"), hang=2) for note in notes]


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
        if answer.links is not None and abs(change) <= _ROUNDING_OF_TOTALS * max(abs(before), abs(after)):
            continue
        if before != after and (isfinite(before) or isfinite(after) or is_predicted):
            yield name, before, after, change


def totals_table(answer: Diff) -> list[tuple[str, float, float, float, str]]:
    """Return the rows of a worksheet of totals: name, before, after, change, unit."""
    rows = ((name, numbers, result_unit(name, answer.units)) for name, *numbers in _changed_totals(answer))
    return [(_words(name), *numbers, conventions.unit_text(unit, UNICODE)) for name, numbers, unit in rows]  # type: ignore[misc] # three


def diff_heading(answer: Diff, name: str) -> str:
    """Return the heading of a column of a worksheet, with its unit: ``Δ mass [kg]``."""
    of = name.removeprefix("d_") if name.startswith("d_") else "mass" * name.startswith("mass_")
    if answer.links is not None:
        of = "Cx" if name == "distance" else name.partition("_")[0] if name[0] in "CI" else of
    unit = conventions.unit_text(result_unit(of, answer.units), UNICODE) if of else ""
    return _words(name) + (f" [{unit}]" if unit else "")


def _words(name: str, symbols: Symbols = UNICODE) -> str:
    """Return the name of a result in words."""
    text = f"Δ {name[2:]}" if name.startswith("d_") else name
    return text.replace("sigma_", f"{symbols.sigma} ").replace("_", " ")


def _waterfall_blocks(fall: Waterfall, symbols: Symbols) -> list[PageBlock]:
    """Draw a waterfall chart: each bar starts at the sum of the previous ones."""
    rows = waterfall_rows(fall)
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
    words = ", ".join(
        f"{conventions.item_label(row.id, row.name)} ({', '.join(row.changes)})" for row in also[:_OTHER_CHANGES_SHOWN]
    )
    more = " and more" if len(also) > _OTHER_CHANGES_SHOWN else ""
    return [text_line(TextSpan(f"  also changed: {words}{more}", "dim"), hang=4)]


def waterfall_rows(fall: Waterfall) -> list[_WaterfallRow]:
    """Return the rows of a waterfall chart: steps, rest, and the remainder of rounding."""
    if not isfinite(fall.unchanged):
        return [("change", "contributions not known", conventions.difference_text(fall.change, _NAN), "", (0.0, 1.0))]
    heads = [(conventions.item_label(step.id, step.name), ", ".join(step.words), step.reason) for step in fall.steps]
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


def diff_lines(answer: Diff, fall: Waterfall) -> str:
    """Write the steps of a change or the links of robots that differ, one on each line."""
    text = ""
    if answer.links is not None:
        for one in answer.links.different:
            rows = (f"{row[0]} {row[3]}" for row in _link_rows(one, answer, UNICODE))
            text += f"{_link_label(one)}: {'; '.join([', '.join(rows), *_link_words(one)])}\n"
        return text + "".join(f"{note}\n" for note in _link_notes(answer.links, answer.units.mass))
    for label, words, change, reason, _ in waterfall_rows(fall):
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
    if answer.links is not None:
        texts = [
            (_link_label(one), *row, "; ".join(_link_words(one)))
            for one in answer.links.different
            for row in _link_rows(one, answer, UNICODE)
        ]
        columns = ("link", "quantity", "before", "after", "difference", "unit", "explanation")
        lines += ["", *markdown_table(columns, "lllllll", texts)] if texts else []
        lines += [f"\n{escape_markdown_cell(note)}" for note in _link_notes(answer.links, answer.units.mass)]
    elif rows := [row[:4] for row in waterfall_rows(fall)]:
        unit = f" [{conventions.unit_text(fall.unit, UNICODE)}]" if fall.unit else ""
        heads = (f"{fall.of} of {fall.item}", "kind of change", f"change{unit}", "reason")
        lines += ["", *markdown_table(heads, "llrl", rows)]
    return "\n".join(lines) + "\n"
