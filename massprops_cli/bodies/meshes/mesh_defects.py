"""What is wrong with the surface of a mesh, and voxels: the fallback where it is broken."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.meshes.mesh import Mesh, MeshMoments, mesh_moments
from massprops_cli.bodies.meshes.mesh_shells import MeshEdges, ShellRelations, shell_relations
from massprops_cli.findings.finding import Findings, Severity, UsageError, count_with_noun, name_list

_Floats = NDArray[np.float64]
_LARGEST = 1e100  # coordinates beyond it have no volume in double precision
_NO_HEIGHT = 1e-9  # height of a triangle, as a share of its longest side, that is a line
_NO_THICKNESS = 1e-9  # volume, as a share of area times size, that is none
_MOST_FLAPS = 8  # triangles without area in a row, each on the edge of the next, that are dropped
_ACCEPTED_GAP = 1e-3  # change of the volume by closing the holes, as a share of it, that is a warning
_SURFACE_RULES = ("MP725", "MP727", "MP728", "MP730", "MP736")  # defects that voxels pass over
_REPEATED = "delete the repeated triangles in the program that made the mesh"
_RAYS = 64  # rays along each of two axes that sample winding numbers
_TOUCHING = 1e-6  # length on a ray, as a share of the diagonal, of surfaces that touch
_LEAST_MISCOUNTED = 1e-6  # share of the volume that is reported: below it a few rays through rounded corners
_MOST_CELLS = 2**26  # most cells of a grid; three bytes each, and eight in one step
_PAIRS_AT_ONCE = 2**20  # pairs of ray and triangle of one step: a limit of memory
_COARSER = (1.5, 2.0)  # sizes of the cells, as multiples, that a result is compared with: one alone may agree by chance
_NUDGE = (0.3819660113e-6, 0.2360679775e-6)
"""Shift of the rays as a share of a cell, so that none meets an edge of a regular mesh."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CheckedMesh:
    """A mesh whose defects are reported."""

    edges: MeshEdges  # of the welded mesh, without triangles that have two equal corners
    moments: MeshMoments  # of the volume (positive) or of the surface, units of the file
    gap: _Floats  # (10,) change of the moments by closing the holes; 0 for a closed mesh
    is_oriented: bool  # closed, and all shells face the same way, but for cavities


def usable_mesh(mesh: Mesh, name: str, findings: Findings) -> bool:
    """Report a mesh without triangles or with vertices that are not finite."""
    if not len(mesh.faces):
        findings.report("MP722", f"mesh {name} has no triangles", value=name)
        return False
    if mesh.is_finite and np.abs(mesh.bounds).max() <= _LARGEST:
        return True
    bad = ~(np.abs(mesh.vertices.astype(float)) <= _LARGEST).all(axis=1)
    first = int(np.flatnonzero(bad)[0])
    text = ", ".join(f"{value:g}" for value in mesh.vertices[first].tolist())
    message = f"mesh {name} has vertices that are not finite: vertex {first + 1} ({text})"
    findings.report("MP723", message, value=text, count=int(bad.sum()))
    return False


def check_mesh(mesh: Mesh, name: str, findings: Findings, *, is_surface: bool, is_voxels: bool) -> CheckedMesh | None:
    """Weld a mesh, integrate it, and report its defects."""
    found = Findings()
    welded = _without_degenerate(mesh.welded(), name, found)
    welded = _without_duplicates(welded, name, found, is_surface=is_surface)
    if is_surface:
        moments = mesh_moments(welded, "surface")
        checked = CheckedMesh(MeshEdges(welded), moments, np.zeros(10), False) if moments.amount > 0 else None
        if checked is None:
            found.report("MP731", f"mesh {name} has no area", value="0")
    else:
        checked = _checked_volume(welded, name, found, is_voxels=is_voxels)
    findings += [
        replace(one, remedy="", severity=Severity.NOTE) if is_voxels and one.rule in _SURFACE_RULES else one
        for one in found
    ]
    return checked


