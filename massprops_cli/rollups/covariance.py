"""Leaves → root: V = Σ w T Vᵢ Tᵀ of p = (m, h, J) about each pole, 55 numbers each (docs/formulas.md, section 5)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import Bodies, phi
from massprops_cli.bodies.rotations import turn_matrices, vector_rotations
from massprops_cli.findings.finding import UsageError
from massprops_cli.rollups.combination import RollupState, child_poles_from_parents
from massprops_cli.rollups.inputs import NO_GROUP, Placement, RollupInputs
from massprops_cli.trees.tree import Families, Tree

_Index = NDArray[np.int32]
_Floats = NDArray[np.float64]
_Real: TypeAlias = Any  # a float, or an array of floats: the arithmetic is the same
_Mask = NDArray[np.bool_]
_EXACT_TURN = 1e-14  # cosines this near to 0 or ±1 exchange axes only, so that sigmas remain independent


def moved_parameters(p: Any, d: Any) -> tuple[_Real, ...]:
    """Return m, hx … hz, Jxx … Jyz (10, …) about the old point minus d (3, …): docs/formulas.md, section 5."""
    x, y, z = d
    m, hx, hy, hz, jxx, jyy, jzz, jxy, jxz, jyz = p
    mx, my, mz = m * x, m * y, m * z
    sx, sy, sz = x * (2 * hx + mx), y * (2 * hy + my), z * (2 * hz + mz)
    return (
        m, hx + mx, hy + my, hz + mz,
        jxx + (sy + sz), jyy + (sx + sz), jzz + (sx + sy),
        jxy - (y * hx + x * (hy + my)), jxz - (z * hx + x * (hz + mz)), jyz - (z * hy + y * (hz + mz)),
    )  # fmt: skip


PARAMETER_PAIRS = tuple((a, b) for a in range(10) for b in range(a, 10))  # the two parameters of each of the 55 numbers
PAIR_ROWS, PAIR_COLUMNS = (np.array(side) for side in zip(*PARAMETER_PAIRS, strict=True))
"""The same as arrays ``(55,)``, to pick with."""
PAIR_INDEX = {pair: k for k, pair in enumerate(PARAMETER_PAIRS)} | {
    (b, a): k for k, (a, b) in enumerate(PARAMETER_PAIRS)
}
"""Where the covariance of two parameters stands among the 55."""
VARIANCE_INDEX = tuple(PAIR_INDEX[a, a] for a in range(10))  # places of the ten variances
_FULL = np.array([[PAIR_INDEX[a, b] for b in range(10)] for a in range(10)])  # place of each entry (10, 10)


def full_covariances(packed: _Floats) -> _Floats:
    """Return packed covariances (…, 55), upper triangles row by row, any unit, as symmetric matrices (…, 10, 10)."""
    return packed[..., _FULL]


def packed_covariances(matrices: _Floats) -> _Floats:
    """Return the upper triangles row by row (…, 55) of symmetric matrices (…, 10, 10), any unit."""
    return matrices[..., PAIR_ROWS, PAIR_COLUMNS]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SharedFactors:
    """The joint effect on branches of groups with members outside; p pairs of item and group."""

    items: NDArray[np.intp]  # (p,)
    group: NDArray[np.intp]  # (p,)
    columns: _Floats  # (c, 10, p) m, hx … Jyz about the own centre per sigma of masses, then of shared coordinates
    tensor: _Floats  # (6, p) deviations of the tensor entries for one sigma of each, mass × length²


@dataclass(frozen=True, eq=False)
class Covariances:
    """Covariances of the ten additive parameters of k items, each about the item's own centre."""

    items: NDArray[np.int32]  # (k,) ascending by position
    packed: _Floats  # (55, k) upper triangles, row by row, of m, hx … hz, Jxx … Jyz
    factors: SharedFactors | None = None  # not in packed: the effect of groups with members outside the items
    branches: Covariances | None = None  # those of ``RollupInputs.branches``, with their factors

    @cached_property
    def columns(self) -> dict[int, int]:
        """Columns by item number."""
        return {item: k for k, item in enumerate(self.items.tolist())}

    def matrix(self, item: int) -> _Floats:
        """Return V (10, 10) of one item about its centre, or KeyError: docs/formulas.md, section 5, table axes."""
        return full_covariances(self.packed[:, self.columns[item]])

    def renumbered(self, number: NDArray[np.intp]) -> Covariances:
        """Return the covariances of the items with a new number (n,), −1 for all others, under these."""
        kept, factors = np.flatnonzero(number[self.items] >= 0), self.factors
        if factors is not None:
            factors = replace(factors, items=number[factors.items])
        return Covariances(number[self.items[kept]].astype(np.int32), self.packed[:, kept], factors)

    def with_leaves(self, leaves: Covariances | None) -> Covariances:
        """Return these covariances of assemblies and those of leaves."""
        if leaves is None:
            return self
        items = np.concatenate([self.items, leaves.items])
        return replace(self, items=items, packed=np.concatenate([self.packed, leaves.packed], axis=1))


