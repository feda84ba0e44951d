"""Subtotals of groups of leaves, and new totals of assemblies above changed leaves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import Bodies, Sigmas, at_items
from massprops_cli.findings.finding import UsageError
from massprops_cli.rollups.inputs import (
    NO_GROUP,
    NO_LABEL,
    Coverage,
    RollupInputs,
    is_complete_data,
    tree_coverage,
    with_rows,
)
from massprops_cli.rollups.rollup import Rollup, roll_up
from massprops_cli.trees.tree import ItemQuantity, Labels, Tree

_Floats = NDArray[np.float64]
_Mask = NDArray[np.bool_]
_AGGREGATIONS = ("sum", "max", "min", "mean", "rss")
_LabelForest = tuple[Tree, NDArray[np.intp], ItemQuantity]
"""Leaves of groups, group g as item g, under one root; the item (n,) of each leaf in the whole (any of groups)."""
_SIGNIFICANT_ROUNDING = 1e-10  # rounding that is larger than this share of a radius of gyration matters in a difference


class ColumnRollup(NamedTuple):
    """One column over the tree, by item number."""

    aggregation: str  # sum, max, min, mean or rss
    values: _Floats  # (n,) unit of the column; NaN where nothing is known
    known: NDArray[np.int64]  # (n,) leaves below that have a number
    leaves: NDArray[np.int64]  # (n,) all leaves below that count


def roll_up_column(
    tree: Tree, values: _Floats, way: str, quantity: ItemQuantity, mass: _Floats | None = None
) -> ColumnRollup:
    """Roll up values (n,) of leaves, NaN unknown; UsageError: no masses (n,) for ``mean``, or unknown ``way``."""
    leaf = tree.is_leaf()
    known = leaf & np.isfinite(values)
    held = (quantity.count != 0).astype(float)
    n_known = np.rint(tree.subtree_sums(known.astype(float), held)).astype(np.int64)
    n_leaves = np.rint(tree.subtree_sums(leaf.astype(float), held)).astype(np.int64)
    bare = np.where(known, values, 0.0)
    if way == "sum":
        result = tree.subtree_sums(bare, quantity.count)
    elif way == "rss":
        # n independent pieces × √n, one piece of size q × q
        result = np.sqrt(tree.subtree_sums(bare**2, quantity.variance_weight()))
    elif way == "mean":
        if mass is None:
            raise UsageError("table has no masses, which are the weights of a mean")
        weight = np.where(known & np.isfinite(mass), mass, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            result = tree.subtree_sums(weight * bare, quantity.count) / tree.subtree_sums(weight, quantity.count)
    elif way in ("max", "min"):
        far = -np.inf if way == "max" else np.inf
        result = tree.subtree_extremes(
            np.where(known, values, far), np.maximum if way == "max" else np.minimum, held != 0, far
        )
    else:
        raise UsageError(f"aggregation is unknown: {way} (expected one of {', '.join(_AGGREGATIONS)})")
    result = np.where((n_known > 0) & np.isfinite(result), result, np.nan)
    return ColumnRollup(way, np.where(leaf, values, result), n_known, n_leaves)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LabelSubtotals:
    """Subtotals of mass properties of g groups."""

    labels: list[tuple[str, ...]]  # texts of each group, one a column, in order of first appearance
    rollup: Rollup  # group g is item g; the leaves of the groups are further items
    forest: _LabelForest  # the leaves, from which other columns are rolled up

    def column(self, values: NDArray[np.float64], way: str, mass: NDArray[np.float64] | None = None) -> ColumnRollup:
        """Roll up one column, values (n,) of the items, in every group, which is item g of the result."""
        tree, at, quantity = self.forest
        return roll_up_column(tree, values[at], way, quantity, None if mass is None else mass[at])


def label_subtotals(inputs: RollupInputs, labels: Sequence[Labels], *, method: str) -> LabelSubtotals:
    """Roll up the leaves of every distinct combination of labels, as ``roll_up``: docs/formulas.md, sections 2 to 6."""
    tree = inputs.tree
    filled = [tree.inherited_labels(column, NO_LABEL) for column in labels]
    whole = tree.path_quantities(inputs.quantity)
    leaves = np.flatnonzero(tree.is_leaf() & (whole.count != 0))
    ends = np.flatnonzero(tree.end_items(inputs.stated) & (whole.count != 0))
    number, found = tree.label_numbers(filled, np.concatenate([leaves, ends]))
    owners = found.astype(np.int32)
    forest = _label_forest(len(number), owners, leaves, whole)
    held, item, quantity = forest if inputs.stated is None else _label_forest(len(number), owners, ends, whole)
    placed, sigmas = inputs.placement, inputs.sigmas
    if placed is not None and placed.covariance is not None:
        sigmas = None  # an uncertain pose is that of a branch, and the groups are not
    # groups of the leaves of a forest; groups of labels and the root have no uncertainties of their own
    picked = inputs.correlation.picked(item)
    of_groups = RollupInputs.of(
        held,
        at_items(inputs.bodies, item),
        None if sigmas is None else at_items(sigmas, item),
        quantity,
        correlation=replace(picked, group=np.where(held.parent == held.order[0], NO_GROUP, picked.group)),
    )
    if placed is not None:
        of_groups = replace(of_groups, placement=placed.picked(item))
    if inputs.deviations is not None:
        of_groups = replace(of_groups, deviations=inputs.deviations.picked(item))
    return LabelSubtotals(number, roll_up(of_groups, method=method), forest)


def _label_forest(k: int, owners: NDArray[np.int32], leaves: NDArray[np.intp], whole: ItemQuantity) -> _LabelForest:
    """Return the leaves under their ``k`` groups; a group without leaves gets one of quantity 0."""
    owner = owners[leaves]
    bare = np.setdiff1d(np.arange(k, dtype=np.int32), owner)
    parent = np.concatenate([np.full(k, k + len(leaves) + len(bare)), owner, bare, [-1]]).astype(np.int32)

    def spread(values: NDArray[Any], of_groups: float, of_bare: float) -> NDArray[np.float64]:
        """Return values (n,) as the items of the forest: groups, leaves, leaves of empty groups, root."""
        return np.concatenate([np.full(k, of_groups), values[leaves], np.full(len(bare), of_bare), [of_groups]])

    quantity = ItemQuantity(
        spread(whole.count, 1.0, 0.0), spread(whole.measured, 0.0, 0.0) != 0, spread(whole.variance_weight(), 1.0, 0.0)
    )
    any_item = float(leaves[0]) if len(leaves) else 0.0
    return Tree.from_parents(parent), spread(np.arange(len(owners)), any_item, any_item).astype(np.intp), quantity


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ChangedAssemblies:
    """The assemblies above changed items, before and after."""

    items: NDArray[np.intp]  # (k,) deepest first, the root last; bodies, sigmas and coverage in this order
    before: Bodies
    before_sigmas: Sigmas | None
    after: Bodies
    after_sigmas: Sigmas | None
    before_coverage: Coverage
    after_coverage: Coverage

    @classmethod
    def of(
        cls, items: NDArray[np.intp], rolled: Rollup, again: Rollup, place: NDArray[np.intp], covered: Coverage
    ) -> ChangedAssemblies:
        """Return the assemblies (k,), their numbers (k,) in ``again`` being ``place``, with its coverage of them."""
        return cls(
            items,
            at_items(rolled.bodies, items),
            None if rolled.sigmas is None else at_items(rolled.sigmas, items),
            at_items(again.bodies, place),
            None if again.sigmas is None else at_items(again.sigmas, place),
            rolled.coverage.picked(items),
            covered,
        )


def recompute_rollup(rolled: Rollup, inputs: RollupInputs, changed: NDArray[np.intp]) -> ChangedAssemblies:
    """Compute again the assemblies above changed items (c,), whose inputs are new; a removed one has quantity 0."""
    # assemblies above the changed items, deepest first
    is_above = np.zeros(len(inputs.tree), bool)
    for i in changed.tolist():
        while (i := int(inputs.tree.parent[i])) >= 0 and not is_above[i]:
            is_above[i] = True
    at = np.flatnonzero(is_above)
    above = at[np.argsort(inputs.tree.position[at])[::-1]]
    # other branches are bodies of the new roll-up; everything is computed again where uncertainties are shared across
    # branches, values are missing or negative, or rounding matters far from the origin (docs/formulas.md, section 9)
    is_shared = not inputs.correlation.is_none and rolled.covariances is not None
    is_partial = not is_complete_data(inputs.bodies, inputs.sigmas) or rolled.placed is not None
    is_joint = inputs.deviations is not None or inputs.placement is not None
    is_joint &= rolled.covariances is not None
    if is_shared or is_partial or is_joint or rolled.passed_up is not None or _is_far_from_origin(rolled.bodies, above):
        again = roll_up(inputs, method=rolled.method)
        return ChangedAssemblies.of(above, rolled, again, above, again.coverage.picked(above))
    again = _path_rollup(rolled, inputs, changed, above)
    # a branch is more than the one leaf it is in that roll-up
    return ChangedAssemblies.of(above, rolled, again, np.arange(len(above)), tree_coverage(inputs).picked(above))


def _path_rollup(rolled: Rollup, inputs: RollupInputs, changed: NDArray[np.intp], above: NDArray[np.intp]) -> Rollup:
    """Roll up the assemblies ``above`` the change as items 0 … k − 1, with their other children as leaves."""
    tree, quantity = inputs.tree, inputs.quantity
    children = np.concatenate([tree.children(int(i)) for i in above]) if len(above) else np.zeros(0, np.int32)
    members = np.concatenate([above, np.setdiff1d(children, above)]).astype(np.intp)
    rows = replace(at_items(inputs.bodies, changed), is_point=rolled.bodies.is_point[changed])
    bodies, sigmas = with_rows(rolled.bodies, (changed, rows)), None
    if rolled.sigmas is not None and inputs.sigmas is not None:
        sigmas = with_rows(rolled.sigmas, (changed, at_items(inputs.sigmas, changed)))
    # tree of the changed assemblies and their children, siblings in order, as items 0 … len(members)−1
    number = np.full(len(tree) + 1, -1)
    number[members] = np.arange(len(members))
    if sigmas is not None:  # 0 where a branch has no centre and so no sigmas, because 0 × NaN is not 0
        sigmas = at_items(sigmas, members)
        parts = [None if part is None else np.nan_to_num(part) for part in (sigmas.center, sigmas.inertia)]
        sigmas = replace(sigmas, center=parts[0], inertia=parts[1])
    part = RollupInputs.of(
        Tree.from_parents(number[tree.parent[members]]),
        at_items(bodies, members),
        sigmas,
        ItemQuantity(quantity.count[members], quantity.measured[members]),
        stated=None if inputs.stated is None else inputs.stated[members] & (np.arange(len(members)) < len(above)),
    )
    number[above] = -1  # what is left are the branches that did not change
    given = None if rolled.covariances is None else rolled.covariances.renumbered(number)
    return roll_up(part, method=rolled.method, given=given)


def _is_far_from_origin(bodies: Bodies, items: NDArray[np.intp]) -> bool:
    """Return whether the rounding of coordinates is significant for some assemblies (docs/formulas.md, section 9)."""
    if bodies.center is None or bodies.inertia is None:
        return False
    rounding = np.finfo(float).eps * np.abs(bodies.center[items]).max(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        radius = np.sqrt(np.abs(bodies.inertia[items, :3]).max(axis=1) / np.abs(bodies.mass[items]))
    return bool((rounding > _SIGNIFICANT_ROUNDING * radius).any())
