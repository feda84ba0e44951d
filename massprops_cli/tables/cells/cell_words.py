"""Words that stand in a number's place where there is none: ``TBD``, ``N/A``, ``-``. Data, not code."""

from __future__ import annotations

from functools import lru_cache

from massprops_cli.tables.cells.number_text import BLANKS
from massprops_cli.tables.words import words


@lru_cache(maxsize=1)
def blank_words() -> frozenset[str]:
    """Load the words of ``words/blanks.toml``, in small letters."""
    return frozenset(text.casefold() for word in words("blanks")["word"] for text in word["texts"])


def is_blank_word(text: str) -> bool:
    """Tell whether a cell of a number column says in words that it holds no number; an empty cell does not.

    >>> is_blank_word(" n/a "), is_blank_word("- None -"), is_blank_word("0"), is_blank_word("")
    (True, True, False, False)
    """
    return text.strip(BLANKS).casefold() in blank_words()
