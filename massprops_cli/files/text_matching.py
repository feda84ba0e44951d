"""The position of each text of a column in another column, by sorted 64-bit hashes, then by the bytes.

Only columns whose texts need no closer look are matched: ASCII without blanks around it, no text twice among those
that are searched, and no name without a text. All others return None, and the reader that has findings matches them.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.arrow import text_offsets

_LONGEST_TEXT = 64  # bytes of a text that is matched here
_MOST_BYTES = 2**31 - 1
"""Arrow's offsets of texts have 32 bits."""
_BLANK, _NUMBER_SIGN = 32, 35
_WORD_MASKS = np.array([(1 << 8 * k) - 1 for k in range(9)], np.uint64)
"""The first k bytes of a word of eight, in little-endian order."""
_FACTORS = tuple(np.uint64(k) for k in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))
"""Odd factors of the generator SplitMix64, which spread the bits of a word. [Steele, Lea, Flood 2014]"""

_Texts = tuple[NDArray[np.int64], NDArray[np.uint8]]
"""Offsets ``(n + 1,)`` and bytes of texts."""
_Words = NDArray[np.uint64]


def match_texts(names: Sequence[str], texts: Sequence[str]) -> NDArray[np.int32] | None:
    """Return the position of each name (n,) among texts (m,) that are all different; −1 for a blank name.

    None if some text needs a closer look, or if the columns are not Arrow's.
    """
    columns = [getattr(column, "column", None) for column in (texts, names)]
    if sys.byteorder != "little" or any(column is None or column.nbytes > _MOST_BYTES for column in columns):
        return None
    known, named = (_plain_texts(column, may_be_blank=k == 1) for k, column in enumerate(columns))
    if known is None or named is None or _longest(named) > _longest(known):
        return None
    # texts are words of eight bytes: their hash is sorted and searched, then the words are compared
    count = -(-_longest(known) // 8)
    known_words, named_words = _text_words(known, count), _text_words(named, count)
    positions = _positions_of_hashes(_hashes(named, named_words), _hashes(known, known_words))
    if positions is None:
        return None
    blank = np.diff(named[0]) == 0
    positions[blank] = -1
    if (positions[~blank] < 0).any():
        return None
    # a hash may be that of another text: the words decide
    for one, other in zip(known_words, named_words, strict=True):
        if ((one.take(positions, mode="wrap") != other) & ~blank).any():
            return None
    return positions


def _plain_texts(column: Any, *, may_be_blank: bool) -> _Texts | None:
    """Return offsets and bytes of texts that need no trimming and resemble no other; None if some may."""
    offsets, held = text_offsets(column.combine_chunks())
    data = np.frombuffer(held, np.uint8)[: offsets[-1]]
    sizes = np.diff(offsets)
    if not len(data) or sizes.max() > _LONGEST_TEXT or (not may_be_blank and not sizes.min()):
        return None
    if int(data.view(np.int8).min()) < 0:
        return None
    first, last = data[np.minimum(offsets[:-1], len(data) - 1)], data[np.maximum(offsets[1:] - 1, 0)]
    # a text that begins with # may be the error of a spreadsheet
    odd = (first <= _BLANK) | (last <= _BLANK) | (first == _NUMBER_SIGN)
    return None if (odd & (sizes > 0)).any() else (offsets, data)


def _longest(texts: _Texts) -> int:
    """Return the length of the longest text in bytes."""
    return int(np.diff(texts[0]).max())


def _text_words(texts: _Texts, count: int) -> list[_Words]:
    """Return the bytes of texts ``(n,)`` as ``count`` words each, with zeros behind their ends."""
    offsets, data = texts
    data = np.concatenate([data, np.zeros(16, np.uint8)])
    word_at = np.lib.stride_tricks.as_strided(data[:8].view(np.uint64), (len(data) - 7,), (1,))
    begins, sizes = offsets[:-1], np.diff(offsets)
    return [
        word_at[np.minimum(begins + at, len(word_at) - 1)] & _WORD_MASKS[np.clip(sizes - at, 0, 8)]
        for at in range(0, 8 * count, 8)
    ]


def _hashes(texts: _Texts, words: list[_Words]) -> _Words:
    """Return hashes (n,) of texts from their lengths and words."""
    result: _Words = np.diff(texts[0]).astype(np.uint64) * _FACTORS[0]
    for word in words:
        result = (result ^ word) * _FACTORS[1]
        result ^= result >> np.uint64(29)
    result *= _FACTORS[2]
    result ^= result >> np.uint64(32)
    return result


def _positions_of_hashes(sought: _Words, among: _Words) -> NDArray[np.int32] | None:
    """Find the position of each hash ``(n,)`` among others; −1 if it is not there, None if two of those are equal."""
    order = np.argsort(among)
    ordered = among[order]
    if (ordered[1:] == ordered[:-1]).any():
        return None
    ascending = np.argsort(sought)
    sought = sought[ascending]
    # equal ones stand together; one of each is searched for, in ascending order
    first = np.flatnonzero(np.concatenate([[True], sought[1:] != sought[:-1]]))
    at = np.minimum(np.searchsorted(ordered, sought[first]), len(ordered) - 1)
    found = np.where(ordered[at] == sought[first], order[at], -1).astype(np.int32)
    positions = np.empty(len(sought), np.int32)
    positions[ascending] = np.repeat(found, np.diff(np.append(first, len(sought))))
    return positions
