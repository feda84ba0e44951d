"""Figures of a result: what they show, that texts do not cover each other, and what cannot be drawn."""

from __future__ import annotations

import importlib.util
import itertools
from typing import Any

import numpy as np
import pytest

import massprops_cli as mp

pytest.importorskip("matplotlib", reason="figures need Matplotlib, the extra plot")

LONG = "ASSEMBLY-0001-LEFT-HAND-SIDE"


def leaf(id: str, parent: str, mass: float, x: float, **more: Any) -> dict[str, Any]:
    sigmas = {"sigma_mass [kg]": mass / 10, **{f"sigma_C{axis} [mm]": 0.5 for axis in "xyz"}}
    return {
        "id": id,
        "parent": parent,
        "mass [kg]": mass,
        "Cx [mm]": x,
        "Cy [mm]": x / 2,
        "Cz [mm]": 7.0,
        **sigmas,
        **more,
    }


ROWS: list[dict[str, Any]] = [
    {"id": "SAT", "parent": "", "name": "Satellite"},
    {"id": LONG, "parent": "SAT", "name": "Structure with fasteners, sealant and all $brackets$", "qty": 2},
    leaf("wall", LONG, 6.0, 10.0, name="Side wall"),
    leaf("rib", LONG, 4.0, -30.0, qty=3),
    leaf("tank", "SAT", 9.0, 250.0, name="Tank"),
    leaf("cable", "SAT", 0.01, 40.0),
]


@pytest.fixture(scope="module")
def result() -> mp.Result:
    return mp.rollup(mp.Bom.from_records(ROWS), "montecarlo", samples=500, items="tank")


def texts(figure: Any) -> list[str]:
    """All texts of a figure that are not empty."""
    import matplotlib.text

    return [text.get_text() for text in figure.findobj(matplotlib.text.Text) if text.get_text().strip()]


def boxes(figure: Any) -> dict[str, Any]:
    """The extents in pixels of all texts in sight, except ticks beyond the axes, which Matplotlib does not draw."""
    import matplotlib.text

    figure.canvas.draw()
    hidden = set()
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            hidden |= {label for tick in axis.get_major_ticks() if not low <= tick.get_loc() <= high
                       for label in (tick.label1, tick.label2)}  # fmt: skip
    shown = [text for text in figure.findobj(matplotlib.text.Text) if text.get_visible() and text.get_text().strip()]
    return {f"{k} {text.get_text()}": text.get_window_extent() for k, text in enumerate(shown) if text not in hidden}


FIGURES = {
    "bars": lambda result: result.plot.bars(),
    "bars of centres": lambda result: result.plot.bars("Cx"),
    "bars of an assembly": lambda result: result.plot.bars(item=LONG),
    "tree": lambda result: result.plot.tree(),
    "pareto": lambda result: result.plot.pareto(),
    "pareto of a sigma": lambda result: result.plot.pareto("sigma_mass"),
    "samples": lambda result: result.plot.samples(of=["mass", "Cx", "Cy"]),
    "samples of one": lambda result: result.plot.samples("tank", "mass"),
    "center": lambda result: result.plot.center(),
}


@pytest.mark.spread(2)
@pytest.mark.parametrize("name", FIGURES)
def test_texts_are_inside_the_figure_and_do_not_overlap(name: str, result: mp.Result) -> None:
    figure = FIGURES[name](result)
    width, height = figure.get_size_inches() * figure.dpi
    found = boxes(figure)
    assert len(found) >= 4
    outside = [text for text, box in found.items() if box.x0 < 0 or box.y0 < 0 or box.x1 > width or box.y1 > height]
    assert outside == []
    pairs = itertools.combinations(found.items(), 2)
    assert [(a, b) for (a, one), (b, other) in pairs if one.padded(-1).overlaps(other.padded(-1))] == []


def test_bars_are_masses_of_all_pieces(result: mp.Result) -> None:
    figure = result.plot.bars()
    (axes,) = figure.axes
    # 2 × (6 + 3 × 4) kg, 9 kg and 0.01 kg of 45.01 kg
    assert [bar.get_width() for bar in axes.patches] == [36.0, 9.0, 0.01]
    assert axes.get_xlabel() == "mass [kg]"
    shown = texts(figure)
    assert "ASSEMBLY-0001-LEFT-HAND-SI… ×2" in shown
    assert "36 kg, 80.0 %" in shown  # no sigma: that of two pieces depends on what they share
    assert "9.00 ± 0.90 kg, 20.0 %" in shown
    assert max(len(label.get_text()) for label in axes.get_yticklabels()) <= 31
    two = result.plot.bars(top=2)
    assert len(two.axes[0].patches) == 2
    assert any("smaller ones not shown: 1" in text for text in texts(two))


