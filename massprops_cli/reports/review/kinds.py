"""One picture of a report by its kind, for ``massprops plot`` and ``result.plot``, and its file: svg, png or pdf."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from massprops_cli.bom.bom import BomSource
from massprops_cli.bom.items.result_columns import first_order_sigma
from massprops_cli.bom.results.result import Result
from massprops_cli.files.writer import atomic_file
from massprops_cli.findings.finding import UsageError
from massprops_cli.options import PICTURE_KINDS, wrong_word_text
from massprops_cli.reports.page.conventions import percent_text, value_with_sigma
from massprops_cli.reports.page.page import UNICODE
from massprops_cli.reports.pictures.charts import ChartBar, bar_chart
from massprops_cli.reports.pictures.shares import amount_text, mass_branches, sunburst_picture, treemap_picture
from massprops_cli.reports.pictures.svg import PALETTE, FigureShape, Picture
from massprops_cli.reports.pictures.views import VIEWS, center_picture, side_by_side
from massprops_cli.reports.plots import new_figure, picture_format, plot_style, save_figure
from massprops_cli.reports.review.bodies import center_view, ellipsoid_pictures, histogram_pictures, pareto_picture
from massprops_cli.reports.review.content import Review, ReviewSettings
from massprops_cli.reports.review.records import limit_picture, waterfall_picture
from massprops_cli.reports.review.report import review_of_result

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MOST_BARS = 24
_NEEDS = {
    "bars": "masses", "centre": "a known centre of mass", "ellipsoid": "an inertia that a solid body can have",
    "pareto": "masses with σ", "waterfall": "an earlier revision (--baseline)", "limits": "limits (--budget)",
    "histogram": "samples (--uncertainty montecarlo)",
}  # fmt: skip
_INCH = 96.0  # pixels
_POINT = 72.0 / _INCH  # points of a pixel


def review_picture(review: Review, kind: str) -> Picture:
    """Return one picture; UsageError if its data do not exist."""
    drawn: dict[str, Callable[[Review], Picture | None]] = {
        "treemap": lambda one: treemap_picture(mass_branches(one.result, one.settings.depth), one.unit),
        "sunburst": lambda one: sunburst_picture(mass_branches(one.result, one.settings.depth), one.unit),
        "bars": _mass_bars,
        "centre": _centre,
        "ellipsoid": _ellipsoid,
        "pareto": pareto_picture,
        "waterfall": lambda one: None if one.diff is None else waterfall_picture(one.diff),
        "limits": limit_picture,
        "histogram": lambda one: next(iter(histogram_pictures(one)), None),
    }
    if kind not in drawn:
        raise UsageError(wrong_word_text("picture", kind, PICTURE_KINDS))
    if (picture := drawn[kind](review)) is None:
        raise UsageError(f"nothing to draw: {kind} needs {_NEEDS[kind]}")
    return picture


def result_picture(
    result: Result, kind: str, budget: object = None, baseline: BomSource | None = None, depth: int = 3
) -> Picture:
    """Return one picture of a roll-up."""
    return review_picture(review_of_result(result, budget, baseline, ReviewSettings(depth=depth)), kind)


def _mass_bars(review: Review) -> Picture | None:
    """Return the masses of the branches below the root as bars, with ±1σ."""
    result = review.result
    tree, count = result.bom.tree, result.bom.quantity.count
    children = tree.children(result.root_item)
    masses = result.rollup.bodies.mass[children] * count[children]
    known = np.flatnonzero(np.isfinite(masses) & (result.rollup.coverage.known_mass[children] > 0))
    order = known[np.argsort(-np.abs(masses[known]), kind="stable")][:_MOST_BARS]
    found, rows = first_order_sigma(result.rollup, "sigma_mass"), list[ChartBar]()
    whole = float(np.nan_to_num(result.rollup.bodies.mass[result.root_item]))
    for k in order.tolist():
        item, mass = int(children[k]), float(masses[k])
        sigma = float("nan") if found is None or count[item] != 1 else float(found[item])
        text = f"{value_with_sigma(mass, sigma, UNICODE)} {review.unit}".rstrip()
        text += f", {percent_text(mass / whole)}" if whole > 0 else ""
        rows.append(ChartBar(result.ids[item], 0.0, mass, text, sigma=sigma if sigma > 0 else 0.0))
    if not rows:
        return None
    words = f"{amount_text(whole, review.unit)}: " + ", ".join(f"{row.name} {row.text}" for row in rows[:8])
    axis = f"mass [{review.unit}]" if review.unit else "mass"
    return bar_chart(f"Mass of the branches of {result.ids[result.root_item]}", words, rows, axis)


def _centre(review: Review) -> Picture | None:
    """Return the views of the centre of mass next to each other: with its limits and σ if there are some."""
    if (view := center_view(review)) is None:
        return None
    title, is_detail = f"Centre of mass of {view.name}", view.has_detail
    return side_by_side(title, [center_picture(view, *axes, is_detail=is_detail) for axes in VIEWS])


def _ellipsoid(review: Review) -> Picture | None:
    """Return the views of the equivalent ellipsoid next to each other."""
    pictures = ellipsoid_pictures(review)
    title = f"Equivalent ellipsoid of {review.result.ids[review.result.root_item]}"
    return side_by_side(title, pictures) if pictures else None


def _picture_figure(picture: Picture) -> Figure:
    """Draw a picture as a figure of the same size."""
    with plot_style():
        figure = new_figure(picture.width / _INCH, picture.height / _INCH)
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set(xlim=(0, picture.width), ylim=(picture.height, 0))
        axes.set_axis_off()
        for order, shape in enumerate(picture.shapes):
            _draw_shape(axes, shape, order)
    return figure


def _draw_shape(axes: Axes, shape: FigureShape, order: int) -> None:
    """Draw a shape above those before it."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Circle, Polygon

    colour = PALETTE[shape.role][0]
    edge = PALETTE[shape.edge][0] if shape.edge else "none"
    if shape.kind == "text":
        side = {"start": "left", "middle": "center", "end": "right"}[shape.anchor]
        weight = "bold" if shape.bold else "normal"
        x, y = shape.points[0]
        size = shape.size * _POINT
        axes.text(x, y, shape.text, color=colour, zorder=order + 1, ha=side, fontweight=weight, fontsize=size)
    elif shape.kind == "line":
        xs, ys = zip(*shape.points, strict=True)
        drawn = Line2D(xs, ys, color=colour, lw=shape.size * _POINT, zorder=order + 1)
        if shape.dash:
            drawn.set_dashes([float(one) / shape.size for one in shape.dash.split()])
        axes.add_line(drawn)
    elif shape.kind == "dot":
        axes.add_patch(Circle(shape.points[0], shape.size, facecolor=colour, edgecolor=edge, zorder=order + 1))
    else:
        width = 0.8 if shape.edge else 0.0
        area = Polygon(list(shape.points), closed=True, facecolor=colour, edgecolor=edge, lw=width, zorder=order + 1)
        area.set_alpha(shape.opacity)
        axes.add_patch(area)


def save_picture(picture: Picture, name: str, *, replaces: bool = True) -> None:
    """Write a picture to a file: svg by its shapes, png and pdf by Matplotlib."""
    if picture_format(name) != "svg":
        save_figure(name, lambda: _picture_figure(picture), replaces=replaces)
        return
    with atomic_file(name, replaces=replaces) as out:
        out.write(picture.svg(is_file=True).encode("utf-8"))
