"""OpenRocket: the component tree of a design, ``NAME.ork`` (a zip archive with ``rocket.ork``, or its XML).

Read are the masses without motors, and the centres along the axis, in metres from the tip.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from massprops_cli.files import parts_report
from massprops_cli.files.importers import openrocket_shapes
from massprops_cli.files.options import ZIP_MAGIC, FileOptions, open_archive
from massprops_cli.files.table import TableSource
from massprops_cli.findings.finding import Findings, Place, TableError, name_list, rule_finding

if TYPE_CHECKING:
    from lxml.etree import _Element

_ASSEMBLIES = ("rocket", "stage", "parallelstage", "podset")
_BODY = ("nosecone", "bodytube", "transition")
_SYMMETRIC = ("innertube", "tubefinset", "railbutton", "centeringring")
"""Components whose centre is the middle, also where their shape has no formula."""
_MEMBER = "rocket.ork"


@dataclass(slots=True)
class _Part:
    """A component: its front, own mass and centre, the components in it, and those that an override covers."""

    name: str
    element: _Element
    front: float
    mass: float | None
    centre: float | None
    reason: str  # why there is no mass
    quantity: int = 1
    parts: list[_Part] = field(default_factory=list)
    covered: int = 0


def read_openrocket(
    name: str, data: bytes, options: FileOptions, compressed: bool, findings: Findings
) -> parts_report.ReportTable:
    """Read the components of an OpenRocket design."""
    if data.startswith(ZIP_MAGIC):
        archive = open_archive(name, data, options.caps, ".ork")
        if not (members := [member for member in archive.members if member == _MEMBER or member.endswith(".ork")]):
            raise TableError([rule_finding("MP111", f"archive has no {_MEMBER}", Place(name))])
        data = archive.read(_MEMBER if _MEMBER in members else members[0])
    root = parts_report.parse_xml_report(name, data)
    if (rocket := root.find("rocket")) is None:
        raise TableError([rule_finding("MP111", "file has no rocket", Place(name))])
    top = _read_part(openrocket_shapes.RocketComponent(name, rocket), 0.0)
    # name the items by their components; keys of parents become names
    pairs = list(_part_items(top, ""))
    names = parts_report.unique_names(part.name if item.id else f"{part.name} (own)" for part, item in pairs)
    named = {item.id: name for (_, item), name in zip(pairs, names, strict=True) if item.id}
    items = [
        replace(item, id=name, parent=named.get(item.parent, "")) for (_, item), name in zip(pairs, names, strict=True)
    ]
    if len(items) == 1:
        raise TableError([rule_finding("MP111", "rocket has no components", parts_report.element_place(name, rocket))])
    _report_unread(name, root, top, items, findings)
    return parts_report.report_table(TableSource(name, "openrocket", compressed=compressed), items)


def _read_part(component: openrocket_shapes.RocketComponent, front: float) -> _Part:
    """Read a component whose front is known, with the components within it."""
    name, element = component.name, component.element
    own = (0.0, 0.0, "") if element.tag in _ASSEMBLIES else openrocket_shapes.shape_mass(component)
    count = element.find("instancecount")
    is_assembly = element.tag in ("podset", "parallelstage")
    quantity = round(parts_report.element_number(name, count)) if is_assembly and count is not None else 1
    part = _Part(element.findtext("name") or str(element.tag), element, front, *own, quantity)
    part.parts = list(_inner_parts(component, part))
    return _overridden(name, part)


def _inner_parts(around: openrocket_shapes.RocketComponent, over: _Part) -> Iterator[_Part]:
    """Read the components within another, one behind the other where they are the body of a stage."""
    name, elements = around.name, over.element.findall("subcomponents/*")
    radii = [openrocket_shapes.end_radii(name, element) for element in elements]
    inside, end = openrocket_shapes.inner_radius(around), over.front
    length, placed = _length(name, over.element), list[tuple[openrocket_shapes.RocketComponent, float, float]]()
    for k, element in enumerate(elements):
        before = radii[k - 1][1] if k else None
        after = radii[k + 1][0] if k + 1 < len(radii) else None
        own_length = _length(name, element)
        follows = over.element.tag in _ASSEMBLIES and element.tag in (*_BODY, "stage")
        method, offset = _stated_position(name, element)
        start = {"bottom": length - own_length, "middle": (length - own_length) / 2, "after": length}
        front = end if follows else over.front + (start.get(method, 0.0) + offset)
        if method == "absolute":
            front = offset
        elif follows and method == "after":
            front += offset
        end = front + own_length if follows else end
        placed.append((openrocket_shapes.RocketComponent(name, element, inside, before, after), front, own_length))
    tubes = [one for one in placed if one[0].element.tag == "innertube"]
    for component, front, own_length in placed:
        overlapping = [
            openrocket_shapes.outer_radius(tube)
            for tube, start, its_length in tubes
            if start <= front + own_length and front <= start + its_length
        ]
        yield _read_part(replace(component, through=max(overlapping, default=0.0)), front)


def _stated_position(name: str, element: _Element) -> tuple[str, float]:
    """Return the method and the offset of a component's position; newer files state it twice."""
    for tag, attribute in (("axialoffset", "method"), ("position", "type")):
        if (child := element.find(tag)) is not None:
            return (child.get(attribute) or "top"), parts_report.element_number(name, child)
    return "", 0.0


