"""What every picture is drawn on: its format, its look, and how it gets into a file, the same bytes every time."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from massprops_cli.findings import UsageError
from massprops_cli.report.page import FULL, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = {".svg": "svg", ".png": "png", ".pdf": "pdf"}
"""The formats of pictures, by suffix."""
BLUE, ORANGE, GREEN, DARK, GREY, PALE = "#0072B2", "#D55E00", "#009E73", "#222222", "#767676", "#D9D9D9"
"""Colours that colour-blind people tell apart (Okabe and Ito), and greys."""
STYLE: dict[Any, Any] = {
    "font.family": "DejaVu Sans",  # comes with Matplotlib, so a picture looks alike everywhere
    "font.size": 9,
    "text.color": DARK,
    "axes.edgecolor": GREY,
    "axes.labelcolor": GREY,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "xtick.color": GREY,
    "ytick.color": GREY,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "text.parse_math": False,  # ids may hold dollar signs
    "svg.hashsalt": "massprops",
    "savefig.dpi": 160,
}
NAMELESS: dict[str, dict[str, Any]] = {
    "svg": {"Date": None, "Creator": None},
    "png": {"Software": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}
"""Metadata that would make two pictures of the same numbers differ."""


def picture_format(name: str) -> str:
    """Tell the format of a picture from its name; raises UsageError for a suffix that is none.

    >>> picture_format("shares.SVG")
    'svg'
    """
    found = FORMATS.get(Path(name).suffix.lower())
    if found is None:
        raise UsageError(f"{name}: a picture is one of {', '.join(FORMATS)}, by its suffix")
    return found


def require_matplotlib() -> None:
    """Raise UsageError where Matplotlib is not installed."""
    from importlib.util import find_spec

    if find_spec("matplotlib") is None:
        raise UsageError("pictures need Matplotlib: pip install 'massprops[plot]'")


@contextmanager
def drawing(path: str, width: float, height: float) -> Iterator[Figure]:
    """Give an empty figure of so many inches, and write it to ``path`` when it is drawn, whole or not at all."""
    kind = picture_format(path)
    require_matplotlib()
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    from massprops_cli.files.atomic import whole_or_not

    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(width, height))
        FigureCanvasAgg(figure)
        yield figure
        with whole_or_not(path) as out, warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Glyph")  # a name in a script that the font lacks is drawn as boxes
            figure.savefig(out, format=kind, metadata=NAMELESS[kind])


def titled(figure: Figure, title: str, subtitle: str) -> None:
    """Write a title and a line below it, in the uppermost 0.6 inches."""
    height = figure.get_figheight()
    title, subtitle = shortened(title, 60, FULL), shortened(subtitle, 110, FULL)
    figure.text(0.02, 1 - 0.12 / height, title, fontsize=13, fontweight="bold", va="top")
    figure.text(0.02, 1 - 0.42 / height, subtitle, fontsize=9, color=GREY, va="top")


def bare(axes: Axes, *sides: str) -> None:
    """Take away the lines of some sides, and their ticks."""
    for side in sides:
        axes.spines[side].set_visible(False)
    axes.tick_params(length=0)
