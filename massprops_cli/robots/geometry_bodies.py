"""Bodies of the geometry of links: solids and meshes with a density, and those that overlap."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import computed_body_faults, six_entries
from massprops_cli.bodies.body_array import BodyArray
from massprops_cli.bodies.meshes.mesh import Mesh, text_precision
from massprops_cli.bodies.meshes.mesh_bodies import MeshInput, calculated_body, mesh_body
from massprops_cli.bodies.poses import Poses
from massprops_cli.bodies.solid_inputs import SolidInput, solid_bodies
from massprops_cli.bodies.solid_shapes import enclosing_size
from massprops_cli.files.meshes.mesh_file import read_mesh
from massprops_cli.findings.finding import Findings, Place, UsageError, name_list
from massprops_cli.robots.sdf.sdf_model import RobotFolders, RobotGeometry

_Floats = NDArray[np.float64]
_VOXEL_SIZE = "voxel_size"  # parameter that computes a mesh from voxels, with any prefix
_Inside = NDArray[np.bool_]
_CELLS = 16  # points of the grid along each axis
_OFFSETS = (0.5, 0.45, 0.55)
"""Places of the points in their cells: different, so that rays do not meet the diagonals of squares."""
_LEAST_SHARE = 1e-3  # share of the smaller geometry from which on an overlap is reported
_MOST_PAIRS = 1_000  # of one link whose boxes meet
_MOST_TRIANGLES = 5_000  # limits of what is compared for one link


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
    def volume(self) -> float:
        """Volume, m³."""
        return float(self.body.mass[0]) / self.source.density


def computed_fault(body: BodyArray) -> str:
    """Return why no body has the values of a computed one; empty if one has."""
    return next(iter(computed_body_faults(np.column_stack([body.mass, body.center, body.inertia])).values()), "")


class GeometryBodies:
    """The bodies of geometries, and the meshes read for them; ``calculator`` names a custom calculator of meshes."""

    def __init__(self, folders: RobotFolders, calculator: str = "") -> None:
        self._folders, self._calculator = folders, calculator
        self._meshes: dict[tuple[Path, tuple[float, ...]], Mesh | None] = {}

    def body(self, one: LinkGeometry, folder: Path, findings: Findings) -> PlacedBody | None:
        """Compute the body of a geometry."""
        if (geometry := one.geometry) is None:
            findings.report("MP855", f"{one.name} has no geometry", one.place, item=one.name)
            return None
        if geometry.kind == "mesh":
            return self._mesh_body(one, geometry, folder, findings)
        if not geometry.is_known:
            message = f"geometry of {one.name} has no volume that is computed: {geometry.kind}"
            findings.report("MP855", message, one.place, value=geometry.kind, item=one.name)
            return None
        dims = geometry.lengths
        with np.errstate(over="ignore", invalid="ignore"):
            given = SolidInput(geometry.kind, {**dims, "density": one.density}, {}, "z", "density")
            ten, _, faults, _ = solid_bodies([given])
            placed = None if faults else PlacedBody(one, _placed(ten, one.matrix), dims, None)
        for _, _, message in faults:
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
        return None if mesh is None or body is None else PlacedBody(one, _placed(body, one.matrix), {}, mesh)

    def _mesh(self, one: LinkGeometry, geometry: RobotGeometry, folder: Path, findings: Findings) -> Mesh | None:
        """Read a mesh in metres, once for each scale."""
        path, reason = self._folders.find(geometry.uri, folder)
        if path is None:
            message = f"mesh of {one.name} {reason}: {geometry.uri!r}"
            remedy = "check the path, or name the folder of the mesh with --config mesh-root=…"
            findings.report("MP721", message, value=geometry.uri, remedy=remedy)
            return None
        scale = np.array([float(text) for text in geometry.scale])
        if not scale.all():
            findings.report("MP855", f"scale of {one.name} is 0: {' '.join(geometry.scale)!r}", value="0")
            return None
        key = (path, tuple(scale.tolist()))
        if key not in self._meshes:
            self._meshes[key] = None
            if (file := read_mesh(path, findings, name=path.name)) is not None:
                precision = text_precision(file.vertices, file.step) if file.is_text else file.step
                precision = None if precision is None or isinstance(precision, int) else precision * abs(scale).max()
                vertices = file.vertices.astype(float) * (scale * (file.meters or 1.0))
                self._meshes[key] = Mesh(vertices, file.faces if scale.prod() > 0 else file.faces[:, ::-1], precision)
        return self._meshes[key]

    def _integrals(self, one: LinkGeometry, mesh: Mesh, findings: Findings) -> _Floats | None:
        """Return the ten values of a mesh in its own frame, by the custom calculator if there is one."""
        if self._calculator:
            found = calculated_body(self._calculator, mesh, one.density, one.parameters, findings)
            if found is None or found.center is None or found.inertia is None:
                return None
            return np.concatenate([[found.mass], found.center, six_entries(found.inertia)])[None]
        voxel = next((text for name, text in one.parameters.items() if name.endswith(_VOXEL_SIZE)), "")
        if unused := [name for name in one.parameters if not name.endswith(_VOXEL_SIZE)]:
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
    return BodyArray(ten[:, 0], ten[:, 1:4], ten[:, 4:]).transformed(Poses(matrix[None, :3, 3], matrix[None, :3, :3]))


def check_overlaps(link: str, bodies: Sequence[PlacedBody], findings: Findings) -> None:
    """Report geometries of a link whose common volume, estimated with 16³ points, is counted twice (MP858)."""
    boxes = np.array([_box(one) for one in bodies])
    compared = 0
    for i, j in itertools.combinations(range(len(bodies)), 2):
        low, high = np.maximum(boxes[i, 0], boxes[j, 0]), np.minimum(boxes[i, 1], boxes[j, 1])
        meshes = (bodies[i].mesh, bodies[j].mesh)
        if not (high > low).all() or any(mesh is not None and len(mesh.faces) > _MOST_TRIANGLES for mesh in meshes):
            continue
        compared += 1
        if compared > _MOST_PAIRS:
            return
        axes = [(np.arange(_CELLS) + offset) / _CELLS for offset in _OFFSETS]
        points = low + np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3) * (high - low)
        points = points[_inside(bodies[i], points)]
        if len(points):
            points = points[_inside(bodies[j], points)]
        common = float(len(points) / _CELLS**3 * np.prod(high - low))
        smaller = min(bodies[i].volume, bodies[j].volume)
        if common > _LEAST_SHARE * smaller:
            names = f"{bodies[i].source.name} and {bodies[j].source.name}"
            share = min(common / smaller, 1.0)
            message = f"{names} overlap: about {share:.0%} of the smaller one is counted twice"
            message = message.replace("about 0%", "less than 1%")
            findings.report("MP858", message, bodies[j].source.place, item=link, related=(bodies[i].source.place,))


def _box(one: PlacedBody) -> _Floats:
    """Return the least and largest coordinates of a body in the frame of the link."""
    if one.mesh is None:
        assert one.source.geometry is not None
        center, half = np.zeros(3), np.array(enclosing_size(one.source.geometry.kind, one.dims)) / 2
    else:
        center, half = one.mesh.center, (one.mesh.bounds[1] - one.mesh.bounds[0]) / 2
    R, t = one.source.matrix[:3, :3], one.source.matrix[:3, 3]
    middle, reach = R @ center + t, np.abs(R) @ half
    return np.array([middle - reach, middle + reach])


def _inside(one: PlacedBody, points: _Floats) -> _Inside:
    """Return which points of the link's frame are inside a body."""
    own = (points - one.source.matrix[:3, 3]) @ one.source.matrix[:3, :3]
    if one.mesh is not None:
        return _inside_mesh(one.mesh, own)
    assert one.source.geometry is not None
    return _INSIDE[one.source.geometry.kind](one.dims, own)


