"""Ids that look alike: invisible characters, letters of other scripts, other compositions of one letter.

The letters are those that common fonts draw like a Latin letter or digit; the full list of the Unicode
consortium (UTS 39) makes many more pairs that nobody would mistake in print, such as m and rn.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence

_CYRILLIC = dict(zip("АВЕЅІЈКМНОРСТУХаеѕіјорсухԛԝһ", "ABESIJKMHOPCTYXaesijopcyxqwh", strict=True))
_GREEK = dict(zip("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧοϲν", "ABEZHIKMNOPTYXocv", strict=True))
_DASHES = dict.fromkeys("‐‑‒–—−﹣", "-")
_QUOTES = dict.fromkeys("‘’ʼ′", "'")
_BLANKS = dict.fromkeys(
    "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000", " "
)
_FULL_WIDTH = {chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
_UNSEEN = dict.fromkeys(
    "\u00ad\u034f\u061c\u115f\u180e\u200b\u200c\u200d\u200e\u200f\u2060\u2061\u2062\u2063\u2064\ufe0e\ufe0f\ufeff",
    "",
)
_SEEN_AS = str.maketrans({**_CYRILLIC, **_GREEK, **_DASHES, **_QUOTES, **_BLANKS, **_FULL_WIDTH, **_UNSEEN})


def seen_as(text: str) -> str:
    """Give the plain text that a reader takes ``text`` for; upper and lower case stay apart.

    >>> seen_as("\\u0410-1\\u200b"), seen_as("e\\u0301") == seen_as("\\u00e9"), seen_as("a") == seen_as("A")
    ('A-1', True, False)
    """
    if text.isascii():
        return text
    seen = unicodedata.normalize("NFC", text).translate(_SEEN_AS)
    # an unseen character may have stood between a letter and its accent
    return (seen if seen.isascii() else unicodedata.normalize("NFC", seen)).strip()


def code_points(text: str) -> str:
    """Show a text with the code points of all but plain ASCII.

    >>> code_points("\\u0410-1")
    'U+0410 -1'
    """
    shown: list[str] = []
    for letter in text:
        if letter.isascii() and letter.isprintable():
            if shown and not shown[-1].startswith("U+"):
                shown[-1] += letter
            else:
                shown.append(letter)
        else:
            shown.append(f"U+{ord(letter):04X}")
    return " ".join(shown)


def look_alikes(ids: Iterable[str], known: Sequence[str]) -> list[tuple[str, str]]:
    """Find pairs of different ids that look the same: (the odder one, the plainer one).

    ``ids`` are distinct, ``known`` all of them as a sequence to ask at once whether any needs looking at.

    >>> look_alikes(["A1", "\\u04101"], ["A1", "\\u04101"])
    [('А1', 'A1')]
    """
    if all(map(str.isascii, known)):
        return []
    odd = {text: seen_as(text) for text in ids if not text.isascii()}
    plain = set(odd.values())
    first: dict[str, str] = {text: text for text in known if text in plain}
    pairs = []
    for text, seen in odd.items():
        twin = first.setdefault(seen, text)
        if twin != text:
            pairs.append((text, twin))
    return pairs
