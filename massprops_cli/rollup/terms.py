"""What one child adds to its parent's sums; plain arithmetic, for one child or for arrays of them alike.

``d = (x, y, z)`` is the child's centre seen from the parent's; tensors are the six entries xx, yy, zz, xy,
xz, yz. Numbers in brackets are the sections of Zimmerman & Nakai, SAWE paper 3360, as massProps 0.3.3
computes them.
"""

from __future__ import annotations

from typing import Any, TypeAlias

Real: TypeAlias = Any
"""A float, or an array of floats: the arithmetic is the same."""


def tensor_terms(n: Real, m: Real, d: tuple[Real, Real, Real], inertia: Any) -> tuple[Real, ...]:
    """Give n (I + m Phi(d)): the child's tensor about the parent's centre, by the parallel-axis theorem (section 2).

    >>> tensor_terms(1, 2.0, (1.0, 0.0, 0.0), (0, 0, 0, 0, 0, 0))
    (0.0, 2.0, 2.0, 0.0, 0.0, 0.0)
    """
    x, y, z = d
    xx, yy, zz = x * x, y * y, z * z
    mx, my = m * x, m * y
    return (
        n * (inertia[0] + m * (yy + zz)),
        n * (inertia[1] + m * (xx + zz)),
        n * (inertia[2] + m * (xx + yy)),
        n * (inertia[3] - mx * y),
        n * (inertia[4] - mx * z),
        n * (inertia[5] - my * z),
    )


def first_moment_terms(n: Real, d: tuple[Real, Real, Real], h: Any) -> tuple[Real, ...]:
    """Give what a massless child with first moment h about its reference point adds to the tensor terms.

    Seen from a point −d away, J changes by −2 s·h on the diagonal and s h products off it (FORMULAS: T(s), s
    = −d).
    """
    x, y, z = d
    hx, hy, hz = h[0], h[1], h[2]
    sx, sy, sz = x * hx, y * hy, z * hz
    return (
        n * 2 * (sy + sz),
        n * 2 * (sx + sz),
        n * 2 * (sx + sy),
        -n * (y * hx + x * hy),
        -n * (z * hx + x * hz),
        -n * (z * hy + y * hz),
    )


def moment_variance_terms(w: Real, var_m: Real, var_h: Any, d: tuple[Real, Real, Real]) -> tuple[Real, ...]:
    """Give w [(m s_c)² + (s_m d)²] for each axis, the variance of the first moment about the parent's centre.

    Section 3 of the paper, times the parent's mass squared.
    """
    x, y, z = d
    return (w * (var_h[0] + var_m * x * x), w * (var_h[1] + var_m * y * y), w * (var_h[2] + var_m * z * z))


def tensor_variance_terms(w: Real, var_m: Real, var_h: Any, var_i: Any, d: tuple[Real, Real, Real]) -> tuple[Real, ...]:
    """Give w times the variances of the six entries about the parent's centre, and of the covariances with the mass.

    With b, e the other two axes: s_Iaa² = s_I² + (2 m d_b s_cb)² + (2 m d_e s_ce)² + s_m² (d_b² + d_e²)²,
    s_Iab² = s_I² + (m d_b s_ca)² + (m d_a s_cb)² + s_m² (d_a d_b)²; the last three are w s_m² (d_b² + d_e²),
    the covariance of I_aa and m that the radii need (section 3; massProps: rollup_radii_of_gyration_unc).
    """
    x, y, z = d
    xx, yy, zz = x * x, y * y, z * z
    hx, hy, hz = var_h[0], var_h[1], var_h[2]
    px, py, pz = yy + zz, xx + zz, xx + yy
    fx, fy, fz = 4 * xx * hx, 4 * yy * hy, 4 * zz * hz
    return (
        w * (var_i[0] + fy + fz + var_m * px * px),
        w * (var_i[1] + fx + fz + var_m * py * py),
        w * (var_i[2] + fx + fy + var_m * pz * pz),
        w * (var_i[3] + yy * hx + xx * hy + var_m * xx * yy),
        w * (var_i[4] + zz * hx + xx * hz + var_m * xx * zz),
        w * (var_i[5] + zz * hy + yy * hz + var_m * yy * zz),
        w * var_m * px,
        w * var_m * py,
        w * var_m * pz,
    )
