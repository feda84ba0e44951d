"""What makes a mass, on the screen: the heaviest leaves with shares and bars."""

from __future__ import annotations

from typing import TYPE_CHECKING

from massprops_cli.report.findings_text import escaped
from massprops_cli.report.number_text import number_text, percent, unit_text
from massprops_cli.report.page import FULL, Block, Grid, Line, Span, Symbols, say

if TYPE_CHECKING:
    from massprops_cli.bom.answers.pareto import MassPareto, MassShare


def pareto_blocks(answer: MassPareto, symbols: Symbols, top: int) -> list[Block]:
    """Show the heaviest leaves of an item with shares and bars."""
    unit = unit_text(answer.unit, symbols)
    rows = list(answer.rows(top))
    heads = ("", "pieces", f"mass {unit}".rstrip(), "share", "sum")
    cells = [[Span(text, "dim") for text in heads], *(pareto_cells(row) for row in rows)]
    align = "lrdrr"
    if not any(row[1].text for row in cells[1:]):
        cells, align = [[row[0], *row[2:]] for row in cells], "ldrr"
    total = f"{number_text(answer.total)} {unit}".rstrip()
    blocks: list[Block] = [
        say(Span(symbols.good, "good"), " ", Span(f"mass of {answer.id}", "strong"), f": {total}"),
        Line(),
        Grid(cells, align, [0.0, *(abs(row.share) for row in rows)], shrink=0),
    ]
    left = len(answer) - len(rows)
    if left:
        rest = percent(1.0 - rows[-1].cumulative)
        blocks.append(say(Span(f"  {symbols.rest} and {left:,} more, {rest} of mass", "dim")))
    return blocks


def pareto_cells(row: MassShare) -> list[Span]:
    """Give one leaf's cells."""
    return [
        Span(row.name + (f"  {row.label}" if row.label else "")),
        Span("" if row.pieces == 1 else number_text(row.pieces), "dim"),
        Span(number_text(row.mass, 5), "strong"),
        Span(percent(row.share)),
        Span(percent(row.cumulative), "dim"),
    ]


def pareto_markdown(answer: MassPareto, top: int) -> str:
    """Write the heaviest leaves as Markdown."""
    unit = unit_text(answer.unit, FULL)
    lines = [f"# What makes the mass of {escaped(answer.id)}", "", f"| | mass {unit} | share | sum |"]
    lines.append("|---|--:|--:|--:|")
    for row in answer.rows(top):
        cells = (row.name, number_text(row.mass), percent(row.share), percent(row.cumulative))
        lines.append("| " + " | ".join(map(escaped, cells)) + " |")
    return "\n".join(lines) + "\n"
