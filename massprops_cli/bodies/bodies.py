"""A struct of arrays for n rigid bodies.

Words. *Centre* is the centre of mass. *Tensor entries* are Ixx = ∫(y²+z²)dm and Ixy = −∫xy dm; six distinct
ones are kept in the order xx, yy, zz, xy, xz, yz, about each body's own centre, in the axes of one common
frame. A *point mass* has no tensor of its own.

Tensors of inertia as six entries or as 3×3 matrices, and the parallel-axis theorem.

How errors of mass, centre and tensor go on into what is derived from them.

Principal moments and axes of inertia tensors.

Whether a tensor can be that of a body, and what may be wrong when it cannot (formulas.md, section 8).

With principal moments λ1 ≤ λ2 ≤ λ3 a body has λ1 ≥ 0 and slack λ1 + λ2 − λ3 ≥ 0; a flat plate has slack 0, a
thin rod also λ1 = 0, so the test carries a tolerance scaled by λ3, and one for the rounding of the digits in
the file. Passing does not prove that the body exists as drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_Floats = NDArray[np.float64]
_Mask = NDArray[np.bool_]

TENSOR_ENTRIES = ("xx", "yy", "zz", "xy", "xz", "yz")
"""The order of the six distinct tensor entries everywhere."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Bodies:
    """Mass properties of n bodies in one coherent unit system and one frame.

    ``mass (n,)``; ``center (n, 3)`` and ``inertia (n, 6)`` are None when the table has no such columns;
    ``is_point (n,)``. ``has_mass``, ``has_center``, ``has_inertia`` ``(n,)`` are None when every value is
    known; where a mask is False the array holds 0 and the value is *missing*, which is never zero.
    ``has_products (n,)`` is False where the products of a known tensor have no sign; the moments are known there.
    """

    mass: _Floats
    center: _Floats | None
    inertia: _Floats | None
    is_point: _Mask
    has_mass: _Mask | None = None
    has_center: _Mask | None = None
    has_inertia: _Mask | None = None
    has_products: _Mask | None = None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Sigmas:
    """One standard deviation of each of the ten values of n bodies, in the units of the bodies; never negative.

    ``mass (n,)``, ``center (n, 3)`` or None, ``inertia (n, 6)`` or None; ``known (n, 10)`` is None when every
    sigma is known, else it has a column each for mass, Cx … Cz, Ixx … Iyz.
    """

    mass: _Floats
    center: _Floats | None
    inertia: _Floats | None
    known: _Mask | None = None

    def __post_init__(self) -> None:
        """Take a mask ``(n,)`` as that of all ten sigmas."""
        if self.known is not None and self.known.ndim == 1:
            object.__setattr__(self, "known", np.repeat(self.known[:, None], 10, axis=1))


_ROWS = np.array([0, 1, 2, 0, 0, 1])
_COLUMNS = np.array([0, 1, 2, 1, 2, 2])
_FULL = np.array([[0, 3, 4], [3, 1, 5], [4, 5, 2]])


def full_tensors(six: _Floats) -> _Floats:
    """Return tensors ``(…, 6)`` (xx, yy, zz, xy, xz, yz; tensor entries) as symmetric matrices ``(…, 3, 3)``.

    >>> full_tensors(np.array([1.0, 2, 3, 4, 5, 6])).tolist()
    [[1.0, 4.0, 5.0], [4.0, 2.0, 6.0], [5.0, 6.0, 3.0]]
    """
    return np.asarray(six)[..., _FULL]


def six_entries(full: _Floats) -> _Floats:
    """Return symmetric matrices ``(…, 3, 3)`` as six entries ``(…, 6)``; the inverse of ``full_tensors``.

    >>> six_entries(full_tensors(np.array([1.0, 2, 3, 4, 5, 6]))).tolist()
    [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    """
    return np.asarray(full)[..., _ROWS, _COLUMNS]


def phi(v: _Floats) -> _Floats:
    """Return Phi(v) = |v|² 1 − v vᵀ as six entries, ``(…, 3)`` → ``(…, 6)``: the tensor of a unit mass at v.

    >>> phi(np.array([1.0, 2.0, 0.0])).tolist()
    [4.0, 1.0, 5.0, -2.0, -0.0, -0.0]
    """
    x, y, z = np.moveaxis(np.asarray(v, dtype=float), -1, 0)
    return np.stack([y * y + z * z, x * x + z * z, x * x + y * y, -x * y, -x * z, -y * z], axis=-1)


