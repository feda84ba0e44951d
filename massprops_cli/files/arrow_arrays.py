"""Arrow arrays made of NumPy's and Python's, and back, by their buffers.

Arrow's own conversions import pandas at their first use, which takes as long as all else that a start takes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.bool_]


def arrow_floats(values: NDArray[np.float64], unknown: Mask | None = None) -> Any:
    """Give numbers ``(n,)`` as an Arrow array, null where ``unknown``.

    >>> arrow_floats(np.array([0.5, np.nan]), np.array([False, True])).to_pylist()
    [0.5, None]
    """
    import pyarrow as pa

    valid = None if unknown is None else bits(~unknown)
    held = np.ascontiguousarray(values, np.float64)
    return pa.Array.from_buffers(pa.float64(), len(held), [valid, pa.py_buffer(held)])


def arrow_mask(mask: Mask) -> Any:
    """Give truth values ``(n,)`` as an Arrow array."""
    import pyarrow as pa

    return pa.Array.from_buffers(pa.bool_(), len(mask), [None, bits(mask)])


def bits(mask: Mask) -> Any:
    """Pack truth values as Arrow does, the first in the lowest bit."""
    import pyarrow as pa

    return pa.py_buffer(np.packbits(mask, bitorder="little"))


def arrow_texts(texts: Sequence[bytes]) -> Any:
    """Give UTF-8 texts ``(n,)`` as an Arrow array.

    >>> arrow_texts([b"a", b"", b"bc"]).to_pylist()
    ['a', '', 'bc']
    """
    return of_bytes(b"".join(texts), np.cumsum([0, *map(len, texts)]))


def repeated(text: bytes, n: int) -> Any:
    """Give one text ``n`` times.

    >>> repeated(b"ab", 2).to_pylist()
    ['ab', 'ab']
    """
    return of_bytes(text * n, np.arange(n + 1) * len(text))


def of_bytes(data: bytes, offsets: NDArray[np.int64]) -> Any:
    """Give the texts ``data[offsets[i]:offsets[i + 1]]`` as an Arrow array."""
    import pyarrow as pa

    at = pa.py_buffer(offsets.astype(np.int32))
    return pa.Array.from_buffers(pa.string(), len(offsets) - 1, [None, at, pa.py_buffer(data)])


def without_nulls(texts: Any) -> Any:
    """Make the nulls of an Arrow array of texts empty texts."""
    import pyarrow as pa

    _, offsets, data = texts.buffers()
    return pa.Array.from_buffers(pa.string(), len(texts), [None, offsets, data], offset=texts.offset)


def floats_of(column: Any) -> tuple[NDArray[np.float64], Mask | None]:
    """Give an Arrow column's numbers ``(n,)`` and which of them are null (None where none is)."""
    values = np.empty(len(column))
    null = np.zeros(len(column), bool) if column.null_count else None
    at = 0
    for chunk in column.chunks:
        n, first = len(chunk), chunk.offset
        valid, data = chunk.buffers()
        if n:
            values[at : at + n] = np.frombuffer(data, np.float64, n, 8 * first)
        if null is not None and chunk.null_count:
            held = np.unpackbits(np.frombuffer(valid, np.uint8), bitorder="little", count=first + n)
            null[at : at + n] = held[first:] == 0
        at += n
    return values, null


def offsets_of(texts: Any) -> tuple[NDArray[np.int64], Any]:
    """Give the offsets ``(n + 1,)`` and the bytes of an Arrow array of texts."""
    _, offsets, data = texts.buffers()
    at = np.frombuffer(offsets, np.int32, len(texts) + 1, 4 * texts.offset)
    return at.astype(np.int64), memoryview(data) if data else b""


def positions_of(text: str, column: Any) -> NDArray[np.int64]:
    """Give where a text stands in an Arrow column of texts ``(k,)``, ascending: by lengths first, then by bytes.

    >>> import pyarrow as pa
    >>> positions_of("ab", pa.chunked_array([["ab", "a"], ["ac", "ab"]])).tolist()
    [0, 3]
    """
    sought, found, start = text.encode(), [np.zeros(0, np.int64)], 0
    for chunk in column.chunks:
        offsets, data = offsets_of(chunk)
        at = np.flatnonzero(np.diff(offsets) == len(sought))
        for k, byte in enumerate(sought):
            at = at[np.frombuffer(data, np.uint8)[offsets[at] + k] == byte]
        found.append(at + start)
        start += len(chunk)
    return np.concatenate(found)
