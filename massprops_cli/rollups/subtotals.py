"""Subtotals by labels (supplier, subsystem, material) as bodies, and other columns over the tree (cost, temperature).

A leaf without a number is unknown: the results above it cover the known leaves, and state the number of leaves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import Bodies, Sigmas
from massprops_cli.findings.finding import UsageError
from massprops_cli.rollups.inputs import NO_GROUP, Correlation, Placement, RollupInputs
from massprops_cli.rollups.rollup import Rollup, roll_up
from massprops_cli.trees.tree import ItemQuantity, Tree, subtree_extremes, subtree_sums

_Floats = NDArray[np.float64]
_Mask = NDArray[np.bool_]

_AGGREGATIONS = ("sum", "max", "min", "mean", "rss")


class ColumnRollup(NamedTuple):
    """One column over the tree, by item number."""

    aggregation: str  # sum, max, min, mean or rss
    values: _Floats  # (n,) unit of the column; NaN where nothing is known
    known: NDArray[np.int64]  # (n,) leaves below that have a number
    leaves: NDArray[np.int64]  # (n,) all leaves below that count


def roll_up_column(
    tree: Tree, values: _Floats, way: str, quantity: ItemQuantity, mass: _Floats | None = None
) -> ColumnRollup:
    """Roll up one column, values (n,), NaN where not known; values of assemblies are not read.

    UsageError for an unknown ``way`` (sum, rss, mean, max, min) and for ``mean`` without masses (n,).
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
        # n independent pieces × √n, one piece of size q × q
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


class _LabelForest(NamedTuple):
    """The leaves of every group side by side, under one more root, since a tree has one."""

    tree: Tree  # group g is item g
    item: NDArray[np.intp]  # (n,) item of the whole behind each leaf; any behind groups and root
    quantity: ItemQuantity


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LabelSubtotals:
    """Subtotals of mass properties of g groups."""

    labels: list[tuple[str, ...]]  # texts of each group, one a column, in order of first appearance
    rollup: Rollup  # group g is item g; the leaves of the groups are further items
    forest: _LabelForest  # the leaves from which other columns are rolled up

    def column(self, values: NDArray[np.float64], way: str, mass: NDArray[np.float64] | None = None) -> ColumnRollup:
        """Roll up one column, values (n,) of the items of the table, in every group, which is item g of the result.

        Raises as ``roll_up_column``.
        """
        at = self.forest.item
        weights = None if mass is None else mass[at]
        return roll_up_column(self.forest.tree, values[at], way, self.forest.quantity, weights)


def label_subtotals(inputs: RollupInputs, labels: Sequence[Sequence[str]], *, method: str) -> LabelSubtotals:
    """Roll up the leaves of every distinct combination of labels, as ``roll_up``: docs/formulas.md, sections 2 to 6."""
    tree = inputs.tree
    filled = [_inherited_labels(tree, column) for column in labels]
    whole = path_quantities(tree, inputs.quantity)
    leaves = np.flatnonzero(tree.is_leaf() & (whole.count != 0))
    ends = np.flatnonzero(end_items(tree, inputs.stated) & (whole.count != 0))
    number: dict[tuple[str, ...], int] = {}
    for i in [*leaves.tolist(), *ends.tolist()]:
        number.setdefault(tuple(column[i] for column in filled), len(number))
    owners = np.array([number.get(key, -1) for key in zip(*filled, strict=True)], dtype=np.int32)
    forest = _label_forest(len(number), owners, leaves, whole)
    held = forest if inputs.stated is None else _label_forest(len(number), owners, ends, whole)
    placed, sigmas = inputs.placement, inputs.sigmas
    if placed is not None and placed.covariance is not None:
        sigmas = None  # an uncertain pose is that of a branch, and the groups are not
    of_groups = RollupInputs.of(
        held.tree,
        bodies_at_items(inputs.bodies, held.item),
        None if sigmas is None else sigmas_at_items(sigmas, held.item),
        held.quantity,
        correlation=_leaf_correlation(inputs.correlation, held),
    )
    if placed is not None:
        of_groups = replace(of_groups, placement=_leaf_placement(placed, held.item))
    if inputs.deviations is not None:
        of_groups = replace(of_groups, deviations=inputs.deviations.picked(held.item))
    return LabelSubtotals(list(number), roll_up(of_groups, method=method), forest)


