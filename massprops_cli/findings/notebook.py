"""Tables of HTML, as notebooks show values: with a caption and headers, and every text escaped."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape
from itertools import islice

_MOST_ROWS = 40


def html_table(caption: str, header: Sequence[str], rows: Iterable[Sequence[object]], count: int) -> str:
    """Write a table as HTML.

    Parameters
    ----------
    caption : str
        What the table shows.
    header : sequence of str
        Headers of the columns.
    rows : iterable of sequence
        Cells; the first of a row is its header. Numbers are written with six digits, None and NaN as blanks.
    count : int
        Number of rows; the first 40 are written, and the number of the others.

    Returns
    -------
    str
        HTML.

    Examples
    --------
    >>> html_table("Masses", ["id", "mass [kg]"], [["<A>", 2.0]], 1)[:39]
    '<table><caption>Masses</caption><thead>'
    """
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
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.6g}"
    return "" if value is None else escape(str(value))
