"""A zip archive of which some members are replaced: all others are copied as the compressed bytes they are.

The order of members, their dates and the level of compression are fixed, so that the same content gives the same file.
Records after the ZIP application note (APPNOTE 4.3.7, 4.3.12, 4.3.16).
"""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from massprops_cli.findings import OutputError

OWN_MARK = b"&amp;Lmassprops"
"""Stands in the page footer of every sheet that the tool makes for itself; footers survive saving elsewhere."""

_LOCAL, _CENTRAL, _END = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"
_UTF8_NAMES = 0x800
_EPOCH = (0, 33)
"""Time and date of new members: 1 January 1980, the first day that the format knows."""
_LARGE_LEVEL = 1
"""Takes a quarter of the time of level 6 on a worksheet, for a seventh more bytes."""
_LIMIT = 0xFFFF_FFFF
_DEFLATED = zipfile.ZIP_DEFLATED


class Package:
    """Members of an archive, read on demand and replaced on saving; names are found in any case, as OPC wants."""

    def __init__(self, data: Path | bytes | None = None) -> None:
        """Open an archive, or begin an empty one."""
        self._stream: BinaryIO | None = None
        self._infos: dict[str, zipfile.ZipInfo] = {}
        self._zip: zipfile.ZipFile | None = None
        self._new: dict[str, _Packed] = {}
        self._texts: dict[str, bytes] = {}
        self._removed: set[str] = set()
        if data is not None:
            self._stream = io.BytesIO(data) if isinstance(data, bytes) else data.open("rb")
            self._zip = zipfile.ZipFile(self._stream)
            self._infos = {info.filename: info for info in self._zip.infolist()}
        self._names = {name.lower(): name for name in self._infos}

    def __enter__(self) -> Package:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._zip is not None and self._stream is not None:
            self._zip.close()
            self._stream.close()

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name.lower() in self._names

    def names(self) -> list[str]:
        """Give the names of all members, old ones first."""
        return list(self._names.values())

    def read(self, name: str) -> bytes:
        """Give the content of a member as it will be written."""
        known = self._names[name.lower()]
        if known in self._texts:
            return self._texts[known]
        if known in self._new or self._zip is None:
            return self._new[known].content()
        return self._zip.read(known)

    def write(self, name: str, content: bytes) -> None:
        """Put a small member in place of the one of this name, or at the end; unchanged content is no change."""
        known = self._names.setdefault(name.lower(), name)
        if known in self._infos and known not in self._new and self.read(known) == content:
            return
        self._texts[known] = content
        self._new[known] = _Packed.of([content])

    def write_pieces(self, name: str, pieces: Iterable[bytes]) -> None:
        """Put a large member in place, compressing its pieces as they come."""
        known = self._names.setdefault(name.lower(), name)
        self._texts.pop(known, None)
        self._new[known] = _Packed.of(pieces, level=_LARGE_LEVEL)

    def remove(self, name: str) -> None:
        """Leave a member out."""
        known = self._names.pop(name.lower(), "")
        self._infos.pop(known, None)
        self._new.pop(known, None)
        self._texts.pop(known, None)

    def save(self, target: BinaryIO) -> None:
        """Write the archive; ``target`` need not be seekable."""
        directory: list[bytes] = []
        offset = 0
        for name in self._names.values():
            packed = self._new[name] if name in self._new else self._copied(name)
            stamp = _stamp(self._infos[name]) if name in self._infos else _EPOCH
            fields = packed.fields(name, stamp)
            encoded = name.encode()
            header = _LOCAL + struct.pack("<5H3L2H", *fields, len(encoded), 0) + encoded
            directory.append(
                _CENTRAL + struct.pack("<6H3L5H2L", 20, *fields, len(encoded), 0, 0, 0, 0, 0, offset) + encoded
            )
            target.write(header)
            for piece in packed.pieces:
                target.write(piece)
            offset += len(header) + packed.packed_size
        if offset > _LIMIT or len(directory) > 0xFFFF:
            raise OutputError("the workbook would be larger than 4 GiB, which the format cannot hold")
        size = sum(map(len, directory))
        target.write(b"".join(directory))
        target.write(_END + struct.pack("<4H2LH", 0, 0, len(directory), len(directory), size, offset, 0))

    def _copied(self, name: str) -> _Packed:
        """Take a member's compressed bytes as they stand."""
        info = self._infos[name]
        assert self._stream is not None
        self._stream.seek(info.header_offset)
        head = self._stream.read(30)
        names, extra = struct.unpack("<2H", head[26:30])
        self._stream.seek(info.header_offset + 30 + names + extra)
        data = self._stream.read(info.compress_size)
        return _Packed([data], len(data), info.file_size, info.CRC, info.compress_type)


class _Packed:
    """A compressed member."""

    __slots__ = ("crc", "method", "packed_size", "pieces", "size")

    def __init__(self, pieces: list[bytes], packed_size: int, size: int, crc: int, method: int) -> None:
        self.pieces, self.packed_size, self.size, self.crc, self.method = pieces, packed_size, size, crc, method

    @classmethod
    def of(cls, content: Iterable[bytes], level: int = 6) -> _Packed:
        packer = zlib.compressobj(level, zlib.DEFLATED, -15)
        pieces: list[bytes] = []
        crc = size = 0
        for piece in content:
            crc = zlib.crc32(piece, crc)
            size += len(piece)
            pieces.append(packer.compress(piece))
        pieces.append(packer.flush())
        return cls(pieces, sum(map(len, pieces)), size, crc, _DEFLATED)

    def content(self) -> bytes:
        return zlib.decompress(b"".join(self.pieces), -15)

    def fields(self, name: str, stamp: tuple[int, int]) -> tuple[int, ...]:
        """Give what local header and directory have in common: version to method, time, date, CRC and sizes."""
        if max(self.size, self.packed_size) > _LIMIT:
            raise OutputError(f"{name} would be larger than 4 GiB, which the format cannot hold")
        flags = 0 if name.isascii() else _UTF8_NAMES
        return 20, flags, self.method, *stamp, self.crc, self.packed_size, self.size


def _stamp(info: zipfile.ZipInfo) -> tuple[int, int]:
    year, month, day, hour, minute, second = info.date_time
    return hour << 11 | minute << 5 | second // 2, max(year - 1980, 0) << 9 | month << 5 | day