def _leaf_placement(placed: Placement, items: NDArray[np.intp]) -> Placement:
    """Return the placement of the leaves of a forest, with exact poses."""
    sigmas = None if placed.sigmas is None else sigmas_at_items(placed.sigmas, items)
    return Placement(placed.rotation[items], bodies_at_items(placed.bodies, items), sigmas, placed.origin[items], None)


def _leaf_correlation(correlation: Correlation, forest: _LabelForest) -> Correlation:
    """Return the groups of the leaves of a forest; groups of labels and the root have no uncertainties of their own."""
    picked = correlation.picked(forest.item)
    return replace(picked, group=np.where(forest.tree.parent == forest.tree.order[0], NO_GROUP, picked.group))


def _label_forest(k: int, owners: NDArray[np.int32], leaves: NDArray[np.intp], whole: ItemQuantity) -> _LabelForest:
    """Return the leaves under their ``k`` groups; a group without leaves gets one of quantity 0."""
    owner = owners[leaves]
    bare = np.setdiff1d(np.arange(k, dtype=np.int32), owner)
    parent = np.concatenate([np.full(k, k + len(leaves) + len(bare)), owner, bare, [-1]]).astype(np.int32)

    def spread(values: NDArray[Any], of_groups: float, of_bare: float) -> NDArray[np.float64]:
        """Return values (n,) as the items of the forest: groups, leaves, leaves of empty groups, root."""
        return np.concatenate([np.full(k, of_groups), values[leaves], np.full(len(bare), of_bare), [of_groups]])

    quantity = ItemQuantity(
        spread(whole.count, 1.0, 0.0),
        spread(whole.measured, 0.0, 0.0) != 0,
        spread(whole.variance_weight(), 1.0, 0.0),
    )
    any_item = float(leaves[0]) if len(leaves) else 0.0
    item = spread(np.arange(len(owners)), any_item, any_item).astype(np.intp)
    return _LabelForest(Tree.from_parents(parent), item, quantity)


def _inherited_labels(tree: Tree, column: Sequence[str]) -> list[str]:
    """Return the label of every item: its own, or that of the nearest labelled item above it."""
    result = [text.strip() for text in column]
    parents = tree.parent.tolist()
    for i in tree.order.tolist():  # parents before children
        if not result[i]:
            result[i] = result[parents[i]] if parents[i] >= 0 else _NO_LABEL
    return result


def end_items(tree: Tree, stated: NDArray[np.bool_] | None) -> NDArray[np.bool_]:
    """Return which items (n,) go up with their own values: ``stated`` (n,) ones, and leaves below none of them."""
    if stated is None or not stated.any():
        return tree.is_leaf()
    under = np.zeros(len(tree), bool)
    for d in range(1, len(tree.levels) - 1):
        items = tree.order[tree.levels[d] : tree.levels[d + 1]]
        above = tree.parent[items]
        under[items] = under[above] | stated[above]
    return (tree.is_leaf() | stated) & ~under


def path_quantities(tree: Tree, quantity: ItemQuantity) -> ItemQuantity:
    """Return the quantity of every item in the product: the product of the quantities on its path."""
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
    """Return the bodies of items (k,), in their order."""
    return replace(bodies, **_rows_of_arrays(bodies, at))


def sigmas_at_items(sigmas: Sigmas, at: NDArray[np.intp]) -> Sigmas:
    """Return the sigmas of items (k,), in their order."""
    return replace(sigmas, **_rows_of_arrays(sigmas, at))


def _rows_of_arrays(record: Bodies | Sigmas, at: NDArray[np.intp]) -> dict[str, Any]:
    """Return the rows of items (k,) of all arrays that there are."""
    arrays = {one.name: getattr(record, one.name) for one in fields(record)}
    return {name: array[at] for name, array in arrays.items() if array is not None}
