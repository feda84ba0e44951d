"""Leaves → root: the covariance of every assembly about its pole, 55 numbers per assembly.

Masses and poles are computed before: V = Σ w T(p − p_i) V_i T(p − p_i)ᵀ over the children, where w is the factor of
variance of the child's quantity (docs/formulas.md, section 5). The terms of parts do not depend on levels, so they are
added first, all levels together; then those of assemblies, level by level. At the end V is moved from the poles to the
centres.

The ten additive parameters of a body about a reference point are p = (m, hx, hy, hz, Jxx, Jyy, Jzz, Jxy, Jxz, Jyz):
mass, first moment h = m (c − ref) and tensor J = I + m Φ(c − ref) about that point. About another point they are p' = T
p. Their covariance is stored as 55 numbers: the upper triangle, row by row.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from massprops_cli.rollups.combination import RollupState, child_poles_from_parents
from massprops_cli.rollups.inputs import NO_GROUP, RollupInputs
from massprops_cli.trees.tree import Families, family_blocks, level_blocks

_Index = NDArray[np.int32]
_Floats = NDArray[np.float64]
_Real: TypeAlias = Any
"""A float, or an array of floats: the arithmetic is the same."""


def moved_parameters(p: Any, d: Any) -> tuple[_Real, ...]:
    """Return m, hx … hz, Jxx … Jyz (10, …) about a new point, d (3, …), length, being old point minus new point.

    T(−d) of docs/formulas.md, section 5.
    """
    x, y, z = d
    m, hx, hy, hz, jxx, jyy, jzz, jxy, jxz, jyz = p
    mx, my, mz = m * x, m * y, m * z
    sx, sy, sz = x * (2 * hx + mx), y * (2 * hy + my), z * (2 * hz + mz)
    return (
        m,
        hx + mx,
        hy + my,
        hz + mz,
        jxx + (sy + sz),
        jyy + (sx + sz),
        jzz + (sx + sy),
        jxy - (y * hx + x * (hy + my)),
        jxz - (z * hx + x * (hz + mz)),
        jyz - (z * hy + y * (hz + mz)),
    )


PARAMETER_PAIRS = tuple((a, b) for a in range(10) for b in range(a, 10))
"""The two parameters of each of the 55 numbers."""
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
        """Return the covariance (10, 10) of m, hx … hz, Jxx … Jyz of one item; KeyError if it has none.

        V of docs/formulas.md, section 5, about the own centre, axes of the table.
        """
        return full_covariances(self.packed[:, self.columns[item]])


_MOVED_PARAMETERS = tuple(
    tuple(k for k, p in enumerate(moved_parameters(unit, (2.0, 3.0, 5.0))) if p) for unit in np.eye(10).tolist()[1:4]
)
"""For hx, hy, hz: the parameters that depend on it when the reference point moves."""


def _part_terms(variances: _Floats, d: _Floats) -> _Floats:
    """Return the covariances ``(55, n)`` of parts with independent parameters, ``variances (10, n)``, seen at ``d``."""
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
    return terms


def branch_terms(packed: _Floats, d: _Floats) -> _Floats:
    """Return T V Tᵀ (55, n), covariances V (55, n) moved by d (3, n), length: old point minus new point.

    Upper triangles row by row, axes of the table: docs/formulas.md, section 5.
    """
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
TENSOR_PAIRS = np.array([b >= 4 for _, b in PARAMETER_PAIRS])
"""Which of the 55 numbers are about the tensor."""


class CovarianceRollup:
    """The covariances of a tree's assemblies about their poles, from parts and from assemblies below."""

    def __init__(self, working: RollupState, inputs: RollupInputs, given: Covariances | None) -> None:
        assert inputs.sigmas is not None
        self.working, self.sigmas = working, inputs.sigmas
        tree, n_inner = working.tree, len(working.inner)
        self.weight = inputs.quantity.variance_weight()
        correlation = inputs.correlation
        self.group = None if correlation.is_none else correlation.group
        self.shares_centers = correlation.shares_centers
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
        self._transfers, self._first_transfer = np.empty((0, 10, 10)), len(self.branches)

    def run(self) -> _Floats:
        """Return the covariances (55, assemblies) about the poles, upper triangles: docs/formulas.md, section 5."""
        tree = self.working.tree
        for families in family_blocks(tree):
            for piece in families.pieces():
                self.add_parts(piece)
        for families in level_blocks(tree):
            for piece in families.pieces():
                self.add_branches(piece)
        return self.packed[:, : len(self.working.inner)]

    def add_parts(self, families: Families) -> None:
        """Add the terms of parts to their assemblies, and store the poles of branches."""
        d = child_poles_from_parents(self.working, families)
        weight = self.weight.take(self.working.tree.order[families.low : families.high])
        terms = _part_terms(self.variances(families.low, families.high) * weight, d)
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
        terms = self._branch_terms(low, high)
        self.packed[:, parents[first]] += np.add.reduceat(terms, first, axis=1)

    def _branch_terms(self, low: int, high: int) -> _Floats:
        """Return the covariances of ``branches[low:high]`` about the poles of their parents."""
        columns = self._columns[low:high]
        packed = self.packed[:, columns] * self._weights[low:high]
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

    def variances(self, low: int, high: int) -> _Floats:
        """Return the independent s_m², (m s_c)², s_I² (10, high − low) about the own centres.

        0 for computed assemblies and for what groups share: docs/formulas.md, sections 5 and 6.
        """
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
            shared = self.group.take(items) != NO_GROUP
            result[0, shared] = 0.0
            result[4:, shared] = 0.0
            if self.shares_centers:
                result[1:4, shared] = 0.0
        result[:, self.is_branch[low:high]] = 0.0
        return result
