"""Uncertain poses in the covariance of branches: shared poses, and what they move."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import phi
from massprops_cli.bodies.pose_uncertainty import pose_derivatives
from massprops_cli.rollups.covariance import inputs_along_rows
from massprops_cli.rollups.inputs import NO_GROUP, NO_LOT, Correlation, RollupInputs, ShapeDeviations
from massprops_cli.rollups.leaf_sums import (
    PRINCIPAL_MOMENT_NAMES,
    FlatItem,
    Mask,
    flat_item,
    input_sigmas,
    leaf_gradients,
    principal_moment_gradients,
    reject_overflow,
    result_gradient,
    result_needs,
)
from massprops_cli.rollups.shared_uncertainty import JointDeviations, joint_deviations, source_deviations

_Floats = NDArray[np.float64]
POSE_INPUT_NAMES = ("tx", "ty", "tz", "rx", "ry", "rz")
"""The inputs of a pose, along the axes of the root: shifts of its origin, small rotations about it."""
_Indices = NDArray[np.intp]
_ROUNDING = 1e-14  # share of a variance below which what weighing leaves is rounding
LEAF_PART, GROUP_PART, JOINT_PART, POSE_PART, SHAPE_PART = 0, 1, 2, 3, 4
"""Kind of a part: own uncertainties of one leaf, shared ones of a group, those of all coupled groups together, the
uncertain pose of an item, whose six inputs are in the rows 1 to 6, or one input of a shape, in row 0."""
_JOINED_GROUPS = -1  # the number of the part of all coupled groups


class PoseEffects(NamedTuple):
    """p uncertain poses below an item."""

    items: NDArray[np.intp]  # (p,)
    derivatives: _Floats  # (p, 10, 6) of (m, h, J) of the item about its centre by shift and rotation
    covariance: _Floats  # (p, 6, 6) axes of the root
    times: _Floats  # (p,) pieces that share the deviation of a pose
    weight: _Floats  # (p,) factor of the variance of one pose

    def parts(self, row: _Floats) -> tuple[_Floats, _Floats, _Floats]:
        """Return variances, derivatives and sigmas, (6, p) each, for the gradient (10,) of a result by (m, h, J)."""
        # columns of the variances add up to g C gᵀ with g = row D: docs/formulas.md, section 12
        g = np.einsum("a,pab->pb", row, self.derivatives)
        parts = self.weight[:, None] * g * np.einsum("pab,pb->pa", self.covariance, g)
        sigma = np.sqrt(np.diagonal(self.covariance, axis1=1, axis2=2))
        return parts.T, (self.times[:, None] * g).T, np.asarray(sigma.T)


def pose_effects(inputs: RollupInputs, item: int, flat: FlatItem, needs: str) -> PoseEffects | None:
    """Return the uncertain poses below an item, shared by pieces of a row only: docs/formulas.md, section 12."""
    placed = inputs.placement
    if placed is None or placed.covariance is None or flat.center is None:
        return None
    members, below, counts = inputs.tree.branch(item, inputs.quantity)
    path = below.path_quantities(counts)
    is_moved = placed.covariance[members].any(axis=(1, 2)) & (below.parent >= 0) & (path.count != 0)
    if inputs.stated is not None:  # nothing goes up through a stated assembly
        is_moved &= ~below.is_below(inputs.stated[members])
    chosen = np.flatnonzero(is_moved)
    if not len(chosen):
        return None
    ten = np.zeros((len(chosen), 10))
    for k, at in enumerate(members[chosen].tolist()):
        branch = flat_item(inputs, at, needs=needs)
        assert branch.center is not None
        d = branch.center - flat.center
        ten[k, 0], ten[k, 1:4] = branch.total, branch.total * d
        if branch.inertia is not None:
            ten[k, 4:] = branch.inertia + branch.total * phi(d[None])[0]
    up = below.parent[chosen]
    count = counts.count[chosen]
    return PoseEffects(
        members[chosen],
        pose_derivatives(ten, placed.origin[members[chosen]] - flat.center),
        placed.covariance[members[chosen]],
        count * path.count[up],
        count**2 * path.variance_weight()[up],
    )


class _Sensitivities(NamedTuple):
    """The ten inputs of k leaves: derivatives of a result and their sigmas."""

    slope: _Floats  # (10, k) derivatives of the result by the inputs of one piece
    sigma: _Floats  # (10, k)
    times: _Floats  # (k,) quantity of each leaf
    weight: _Floats  # (k,) factor of the variance of its independent pieces
    gradient: _Floats = np.zeros((10, 0))  # (10, k) by the additive parameters about the own centre


class _VariancePartition(NamedTuple):
    """r independent parts of a variance."""

    kind: NDArray[np.int8]  # (r,)
    number: _Indices  # (r,) the leaf's place, the group's number or _JOINED_GROUPS
    arrays: _Floats  # (3, 10, r) variances by input; slopes, of all pieces and members together; sigmas of the input
    shared: _Floats  # (k,) what each leaf adds to its group's variance
    gain: _Floats  # (r,) of the variance, if the masses are weighed
    source: NDArray[np.str_]  # (r,) input of a shape; empty where the ten values are the inputs

    @classmethod
    def of(cls, kind: NDArray[np.int8], number: _Indices, arrays: _Floats, shared: _Floats) -> _VariancePartition:
        """Return parts (r,) whose inputs are the ten values; slopes and sigmas are NaN where members' sigmas differ."""
        return cls(kind, number, arrays, shared, arrays[0, 0].copy(), np.full(len(kind), ""))

    @property
    def parts(self) -> _Floats:
        """Variances by input ``(10, r)``."""
        return np.asarray(self.arrays[0])

    def picked(self, at: _Indices) -> _VariancePartition:
        """Return some parts (j,)."""
        arrays, gain, source = self.arrays[:, :, at], self.gain[at], self.source[at]
        return _VariancePartition(self.kind[at], self.number[at], arrays, self.shared, gain, source)

    def with_parts(
        self, kind: int, number: _Indices, arrays: _Floats, gain: _Floats, source: NDArray[np.str_]
    ) -> _VariancePartition:
        """Return the partition with s more parts of one kind; ``arrays (3, 10, s)``."""
        kinds, numbers = np.append(self.kind, np.full(len(number), kind, np.int8)), np.append(self.number, number)
        joined, names = np.concatenate([self.arrays, arrays], axis=2), np.concatenate([self.source, source])
        return _VariancePartition(kinds, numbers, joined, self.shared, np.append(self.gain, gain), names)


