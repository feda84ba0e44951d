"""Budgets, review table and aggregated columns as blocks of a page, and a result as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from massprops_cli.bom.checks.assembly_values import difference_digits
from massprops_cli.bom.items.result_columns import item_quantity_values
from massprops_cli.findings.finding import Finding, count_with_noun, finding_counts_text
from massprops_cli.reports import summary
from massprops_cli.reports.page.conventions import (
    AggregatedColumns,
    RootView,
    convention_rows,
    decimal_exponent,
    formatted_number,
    item_label,
    level_text,
    rounded_text,
    unit_text,
)
from massprops_cli.reports.page.findings import (
    escape_markdown_cell,
    findings_markdown,
    markdown_code,
    markdown_row,
    markdown_table,
)
from massprops_cli.reports.page.page import (
    ASCII,
    UNICODE,
    Grid,
    Line,
    PageBlock,
    Symbols,
    TextSpan,
    fenced_markdown,
    text_line,
)
from massprops_cli.rollups.inputs import PARAMETER_NAMES, PERCENTILES

if TYPE_CHECKING:
    from massprops_cli.bom.checks.totals import ReconciledTotal
    from massprops_cli.bom.results.result import Result
    from massprops_cli.budgets.model import Verdict
    from massprops_cli.rollups.subtotals import ColumnRollup

_LIMITS_SHOWN = 40  # limits on the screen; further ones are counted
_GREATEST, _MOST_DECIMALS = 1e7, 15  # numbers from the first on have an exponent
_DIFFERENCE_RULE = "MP411"  # rule for an assembly whose stated value differs from the sum of its parts
_ASSEMBLIES_SHOWN = 10  # number of differing assemblies that are listed; the others are counted
_MAX_SHOWN_DIGITS = 12  # digits of a total; further ones are of the order of summation
_UNKNOWN = float("nan")
_AGGREGATION_WORDS = {
    "sum": "sum", "max": "maximum", "min": "minimum", "mean": "mass-weighted mean", "rss": "root sum square",
}  # fmt: skip


def limit_blocks(
    verdicts: Sequence[Verdict], symbols: Symbols, *, shows_all: bool = False, before: Sequence[Verdict] = ()
) -> list[PageBlock]:
    """Lay out the limits: violated, waived, kept, each in the order of the budget file; with margins ``before``."""
    key = attrgetter("item", "subject", "place", "requirement")
    old = {key(one): "" if one.margin is None else limit_margin_text(one) for one in before}
    ordered = sorted(verdicts, key=lambda verdict: (verdict.kept, verdict.waiver is not None))
    shown = ordered if shows_all else ordered[:_LIMITS_SHOWN]
    rows = [
        [
            _limit_state(verdict, symbols),
            TextSpan(item_label(verdict.item, verdict.name), "strong"),
            TextSpan(
                verdict.requirement
                if symbols is not ASCII
                else verdict.requirement.replace("≤", "<=").replace("≥", ">=")
            ),
            TextSpan(limit_value_text(verdict, ">=" if symbols is ASCII else "≥")),
            TextSpan("" if verdict.margin is None else limit_margin_text(verdict)),
            *([TextSpan(old.get(key(verdict), ""))] if old else []),
        ]
        for verdict in shown
    ]
    head = [TextSpan("", "dim"), *(TextSpan(word, "dim") for word in ("item", "limit", "value", "margin"))]
    head += [TextSpan("as listed", "dim")] if old else []
    blocks: list[PageBlock] = [Line(), Grid([head, *rows], "lllrrr"[: len(head)], shrink=2)]
    if len(shown) < len(ordered):
        more = count_with_noun(len(ordered) - len(shown), "more limit")
        blocks.append(text_line(f"  {symbols.rest} and {more}; to show all: -v"))
    return blocks


def _limit_state(verdict: Verdict, symbols: Symbols) -> TextSpan:
    """Return the state of a limit: kept, waived, undecided, or the severity of its violation."""
    if verdict.kept:
        return TextSpan("kept", "good")
    if verdict.waiver is not None:
        return TextSpan("waived", "note")
    style = {"error": "bad", "warning": "warn", "note": "note"}[verdict.severity.value]
    return TextSpan("undecided" if verdict.is_undecided else verdict.severity.value, style)


def _amount_text(value: float | None, unit: str) -> str:
    """Write a number with its unit."""
    return "not known" if value is None else f"{formatted_number(value)} {unit}".strip()


def _amount_of_limit(verdict: Verdict, number: float | None) -> str:
    """Write value or margin to the second digit of σ, else to the digits of the limit, and a margin never as 0."""
    value, margin, sigma = verdict.value, verdict.margin, verdict.sigma or 0.0
    if number is None or value is None or margin is None or not 0 < abs(number) < _GREATEST:
        return _amount_text(number, verdict.unit)
    if sigma > 0:
        decimals = 1 - decimal_exponent(sigma, 2)
    else:
        of_limit = f"{verdict.limit or 0.0:.12g}".partition(".")[2].partition("e")[0]
        decimals = max(*(2 - decimal_exponent(one, 3) if one else 0 for one in (value, 10 * margin)), len(of_limit))
    if 0 < abs(margin) < 0.5 * 10.0**-decimals:
        decimals = 1 - decimal_exponent(margin, 2)
    text = rounded_text(number, -min(decimals, _MOST_DECIMALS))
    text = text.rstrip("0").rstrip(".") if sigma == 0 and "." in text else text
    return f"{text} {verdict.unit}".strip()


def limit_margin_text(verdict: Verdict) -> str:
    """Write the margin to the decimal place of the value."""
    return _amount_of_limit(verdict, verdict.margin)


def limit_value_text(verdict: Verdict, sign: str = "≥") -> str:
    """Write the value that a limit applies to, or its lower bound."""
    if verdict.value is None and verdict.at_least is not None:
        return f"{sign} {_amount_text(verdict.at_least, verdict.unit)}"
    return _amount_of_limit(verdict, verdict.value)


def kept_limits_text(verdicts: Sequence[Verdict], budget: str, ignored: int) -> str:
    """Count the limits of a budget file that are kept, and those that are not reported."""
    kept = sum(verdict.kept for verdict in verdicts)
    waived = sum(not verdict.kept and verdict.waiver is not None for verdict in verdicts)
    undecided = sum(verdict.is_undecided and verdict.waiver is None for verdict in verdicts)
    counts = {"waived": waived, "undecided": undecided, "left out by --ignore or --select": ignored}
    more = "".join(f", {count:,} {words}" for words, count in counts.items() if count)
    return f"{kept:,} of {count_with_noun(len(verdicts), 'limit')} of {budget} kept{more}"


def reconciliation_blocks(result: Result, symbols: Symbols, *, is_brief: bool = False) -> list[PageBlock]:
    """Compare stated totals, and stated masses of assemblies that differ, with the computed values; in brief those."""
    if not result.bom.totals and not any(finding.rule == _DIFFERENCE_RULE for finding in result.findings):
        return []
    totals, stated = result.totals, result.stated_masses
    differ = [one for one in stated if not one.agrees]
    if not (listed := [*totals, *differ[:_ASSEMBLIES_SHOWN]]):
        return []
    masses_only = all(one.quantity in ("mass", "line_mass") for one in listed)
    unit = unit_text(listed[0].unit, symbols) if len({one.unit for one in listed}) == 1 else ""
    head = f"{'stated totals' if totals else 'stated masses'}{f' ({unit})' if unit else ''}"
    agree, more, notes = len(stated) - len(differ), len(differ) - _ASSEMBLIES_SHOWN, list[Line]()  # not listed
    if (folded := sum(one.agrees for one in totals)) and is_brief:
        listed = [one for one in listed if not one.agrees]
        words = f"{symbols.good} {count_with_noun(folded, 'stated total')} equal to the sum of the rows"
        notes.append(text_line("  ", TextSpan("totals    ", "dim"), words, hang=12))
    if more > 0:
        notes.append(text_line(f"  and {count_with_noun(more, 'assembly')} more with other stated masses"))
    if agree:
        notes.append(text_line(f"  {count_with_noun(agree, 'assembly')} with stated mass equal to the sum of parts"))
    rows = [
        _reconciliation_row(one, symbols, quantity="" if masses_only else one.quantity, with_unit=not unit)
        for one in listed
    ]
    if not rows:
        return [*notes]
    return [Line(), text_line(TextSpan(head, "strong")), Grid(rows, "lldldl", shrink=5), *notes]


def _reconciliation_row(
    one: ReconciledTotal, symbols: Symbols, *, quantity: str = "", with_unit: bool = False
) -> list[TextSpan]:
    """Lay out one total: label, address, stated value, verdict, computed value, rows added."""
    unit = f" {unit_text(one.unit, symbols)}" if with_unit and one.unit else ""
    good, bad = symbols.good.rstrip(":"), symbols.bad.rstrip(":")
    mark = TextSpan(good, "good") if one.agrees else TextSpan("?" if one.verdict == "open" else bad, "bad")
    of = {"rounding": f"{one.of}, within rounding", "open": f"{one.of}, missing masses excluded"}
    return [
        TextSpan(f"{one.label} {quantity.removeprefix('line_').replace('_', ' ')}".rstrip()),
        TextSpan(_total_address(one), "dim"),
        TextSpan(f"{formatted_number(one.stated, 12)}{unit}"),
        mark,
        TextSpan("" if one.agrees else _computed_text(one)),
        TextSpan(of.get(one.verdict, one.of), "dim"),
    ]


def _computed_text(one: ReconciledTotal) -> str:
    """Write the computed value with enough digits to show its difference from the stated one."""
    return formatted_number(one.computed, min(difference_digits(one.computed, one.stated), _MAX_SHOWN_DIGITS))


def _total_address(one: ReconciledTotal) -> str:
    """Return the row of a worksheet, or the line of a text file."""
    return f"row {one.place.row}" if one.place.line is None else f"line {one.place.line}"


def _reconciliation_markdown(result: Result) -> list[str]:
    """Write the stated totals as a table in Markdown."""
    blocks = [block for block in reconciliation_blocks(result, UNICODE) if isinstance(block, Grid)]
    rows = [markdown_row(span.text for span in row) for block in blocks for row in block.rows]
    head = ["", "| total | place | stated | | computed | rows |", "|---|---|--:|---|--:|---|"]
    return [*head, *rows] if rows else []


def reconciliation_cells(result: Result) -> list[list[str]]:
    """Return a pair of cells for each stated total."""
    return [
        [
            f"{one.label}, {_total_address(one)}",
            f"{one.quantity} {formatted_number(one.stated, 12)} {one.unit}".rstrip()
            + f" {UNICODE.good if one.agrees else UNICODE.bad} computed {_computed_text(one)} from {one.of}",
        ]
        for one in result.totals
    ]


def aggregated_columns_dict(result: Result, other: AggregatedColumns, level: int) -> dict[str, Any]:
    """Return aggregated columns and subtotals as plain JSON values."""
    found: dict[str, Any] = {}
    if other.columns:
        found["columns"] = []
        for header, rolled in other.columns:
            items = dict(zip(result.bom.ids, map(_plain_value, rolled.values.tolist()), strict=True))
            at_root = {name: _item_value_dict(rolled, result.root_item)[name] for name in ("known", "leaves")}
            found["columns"].append({**_column_name_dict(header, rolled), **at_root, "items": items})
    if other.groups is not None:
        found["groups"] = _groups_dict(result, other, level)
    if any(other.of_review) and (made := summary.review_of(result, other)) is not None:
        found["review"] = made.rows(level)
    return found


def aggregated_column_blocks(result: Result, columns: Sequence[tuple[str, ColumnRollup]]) -> list[PageBlock]:
    """Lay out the value of each aggregated column at the root, with its coverage in leaves."""
    if not columns:
        return []
    i = result.root_item
    rows = []
    for header, rolled in columns:
        known, leaves = int(rolled.known[i]), int(rolled.leaves[i])
        cover = "all leaves" if known == leaves else f"{known:,} of {leaves:,} leaves"
        value = formatted_number(float(rolled.values[i]), 8) or "-"
        words, look = _AGGREGATION_WORDS[rolled.aggregation], "" if known == leaves else "warn"
        rows.append([TextSpan(header), TextSpan(value, "strong"), TextSpan(words, "dim"), TextSpan(cover, look)])
    return [Line(), text_line(TextSpan("aggregated columns, root", "dim")), Grid(rows, "ldll")]


def _has_mass_column(result: Result) -> bool:
    """Whether the table has masses at all; without them only other columns are aggregated."""
    return "mass" in result.bom.columns.by_quantity


def _groups_dict(result: Result, other: AggregatedColumns, level: int) -> list[dict[str, Any]]:
    """Return subtotals as plain values: ten numbers, sigmas at a level, other columns, coverage."""
    groups, columns = other.groups, other.group_columns
    assert groups is not None
    coverage = groups.rollup.coverage
    levels = dict.fromkeys(PARAMETER_NAMES, 1) | {f"sigma_{name}": level for name in PARAMETER_NAMES}
    numbers = {name: item_quantity_values(groups.rollup, name) for name in levels} if _has_mass_column(result) else {}
    values = {name: levels[name] * column for name, column in numbers.items() if column is not None}
    found = []
    for g, texts in enumerate(groups.labels):
        entry: dict[str, Any] = {"labels": dict(zip(other.labels, texts, strict=True))}
        entry |= {name: _plain_value(column[g]) for name, column in values.items()}
        entry["coverage"] = {"leaves": int(coverage.rows[g])}
        if _has_mass_column(result):
            entry["coverage"] |= {
                "mass": int(coverage.known_mass[g]),
                "center": int(coverage.known_center[g]),
                "inertia": int(coverage.known_inertia[g]),
            }
        if columns:
            entry["columns"] = [
                {**_column_name_dict(header, rolled), **_item_value_dict(rolled, g)} for header, rolled in columns
            ]
        found.append(entry)
    return found


def _column_name_dict(header: str, rolled: ColumnRollup) -> dict[str, Any]:
    """Name a rolled-up column."""
    return {"column": header, "aggregation": rolled.aggregation}


def _item_value_dict(rolled: ColumnRollup, i: int) -> dict[str, Any]:
    """Return a rolled-up column's value and coverage at an item."""
    return {"value": _plain_value(rolled.values[i]), "known": int(rolled.known[i]), "leaves": int(rolled.leaves[i])}


