"""Leaves → root: every assembly's covariance about its pole, 55 numbers a node.

The tree's masses and poles are known by now: V = Σ w T(p − p_i) V_i T(p − p_i)ᵀ over the children, w being the factor
of variance of the child's quantity (formulas.md, section 5). The terms of parts do not depend on levels, so they are
added first, all levels together; then those of assemblies, level by level. The pole, a branch's own centre where no
mass is negative, is always among its leaves (``combine``); at the end V is moved to the centres.

The ten additive parameters of a body about a reference point are p = (m, hx, hy, hz, Jxx, Jyy, Jzz, Jxy, Jxz, Jyz):
mass, first moment h = m (c − ref) and tensor J = I + m Phi(c − ref) about that point. Seen from another point they are
p' = T p, by the parallel-axis theorem. A covariance of them is kept as 55 numbers: the upper triangle, row by row.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from massprops_cli.rollups.combination import RollupState, child_poles_from_parents
from massprops_cli.rollups.inputs import NO_GROUP, RollupInputs
from massprops_cli.trees import Families, family_blocks, level_blocks

_Index = NDArray[np.int32]
_Floats = NDArray[np.float64]

_Real: TypeAlias = Any
"""A float, or an array of floats: the arithmetic is the same."""


def moved_parameters(p: Any, d: Any) -> tuple[_Real, ...]:
    """Return the ten parameters p about a point from which the one they were about is seen at ``d = (x, y, z)``.

    Both are sequences of floats, or of arrays of floats. The order is m, hx, hy, hz, Jxx, Jyy, Jzz, Jxy, Jxz, Jyz,
    tensor entries.

    >>> moved_parameters((2.0, 0, 0, 0, 0, 0, 0, 0, 0, 0), (1.0, 3.0, 0.0))
    (2.0, 2.0, 6.0, 0.0, 18.0, 2.0, 20.0, -6.0, 0.0, 0.0)
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
VARIANCE_INDEX = tuple(PAIR_INDEX[a, a] for a in range(10))
_FULL = np.array([[PAIR_INDEX[a, b] for b in range(10)] for a in range(10)])


def full_covariances(packed: _Floats) -> _Floats:
    """Return symmetric matrices ``(…, 10, 10)`` of packed ones ``(…, 55)``.

    >>> bool((packed_covariances(full_covariances(np.arange(55.0))) == np.arange(55.0)).all())
    True
    """
    return packed[..., _FULL]


def packed_covariances(matrices: _Floats) -> _Floats:
    """Return the upper triangles ``(…, 55)`` of symmetric matrices ``(…, 10, 10)``."""
    return matrices[..., PAIR_ROWS, PAIR_COLUMNS]


@dataclass(frozen=True, eq=False)
class Covariances:
    """Covariances of the ten additive parameters of k items, each about the item's own centre.

    ``items (k,)`` are item numbers, ascending by position; ``packed (55, k)``.
    """

    items: NDArray[np.int32]
    packed: _Floats

    @cached_property
    def columns(self) -> dict[int, int]:
        """Columns by item number."""
        return {item: k for k, item in enumerate(self.items.tolist())}

    def matrix(self, item: int) -> _Floats:
        """Return one item's covariance ``(10, 10)``; raises KeyError for an item that has none."""
        return full_covariances(self.packed[:, self.columns[item]])


_MOVED_PARAMETERS = tuple(
    tuple(k for k, p in enumerate(moved_parameters(unit, (2.0, 3.0, 5.0))) if p) for unit in np.eye(10).tolist()[1:4]
)
"""For hx, hy, hz: which parameters an error of it reaches when the reference point moves."""


def _part_terms(variances: _Floats, d: _Floats) -> _Floats:
    """Return the 55 numbers ``(55, n)`` of parts whose ten errors are independent.

    ``variances (10, n)`` are those of the ten parameters about the part's own centre. An error of mass reaches all
    ten, one of a first moment five, one of a tensor entry only itself.
    """
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
    """Return T V Tᵀ ``(55, n)`` of branches with covariances ``packed (55, n)`` about points seen at ``d (3, n)``."""
    half = np.array(moved_parameters(packed[_FULL], d))
    terms = np.empty(packed.shape)
    for b, column in enumerate(moved_parameters(half.swapaxes(0, 1), d)):
        terms[_FULL[: b + 1, b]] = column[: b + 1]
    return terms


TENSOR_PAIRS = np.array([b >= 4 for _, b in PARAMETER_PAIRS])
"""Which of the 55 numbers are about the tensor."""


class CovarianceRollup:
    """The covariances of a tree's assemblies about their poles, from parts and from assemblies below.

    ``working`` holds masses and poles. ``packed (55, assemblies)`` is computed in its order, and begins with what
    shared uncertainties add (``shared_errors``); those of ``given`` leaves, which represent branches, follow. ``seen
    (3, …)`` are the poles of the same, seen from those of their parents.
    """

    def __init__(self, working: RollupState, inputs: RollupInputs, given: Covariances | None) -> None:
        assert inputs.sigmas is not None
        self.working, self.sigmas = working, inputs.sigmas
        tree, n_inner = working.tree, len(working.inner)
        self.weight = inputs.quantity.variance_weight()
        correlation = inputs.correlation
        self.group = None if correlation.is_none else correlation.group
        self.shares_centers = correlation.shares_centers
        n_given = 0 if given is None else len(given.items)
        self.packed, self.seen = np.zeros((55, n_inner + n_given)), np.zeros((3, n_inner + n_given))
        self.is_branch, self.column = working.goes_up, working.rank
        if given is not None:
            at = tree.position[given.items]
            self.is_branch, self.column = working.goes_up.copy(), working.rank.copy()
            self.is_branch[at], self.column[at] = True, np.arange(n_inner, n_inner + n_given)
            self.packed[:, n_inner:] = given.packed

    def run(self) -> _Floats:
        """Compute those of all assemblies; gives ``packed``."""
        tree = self.working.tree
        for families in family_blocks(tree):
            for piece in families.pieces():
                self.add_parts(piece)
        for families in level_blocks(tree):
            for piece in families.pieces():
                self.add_branches(piece)
        return self.packed[:, : len(self.working.inner)]

    def add_parts(self, families: Families) -> None:
        """Add to some assemblies what their parts contribute, and note where their branches are seen."""
        d = child_poles_from_parents(self.working, families)
        weight = self.weight.take(self.working.tree.order[families.low : families.high])
        terms = _part_terms(self.variances(families.low, families.high) * weight, d)
        self.packed[:, families.columns] += families.add(terms)
        branch = np.flatnonzero(self.is_branch[families.low : families.high])
        self.seen[:, self.column[families.low + branch]] = d[:, branch]

    def add_branches(self, families: Families) -> None:
        """Add to some assemblies what the assemblies among their children contribute, which are computed by now."""
        branch = np.flatnonzero(self.is_branch[families.low : families.high])
        if not len(branch):
            return
        column = self.column[families.low + branch]
        weight = self.weight.take(self.working.tree.order[families.low + branch])
        above = np.repeat(np.arange(len(families.starts)), families.sizes)[branch]
        first = np.flatnonzero(np.append(True, above[1:] != above[:-1]))  # of each family
        terms = branch_terms(self.packed[:, column] * weight, self.seen[:, column])
        self.packed[:, families.first + above[first]] += np.add.reduceat(terms, first, axis=1)

    def variances(self, low: int, high: int) -> _Floats:
        """Return what is independent of the errors of the items at positions ``low:high`` ``(10, high − low)``.

        Variances of the ten parameters about the own centres: s_m², (m s_c)², s_I²; 0 for assemblies that are computed.
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
