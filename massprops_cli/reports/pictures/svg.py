"""Pictures as SVG: shapes with a colour role, scales with round marks, axes, and the palette in light and dark mode.

A picture has a title and a description, which screen readers read, and shapes may have a tip. Coordinates are pixels,
y downwards. A shape has the name of a colour of ``PALETTE``; pages and files turn it into a custom property of CSS.
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple
from unicodedata import east_asian_width

from massprops_cli.reports.page.page import TextSpan

PALETTE = {
    "paper": ("#ffffff", "#11151a"), "panel": ("#f4f6f8", "#1a2028"), "ink": ("#1c2128", "#e8edf2"),
    "muted": ("#57606a", "#a3aeb9"), "grid": ("#d0d7de", "#3a444f"), "blue": ("#0065a8", "#62b5f0"),
    "orange": ("#a84600", "#f0975a"), "green": ("#00704f", "#4cc79c"), "purple": ("#8f3f73", "#dc94c1"),
    "red": ("#b3261e", "#ff8a80"), "amber": ("#7d5700", "#e0b050"), "teal": ("#00696e", "#54c4c9"),
    "grey": ("#5f6973", "#a3aeb9"), "blue-tint": ("#bcdcf5", "#17466b"), "orange-tint": ("#f7d3b8", "#6b3a17"),
    "green-tint": ("#bfe6d6", "#155240"), "purple-tint": ("#ecd0e2", "#5c2f4b"), "amber-tint": ("#f3e3ac", "#584a12"),
    "teal-tint": ("#c6e7e9", "#14505a"), "grey-tint": ("#dcdfe3", "#3a434d"), "red-tint": ("#f6c9c6", "#6b2824"),
}  # fmt: skip
"""Colours in light and in dark mode. All but grid and tints have a contrast of 4.5 on paper; ink has it on tints."""
TINTS = tuple(name for name in PALETTE if name.endswith("-tint"))
_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', Arial, sans-serif"
_INVALID_IN_XML = re.compile("[\ud800-\udfff\ufffe\uffff]")


class FigureShape(NamedTuple):
    """An area (closed), a line, a dot (``size`` is the radius) or a text (``size`` of the font) at the first point."""

    kind: str
    points: tuple[tuple[float, float], ...]
    role: str
    size: float = 1.0
    text: str = ""
    anchor: str = "start"
    tip: str = ""
    dash: str = ""
    opacity: float = 1.0
    bold: bool = False
    edge: str = ""  # colour of the outline of an area or a dot


class Scale:
    """A linear scale from values to pixels, with marks at round values."""

    def __init__(self, low: float, high: float, start: float, end: float, marks: int = 6) -> None:
        if not (math.isfinite(low) and math.isfinite(high)):
            low, high = 0.0, 1.0
        if low == high:
            low, high = low - (abs(low) or 1.0) / 2, high + (abs(high) or 1.0) / 2
        self.low, self.high, self.start, self.end = low, high, start, end
        self.marks = _round_marks(low, high, marks)

    def __call__(self, value: float) -> float:
        """Return the pixel of a value."""
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)

    def widened(self, share: float = 0.05) -> Scale:
        """Return a scale with space before and after the values."""
        space = (self.high - self.low) * share
        return Scale(self.low - space, self.high + space, self.start, self.end, len(self.marks))

    def mark_texts(self) -> list[tuple[float, str]]:
        """Return the marks and their texts, all with the same decimals."""
        step = self.marks[1] - self.marks[0] if len(self.marks) > 1 else abs(self.marks[0]) if self.marks else 1.0
        largest = max(map(abs, self.marks), default=0.0)
        decimals = max(0, -math.floor(math.log10(step) + 1e-9)) if step else 0
        if largest >= 1e7 or decimals > 6:
            return [(mark, f"{mark:.3g}") for mark in self.marks]
        return [(mark, f"{mark:,.{decimals}f}".replace("-", "−")) for mark in self.marks]


def _round_marks(low: float, high: float, most: int = 6) -> list[float]:
    """Return at most ``most`` multiples of 1, 2 or 5 times a power of ten between two values."""
    spread = high - low
    if not (math.isfinite(spread) and spread > 0):
        return [low]
    power = 10.0 ** math.floor(math.log10(spread / most))
    for step in (power, 2 * power, 5 * power, 10 * power, 20 * power):
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        if last - first + 1 <= most:
            return [(k * step if step >= 1 else k / round(1 / step, 12)) + 0.0 for k in range(first, last + 1)] or [low]
    return [low]


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """Estimate the width of a text in pixels, that of a wide font: fonts of readers differ by about 10 %."""
    return size * sum(map(_letter_width, text)) * (1.1 if bold else 1.0)


def _letter_width(letter: str) -> float:
    """Return the width of a letter as a share of the size of the font."""
    if east_asian_width(letter) in "WF":
        return 1.0
    return 0.34 if letter in "il.,:;|'! -()" else 0.95 if letter in "MWmw%" else 0.7 if letter.isupper() else 0.61


def fitted_text(text: str, width: float, size: float, *, bold: bool = False) -> str:
    """Shorten a text to a width in pixels; empty where not even three letters fit."""
    text = TextSpan(text).text
    if text_width(text, size, bold=bold) <= width:
        return text
    kept, used = 0, text_width("…", size)
    for one in text:
        used += text_width(one, size, bold=bold)
        if used > width:
            break
        kept += 1
    return f"{text[:kept].rstrip()}…" if kept > 2 else ""


def xml_text(text: str) -> str:
    """Escape a text of a table for XML and HTML; control characters and changes of direction become blanks."""
    return html.escape(_INVALID_IN_XML.sub("\ufffd", TextSpan(text).text))


def palette_css(selector: str = ":root") -> str:
    """Return the palette as custom properties, for light and dark mode; print has the light one."""
    light, dark = (";".join(f"--{name}:{pair[k]}" for name, pair in PALETTE.items()) for k in (0, 1))
    rule = f"{selector}{{color-scheme:light dark;{light}}}"
    return f"{rule}@media screen and (prefers-color-scheme:dark){{{selector}{{{dark}}}}}" + _shape_css(selector)


def _shape_css(selector: str) -> str:
    """Return the classes that colour shapes: fill, outline and text of each colour."""
    scope = "" if selector == ":root" else f"{selector} "
    fills = "".join(
        f"{scope}.f-{name}{{fill:var(--{name})}}{scope}.s-{name}{{stroke:var(--{name})}}" for name in PALETTE
    )
    return f"{fills}svg text{{font-family:{_FONT}}}"


class Picture:
    """A picture: its title, its description, its size in pixels and its shapes."""

    def __init__(self, title: str, description: str, width: float = 640.0, height: float = 300.0) -> None:
        self.title, self.description, self.width, self.height = title, description, width, height
        self.shapes: list[FigureShape] = []

    def area(
        self, points: Iterable[tuple[float, float]], role: str, tip: str = "", *, opacity: float = 1.0, edge: str = ""
    ) -> None:
        """Draw a closed polygon."""
        self.shapes.append(FigureShape("area", tuple(points), role, tip=tip, opacity=opacity, edge=edge))

    def bar(self, x0: float, y0: float, x1: float, y1: float, role: str, tip: str = "", *, edge: str = "") -> None:
        """Draw a rectangle between two corners."""
        self.area(((x0, y0), (x1, y0), (x1, y1), (x0, y1)), role, tip, edge=edge)

    def band(
        self, xs: Sequence[float], lows: Sequence[float], highs: Sequence[float], role: str, tip: str = ""
    ) -> None:
        """Draw the area between two curves of pixels, such as an interval of uncertainty."""
        lower, upper = zip(xs, lows, strict=True), zip(xs, highs, strict=True)
        self.area([*lower, *reversed(list(upper))], role, tip, opacity=0.25)

    def line(
        self, points: Iterable[tuple[float, float]], role: str, width: float = 1.5, tip: str = "", *, dash: str = ""
    ) -> None:
        """Draw a line through points; ``dash`` as in SVG: ``4 3``."""
        self.shapes.append(FigureShape("line", tuple(points), role, width, tip=tip, dash=dash))

    def dot(self, x: float, y: float, role: str, radius: float = 3.0, tip: str = "", *, edge: str = "") -> None:
        """Draw a dot."""
        self.shapes.append(FigureShape("dot", ((x, y),), role, radius, tip=tip, edge=edge))

    def text(
        self, x: float, y: float, text: str, role: str = "ink", size: float = 12.0, anchor: str = "start",
        *, bold: bool = False,
    ) -> None:  # fmt: skip
        """Write a text with its baseline at y; ``anchor`` is start, middle or end."""
        self.shapes.append(FigureShape("text", ((x, y),), role, size, TextSpan(text).text, anchor, bold=bold))

    def x_axis(
        self, scale: Scale, y: float, label: str = "", top: float | None = None,
        marks: Sequence[tuple[float, str]] | None = None,
    ) -> None:  # fmt: skip
        """Draw a horizontal axis at y; with grid lines up to ``top``, and with other marks, such as dates."""
        self.line(((scale.start, y), (scale.end, y)), "grid", 1)
        for value, text in scale.mark_texts() if marks is None else marks:
            self.line(((scale(value), y if top is None else top), (scale(value), y + 4)), "grid", 1)
            self.text(scale(value), y + 16, text, "muted", 11, "middle")
        if label:
            self.text((scale.start + scale.end) / 2, y + 32, label, "muted", 11, "middle")

    def y_axis(
        self, scale: Scale, x: float, label: str = "", right: float | None = None,
        marks: Sequence[tuple[float, str]] | None = None,
    ) -> None:  # fmt: skip
        """Draw a vertical axis at x, its label above it; with grid lines up to ``right``."""
        for value, text in scale.mark_texts() if marks is None else marks:
            self.line(((x - 4, scale(value)), (x if right is None else right, scale(value))), "grid", 1)
            self.text(x - 7, scale(value) + 4, text, "muted", 11, "end")
        if label:
            self.text(x - 7, min(scale.start, scale.end) - 10, label, "muted", 11, "start")

    def svg(self, *, is_file: bool = False) -> str:
        """Return the picture as SVG for a page, whose style has the palette, or as a file that has it."""
        size = f'viewBox="0 0 {_number(self.width)} {_number(self.height)}"'
        title, description = xml_text(self.title), xml_text(self.description)
        head = f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{title}" {size}'
        head += f' width="{_number(self.width)}" height="{_number(self.height)}">' if is_file else ">"
        parts = [f"{head}<title>{title}</title><desc>{description}</desc>"]
        if is_file:
            parts.append(f"<style>{palette_css('svg')}</style>")
            parts.append('<rect class="f-paper" fill="#ffffff" width="100%" height="100%"/>')
        return "".join((*parts, *map(_shape_svg, self.shapes), "</svg>")) + ("\n" if is_file else "")

    def _repr_svg_(self) -> str:
        """Return the picture for a notebook."""
        return self.svg(is_file=True)


def _number(value: float) -> str:
    """Write a pixel with one decimal."""
    text = f"{value if math.isfinite(value) else 0.0:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def _shape_svg(shape: FigureShape) -> str:
    """Write a shape; colours are attributes too, for programs that know no custom properties."""
    colour = PALETTE[shape.role][0]
    points = " ".join(f"{_number(x)},{_number(y)}" for x, y in shape.points)
    x, y = map(_number, shape.points[0]) if shape.points else ("0", "0")
    if shape.kind == "text":
        look = f' text-anchor="{shape.anchor}"' * (shape.anchor != "start") + ' font-weight="600"' * shape.bold
        font = f'class="f-{shape.role}" fill="{colour}" font-size="{_number(shape.size)}" font-family="sans-serif"'
        return f'<text x="{x}" y="{y}" {font}{look}>{xml_text(shape.text)}</text>'
    if shape.kind == "line":
        dash = f' stroke-dasharray="{shape.dash}"' * bool(shape.dash)
        stroke = f'class="s-{shape.role}" fill="none" stroke="{colour}" stroke-width="{_number(shape.size)}"{dash}'
        name, place = "polyline", f'points="{points}" {stroke}'
    else:
        edge = f'stroke="{PALETTE[shape.edge][0]}"' if shape.edge else ""
        names = f"f-{shape.role} s-{shape.edge}" if shape.edge else f"f-{shape.role}"
        look = f'class="{names}" fill="{colour}" {edge}'.rstrip()
        look += f' fill-opacity="{shape.opacity}"' * (shape.opacity != 1)
        name = "circle" if shape.kind == "dot" else "polygon"
        place = f'cx="{x}" cy="{y}" r="{_number(shape.size)}"' if shape.kind == "dot" else f'points="{points}"'
        place += f" {look}"
    return f"<{name} {place}><title>{xml_text(shape.tip)}</title></{name}>" if shape.tip else f"<{name} {place}/>"
