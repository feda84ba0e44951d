"""Options of reading a file, its format by suffix and first bytes, and the limits that protect the computer."""

from __future__ import annotations

import io
import itertools
import os
import re
import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, fields
from pathlib import Path, PurePath
from typing import IO, TYPE_CHECKING, Any, get_args

from massprops_cli.findings import finding
from massprops_cli.options import ImportedFormat, named_option

if TYPE_CHECKING:
    import zipfile

_VARIABLE_PREFIX = "MASSPROPS_MAX_"
_HIGHEST = 10**15  # above any size that a file can have, and below what C libraries accept
ZIP_MAGIC = b"PK"
_MIB = 2**20
_CHUNK = 4 * _MIB  # bytes uncompressed in one go
_LOCAL_HEADER = struct.Struct("<4s5H3I2H")
_ENCRYPTED_BIT = 1  # bit 0 of the flags of a member (APPNOTE 4.4.4)
_PROLOG = 64 * 1024  # first bytes of an XML part, which may declare a document type


@dataclass(frozen=True, slots=True)
class ReadCaps:
    """Limits of reading; the finding names the limit and the option that raises it (``cap``)."""

    members: int = 10_000
    inflated: int = 4 * 2**30
    ratio: int = 200  # inflated size over packed size, for members above 1 MiB inflated
    cells: int = 30_000_000
    columns: int = 16_384  # columns of a table; a worksheet has no more
    cell_characters: int = 32_767  # characters of a cell of a workbook
    text_cell_characters: int = 2**20  # characters of a cell of a text file
    characters: int = 2**28
    """Characters of all cells, where a file states one text for many of them, and of all paths of repeated parts."""
    repeated_cells: int = 500_000  # cells that an ods workbook does not write but states by repeating others
    depth: int = 10_000  # levels of the tree below its root
    items: int = 5_000_000  # items after expanding repeated parts
    mesh_triangles: int = 5_000_000  # triangles of a mesh; each needs about 750 bytes of memory


def resolve_caps(given: Iterable[str] = ()) -> ReadCaps:
    """Return the caps that apply: options before environment variables before defaults; UsageError if unknown."""
    names = {one.name.replace("_", "-"): one.name for one in fields(ReadCaps)}
    values = {}
    for own in names.values():
        variable = f"{_VARIABLE_PREFIX}{own.upper()}"
        if (text := os.environ.get(variable, "")).strip():
            values[own] = _cap_number(variable, text)
    for text in given:
        name, sign, number = (part.strip() for part in text.partition("="))
        if not sign:
            raise finding.UsageError(f"invalid cap: {text} (expected NAME=N, such as --config cap=cells=60000000)")
        if name not in names:
            hint = finding.nearest_name_hint(name, names) or f" (expected one of {', '.join(names)})"
            raise finding.UsageError(f"unknown cap: {name}{hint}")
        values[names[name]] = _cap_number(f"cap {name}", number)
    return ReadCaps(**values)


def _cap_number(label: str, text: str) -> int:
    """Read the number of a cap."""
    digits = text.strip()
    if not (digits.isascii() and digits.isdecimal() and len(digits) < 20 and 1 <= int(digits) <= _HIGHEST):
        raise finding.UsageError(f"invalid {label}: {text} (expected an integer from 1 to {_HIGHEST})")
    return int(digits)


def cap_remedy(name: str, number: int) -> str:
    """Return the remedy for a file that exceeds a cap."""
    if number > _HIGHEST:
        return "reduce the file: it is larger than the highest limit"
    return f"if the file is from a trusted source, raise the limit with --config cap={name}={number}"


def cap_finding(message: str, place: finding.Place, cap: str, number: int) -> finding.Finding:
    """Make the finding for a file that exceeds a cap; the remedy has the option that raises it."""
    return finding.rule_finding("MP114", message, place, remedy=cap_remedy(cap, number))


def cap_error(name: str, what: str, cap: str, limit: int, sheet: str = "", needed: int = 0) -> finding.TableError:
    """Make the exception for a file that exceeds a cap."""
    return finding.TableError(
        [cap_finding(f"{what} (limit {limit})", finding.Place(name, sheet=sheet), cap, needed or 2 * limit)]
    )


