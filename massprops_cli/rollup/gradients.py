"""Results of an item and how they change with its ten additive parameters: one row vector a result.

The parameters are p = (m, hx, hy, hz, Jxx, Jyy, Jzz, Jxy, Jxz, Jyz) about the item's own centre, where h = 0
(FORMULAS 4). With the gradient q of a result, its variance is q V qᵀ to first order.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.principal import principal_axes
from massprops_cli.findings import UsageError
from massprops_cli.rollup.correlation import TEN
from massprops_cli.rollup.flat import Flat, phi

Floats = NDArray[np.float64]

RADII = ("kx", "ky", "kz")
MOMENTS = ("I1", "I2", "I3")
"""Principal moments, ascending."""
ALL = (*TEN, *RADII, *MOMENTS)
"""Every result that a variance can be taken apart of."""


class Gradient(NamedTuple):
    """A result's value and its gradient ``(10,)`` by the ten parameters."""

    value: float
    row: Floats


def needs_of(of: str) -> str:
    """Say up to what a result needs the numbers of the leaves: mass, center or inertia.

    >>> needs_of("mass"), needs_of("Cy"), needs_of("kx")
    ('mass', 'center', 'inertia')
    """
    if of not in ALL:
        raise UsageError(f"there is no result {of}; it can be {', '.join(ALL)}")
    return "mass" if of == "mass" else "center" if of in TEN[1:4] else "inertia"


def gradient_of(of: str, flat: Flat) -> Gradient:
    """Give a result of an item and its gradient: ∂C/∂h = 1/m, ∂k/∂(m, J) = (−k², 1)/(2 k m), ∂λ/∂J = v vᵀ.

    Raises UsageError where the result is not defined: radii of a point mass or of negative moments.
    """
    row = np.zeros(10)
    if of == "mass":
        row[0] = 1.0
        return Gradient(flat.total, row)
    if of in TEN[1:4]:
        assert flat.center is not None
        place = TEN.index(of)
        row[place] = 1.0 / flat.total
        return Gradient(float(flat.center[place - 1]), row)
    assert flat.inertia is not None
    if of in TEN:
        place = TEN.index(of)
        row[place] = 1.0
        return Gradient(float(flat.inertia[place - 4]), row)
    if of in MOMENTS:
        return moments(flat.inertia)[MOMENTS.index(of)]
    return radius(RADII.index(of), flat.total, flat.inertia)


def radius(axis: int, mass: float, inertia: Floats) -> Gradient:
    """Give a radius of gyration k = sqrt(I/m), and its gradient by m and I."""
    moment = float(inertia[axis])
    if not moment * mass > 0:
        raise UsageError(f"{RADII[axis]} is not defined: the mass is {mass:g} and the moment of inertia {moment:g}")
    k = float(np.sqrt(moment / mass))
    row = np.zeros(10)
    row[0], row[4 + axis] = -k * k / (2 * k * mass), 1 / (2 * k * mass)
    return Gradient(k, row)


def moments(inertia: Floats) -> list[Gradient]:
    """Give the three principal moments, ascending, and their gradients g = (vx², vy², vz², 2vxvy, 2vxvz, 2vyvz).

    The gradients hold for moments that are well apart; where two meet, their axes are any in a plane.

    >>> [(m.value, m.row[4:].tolist()) for m in moments(np.array([3.0, 2.0, 1.0, 0, 0, 0]))][0]
    (1.0, [0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    """
    values, axes = principal_axes(inertia[None])
    found = []
    for value, (x, y, z) in zip(values[0].tolist(), axes[0], strict=True):
        row = np.zeros(10)
        row[4:] = x * x, y * y, z * z, 2 * x * y, 2 * x * z, 2 * y * z
        found.append(Gradient(value, row))
    return found


def by_leaf(row: Floats, arm: Floats | None, n: int) -> Floats:
    """Bring a gradient down to every leaf's own parameters ``(10, n)``: q T(c − c_i) with arms c_i − c ``(3, n)``.

    As a function of the arm d the mass's entry is q_m + q_h·d + q_J·Phi(d), and those of the first moments are its
    gradient by d; the tensor's entries do not change.
    """
    down = np.repeat(row[:, None], n, axis=1)
    if arm is None:
        return down
    xx, yy, zz, xy, xz, yz = row[4:]
    quadric = np.array([[yy + zz, -xy / 2, -xz / 2], [-xy / 2, xx + zz, -yz / 2], [-xz / 2, -yz / 2, xx + yy]])
    down[0] += row[1:4] @ arm + row[4:] @ phi(arm)
    down[1:4] += 2 * quadric @ arm
    return down
