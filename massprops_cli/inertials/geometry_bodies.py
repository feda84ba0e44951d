"""Bodies of the geometries of a link: closed forms of the shapes, and integrals of meshes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import six_entries
from massprops_cli.bodies.body_array import BodyArray
from massprops_cli.bodies.meshes.calculators import calculated_body
from massprops_cli.bodies.meshes.mesh import Mesh, text_precision
from massprops_cli.bodies.meshes.mesh_bodies import MeshInput, mesh_body
from massprops_cli.bodies.poses import Poses
from massprops_cli.bodies.solid_inputs import SolidInput, solid_bodies
from massprops_cli.files.meshes.mesh_file import read_mesh
from massprops_cli.files.robots.sdf_files import RobotFolders
from massprops_cli.files.robots.sdf_model import RobotGeometry
from massprops_cli.findings.finding import Findings, Place, UsageError, name_list

_Floats = NDArray[np.float64]

_SHAPE_DIMS = {
    "box": ("size", ("a", "b", "c")),
    "sphere": ("radius", ("r",)),
    "ellipsoid": ("radii", ("a", "b", "c")),
    "cylinder": ("radius length", ("r", "L")),
    "capsule": ("radius length", ("r", "L")),
    "cone": ("radius length", ("r", "L")),
}
"""Shape → its elements in the file, and the dimensions of the table of shapes."""
_VOXEL_SIZE = "voxel_size"
"""Parameter that computes a mesh from voxels, with any prefix."""


@dataclass(frozen=True, slots=True, eq=False)
class LinkGeometry:
    """A collision or visual of a link."""

    name: str  # in messages
    place: Place
    geometry: RobotGeometry | None  # None: the element has none
    matrix: _Floats  # (4, 4) pose in the frame of the link
    density: float  # kg/m³
    parameters: Mapping[str, str] = field(default_factory=dict)  # of automatic inertia


@dataclass(frozen=True, slots=True, eq=False)
class PlacedBody:
    """The body of a geometry in the frame of its link, with what an overlap is found from."""

    source: LinkGeometry
    body: BodyArray  # one body; kg, m, kg·m²
    dims: Mapping[str, float]  # of a shape, m; empty for a mesh
    mesh: Mesh | None  # m, in its own frame

    @property
    def is_finite(self) -> bool:
        """Whether all values are in double precision."""
        return is_finite_body(self.body)

    @property
    def volume(self) -> float:
        """Volume, m³."""
        return float(self.body.mass[0]) / self.source.density


def is_finite_body(body: BodyArray) -> bool:
    """Return whether mass, centre and tensor are in double precision."""
    return all(bool(np.isfinite(values).all()) for values in (body.mass, body.center, body.inertia))


class GeometryBodies:
    """The bodies of geometries, and the meshes read for them; ``calculator`` names a custom calculator of meshes."""

    def __init__(self, folders: RobotFolders, calculator: str = "") -> None:
        self._folders, self._calculator = folders, calculator
        self._meshes: dict[tuple[Path, tuple[float, ...]], Mesh | None] = {}

    def body(self, one: LinkGeometry, folder: Path, findings: Findings) -> PlacedBody | None:
        """Compute the body of a geometry."""
        geometry = one.geometry
        if geometry is None:
            findings.report("MP855", f"{one.name} has no geometry", one.place, item=one.name)
            return None
        if geometry.kind == "mesh":
            return self._mesh_body(one, geometry, folder, findings)
        if geometry.kind not in _SHAPE_DIMS:
            message = f"geometry of {one.name} has no volume that is computed: {geometry.kind}"
            findings.report("MP855", message, one.place, value=geometry.kind, item=one.name)
            return None
        elements, names = _SHAPE_DIMS[geometry.kind]
        texts = [text for element in elements.split() for text in geometry.dims[element]]
        dims = {name: float(text) for name, text in zip(names, texts, strict=True)}
        with np.errstate(over="ignore", invalid="ignore"):
            made = solid_bodies([SolidInput(geometry.kind, {**dims, "density": one.density}, {}, "z", "density")])
            placed = None if made.faults else PlacedBody(one, _placed(made.ten, one.matrix), dims, None)
        for _, _, message in made.faults:
            findings.report("MP855", f"{one.name}: {message}", one.place, item=one.name)
        return placed

    def _mesh_body(
        self, one: LinkGeometry, geometry: RobotGeometry, folder: Path, findings: Findings
    ) -> PlacedBody | None:
        """Compute the body of a mesh; its findings get the place of the geometry."""
        if geometry.submesh:
            message = f"submesh of {one.name} is not read: {geometry.submesh!r}"
            remedy = "export the submesh as a file of its own"
            findings.report("MP855", message, one.place, value=geometry.submesh, item=one.name, remedy=remedy)
            return None
        found = Findings()
        mesh = self._mesh(one, geometry, folder, found)
        body = None if mesh is None else self._integrals(one, mesh, found)
        findings += [replace(finding, place=one.place, item=one.name) for finding in found]
        if mesh is None or body is None:
            return None
        return PlacedBody(one, _placed(body, one.matrix), {}, mesh)

    def _mesh(self, one: LinkGeometry, geometry: RobotGeometry, folder: Path, findings: Findings) -> Mesh | None:
        """Read a mesh in metres, once for each scale."""
        path, reason = self._folders.find(geometry.uri, folder)
        if path is None:
            message = f"mesh of {one.name} {reason}: {geometry.uri!r}"
            remedy = "check the path, or name the folder of the mesh with --mesh-root"
            findings.report("MP721", message, value=geometry.uri, remedy=remedy)
            return None
        scale = np.array([float(text) for text in geometry.scale])
        if not scale.all():
            findings.report("MP855", f"scale of {one.name} is 0: {' '.join(geometry.scale)!r}", value="0")
            return None
        key = (path, tuple(scale.tolist()))
        if key not in self._meshes:
            self._meshes[key] = None
            file = read_mesh(path, findings, name=path.name)
            if file is not None:
                precision = text_precision(file.vertices) if file.is_text else None
                precision = None if precision is None or isinstance(precision, int) else precision * abs(scale).max()
                vertices = file.vertices.astype(float) * (scale * (file.meters or 1.0))
                faces = file.faces if scale.prod() > 0 else file.faces[:, ::-1]
                self._meshes[key] = Mesh(vertices, faces, precision)
        return self._meshes[key]

    def _integrals(self, one: LinkGeometry, mesh: Mesh, findings: Findings) -> _Floats | None:
        """Return the ten values of a mesh in its own frame, by the custom calculator if there is one."""
        if self._calculator:
            found = calculated_body(self._calculator, mesh, one.density, one.parameters, findings)
            if found is None or found.center is None or found.inertia is None:
                return None
            return np.concatenate([[found.mass], found.center, six_entries(found.inertia)])[None]
        voxel = next((text for name, text in one.parameters.items() if name.endswith(_VOXEL_SIZE)), "")
        unused = [name for name in one.parameters if not name.endswith(_VOXEL_SIZE)]
        if unused:
            message = f"parameters of {one.name} are not used without a calculator: {name_list(unused)}"
            findings.report("MP857", message, value=unused[0], remedy="name their calculator with --calculator")
        try:
            size = float(voxel) if voxel else None
            if size is not None and not 0 < size < np.inf:
                raise ValueError
        except ValueError:
            findings.report("MP855", f"voxel size of {one.name} is not a positive number: {voxel!r}", value=voxel)
            return None
        given = MeshInput(mesh, density=one.density, voxel=size, name=one.name, meters=1.0, kilograms=1.0)
        try:
            made = mesh_body(given, findings)
        except UsageError as error:
            findings.report("MP855", f"mesh of {one.name} cannot be computed: {error}")
            return None
        return None if made is None else made.ten[None]


def _placed(ten: _Floats, matrix: _Floats) -> BodyArray:
    """Return a body of ten values ``(1, 10)`` in the frame of the link."""
    pose = Poses(matrix[None, :3, 3], matrix[None, :3, :3])
    return BodyArray(ten[:, 0], ten[:, 1:4], ten[:, 4:]).transformed(pose)
