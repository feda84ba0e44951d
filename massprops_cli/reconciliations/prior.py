"""The list before the measurements: covariances of items with measured ones, by V of each branch and shared columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import Bodies, Sigmas
from massprops_cli.bodies.rotations import turn_matrices
from massprops_cli.rollups.covariance import full_covariances, moved_parameters, row_deviations, turned_deviations
from massprops_cli.rollups.inputs import NO_GROUP, NO_LOT, Correlation, RollupInputs, has_known_mass, is_placed_body
from massprops_cli.rollups.leaf_sums import leaf_gradients
from massprops_cli.rollups.rollup import Rollup, roll_up
from massprops_cli.rollups.shared_uncertainty import joint_deviations, source_deviations

_Floats = NDArray[np.float64]
_Items = NDArray[np.intp]


class _SharedColumns(NamedTuple):
    """Parts of groups and lots: what they deviate for one σ of each shared input."""

    items: _Items  # (M,)
    group: _Items  # (M,) groups, then lots
    columns: _Floats  # (M, 10, c) of m, h, J about the own centre, axes of the table; a lot has one


@dataclass(frozen=True, eq=False)
class Linearization:
    """All items at some values: their sums, and the covariances of their own contents without shared deviations."""

    bodies: Bodies  # (n,)
    center: _Floats  # (n, 3)
    own: _Floats  # (n, 10, 10) V about the own centre
    shared: _SharedColumns | None

    def ten(self, items: _Items, at: _Floats) -> _Floats:
        """Return m, h, J (10, k) of items about a point (3,)."""
        assert self.bodies.inertia is not None
        mass, zero = self.bodies.mass[items], np.zeros((3, len(items)))
        own = np.concatenate([mass[None], zero, self.bodies.inertia[items].T])
        return np.array(moved_parameters(own, (self.center[items] - at).T))


def _known_inputs(inputs: RollupInputs) -> RollupInputs:
    """Return inputs in which what is missing is 0 and certain; centres that are missing are the mean of the others."""
    bodies, n = inputs.bodies, len(inputs.tree)
    has_mass, placed = has_known_mass(bodies), is_placed_body(bodies) & inputs.ends
    missing = bodies.missing_axes
    center = np.zeros((n, 3)) if bodies.center is None else np.where(missing, 0.0, np.nan_to_num(bodies.center))
    if bodies.center is not None and placed.any():
        center = np.where(placed[:, None], center, center[placed].mean(axis=0))
    inertia = np.zeros((n, 6)) if bodies.inertia is None else np.nan_to_num(bodies.inertia)
    has_tensor = np.ones(n, bool) if bodies.has_inertia is None else bodies.has_inertia
    inertia = np.where((has_tensor & ~bodies.is_point)[:, None], inertia, 0.0)
    made = Bodies(np.where(has_mass, np.nan_to_num(bodies.mass), 0.0), center, inertia, bodies.is_point)

    def certain(sigmas: Sigmas | None) -> Sigmas:
        """Return sigmas with 0 for those that are missing."""
        assert sigmas is not None
        known = np.ones((n, 10), bool) if sigmas.known is None else sigmas.known
        of_center = np.zeros((n, 3)) if sigmas.center is None else np.where(known[:, 1:4], sigmas.center, 0.0)
        of_center[~placed], of_center[:, missing] = 0.0, 0.0
        of_tensor = np.zeros((n, 6)) if sigmas.inertia is None else np.where(known[:, 4:], sigmas.inertia, 0.0)
        of_tensor = np.where((has_tensor & ~bodies.is_point)[:, None], of_tensor, 0.0)
        of_mass = np.where(known[:, 0] & has_mass, sigmas.mass, 0.0)
        return Sigmas(*(np.nan_to_num(one) for one in (of_mass, of_center, of_tensor)))

    placement = inputs.placement
    if placement is not None:
        placement = replace(placement, sigmas=certain(placement.sigmas), rest=None)
    return replace(inputs, bodies=made, sigmas=certain(inputs.sigmas), placement=placement)


def item_covariances(inputs: RollupInputs, rolled: Rollup) -> _Floats:
    """Return V of all items (n, 10, 10) about their centres, axes of the table."""
    result, ends = np.zeros((len(inputs.tree), 10, 10)), np.flatnonzero(inputs.ends)
    if inputs.placement is None:
        result[ends[:, None], range(10), range(10)] = row_deviations(inputs)[ends] ** 2
    else:
        columns = turned_deviations(inputs, ends.astype(np.int32))
        result[ends] = columns @ columns.transpose(0, 2, 1)
    assert rolled.covariances is not None
    result[rolled.covariances.items] = full_covariances(rolled.covariances.packed.T)
    return result


class PriorModel:
    """The list as one Gaussian model: bodies of leaves, their σ, groups, lots and poses."""

    def __init__(self, inputs: RollupInputs) -> None:
        self.inputs = _known_inputs(inputs)
        self.tree, self.ends = inputs.tree, inputs.ends
        sharing = inputs.correlation
        self.sharing = sharing
        self._branches: dict[int, tuple[_Items, _Floats, _Floats]] = {}
        self.is_member = self.ends & (sharing.group != NO_GROUP)
        self.apart = self._without_shared()

    def _without_shared(self) -> RollupInputs:
        """Return the inputs without what groups and lots share."""
        inputs, shared = self.inputs, self.sharing.shared_inputs
        lot = np.zeros((len(self.tree), 10))
        deviations = inputs.deviations
        if (of := source_deviations(inputs)) is not None and deviations is not None:
            is_lot = of.lot != NO_LOT
            chosen = np.isin(deviations.items, of.items) & (deviations.lot != NO_LOT)
            np.add.at(lot, deviations.items[chosen], deviations.vectors[chosen] ** 2)
            deviations = deviations.picked_sources(np.flatnonzero(~chosen)) if is_lot.any() else deviations

        def rest(sigmas: Sigmas | None) -> Sigmas:
            """Return the sigmas without shared parts."""
            assert sigmas is not None
            assert sigmas.center is not None
            assert sigmas.inertia is not None
            ten = np.concatenate([sigmas.mass[:, None], sigmas.center, sigmas.inertia], axis=1)
            ten[np.ix_(self.is_member, shared)] = 0.0
            left = np.sqrt(np.maximum(ten**2 - lot, 0.0))
            ten = np.where(lot > 0, left, ten)
            return Sigmas(ten[:, 0], ten[:, 1:4], ten[:, 4:])

        placement = inputs.placement
        if placement is not None:
            placement = replace(placement, sigmas=rest(placement.sigmas))
        sigmas = inputs.sigmas if placement is not None and lot.any() else rest(inputs.sigmas)
        none = Correlation.none(len(self.tree))
        return replace(inputs, sigmas=sigmas, placement=placement, deviations=deviations, correlation=none)

    def at(self, bodies: Bodies) -> Linearization:
        """Return sums and covariances where the leaves have some values."""
        apart = replace(self.apart, bodies=bodies)
        rolled = roll_up(apart, method="covariance")
        assert rolled.bodies.center is not None
        center = np.where(np.isfinite(rolled.bodies.center), rolled.bodies.center, 0.0)
        return Linearization(rolled.bodies, center, item_covariances(apart, rolled), self._shared_columns(bodies))

    def _shared_columns(self, bodies: Bodies) -> _SharedColumns | None:
        """Return the parts of groups and lots at some values of the leaves."""
        inputs = replace(self.inputs, bodies=bodies)
        members = np.flatnonzero(self.is_member)
        columns = np.zeros((len(members), 10, 10))
        ten = row_deviations(inputs)[members]
        if inputs.bodies.center is not None:
            ten[:, 1:4] *= np.where(bodies.mass[members] < 0, -1.0, 1.0)[:, None]
        for k in self.sharing.shared_inputs:
            columns[:, k, k] = ten[:, k]
        if inputs.placement is not None and len(members):
            columns = turn_matrices(inputs.placement.rotation[members]) @ columns
        group = self.sharing.group[members].astype(np.intp)
        joint = joint_deviations(inputs)
        if joint is not None and (joint.group != NO_LOT).any():
            lots = joint.picked(np.flatnonzero(joint.group != NO_LOT))
            of_lots = np.zeros((len(lots.items), 10, 10))
            of_lots[:, :, 0] = lots.lot
            members = np.concatenate([members, lots.items])
            columns = np.concatenate([columns, of_lots])
            group = np.concatenate([group, self.first_lot + lots.group])
        return _SharedColumns(members, group, columns) if len(members) else None

    @property
    def has_uncertain_poses(self) -> bool:
        """Whether poses have σ."""
        placement = self.inputs.placement
        return placement is not None and placement.covariance is not None and bool(placement.covariance.any())

    @cached_property
    def first_lot(self) -> int:
        """The number of the first lot among groups."""
        return int(max(self.sharing.group.max(initial=NO_GROUP), self.sharing.coupled.max(initial=NO_GROUP))) + 1

    def pulled(self, sums: _Floats) -> _Floats:
        """Return Σ_h R_gh u_h of deviations u (G, 10, m) by group and input: docs/formulas.md, section 6."""
        at = self.sharing.coupled
        if not len(at) or not len(sums):
            return sums
        pull = sums.copy()
        for k, matrix in enumerate(self.sharing.matrix_of):
            pull[at, k] = self.sharing.matrix[matrix] @ sums[at, k]
        return pull

    @cached_property
    def share_of_piece(self) -> _Floats:
        """The variance of the mean of all pieces of each item (n,) by that of one piece; 0 where none counts."""
        count, weight = self.inputs.quantity.count, self.inputs.quantity.variance_weight()
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(count == 0, 0.0, weight / count**2)
        ratio[self.tree.order[0]] = 1.0
        for items, above in self.tree.levels_below_root():
            ratio[items] *= ratio[above]
        return ratio

    def branch(self, item: int) -> tuple[_Items, _Floats, _Floats]:
        """Return the items below an item that go up to it (k,), their quantity, and sizes of measured quantities."""
        if item in self._branches:
            return self._branches[item]
        members, below, quantity = self.tree.branch(item, self.inputs.quantity)
        times = np.broadcast_to(below.path_quantities(quantity).count, (len(members),)).copy()
        sizes = np.where(quantity.measured, quantity.count, 1.0)
        sizes[below.order[0]] = 1.0
        for items, above in below.levels_below_root():
            sizes[items] *= sizes[above]
        if (stated := self.inputs.stated) is not None:
            times[below.is_below(stated[members])] = 0.0
        times[below.order[0]] = 1.0
        self._branches[item] = members, times, sizes
        return members, times, sizes

    def above(self, item: int) -> Iterator[tuple[int, float]]:
        """Yield the items above an item that it goes up to, and its quantity in each."""
        times, stated = 1.0, self.inputs.stated
        for before, up in zip([item, *(path := self.tree.ancestors(item))], path, strict=False):
            if stated is not None and stated[up]:
                return
            times *= float(self.inputs.quantity.count[before])
            yield up, times


class Rows(NamedTuple):
    """Derivatives of k results, each of one item by m, h, J about its centre."""

    items: _Items  # (k,)
    gradients: _Floats  # (k, 10)
    each: NDArray[np.bool_]  # (k,) whether it is the mean of all pieces, not one of them


def places_by_item(items: _Items) -> dict[int, _Items]:
    """Return where each item is among those of rows (k,)."""
    return {int(item): np.flatnonzero(items == item) for item in dict.fromkeys(items.tolist())}


_ITEMS_TOGETHER = 512  # in products of covariances with all items, so that they stay in the processor's cache
_UNIT = np.eye(10)[:, :, None]


def _transfers(arm: _Floats) -> _Floats:
    """Return T (k, 10, 10) of moves of the reference point by arms (3, k), old minus new: section 5."""
    unit = np.broadcast_to(_UNIT, (10, 10, arm.shape[1]))
    return np.asarray(np.array(moved_parameters(unit, arm)).transpose(2, 0, 1))


class RowCovariance:
    """Covariances of rows with each other and with all items, without noise of measurements."""

    def __init__(self, prior: PriorModel, at: Linearization, rows: Rows) -> None:
        self.prior, self.at, self.rows = prior, at, rows
        self.places = places_by_item(rows.items)
        self.sums = self._group_sums()
        self.pull = prior.pulled(self.sums)

    def _arm(self, items: _Items | int, item: int) -> _Floats:
        """Return centres (3, k) of items from that of another."""
        return np.asarray((self.at.center[items] - self.at.center[item]).T)

    def _group_sums(self) -> _Floats:
        """Return how rows change for one σ of each input of each group (G, 10, k)."""
        shared, k = self.at.shared, len(self.rows.items)
        if shared is None:
            return np.zeros((0, 10, k))
        sums = np.zeros((int(shared.group.max()) + 1, 10, k))
        for item, places in self.places.items():
            members, times, _ = self.prior.branch(item)
            quantity = np.zeros(len(self.prior.tree))
            quantity[members] = times
            inside = np.flatnonzero(quantity[shared.items] != 0)
            columns = _transfers(self._arm(shared.items[inside], item)) @ shared.columns[inside]
            change = (self.rows.gradients[places] @ columns) * quantity[shared.items[inside], None, None]
            of_item = np.zeros((len(sums), 10, len(places)))
            np.add.at(of_item, shared.group[inside], change.transpose(0, 2, 1))
            sums[:, :, places] = of_item
        return sums

    def matrix(self) -> _Floats:
        """Return the covariances of the rows (k, k): of the same pieces, or of the means of all."""
        rows, each = self.rows, self.rows.each
        result = np.einsum("gak,gal->kl", self.sums, self.pull)
        measured = np.fromiter(self.places, np.intp)
        number = np.full(len(self.prior.tree), -1, np.intp)
        for item, places in self.places.items():
            members, times, sizes = self.prior.branch(item)
            number[members] = np.arange(len(members))
            others = measured[number[measured] >= 0]
            at = number[others]
            number[members] = -1
            left = rows.gradients[places] @ (_transfers(self._arm(others, item)) @ self.at.own[others])
            of_means = times[at] * self.prior.share_of_piece[others]
            for other, row, of_mean, size in zip(others.tolist(), left, of_means, sizes[at], strict=True):
                if not of_mean:
                    continue
                columns = self.places[other]
                is_mean = each[places][:, None] | each[columns]
                block = row @ rows.gradients[columns].T * np.where(is_mean, of_mean, size)
                result[np.ix_(places, columns)] += block
                if other != item:
                    result[np.ix_(columns, places)] += block.T
        return np.asarray(result)

    def with_items(self, weights: _Floats | None = None) -> _Floats:
        """Return covariances (k, n, 10) of rows with means of all items, or (1, n, 10) of their sum by weights (k,)."""
        rows, n = self.rows, len(self.prior.tree)
        k = len(rows.items) if weights is None else 1
        result = np.zeros((k, n, 10))
        for item, places in self.places.items():
            gradients = rows.gradients[places] if weights is None else (weights[places] @ rows.gradients[places])[None]
            at = places if weights is None else np.zeros(1, np.intp)
            members, times, _ = self.prior.branch(item)
            factor = times * self.prior.share_of_piece[members]
            inside = np.flatnonzero(factor)
            members, factor, arm = members[inside], factor[inside], self._arm(members[inside], item)
            for place, gradient in zip(at.tolist(), gradients, strict=True):
                down = leaf_gradients(gradient, arm, len(members)) * factor
                result[place, members] += np.einsum("kab,bk->ka", self.at.own[members], down)
            own = self.at.own[item] @ gradients.T * self.prior.share_of_piece[item]
            for up, quantity in self.prior.above(item):
                result[at, up] += quantity * np.array(moved_parameters(own, self._arm(np.array([item]), up))).T
        if self.at.shared is not None:
            pull = self.pull if weights is None else self.pull @ weights[:, None]
            result += self._shared_with_items(np.asarray(pull)).transpose(2, 0, 1)
        return np.asarray(result)

    def _shared_with_items(self, pull: _Floats) -> _Floats:
        """Return the shared part of the covariances (n, 10, k) with all items, up the levels."""
        shared, tree, prior = self.at.shared, self.prior.tree, self.prior
        assert shared is not None
        result = np.zeros((len(tree), 10, pull.shape[2]))
        np.add.at(result, shared.items, shared.columns @ pull[shared.group])
        levels, count = tree.levels.tolist(), prior.inputs.quantity.count
        for low, high in zip(levels[-2:0:-1], levels[:1:-1], strict=True):
            items = tree.order[low:high].astype(np.intp)
            items = items[result[items].any(axis=(1, 2))]
            if prior.inputs.stated is not None:
                items = items[~prior.inputs.stated[tree.parent[items]]]
            if len(items):
                up = tree.parent[items]
                d = (self.at.center[items] - self.at.center[up]).T
                np.add.at(result, up, (_transfers(d) @ result[items]) * count[items, None, None])
        return result

    def effects(self, ten: _Floats) -> _Floats:
        """Return how rows (k,) change where leaves deviate by m, h, J (n, 10) about their centres."""
        result = np.zeros(len(self.rows.items))
        for item, places in self.places.items():
            members, times, _ = self.prior.branch(item)
            inside = np.flatnonzero((times != 0) & self.prior.ends[members])
            members, times = members[inside], times[inside]
            total = np.array(moved_parameters(ten[members].T, self._arm(members, item))) @ times
            result[places] = self.rows.gradients[places] @ total
        return result


def reduced_covariances(own: _Floats, with_rows: _Floats, factor: _Floats) -> _Floats:
    """Return V − C S⁻¹ Cᵀ (n, 10, 10) of V, C (k, n, 10) and F (k, r) with F Fᵀ = S⁻¹."""
    result = own.copy()
    for low in range(0, len(own), _ITEMS_TOGETHER):
        block = with_rows[:, low : low + _ITEMS_TOGETHER]
        known = np.flatnonzero(block.any(axis=(1, 2)))
        half = np.tensordot(factor[known], block[known], axes=(0, 0)).transpose(1, 2, 0)  # (items, 10, r)
        result[low : low + _ITEMS_TOGETHER] -= half @ half.transpose(0, 2, 1)
    return result
