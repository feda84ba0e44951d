"""Plots: histograms of Monte Carlo samples, contributors as bars. The same results give a file with the same bytes."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.contributions import Contribution, Contributions, MassPareto, MassShare
from massprops_cli.bom.items.result_columns import RADII, body_column, first_order_sigma, item_quantity_values
from massprops_cli.bom.results.table_edit import coherent_unit
from massprops_cli.findings.finding import UsageError
from massprops_cli.options import wrong_word_text
from massprops_cli.reports.page.conventions import formatted_number, percent_text, unit_text, value_with_sigma
from massprops_cli.reports.page.page import UNICODE, shorten_text
from massprops_cli.rollups.inputs import PERCENTILES, SAMPLED_RESULTS

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from massprops_cli.bom.results.result import Result
    from massprops_cli.rollups.montecarlo.samples import SampledDistribution

_PICTURE_FORMATS = {".svg": "svg", ".png": "png", ".pdf": "pdf"}
_BLUE, _ORANGE, _GREEN, _PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
_DARK, _GREY, _PALE = "#222222", "#767676", "#D9D9D9"
"""Colours for colour vision deficiency (Okabe and Ito), and greys."""
_PLOT_STYLE: dict[Any, Any] = {
    "font.family": "DejaVu Sans",  # included in Matplotlib, so plots are the same everywhere
    "font.size": 9,
    "text.color": _DARK,
    "axes.edgecolor": _GREY,
    "axes.labelcolor": _GREY,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "xtick.color": _GREY,
    "ytick.color": _GREY,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "text.parse_math": False,  # ids may hold dollar signs
    "svg.hashsalt": "massprops",
    "savefig.dpi": 160,
}
_NOTEBOOK_DPI = 110
_NEUTRAL_METADATA: dict[str, dict[str, Any]] = {
    "svg": {"Date": None, "Creator": None},
    "png": {"Software": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}
"""Metadata that would differ between two plots of the same results."""
_Floats = NDArray[np.float64]
_PANEL_ROWS = (("mass",), ("Cx", "Cy", "Cz"), ("Ixx", "Iyy", "Izz"), ("Ixy", "Ixz", "Iyz"), RADII)
_LABELLED_PERCENTILES = (5.0, 50.0, 95.0)
_AXIS_EXTENSION = 0.55  # extension of an axis beyond P5 and P95, as a share of P95 − P5
_PICTURE_WIDTH, _LABEL_WIDTH = 7.2, 0.55  # width of a plot, and of the share at the end of a bar, in inches
_MAX_BAR_ROWS = 60
_MAX_NAME_LENGTH = 30
_ERROR_SOURCES = (("mass", _BLUE, slice(0, 1)), ("CG", _ORANGE, slice(1, 4)), ("inertia", _GREEN, slice(4, 10)))
"""Kinds of inputs, their colours and their positions in the ten quantities."""


def picture_format(name: str, others: Sequence[str] = ()) -> str:
    """Return the plot format of a file name."""
    if (found := _PICTURE_FORMATS.get(Path(name).suffix.lower())) is None:
        raise UsageError(f"{name}: unknown plot format; the suffix is one of {', '.join((*_PICTURE_FORMATS, *others))}")
    return found


def require_matplotlib() -> None:
    """Check that Matplotlib is installed."""
    from importlib.util import find_spec

    if find_spec("matplotlib") is None:
        raise UsageError("plots need Matplotlib: pip install 'massprops[plot]'")


@contextmanager
def plot_style() -> Iterator[None]:
    """Set the style of plots; raises UsageError without Matplotlib."""
    require_matplotlib()
    import matplotlib as mpl

    with mpl.rc_context(_PLOT_STYLE):
        yield


@cache
def _figure_class() -> type[Figure]:
    """Return a class of figures that notebooks show without pyplot."""
    from matplotlib.figure import Figure

    class PlotFigure(Figure):
        """A figure with its picture for notebooks."""

        def _repr_png_(self) -> bytes:
            """Return the figure as PNG for notebooks."""
            out = io.BytesIO()
            with plot_style():
                _write_figure(self, out, "png", dpi=_NOTEBOOK_DPI)
            return out.getvalue()

    return PlotFigure


def new_figure(width: float, height: float) -> Figure:
    """Make an empty figure."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure = _figure_class()(figsize=(width, height))
    FigureCanvasAgg(figure)
    return figure


