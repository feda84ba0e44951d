"""Bodies of the geoms of MJCF: primitive solids and shells, meshes, and primitives fitted to meshes."""

from __future__ import annotations

import itertools
import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.body_array import BodyArray
from massprops_cli.bodies.meshes.mesh import Mesh, MomentKind, mesh_moments
from massprops_cli.bodies.meshes.mesh_shells import convex_hull
from massprops_cli.bodies.poses import Poses, axis_rotation
from massprops_cli.bodies.rotations import Floats, frame_matrix, quaternion_rows, roll_pitch_yaw
from massprops_cli.bodies.solid_shapes import SHAPES
from massprops_cli.files.meshes.mesh_file import read_mesh
from massprops_cli.findings.finding import Findings, UsageError
from massprops_cli.robots.mjcf.mjcf_source import MAIN, Attributes, MjcfSource
from massprops_cli.robots.robot_model import CollisionShape, SourceElement

_SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}
"""Primitive with a volume → how many of its sizes are used: radius, half length; half edges, semi-axes."""
_MESHES = ("mesh", "sdf")  # types whose body is that of their mesh
_DENSITY = 1000.0  # kg/m³ of a geom that states neither density nor mass. [MuJoCo, XML reference, "geom"]
_THIN = 1e-6  # m by which MuJoCo expands an ellipsoid for the moments of its shell
_THOMSEN = 1.6075  # exponent of Thomsen's area of an ellipsoid
_LEAST_VOLUME = 1e-14  # kg, or m³ or m², above which MuJoCo counts a geom
_LEAST_MESH = 1e-15  # m² and m³ from which on MuJoCo accepts a mesh
_MOST_BYTES = 2**28  # largest file
_HEAD = struct.Struct("<4i")  # of an MSH file: numbers of vertices, normals, texture coordinates and faces
_NOTHING = BodyArray.of([0.0], np.zeros((1, 3)), np.zeros((1, 6)))
_INTEGRALS: dict[str, MomentKind] = {"legacy": "absolute", "shell": "surface", "exact": "volume", "convex": "volume"}
"""Mode of ``inertia`` → integral."""
_Read = tuple[NDArray[np.floating[Any]], NDArray[np.integer[Any]]]
"""Vertices (n, 3) and faces (m, 3), none if the file has only points."""


class _GeomSolid(NamedTuple):
    """Volume (area of a shell), centre (3,) and tensor (3, 3) of unit mass about it, in its own axes."""

    volume: float
    center: Floats
    tensor: Floats


@dataclass(frozen=True, slots=True, eq=False)
class MjcfGeom:
    """A geom of a body, with the defaults of its class."""

    source: MjcfSource
    element: SourceElement
    attributes: Attributes
    frame: Floats  # (4, 4) of the elements around it, in the frame of the body

    @property
    def kind(self) -> str:
        """Its type."""
        return self.attributes.get("type", "sphere")

    @property
    def group(self) -> int:
        """Its group."""
        return int(next(iter(self.numbers("group")), 0.0))

    @property
    def label(self) -> str:
        """What it is called in messages."""
        name = self.attributes.get("name", "")
        return f"geom {name}" if name else f"geom ({self.kind})"

    def numbers(self, name: str, count: int = 1, least: int = 0) -> list[float]:
        """Return the numbers of an attribute; none if it is missing."""
        return self.source.numbers(self.element, self.attributes, name, count, least)

    def report(self, message: str, value: str = "", rule: str = "MP855") -> None:
        """Report that its body is not known."""
        place = self.source.place(self.element)
        self.source.findings.report(rule, message, place, value=value, item=self.attributes.get("name", ""))

    def pose_and_sizes(self) -> tuple[Floats, list[float]]:
        """Return the pose (4, 4) in the frames around it, and the three sizes; those that are missing are 0."""
        sizes = [*self.numbers("size", 3, 1), 0.0, 0.0, 0.0][:3]
        if not (ends := np.array(self.numbers("fromto", 6))).size:
            return self.source.pose(self.element, self.attributes), sizes
        along = ends[:3] - ends[3:]
        length = float(np.linalg.norm(along))
        pose = frame_matrix((ends[:3] + ends[3:]) / 2, axis_rotation(along / length) if length > 0 else None)
        is_round = self.kind in ("capsule", "cylinder")
        return pose, [sizes[0], length / 2, 0.0] if is_round else [sizes[0], sizes[0], length / 2]


