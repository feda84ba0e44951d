"""The items of a report, and their table, with canonical headers in kg and m, as if a person had typed it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from massprops_cli.files.options import reject_document_type
from massprops_cli.files.table import GridTable, TableSource, Value
from massprops_cli.findings.finding import Findings, Place, TableError, name_list, rule_finding

if TYPE_CHECKING:
    from lxml.etree import _Element

POUND = 0.45359237  # kilograms; exact by definition (NIST SP 811, appendix B)
INCH, FOOT = 0.0254, 0.3048  # metres; exact by definition
SLUG = POUND * 9.80665 / FOOT  # kilograms: the mass that a pound-force speeds up by one foot per second squared
_CENTER_HEADERS = ("Cx", "Cy", "Cz")
_INERTIA_HEADERS = tuple(f"I{axes}" for axes in ("xx", "yy", "zz", "xy", "xz", "yz"))
Center = tuple[float | None, float | None, float | None]
Inertia = tuple[float, float, float, float, float, float]
_XML_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
"""A decimal number in XML; neither infinite nor hexadecimal."""


@dataclass(frozen=True, slots=True)
class ReportItem:
    """One item of a report; None is a value that it does not state. Without stated units they are coherent."""

    id: str
    parent: str
    line: int  # of the item in the report
    mass: float | None = None  # kg
    centre: Center | None = None  # m
    inertia: Inertia | None = None  # kg·m², about the item's own centre of mass: Ixx, Iyy, Izz, Ixy, Ixz, Iyz
    poi: str = ""  # sign of the products: - for entries of the tensor, + for integrals
    point: bool | None = None
    quantity: int | None = None


class ReportTable(GridTable):
    """Table of a report: headers in row 0, one item with its line in the report per row."""

    incomplete: set[str]  # ids of rows of a robot with values that are not known, of which the cause is reported

    def place(self, i: int, j: int | None = None, column: str = "") -> Place:
        """Return the line of a row in the report."""
        return Place(self.source.name, row=i + 1, column=column, line=self.lines[i] if self.lines else None)


def report_table(source: TableSource, items: Sequence[ReportItem], *, has_units: bool = True) -> ReportTable:
    """Make the table of the items of a report; values that no item states have no column."""
    mass, length, inertia = (" [kg]", " [m]", " [kg*m^2]") if has_units else ("", "", "")
    header: list[Value] = ["id", "parent", f"mass{mass}"]
    with_centre = any(item.centre for item in items)
    with_inertia = any(item.inertia for item in items)
    with_quantity = any(item.quantity is not None for item in items)
    with_point = any(item.point is not None for item in items)
    # without a known sign the column is omitted, so that --poi can state it
    with_sign = any(item.poi for item in items)
    header += (
        [f"{name}{length}" for name in _CENTER_HEADERS] * with_centre
        + [f"{name}{inertia}" for name in _INERTIA_HEADERS] * with_inertia
        + ["POIconv"] * with_sign
        + ["Ipoint"] * with_point
        + ["qty"] * with_quantity
    )
    rows = [header]
    for item in items:
        row: list[Value] = [item.id, item.parent, item.mass]
        row += [*(item.centre or [None] * 3)] * with_centre
        row += [*(item.inertia or [None] * 6)] * with_inertia
        row += [item.poi] * with_sign + [item.point] * with_point
        rows.append(row + [1 if item.quantity is None else item.quantity] * with_quantity)
    return ReportTable(source, rows, lines=[1, *(item.line for item in items)])


def unique_names(names: Iterable[str]) -> list[str]:
    """Make repeated names unique, because ids must be; the first keeps its name."""
    taken: set[str] = set()
    ids = []
    for k, name in enumerate(names, 1):
        bare = " ".join(name.split()) or f"item {k}"
        unique, n = bare, 1
        while unique in taken:
            n += 1
            unique = f"{bare} ({n})"
        taken.add(unique)
        ids.append(unique)
    return ids


def report_items_with_mass(
    items: Iterable[ReportItem], what: str, place: Place, findings: Findings
) -> list[ReportItem]:
    """Return the items with a mass other than 0, and note the others."""
    items = list(items)
    if empty := [item for item in items if item.mass == 0]:
        message = f"{what} with a mass of 0 are not read: {name_list([item.id for item in empty], 12)}"
        findings.report("MP140", message, Place(place.file, line=empty[0].line), value=empty[0].id, count=len(empty))
    return [item for item in items if item.mass != 0]


def is_xml_number(text: str) -> bool:
    """Return whether a text is a number of double precision in XML."""
    return bool(_XML_NUMBER.fullmatch(text)) and math.isfinite(float(text))


def parse_xml_report(name: str, data: bytes) -> _Element:
    """Parse an XML file without entities or the network."""
    from lxml import etree

    reject_document_type(name, "the file", data)
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, huge_tree=False, load_dtd=False, remove_comments=True, remove_pis=True
    )  # fmt: skip
    try:
        return etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        stated = re.sub(r", line \d+, column \d+$", "", (error.msg or "").strip())
        message = f"XML is not well-formed: {stated[:1].lower()}{stated[1:]}" if stated else "XML is not well-formed"
        if "depth" in stated.lower():
            message = "XML is nested too deeply"
        raise TableError([rule_finding("MP104", message, Place(name, line=error.lineno))]) from None


def element_number(name: str, element: _Element) -> float:
    """Return the number in an element."""
    text = "".join(str(part) for part in element.itertext()).strip()
    value = float(text) if _XML_NUMBER.fullmatch(text) else math.nan
    if math.isfinite(value):
        return value
    place = Place(name, line=element_line(element), column=str(element.tag))
    reason = f"not a number: {text!r}" if text else "blank"
    raise TableError([rule_finding("MP205", f"{element.tag} is {reason}", place)])


def element_place(name: str, element: _Element) -> Place:
    """Return the address of an element."""
    return Place(name, line=element_line(element))


def element_line(element: _Element) -> int:
    """Return the line of an element."""
    return element.sourceline if isinstance(element.sourceline, int) else 1
