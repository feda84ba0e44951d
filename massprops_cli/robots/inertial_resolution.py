"""Inertials of a robot computed from its geometry, and its file with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Literal

import numpy as np

from massprops_cli.bodies.bodies import full_tensors
from massprops_cli.bodies.body import Body
from massprops_cli.bodies.body_array import BodyArray
from massprops_cli.files.options import FileOptions
from massprops_cli.findings.finding import Findings, Place, Severity, TableError, UsageError, rule_finding
from massprops_cli.robots.geometry_bodies import GeometryBodies
from massprops_cli.robots.link_inertials import (
    DEFAULT_DENSITY,
    InertialText,
    SourceEdit,
    UrdfGeometries,
    edited_source,
    link_inertial,
    report_skipped,
    sdf_link_inertial,
)
from massprops_cli.robots.sdf.sdf_model import RobotFolders
from massprops_cli.robots.sdf.sdf_table import read_sdf
from massprops_cli.robots.urdf import read_urdf_model
from massprops_cli.robots.xml_source import SourceElement, parse_source

FailurePolicy = Literal["error", "default"]
GeometrySource = Literal["visual", "collision"]
_DEFAULT_INERTIAL = BodyArray.of([1.0], np.zeros((1, 3)), [[1.0, 1.0, 1.0, 0.0, 0.0, 0.0]])
"""Inertial of a link that states none. [SDFormat specification, "inertial"]"""


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
        SDF or URDF file.
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
        The file is not SDF or URDF, or its model cannot be read.
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
        read_urdf_model(name, data)
        return run.urdf(root, source, density, is_replacing=replace, is_skipping=skip)
    if root.tag != "sdf":
        message = f"root element is {root.tag} (expected sdf or robot)"
        raise TableError([rule_finding("MP871", message, Place(name, line=root.line), value=root.tag)])
    if density is not None or replace or source != "collision":
        raise UsageError("density, replace and the source visual are for URDF; an SDF file states them itself")
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
        self._text = InertialText(data)
        self._findings = Findings()
        self._edits: list[SourceEdit] = []
        self._found: dict[str, Body] = {}

    def sdf(self, roots: tuple[str, ...], *, is_skipping: bool) -> ResolvedInertials:
        """Compute the automatic inertials of an SDF file; those of included files are computed and not written."""
        table = read_sdf(self._name, self._data, FileOptions(folders=roots), False, self._findings)
        autos = [one for one in table.bodies if one.is_auto]
        if is_skipping:
            if autos:
                report_skipped(autos, self._findings)
            return self._result()
        included: dict[str, int] = {}
        for one in autos:
            found = Findings()
            body = self._checked(sdf_link_inertial(one, table.poses, self._bodies, found), one.link.name, found)
            inertial = one.link.inertial
            if body is None or inertial is None:
                continue
            self._keep(table.text(one.row, 1), body)
            if one.model.file is table.files[0]:
                self._edits += self._text.sdf_edits(inertial.element, one.link.element, body)
            else:
                included[one.model.file.name] = included.get(one.model.file.name, 0) + 1
        for file, count in included.items():
            noun = "automatic inertial" if count == 1 else "automatic inertials"
            message = f"{count} {noun} of the included file {file} cannot be written into this file"
            remedy = f"run massprops inertials on {file}"
            self._findings.report("MP868", message, Place(self._name), value=file, remedy=remedy, count=count)
        return self._result()

    def urdf(
        self, root: SourceElement, source: str, density: float | None, *, is_replacing: bool, is_skipping: bool
    ) -> ResolvedInertials:
        """Compute the inertials of links of a URDF file that state none, or of all links."""
        folder = Path(self._name).parent
        geometries = UrdfGeometries(self._name, density or DEFAULT_DENSITY, self._findings)
        for link in root.all("link") if not is_skipping else ():
            inertial, name = link.first("inertial"), link.attributes.get("name", "").strip()
            if inertial is not None and not is_replacing:
                continue
            listed = list(geometries.of_link(link, source))
            if not listed:
                message = f"link {name} has no {source}, and its inertial is not changed"
                place = Place(self._name, line=link.line)
                self._findings.report("MP869", message, place, item=name, severity=Severity.NOTE)
                continue
            found = Findings()
            place = Place(self._name, line=link.line)
            body = self._checked(link_inertial(name, place, listed, None, self._bodies, folder, found), name, found)
            if body is not None:
                self._keep(name, body)
                self._edits.append(self._text.urdf_edit(link, inertial, body))
        if density is None and self._found:
            message = "density is not stated: 1000 kg/m³ is used"
            remedy = "pass --density"
            self._findings.report("MP856", message, Place(self._name), remedy=remedy, count=len(self._found))
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
            self._findings.report(
                one.rule, message, one.place, value=one.value, item=link, remedy=one.remedy, severity=severity,
                related=one.related,
            )  # fmt: skip
        return _DEFAULT_INERTIAL

    def _keep(self, link: str, body: BodyArray) -> None:
        """Keep the body of a link."""
        tensor = full_tensors(body.inertia[0])
        self._found[link] = Body(float(body.mass[0]), body.center[0].copy(), tensor, name=link)

    def _result(self) -> ResolvedInertials:
        """Return the edited source with the bodies found."""
        return ResolvedInertials(edited_source(self._data, self._edits), self._found, self._findings)
