"""Draw ``internals/drift.svg``: published and exact sigmas of every assembly of ``sample_data/nested.csv``.

python docs/make_drift.py
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import massprops_cli as mp
from massprops_cli.bom.items.result_columns import CENTER, INERTIA, MASS, RADII, first_order_sigma
from massprops_cli.reports.plots import (
    _BLUE,
    _DARK,
    _GREY,
    _ORANGE,
    _PALE,
    draw_title,
    hide_spines,
    new_figure,
    save_figure,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from massprops_cli.rollups.rollup import Rollup

ROOT = Path(__file__).parent.parent

_Floats = NDArray[np.float64]
_METHOD_PANELS = (
    ("mass", MASS.columns),
    ("centre of mass", CENTER.columns),
    ("inertia tensor", INERTIA.columns),
    ("radii of gyration", RADII),
)
"""Quantities of each panel."""
_DOT_SPACING = 0.5
"""Horizontal spread of the quantities of a panel at one level."""
_ROUNDING_SIGMA_SHARE = 1e-6
"""A sigma below this share of the largest of its kind in the item is rounding and has no ratio."""


def methods_plot(exact: mp.Result, published: mp.Result, path: str) -> None:
    """Draw the deviation of the sigmas of one method from those of another for each assembly, by level."""
    save_figure(path, lambda: _methods_figure(exact, published))


def _methods_figure(exact: mp.Result, published: mp.Result) -> Figure:
    """Make the figure of two methods."""
    # one panel each for mass, centre of mass, inertia tensor and radii of gyration; the root is marked
    assemblies = np.flatnonzero(~exact.bom.tree.is_leaf())
    levels = exact.bom.tree.depth()[assemblies]
    panels = [
        (name, _sigma_deviations(exact.rollup, published.rollup, assemblies, names)) for name, names in _METHOD_PANELS
    ]
    panels = [(name, values) for name, values in panels if len(values)]
    least = min(-5.0, *(float(np.nanmin(values, initial=0.0)) for _, values in panels))
    most = max(5.0, *(float(np.nanmax(values, initial=0.0)) for _, values in panels))
    room = 0.08 * (most - least)
    title = "Sigma deviation, level by level against full covariance"
    number = f"{len(assemblies):,} {'assembly' if len(assemblies) == 1 else 'assemblies'}"
    words = f"{number} of {exact.bom.ids[exact.root_item]}; a dot is one sigma of one assembly"
    figure = new_figure(7.2, 5.6)
    draw_title(figure, title, words)
    for k, (name, values) in enumerate(panels):
        axes = figure.add_axes((0.08 + 0.48 * (k % 2), 0.525 - 0.43 * (k // 2), 0.43, 0.27))
        axes.set_ylim(least - room, most + room)
        _draw_deviation_panel(axes, name, levels, values)
        if k % 2:
            axes.set_yticklabels([])
    figure.text(0.535, 0.015, "level below the root", ha="center", color=_GREY, fontsize=9)
    return figure


def _sigma_deviations(exact: Rollup, published: Rollup, items: NDArray[np.intp], names: tuple[str, ...]) -> _Floats:
    """Return σ(published) / σ(exact) − 1 in percent, one row per quantity with sigmas; NaN without a ratio."""
    pairs = [
        (first_order_sigma(published, f"sigma_{name}"), first_order_sigma(exact, f"sigma_{name}")) for name in names
    ]
    known = [(a[items], b[items]) for a, b in pairs if a is not None and b is not None]
    if not known:
        return np.zeros((0, len(items)))
    ours, theirs = (np.array(side) for side in zip(*known, strict=True))
    scale = np.nanmax(np.nan_to_num(theirs), axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        percent: _Floats = 100 * (ours / theirs - 1)
    percent[~(theirs > _ROUNDING_SIGMA_SHARE * scale)] = np.nan
    return percent


def _draw_deviation_panel(axes: Axes, name: str, levels: NDArray[np.int32], values: _Floats) -> None:
    """Draw the dots of one panel, the root in another colour, and their ranges above."""
    n = len(values)
    apart = (np.arange(n) - (n - 1) / 2) * (_DOT_SPACING / n)
    x = levels + apart[:, None]
    root = np.broadcast_to(levels == 0, x.shape)
    axes.axhline(0, color=_GREY, linewidth=0.8, zorder=1)
    axes.scatter(x[~root], values[~root], s=9, color=_BLUE, alpha=0.55, linewidths=0, zorder=2)
    axes.scatter(x[root], values[root], s=22, color=_ORANGE, linewidths=0, zorder=3)
    axes.text(0, 1.16, name, transform=axes.transAxes, fontsize=10, fontweight="bold")
    above: dict[str, Any] = {"transform": axes.transAxes, "fontsize": 8}
    axes.text(0, 1.05, f"root {_percent_range_text(values[root])}", color=_ORANGE, fontweight="bold", **above)
    axes.text(1, 1.05, f"all assemblies {_percent_range_text(values)}", color=_BLUE, ha="right", **above)
    deepest = int(levels.max())
    axes.set(xlim=(-0.5, deepest + 0.5), xticks=range(deepest + 1))
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:+.0f} %".replace("-", "−") if value else "exact")
    axes.grid(axis="y", color=_PALE, linewidth=0.5)
    axes.set_axisbelow(True)
    hide_spines(axes, "left", "bottom")
    axes.tick_params(axis="x", colors=_DARK)


def _percent_range_text(values: _Floats) -> str:
    """Write the range of some percentages."""
    values = values[np.isfinite(values)]
    if not len(values):
        return "unknown"
    low, high = (
        f"{round(float(value)):+d}".replace("-", "−").replace("+0", "0") for value in (values.min(), values.max())
    )
    return f"{low} %" if low == high else f"{low} … {high} %"


def draw(path: Path) -> None:
    """Write the picture."""
    bom = mp.read_bom(str(ROOT / "sample_data" / "nested.csv"))
    exact, published = (mp.rollup(bom, uncertainty=method) for method in ("covariance", "massprops"))
    methods_plot(exact, published, str(path))


if __name__ == "__main__":
    draw(ROOT / "docs" / "internals" / "drift.svg")