def _without_degenerate(mesh: Mesh, name: str, findings: Findings) -> Mesh:
    """Report triangles without area; drop those that have two equal corners, or that close nothing."""
    f = mesh.faces
    equal = (f[:, 0] == f[:, 1]) | (f[:, 1] == f[:, 2]) | (f[:, 0] == f[:, 2])
    no_area = equal.copy()
    for k, corners in enumerate(mesh.corner_blocks(mesh.center)):
        p, q = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
        area = np.linalg.norm(np.cross(p, q, axis=0), axis=0)
        side = np.maximum(np.maximum((p * p).sum(axis=0), (q * q).sum(axis=0)), ((p - q) ** 2).sum(axis=0))
        no_area[k * 8192 : (k + 1) * 8192] |= area <= _NO_HEIGHT * side
    if count := int(no_area.sum()):
        message = f"mesh {name} has {count_with_noun(count, 'triangle')} without area, of {len(f):,}"
        findings.report("MP724", message, value=str(count), count=count)
    drops, no_area = equal, no_area & ~equal
    for _ in range(_MOST_FLAPS if no_area.any() else 0):
        at, kept = np.flatnonzero(~drops), Mesh(mesh.vertices, f[~drops])
        # without two edges of others it closes nothing, but makes its third edge one of three triangles
        alone = np.bincount(MeshEdges(kept).open_half_edges // 3, minlength=len(at))
        if not len(flaps := at[no_area[at] & (alone >= 2)]):
            break
        drops[flaps] = True
    return Mesh(mesh.vertices, f[~drops], mesh.precision) if drops.any() else mesh


def _without_duplicates(mesh: Mesh, name: str, findings: Findings, *, is_surface: bool) -> Mesh:
    """Report and drop triangles that repeat another one, facing the same way; on a surface either way."""
    edges, f = MeshEdges(mesh), mesh.faces
    if not (is_surface or edges.n_shared or edges.n_flipped):  # a repeated triangle has edges of one or the other kind
        return mesh
    rolled = np.take_along_axis(f, (f.argmin(axis=1)[:, None] + np.arange(3)) % 3, axis=1)
    rolled = np.sort(f, axis=1) if is_surface else rolled
    first = np.unique(rolled, axis=0, return_index=True)[1]
    if not (count := len(f) - len(first)):
        return mesh
    message = f"mesh {name} states {count_with_noun(count, 'triangle')} twice, of {len(f):,}; one of each pair is used"
    findings.report("MP736", message, value=str(count), remedy=_REPEATED)
    return Mesh(mesh.vertices, f[np.sort(first)], mesh.precision)


def _remedy_of_repeats(mesh: Mesh) -> str | None:
    """Return the remedy where triangles repeat others, facing the opposite way; None where none does."""
    return _REPEATED if len(np.unique(np.sort(mesh.faces, axis=1), axis=0)) < len(mesh.faces) else None


def _checked_volume(mesh: Mesh, name: str, findings: Findings, *, is_voxels: bool) -> CheckedMesh | None:
    """Return the moments of the enclosed volume, and report what makes it uncertain."""
    area = mesh_moments(mesh, "surface").amount
    moments = mesh_moments(mesh)
    edges = MeshEdges(mesh)
    n_holes, caps = edges.hole_caps()
    gap = caps.values
    is_flat = abs(moments.amount) + abs(gap[0]) <= _NO_THICKNESS * area * mesh.diagonal
    if is_flat and edges.is_closed and edges.n_shells > 1:  # the volumes of shells that face opposite ways cancel
        is_flat = float(np.abs(shell_relations(edges).volumes).max()) <= _NO_THICKNESS * area * mesh.diagonal
    if is_flat and not edges.n_flipped:
        message = f"mesh {name} has no volume: {moments.amount:.3g} in units of the file, with an area of {area:.3g}"
        findings.report("MP731", message, value=f"{moments.amount:.3g}", remedy=_remedy_of_repeats(mesh))
        return None
    _report_edges(edges, moments, gap, n_holes, name, findings)
    if is_flat and not is_voxels:
        return None
    relations = shell_relations(edges) if edges.is_closed else None
    if relations is not None and _report_shells(relations, name, findings):
        _report_self_intersection(mesh, name, findings)
    if moments.amount < 0:
        message = (
            f"mesh {name} faces inward: its volume is {moments.amount:.6g} in units of the file; "
            "all triangles are read as reversed"
        )
        findings.report("MP726", message, value=f"{moments.amount:.6g}")
        moments = MeshMoments(moments.reference, -moments.values)
        gap = -gap
        edges = MeshEdges(Mesh(mesh.vertices, mesh.faces[:, ::-1], mesh.precision))
    return CheckedMesh(edges, moments, gap, relations is not None and _is_oriented(relations))


def _is_oriented(relations: ShellRelations) -> bool:
    """Return whether all shells face the same way, but for the cavities in them."""
    cavities = {inner for inner, _ in relations.cavities}
    outer = [volume for k, volume in enumerate(relations.volumes.tolist()) if k not in cavities]
    return not relations.nested and (all(volume > 0 for volume in outer) or all(volume < 0 for volume in outer))


def _report_edges(
    edges: MeshEdges, moments: MeshMoments, gap: _Floats, n_holes: int, name: str, findings: Findings
) -> None:
    """Report open edges with their error bar, mixed winding, and edges of more than two triangles."""
    n_open, n_edges = len(edges.open_edges), edges.n_edges
    if n_open:
        corner = mesh_moments(edges.mesh, reference=_far_corner(edges)).amount
        closed = moments.amount + gap[0]
        largest = max(abs(corner - moments.amount), abs(gap[0]))
        share = largest / max(abs(closed), abs(moments.amount), np.finfo(float).tiny)
        findings.report(
            "MP725",
            f"mesh {name} is open: {n_open:,} of {count_with_noun(n_edges, 'edge')} in "
            f"{count_with_noun(n_holes, 'hole')}; volume {moments.amount:.6g} from the box centre, {corner:.6g} from a "
            f"corner of the box, {closed:.6g} with flat caps, in units of the file (± {share:.2g} of the mass)",
            value=str(n_open),
            severity=Severity.WARNING if share <= _ACCEPTED_GAP else Severity.ERROR,
        )
    if edges.n_flipped:
        message = f"mesh {name} has mixed winding: {edges.n_flipped:,} of {count_with_noun(n_edges, 'edge')} join"
        findings.report("MP727", f"{message} triangles that face opposite ways", value=str(edges.n_flipped))
    if edges.n_shared:
        message = (
            f"mesh {name} has {count_with_noun(edges.n_shared, 'edge')} with more than two triangles, of {n_edges:,}"
        )
        severity = remedy = None  # two bodies that touch have triangles in common
        if edges.n_unpaired:
            corner = mesh_moments(edges.mesh, reference=_far_corner(edges)).amount
            message += f"; {edges.n_unpaired:,} of them do not join triangles in pairs, so that the"
            message += f" volume is {moments.amount:.6g} from the box centre and {corner:.6g} from a corner of the box"
            severity, remedy = Severity.ERROR, _remedy_of_repeats(edges.mesh)
        findings.report("MP736", message, value=str(edges.n_shared), severity=severity, remedy=remedy)


def _far_corner(edges: MeshEdges) -> _Floats:
    """Return the corner of the bounding box from which the volume of an open mesh differs most."""
    mesh = edges.mesh
    corners = mesh.vertices[mesh.faces].astype(float)
    area = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]).sum(axis=0)
    low, high = mesh.bounds
    return np.asarray(np.where(area >= 0, high, low))


