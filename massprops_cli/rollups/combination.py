"""Children → parents, level by level from the deepest, without recursion and without a loop over items.

The children of one level are the next level, parent by parent, so sums over siblings are sums over contiguous runs.
Columns of the working arrays are items, each measured from its own *reference point*, the centre of a leaf below it:
an input number, so differences are as exact as the file (docs/formulas.md, section 9). A branch passes up its mass,
first moment and tensor about its *pole*: the mean position of its leaves, weighted by the absolute values of their
masses. Without negative masses that is the centre; with them (a kit "+ new part, − old part") the centre can be far
outside, where moments lose their digits, and the pole minimises Σ |m| d². ``OFFSET`` is pole minus reference point.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from massprops_cli.rollups.inputs import RollupInputs
from massprops_cli.trees.tree import Families

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
_PoleSums = tuple[Floats, Floats | None, Floats | None, Floats | None]
"""Sums that give the poles: masses, their sizes, first moments of the sizes, and the variances of the masses."""
_COINCIDENCE_TOLERANCE = 1e-12
"""Leaves closer than this share of the largest of their coordinates are at one place (SEMANTICS)."""


def tensor_terms(n: Floats, m: Floats, d: Floats, inertia: Floats) -> Floats:
    """Return n (I + m Φ(d)) (6, k), n, m (k,), d (3, k), I (6, k) xx yy zz xy xz yz: docs/formulas.md, section 2."""
    x, y, z = d
    xx, yy, zz = x * x, y * y, z * z
    mx, my = m * x, m * y
    return np.array([
        n * (inertia[0] + m * (yy + zz)), n * (inertia[1] + m * (xx + zz)), n * (inertia[2] + m * (xx + yy)),
        n * (inertia[3] - mx * y), n * (inertia[4] - mx * z), n * (inertia[5] - my * z),
    ])  # fmt: skip


def _first_moment_terms(n: Floats, d: Floats, h: Floats) -> Floats:
    """Return the terms of tensors ``(6, k)`` due to first moments ``h (3, k)`` about poles at ``d (3, k)``."""
    # T(s) of docs/formulas.md, section 5, with s = −d: −2 s·h on the diagonal, s h products off it
    (x, y, z), (hx, hy, hz) = d, h
    sx, sy, sz = x * hx, y * hy, z * hz
    return np.array([
        n * 2 * (sy + sz), n * 2 * (sx + sz), n * 2 * (sx + sy),
        -n * (y * hx + x * hy), -n * (z * hx + x * hz), -n * (z * hy + y * hz),
    ])  # fmt: skip


def _tensor_variance_terms(w: Floats, var_m: Floats, var_h: Floats, var_i: Floats, d: Floats) -> Floats:
    """Return w × the variances of the six entries about the parent's centre, and three covariances with the mass."""
    # with b, e the other two axes: s_Iaa² = s_I² + (2 m d_b s_cb)² + (2 m d_e s_ce)² + s_m² (d_b² + d_e²)² and
    # s_Iab² = s_I² + (m d_b s_ca)² + (m d_a s_cb)² + s_m² (d_a d_b)²; the last three are w s_m² (d_b² + d_e²), the
    # covariance of I_aa and m for the radii (docs/formulas.md, sections 3 and 4)
    x, y, z = d
    xx, yy, zz = x * x, y * y, z * z
    hx, hy, hz = var_h
    px, py, pz = yy + zz, xx + zz, xx + yy
    fx, fy, fz = 4 * xx * hx, 4 * yy * hy, 4 * zz * hz
    return np.array([
        w * (var_i[0] + fy + fz + var_m * px * px),
        w * (var_i[1] + fx + fz + var_m * py * py),
        w * (var_i[2] + fx + fy + var_m * pz * pz),
        w * (var_i[3] + yy * hx + xx * hy + var_m * xx * yy),
        w * (var_i[4] + zz * hx + xx * hz + var_m * xx * zz),
        w * (var_i[5] + zz * hy + yy * hz + var_m * yy * zz),
        w * var_m * px, w * var_m * py, w * var_m * pz,
    ])  # fmt: skip


