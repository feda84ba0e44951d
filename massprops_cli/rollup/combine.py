"""Children → parents, level by level from the deepest, without recursion and without a loop over items.

The children of one level are the whole next level, parent by parent, so sums over siblings are sums over
contiguous runs. Two passes over them, first the centre, then tensors about it, in blocks that fit the
processor's cache.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.rollup.cancelling import Cancelling
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
from massprops_cli.rollup.terms import (
    first_moment_terms,
    moment_variance_terms,
    tensor_terms,
    tensor_variance_terms,
)
from massprops_cli.tree.tree import Tree

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
