"""Random numbers that depend on the seed and the block only, not on who draws them: normal, uniform, shared."""

from __future__ import annotations

from collections import OrderedDict

import numpy as np
from numpy.typing import NDArray

from massprops_cli.rollup.correlation import Correlation

Floats = NDArray[np.float64]

MOST_HELD = 64
"""Groups whose deviates are kept; others are drawn again, the same, where the next member needs them."""


def stream(seed: int, *key: int) -> np.random.Generator:
    """Give one of NumPy's fastest generators, independent of those of all other keys."""
    return np.random.Generator(np.random.SFC64(np.random.SeedSequence(seed, spawn_key=key)))


class SharedDeviates:
    """The ten standard normal deviates that the members of each group share, for one block of b samples."""

    def __init__(self, seed: int, block: int, b: int, correlation: Correlation) -> None:
        self.key, self.b, self.correlation = (seed, block), b, correlation
        self.coupled = {int(g): k for k, g in enumerate(correlation.coupled)}
        self.together: Floats | None = None
        self.held: OrderedDict[int, Floats] = OrderedDict()

    def of(self, group: int) -> Floats:
        """Give a group's deviates ``(10, b)``."""
        if group in self.coupled:
            if self.together is None:
                self.together = self.draw_together()
            return self.together[:, self.coupled[group]]
        if group not in self.held:
            if len(self.held) == MOST_HELD:
                self.held.popitem(last=False)
            self.held[group] = stream(*self.key, group).standard_normal((10, self.b))
        return self.held[group]

    def draw_together(self) -> Floats:
        """Draw the deviates of all coupled groups ``(10, c, b)``."""
        seed, block = self.key
        # a key one longer than any group's
        own = stream(seed, block, 0, 0).standard_normal((10, len(self.coupled), self.b))
        return np.asarray(self.correlation.factors() @ own)
