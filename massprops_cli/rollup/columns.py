"""Other columns over the tree: cost added up, temperature at its highest, an average weighted by mass.

A leaf without a number is not known: the results above it cover what is known, and say how many leaves that
is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from massprops_cli.findings import UsageError
from massprops_cli.rollup.quantity import Quantity
from massprops_cli.tree.stretches import add_up, fold
from massprops_cli.tree.tree import Tree

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

WAYS = ("sum", "max", "min", "mean", "rss")


@dataclass(frozen=True, slots=True)
class ColumnRollup:
    """One column over the tree.

    ``values (n,)`` are NaN where nothing is known; ``known (n,)`` of the ``leaves (n,)`` below have a number.
    """

    way: str
    values: Floats
    known: NDArray[np.int64]
    leaves: NDArray[np.int64]


def roll_up_column(
    tree: Tree, values: Floats, way: str, quantity: Quantity, mass: Floats | None = None
) -> ColumnRollup:
    """Roll one column ``values (n,)`` (NaN: not known) up over the tree; values of assemblies are not read.

    ``sum`` counts each child as often as its parent holds it (× n); ``rss`` is the root of the sum of
    squares, n independent pieces counting × √n and one piece of size q × q; ``mean`` is weighted by ``mass
    (n,)`` of the leaves; ``max`` and ``min`` ignore how many there are. A child with quantity 0 is left out.

    >>> tree = Tree.from_parents([-1, 0, 0])
    >>> cost, twice = np.array([np.nan, 3.0, 5.0]), Quantity(np.array([1.0, 2.0, 1.0]), np.zeros(3, bool))
    >>> [float(roll_up_column(tree, cost, way, twice, np.array([0.0, 1.0, 2.0])).values[0]) for way in WAYS]
    [11.0, 5.0, 3.0, 4.0, 6.557438524302]
    """
    leaf = tree.is_leaf()
    known = leaf & np.isfinite(values)
    held = (quantity.count != 0).astype(float)
    n_known = np.rint(add_up(tree, known.astype(float), held)).astype(np.int64)
    n_leaves = np.rint(add_up(tree, leaf.astype(float), held)).astype(np.int64)
    bare = np.where(known, values, 0.0)
    if way == "sum":
        result = add_up(tree, bare, quantity.count)
    elif way == "rss":
        result = np.sqrt(add_up(tree, bare**2, quantity.variance_weight()))
    elif way == "mean":
        if mass is None:
            raise UsageError("a mean is weighted by mass, and the table has no masses")
        weight = np.where(known & np.isfinite(mass), mass, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            result = add_up(tree, weight * bare, quantity.count) / add_up(tree, weight, quantity.count)
    elif way in ("max", "min"):
        far = -np.inf if way == "max" else np.inf
        result = fold(tree, np.where(known, values, far), np.maximum if way == "max" else np.minimum, held != 0, far)
    else:
        raise UsageError(f"{way} is no way to roll a column up; the ways are {', '.join(WAYS)}")
    result = np.where((n_known > 0) & np.isfinite(result), result, np.nan)
    return ColumnRollup(way, np.where(leaf, values, result), n_known, n_leaves)
