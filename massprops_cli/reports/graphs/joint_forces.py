"""The mass matrix and joint forces of a mechanism on the screen and as csv."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from massprops_cli.reports.page import Grid, Line, PageBlock, TextSpan, text_line

_DIGITS = 6
_ROUNDING = 1e-15
"""Less than this share of the largest number is shown as 0."""


def _columns(content: Mapping[str, Any]) -> list[tuple[str, list[float]]]:
    """Return the columns: those of the mass matrix, then C and T if there are any."""
    names, matrix = content["coordinates"], content["M"]
    found = [(f"M {name}", [row[k] for row in matrix]) for k, name in enumerate(names)]
    return found + [(name, content[name]) for name in ("C", "T") if name in content]


def joint_force_csv(content: Mapping[str, Any]) -> str:
    """Write the mass matrix, with C and T next to it, as csv.

    Parameters
    ----------
    content : mapping
        ``coordinates``, ``M``, and ``C`` and ``T`` if computed.

    Returns
    -------
    str
        A row for each coordinate, numbers with all their digits.

    Examples
    --------
    >>> joint_force_csv({"coordinates": ["A"], "M": [[2.0]], "C": [-1.5]})
    'coordinate,M A,C\\nA,2.0,-1.5\\n'
    """
    import csv
    import io

    columns, out = _columns(content), io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["coordinate", *(name for name, _ in columns)])
    for k, name in enumerate(content["coordinates"]):
        writer.writerow([name, *(repr(values[k]) for _, values in columns)])
    return out.getvalue()


def joint_force_blocks(content: Mapping[str, Any]) -> list[PageBlock]:
    """Lay out the mass matrix, with C and T next to it.

    Parameters
    ----------
    content : mapping
        As for ``joint_force_csv``.

    Returns
    -------
    list of PageBlock
        A heading, and a row for each coordinate.
    """
    names, columns = content["coordinates"], _columns(content)
    title = text_line(
        TextSpan(f"{content['mechanism'] or 'mechanism'}: ", "strong"), f"{len(names)} degrees of freedom"
    )
    small = _ROUNDING * max((abs(x) for _, values in columns for x in values), default=0.0)
    rows = [[TextSpan("", "dim"), *(TextSpan(name, "dim") for name, _ in columns)]]
    rows += [
        [
            TextSpan(name, "strong"),
            *(TextSpan(f"{values[k] if abs(values[k]) > small else 0:.{_DIGITS}g}") for _, values in columns),
        ]
        for k, name in enumerate(names)
    ]
    return [title, Line(), Grid(rows, "l" + "r" * len(columns))] if names else [title]
