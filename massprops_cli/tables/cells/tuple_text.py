"""Several numbers in one cell: ``(1, 2, 3)``, ``1;2;3``, ``[1 2 3]``, ``X=1 Y=2 Z=3``."""

from __future__ import annotations

import re
from collections.abc import Sequence

Spans = tuple[tuple[int, int], ...]
"""Where the parts of a tuple stand in its text: (start, end) of each, in the order of the quantities."""

LONGEST = 400
"""A longer text is no tuple."""
AXES = ("x", "y", "z")

_BRACKETS = {"(": ")", "[": "]", "{": "}", "<": ">"}
_PART = re.compile(r"[+\-−]?(?:\d[\d.,]*|[.,]\d+)(?:[eE][+-]?\d+)?")
_BETWEEN = (re.compile(r"\s*;\s*"), re.compile(r"\s*,\s+"), re.compile(r"\s*,\s*"), re.compile(r"\s+"))
"""What may stand between two parts; a comma may also stand within one, as a decimal or a thousands comma."""
_LABEL = re.compile(r"\b([xyzXYZ])\s*[=:]\s*")


def split_tuple(text: str, n: int) -> Spans | None:
    """Find the ``n`` numbers of a cell; None where it does not hold so many, or can be cut in more than one way.

    The parts are those of the cell as it is written; whether each is a number is for the reader of numbers to say.

    >>> [(a, b) for a, b in split_tuple("(1, 2.5, -3)", 3)]
    [(1, 2), (4, 7), (9, 11)]
    >>> parts_of("1,5; 2,0; 3,5", 3), parts_of("[1 2 3]", 3), parts_of("Z: 3 X: 1 Y: 2", 3)
    (['1,5', '2,0', '3,5'], ['1', '2', '3'], ['1', '2', '3'])
    >>> parts_of("1, 2", 3), parts_of("1,2,3,4,5,6", 3), parts_of("7", 3)
    (None, None, None)
    """
    if len(text) > LONGEST:
        return None
    start, end = _inside(text)
    if n == len(AXES) and _LABEL.search(text, start, end):
        return _labelled(text, start, end)
    ways = {way for between in _BETWEEN if (way := _cut(text, start, end, between, n)) is not None}
    return ways.pop() if len(ways) == 1 else None


def parts_of(text: str, n: int) -> list[str] | None:
    """Give the texts of a cell's ``n`` numbers, or None.

    >>> parts_of("<1e3 0 -.5>", 3)
    ['1e3', '0', '-.5']
    """
    spans = split_tuple(text, n)
    return None if spans is None else [text[a:b] for a, b in spans]


def may_be_number(text: str) -> bool:
    """Tell whether a text may stand as a part of a tuple: a number, with whatever marks.

    >>> may_be_number("1.234,5"), may_be_number("kg*m^2")
    (True, False)
    """
    return _PART.fullmatch(text) is not None


def with_parts(text: str, spans: Spans, texts: Sequence[str]) -> str:
    """Write other numbers into a tuple's text, and leave all that stands between them.

    >>> with_parts("X=1 Y=2 Z=3", split_tuple("X=1 Y=2 Z=3", 3), ["10", "0.5", "-3"])
    'X=10 Y=0.5 Z=-3'
    """
    for (start, end), new in sorted(zip(spans, texts, strict=True), reverse=True):
        text = text[:start] + new + text[end:]
    return text


def _inside(text: str) -> tuple[int, int]:
    """Give where a text begins and ends without blanks and one pair of brackets around it."""
    start, end = _trimmed(text, 0, len(text))
    if end - start >= 2 and _BRACKETS.get(text[start]) == text[end - 1]:
        return _trimmed(text, start + 1, end - 1)
    return start, end


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _cut(text: str, start: int, end: int, between: re.Pattern[str], n: int) -> Spans | None:
    """Cut a text at one kind of separator; None where that does not give ``n`` parts that may be numbers."""
    edges = [start]
    for match in between.finditer(text, start, end):
        edges += [match.start(), match.end()]
    edges.append(end)
    spans = tuple(zip(edges[::2], edges[1::2], strict=True))
    if len(spans) != n or not all(_PART.fullmatch(text, a, b) and text[b - 1] != "," for a, b in spans):
        return None
    return spans


def _labelled(text: str, start: int, end: int) -> Spans | None:
    """Read parts by their labels, in whatever order they stand."""
    labels = list(_LABEL.finditer(text, start, end))
    names = [match[1].lower() for match in labels]
    if sorted(names) != list(AXES) or labels[0].start() != start:
        return None
    spans: dict[str, tuple[int, int]] = {}
    for k, match in enumerate(labels):
        until = labels[k + 1].start() if k + 1 < len(labels) else end
        last = len(text[match.end() : until].rstrip(" \t,;")) + match.end()
        if not _PART.fullmatch(text, match.end(), last):
            return None
        spans[names[k]] = (match.end(), last)
    return tuple(spans[axis] for axis in AXES)