def _write_figure(figure: Figure, out: BinaryIO, kind: str, **options: Any) -> None:
    """Write a figure in a format."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")  # characters missing in the font are drawn as boxes
        figure.savefig(out, format=kind, metadata=_NEUTRAL_METADATA[kind], **options)


def save_figure(path: str, draw: Callable[[], Figure], *, replaces: bool = True) -> None:
    """Draw a figure and write it to a file, completely or not at all."""
    kind = picture_format(path)
    from massprops_cli.files.writer import atomic_file

    with plot_style():
        figure = draw()
        with atomic_file(path, replaces=replaces) as out:
            _write_figure(figure, out, kind)


def draw_title(figure: Figure, title: str, subtitle: str) -> None:
    """Write a title and a line below it, in the uppermost 0.6 inches."""
    height = figure.get_figheight()
    title, subtitle = shorten_text(title, 60, UNICODE), shorten_text(subtitle, 110, UNICODE)
    figure.text(0.02, 1 - 0.12 / height, title, fontsize=13, fontweight="bold", va="top")
    figure.text(0.02, 1 - 0.42 / height, subtitle, fontsize=9, color=_GREY, va="top")


def hide_spines(axes: Axes, *sides: str) -> None:
    """Hide the spines of some sides, and the ticks."""
    for side in sides:
        axes.spines[side].set_visible(False)
    axes.tick_params(length=0)


def histogram_plot(
    result: Result, path: str, item: str | None = None, of: Sequence[str] = SAMPLED_RESULTS, *, replaces: bool = True
) -> None:
    """Write histograms of an item's samples, with percentiles and first-order normals: docs/formulas.md, section 7."""
    save_figure(path, lambda: histogram_figure(result, item, of), replaces=replaces)


def histogram_figure(result: Result, item: str | None = None, of: Sequence[str] = SAMPLED_RESULTS) -> Figure:
    """Draw histograms of the samples of an item, with first-order normal curves: docs/formulas.md, section 7."""
    if unknown := [name for name in of if name not in SAMPLED_RESULTS]:
        raise UsageError(wrong_word_text("of", unknown[0], SAMPLED_RESULTS))
    watched = _watched_samples(result, item) if of else None
    panels = [
        [name for name in row if name in of and watched is not None and _has_variation(watched, name)]
        for row in _PANEL_ROWS
    ]
    shown = [row for row in panels if row]
    if watched is None or not shown:
        raise UsageError("no requested result varies: no histogram to draw")
    title = f"Mass property distributions, {result.bom.ids[result.root_item] if item is None else item}"
    n = max(int(watched.counts[SAMPLED_RESULTS.index(name)].sum()) for row in shown for name in row)
    is_one = len(shown) == 1 and len(shown[0]) == 1
    height = 4.0 if is_one else 0.75 + 1.4 * len(shown)
    with plot_style():
        figure = new_figure(7.2, height)
        marks = "percentiles" if is_one else "P5, P50 and P95"
        draw_title(figure, title, f"Monte Carlo, {n:,} samples; marks: {marks}")
        y = 1 - 0.42 / height
        figure.text(0.98, y, "first order, normal", color=_ORANGE, fontsize=9, fontweight="bold", ha="right", va="top")
        figure.text(0.745, y, "samples", color=_BLUE, fontsize=9, fontweight="bold", ha="right", va="top")
        for j, row in enumerate(shown):
            for k, name in enumerate(row):
                box = (0.04, 0.65, 0.92, 2.3) if is_one else (0.02 + 0.33 * k, height - 1.95 - 1.4 * j, 0.3, 0.85)
                axes = figure.add_axes((box[0], box[1] / height, box[2], box[3] / height))
                _draw_histogram(axes, result, watched, name, PERCENTILES if is_one else _LABELLED_PERCENTILES)
    return figure


def _watched_samples(result: Result, item: str | None) -> SampledDistribution:
    """Find the samples of an item."""
    if (sampled := result.rollup.sampled) is None:
        raise UsageError("no samples to draw (requires uncertainty montecarlo)")
    number = result.root_item if item is None else result.bom.item(item)
    for watched in sampled.watched:
        if watched.item == number:
            return watched
    raise UsageError(f"no samples of {item} (request them with items, --item)")


def _has_variation(watched: SampledDistribution, name: str) -> bool:
    """Whether there is anything to draw."""
    q = SAMPLED_RESULTS.index(name)
    has_numbers = len(watched.counts[q]) > 0 and bool(np.isfinite(watched.percentiles[:, q]).all())
    return has_numbers and float(np.ptp(watched.edges[q])) > 0


