"""Sums about a fixed point → what a sample is: its mass, its centre, its tensor about that centre, its radii."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.tensor import matrix

Floats = NDArray[np.float64]


def results(total: Floats, out: Floats) -> Floats:
    """Write mass, centre seen from the fixed point, tensor and radii of gyration of b samples into ``out (13, b)``.

    ``total (10, b)`` are the additive parameters m, h and J about the fixed point: c = h/m, I = J − m Phi(c).
    What is undefined (no mass, a negative moment) comes out not finite.
    """
    m, h = total[0], total[1:4]
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        out[0] = m
        c = np.divide(h, m, out=out[1:4])
        squares = h * c
        out[4:10] = total[4:]
        out[4:7] -= squares[[1, 0, 0]]
        out[4:7] -= squares[[2, 2, 1]]
        out[7] += h[0] * c[1]
        out[8:10] += h[:2] * c[2]
        np.divide(out[4:7], m, out=out[10:])
        np.sqrt(out[10:], out=out[10:])
    return out


def principal_moments(tensors: Floats) -> Floats:
    """Give the principal moments ``(3, b)``, ascending, of tensors ``(6, b)``; NaN where a tensor is not finite."""
    finite = np.isfinite(tensors).all(axis=0)
    moments = np.full((3, tensors.shape[1]), np.nan)
    moments[:, finite] = np.linalg.eigvalsh(matrix(tensors[:, finite].T)).T
    return moments
