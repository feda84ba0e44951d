"""Overlaps of the geometries of a link, found with a grid of points in the common part of their boxes."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.meshes.mesh import Mesh
from massprops_cli.findings.finding import Findings
from massprops_cli.inertials.geometry_bodies import PlacedBody

_Floats = NDArray[np.float64]
_Inside = NDArray[np.bool_]

_CELLS = 16
"""Points of the grid along each axis."""
_OFFSETS = (0.5, 0.45, 0.55)
"""Places of the points in their cells: different, so that rays do not meet the diagonals of squares."""
_LEAST_SHARE = 1e-3
"""Share of the smaller geometry from which on an overlap is reported."""
_MOST_PAIRS = 1_000  # of one link whose boxes meet
_MOST_TRIANGLES = 5_000
"""Limits of what is compared for one link."""


def check_overlaps(link: str, bodies: Sequence[PlacedBody], findings: Findings) -> None:
    """Report geometries of a link whose common volume, estimated with 16³ points, is counted twice (MP858)."""
    boxes = np.array([_box(one) for one in bodies])
    compared = 0
    for i, j in itertools.combinations(range(len(bodies)), 2):
        low, high = np.maximum(boxes[i, 0], boxes[j, 0]), np.minimum(boxes[i, 1], boxes[j, 1])
        if not (high > low).all() or any(_is_large(bodies[k].mesh) for k in (i, j)):
            continue
        compared += 1
        if compared > _MOST_PAIRS:
            return
        common = _common_volume(bodies[i], bodies[j], low, high)
        smaller = min(bodies[i].volume, bodies[j].volume)
        if common > _LEAST_SHARE * smaller:
            names = f"{bodies[i].source.name} and {bodies[j].source.name}"
            share = min(common / smaller, 1.0)
            message = f"{names} overlap: about {share:.0%} of the smaller one is counted twice"
            message = message.replace("about 0%", "less than 1%")
            related = (bodies[i].source.place,)
            findings.report("MP858", message, bodies[j].source.place, item=link, related=related)


def _is_large(mesh: Mesh | None) -> bool:
    """Return whether a mesh has too many triangles to be compared."""
    return mesh is not None and len(mesh.faces) > _MOST_TRIANGLES


def _common_volume(one: PlacedBody, other: PlacedBody, low: _Floats, high: _Floats) -> float:
    """Estimate the common volume of two bodies inside a box."""
    axes = [(np.arange(_CELLS) + offset) / _CELLS for offset in _OFFSETS]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    points = low + grid * (high - low)
    points = points[_inside(one, points)]
    if len(points):
        points = points[_inside(other, points)]
    return float(len(points) / _CELLS**3 * np.prod(high - low))


def _box(one: PlacedBody) -> _Floats:
    """Return the least and largest coordinates of a body in the frame of the link."""
    if one.mesh is None:
        assert one.source.geometry is not None
        center, half = np.zeros(3), _HALF_SIZES[one.source.geometry.kind](one.dims)
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


def _round_size(d: _Dims) -> _Floats:
    """Return half the sides (3,) m of the box around a round shape."""
    return np.array([d["r"], d["r"], d["L"] / 2])


_HALF_SIZES: dict[str, Callable[[_Dims], _Floats]] = {
    "box": lambda d: np.array([d["a"], d["b"], d["c"]]) / 2,
    "sphere": lambda d: np.full(3, d["r"]),
    "ellipsoid": lambda d: np.array([d["a"], d["b"], d["c"]]),
    "cylinder": _round_size,
    "capsule": lambda d: np.array([d["r"], d["r"], d["L"] / 2 + d["r"]]),
    "cone": _round_size,
}


def _in_box(d: _Dims, p: _Floats) -> _Inside:
    """Return which points (k, 3) m are in a box."""
    return np.asarray((np.abs(p) < np.array([d["a"], d["b"], d["c"]]) / 2).all(axis=1))


def _in_sphere(d: _Dims, p: _Floats) -> _Inside:
    """Return which points (k, 3) m are in a sphere."""
    return np.asarray((p**2).sum(axis=1) < d["r"] ** 2)


def _in_ellipsoid(d: _Dims, p: _Floats) -> _Inside:
    """Return which points (k, 3) m are in an ellipsoid."""
    return np.asarray(((p / np.array([d["a"], d["b"], d["c"]])) ** 2).sum(axis=1) < 1)


def _in_cylinder(d: _Dims, p: _Floats) -> _Inside:
    """Return which points (k, 3) m are in a cylinder."""
    return np.asarray((np.hypot(p[:, 0], p[:, 1]) < d["r"]) & (np.abs(p[:, 2]) < d["L"] / 2))


def _in_capsule(d: _Dims, p: _Floats) -> _Inside:
    """Return which points (k, 3) m are in a capsule."""
    beyond = np.maximum(np.abs(p[:, 2]) - d["L"] / 2, 0)
    return np.asarray(p[:, 0] ** 2 + p[:, 1] ** 2 + beyond**2 < d["r"] ** 2)


def _in_cone(d: _Dims, p: _Floats) -> _Inside:
    """Return which points (k, 3) m are in a cone."""
    return np.asarray((np.hypot(p[:, 0], p[:, 1]) < d["r"] * (0.5 - p[:, 2] / d["L"])) & (np.abs(p[:, 2]) < d["L"] / 2))


_INSIDE: dict[str, Callable[[_Dims, _Floats], _Inside]] = {
    "box": _in_box,
    "sphere": _in_sphere,
    "ellipsoid": _in_ellipsoid,
    "cylinder": _in_cylinder,
    "capsule": _in_capsule,
    "cone": _in_cone,
}


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