_MOVED_PARAMETERS = tuple(
    tuple(k for k, p in enumerate(moved_parameters(unit, (2.0, 3.0, 5.0))) if p) for unit in np.eye(10).tolist()[1:4]
)
"""For hx, hy, hz: the parameters that depend on it when the reference point moves."""


def branch_terms(packed: _Floats, d: _Floats) -> _Floats:
    """Return T V Tᵀ (55, n) of V (55, n) moved by d (3, n), old point minus new: docs/formulas.md, section 5."""
    half = np.array(moved_parameters(packed[_FULL], d))
    terms = np.empty(packed.shape)
    for b, column in enumerate(moved_parameters(half.swapaxes(0, 1), d)):
        terms[_FULL[: b + 1, b]] = column[: b + 1]
    return terms


def _transfer_matrices(d: _Floats) -> _Floats:
    """Return the matrices T ``(n, 10, 10)`` of moves by ``d (3, n)``: p' = T p."""
    unit = np.repeat(np.eye(10)[:, :, None], d.shape[1], axis=2)
    return np.ascontiguousarray(np.array(moved_parameters(unit, d)).transpose(2, 0, 1))


_NARROW_LEVEL = 16
"""Branches of a level up to which products of matrices take less time than the formulas of ``moved_parameters``."""
_MATRICES_TOGETHER = 1_024  # transfer matrices made in one call
_TRUE = np.ones(1, bool)
TENSOR_PAIRS = np.array([b >= 4 for _, b in PARAMETER_PAIRS])  # which of the 55 numbers are about the tensor


