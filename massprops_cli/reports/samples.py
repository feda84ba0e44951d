"""Sampled distributions on the screen: percentiles, a histogram a line, and how they agree with first order.

The sheet Samples: what a simulation gave for the root and the items asked for, a column a result.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from massprops_cli.bom import SAMPLED_RESULT_NAMES, result_header
from massprops_cli.files import SAMPLES_HEAD, SAMPLES_SHEET, CellLook, CellValue, OutputSheet
from massprops_cli.reports.page import (
    Grid,
    Line,
    PageBlock,
    SideBySide,
    Symbols,
    TextSpan,
    decimal_exponent,
    formatted_number,
    histogram_text,
    level_text,
    number_and_sigma,
    rounded_text,
    text_line,
    unit_text,
    units_words,
    value_number_format,
)
from massprops_cli.rollups import PERCENTILES

if TYPE_CHECKING:
    from massprops_cli.bom import ItemSamples, Result, SampledResult
    from massprops_cli.rollups import SampleDifference


_HISTOGRAM_BARS, _NARROW_HISTOGRAM_BARS = 16, 8
"""Bars of a histogram on one line, on a wide screen and on a narrow one."""
_PREDICTION_TOLERANCE = 4.0
"""Statistical errors within which a mean lies where second order expects it."""


def sample_blocks(result: Result, symbols: Symbols, level: int = 1) -> list[PageBlock]:
    """Show what was sampled of the root and of each item asked for; nothing where nothing was sampled."""
    return [block for item in result.samples for block in (Line(), _item_samples_block(result, item, symbols, level))]


def _item_samples_block(result: Result, item: ItemSamples, symbols: Symbols, level: int) -> PageBlock:
    """Show what was sampled of one item, and how it compares with theory."""
    units = f" ({units_words(result, symbols)})" if result.bom.units.stated else ""
    title = text_line(
        TextSpan(result.bom.ids[item.item], "strong"), TextSpan(f"  sampled {item.n:,} times{units}", "dim")
    )
    if not item.results:
        return text_line(*title.spans, TextSpan("; not all masses and sigmas below it are known", "warn"))
    beside = f"  beside first and second order ({symbols.plus_minus} is the statistical error)"
    compared = _agreement_grid(result, item.results, symbols, level)
    differences = difference_lines(item.differences, symbols)
    drawn = _distribution_grid(result, item.results, symbols, level)
    return SideBySide([title, drawn], [text_line(TextSpan(beside, "dim")), compared, *differences])


def difference_lines(differences: Sequence[SampleDifference], symbols: Symbols) -> list[Line]:
    """Warn where samples and theory differ by more than accident, a line a reason."""
    grouped: dict[tuple[str, str], list[SampleDifference]] = {}
    for one in differences:
        reason = "as second order predicts" if _is_as_predicted(one) else one.reason
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
        lines.append(
            text_line("  ", TextSpan("differs ", "warn"), f"{what} by {by} statistical errors; {reason}", hang=10)
        )
    return lines


def _is_as_predicted(one: SampleDifference) -> bool:
    """Tell whether a mean lies where second order expects it."""
    return one.kind == "mean" and abs(one.found - one.expected) <= _PREDICTION_TOLERANCE * one.error


def _difference_words(one: SampleDifference, sigma: str) -> str:
    """Say where one result differs from theory, and why."""
    by = f"by {abs(one.errors_off):.0f} statistical errors: {one.reason}"
    return f"{sigma} is not that of first order, {by}" if one.kind == "sigma" else f"the mean is not the value, {by}"


def _distribution_grid(result: Result, results: Sequence[SampledResult], symbols: Symbols, level: int) -> Grid:
    """Give mean, sigma, percentiles and histogram of each result, a row each."""
    from massprops_cli.rollups import PERCENTILES

    sign = symbols.sigma if level == 1 else level_text(level, symbols)
    heads = ["", "mean", sign, *(f"P{percent:g}" for percent in PERCENTILES), "", ""]
    rows = [[TextSpan(text, "dim") for text in heads]]
    brief = [[*row[:-2], row[-1]] for row in rows]
    for one in results:
        numbers = [sampled_number_text(value, one.sigma) for value in (one.mean, *one.percentiles.tolist())]
        numbers.insert(1, sampled_number_text(level * one.sigma, level * one.sigma))
        cells = [TextSpan(one.name, "dim"), *map(TextSpan, numbers)]
        unit = TextSpan(unit_text(sampled_result_unit(result, one), symbols), "dim")
        rows.append([*cells, unit, TextSpan(histogram_text(_rebin_histogram(one, _HISTOGRAM_BARS), symbols), "bar")])
        brief.append([*cells, TextSpan(histogram_text(_rebin_histogram(one, _NARROW_HISTOGRAM_BARS), symbols), "bar")])
    least = Grid(
        [row[:-1] for row in brief], "l" + "r" * 7, narrow=Grid([row[:5] + row[7:8] for row in brief], "lrrrrr")
    )
    return Grid(rows, "l" + "d" * 7 + "ll", narrow=Grid(brief, "l" + "r" * 7 + "l", narrow=least))


def _agreement_grid(result: Result, results: Sequence[SampledResult], symbols: Symbols, level: int) -> Grid:
    """Give sampled sigmas beside first order and shifts of the mean beside second order, with statistical errors."""
    sign = symbols.sigma if level == 1 else level_text(level, symbols)
    heads = ["", f"{sign} sampled", "", "first order", "mean shifts", "", "second order", ""]
    rows = [[TextSpan(text, "dim") for text in heads]]
    for one in results:
        sigma, error = level * one.sigma, level * one.sigma_error
        rows.append(
            [
                TextSpan(one.name, "dim"),
                *map(TextSpan, number_and_sigma(sigma, error, symbols)),
                TextSpan(sampled_number_text(level * one.first_order, error)),
                *map(TextSpan, number_and_sigma(one.shift, one.shift_error, symbols)),
                TextSpan(sampled_number_text(one.predicted, one.shift_error) if isfinite(one.predicted) else ""),
                TextSpan(unit_text(sampled_result_unit(result, one), symbols), "dim"),
            ]
        )
    brief = [
        [TextSpan(text, "dim") for text in ("", sign, "", "1st order", "shift", "", "2nd order")],
        *(row[:-1] for row in rows[1:]),
    ]
    return Grid(rows, "ldsddsdl", narrow=Grid(brief, "lrlrrlr"))


def sampled_result_unit(result: Result, one: SampledResult) -> str:
    """Give the unit of a sampled result."""
    from massprops_cli.bom import coherent_unit

    return coherent_unit(result, one.name if one.name not in ("I1", "I2", "I3") else f"principal_{one.name[1]}")


def sampled_number_text(value: float, sigma: float) -> str:
    """Write a number to the second digit of a sigma, as it would stand beside it; a dash for one not known.

    >>> sampled_number_text(12.3456, 0.0234), sampled_number_text(float("nan"), 1.0), sampled_number_text(12.3456, 0.0), sampled_number_text(3e9, 2e7)
    ('12.346', '-', '12.3456', '3.00000e+09')
    """
    if not isfinite(value):
        return "-"
    if not (isfinite(sigma) and sigma > 0):
        return formatted_number(value)
    last = decimal_exponent(sigma, 2) - 1
    if last < -12 or (value and decimal_exponent(value, 2) >= 7):
        return formatted_number(value)
    return rounded_text(value, last)


def _rebin_histogram(one: SampledResult, bars: int) -> list[float]:
    """Count a histogram again in a few bars of one width, which leave out 2 in 1000 samples at either end.

    A result that never differs has none.
    """
    if not one.sigma > 0:
        return []
    reached = np.concatenate([[0.0], np.cumsum(one.counts)])
    low, high = np.interp(np.array([0.002, 0.998]) * reached[-1], reached, one.edges)
    counts = np.diff(np.interp(np.linspace(low, high, bars + 1), one.edges, reached))
    return [float(count) for count in counts]


_SheetRow = list[CellValue]


def samples_sheet(result: Result, level: int = 1) -> OutputSheet:
    """Put mean, sigma, percentiles, agreement with theory and histogram of every sampled result on a sheet.

    The bars of a histogram are of one width, and the outermost hold all that lies beyond. A roll-up that drew no
    samples says so, since a workbook may hold those of an earlier one.
    """
    items = result.samples
    if not items:
        told: list[_SheetRow] = [[*SAMPLES_HEAD], ["none drawn in the last roll-up"]]
        return OutputSheet(SAMPLES_SHEET, told, autofilter=False, own=True, only_replaces=True)
    defined = [name for name in SAMPLED_RESULT_NAMES if any(one.name == name for item in items for one in item.results)]
    units = {one.name: sampled_result_unit(result, one) for item in items for one in item.results}
    rows: list[_SheetRow] = [[*SAMPLES_HEAD, *(result_header(name, units[name]) for name in defined)]]
    looks: dict[tuple[int, int], CellLook] = {}
    values: list[list[float]] = [[] for _ in defined]
    for item in items:
        by_name = {one.name: one for one in item.results}
        columns = [by_name.get(name) for name in defined]
        name = result.bom.ids[item.item]
        for words, numbers in _statistics_rows(columns, level):
            rows.append([name, words, *numbers])
            for column, number in zip(values, numbers, strict=True):
                column.append(number)
        rows.append([name, "remark", *(_difference_remark(item, name) for name in defined)])
        for words, counts in _histogram_rows(columns):
            if words.startswith("bar "):  # counts, in the number format of no column
                looks |= {(len(rows), k): CellLook.TEXT for k in range(2, 2 + len(defined))}
            rows.append([name, words, *counts])
    formats = {2 + k: code for k, column in enumerate(values) if (code := value_number_format(np.array(column)))}
    widths = [14, 24, *[16] * len(defined)]
    return OutputSheet(
        SAMPLES_SHEET, rows, widths=widths, number_formats=formats, looks=looks, frozen_columns=2, own=True
    )


def _statistics_rows(columns: Sequence[SampledResult | None], level: int) -> Iterator[tuple[str, list[float]]]:
    """Give rows of numbers, one a result: what was sampled, and what theory says."""

    def row(name: str, times: int = 1) -> list[float]:
        return [float("nan") if one is None else times * float(getattr(one, name)) for one in columns]

    yield "mean", row("mean")
    yield result_header("sigma", "", level), row("sigma", level)
    for k, percent in enumerate(PERCENTILES):
        yield f"P{percent:g}", [float("nan") if one is None else float(one.percentiles[k]) for one in columns]
    yield result_header("sigma to first order", "", level), row("first_order", level)
    yield result_header("error of sigma", "", level), row("sigma_error", level)
    yield "shift of mean", row("shift")
    yield "error of shift", row("shift_error")
    yield "shift to second order", row("predicted")


def _difference_remark(item: ItemSamples, name: str) -> str | None:
    """Say where a result differs from theory by more than accident."""
    return "; ".join(_difference_words(one, "σ") for one in item.differences if one.result == name) or None


def _histogram_rows(columns: Sequence[SampledResult | None]) -> Iterator[tuple[str, _SheetRow]]:
    """Give rows of a histogram a column: where its bars begin, how wide they are, and their counts."""
    drawn = [one if one is not None and len(one.counts) else None for one in columns]
    yield "first bar from", [None if one is None else float(one.edges[0]) for one in drawn]
    yield "width of a bar", [None if one is None else float(one.edges[1] - one.edges[0]) for one in drawn]
    for k in range(max((len(one.counts) for one in drawn if one is not None), default=0)):
        counts = [None if one is None or k >= len(one.counts) else float(one.counts[k]) for one in drawn]
        yield f"bar {k + 1}", [*counts]
