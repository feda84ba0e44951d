"""The totals of a sheet beside what was computed: on the screen, in Markdown, as plain JSON values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from massprops_cli.bom.building.reconciliation import Reconciled, reconcile, reconcile_assemblies
from massprops_cli.report.findings_text import escaped
from massprops_cli.report.number_text import number_text, unit_text
from massprops_cli.report.page import FULL, Block, Grid, Line, Span, Symbols, say

if TYPE_CHECKING:
    from massprops_cli.bom.answers.result import Result

MOST_ASSEMBLIES = 10
"""How many assemblies that differ are listed; the others are counted."""


def reconciliation_blocks(result: Result, symbols: Symbols) -> list[Block]:
    """Show every total of the sheet with its verdict, and the assemblies whose own masses differ."""
    if not result.bom.totals:
        return []
    totals, stated = reconcile(result.bom), reconcile_assemblies(result.bom, result.rollup)
    differ = [one for one in stated if not one.agrees]
    listed = [*totals, *differ[:MOST_ASSEMBLIES]]
    if not listed:
        return []
    unit = unit_text(listed[0].unit, symbols)
    head = f"totals in the sheet{f' ({unit})' if unit else ''}"
    told = [say(f"  {words}") for words in counted(stated, len(differ))]
    return [Line(), say(Span(head, "strong")), Grid([row_of(one, symbols) for one in listed], "lldldl"), *told]


def row_of(one: Reconciled, symbols: Symbols) -> list[Span]:
    """Lay out one total: label, address, what is stated, the verdict, and what which rows give."""
    mark = Span(symbols.good, "good") if one.agrees else Span(symbols.bad, "bad")
    return [
        Span(one.label),
        Span(address(one), "dim"),
        Span(number_text(one.stated, 12)),
        mark,
        Span("" if one.agrees else number_text(one.computed)),
        Span(one.of, "dim"),
    ]


def address(one: Reconciled) -> str:
    """Give the row, or the line of a text file."""
    return f"row {one.place.row}" if one.place.line is None else f"line {one.place.line}"


def counted(told: Sequence[Reconciled], differ: int) -> list[str]:
    """Count the assemblies that are not listed."""
    agree, more = len(told) - differ, differ - MOST_ASSEMBLIES
    words = [] if more <= 0 else [f"and {assemblies(more)} more that state other masses"]
    return words + ([f"{assemblies(agree)} with the mass that the children give"] if agree else [])


def assemblies(count: int) -> str:
    """Write a count of assemblies.

    >>> assemblies(1), assemblies(2000)
    ('1 assembly', '2,000 assemblies')
    """
    return f"{count:,} {'assembly' if count == 1 else 'assemblies'}"


def reconciliation_markdown(result: Result) -> list[str]:
    """Give the lines of a table in Markdown; nothing where the sheet states no total."""
    blocks = [block for block in reconciliation_blocks(result, FULL) if isinstance(block, Grid)]
    rows = [" | ".join(escaped(span.text) for span in row) for block in blocks for row in block.rows]
    head = ["", "| total | where | stated | | computed | from |", "|---|---|--:|---|--:|---|"]
    return [*head, *(f"| {row} |" for row in rows)] if rows else []
