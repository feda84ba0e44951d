"""The variance of a result as parts that are independent of each other: own errors, shared ones, coupled ones."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.rollup.correlation import ALONE, Correlation

Floats = NDArray[np.float64]
Numbers = NDArray[np.intp]

LEAF, GROUP, JOINT = 0, 1, 2
"""What a part is: one leaf's own errors, errors that a group shares, or those of all coupled groups together."""
JOINED = -1
"""The number of the part of all coupled groups."""


class Inputs(NamedTuple):
    """The ten inputs of k leaves: derivatives of a result by those of one piece ``(10, k)``, and their sigmas.

    A leaf counts ``times (k,)``; where its pieces' errors are their own, its variance counts ``weight (k,)``.
    """

    slope: Floats
    sigma: Floats
    times: Floats
    weight: Floats


class Partition(NamedTuple):
    """r independent parts of a variance.

    ``kind (r,)`` int8; ``number (r,)`` the leaf's place, the group's number or ``JOINED``; ``parts (10, r)`` variances
    by input; ``slope (10, r)`` derivatives by an input of all pieces and members together, and ``sigma (10, r)`` that
    of the input; NaN where members' sigmas differ. ``shared (k,)`` is what each leaf adds to its group's variance.
    """

    kind: NDArray[np.int8]
    number: Numbers
    parts: Floats
    slope: Floats
    sigma: Floats
    shared: Floats


def partition(inputs: Inputs, sharing: Correlation) -> Partition:
    """Split the variance of a result into independent parts (FORMULAS 5).

    >>> pair = Correlation(np.array([0, 0], np.int32), ["pair"], shares_centers=True)
    >>> one = np.ones((10, 2))
    >>> partition(Inputs(one, one, one[0], one[0]), pair).parts[0].tolist()
    [4.0]
    """
    k = len(inputs.times)
    own = inputs.weight * (inputs.slope * inputs.sigma) ** 2
    slope = inputs.times * inputs.slope
    if sharing.is_none:
        return Partition(np.full(k, LEAF, np.int8), np.arange(k), own, slope, inputs.sigma, np.zeros(k))
    member = np.flatnonzero(sharing.group != ALONE)
    member = member[np.argsort(sharing.group[member], kind="stable")]
    for a in shared_inputs(sharing):
        own[a, member] = 0.0
    leaves = np.flatnonzero((sharing.group == ALONE) | (own > 0).any(axis=0))
    together = groups_of(inputs, member, sharing)
    return Partition(
        np.concatenate([np.full(len(leaves), LEAF, np.int8), together.kind]),
        np.concatenate([leaves, together.number]),
        np.concatenate([own[:, leaves], together.parts], axis=1),
        np.concatenate([slope[:, leaves], together.slope], axis=1),
        np.concatenate([inputs.sigma[:, leaves], together.sigma], axis=1),
        together.shared,
    )


def shared_inputs(sharing: Correlation) -> Numbers:
    """Give the inputs whose errors members share, by their place in the ten."""
    return np.arange(10) if sharing.shares_centers else np.delete(np.arange(10), [1, 2, 3])


def groups_of(inputs: Inputs, member: Numbers, sharing: Correlation) -> Partition:
    """Give the parts of all groups; ``member`` are the leaves in groups, those of one group together."""
    groups, first, counts = np.unique(sharing.group[member], return_index=True, return_counts=True)
    moved = np.zeros((10, len(member)))
    which = shared_inputs(sharing)
    change = inputs.times * inputs.slope * inputs.sigma
    moved[which] = change[np.ix_(which, member)]
    sums = np.add.reduceat(moved, first, axis=1)
    pull, coupled = pulls(sums, groups, sharing)
    shared = np.zeros(len(inputs.times))
    shared[member] = (moved * np.repeat(pull, counts, axis=1)).sum(axis=0)
    each = inputs.sigma[:, member]
    sigma = np.minimum.reduceat(each, first, axis=1)
    slope = np.add.reduceat((inputs.times * inputs.slope)[:, member], first, axis=1)
    differ = sigma != np.maximum.reduceat(each, first, axis=1)
    slope[differ] = sigma[differ] = np.nan
    whole = Partition(np.full(len(groups), GROUP, np.int8), groups.astype(np.intp), sums * pull, slope, sigma, shared)
    return joined(whole, coupled) if coupled.any() else whole


def joined(groups: Partition, coupled: NDArray[np.bool_]) -> Partition:
    """Make one part of all coupled groups, since they are not independent of each other."""
    alone, unknown = ~coupled, np.full((10, 1), np.nan)
    return Partition(
        np.append(groups.kind[alone], np.int8(JOINT)),
        np.append(groups.number[alone], JOINED),
        np.column_stack([groups.parts[:, alone], groups.parts[:, coupled].sum(axis=1)]),
        np.column_stack([groups.slope[:, alone], unknown]),
        np.column_stack([groups.sigma[:, alone], unknown]),
        groups.shared,
    )


def pulls(sums: Floats, groups: NDArray[np.int32], sharing: Correlation) -> tuple[Floats, NDArray[np.bool_]]:
    """Give Σ_h R_gh G_h ``(10, groups)`` of every group, and which groups are coupled; of others it is G itself."""
    place = np.searchsorted(groups, sharing.coupled)
    here = np.flatnonzero(np.isin(sharing.coupled, groups))
    at = place[here]
    pull = sums.copy()
    pull[:, at] = np.einsum("agh,ah->ag", sharing.matrix[:, here[:, None], here], sums[:, at])
    coupled = np.zeros(len(groups), bool)
    coupled[at] = True
    return pull, coupled
