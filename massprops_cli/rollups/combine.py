"""Children → parents, level by level from the deepest, without recursion and without a loop over items.

The children of one level are the whole next level, parent by parent, so sums over siblings are sums over
contiguous runs. Two passes over them, first the centre, then tensors about it, in blocks that fit the
processor's cache.

What one child adds to its parent's sums; plain arithmetic, for one child or for arrays of them alike.

``d = (x, y, z)`` is the child's centre seen from the parent's; tensors are the six entries xx, yy, zz, xy,
xz, yz. Numbers in brackets are the sections of Zimmerman & Nakai, SAWE paper 3360, as massProps 0.3.3
computes them.

The working arrays of a roll-up: one row a number, one column an item.

Every item is measured from its own *reference point*, the centre of its first leaf: that is an input number,
so differences of reference points are as exact as the file (FORMULAS 8). ``OFFSET`` is the centre minus the
reference point. Only assemblies are kept; leaves are brought in, a block at a time, from the arrays they were
given in.

Branches whose masses cancel: they have no centre, and hand up their first moment about their reference point.

Assemblies that are point masses: all their children are, and stand at one place.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import Bodies, Sigmas
from massprops_cli.trees.tree import Quantity, Tree

Real: TypeAlias = Any
"""A float, or an array of floats: the arithmetic is the same."""


def tensor_terms(n: Real, m: Real, d: tuple[Real, Real, Real], inertia: Any) -> tuple[Real, ...]:
    """Give n (I + m Phi(d)): the child's tensor about the parent's centre, by the parallel-axis theorem (section 2).

    >>> tensor_terms(1, 2.0, (1.0, 0.0, 0.0), (0, 0, 0, 0, 0, 0))
    (0.0, 2.0, 2.0, 0.0, 0.0, 0.0)
    """
    x, y, z = d
    xx, yy, zz = x * x, y * y, z * z
    mx, my = m * x, m * y
    return (
        n * (inertia[0] + m * (yy + zz)),
        n * (inertia[1] + m * (xx + zz)),
        n * (inertia[2] + m * (xx + yy)),
        n * (inertia[3] - mx * y),
        n * (inertia[4] - mx * z),
        n * (inertia[5] - my * z),
    )


def first_moment_terms(n: Real, d: tuple[Real, Real, Real], h: Any) -> tuple[Real, ...]:
    """Give what a massless child with first moment h about its reference point adds to the tensor terms.

    Seen from a point −d away, J changes by −2 s·h on the diagonal and s h products off it (FORMULAS: T(s), s
    = −d).
    """
    x, y, z = d
    hx, hy, hz = h[0], h[1], h[2]
    sx, sy, sz = x * hx, y * hy, z * hz
    return (
        n * 2 * (sy + sz),
        n * 2 * (sx + sz),
        n * 2 * (sx + sy),
        -n * (y * hx + x * hy),
        -n * (z * hx + x * hz),
        -n * (z * hy + y * hz),
    )


def moment_variance_terms(w: Real, var_m: Real, var_h: Any, d: tuple[Real, Real, Real]) -> tuple[Real, ...]:
    """Give w [(m s_c)² + (s_m d)²] for each axis, the variance of the first moment about the parent's centre.

    Section 3 of the paper, times the parent's mass squared.
    """
    x, y, z = d
    return (w * (var_h[0] + var_m * x * x), w * (var_h[1] + var_m * y * y), w * (var_h[2] + var_m * z * z))


def tensor_variance_terms(w: Real, var_m: Real, var_h: Any, var_i: Any, d: tuple[Real, Real, Real]) -> tuple[Real, ...]:
    """Give w times the variances of the six entries about the parent's centre, and of the covariances with the mass.

    With b, e the other two axes: s_Iaa² = s_I² + (2 m d_b s_cb)² + (2 m d_e s_ce)² + s_m² (d_b² + d_e²)²,
    s_Iab² = s_I² + (m d_b s_ca)² + (m d_a s_cb)² + s_m² (d_a d_b)²; the last three are w s_m² (d_b² + d_e²),
    the covariance of I_aa and m that the radii need (section 3; massProps: rollup_radii_of_gyration_unc).
    """
    x, y, z = d
    xx, yy, zz = x * x, y * y, z * z
    hx, hy, hz = var_h[0], var_h[1], var_h[2]
    px, py, pz = yy + zz, xx + zz, xx + yy
    fx, fy, fz = 4 * xx * hx, 4 * yy * hy, 4 * zz * hz
    return (
        w * (var_i[0] + fy + fz + var_m * px * px),
        w * (var_i[1] + fx + fz + var_m * py * py),
        w * (var_i[2] + fx + fy + var_m * pz * pz),
        w * (var_i[3] + yy * hx + xx * hy + var_m * xx * yy),
        w * (var_i[4] + zz * hx + xx * hz + var_m * xx * zz),
        w * (var_i[5] + zz * hy + yy * hz + var_m * yy * zz),
        w * var_m * px,
        w * var_m * py,
        w * var_m * pz,
    )


Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

MASS = 0
REFERENCE = slice(1, 4)
OFFSET = slice(4, 7)
TENSOR = slice(7, 13)
"""About the centre; about the reference point for a branch whose masses cancel."""
COUNT = 13
VAR_MASS = 14
VAR_MOMENT = slice(15, 18)
"""Of the first moment about the centre: (m s_c)²."""
VAR_TENSOR = slice(18, 24)
VARIANCE = slice(14, 24)
"""All ten of them."""
VAR_WEIGHT = 24
COVARIANCE = slice(25, 28)
"""Of the three moments of inertia with the mass, from the direct children."""
N_PLAIN, N_WITH_SIGMAS = 14, 28


class Working:
    """What is known so far of every position of a tree.

    ``sums (N, assemblies)`` holds the assemblies in breadth-first order; ``rank (n,)`` is a position's column
    there. Stated assemblies go up with their own numbers, like leaves; their column holds what their children
    give.
    """

    def __init__(
        self, tree: Tree, bodies: Bodies, sigmas: Sigmas | None, quantity: Quantity, stated: Mask | None
    ) -> None:
        self.tree, self.bodies, self.sigmas = tree, bodies, sigmas
        self.has_centers = bodies.center is not None
        self.has_tensors = self.has_centers and bodies.inertia is not None
        self.inner = np.flatnonzero(tree.n_children)
        self.rank = np.cumsum(tree.n_children > 0, dtype=np.int32) - 1
        self.goes_up = tree.n_children > 0
        if stated is not None:
            self.goes_up &= ~stated[tree.order]
        self.count = quantity.count
        self.weight = None if sigmas is None else quantity.variance_weight()
        self.sums = np.zeros((N_PLAIN if sigmas is None else N_WITH_SIGMAS, len(self.inner)))
        items = tree.order[self.inner]
        self.sums[COUNT] = quantity.count[items]
        if self.weight is not None:
            self.sums[VAR_WEIGHT] = self.weight[items]
        self.has_points = bool(bodies.is_point.any())

    def load(self, low: int, high: int) -> Floats:
        """Bring in positions ``low:high`` as columns ``(N, high − low)``."""
        items = self.tree.order[low:high]
        block = np.zeros((len(self.sums), high - low))
        block[MASS] = self.bodies.mass.take(items)
        block[COUNT] = self.count.take(items)
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
                block[VAR_TENSOR, point] = 0.0
        known = np.flatnonzero(self.goes_up[low:high])
        if len(known):
            block[:, known] = self.sums[:, self.rank[low + known]]
        return block

    def load_variances(self, block: Floats, items: NDArray[np.int32]) -> None:
        """Bring in the variances of some items, as leaves have them."""
        assert self.sigmas is not None
        assert self.weight is not None
        np.square(self.sigmas.mass.take(items), out=block[VAR_MASS])
        block[VAR_WEIGHT] = self.weight.take(items)
        if self.sigmas.center is not None:
            np.square(self.sigmas.center.take(items, axis=0).T * block[MASS], out=block[VAR_MOMENT])
        if self.sigmas.inertia is not None:
            np.square(self.sigmas.inertia.take(items, axis=0).T, out=block[VAR_TENSOR])


CANCELS = 1e-9
"""A branch whose masses add up to less than this share of their sizes has no mass (SEMANTICS)."""


class Cancelling:
    """Follows, by position, which branches cancel.

    ``moment (3, n)`` is None until the first one does; ``size (n,)``, the sum of the sizes of the masses in a
    branch, is None unless some mass or quantity is negative: without one, only a branch without any mass
    cancels.
    """

    def __init__(self, n: int) -> None:
        self.is_cancelled = np.zeros(n, bool)
        self.moment: Floats | None = None
        self.size: Floats | None = None

    def watch(self, mass: Floats) -> None:
        """Follow the sizes of the masses ``(n,)`` by position."""
        self.size = np.abs(mass)

    def judge(self, parents: NDArray[np.intp], mass: Floats, size: Floats | None) -> NDArray[np.bool_] | None:
        """Tell which parents' masses cancel; None when none do."""
        if self.size is not None and size is not None:
            self.size[parents] = size
            gone = np.abs(mass) <= CANCELS * size
        else:
            gone = mass == 0
        return gone if bool(gone.any()) else None

    def mark(self, positions: NDArray[np.intp], moments: Floats) -> None:
        """Remember the first moments ``(3, k)`` of branches that cancel."""
        if self.moment is None:
            self.moment = np.zeros((3, len(self.is_cancelled)))
        self.is_cancelled[positions] = True
        self.moment[:, positions] = moments


