"""Primitives of pictures: marks of axes, contrast of the palette, texts of tables in SVG."""

from __future__ import annotations

import math

import pytest
from lxml import etree

from massprops_cli.reports.pictures.svg import PALETTE, TINTS, Picture, Scale, _round_marks, fitted_text, text_width


def _luminance(colour: str) -> float:
    """WCAG 2.2, relative luminance."""
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    red, green, blue = (v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _contrast(one: str, other: str) -> float:
    dark, light = sorted((_luminance(one), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_contrast_formula() -> None:
    assert _contrast("#000000", "#ffffff") == pytest.approx(21)
    assert _contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)  # the example of the W3C


@pytest.mark.parametrize("mode", [0, 1])
def test_contrast_of_the_palette(mode: int) -> None:
    colours = {name: pair[mode] for name, pair in PALETTE.items()}
    grounds = [colours["paper"], colours["panel"]]
    texts = [name for name in PALETTE if name not in {"paper", "panel", "grid", *TINTS}]
    assert len(texts) == 10
    assert min(_contrast(colours[name], ground) for name in texts for ground in grounds) >= 4.5
    assert min(_contrast(colours["ink"], colours[name]) for name in TINTS) >= 4.5


@pytest.mark.parametrize(
    ("low", "high", "most", "marks"),
    [
        (0, 100, 6, [0, 20, 40, 60, 80, 100]),
        (0.3, 0.9, 3, [0.4, 0.6, 0.8]),
        (-3, 3, 3, [-2, 0, 2]),
        (1e-9, 4e-9, 6, [1e-9, 2e-9, 3e-9, 4e-9]),
        (5, 5, 6, [5]),
        (0, math.inf, 6, [0]),
    ],
)
def test_round_marks(low: float, high: float, most: int, marks: list[float]) -> None:
    assert _round_marks(low, high, most) == pytest.approx(marks, rel=1e-12)


def test_scale_maps_ends_and_marks() -> None:
    scale = Scale(10, 30, 50, 450)
    assert (scale(10), scale(20), scale(30)) == (50, 250, 450)
    assert scale.mark_texts() == [(10, "10"), (15, "15"), (20, "20"), (25, "25"), (30, "30")]
    assert [text for _, text in Scale(-0.02, 0.02, 0, 1, 3).mark_texts()] == ["−0.02", "0.00", "0.02"]
    wide = scale.widened(0.1)
    assert (wide.low, wide.high, wide.start) == (8, 32, 50)
    assert Scale(7, 7, 0, 100)(7) == 50
    assert Scale(math.nan, 1, 0, 100)(0.5) == 50


def test_fitted_text() -> None:
    assert fitted_text("Battery", 200, 12) == "Battery"
    short = fitted_text("Battery pack of the platform " * 9, 80, 12)
    assert short.endswith("…")
    assert text_width(short, 12) <= 80
    assert fitted_text("Battery", 10, 12) == ""
    assert text_width("電池", 10) == 20


def test_texts_of_tables_are_data() -> None:
    bad = "<img src=x onerror=alert(1)>\u202e]]>&\x00\ud800"
    picture = Picture(bad, bad, 200, 100)
    picture.bar(0, 0, 10, 10, "blue", bad, edge="paper")
    picture.dot(1, 2, "red", 4, bad)
    picture.line([(0, 0), (5, math.nan)], "green", 2, bad, dash="4 3")
    picture.band([0, 1], [0, 1], [2, 3], "blue")
    picture.text(5, 5, bad)
    for text in (picture.svg(), picture.svg(is_file=True), picture._repr_svg_()):
        root = etree.fromstring(text.encode())
        tags = {etree.QName(one).localname for one in root.iter()}
        assert tags <= {"svg", "title", "desc", "style", "rect", "polygon", "circle", "polyline", "text"}
        titles = [one.text for one in root.iter("{*}title")]
        assert titles == ["<img src=x onerror=alert(1)> ]]>& \ufffd"] * 4
        assert root.findtext("{*}text") == titles[0]
        assert "\u202e" not in text
        assert "nan" not in text


def test_axes_have_marks_and_labels() -> None:
    picture = Picture("Axes", "Two axes", 300, 200)
    picture.x_axis(Scale(0, 10, 40, 280), 160, "time", top=20)
    picture.y_axis(Scale(0, 4, 160, 20), 40, "mass [kg]", right=280)
    texts = [shape.text for shape in picture.shapes if shape.kind == "text"]
    assert texts == ["0", "2", "4", "6", "8", "10", "time", "0", "1", "2", "3", "4", "mass [kg]"]
    lines = [shape.points for shape in picture.shapes if shape.kind == "line"]
    assert ((40, 20), (40, 164)) in lines
    assert ((36, 90), (280, 90)) in lines
    dated = Picture("Dates", "Dates", 300, 200)
    dated.x_axis(Scale(0, 10, 40, 280), 160, marks=[(5, "May 2026")])
    assert [shape.text for shape in dated.shapes if shape.kind == "text"] == ["May 2026"]
