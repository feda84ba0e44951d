"""Children → parents, level by level from the deepest, without recursion and without a loop over items.

The children of one level are the whole next level, parent by parent, so sums over siblings are sums over contiguous runs.
Two passes over them, first the centre, then tensors about it. Wide levels are taken in blocks that fit the processor's
cache; runs of narrow levels, such as a chain, one item at a time in plain floats with the same arithmetic.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

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
)
from massprops_cli.rollup.terms import (
    first_moment_terms,
    moment_variance_terms,
    tensor_terms,
    tensor_variance_terms,
)

BLOCK = 8_192
"""Children taken together: some 30 rows of 64 KiB."""

CANCELS = 1e-9
"""A branch whose masses add up to less than this share of their sizes has no mass."""


class Siblings:
    """One block of whole families: children ``low:high`` and their parents, all as positions."""

    def __init__(self, parents: NDArray[np.intp], starts: NDArray[np.intp], low: int, high: int) -> None:
        self.parents, self.low, self.high = parents, low, high
        self.starts = starts - low
        self.sizes = np.diff(np.append(self.starts, high - low))

    def add(self, terms: Floats) -> Floats:
        """Add up ``terms (…, children)`` over every family."""
        return np.add.reduceat(terms, self.starts, axis=-1)

    def spread(self, values: Floats) -> Floats:
        """Give every child its parent's value, ``(…, parents)`` → ``(…, children)``."""
        return np.repeat(values, self.sizes, axis=-1)


class Cancelled:
    """Branches whose masses cancel: they have no centre, and hand up their first moment about their reference point."""

    def __init__(self, n: int) -> None:
        self.is_cancelled = np.zeros(n, bool)
        self.moment: Floats | None = None
        self.size: Floats | None = None

    def watch(self, mass: Floats) -> None:
        """Follow the sizes of the masses, since some are negative."""
        self.size = np.abs(mass)

    def mark(self, positions: NDArray[np.intp], moments: Floats) -> None:
        """Remember the first moments ``(3, k)`` of some branches that cancel."""
        if self.moment is None:
            self.moment = np.zeros((3, len(self.is_cancelled)))
        self.is_cancelled[positions] = True
        self.moment[:, positions] = moments


def combine(state: Floats, family: Siblings, cancelled: Cancelled, *, centers: bool, tensors: bool) -> None:
    """Fill in the parents of one block from their children."""
    span = slice(family.low, family.high)
    child = state[:, span]
    parents = family.parents
    masses = child[COUNT] * child[MASS]
    total = family.add(masses)
    gone = massless(masses, total, child[COUNT], span, family, cancelled)
    reference = child[REFERENCE][:, family.starts]
    with_sigmas = len(state) > VAR_WEIGHT
    if with_sigmas:
        state[VAR_MASS, parents] = family.add(child[VAR_WEIGHT] * child[VAR_MASS])
    if centers:
        place = child[REFERENCE] - family.spread(reference)
        place += child[OFFSET]
        weighted = place * masses
        moment = None if cancelled.moment is None else cancelled.moment[:, span]
        if moment is not None:
            weighted += child[COUNT] * moment
        first = family.add(weighted)
        with np.errstate(divide="ignore", invalid="ignore"):
            offset = first / total
        if gone is not None:
            offset[:, gone] = 0.0
            total = np.where(gone, 0.0, total)
            cancelled.mark(parents[gone], first[:, gone])
        state[REFERENCE, parents] = reference
        state[OFFSET, parents] = offset
        place -= family.spread(offset)
        combine_about(state, family, (place[0], place[1], place[2]), moment, tensors=tensors)
    state[MASS, parents] = total


def combine_about(
    state: Floats, family: Siblings, d: tuple[Floats, Floats, Floats], moment: Floats | None, *, tensors: bool
) -> None:
    """Second pass: tensors and variances about the parents' centres, which the children see at −d."""
    child = state[:, family.low : family.high]
    parents = family.parents
    if tensors:
        terms = np.array(tensor_terms(child[COUNT], child[MASS], d, child[TENSOR]))
        if moment is not None:
            terms += np.array(first_moment_terms(child[COUNT], d, moment))
        state[TENSOR, parents] = family.add(terms)
    if len(state) <= VAR_WEIGHT:
        return
    weight, var_m, var_h = child[VAR_WEIGHT], child[VAR_MASS], child[VAR_MOMENT]
    if tensors:
        terms = np.array(tensor_variance_terms(weight, var_m, var_h, child[VAR_TENSOR], d))
        sums = family.add(terms)
        state[VAR_TENSOR, parents] = sums[:6]
        state[COVARIANCE, parents] = sums[6:]
    state[VAR_MOMENT, parents] = family.add(np.array(moment_variance_terms(weight, var_m, var_h, d)))


def massless(
    masses: Floats, total: Floats, count: Floats, span: slice, family: Siblings, cancelled: Cancelled
) -> NDArray[np.bool_] | None:
    """Tell which parents' masses cancel; None when none do."""
    if cancelled.size is None:
        gone = total == 0
    else:
        size = family.add(np.abs(count) * cancelled.size[span])
        cancelled.size[family.parents] = size
        gone = np.abs(total) <= CANCELS * size
    return gone if bool(gone.any()) else None


def families(first_child: NDArray[Any], n_children: NDArray[Any], low: int, high: int) -> list[Siblings]:
    """Cut the families of one level, parents at positions ``low:high``, into blocks of about BLOCK children."""
    parents = low + np.flatnonzero(n_children[low:high])
    if not len(parents):
        return []
    starts = first_child[parents].astype(np.intp)
    end = int(starts[-1] + n_children[parents[-1]])
    if end - int(starts[0]) <= BLOCK:
        return [Siblings(parents, starts, int(starts[0]), end)]
    wanted = np.arange(int(starts[0]) + BLOCK, end, BLOCK)
    cuts = np.unique(np.concatenate([[0], np.searchsorted(starts, wanted), [len(parents)]]))
    bounds = np.append(starts, end)
    return [
        Siblings(parents[a:b], starts[a:b], int(bounds[a]), int(bounds[b]))
        for a, b in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True)
    ]
