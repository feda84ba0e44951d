"""Edges of meshes and the shells that they join: closed, oriented, one within another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.meshes.mesh import Mesh, MeshMoments, mesh_moments
from massprops_cli.findings.finding import UsageError

_Floats = NDArray[np.float64]
_Ints = NDArray[np.integer[Any]]
_MOST_PAIRS = 2000  # most pairs of shells with common bounding boxes that are compared
_MOST_COMPARED = 10_000_000  # most triangles of all pairs that are compared
_MOST_SHELLS = 4000  # most shells whose bounding boxes are compared with each other
_NEGLIGIBLE = 1e-9  # common volume, as a share of the smaller shell, that is a contact


@dataclass(frozen=True, eq=False, repr=False)
class MeshEdges:
    """The edges of a mesh whose vertices are welded."""

    mesh: Mesh  # welded, without degenerate triangles

    @cached_property
    def _sorted(self) -> tuple[NDArray[np.intp], NDArray[np.bool_], NDArray[np.intp], NDArray[np.intp]]:
        """Half edges in the order of their edge, which of them ascend, first of each edge, number of each edge."""
        faces = self.mesh.faces.astype(np.int64)
        tail, head = faces.ravel(), np.roll(faces, -1, axis=1).ravel()
        ascends = tail < head
        key = np.where(ascends, tail, head) * np.int64(len(self.mesh.vertices)) + np.where(ascends, head, tail)
        order = np.argsort(key, kind="stable")
        ranked = key[order]
        first = np.flatnonzero(np.r_[True, ranked[1:] != ranked[:-1]]) if len(ranked) else np.zeros(0, np.intp)
        return order, ascends[order], first, np.diff(np.r_[first, len(ranked)])

    @cached_property
    def _balance(self) -> NDArray[np.int64]:
        """Uses of each edge in ascending direction minus those in descending direction."""
        _, ascends, first, _ = self._sorted
        return np.add.reduceat(np.where(ascends, 1, -1), first) if len(first) else np.zeros(0, np.int64)

    @property
    def n_edges(self) -> int:
        """Number of edges."""
        return len(self._sorted[2])

    @property
    def open_half_edges(self) -> NDArray[np.intp]:
        """Edges of one triangle ``(k,)``: three times the triangle, plus the corner."""
        order, _, first, uses = self._sorted
        return np.asarray(order[first[uses == 1]])

    @cached_property
    def open_edges(self) -> NDArray[np.int64]:
        """Edges of one triangle ``(k, 2)``: tail and head as in the triangle."""
        return self._ends(self.open_half_edges)

    @property
    def n_shared(self) -> int:
        """Number of edges of more than two triangles."""
        return int((self._sorted[3] > 2).sum())

    @property
    def n_unpaired(self) -> int:
        """Number of edges of more than two triangles that are not run through as often in both directions."""
        return int(((self._sorted[3] > 2) & (self._balance != 0)).sum())

    @cached_property
    def n_flipped(self) -> int:
        """Number of edges of two triangles that run through it in the same direction."""
        return int(((self._sorted[3] == 2) & (self._balance != 0)).sum())

    @property
    def is_closed(self) -> bool:
        """Whether every edge is run through as often in one direction as in the other."""
        return not self._balance.any()

    def _ends(self, half_edges: _Ints) -> NDArray[np.int64]:
        """Return tail and head of half edges."""
        faces = self.mesh.faces
        face, corner = half_edges // 3, half_edges % 3
        return np.column_stack([faces[face, corner], faces[face, (corner + 1) % 3]]).astype(np.int64)

    @cached_property
    def neighbors(self) -> NDArray[np.intp]:
        """Pairs of triangles ``(k, 2)`` with a common edge of two triangles."""
        order, _, first, uses = self._sorted
        at = first[uses == 2]
        return np.column_stack([order[at], order[at + 1]]) // 3

    @cached_property
    def neighbor_ends(self) -> NDArray[np.int64]:
        """Ends ``(k, 2)`` of the common edges of ``neighbors``, as the first triangle runs through them."""
        order, _, first, uses = self._sorted
        return self._ends(order[first[uses == 2]])

    @cached_property
    def shells(self) -> NDArray[np.intp]:
        """Number of the shell of each triangle ``(m,)``: triangles connected by edges."""
        order, _, first, uses = self._sorted
        return _connected_parts(len(self.mesh.faces), np.column_stack([np.repeat(order[first], uses) // 3, order // 3]))

    @property
    def n_shells(self) -> int:
        """Number of shells."""
        return int(self.shells.max()) + 1 if len(self.shells) else 0

    def hole_caps(self) -> tuple[int, MeshMoments]:
        """Return the number of holes, and the moments that closing them adds; docs/formulas.md, section 13."""
        center = self.mesh.center
        if not len(edges := self.open_edges):
            return 0, MeshMoments(center, np.zeros(10))
        used, ends = np.unique(edges, return_inverse=True)
        ends = ends.reshape(-1, 2)
        hole = _connected_parts(len(used), ends)[ends[:, 0]]
        points = self.mesh.vertices[used].astype(float)
        count = int(hole.max()) + 1
        of_edge = points[ends].mean(axis=1)
        size = np.bincount(hole, minlength=count)
        middles = np.stack([np.bincount(hole, of_edge[:, axis], count) / size for axis in range(3)], axis=1)
        faces = np.column_stack([ends[:, ::-1], len(points) + hole])
        return count, mesh_moments(Mesh(np.vstack([points, middles]), faces), reference=center)


def _connected_parts(n: int, pairs: _Ints) -> NDArray[np.intp]:
    """Return the connected parts of a graph."""
    least = np.arange(n)
    one, other = pairs[:, 0], pairs[:, 1]
    while True:
        low = np.minimum(least[one], least[other])
        before = least.copy()
        np.minimum.at(least, before[one], low)  # the root of a part gets the least number next to the part
        np.minimum.at(least, before[other], low)
        while True:
            above = least[least]
            if (above == least).all():
                break
            least = above
        if (least == before).all():
            return np.unique(least, return_inverse=True)[1].reshape(-1)


@dataclass(slots=True, eq=False, repr=False)
class ShellRelations:
    """How the shells of a mesh are placed."""

    volumes: _Floats  # (s,) unit of the file³; negative: triangles face inward
    containers: dict[int, int] = field(default_factory=dict)  # shell, the smallest one around it
    cavities: list[tuple[int, int]] = field(default_factory=list)  # inward shell, outward shell around it
    nested: list[tuple[int, int]] = field(default_factory=list)
    """Shell, one of the same orientation as the smallest around it: counted twice."""
    overlaps: list[tuple[int, int, float]] = field(default_factory=list)
    """Two shells, common volume; NaN: only boxes compared."""
    is_exact: bool = True  # overlaps from the surfaces, not only from boxes
    unchecked: int = 0  # pairs of boxes that meet, or shells, beyond the limit


def shell_relations(edges: MeshEdges) -> ShellRelations:
    """Find cavities, shells in one another, and overlaps."""
    if edges.n_shells > _MOST_SHELLS:
        return ShellRelations(np.array([mesh_moments(edges.mesh).amount]), unchecked=edges.n_shells)
    shells = _split_shells(edges)
    volumes = np.array([mesh_moments(one).amount for one in shells])
    found = ShellRelations(volumes)
    if len(shells) < 2:
        return found
    boxes = np.array([one.bounds for one in shells])
    low, high = boxes[:, 0], boxes[:, 1]
    meets = ((low[:, None] < high[None]) & (low[None] < high[:, None])).all(axis=2)
    pairs = np.argwhere(np.triu(meets, 1))
    sizes = np.array([len(one.faces) for one in shells])
    n_compared = min(_MOST_PAIRS, int((np.cumsum(sizes[pairs].sum(axis=1)) <= _MOST_COMPARED).sum()))
    found.unchecked = len(pairs) - n_compared
    solids = _solids_of(shells)
    # without manifold3d, a shell is inside another if the solid angle is 4π from at most 16 of its vertices,
    # and boxes that meet are possible overlaps
    found.is_exact = solids is not None
    for first, second in pairs[:n_compared].tolist():
        inner, outer = (first, second) if abs(volumes[first]) <= abs(volumes[second]) else (second, first)
        _relate(found, shells, solids, inner, outer)
    main = np.sign(volumes.sum())
    for inner, outer in found.containers.items():  # an island in a cavity faces outward, as a cavity faces inward
        if volumes[inner] * volumes[outer] > 0:
            found.nested.append((inner, outer))
        elif volumes[inner] * main < 0:
            found.cavities.append((inner, outer))
    return found


def _relate(found: ShellRelations, shells: list[Mesh], solids: list[Any] | None, inner: int, outer: int) -> None:
    """Add the relation of two shells whose bounding boxes have common points."""
    volumes = found.volumes
    common = np.nan if solids is None else float((solids[inner] ^ solids[outer]).volume())
    if solids is not None:
        is_within = common > (1 - 1e-6) * abs(volumes[inner])
    else:
        points = shells[inner].vertices
        sample = points[:: max(1, len(points) // 16)][:16].astype(np.float64)
        is_within = bool(np.all(_winding_numbers(shells[outer], sample) > 0.5))
    if is_within:
        found.containers[inner] = min(outer, found.containers.get(inner, outer), key=lambda k: abs(volumes[k]))
    elif np.isnan(common) or common > _NEGLIGIBLE * abs(volumes[inner]):
        found.overlaps.append((inner, outer, common))


def _split_shells(edges: MeshEdges) -> list[Mesh]:
    """Return each shell as a mesh of its own."""
    if edges.n_shells < 2:
        return [edges.mesh]
    order = np.argsort(edges.shells, kind="stable")
    ends = np.cumsum(np.bincount(edges.shells))
    parts = []
    for faces in np.split(edges.mesh.faces[order], ends[:-1]):
        used, own = np.unique(faces, return_inverse=True)
        parts.append(Mesh(edges.mesh.vertices[used], own.reshape(-1, 3), edges.mesh.precision))
    return parts


def _winding_numbers(mesh: Mesh, points: _Floats) -> _Floats:
    """Return how often a surface encloses points."""
    total = np.zeros(len(points))
    for k, point in enumerate(points):
        for corners in mesh.corner_blocks(point):
            a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
            lengths = [np.sqrt((one * one).sum(axis=0)) for one in (a, b, c)]
            triple = (a * np.cross(b, c, axis=0)).sum(axis=0)
            below = lengths[0] * lengths[1] * lengths[2]
            below = below + (a * b).sum(axis=0) * lengths[2] + (b * c).sum(axis=0) * lengths[0]
            below = below + (a * c).sum(axis=0) * lengths[1]
            total[k] += np.arctan2(triple, below).sum()
    return np.asarray(np.abs(total) / (2 * np.pi))


def convex_hull(points: _Floats) -> Mesh:
    """Return the convex hull of points (n, 3), facing outward; UsageError without the extra ``mesh``."""
    if not _has_boolean_solids():
        raise UsageError("a convex hull needs the extra mesh: pip install 'massprops[mesh]'")
    import manifold3d

    found = manifold3d.Manifold.hull_points(np.ascontiguousarray(points, dtype=np.float64)).to_mesh64()
    return Mesh(np.array(found.vert_properties[:, :3]), np.array(found.tri_verts, dtype=np.int64))


def _has_boolean_solids() -> bool:
    """Return whether manifold3d is installed."""
    try:
        import manifold3d  # noqa: F401 - whether it is installed
    except ImportError:
        return False
    return True


def _solids_of(shells: Sequence[Mesh]) -> list[Any] | None:
    """Return the shells as solids of manifold3d, facing outward; None without the library, or if one is not a solid."""
    if not _has_boolean_solids():
        return None
    import manifold3d

    solids = []
    for shell in shells:
        faces = shell.faces if mesh_moments(shell).amount >= 0 else shell.faces[:, ::-1]
        corners = np.ascontiguousarray(shell.vertices, dtype=np.float64)
        solid = manifold3d.Manifold(manifold3d.Mesh64(corners, np.ascontiguousarray(faces, dtype=np.uint64)))
        if solid.status() != manifold3d.Error.NoError:
            return None
        solids.append(solid)
    return solids


def mesh_union(edges: MeshEdges) -> Mesh:
    """Return the union of the outward shells, each without the cavities that are directly in it."""
    if not _has_boolean_solids():
        raise UsageError("--union needs the extra mesh: pip install 'massprops[mesh]'")
    import manifold3d

    shells = _split_shells(edges)
    volumes = [mesh_moments(one).amount for one in shells]
    if (solids := _solids_of(shells)) is None:
        raise UsageError("--union needs closed shells with one winding; close the mesh, or pass voxel-size=SIZE")
    sign = -1.0 if sum(volumes) < 0 else 1.0
    relations = shell_relations(edges)
    bodies = {k: solids[k] for k, volume in enumerate(volumes) if volume * sign >= 0}
    for cavity, outer in relations.cavities:
        bodies[outer] = bodies[outer] - solids[cavity]
    union = manifold3d.Manifold.batch_boolean([*bodies.values()], manifold3d.OpType.Add)
    for k in set(range(len(solids))) - bodies.keys() - relations.containers.keys():
        union = union - solids[k]
    result = union.to_mesh64()
    corners, triangles = np.array(result.vert_properties[:, :3]), np.array(result.tri_verts, dtype=np.int64)
    precision = edges.mesh.precision  # that of the file, not of the new vertices
    return Mesh(corners, triangles, float(edges.mesh.coordinate_steps().max()) if precision is None else precision)
