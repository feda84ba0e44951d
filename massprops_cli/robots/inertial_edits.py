"""The inertials of a URDF file with the values of a table: only the numbers that differ are written.

All other bytes of the file are kept: comments, the order of attributes, blanks, the encoding.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies import Poses
from massprops_cli.bom import Bom
from massprops_cli.files import SourceElement, parse_source, read_urdf_model, shortest_number_text, utf8_source
from massprops_cli.findings import Findings, Place, Severity, TableError, name_list
from massprops_cli.robots.link_bodies import LinkBody, link_bodies

_Floats = NDArray[np.float64]

_ENTRIES = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
_SAME = 1e-12
"""Largest difference, as a share of the largest value of its kind, of numbers that are not written again."""
_INDENT = re.compile(rb"\n([ \t]*)$")
_NAME = re.compile(rb"<[^\s/>]+")


def file_with_inertials(bom: Bom, name: str, data: bytes, findings: Findings) -> tuple[bytes, int]:
    """Write the masses, centres and tensors of a table into the inertials of a robot.

    Parameters
    ----------
    bom : Bom, in kg and m
        Table with rows of links, or of parts below them, such as ``LINK/body``.
    name : str
        Name of the robot file, for findings.
    data : bytes
        Content of the robot file, URDF.
    findings : Findings
        Collector; findings are appended.

    Returns
    -------
    content : bytes
        The file with other numbers, in its encoding.
    links : int
        Number of links whose inertial was changed or added.

    Raises
    ------
    TableError
        The robot file has faults, or no link of it has a mass in the table (MP887); contains all findings.
    UsageError
        The table has neither poses nor a stated frame.

    Notes
    -----
    Tensors are written about the centre of mass, along the axes of the inertial that the file has.

    Examples
    --------
    >>> row = {"id": "base", "mass [kg]": 2.5, "Cx [m]": 0, "Cy [m]": 0, "Cz [m]": 0.1, "POIconv": "-"}
    >>> row |= {f"I{axes} [kg*m^2]": 0.25 if axes[0] == axes[1] else 0 for axes in ("xx", "yy", "zz", "xy", "xz", "yz")}
    >>> inertial = b'<inertial><mass value="2"/><inertia ixx="0.25" iyy="0.25" izz="0.25"/></inertial>'
    >>> robot = b'<robot name="arm"><link name="base">' + inertial + b"</link></robot>"
    >>> content, links = file_with_inertials(Bom.from_records([row], frame="own"), "arm.urdf", robot, Findings())
    >>> content[36:97]
    b'<inertial><origin xyz="0 0 0.1"/><mass value="2.5"/><inertia '
    """
    read_urdf_model(name, data)
    source, codec = utf8_source(data)
    links = {link.attributes.get("name", ""): link for link in parse_source(name, data).all("link")}
    bodies = link_bodies(bom, links, findings)
    if not bodies:
        table = bom.table.source.name
        message = f"no link of {name} has a mass in {table}"
        findings.report("MP887", message, Place(table), severity=Severity.ERROR)
        raise TableError(findings)
    _report_unchanged(name, links, set(bom.ids), findings)
    edits: list[_Edit] = []
    changed = 0
    for link, body in bodies.items():
        edit = _LinkEdit(source, links[link])
        edit.state(body)
        edits += edit.edits
        changed += bool(edit.edits)
    content = _edited(source, edits)
    return content.decode().encode(codec) if codec else content, changed


def _report_unchanged(name: str, links: Mapping[str, SourceElement], known: set[str], findings: Findings) -> None:
    """Report links with an inertial that the table does not name."""
    left = [link for link, element in links.items() if element.first("inertial") and link not in known]
    if left:
        place = Place(name, line=links[left[0]].line)
        message = f"{len(left)} links with an inertial are not in the table: {name_list(left, 8)}"
        findings.report("MP889", message, place, value=left[0], item=left[0], count=len(left))


@dataclass(frozen=True, slots=True, order=True)
class _Edit:
    """Bytes that replace a part of the source; ``order`` puts insertions at one position in sequence."""

    start: int
    order: int
    end: int = field(compare=False)
    text: bytes = field(compare=False)


def _edited(source: bytes, edits: Sequence[_Edit]) -> bytes:
    """Return the source with its edits, which do not overlap."""
    parts, at = [], 0
    for edit in sorted(edits):
        parts += [source[at : edit.start], edit.text]
        at = edit.end
    return b"".join([*parts, source[at:]])


class _LinkEdit:
    """The edits of one link."""

    def __init__(self, source: bytes, link: SourceElement) -> None:
        self._source, self._link = source, link
        self.edits: list[_Edit] = []

    def state(self, body: LinkBody) -> None:
        """State the values of a body in the inertial of the link, which is added if it is missing."""
        inertial = self._link.first("inertial")
        if inertial is None:
            self._add_inertial(body)
            return
        origin, mass, inertia = (inertial.first(tag) for tag in ("origin", "mass", "inertia"))
        axes = _axes(origin)
        added: list[bytes] = []
        size = _size(body)
        old = _numbers(origin, "xyz") or [0.0] * 3
        if _differ(body.center, old, size):
            added += self._set(inertial, origin, "origin", {"xyz": _texts(body.center)})
        if _differ([body.mass], _numbers(mass, "value"), abs(body.mass)):
            added += self._set(inertial, mass, "mass", {"value": shortest_number_text(body.mass)})
        tensor = body.inertia_along(axes)
        largest = float(np.abs(tensor).max())
        entries = {}
        for entry, value in zip(_ENTRIES, tensor.tolist(), strict=True):
            if inertia is None or _differ([value], _numbers(inertia, entry), largest):
                entries[entry] = shortest_number_text(value)
        if entries:
            added += self._set(inertial, inertia, "inertia", entries)
        if added:
            self._insert(inertial, added)

    def _add_inertial(self, body: LinkBody) -> None:
        """Add an inertial to the link, in the axes of the link."""
        tensor = body.inertia_along(np.eye(3))
        entries = " ".join(
            f'{entry}="{shortest_number_text(value)}"' for entry, value in zip(_ENTRIES, tensor.tolist(), strict=True)
        )
        values = [
            f'<origin xyz="{_texts(body.center)}"/>',
            f'<mass value="{shortest_number_text(body.mass)}"/>',
            f"<inertia {entries}/>",
        ]
        inner = self._indents(self._link)[1]
        step = b"" if inner is None else b"\t" if inner.endswith(b"\t") else b"  "
        self._insert(self._link, [b"<inertial>", *(step + value.encode() for value in values), b"</inertial>"])

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

    def _attribute_edit(self, element: SourceElement, name: str, value: str) -> _Edit:
        """Return the edit of an attribute, which is added after the name of the element if it is missing."""
        head = self._source[element.start : element.inner]
        found = re.search(rb"(?<=\s)" + name.encode() + rb"""\s*=\s*(?:"([^"]*)"|'([^']*)')""", head)
        if found is None:
            named = _NAME.match(head)
            at = element.start + (named.end() if named else 0)
            return _Edit(at, len(self.edits), at, f' {name}="{value}"'.encode())
        group = 1 if found.group(1) is not None else 2
        start, end = (element.start + position for position in found.span(group))
        return _Edit(start, len(self.edits), end, value.encode())

    def _insert(self, over: SourceElement, lines: Sequence[bytes]) -> None:
        """Insert lines at the beginning of an element, indented as its children are."""
        outer, inner = self._indents(over)
        is_one_line = outer is None
        break_ = b"" if is_one_line else self._line_end() + (inner or b"")
        text = b"".join(break_ + line for line in lines)
        if over.close != over.inner or self._source[over.inner - 2 : over.inner] != b"/>":
            self.edits.append(_Edit(over.inner, len(self.edits), over.inner, text))
            return
        named = _NAME.match(self._source, over.start)
        assert named is not None
        tag = named.group()[1:]
        tail = b"" if is_one_line else self._line_end() + (outer or b"")
        self.edits.append(_Edit(over.inner - 2, len(self.edits), over.inner, b">" + text + tail + b"</" + tag + b">"))

    def _indents(self, over: SourceElement) -> tuple[bytes | None, bytes | None]:
        """Return the indents of an element and of its children; None if it does not begin its line."""
        outer = self._indent(over)
        inner = self._indent(over.children[0]) if over.children else None
        if outer is None:
            return None, None
        return outer, inner if inner is not None else outer + (b"\t" if outer.endswith(b"\t") else b"  ")

    def _indent(self, element: SourceElement) -> bytes | None:
        """Return the blanks before an element on its line; None if something else is there."""
        found = _INDENT.search(self._source, max(0, element.start - 1000), element.start)
        return found.group(1) if found else None

    def _line_end(self) -> bytes:
        """Return the line end of the file."""
        return b"\r\n" if b"\r\n" in self._source[: self._link.end] else b"\n"


def _axes(origin: SourceElement | None) -> _Floats:
    """Return the axes of an inertial in those of the link."""
    angles = _numbers(origin, "rpy") or [0.0] * 3
    axes: _Floats = Poses.from_rpy(np.zeros((1, 3)), [angles], "rad").rotation[0]
    return axes


def _size(body: LinkBody) -> float:
    """Return the length to which the difference of two centres is compared."""
    gyration = float(np.sqrt(max(float(body.inertia[:3].sum()), 0.0) / (2 * abs(body.mass))))
    return max(float(np.abs(body.center).max()), gyration)


def _numbers(element: SourceElement | None, name: str) -> list[float]:
    """Return the numbers of an attribute; none if it is missing."""
    return [] if element is None else [float(word) for word in element.attributes.get(name, "").split()]


def _differ(new: Sequence[float] | _Floats, old: Sequence[float], size: float) -> bool:
    """Return whether numbers differ by more than rounding, or are missing."""
    if len(old) != len(new):
        return True
    return not bool((np.abs(np.asarray(new) - np.asarray(old)) <= _SAME * size).all())


def _texts(values: _Floats) -> str:
    return " ".join(shortest_number_text(value) for value in values.tolist())
