"""Probabilities and intervals for the screen and as Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from math import isfinite
from typing import TYPE_CHECKING

from massprops_cli.reports.findings import escaped
from massprops_cli.reports.number_text import exponent, number_text, rounded, unit_text, with_sigma
from massprops_cli.reports.page import ASCII, FULL, Block, Grid, Line, Span, Symbols, say
from massprops_cli.reports.summary import CENTER, Point
from massprops_cli.rollups.montecarlo.samples import RESULTS
from massprops_cli.rollups.regions import Range

if TYPE_CHECKING:
    from massprops_cli.bom.probability import Interval, Probability
    from massprops_cli.bom.result import Result
    from massprops_cli.tables.units import Units


RARE = 1e-4
"""What is rarer than this is written as a power of ten, and its opposite as 1 less that."""
UNKNOWN = "not known: not all masses and sigmas below it are"
"""Said in place of the intervals of an item that has none."""
FROM_ORIGIN = "places in questions are measured from the table's origin, not from the datum"
RULE_OF_THREE = 3.0
"""Of n samples none: with 95 % confidence the probability is below 3/n."""


def probability_text(one: Probability, symbols: Symbols = FULL) -> str:
    """Write a probability in as many digits as tell it from certainty, or as its standard error allows.

    >>> from massprops_cli.bom.probability import Asked
    >>> from massprops_cli.bom.probability import Probability
    >>> from massprops_cli.rollups.regions import Range
    >>> asked = Asked(0, "SAT", "mass ≤ 850 kg", Range(0, high=850.0))
    >>> probability_text(Probability(asked, 0.97725, 0.02275)), probability_text(Probability(asked, 1.0, 3.2e-7))
    ('97.7 %', '1 − 3.2e-07')
    >>> probability_text(Probability(asked, 0.9771, 0.0229, "samples", 10_000))
    '(97.71 ± 0.15) %'
    >>> probability_text(Probability(asked, 1.0, 0.0, "samples", 10_000))
    '> 99.97 %'
    """
    if not isfinite(one.value):
        return "not known"
    if one.n:
        return share_text(one, symbols)
    return certainty_text(one.value, one.opposite, one.accuracy).replace("−", "-" if symbols is ASCII else "−")


def certainty_text(value: float, opposite: float, accuracy: float) -> str:
    """Write a probability to the second digit of itself or of its opposite, whichever is smaller.

    >>> certainty_text(0.5, 0.5, 0.0), certainty_text(0.9987, 0.0013, 0.0), certainty_text(3e-12, 1.0, 1e-12)
    ('50.0 %', '99.87 %', '3.0e-12')
    >>> certainty_text(1.0, 1e-15, 1e-12), certainty_text(0.0, 1.0, 0.0)
    ('> 1 − 1e-12', '0 %')
    """
    least = min(value, opposite)
    if least < accuracy:
        return f"< {accuracy:.0e}" if value < opposite else f"> 1 − {accuracy:.0e}"
    if least == 0:
        return "100 %" if value else "0 %"
    if least < RARE:
        return f"{least:.1e}" if value < opposite else f"1 − {least:.1e}"
    return rounded(100 * value, min(exponent(100 * least, 2) - 1, -1)) + " %"


def share_text(one: Probability, symbols: Symbols) -> str:
    """Write a share of samples with its standard error; of all or of none, the bound that so many samples give."""
    if one.value in (0.0, 1.0):
        bound = 100 * min(RULE_OF_THREE / one.n, 1.0)
        last = min(exponent(bound, 1), 0)
        return f"< {rounded(bound, last)} %" if one.value == 0 else f"> {rounded(100 - bound, last)} %"
    return f"({with_sigma(100 * one.value, 100 * one.error, symbols)}) %"


def answer_blocks(result: Result, symbols: Symbols, datum: Point | None = None) -> list[Block]:
    """Show the answers to what was asked of a result, centres of intervals measured from ``datum``; else nothing."""
    blocks: list[Block] = []
    if result.probabilities:
        blocks += [Line(), *probability_blocks(result.probabilities, result.root_item, symbols)]
        if datum is not None and any(asks_where(one) for one in result.probabilities):
            blocks.append(say(Span(f"  {FROM_ORIGIN}", "dim"), hang=2))
    for name, found in result.intervals:
        blocks += [Line(), *interval_blocks(from_datum(found, datum), name, result.bom.units, symbols)]
        blocks += [] if found else [say(Span(f"intervals of {name}", "strong"), "  ", Span(UNKNOWN, "warn"))]
    return blocks


def answer_markdown(result: Result, datum: Point | None = None) -> list[str]:
    """Write the answers to what was asked of a result as Markdown; nothing where nothing was."""
    return probability_markdown(
        result.probabilities, [(name, from_datum(found, datum)) for name, found in result.intervals]
    )


def asks_where(one: Probability) -> bool:
    """Tell whether a question is about the place of the centre, so that it matters where that is measured from."""
    region = one.asked.region
    return not isinstance(region, Range) or RESULTS[region.result] in CENTER


def from_datum(found: Sequence[Interval], datum: Point | None) -> list[Interval]:
    """Measure the centre's intervals from another origin."""
    origin = dict(zip(CENTER, datum or (0.0, 0.0, 0.0), strict=True))
    moves = [origin.get(one.name, 0.0) for one in found]
    return [
        replace(one, value=one.value - move, low=one.low - move, high=one.high - move)
        for one, move in zip(found, moves, strict=True)
    ]