class _JointLeaves(NamedTuple):
    """Leaves that deviate together: places ``at (j,)`` in the flat item; lot g is group first + g.

    Their s uncertain inputs have places in the flat item as items.
    """

    at: _Indices
    joint: JointDeviations
    first: int
    sources: ShapeDeviations

    def shown_groups(self, sharing: Correlation) -> Correlation:
        """Return groups in which lots are groups too."""
        names = [*sharing.labels, *(f"group {g + 1}" for g in range(len(sharing.labels), self.first))]
        group = sharing.group.copy()
        of_lot = self.joint.group != NO_LOT
        group[self.at[of_lot]] = self.first + self.joint.group[of_lot]
        return replace(sharing, group=group, labels=[*names, *(f"lot {name}" for name in self.sources.labels)])


def _joint_leaves(inputs: RollupInputs, flat: FlatItem) -> _JointLeaves | None:
    """Return the leaves of a flat item whose values deviate together; None without any."""
    joint, sources = joint_deviations(inputs, along_rows=True), source_deviations(inputs)
    if joint is None or sources is None:
        return None
    place = np.full(len(inputs.tree), -1, np.intp)
    place[flat.items] = np.arange(len(flat))
    kept, correlation = joint.picked(np.flatnonzero(place[joint.items] >= 0)), inputs.correlation
    if not len(kept.items):
        return None
    first = max(correlation.group.max(initial=NO_GROUP), correlation.coupled.max(initial=NO_GROUP)) + 1
    sources = replace(sources, items=place[sources.items])
    inside = np.flatnonzero(sources.items >= 0)
    return _JointLeaves(place[kept.items], kept, int(first), sources.picked_sources(inside))


