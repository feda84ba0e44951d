"""Leaves → root: every assembly's covariance about its pole, level by level, 55 numbers a node.

The tree's masses and poles are known by now, so one pass suffices: V = Σ w T(p − p_i) V_i T(p − p_i)ᵀ over the
children, w being the factor of variance of the child's quantity (FORMULAS 4). The pole, a branch's own centre where
no mass is negative, is always among its leaves (``combine``); at the end V is moved to the centres.

Whose errors are shared: the eight bolts of one drawing, everything that was weighed on one scale.

Members of one group share one standard deviate per quantity: ten of them, with correlation 1 between the same
quantity of two members and 0 between different quantities (FORMULAS 5). Centres are shared only on request, since
parts of one drawing are placed separately.

Ten additive parameters seen from another reference point: p' = T p, by the parallel-axis theorem (FORMULAS 4).

Covariances of ten parameters as 55 numbers: the upper triangle, row by row.

The ten additive parameters of a body about a reference point are p = (m, hx, hy, hz, Jxx, Jyy, Jzz, Jxy, Jxz, Jyz):
mass, first moment h = m (c − ref) and tensor J = I + m Phi(c − ref) about that point.

What the errors of a tree's own numbers are, whose are shared, and which leaves stand for whole branches.

What one child adds to its parent's covariance: T V Tᵀ, packed, for arrays of children (FORMULAS 4).

``d (3, n)`` are the children's poles seen from their parents'.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies import Sigmas
from massprops_cli.rollups.combination import Families, RollupState, child_poles_from_parents, family_blocks
from massprops_cli.trees import ItemQuantity, LevelRun, level_runs

_Index = NDArray[np.int32]
_Floats = NDArray[np.float64]

NO_GROUP = -1
"""The group number of an item whose errors, and those of each of its pieces, are its own."""

PARAMETER_NAMES = ("mass", "Cx", "Cy", "Cz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
"""The ten quantities in the order of every covariance and correlation."""


@dataclass(frozen=True, slots=True)
class Correlation:
    """Which of n items share their errors.

    ``group (n,)`` is the number of an item's group, ``NO_GROUP`` for errors of its own; it is read for items whose own
    numbers go up (leaves, stated assemblies). All pieces of a member share, so n pieces of it weigh n², not n, in a
    variance. ``labels[g]`` names group g. ``shares_centers`` says whether errors of centres are shared too.

    ``coupled (c,)`` are groups whose shared deviates are correlated with each other, and ``matrix (10, c, c)`` those
    correlations, one matrix for each of the ten quantities in the order mass, Cx … Cz, Ixx … Iyz; each is symmetric,
    positive semi-definite and 1 on its diagonal.

    >>> two_bolts = Correlation(np.array([NO_GROUP, 0, 0], np.int32), ["bolt"])
    >>> two_bolts.is_none, Correlation.none(3).is_none
    (False, True)
    """

    group: _Index
    labels: Sequence[str] = ()
    shares_centers: bool = False
    coupled: NDArray[np.intp] = field(default_factory=lambda: np.zeros(0, np.intp))
    matrix: _Floats = field(default_factory=lambda: np.zeros((10, 0, 0)))

    @classmethod
    def none(cls, n: int) -> Correlation:
        """Every item's errors, and every piece's, are its own."""
        return cls(np.full(n, NO_GROUP, np.int32))

    @property
    def is_none(self) -> bool:
        """Whether no errors are shared."""
        return not bool((self.group != NO_GROUP).any())

    def factors(self) -> _Floats:
        """Give F ``(10, c, c)`` with F Fᵀ = R: the coupled deviates are z = F u with independent u.

        By the eigenvectors of R, so that it may be singular.

        >>> one = Correlation(np.zeros(0, np.int32), coupled=np.arange(2), matrix=np.ones((1, 2, 2)))
        >>> (one.factors() @ one.factors().transpose(0, 2, 1)).round(12).tolist()
        [[[1.0, 1.0], [1.0, 1.0]]]
        """
        values, vectors = np.linalg.eigh(self.matrix)
        return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0))[:, None, :])

    def picked(self, items: NDArray[np.intp]) -> Correlation:
        """Give the correlation of some items, renumbered 0 … len(items) − 1; groups keep their numbers."""
        return Correlation(self.group[items], self.labels, self.shares_centers, self.coupled, self.matrix)


_Real: TypeAlias = Any
"""A float, or an array of floats: the arithmetic is the same."""


def moved_parameters(p: Any, d: Any) -> tuple[_Real, ...]:
    """Give the ten parameters p about a point from which the one they were about is seen at ``d = (x, y, z)``.

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