def _draw_histogram(
    axes: Axes, result: Result, watched: SampledDistribution, name: str, percents: Sequence[float]
) -> None:
    """Draw the histogram of one result with the normal curve; the axis is marked at the percentiles."""
    q, rollup = SAMPLED_RESULTS.index(name), result.rollup
    edges, counts = watched.edges[q], watched.counts[q].astype(float)
    values = item_quantity_values(rollup, name) if name in RADII else body_column(rollup.bodies, name)
    sigmas = first_order_sigma(rollup, f"sigma_{name}")
    mean, sigma = (float("nan") if one is None else float(one[watched.item]) for one in (values, sigmas))
    density = counts / (counts.sum() * np.diff(edges))
    axes.stairs(density, edges, fill=True, color=_BLUE, alpha=0.45, linewidth=0)
    if sigma > 0 and np.isfinite(mean):
        x = np.linspace(edges[0], edges[-1], 300)
        normal = np.exp(-0.5 * ((x - mean) / sigma) ** 2) / (sigma * np.sqrt(2 * np.pi))
        axes.plot(x, normal, color=_ORANGE, linewidth=1.3)
    at = [float(watched.percentiles[PERCENTILES.index(level), q]) for level in percents]
    for level, value in zip(percents, at, strict=True):
        k = int(np.clip(np.searchsorted(edges, value) - 1, 0, len(density) - 1))
        axes.plot([value, value], [0, density[k]], color=_DARK, linewidth=0.9 if level == 50 else 0.5)
    _draw_percentile_ticks(axes, percents, at)
    axes.set_yticks([])
    extension = _AXIS_EXTENSION * (at[-1] - at[0])
    axes.set_xlim(max(at[0] - extension, edges[0]), min(at[-1] + extension, edges[-1]))
    axes.set_ylim(0, None)
    hide_spines(axes, "left")
    axes.tick_params(axis="x", labelsize=8, pad=2)
    unit = unit_text(coherent_unit(result, name), UNICODE)
    text = f"{value_with_sigma(mean, sigma, UNICODE)} {unit}".rstrip()
    axes.text(0, 1.06, name, transform=axes.transAxes, fontsize=10, fontweight="bold")
    axes.text(1, 1.06, text, transform=axes.transAxes, ha="right", fontsize=8, color=_GREY)


def _draw_percentile_ticks(axes: Axes, percents: Sequence[float], at: Sequence[float]) -> None:
    """Mark the axis at percentiles, with their names if they are not in the subtitle."""
    # values are rounded to the second digit of a sigma; labels are moved so that they do not overlap
    sigma = (at[-1] - at[0]) / (2 * 1.645)
    texts = [value_with_sigma(value, sigma, UNICODE).partition(" ")[0].lstrip("(") for value in at]
    if len(percents) > len(_LABELLED_PERCENTILES):
        texts = [f"{text}\nP{percent:.0f}" for text, percent in zip(texts, percents, strict=True)]
        texts[3] = "\n\n" + texts[3]
    axes.set_xticks(at, texts)
    labels = axes.get_xticklabels()
    if len(percents) == len(_LABELLED_PERCENTILES):
        labels[0].set_horizontalalignment("right")
        labels[-1].set_horizontalalignment("left")


def pareto_plot(answer: Contributions | MassPareto, path: str, top: int = 12, *, replaces: bool = True) -> None:
    """Write the largest contributors as bars, a variance split by inputs: docs/formulas.md, section 6."""
    save_figure(path, lambda: pareto_figure(answer, top), replaces=replaces)