def parallel_axis_derivatives(mass: float, arm: _Floats) -> _Floats:
    """Return the derivatives ``(6, 10)`` of I + m Phi(d), d = c − P ``(3,)``, by mass, Cx … Cz, Ixx … Iyz.

    Rows are the tensor entries xx, yy, zz, xy, xz, yz about the fixed point P (formulas.md, sections 1 and 2).

    >>> parallel_axis_derivatives(2.0, np.array([3.0, 0.0, 0.0]))[1, :4].tolist()
    [9.0, 12.0, 0.0, 0.0]
    """
    x, y, z = 2 * mass * arm
    by_center = [
        [0.0, y, z],
        [x, 0.0, z],
        [x, y, 0.0],
        [-y / 2, -x / 2, 0.0],
        [-z / 2, 0.0, -x / 2],
        [0.0, -z / 2, -y / 2],
    ]
    return np.hstack([phi(arm)[:, None], np.array(by_center), np.eye(6)])


def correlation_matrices(covariance: _Floats) -> _Floats:
    """Return the correlations of covariances ``(…, n, n)``, 1 on the diagonal; NaN where a variance is 0.

    >>> correlation_matrices(np.array([[4.0, 1.0], [1.0, 1.0]])).tolist()
    [[1.0, 0.5], [0.5, 1.0]]
    """
    sigma = np.sqrt(np.diagonal(covariance, axis1=-2, axis2=-1))
    scale = sigma[..., :, None] * sigma[..., None, :]
    with np.errstate(divide="ignore", invalid="ignore"):
        # rounding must not make a correlation larger than one
        return np.where(scale > 0, np.clip(covariance / scale, -1.0, 1.0), np.nan)


class PrincipalAxes(NamedTuple):
    """``moments (n, 3)`` ascending; ``axes (n, 3, 3)``: row k is the unit axis of moment k, right-handed."""

    moments: _Floats
    axes: _Floats


def principal_axes_of_bodies(bodies: Bodies) -> PrincipalAxes:
    """Return the principal moments and axes of every body about its own centre; NaN where the tensor is not known.

    A point mass has moments 0 and the frame's own axes.
    """
    n = len(bodies.mass)
    if bodies.inertia is None:
        return PrincipalAxes(np.full((n, 3), np.nan), np.full((n, 3, 3), np.nan))
    known = np.isfinite(bodies.inertia).all(axis=1)
    for mask in (bodies.has_inertia, bodies.has_products):
        if mask is not None:
            known &= mask
    moments, axes = np.full((n, 3), np.nan), np.full((n, 3, 3), np.nan)
    moments[known], axes[known] = principal_axes(bodies.inertia[known])
    return PrincipalAxes(moments, axes)


def principal_axes(six: _Floats) -> PrincipalAxes:
    """Diagonalise tensors ``(k, 6)``: I v = λ v.

    An axis points so that its largest component is positive; the third closes a right-handed frame.

    >>> moments, axes = principal_axes(np.array([[3.0, 2.0, 1.0, 0.0, 0.0, 0.0]]))
    >>> moments[0].tolist(), np.linalg.det(axes[0]).round(12)
    ([1.0, 2.0, 3.0], np.float64(1.0))
    """
    full = full_tensors(six)
    if not len(full):
        return PrincipalAxes(np.zeros((0, 3)), np.zeros((0, 3, 3)))
    moments, vectors = np.linalg.eigh(full)
    axes = np.swapaxes(vectors, 1, 2)
    largest = np.take_along_axis(axes, np.abs(axes).argmax(axis=2)[..., None], axis=2)
    axes = axes * np.where(largest < 0, -1.0, 1.0)
    axes[:, 2] = np.cross(axes[:, 0], axes[:, 1])
    return PrincipalAxes(moments, axes + 0.0)


class PrincipalSigmas(NamedTuple):
    """``sigmas (…, 3)`` of principal moments; ``sigma_gaps (…, 2)`` of the differences between neighbours."""

    sigmas: _Floats
    sigma_gaps: _Floats


