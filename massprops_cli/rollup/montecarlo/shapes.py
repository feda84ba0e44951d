"""How inputs are distributed: the kind of each item's errors, and the bounds that some columns state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

KINDS = ("normal", "lognormal", "uniform", "triangular", "truncated")
NOT_STATED = -1
"""The kind of an item whose row does not say: the one asked for with ``--distribution`` holds."""


class Bounds(NamedTuple):
    """Least, likeliest and greatest value of one quantity ``(n,)`` each, in coherent units; NaN where not given."""

    low: Floats
    likely: Floats
    high: Floats


@dataclass(frozen=True, slots=True)
class Shapes:
    """How the ten inputs of n items are distributed.

    ``kind (n,)`` int8 counts in ``KINDS``, or is ``NOT_STATED``. ``bounds`` holds those quantities that have columns
    of bounds, by their place in the order mass, Cx … Cz, Ixx … Iyz. Where a uniform or triangular quantity has no
    bounds, it is as wide as its sigma says (± √3 σ, ± √6 σ).
    """

    kind: NDArray[np.int8]
    bounds: Mapping[int, Bounds] = field(default_factory=dict)