class GeomBodies:
    """Computes the bodies of geoms; each mesh is read once."""

    def __init__(self) -> None:
        self._meshes: dict[tuple[int, str], _MjcfMesh | None] = {}

    def body(self, geom: MjcfGeom) -> BodyArray | None:
        """Return the body of a geom in the frame of its body, with the mass 0 if it has none; None with a finding."""
        if geom.kind == "plane":
            return _NOTHING
        pose, sizes = geom.pose_and_sizes()
        if (geom.numbers("mass") or geom.numbers("density")) == [0.0]:
            return _NOTHING
        mesh = None
        if "mesh" in geom.attributes or geom.kind in _MESHES:
            if (mesh := self._mesh(geom)) is None:
                return None
            if geom.kind not in _MESHES:
                fitted, sizes = mesh.fitted(geom.kind, geom.source.flag("fitaabb"))
                pose, scale = pose @ fitted, (geom.numbers("fitscale") or [1.0])[0]
                sizes = [size * scale for size in sizes]
        solid = mesh.solid if mesh and geom.kind in _MESHES else self._primitive(geom, sizes)
        return None if solid is None else self._weighed(geom, solid, pose)

    def _weighed(self, geom: MjcfGeom, solid: _GeomSolid, pose: Floats) -> BodyArray | None:
        """Return the body of a solid at a pose (4, 4), with the mass that a geom states, else with its density."""
        mass, density = geom.numbers("mass"), geom.numbers("density") or [_DENSITY]
        amount = mass[0] if mass else density[0] * solid.volume
        if amount < 0 or not np.isfinite([amount, solid.volume, *(amount * solid.tensor).ravel()]).all():
            geom.report(f"mass of {geom.label} is negative, or exceeds double precision: {amount:g}", f"{amount:g}")
            return None
        if amount <= _LEAST_VOLUME or solid.volume <= (_LEAST_VOLUME if mass else 0.0):
            return _NOTHING
        own = BodyArray.of([amount], [solid.center], (amount * solid.tensor)[None])
        matrix = geom.frame @ pose
        return own.transformed(Poses(matrix[None, :3, 3], matrix[None, :3, :3]))

    def _primitive(self, geom: MjcfGeom, sizes: Sequence[float]) -> _GeomSolid | None:
        """Return a primitive as a solid or as a shell."""
        kind = geom.kind
        if kind == "hfield":  # MuJoCo gives it the mass of its box
            name = geom.attributes.get("hfield", "")
            if (asset := geom.source.assets.get(("hfield", name))) is None:
                geom.report(f"hfield of {geom.label} is not defined: {name!r}", name, "MP874")
                return None
            x, y, up, base = geom.source.numbers(asset, asset.attributes, "size", 4) or [0.0] * 4
            kind, sizes = "box", [x, y, 0.25 * up + 0.5 * base]
        if kind not in _SIZES:
            geom.report(f"{geom.label} has a type whose body is not computed: {kind!r}", kind)
            return None
        if any(size <= 0 for size in sizes[: _SIZES[kind]]):
            used = " ".join(f"{size:g}" for size in sizes[: _SIZES[kind]])
            geom.report(f"size of {geom.label} is not positive: {used}", used)
            return None
        is_shell = geom.attributes.get("shellinertia", "false") == "true"
        try:
            volume, (xx, yy, zz) = (_shell_moments if is_shell else _solid_moments)(kind, sizes)
        except (OverflowError, ZeroDivisionError):
            volume = xx = yy = zz = math.inf
        return _GeomSolid(volume, np.zeros(3), np.diag([yy + zz, xx + zz, xx + yy]))

    def _mesh(self, geom: MjcfGeom) -> _MjcfMesh | None:
        """Return the mesh of a geom."""
        name, source = geom.attributes.get("mesh", ""), geom.source
        key = (id(source), name)
        if key not in self._meshes:
            self._meshes[key] = None
            if (asset := source.assets.get(("mesh", name))) is None:
                geom.report(f"mesh of {geom.label} is not defined: {name!r}", name, "MP874")
            else:
                found = Findings()
                self._meshes[key] = _read_mesh_asset(source, asset, found)
                source.findings += [replace(one, place=source.place(asset), item=name) for one in found]
        elif self._meshes[key] is None:  # its fault is reported once
            return None
        return self._meshes[key]


