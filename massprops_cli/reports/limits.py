"""The totals of a sheet beside what was computed: on the screen, in Markdown, as plain JSON values.

A budget on the screen: the limits as a table, those not kept first, and the numbers that they are about.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from massprops_cli.bom.assembly_values import digits_beside
from massprops_cli.reports.findings import escaped, plural
from massprops_cli.reports.number_text import number_text, unit_text
from massprops_cli.reports.page import ASCII, FULL, Block, Grid, Line, Span, Symbols, say

if TYPE_CHECKING:
    from massprops_cli.bom.result import Result
    from massprops_cli.bom.totals import Reconciled
    from massprops_cli.budgets.model import Verdict


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
            Span(value_text(verdict, ">=" if symbols is ASCII else "≥")),
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
    """Say whether a limit is kept, waived, undecided or broken, and how severe that is.

    >>> from massprops_cli.budgets.model import Verdict
    >>> verdict = Verdict("MP601", "SAT", "", "mass-max", "mass ≤ 850 kg", 860.0, 850.0, "kg", -10.0, False, "over")
    >>> state_of(verdict, ASCII).text
    'error'
    """
    if verdict.kept:
        return Span("kept", "good")
    if verdict.waiver is not None:
        return Span("waived", "note")
    style = {"error": "bad", "warning": "warn", "note": "note"}[verdict.severity.value]
    if verdict.is_undecided:
        return Span("undecided", style)
    return Span(verdict.severity.value, style)


def amount(value: float | None, unit: str) -> str:
    """Write a number with its unit.

    >>> amount(860.0, "kg"), amount(None, "kg")
    ('860 kg', 'not known')
    """
    return "not known" if value is None else f"{number_text(value)} {unit}".strip()


def value_text(verdict: Verdict, sign: str = "≥") -> str:
    """Write the value of a limit, or what is known of it.

    >>> from massprops_cli.budgets.model import Verdict
    >>> value_text(Verdict("MP601", "A", "", "mass-max", "", None, None, "kg", None, False, "", at_least=20.0))
    '≥ 20 kg'
    """
    if verdict.value is None and verdict.at_least is not None:
        return f"{sign} {amount(verdict.at_least, verdict.unit)}"
    return amount(verdict.value, verdict.unit)


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
    undecided = sum(verdict.is_undecided and verdict.waiver is None for verdict in verdicts)
    more = (f", {waived:,} waived" if waived else "") + (f", {undecided:,} undecided" if undecided else "")
    return f"{kept:,} of {plural(len(verdicts), 'limit')} of {budget} kept{more}"


DIFFERS = "MP411"
"""The rule that an assembly's own number is not what its children give."""

MOST_ASSEMBLIES = 10
"""How many assemblies that differ are listed; the others are counted."""


def reconciliation_blocks(result: Result, symbols: Symbols) -> list[Block]:
    """Show every total of the sheet with its verdict, and the assemblies whose own masses differ."""
    if not result.bom.totals and not any(finding.rule == DIFFERS for finding in result.findings):
        return []
    totals, stated = result.totals, result.stated_masses
    differ = [one for one in stated if not one.agrees]
    listed = [*totals, *differ[:MOST_ASSEMBLIES]]
    if not listed:
        return []
    masses_only = all(one.quantity in ("mass", "line_mass") for one in listed)
    unit = unit_text(listed[0].unit, symbols) if len({one.unit for one in listed}) == 1 else ""
    head = f"{'totals' if totals else 'stated'} in the sheet{f' ({unit})' if unit else ''}"
    told = [say(f"  {words}") for words in counted(stated, len(differ))]
    rows = [row_of(one, symbols, quantity="" if masses_only else one.quantity, with_unit=not unit) for one in listed]
    return [Line(), say(Span(head, "strong")), Grid(rows, "lldldl"), *told]


def row_of(one: Reconciled, symbols: Symbols, *, quantity: str = "", with_unit: bool = False) -> list[Span]:
    """Lay out one total: label, address, what is stated, the verdict, and what which rows give."""
    unit = f" {unit_text(one.unit, symbols)}" if with_unit and one.unit else ""
    good, bad = symbols.good.rstrip(":"), symbols.bad.rstrip(":")
    mark = Span(good, "good") if one.agrees else Span("?" if one.verdict == "open" else bad, "bad")
    of = {"rounding": f"{one.of}, within rounding", "open": f"{one.of}, without those whose mass is missing"}
    return [
        Span(f"{one.label} {quantity}".rstrip()),
        Span(address(one), "dim"),
        Span(f"{number_text(one.stated, 12)}{unit}"),
        mark,
        Span("" if one.agrees else computed_text(one)),
        Span(of.get(one.verdict, one.of), "dim"),
    ]


def computed_text(one: Reconciled) -> str:
    """Write what was computed with as many digits as show how far it is from what is stated."""
    return number_text(one.computed, digits_beside(one.computed, one.stated))


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


def reconciliation_cells(result: Result) -> list[list[str]]:
    """Give a pair of cells for every total of the sheet: its label and address, and what it states beside its rows."""
    return [
        [
            f"{one.label}, {address(one)}",
            f"{one.quantity} {number_text(one.stated, 12)} {one.unit}".rstrip()
            + f" {FULL.good if one.agrees else FULL.bad} {one.of} give {computed_text(one)}",
        ]
        for one in result.totals
    ]
