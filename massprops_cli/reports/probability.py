"""Probabilities and intervals for the screen and as Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from math import isfinite
from typing import TYPE_CHECKING

from massprops_cli.reports.page.findings import escape_markdown_cell
from massprops_cli.reports.page.number_text import (
    decimal_exponent,
    formatted_number,
    rounded_text,
    unit_text,
    value_with_sigma,
)
from massprops_cli.reports.page.page import ASCII, UNICODE, Grid, Line, PageBlock, Symbols, TextSpan, text_line
from massprops_cli.reports.summary import CENTER, Point
from massprops_cli.rollups.montecarlo.samples import SAMPLED_RESULTS
from massprops_cli.rollups.regions import ResultRange

if TYPE_CHECKING:
    from massprops_cli.bom.results.probability import Interval, Probability
    from massprops_cli.bom.results.result import Result
    from massprops_cli.tables.cells.units import Units


_RARE_PROBABILITY = 1e-4
"""A smaller probability is written as a power of ten, its complement as 1 minus that."""
_UNKNOWN_INTERVALS = "unknown: masses or sigmas missing below it"
"""Replaces the intervals of an item that has none."""
_ORIGIN_NOTE = "coordinates in conditions are from the origin of the table, not from the datum"
_RULE_OF_THREE = 3.0
"""With no hit in n samples, the probability is below 3/n with 95 % confidence."""


def _probability_text(one: Probability, symbols: Symbols = UNICODE) -> str:
    """Write a probability with the digits that distinguish it from 1, or that its standard error supports."""
    if not isfinite(one.value):
        return "unknown"
    if one.n:
        return _sampled_probability_text(one, symbols)
    return _certainty_text(one.value, one.opposite, one.accuracy).replace("−", "-" if symbols is ASCII else "−")


def _certainty_text(value: float, opposite: float, accuracy: float) -> str:
    """Write a probability to the second digit of itself or of its complement, whichever is smaller."""
    least = min(value, opposite)
    if least < accuracy:
        return f"< {accuracy:.0e}" if value < opposite else f"> 1 − {accuracy:.0e}"
    if least == 0:
        return "100 %" if value else "0 %"
    if least < _RARE_PROBABILITY:
        return f"{least:.1e}" if value < opposite else f"1 − {least:.1e}"
    return rounded_text(100 * value, min(decimal_exponent(100 * least, 2) - 1, -1)) + " %"


def _sampled_probability_text(one: Probability, symbols: Symbols) -> str:
    """Write a share of samples with its standard error; for all or none of them, the bound by the rule of three."""
    if one.value in (0.0, 1.0):
        bound = 100 * min(_RULE_OF_THREE / one.n, 1.0)
        last = min(decimal_exponent(bound, 1), 0)
        return f"< {rounded_text(bound, last)} %" if one.value == 0 else f"> {rounded_text(100 - bound, last)} %"
    return f"({value_with_sigma(100 * one.value, 100 * one.error, symbols)}) %"


def answer_blocks(result: Result, symbols: Symbols, datum: Point | None = None) -> list[PageBlock]:
    """Lay out the requested probabilities and intervals: docs/formulas.md, section 11."""
    blocks: list[PageBlock] = []
    if result.probabilities:
        blocks += [Line(), *_probability_blocks(result.probabilities, result.root_item, symbols)]
        if datum is not None and any(_is_about_center(one) for one in result.probabilities):
            blocks.append(text_line(TextSpan(f"  {_ORIGIN_NOTE}", "dim"), hang=2))
    for name, found in result.intervals:
        blocks += [Line(), *_interval_blocks(_shift_intervals(found, datum), name, result.bom.units, symbols)]
        blocks += (
            []
            if found
            else [text_line(TextSpan(f"intervals of {name}", "strong"), "  ", TextSpan(_UNKNOWN_INTERVALS, "warn"))]
        )
    return blocks


def answer_markdown(result: Result, datum: Point | None = None) -> list[str]:
    """Write the requested probabilities and intervals as Markdown: docs/formulas.md, section 11."""
    return _probability_markdown(
        result.probabilities, [(name, _shift_intervals(found, datum)) for name, found in result.intervals]
    )


def _is_about_center(one: Probability) -> bool:
    """Whether a condition is on the centre of mass, so that it depends on the origin."""
    region = one.requested.region
    return not isinstance(region, ResultRange) or SAMPLED_RESULTS[region.result] in CENTER


def _shift_intervals(found: Sequence[Interval], datum: Point | None) -> list[Interval]:
    """Shift the intervals of the centre to another origin."""
    origin = dict(zip(CENTER, datum or (0.0, 0.0, 0.0), strict=True))
    moves = [origin.get(one.name, 0.0) for one in found]
    return [
        replace(one, value=one.value - move, low=one.low - move, high=one.high - move)
        for one, move in zip(found, moves, strict=True)
    ]


def _probability_blocks(found: Sequence[Probability], root: int, symbols: Symbols) -> list[PageBlock]:
    """Return a line per condition: the item unless it is the root, the probability, and the method."""
    lines: list[PageBlock] = []
    for one in found:
        query = one.requested
        head = "" if query.item == root else f"{query.name}: "
        words = _condition_text(one, symbols)
        sign, text = _equation_text(one, symbols)
        value = TextSpan(text, "strong" if isfinite(one.value) else "warn")
        lines.append(
            text_line(
                TextSpan(head, "strong"), words, f" {sign} ", value, TextSpan(f"  ({_source_text(one)})", "dim"), hang=2
            )
        )
    return lines


def _condition_text(one: Probability, symbols: Symbols) -> str:
    """Write a condition as a probability: P(mass ≤ 850 kg)."""
    words = one.requested.words
    if symbols is ASCII:
        return f"P({words.replace('≤', '<=').replace('≥', '>=')})"
    # a * that leaves an axis out stays; one between units becomes a dot
    return f"P({re.sub(r'[A-Za-z0-9^]+[*][A-Za-z0-9^*]+', lambda unit: unit_text(unit[0], symbols), words)})"


def _equation_text(one: Probability, symbols: Symbols) -> tuple[str, str]:
    """Return the sign between condition and probability, ``=`` unless it is a bound, and the probability."""
    text = _probability_text(one, symbols)
    return (text[:2].strip(), text[2:]) if text[0] in "<>" else ("=", text)


def _source_text(one: Probability) -> str:
    """Return the method of a probability."""
    return f"{one.n:,} {one.how}" if one.n else one.how


def _interval_blocks(found: Sequence[Interval], name: str, units: Units, symbols: Symbols) -> list[PageBlock]:
    """Show the intervals of one item at one level, rounded to the second digit of the sigma; no block without any."""
    if not found:
        return []
    head = text_line(
        TextSpan(f"{_level_percent(found[0].level)} intervals of {name}", "strong"),
        TextSpan(f"  ({found[0].how})", "dim"),
        hang=2,
    )
    rows = [
        [
            TextSpan(one.name, "dim"),
            *map(TextSpan, _interval_end_texts(one)),
            TextSpan(unit_text(_interval_unit(one.name, units), symbols), "dim"),
        ]
        for one in found
    ]
    return [head, Grid(rows, "lddl")]


def _interval_end_texts(one: Interval) -> tuple[str, str]:
    """Round the ends of an interval to the second digit of the sigma."""
    low, high = (_number_to_sigma_digit(end, one.sigma) for end in (one.low, one.high))
    return low, high


def _number_to_sigma_digit(value: float, sigma: float) -> str:
    """Write a number to the second digit of a sigma; without a sigma, to six digits."""
    if not sigma > 0 or value == 0:
        return formatted_number(value)
    last = decimal_exponent(sigma, 2) - 1
    if last >= -12 and decimal_exponent(value, 2) < 7:
        return rounded_text(value, last)
    return formatted_number(value, max(decimal_exponent(value, 2) - last + 1, 1))


def _level_percent(level: float) -> str:
    """Write a level as a percentage."""
    return f"{100 * level:.10g} %"


def _interval_unit(name: str, units: Units) -> str:
    """Return the unit of a result."""
    return units.mass if name == "mass" else units.inertia if name.startswith("I") else units.length


def _probability_markdown(
    found: Sequence[Probability], intervals: Sequence[tuple[str, Sequence[Interval]]]
) -> list[str]:
    """Write probabilities and intervals as tables in Markdown; nothing if none is requested."""
    lines: list[str] = []
    if found:
        lines += ["", "## Probabilities", "", "| item | condition | probability | method |", "|---|---|--:|---|"]
    for one in found:
        cells = (one.requested.name, _condition_text(one, UNICODE), _probability_text(one), _source_text(one))
        lines.append("| " + " | ".join(map(escape_markdown_cell, cells)) + " |")
    for name, ends in intervals:
        if not ends:
            lines += [
                "",
                f"## Intervals of {escape_markdown_cell(name)}",
                "",
                f"{_UNKNOWN_INTERVALS[0].upper()}{_UNKNOWN_INTERVALS[1:]}.",
            ]
        else:
            head = f"## {_level_percent(ends[0].level)} intervals of {escape_markdown_cell(name)}"
            lines += ["", head, "", f"Method: {ends[0].how}.", "", "| quantity | low | high |", "|---|--:|--:|"]
        for end in ends:
            lines.append("| " + " | ".join(map(escape_markdown_cell, (end.name, *_interval_end_texts(end)))) + " |")
    return lines
