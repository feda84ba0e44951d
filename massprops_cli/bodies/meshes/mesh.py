"""Triangle meshes and the integrals over the volume that they enclose."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from massprops_cli.findings.finding import UsageError

_Floats = NDArray[np.float64]
_Faces = NDArray[np.integer[Any]]
_BLOCK = 8192  # triangles of one block: its arrays fit into the cache of a processor core
_DIGITS = 9  # most digits that are searched in coordinates written as text
_MIXER = np.uint64(0xBF58476D1CE4E5B9)
"""Odd factor that spreads the bits of positions (splitmix64); two positions with one result are compared after it."""
_WELD_STEPS = (2.0**-50, 2.0**-26)
"""Grid of equal positions in double and single precision, as a share of the largest coordinate: below its spacing."""
_SAMPLE = 3000  # numbers of a mesh that show its digits
_SINGLE_DIGITS = 7  # digits from which on single precision is not finer
_FEWEST = 30  # different numbers that show digits; fewer may be round by design
_PAIRS = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
MomentKind = Literal["volume", "absolute", "surface"]
_VOLUME = (6.0, 24.0, 120.0)
_DIVISORS = {"volume": _VOLUME, "absolute": _VOLUME, "surface": (2.0, 6.0, 24.0)}


@dataclass(frozen=True, eq=False, repr=False)
class Mesh:
    """A surface of triangles, outward by the right-hand rule.

    Attributes
    ----------
    vertices : array, shape (n, 3), unit of the file
        Corners as stored, in single or double precision.
    faces : array of int, shape (m, 3)
        Numbers of the three corners of each triangle.
    precision : float, unit of the file, int or None
        Distance between two neighbouring numbers that the file can state, or the number of significant digits of its
        text; None for the spacing of ``vertices.dtype``.

    Examples
    --------
    >>> corner = Mesh(np.vstack([np.zeros(3), np.eye(3)]), np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]))
    >>> corner.bounds.tolist(), corner.center.tolist()
    ([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]], [0.5, 0.5, 0.5])
    """

    vertices: NDArray[np.floating[Any]]
    faces: _Faces
    precision: float | int | None = field(default=None)

    def __post_init__(self) -> None:
        """Check the shapes, and that faces name existing vertices."""
        if self.vertices.ndim != 2 or self.vertices.shape[1] != 3:
            raise UsageError(f"vertices of a mesh must have the shape (n, 3), not {self.vertices.shape}")
        if self.faces.ndim != 2 or self.faces.shape[1] != 3:
            raise UsageError(f"faces of a mesh must have the shape (m, 3), not {self.faces.shape}")
        if len(self.faces) and (self.faces.min() < 0 or self.faces.max() >= len(self.vertices)):
            raise UsageError(f"a face names a vertex outside 0 to {len(self.vertices) - 1}")

    @cached_property
    def bounds(self) -> _Floats:
        """Least and largest coordinates ``(2, 3)`` of the vertices; zeros for an empty mesh."""
        if not len(self.vertices):
            return np.zeros((2, 3))
        return np.array([self.vertices.min(axis=0), self.vertices.max(axis=0)], dtype=float)

    @property
    def center(self) -> _Floats:
        """Centre of the bounding box ``(3,)``, the reference point of all integrals."""
        low, high = self.bounds
        return np.asarray(low + (high - low) / 2)

    @property
    def diagonal(self) -> float:
        """Length of the diagonal of the bounding box."""
        low, high = self.bounds
        return float(np.linalg.norm(high - low))

    @property
    def is_finite(self) -> bool:
        """Whether all vertices are finite."""
        return bool(np.isfinite(self.bounds).all())

    def corner_blocks(self, reference: _Floats, first: int = 0, last: int | None = None) -> Iterator[_Floats]:
        """Yield the corners of the triangles in blocks of at most 8192, relative to a point.

        Parameters
        ----------
        reference : array, shape (3,), unit of the file
            The point that is subtracted.
        first, last : int, optional
            Range of the faces; default: all.

        Yields
        ------
        array, shape (3, 4, k)
            Coordinate × (three corners and their sum) × triangle; overwritten by the next block.
        """
        local = np.ascontiguousarray((self.vertices - reference).T, dtype=float)
        count = len(self.faces) if last is None else last
        room = np.empty((3, 4, _BLOCK))
        for start in range(first, count, _BLOCK):
            named = np.ascontiguousarray(self.faces[start : min(start + _BLOCK, count)].T)
            block = room if named.shape[1] == _BLOCK else np.empty((3, 4, named.shape[1]))
            for axis in range(3):
                np.take(local[axis], named, out=block[axis, :3], mode="clip")
                np.add(block[axis, 0], block[axis, 1], out=block[axis, 3])
                block[axis, 3] += block[axis, 2]
            yield block

    def coordinate_steps(self) -> _Floats:
        """Return the distances between neighbouring numbers that the file can state.

        Returns
        -------
        array, shape (n, 3), unit of the file
            One distance for each coordinate; a stored coordinate is rounded by at most half of it.
        """
        if isinstance(self.precision, int):
            size = np.maximum(np.abs(self.vertices).astype(float), np.finfo(float).tiny)
            return np.asarray(10.0 ** (np.floor(np.log10(size)) - self.precision + 1))
        if self.precision is not None:
            return np.full(self.vertices.shape, self.precision)
        return np.asarray(np.spacing(np.abs(self.vertices)), dtype=float)

    def welded(self) -> Mesh:
        """Return the mesh with one vertex for each position.

        Positions are equal on a grid that is finer than the spacing of the largest coordinate, so that 10⁻¹⁷ is 0 in a
        mesh of size 1.

        Returns
        -------
        Mesh
            Vertices without duplicates; the triangles are in the same order.

        Examples
        --------
        >>> twice = Mesh(np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [-0.0, 0, 0]]), np.array([[0, 1, 2], [3, 2, 1]]))
        >>> twice.welded().faces.tolist()
        [[0, 1, 2], [0, 2, 1]]
        """
        if not len(self.vertices):
            return self
        number, first = _positions(self.vertices)
        if len(first) == len(self.vertices):
            return self
        return Mesh(self.vertices[first], number[self.faces], self.precision)

    def part(self, chosen: NDArray[np.bool_]) -> Mesh:
        """Return some triangles of the mesh, with the vertices that they use.

        Parameters
        ----------
        chosen : array of bool, shape (m,)
            True for the triangles that are kept.

        Returns
        -------
        Mesh
            The part.
        """
        used, faces = np.unique(self.faces[chosen], return_inverse=True)
        return Mesh(self.vertices[used], faces.reshape(-1, 3), self.precision)


def _positions(vertices: NDArray[np.floating[Any]]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the position of each vertex, numbered in the order of first vertices, and the first vertex of each."""
    grid = float(max(vertices.max(), -vertices.min())) * _WELD_STEPS[vertices.dtype == np.float32] or 1.0
    bits = np.rint(np.asarray(vertices, dtype=float) / grid).astype(np.int64).view(np.uint64)
    mixed = bits[:, 0] * np.uint64(0x9E3779B97F4A7C15)
    for axis in (1, 2):
        mixed ^= mixed >> np.uint64(29)
        mixed = (mixed + bits[:, axis]) * _MIXER
    order = np.argsort(mixed, kind="stable")
    ranked = mixed[order]
    is_new = np.r_[True, ranked[1:] != ranked[:-1]]
    if not (bits[order[1:]][~is_new[1:]] == bits[order[:-1]][~is_new[1:]]).all():
        order = np.lexsort(bits.T)  # two positions have one hash
        is_new = np.r_[True, (bits[order[1:]] != bits[order[:-1]]).any(axis=1)]
    firsts = order[is_new]  # of equal positions the first, because the order is stable
    by_place = np.argsort(firsts)
    renumbered = np.empty(len(firsts), np.intp)
    renumbered[by_place] = np.arange(len(firsts))
    number = np.empty(len(vertices), np.intp)
    number[order] = renumbered[np.cumsum(is_new) - 1]
    return number, firsts[by_place]