def probability_blocks(found: Sequence[Probability], root: int, symbols: Symbols) -> list[Block]:
    """Give a line for every question: the item where it is not the root, the probability, and what it comes from."""
    lines: list[Block] = []
    for one in found:
        head = "" if one.asked.item == root else f"{one.asked.name}: "
        words = question_text(one, symbols)
        sign, text = equation_text(one, symbols)
        value = Span(text, "strong" if isfinite(one.value) else "warn")
        lines.append(
            say(Span(head, "strong"), words, f" {sign} ", value, Span(f"  ({source_text(one)})", "dim"), hang=2)
        )
    return lines


def question_text(one: Probability, symbols: Symbols) -> str:
    """Write a question as a probability: P(mass ≤ 850 kg)."""
    words = one.asked.words
    if symbols is ASCII:
        return f"P({words.replace('≤', '<=').replace('≥', '>=')})"
    # a * that leaves an axis out stays; one between units becomes a dot
    return f"P({re.sub(r'[A-Za-z0-9^]+[*][A-Za-z0-9^*]+', lambda unit: unit_text(unit[0], symbols), words)})"


def equation_text(one: Probability, symbols: Symbols) -> tuple[str, str]:
    """Write the sign between a question and its probability, and the probability: ``=`` unless it is a bound."""
    text = probability_text(one, symbols)
    return (text[:2].strip(), text[2:]) if text[0] in "<>" else ("=", text)


def source_text(one: Probability) -> str:
    """Say what a probability comes from."""
    return f"{one.n:,} {one.how}" if one.n else one.how


def interval_blocks(found: Sequence[Interval], name: str, units: Units, symbols: Symbols) -> list[Block]:
    """Show the intervals of one item at one level, rounded to the second digit of the sigma; no block for none."""
    if not found:
        return []
    head = say(
        Span(f"{level_percent(found[0].level)} intervals of {name}", "strong"),
        Span(f"  ({found[0].how})", "dim"),
        hang=2,
    )
    rows = [
        [Span(one.name, "dim"), *map(Span, ends_text(one)), Span(unit_text(unit_of(one.name, units), symbols), "dim")]
        for one in found
    ]
    return [head, Grid(rows, "lddl")]


def ends_text(one: Interval) -> tuple[str, str]:
    """Write the ends of an interval to the second digit of the sigma.

    >>> from massprops_cli.bom.probability import Interval
    >>> ends_text(Interval("mass", 850.0, 12.3, 825.892443, 874.107557, 0.95))
    ('826', '874')
    """
    low, high = (to_digit_of(end, one.sigma) for end in (one.low, one.high))
    return low, high


def to_digit_of(value: float, sigma: float) -> str:
    """Write a number to the second digit of a sigma; without a sigma as any number.

    >>> to_digit_of(33.0, 1.04), to_digit_of(1.23456e12, 4.5e9), to_digit_of(2.0, 0.0)
    ('33.0', '1.2346e+12', '2')
    """
    if not sigma > 0 or value == 0:
        return number_text(value)
    last = exponent(sigma, 2) - 1
    if last >= -12 and exponent(value, 2) < 7:
        return rounded(value, last)
    return number_text(value, max(exponent(value, 2) - last + 1, 1))


def level_percent(level: float) -> str:
    """Write a level as a percentage.

    >>> level_percent(0.95), level_percent(0.9973)
    ('95 %', '99.73 %')
    """
    return f"{100 * level:.10g} %"


def unit_of(name: str, units: Units) -> str:
    """Give the unit of a result."""
    return units.mass if name == "mass" else units.inertia if name.startswith("I") else units.length


def probability_markdown(
    found: Sequence[Probability], intervals: Sequence[tuple[str, Sequence[Interval]]]
) -> list[str]:
    """Write questions and intervals, each with its item's id, as Markdown tables; nothing where nothing was asked."""
    lines: list[str] = []
    if found:
        lines += ["", "## Probabilities", "", "| item | question | probability | from |", "|---|---|--:|---|"]
    for one in found:
        cells = (one.asked.name, question_text(one, FULL), probability_text(one), source_text(one))
        lines.append("| " + " | ".join(map(escaped, cells)) + " |")
    for name, ends in intervals:
        if not ends:
            lines += ["", f"## Intervals of {escaped(name)}", "", f"{UNKNOWN[0].upper()}{UNKNOWN[1:]}."]
        else:
            head = f"## {level_percent(ends[0].level)} intervals of {escaped(name)}"
            lines += ["", head, "", f"From: {ends[0].how}.", "", "| quantity | low | high |", "|---|--:|--:|"]
        for end in ends:
            lines.append("| " + " | ".join(map(escaped, (end.name, *ends_text(end)))) + " |")
    return lines
