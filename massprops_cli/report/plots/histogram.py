"""A picture of samples: how the results of one item are spread, and how first order would have it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.filling.filling import coherent_unit
from massprops_cli.bom.items.arrays import body_column, sigma_to_first_order, value_of_items
from massprops_cli.bom.items.sets import RADII
from massprops_cli.findings import UsageError
from massprops_cli.report.number_text import unit_text, with_sigma
from massprops_cli.report.page import FULL
from massprops_cli.report.plots.canvas import BLUE, DARK, GREY, ORANGE, bare, drawing, titled
from massprops_cli.rollup.montecarlo.request import PERCENTS, RESULTS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from massprops_cli.bom.answers.result import Result
    from massprops_cli.rollup.montecarlo.sampling import Watched

Floats = NDArray[np.float64]
ROWS = (("mass",), ("Cx", "Cy", "Cz"), ("Ixx", "Iyy", "Izz"), ("Ixy", "Ixz", "Iyz"), RADII)
"""How the panels stand when all results are drawn."""
LABELLED = (5.0, 50.0, 95.0)
"""The percentiles that an axis is marked with, where there are many panels."""
BESIDE = 0.55
"""How far an axis goes on beyond P5 and P95, as a share of what is between them."""


class Spread(NamedTuple):
    """One result of one item: histogram of its samples, percentiles (those of ``PERCENTS``), value and sigma.

    ``sigma`` is that to first order, NaN where it is not known.
    """

    name: str
    unit: str
    edges: Floats
    counts: Floats
    percentiles: Floats
    value: float
    sigma: float


def histogram_plot(result: Result, path: str, item: str | None = None, of: Sequence[str] = RESULTS) -> None:
    """Draw histograms of an item's samples with their percentiles, under the normal curves that first order gives.

    ``item`` is an id that was watched, the root without; ``of`` are results, one to fill the picture. Raises UsageError
    where nothing was sampled, without Matplotlib (extra ``plot``), and for a suffix that is not svg, png or pdf.
    """
    spreads = {name: spread_of(result, watched_item(result, item), name) for name in of}
    shown = [[spreads[name] for name in row if name in spreads and varies(spreads[name])] for row in ROWS]
    shown = [row for row in shown if row]
    if not shown:
        raise UsageError("nothing that was asked for varies, so there is no histogram to draw")
    name = result.bom.ids[result.root_item] if item is None else item
    n = int(max(float(spread.counts.sum()) for row in shown for spread in row))
    is_one = len(shown) == 1 and len(shown[0]) == 1
    height = 4.0 if is_one else 0.75 + 1.4 * len(shown)
    with drawing(path, 7.2, height) as figure:
        marks = "percentiles" if is_one else "P5, P50 and P95"
        titled(figure, f"How uncertain {name} is", f"{n:,} samples, marked at {marks}")
        explain(figure, height)
        for j, row in enumerate(shown):
            for k, spread in enumerate(row):
                box = (0.04, 0.65, 0.92, 2.3) if is_one else (0.02 + 0.33 * k, height - 1.95 - 1.4 * j, 0.3, 0.85)
                axes = figure.add_axes((box[0], box[1] / height, box[2], box[3] / height))
                draw_spread(axes, spread, PERCENTS if is_one else LABELLED)


def watched_item(result: Result, item: str | None) -> Watched:
    """Find the samples of an item."""
    sampled = result.rollup.sampled
    if sampled is None:
        raise UsageError("there are no samples to draw; ask for uncertainty montecarlo")
    number = result.root_item if item is None else result.bom.item(item)
    for watched in sampled.watched:
        if watched.item == number:
            return watched
    raise UsageError(f"the samples of {item} were not kept; name it with items (--item)")


def spread_of(result: Result, watched: Watched, name: str) -> Spread:
    """Take one result of a watched item."""
    q, i, rollup = RESULTS.index(name), watched.item, result.rollup
    values = value_of_items(rollup, name) if name in RADII else body_column(rollup.bodies, name)
    sigmas = sigma_to_first_order(rollup, f"sigma_{name}")
    return Spread(
        name,
        unit_text(coherent_unit(result, name), FULL),
        watched.edges[q],
        watched.counts[q].astype(float),
        watched.percentiles[:, q],
        float("nan") if values is None else float(values[i]),
        float("nan") if sigmas is None else float(sigmas[i]),
    )


def varies(spread: Spread) -> bool:
    """Tell whether there is anything to draw."""
    return len(spread.counts) > 0 and bool(np.isfinite(spread.percentiles).all()) and float(np.ptp(spread.edges)) > 0


def explain(figure: Figure, height: float) -> None:
    """Name the colours in their own colour, in the line of the subtitle."""
    y = 1 - 0.42 / height
    figure.text(0.98, y, "normal, by first order", color=ORANGE, fontsize=9, fontweight="bold", ha="right", va="top")
    figure.text(0.745, y, "samples", color=BLUE, fontsize=9, fontweight="bold", ha="right", va="top")


def draw_spread(axes: Axes, spread: Spread, percents: Sequence[float]) -> None:
    """Draw one histogram and the normal curve over it; the axis is marked at the percentiles."""
    widths = np.diff(spread.edges)
    density = spread.counts / (spread.counts.sum() * widths)
    axes.stairs(density, spread.edges, fill=True, color=BLUE, alpha=0.45, linewidth=0)
    if spread.sigma > 0 and np.isfinite(spread.value):
        x = np.linspace(spread.edges[0], spread.edges[-1], 300)
        normal = np.exp(-0.5 * ((x - spread.value) / spread.sigma) ** 2) / (spread.sigma * np.sqrt(2 * np.pi))
        axes.plot(x, normal, color=ORANGE, linewidth=1.3)
    at = [float(spread.percentiles[PERCENTS.index(percent)]) for percent in percents]
    for percent, value in zip(percents, at, strict=True):
        k = int(np.clip(np.searchsorted(spread.edges, value) - 1, 0, len(density) - 1))
        axes.plot([value, value], [0, density[k]], color=DARK, linewidth=0.9 if percent == 50 else 0.5)
    mark(axes, percents, at)
    axes.set_yticks([])
    beside = BESIDE * (at[-1] - at[0])
    axes.set_xlim(max(at[0] - beside, spread.edges[0]), min(at[-1] + beside, spread.edges[-1]))
    axes.set_ylim(0, None)
    bare(axes, "left")
    axes.tick_params(axis="x", labelsize=8, pad=2)
    text = f"{with_sigma(spread.value, spread.sigma, FULL)} {spread.unit}".rstrip()
    axes.text(0, 1.06, spread.name, transform=axes.transAxes, fontsize=10, fontweight="bold")
    axes.text(1, 1.06, text, transform=axes.transAxes, ha="right", fontsize=8, color=GREY)


def mark(axes: Axes, percents: Sequence[float], at: Sequence[float]) -> None:
    """Mark the axis at percentiles, with their names where there are more than the three that the subtitle names.

    Values are written to the second digit of a sigma; labels that would touch make way to the side or downwards.
    """
    sigma = (at[-1] - at[0]) / (2 * 1.645)
    texts = [with_sigma(value, sigma, FULL).partition(" ")[0].lstrip("(") for value in at]
    if len(percents) > len(LABELLED):
        texts = [f"{text}\nP{percent:.0f}" for text, percent in zip(texts, percents, strict=True)]
        texts[3] = "\n\n" + texts[3]
    axes.set_xticks(at, texts)
    labels = axes.get_xticklabels()
    if len(percents) == len(LABELLED):
        labels[0].set_horizontalalignment("right")
        labels[-1].set_horizontalalignment("left")