def _solid_moments(kind: str, sizes: Sequence[float]) -> tuple[float, list[float]]:
    """Return the volume and the mean squares of x, y, z of a primitive."""
    a, b, c = sizes
    dims = {
        "sphere": {"r": a},
        "capsule": {"r": a, "L": 2 * b},
        "cylinder": {"r": a, "L": 2 * b},
        "ellipsoid": {"a": a, "b": b, "c": c},
        "box": {"a": 2 * a, "b": 2 * b, "c": 2 * c},
    }[kind]
    moments = SHAPES[kind].moments(dims)
    return float(moments.volume), [float(value) for value in moments.mean[:3]]


def _shell_moments(kind: str, sizes: Sequence[float]) -> tuple[float, list[float]]:
    """Return the area and the mean squares of x, y, z of the surface of a primitive, as MuJoCo computes them."""
    a, b, c = sizes
    if kind == "capsule":
        half, side, ends = b, 4 * math.pi * a * b, 4 * math.pi * a * a
        share = ends / (side + ends)
        xx = (1 - share) * a * a / 2 + share * a * a / 3
        zz = (1 - share) * half * half / 3 + share * (a * a / 12 + (half + a / 2) ** 2)
        return side + ends, [xx, xx, zz]
    if kind == "ellipsoid":  # Thomsen's area, and the moments of a solid that is a little larger minus its own
        p = _THOMSEN
        area = 4 * math.pi * (((a * b) ** p + (b * c) ** p + (c * a) ** p) / 3) ** (1 / p)
        inner, outer = a * b * c, (a + _THIN) * (b + _THIN) * (c + _THIN)
        means = [(outer * (s + _THIN) ** 2 - inner * s * s) / (5 * (outer - inner)) for s in (a, b, c)]
        return area, means
    name, dims = {
        "sphere": ("sphere shell", {"r": a}),
        "cylinder": ("closed cylinder shell", {"r": a, "L": 2 * b}),
        "box": ("box shell", {"a": 2 * a, "b": 2 * b, "c": 2 * c}),
    }[kind]
    moments = SHAPES[name].moments(dims)
    return float(moments.volume), [float(value) for value in moments.mean[:3]]


def geom_shape(geom: MjcfGeom) -> CollisionShape | None:
    """Return a geom as the collision of a link, in the frame of its body; None of planes and unusual meshes."""
    kind, (pose, sizes) = geom.kind, geom.pose_and_sizes()
    matrix, file, scale = geom.frame @ pose, "", [1.0] * 3
    used = [size * (2.0 if kind == "box" or k else 1.0) for k, size in enumerate(sizes[: _SIZES.get(kind, 0)])]
    if kind == "ellipsoid":
        used = sizes
    if (asset := geom.source.assets.get(("mesh", geom.attributes.get("mesh", "")))) is not None:
        attributes = geom.source.attributes(asset, MAIN)
        path, _ = geom.source.asset_file(asset) if "file" in attributes else (None, "")
        if kind != "mesh" or path is None or "refpos" in attributes or "refquat" in attributes:
            return None
        file, scale = str(path), geom.source.numbers(asset, attributes, "scale", 3) or scale
    elif kind not in _SIZES or any(size <= 0 for size in used):
        return None
    x, y, z = matrix[:3, 3].tolist()
    return CollisionShape(
        kind, tuple(used), (x, y, z), roll_pitch_yaw(matrix[:3, :3]), file, (scale[0], scale[1], scale[2])
    )


