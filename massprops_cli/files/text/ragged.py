"""Rows of a delimited file that are not as wide as its header: titles above it are left alone, others are findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from massprops_cli.findings import Finding, Place, found

TITLE_ROWS = 40
"""How many rows of titles may stand above a header."""

_LOOKED_AT = 100
"""Rows that tell the usual width of a table."""

_RELATED = 1_000
_SHOWN = 12


def square(name: str, rows: list[list[str]], lines: Sequence[int]) -> list[Finding]:
    """Give every row the header's width; those that hold more or less are told, once for each number of fields.

    ``lines`` are the lines of the file on which the rows begin. Titles above the header are filled up with blanks.
    """
    header = header_row(rows)
    width = len(rows[header])
    for title in rows[:header]:
        title.extend([""] * (width - len(title)))
    ragged: dict[int, list[int]] = {}
    for i, count in enumerate(map(len, rows)):
        if count == width:
            continue
        if count > width and not any(rows[i][width:]):
            del rows[i][width:]
        else:
            ragged.setdefault(count, []).append(i)
    return [_said(name, lines, which, count, width) for count, which in ragged.items()]


def header_row(rows: Sequence[Sequence[str]]) -> int:
    """Give the row of the header: the first, unless shorter rows of titles stand above one of the usual width.

    A title has one field with text; where it has more, the row below the titles has to look like a header: all its
    fields have a text, and none is a number.

    >>> header_row([["Car"], ["id", "mass"], ["A", "1"]])
    1
    >>> header_row([["Car", "B"], ["id", "mass", "Cx"], ["A", "1", "2"], ["B", "1", "2"]])
    1
    >>> header_row([["id", "mass"], ["A", "1", "2"], ["B", "1", "2"]])
    0
    """
    usual = Counter(map(len, rows[:_LOOKED_AT])).most_common(1)[0][0]
    above = next((i for i, row in enumerate(rows[: TITLE_ROWS + 1]) if len(row) >= usual), 0)
    if not above or len(rows[above]) > usual:
        return 0
    if all(sum(map(bool, row)) <= 1 for row in rows[:above]):
        return above
    return above if all(text.strip() and not _is_number(text) for text in rows[above]) else 0


def _is_number(text: str) -> bool:
    try:
        float(text.replace(",", "."))
    except ValueError:
        return False
    return True


def _said(name: str, lines: Sequence[int], which: list[int], count: int, width: int) -> Finding:
    """Say which rows have a number of fields that is not the header's."""
    places = [Place(name, row=i + 1, line=int(lines[i])) for i in which[:_RELATED]]
    fields = "1 field" if count == 1 else f"{count} fields"
    message = f"the row has {fields}, the header {width}"
    if len(which) > 1:
        shown = ", ".join(str(place.line) for place in places[:_SHOWN])
        more = f" and {len(which) - _SHOWN:,} more" if len(which) > _SHOWN else ""
        message = f"{len(which):,} rows have {fields}, the header {width}: lines {shown}{more}"
    return found("MP108", message, places[0], count=len(which), related=tuple(places[1:]))