BLOCK = 4_096
"""Children taken together: 28 rows of 32 KiB."""


class Families(NamedTuple):
    """Some whole families.

    The children stand at positions ``low:high``; family f begins at ``starts[f]`` of them and has
    ``sizes[f]``. Their parents' columns among the sums are ``first : first + len(starts)``.
    """

    low: int
    high: int
    starts: NDArray[np.intp]
    sizes: NDArray[np.int32]
    first: int

    def add(self, terms: Floats) -> Floats:
        """Add up ``terms (…, children)`` over every family."""
        return np.add.reduceat(terms, self.starts, axis=-1)

    def spread(self, values: Floats) -> Floats:
        """Give every child its parent's value, ``(…, parents)`` → ``(…, children)``."""
        return np.repeat(values, self.sizes, axis=-1)


class FirstPass(NamedTuple):
    """Sums that give the centres: masses, sizes of the masses, first moments about the parents' reference points."""

    mass: Floats
    size: Floats | None
    moment: Floats | None
    var_mass: Floats | None


def combine(working: Working, families: Families, cancelling: Cancelling) -> None:
    """Fill in the parents of some families from their children."""
    if families.high - families.low > 2 * BLOCK and len(families.starts) == 1:
        combine_large(working, families, cancelling)
        return
    child = working.load(families.low, families.high)
    reference = child[REFERENCE].take(families.starts, axis=1) if working.has_centers else None
    place = places(child, families, reference)
    sums = first_pass(child, families, place, cancelling)
    offset = settle(working, families, sums, reference, cancelling)
    if place is not None and offset is not None:
        place -= families.spread(offset)
        store(working, families, second_pass(working, child, families, place, cancelling))


