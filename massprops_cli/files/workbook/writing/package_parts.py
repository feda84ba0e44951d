"""The small parts that tie a workbook together: relations, content types, the list of sheets, application properties.

Transitional and Strict packages differ in their namespaces only, and are edited alike.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from massprops_cli.files.workbook.writing.package import Package

if TYPE_CHECKING:
    from lxml.etree import _Element

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
LONGEST_NAME = 31
"""Characters of a sheet's name."""


def parse_part(content: bytes) -> _Element:
    """Parse a small part without entities, document types or the network."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False, load_dtd=False)
    return etree.fromstring(content, parser)


def part_bytes(root: _Element) -> bytes:
    """Write a part as Office does: UTF-8 with a declaration."""
    from lxml import etree

    return b'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n' + etree.tostring(root, encoding="UTF-8")


def main_namespace(root: _Element) -> str:
    """Give the namespace of a part's root."""
    from lxml import etree

    return str(etree.QName(root).namespace or "")


def made_like(root: _Element, name: str) -> _Element:
    """Make an element in the namespace of a part's root, with its prefix."""
    from lxml import etree

    return etree.Element(f"{{{main_namespace(root)}}}{name}", nsmap=cast("Mapping[str, str]", root.nsmap))


def children(element: _Element, *path: str) -> list[_Element]:
    """Give the elements along a path of local names."""
    here = [element]
    for name in path:
        here = [inner for parent in here for inner in parent.iterchildren(f"{{*}}{name}")]
    return here


def child(element: _Element, *path: str) -> _Element | None:
    """Give the first element along a path of local names."""
    return next(iter(children(element, *path)), None)


class Relations:
    """What one part refers to. ``part`` is empty for the package's own relations."""

    def __init__(self, package: Package, part: str) -> None:
        """Read the relations of a part; there may be none."""
        self.package = package
        self.folder, base = posixpath.split(part)
        self.name = posixpath.join(self.folder, "_rels", f"{base}.rels")
        self.root = parse_part(
            package.read(self.name) if self.name in package else f'<Relationships xmlns="{_RELATIONS}"/>'.encode()
        )

    def by_id(self) -> dict[str, tuple[str, str]]:
        """Give kind (the last word of the type) and full part name of every inner relation, by id."""
        found = {}
        for relation in children(self.root, "Relationship"):
            if relation.get("TargetMode") != "External":
                kind = relation.get("Type", "").rpartition("/")[2]
                found[relation.get("Id", "")] = (kind, self._full(relation.get("Target", "")))
        return found

    def first(self, kind: str) -> tuple[str, str] | None:
        """Give id and part of the first relation of a kind."""
        return next(((key, part) for key, (known, part) in self.by_id().items() if known == kind), None)

    def add(self, kind: str, part: str, *, strict: bool = False) -> str:
        """Refer to a part, and give the relation's id."""
        from lxml import etree

        taken = {relation.get("Id") for relation in self.root}
        key = next(name for k in range(1, len(taken) + 2) if (name := f"rId{k}") not in taken)
        target = posixpath.relpath(part, self.folder or ".")
        etree.SubElement(
            self.root,
            f"{{{_RELATIONS}}}Relationship",
            {"Id": key, "Type": f"{_OFFICE[strict]}/{kind}", "Target": target},
        )
        return key

    def drop(self, kind: str) -> None:
        """Forget all relations of a kind."""
        for relation in children(self.root, "Relationship"):
            if relation.get("Type", "").rpartition("/")[2] == kind:
                self.root.remove(relation)

    def save(self) -> None:
        """Put the relations back into the package."""
        if len(self.root) or self.name in self.package:
            self.package.write(self.name, part_bytes(self.root))

    def _full(self, target: str) -> str:
        return target.lstrip("/") if target.startswith("/") else posixpath.normpath(posixpath.join(self.folder, target))