MASS = 0
REFERENCE = slice(1, 4)
OFFSET = slice(4, 7)  # of the pole from the reference point
TENSOR = slice(7, 13)  # about the pole
_COUNT = 13
_VAR_MASS = 14
_VAR_MOMENT = slice(15, 18)
"""Of the first moment about the centre: (m s_c)²; about the pole of a branch without a centre."""
_VAR_TENSOR = slice(18, 24)
VARIANCE = slice(14, 24)
_VAR_WEIGHT = 24
COVARIANCE = slice(25, 28)  # of the three moments of inertia with the mass, from the direct children
SIZE_OF_MASS = 28
"""Sum of the sizes of the masses; this row and the next are there where a mass or a quantity is negative."""
MOMENT = slice(29, 32)  # first moment about the pole
CENTER_ROWS = slice(32, 35)  # of the centre from the pole; 0 without a centre
_N_PLAIN, _N_WITH_SIGMAS, _N_SIGNED = 14, 28, 35  # rows of sums
_CANCELLATION_TOLERANCE = 1e-9
"""A branch whose masses add up to less than this share of their sizes has no centre (SEMANTICS)."""


class RollupState:
    """The working arrays of a roll-up: sums of every assembly so far."""

    def __init__(self, inputs: RollupInputs) -> None:
        tree, bodies, quantity = inputs.tree, inputs.bodies, inputs.quantity
        self.tree, self.bodies, self.sigmas = tree, bodies, inputs.sigmas
        self.has_centers = bodies.center is not None
        self.has_tensors = self.has_centers and bodies.inertia is not None
        self.inner = np.flatnonzero(tree.n_children)  # (assemblies,) positions
        self.rank = np.cumsum(tree.n_children > 0, dtype=np.int32) - 1  # (n,) column in sums of every position
        self.goes_up = tree.n_children > 0  # (n,) by position: False for leaves and stated assemblies
        if inputs.stated is not None:
            self.goes_up &= ~inputs.stated[tree.order]
        self.count = quantity.count
        self.is_signed = bool((bodies.mass < 0).any()) or bool((quantity.count < 0).any())
        self.weight = None if inputs.sigmas is None else quantity.variance_weight()
        n_rows = _N_SIGNED if self.is_signed else _N_PLAIN if inputs.sigmas is None else _N_WITH_SIGMAS
        # one row a quantity (MASS, REFERENCE, …); the column of a stated assembly has the sums of its children
        self.sums = np.zeros((n_rows, len(self.inner)))
        items = tree.order[self.inner]
        self.sums[_COUNT] = quantity.count[items]
        if self.weight is not None:
            self.sums[_VAR_WEIGHT] = self.weight[items]
        self.has_points = bool(bodies.is_point.any())
        given, self.given = inputs.upward, np.full(len(tree) if inputs.upward is not None else 0, -1)
        if given is not None:
            self.given[given.items], self.given_sums = np.arange(len(given.items)), given.sums
        if bodies.center is not None:
            center = bodies.center
            if given is not None and len(given.items):
                center = center.copy()
                center[given.items] = given.sums[REFERENCE].T
            self.sums[REFERENCE] = center[tree.order[_reference_leaves(self)]].T

    def load(self, low: int, high: int) -> Floats:
        """Return the columns of positions ``low:high`` (N, high − low), as ``sums``; of leaves as their rows state."""
        items = self.tree.order[low:high]
        block = np.zeros((len(self.sums), high - low))
        block[MASS] = self.bodies.mass.take(items)
        block[_COUNT] = self.count.take(items)
        if self.bodies.center is not None:
            block[REFERENCE] = self.bodies.center.take(items, axis=0).T
        if self.has_tensors and self.bodies.inertia is not None:
            block[TENSOR] = self.bodies.inertia.take(items, axis=0).T
        if self.sigmas is not None:
            self.load_variances(block, items)
        if self.has_points:
            point = np.flatnonzero(self.bodies.is_point.take(items))
            block[TENSOR, point] = 0.0
            if self.sigmas is not None:
                block[_VAR_TENSOR, point] = 0.0
        if self.is_signed:
            np.abs(block[MASS], out=block[SIZE_OF_MASS])
        if len(self.given) and len(known := np.flatnonzero((at := self.given.take(items)) >= 0)):
            own = block[:, known]
            block[:, known] = self.given_sums[:, at[known]]
            for row in (_COUNT, _VAR_WEIGHT)[: 1 + (self.sigmas is not None)]:  # those of the leaf in its parent
                block[row, known] = own[row]
        if len(known := self.goes_up[low:high].nonzero()[0]):
            block[:, known] = self.sums[:, self.rank[low + known]]
        return block

    def load_variances(self, block: Floats, items: NDArray[np.int32]) -> None:
        """Write variances and their factors of items (k,), as rows state, into a block (N, k) with loaded masses."""
        assert self.sigmas is not None
        assert self.weight is not None
        np.square(self.sigmas.mass.take(items), out=block[_VAR_MASS])
        block[_VAR_WEIGHT] = self.weight.take(items)
        if self.sigmas.center is not None:
            np.square(self.sigmas.center.take(items, axis=0).T * block[MASS], out=block[_VAR_MOMENT])
        if self.sigmas.inertia is not None:
            np.square(self.sigmas.inertia.take(items, axis=0).T, out=block[_VAR_TENSOR])

    def without_center(self) -> Mask:
        """Return which assemblies (assemblies,), in the order of ``sums``, have no mass or masses that cancel."""
        mass = self.sums[MASS]
        return is_without_center(mass, self.sums[SIZE_OF_MASS]) if self.is_signed else mass == 0


