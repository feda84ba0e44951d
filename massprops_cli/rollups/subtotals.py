"""Subtotals by labels: the leaves of each supplier, subsystem or material as one body.

Other columns over the tree: cost added up, temperature at its highest, an average weighted by mass.

A leaf without a number is not known: the results above it cover the known leaves, and count the leaves that
is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies import Bodies, Sigmas
from massprops_cli.findings import UsageError
from massprops_cli.rollups.inputs import NO_GROUP, Correlation, RollupInputs
from massprops_cli.rollups.rollup import Rollup, roll_up
from massprops_cli.trees import ItemQuantity, Tree, subtree_extremes, subtree_sums

_Floats = NDArray[np.float64]
_Mask = NDArray[np.bool_]

_AGGREGATIONS = ("sum", "max", "min", "mean", "rss")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ColumnRollup:
    """One column over the tree.

    ``values (n,)`` are NaN where nothing is known; ``known (n,)`` of the ``leaves (n,)`` below have a number.
    """

    aggregation: str
    values: _Floats
    known: NDArray[np.int64]
    leaves: NDArray[np.int64]


def roll_up_column(
    tree: Tree, values: _Floats, way: str, quantity: ItemQuantity, mass: _Floats | None = None
) -> ColumnRollup:
    """Roll one column ``values (n,)`` (NaN: not known) up over the tree; values of assemblies are not read.

    ``sum`` counts each child as often as its parent holds it (× n); ``rss`` is the root of the sum of
    squares, n independent pieces counting × √n and one piece of size q × q; ``mean`` is weighted by ``mass
    (n,)`` of the leaves; ``max`` and ``min`` ignore how many there are. A child with quantity 0 is left out.

    >>> tree = Tree.from_parents([-1, 0, 0])
    >>> cost, twice = np.array([np.nan, 3.0, 5.0]), ItemQuantity(np.array([1.0, 2.0, 1.0]), np.zeros(3, bool))
    >>> [float(roll_up_column(tree, cost, way, twice, np.array([0.0, 1.0, 2.0])).values[0]) for way in _AGGREGATIONS]
    [11.0, 5.0, 3.0, 4.0, 6.557438524302]
    """
    leaf = tree.is_leaf()
    known = leaf & np.isfinite(values)
    held = (quantity.count != 0).astype(float)
    n_known = np.rint(subtree_sums(tree, known.astype(float), held)).astype(np.int64)
    n_leaves = np.rint(subtree_sums(tree, leaf.astype(float), held)).astype(np.int64)
    bare = np.where(known, values, 0.0)
    if way == "sum":
        result = subtree_sums(tree, bare, quantity.count)
    elif way == "rss":
        result = np.sqrt(subtree_sums(tree, bare**2, quantity.variance_weight()))
    elif way == "mean":
        if mass is None:
            raise UsageError("table has no masses, which are the weights of a mean")
        weight = np.where(known & np.isfinite(mass), mass, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            result = subtree_sums(tree, weight * bare, quantity.count) / subtree_sums(tree, weight, quantity.count)
    elif way in ("max", "min"):
        far = -np.inf if way == "max" else np.inf
        result = subtree_extremes(
            tree, np.where(known, values, far), np.maximum if way == "max" else np.minimum, held != 0, far
        )
    else:
        raise UsageError(f"aggregation is unknown: {way} (expected one of {', '.join(_AGGREGATIONS)})")
    result = np.where((n_known > 0) & np.isfinite(result), result, np.nan)
    return ColumnRollup(way, np.where(leaf, values, result), n_known, n_leaves)


_NO_LABEL = "(blank)"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _LabelForest:
    """The leaves of every group side by side, under one more root, since a tree has one.

    ``labels[g]`` are the texts of group g, one a column, in order of first appearance; group g is item g of ``tree``.
    ``item (n,)`` is the item of the whole behind each leaf (any, behind groups and root), counted as ``quantity``
    states.
    """

    labels: list[tuple[str, ...]]
    tree: Tree
    item: NDArray[np.intp]
    quantity: ItemQuantity


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LabelSubtotals:
    """Subtotals of mass properties.

    ``labels[g]`` are a group's texts, one a column; ``rollup`` has group g as item g, and the groups' leaves as further
    items. ``forest`` holds the leaves that other columns go up from; its labels are the same.
    """

    labels: list[tuple[str, ...]]
    rollup: Rollup
    forest: _LabelForest

    def column(self, values: NDArray[np.float64], way: str, mass: NDArray[np.float64] | None = None) -> ColumnRollup:
        """Roll one column ``values (n,)`` of the whole up in every group; group g is item g of the result.

        ``way`` and ``mass (n,)`` are those of ``roll_up_column``.
        """
        at = self.forest.item
        weights = None if mass is None else mass[at]
        return roll_up_column(self.forest.tree, values[at], way, self.forest.quantity, weights)


def label_subtotals(inputs: RollupInputs, labels: Sequence[Sequence[str]], *, method: str) -> LabelSubtotals:
    """Add up the leaves of every distinct combination of labels, by the formulas of the roll-up.

    ``labels`` has a column of n texts for every way of grouping. A leaf counts as often as the quantities on
    its path state; a leaf without a label takes that of the nearest assembly above it that has one.
    A stated assembly counts as a leaf, in the place of those below it; other columns state nothing, so they always go
    up from the leaves.
    """
    tree = inputs.tree
    filled = [_inherited_labels(tree, column) for column in labels]
    whole = path_quantities(tree, inputs.quantity)
    leaves = np.flatnonzero(tree.is_leaf() & (whole.count != 0))
    ends = np.flatnonzero(end_items(tree, inputs.stated) & (whole.count != 0))
    number: dict[tuple[str, ...], int] = {}
    for i in [*leaves.tolist(), *ends.tolist()]:
        number.setdefault(tuple(column[i] for column in filled), len(number))
    owners = np.array([number.get(key, -1) for key in zip(*filled, strict=True)], dtype=np.int32)
    forest = _label_forest(list(number), owners, leaves, whole)
    held = forest if inputs.stated is None else _label_forest(list(number), owners, ends, whole)
    of_groups = RollupInputs.of(
        held.tree,
        bodies_at_items(inputs.bodies, held.item),
        None if inputs.sigmas is None else sigmas_at_items(inputs.sigmas, held.item),
        held.quantity,
        correlation=_leaf_correlation(inputs.correlation, held),
    )
    return LabelSubtotals(list(number), roll_up(of_groups, method=method), forest)


def _leaf_correlation(correlation: Correlation, forest: _LabelForest) -> Correlation:
    """Return the leaves of a forest the groups of their items; groups and root have no errors of their own."""
    picked = correlation.picked(forest.item)
    return replace(picked, group=np.where(forest.tree.parent == forest.tree.order[0], NO_GROUP, picked.group))


def _label_forest(
    labels: list[tuple[str, ...]], owners: NDArray[np.int32], leaves: NDArray[np.intp], whole: ItemQuantity
) -> _LabelForest:
    """Plant the leaves under their groups; a group that has none gets one that counts 0 times."""
    k = len(labels)
    owner = owners[leaves]
    bare = np.setdiff1d(np.arange(k, dtype=np.int32), owner)
    parent = np.concatenate([np.full(k, k + len(leaves) + len(bare)), owner, bare, [-1]]).astype(np.int32)

    def spread(values: NDArray[Any], of_groups: float, of_bare: float) -> NDArray[np.float64]:
        return np.concatenate([np.full(k, of_groups), values[leaves], np.full(len(bare), of_bare), [of_groups]])

    quantity = ItemQuantity(
        spread(whole.count, 1.0, 0.0),
        spread(whole.measured, 0.0, 0.0) != 0,
        spread(whole.variance_weight(), 1.0, 0.0),
    )
    any_item = float(leaves[0]) if len(leaves) else 0.0
    item = spread(np.arange(len(owners)), any_item, any_item).astype(np.intp)
    return _LabelForest(labels, Tree.from_parents(parent), item, quantity)


def _inherited_labels(tree: Tree, column: Sequence[str]) -> list[str]:
    """Return every item its own label, or that of the nearest labelled item above it."""
    result = [text.strip() for text in column]
    parents = tree.parent.tolist()
    for i in tree.order.tolist():  # parents before children
        if not result[i]:
            result[i] = result[parents[i]] if parents[i] >= 0 else _NO_LABEL
    return result


def end_items(tree: Tree, stated: NDArray[np.bool_] | None) -> NDArray[np.bool_]:
    """Return which items go up with their own numbers ``(n,)``: stated ones, and leaves that are under none of them."""
    if stated is None or not stated.any():
        return tree.is_leaf()
    under = np.zeros(len(tree), bool)
    for d in range(1, len(tree.levels) - 1):
        items = tree.order[tree.levels[d] : tree.levels[d + 1]]
        above = tree.parent[items]
        under[items] = under[above] | stated[above]
    return (tree.is_leaf() | stated) & ~under


def path_quantities(tree: Tree, quantity: ItemQuantity) -> ItemQuantity:
    """Return how often every item counts in the whole: the product of the quantities on its path.

    So are the factors of variance: n pieces of n' pieces are n × n' independent ones, sizes multiply as squares.
    """
    times, measured, weight = quantity.count.copy(), quantity.measured.copy(), quantity.variance_weight().copy()
    root = tree.order[0]  # the root has no parent
    times[root] = weight[root] = 1.0
    measured[root] = False
    for d in range(1, len(tree.levels) - 1):
        items = tree.order[tree.levels[d] : tree.levels[d + 1]]
        above = tree.parent[items]
        with np.errstate(over="ignore", invalid="ignore"):  # what overflows makes totals that are checked
            times[items] *= times[above]
            weight[items] *= weight[above]
        measured[items] |= measured[above]
    return ItemQuantity(times, measured, weight)


def bodies_at_items(bodies: Bodies, at: NDArray[np.intp]) -> Bodies:
    """Pick bodies by number."""
    return Bodies(
        bodies.mass[at],
        None if bodies.center is None else bodies.center[at],
        None if bodies.inertia is None else bodies.inertia[at],
        bodies.is_point[at],
        None if bodies.has_mass is None else bodies.has_mass[at],
        None if bodies.has_center is None else bodies.has_center[at],
        None if bodies.has_inertia is None else bodies.has_inertia[at],
        None if bodies.has_products is None else bodies.has_products[at],
    )


def sigmas_at_items(sigmas: Sigmas, at: NDArray[np.intp]) -> Sigmas:
    """Pick sigmas by number."""
    return Sigmas(
        sigmas.mass[at],
        None if sigmas.center is None else sigmas.center[at],
        None if sigmas.inertia is None else sigmas.inertia[at],
        None if sigmas.known is None else sigmas.known[at],
    )
