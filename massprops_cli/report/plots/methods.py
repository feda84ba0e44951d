"""A picture of two methods: how far sigmas that are carried level by level come out from the exact ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.items.arrays import sigma_to_first_order
from massprops_cli.bom.items.sets import CENTER, INERTIA, MASS, RADII
from massprops_cli.findings import UsageError
from massprops_cli.report.plots.canvas import BLUE, DARK, GREY, ORANGE, PALE, bare, drawing, titled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from massprops_cli.bom.answers.result import Result
    from massprops_cli.rollup.rolled import Rollup

Floats = NDArray[np.float64]
PANELS = (
    ("mass", MASS.columns),
    ("centre of mass", CENTER.columns),
    ("inertia tensor", INERTIA.columns),
    ("radii of gyration", RADII),
)
"""What stands in one panel together."""
SPREAD = 0.5
"""How far the quantities of one panel are set apart beside their level."""
MOST_DOTS = 20_000
"""More dots than that are one image inside the picture, which stays small."""
DUST = 1e-6
"""A sigma below this share of the greatest of its kind, in the same item, is rounding and has no ratio."""


def methods_plot(exact: Result, published: Result, path: str) -> None:
    """Draw, for every assembly, by how much its sigmas by ``published`` differ from ``exact`` ones, against its level.

    Both are roll-ups of the same table, by the methods ``massprops`` and ``covariance``. One panel for mass, centre,
    tensor and radii of gyration; the root is marked. Raises UsageError without sigmas in both, without Matplotlib
    (extra ``plot``), and for a suffix that is not svg, png or pdf.
    """
    if exact.rollup.sigmas is None or published.rollup.sigmas is None:
        raise UsageError("the methods are compared by their sigmas, and the table states none")
    assemblies = np.flatnonzero(~exact.bom.tree.is_leaf())
    if not len(assemblies):
        raise UsageError("the methods are compared at assemblies, and there are none")
    levels = exact.bom.tree.depth()[assemblies]
    panels = [(name, deviations(exact.rollup, published.rollup, assemblies, names)) for name, names in PANELS]
    panels = [(name, values) for name, values in panels if len(values)]
    least = min(-5.0, *(float(np.nanmin(values, initial=0.0)) for _, values in panels))
    most = max(5.0, *(float(np.nanmax(values, initial=0.0)) for _, values in panels))
    room = 0.08 * (most - least)
    title = "Sigmas carried level by level drift from the exact ones"
    number = f"{len(assemblies):,} {'assembly' if len(assemblies) == 1 else 'assemblies'}"
    more = "too large or too small" if exact.correlation is None else "shared errors only in the exact ones"
    words = f"{number} of {exact.bom.ids[exact.root_item]}; a dot is one sigma of one assembly, {more}"
    with drawing(path, 7.2, 5.6) as figure:
        titled(figure, title, words)
        for k, (name, values) in enumerate(panels):
            axes = figure.add_axes((0.08 + 0.48 * (k % 2), 0.525 - 0.43 * (k // 2), 0.43, 0.27))
            axes.set_ylim(least - room, most + room)
            draw_panel(axes, name, levels, values)
            if k % 2:
                axes.set_yticklabels([])
        figure.text(0.535, 0.015, "level below the root", ha="center", color=GREY, fontsize=9)


def deviations(exact: Rollup, published: Rollup, items: NDArray[np.intp], names: tuple[str, ...]) -> Floats:
    """Give σ(published) / σ(exact) − 1 in percent, a row for each quantity that has sigmas; NaN without a ratio."""
    pairs = [
        (sigma_to_first_order(published, f"sigma_{name}"), sigma_to_first_order(exact, f"sigma_{name}"))
        for name in names
    ]
    known = [(a[items], b[items]) for a, b in pairs if a is not None and b is not None]
    if not known:
        return np.zeros((0, len(items)))
    ours, theirs = (np.array(side) for side in zip(*known, strict=True))
    scale = np.nanmax(np.nan_to_num(theirs), axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        percent: Floats = 100 * (ours / theirs - 1)
    percent[~(theirs > DUST * scale)] = np.nan
    return percent


def draw_panel(axes: Axes, name: str, levels: NDArray[np.int32], values: Floats) -> None:
    """Draw the dots of one panel, the root's in another colour; their ranges stand above them."""
    n = len(values)
    apart = (np.arange(n) - (n - 1) / 2) * (SPREAD / n)
    x = levels + apart[:, None]
    root = np.broadcast_to(levels == 0, x.shape)
    axes.axhline(0, color=GREY, linewidth=0.8, zorder=1)
    many = values.size > MOST_DOTS
    axes.scatter(x[~root], values[~root], s=9, color=BLUE, alpha=0.55, linewidths=0, zorder=2, rasterized=many)
    axes.scatter(x[root], values[root], s=22, color=ORANGE, linewidths=0, zorder=3)
    axes.text(0, 1.16, name, transform=axes.transAxes, fontsize=10, fontweight="bold")
    above: dict[str, Any] = {"transform": axes.transAxes, "fontsize": 8}
    axes.text(0, 1.05, f"root {span(values[root])}", color=ORANGE, fontweight="bold", **above)
    axes.text(1, 1.05, f"all assemblies {span(values)}", color=BLUE, ha="right", **above)
    deepest = int(levels.max())
    axes.set(xlim=(-0.5, deepest + 0.5), xticks=range(deepest + 1))
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:+.0f} %".replace("-", "−") if value else "exact")
    axes.grid(axis="y", color=PALE, linewidth=0.5)
    axes.set_axisbelow(True)
    bare(axes, "left", "bottom")
    axes.tick_params(axis="x", colors=DARK)


def span(values: Floats) -> str:
    """Write the range of some percentages.

    >>> span(np.array([4.2, 7.9])), span(np.array([-0.001, 0.0])), span(np.array([-41.0, 3.0]))
    ('+4 … +8 %', '0 %', '−41 … +3 %')
    """
    values = values[np.isfinite(values)]
    if not len(values):
        return "not known"
    low, high = (
        f"{round(float(value)):+d}".replace("-", "−").replace("+0", "0") for value in (values.min(), values.max())
    )
    return f"{low} %" if low == high else f"{low} … {high} %"
