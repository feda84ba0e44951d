"""The guard before a workbook's archive: what no spreadsheet program writes is refused before anything is parsed.

Sizes are taken from the archive's directory first, so that most refusals cost nothing, and again while a member is
inflated, because a directory can lie. Nothing is ever extracted to disk.
"""

from __future__ import annotations

import io
import itertools
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from massprops_cli.files.options import Caps
from massprops_cli.findings import Finding, Place, TableError, found

ZIP_MAGIC = b"PK"
MIB = 2**20
_CHUNK = 4 * MIB
_LOCAL_HEADER = struct.Struct("<4s5H3I2H")
_ENCRYPTED_BIT = 1
_PROLOG = 64 * 1024


@dataclass(frozen=True, slots=True)
class Archive:
    """A zip container that passed the guard; members are read whole or in chunks, never beyond their stated size."""

    name: str
    stream: IO[bytes]
    members: dict[str, zipfile.ZipInfo] = field(repr=False)

    def __contains__(self, member: object) -> bool:
        return member in self.members

    def close(self) -> None:
        """Close the file behind the archive."""
        self.stream.close()

    def size(self, member: str) -> int:
        """Give the inflated size of a member in bytes, as its directory entry states it."""
        return self.members[member].file_size

    def read(self, member: str) -> bytes:
        """Inflate a member whole; raises TableError when it is damaged or larger than stated."""
        return b"".join(self.chunks(member))

    def chunks(self, member: str) -> Iterator[bytes]:
        """Inflate a member piece by piece, so that a large one can be looked at without being held."""
        info = self.members[member]
        seen, checksum = 0, 0
        for piece in self._inflated(info):
            seen += len(piece)
            if seen > info.file_size:
                raise refusal("MP115", f"{member} inflates beyond the {info.file_size} bytes it states", self.name)
            checksum = zlib.crc32(piece, checksum)
            yield piece
        if seen != info.file_size or checksum != info.CRC:
            raise refusal("MP104", f"{member} is cut short or corrupt", self.name)

    def _inflated(self, info: zipfile.ZipInfo) -> Iterator[bytes]:
        left = info.compress_size
        self.stream.seek(self._start(info))
        if info.compress_type == zipfile.ZIP_STORED:
            while left > 0 and (piece := self.stream.read(min(left, _CHUNK))):
                left -= len(piece)
                yield piece
            return
        inflate = zlib.decompressobj(-zlib.MAX_WBITS)
        pending = b""
        try:
            while not inflate.eof and (pending or left > 0):
                if not pending:
                    pending = self.stream.read(min(left, _CHUNK // 16))
                    if not pending:
                        return
                    left -= len(pending)
                piece = inflate.decompress(pending, _CHUNK)
                pending = inflate.unconsumed_tail
                if piece:
                    yield piece
        except zlib.error:
            raise refusal("MP104", f"{info.filename} is cut short or corrupt", self.name) from None

    def _start(self, info: zipfile.ZipInfo) -> int:
        self.stream.seek(info.header_offset)
        header = self.stream.read(_LOCAL_HEADER.size)
        if len(header) < _LOCAL_HEADER.size or header[:4] != b"PK\3\4":
            raise refusal("MP104", f"{info.filename} is cut short or corrupt", self.name)
        *_rest, name_length, extra_length = _LOCAL_HEADER.unpack(header)
        return int(info.header_offset + _LOCAL_HEADER.size + name_length + extra_length)


def open_archive(name: str, data: Path | bytes, caps: Caps) -> Archive:
    """Open a zip container and check its directory against the caps; raises TableError naming what was refused.

    >>> open_archive("bom.xlsx", b"PK but no archive", Caps())
    Traceback (most recent call last):
    ...
    massprops_cli.findings.errors.TableError: bom.xlsx: error: the archive is cut short or corrupt [MP104 damaged-file]
    """
    stream: IO[bytes] = io.BytesIO(data) if isinstance(data, bytes) else _opened(name, data)
    try:
        infos = _directory(name, stream, caps)
    except TableError:
        stream.close()
        raise
    findings = _faults(name, infos, caps)
    if findings:
        stream.close()
        raise TableError(findings)
    return Archive(name, stream, {info.filename: info for info in infos})


def refusal(rule: str, message: str, name: str) -> TableError:
    """Make the exception for a file that is refused for one reason."""
    return TableError([found(rule, message, Place(name))])


def check_xml(name: str, member: str, data: bytes) -> None:
    """Refuse an XML part that declares a document type: entities could make it grow without bound.

    >>> check_xml("bom.xlsx", "xl/workbook.xml", b"<?xml version='1.0'?><workbook/>")
    """
    head = data[:_PROLOG]
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        text = head.decode("utf-16", "replace").encode()
    else:
        text = head.replace(b"\0", b"")
    root = re.search(rb"<[A-Za-z_]", text)
    if b"<!DOCTYPE" in text[: root.start() if root else len(text)].upper():
        raise refusal("MP115", f"{member} declares a document type", name)
    if root is None and len(data) > len(head):
        raise refusal("MP115", f"{member} has no element in its first {_PROLOG} bytes", name)


def over_cap(name: str, what: str, cap: str, limit: int, sheet: str = "") -> TableError:
    """Make the refusal of a file beyond a cap; the message names the limit, the remedy the option that raises it."""
    remedy = f"raise the cap with --max-{cap}"
    return TableError([found("MP114", f"{what}; the cap is {limit}", Place(name, sheet=sheet), remedy=remedy)])


def _opened(name: str, path: Path) -> IO[bytes]:
    try:
        return path.open("rb")
    except OSError as error:
        raise refusal(
            "MP101", f"the file cannot be opened: {(error.strerror or 'unknown reason').lower()}", name
        ) from None


def _directory(name: str, stream: IO[bytes], caps: Caps) -> list[zipfile.ZipInfo]:
    stream.seek(0, io.SEEK_END)
    # the end record states how many members there are; a directory of millions is not even listed
    tail_at = max(0, stream.tell() - 2**16 - 22)
    stream.seek(tail_at)
    tail = stream.read()
    end = tail.rfind(b"PK\5\6")
    directory_bytes = struct.unpack_from("<I", tail, end + 12)[0] if 0 <= end <= len(tail) - 22 else 0
    if directory_bytes > 46 * caps.members * 8 and directory_bytes != 2**32 - 1:
        raise over_cap(name, "the archive's directory has too many members", "members", caps.members)
    try:
        return zipfile.ZipFile(stream).infolist()
    except (zipfile.BadZipFile, ValueError, OSError, struct.error, NotImplementedError, UnicodeDecodeError):
        raise refusal("MP104", "the archive is cut short or corrupt", name) from None


def _faults(name: str, infos: list[zipfile.ZipInfo], caps: Caps) -> list[Finding]:
    if len(infos) > caps.members:
        return list(over_cap(name, f"the archive has {len(infos)} members", "members", caps.members).findings)
    findings: list[Finding] = []
    total = sum(info.file_size for info in infos)
    if total > caps.inflated:
        message = f"the archive inflates to {total} bytes"
        findings += over_cap(name, message, "inflated", caps.inflated).findings
    findings += [f for info in infos for f in _member_faults(name, info, caps)]
    seen: set[str] = set()
    for info in infos:
        # Windows and Excel tell no difference between upper and lower case
        key = info.filename.casefold()
        if key in seen:
            findings.append(found("MP115", f"{info.filename} stands in the archive twice", Place(name)))
        seen.add(key)
    by_place = sorted(infos, key=lambda info: info.header_offset)
    for before, after in itertools.pairwise(by_place):
        if before.header_offset + _LOCAL_HEADER.size + before.compress_size > after.header_offset:
            message = f"{before.filename} and {after.filename} overlap in the archive"
            findings.append(found("MP115", message, Place(name)))
    return findings


def _member_faults(name: str, info: zipfile.ZipInfo, caps: Caps) -> Iterator[Finding]:
    place = Place(name)
    path = info.orig_filename
    if path.startswith("/") or "\\" in path or ":" in path or "\0" in path or ".." in path.split("/"):
        yield found("MP115", f"{path!r} points outside the archive", place)
    if info.flag_bits & _ENCRYPTED_BIT:
        yield found("MP102", f"{path} is encrypted", place)
    elif info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        yield found("MP115", f"{path} is packed by method {info.compress_type}", place)
    if info.file_size > MIB and info.file_size > caps.ratio * max(1, info.compress_size):
        ratio = info.file_size // max(1, info.compress_size)
        yield from over_cap(name, f"{path} inflates {ratio} times", "ratio", caps.ratio).findings