class CovarianceRollup:
    """The covariances of a tree's assemblies about their poles, from parts and from assemblies below."""

    def __init__(self, working: RollupState, inputs: RollupInputs, given: Covariances | None) -> None:
        assert inputs.sigmas is not None
        self.working, self.sigmas = working, inputs.sigmas
        tree, n_inner = working.tree, len(working.inner)
        self.weight = inputs.quantity.variance_weight()
        correlation = inputs.correlation
        self.group = None if correlation.is_none else correlation.group
        self.shared_inputs = correlation.shared_inputs
        n_given = 0 if given is None else len(given.items)
        # first what shared uncertainties add, as working.sums, then given leaves, which represent branches;
        # seen: their poles from those of their parents
        self.packed, self.seen = np.zeros((55, n_inner + n_given)), np.zeros((3, n_inner + n_given))
        self.is_branch, self.column = working.goes_up, working.rank
        if given is not None:
            at = tree.position[given.items]
            self.is_branch, self.column = working.goes_up.copy(), working.rank.copy()
            self.is_branch[at], self.column[at] = True, np.arange(n_inner, n_inner + n_given)
            self.packed[:, n_inner:] = given.packed
        self.branches = 1 + np.flatnonzero(self.is_branch[1:])  # (k,) positions of children with a covariance
        items = tree.order[self.branches]
        self._columns, self._weights = self.column[self.branches], self.weight.take(items)
        self._parents = working.rank[tree.position[tree.parent[items]]]
        self._narrow = None if inputs.upward is None else inputs.upward.narrow[items]
        self._transfers, self._first_transfer = np.empty((0, 10, 10)), len(self.branches)

    def run(self) -> _Floats:
        """Return the covariances (55, assemblies) about the poles, upper triangles: docs/formulas.md, section 5."""
        tree = self.working.tree
        for families in tree.family_blocks():
            for piece in families.pieces():
                self.add_parts(piece)
        for families in tree.level_blocks():
            for piece in families.pieces():
                self.add_branches(piece)
        return self.packed[:, : len(self.working.inner)]

    def add_parts(self, families: Families) -> None:
        """Add the terms of parts to their assemblies, and store the poles of branches."""
        d = child_poles_from_parents(self.working, families)
        weight = self.weight.take(self.working.tree.order[families.low : families.high])
        # covariances ``(55, n)`` of parts with independent parameters, ``variances (10, n)``, seen at ``d``
        variances = self.variances(families.low, families.high) * weight
        # a deviation of a mass affects all ten parameters, one of a first moment five, one of a tensor entry only
        # itself
        n = d.shape[1]
        one, nothing = np.ones(n), np.zeros(n)
        of_mass = moved_parameters((one, *[0.0] * 9), d)
        scaled = [variances[0] * p for p in of_mass]
        terms = np.empty((55, n))
        for k, (a, b) in enumerate(PARAMETER_PAIRS):
            np.multiply(scaled[a], of_mass[b], out=terms[k])
        for axis in range(3):
            unit = [nothing] * 10
            unit[1 + axis] = one
            of_moment, reached = moved_parameters(unit, d), _MOVED_PARAMETERS[axis]
            scaled = [variances[1 + axis] * of_moment[k] for k in reached]
            for i, a in enumerate(reached):
                for b in reached[i:]:
                    terms[PAIR_INDEX[a, b]] += scaled[i] * of_moment[b]
        for j in range(4, 10):
            terms[VARIANCE_INDEX[j]] += variances[j]
        self.packed[:, families.columns] += families.add(terms)
        branch = self.is_branch[families.low : families.high].nonzero()[0]
        self.seen[:, self.column[families.low + branch]] = d[:, branch]

    def add_branches(self, families: Families) -> None:
        """Add the terms of assemblies among the children, which are computed before."""
        low, high = np.searchsorted(self.branches, (families.low, families.high)).tolist()
        if low == high:
            return
        parents = self._parents[low:high]
        first = np.concatenate([_TRUE, parents[1:] != parents[:-1]]).nonzero()[0]  # of each family
        self.packed[:, parents[first]] += np.add.reduceat(self._branch_terms(low, high), first, axis=1)

    def _branch_terms(self, low: int, high: int) -> _Floats:
        """Return the covariances of ``branches[low:high]`` about the poles of their parents."""
        columns = self._columns[low:high]
        packed = self.packed[:, columns] * self._weights[low:high]
        if self._narrow is not None:
            terms, at = branch_terms(packed, self.seen[:, columns]), np.flatnonzero(self._narrow[low:high])
            moves = _transfer_matrices(self.seen[:, columns[at]])
            terms[:, at] = packed_covariances(moves @ packed[:, at].T[:, _FULL] @ moves.swapaxes(1, 2)).T
            return terms
        if high - low > _NARROW_LEVEL or not np.isfinite(packed).all():
            return branch_terms(packed, self.seen[:, columns])
        moves = self._transfer_matrices(low, high)
        return packed_covariances(moves @ packed.T[:, _FULL] @ moves.swapaxes(1, 2)).T

    def _transfer_matrices(self, low: int, high: int) -> _Floats:
        """Return the matrices T ``(high − low, 10, 10)`` of branches; those of the next narrow levels are kept."""
        if low < self._first_transfer or high > self._first_transfer + len(self._transfers):
            self._first_transfer = max(0, high - _MATRICES_TOGETHER)
            self._transfers = _transfer_matrices(self.seen[:, self._columns[self._first_transfer : high]])
        return self._transfers[low - self._first_transfer : high - self._first_transfer]

    @staticmethod
    def narrow_items(tree: Tree) -> NDArray[np.bool_]:
        """Return the items (n,) in blocks of few branches, whose covariances are moved by matrices."""
        found, inner = np.zeros(len(tree), bool), np.append(0, np.cumsum(tree.n_children > 0))
        for families in tree.level_blocks():
            for piece in families.pieces():
                if inner[piece.high] - inner[piece.low] <= _NARROW_LEVEL:
                    found[tree.order[piece.low : piece.high]] = True
        return found

    def variances(self, low: int, high: int) -> _Floats:
        """Return the independent s_m², (m s_c)², s_I² (10, high − low), else 0: docs/formulas.md, sections 5 and 6."""
        working, sigmas = self.working, self.sigmas
        items = working.tree.order[low:high]
        result = np.zeros((10, high - low))
        np.square(sigmas.mass.take(items), out=result[0])
        if sigmas.center is not None:
            np.square(sigmas.center.take(items, axis=0).T * working.bodies.mass.take(items), out=result[1:4])
        if sigmas.inertia is not None:
            np.square(sigmas.inertia.take(items, axis=0).T, out=result[4:])
            if working.has_points:
                result[4:, working.bodies.is_point.take(items)] = 0.0
        if self.group is not None:
            result[np.ix_(self.shared_inputs, self.group.take(items) != NO_GROUP)] = 0.0
        result[:, self.is_branch[low:high]] = 0.0
        return result