def combine_large(working: Working, families: Families, cancelling: Cancelling) -> None:
    """Fill in the one parent of a family that is larger than a block, piece by piece."""
    one = np.zeros(1, np.intp)
    pieces = [
        Families(
            a, min(a + BLOCK, families.high), one, np.array([min(BLOCK, families.high - a)], np.int32), families.first
        )
        for a in range(families.low, families.high, BLOCK)
    ]
    reference = working.load(families.low, families.low + 1)[REFERENCE] if working.has_centers else None
    passed = []
    for piece in pieces:
        child = working.load(piece.low, piece.high)
        passed.append(first_pass(child, piece, places(child, piece, reference), cancelling))
    sums = FirstPass(
        np.sum([p.mass for p in passed], axis=0),
        None if passed[0].size is None else np.sum([p.size for p in passed if p.size is not None], axis=0),
        None if passed[0].moment is None else np.sum([p.moment for p in passed if p.moment is not None], axis=0),
        None if passed[0].var_mass is None else np.sum([p.var_mass for p in passed if p.var_mass is not None], axis=0),
    )
    offset = settle(working, families, sums, reference, cancelling)
    if reference is None or offset is None:
        return
    totals = []
    for piece in pieces:
        child = working.load(piece.low, piece.high)
        place = places(child, piece, reference)
        assert place is not None
        place -= offset
        totals.append(second_pass(working, child, piece, place, cancelling))
    store(working, families, np.sum(totals, axis=0))


