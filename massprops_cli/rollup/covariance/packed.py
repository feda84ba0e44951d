"""Covariances of ten parameters as 55 numbers: the upper triangle, row by row.

The ten additive parameters of a body about a reference point are p = (m, hx, hy, hz, Jxx, Jyy, Jzz, Jxy, Jxz, Jyz):
mass, first moment h = m (c − ref) and tensor J = I + m Phi(c − ref) about that point.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

PAIRS = tuple((a, b) for a in range(10) for b in range(a, 10))
"""The two parameters of each of the 55 numbers."""
ROWS, COLUMNS = (np.array(side) for side in zip(*PAIRS, strict=True))
"""The same as arrays ``(55,)``, to pick with."""
PLACE = {pair: k for k, pair in enumerate(PAIRS)} | {(b, a): k for k, (a, b) in enumerate(PAIRS)}
"""Where the covariance of two parameters stands among the 55."""
VARIANCES = tuple(PLACE[a, a] for a in range(10))
_FULL = np.array([[PLACE[a, b] for b in range(10)] for a in range(10)])


def unpacked(packed: Floats) -> Floats:
    """Give symmetric matrices ``(…, 10, 10)`` of packed ones ``(…, 55)``.

    >>> bool((pack(unpacked(np.arange(55.0))) == np.arange(55.0)).all())
    True
    """
    return packed[..., _FULL]


def pack(matrices: Floats) -> Floats:
    """Give the upper triangles ``(…, 55)`` of symmetric matrices ``(…, 10, 10)``."""
    return matrices[..., ROWS, COLUMNS]


@dataclass(frozen=True, eq=False)
class Covariances:
    """Covariances of the ten additive parameters of k items, each about the item's own centre.

    ``items (k,)`` are item numbers, ascending by position; ``packed (55, k)``.
    """

    items: NDArray[np.int32]
    packed: Floats

    @cached_property
    def columns(self) -> dict[int, int]:
        """Columns by item number."""
        return {item: k for k, item in enumerate(self.items.tolist())}

    def matrix(self, item: int) -> Floats:
        """Give one item's covariance ``(10, 10)``; raises KeyError for an item that has none."""
        return unpacked(self.packed[:, self.columns[item]])
