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
