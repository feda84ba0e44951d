"""A struct of arrays for n rigid bodies.

Words. *Centre* is the centre of mass. *Tensor entries* are Ixx = ∫(y²+z²)dm and Ixy = −∫xy dm; six distinct
ones are kept in the order xx, yy, zz, xy, xz, yz, about each body's own centre, in the axes of one common
frame. A *point mass* has no tensor of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

ENTRIES = ("xx", "yy", "zz", "xy", "xz", "yz")
"""The order of the six distinct tensor entries everywhere."""


@dataclass(frozen=True, slots=True)
class Bodies:
    """Mass properties of n bodies in one coherent unit system and one frame.

    ``mass (n,)``; ``center (n, 3)`` and ``inertia (n, 6)`` are None when the table has no such columns;
    ``is_point (n,)``. ``has_mass``, ``has_center``, ``has_inertia`` ``(n,)`` are None when every value is
    known; where a mask is False the array holds 0 and the value is *missing*, which is never zero.
    """

    mass: Floats
    center: Floats | None
    inertia: Floats | None
    is_point: Mask
    has_mass: Mask | None = None
    has_center: Mask | None = None
    has_inertia: Mask | None = None


@dataclass(frozen=True, slots=True)
class Sigmas:
    """One standard deviation of each of the ten values of n bodies, in the units of the bodies; never negative.

    ``mass (n,)``, ``center (n, 3)`` or None, ``inertia (n, 6)`` or None; ``known (n,)`` is None when every
    sigma is known.
    """

    mass: Floats
    center: Floats | None
    inertia: Floats | None
    known: Mask | None = None
