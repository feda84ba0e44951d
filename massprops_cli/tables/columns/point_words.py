"""What a header says that its inertia is about: ``Ixx about origin``, ``Lxx (taken at the center of mass)``."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from massprops_cli.tables.words import words

ORIGIN, OWN = "origin", "own"
"""The points that headers name: the origin of the table's frame, each item's own centre of mass."""


class Said(NamedTuple):
    """A header without the point that it names: the ``text``, and ORIGIN, OWN or nothing."""

    text: str
    about: str


@lru_cache(maxsize=1)
def points() -> dict[str, str]:
    """Load the words for points, in lower case: words → ORIGIN or OWN."""
    return {text.lower(): point for point, texts in words("points").items() for text in texts}


@lru_cache(maxsize=1)
def _pattern() -> re.Pattern[str]:
    named = "|".join(re.escape(text) for text in sorted(points(), key=len, reverse=True))
    before = r"(?:\b(?:taken\s+)?(?:about|at|around|through|wrt|with\s+respect\s+to|relative\s+to)\s+|@\s*)"
    aligned = r"(?:,?\s*(?:and\s+)?aligned\s+with\s+the\s+output\s+coordinate\s+system)?"
    phrase = rf"{before}(?:(?:the|its|their|own)\s+)*(?P<{{}}>{named})(?![^\W_]){aligned}"
    whole = rf"\s*[\[(]\s*{phrase.format('a')}\s*[\])]|[\s,;:/_-]*{phrase.format('b')}"
    return re.compile(whole, re.IGNORECASE)


def split_point(text: str) -> Said:
    """Take the words for a point out of a header; only those that are known.

    >>> split_point("Ixx about origin [kg*m^2]"), split_point("Lxx (taken at the center of mass)")
    (Said(text='Ixx [kg*m^2]', about='origin'), Said(text='Lxx', about='own'))
    >>> split_point("Ixx"), split_point("Flow at origin station")
    (Said(text='Ixx', about=''), Said(text='Flow station', about='origin'))
    """
    match = _pattern().search(text)
    if match is None:
        return Said(text, "")
    rest = f"{text[: match.start()].rstrip()} {text[match.end() :].lstrip()}".strip()
    return Said(re.sub(r"\s+([\])])", r"\1", rest), points()[re.sub(r"\s+", " ", (match["a"] or match["b"])).lower()])


def names_point(text: str) -> bool:
    """Tell whether a header says that something is about a point, known or not.

    >>> names_point("Inertia about hinge"), names_point("Inertia")
    (True, False)
    """
    return re.search(r"(?:about|around|wrt|with\s+respect\s+to|relative\s+to)\s|@", text, re.IGNORECASE) is not None


def said_about(text: str) -> str:
    """Give the point that the header of an inertia names: ORIGIN, OWN or nothing.

    SolidWorks calls the tensor at the centre of mass Lxx, and the one at the output coordinate system Ixx.

    >>> said_about("Ixx @ origin"), said_about("Lxy [kg*mm^2]"), said_about("Ixx")
    ('origin', 'own', '')
    """
    return split_point(text).about or (OWN if re.match(r"\s*l[xyz]{2}(?![^\W_])", text, re.IGNORECASE) else "")