def _report_shells(relations: ShellRelations, name: str, findings: Findings) -> bool:
    """Report cavities, shells in one another, overlaps, and shells that face inward; True if only cavities."""
    volumes = relations.volumes
    sign = -1.0 if volumes.sum() < 0 else 1.0
    if relations.cavities:
        inside = float(sum(abs(volumes[inner]) for inner, _ in relations.cavities))
        kinds = "cavity" if len(relations.cavities) == 1 else "cavities"
        message = f"mesh {name} has {len(relations.cavities):,} {kinds}, of volume {inside:.6g} in units of the file,"
        findings.report("MP729", f"{message} which is subtracted", value=f"{inside:.6g}")
    if alone := [k for k in np.flatnonzero(volumes * sign < 0).tolist() if k not in relations.containers]:
        shells = name_list([str(k + 1) for k in alone])
        message = (
            f"mesh {name} has {count_with_noun(len(alone), 'shell')} that face inward outside the others: {shells}"
        )
        findings.report("MP726", f"{message}; their volume is subtracted", value=shells, severity=Severity.ERROR)
    if relations.nested:
        twice = float(sum(abs(volumes[inner]) for inner, _ in relations.nested))
        message = (
            f"mesh {name} has {count_with_noun(len(relations.nested), 'shell')} within another, facing the same way:"
        )
        islands = [str(inner + 1) for inner, _ in relations.nested if volumes[inner] * sign < 0]
        remedy = f"reverse the shells that face inward within a cavity: {name_list(islands)}" if islands else None
        findings.report("MP728", f"{message} volume {twice:.6g} is counted twice", value=f"{twice:.6g}", remedy=remedy)
    inward = sorted({k for pair in relations.overlaps for k in pair[:2] if volumes[k] * sign < 0})
    _report_overlaps(relations, inward, name, findings)
    return not (alone or relations.nested or relations.overlaps or relations.unchecked)


