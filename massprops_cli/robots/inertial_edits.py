"""The inertials of a robot file with the values of a table: only the numbers that differ are written."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from massprops_cli.bom.bom import Bom
from massprops_cli.files.table import shortest_number_text
from massprops_cli.findings.finding import Findings, Place, Severity, TableError, name_list
from massprops_cli.robots.link_inertials import SourceEdit, edited_source
from massprops_cli.robots.link_values import (
    ELEMENT_NAME,
    ElementChanges,
    LinkValues,
    body_size,
    inertial_axes,
    is_different,
    link_values,
    number_texts,
)
from massprops_cli.robots.robot_model import TENSOR_ENTRIES
from massprops_cli.robots.sdf.sdf_edits import SdfInertials
from massprops_cli.robots.urdf import read_urdf_model
from massprops_cli.robots.xml_source import SourceElement, parse_source, utf8_source

if TYPE_CHECKING:
    from massprops_cli.mechanisms.model import Mechanism, MechanismBody


def file_with_inertials(bom: Bom, name: str, data: bytes, findings: Findings) -> tuple[bytes, int]:
    """Write the masses, centres and tensors of a table into the inertials of a robot.

    Tensors are written about the centre of mass, along the axes of the inertial that the file has.
    """
    root = parse_source(name, data)
    source, _ = utf8_source(data)
    sdf = SdfInertials(name, data, bom.options.mesh_roots) if root.tag == "sdf" else None
    if sdf is None:
        read_urdf_model(name, data)
    links = {link.attributes.get("name", ""): link for link in root.all("link")} if sdf is None else sdf.links
    bodies = link_values(bom, links, findings)
    if not bodies:
        table = bom.table.source.name
        message = f"no link of {name} has a mass in {table}"
        findings.report("MP887", message, Place(table), severity=Severity.ERROR)
        raise TableError(findings)
    _report_unchanged(name, links if sdf is None else sdf.own_links, set(bom.ids), findings)
    edits: list[SourceEdit] = []
    changed = 0
    for link, body in bodies.items():
        made = _LinkEdit(source, links[link]).stated(body) if sdf is None else sdf.changes(source, link, body)
        edits += made
        changed += bool(made)
    if sdf is not None:
        sdf.report_included(findings)
    return edited_source(data, edits), changed


def _report_unchanged(name: str, links: Mapping[str, SourceElement], known: set[str], findings: Findings) -> None:
    """Report links with an inertial that the table does not name."""
    left = [link for link, element in links.items() if element.first("inertial") and link not in known]
    if left:
        place = Place(name, line=links[left[0]].line)
        noun = "link with an inertial is" if len(left) == 1 else "links with an inertial are"
        message = f"{len(left)} {noun} not in the table: {name_list(left, 8)}"
        findings.report("MP889", message, place, value=left[0], item=left[0], count=len(left))


class _LinkEdit(ElementChanges):
    """The edits of one link."""

    def stated(self, body: LinkValues) -> list[SourceEdit]:
        """Return the edits that state a body in the inertial of the link, which is added if it is missing."""
        inertial = self.link.first("inertial")
        if inertial is None:
            self._add_inertial(body)
            return self.edits
        origin, mass, inertia = (inertial.first(tag) for tag in ("origin", "mass", "inertia"))
        axes = inertial_axes(_numbers(origin, "rpy") or [0.0] * 3)
        added: list[bytes] = []
        size = body_size(body)
        old = _numbers(origin, "xyz") or [0.0] * 3
        if is_different(body.center, old, size):
            added += self._set(inertial, origin, "origin", {"xyz": number_texts(body.center)})
        if is_different([body.mass], _numbers(mass, "value"), abs(body.mass)):
            added += self._set(inertial, mass, "mass", {"value": shortest_number_text(body.mass)})
        tensor = body.inertia_along(axes)
        largest = float(np.abs(tensor).max())
        entries = {}
        for entry, value in zip(TENSOR_ENTRIES, tensor.tolist(), strict=True):
            if inertia is None or is_different([value], _numbers(inertia, entry), largest):
                entries[entry] = shortest_number_text(value)
        if entries:
            added += self._set(inertial, inertia, "inertia", entries)
        if added:
            self.insert(inertial, added)
        return self.edits

    def _add_inertial(self, body: LinkValues) -> None:
        """Add an inertial to the link, in the axes of the link."""
        tensor = body.inertia_along(np.eye(3))
        texts = map(shortest_number_text, tensor.tolist())
        entries = " ".join(f'{entry}="{text}"' for entry, text in zip(TENSOR_ENTRIES, texts, strict=True))
        values = [
            f'<origin xyz="{number_texts(body.center)}"/>',
            f'<mass value="{shortest_number_text(body.mass)}"/>',
            f"<inertia {entries}/>",
        ]
        step = self.step(self.link)
        self.insert(self.link, [b"<inertial>", *(step + value.encode() for value in values), b"</inertial>"])

    def _set(
        self, over: SourceElement, element: SourceElement | None, tag: str, values: Mapping[str, str]
    ) -> list[bytes]:
        """Set attributes of an element; return the line to insert if there is no such element."""
        if element is None:
            text = " ".join(f'{name}="{value}"' for name, value in values.items())
            return [f"<{tag} {text}/>".encode()]
        for name, value in values.items():
            self.edits.append(self._attribute_edit(element, name, value))
        return []

    def _attribute_edit(self, element: SourceElement, name: str, value: str) -> SourceEdit:
        """Return the edit of an attribute, which is added after the name of the element if it is missing."""
        head = self.source[element.start : element.inner]
        found = re.search(rb"(?<=\s)" + name.encode() + rb"""\s*=\s*(?:"([^"]*)"|'([^']*)')""", head)
        if found is None:
            named = ELEMENT_NAME.match(head)
            at = element.start + (named.end() if named else 0)
            return at, at, f' {name}="{value}"'.encode()
        group = 1 if found.group(1) is not None else 2
        start, end = (element.start + position for position in found.span(group))
        return start, end, value.encode()


def _numbers(element: SourceElement | None, name: str) -> list[float]:
    """Return the numbers of an attribute; none if it is missing."""
    return [] if element is None else [float(word) for word in element.attributes.get(name, "").split()]


def urdf_with_inertials(name: str, data: bytes, mechanism: Mechanism) -> bytes:
    """Return a URDF file with the masses, centres and inertia of a mechanism in its links."""
    bodies = {body.name: body for body in mechanism.bodies if body.mass is not None}
    edits: list[SourceEdit] = []
    for link in parse_source(name, data).all("link"):
        body = bodies.get(link.attributes.get("name", "").strip())
        if body is None:
            continue
        text, old = _inertial_text(body).encode(), link.first("inertial")
        if old is not None:
            edits.append((old.start, old.end, text))
        elif link.close == link.inner == link.end:
            edits.append((link.end - 2, link.end, b">" + text + b"</link>"))
        else:
            edits.append((link.close, link.close, text))
    return edited_source(utf8_source(data)[0], edits)


def _inertial_text(body: MechanismBody) -> str:
    """Return the inertial of a body."""
    xx, yy, zz, xy, xz, yz = (repr(float(value)) for value in body.inertia)
    center = " ".join(repr(float(value)) for value in body.center)
    return (
        f'<inertial><origin xyz="{center}" rpy="0 0 0"/><mass value="{float(body.mass)!r}"/>'
        f'<inertia ixx="{xx}" ixy="{xy}" ixz="{xz}" iyy="{yy}" iyz="{yz}" izz="{zz}"/></inertial>'
    )
