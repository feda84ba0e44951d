"""Tensors of inertia as six entries or as 3×3 matrices, and the parallel-axis theorem."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_ROWS = np.array([0, 1, 2, 0, 0, 1])
_COLUMNS = np.array([0, 1, 2, 1, 2, 2])
_FULL = np.array([[0, 3, 4], [3, 1, 5], [4, 5, 2]])


def matrix(six: Floats) -> Floats:
    """Give tensors ``(…, 6)`` (xx, yy, zz, xy, xz, yz; tensor entries) as symmetric matrices ``(…, 3, 3)``.

    >>> matrix(np.array([1.0, 2, 3, 4, 5, 6])).tolist()
    [[1.0, 4.0, 5.0], [4.0, 2.0, 6.0], [5.0, 6.0, 3.0]]
    """
    return np.asarray(six)[..., _FULL]


def six(full: Floats) -> Floats:
    """Give symmetric matrices ``(…, 3, 3)`` as six entries ``(…, 6)``; the inverse of ``matrix``.

    >>> six(matrix(np.array([1.0, 2, 3, 4, 5, 6]))).tolist()
    [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    """
    return np.asarray(full)[..., _ROWS, _COLUMNS]


def phi(v: Floats) -> Floats:
    """Give Phi(v) = |v|² 1 − v vᵀ as six entries, ``(…, 3)`` → ``(…, 6)``: the tensor of a unit mass at v.

    >>> phi(np.array([1.0, 2.0, 0.0])).tolist()
    [4.0, 1.0, 5.0, -2.0, -0.0, -0.0]
    """
    x, y, z = np.moveaxis(np.asarray(v, dtype=float), -1, 0)
    return np.stack([y * y + z * z, x * x + z * z, x * x + y * y, -x * y, -x * z, -y * z], axis=-1)