def is_without_center(mass: Floats, size: Floats) -> Mask:
    """Return where masses (k,) cancel against the sums of sizes (k,), or these are 0; docs/formulas.md, section 2."""
    return np.asarray((np.abs(mass) < _CANCELLATION_TOLERANCE * size) | (size == 0))


def is_branch_without_center(mass: float, size: float) -> bool:
    """Return whether the masses of one branch cancel, or are all 0: docs/formulas.md, section 2."""
    return abs(mass) < _CANCELLATION_TOLERANCE * size or size == 0.0


def _reference_leaves(working: RollupState) -> NDArray[np.intp]:
    """Return the position ``(assemblies,)`` of the leaf from which each assembly is measured."""
    # the first leaf below that counts and has a mass, since another may be anywhere; all have a centre here; without
    # one, the first of all; a stated assembly is a leaf to the assemblies above it
    tree, goes_up, rank = working.tree, working.goes_up, working.rank
    at = tree.first_child[working.inner].astype(np.intp)
    useful = working.bodies.mass != 0
    counts = working.count != 0
    ends = np.ones(len(tree), bool)
    ends[tree.order[goes_up]] = False
    if not (useful | ~ends).all() or not counts.all():
        weight = counts & ~_children_of_stated(working)
        below = tree.subtree_sums((useful & ends).astype(float), weight.astype(float))
        number = np.where((counts & (below > 0))[tree.order], np.arange(len(tree)), len(tree))
        first = np.minimum.reduceat(number[1:], at - 1) if len(at) else at
        at = np.where(first < len(tree), first, at)
    while True:  # twice as far down every time
        if not len(through := np.flatnonzero(goes_up[at])):
            return at
        at[through] = at[rank[at[through]]]


def _children_of_stated(working: RollupState) -> Mask:
    """Return which items ``(n,)`` are children of a stated assembly, through which nothing goes up."""
    tree = working.tree
    stated = np.zeros(len(tree) + 1, bool)  # the last is not a parent
    stated[tree.order[working.inner]] = ~working.goes_up[working.inner]
    return stated[tree.parent]


def combine_families(working: RollupState, families: Families) -> None:
    """Compute the parents of some families from their children: docs/formulas.md, sections 2, 3 and 9."""
    if len(families.pieces()) > 1:
        _combine_pieces(working, families)
        return
    child = working.load(families.low, families.high)
    place = _child_poles(working, child, families)
    _store_poles(working, families, _pole_sums(child, families, place), place)
    if place is None:
        return
    place -= families.spread(working.sums[OFFSET, families.columns])
    _store_moments(working, families, _moment_sums(working, child, families, place))
    if working.sigmas is not None:
        _store_variances(working, families, _variance_sums(working, child, families, place))