def principal_sigmas(axes: _Floats, covariance: _Floats) -> PrincipalSigmas:
    """Return first-order sigmas of principal moments: s = sqrt(g V gᵀ), g = (vx², vy², vz², 2vxvy, 2vxvz, 2vyvz).

    ``axes (…, 3, 3)``, a unit axis v a row; ``covariance (…, 6, 6)`` of the tensor entries xx, yy, zz, xy, xz, yz about
    the own centre. It holds for moments well apart, which ``sigma_gaps`` checks (formulas.md, section 5).

    >>> axes, covariance = np.eye(3), np.diag([0.01, 0.04, 0.09, 0.5, 0.5, 0.5])
    >>> [array.round(12).tolist() for array in principal_sigmas(axes, covariance)]
    [[0.1, 0.2, 0.3], [0.22360679775, 0.360555127546]]
    """
    x, y, z = np.moveaxis(axes, -1, 0)
    g = np.stack([x * x, y * y, z * z, 2 * x * y, 2 * x * z, 2 * y * z], axis=-1)
    block = g @ covariance @ np.swapaxes(g, -1, -2)
    variance = np.diagonal(block, axis1=-2, axis2=-1)
    neighbors = np.diagonal(block, offset=1, axis1=-2, axis2=-1)
    gaps = variance[..., :-1] + variance[..., 1:] - 2 * neighbors
    return PrincipalSigmas(np.sqrt(np.maximum(variance, 0.0)), np.sqrt(np.maximum(gaps, 0.0)))


NEGLIGIBLE_VIOLATION = 1e-9
"""A violation below this share of λ3 is not reported."""

_INVARIANT_ROUNDING = 1e-13
"""Invariants above this share of their scale are positive in spite of rounding."""

_TENSORS_PER_BLOCK = 16_384

_ROW_ORDER = np.array([0, 3, 5, 1, 2, 4])
"""Six cells that were filled in row order (xx, xy, xz, yy, yz, zz), read back into xx, yy, zz, xy, xz, yz."""


class _TensorFault(NamedTuple):
    """One tensor that is not plainly valid: its row, the rule it breaks, and the message."""

    row: int
    rule: str
    message: str
    remedy: str | None


def _boundary_rows(tensors: _Floats) -> NDArray[np.intp]:
    """Return the rows of ``tensors (n, 6)`` that the invariants do not clear.

    S = ½ tr(I) 1 − I is the second moment of the mass; a body's has no negative eigenvalue. All three are
    positive exactly when its trace, the sum of its 2×2 minors and its determinant are.

    >>> _boundary_rows(np.array([[2.0, 2, 2, 0, 0, 0], [1.0, 1, 2, 0, 0, 0], [1.0, 3, 1, 0, 0, 0]])).tolist()
    [1, 2]
    """
    found = []
    for start in range(0, len(tensors), _TENSORS_PER_BLOCK):
        xx, yy, zz, xy, xz, yz = tensors[start : start + _TENSORS_PER_BLOCK].T
        # cubes beyond double precision compare false, and so are left to the eigenvalues
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            trace = 0.5 * (xx + yy + zz)
            a, b, c = trace - xx, trace - yy, trace - zz
            xy2, xz2, yz2 = xy * xy, xz * xz, yz * yz
            minors = a * b + a * c + b * c - xy2 - xz2 - yz2
            determinant = a * b * c - 2 * xy * xz * yz - a * yz2 - b * xz2 - c * xy2
            sure = (
                (trace > 0) & (minors > _INVARIANT_ROUNDING * trace**2) & (determinant > _INVARIANT_ROUNDING * trace**3)
            )
        found.append(start + np.flatnonzero(~sure))
    return np.concatenate(found) if found else np.zeros(0, np.intp)