def pareto_figure(answer: Contributions | MassPareto, top: int = 12) -> Figure:
    """Draw the largest contributors to an uncertainty or a mass as bars: docs/formulas.md, section 6."""
    top = min(top, _MAX_BAR_ROWS)
    if isinstance(answer, MassPareto):
        title = f"Contributors to mass, {answer.id}"
        subtitle = f"{formatted_number(answer.total)} {unit_text(answer.unit, UNICODE)}".rstrip() + "; share of mass"
        rows: Sequence[MassShare | Contribution] = list(answer.rows(top))
        lengths, sources = np.array([[row.share for row in rows]]), [("", _BLUE)]
        rest = 1.0 - float(rows[-1].cumulative) if len(answer) > len(rows) else None
    else:
        value = f"{value_with_sigma(answer.value, answer.sigma, UNICODE)} {unit_text(answer.unit, UNICODE)}".rstrip()
        title = f"Contributors to {answer.of.replace('_', ' ')} uncertainty, {answer.id}"
        subtitle = f"{answer.of} = {value}; share of variance"
        rows = contributors = [row for row in answer.rows(top) if row.share]
        # shares ``(s, r)`` of r contributors by s kinds of inputs; the last two: poses, shapes
        variance = answer.budget.variance or 1.0
        parts = answer.budget.parts[:, : len(contributors)]
        lengths = np.array([parts[place].sum(axis=0) for *_, place in _ERROR_SOURCES]) / variance
        of_pose = np.array([row.kind == "pose" for row in contributors], bool)
        of_shape = answer.budget.source[: len(contributors)] != ""
        if (of_pose | of_shape).any():
            whole = lengths.sum(axis=0)
            lengths = np.vstack([np.where(of_pose | of_shape, 0.0, lengths), whole * of_pose, whole * of_shape])
        sources = [(words, colour) for words, colour, _ in _ERROR_SOURCES]
        sources += [("pose", _GREY), ("shape", _PURPLE)] if len(lengths) > len(sources) else []
        rest = max(1.0 - float(rows[-1].cumulative), 0.0) if rows else 0.0
        rest = rest if rest and len(answer) > len(rows) else None
    if not rows:
        raise UsageError("all shares are 0: nothing to draw")
    names = [f"{row.name}  {row.label}".rstrip() for row in rows]
    names += [] if rest is None else [f"{len(answer) - len(rows):,} more"]
    height = 1.15 + 0.27 * len(names)
    left = 0.04 + 0.0098 * min(max(map(len, names)), _MAX_NAME_LENGTH)
    with plot_style():
        figure = new_figure(_PICTURE_WIDTH, height)
        draw_title(figure, title, subtitle)
        axes = figure.add_axes((left, 0.25 / height, 0.88 - left, 0.27 * len(names) / height))
        _draw_bars(axes, names, lengths, rest, sources)
        shares = [float(row.cumulative) for row in rows]
        from matplotlib.transforms import blended_transform_factory

        look: dict[str, Any] = {"ha": "right", "va": "center", "color": _GREY, "fontsize": 8}
        for k, text in enumerate(["cumulative", *(percent_text(min(share, 1.0)) for share in shares)]):
            at_margin = blended_transform_factory(figure.transFigure, axes.transData)
            axes.text(0.97, k - 1 + 0.2 * (k == 0), text, transform=at_margin, **look)
        shown = [source for source, length in zip(sources, lengths, strict=True) if source[0] and length.any()]
        if shown:
            _draw_source_legend(axes, shown)
    return figure


def _draw_bars(
    axes: Axes, names: list[str], lengths: _Floats, rest: float | None, sources: Sequence[tuple[str, str]]
) -> None:
    """Draw the bars ``(s, r)`` by kind of input, each with its share at the end, and the share of the rest."""
    start = np.zeros(lengths.shape[1])
    for length, (_, colour) in zip(lengths, sources, strict=True):
        axes.barh(np.arange(len(start)), length, left=start, color=colour, height=0.72, linewidth=0)
        start = start + length
    ends, shares = start.tolist(), start.tolist()
    if rest is not None:
        ends.append(0.0)
        shares.append(rest)
    look: dict[str, Any] = {"textcoords": "offset points", "va": "center", "fontsize": 8}
    for k, (end, share) in enumerate(zip(ends, shares, strict=True)):
        axes.annotate(percent_text(share), (max(end, 0.0), k), (4, 0), **look)
    widest, least = max(ends, default=0.0) or 1.0, min([*ends, 0.0])
    width = float(axes.get_position().width) * _PICTURE_WIDTH
    most = widest + (widest - least) * _LABEL_WIDTH / (width - _LABEL_WIDTH)
    labels = [shorten_text(name, _MAX_NAME_LENGTH, UNICODE) for name in names]
    axes.set(yticks=range(len(names)), yticklabels=labels, ylim=(len(names) - 0.5, -0.5), xlim=(least, most))
    axes.set_xticks([])
    hide_spines(axes, "bottom", "left")
    axes.tick_params(axis="y", colors=_DARK, labelsize=9)


def _draw_source_legend(axes: Axes, sources: Sequence[tuple[str, str]]) -> None:
    """Write the legend, in colour, above the bars."""
    from matplotlib.offsetbox import AnnotationBbox, HPacker, TextArea

    look = {"fontsize": 8.5, "fontweight": "bold"}
    words: list[Artist] = [TextArea("uncertainty of", textprops={"fontsize": 8.5, "color": _GREY})]
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
