"""The parts that tie a workbook together: relations, content types, the list of sheets, application properties."""

from __future__ import annotations

import io
import posixpath
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from massprops_cli.files.options import Archive, reject_document_type, rejection_error
from massprops_cli.findings.finding import OutputError

try:
    from isal import isal_zlib as _FAST  # noqa: N812 - a third of the time for a large part, and fewer bytes
except ImportError:
    _FAST = zlib
if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

    from lxml.etree import _Element

_LOCAL, _CENTRAL, _END = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"
_UTF8_NAMES = 0x800  # flag of a name in UTF-8 (APPNOTE 4.4.4, bit 11)
_EPOCH = (1980, 1, 1, 0, 0, 0)  # of new members: the first day that the format knows
_LARGE_LEVEL = 2  # takes a third of the time of level 6 on a worksheet, for an eighth more bytes
_LARGE_PART = 2**20  # bytes from which on the rest of a part is compressed while it is made
_LIMIT = 0xFFFF_FFFF  # largest size and offset without ZIP64
_DEFLATED = zipfile.ZIP_DEFLATED


class EditablePackage:
    """Members of an archive, read on demand and replaced on saving; names are found in any case, as OPC wants."""

    def __init__(self, data: Path | bytes | None = None) -> None:
        """Open an archive, or begin an empty one."""
        self._stream: BinaryIO | None = None
        self._infos: dict[str, zipfile.ZipInfo] = {}
        self._zip: zipfile.ZipFile | None = None
        self._new: dict[str, _PackedMember] = {}
        self._texts: dict[str, bytes] = {}
        if data is not None:
            self._stream = io.BytesIO(data) if isinstance(data, bytes) else data.open("rb")
            self._zip = zipfile.ZipFile(self._stream)
            self._infos = {info.filename: info for info in self._zip.infolist()}
        self._names = {name.lower(): name for name in self._infos}

    def __enter__(self) -> EditablePackage:
        return self

    def __exit__(self, *_: object) -> None:
        if self._zip is not None and self._stream is not None:
            self._zip.close()
            self._stream.close()

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name.lower() in self._names

    def names(self) -> list[str]:
        """Return the names of all members, existing ones first."""
        return list(self._names.values())

    def read(self, name: str) -> bytes:
        """Return the content of a member as it will be written."""
        if (known := self._names[name.lower()]) in self._texts:
            return self._texts[known]
        if known in self._new or self._zip is None:
            return zlib.decompress(b"".join(self._new[known].pieces), -15)
        return self._zip.read(known)

    def write(self, name: str, content: bytes) -> None:
        """Replace or add a small member; unchanged content is not a change."""
        known = self._names.setdefault(name.lower(), name)
        if known in self._infos and known not in self._new and self.read(known) == content:
            return
        self._texts[known] = content
        self._new[known] = _PackedMember.of([content])

    def write_pieces(self, name: str, pieces: Iterable[bytes | memoryview]) -> None:
        """Replace or add a large member, compressed piece by piece."""
        known = self._names.setdefault(name.lower(), name)
        self._texts.pop(known, None)
        self._new[known] = _PackedMember.of(pieces, level=_LARGE_LEVEL)

    def remove(self, name: str) -> None:
        """Omit a member from the archive that is written."""
        known = self._names.pop(name.lower(), "")
        for held in (self._infos, self._new, self._texts):
            held.pop(known, None)

    def save(self, target: BinaryIO) -> None:
        """Write the archive."""
        directory: list[bytes] = []
        offset = 0
        for name in self._names.values():
            packed = self._new[name] if name in self._new else self._copied(name)
            year, month, day, hour, minute, second = self._infos[name].date_time if name in self._infos else _EPOCH
            stamp = hour << 11 | minute << 5 | second // 2, max(year - 1980, 0) << 9 | month << 5 | day
            fields, encoded = packed.fields(name, stamp), name.encode()
            header = _LOCAL + struct.pack("<5H3L2H", *fields, len(encoded), 0) + encoded
            entry = struct.pack("<6H3L5H2L", 20, *fields, len(encoded), 0, 0, 0, 0, 0, offset)
            directory.append(_CENTRAL + entry + encoded)
            target.writelines([header, *packed.pieces])
            offset += len(header) + packed.packed_size
        if offset > _LIMIT or len(directory) > 0xFFFF:
            raise OutputError("workbook would exceed 4 GiB, the limit of the format")
        size = sum(map(len, directory))
        target.write(b"".join(directory))
        target.write(_END + struct.pack("<4H2LH", 0, 0, len(directory), len(directory), size, offset, 0))

    def _copied(self, name: str) -> _PackedMember:
        """Take a member's compressed bytes unchanged."""
        info = self._infos[name]
        assert self._stream is not None
        self._stream.seek(info.header_offset)
        head = self._stream.read(30)
        self._stream.seek(info.header_offset + 30 + sum(struct.unpack("<2H", head[26:30])))
        data = self._stream.read(info.compress_size)
        return _PackedMember([data], len(data), info.file_size, info.CRC, info.compress_type)


