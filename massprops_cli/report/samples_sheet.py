"""The sheet Samples: what a simulation gave for the root and the items asked for, a row a result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from massprops_cli.bom.filling import headed
from massprops_cli.bom.samples import samples_of
from massprops_cli.files.workbook.reading.sheets import SAMPLES, SAMPLES_HEAD
from massprops_cli.files.workbook.writing.sheet import CellValue, Sheet
from massprops_cli.report.samples_view import difference_words, unit_of
from massprops_cli.rollup.montecarlo.sampling import PERCENTS

if TYPE_CHECKING:
    from massprops_cli.bom.result import Result
    from massprops_cli.bom.samples import ItemSamples, SampledResult


def samples_sheet(result: Result, level: int = 1) -> Sheet:
    """Put mean, sigma, percentiles, agreement with theory and histogram of every sampled result on a sheet.

    The bars of a histogram are of one width; the outermost hold all that lies beyond. A roll-up that drew no samples
    says so, since a workbook may hold those of an earlier one.
    """
    header: list[CellValue] = [*SAMPLES_HEAD, "mean", headed("sigma", "", level)]
    header += [f"P{percent:g}" for percent in PERCENTS]
    header += [headed("sigma to first order", "", level), headed("error of sigma", "", level)]
    header += ["shift of mean", "error of shift", "shift to second order", "remark", "first bar from", "width of a bar"]
    drawn = samples_of(result)
    if not drawn:
        told: list[list[CellValue]] = [header, ["none drawn in the last roll-up"]]
        return Sheet(SAMPLES, told, autofilter=False, own=True, only_replaces=True)
    rows = [row_of(result, one, of, level) for one in drawn for of in one.results]
    bars = max(len(of.counts) for one in drawn for of in one.results)
    header += [f"bar {k}" for k in range(1, bars + 1)]
    formats = dict.fromkeys([3, 4, *range(5, 5 + len(PERCENTS)), *range(10, 15), 16, 17], "0.0000E+00")
    widths = [14, 8, 10, *[12] * 12, 50, *[12] * 2, *[7] * bars]
    return Sheet(SAMPLES, [header, *rows], widths=widths, number_formats=formats, frozen_columns=2, own=True)


def row_of(result: Result, item: ItemSamples, one: SampledResult, level: int) -> Sequence[CellValue]:
    """Give one result of one item, a value a column of the header; the counts of its histogram last."""
    numbers = [one.mean, level * one.sigma, *one.percentiles.tolist(), level * one.first_order]
    numbers += [level * one.sigma_error, one.shift, one.shift_error, one.predicted]
    remark = "; ".join(difference_words(off, "σ") for off in item.differences if off.result == one.name)
    first, width = (float(one.edges[0]), float(one.edges[1] - one.edges[0])) if len(one.counts) else (None, None)
    cells: list[CellValue] = [result.bom.ids[item.item], one.name, unit_of(result, one) or None]
    return [*cells, *numbers, remark or None, first, width, *one.counts.tolist()]
