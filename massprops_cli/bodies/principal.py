"""Principal moments and axes of inertia tensors."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import Bodies
from massprops_cli.bodies.tensor import matrix

Floats = NDArray[np.float64]


class Principal(NamedTuple):
    """``moments (n, 3)`` ascending; ``axes (n, 3, 3)``: row k is the unit axis of moment k, right-handed."""

    moments: Floats
    axes: Floats


def principal(bodies: Bodies) -> Principal:
    """Give the principal moments and axes of every body about its own centre; NaN where the tensor is not known.

    A point mass has moments 0 and the frame's own axes.
    """
    n = len(bodies.mass)
    if bodies.inertia is None:
        return Principal(np.full((n, 3), np.nan), np.full((n, 3, 3), np.nan))
    known = np.isfinite(bodies.inertia).all(axis=1)
    if bodies.has_inertia is not None:
        known &= bodies.has_inertia
    moments, axes = np.full((n, 3), np.nan), np.full((n, 3, 3), np.nan)
    moments[known], axes[known] = principal_axes(bodies.inertia[known])
    return Principal(moments, axes)


def principal_axes(six: Floats) -> Principal:
    """Diagonalise tensors ``(k, 6)``: I v = λ v.

    An axis points so that its largest component is positive; the third closes a right-handed frame.

    >>> moments, axes = principal_axes(np.array([[3.0, 2.0, 1.0, 0.0, 0.0, 0.0]]))
    >>> moments[0].tolist(), np.linalg.det(axes[0]).round(12)
    ([1.0, 2.0, 3.0], np.float64(1.0))
    """
    full = matrix(six)
    if not len(full):
        return Principal(np.zeros((0, 3)), np.zeros((0, 3, 3)))
    moments, vectors = np.linalg.eigh(full)
    axes = np.swapaxes(vectors, 1, 2)
    largest = np.take_along_axis(axes, np.abs(axes).argmax(axis=2)[..., None], axis=2)
    axes = axes * np.where(largest < 0, -1.0, 1.0)
    axes[:, 2] = np.cross(axes[:, 0], axes[:, 1])
    return Principal(moments, axes + 0.0)


class PrincipalSigmas(NamedTuple):
    """``sigmas (…, 3)`` of principal moments; ``sigma_gaps (…, 2)`` of the differences between neighbours."""

    sigmas: Floats
    sigma_gaps: Floats


def principal_sigmas(axes: Floats, covariance: Floats) -> PrincipalSigmas:
    """Give the sigmas of principal moments to first order: s = sqrt(g V gᵀ), g = (vx², vy², vz², 2vxvy, 2vxvz, 2vyvz).

    ``axes (…, 3, 3)``, a unit axis v a row; ``covariance (…, 6, 6)`` of the tensor entries xx, yy, zz, xy, xz, yz about
    the own centre. It holds for moments well apart, which ``sigma_gaps`` tells (FORMULAS 4).

    >>> axes, covariance = np.eye(3), np.diag([0.01, 0.04, 0.09, 0.5, 0.5, 0.5])
    >>> [array.round(12).tolist() for array in principal_sigmas(axes, covariance)]
    [[0.1, 0.2, 0.3], [0.22360679775, 0.360555127546]]
    """
    x, y, z = np.moveaxis(axes, -1, 0)
    g = np.stack([x * x, y * y, z * z, 2 * x * y, 2 * x * z, 2 * y * z], axis=-1)
    block = g @ covariance @ np.swapaxes(g, -1, -2)
    variance = np.diagonal(block, axis1=-2, axis2=-1)
    beside = np.diagonal(block, offset=1, axis1=-2, axis2=-1)
    gaps = variance[..., :-1] + variance[..., 1:] - 2 * beside
    return PrincipalSigmas(np.sqrt(np.maximum(variance, 0.0)), np.sqrt(np.maximum(gaps, 0.0)))