class _PackedMember:
    """A compressed member."""

    __slots__ = ("crc", "method", "packed_size", "pieces", "size")

    def __init__(self, pieces: list[bytes], packed_size: int, size: int, crc: int, method: int) -> None:
        self.pieces, self.packed_size, self.size, self.crc, self.method = pieces, packed_size, size, crc, method

    @classmethod
    def of(cls, content: Iterable[bytes | memoryview], level: int = 6) -> _PackedMember:
        """Compress pieces; behind the first MiB a thread does so while they are made."""
        packer = (_FAST if level == _LARGE_LEVEL else zlib).compressobj(level, zlib.DEFLATED, -15)
        pieces: list[bytes] = []
        crc = size = 0

        def pack(piece: bytes | memoryview) -> None:
            nonlocal crc
            crc = zlib.crc32(piece, crc)
            pieces.append(packer.compress(piece))

        pool: ThreadPoolExecutor | None = None
        waiting: list[Future[None]] = []
        try:
            for piece in content:
                size += len(piece)
                if size <= _LARGE_PART:
                    pack(piece)
                    continue
                if pool is None:
                    from concurrent.futures import ThreadPoolExecutor

                    pool = ThreadPoolExecutor(1)
                if waiting:  # pieces are packed in order, one while the next is prepared
                    waiting.pop().result()
                waiting.append(pool.submit(pack, piece))
        finally:
            if pool is not None:
                pool.shutdown()
        for last in waiting:
            last.result()
        pieces.append(packer.flush())
        return cls(pieces, sum(map(len, pieces)), size, crc, _DEFLATED)

    def fields(self, name: str, stamp: tuple[int, int]) -> tuple[int, ...]:
        """Return what local header and directory have in common: version to method, time, date, CRC and sizes."""
        if max(self.size, self.packed_size) > _LIMIT:
            raise OutputError(f"{name} would exceed 4 GiB, the limit of the format")
        return 20, 0 if name.isascii() else _UTF8_NAMES, self.method, *stamp, self.crc, self.packed_size, self.size


_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
_OFFICE = {
    False: "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
    True: "http://purl.oclc.org/ooxml/officeDocument/relationships",
}
_MEDIA = "application/vnd.openxmlformats-officedocument.spreadsheetml.{}+xml"
_BEFORE_CALCULATION = (
    "fileVersion", "fileSharing", "workbookPr", "workbookProtection", "bookViews", "sheets", "functionGroups",
    "externalReferences", "definedNames",
)  # fmt: skip
LONGEST_SHEET_NAME = 31  # characters


