"""How far two covariances are apart, measured by the sigmas of what they are of."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tests.oracles.case import ALONE, Case, Floats
from tests.oracles.flat import Node, covariance

TOLERANCE = 1e-12


def assert_same(ours: Floats, theirs: Floats, size: Floats | None = None) -> None:
    """Compare covariances entry by entry, each against the largest sigmas of the kinds of its two parameters.

    ``size`` is a covariance to measure by where terms of ``theirs`` cancel.
    """
    variance = np.diagonal(theirs) if size is None else np.maximum(np.diagonal(theirs), np.diagonal(size))
    sigma = np.sqrt(variance.astype(float))
    for kind in (slice(1, 4), slice(4, 10)):
        # the tensor of a point is the rounding of its centre
        sigma[kind] = max(sigma[kind].max(), 0.01 * sigma[1:4].max())
    difference = np.abs(ours - theirs) / np.outer(sigma, sigma)
    assert (difference <= TOLERANCE).all(), difference.max()


def assert_flat(ours: Floats, case: Case, item: int) -> None:
    """Compare an item's covariance with the flat sum over the leaves below it."""
    node = Node.of(case, item)
    assert_same(ours, node.covariance, covariance(unsigned(case), item, node.center))


def unsigned(case: Case) -> Case:
    """The case with nothing removed or shared: its sigmas are the size that rounding is measured by."""
    return replace(case, group=np.full(len(case.parent), ALONE), measured=np.ones(len(case.parent), bool))
