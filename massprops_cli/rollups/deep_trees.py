"""Runs of narrow levels, such as a chain 100,000 deep: one item at a time in plain floats.

An array operation on three items costs as much as on three hundred, so here the same terms are added up
without arrays.

Runs of narrow levels without point masses and branches without mass: all sums at once, level after level carried up.

What a child adds to its parent is linear in the child's own sums. So the terms of all children of a run are
computed as arrays, as if assemblies among them had no sums yet, and those are then carried up in plain floats,
one multiplication and one addition each: x[parent] += w · x[child].
"""

from __future__ import annotations

from operator import add

import numpy as np
from numpy.typing import NDArray

from massprops_cli.rollups.combine import (
    CANCELS,
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
    Cancelling,
    Families,
    Floats,
    Points,
    Working,
    first_moment_terms,
    moment_variance_terms,
    tensor_terms,
    tensor_variance_terms,
)
from massprops_cli.trees.tree import Tree

ZERO = (0.0, 0.0, 0.0)
Row = list[float]
Vector = tuple[float, float, float]


def combine_narrow(working: Working, tree: Tree, low: int, high: int, cancelling: Cancelling, points: Points) -> None:
    """Fill in the parents at positions ``low:high``, deepest first, from children anywhere below."""
    run = Run(working, tree, low, high, cancelling, points)
    for k in range(high - low - 1, -1, -1):
        if run.count[k]:
            run.combine(k)
    run.put_back()


class Run:
    """The items of some narrow levels and their children, as plain lists; item k stands at position ``low + k``."""

    def __init__(
        self, working: Working, tree: Tree, low: int, high: int, cancelling: Cancelling, points: Points
    ) -> None:
        self.working, self.cancelling, self.points = working, cancelling, points
        self.low, self.high = low, high
        self.inner = low + np.flatnonzero(tree.n_children[low:high])
        end = int(tree.first_child[self.inner[-1]] + tree.n_children[self.inner[-1]])
        self.first = (tree.first_child[low:high] - low).tolist()
        self.count = tree.n_children[low:high].tolist()
        self.rows: list[Row] = working.load(low, end).T.tolist()
        self.sizes = None if cancelling.size is None else cancelling.size[low:end].tolist()
        self.is_point = points.is_point[low:end].tolist() if points.any else None
        self.marked: list[int] = []
        self.moments: dict[int, Vector] = {}
        if cancelling.moment is not None:
            for k in np.flatnonzero(cancelling.is_cancelled[low:end]).tolist():
                x, y, z = cancelling.moment[:, low + k].tolist()
                self.moments[k] = (x, y, z)

    def combine(self, k: int) -> None:
        """Fill in item k from its children."""
        rows, begin = self.rows, self.first[k]
        only = self.count[k] == 1 and begin not in self.moments and rows[begin][COUNT] == 1.0
        if only and rows[begin][MASS] != 0.0:
            only_child(rows[k], rows[begin])
            if self.sizes is not None:
                self.sizes[k] = self.sizes[begin]
            if self.is_point is not None:
                self.is_point[k] = self.is_point[begin]
            return
        children = range(begin, begin + self.count[k])
        size = None
        if self.sizes is not None:
            size = self.sizes[k] = sum(abs(rows[c][COUNT]) * self.sizes[c] for c in children)
        moment = combine_one(rows, k, children, self.moments, size, working=self.working)
        if moment is not None:
            self.moments[k] = moment
            self.marked.append(k)
        if self.is_point is not None and self.working.has_centers:
            self.settle_point(k, children, self.is_point)

    def settle_point(self, k: int, children: range, is_point: list[bool]) -> None:
        """Tell whether item k, whose sums are done, is a point mass; it has no tensor then."""
        if not stands_at_one_place(self.rows, children, is_point, self.points.tolerance):
            return
        is_point[k] = True
        self.rows[k][TENSOR] = [0.0] * 6
        if len(self.rows[k]) > VAR_WEIGHT:
            self.rows[k][VAR_TENSOR] = [0.0] * 6

    def put_back(self) -> None:
        """Bring the parents back among the arrays."""
        low, high = self.low, self.high
        found = np.array([self.rows[k] for k in (self.inner - low).tolist()])
        self.working.sums[:, self.working.rank[self.inner]] = found.T
        if self.sizes is not None and self.cancelling.size is not None:
            self.cancelling.size[low:high] = self.sizes[: high - low]
        if self.is_point is not None:
            self.points.is_point[low:high] = self.is_point[: high - low]
        if self.marked:
            moments = np.array([self.moments[k] for k in self.marked]).T
            self.cancelling.mark(low + np.array(self.marked, dtype=np.intp), moments)