def check_texts(name: str, sheet: str, longest: int, total: int, caps: ReadCaps) -> None:
    """Reject a workbook with a cell that is too long, or with too many characters in all its cells."""
    if longest > caps.cell_characters:
        what = f"a cell has {longest:,} characters"
        raise cap_error(name, what, "cell-characters", caps.cell_characters, sheet, longest)
    if total > caps.characters:
        raise cap_error(name, f"cells have {total:,} characters", "characters", caps.characters, sheet, total)


def delimiter_character(text: str) -> str:
    """Return the character of a delimiter."""
    character = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|"}.get(text, text)
    if len(character) > 1:
        raise finding.UsageError(f"invalid delimiter: {character} (expected one character, or tab)")
    return character


@dataclass(frozen=True, slots=True)
class FileOptions:
    """Options of reading a file; empty values are detected."""

    format: str = ""  # a name of FILE_FORMATS (--from)
    sheet: str = ""  # name, or number from 1 (--sheet)
    encoding: str = ""
    delimiter: str = ""
    columns: tuple[str, ...] = ()  # names of the columns of a delimited text without a header
    tree: str = ""  # file with an edge list
    tree_direction: str = ""  # child-parent or parent-child
    combine: str = ""  # branch or id
    more: tuple[str, ...] = ()  # further files of one tree
    folders: tuple[str, ...] = ()  # further folders of files that a robot names (--config mesh-root=…)
    default_inertial: str = "spec"  # inertial of links that state none: spec, zero or error
    joint_positions: tuple[str, ...] = ()  # ``JOINT=POSITION`` of the joints of a robot (``--q``)
    calculator: str = ""  # custom calculator of the meshes of automatic inertials
    caps: ReadCaps = field(default_factory=resolve_caps)

    @property
    def of_robots(self) -> FileOptions:
        """The options for robots that rows of a table name."""
        kept = {name: getattr(self, name) for name in ("default_inertial", "joint_positions", "calculator", "caps")}
        return FileOptions(**kept)

    @property
    def is_one_table(self) -> bool:
        """Whether the table is in one file, with its tree."""
        return not (self.tree or self.combine)


IMPORTED_FORMATS: tuple[str, ...] = get_args(ImportedFormat)

FILE_FORMATS = named_option("from").words

_TABLES = tuple(name for name in FILE_FORMATS if name not in IMPORTED_FORMATS)

TEXT_FORMATS = ("csv", "tsv", "json", "jsonl", "md")  # formats that are text and may be compressed with gzip

SPREADSHEET_FORMATS = ("xlsx", "xlsm", "xls", "xlsb", "ods")

MULTI_TABLE_FORMATS = (*SPREADSHEET_FORMATS, "solidworks-report", "json")
"""Formats that can hold several tables, of which ``--sheet`` names one."""


def check_format(given: Mapping[str, Any], name: str, read: str) -> None:
    """Reject a sheet, and names of columns, that are given for a file without them; a configuration may state both."""
    if given.get("columns") and read not in ("csv", "tsv"):
        raise finding.UsageError(f"columns requires a text table: {name} is {read}; use --map id=col:A")
    if given.get("sheet") and not given.get("combine") and read not in MULTI_TABLE_FORMATS:
        raise finding.UsageError(f"--sheet requires a workbook: {name} is {read}; omit --sheet")


_SUFFIXES = {
    **{f".{name}": name for name in _TABLES},
    ".txt": "csv",
    ".tab": "tsv",
    ".ndjson": "jsonl",
    ".arrow": "feather",
    ".pq": "parquet",
    ".markdown": "md",
    ".mass": "avl",
    ".ork": "openrocket",
    ".sdf": "sdf",
    ".urdf": "urdf",
    ".xacro": "urdf",
}


def suffix_format(name: str) -> tuple[str, bool]:
    """Return the format of the suffix of a file name."""
    path = PurePath(name)
    compressed = path.suffix.lower() == ".gz"
    return _SUFFIXES.get((PurePath(path.stem).suffix if compressed else path.suffix).lower(), ""), compressed