def _combine_pieces(working: RollupState, families: Families) -> None:
    """Compute the one parent of a large family in the same steps, a piece in memory at a time."""
    found = []
    for piece in families.pieces():
        child = working.load(piece.low, piece.high)
        found.append(_pole_sums(child, piece, _child_poles(working, child, piece)))
    mass, *others = (None if parts[0] is None else np.sum(parts, axis=0) for parts in zip(*found, strict=True))
    assert mass is not None
    _store_poles(working, families, (mass, others[0], others[1], others[2]), None)
    if not working.has_centers:
        return
    passes = [(_moment_sums, _store_moments)]
    if working.sigmas is not None:
        passes.append((_variance_sums, _store_variances))
    for sums, store in passes:
        totals = []
        for piece in families.pieces():
            child = working.load(piece.low, piece.high)
            place = _child_poles(working, child, piece)
            assert place is not None
            place -= working.sums[OFFSET, families.columns]
            totals.append(sums(working, child, piece, place))
        store(working, families, np.sum(totals, axis=0))


def _child_poles(working: RollupState, child: Floats, families: Families) -> Floats | None:
    """Return the children's poles ``(3, children)`` seen from their parents' reference points."""
    if not working.has_centers:
        return None
    place = child[REFERENCE] - families.spread(working.sums[REFERENCE, families.columns])
    place += child[OFFSET]
    return place


def child_poles_from_parents(working: RollupState, families: Families) -> Floats:
    """Return child's pole minus parent's (3, children), reference points first: docs/formulas.md, section 9."""
    child = working.load(families.low, families.high)
    place = child[REFERENCE] - families.spread(working.sums[REFERENCE, families.columns])
    place += child[OFFSET] - families.spread(working.sums[OFFSET, families.columns])
    return np.asarray(place)


def _pole_sums(child: Floats, families: Families, place: Floats | None) -> _PoleSums:
    """Return sums of masses, their sizes, and first moments of the sizes about the parents' reference points."""
    masses = sizes = child[_COUNT] * child[MASS]
    size = None
    if len(child) > SIZE_OF_MASS:
        sizes = np.abs(child[_COUNT]) * child[SIZE_OF_MASS]
        size = families.add(sizes)
    moment = None if place is None else families.add(place * sizes)
    var_mass = families.add(child[_VAR_WEIGHT] * child[_VAR_MASS]) if len(child) > _VAR_WEIGHT else None
    return families.add(masses), size, moment, var_mass


def _store_poles(working: RollupState, families: Families, sums: _PoleSums, place: Floats | None) -> None:
    """Store the parents' masses and poles; ``place (3, children)`` are the children's poles."""
    # the pole of a single child is its parent's to the last digit; a branch without mass has its pole at the
    # reference point
    columns, (mass, sizes, moment, var_mass) = families.columns, sums
    size = working.sums[MASS, columns] = mass
    if sizes is not None:
        working.sums[SIZE_OF_MASS, columns] = size = sizes
    if var_mass is not None:
        working.sums[_VAR_MASS, columns] = var_mass
    if moment is not None:
        offset = moment / size
        if place is not None:
            single = (families.sizes == 1).nonzero()[0]
            offset[:, single] = place[:, families.starts[single]]
        if not size.all():
            offset[:, size == 0] = 0.0
        working.sums[OFFSET, columns] = offset


def _moment_sums(working: RollupState, child: Floats, families: Families, place: Floats) -> Floats:
    """Return tensors ``(6, parents)`` about the parents' poles; below them the first moments of signed masses."""
    result = np.zeros((9 if working.is_signed else 6, len(families.starts)))
    if working.has_tensors:
        terms = tensor_terms(child[_COUNT], child[MASS], place, child[TENSOR])
        if working.is_signed:
            terms += _first_moment_terms(child[_COUNT], place, child[MOMENT])
        result[:6] = families.add(terms)
    if working.is_signed:
        result[6:] = families.add(child[_COUNT] * (child[MASS] * place + child[MOMENT]))
    return result


