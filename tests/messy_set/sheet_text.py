"""Sheets drawn as text: one row a line, cells between bars, as a supplier's workbook would look from far away."""

from __future__ import annotations

INVISIBLE = {"<nbsp>": "\u00a0", "<zwsp>": "\u200b", "<sp>": " ", "<bar>": "|", "<nl>": "\n"}


def cells_of(drawing: str) -> list[list[str | float | None]]:
    """Read a drawing: blanks are empty cells, numbers are numbers, and an apostrophe makes a text of anything.

    ``<nbsp>``, ``<zwsp>`` and ``<sp>`` represent invisible blanks; a line that is only a dot is an empty row.

    >>> cells_of("A-1 | 2.5 | '2.5 | ")
    [['A-1', 2.5, '2.5', None]]
    """
    return [[_cell(text.strip()) for text in line.split("|")] for line in drawing.strip("\n").splitlines()]


def _cell(text: str) -> str | float | None:
    if text in ("", "."):
        return None
    if text.startswith("'"):
        return visible(text[1:])
    try:
        number = float(text)
    except ValueError:
        return visible(text)
    return int(number) if number.is_integer() and "." not in text else number


def visible(text: str) -> str:
    """Put the invisible characters in place of their names."""
    for name, character in INVISIBLE.items():
        text = text.replace(name, character)
    return text