def _shift_matrices(d: _Floats) -> _Floats:
    """Give the matrices ``(n, 10, 10)`` of ``moved_parameters`` for displacements ``(3, n)``.

    >>> d, p = np.array([[1.0], [2.0], [3.0]]), np.arange(10.0)
    >>> bool(np.allclose(_shift_matrices(d)[0] @ p, moved_parameters(p, d[:, 0])))
    True
    """
    n = d.shape[1]
    unit = np.eye(10)[:, :, None]
    columns = [np.array([np.broadcast_to(row, n) for row in moved_parameters(unit[j], d)]) for j in range(10)]
    return np.ascontiguousarray(np.array(columns).transpose(2, 1, 0))


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
    """Give symmetric matrices ``(…, 10, 10)`` of packed ones ``(…, 55)``.

    >>> bool((packed_covariances(full_covariances(np.arange(55.0))) == np.arange(55.0)).all())
    True
    """
    return packed[..., _FULL]


def packed_covariances(matrices: _Floats) -> _Floats:
    """Give the upper triangles ``(…, 55)`` of symmetric matrices ``(…, 10, 10)``."""
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
        """Give one item's covariance ``(10, 10)``; raises KeyError for an item that has none."""
        return full_covariances(self.packed[:, self.columns[item]])


class UncertaintyInputs(NamedTuple):
    """The errors that go up a tree.

    ``given`` items are leaves that stand for branches: their covariances, which hold no shared errors, go up instead
    of their sigmas.
    """

    sigmas: Sigmas
    quantity: ItemQuantity
    correlation: Correlation
    given: Covariances | None = None


_MOVED_PARAMETERS = tuple(
    tuple(k for k, p in enumerate(moved_parameters(unit, (2.0, 3.0, 5.0))) if p) for unit in np.eye(10).tolist()[1:4]
)
"""For hx, hy, hz: which parameters an error of it reaches when the reference point moves."""


