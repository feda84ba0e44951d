"""Sampled distributions on the screen: percentiles, a histogram a line, and how they agree with first order.

The sheet Samples: what a simulation gave for the root and the items asked for, a column a result.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from massprops_cli.bom.fill import headed
from massprops_cli.bom.samples import NAMES
from massprops_cli.files.workbook.sheet_xml import CellValue, Look, Sheet
from massprops_cli.files.workbook.sheets import SAMPLES, SAMPLES_HEAD
from massprops_cli.reports.conventions import level_text, units_words
from massprops_cli.reports.number_text import (
    exponent,
    format_of_values,
    number_and_sigma,
    number_text,
    rounded,
    unit_text,
)
from massprops_cli.reports.page import Beside, Block, Grid, Line, Span, Symbols, histogram_of, say
from massprops_cli.rollups.montecarlo.samples import PERCENTS

if TYPE_CHECKING:
    from massprops_cli.bom.result import Result
    from massprops_cli.bom.samples import ItemSamples, SampledResult
    from massprops_cli.rollups.montecarlo.agreement import Difference


BARS, FEW_BARS = 16, 8
"""Bars of a histogram on one line, on a wide screen and on a narrow one."""
AS_PREDICTED = 4.0
"""Statistical errors within which a mean lies where second order expects it."""


def sample_blocks(result: Result, symbols: Symbols, level: int = 1) -> list[Block]:
    """Show what was sampled of the root and of each item asked for; nothing where nothing was sampled."""
    return [block for item in result.samples for block in (Line(), item_block(result, item, symbols, level))]


def item_block(result: Result, item: ItemSamples, symbols: Symbols, level: int) -> Block:
    """Show what was sampled of one item, and how it compares with theory."""
    units = f" ({units_words(result, symbols)})" if result.bom.units.stated else ""
    title = say(Span(result.bom.ids[item.item], "strong"), Span(f"  sampled {item.n:,} times{units}", "dim"))
    if not item.results:
        return say(*title.spans, Span("; not all masses and sigmas below it are known", "warn"))
    beside = f"  beside first and second order ({symbols.plus_minus} is the statistical error)"
    compared = agreement_grid(result, item.results, symbols, level)
    differences = difference_lines(item.differences, symbols)
    drawn = distribution_grid(result, item.results, symbols, level)
    return Beside([title, drawn], [say(Span(beside, "dim")), compared, *differences])


def difference_lines(differences: Sequence[Difference], symbols: Symbols) -> list[Line]:
    """Warn where samples and theory differ by more than accident, a line a reason."""
    grouped: dict[tuple[str, str], list[Difference]] = {}
    for one in differences:
        reason = "as second order predicts" if is_as_predicted(one) else one.reason
        grouped.setdefault((one.kind, reason), []).append(one)
    lines = []
    for (kind, reason), ones in grouped.items():
        names = ", ".join(one.result for one in ones)
        off = [abs(one.errors_off) for one in ones]
        by = " to ".join(dict.fromkeys((f"{min(off):.0f}", f"{max(off):.0f}")))
        what = (
            f"{symbols.sigma} of {names}: not that of first order"
            if kind == "sigma"
            else f"mean of {names}: beside the value"
        )
        lines.append(say("  ", Span("differs ", "warn"), f"{what} by {by} statistical errors; {reason}", hang=10))
    return lines


def is_as_predicted(one: Difference) -> bool:
    """Tell whether a mean lies where second order expects it."""
    return one.kind == "mean" and abs(one.found - one.expected) <= AS_PREDICTED * one.error


def difference_words(one: Difference, sigma: str) -> str:
    """Say where one result differs from theory, and why."""
    by = f"by {abs(one.errors_off):.0f} statistical errors: {one.reason}"
    return f"{sigma} is not that of first order, {by}" if one.kind == "sigma" else f"the mean is not the value, {by}"


def distribution_grid(result: Result, results: Sequence[SampledResult], symbols: Symbols, level: int) -> Grid:
    """Give mean, sigma, percentiles and histogram of each result, a row each."""
    from massprops_cli.rollups.montecarlo.samples import PERCENTS

    sign = symbols.sigma if level == 1 else level_text(level, symbols)
    heads = ["", "mean", sign, *(f"P{percent:g}" for percent in PERCENTS), "", ""]
    rows = [[Span(text, "dim") for text in heads]]
    brief = [[*row[:-2], row[-1]] for row in rows]
    for one in results:
        numbers = [rounded_to(value, one.sigma) for value in (one.mean, *one.percentiles.tolist())]
        numbers.insert(1, rounded_to(level * one.sigma, level * one.sigma))
        cells = [Span(one.name, "dim"), *map(Span, numbers)]
        unit = Span(unit_text(unit_of(result, one), symbols), "dim")
        rows.append([*cells, unit, Span(histogram_of(rebinned(one, BARS), symbols), "bar")])
        brief.append([*cells, Span(histogram_of(rebinned(one, FEW_BARS), symbols), "bar")])
    least = Grid(
        [row[:-1] for row in brief], "l" + "r" * 7, narrow=Grid([row[:5] + row[7:8] for row in brief], "lrrrrr")
    )
    return Grid(rows, "l" + "d" * 7 + "ll", narrow=Grid(brief, "l" + "r" * 7 + "l", narrow=least))


def agreement_grid(result: Result, results: Sequence[SampledResult], symbols: Symbols, level: int) -> Grid:
    """Give sampled sigmas beside first order and shifts of the mean beside second order, with statistical errors."""
    sign = symbols.sigma if level == 1 else level_text(level, symbols)
    heads = ["", f"{sign} sampled", "", "first order", "mean shifts", "", "second order", ""]
    rows = [[Span(text, "dim") for text in heads]]
    for one in results:
        sigma, error = level * one.sigma, level * one.sigma_error
        rows.append(
            [
                Span(one.name, "dim"),
                *map(Span, number_and_sigma(sigma, error, symbols)),
                Span(rounded_to(level * one.first_order, error)),
                *map(Span, number_and_sigma(one.shift, one.shift_error, symbols)),
                Span(rounded_to(one.predicted, one.shift_error) if isfinite(one.predicted) else ""),
                Span(unit_text(unit_of(result, one), symbols), "dim"),
            ]
        )
    brief = [
        [Span(text, "dim") for text in ("", sign, "", "1st order", "shift", "", "2nd order")],
        *(row[:-1] for row in rows[1:]),
    ]
    return Grid(rows, "ldsddsdl", narrow=Grid(brief, "lrlrrlr"))


def unit_of(result: Result, one: SampledResult) -> str:
    """Give the unit of a sampled result."""
    from massprops_cli.bom.fill import coherent_unit

    return coherent_unit(result, one.name if one.name not in ("I1", "I2", "I3") else f"principal_{one.name[1]}")


def rounded_to(value: float, sigma: float) -> str:
    """Write a number to the second digit of a sigma, as it would stand beside it; a dash for one not known.

    >>> rounded_to(12.3456, 0.0234), rounded_to(float("nan"), 1.0), rounded_to(12.3456, 0.0), rounded_to(3e9, 2e7)
    ('12.346', '-', '12.3456', '3.00000e+09')
    """
    if not isfinite(value):
        return "-"
    if not (isfinite(sigma) and sigma > 0):
        return number_text(value)
    last = exponent(sigma, 2) - 1
    if last < -12 or (value and exponent(value, 2) >= 7):
        return number_text(value)
    return rounded(value, last)


def rebinned(one: SampledResult, bars: int) -> list[float]:
    """Count a histogram again in a few bars of one width, which leave out 2 in 1000 samples at either end.

    A result that never differs has none.
    """
    if not one.sigma > 0:
        return []
    reached = np.concatenate([[0.0], np.cumsum(one.counts)])
    low, high = np.interp(np.array([0.002, 0.998]) * reached[-1], reached, one.edges)
    counts = np.diff(np.interp(np.linspace(low, high, bars + 1), one.edges, reached))
    return [float(count) for count in counts]


Row = list[CellValue]


def samples_sheet(result: Result, level: int = 1) -> Sheet:
    """Put mean, sigma, percentiles, agreement with theory and histogram of every sampled result on a sheet.

    The bars of a histogram are of one width, and the outermost hold all that lies beyond. A roll-up that drew no
    samples says so, since a workbook may hold those of an earlier one.
    """
    items = result.samples
    if not items:
        told: list[Row] = [[*SAMPLES_HEAD], ["none drawn in the last roll-up"]]
        return Sheet(SAMPLES, told, autofilter=False, own=True, only_replaces=True)
    defined = [name for name in NAMES if any(one.name == name for item in items for one in item.results)]
    units = {one.name: unit_of(result, one) for item in items for one in item.results}
    rows: list[Row] = [[*SAMPLES_HEAD, *(headed(name, units[name]) for name in defined)]]
    looks: dict[tuple[int, int], Look] = {}
    values: list[list[float]] = [[] for _ in defined]
    for item in items:
        by_name = {one.name: one for one in item.results}
        columns = [by_name.get(name) for name in defined]
        name = result.bom.ids[item.item]
        for words, numbers in statistics(columns, level):
            rows.append([name, words, *numbers])
            for column, number in zip(values, numbers, strict=True):
                column.append(number)
        rows.append([name, "remark", *(remark(item, name) for name in defined)])
        for words, counts in bars(columns):
            if words.startswith("bar "):  # counts, in the number format of no column
                looks |= {(len(rows), k): Look.TEXT for k in range(2, 2 + len(defined))}
            rows.append([name, words, *counts])
    formats = {2 + k: code for k, column in enumerate(values) if (code := format_of_values(np.array(column)))}
    widths = [14, 24, *[16] * len(defined)]
    return Sheet(SAMPLES, rows, widths=widths, number_formats=formats, looks=looks, frozen_columns=2, own=True)


def statistics(columns: Sequence[SampledResult | None], level: int) -> Iterator[tuple[str, list[float]]]:
    """Give rows of numbers, one a result: what was sampled, and what theory says."""

    def row(name: str, times: int = 1) -> list[float]:
        return [float("nan") if one is None else times * float(getattr(one, name)) for one in columns]

    yield "mean", row("mean")
    yield headed("sigma", "", level), row("sigma", level)
    for k, percent in enumerate(PERCENTS):
        yield f"P{percent:g}", [float("nan") if one is None else float(one.percentiles[k]) for one in columns]
    yield headed("sigma to first order", "", level), row("first_order", level)
    yield headed("error of sigma", "", level), row("sigma_error", level)
    yield "shift of mean", row("shift")
    yield "error of shift", row("shift_error")
    yield "shift to second order", row("predicted")


def remark(item: ItemSamples, name: str) -> str | None:
    """Say where a result differs from theory by more than accident."""
    return "; ".join(difference_words(one, "σ") for one in item.differences if one.result == name) or None


def bars(columns: Sequence[SampledResult | None]) -> Iterator[tuple[str, Row]]:
    """Give rows of a histogram a column: where its bars begin, how wide they are, and their counts."""
    drawn = [one if one is not None and len(one.counts) else None for one in columns]
    yield "first bar from", [None if one is None else float(one.edges[0]) for one in drawn]
    yield "width of a bar", [None if one is None else float(one.edges[1] - one.edges[0]) for one in drawn]
    for k in range(max((len(one.counts) for one in drawn if one is not None), default=0)):
        counts = [None if one is None or k >= len(one.counts) else float(one.counts[k]) for one in drawn]
        yield f"bar {k + 1}", [*counts]
