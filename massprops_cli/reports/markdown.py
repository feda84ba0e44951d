"""A roll-up as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from massprops_cli.findings.finding import Finding
from massprops_cli.reports.limits import AGGREGATION_WORDS, AggregatedColumns, coverage_cell, group_entries
from massprops_cli.reports.page.conventions import (
    convention_rows,
    formatted_number,
    level_text,
    shown_inertia_unit,
    unit_text,
)
from massprops_cli.reports.page.findings import (
    count_with_noun,
    escape_markdown_cell,
    finding_counts_text,
    findings_markdown,
    markdown_code,
)
from massprops_cli.reports.page.page import UNICODE, Line, TextSpan
from massprops_cli.reports.summary import (
    RootView,
    assumption_lines,
    closeness_lines,
    item_principal_moments,
    maturity_lines,
    principal_rows,
    property_rows,
)

if TYPE_CHECKING:
    from massprops_cli.bom.results.result import Result


def markdown_report(result: Result, findings: Sequence[Finding], view: RootView, other: AggregatedColumns) -> str:
    """Write verdict, root, conventions and findings as Markdown."""
    bom = result.bom
    source = markdown_code(bom.table.source.name)
    lines = [
        f"# Mass properties of {escape_markdown_cell(bom.ids[result.root_item])}",
        "",
        (f"{count_with_noun(len(bom), 'item')} rolled up from {source}: {finding_counts_text(findings)}."),
        "",
        f"| quantity | value | {_sigma_heading(view.sigma_level)} | unit |",
        "|---|--:|--:|---|",
    ]
    rows, notes = _root_rows(result, view)
    for row in rows:
        for k in (1, 4, 7):
            name, value, sigma = (cell.text for cell in row[k : k + 3])
            if value:
                cells = (_quantity_label(row[0].text, name), value, sigma, row[10].text)
                lines.append("| " + " | ".join(map(escape_markdown_cell, cells)) + " |")
    lines += [""] * bool(notes)
    lines += [f"- {escape_markdown_cell(' '.join(line.text.strip(' *').split()))}" for line in notes]
    lines += ["", "| convention | |", "|---|---|"]
    conventions = convention_rows(result, UNICODE, view.datum_words, view.about_words, view.sigma_level)
    lines += [f"| {escape_markdown_cell(name)} | {escape_markdown_cell(words)} |" for name, words in conventions]
    if result.uncertainty_request.probability or result.uncertainty_request.intervals:
        from massprops_cli.reports.probability import answer_markdown

        lines += answer_markdown(result, view.datum)
    if result.bom.totals:
        from massprops_cli.reports.limits import reconciliation_markdown

        lines += reconciliation_markdown(result)
    lines += _sample_markdown(result, view.sigma_level)
    lines += _aggregation_markdown(result, other, view.sigma_level)
    return "\n".join(lines) + "\n\n## Findings\n\n" + findings_markdown(findings)


def _quantity_label(row: str, name: str) -> str:
    """Name a value: its name, or row and name for the axes."""
    return f"{row} {name}" if row.startswith("axis") else name or row


def _root_rows(result: Result, view: RootView) -> tuple[list[list[TextSpan]], list[Line]]:
    """Return the rows of the root's values, and notes on them."""
    i, level = result.root_item, view.sigma_level
    rows = property_rows(result, i, UNICODE, view)
    principal = item_principal_moments(result, i, level) if view.shows_principal else None
    notes: list[Line] = []
    if principal is not None:
        rows += principal_rows(principal, shown_inertia_unit(result.bom).text, UNICODE)
        notes += closeness_lines(principal, UNICODE)
    return rows, [*notes, *maturity_lines(result, i), *assumption_lines(result, level, UNICODE)]


def _sigma_heading(level: int) -> str:
    """Write the heading of the column of sigmas."""
    return "sigma" if level == 1 else f"sigma ({level_text(level, UNICODE)})"


def _sample_markdown(result: Result, level: int) -> list[str]:
    """Write the samples as tables in Markdown; nothing without samples."""
    if result.rollup.sampled is None:
        return []
    from massprops_cli.reports.probability import difference_lines, sampled_number_text, sampled_result_unit
    from massprops_cli.rollups.montecarlo.samples import PERCENTILES

    lines: list[str] = []
    heads = ["result", "mean", _sigma_heading(level), *(f"P{percent:g}" for percent in PERCENTILES), "unit"]
    for item in result.samples:
        lines += ["", f"## {escape_markdown_cell(result.bom.ids[item.item])}, Monte Carlo, {item.n:,} samples", ""]
        lines += ["| " + " | ".join(heads) + " |", "|---|" + "--:|" * 7 + "---|"]
        for one in item.results:
            numbers = [sampled_number_text(value, one.sigma) for value in (one.mean, *one.percentiles.tolist())]
            numbers.insert(1, sampled_number_text(level * one.sigma, level * one.sigma))
            unit = escape_markdown_cell(unit_text(sampled_result_unit(result, one), UNICODE))
            lines.append("| " + " | ".join([one.name, *numbers, unit]) + " |")
        differences = difference_lines(item.differences, UNICODE)
        lines += [""] * bool(differences) + [f"- {escape_markdown_cell(line.text.strip())}" for line in differences]
    return lines


def _aggregation_markdown(result: Result, other: AggregatedColumns, level: int) -> list[str]:
    """Write aggregated columns and subtotals as tables in Markdown."""
    lines: list[str] = []
    i = result.root_item
    if other.columns:
        lines += ["", "## Aggregated columns, root", ""]
        lines += ["| column | aggregation | value | leaves known |", "|---|---|--:|--:|"]
    for header, rolled in other.columns:
        value = formatted_number(float(rolled.values[i]), 8) or "-"
        known = f"{int(rolled.known[i]):,} of {int(rolled.leaves[i]):,}"
        cells = (header, AGGREGATION_WORDS[rolled.aggregation], value, known)
        lines.append("| " + " | ".join(map(escape_markdown_cell, cells)) + " |")
    if other.groups is None:
        return lines
    mark = f" (± {level_text(level, UNICODE)})" if level > 1 else ""
    lines += ["", f"## By {escape_markdown_cell(', '.join(other.labels))}{mark}"]
    for g, texts in enumerate(other.groups.labels):
        entries = group_entries(result, other, g, UNICODE, level)
        if g == 0:
            head = [*other.labels, "leaves", *(name for name, *_ in entries)]
            rule = "---|" * len(other.labels) + "--:|" * (len(entries) + 1)
            lines += ["", "| " + " | ".join(map(escape_markdown_cell, head)) + " |", f"|{rule}"]
        cover = coverage_cell(result, other.groups, other.group_columns, g).text
        row = (*texts, cover, *(f"{number} {sigma}".rstrip() for _, number, sigma in entries))
        lines.append("| " + " | ".join(map(escape_markdown_cell, row)) + " |")
    return lines