class _MjcfMesh(NamedTuple):
    """A mesh of the assets: its solid, and its vertices (n, 3) m, in its frame."""

    solid: _GeomSolid
    vertices: Floats

    def fitted(self, kind: str, is_of_bounds: bool) -> tuple[Floats, list[float]]:
        """Return the pose (4, 4) and the sizes of a primitive fitted to the box of inertia, or to the bounds."""
        moments, axes = np.linalg.eigh(self.solid.tensor)
        moments, axes = moments[::-1], axes[:, ::-1] * [1.0, 1.0, np.sign(np.linalg.det(axes[:, ::-1]))]
        half = np.sqrt(np.maximum(1.5 * (moments.sum() - 2 * moments), 0.0))
        pose = frame_matrix(self.solid.center, axes)
        if is_of_bounds:
            own = (self.vertices - self.solid.center) @ axes
            low, high = own.min(axis=0), own.max(axis=0)
            pose, half = pose @ frame_matrix((low + high) / 2), (high - low) / 2
        x, y, z = half.tolist()
        if kind == "sphere":
            return pose, [max(x, y, z) if is_of_bounds else (x + y + z) / 3, 0.0, 0.0]
        if kind in ("ellipsoid", "box"):
            return pose, [x, y, z]
        radius = max(x, y) if is_of_bounds else (x + y) / 2
        if kind == "capsule":
            z = z - radius if is_of_bounds else max(0.0, z - radius / 2)
        return pose, [radius, z, 0.0]


def _read_mesh_asset(source: MjcfSource, asset: SourceElement, findings: Findings) -> _MjcfMesh | None:
    """Read a mesh of the assets, and compute its moments as its ``inertia`` requests."""
    attributes = source.attributes(asset, MAIN)
    kind = attributes.get("inertia", "legacy")
    if (found := _stated_mesh(source, asset, attributes, findings)) is None:
        return None
    vertices, faces = found
    # the coordinates are stored in single precision, and transformed in double
    corners = vertices.astype(np.float32).astype(np.float64)
    try:
        mesh = convex_hull(corners) if kind == "convex" or not len(faces) else Mesh(corners, faces)
        transformed = _transformed(source, asset, attributes, mesh)
    except UsageError as error:
        findings.report("MP855", f"mesh cannot be computed: {error}")
        return None
    if (solid := _mesh_solid(transformed, kind)) is None:
        message = "mesh has no volume, or its triangles face inward"
        findings.report("MP855", message, value=kind, remedy='correct the mesh, or state inertia="shell"')
        return None
    return _MjcfMesh(solid, np.asarray(transformed.vertices))


def _mesh_solid(mesh: Mesh, kind: str) -> _GeomSolid | None:
    """Return the solid or the shell of a mesh; of an open one, pyramids from the centroid of its faces."""
    surface = mesh_moments(mesh, "surface")
    if not _LEAST_MESH <= surface.amount < math.inf:
        return None
    what = _INTEGRALS.get(kind, "volume")
    first = mesh_moments(mesh, what, reference=surface.center)
    if not _LEAST_MESH <= first.amount < math.inf:
        return None
    center = first.center
    second = mesh_moments(mesh, what, reference=center)  # whose pyramids are from the centre of mass
    xx, yy, zz, xy, xz, yz = (second.values[4:] / second.amount).tolist()
    tensor = np.array([[yy + zz, -xy, -xz], [-xy, xx + zz, -yz], [-xz, -yz, xx + yy]])
    return _GeomSolid(second.amount, center, tensor)


def _transformed(source: MjcfSource, asset: SourceElement, attributes: Attributes, mesh: Mesh) -> Mesh:
    """Return a mesh relative to its reference pose, and scaled."""
    vertices = np.asarray(mesh.vertices, dtype=float)
    scale = np.array(source.numbers(asset, attributes, "scale", 3) or [1.0] * 3)
    vertices = vertices - np.array(source.numbers(asset, attributes, "refpos", 3) or [0.0] * 3)
    if quaternion := source.numbers(asset, attributes, "refquat", 4):
        unit = np.array(quaternion) / (np.linalg.norm(quaternion) or 1.0)
        vertices = vertices @ np.array(quaternion_rows(*unit.tolist()))
    return Mesh(vertices * scale, mesh.faces if scale.prod() > 0 else mesh.faces[:, ::-1])


