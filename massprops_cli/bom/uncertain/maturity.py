"""How much of a mass is estimated, calculated, weighed: shares of the mass at and below every item."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.stating.methods import WEIGHED
from massprops_cli.rollup.coverage import Below
from massprops_cli.rollup.groups import ends_of

if TYPE_CHECKING:
    from massprops_cli.bom.bom import Bom

Floats = NDArray[np.float64]

WORDS = ("estimated", "calculated", WEIGHED)
"""How a mass came to be known, from the least sure to the surest."""
NOT_STATED = "not_stated"


def shares_of_mass(bom: Bom) -> dict[str, Floats]:
    """Give the share ``(n,)`` of the known mass below every item that came about in each way.

    The columns ``method`` and ``weighed`` say it. Masses count by their size, times their quantities, so that a removed
    piece cannot make a share larger than 1; what goes up from a stated assembly counts, what is below it does not.
    Shares of one item add up to 1, ``not_stated`` included, which is there when a row with a mass says nothing; NaN
    without mass. No column, no shares.

    >>> from massprops_cli.bom.bom import Bom
    >>> parts = [{"id": "a", "parent": "top", "mass": 1.0}, {"id": "b", "parent": "top", "mass": 3.0}]
    >>> shares_of_mass(Bom.from_records([{"id": "top", "parent": ""}, *parts]))
    {}
    """
    if bom.maturity is None or "mass" not in bom.columns.by_quantity:
        return {}
    said = np.array([word or NOT_STATED for word in bom.maturity])
    ends = ends_of(bom.tree, bom.stated)
    size = np.abs(bom.bodies.mass)
    if bom.bodies.has_mass is not None:
        size = size * bom.bodies.has_mass
    below = Below(bom.tree, ends, None)
    whole = below.total(size, bom.quantity)
    found = set(said[ends & (size > 0)].tolist())
    others = sorted(found - {*WORDS, NOT_STATED})
    words = [*WORDS, *others, *([NOT_STATED] if NOT_STATED in found else [])]
    with np.errstate(invalid="ignore", divide="ignore"):
        return {word: below.total(size * (said == word), bom.quantity) / whole for word in words}
