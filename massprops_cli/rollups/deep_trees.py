"""Runs of narrow levels, such as a chain 100,000 deep: one item at a time in plain floats.

An array operation on three items costs as much as on three hundred, so here the same terms are added up
without arrays.

Runs of narrow levels where nothing is negative: all sums at once, level after level carried up.

What a child adds to its parent is linear in the child's own sums. So the terms of all children of a run are
computed as arrays, as if assemblies among them had no sums yet, and those are then carried up in plain floats,
one multiplication and one addition each: x[parent] += w · x[child].
"""

from __future__ import annotations

from operator import add

import numpy as np

from massprops_cli.rollups.combination import (
    CENTER,
    COUNT,
    COVARIANCE,
    MASS,
    MOMENT,
    OFFSET,
    REFERENCE,
    SIZE_OF_MASS,
    TENSOR,
    VAR_MASS,
    VAR_MOMENT,
    VAR_TENSOR,
    VAR_WEIGHT,
    Families,
    Floats,
    RollupState,
    first_moment_terms,
    is_branch_without_center,
    moment_variance_terms,
    tensor_terms,
    tensor_variance_terms,
)
from massprops_cli.trees import Tree

_ZERO_VECTOR = (0.0, 0.0, 0.0)
_ItemRow = list[float]
_Vector = tuple[float, float, float]


def combine_narrow_levels(working: RollupState, tree: Tree, low: int, high: int) -> None:
    """Fill in the parents at positions ``low:high``, deepest first, from children anywhere below."""
    run = _NarrowLevels(working, tree, low, high)
    for k in range(high - low - 1, -1, -1):
        if run.count[k]:
            run.combine(k)
    run.put_back()


class _NarrowLevels:
    """The items of some narrow levels and their children, as plain lists; item k is at position ``low + k``."""

    def __init__(self, working: RollupState, tree: Tree, low: int, high: int) -> None:
        self.working, self.low = working, low
        self.inner = low + np.flatnonzero(tree.n_children[low:high])
        end = int(tree.first_child[self.inner[-1]] + tree.n_children[self.inner[-1]])
        self.first = (tree.first_child[low:high] - low).tolist()
        self.count = tree.n_children[low:high].tolist()
        self.rows: list[_ItemRow] = working.load(low, end).T.tolist()

    def combine(self, k: int) -> None:
        """Fill in item k from its children."""
        rows, begin = self.rows, self.first[k]
        if self.count[k] == 1 and rows[begin][COUNT] == 1.0:
            _copy_only_child(rows[k], rows[begin])
            return
        _combine_one_family(rows, k, range(begin, begin + self.count[k]), self.working)

    def put_back(self) -> None:
        """Bring the parents back among the arrays."""
        found = np.array([self.rows[k] for k in (self.inner - self.low).tolist()])
        self.working.sums[:, self.working.rank[self.inner]] = found.T


def _copy_only_child(row: _ItemRow, child: _ItemRow) -> None:
    """An assembly of one piece is that piece: it is at its own centre, so nothing is moved."""
    kept, weight = row[COUNT], row[VAR_WEIGHT] if len(row) > VAR_WEIGHT else 0.0
    row[:] = child
    row[COUNT] = kept
    if len(row) > VAR_WEIGHT:
        row[VAR_WEIGHT] = weight
        row[COVARIANCE] = _ZERO_VECTOR


def _combine_one_family(rows: list[_ItemRow], k: int, children: range, working: RollupState) -> None:
    """Combine one family into row ``k``, as ``combine`` does with arrays."""
    row, signed = rows[k], working.is_signed
    weights = masses = [rows[c][COUNT] * rows[c][MASS] for c in children]
    row[MASS] = whole = sum(masses)
    if signed:
        weights = [abs(rows[c][COUNT]) * rows[c][SIZE_OF_MASS] for c in children]
        row[SIZE_OF_MASS] = whole = sum(weights)
    if working.sigmas is not None:
        row[VAR_MASS] = sum(rows[c][VAR_WEIGHT] * rows[c][VAR_MASS] for c in children)
    if not working.has_centers:
        return
    rx, ry, rz = row[REFERENCE]
    places = []
    hx = hy = hz = 0.0
    for c, weight in zip(children, weights, strict=True):
        child = rows[c]
        x, y, z = child[1] - rx + child[4], child[2] - ry + child[5], child[3] - rz + child[6]
        places.append((x, y, z))
        hx, hy, hz = hx + weight * x, hy + weight * y, hz + weight * z
    ox, oy, oz = (hx / whole, hy / whole, hz / whole) if whole else _ZERO_VECTOR
    row[OFFSET] = [ox, oy, oz]
    around = [(x - ox, y - oy, z - oz) for x, y, z in places]
    if working.has_tensors:
        _add_tensors(rows, row, children, around, signed=signed)
    if signed:
        _add_moments(rows, row, children, around)
        cx, cy, cz = row[CENTER]
        own = (rows[c][CENTER] for c in children)
        around = [(x + a - cx, y + b - cy, z + c - cz) for (x, y, z), (a, b, c) in zip(around, own, strict=True)]
    if working.sigmas is not None:
        _add_variances(rows, row, children, around, tensors=working.has_tensors)


