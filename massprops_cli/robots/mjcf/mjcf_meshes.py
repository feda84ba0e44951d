"""Meshes of the assets of MJCF: vertices as MuJoCo stores them, and moments as it computes them."""

from __future__ import annotations

import itertools
import struct
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import full_tensors
from massprops_cli.bodies.meshes.mesh import Mesh, MomentKind, mesh_moments
from massprops_cli.bodies.meshes.mesh_shells import convex_hull
from massprops_cli.bodies.rotations import Floats, frame_matrix, quaternion_rows
from massprops_cli.files.meshes.mesh_file import read_mesh
from massprops_cli.findings.finding import Findings, UsageError
from massprops_cli.robots.mjcf.mjcf_source import MAIN, Attributes, MjcfSource
from massprops_cli.robots.robot_model import SourceElement

LEAST_VOLUME = 1e-14  # kg, or m³ or m², above which MuJoCo counts a geom
_LEAST_MESH = 1e-15  # m² and m³ from which on MuJoCo accepts a mesh
_MOST_BYTES = 2**30  # largest file
_HEAD = struct.Struct("<4i")  # of an MSH file: numbers of vertices, normals, texture coordinates and faces


class GeomSolid(NamedTuple):
    """Volume (area of a shell), centre (3,) and tensor (3, 3) of unit mass about it, in its own axes."""

    volume: float
    center: Floats
    tensor: Floats


class MjcfMesh(NamedTuple):
    """A mesh of the assets: its solid, and its vertices (n, 3) m, in its frame."""

    solid: GeomSolid
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


def read_mesh_asset(source: MjcfSource, asset: SourceElement, findings: Findings) -> MjcfMesh | None:
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
    return MjcfMesh(solid, np.asarray(transformed.vertices))


_INTEGRALS: dict[str, MomentKind] = {"legacy": "absolute", "shell": "surface", "exact": "volume", "convex": "volume"}
"""Mode of ``inertia`` → integral."""


def _mesh_solid(mesh: Mesh, kind: str) -> GeomSolid | None:
    """Return the solid or the shell of a mesh; of an open one, pyramids from the centroid of its faces."""
    surface = mesh_moments(mesh, "surface")
    if surface.amount < _LEAST_MESH:
        return None
    what = _INTEGRALS.get(kind, "volume")
    first = mesh_moments(mesh, what, reference=surface.center)
    if first.amount < _LEAST_MESH:
        return None
    center = first.center
    second = mesh_moments(mesh, what, reference=center)  # whose pyramids are from the centre of mass
    xx, yy, zz, xy, xz, yz = (second.values[4:] / second.amount).tolist()
    return GeomSolid(second.amount, center, full_tensors(np.array([yy + zz, xx + zz, xx + yy, -xy, -xz, -yz])))


def _transformed(source: MjcfSource, asset: SourceElement, attributes: Attributes, mesh: Mesh) -> Mesh:
    """Return a mesh relative to its reference pose, and scaled."""
    vertices = np.asarray(mesh.vertices, dtype=float)
    scale = np.array(source.numbers(asset, attributes, "scale", 3) or [1.0] * 3)
    vertices = vertices - np.array(source.numbers(asset, attributes, "refpos", 3) or [0.0] * 3)
    if quaternion := source.numbers(asset, attributes, "refquat", 4):
        unit = np.array(quaternion) / (np.linalg.norm(quaternion) or 1.0)
        vertices = vertices @ np.array(quaternion_rows(*unit.tolist()))
    return Mesh(vertices * scale, mesh.faces if scale.prod() > 0 else mesh.faces[:, ::-1])


_Read = tuple[NDArray[np.floating[Any]], NDArray[np.integer[Any]]]
"""Vertices (n, 3) and faces (m, 3), none if the file has only points."""


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
    except (OSError, ValueError, struct.error):
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
