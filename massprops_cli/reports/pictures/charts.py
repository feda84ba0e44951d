"""Charts of a report: bars, contributors, waterfall, use of limits, histogram."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.reports.page.conventions import formatted_number, percent_text
from massprops_cli.reports.pictures.svg import Picture, Scale, fitted_text, text_width

_ROW, _LEFT, _WIDTH = 22.0, 250.0, 640.0  # height of a row, width of its name, width of a picture


class ChartBar(NamedTuple):
    """A row of a chart: its name, the ends of its bar, the text next to it, a mark and a colour."""

    name: str
    start: float
    end: float
    text: str
    role: str = "blue"
    sigma: float = 0.0


def bar_chart(
    title: str,
    description: str,
    rows: Sequence[ChartBar],
    axis: str,
    marks: Sequence[float] = (),
    line: Sequence[float] = (),
) -> Picture:
    """Draw horizontal bars with ±1σ and a text each, vertical lines at marks, a line through a value of each row."""
    picture = Picture(title, description, _WIDTH, 44 + _ROW * len(rows))
    ends = [v for row in rows for v in (row.start, row.end, row.end - row.sigma, row.end + row.sigma)]
    ends = [v for v in (*ends, *marks, *line) if math.isfinite(v)] or [0.0]
    room = min(max(text_width(row.text, 11) for row in rows) + 16, 200)
    left = min(max(text_width(row.name, 12) for row in rows) + 16, _LEFT)
    scale = Scale(min(ends), max(ends), left, _WIDTH - room)
    bottom = 8 + _ROW * len(rows)
    picture.x_axis(scale, bottom, axis, top=4)
    for k, row in enumerate(rows):
        top = 8 + _ROW * k
        middle = top + _ROW / 2
        picture.text(left - 8, middle + 4, fitted_text(row.name, left - 12, 12), anchor="end")
        first, last = sorted((scale(row.start), scale(row.end)))
        picture.bar(first, top + 4, max(last, first + 1), top + _ROW - 4, row.role, f"{row.name}: {row.text}")
        if row.sigma > 0:
            low, high = scale(row.end - row.sigma), scale(row.end + row.sigma)
            picture.line(((low, middle), (high, middle)), "ink", 1.2)
            picture.line(((low, middle - 3), (low, middle + 3)), "ink", 1.2)
            picture.line(((high, middle - 3), (high, middle + 3)), "ink", 1.2)
        at = max(last, scale(row.end + row.sigma)) + 6
        width = text_width(row.text, 11)
        at = max([at, *(scale(mark) + 6 for mark in marks if at - 4 < scale(mark) < at + width)])
        picture.text(_WIDTH - room + 10 if line else at, middle + 4, row.text, size=11)
    for mark in marks:
        picture.line(((scale(mark), 4), (scale(mark), bottom)), "red", 1.6, dash="5 3")
    points = [(scale(value), 8 + _ROW * (k + 0.5)) for k, value in enumerate(line)]
    if points:
        picture.line(points, "orange", 1.5)
    for (x, y), value in zip(points, line, strict=True):
        picture.dot(x, y, "orange", 3, f"{value:.3g}", edge="paper")
    return picture


def pareto_chart(title: str, description: str, rows: Sequence[tuple[str, float, float]]) -> Picture:
    """Draw shares of a variance as bars, with the cumulative share as a line of dots."""
    bars = [ChartBar(name, 0.0, 100 * share, percent_text(share)) for name, share, _ in rows]
    sums = [100 * min(one[2], 1.0) for one in rows]
    return bar_chart(title, description, bars, "share of the variance [%]; dots: cumulative", line=sums)


def waterfall_chart(
    title: str,
    description: str,
    ends: tuple[tuple[str, float], tuple[str, float]],
    steps: Sequence[tuple[str, float, str]],
    axis: str,
) -> Picture:
    """Draw a change as steps from one value to another; each step begins where the one before ends."""
    (old, before), (new, after) = ends
    at, rows = before, list[ChartBar]()
    for name, change, text in steps:
        rows.append(ChartBar(name, at, at + change, text, "orange" if change > 0 else "teal"))
        at += change
    values = [before, after, *(row.start for row in rows), *(row.end for row in rows)]
    low, high = min(values), max(values)
    foot = low - 0.15 * ((high - low) or abs(high) or 1.0)
    begin = ChartBar(old, foot, before, formatted_number(before), "grey")
    last = ChartBar(new, foot, after, formatted_number(after), "grey")
    return bar_chart(title, description, [begin, *rows, last], axis)


def limit_chart(title: str, description: str, rows: Sequence[tuple[str, float, str, str]]) -> Picture:
    """Draw how much of each limit is used: name, share used, text, state; the line is the whole."""
    colours = {"kept": "green", "waived": "amber", "broken": "red"}
    bars = [
        ChartBar(name, 0.0, 100 * min(used, 2.0), text, colours.get(state, "grey")) for name, used, text, state in rows
    ]
    return bar_chart(title, description, bars, "limit used [%]", (100.0,))


def histogram_chart(
    title: str,
    description: str,
    bars: tuple[NDArray[np.float64], NDArray[np.float64]],
    normal: tuple[float, float],
    axis: str,
) -> Picture:
    """Draw a histogram of samples, edges (b + 1,) and counts (b,), with the normal curve of mean and σ."""
    edges, counts = bars
    density = counts / (counts.sum() * np.diff(edges))
    mean, sigma = normal
    x = np.linspace(edges[0], edges[-1], 121)
    curve = np.zeros_like(x)
    if sigma > 0:
        curve = np.exp(-0.5 * ((x - mean) / sigma) ** 2) / (sigma * math.sqrt(2 * math.pi))
    picture = Picture(title, description, _WIDTH, 240)
    across, up = (
        Scale(float(edges[0]), float(edges[-1]), 20, 620),
        Scale(0.0, float(max(density.max(), curve.max())), 190, 24),
    )
    for k, value in enumerate(density.tolist()):
        picture.bar(across(edges[k]), up(value), across(edges[k + 1]), 190, "blue-tint", f"{int(counts[k]):,} samples")
    if sigma > 0:
        picture.line([(across(a), up(b)) for a, b in zip(x.tolist(), curve.tolist(), strict=True)], "orange", 1.8)
        picture.text(620, 18, "line: normal distribution of first order", "orange", 11, "end")
    picture.text(20, 18, "bars: samples", "blue", 11)
    picture.x_axis(across, 190, axis)
    return picture