class ContentTypes:
    """What kind of part each member of the package is."""

    PART = "[Content_Types].xml"

    def __init__(self, package: Package) -> None:
        """Read the package's content types."""
        self.package = package
        self.root = parse_part(package.read(self.PART))

    def set_part(self, part: str, kind: str) -> None:
        """Say that a part is a ``worksheet``, ``comments``, ``styles``, … of a workbook."""
        from lxml import etree

        path = f"/{part}"
        for known in children(self.root, "Override"):
            if known.get("PartName", "").lower() == path.lower():
                return
        etree.SubElement(self.root, f"{{{_TYPES}}}Override", {"PartName": path, "ContentType": _MEDIA.format(kind)})

    def set_suffix(self, suffix: str, media: str) -> None:
        """Say what members with a suffix are, where nothing is said yet."""
        from lxml import etree

        if any(known.get("Extension", "").lower() == suffix for known in children(self.root, "Default")):
            return
        made = etree.Element(f"{{{_TYPES}}}Default", {"Extension": suffix, "ContentType": media})
        self.root.insert(0, made)

    def drop_part(self, part: str) -> None:
        """Forget a part."""
        for known in children(self.root, "Override"):
            if known.get("PartName", "").lower() == f"/{part}".lower():
                self.root.remove(known)

    def save(self) -> None:
        """Put the content types back into the package."""
        self.package.write(self.PART, part_bytes(self.root))


class WorkbookPart:
    """The list of sheets, and how the workbook is calculated."""

    def __init__(self, package: Package) -> None:
        """Read the workbook's main part."""
        main = Relations(package, "").first("officeDocument")
        self.package, self.name = package, main[1] if main else "xl/workbook.xml"
        self.root = parse_part(package.read(self.name))
        self.namespace = main_namespace(self.root)
        self.strict = "purl.oclc.org" in self.namespace
        self.relations = Relations(package, self.name)
        self.added: list[str] = []

    def sheets(self) -> dict[str, str]:
        """Give the part of every sheet by the sheet's name, in order."""
        parts = self.relations.by_id()
        found = {}
        for sheet in children(self.root, "sheets", "sheet"):
            key = next((value for name, value in sheet.attrib.items() if str(name).endswith("}id")), "")
            found[str(sheet.get("name", ""))] = parts.get(str(key), ("", ""))[1]
        return found

    def add_sheet(self, name: str, part: str) -> None:
        """List a new sheet after all others."""
        from lxml import etree

        sheets = child(self.root, "sheets")
        assert sheets is not None
        number = max((int(sheet.get("sheetId", "0")) for sheet in sheets), default=0) + 1
        key = self.relations.add("worksheet", part, strict=self.strict)
        made = etree.SubElement(sheets, f"{{{self.namespace}}}sheet", {"name": name, "sheetId": str(number)})
        made.set(f"{{{_OFFICE[self.strict]}}}id", key)
        self.added.append(name)

    def recompute_on_opening(self) -> None:
        """Have all formulas computed when the workbook is opened."""
        from lxml import etree

        calculation = child(self.root, "calcPr")
        if calculation is None:
            calculation = made_like(self.root, "calcPr")
            before = [inner for inner in self.root if etree.QName(inner).localname in _BEFORE_CALCULATION]
            before[-1].addnext(calculation)
        calculation.set("fullCalcOnLoad", "1")

    def save(self) -> None:
        """Put the workbook, its relations and the titles of added sheets back into the package."""
        self.package.write(self.name, part_bytes(self.root))
        self.relations.save()
        if self.added:
            list_in_properties(self.package, self.added)


def list_in_properties(package: Package, added: list[str]) -> None:
    """Add sheets to the titles of parts in the application properties, where these have the usual form."""
    from lxml import etree

    where = Relations(package, "").first("extended-properties")
    if where is None or where[1] not in package:
        return
    root = parse_part(package.read(where[1]))
    count = child(root, "HeadingPairs", "vector", "variant", "i4")
    titles = child(root, "TitlesOfParts", "vector")
    if count is None or titles is None or not len(titles):
        return
    if not (count.text or "").isdigit() or int(count.text or 0) > len(titles):
        return
    place = int(count.text or 0)
    for name in reversed(added):
        title = etree.SubElement(titles, str(titles[0].tag))
        title.text = name
        titles.insert(place, title)
    count.text = str(place + len(added))
    titles.set("size", str(len(titles)))
    package.write(where[1], part_bytes(root))
