"""The mass matrix and joint forces of a mechanism on the screen and as csv."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from massprops_cli.reports.page.findings import count_with_noun
from massprops_cli.reports.page.page import Grid, Line, PageBlock, TextSpan, escape_workflow_commands, text_line

_DIGITS = 6  # significant digits of an entry
_GAP = 2
"""Blanks before each column."""
_ROUNDING = 1e-15
"""Less than this share of the largest number is shown as 0."""


def _columns(content: Mapping[str, Any]) -> list[tuple[str, list[float]]]:
    """Return the columns: those of the mass matrix, then C and T if there are any."""
    names, matrix = content["coordinates"], content["M"]
    found = [(f"M {name}", [row[k] for row in matrix]) for k, name in enumerate(names)]
    return found + [(name, content[name]) for name in ("C", "T") if name in content]


def joint_force_csv(content: Mapping[str, Any]) -> str:
    """Write the mass matrix, with C and T next to it, as csv."""
    import csv
    import io

    columns, out = _columns(content), io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["coordinate", *(_cell_text(name) for name, _ in columns)])
    for k, name in enumerate(content["coordinates"]):
        writer.writerow([_cell_text(name), *(repr(values[k]) for _, values in columns)])
    return out.getvalue()


def _cell_text(name: str) -> str:
    """Return a name on one line that no host of code reads as a command."""
    return escape_workflow_commands(TextSpan(name).text)


def joint_force_blocks(content: Mapping[str, Any], width: int | None = None) -> list[PageBlock]:
    """Lay out the mass matrix, with C and T next to it."""
    names, columns = content["coordinates"], _columns(content)
    title = text_line(
        TextSpan(f"{content['mechanism'] or 'mechanism'}: ", "strong"),
        count_with_noun(len(names), "degree") + " of freedom",
    )
    small = _ROUNDING * max((abs(x) for _, values in columns for x in values), default=0.0)
    texts = [
        (name, [f"{value if abs(value) > small else 0:.{_DIGITS}g}" for value in values]) for name, values in columns
    ]
    blocks: list[PageBlock] = [title]
    for part in _parts_of_width(texts, max((len(name) for name in names), default=0), width) if names else []:
        heads = [TextSpan("", "dim"), *(TextSpan(name, "dim") for name, _ in part)]
        rows = [[TextSpan(name, "strong"), *(TextSpan(own[k]) for _, own in part)] for k, name in enumerate(names)]
        blocks += [Line(), Grid([heads, *rows], "l" + "r" * len(part))]
    return blocks


_Texts = list[tuple[str, list[str]]]


def _parts_of_width(columns: _Texts, first: int, width: int | None) -> list[_Texts]:
    """Divide columns into parts that fit the screen next to a first column of some characters, one at least each."""
    parts: list[_Texts] = [[]]
    room = left = (width or 0) - first - _GAP
    for name, texts in columns:
        need = max(len(text) for text in (name, *texts)) + _GAP
        if width is not None and parts[-1] and need > left:
            parts.append([])
            left = room
        parts[-1].append((name, texts))
        left -= need
    return parts
