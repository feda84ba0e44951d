"""Commas, points and separators between digits: which numbers a text can be.

A text is looked at in two ways, with a decimal point and with a decimal comma. Digits may then stand in groups of three
with one other mark between them: the comma or the point, a blank (U+0020, U+00A0, U+2009, U+202F), an apostrophe.
``1,234`` can be read both ways and gives two numbers; ``1,25`` and ``1.234,5`` can be read in one way only.
[ISO 80000-1:2022, 7.3; CLDR, number symbols of de, de-CH, en, fr]
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import NamedTuple

MARKS = ",'’ \u00a0\u2007\u2009\u202f"
"""What stands between groups of digits beside the point."""

_EXPONENT = r"(?:[eE][+-]?[0-9]+)?"


@cache
def _pattern(decimal: str) -> re.Pattern[str]:
    """Give what a number looks like with a decimal mark, the other one between its groups."""
    point, others = re.escape(decimal), MARKS if decimal == "." else MARKS.replace(",", ".")
    grouped = rf"[1-9][0-9]{{0,2}}(?P<mark>[{others}])[0-9]{{3}}(?:(?P=mark)[0-9]{{3}})*"
    return re.compile(rf"[+-]?(?:(?:{grouped}|[0-9]+)(?:{point}[0-9]*)?|{point}[0-9]+){_EXPONENT}")


class Readings(NamedTuple):
    """A text as a strict number, read with a decimal point and with a decimal comma; empty where it cannot be."""

    point: str
    comma: str

    def by(self, decimal: str) -> str:
        """Give the reading with one decimal mark."""
        return self.comma if decimal == "," else self.point

    @property
    def only(self) -> str:
        """Give the decimal mark of the only reading; empty where there are two numbers, one for both, or none."""
        return "" if bool(self.point) == bool(self.comma) else "," if self.comma else "."


@lru_cache(maxsize=4096)
def readings(text: str) -> Readings:
    """Read a trimmed text in both ways.

    >>> readings("1,234"), readings("1.234,5"), readings("1 234")
    (Readings(point='1234', comma='1.234'), Readings(point='', comma='1234.5'), Readings(point='1234', comma='1234'))
    """
    read = {}
    for decimal in (".", ","):
        match = _pattern(decimal).fullmatch(text)
        bare = "" if match is None else text.replace(match["mark"], "") if match["mark"] else text
        read[decimal] = bare.replace(",", ".")
    return Readings(read["."], read[","])


def decimal_of(texts: Iterable[str]) -> str:
    """Give the decimal mark of a column where some texts can be read with that one only, and none contradicts.

    >>> decimal_of(["1,25", "1,234", "7"]), decimal_of(["1,234.5", "1,234"]), decimal_of(["1,234"])
    (',', '.', '')
    >>> decimal_of(["1,25", "1.5"])
    ''
    """
    only = {readings(text).only for text in texts} - {""}
    return only.pop() if len(only) == 1 else ""
