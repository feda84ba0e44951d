"""A picture of what makes a sigma or a mass: the largest rows as bars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.answers.contributions import Contributions
from massprops_cli.bom.answers.pareto import MassPareto
from massprops_cli.findings import UsageError
from massprops_cli.report.number_text import number_text, percent, unit_text, with_sigma
from massprops_cli.report.page import FULL, shortened
from massprops_cli.report.plots.canvas import BLUE, DARK, GREEN, GREY, ORANGE, bare, drawing, titled

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]

WIDTH, LABEL = 7.2, 0.55
"""Inches that a picture is wide, and that a share takes at the end of its bar."""
ROWS_MOST = 60
"""A picture has no more rows than that, whatever is asked for."""
NAME_MOST = 30
"""Longer names are cut."""
SOURCES = (("mass", BLUE, slice(0, 1)), ("centre", ORANGE, slice(1, 4)), ("inertia", GREEN, slice(4, 10)))
"""Kinds of inputs, their colours and their places in the ten."""


class Bars(NamedTuple):
    """Rows of a bar chart, the largest first.

    ``lengths (s, r)`` are the shares of r rows by s kinds of sources, ``cumulative (r,)`` those of all down to a row.
    """

    names: list[str]
    lengths: Floats
    cumulative: Floats
    rest: str
    rest_share: float


def pareto_plot(answer: Contributions | MassPareto, path: str, top: int = 12) -> None:
    """Draw the ``top`` rows of a budget, or the heaviest leaves, as bars, 60 at most; svg, png or pdf by the suffix.

    Bars of a budget are split into errors of masses, of centres and of inertias. Raises UsageError without Matplotlib
    (extra ``plot``), for another suffix and where nothing is uncertain, OutputError where the file cannot be written.
    """
    top = min(top, ROWS_MOST)
    if isinstance(answer, MassPareto):
        title = f"What makes the mass of {answer.id}"
        subtitle = f"{number_text(answer.total)} {unit_text(answer.unit, FULL)}".rstrip() + "; shares of the mass"
        bars, sources = bars_of_mass(answer, top), [("", BLUE)]
    else:
        value = f"{with_sigma(answer.value, answer.sigma, FULL)} {unit_text(answer.unit, FULL)}".rstrip()
        title = f"What makes the uncertainty of {answer.of} of {answer.id}"
        subtitle = f"{answer.of} = {value}; shares of the variance"
        bars, sources = bars_of_budget(answer, top), [(words, colour) for words, colour, _ in SOURCES]
    if not bars.names:
        raise UsageError("every share is 0, so there is nothing to draw")
    n = len(bars.names) + bool(bars.rest)
    height = 1.15 + 0.27 * n
    left = 0.04 + 0.0098 * min(max(map(len, [*bars.names, bars.rest])), NAME_MOST)
    with drawing(path, WIDTH, height) as figure:
        titled(figure, title, subtitle)
        axes = figure.add_axes((left, 0.25 / height, 0.88 - left, 0.27 * n / height))
        draw_bars(figure, axes, bars, sources)


def bars_of_budget(answer: Contributions, top: int) -> Bars:
    """Take the largest rows of a budget with the kinds of their sources."""
    rows = [row for row in answer.rows(top) if row.share]
    variance = answer.budget.variance or 1.0
    parts = answer.budget.parts[:, : len(rows)]
    lengths = np.array([parts[place].sum(axis=0) for *_, place in SOURCES]) / variance
    left = len(answer) - len(rows)
    cumulative = np.array([row.cumulative for row in rows])
    rest = max(1.0 - float(cumulative[-1]), 0.0) if rows else 0.0
    return Bars(
        [f"{row.name}  {row.label}".rstrip() for row in rows],
        lengths,
        cumulative,
        f"{left:,} more" if left and rest else "",
        rest,
    )


def bars_of_mass(answer: MassPareto, top: int) -> Bars:
    """Take the heaviest leaves."""
    rows = list(answer.rows(top))
    left = len(answer) - len(rows)
    cumulative = np.array([row.cumulative for row in rows])
    rest = 1.0 - float(cumulative[-1]) if left else 0.0
    lengths = np.array([[row.share for row in rows]])
    return Bars(
        [f"{row.name}  {row.label}".rstrip() for row in rows],
        lengths,
        cumulative,
        f"{left:,} more" if left else "",
        rest,
    )


def draw_bars(figure: Figure, axes: Axes, bars: Bars, sources: Sequence[tuple[str, str]]) -> None:
    """Draw bars from the top down, each with its share at its end and the sum so far at the margin."""
    from matplotlib.transforms import blended_transform_factory

    n = len(bars.names)
    places = np.arange(n)
    start = np.zeros(n)
    for length, (_, colour) in zip(bars.lengths, sources, strict=True):
        axes.barh(places, length, left=start, color=colour, height=0.72, linewidth=0)
        start = start + length
    names = [shortened(name, NAME_MOST, FULL) for name in bars.names]
    if bars.rest:
        names.append(bars.rest)
    ends = [*start.tolist(), *([0.0] if bars.rest else [])]
    shares = [*start.tolist(), bars.rest_share]
    for k, (end, share) in enumerate(zip(ends, shares, strict=False)):
        axes.annotate(percent(share), (max(end, 0.0), k), (4, 0), textcoords="offset points", va="center", fontsize=8)
    sums = ["sum", *(percent(float(min(share, 1.0))) for share in bars.cumulative)]
    for k, text in enumerate(sums):
        at_margin = blended_transform_factory(figure.transFigure, axes.transData)
        axes.text(
            0.97, k - 1 + 0.2 * (k == 0), text, transform=at_margin, ha="right", va="center", color=GREY, fontsize=8
        )
    widest, least = max(ends, default=0.0) or 1.0, min([*ends, 0.0])
    width = float(axes.get_position().width) * WIDTH
    most = widest + (widest - least) * LABEL / (width - LABEL)
    axes.set(yticks=range(len(names)), yticklabels=names, ylim=(len(names) - 0.5, -0.5), xlim=(least, most))
    axes.set_xticks([])
    bare(axes, "bottom", "left")
    axes.tick_params(axis="y", colors=DARK, labelsize=9)
    shown = [source for source, length in zip(sources, bars.lengths, strict=True) if source[0] and length.any()]
    if shown:
        legend(axes, shown)


def legend(axes: Axes, sources: Sequence[tuple[str, str]]) -> None:
    """Name the colours in their own colour, side by side above the bars."""
    from matplotlib.offsetbox import AnnotationBbox, HPacker, TextArea

    look = {"fontsize": 8.5, "fontweight": "bold"}
    words: list[Artist] = [TextArea("errors of", textprops={"fontsize": 8.5, "color": GREY})]
    words += [TextArea(text, textprops={"color": colour, **look}) for text, colour in sources]
    box = AnnotationBbox(
        HPacker(children=words, sep=6, pad=0),
        (0, 1),
        xycoords="axes fraction",
        xybox=(0, 7),
        boxcoords="offset points",
        box_alignment=(0, 0.5),
        frameon=False,
        pad=0,
    )
    axes.add_artist(box)
