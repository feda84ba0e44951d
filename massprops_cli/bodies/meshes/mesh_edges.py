"""Edges of a welded mesh: which are open or shared wrongly, and the shells and holes that they form."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.meshes.mesh import Mesh
from massprops_cli.bodies.meshes.mesh_moments import MeshMoments, mesh_moments

_Floats = NDArray[np.float64]
_Ints = NDArray[np.integer[Any]]


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

    @cached_property
    def open_edges(self) -> NDArray[np.int64]:
        """Edges of one triangle ``(k, 2)``: tail and head as in the triangle."""
        order, _, first, uses = self._sorted
        return self._ends(order[first[uses == 1]])

    @property
    def n_shared(self) -> int:
        """Number of edges of more than two triangles."""
        return int((self._sorted[3] > 2).sum())

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
        of_edge = np.repeat(order[first], uses) // 3
        return _connected_parts(len(self.mesh.faces), np.column_stack([of_edge, order // 3]))

    @property
    def n_shells(self) -> int:
        """Number of shells."""
        return int(self.shells.max()) + 1 if len(self.shells) else 0

    def hole_caps(self) -> tuple[int, MeshMoments]:
        """Return the number of holes, and the moments that closing them adds; docs/formulas.md, section 13."""
        center = self.mesh.center
        edges = self.open_edges
        if not len(edges):
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
