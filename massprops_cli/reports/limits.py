"""Limits of a budget with their values and margins; stated totals of a table compared with computed values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from massprops_cli.bom.checks.assembly_values import difference_digits
from massprops_cli.reports.page.findings import count_with_noun, escape_markdown_cell
from massprops_cli.reports.page.number_text import formatted_number, unit_text
from massprops_cli.reports.page.page import ASCII, UNICODE, Grid, Line, PageBlock, Symbols, TextSpan, text_line

if TYPE_CHECKING:
    from massprops_cli.bom.checks.totals import ReconciledTotal
    from massprops_cli.bom.results.result import Result
    from massprops_cli.budgets.model import Verdict


_LIMITS_SHOWN = 40
"""Limits on the screen; further ones are counted."""


def limit_blocks(verdicts: Sequence[Verdict], symbols: Symbols, *, shows_all: bool = False) -> list[PageBlock]:
    """Lay out the limits: violated, waived, kept, each in the order of the budget file."""
    ordered = sorted(verdicts, key=lambda verdict: (verdict.kept, verdict.waiver is not None))
    shown = ordered if shows_all else ordered[:_LIMITS_SHOWN]
    rows = [
        [
            _limit_state(verdict, symbols),
            TextSpan(verdict.item, "strong"),
            TextSpan(
                verdict.requirement
                if symbols is not ASCII
                else verdict.requirement.replace("≤", "<=").replace("≥", ">=")
            ),
            TextSpan(limit_value_text(verdict, ">=" if symbols is ASCII else "≥")),
            TextSpan("" if verdict.margin is None else amount_text(verdict.margin, verdict.unit)),
        ]
        for verdict in shown
    ]
    head = [TextSpan("", "dim"), *(TextSpan(word, "dim") for word in ("item", "limit", "value", "margin"))]
    blocks: list[PageBlock] = [Line(), Grid([head, *rows], "lllrr", shrink=2)]
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
    if verdict.is_undecided:
        return TextSpan("undecided", style)
    return TextSpan(verdict.severity.value, style)


def amount_text(value: float | None, unit: str) -> str:
    """Write a number with its unit."""
    return "not known" if value is None else f"{formatted_number(value)} {unit}".strip()


def limit_value_text(verdict: Verdict, sign: str = "≥") -> str:
    """Write the value that a limit applies to, or its lower bound."""
    if verdict.value is None and verdict.at_least is not None:
        return f"{sign} {amount_text(verdict.at_least, verdict.unit)}"
    return amount_text(verdict.value, verdict.unit)


def kept_limits_text(verdicts: Sequence[Verdict], budget: str) -> str:
    """Count the limits of a budget file that are kept."""
    kept = sum(verdict.kept for verdict in verdicts)
    waived = sum(not verdict.kept and verdict.waiver is not None for verdict in verdicts)
    undecided = sum(verdict.is_undecided and verdict.waiver is None for verdict in verdicts)
    more = (f", {waived:,} waived" if waived else "") + (f", {undecided:,} undecided" if undecided else "")
    return f"{kept:,} of {count_with_noun(len(verdicts), 'limit')} of {budget} kept{more}"


_DIFFERENCE_RULE = "MP411"
"""Rule for an assembly whose stated value differs from the sum of its parts."""

_ASSEMBLIES_SHOWN = 10
"""Number of differing assemblies that are listed; the others are counted."""


def reconciliation_blocks(result: Result, symbols: Symbols) -> list[PageBlock]:
    """Compare stated totals, and stated masses of assemblies that differ, with the computed values."""
    if not result.bom.totals and not any(finding.rule == _DIFFERENCE_RULE for finding in result.findings):
        return []
    totals, stated = result.totals, result.stated_masses
    differ = [one for one in stated if not one.agrees]
    listed = [*totals, *differ[:_ASSEMBLIES_SHOWN]]
    if not listed:
        return []
    masses_only = all(one.quantity in ("mass", "line_mass") for one in listed)
    unit = unit_text(listed[0].unit, symbols) if len({one.unit for one in listed}) == 1 else ""
    head = f"{'stated totals' if totals else 'stated masses'}{f' ({unit})' if unit else ''}"
    notes = [text_line(f"  {words}") for words in _unlisted_assembly_lines(stated, len(differ))]
    rows = [
        _reconciliation_row(one, symbols, quantity="" if masses_only else one.quantity, with_unit=not unit)
        for one in listed
    ]
    return [Line(), text_line(TextSpan(head, "strong")), Grid(rows, "lldldl"), *notes]


def _reconciliation_row(
    one: ReconciledTotal, symbols: Symbols, *, quantity: str = "", with_unit: bool = False
) -> list[TextSpan]:
    """Lay out one total: label, address, stated value, verdict, computed value, rows added."""
    unit = f" {unit_text(one.unit, symbols)}" if with_unit and one.unit else ""
    good, bad = symbols.good.rstrip(":"), symbols.bad.rstrip(":")
    mark = TextSpan(good, "good") if one.agrees else TextSpan("?" if one.verdict == "open" else bad, "bad")
    of = {"rounding": f"{one.of}, within rounding", "open": f"{one.of}, missing masses excluded"}
    return [
        TextSpan(f"{one.label} {quantity}".rstrip()),
        TextSpan(_total_address(one), "dim"),
        TextSpan(f"{formatted_number(one.stated, 12)}{unit}"),
        mark,
        TextSpan("" if one.agrees else _computed_text(one)),
        TextSpan(of.get(one.verdict, one.of), "dim"),
    ]


_MAX_SHOWN_DIGITS = 12
"""Digits of a total; further ones are of the order of summation."""


def _computed_text(one: ReconciledTotal) -> str:
    """Write the computed value with enough digits to show its difference from the stated one."""
    return formatted_number(one.computed, min(difference_digits(one.computed, one.stated), _MAX_SHOWN_DIGITS))


def _total_address(one: ReconciledTotal) -> str:
    """Return the row of a worksheet, or the line of a text file."""
    return f"row {one.place.row}" if one.place.line is None else f"line {one.place.line}"


def _unlisted_assembly_lines(stated: Sequence[ReconciledTotal], differ: int) -> list[str]:
    """Count the assemblies that are not listed."""
    agree, more = len(stated) - differ, differ - _ASSEMBLIES_SHOWN
    words = [] if more <= 0 else [f"and {_assembly_count_text(more)} more with other stated masses"]
    return words + ([f"{_assembly_count_text(agree)} with stated mass equal to the sum of parts"] if agree else [])


def _assembly_count_text(count: int) -> str:
    """Write a count of assemblies."""
    return f"{count:,} {'assembly' if count == 1 else 'assemblies'}"


def reconciliation_markdown(result: Result) -> list[str]:
    """Write the stated totals as a table in Markdown."""
    blocks = [block for block in reconciliation_blocks(result, UNICODE) if isinstance(block, Grid)]
    rows = [" | ".join(escape_markdown_cell(span.text) for span in row) for block in blocks for row in block.rows]
    head = ["", "| total | place | stated | | computed | rows |", "|---|---|--:|---|--:|---|"]
    return [*head, *(f"| {row} |" for row in rows)] if rows else []


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
