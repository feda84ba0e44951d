"""Shared uncertainties: the joint effect of the members of a group on the items above (docs/formulas.md, section 6).

An uncertainty that many parts share changes an item by the sum of its effects on each part. So a group below an item
has some columns of ten parameters: one column for the mass, three for the centre where they are shared, and the six
entries of a tensor, which no move of the reference point changes. The columns go up like the ten parameters of a body;
their outer products are added to the covariance.

A group that is completely inside a branch, on a path of which every quantity is 1, is *closed* there: its outer
products go into the covariance of the branch, which goes up. All others remain open.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli._start import dataclass
from massprops_cli.rollups.combination import (
    CENTER_ROWS,
    MASS,
    OFFSET,
    REFERENCE,
    SIZE_OF_MASS,
    Floats,
    Mask,
    RollupState,
    is_without_center,
)
from massprops_cli.rollups.covariance import (
    PAIR_COLUMNS,
    PAIR_ROWS,
    TENSOR_PAIRS,
    VARIANCE_INDEX,
    CovarianceRollup,
    Covariances,
    branch_terms,
    moved_parameters,
)
from massprops_cli.rollups.inputs import NO_GROUP, NO_LOT, Correlation, RollupInputs

_Index = NDArray[np.intp]

_PAIRS_PER_CHUNK = 2_048
"""Pairs taken together, so that they stay in the processor's cache."""


@dataclass(slots=True, eq=False, repr=False)
class _OpenGroups:
    """Groups with members at or below some positions of one level, a pair of position and group each.

    ``at (p,)`` positions, ascending, and ``group (p,)``; ``columns (c, 10, p)`` deviations of ten parameters about the
    position's pole for one sigma of the masses, and of the three coordinates where they are shared; ``tensor (6, p)``
    deviations of the tensor entries for one sigma of them; ``members (p,)`` numbers of members of the group.
    """

    at: _Index
    group: _Index
    columns: Floats
    tensor: Floats
    members: NDArray[np.int64]

    def picked(self, which: _Index | Mask | slice) -> _OpenGroups:
        """Return some pairs."""
        return _OpenGroups(
            self.at[which],
            self.group[which],
            self.columns[:, :, which],
            self.tensor[:, which],
            self.members[which],
        )

    def squares(self) -> Floats:
        """Return the outer products of every pair ``(55, p)``, packed as covariances are."""
        result = np.zeros((55, len(self.at)))
        for column in self.columns:
            result += column[PAIR_ROWS] * column[PAIR_COLUMNS]
        result[list(VARIANCE_INDEX[4:])] += self.tensor**2
        return result

    def merged(self) -> _OpenGroups:
        """Return one pair for each position and group, in order."""
        n_groups = int(self.group.max()) + 1
        key = self.at * n_groups + self.group
        if bool((key[1:] > key[:-1]).all()):
            return self
        order = np.argsort(key, kind="stable")
        key = key[order]
        starts = np.flatnonzero(np.append(True, key[1:] != key[:-1]))

        def add(array: Floats) -> Floats:
            return np.asarray(np.add.reduceat(array[..., order], starts, axis=-1))

        first = order[starts]
        members = np.add.reduceat(self.members[order], starts)
        return _OpenGroups(self.at[first], self.group[first], add(self.columns), add(self.tensor), members)


def _concatenated_groups(parts: list[_OpenGroups]) -> _OpenGroups:
    """Return all pairs as one value."""
    if len(parts) == 1:
        return parts[0]
    return _OpenGroups(
        np.concatenate([part.at for part in parts]),
        np.concatenate([part.group for part in parts]),
        np.concatenate([part.columns for part in parts], axis=-1),
        np.concatenate([part.tensor for part in parts], axis=-1),
        np.concatenate([part.members for part in parts]),
    )


class _LotMembers(NamedTuple):
    """Parts of lots: positions ``at (k,)``, ascending, deviations ``vectors (k, 10)`` and lots ``group (k,)``."""

    at: _Index
    vectors: Floats
    group: _Index

    @classmethod
    def of(cls, inputs: RollupInputs) -> _LotMembers | None:
        """Return the parts of lots; None without any."""
        if inputs.deviations is None:
            return None
        from massprops_cli.rollups.shape_deviations import joint_deviations

        joint = joint_deviations(inputs)
        which = np.zeros(0, np.intp) if joint is None else np.flatnonzero(joint.group != NO_LOT)
        if joint is None or not len(which):
            return None
        at = inputs.tree.position[joint.items[which]].astype(np.intp)
        return cls(at, joint.lot[which], joint.group[which])