def places(child: Floats, families: Families, reference: Floats | None) -> Floats | None:
    """Give the children's centres ``(3, children)`` seen from their parents' reference points."""
    if reference is None:
        return None
    place = child[REFERENCE] - families.spread(reference)
    place += child[OFFSET]
    return place


def seen_from_parents(working: Working, families: Families) -> Floats:
    """Give the centres ``(3, children)`` of some families' children, whose sums are done, seen from their parents'.

    Differences of reference points, which are input numbers, come first (FORMULAS 8).
    """
    child = working.load(families.low, families.high)
    columns = slice(families.first, families.first + len(families.starts))
    place = child[REFERENCE] - families.spread(working.sums[REFERENCE, columns])
    place += child[OFFSET] - families.spread(working.sums[OFFSET, columns])
    return np.asarray(place)


def first_pass(child: Floats, families: Families, place: Floats | None, cancelling: Cancelling) -> FirstPass:
    """Add up masses and first moments."""
    masses = child[COUNT] * child[MASS]
    size = None
    if cancelling.size is not None:
        size = families.add(np.abs(child[COUNT]) * cancelling.size[families.low : families.high])
    moment = None
    if place is not None:
        weighted = place * masses
        if cancelling.moment is not None:
            weighted += child[COUNT] * cancelling.moment[:, families.low : families.high]
        moment = families.add(weighted)
    var_mass = families.add(child[VAR_WEIGHT] * child[VAR_MASS]) if len(child) > VAR_WEIGHT else None
    return FirstPass(families.add(masses), size, moment, var_mass)


def settle(
    working: Working, families: Families, sums: FirstPass, reference: Floats | None, cancelling: Cancelling
) -> Floats | None:
    """Store the parents' masses and centres; gives the centres ``(3, parents)`` seen from the reference points."""
    columns = slice(families.first, families.first + len(families.starts))
    parents = working.inner[columns]
    mass = sums.mass
    gone = cancelling.judge(parents, mass, sums.size)
    if gone is not None:
        mass = np.where(gone, 0.0, mass)
    working.sums[MASS, columns] = mass
    if sums.var_mass is not None:
        working.sums[VAR_MASS, columns] = sums.var_mass
    if sums.moment is None or reference is None:
        return None
    with np.errstate(divide="ignore", invalid="ignore"):
        offset = sums.moment / mass
    if gone is not None:
        offset[:, gone] = 0.0
        cancelling.mark(parents[gone], sums.moment[:, gone])
    working.sums[REFERENCE, columns] = reference
    working.sums[OFFSET, columns] = offset
    return offset


def second_pass(working: Working, child: Floats, families: Families, place: Floats, cancelling: Cancelling) -> Floats:
    """Add up tensors, variances and covariances about the parents' centres; rows as in ``sums`` from TENSOR on."""
    d = (place[0], place[1], place[2])
    result = np.zeros((len(child) - TENSOR.start, len(families.starts)))
    if working.has_tensors:
        terms = np.array(tensor_terms(child[COUNT], child[MASS], d, child[TENSOR]))
        if cancelling.moment is not None:
            h = cancelling.moment[:, families.low : families.high]
            terms += np.array(first_moment_terms(child[COUNT], d, h))
        result[:6] = families.add(terms)
    if len(child) > VAR_WEIGHT:
        weight, var_m, var_h = child[VAR_WEIGHT], child[VAR_MASS], child[VAR_MOMENT]
        result[_from_tensor(VAR_MOMENT)] = families.add(np.array(moment_variance_terms(weight, var_m, var_h, d)))
        if working.has_tensors:
            terms = families.add(np.array(tensor_variance_terms(weight, var_m, var_h, child[VAR_TENSOR], d)))
            result[_from_tensor(VAR_TENSOR)] = terms[:6]
            result[_from_tensor(COVARIANCE)] = terms[6:]
    return result