def test_bars_of_another_result_are_those_of_one_piece(result: mp.Result) -> None:
    figure = result.plot.bars("Cx", item=LONG)
    assert [bar.get_width() for bar in figure.axes[0].patches] == [-30.0, 10.0]
    assert figure.axes[0].get_xlabel() == "Cx [mm]"


def test_heights_of_the_tree_are_masses(result: mp.Result) -> None:
    figure = result.plot.tree()
    (axes,) = figure.axes
    heights = sorted(round(patch.get_height(), 9) for patch in axes.patches)
    # the cable of 0.01 kg is below 0.2 % of 45.01 kg
    assert heights == [9.0, 12.0, 24.0, 36.0, 45.01]
    assert axes.get_ylabel() == "mass [kg]"
    assert [label.get_text() for label in axes.get_xticklabels()] == ["level 1", "level 2"]


def test_centres_are_drawn_in_two_planes(result: mp.Result) -> None:
    figure = result.plot.center()
    labels = [(axes.get_xlabel(), axes.get_ylabel()) for axes in figure.axes]
    assert labels == [("Cx [mm]", "Cy [mm]"), ("Cx [mm]", "Cz [mm]")]
    points = figure.axes[0].collections[0].get_offsets()
    # the heaviest first: (6 × 10 − 12 × 30) / 18
    assert np.allclose(points, [[-300 / 18, -150 / 18], [250, 125], [40, 20]])
    assert {"tank", "cable"} <= set(texts(figure))


def test_a_notebook_shows_a_figure_and_equal_results_give_equal_pictures(result: mp.Result) -> None:
    first, second = (result.plot.bars()._repr_png_() for _ in range(2))
    assert first.startswith(b"\x89PNG")
    assert first == second


def test_figures_do_not_stay_in_pyplot(result: mp.Result) -> None:
    from matplotlib import pyplot

    before = pyplot.get_fignums()
    result.plot.tree()
    assert pyplot.get_fignums() == before


def test_names_are_not_read_as_formulas(result: mp.Result) -> None:
    rows = [{"id": "t", "parent": ""}, {"id": "$x^2$", "parent": "t", "mass [kg]": 1.0}]
    figure = mp.rollup(mp.Bom.from_records(rows)).plot.bars()
    assert "$x^2$" in texts(figure)
    assert not figure.axes[0].get_yticklabels()[0].get_parse_math()


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda plot: plot.bars("weight"), "invalid of: weight"),
        (lambda plot: plot.bars("Ixx"), "Ixx of the children of SAT is not known"),
        (lambda plot: plot.bars(item="tank"), "tank has no children to draw; name an assembly"),
        (lambda plot: plot.tree("nose"), "id is not in the table: nose"),
        (
            lambda plot: plot.pareto("Cx"),
            r"invalid of: Cx \(expected mass, or sigma_ with a result, such as sigma_Cx\)",
        ),
        (lambda plot: plot.samples("wall"), "no samples of wall"),
        (lambda plot: plot.samples(of="m"), "invalid of: m"),
        (lambda plot: plot.samples(of="Ixx"), "no requested result varies"),
    ],
)
def test_what_cannot_be_drawn(draw: Any, message: str, result: mp.Result) -> None:
    with pytest.raises(mp.UsageError, match=message):
        draw(result.plot)


def test_tables_without_masses_or_centres() -> None:
    plot = mp.rollup(mp.Bom.from_records([{"id": "t", "parent": ""}, {"id": "a", "parent": "t", "mass": 1.0}])).plot
    with pytest.raises(mp.UsageError, match="children of t have no centres of mass"):
        plot.center()
    with pytest.raises(mp.UsageError, match="no samples to draw"):
        plot.samples()
    rows = [{"id": "t", "parent": ""}, {"id": "a", "parent": "t", "mass": -1.0}]
    removed = mp.rollup(mp.Bom.from_records(rows, allow_negative_mass=True), keep_going=True).plot
    with pytest.raises(mp.UsageError, match="t has no positive mass"):
        removed.tree()


@pytest.mark.parametrize("name", FIGURES)
def test_without_matplotlib_the_extra_is_named(name: str, result: mp.Result, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(mp.UsageError, match=r"plots need Matplotlib: pip install 'massprops\[plot\]'"):
        FIGURES[name](result)
