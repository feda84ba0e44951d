"""Figures of a result: children of an assembly as bars, the tree by mass, centres of mass, contributors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.items.result_columns import CENTER, INERTIA, MASS, body_column, first_order_sigma
from massprops_cli.bom.results.table_edit import coherent_unit
from massprops_cli.findings.finding import UsageError
from massprops_cli.options import CorrelationScope, wrong_word_text
from massprops_cli.reports.page.conventions import formatted_number, percent_text, unit_text, value_with_sigma
from massprops_cli.reports.page.page import UNICODE, shorten_text
from massprops_cli.reports.plots import draw_title, hide_spines, new_figure, pareto_figure, plot_style, save_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from massprops_cli.bom.results.result import Result

_Floats = NDArray[np.float64]
_Items = NDArray[np.intp]
_QUANTITIES = (*MASS.columns, *CENTER.columns, *INERTIA.columns)
_WIDTH = 7.2  # width of a figure in inches
_DARK, _GREY, _PALE = "#222222", "#767676", "#E4E4E4"
_BRANCH_COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00")
"""Colours for colour vision deficiency (Okabe and Ito)."""
_BLUE, _ORANGE = _BRANCH_COLOURS[0], _BRANCH_COLOURS[-1]
_MAX_NAME_LENGTH, _LEAST_NAME_LENGTH, _MAX_BARS, _MAX_LEVELS = 30, 8, 60, 8
_LABEL_PLACES = ((1, 0, "left", "center"), (-1, 0, "right", "center"), (0, 1, "center", "bottom"),
                 (0, -1, "center", "top"), (1, 1, "left", "bottom"), (-1, -1, "right", "top"))  # fmt: skip
"""Places of a label: direction from its point, and alignment."""


def _item_number(result: Result, item: str | None) -> int:
    """Return the number of an item; the root for None."""
    return result.root_item if item is None else result.bom.item(item)


def _children(result: Result, number: int) -> _Items:
    """Return the children of an item that are in it at least once; raises UsageError for a leaf."""
    tree, count = result.bom.tree, result.bom.quantity.count
    if not len(children := np.flatnonzero((tree.parent == number) & (count != 0))):
        raise UsageError(f"{result.ids[number]} has no children to draw; name an assembly")
    return children


def _item_label(result: Result, item: int, most: int) -> str:
    """Return id, quantity and name of an item in so many characters; the name is cut first."""
    count = float(result.bom.quantity.count[item])
    times = "" if count == 1 else f" ×{formatted_number(count)}"
    name = "" if result.bom.names is None else result.bom.names[item]
    name = "" if name == result.ids[item] else name
    start = f"{shorten_text(result.ids[item], max(most - len(times), 4), UNICODE)}{times}"
    room = most - len(start) - 2
    if not name or (len(name) > room and room < _LEAST_NAME_LENGTH):
        return start
    return f"{start}  {shorten_text(name, room, UNICODE)}"


def _axis_label(result: Result, quantity: str) -> str:
    """Return a quantity with its unit, as the label of an axis."""
    unit = unit_text(coherent_unit(result, quantity), UNICODE)
    return f"{quantity} [{unit}]" if unit else quantity


def bars_figure(result: Result, of: str, item: str | None, top: int) -> Figure:
    """Draw one result of the children of an assembly as bars."""
    if of not in _QUANTITIES:
        raise UsageError(wrong_word_text("of", of, _QUANTITIES))
    number = _item_number(result, item)
    children = _children(result, number)
    column = body_column(result.rollup.bodies, of)
    values = np.full(len(result), np.nan) if column is None else np.array(column, float)
    values[~_known_items(result, of)] = np.nan
    total, count = float(values[number]), result.bom.quantity.count
    if of == "mass":
        values = values * count
    found = first_order_sigma(result.rollup, f"sigma_{of}")
    sigmas = np.full(len(result), np.nan) if found is None else np.where((of != "mass") | (count == 1), found, np.nan)
    known = children[np.isfinite(values[children])]
    shown = known[np.argsort(-np.abs(values[known]), kind="stable")][: max(min(top, _MAX_BARS), 1)]
    if not len(shown):
        raise UsageError(f"{of} of the children of {result.ids[number]} is not known: nothing to draw")
    unit = unit_text(coherent_unit(result, of), UNICODE)
    texts = [f"{value_with_sigma(float(values[k]), float(sigmas[k]), UNICODE)} {unit}".rstrip() for k in shown]
    if of == "mass" and total > 0:
        texts = [f"{text}, {percent_text(float(values[k]) / total)}" for text, k in zip(texts, shown, strict=True)]
    rest = len(children) - len(shown)
    own = float("nan") if found is None else float(found[number])
    subtitle = f"{result.ids[number]}: {value_with_sigma(total, own, UNICODE)} {unit}".rstrip()
    subtitle = subtitle if np.isfinite(total) else f"{len(children):,} children"
    subtitle += f"; smaller ones not shown: {rest:,}" if rest else ""
    subtitle += "; bars with ±1σ" if np.isfinite(sigmas[shown]).any() else ""
    height = 1.35 + 0.28 * len(shown)
    names = [_item_label(result, int(k), _MAX_NAME_LENGTH) for k in shown]
    with plot_style():
        figure = new_figure(_WIDTH, height)
        draw_title(figure, f"{of[0].upper()}{of[1:]} of the children of {result.ids[number]}", subtitle)
        left = 0.05 + 0.0098 * max(map(len, names))
        axes = figure.add_axes((left, 0.5 / height, 0.96 - left, 0.28 * len(shown) / height))
        _draw_value_bars(axes, names, values[shown], sigmas[shown], texts)
        axes.set_xlabel(_axis_label(result, of))
    return figure


def _known_items(result: Result, of: str) -> NDArray[np.bool_]:
    """Return which items ``(n,)`` have a quantity."""
    bodies = result.rollup.bodies
    mask = bodies.has_mass if of == "mass" else bodies.has_center if of in CENTER.columns else bodies.has_inertia
    if of == "mass":
        return np.asarray(result.rollup.coverage.known_mass > 0) if mask is None else mask
    return np.ones(len(result), bool) if mask is None else mask


def _draw_value_bars(axes: Axes, names: list[str], values: _Floats, sigmas: _Floats, texts: list[str]) -> None:
    """Draw bars with ±1σ, and a text at the end of each."""
    places = np.arange(len(values))
    axes.barh(places, values, color=_BLUE, height=0.7, linewidth=0)
    drawn = np.isfinite(sigmas) & (sigmas > 0)
    if drawn.any():
        look: dict[str, Any] = {"fmt": "none", "ecolor": _DARK, "elinewidth": 1, "capsize": 2}
        axes.errorbar(values[drawn], places[drawn], xerr=sigmas[drawn], **look)
    reach = np.abs(values) + np.where(drawn, sigmas, 0.0)
    low, high = min(0.0, *np.where(values < 0, -reach, 0.0)), max(0.0, *np.where(values > 0, reach, 0.0))
    # the longest text needs room behind its bar
    width = float(axes.get_position().width) * _WIDTH
    room = min((0.058 * max(map(len, texts)) + 0.15) / width, 0.6)
    span = ((high - low) or 1.0) / (1 - room * (1 + (low < 0 < high)))
    for k, text in enumerate(texts):
        is_left = values[k] < 0
        end = float(values[k] + (-1 if is_left else 1) * (sigmas[k] if drawn[k] else 0.0))
        axes.annotate(
            text,
            (end, k),
            (-5 if is_left else 5, 0),
            textcoords="offset points",
            ha="right" if is_left else "left",
            va="center",
            fontsize=8,
        )
    axes.set_xlim(low - span * room * (low < 0), high + span * room * (high > 0 or low == 0))
    axes.axvline(0, color=_GREY, linewidth=0.6)
    axes.set_yticks(places, names)
    axes.set_ylim(len(values) - 0.4, -0.6)
    hide_spines(axes, "left")
    axes.tick_params(axis="y", colors=_DARK, labelsize=9)
    axes.locator_params(axis="x", nbins=6)


_LEAST_SHARE = 0.002  # share of the total mass below which an item of the tree is not drawn
_TREE_HEIGHT, _LINE_HEIGHT, _CHARACTER_WIDTH = 5.4, 0.14, 0.064
"""Height of the figure, of a line of text and mean width of a character, in inches."""
_ROOT_WIDTH = 0.5  # width of the first column as a share of that of the others

_TreeBox = tuple[int, int, float, float, int]
"""An item of the tree: its number, its level, start and size of its range of mass, and its branch (0 for the root)."""


def tree_figure(result: Result, item: str | None, levels: int) -> Figure:
    """Draw the tree below an item: columns are levels, heights are masses."""
    number = _item_number(result, item)
    _children(result, number)
    if (total := float(np.nan_to_num(result.rollup.bodies.mass[number]))) <= 0:
        raise UsageError(f"{result.ids[number]} has no positive mass: no tree to draw")
    levels = max(2, min(levels, _MAX_LEVELS))
    boxes = list(_tree_boxes(result, number, total, levels))
    deepest = max(level for _, level, *_ in boxes)
    unit = unit_text(coherent_unit(result, "mass"), UNICODE)
    words = f"{formatted_number(total)} {unit}".rstrip() + "; heights are masses of all pieces"
    words += f"; items below {_LEAST_SHARE:.1%} are not drawn".replace("%", " %")
    with plot_style():
        figure = new_figure(_WIDTH, _TREE_HEIGHT)
        draw_title(figure, f"Mass by level, {result.ids[number]}", words)
        axes = figure.add_axes((0.1, 0.06, 0.88, 0.8))
        most = max(start + size for _, _, start, size, _ in boxes)  # above the total where masses are removed
        axes.set(xlim=(1 - _ROOT_WIDTH, deepest + 1), ylim=(most, 0), ylabel=_axis_label(result, "mass"))
        scale = 0.8 * _TREE_HEIGHT / most, 0.88 * _WIDTH / (deepest + _ROOT_WIDTH)
        for box in boxes:
            _draw_tree_box(axes, result, box, scale, unit)
        axes.set_xticks(np.arange(deepest) + 1.5, [f"level {k}" for k in range(1, deepest + 1)])
        hide_spines(axes, "bottom", "left")
    return figure


def _tree_boxes(result: Result, number: int, total: float, levels: int) -> Iterator[_TreeBox]:
    """Yield the boxes of a tree, parents first."""
    tree, mass, count = result.bom.tree, np.nan_to_num(result.rollup.bodies.mass), result.bom.quantity.count
    waiting = [(number, 0, 0.0, total, 0)]
    while waiting:
        item, level, start, size, branch = box = waiting.pop()
        yield box
        if level + 1 == levels:
            continue
        children = tree.children(item)
        pieces = size / mass[item] if mass[item] else 0.0
        masses = mass[children] * count[children] * pieces
        for k in np.argsort(-masses, kind="stable").tolist():
            if masses[k] < _LEAST_SHARE * total:
                break
            waiting.append((int(children[k]), level + 1, start, float(masses[k]), branch or len(waiting) + 1))
            start += float(masses[k])


def _draw_tree_box(axes: Axes, result: Result, box: _TreeBox, scale: tuple[float, float], unit: str) -> None:
    """Draw one item, with as much of its label as its box holds."""
    from matplotlib.colors import to_rgb
    from matplotlib.patches import Rectangle

    item, level, start, mass, branch = box
    base = np.array(to_rgb(_BRANCH_COLOURS[(branch - 1) % len(_BRANCH_COLOURS)] if branch else _PALE))
    light = min(0.45 + 0.12 * level, 0.85) if branch else 0.0
    colour = tuple((base + (1 - base) * light).tolist())
    x, share = (level, 1.0) if level else (1 - _ROOT_WIDTH, _ROOT_WIDTH)
    axes.add_patch(Rectangle((x, start), share, mass, facecolor=colour, edgecolor="white", linewidth=0.8))
    height, width = mass * scale[0], share * scale[1]
    if height < _LINE_HEIGHT:
        return
    most = int((width - 0.1) / _CHARACTER_WIDTH)
    number = f"{formatted_number(mass, 3)} {unit}".rstrip()
    if height >= 2.3 * _LINE_HEIGHT:
        text = f"{_item_label(result, item, most)}\n{number}"
    else:
        room = most - len(number) - 2
        text = f"{_item_label(result, item, room)}  {number}" if room >= _LEAST_NAME_LENGTH else number
    axes.text(x + 0.05 / scale[1], start + mass / 2, text, fontsize=7.5, va="center", linespacing=1.25)


def center_figure(result: Result, item: str | None, top: int) -> Figure:
    """Draw the centres of mass of the children of an assembly and its own, in the planes x–y and x–z."""
    number = _item_number(result, item)
    children = _children(result, number)
    bodies = result.rollup.bodies
    known = _known_items(result, "Cx")
    if bodies.center is None or not known[children].any():
        raise UsageError(f"children of {result.ids[number]} have no centres of mass: nothing to draw")
    mass = np.abs(np.nan_to_num(bodies.mass * result.bom.quantity.count))
    shown = children[known[children] & np.isfinite(bodies.center[children]).all(axis=1)]
    shown = shown[np.argsort(-mass[shown], kind="stable")]
    unit = unit_text(coherent_unit(result, "Cx"), UNICODE)
    own, sigmas = bodies.center[number], [first_order_sigma(result.rollup, f"sigma_{name}") for name in CENTER.columns]
    sigma = np.array([0.0 if one is None else float(np.nan_to_num(one[number])) for one in sigmas])  # 0 where unknown
    numbers = (value_with_sigma(float(x), float(e) or np.nan, UNICODE) for x, e in zip(own, sigma, strict=True))
    words = ", ".join(f"{name} {text}" for name, text in zip(CENTER.columns, numbers, strict=True))
    subtitle = f"{words} {unit}".rstrip() if known[number] else f"{len(shown):,} children"
    subtitle += "; area of a dot: mass of all pieces"
    names = [shorten_text(result.ids[k], 14, UNICODE) for k in shown.tolist()]
    sizes = 14 + 300 * mass[shown] / max(float(mass[shown].max()), 1e-300)
    extent = np.ptp(bodies.center[shown], axis=0)
    is_long = bool(extent[0] > 2 * extent[1:].max())
    height = 5.6 if is_long else 4.2
    with plot_style():
        figure = new_figure(_WIDTH, height)
        draw_title(figure, f"Centre of mass, {result.ids[number]}", subtitle)
        for k, (a, b) in enumerate(((0, 1), (0, 2))):
            box = (0.1, 0.53 - 0.43 * k, 0.86, 0.33) if is_long else (0.1 + 0.49 * k, 0.13, 0.39, 0.68)
            axes = figure.add_axes(box)
            points = bodies.center[shown][:, [a, b]]
            axes.scatter(points[:, 0], points[:, 1], sizes, color=_BLUE, alpha=0.45, linewidths=0.5, edgecolors="white")
            if known[number]:
                look: dict[str, Any] = {"color": _ORANGE, "marker": "+", "markersize": 13, "mew": 1.8, "lw": 1}
                axes.errorbar(own[a], own[b], xerr=sigma[a], yerr=sigma[b], **look)
            plane = (CENTER.columns[a], CENTER.columns[b])
            axes.set_aspect("equal", adjustable="datalim")
            axes.margins(0.16)
            if np.ptp(points) == 0:
                axes.set(xlim=(points[0, 0] - 1, points[0, 0] + 1), ylim=(points[0, 1] - 1, points[0, 1] + 1))
            axes.set(xlabel=_axis_label(result, plane[0]), ylabel=_axis_label(result, plane[1]))
            axes.grid(color=_PALE, linewidth=0.5)
            axes.set_axisbelow(True)
            axes.locator_params(nbins=6)
            _label_points(axes, points, names[: max(top, 0)], sizes)
    return figure


def _label_points(axes: Axes, points: _Floats, names: Sequence[str], sizes: _Floats) -> None:
    """Write names next to the first points, where they cover no other name or point and stay in the axes."""
    from matplotlib.transforms import Bbox

    figure = axes.get_figure()
    assert figure is not None
    figure.canvas.draw()
    pixels, frame = figure.dpi / 72, axes.bbox
    places = axes.transData.transform(points)
    reach = np.sqrt(sizes) / 2
    taken = [
        Bbox.from_extents(*(place - pixels * r), *(place + pixels * r)) for place, r in zip(places, reach, strict=True)
    ]
    for k, name in enumerate(names):
        for right, up, align, level in _LABEL_PLACES:
            label = axes.annotate(
                name,
                tuple(points[k]),
                (right * (reach[k] + 2), up * (reach[k] + 2)),
                textcoords="offset points",
                ha=align,
                va=level,
                fontsize=7.5,
            )
            box = label.get_window_extent()
            inside = frame.x0 <= box.x0 <= box.x1 <= frame.x1 and frame.y0 <= box.y0 <= box.y1 <= frame.y1
            if inside and not any(box.padded(pixels).overlaps(other) for j, other in enumerate(taken) if j != k):
                taken.append(box)
                break
            label.remove()


def envelope_plot(answer: Any, path: str, *, replaces: bool = True) -> None:
    """Draw the polygons of envelopes with the conditions and the travel of missions, and write it to a file."""
    if not answer.envelopes:
        raise UsageError("--plot draws envelopes, and none is stated; add [[envelope]] to massprops.toml")
    save_figure(path, lambda: _envelope_figure(answer), replaces=replaces)


def _envelope_figure(answer: Any) -> Figure:
    """Draw each polygon: the centre across, the mass or another coordinate up."""
    faces = [(one.name, face) for one in answer.envelopes for face in one.faces]
    height = 0.7 + 3.6 * len(faces)
    figure = new_figure(_WIDTH, height)
    check = answer.envelope_check
    length, factor = check.length
    points = np.array(answer.totals.values[:, :4])
    outside = {one.condition for one in check.verdicts if one.inside is False and not one.start}
    draw_title(
        figure, f"Envelopes, {answer.bom.table.source.name}", f"{len(answer)} conditions, {len(outside)} outside"
    )
    units = [answer.bom.units.mass, length, length, length]
    for k, (name, face) in enumerate(faces):
        axes = figure.add_axes((0.12, 1 - (0.7 + 3.6 * k + 3.0) / height, 0.84, 2.7 / height))
        scale = np.array([factor, factor if face.up else 1.0])
        axes.fill(*(np.array(face.corners) * scale).T, facecolor=_PALE, edgecolor=_DARK, linewidth=1.0, zorder=1)
        for path in check.paths.values():
            axes.plot(*(path[:, [face.across, face.up]] * scale).T, color=_BLUE, linewidth=1.2, zorder=2)
        at = points[:, [face.across, face.up]] * scale
        known = np.isfinite(at).all(axis=1)
        shown = [one for one, is_known in zip(answer.names, known.tolist(), strict=True) if is_known]
        colours = [_ORANGE if one in outside else _BLUE for one in shown]
        axes.scatter(at[known, 0], at[known, 1], 22, color=colours, zorder=3)
        axes.margins(0.12)
        labels = [("mass", "Cx", "Cy", "Cz")[n] + f" [{units[n]}]" * bool(units[n]) for n in (face.across, face.up)]
        axes.set(xlabel=labels[0], ylabel=labels[1], title=name)
        axes.grid(color=_PALE, linewidth=0.5)
        axes.set_axisbelow(True)
        _label_points(axes, at[known], [shorten_text(one, 24, UNICODE) for one in shown], np.full(len(shown), 22.0))
    return figure


def contributors_figure(result: Result, of: str, item: str | None, top: int) -> Figure:
    """Draw the largest contributors to an item's mass or uncertainty: docs/formulas.md, section 6."""
    from massprops_cli.bom.contributions import contributions, mass_pareto

    if of == "mass":
        return pareto_figure(mass_pareto(result.bom, item), top)
    if not of.startswith("sigma_"):
        raise UsageError(f"invalid of: {of} (expected mass, or sigma_ with a result, such as sigma_{of})")
    request = result.uncertainty_request
    answer = contributions(
        result.bom,
        of.removeprefix("sigma_"),
        item,
        correlate=cast("CorrelationScope", request.correlate),
        correlate_centers=request.correlate_centers,
        correlations=request.correlations,
    )
    return pareto_figure(answer, top)
