"""Everything that a block of samples is drawn from: sent once to every worker, and never changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.rollup.correlation import Correlation
from massprops_cli.rollup.montecarlo.inputs import Inputs
from massprops_cli.rollup.montecarlo.plan import Plan
from massprops_cli.rollup.montecarlo.readout import principal_moments

Floats = NDArray[np.float64]

Event = Callable[[Floats], NDArray[np.bool_]]
"""Tells which of the samples ``(b, 13)`` of an item meet a condition ``(b,)``; the columns are those of RESULTS."""

LEAST_BLOCK, MOST_BLOCK = 1024, 8192
WORK = 1 << 22
"""Parts times samples of a block, about: enough that starting one costs nothing, a second or less of work."""


class Watch(NamedTuple):
    """An item whose distribution is kept: its row, and what is counted of its samples."""

    item: int
    row: int
    events: Sequence[Event]


@dataclass(frozen=True)
class Model:
    """What is drawn, in which order, and what of it is counted.

    ``nominal (13, n)`` are the numbers that deviations are counted from, those of ``RESULTS``, 0 where undefined;
    ``alone`` are watched items that are no assemblies; ``samples`` is how many are drawn in all, from ``seed``.
    """

    inputs: Inputs
    plan: Plan
    nominal: Floats
    correlation: Correlation
    watched: Sequence[Watch]
    alone: NDArray[np.int32]
    samples: int
    seed: int

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what can be computed again."""
        return {name: self.__dict__[name] for name in self.__dataclass_fields__}

    @cached_property
    def block(self) -> int:
        """Samples in a block, a power of two that depends on the tree alone: fewer parts, more samples."""
        wanted = WORK // max(len(self.plan.part), 1)
        return min(max(1 << max(wanted.bit_length() - 1, 0), LEAST_BLOCK), MOST_BLOCK)

    @property
    def blocks(self) -> int:
        """How many blocks there are."""
        return -(-self.samples // self.block)

    def size_of(self, block: int) -> int:
        """Give the number of samples in a block; the last may have fewer."""
        return min(self.block, self.samples - block * self.block)

    @cached_property
    def scale(self) -> Floats:
        """What deviates are multiplied by ``(10, n)``."""
        return self.inputs.scale

    @cached_property
    def varies(self) -> list[bool]:
        """Which of the ten quantities have any errors."""
        return [bool(row.any()) for row in self.inputs.varies()]

    @property
    def reference(self) -> Floats:
        """The fixed points ``(3, n)`` that items are measured from."""
        return self.nominal[1:4]

    @cached_property
    def shared_quantities(self) -> tuple[int, ...]:
        """The quantities whose errors members of a group share, of those that have errors."""
        if self.correlation.is_none:
            return ()
        kept = range(10) if self.correlation.shares_centers else (0, *range(4, 10))
        return tuple(quantity for quantity in kept if self.varies[quantity])

    @cached_property
    def watched_rows(self) -> dict[int, int]:
        """The place among the watched of every watched row."""
        return {watch.row: place for place, watch in enumerate(self.watched)}

    def principal(self, item: int) -> Floats:
        """Give an item's nominal principal moments ``(3,)``, ascending."""
        return principal_moments(self.nominal[4:10, [item]])[:, 0]
