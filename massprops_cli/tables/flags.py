"""Cells that are no measured numbers: truth values, sign conventions, quantities.

Each function looks at the distinct texts of a column once, so that a million rows cost little more than a
few. Positions count from the first text given.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.table import Coded
from massprops_cli.tables.number_text import INVISIBLE, counts_pieces, is_blank_word, visible
from massprops_cli.tables.numbers import BLANKS, Settled
from massprops_cli.tables.words import words

Mask = NDArray[np.bool_]
Positions = NDArray[np.intp]

TRUE_WORDS = frozenset(("true", "t", "yes", "y", "1"))
FALSE_WORDS = frozenset(("false", "f", "no", "n", "0"))
_BLANK, _BAD, _UNICODE, _IN_WORDS = 2, 3, 4, 5
_FORMULA = re.compile(r"=\s*(?P<word>\w+)\s*(?:\(\s*\))?")
_MINUS_SIGN = "\u2212"


class Flags(NamedTuple):
    """Truth values of n cells: ``values (n,)``, ``blank (n,)``, positions ``bad (k,)`` of other texts.

    ``in_words (k,)`` are positions of values written in other words than the plain ones: ``=TRUE()``, ``WAHR``.
    """

    values: Mask
    blank: Mask
    bad: Positions
    in_words: Positions


class Signs(NamedTuple):
    """Sign conventions of n cells: ``signs (n,)`` int8 +1, −1 or 0 (blank or bad), ``blank (n,)``.

    ``bad (k,)`` are positions of other texts, ``unicode (k,)`` those of a Unicode minus sign, read as -.
    """

    signs: NDArray[np.int8]
    blank: Mask
    bad: Positions
    unicode: Positions


@dataclass(frozen=True, slots=True)
class Quantities:
    """Quantities of n cells: ``count (n,)``, 1 where blank or bad; ``measured (n,)``: one piece of that size.

    ``blank (n,)``; ``bad (k,)`` positions of cells that are no numbers.
    """

    count: NDArray[np.float64]
    measured: Mask
    blank: Mask
    bad: Positions


def read_flags(texts: Sequence[str]) -> Flags:
    """Read true/false, t/f, yes/no, y/n, 1/0 and the words of ``words/truths.toml``, in any case.

    >>> read_flags(["TRUE", " no ", "", "maybe"]).values.tolist(), read_flags(["x", "1"]).bad.tolist()
    ([True, False, False, False], [0])
    >>> read_flags(["=TRUE()", "FALSCH"]).values.tolist(), read_flags(["=TRUE()", "1"]).in_words.tolist()
    ([True, False], [0])
    """
    codes = coded(texts, _flag_code)
    true = (codes == 1) | (codes == _IN_WORDS + 1)
    return Flags(true, codes == _BLANK, np.flatnonzero(codes == _BAD), np.flatnonzero(codes >= _IN_WORDS))


def _flag_code(text: str) -> int:
    word = text.strip(BLANKS).casefold()
    if not word:
        return _BLANK
    if word in TRUE_WORDS or word in FALSE_WORDS:
        return int(word in TRUE_WORDS)
    bare = word.translate(INVISIBLE).strip(BLANKS)
    if not bare:
        return _BLANK
    formula = _FORMULA.fullmatch(bare)
    said = truth_words().get(formula["word"] if formula else bare)
    return _BAD if said is None else _IN_WORDS + said


@lru_cache(maxsize=1)
def truth_words() -> dict[str, bool]:
    """Load words for true and false, in small letters, the plain ones among them but the digits and single letters.

    >>> truth_words()["vrai"], truth_words()["false"], "t" in truth_words()
    (True, False, False)
    """
    known = {word: True for word in TRUE_WORDS if len(word) > 1} | {
        word: False for word in FALSE_WORDS if len(word) > 1
    }
    for entry in words("truths")["word"]:
        known |= {word.casefold(): True for word in entry["true"]} | {word.casefold(): False for word in entry["false"]}
    return known


def read_signs(texts: Sequence[str]) -> Signs:
    """Read ``+`` and ``-``; a Unicode minus sign (U+2212) is a ``-``, an en dash is nothing.

    >>> signs = read_signs(["+", " - ", "\u2212", "\u2013", ""])
    >>> signs.signs.tolist(), signs.unicode.tolist(), signs.bad.tolist()
    ([1, -1, -1, 0, 0], [2], [3])
    """
    codes = coded(texts, _sign_code)
    unicode = codes == _UNICODE
    signs = np.where(unicode, -1, np.where(np.abs(codes) == 1, codes, 0)).astype(np.int8)
    return Signs(signs, codes == _BLANK, np.flatnonzero(codes == _BAD), np.flatnonzero(unicode))


def _sign_code(text: str) -> int:
    bare = text.strip(BLANKS)
    return {"": _BLANK, "+": 1, "-": -1, _MINUS_SIGN: _UNICODE}.get(bare, _BAD)


def read_quantities(settled: Settled, units: Sequence[str] | None = None) -> Quantities:
    """Read quantities: blank is 1; not whole, or with a unit of measure, is one piece of that size.

    ``settled`` is the quantity column read as numbers, ``units`` the texts of its unit of measure column, if
    there is one.

    >>> none = np.array([], dtype=np.intp)
    >>> settled = Settled(np.array([2.0, np.nan, 0.5]), np.array([False, True, False]), none)
    >>> read_quantities(settled).count.tolist(), read_quantities(settled, ["EA", "m", ""]).measured.tolist()
    ([2.0, 1.0, 0.5], [False, True, True])
    """
    count = np.where(np.isnan(settled.values), 1.0, settled.values)
    measured = count != np.floor(count)
    if units is not None:
        measured |= coded(units, _measures) == 1
    return Quantities(count, measured, settled.blank, settled.bad)


def _measures(text: str) -> int:
    return int(bool(visible(text)) and not counts_pieces(text) and not is_blank_word(text))


def coded(texts: Sequence[str], code: Callable[[str], int]) -> NDArray[np.int8]:
    """Give the code ``(n,)`` of every text; each distinct text is looked at once."""
    if isinstance(texts, Coded):
        distinct, numbers = texts.coded()
        return np.array([code(text) for text in distinct] or [0], np.int8)[numbers]
    known = {text: code(text) for text in set(texts)}
    return np.fromiter(map(known.__getitem__, texts), dtype=np.int8, count=len(texts))


def why_no_sign(text: str) -> str:
    """Say what stands where ``+`` or ``-`` belongs, by its name where it looks like one of them.

    >>> why_no_sign("\u2013")
    'is an en dash (U+2013), neither + nor -'
    """
    bare = text.strip(BLANKS)
    if len(bare) == 1 and not bare.isalnum() and not bare.isascii():
        name = unicodedata.name(bare, "character").lower()
        article = "an" if name[0] in "aeiou" else "a"
        return f"is {article} {name} (U+{ord(bare):04X}), neither + nor -"
    return f"is {bare}, neither + nor -"


def why_no_flag(text: str) -> str:
    """Say what stands where a truth value belongs.

    >>> why_no_flag(" maybe")
    'is maybe, not a truth value (true or false, yes or no, 1 or 0)'
    """
    return f"is {text.strip(BLANKS)}, not a truth value (true or false, yes or no, 1 or 0)"
