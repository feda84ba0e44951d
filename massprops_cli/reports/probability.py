"""Probabilities of limits, and samples of a Monte Carlo run with their histograms."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from massprops_cli.bom.results.table_edit import coherent_unit, result_header
from massprops_cli.bom.results.uncertainty import SAMPLED_RESULT_NAMES, ItemSamples, SampledResult
from massprops_cli.files.workbook.cells import SAMPLES_HEAD, SAMPLES_SHEET
from massprops_cli.files.workbook.sheet_xml import CellLook, CellValue, OutputSheet
from massprops_cli.reports.page import conventions
from massprops_cli.reports.page.findings import escape_markdown_cell, markdown_table
from massprops_cli.reports.page.page import (
    ASCII,
    UNICODE,
    Grid,
    Line,
    PageBlock,
    SideBySide,
    Symbols,
    TextSpan,
    histogram_text,
    text_line,
)
from massprops_cli.reports.summary import CENTER, Point
from massprops_cli.rollups.inputs import PERCENTILES, SAMPLED_RESULTS
from massprops_cli.rollups.regions import ResultRange

if TYPE_CHECKING:
    from massprops_cli.bom.results.probability import Interval, Probability
    from massprops_cli.bom.results.result import Result
    from massprops_cli.rollups.montecarlo.agreement import SampleDifference
    from massprops_cli.tables.cells.units import Units

_HISTOGRAM_BARS, _NARROW_HISTOGRAM_BARS = 16, 8  # bars of a histogram, on a wide and on a narrow screen
_PREDICTION_TOLERANCE = 4.0  # standard errors within which a mean agrees with second order
_SheetRow = list[CellValue]
_RARE_PROBABILITY = 1e-4  # a smaller probability is written as a power of ten, its complement as 1 minus that
_UNKNOWN_INTERVALS = "unknown: masses or sigmas missing below it"  # replaces the intervals of an item that has none
_ORIGIN_NOTE = "coordinates in conditions are from the origin of the table, not from the datum"
_RULE_OF_THREE = 3.0  # with no hit in n samples, the probability is below 3/n with 95 % confidence


def sample_blocks(result: Result, symbols: Symbols, level: int = 1, *, in_full: bool = True) -> list[PageBlock]:
    """Lay out the samples of the root and of each requested item; ``in_full`` with the comparison of every result."""
    blocks = (_item_samples_block(result, item, symbols, level, in_full) for item in result.samples)
    return [block for made in blocks for block in (Line(), made)]


def _item_samples_block(result: Result, item: ItemSamples, symbols: Symbols, level: int, in_full: bool) -> PageBlock:
    """Show the samples of one item, and where they differ from first and second order."""
    units = f" ({conventions.units_words(result, symbols)})" if result.bom.units.stated else ""
    title = text_line(
        TextSpan(result.bom.ids[item.item], "strong"), TextSpan(f"  Monte Carlo, {item.n:,} samples{units}", "dim")
    )
    if not item.results:
        return text_line(*title.spans, TextSpan("; masses or sigmas missing below it", "warn"))
    differences: list[Line | Grid] = [*difference_lines(item.differences, symbols)]
    drawn = _distribution_grid(result, item.results, symbols, level)
    if in_full:
        comparison = f"  compared with first and second order ({symbols.plus_minus}: standard error)"
        compared = _agreement_grid(result, item.results, symbols, level)
        differences = [text_line(TextSpan(comparison, "dim")), compared, *differences]
    return SideBySide([title, drawn], differences)


def difference_lines(differences: Sequence[SampleDifference], symbols: Symbols) -> list[Line]:
    """Report significant differences from first and second order, a line per reason; docs/formulas.md, section 7."""
    grouped: dict[tuple[str, str], list[SampleDifference]] = {}
    for one in differences:
        is_as_predicted = one.kind == "mean" and abs(one.found - one.expected) <= _PREDICTION_TOLERANCE * one.error
        reason = "as predicted to second order" if is_as_predicted else one.reason
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


def _distribution_grid(result: Result, results: Sequence[SampledResult], symbols: Symbols, level: int) -> Grid:
    """Return mean, sigma, percentiles and histogram of the results, one row each."""
    sign = symbols.sigma if level == 1 else conventions.level_text(level, symbols)
    heads = ["", "mean", sign, *(f"P{percent:g}" for percent in PERCENTILES), "", ""]
    rows = [[TextSpan(text, "dim") for text in heads]]
    brief = [[*row[:-2], row[-1]] for row in rows]
    for one in results:
        numbers = [sampled_number_text(value, one.sigma) for value in (one.mean, *one.percentiles.tolist())]
        numbers.insert(1, sampled_number_text(level * one.sigma, level * one.sigma))
        cells = [TextSpan(one.name, "dim"), *map(TextSpan, numbers)]
        unit = TextSpan(conventions.unit_text(sampled_result_unit(result, one), symbols), "dim")
        rows.append([*cells, unit, TextSpan(histogram_text(_rebin_histogram(one, _HISTOGRAM_BARS), symbols), "bar")])
        brief.append([*cells, TextSpan(histogram_text(_rebin_histogram(one, _NARROW_HISTOGRAM_BARS), symbols), "bar")])
    least = Grid(
        [row[:-1] for row in brief], "l" + "r" * 7, narrow=Grid([row[:5] + row[7:8] for row in brief], "lrrrrr")
    )
    return Grid(rows, "l" + "d" * 7 + "ll", narrow=Grid(brief, "l" + "r" * 7 + "l", narrow=least))


def _agreement_grid(result: Result, results: Sequence[SampledResult], symbols: Symbols, level: int) -> Grid:
    """Compare sampled sigmas with first order, and shifts of the mean with second order; with standard errors."""
    sign = symbols.sigma if level == 1 else conventions.level_text(level, symbols)
    heads = ["", f"{sign} sampled", "", "first order", "mean shift", "", "second order", ""]
    rows = [[TextSpan(text, "dim") for text in heads]]
    for one in results:
        sigma, error = level * one.sigma, level * one.sigma_error
        rows.append(
            [
                TextSpan(one.name, "dim"),
                *map(TextSpan, conventions.number_and_sigma(sigma, error, symbols)),
                TextSpan(sampled_number_text(level * one.first_order, error)),
                *map(TextSpan, conventions.number_and_sigma(one.shift, one.shift_error, symbols)),
                TextSpan(sampled_number_text(one.predicted, one.shift_error) if isfinite(one.predicted) else ""),
                TextSpan(conventions.unit_text(sampled_result_unit(result, one), symbols), "dim"),
            ]
        )
    brief = [
        [TextSpan(text, "dim") for text in ("", sign, "", "1st order", "shift", "", "2nd order")],
        *(row[:-1] for row in rows[1:]),
    ]
    return Grid(rows, "ldsddsdl", narrow=Grid(brief, "lrlrrlr"))


def sampled_result_unit(result: Result, one: SampledResult) -> str:
    """Return the unit of a sampled result."""
    return coherent_unit(result, one.name if one.name not in ("I1", "I2", "I3") else f"principal_{one.name[1]}")


def sampled_number_text(value: float, sigma: float) -> str:
    """Round a number to the second digit of its sigma."""
    if not isfinite(value):
        return "-"
    if not (isfinite(sigma) and sigma > 0):
        return conventions.formatted_number(value)
    last = conventions.decimal_exponent(sigma, 2) - 1
    if last < -12 or (value and conventions.decimal_exponent(value, 2) >= 7):
        return conventions.formatted_number(value)
    return conventions.rounded_text(value, last)


def _rebin_histogram(one: SampledResult, bars: int) -> list[float]:
    """Rebin a histogram into a few bars of equal width, without 0.2 % of the samples at either end."""
    if not one.sigma > 0:
        return []
    reached = np.concatenate([[0.0], np.cumsum(one.counts)])
    low, high = np.interp(np.array([0.002, 0.998]) * reached[-1], reached, one.edges)
    return [float(count) for count in np.diff(np.interp(np.linspace(low, high, bars + 1), one.edges, reached))]


def samples_sheet(result: Result, level: int = 1) -> OutputSheet:
    """Write statistics, comparison and histogram of sampled results to a sheet; the outermost bars are open."""
    items = result.samples
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
        remarks = []
        for one in item.differences:
            what = "σ differs from first order" if one.kind == "sigma" else "mean differs from the nominal value"
            remarks.append((one.result, f"{what} by {abs(one.errors_off):.0f} standard errors: {one.reason}"))
        rows.append([name, "remark", *("; ".join(text for k, text in remarks if k == of) or None for of in defined)])
        for words, counts in _histogram_rows(columns):
            if words.startswith("bar "):  # counts, in the number format of no column
                looks |= {(len(rows), k): CellLook.TEXT for k in range(2, 2 + len(defined))}
            rows.append([name, words, *counts])
    formats = {
        2 + k: code for k, column in enumerate(values) if (code := conventions.value_number_format(np.array(column)))
    }
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


def _histogram_rows(columns: Sequence[SampledResult | None]) -> Iterator[tuple[str, _SheetRow]]:
    """Return rows of the histograms: start of the first bar, bar width, counts."""
    drawn = [one if one is not None and len(one.counts) else None for one in columns]
    yield "start of first bar", [None if one is None else float(one.edges[0]) for one in drawn]
    yield "width of bars", [None if one is None else float(one.edges[1] - one.edges[0]) for one in drawn]
    for k in range(max((len(one.counts) for one in drawn if one is not None), default=0)):
        counts = [None if one is None or k >= len(one.counts) else float(one.counts[k]) for one in drawn]
        yield f"bar {k + 1}", [*counts]


def _probability_text(one: Probability, symbols: Symbols = UNICODE) -> str:
    """Write a probability with the digits that distinguish it from 1, or that its standard error supports."""
    if not isfinite(one.value):
        return "unknown"
    if one.n:
        # write a share of samples with its standard error; for all or none of them, the bound by the rule of three
        if one.value in (0.0, 1.0):
            bound = 100 * min(_RULE_OF_THREE / one.n, 1.0)
            last = min(conventions.decimal_exponent(bound, 1), 0)
            return (
                f"< {conventions.rounded_text(bound, last)} %"
                if one.value == 0
                else f"> {conventions.rounded_text(100 - bound, last)} %"
            )
        return f"({conventions.value_with_sigma(100 * one.value, 100 * one.error, symbols)}) %"
    return certainty_text(one.value, one.opposite, one.accuracy).replace("−", "-" if symbols is ASCII else "−")


def certainty_text(value: float, opposite: float, accuracy: float) -> str:
    """Write a probability to the second digit of itself or of its complement, whichever is smaller."""
    if (least := min(value, opposite)) < accuracy:
        return f"< {accuracy:.0e}" if value < opposite else f"> 1 − {accuracy:.0e}"
    if least == 0:
        return "100 %" if value else "0 %"
    if least < _RARE_PROBABILITY:
        return f"{least:.1e}" if value < opposite else f"1 − {least:.1e}"
    return conventions.rounded_text(100 * value, min(conventions.decimal_exponent(100 * least, 2) - 1, -1)) + " %"


def answer_blocks(result: Result, symbols: Symbols, datum: Point | None = None) -> list[PageBlock]:
    """Lay out the requested probabilities and intervals: docs/formulas.md, section 11."""
    blocks: list[PageBlock] = []
    if result.probabilities:
        blocks += [Line(), *_probability_blocks(result.probabilities, result.root_item, symbols)]
        regions = [one.requested.region for one in result.probabilities]
        of_mass = [isinstance(one, ResultRange) and SAMPLED_RESULTS[one.result] not in CENTER for one in regions]
        if datum is not None and not all(of_mass):
            blocks.append(text_line(TextSpan(f"  {_ORIGIN_NOTE}", "dim"), hang=2))
    basis = "" if result.predicted is None else "basic, "
    for name, found in result.intervals:
        blocks += [Line(), *_interval_blocks(_shift_intervals(found, datum), name, result.bom.units, symbols, basis)]
    return blocks


def answer_markdown(result: Result, datum: Point | None = None) -> list[str]:
    """Write the requested probabilities and intervals as Markdown: docs/formulas.md, section 11."""
    intervals = [(name, _shift_intervals(found, datum)) for name, found in result.intervals]
    lines: list[str] = []
    if result.probabilities:
        rows = [
            (one.requested.name, _condition_text(one, UNICODE), _probability_text(one), _source_text(one))
            for one in result.probabilities
        ]
        heads = ("item", "condition", "probability", "method")
        lines += ["", "## Probabilities", "", *markdown_table(heads, "llrl", rows)]
    for name, ends in intervals:
        item = escape_markdown_cell(name)
        if not ends:
            lines += ["", f"## Intervals of {item}", "", f"{_UNKNOWN_INTERVALS[0].upper()}{_UNKNOWN_INTERVALS[1:]}."]
        else:
            lines += ["", f"## {_level_percent(ends[0].level)} intervals of {item}", "", f"Method: {ends[0].how}.", ""]
            limits = ((end.name, *_interval_end_texts(end)) for end in ends)
            lines += markdown_table(("quantity", "low", "high"), "lrr", limits)
    return lines


def _shift_intervals(found: Sequence[Interval], datum: Point | None) -> list[Interval]:
    """Shift the intervals of the centre to another origin."""
    origin = dict(zip(CENTER, datum or (0.0, 0.0, 0.0), strict=True))
    return [
        replace(one, value=one.value - move, low=one.low - move, high=one.high - move)
        for one, move in zip(found, [origin.get(one.name, 0.0) for one in found], strict=True)
    ]


def _probability_blocks(found: Sequence[Probability], root: int, symbols: Symbols) -> list[PageBlock]:
    """Return a line per condition: the item unless it is the root, the probability, and the method."""
    lines: list[PageBlock] = []
    for one in found:
        query = one.requested
        head = "" if query.item == root else f"{query.name}: "
        words = _condition_text(one, symbols)
        text = _probability_text(one, symbols)
        sign, text = (text[:2].strip(), text[2:]) if text[0] in "<>" else ("=", text)  # a bound, or a value
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
    return (
        f"P({re.sub(r'[A-Za-z0-9^]+[*][A-Za-z0-9^*]+', lambda unit: conventions.unit_text(unit[0], symbols), words)})"
    )


def _source_text(one: Probability) -> str:
    """Return the basis and the method of a probability."""
    method = f"{one.n:,} {one.how}" if one.n else one.how
    return f"{one.basis}, {method}" if one.basis else method


def _interval_blocks(
    found: Sequence[Interval], name: str, units: Units, symbols: Symbols, basis: str = ""
) -> list[PageBlock]:
    """Show the intervals of one item at one level, rounded to the second digit of the sigma, or that it has none."""
    if not found:
        return [text_line(TextSpan(f"intervals of {name}", "strong"), "  ", TextSpan(_UNKNOWN_INTERVALS, "warn"))]
    head = text_line(
        TextSpan(f"{_level_percent(found[0].level)} intervals of {name}", "strong"),
        TextSpan(f"  ({basis}{found[0].how})", "dim"),
        hang=2,
    )
    rows = []
    for one in found:
        unit = units.mass if one.name == "mass" else units.inertia if one.name.startswith("I") else units.length
        ends = map(TextSpan, _interval_end_texts(one))
        rows.append([TextSpan(one.name, "dim"), *ends, TextSpan(conventions.unit_text(unit, symbols), "dim")])
    return [head, Grid(rows, "lddl")]


def _interval_end_texts(one: Interval) -> tuple[str, str]:
    """Round the ends of an interval to the second digit of the sigma."""
    low, high = (_number_to_sigma_digit(end, one.sigma) for end in (one.low, one.high))
    return low, high


def _number_to_sigma_digit(value: float, sigma: float) -> str:
    """Write a number to the second digit of a sigma; without a sigma, to six digits."""
    if not sigma > 0 or value == 0:
        return conventions.formatted_number(value)
    last = conventions.decimal_exponent(sigma, 2) - 1
    if last >= -12 and conventions.decimal_exponent(value, 2) < 7:
        return conventions.rounded_text(value, last)
    return conventions.formatted_number(value, max(conventions.decimal_exponent(value, 2) - last + 1, 1))


def _level_percent(level: float) -> str:
    """Write a level as a percentage."""
    return f"{100 * level:.10g} %"
