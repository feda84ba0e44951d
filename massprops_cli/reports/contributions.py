"""What makes a sigma, on the screen: the largest rows of the budget with shares, bars and derivatives.

What makes a mass, on the screen: the heaviest leaves with shares and bars.

What makes a sigma or a mass, in every format of the report.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from massprops_cli.bom.contributions import Contributions, MassPareto
from massprops_cli.reports.conventions import sign_words
from massprops_cli.reports.findings import escaped, json_line, plural
from massprops_cli.reports.number_text import number_text, percent, unit_text, with_sigma
from massprops_cli.reports.page import FULL, Block, Grid, Line, Span, Symbols, say

if TYPE_CHECKING:
    from massprops_cli.bom.contributions import Contribution, MassShare, Weighed


MOST, INSIDE = 0.8, 3
"""The share that the first line counts rows up to; how many members of a group are listed."""


def budget_blocks(answer: Contributions, symbols: Symbols, top: int, weigh: int) -> list[Block]:
    """Show the result with its sigma, the rows that make it, and what weighing is worth."""
    blocks: list[Block] = [*head_of(answer, symbols), Line()]
    if answer.sigma > 0:
        rows = list(answer.rows(top))
        blocks.append(budget_grid(answer, rows, symbols))
        left = len(answer) - len(rows)
        if left:
            rest = percent(max(1.0 - rows[-1].cumulative, 0.0))
            blocks.append(say(Span(f"  {symbols.rest} and {left:,} more, {rest} of the variance", "dim")))
        weighed = answer.weighed(weigh)
        if weighed.names:
            blocks += [Line(), weighed_line(weighed, answer.unit, symbols)]
    return [*blocks, Line(), say(Span("; ".join(words_of(answer, symbols)), "dim"))]


def head_of(answer: Contributions, symbols: Symbols) -> list[Block]:
    """Say how few rows make most of the variance, and the result itself."""
    n = len(answer)
    few = int((answer.budget.share.cumsum() < MOST).sum()) + 1
    whole = leaves(n) if answer.budget.sharing.is_none else f"{n:,} rows"
    said = f"{few:,} of {whole} {'makes' if few == 1 else 'make'} {100 * MOST:.0f} % of the variance"
    if answer.sigma == 0:
        said = "nothing is uncertain, every sigma that counts is 0"
    unit = unit_text(answer.unit, symbols)
    value = f"{answer.of} = {with_sigma(answer.value, answer.sigma, symbols)} {unit}".rstrip()
    return [
        say(Span(symbols.good, "good"), " ", Span(f"{answer.of} of {answer.id}", "strong"), f": {said}", hang=2),
        say("  ", Span(value, "strong")),
    ]


def budget_grid(answer: Contributions, rows: Sequence[Contribution], symbols: Symbols) -> Grid:
    """Give the rows as a grid: bars and sigmas of inputs where there is room."""
    heads = ("", "share", "sum", "mostly from", "", "its sigma", "", "derivative", "")
    cells, bars = [[Span(text, "dim") for text in heads]], [0.0]
    for row in rows:
        cells.append(cells_of(answer, row, symbols))
        bars.append(row.share)
        for part in row.parts[:INSIDE]:
            inside = [Span(f"  {part.name}", "dim"), Span(percent(part.share), "dim")]
            cells.append(inside + [Span("")] * (len(heads) - 2))
            bars.append(0.0)
        if len(row.parts) > INSIDE:
            more = Span(f"  {symbols.rest} and {len(row.parts) - INSIDE:,} more", "dim")
            cells.append([more] + [Span("")] * (len(heads) - 1))
            bars.append(0.0)
    kept = (0, 1, 2, 3, 4, 7, 8)
    narrow = Grid([[row[j] for j in kept] for row in cells], "lrrlrdl", shrink=0)
    return Grid(cells, "lrrlrdldl", bars, shrink=0, narrow=narrow)


def cells_of(answer: Contributions, row: Contribution, symbols: Symbols) -> list[Span]:
    """Give one row's cells."""
    name = row.name + (f"  {row.label}" if row.label else "")
    if row.parts:
        size = len(row.parts)
        name += f"  ({plural(size, 'group') if row.kind == 'coupled groups' else leaves(size)})"
    of, by = (unit_text(unit, symbols) for unit in (answer.unit, answer.unit_of(row.input)))
    per = f"{of}/{by}" if of and by and of != by else ""
    return [
        Span(name),
        Span(percent(row.share), "strong"),
        Span(percent(min(row.cumulative, 1.0)), "dim"),
        Span(row.input if row.share else ""),
        Span(percent(row.input_share) if row.share else "", "dim"),
        Span(number_or_dash(row.input_sigma, 3)),
        Span(by if row.input_sigma is not None else "", "dim"),
        Span(number_or_dash(row.derivative, 4)),
        Span(per if row.derivative is not None else "", "dim"),
    ]


