"""Voxels: the fallback for meshes whose surface is broken, with an error estimate from two resolutions.

Rays along each axis cross the surface at known places. A cell is inside by the parity of the crossings before it, or by
their winding where all triangles face outward; the three directions vote, and rays with an odd number of crossings
have no vote.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.meshes.mesh import Mesh, MeshMoments
from massprops_cli.findings.finding import UsageError

_Floats = NDArray[np.float64]

_MOST_CELLS = 2**26
"""Most cells of a grid; three bytes each, and eight in one step."""

_PAIRS_AT_ONCE = 2**20  # pairs of ray and triangle of one step: a limit of memory
_NUDGE = (0.3819660113e-6, 0.2360679775e-6)
"""Shift of the rays as a share of a cell, so that none meets an edge of a regular mesh."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class VoxelMoments:
    """Moments of the cells inside a mesh."""

    moments: MeshMoments  # units of the file
    error: _Floats  # (10,) difference to the moments of cells of twice the size
    shape: tuple[int, int, int]  # number of cells along each axis
    size: _Floats  # (3,) sides of a cell, unit of the file
    thin_share: float  # largest share, of the three directions, of rays through a wall thinner than a cell
    odd_share: float  # share of rays with an odd number of crossings: they pass a hole


def voxel_moments(mesh: Mesh, size: float, *, use_winding: bool = False) -> VoxelMoments:
    """Return the moments of the cells whose centres are inside a mesh; docs/formulas.md, section 13."""
    if not size > 0:
        raise UsageError(f"voxel size must be positive, not {size:g}")
    fine = _grid_moments(mesh, _cells(mesh, size), use_winding)
    coarse = _grid_moments(mesh, _cells(mesh, 2 * size), use_winding)
    return VoxelMoments(
        fine.moments, fine.moments.values - coarse.moments.values, fine.shape, fine.size, fine.thin, fine.odd
    )


def _cells(mesh: Mesh, size: float) -> tuple[int, int, int]:
    """Return the number of cells along each axis, or raise."""
    low, high = mesh.bounds
    counts = np.maximum(np.ceil((high - low) / size * (1 - 1e-12)), 1.0)
    if not np.prod(counts) <= _MOST_CELLS:
        least = float(np.cbrt(np.prod(np.maximum(high - low, size)) / _MOST_CELLS))
        raise UsageError(
            f"voxels of {size:g} are {np.prod(counts):.3g} cells (at most {_MOST_CELLS:,}); "
            f"use a voxel size of {float(f'{least * 1.05:.2g}'):g} or more"
        )
    x, y, z = counts.astype(int).tolist()
    return x, y, z


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Grid:
    """The moments of one resolution."""

    moments: MeshMoments
    shape: tuple[int, int, int]
    size: _Floats
    thin: float
    odd: float


def _grid_moments(mesh: Mesh, shape: tuple[int, int, int], use_winding: bool) -> _Grid:
    """Return the moments of the cells of one grid."""
    low, high = mesh.bounds
    size = np.where(high > low, (high - low) / shape, 1.0)
    votes = np.zeros(shape, np.int8)
    thin, odd, rays = 0.0, 0, 0
    for axis in range(3):
        inside, known, of_axis = _scan(mesh, axis, shape, size, use_winding)
        votes += np.where(inside, np.int8(1), np.int8(-1)) * known
        thin = max(thin, of_axis)
        odd += int((~known).sum())
        rays += known.size
    return _Grid(_cell_moments(votes > 0, mesh, size), shape, size, thin, odd / rays)


def _scan(
    mesh: Mesh, axis: int, shape: tuple[int, int, int], size: _Floats, use_winding: bool
) -> tuple[NDArray[np.bool_], NDArray[np.bool_], float]:
    """Return the cells inside by rays along one axis, the rays with a vote, and the share with a thin wall."""
    u, v = (axis + 1) % 3, (axis + 2) % 3
    ray, depth, sign = _crossings(mesh, axis, shape, size)
    order = np.lexsort((depth, ray))
    ray, depth, sign = ray[order], depth[order], sign[order]
    n_rays, n_cells = shape[u] * shape[v], shape[axis]
    count = np.bincount(ray, minlength=n_rays)
    first_cell = np.clip(np.ceil(depth / size[axis] - 0.5), 0, n_cells).astype(np.intp)
    steps = np.zeros((n_rays, n_cells + 1), np.int32)
    np.add.at(steps.ravel(), ray * (n_cells + 1) + first_cell, sign if use_winding else 1)
    passed = np.cumsum(steps, axis=1, dtype=np.int32)
    within = passed[:, :-1] != 0 if use_winding else (passed[:, :-1] & 1).astype(bool)
    is_known = passed[:, -1] == 0 if use_winding else count % 2 == 0
    start = np.cumsum(count) - count
    rank = np.arange(len(ray)) - start[ray]
    enters = (rank[:-1] % 2 == 0) & (ray[1:] == ray[:-1]) if len(ray) else np.zeros(0, bool)
    is_thin = enters & (np.diff(depth) < size[axis]) if len(ray) else enters
    thin = len(np.unique(ray[:-1][is_thin])) / max(1, int((count > 0).sum())) if len(ray) else 0.0
    sides = (shape[u], shape[v])
    inside = np.moveaxis(within.reshape(*sides, n_cells), (0, 1, 2), (u, v, axis))
    known = np.moveaxis(is_known.reshape(*sides, 1), (0, 1, 2), (u, v, axis))
    return inside, known, thin


