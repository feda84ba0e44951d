"""A budget on the screen: the limits as a table, those not kept first, and the numbers that they are about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from massprops_cli.report.findings_text import plural
from massprops_cli.report.number_text import number_text
from massprops_cli.report.page import ASCII, Block, Grid, Line, Span, Symbols, say

if TYPE_CHECKING:
    from massprops_cli.budget.verdict import Verdict

SHOWN = 40
"""Limits that the screen shows before it says how many more there are."""


def limit_blocks(verdicts: Sequence[Verdict], symbols: Symbols, *, shows_all: bool = False) -> list[Block]:
    """Lay out the limits: broken ones first, then waived ones, then kept ones, each in the order of the budget file."""
    ordered = sorted(verdicts, key=lambda verdict: (verdict.kept, verdict.waiver is not None))
    shown = ordered if shows_all else ordered[:SHOWN]
    rows = [
        [
            state_of(verdict, symbols),
            Span(verdict.item, "strong"),
            Span(verdict.asked if symbols is not ASCII else verdict.asked.replace("≤", "<=").replace("≥", ">=")),
            Span(amount(verdict.value, verdict.unit)),
            Span(reserve(verdict)),
        ]
        for verdict in shown
    ]
    head = [Span("", "dim"), *(Span(word, "dim") for word in ("item", "limit", "value", "to spare"))]
    blocks: list[Block] = [Line(), Grid([head, *rows], "lllrr", shrink=2)]
    if len(shown) < len(ordered):
        blocks.append(say(f"  {symbols.rest} and {plural(len(ordered) - len(shown), 'more limit')}; all of them: -v"))
    return blocks


def state_of(verdict: Verdict, symbols: Symbols) -> Span:
    """Say whether a limit is kept, waived, or broken, and how grave that is.

    >>> from massprops_cli.budget.verdict import Verdict
    >>> verdict = Verdict("MP601", "SAT", "", "mass-max", "mass ≤ 850 kg", 860.0, 850.0, "kg", -10.0, False, "over")
    >>> state_of(verdict, ASCII).text
    'error'
    """
    if verdict.kept:
        return Span("kept", "good")
    if verdict.waiver is not None:
        return Span("waived", "note")
    style = {"error": "bad", "warning": "warn", "note": "note"}[verdict.severity.value]
    return Span(verdict.severity.value, style)


def amount(value: float | None, unit: str) -> str:
    """Write a number with its unit.

    >>> amount(860.0, "kg"), amount(None, "kg")
    ('860 kg', 'not known')
    """
    return "not known" if value is None else f"{number_text(value)} {unit}".strip()


def reserve(verdict: Verdict) -> str:
    """Write how far a value may still move; nothing where it is not known."""
    return "" if verdict.margin is None else amount(verdict.margin, verdict.unit)


def kept_text(verdicts: Sequence[Verdict], budget: str) -> str:
    """Count the limits of a budget file.

    >>> kept_text([], "budget.toml")
    '0 of 0 limits of budget.toml kept'
    """
    kept = sum(verdict.kept for verdict in verdicts)
    waived = sum(not verdict.kept and verdict.waiver is not None for verdict in verdicts)
    return f"{kept:,} of {plural(len(verdicts), 'limit')} of {budget} kept" + (f", {waived:,} waived" if waived else "")