def tensor_faults(tensors: _Floats, half_units: Callable[[int], _Floats]) -> Iterator[_TensorFault]:
    """Return the faults of ``tensors (n, 6)`` (tensor entries, one unit) that no body can have.

    ``half_units(row)`` gives half a unit of the last digit written ``(6,)``; it is called only for suspicious
    rows. Eigenvalues move by at most ‖E‖ (Frobenius) under such a rounding, the slack by at most 3‖E‖: what
    that explains is a note, unless exact moments rule it out.

    >>> [j.rule for j in tensor_faults(np.array([[1.0, 3.0, 1.0, 0, 0, 0]]), lambda row: np.zeros(6))]
    ['MP404']
    """
    rows = _boundary_rows(tensors)
    if not len(rows):
        return
    moments = np.linalg.eigvalsh(full_tensors(tensors[rows]))
    largest = np.abs(moments).max(axis=1)
    slack = moments[:, 0] + moments[:, 1] - moments[:, 2]
    bad = (moments[:, 0] < -NEGLIGIBLE_VIOLATION * largest) | (slack < -NEGLIGIBLE_VIOLATION * largest)
    for k in np.flatnonzero(bad).tolist():
        row = int(rows[k])
        halves = half_units(row)
        rounding = 0.0 if _is_certainly_invalid_tensor(tensors[row], halves) else _frobenius_norm(halves)
        low, gap = float(moments[k, 0]), float(slack[k])
        shown = ", ".join(f"{m:.6g}" for m in moments[k].tolist())
        silent = NEGLIGIBLE_VIOLATION * float(largest[k])
        not_negative = low >= -max(rounding, silent)
        if not_negative and gap >= -3 * rounding:
            broken = f"principal moments {shown} violate the triangle inequality by {max(-gap, -low):.2g}"
            yield _TensorFault(row, "MP405", f"{broken}, within the rounding of the digits written", None)
        elif not not_negative:
            words = f"smallest of the principal moments {shown} is negative"
            yield _TensorFault(row, "MP403", *_message_with_cause(words, tensors[row]))
        else:
            words = f"largest of the principal moments {shown} exceeds the sum of the other two by {-gap:.3g}"
            yield _TensorFault(row, "MP404", *_message_with_cause(words, tensors[row]))


def _is_certainly_invalid_tensor(tensor: _Floats, halves: _Floats) -> bool:
    """Return whether moments that are exact (``halves`` 0) rule a tensor ``(6,)`` out, whatever the other digits.

    An exact moment is not negative, and where it is 0 the products of its axis are 0.

    >>> halves = np.array([0.0, 0.5, 0.5, 0.05, 0.05, 0.05])
    >>> _is_certainly_invalid_tensor(np.array([0.0, 4, 4, -0.1, -0.1, 0.1]), halves)
    True
    """
    exact = halves[:3] == 0
    certain = np.abs(tensor[3:]) > halves[3:]
    has_product = np.array([certain[0] | certain[1], certain[0] | certain[2], certain[1] | certain[2]])
    return bool((exact & ((tensor[:3] < 0) | ((tensor[:3] == 0) & has_product))).any())


def _frobenius_norm(six: _Floats) -> float:
    """Return the Frobenius norm of a symmetric matrix from its six entries."""
    return float(np.sqrt((six[:3] ** 2).sum() + 2 * (six[3:] ** 2).sum()))


def _message_with_cause(words: str, tensor: _Floats) -> tuple[str, str | None]:
    """Add the likely cause to a message, and its remedy, where there is one."""
    cause = _suspected_cause(tensor)
    return (words, None) if cause is None else (f"{words}; {cause[0]}", cause[1])


def _suspected_cause(tensor: _Floats) -> tuple[str, str] | None:
    """Name the slip that most likely spoilt a tensor ``(6,)``, and its remedy, when undoing it gives a valid one.

    >>> _suspected_cause(np.array([10.0, 0.1, 0.2, 11.0, 0.3, 12.0]))[0]
    'valid if the six numbers are in row order (xx, xy, xz, yy, yz, zz)'
    """
    if _is_valid_tensor(tensor * np.array([1, 1, 1, -1, -1, -1])):
        return (
            "valid with the other sign of the products",
            "check POIconv of the row, or --poi of a table without it",
        )
    for order in (_ROW_ORDER, np.argsort(_ROW_ORDER)):
        if _is_valid_tensor(tensor[order]):
            return (
                "valid if the six numbers are in row order (xx, xy, xz, yy, yz, zz)",
                "enter the six numbers under their own headers",
            )
    zeros = [name for name, value in zip(("Ixx", "Iyy", "Izz"), tensor[:3].tolist(), strict=True) if value == 0]
    if zeros:
        return (
            f"{' and '.join(zeros)} {'is' if len(zeros) == 1 else 'are'} 0",
            "enter the missing moments of inertia",
        )
    return None


def _is_valid_tensor(tensor: _Floats) -> bool:
    """Return whether one tensor ``(6,)`` can be that of a body, within ``NEGLIGIBLE_VIOLATION``.

    >>> _is_valid_tensor(np.array([1.0, 1.0, 2.0, 0, 0, 0])), _is_valid_tensor(np.array([1.0, 1.0, 2.1, 0, 0, 0]))
    (True, False)
    """
    low, middle, high = np.linalg.eigvalsh(full_tensors(tensor)).tolist()
    tolerance = NEGLIGIBLE_VIOLATION * max(abs(low), abs(high))
    return bool(low >= -tolerance and low + middle - high >= -tolerance)