def _store_moments(working: RollupState, families: Families, totals: Floats) -> None:
    """Store tensors, and of signed masses the first moments and the centres that follow from them."""
    columns = families.columns
    working.sums[TENSOR, columns] = totals[:6]
    if not working.is_signed:
        return
    mass, size, moment = working.sums[MASS, columns], working.sums[SIZE_OF_MASS, columns], totals[6:]
    moment[:, np.abs(mass) == size] = 0.0  # nothing is removed there, so the pole is the centre
    center = moment / mass
    center[:, is_without_center(mass, size)] = 0.0
    working.sums[MOMENT, columns] = moment
    working.sums[CENTER_ROWS, columns] = center


def _variance_sums(working: RollupState, child: Floats, families: Families, place: Floats) -> Floats:
    """Return variances and covariances about the parents' centres, level by level (rows from VAR_MOMENT on)."""
    # docs/formulas.md, section 3: about the children's centres, not their poles; without the row VAR_WEIGHT; those of
    # the first moments are (m s_c)² + (s_m d)²
    if working.is_signed:
        place = place + child[CENTER_ROWS] - families.spread(working.sums[CENTER_ROWS, families.columns])
    weight, var_m, var_h = child[_VAR_WEIGHT], child[_VAR_MASS], child[_VAR_MOMENT]
    result = np.zeros((12, len(families.starts)))
    result[:3] = families.add(weight * (var_h + var_m * place * place))
    if working.has_tensors:
        result[3:] = families.add(_tensor_variance_terms(weight, var_m, var_h, child[_VAR_TENSOR], place))
    return result


def _store_variances(working: RollupState, families: Families, totals: Floats) -> None:
    """Store the variances of moments and tensors, and the covariances with the mass."""
    columns = families.columns
    working.sums[_VAR_MOMENT, columns] = totals[:3]
    working.sums[_VAR_TENSOR, columns] = totals[3:9]
    working.sums[COVARIANCE, columns] = totals[9:]


def is_point_mass(working: RollupState) -> Mask:
    """Return which positions (n,) are point masses; leaves and stated assemblies as their rows state."""
    # an assembly is one if all its leaves that count are point masses at one place: docs/formulas.md, section 2
    tree, bodies = working.tree, working.bodies
    ends = np.ones(len(tree), bool)
    ends[tree.order[working.goes_up]] = False
    point = bodies.is_point & ends
    if bodies.center is None or not point.any():
        return np.asarray(point[tree.order])
    counts = (working.count != 0) & ~_children_of_stated(working)
    placed = point if bodies.has_center is None else point & bodies.has_center
    all_points = tree.subtree_extremes(np.where(ends, placed, 1.0), np.minimum, counts, 1.0) > 0
    if (all_points & ~ends).any():
        inner = tree.order[working.inner]
        point[inner] |= (all_points & ~ends)[inner] & _is_at_one_place(working, bodies.center, ends, counts)
    return np.asarray(point[tree.order])


def _is_at_one_place(working: RollupState, centers: Floats, ends: Mask, counts: Mask) -> Mask:
    """Return of which assemblies ``(k,)`` all ``ends (n,)`` that count are at one place."""
    inner = working.tree.order[working.inner]
    away, largest = np.zeros(len(inner)), np.zeros(len(inner))
    for axis in range(3):
        own = centers[:, axis]
        low = working.tree.subtree_extremes(np.where(ends, own, np.inf), np.minimum, counts, np.inf)[inner]
        high = working.tree.subtree_extremes(np.where(ends, own, -np.inf), np.maximum, counts, -np.inf)[inner]
        first = np.clip(working.sums[1 + axis], low, high)
        away = np.maximum(away, np.maximum(high - first, first - low))
        largest = np.maximum(largest, np.maximum(np.abs(low), np.abs(high)))
    return np.asarray(np.isfinite(largest) & (away <= _COINCIDENCE_TOLERANCE * largest))
