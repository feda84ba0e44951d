"""Shared uncertainties: the joint effect of the members of a group on the items above (docs/formulas.md, section 6)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.rotations import turn_matrices
from massprops_cli.findings.finding import UsageError
from massprops_cli.rollups import combination, covariance
from massprops_cli.rollups.covariance import turned_deviations
from massprops_cli.rollups.inputs import NO_GROUP, NO_LOT, ROUNDING_OF_SOURCES, RollupInputs, ShapeDeviations

_Index = NDArray[np.intp]
_PAIRS_PER_CHUNK = 2_048  # pairs taken together, so that they stay in the processor's cache
_Floats = NDArray[np.float64]


@dataclass(slots=True, eq=False, repr=False)
class _OpenGroups:
    """Groups with members at or below some positions of one level: p pairs of position and group."""

    at: _Index  # (p,) positions, ascending
    group: _Index  # (p,)
    columns: (
        combination.Floats
    )  # (c, 10, p) about the position's pole for one sigma of the masses, and of each shared coordinate
    tensor: combination.Floats  # (6, p) deviations of the tensor entries for one sigma of them
    members: NDArray[np.int64]  # (p,) numbers of members of the group

    def picked(self, which: _Index | combination.Mask | slice) -> _OpenGroups:
        """Return the pairs at places (k,), of a mask (p,) or of a slice."""
        return _OpenGroups(*(array[..., which] for array in self.arrays()))

    def arrays(self) -> Iterator[Any]:
        """Return all arrays; pairs are along the last axis of each."""
        return (getattr(self, one.name) for one in fields(self))

    def products(self, pulled: _OpenGroups) -> combination.Floats:
        """Return the outer products of every pair with its pulled one ``(55, p)``, packed as covariances are."""
        result = np.zeros((55, len(self.at)))
        for column, pull in zip(self.columns, pulled.columns, strict=True):
            result += column[covariance.PAIR_ROWS] * pull[covariance.PAIR_COLUMNS]
        result[list(covariance.VARIANCE_INDEX[4:])] += self.tensor * pulled.tensor
        return result

    def merged(self) -> _OpenGroups:
        """Return one pair for each position and group, in order."""
        key = self.at * (int(self.group.max()) + 1) + self.group
        if bool((key[1:] > key[:-1]).all()):
            return self
        order = np.argsort(key, kind="stable")
        key = key[order]
        starts = np.flatnonzero(np.append(True, key[1:] != key[:-1]))

        def add(array: combination.Floats) -> combination.Floats:
            """Return the sums over the pairs of one position and group ``(…, p)`` → ``(…, merged)``."""
            return np.asarray(np.add.reduceat(array[..., order], starts, axis=-1))

        first = order[starts]
        members = np.add.reduceat(self.members[order], starts)
        return _OpenGroups(self.at[first], self.group[first], add(self.columns), add(self.tensor), members)


def _concatenated_groups(parts: list[_OpenGroups]) -> _OpenGroups:
    """Return all pairs as one value."""
    if len(parts) == 1:
        return parts[0]
    every = zip(*(part.arrays() for part in parts), strict=True)
    return _OpenGroups(*(np.concatenate(arrays, axis=-1) for arrays in every))


class _SharedUncertainty:
    """Shared covariances of assemblies (55, assemblies): ``closed`` go up with independent ones, ``open`` do not."""

    def __init__(
        self, working: combination.RollupState, inputs: RollupInputs, given: covariance.Covariances | None
    ) -> None:
        assert inputs.sigmas is not None
        self.working, self.sigmas, self.correlation = working, inputs.sigmas, inputs.correlation
        self.inputs, self.placement = inputs, inputs.placement
        tree, correlation = working.tree, inputs.correlation
        of_factors = np.zeros(0, np.intp) if given is None or given.factors is None else given.factors.group
        known = (correlation.group, correlation.coupled, of_factors)
        self.first_lot = max(int(groups.max(initial=NO_GROUP)) for groups in known) + 1
        self.lots = _lot_parts(inputs)
        self.lot_at = None if self.lots is None else inputs.tree.position[self.lots.items].astype(np.intp)
        self.width = 4 if correlation.shares_centers else 1  # columns of a pair
        if inputs.placement is not None:
            self.width = 10
        self.count = inputs.quantity.count[tree.order]
        self.count[0] = 1.0  # the root has no parent
        self.alone = _is_held_once(working, self.count)
        self.member = (correlation.group[tree.order] != NO_GROUP) & ~working.goes_up
        self.factors = None if given is None else given.factors
        if given is not None:  # their groups are in the factors
            self.member[tree.position[given.items]] = False
        branches = np.zeros(0, np.intp) if inputs.branches is None else inputs.branches
        self.branches, self.open_there = tree.position[branches], list[_OpenGroups]()
        self.total = self.members_in_all()
        self.place = np.full(len(self.total), -1)  # of a group in the matrices
        self.place[correlation.coupled] = np.arange(len(correlation.coupled))
        self.closed = np.zeros((55, len(working.inner)))
        self.open = np.zeros((55, len(working.inner)))

    def run(self) -> tuple[combination.Floats, combination.Floats]:
        """Follow all groups to the root and return ``closed`` and ``open``, (55, assemblies) each."""
        levels = self.working.tree.levels.tolist()
        below: _OpenGroups | None = None
        for low, high in zip(levels[-2:0:-1], levels[:1:-1], strict=True):
            own = (below, self.of_members(low, high), self.of_factors(low, high))
            parts = [part for part in own if part is not None]
            pairs = _concatenated_groups(parts).merged() if parts else None
            if pairs is not None and len(self.branches):
                self.open_there.append(pairs.picked(np.isin(pairs.at, self.branches)))
            below = None if pairs is None else self.raised(pairs)
        return self.closed, self.open

    def members_in_all(self) -> NDArray[np.int64]:
        """Return the number of members of every group (groups + lots,); −1 for groups that are never closed."""
        lots = 0 if self.lots is None else int(self.lots.group.max()) + 1
        of_factors = np.zeros(0, np.intp) if self.factors is None else self.factors.group
        totals = np.zeros(int(self.first_lot) + lots, np.int64)
        if self.lots is not None:
            np.add.at(totals, self.first_lot + self.lots.group, 1)
        np.add.at(totals, self.correlation.group[self.working.tree.order[self.member]], 1)
        totals[self.correlation.coupled] = -1  # coupled groups are never closed: others contribute to their products
        totals[of_factors] = -1  # nor are those with members that are not in the tree
        return totals

    def of_factors(self, low: int, high: int) -> _OpenGroups | None:
        """Return the pairs of the branches at positions ``low:high`` that are given with factors."""
        if self.factors is None:
            return None
        at = self.working.tree.position[self.factors.items].astype(np.intp)
        if not len(here := np.flatnonzero((at >= low) & (at < high))):
            return None
        factors, none = self.factors, np.zeros(len(here), np.int64)
        return _OpenGroups(
            at[here], factors.group[here], factors.columns[:, :, here], factors.tensor[:, here], none
        ).merged()

    def branch_factors(self) -> covariance.SharedFactors | None:
        """Return the open groups at the branches, about their centres; None if there are none."""
        if not (found := [pairs for pairs in self.open_there if len(pairs.at)]):
            return None
        pairs = _concatenated_groups(found)
        if bool((pairs.group >= self.first_lot).any()):
            raise UsageError(
                "parts of one lot are in several parts of the tree, and a file of branches does not state lots "
                "(clear the column lot, or cut the tree elsewhere)"
            )
        seen = _centers_from_poles(self.working, self.working.rank[pairs.at])
        columns = np.array([covariance.moved_parameters(column, -seen) for column in pairs.columns])
        return covariance.SharedFactors(
            self.working.tree.order[pairs.at].astype(np.intp), pairs.group, columns, pairs.tensor
        )

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
        if self.placement is not None:
            columns, tensor = self.turned_columns(items), np.zeros((6, len(at)))
        pairs = _OpenGroups(at, group, columns, tensor, np.ones(len(at), np.int64))
        return pairs if of_lots is None else _concatenated_groups([pairs, of_lots]).merged()

    def of_lots(self, low: int, high: int) -> _OpenGroups | None:
        """Return the pairs of the parts at positions ``low:high`` that share the density of a lot."""
        if self.lots is None or self.lot_at is None:
            return None
        if not len(which := np.flatnonzero((self.lot_at >= low) & (self.lot_at < high))):
            return None
        columns = np.zeros((self.width, 10, len(which)))
        columns[0] = self.lots.lot[which].T
        group, ones = self.first_lot + self.lots.group[which], np.ones(len(which), np.int64)
        return _OpenGroups(self.lot_at[which], group, columns, np.zeros((6, len(which))), ones)

    def turned_columns(self, items: NDArray[np.int32]) -> combination.Floats:
        """Return one column for each of the ten parameters of members ``(10, 10, p)``, axes of the table."""
        turned = turned_deviations(self.inputs, items)
        if not self.correlation.shares_centers:
            turned[:, :, 1:4] = 0.0
        return np.ascontiguousarray(turned.transpose(2, 1, 0))

    def pulled(self, pairs: _OpenGroups) -> _OpenGroups:
        """Return Σ_h R_gh G_h in place of the deviations G_g of every pair; h are the groups of the same position."""
        if not len(where := np.flatnonzero(self.place[pairs.group] >= 0)):
            return pairs
        pulled = replace(pairs, columns=pairs.columns.copy(), tensor=pairs.tensor.copy())
        place, at = self.place[pairs.group[where]], pairs.at[where]
        cuts = np.flatnonzero(at[1:] != at[:-1]) + 1
        whole = np.arange(len(self.correlation.coupled))
        for run, places in zip(np.split(where, cuts), np.split(place, cuts), strict=True):
            if len(run) > 1:
                self.pull(pairs, pulled, run, slice(None) if np.array_equal(places, whole) else np.ix_(places, places))
        return pulled

    def pull(self, pairs: _OpenGroups, pulled: _OpenGroups, run: _Index, inside: Any) -> None:
        """Write the products of the correlations and the pairs (k,) of one position, each matrix in one product."""
        of = np.array(self.correlation.matrix_of)
        for k, matrix in enumerate(self.correlation.matrix):
            columns = np.flatnonzero(of[: len(pairs.columns)] == k)
            entries = np.flatnonzero(of[4:] == k)
            stacked = np.concatenate([*pairs.columns[columns][:, :, run], pairs.tensor[entries][:, run]])
            if not stacked.any():
                continue
            product = stacked @ matrix[inside]
            pulled.columns[np.ix_(columns, np.arange(10), run)] = product[: 10 * len(columns)].reshape(-1, 10, len(run))
            pulled.tensor[np.ix_(entries, run)] = product[10 * len(columns) :]

    def raised(self, pairs: _OpenGroups) -> _OpenGroups | None:
        """Move the pairs of one level to the parents, add their contributions, and return those that stay open."""
        tree = self.working.tree
        above = tree.position[tree.parent[tree.order[pairs.at]]].astype(np.intp)
        first = np.flatnonzero(np.append(True, above[1:] != above[:-1]))  # of each family
        wanted = np.searchsorted(first, np.arange(0, len(above), _PAIRS_PER_CHUNK))
        cuts = first[np.minimum(wanted, len(first) - 1)].tolist()
        kept = []
        for a, b in pairwise([*dict.fromkeys(cuts), len(above)]):
            if (stays := self.raised_family(pairs.picked(slice(a, b)), above[a:b])) is not None:
                kept.append(stays)
        return _concatenated_groups(kept) if kept else None

    def raised_family(self, pairs: _OpenGroups, above: _Index) -> _OpenGroups | None:
        """Move the pairs of some families to the parents at positions ``above (p,)``."""
        d = self.displacement(pairs.at, above)
        count = self.count[pairs.at]
        columns = np.empty_like(pairs.columns)
        for k, column in enumerate(pairs.columns):
            columns[k] = covariance.moved_parameters(column, d)
        columns *= count
        here = _OpenGroups(above, pairs.group, columns, pairs.tensor * count, pairs.members).merged()
        closes = self.alone[here.at] & (here.members == self.total[here.group])
        starts = np.flatnonzero(np.append(True, here.at[1:] != here.at[:-1]))
        ranks = self.working.rank[here.at[starts]]
        squares = here.products(self.pulled(here))
        closed = np.where(closes, squares, 0.0)
        squares -= closed
        self.closed[:, ranks] += np.add.reduceat(closed, starts, axis=1)
        self.open[:, ranks] += np.add.reduceat(squares, starts, axis=1)
        stays = ~closes & self.working.goes_up[here.at]
        return here.picked(np.flatnonzero(stays)) if stays.any() else None

    def displacement(self, at: _Index, above: _Index) -> combination.Floats:
        """Return the poles ``(3, p)`` of positions ``at`` seen from those of their parents ``above``."""
        working = self.working
        result = np.zeros((3, len(at)))
        if working.bodies.center is None:
            return result
        own = working.goes_up[at]
        reference = working.bodies.center[working.tree.order[at]].T.copy()
        reference[:, own] = working.sums[combination.REFERENCE, working.rank[at[own]]]
        offset = np.zeros((3, len(at)))
        offset[:, own] = working.sums[combination.OFFSET, working.rank[at[own]]]
        result = reference - working.sums[combination.REFERENCE, working.rank[above]]
        result += offset - working.sums[combination.OFFSET, working.rank[above]]
        return result


def _is_held_once(working: combination.RollupState, count: combination.Floats) -> combination.Mask:
    """Return which positions ``(n,)`` occur one time in the tree: every quantity on the path is 1."""
    tree = working.tree
    alone: combination.Mask = count == 1.0
    bounds = tree.levels.tolist()
    up = tree.parent_position()
    for low, high in pairwise(bounds[1:]):
        alone[low:high] &= alone[up[low:high]]
    return alone


def assembly_covariances(
    working: combination.RollupState,
    inputs: RollupInputs,
    of_leaves: covariance.Covariances | None,
    is_point: combination.Mask,
    given: covariance.Covariances | None = None,
) -> covariance.Covariances:
    """Return the covariances of the computed assemblies about their own centres: docs/formulas.md, sections 5 and 6."""
    # point masses (n,), by position, have no tensor; masses that cancel: about the reference leaf
    sums = covariance.CovarianceRollup(working, inputs, of_leaves)
    shared = still_open = None
    has_factors = given is not None and given.factors is not None
    if has_factors or not inputs.correlation.is_none or _lot_parts(inputs) is not None:
        shared = _SharedUncertainty(working, inputs, given)
        closed, still_open = shared.run()
        sums.packed[:, : len(working.inner)] = closed
    packed = sums.run()
    branches = None
    if inputs.branches is not None:  # their covariances without their open groups, and these apart
        at = np.sort(working.tree.position[inputs.branches])
        ranks = working.rank[at]
        own = covariance.branch_terms(packed[:, ranks], -_centers_from_poles(working, ranks))
        apart = None if shared is None else shared.branch_factors()
        branches = covariance.Covariances(working.tree.order[at], own, apart)
    if still_open is not None:
        packed += still_open
    if working.is_signed:
        packed = _moved_to_centers(working, packed)
    if len(point := np.flatnonzero(is_point[working.inner])):
        packed[np.ix_(covariance.TENSOR_PAIRS, point)] = 0.0
    up = working.goes_up[working.inner]
    items = working.tree.order[working.inner]
    if not up.all():
        items, packed = items[up], packed[:, np.flatnonzero(up)]
    return covariance.Covariances(items, packed, branches=branches)


def _centers_from_poles(working: combination.RollupState, ranks: NDArray[np.integer]) -> combination.Floats:
    """Return the centres of assemblies from their poles ``(3, k)``."""
    return working.sums[combination.CENTER_ROWS][:, ranks] if working.is_signed else np.zeros((3, len(ranks)))


def _moved_to_centers(working: combination.RollupState, packed: combination.Floats) -> combination.Floats:
    """Return covariances ``(55, assemblies)`` about the centres, or the reference points without one."""
    sums = working.sums
    seen = np.where(
        combination.is_without_center(sums[combination.MASS], sums[combination.SIZE_OF_MASS]),
        sums[combination.OFFSET],
        -sums[combination.CENTER_ROWS],
    )
    away = np.flatnonzero(seen.any(axis=0))
    result = packed.copy()
    result[:, away] = covariance.branch_terms(packed[:, away], seen[:, away])
    return result


class JointDeviations(NamedTuple):
    """The deviations of k parts about their own centres, for one sigma of each source."""

    items: NDArray[np.intp]  # (k,) ascending by position
    own: _Floats  # (k, 10, 10) of m, hx … hz, Jxx … Jyz from own sources and from values that no shape gives
    lot: _Floats  # (k, 10) for one sigma of the density of the lot; 0 without one
    group: NDArray[np.intp]  # (k,) number of the lot, or NO_LOT
    rest: _Floats  # (k, 10) variances of values that no shape gives, axes of the rows

    def picked(self, which: NDArray[np.intp]) -> JointDeviations:
        """Return the deviations of some parts (j,), by position among these."""
        picked: Iterator[Any] = (array[which] for array in self)
        return JointDeviations(*picked)


def source_deviations(inputs: RollupInputs) -> ShapeDeviations | None:
    """Return the uncertain inputs of shapes in no group, deviations (s, 10) of m, h, J in row axes; None without."""
    of, sigmas = inputs.deviations, inputs.sigmas
    if of is None or sigmas is None:
        return None
    kept = of.picked_sources(np.flatnonzero((inputs.ends & (inputs.correlation.group == NO_GROUP))[of.items]))
    # values without a sigma do not go up: their bodies are not known, or their columns are not read
    vectors = np.where(covariance.row_deviations(inputs)[kept.items] > 0, kept.vectors, 0.0)
    vectors[:, 1:4] *= np.abs(inputs.bodies.mass[kept.items])[:, None]
    return replace(kept, vectors=vectors) if len(vectors) else None


def joint_deviations(inputs: RollupInputs, *, along_rows: bool = False) -> JointDeviations | None:
    """Return parts that deviate together, axes of table or rows, or None: docs/formulas.md, sections 5 and 12."""
    if (of := source_deviations(inputs)) is None:
        return None
    vectors = of.vectors
    items, source = np.unique(of.items, return_inverse=True)
    ten = covariance.row_deviations(inputs)[items]
    each = vectors[:, :, None] * vectors[:, None, :]
    all_sources, own = np.zeros((len(items), 10)), np.zeros((len(items), 10, 10))
    np.add.at(all_sources, source, vectors**2)
    is_lot = of.lot != NO_LOT
    np.add.at(own, source[~is_lot], each[~is_lot])
    rest = ten**2 - all_sources
    rest[rest <= ROUNDING_OF_SOURCES * ten**2] = 0.0
    own[:, range(10), range(10)] += rest
    lot, group = np.zeros((len(items), 10)), np.full(len(items), NO_LOT, np.intp)
    lot[source[is_lot]] = vectors[is_lot]
    group[source[is_lot]] = of.lot[is_lot]
    if inputs.placement is not None and not along_rows:
        M = turn_matrices(inputs.placement.rotation[items])
        own, lot = M @ own @ np.swapaxes(M, 1, 2), np.einsum("kab,kb->ka", M, lot)
    return JointDeviations(items, own, lot, group, rest).picked(np.argsort(inputs.tree.position[items], kind="stable"))


def _lot_parts(inputs: RollupInputs) -> JointDeviations | None:
    """Return the parts of lots; None without any."""
    joint = joint_deviations(inputs)
    which = np.zeros(0, np.intp) if joint is None else np.flatnonzero(joint.group != NO_LOT)
    return joint.picked(which) if joint is not None and len(which) else None


def own_covariances(
    inputs: RollupInputs, given: covariance.Covariances | None, turned: covariance.Covariances | None
) -> covariance.Covariances | None:
    """Return the covariances that replace sigmas of leaves, without shared parts; docs/formulas.md, section 12."""
    joint = joint_deviations(inputs)
    own = None if joint is None else _packed(joint, joint.own)
    return _joined_covariances(inputs, given, own, turned or covariance.turned_leaf_covariances(inputs))


def leaf_covariances(inputs: RollupInputs, turned: covariance.Covariances | None) -> covariance.Covariances | None:
    """Return the covariances of leaves from all sources, with groups and lots: docs/formulas.md, section 12."""
    if (joint := joint_deviations(inputs)) is None:
        return turned
    matrices = joint.own + joint.lot[:, :, None] * joint.lot[:, None, :]
    return _joined_covariances(inputs, _packed(joint, matrices), turned)


def _packed(joint: JointDeviations, matrices: _Floats) -> covariance.Covariances:
    """Return matrices ``(k, 10, 10)`` as covariances of the parts."""
    return covariance.Covariances(
        joint.items.astype(np.int32), np.ascontiguousarray(covariance.packed_covariances(matrices).T)
    )


def _joined_covariances(inputs: RollupInputs, *parts: covariance.Covariances | None) -> covariance.Covariances | None:
    """Return the covariances of groups of leaves by position; the first one counts where two have an item."""
    if len(known := [part for part in parts if part is not None]) < 2:
        return known[0] if known else None
    items, packed = np.concatenate([one.items for one in known]), np.concatenate([one.packed for one in known], axis=1)
    items, first = np.unique(items, return_index=True)
    order = np.argsort(inputs.tree.position[items])
    return covariance.Covariances(items[order], packed[:, first[order]])
