"""One block of samples: all pieces sampled, all assemblies summed and counted, in arrays (quantity, part, sample)."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.rollups.covariance import SamplePlacement, moved_parameters
from massprops_cli.rollups.inputs import NO_GROUP, NO_LOT, Correlation, RollupInputs
from massprops_cli.rollups.montecarlo import distributions
from massprops_cli.rollups.montecarlo.samples import SampleTally, StreamingHistogram
from massprops_cli.rollups.shared_uncertainty import joint_deviations

_Floats = NDArray[np.float64]
_MOST_HELD_GROUPS = 64
"""Groups whose deviates are kept; others are generated again from the same seed if the next member needs them."""
SampleEvent = Callable[[_Floats], NDArray[np.bool_]]
"""Return which of the samples ``(b, 13)`` of an item meet a condition ``(b,)``; columns as in ``SAMPLED_RESULTS``."""
_SAMPLES_PER_BLOCK = 2000
"""Samples drawn together, from one stream: rows of 16 kB, and round numbers of samples fill them."""
_DRAWS_PER_CHUNK, _MOST_BLOCKS = 1 << 22, 64
"""A chunk is as many blocks as make so many draws of a part, a second or less of work; at least 1, and at most 64."""
_Index = NDArray[np.int32]
_PARTS_PER_DRAW = 4  # parts taken together: with the samples of a block, ten rows of 64 KiB
_add_rows = np.add.reduce


def _write_sample_results(total: _Floats, out: _Floats) -> _Floats:
    """Write mass, centre from the fixed point, tensor and radii of gyration of b samples into ``out (13, b)``."""
    # total (10, b) are the additive parameters m, h and J about the fixed point: c = h/m, I = J − m Φ(c); undefined
    # results (no mass, a negative moment) are not finite
    m, h = total[0], total[1:4]
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        out[0] = m
        c = np.divide(h, m, out=out[1:4])
        xx, yy, zz = h * c
        out[4:10] = total[4:]
        out[4] -= yy + zz
        out[5] -= xx + zz
        out[6] -= xx + yy
        out[7] += h[0] * c[1]
        out[8:10] += h[:2] * c[2]
        np.divide(out[4:7], m, out=out[10:])
        np.sqrt(out[10:], out=out[10:])
    return out


def _sample_principal_moments(tensors: _Floats) -> _Floats:
    """Return the principal moments ``(3, b)``, ascending, of tensors ``(6, b)``; NaN where a tensor is not finite."""
    # in closed form (O. K. Smith, "Eigenvalues of a symmetric 3 × 3 matrix", Comm. ACM 4 (1961) 168), to about 1e-8
    # where two moments are equal: far below the spread of samples, in a twentieth of the time of an iteration
    xx, yy, zz, xy, xz, yz = tensors
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        middle = (xx + yy + zz) / 3
        a, b, c = xx - middle, yy - middle, zz - middle
        size = np.sqrt((a * a + b * b + c * c + 2 * (xy * xy + xz * xz + yz * yz)) / 6)
        half_determinant = (a * (b * c - yz * yz) - xy * (xy * c - yz * xz) + xz * (xy * yz - b * xz)) / 2
        angle = np.arccos(np.clip(np.where(size > 0, half_determinant / size**3, 0.0), -1.0, 1.0)) / 3
        largest = middle + 2 * size * np.cos(angle)
        smallest = middle + 2 * size * np.cos(angle + 2 * np.pi / 3)
    return np.array([smallest, 3 * middle - smallest - largest, largest])


def _random_stream(seed: int, *key: int) -> np.random.Generator:
    """Return one of NumPy's fastest generators, independent of those of all other keys."""
    return np.random.Generator(np.random.SFC64(np.random.SeedSequence(seed, spawn_key=key)))