def _add_tensors(rows: list[_ItemRow], row: _ItemRow, children: range, places: list[_Vector], *, signed: bool) -> None:
    """Add up the tensors of one family about its pole."""
    tensor: list[float] = [0.0] * 6
    for c, d in zip(children, places, strict=True):
        child = rows[c]
        tensor = list(map(add, tensor, tensor_terms(child[COUNT], child[MASS], d, child[TENSOR])))
        if signed:
            tensor = list(map(add, tensor, first_moment_terms(child[COUNT], d, child[MOMENT])))
    row[TENSOR] = tensor


def _add_moments(rows: list[_ItemRow], row: _ItemRow, children: range, places: list[_Vector]) -> None:
    """Add up the first moments of one family about its pole, and find its centre."""
    moment = list(_ZERO_VECTOR)
    mass, size = row[MASS], row[SIZE_OF_MASS]
    if abs(mass) != size:
        for c, d in zip(children, places, strict=True):
            n, m, h = rows[c][COUNT], rows[c][MASS], rows[c][MOMENT]
            moment = [total + n * (m * x + own) for total, x, own in zip(moment, d, h, strict=True)]
    row[MOMENT] = moment
    row[CENTER] = _ZERO_VECTOR if is_branch_without_center(mass, size) else [h / mass for h in moment]


def _add_variances(
    rows: list[_ItemRow], row: _ItemRow, children: range, places: list[_Vector], *, tensors: bool
) -> None:
    """Add up the variances of one family about its centre, from which the children's are seen at ``places``."""
    var_h: list[float] = [0.0] * 3
    var_i: list[float] = [0.0] * 9
    for c, d in zip(children, places, strict=True):
        weight, var_m, moment, tensor = rows[c][VAR_WEIGHT], rows[c][VAR_MASS], rows[c][VAR_MOMENT], rows[c][VAR_TENSOR]
        var_h = list(map(add, var_h, moment_variance_terms(weight, var_m, moment, d)))
        if tensors:
            var_i = list(map(add, var_i, tensor_variance_terms(weight, var_m, moment, tensor, d)))
    row[VAR_MOMENT] = var_h
    row[VAR_TENSOR], row[COVARIANCE] = var_i[:6], var_i[6:]


class _LevelFamilies:
    """The families of some levels, parents at positions ``low:high``.

    ``child`` has a column for every child, ``sums`` one for every parent. Parents ``own:`` of them are children of
    others as well, in the columns ``at``; ``above`` are the parents' numbers of these.
    """

    def __init__(self, working: RollupState, tree: Tree, low: int, high: int) -> None:
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


def combine_level_families(working: RollupState, tree: Tree, low: int, high: int) -> bool:
    """Fill in the parents at positions ``low:high``; False, with nothing done, when a branch has no mass."""
    run = _LevelFamilies(working, tree, low, high)
    child = run.child
    mass = run.carried(child[COUNT] * child[MASS], child[COUNT])[0]
    if bool((mass == 0).any()):
        return False
    child[MASS, run.at] = mass[run.own :]
    sums = working.sums[:, run.families.columns]
    sums[MASS] = mass
    place = _child_centers(run, sums) if working.has_centers else None
    if place is not None and working.has_tensors:
        d = (place[0], place[1], place[2])
        terms = np.array(tensor_terms(child[COUNT], child[MASS], d, child[TENSOR]))
        sums[TENSOR] = run.carried(terms, child[COUNT])
    if working.sigmas is not None:
        _carry_variances(run, sums, place, tensors=working.has_tensors)
    return True


def _child_centers(run: _LevelFamilies, sums: Floats) -> Floats:
    """Find the parents' centres; gives the children's centres ``(3, children)`` seen from them."""
    child, families = run.child, run.families
    place = child[REFERENCE] - families.spread(sums[REFERENCE]) + child[OFFSET]
    offset = run.offsets(sums[MASS], families.add(place * (child[COUNT] * child[MASS])))
    place[:, run.at] += offset[:, run.own :]
    place -= families.spread(offset)
    sums[OFFSET] = offset
    return np.asarray(place)


def _carry_variances(run: _LevelFamilies, sums: Floats, place: Floats | None, *, tensors: bool) -> None:
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
