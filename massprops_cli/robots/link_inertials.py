"""Inertials of links computed from their geometry, for SDF and URDF, and their text in a file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from massprops_cli.bodies.body_array import BodyArray
from massprops_cli.bodies.rotations import stated_frame
from massprops_cli.files.parts_report import is_xml_number
from massprops_cli.files.table import Table, shortest_number_text
from massprops_cli.findings.finding import Findings, Place, name_list
from massprops_cli.robots import geometry_bodies
from massprops_cli.robots.robot_model import TENSOR_ENTRIES, URDF_SHAPES, SourceElement, utf8_source
from massprops_cli.robots.sdf.sdf_model import RobotGeometry, SdfPoses
from massprops_cli.robots.sdf.sdf_table import SdfBody, SdfTable

DEFAULT_DENSITY = 1000.0  # density of a collision without one, kg/m³: water. [SDFormat specification, "collision"]
_AUTO = re.compile(rb"""(\sauto\s*=\s*)("[^"]*"|'[^']*')""")  # the attribute auto="true" with its value in quotes
SourceEdit = tuple[int, int, bytes]  # new bytes for a part of a source: its start, its end, the bytes
_MASS_COLUMN = 3  # of the table of an SDF file, from 0


def sdf_link_inertial(
    one: SdfBody, poses: SdfPoses, bodies: geometry_bodies.GeometryBodies, findings: Findings
) -> BodyArray | None:
    """Compute the automatic inertial of a link of an SDF file."""
    link, file, inertial = one.link, one.model.file, one.link.inertial
    assert inertial is not None
    place = file.place(inertial.element.line)
    poses_of = [collision.pose for collision in link.collisions if collision.pose is not None]
    if not inertial.is_valid or not all(poses.is_valid(one.model, pose) for pose in poses_of):
        return None
    unused = ["pose"] if inertial.pose is not None else []
    unused += ["inertia"] if inertial.element.first("inertia") is not None else []
    if unused:
        noun = f"{' and '.join(unused)} {'are' if len(unused) > 1 else 'is'}"
        message = f"{noun} not used in the automatic inertial of {link.name}"
        findings.report("MP857", message, place, value=unused[0], item=link.name)
    unstated = [collision.name for collision in link.collisions if not (collision.density or inertial.density)]
    if unstated and not (inertial.mass and len(unstated) == len(link.collisions)):
        message = f"density of {len(unstated)} collisions of {link.name} is not stated: 1000 kg/m³ is used"
        if len(unstated) == 1:
            message = f"density of collision {unstated[0]} of {link.name} is not stated: 1000 kg/m³ is used"
        findings.report("MP856", message, place, item=link.name, count=len(unstated))
    geometries = [
        geometry_bodies.LinkGeometry(
            f"{link.name}/{collision.name}",
            file.place(collision.line),
            collision.geometry,
            poses.in_link(one.model, link, collision.pose),
            float(collision.density or inertial.density or DEFAULT_DENSITY),
            (inertial.parameters if collision.parameters is None else collision.parameters) or {},
        )
        for collision in link.collisions
    ]
    mass = float(inertial.mass) if inertial.mass else None
    return link_inertial(link.name, place, geometries, mass, bodies, file.folder, findings)


def link_inertial(
    link: str, place: Place, geometries: Sequence[geometry_bodies.LinkGeometry], mass: float | None,
    bodies: geometry_bodies.GeometryBodies, folder: Path, findings: Findings,
) -> BodyArray | None:  # fmt: skip
    """Compute the inertial of a link from its geometries."""
    if not geometries:
        findings.report("MP855", f"link {link} has no collision", place, item=link)
        return None
    placed: list[geometry_bodies.PlacedBody | None] = []
    for one in geometries:
        if one.density == 0:
            message = f"density of {one.name} is 0, and it adds no mass"
            findings.report("MP857", message, one.place, value="0", item=link, remedy="state a density, if it has mass")
        elif one.density < 0:
            message = f"density of {one.name} is negative: {one.density:g} kg/m³"
            findings.report("MP855", message, one.place, value=f"{one.density:g}", item=link, remedy="state a density")
            placed.append(None)
        else:
            placed.append(bodies.body(one, folder, findings))
    if len(found := [one for one in placed if one is not None]) < len(placed):
        return None
    if not found or (mass is not None and mass <= 0):
        reason = "has no collision with a mass" if not found else f"states a mass that is not positive: {mass:g} kg"
        findings.report("MP855", f"link {link} {reason}", place, item=link)
        return None
    if fault := next(filter(None, (geometry_bodies.computed_fault(one.body) for one in found)), ""):
        _report_impossible(link, fault, place, findings)
        return None
    geometry_bodies.check_overlaps(link, found, findings)
    parts = [one.body for one in found]
    with np.errstate(over="ignore", invalid="ignore"):
        total = BodyArray(
            np.concatenate([one.mass for one in parts]),
            np.concatenate([one.center for one in parts]),
            np.concatenate([one.inertia for one in parts]),
        ).total()
        factor = 1.0 if mass is None else mass / float(total.mass[0])
        whole = BodyArray(total.mass if mass is None else np.array([mass]), total.center, total.inertia * factor)
    if not (fault := geometry_bodies.computed_fault(whole)):
        return whole
    _report_impossible(link, fault, place, findings)
    return None


