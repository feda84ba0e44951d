"""One cell of a number column taken apart: characters nobody sees, marks of an estimate, the number, its unit."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from massprops_cli.tables.cells.cell_separators import MARKS
from massprops_cli.tables.cells.number_text import BLANKS

INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\ufeff"))
"""Characters without width: the soft hyphen, joiners, marks of direction, the byte order mark."""
_EDGES = BLANKS + "\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2008\u2009\u200a\u3000\r\n"

ESTIMATE = re.compile(r"(?:[~≈≃∼]|(?:ca|circa|approx|about)(?:\.|\b))\s*(?=[+-]?[.,]?[0-9])", re.IGNORECASE)
_PARTS = re.compile(
    rf"(?P<number>[+-]?[0-9.,](?:[0-9.,{MARKS}]*[0-9.,])?(?:[eE][+-]?[0-9]+)?)[{BLANKS}\u2009]*(?P<unit>(?:[^\W\d_]|[\"'″′]$).*)?"
)


class CellText(NamedTuple):
    """A cell's ``number`` as written, the ``unit`` after it, and whether it was ``estimated`` or held ``hidden`` marks.

    ``number`` is empty where the cell holds something else. ``otherwise`` is True where it was put into plain digits.
    """

    number: str
    unit: str = ""
    estimated: bool = False
    hidden: bool = False
    otherwise: bool = False


def visible(text: str) -> str:
    """Leave out characters without width, and blanks and line breaks at both ends.

    >>> visible("\u200b 3\u00a0kg\u3000")
    '3\\xa0kg'
    """
    return text.translate(INVISIBLE).strip(_EDGES)


@lru_cache(maxsize=4096)
def take_apart(text: str) -> CellText:
    """Take a cell apart.

    >>> take_apart(" ~ 1,5 kg"), take_apart("1 234,5").number, take_apart("<3").number
    (CellText(number='1,5', unit='kg', estimated=True, hidden=False, otherwise=False), '1 234,5', '')
    """
    from massprops_cli.tables.cells.other_writing import plainly  # many patterns, which most tables do not need

    bare = visible(text)
    number = ESTIMATE.sub("", bare, count=1) if ESTIMATE.match(bare) else bare
    plain = plainly(number)
    match = _PARTS.fullmatch(plain)
    if match is None or (match["unit"] or "m")[0].isnumeric():  # raised digits are letters to a pattern
        return CellText("")
    return CellText(match["number"], match["unit"] or "", number != bare, bare != text.strip(BLANKS), plain != number)
