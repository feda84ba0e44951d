"""A small tree with its ten values, sigmas, quantities and shared errors, as any oracle reads it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating]
ALONE = -1


class Below(NamedTuple):
    """One item whose own numbers go up to a node: how often the node counts it, and what its variances weigh there."""

    item: int
    factor: float
    weight: float


@dataclass
class Case:
    """n items; values and sigmas in the order mass, Cx … Cz, Ixx, Iyy, Izz, Ixy, Ixz, Iyz, as tensor entries.

    ``measured`` items are one piece of size ``count``; others ``count`` pieces. ``group`` is ``ALONE`` or a group's
    number. ``stated`` assemblies send their own numbers up. ``coupled`` groups have the correlations ``matrix``.
    """

    parent: Floats
    ten: Floats
    sigma: Floats
    count: Floats
    measured: Floats
    is_point: Floats
    group: Floats
    shares_centers: bool = False
    stated: Floats | None = None
    coupled: Floats | None = None
    matrix: Floats | None = None

    @classmethod
    def of(cls, parent: list[int], ten: Floats, sigma: Floats, **more: object) -> Case:
        """One piece of every item, no points, all errors independent, but where stated."""
        n = len(parent)
        plain = {
            "count": np.ones(n),
            "measured": np.zeros(n, bool),
            "is_point": np.zeros(n, bool),
            "group": np.full(n, ALONE),
        }
        return cls(np.array(parent), np.array(ten, float), np.array(sigma, float), **(plain | more))  # type: ignore[arg-type] # keywords of several types

    @cached_property
    def children(self) -> list[list[int]]:
        """The children of every item."""
        children: list[list[int]] = [[] for _ in self.parent]
        for i, above in enumerate(self.parent.tolist()):
            if above >= 0:
                children[above].append(i)
        return children

    def is_end(self, item: int) -> bool:
        """Whether the item's own numbers go up."""
        return not self.children[item] or (self.stated is not None and bool(self.stated[item]))

    def below(self, node: int) -> Iterator[Below]:
        """Give the ends at or below a node, with the products of quantities on the path between."""
        waiting = [Below(node, 1.0, 1.0)]
        while waiting:
            here = waiting.pop()
            if self.is_end(here.item):
                yield here
                continue
            for child in self.children[here.item]:
                q = float(self.count[child])
                w = q * q if self.measured[child] else abs(q)
                waiting.append(Below(child, here.factor * q, here.weight * w))

    def own_tensor(self, item: int) -> Floats:
        """The six entries of an end's own tensor; none of a point."""
        return np.zeros(6) if self.is_point[item] else self.ten[item, 4:]

    def own_sigma(self, item: int) -> Floats:
        """The ten sigmas of an end; a point has none of inertia."""
        sigma = self.sigma[item].copy()
        if self.is_point[item]:
            sigma[4:] = 0.0
        return sigma