class _SharedUncertainty:
    """What shared uncertainties add to the covariances of a tree's assemblies.

    ``closed (55, assemblies)`` goes up with the independent uncertainties, ``open (55, assemblies)`` belongs to
    the assembly alone.
    """

    def __init__(self, working: RollupState, inputs: RollupInputs) -> None:
        assert inputs.sigmas is not None
        self.working, self.sigmas, self.correlation = working, inputs.sigmas, inputs.correlation
        tree, correlation = working.tree, inputs.correlation
        self.first_lot = max(correlation.group.max(initial=NO_GROUP), correlation.coupled.max(initial=NO_GROUP)) + 1
        self.lots = _LotMembers.of(inputs)
        self.count = inputs.quantity.count[tree.order]
        self.count[0] = 1.0  # the root has no parent
        self.alone = _is_held_once(working, self.count)
        self.member = (correlation.group[tree.order] != NO_GROUP) & ~working.goes_up
        self.latent = _latent_groups(correlation)
        self.total = self.members_in_all()
        self.closed = np.zeros((55, len(working.inner)))
        self.open = np.zeros((55, len(working.inner)))

    def run(self) -> tuple[Floats, Floats]:
        """Follow all groups to the root and return ``closed`` and ``open``."""
        levels = self.working.tree.levels.tolist()
        below: _OpenGroups | None = None
        for low, high in zip(levels[-2:0:-1], levels[:1:-1], strict=True):
            parts = [part for part in (below, self.of_members(low, high)) if part is not None]
            below = self.raised(_concatenated_groups(parts).merged()) if parts else None
        return self.closed, self.open

    def members_in_all(self) -> NDArray[np.int64]:
        """Return the number of members of every group."""
        lots = 0 if self.lots is None else int(self.lots.group.max()) + 1
        totals = np.zeros(int(self.first_lot) + lots, np.int64)
        if self.lots is not None:
            np.add.at(totals, self.first_lot + self.lots.group, 1)
        np.add.at(totals, self.correlation.group[self.working.tree.order[self.member]], 1)
        for sources in self.latent.values():
            for group, _ in sources:
                totals[group] = -1  # latent groups are never closed: their members are those of several
        return totals

    def of_members(self, low: int, high: int) -> _OpenGroups | None:
        """Return the pairs of the members at positions ``low:high`` themselves, about their own centres."""
        at = low + np.flatnonzero(self.member[low:high])
        of_lots = self.of_lots(low, high)
        if not len(at):
            return of_lots
        items = self.working.tree.order[at]
        bodies, sigmas = self.working.bodies, self.sigmas
        columns = np.zeros((4 if self.correlation.shares_centers else 1, 10, len(at)))
        columns[0, 0] = sigmas.mass[items]
        if len(columns) > 1 and sigmas.center is not None:
            for axis in range(3):
                columns[1 + axis, 1 + axis] = bodies.mass[items] * sigmas.center[items, axis]
        tensor = np.zeros((6, len(at)))
        if sigmas.inertia is not None:
            tensor[:] = sigmas.inertia[items].T * ~bodies.is_point[items]
        group = self.correlation.group[items].astype(np.intp)
        pairs = self.uncoupled(_OpenGroups(at, group, columns, tensor, np.ones(len(at), np.int64)))
        return pairs if of_lots is None else _concatenated_groups([pairs, of_lots]).merged()

    def of_lots(self, low: int, high: int) -> _OpenGroups | None:
        """Return the pairs of the parts at positions ``low:high`` that share the density of a lot."""
        if self.lots is None:
            return None
        which = np.flatnonzero((self.lots.at >= low) & (self.lots.at < high))
        if not len(which):
            return None
        columns = np.zeros((4 if self.correlation.shares_centers else 1, 10, len(which)))
        columns[0] = self.lots.vectors[which].T
        group, ones = self.first_lot + self.lots.group[which], np.ones(len(which), np.int64)
        return _OpenGroups(self.lots.at[which], group, columns, np.zeros((6, len(which))), ones)

    def uncoupled(self, pairs: _OpenGroups) -> _OpenGroups:
        """Return the members of coupled groups as members of the latent groups, which are independent of each other."""
        if not self.latent:
            return pairs
        coupled = np.isin(pairs.group, list(self.latent))
        parts = [pairs.picked(~coupled)]
        for group, sources in self.latent.items():
            members = pairs.picked(np.flatnonzero(pairs.group == group))
            for latent, factor in sources:
                columns = members.columns.copy()
                for k in range(len(columns)):
                    columns[k] *= factor[k]
                parts.append(
                    _OpenGroups(
                        members.at,
                        np.full(len(members.at), latent),
                        columns,
                        members.tensor * factor[4:, None],
                        members.members,
                    )
                )
        return _concatenated_groups(parts).merged()

    def raised(self, pairs: _OpenGroups) -> _OpenGroups | None:
        """Move the pairs of one level to the parents, add their contributions, and return those that stay open."""
        tree = self.working.tree
        above = tree.position[tree.parent[tree.order[pairs.at]]].astype(np.intp)
        first = np.flatnonzero(np.append(True, above[1:] != above[:-1]))  # of each family
        wanted = np.searchsorted(first, np.arange(0, len(above), _PAIRS_PER_CHUNK))
        cuts = first[np.minimum(wanted, len(first) - 1)].tolist()
        kept = []
        for a, b in pairwise([*dict.fromkeys(cuts), len(above)]):
            stays = self.raised_family(pairs.picked(slice(a, b)), above[a:b])
            if stays is not None:
                kept.append(stays)
        return _concatenated_groups(kept) if kept else None

    def raised_family(self, pairs: _OpenGroups, above: _Index) -> _OpenGroups | None:
        """Move the pairs of some families to the parents at positions ``above (p,)``."""
        d = self.displacement(pairs.at, above)
        count = self.count[pairs.at]
        columns = np.empty_like(pairs.columns)
        for k, column in enumerate(pairs.columns):
            columns[k] = moved_parameters(column, d)
        columns *= count
        here = _OpenGroups(above, pairs.group, columns, pairs.tensor * count, pairs.members).merged()
        closes = self.alone[here.at] & (here.members == self.total[here.group])
        starts = np.flatnonzero(np.append(True, here.at[1:] != here.at[:-1]))
        ranks = self.working.rank[here.at[starts]]
        squares = here.squares()
        closed = np.where(closes, squares, 0.0)
        squares -= closed
        self.closed[:, ranks] += np.add.reduceat(closed, starts, axis=1)
        self.open[:, ranks] += np.add.reduceat(squares, starts, axis=1)
        stays = ~closes & self.working.goes_up[here.at]
        return here.picked(np.flatnonzero(stays)) if stays.any() else None

    def displacement(self, at: _Index, above: _Index) -> Floats:
        """Return the poles ``(3, p)`` of positions ``at`` seen from those of their parents ``above``."""
        working = self.working
        result = np.zeros((3, len(at)))
        if working.bodies.center is None:
            return result
        own = working.goes_up[at]
        reference = working.bodies.center[working.tree.order[at]].T.copy()
        reference[:, own] = working.sums[REFERENCE, working.rank[at[own]]]
        offset = np.zeros((3, len(at)))
        offset[:, own] = working.sums[OFFSET, working.rank[at[own]]]
        result = reference - working.sums[REFERENCE, working.rank[above]]
        result += offset - working.sums[OFFSET, working.rank[above]]
        return result