def store(working: Working, families: Families, totals: Floats) -> None:
    """Store what the second pass gave."""
    columns = slice(families.first, families.first + len(families.starts))
    parts = (TENSOR,) if len(working.sums) <= VAR_WEIGHT else (TENSOR, VAR_MOMENT, VAR_TENSOR, COVARIANCE)
    for part in parts:
        working.sums[part, columns] = totals[_from_tensor(part)]


def _from_tensor(part: slice) -> slice:
    return slice(part.start - TENSOR.start, part.stop - TENSOR.start)


def blocks(tree: Tree, working: Working, low: int, high: int) -> list[Families]:
    """Cut the families of one level, parents at positions ``low:high``, into blocks of about BLOCK children."""
    parents = low + np.flatnonzero(tree.n_children[low:high])
    if not len(parents):
        return []
    starts = tree.first_child[parents].astype(np.intp)
    sizes = tree.n_children[parents]
    end = int(starts[-1] + sizes[-1])
    wanted = np.arange(int(starts[0]), end, BLOCK)
    cuts = {*np.searchsorted(starts, wanted).tolist(), len(parents)}
    # a family larger than a block stands alone
    large = np.flatnonzero(sizes > 2 * BLOCK)
    if len(large):
        cuts |= {*large.tolist(), *(large + 1).tolist()}
    bounds, ordered = np.append(starts, end), sorted(cuts)
    first = int(working.rank[parents[0]])
    return [
        Families(int(bounds[a]), int(bounds[b]), starts[a:b] - bounds[a], sizes[a:b], first + a)
        for a, b in pairwise(ordered)
    ]


ONE_PLACE = 1e-8
"""Children closer than this share of the tree's extent stand at one place (SEMANTICS)."""


class Points:
    """Follows which positions are point masses while the levels go by, deepest first.

    ``is_point (n,)`` goes by position; of leaves and stated assemblies it is what their rows say.
    """

    def __init__(self, working: Working) -> None:
        tree, bodies = working.tree, working.bodies
        self.is_point = bodies.is_point[tree.order] & ~working.goes_up
        self.any = bool(self.is_point.any())
        self.tolerance = 0.0
        if self.any and bodies.center is not None:
            placed = tree.is_leaf() if bodies.has_center is None else tree.is_leaf() & bodies.has_center
            self.tolerance = ONE_PLACE * extent(bodies.center[placed])

    def settle(self, working: Working, families: Families) -> None:
        """Find the point masses among the parents of some families, whose sums are done; they have no tensor."""
        if not self.any:
            return
        child = working.load(families.low, families.high)
        columns = families.first + np.arange(len(families.starts))
        counts = child[COUNT] != 0
        # a child's place seen from the first leaf that counts
        numbers = np.arange(len(counts))
        first = np.minimum.reduceat(np.where(counts, numbers, len(counts) - 1), families.starts)
        place = child[REFERENCE] - families.spread(child[REFERENCE][:, first]) + child[OFFSET]
        away = np.abs(place).max(axis=0) > self.tolerance
        differs = counts & (~self.is_point[families.low : families.high] | away)
        point = ~np.logical_or.reduceat(differs, families.starts) & np.logical_or.reduceat(counts, families.starts)
        settled = working.inner[columns[point]]
        self.is_point[settled[working.goes_up[settled]]] = True
        working.sums[TENSOR, columns[point]] = 0.0
        if len(working.sums) > VAR_WEIGHT:
            working.sums[VAR_TENSOR, columns[point]] = 0.0


def extent(centers: Floats) -> float:
    """Give the diagonal of the box around some centres ``(k, 3)``, which is the size of the tree."""
    if not len(centers):
        return 0.0
    return float(np.linalg.norm(np.ptp(centers, axis=0)))
