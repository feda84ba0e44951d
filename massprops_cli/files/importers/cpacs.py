"""CPACS: the ``massBreakdown`` of an aircraft, in kg and m; inertias in the file are about the aircraft's origin."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from massprops_cli.files import parts_report as report
from massprops_cli.files.options import FileOptions
from massprops_cli.files.table import TableSource
from massprops_cli.findings.finding import Findings, Place, TableError, rule_finding

if TYPE_CHECKING:
    from lxml.etree import _Element

_BREAKDOWN_PATH = "vehicles/*/model/analyses/massBreakdown"
_TAKE_OFF_ELEMENTS = ("payload", "fuel", "mOEM")
_PROPERTY_ELEMENTS = (
    "massDescription", "mass", "location", "orientation", "massInertia", "name", "description", "parentUID",
    "componentUID",
)  # fmt: skip
"""Children that are properties of an element, not parts of it."""


def read_cpacs(
    name: str, data: bytes, options: FileOptions, compressed: bool, findings: Findings
) -> report.ReportTable:
    """Read the mass breakdown of every aircraft in a CPACS file. Moved inertias: docs/formulas.md, section 2."""
    breakdowns = report.parse_xml_report(name, data).findall(_BREAKDOWN_PATH)
    models = [str(breakdown.xpath("string(../../@uID)") or "aircraft") for breakdown in breakdowns]
    items: list[report.ReportItem] = []
    for breakdown, id in zip(breakdowns, report.unique_names(models), strict=True):
        reader = _BreakdownReader(name)
        groups = [group for group in breakdown if group.tag != "designMasses"]
        # several aircraft in one file may all have a fuel
        prefix = f"{id}:" if len(breakdowns) > 1 else ""
        if parts := [item for group in groups for item in reader.items(group, id, prefix + str(group.tag))]:
            items += [reader.model(breakdown, id), *parts]
        reader.report_changes(report.element_place(name, breakdown), findings)
    if not items:
        raise TableError([rule_finding("MP111", "file states no masses under massBreakdown", Place(name))])
    return report.report_table(TableSource(name, "cpacs", compressed=compressed), items)


class _BreakdownReader:
    """Reader of the elements of one breakdown; it collects the changes to report."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.on_axis: list[str] = []
        self.left_out: list[str] = []
        self.moved: list[str] = []

    def model(self, breakdown: _Element, id: str) -> report.ReportItem:
        """Return the aircraft itself, with the take-off mass that it states where all of its groups are there."""
        mass = breakdown.find("designMasses/mTOM/mass")
        whole = all(breakdown.find(group) is not None for group in _TAKE_OFF_ELEMENTS)
        return report.ReportItem(
            id,
            "",
            report.element_line(breakdown),
            None if mass is None or not whole else report.element_number(self.name, mass),
        )

    def items(self, element: _Element, parent: str, id: str) -> Iterator[report.ReportItem]:
        """Return the item of an element, and its parts; nothing if no mass is stated."""
        children = [child for child in element if child.tag not in _PROPERTY_ELEMENTS]
        tags = Counter(str(child.tag) for child in children)
        seen: Counter[str] = Counter()
        parts: list[report.ReportItem] = []
        for child in children:
            seen[str(child.tag)] += 1
            n = f"[{seen[str(child.tag)]}]" if tags[str(child.tag)] > 1 else ""
            parts += self.items(child, id, f"{id}:{child.tag}{n}")
        described = element.find("massDescription")
        own = element if described is None else described
        if (mass := own.find("mass")) is None and not parts:
            return
        item = report.ReportItem(
            id, parent, report.element_line(element), None if mass is None else report.element_number(self.name, mass)
        )
        if not parts and item.mass == 0:
            # a group whose parts weigh nothing is not broken down: its own mass counts
            self.left_out.append(f"{id} is not read: its mass is 0")
            return
        yield item if parts else self.placed(item, own)
        yield from parts

    def placed(self, item: report.ReportItem, own: _Element) -> report.ReportItem:
        """Return an item without parts its centre, and its inertia about that."""
        centre = self.centre(item.id, own)
        inertia, why = _own_inertia(self.name, own, item.mass or 0.0, centre)
        if why:
            self.left_out.append(f"inertia of {item.id} is not read: {why}")
        if inertia:
            self.moved.append(item.id)
        return replace(item, centre=centre, inertia=inertia, poi="-" if inertia else "")

    def centre(self, id: str, own: _Element) -> report.Center | None:
        """Return the location in metres; coordinates that are left out are 0, which is remembered."""
        stated = [own.find(f"location/{axis}") for axis in "xyz"]
        if all(at is None for at in stated):
            return None
        if any(at is None for at in stated):
            self.on_axis.append(id)
        x, y, z = (0.0 if at is None else report.element_number(self.name, at) for at in stated)
        return x, y, z

    def report_changes(self, place: Place, findings: Findings) -> None:
        """Report what is not read as it is in the file."""
        if self.on_axis:
            count = len(self.on_axis)
            subject = "location has" if count == 1 else f"{count} locations have"
            message = f"{subject} missing coordinates, which are read as 0"
            findings.report("MP141", message, place, value=self.on_axis[0], count=count)
        if self.moved:
            count = len(self.moved)
            words = f"inertia of {self.moved[0]} is" if count == 1 else f"inertias of {count} items are"
            message = f"{words} about the origin in the file, and transferred to the centre of mass"
            findings.report("MP248", message, place, value=self.moved[0], count=count)
        for message in self.left_out:
            findings.report("MP140", message, place)


def _own_inertia(
    name: str, own: _Element, mass: float, centre: report.Center | None
) -> tuple[report.Inertia | None, str]:
    """Move an inertia from the origin to the item's own centre, by the parallel-axis theorem, or return the reason."""
    # the sign of stated products is unknown, so an inertia with products other than 0 is not read
    stated = {str(child.tag): report.element_number(name, child) for child in own.findall("massInertia/*")}
    if not any(stated.values()):
        return None, ""
    if not {"Jxx", "Jyy", "Jzz"} <= stated.keys():
        return None, "not all of Jxx, Jyy, Jzz are stated"
    if centre is None:
        return None, "it is about the origin and no location is stated"
    if any(report.element_number(name, angle) for angle in own.findall("orientation/*")):
        return None, "its axes are rotated"
    x, y, z = (at or 0.0 for at in centre)
    if any(stated.get(product) for product in ("Jxy", "Jxz", "Jyz")) or x * y or x * z or y * z:
        return None, "it has products of inertia about the origin with an unknown sign convention"
    moments = (mass * (y * y + z * z), mass * (x * x + z * z), mass * (x * x + y * y))
    jxx, jyy, jzz = (stated[axis] - moved for axis, moved in zip(("Jxx", "Jyy", "Jzz"), moments, strict=True))
    return (jxx, jyy, jzz, 0.0, 0.0, 0.0), ""
