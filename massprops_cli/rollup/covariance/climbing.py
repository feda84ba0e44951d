"""Leaves → root: every assembly's covariance about its own centre, level by level, 55 numbers a node.

The tree's masses and centres are known by now, so one pass suffices: V = Σ w T(c − c_i) V_i T(c − c_i)ᵀ over the
children, w being the factor of variance of the child's quantity (FORMULAS 4).
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from massprops_cli.rollup.combine import Families, blocks, seen_from_parents
from massprops_cli.rollup.correlation import ALONE
from massprops_cli.rollup.covariance.errors import Errors
from massprops_cli.rollup.covariance.moving import shift_matrices
from massprops_cli.rollup.covariance.packed import PAIRS, pack, unpacked
from massprops_cli.rollup.covariance.terms import branch_terms, part_terms
from massprops_cli.rollup.state import Floats, Mask, Working
from massprops_cli.tree.stretches import Stretch, stretches

OF_TENSOR = np.array([b >= 4 for _, b in PAIRS])
"""Which of the 55 numbers are about the tensor."""
MOST = 4_096
"""Children of narrow levels taken together, since whole matrices take more memory than halves."""


class Climb:
    """The covariances of a tree's assemblies while the levels go by, deepest first.

    ``working`` holds masses and places; ``packed (55, assemblies)`` fills up in its order, and begins with what shared
    errors add (``covariance.shared``); the given ones stand behind. ``is_point (n,)`` by position: an assembly that is
    a point has no tensor.
    """

    def __init__(self, working: Working, errors: Errors, is_point: Mask) -> None:
        self.working, self.sigmas, self.is_point = working, errors.sigmas, is_point
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

    def go(self) -> Floats:
        """Fill in all assemblies; gives ``packed``."""
        tree = self.working.tree
        for stretch in stretches(tree):
            if stretch.narrow:
                for low, high in reversed(self.cut(stretch)):
                    self.narrow(low, high)
                continue
            for families in blocks(tree, self.working, stretch.low, stretch.high):
                self.wide(families)
        return self.packed[:, : len(self.working.inner)]

    def cut(self, stretch: Stretch) -> list[tuple[int, int]]:
        """Cut narrow levels into runs of not too many children."""
        levels = self.working.tree.levels
        a, b = np.searchsorted(levels, [stretch.low, stretch.high])
        bounds = [stretch.low]
        for level in levels[a + 1 : b + 1].tolist():
            if level - bounds[-1] >= MOST or level == stretch.high:
                bounds.append(level)
        return list(pairwise(bounds))

    def wide(self, families: Families) -> None:
        """Add up some whole families as arrays."""
        low, high = families.low, families.high
        if len(families.starts) == 1 and high - low > MOST:
            cuts = range(low, high, MOST)
            one = np.zeros(1, np.intp)
            pieces = [(a, min(a + MOST, high)) for a in cuts]
            every = [Families(a, b, one, np.array([b - a], np.int32), families.first) for a, b in pieces]
        else:
            every = [families]
        columns = slice(families.first, families.first + len(families.starts))
        for piece in every:
            weight = self.weight.take(self.working.tree.order[piece.low : piece.high])
            d = seen_from_parents(self.working, piece)
            terms = part_terms(self.variances(piece.low, piece.high) * weight, d)
            branch = np.flatnonzero(self.is_branch[piece.low : piece.high])
            if len(branch):
                below = self.packed[:, self.column[piece.low + branch]] * weight[branch]
                terms[:, branch] = branch_terms(below, d[:, branch])
            self.packed[:, columns] += piece.add(terms)
        self.clear_points(self.working.inner[columns], columns)

    def narrow(self, low: int, high: int) -> None:
        """Add up the families of the parents at positions ``low:high``: parts as arrays, branches one by one."""
        tree, working = self.working.tree, self.working
        inner = low + np.flatnonzero(tree.n_children[low:high])
        first = int(working.rank[inner[0]])
        begin = int(tree.first_child[inner[0]])
        end = int(tree.first_child[inner[-1]] + tree.n_children[inner[-1]])
        families = Families(begin, end, tree.first_child[inner].astype(np.intp) - begin, tree.n_children[inner], first)
        d = seen_from_parents(working, families)
        weight = self.weight.take(tree.order[begin:end])
        columns = slice(first, first + len(inner))
        self.packed[:, columns] += families.add(part_terms(self.variances(begin, end) * weight, d))
        whole = unpacked(np.ascontiguousarray(self.packed[:, columns].T))
        branch = np.flatnonzero(self.is_branch[begin:end])
        shift = shift_matrices(d[:, branch])
        above = np.repeat(np.arange(len(inner)), families.sizes)[branch].tolist()
        own = (self.column[begin + branch] - first).tolist()
        times = weight[branch].tolist()
        points = self.is_point[inner].tolist()
        inside = len(inner)
        for k in range(len(branch) - 1, -1, -1):
            i = own[k]
            below = whole[i] if i < inside else unpacked(self.packed[:, first + i])
            if i < inside and points[i]:
                below[4:] = below[:, 4:] = 0.0
            whole[above[k]] += times[k] * (shift[k] @ below @ shift[k].T)
        self.packed[:, columns] = pack(whole).T
        self.clear_points(inner, columns)

    def variances(self, low: int, high: int) -> Floats:
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
            shared = self.group.take(items) != ALONE
            result[0, shared] = 0.0
            result[4:, shared] = 0.0
            if self.shares_centers:
                result[1:4, shared] = 0.0
        result[:, self.is_branch[low:high]] = 0.0
        return result

    def clear_points(self, parents: NDArray[np.intp], columns: slice) -> None:
        """Take the tensor's errors from assemblies that are point masses."""
        point = np.flatnonzero(self.is_point[parents])
        if len(point):
            self.packed[np.ix_(OF_TENSOR, columns.start + point)] = 0.0
