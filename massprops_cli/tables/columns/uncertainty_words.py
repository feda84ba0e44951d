"""Words of the columns ``method`` and ``dist``: data, with what the user's own table of percentages adds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from massprops_cli.tables.cells.flags import coded
from massprops_cli.tables.cells.numbers import BLANKS
from massprops_cli.tables.columns.headings import squeeze
from massprops_cli.tables.words import words

BLANK, UNKNOWN = -1, -2
"""Codes of cells that say nothing, and of words that are not known."""


@lru_cache(maxsize=1)
def shipped() -> dict[str, dict[str, Any]]:
    """Load the words and percentages that come with the tool."""
    return words("uncertainty")


def percentages(own: Mapping[str, float]) -> dict[str, float]:
    """Give the percentage of every method word: the shipped ones, and over them the user's, in whatever form written.

    >>> percentages({"Weighed": 0.5, "guessed": 30.0})
    {'estimated': 10.0, 'calculated': 5.0, 'weighed': 0.5, 'guessed': 30.0}
    """
    percent: dict[str, float] = shipped()["sigma-percent"]
    known = written(percent, shipped()["method"])
    return {**percent, **{known.get(squeeze(word), word): value for word, value in own.items()}}


def methods(own: Mapping[str, float]) -> dict[str, str]:
    """Give the canonical word of every way to write a method, squeezed.

    >>> methods({})["calc"], methods({"Guessed": 30.0})["guessed"]
    ('calculated', 'Guessed')
    """
    return written(percentages(own), shipped()["method"])


def distributions() -> dict[str, str]:
    """Give the canonical word of every way to write a distribution, squeezed.

    >>> distributions()["gaussian"]
    'normal'
    """
    words = shipped()["distribution"]
    return written(words, words)


def written(canonical: Mapping[str, Any], others: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Give squeezed text → canonical word; a word of its own comes before another's synonym."""
    known = {squeeze(other): word for word, texts in others.items() for other in texts}
    return known | {squeeze(word): word for word in canonical}


def read_words(texts: Sequence[str], known: Mapping[str, str], canonical: Sequence[str]) -> NDArray[np.int8]:
    """Give the place in ``canonical`` of every text ``(n,)``, or BLANK, or UNKNOWN; each distinct text is read once.

    >>> read_words(["Gauss", "", "flat", "odd"], distributions(), ["normal", "uniform"]).tolist()
    [0, -1, 1, -2]
    """
    place = {word: k for k, word in enumerate(canonical)}

    def code(text: str) -> int:
        if not text.strip(BLANKS):
            return BLANK
        return place.get(known.get(squeeze(text), ""), UNKNOWN)

    return coded(texts, code)


def mostly_known(texts: Sequence[str], known: Mapping[str, str]) -> bool:
    """Tell whether at least half of the cells that say something say a known word, and one does.

    >>> mostly_known(["E", "W", "calk", ""], methods({})), mostly_known(["welded", "cast", "E"], methods({}))
    (True, False)
    """
    codes = read_words(texts, known, list(dict.fromkeys(known.values())))
    good = int((codes >= 0).sum())
    return 0 < good >= int((codes == UNKNOWN).sum())