def _stated_mesh(source: MjcfSource, asset: SourceElement, attributes: Attributes, findings: Findings) -> _Read | None:
    """Return vertices (n, 3) and faces (m, 3) of a mesh in its file or in the model; None with a finding."""
    if "builtin" in attributes or asset.first("plugin") is not None:
        findings.report("MP875", "mesh is generated by MuJoCo, and not read")
        return None
    if "file" not in attributes:
        words = [attributes.get(name, "").split() for name in ("vertex", "face")]
        try:
            return np.array(words[0], float).reshape(-1, 3), np.array(words[1], np.int64).reshape(-1, 3)
        except ValueError:
            findings.report("MP205", "vertex or face of mesh is not a list of triples of numbers")
            return None
    path, reason = source.asset_file(asset)
    if path is not None:
        return _file_mesh(path, findings)
    remedy = "check the path, or name the folder of the mesh with --config mesh-root=…"
    uri = attributes["file"]
    findings.report("MP721", f"mesh {reason}: {uri!r}", value=uri, remedy=remedy)
    return None


def _file_mesh(path: Path, findings: Findings) -> _Read | None:
    """Read the file of a mesh: the formats of MuJoCo as it reads them, others as a mesh of any table."""
    reader = {".msh": _read_msh, ".obj": _read_obj}.get(path.suffix.lower())
    if reader is None:
        file = read_mesh(path, findings, name=path.name)
        return None if file is None else (file.vertices, file.faces)
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise ValueError(path.name)
        return reader(path)
    except (OSError, ValueError, IndexError, struct.error):
        findings.report("MP721", f"mesh cannot be read: {path.name}", value=path.name)
        return None


def _read_msh(path: Path) -> _Read:
    """Read MuJoCo's own binary format; struct.error or ValueError if its size is not that of its head."""
    data = path.read_bytes()
    vertices, normals, textures, faces = _HEAD.unpack_from(data)
    if len(data) != _HEAD.size + 4 * (3 * vertices + 3 * normals + 2 * textures + 3 * faces):
        raise ValueError(path.name)
    corners = np.frombuffer(data, "<f4", 3 * vertices, _HEAD.size)
    numbers = np.frombuffer(data, "<i4", 3 * faces, len(data) - 12 * faces)
    return corners.reshape(-1, 3), numbers.reshape(-1, 3)


def _read_obj(path: Path) -> _Read:
    """Read all vertices of a Wavefront file and the faces of its first group, which are those that MuJoCo reads."""
    vertices: list[list[bytes]] = []
    faces: list[list[int]] = []
    is_past = False  # the first group
    for line in path.read_bytes().replace(b"\\\n", b" ").splitlines():
        tag, *words = line.split() or [b""]
        if tag == b"v":
            vertices.append(words[:3])
        elif tag == b"f" and not is_past:
            corners = [int(word.partition(b"/")[0]) for word in words]
            faces.append([corner - 1 if corner > 0 else len(vertices) + corner for corner in corners])
        elif tag in (b"o", b"g") and faces:
            is_past = True
    points = np.array(vertices, float).reshape(-1, 3)
    return points, np.array([face for corners in faces for face in _triangles(corners, points)], np.int64).reshape(
        -1, 3
    )


def _triangles(corners: list[int], points: Floats) -> list[list[int]]:
    """Return the triangles of a face; a quadrilateral is cut along its shorter diagonal, as MuJoCo does."""
    if len(corners) == 4:
        first, second = points[corners[2]] - points[corners[0]], points[corners[3]] - points[corners[1]]
        if first @ first >= second @ second:
            corners = corners[1:] + corners[:1]
    return [[corners[0], *pair] for pair in itertools.pairwise(corners[1:])]
