"""Robot files with other inertials, all other bytes unchanged: those of a table, or computed from the geometry."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from massprops_cli.bodies.bodies import full_tensors
from massprops_cli.bodies.body import Body
from massprops_cli.bodies.body_array import BodyArray
from massprops_cli.bom.bom import Bom
from massprops_cli.files.options import FileOptions
from massprops_cli.files.table import shortest_number_text
from massprops_cli.findings.finding import Findings, Place, Severity, TableError, UsageError, name_list, rule_finding
from massprops_cli.robots import link_inertials, link_values as robot_values
from massprops_cli.robots.geometry_bodies import GeometryBodies
from massprops_cli.robots.link_comparison import transferred_links
from massprops_cli.robots.mjcf.mjcf_edits import MjcfInertials
from massprops_cli.robots.robot_model import TENSOR_ENTRIES, SourceElement, parse_source, utf8_source
from massprops_cli.robots.sdf.sdf_model import SDF_ROOTS, RobotFolders
from massprops_cli.robots.sdf.sdf_table import read_sdf
from massprops_cli.robots.urdf import read_urdf_model, reject_macros

if TYPE_CHECKING:
    from massprops_cli.mechanisms.model import Mechanism

FailurePolicy = Literal["error", "default"]
GeometrySource = Literal["visual", "collision"]
_DEFAULT_INERTIAL = BodyArray.of([1.0], np.zeros((1, 3)), [[1.0, 1.0, 1.0, 0.0, 0.0, 0.0]])
"""Inertial of a link that states none. [SDFormat specification, "inertial"]"""


def file_with_inertials(bom: Bom, name: str, data: bytes, findings: Findings) -> tuple[bytes, int]:
    """Write a table's masses, centres and tensors, along the axes of the file's inertials, into a robot."""
    root = parse_source(name, data)
    source, _ = utf8_source(data)
    writers = {**dict.fromkeys(SDF_ROOTS, robot_values.SdfInertials), "mujoco": MjcfInertials}
    robot = writers[root.tag](name, data, bom.options.mesh_roots) if root.tag in writers else None
    if robot is None:
        reject_macros(name, root)
        read_urdf_model(name, data, read := Findings())
        if read.has_errors:
            raise TableError(read)
    links = {link.attributes.get("name", ""): link for link in root.all("link")} if robot is None else robot.links
    bodies = None
    if Path(bom.table.source.name) != Path(name) and Path(name).is_file():
        with suppress(TableError):  # a robot without inertials has nothing to compare
            bodies = transferred_links(
                bom, Bom.read(name, FileOptions(folders=tuple(bom.options.mesh_roots))), findings
            )
    known = {*bom.ids, *(bodies or ())}
    if bodies is None and not (bodies := robot_values.link_values(bom, links, findings)):
        table = bom.table.source.name
        findings.report("MP887", f"no link of {name} has a mass in {table}", Place(table), severity=Severity.ERROR)
        raise TableError(findings)
    named = links if robot is None else robot.own_links
    if left := [link for link, element in named.items() if element.first("inertial") and link not in known]:
        place = Place(name, line=named[left[0]].line)
        noun = "link with an inertial is" if len(left) == 1 else "links with an inertial are"
        words = f"{len(left)} {noun} not in the table: {name_list(left, 8)}"
        findings.report("MP889", words, place, value=left[0], item=left[0], count=len(left))
    edits: list[link_inertials.SourceEdit] = []
    changed = 0
    for link, body in bodies.items():
        made = _LinkEdit(source, links[link]).stated(body) if robot is None else robot.changes(source, link, body)
        edits += made
        changed += bool(made)
    if robot is not None:
        robot.report_included(findings)
    return link_inertials.edited_source(data, edits), changed


class _LinkEdit(robot_values.ElementChanges):
    """The edits of one link."""

    def stated(self, body: robot_values.LinkValues) -> list[link_inertials.SourceEdit]:
        """Return the edits that state a body in the inertial of the link, which is added if it is missing."""
        if (inertial := self.link.first("inertial")) is None:
            self._add_inertial(body)
            return self.edits
        origin, mass, inertia = (inertial.first(tag) for tag in ("origin", "mass", "inertia"))
        axes = robot_values.inertial_axes(_numbers(origin, "rpy") or [0.0] * 3)
        added: list[bytes] = []
        if robot_values.is_different(body.center, _numbers(origin, "xyz") or [0.0] * 3, robot_values.body_size(body)):
            added += self._set(inertial, origin, "origin", {"xyz": robot_values.number_texts(body.center)})
        if robot_values.is_different([body.mass], _numbers(mass, "value"), abs(body.mass)):
            added += self._set(inertial, mass, "mass", {"value": shortest_number_text(body.mass)})
        tensor = body.inertia_along(axes)
        largest = float(np.abs(tensor).max())
        entries = {}
        for entry, value in zip(TENSOR_ENTRIES, tensor.tolist(), strict=True):
            if inertia is None or robot_values.is_different([value], _numbers(inertia, entry), largest):
                entries[entry] = shortest_number_text(value)
        if entries:
            added += self._set(inertial, inertia, "inertia", entries)
        if added:
            self.insert(inertial, added)
        return self.edits

    def _add_inertial(self, body: robot_values.LinkValues) -> None:
        """Add an inertial to the link, in the axes of the link."""
        texts = map(shortest_number_text, body.inertia_along(np.eye(3)).tolist())
        entries = " ".join(f'{entry}="{text}"' for entry, text in zip(TENSOR_ENTRIES, texts, strict=True))
        values = [
            f'<origin xyz="{robot_values.number_texts(body.center)}"/>',
            f'<mass value="{shortest_number_text(body.mass)}"/>',
            f"<inertia {entries}/>",
        ]
        self.insert_inertial([value.encode() for value in values])

    def _set(
        self, over: SourceElement, element: SourceElement | None, tag: str, values: Mapping[str, str]
    ) -> list[bytes]:
        """Set attributes of an element; return the line to insert if there is no such element."""
        if element is None:
            text = " ".join(f'{name}="{value}"' for name, value in values.items())
            return [f"<{tag} {text}/>".encode()]
        self.edits += [self.attribute_edit(element, name, value) for name, value in values.items()]
        return []


def _numbers(element: SourceElement | None, name: str) -> list[float]:
    """Return the numbers of an attribute; none if it is missing."""
    return [] if element is None else [float(word) for word in element.attributes.get(name, "").split()]


def robot_with_bodies(name: str, data: bytes, mechanism: Mechanism, findings: Findings) -> bytes:
    """Return a robot file with the masses, centres and tensors of a mechanism, all other bytes unchanged."""
    root = parse_source(name, data)
    source, _ = utf8_source(data)
    writers = {**dict.fromkeys(SDF_ROOTS, robot_values.SdfInertials), "mujoco": MjcfInertials}
    robot = writers[root.tag](name, data, ()) if root.tag in writers else None
    if robot is None:
        reject_macros(name, root)
    links = {link.attributes.get("name", ""): link for link in root.all("link")} if robot is None else robot.links
    edits: list[link_inertials.SourceEdit] = []
    for body in mechanism.bodies:
        if body.mass and body.name in links:
            center, tensor = np.array(body.center, float), np.array(body.inertia, float)
            values = robot_values.LinkValues(float(body.mass), center, tensor, np.eye(3))
            one = _LinkEdit(source, links[body.name]).stated(values) if robot is None else None
            edits += robot.changes(source, body.name, values) if one is None and robot is not None else one or []
    if robot is not None:
        robot.report_included(findings)
    return link_inertials.edited_source(data, edits)


def urdf_with_inertials(name: str, data: bytes, mechanism: Mechanism) -> bytes:
    """Return a URDF file with the masses, centres and inertia of a mechanism in its links."""
    bodies = {body.name: body for body in mechanism.bodies if body.mass is not None}
    edits: list[link_inertials.SourceEdit] = []
    root = parse_source(name, data)
    reject_macros(name, root)
    for link in root.all("link"):
        body = bodies.get(link.attributes.get("name", "").strip())
        if body is None:
            continue
        xx, yy, zz, xy, xz, yz = (repr(float(value)) for value in body.inertia)
        center = " ".join(repr(float(value)) for value in body.center)
        text = (
            f'<inertial><origin xyz="{center}" rpy="0 0 0"/><mass value="{float(body.mass)!r}"/>'
            f'<inertia ixx="{xx}" ixy="{xy}" ixz="{xz}" iyy="{yy}" iyz="{yz}" izz="{zz}"/></inertial>'
        ).encode()
        if (old := link.first("inertial")) is not None:
            edits.append((old.start, old.end, text))
        elif link.close == link.inner == link.end:
            edits.append((link.end - 2, link.end, b">" + text + b"</link>"))
        else:
            edits.append((link.close, link.close, text))
    return link_inertials.edited_source(data, edits)


@dataclass(frozen=True, eq=False)
class ResolvedInertials:
    """The file of a robot with computed inertials.

    Attributes
    ----------
    content : bytes
        The file; everything but the inertials is that of the input.
    bodies : dict of str to Body
        Link → computed body in the frame of the link; kg, m, kg·m².
    findings : Findings
        What is wrong, or not used.
    """

    content: bytes
    bodies: dict[str, Body]
    findings: Findings

    def __repr__(self) -> str:
        """Return the number of inertials and findings."""
        return f"ResolvedInertials of {len(self.bodies)} links, {len(self.findings)} findings"


def resolve_inertials(
    path: str | PathLike[str],
    *,
    source: GeometrySource = "collision",
    density: float | None = None,
    replace: bool = False,
    on_failure: FailurePolicy = "error",
    skip: bool = False,
    calculator: str = "",
    mesh_roots: Sequence[str] = (),
    content: bytes | None = None,
) -> ResolvedInertials:
    """Compute the automatic inertials of an SDF file, or the inertials of a URDF file from its geometry.

    Parameters
    ----------
    path : str or path
        SDF, URDF or MJCF file.
    source : {"collision", "visual"}
        Geometry of URDF; that of SDF is always the collisions.
    density : float, optional, kg/m³
        Density of URDF; default: 1000, with a warning.
    replace : bool, optional
        Also replace the inertials that links of URDF state.
    on_failure : {"error", "default"}
        ``default``: an inertial that cannot be computed is 1 kg with the identity, with a warning.
    skip : bool, optional
        Leave automatic inertials as they are; the file is only checked.
    calculator : str, optional
        Custom calculator of meshes.
    mesh_roots : sequence of str, optional
        Further folders in which meshes and included models may be.
    content : bytes, optional
        Content of the file; default: it is read.

    Returns
    -------
    ResolvedInertials
        New content, bodies and findings.

    Raises
    ------
    TableError
        The file is not SDF, URDF or MJCF, or its model cannot be read.
    UsageError
        A density that is not positive, or an option of URDF for SDF.

    Notes
    -----
    docs/tables/robots.md.

    Examples
    --------
    >>> box = b"<collision name='c'><geometry><box><size>1 1 1</size></box></geometry><density>24</density></collision>"
    >>> link = b"<link name='base'><inertial auto='true'/>" + box + b"</link>"
    >>> data = b"<sdf version='1.11'><model name='cube'>" + link + b"</model></sdf>"
    >>> resolve_inertials("cube.sdf", content=data).bodies["base"].inertia.diagonal().tolist()
    [4.0, 4.0, 4.0]
    """
    if density is not None and not 0 < density < np.inf:
        raise UsageError(f"density is not a positive number: {density:g}")
    name = fspath(path)
    data = _file_content(name) if content is None else content
    root = parse_source(name, data)
    run = _Resolution(name, data, on_failure, GeometryBodies(RobotFolders.of(name, mesh_roots), calculator))
    if root.tag == "robot":
        return run.urdf(root, source, density, is_replacing=replace, is_skipping=skip)
    if root.tag not in (*SDF_ROOTS, "mujoco"):
        message = f"root element is {root.tag} (expected sdf, robot or mujoco)"
        raise TableError([rule_finding("MP871", message, Place(name, line=root.line), value=root.tag)])
    if density is not None or replace or source != "collision":
        raise UsageError("density, replace and the source visual are for URDF; other files state them themselves")
    if root.tag == "mujoco":
        return run.mjcf(tuple(mesh_roots), is_skipping=skip)
    return run.sdf(tuple(mesh_roots), is_skipping=skip)


def _file_content(name: str) -> bytes:
    """Return the bytes of a file, or raise MP101."""
    try:
        return Path(name).read_bytes()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise TableError([rule_finding("MP101", f"file cannot be read: {reason}", Place(name))]) from None


class _Resolution:
    """One run over one file."""

    def __init__(self, name: str, data: bytes, on_failure: FailurePolicy, bodies: GeometryBodies) -> None:
        self._name, self._data, self._bodies = name, data, bodies
        self._is_tolerant = on_failure == "default"
        self._text = link_inertials.InertialText(data)
        self._findings = Findings()
        self._edits: list[link_inertials.SourceEdit] = []
        self._found: dict[str, Body] = {}

    def sdf(self, roots: tuple[str, ...], *, is_skipping: bool) -> ResolvedInertials:
        """Compute the automatic inertials of an SDF file; those of included files are computed and not written."""
        table = read_sdf(self._name, self._data, FileOptions(folders=roots), False, read := Findings())
        # models that are missing have no inertials in this file
        self._findings += [replace(one, severity=Severity.WARNING) if one.rule == "MP850" else one for one in read]
        autos = [one for one in table.bodies if one.is_auto]
        if is_skipping:
            if autos:
                link_inertials.report_skipped(autos, self._findings)
            return self._result()
        included: Counter[str] = Counter()
        for one in autos:
            found = Findings()
            body = self._checked(
                link_inertials.sdf_link_inertial(one, table.poses, self._bodies, found), one.link.name, found
            )
            inertial = one.link.inertial
            if body is None or inertial is None:
                continue
            self._keep(table.text(one.row, 1), body)
            if one.model.file is table.files[0]:
                self._edits += self._text.sdf_edits(inertial.element, one.link.element, body)
            else:
                included[one.model.file.name] += 1
        remedy = "run massprops robot inertials on {0}"
        link_inertials.report_included(self._name, included, "automatic inertial", remedy, self._findings)
        return self._result()

    def mjcf(self, roots: tuple[str, ...], *, is_skipping: bool) -> ResolvedInertials:
        """State the inertials that MuJoCo computes from geoms of an MJCF file, if they can be computed."""
        robot = MjcfInertials(self._name, self._data, roots, self._findings)
        for link, body in robot.computed() if not is_skipping else ():
            self._keep(link, BodyArray.of([body.mass], [body.center], [body.inertia]))
            self._edits += robot.stated(utf8_source(self._data)[0], link, body)
        robot.report_included(self._findings)
        return self._result()

    def urdf(
        self, root: SourceElement, source: str, density: float | None, *, is_replacing: bool, is_skipping: bool
    ) -> ResolvedInertials:
        """Compute the inertials of links of a URDF file that state none, or of all links."""
        reject_macros(self._name, root)
        read_urdf_model(self._name, self._data, self._findings)
        folder = Path(self._name).parent
        geometries = link_inertials.UrdfGeometries(
            self._name, density or link_inertials.DEFAULT_DENSITY, self._findings
        )
        for link in root.all("link") if not is_skipping else ():
            inertial, name = link.first("inertial"), link.attributes.get("name", "").strip()
            if inertial is not None and not is_replacing:
                continue
            if not (listed := list(geometries.of_link(link, source))):
                message = f"link {name} has no {source}, and its inertial is not changed"
                place = Place(self._name, line=link.line)
                self._findings.report("MP869", message, place, item=name, severity=Severity.NOTE)
                continue
            found = Findings()
            place = Place(self._name, line=link.line)
            body = self._checked(
                link_inertials.link_inertial(name, place, listed, None, self._bodies, folder, found), name, found
            )
            if body is not None:
                self._keep(name, body)
                self._edits.append(self._text.urdf_edit(link, inertial, body))
        if density is None and self._found:
            message = "density is not stated: 1000 kg/m³ is used"
            self._findings.report("MP856", message, Place(self._name), remedy="pass --density", count=len(self._found))
        return self._result()

    def _checked(self, body: BodyArray | None, link: str, found: Findings) -> BodyArray | None:
        """Append the findings of a link; a failure is an error, or gives the default with a warning."""
        if body is not None or not self._is_tolerant:
            self._findings += found
            return body
        for one in found:
            is_error = one.severity is Severity.ERROR
            message = f"{one.message}; the default of 1 kg and 1 kg·m² is used" if is_error else one.message
            severity = Severity.WARNING if is_error else one.severity
            self._findings.append(replace(one, message=message, item=link, severity=severity, count=1))
        return _DEFAULT_INERTIAL

    def _keep(self, link: str, body: BodyArray) -> None:
        """Keep the body of a link."""
        self._found[link] = Body(float(body.mass[0]), body.center[0].copy(), full_tensors(body.inertia[0]), name=link)

    def _result(self) -> ResolvedInertials:
        """Return the edited source with the bodies found."""
        return ResolvedInertials(link_inertials.edited_source(self._data, self._edits), self._found, self._findings)