def parse_part(content: bytes) -> _Element:
    """Parse a small part without entities, document types or the network."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False, load_dtd=False)
    return etree.fromstring(content, parser)


def part_bytes(root: _Element) -> bytes:
    """Write a part as Office does: UTF-8 with a declaration."""
    from lxml import etree

    return b'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n' + etree.tostring(root, encoding="UTF-8")


def integer_attribute(element: Mapping[str, str] | _Element, name: str) -> int:
    """Return a number in an attribute of a part."""
    stated = str(element.get(name, "")).strip()
    return int(stated) if stated.isascii() and stated.isdecimal() and len(stated) < 10 else 0


def main_namespace(root: _Element) -> str:
    """Return the namespace of the root of a part."""
    from lxml import etree

    return str(etree.QName(root).namespace or "")


def sibling_element(root: _Element, name: str) -> _Element:
    """Make an element in the namespace of a part, with the prefix of its root."""
    from lxml import etree

    return etree.Element(f"{{{main_namespace(root)}}}{name}", nsmap=cast("Mapping[str, str]", root.nsmap))


def child_elements(element: _Element, *path: str) -> list[_Element]:
    """Return the elements along a path of local names."""
    here = [element]
    for name in path:
        here = [inner for parent in here for inner in parent.iterchildren(f"{{*}}{name}")]
    return here


def first_child_element(element: _Element, *path: str) -> _Element | None:
    """Return the first element along a path of local names."""
    return next(iter(child_elements(element, *path)), None)


def _related_parts(relations: _Element, folder: str) -> dict[str, tuple[str, str]]:
    """Return kind (last word of the type) and full part name of every internal relation, by id."""
    found = {}
    for relation in child_elements(relations, "Relationship"):
        if relation.get("TargetMode") != "External":
            kind, target = str(relation.get("Type", "")).rpartition("/")[2], str(relation.get("Target", ""))
            full = target.lstrip("/") if target.startswith("/") else posixpath.normpath(posixpath.join(folder, target))
            found[str(relation.get("Id", ""))] = (kind, full)
    return found


def _relations_part(part: str) -> str:
    """Return the name of the part with the relations of a part."""
    folder, base = posixpath.split(part)
    return posixpath.join(folder, "_rels", f"{base}.rels")


def _listed_sheets(workbook: _Element, parts: Mapping[str, tuple[str, str]]) -> Iterator[tuple[_Element, str, str]]:
    """Return element, kind and part of each sheet in the list of a workbook; ``parts`` by relation id."""
    for sheet in child_elements(workbook, "sheets", "sheet"):
        key = next((value for name, value in sheet.attrib.items() if str(name).endswith("}id")), "")
        yield sheet, *parts.get(str(key), ("", ""))


class Relations:
    """Relations of one part; ``part`` is empty for the package's own relations."""

    def __init__(self, package: EditablePackage, part: str) -> None:
        """Read the relations of a part; there may be none."""
        self.package = package
        self.folder, self.name = posixpath.dirname(part), _relations_part(part)
        self.root = parse_part(
            package.read(self.name) if self.name in package else f'<Relationships xmlns="{_RELATIONS}"/>'.encode()
        )

    def by_id(self) -> dict[str, tuple[str, str]]:
        """Return the internal relations of the part."""
        return _related_parts(self.root, self.folder)

    def first(self, kind: str) -> tuple[str, str] | None:
        """Return the first relation of a kind."""
        return next(((key, part) for key, (known, part) in self.by_id().items() if known == kind), None)

    def add(self, kind: str, part: str, *, strict: bool = False) -> str:
        """Add a relation to a part."""
        from lxml import etree

        taken = {relation.get("Id") for relation in self.root}
        key = next(name for k in range(1, len(taken) + 2) if (name := f"rId{k}") not in taken)
        stated = {"Id": key, "Type": f"{_OFFICE[strict]}/{kind}", "Target": posixpath.relpath(part, self.folder or ".")}
        etree.SubElement(self.root, f"{{{_RELATIONS}}}Relationship", stated)
        return key

    def drop(self, kind: str) -> None:
        """Remove all relations of a kind."""
        for relation in child_elements(self.root, "Relationship"):
            if relation.get("Type", "").rpartition("/")[2] == kind:
                self.root.remove(relation)

    def save(self) -> None:
        """Write the relations to the package."""
        if len(self.root) or self.name in self.package:
            self.package.write(self.name, part_bytes(self.root))