def _report_self_intersection(mesh: Mesh, name: str, findings: Findings) -> None:
    """Report a closed mesh whose winding numbers on rays along the shortest side are not all 0 and 1."""
    low, high = mesh.bounds
    ray, depth, sign = _crossings(mesh, int(np.argmin(high - low)), (_RAYS, _RAYS, _RAYS), (high - low) / _RAYS)
    paired = np.bincount(ray, sign, minlength=_RAYS**2)[ray] == 0  # others pass through an edge
    order = np.lexsort((depth[paired], ray[paired]))
    ray, depth, sign = (values[paired][order] for values in (ray, depth, sign))
    length = np.where(ray[1:] == ray[:-1], np.diff(depth), 0.0)
    length[length <= _TOUCHING * mesh.diagonal] = 0.0
    winding = np.cumsum(sign)[:-1]
    winding *= -1 if length @ winding < 0 else 1
    solid = float(length[winding != 0].sum())
    share = float((length * np.abs(winding - 1))[winding != 0].sum()) / solid if solid else 0.0
    if share > _LEAST_MISCOUNTED:
        text = "reversed" if (winding[length > 0] < 0).any() else "twice"
        findings.report(
            "MP730",
            f"mesh {name} intersects itself: about {share:.2g} of its volume is counted {text} "
            f"(winding numbers on {_RAYS}×{_RAYS} rays)",
            value=f"{share:.2g}",
            severity=Severity.WARNING if share <= _ACCEPTED_GAP else Severity.ERROR,
            remedy="pass voxel-size=SIZE, or repair the surface in the program that made the mesh",
        )


def _report_overlaps(relations: ShellRelations, inward: list[int], name: str, findings: Findings) -> None:
    """Report shells that intersect, some of which face ``inward``."""
    remedy = (
        f"cut shell {name_list([str(k + 1) for k in inward])}, which faces inward, out of the others in the program"
    )
    total, pairs = float(np.abs(relations.volumes.sum())), count_with_noun(len(relations.overlaps), "pair")
    if relations.overlaps and relations.is_exact:
        common = sum(one for _, _, one in relations.overlaps)
        findings.report(
            "MP730",
            f"mesh {name} has {pairs} of overlapping shells: sum {total:.6g}, "
            f"common volume {common:.6g}, in units of the file",
            value=f"{common:.6g}",
            remedy=f"{remedy} that made the mesh, or reverse it and pass --union" if inward else None,
        )
    elif relations.overlaps:
        findings.report(
            "MP730",
            f"mesh {name} has {pairs} of shells whose bounding boxes overlap; "
            "the shells were not compared, because manifold3d is not installed",
            value=str(len(relations.overlaps)),
            severity=Severity.WARNING,
            remedy="install the extra: pip install 'massprops[mesh]'",
        )
    if relations.unchecked:
        findings.report(
            "MP730",
            f"mesh {name} has too many shells to compare all: {relations.unchecked:,} were not checked for overlaps",
            value=str(relations.unchecked),
            severity=Severity.WARNING,
            remedy="pass voxel-size=SIZE, which counts overlaps once",
        )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class VoxelMoments:
    """Moments of the cells inside a mesh."""

    moments: MeshMoments  # units of the file
    error: _Floats  # (10,) difference to the moments of larger cells
    rest: _Floats  # (10, 10) covariance of the moments by other sizes of the cells and by chance
    shape: tuple[int, int, int]  # number of cells along each axis
    size: _Floats  # (3,) sides of a cell, unit of the file
    thin_share: float  # largest share, of the three directions, of rays through a wall thinner than a cell
    odd_share: float  # share of rays with an odd number of crossings: they pass a hole