def _plain_value(value: float) -> float | None:
    """Return a number, or None if it is unknown."""
    return float(value) if np.isfinite(value) else None


def markdown_report(result: Result, findings: Sequence[Finding], view: RootView, other: AggregatedColumns) -> str:
    """Write verdict, root, conventions and findings as Markdown."""
    bom = result.bom
    source = markdown_code(bom.table.source.name)
    lines = [
        f"# Mass properties of {escape_markdown_cell(bom.ids[result.root_item])}",
        "",
        (f"{count_with_noun(len(bom), 'item')} rolled up from {source}: {finding_counts_text(findings)}."),
        "",
        *markdown_table(("quantity", "value", _sigma_heading(view.sigma_level), "unit"), "lrrl"),
    ]
    rows, closeness = summary.root_rows(result, UNICODE, view)
    notes = [*closeness, *summary.maturity_lines(result, result.root_item)]
    notes += summary.growth_lines(result, result.root_item, UNICODE)
    notes += summary.assumption_lines(result, view.sigma_level, UNICODE)
    for row in rows:
        for k in (1, 4, 7):
            name, value, sigma = (cell.text for cell in row[k : k + 3])
            if value:
                lines.append(markdown_row((_quantity_label(row[0].text, name), value, sigma, row[10].text)))
    lines += [""] * bool(notes)
    lines += [f"- {escape_markdown_cell(' '.join(line.text.strip(' *').split()))}" for line in notes]
    lines += _review_markdown(result, other, view.sigma_level)
    lines += ["", "| convention | |", "|---|---|"]
    conventions = convention_rows(result, UNICODE, view.datum_words, view.about_words, view.sigma_level)
    lines += map(markdown_row, conventions)
    if result.uncertainty_request.probability or result.uncertainty_request.intervals:
        from massprops_cli.reports.probability import answer_markdown

        lines += answer_markdown(result, view.datum)
    if result.bom.totals:
        lines += _reconciliation_markdown(result)
    lines += _sample_markdown(result, view.sigma_level)
    lines += _aggregation_markdown(result, other)
    return "\n".join(lines) + "\n\n## Findings\n\n" + findings_markdown(findings)