def _full_partition(leaf: _Sensitivities, sharing: Correlation, of: _JointLeaves | None) -> _VariancePartition:
    """Return the independent parts of a variance, with those of leaves whose values deviate together."""
    if of is None:
        return _variance_partition(leaf, sharing)
    alone = leaf.sigma.copy()
    alone[:, of.at] = 0.0
    found = _variance_partition(leaf._replace(sigma=alone), sharing)
    g = leaf.gradient[:, of.at]
    row = np.full(len(leaf.times), -1, np.intp)
    leaves = np.flatnonzero(found.kind == LEAF_PART)
    row[found.number[leaves]] = leaves
    found.parts[:, row[of.at]] += leaf.weight[of.at] * g**2 * of.joint.rest.T
    found.arrays[2][:, row[of.at]] = leaf.sigma[:, of.at]
    # of a weighed mass: V − V₀ V₀ᵀ / V₀₀
    with_mass = of.joint.own[:, :, 0]
    pull = np.einsum("jb,bj->j", with_mass, g) ** 2
    found.gain[row[of.at]] = leaf.weight[of.at] * np.divide(
        pull, with_mass[:, 0], out=np.zeros_like(pull), where=with_mass[:, 0] > 0
    )
    sources = of.sources
    change = np.einsum("sa,as->s", sources.vectors, leaf.gradient[:, sources.items])
    own, of_lot = np.flatnonzero(sources.lot == NO_LOT), np.flatnonzero(sources.lot != NO_LOT)
    found = _with_sources(found, leaf, sources.picked_sources(own), change[own], row)
    found = found.picked(np.setdiff1d(np.arange(len(found.kind)), row[of.at][~found.parts[:, row[of.at]].any(axis=0)]))
    return _with_lots(found, leaf, sources.picked_sources(of_lot), change[of_lot], of.first) if len(of_lot) else found


def _in_first_row(*values: _Floats) -> _Floats:
    """Return arrays (…, 10, s) with values (s,) in row 0, and 0 in the others."""
    ten = np.zeros((len(values), 10, len(values[0])))
    ten[:, 0] = values
    return ten


def _with_sources(
    found: _VariancePartition, leaf: _Sensitivities, of: ShapeDeviations, change: _Floats, row: _Indices
) -> _VariancePartition:
    """Return a partition with one part for each input of a shape, the largest of a leaf with the gain of the leaf."""
    # change (s,) is that of the result by one sigma of each source, row (k,) the part of each leaf
    at = of.items
    variance = leaf.weight[at] * change**2
    order = np.lexsort((-variance, at))
    first = order[np.unique(at[order], return_index=True)[1]]
    gain = np.zeros(len(at))
    gain[first] = found.gain[row[at[first]]]
    found.gain[row[at[first]]] = 0.0
    arrays = _in_first_row(variance, leaf.times[at] * change / of.sigmas, of.sigmas)
    return found.with_parts(SHAPE_PART, at, arrays, gain, of.names)


def _with_lots(
    found: _VariancePartition, leaf: _Sensitivities, of: ShapeDeviations, change: _Floats, first: int
) -> _VariancePartition:
    """Return a partition with one part for each lot, of the changes (s,); weighed masses leave nothing of it."""
    lots, start, which = np.unique(of.lot, return_index=True, return_inverse=True)
    moved = leaf.times[of.items] * change
    total: _Floats = np.bincount(which, moved).astype(float)
    np.add.at(found.shared, of.items, moved * total[which])
    sigma = of.sigmas[start]
    sigma[which[of.sigmas != sigma[which]]] = np.nan
    arrays = _in_first_row(total**2, total / sigma, sigma)
    return found.with_parts(GROUP_PART, first + lots, arrays, total**2, np.full(len(lots), "density"))