class ContentTypes:
    """Content types of the members of the package."""

    PART = "[Content_Types].xml"

    def __init__(self, package: EditablePackage) -> None:
        """Read the package's content types."""
        self.package = package
        self.root = parse_part(package.read(self.PART))

    def set_part(self, part: str, kind: str) -> None:
        """State the content type of a part, unless it is stated."""
        from lxml import etree

        if not self._overrides(part):
            stated = {"PartName": f"/{part}", "ContentType": _MEDIA.format(kind)}
            etree.SubElement(self.root, f"{{{_TYPES}}}Override", stated)

    def set_suffix(self, suffix: str, media: str) -> None:
        """State the content type of members with a suffix, unless it is stated."""
        from lxml import etree

        if all(known.get("Extension", "").lower() != suffix for known in child_elements(self.root, "Default")):
            self.root.insert(0, etree.Element(f"{{{_TYPES}}}Default", {"Extension": suffix, "ContentType": media}))

    def drop_part(self, part: str) -> None:
        """Remove the content type of a part."""
        for known in self._overrides(part):
            self.root.remove(known)

    def _overrides(self, part: str) -> list[_Element]:
        """Return the elements that state the content type of a part."""
        stated = child_elements(self.root, "Override")
        return [known for known in stated if known.get("PartName", "").lower() == f"/{part}".lower()]

    def save(self) -> None:
        """Write the content types to the package."""
        self.package.write(self.PART, part_bytes(self.root))


class WorkbookPart:
    """The main part of a workbook: its list of sheets, and the mode of calculation."""

    def __init__(self, package: EditablePackage) -> None:
        """Read the workbook's main part."""
        main = Relations(package, "").first("officeDocument")
        self.package, self.name = package, main[1] if main else "xl/workbook.xml"
        self.root = parse_part(package.read(self.name))
        self.namespace = main_namespace(self.root)
        self.strict = "purl.oclc.org" in self.namespace
        self.relations = Relations(package, self.name)
        self.added: list[str] = []

    def sheets(self) -> dict[str, str]:
        """Return the part of every sheet."""
        listed = _listed_sheets(self.root, self.relations.by_id())
        return {str(sheet.get("name", "")): part for sheet, _, part in listed}

    def add_sheet(self, name: str, part: str) -> None:
        """List a new sheet after all others."""
        from lxml import etree

        sheets = first_child_element(self.root, "sheets")
        assert sheets is not None
        number = max((integer_attribute(sheet, "sheetId") for sheet in sheets), default=0) + 1
        key = self.relations.add("worksheet", part, strict=self.strict)
        made = etree.SubElement(sheets, f"{{{self.namespace}}}sheet", {"name": name, "sheetId": str(number)})
        made.set(f"{{{_OFFICE[self.strict]}}}id", key)
        self.added.append(name)

    def recompute_on_opening(self) -> None:
        """Request that all formulas are computed when the workbook is opened."""
        if (calculation := first_child_element(self.root, "calcPr")) is None:
            calculation = self._section_after("calcPr", _BEFORE_CALCULATION)
        calculation.set("fullCalcOnLoad", "1")

    def _section_after(self, name: str, before: Sequence[str]) -> _Element:
        """Add a section after the last of those that precede it."""
        from lxml import etree

        made = sibling_element(self.root, name)
        [inner for inner in self.root if etree.QName(inner).localname in before][-1].addnext(made)
        return made

    def section_of_names(self) -> _Element:
        """Return the section of defined names; a new one where there is none."""
        section = first_child_element(self.root, "definedNames")
        return self._section_after("definedNames", _BEFORE_CALCULATION[:-1]) if section is None else section

    def set_print_titles(self, name: str, titles: str) -> None:
        """Define the rows and columns that are repeated on the printed pages of a sheet."""
        from lxml import etree

        index = str(list(self.sheets()).index(name))
        section = first_child_element(self.root, "definedNames")
        kind = {"name": "_xlnm.Print_Titles", "localSheetId": index}
        for known in child_elements(self.root, "definedNames", "definedName"):
            if section is not None and all(known.get(key) == value for key, value in kind.items()):
                section.remove(known)
        if titles:
            section = self.section_of_names()
            made = etree.SubElement(section, f"{{{self.namespace}}}definedName", kind)
            made.text = print_titles_reference(name, titles)
        if section is not None and not len(section):
            self.root.remove(section)

    def save(self) -> None:
        """Write the workbook part, its relations and the titles of added sheets to the package."""
        self.package.write(self.name, part_bytes(self.root))
        self.relations.save()
        if self.added:
            _add_sheet_titles(self.package, self.added)


