"""First-order uncertainty of the moments of a mesh: rounding of coordinates, and the facets of curved surfaces.

If the surface moves by δ along its normal n, the moments change by ∫ g δ dA, with g = (1, x, y, z, xx, yy, zz, xy, xz,
yz): a uniform offset changes them by the moments of the surface. A vertex carries a third of each of its triangles.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.meshes.mesh import Mesh
from massprops_cli.bodies.meshes.mesh_edges import MeshEdges
from massprops_cli.bodies.meshes.mesh_moments import MeshMoments

_Floats = NDArray[np.float64]

_SMOOTH_ANGLE = np.radians(45.0)
"""Largest angle between the normals of two triangles that may belong to one curved surface."""

_FLAT_ANGLE = 1e-6  # rad; facets at less are one plane, apart from rounding


def _weights_at(points: _Floats) -> _Floats:
    """Return 1, x, y, z, xx, yy, zz, xy, xz, yz of points: shape (k, 10)."""
    x, y, z = points.T
    return np.stack([np.ones(len(points)), x, y, z, x * x, y * y, z * z, x * y, x * z, y * z], axis=1)


def _face_vectors(mesh: Mesh) -> tuple[_Floats, _Floats]:
    """Return the corners ``(m, 3, 3)`` about the box centre, and the area times the normal ``(m, 3)`` of each face."""
    corners = (mesh.vertices - mesh.center)[mesh.faces].astype(float)
    area = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]) / 2
    return corners, area


def rounding_covariance(mesh: Mesh, *, is_surface: bool = False) -> _Floats:
    """Return the covariance (10, 10), units of the file, of the moments about the box centre from rounded coordinates.

    Independent and uniform, σ = step/√12; the volume is exact to first order; docs/formulas.md, section 13.
    """
    corners, area = _face_vectors(mesh)
    if is_surface:
        sizes = np.linalg.norm(area, axis=1, keepdims=True)
        normal = np.divide(area, sizes, out=np.zeros_like(area), where=sizes > 0)
        opposite = [corners[:, (k + 2) % 3] - corners[:, (k + 1) % 3] for k in range(3)]
        shares = [np.cross(normal, one) / 2 for one in opposite]
    else:
        shares = [area / 3] * 3
    n = len(mesh.vertices)
    pull = np.zeros((n, 3))
    for k, share in enumerate(shares):
        for axis in range(3):
            pull[:, axis] += np.bincount(mesh.faces[:, k], share[:, axis], n)
    variance = (pull**2 * mesh.coordinate_steps() ** 2 / 12).sum(axis=1)
    # in the moments after the first, a vertex's share of its triangles is put at the vertex
    G = _weights_at(mesh.vertices - mesh.center)
    return np.asarray((G * variance[:, None]).T @ G)


def tessellation_bias(edges: MeshEdges) -> MeshMoments:
    """Bound the change of the moments by flat facets on a curved surface; docs/formulas.md, section 13."""
    mesh = edges.mesh
    corners, area = _face_vectors(mesh)
    double = 2 * np.linalg.norm(area, axis=1)
    pairs = edges.neighbors
    ends = mesh.vertices[edges.neighbor_ends].astype(float) - mesh.center
    along = ends[:, 1] - ends[:, 0]
    length = np.linalg.norm(along, axis=1)
    usable = (double[pairs] > 0).all(axis=1) & (length > 0)
    pairs, ends, along, length = pairs[usable], ends[usable], along[usable], length[usable]
    first, second = (area[pairs[:, k]] / (double[pairs[:, k], None] / 2) for k in (0, 1))
    turn = np.cross(first, second)
    angle = np.arctan2((turn * along).sum(axis=1) / length, (first * second).sum(axis=1))
    angle = np.where((np.abs(angle) <= _SMOOTH_ANGLE) & (np.abs(angle) > _FLAT_ANGLE), angle, 0.0)
    # two facets at an angle θ are chords of one arc: over a width w it rises by at most (w/2) tan(θ/4)
    rise = np.zeros(len(mesh.faces))
    for k in (0, 1):
        width = double[pairs[:, k]] / length
        np.add.at(rise, pairs[:, k], width / 2 * np.tan(angle / 4))
    G = _weights_at(corners.mean(axis=1))
    return MeshMoments(mesh.center, np.asarray((rise * double / 2) @ G))