def _variance_partition(leaf: _Sensitivities, sharing: Correlation) -> _VariancePartition:
    """Return the variance of a result as independent parts (docs/formulas.md, section 6)."""
    k = len(leaf.times)
    ten = np.array([leaf.weight * (leaf.slope * leaf.sigma) ** 2, leaf.times * leaf.slope, leaf.sigma])
    if sharing.is_none:
        return _VariancePartition.of(np.full(k, LEAF_PART, np.int8), np.arange(k), ten, np.zeros(k))
    member = np.flatnonzero(sharing.group != NO_GROUP)
    member = member[np.argsort(sharing.group[member], kind="stable")]
    for a in sharing.shared_inputs:
        ten[0, a, member] = 0.0
    own_parts = np.flatnonzero((sharing.group == NO_GROUP) | (ten[0] > 0).any(axis=0))
    together = _group_partition(leaf, member, sharing)
    return _VariancePartition.of(
        np.concatenate([np.full(len(own_parts), LEAF_PART, np.int8), together.kind]),
        np.concatenate([own_parts, together.number]),
        np.concatenate([ten[:, :, own_parts], together.arrays], axis=2),
        together.shared,
    )


def _group_partition(leaf: _Sensitivities, member: _Indices, sharing: Correlation) -> _VariancePartition:
    """Return the parts of all groups; ``member`` are the leaves in groups, those of one group together."""
    groups, first, counts = np.unique(sharing.group[member], return_index=True, return_counts=True)
    moved = np.zeros((10, len(member)))
    which = sharing.shared_inputs
    moved[which] = (leaf.times * leaf.slope * leaf.sigma)[np.ix_(which, member)]
    sums = np.add.reduceat(moved, first, axis=1)
    # Σ_h R_gh G_h ``(10, groups)`` of every group (G if not coupled), and which groups are coupled
    place = np.searchsorted(groups, sharing.coupled)
    here = np.flatnonzero(np.isin(sharing.coupled, groups))
    at = place[here]
    pull = sums.copy()
    of = np.array(sharing.matrix_of)
    for k, matrix in enumerate(sharing.matrix):
        rows = np.flatnonzero(of == k)
        pull[np.ix_(rows, at)] = sums[np.ix_(rows, at)] @ matrix[np.ix_(here, here)]
    coupled = np.zeros(len(groups), bool)
    coupled[at] = True
    shared = np.zeros(len(leaf.times))
    shared[member] = (moved * np.repeat(pull, counts, axis=1)).sum(axis=0)
    each = leaf.sigma[:, member]
    sigma = np.minimum.reduceat(each, first, axis=1)
    slope = np.add.reduceat((leaf.times * leaf.slope)[:, member], first, axis=1)
    differ = sigma != np.maximum.reduceat(each, first, axis=1)
    slope[differ] = sigma[differ] = np.nan
    arrays, kind = np.array([sums * pull, slope, sigma]), np.full(len(groups), GROUP_PART, np.int8)
    whole = _VariancePartition.of(kind, groups.astype(np.intp), arrays, shared)
    return _joint_partition(whole, coupled) if coupled.any() else whole


def _joint_partition(groups: _VariancePartition, coupled: NDArray[np.bool_]) -> _VariancePartition:
    """Return the coupled groups as one part, because they are not independent of each other."""
    alone, joint = ~coupled, np.full((3, 10, 1), np.nan)
    joint[0, :, 0] = groups.parts[:, coupled].sum(axis=1)
    kind = np.append(groups.kind[alone], np.int8(JOINT_PART))
    number = np.append(groups.number[alone], _JOINED_GROUPS)
    return _VariancePartition.of(kind, number, np.concatenate([groups.arrays[:, :, alone], joint], 2), groups.shared)