def content_format(head: bytes) -> str:
    """Return the type of a file by its first bytes."""
    for magic, content in (
        (b"PK\x03\x04", "zip"),
        (b"PK\x05\x06", "zip"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "cfb"),
        (b"\x1f\x8b", "gzip"),
        (b"PAR1", "parquet"),
        (b"ARROW1", "feather"),
        (b"FEA1", "feather"),
        (b"%PDF-", "a PDF document"),
        (b"\x89PNG", "a PNG picture"),
        (b"\xff\xd8\xff", "a JPEG picture"),
        (b"{\\rtf", "an RTF document"),
        (b"7z\xbc\xaf", "a 7-Zip archive"),
        (b"Rar!", "a RAR archive"),
        (b"SQLite format 3", "a SQLite database"),
        (b"ISO-10303-21", "a STEP file"),
    ):
        if head.startswith(magic):
            return content
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:200].lower()
    if start.startswith((b"<!doctype html", b"<html", b"<table")):
        return "an HTML page"
    return "an XML document" if start.startswith((b"<?xml", b"<workbook")) else ""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Archive:
    """A checked zip container; members are read completely or in chunks, never beyond their stated size."""

    name: str
    stream: IO[bytes]
    members: dict[str, zipfile.ZipInfo] = field(repr=False)

    def __contains__(self, member: object) -> bool:
        return member in self.members

    def close(self) -> None:
        """Close the file behind the archive."""
        self.stream.close()

    def size(self, member: str) -> int:
        """Return the uncompressed size of a member, as stated in the directory."""
        return self.members[member].file_size

    def read(self, member: str) -> bytes:
        """Return the uncompressed content of a member."""
        return b"".join(self.chunks(member))

    def chunks(self, member: str) -> Iterator[bytes]:
        """Uncompress a member piece by piece, with constant memory."""
        info = self.members[member]
        seen, checksum = 0, 0
        for piece in self._inflated(info):
            seen += len(piece)
            if seen > info.file_size:
                raise rejection_error(
                    "MP115", f"{member} is larger than its stated size of {info.file_size} bytes", self.name
                )
            checksum = zlib.crc32(piece, checksum)
            yield piece
        if seen != info.file_size or checksum != info.CRC:
            raise rejection_error("MP104", f"{member} is truncated or corrupt", self.name)

    def _inflated(self, info: zipfile.ZipInfo) -> Iterator[bytes]:
        """Uncompress a member piece by piece, without a check of its size."""
        import zipfile

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
                    if not (pending := self.stream.read(min(left, _CHUNK // 16))):
                        return
                    left -= len(pending)
                piece = inflate.decompress(pending, _CHUNK)
                pending = inflate.unconsumed_tail
                if piece:
                    yield piece
        except zlib.error:
            raise rejection_error("MP104", f"{info.filename} is truncated or corrupt", self.name) from None

    def _start(self, info: zipfile.ZipInfo) -> int:
        """Return the offset of a member's data, behind its local header."""
        self.stream.seek(info.header_offset)
        if len(header := self.stream.read(_LOCAL_HEADER.size)) < _LOCAL_HEADER.size or header[:4] != b"PK\3\4":
            raise rejection_error("MP104", f"{info.filename} is truncated or corrupt", self.name)
        *_rest, name_length, extra_length = _LOCAL_HEADER.unpack(header)
        return int(info.header_offset + _LOCAL_HEADER.size + name_length + extra_length)


def open_archive(name: str, data: Path | bytes, caps: ReadCaps, suffix: str = "") -> Archive:
    """Open a zip container and check its members, only those with a ``suffix`` if stated, against the limits."""
    stream = open_stream(name, data)
    with ExitStack() as rejected:
        rejected.callback(stream.close)
        infos = _read_directory(name, stream, caps)
        if findings := _directory_findings(name, infos, caps, suffix):
            raise finding.TableError(findings)
        rejected.pop_all()
    return Archive(name, stream, {info.filename: info for info in infos})


def rejection_error(rule: str, message: str, name: str) -> finding.TableError:
    """Make the exception for a file that is rejected for one reason."""
    return finding.TableError([finding.rule_finding(rule, message, finding.Place(name))])


def reject_document_type(name: str, member: str, data: bytes) -> None:
    """Reject an XML part with a document type, because its entities could expand without bound."""
    if (head := data[:_PROLOG])[:2] in (b"\xff\xfe", b"\xfe\xff"):
        text = head.decode("utf-16", "replace").encode()
    else:
        text = head.replace(b"\0", b"")
    root = re.search(rb"<[A-Za-z_]", text)
    if b"<!DOCTYPE" in text[: root.start() if root else len(text)].upper():
        raise rejection_error("MP115", f"{member} declares a document type", name)
    if root is None and len(data) > len(head):
        raise rejection_error("MP115", f"{member} has no element in its first {_PROLOG} bytes", name)


def open_stream(name: str, data: Path | bytes) -> IO[bytes]:
    """Open a file or bytes; TableError if it cannot be read (MP101)."""
    try:
        return io.BytesIO(data) if isinstance(data, bytes) else data.open("rb")
    except OSError as error:
        raise rejection_error(
            "MP101", f"file cannot be opened: {(error.strerror or 'unknown reason').lower()}", name
        ) from None


def _read_directory(name: str, stream: IO[bytes], caps: ReadCaps) -> list[zipfile.ZipInfo]:
    """Return the entries of an archive's directory; one over the limit of members is not listed."""
    import zipfile

    stream.seek(0, io.SEEK_END)
    # the end record states how many members there are; a directory of millions is not even listed
    stream.seek(max(0, stream.tell() - 2**16 - 22))
    tail = stream.read()
    end = tail.rfind(b"PK\5\6")
    directory_bytes = struct.unpack_from("<I", tail, end + 12)[0] if 0 <= end <= len(tail) - 22 else 0
    if directory_bytes > 46 * caps.members * 8 and directory_bytes != 2**32 - 1:
        raise cap_error(name, "archive has too many members", "members", caps.members, needed=directory_bytes // 46)
    try:
        return zipfile.ZipFile(stream).infolist()
    except (zipfile.BadZipFile, ValueError, OSError, struct.error, NotImplementedError, UnicodeDecodeError):
        raise rejection_error("MP104", "archive is truncated or corrupt", name) from None


def _directory_findings(name: str, infos: list[zipfile.ZipInfo], caps: ReadCaps, suffix: str) -> list[finding.Finding]:
    """Report what is wrong with an archive: its sizes, its members, names that occur twice, and overlaps."""
    if len(infos) > caps.members:
        return list(
            cap_error(name, f"archive has {len(infos)} members", "members", caps.members, needed=len(infos)).findings
        )
    findings = finding.Findings()
    if (total := sum(info.file_size for info in infos)) > caps.inflated:
        message = f"uncompressed size of the archive is {total} bytes"
        findings += cap_error(name, message, "inflated", caps.inflated, needed=total).findings
    read = [info for info in infos if info.filename.endswith(suffix)]
    findings += [f for info in read for f in _member_findings(name, info, caps)]
    seen: set[str] = set()
    for info in infos:
        # Windows and Excel do not distinguish upper and lower case
        if (key := info.filename.casefold()) in seen:
            findings.report("MP115", f"{info.filename} is in the archive twice", finding.Place(name))
        seen.add(key)
    for before, after in itertools.pairwise(sorted(infos, key=lambda info: info.header_offset)):
        if before.header_offset + _LOCAL_HEADER.size + before.compress_size > after.header_offset:
            message = f"{before.filename} and {after.filename} overlap in the archive"
            findings.report("MP115", message, finding.Place(name))
    return findings


def _member_findings(name: str, info: zipfile.ZipInfo, caps: ReadCaps) -> Iterator[finding.Finding]:
    """Report a member with a path outside the archive, encryption, another method, or too high a ratio."""
    import zipfile

    place = finding.Place(name)
    path = info.orig_filename
    if path.startswith("/") or "\\" in path or ":" in path or "\0" in path or ".." in path.split("/"):
        yield finding.rule_finding("MP115", f"path of a member is outside the archive: {path!r}", place)
    if info.flag_bits & _ENCRYPTED_BIT:
        yield finding.rule_finding("MP102", f"{path} is encrypted", place)
    elif info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        yield finding.rule_finding(
            "MP115", f"compression method of {path} is not supported: {info.compress_type}", place
        )
    if info.file_size > _MIB and info.file_size > caps.ratio * max(1, info.compress_size):
        ratio = info.file_size // max(1, info.compress_size)
        what = f"compression ratio of {path} is {ratio}"
        yield from cap_error(name, what, "ratio", caps.ratio, needed=ratio + 1).findings