def _report_impossible(link: str, fault: str, place: Place, findings: Findings) -> None:
    """Report a link whose geometries give values that no body has."""
    message = f"geometry of {link} has no body: {fault}"
    findings.report("MP855", message, place, item=link, remedy="check the dimensions in m and the density in kg/m³")


class UrdfGeometries:
    """The geometries of the links of one URDF file at one density, kg/m³; faults are appended to ``findings``."""

    def __init__(self, name: str, density: float, findings: Findings) -> None:
        self._name, self._density, self._findings = name, density, findings

    def of_link(self, link: SourceElement, kind: str) -> Iterator[geometry_bodies.LinkGeometry]:
        """Yield the geometries of a link."""
        found = list(link.all(kind))
        label = link.attributes.get("name", "").strip()
        for number, element in enumerate(found, 1):
            own = element.attributes.get("name", "").strip() or (kind if len(found) == 1 else f"{kind} {number}")
            name = f"{label}/{own}"
            origin = element.first("origin")
            numbers = [0.0] * 6
            if origin is not None:
                xyz, rpy = (self._numbers(origin, word, 3, name) for word in ("xyz", "rpy"))
                numbers = [*map(float, xyz), *map(float, rpy)]
            over = element.first("geometry")
            shape = None if over is None or not over.children else self._shape(over.children[0], name)
            place = Place(self._name, line=element.line)
            yield geometry_bodies.LinkGeometry(name, place, shape, stated_frame(numbers), self._density)

    def _shape(self, element: SourceElement, name: str) -> RobotGeometry:
        """Read a shape."""
        shape = URDF_SHAPES.get(element.tag, {})
        dims = {word: self._numbers(element, word, count, name) for word, count in shape.items()}
        if element.tag != "mesh":
            return RobotGeometry(element.tag, element.line, dims)
        scale = ("1", "1", "1") if "scale" not in element.attributes else self._numbers(element, "scale", 3, name)
        return RobotGeometry("mesh", element.line, dims, element.attributes.get("filename", "").strip(), scale)

    def _numbers(self, element: SourceElement, word: str, count: int, name: str) -> tuple[str, ...]:
        """Read some numbers; an attribute that is missing is zeros."""
        if (text := element.attributes.get(word)) is None:
            return ("0",) * count
        if len(texts := tuple(text.split())) == count and all(map(is_xml_number, texts)):
            return texts
        expected = "a number" if count == 1 else f"{count} numbers"
        place = Place(self._name, line=element.line)
        self._findings.report("MP205", f"{word} of {name} is not {expected}: {text!r}", place, value=text, item=name)
        return ("0",) * count


def edited_source(data: bytes, edits: Iterable[SourceEdit]) -> bytes:
    """Return a source with edits, in its own encoding; insertions at one position keep their order."""
    source, codec = utf8_source(data)
    parts, at = [], 0
    for start, end, text in sorted(edits, key=lambda edit: edit[0]):
        parts += [source[at:start], text]
        at = end
    made = b"".join([*parts, source[at:]])
    return made.decode().encode(codec) if codec else made