def row_deviations(inputs: RollupInputs) -> _Floats:
    """Return s_m, m s_c, s_I (n, 10) along axes of the rows, 0 without sigma: docs/formulas.md, sections 5 and 12."""
    placed, sigmas = inputs.placement, inputs.sigmas
    assert sigmas is not None
    own, result = sigmas if placed is None else placed.sigmas, np.zeros((len(inputs.tree), 10))
    result[:, 0] = sigmas.mass
    if sigmas.center is not None and own is not None and own.center is not None:
        result[:, 1:4] = (
            np.abs(inputs.bodies.mass)[:, None] * own.center * np.asarray(sigmas.center.any(axis=1))[:, None]
        )
    if sigmas.inertia is not None and own is not None and own.inertia is not None:
        counted = np.asarray(sigmas.inertia.any(axis=1)) & ~inputs.bodies.is_point
        result[:, 4:] = own.inertia * counted[:, None]
    return result


def turned_deviations(inputs: RollupInputs, items: NDArray[np.int32]) -> _Floats:
    """Return M diag(s) (k, 10, 10) of items (k,), a column per input, table axes: docs/formulas.md, section 12."""
    assert inputs.placement is not None
    return np.asarray(turn_matrices(inputs.placement.rotation[items]) * row_deviations(inputs)[items][:, None, :])


def inputs_along_rows(inputs: RollupInputs, items: NDArray[np.intp], sigma: _Floats) -> tuple[_Floats, _Floats]:
    """Return sigmas (10, k) along the axes of rows, and the matrices (k, 10, 10) back: docs/formulas.md, section 12."""
    assert inputs.placement is not None
    own = inputs.placement.sigmas
    assert own is not None
    result = sigma.copy()
    for array, columns in ((own.center, slice(1, 4)), (own.inertia, slice(4, 10))):
        if array is not None:
            result[columns] = np.where(sigma[columns].any(axis=0), array[items].T, 0.0)
    return result, turn_matrices(inputs.placement.rotation[items])


def turned_leaf_covariances(inputs: RollupInputs) -> Covariances | None:
    """Return M V Mᵀ of the items whose own numbers go up and whose axes are turned: docs/formulas.md, section 12."""
    placed, sigmas = inputs.placement, inputs.sigmas
    if placed is None or sigmas is None or (sigmas.center is None and sigmas.inertia is None):
        return None
    size = np.abs(placed.rotation)
    turned = ~(np.minimum(size, np.abs(size - 1)) < _EXACT_TURN).all(axis=(1, 2))
    deviations = row_deviations(inputs)
    if not len(which := np.flatnonzero(inputs.ends & turned & deviations[:, 1:].any(axis=1))):
        return None
    which = which[np.argsort(inputs.tree.position[which])]
    variances = deviations[which] ** 2
    if not inputs.correlation.is_none:
        variances[np.ix_(inputs.correlation.group[which] >= 0, inputs.correlation.shared_inputs)] = 0.0
    V = np.zeros((len(which), 10, 10))
    V[:, 0, 0] = variances[:, 0]
    M = turn_matrices(placed.rotation[which])
    for columns in (slice(1, 4), slice(4, 10)):
        block = M[:, columns, columns]
        V[:, columns, columns] = (block * variances[:, None, columns]) @ np.swapaxes(block, 1, 2)
    return Covariances(which.astype(np.int32), np.ascontiguousarray(packed_covariances(V).T))