@dataclass(frozen=True, eq=False)
class VarianceBudget:
    """The variance of one result of one item as r independent parts, largest first."""

    of: str  # name of the result
    value: float  # mass, length or mass × length²
    kind: NDArray[np.int8]  # (r,) LEAF_PART, GROUP_PART, JOINT_PART, POSE_PART or SHAPE_PART
    number: NDArray[np.intp]  # (r,) item, group, or −1 for the joint row
    parts: _Floats  # (10, r) squared unit of the result: variances by mass, Cx … Cz, Ixx … Iyz
    slope: _Floats  # (10, r) by each input, all pieces and members together; NaN where members' sigmas differ
    input_sigmas: _Floats  # (10, r) unit of the input; NaN likewise
    flat: FlatItem  # the k leaves
    sharing: Correlation  # groups of the k leaves
    shared: _Floats  # (k,) part of each leaf in its group's variance; negative where it opposes the others
    gap: float  # from a principal moment to its neighbour, in sigmas of the difference; infinite for other results
    gain: _Floats  # (r,) squared unit of the result: what weighing removes; for all rows of a shape, in the first
    source: NDArray[np.str_]  # (r,) input of a shape, in row 0 of the arrays; empty where the ten values are the inputs

    @property
    def variance(self) -> float:
        """The variance of the result."""
        return float(self.parts.sum())

    @property
    def sigma(self) -> float:
        """The standard deviation of the result, in its own unit."""
        return float(np.sqrt(self.variance))

    @cached_property
    def share(self) -> _Floats:
        """Share of the variance of each row ``(r,)``; they add up to 1, or are 0 where nothing is uncertain."""
        variance = self.variance
        return self.parts.sum(axis=0) / variance if variance > 0 else np.zeros(self.parts.shape[1])

    @cached_property
    def input(self) -> NDArray[np.intp]:
        """The input with the largest part in each row ``(r,)``, by its place in the ten."""
        largest: NDArray[np.intp] = self.parts.argmax(axis=0)
        return largest

    @cached_property
    def input_share(self) -> _Floats:
        """Share of that input in the variance of its row ``(r,)``."""
        whole = self.parts.sum(axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(self.parts[self.input, np.arange(len(whole))] / whole)

    @cached_property
    def derivative(self) -> _Floats:
        """The derivative of the result by that input ``(r,)``."""
        return np.asarray(self.slope[self.input, np.arange(len(self.number))])

    @cached_property
    def input_sigma(self) -> _Floats:
        """The sigma of that input ``(r,)``."""
        return np.asarray(self.input_sigmas[self.input, np.arange(len(self.number))])

    @cached_property
    def by_group(self) -> tuple[NDArray[np.intp], NDArray[np.int32]]:
        """Places in ``flat`` sorted by group ``(k,)``, and their groups."""
        order: NDArray[np.intp] = np.argsort(self.sharing.group, kind="stable")
        return order, self.sharing.group[order]

    def members(self, row: int) -> NDArray[np.intp]:
        """Return the leaves (k,), as places in ``flat``, that share a row, largest part first; none for a leaf."""
        if self.kind[row] in (LEAF_PART, POSE_PART, SHAPE_PART):
            return np.zeros(0, np.intp)
        groups = self.sharing.coupled if self.kind[row] == JOINT_PART else self.number[row : row + 1]
        order, sorted_groups = self.by_group
        first, last = (np.searchsorted(sorted_groups, groups, side).tolist() for side in ("left", "right"))
        inside = np.concatenate([order[a:b] for a, b in zip(first, last, strict=True)])
        return inside[np.argsort(-self.shared[inside], kind="stable")]

    def weighed(self, n: int, done: Mask | None = None) -> tuple[NDArray[np.intp], float]:
        """Return rows (≤ n,) whose masses are best weighed, and the sigma that remains without their mass sigmas."""
        # largest gains, without done (r,); weighing a group removes what its members share
        gain = self.gain if done is None else np.where(done, 0.0, self.gain)
        best = np.argsort(-gain, kind="stable")[:n]  # leaves and groups are independent: these are the best n
        best = best[gain[best] > 0]
        left = float((self.parts.sum(axis=0) - np.isin(np.arange(len(gain)), best) * gain).sum())
        return best, float(np.sqrt(left)) if left > _ROUNDING * self.variance else 0.0


def variance_budget(inputs: RollupInputs, *, of: str = "mass", item: int | None = None) -> VarianceBudget:
    """Return the variance of a result of an item as independent parts: docs/formulas.md, section 6."""
    needs = result_needs(of)
    assert inputs.sigmas is not None
    flat = flat_item(inputs, int(inputs.tree.order[0]) if item is None else item, needs=needs)
    value, row = result_gradient(of, flat)
    sigma = input_sigmas(flat, inputs.bodies, inputs.sigmas, needs)
    turn = poses = None
    if inputs.placement is not None and needs != "mass":
        sigma, turn = inputs_along_rows(inputs, flat.items, sigma)
        poses = pose_effects(inputs, int(inputs.tree.order[0]) if item is None else item, flat, needs)
    sharing = inputs.correlation.picked(flat.items)
    with np.errstate(over="ignore", invalid="ignore"):  # numbers too large are checked below
        joint = _joint_leaves(inputs, flat)

        def partition(gradient: _Floats) -> _VariancePartition:
            """Return the parts of the variance of a result with a gradient ``(10,)``."""
            leaf = _sensitivities_of(flat, gradient, sigma, turn)
            return _with_poses(_full_partition(leaf, sharing, joint), gradient, poses)

        found = partition(row)
        gap = _moment_gap(of, flat, partition)
        reject_overflow(np.append(found.parts.sum(), value))
    order = np.argsort(-found.parts.sum(axis=0), kind="stable")
    kind, number, (parts, slope, deviations), shared, gain, source = found.picked(order)
    is_own = np.isin(kind, (LEAF_PART, SHAPE_PART))
    number[is_own] = flat.items[number[is_own]]
    sharing = sharing if joint is None else joint.shown_groups(sharing)
    return VarianceBudget(of, value, kind, number, parts, slope, deviations, flat, sharing, shared, gap, gain, source)


def _with_poses(found: _VariancePartition, row: _Floats, poses: PoseEffects | None) -> _VariancePartition:
    """Return a partition with the parts of uncertain poses, their six inputs in the rows 1 to 6."""
    if poses is None:
        return found
    p = len(poses.items)
    ten = np.zeros((3, 10, p))
    ten[:, 1:7] = poses.parts(row)
    return found.with_parts(POSE_PART, poses.items, ten, np.zeros(p), np.full(p, ""))


def _sensitivities_of(flat: FlatItem, row: _Floats, sigma: _Floats, turn: _Floats | None = None) -> _Sensitivities:
    """Return the derivatives of a result by the ten inputs of each leaf, from its gradient ``row (10,)``."""
    # a leaf's own parameters are m, m (c − c_i) and I, so the derivative by its centre is m times that by its first
    # moment
    slope = leaf_gradients(row, flat.arm, len(flat))
    gradient = slope.copy()
    slope[1:4] *= flat.mass
    if turn is not None:
        slope, gradient = (np.einsum("kab,ak->bk", turn, one) for one in (slope, gradient))
    return _Sensitivities(slope, sigma, flat.times, flat.weight, gradient)


def _moment_gap(of: str, flat: FlatItem, partition: Callable[[_Floats], _VariancePartition]) -> float:
    """Return the difference of a principal moment from the nearest other one, in sigmas of the difference."""
    if of not in PRINCIPAL_MOMENT_NAMES or flat.inertia is None:
        return np.inf
    three, k = principal_moment_gradients(flat.inertia), PRINCIPAL_MOMENT_NAMES.index(of)
    value, gradient = three[k]
    gaps = []
    for j in (k - 1, k + 1):
        if 0 <= j < len(three):
            spread = partition(three[j][1] - gradient).parts.sum()
            away = abs(three[j][0] - value)
            gaps.append(away / float(np.sqrt(spread)) if spread > 0 else np.inf if away > 0 else 0.0)
    return min(gaps)
