"""A case rolled up by the package itself, to be compared with the oracles, which know nothing of it."""

from __future__ import annotations

import numpy as np

from massprops_cli.bodies.bodies import Bodies, Sigmas
from massprops_cli.rollups.inputs import Correlation, RollupInputs
from massprops_cli.rollups.rollup import Rollup, roll_up
from massprops_cli.trees.tree import ItemQuantity, Tree
from tests.oracles.case import Case


def inputs(case: Case) -> tuple[Bodies, Sigmas]:
    """The bodies and sigmas of a case."""
    ten, sigma = case.ten, case.sigma
    bodies = Bodies(ten[:, 0].copy(), ten[:, 1:4].copy(), ten[:, 4:].copy(), np.array(case.is_point, bool))
    return bodies, Sigmas(sigma[:, 0].copy(), sigma[:, 1:4].copy(), sigma[:, 4:].copy())


def correlation(case: Case) -> Correlation:
    """Whose errors a case shares."""
    group = case.group.astype(np.int32)
    if case.coupled is None or case.matrix is None:
        return Correlation(group, shares_centers=case.shares_centers)
    return Correlation(group, (), case.shares_centers, case.coupled, case.matrix)


def rolled(case: Case, method: str = "covariance") -> Rollup:
    """Roll a case up by the package."""
    tree, quantity = Tree.from_parents(case.parent), ItemQuantity(case.count, case.measured)
    shared = correlation(case)
    return roll_up(
        RollupInputs.of(tree, *inputs(case), quantity, stated=case.stated, correlation=shared), method=method
    )