def stands_at_one_place(rows: list[Row], children: range, is_point: list[bool], tolerance: float) -> bool:
    """Tell whether all children that count are point masses at the place of the first leaf among them."""
    counted = [c for c in children if rows[c][COUNT] != 0.0]
    if not counted:
        return False
    reference = rows[counted[0]][REFERENCE]
    return all(
        is_point[c]
        and all(
            abs(own - first + offset) <= tolerance
            for own, first, offset in zip(rows[c][REFERENCE], reference, rows[c][OFFSET], strict=True)
        )
        for c in counted
    )


def only_child(row: Row, child: Row) -> None:
    """An assembly of one piece is that piece: it stands at its own centre, so nothing is moved."""
    kept, weight = row[COUNT], row[VAR_WEIGHT] if len(row) > VAR_WEIGHT else 0.0
    row[:] = child
    row[COUNT] = kept
    if len(row) > VAR_WEIGHT:
        row[VAR_WEIGHT] = weight
        row[COVARIANCE] = ZERO


def combine_one(
    rows: list[Row],
    k: int,
    children: range,
    moments: dict[int, Vector],
    size: float | None,
    *,
    working: Working,
) -> Vector | None:
    """Combine one family into row ``k``; gives the first moment when its masses cancel."""
    row = rows[k]
    with_sigmas = len(row) > VAR_WEIGHT
    total = sum(rows[c][COUNT] * rows[c][MASS] for c in children)
    gone = total == 0 if size is None else abs(total) <= CANCELS * size
    if gone:
        total = 0.0
    row[MASS] = total
    if with_sigmas:
        row[VAR_MASS] = sum(rows[c][VAR_WEIGHT] * rows[c][VAR_MASS] for c in children)
    if not working.has_centers:
        return None
    rx, ry, rz = reference = rows[children[0]][REFERENCE]
    places = []
    hx = hy = hz = 0.0
    for c in children:
        child = rows[c]
        x, y, z = child[1] - rx + child[4], child[2] - ry + child[5], child[3] - rz + child[6]
        places.append((x, y, z))
        n = child[COUNT]
        m = n * child[MASS]
        ax, ay, az = moments.get(c, ZERO)
        hx, hy, hz = hx + m * x + n * ax, hy + m * y + n * ay, hz + m * z + n * az
    ox, oy, oz = (0.0, 0.0, 0.0) if gone else (hx / total, hy / total, hz / total)
    row[REFERENCE] = reference
    row[OFFSET] = [ox, oy, oz]
    around = [(x - ox, y - oy, z - oz) for x, y, z in places]
    combine_one_about(rows, row, children, around, moments, tensors=working.has_tensors)
    return (hx, hy, hz) if gone else None


def combine_one_about(
    rows: list[Row],
    row: Row,
    children: range,
    places: list[Vector],
    moments: dict[int, Vector],
    *,
    tensors: bool,
) -> None:
    """Second pass of one family, about its centre."""
    with_sigmas = len(row) > VAR_WEIGHT
    tensor: list[float] = [0.0] * 6
    var_h: list[float] = [0.0] * 3
    var_i: list[float] = [0.0] * 9
    for c, d in zip(children, places, strict=True):
        child = rows[c]
        if tensors:
            tensor = list(map(add, tensor, tensor_terms(child[COUNT], child[MASS], d, child[TENSOR])))
            if c in moments:
                tensor = list(map(add, tensor, first_moment_terms(child[COUNT], d, moments[c])))
        if with_sigmas:
            weight, var_m, moment = child[VAR_WEIGHT], child[VAR_MASS], child[VAR_MOMENT]
            var_h = list(map(add, var_h, moment_variance_terms(weight, var_m, moment, d)))
            if tensors:
                terms = tensor_variance_terms(weight, var_m, moment, child[VAR_TENSOR], d)
                var_i = list(map(add, var_i, terms))
    if tensors:
        row[TENSOR] = tensor
    if with_sigmas:
        row[VAR_MOMENT] = var_h
        row[VAR_TENSOR], row[COVARIANCE] = var_i[:6], var_i[6:]


class CarriedRun:
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
    run = CarriedRun(working, tree, low, high)
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


def centered(run: CarriedRun, sums: Floats) -> Floats:
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


def carry_variances(run: CarriedRun, sums: Floats, place: Floats | None, *, tensors: bool) -> None:
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
