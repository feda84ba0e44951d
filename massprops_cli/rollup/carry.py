"""Runs of narrow levels without point masses and branches without mass: all sums at once, level after level carried up.

What a child adds to its parent is linear in the child's own sums. So the terms of all children of a run are
computed as arrays, as if assemblies among them had no sums yet, and those are then carried up in plain floats,
one multiplication and one addition each: x[parent] += w · x[child].
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from massprops_cli.rollup.combine import Families
from massprops_cli.rollup.state import (
    COUNT,
    COVARIANCE,
    MASS,
    OFFSET,
    REFERENCE,
    TENSOR,
    VAR_MASS,
    VAR_MOMENT,
    VAR_TENSOR,
    VAR_WEIGHT,
    Floats,
    Working,
)
from massprops_cli.rollup.terms import moment_variance_terms, tensor_terms, tensor_variance_terms
from massprops_cli.tree.tree import Tree


class Run:
    """The families of some levels, parents at positions ``low:high``.

    ``child`` has a column for every child, ``sums`` one for every parent. Parents ``own:`` of them are children of
    others as well, in the columns ``at``; ``above`` are the parents' numbers of these.
    """

    def __init__(self, working: Working, tree: Tree, low: int, high: int) -> None:
        inner = low + np.flatnonzero(tree.n_children[low:high])
        begin = int(tree.first_child[inner[0]])
        end = int(tree.first_child[inner[-1]] + tree.n_children[inner[-1]])
        sizes = tree.n_children[inner]
        starts = (tree.first_child[inner] - begin).astype(np.intp)
        self.families = Families(begin, end, starts, sizes, int(working.rank[inner[0]]))
        self.child = working.load(begin, end)
        self.own = int(np.searchsorted(inner, begin))
        self.at = inner[self.own :] - begin
        self.above: list[int] = np.repeat(np.arange(len(inner)), sizes)[self.at].tolist()
        self.number = np.full(end - begin, -1, np.intp)
        self.number[self.at] = np.arange(self.own, len(inner))

    def carried(self, terms: Floats, weight: Floats) -> Floats:
        """Add up ``terms (k, children)`` over families, and weight times what assemblies among the children come to."""
        sums = np.atleast_2d(self.families.add(terms))
        times = weight[self.at].tolist()
        own, above = self.own, self.above
        for row in sums:
            x = row.tolist()
            for i in range(len(x) - 1, own - 1, -1):
                x[above[i - own]] += times[i - own] * x[i]
            row[:] = x
        return sums

    def first_leaves(self) -> NDArray[np.intp]:
        """Give the column of every parent's first child, or of that one's first child, and so on down."""
        columns = self.families.starts.tolist()
        number = self.number.tolist()
        for i in range(len(columns) - 1, -1, -1):
            if number[columns[i]] >= 0:
                columns[i] = columns[number[columns[i]]]
        return np.array(columns, np.intp)

    def offsets(self, mass: Floats, moment: Floats) -> Floats:
        """Give the parents' centres ``(3, parents)`` seen from their reference points.

        ``moment (3, parents)`` lacks the offsets of assemblies among the children. The centre of a single piece is
        the piece's, to the last digit.
        """
        starts, sizes, count = self.families.starts, self.families.sizes, self.child[COUNT]
        single = ((sizes == 1) & (count[starts] == 1.0)).tolist()
        number, masses = self.number[starts].tolist(), mass.tolist()
        moved = (count[self.at] * mass[self.own :]).tolist()
        result = np.empty_like(moment)
        for axis in range(3):
            h, given = moment[axis].tolist(), self.child[OFFSET][axis][starts].tolist()
            x = [0.0] * len(h)
            for i in range(len(h) - 1, -1, -1):
                if single[i]:
                    x[i] = x[number[i]] if number[i] >= 0 else given[i]
                else:
                    x[i] = h[i] / masses[i]
                if i >= self.own:
                    h[self.above[i - self.own]] += moved[i - self.own] * x[i]
            result[axis] = x
        return result


def combine_carrying(working: Working, tree: Tree, low: int, high: int) -> bool:
    """Fill in the parents at positions ``low:high``; False, with nothing done, when a branch has no mass."""
    run = Run(working, tree, low, high)
    child, families = run.child, run.families
    mass = run.carried(child[COUNT] * child[MASS], child[COUNT])[0]
    if bool((mass == 0).any()):
        return False
    child[MASS, run.at] = mass[run.own :]
    columns = slice(families.first, families.first + len(families.starts))
    sums = working.sums[:, columns]
    sums[MASS] = mass
    place = centered(run, sums) if working.has_centers else None
    if place is not None and working.has_tensors:
        d = (place[0], place[1], place[2])
        terms = np.array(tensor_terms(child[COUNT], child[MASS], d, child[TENSOR]))
        sums[TENSOR] = run.carried(terms, child[COUNT])
    if len(child) > VAR_WEIGHT:
        carry_variances(run, sums, place, tensors=working.has_tensors)
    return True


def centered(run: Run, sums: Floats) -> Floats:
    """Find the parents' centres; gives the children's centres ``(3, children)`` seen from them."""
    child, families = run.child, run.families
    reference = child[REFERENCE][:, run.first_leaves()]
    child[REFERENCE, run.at] = reference[:, run.own :]
    place = child[REFERENCE] - families.spread(reference) + child[OFFSET]
    offset = run.offsets(sums[MASS], families.add(place * (child[COUNT] * child[MASS])))
    place[:, run.at] += offset[:, run.own :]
    place -= families.spread(offset)
    sums[REFERENCE], sums[OFFSET] = reference, offset
    return np.asarray(place)


def carry_variances(run: Run, sums: Floats, place: Floats | None, *, tensors: bool) -> None:
    """Add up variances of mass, then of the first moments, which need those, then of the tensors, which need both."""
    child, weight = run.child, run.child[VAR_WEIGHT]
    sums[VAR_MASS] = run.carried(weight * child[VAR_MASS], weight)[0]
    if place is None:
        return
    child[VAR_MASS, run.at] = sums[VAR_MASS, run.own :]
    d = (place[0], place[1], place[2])
    terms = np.array(moment_variance_terms(weight, child[VAR_MASS], child[VAR_MOMENT], d))
    sums[VAR_MOMENT] = run.carried(terms, weight)
    if not tensors:
        return
    child[VAR_MOMENT, run.at] = sums[VAR_MOMENT, run.own :]
    terms = np.array(tensor_variance_terms(weight, child[VAR_MASS], child[VAR_MOMENT], child[VAR_TENSOR], d))
    sums[VAR_TENSOR] = run.carried(terms[:6], weight)
    sums[COVARIANCE] = run.families.add(terms[6:])
