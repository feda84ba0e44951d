"""Which items make the variance of a result, at every level: shares that add up, shared errors included.

To first order a variance is a sum over the leaves, each with what its own errors and its part in shared ones add
(``rollup.contributions``); an assembly makes what those below it do.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.outcome.outcome import Outcome
from massprops_cli.findings import UsageError
from massprops_cli.rollup.contributions import budget_of
from massprops_cli.rollup.partition import LEAF
from massprops_cli.tree.stretches import add_up

Floats = NDArray[np.float64]


def variance_parts(result: Outcome, top: int, of: str) -> Floats | None:
    """Give what every item makes of the variance of a result of the item ``top`` ``(n,)``, in the file's own units.

    ``of`` is one of the ten quantities. None where the result or its sigma is not known.

    >>> from massprops_cli.bom.answers.rolling import rollup
    >>> from massprops_cli.bom.bom import Bom
    >>> leaves = [{"id": i, "parent": "top", "mass": 5.0, "sigma_mass": s} for i, s in (("a", 3.0), ("b", 4.0))]
    >>> variance_parts(rollup(Bom.from_records([{"id": "top", "parent": ""}, *leaves])), 0, "mass").tolist()
    [25.0, 9.0, 16.0]
    """
    bom = result.bom
    if bom.sigmas is None:
        return None
    try:
        budget = budget_of(
            bom.tree,
            bom.bodies,
            bom.sigmas,
            bom.quantity,
            of=of,
            item=top,
            correlation=result.correlation,
            stated=bom.stated,
        )
    except UsageError:
        return None
    parts = np.zeros(len(bom))
    own = budget.kind == LEAF
    parts[budget.number[own]] = budget.parts[:, own].sum(axis=0)
    parts[budget.flat.items] += budget.shared
    return add_up(bom.tree, parts)
