"""A roll-up as Markdown: for a review, a ticket or a wiki page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from massprops_cli.findings import Finding
from massprops_cli.reports.conventions import convention_rows, level_text
from massprops_cli.reports.findings import counts_text, escaped, markdown_table, plural
from massprops_cli.reports.number_text import number_text, unit_text
from massprops_cli.reports.page import FULL, Line, Span
from massprops_cli.reports.subtotals import WORDS, Other, coverage_cell, group_entries
from massprops_cli.reports.summary import (
    View,
    assumption_lines,
    closeness_lines,
    maturity_lines,
    principal_moments,
    principal_rows,
    property_rows,
)

if TYPE_CHECKING:
    from massprops_cli.bom.result import Result


def markdown_report(result: Result, findings: Sequence[Finding], view: View, other: Other) -> str:
    """Write verdict, root, conventions and every finding as Markdown."""
    bom = result.bom
    lines = [
        f"# Mass properties of {escaped(bom.ids[result.root_item])}",
        "",
        f"{plural(len(bom), 'item')} rolled up from `{bom.table.source.name}`: {counts_text(findings)}.",
        "",
        f"| quantity | value | {sigma_head(view.sigma_level)} | unit |",
        "|---|--:|--:|---|",
    ]
    rows, told = root_rows(result, view)
    for row in rows:
        for k in (1, 4, 7):
            name, value, sigma = (cell.text for cell in row[k : k + 3])
            if value:
                cells = (label_of(row[0].text, name), value, sigma, row[10].text)
                lines.append("| " + " | ".join(map(escaped, cells)) + " |")
    lines += [""] * bool(told) + [f"- {escaped(' '.join(line.text.strip(' *').split()))}" for line in told]
    lines += ["", "| read with | |", "|---|---|"]
    read_with = convention_rows(result, FULL, view.datum_words, view.about_words, view.sigma_level)
    lines += [f"| {escaped(name)} | {escaped(words)} |" for name, words in read_with]
    if result.asked.probability or result.asked.intervals:
        from massprops_cli.reports.probability import answer_markdown

        lines += answer_markdown(result, view.datum)
    if result.bom.totals:
        from massprops_cli.reports.limits import reconciliation_markdown

        lines += reconciliation_markdown(result)
    lines += sample_markdown(result, view.sigma_level)
    lines += other_markdown(result, other, view.sigma_level)
    return "\n".join(lines) + "\n\n## Findings\n\n" + markdown_table(findings)


def label_of(row: str, name: str) -> str:
    """Name a number by itself, or by its row where the name alone does not tell.

    >>> label_of("mass", ""), label_of("centre", "Cx"), label_of("axis 1", "x")
    ('mass', 'Cx', 'axis 1 x')
    """
    return f"{row} {name}" if row.startswith("axis") else name or row


def root_rows(result: Result, view: View) -> tuple[list[list[Span]], list[Line]]:
    """Give the rows of the root's numbers, and what else is to be said about them."""
    i, level = result.root_item, view.sigma_level
    rows = property_rows(result, i, FULL, view)
    principal = principal_moments(result, i, level) if view.shows_principal else None
    told: list[Line] = []
    if principal is not None:
        rows += principal_rows(principal, result.bom.units.inertia, FULL)
        told += closeness_lines(principal, FULL)
    return rows, [*told, *maturity_lines(result, i), *assumption_lines(result, level, FULL)]


def sigma_head(level: int) -> str:
    """Head the column of sigmas.

    >>> sigma_head(1), sigma_head(2)
    ('sigma', 'sigma (2σ)')
    """
    return "sigma" if level == 1 else f"sigma ({level_text(level, FULL)})"


def sample_markdown(result: Result, level: int) -> list[str]:
    """Write what was sampled as Markdown tables; nothing where nothing was sampled."""
    if result.rollup.sampled is None:
        return []
    from massprops_cli.reports.samples import difference_lines, rounded_to, unit_of
    from massprops_cli.rollups.montecarlo.samples import PERCENTS

    lines: list[str] = []
    heads = ["result", "mean", sigma_head(level), *(f"P{percent:g}" for percent in PERCENTS), "unit"]
    for item in result.samples:
        lines += ["", f"## {escaped(result.bom.ids[item.item])}, sampled {item.n:,} times", ""]
        lines += ["| " + " | ".join(heads) + " |", "|---|" + "--:|" * 7 + "---|"]
        for one in item.results:
            numbers = [rounded_to(value, one.sigma) for value in (one.mean, *one.percentiles.tolist())]
            numbers.insert(1, rounded_to(level * one.sigma, level * one.sigma))
            lines.append("| " + " | ".join([one.name, *numbers, escaped(unit_text(unit_of(result, one), FULL))]) + " |")
        differences = difference_lines(item.differences, FULL)
        lines += [""] * bool(differences) + [f"- {escaped(line.text.strip())}" for line in differences]
    return lines


def other_markdown(result: Result, other: Other, level: int) -> list[str]:
    """Write rolled-up columns and subtotals as Markdown tables."""
    lines: list[str] = []
    i = result.root_item
    if other.columns:
        lines += [
            "",
            "## Other columns, at the root",
            "",
            "| column | way | value | leaves known |",
            "|---|---|--:|--:|",
        ]
    for header, rolled in other.columns:
        value = number_text(float(rolled.values[i]), 8) or "-"
        cells = (header, WORDS[rolled.way], value, f"{int(rolled.known[i]):,} of {int(rolled.leaves[i]):,}")
        lines.append("| " + " | ".join(map(escaped, cells)) + " |")
    if other.groups is None:
        return lines
    mark = f" (± {level_text(level, FULL)})" if level > 1 else ""
    lines += ["", f"## By {escaped(', '.join(other.labels))}{mark}"]
    for g, texts in enumerate(other.groups.labels):
        entries = group_entries(result, other, g, FULL, level)
        if g == 0:
            head = [*other.labels, "leaves", *(name for name, *_ in entries)]
            rule = "---|" * len(other.labels) + "--:|" * (len(entries) + 1)
            lines += ["", "| " + " | ".join(map(escaped, head)) + " |", f"|{rule}"]
        cover = coverage_cell(result, other.groups, other.group_columns, g).text
        row = (*texts, cover, *(f"{number} {sigma}".rstrip() for _, number, sigma in entries))
        lines.append("| " + " | ".join(map(escaped, row)) + " |")
    return lines
