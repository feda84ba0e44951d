"""Branches whose masses cancel: they have no centre, and hand up their first moment about their reference point."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

CANCELS = 1e-9
"""A branch whose masses add up to less than this share of their sizes has no mass (SEMANTICS)."""


class Cancelling:
    """Follows, by position, which branches cancel.

    ``moment (3, n)`` is None until the first one does; ``size (n,)``, the sum of the sizes of the masses in a
    branch, is None unless some mass or quantity is negative: without one, only a branch without any mass
    cancels.
    """

    def __init__(self, n: int) -> None:
        self.is_cancelled = np.zeros(n, bool)
        self.moment: Floats | None = None
        self.size: Floats | None = None

    def watch(self, mass: Floats) -> None:
        """Follow the sizes of the masses ``(n,)`` by position."""
        self.size = np.abs(mass)

    def judge(self, parents: NDArray[np.intp], mass: Floats, size: Floats | None) -> NDArray[np.bool_] | None:
        """Tell which parents' masses cancel; None when none do."""
        if self.size is not None and size is not None:
            self.size[parents] = size
            gone = np.abs(mass) <= CANCELS * size
        else:
            gone = mass == 0
        return gone if bool(gone.any()) else None

    def mark(self, positions: NDArray[np.intp], moments: Floats) -> None:
        """Remember the first moments ``(3, k)`` of branches that cancel."""
        if self.moment is None:
            self.moment = np.zeros((3, len(self.is_cancelled)))
        self.is_cancelled[positions] = True
        self.moment[:, positions] = moments
