"""The sheet Samples: what a simulation gave for the root and the items asked for, a column a result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from massprops_cli.bom.filling.filling import headed
from massprops_cli.bom.outcome.samples import NAMES
from massprops_cli.files.workbook.reading.sheets import SAMPLES, SAMPLES_HEAD
from massprops_cli.files.workbook.writing.sheet import CellValue, Look, Sheet
from massprops_cli.report.number_formats import format_of_values
from massprops_cli.report.samples_view import difference_words, unit_of
from massprops_cli.rollup.montecarlo.request import PERCENTS

if TYPE_CHECKING:
    from massprops_cli.bom.answers.result import Result
    from massprops_cli.bom.outcome.samples import ItemSamples, SampledResult

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