class InertialText:
    """Writer of inertials for one source."""

    def __init__(self, data: bytes) -> None:
        self._source = utf8_source(data)[0]
        self._line_end = "\r\n" if b"\r\n" in self._source else "\n"

    def sdf_edits(self, inertial: SourceElement, link: SourceElement, body: BodyArray) -> list[SourceEdit]:
        """Return the edits that state an automatic inertial of SDF as numbers."""
        own = self._indent(inertial)
        step = own.removeprefix(self._indent(link)) or "  "
        inner = own + step
        mass, center, moments = _texts(body)
        entries = [f"{inner}{step}<{name}>{text}</{name}>" for name, text in zip(TENSOR_ENTRIES, moments, strict=True)]
        new = {
            "mass": f"<mass>{mass}</mass>",
            "pose": f"<pose>{' '.join(center)} 0 0 0</pose>",
            "inertia": self._line_end.join(["<inertia>", *entries, f"{inner}</inertia>"]),
        }
        known = {tag: element for tag in new if (element := inertial.first(tag)) is not None}
        edits = [(one.start, one.end, new[tag].encode()) for tag, one in known.items()]
        added = "".join(f"{self._line_end}{inner}{text}" for tag, text in new.items() if tag not in known)
        tag = _AUTO.sub(rb'\g<1>"false"', self._source[inertial.start : inertial.inner], count=1)
        if inertial.inner == inertial.end:
            tag = tag[:-2].rstrip() + b">" + f"{added}{self._line_end}{own}</inertial>".encode()
            return [(inertial.start, inertial.end, tag)]
        content = self._source[inertial.inner : inertial.close]
        last = inertial.inner + len(content.rstrip())
        tail = b"" if b"\n" in content[len(content.rstrip()) :] or not added else f"{self._line_end}{own}".encode()
        edits.append((inertial.start, inertial.inner, tag))
        return [*edits, (last, last, added.encode() + tail)] if added else edits

    def urdf_edit(self, link: SourceElement, inertial: SourceElement | None, body: BodyArray) -> SourceEdit:
        """Return the edit that states the inertial of a link of URDF."""
        own = self._indent(link)
        child = link.children[0]
        inner = self._indent(child) if child.line > link.line else own + "  "
        step = inner.removeprefix(own) or "  "
        mass, center, moments = _texts(body)
        entries = " ".join(f'{name}="{text}"' for name, text in zip(TENSOR_ENTRIES, moments, strict=True))
        lines = [
            "<inertial>",
            f'{inner}{step}<origin xyz="{" ".join(center)}" rpy="0 0 0"/>',
            f'{inner}{step}<mass value="{mass}"/>',
            f"{inner}{step}<inertia {entries}/>",
            f"{inner}</inertial>",
        ]
        text = self._line_end.join(lines)
        if inertial is not None:
            return inertial.start, inertial.end, text.encode()
        return link.inner, link.inner, f"{self._line_end}{inner}{text}".encode()

    def _indent(self, element: SourceElement) -> str:
        """Return the blanks before an element; one that is not the first of its line is two blanks deeper."""
        before = self._source[self._source.rfind(b"\n", 0, element.start) + 1 : element.start]
        blanks = before[: len(before) - len(before.lstrip())].decode("ascii", "ignore")
        return blanks if not before.strip() else f"{blanks}  "


def _texts(body: BodyArray) -> tuple[str, list[str], list[str]]:
    """Return mass, centre and the six entries of the tensor with all their digits."""
    (mass,), center, moments = (
        [shortest_number_text(value + 0.0) for value in values.tolist()]
        for values in (body.mass, body.center[0], body.inertia[0])
    )
    return mass, center, moments


def resolve_robot_table(table: Table, findings: Findings, *, is_computed: bool = True) -> Table:
    """Complete the table of an SDF file; any other table is returned as it is."""
    if not isinstance(table, SdfTable) or table.is_resolved:
        return table
    autos = [one for one in table.bodies if one.is_auto]
    cells: dict[int, tuple[str, ...]] = {}
    if is_computed:
        bodies = geometry_bodies.GeometryBodies(table.folders, table.calculator)
        for one in autos:
            if (body := sdf_link_inertial(one, table.poses, bodies, findings)) is not None:
                ten = (body.mass[0], *body.center[0], *body.inertia[0])
                cells[one.row] = tuple(repr(float(value) + 0.0) for value in ten)
    elif autos:
        report_skipped(autos, findings)
    filled = table.with_bodies(cells, {} if is_computed else {one.row: "0" for one in autos})
    _report_defaults(filled, findings)
    return filled


def report_skipped(autos: list[SdfBody], findings: Findings) -> None:
    """Report automatic inertials that are not computed."""
    names = [one.link.name for one in autos]
    noun = "inertial is" if len(names) == 1 else "inertials are"
    message = f"{len(names)} automatic {noun} not computed: {name_list(names, 12)}"
    place = autos[0].model.file.place(autos[0].inertial_line)
    findings.report("MP859", message, place, item=names[0], count=len(names))


def report_included(name: str, counts: Mapping[str, int], what: str, remedy: str, findings: Findings) -> None:
    """Report inertials of included files, which are not written; the remedy has ``{0}`` in place of the file."""
    for file, count in counts.items():
        noun = what if count == 1 else f"{what}s"
        message = f"{count} {noun} of the included file {file} cannot be written into this file"
        findings.report("MP868", message, Place(name), value=file, remedy=remedy.format(file), count=count)


def _report_defaults(table: SdfTable, findings: Findings) -> None:
    """Report links with the default inertial, and the share of the mass that they make."""
    if not (defaults := [one for one in table.bodies if one.is_default]):
        return
    texts = {one.row: table.text(one.row, _MASS_COLUMN) for one in table.bodies}
    total = sum(float(text) for text in texts.values() if text)
    mass = sum(float(texts[one.row]) for one in defaults)
    names = [one.link.name for one in defaults]
    noun, verb = ("link states", "counts") if len(names) == 1 else ("links state", "count")
    share = f": {mass:g} kg of {total:.4g} kg ({mass / total:.1%})" if total > 0 else ""
    counted = f"{verb} with the default of what is not stated, 1 kg and 1 kg·m²{share}"
    message = f"{len(names)} {noun} no complete inertial, and {counted}: {name_list(names, 12)}"
    place = defaults[0].model.file.place(defaults[0].inertial_line)
    findings.report("MP853", message, place, item=names[0], count=len(names))