def voxel_moments(mesh: Mesh, size: float, *, use_winding: bool = False) -> VoxelMoments:
    """Return the moments of the cells whose centres are inside a mesh; docs/formulas.md, section 13."""
    if not size > 0:
        raise UsageError(f"voxel size must be positive, not {size:g}")
    fine = _grid_moments(mesh, _cells(mesh, size), use_winding)
    larger = [_grid_moments(mesh, _cells(mesh, factor * size), use_winding) for factor in _COARSER]
    of_each = [fine.moments.values - one.moments.values for one in larger]
    error, *others = sorted(of_each, key=lambda values: -abs(values[0]))
    # cells of the surface are in or out by chance: σ of ∫ g dV is 0.3 h² √∫ g² dA
    corners, area = face_vectors(mesh)
    areas = np.linalg.norm(area, axis=1)
    chance = 0.3 * float(np.prod(fine.size)) ** (2 / 3) * np.sqrt(areas / 3)
    weighted = [chance[:, None] * moment_weights((corners[:, k - 1] + corners[:, k]) / 2) for k in range(3)]
    rest = sum((one.T @ one for one in weighted), sum(np.outer(one, one) for one in others))
    return replace(fine, error=error, rest=np.asarray(rest))


def face_vectors(mesh: Mesh) -> tuple[_Floats, _Floats]:
    """Return the corners ``(m, 3, 3)`` about the box centre, and the area times the normal ``(m, 3)`` of each face."""
    corners = (mesh.vertices - mesh.center)[mesh.faces].astype(float)
    return corners, np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]) / 2


def moment_weights(points: _Floats) -> _Floats:
    """Return 1, x, y, z, xx, yy, zz, xy, xz, yz of points: shape (k, 10)."""
    x, y, z = points.T
    return np.stack([np.ones(len(points)), x, y, z, x * x, y * y, z * z, x * y, x * z, y * z], axis=1)


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


def _grid_moments(mesh: Mesh, shape: tuple[int, int, int], use_winding: bool) -> VoxelMoments:
    """Return the moments of the cells of one grid, with the error 0."""
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
    return VoxelMoments(
        _cell_moments(votes > 0, mesh, size), np.zeros(10), np.zeros((10, 10)), shape, size, thin, odd / rays
    )


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
    outward = 1 if passed.sum(dtype=np.int64) >= 0 else -1  # where two cavities overlap the winding number is -1
    within = passed[:, :-1] * outward > 0 if use_winding else (passed[:, :-1] & 1).astype(bool)
    is_known = passed[:, -1] == 0 if use_winding else count % 2 == 0
    rank = np.arange(len(ray)) - (np.cumsum(count) - count)[ray]
    enters = (rank[:-1] % 2 == 0) & (ray[1:] == ray[:-1]) if len(ray) else np.zeros(0, bool)
    is_thin = enters & (np.diff(depth) < size[axis]) if len(ray) else enters
    thin = len(np.unique(ray[:-1][is_thin])) / max(1, int((count > 0).sum())) if len(ray) else 0.0
    sides = (shape[u], shape[v])
    inside = np.moveaxis(within.reshape(*sides, n_cells), (0, 1, 2), (u, v, axis))
    return inside, np.moveaxis(is_known.reshape(*sides, 1), (0, 1, 2), (u, v, axis)), thin


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
    number = np.arange(len(triangle)) - np.repeat(np.cumsum(pairs[some]) - pairs[some], pairs[some])
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
