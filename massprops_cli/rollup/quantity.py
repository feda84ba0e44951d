"""How often a parent counts a child."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Quantity:
    """How many pieces of every item its parent holds, all at one place.

    ``count (n,)``: pieces (0 leaves the item out, a negative number removes pieces) or, where ``measured
    (n,)``, the size of the one piece (1.7 m of cable).
    """

    count: NDArray[np.float64]
    measured: NDArray[np.bool_]
    weight: NDArray[np.float64] | None = None
    """What variances are multiplied by, where counts and sizes are mixed along a path."""

    @classmethod
    def one_each(cls, n: int) -> Quantity:
        """One piece of every item."""
        return cls(np.ones(n), np.zeros(n, bool))

    def variance_weight(self) -> NDArray[np.float64]:
        """Give what a piece's variance is multiplied by: |n| for independent pieces, q² for one piece of size q."""
        if self.weight is not None:
            return self.weight
        return np.where(self.measured, self.count**2, np.abs(self.count))