_Dims = Mapping[str, float]

_INSIDE: dict[str, Callable[[_Dims, _Floats], _Inside]] = {
    "box": lambda d, p: np.asarray((np.abs(p) < np.array([d["a"], d["b"], d["c"]]) / 2).all(axis=1)),
    "sphere": lambda d, p: (p**2).sum(axis=1) < d["r"] ** 2,
    "ellipsoid": lambda d, p: ((p / np.array([d["a"], d["b"], d["c"]])) ** 2).sum(axis=1) < 1,
    "cylinder": lambda d, p: (np.hypot(p[:, 0], p[:, 1]) < d["r"]) & (np.abs(p[:, 2]) < d["L"] / 2),
    "capsule": lambda d, p: (
        p[:, 0] ** 2 + p[:, 1] ** 2 + np.maximum(np.abs(p[:, 2]) - d["L"] / 2, 0) ** 2 < d["r"] ** 2
    ),
    "cone": lambda d, p: (
        (np.hypot(p[:, 0], p[:, 1]) < d["r"] * (0.5 - p[:, 2] / d["L"])) & (np.abs(p[:, 2]) < d["L"] / 2)
    ),
}
"""Which points (k, 3) m are in each shape."""


def _inside_mesh(mesh: Mesh, points: _Floats) -> _Inside:
    """Return which points are inside a mesh: rays along z cross it an odd number of times above them."""
    a, b, c = (mesh.vertices[mesh.faces[:, k]].astype(float) for k in range(3))
    area = _cross(b - a, c - a)
    is_inside = np.zeros(len(points), dtype=bool)
    with np.errstate(divide="ignore", invalid="ignore"):
        for k, point in enumerate(points):
            u, v = _cross(b - point, c - point) / area, _cross(c - point, a - point) / area
            w = 1 - u - v
            hits = (u >= 0) & (v >= 0) & (w >= 0) & (u * a[:, 2] + v * b[:, 2] + w * c[:, 2] > point[2])
            is_inside[k] = np.count_nonzero(hits) % 2 == 1
    return is_inside


def _cross(p: _Floats, q: _Floats) -> _Floats:
    """Return the z of cross products."""
    return np.asarray(p[:, 0] * q[:, 1] - p[:, 1] * q[:, 0])