def print_titles_reference(name: str, titles: str) -> str:
    """Return the reference of a definition of print titles."""
    quoted = "'" + name.replace("'", "''") + "'"
    return ",".join(f"{quoted}!{part}" for part in titles.split(","))


def _add_sheet_titles(package: EditablePackage, added: list[str]) -> None:
    """Add sheets to the titles of parts in the application properties, where these have the usual form."""
    from lxml import etree

    if (where := Relations(package, "").first("extended-properties")) is None or where[1] not in package:
        return
    root = parse_part(package.read(where[1]))
    count = first_child_element(root, "HeadingPairs", "vector", "variant", "i4")
    titles = first_child_element(root, "TitlesOfParts", "vector")
    if count is None or titles is None or not len(titles) or not (count.text or "").isdigit():
        return
    if (place := int(count.text or 0)) > len(titles):
        return
    for name in reversed(added):
        title = etree.SubElement(titles, str(titles[0].tag))
        title.text = name
        titles.insert(place, title)
    count.text = str(place + len(added))
    titles.set("size", str(len(titles)))
    package.write(where[1], part_bytes(root))


@dataclass(frozen=True, slots=True)
class SheetEntry:
    """One sheet of a workbook."""

    name: str
    part: str  # in the archive
    kind: str = "worksheet"  # worksheet or another
    state: str = "visible"  # visible, hidden or veryHidden


def read_package(archive: Archive) -> tuple[list[SheetEntry], str, str, bool]:
    """Return the sheets of a workbook, the parts of its shared strings and styles, and whether dates are from 1904."""
    main = _relation_target(part_relations(archive, ""), "officeDocument") or "xl/workbook.xml"
    if main not in archive:
        raise rejection_error("MP104", "archive contains no workbook", archive.name)
    relations = part_relations(archive, main)
    root = parse_archive_part(archive, main)
    sheets = [
        SheetEntry(str(one.get("name", "")), part, kind or "worksheet", str(one.get("state", "visible")))
        for one, kind, part in _listed_sheets(root, relations)
    ]
    properties = first_child_element(root, "workbookPr")
    date1904 = properties is not None and properties.get("date1904", "0") in ("1", "true", "on")
    return sheets, _relation_target(relations, "sharedStrings"), _relation_target(relations, "styles"), date1904


def parse_archive_part(archive: Archive, member: str) -> _Element:
    """Parse a small part of an archive without a document type."""
    from lxml import etree

    data = archive.read(member)
    reject_document_type(archive.name, member, data)
    try:
        return parse_part(data)
    except etree.XMLSyntaxError as error:
        raise rejection_error("MP104", f"{member} is corrupt in line {error.lineno}", archive.name) from None


def part_relations(archive: Archive, member: str) -> dict[str, tuple[str, str]]:
    """Return the relations of a part."""
    part = _relations_part(member)
    return _related_parts(parse_archive_part(archive, part), posixpath.dirname(member)) if part in archive else {}


def _relation_target(relations: dict[str, tuple[str, str]], kind: str) -> str:
    """Return the part of the first relation of a kind; empty if there is none."""
    return next((target for known, target in relations.values() if known == kind), "")
