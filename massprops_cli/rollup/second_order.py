"""Where first order ends: what errors do to the mean of a centre and of a tensor, to second order (FORMULAS 6)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from massprops_cli.rollup.covariance.packed import PLACE
from massprops_cli.rollup.quantity import Quantity
from massprops_cli.rollup.rolled import Rollup
from massprops_cli.tree.stretches import add_up
from massprops_cli.tree.tree import Tree

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

_MOMENTS = (1, 2, 3)
_OTHERS = ((1, 2), (0, 2), (0, 1))
_PRODUCTS = ((0, 1), (0, 2), (1, 2))


@dataclass(frozen=True, slots=True)
class Shifts:
    """Expected value less nominal value of k assemblies ``items (k,)``: ``center (k, 3)`` and ``tensor (k, 6)``.

    Tensor entries about the own centre; a mass has no shift. NaN where an assembly has no mass.
    """

    items: NDArray[np.int32]
    center: Floats
    tensor: Floats


def expected_shifts(tree: Tree, rolled: Rollup, quantity: Quantity, stated: Mask | None = None) -> Shifts:
    """Predict how far the means of centres and tensors lie from the nominal values.

    E[c] − c ≈ −V[m,h]/m² and E[I] − I ≈ tr(X) 1 − X with X = B − W/m, where W is the h-block of V and
    B = Σ n m diag(s_c²) over the leaves; inputs may have any distribution about their nominal mean. ``rolled`` is a
    roll-up by ``covariance`` with the same quantities and ``stated`` items.

    >>> from massprops_cli.bodies.bodies import Bodies, Sigmas
    >>> from massprops_cli.rollup.roll_up import roll_up
    >>> tree, count = Tree.from_parents([-1, 0, 0]), Quantity.one_each(3)
    >>> two = Bodies(np.array([0, 1.0, 1]), np.zeros((3, 3)), np.zeros((3, 6)), np.zeros(3, bool))
    >>> along_x = Sigmas(np.zeros(3), np.array([[0.0, 0, 0], [2, 0, 0], [2, 0, 0]]), np.zeros((3, 6)))
    >>> expected_shifts(tree, roll_up(tree, two, along_x, method="covariance"), count).tensor.tolist()
    [[0.0, 4.0, 4.0, 0.0, 0.0, 0.0]]
    """
    assert rolled.covariances is not None
    assert rolled.sigmas is not None
    items, packed = rolled.covariances.items, rolled.covariances.packed
    mass = rolled.bodies.mass[items]
    spread = np.zeros((len(items), 3, 3))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        center = -np.array([packed[PLACE[0, a]] for a in _MOMENTS]).T / mass[:, None] ** 2
        for a in range(3):
            for b in range(3):
                spread[:, a, b] = -packed[PLACE[1 + a, 1 + b]] / mass
    if rolled.sigmas.center is not None:
        spread[:, range(3), range(3)] += scatter(tree, rolled, quantity, stated)[items]
    tensor = np.empty((len(items), 6))
    for entry, (a, b) in enumerate(_OTHERS):
        tensor[:, entry] = spread[:, a, a] + spread[:, b, b]
    for entry, (a, b) in enumerate(_PRODUCTS, 3):
        tensor[:, entry] = -spread[:, a, b]
    undefined = ~np.isfinite(center).all(axis=1)
    center[undefined] = tensor[undefined] = np.nan
    return Shifts(items, center, tensor)


def scatter(tree: Tree, rolled: Rollup, quantity: Quantity, stated: Mask | None) -> Floats:
    """Add up n m s_c² over the leaves below every item ``(n, 3)``; shared errors scatter no less than own ones."""
    assert rolled.sigmas is not None
    assert rolled.sigmas.center is not None
    ends = tree.is_leaf()
    weight = quantity.count
    if stated is not None:
        ends = ends | stated
        # what stands below a stated assembly does not go up
        weight = np.where((tree.parent >= 0) & stated[tree.parent], 0.0, weight)
    own = np.where(ends, rolled.bodies.mass, 0.0)[:, None] * np.where(ends[:, None], rolled.sigmas.center, 0.0) ** 2
    return np.array([add_up(tree, own[:, axis], weight) for axis in range(3)]).T