def _length(name: str, element: _Element) -> float:
    """Return the length of a component: of a stage, that of its body."""
    if element.tag in _ASSEMBLIES:
        return sum(_length(name, part) for part in element.findall("subcomponents/*") if part.tag in (*_BODY, "stage"))
    if str(element.tag).endswith("finset") and element.tag != "tubefinset":
        return openrocket_shapes.fin_chord(name, element)
    for tag in ("length", "packedlength"):
        if (child := element.find(tag)) is not None:
            return parts_report.element_number(name, child)
    return 0.0


def _overridden(name: str, part: _Part) -> _Part:
    """Apply the overrides of mass and centre to a component; those that include its components replace them."""
    stated = (part.element.find(tag) for tag in ("overridemass", "overridecg"))
    mass, centre = (None if one is None else parts_report.element_number(name, one) for one in stated)
    includes = part.element.findtext("overridesubcomponents") == "true"
    all_masses = includes or part.element.findtext("overridesubcomponentsmass") == "true"
    all_centres = includes or part.element.findtext("overridesubcomponentscg") == "true"
    if not part.parts:
        all_masses = all_centres = False
    if (mass is not None and all_masses) or (centre is not None and all_centres):
        of_all, centre_of_all, reason = _sum_of_parts(part)
        covered = len(part.parts)
        part.mass, part.reason = (mass, "") if mass is not None and all_masses else (of_all, reason)
        part.centre = centre if centre is not None and all_centres else centre_of_all
        return replace(part, parts=[], covered=covered)
    if mass is not None:
        if part.centre is None and part.element.tag in _SYMMETRIC:
            part.centre = _length(name, part.element) / 2
        part.mass, part.reason = mass, ""
    if centre is not None:
        part.centre = centre
    return part


def _sum_of_parts(part: _Part) -> openrocket_shapes.ShapeMass:
    """Return mass and centre of a component with all within it; the mass is unknown if one of them is."""
    all_within = [(part.mass, part.centre, part.reason, part.front, 1)]
    all_within += [(*_sum_of_parts(inner), inner.front, inner.quantity) for inner in part.parts]
    if unknown := [reason for mass, _, reason, *_ in all_within if mass is None]:
        return None, None, unknown[0]
    total = sum((mass or 0.0) * count for mass, *_, count in all_within)
    if not total or any(mass and centre is None for mass, centre, *_ in all_within):
        return total, None, ""
    moment = sum((mass or 0.0) * count * (front + (centre or 0.0)) for mass, centre, _, front, count in all_within)
    return total, moment / total - part.front, ""


def _part_items(part: _Part, over: str) -> Iterator[tuple[_Part, parts_report.ReportItem]]:
    """Return the items of a component and of all within it; the parents are the keys of components."""
    key = str(id(part))
    line, quantity = parts_report.element_line(part.element), part.quantity if part.quantity != 1 else None
    if not part.parts:
        yield part, _leaf_item(part, key, over, quantity)
        return
    yield part, parts_report.ReportItem(key, over, line, quantity=quantity)
    if part.mass != 0:
        yield part, _leaf_item(part, "", key, None)
    for inner in part.parts:
        yield from _part_items(inner, key)


def _leaf_item(part: _Part, key: str, over: str, quantity: int | None) -> parts_report.ReportItem:
    """Return the item of a component's own mass."""
    mass, at = part.mass, part.centre
    centre = None if mass is None or at is None else (part.front + at, 0.0, 0.0)
    return parts_report.ReportItem(key, over, parts_report.element_line(part.element), mass, centre, quantity=quantity)


def _report_unread(
    name: str, root: _Element, top: _Part, items: Sequence[parts_report.ReportItem], findings: Findings
) -> None:
    """Report what a design states and the table does not have."""
    for part in _all_parts(top):
        place = parts_report.element_place(name, part.element)
        if part.mass is None:
            message = f"mass of {part.name} is not computed: {part.reason}"
            remedy = "override its mass in OpenRocket, or convert the design to a table and enter it"
            findings.report("MP143", message, place, value=part.name, item=part.name, remedy=remedy)
        if part.covered:
            message = f"mass of {part.name} is overridden together with {part.covered} components within it"
            findings.report("MP140", message, place, value=part.name, count=part.covered)
    if motors := root.findall(".//motormount/motor"):
        known = sorted({motor.findtext("designation") or "?" for motor in motors})
        findings.report(
            "MP140", f"motors are not read: {name_list(known, 12)}", parts_report.element_place(name, motors[0])
        )
    if any(item.centre for item in items):
        message = "centres of mass are stated along the axis x only, aft from the tip; y and z are read as 0"
        findings.report("MP141", message, parts_report.element_place(name, top.element))


def _all_parts(part: _Part) -> Iterator[_Part]:
    """Return a component and all within it."""
    yield part
    for inner in part.parts:
        yield from _all_parts(inner)