def leaves(count: int) -> str:
    """Write a count of leaves."""
    return f"{count:,} {'leaf' if count == 1 else 'leaves'}"


def number_or_dash(value: float | None, digits: int) -> str:
    """Write a number, or a dash for one that is not to be had."""
    return "-" if value is None else number_text(value, digits)


def weighed_line(weighed: Weighed, unit: str, symbols: Symbols) -> Line:
    """Say what weighing is worth."""
    return say(
        "  weigh ",
        Span(listed(weighed.names), "strong"),
        " and sigma falls from ",
        Span(number_text(weighed.before, 3)),
        " to ",
        Span(number_text(weighed.after, 3), "good"),
        f" {unit_text(unit, symbols)}".rstrip(),
        Span(" (their masses then taken as exact)", "dim"),
        hang=2,
    )


def listed(names: Sequence[str]) -> str:
    """Write names with commas and an and.

    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]


def words_of(answer: Contributions, symbols: Symbols) -> list[str]:
    """Say what the numbers are to be read with."""
    words = ["exact to first order", "units as shown" if answer.bom.units.stated else "units not stated"]
    if answer.budget.sharing.is_none:
        words.append("errors are independent")
    else:
        words.append("errors that a group shares are one row, with its members below it")
    if answer.of in ("Ixy", "Ixz", "Iyz"):
        words.append(f"products are {sign_words(symbols)}")
    if answer.of[0] in "Ik":
        words.append("inertia about the item's own centre of mass")
    if answer.is_near:
        gap = number_text(answer.budget.gap, 2)
        words.append(f"{answer.of} is {gap} sigma from the next principal moment, where first order tells little")
    return words


def budget_markdown(answer: Contributions, top: int, weigh: int) -> str:
    """Write a budget as Markdown."""
    value = f"{with_sigma(answer.value, answer.sigma, FULL)} {unit_text(answer.unit, FULL)}".rstrip()
    lines = [
        f"# What makes the uncertainty of {answer.of} of {escaped(answer.id)}",
        "",
        f"{answer.of} = {value}",
        "",
        "| | share | sum | mostly from | its sigma | derivative |",
        "|---|--:|--:|---|--:|--:|",
    ]
    for row in answer.rows(top):
        name, share, whole, source, part, sigma, unit, slope, per = (c.text for c in cells_of(answer, row, FULL))
        cells = (name, share, whole, f"{source} {part}", f"{sigma} {unit}", f"{slope} {per}")
        lines.append("| " + " | ".join(escaped(cell.strip()) for cell in cells) + " |")
    weighed = answer.weighed(weigh)
    if weighed.names:
        lines += ["", weighed_line(weighed, answer.unit, FULL).text.strip() + "."]
    return "\n".join([*lines, "", "; ".join(words_of(answer, FULL)) + "."]) + "\n"


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


Answer = Contributions | MassPareto


def blocks(answer: Answer, symbols: Symbols, top: int, weigh: int) -> list[Block]:
    """Show the ``top`` rows, and what weighing ``weigh`` of them is worth."""
    if isinstance(answer, MassPareto):
        return pareto_blocks(answer, symbols, top)
    return budget_blocks(answer, symbols, top, weigh)


def markdown(answer: Answer, top: int, weigh: int) -> str:
    """Write the ``top`` rows as Markdown."""
    if isinstance(answer, MassPareto):
        return pareto_markdown(answer, top)
    return budget_markdown(answer, top, weigh)


def concise(answer: Answer, top: int) -> str:
    """Write the ``top`` rows, one a line: name, share, and the input that matters most."""
    if isinstance(answer, MassPareto):
        return "".join(f"{row.name}: {percent(row.share)} of the mass\n" for row in answer.rows(top))
    return "".join(
        f"{row.name}: {percent(row.share)} of the variance of {answer.of}, mostly from {row.input}\n"
        for row in answer.rows(top)
        if row.share
    )


def dictionary(answer: Answer, top: int | None, weigh: int) -> dict[str, Any]:
    """Give the answer as plain JSON values, all rows without ``top``."""
    return answer.to_dict(top) if isinstance(answer, MassPareto) else answer.to_dict(top, weigh)


def json_lines(answer: Answer, top: int | None) -> str:
    """Write rows as JSON objects, one a line."""
    rows = dictionary(answer, top, 0)["shares" if isinstance(answer, MassPareto) else "contributions"]
    return "".join(map(json_line, rows))
