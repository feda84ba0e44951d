"""Picture of the entries of a mass matrix that are not 0 whatever the pose, by serial segments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from massprops_cli.findings.finding import count_with_noun
from massprops_cli.reports.plots import draw_title, new_figure, save_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_INCHES, _LARGEST = 0.26, 9.0  # size of one entry, and of the matrix at most
_LETTER = 0.072  # inches of a letter of a name
_MOST_NAMES = 60  # coordinates beyond which only segments are named
_BLUE, _PALE, _GREY = "#0072B2", "#C9DFEF", "#767676"


def pattern_plot(rows: Sequence[Mapping[str, Any]], title: str, path: str, *, replaces: bool = True) -> None:
    """Draw the rows of a pattern; within a segment dark, between related segments pale."""
    save_figure(path, lambda: _pattern_figure(rows, title), replaces=replaces)


def _pattern_figure(rows: Sequence[Mapping[str, Any]], title: str) -> Figure:
    """Draw one square for each entry that is not 0, and lines between segments."""
    from matplotlib.patches import Rectangle

    names = [row["coordinate"] for row in rows]
    at = {name: k for k, name in enumerate(names)}
    n = len(names)
    segments = [
        (name, [at[row["coordinate"]] for row in own]) for name, own in groupby(rows, lambda row: row["segment"])
    ]
    labels = names if n <= _MOST_NAMES else [f"segment {name}" for name, _ in segments]
    places = [*range(n)] if n <= _MOST_NAMES else [own[0] for _, own in segments]
    size, margin = min(_INCHES * n, _LARGEST), 0.25 + _LETTER * max(map(len, labels), default=0)
    width, height = max(margin + size + 0.2, 6.6), size + margin + 0.75
    figure = new_figure(width, height)
    filled = sum(len(row["related"]) for row in rows)
    words = f"{count_with_noun(n, 'coordinate')}, {count_with_noun(len(segments), 'serial segment')}"
    words += " (pale: between segments)" if len(segments) > 1 else ""
    draw_title(figure, title, f"{words}, {filled} of {n * n} entries are not 0")
    axes = figure.add_axes((margin / width, 0.15 / height, size / width, size / height))
    edge = 0.8 if n <= _MOST_NAMES else 0.0
    for _, own in segments:
        for row in own:
            for name in rows[row]["related"]:
                is_own = at[name] in own
                axes.add_patch(
                    Rectangle(
                        (at[name], row), 1, 1, facecolor=_BLUE if is_own else _PALE, edgecolor="white", linewidth=edge
                    )
                )
    for _, own in segments[1:]:
        for line in (axes.axhline, axes.axvline):
            line(own[0], color=_GREY, linewidth=0.5)
    axes.set_xlim(0, n)
    axes.set_ylim(n, 0)
    axes.set_aspect("equal")
    for spine in axes.spines.values():
        spine.set_visible(True)
    axes.set_yticks([k + 0.5 for k in places], labels)
    axes.set_xticks([k + 0.5 for k in places], labels, rotation=90)
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    return figure
