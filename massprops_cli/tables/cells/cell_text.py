"""One cell of a number column taken apart: characters nobody sees, marks of an estimate, the number, its unit."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from massprops_cli.tables.cells.cell_separators import MARKS
from massprops_cli.tables.cells.number_text import BLANKS

INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\ufeff"))
"""Characters without width: the soft hyphen, joiners, marks of direction, the byte order mark."""

ESTIMATE = re.compile(r"(?:[~≈≃∼]|(?:ca|circa|approx|about)(?:\.|\b))\s*(?=[+-]?[.,]?[0-9])", re.IGNORECASE)
_PARTS = re.compile(
    rf"(?P<number>[+-]?[0-9.,](?:[0-9.,{MARKS}]*[0-9.,])?(?:[eE][+-]?[0-9]+)?)[{BLANKS}\u2009]*(?P<unit>[^\W\d_].*)?"
)


class CellText(NamedTuple):
    """A cell's ``number`` as written, the ``unit`` after it, and whether it was ``estimated`` or held ``hidden`` marks.

    ``number`` is empty where the cell holds something else.
    """

    number: str
    unit: str = ""
    estimated: bool = False
    hidden: bool = False


@lru_cache(maxsize=4096)
def take_apart(text: str) -> CellText:
    """Take a cell apart.

    >>> take_apart(" ~ 1,5 kg"), take_apart("1 234,5").number, take_apart("<3").number
    (CellText(number='1,5', unit='kg', estimated=True, hidden=False), '1 234,5', '')
    """
    visible = text.translate(INVISIBLE)
    bare = visible.strip(BLANKS)
    number = ESTIMATE.sub("", bare, count=1) if ESTIMATE.match(bare) else bare
    match = _PARTS.fullmatch(number)
    if match is None:
        return CellText("")
    return CellText(match["number"], match["unit"] or "", number != bare, visible != text)
