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

BLOCK = 2000
"""Samples drawn together, from one stream: rows of 16 kB, and round numbers of samples fill them."""
WORK, MOST_BLOCKS = 1 << 22, 64
"""A chunk is as many blocks as make so many draws of a part, a second or less of work; at least 1, and at most 64."""


def blocks_for(plan: Plan) -> int:
    """Give the number of blocks in a chunk; it depends on the tree alone, since sums depend on it in the last digit."""
    return min(max(WORK // (BLOCK * max(len(plan.part), 1)), 1), MOST_BLOCKS)


class Watch(NamedTuple):
    """An item whose distribution is kept: its row, and what is counted of its samples."""

    item: int
    row: int
    events: Sequence[Event]


@dataclass(frozen=True)
class Model:
    """What is drawn, in which order, and what of it is counted.

    ``nominal (13, n)`` are the numbers that deviations are counted from, those of ``RESULTS``, 0 where undefined;
    ``alone`` are watched items that are no assemblies; ``samples`` is how many are drawn in all, from ``seed``;
    ``blocks_a_chunk`` are drawn and counted at one place.
    """

    inputs: Inputs
    plan: Plan
    nominal: Floats
    correlation: Correlation
    watched: Sequence[Watch]
    alone: NDArray[np.int32]
    samples: int
    seed: int
    blocks_a_chunk: int

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what can be computed again."""
        return {name: self.__dict__[name] for name in self.__dataclass_fields__}

    @property
    def chunks(self) -> int:
        """How many chunks there are."""
        return -(-self.samples // (BLOCK * self.blocks_a_chunk))

    def blocks_of(self, chunk: int) -> range:
        """Give the numbers of the blocks in a chunk; the last may have fewer."""
        first = chunk * self.blocks_a_chunk
        return range(first, min(first + self.blocks_a_chunk, -(-self.samples // BLOCK)))

    def size_of(self, block: int) -> int:
        """Give the number of samples in a block; the last may have fewer."""
        return min(BLOCK, self.samples - block * BLOCK)

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