def _quantity_label(row: str, name: str) -> str:
    """Name a value: its name, or row and name for the axes."""
    return f"{row} {name}" if row.startswith("axis") else name or row


def _sigma_heading(level: int) -> str:
    """Write the heading of the column of sigmas."""
    return "sigma" if level == 1 else f"sigma ({level_text(level, UNICODE)})"


def _sample_markdown(result: Result, level: int) -> list[str]:
    """Write the samples as tables in Markdown; nothing without samples."""
    if result.rollup.sampled is None:
        return []
    from massprops_cli.reports.probability import difference_lines, sampled_number_text, sampled_result_unit

    lines: list[str] = []
    heads = ["result", "mean", _sigma_heading(level), *(f"P{percent:g}" for percent in PERCENTILES), "unit"]
    for item in result.samples:
        lines += ["", f"## {escape_markdown_cell(result.bom.ids[item.item])}, Monte Carlo, {item.n:,} samples", ""]
        lines += markdown_table(heads, "lrrrrrrrl")
        for one in item.results:
            numbers = [sampled_number_text(value, one.sigma) for value in (one.mean, *one.percentiles.tolist())]
            numbers.insert(1, sampled_number_text(level * one.sigma, level * one.sigma))
            lines.append(markdown_row([one.name, *numbers, unit_text(sampled_result_unit(result, one), UNICODE)]))
        differences = difference_lines(item.differences, UNICODE)
        lines += [""] * bool(differences) + [f"- {escape_markdown_cell(line.text.strip())}" for line in differences]
    return lines


