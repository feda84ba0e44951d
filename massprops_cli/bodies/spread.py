"""How errors of mass, centre and tensor go on into what is derived from them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.tensor import phi

Floats = NDArray[np.float64]


def parallel_axis_derivatives(mass: float, arm: Floats) -> Floats:
    """Give the derivatives ``(6, 10)`` of I + m Phi(d), d = c − P ``(3,)``, by mass, Cx … Cz, Ixx … Iyz.

    Rows are the tensor entries xx, yy, zz, xy, xz, yz about the fixed point P (FORMULAS 0, 1).

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


def correlation(covariance: Floats) -> Floats:
    """Give the correlations of covariances ``(…, n, n)``, 1 on the diagonal; NaN beside a number without error.

    >>> correlation(np.array([[4.0, 1.0], [1.0, 1.0]])).tolist()
    [[1.0, 0.5], [0.5, 1.0]]
    """
    sigma = np.sqrt(np.diagonal(covariance, axis1=-2, axis2=-1))
    scale = sigma[..., :, None] * sigma[..., None, :]
    with np.errstate(divide="ignore", invalid="ignore"):
        # rounding must not make a correlation larger than one
        return np.where(scale > 0, np.clip(covariance / scale, -1.0, 1.0), np.nan)
