"""Independent and shared errors together: the covariance of every assembly of a tree."""

from __future__ import annotations

import numpy as np

from massprops_cli.rollup.covariance.climbing import Climb
from massprops_cli.rollup.covariance.errors import Errors
from massprops_cli.rollup.covariance.packed import Covariances
from massprops_cli.rollup.covariance.shared import SharedErrors
from massprops_cli.rollup.state import Mask, Working

__all__ = ["Errors", "covariances"]


def covariances(working: Working, errors: Errors, is_point: Mask) -> Covariances:
    """Give the covariances of the assemblies that are computed; ``working`` holds their masses and centres by now.

    ``is_point (n,)`` goes by position. A branch whose masses cancel has no centre: its covariance is about its
    reference point.
    """
    climb = Climb(working, errors, is_point)
    still_open = None
    if not errors.correlation.is_none:
        closed, still_open = SharedErrors(working, errors).go()
        climb.packed[:, : len(working.inner)] = closed
    packed = climb.go()
    if still_open is not None:
        packed += still_open
        climb.clear_points(working.inner, slice(0, len(working.inner)))
    up = working.goes_up[working.inner]
    items = working.tree.order[working.inner]
    return Covariances(items, packed) if up.all() else Covariances(items[up], packed[:, np.flatnonzero(up)])