class _SharedDeviates:
    """The ten standard normal deviates that the members of each group share, for one block of b samples."""

    def __init__(self, model: SampleModel, block: int, b: int) -> None:
        self.key, self.b, self.model = (model.seed, block), b, model
        self.coupled = {int(g): k for k, g in enumerate(model.correlation.coupled)}
        self.together: _Floats | None = None
        self.held: OrderedDict[int, _Floats] = OrderedDict()

    def of(self, group: int) -> _Floats:
        """Return a group's deviates ``(10, b)``."""
        if group in self.coupled:
            if self.together is None:
                self.together = self.draw_together()
            return self.together[:, self.coupled[group]]
        if group not in self.held:
            if len(self.held) == _MOST_HELD_GROUPS:
                self.held.popitem(last=False)
            self.held[group] = _random_stream(*self.key, group).standard_normal((10, self.b))
        return self.held[group]

    def draw_together(self) -> _Floats:
        """Return the deviates of all coupled groups ``(10, c, b)``."""
        seed, block = self.key
        # a key one longer than any group's
        random, size = _random_stream(seed, block, 0, 0), (len(self.coupled), self.b)
        together = np.zeros((10, *size))
        for quantity in self.model.shared_quantities:
            factor = self.model.factors[self.model.correlation.matrix_of[quantity]]
            np.matmul(factor, random.standard_normal(size), out=together[quantity])
        return together