def _is_held_once(working: RollupState, count: Floats) -> Mask:
    """Return which positions ``(n,)`` occur one time in the tree: every quantity on the path is 1."""
    tree = working.tree
    alone: Mask = count == 1.0
    bounds = tree.levels.tolist()
    up = tree.parent_position()
    for low, high in pairwise(bounds[1:]):
        alone[low:high] &= alone[up[low:high]]
    return alone


def _latent_groups(correlation: Correlation) -> dict[int, list[tuple[int, Floats]]]:
    """Return for every coupled group its latent groups and the factors F of the ten quantities: z = F u."""
    # as many groups are latent as are coupled, and they have the same numbers
    coupled = correlation.coupled.tolist()
    if not coupled:
        return {}
    factors = correlation.factors()
    return {
        group: [(latent, factors[:, i, j]) for j, latent in enumerate(coupled) if bool(factors[:, i, j].any())]
        for i, group in enumerate(coupled)
    }


def assembly_covariances(
    working: RollupState, inputs: RollupInputs, given: Covariances | None, is_point: Mask
) -> Covariances:
    """Return the covariances of the computed assemblies about their own centres.

    Parameters
    ----------
    working : RollupState
        Masses and poles of all assemblies.
    inputs : RollupInputs
        Inputs of n items, with sigmas.
    given : Covariances or None
        Covariances of leaves that represent branches, without shared uncertainties; they replace the sigmas.
    is_point : array of bool, shape (n,)
        By position; an assembly that is a point mass has no tensor.

    Returns
    -------
    Covariances
        One for each assembly that is not stated; about the reference leaf if its masses cancel.

    Notes
    -----
    docs/formulas.md, sections 5 and 6.
    """
    sums = CovarianceRollup(working, inputs, given)
    still_open = None
    if not inputs.correlation.is_none or _LotMembers.of(inputs) is not None:
        closed, still_open = _SharedUncertainty(working, inputs).run()
        sums.packed[:, : len(working.inner)] = closed
    packed = sums.run()
    if still_open is not None:
        packed += still_open
    if working.is_signed:
        packed = _moved_to_centers(working, packed)
    point = np.flatnonzero(is_point[working.inner])
    if len(point):
        packed[np.ix_(TENSOR_PAIRS, point)] = 0.0
    up = working.goes_up[working.inner]
    items = working.tree.order[working.inner]
    return Covariances(items, packed) if up.all() else Covariances(items[up], packed[:, np.flatnonzero(up)])


def _moved_to_centers(working: RollupState, packed: Floats) -> Floats:
    """Return covariances ``(55, assemblies)`` about the centres, or the reference points without one."""
    sums = working.sums
    seen = np.where(is_without_center(sums[MASS], sums[SIZE_OF_MASS]), sums[OFFSET], -sums[CENTER_ROWS])
    away = np.flatnonzero(seen.any(axis=0))
    result = packed.copy()
    result[:, away] = branch_terms(packed[:, away], seen[:, away])
    return result
