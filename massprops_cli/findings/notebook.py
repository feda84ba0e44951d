"""What notebooks show: tables of HTML with a caption and headers, every text escaped, and the progress of a run.

IPython is not imported: a notebook has loaded it.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any

_MOST_ROWS = 40  # of a table in a cell
_PROGRESS_DELAY = 1.0
"""Seconds before the progress of a run is shown, and between two updates a tenth of it."""


def html_table(caption: str, header: Sequence[str], rows: Iterable[Sequence[object]], count: int) -> str:
    """Write a table as HTML."""
    from html import escape  # a run outside a notebook shows no table

    head = "".join(f'<th scope="col">{escape(text)}</th>' for text in header)
    lines = []
    for first, *others in islice(rows, _MOST_ROWS):
        cells = "".join(f"<td>{_cell_html(value)}</td>" for value in others)
        lines.append(f'<tr><th scope="row">{_cell_html(first)}</th>{cells}</tr>')
    rest = count - len(lines)
    foot = f'<tfoot><tr><td colspan="{len(header)}">{rest:,} more rows</td></tr></tfoot>' if rest > 0 else ""
    return (
        f"<table><caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{''.join(lines)}</tbody>{foot}</table>"
    )


def _cell_html(value: object) -> str:
    """Write a cell; a number that is not known is blank."""
    from html import escape

    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.6g}"
    return "" if value is None else escape(str(value))


@contextmanager
def notebook_progress(doing: str) -> Iterator[Callable[[int, int], None]]:
    """Show the progress of a run in the output of a notebook cell after one second; nothing elsewhere."""
    display: Any = _notebook_display()
    if display is None:
        yield lambda done, total: None
        return
    shown: list[Any] = []
    last = time.monotonic() + 0.9 * _PROGRESS_DELAY

    def advance(done: int, total: int) -> None:
        """Update the progress bar, at most ten times a second."""
        nonlocal last
        if time.monotonic() - last < 0.1 * _PROGRESS_DELAY:
            return
        last = time.monotonic()
        from html import escape

        name = escape(doing)
        bar = display.HTML(f'<progress aria-label="{name}" value="{done}" max="{total}"></progress> {name}')
        if shown:
            shown[0].update(bar)
        else:
            shown.append(display.display(bar, display_id=True))

    try:
        yield advance
    finally:
        if shown:
            shown[0].update(display.HTML(""))


def _notebook_display() -> object | None:
    """Return the module ``IPython.display`` if this process runs the cells of a notebook."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    if any(base.__name__ == "ZMQInteractiveShell" for base in type(shell).__mro__):
        return sys.modules.get("IPython.display")
    return None
