"""Sums about a fixed point → what a sample is: its mass, its centre, its tensor about that centre, its radii."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

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
        xx, yy, zz = h * c
        out[4:10] = total[4:]
        out[4] -= yy + zz
        out[5] -= xx + zz
        out[6] -= xx + yy
        out[7] += h[0] * c[1]
        out[8:10] += h[:2] * c[2]
        np.divide(out[4:7], m, out=out[10:])
        np.sqrt(out[10:], out=out[10:])
    return out


def principal_moments(tensors: Floats) -> Floats:
    """Give the principal moments ``(3, b)``, ascending, of tensors ``(6, b)``; NaN where a tensor is not finite.

    In closed form (O. K. Smith, "Eigenvalues of a symmetric 3 × 3 matrix", Comm. ACM 4 (1961) 168), to about 1e-8 where
    two moments are equal: far below the spread of samples, at a twentieth of the time of an iteration.
    """
    xx, yy, zz, xy, xz, yz = tensors
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        middle = (xx + yy + zz) / 3
        a, b, c = xx - middle, yy - middle, zz - middle
        size = np.sqrt((a * a + b * b + c * c + 2 * (xy * xy + xz * xz + yz * yz)) / 6)
        half_determinant = (a * (b * c - yz * yz) - xy * (xy * c - yz * xz) + xz * (xy * yz - b * xz)) / 2
        cosine = np.where(size > 0, half_determinant / size**3, 0.0)
        angle = np.arccos(np.clip(cosine, -1.0, 1.0)) / 3
        largest = middle + 2 * size * np.cos(angle)
        smallest = middle + 2 * size * np.cos(angle + 2 * np.pi / 3)
    return np.array([smallest, 3 * middle - smallest - largest, largest])
