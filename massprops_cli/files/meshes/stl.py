"""STL files by NumPy: binary in one pass, text by its vertices."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

_HEAD = 84  # 80 bytes of title, 4 of the number of triangles
_RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
"""50 bytes for each triangle."""
_TEXT_AT_ONCE = 2**20  # bytes of one piece
_RECORDS_AT_ONCE = 2**15
"""Records of one step: 1.6 MB, which stay in the cache between reading and copying."""


class StlError(Exception):
    """An STL file that is not complete; the message states what is wrong."""


def is_binary_stl(path: Path) -> bool:
    """Return whether an STL file is binary."""
    size = path.stat().st_size
    with path.open("rb") as stream:
        head = stream.read(1024)
    if len(head) >= _HEAD and size == _HEAD + _RECORD.itemsize * struct.unpack_from("<I", head, 80)[0]:
        return True
    return not (head.lstrip()[:5].lower() == b"solid" and b"\0" not in head)


def read_binary_stl(path: Path) -> tuple[NDArray[np.float32], int]:
    """Return the corners (3 m, 3), unit of the file, three for each triangle, and the bytes after the last one.

    OSError: the file cannot be read. StlError: it ends before the last triangle.
    """
    size = path.stat().st_size
    if size < _HEAD:
        raise StlError(f"file has {size} bytes (a binary STL file has at least {_HEAD})")
    with path.open("rb", buffering=0) as stream:
        (count,) = struct.unpack_from("<I", stream.read(_HEAD), 80)
        has = (size - _HEAD) // _RECORD.itemsize
        if has < count:
            raise StlError(f"file is truncated: {count:,} triangles are stated, {has:,} are present")
        corners = np.empty((count, 3, 3), np.float32)
        records = np.empty(min(count, _RECORDS_AT_ONCE), _RECORD)
        for start in range(0, count, _RECORDS_AT_ONCE):
            some = records[: min(_RECORDS_AT_ONCE, count - start)]
            if not _fill(stream, some):
                raise StlError("file changed while it was read")
            corners[start : start + len(some)] = some["corners"]
    return corners.reshape(-1, 3), size - _HEAD - count * _RECORD.itemsize


def _fill(stream: Any, records: NDArray[Any]) -> bool:
    """Read bytes until records are full; False at the end of the file."""
    room = memoryview(records.view(np.uint8).data)
    while room:
        done = stream.readinto(room)
        if not done:
            return False
        room = room[done:]
    return True


def read_text_stl(stream: BinaryIO, most: int = 2**31) -> NDArray[np.float64]:
    """Return the corners (3 m, 3), unit of the file, three for each triangle; m > ``most`` if reading stopped there.

    StlError: a coordinate is not a number, or a facet does not have three vertices.
    """
    pieces = [np.zeros((0, 3))]
    count, left, end = 0, b"", b""
    while text := stream.read(_TEXT_AT_ONCE):
        end = (end + text)[-1024:]
        *facets, left = (left + text.lower()).split(b"endloop")
        pieces.append(_facet_corners(facets, count))
        count += len(facets)
        if count > most:
            return np.concatenate(pieces)
        if len(left) > 2 * _TEXT_AT_ONCE:
            raise StlError(f"facet {count + 1:,} has more than {_TEXT_AT_ONCE:,} characters")
    if b"outer loop" in left:
        raise StlError(f"file is truncated: facet {count + 1:,} has no end")
    if b"endsolid" not in end.lower():
        raise StlError("file is truncated: endsolid is missing")
    return np.concatenate(pieces)


def _facet_corners(facets: list[bytes], before: int) -> NDArray[np.float64]:
    """Return the corners of facets, each of which ends before ``endloop``."""
    numbers: list[bytes] = []
    for k, facet in enumerate(facets, before + 1):
        words = facet.partition(b"outer loop")[2].split()
        if len(words) != 12 or words[0::4] != [b"vertex"] * 3:
            raise StlError(f"facet {k:,} does not have three vertices with three coordinates")
        numbers += [*words[1:4], *words[5:8], *words[9:12]]
    try:
        return np.array([float(word) for word in numbers]).reshape(-1, 3)
    except ValueError as error:
        raise StlError(f"coordinate is not a number: {str(error).rpartition(': ')[2]}") from None