def _aggregation_markdown(result: Result, other: AggregatedColumns) -> list[str]:
    """Write aggregated columns as a table in Markdown."""
    lines: list[str] = []
    i = result.root_item
    if other.columns:
        heads = ("column", "aggregation", "value", "leaves known")
        lines += ["", "## Aggregated columns, root", "", *markdown_table(heads, "llrr")]
    for header, rolled in other.columns:
        value = formatted_number(float(rolled.values[i]), 8) or "-"
        known = f"{int(rolled.known[i]):,} of {int(rolled.leaves[i]):,}"
        lines.append(markdown_row((header, _AGGREGATION_WORDS[rolled.aggregation], value, known)))
    return lines


def _review_markdown(result: Result, other: AggregatedColumns, level: int) -> list[str]:
    """Write the review table in Markdown, with all rows and columns, or the tree; nothing without groups."""
    if other.shows_tree:
        from massprops_cli.reports.tree import tree_blocks

        return ["", "## Tree", "", fenced_markdown(tree_blocks(result, UNICODE, None)).rstrip("\n")]
    if (made := summary.review_of(result, other)) is None:
        return []
    columns = summary.review_columns(result, made, other, UNICODE, level)
    align = "".join("l" if column.name == "label" else "r" for column in columns)
    title = escape_markdown_cell(", ".join(made.by).replace("level:", "level "))
    rows = zip(*(column.cells for column in columns), strict=True)
    table = markdown_table([column.head for column in columns], align, rows)
    notes = [f"- {escape_markdown_cell(note.text)}" for note in summary.review_notes(made)]
    return ["", f"## By {title}", "", *table, *[""] * bool(notes), *notes]
