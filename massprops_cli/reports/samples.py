"""Monte Carlo results: percentiles, histograms and the comparison with first and second order; the sheet Samples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from massprops_cli.bom.results.samples import SAMPLED_RESULT_NAMES
from massprops_cli.bom.results.table_edit import result_header
from massprops_cli.files.workbook.sheet_xml import CellLook, CellValue, OutputSheet
from massprops_cli.files.workbook.sheets import SAMPLES_HEAD, SAMPLES_SHEET
from massprops_cli.reports.page.conventions import level_text, units_words
from massprops_cli.reports.page.number_text import (
    decimal_exponent,
    formatted_number,
    number_and_sigma,
    rounded_text,
    unit_text,
    value_number_format,
)
from massprops_cli.reports.page.page import (
    Grid,
    Line,
    PageBlock,
    SideBySide,
    Symbols,
    TextSpan,
    histogram_text,
    text_line,
)
from massprops_cli.rollups.montecarlo.samples import PERCENTILES

if TYPE_CHECKING:
    from massprops_cli.bom.results.result import Result
    from massprops_cli.bom.results.samples import ItemSamples, SampledResult
    from massprops_cli.rollups.montecarlo.agreement import SampleDifference


_HISTOGRAM_BARS, _NARROW_HISTOGRAM_BARS = 16, 8
"""Bars of a histogram, on a wide and on a narrow screen."""
_PREDICTION_TOLERANCE = 4.0
"""Standard errors within which a mean agrees with second order."""


def sample_blocks(result: Result, symbols: Symbols, level: int = 1) -> list[PageBlock]:
    """Lay out the samples of the root and of each requested item."""
    return [block for item in result.samples for block in (Line(), _item_samples_block(result, item, symbols, level))]


def _item_samples_block(result: Result, item: ItemSamples, symbols: Symbols, level: int) -> PageBlock:
    """Show the samples of one item, and the comparison with first and second order."""
    units = f" ({units_words(result, symbols)})" if result.bom.units.stated else ""
    title = text_line(
        TextSpan(result.bom.ids[item.item], "strong"), TextSpan(f"  Monte Carlo, {item.n:,} samples{units}", "dim")
    )
    if not item.results:
        return text_line(*title.spans, TextSpan("; masses or sigmas missing below it", "warn"))
    comparison = f"  compared with first and second order ({symbols.plus_minus}: standard error)"
    compared = _agreement_grid(result, item.results, symbols, level)
    differences = difference_lines(item.differences, symbols)
    drawn = _distribution_grid(result, item.results, symbols, level)
    return SideBySide([title, drawn], [text_line(TextSpan(comparison, "dim")), compared, *differences])


def difference_lines(differences: Sequence[SampleDifference], symbols: Symbols) -> list[Line]:
    """Report significant differences from first and second order, one line per reason.

    Second order: docs/formulas.md, section 7.
    """
    grouped: dict[tuple[str, str], list[SampleDifference]] = {}
    for one in differences:
        reason = "as predicted to second order" if _is_as_predicted(one) else one.reason
        grouped.setdefault((one.kind, reason), []).append(one)
    lines = []
    for (kind, reason), ones in grouped.items():
        names = ", ".join(one.result for one in ones)
        off = [abs(one.errors_off) for one in ones]
        by = " to ".join(dict.fromkeys((f"{min(off):.0f}", f"{max(off):.0f}")))
        what = (
            f"{symbols.sigma} of {names}: Monte Carlo differs from first order"
            if kind == "sigma"
            else f"mean of {names}: Monte Carlo differs from the nominal value"
        )
        lines.append(
            text_line("  ", TextSpan("differs ", "warn"), f"{what} by {by} standard errors; {reason}", hang=10)
        )
    return lines


def _is_as_predicted(one: SampleDifference) -> bool:
    """Whether a mean agrees with second order."""
    return one.kind == "mean" and abs(one.found - one.expected) <= _PREDICTION_TOLERANCE * one.error


def _difference_words(one: SampleDifference, sigma: str) -> str:
    """Describe a difference of one result, with its reason."""
    by = f"by {abs(one.errors_off):.0f} standard errors: {one.reason}"
    return (
        f"{sigma} differs from first order {by}" if one.kind == "sigma" else f"mean differs from the nominal value {by}"
    )


def _distribution_grid(result: Result, results: Sequence[SampledResult], symbols: Symbols, level: int) -> Grid:
    """Return mean, sigma, percentiles and histogram of the results, one row each."""
    from massprops_cli.rollups.montecarlo.samples import PERCENTILES

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
    """Compare sampled sigmas with first order, and shifts of the mean with second order; with standard errors."""
    sign = symbols.sigma if level == 1 else level_text(level, symbols)
    heads = ["", f"{sign} sampled", "", "first order", "mean shift", "", "second order", ""]
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
    """Return the unit of a sampled result."""
    from massprops_cli.bom.results.table_edit import coherent_unit

    return coherent_unit(result, one.name if one.name not in ("I1", "I2", "I3") else f"principal_{one.name[1]}")


def sampled_number_text(value: float, sigma: float) -> str:
    """Round a number to the second digit of its sigma."""
    if not isfinite(value):
        return "-"
    if not (isfinite(sigma) and sigma > 0):
        return formatted_number(value)
    last = decimal_exponent(sigma, 2) - 1
    if last < -12 or (value and decimal_exponent(value, 2) >= 7):
        return formatted_number(value)
    return rounded_text(value, last)


def _rebin_histogram(one: SampledResult, bars: int) -> list[float]:
    """Rebin a histogram into a few bars of equal width, without 0.2 % of the samples at either end."""
    if not one.sigma > 0:
        return []
    reached = np.concatenate([[0.0], np.cumsum(one.counts)])
    low, high = np.interp(np.array([0.002, 0.998]) * reached[-1], reached, one.edges)
    counts = np.diff(np.interp(np.linspace(low, high, bars + 1), one.edges, reached))
    return [float(count) for count in counts]


_SheetRow = list[CellValue]


def samples_sheet(result: Result, level: int = 1) -> OutputSheet:
    """Write mean, sigma, percentiles, comparison and histogram of each sampled result to a sheet.

    Outermost bars include all samples beyond. Without samples a note replaces those of an earlier run.
    """
    items = result.samples
    if not items:
        note: list[_SheetRow] = [[*SAMPLES_HEAD], ["no samples in the last roll-up"]]
        return OutputSheet(SAMPLES_SHEET, note, autofilter=False, own=True, only_replaces=True)
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
    """Return rows of numbers, one column per result: samples, and first and second order."""

    def row(name: str, times: int = 1) -> list[float]:
        return [float("nan") if one is None else times * float(getattr(one, name)) for one in columns]

    yield "mean", row("mean")
    yield result_header("sigma", "", level), row("sigma", level)
    for k, percent in enumerate(PERCENTILES):
        yield f"P{percent:g}", [float("nan") if one is None else float(one.percentiles[k]) for one in columns]
    yield result_header("sigma, first order", "", level), row("first_order", level)
    yield result_header("standard error of sigma", "", level), row("sigma_error", level)
    yield "mean shift", row("shift")
    yield "standard error of shift", row("shift_error")
    yield "shift, second order", row("predicted")


def _difference_remark(item: ItemSamples, name: str) -> str | None:
    """Describe the significant differences of a result."""
    return "; ".join(_difference_words(one, "σ") for one in item.differences if one.result == name) or None


def _histogram_rows(columns: Sequence[SampledResult | None]) -> Iterator[tuple[str, _SheetRow]]:
    """Return rows of the histograms: start of the first bar, bar width, counts."""
    drawn = [one if one is not None and len(one.counts) else None for one in columns]
    yield "start of first bar", [None if one is None else float(one.edges[0]) for one in drawn]
    yield "width of bars", [None if one is None else float(one.edges[1] - one.edges[0]) for one in drawn]
    for k in range(max((len(one.counts) for one in drawn if one is not None), default=0)):
        counts = [None if one is None or k >= len(one.counts) else float(one.counts[k]) for one in drawn]
        yield f"bar {k + 1}", [*counts]
