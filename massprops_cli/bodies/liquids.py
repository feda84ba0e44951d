"""Liquids at rest in containers of any attitude: moments, free surface and derivatives by fill.

Bodies of revolution are cut by slices, meshes by triangles. Ten moments of a region are one matrix (4, 4):
P = ∫ (1, x)(1, x)ᵀ dV, which an affine map T turns to |det T| T P Tᵀ.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.meshes.mesh import Mesh
from massprops_cli.bodies.poses import axis_rotation
from massprops_cli.bodies.solid_shapes import find_shape
from massprops_cli.bodies.solids import canonical_dims, solid_faults
from massprops_cli.findings.finding import UsageError

_Floats = NDArray[np.float64]
_Piece = tuple[float, float, float, float, float]
"""From z0 to z1, and the squared radius α + β z + γ z²: a cylinder, a cone, an ellipsoid or a paraboloid."""
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(40)  # of a half of the slices that the plane cuts
_FEW_NODES, _FEW_WEIGHTS = np.polynomial.legendre.leggauss(6)  # exact to degree 11: whole slices have degree 6
_UPRIGHT = 1e-15  # sine of the tilt below which a plane is normal to the axis: its slices are thinner than rounding
_NEAR_ENDS = 1e-12  # share of the height by which the surface of an empty or a full container is inside it
_TOLERANCE = 1e-15  # share of a volume up to which it is searched
_NEWTON_STEPS = 40  # most steps before the bracket is only halved


@dataclass(frozen=True, eq=False, repr=False)
class _RevolvedContainer:
    """A body of revolution about z of quadratic pieces, stretched along its axes; docs/formulas.md, section 14."""

    # as in MeshContainer, heights and moments are relative to ``center``

    pieces: tuple[_Piece, ...]
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)
    is_ball: bool = False  # round about every axis, before it is stretched
    origin: float = 0.0  # z of the shape's origin in the frame of the pieces, before they are stretched

    @property
    def center(self) -> _Floats:
        """The origin of the shape (3,)."""
        return np.zeros(3)

    @cached_property
    def _stretch(self) -> _Floats:
        """The affine map (4, 4) from the frame of the pieces."""
        T = np.diag([1.0, *self.scale])
        T[3, 0] = -self.origin * self.scale[2]
        return T

    def _view(self, up: _Floats) -> tuple[_Floats, tuple[_Piece, ...], float, float, float, float]:
        """Return map (4, 4), pieces, sine and cosine of the tilt, and factor and shift of heights of the pieces."""
        normal = np.asarray(self.scale) * up
        size = float(np.linalg.norm(normal))
        x, y, z = (normal / size).tolist()
        sine, cosine, T, pieces = float(np.hypot(x, y)), abs(z), np.eye(4), self.pieces
        if self.is_ball:
            T[1:, 1:], sine, cosine = axis_rotation(np.array([x, y, z])), 0.0, 1.0
        else:
            if sine > _UPRIGHT:
                T[1:3, 1:3] = np.array([[x, -y], [y, x]]) / sine
            if z < 0:
                T[3, 3] = -1.0
                pieces = tuple((-z1, -z0, a, -b, g) for z0, z1, a, b, g in pieces[::-1])
        return self._stretch @ T, pieces, sine, cosine, size, float(up[2]) * self._stretch[3, 0]

    def span(self, up: _Floats) -> tuple[float, float]:
        """Return the least and the greatest height along a unit vector (3,)."""
        _, pieces, s, c, size, shift = self._view(up)
        low, high = np.inf, -np.inf
        for z0, z1, a, b, g in pieces:
            # stationary points of c z ± s ρ(z): c² ρ² = s² (β + 2 γ z)² / 4
            inner = _real_roots(g * (c * c - s * s * g), b * (c * c - s * s * g), c * c * a - s * s * b * b / 4)
            z = np.array([z0, z1, *(one for one in inner if z0 < one < z1)])
            radius = np.sqrt(np.maximum(a + z * (b + z * g), 0.0))
            low, high = min(low, float((c * z - s * radius).min())), max(high, float((c * z + s * radius).max()))
        return low * size + shift, high * size + shift

    def whole(self) -> _Floats:
        """Return the moments (4, 4) of the whole inside."""
        P = np.zeros((4, 4))
        for z0, z1, a, b, g in self.pieces:
            _add_whole_slices(P, z0, z1, (a, b, g))
        return _mapped(P, self._stretch)

    def cut(self, up: _Floats, height: float) -> tuple[_Floats, _Floats]:
        """Return the moments (4, 4) of the part below a plane normal to a unit vector (3,), and of the section."""
        T, pieces, s, c, size, shift = self._view(up)
        h = (height - shift) / size
        below, section = np.zeros((4, 4)), np.zeros((4, 4))
        for z0, z1, *radius in pieces:
            if s > _UPRIGHT:
                _add_cut_slices(below, section, (z0, z1, *radius), s, c, h)
                continue
            _add_whole_slices(below, z0, min(z1, max(z0, h / c)), radius)
            if z0 < h / c <= z1 or (h / c == z0 == pieces[0][0]):
                square = max(radius[0] + h / c * (radius[1] + h / c * radius[2]), 0.0)
                at, area = np.array([1.0, 0.0, 0.0, h / c]), np.pi * square
                section += area * (np.outer(at, at) + np.diag([0.0, square / 4, square / 4, 0.0]))
        return _mapped(below, T), _mapped(section, T) / size


def _mapped(P: _Floats, T: _Floats) -> _Floats:
    """Return moments (4, 4) after an affine map (4, 4)."""
    return np.asarray(abs(np.linalg.det(T[1:, 1:])) * (T @ P @ T.T))


def _add_whole_slices(P: _Floats, z0: float, z1: float, radius: Any) -> None:
    """Add the moments of whole discs from z0 to z1, polynomials of degree 6."""
    if z1 <= z0:
        return
    z = (z0 + z1) / 2 + (z1 - z0) / 2 * _FEW_NODES
    square = radius[0] + z * (radius[1] + z * radius[2])
    area = np.pi * square * ((z1 - z0) / 2 * _FEW_WEIGHTS)
    of_disc = (area * square).sum() / 4
    P += np.diag([area.sum(), of_disc, of_disc, (area * z * z).sum()])
    P[0, 3] += (area * z).sum()
    P[3, 0] += (area * z).sum()


def _add_cut_slices(below: _Floats, section: _Floats, piece: Any, s: float, c: float, h: float) -> None:
    """Add the slices of a piece that are below the plane s x + c z = h, and the section; t runs down the plane."""
    z0, z1, a, b, g = piece
    # Q = ρ² − x² on the plane, where z = h c − s t and x = h s + c t
    roots = _real_roots(g * s * s - c * c, -s * (b + 2 * h * c * (1 + g)), a + h * c * (b + g * h * c) - h * h * s * s)
    first, last = (h * c - z1) / s, (h * c - z0) / s
    ends = [first, *(t for t in roots if first < t < last), last]
    for t0, t1 in pairwise(ends):
        middle = (t0 + t1) / 2
        x, z = h * s + c * middle, h * c - s * middle
        if a + z * (b + z * g) > x * x:
            for start, end in ((t0, middle), (t1, middle)):
                _add_half(below, section, (a, b, g), s, c, h, *_graded_nodes(start, end, roots))
        elif x > 0:
            top = z1 if t0 == first else h * c - s * t0
            _add_whole_slices(below, z0 if t1 == last else h * c - s * t1, top, (a, b, g))


def _graded_nodes(start: float, end: float, roots: list[float]) -> tuple[_Floats, _Floats]:
    """Return nodes (k,) and weights from a place, at or near which √Q may vanish, to another: t = root ± v²."""
    side = 1.0 if end > start else -1.0
    beyond = [side * (start - t) for t in roots if side * (start - t) > -abs(end - start) * 1e-9]
    gap = max(min(beyond, default=np.inf), 0.0)
    if gap > 4 * abs(end - start):  # far away: the integrand is smooth
        return (start + end) / 2 + (end - start) / 2 * _NODES, abs(end - start) / 2 * _WEIGHTS
    low, high = np.sqrt(gap), np.sqrt(gap + abs(end - start))
    v = (low + high) / 2 + (high - low) / 2 * _NODES
    return start + side * (v - low) * (v + low), (high - low) * v * _WEIGHTS


def _add_half(
    below: _Floats, section: _Floats, radius: Any, s: float, c: float, h: float, t: _Floats, weight: _Floats
) -> None:
    """Add slices at t (k,): circular segments x ≤ g below the plane, and chords of the section."""
    z, x = h * c - s * t, h * s + c * t
    square = np.maximum(radius[0] + z * (radius[1] + z * radius[2]), 0.0)
    half = np.sqrt(np.maximum(square - x * x, 0.0))  # of the chord
    angle = np.arctan2(x, half) + np.pi / 2
    area = square * angle + x * half
    xx = square * square / 4 * angle + x * half * (2 * x * x - square) / 4
    yy = square * square / 4 * angle + x * half * (5 * square - 2 * x * x) / 12
    _add_slices(below, s * weight, z, (area, -2 / 3 * half**3, xx, yy))
    _add_slices(section, 2 * weight, z, (half, half * x, half * x * x, half**3 / 3))


def _add_slices(sums: _Floats, weight: _Floats, z: _Floats, moments: tuple[_Floats, _Floats, _Floats, _Floats]) -> None:
    """Add slices at z (k,) with amounts and moments of x, x x and y y (k,) to moments (4, 4)."""
    one, x, xx, yy = moments
    sums += np.diag([weight @ one, weight @ xx, weight @ yy, weight @ (one * z * z)])
    for i, j, value in ((0, 1, weight @ x), (0, 3, weight @ (one * z)), (1, 3, weight @ (x * z))):
        sums[i, j] += value
        sums[j, i] += value


def _real_roots(a: float, b: float, c: float) -> list[float]:
    """Return the real roots of a t² + b t + c, in ascending order."""
    if (inner := b * b - 4 * a * c) < 0 or not (a or b):
        return []
    q = -(b + np.copysign(np.sqrt(inner), b)) / 2
    found = [q / a] if abs(a) > 1e-300 else []
    return sorted([*found, c / q] if abs(q) > 1e-300 else [*found, *found])


@dataclass(frozen=True, eq=False, repr=False)
class MeshContainer:
    """A closed mesh, outward; docs/formulas.md, section 14."""

    mesh: Mesh

    @property
    def center(self) -> _Floats:
        """The middle of the bounding box (3,), about which a mesh far from its origin keeps its digits."""
        return self.mesh.center

    @cached_property
    def _corners(self) -> _Floats:
        """Corners of the triangles (m, 3, 3)."""
        return np.asarray((self.mesh.vertices.astype(float) - self.center)[self.mesh.faces])

    def span(self, up: _Floats) -> tuple[float, float]:
        """Return the least and the greatest height along a unit vector (3,)."""
        heights = self._corners @ up
        return float(heights.min()), float(heights.max())

    def whole(self) -> _Floats:
        """Return the moments (4, 4) of the whole inside."""
        A, B, C = self._corners.swapaxes(0, 1)
        return _simplex_moments((np.cross(A, B) * C).sum(axis=1), (A, B, C), (6, 24, 120))

    def cut(self, up: _Floats, height: float) -> tuple[_Floats, _Floats]:
        """Return the moments (4, 4) of the part below a plane normal to a unit vector (3,), and of the section."""
        on_plane = height * up
        corners = self._corners - on_plane
        depth = corners @ up  # (m, 3), above the plane
        inside = depth <= 0
        count = inside.sum(axis=1)
        kept, cuts = [corners[count == 3]], []
        for number, odd in ((1, inside), (2, ~inside)):
            chosen = count == number
            turn = (odd[chosen].argmax(axis=1)[:, None] + np.arange(3)) % 3  # the odd corner comes first
            (A, B, C), (a, b, d) = (
                np.take_along_axis(values[chosen], turn[..., None] if values.ndim == 3 else turn, 1).swapaxes(0, 1)
                for values in (corners, depth)
            )
            AB, AC = (A + (a / (a - other))[:, None] * (end - A) for end, other in ((B, b), (C, d)))
            kept += [np.stack(one, 1) for one in ([(A, AB, AC)] if number == 1 else [(AB, B, C), (AB, C, AC)])]
            cuts.append(np.stack([AC, AB] if number == 1 else [AB, AC], 1))
        A, B, C = np.concatenate(kept).swapaxes(0, 1)
        p, q = np.concatenate(cuts).swapaxes(0, 1)
        near = p.mean(axis=0) if len(p) else np.zeros(3)  # a small section keeps its digits about a point of its own
        p, q = p - near, q - near
        # about a point of the plane the section itself adds nothing to the volume
        below = _simplex_moments((np.cross(A, B) * C).sum(axis=1), (A, B, C), (6, 24, 120))
        section = _simplex_moments(np.cross(p, q) @ up, (p, q), (2, 6, 24))
        return _shifted(below, on_plane), _shifted(section, on_plane + near)


def _simplex_moments(weight: _Floats, corners: Sequence[_Floats], divisors: tuple[int, int, int]) -> _Floats:
    """Return moments (4, 4) of simplices on the origin, with determinants (k,) and corners (k, 3) each."""
    P, total = np.empty((4, 4)), np.sum(corners, axis=0)
    P[0, 0] = weight.sum() / divisors[0]
    P[0, 1:] = P[1:, 0] = weight @ total / divisors[1]
    P[1:, 1:] = np.sum([(weight[:, None] * one).T @ one for one in (*corners, total)], axis=0) / divisors[2]
    return P


def _shifted(P: _Floats, shift: _Floats) -> _Floats:
    """Return moments (4, 4) after a translation (3,)."""
    T = np.eye(4)
    T[1:, 0] = shift
    return np.asarray(T @ P @ T.T)


Container = _RevolvedContainer | MeshContainer  # the inside of a tank in its own frame, coherent unit of length


def _cylinder(r: float, L: float) -> _Piece:
    """Return the piece of a cylinder."""
    return (-L / 2, L / 2, r * r, 0.0, 0.0)


def _domed(r: float, L: float, e: float) -> _RevolvedContainer:
    """Return a cylinder with half ellipsoids of height e on both ends."""
    half, k = L / 2, (r / e) ** 2
    lower = (-half - e, -half, r * r - k * half * half, -2 * k * half, -k)
    upper = (half, half + e, r * r - k * half * half, 2 * k * half, -k)
    return _RevolvedContainer((lower, *([_cylinder(r, L)] if L else []), upper))


def _cone_piece(r1: float, r2: float, L: float) -> _RevolvedContainer:
    """Return a frustum with r1 at −L/2 and r2 at L/2."""
    k, middle = (r2 - r1) / L, (r1 + r2) / 2
    return _RevolvedContainer(((-L / 2, L / 2, middle * middle, 2 * k * middle, k * k),))


def _extruded(outline: _Floats, along: int, length: float) -> MeshContainer:
    """Return a prism on a convex outline (n, 2) in the plane normal to an axis, centred along it."""
    n = len(outline)
    vertices = np.insert(np.tile(outline, (2, 1)), along, np.repeat([-length / 2, length / 2], n), axis=1)
    fans = [(0, k, k + 1) for k in range(1, n - 1)]
    sides = [(k, (k + 1) % n, n + k) for k in range(n)] + [((k + 1) % n, n + (k + 1) % n, n + k) for k in range(n)]
    faces = np.array([*((a, c, b) for a, b, c in fans), *((a + n, b + n, c + n) for a, b, c in fans), *sides])
    found = MeshContainer(Mesh(vertices, faces))
    return found if found.whole()[0, 0] > 0 else MeshContainer(Mesh(vertices, faces[:, ::-1]))


_BALL: _Piece = (-1.0, 1.0, 1.0, 0.0, -1.0)
_CONTAINERS: Mapping[str, Callable[..., Container]] = {
    "box": lambda a, b, c: _extruded(np.array([[-a, -b], [a, -b], [a, b], [-a, b]]) / 2, 2, c),
    "wedge": lambda a, b, c: _extruded(np.array([[-a, -c], [a, -c], [-a, c]]) / 2, 1, b),
    "prism": lambda n, r, L: _extruded(
        r * np.array([[np.cos(2 * np.pi * k / n), np.sin(2 * np.pi * k / n)] for k in range(round(n))]), 2, L
    ),
    "cylinder": lambda r, L: _RevolvedContainer((_cylinder(r, L),)),
    "elliptic cylinder": lambda a, b, L: _RevolvedContainer((_cylinder(1.0, L),), (a, b, 1.0)),
    "sphere": lambda r: _RevolvedContainer((_BALL,), (r, r, r), is_ball=True),
    "ellipsoid": lambda a, b, c: _RevolvedContainer((_BALL,), (a, b, c), is_ball=True),
    "capsule": lambda r, L: _domed(r, L, r),
    "domed cylinder": _domed,
    "cone": lambda r, L: _cone_piece(r, 0.0, L),
    "frustum": _cone_piece,
    "paraboloid": lambda r, L: _RevolvedContainer(((-L / 2, L / 2, r * r / 2, -r * r / L, 0.0),)),
    "hemisphere": lambda r: _RevolvedContainer(((0.0, r, r * r, 0.0, -1.0),)),
    "half ellipsoid": lambda a, b, c: _RevolvedContainer(((0.0, 1.0, 1.0, 0.0, -1.0),), (a, b, c)),
    "spherical cap": lambda r, h: _RevolvedContainer(((r - h, r, r * r, 0.0, -1.0),), origin=r - h),
}
"""Containers by the names of the table of shapes, in the frames of these."""


def shape_container(shape: str, dims: Mapping[str, float]) -> Container:
    """Return the inside of a shape of the table.

    Parameters
    ----------
    shape : str
        Name in the table of shapes.
    dims : mapping of str to float, length
        Inner dimensions by the names of the table.

    Returns
    -------
    Container
        For ``Tank``; the origin and the axes are those of the table.

    Raises
    ------
    UsageError
        No liquid is computed in this shape, or a dimension is missing, unknown or not positive.

    Notes
    -----
    docs/formulas.md, section 14.

    Examples
    --------
    >>> shape_container("box", {"a": 1.0, "b": 2.0, "c": 0.5}).whole()[0, 0].tolist()
    1.0
    """
    if (shape := find_shape(shape).name) not in _CONTAINERS:
        raise UsageError(f"a {shape} is not a shape of tanks (expected {', '.join(_CONTAINERS)}, or a mesh)")
    if faults := solid_faults(shape, {name: np.array([value]) for name, value in dims.items()}):
        raise UsageError(faults[0].message)
    return _CONTAINERS[shape](**canonical_dims(find_shape(shape), dims))


class _LiquidRegion(NamedTuple):
    """The region of a liquid at rest and its free surface, coherent unit of length."""

    volume: float
    center: _Floats  # (3,); of an empty container the place of the first drop
    spread: _Floats  # (3, 3) ∫ (x − c)(x − c)ᵀ dV
    height: float  # of the surface along the upward normal, from the origin of the container's frame
    area: float  # of the free surface
    surface_center: _Floats  # (3,)
    surface_spread: _Floats  # (3, 3) mean of (x − s)(x − s)ᵀ on the surface, s its centre

    def placed(self, translation: _Floats, rotation: _Floats) -> _LiquidRegion:
        """Return the region after a rotation (3, 3) and a translation (3,); the height remains."""
        R = rotation
        center, surface = (R @ one + translation for one in (self.center, self.surface_center))
        spread, of_surface = (R @ one @ R.T for one in (self.spread, self.surface_spread))
        return self._replace(center=center, spread=spread, surface_center=surface, surface_spread=of_surface)


def liquid_region(container: Container, fill: float, up: _Floats) -> _LiquidRegion:
    """Return the liquid that fills a share 0 to 1 of a container; up (3,) is opposite to the acceleration."""
    whole = container.whole()
    low, high = container.span(up)
    if fill <= 0 or fill >= 1:
        height, P = (low, np.zeros((4, 4))) if fill <= 0 else (high, whole)
    else:
        height = _surface_height(container, fill * whole[0, 0], whole[0, 0], up, (low, high))
        P, _ = container.cut(up, height)
    area, surface, of_surface = 0.0, np.zeros(3), np.zeros((3, 3))
    margin = _NEAR_ENDS * (high - low)
    while not area > 0 and margin < high - low:  # a point of contact has no area: the surface next to it
        _, section = container.cut(up, min(max(height, low + margin), high - margin))
        area, surface, of_surface = _central_moments(section)
        margin *= 10
    surface = surface + (height - surface @ up) * up  # of the surface next to an end, moved to it
    volume, center, spread = _central_moments(P)
    center = center if volume > 0 else surface
    region = _LiquidRegion(
        volume, center, spread, height + float(up @ container.center), area, surface, of_surface / area
    )
    return region.placed(container.center, np.eye(3))


def _central_moments(P: _Floats) -> tuple[float, _Floats, _Floats]:
    """Return amount, centre (3,) and central second moments (3, 3) of moments (4, 4)."""
    if not P[0, 0] > 0:
        return 0.0, np.zeros(3), np.zeros((3, 3))
    center = P[0, 1:] / P[0, 0]
    return float(P[0, 0]), center, P[1:, 1:] - P[0, 0] * np.outer(center, center)


def _surface_height(
    container: Container, volume: float, capacity: float, up: _Floats, span: tuple[float, float]
) -> float:
    """Find the height below which a container holds a volume: Newton's method, halved where it leaves the bracket."""
    low, high = span
    height = low + (high - low) * volume / capacity
    count = 0
    while True:
        below, section = container.cut(up, height)
        excess, area = float(below[0, 0]) - volume, float(section[0, 0])
        low, high = (low, height) if excess > 0 else (height, high)
        step = excess / area if area > 0 else np.inf
        rounding = 2 * float(np.spacing(max(abs(low), abs(high))))
        if abs(excess) <= _TOLERANCE * volume or min(high - low, abs(step)) <= rounding:
            return height
        count += 1
        is_inside = low < height - step < high and count < _NEWTON_STEPS
        height = height - step if is_inside else (low + high) / 2
