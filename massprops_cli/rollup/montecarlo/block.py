"""One block of samples: every piece drawn, every assembly added up and counted. This is where the time goes.

Arrays are (quantity, part, sample) with samples contiguous, a few parts at a time so that they stay in the
processor's cache. Parameters of a family are about a fixed point, the assembly's nominal centre: differences to it
come from numbers of the file, and moving up to the parent is one linear map for all samples.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from massprops_cli.rollup.correlation import ALONE
from massprops_cli.rollup.covariance.moving import moved
from massprops_cli.rollup.montecarlo.counted import Counted
from massprops_cli.rollup.montecarlo.distributions import LOGNORMAL, NORMAL, deviation, from_share
from massprops_cli.rollup.montecarlo.model import BLOCK, Model
from massprops_cli.rollup.montecarlo.streams import SharedDeviates, stream

Floats = NDArray[np.float64]
Index = NDArray[np.int32]

PARTS = 4
"""Parts taken together: with the samples of a block, ten rows of 64 KiB."""

add = np.add.reduce


def sample_chunk(model: Model, chunk: int) -> Counted:
    """Draw the blocks of chunk number ``chunk`` of a model; the same numbers whenever and wherever that is done."""
    counted = Counted.nothing(model)
    # samples too large for double precision are not finite, and are not counted
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        for block in model.blocks_of(chunk):
            Block(model, block).count_into(counted)
    return counted


class Block:
    """The random streams and the working arrays of one block."""

    def __init__(self, model: Model, block: int) -> None:
        self.model, self.b = model, model.size_of(block)
        self.random = stream(model.seed, block)
        self.shared = SharedDeviates(model.seed, block, self.b, model.correlation)
        self.draws = np.empty(10 * PARTS * BLOCK)
        self.moments = np.empty(4 * PARTS * BLOCK)
        self.found = np.empty((13, self.b))

    def count_into(self, counted: Counted) -> None:
        """Add up every family, those inside it first, and count its results."""
        plan, reference = self.model.plan, self.model.reference
        waiting: dict[int, Floats] = {}
        for f, parent in enumerate(plan.parent.tolist()):
            total = waiting.pop(f, None)
            if total is None:
                total = np.zeros((10, self.b))
            here = reference[:, plan.item[f]]
            for low in range(int(plan.starts[f]), int(plan.starts[f + 1]), PARTS):
                high = min(low + PARTS, int(plan.starts[f + 1]))
                self.add_parts(total, here, plan.part[low:high], plan.part_factor[low:high])
            if plan.row[f] >= 0:
                counted.count(self.model, int(plan.row[f]), total, self.found)
            if parent >= 0:
                seen = here - reference[:, plan.item[parent]]
                total = np.array(moved(total, seen.tolist()))
                total *= plan.factor[f]
                if parent in waiting:
                    total += waiting[parent]
                waiting[parent] = total

    def add_parts(self, total: Floats, reference: Floats, items: Index, factor: Floats) -> None:
        """Draw some parts and add them to ``total (10, b)`` about ``reference (3,)``.

        The factor multiplies mass and tensor, in which a part's parameters are linear.
        """
        model, k = self.model, len(items)
        drawn = self.drawn(items)
        value, scale = model.inputs.value[:, items], model.scale[:, items]
        value[1:4] -= reference[:, None]
        value[0] *= factor
        value[4:] *= factor
        scale[0] *= factor
        scale[4:] *= factor
        mass_and_center = drawn[:4]
        mass_and_center *= scale[:4, :, None]
        mass_and_center += value[:4, :, None]
        total[4:] += np.matmul(scale[4:, None], drawn[4:])[:, 0]
        total[4:] += value[4:].sum(axis=1)[:, None]
        self.add_moments(total, mass_and_center, self.moments[: 4 * k * self.b].reshape(4, k, self.b))

    def add_moments(self, total: Floats, drawn: Floats, work: Floats) -> None:
        """Add masses, first moments and m Phi(c) of parts whose mass and centre are ``drawn (4, k, b)``."""
        mass, c = drawn[0], drawn[1:]
        h, term = work[:3], work[3]
        np.multiply(c, mass, out=h)
        total[0] += add(mass)
        total[1:4] += add(h, axis=1)
        for a, b, entry in ((0, 1, 7), (0, 2, 8), (1, 2, 9)):
            total[entry] -= add(np.multiply(h[a], c[b], out=term))
        for a, others in ((0, (5, 6)), (1, (4, 6)), (2, (4, 5))):
            square = add(np.multiply(h[a], c[a], out=term))
            for entry in others:
                total[entry] += square

    def drawn(self, items: Index) -> Floats:
        """Draw the deviates of some parts ``(10, k, b)``, to be multiplied by the model's scale."""
        model, k = self.model, len(items)
        drawn = self.draws[: 10 * k * self.b].reshape(10, k, self.b)
        if all(model.varies):
            self.random.standard_normal(out=drawn)
        else:
            for row, varies in zip(drawn, model.varies, strict=True):
                if varies:
                    self.random.standard_normal(out=row)
                else:
                    row[...] = 0.0
        if model.shared_quantities:
            self.share(drawn, items)
        if model.inputs.kind is not None:
            self.shape(drawn, items)
        return drawn

    def share(self, drawn: Floats, items: Index) -> None:
        """Give the members of groups the deviates of their group."""
        model = self.model
        group = model.correlation.group[items]
        for k in np.flatnonzero(group != ALONE).tolist():
            deviates = self.shared.of(int(group[k]))
            for quantity in model.shared_quantities:
                drawn[quantity, k] = deviates[quantity]

    def shape(self, drawn: Floats, items: Index) -> None:
        """Turn the deviates of inputs that are not normal into deviations of their own distribution."""
        model, inputs = self.model, self.model.inputs
        assert inputs.kind is not None
        for quantity, k in zip(*np.nonzero(inputs.kind[:, items]), strict=True):
            margin, row = inputs.margin(int(quantity), int(items[k])), drawn[quantity, k]
            is_shared = quantity in model.shared_quantities and model.correlation.group[items[k]] != ALONE
            if is_shared or margin.kind in (NORMAL, LOGNORMAL):
                row[...] = deviation(margin, row)
            else:
                # one's own shares are drawn: cheaper than the shares of normal deviates
                row[...] = from_share(margin, self.random.random(self.b))