def blocks_per_chunk(plan: distributions.SumPlan) -> int:
    """Return the number of blocks in a chunk; it depends only on the tree, so that sums are reproducible."""
    return min(max(_DRAWS_PER_CHUNK // (_SAMPLES_PER_BLOCK * max(len(plan.part), 1)), 1), _MOST_BLOCKS)


class JointSamples(NamedTuple):
    """Parts whose ten values deviate together, in multiples of their sigmas."""

    row: dict[int, int]  # of an item number
    factor: _Floats  # (k, 10, 10) F with F Fᵀ = correlation of the own deviations; symmetric
    lot: NDArray[np.intp]  # (k,) key of the deviates of the lot; −1 without one
    shared: _Floats  # (k, 10) for one sigma of the density of the lot

    @classmethod
    def of(cls, inputs: RollupInputs, scale: _Floats) -> JointSamples | None:
        """Return the parts, for sigmas (10, n) along the axes of the rows, or None; docs/formulas.md, section 12."""
        if (joint := joint_deviations(inputs, along_rows=True)) is None:
            return None
        unit = scale[:, joint.items].T.copy()
        unit[:, 1:4] *= np.abs(inputs.bodies.mass[joint.items])[:, None]
        each = np.divide(1.0, unit, out=np.zeros_like(unit), where=unit > 0)
        values, vectors = np.linalg.eigh(joint.own * each[:, :, None] * each[:, None, :])
        factor = (vectors * np.sqrt(np.maximum(values, 0.0))[:, None, :]) @ np.swapaxes(vectors, 1, 2)
        correlation = inputs.correlation
        first = max(correlation.group.max(initial=NO_GROUP), correlation.coupled.max(initial=NO_GROUP)) + 1
        lot = np.where(joint.group == NO_LOT, -1, first + joint.group)
        return cls({item: k for k, item in enumerate(joint.items.tolist())}, factor, lot, joint.lot * each)


@dataclass(frozen=True, eq=False, repr=False)
class SampleModel:
    """Inputs, order and counts of a simulation of n items, sent once to every worker."""

    inputs: distributions.InputDistributions
    plan: distributions.SumPlan  # order of the sums
    nominal: _Floats  # (13, n) origins of the deviations, order of ``SAMPLED_RESULTS``; 0 where undefined
    fixed: _Floats  # (3, n) length, points from which items are measured
    center: _Floats  # (3, n) nominal centres from these points; 0 unless masses are removed
    correlation: Correlation
    watched: Sequence[tuple[int, Sequence[SampleEvent]]]  # rows whose distributions are stored; events to count
    alone: NDArray[np.int32]  # (a,) watched items that are not computed assemblies
    samples: int
    seed: int
    blocks_a_chunk: int  # blocks that are sampled in one call
    keeps: bool = False  # whether the samples of the watched items are stored
    joint: JointSamples | None = None  # parts whose values deviate together
    placed: SamplePlacement | None = None  # turned axes and uncertain poses

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what can be computed again."""
        return {name: self.__dict__[name] for name in self.__dataclass_fields__}

    @property
    def chunks(self) -> int:
        """Number of chunks."""
        return -(-self.samples // (_SAMPLES_PER_BLOCK * self.blocks_a_chunk))

    def blocks_of(self, chunk: int) -> range:
        """Return the numbers of the blocks in a chunk; the last chunk may have fewer."""
        first = chunk * self.blocks_a_chunk
        return range(first, min(first + self.blocks_a_chunk, -(-self.samples // _SAMPLES_PER_BLOCK)))

    def size_of(self, block: int) -> int:
        """Return the number of samples in a block; the last block may have fewer."""
        return min(_SAMPLES_PER_BLOCK, self.samples - block * _SAMPLES_PER_BLOCK)

    @cached_property
    def scale(self) -> _Floats:
        """Factors of the deviates ``(10, n)``, in mass, length and mass × length²."""
        return self.inputs.scale

    @cached_property
    def factors(self) -> _Floats:
        """Factors of the correlation matrices ``(d, c, c)``, computed once for all blocks."""
        return self.correlation.factors()

    @cached_property
    def varies(self) -> list[bool]:
        """Which of the ten quantities are uncertain for any item."""
        return [bool(row.any()) for row in self.inputs.varies()]

    @cached_property
    def shared_quantities(self) -> tuple[int, ...]:
        """The uncertain quantities that members of a group share."""
        if self.correlation.is_none:
            return ()
        return tuple(quantity for quantity in self.correlation.shared_inputs.tolist() if self.varies[quantity])

    @cached_property
    def watched_rows(self) -> dict[int, int]:
        """The place among the watched of every watched row."""
        return {row: place for place, (row, _) in enumerate(self.watched)}

    def principal(self, item: int) -> _Floats:
        """Return the nominal principal moments (3,) of an item, ascending: docs/formulas.md, section 2."""
        return _sample_principal_moments(self.nominal[4:10, [item]])[:, 0]


@dataclass(frozen=True, slots=True)
class SampleSums:
    """Sums over samples of the results of k rows and w watched items."""

    tally: SampleTally  # 13 results of k rows
    principal: SampleTally  # principal moments of w watched items
    histograms: list[list[StreamingHistogram]]  # 16 results of each watched item
    events: list[list[int]]  # counts of the events of each watched item
    kept: list[list[_Floats]]  # (13, b) arrays of each watched item, one a block; empty if not stored

    @classmethod
    def nothing(cls, model: SampleModel) -> SampleSums:
        """Return the sums of no samples."""
        return cls(
            SampleTally.empty(len(model.plan.assemblies), 13),
            SampleTally.empty(len(model.watched), 3),
            [[StreamingHistogram.empty() for _ in range(16)] for _ in model.watched],
            [[0] * len(events) for _, events in model.watched],
            [[] for _ in model.watched],
        )

    def add(self, other: SampleSums) -> None:
        """Add the sums of other samples."""
        self.tally.add(other.tally)
        self.principal.add(other.principal)
        for place in range(len(self.histograms)):
            self.add_watched(place, other.histograms[place], other.events[place])
            self.kept[place] += other.kept[place]

    def add_watched(self, place: int, histograms: list[StreamingHistogram], events: list[int]) -> None:
        """Add the distribution of one watched item."""
        for ours, more in zip(self.histograms[place], histograms, strict=True):
            ours.add(more)
        self.events[place] = [a + b for a, b in zip(self.events[place], events, strict=True)]

    def count(self, model: SampleModel, row: int, total: _Floats, work: _Floats) -> None:
        """Add the results of one row, (10, b) m, h, J; ``work`` (13, b) is memory: docs/formulas.md, section 2."""
        item = int(model.plan.assemblies[row])
        found = _write_sample_results(total, work)
        found[1:4] -= model.center[:, item, None]
        found[0] -= model.nominal[0, item]
        found[4:] -= model.nominal[4:, item, None]
        if row in model.watched_rows:
            self.watch(model, row, found)
        self.tally.count(row, found)

    def watch(self, model: SampleModel, row: int, deviations: _Floats) -> None:
        """Add the distribution of a watched row, deviations (13, b) from the nominal ``SAMPLED_RESULTS``."""
        item, place = int(model.plan.assemblies[row]), model.watched_rows[row]
        samples = deviations + model.nominal[:, item, None]
        moments = _sample_principal_moments(samples[4:10]) - model.principal(item)[:, None]
        events = [int(np.count_nonzero(event(samples.T))) for event in model.watched[place][1]]
        self.add_watched(place, [StreamingHistogram.of(row) for row in (*deviations, *moments)], events)
        self.principal.count(place, moments)
        if model.keeps:
            self.kept[place].append(samples)


def sample_chunk(model: SampleModel, chunk: int) -> SampleSums:
    """Sample the blocks of one chunk; the result does not depend on when and where."""
    counted = SampleSums.nothing(model)
    # samples too large for double precision are not finite, and are not counted
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        for block in model.blocks_of(chunk):
            _SampleBlock(model, block).count_into(counted)
    return counted


class _SampleBlock:
    """The random streams and the working arrays of one block."""

    def __init__(self, model: SampleModel, block: int) -> None:
        self.model, self.block, self.b, self.placed = model, block, model.size_of(block), model.placed
        self.random = _random_stream(model.seed, block)
        self.shared = _SharedDeviates(model, block, self.b)
        self.draws = np.empty(10 * _PARTS_PER_DRAW * _SAMPLES_PER_BLOCK)
        self.moments = np.empty(4 * _PARTS_PER_DRAW * _SAMPLES_PER_BLOCK)
        self.found = np.empty((13, self.b))

    def count_into(self, counted: SampleSums) -> None:
        """Sum every family, after those inside it, and count its results."""
        plan, reference = self.model.plan, self.model.fixed
        waiting: dict[int, _Floats] = {}
        for f, parent in enumerate(plan.parent.tolist()):
            if (total := waiting.pop(f, None)) is None:
                total = np.zeros((10, self.b))
            here = reference[:, plan.item[f]]
            for low in range(int(plan.starts[f]), int(plan.starts[f + 1]), _PARTS_PER_DRAW):
                self.add_family_parts(total, f, slice(low, min(low + _PARTS_PER_DRAW, int(plan.starts[f + 1]))))
            if plan.row[f] >= 0:
                counted.count(self.model, int(plan.row[f]), total, self.found)
            if parent >= 0:
                item = int(plan.item[f])
                if self.placed is not None and self.placed.is_uncertain(item):
                    total = self.placed.moved(total, here, item, self.pose_deviates(parent, item))
                total = np.array(moved_parameters(total, (here - reference[:, plan.item[parent]]).tolist()))
                total *= plan.factor[f]
                if parent in waiting:
                    total += waiting[parent]
                waiting[parent] = total

    def add_family_parts(self, total: _Floats, family: int, which: slice) -> None:
        """Sample some parts of a family into ``total`` (10, b); those with uncertain poses each for itself."""
        plan, placed = self.model.plan, self.placed
        here, items, factor = self.model.fixed[:, plan.item[family]], plan.part[which], plan.part_factor[which]
        if placed is None or not any(placed.is_uncertain(int(i)) for i in items):
            self.add_parts(total, here, items, factor)
            return
        for k, item in enumerate(items.tolist()):
            one = np.zeros((10, self.b))
            self.add_parts(one, here, items[k : k + 1], factor[k : k + 1])
            if placed.is_uncertain(item) and item != plan.item[family]:
                one = placed.moved(one, here, item, self.pose_deviates(family, item))
            total += one

    def pose_deviates(self, family: int, item: int) -> _Floats:
        """Return the deviations (6, b) of the pose of an item in a family, the same for all its pieces there."""
        assert self.placed is not None
        # a key longer than those of groups
        random = _random_stream(self.model.seed, self.block, 0, family, item)
        return self.placed.deviates(item, random.standard_normal((6, self.b)))

    def add_parts(self, total: _Floats, reference: _Floats, items: _Index, factor: _Floats) -> None:
        """Sample some parts and add them to ``total (10, b)`` about ``reference (3,)``."""
        # the factor multiplies mass and tensor, in which the parameters of a part are linear
        model, k = self.model, len(items)
        drawn = self.drawn(items)
        value, scale = model.inputs.value[:, items], model.scale[:, items]
        value[1:4] -= reference[:, None]
        value[0] *= factor
        value[4:] *= factor
        scale[0] *= factor
        scale[4:] *= factor
        if self.placed is not None:
            drawn *= scale[:, :, None]
            value, scale = self.placed.turn(drawn, items), np.ones_like(scale)
            value[1:4] -= reference[:, None]
            value[0] *= factor
            value[4:] *= factor
        mass_and_center = drawn[:4]
        mass_and_center *= scale[:4, :, None]
        mass_and_center += value[:4, :, None]
        total[4:] += np.matmul(scale[4:, None], drawn[4:])[:, 0]
        total[4:] += value[4:].sum(axis=1)[:, None]
        self.add_moments(total, mass_and_center, self.moments[: 4 * k * self.b].reshape(4, k, self.b))

    def add_moments(self, total: _Floats, drawn: _Floats, work: _Floats) -> None:
        """Add masses, first moments and m Φ(c) of parts whose masses and centres are ``drawn (4, k, b)``."""
        mass, c = drawn[0], drawn[1:]
        h, term = work[:3], work[3]
        np.multiply(c, mass, out=h)
        total[0] += _add_rows(mass)
        total[1:4] += _add_rows(h, axis=1)
        for a, b, entry in ((0, 1, 7), (0, 2, 8), (1, 2, 9)):
            total[entry] -= _add_rows(np.multiply(h[a], c[b], out=term))
        for a, others in ((0, (5, 6)), (1, (4, 6)), (2, (4, 5))):
            square = _add_rows(np.multiply(h[a], c[a], out=term))
            for entry in others:
                total[entry] += square

    def join(self, drawn: _Floats, items: _Index) -> None:
        """Correlate the deviates (10, k, b) of parts whose values deviate together, and add those of their lots."""
        joint = self.model.joint
        assert joint is not None
        for k, item in enumerate(items.tolist()):
            if (row := joint.row.get(item)) is None:
                continue
            drawn[:, k] = joint.factor[row] @ drawn[:, k]
            if (lot := int(joint.lot[row])) >= 0:
                drawn[:, k] += joint.shared[row][:, None] * self.shared.of(lot)[0]

    def drawn(self, items: _Index) -> _Floats:
        """Return the deviates of some parts ``(10, k, b)``, to be multiplied by the model's scale."""
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
        if model.joint is not None:
            self.join(drawn, items)
        if model.inputs.kind is not None:
            self.shape(drawn, items)
        return drawn

    def share(self, drawn: _Floats, items: _Index) -> None:
        """Replace the deviates (10, k, b) of members of groups by those of their group."""
        model = self.model
        group = model.correlation.group[items]
        for k in np.flatnonzero(group != NO_GROUP).tolist():
            deviates = self.shared.of(int(group[k]))
            for quantity in model.shared_quantities:
                drawn[quantity, k] = deviates[quantity]

    def shape(self, drawn: _Floats, items: _Index) -> None:
        """Convert the deviates (10, k, b) of inputs that are not normal to those of their own distribution."""
        model, inputs = self.model, self.model.inputs
        assert inputs.kind is not None
        for quantity, k in zip(*np.nonzero(inputs.kind[:, items]), strict=True):
            margin, row = inputs.margin(int(quantity), int(items[k])), drawn[quantity, k]
            is_shared = quantity in model.shared_quantities and model.correlation.group[items[k]] != NO_GROUP
            if is_shared or margin.kind in (distributions.NORMAL, distributions.LOGNORMAL):
                row[...] = distributions.input_deviations(margin, row)
            else:
                # one's own shares are drawn: cheaper than the shares of normal deviates
                row[...] = distributions.deviations_at_shares(margin, self.random.random(self.b))
