"""Ten additive parameters seen from another reference point: p' = T p, by the parallel-axis theorem (FORMULAS 4)."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Real: TypeAlias = Any
"""A float, or an array of floats: the arithmetic is the same."""


def moved(p: Any, d: Any) -> tuple[Real, ...]:
    """Give the ten parameters p about a point from which the one they were about is seen at ``d = (x, y, z)``.

    Both are sequences of floats, or of arrays of floats. The order is m, hx, hy, hz, Jxx, Jyy, Jzz, Jxy, Jxz, Jyz,
    tensor entries.

    >>> moved((2.0, 0, 0, 0, 0, 0, 0, 0, 0, 0), (1.0, 3.0, 0.0))
    (2.0, 2.0, 6.0, 0.0, 18.0, 2.0, 20.0, -6.0, 0.0, 0.0)
    """
    x, y, z = d
    m, hx, hy, hz, jxx, jyy, jzz, jxy, jxz, jyz = p
    mx, my, mz = m * x, m * y, m * z
    sx, sy, sz = x * (2 * hx + mx), y * (2 * hy + my), z * (2 * hz + mz)
    return (
        m,
        hx + mx,
        hy + my,
        hz + mz,
        jxx + (sy + sz),
        jyy + (sx + sz),
        jzz + (sx + sy),
        jxy - (y * hx + x * (hy + my)),
        jxz - (z * hx + x * (hz + mz)),
        jyz - (z * hy + y * (hz + mz)),
    )


def shift_matrices(d: Floats) -> Floats:
    """Give the matrices ``(n, 10, 10)`` of ``moved`` for displacements ``(3, n)``.

    >>> d, p = np.array([[1.0], [2.0], [3.0]]), np.arange(10.0)
    >>> bool(np.allclose(shift_matrices(d)[0] @ p, moved(p, d[:, 0])))
    True
    """
    n = d.shape[1]
    unit = np.eye(10)[:, :, None]
    columns = [np.array([np.broadcast_to(row, n) for row in moved(unit[j], d)]) for j in range(10)]
    return np.ascontiguousarray(np.array(columns).transpose(2, 1, 0))