def pose_covariances(inputs: RollupInputs, rolled: Bodies, cancelled: _Mask) -> _Floats | None:
    """Return what uncertain poses add to covariances (55, n); None if exact: docs/formulas.md, sections 5 and 12."""
    from massprops_cli.bodies.pose_uncertainty import PoseCovariances

    placed, tree = inputs.placement, inputs.tree
    if placed is None or placed.covariance is None or rolled.center is None:
        return None
    if cancelled.any():
        raise UsageError("uncertain poses need assemblies with mass: masses of an assembly cancel (--uncertainty none)")
    count, weight, ends = inputs.quantity.count, inputs.quantity.variance_weight(), inputs.ends
    inertia = np.zeros((len(tree), 6)) if rolled.inertia is None else rolled.inertia
    result, uncertain = np.zeros((len(tree), 55)), np.asarray(placed.covariance.any(axis=(1, 2)))
    bounds = tree.levels.tolist()
    for low, high in zip(bounds[-2:0:-1], bounds[:1:-1], strict=True):
        items = tree.order[low:high]
        # a branch without mass, or of which nothing is known, has no effect
        items = items[(rolled.mass[items] != 0) & (uncertain[items] | np.asarray(result[items].any(axis=1)))]
        up = tree.parent[items]
        d = rolled.center[items] - rolled.center[up]
        mass = rolled.mass[items, None]
        ten = np.concatenate([mass, mass * d, inertia[items] + mass * phi(d)], axis=1)
        moved = PoseCovariances(placed.covariance[items]).parameter_covariances(
            ten, placed.origin[items] - rolled.center[up]
        )
        own = packed_covariances(moved) * (count[items] ** 2)[:, None]
        below = branch_terms(result[items].T, d.T).T * (weight[items] * ~ends[items])[:, None]
        np.add.at(result, up, own + below)
    return result.T


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SamplePlacement:
    """Turned axes and uncertain poses of n items."""

    nominal: _Floats  # (10, n) frame of the table; ``InputDistributions.value`` has them along the axes of the rows
    matrices: _Floats  # (n, 10, 10) turn ten deviations from the axes of the rows to those of the table
    origin: _Floats  # (n, 3) length, of the frames of the items
    factor: _Floats | None  # (n, 6, 6) F with F Fᵀ = covariance of the pose, axes of the table: length and rad

    @classmethod
    def of(cls, placed: Placement, nominal: _Floats) -> SamplePlacement:
        """Return the placement of a simulation, nominal values (10, n) in the frame of the table."""
        factor = None
        if placed.covariance is not None:
            values, vectors = np.linalg.eigh(placed.covariance)
            factor = np.asarray(vectors * np.sqrt(np.maximum(values, 0.0))[:, None, :])
        return cls(nominal, turn_matrices(placed.rotation), placed.origin, factor)

    def is_uncertain(self, item: int) -> bool:
        """Return whether the pose of an item is uncertain."""
        return self.factor is not None and bool(self.factor[item].any())

    def turn(self, drawn: _Floats, items: NDArray[np.int32]) -> _Floats:
        """Turn deviations (10, k, b) of items (k,) from rows to table axes, in place; return nominal values (10, k)."""
        for k, item in enumerate(items.tolist()):
            drawn[1:, k] = self.matrices[item, 1:, 1:] @ drawn[1:, k]
        return self.nominal[:, items]

    def deviates(self, item: int, normal: _Floats) -> _Floats:
        """Return shift and small rotation (6, b) of a pose, axes of the table, for standard normal deviates (6, b)."""
        assert self.factor is not None
        six: _Floats = self.factor[item] @ normal
        return six

    def moved(self, total: _Floats, reference: _Floats, item: int, six: _Floats) -> _Floats:
        """Move a branch, (10, b) about a point (3,), with its frame by (6, b): docs/formulas.md, section 12."""
        origin = self.origin[item]
        about = np.array(moved_parameters(total, (reference - origin).tolist()))
        about = np.einsum("nab,bn->an", turn_matrices(vector_rotations(six[3:].T)), about)
        return np.array(moved_parameters(about, [(origin - reference)[axis] + six[axis] for axis in range(3)]))