def text_precision(coordinates: NDArray[np.floating[Any]], single: float | None = None) -> float | int | None:
    """Return how exactly coordinates (…, 3) of decimal text are stated: a step 10⁻ᵈ, else significant digits."""
    # None, or the step single of text held in single precision: more than 9 of either, or fewer than 30 numbers
    found = _digits_of_text(coordinates)
    if single is None or found is None:
        return single if found is None else found
    return max(found, single) if isinstance(found, float) else found if found < _SINGLE_DIGITS else single


def _digits_of_text(coordinates: NDArray[np.floating[Any]]) -> float | int | None:
    """Return a step 10⁻ᵈ of all coordinates (…, 3), or their significant digits (int); None: neither is found."""
    values = np.unique(np.abs(coordinates.ravel().astype(float)))
    some = values[np.isfinite(values) & (values > 0)]
    if len(some := some[:: max(1, len(some) // _SAMPLE)]) < _FEWEST:
        return None
    slack = 4 * np.spacing(some)
    for decimals in range(_DIGITS + 1):
        step = 10.0**-decimals
        if (np.abs(some / step - np.round(some / step)) * step <= slack).all():
            return step
    powers = np.floor(np.log10(some))
    for digits in range(4, _DIGITS + 1):
        step_of_each = 10.0 ** (powers - digits + 1)
        if (np.abs(some / step_of_each - np.round(some / step_of_each)) * step_of_each <= slack).all():
            return digits
    return None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MeshMoments:
    """Ten moments of a volume or of a surface about a point."""

    reference: _Floats  # (3,) length
    values: _Floats  # (10,) amount M (volume or area), h, S in the order xx yy zz xy xz yz; or (10, k) derivatives

    @property
    def amount(self) -> float:
        """Volume or area."""
        return float(self.values[0])

    @property
    def center(self) -> _Floats:
        """Centroid ``(3,)``, length."""
        return np.asarray(self.reference + self.values[1:4] / self.values[0])

    def about(self, point: _Floats) -> MeshMoments:
        """Return the moments about another point (3,) length."""
        M, h, S = self.values[0], self.values[1:4], self.values[4:]
        t = self.reference - point
        second = [S[k] + h[i] * t[j] + h[j] * t[i] + M * t[i] * t[j] for k, (i, j) in enumerate(_PAIRS)]
        return MeshMoments(np.asarray(point, dtype=float), np.array([M, *(h[i] + M * t[i] for i in range(3)), *second]))

    def scaled(self, factor: float, dimension: Literal[2, 3]) -> MeshMoments:
        """Return the moments in another unit of length."""
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            powers = factor ** np.array([dimension, *[dimension + 1] * 3, *[dimension + 2] * 6], dtype=float)
            return MeshMoments(self.reference * factor, (self.values.T * powers).T)


def mesh_moments(
    mesh: Mesh,
    kind: MomentKind = "volume",
    *,
    reference: _Floats | None = None,
    faces: tuple[int, int | None] = (0, None),
) -> MeshMoments:
    """Return moments about a reference (3,) or the box centre; inward: negative: docs/formulas.md, section 13."""
    # absolute: the pyramids from the reference all count positive, whatever way their triangles face
    # differences of stored numbers: the distance from the origin adds no error to that of the coordinates
    point = mesh.center if reference is None else np.asarray(reference, dtype=float)
    sums = np.zeros(10)
    lost = np.zeros(10)
    weights = _double_areas if kind == "surface" else _determinants
    with np.errstate(over="ignore", invalid="ignore"):
        for corners in mesh.corner_blocks(point, *faces):
            # Σ w, Σ w s and Σ w (a aᵀ + b bᵀ + c cᵀ + s sᵀ) of a block
            weight = weights(corners) if kind != "absolute" else np.abs(weights(corners))
            weighted = corners * weight
            S = corners.reshape(3, -1) @ weighted.reshape(3, -1).T
            block = np.array([weight.sum(), *weighted[:, 3].sum(axis=1), *(S[i, j] for i, j in _PAIRS)])
            total = sums + block  # the rounding of each addition is kept, and added at the end
            lost += np.where(np.abs(sums) >= np.abs(block), (sums - total) + block, (block - total) + sums)
            sums = total
        return MeshMoments(point, (sums + lost) / np.repeat(_DIVISORS[kind], (1, 3, 6)))


def _determinants(corners: _Floats) -> _Floats:
    """Return det(a, b, c) of each triangle."""
    (ax, bx, cx, _), (ay, by, cy, _), (az, bz, cz, _) = corners
    d: _Floats = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
    return d


def _double_areas(corners: _Floats) -> _Floats:
    """Return twice the area of each triangle."""
    p, q = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    x, y, z = p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]
    return np.asarray(np.sqrt(x * x + y * y + z * z))


def _tensor_entries(S: _Floats) -> _Floats:
    """Return tr(S) 1 − S as six tensor entries."""
    return np.array([S[1] + S[2], S[0] + S[2], S[0] + S[1], -S[3], -S[4], -S[5]])


def ten_values(moments: MeshMoments, density: float) -> tuple[_Floats, Callable[[MeshMoments], _Floats]]:
    """Return mass, centre and tensor about it (10,), and their derivatives; docs/formulas.md, section 13."""
    # density as mass / length³ or length²; tensor entries
    own = moments.about(moments.center)
    values = np.array([density * own.values[0], *own.reference, *_tensor_entries(density * own.values[4:])])

    def derivatives(moments: MeshMoments) -> _Floats:
        """Return the changes (10,) of the ten values for small changes of the moments about any point."""
        change = moments.about(own.reference).values
        of_center, of_tensor = change[1:4] / own.amount, _tensor_entries(density * change[4:])
        return np.concatenate([density * change[:1], of_center, of_tensor])

    return values, derivatives
