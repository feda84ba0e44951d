"""Moments of a mesh by sums over triangles: the enclosed volume, and the surface.

A triangle (a, b, c) adds the tetrahedron to the reference point, or itself, to

    M = Σ w,   h = Σ w s,   S = Σ w (a aᵀ + b bᵀ + c cᵀ + s sᵀ),   s = a + b + c

with w = det(a, b, c), divided by 6, 24 and 120 for the volume; w = |(b − a) × (c − a)|, divided by 2, 6 and 24 for the
surface. The ten moments are M, hx, hy, hz, Sxx, Syy, Szz, Sxy, Sxz, Syz (S = ∫ x xᵀ) about a stated point.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.meshes.mesh import Mesh

_Floats = NDArray[np.float64]

_PAIRS = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
_DIVISORS = {"volume": (6.0, 24.0, 120.0), "surface": (2.0, 6.0, 24.0)}


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
        return MeshMoments(np.asarray(point, dtype=float), _moved_moments(self.values, self.reference - point))

    def scaled(self, factor: float, dimension: Literal[2, 3]) -> MeshMoments:
        """Return the moments in another unit of length."""
        powers = factor ** np.array([dimension, *[dimension + 1] * 3, *[dimension + 2] * 6], dtype=float)
        return MeshMoments(self.reference * factor, (self.values.T * powers).T)


def _moved_moments(values: _Floats, shift: _Floats) -> _Floats:
    """Return moments after all points moved."""
    M, h, S = values[0], values[1:4], values[4:]
    t = shift
    second = [S[k] + h[i] * t[j] + h[j] * t[i] + M * t[i] * t[j] for k, (i, j) in enumerate(_PAIRS)]
    return np.array([M, *(h[i] + M * t[i] for i in range(3)), *second])


def mesh_moments(
    mesh: Mesh,
    kind: Literal["volume", "surface"] = "volume",
    *,
    reference: _Floats | None = None,
    faces: tuple[int, int | None] = (0, None),
) -> MeshMoments:
    """Return the moments, units of the file, about a reference (3,) or the box centre; docs/formulas.md, section 13.

    ``faces`` is a range, default all. The reference is the corner of all tetrahedra; inward faces: negative volume.
    """
    # differences of stored numbers: the distance from the origin adds no error to that of the coordinates
    point = mesh.center if reference is None else np.asarray(reference, dtype=float)
    sums = np.zeros(10)
    lost = np.zeros(10)
    weights = _determinants if kind == "volume" else _double_areas
    with np.errstate(over="ignore", invalid="ignore"):
        for corners in mesh.corner_blocks(point, *faces):
            block = _weighted_sums(corners, weights(corners))
            total = sums + block  # the rounding of each addition is kept, and added at the end
            lost += np.where(np.abs(sums) >= np.abs(block), (sums - total) + block, (block - total) + sums)
            sums = total
        divisors = _DIVISORS[kind]
        return MeshMoments(point, (sums + lost) / np.repeat(divisors, (1, 3, 6)))


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


def _weighted_sums(corners: _Floats, weight: _Floats) -> _Floats:
    """Return Σ w, Σ w s and Σ w (a aᵀ + b bᵀ + c cᵀ + s sᵀ) of a block."""
    weighted = corners * weight
    S = corners.reshape(3, -1) @ weighted.reshape(3, -1).T
    return np.array([weight.sum(), *weighted[:, 3].sum(axis=1), *(S[i, j] for i, j in _PAIRS)])


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MeshTen:
    """The ten values of a homogeneous body, and the derivative by its moments."""

    values: _Floats  # (10,) mass, Cx … Cz, Ixx … Iyz about the own centre as tensor entries
    moments: MeshMoments  # about the centroid
    density: float  # mass per volume, or per area

    def derivatives(self, moments: MeshMoments) -> _Floats:
        """Return the changes (10,) or (10, k) of the ten values for small changes of the moments about any point."""
        change = moments.about(self.moments.reference).values
        of_center, of_tensor = change[1:4] / self.moments.amount, _tensor_entries(self.density * change[4:])
        return np.concatenate([self.density * change[:1], of_center, of_tensor])


def _tensor_entries(S: _Floats) -> _Floats:
    """Return tr(S) 1 − S as six tensor entries."""
    return np.array([S[1] + S[2], S[0] + S[2], S[0] + S[1], -S[3], -S[4], -S[5]])


def ten_values(moments: MeshMoments, density: float) -> MeshTen:
    """Return mass, centre and tensor about it; density as mass / length³ or length²; docs/formulas.md, section 13."""
    own = moments.about(moments.center)
    values = np.array([density * own.values[0], *own.reference, *_tensor_entries(density * own.values[4:])])
    return MeshTen(values, own, density)