def _part_terms(variances: _Floats, d: _Floats) -> _Floats:
    """Give the 55 numbers ``(55, n)`` of parts whose ten errors are independent.

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
    """Give T V Tᵀ ``(55, n)`` of branches with covariances ``packed (55, n)`` about points seen at ``d (3, n)``."""
    half = [moved_parameters([packed[PAIR_INDEX[a, j]] for a in range(10)], d) for j in range(10)]
    terms = np.empty(packed.shape)
    for a in range(10):
        row = moved_parameters([half[j][a] for j in range(10)], d)
        for b in range(a, 10):
            terms[PAIR_INDEX[a, b]] = row[b]
    return terms


TENSOR_PAIRS = np.array([b >= 4 for _, b in PARAMETER_PAIRS])
"""Which of the 55 numbers are about the tensor."""
_POSITIONS_PER_BLOCK = 4_096
"""Children of narrow levels taken together, since whole matrices take more memory than halves."""


class CovarianceRollup:
    """The covariances of a tree's assemblies about their poles while the levels go by, deepest first.

    ``working`` holds masses and poles; ``packed (55, assemblies)`` fills up in its order, and begins with what shared
    errors add (``shared_errors``); the given ones follow.
    """

    def __init__(self, working: RollupState, errors: UncertaintyInputs) -> None:
        self.working, self.sigmas = working, errors.sigmas
        tree, n_inner = working.tree, len(working.inner)
        self.weight = errors.quantity.variance_weight()
        correlation = errors.correlation
        self.group = None if correlation.is_none else correlation.group
        self.shares_centers = correlation.shares_centers
        given = errors.given
        n_given = 0 if given is None else len(given.items)
        self.packed = np.zeros((55, n_inner + n_given))
        self.is_branch, self.column = working.goes_up, working.rank
        if given is not None:
            at = tree.position[given.items]
            self.is_branch, self.column = working.goes_up.copy(), working.rank.copy()
            self.is_branch[at], self.column[at] = True, np.arange(n_inner, n_inner + n_given)
            self.packed[:, n_inner:] = given.packed

    def go(self) -> _Floats:
        """Fill in all assemblies; gives ``packed``."""
        tree = self.working.tree
        for stretch in level_runs(tree):
            if stretch.narrow:
                for low, high in reversed(self.cut(stretch)):
                    self.narrow(low, high)
                continue
            for families in family_blocks(tree, self.working, stretch.low, stretch.high):
                self.wide(families)
        return self.packed[:, : len(self.working.inner)]

    def cut(self, stretch: LevelRun) -> list[tuple[int, int]]:
        """Cut narrow levels into runs of not too many children."""
        levels = self.working.tree.levels
        a, b = np.searchsorted(levels, [stretch.low, stretch.high])
        bounds = [stretch.low]
        for level in levels[a + 1 : b + 1].tolist():
            if level - bounds[-1] >= _POSITIONS_PER_BLOCK or level == stretch.high:
                bounds.append(level)
        return list(pairwise(bounds))

    def wide(self, families: Families) -> None:
        """Add up some whole families as arrays."""
        low, high = families.low, families.high
        if len(families.starts) == 1 and high - low > _POSITIONS_PER_BLOCK:
            cuts = range(low, high, _POSITIONS_PER_BLOCK)
            one = np.zeros(1, np.intp)
            pieces = [(a, min(a + _POSITIONS_PER_BLOCK, high)) for a in cuts]
            every = [Families(a, b, one, np.array([b - a], np.int32), families.first) for a, b in pieces]
        else:
            every = [families]
        columns = families.columns
        for piece in every:
            weight = self.weight.take(self.working.tree.order[piece.low : piece.high])
            d = child_poles_from_parents(self.working, piece)
            terms = _part_terms(self.variances(piece.low, piece.high) * weight, d)
            branch = np.flatnonzero(self.is_branch[piece.low : piece.high])
            if len(branch):
                below = self.packed[:, self.column[piece.low + branch]] * weight[branch]
                terms[:, branch] = branch_terms(below, d[:, branch])
            self.packed[:, columns] += piece.add(terms)

    def narrow(self, low: int, high: int) -> None:
        """Add up the families of the parents at positions ``low:high``: parts as arrays, branches one by one."""
        tree, working = self.working.tree, self.working
        inner = low + np.flatnonzero(tree.n_children[low:high])
        first = int(working.rank[inner[0]])
        begin = int(tree.first_child[inner[0]])
        end = int(tree.first_child[inner[-1]] + tree.n_children[inner[-1]])
        families = Families(begin, end, tree.first_child[inner].astype(np.intp) - begin, tree.n_children[inner], first)
        d = child_poles_from_parents(working, families)
        weight = self.weight.take(tree.order[begin:end])
        columns = slice(first, first + len(inner))
        self.packed[:, columns] += families.add(_part_terms(self.variances(begin, end) * weight, d))
        whole = full_covariances(np.ascontiguousarray(self.packed[:, columns].T))
        branch = np.flatnonzero(self.is_branch[begin:end])
        shift = _shift_matrices(d[:, branch])
        above = np.repeat(np.arange(len(inner)), families.sizes)[branch].tolist()
        own = (self.column[begin + branch] - first).tolist()
        times = weight[branch].tolist()
        inside = len(inner)
        for k in range(len(branch) - 1, -1, -1):
            i = own[k]
            below = whole[i] if i < inside else full_covariances(self.packed[:, first + i])
            whole[above[k]] += times[k] * (shift[k] @ below @ shift[k].T)
        self.packed[:, columns] = packed_covariances(whole).T

    def variances(self, low: int, high: int) -> _Floats:
        """Give what is independent of the errors of the items at positions ``low:high`` ``(10, high − low)``.

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