def _crossings(
    mesh: Mesh, axis: int, shape: tuple[int, int, int], size: _Floats
) -> tuple[NDArray[np.intp], _Floats, NDArray[np.int32]]:
    """Return the crossings of rays through cell centres with triangles: ray, depth and direction."""
    u, v = (axis + 1) % 3, (axis + 2) % 3
    found: list[tuple[Any, Any, Any]] = []
    for corners in mesh.corner_blocks(mesh.bounds[0]):
        scaled = [corners[w, :3] / size[w] - 0.5 - nudge for w, nudge in zip((u, v), _NUDGE, strict=True)]
        low = [np.maximum(np.ceil(one.min(axis=0)), 0).astype(np.intp) for one in scaled]
        high = [
            np.minimum(np.floor(one.max(axis=0)), shape[w] - 1).astype(np.intp)
            for one, w in zip(scaled, (u, v), strict=True)
        ]
        spans = [np.maximum(h - one + 1, 0) for one, h in zip(low, high, strict=True)]
        pairs = spans[0] * spans[1]
        which = np.flatnonzero(pairs)
        ends = np.cumsum(pairs[which])
        cuts = np.searchsorted(ends, np.arange(_PAIRS_AT_ONCE, ends[-1] if len(ends) else 0, _PAIRS_AT_ONCE))
        parts = [some for some in np.split(which, np.unique(cuts)) if len(some)]
        found += [_hits(some, pairs, spans, low, scaled, corners[axis], shape[v]) for some in parts]
    if not found:
        return np.zeros(0, np.intp), np.zeros(0), np.zeros(0, np.int32)
    ray, depth, sign = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return ray, depth, sign


def _hits(
    some: NDArray[np.intp],
    pairs: NDArray[np.intp],
    spans: list[NDArray[np.intp]],
    low: list[NDArray[np.intp]],
    scaled: list[_Floats],
    along: _Floats,
    n_v: int,
) -> tuple[NDArray[np.intp], _Floats, NDArray[np.int32]]:
    """Return the crossings of some triangles with the rays in their bounding rectangles."""
    triangle = np.repeat(some, pairs[some])
    start = np.cumsum(pairs[some]) - pairs[some]
    number = np.arange(len(triangle)) - np.repeat(start, pairs[some])
    i = low[0][triangle] + number // spans[1][triangle]
    j = low[1][triangle] + number % spans[1][triangle]
    p, q = scaled[0][:, triangle] - i, scaled[1][:, triangle] - j
    areas = [p[(k + 1) % 3] * q[(k + 2) % 3] - p[(k + 2) % 3] * q[(k + 1) % 3] for k in range(3)]
    is_hit = (np.sign(areas[0]) == np.sign(areas[1])) & (np.sign(areas[1]) == np.sign(areas[2])) & (areas[0] != 0)
    weight = [area[is_hit] for area in areas]
    total = weight[0] + weight[1] + weight[2]
    depth = sum(one * along[k, triangle[is_hit]] for k, one in enumerate(weight)) / total
    return i[is_hit] * n_v + j[is_hit], np.asarray(depth), -np.sign(total).astype(np.int32)


def _cell_moments(inside: NDArray[np.bool_], mesh: Mesh, size: _Floats) -> MeshMoments:
    """Return the moments of the cells that are inside, about the centre of the bounding box."""
    low, _ = mesh.bounds
    reference = mesh.center
    places = [low[a] - reference[a] + (np.arange(n) + 0.5) * size[a] for a, n in enumerate(inside.shape)]
    plane = {
        (0, 1): inside.sum(axis=2, dtype=np.int64),
        (0, 2): inside.sum(axis=1, dtype=np.int64),
        (1, 2): inside.sum(axis=0, dtype=np.int64),
    }
    line = [plane[0, 1].sum(axis=1), plane[0, 1].sum(axis=0), plane[0, 2].sum(axis=0)]
    count = float(line[0].sum())
    first = [float(line[a] @ places[a]) for a in range(3)]
    squares = [float(line[a] @ places[a] ** 2) + count * size[a] ** 2 / 12 for a in range(3)]
    products = [float(places[a] @ plane[a, b] @ places[b]) for a, b in ((0, 1), (0, 2), (1, 2))]
    return MeshMoments(reference, float(np.prod(size)) * np.array([count, *first, *squares, *products]))
